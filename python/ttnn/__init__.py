"""The part of ttnn's API that kernels written in TTL need: tensors of the embedded device, their types and memories,
and operations on them, computed by torch."""

import contextlib

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
from .functions import FUNCTIONS
from .host import torch
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
    lend_again,
    on_device,
    open_device,
    unwritable,
    written,
)


def from_torch(tensor, dtype=None, *, layout=None, device=None, memory_config=None, **_):
    """A tensor with a copy of the torch tensor's values, rounded to `dtype`. Default layout: tiles on a device and
    for block floats, which have no row-major layout; else rows."""
    layout = layout or (TILE_LAYOUT if device is not None or dtype in (bfloat8_b, bfloat4_b) else ROW_MAJOR_LAYOUT)
    return Tensor(tensor.detach().clone(), dtype, layout, device, memory_config)


def to_torch(tensor, dtype=None, **_):
    """The values as a torch tensor."""
    out = tensor.to_torch()
    return out if dtype is None else out.to(dtype)


def from_device(tensor):
    """The same tensor on the host."""
    return Tensor(tensor.to_torch(), tensor.dtype, tensor.layout, empty=tensor.empty)


def to_device(tensor, device, *, memory_config=None):
    return Tensor(tensor.to_torch(), tensor.dtype, tensor.layout, device, memory_config or tensor.memory_config(), tensor.empty)


def to_memory_config(tensor, memory_config, dtype=None, **_):
    """The same values in another memory."""
    return Tensor(tensor.to_torch(), dtype or tensor.dtype, tensor.layout, tensor.device(), memory_config, tensor.empty)


def to_layout(tensor, layout, dtype=None, **_):
    return Tensor(tensor.to_torch(), dtype or tensor.dtype, layout, tensor.device(), tensor.memory_config(), tensor.empty)


def typecast(tensor, dtype):
    return Tensor(tensor.to_torch(), dtype, tensor.layout, tensor.device(), tensor.memory_config())


def get_memory_config(tensor):
    return tensor.memory_config()


def is_sharded(tensor):
    return tensor.memory_config().memory_layout != TensorMemoryLayout.INTERLEAVED


interleaved_to_sharded = to_memory_config


def sharded_to_interleaved(tensor, memory_config=DRAM_MEMORY_CONFIG, dtype=None, **_):
    return to_memory_config(tensor, memory_config, dtype)


@contextlib.contextmanager
def manage_device(device_id=0, **options):
    """A device that is closed at the end: with ttnn.manage_device(device_id=0) as device."""
    device = open_device(device_id=device_id, **options)
    try:
        yield device
    finally:
        close_device(device)


def deallocate(tensor, force=True):
    """Frees the tensor's device memory."""
    tensor.values()
    tensor.device_tensor, tensor.given_back = None, tensor.device() is not None


def _filled(name):
    def fill(shape, dtype=bfloat16, layout=TILE_LAYOUT, device=None, memory_config=None, **_):
        return Tensor(getattr(torch(), name)(tuple(shape)), dtype, layout, device, memory_config)

    return fill


zeros, ones, rand = map(_filled, ("zeros", "ones", "rand"))


def empty(shape, dtype=bfloat16, layout=TILE_LAYOUT, device=None, memory_config=None, **_):
    """A tensor for a kernel to write: reading it before is reported. The host reads zeros."""
    return Tensor(torch().zeros(tuple(shape)), dtype, layout, device, memory_config, empty=True)


def full(shape, fill_value, dtype=bfloat16, layout=TILE_LAYOUT, device=None, memory_config=None, **_):
    return Tensor(torch().full(tuple(shape), fill_value), dtype, layout, device, memory_config)


def arange(start, end=None, step=1, dtype=bfloat16, layout=TILE_LAYOUT, device=None, memory_config=None, **_):
    """Values from start to end."""
    values = torch().arange(0 if end is None else start, start if end is None else end, step)
    return Tensor(values, dtype, layout, device, memory_config)


globals().update(FUNCTIONS)


def get_golden_function(operation):
    """The torch function that gives the expected result of an operation."""
    golden = getattr(torch(), getattr(operation, "__name__", str(operation)), None)
    if golden is None:
        raise RuntimeError(f"{operation} has no golden function")
    return golden


Shape = tuple  # a tensor's sizes


def GetDefaultDevice():
    """The default device of tensors."""
    return default_device()


def get_arch_name():
    return default_device().arch()


def synchronize_device(device):
    """No-op: kernels have run when their call returns."""


__all__ = sorted(name for name in globals() if not name.startswith("_") and name not in ("contextlib", "torch", "config", "functions", "host",
                                                                                        "program", "tensor", "FUNCTIONS"))
