"""The program `tafl` with which the package is tried."""

import os
import sys
from pathlib import Path

TAFL = os.environ.get("TAFL") or str(Path(sys.executable).with_name("tafl"))
"""As the variable says, or the one in the wheel, beside this Python."""
