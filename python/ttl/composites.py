"""Composite operations. Threads inline them; their operations carry the caller's line."""

from .functions import ELEMENTWISE, clamp
from .types import FLOATS

abs, erfc, exp, expm1, log1p = (ELEMENTWISE[n] for n in ("abs", "erfc", "exp", "expm1", "log1p"))  # noqa: A001
largest, lez, recip, relu = (ELEMENTWISE[n] for n in ("max", "lez", "recip", "relu"))
sign, sqrt, square = (ELEMENTWISE[n] for n in ("sign", "sqrt", "square"))
eqz, floor, gez, gtz, signbit = (ELEMENTWISE[n] for n in ("eqz", "floor", "gez", "gtz", "signbit"))
smaller, ltz, nez = (ELEMENTWISE[n] for n in ("min", "ltz", "nez"))
plain_gelu, plain_selu, plain_where = (ELEMENTWISE[n] for n in ("gelu", "selu", "where"))


def logp1(x):
    """log(1 + x)"""
    return log1p(x)


def rsub(x, y):
    """y - x"""
    return y - x


def sinh(x):
    """The hyperbolic sine."""
    up, down = expm1(x * 0.5), expm1(x * -0.5)  # of half of x, so that it overflows only where the result does
    return ((up - down) * 0.5) * ((up + down) + 2.0)


def cosh(x):
    """The hyperbolic cosine."""
    twice = expm1(x * 0.5) - expm1(x * -0.5)
    return (twice * 0.5) * twice + 1.0


def _positive_asinh(x):
    """log(x + sqrt(x * x + 1)) without cancellation or overflow."""
    r = recip(x)
    return log1p(x) + log1p(recip((r + sqrt(square(r) + 1.0)) * (r + 1.0)))


def asinh(x):
    """The inverse hyperbolic sine."""
    return sign(x) * _positive_asinh(abs(x))


def acosh(x):
    """The inverse hyperbolic cosine, of x >= 1."""
    return _positive_asinh(sqrt((x - 1.0) * 0.5)) * 2.0


def atanh(x):
    """The inverse hyperbolic tangent."""
    return (log1p(x) - log1p(-x)) * 0.5


def gelu(x):
    """x times the normal distribution function at x; for f32 with full precision far below 0, too."""
    return (x * 0.5) * erfc(x * -0.7071067811865476) if x.dtype == "f32" else plain_gelu(x)


def leaky_relu(x, slope=0.01):
    """x, or slope * x where x is negative."""
    return relu(x) - relu(-x) * slope


def prelu(x, alpha=0.01):
    """x, or alpha * x where x is negative."""
    return leaky_relu(x, alpha)


def elu(x, slope=1.0, *, alpha=None):
    """x, or slope * (exp(x) - 1) where x is negative; alpha is another name of slope."""
    return relu(x) + expm1(-relu(-x)) * (slope if alpha is None else alpha)


def celu(x, alpha=1.0, alpha_recip=None):
    """x, or alpha * (exp(x * alpha_recip) - 1) where x is negative; alpha_recip is 1 / alpha unless given."""
    return relu(x) + expm1(relu(-x) * -(1.0 / alpha if alpha_recip is None else alpha_recip)) * alpha


def selu(x, scale=None, alpha=None):
    """The scaled exponential linear unit, with scale 1.0507 and alpha 1.6733 unless given."""
    if scale is None and alpha is None:
        return plain_selu(x)
    return elu(x, 1.6732632423543772 if alpha is None else alpha) * (1.0507009873554805 if scale is None else scale)


def hardtanh(x, min=-1.0, max=1.0, *, min_val=None, max_val=None):  # noqa: A002
    """x clamped to [min, max]; min_val and max_val are other names."""
    return clamp(x, min if min_val is None else min_val, max if max_val is None else max_val)


def relu_max(x, upper_limit):
    """min(relu(x), upper_limit)."""
    return clamp(x, 0.0, upper_limit)


def relu_min(x, lower_limit):
    """max(relu(x), lower_limit)."""
    return largest(x, lower_limit if lower_limit > 0 else 0.0)


def softplus(x, beta=1.0, beta_reciprocal=None, threshold=None):
    """log(1 + exp(beta * x)) * beta_reciprocal, which is 1 / beta unless given; x where beta * x is above threshold."""
    rest = log1p(exp(abs(x) * -beta)) * (1.0 / beta if beta_reciprocal is None else beta_reciprocal)
    return relu(x) + (rest if threshold is None else rest * lez(x * beta - threshold))


def fill(x, value):
    """A block like x with all elements equal to a value."""
    return (signbit(x) * 0.0 if x.dtype in FLOATS else x - x) + value


def where(condition, true_value, false_value):
    """true_value where the condition is not 0, else false_value; either or both may be numbers."""
    if isinstance(true_value, (int, float)):
        true_value = fill(condition, true_value)
    if isinstance(false_value, (int, float)):
        false_value = fill(condition, false_value)
    return plain_where(condition, true_value, false_value)


def mask(x, mask):
    """x, and 0 where the mask is not 0."""
    return where(mask, 0.0 if x.dtype in FLOATS else 0, x)


def mask_posinf(x, mask):
    """x, and infinity where the mask is not 0."""
    return plain_where(mask, recip(fill(mask, 0.0)), x)


def round(x, decimals=0):  # noqa: A001
    """The nearest integer, ties to even; with `decimals`, to that many decimal places."""
    if decimals:
        return round(x * 10.0**decimals) / 10.0**decimals
    whole = floor(x)
    rest, half = x - whole - 0.5, whole * 0.5
    up = gtz(rest) + eqz(rest) * ((half - floor(half)) * 2.0)
    return where(gez(abs(x) - 2.0**23), x, whole + up)  # beyond that every value is an integer, infinite or NaN


# ---- of integers ---- Operations that the device has for floating-point values only, composed of its integer
# operations. Differences wrap: one is 0 only if both operands are equal, however far apart they are.


def whole_eq(a, b):
    return eqz(a - b)


def whole_ne(a, b):
    return nez(a - b)


def whole_lt(a, b):
    return nez(b - smaller(a, b))


def whole_le(a, b):
    return eqz(a - smaller(a, b))


def whole_gt(a, b):
    return nez(a - smaller(a, b))


def whole_ge(a, b):
    return eqz(b - smaller(a, b))


def whole_sign(x):
    return gtz(x) - ltz(x)


def whole_signbit(x):
    return ltz(x)


def whole_square(x):
    return x * x


def whole_clamp(x, low, high):
    return smaller(largest(x, low), high)


def whole_power(x, n):
    """x ** n for a positive n known at compile time: log2(n) squarings."""
    result = None
    while n:
        if n & 1:
            result = x if result is None else result * x
        n >>= 1
        if n:
            x = x * x
    return result


WHOLE = {"eq": whole_eq, "ne": whole_ne, "lt": whole_lt, "le": whole_le, "gt": whole_gt, "ge": whole_ge, "sign": whole_sign,
         "signbit": whole_signbit, "square": whole_square}

COMPOSITES = {f.__name__: f for f in (fill, where, mask, mask_posinf, round, logp1, rsub, sinh, cosh, asinh, acosh, atanh, gelu, leaky_relu, elu, celu, selu, hardtanh,
                                     prelu, relu_max, relu_min, softplus)}
