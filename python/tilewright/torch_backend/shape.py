"""Rows that make, move and slice tensors without arithmetic."""

import torch

from .rows import Unsupported, dim_of, dims_of, element_of, per_dimension, row, shape_of
from .build import Value


@row(
    "view", "reshape", "_unsafe_view", "flatten.using_ints", "unflatten.int", "squeeze", "squeeze.dim",
    "squeeze.dims", "unsqueeze", "_reshape_alias", "reshape_as", "view_as", "ravel",
)
def reshape(b, out, x, *_, **__):
    return b.reshape(x, shape_of(out))


@row(
    "alias", "detach", "clone", "contiguous", "lift_fresh_copy", "lift_fresh", "lift", "view.dtype",
    "dropout", "feature_dropout", "alpha_dropout", "positive", "resolve_conj", "resolve_neg",
)
def identity(b, out, x, *arguments, **keywords):
    if out.dtype is not None and element_of(out) != x.element:
        raise Unsupported("reinterpreting bits as another element type is not supported")
    if len(arguments) >= 2 and arguments[1] is True or keywords.get("train"):
        raise Unsupported("random numbers are not supported; call .eval() on the model")
    return x


@row(
    "to.dtype", "to.device", "to.dtype_layout", "to.other", "_to_copy", "type_as", "_to_cpu",
    "prims.convert_element_type",
)
def to(b, out, x, *_, **__):
    element = element_of(out)
    if x.element in ("f32", "f64", "f16", "bf16") and element == "ui8":
        # torch wraps negative values; a direct conversion would be undefined for them.
        return b.convert(b.convert(x, "i32"), element)
    return b.convert(x, element)


@row("expand", "expand_as", "broadcast_to")
def expand(b, out, x, *_, **__):
    return b.broadcast(x, shape_of(out))


@row("permute")
def permute(b, out, x, dims):
    return b.transpose(x, dims)


@row("transpose.int", "swapaxes", "swapdims")
def transpose(b, out, x, first, second):
    order = list(range(x.rank))
    if x.rank:
        first, second = first % x.rank, second % x.rank
        order[first], order[second] = order[second], order[first]
    return b.transpose(x, order)


@row("t", "numpy_T", "mT", "adjoint")
def t(b, out, x):
    return x if x.rank < 2 else transpose(b, out, x, -1, -2)


@row("movedim.int", "movedim.intlist", "moveaxis.int", "moveaxis.intlist")
def movedim(b, out, x, source, target):
    source = [dim_of(d, x.rank) for d in per_dimension(source, 1)]
    target = [dim_of(d, x.rank) for d in per_dimension(target, 1)]
    order = [d for d in range(x.rank) if d not in source]
    for axis, origin in sorted(zip(target, source)):
        order.insert(axis, origin)
    return b.transpose(x, order)


def bounds(start, end, size):
    """torch's slice limits: negative ones count from the end, all are clamped."""
    start = 0 if start is None else start
    end = size if end is None else end
    start = max(0, min(start + size if start < 0 else start, size))
    end = max(start, min(end + size if end < 0 else end, size))
    return start, end


@row("slice.Tensor")
def slice_(b, out, x, dim=0, start=None, end=None, step=1):
    dim = dim_of(dim, x.rank)
    start, end = bounds(start, end, x.shape[dim])
    return b.slice_dim(x, dim, start, end, step)


@row("select.int")
def select(b, out, x, dim, index):
    dim = dim_of(dim, x.rank)
    index = index % x.shape[dim]
    return b.reshape(b.slice_dim(x, dim, index, index + 1), shape_of(out))


@row("narrow")
def narrow(b, out, x, dim, start, length):
    dim = dim_of(dim, x.rank)
    start += x.shape[dim] if start < 0 else 0
    return b.slice_dim(x, dim, start, start + length)


@row("split.Tensor", "split.sizes", "split_with_sizes", "chunk", "tensor_split.sections", "unsafe_chunk",
     "unsafe_split.Tensor")
def split(b, out, x, sizes, dim=0):
    """The parts' sizes are those of the results."""
    dim, at, parts = dim_of(dim, x.rank), 0, []
    for part in out:
        size = shape_of(part)[dim]
        parts.append(b.slice_dim(x, dim, at, at + size))
        at += size
    return tuple(parts)


@row("unbind.int")
def unbind(b, out, x, dim=0):
    dim = dim_of(dim, x.rank)
    return tuple(
        b.reshape(b.slice_dim(x, dim, i, i + 1), shape_of(part)) for i, part in enumerate(out)
    )


@row("cat", "concat", "concatenate")
def cat(b, out, xs, dim=0):
    shape = shape_of(out)
    # torch accepts an empty vector beside tensors of any rank.
    xs = [b.convert(x, element_of(out)) for x in xs if x.shape != (0,) or len(shape) == 1]
    return b.concat(xs, dim_of(dim, len(shape)))


