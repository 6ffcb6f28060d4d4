"""Custom calls that are lowered by their ttir meaning: attention on compressed keys, sparse attention's scores."""

import math

import numpy as np
import pytest
from native import Error, Program

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(31)


def tensor(a):
    return "tensor<" + "".join(f"{d}x" for d in a.shape) + "f32>"


def call(target, args, out, **options):
    types = [tensor(a) for a in args]
    names = [f"%a{i}" for i in range(len(args))]
    given = ", ".join(f'{k} = "{v}"' for k, v in options.items())
    params = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    return Program(f"""func.func @main({params}) -> {out} {{
  %0 = stablehlo.custom_call @{target}({", ".join(names)}) {{mhlo.frontend_attributes = {{{given}}}}} : ({", ".join(types)}) -> {out}
  return %0 : {out}
}}""")(*args)[0]


def real(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("heads, kv, value, mask, causal, scale", [
    (4, 4, False, False, True, None), (4, 1, True, False, True, None), (4, 2, False, True, False, 0.25), (2, 1, True, True, True, 0.5)])
def test_attention_on_compressed_keys(heads, kv, value, mask, causal, scale):
    batch, n, keys, size, head_dim = 2, 5, 7 if not causal else 5, 8, 6
    q, k = real(batch, heads, n, size), real(batch, kv, keys, size)
    args = [q, k]
    v = k[..., :head_dim]
    m = np.zeros((1, 1, n, keys), np.float32)
    if value:
        v = real(batch, kv, keys, head_dim)
        args.append(v)
    if mask:
        m = real(1, 1, n, keys) * np.ones((batch, 1, 1, 1), np.float32)
        args.append(m)
    options = {"head_dim_v": head_dim, "is_causal": causal, "has_value": value, "has_attention_mask": mask}
    if scale:
        options["scale"] = scale
    out = call("tt.flash_mla_prefill", args, f"tensor<{batch}x{heads}x{n}x{head_dim}xf32>", **options)
    bias = torch.tensor(m) + (torch.full((n, keys), -math.inf).triu(1) if causal else 0)
    wide = [torch.tensor(np.repeat(x, heads // kv, axis=1)) for x in (k, v)]
    want = torch.nn.functional.scaled_dot_product_attention(torch.tensor(q), *wide, attn_mask=bias, scale=scale)
    np.testing.assert_allclose(out, want.numpy(), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("start, keys", [(0, 300), (290, 600)])
def test_scores_of_sparse_attention(start, keys):
    q, k, w = real(1, 3, 300, 4), real(1, 1, keys, 4), real(1, 3, 300, 1)
    options = {"chunk_start_idx": start} if start else {"is_ignored": "x"}
    out = call("tt.indexer_score_dsa", [q, k, w], f"tensor<1x1x300x{keys}xf32>", **options)
    want = (np.maximum(q @ k.swapaxes(2, 3), 0) * w).sum(1, keepdims=True)
    hidden = np.arange(300)[:, None] + start < np.arange(keys)
    want = np.where(hidden, -np.inf, want)
    np.testing.assert_allclose(out, want, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("options", [{}, {"head_dim_v": 9}, {"head_dim_v": "many"}, {"head_dim_v": 8, "has_value": True}, {"head_dim_v": 8, "scale": "x"}])
def test_options_that_do_not_fit_are_refused(options):
    x = real(1, 2, 4, 8)
    with pytest.raises(Error, match="custom_call"):
        call("tt.flash_mla_prefill", [x, x], "tensor<1x2x4x8xf32>", **options)
