"""Rows for complex numbers, which the compiler lowers to pairs of reals.

Only operators of this table take or make complex tensors: their own rows here, and those that are the same for any
element type.
"""

import math

from .elementwise import to_out
from .rows import ROWS, Unsupported, dim_of, dims_of, element_of, find, shape_of

COMPLEX = "complex<f32>"

# Operators whose rows ignore element types, or use only the result's.
PLAIN = """view _unsafe_view reshape permute transpose.int t unsqueeze squeeze squeeze.dim squeeze.dims
expand clone contiguous alias detach lift_fresh_copy cat stack slice.Tensor select.int index_select flip
roll split.Tensor split_with_sizes flatten.using_ints unflatten.int matmul mm bmm dot einsum where.self
sum sum.dim_IntList neg repeat unbind.int chunk narrow movedim.intlist movedim.int _reshape_alias
constant_pad_nd index.Tensor""".split()
ALLOWED = {find(name) for name in PLAIN} - {None}
TABLE = {}


def complex_row(*names):
    """A row for complex operands or results; for others the operator keeps its usual row."""

    def register(function):
        for name in names:
            overload = find(name)
            if overload is not None:
                TABLE[overload] = function
                ROWS.setdefault(overload, function)
        return function

    return register


def row_of(target, any_complex):
    """The row for a node; raises for an operator that does not support complex numbers."""
    if not any_complex:
        return ROWS.get(target)
    function = TABLE.get(target) or (ROWS.get(target) if target in ALLOWED else None)
    if function is None and target in ROWS:
        raise Unsupported("complex tensors are not supported here")
    return function


# -- parts ----------------------------------------------------------------------------------


def join(b, re, im):
    return b.op("stablehlo.complex", (re, im), re.shape, COMPLEX)


def part(b, name, z):
    return b.op(f"stablehlo.{name}", (z,), z.shape, "f32")


def parts(b, z):
    return part(b, "real", z), part(b, "imag", z)


def to_complex(b, out, x):
    """An operand (complex, real or a number) with the result's shape."""
    shape = shape_of(out)
    if not hasattr(x, "element"):
        z = complex(x)
        return join(b, b.splat(z.real, shape, "f32"), b.splat(z.imag, shape, "f32"))
    if x.element != COMPLEX:
        x = b.convert(x, "f32")
        x = join(b, x, b.splat(0, x.shape, "f32"))
    return b.broadcast(x, shape)


@complex_row("view_as_real", "view_as_real_copy")
def view_as_real(b, out, z):
    return b.concat([b.reshape(p, p.shape + (1,)) for p in parts(b, z)], z.rank)


@complex_row("view_as_complex", "view_as_complex_copy")
def view_as_complex(b, out, x):
    re, im = (b.reshape(b.slice_dim(x, x.rank - 1, i, i + 1), x.shape[:-1]) for i in range(2))
    return join(b, re, im)


@complex_row("complex")
def from_parts(b, out, re, im):
    return join(b, *(b.broadcast(p, shape_of(out)) for p in (re, im)))


@complex_row("polar")
def polar(b, out, size, angle):
    size, angle = (b.broadcast(p, shape_of(out)) for p in (size, angle))
    return join(b, b.mul(size, b.unary("cosine", angle)), b.mul(size, b.unary("sine", angle)))


@complex_row("real")
def real(b, out, z):
    return part(b, "real", z) if z.element == COMPLEX else z


@complex_row("imag")
def imag(b, out, z):
    return part(b, "imag", z)


@complex_row("abs")
def absolute(b, out, z):
    return b.op("stablehlo.abs", (z,), z.shape, "f32")


@complex_row("angle")
def angle(b, out, z):
    re, im = parts(b, z)
    return b.binary("atan2", im, re)


@complex_row("_conj", "_conj_physical", "conj", "conj_physical")
def conjugate(b, out, z):
    re, im = parts(b, z)
    return join(b, re, b.unary("negate", im))


@complex_row("resolve_conj", "resolve_neg")
def same(b, out, z):
    return z


# -- arithmetic -----------------------------------------------------------------------------

for name, operation in {
    "mul.Tensor": "multiply", "mul.Scalar": "multiply", "div.Tensor": "divide", "div.Scalar": "divide",
}.items():

    def two(b, out, x, y, operation=operation):
        return b.binary(operation, to_complex(b, out, x), to_complex(b, out, y))

    complex_row(name)(two)

for name, operation in {
    "add.Tensor": "add", "add.Scalar": "add", "sub.Tensor": "subtract", "sub.Scalar": "subtract",
}.items():

    def scaled(b, out, x, y, alpha=1, operation=operation):
        y = to_complex(b, out, y)
        if alpha != 1:
            y = b.binary("multiply", y, to_complex(b, out, alpha))
        return b.binary(operation, to_complex(b, out, x), y)

    complex_row(name)(scaled)

