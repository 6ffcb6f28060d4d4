"""Fixtures of the Python tests: the packages' path and the executor of emitted programs."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT / "tests" / "python", Path(os.environ.get("TILEWRIGHT_PYTHON", ROOT / "python"))):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@pytest.fixture
def programs():
    """Run compiled graphs on the independent executor; gives the list of programs compiled."""
    import torch
    from oracle import OracleProgram
    from tilewright import _engine

    compiled = []

    def engine(text, options):
        compiled.append(OracleProgram(text, options))
        return compiled[-1]

    torch._dynamo.reset()
    former = _engine.set_engine(engine)
    yield compiled
    _engine.set_engine(former)
    torch._dynamo.reset()
