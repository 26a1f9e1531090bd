"""What `help` shows is what the stub says."""

import ast
import inspect
import unittest
from pathlib import Path

import taflforge as tf
from taflforge import _core

STUB = ast.parse(Path(tf.__file__).with_name("_core.pyi").read_text())


class Help(unittest.TestCase):
    def test_everything_compiled_is_documented_as_in_the_stub(self) -> None:
        for node in STUB.body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef):
                continue
            parts = [it for it in getattr(node, "body", []) if isinstance(it, ast.FunctionDef)]
            for part in [node, *(it for it in parts if not it.name.startswith("_"))]:
                owner = _core if part is node else getattr(_core, node.name)
                with self.subTest(f"{node.name}.{part.name}"):
                    said = ast.get_docstring(part)
                    self.assertTrue(said)
                    self.assertEqual(inspect.getdoc(getattr(owner, part.name)), said)

    def test_what_is_called_shows_its_arguments(self) -> None:
        for name in tf.__all__:
            if inspect.isclass(it := getattr(tf, name)) or inspect.isroutine(it):
                self.assertTrue(inspect.getdoc(it), name)
        signatures = [str(inspect.signature(it)) for it in (tf.Game, tf.VecEnv.reset, tf.Search, tf.Game.undo, tf.samples)]
        whole = ["(ruleset='copenhagen')", "(self, /, seed=None)", "(net, visits=100)", "(self, /, plies=1)"]
        self.assertEqual(signatures[:-1], whole)
        self.assertIn("batch=256", signatures[-1])


if __name__ == "__main__":
    unittest.main()
