"""Conversions between the runtime's tensors and devices and those of the ttnn package; buffers on ttnn's devices."""

import bisect
import functools
import weakref

import torch
import ttnn

from ._device import Device, MemoryView, MeshDeviceOptions, chip_of
from ._tensor import create_owned_host_tensor
from ._types import DataType

# ttnn's names of element types -> ours, torch's
_TYPES = {
    "BFLOAT16": (DataType.BFloat16, torch.bfloat16),
    "FLOAT32": (DataType.Float32, torch.float32),
    "UINT32": (DataType.UInt32, torch.uint32),
    "UINT16": (DataType.UInt16, torch.uint16),
    "UINT8": (DataType.UInt8, torch.uint8),
    "INT32": (DataType.Int32, torch.int32),
    "BFLOAT8_B": (DataType.BFP_BFloat8, torch.bfloat16),
    "BFLOAT4_B": (DataType.BFP_BFloat4, torch.bfloat16),
}


def create_runtime_tensor_from_ttnn(tensor, retain=False):
    """The values of a ttnn tensor as a tensor of the runtime."""
    dtype, held = _TYPES[tensor.dtype.name]
    host = ttnn.to_torch(tensor).to(held).contiguous()
    made = create_owned_host_tensor(host.data_ptr(), list(host.shape), list(host.stride()), host.element_size(), dtype)
    made.set_retain(retain)
    return made


def get_ttnn_tensor_from_runtime_tensor(tensor):
    """The inverse: a ttnn tensor on the host."""
    kind, held = next((k, h) for k, (d, h) in _TYPES.items() if d == tensor.get_dtype())
    data = tensor.get_data_buffer()
    host = torch.frombuffer(data, dtype=held) if data else torch.empty(0, dtype=held)
    return ttnn.from_torch(host.reshape(tensor.get_shape()), dtype=ttnn.DataType[kind])


def create_runtime_device_from_ttnn(mesh_device):
    """The runtime's device for one of ttnn: the same embedded chip."""
    _open(mesh_device, "create_runtime_device_from_ttnn")
    options = MeshDeviceOptions()
    options.mesh_shape = [1, mesh_device.get_num_devices()]
    device = Device(options)
    device._chip = _chip(mesh_device.chip)
    return device


# ---- buffers ---------------------------------------------------------------------------------------------

_chip = functools.lru_cache(chip_of)
_memories = weakref.WeakKeyDictionary()  # device -> {"L1": _Memory, "DRAM": _Memory}


class _Memory:
    """The banks of a device's memory: a buffer has the same address in all of them. L1 is given away from its end, DRAM from its beginning."""

    def __init__(self, name, start, end, banks, alignment, down):
        self.name, self.start, self.end, self.banks, self.alignment, self.down = name, start, end, banks, alignment, down
        self.taken = []  # (address, bytes) in order

    def gaps(self):
        """(address, bytes) of what is free, in order."""
        ends = [self.start, *(address + length for address, length in self.taken)]
        return [(end, start - end) for end, start in zip(ends, [*(address for address, _ in self.taken), self.end])]

    def allocate(self, size, page_size):
        pages = -(-size // page_size)
        need = -(-pages // self.banks) * (-(-page_size // self.alignment) * self.alignment)
        gaps = self.gaps()
        fitting = [gap for gap in gaps if gap[1] >= need]
        if not fitting:
            raise RuntimeError(f"Failed to allocate {self.name} buffer: it needs {need} bytes in each of {self.banks} banks; the largest gap is "
                               f"{max(length for _, length in gaps)}; deallocate other buffers, or make it smaller")
        address, length = fitting[-1] if self.down else fitting[0]
        address = (address + length - need) // self.alignment * self.alignment if self.down else address
        bisect.insort(self.taken, (address, need))
        return address, need


class MeshBuffer:
    """Memory of a device that is kept until deallocate()."""

    def __init__(self, memory, size, page_size):
        self._memory, self._size = memory, size
        self._address, self._bytes = memory.allocate(size, page_size)
        self._release = weakref.finalize(self, memory.taken.remove, (self._address, self._bytes))

    def address(self):
        return self._address

    def size(self):
        return self._size

    def deallocate(self):
        self._release()

    def is_allocated(self):
        return self._release.alive


def _open(mesh_device, function):
    if not isinstance(mesh_device, ttnn.Device) or not mesh_device.open:
        raise ValueError(f"{function}: expected an open device of ttnn, found {mesh_device!r}; ttnn.open_device gives one")


def _memory(mesh_device, name, function):
    _open(mesh_device, function)
    if mesh_device not in _memories:
        chip = _chip(mesh_device.chip)
        cores = chip["grid_size"]["x"] * chip["grid_size"]["y"]
        _memories[mesh_device] = {
            "L1": _Memory("L1", chip["l1_unreserved_base"], chip["l1_size"], cores, chip["noc_l1_address_align_bytes"], True),
            "DRAM": _Memory("DRAM", chip["dram_unreserved_base"], chip["dram_unreserved_end"], chip["num_dram_channels"],
                            chip["noc_dram_address_align_bytes"], False)}
    return _memories[mesh_device][name]


def _buffer(mesh_device, name, buffer_size, page_size, function):
    memory = _memory(mesh_device, name, function)
    if buffer_size < 1 or page_size < 1 or buffer_size % page_size:
        raise ValueError(f"{function}: expected a size that is a multiple of its pages' size, found {buffer_size} bytes in pages of {page_size}")
    return MeshBuffer(memory, buffer_size, page_size)


def allocate_l1_buffer(mesh_device, buffer_size, page_size):
    """A buffer in the L1 of a ttnn device, its pages over all cores round-robin."""
    return _buffer(mesh_device, "L1", buffer_size, page_size, "allocate_l1_buffer")


def allocate_dram_buffer(mesh_device, buffer_size, page_size):
    """A buffer in the DRAM of a ttnn device, its pages over all channels round-robin."""
    return _buffer(mesh_device, "DRAM", buffer_size, page_size, "allocate_dram_buffer")


def get_memory_view(mesh_device, name):
    """The MemoryView of a ttnn device's "L1" or "DRAM": its banks, and the bytes of each that buffers take."""
    memory = _memory(mesh_device, name, "get_memory_view")
    view = MemoryView(memory.banks, memory.end - memory.start, sum(length for _, length in memory.taken))
    view.largest_contiguous_bytes_free_per_bank = max(length for _, length in memory.gaps())
    return view


def get_l1_base_allocator_addr(mesh_device):
    """The lowest address of L1 that a buffer can have."""
    return _memory(mesh_device, "L1", "get_l1_base_allocator_addr").start


def get_lowest_occupied_compute_l1_address(mesh_device):
    """The lowest address that a buffer in L1 has; None if there is no buffer. Tensors of ttnn take no addresses."""
    taken = _memory(mesh_device, "L1", "get_lowest_occupied_compute_l1_address").taken
    return taken[0][0] if taken else None


def get_l1_size_per_core(mesh_device):
    """The size of a core's L1 in bytes, with what the system reserves."""
    return _memory(mesh_device, "L1", "get_l1_size_per_core").end
