"""A template for a player of your own: replace the body of `choose`.

tafl arena greedy --engine "python bot.py" --protocol uci --engine-limit nodes=1 --ruleset brandubh
"""

import random
import sys

import taflforge as tf


@tf.bot
def choose(game: tf.Game) -> str:
    """Wins if it can, else captures as much as it can; among equal moves at random, the same in the same position."""
    trial, best = game.copy(), (-1.0, "")
    draw = random.Random(game.key)
    for move in game.legal_moves():
        ply = trial.play(move)
        won = trial.outcome == game.side
        trial.undo()
        best = max(best, (100 * won + len(ply.captured) + draw.random(), move))
    return best[1]


if __name__ == "__main__":
    # Own rulesets: python bot.py mine.toml
    choose.serve(rulesets=sys.argv[1:])
