"""Rows that read and write by index: embedding, gather, index_select, index_copy, scatter."""

import functools

import torch

from .rows import Unsupported, dim_of, element_of, row, shape_of
from .shape import numel
from .build import Value, highest, is_float, lowest


def of_scalars(function):
    """A row of (x, dim, index, ...) where a rank-0 tensor counts as one of a single element, as in torch."""

    def lift(b, value):
        return b.reshape(value, (1,)) if isinstance(value, Value) and not value.rank else value

    @functools.wraps(function)
    def call(b, out, x, dim, index, *more, **options):
        if x.rank:
            return function(b, out, x, dim, index, *more, **options)
        result = function(b, out, lift(b, x), dim, lift(b, index), *(lift(b, v) for v in more), **options)
        return b.reshape(result, shape_of(out))

    return call


# The combiners of booleans, for booleans as the integers 0 and 1.
BOOLEAN = {"add": "maximum", "or": "maximum", "multiply": "minimum", "and": "minimum"}


def scatter_into(b, x, indices, updates, dims, combine):
    """Builder.scatter; the device cannot combine booleans, so they are combined as integers."""
    if x.element != "i1" or combine is None:
        return b.scatter(x, indices, updates, dims, combine)
    x, updates = b.convert(x, "i32"), b.convert(updates, "i32")
    return b.convert(b.scatter(x, indices, updates, dims, BOOLEAN.get(combine, combine)), "i1")


def wrap(b, index, size):
    """Negative indices count from the end."""
    below = b.compare("LT", index, b.splat(0, index.shape, index.element))
    return b.select(below, b.add(index, size), index)


def take(b, x, dim, index):
    """x's slices at `index` along `dim`; the result has index's dimensions instead of `dim`."""
    shape = x.shape[:dim] + index.shape + x.shape[dim + 1 :]
    dims = {
        "offset_dims": list(range(dim)) + list(range(dim + index.rank, len(shape))),
        "collapsed_slice_dims": [dim],
        "start_index_map": [dim],
        "index_vector_dim": index.rank,
    }
    sizes = [1 if d == dim else n for d, n in enumerate(x.shape)]
    return b.gather(x, index, dims, sizes, shape)


@row("embedding")
def embedding(b, out, weight, index, *_, **__):
    return take(b, weight, 0, index)


@row("index_select")
@of_scalars
def index_select(b, out, x, dim, index):
    return take(b, x, dim_of(dim, x.rank), b.reshape(index, (numel(index.shape),)))


@row("gather")
@of_scalars
def gather(b, out, x, dim, index, sparse_grad=False):
    dim = dim_of(dim, x.rank)
    # torch allows index to be smaller than x in the other dimensions; the rest of x is then unused.
    limits = [n if d == dim else index.shape[d] for d, n in enumerate(x.shape)]
    x = b.slice(x, [0] * x.rank, limits)

    def decomposition(c, y, positions):
        others = [d for d in range(y.rank) if d != dim]
        dims = {
            "collapsed_slice_dims": [dim],
            "operand_batching_dims": others,
            "start_indices_batching_dims": others,
            "start_index_map": [dim],
            "index_vector_dim": positions.rank,
        }
        return c.gather(y, positions, dims, [1] * y.rank, positions.shape)

    return b.composite("tenstorrent.gather_dim", [x, index], {"dim": f"{dim} : i64"}, decomposition)


@row("as_strided")
def as_strided(b, out, x, size, stride, storage_offset=None):
    """Gathers these positions of x's memory, which is contiguous here."""
    positions = torch.full((), storage_offset or 0, dtype=torch.int32)
    for d, (n, step) in enumerate(zip(size, stride)):
        positions = positions[..., None] + torch.arange(n, dtype=torch.int32) * step
    if positions.numel() and not 0 <= int(positions.min()) <= int(positions.max()) < numel(x.shape):
        raise Unsupported("as_strided beyond the tensor's own elements is not supported")
    return take(b, b.reshape(x, (numel(x.shape),)), 0, b.literal(positions))


@row("take")
def take_flat(b, out, x, index):
    flat = b.reshape(x, (numel(x.shape),))
    return take(b, flat, 0, wrap(b, index, numel(x.shape)))


