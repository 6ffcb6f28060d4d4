"""Random programs of jax (random_jax.py), run on the device, against jax's results.

A result may be off by the tolerance and four times the distance between two results of jax itself: of the program
compiled as a whole, and of its functions one by one, which rounds bf16 after each as the device does.

TILEWRIGHT_RANDOM=1000:2000 runs others (`make generated`).
"""

import os

import jax
import ml_dtypes
import numpy as np
import pytest
from native import Program
from random_jax import make

FIRST, LAST = map(int, os.environ.get("TILEWRIGHT_RANDOM", "0:16").split(":"))
TOLERANCE = {np.dtype(np.float32): 1e-4, np.dtype(ml_dtypes.bfloat16): 5e-2}  # relative to the largest value


def as_f32(x):
    return np.asarray(x).astype(np.float32)


def results_one_by_one(function, inputs):
    with jax.disable_jit():
        return jax.tree.leaves(function(*map(jax.numpy.asarray, inputs)))


def close(got, want, slack):
    tolerance = TOLERANCE.get(want.dtype, 0)
    got, want = as_f32(got), as_f32(want)
    scale = max(1.0, np.max(np.abs(want[np.isfinite(want)]), initial=0))
    return np.isclose(got, want, rtol=tolerance, atol=tolerance * scale + slack, equal_nan=True)


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_random(seed):
    function, inputs = make(seed)
    compiled = jax.jit(function, keep_unused=True)
    try:
        text = compiled.lower(*inputs).as_text()
    except (ValueError, NotImplementedError) as e:
        pytest.skip(f"jax has no derivative: {e}")
    got = Program(text)(*[x.view(np.uint16) if x.dtype == ml_dtypes.bfloat16 else x for x in inputs])
    want = [np.asarray(x) for x in jax.tree.leaves(compiled(*inputs))]
    assert len(got) == len(want)
    got = [g.view(w.dtype) if w.dtype == ml_dtypes.bfloat16 else g for g, w in zip(got, want)]
    if all(close(g, w, 0).all() for g, w in zip(got, want)):
        return
    for g, w, other in zip(got, want, results_one_by_one(function, inputs)):
        slack = 4 * np.abs(as_f32(w) - as_f32(other))
        ok = close(g, w, np.where(np.isfinite(slack), slack, 0))
        assert ok.all(), f"seed {seed}: {(~ok).mean():.0%} of {w.dtype}{w.shape}: {g[~ok].flat[:4]}, not {w[~ok].flat[:4]}\n{text}"
