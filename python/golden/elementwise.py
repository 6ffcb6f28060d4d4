"""References of element-wise operations: names of TTIR and TTNN (shared), and of StableHLO, to functions of (attributes,
operands...)."""

import torch
from torch.nn import functional as F

MASK = 0xFFFFFFFF


def floats(function):
    """The function, computed in f32 for operands that are no floats."""
    def call(a, *xs):
        return function(*(x if x.is_floating_point() or x.is_complex() else x.to(torch.float32) for x in xs))

    return call


def plain(function):
    return lambda a, *xs: function(*xs)


def _cbrt(x):
    return x.sign() * x.abs().pow(1 / 3)


def shifted(left):
    """A shift of 32-bit words without signs; by 32 and more the result is 0."""
    def call(a, x, by):
        x, by = x.to(torch.int64) & MASK, by.to(torch.int64) & MASK
        moved = x << by.clamp(max=63) if left else x >> by.clamp(max=63)
        return torch.where(by >= 32, torch.zeros_like(moved), moved & MASK)

    return call


def _quotient(a, x, y):
    q = torch.div(x, y) if x.is_floating_point() or x.is_complex() else torch.div(x.to(torch.float64), y.to(torch.float64))
    return q.to(x.dtype)


def remainder(a, x, y):
    if not x.is_floating_point():
        return torch.where(y == 0, torch.zeros_like(x), torch.remainder(x, torch.where(y == 0, torch.ones_like(y), y)))
    return torch.remainder(x, y)


def _power(a, x, y):
    if not isinstance(y, torch.Tensor):
        y = torch.tensor(y, dtype=x.dtype, device=x.device)
    return torch.pow(x, y) if x.is_floating_point() or x.is_complex() else torch.pow(x.to(torch.float64), y.to(torch.float64))


def _clamp(a, x, low=None, high=None):
    if isinstance(low, torch.Tensor):
        return torch.minimum(torch.maximum(x, low.to(x.dtype)), high.to(x.dtype))
    return torch.clamp(x, a.min, a.max)


def _gelu(a, x):
    return floats(lambda v: F.gelu(v, approximate=a.approximate or "none"))(a, x)


def _gelu_backward(a, gradient, x):
    gradient, x = torch.broadcast_tensors(gradient, x)
    wide, kind = x.to(torch.float32), a.approximate or "none"
    if kind == "tanh":
        inner = 0.7978845608028654 * (wide + 0.044715 * wide**3)
        t = torch.tanh(inner)
        slope = 0.5 * (1 + t) + 0.5 * wide * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * wide**2)
    else:
        slope = 0.5 * (1 + torch.erf(wide / 2**0.5)) + wide * torch.exp(-wide * wide / 2) / (2 * torch.pi) ** 0.5
    return gradient.to(torch.float32) * slope


def _selu(a, x):
    scale = a.scale if a.scale is not None else 1.0507009873390197
    alpha = a.alpha if a.alpha is not None else 1.6732635498046875
    return scale * (x.clamp(min=0) + (alpha * torch.expm1(x)).clamp(max=0))


def _rounded(toward_even):
    return lambda a, x: torch.round(x) if toward_even else torch.where(x < 0, -torch.floor(-x + 0.5), torch.floor(x + 0.5))


def bits(function, logical):
    """Bitwise on integers, logical on booleans."""
    return lambda a, *xs: (logical if xs[0].dtype is torch.bool else function)(*xs)


def _bit_width(x):
    return x.element_size() * 8


def _population(a, x):
    wide, total = x.to(torch.int64), torch.zeros_like(x, dtype=torch.int64)
    for bit in range(_bit_width(x)):
        total += (wide >> bit) & 1
    return total


def _leading_zeros(a, x):
    wide, width = x.to(torch.int64), _bit_width(x)
    count, open_ = torch.zeros_like(wide), torch.ones_like(wide, dtype=torch.bool)
    for bit in reversed(range(width)):
        open_ = open_ & (((wide >> bit) & 1) == 0)
        count += open_
    return count


