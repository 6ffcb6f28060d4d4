"""Functions of kernels over torch. Their names are the rows of table.py."""

import threading

import torch
import torch.nn.functional

from .. import table
from ..tensor_layout import TILE, _to_data_type
from .tensors import TORCH, SimBlock, SimTensor

# Where torch's function has another name, or there is none.
REFERENCES = {
    "recip": torch.reciprocal, "negative": torch.neg, "logical_left_shift": torch.bitwise_left_shift,
    "right_shift": torch.bitwise_right_shift, "tile_transpose": lambda t: t.transpose(2, 3).contiguous(),
    "logical_right_shift": lambda a, b: ((a.long() & 0xFFFFFFFF) >> b.long()).to(a.dtype), "eqz": lambda t: t == 0, "nez": lambda t: t != 0,
    "gtz": lambda t: t > 0, "gez": lambda t: t >= 0, "ltz": lambda t: t < 0, "lez": lambda t: t <= 0,
    "where": lambda condition, a, b: torch.where(condition != 0, a, b),
}


def reference(name):
    """The function of torch that a row means. Predicates are 0 or 1 in the operands' element type."""
    for source in (REFERENCES, vars(torch), vars(torch.nn.functional)):
        if name in source:
            return source[name]
    raise LookupError(f"no reference for '{name}'")


def _elementwise(name):
    compute, count = reference(name), len(table.OPERANDS[name])

    def function(*blocks):
        if len(blocks) != count or not all(isinstance(b, SimBlock) for b in blocks):
            raise TypeError(f"{name}() takes {count} blocks, got {', '.join(type(b).__name__ for b in blocks)}")
        axes = [b.reduced_axes for b in blocks]
        tiles = compute(*(b.tiles for b in blocks))
        if tiles.dtype == torch.bool:
            tiles = tiles.to(blocks[-1].tiles.dtype)
        return SimBlock(tiles, axes[0] if all(a == axes[0] for a in axes) else ())

    function.__name__ = function.__qualname__ = name
    return function


def clamp_scalar(x, min, max):
    return SimBlock(x.tiles.clamp(min, max), x.reduced_axes)


def typecast(x, dtype):
    return SimBlock(x.tiles.to(TORCH[_to_data_type(dtype)]), x.reduced_axes)


def tile_bcast(x, bcast_type):
    rows, columns = {"none": (TILE, TILE), "row": (1, TILE), "col": (TILE, 1), "scalar": (1, 1)}[table.broadcast_of(bcast_type)]
    return SimBlock(x.tiles[:, :, :rows, :columns].expand(x.tiles.shape).contiguous())


def tile_bcast_row(x):
    return tile_bcast(x, "row")


def tile_bcast_col(x):
    return tile_bcast(x, "col")


def tile_bcast_2d(x):
    return tile_bcast(x, "2d")


def matmul(lhs, rhs, transpose_b=False):
    right = rhs.to_2d()
    return SimBlock.from_2d(lhs.to_2d() @ (right.T if transpose_b else right))


def _reduction(compute):
    """Of a row or column of tiles; the result is in all columns or rows of its tile."""
    def function(x, dim):
        axis = table.reduced_axis(dim)
        result = compute(x.tiles, (axis, axis + 2))
        shape = list(result.shape)
        shape[axis + 2] = TILE
        return SimBlock(result.expand(shape).contiguous(), (axis,))

    return function


reduce_sum = _reduction(lambda tiles, dims: tiles.sum(dims, keepdim=True))
reduce_mean = _reduction(lambda tiles, dims: tiles.mean(dims, keepdim=True))
reduce_max = _reduction(lambda tiles, dims: tiles.amax(dims, keepdim=True))


def zeros(shape):
    """A block of zeros in f32."""
    if len(shape) != 2:
        raise NotImplementedError(f"sim zeros() supports rank-2 block shapes only, got {list(shape)}")
    return SimBlock(torch.zeros(*shape, TILE, TILE))


# ---- cores, movement, semaphores --------------------------------------------------------------------------------

_state = threading.local()


def set_core(core):
    _state.core = core


def core_index(index):
    core = getattr(_state, "core", None)
    if core is None:
        raise RuntimeError("core_index() is called in kernels only")
    return core[index]


def _slices(name, tensor, indices):
    """The elements of a block."""
    if not isinstance(tensor, SimTensor):
        raise TypeError(f"{name}() takes a tensor of the kernel's arguments, got a {type(tensor).__name__}")
    if len(indices) != len(tensor.layout.block_shape):
        raise ValueError(f"{name}() takes {len(tensor.layout.block_shape)} indices for this tensor, got {len(indices)}")
    unit = TILE if tensor.layout.tiled else 1
    out = []
    for at, block, size in zip(indices, tensor.layout.block_shape, tensor.buffer.shape):
        begin, end = at * block * unit, (at + 1) * block * unit
        if begin < 0 or end > size:
            raise IndexError(f"{name}(): block {list(indices)} is out of bounds of the tensor {list(tensor.buffer.shape)}")
        out.append(slice(begin, end))
    return tuple(out)


def remote_load(src, indices, mcast_start_index=None, mcast_shape=None, mcast_dims=None):
    """Multicast is how data moves, not which."""
    return SimBlock.from_2d(src.buffer[_slices("remote_load", src, indices)])


def remote_store(dst, indices, src):
    if not isinstance(src, SimBlock):
        raise TypeError(f"remote_store() takes a block, got a {type(src).__name__}")
    into, elements = _slices("remote_store", dst, indices), src.to_2d()
    if dst.buffer[into].shape != elements.shape:
        raise ValueError(f"remote_store(): blocks of this tensor are {tuple(dst.buffer[into].shape)}, got {tuple(elements.shape)}")
    dst.buffer[into] = elements.to(dst.buffer.dtype)


class Semaphore:
    """Orders threads of the device. Cores run one after another here, so every wait is over at once."""

    def __init__(self, value=0):
        self.value = value

    def set(self, value, core=None, mcast=None):
        self.value = value

    def inc(self, value, core=None, mcast=None):
        self.value += value

    def wait(self, value, reset=None):
        if reset is not None:
            self.value = reset

    def __await__(self):
        yield from ()
        return self


SIM_METHODS = {**{name: _elementwise(name) for name in table.OPERANDS}, **{name: globals()[name] for name in table.OTHERS}}
SIM_OPS = {**SIM_METHODS, "core_index": core_index, "remote_load": remote_load, "remote_store": remote_store, "zeros": zeros,
           "Semaphore": Semaphore}
