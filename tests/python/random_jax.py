"""Random programs of jax: chains of a few dozen kinds of functions on values of any shape, plain, as gradients or
mapped over an axis. The same seed gives the same program.

Each function below takes a maker and returns a value or None (nothing fits).
"""

import random

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax, nn

SIZES = (1, 2, 3, 4, 5, 8, 16, 33)
CAPACITY = 40000  # maximum number of elements of a value


def is_float(v):
    return jnp.issubdtype(v.dtype, jnp.floating)


def is_integer(v):
    return jnp.issubdtype(v.dtype, jnp.integer)


def is_number(v):
    return is_float(v) or is_integer(v)


def is_bool(v):
    return v.dtype == jnp.bool_


class Maker:
    """Draws from the values so far, preferring later ones."""

    def __init__(self, seed, values):
        self.draw, self.values = random.Random(seed), list(values)

    def pick(self, kind=lambda v: True, rank=0, most=CAPACITY):
        fitting = [v for v in self.values if v.ndim >= rank and 0 < v.size <= most and kind(v)]
        if not fitting:
            return None
        return self.draw.choice(fitting[-4:] if self.draw.random() < 0.7 else fitting)

    def axes(self, x):
        return tuple(self.draw.sample(range(x.ndim), self.draw.randrange(1, x.ndim + 1)))

    def partner(self, x):
        """A value of x's type that broadcasts with it."""
        for v in self.draw.sample(self.values, len(self.values)):
            try:
                if v.dtype == x.dtype and np.prod(np.broadcast_shapes(v.shape, x.shape)) <= CAPACITY:
                    return v
            except ValueError:
                pass
        return x


def cosines(n, dtype):
    return jnp.cos(jnp.arange(n, dtype=jnp.float32)).astype(dtype)


FUNCTIONS = {}


def function(weight, kind=lambda v: True, rank=0, most=CAPACITY):
    """A function of a maker and a value of some kind, drawn with this weight."""

    def add(f):
        FUNCTIONS[f.__name__] = (weight, lambda m: None if (x := m.pick(kind, rank, most)) is None else f(m, x))
        return f

    return add


ANYWHERE = [jnp.tanh, jnp.abs, jnp.negative, jnp.square, jnp.sin, jnp.cos, nn.sigmoid, nn.relu, nn.gelu, nn.silu, jnp.floor, jnp.ceil,
            jnp.sign, nn.softplus, jnp.round, nn.elu, nn.leaky_relu, nn.hard_tanh, nn.relu6, jnp.cbrt, lax.erf, jnp.isfinite]
POSITIVE = [lax.rsqrt, jnp.sqrt, jnp.log, jnp.log1p]
SMALL = [jnp.exp, jnp.expm1, jnp.sinh, jnp.cosh]


@function(6, is_float)
def unary(m, x):
    f = m.draw.choice(ANYWHERE + POSITIVE + SMALL)
    return f(jnp.abs(x) + jnp.asarray(0.5, x.dtype) if f in POSITIVE else jnp.clip(x, -4, 4) if f in SMALL else x)


@function(2, is_integer)
def integer(m, x):
    return m.draw.choice([jnp.abs, jnp.negative, jnp.invert, lambda v: v * 3 + 1, lambda v: v // 2, lambda v: v % 3,
                          lambda v: jnp.left_shift(v, 1), lambda v: jnp.right_shift(v, 1), lax.population_count, lax.clz, jnp.sign])(x)


@function(2, is_bool)
def of_booleans(m, x):
    return m.draw.choice([jnp.logical_not, lambda v: v.astype(jnp.float32), lambda v: v.astype(jnp.int32),
                          lambda v: jnp.any(v, axis=-1) if v.ndim else v, lambda v: jnp.all(v, axis=0) if v.ndim else v,
                          lambda v: jnp.logical_xor(v, jnp.flip(v)), lambda v: jnp.sum(v, dtype=jnp.int32)])(x)


@function(6, is_number)
def binary(m, x):
    y = m.partner(x)
    common = [jnp.add, jnp.subtract, jnp.multiply, jnp.maximum, jnp.minimum, jnp.less, jnp.equal, jnp.greater_equal]
    away = jnp.abs(y) + jnp.asarray(1, y.dtype)
    if is_integer(x):
        return m.draw.choice(common + [lambda a, b: lax.div(*jnp.broadcast_arrays(a, away)),
                                       lambda a, b: lax.rem(*jnp.broadcast_arrays(a, away))])(x, y)
    return m.draw.choice(common + [lambda a, b: a / away, lambda a, b: jnp.arctan2(a, away),
                                   lambda a, b: jnp.power(jnp.abs(a) + 0.25, jnp.clip(b, -2, 2))])(x, y)


