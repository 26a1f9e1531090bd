"""`python -m tafl_cluster`, which ./scripts/cluster calls."""

import sys

from .cli import main

sys.exit(main())
