"""References of StableHLO's operations that are not element-wise.  An attribute that is a structure (dimension numbers) is
read by its members; `a.body` names the operation of a reduction's region, `a.region(i)` evaluates a region."""

import itertools

import torch
from torch.nn import functional as F
from golden.nn import dot_general, product, wide
from golden.movement import NoReference, bitcast

_BODIES = {"add": ("sum", torch.add), "maximum": ("amax", torch.maximum), "minimum": ("amin", torch.minimum), "multiply": ("prod", torch.mul),
           "and": ("all", torch.logical_and), "or": ("any", torch.logical_or)}


def _one_at_a_time(name, x, over):
    for d in sorted(over, reverse=True):
        x = getattr(torch, name)(x, d)
    return x


def reduce(a, xs, starts):
    over = list(a.dimensions)
    if len(xs) == 1 and a.body in _BODIES:
        name, join = _BODIES[a.body]
        x = xs[0]
        if name in ("all", "any") and x.dtype is not torch.bool:
            return _folded(a, xs, starts, over)
        if any(x.shape[d] == 0 for d in over) and name in ("amax", "amin"):
            return starts[0].expand([n for d, n in enumerate(x.shape) if d not in over]).clone()
        done = _one_at_a_time(name, x, over)
        return join(done.to(starts[0].dtype), starts[0]) if name != "sum" or not x.is_floating_point() else done + starts[0].to(done.dtype)
    return _folded(a, xs, starts, over)


def _folded(a, xs, starts, over):
    """By the region itself, one slice after another."""
    kept = [d for d in range(xs[0].dim()) if d not in over]
    flat = [x.permute(*kept, *over).reshape(*(x.shape[d] for d in kept), -1) for x in xs]
    state = [s.expand(f.shape[:-1]) for s, f in zip(starts, flat)]
    for i in range(flat[0].shape[-1]):
        state = a.region(0, [*state, *(f[..., i] for f in flat)])
    return tuple(state) if len(state) > 1 else state[0]