def broadcast_shapes(shapes):
    rank = max(len(s) for s in shapes)
    out = [1] * rank
    for s in shapes:
        for i, n in enumerate(s):
            at = rank - len(s) + i
            out[at] = n if out[at] == 1 else out[at]
    return tuple(out)


def index_plan(b, x, indices):
    """The indexed dimensions, the joint index (..., k), and the position of its dimensions in the result."""
    if any(i is not None and i.element in ("i1", "ui8") for i in indices):
        raise Unsupported("a mask as index has a result of unknown size and is not supported")
    used = [d for d, i in enumerate(indices) if i is not None]
    common = broadcast_shapes([indices[d].shape for d in used])
    element = "i64" if any(indices[d].element == "i64" for d in used) else "i32"
    columns = []
    for d in used:
        column = wrap(b, b.convert(indices[d], element), x.shape[d])
        column = b.broadcast(column, common)
        columns.append(b.reshape(column, common + (1,)))
    adjacent = used == list(range(used[0], used[-1] + 1))
    return used, b.concat(columns, len(common)), common, used[0] if adjacent else 0


@row("index.Tensor", "_unsafe_index.Tensor")
def index(b, out, x, indices):
    used, joint, common, at = index_plan(b, x, indices)
    if len(used) == 1:
        return take(b, x, used[0], b.reshape(joint, common))
    # Several indices become one into the indexed dimensions joined: a row look-up.
    rest = [d for d in range(x.rank) if d not in used]
    sizes = [x.shape[d] for d in used]
    table = b.reshape(b.transpose(x, used + rest), [numel(sizes)] + [x.shape[d] for d in rest])
    position = None
    for k in range(len(used)):
        column = b.reshape(b.slice_dim(joint, joint.rank - 1, k, k + 1), common)
        step = numel(sizes[k + 1 :])
        column = column if step == 1 else b.mul(column, step)
        position = column if position is None else b.add(position, column)
    rows = take(b, table, 0, position)
    n = len(common)
    order = [n + i for i in range(at)] + list(range(n)) + [n + i for i in range(at, len(rest))]
    return b.transpose(rows, order)


@row("index_put", "_unsafe_index_put")
def index_put(b, out, x, indices, values, accumulate=False):
    if [i.element for i in indices if i is not None] == ["i1"]:
        return put_where(b, x, indices, values, accumulate)
    used, joint, common, at = index_plan(b, x, indices)
    rest = [n for d, n in enumerate(x.shape) if d not in used]
    shape = rest[:at] + list(common) + rest[at:]
    dims = {
        "update_window_dims": [d for d in range(len(shape)) if not at <= d < at + len(common)],
        "inserted_window_dims": used,
        "scatter_dims_to_operand_dims": used,
        "index_vector_dim": joint.rank - 1,
    }
    updates = b.lift(values, shape, x.element)
    return scatter_into(b, x, joint, updates, dims, "add" if accumulate else None)


def put_where(b, x, indices, values, accumulate):
    """One mask as index, and values whose shape does not depend on the number of set positions."""
    at, mask = next((d, i) for d, i in enumerate(indices) if i is not None)
    rest = x.shape[at + mask.rank :]
    shape = (1,) * (at + 1 + len(rest) - values.rank) + values.shape
    if len(shape) > at + 1 + len(rest) or shape[at] != 1:
        raise Unsupported("a mask as index with a value for each of its positions is not supported")
    values = b.reshape(values, shape[:at] + (1,) * mask.rank + shape[at + 1 :])
    values = b.lift(values, x.shape, x.element)
    mask = b.broadcast_in_dim(mask, x.shape, range(at, at + mask.rank))
    if accumulate:
        values = b.binary("or" if x.element == "i1" else "add", x, values)
    return b.select(mask, values, x)


def write_rows(b, x, dim, index, source, combine):
    """Writes slices of `source` to positions `index` along `dim`."""
    index = b.reshape(index, (numel(index.shape), 1))
    dims = {
        "update_window_dims": [d for d in range(x.rank) if d != dim],
        "inserted_window_dims": [dim],
        "scatter_dims_to_operand_dims": [dim],
        "index_vector_dim": 1,
    }
    return scatter_into(b, x, index, b.convert(source, x.element), dims, combine)


