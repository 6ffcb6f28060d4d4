"""References of matrix products, convolutions, pooling, normalisation and quantisation."""

import torch
from torch.nn import functional as F

_ACTIVATIONS = {"relu": torch.relu, "relu6": F.relu6, "silu": F.silu, "mish": F.mish, "sigmoid": torch.sigmoid, "log": torch.log,
                "hardsigmoid": F.hardsigmoid, "tanh": torch.tanh, "softplus": F.softplus, "gelu": F.gelu, "sqrt": torch.sqrt}


def activated(x, name):
    """The activation that a fused operation names."""
    return _ACTIVATIONS[name.removesuffix("_approx")](x) if name else x


def wide(x):
    """Integers and short floats as f32: products and sums are accumulated there."""
    return x if x.dtype in (torch.float32, torch.float64) or x.is_complex() else x.to(torch.float32)


def product(x, y):
    if not (x.is_floating_point() or x.is_complex()):
        return torch.matmul(x.to(torch.int64), y.to(torch.int64))  # wraps, as integers do
    x, y = wide(x), wide(y)
    return torch.matmul(x, y.to(x.dtype))


def matmul(a, x, y):
    x = x.transpose(-1, -2) if a.transpose_a and x.dim() > 1 else x
    y = y.transpose(-1, -2) if a.transpose_b and y.dim() > 1 else y
    return activated(product(x, y), a.activation)


def linear(a, x, y, bias=None):
    x = x.transpose(-1, -2) if a.transpose_a else x
    y = y.transpose(-1, -2) if a.transpose_b else y
    out = product(x, y)
    return activated(out if bias is None else out + bias.to(out.dtype), a.activation)


def dot_general(x, y, batch_x, contract_x, batch_y, contract_y):
    """Batch dimensions, then the free ones of both sides."""
    free_x = [d for d in range(x.dim()) if d not in batch_x and d not in contract_x]
    free_y = [d for d in range(y.dim()) if d not in batch_y and d not in contract_y]

    def matrix(t, *parts):
        sizes = [[t.shape[d] for d in part] for part in parts]
        return t.permute([d for part in parts for d in part]).reshape([_count(s) for s in sizes])

    out = product(matrix(x, batch_x, free_x, contract_x), matrix(y, batch_y, contract_y, free_y))
    return out.reshape([x.shape[d] for d in batch_x] + [x.shape[d] for d in free_x] + [y.shape[d] for d in free_y])


def _count(sizes):
    n = 1
    for size in sizes:
        n *= size
    return n


def sparse_matmul(a, x, y, sparsity):
    x, y = wide(x), wide(y)
    b_sparse = True if a.is_input_b_sparse is None else a.is_input_b_sparse
    if b_sparse and not a.is_input_a_sparse:
        return torch.einsum("abmk,xekn->abxemn", x, y)
    return torch.matmul(x, y)


# ---- convolutions and pooling: channels last ------------------------------------------------------


def spread(value, n):
    return [value] * n if isinstance(value, int) else list(value)


def _order(a, names, default):
    """Positions of batch, spatial dimensions and channels in the input."""
    return [default[i] if getattr(a, n) is None else getattr(a, n) for i, n in enumerate(names)]


def _ends(value, n, order):
    """[(low, high)] for each spatial dimension."""
    value = [value] * n if isinstance(value, int) else list(value)
    if len(value) == n:
        return [(v, v) for v in value]
    if n == 1:
        return [tuple(value)]
    if n == 2:  # top, left, bottom, right, or top, bottom, left, right
        return [(value[0], value[2]), (value[1], value[3])] if order == "tlbr" else [(value[0], value[1]), (value[2], value[3])]
    return [tuple(value[2 * i:2 * i + 2]) for i in range(n)]


_NAMES = {1: ("batch_dim", "length_dim", "channel_dim"), 2: ("batch_dim", "height_dim", "width_dim", "channel_dim"),
          3: ("batch_dim", "depth_dim", "height_dim", "width_dim", "channel_dim")}
_CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}


def _flattened(a, x):
    """The input as N H W C where it is given as 1, 1, N*H*W, C."""
    info = a.flattened_compat_info
    if info is not None:
        import re

        found = dict((k, int(v)) for k, v in re.findall(r"(\w+) = (\d+)", str(info)))
        return x.reshape(found["batch_size"], found["input_height"], found["input_width"], -1), True
    if a.input_height is not None and a.batch_size is not None:
        return x.reshape(a.batch_size, a.input_height, a.input_width, -1), True
    return x, False