for name, operation in {
    "exp": "exponential", "log": "log", "sqrt": "sqrt", "sin": "sine", "cos": "cosine", "tanh": "tanh",
    "rsqrt": "rsqrt", "expm1": "exponential_minus_one", "log1p": "log_plus_one",
}.items():

    def one(b, out, x, operation=operation):
        return b.unary(operation, to_complex(b, out, x))

    complex_row(name)(one)


@complex_row("reciprocal")
def reciprocal(b, out, x):
    return b.binary("divide", to_complex(b, out, 1), x)


@complex_row("to.dtype", "_to_copy", "to.dtype_layout")
def convert(b, out, x, *_, **__):
    if element_of(out) == COMPLEX:
        return to_complex(b, out, x)
    return to_out(b, out, part(b, "real", x))


# -- Fourier transforms -----------------------------------------------------------------------


def transform(b, x, dim, kind, length, size, element):
    """Transforms one dimension: `length` points, `size` of them in the result."""
    order = [d for d in range(x.rank) if d != dim] + [dim]
    back = [order.index(d) for d in range(x.rank)]
    y = b.transpose(x, order)
    shape = y.shape[:-1] + (size,)
    y = b.op("stablehlo.fft", (y,), shape, element, {"fft_type": f"#stablehlo<fft_type {kind}>", "fft_length": [int(length)]})
    return b.transpose(y, back)


def scaled_by(b, x, dims, sizes, normalization, inverse):
    """Applies torch's scale (0: none, 1: the root of the number of points, 2: their number); an inverse transform has
    divided by it."""
    points = math.prod(sizes)
    factor = {0: 1.0, 1: 1 / math.sqrt(points), 2: 1 / points}[int(normalization)]
    factor *= points if inverse else 1
    if factor == 1:
        return x
    scale = b.splat(factor, x.shape, "f32")
    if x.element != COMPLEX:
        return b.mul(x, scale)
    re, im = parts(b, x)
    return join(b, b.mul(re, scale), b.mul(im, scale))


@complex_row("_fft_c2c")
def fft(b, out, x, dims, normalization, forward):
    dims = [dim_of(d, x.rank) for d in dims]
    sizes = [x.shape[d] for d in dims]
    for d in dims:
        x = transform(b, x, d, "FFT" if forward else "IFFT", x.shape[d], x.shape[d], COMPLEX)
    return scaled_by(b, x, dims, sizes, normalization, not forward)


@complex_row("_fft_r2c")
def rfft(b, out, x, dims, normalization, onesided):
    dims = [dim_of(d, x.rank) for d in dims]
    sizes = [x.shape[d] for d in dims]
    if onesided:
        last = dims.pop()
        x = transform(b, x, last, "RFFT", x.shape[last], x.shape[last] // 2 + 1, COMPLEX)
    else:
        x = join(b, x, b.splat(0, x.shape, "f32"))
    for d in dims:
        x = transform(b, x, d, "FFT", x.shape[d], x.shape[d], COMPLEX)
    return scaled_by(b, x, dims, sizes, normalization, False)


@complex_row("_fft_c2r")
def irfft(b, out, x, dims, normalization, last_dim_size):
    *rest, last = [dim_of(d, x.rank) for d in dims]
    sizes = [x.shape[d] for d in rest] + [last_dim_size]
    for d in rest:
        x = transform(b, x, d, "IFFT", x.shape[d], x.shape[d], COMPLEX)
    x = b.slice_dim(x, last, 0, last_dim_size // 2 + 1)
    x = transform(b, x, last, "IRFFT", last_dim_size, last_dim_size, "f32")
    return scaled_by(b, x, dims, sizes, normalization, True)


# torch's own decompositions of its FFTs end in primitives without a scale.
@complex_row("prims.fft_c2c")
def fft_plain(b, out, x, *, dim, forward):
    return fft(b, out, x, dim, 0, forward)


@complex_row("prims.fft_r2c")
def rfft_plain(b, out, x, *, dim, onesided):
    return rfft(b, out, x, dim, 0, onesided)


@complex_row("prims.fft_c2r")
def irfft_plain(b, out, x, *, dim, last_dim_size):
    return irfft(b, out, x, dim, 0, last_dim_size)


@complex_row("mean", "mean.dim")
def mean(b, out, x, dims=None, keepdim=False, dtype=None):
    dims = dims_of(dims, x.rank)
    total = b.reduce("add", x, dims, 0, keepdim)
    return b.binary("divide", total, to_complex(b, out, math.prod(x.shape[d] for d in dims)))
