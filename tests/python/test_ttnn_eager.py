"""Functions of ttnn called at once, against torch: those that no emitted program of test_ttnn_emitted.py has, and all element-wise ones in
each data type. Together the two files call every function."""

import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402
import ttnn  # noqa: E402
from tilewright import _core  # noqa: E402

CALLED = set()


@pytest.fixture(scope="module")
def device():
    with ttnn.manage_device(device_id=0) as device:
        yield device


def call(name, *args, **options):
    """The function of that name, which counts as called."""
    CALLED.add(name)
    function = ttnn
    for part in name.split(".")[1:]:
        function = getattr(function, part)
    return function(*args, **options)


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def on(device, x, dtype=None):
    return ttnn.from_torch(x, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def close(got, want, tolerance=1e-5):
    got = ttnn.to_torch(got)
    assert got.shape == want.shape
    torch.testing.assert_close(got.to(want.dtype), want, rtol=tolerance, atol=tolerance)


# ---- data movement, devices, chips of a mesh of one --------------------------------------------


@pytest.mark.parametrize("name, options", [
    ("ttnn.all_gather", {"dim": 0, "cluster_axis": 0}), ("ttnn.all_reduce", {"cluster_axis": 0}), ("ttnn.assign", {}),
    ("ttnn.experimental.all_reduce_async", {"cluster_axis": 1, "math_op": "sum"}), ("ttnn.reduce_scatter", {"dim": 1, "cluster_axis": 1}), ("ttnn.mesh_partition", {"dim": 0, "cluster_axis": 0}),
])
def test_one_chip_keeps_values(name, options, device):
    x = draw(32, 64)
    close(call(name, on(device, x), **options), x, 0)


def test_copies(device):
    x = draw(32, 32)
    for name, given in (("ttnn.copy", on(device, x)), ("ttnn.copy_host_to_device_tensor", ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT))):
        target = on(device, torch.zeros(32, 32))
        assert call(name, given, target) is None
        close(target, x, 0)
    moved = call("ttnn.to_device", ttnn.from_torch(x), device=device)
    assert moved.device() is device and moved.memory_config() == ttnn.DRAM_MEMORY_CONFIG
    close(moved, x, 0)


def test_new_tensors(device):
    blank = call("ttnn.empty", (3, 4), ttnn.float32, ttnn.TILE_LAYOUT, device)
    assert blank.shape == (3, 4) and blank.empty and blank.device() is device
    x, y = (ttnn.to_torch(call("ttnn.rand", (64, 64), device, dtype=ttnn.float32, low=2.0, high=5.0, seed=seed)) for seed in (7, 7))
    assert torch.equal(x, y) and x.min() >= 2 and x.max() < 5 and abs(x.mean() - 3.5) < 0.1
    x, y = (ttnn.to_torch(ttnn.rand((64, 64), device)) for _ in range(2))
    assert not torch.equal(x, y)
    dropped = ttnn.to_torch(call("ttnn.experimental.dropout", on(device, torch.ones(64, 64)), probability=0.25, scale=4 / 3, seed=3))
    kept = dropped != 0
    assert 0.7 < kept.float().mean() < 0.8 and torch.allclose(dropped[kept], torch.tensor(4 / 3))


# ---- elements -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lt", "le"])
def test_comparisons(name, device):
    x, y = draw(32, 32), draw(32, 32, seed=1)
    close(call(f"ttnn.{name}", on(device, x), on(device, y)), getattr(torch, name)(x, y).float(), 0)


def test_powers(device):
    x, y = draw(32, 32).abs() + 0.5, draw(32, 32, seed=1)
    close(call("ttnn.pow", on(device, x), 3.0), x ** 3)
    close(call("ttnn.pow", on(device, x), on(device, y)), x ** y)
    close(call("ttnn.pow", 2.0, on(device, y)), 2.0 ** y)
    close(on(device, x) ** 2, x ** 2)


