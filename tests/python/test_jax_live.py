"""Models, training and other tests' programs live through jax.jit on the platform tt, against JAX's CPU platform."""

import json
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="jax is not installed")
from test_jax_plugin import python


def test_live_programs():
    wrong = json.loads(python(str(Path(__file__).parent / "jax_live.py")))
    skipped = [why for why in wrong.values() if (why or "").startswith("skipped")]
    failed = {name: why for name, why in wrong.items() if why and why not in skipped}
    assert not failed, "\n".join(f"{name}: {why}" for name, why in failed.items())
    assert sum(name.startswith("live") for name in wrong) >= 100
    if skipped:
        pytest.skip(f"all but training: {skipped[0]}")
