"""``python -m lindy.cli``."""

import sys

from lindy.cli import main

sys.exit(main())
