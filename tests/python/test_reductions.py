"""Reductions over every set of dimensions, against NumPy in double precision or integers.

A float sum is a double-precision sum of f32 sums over at most 256 elements: 2^-20 of the sum of sizes bounds its
error; extremes and integers are exact.
"""

from itertools import combinations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from native import Program

SHAPES = [(3, 5, 7), (2, 1, 300), (300, 2), (1, 1), (4, 3, 2, 17), (513,)]
UNITS = {np.float32: 2.0**-20, ml_dtypes.bfloat16: 2.0**-7}


def run(fn, x):
    text = jax.jit(fn).lower(jnp.asarray(x)).as_text()
    out = Program(text)(x.view(np.uint16) if x.dtype == ml_dtypes.bfloat16 else x)[0]
    return out.view(x.dtype) if x.dtype == ml_dtypes.bfloat16 else out


def axis_sets(rank):
    return [axes for n in range(1, rank + 1) for axes in combinations(range(rank), n)]


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape", SHAPES)
def test_floats(shape, dtype):
    x = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    wide = x.astype(np.float64)
    for axes in axis_sets(len(shape)):
        got = run(lambda v: jnp.sum(v, axis=axes), x).astype(np.float64)
        bound = UNITS[dtype] * np.abs(wide).sum(axis=axes)
        assert np.all(np.abs(got - wide.sum(axis=axes)) <= bound), axes
        np.testing.assert_array_equal(run(lambda v: jnp.max(v, axis=axes), x), x.max(axis=axes))
        np.testing.assert_array_equal(run(lambda v: jnp.min(v, axis=axes), x), x.min(axis=axes))


@pytest.mark.parametrize("shape", [(40, 33), (600,)])
def test_nan_wins_and_infinities_count(shape):
    x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    x.flat[17], x.flat[5], x.flat[40] = np.nan, np.inf, -np.inf
    for axes in axis_sets(len(shape)):
        for fn, want in ((jnp.max, np.max), (jnp.min, np.min)):
            np.testing.assert_array_equal(run(lambda v: fn(v, axis=axes), x), want(x, axis=axes))


def test_no_elements_start_a_maximum():
    x = np.full((3, 300), -np.inf, np.float32)
    np.testing.assert_array_equal(run(lambda v: jnp.max(v, axis=1), x), x[:, 0])


@pytest.mark.parametrize("shape", SHAPES)
def test_integers_are_exact(shape):
    x = np.random.default_rng(3).integers(-(2**31), 2**31, shape, dtype=np.int64).astype(np.int32)
    for axes in axis_sets(len(shape)):
        want = x.sum(axis=axes, dtype=np.int64).astype(np.int32)
        np.testing.assert_array_equal(run(lambda v: jnp.sum(v, axis=axes), x), want)
        np.testing.assert_array_equal(run(lambda v: jnp.max(v, axis=axes), x), x.max(axis=axes))
        np.testing.assert_array_equal(run(lambda v: jnp.min(v, axis=axes), x), x.min(axis=axes))
