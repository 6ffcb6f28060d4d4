"""TTNN operations without a counterpart in the models' tests, against torch and numpy."""

import numpy as np
import pytest

import native
from one_op import RNG, brain, in_place, real, run, segments, tiled, type_of, unbrain, whole

torch = pytest.importorskip("torch")
F = torch.nn.functional

@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_sort(dim, descending):
    x = whole(5, 4, 7, 3).astype(np.float32)
    x[0, 2, 1] = np.nan
    x[1, 0, 0] = -np.inf
    values, indices = run("sort", [x], [(x.shape, "f32"), (x.shape, "ui16")],
                          f"dim = {dim} : si8, descending = {str(descending).lower()}, stable = true")
    want = torch.sort(torch.from_numpy(x), dim=dim, descending=descending, stable=True)
    np.testing.assert_array_equal(values, want.values.numpy())
    np.testing.assert_array_equal(indices, want.indices.numpy())


@pytest.mark.parametrize("largest", [False, True])
def test_topk(largest):
    x = real(3, 17)
    values, indices = run("topk", [x], [((3, 5), "f32"), ((3, 5), "si32")],
                          f"k = 5 : i32, dim = -1 : si32, largest = {str(largest).lower()}, sorted = true")
    want = torch.topk(torch.from_numpy(x), 5, largest=largest)
    np.testing.assert_array_equal(values, want.values.numpy())
    np.testing.assert_array_equal(indices, want.indices.numpy())


def test_sort_keeps_whole_numbers():
    x = np.array([2**31 - 1, 2**31 - 2, -2**31, 0], np.int64).astype(np.int32)
    values, _ = run("sort", [x], [(x.shape, "si32"), (x.shape, "ui32")], "dim = 0 : si8")
    np.testing.assert_array_equal(values, np.sort(x))


def test_embedding_bw():
    ids, table, g = whole(5, 2, 1, 1, 32), real(5, 8), real(1, 1, 64, 8)
    out, = run("embedding_bw", [ids, table, g], [((1, 1, 5, 8), "f32")])
    want = np.zeros((5, 8), np.float32)
    np.add.at(want, ids.reshape(-1), g.reshape(64, 8))
    np.testing.assert_allclose(out[0, 0], want, rtol=1e-5, atol=1e-5)


def test_update_and_fill_cache():
    cache, rows = real(4, 2, 64, 8), real(1, 2, 3, 8)
    out = in_place("update_cache", [cache, rows, np.array([37], np.int32)], "batch_offset = 1 : i32")
    want = cache.copy()
    want[1:4, :, 37] = rows[0].transpose(1, 0, 2)
    np.testing.assert_array_equal(out, want)
    part = real(1, 2, 40, 8)
    out = in_place("fill_cache", [cache, part], "batch_offset = 2 : i32")
    want = cache.copy()
    want[2, :, :40], want[2, :, 40:64] = part[0], 0
    np.testing.assert_array_equal(out, want)


def test_a_constant_cache_keeps_what_runs_write():
    t = [type_of(s, e) for s, e in [((1, 1, 32, 4), "f32"), ((1, 1, 1, 4), "f32"), ((1,), "si32")]]
    p = native.Program(f"""func.func @main(%c: {t[0]}, %x: {t[1]}, %i: {t[2]}) -> {t[0]} {{
  "ttnn.update_cache"(%c, %x, %i) <{{batch_offset = 0 : i32}}> : ({', '.join(t)}) -> ()
  return %c : {t[0]}
}}""")
    p.set_constant(0, np.zeros((1, 1, 32, 4), np.float32))
    want = np.zeros((1, 1, 32, 4), np.float32)
    for i in range(3):
        row = real(1, 1, 1, 4)
        out, = p(None, row, np.array([i], np.int32))
        want[0, 0, i] = row
        np.testing.assert_array_equal(out, want)


