"""Layouts and shapes of results, without IR and torch: the device and the simulator use the same rules."""

import inspect
import math

from .tensor_layout import TILE


def reduction_layout(layout, dim, allow_cross_tile=False):
    """The layout of a reduction's result, which keeps the dimension with size 1.

    A kernel reduces what lies on one core: a dimension on several cores is an error unless allow_cross_tile says that the
    kernel gathers their parts itself.
    """
    rank = len(layout.logical_shape)
    if not -rank <= dim < rank:
        raise ValueError(f"reduce dim must be in range [-{rank}, {rank - 1}], got {dim}")
    dim %= rank
    if layout.grid_shape[dim] > 1 and not allow_cross_tile:
        raise ValueError(f"a reduction needs a dimension that fits on one core, and dimension {dim} is on {layout.grid_shape[dim]} cores: "
                         "use another grid_shape, or allow_cross_tile=True where the kernel gathers the parts")
    one = {name: [1 if i == dim else n for i, n in enumerate(getattr(layout, name))]
           for name in ("logical_shape", "block_shape", "grid_shape")}
    return layout.replace(shape=one.pop("logical_shape"), **one)


def resolve_reshape(layout, shape):
    """(the new shape, its layout) of reshape(tensor, *shape). Blocks and grid are kept where they fit, else they are 1."""
    shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (list, tuple)) else tuple(shape)
    count = math.prod(layout.logical_shape)
    if sum(n == -1 for n in shape) > 1:
        raise ValueError(f"reshape: only one dimension may be inferred (-1), got {shape}")
    if any(n < -1 for n in shape):
        raise ValueError(f"reshape: dimensions must be >= -1, got {shape}")
    if -1 in shape:
        others = math.prod(n for n in shape if n != -1)
        if others == 0 or count % others:
            raise ValueError(f"reshape: cannot infer -1 dimension: src has {count} elements which is not divisible by the product of "
                             f"the known dims {others} (from {shape})")
        shape = tuple(count // others if n == -1 else n for n in shape)
    if math.prod(shape) != count:
        raise ValueError(f"reshape: total element count must match: src {tuple(layout.logical_shape)} ({count}) != dst {shape} "
                         f"({math.prod(shape)})")
    rank, unit = len(shape), TILE if layout.tiled else 1
    fits = len(layout.block_shape) == len(layout.grid_shape) == rank and all(
        n % (block * grid * unit) == 0 for n, block, grid in zip(shape, layout.block_shape, layout.grid_shape))
    blocks, grid = (layout.block_shape, layout.grid_shape) if fits else ([1] * rank, [1] * rank)
    return shape, layout.replace(shape=shape, block_shape=blocks, grid_shape=grid)


def permuted_layout(layout, order):
    """The layout of a tensor whose dimensions are taken in another order."""
    def taken(sizes):
        return [sizes[i] for i in order]

    return layout.replace(shape=taken(layout.logical_shape), block_shape=taken(layout.block_shape), grid_shape=taken(layout.grid_shape))


def checked_order(dims, rank):
    """The order of a permutation."""
    if sorted(dims) != list(range(rank)):
        raise ValueError(f"permutation {list(dims)} is not a rearrangement of (0..{rank - 1})")
    return list(dims)


# ---- affine functions of views -----------------------------------------------------------------------


class Affine:
    """An argument of a view's function, or a sum that it makes of them. `terms` is what the backends read: a dimension's
    number, an integer, or (sign, left, right)."""

    def __init__(self, terms):
        self.terms = terms

    @staticmethod
    def of(item):
        if isinstance(item, Affine):
            return item.terms
        if not isinstance(item, int) or isinstance(item, bool):
            raise TypeError(f"a view's function computes with its arguments and integers, got {item!r}")
        return ("const", item)

    def _made(self, sign, left, right):
        if sign in "*/%" and Affine.of(right)[0] != "const":
            raise TypeError(f"'{'//' if sign == '/' else sign}' in a view's function needs an integer on its right")
        return Affine((sign, Affine.of(left), Affine.of(right)))

    def __add__(self, other):
        return self._made("+", self, other)

    def __sub__(self, other):
        return self._made("-", self, other)

    def __mul__(self, other):
        return self._made("*", self, other)

    def __floordiv__(self, other):
        return self._made("/", self, other)

    def __mod__(self, other):
        return self._made("%", self, other)

    def __radd__(self, other):
        return self._made("+", other, self)

    def __rsub__(self, other):
        return self._made("-", other, self)

    def __rmul__(self, other):
        return self._made("*", self, other)


def affine_function(function):
    """(number of dimensions, terms of each result) of a Python function of dimensions."""
    count = len(inspect.signature(function).parameters)
    results = function(*(Affine(("dim", i)) for i in range(count)))
    out = []
    for result in results if isinstance(results, (tuple, list)) else (results,):
        if isinstance(result, int) and result != 0:
            raise ValueError(f"a result of a view's function is an expression of its arguments or 0, got {result}")
        out.append(Affine.of(result))
    return count, out


def permutation_of(terms, rank):
    """The order of logical dimensions if the terms permute grid and block in the same way, else None."""
    if len(terms) != 2 * rank or any(kind != "dim" for kind, *_ in terms):
        return None
    order = [term[1] for term in terms[:rank]]
    return order if sorted(order) == list(range(rank)) and [t[1] for t in terms[rank:]] == [p + rank for p in order] else None


# ---- meshes --------------------------------------------------------------------------------------------


class MeshShard:
    """What is needed to gather the shards of a tensor."""

    def __init__(self, full_shape, shard_dims, shard_shape):
        self.full_shape, self.shard_dims, self.shard_shape = list(full_shape), list(shard_dims), list(shard_shape)


def checked_mapping(mesh, rank, shard_dims, shard_shape):
    """Checks which dimension each axis of a mesh divides, and into how many parts."""
    if len(shard_dims) != len(mesh):
        raise ValueError(f"mesh shard_dims must have one entry per mesh dimension, got mesh {mesh} and shard_dims {shard_dims}")
    if len(shard_shape) != rank:
        raise ValueError(f"mesh shard_shape must have one entry per tensor dimension, got tensor rank {rank} and shard_shape {shard_shape}")
    for dim in shard_dims:
        if not isinstance(dim, int) or isinstance(dim, bool) or not -1 <= dim < rank:
            raise ValueError(f"mesh shard dimension {dim!r} is invalid for rank {rank}")
    parts = [1] * rank
    for count, dim in zip(mesh, shard_dims):
        if dim >= 0:
            parts[dim] *= count
    if list(shard_shape) != parts:
        raise ValueError(f"mesh shard_shape {list(shard_shape)} does not match mesh {mesh} mapped by shard_dims {shard_dims}; expected {parts}")


def shape_of_shard(mesh, shape, shard_dims, shard_shape):
    checked_mapping(mesh, len(shape), shard_dims, shard_shape)
    for dim, (size, parts) in enumerate(zip(shape, shard_shape)):
        if size % parts:
            raise ValueError(f"mesh shard: full dim {dim} ({size}) is not divisible by shard factor {parts}")
    return [size // parts for size, parts in zip(shape, shard_shape)]


def gathered(tensor, mesh, shard_dims, shard_shape):
    """Marks a device's tensor as a shard; its mapping may be known already."""
    if mesh is None:
        raise RuntimeError("mesh_gather() requires a preceding mesh() declaration")
    if tensor.mesh is not None:
        for name, given in (("shard_dims", shard_dims), ("shard_shape", shard_shape)):
            if given is not None and list(given) != getattr(tensor.mesh, name):
                raise ValueError(f"mesh_gather {name} do not match existing metadata: {list(given)}, the tensor has {getattr(tensor.mesh, name)}")
        return tensor
    if shard_dims is None or shard_shape is None:
        raise ValueError("mesh_gather needs shard_dims and shard_shape for a tensor not produced by mesh_shard")
    checked_mapping(mesh, len(tensor.layout.logical_shape), list(shard_dims), list(shard_shape))
    tensor.mesh = MeshShard([n * parts for n, parts in zip(tensor.layout.logical_shape, shard_shape)], shard_dims, shard_shape)
    return tensor


class CurrentMesh:
    """The mesh of the graph that is being built: what the simulator may know of the device's builder."""

    shape = None


# ---- regions of cores -----------------------------------------------------------------------------------


def checked_regions(grid_ranges, region_builders, outputs):
    """The ranges of a spatial call as ((y, x), (y, x)), both included."""
    ranges, builders = list(grid_ranges), list(region_builders)
    if len(ranges) != len(builders):
        raise ValueError(f"grid_ranges has {len(ranges)} entries but region_builders has {len(builders)}")
    if not builders:
        raise ValueError("d2m.spatial requires at least one region")
    for i, build in enumerate(builders):
        if not callable(build):
            raise TypeError(f"region_builders[{i}] must be callable, got {type(build).__name__}")
    if not outputs:
        raise ValueError("d2m.spatial outputs= must be non-empty")
    out = []
    for i, given in enumerate(ranges):
        try:
            (top, left), (bottom, right) = given
        except (TypeError, ValueError) as error:
            raise ValueError(f"grid_ranges entries must be ((start_y, start_x), (end_y, end_x)) pairs, got {given!r} at index {i}") from error
        if bottom < top or right < left:
            raise ValueError(f"grid_ranges[{i}] end ({bottom}, {right}) must be greater than or equal to start ({top}, {left})")
        out.append(((top, left), (bottom, right)))
    return out
