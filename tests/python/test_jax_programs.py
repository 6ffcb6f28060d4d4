"""Programs as JAX exports them, against JAX's own results.

Tolerance: f32 sums are reordered, so results agree to a few units of f32 rounding scaled by
the length of the sums; 2e-5 relative to the largest result covers all of these."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from native import Program


def check(fn, *args, tolerance=2e-5):
    text = jax.jit(fn).lower(*args).as_text()
    want = [np.asarray(x) for x in jax.tree_util.tree_leaves(jax.jit(fn)(*args))]
    got = Program(text)(*[np.asarray(a) for a in args])
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert g.shape == w.shape and g.dtype == w.dtype
        if w.dtype.kind == "f":
            scale = max(1.0, float(np.max(np.abs(w)))) if w.size else 1.0
            np.testing.assert_allclose(g, w, rtol=0, atol=tolerance * scale)
        else:
            np.testing.assert_array_equal(g, w)


def normal(seed, *shape):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape, dtype=np.float32))


def test_mlp():
    def mlp(x, w1, b1, w2, b2):
        return jax.nn.gelu(x @ w1 + b1, approximate=False) @ w2 + b2

    check(mlp, normal(0, 4, 8), normal(1, 8, 16), normal(2, 16), normal(3, 16, 3), normal(4, 3))


def test_attention():
    def attention(q, k, v):
        s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(q.shape[-1])
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, axis=-1), v)

    check(attention, *[normal(i, 2, 3, 8, 4) for i in range(3)])


def test_small_cnn():
    def cnn(x, w, b):
        y = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b
        y = jax.lax.reduce_window(jax.nn.relu(y), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return y.mean(axis=(1, 2))

    check(cnn, normal(0, 2, 8, 8, 3), normal(1, 3, 3, 3, 5), normal(2, 5))


@pytest.mark.parametrize("name", ["abs", "exp", "log1p", "tanh", "sin", "cos", "floor", "ceil", "sqrt", "sign", "negative"])
def test_unary(name):
    special = np.array([0.0, -0.0, 1.0, -1.0, 1e-40, np.inf, -np.inf, np.nan, 3.4e38, 0.5, 1e-8], np.float32)
    values = np.concatenate([special, np.random.default_rng(0).standard_normal(500).astype(np.float32)])
    if name in ("sqrt", "log1p"):
        values = np.abs(values)
    text = jax.jit(getattr(jnp, name)).lower(jnp.asarray(values)).as_text()
    (got,) = Program(text)(values)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(values.astype(np.float64)).astype(np.float32)
    # two units in the last place of f32: libm's own error bounds
    np.testing.assert_allclose(got, want, rtol=3e-7, atol=1e-44)


@pytest.mark.parametrize("shapes", [((3, 4), (3, 4)), ((3, 1), (1, 4)), ((), (2, 3)), ((0, 4), (4,)), ((1,), (1,))])
@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "divide", "maximum", "minimum"])
def test_binary_broadcast(op, shapes):
    check(getattr(jnp, op), normal(0, *shapes[0]), normal(1, *shapes[1]))


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32])
def test_integers_and_comparisons(dtype):
    a = jnp.asarray(np.arange(12).reshape(3, 4).astype(dtype))
    b = jnp.asarray(np.full((3, 4), 5).astype(dtype))
    check(lambda x, y: (x < y, jnp.where(x == y, x, y), x + y), a, b)


def test_shapes():
    x = normal(0, 2, 3, 4)
    check(lambda v: v.transpose(2, 0, 1).reshape(4, 6)[1:4:2, ::3], x)
    check(lambda v: jnp.concatenate([v, v * 2], axis=1), x)
    check(lambda v: jnp.pad(v, ((0, 1), (2, 0), (1, 1)), constant_values=3.0), x)
    check(lambda v: jnp.cumsum(v, axis=1), x)
    check(lambda v: (v.sum(), v.max(axis=1), v.min(axis=(0, 2)), v.prod(axis=2), v.argmax(axis=1)), x)


def test_embedding():
    table = normal(0, 10, 6)
    ids = jnp.asarray(np.array([[1, 9, 0], [3, 3, 7]], np.int32))
    check(lambda t, i: jnp.take(t, i, axis=0, mode="clip"), table, ids)


@pytest.mark.parametrize(
    "window,strides,padding",
    [((2, 2), (2, 2), "VALID"), ((3, 2), (2, 1), "SAME"), ((3, 3), (1, 2), ((1, 0), (2, 1)))],
)
def test_max_pool_gradient(window, strides, padding):
    def loss(x, weights):
        full = padding if isinstance(padding, str) else ((0, 0), *padding, (0, 0))
        y = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, *window, 1), (1, *strides, 1), full)
        return jnp.sum(y * weights[:, : y.shape[1], : y.shape[2]])

    # few different values, so that windows have ties, all negative, so that padding must not win
    x = jnp.round(normal(0, 2, 7, 6, 3)) - 5
    check(jax.grad(loss), x, normal(1, 2, 9, 9, 3))


def test_min_pool_gradient_of_whole_windows():
    x, weights = normal(2, 4, 6), normal(3, 2, 3)
    check(jax.grad(lambda x: jnp.sum(weights * x.reshape(2, 2, 3, 2).min((1, 3)))), x)
    loss = lambda x: jnp.sum(weights * jax.lax.reduce_window(x, jnp.inf, jax.lax.min, (2, 2), (2, 2), "VALID"))
    check(jax.grad(loss), x)
