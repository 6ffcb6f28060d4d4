"""Packages under common names, which are importable on request only: `sim`, as kernels for tt-lang's Python
simulator import it. `ttlang-sim FILE` has them; elsewhere `PYTHONPATH=$(python3 -m tilewright.compat) python3 FILE`,
or `tilewright.compat.enable()` in front of the import."""

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))


def enable():
    """Makes the packages importable in this process; modules of the same names that were found before come first."""
    if FOLDER not in sys.path:
        sys.path.append(FOLDER)
