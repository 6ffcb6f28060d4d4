"""The embedded device as a mesh, and its properties."""

import math
import os
import weakref

from tilewright import _core

from ._types import Arch, DispatchCoreType, MemoryBufferType
from .binary import SystemDesc, _load_json

CHIPS = ("n150", "n300", "p150")


def chip_of(name):
    """What the system descriptor of an embedded board says about its chip."""
    return _load_json(_core.Binary(_core.system(name)).json(-1, "system_desc"))["chip_descs"][0]


class MeshDeviceOptions:
    """Options for opening a mesh. None: the device's default."""

    __slots__ = ("mesh_offset", "device_ids", "num_hw_cqs", "enable_program_cache", "_mesh_shape", "l1_small_size",
                 "trace_region_size", "_dispatch_core_type")

    def __init__(self):
        self.mesh_offset, self.device_ids, self.num_hw_cqs, self.enable_program_cache = [0, 0], [], 1, False
        self._mesh_shape = self.l1_small_size = self.trace_region_size = self._dispatch_core_type = None

    @property
    def mesh_shape(self):
        return self._mesh_shape

    @mesh_shape.setter
    def mesh_shape(self, value):
        if value is not None and not isinstance(value, (list, tuple)):
            raise TypeError("mesh_shape must be a list, tuple, or None")
        self._mesh_shape = None if value is None else _shape(value)

    @property
    def dispatch_core_type(self):
        return self._dispatch_core_type

    @dispatch_core_type.setter
    def dispatch_core_type(self, value):
        if value is not None and not isinstance(value, DispatchCoreType):
            raise TypeError(f"dispatch_core_type must be a DispatchCoreType or None, not {value!r}")
        self._dispatch_core_type = value


def _shape(value):
    shape = [int(n) for n in value]
    if not shape or any(n < 1 for n in shape):
        raise ValueError(f"a mesh's shape has positive sizes, not {list(value)}")
    return shape


class MemoryView:
    """A kind of memory: all its banks are equal."""

    def __init__(self, banks, size, used):
        self.num_banks, self.total_bytes_per_bank, self.total_bytes_allocated_per_bank = banks, size, used
        self.total_bytes_free_per_bank = self.largest_contiguous_bytes_free_per_bank = size - used
        self.block_table = []


