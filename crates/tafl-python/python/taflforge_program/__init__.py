"""The command `tafl` of the package taflforge; apart from it, as its compiled part takes a tenth of a second to load."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program, which needs no Python: the one that trains, if it is installed."""
    packages = Path(__file__).parents[1]
    programs = [packages / name / "bin" / "tafl" for name in ("taflforge_train", "taflforge")]
    program = next(program for program in programs if program.exists())
    os.execv(program, [str(program), *sys.argv[1:]])
