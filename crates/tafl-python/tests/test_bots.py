"""A function as an engine: the lines of UCI, and in a match of `tafl arena`."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import taflforge as tf
from program import TAFL

EXAMPLE = Path(__file__).parents[1] / "examples" / "bot.py"
FIRST = """
import sys
import taflforge as tf

@tf.bot
def first(game):
    print("not for the protocol")
    {body}
    return game.legal_moves()[0]

first.serve(rulesets=sys.argv[1:])
"""


def talk(lines: list[str], body: str = "", arguments: tuple[str, ...] = ()) -> tuple[list[str], str]:
    """Returns what a bot in a process of its own answers, and what it writes to standard error."""
    command = [sys.executable, "-c", FIRST.format(body=body), *arguments]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines(), done.stderr


class Protocol(unittest.TestCase):
    def test_a_bot_greets_as_an_engine(self) -> None:
        lines, complaints = talk(["uci", "isready", "quit"])
        self.assertEqual(lines[0], "id name first")
        self.assertTrue(lines[1].startswith("option name Ruleset type combo default copenhagen var copenhagen"), lines[1])
        self.assertEqual(lines[2:], ["uciok", "readyok"])
        self.assertEqual(complaints, "")

    def test_positions_have_history_chains_and_fens(self) -> None:
        game = tf.Game("brandubh")
        moves = []
        for _ in range(4):
            moves.append(game.legal_moves()[-1])
            game.play(moves[-1])
        ask = f"position startpos moves {' '.join(moves).replace('-', '')}"
        ruleset = "setoption name Ruleset value brandubh"
        lines, complaints = talk([ruleset, ask, "go nodes 5", f"position fen {game.to_uci_fen()}", "go movetime 50"])
        first = game.legal_moves()[0].replace("-", "")
        self.assertEqual(lines, [f"bestmove {first}"] * 2)
        self.assertIn("not for the protocol", complaints)

    def test_what_is_wrong_is_told_and_answered(self) -> None:
        cases = {
            "position startpos moves a1a2": "position: move 1, 'a1a2'",
            "position fen nonsense": "board: ",
            "position somewhere": "position: expected",
            "setoption name Ruleset value chess": "option Ruleset: 'chess' is none of copenhagen",
            "setoption name Threads value 2": "setoption: no option",
            "setoption name Ruleset": "option Ruleset: it has no value",
            "setoption name ruleset value": "option Ruleset: it has no value",
            "hello": "unknown command 'hello'",
            "go nodes many": "go nodes: 'many' is not a whole number",
            "go nodes -1": "go nodes: -1 is below 1",
        }
        for line, reason in cases.items():
            with self.subTest(line):
                answers, complaints = talk([line, "isready"])
                errors = [answer for answer in answers if answer.startswith(f"info string error: {reason}")]
                self.assertEqual(len(errors), 1, answers)
                self.assertIn("readyok", answers)
                self.assertNotIn("Traceback", complaints)
        answers, _ = talk(["position startpos moves a1a2", "go nodes 1"])
        self.assertEqual(answers[1:], ["info string error: the last position was refused; `position` sets another", "bestmove (none)"])

    def test_nothing_is_played_by_the_rules_before_a_refused_ruleset(self) -> None:
        answers, _ = talk(["setoption name Ruleset value chess", "ucinewgame", "position startpos", "go"])
        self.assertEqual(answers[-1], "bestmove (none)")
        self.assertIn("info string error: position: the last ruleset was refused; option Ruleset sets another", answers)
        answers, _ = talk(["setoption name Ruleset value chess", "setoption name Ruleset value brandubh", "position startpos", "go"])
        self.assertNotEqual(answers[-1], "bestmove (none)")

    def test_errors_of_the_function_are_no_lines_of_the_protocol(self) -> None:
        for body, reason in [
            ("1 / 0", "ZeroDivisionError: division by zero"),
            ("sys.exit('enough')", "SystemExit: enough"),
            ("return 'a1-a5'", "first returned 'a1-a5': "),
            ("return None", "first returned None: "),
            ("return 123456", "first returned 123456: "),
        ]:
            with self.subTest(body):
                answers, complaints = talk(["go nodes 1", "position startpos", "isready"], body)
                told = [answer for answer in answers if answer != "readyok"]
                self.assertTrue(told[0].startswith(f"info string error: {reason}"), told)
                self.assertEqual(told[1:], ["bestmove (none)"])
                self.assertIn("Traceback", complaints)

    def test_own_rulesets_are_known_by_their_names(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mine.toml"
            file.write_text(tf.Rules("tablut", name="mine", throne_hostile=False).to_toml())
            lines, _ = talk(
                ["uci", "go", "setoption name Ruleset value brandubh", "setoption name Ruleset value mine", "go"], "", (str(file),)
            )
        self.assertIn("default mine var mine var copenhagen", lines[1])
        first = tf.Game("tablut").legal_moves()[0].replace("-", "")
        self.assertEqual(lines[3:], [f"bestmove {first}"] * 2)

    def test_stop_is_heard_while_the_function_thinks(self) -> None:
        script = FIRST.format(body="print('thinks', file=sys.stderr, flush=True); limits.stop.wait()")
        command = [sys.executable, "-c", script.replace("def first(game)", "def first(game, limits)")]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        for go in ("go infinite", "go nodes 5"):
            with self.subTest(go), subprocess.Popen(command, text=True, bufsize=1, **pipes) as process:
                assert process.stdin is not None
                assert process.stdout is not None
                assert process.stderr is not None
                process.stdin.write(f"{go}\n")
                while "thinks" not in process.stderr.readline():
                    pass
                process.stdin.write("isready\nstop\n")
                self.assertEqual(process.stdout.readline(), "readyok\n")
                self.assertTrue(process.stdout.readline().startswith("bestmove "))
                process.stdin.write("quit\n")
                self.assertEqual(process.wait(60), 0)

    def test_an_endless_search_is_answered_when_it_is_stopped_and_not_before(self) -> None:
        answers, _ = talk(["go infinite", "isready"])
        self.assertEqual(answers[0], "readyok")
        self.assertTrue(answers[1].startswith("bestmove "))
        self.assertEqual(talk(["go infinite", "quit"])[0], [])

    def test_limits_are_those_of_the_side_to_move(self) -> None:
        body = "print(limits.nodes, limits.depth, limits.seconds)"
        script = FIRST.format(body=body).replace("def first(game)", "def first(game, limits)")
        asked = ["go nodes 7", "go depth 3 movetime 500", "go wtime 9000 btime 60000 binc 1000", "go"]
        done = subprocess.run(
            [sys.executable, "-c", script], input="\n".join(asked), capture_output=True, text=True, timeout=60, check=True
        )
        said = [line for line in done.stderr.splitlines() if "protocol" not in line]
        self.assertEqual(said, ["7 None None", "None 3 0.5", "None None 2.8", "None None None"])

    def test_functions_are_refused_that_take_no_game(self) -> None:
        with self.assertRaisesRegex(TypeError, "function: "):
            tf.bot(lambda: "a1-a2")
        with self.assertRaisesRegex(TypeError, "function: "):
            tf.bot("first")  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "rulesets: "):
            tf.bot(lambda game: game.legal_moves()[0]).serve(rulesets="tablut")
        # A second parameter with a value of its own is the function's affair.
        self.assertEqual(tf.bot(lambda game, index=3: game.legal_moves()[index])(tf.Game()), tf.Game().legal_moves()[3])


class Arena(unittest.TestCase):
    def test_the_template_plays_in_the_arena(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            mine = Path(folder) / "mine.toml"
            mine.write_text(tf.Rules("berserk-2017", name="mine", captureless_limit=50).to_toml())
            for ruleset, openings in (("brandubh", 2), (str(mine), 1)):
                with self.subTest(ruleset):
                    engine = f"{sys.executable} {EXAMPLE} {mine}"
                    arena = ["arena", "greedy", "--engine", engine, "--protocol", "uci", "--engine-limit", "nodes=2"]
                    where = ["--ruleset", ruleset, "--openings", str(openings), "--data", folder, "--folder", f"{folder}/{openings}"]
                    command = [TAFL, *arena, *where, "--max-plies", "60", "--json"]
                    done = subprocess.run(command, capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    said = json.loads(done.stdout)
                    self.assertNotIn("forfeits.log", [it.name for it in Path(folder, str(openings)).rglob("*")], said)

    def test_a_stored_game_that_a_bot_gave_up_is_called_as_in_a_match(self) -> None:
        def resigns(_game: tf.Game) -> str:
            return "resign"

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "resigns.py")
            file.write_text(FIRST.format(body="return 'resign'"))
            arena = ["arena", "greedy", "--engine", f"{sys.executable} {file}", "--protocol", "uci", "--engine-limit", "nodes=2"]
            where = ["--ruleset", "brandubh", "--openings", "1", "--data", folder, "--folder", f"{folder}/match"]
            done = subprocess.run([TAFL, *arena, *where], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            stored = [record.reason for record in tf.games(Path(folder, "match"))]
        played = tf.match("greedy", resigns, openings=1, ruleset="brandubh")
        self.assertEqual(stored, [it.reason for it in played.games])


if __name__ == "__main__":
    unittest.main()
