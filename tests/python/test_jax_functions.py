"""Functions of jax.numpy, jax.nn, jax.lax and jax.scipy.special one by one: StableHLO as jax exports it, run on the
device, against jax's results. The error for an unsupported one must name the operation."""

import jax
import jax.numpy as jnp
import jax.scipy.special as sp
import ml_dtypes
import numpy as np
import pytest
from jax import lax, nn
from native import Error, Program

KINDS = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "i32": np.int32}


def real(*shape):
    return np.random.default_rng(len(shape)).uniform(-2.5, 2.5, shape)


def positive(*shape):
    return np.random.default_rng(7).uniform(0.2, 3, shape)


def unit(*shape):
    return np.random.default_rng(8).uniform(-0.95, 0.95, shape)


def inputs(arrays, kind):
    return [np.round(a * 3).astype(np.int32) if kind == "i32" else a.astype(KINDS[kind]) for a in arrays]


def lower(function, arguments):
    return jax.jit(function).lower(*map(jnp.asarray, arguments))


def program(function, arguments):
    return Program(lower(function, arguments).as_text())


def check(function, arrays, kind):
    given = inputs(arrays, kind)
    bits = [a.view(np.uint16) if a.dtype == KINDS["bf16"] else a for a in given]
    lowered = lower(function, given)
    got = Program(lowered.as_text())(*bits)
    want = jax.tree_util.tree_leaves(lowered.compile()(*map(jnp.asarray, given)))
    assert len(got) == len(want)
    for g, w in zip(got, map(np.asarray, want), strict=True):
        if w.dtype == KINDS["bf16"]:
            g, w, tolerance = g.view(w.dtype).astype(np.float32), w.astype(np.float32), 2**-6
        else:
            tolerance = 2e-5
        if w.dtype.kind == "f":
            scale = max(1.0, float(np.max(np.abs(w[np.isfinite(w)]), initial=0)))
            np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance * scale)
        else:
            np.testing.assert_array_equal(g, w)


def cases(module, names, arrays, kinds="f32"):
    for name in names.split():
        for kind in kinds.split():
            yield pytest.param(getattr(module, name), arrays, kind, id=f"{name}-{kind}")


def written(kinds="f32", **functions):
    for name, (function, *arrays) in functions.items():
        for kind in kinds.split():
            yield pytest.param(function, arrays, kind, id=f"{name}-{kind}")


MATRIX = [real(4, 6)]
EVERY = "f32 bf16 i32"
FLOATS = "f32 bf16"

ALL = [
    *cases(jnp, "exp2 sinh arcsinh arctan trunc cbrt sinc nan_to_num isinf signbit", MATRIX),
    *cases(jnp, "exp tanh rint", MATRIX, FLOATS),
    *cases(jnp, "abs sign square", MATRIX, EVERY),
    *cases(jnp, "log2 log10 sqrt", [positive(3, 7)], FLOATS),
    *cases(jnp, "arcsin arccos arctanh", [unit(3, 7)]),
    *cases(jnp, "arctan2 hypot logaddexp copysign nextafter heaviside", [real(3, 7), real(3, 1)]),
    *cases(jnp, "add maximum less logical_and", [real(3, 7), real(7)], EVERY),
    *cases(jnp, "floor_divide remainder fmod divmod float_power", [positive(3, 7), positive(3, 7)]),
    *cases(jnp, "bitwise_xor", [real(3, 7), real(3, 7)], "i32"),
    *cases(jnp, "sum prod max any argmin mean cumsum argsort", MATRIX, EVERY),
    *cases(jnp, "argmax sort", MATRIX),
    *cases(jnp, "cumprod", MATRIX, "f32 i32"),
    *cases(jnp, "var std median nansum ptp diff", MATRIX),
    *cases(jnp, "tril trace rot90 diagonal", [real(5, 5)], "f32 i32"),
    *cases(jnp, "kron outer cross", [real(2, 3), real(2, 3)], "f32 i32"),
    *cases(nn, "softplus log_sigmoid elu selu mish glu logsumexp standardize hard_silu", MATRIX),
    *cases(nn, "silu gelu softmax log_softmax", MATRIX, FLOATS),
    *cases(sp, "gammaln expit log_ndtr i0e i1 entr spence", [positive(3, 7)]),
    *cases(sp, "erfinv logit ndtri", [np.abs(unit(3, 7)) * 0.9 + 0.05]),
    *cases(sp, "xlogy rel_entr betaln", [positive(3, 7), positive(3, 7)]),
    *cases(lax, "erf erfc digamma bessel_i1e rsqrt", [positive(3, 7)], FLOATS),
    *written(
        cummax=(lambda x: lax.cummax(x, axis=1), *MATRIX), cummin=(lambda x: lax.cummin(x, axis=0), *MATRIX),
        roll=(lambda x: jnp.roll(x, 2, 1), *MATRIX), pad=(lambda x: jnp.pad(x, ((1, 2), (0, 3)), constant_values=1), *MATRIX),
        reflect=(lambda x: jnp.pad(x, 1, mode="reflect"), *MATRIX), clip=(lambda x: jnp.clip(x, -1, 1), *MATRIX),
        take=(lambda x: jnp.take(x, jnp.array([0, 2, 5, 1]), axis=1), *MATRIX),
        put=(lambda x: x.at[jnp.array([1, 1]), jnp.array([0, 2])].add(3), *MATRIX),
        largest=(lambda x: lax.top_k(x, 3), *MATRIX), switch=(lambda x: lax.switch(1, [jnp.abs, jnp.negative], x), *MATRIX),
        scan=(lambda x: lax.scan(lambda c, t: (c + t, c * t), jnp.zeros(6, x.dtype), x), *MATRIX),
        keys=(lambda x, y: jnp.lexsort((x, jnp.round(y), -x)), real(40), real(40)),
        prefix=(lambda x: lax.associative_scan(jnp.add, x), real(8, 3)), matmul=(jnp.matmul, real(4, 6), real(6, 5)),
        kinds=EVERY,
    ),
    *written(
        far_pad=(lambda x: jnp.pad(x, 2, constant_values=123456789), *MATRIX),
        unique=(lambda x: jnp.unique(x, size=6), real(9)), bins=(lambda x: jnp.bincount(jnp.abs(x), length=10), real(20)),
        shifts=(lambda x: (x << 3, x >> 1), *MATRIX), overflow=(lambda x: jnp.cumsum(x * 200000000), real(30)),
        hot=(lambda x: nn.one_hot(jnp.abs(x), 8), real(7)), found=(lambda x: jnp.nonzero(x > 0, size=5)[0], real(9)),
        kinds="i32",
    ),
    *written(
        softmax_grad=(jax.grad(lambda x: (nn.softmax(x) ** 2).sum()), *MATRIX),
        gelu_grad=(jax.grad(lambda x: nn.gelu(x).sum()), *MATRIX),
        attention=(lambda q: nn.dot_product_attention(q, q * 2, q + 1, is_causal=True), real(1, 5, 2, 4)),
        convolution=(lambda x, w: lax.conv(x, w, (1, 1), "SAME"), real(1, 2, 6, 6), real(3, 2, 3, 3)),
        quantile=(lambda x: jnp.quantile(x, 0.7, axis=1), *MATRIX), interpolation=(
            lambda x: jnp.interp(x, jnp.array([-2.0, 0.0, 2.0]), jnp.array([1.0, 5.0, 2.0])), real(9)),
        polygamma=(lambda x: sp.polygamma(2, x), positive(9)), zeta=(lambda x: sp.zeta(x + 1.5, 1.0), positive(9)),
        modulus=(lambda x: jnp.abs(lax.complex(x, x + 1)), *MATRIX),
        spectrum=(lambda x: jnp.abs(jnp.fft.rfft(x)), real(8)), parts=(jnp.frexp, *MATRIX), search=(lambda x, y: jnp.searchsorted(jnp.sort(x), y), real(9), real(5)),
    ),
]


