"""The examples of C++ kernels give NumPy's results, with any order of threads."""

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest
from tilewright.sim import Grid

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")

SOURCE = Path(__file__).parents[2] / "examples/cpp/run.py"
spec = importlib.util.spec_from_file_location("cpp_examples", SOURCE)
examples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(examples)


@pytest.mark.parametrize("name", examples.EXAMPLES)
def test_example(name):
    for seed in (0, 5, 6):
        got, wanted = examples.EXAMPLES[name](Grid(seed=seed))
        assert np.abs(got - wanted).max() < 0.001, seed