def test_paged_caches():
    cache, pages = real(6, 2, 32, 8), np.array([[3, 1], [0, 5]], np.int32)
    rows = real(1, 2, 32, 8)
    out = in_place("paged_update_cache", [cache, rows, np.array([34, -1], np.int32), pages],
                   segments(1, 1, 1, 1) + ", share_cache = false")
    want = cache.copy()
    want[1, :, 2] = rows[0, 0, :2]
    np.testing.assert_array_equal(out, want)
    part = real(1, 2, 36, 8)
    out = in_place("paged_fill_cache", [cache, part, pages, np.array([1], np.int32)])
    want = cache.copy()
    want[0], want[5, :, :4] = part[0, :, :32], part[0, :, 32:]
    np.testing.assert_array_equal(out, want)


def test_heads():
    x = real(2, 3, 5, 4)
    out, = run("concatenate_heads", [x], [((2, 5, 12), "f32")])
    np.testing.assert_array_equal(out, x.transpose(0, 2, 1, 3).reshape(2, 5, 12))
    out, = run("nlp_concat_heads", [x], [((2, 1, 5, 12), "f32")])
    np.testing.assert_array_equal(out[:, 0], x.transpose(0, 2, 1, 3).reshape(2, 5, 12))
    x = real(1, 2, 32, 4)
    out, = run("nlp_concat_heads_decode", [x], [((1, 1, 2, 24), "f32")], "num_heads = 6 : ui32")
    np.testing.assert_array_equal(out[0, 0], x[0, :, :6].reshape(2, 24))


@pytest.mark.parametrize("transpose", [False, True])
def test_split_heads(transpose):
    x = real(2, 5, (4 + 2 * 2) * 8)
    k_shape = (2, 2, 8, 5) if transpose else (2, 2, 5, 8)
    q, k, v = run("split_query_key_value_and_split_heads", [x],
                  [((2, 4, 5, 8), "f32"), (k_shape, "f32"), ((2, 2, 5, 8), "f32")],
                  f"num_heads = 4 : ui32, num_kv_heads = 2 : ui32, transpose_key = {str(transpose).lower()}")
    parts = [p.reshape(2, 5, -1, 8).transpose(0, 2, 1, 3) for p in np.split(x, [32, 48], axis=-1)]
    np.testing.assert_array_equal(q, parts[0])
    np.testing.assert_array_equal(k, parts[1].swapaxes(2, 3) if transpose else parts[1])
    np.testing.assert_array_equal(v, parts[2])


def test_create_heads_decode():
    x = real(1, 1, 3, 4 * 8)
    q, k, v = run("nlp_create_qkv_heads_decode", [x], [((1, 3, 2, 8), "f32")] + [((1, 3, 1, 8), "f32")] * 2,
                  "num_heads = 2 : ui32, num_kv_heads = 1 : ui32")
    np.testing.assert_array_equal(q[0], x[0, 0, :, :16].reshape(3, 2, 8))
    np.testing.assert_array_equal(k[0, :, 0], x[0, 0, :, 16:24])
    np.testing.assert_array_equal(v[0, :, 0], x[0, 0, :, 24:])


@pytest.mark.parametrize("token", [None, 3])
def test_rotary_embedding(token):
    x, cos, sin = real(1, 2, 6, 8), real(1, 1, 10, 8), real(1, 1, 10, 8)
    out, = run("rotary_embedding", [x, cos, sin], [(x.shape, "f32")],
               "" if token is None else f"token_index = {token} : ui32")
    turned = np.concatenate([-x[..., 4:], x[..., :4]], -1)
    rows = slice(0, 6) if token is None else slice(token, token + 1)
    np.testing.assert_allclose(out, x * cos[:, :, rows] + turned * sin[:, :, rows], rtol=1e-6, atol=1e-6)


def test_rotary_embedding_of_whole_tiles():
    """The device's operation writes whole tiles, of which the rows behind the input's are cut off."""
    x, cos, sin = real(2, 2, 6, 8), real(1, 1, 10, 8), real(1, 1, 10, 8)
    out, = run("rotary_embedding", [x, cos, sin], [((2, 2, 32, 8), "f32")])
    turned = np.concatenate([-x[..., 4:], x[..., :4]], -1)
    np.testing.assert_allclose(out[:, :, :6], x * cos[:, :, :6] + turned * sin[:, :, :6], rtol=1e-6, atol=1e-6)


