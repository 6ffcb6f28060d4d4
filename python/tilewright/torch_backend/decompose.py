"""Decompositions where torch has none: the fused fast paths of its attention modules here, others by subject in
decompose_*.py."""

import math

import torch
import torch.nn.functional as F

from . import decompose_nn, decompose_order, decompose_special, decompose_training

aten = torch.ops.aten


def additive(mask, kind, dtype):
    """The fast paths' masks: 0 = (L, L) for attention, 1 = (N, L) for padding, 2 = whole. In a boolean mask, True
    means masked."""
    if mask is None:
        return None
    if mask.dtype == torch.bool:
        zero = torch.zeros((), dtype=dtype)
        mask = torch.where(mask, torch.full_like(zero, -math.inf), zero)
    if kind == 1:
        return mask[:, None, None, :]
    return mask[None, None] if mask.dim() == 2 else mask


def split_heads(x, heads):
    n, length, width = x.shape
    return x.view(n, length, heads, width // heads).transpose(1, 2)


def native_multi_head_attention(
    query, key, value, width, heads, qkv_weight, qkv_bias, proj_weight, proj_bias,
    mask=None, need_weights=True, average_weights=True, mask_type=None,
):
    weights, biases = qkv_weight.chunk(3), qkv_bias.chunk(3)
    q, k, v = (
        split_heads(F.linear(x, w, b), heads) for x, w, b in zip((query, key, value), weights, biases)
    )
    mask = additive(mask, mask_type, query.dtype)
    probabilities = None
    if need_weights:
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        probabilities = (scores if mask is None else scores + mask).softmax(-1)
        y = probabilities @ v
        probabilities = probabilities.mean(1) if average_weights else probabilities
    else:
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    y = y.transpose(1, 2).reshape(query.shape[0], query.shape[1], width)
    y = F.linear(y, proj_weight, proj_bias)
    return y, probabilities if need_weights else y.new_empty(0)


def transformer_encoder_layer(
    x, width, heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps,
    norm1_weight, norm1_bias, norm2_weight, norm2_bias,
    up_weight, up_bias, down_weight, down_bias, mask=None, mask_type=None,
):
    def attention(y):
        return native_multi_head_attention(
            y, y, y, width, heads, qkv_weight, qkv_bias, proj_weight, proj_bias,
            mask, False, True, mask_type,
        )[0]

    def feed_forward(y):
        y = F.linear(y, up_weight, up_bias)
        return F.linear(F.gelu(y) if use_gelu else F.relu(y), down_weight, down_bias)

    def norm1(y):
        return F.layer_norm(y, (width,), norm1_weight, norm1_bias, eps)

    def norm2(y):
        return F.layer_norm(y, (width,), norm2_weight, norm2_bias, eps)

    if norm_first:
        x = x + attention(norm1(x))
        return x + feed_forward(norm2(x))
    x = norm1(x + attention(x))
    return norm2(x + feed_forward(x))


OWN = {
    aten._native_multi_head_attention.default: native_multi_head_attention,
    aten._transformer_encoder_layer_fwd.default: transformer_encoder_layer,
    **decompose_nn.OWN,
    **decompose_order.OWN,
    **decompose_special.OWN,
    **decompose_training.OWN,
}