def _reduced_precision(a, x):
    exponent, mantissa, wide = a.exponent_bits, a.mantissa_bits, x.to(torch.float64)
    fraction, power = torch.frexp(wide)
    rounded = torch.ldexp(torch.round(fraction * 2.0 ** (mantissa + 1)) / 2.0 ** (mantissa + 1), power)
    largest, least = 2.0 ** (2 ** (exponent - 1) - 1) * (2 - 2.0**-mantissa), 2.0 ** (2 - 2 ** (exponent - 1))
    rounded = torch.where(rounded.abs() > largest, rounded.sign() * float("inf"), rounded)
    rounded = torch.where(rounded.abs() < least, rounded * 0, rounded)
    return torch.where(wide.isfinite() & (wide != 0), rounded, wide)


UNARY = {
    "abs": plain(torch.abs), "neg": plain(torch.neg), "sign": lambda a, x: torch.where(x.isnan(), torch.zeros_like(x), x.sign()) if x.is_floating_point() else x.sign(),
    "ceil": plain(torch.ceil), "floor": plain(torch.floor), "trunc": plain(torch.trunc), "frac": floats(torch.frac),
    "exp": floats(torch.exp), "exp2": floats(torch.exp2), "expm1": floats(torch.expm1), "log": floats(torch.log),
    "log1p": floats(torch.log1p), "sqrt": floats(torch.sqrt), "rsqrt": floats(torch.rsqrt), "square": plain(torch.square),
    "cbrt": floats(_cbrt), "reciprocal": floats(torch.reciprocal), "sin": floats(torch.sin), "cos": floats(torch.cos),
    "tan": floats(torch.tan), "asin": floats(torch.asin), "acos": floats(torch.acos), "atan": floats(torch.atan),
    "asinh": floats(torch.asinh), "tanh": floats(torch.tanh), "erf": floats(torch.erf), "erfc": floats(torch.erfc),
    "sigmoid": floats(torch.sigmoid), "hardsigmoid": floats(F.hardsigmoid), "relu": plain(torch.relu), "relu6": plain(F.relu6),
    "gelu": _gelu, "silu": floats(F.silu), "mish": floats(F.mish), "softsign": floats(F.softsign),
    "isfinite": plain(torch.isfinite), "signbit": plain(torch.signbit), "logical_not": plain(torch.logical_not),
    "bitwise_not": plain(torch.bitwise_not), "selu": _selu,
    "leaky_relu": lambda a, x: floats(lambda t: F.leaky_relu(t, 0.01 if a.parameter is None else a.parameter))(a, x),
    "clamp_scalar": _clamp, "typecast": plain(lambda x: x), "assign": plain(torch.clone),
}
BINARY = {
    "add": plain(torch.add), "subtract": plain(torch.sub), "multiply": plain(torch.mul), "div": _quotient, "divide": _quotient,
    "remainder": remainder, "maximum": plain(torch.maximum), "minimum": plain(torch.minimum), "pow": _power,
    "pow_tensor": _power, "atan2": floats(torch.atan2), "eq": plain(torch.eq), "ne": plain(torch.ne), "lt": plain(torch.lt),
    "le": plain(torch.le), "gt": plain(torch.gt), "ge": plain(torch.ge), "logical_and": plain(torch.logical_and),
    "logical_or": plain(torch.logical_or), "logical_xor": plain(torch.logical_xor), "bitwise_and": plain(torch.bitwise_and),
    "bitwise_or": plain(torch.bitwise_or), "bitwise_xor": plain(torch.bitwise_xor), "logical_left_shift": shifted(True),
    "logical_right_shift": shifted(False), "right_shift": plain(torch.bitwise_right_shift), "gelu_bw": _gelu_backward,
}
TERNARY = {"where": lambda a, c, x, y: torch.where(c != 0, x, y), "clamp_tensor": _clamp}
SHARED = {**UNARY, **BINARY, **TERNARY}
TTNN = {"pow_scalar": lambda a, x: _power(a, x, a.rhs)}

