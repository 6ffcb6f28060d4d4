"""Random modules of MLIR's own dialects in our tools and in Debian's mlir-opt: verdicts, messages, texts, bytecode, canonical forms."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not shutil.which("mlir-opt-19"), reason="needs mlir-opt-19")
ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TW_BUILD", ROOT / "build"))


@pytest.mark.parametrize("what", [["--forms"], ["--broken", "--messages"], ["--ops=15", "--passes=--canonicalize"], ["--ops=15", "--passes=--cse"]],
                         ids=["forms", "broken", "canonicalize", "cse"])
def test_random_modules(what):
    done = subprocess.run([sys.executable, ROOT / "tests/irgen/against_mlir_opt.py", "--build", BUILD, "--seeds=1:12", *what],
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
