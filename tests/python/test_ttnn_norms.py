"""TTNN's normalisations, paged attention and steps of training, against torch."""

import numpy as np
import pytest

import native
from one_op import element_of, real, run, segments, type_of

torch = pytest.importorskip("torch")
F = torch.nn.functional
CLOSE = dict(rtol=2e-5, atol=2e-5)


def t(x):
    return torch.from_numpy(np.ascontiguousarray(x))


def changed(op, inputs, attrs, results, at):
    """The contents of an operation's operands `at`, after the tensors that it returns."""
    types = [type_of(a.shape, element_of(a)) for a in inputs]
    outs = [type_of(*r) for r in results]
    names = [f"%a{i}" for i in range(len(inputs))]
    returned = [f"%r#{i}" if len(outs) > 1 else "%r" for i in range(len(outs))] + [names[i] for i in at]
    kinds = outs + [types[i] for i in at]
    bind = "" if not outs else f"%r{f':{len(outs)}' if len(outs) > 1 else ''} = "
    return native.Program(f"""func.func @main({', '.join(f'{n}: {t}' for n, t in zip(names, types))}) -> ({', '.join(kinds)}) {{
  {bind}"ttnn.{op}"({', '.join(names)}) <{{{attrs}}}> : ({', '.join(types)}) -> ({', '.join(outs)})
  return {', '.join(returned)} : {', '.join(kinds)}
}}""")(*inputs)


@pytest.mark.parametrize("given", [(1, 1, 1, 1)])
def test_batch_norm_inference(given):
    x, rows = real(2, 3, 4, 5), [real(1, 3, 1, 1), abs(real(1, 3, 1, 1)) + 0.5, real(1, 3, 1, 1), real(1, 3, 1, 1)]
    kept = [r for r, g in zip(rows, given) if g]
    out, = run("batch_norm_inference", [x, *kept], [(x.shape, "f32")], "epsilon = 1.0e-3 : f32, " + segments(1, *given))
    mean, var, w, b = (t(r).flatten() if g else d for r, g, d in zip(rows, given, (torch.zeros(3), torch.ones(3), None, None)))
    np.testing.assert_allclose(out, F.batch_norm(t(x), mean, var, w, b, False, 0.1, 1e-3).numpy(), **CLOSE)


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (4, 3, 1, 1)])
def test_batch_norm_training(shape):
    x, mean, var, w, b = real(*shape), real(1, 3, 1, 1), abs(real(1, 3, 1, 1)), real(1, 3, 1, 1), real(1, 3, 1, 1)
    out, new_mean, new_var = changed("batch_norm_training", [x, mean, var, w, b], "epsilon = 1.0e-4 : f32, momentum = 0.25 : f32, "
                                     + segments(1, 1, 1, 1, 1), [(shape, "f32")], [1, 2])
    want = F.batch_norm(t(x), None, None, t(w).flatten(), t(b).flatten(), True, 0.25, 1e-4)
    np.testing.assert_allclose(out, want.numpy(), **CLOSE)
    axes = (0, 2, 3)
    np.testing.assert_allclose(new_mean, 0.25 * x.mean(axes, keepdims=True) + 0.75 * mean, **CLOSE)
    np.testing.assert_allclose(new_var, 0.25 * x.var(axes, keepdims=True) + 0.75 * var, **CLOSE)


@pytest.mark.parametrize("activation", [None, "silu", "relu"])
@pytest.mark.parametrize("given", [(1, 1, 1), (0, 0, 1), (1, 0, 0)])
def test_dit_rms_norm(given, activation):
    x, w, b, r = real(1, 1, 6, 32), real(32), real(32), real(1, 1, 6, 32)
    kept = [a for a, g in zip((w, b, r), given) if g]
    out, = run("dit_rms_norm_unary_fused", [x, *kept], [(x.shape, "f32")], "epsilon = 1.0e-5 : f32, " +
               (f'activation = "{activation}", ' if activation else "") + segments(1, *given))
    v = t(x + r if given[2] else x)
    want = F.rms_norm(v, (32,), t(w) if given[0] else None, 1e-5) + (t(b) if given[1] else 0)
    want = {"silu": F.silu, "relu": F.relu, None: lambda y: y}[activation](want)
    np.testing.assert_allclose(out, want.numpy(), **CLOSE)


