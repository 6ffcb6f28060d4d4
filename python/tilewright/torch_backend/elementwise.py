"""Rows for element-wise operations: arithmetic, comparison, logic, activation functions."""

import functools
import math

import torch

from .._engine import core
from .rows import element_of, row, shape_of
from .build import Unsupported, Value, is_float, mlir_type, string

# Those that leave integers as they are.
ROUNDING = {"ceil": "ceil", "floor": "floor", "sgn": "sign", "sign": "sign"}

BINARY = {
    "fmod.Tensor": "remainder",
    "fmod.Scalar": "remainder",
    "bitwise_and.Tensor": "and",
    "bitwise_and.Scalar": "and",
    "bitwise_or.Tensor": "or",
    "bitwise_or.Scalar": "or",
    "bitwise_xor.Tensor": "xor",
    "bitwise_xor.Scalar": "xor",
    "__and__.Tensor": "and",
    "__or__.Tensor": "or",
    "__xor__.Tensor": "xor",
    "bitwise_left_shift.Tensor": "shift_left",
    "bitwise_right_shift.Tensor": "shift_right_arithmetic",
    "__lshift__.Tensor": "shift_left",
    "__rshift__.Tensor": "shift_right_arithmetic",
    "__lshift__.Scalar": "shift_left",
    "__rshift__.Scalar": "shift_right_arithmetic",
}

COMPARE = {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}


def to_out(b, out, x):
    return b.lift(x, shape_of(out), element_of(out))


def elementwise_row(name, form, source):
    """The row of an operation of the C tables (src/ttnn/elementwise.def, TTIR_ATEN in src/ttir/ttir.def): by its
    operation of StableHLO or CHLO, or by a custom call where there is none."""
    dialect, _, operation = source.partition(".")
    if dialect == "chlo":
        return functools.partial(function_of, operation)
    if not source:
        return functools.partial(call_of, f"tt.{name}", form)
    if form == "BINARY":
        return binary_row(operation)
    return lambda b, out, x: b.unary(operation, to_out(b, out, x))


def function_of(name, b, out, *operands):
    return b.function(name, *(to_out(b, out, x) for x in operands))


def call_of(target, form, b, out, *operands):
    """A custom call, which becomes the operation of TTIR; only those of elements broadcast their operands."""
    if form == "CALL":
        operands = [b.convert(x, element_of(out)) for x in operands]
    else:
        operands = [to_out(b, out, x) for x in operands]
    return b.op("stablehlo.custom_call", operands, shape_of(out), element_of(out), {"call_target_name": string(target)})


def binary_row(operation):
    def binary(b, out, x, y):
        if operation == "shift_left" and element_of(out) == "i64" and isinstance(y, Value):
            raise Unsupported("what is shifted may not fit the device's 32 bits")
        # StableHLO's arithmetic shift copies the highest bit of unsigned integers, too; torch's does not.
        unsigned = operation == "shift_right_arithmetic" and element_of(out).startswith("ui")
        y = divisor(b, out, y) if operation == "remainder" else to_out(b, out, y)
        logical = element_of(out) == "i1" and operation == "multiply"
        return b.binary("and" if logical else "shift_right_logical" if unsigned else operation, to_out(b, out, x), y)

    return binary


def fill_table():
    for name, form, source, operators in core().operators():
        row(*operators.split())(elementwise_row(name, form, source))
    for name, operation in ROUNDING.items():

        def rounding(b, out, x, operation=operation):
            if not is_float(x.element) and operation != "sign":
                return x
            if x.element in ("i1", "ui8"):
                return b.convert(b.convert(x, "i1"), x.element)
            y = b.unary(operation, x)
            if operation == "sign" and is_float(x.element):
                # torch gives NaN the sign 0.
                y = b.select(b.compare("EQ", x, x), y, b.splat(0, x.shape, x.element))
            return y

        row(name)(rounding)
    for name, operation in BINARY.items():
        row(name)(binary_row(operation))
    for name, direction in COMPARE.items():

        def comparison(b, out, x, y, direction=direction):
            x, y = common(b, out, x, y)
            return b.compare(direction, x, y)

        row(f"{name}.Tensor", f"{name}.Scalar")(comparison)


def common(b, out, x, y):
    """Both operands in torch's common type and the result's shape.

    Only the category of a number, or of a rank-0 tensor, takes part in torch's promotion."""

    def sample(v):
        return torch.empty((1,) * v.rank, dtype=torch_type(v)) if isinstance(v, Value) else v

    element = mlir_type(torch.result_type(sample(x), sample(y)))
    shape = shape_of(out)
    return b.lift(x, shape, element), b.lift(y, shape, element)


