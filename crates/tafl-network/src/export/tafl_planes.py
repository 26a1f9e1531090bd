"""Encodes positions for a network that Taflforge exported, and decodes its policy. Needs numpy only.

    card = json.load(open("model.json"))
    planes = encode(card, "copenhagen", "3ttttt3/5t5/11/...", "attackers")[None]  # a batch of one
    ...                                                                           # policy = what the network says
    decode(card, policy[0], ["d1-d3", "d1-d2"])                                   # {"d1-d3": 0.8, "d1-d2": 0.2}

`python3 tafl_planes.py` compares the planes of the card's test vectors with what this file makes of their positions.
"""

import json
import os
import re

import numpy as np

PIECES = {"t": "attackers", "c": "commanders", "T": "defenders", "N": "knights", "K": "king"}
OF_FEN = str.maketrans("adnk", "tTNK")
UP, RIGHT, DOWN, LEFT = range(4)  # up leads to higher ranks, right to later files


def read_board(text, size):
    """Returns for each kind of piece where it stands, [rank, file]; rank 1 and file a are 0."""
    boards = {letter: np.zeros((size, size), bool) for letter in PIECES}
    if text.count("/") != size - 1:
        raise ValueError(f"{text!r} does not have {size} ranks")
    for rank, line in zip(range(size - 1, -1, -1), text.translate(OF_FEN).split("/")):
        file = 0
        for word in re.findall("[0-9]+|.", line):
            if word.isdigit():
                file += int(word)
                continue
            if word not in boards:
                raise ValueError(f"{word!r} is not one of t c T N K, or a c d n k")
            if file < size:
                boards[word][rank, file] = True
            file += 1
        if file != size:
            raise ValueError(f"{line!r} has {file} squares instead of {size}")
    if boards["K"].sum() != 1:
        raise ValueError(f"{text!r} does not have one king")
    return boards


def square(name, size):
    """Returns rank and file of a square such as `d3`."""
    found = re.fullmatch("([a-k])([1-9][0-9]*)", name)
    rank, file = (int(found[2]) - 1, ord(found[1]) - ord("a")) if found else (size, size)
    if max(rank, file) >= size:
        raise ValueError(f"{name!r} is not a square of {size}x{size}, such as d3")
    return rank, file


def ends(move, size):
    """Returns the squares that a move such as `d1-d3` leaves and reaches; captures may follow, as in `d1-d3xd4`."""
    if not isinstance(move, str):
        raise ValueError(f"{move!r} is not a text such as d1-d3")
    if move.count("-") > 1:
        raise ValueError(f"{move!r} has several plies, a move has one")
    left, _, reached = move.split("x")[0].partition("-")
    return square(left, size), square(reached, size)


def step(board, direction):
    """Returns the squares one step away."""
    moved = np.zeros_like(board)
    if direction == UP:
        moved[1:] = board[:-1]
    elif direction == DOWN:
        moved[:-1] = board[1:]
    elif direction == RIGHT:
        moved[:, 1:] = board[:, :-1]
    else:
        moved[:, :-1] = board[:, 1:]
    return moved


def lines(start, free):
    """Returns the free squares to which a straight line of free squares leads from one of `start`."""
    reached = np.zeros_like(free)
    for direction in range(4):
        front = step(start, direction) & free
        while front.any():
            reached |= front
            front = step(front, direction) & free
    return reached


