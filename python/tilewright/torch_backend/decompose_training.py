"""Decompositions of the operators that torch's gradients consist of, where it has none, and of dropout."""

import math

import torch

aten = torch.ops.aten

# -- dropout --------------------------------------------------------------------------------


def noise_of(x, p):
    """Zeros and ones, drawn in the order of eager torch's dropout."""
    return aten.bernoulli.p(torch.empty_like(x), 1 - p)


def dropout(x, p, train):
    if not train or p == 0 or not x.numel():
        return x
    return x * (torch.zeros_like(x) if p == 1 else noise_of(x, p) / (1 - p))


def native_dropout(x, p, train):
    if train is False or not x.numel():
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    kept = torch.zeros_like(x) if p == 1 else noise_of(x, p)
    return x * kept * (1 / (1 - p) if p < 1 else 0.0), kept.to(torch.bool)


# -- convolutions ---------------------------------------------------------------------------


def weight_gradient(x, g, shape, stride, padding, dilation, groups):
    """The gradient of a kernel of this shape, itself a convolution: batches are its channels, and the roles of stride
    and dilation change."""
    n, channels = x.shape[0], x.shape[1] // groups
    x = x.unflatten(1, (groups, channels)).movedim(2, 0).transpose(1, 2).flatten(1, 2)
    y = aten.convolution.default(x, g.transpose(0, 1), None, dilation, padding, stride, False, [0] * len(stride), groups)
    y = y.transpose(0, 1)
    for d, size in enumerate(shape[2:]):
        y = y.narrow(d + 2, 0, size)
    return y