def _spatial(n, transposed=False, order="tlbr"):
    def call(a, x, weight, bias=None, *_):
        flat = False
        if n == 2:
            x, flat = _flattened(a, x)
        elif n == 1 and a.input_length is not None:
            x, flat = x.reshape(a.batch_size, a.input_length, -1), True
        positions = _order(a, _NAMES[n], range(n + 2))
        first = [positions[0], positions[-1], *positions[1:-1]]  # N C spatial
        strides, dilation = spread(a.stride, n), spread(a.dilation if a.dilation is not None else 1, n)
        pairs, groups = _ends(a.padding, n, order), a.groups or 1
        t = wide(x).permute(first)
        if weight.dim() == 2:  # a prepared weight of conv3d: depth, height, width, channels of a block, outputs
            k = spread(a.kernel_size, n)
            weight = weight.reshape(*k, -1, weight.shape[-1]).permute(n + 1, n, *range(n))
            t = F.pad(t, [0, 0] * n + [0, weight.shape[1] * groups - t.shape[1]])
        w = wide(weight)
        if n == 1 and w.dim() == 4:
            w = w.squeeze(-1)
        if transposed:
            extra = spread(a.output_padding or 0, n)
            out = F.conv_transpose2d(t, w, None, strides, 0, extra, groups, dilation)
            for i, (low, high) in enumerate(pairs):
                out = out.narrow(2 + i, low, out.shape[2 + i] - low - high)
        else:
            mode = "replicate" if a.padding_mode == "replicate" else "constant"
            t = F.pad(t, [v for pair in reversed(pairs) for v in pair], mode=mode)
            out = _CONV[n](t, w, None, strides, 0, dilation, groups)
        out = out.permute([first.index(d) for d in range(n + 2)])
        if bias is not None:
            out = out + wide(bias).reshape([-1 if d == positions[-1] else 1 for d in range(n + 2)])
        return out.reshape(1, 1, -1, out.shape[-1]) if flat else out

    return call


