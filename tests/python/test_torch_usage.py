"""Code that users write around models: options, numbers as arguments, checkpoints, attention with nested graphs,
masks, empty sums, fake-quantized tensors."""

import json

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from tilewright.torch_backend import tt

pytestmark = [pytest.mark.filterwarnings("ignore:flex_attention called without"), pytest.mark.parametrize("programs", ["own"], indirect=True)]


def like_torch(function, *inputs, **options):
    with torch.no_grad():
        got = torch.compile(function, backend=tt, fullgraph=True, **options)(*inputs)
        torch.testing.assert_close(got, function(*inputs), atol=1e-5, rtol=1e-5, equal_nan=True)


def test_checkpoints(programs):
    layer = nn.Linear(4, 4)
    like_torch(lambda x: checkpoint(layer, x, use_reentrant=False) + x, torch.randn(2, 4))
    assert "main_graph" in programs[0].text


def test_attention_with_graphs_inside(programs):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    slopes = torch.tensor([0.5, 0.25, 0.1, 0.05])
    blocks = create_block_mask(lambda b, h, i, j: i >= j, None, None, 16, 16, "cpu")

    def model(q, k):
        bias = flex_attention(q, k, k, score_mod=lambda s, b, h, i, j: s + slopes[h] * (j - i), enable_gqa=True)
        return bias, flex_attention(q, k, k, block_mask=blocks, enable_gqa=True)

    like_torch(model, torch.randn(1, 4, 16, 8), torch.randn(1, 2, 16, 8))


@pytest.mark.parametrize("shape", [(1, 1, 5, 8), (5, 8)])
def test_a_query_that_may_look_nowhere(programs, shape):
    mask = torch.rand(5, 5) > 0.3
    mask[:, 0], mask[2] = True, False
    like_torch(lambda q: F.scaled_dot_product_attention(q, q, q, attn_mask=mask), torch.randn(shape))


def test_numbers_that_must_be_literal(programs):
    model = torch.compile(lambda x, a, e: F.layer_norm(x * a, (4,), eps=e) + a, backend=tt, dynamic=True)
    x = torch.randn(2, 4)
    for a, e in ((2.5, 1e-5), (3.5, 1e-5), (0.5, 0.25)):
        torch.testing.assert_close(model(x, a, e), F.layer_norm(x * a, (4,), eps=e) + a)


def test_sums_of_nothing(programs):
    like_torch(lambda x: (x.any(0), x.all(0), x.sum(0), x.prod(0), x.long().sum(), x.amax(1)), torch.ones(0, 3))


def masks(x):
    y, z, w = x.clone(), x.clone(), x.clone()
    y[x > 0] = -1.0
    z[x[:, 0] > 0] = x[0]
    w[:, x[0] > 0] = x[:, :1]
    return y, z, w, torch.ops.aten.index_put(x, [None, x[0] > 0], torch.tensor(2.0), True)


def directions(x):
    """Including vectors of length zero."""
    y = x.clone()
    y[1] = 0
    return F.normalize(y, dim=-1), F.cosine_similarity(y, x), F.normalize(y.bfloat16(), dim=-1)[1:2]


def numbers(x):
    y = torch.tensor([-7.5, float("inf"), float("nan"), 2.0])
    return (
        torch.fmax(x, y), torch.fmin(x, y), torch.hypot(x, y), x // y, x % y,
        torch.tensor([200, 7], dtype=torch.uint8) >> torch.tensor([1, 2], dtype=torch.uint8),
    )


def played_quantization(x):
    scales, zeros = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0, 1, -1], dtype=torch.int32)
    return (
        torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -8, 7),
        torch.fake_quantize_per_channel_affine(x, scales, zeros, 0, -8, 7),
    )


def integer_product(x):
    y = (x * 20).to(torch.int8)
    return torch._int_mm(y[:, :, None].expand(3, 4, 8)[0].contiguous().t(), y.new_ones(4, 8))


def grouped(x):
    x = x.round().repeat(4, 2).bfloat16()
    w = (torch.arange(4 * 8 * 8) % 7 - 3).reshape(4, 8, 8).bfloat16()
    ends = torch.tensor([1, 1, 2, 3], dtype=torch.int32)
    return torch.ops.aten._grouped_mm(x[:3], w, ends), torch.ops.aten._grouped_mm(x[:7], w, 2 * ends + 1)


@pytest.mark.parametrize("function", [masks, directions, numbers, played_quantization, integer_product, grouped])
def test_operators(programs, function):
    like_torch(function, torch.randn(3, 4))


def test_parameters_written_while_gradients_are_recorded(programs):
    layer = nn.Linear(3, 3)

    def model(x):
        with torch.no_grad():
            layer.weight.mul_(0.5)
        return layer(x)

    want, version = layer.weight.detach() * 0.5, layer.weight._version
    torch.compile(model, backend=tt)(torch.ones(2, 3))
    torch.testing.assert_close(layer.weight.detach(), want)
    assert layer.weight._version > version


def test_options(programs, tmp_path):
    options = {"dump_dir": tmp_path / "dump", "profile_path": tmp_path / "p.json", "threads": 1, "cache_dir": None}
    torch.compile(torch.relu, backend=tt, options=options)(torch.ones(2))
    assert (tmp_path / "dump" / "ttnn.mlir").is_file()
    assert json.loads((tmp_path / "p.json").read_text())["operations"]


@pytest.mark.parametrize("option", [{"dump_dir": 3}, {"threads": 0}, {"threads": True}, {"dram_fallback": "yes"}])
def test_options_that_mean_nothing(programs, option):
    (name,) = option
    with pytest.raises(Exception, match=f"option '{name}' for backend 'tt' is .*; it takes"):
        torch.compile(torch.relu, backend=tt, options=option)(torch.ones(2))


def test_numbers_that_python_draws_inside_the_model(programs):
    import random

    def model(x):
        own = random.Random(3)
        return x * own.random() + own.randrange(5) + random.random()

    x = torch.arange(4.0)
    random.seed(5)
    want = model(x), model(x)
    random.seed(5)
    compiled = torch.compile(model, backend=tt)
    for w in want:
        torch.testing.assert_close(compiled(x), w)


@pytest.mark.parametrize("heads", [(), (3,)])
@pytest.mark.parametrize("keys", [1, 4])
def test_one_causal_query(programs, heads, keys):
    q, k = torch.randn(2, *heads, 1, 8), torch.randn(2, *heads, keys, 8)
    like_torch(lambda q, k: nn.functional.scaled_dot_product_attention(q, k, k + 1, is_causal=True), q, k)