def test_rotary_embedding_llama():
    mix = np.zeros((1, 1, 32, 32), np.float32)
    for i in range(0, 32, 2):
        mix[0, 0, i + 1, i], mix[0, 0, i, i + 1] = -1, 1
    x, cos, sin = (brain(real(1, n, 6, 64)) for n in (2, 1, 1))
    types = [tiled(s) for s in (x.shape, cos.shape, sin.shape, mix.shape)]
    out, = native.Program(f"""func.func @main(%x: {types[0]}, %c: {types[1]}, %s: {types[2]}, %m: {types[3]}) -> {types[0]} {{
  %r = "ttnn.rotary_embedding_llama"(%x, %c, %s, %m) <{{is_decode_mode = false}}> : ({", ".join(types)}) -> {types[0]}
  return %r : {types[0]}
}}""")(x, cos, sin, brain(mix))
    x, cos, sin = map(unbrain, (x, cos, sin))
    turned = np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
    np.testing.assert_allclose(unbrain(out), x * cos + turned * sin, rtol=2**-8, atol=1e-6)


def test_quantization():
    x = np.array([[-3.0, -0.25, 0.25, 0.75], [1e9, np.nan, 1.25, -7.0]], np.float32)
    scale, zero = np.array([0.5], np.float32), np.array([3], np.int32)
    coarse, fine = "!quant.uniform<i32:f32, 0.5:3>", "!quant.uniform<i32:f32, 0.25:1>"
    out, = run("quantize", [x, scale, zero], [(x.shape, coarse)], "output_dtype = #ttcore.supportedDataTypes<si32>")
    np.testing.assert_array_equal(out, [[-3, 3, 3, 5], [2000000003, 0, 5, -11]])
    codes = whole(200, 3, 4)
    scales, zeros = np.array([0.5, 0.125, 2], np.float32), np.array([3, 0, 8], np.int32)
    rows = "!quant.uniform<i32:f32:0, {0.5:3, 0.125:0, 2.0:8}>"
    out, = run("dequantize", [codes, scales, zeros], [((3, 4), "f32")],
               "axis = 0 : i32, output_dtype = #ttcore.supportedDataTypes<f32>", elements=[rows])
    np.testing.assert_allclose(out, (codes - zeros[:, None]) * scales[:, None], rtol=1e-6)
    out, = run("requantize", [codes, scale, zero, np.array([0.25], np.float32), np.array([1], np.int32)],
               [((3, 4), fine)], "output_dtype = #ttcore.supportedDataTypes<si32>", elements=[coarse])
    np.testing.assert_array_equal(out, (codes - 3) * 2 + 1)


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_upsample(mode):
    x = real(2, 3, 4, 5)
    out, = run("upsample", [x], [((2, 6, 12, 5), "f32")], f'scale_factor = array<i32: 2, 3>, mode = "{mode}"')
    want = F.interpolate(torch.from_numpy(x).permute(0, 3, 1, 2), scale_factor=(2, 3), mode=mode,
                         **({"align_corners": False} if mode == "bilinear" else {})).permute(0, 2, 3, 1)
    np.testing.assert_allclose(out, want.numpy(), rtol=1e-5, atol=1e-6)


def test_global_avg_pool2d():
    x = real(2, 3, 4, 5)
    out, = run("global_avg_pool2d", [x], [((2, 1, 1, 5), "f32")])
    np.testing.assert_allclose(out[:, 0, 0], x.mean((1, 2)), rtol=1e-5, atol=1e-6)


def test_max_pool_with_indices():
    x = real(2, 6, 8, 3)
    attrs = ("batch_size = 2 : si32, input_height = 6 : si32, input_width = 8 : si32, channels = 3 : si32, "
             "kernel_size = array<i32: 3, 3>, stride = array<i32: 2, 2>, padding = array<i32: 1, 1>, "
             "dilation = array<i32: 1, 1>, ceil_mode = false")
    values, indices = run("max_pool2d_with_indices", [x.reshape(1, 1, 96, 3)],
                          [((1, 1, 24, 3), "f32"), ((1, 1, 24, 3), "si32")], attrs)
    want = F.max_pool2d(torch.from_numpy(x).permute(0, 3, 1, 2), 3, 2, 1, return_indices=True)
    np.testing.assert_array_equal(values.reshape(2, 3, 4, 3), want[0].permute(0, 2, 3, 1).numpy())
    np.testing.assert_array_equal(indices.reshape(2, 3, 4, 3), want[1].permute(0, 2, 3, 1).numpy())


