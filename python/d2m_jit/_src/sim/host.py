"""Functions of the host in the simulator. Memory is zero where the device's is unspecified."""

import torch

from ..shapes import CurrentMesh, affine_function, checked_order, checked_regions, gathered, permutation_of, permuted_layout, resolve_reshape
from ..tensor_layout import TILE
from .tensors import TORCH, SimTensor


def _tensor(name, tensor):
    if not isinstance(tensor, SimTensor):
        raise TypeError(f"{name} expected a SimTensor, got {type(tensor).__name__}")
    return tensor


def full(layout, value):
    shape = list(layout.logical_shape)
    if layout.tiled:
        shape[-2:] = [-(-n // TILE) * TILE for n in shape[-2:]]
    return SimTensor(layout, torch.full(shape, value, dtype=TORCH[layout.dtype]))


def empty(layout):
    return full(layout, 0)


zeros = empty


def to_layout(input_, layout):
    if not isinstance(input_, (SimTensor, torch.Tensor)):
        raise TypeError(f"to_layout expected a torch.Tensor or SimTensor, got {type(input_).__name__}")
    elements = input_ if isinstance(input_, torch.Tensor) else input_.to_logical()
    if list(elements.shape) != layout.logical_shape:
        raise ValueError(f"to_layout shape mismatch: the tensor has {list(elements.shape)}, the layout {layout.logical_shape}")
    out = empty(layout)
    out.buffer[tuple(slice(n) for n in layout.logical_shape)] = elements.to(out.buffer.dtype)
    return out


def _relaid(name, tensor, tiled, dtype):
    layout = _tensor(name, tensor).layout
    return to_layout(tensor, layout.replace(tiled=tiled, dtype=layout.dtype if dtype is None else dtype))


def tilize(lt, dtype=None):
    return _relaid("tilize", lt, True, dtype)


def untilize(lt, dtype=None):
    return _relaid("untilize", lt, False, dtype)


def arange(layout, start=0, step=1):
    count = torch.Size(layout.logical_shape).numel()
    flat = torch.arange(start, start + count * step, step, dtype=TORCH[layout.dtype])
    return to_layout(flat.reshape(layout.logical_shape), layout)


def reshape(lt, *shape):
    shape, layout = resolve_reshape(_tensor("reshape", lt).layout, shape)
    return to_layout(lt.to_host().reshape(shape), layout)


def _permuted(tensor, dims):
    order = checked_order(dims, len(tensor.layout.logical_shape))
    return SimTensor(permuted_layout(tensor.layout, order), tensor.buffer.permute(order), is_view=True)


def permute(lt, *dims):
    rank = len(_tensor("permute", lt).layout.logical_shape)
    if len(dims) != rank:
        raise ValueError(f"permute: expected {rank} dim indices for logical rank {rank}, got {len(dims)}: {dims}")
    return _permuted(lt, dims)


def view(lt, remapping_fn):
    rank = len(_tensor("view", lt).layout.logical_shape)
    count, terms = affine_function(remapping_fn)
    if count != rank or len(terms) != rank or any(kind != "dim" for kind, *_ in terms):
        raise ValueError(f"view: lambda must be a permutation of the {rank} logical dims (no constants); use view_layout for richer remappings")
    return _permuted(lt, [term[1] for term in terms])


def view_layout(lt, remapping_fn):
    rank = len(_tensor("view_layout", lt).layout.logical_shape)
    count, terms = affine_function(remapping_fn)
    if count != 2 * rank:
        raise ValueError(f"view_layout: lambda takes {count} args but source MLIR rank is {2 * rank}")
    order = permutation_of(terms, rank)
    if order is None:
        raise NotImplementedError("the simulator has view_layout for permutations of the grid that are those of the block; others need the device")
    return _permuted(lt, order)


def mesh_gather(lt, shard_dims=None, shard_shape=None):
    return gathered(_tensor("mesh_gather", lt), CurrentMesh.shape, shard_dims, shard_shape)


def spatial(inputs, outputs, grid_ranges, region_builders):
    outputs = [_tensor("d2m.spatial outputs=", t) for t in outputs]
    for tensor in inputs:
        _tensor("d2m.spatial inputs=", tensor)
    checked_regions(grid_ranges, region_builders, outputs)
    for build in region_builders:
        build()
    return tuple(outputs)


def to_host(*tensors):
    if not tensors:
        raise ValueError("to_host requires at least one SimTensor")
    for i, tensor in enumerate(tensors):
        if _tensor(f"to_host: argument {i}", tensor).is_view:
            raise ValueError(f"to_host: argument {i} is a view, which has no data of its own: convert it first, to_layout(v, v.layout)")
    return tuple(tensor.to_logical() for tensor in tensors)