def _windows(a, x, value):
    """(padded N C H W, kernel, stride, dilation, low padding, extent)."""
    kernel = spread(a.kernel if a.kernel is not None else a.kernel_size, 2)
    stride, dilation = spread(a.stride, 2), spread(a.dilation if a.dilation is not None else 1, 2)
    pairs, t = _ends(a.padding, 2, "tlbr"), wide(x).permute(0, 3, 1, 2)
    grown = []
    for d, (low, high) in enumerate(pairs):
        size, reach = t.shape[2 + d], dilation[d] * (kernel[d] - 1) + 1
        span = size + low + high - reach
        count = -(-span // stride[d]) + 1 if a.ceil_mode else span // stride[d] + 1
        if a.ceil_mode and (count - 1) * stride[d] >= size + low:
            count -= 1
        grown.append((low, max(high, (count - 1) * stride[d] + reach - size - low)))
    padded = F.pad(t, [v for pair in reversed(grown) for v in pair], value=value)
    return padded, kernel, stride, dilation, pairs, grown, t.shape


def _max_pool(with_indices):
    def call(a, x, *_):
        x, flat = _flattened(a, x)
        padded, kernel, stride, dilation, _, grown, shape = _windows(a, x, float("-inf"))
        out = F.max_pool2d(padded, kernel, stride, 0, dilation, False, with_indices)
        if not with_indices:
            out = out.permute(0, 2, 3, 1)
            return out.reshape(1, 1, -1, out.shape[-1]) if flat else out
        values, positions = out
        width = padded.shape[3]
        positions = (positions // width - grown[0][0]) * shape[3] + positions % width - grown[1][0]
        both = [t.permute(0, 2, 3, 1) for t in (values, positions)]
        return tuple(t.reshape(1, 1, -1, t.shape[-1]) if flat else t for t in both)

    return call


def _avg_pool(a, x, *_):
    x, flat = _flattened(a, x)
    padded, kernel, stride, _, pairs, grown, shape = _windows(a, x, 0.0)
    sums = F.avg_pool2d(padded, kernel, stride) * (kernel[0] * kernel[1])
    counted = torch.ones(1, 1, *shape[2:], device=x.device)
    if a.count_include_pad is None or a.count_include_pad:  # all that is padded, but not what rounding up adds
        counted = F.pad(counted, [v for pair in reversed(pairs) for v in pair], value=1.0)
        more = [g[1] - p[1] for g, p in zip(grown, pairs)]
        counted = F.pad(counted, [0, more[1], 0, more[0]])
    else:
        counted = F.pad(counted, [v for pair in reversed(grown) for v in pair])
    counts = F.avg_pool2d(counted, kernel, stride) * (kernel[0] * kernel[1])
    out = (sums / counts).permute(0, 2, 3, 1)
    return out.reshape(1, 1, -1, out.shape[-1]) if flat else out


def _upsample(a, x):
    scale, mode = spread(a.scale_factor, 2), a.mode or "nearest"
    more = {} if mode == "nearest" else {"align_corners": False}
    return F.interpolate(wide(x).permute(0, 3, 1, 2), scale_factor=[float(s) for s in scale], mode=mode, **more).permute(0, 2, 3, 1)


# ---- normalisation -------------------------------------------------------------------------------


def _eps(a, default):
    return default if a.epsilon is None else a.epsilon


def layer_norm(x, shape, weight, bias, eps):
    return F.layer_norm(wide(x), list(shape), None if weight is None else wide(weight).reshape(list(shape)),
                        None if bias is None else wide(bias).reshape(list(shape)), eps)


def rms_norm(x, shape, weight, bias, eps):
    x, over = wide(x), list(range(-len(shape), 0))
    out = x * torch.rsqrt((x * x).mean(over, keepdim=True) + eps)
    out = out if weight is None else out * wide(weight).reshape(list(shape))
    return out if bias is None else out + wide(bias).reshape(list(shape))


def _channels(x, t, d):
    return wide(t).reshape([-1 if i == d else 1 for i in range(x.dim())])


def batch_norm(a, x, scale=None, offset=None, mean=None, variance=None, *_):
    d, x = 1 if a.dimension is None else a.dimension, wide(x)
    if mean is None:
        over = [i for i in range(x.dim()) if i != d]
        mean, variance = x.mean(over), x.var(over, unbiased=False)
    out = (x - _channels(x, mean, d)) * torch.rsqrt(_channels(x, variance, d) + _eps(a, 1e-5))
    out = out if scale is None else out * _channels(x, scale, d)
    return out if offset is None else out + _channels(x, offset, d)


def batch_norm_training(a, x, scale, offset, running_mean=None, running_variance=None):
    d, momentum = 1 if a.dimension is None else a.dimension, 0.1 if a.momentum is None else a.momentum
    over = [i for i in range(x.dim()) if i != d]
    mean, variance = wide(x).mean(over), wide(x).var(over, unbiased=False)
    out = batch_norm(a, x, scale, offset, mean, variance)
    if running_mean is None:
        return out
    mean = (1 - momentum) * wide(running_mean) + momentum * mean.reshape(running_mean.shape)
    variance = (1 - momentum) * wide(running_variance) + momentum * variance.reshape(running_variance.shape)
    return out, mean, variance


def group_norm(a, x, mask=None, weight=None, bias=None):
    d = a.channel_dim if a.channel_dim is not None else x.dim() - 1
    order = [0, d, *(i for i in range(1, x.dim()) if i != d)]
    flat = [None if t is None else wide(t).reshape(-1)[:x.shape[d]] for t in (weight, bias)]
    out = F.group_norm(wide(x).permute(order), a.num_groups, *flat, eps=_eps(a, 1e-12))
    return out.permute([order.index(i) for i in range(x.dim())])


def adamw(a, p, g, m, v, vmax=None):
    p, g, m, v = (wide(t) for t in (p, g, m, v))
    m, v = a.beta1 * m + (1 - a.beta1) * g, a.beta2 * v + (1 - a.beta2) * g * g
    most = v if vmax is None else torch.maximum(wide(vmax), v)
    step = a.lr * (m / (1 - a.beta1_pow)) / (torch.sqrt(most / (1 - a.beta2_pow)) + a.epsilon)
    p = p - step - a.lr * a.weight_decay * p
    return (p, m, v) if vmax is None else (p, m, v, most)


def _fused_norm(a, x, weight=None, bias=None, residual=None):
    x = x if residual is None else wide(x) + wide(residual)
    return activated(rms_norm(x, x.shape[-1:], weight, bias, _eps(a, 1e-12)), a.activation)


def _columns(x, width, **at):
    out = torch.zeros(*x.shape[:-1], width, device=x.device)
    for name, value in at.items():
        out[..., int(name[1:])] = value
    return out


def _rms_before(a, x, residual=None):
    x = wide(x) if residual is None else wide(x) + wide(residual)
    return _columns(x, 32, _0=(x * x).sum(-1))


def _layer_before(a, x, residual=None, reciprocal=None):
    x = wide(x) if residual is None else wide(x) + wide(residual)
    return _columns(x, 64, _0=(x * x).sum(-1), _32=x.sum(-1))


# ---- quantisation --------------------------------------------------------------------------------


def _along(t, x, axis):
    return t.to(torch.float64).reshape([-1 if i == axis else 1 for i in range(x.dim())] if t.numel() > 1 else [])


def quantized(x, scale, zero, low, high):
    return (torch.round(x.to(torch.float64) / scale) + zero).clamp(low, high)


def _range(dtype):
    info = torch.iinfo(dtype)
    return info.min, info.max


def _quantize(a, x):
    to = a.quantized[0]
    return quantized(x, *to.parameters(x.dim()), *_range(to.storage))


def _dequantize(a, x):
    scale, zero = a.operand_quantized[0].parameters(x.dim())
    return (x.to(torch.float64) - zero) * scale


def _requantize(a, x):
    return _quantize(a, _dequantize(a, x))


def _limits(a):
    return _range(a.types[0] if a.types and a.types[0] in (torch.int8, torch.uint8, torch.int32) else torch.int32)


def _quantize_with(a, x, scale, zero):
    return quantized(x, _along(scale, x, a.axis), _along(zero, x, a.axis), *_limits(a))


def _dequantize_with(a, x, scale, zero):
    return (x.to(torch.float64) - _along(zero, x, a.axis)) * _along(scale, x, a.axis)


def _requantize_with(a, x, scale, zero, to_scale, to_zero):
    return _quantize_with(a, _dequantize_with(a, x, scale, zero), to_scale, to_zero)


def _prepared_weight(a, w, *_):
    return w.permute(1, 2, 3, 0).reshape(a.shapes[0])


def _prepared_transposed(a, w, *_):
    return (w.flip(2, 3) if a.mirror_kernel else w).permute(0, 2, 3, 1).reshape(a.shapes[0])


def _prepared_conv3d(a, w, *_):
    block, align = a.c_in_block, a.alignment or 1
    w = F.pad(w, [0, 0, 0, 0, 0, 0, 0, -w.shape[1] % align])
    block = block or w.shape[1]
    w = w.reshape(w.shape[0], -1, block, *w.shape[2:])  # outputs, blocks, channels, depth, height, width
    return w.permute(1, 3, 4, 5, 2, 0).reshape(-1, w.shape[0])


SHARED = {
    "matmul": matmul, "linear": linear, "sparse_matmul": sparse_matmul,
    "dot_general": lambda a, x, y: dot_general(x, y, a.batch_dims_lhs, a.contract_dims_lhs, a.batch_dims_rhs, a.contract_dims_rhs),
    "max_pool2d": _max_pool(False), "max_pool2d_with_indices": _max_pool(True), "avg_pool2d": _avg_pool,
    "global_avg_pool2d": lambda a, x: wide(x).mean((1, 2), keepdim=True), "upsample2d": _upsample, "upsample": _upsample,
    "conv1d": _spatial(1), "conv3d": _spatial(3),
    "softmax": lambda a, x: F.softmax(wide(x), a.dimension),
    "layer_norm": lambda a, x, w=None, b=None: layer_norm(x, a.normalized_shape or x.shape[-1:], w, b, _eps(a, 1e-5)),
    "rms_norm": lambda a, x, w=None, b=None: rms_norm(x, a.normalized_shape or x.shape[-1:], w, b, _eps(a, 1e-5)),
    "group_norm": group_norm, "batch_norm_inference": batch_norm, "batch_norm_training": batch_norm_training, "adamw": adamw,
    "quantize": _quantize, "dequantize": _dequantize, "requantize": _requantize, "quantize_unrolled": _quantize_with,
    "dequantize_unrolled": _dequantize_with, "requantize_unrolled": _requantize_with,
}
TTIR = {"conv2d": _spatial(2), "conv_transpose2d": _spatial(2, True)}
TTNN = {
    "batch_norm_inference": lambda a, x, mean=None, variance=None, w=None, b=None: batch_norm(a, x, w, b, mean, variance),
    "batch_norm_training": lambda a, x, mean=None, variance=None, w=None, b=None: batch_norm(a, x, w, b),
    "conv2d": _spatial(2, order="tblr"), "conv_transpose2d": _spatial(2, True, order="tblr"),
    "quantize": _quantize_with, "dequantize": _dequantize_with, "requantize": _requantize_with,
    "layer_norm": lambda a, x, w=None, b=None: layer_norm(x, x.shape[-1:], w, b, _eps(a, 1e-12)),
    "rms_norm": lambda a, x, w=None, b=None: rms_norm(x, x.shape[-1:], w, b, _eps(a, 1e-12)),
    "dit_rms_norm_unary_fused": _fused_norm, "rms_norm_pre_all_gather": _rms_before, "layer_norm_pre_all_gather": _layer_before,
    "layer_norm_post_all_gather": lambda a, x, stats, w=None, b=None: layer_norm(x, x.shape[-1:], w, b, _eps(a, 1e-12)),
    "prepare_conv2d_weights": _prepared_weight, "prepare_conv_transpose2d_weights": _prepared_transposed,
    "prepare_conv2d_bias": lambda a, b, *_: b, "prepare_conv_transpose2d_bias": lambda a, b, *_: b,
    "prepare_conv3d_weights": _prepared_conv3d,
}
