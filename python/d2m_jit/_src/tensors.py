"""Functions of the host on tensors of the device: conversions, constants, views."""

import torch
from ttmlir import ir
from ttmlir.dialects import arith, d2m, ttcore

from . import blocks, types
from .builder import TORCH, LazyTensor, _get_scope, graph, lazy, to_layout
from .shapes import affine_function, checked_order, gathered, permutation_of, permuted_layout, resolve_reshape


def tilize(lt, dtype=None):
    """The tensor in tiles, with another element type if one is given."""
    return _relaid("tilize", lt, True, dtype)


def untilize(lt, dtype=None):
    """The tensor in rows, with another element type if one is given."""
    return _relaid("untilize", lt, False, dtype)


def _relaid(name, lt, tiled, dtype):
    layout = lazy(name, lt).layout
    return to_layout(lt, layout.replace(tiled=tiled, dtype=layout.dtype if dtype is None else dtype))


def full(layout, value):
    """A tensor with one value: a kernel that fills tiles, or, without tiles, a tensor of the host."""
    if not layout.tiled:
        return to_layout(torch.full(layout.logical_shape, value, dtype=TORCH[layout.dtype]), layout)
    scope = _get_scope()
    with scope.building() as context:
        out = types.as_blocks(layout, context, d2m.empty(types.device(layout, context)))
        rank = out.type.rank // 2
        identity = ir.AffineMap.get_identity(rank)
        block_type = ir.RankedTensorType.get(list(out.type.shape)[rank:], out.type.element_type)
        generic = generic_of(context, [], [out], [], layout.grid_shape, [1] * rank, [identity], ["parallel"] * rank)
        with ir.InsertionPoint(generic.regions[0].blocks[0]):
            scalar = types.scalar(layout.dtype, context)
            make = ir.IntegerAttr if isinstance(scalar, ir.IntegerType) else ir.FloatAttr
            number = make.get(scalar, int(value) if make is ir.IntegerAttr else float(value))
            filled = blocks._per_tile([], d2m.empty(block_type), [identity],
                                      lambda tile: d2m.tile_fill(tile.type, arith.ConstantOp(scalar, number).result))
            at = [d2m.block_index(i) for i in range(rank)]
            d2m.yield_([d2m.remote_store(out.type, out, at, start_device=[], device_mcast_shape=[], semaphore_indices=[],
                                         local_buffer=filled)])
    return LazyTensor(layout, generic.results[0], scope.generation)


def generic_of(context, inputs, outputs, scalars, grid, block_factors=(), maps=(), iterators=()):
    """A d2m.generic of one unified thread, with an empty block."""
    kinds = [ttcore.ir.IteratorTypeAttr.get(context, ttcore.IteratorType[i.title()].value) for i in iterators]
    thread = d2m.ir.ThreadAttr.get(context, str(d2m.ThreadType.Unified))
    grid = grid if isinstance(grid, ir.Attribute) else ttcore.ir.GridAttr.get(context, list(grid))
    generic = d2m.GenericOp([v.type for v in outputs], inputs, outputs, scalars, grid, list(block_factors), list(maps),
                            ir.ArrayAttr.get(kinds), ir.ArrayAttr.get([thread]), 1)
    ir.Block.create_at_start(generic.regions[0], [], [])
    return generic


def zeros(layout):
    """A tensor of zeros."""
    return full(layout, 0)


def arange(layout, start=0, step=1):
    """start, start + step, ... row by row, in the shape of the layout."""
    count = torch.Size(layout.logical_shape).numel()
    flat = torch.arange(start, start + count * step, step, dtype=TORCH[layout.dtype])
    return to_layout(flat.reshape(layout.logical_shape), layout)


def reshape(lt, *shape):
    """The tensor with another shape of as many elements; one dimension may be -1. The graph runs: the host moves the data."""
    _without_mesh("reshape", lazy("reshape", lt))
    shape, layout = resolve_reshape(lt.layout, shape)
    return to_layout(lt.to_host().reshape(shape), layout)


def mesh_gather(lt, shard_dims=None, shard_shape=None):
    """Says that the tensor is a part of a larger one, which to_host puts together. See mesh_shard."""
    builder = graph("mesh_gather()")
    return gathered(lazy("mesh_gather", lt)._resolve(), builder._mesh_shape, shard_dims, shard_shape)


# ---- views ------------------------------------------------------------------------------------------------------


def _without_mesh(name, lt):
    if lt.mesh is not None:
        raise ValueError(f"{name}: the tensor is divided among devices, and its parts cannot be remapped: gather it and shard the result")


def _view(lt, count, terms):
    scope = _get_scope()
    source = lt.value.type
    if count != source.rank:
        raise ValueError(f"view_layout: lambda takes {count} args but source MLIR rank is {source.rank}")
    plain = all(kind in ("dim", "const") for kind, *_ in terms)
    if not plain and len(terms) != source.rank:
        raise ValueError(f"view_layout: affine-arithmetic remappings currently preserve source rank and shape; got {len(terms)} results "
                         f"for source rank {source.rank}")
    shape = [source.shape[t[1]] if t[0] == "dim" else 1 for t in terms] if plain else list(source.shape)
    with scope.building():
        kind = ir.RankedTensorType.get(shape, source.element_type, encoding=source.encoding)
        value = d2m.ViewLayoutOp(kind, lt.value, types.affine_map(count, terms)).result
    order = permutation_of(terms, len(lt.layout.logical_shape))
    return LazyTensor(permuted_layout(lt.layout, order) if order else lt.layout, value, scope.generation, is_view=True)


def view_layout(lt, remapping_fn):
    """A view by a function of the device's dimensions (grid, then block), whose results are its arguments, 0, or arithmetic with
    integers: view_layout(x, lambda g0, g1, b0, b1: (g1, g0, b1, b0))."""
    _without_mesh("view_layout", lazy("view_layout", lt))
    return _view(lt._resolve(), *affine_function(remapping_fn))


def view(lt, remapping_fn):
    """A view by a permutation of logical dimensions: view(x, lambda i, j: (j, i))."""
    _without_mesh("view", lazy("view", lt))
    rank = len(lt.layout.logical_shape)
    count, terms = affine_function(remapping_fn)
    if count != rank or len(terms) != rank or any(kind != "dim" for kind, *_ in terms):
        raise ValueError(f"view: lambda must be a permutation of the {rank} logical dims (no constants); use view_layout for richer remappings")
    return _permuted(lt, [term[1] for term in terms])


def permute(lt, *dims):
    """A view with the logical dimensions in another order: permute(x, 1, 0)."""
    _without_mesh("permute", lazy("permute", lt))
    rank = len(lt.layout.logical_shape)
    if len(dims) != rank:
        raise ValueError(f"permute: expected {rank} dim indices for logical rank {rank}, got {len(dims)}: {dims}")
    return _permuted(lt, dims)


def _permuted(lt, dims):
    order = checked_order(dims, len(lt.layout.logical_shape))
    return _view(lt._resolve(), 2 * len(order), [("dim", i) for i in [*order, *(i + len(order) for i in order)]])