def convolution_backward(g, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, mask):
    n = x.dim() - 2
    stride, padding, dilation = (list(v) * (n if len(v) == 1 else 1) for v in (stride, padding, dilation))
    found = [None, None, None]
    if mask[0] and transposed:
        found[0] = aten.convolution.default(g, weight, None, stride, padding, dilation, False, [0] * n, groups)
    elif mask[0]:
        reach = [(g.shape[d + 2] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (weight.shape[d + 2] - 1) + 1 for d in range(n)]
        more = [size - r for size, r in zip(x.shape[2:], reach)]
        found[0] = aten.convolution.default(g, weight, None, stride, padding, dilation, True, more, groups)
    if mask[1]:
        source, slope = (g, x) if transposed else (x, g)
        found[1] = weight_gradient(source, slope, weight.shape, stride, padding, dilation, groups)
    if mask[2]:
        found[2] = g.sum([0, *range(2, g.dim())])
    return tuple(found)


# -- pooling --------------------------------------------------------------------------------


def scattered(g, x, indices, n):
    """Each slope to the element that the pool took."""
    flat = torch.zeros_like(x).flatten(-n)
    return flat.scatter_add(-1, indices.flatten(-n), g.flatten(-n)).view(x.shape)


def max_pool_backward(n):
    def backward(g, x, kernel, stride, padding, dilation, ceil_mode, indices):
        return scattered(g, x, indices, n)

    return backward


def adaptive_max_pool_backward(n):
    return lambda g, x, indices: scattered(g, x, indices, n)


def spread_back(g, shape, members):
    """The transposed product with a 0/1 matrix along each spatial dimension."""
    for d, member in zip(range(g.dim() - len(members), g.dim()), members):
        g = (g.movedim(d, -1) @ member.to(g.dtype)).movedim(-1, d)
    return g


def per_dimension(value, n, default=None):
    value = default if value is None or isinstance(value, (list, tuple)) and not value else value
    value = [value] if isinstance(value, int) else list(value)
    return value * n if len(value) == 1 else value


def avg_pool_backward(n):
    def backward(g, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor=None):
        kernel, stride, padding = per_dimension(kernel, n), per_dimension(stride, n, kernel), per_dimension(padding, n)
        members, count = [], None
        for d, size in enumerate(x.shape[-n:]):
            start = torch.arange(g.shape[d - n]) * stride[d] - padding[d]
            at = torch.arange(size)
            member = (at >= start[:, None]) & (at < start[:, None] + kernel[d])
            members.append(member)
            whole = (start + kernel[d]).clamp(max=size + padding[d]) - start
            here = whole if count_include_pad else member.sum(1)
            count = here if count is None else count[..., None] * here
        g = g / (divisor or count.to(g.dtype))
        return spread_back(g, x.shape, members)

    return backward


def adaptive_avg_pool_backward(g, x):
    n = g.dim() - 2 if g.dim() > 3 else g.dim() - 1
    members, count = [], None
    for d, size in enumerate(x.shape[-n:]):
        out = g.shape[d - n]
        i, at = torch.arange(out), torch.arange(size)
        start, end = i * size // out, ((i + 1) * size + out - 1) // out
        members.append((at >= start[:, None]) & (at < end[:, None]))
        count = end - start if count is None else count[..., None] * (end - start)
    return spread_back(g / count.to(g.dtype), x.shape, members)


# -- norms ----------------------------------------------------------------------------------


def batch_norm_with_update(x, weight, bias, mean, var, momentum, eps):
    y, *saved, new_mean, new_var = aten._native_batch_norm_legit_functional.default(
        x, weight, bias, mean, var, True, momentum, eps)
    return y, *saved, x.new_empty(0, dtype=torch.uint8), new_mean, new_var


# -- attention ------------------------------------------------------------------------------


def scores_of(q, k, is_causal, mask, scale):
    scores = q @ k.transpose(-2, -1) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        rows, columns = torch.arange(q.shape[-2])[:, None], torch.arange(k.shape[-2])
        scores = torch.where(rows >= columns, scores, -math.inf)
    return scores if mask is None else scores + mask


def attention(q, k, v, dropout_p=0.0, is_causal=False, attn_mask=None, scale=None):
    scores = scores_of(q, k, is_causal, attn_mask, scale)
    total = torch.logsumexp(scores, -1)
    return aten._safe_softmax.default(scores, -1) @ v, total


def attention_backward(g, q, k, v, out, total, dropout_p, is_causal, attn_mask=None, scale=None):
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    total = total.to(q.dtype)[..., None]
    p = torch.exp(scores_of(q, k, is_causal, attn_mask, scale) - total)
    if attn_mask is not None:  # a row may be masked as a whole
        p = torch.where(total == -math.inf, 0.0, p)
    slope = p * (g @ v.transpose(-2, -1) - (g * out).sum(-1, keepdim=True)) * factor
    return slope @ k, slope.transpose(-2, -1) @ q, p.transpose(-2, -1) @ g


# -- optimizers on lists of tensors ---------------------------------------------------------

# Functions whose name is not that of the operator on a list.
NAMED = {"norm": lambda x, ord=2, dtype=None: torch.linalg.vector_norm(x, ord, dtype=dtype), "copy": lambda x, y: y.to(x.dtype),
         "zero": torch.zeros_like, "maximum": torch.clamp_min, "minimum": torch.clamp_max}


def on_lists(function):
    """The operator for each element of the lists; other operands are the same for all."""

    def call(*args, **kwargs):
        count = next(len(a) for a in args if isinstance(a, (list, tuple)))
        rows = [[a[i] if isinstance(a, (list, tuple)) else a for a in args] for i in range(count)]
        return [function(*row, **kwargs) for row in rows]

    return call


def with_values(function):
    """addcmul and addcdiv: one number for all elements of the lists, or one for each."""

    def call(x, first, second, values=1, **kwargs):
        values = kwargs.get("value", values)
        values = [values] * len(x) if isinstance(values, (int, float)) else list(values)
        return [a + function(b, c) * v for a, b, c, v in zip(x, first, second, values)]

    return call


def foreach():
    """Decompositions of the operators on lists that return new lists."""
    found = {}
    for full in torch._C._dispatch_get_all_op_names():
        packet, _, overload = full.removeprefix("aten::").partition(".")
        name = packet.removeprefix("_foreach_")
        function = NAMED.get(name) or getattr(torch, name, None)
        if name == packet or name.endswith("_") or "out" in overload or not callable(function):
            continue
        if name in ("addcmul", "addcdiv"):
            function = with_values(torch.mul if name == "addcmul" else torch.div)
        else:
            function = on_lists(getattr(torch, name) if overload == "List" and name in ("maximum", "minimum") else function)
        found[getattr(getattr(aten, packet), overload or "default")] = function
    return found


OWN = {
    **foreach(),
    aten.dropout.default: dropout,
    aten.native_dropout.default: native_dropout,
    aten.convolution_backward.default: convolution_backward,
    aten.max_pool2d_with_indices_backward.default: max_pool_backward(2),
    aten.max_pool3d_with_indices_backward.default: max_pool_backward(3),
    aten.adaptive_max_pool2d_backward.default: adaptive_max_pool_backward(2),
    aten.adaptive_max_pool3d_backward.default: adaptive_max_pool_backward(3),
    aten.avg_pool2d_backward.default: avg_pool_backward(2),
    aten.avg_pool3d_backward.default: avg_pool_backward(3),
    aten._adaptive_avg_pool2d_backward.default: adaptive_avg_pool_backward,
    aten._adaptive_avg_pool3d_backward.default: adaptive_avg_pool_backward,
    aten._batch_norm_with_update_functional.default: batch_norm_with_update,
    aten._scaled_dot_product_flash_attention_for_cpu.default: attention,
    aten._scaled_dot_product_flash_attention_for_cpu_backward.default: attention_backward,
}
