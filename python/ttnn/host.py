"""Numbers on the host: torch's tensors or NumPy's arrays. torch is loaded when something only it can do is asked for."""

import sys

from .config import DataType

# What holds a type's numbers on the host, by torch's and NumPy's name.
NAMES = {
    DataType.BFLOAT16: "bfloat16", DataType.FLOAT16: "float16", DataType.FLOAT32: "float32", DataType.INT32: "int32", DataType.UINT8: "uint8",
    DataType.UINT16: "uint16", DataType.UINT32: "uint32", DataType.BFLOAT8_B: "float32", DataType.BFLOAT4_B: "float32",
}
# What becomes of numbers of the host's other types.
NARROWED = {"float64": DataType.FLOAT32, "int64": DataType.INT32}
TYPES = {name: dtype for dtype, name in reversed(NAMES.items())} | NARROWED


def torch():
    try:
        import torch
    except ImportError as error:
        raise ImportError("ttnn's functions and bfloat16 on the host need torch: pip install torch; kernels take "
                          "NumPy's arrays of other types without it") from error
    return torch


def is_torch(value):
    loaded = sys.modules.get("torch")
    return loaded is not None and isinstance(value, loaded.Tensor)


def is_numpy(value):
    kind = type(value)
    return kind.__module__.startswith("numpy") and (kind.__name__ == "ndarray" or kind.__name__ in SUBCLASSES)


SUBCLASSES = ("memmap", "matrix", "MaskedArray", "recarray")  # NumPy's own


def check(numbers):
    """Fails where a tensor has no numbers on the host, one beside the other."""
    if hasattr(numbers, "mask"):
        raise ValueError("a masked array hides some of its numbers: use array.filled(value)")
    if is_torch(numbers) and (numbers.is_meta or numbers.layout != torch().strided):
        kind = "on the device meta has no numbers" if numbers.is_meta else f"of layout {numbers.layout} is no rows of numbers: use to_dense()"
        raise ValueError(f"a tensor {kind}")


def unwritable(value):
    """Why a kernel cannot write to a tensor of the host, or None."""
    if is_torch(value):
        if value.requires_grad:
            return "requires grad: kernels are not differentiated, give them tensor.detach()"
        if value.layout == torch().strided and not value.is_contiguous() and any(
                s == 0 and d > 1 for s, d in zip(value.stride(), value.shape)):
            return "is expanded, several elements being one number: give the kernel tensor.clone()"
    elif is_numpy(value) and not value.flags.writeable:
        return "is read-only: give the kernel array.copy()"
    return None


def dtype_of(dtype):
    """The device's type for torch's or NumPy's."""
    name = getattr(dtype, "name", None) or str(dtype).removeprefix("torch.")
    if name not in TYPES:
        raise TypeError(f"the device has no tensors of {dtype}; convert to one of {', '.join(TYPES)}")
    return TYPES[name]


def cast(numbers, dtype):
    """The numbers in one piece, as what holds that type; they may be the given ones."""
    name = NAMES[dtype]
    if is_numpy(numbers):
        if name != "bfloat16" or numbers.dtype.name == name:
            kind = name if numbers.dtype.name != name else numbers.dtype.newbyteorder("=")
            return numbers.astype(kind, order="C", copy=False, subok=False)
        numbers = torch().from_numpy(numbers)
    return numbers.to(getattr(torch(), name)).contiguous()


def as_torch(numbers):
    return numbers if is_torch(numbers) else torch().from_numpy(numbers)


def as_numpy(numbers):
    return numbers if is_numpy(numbers) else numbers.numpy()
