"""Tensors on the host: torch's tensors or NumPy's arrays. torch is loaded only when something requires it."""

import ctypes
import sys

from tilewright import _engine

from ._config import DataType

# The host type that holds a device type, by torch's and NumPy's name.
NAMES = {
    DataType.BFLOAT16: "bfloat16", DataType.FLOAT16: "float16", DataType.FLOAT32: "float32", DataType.INT32: "int32", DataType.UINT8: "uint8",
    DataType.UINT16: "uint16", DataType.UINT32: "uint32", DataType.BFLOAT8_B: "float32", DataType.BFLOAT4_B: "float32",
}
# The conversions of the host's other types.
NARROWED = {"float64": DataType.FLOAT32, "int64": DataType.INT32}
TYPES = {name: dtype for dtype, name in reversed(NAMES.items())} | NARROWED


def torch():
    try:
        import torch
    except ImportError as error:
        raise ImportError("ttnn's functions and bfloat16 on the host need torch: pip install torch; kernels take "
                          "NumPy's arrays of other types without it") from error
    _engine.share_threads()
    return torch


def is_torch(value):
    loaded = sys.modules.get("torch")
    return loaded is not None and isinstance(value, loaded.Tensor)


def is_numpy(value):
    kind = type(value)
    return kind.__module__.startswith("numpy") and (kind.__name__ == "ndarray" or kind.__name__ in SUBCLASSES)


SUBCLASSES = ("memmap", "matrix", "MaskedArray", "recarray")  # subclasses of NumPy's own


def check(values):
    """Fails for a tensor that has no dense values on the host."""
    if hasattr(values, "mask"):
        raise ValueError("a masked array hides some of its elements: use array.filled(value)")
    if is_torch(values) and (values.is_meta or values.layout != torch().strided):
        kind = "on the device meta has no values" if values.is_meta else f"of layout {values.layout} is not dense: use to_dense()"
        raise ValueError(f"a tensor {kind}")


def unwritable(value):
    """The reason why a kernel cannot write to a tensor of the host, or None."""
    if is_torch(value):
        if value.requires_grad:
            return "requires grad: kernels are not differentiated, give them tensor.detach()"
        if value.layout == torch().strided and not value.is_contiguous() and any(
                s == 0 and d > 1 for s, d in zip(value.stride(), value.shape)):
            return "is expanded, several elements sharing memory: give the kernel tensor.clone()"
    elif is_numpy(value) and not value.flags.writeable:
        return "is read-only: give the kernel array.copy()"
    return None


def dtype_of(dtype):
    """The device's type for torch's or NumPy's."""
    name = getattr(dtype, "name", None) or str(dtype).removeprefix("torch.")
    if name not in TYPES:
        raise TypeError(f"the device has no tensors of {dtype}; convert to one of {', '.join(TYPES)}")
    return TYPES[name]


def cast(values, dtype):
    """The values, contiguous, in the host type of a device type; possibly the given ones."""
    name = NAMES[dtype]
    if is_numpy(values):
        if name != "bfloat16" or values.dtype.name == name:
            kind = name if values.dtype.name != name else values.dtype.newbyteorder("=")
            return values.astype(kind, order="C", copy=False, subok=False)
        values = torch().from_numpy(values)
    return values.to(getattr(torch(), name)).contiguous()


def as_torch(values):
    return values if is_torch(values) else torch().from_numpy(values)


def as_numpy(values):
    return values if is_numpy(values) else values.numpy()


def address_of(values):
    return values.data_ptr() if is_torch(values) else values.__array_interface__["data"][0]


def over(owner, address, size, shape, dtype):
    """A host tensor over memory that `owner` keeps; torch's where torch is loaded or needed."""
    name = NAMES[dtype]
    block = (ctypes.c_char * size).from_address(address)
    block.owner = owner
    if name == "bfloat16" or sys.modules.get("torch") is not None:
        kind = getattr(torch(), name)
        return torch().frombuffer(block, dtype=kind).reshape(shape) if size else torch().empty(shape, dtype=kind)
    import numpy

    return numpy.frombuffer(block, dtype=name).reshape(shape)
