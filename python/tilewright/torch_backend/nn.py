"""Rows for neural network operations: matrix products, convolution, pooling, norms, attention, resizing.

Operations that the compiler has as a whole are written as composites named `tenstorrent.*` with their decomposition,
or as the StableHLO operation of the same meaning.
"""

import math

import torch

from .index import take
from .reduce import extreme_position, softmax_of, visible_softmax, wide
from .rows import Unsupported, dim_of, element_of, find, per_dimension, row, shape_of
from .shape import numel
from .build import Value, lowest

# -- matrix products ------------------------------------------------------------------------


@row("linear")
def linear(b, out, x, weight, bias=None):
    """The transpose of the weights is explicit; the compiler folds it into the matmul."""
    y = b.dot(x, b.transpose(weight, [1, 0]), ([x.rank - 1], [0]))
    if bias is None:
        return y
    return b.add(y, b.broadcast_in_dim(bias, y.shape, [y.rank - 1] if bias.rank else []))


@row("cosine_similarity")
def cosine_similarity(b, out, x, y, dim=1, epsilon=1e-8):
    both = torch.broadcast_shapes(x.shape, y.shape)
    x, y = (wide(b, b.lift(v, tuple(both), element_of(out))) for v in (x, y))
    dim = dim_of(dim, x.rank)

    def length(v):
        root = b.unary("sqrt", b.reduce("add", b.mul(v, v), [dim], 0))
        return b.binary("maximum", root, b.like(epsilon, root))

    product = b.reduce("add", b.mul(x, y), [dim], 0)
    return b.convert(b.div(product, b.mul(length(x), length(y))), element_of(out))


@row("mm")
def mm(b, out, x, y):
    return b.dot(x, y, ([1], [0]))


@row("mv", "dot", "vdot")
def dot(b, out, x, y):
    return b.dot(x, y, ([x.rank - 1], [0]))


@row("bmm")
def bmm(b, out, x, y):
    return b.dot(x, y, ([2], [1]), ([0], [0]))


@row("matmul")
def matmul(b, out, x, y):
    if x.rank == 1 or y.rank <= 2:
        if x.rank == 1 and y.rank > 2:
            x = b.reshape(x, (1, x.shape[0]))
        else:
            return b.dot(x, y, ([x.rank - 1], [max(0, y.rank - 2)]))
    if y.rank == 1:
        return b.dot(x, y, ([x.rank - 1], [0]))
    batch = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = b.broadcast(x, tuple(batch) + x.shape[-2:])
    y = b.broadcast(y, tuple(batch) + y.shape[-2:])
    both = list(range(len(batch)))
    product = b.dot(x, y, ([x.rank - 1], [y.rank - 2]), (both, both))
    return b.reshape(product, shape_of(out))


@row("addmm", "addmv")
def addmm(b, out, bias, x, y, beta=1, alpha=1):
    return with_bias(b, out, bias, b.dot(x, y, ([1], [0])), beta, alpha)


@row("baddbmm")
def baddbmm(b, out, bias, x, y, beta=1, alpha=1):
    return with_bias(b, out, bias, b.dot(x, y, ([2], [1]), ([0], [0])), beta, alpha)


def with_bias(b, out, bias, product, beta, alpha):
    product = product if alpha == 1 else b.mul(product, alpha)
    if beta == 0:
        return product
    bias = b.lift(bias, product.shape, product.element)
    return b.add(product, bias if beta == 1 else b.mul(bias, beta))


@row("outer")
def outer(b, out, x, y):
    shape = shape_of(out)
    x, y = b.convert(x, element_of(out)), b.convert(y, element_of(out))
    return b.mul(b.broadcast_in_dim(x, shape, [0]), b.broadcast_in_dim(y, shape, [1]))


# -- convolution ----------------------------------------------------------------------------