def test_sums_before_and_norm_after_gathering():
    x, r, w, b = real(1, 1, 5, 48), real(1, 1, 5, 48), real(48), real(48)
    sums, = run("layer_norm_pre_all_gather", [x, r], [((1, 1, 5, 64), "f32")], segments(1, 1, 0))
    want = np.zeros((1, 1, 5, 64), np.float32)
    want[..., 0], want[..., 32] = ((x + r) ** 2).sum(-1), (x + r).sum(-1)
    np.testing.assert_allclose(sums, want, **CLOSE)
    sums, = run("rms_norm_pre_all_gather", [x, r], [((1, 1, 5, 32), "f32")])
    want = np.zeros((1, 1, 5, 32), np.float32)
    want[..., 0] = ((x + r) ** 2).sum(-1)
    np.testing.assert_allclose(sums, want, **CLOSE)
    out, = run("layer_norm_post_all_gather", [x, real(1, 1, 5, 64), w, b], [(x.shape, "f32")], "epsilon = 1.0e-5 : f32, " + segments(1, 1, 1, 1))
    np.testing.assert_allclose(out, F.layer_norm(t(x), (48,), t(w), t(b), 1e-5).numpy(), **CLOSE)


# ---- attention from pages


def unpaged(cache, pages):
    """[blocks, heads, block, depth] as [user, head, key, depth]."""
    return np.concatenate([cache[pages[:, p]] for p in range(pages.shape[1])], axis=2)


def attend(q, k, v, visible, mask=None, scale=None):
    """q [user, head, query, depth]; visible [user, query, key]."""
    bias = t(np.where(visible, 0, -np.inf).astype(np.float32))[:, None] + (0 if mask is None else t(mask))
    return F.scaled_dot_product_attention(t(q), t(k), t(v), attn_mask=bias, scale=scale, enable_gqa=True).numpy()


PAGES = np.array([[3, 1, 4], [0, 5, 2]], np.int32)
KEYS = np.arange(96)


@pytest.mark.parametrize("window", [None, 5])
@pytest.mark.parametrize("kv", [1, 2, 4])
def test_paged_decode(kv, window):
    q, k, v, at = real(1, 2, 4, 16), real(6, kv, 32, 16), real(6, kv, 32, 16), np.array([4, 70], np.int32)
    out, = run("paged_scaled_dot_product_attention_decode", [q, k, v, PAGES, at], [(q.shape, "f32")], "is_causal = true, " +
               (f"sliding_window_size = {window} : ui32, " if window else "") + segments(1, 1, 1, 1, 0, 1, 0))
    away = at[:, None, None] - KEYS
    visible = (away >= 0) & (away < (window or 99))
    want = attend(q[0][:, :, None], unpaged(k, PAGES), unpaged(v, PAGES), visible)[:, :, 0]
    np.testing.assert_allclose(out[0], want, **CLOSE)


def test_paged_decode_with_a_mask():
    """As ttnn does when it decodes, the mask is scaled with the products that it is added to."""
    q, k, v, mask = real(1, 2, 4, 16), real(6, 2, 32, 16), real(6, 2, 32, 16), real(2, 1, 4, 96)
    out, = run("paged_scaled_dot_product_attention_decode", [q, k, v, PAGES, mask], [(q.shape, "f32")],
               "is_causal = false, scale = 0.5 : f32, " + segments(1, 1, 1, 1, 1, 0, 0))
    want = attend(q[0][:, :, None], unpaged(k, PAGES), unpaged(v, PAGES), np.ones((2, 1, 96), bool), 0.5 * mask.swapaxes(1, 2), 0.5)
    np.testing.assert_allclose(out[0], want[:, :, 0], **CLOSE)


def test_latent_decode():
    q, k, at = real(1, 2, 4, 16), real(6, 1, 32, 16), np.array([4, 70], np.int32)
    out, = run("paged_flash_multi_latent_attention_decode", [q, k, PAGES, at], [((1, 2, 4, 8), "f32")],
               "head_dim_v = 8 : ui32, is_causal = true, " + segments(1, 1, 0, 1, 0, 1, 0))
    keys = unpaged(k, PAGES)
    want = attend(q[0][:, :, None], keys, keys[..., :8], at[:, None, None] >= KEYS)
    np.testing.assert_allclose(out[0], want[:, :, 0], **CLOSE)


@pytest.mark.parametrize("given", [0, 1])
def test_latent_prefill(given):
    q, k, v = real(2, 4, 7, 16), real(2, 1, 7, 16), real(2, 1, 7, 8)
    out, = run("flash_mla_prefill", [q, k] + [v] * given, [((2, 4, 7, 8), "f32")],
               "head_dim_v = 8 : ui32, is_causal = true, " + segments(1, 1, given, 0))
    want = F.scaled_dot_product_attention(t(q), t(k), t(v if given else k[..., :8]), is_causal=True, enable_gqa=True)
    np.testing.assert_allclose(out, want.numpy(), **CLOSE)