UNARY = {"abs": torch.abs, "acos": torch.acos, "asin": torch.asin, "asinh": torch.asinh, "atan": torch.atan, "ceil": torch.ceil, "cos": torch.cos,
         "erf": torch.erf, "erfc": torch.erfc, "exp": torch.exp, "expm1": torch.expm1, "floor": torch.floor, "gelu": F.gelu,
         "hardsigmoid": F.hardsigmoid, "log1p": torch.log1p, "mish": F.mish, "neg": torch.neg, "reciprocal": torch.reciprocal, "relu": torch.relu,
         "relu6": F.relu6, "rsqrt": torch.rsqrt, "sigmoid": torch.sigmoid, "sign": torch.sign, "silu": F.silu, "sin": torch.sin, "sqrt": torch.sqrt,
         "square": torch.square, "tan": torch.tan, "tanh": torch.tanh, "exp2": torch.exp2, "softplus": F.softplus, "elu": F.elu, "hardtanh": F.hardtanh}
BINARY = {"add": torch.add, "atan2": torch.atan2, "divide": torch.div, "eq": torch.eq, "ge": torch.ge, "gt": torch.gt, "maximum": torch.maximum,
          "minimum": torch.minimum, "multiply": torch.mul, "ne": torch.ne, "remainder": torch.remainder, "subtract": torch.sub}


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bfloat8_b"])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_elements(name, dtype, device):
    """In the data type's precision: torch computes in f64 what the tensor holds."""
    kind = getattr(ttnn, dtype)
    held = [on(device, draw(32, 64, seed=i).abs().clamp(0.1, 0.95), kind) for i in range(2)]
    given = [ttnn.to_torch(t).double() for t in held]
    got = getattr(ttnn, name)(*held[:1 if name in UNARY else 2])
    want = (UNARY | BINARY)[name](*given[:1 if name in UNARY else 2]).double()
    assert got.dtype == kind and got.layout == ttnn.TILE_LAYOUT
    if dtype == "bfloat8_b" and name == "remainder":
        pytest.skip("jumps where the quotient is whole")
    step = {"float32": 1e-6, "bfloat16": 2 ** -8, "bfloat8_b": 2 ** -6}[dtype]
    largest = want.abs().max().item() if dtype == "bfloat8_b" else 0
    torch.testing.assert_close(ttnn.to_torch(got).double(), want, rtol=4 * step, atol=step * max(largest, 1))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "uint16", "uint8"])
@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "maximum", "minimum", "eq", "lt", "bitwise_and", "bitwise_or", "bitwise_xor"])
def test_integers(name, dtype, device):
    if dtype != "int32" and name == "subtract":
        pytest.skip("wraps below 0")
    draws = torch.Generator().manual_seed(5)
    x, y = (torch.randint(0, 11, (32, 33), generator=draws) for _ in range(2))
    held = [on(device, v.to(getattr(torch, dtype)), getattr(ttnn, dtype)) for v in (x, y)]
    want = getattr(torch, {"multiply": "mul", "subtract": "sub"}.get(name, name))(x, y)
    got = getattr(ttnn, name)(*held)
    assert got.dtype == held[0].dtype and torch.equal(ttnn.to_torch(got).long(), want.long())


# ---- convolutions and norms -------------------------------------------------------------------------


def test_conv1d(device):
    x, w, b = draw(2, 20, 16), draw(32, 8, 3), draw(1, 1, 1, 32)
    got = call("ttnn.conv1d", input_tensor=on(device, x), weight_tensor=ttnn.from_torch(w), bias_tensor=on(device, b), device=device, in_channels=16,
               out_channels=32, batch_size=2, input_length=20, kernel_size=3, stride=2, padding=[1, 1], groups=2)
    want = F.conv1d(x.permute(0, 2, 1), w, b.flatten(), stride=2, padding=1, groups=2).permute(0, 2, 1)
    close(got, want.reshape(1, 1, -1, 32), 1e-4)


CONV = {"in_channels": 16, "out_channels": 32, "batch_size": 1, "input_height": 6, "input_width": 7, "kernel_size": [3, 3], "stride": [1, 1],
        "padding": [1, 1], "dilation": [1, 1], "groups": 1}