@function(2, is_number)
def where(m, x):
    c = m.pick(is_bool)
    try:
        if c is None or np.prod(np.broadcast_shapes(c.shape, x.shape)) > CAPACITY:
            return None
    except ValueError:
        return None
    return jnp.where(c, x, m.draw.choice([jnp.zeros((), x.dtype), jnp.ones((), x.dtype), -x]))


@function(3)
def reshape(m, x):
    a = m.draw.choice([k for k in range(1, x.size + 1) if x.size % k == 0])
    rest = x.size // a
    b = m.draw.choice([k for k in range(1, rest + 1) if rest % k == 0])
    return jnp.reshape(x, m.draw.choice([(x.size,), (a, rest), (a, b, rest // b), (1, x.size), (x.size, 1), (a, 1, rest)]))


@function(3, rank=2)
def transpose(m, x):
    return jnp.transpose(x, m.draw.sample(range(x.ndim), x.ndim))


@function(3, rank=1)
def part(m, x):
    begins = [m.draw.randrange(d) for d in x.shape]
    return x[tuple(slice(a, m.draw.randrange(a + 1, d + 1), m.draw.choice([1, 1, 2])) for a, d in zip(begins, x.shape))]


@function(2, rank=1, most=20000)
def concatenate(m, x):
    axis = m.draw.randrange(x.ndim)
    return jnp.concatenate(m.draw.choice([[x, jnp.flip(x, axis)], [x, lax.slice_in_dim(x, 0, 1, axis=axis), x]]), axis=axis)


@function(2, is_number, rank=1, most=20000)
def pad(m, x):
    edges = [(m.draw.choice([0, 1, 2, -1]) if d > 2 else 1, m.draw.choice([0, 1, 3]), m.draw.choice([0, 0, 1])) for d in x.shape]
    return lax.pad(x, jnp.asarray(m.draw.choice([0, 1, -1]), x.dtype), edges)


@function(4, is_number, rank=1)
def reduction(m, x):
    f = m.draw.choice([jnp.sum, jnp.max, jnp.min, jnp.prod] + [jnp.mean, jnp.var] * int(is_float(x)))
    return f(jnp.clip(x, -1, 1) if f is jnp.prod else x, axis=m.axes(x), keepdims=m.draw.random() < 0.4)


@function(3, is_number, rank=1)
def along(m, x):
    axis, f = m.draw.randrange(x.ndim), x.astype(jnp.float32)
    return m.draw.choice([
        lambda: jnp.argmax(x, axis=axis).astype(jnp.int32), lambda: jnp.argmin(x, axis=axis).astype(jnp.int32),
        lambda: jnp.cumsum(x, axis=axis), lambda: lax.cummax(x, axis=axis), lambda: nn.softmax(f, axis=axis),
        lambda: nn.logsumexp(f, axis=axis), lambda: jnp.sort(x, axis=axis), lambda: jnp.argsort(x, axis=axis).astype(jnp.int32),
        lambda: lax.top_k(x, m.draw.randrange(1, x.shape[-1] + 1))[0],
        lambda: (f - f.mean(axis, keepdims=True)) * lax.rsqrt(f.var(axis, keepdims=True) + 1e-3)])()


@function(3, is_float, rank=1)
def product(m, x):
    axis, columns = m.draw.randrange(x.ndim), m.draw.choice([1, 3, 8])
    n = x.shape[axis]
    others = [v for v in m.values if v.dtype == x.dtype and n in v.shape and x.size * v.size // n < 10 * CAPACITY]
    if others and m.draw.random() < 0.3:
        y = m.draw.choice(others)
        return lax.dot_general(x, y, (((axis,), (y.shape.index(n),)), ((), ())))
    return lax.dot_general(x, cosines(n * columns, x.dtype).reshape(n, columns), (((axis,), (0,)), ((), ())))


@function(1, is_float, rank=3, most=20000)
def product_in_batches(m, x):
    return jnp.einsum("...ij,...kj->...ik", x, x) if m.draw.random() < 0.5 else jnp.matmul(x, jnp.swapaxes(x, -1, -2))


@function(2, is_number, rank=1)
def take(m, x):
    i, axis = m.pick(is_integer), m.draw.randrange(x.ndim)
    if i is None or i.size * x.size > 2 * CAPACITY or i.ndim + x.ndim > 5:
        return None
    return jnp.take(x, jnp.abs(i) % x.shape[axis], axis=axis)


@function(1, is_number, rank=1)
def put(m, x):
    i = m.pick(is_integer, most=64)
    return None if i is None else getattr(x.at[jnp.abs(i.reshape(-1)) % x.shape[0]], m.draw.choice(["add", "max", "min"]))(1)


@function(2, is_number, rank=1)
def dynamic(m, x):
    i = m.pick(is_integer)
    if i is None:
        return None
    begin, y = [i.reshape(-1)[0]] * x.ndim, [m.draw.randrange(1, d + 1) for d in x.shape]
    y = lax.dynamic_slice(x, begin, y)
    return y if m.draw.random() < 0.5 else lax.dynamic_update_slice(x, y + jnp.ones((), x.dtype), begin)


@function(2)
def cast(m, x):
    return x.astype(m.draw.choice([jnp.float32, jnp.bfloat16] + [jnp.int32] * (not is_float(x))))


@function(2, most=8000)
def broadcast(m, x):
    return jnp.broadcast_to(x, (m.draw.choice([1, 2, 3]), *x.shape))


@function(1, is_number, rank=1)
def positions(m, x):
    return x + lax.broadcasted_iota(x.dtype, x.shape, m.draw.randrange(x.ndim))


@function(1, is_float, rank=2)
def window(m, x):
    size = tuple(m.draw.choice([1, 2, 3]) for _ in x.shape)
    if any(a < b for a, b in zip(x.shape, size)):
        return None
    f, start = m.draw.choice([(lax.max, -jnp.inf), (lax.add, 0.0)])
    strides = tuple(m.draw.choice([1, 2]) for _ in size)
    return lax.reduce_window(x, jnp.asarray(start, x.dtype), f, size, strides, m.draw.choice(["VALID", "SAME"]))


@function(1, lambda v: is_float(v) and v.ndim == 4 and v.shape[2] >= 3 and v.shape[3] >= 5, most=20000)
def convolution(m, x):
    kernel = cosines(36 * x.shape[1], x.dtype).reshape(4, x.shape[1], 3, 3)
    return lax.conv_general_dilated(x, kernel, (m.draw.choice([1, 2]), 1), m.draw.choice([[(1, 1), (1, 1)], [(1, 1), (2, 0)]]),
                                    lhs_dilation=m.draw.choice([(1, 1), (2, 1)]), rhs_dilation=m.draw.choice([(1, 1), (1, 2)]))


@function(1, lambda v: is_float(v) and v.ndim >= 2 and v.shape[0] <= 8)
def scan(m, x):
    half = jnp.asarray(0.5, x.dtype)
    return lax.scan(lambda c, v: (c * half + v, c + v), jnp.zeros(x.shape[1:], x.dtype), x)[m.draw.randrange(2)]


@function(1, rank=1)
def reverse(m, x):
    return jnp.flip(x, m.draw.randrange(x.ndim))


def chain(seed, length):
    """A function of arrays: the last four of `length` values."""
    weights = [w for w, _ in FUNCTIONS.values()]

    def program(*arguments):
        m = Maker(seed, arguments)
        for _ in range(8 * length):
            if len(m.values) == len(arguments) + length:
                break
            v = m.draw.choices(list(FUNCTIONS.values()), weights)[0][1](m)
            if v is not None and 0 < v.size <= CAPACITY and v.ndim <= 5:
                m.values.append(v)
        return tuple(m.values[len(arguments):][-4:])

    return program


def arguments(draw, seed):
    rng = np.random.default_rng(seed)
    for _ in range(draw.choice([1, 2, 3])):
        x = rng.uniform(-2, 2, [draw.choice(SIZES) for _ in range(draw.choice([0, 1, 2, 2, 2, 3, 3, 4]))])
        yield np.asarray(draw.choice([x.astype(np.float32)] * 3 + [x.astype(ml_dtypes.bfloat16), np.round(x * 4).astype(np.int32), x > 0]))


def make(seed):
    """(a function, its arguments)"""
    draw = random.Random(seed)
    inputs = list(arguments(draw, seed))
    program = chain(draw.random(), draw.choice([2, 4, 6, 10, 16, 30]))
    form = draw.choice(["plain", "plain", "gradient", "mapped"])
    reals = tuple(i for i, x in enumerate(inputs) if x.dtype == np.float32)
    if form == "mapped" and inputs[0].size < 500:
        inputs[0] = np.stack([inputs[0], np.flip(inputs[0])])
        return jax.vmap(program, in_axes=(0,) + (None,) * (len(inputs) - 1)), inputs
    if form == "gradient" and reals:
        def loss(*xs):
            return sum((jnp.sum(v.astype(jnp.float32)) for v in program(*xs) if is_float(v)), 0.0)

        return jax.grad(loss, argnums=reals), inputs
    return program, inputs
