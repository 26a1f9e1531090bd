"""The command `tafl` of the package taflforge; apart from it, as its compiled part takes a tenth of a second to load."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program, which needs no Python."""
    program = Path(__file__).parents[1] / "taflforge" / "bin" / "tafl"
    os.execv(program, [str(program), *sys.argv[1:]])
