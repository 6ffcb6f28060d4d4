"""ttnn's functions. Those of one operation are rows of the library and run there; the others are compositions of them."""

import functools
import random
import sys
import types

from . import _config as config
from ._config import RECORDS, DataType, Layout, MemoryConfig, Record
from ._host import dtype_of
from ._tensor import _CODES, Device, Tensor

import enum
import os

from tilewright.sim import _core

_core().ttnn_register(Tensor, MemoryConfig, Device, enum.Enum, Record, {code: dtype for dtype, code in _CODES.items()},
                      (Layout.ROW_MAJOR, Layout.TILE), config.DRAM_MEMORY_CONFIG, config.L1_MEMORY_CONFIG, config.memory_of,
                      int(os.environ.get("TILEWRIGHT_THREADS") or 0))
ROWS = {name.removeprefix("ttnn."): function for name, function in _core().ttnn_functions()}


def spaces():
    """{name: module} of what has a dot in its name: ttnn.transformer, ttnn.experimental."""
    out = {}
    for name, function in ROWS.items():
        space, dot, rest = name.rpartition(".")
        if dot and space != "utils":
            module = out.setdefault(space, types.ModuleType(f"ttnn.{space}", f"Functions of ttnn.{space}, operations of the embedded device."))
            setattr(module, rest, function)
            sys.modules[f"ttnn.{space}"] = module
    return out


def __getattr__(name):
    return ROWS[name] if name in ROWS else _missing(name)


def _missing(name):
    raise AttributeError(f"ttnn has no function '{name}' here")


_r = types.SimpleNamespace(**{name: f for name, f in ROWS.items() if "." not in name})


# ---- tensors in and out ------------------------------------------------------------------------


def _keeping(name):
    """The function, whose result is uninitialized where its operand is."""
    function = ROWS[name]

    @functools.wraps(function, updated=())
    def move(tensor, *args, **options):
        made = function(tensor, *args, **options)
        return made.emptied() if tensor.empty else made

    return move


to_memory_config, from_device, to_layout = map(_keeping, ("to_memory_config", "from_device", "to_layout"))


def to_device(tensor, device, memory_config=None):
    """The same values on a device, in DRAM or the tensor's own memory config."""
    made = _r.to_device(tensor, device=device, memory_config=memory_config or tensor.memory_config())
    made.empty = tensor.empty
    return made.move(device)


def interleaved_to_sharded(tensor, memory_config, dtype=None):
    """The same values in shards."""
    made = to_memory_config(tensor, memory_config)
    return made if dtype is None else _r.typecast(made, dtype)


def sharded_to_interleaved(tensor, memory_config=config.DRAM_MEMORY_CONFIG, dtype=None):
    """The same values, interleaved."""
    return interleaved_to_sharded(tensor, memory_config, dtype)


def to_dtype(tensor, dtype):
    """The same values in another data type."""
    return _r.typecast(tensor, dtype)


def clone(tensor, *, dtype=None, memory_config=None, compute_kernel_config=None):
    """The same values in new memory."""
    made = _r.typecast(tensor, dtype or tensor.dtype)
    return made if memory_config is None else to_memory_config(made, memory_config)


def deallocate(tensor, force=True):
    """Frees the tensor's device memory."""
    tensor.values()
    tensor.device_tensor, tensor.given_back = None, tensor.device() is not None


# ---- new tensors ---------------------------------------------------------------------------------


def _dtype(dtype):
    return dtype if dtype is None or isinstance(dtype, DataType) else dtype_of(dtype)


def _filled(name):
    function = ROWS[name]

    @functools.wraps(function, updated=())
    def fill(shape, dtype=None, layout=None, device=None, memory_config=None):
        return function(list(shape), dtype=_dtype(dtype), layout=layout, device=device, memory_config=memory_config)

    return fill


zeros, ones = map(_filled, ("zeros", "ones"))


def full(shape, fill_value, dtype=None, layout=None, device=None, memory_config=None):
    """A tensor of one value."""
    return _r.full(list(shape), fill_value, dtype=_dtype(dtype), layout=layout, device=device, memory_config=memory_config)


def empty(shape, dtype=None, layout=None, device=None, memory_config=None):
    """A tensor for a kernel to write: reading it before is reported. The host reads zeros."""
    return zeros(shape, dtype, layout, device, memory_config).emptied()


def allocate_tensor_on_device(shape, dtype, layout, device, memory_config=None):
    """A tensor for a kernel to write, as empty() gives it."""
    return empty(shape, dtype, layout, device, memory_config)


def arange(start, end=None, step=1, dtype=None, layout=None, device=None, memory_config=None):
    """Whole numbers from start to end."""
    start, end = (0, start) if end is None else (start, end)
    return _r.arange(start, end, step, dtype=_dtype(dtype), layout=layout, device=device, memory_config=memory_config)


