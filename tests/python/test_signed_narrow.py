"""Integers of 8 and 16 bits with a sign, against what JAX computes on the CPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from native import Program
from one_op import run

TYPES = [np.int8, np.int16]


def edges(dtype):
    info = np.iinfo(dtype)
    return np.array([info.min, info.min + 1, -77, -3, -2, -1, 0, 1, 2, 5, 99, info.max - 1, info.max], dtype)


def pairs(dtype):
    """All pairs of edges."""
    x, y = np.meshgrid(edges(dtype), edges(dtype), indexing="ij")
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


def check(fn, *arrays):
    lowered = jax.jit(fn).lower(*arrays)
    want = jax.tree.leaves(lowered.compile()(*arrays))
    got = Program(lowered.as_text())(*arrays)
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        w = np.asarray(w)
        if w.dtype == jnp.bfloat16:
            g = g.view(jnp.bfloat16)
        assert g.dtype == w.dtype
        np.testing.assert_array_equal(g, w)


BINARY = {f.__name__: f for f in (
    lax.add, lax.sub, lax.mul, lax.max, lax.min, lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor, lax.shift_left,
    lax.shift_right_logical, lax.shift_right_arithmetic, lax.eq, lax.ne, lax.lt, lax.le, lax.gt, lax.ge)}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, dtype):
    check(BINARY[name], *pairs(dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("fn", [lax.div, lax.rem, jnp.floor_divide, jnp.remainder], ids=lambda f: f.__name__)
def test_division(fn, dtype):
    x, y = pairs(dtype)
    keep = y != 0
    check(fn, x[keep], y[keep])


UNARY = {
    "neg": lax.neg, "abs": lax.abs, "sign": lax.sign, "not": lax.bitwise_not,
    "square": lambda x: x * x, "cube_of_sum": lambda x: (x + x) * x - x // 2,
    "relu": lambda x: jnp.maximum(x, 0), "clip": lambda x: jnp.clip(x, -3, 5), "pow": lambda x: x**3,
    "where": lambda x: jnp.where(x < 0, x, -x), "constant": lambda x: x + np.array(-100, x.dtype),
    "iota": lambda x: x - lax.iota(x.dtype, x.size), "clamp": lambda x: lax.clamp(x[3], x, x[9]),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    check(UNARY[name], edges(dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("to", [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.float32, jnp.bfloat16,
                                np.bool_], ids=lambda t: np.dtype(t).name)
def test_convert(dtype, to):
    x = edges(dtype)
    check(lambda v: lax.convert_element_type(v, to), x)
    check(lambda v: lax.convert_element_type(v + v, to), x)
    if to != jnp.bfloat16:
        # values that convert exactly
        there = np.array([0, 1, 77, 100], to) if np.dtype(to).kind in "ub" else np.array([0, 1, -1, -128, 127], to)
        check(lambda v: lax.convert_element_type(v, dtype), there)
    if np.dtype(to).kind in "iu":
        wide = np.array([0, 127, 128, 255, 32767, 32768, 65535, 70000, -1, -129, -40000], np.int64).astype(to)
        check(lambda v: lax.convert_element_type(v, dtype), wide)


REDUCE = {
    "sum": lambda x: jnp.sum(x, axis=1, dtype=x.dtype), "prod": lambda x: jnp.prod(x, axis=1, dtype=x.dtype),
    "sum_all": lambda x: jnp.sum(x, dtype=x.dtype), "sum_wide": lambda x: jnp.sum(x, axis=0),
    "max": lambda x: jnp.max(x, axis=1), "min": lambda x: jnp.min(x, axis=0), "max_all": jnp.max, "min_all": jnp.min,
    "argmax": lambda x: jnp.argmax(x, axis=1),
    "any_negative": lambda x: jnp.any(x < 0, axis=1),
    "cumsum": lambda x: lax.cumsum(x, axis=1), "cummax": lambda x: lax.cummax(x, axis=1),
    "cummin": lambda x: lax.cummin(x, axis=1), "sort": lambda x: lax.sort(x, dimension=1),
    "window_max": lambda x: lax.reduce_window(x, np.array(np.iinfo(x.dtype).min, x.dtype), lax.max, (1, 3), (1, 2), "VALID"),
    "window_min": lambda x: lax.reduce_window(x, np.array(np.iinfo(x.dtype).max, x.dtype), lax.min, (3, 1), (1, 1), "SAME"),
    "window_sum": lambda x: lax.reduce_window(x, np.array(0, x.dtype), lax.add, (2, 2), (1, 1), "VALID"),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", REDUCE)
def test_reduce(name, dtype):
    x = np.random.default_rng(5).permutation(np.tile(edges(dtype), 7)).reshape(7, 13)
    check(REDUCE[name], x)


MOVE = {
    "scatter_min": lambda x, y: x.at[jnp.array([3, 1, 3, 0])].min(y[:4]),
    "scatter_max": lambda x, y: x.at[jnp.array([3, 1, 3, 0])].max(y[:4]),
    "scatter_add": lambda x, y: x.at[jnp.array([3, 1, 3, 0])].add(y[:4]),
    "scatter_mul": lambda x, y: x.at[jnp.array([3, 1, 3, 0])].multiply(y[:4]),
    "scatter_set": lambda x, y: x.at[jnp.array([3, 1, 2, 0])].set(y[:4]),
    "gather": lambda x, y: (x - y)[jnp.array([5, 0, 5])],
    "pad": lambda x, y: jnp.pad(x + y, ((1, 2), (0, 1)), constant_values=-7),
    "concatenate": lambda x, y: jnp.concatenate([x, -y], axis=1),
    "slice": lambda x, y: lax.dynamic_update_slice(x, y[:2, :3], (1, 2)).T[::-1],
    "repeat": lambda x, y: jnp.broadcast_to(x[:, :1], (13, 4)) + y[:, :4],
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", MOVE)
def test_move(name, dtype):
    check(MOVE[name], *pairs(dtype))


def matmul(result):
    return lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=result)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("result", ["same", np.int16, np.int32, np.uint32])
def test_dot(dtype, result):
    x, y = pairs(dtype)
    check(matmul(dtype if result == "same" else result), x, y)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("other", [np.uint8, np.uint32, np.int32], ids=lambda t: np.dtype(t).name)
def test_dot_of_two_types(dtype, other):
    x, y = pairs(dtype)
    check(jnp.matmul, x, y.astype(other))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("result", ["same", np.int32])
def test_convolution(dtype, result):
    x = np.resize(edges(dtype), (1, 1, 9, 7))
    w = edges(dtype)[[0, 12, 5, 10]].reshape(1, 1, 2, 2)
    result = dtype if result == "same" else result
    check(lambda a, b: lax.conv_general_dilated(a, b, (1, 1), "VALID", preferred_element_type=result), x, w)


@pytest.mark.parametrize("dtype", TYPES)
def test_quantize_saturates(dtype):
    info = np.iinfo(dtype)
    x = np.array([-1e6, -3, -0.5, 0, 0.5, 2, 1e6], np.float32)
    out, = run("quantize", [x, np.array([0.5], np.float32), np.array([-1], np.int32)],
               [(x.shape, f"!quant.uniform<i{info.bits}:f32, 0.5:-1>")], f"output_dtype = #ttcore.supportedDataTypes<si{info.bits}>")
    assert out.dtype == dtype
    np.testing.assert_array_equal(out, [info.min, -7, -2, -1, 0, 3, info.max])


def test_unsigned_stay_unsigned():
    x, y = (v.astype(np.uint8) for v in pairs(np.int8))
    for fn in (lax.max, lax.lt, lax.shift_right_logical, lax.div):
        check(fn, x, np.maximum(y, 1))
