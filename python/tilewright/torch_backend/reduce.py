"""Rows that reduce dimensions: sums, extremes, statistics, softmax, cumulative and ordering ones."""

import math

import torch

from .rows import Unsupported, dim_of, dims_of, element_of, row, shape_of
from .shape import numel
from .build import TORCH_TYPE, highest, is_float, lowest


def count(shape, dims):
    return numel([shape[d] for d in dims])


@row("sum", "sum.dim_IntList")
def sum_(b, out, x, dims=None, keepdim=False, dtype=None):
    x = b.convert(x, element_of(out))
    return b.reduce("add", x, dims_of(dims, x.rank), 0, keepdim)


def mean_of(b, x, dims, keep):
    return b.div(b.reduce("add", x, dims, 0, keep), count(x.shape, dims))


@row("mean", "mean.dim")
def mean(b, out, x, dims=None, keepdim=False, dtype=None):
    x = b.convert(x, element_of(out))
    return mean_of(b, x, dims_of(dims, x.rank), keepdim)


# The number of factors of a type whose product fits 32 bits; int64 holds sizes, which are small.
FACTORS = {"i8": 4, "ui8": 3, "i16": 2, "i32": 1, "i64": 3}


def demand_short_product(out, x, factors):
    """Products of integers soon exceed 32 bits."""
    if element_of(out) == "i64" and factors > FACTORS.get(x.element, factors):
        raise Unsupported("the product of that many integers may not fit the device's 32 bits")


@row("prod", "prod.dim_int")
def prod(b, out, x, dim=None, keepdim=False, dtype=None):
    demand_short_product(out, x, count(x.shape, dims_of(dim, x.rank)))
    x = b.convert(x, element_of(out))
    return b.reduce("multiply", x, dims_of(dim, x.rank), 1, keepdim)


@row("amax")
def amax(b, out, x, dims=(), keepdim=False):
    return b.reduce("maximum", x, dims_of(dims, x.rank), lowest(x.element), keepdim)


@row("amin")
def amin(b, out, x, dims=(), keepdim=False):
    return b.reduce("minimum", x, dims_of(dims, x.rank), highest(x.element), keepdim)


@row("max")
def max_(b, out, x):
    return amax(b, out, x)


@row("min")
def min_(b, out, x):
    return amin(b, out, x)


@row("any", "any.dim", "any.dims")
def any_(b, out, x, dims=None, keepdim=False):
    x = b.convert(x, "i1")
    return b.convert(b.reduce("or", x, dims_of(dims, x.rank), 0, keepdim), element_of(out))


@row("all", "all.dim", "all.dims")
def all_(b, out, x, dims=None, keepdim=False):
    x = b.convert(x, "i1")
    return b.convert(b.reduce("and", x, dims_of(dims, x.rank), 1, keepdim), element_of(out))


def wide(b, x):
    """The values of f16 in f32, where sums and powers of them do not overflow; other types as they are."""
    return b.convert(x, "f32") if x.element == "f16" else x


def variance(b, x, dims, correction, keep):
    value, mean = wide_variance(b, wide(b, x), dims, correction, keep)
    return b.convert(value, x.element), b.convert(mean, x.element)


def deviation(b, x, dims, correction, keep):
    value, mean = wide_variance(b, wide(b, x), dims, correction, keep)
    return b.convert(b.unary("sqrt", value), x.element), b.convert(mean, x.element)


def wide_variance(b, x, dims, correction, keep):
    dims = dims_of(dims, x.rank)
    rest = [d for d in range(x.rank) if d not in dims]
    mean = mean_of(b, x, dims, False)
    centred = b.sub(x, b.broadcast_in_dim(mean, x.shape, rest))
    total = b.reduce("add", b.mul(centred, centred), dims, 0, keep)
    mean = b.reshape(mean, total.shape)
    return b.div(total, max(count(x.shape, dims) - correction, 0)), mean


@row("var.correction")
def var(b, out, x, dim=None, correction=1, keepdim=False):
    return variance(b, x, dim, 1 if correction is None else correction, keepdim)[0]


@row("var", "var.dim")
def var_dim(b, out, x, dim=None, unbiased=True, keepdim=False):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return variance(b, x, dim, int(unbiased), keepdim)[0]


@row("std.correction")
def std(b, out, x, dim=None, correction=1, keepdim=False):
    return deviation(b, x, dim, 1 if correction is None else correction, keepdim)[0]


@row("std", "std.dim")
def std_dim(b, out, x, dim=None, unbiased=True, keepdim=False):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return deviation(b, x, dim, int(unbiased), keepdim)[0]


