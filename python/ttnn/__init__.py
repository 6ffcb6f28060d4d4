"""ttnn's names for what kernels written in TTL need: tensors of the embedded device, their types and
places, and a few operations on them, computed by torch."""

from .config import (
    DRAM_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    ROW_MAJOR_LAYOUT,
    TILE_LAYOUT,
    TILE_SIZE,
    BufferType,
    CoreCoord,
    CoreGrid,
    CoreRange,
    CoreRangeSet,
    DataType,
    Layout,
    MathFidelity,
    MemoryConfig,
    ShardOrientation,
    ShardSpec,
    ShardStrategy,
    TensorMemoryLayout,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    create_sharded_memory_config,
    float32,
    int32,
    split_work_to_cores,
    uint8,
    uint16,
    uint32,
)
from .host import as_torch, torch
from .program import (
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    KernelDescriptor,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    SemaphoreDescriptor,
    TensorAccessorArgs,
    WriterConfigDescriptor,
    generic_op,
)
from .tensor import (
    ELEMENTS,
    Device,
    GetNumAvailableDevices,
    Tensor,
    close_device,
    default_device,
    device_for,
    is_tensor,
    on_device,
    open_device,
    unwritable,
    written,
)


def from_torch(tensor, dtype=None, *, layout=None, device=None, memory_config=None, **_):
    """A tensor with torch's numbers, rounded to `dtype`. Default layout: tiles on a device, else rows."""
    layout = layout or (TILE_LAYOUT if device is not None else ROW_MAJOR_LAYOUT)
    return Tensor(tensor.detach(), dtype, layout, device, memory_config)


def to_torch(tensor, dtype=None, **_):
    """The numbers as torch's tensor."""
    out = tensor.to_torch()
    return out if dtype is None else out.to(dtype)


def from_device(tensor):
    """The same tensor on the host."""
    return Tensor(tensor.to_torch(), tensor.dtype, tensor.layout)


def to_device(tensor, device, *, memory_config=None):
    return Tensor(tensor.to_torch(), tensor.dtype, tensor.layout, device, memory_config or tensor.memory_config())


def to_memory_config(tensor, memory_config, dtype=None, **_):
    """The same numbers in another memory."""
    return Tensor(tensor.to_torch(), dtype or tensor.dtype, tensor.layout, tensor.device(), memory_config)


def to_layout(tensor, layout, dtype=None, **_):
    return Tensor(tensor.to_torch(), dtype or tensor.dtype, layout, tensor.device(), tensor.memory_config())


def typecast(tensor, dtype):
    return Tensor(tensor.to_torch(), dtype, tensor.layout, tensor.device(), tensor.memory_config())


def deallocate(tensor, force=True):
    """Gives the tensor's device memory back."""
    tensor.numbers()
    tensor.device_tensor = None


def _filled(name):
    def fill(shape, dtype=bfloat16, layout=TILE_LAYOUT, device=None, memory_config=None, **_):
        return Tensor(getattr(torch(), name)(tuple(shape)), dtype, layout, device, memory_config)

    return fill


zeros, ones, empty, rand = map(_filled, ("zeros", "ones", "zeros", "rand"))


def full(shape, fill_value, dtype=bfloat16, layout=TILE_LAYOUT, device=None, memory_config=None, **_):
    return Tensor(torch().full(tuple(shape), fill_value), dtype, layout, device, memory_config)


def _torch_function(name):
    """The function of torch, on tensors; the result is like the first of them."""

    def apply(first, *args, **kwargs):
        args = [as_torch(a.numbers()) if isinstance(a, Tensor) else a for a in args]
        return first.like(getattr(torch(), name)(as_torch(first.numbers()), *args, **kwargs))

    apply.__name__, apply.__doc__ = name, f"torch.{name} of tensors."
    return apply


add, subtract, multiply, divide = map(_torch_function, ("add", "sub", "mul", "div"))
matmul, exp, relu, sqrt, tanh = map(_torch_function, ("matmul", "exp", "relu", "sqrt", "tanh"))
squeeze, reshape, transpose, softmax = map(_torch_function, ("squeeze", "reshape", "transpose", "softmax"))
isclose = _torch_function("isclose")


def repeat(tensor, repetitions):
    """The tensor repeated along each dimension."""
    return tensor.like(as_torch(tensor.numbers()).repeat(*repetitions))


def get_golden_function(operation):
    """The function of torch that says what an operation must give."""
    golden = getattr(torch(), getattr(operation, "__name__", str(operation)), None)
    if golden is None:
        raise RuntimeError(f"{operation} has no golden function")
    return golden


def synchronize_device(device):
    """Kernels have run when their call returns; there is nothing to wait for."""


__all__ = [
    "BufferType", "CBDescriptor", "CBFormatDescriptor", "ComputeConfigDescriptor", "CoreCoord", "CoreGrid", "CoreRange", "CoreRangeSet",
    "DRAM_MEMORY_CONFIG", "DataType", "Device", "ELEMENTS",
    "GetNumAvailableDevices", "KernelDescriptor", "L1_MEMORY_CONFIG", "Layout", "MathFidelity", "MemoryConfig", "ProgramDescriptor",
    "ROW_MAJOR_LAYOUT", "ReaderConfigDescriptor", "SemaphoreDescriptor", "TensorAccessorArgs", "WriterConfigDescriptor",
    "generic_op",
    "ShardOrientation", "ShardSpec", "ShardStrategy", "TILE_LAYOUT", "TILE_SIZE", "Tensor", "TensorMemoryLayout", "add",
    "bfloat16", "bfloat4_b", "bfloat8_b", "close_device", "create_sharded_memory_config", "deallocate", "default_device", "device_for", "divide", "empty",
    "exp", "float32", "from_device", "from_torch", "full", "get_golden_function", "int32", "is_tensor", "isclose", "matmul",
    "multiply", "on_device", "ones", "open_device", "rand", "relu", "repeat", "reshape", "softmax", "split_work_to_cores",
    "sqrt", "squeeze", "subtract", "synchronize_device", "tanh", "to_device", "to_layout", "to_memory_config", "to_torch",
    "transpose", "typecast", "uint16", "uint32", "uint8", "written", "zeros",
]
