"""ttnn's functions on tensors, computed by torch on the host; results are like the first tensor."""

from .host import as_torch, torch
from .tensor import Tensor

# ttnn's names and torch's.
SAME = ("abs", "add", "ceil", "clamp", "cos", "div", "eq", "exp", "exp2", "expm1", "floor", "ge", "gt", "isclose", "le", "log", "log1p",
        "logical_and", "logical_not", "logical_or", "lt", "matmul", "maximum", "minimum", "mul", "ne", "neg", "permute", "pow",
        "reciprocal", "relu", "reshape", "rsqrt", "sigmoid", "sign", "sin", "softmax", "sqrt", "square", "squeeze", "sub", "tan", "tanh",
        "transpose", "unsqueeze", "erf")
OTHERS = {"subtract": "sub", "multiply": "mul", "divide": "div"}
OF_NN = ("gelu", "silu", "elu", "leaky_relu", "softplus", "hardtanh")
REDUCTIONS = {"sum": "sum", "mean": "mean", "max": "amax", "min": "amin"}
FILLED = ("zeros_like", "ones_like", "empty_like", "full_like")


def values(value):
    return as_torch(value.values()) if isinstance(value, Tensor) else value


def _applied(name, function):
    def apply(first, *args, **kwargs):
        options = {k: v for k, v in kwargs.items() if k not in ("memory_config", "dtype", "compute_kernel_config")}
        result = first.like(function()(values(first), *map(values, args), **{k: values(v) for k, v in options.items()}))
        return result if kwargs.get("dtype") is None else Tensor(result.to_torch(), kwargs["dtype"], result.layout, result.device(),
                                                                 result.memory_config())

    apply.__name__, apply.__doc__ = name, f"torch's {name} of tensors."
    return apply


def _reduction(name, torch_name):
    def reduce(tensor, dim=None, keepdim=False, **_):
        dims = tuple(range(len(tensor.shape))) if dim is None else dim
        return tensor.like(getattr(torch(), torch_name)(values(tensor), dim=dims, keepdim=keepdim))

    reduce.__name__, reduce.__doc__ = name, f"The {name} over dimensions, or over all."
    return reduce


def _filled(name):
    def fill(tensor, *value, **_):
        made = tensor.like(getattr(torch(), "zeros_like" if name == "empty_like" else name)(values(tensor), *value))
        return made.emptied() if name == "empty_like" else made

    fill.__name__ = name
    return fill


def linear(tensor, weight, *, bias=None, transpose_b=False, **_):
    """tensor @ weight + bias"""
    product = values(tensor) @ (values(weight).mT if transpose_b else values(weight))
    return tensor.like(product if bias is None else product + values(bias))


def where(condition, a, b, **_):
    """a where the condition is not zero, else b."""
    like = next((t for t in (a, b) if isinstance(t, Tensor)), condition)
    return like.like(torch().where(values(condition) != 0, values(a), values(b)))


def concat(tensors, dim=0, **_):
    """Tensors concatenated along a dimension."""
    return tensors[0].like(torch().cat([values(t) for t in tensors], dim))


def repeat(tensor, repetitions):
    """The tensor repeated along each dimension."""
    return tensor.like(values(tensor).repeat(*repetitions))


def clone(tensor, **_):
    """The same values in new memory."""
    return tensor.like(tensor.to_torch())


FUNCTIONS = {
    **{name: _applied(name, lambda n=name: getattr(torch(), n)) for name in SAME},
    **{name: _applied(name, lambda n=other: getattr(torch(), n)) for name, other in OTHERS.items()},
    **{name: _applied(name, lambda n=name: getattr(torch().nn.functional, n)) for name in OF_NN},
    **{name: _reduction(name, other) for name, other in REDUCTIONS.items()},
    **{name: _filled(name) for name in FILLED},
    **{f.__name__: f for f in (linear, where, concat, repeat, clone)},
}