_COMPARE = {"EQ": torch.eq, "NE": torch.ne, "LT": torch.lt, "LE": torch.le, "GT": torch.gt, "GE": torch.ge}


def _compare(a, x, y):
    if "TOTALORDER" in str(a.compare_type):
        x, y = (torch.where(t.view(torch.int32) < 0, -(t.view(torch.int32) & 0x7FFFFFFF) - 1, t.view(torch.int32))
                for t in (x.to(torch.float32), y.to(torch.float32)))
    return _COMPARE[str(a.comparison_direction)](x, y)


def _right_shift_logical(a, x, by):
    width = _bit_width(x)
    mask = (1 << width) - 1 if width < 64 else -1
    wide = x.to(torch.int64) & mask
    moved = wide >> by.to(torch.int64).clamp(0, 63)
    return torch.where((by < 0) | (by >= width), torch.zeros_like(moved), moved)


def _left_shift(a, x, by):
    width = _bit_width(x)
    moved = x.to(torch.int64) << by.to(torch.int64).clamp(0, 63)
    return torch.where((by < 0) | (by >= width), torch.zeros_like(moved), moved)


def _right_shift_arithmetic(a, x, by):
    width = _bit_width(x)
    return x.to(torch.int64) >> torch.where((by < 0) | (by >= width), torch.full_like(by, width - 1), by).to(torch.int64)


STABLEHLO = {
    "abs": plain(torch.abs), "add": bits(torch.add, torch.logical_or), "and": bits(torch.bitwise_and, torch.logical_and),
    "or": bits(torch.bitwise_or, torch.logical_or), "xor": bits(torch.bitwise_xor, torch.logical_xor),
    "not": bits(torch.bitwise_not, torch.logical_not), "atan2": floats(torch.atan2), "cbrt": floats(_cbrt),
    "ceil": plain(torch.ceil), "clamp": lambda a, low, x, high: torch.minimum(torch.maximum(x, low), high),
    "compare": _compare, "complex": plain(torch.complex), "real": plain(lambda x: x.real if x.is_complex() else x),
    "imag": plain(lambda x: x.imag if x.is_complex() else torch.zeros_like(x)), "convert": plain(lambda x: x),
    "cosine": floats(torch.cos), "sine": floats(torch.sin), "tan": floats(torch.tan), "tanh": floats(torch.tanh),
    "count_leading_zeros": _leading_zeros, "popcnt": _population,
    "divide": lambda a, x, y: torch.div(x, y) if x.is_floating_point() or x.is_complex() else torch.div(x, torch.where(y == 0, torch.ones_like(y), y), rounding_mode="trunc"),
    "exponential": floats(torch.exp), "exponential_minus_one": floats(torch.expm1), "floor": plain(torch.floor),
    "is_finite": plain(torch.isfinite), "log": floats(torch.log), "log_plus_one": floats(torch.log1p),
    "logistic": floats(torch.sigmoid), "maximum": bits(torch.maximum, torch.logical_or), "minimum": bits(torch.minimum, torch.logical_and),
    "multiply": bits(torch.mul, torch.logical_and), "negate": plain(torch.neg), "power": _power,
    "remainder": lambda a, x, y: torch.fmod(x, y if x.is_floating_point() else torch.where(y == 0, torch.ones_like(y), y)),
    "round_nearest_afz": _rounded(False), "round_nearest_even": _rounded(True), "rsqrt": floats(torch.rsqrt),
    "select": lambda a, c, x, y: torch.where(c, x, y), "shift_left": _left_shift, "shift_right_arithmetic": _right_shift_arithmetic,
    "shift_right_logical": _right_shift_logical, "sign": UNARY["sign"], "sqrt": floats(torch.sqrt), "subtract": plain(torch.sub),
    "reduce_precision": _reduced_precision,
}