@pytest.mark.parametrize("causal,masked,kv", [(True, False, 4), (False, True, 4), (False, False, 2), (True, False, 1)])
def test_attention(causal, masked, kv):
    q, k, v, mask = real(2, 4, 7, 8), real(2, kv, 7, 8), real(2, kv, 7, 8), real(2, 1, 7, 7)
    out, = run("scaled_dot_product_attention", [q, k, v] + [mask] * masked, [(q.shape, "f32")],
               f"is_causal = {str(causal).lower()}, " + segments(1, 1, 1, int(masked), 0))
    t = [torch.from_numpy(a) for a in (q, k, v, mask)]
    want = F.scaled_dot_product_attention(*t[:3], attn_mask=t[3] if masked else None, is_causal=causal, enable_gqa=True)
    np.testing.assert_allclose(out, want.numpy(), rtol=1e-4, atol=1e-5)


def test_attention_window_and_scale():
    q, k, v = real(1, 1, 9, 8), real(1, 1, 9, 8), real(1, 1, 9, 8)
    out, = run("scaled_dot_product_attention", [q, k, v], [(q.shape, "f32")],
               "is_causal = true, scale = 0.5 : f32, sliding_window_size = 3 : ui32, " + segments(1, 1, 1, 0, 0))
    away = np.arange(9)[:, None] - np.arange(9)[None]
    mask = torch.from_numpy((away >= 0) & (away < 3))
    want = F.scaled_dot_product_attention(*map(torch.from_numpy, (q, k, v)), attn_mask=mask, scale=0.5)
    np.testing.assert_allclose(out, want.numpy(), rtol=1e-4, atol=1e-5)


def test_attention_decode():
    q, k, v, at = real(1, 2, 4, 8), real(2, 2, 16, 8), real(2, 2, 16, 8), np.array([5, 11], np.int32)
    out, = run("scaled_dot_product_attention_decode", [q, k, v, at], [(q.shape, "f32")],
               "is_causal = true, " + segments(1, 1, 1, 0, 1, 0))
    for u in range(2):
        n = at[u] + 1
        want = F.scaled_dot_product_attention(torch.from_numpy(q[0, u, :, None]), torch.from_numpy(k[u, :, :n]),
                                              torch.from_numpy(v[u, :, :n]), enable_gqa=True)
        np.testing.assert_allclose(out[0, u], want.numpy()[:, 0], rtol=1e-4, atol=1e-5)


def test_group_norm():
    x, w, b = real(2, 1, 12, 8), real(8), real(8)
    out, = run("group_norm", [x, w, b], [(x.shape, "f32")],
               "num_groups = 4 : i64, epsilon = 1.0e-5 : f32, " + segments(1, 0, 1, 1))
    want = F.group_norm(torch.from_numpy(x[:, 0]).permute(0, 2, 1), 4, torch.from_numpy(w), torch.from_numpy(b), 1e-5)
    np.testing.assert_allclose(out[:, 0], want.permute(0, 2, 1).numpy(), rtol=1e-4, atol=1e-5)


def test_movement():
    x = real(2, 3, 4)
    out, = run("transpose", [x], [((4, 3, 2), "f32")], "dim0 = 0 : si32, dim1 = -1 : si32")
    np.testing.assert_array_equal(out, x.swapaxes(0, 2))
    out, = run("repeat_interleave", [x], [((2, 9, 4), "f32")], "repeats = 3 : ui32, dim = 1 : si32")
    np.testing.assert_array_equal(out, np.repeat(x, 3, 1))
    out, = run("bitcast_convert", [x], [(x.shape, "si32")], "dtype = #ttcore.supportedDataTypes<si32>")
    np.testing.assert_array_equal(out, x.view(np.int32))


