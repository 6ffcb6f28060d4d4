"""Rows for torch's primitive operations, which its decompositions use."""

from . import elementwise, reduce, shape
from .rows import ROWS, find, row, shape_of

# Same meaning, same arguments: primitive -> ATen operator whose row implements it.
SAME = {name: name for name in """abs acos acosh asin asinh atan atanh atan2 cos cosh ceil erf erfc exp expm1
exp2 floor isfinite log log1p log2 log10 neg reciprocal round rsqrt sign signbit sin sinh sqrt tan tanh trunc
bitwise_not hypot lgamma digamma amax amin""".split()}
SAME |= {
    "add": "add.Tensor",
    "sub": "sub.Tensor",
    "mul": "mul.Tensor",
    "maximum": "maximum",
    "minimum": "minimum",
    "pow": "pow.Tensor_Tensor",
    "fmod": "fmod.Tensor",
    "remainder": "remainder.Tensor",
    "bitwise_and": "bitwise_and.Tensor",
    "bitwise_or": "bitwise_or.Tensor",
    "bitwise_xor": "bitwise_xor.Tensor",
    "shift_left": "bitwise_left_shift.Tensor",
    "shift_right_arithmetic": "bitwise_right_shift.Tensor",
    "eq": "eq.Tensor",
    "ne": "ne.Tensor",
    "lt": "lt.Tensor",
    "le": "le.Tensor",
    "gt": "gt.Tensor",
    "ge": "ge.Tensor",
    "where": "where.self",
    "sum": "sum.dim_IntList",
    "transpose": "permute",
    "rev": "flip",
    "view_of": "alias",
    "clone": "clone",
    "convert_element_type": "to.dtype",
}

for name, operator in SAME.items():
    served = ROWS.get(find(operator))
    if served is not None:
        row("prims." + name)(served)


@row("prims.fma")
def fma(b, out, x, y, z):
    x, y, z = (elementwise.to_out(b, out, v) for v in (x, y, z))
    return b.add(b.mul(x, y), z)


@row("prims.div")
def div(b, out, x, y):
    """The quotient, rounded toward zero for integers, as StableHLO's."""
    return b.binary("divide", elementwise.to_out(b, out, x), elementwise.to_out(b, out, y))


@row("prims.broadcast_in_dim")
def broadcast_in_dim(b, out, x, target, dims):
    return b.broadcast_in_dim(x, shape_of(out), dims)


@row("prims.reshape", "prims.collapse_view", "prims.split_dim", "prims.squeeze")
def reshape(b, out, x, *_):
    return shape.reshape(b, out, x)


@row("prims.slice")
def slice_(b, out, x, starts, limits, strides=None):
    return b.slice(x, starts, limits, strides)


@row("prims.slice_in_dim")
def slice_in_dim(b, out, x, start, limit, stride=1, axis=0):
    return b.slice_dim(x, axis, start, limit, stride)


@row("prims.cat")
def cat(b, out, xs, dim):
    return b.concat(xs, dim)


@row("prims.var")
def var(b, out, x, dims, correction=1, output_dtype=None):
    return reduce.variance(b, x, dims, correction, False)[0]


@row("prims.prod")
def prod(b, out, x, dims, output_dtype=None):
    return b.reduce("multiply", x, dims, 1)


@row("prims.iota")
def iota(b, out, length, *, start, step, **_):
    return shape.arange(b, out, start, start + step * length, step)


@row("prims.empty", "prims.empty_strided", "prims.empty_permuted")
def empty(b, out, *_, **__):
    return shape.zeros(b, out)


@row("prims.full", "prims.full_like")
def full(b, out, _, value, **__):
    return shape.full(b, out, value)


@row("prims.scalar_tensor")
def scalar_tensor(b, out, value, **_):
    return shape.full(b, out, value)