def test_prepared_weights(device):
    """A convolution of prepared weights gives what it gives of the weights themselves."""
    x, w, b = draw(1, 1, 42, 16), draw(32, 16, 3, 3), draw(1, 1, 1, 32)
    more = {"input_memory_config": ttnn.DRAM_MEMORY_CONFIG, "input_layout": ttnn.TILE_LAYOUT, "input_dtype": ttnn.float32, "device": device}
    weights = call("ttnn.prepare_conv_weights", weight_tensor=ttnn.from_torch(w), weights_format="OIHW", has_bias=True, **CONV, **more)
    bias = call("ttnn.prepare_conv_bias", bias_tensor=ttnn.from_torch(b), **CONV, **more)
    want = F.conv2d(x.reshape(1, 6, 7, 16).permute(0, 3, 1, 2), w, b.flatten(), padding=1).permute(0, 2, 3, 1).reshape(1, 1, 42, 32)
    for each in (weights, ttnn.from_torch(w)):
        close(ttnn.conv2d(input_tensor=on(device, x), weight_tensor=each, bias_tensor=bias, device=device, **CONV), want, 1e-4)
    w = draw(16, 32, 3, 3)
    weights = call("ttnn.prepare_conv_transpose2d_weights", weight_tensor=ttnn.from_torch(w), weights_format="IOHW", has_bias=True, **CONV, **more)
    bias = call("ttnn.prepare_conv_transpose2d_bias", bias_tensor=ttnn.from_torch(b), **CONV, **more)
    want = F.conv_transpose2d(x.reshape(1, 6, 7, 16).permute(0, 3, 1, 2), w, b.flatten(), padding=1).permute(0, 2, 3, 1).reshape(1, 1, 42, 32)
    for each in (weights, ttnn.from_torch(w)):
        close(ttnn.conv_transpose2d(input_tensor=on(device, x), weight_tensor=each, bias_tensor=bias, device=device, **CONV), want, 1e-4)


def test_norms(device):
    x, w, b = draw(1, 1, 64, 32), draw(32), draw(32, seed=1)
    grouped = x.reshape(64, 4, 8)
    normal = (grouped - grouped.mean((0, 2), keepdim=True)) / (grouped.var((0, 2), keepdim=True, unbiased=False) + 1e-5).sqrt()
    close(call("ttnn.group_norm", on(device, x), num_groups=4, epsilon=1e-5, weight=on(device, w), bias=on(device, b)),
          normal.reshape(x.shape) * w + b, 1e-4)
    x, r = draw(2, 32, 64), draw(2, 32, 64, seed=1)
    w = draw(64)
    rms = (x + r) / ((x + r).square().mean(-1, keepdim=True) + 1e-5).sqrt() * w
    close(call("ttnn.experimental.dit_rms_norm_unary_fused", on(device, x), epsilon=1e-5, weight=on(device, w), residual_input_tensor=on(device, r)),
          rms, 1e-4)


def test_statistics_of_norms(device):
    x, w, b = draw(1, 1, 32, 64), draw(64), draw(64, seed=1)
    stats = call("ttnn.layer_norm_pre_all_gather", on(device, x))
    assert stats.shape == (1, 1, 32, 64)
    made = call("ttnn.layer_norm_post_all_gather", on(device, x), stats, epsilon=1e-5, weight=on(device, w), bias=on(device, b))
    close(made, F.layer_norm(x, (64,), w, b, 1e-5), 1e-4)
    made = call("ttnn.fused_rms_minimal", on(device, x), None, 1, device, None, epsilon=1e-5, weight=on(device, w))
    close(made, x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * w, 1e-4)
    sums = ttnn.to_torch(call("ttnn.rms_norm_pre_all_gather", on(device, x)))
    assert sums.shape == (1, 1, 32, 32) and torch.allclose(sums[..., 0], x.square().sum(-1), rtol=1e-4)


