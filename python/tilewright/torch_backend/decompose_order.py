"""Decompositions of our own for running extremes, ranks, places in sorted sequences, scattered elements."""

import torch
import torch.nn.functional as F

aten = torch.ops.aten


def running(x, dim, combine):
    """The combination of every element with all before it along `dim`: spans of 1, 2, 4, ...
    elements, each joined with the span in front of it."""
    size, step = x[0].shape[dim], 1
    while step < size:
        early = [t.narrow(dim, 0, size - step) for t in x]
        late = [t.narrow(dim, step, size - step) for t in x]
        joined = combine(early, late)
        x = [torch.cat([t.narrow(dim, 0, step), j], dim) for t, j in zip(x, joined)]
        step *= 2
    return x


def isnan(x):
    return x != x


def running_extreme(better):
    """The latest of equal elements counts, and NaN wins, as in torch."""

    def combine(early, late):
        take = better(late[0], early[0]) | isnan(late[0])
        take = take & ~(isnan(early[0]) & ~isnan(late[0]))
        return [torch.where(take, b, a) for a, b in zip(early, late)]

    def operator(x, dim):
        if not x.dim():
            return x.clone(), torch.zeros((), dtype=torch.int64)
        return tuple(running([x, positions(x, dim)], dim % x.dim(), combine))

    return operator


def positions(x, dim):
    """Every element's place along `dim`."""
    dim %= x.dim()
    shape = [n if d == dim else 1 for d, n in enumerate(x.shape)]
    return torch.arange(x.shape[dim]).reshape(shape).expand(x.shape)


def logcumsumexp(x, dim):
    def combine(early, late):
        return [torch.logaddexp(early[0], late[0])]

    return running([x], dim % x.dim(), combine)[0] if x.dim() else x.clone()


def at_place(x, place, dim, keepdim):
    """The elements at `place` (kept dimension) along `dim`, with their places."""
    values = x.gather(dim, place)
    return (values, place) if keepdim else (values.squeeze(dim), place.squeeze(dim))


def kthvalue(x, k, dim=-1, keepdim=False):
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    dim %= x.dim()
    values, places = torch.sort(x, dim=dim, stable=True)
    values, places = values.narrow(dim, k - 1, 1), places.narrow(dim, k - 1, 1)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


