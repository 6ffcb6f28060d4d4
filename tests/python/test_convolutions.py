"""Convolutions of every form that StableHLO has, against JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from native import Program

R = np.random.default_rng(5)
NCL, NLC = ("NCH", "OIH", "NCH"), ("NHC", "HIO", "NHC")
NCHW, NHWC, MIXED = ("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC"), ("NCHW", "HWOI", "NHWC")
NCDHW, NDHWC = ("NCDHW", "OIDHW", "NCDHW"), ("NDHWC", "DHWIO", "NCDHW")


def conv(layout, x, w, **options):
    options = {"window_strides": (1,) * (len(x) - 2), "padding": "VALID", **options}
    return layout, x, w, options


CASES = {
    "one dimension": conv(NCL, (2, 3, 9), (4, 3, 3), padding=[(1, 2)], window_strides=(2,)),
    "one dimension, channels last, groups": conv(NLC, (2, 9, 4), (3, 2, 6), feature_group_count=2, rhs_dilation=(2,)),
    "one dimension, batch groups": conv(NCL, (4, 3, 9), (4, 3, 3), batch_group_count=2),
    "one dimension that is idle": conv(NCHW, (1, 4, 1, 9), (4, 1, 1, 3), padding=[(0, 0), (2, 1)], feature_group_count=4),
    "an idle dimension with padding": conv(NCHW, (1, 4, 1, 9), (4, 4, 1, 3), padding=[(1, 1), (0, 0)]),
    "points": conv(NCHW, (2, 4, 1, 1), (5, 4, 1, 1)),
    "transposed": conv(NCHW, (1, 3, 4, 5), (2, 3, 3, 3), padding=[(1, 1), (1, 1)], lhs_dilation=(2, 2)),
    "transposed, mixed layouts": conv(MIXED, (1, 3, 4, 5), (3, 2, 2, 3), padding=[(1, 1), (0, 0)], lhs_dilation=(2, 3)),
    "transposed, more behind": conv(NHWC, (1, 4, 5, 3), (3, 3, 3, 2), padding=[(1, 2), (0, 1)], lhs_dilation=(2, 2)),
    "transposed, less behind": conv(NHWC, (1, 4, 5, 3), (3, 3, 3, 2), padding=[(2, 1), (1, 0)], lhs_dilation=(2, 2)),
    "transposed, groups": conv(NCHW, (2, 6, 3, 3), (8, 3, 2, 2), padding=[(1, 1), (1, 1)], lhs_dilation=(2, 2), feature_group_count=2),
    "transposed, spread kernel": conv(NCHW, (1, 3, 4, 4), (2, 3, 2, 2), padding=[(2, 2), (1, 1)], lhs_dilation=(3, 3), rhs_dilation=(2, 2)),
    "transposed, wide padding": conv(NCHW, (1, 3, 4, 4), (2, 3, 2, 2), padding=[(3, 3), (3, 3)], lhs_dilation=(2, 2)),
    "transposed, with strides": conv(NCHW, (1, 3, 4, 4), (2, 3, 3, 3), padding=[(1, 1), (1, 1)], lhs_dilation=(2, 2), window_strides=(2, 1)),
    "transposed, one dimension": conv(NCL, (1, 3, 5), (2, 3, 4), padding=[(2, 2)], lhs_dilation=(2,)),
    "uneven padding": conv(NCHW, (1, 2, 5, 5), (3, 2, 2, 2), padding=[(1, 2), (2, 1)]),
    "padding in front or behind": conv(NHWC, (2, 5, 5, 2), (3, 3, 2, 3), padding=[(1, 2), (0, 3)], window_strides=(2, 2)),
    "padding of one dimension": conv(NHWC, (1, 5, 5, 2), (3, 3, 2, 3), padding=[(1, 1), (0, 0)], rhs_dilation=(1, 1)),
    "negative padding": conv(NCHW, (1, 3, 6, 6), (2, 3, 2, 2), padding=[(-1, 0), (1, -2)]),
    "batch groups": conv(NCHW, (4, 3, 6, 6), (4, 3, 2, 2), batch_group_count=2),
    "three dimensions": conv(NCDHW, (1, 3, 4, 5, 6), (2, 3, 3, 2, 2), padding=[(1, 1), (0, 0), (2, 2)], window_strides=(2, 1, 2)),
    "three dimensions, channels last, groups": conv(NDHWC, (1, 4, 5, 6, 4), (2, 2, 2, 2, 6), feature_group_count=2),
    "three dimensions, uneven": conv(NCDHW, (1, 3, 4, 5, 6), (2, 3, 2, 2, 2), padding=[(1, 0), (0, 0), (0, 0)], rhs_dilation=(1, 2, 1)),
}


@pytest.mark.parametrize("name", CASES)
def test_against_jax(name):
    layout, xs, ws, options = CASES[name]
    x, w = (R.standard_normal(s).astype(np.float32) for s in (xs, ws))

    def fn(x, w):
        return lax.conv_general_dilated(x, w, dimension_numbers=layout, **options)

    got = Program(jax.jit(fn).lower(x, w).as_text())(x, w)[0]
    want = np.asarray(jax.jit(fn)(jnp.asarray(x), jnp.asarray(w)))
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


def test_reversed_weight_is_read_forwards():
    """A reversal that the transposed form undoes leaves no operation behind."""
    x, w = (R.standard_normal(s).astype(np.float32) for s in ((1, 3, 4, 4), (2, 3, 3, 3)))

    def fn(x, w):
        return lax.conv_general_dilated(x, w[:, :, ::-1, ::-1], (1, 1), [(1, 1), (1, 1)], lhs_dilation=(2, 2))

    program = Program(jax.jit(fn).lower(x, w).as_text())
    assert not any("reverse" in s or "embedding" in s for s in program.steps()), program.steps()
    np.testing.assert_allclose(program(x, w)[0], np.asarray(fn(jnp.asarray(x), jnp.asarray(w))), rtol=2e-5, atol=2e-5)
