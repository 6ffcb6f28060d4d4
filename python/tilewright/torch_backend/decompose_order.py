"""Decompositions for running extremes, ranks, positions in sorted sequences, scattered elements."""

import torch
import torch.nn.functional as F

aten = torch.ops.aten


def running(x, dim, combine):
    """Combines every element with all before it along `dim`: spans of 1, 2, 4, ... elements, each joined with the
    span before it."""
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
    """Selects the last of equal elements; NaN wins, as in torch."""

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
    """Every element's index along `dim`."""
    dim %= x.dim()
    shape = [n if d == dim else 1 for d, n in enumerate(x.shape)]
    return torch.arange(x.shape[dim]).reshape(shape).expand(x.shape)


def logcumsumexp(x, dim):
    def combine(early, late):
        return [torch.logaddexp(early[0], late[0])]

    return running([x], dim % x.dim(), combine)[0] if x.dim() else x.clone()


def at_index(x, index, dim, keepdim):
    """The elements at index `index` (kept dimension) along `dim`, with their indices."""
    values = x.gather(dim, index)
    return (values, index) if keepdim else (values.squeeze(dim), index.squeeze(dim))


def kthvalue(x, k, dim=-1, keepdim=False):
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    dim %= x.dim()
    values, indices = torch.sort(x, dim=dim, stable=True)
    values, indices = values.narrow(dim, k - 1, 1), indices.narrow(dim, k - 1, 1)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


def median(x, dim, keepdim=False):
    """The lower of the two middle elements; NaN where there is one."""
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    dim %= x.dim()
    indices = torch.sort(x, dim=dim, stable=True)[1]
    index = indices.narrow(dim, (x.shape[dim] - 1) // 2, 1)
    if x.is_floating_point():
        bad = isnan(x)
        index = torch.where(bad.any(dim, True), bad.to(torch.int32).argmax(dim, True), index)
    return at_index(x, index, dim, keepdim)


def nanmedian(x, dim, keepdim=False):
    """The lower middle element of those that are not NaN: they are sorted to the front."""
    if not x.dim() or not x.is_floating_point():
        return median(x, dim, keepdim)
    dim %= x.dim()
    indices = torch.sort(x, dim=dim, stable=True)[1]
    count = (~isnan(x)).sum(dim, True)
    return at_index(x, indices.gather(dim, ((count - 1) // 2).clamp(min=0)), dim, keepdim)


def of_all(function):
    return lambda x: function(x.reshape(-1), 0)[0]


def mode(x, dim=-1, keepdim=False):
    """The smallest of the most frequent values, at its last index."""
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    dim %= x.dim()
    y = x.movedim(dim, -1)
    ordered = torch.sort(y, dim=-1)[0]
    counts = (ordered[..., :, None] == ordered[..., None, :]).sum(-1)
    value = ordered.gather(-1, counts.argmax(-1, True))
    index = torch.where(y == value, positions(y, -1), -1).amax(-1, True)
    value, index = value.movedim(-1, dim), index.movedim(-1, dim)
    return (value, index) if keepdim else (value.squeeze(dim), index.squeeze(dim))


def searchsorted(ordered, x, *, out_int32=False, right=False, side=None, sorter=None):
    """The number of elements of the sequence that precede x."""
    if sorter is not None:
        ordered = ordered.gather(-1, sorter)
    x = torch.as_tensor(x, dtype=ordered.dtype)
    if ordered.dim() > 1:
        ordered = ordered[..., None, :]
    value = x[..., None]
    # NaN sorts after everything.
    if right or side == "right":
        before = ~(ordered > value) & ~(isnan(ordered) & ~isnan(value)) | isnan(value)
    else:
        before = (ordered < value) | isnan(value) & ~isnan(ordered)
    return before.sum(-1, dtype=torch.int32 if out_int32 else torch.int64)


def bucketize(x, boundaries, *, out_int32=False, right=False):
    return searchsorted(boundaries, x, out_int32=out_int32, right=right)


def histc(x, bins=100, min=0, max=0):
    """The bin of an element is rounded as torch rounds it, in the element's type."""
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
    """Each index as often as its count; the size of the result must be given."""
    if output_size is None:
        raise NotImplementedError("repeat_interleave by a tensor is not supported without output_size")
    return searchsorted(repeats.cumsum(0), torch.arange(output_size), right=True)


def masked_scatter(x, mask, source):
    """The source's elements in order, where the mask is true."""
    mask = mask.expand(x.shape).reshape(-1)
    index = (mask.cumsum(0) - 1).clamp(0, source.numel() - 1)
    return torch.where(mask, source.reshape(-1)[index], x.reshape(-1)).reshape(x.shape)


def put(x, index, source, accumulate=False):
    flat = x.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate)
    return flat.reshape(x.shape)


def diagonal_scatter(x, source, offset=0, dim1=0, dim2=1):
    """Writes the source to a diagonal."""
    y = x.movedim((dim1, dim2), (-2, -1))
    rows, columns = y.shape[-2:]
    here = torch.arange(rows)[:, None] + offset == torch.arange(columns)
    index = (torch.arange(rows) - max(0, -offset)).clamp(0, max(0, source.shape[-1] - 1))
    values = source.index_select(-1, index)[..., None].expand(y.shape) if source.numel() else y
    return torch.where(here, values, y).movedim((-2, -1), (dim1, dim2))


def nonzero_static(x, *, size, fill_value=-1):
    """The first `size` indices of nonzero elements, which a stable sort moves to the front."""
    flat = (x != 0).reshape(-1)
    index = torch.sort((~flat).to(torch.int32), dim=0, stable=True)[1]
    count, total = flat.sum(), min(size, flat.shape[0])
    index, found = index[:total], torch.arange(total) < count
    columns, step = [], 1
    for n in reversed(x.shape):
        columns.insert(0, torch.where(found, index // step % n, fill_value))
        step *= n
    result = torch.stack(columns, 1) if columns else index.new_empty(total, 0)
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
