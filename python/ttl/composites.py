"""Operations made of others. Threads inline them; their operations carry the caller's line."""

from .functions import ELEMENTWISE, clamp

LARGEST = 3.3895313892515355e38  # of bfloat16

abs, exp, log, log1p = (ELEMENTWISE[n] for n in ("abs", "exp", "log", "log1p"))  # noqa: A001
relu, sign, sqrt, square = (ELEMENTWISE[n] for n in ("relu", "sign", "sqrt", "square"))


def logp1(x):
    """log(1 + x)"""
    return log1p(x)


def rsub(x, y):
    """y - x"""
    return y - x


def sinh(x):
    """The hyperbolic sine."""
    return (exp(x) - exp(-x)) * 0.5


def cosh(x):
    """The hyperbolic cosine."""
    return (exp(x) + exp(-x)) * 0.5


def asinh(x):
    """The inverse hyperbolic sine."""
    return sign(x) * log(abs(x) + sqrt(square(x) + 1.0))


def acosh(x):
    """The inverse hyperbolic cosine, of x >= 1."""
    return log(x + sqrt(square(x) - 1.0))


def atanh(x):
    """The inverse hyperbolic tangent."""
    return (log1p(x) - log1p(-x)) * 0.5


def leaky_relu(x, slope=0.01):
    """x, or slope * x where x is negative."""
    return relu(x) - relu(-x) * slope


prelu = leaky_relu


def elu(x, alpha=1.0):
    """x, or alpha * (exp(x) - 1) where x is negative."""
    return relu(x) + (exp(-relu(-x)) - 1.0) * alpha


def celu(x, alpha=1.0):
    """x, or alpha * (exp(x / alpha) - 1) where x is negative."""
    return relu(x) + (exp(-relu(-x) / alpha) - 1.0) * alpha


def hardtanh(x, min_val=-1.0, max_val=1.0):
    """x between min_val and max_val."""
    return clamp(x, min_val, max_val)


def relu_max(x, upper_limit):
    """relu(x), and upper_limit where it is more."""
    return clamp(x, 0.0, upper_limit)


def relu_min(x, lower_limit):
    """x, or lower_limit where x is less."""
    return clamp(x, lower_limit, LARGEST)


def softplus(x, beta=1.0):
    """log(1 + exp(beta * x)) / beta"""
    return relu(x) + log1p(exp(-abs(x) * beta)) * (1.0 / beta)


COMPOSITES = {f.__name__: f for f in (logp1, rsub, sinh, cosh, asinh, acosh, atanh, leaky_relu, elu, celu, hardtanh, relu_max,
                                     relu_min, softplus)}
COMPOSITES["prelu"] = prelu
