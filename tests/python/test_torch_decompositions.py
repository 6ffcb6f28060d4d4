"""Operators that the emitter decomposes itself, against eager torch: running extremes, ranks, positions in sorted
sequences, recurrent cells, pooling with indices, bags of embeddings, special functions."""

import math

import pytest
import torch
import torch.nn.functional as F
from test_torch_ops import check
from torch import nn

torch.manual_seed(11)
INF, NAN = math.inf, math.nan


def f32(*shape):
    return torch.randn(*shape)


TIES = torch.tensor([[1.0, 3.0, 3.0, 2.0, NAN, 5.0], [INF, -INF, 0.0, -0.0, 7.0, 7.0]])
FEW = torch.tensor([[3, 1, 3, 1, 2], [4, 4, 0, 0, 9]])
ORDERED = torch.tensor([-2.0, -1.0, 0.0, 0.0, 1.0, INF])
PLACES = torch.tensor([-3.0, -1.0, 0.0, 0.5, 1.0, INF, NAN])
SPREAD = torch.tensor([[0, 2, 1, 0], [3, 0, 3, 3]])

CASES = {
    "cummax": (lambda x: (*torch.cummax(x, 1), *torch.cummin(x, 0)), TIES),
    "cummax of one": (lambda x: torch.cummax(x, 0), torch.tensor(3.0)),
    "logcumsumexp": (lambda x: torch.logcumsumexp(x, 1), f32(3, 7)),
    "kthvalue": (lambda x: (*torch.kthvalue(x, 2, 1), *torch.kthvalue(x, 1, 0, True)), f32(3, 5)),
    "median": (lambda x: (*torch.median(x, 1), torch.median(x)), f32(3, 6)),
    "median with NaN": (lambda x: torch.median(x, 1).values, TIES),
    "nanmedian": (lambda x: (torch.nanmedian(x, 1).values, torch.nanmedian(x)), TIES),
    "mode": (lambda x: (*torch.mode(x, 1), *torch.mode(x, 0, True)), FEW),
    "quantile": (lambda x: (torch.quantile(x, 0.3, 1), torch.nanquantile(x, 0.5)), f32(3, 6)),
    "searchsorted": (lambda s, x: (torch.searchsorted(s, x), torch.searchsorted(s, x, right=True)), ORDERED, PLACES),
    "searchsorted rows": (lambda s, x: torch.searchsorted(s, x, out_int32=True), f32(2, 5).sort(1)[0], f32(2, 3)),
    "bucketize": (lambda s, x: (torch.bucketize(x, s), torch.bucketize(x, s, right=True)), ORDERED, PLACES),
    "histc": (lambda x: torch.histc(x, 4, -1, 1), torch.tensor([-1.0, -0.5, 0.0, 0.2, 1.0, 1.1])),
    "repeat_interleave": (
        lambda x: x.repeat_interleave(torch.tensor([1, 2, 0]), 0, output_size=3), f32(3, 2)
    ),
    "masked_scatter": (lambda x, s: torch.masked_scatter(x, x > 0, s), f32(3, 4), f32(12)),
    "put": (lambda x, v: torch.put(x, torch.tensor([1, 5]), v), f32(3, 4), f32(2)),
    "take": (lambda x: torch.take(x, torch.tensor([[0, -1], [5, 2]])), f32(3, 4)),
    "nonzero_static": (lambda x: torch.nonzero_static(x > 0, size=14), f32(3, 4)),
    "as_strided": (lambda x: torch.as_strided(x, (2, 3), (4, 1), 1), f32(3, 4)),
    "scatter_reduce mean": (lambda x, s: x.scatter_reduce(0, SPREAD, s, "mean"), f32(4, 4), f32(2, 4)),
    "scatter_reduce alone": (
        lambda x, s: [x.scatter_reduce(0, SPREAD, s, r, include_self=False) for r in ("mean", "amax", "amin", "prod")],
        f32(4, 4), f32(2, 4),
    ),
    "scatter_reduce integers": (
        lambda x, s: x.scatter_reduce(0, SPREAD, s, "mean"),
        torch.arange(16).reshape(4, 4) - 8, torch.arange(8).reshape(2, 4) - 5,
    ),
    "index_reduce": (lambda x, s: x.index_reduce(0, torch.tensor([1, 1]), s, "prod"), f32(3, 2), f32(2, 2)),
    "max_pool indices": (
        lambda x: (*F.max_pool2d(x, 3, 2, 1, return_indices=True), *F.max_pool2d(x, 2, 1, 0, 2, True, return_indices=True)),
        f32(2, 3, 9, 8),
    ),
    "max_pool1d indices": (lambda x: F.max_pool1d(x, 2, return_indices=True), f32(2, 3, 8)),
    "max_unpool": (lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), f32(1, 2, 4, 4)),
    "adaptive_max_pool": (
        lambda x: (*F.adaptive_max_pool2d(x, (3, 5), return_indices=True), F.adaptive_max_pool2d(x, 2)), f32(1, 2, 7, 11)
    ),
    "embedding_bag": (
        lambda w, i, o: [F.embedding_bag(i, w, o, mode=m) for m in ("sum", "mean", "max")],
        f32(20, 4), torch.randint(0, 20, (10,)), torch.tensor([0, 3, 3, 7]),
    ),
    "embedding_bag weighted": (
        lambda w, i, s: F.embedding_bag(i, w, per_sample_weights=s, mode="sum", padding_idx=3),
        f32(20, 4), torch.randint(0, 20, (3, 5)), f32(3, 5),
    ),
    "cdist": (lambda x, y: (torch.cdist(x, y), torch.cdist(x, y, 1.0), F.pdist(x)), f32(4, 3), f32(5, 3)),
    "bilinear": (lambda x, y, w: F.bilinear(x, y, w), f32(2, 3), f32(2, 4), f32(5, 3, 4)),
    "rrelu": (lambda x: F.rrelu(x), f32(3, 4)),
    "lgamma": (lambda x: torch.lgamma(x), torch.tensor([0.1, 0.5, 1.5, 4.0, 30.0, INF])),
    "digamma": (lambda x: torch.digamma(x), torch.tensor([0.1, 0.5, 1.0, 4.0, 30.0])),
    "polygamma": (lambda x: (torch.polygamma(1, x), torch.polygamma(3, x)), torch.tensor([0.3, 1.0, 4.0])),
    "zeta": (lambda x: torch.special.zeta(x, x + 1), torch.tensor([1.5, 2.0, 7.0])),
    "erfinv": (lambda x: torch.erfinv(x), torch.tensor([-1.0, -0.9, 0.0, 0.3, 0.99, 1.0])),
    "erfc": (lambda x: torch.erfc(x) * 1e9, torch.tensor([5.0, 4.0, 3.0])),
    "bessel": (lambda x: (torch.special.i1(x), torch.special.i1e(x)), torch.tensor([-3.0, 0.0, 0.5, 9.0])),
    "nextafter": (torch.nextafter, torch.tensor([0.0, 1.0, -1.0]), torch.tensor([1.0, INF, 0.0])),
}