def torch_type(value):
    from .build import TORCH_TYPE

    return TORCH_TYPE[value.element]


fill_table()


# -- arithmetic -----------------------------------------------------------------------------


@row("add.Tensor", "add.Scalar")
def add(b, out, x, y, alpha=1):
    x, y = to_out(b, out, x), to_out(b, out, y)
    if element_of(out) == "i1":
        return b.binary("or", x, y)
    return b.binary("add", x, y if alpha == 1 else b.mul(y, alpha))


@row("sub.Tensor", "sub.Scalar")
def sub(b, out, x, y, alpha=1):
    x, y = to_out(b, out, x), to_out(b, out, y)
    return b.binary("subtract", x, y if alpha == 1 else b.mul(y, alpha))


@row("rsub.Tensor", "rsub.Scalar")
def rsub(b, out, x, y, alpha=1):
    return sub(b, out, y, x, alpha)


@row("div.Tensor_mode", "div.Scalar_mode")
def div_mode(b, out, x, y, rounding_mode=None):
    x, y = to_out(b, out, x), divisor(b, out, y)
    if rounding_mode == "floor":
        return floor_quotient(b, x, y)
    quotient = b.binary("divide", x, y)
    if rounding_mode is None or not is_float(x.element):
        return quotient
    return toward_zero(b, quotient)


@row("floor_divide", "floor_divide.Scalar")
def floor_divide(b, out, x, y):
    return floor_quotient(b, to_out(b, out, x), divisor(b, out, y))


def divisor(b, out, y):
    """torch divides no integer by zero."""
    if not isinstance(y, Value) and y == 0 and not is_float(element_of(out)):
        raise Unsupported("integers divided by zero")
    return to_out(b, out, y)


def floor_quotient(b, x, y):
    """Round toward minus infinity; integers are corrected where the signs differ."""
    if is_float(x.element):
        # Exact in the remainder first, as torch does: (x - x mod y) / y.
        rest = b.binary("remainder", x, y)
        whole = nearest_even(b, b.div(b.sub(x, rest), y))
        whole = b.select(crosses(b, rest, y), b.sub(whole, 1), whole)
        zero = b.splat(0, y.shape, y.element)
        return b.select(b.compare("EQ", y, zero), b.div(x, y), whole)
    quotient = b.binary("divide", x, y)
    rest = b.binary("remainder", x, y)
    return b.select(crosses(b, rest, y), b.sub(quotient, 1), quotient)


def crosses(b, rest, y):
    """Whether a remainder with the dividend's sign is of the other sign than the divisor."""
    zero = b.splat(0, rest.shape, rest.element)
    inexact = b.compare("NE", rest, zero)
    opposite = b.binary("xor", b.compare("LT", rest, zero), b.compare("LT", y, zero))
    return b.binary("and", inexact, opposite)


def python_remainder(b, x, y):
    rest = b.binary("remainder", x, y)
    return b.select(crosses(b, rest, y), b.add(rest, y), rest)