@row("var_mean.correction")
def var_mean(b, out, x, dim=None, correction=1, keepdim=False):
    return variance(b, x, dim, 1 if correction is None else correction, keepdim)


@row("var_mean", "var_mean.dim")
def var_mean_dim(b, out, x, dim=None, unbiased=True, keepdim=False):
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return variance(b, x, dim, int(unbiased), keepdim)


@row("std_mean.correction")
def std_mean(b, out, x, dim=None, correction=1, keepdim=False):
    return deviation(b, x, dim, 1 if correction is None else correction, keepdim)


@row("norm.ScalarOpt_dim", "linalg_vector_norm")
def vector_norm(b, out, x, order=2, dims=None, keepdim=False, dtype=None):
    x = wide(b, b.convert(x, element_of(out)))
    return b.convert(norm_of(b, x, 2 if order is None else order, dims_of(dims, x.rank), keepdim), element_of(out))


def norm_of(b, x, order, dims, keepdim):
    size = b.unary("abs", x)
    if order == 2:
        return b.unary("sqrt", b.reduce("add", b.mul(x, x), dims, 0, keepdim))
    if order == 1:
        return b.reduce("add", size, dims, 0, keepdim)
    if order == math.inf:
        return b.reduce("maximum", size, dims, -math.inf, keepdim)
    if order == -math.inf:
        return b.reduce("minimum", size, dims, math.inf, keepdim)
    if order == 0:
        nonzero = b.convert(b.convert(x, "i1"), x.element)
        return b.reduce("add", nonzero, dims, 0, keepdim)
    total = b.reduce("add", b.binary("power", size, b.like(order, size)), dims, 0, keepdim)
    return b.binary("power", total, b.like(1 / order, total))


# -- softmax: written as the pattern that the compiler fuses ---------------------------------


def softmax_of(b, x, dim):
    top = b.keep_dims(b.reduce("maximum", x, [dim], -math.inf), x.shape, [dim])
    powers = b.unary("exponential", b.binary("subtract", x, top))
    total = b.keep_dims(b.reduce("add", powers, [dim], 0), x.shape, [dim])
    return b.binary("divide", powers, total)


@row("softmax.int", "_softmax", "special_softmax")
def softmax(b, out, x, dim, *_, **__):
    x = b.convert(x, element_of(out))
    return softmax_of(b, x, dim_of(dim, x.rank)) if x.rank else b.splat(1, (), x.element)


@row("_safe_softmax")
def safe_softmax(b, out, x, dim, dtype=None):
    x = b.convert(x, element_of(out))
    return visible_softmax(b, x, dim_of(dim, x.rank))


def visible_softmax(b, x, dim):
    """Rows that are all minus infinity give zeros instead of NaN."""
    top = b.reduce("maximum", x, [dim], -math.inf)
    dead = b.compare("EQ", top, b.splat(-math.inf, top.shape, top.element))
    dead = b.keep_dims(dead, x.shape, [dim])
    return b.select(dead, b.splat(0, x.shape, x.element), softmax_of(b, x, dim))


@row("log_softmax.int", "_log_softmax", "special_log_softmax")
def log_softmax(b, out, x, dim, *_, **__):
    x = b.convert(x, element_of(out))
    if not x.rank:
        return b.splat(0, (), x.element)
    dim = dim_of(dim, x.rank)
    top = b.keep_dims(b.reduce("maximum", x, [dim], -math.inf), x.shape, [dim])
    shifted = b.binary("subtract", x, top)
    total = b.reduce("add", b.unary("exponential", shifted), [dim], 0)
    return b.binary("subtract", shifted, b.keep_dims(b.unary("log", total), x.shape, [dim]))


@row("logsumexp")
def logsumexp(b, out, x, dims, keepdim=False):
    x = b.convert(x, element_of(out))
    dims = dims_of(dims, x.rank)
    rest = [d for d in range(x.rank) if d not in dims]
    top = b.reduce("maximum", x, dims, -math.inf)
    # An infinite maximum would give inf - inf below; torch shifts such rows by zero.
    finite = b.compare("LT", b.unary("abs", top), b.splat(math.inf, top.shape, top.element))
    top = b.select(finite, top, b.splat(0, top.shape, top.element))
    powers = b.unary("exponential", b.sub(x, b.broadcast_in_dim(top, x.shape, rest)))
    total = b.add(b.unary("log", b.reduce("add", powers, dims, 0)), top)
    return b.reshape(total, shape_of(out))


# -- cumulative ------------------------------------------------------------------------------