def test_requantize(device):
    scale, zero = (lambda v: on(device, torch.tensor([v]))), (lambda v: on(device, torch.tensor([v], dtype=torch.int32), ttnn.int32))
    x = draw(32, 32)
    codes = ttnn.quantize(on(device, x), scale(0.1), zero(3), dtype=ttnn.int32)
    assert codes.dtype == ttnn.int32
    again = call("ttnn.requantize", codes, scale(0.1), zero(3), scale(0.2), zero(-1), dtype=ttnn.int32)
    close(ttnn.dequantize(again, scale(0.2), zero(-1), dtype=ttnn.float32), x, 0.16)


# ---- heads and attention ----------------------------------------------------------------------------


def test_heads(device):
    x = draw(2, 4, 32, 16)
    joined = x.permute(0, 2, 1, 3).reshape(2, 32, 64)
    close(call("ttnn.transformer.concatenate_heads", on(device, x)), joined, 0)
    close(call("ttnn.experimental.nlp_concat_heads", on(device, x)), joined[:, None], 0)
    x = draw(1, 3, 32, 16)
    close(call("ttnn.experimental.nlp_concat_heads_decode", on(device, x), num_heads=5), x[:, :, :5].reshape(1, 1, 3, 80), 0)
    x = draw(1, 1, 3, 8 * 16)
    q, k, v = call("ttnn.experimental.nlp_create_qkv_heads_decode", on(device, x), num_heads=4, num_kv_heads=2)
    parts = x.reshape(1, 3, 8, 16)
    for got, want in ((q, parts[:, :, :4]), (k, parts[:, :, 4:6]), (v, parts[:, :, 6:])):
        close(got, want, 0)


def test_rotary_embeddings(device):
    x, cos, sin = draw(1, 4, 32, 64), draw(1, 1, 32, 64), draw(1, 1, 32, 64, seed=1)
    half = torch.cat([-x[..., 32:], x[..., :32]], -1)
    close(call("ttnn.experimental.rotary_embedding", on(device, x), on(device, cos), on(device, sin)), x * cos + half * sin, 1e-4)
    mix = torch.zeros(1, 1, 32, 32)
    for i in range(0, 32, 2):
        mix[0, 0, i, i + 1], mix[0, 0, i + 1, i] = 1, -1
    given = [on(device, t, ttnn.bfloat16) for t in (x, cos, sin, mix)]
    held = [ttnn.to_torch(t).float() for t in given]
    mixed = torch.cat([held[0][..., i:i + 32] @ held[3][0, 0] for i in (0, 32)], -1)
    close(call("ttnn.experimental.rotary_embedding_llama", *given, is_decode_mode=False), held[0] * held[1] + mixed * held[2], 3e-2)


def test_attention(device):
    q, k, v = (draw(2, 4, 32, 64, seed=i) for i in range(3))
    held = [on(device, t) for t in (q, k, v)]
    close(call("ttnn.transformer.scaled_dot_product_attention", *held, is_causal=True), F.scaled_dot_product_attention(q, k, v, is_causal=True), 1e-4)
    mask = draw(2, 1, 32, 32)
    close(call("ttnn.transformer.scaled_dot_product_attention", *held, attn_mask=on(device, mask), is_causal=False, scale=0.25),
          F.scaled_dot_product_attention(q, k, v, mask, scale=0.25), 1e-4)
    close(call("ttnn.transformer.flash_mla_prefill", *held[:2], 32, is_causal=True),
          F.scaled_dot_product_attention(q, k, k[..., :32], is_causal=True), 1e-4)
    close(ttnn.transformer.flash_mla_prefill(*held, is_causal=True), F.scaled_dot_product_attention(q, k, v, is_causal=True), 1e-4)


def pages(cache, block, order):
    """Keys [user, head, position, depth] in pages, and the table of them."""
    users, heads, positions, depth = cache.shape
    blocks = cache.reshape(users, heads, -1, block, depth).permute(0, 2, 1, 3, 4).reshape(-1, heads, block, depth)
    table = torch.argsort(order).reshape(users, -1).int()
    return blocks[order], table


