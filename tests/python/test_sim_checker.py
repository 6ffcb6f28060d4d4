"""Kernels with one mistake each that a checker may miss, and correct ones that look like mistakes. The expectation:
None (no report) or the beginning of the kind of one of the reports."""

import shutil

import checker_buffers  # noqa: F401: they fill CASES
import checker_cores  # noqa: F401
import checker_units  # noqa: F401
import checker_views  # noqa: F401
import pytest
from checker_kernels import CASES, run, sources

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")


@pytest.fixture(scope="module")
def texts():
    return sources()


@pytest.mark.parametrize("name", CASES)
def test_mistakes_are_reported_and_nothing_else(texts, name):
    launch, expect = run(name, texts), CASES[name].expect
    kinds = [r["kind"] for r in launch.reports]
    assert not kinds if expect is None else any(k.startswith(expect) for k in kinds), launch.log