def encode(card, ruleset, position, side, *, chain=None, last_move=None, occurrences=1, captureless=0):
    """Returns the planes of a position, f32 [planes, ranks, files].

    card: the contents of model.json.  ruleset: the name of one of its rulesets.
    position: ranks separated by slashes, the highest first; t attacker, c commander, T defender, N knight, K king (or
    the letters of a FEN: a, c, d, n, k), numbers for free squares.  side: who is to move, `attackers` or `defenders`.
    chain: the square of the piece that may go on capturing, within a capture chain.
    last_move: the ply that led here, such as `d1-d3`, or `end`; of a chain the last one.
    occurrences: how often the position has occurred with the same side to move, this time included.
    captureless: moves since the last capture.
    """
    names = [plane["name"] for plane in card["planes"]]
    size = card["planes"][0]["shape"][0]
    known = {rules["name"]: rules for rules in card["rulesets"]}
    if ruleset not in known:
        raise ValueError(f"{ruleset!r} is not one of {', '.join(known)}")
    if occurrences < 1 or captureless < 0:
        raise ValueError("occurrences count from 1, captureless moves from 0")
    if side not in ("attackers", "defenders"):
        raise ValueError(f"{side!r} is neither attackers nor defenders")
    rules = known[ruleset]
    planes = np.zeros((len(names), size, size), np.float32)
    plane = dict(zip(names, planes))
    ranks, *behind = position.split()
    if behind and behind[0] not in (side, side[0]):
        raise ValueError(f"behind the ranks stands {behind[0]!r}, not {side}")
    board = read_board(ranks, size)
    free = ~np.any(list(board.values()), axis=0)

    goals = np.zeros((size, size), bool)
    if "escape_edges" in rules["uniform"]:
        goals[[0, -1]] = goals[:, [0, -1]] = True
    else:
        goals[0, 0] = goals[0, -1] = goals[-1, 0] = goals[-1, -1] = True
    # The king's own square counts as occupied, for its own ways and for those to a goal.
    king_one, home_one = lines(board["K"], free), lines(goals & free, free)
    marks = {PIECES[letter]: squares for letter, squares in board.items()}
    marks |= {
        "goal": goals,
        "king_one": king_one,
        "king_two": king_one | lines(king_one, free),
        "home_one": home_one,
        "home_two": home_one | lines(home_one, free),
        "attackers_reach": lines(board["t"] | board["c"], free),
        "defenders_reach": lines(board["T"] | board["N"], free),
    }
    for name, squares in marks.items():
        plane[name][squares] = 1
    plane["throne"][size // 2, size // 2] = rules["throne"]
    if chain:
        plane["chain_piece"][square(chain, size)] = 1
    if last_move not in (None, "end"):
        left, reached = ends(last_move, size)
        plane["last_from"][left] = plane["last_to"][reached] = 1

    for name, number in rules["uniform"].items():
        plane[name][:] = number
    plane["attackers_to_move"][:] = side == "attackers"
    plane["occurred_before"][:] = occurrences >= 2
    plane["occurred_twice_before"][:] = occurrences >= 3
    limit = np.float32(rules["captureless_limit"] or 100)
    plane["captureless"][:] = min(np.float32(captureless) / limit, 1)
    return planes


def index(move, size):
    """Returns the policy output of a move such as `d1-d3`, or of `end`, the end of a capture chain."""
    distances = size - 1
    if move == "end":
        return size * size * 4 * distances
    (rank, file), (to_rank, to_file) = ends(move, size)
    if (file == to_file) == (rank == to_rank):
        raise ValueError(f"{move!r} is not a straight move on {size}x{size} squares")
    if file == to_file:
        direction = UP if to_rank > rank else DOWN
    else:
        direction = RIGHT if to_file > file else LEFT
    distance = abs(to_rank - rank) + abs(to_file - file)
    return ((rank * size + file) * 4 + direction) * distances + distance - 1


def decode(card, policy, legal):
    """Returns the network's probabilities of the legal moves, which sum to 1; `policy` are the logits of a position."""
    size, legal = card["planes"][0]["shape"][0], list(dict.fromkeys(legal))
    if np.shape(policy) != (index("end", size) + 1,) or not legal:
        raise ValueError("decode takes the logits of one position, without the batch axis, and its legal moves")
    logits = np.array([policy[index(move, size)] for move in legal], np.float64)
    shares = np.exp(logits - logits.max())
    return dict(zip(legal, (shares / shares.sum()).tolist()))


def planes_of_vector(card, vector):
    """Returns the planes of a test vector as the card has them."""
    size = card["planes"][0]["shape"][0]
    planes = np.zeros((len(card["planes"]), size, size), np.float32)
    for number, plane in enumerate(card["planes"]):
        found = vector["planes"].get(plane["name"], 0)
        if isinstance(found, str):
            for name in found.split():
                planes[number][square(name, size)] = 1
        else:
            planes[number] = found
    return planes


def encode_vector(card, vector):
    """Returns the planes that `encode` makes of a test vector's position."""
    given = {name: vector[name] for name in ("chain", "last_move", "occurrences", "captureless")}
    return encode(card, vector["ruleset"], vector["position"], vector["side"], **given)


if __name__ == "__main__":
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.json"), encoding="utf-8") as file:
        own_card = json.load(file)
    for own_vector in own_card["test_vectors"]:
        np.testing.assert_array_equal(encode_vector(own_card, own_vector), planes_of_vector(own_card, own_vector))
    print(f"{len(own_card['test_vectors'])} test vectors: the planes are right")
