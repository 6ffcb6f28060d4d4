"""Decompositions for layers: recurrent cells, pooling with indices, bags of embeddings, distances."""

import math

import torch
import torch.nn.functional as F

aten = torch.ops.aten

# -- recurrent cells ------------------------------------------------------------------------


def gru_cell(x, state, w_x, w_h, b_x=None, b_h=None):
    reset_x, update_x, new_x = F.linear(x, w_x, b_x).chunk(3, -1)
    reset_h, update_h, new_h = F.linear(state, w_h, b_h).chunk(3, -1)
    reset, update = torch.sigmoid(reset_x + reset_h), torch.sigmoid(update_x + update_h)
    new = torch.tanh(new_x + reset * new_h)
    return new + update * (state - new)


def lstm_cell(x, states, w_x, w_h, b_x=None, b_h=None):
    state, cell = states
    i, f, g, o = (F.linear(x, w_x, b_x) + F.linear(state, w_h, b_h)).chunk(4, -1)
    cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(cell), cell


def plain_cell(activation):
    def cell(x, state, w_x, w_h, b_x=None, b_h=None):
        return activation(F.linear(x, w_x, b_x) + F.linear(state, w_h, b_h))

    return cell


# -- activations ----------------------------------------------------------------------------


def rrelu(x, lower=1 / 8, upper=1 / 3, training=False, generator=None):
    if training:
        raise NotImplementedError("random slopes are not supported; call .eval()")
    return F.leaky_relu(x, (lower + upper) / 2)


# -- pooling with indices -------------------------------------------------------------------


def max_of_windows(x, tables):
    """The first maximum of every window, and its index in the flattened spatial dimensions."""
    n = len(tables)
    lead, space = x.dim() - n, x.shape[-n:]
    y, index = x, torch.zeros((), dtype=torch.int64)
    for d, table in enumerate(tables):
        at = lead + 2 * d
        y = y.index_select(at, table.reshape(-1)).unflatten(at, table.shape)
        here = table * math.prod(space[d + 1 :])
        index = index[..., None, None] + here
    order = [2 * d for d in range(n)], [2 * d + 1 for d in range(n)]
    y = y.permute([*range(lead), *(lead + d for half in order for d in half)]).flatten(-n)
    index = index.permute([d for half in order for d in half]).flatten(-n)
    first = y.argmax(-1, True)
    values = y.amax(-1)
    return values, index.expand(y.shape).gather(-1, first).squeeze(-1)