@pytest.mark.parametrize("name", CASES)
def test_decomposed(name):
    function, *inputs = CASES[name]
    check(function, *inputs)


LAYERS = {
    "GRUCell": (nn.GRUCell(4, 3), f32(2, 4), f32(2, 3)),
    "LSTMCell": (nn.LSTMCell(4, 3), f32(2, 4)),
    "RNNCell": (nn.RNNCell(4, 3), f32(2, 4)),
    "LSTM with a projection": (nn.LSTM(4, 6, 2, proj_size=3, bidirectional=True), f32(5, 2, 4)),
    "EmbeddingBag": (nn.EmbeddingBag(9, 3), torch.randint(0, 9, (4, 5))),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    layer, *inputs = LAYERS[name]
    torch._dynamo.reset()
    with torch.no_grad():
        want = layer.eval()(*inputs)
        got = torch.compile(layer, backend="tt", fullgraph=True)(*inputs)
    torch.testing.assert_close(got, want, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("function", [lambda x: torch.nonzero(x > 0) + 1, lambda x: x[x > 0].sum()])
def test_results_of_unknown_size_are_named_once(function):
    torch._dynamo.reset()
    with pytest.raises(Exception, match="how large its result is depends on its data") as error:
        torch.compile(function, backend="tt", fullgraph=True)(f32(4))
    assert str(error.value).count("not supported") == 1
    torch._dynamo.reset()
    x = f32(4)
    torch.testing.assert_close(torch.compile(function, backend="tt")(x), function(x))


def test_a_module_of_torch_is_named():
    torch._dynamo.reset()
    with pytest.raises(Exception, match="at the module .*FractionalMaxPool2d"):
        torch.compile(nn.FractionalMaxPool2d(2, output_size=2), backend="tt", fullgraph=True)(f32(1, 1, 5, 5))