def test_attention_of_one_position(device):
    users, heads, depth, positions = 2, 4, 64, 64
    q, k, v = draw(1, users, heads, depth), draw(users, heads, positions, depth), draw(users, heads, positions, depth, seed=1)
    at = torch.tensor([40, 63], dtype=torch.int32)
    visible = torch.arange(positions)[None, None, None] <= at[:, None, None, None]
    want = F.scaled_dot_product_attention(q.permute(1, 2, 0, 3), k, v, visible).permute(2, 0, 1, 3)
    position = on(device, at, ttnn.int32)
    close(call("ttnn.transformer.scaled_dot_product_attention_decode", on(device, q), on(device, k), on(device, v), cur_pos_tensor=position), want, 1e-4)
    order = torch.tensor([2, 0, 3, 1])
    (paged_k, table), (paged_v, _) = pages(k, 32, order), pages(v, 32, order)
    table = on(device, table, ttnn.int32)
    close(call("ttnn.transformer.paged_scaled_dot_product_attention_decode", on(device, q), on(device, paged_k), on(device, paged_v),
               page_table_tensor=table, cur_pos_tensor=position), want, 1e-4)
    (one, table), k = pages(k[:, :1].contiguous(), 32, order), k[:, :1]
    latent = F.scaled_dot_product_attention(q.permute(1, 2, 0, 3), k.expand(-1, 4, -1, -1), k[..., :32].expand(-1, 4, -1, -1), visible)
    close(call("ttnn.transformer.paged_flash_multi_latent_attention_decode", on(device, q), on(device, one), None, head_dim_v=32,
               page_table_tensor=on(device, table, ttnn.int32), cur_pos_tensor=position), latent.permute(2, 0, 1, 3), 1e-4)


def test_attention_of_chunks(device):
    q, k, v = draw(1, 4, 32, 64), draw(1, 4, 64, 64), draw(1, 4, 64, 64, seed=1)
    (paged_k, table), (paged_v, _) = (pages(t, 32, torch.tensor([1, 0])) for t in (k, v))
    start = on(device, torch.tensor([32], dtype=torch.int32), ttnn.int32)
    visible = torch.arange(64)[None] <= torch.arange(32, 64)[:, None]
    close(call("ttnn.transformer.chunked_scaled_dot_product_attention", on(device, q), on(device, paged_k), on(device, paged_v),
               page_table_tensor=on(device, table, ttnn.int32), chunk_start_idx_tensor=start),
          F.scaled_dot_product_attention(q, k, v, visible), 1e-4)


def test_caches(device):
    cache, x = torch.zeros(2, 4, 64, 32), draw(1, 4, 2, 32)
    held = on(device, cache)
    assert call("ttnn.update_cache", held, on(device, x), 7, batch_offset=0) is None
    want = cache.clone()
    want[:, :, 7] = x[0].permute(1, 0, 2)
    close(held, want, 0)
    blocks, x = torch.zeros(4, 4, 32, 32), draw(1, 4, 64, 32)
    held = on(device, blocks)
    table = on(device, torch.tensor([[2, 0], [1, 3]], dtype=torch.int32), ttnn.int32)
    assert call("ttnn.experimental.paged_fill_cache", held, on(device, x), table, batch_idx_tensor=on(device, torch.tensor([0], dtype=torch.int32), ttnn.int32)) is None
    want = blocks.clone()
    want[2], want[0] = x[0, :, :32], x[0, :, 32:]
    close(held, want, 0)


# ---- all of it ----------------------------------------------------------------------------------------


def test_slices_by_tensors(device):
    """Bounds may be tensors of integers."""
    x = draw(8, 9)
    bounds = [ttnn.from_torch(torch.tensor(b, dtype=torch.int32)) for b in ([1, 2], [5, 9])]
    close(ttnn.slice(on(device, x), *bounds), x[1:5, 2:9], 0)
    close(ttnn.slice(on(device, x), [0, 0], [8, 9], [2, 3]), x[::2, ::3], 0)
    close(ttnn.slice(on(device, x), slice_start=[0, -4], slice_end=[8, -1]), x[:, -4:-1], 0)