@pytest.mark.parametrize("function,arrays,kind", ALL)
def test_function(function, arrays, kind):
    check(function, arrays, kind)


REFUSED = [
    ("while", lambda x: lax.while_loop(lambda c: c.sum() < 50, lambda c: c + 1, x), real(4)),
    ("while", sp.exp1, positive(4)),
    ("custom_call", jnp.linalg.cholesky, np.eye(4)),
    ("reduce_window", lambda x: lax.cumlogsumexp(x, axis=0), real(9)),
]


@pytest.mark.parametrize("operation,function,array", REFUSED, ids=range(len(REFUSED)))
def test_refused(operation, function, array):
    """When one becomes supported, it moves to the list above."""
    with pytest.raises(Error, match=f"failed to legalize operation 'stablehlo.{operation}'"):
        program(function, inputs([array], "f32"))


def layer_norm(x, w, b):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * w + b


def layer_norm_by_variance(x, w, b):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(jnp.var(x, -1, keepdims=True) + 1e-5) * w + b


def rms_norm(x, w, b):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w * b


def wide_rms_norm(x, w, b):
    y = x.astype(jnp.float32)
    return (y * lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * w + b


@pytest.mark.parametrize("kind", ["f32", "bf16"])
@pytest.mark.parametrize("function", [layer_norm, layer_norm_by_variance, rms_norm, wide_rms_norm])
def test_norms(function, kind):
    """They run as one step each, whatever float type the mean is computed in."""
    arrays = [real(5, 48) + 0.5, positive(48), real(48)]
    check(function, arrays, kind)
    steps = program(function, inputs(arrays, kind)).steps()
    assert sum("norm" in s for s in steps) == 1 and len(steps) <= 5, steps


@pytest.mark.parametrize("window, strides, padding", [
    ((2, 1, 1, 1), (2, 1, 2, 1), None),
    ((2, 1, 1, 1), (2, 1, 2, 2), None),
    ((1, 1, 1, 1), (2, 2, 2, 1), None),
    ((1, 2, 2, 1), (1, 1, 1, 1), (1, 0, 0, 2)),
    ((1, 2, 2, 1), (1, 2, 1, 1), (0, -1, 0, 0)),
    ((1, 1, 3, 1), (1, 1, 1, 1), (0, 2, 0, 0)),
    ((2, 2, 2, 2), (1, 1, 1, 1), None),
])
@pytest.mark.parametrize("start, combine", [(0.0, lax.add), (-np.inf, lax.max)])
def test_windows_that_move_along_any_dimension(window, strides, padding, start, combine):
    pairs = [(p, 0) for p in padding] if padding else "VALID"
    check(lambda x: lax.reduce_window(x, start, combine, window, strides, pairs), [real(4, 5, 6, 3)], "f32")
