"""Kernels with one mistake each that a checker may miss, and correct ones that look like mistakes. The expectation:
None (no report) or the beginning of the kind of one of the reports."""

import shutil

import careless_buffers  # noqa: F401: they fill CASES
import careless_cores  # noqa: F401
import careless_units  # noqa: F401
import careless_views  # noqa: F401
import pytest
from careless_kernels import CASES, run, sources

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")


@pytest.fixture(scope="module")
def texts():
    return sources()


@pytest.mark.parametrize("name", CASES)
def test_slips_are_told_and_nothing_else(texts, name):
    launch, expect = run(name, texts), CASES[name].expect
    kinds = [r["kind"] for r in launch.reports]
    assert not kinds if expect is None else any(k.startswith(expect) for k in kinds), launch.log