@row("stack")
def stack(b, out, xs, dim=0):
    dim = dim_of(dim, len(shape_of(out)))
    xs = [b.reshape(x, x.shape[:dim] + (1,) + x.shape[dim:]) for x in xs]
    return b.concat([b.convert(x, element_of(out)) for x in xs], dim)


@row("flip")
def flip(b, out, x, dims):
    """A look-up with descending indices: the device has no reversal."""
    from .index import take

    for d in dims_of(dims, x.rank) if dims else []:
        if x.shape[d] > 1:
            x = take(b, x, d, b.literal(torch.arange(x.shape[d] - 1, -1, -1)))
    return x


@row("roll")
def roll(b, out, x, shifts, dims=()):
    shifts, dims = per_dimension(shifts, 1), per_dimension(dims, 1) if dims != () else []
    flat = not dims
    if flat:
        x, dims = b.reshape(x, (numel(x.shape),)), [0]
    for shift, dim in zip(shifts, dims):
        dim = dim_of(dim, x.rank)
        size = x.shape[dim]
        at = (-shift) % size if size else 0
        if at:
            x = b.concat([b.slice_dim(x, dim, at, size), b.slice_dim(x, dim, 0, at)], dim)
    return b.reshape(x, shape_of(out))


def numel(shape):
    total = 1
    for n in shape:
        total *= n
    return total


