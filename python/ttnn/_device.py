"""Devices, and tensors on their way in and out."""

import contextlib

from ._config import ROW_MAJOR_LAYOUT, TILE_LAYOUT, FabricConfig, bfloat4_b, bfloat8_b, bfloat16, float32
from ._functions import clone
from ._host import dtype_of, torch
from ._tensor import Tensor, close_device, default_device, open_device

# Elements from which on a tensor's values lie in memory of the library, in huge pages: what reads eight of them takes a quarter less time.
LARGE = 1 << 20

def from_torch(tensor, dtype=None, *, layout=None, device=None, memory_config=None, **_):
    """A tensor with a copy of the torch tensor's values, rounded to `dtype`. Default layout: tiles on a device and
    for block floats, which have no row-major layout; else rows."""
    layout = layout or (TILE_LAYOUT if device is not None or dtype in (bfloat8_b, bfloat4_b) else ROW_MAJOR_LAYOUT)
    if device is not None and layout is TILE_LAYOUT and tensor.numel() >= LARGE and (dtype or dtype_of(tensor.dtype)) in (bfloat16, float32):
        return clone(Tensor(tensor.detach(), dtype, layout, device, memory_config))
    return Tensor(tensor.detach().clone(), dtype, layout, device, memory_config)


as_tensor = from_torch


def to_torch(tensor, dtype=None, **_):
    """The values as a torch tensor."""
    out = tensor.to_torch()
    return out if dtype is None else out.to(dtype)


def get_memory_config(tensor):
    """Where the tensor lies."""
    return tensor.memory_config()


def is_sharded(tensor):
    """True if the tensor is distributed over cores in shards."""
    return tensor.memory_config().is_sharded()


@contextlib.contextmanager
def manage_device(device_id=0, **options):
    """A device that is closed at the end: with ttnn.manage_device(device_id=0) as device."""
    device = open_device(device_id=device_id, **options)
    try:
        yield device
    finally:
        close_device(device)


def get_golden_function(operation):
    """The torch function that gives the expected result of an operation."""
    golden = getattr(torch(), getattr(operation, "__name__", str(operation)), None)
    if golden is None:
        raise RuntimeError(f"{operation} has no golden function")
    return golden


def GetDefaultDevice():
    """The default device of tensors."""
    return default_device()


def get_arch_name():
    """The default device's architecture."""
    return default_device().arch()


def synchronize_device(device):
    """No-op: operations and kernels have run when their call returns."""


def open_mesh_device(mesh_shape=(1, 1), **options):
    """Opens the embedded device as a mesh of one."""
    if tuple(mesh_shape) != (1, 1):
        raise NotImplementedError(f"ttnn.open_mesh_device: argument 'mesh_shape': expected (1, 1), found {tuple(mesh_shape)}; "
                                  "the embedded device is one chip")
    return open_device(0, **{k: v for k, v in options.items() if k != "device_id"})


close_mesh_device = close_device


def set_fabric_config(config=FabricConfig.DISABLED, *_, **__):
    """Accepted: one chip has no links to configure."""


def load_tensor(file_name, *, device=None):
    """The tensor of a file that dump_tensor() or numpy.save() wrote."""
    import numpy as np

    with open(file_name, "rb") as file:
        try:
            values = np.load(file, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise ValueError(f"ttnn.load_tensor: {file_name} is no array of NumPy ({error}); ttnn.dump_tensor and numpy.save write such files") from error
    return from_torch(torch().from_numpy(values), device=device)