class Device:
    """A mesh of the embedded device. Its programs run one after another in this process."""

    def __init__(self, options, parent=None):
        self._options, self._parent = options, parent
        self._shape = options.mesh_shape or [1, 1]
        self._open, self._children = True, []
        self._cache = options.enable_program_cache
        self._tensors = weakref.WeakSet()
        self._used = None  # while a program runs: bytes used of a bank of L1 and of DRAM
        self._chip = chip_of(chip_name())

    def get_mesh_shape(self):
        return list(self._shape)

    def get_device_ids(self):
        return list(self._options.device_ids) or list(range(math.prod(self._shape)))

    def get_num_hw_cqs(self):
        return self._options.num_hw_cqs

    def is_program_cache_enabled(self):
        return self._cache

    def clear_program_cache(self):
        """Programs are compiled once for each binary object, whatever the cache's state."""

    def get_l1_small_size(self):
        return self._options.l1_small_size or 0

    def get_trace_region_size(self):
        return self._options.trace_region_size or 0

    def get_num_dram_channels(self):
        return self._chip["num_dram_channels"]

    def get_dram_size_per_channel(self):
        return self._chip["dram_channel_size"]

    def get_l1_size_per_core(self):
        return self._chip["l1_size"]

    def release_trace(self, *_):
        """No captured traces to release: programs run without traces."""

    def deallocate_buffers(self):
        for tensor in list(self._tensors):
            tensor.release()

    def get_memory_view(self):
        """{MemoryBufferType: MemoryView}: of the running program if called from an operation's hook, else of the
        tensors on this device."""
        cores = self._chip["grid_size"]["x"] * self._chip["grid_size"]["y"]
        channels = self._chip["num_dram_channels"]
        l1, dram = self._used or (0, -(-sum(len(t.memory()) for t in self._tensors if t._memory is not None) // channels))
        return {
            MemoryBufferType.DRAM: MemoryView(channels, self._chip["dram_channel_size"], dram),
            MemoryBufferType.L1: MemoryView(cores, self._chip["l1_size"] - self._chip["l1_unreserved_base"], l1),
            MemoryBufferType.L1_SMALL: MemoryView(cores, self.get_l1_small_size(), 0),
            MemoryBufferType.TRACE: MemoryView(channels, self.get_trace_region_size(), 0),
        }

    def dump_memory_report(self):
        """Prints the usage of each memory."""
        for kind, view in self.get_memory_view().items():
            print(f"{kind.name}: {view.num_banks} banks, {view.total_bytes_allocated_per_bank} of "
                  f"{view.total_bytes_per_bank} bytes of each taken")

    def read_device_profiler_results(self):
        """No effect: `ttrt perf` shows the times of a program's operations."""

    def __repr__(self):
        return f"Device({'x'.join(map(str, self._shape))} of {chip_name()}{'' if self._open else ', closed'})"


def chip_name():
    """The embedded board: TTLANG_CHIP's, else an n150."""
    name = os.environ.get("TTLANG_CHIP", CHIPS[0])
    if name not in CHIPS:
        raise ValueError(f"TTLANG_CHIP={name!r} is not one of {', '.join(CHIPS)}")
    return name


def get_current_system_desc(dispatch_core_type=None, mesh_device=None):
    return SystemDesc(_core.system(chip_name()))


def get_arch():
    return Arch.BLACKHOLE if chip_name().startswith("p") else Arch.WORMHOLE_B0


def get_num_available_devices():
    return 1


def open_mesh_device(options=None):
    """Opens the embedded device as a mesh of the options' shape, by default 1x1."""
    if options is not None and not isinstance(options, MeshDeviceOptions):
        raise TypeError(f"expected MeshDeviceOptions, not {options!r}")
    return Device(options or MeshDeviceOptions())


def check_open(device):
    if not isinstance(device, Device):
        raise TypeError(f"expected a Device of open_mesh_device(), not {device!r}")
    if not device._open:
        raise RuntimeError(f"{device} cannot be used any more; open_mesh_device() opens another")
    return device


def close_mesh_device(parent_mesh):
    if check_open(parent_mesh)._parent:
        raise RuntimeError("Mesh device must be a parent mesh")
    for child in parent_mesh._children:
        child._open = False
    parent_mesh._open = False


def create_sub_mesh_device(parent_mesh, mesh_shape, mesh_offset=None):
    """A part of a mesh as a mesh of its own."""
    parent, offset = check_open(parent_mesh), list(mesh_offset or [0] * len(mesh_shape))
    options = MeshDeviceOptions()
    options.mesh_shape, options.mesh_offset = mesh_shape, offset
    beyond = len(mesh_shape) != len(parent._shape) or len(offset) != len(mesh_shape)
    if beyond or any(o < 0 or o + n > size for o, n, size in zip(offset, mesh_shape, parent._shape)):
        raise RuntimeError(f"a mesh of {list(mesh_shape)} at {offset} is no part of one of {parent._shape}")
    child = Device(options, parent)
    parent._children.append(child)
    return child


def release_sub_mesh_device(sub_mesh):
    if not check_open(sub_mesh)._parent:
        raise RuntimeError("Mesh device must be a sub mesh")
    sub_mesh._open = False
    sub_mesh._parent._children.remove(sub_mesh)


def reshape_mesh_device(mesh_device, mesh_shape):
    """The same devices in another shape."""
    shape = _shape(mesh_shape)
    if math.prod(shape) != math.prod(check_open(mesh_device)._shape):
        raise RuntimeError(f"a mesh of {mesh_device._shape} cannot become one of {shape}: the number of devices differs")
    mesh_device._shape = shape