def rand(size, device=None, *, dtype=None, layout=None, memory_config=None, low=0.0, high=1.0, seed=None):
    """Random numbers from low to high; the same for the same seed."""
    seed = random.randrange(1, 1 << 31) if seed is None else seed
    memory_config = memory_config or config.DRAM_MEMORY_CONFIG
    return _r.rand(list(size), device, dtype=_dtype(dtype), layout=layout, memory_config=memory_config, low=low, high=high, seed=seed)


def _like(make):
    @functools.wraps(make)
    def fill(tensor, *value, dtype=None, layout=None, device=None, memory_config=None):
        return make(tensor.shape, *value, dtype=dtype or tensor.dtype, layout=layout or tensor.layout, device=device or tensor.device(),
                    memory_config=memory_config or tensor.memory_config())

    fill.__name__ = fill.__qualname__ = f"{make.__name__}_like"
    return fill


zeros_like, ones_like, empty_like, full_like = map(_like, (zeros, ones, empty, full))


# ---- compositions -----------------------------------------------------------------------------------


def unsqueeze(tensor, dim):
    """A dimension of 1 before the one given."""
    shape = list(tensor.shape)
    shape.insert(dim + len(shape) + 1 if dim < 0 else dim, 1)
    return _r.reshape(tensor, shape)


def squeeze(tensor, dim=None):
    """Without dimensions of 1, or without that one."""
    dims = range(len(tensor.shape)) if dim is None else [d % len(tensor.shape) for d in ([dim] if isinstance(dim, int) else dim)]
    return _r.reshape(tensor, [size for i, size in enumerate(tensor.shape) if i not in dims or size != 1])


def square(tensor, **options):
    """x * x"""
    return _r.multiply(tensor, tensor, **options)


def exp2(tensor, **options):
    """2^x"""
    return _r.pow(2.0, tensor, **options)


def softplus(tensor, beta=1.0, threshold=20.0, **options):
    """ln(1 + e^(beta x)) / beta; x where beta x exceeds the threshold."""
    scaled = _r.multiply(tensor, beta)
    return _r.where(_r.gt(scaled, threshold), tensor, _r.divide(_r.log1p(_r.exp(_r.minimum(scaled, threshold))), beta), **options)


def elu(tensor, alpha=1.0, **options):
    """x where it is positive, else alpha (e^x - 1)."""
    return _r.where(_r.gt(tensor, 0.0), tensor, _r.multiply(_r.expm1(_r.minimum(tensor, 0.0)), alpha), **options)


def hardtanh(tensor, min_val=-1.0, max_val=1.0, **options):
    """x, not below min_val, not above max_val."""
    return _r.clamp(tensor, min_val, max_val, **options)


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False, **options):
    """1 where |a - b| <= atol + rtol |b|."""
    if equal_nan:
        raise NotImplementedError("ttnn.isclose: argument 'equal_nan': expected False, found True; NaN is close to nothing here")
    return _r.le(_r.abs(_r.subtract(a, b)), _r.add(_r.multiply(_r.abs(b), rtol), atol), **options)


def floor_div(a, b, **options):
    """The greatest integer not above a / b."""
    return _r.floor(_r.divide(a, b), **options)


# ttnn's other names of rows.
OTHERS = {"sub": "subtract", "mul": "multiply", "div": "divide"}
globals().update({name: ROWS[other] for name, other in OTHERS.items()})
OWN = sorted({name for name, value in globals().items() if isinstance(value, types.FunctionType) and value.__module__ == __name__
              and not name.startswith("_") and name != "spaces"} | {"to_memory_config", "from_device", "to_layout", "zeros", "ones"} | set(OTHERS))


# ---- operators ---------------------------------------------------------------------------------------


def _operator(function, swapped=False):
    if swapped:
        return lambda self, other: function(other, self)
    return lambda self, other: function(self, other)


for _name, _function in {"add": _r.add, "sub": _r.subtract, "mul": _r.multiply, "truediv": _r.divide, "floordiv": floor_div,
                         "mod": _r.remainder, "pow": _r.pow}.items():
    setattr(Tensor, f"__{_name}__", _operator(_function))
    setattr(Tensor, f"__r{_name}__", _operator(_function, True))
for _name, _function in {"matmul": _r.matmul, "lt": _r.lt, "le": _r.le, "gt": _r.gt, "ge": _r.ge}.items():
    setattr(Tensor, f"__{_name}__", _operator(_function))
Tensor.__neg__ = lambda self: _r.neg(self)
Tensor.__abs__ = lambda self: _r.abs(self)
Tensor.reshape = lambda self, *shape: _r.reshape(self, list(shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape))
EXPORTED = {**{name: f for name, f in ROWS.items() if "." not in name}, **{name: globals()[name] for name in OWN}, **RECORDS}
