"""python3 tools/tidy [--headers]: see check.py."""

import sys

from check import main

sys.exit(main(sys.argv[1:]))
