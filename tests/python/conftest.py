"""Fixtures of the Python tests: the packages' path and the executor of emitted programs."""

import operator
import os
import random
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STAGED = ROOT / "build" / "python"  # the staged packages, with the extension module
for folder in (ROOT / "tests" / "python", Path(os.environ.get("TILEWRIGHT_PYTHON", STAGED))):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
# The CPU is the reference: with the plugin installed, JAX would prefer the platform tt.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# C++ kernels are compiled once for all tests that do not set a folder of their own.
os.environ.setdefault("TILEWRIGHT_KERNEL_CACHE", str(Path(os.environ.get("TW_BUILD", ROOT / "build"), "test-kernels").resolve()))


@pytest.fixture(autouse=True)
def same_numbers():
    """Seeds random generators, so that tests draw the same values in any order."""
    random.seed(0)
    for name, seed in (("numpy", "random.seed"), ("torch", "manual_seed")):
        if name in sys.modules:
            operator.attrgetter(seed)(sys.modules[name])(0)


@pytest.fixture(autouse=True)
def untimed_guards():
    """For its log, dynamo measures each graph's guards on empty caches, which takes as long as half a small graph's
    compilation."""
    if "torch._dynamo.guards" in sys.modules:
        sys.modules["torch._dynamo.guards"].profile_guard_manager = lambda *_: 0.0


def own_engine(program, options):
    """The project's own library, with the attributes that the tests read."""
    from tilewright import _engine

    text = _engine.text_of(program)  # compiling takes the module over
    return Recorded(_engine.native_compile(program, options), text)


class Recorded:
    """A program that counts its runs and records its constants."""

    def __init__(self, program, text):
        self.program, self.text, self.runs, self.constants = program, text, 0, {}
        self.steps, self.set_profiling = program.steps, program.set_profiling

    def set_constant(self, index, tensor):
        self.constants[index] = tensor
        self.program.set_constant(index, tensor)

    def run(self, inputs, outputs):
        self.runs += 1
        self.program.run(inputs, outputs)


@pytest.fixture(params=["oracle", "own"])
def programs(request):
    """Runs compiled graphs on the independent executor, then on the project's own library; yields the list of
    programs compiled."""
    import torch
    from oracle import OracleProgram
    from tilewright import _engine

    compiled = []
    make = OracleProgram if request.param == "oracle" else own_engine

    def engine(program, options):
        compiled.append(make(program, options))
        return compiled[-1]

    torch._dynamo.reset()
    former = _engine.set_engine(engine)
    yield compiled
    _engine.set_engine(former)
    torch._dynamo.reset()