def test_experts(device):
    scores, chosen = draw(1, 2, 4, 8), torch.tensor([[1, 5], [0, 7]]).repeat(4, 1).reshape(1, 2, 4, 2)
    mapping, reduced = call("ttnn.moe_expert_token_remap", on(device, scores), on(device, torch.ones(1, 1, 8, 1), ttnn.uint16),
                            on(device, chosen, ttnn.uint16), reduction_size=2)
    hit = torch.nn.functional.one_hot(chosen, 8).sum(-2)
    close(mapping, scores * hit, 0)
    assert torch.equal(ttnn.to_torch(reduced).long().flatten(), hit.reshape(4, 2, 8).amax(1).flatten())
    tokens, owned = on(device, draw(2, 4, 1, 32)), on(device, torch.ones(1, 1, 8, 1), ttnn.uint16)
    ids = on(device, chosen.reshape(2, 4, 1, 2), ttnn.uint16)
    given, metadata = call("ttnn.all_to_all_dispatch", tokens, expert_indices_tensor=ids, expert_mapping_tensor=owned, cluster_axis=0)
    close(given, ttnn.to_torch(tokens).reshape(1, 2, 4, 32), 0)
    made = draw(8, 2, 4, 32)
    back = call("ttnn.all_to_all_combine", on(device, made), expert_metadata_tensor=metadata, expert_mapping_tensor=owned, cluster_axis=0)
    batch, place = torch.meshgrid(torch.arange(2), torch.arange(4), indexing="ij")
    close(back, torch.stack([made[chosen[0, ..., slot], batch, place] for slot in range(2)]), 0)
    flat = on(device, draw(1, 1, 8, 32)), on(device, chosen.reshape(1, 1, 8, 2), ttnn.uint16), on(device, draw(1, 1, 8, 2))
    results = call("ttnn.experimental.all_to_all_dispatch_metadata", flat[0], expert_indices_tensor=flat[1], expert_scores_tensor=flat[2],
                   expert_mapping_tensor=on(device, torch.zeros(1, 8), ttnn.uint16), cluster_axis=0)
    for got, want in zip(results, flat):
        close(got, ttnn.to_torch(want)[0], 0)
    q, k = draw(1, 2, 32, 32), draw(1, 1, 32, 32, seed=1)
    out = call("ttnn.experimental.indexer_score_dsa", on(device, q), on(device, k), on(device, torch.ones(1, 2, 32, 1)))
    want = torch.relu(q @ k.mT).sum(1, keepdim=True)
    assert torch.allclose(torch.nan_to_num(ttnn.to_torch(out), neginf=0), want.tril(), rtol=1e-4, atol=1e-4)


