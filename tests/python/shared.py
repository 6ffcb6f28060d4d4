"""pytest -p shared: several parallel runs share the test files. Each claims the next unclaimed file, the longest
first; TW_SHARED is a folder, initially empty, with a file for each claim."""

import functools
import os
from pathlib import Path

import pytest

FOLDER = os.environ.get("TW_SHARED")
LONGEST = ["torch_ops", "sim_broken", "explore", "debugger", "autotune", "ttnn_jit_autotune", "ttnn_jit_reductions", "what_if", "torch_models", "torch_training", "sim_cpp", "sim_cpp_low", "ttl_launch", "adding", "cpp_units", "cpp_moves", "jax_functions",
           "cpp_examples", "torch_curves", "sim_cpp_older", "cpp_cache", "signed_narrow", "cpp_functions", "interrupt", "torch_threads", "mlir_opt", "torch_graphs"]
ORDER = {f"test_{name}.py": i for i, name in enumerate(LONGEST)}


@functools.cache
def mine(name):
    try:
        os.close(os.open(Path(FOLDER, name), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: ORDER.get(item.path.name, len(ORDER)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    return None if not FOLDER or mine(item.path.name) else True  # True: claimed by another run