def median(x, dim, keepdim=False):
    """The lower of two middles; NaN where there is one."""
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    dim %= x.dim()
    places = torch.sort(x, dim=dim, stable=True)[1]
    place = places.narrow(dim, (x.shape[dim] - 1) // 2, 1)
    if x.is_floating_point():
        bad = isnan(x)
        place = torch.where(bad.any(dim, True), bad.to(torch.int32).argmax(dim, True), place)
    return at_place(x, place, dim, keepdim)


def nanmedian(x, dim, keepdim=False):
    """The lower middle of those that are numbers: they are sorted to the front."""
    if not x.dim() or not x.is_floating_point():
        return median(x, dim, keepdim)
    dim %= x.dim()
    places = torch.sort(x, dim=dim, stable=True)[1]
    count = (~isnan(x)).sum(dim, True)
    return at_place(x, places.gather(dim, ((count - 1) // 2).clamp(min=0)), dim, keepdim)


def of_all(function):
    return lambda x: function(x.reshape(-1), 0)[0]


def mode(x, dim=-1, keepdim=False):
    """The smallest of the most frequent values, at its last place."""
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    dim %= x.dim()
    y = x.movedim(dim, -1)
    ordered = torch.sort(y, dim=-1)[0]
    counts = (ordered[..., :, None] == ordered[..., None, :]).sum(-1)
    value = ordered.gather(-1, counts.argmax(-1, True))
    place = torch.where(y == value, positions(y, -1), -1).amax(-1, True)
    value, place = value.movedim(-1, dim), place.movedim(-1, dim)
    return (value, place) if keepdim else (value.squeeze(dim), place.squeeze(dim))


def searchsorted(ordered, x, *, out_int32=False, right=False, side=None, sorter=None):
    """How many elements of the sequence stand before x."""
    if sorter is not None:
        ordered = ordered.gather(-1, sorter)
    x = torch.as_tensor(x, dtype=ordered.dtype)
    if ordered.dim() > 1:
        ordered = ordered[..., None, :]
    value = x[..., None]
    # NaN sorts behind everything.
    if right or side == "right":
        before = ~(ordered > value) & ~(isnan(ordered) & ~isnan(value)) | isnan(value)
    else:
        before = (ordered < value) | isnan(value) & ~isnan(ordered)
    return before.sum(-1, dtype=torch.int32 if out_int32 else torch.int64)


def bucketize(x, boundaries, *, out_int32=False, right=False):
    return searchsorted(boundaries, x, out_int32=out_int32, right=right)


def histc(x, bins=100, min=0, max=0):
    """Which bin an element is in is rounded as torch rounds it, in the element's type."""
    x = x.reshape(-1)
    low, high = (torch.full((), v, dtype=x.dtype) for v in (min, max))
    if min == max and x.numel():
        low, high = x.amin(), x.amax()
        same = low == high
        low, high = torch.where(same, low - 1, low), torch.where(same, high + 1, high)
    bin = ((x - low) * bins / (high - low)).to(torch.int64).clamp(max=bins - 1)
    inside = (x >= low) & (x <= high)
    return ((bin[:, None] == torch.arange(bins)) & inside[:, None]).sum(0).to(x.dtype)


def repeat_interleave(repeats, output_size=None):
    """Each place as often as it says; how often in all must be told."""
    if output_size is None:
        raise NotImplementedError("repeat_interleave by a tensor is not supported without output_size")
    return searchsorted(repeats.cumsum(0), torch.arange(output_size), right=True)


def masked_scatter(x, mask, source):
    """The source's elements in order, where the mask is true."""
    mask = mask.expand(x.shape).reshape(-1)
    place = (mask.cumsum(0) - 1).clamp(0, source.numel() - 1)
    return torch.where(mask, source.reshape(-1)[place], x.reshape(-1)).reshape(x.shape)


def put(x, index, source, accumulate=False):
    flat = x.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate)
    return flat.reshape(x.shape)


def diagonal_scatter(x, source, offset=0, dim1=0, dim2=1):
    """The source on a diagonal."""
    y = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = y.shape[-2:]
    here = torch.arange(rows)[:, None] + offset == torch.arange(columns)
    place = (torch.arange(rows) - max(0, -offset)).clamp(0, max(0, source.shape[-1] - 1))
    values = source.index_select(-1, place)[..., None].expand(y.shape) if source.numel() else y
    return torch.where(here, values, y).movedim((-2, -1), (dim1, dim2))


def nonzero_static(x, *, size, fill_value=-1):
    """The first `size` places of elements that are not zero: those come first in a stable sort."""
    flat = (x != 0).reshape(-1)
    place = torch.sort((~flat).to(torch.int32), dim=0, stable=True)[1]
    count, total = flat.sum(), min(size, flat.shape[0])
    place, found = place[:total], torch.arange(total) < count
    columns, step = [], 1
    for n in reversed(x.shape):
        columns.insert(0, torch.where(found, place // step % n, fill_value))
        step *= n
    result = torch.stack(columns, 1) if columns else place.new_empty(total, 0)
    return F.pad(result, (0, 0, 0, size - total), value=fill_value)


OWN = {
    aten.cummax.default: running_extreme(torch.ge),
    aten.cummin.default: running_extreme(torch.le),
    aten.logcumsumexp.default: logcumsumexp,
    aten.kthvalue.default: kthvalue,
    aten.median.dim: median,
    aten.median.default: of_all(median),
    aten.nanmedian.dim: nanmedian,
    aten.nanmedian.default: of_all(nanmedian),
    aten.mode.default: mode,
    aten.searchsorted.Tensor: searchsorted,
    aten.searchsorted.Scalar: searchsorted,
    aten.bucketize.Tensor: bucketize,
    aten.bucketize.Scalar: bucketize,
    aten.histc.default: histc,
    aten.repeat_interleave.Tensor: repeat_interleave,
    aten.masked_scatter.default: masked_scatter,
    aten.put.default: put,
    aten.diagonal_scatter.default: diagonal_scatter,
    aten.nonzero_static.default: nonzero_static,
}