# ---- block floats: an independent model of the host's conversion

MAGNITUDE = {"bfp_bf8": 7, "bfp_bf4": 3, "bfp_bf2": 1}


def block_round(x, width):
    """Sixteen in a row share the largest exponent; integers on its grid, ties to even."""
    shape = x.shape
    pad = -shape[-1] % 16
    rows = np.pad(x.astype(np.float64), [(0, 0)] * (x.ndim - 1) + [(0, pad)]).reshape(-1, 16)
    out = np.zeros_like(rows)
    for r, row in enumerate(rows):
        row = np.where(np.abs(row) < 2.0**-126, 0, row)
        if not row.any():
            continue
        exponent = max(np.frexp(v)[1] - 1 for v in row if v)
        for c, v in enumerate(row):
            if not v:
                continue
            # bits below the 24 that the shared exponent leaves are truncated first
            cut = np.trunc(abs(v) / 2.0**(exponent - 23))
            code = np.rint(cut / 2.0**(24 - width))
            out[r, c] = np.sign(v) * min(code, 2**width - 1) * 2.0**(exponent - width + 1)
    return out.reshape(*shape[:-1], shape[-1] + pad)[..., :shape[-1]].astype(np.float32)


def edge_values():
    x = (real(8, 48) * np.exp2(RNG.integers(-12, 12, (8, 48)))).astype(np.float32)
    x[0, :16] = 1 + np.arange(16) / 128  # ties of bfp8
    x[1, :16] = 0
    x[2, 0] = 1.9999999  # rounds beyond the largest code
    x[3, 3] = 2.0**100
    x[4, 16:32] = -2.0**-125 * 0.25
    return x


@pytest.mark.parametrize("element", MAGNITUDE)
def test_block_floats(element):
    x = edge_values()
    block = f"tensor<8x48x!ttcore.tile<32x32, {element}>>"
    attr = f"#ttcore.supportedDataTypes<{element}>"
    p = native.Program(f"""func.func @main(%a: tensor<8x48xf32>) -> tensor<8x48xf32> {{
  %0 = "ttnn.typecast"(%a) <{{dtype = {attr}}}> : (tensor<8x48xf32>) -> {block}
  %1 = "ttnn.typecast"(%0) <{{dtype = #ttcore.supportedDataTypes<f32>}}> : ({block}) -> tensor<8x48xf32>
  return %1 : tensor<8x48xf32>
}}""")
    np.testing.assert_array_equal(p(x)[0], block_round(x, MAGNITUDE[element]))


def test_block_floats_in_and_out():
    block = "tensor<8x48x!ttcore.tile<32x32, bfp_bf8>>"
    p = native.Program(f"""func.func @main(%a: {block}, %b: {block}) -> {block} {{
  %0 = "ttnn.add"(%a, %b) : ({block}, {block}) -> {block}
  return %0 : {block}
}}""")
    a, b = real(8, 48), real(8, 48)
    out = p(a, b)[0]
    want = block_round(a, 7) + block_round(b, 7)
    largest = np.abs(want).reshape(8, 3, 16).max(-1).repeat(16, -1)
    assert (np.abs(out - want) <= largest / 64).all()
    np.testing.assert_array_equal(block_round(out, 7), out)  # on the grid


@pytest.mark.parametrize("a, b", [((7,), (7,)), ((7,), (7, 5)), ((3, 7), (7,)), ((7,), (2, 7, 5)), ((2, 3, 7), (7,))])
def test_products_of_vectors(a, b):
    x, y = real(*a), real(*b)
    want = x @ y
    out, = run("matmul", [x, y], [(want.shape or (1,), "f32")])
    np.testing.assert_allclose(out.reshape(want.shape), want, rtol=1e-5, atol=1e-5)


def test_slices_that_count_from_the_end():
    x = real(8, 9)
    out, = run("slice_static", [x], [((2, 3), "f32")], "begins = [-2 : i32, 1 : i32], ends = [8 : i32, 7 : i32], step = [1 : i32, 2 : i32]")
    np.testing.assert_array_equal(out, x[-2:, 1:7:2])