def test_operators(device):
    x, y = draw(32, 32), draw(32, 32, seed=1)
    a, b = on(device, x), on(device, y)
    for got, want in ((a + b, x + y), (1 - a, 1 - x), (a * 2.5, x * 2.5), (a / b, x / y), (3.0 / a, 3.0 / x), (-a, -x), (abs(a), x.abs()),
                      (a @ b, x @ y), (a > b, (x > y).float()), (a // b, x // y), (a % 0.75, x % 0.75)):
        close(got, want, 1e-4)


def test_every_function_is_called():
    """Here or in an emitted program."""
    if len(CALLED) < 30:
        pytest.skip("only with the other tests of this file")
    rows = _core.ttnn_parameters()
    emitted = {f"ttnn.{name}" for name in OF_EMITTED} | {"ttnn.dump_tensor"}  # ttnn's own writes a file of NumPy
    assert set(rows) - CALLED - emitted == set()


# What test_ttnn_emitted.py's programs call.
OF_EMITTED = """experimental.topk_router_gpt sampling sparse_matmul abs acos add arange argmax asin asinh atan atan2 avg_pool2d batch_norm bitwise_and bitwise_not bitwise_or bitwise_xor cbrt ceil clamp
concat conv2d conv_transpose2d cos cumprod cumsum dequantize divide embedding embedding_bw eq erf erfc exp experimental.conv3d
experimental.gelu_bw experimental.paged_update_cache experimental.prepare_conv3d_weights expm1 fill_cache floor from_device full gather ge gelu
global_avg_pool2d gt hardsigmoid isfinite layer_norm leaky_relu linear log log1p logical_and logical_left_shift logical_not logical_or
logical_right_shift logical_xor matmul max max_pool2d maximum mean min minimum mish multiply ne neg ones pad permute prod quantize reciprocal relu
relu6 remainder repeat repeat_interleave reshape rms_norm rsqrt scatter sigmoid sign silu sin slice softmax sort sqrt subtract sum tan tanh
to_layout to_memory_config topk transformer.split_query_key_value_and_split_heads transpose typecast upsample where zeros""".split()


@pytest.mark.parametrize("n", [64, 65, 150])
def test_all_tensors_of_a_list_are_joined(n):
    x = torch.arange(n * 8, dtype=torch.float32).reshape(n, 8)
    parts = [ttnn.from_torch(x[i:i + 1], layout=ttnn.TILE_LAYOUT, dtype=ttnn.float32) for i in range(n)]
    assert torch.equal(ttnn.to_torch(ttnn.concat(parts, 0)), x)


def test_a_tensor_made_before_takes_the_result(device):
    a, b, before = draw(64, 32), draw(64, 32, seed=1), torch.zeros(64, 32)
    x, out = on(device, a), on(device, before)
    assert ttnn.add(x, on(device, b), output_tensor=out) is out
    close(out, a + b)
    assert not before.any()  # torch's tensor is not the device's
    close(ttnn.multiply(out, out), (a + b) ** 2)
    assert ttnn.relu(x, output_tensor=x) is x
    close(x, a.relu())
    close(ttnn.matmul(x, on(device, b.T.contiguous()), optional_output_tensor=None), a.relu() @ b.T)


@pytest.mark.parametrize("out, expected", [
    (torch.zeros(32, 32), "expected an output tensor of 64x32xf32 in TILE_LAYOUT, found 32x32xf32 in TILE_LAYOUT"),
    (torch.zeros(64, 32, dtype=torch.bfloat16), "found 64x32xbf16"),
    (3, "output_tensor: expected a tensor of ttnn, or None"),
])
def test_output_tensors_that_do_not_fit(device, out, expected):
    x = on(device, draw(64, 32))
    with pytest.raises((ValueError, TypeError), match=expected):
        ttnn.exp(x, output_tensor=on(device, out) if isinstance(out, torch.Tensor) else out)
    with pytest.raises(TypeError, match="there is no argument 'output_tensor'"):
        ttnn.topk(x, 4, output_tensor=None)


@pytest.mark.parametrize("shape", [(1, 255), (3, 257), (33, 1000), (7, 16385), (129, 517), (2, 3, 2049)])
def test_rows_longer_than_strips(device, shape):
    """Single f32 operations run over whole rows, also beside a number or a row that repeats: the bits of torch."""
    def held(x):
        return ttnn.from_torch(x, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)

    x, y, row, column = draw(*shape), draw(*shape, seed=1), draw(shape[-1], seed=2), draw(*shape[:-1], 1, seed=3)
    a, b = held(x), held(y)
    for name, reference in (("add", torch.add), ("subtract", torch.sub), ("multiply", torch.mul), ("maximum", torch.maximum)):
        function = getattr(ttnn, name)
        for other, given in ((y, b), (row, held(row)), (column, held(column))):
            assert torch.equal(ttnn.to_torch(function(a, given)), reference(x, other)), (name, tuple(other.shape))
            assert torch.equal(ttnn.to_torch(function(given, a)), reference(other, x)), (name, tuple(other.shape))
    for found, expected in ((a + 2.5, x + 2.5), (a * -3.0, x * -3.0), (ttnn.relu(a), torch.relu(x)), (ttnn.neg(a), -x), (ttnn.abs(a), x.abs())):
        assert torch.equal(ttnn.to_torch(found), expected)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "atan2", "gt", "lt", "eq", "logical_and"])
