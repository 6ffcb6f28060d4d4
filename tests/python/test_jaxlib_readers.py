"""Random modules of StableHLO, CHLO, Shardy and MPMD, and text tests, in our parser and in jaxlib's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jaxlib.mlir.ir")
ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD", ROOT / "build"))


def agree(*arguments):
    done = subprocess.run([sys.executable, ROOT / "tests/irgen/against_jaxlib.py", "--build", BUILD, *arguments],
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("broken", [[], ["--broken"]], ids=["valid", "broken"])
@pytest.mark.parametrize("dialects", ["stablehlo", "chlo,func", "sdy,func", "mpmd,func"])
def test_random_modules(dialects, broken):
    agree("--seeds=500:25", "--dialects", dialects, *broken)


def test_text_tests():
    agree(*sorted((ROOT / "tests/lit/dialect/stablehlo").glob("*.mlir")), *sorted((ROOT / "tests/lit/dialect/chlo").glob("*.mlir")),
          *sorted((ROOT / "tests/lit/dialect/sdy").glob("*.mlir")))
