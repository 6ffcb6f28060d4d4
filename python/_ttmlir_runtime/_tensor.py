"""Tensors of the runtime: dense memory on the host or on a device, one part per device."""

import ctypes
import itertools
import math

from tilewright import _core

from ._types import DataType

_ids = itertools.count(1)


class Layout:
    """A program's layout of an argument: its element type, and tiles or rows."""

    def __init__(self, dtype, tiled=True, on_device=True):
        self._dtype, self._tiled, self._on_device = dtype, tiled, on_device

    def __eq__(self, other):
        return isinstance(other, Layout) and vars(self) == vars(other)

    def __hash__(self):
        return hash((self._dtype, self._tiled, self._on_device))

    def __repr__(self):
        return f"Layout({self._dtype.name}, {'tiles' if self._tiled else 'rows'}, {'device' if self._on_device else 'host'})"


class TensorDesc:
    """`shape`, `stride` in elements, bytes of an element, its type, and the id of elements."""

    def __init__(self, shape, dtype):
        self.shape, self.stride, self.dtype = list(shape), dense_stride(shape), dtype
        self.item_size, self.physical_volume = dtype.size, math.prod(shape)


class TensorRef:
    """A tensor of a program, by its id in the binary."""

    def __init__(self, program, id, shape, dtype):
        self._key, self._shape, self._dtype = (program, id), shape, DataType(dtype)

    def get_shape(self):
        return list(self._shape)

    def get_dtype(self):
        return self._dtype


class Tensor:
    """A tensor; the shards of one that is distributed over several devices are tensors of their own."""

    def __init__(self, shape, dtype, memory, layout=None, device=None, shards=None, retain=False, strategy=None):
        self._shape, self._dtype, self._memory = list(shape), dtype, memory
        self._layout = layout or Layout(dtype, tiled=False, on_device=False)
        self._device, self._shards, self._retain = device, shards, retain
        self._id = next(_ids)
        self._strategy = dict(strategy or {})

    def is_allocated(self):
        return self._memory is not None or bool(self._shards)

    def get_retain(self):
        return self._retain

    def set_retain(self, retain):
        """A retained tensor outlives the program that it is passed to."""
        self._retain = bool(retain)

    def get_shape(self):
        return list(self._shape)

    def get_stride(self):
        return dense_stride(self._shape)

    def get_volume(self):
        return math.prod(self._shape)

    get_logical_volume = get_volume

    def get_dtype(self):
        return self._dtype

    def get_element_size(self):
        return self._dtype.size

    def get_tensor_desc(self):
        return TensorDesc(self._shape, self._dtype)

    def get_data_buffer(self):
        """The bytes of the elements, row-major."""
        return bytearray(self.memory())

    def has_layout(self, layout):
        return self._layout == layout

    def get_layout(self):
        return self._layout

    def get_global_id(self):
        return self._id

    # -- for the runtime ------------------------------------------------------------------

    def memory(self):
        """Its memory, as an object with the buffer protocol."""
        if self._shards:
            if len(self._shards) > 1:
                raise RuntimeError(f"the tensor has {len(self._shards)} shards; get_device_tensors() gives each")
            return self._shards[0].memory()
        if self._memory is None:
            raise RuntimeError("the tensor has been deallocated")
        return self._memory

    def shards(self):
        return self._shards or [self]

    def release(self):
        self._memory = self._shards = None

    def converted(self, layout, device, retain):
        """The tensor in another layout, in memory of its own."""
        if self._shards:
            parts = [shard.converted(layout, device, retain) for shard in self._shards]
            return Tensor(self._shape, layout._dtype, None, layout, device, parts, retain, self._strategy)
        memory = new_memory(self._shape, layout._dtype)
        _core.convert(memory, layout._dtype.held.value, self.memory(), self._dtype.held.value)
        return Tensor(self._shape, layout._dtype, memory, layout, device, retain=retain)

    def __repr__(self):
        shape = "x".join(map(str, self._shape)) or "a number"
        return f"Tensor({shape}, {self._dtype.name}, {'on ' + repr(self._device) if self._device else 'on the host'})"


def dense_stride(shape):
    """Strides of a row-major tensor, in elements."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return strides[::-1]


def new_memory(shape, dtype):
    return bytearray(math.prod(shape) * dtype.size)


def _check(ptr, shape, itemsize, dtype):
    if not isinstance(dtype, DataType):
        raise TypeError(f"expected a DataType, not {dtype!r}")
    if any(size < 0 for size in shape):
        raise ValueError(f"a shape of {list(shape)} has a negative size")
    if not ptr and math.prod(shape):
        raise ValueError(f"a tensor of shape {list(shape)} needs memory; the pointer is null")


def create_owned_host_tensor(ptr, shape, stride, itemsize, dtype):
    """A tensor on the host with a copy of the memory at `ptr`. Strides count elements."""
    _check(ptr, shape, itemsize, dtype)
    memory = new_memory(shape, dtype)
    if memory:
        _core.gather(memory, ptr, list(shape), list(stride), dtype.size)
    return Tensor(shape, dtype, memory)


def create_borrowed_host_tensor(ptr, shape, stride, itemsize, dtype):
    """A tensor on the host that views the caller's memory, which must be dense and outlive it."""
    _check(ptr, shape, itemsize, dtype)
    bytes_ = math.prod(shape) * dtype.size
    moved = [s for s, size in zip(stride, shape) if size != 1]
    dense = [s for s, size in zip(dense_stride(shape), shape) if size != 1]
    if bytes_ and moved != dense:
        raise ValueError(f"a borrowed tensor has to be dense: strides {list(stride)} of shape {list(shape)}; "
                         "create_owned_host_tensor copies any")
    return Tensor(shape, dtype, (ctypes.c_char * bytes_).from_address(ptr) if bytes_ else bytearray())


def create_unsafe_borrowed_host_tensor(owned_host_tensor):
    """A second tensor over the memory of an owned one."""
    t = owned_host_tensor
    return Tensor(t._shape, t._dtype, t.memory())


def create_empty_tensor(device, layout, shape, stride, itemsize):
    return Tensor(shape, layout._dtype, new_memory(shape, layout._dtype), layout, device)


def create_scalar_tensor(value):
    """A rank-0 tensor of one Int32 or Float32."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"expected an integer or a float, not {value!r}")
    kind, dtype = (ctypes.c_int32, DataType.Int32) if isinstance(value, int) else (ctypes.c_float, DataType.Float32)
    return Tensor([], dtype, bytearray(kind(value)))


def _joined(parts, strategy, mesh_shape):
    devices = math.prod(mesh_shape)
    if len(parts) != devices:
        raise ValueError(f"a mesh of {list(mesh_shape)} takes {devices} shards, not {len(parts)}")
    return Tensor(parts[0]._shape, parts[0]._dtype, None, shards=parts, strategy=strategy)


def create_multi_device_host_tensor(ptrs, shape, stride, itemsize, dtype, strategy, mesh_shape):
    """One shard for each device of the mesh, copied."""
    return _joined([create_owned_host_tensor(p, shape, stride, itemsize, dtype) for p in ptrs], strategy, mesh_shape)


def create_multi_device_borrowed_host_tensor(ptrs, shape, stride, itemsize, dtype, strategy, mesh_shape):
    """One shard for each device of the mesh, in the caller's memory."""
    return _joined([create_borrowed_host_tensor(p, shape, stride, itemsize, dtype) for p in ptrs], strategy, mesh_shape)


def create_multi_device_host_tensor_from_shards(tensor_shards, strategy, mesh_shape):
    return _joined(list(tensor_shards), strategy, mesh_shape)
