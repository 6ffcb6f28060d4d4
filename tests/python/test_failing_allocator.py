"""The n-th allocation fails, for n over all of a call: the caller gets an error of the library, never a signal, and the
next call works. A sample of n here; TILEWRIGHT_LONG=1 takes ten times as many."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from allocator_cases import CASES
from conftest import ROOT

STEPS = 400 if os.environ.get("TILEWRIGHT_LONG") else 40
HERE = ROOT / "tests" / "python"


@pytest.fixture(scope="module")
def allocator(tmp_path_factory):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("allocator") / "failing.so"
    subprocess.run([compiler, "-O1", "-fPIC", "-shared", "-o", library, HERE / "failing_allocator.c", "-ldl"], check=True)
    return library


@pytest.mark.parametrize("name", CASES)
def test_every_failure_is_an_error(name, allocator):
    done = subprocess.run([sys.executable, HERE / "allocator_cases.py", name, str(STEPS)], capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, LD_PRELOAD=str(allocator), PYTHONPATH=os.pathsep.join([str(HERE), *sys.path])))
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-2000:])
    total, failed, _ = map(int, re.search(r"(\d+) allocations, (\d+) errors, (\d+) survived", done.stdout).groups())
    assert failed > 0 or total < 3, done.stdout