@row("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def remainder(b, out, x, y):
    return python_remainder(b, to_out(b, out, x), divisor(b, out, y))


@row("pow.Tensor_Tensor", "pow.Scalar")
def power(b, out, x, y):
    return b.binary("power", to_out(b, out, x), to_out(b, out, y))


@row("pow.Tensor_Scalar")
def power_number(b, out, x, exponent):
    x = to_out(b, out, x)
    if exponent == 2:
        return b.mul(x, x)
    if exponent == 3:
        return b.mul(b.mul(x, x), x)
    if exponent == 1:
        return x
    if is_float(x.element):
        if exponent == 0.5:
            return b.unary("sqrt", x)
        if exponent == -0.5:
            return b.unary("rsqrt", x)
        if exponent == -1:
            return b.div(b.splat(1, x.shape, x.element), x)
    return b.binary("power", x, b.like(exponent, x))


@row("square")
def square(b, out, x):
    x = to_out(b, out, x)
    return b.mul(x, x)


@row("angle")
def angle(b, out, x):
    """Of real numbers: pi for those below zero."""
    x = to_out(b, out, x)
    below = b.compare("LT", x, b.splat(0.0, x.shape, x.element))
    straight = b.select(below, b.splat(math.pi, x.shape, x.element), b.splat(0.0, x.shape, x.element))
    return b.select(b.compare("EQ", x, x), straight, x)


@row("reciprocal")
def reciprocal(b, out, x):
    x = to_out(b, out, x)
    return b.div(b.splat(1, x.shape, x.element), x)


def toward_zero(b, x):
    if not is_float(x.element):
        return x
    negative = b.compare("LT", x, b.splat(0, x.shape, x.element))
    return b.select(negative, b.unary("ceil", x), b.unary("floor", x))


def nearest_even(b, x):
    """Round half to even, from floor: the device has no such rounding of its own."""
    down = b.unary("floor", x)
    rest = b.sub(x, down)
    half = b.splat(0.5, x.shape, x.element)
    odd = b.compare("NE", down, b.mul(b.unary("floor", b.mul(down, 0.5)), 2))
    tie = b.binary("and", b.compare("EQ", rest, half), odd)
    up = b.binary("or", b.compare("GT", rest, half), tie)
    return b.select(up, b.add(down, 1), down)


@row("round")
def round_(b, out, x):
    return nearest_even(b, x) if is_float(x.element) else x


@row("trunc", "fix")
def trunc(b, out, x):
    return toward_zero(b, x)


@row("frac")
def frac(b, out, x):
    return b.sub(x, toward_zero(b, x))


@row("log2")
def log2(b, out, x):
    return b.mul(b.unary("log", to_out(b, out, x)), 1 / math.log(2))


@row("log10")
def log10(b, out, x):
    return b.mul(b.unary("log", to_out(b, out, x)), 1 / math.log(10))


@row("exp2")
def exp2(b, out, x):
    x = to_out(b, out, x)
    return b.binary("power", b.splat(2, x.shape, x.element), x)


@row("addcmul")
def addcmul(b, out, x, y, z, value=1):
    product = b.mul(to_out(b, out, y), to_out(b, out, z))
    return b.add(to_out(b, out, x), product if value == 1 else b.mul(product, value))


@row("addcdiv")
def addcdiv(b, out, x, y, z, value=1):
    quotient = b.div(to_out(b, out, y), to_out(b, out, z))
    return b.add(to_out(b, out, x), quotient if value == 1 else b.mul(quotient, value))


@row("lerp.Scalar", "lerp.Tensor")
def lerp(b, out, x, y, weight):
    x, y = to_out(b, out, x), to_out(b, out, y)
    return b.add(x, b.mul(b.sub(y, x), to_out(b, out, weight)))


@row("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
def where(b, out, condition, x, y):
    condition = b.broadcast(b.convert(condition, "i1"), shape_of(out))
    return b.select(condition, to_out(b, out, x), to_out(b, out, y))


@row("clamp", "clamp.Tensor", "clip", "clip.Tensor")
def clamp(b, out, x, low=None, high=None):
    x = to_out(b, out, x)
    if low is not None:
        x = b.binary("maximum", x, to_out(b, out, low))
    return x if high is None else b.binary("minimum", x, to_out(b, out, high))


@row("clamp_min", "clamp_min.Tensor")
def clamp_min(b, out, x, low):
    return clamp(b, out, x, low)


@row("clamp_max", "clamp_max.Tensor")
def clamp_max(b, out, x, high):
    return clamp(b, out, x, None, high)


# -- inverse and hyperbolic functions -------------------------------------------------------


# ATen operator -> function of CHLO without an operation of its own, which the compiler knows whole or decomposes.
FUNCTIONS = {
    "acosh": "acosh",
    "atanh": "atanh",
    "cosh": "cosh",
    "erfinv": "erf_inv",
    "lgamma": "lgamma",
    "nextafter": "next_after",
    "sinh": "sinh",
    "special_i1e": "bessel_i1e",
    "special_zeta": "zeta",
}


@row("special_zeta.self_scalar", "special_zeta.other_scalar")
def zeta(b, out, x, q):
    return b.function("zeta", to_out(b, out, x), to_out(b, out, q))


for operator, function in FUNCTIONS.items():
    row(operator)(functools.partial(function_of, function))


@row("digamma")
def digamma(b, out, x):
    """At zero the pole's side is the zero's sign."""
    x = to_out(b, out, x)
    at_zero = b.compare("EQ", x, b.splat(0.0, x.shape, x.element))
    return b.select(at_zero, b.div(b.splat(-1.0, x.shape, x.element), x), b.function("digamma", x))


@row("special_i1")
def bessel_i1(b, out, x):
    x = to_out(b, out, x)
    return b.mul(b.function("bessel_i1e", x), b.unary("exponential", b.unary("abs", x)))


# -- predicates and logic -------------------------------------------------------------------


@row("isnan")
def isnan(b, out, x):
    if not is_float(x.element):
        return b.splat(False, x.shape, "i1")
    return b.compare("NE", x, x)


@row("isinf")
def isinf(b, out, x):
    if not is_float(x.element):
        return b.splat(False, x.shape, "i1")
    return b.compare("EQ", b.unary("abs", x), b.splat(math.inf, x.shape, x.element))


@row("isfinite")
def isfinite(b, out, x):
    if not is_float(x.element):
        return b.splat(True, x.shape, "i1")
    return b.op("stablehlo.is_finite", (x,), x.shape, "i1")


def logical(name):
    def combine(b, out, x, y):
        shape = shape_of(out)
        x, y = b.convert(x, "i1"), b.convert(y, "i1")
        return b.binary(name, b.broadcast(x, shape), b.broadcast(y, shape))

    return combine


for operation in ("and", "or", "xor"):
    row(f"logical_{operation}")(logical(operation))


@row("bitwise_not")
def bitwise_not(b, out, x):
    return b.unary("not", to_out(b, out, x))


@row("logical_not")
def logical_not(b, out, x):
    return b.unary("not", b.convert(x, "i1"))


@row("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(b, out, x, mask, value):
    return b.select(b.broadcast(mask, shape_of(out)), to_out(b, out, value), to_out(b, out, x))


def sign_bit(b, x):
    """Where the sign bit is set: 1/x distinguishes -0 from 0; of NaN the bit is not looked at."""
    zero = b.splat(0, x.shape, x.element)
    if not is_float(x.element):
        return b.compare("LT", x, zero)
    inverse = b.div(b.splat(1, x.shape, x.element), x)
    minus_zero = b.binary("and", b.compare("EQ", x, zero), b.compare("LT", inverse, zero))
    return b.binary("or", b.compare("LT", x, zero), minus_zero)


@row("signbit")
def signbit(b, out, x):
    return sign_bit(b, x)


@row("copysign.Tensor", "copysign.Scalar")
def copysign(b, out, x, y):
    x, y = b.unary("abs", to_out(b, out, x)), to_out(b, out, y)
    return b.select(sign_bit(b, y), b.unary("negate", x), x)


def number_of(operation):
    """The extreme of two where NaN means: nothing there."""

    def function(b, out, x, y):
        x, y = to_out(b, out, x), to_out(b, out, y)
        extreme = b.binary(operation, x, y)
        if not is_float(x.element):
            return extreme
        extreme = b.select(b.compare("NE", y, y), x, extreme)
        return b.select(b.compare("NE", x, x), y, extreme)

    return function


row("fmax")(number_of("maximum"))
row("fmin")(number_of("minimum"))


@row("hypot")
def hypot(b, out, x, y):
    """Scaled by the larger leg, so that squares neither overflow nor vanish."""
    x, y = b.unary("abs", to_out(b, out, x)), b.unary("abs", to_out(b, out, y))
    large, small = b.binary("maximum", x, y), b.binary("minimum", x, y)
    zero = b.splat(0, x.shape, x.element)
    plain = b.compare("EQ", large, zero)
    ratio = b.div(small, b.select(plain, b.splat(1, x.shape, x.element), large))
    root = b.unary("sqrt", b.add(b.mul(ratio, ratio), 1))
    infinity = b.like(math.inf, x)
    endless = b.binary("or", b.compare("EQ", x, infinity), b.compare("EQ", y, infinity))
    return b.select(endless, infinity, b.select(plain, large, b.mul(large, root)))


@row("nan_to_num")
def nan_to_num(b, out, x, nan=None, posinf=None, neginf=None):
    if not is_float(x.element):
        return x
    top = torch.finfo(out.dtype).max
    infinity = b.splat(math.inf, x.shape, x.element)
    y = b.select(b.compare("NE", x, x), b.splat(nan or 0.0, x.shape, x.element), x)
    y = b.select(
        b.compare("EQ", x, infinity),
        b.splat(top if posinf is None else posinf, x.shape, x.element),
        y,
    )
    return b.select(
        b.compare("EQ", x, b.unary("negate", infinity)),
        b.splat(-top if neginf is None else neginf, x.shape, x.element),
        y,
    )


# -- activations ----------------------------------------------------------------------------


@row("relu")
def relu(b, out, x):
    return b.binary("maximum", x, b.splat(0, x.shape, x.element))


@row("relu6")
def relu6(b, out, x):
    return clamp(b, out, x, 0, 6)


@row("hardtanh")
def hardtanh(b, out, x, low=-1, high=1):
    return clamp(b, out, x, low, high)


@row("silu")
def silu(b, out, x):
    return b.mul(x, b.unary("logistic", x))


@row("gelu")
def gelu(b, out, x, approximate="none"):
    if approximate == "tanh":
        return b.composite("tenstorrent.gelu_tanh", [x], {"approximate": '"tanh"'}, gelu_tanh)
    return b.composite("tenstorrent.gelu", [x], {"approximate": '"none"'}, gelu_erf)


def gelu_erf(b, x):
    wide = b.convert(x, "f32") if x.element != "f64" else x
    half = b.mul(wide, 0.5)
    return b.convert(b.mul(half, b.add(b.function("erf", b.mul(wide, math.sqrt(0.5))), 1)), x.element)


def gelu_tanh(b, x):
    wide = b.convert(x, "f32") if x.element != "f64" else x
    cube = b.mul(b.mul(wide, wide), wide)
    inner = b.mul(b.add(wide, b.mul(cube, 0.044715)), math.sqrt(2 / math.pi))
    return b.convert(b.mul(b.mul(wide, 0.5), b.add(b.unary("tanh", inner), 1)), x.element)


@row("leaky_relu")
def leaky_relu(b, out, x, slope=0.01):
    zero = b.splat(0, x.shape, x.element)
    return b.select(b.compare("GT", x, zero), x, b.mul(x, slope))


@row("prelu", "_prelu_kernel")
def prelu(b, out, x, weight):
    if weight.rank == 1 and x.rank > 1:
        weight = b.reshape(weight, (weight.shape[0],) + (1,) * (x.rank - 2))
    zero = b.splat(0, x.shape, x.element)
    return b.select(b.compare("GT", x, zero), x, b.mul(x, weight))


@row("elu")
def elu(b, out, x, alpha=1, scale=1, input_scale=1):
    zero = b.splat(0, x.shape, x.element)
    # expm1 only sees what is negative, so that it cannot overflow where it is not selected.
    below = b.unary("exponential_minus_one", b.mul(b.binary("minimum", x, zero), input_scale))
    y = b.select(b.compare("GT", x, zero), x, b.mul(below, alpha))
    return y if scale == 1 else b.mul(y, scale)


@row("selu")
def selu(b, out, x):
    return elu(b, out, x, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


@row("celu")
def celu(b, out, x, alpha=1.0):
    return elu(b, out, x, alpha, 1, 1 / alpha)


@row("softplus")
def softplus(b, out, x, beta=1, threshold=20):
    scaled = x if beta == 1 else b.mul(x, beta)
    limit = b.splat(threshold, x.shape, x.element)
    soft = b.unary("log_plus_one", b.unary("exponential", b.binary("minimum", scaled, limit)))
    soft = soft if beta == 1 else b.div(soft, beta)
    return b.select(b.compare("GT", scaled, limit), x, soft)


@row("log_sigmoid")
def log_sigmoid(b, out, x):
    zero = b.splat(0, x.shape, x.element)
    tail = b.unary("log_plus_one", b.unary("exponential", b.unary("negate", b.unary("abs", x))))
    return b.sub(b.binary("minimum", x, zero), tail)


@row("mish")
def mish(b, out, x):
    return b.mul(x, b.unary("tanh", softplus(b, out, x)))


@row("hardsigmoid")
def hardsigmoid(b, out, x):
    return b.div(clamp(b, out, b.add(x, 3), 0, 6), 6)


@row("hardswish")
def hardswish(b, out, x):
    return b.mul(x, hardsigmoid(b, out, x))


@row("threshold")
def threshold(b, out, x, limit, value):
    above = b.compare("GT", x, b.splat(limit, x.shape, x.element))
    return b.select(above, x, b.splat(value, x.shape, x.element))


@row("hardshrink")
def hardshrink(b, out, x, limit=0.5):
    inside = b.compare("LE", b.unary("abs", x), b.splat(limit, x.shape, x.element))
    return b.select(inside, b.splat(0, x.shape, x.element), x)


@row("softshrink")
def softshrink(b, out, x, limit=0.5):
    zero = b.splat(0, x.shape, x.element)
    above = b.binary("maximum", b.sub(x, limit), zero)
    return b.add(above, b.binary("minimum", b.add(x, limit), zero))