def convolve(b, out, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    n = weight.rank - 2
    stride, dilation = per_dimension(stride, n), per_dimension(dilation, n)
    output_padding = per_dimension(output_padding, n)
    kernel = weight.shape[2:]
    if isinstance(padding, str):
        total = [d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, kernel)]
        pads = [(t // 2, t - t // 2) for t in total]
    else:
        pads = [(p, p) for p in per_dimension(padding, n)]
    unbatched = x.rank == n + 1
    if unbatched:
        x = b.reshape(x, (1,) + x.shape)
    shape = shape_of(out)
    shape = (1,) + shape if unbatched else shape
    space = ", ".join(str(i) for i in range(n))
    ones = [1] * n
    if transposed:
        weight = swap_groups(b, weight, groups)
        pads = [
            (d * (k - 1) - p, d * (k - 1) - p + o)
            for (p, _), d, k, o in zip(pads, dilation, kernel, output_padding)
        ]
        window, inner = ones, stride
    else:
        window, inner = stride, ones
    layout = f"[b, f, {space}]x[o, i, {space}]->[b, f, {space}]"
    y = b.convolution(x, weight, layout, shape, window, pads, inner, dilation, groups)
    if bias is not None:
        y = b.add(y, b.broadcast_in_dim(bias, shape, [1]))
    return b.reshape(y, shape_of(out))


def swap_groups(b, weight, groups):
    """A transposed convolution's kernel (in, out / groups, ...) as the kernel of the equivalent convolution: (out, in
    / groups, ...), mirrored in space."""
    weight = b.reverse(weight, range(2, weight.rank))
    ins, outs, *space = weight.shape
    rest = list(range(3, 3 + len(space)))
    weight = b.reshape(weight, [groups, ins // groups, outs] + space)
    weight = b.transpose(weight, [0, 2, 1] + rest)
    return b.reshape(weight, [groups * outs, ins // groups] + space)


@row("conv1d", "conv2d", "conv3d", "conv1d.padding", "conv2d.padding", "conv3d.padding")
def conv(b, out, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return convolve(b, out, x, weight, bias, stride, padding, dilation, False, 0, groups)


@row("conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input")
def conv_transpose(b, out, x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                   dilation=1):
    return convolve(b, out, x, weight, bias, stride, padding, dilation, True, output_padding, groups)


@row("convolution")
def convolution(b, out, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    return convolve(
        b, out, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )


# -- pooling --------------------------------------------------------------------------------


def window_of(x, out, kernel, stride, padding, dilation, n):
    """Window, strides and pads over all dimensions; the upper pad gives torch's output size, which in ceil mode
    extends beyond the padded input."""
    kernel, padding, dilation = per_dimension(kernel, n), per_dimension(padding, n), per_dimension(dilation, n)
    stride = kernel if stride is None or (not isinstance(stride, int) and not list(stride)) else per_dimension(stride, n)
    lead = [1] * (x.rank - n)
    high = []
    for size, k, s, p, d, o in zip(x.shape[-n:], kernel, stride, padding, dilation, shape_of(out)[-n:]):
        high.append((o - 1) * s + d * (k - 1) + 1 - size - p)
    zero = [0] * (x.rank - n)
    return lead + kernel, lead + stride, zero + padding, zero + high, lead + dilation


def pool_input(b, x, high):
    """Negative upper pads trim elements outside every window."""
    limits = [n + min(h, 0) for n, h in zip(x.shape, high)]
    return b.slice(x, [0] * x.rank, limits), [max(h, 0) for h in high]


def max_pool(n):
    def pool(b, out, x, kernel, stride=None, padding=0, dilation=1, ceil_mode=False):
        window, strides, low, high, spacing = window_of(x, out, kernel, stride, padding, dilation, n)
        x, high = pool_input(b, x, high)
        return b.reduce_window("maximum", x, lowest(x.element), window, strides, low, high, spacing)

    return pool


def window_positions(size, out, stride, low, window, spacing):
    """(out, window) indices along one dimension; those outside become the window's first inside, which changes no
    maximum."""
    rows = []
    for start in range(-low, out * stride - low, stride):
        inside = [p for p in range(start, start + window * spacing, spacing) if 0 <= p < size]
        rows.append(inside + inside[:1] * (window - len(inside)))
    return torch.tensor(rows, dtype=torch.int32).reshape(out, window)


def max_pool_with_indices(n):
    def pool(b, out, x, *arguments, **keywords):
        return max_pool(n)(b, out[0], x, *arguments, **keywords), None

    def positions(b, out, x, kernel, stride=None, padding=0, dilation=1, ceil_mode=False):
        """The index of each window's first maximum in the flattened spatial dimensions."""
        window, strides, low, _, spacing = window_of(x, out[1], kernel, stride, padding, dilation, n)
        lead, space, at = x.rank - n, x.shape[-n:], shape_of(out[1])
        position = torch.zeros((), dtype=torch.int32)
        sides = zip(space, at[-n:], strides[-n:], low[-n:], window[-n:], spacing[-n:])
        for d, side in enumerate(sides):
            table = window_positions(*side)
            y = take(b, y if d else x, lead + 2 * d, b.literal(table))
            position = position[..., None, None] + table * math.prod(space[d + 1 :])
        order = [2 * d for d in range(n)] + [2 * d + 1 for d in range(n)]
        y = b.transpose(y, [*range(lead), *(lead + d for d in order)])
        y = b.reshape(y, at + (numel(y.shape) // numel(at),) if numel(at) else at + (1,))
        position = position.permute(order).reshape(at[-n:] + (-1,))
        first = extreme_position(b, y, y.rank - 1, True, True)
        here = b.compare("EQ", b.broadcast(first, y.shape), b.iota(y.shape, y.rank - 1, "i32"))
        position = b.broadcast_in_dim(b.literal(position), y.shape, range(lead, y.rank))
        chosen = b.select(here, position, b.splat(0, y.shape, "i32"))
        return b.convert(b.reduce("add", chosen, [y.rank - 1], 0), "i64")

    pool.parts = {1: positions}
    return pool


def window_counts(size, out, kernel, stride, padding, include_pad):
    """The number of elements that each window along one dimension averages. In ceil mode the last one may extend
    beyond the padding, which is never counted."""
    start = torch.arange(out) * stride - padding
    end = (start + kernel).clamp(max=size + padding)
    if not include_pad:
        start, end = start.clamp(min=0), end.clamp(max=size)
    return (end - start).clamp(min=1)  # an empty window has the sum 0


def avg_pool(n):
    def pool(b, out, x, kernel, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
             divisor_override=None):
        window, strides, low, high, _ = window_of(x, out, kernel, stride, padding, 1, n)
        counts = torch.tensor(divisor_override or 1)
        if not divisor_override:
            sides = zip(x.shape[-n:], shape_of(out)[-n:], window[-n:], strides[-n:], low[-n:])
            for side in sides:
                counts = counts[..., None] * window_counts(*side, count_include_pad)
        x, high = pool_input(b, wide(b, x), high)
        total = b.reduce_window("add", x, 0, window, strides, low, high)
        if not counts.numel() or bool((counts == counts.flatten()[0]).all()):
            scalar = b.scalar(counts.flatten()[0].item() if counts.numel() else 1, x.element)
            mean = b.binary("divide", total, b.broadcast_in_dim(scalar, total.shape, []))
        else:
            mean = b.div(total, b.broadcast(b.convert(b.literal(counts.to(out.dtype)), x.element), total.shape))
        return b.convert(mean, element_of(out))

    return pool


def adaptive_avg_pool(n):
    def pool(b, out, x, size):
        targets = shape_of(out)[-n:]
        sizes = x.shape[-n:]
        if all(t == 1 for t in targets):
            from .reduce import mean_of

            return mean_of(b, x, list(range(x.rank - n, x.rank)), True)
        if all(s % t == 0 for s, t in zip(sizes, targets)):
            kernel = [s // t for s, t in zip(sizes, targets)]
            return avg_pool(n)(b, out, x, kernel)
        y = x
        for i, t in enumerate(targets):
            y = along(b, y, x.rank - n + i, pooling_matrix(sizes[i], t))
        return y

    return pool


def pooling_matrix(size, target):
    basis = torch.eye(size)[:, None, :]
    return torch.nn.functional.adaptive_avg_pool1d(basis, target)[:, 0, :]


for dims in (1, 2, 3):
    row(f"max_pool{dims}d")(max_pool(dims))
    row(f"max_pool{dims}d_with_indices")(max_pool_with_indices(dims))
    row(f"avg_pool{dims}d")(avg_pool(dims))
    row(f"adaptive_avg_pool{dims}d", f"_adaptive_avg_pool{dims}d")(adaptive_avg_pool(dims))


# -- resizing: every separable filter is a product with a constant matrix --------------------


def along(b, x, dim, matrix):
    """Applies a constant (in, out) matrix along one dimension."""
    order = [d for d in range(x.rank) if d != dim]
    matrix = b.literal(matrix.to(torch.float32))
    y = b.dot(b.convert(x, "f32"), matrix, ([dim], [0]))
    axes = order + [dim]
    inverse = [axes.index(d) for d in range(x.rank)]
    return b.convert(b.transpose(y, inverse), x.element)


def resize(operator):
    """A row for an upsampling operator; the matrix of each dimension is computed by torch itself, which resizes the
    unit vectors."""

    def apply(b, out, x, size, *arguments, **keywords):
        n = x.rank - 2
        targets = shape_of(out)[2:]
        if x.element not in ("f32", "bf16", "f16", "f64"):
            raise Unsupported(f"resizing {x.element} is not supported; convert to float first")
        head = list(arguments)
        # One overload takes a list of scale factors, the other one a number per dimension.
        if operator._overloadname == "vec":
            scales = head.pop() if head else None
        else:
            flags = 0 if "nearest" in operator._schema.name else 1
            head, scales = head[:flags], head[flags:]
        scales = [] if not scales or all(s is None for s in scales) else list(scales)
        y = x
        for i, target in enumerate(targets):
            y = along(b, y, 2 + i, resize_matrix(operator, x.shape[2 + i], target, n, head, scales, i))
        return y

    return apply


def resize_matrix(operator, size, target, n, head, scales, i):
    # The other dimensions keep their size, so they are copied; they are larger than 1, since torch's antialiasing
    # filters read a wrong stride at size 1.
    others = (4,) * (n - 1)
    basis = torch.eye(size).reshape((size, 1, size) + (1,) * (n - 1))
    basis = basis.expand((size, 1, size) + others).contiguous()
    function = find(operator._schema.name.split("::")[1])
    own = [scales[i]] + [None] * (n - 1) if scales else [None] * n
    resized = function(basis, [target, *others], *head, *own)
    return resized.reshape(size, target, -1)[:, :, 0]


for name in (
    "upsample_nearest1d",
    "upsample_nearest2d",
    "upsample_nearest3d",
    "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d",
    "upsample_linear1d",
    "upsample_bilinear2d",
    "upsample_trilinear3d",
    "upsample_bicubic2d",
    "_upsample_bilinear2d_aa",
    "_upsample_bicubic2d_aa",
):
    for overload in ("", ".vec"):
        operator = find(name + overload)
        if operator is not None:
            row(name + overload)(resize(operator))


# -- normalisation --------------------------------------------------------------------------


def normalized(b, x, dims, epsilon):
    """(x - mean) / sqrt(variance + epsilon) over `dims`, computed in f32."""
    centred, _, scale = statistics(b, x, dims, epsilon)
    rest = [d for d in range(x.rank) if d not in dims]
    return b.mul(centred, b.broadcast_in_dim(scale, centred.shape, rest))


def statistics(b, x, dims, epsilon):
    """In f32: x - mean, the mean, and 1 / sqrt(variance + epsilon)."""
    from .reduce import mean_of

    rest = [d for d in range(x.rank) if d not in dims]
    wide = b.convert(x, "f32") if x.element in ("bf16", "f16") else x
    mean = mean_of(b, wide, dims, False)
    centred = b.sub(wide, b.broadcast_in_dim(mean, wide.shape, rest))
    var = mean_of(b, b.mul(centred, centred), dims, False)
    return centred, mean, b.unary("rsqrt", b.add(var, epsilon))


def saved_statistic(which, dims_and_epsilon, split=None):
    """A result that gradients use: the mean (1) or the reciprocal deviation (2)."""

    def part(b, out, x, *arguments):
        dims, epsilon = dims_and_epsilon(x, *arguments)
        x = split(b, x, *arguments) if split else x
        value = b.convert(statistics(b, x, dims, epsilon)[which], element_of(out[which]))
        return b.reshape(value, shape_of(out[which]))

    return part


def affine(b, x, weight, bias, dims, element):
    for operation, p in (("multiply", weight), ("add", bias)):
        if p is not None:
            p = b.broadcast_in_dim(b.convert(p, x.element), x.shape, dims)
            x = b.binary(operation, x, p)
    return b.convert(x, element)


def optional(weight, bias):
    """The operands that are present; the composites cannot express a bias without a weight."""
    return [p for p in (weight, bias) if p is not None]


@row("layer_norm")
def layer_norm(b, out, x, shape, weight=None, bias=None, epsilon=1e-5, cudnn=True):
    dims = list(range(x.rank - len(shape), x.rank))

    def decomposition(c, y, *parameters):
        w = parameters[0] if weight is not None else None
        v = parameters[-1] if bias is not None else None
        return affine(c, normalized(c, y, dims, epsilon), w, v, dims, y.element)

    if weight is None and bias is not None:
        return decomposition(b, x, bias)
    sizes = ", ".join(str(n) for n in shape)
    attributes = {
        "normalized_shape": f"dense<[{sizes}]> : tensor<{len(shape)}xi64>",
        "epsilon": f"{float(epsilon):e} : f32",
    }
    return b.composite("tenstorrent.layer_norm", [x] + optional(weight, bias), attributes, decomposition)


@row("native_layer_norm")
def native_layer_norm(b, out, x, shape, weight, bias, epsilon):
    return layer_norm(b, out[0], x, shape, weight, bias, epsilon), None, None


def of_layer(x, shape, weight, bias, epsilon):
    return list(range(x.rank - len(shape), x.rank)), epsilon


native_layer_norm.parts = {i: saved_statistic(i, of_layer) for i in (1, 2)}


@row("rms_norm", "_fused_rms_norm")
def rms_norm(b, out, x, shape, weight=None, epsilon=None):
    fused = isinstance(out, (tuple, list))
    dims = list(range(x.rank - len(shape), x.rank))
    if epsilon is None:
        epsilon = torch.finfo((out[0] if fused else out).dtype).eps

    def decomposition(c, y, *parameters):
        from .reduce import mean_of

        rest = [d for d in range(y.rank) if d not in dims]
        wide = c.convert(y, "f32") if y.element in ("bf16", "f16") else y
        power = mean_of(c, c.mul(wide, wide), dims, False)
        scale = c.unary("rsqrt", c.add(power, epsilon))
        z = c.mul(wide, c.broadcast_in_dim(scale, wide.shape, rest))
        return affine(c, z, parameters[0] if parameters else None, None, dims, y.element)

    sizes = ", ".join(str(n) for n in shape)
    attributes = {
        "normalized_shape": f"dense<[{sizes}]> : tensor<{len(shape)}xi64>",
        "epsilon": f"{float(epsilon):e} : f32",
    }
    y = b.composite("tenstorrent.rms_norm", [x] + optional(weight, None), attributes, decomposition)
    return (y, None) if fused else y


@row("group_norm")
def group_norm(b, out, x, groups, weight=None, bias=None, epsilon=1e-5, cudnn=True):
    def decomposition(c, y, *parameters):
        w = parameters[0] if weight is not None else None
        v = parameters[-1] if bias is not None else None
        n, channels, *space = y.shape
        split = c.reshape(y, [n, groups, channels // groups] + space)
        z = normalized(c, split, list(range(2, split.rank)), epsilon)
        return affine(c, c.reshape(z, y.shape), w, v, [1], y.element)

    if weight is None and bias is not None:
        return decomposition(b, x, bias)
    attributes = {
        "num_groups": f"{groups} : i64",
        "epsilon": f"{float(epsilon):e} : f32",
        "channel_dim": "1 : i64",
    }
    return b.composite("tenstorrent.group_norm", [x] + optional(weight, bias), attributes, decomposition)


@row("native_group_norm")
def native_group_norm(b, out, x, weight, bias, n, channels, size, groups, epsilon):
    return group_norm(b, out[0], x, groups, weight, bias, epsilon), None, None


def of_groups(x, weight, bias, n, channels, size, groups, epsilon):
    return [2], epsilon


def in_groups(b, x, weight, bias, n, channels, size, groups, epsilon):
    return b.reshape(x, (n, groups, numel(x.shape) // max(n * groups, 1)))


native_group_norm.parts = {i: saved_statistic(i, of_groups, in_groups) for i in (1, 2)}


@row("instance_norm")
def instance_norm(b, out, x, weight, bias, mean, var, use_input_stats, momentum, epsilon, cudnn=True):
    if not use_input_stats:
        return batch_norm_values(b, out, x, weight, bias, mean, var, momentum, epsilon)[0]
    if mean is not None:
        raise Unsupported("instance normalisation that tracks statistics is not supported; call .eval()")
    y = normalized(b, x, list(range(2, x.rank)), epsilon)
    return affine(b, y, weight, bias, [1], x.element)


@row("_native_batch_norm_legit_no_training")
def batch_norm_values(b, out, x, weight, bias, mean, var, momentum, epsilon):
    channels = (x.shape[1],)
    weight = b.splat(1, channels, x.element) if weight is None else b.convert(weight, x.element)
    bias = b.splat(0, channels, x.element) if bias is None else b.convert(bias, x.element)
    mean, var = b.convert(mean, x.element), b.convert(var, x.element)
    y = b.op("stablehlo.batch_norm_inference", (x, weight, bias, mean, var), x.shape, x.element,
             {"epsilon": f"{float(epsilon):e} : f32", "feature_index": 1})
    return y, None, None


@row("batch_norm", "native_batch_norm", "cudnn_batch_norm", "_native_batch_norm_legit",
     "_batch_norm_no_update", "_batch_norm_with_update_functional")
def batch_norm(b, out, x, weight, bias, mean, var, training=False, momentum=0.1, epsilon=1e-5, *_):
    if training or not isinstance(mean, Value):
        raise Unsupported("batch normalisation in training mode is not supported; call .eval()")
    values = batch_norm_values(b, out, x, weight, bias, mean, var, momentum, epsilon)
    return values if isinstance(out, (tuple, list)) else values[0]


# -- attention ------------------------------------------------------------------------------


@row("scaled_dot_product_attention")
def attention(b, out, q, k, v, mask=None, dropout=0.0, is_causal=False, scale=None, enable_gqa=False):
    if dropout:
        raise Unsupported("dropout in attention is not supported; call .eval() on the model")
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    if q.rank not in (3, 4) or k.rank != q.rank:
        if mask is not None and mask.element == "i1":
            mask = additive(b, mask, q.element)
        return attend(b, q, k, v, mask, is_causal, scale)
    if mask is not None and mask.element == "i1":
        mask = additive(b, mask, q.element)
    if mask is not None and mask.rank < q.rank:
        mask = b.reshape(mask, (1,) * (q.rank - mask.rank) + mask.shape)

    def decomposition(c, query, key, value, *rest):
        return attend(c, query, key, value, rest[0] if rest else None, is_causal, scale)

    attributes = {"is_causal": "true" if is_causal else "false", "scale": f"{scale:e} : f32"}
    operands = [q, k, v] + ([mask] if mask is not None else [])
    return b.composite("tenstorrent.scaled_dot_product_attention", operands, attributes, decomposition)


def additive(b, mask, element):
    """A mask of positions to keep as a summand: zero or minus infinity."""
    return b.select(mask, b.splat(0, mask.shape, element), b.splat(-math.inf, mask.shape, element))


def attend(b, q, k, v, mask, is_causal, scale):
    if k.rank >= 3 and q.rank == k.rank and k.shape[-3] != q.shape[-3]:
        k, v = (share_heads(b, t, q.shape[-3]) for t in (k, v))
    batch = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (b.broadcast(t, tuple(batch) + t.shape[-2:]) for t in (q, k, v))
    both, last = list(range(q.rank - 2)), q.rank - 1
    scores = b.mul(b.dot(q, k, ([last], [last]), (both, both)), scale)
    if mask is not None:
        scores = b.add(scores, mask)
    if is_causal:
        rows, columns = (b.iota(scores.shape, last - i, "i32") for i in (1, 0))
        floor = b.splat(-math.inf, scores.shape, scores.element)
        scores = b.select(b.compare("GE", rows, columns), scores, floor)
    weights = softmax_of(b, scores, last) if mask is None else visible_softmax(b, scores, last)
    return b.dot(weights, v, ([last], [last - 1]), (both, both))


def share_heads(b, x, heads):
    """Grouped-query attention: each head of keys and values serves several heads of queries."""
    lead, (n, length, width) = x.shape[:-3], x.shape[-3:]
    wide = lead + (n, heads // n, length, width)
    dims = list(range(len(lead) + 1)) + [len(lead) + 2, len(lead) + 3]
    return b.reshape(b.broadcast_in_dim(x, wide, dims), lead + (heads, length, width))
