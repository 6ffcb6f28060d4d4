"""Random use and misuse of the IR from Python, each seed in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("seed", [1, 3, 6])
def test_nothing_crashes(seed):
    program = Path(__file__).with_name("ir_storm.py")
    done = subprocess.run([sys.executable, program, str(seed), "2000"], capture_output=True, text=True, timeout=300,
                          check=False)
    assert done.returncode == 0 and done.stdout == "alive\n", done.stderr[-2000:]