@row("index_copy")
@of_scalars
def index_copy(b, out, x, dim, index, source):
    return write_rows(b, x, dim_of(dim, x.rank), index, source, None)


@row("index_add")
@of_scalars
def index_add(b, out, x, dim, index, source, alpha=1):
    source = b.convert(source, x.element)
    source = source if alpha == 1 else b.mul(source, alpha)
    return write_rows(b, x, dim_of(dim, x.rank), index, source, "add")


@row("index_fill.int_Scalar")
@of_scalars
def index_fill(b, out, x, dim, index, value):
    dim = dim_of(dim, x.rank)
    shape = x.shape[:dim] + (numel(index.shape),) + x.shape[dim + 1 :]
    return write_rows(b, x, dim, index, b.splat(value, shape, x.element), None)


def scatter_elements(b, x, dim, index, source, combine):
    """torch.scatter: every element of `index` is a position along `dim`; the other coordinates are its own."""
    dim = dim_of(dim, x.rank)
    columns = [
        b.reshape(
            index if d == dim else b.iota(index.shape, d, index.element), index.shape + (1,)
        )
        for d in range(x.rank)
    ]
    updates = source
    if updates.shape != index.shape:
        updates = b.slice(source, [0] * x.rank, index.shape)
    dims = {
        "inserted_window_dims": list(range(x.rank)),
        "scatter_dims_to_operand_dims": list(range(x.rank)),
        "index_vector_dim": x.rank,
    }
    joint = b.concat(columns, x.rank)
    return scatter_into(b, x, joint, b.convert(updates, x.element), dims, combine)


@row("scatter.src")
@of_scalars
def scatter(b, out, x, dim, index, source):
    return scatter_elements(b, x, dim, index, source, None)


@row("scatter.value")
@of_scalars
def scatter_value(b, out, x, dim, index, value):
    return scatter_elements(b, x, dim, index, b.splat(value, index.shape, x.element), None)


@row("scatter_add")
@of_scalars
def scatter_add(b, out, x, dim, index, source):
    return scatter_elements(b, x, dim, index, source, "add")


# The combiner of a reduction, and its initial value where the tensor's own element is excluded.
REDUCTIONS = {
    "sum": ("add", lambda element: 0),
    "mean": ("add", lambda element: 0),
    "prod": ("multiply", lambda element: 1),
    "amax": ("maximum", lowest),
    "amin": ("minimum", highest),
}


@row("scatter_reduce.two")
@of_scalars
def scatter_reduce(b, out, x, dim, index, source, reduce, include_self=True):
    combine, neutral = REDUCTIONS[reduce]
    if not include_self:
        x = scatter_elements(b, x, dim, index, b.splat(neutral(x.element), index.shape, x.element), None)
    total = scatter_elements(b, x, dim, index, source, combine)
    if reduce != "mean":
        return total
    ones = b.splat(1, x.shape, x.element)
    if not include_self:
        ones = scatter_elements(b, ones, dim, index, b.splat(0, index.shape, x.element), None)
    count = scatter_elements(b, ones, dim, index, b.splat(1, index.shape, x.element), "add")
    return divide(b, total, count)


def divide(b, x, y):
    """The mean of integers is rounded down."""
    if is_float(x.element):
        return b.div(x, y)
    quotient, rest = b.div(x, y), b.binary("remainder", x, y)
    below = b.compare("LT", rest, b.splat(0, rest.shape, rest.element))
    return b.sub(quotient, b.convert(below, x.element))


@row("index_reduce")
@of_scalars
def index_reduce(b, out, x, dim, index, source, reduce, include_self=True):
    dim = dim_of(dim, x.rank)
    index = b.broadcast_in_dim(b.reshape(index, (numel(index.shape),)), source.shape, [dim])
    return scatter_reduce(b, out, x, dim, index, source, reduce, include_self)


@row("one_hot")
def one_hot(b, out, x, classes=-1):
    shape = shape_of(out)
    positions = b.iota(shape, len(shape) - 1, x.element)
    expanded = b.broadcast_in_dim(x, shape, range(x.rank))
    return b.convert(b.compare("EQ", expanded, positions), element_of(out))