def test_chunk_of_a_prefill():
    q, k, v, start = real(2, 4, 6, 16), real(6, 2, 32, 16), real(6, 2, 32, 16), np.array([35], np.int32)
    out, = run("chunked_scaled_dot_product_attention", [q, k, v, PAGES, start], [(q.shape, "f32")])
    visible = np.broadcast_to(KEYS <= 35 + np.arange(6)[:, None], (2, 6, 96))
    np.testing.assert_allclose(out, attend(q, unpaged(k, PAGES), unpaged(v, PAGES), visible), **CLOSE)


# ---- training


@pytest.mark.parametrize("mask_type", ["none", "causal", "arbitrary"])
@pytest.mark.parametrize("kv", [1, 4])
def test_attention_and_its_gradient(mask_type, kv):
    q, k, v, g, mask = real(2, 4, 32, 16), real(2, kv, 32, 16), real(2, kv, 32, 16), real(2, 4, 32, 16), real(1, 1, 32, 32)
    masks = [mask] * (mask_type == "arbitrary")
    attrs = f"mask_type = #ttcore.attention_mask_type<{mask_type}>, dropout_probability = 0.0 : f32"
    out, sums = run("sdpa_fw", [q, k, v, *masks], [(q.shape, "f32"), ((2, 4, 32, 32), "f32")], attrs + ", return_intermediates = true")
    leaves = [t(a).requires_grad_() for a in (q, k, v)]
    want = F.scaled_dot_product_attention(*leaves, attn_mask=t(mask) if masks else None, is_causal=mask_type == "causal", enable_gqa=True)
    np.testing.assert_allclose(out, want.detach().numpy(), **CLOSE)
    want.backward(t(g))
    grads = run("sdpa_bw", [g, out, q, k, v, sums, *masks], [(a.shape, "f32") for a in (q, k, v)], attrs)
    for ours, leaf in zip(grads, leaves):
        np.testing.assert_allclose(ours, leaf.grad.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("largest", [False, True])
def test_adamw(largest):
    p, g = real(3, 5), real(3, 5)
    parameter = torch.nn.Parameter(t(p.copy()))
    optimizer = torch.optim.AdamW([parameter], lr=0.05, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.02, amsgrad=largest)
    state = [p, g, np.zeros_like(p), np.zeros_like(p)] + [np.zeros_like(p)] * largest
    for step in (1, 2, 3):
        state[1] = real(3, 5)
        parameter.grad = t(state[1].copy())
        optimizer.step()
        attrs = ", ".join(f"{k} = {v} : f32" for k, v in dict(lr=0.05, beta1=0.8, beta2=0.95, beta1_pow=0.8**step, beta2_pow=0.95**step,
                                                               epsilon="1.0e-6", weight_decay=0.02).items())
        out = changed("adamw", state, attrs, [], [0, 2, 3] + [4] * largest)
        state = [out[0], state[1], *out[1:]]
        np.testing.assert_allclose(out[0], parameter.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_gradient_of_gelu():
    x, g = np.append(real(63), np.float32(-30)).reshape(8, 8), real(8, 8)
    for form in ("none", "tanh"):
        out, = run("gelu_bw", [g, x], [((8, 8), "f32")], f'approximate = "{form}"')
        leaf = t(x).requires_grad_()
        F.gelu(leaf, approximate=form).backward(t(g))
        np.testing.assert_allclose(out, leaf.grad.numpy(), rtol=1e-5, atol=3e-6)


def test_powers_of_a_number():
    x = np.array([0.0, -0.0, 1, 2, 3.5, np.inf, np.nan, 1e-40], np.float32)
    for e in ("2.0 : f32", "0.5 : f32", "3 : i32", "0 : i32"):
        out, = run("pow_scalar", [x], [(x.shape, "f32")], f"rhs = {e}")
        np.testing.assert_allclose(out, torch.pow(t(x), float(e.split()[0])).numpy(), rtol=2e-7)


def test_dropout_and_its_moments():
    x = np.ones((64, 64), np.float32)
    for prob, scale in ((0.0, 1.0), (0.25, 2.0)):
        out, = run("dropout", [x], [(x.shape, "f32")], f"prob = {prob} : f32, scale = {scale} : f32, seed = 7 : ui32")
        assert set(np.unique(out)) <= {0.0, scale}
        assert abs((out == 0).mean() - prob) < 0.03