def reduce_window(a, xs, starts):
    """Each position of the window in turn."""
    rank, window = xs[0].dim(), list(a.window_dimensions)
    ones = [1] * rank
    strides, dilation, base = (list(v) if v is not None else ones for v in (a.window_strides, a.window_dilations, a.base_dilations))
    pairs = a.padding.reshape(-1, 2).tolist() if a.padding is not None else [[0, 0]] * rank
    grown = [padded(x, s, [p[0] for p in pairs], [p[1] for p in pairs], [b - 1 for b in base]) for x, s in zip(xs, starts)]
    counts = [(g - (d * (w - 1) + 1)) // s + 1 for g, w, d, s in zip(grown[0].shape, window, dilation, strides)]
    state = [s.expand(counts) for s in starts]
    for position in itertools.product(*map(range, window)):
        cut = [g[tuple(slice(p * d, p * d + (c - 1) * s + 1, s) for p, d, c, s in zip(position, dilation, counts, strides))] for g in grown]
        state = a.region(0, [*state, *cut]) if a.body not in _BODIES or len(cut) > 1 else [_BODIES[a.body][1](state[0], cut[0])]
    return tuple(state) if len(state) > 1 else state[0]


def padded(x, value, low, high, inner):
    """Low and high padding, which may be negative, and `inner` elements between neighbours."""
    spaced = [max(0, (n - 1) * (i + 1) + 1) if n else 0 for n, i in zip(x.shape, inner)]
    out = value.to(x.dtype).expand([max(0, low_ + n + high_) for low_, n, high_ in zip(low, spaced, high)]).clone()
    whole = value.to(x.dtype).expand(spaced).clone()
    whole[tuple(slice(None, None, i + 1) for i in inner)] = x
    for d, (before, after) in enumerate(zip(low, high)):
        begin, end = max(0, -before), whole.shape[d] - max(0, -after)
        whole = whole.narrow(d, begin, max(0, end - begin))
    out[tuple(slice(max(0, b), max(0, b) + n) for b, n in zip(low, whole.shape))] = whole
    return out


def pad(a, x, value):
    return padded(x, value, list(a.edge_padding_low), list(a.edge_padding_high), list(a.interior_padding))


def broadcast_in_dim(a, x, *_):
    shape = [1] * len(a.shapes[0])
    for size, d in zip(x.shape, a.broadcast_dimensions):
        shape[d] = size
    order = sorted(range(x.dim()), key=lambda i: a.broadcast_dimensions[i])
    return x.permute(order).reshape(shape).expand(list(a.shapes[0]))


def iota(a, *_):
    shape, d = list(a.shapes[0]), a.iota_dimension
    return torch.arange(shape[d], device=a.device_of).reshape([-1 if i == d else 1 for i in range(len(shape))]).expand(shape).clone()


def _starts(x, starts, sizes):
    if x.device.type == "meta":
        return [0] * x.dim()
    return [max(0, min(int(s), n - k)) for s, n, k in zip(starts, x.shape, sizes)]


def dynamic_slice(a, x, starts):
    sizes = list(a.slice_sizes)
    return x[tuple(slice(s, s + k) for s, k in zip(_starts(x, starts, sizes), sizes))]


def dynamic_update_slice(a, x, update, starts):
    out = x.clone()
    out[tuple(slice(s, s + k) for s, k in zip(_starts(x, starts, update.shape), update.shape))] = update
    return out




def convolution(a, x, w, *_):
    n, spatial = a.dimension_numbers, len(a.dimension_numbers.input_spatial_dimensions)
    ones = [1] * spatial
    strides, base, dilation = (list(v) if v is not None else ones for v in (a.window_strides, a.lhs_dilation, a.rhs_dilation))
    pairs = a.padding.reshape(-1, 2).tolist() if a.padding is not None else [[0, 0]] * spatial
    x = wide(x).permute(n.input_batch_dimension, n.input_feature_dimension, *n.input_spatial_dimensions)
    w = wide(w).permute(n.kernel_output_feature_dimension, n.kernel_input_feature_dimension, *n.kernel_spatial_dimensions)
    turned = [i + 2 for i, r in enumerate(a.window_reversal or []) if r]
    w = w.flip(turned) if turned else w
    x = padded(x, torch.zeros((), device=x.device), [0, 0, *(p[0] for p in pairs)], [0, 0, *(p[1] for p in pairs)], [0, 0, *(b - 1 for b in base)])
    groups, batches = a.feature_group_count or 1, a.batch_group_count or 1
    if batches > 1:  # one group of outputs for each group of the batch
        parts = zip(x.chunk(batches, 0), w.chunk(batches, 0))
        out = torch.cat([_convolved(p, k, strides, dilation, groups, spatial) for p, k in parts], 1)
    else:
        out = _convolved(x, w, strides, dilation, groups, spatial)
    positions = [n.output_batch_dimension, n.output_feature_dimension, *n.output_spatial_dimensions]
    return out.permute([positions.index(d) for d in range(spatial + 2)])


def _convolved(x, w, strides, dilation, groups, spatial):
    if spatial == 0:
        return F.conv1d(x.unsqueeze(-1), w.unsqueeze(-1), groups=groups).squeeze(-1)
    return (F.conv1d, F.conv2d, F.conv3d)[spatial - 1](x, w, None, strides, 0, dilation, groups)


def gather(a, x, starts, sizes=None):
    n, sizes = a.dimension_numbers, list(a.slice_sizes if sizes is None else sizes)
    batching, start_batching = list(n.operand_batching_dims), list(n.start_indices_batching_dims)
    vector = n.index_vector_dim
    index = starts.unsqueeze(-1) if vector == starts.dim() else starts.movedim(vector, -1)
    batch_shape = list(index.shape[:-1])
    kept = [d for d in range(x.dim()) if d not in n.collapsed_slice_dims and d not in batching]
    offsets = list(n.offset_dims)
    rank = len(batch_shape) + len(offsets)
    batch_places = [d for d in range(rank) if d not in offsets]
    shape = [0] * rank
    for position, size in zip(batch_places, batch_shape):
        shape[position] = size
    for position, d in zip(offsets, kept):
        shape[position] = sizes[d]
    if x.device.type == "meta":
        return torch.empty(shape, dtype=x.dtype, device="meta")
    coordinates = _coordinates(x, index, batch_shape, kept, sizes, n.start_index_map, batching, start_batching, vector, True)
    return x[tuple(coordinates)].permute([([*batch_places, *offsets]).index(d) for d in range(rank)])


def _coordinates(x, index, batch_shape, kept, sizes, index_map, batching, start_batching, vector, clamp):
    """An index tensor for each dimension of x, of shape [batch..., window...]."""
    index, out = index.to(torch.int64), []
    window = [sizes[d] for d in kept]
    whole = batch_shape + window
    for d in range(x.dim()):
        at = torch.zeros(whole, dtype=torch.int64)
        if d in index_map:
            begin = index[..., list(index_map).index(d)]
            if clamp:
                begin = begin.clamp(0, x.shape[d] - sizes[d])
            at = at + begin.reshape(batch_shape + [1] * len(window))
        if d in batching:
            position = start_batching[batching.index(d)]
            position -= position > vector
            at = at + torch.arange(batch_shape[position]).reshape([-1 if i == position else 1 for i in range(len(whole))])
        if d in kept:
            position = len(batch_shape) + kept.index(d)
            at = at + torch.arange(sizes[d]).reshape([-1 if i == position else 1 for i in range(len(whole))])
        out.append(at)
    return out


def scatter(a, xs, index, updates):
    n, outs = a.scatter_dimension_numbers, [x.clone() for x in xs]
    x, vector = xs[0], n.index_vector_dim
    if x.device.type == "meta":
        return tuple(outs) if len(outs) > 1 else outs[0]
    index = index.unsqueeze(-1) if vector == index.dim() else index.movedim(vector, -1)
    batching = list(n.input_batching_dims)
    kept = [d for d in range(x.dim()) if d not in n.inserted_window_dims and d not in batching]
    windows = list(n.update_window_dims)
    batch_places = [d for d in range(updates[0].dim()) if d not in windows]
    moved = [u.permute(*batch_places, *windows) for u in updates]
    sizes = [1] * x.dim()
    for d, position in zip(kept, windows):
        sizes[d] = updates[0].shape[position]
    batch_shape = list(index.shape[:-1])
    at = _coordinates(x, index, batch_shape, kept, sizes, n.scattered_dims_to_operand_dims, batching,
                      list(n.scatter_indices_batching_dims), vector, False)
    inside = torch.ones(at[0].shape, dtype=torch.bool)
    for d in range(x.dim()):
        inside &= (at[d] >= 0) & (at[d] < x.shape[d])
    flat, positions = [c.reshape(-1) for c in at], inside.reshape(-1).nonzero().flatten().tolist()
    moved = [u.expand(at[0].shape).reshape(-1) for u in moved]
    if a.body in ("add", "update") and len(outs) == 1:
        chosen = tuple(c[inside.reshape(-1)] for c in flat)
        values = moved[0][inside.reshape(-1)]
        outs[0].index_put_(chosen, values, accumulate=a.body == "add")
        return outs[0]
    for position in positions:
        where = tuple(int(c[position]) for c in flat)
        new = a.region(0, [*(o[where] for o in outs), *(m[position] for m in moved)])
        for o, value in zip(outs, new):
            o[where] = value
    return tuple(outs) if len(outs) > 1 else outs[0]


def sort(a, xs):
    d = -1 if a.dimension is None else a.dimension
    if xs[0].device.type == "meta":
        return tuple(xs) if len(xs) > 1 else xs[0]
    order = _order_of(a, xs, d)
    done = [x.gather(d, order) for x in xs]
    return tuple(done) if len(done) > 1 else done[0]


def _order_of(a, xs, d):
    """A stable order by the comparator: by direction where it only compares the first operand, by merging otherwise."""
    direction = a.compares_first
    if direction:
        return torch.sort(xs[0], dim=d, stable=True, descending=direction in ("GT", "GE"))[1]
    import functools

    moved = [x.movedim(d, -1) for x in xs]
    rows = [m.reshape(-1, m.shape[-1]) for m in moved]
    order = torch.empty(rows[0].shape, dtype=torch.int64)

    def less(row, i, j):
        return bool(a.region(0, [v for r in rows for v in (r[row, i], r[row, j])])[0])

    for row in range(rows[0].shape[0]):
        key = functools.cmp_to_key(lambda i, j: -1 if less(row, i, j) else 1 if less(row, j, i) else 0)
        order[row] = torch.tensor(sorted(range(rows[0].shape[1]), key=key), dtype=torch.int64)
    return order.reshape(moved[0].shape).movedim(-1, d)


def select_and_scatter(a, x, source, start):
    rank = x.dim()
    window = list(a.window_dimensions or [1] * rank)
    strides = list(a.window_strides or [1] * rank)
    pairs = a.padding.reshape(-1, 2).tolist() if a.padding is not None else [[0, 0]] * rank
    out = start.expand(x.shape).clone()
    for position in itertools.product(*map(range, source.shape)):
        best = None
        for inner in itertools.product(*map(range, window)):
            at = tuple(p * s + i - low[0] for p, s, i, low in zip(position, strides, inner, pairs))
            if any(c < 0 or c >= n for c, n in zip(at, x.shape)):
                continue
            if best is None or not bool(a.region(0, [x[best], x[at]])[0]):
                best = at
        if best is not None:
            out[best] = a.region(1, [out[best], source[position]])[0]
    return out


def _triangle(a, x):
    """The factor of a matrix of which only one half is read."""
    half = torch.tril(x) if a.lower else torch.triu(x)
    other = half.tril(-1).mH if a.lower else half.triu(1).mH
    full = half + other
    lower = torch.linalg.cholesky(wide(full))
    return lower if a.lower else lower.mH


def _solve(a, matrix, right):
    lower, turned = bool(a.lower), str(a.transpose_a)
    matrix = torch.tril(matrix) if lower else torch.triu(matrix)
    if turned in ("TRANSPOSE", "ADJOINT"):
        matrix, lower = (matrix.mT if turned == "TRANSPOSE" else matrix.mH), not lower
    return torch.linalg.solve_triangular(matrix, right, upper=not lower, left=bool(a.left_side), unitriangular=bool(a.unit_diagonal))


def _fft(a, x):
    over = list(range(-len(a.fft_length), 0))
    kind = str(a.fft_type)
    function = {"FFT": torch.fft.fftn, "IFFT": torch.fft.ifftn, "RFFT": torch.fft.rfftn, "IRFFT": torch.fft.irfftn}[kind]
    return function(x, s=list(a.fft_length), dim=over) if kind != "RFFT" else function(x, dim=over)


def _feature(x, t, d):
    return t.reshape([-1 if i == d else 1 for i in range(x.dim())])


def _normed(a, x, scale, offset, mean, variance):
    d = a.feature_index
    return (x - _feature(x, mean, d)) / torch.sqrt(_feature(x, variance, d) + a.epsilon) * _feature(x, scale, d) + _feature(x, offset, d)


def _norm_training(a, x, scale, offset):
    over = [i for i in range(x.dim()) if i != a.feature_index]
    mean, variance = x.mean(over), x.var(over, unbiased=False)
    return _normed(a, x, scale, offset, mean, variance), mean, variance


def _norm_gradient(a, x, scale, mean, variance, gradient):
    d, over = a.feature_index, [i for i in range(x.dim()) if i != a.feature_index]
    count = x.numel() // x.shape[d]
    centred, inverse = x - _feature(x, mean, d), 1 / torch.sqrt(_feature(x, variance, d) + a.epsilon)
    d_scale, d_offset = (gradient * centred * inverse).sum(over), gradient.sum(over)
    part = gradient - _feature(x, d_offset, d) / count - centred * inverse * _feature(x, d_scale, d) / count
    return part * _feature(x, scale, d) * inverse, d_scale, d_offset


def _index_select(a, x, index):
    batch, d = a.batch_dims or 0, a.dim
    if not batch:
        return x[(slice(None),) * d + (index.to(torch.int64),)]
    return torch.stack([x.movedim(0, 0)[i].index_select(d - 1, index[i].to(torch.int64)) for i in range(x.shape[0])])


def _rng(a, low, high, shape):
    if a.device_of != "meta":
        raise NoReference("random values: the device has another generator")
    return torch.rand(list(a.shapes[0]), device=a.device_of) * (wide(high) - wide(low)) + wide(low)


def _uniform_quantize(a, x):
    from golden.nn import _quantize

    return _quantize(a, x)


def _uniform_dequantize(a, x):
    from golden.nn import _dequantize

    return _dequantize(a, x)


def _custom_call(a, xs):
    """The operation that the call's target names; its attributes are texts, and operands that are absent are named there."""
    from golden.mapping import Attributes, get_custom_call_golden_function

    given = a._read("mhlo.frontend_attributes")
    texts = {} if given is None else {item.name: item.attr.value for item in given}
    plain = {name: {"True": True, "False": False}.get(text, text) for name, text in texts.items()}
    plain = {name: float(v) if isinstance(v, str) and "." in v else int(v) if isinstance(v, str) and v.lstrip("-").isdigit() else v
             for name, v in plain.items()}
    operands = list(xs)
    for position, name in ((2, "has_value"), (3, "has_attention_mask")):
        if plain.get(name) is False:
            operands.insert(position, None)
    read = Attributes(plain.get, a.shapes, a.types, a.device_of)
    return get_custom_call_golden_function(a.call_target_name)(read, *operands)


def _real_slice(a, x, starts, limits, strides):
    if x.device.type == "meta":
        raise TypeError("the bounds are values: give the result's shape")
    return x[tuple(slice(b, e, s) for b, e, s in zip(starts.tolist(), limits.tolist(), strides.tolist()))]


def _numbers(a):
    return a.dot_dimension_numbers


SHAPED = {
    "broadcast": lambda a, x: x.expand([*a.broadcast_sizes, *x.shape]), "broadcast_in_dim": broadcast_in_dim,
    "dynamic_broadcast_in_dim": broadcast_in_dim, "concatenate": lambda a, xs: torch.cat(list(xs), a.dimension),
    "constant": lambda a, *_: a.value.to(a.device_of) if a.device_of == "meta" else a.value,
    "reshape": lambda a, x: x.reshape(list(a.shapes[0])), "dynamic_reshape": lambda a, x, *_: x.reshape(list(a.shapes[0])),
    "transpose": lambda a, x: x.permute(list(a.permutation)), "reverse": lambda a, x: x.flip(list(a.dimensions)),
    "slice": lambda a, x: x[tuple(slice(b, e, s) for b, e, s in zip(a.start_indices, a.limit_indices, a.strides))],
    "real_dynamic_slice": _real_slice, "dynamic_slice": dynamic_slice, "dynamic_update_slice": dynamic_update_slice,
    "pad": pad, "dynamic_pad": lambda a, x, v, low, high, inner: padded(x, v, low.tolist(), high.tolist(), inner.tolist()),
    "iota": iota, "dynamic_iota": iota, "get_dimension_size": lambda a, x: torch.tensor(x.shape[a.dimension], device=x.device),
    "set_dimension_size": lambda a, x, size: x, "bitcast_convert": bitcast, "optimization_barrier": lambda a, xs: tuple(xs) if len(xs) > 1 else xs[0],
    "torch_index_select": _index_select, "gather": gather,
    "dynamic_gather": lambda a, x, starts, sizes: gather(a, x, starts, sizes.tolist()), "scatter": scatter, "sort": sort,
    "select_and_scatter": select_and_scatter, "map": lambda a, xs: a.region(0, list(xs))[0],
}
MATHEMATICAL = {
    "dot": lambda a, x, y: product(x, y),
    "dot_general": lambda a, x, y: dot_general(x, y, list(_numbers(a).lhs_batching_dimensions), list(_numbers(a).lhs_contracting_dimensions),
                                               list(_numbers(a).rhs_batching_dimensions), list(_numbers(a).rhs_contracting_dimensions)),
    "einsum": lambda a, x, y: torch.einsum(a.einsum_config, x, y), "unary_einsum": lambda a, x: torch.einsum(a.einsum_config, x),
    "convolution": convolution, "reduce": reduce, "reduce_window": reduce_window, "cholesky": _triangle, "triangular_solve": _solve,
    "dynamic_conv": convolution, "fft": _fft, "batch_norm_inference": _normed, "batch_norm_training": _norm_training,
    "batch_norm_grad": _norm_gradient, "rng": _rng, "uniform_quantize": _uniform_quantize, "uniform_dequantize": _uniform_dequantize,
    "custom_call": _custom_call,
}
STABLEHLO = {**SHAPED, **MATHEMATICAL}
# CHLO's operations are not here: they are decomposed before anything runs.
