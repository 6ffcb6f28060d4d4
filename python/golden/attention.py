"""References of attention, its caches, rotary embeddings and heads."""

import torch
from golden.nn import wide

_LOW = float("-inf")


def _scale(a, query):
    return query.shape[-1] ** -0.5 if a.scale is None else a.scale


def _like(heads, t):
    """Heads of keys repeated for the heads of queries that share them."""
    return t if t.shape[1] == heads else t.repeat_interleave(heads // t.shape[1], 1)


def attend(query, key, value, scale, mask=None, sink=None):
    """Softmax of scaled products plus the mask; sinks take part in the sum only."""
    query, key, value = wide(query), _like(query.shape[1], wide(key)), _like(query.shape[1], wide(value))
    scores = query @ key.transpose(-1, -2) * scale
    scores = scores if mask is None else scores + wide(mask)
    if sink is None:
        return torch.softmax(scores, -1) @ value
    sink = wide(sink)
    sink = sink[..., :1].reshape(1, -1, 1, 1) if sink.dim() <= 2 else sink
    sink = sink.expand(scores.shape[0], scores.shape[1], scores.shape[2], sink.shape[-1])
    weights = torch.softmax(torch.cat([scores, sink], -1), -1)
    return weights[..., :scores.shape[-1]] @ value


def _forbidden(condition):
    """A mask that is -inf where the condition holds."""
    return torch.zeros(condition.shape, device=condition.device).masked_fill(condition, _LOW)


def _distance(rows, columns, device, start=0):
    return start + torch.arange(rows, device=device)[:, None] - torch.arange(columns, device=device)[None, :]


def _window(far, causal, size):
    """True where a query may not see a key `far` positions before it."""
    hidden = far < 0 if causal else torch.zeros_like(far, dtype=torch.bool)
    if size:
        hidden = hidden | ((far >= size) if causal else (far.abs() > size // 2))
    return hidden


def sdpa(a, query, key, value, mask=None, sink=None):
    causal = (True if a.is_causal is None else a.is_causal) and mask is None
    if causal or a.sliding_window_size:
        far = _distance(query.shape[2], key.shape[2], query.device)
        own = _forbidden(_window(far, causal, a.sliding_window_size))
        mask = own if mask is None else wide(mask) + own
    return attend(query, key, value, _scale(a, query), mask, sink)


def sdpa_scaled_sink(a, query, key, value, mask=None, sink=None):
    """TTNN's kernel multiplies the sink by the scale, too."""
    return sdpa(a, query, key, value, mask, None if sink is None else wide(sink) * _scale(a, query))


def _positions(a, count, positions, device, fallback):
    """The mask of a decode step: [users, 1, 1, keys]."""
    at = torch.full((count,), fallback - 1, device=device) if positions is None else positions.reshape(-1).to(torch.int64)
    far = at[:, None] - torch.arange(fallback, device=device)[None, :]
    return _forbidden(_window(far, True, a.sliding_window_size))[:, None, None, :]


def _decode(a, query, key, value, mask, positions, sink):
    """query [1, users, heads, d]; keys [users, heads, positions, d]; the kernel scales masks and sinks with the scores."""
    step, scale = query.permute(1, 2, 0, 3), _scale(a, query)
    if mask is not None:
        mask = wide(mask.permute(0, 2, 1, 3) if mask.shape[1] == 1 else mask) * scale
    if a.is_causal is None or a.is_causal:
        own = _positions(a, step.shape[0], positions, query.device, key.shape[2])
        mask = own if mask is None else mask + own
    elif a.sliding_window_size:
        own = _positions(a, step.shape[0], None, query.device, key.shape[2])
        mask = own if mask is None else mask + own
    sink = None if sink is None else wide(sink)[..., :1] * scale
    return attend(step, key, value, scale, mask, sink).permute(2, 0, 1, 3)


def sdpa_decode(a, query, key, value, mask=None, positions=None, sink=None):
    return _decode(a, query, key, value, mask, positions, sink)


def pages(cache, table):
    """[users, heads, positions, d] of a cache in blocks."""
    table = table.to(torch.int64).clamp(0, cache.shape[0] - 1)
    found = cache[table]  # users, pages, heads, block, d
    return found.permute(0, 2, 1, 3, 4).reshape(table.shape[0], cache.shape[1], -1, cache.shape[3])


def paged_decode(a, query, key, value, table, mask=None, positions=None, sink=None):
    return _decode(a, query, pages(key, table), pages(value, table), mask, positions, sink)


def chunked(a, query, key, value, table, start, *_):
    key, value = pages(key, table), pages(value, table)
    first = 0 if start.device.type == "meta" else int(start.reshape(-1)[0])
    far = _distance(query.shape[2], key.shape[2], query.device, first)
    return attend(query, key, value, _scale(a, query), _forbidden(far < 0))


def latent_decode(a, query, key, value=None, table=None, mask=None, positions=None, sink=None):
    key = pages(key, table)
    value = key[..., :a.head_dim_v] if value is None else pages(value, table)
    return _decode(a, query, key, value, mask, positions, sink)


def latent_prefill(a, query, key, value=None, mask=None):
    value = key[..., :a.head_dim_v] if value is None else value
    return sdpa(a, query, key, value, mask)


def indexer_score(a, query, key, weights):
    scores = torch.relu(wide(query) @ wide(key).transpose(-1, -2)) * wide(weights).reshape(*weights.shape[:3], -1)[..., :1]
    far = _distance(query.shape[2], key.shape[2], query.device, a.chunk_start_idx or 0)
    return scores.sum(1, keepdim=True) + _forbidden(far < 0)


def _training_mask(a, query, key, mask, default):
    kind = str(a.mask_type or default)
    if kind == "causal":
        return _forbidden(_distance(query.shape[2], key.shape[2], query.device) < 0)
    return mask if kind == "arbitrary" else None


def sdpa_forward(a, query, key, value, mask=None):
    scale, mask = query.shape[-1] ** -0.5, _training_mask(a, query, key, mask, "causal")
    out = attend(query, key, value, scale, mask)
    if not a.return_intermediates:
        return out
    scores = wide(query) @ _like(query.shape[1], wide(key)).transpose(-1, -2) * scale
    scores = scores if mask is None else scores + wide(mask)
    return out, scores.logsumexp(-1, keepdim=True).expand(*scores.shape[:-1], 32)


def sdpa_backward(a, gradient, out, query, key, value, sums, mask=None):
    scale, heads = query.shape[-1] ** -0.5, query.shape[1]
    mask = _training_mask(a, query, key, mask, "causal")
    q, k, v, g = wide(query), _like(heads, wide(key)), _like(heads, wide(value)), wide(gradient)
    scores = q @ k.transpose(-1, -2) * scale
    scores = scores if mask is None else scores + wide(mask)
    p = torch.exp(scores - wide(sums)[..., :1])
    dv, dp = p.transpose(-1, -2) @ g, g @ v.transpose(-1, -2)
    ds = p * (dp - (g * wide(out)).sum(-1, keepdim=True)) * scale
    dq, dk = ds @ k, ds.transpose(-1, -2) @ q

    def shared(t):
        return t.reshape(t.shape[0], key.shape[1], heads // key.shape[1], *t.shape[2:]).sum(2)

    return dq, shared(dk), shared(dv)


# ---- heads and rotations --------------------------------------------------------------------------


def _heads(t, count):
    return t.reshape(t.shape[0], t.shape[1], count, -1).permute(0, 2, 1, 3)


def split_heads(a, x, kv=None):
    many, few = a.num_heads, a.num_kv_heads or a.num_heads
    if kv is None:
        d = x.shape[-1] // (many + 2 * few)
        q, k, v = x.split([many * d, few * d, few * d], -1)
    else:
        q, (k, v) = x, kv.chunk(2, -1)
    k = _heads(k, few)
    return _heads(q, many), k.transpose(-1, -2) if a.transpose_key else k, _heads(v, few)


def concatenate_heads(a, x):
    return x.permute(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def _decode_heads(a, x, offset=None):
    many, few = a.num_heads, a.num_kv_heads or a.num_heads
    d = x.shape[-1] // (many + 2 * few)
    if a.slice_size:
        first = 0 if offset is None or x.device.type == "meta" else int(offset.reshape(-1)[0])
        x = x[:, :, first:first + a.slice_size]
    q, k, v = x.split([many * d, few * d, few * d], -1)
    return tuple(t.reshape(1, t.shape[2], n, d) for t, n in ((q, many), (k, few), (v, few)))


def rotary(a, x, cos, sin):
    if a.token_index is not None:
        cos, sin = (t[..., a.token_index:a.token_index + 1, :] for t in (cos, sin))
    x, cos, sin = wide(x), wide(cos)[..., :x.shape[-2], :], wide(sin)[..., :x.shape[-2], :]
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat([-high, low], -1) * sin


def rotary_pairs(a, x, cos, sin, matrix=None):
    x, cos, sin = wide(x), wide(cos), wide(sin)
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = torch.stack([-odd, even], -1).reshape(x.shape)
    return x * cos[..., :x.shape[-2], :] + turned * sin[..., :x.shape[-2], :]


# ---- caches: the function returns the written operand's new content ---------------------------------


def fill_cache(a, cache, x):
    out, first = cache.clone(), a.batch_offset or 0
    out[first:first + x.shape[0], :, :x.shape[2]] = x.to(out.dtype)
    whole = -(-x.shape[2] // 32) * 32
    if x.shape[2] < whole <= out.shape[2]:
        out[first:first + x.shape[0], :, x.shape[2]:whole] = 0
    return out


def update_cache(a, cache, x, index):
    out, first, at = cache.clone(), a.batch_offset or 0, int(index.reshape(-1)[0])
    out[first:first + x.shape[2], :, at] = x[0].transpose(0, 1).to(out.dtype)
    return out


def paged_update_cache(a, cache, x, index, table=None):
    out, block = cache.clone(), cache.shape[2]
    for user, at in enumerate(index.reshape(-1).tolist()):
        if at < 0:
            continue
        if table is not None:
            page = int(table[user, at // block].clamp(0, out.shape[0] - 1))
        else:  # a cache with one block for each user, or one in blocks without a table
            page = user if out.shape[0] == index.numel() else at // block
        out[page, :, at % block] = x[0, user, :out.shape[1]].to(out.dtype)
    return out


def paged_fill_cache(a, cache, x, table, batch=None):
    out, block = cache.clone(), cache.shape[2]
    for i in range(x.shape[0]):
        user = min(int(batch.reshape(-1)[i]) if batch is not None else i, table.shape[0] - 1)
        for at in range(x.shape[2]):
            page = int(table[user, at // block].clamp(0, out.shape[0] - 1))
            out[page, :, at % block] = x[i, :, at].to(out.dtype)
    return out


SHARED = {
    "scaled_dot_product_attention": sdpa, "scaled_dot_product_attention_decode": sdpa_decode,
    "paged_flash_multi_latent_attention_decode": latent_decode, "chunked_scaled_dot_product_attention": chunked,
    "flash_mla_prefill": latent_prefill, "indexer_score_dsa": indexer_score, "sdpa_fw": sdpa_forward, "sdpa_bw": sdpa_backward,
    "split_query_key_value_and_split_heads": split_heads, "concatenate_heads": concatenate_heads,
    "nlp_concat_heads": lambda a, x: concatenate_heads(a, x).unsqueeze(1),
    "nlp_concat_heads_decode": lambda a, x: x[:, :, :a.num_heads].reshape(1, 1, x.shape[1], -1),
    "nlp_create_qkv_heads_decode": _decode_heads, "rotary_embedding": rotary, "rotary_embedding_llama": rotary_pairs,
}
TTIR = {"paged_scaled_dot_product_attention_decode":
        lambda a, q, k, v, table, out, mask=None, at=None, sink=None: paged_decode(a, q, k, v, table, mask, at, sink)}
TTNN = {"paged_scaled_dot_product_attention_decode": paged_decode, "scaled_dot_product_attention": sdpa_scaled_sink}
IN_PLACE = {"fill_cache": (fill_cache, 0), "update_cache": (update_cache, 0), "paged_update_cache": (paged_update_cache, 0),
            "paged_fill_cache": (paged_fill_cache, 0)}