@row("repeat", "tile")
def repeat(b, out, x, repeats):
    """Inserts a dimension for each factor, broadcasts along it, and flattens the pairs."""
    shape = shape_of(out)
    x = b.reshape(x, (1,) * (len(shape) - x.rank) + x.shape)
    if 0 in shape:
        return b.splat(0, shape, x.element)
    pairs, dims = [], []
    for n, total in zip(x.shape, shape):
        dims.append(len(pairs) + 1)
        pairs += [total // n, n]
    return b.reshape(b.broadcast_in_dim(x, pairs, dims), shape)


@row("repeat_interleave.self_int")
def repeat_interleave(b, out, x, repeats, dim=None, output_size=None):
    if dim is None:
        x, dim = b.reshape(x, (numel(x.shape),)), 0
    dim = dim_of(dim, x.rank)
    wide = x.shape[: dim + 1] + (repeats,) + x.shape[dim + 1 :]
    dims = list(range(dim + 1)) + list(range(dim + 2, x.rank + 1))
    return b.reshape(b.broadcast_in_dim(x, wide, dims), shape_of(out))


@row("constant_pad_nd")
def constant_pad_nd(b, out, x, pads, value=0):
    low, high = [0] * x.rank, [0] * x.rank
    for i in range(len(pads) // 2):
        low[-1 - i], high[-1 - i] = pads[2 * i], pads[2 * i + 1]
    return b.pad(x, value, low, high)


@row("pad")
def pad(b, out, x, pads, mode="constant", value=None):
    if mode == "constant":
        return constant_pad_nd(b, out, x, pads, value or 0)
    for i in range(len(pads) // 2):
        x = edge_pad(b, x, x.rank - 1 - i, pads[2 * i], pads[2 * i + 1], mode)
    return x


@row("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def reflection_pad(b, out, x, pads):
    return pad(b, out, x, pads, "reflect")


@row("replication_pad1d", "replication_pad2d", "replication_pad3d")
def replication_pad(b, out, x, pads):
    return pad(b, out, x, pads, "replicate")


def edge_pad(b, x, dim, low, high, mode):
    size = x.shape[dim]

    def side(amount, left):
        if mode == "circular":
            return b.slice_dim(x, dim, size - amount, size) if left else b.slice_dim(x, dim, 0, amount)
        if mode == "reflect":
            part = (
                b.slice_dim(x, dim, 1, amount + 1)
                if left
                else b.slice_dim(x, dim, size - 1 - amount, size - 1)
            )
            return flip(b, None, part, [dim])
        part = b.slice_dim(x, dim, 0, 1) if left else b.slice_dim(x, dim, size - 1, size)
        shape = list(x.shape)
        shape[dim] = amount
        return b.broadcast_in_dim(part, shape, range(x.rank))

    if mode not in ("circular", "reflect", "replicate"):
        raise Unsupported(f"padding mode '{mode}' is not supported")
    if low < 0 or high < 0:
        raise Unsupported(f"negative padding in mode '{mode}' is not supported")
    parts = [side(low, True)] if low else []
    parts.append(x)
    parts += [side(high, False)] if high else []
    return b.concat(parts, dim)


@row("slice_scatter")
def slice_scatter(b, out, x, source, dim=0, start=None, end=None, step=1):
    dim = dim_of(dim, x.rank)
    size = x.shape[dim]
    start, end = bounds(start, end, size)
    source = b.convert(source, x.element)
    count = source.shape[dim]
    if not count:
        return x
    if step == 1:
        parts = [b.slice_dim(x, dim, 0, start)] if start else []
        parts.append(source)
        parts += [b.slice_dim(x, dim, end, size)] if end < size else []
        return b.concat(parts, dim)
    from .index import write_rows

    positions = b.literal(torch.arange(start, end, step))
    return write_rows(b, x, dim, positions, source, None)


@row("select_scatter")
def select_scatter(b, out, x, source, dim, index):
    dim = dim_of(dim, x.rank)
    index = index % x.shape[dim]
    source = b.reshape(b.convert(source, x.element), x.shape[:dim] + (1,) + x.shape[dim + 1 :])
    return slice_scatter(b, out, x, source, dim, index, index + 1)


@row("copy", "copy_")
def copy(b, out, x, source, non_blocking=False):
    return b.lift(source, x.shape, x.element)


# -- making tensors -------------------------------------------------------------------------


@row("full", "full_like", "new_full", "scalar_tensor", "fill.Scalar", "fill.Tensor")
def full(b, out, *arguments, fill_value=None, **_):
    value = fill_value if fill_value is not None else arguments[-1]
    if isinstance(value, Value):
        return b.lift(value, shape_of(out), element_of(out))
    return b.splat(value, shape_of(out), element_of(out))


@row(
    "zeros", "zeros_like", "new_zeros", "empty.memory_format", "empty_like", "new_empty", "empty_strided",
    "new_empty_strided", "empty_permuted", "zero",
)
def zeros(b, out, *_, **__):
    return b.splat(0, shape_of(out), element_of(out))


@row("ones", "ones_like", "new_ones")
def ones(b, out, *_, **__):
    return b.splat(1, shape_of(out), element_of(out))


@row("arange", "arange.start", "arange.start_step")
def arange(b, out, *arguments, **_):
    start = arguments[0] if len(arguments) > 1 else 0
    step = arguments[2] if len(arguments) > 2 else 1
    shape, element = shape_of(out), element_of(out)
    value = b.iota(shape, 0, element)
    value = value if step == 1 else b.mul(value, step)
    return value if start == 0 else b.add(value, start)


@row("linspace")
def linspace(b, out, start, end, steps, **_):
    return b.literal(torch.linspace(start, end, steps, dtype=out.dtype))


@row("eye", "eye.m")
def eye(b, out, *_, **__):
    return b.literal(torch.eye(*shape_of(out), dtype=out.dtype))


@row("tril")
def tril(b, out, x, diagonal=0):
    return b.select(triangle(b, x, "GE", diagonal), x, b.splat(0, x.shape, x.element))


@row("triu")
def triu(b, out, x, diagonal=0):
    return b.select(triangle(b, x, "LE", diagonal), x, b.splat(0, x.shape, x.element))


def triangle(b, x, direction, diagonal):
    """True where row + diagonal >= column (or <=)."""
    rows = b.iota(x.shape, x.rank - 2, "i32")
    rows = rows if diagonal == 0 else b.add(rows, diagonal)
    return b.compare(direction, rows, b.iota(x.shape, x.rank - 1, "i32"))


@row("diagonal")
def diagonal(b, out, x, offset=0, dim1=0, dim2=1):
    """A look-up of the indices (i, i + offset) in the two dimensions joined; the diagonal becomes the last dimension."""
    from .index import take

    dim1, dim2 = dim_of(dim1, x.rank), dim_of(dim2, x.rank)
    rest = [d for d in range(x.rank) if d not in (dim1, dim2)]
    rows, columns = x.shape[dim1], x.shape[dim2]
    x = b.transpose(x, rest + [dim1, dim2])
    x = b.reshape(x, x.shape[:-2] + (rows * columns,))
    steps = torch.arange(shape_of(out)[-1])
    positions = (steps + max(-offset, 0)) * columns + steps + max(offset, 0)
    return take(b, x, x.rank - 1, b.literal(positions))


@row("unfold")
def unfold(b, out, x, dim, size, step):
    """Windows along `dim`; the elements of a window become the last dimension."""
    from .index import take

    if not x.rank:
        return b.reshape(x, shape_of(out))
    dim = dim_of(dim, x.rank)
    count = shape_of(out)[dim]
    positions = torch.arange(count)[:, None] * step + torch.arange(size)[None, :]
    windows = take(b, x, dim, b.literal(positions))
    order = [d for d in range(windows.rank) if d != dim + 1] + [dim + 1]
    return b.transpose(windows, order)