def test_floats_with_integers(name, device):
    """Floats stay what they are beside integers of 32 bits: a remainder of 1e-20 and -3 rounds to -3."""
    x = torch.tensor([1e-20, -1e-20, 5.0, -5.0, 7.5, 0.25, -0.75, 3.0, 1e9])
    y = torch.tensor([-3, 3, -3, 3, -2, 1, 5, -3, 7], dtype=torch.int32)
    theirs = {"subtract": torch.sub, "multiply": torch.mul}.get(name) or getattr(torch, name)
    got = ttnn.to_torch(getattr(ttnn, name)(on(device, x), on(device, y, ttnn.int32)))
    torch.testing.assert_close(got.flatten(), theirs(x, y.float()).float(), rtol=1e-6, atol=1e-30)


# ---- traces


def test_traces(device):
    """The calls run again on what the tensors hold then: results and slots follow, and a second trace is its own."""
    x, y = on(device, draw(32, 32)), on(device, draw(32, 32, seed=1))
    slot = on(device, torch.zeros(32, 32))
    number = ttnn.begin_trace_capture(device, cq_id=0)
    total = ttnn.add(x, y)
    parts = ttnn.concat([total, ttnn.multiply(total, 2.0)], dim=0)
    ttnn.copy(total, slot)
    ttnn.deallocate(total)
    ttnn.end_trace_capture(device, number, cq_id=0)
    ttnn.subtract(x, y)  # belongs to no trace
    other = ttnn.begin_trace_capture(device)
    product = x * y
    ttnn.end_trace_capture(device, other)
    for seed in (5, 6):
        now = draw(32, 32, seed=seed)
        ttnn.copy_host_to_device_tensor(ttnn.from_torch(now, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT), x)
        before = ttnn.to_torch(product)
        ttnn.execute_trace(device, number, cq_id=0, blocking=False)
        want = now + draw(32, 32, seed=1)
        close(slot, want)
        close(parts, torch.cat([want, 2 * want]))
        close(product, before)
    ttnn.execute_trace(device, other)
    close(product, draw(32, 32, seed=6) * draw(32, 32, seed=1))
    ttnn.release_trace(device, number)
    with pytest.raises(RuntimeError, match=r"ttnn.execute_trace: there is no trace \d+; ttnn.begin_trace_capture gives numbers of traces"):
        ttnn.execute_trace(device, number)


def test_traces_in_the_wrong_order(device):
    number = ttnn.begin_trace_capture(device)
    for call_, message in ((ttnn.begin_trace_capture, f"trace {number} is still captured; end it"), (lambda d: ttnn.execute_trace(d, number), "still captured"),
                           (lambda d: ttnn.end_trace_capture(d, number + 1), "there is no trace"),
                           (lambda d: ttnn.end_trace_capture(object(), number), "belongs to another device")):
        with pytest.raises(RuntimeError, match=message):
            call_(device)
    ttnn.end_trace_capture(device, number)
    with pytest.raises(RuntimeError, match="is not captured now"):
        ttnn.end_trace_capture(device, number)
    ttnn.release_trace(device, number)


@pytest.mark.parametrize("shape", [(1,), (37,), (3, 1), (5, 257), (64, 33, 31), (1024, 1024)])
@pytest.mark.parametrize("number", [2.5, -0.0, 1e-40, float("inf"), float("nan")])
def test_numbers_beside_tensors(device, shape, number):
    """The bits of torch but for NaN, also with another number in the next call."""
    x = draw(*shape)
    x.view(-1)[:3] = torch.tensor([0.0, -0.0, float("inf")])[: x.numel()]
    t = on(device, x)
    for c in (number, 3.0):
        for of in (lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - b, lambda a, b: a / b):
            got, want = ttnn.to_torch(of(t, c)), of(x, torch.tensor(c))
            assert torch.equal(got.isnan(), want.isnan())
            assert torch.equal(got.nan_to_num().view(torch.int32), want.nan_to_num().view(torch.int32))