def adaptive_positions(size, out):
    """(out, window) indices along one dimension; a narrower window repeats its last index, which changes no maximum."""
    i = torch.arange(out)
    start, end = i * size // out, ((i + 1) * size + out - 1) // out
    longest = max(-(-(k + 1) * size // out) - k * size // out for k in range(out))
    return torch.minimum(start[:, None] + torch.arange(longest), end[:, None] - 1)


def adaptive_max_pool(x, size):
    return max_of_windows(x, [adaptive_positions(n, o) for n, o in zip(x.shape[-len(size) :], size)])


# -- bags of embeddings ---------------------------------------------------------------------


def embedding_bag(
    weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
    include_last_offset=False, padding_idx=-1,
):
    """Sums (0), means (1) or maxima (2) of the rows of each bag; offsets are the bags' first positions."""
    bags = offsets.shape[0] - (1 if include_last_offset else 0)
    starts = offsets[:bags]
    bag = (starts[None, :] <= torch.arange(indices.shape[0], dtype=starts.dtype)[:, None]).sum(1) - 1
    member = bag[None, :] == torch.arange(bags)[:, None]
    if padding_idx >= 0:
        member = member & (indices != padding_idx)[None, :]
    rows = F.embedding(indices, weight)
    counts = member.sum(1)
    positions = torch.zeros_like(counts)
    if mode == 2:
        rows = torch.where(member[..., None], rows[None], -math.inf)
        total = torch.where(counts[:, None] > 0, rows.amax(1), 0.0).to(weight.dtype)
        positions = indices[rows.argmax(1)]
    else:
        if per_sample_weights is not None:
            rows = rows * per_sample_weights[:, None]
        total = member.to(weight.dtype) @ rows
        if mode == 1:
            total = total / counts.clamp(min=1)[:, None].to(weight.dtype)
    return total, bag, counts, positions


def embedding_bag_all(weight, indices, offsets, scale=False, mode=0, sparse=False, samples=None, last=False, padding=None):
    return embedding_bag(weight, indices, offsets, scale, mode, sparse, samples, last, -1 if padding is None else padding)


# -- losses ---------------------------------------------------------------------------------


def multilabel_margin_loss(x, target, reduction):
    """The classes before the first -1 are the targets; torch's decomposition counts those after it, too."""
    shape = target.shape
    x, target = torch.atleast_2d(x), torch.atleast_2d(target)
    named = torch.cumsum(target == -1, 1) == 0
    index = torch.where(named, target, 0)
    wanted = ((torch.arange(x.shape[1]) == index[..., None]) & named[..., None]).any(1)
    excess = (1 - x.gather(1, index)[..., None] + x[:, None, :]).clamp_min(0)
    loss = torch.where(named[..., None] & ~wanted[:, None, :], excess, 0).sum((1, 2)) / x.shape[1]
    if reduction:
        loss = loss.mean() if reduction == 1 else loss.sum()
    elif len(shape) < 2:
        loss = loss[0]
    return loss, wanted.to(x.dtype).reshape(shape)


# -- matrix products and distances -----------------------------------------------------------


def bilinear(x, y, weight, bias=None):
    z = torch.einsum("...i,oij,...j->...o", x, weight, y)
    return z if bias is None else z + bias


def cdist(a, b, p=2.0, compute_mode=None):
    return aten.linalg_vector_norm((a[..., :, None, :] - b[..., None, :, :]), p, [-1])


def pdist(x, p=2.0):
    i, j = torch.triu_indices(x.shape[0], x.shape[0], 1)
    return aten.linalg_vector_norm(x[i] - x[j], p, [-1])


def grouped_mm(x, weight, offs=None, bias=None, out_dtype=None):
    """Each row times the matrix of its group; offs holds the groups' end rows. Few rows gather their matrices; many
    are multiplied by all of them, and each selects its own result."""
    if x.dim() != 2 or weight.dim() != 3 or bias is not None:
        return NotImplemented
    rows, groups = torch.arange(x.shape[0]), weight.shape[0]
    group = (rows[:, None] >= offs[None, :]).sum(1)
    index = group.clamp(max=groups - 1)
    if x.shape[0] <= groups:
        y = (x[:, None, :] @ weight[index])[:, 0]
    else:
        y = (x[None] @ weight)[index, rows]
    y = torch.where((group < groups)[:, None], y, 0)
    return y.to(out_dtype or x.dtype)


def int_mm(x, y):
    return x.to(torch.int32) @ y.to(torch.int32)


# -- fake quantization -----------------------------------------------------------------------


def fake_quantize(x, scale, zero_point, low, high):
    """Also returns the mask of the elements that were not clamped."""
    quantized = torch.round(x * (1.0 / scale)) + zero_point
    return (quantized.clamp(low, high) - zero_point) * scale, (quantized >= low) & (quantized <= high)


def fake_quantize_channels(x, scale, zero_point, axis, low, high):
    scale, zero_point = (along(p, axis, x.dim()) for p in (scale, zero_point))
    return fake_quantize(x, scale, zero_point, low, high)


def fake_quantize_enabled(x, scale, zero_point, fake_quant_enabled, low, high):
    y, kept = fake_quantize(x, scale, zero_point, low, high)
    on = fake_quant_enabled != 0
    return torch.where(on, y, x), kept | ~on


# -- quantization --------------------------------------------------------------------------------


def quantize(x, scale, zero_point, low, high, dtype):
    return (torch.round(x * (1.0 / scale)) + zero_point).clamp(low, high).to(dtype)


def dequantize(x, scale, zero_point, low, high, dtype, *, out_dtype=None):
    return ((x.float() - zero_point) * scale).to(out_dtype or torch.float32)


def along(parameter, axis, rank):
    return parameter.reshape([-1 if d == axis else 1 for d in range(rank)])


def quantize_channels(x, scales, zero_points, axis, low, high, dtype):
    scales, zero_points = (along(p, axis, x.dim()) for p in (scales, zero_points))
    return quantize(x, scales, zero_points, low, high, dtype)


def dequantize_channels(x, scales, zero_points, axis, low, high, dtype, *, out_dtype=None):
    zero_points = 0 if zero_points is None else along(zero_points, axis, x.dim())
    return dequantize(x, along(scales, axis, x.dim()), zero_points, low, high, dtype, out_dtype=out_dtype)


def first_of(function):
    return lambda *args: function(*args)[0]


OWN = {
    aten._grouped_mm.default: grouped_mm,
    aten._int_mm.default: int_mm,
    aten.fake_quantize_per_tensor_affine.default: first_of(fake_quantize),
    aten.fake_quantize_per_tensor_affine.tensor_qparams: first_of(fake_quantize),
    aten.fake_quantize_per_channel_affine.default: first_of(fake_quantize_channels),
    aten.fake_quantize_per_tensor_affine_cachemask.default: fake_quantize,
    aten.fake_quantize_per_channel_affine_cachemask.default: fake_quantize_channels,
    aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default: fake_quantize_enabled,
    aten.gru_cell.default: gru_cell,
    aten.lstm_cell.default: lstm_cell,
    aten.rnn_tanh_cell.default: plain_cell(torch.tanh),
    aten.rnn_relu_cell.default: plain_cell(torch.relu),
    aten.rrelu.default: rrelu,
    aten.bilinear.default: bilinear,
    aten.adaptive_max_pool1d.default: adaptive_max_pool,
    aten.adaptive_max_pool2d.default: adaptive_max_pool,
    aten.adaptive_max_pool3d.default: adaptive_max_pool,
    aten.embedding_bag.default: embedding_bag,
    aten.embedding_bag.padding_idx: embedding_bag_all,
    aten._embedding_bag.default: embedding_bag,
    aten._embedding_bag_forward_only.default: embedding_bag,
    aten.multilabel_margin_loss_forward.default: multilabel_margin_loss,
    aten.cdist.default: cdist,
    aten._cdist_forward.default: cdist,
    aten.pdist.default: pdist,
    aten._pdist_forward.default: pdist,
}

# Operators of other libraries that equal one of torch's.
FOREIGN = {
    "transformers::grouped_mm_fallback": grouped_mm,
    "quantized_decomposed::quantize_per_tensor": quantize,
    "quantized_decomposed::dequantize_per_tensor": dequantize,
    "quantized_decomposed::quantize_per_channel": quantize_channels,
    "quantized_decomposed::dequantize_per_channel": dequantize_channels,
}