def cumulative(operation, neutral):
    def scan(b, out, source, dim, dtype=None):
        x = b.convert(source, element_of(out))
        if not x.rank:
            return x
        dim = dim_of(dim, x.rank)
        size = x.shape[dim]
        if operation == "multiply":
            demand_short_product(out, source, size)
        if not size:
            return x
        window, low = [1] * x.rank, [0] * x.rank
        window[dim], low[dim] = size, size - 1
        return b.reduce_window(operation, x, neutral, window, [1] * x.rank, low, [0] * x.rank)

    return scan


row("cumsum")(cumulative("add", 0))
row("cumprod")(cumulative("multiply", 1))


# -- indices and order ------------------------------------------------------------------------


def extreme_position(b, x, dim, keep, largest):
    """The first index of the largest (or smallest) element along `dim`, as i32."""
    shape = [n for d, n in enumerate(x.shape) if d != dim]

    def better(c, x, i, y, j):
        kind = "FLOAT" if is_float(x.element) else "SIGNED"
        greater, same = c.compare("GT", x, y, kind), c.compare("EQ", x, y, kind)
        tie = c.binary("and", same, c.compare("LT", i, j))
        keep = c.binary("or", greater, tie)
        return [c.select(greater, x, y), c.select(keep, i, j)]

    def decomposition(c, y):
        init = c.scalar(lowest(y.element), y.element)
        zero, positions = c.scalar(0, "i32"), c.iota(y.shape, dim, "i32")
        body = c.region((y.element, "i32", y.element, "i32"), better)
        positions = c.op_many("stablehlo.reduce", (y, positions, init, zero), [(shape, y.element), (shape, "i32")],
                              {"dimensions": [dim]}, (body,))[1]
        return c.reshape(positions, [1 if d == dim else n for d, n in enumerate(y.shape)]) if keep else positions

    if not largest:
        # The minimum is the maximum of the reversed order; ~x never overflows, -x may.
        x = b.unary("negate" if is_float(x.element) else "not", x)
    attributes = {"dim": f"{dim} : i64", "keepdim": "true" if keep else "false"}
    return b.composite("tenstorrent.argmax", [x], attributes, decomposition)


def position(largest):
    def find(b, out, x, dim=None, keepdim=False):
        if dim is None or not x.rank:
            x, dim = b.reshape(x, (numel(x.shape),)), 0
            where = extreme_position(b, x, 0, False, largest)
        else:
            where = extreme_position(b, x, dim_of(dim, x.rank), keepdim, largest)
        return b.reshape(b.convert(where, "i64"), shape_of(out))

    return find


row("argmax")(position(True))
row("argmin")(position(False))


def extreme_with_position(largest):
    def find(b, out, x, dim, keepdim=False):
        if not x.rank:
            return x, b.splat(0, (), "i64")
        dim = dim_of(dim, x.rank)
        name, init = ("maximum", lowest) if largest else ("minimum", highest)
        values = b.reduce(name, x, [dim], init(x.element), keepdim)
        return values, b.convert(extreme_position(b, x, dim, keepdim, largest), "i64")

    return find


row("max.dim")(extreme_with_position(True))
row("min.dim")(extreme_with_position(False))


@row("sort", "sort.stable")
def sort(b, out, x, *arguments, stable=False, dim=-1, descending=False):
    arguments = [a for a in arguments]
    if arguments:
        dim = arguments[0]
    if len(arguments) > 1:
        descending = arguments[1]
    if not x.rank:
        return x, b.splat(0, (), "i64")
    dim = dim_of(dim, x.rank)
    values, positions = b.sort(x, b.iota(x.shape, dim, "i32"), dim, descending)
    return values, b.convert(positions, "i64")


@row("argsort", "argsort.stable")
def argsort(b, out, x, dim=-1, descending=False, stable=False):
    return sort(b, out, x, dim, descending)[1]


@row("topk")
def topk(b, out, x, k, dim=-1, largest=True, sorted=True):
    if not x.rank:
        return x, b.splat(0, (), "i64")
    dim = dim_of(dim, x.rank)

    def decomposition(c, y):
        values, positions = c.sort(y, c.iota(y.shape, dim, "i32"), dim, largest)
        return c.slice_dim(values, dim, 0, k), c.slice_dim(positions, dim, 0, k)

    attributes = {
        "k": f"{k} : i64",
        "dim": f"{dim} : i64",
        "largest": "true" if largest else "false",
        "sorted": "true" if sorted else "false",
    }
    values, positions = b.composite("tenstorrent.topk", [x], attributes, decomposition)
    return values, b.convert(positions, "i64")
