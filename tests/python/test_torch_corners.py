"""Operators at the corners of their arguments, against eager torch: rank-0 tensors, booleans, windows over the edge,
poles, reductions of losses, results that are seldom read; and programs that the compiler rejects."""

import logging
import math

import pytest
import torch
import torch.nn.functional as F
from test_torch_ops import check

from tilewright import _engine
from tilewright.torch_backend import tt

FIRST = torch.tensor([0])
ONE = torch.tensor(5.0)
DIM = ("sum mean prod amax amin max min argmax argmin all any std var logsumexp softmax log_softmax cumsum cumprod cummax cummin "
       "sort argsort median mode norm logcumsumexp").split()
SCALARS = {
    **{name: (lambda x, f=getattr(torch, name): f(x, 0)) for name in DIM},
    "flip": lambda x: torch.flip(x, [0]),
    "roll": lambda x: torch.roll(x, 1),
    "take": lambda x: (torch.take(x, FIRST), torch.take(x, torch.tensor(0))),
    "topk": lambda x: torch.topk(x, 1),
    "put": lambda x: torch.put(x, FIRST, torch.ones(1)),
    "index_select": lambda x: torch.index_select(x, 0, FIRST),
    "index_fill": lambda x: torch.index_fill(x, 0, FIRST, 2.0),
    "index_copy": lambda x: (torch.index_copy(x, 0, FIRST, ONE), torch.index_copy(x, 0, FIRST, ONE[None])),
    "index_add": lambda x: torch.index_add(x, 0, FIRST, ONE, alpha=2),
    "gather": lambda x: (torch.gather(x, 0, torch.tensor(0)), torch.gather(x, 0, FIRST)),
    "scatter": lambda x: (torch.scatter(x, 0, torch.tensor(0), 4.0), torch.scatter(x, 0, FIRST, ONE[None])),
    "scatter_add": lambda x: torch.scatter_add(x, 0, FIRST, ONE[None]),
    "scatter_reduce": lambda x: torch.scatter_reduce(x, 0, FIRST, ONE[None], "amax"),
}


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("name", SCALARS)
def test_tensors_without_dimensions(name):
    check(SCALARS[name], torch.tensor(3.0))


FLAGS, PLACES, UPDATES = torch.tensor([True, False, True, False]), torch.tensor([1, 2, 1]), torch.tensor([True, False, False])
BOOLEANS = {
    "square": lambda x: torch.square(x),
    "index_put": lambda x: [torch.index_put(x, (PLACES,), UPDATES, True), torch.index_put(x, (PLACES[:2],), UPDATES[:2])],
    "put": lambda x: torch.put(x, PLACES, UPDATES, True),
    "index_add": lambda x: torch.index_add(x, 0, PLACES, UPDATES),
    "scatter_add": lambda x: torch.scatter_add(x, 0, PLACES, UPDATES),
    "scatter_reduce": lambda x: [torch.scatter_reduce(x, 0, PLACES, UPDATES, r) for r in ("amax", "amin", "sum", "prod")],
}


@pytest.mark.parametrize("name", BOOLEANS)
def test_booleans(name):
    check(BOOLEANS[name], FLAGS)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int64", "int32", "uint8", "bool"])
def test_angles_of_real_numbers(dtype):
    values = [1, 0, -3.0, 0.5, *([math.nan, -math.inf, -0.0] if "float" in dtype else [7])]
    check(torch.angle, torch.tensor(values).to(getattr(torch, dtype)))


WINDOWS = [(3, 2, 1, True, False), (3, 2, 1, True, True), (3, 2, 1, False, False), (4, 3, 2, True, False), (2, None, 0, True, True),
           (2, 3, 1, True, False)]


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_averages_of_windows_over_the_edge(window, dims):
    average, power = getattr(F, f"avg_pool{dims}d"), getattr(F, f"lp_pool{dims}d")
    divisor = {"divisor_override": 3} if dims > 1 else {}
    check(lambda x: (average(x, *window), average(x, *window, **divisor)), torch.randn([1, 2, *range(8, 8 - dims, -1)]))
    check(lambda x: power(x, 2.0, window[0], window[1], window[3]), torch.randn([1, 2, *range(8, 8 - dims, -1)]))


@pytest.mark.parametrize("order", range(5))
def test_polygamma(order):
    values = torch.tensor([0.7, 2.0, 0.5, 3.0, -0.3, -1.5, -8.3, -20.7, 1e-3, 100.0, 0.0, math.inf, math.nan])
    for x in (values, torch.tensor(1.5), torch.tensor([1, 2, 3, 0]), torch.tensor([True, False]), values.bfloat16()):
        check(lambda x: torch.polygamma(order, x), x, tolerance=1e-2 if x.dtype == torch.bfloat16 else 2e-4)


def test_digamma_at_its_poles():
    check(torch.digamma, torch.tensor([0.0, -0.0, -1.0, -2.0, math.inf]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_histograms(dtype):
    def model(x):
        return torch.histc(x, 100, -1, 1), torch.histc(x, 300, -1, 1), torch.histc(x, 7, 0, 0.3), torch.histc(x), torch.histc(x[:1], 3)

    check(model, torch.randn(1000).to(dtype))


X, Y, CLASSES, SIGNS = torch.randn(4, 5), torch.randn(4, 5), torch.tensor([0, 3, 4, 2]), torch.tensor([1.0, -1.0, -1.0, 1.0])
LABELS = torch.tensor([[0, 1, -1, 2, 3], [2, -1, 0, 0, 0], [-1, 1, 1, 1, 1], [4, 3, 2, 1, 0]])
LOSSES = {
    "nll": lambda x, r: F.nll_loss(x, CLASSES, reduction=r),
    "nll weighted": lambda x, r: F.nll_loss(x, CLASSES, weight=torch.arange(1.0, 6.0), ignore_index=3, reduction=r),
    "nll of images": lambda x, r: F.nll_loss(x.reshape(2, 5, 2), torch.tensor([[0, 1], [2, 4]]), reduction=r),
    "cross_entropy": lambda x, r: F.cross_entropy(x, CLASSES, reduction=r),
    "cross_entropy smoothed": lambda x, r: F.cross_entropy(x, CLASSES, reduction=r, label_smoothing=0.1),
    "mse": lambda x, r: F.mse_loss(x, Y, reduction=r),
    "l1": lambda x, r: F.l1_loss(x, Y, reduction=r),
    "huber": lambda x, r: F.huber_loss(x, Y, reduction=r),
    "smooth_l1": lambda x, r: F.smooth_l1_loss(x, Y, reduction=r),
    "poisson": lambda x, r: F.poisson_nll_loss(x, Y, reduction=r),
    "ranking": lambda x, r: F.margin_ranking_loss(x[:, 0], Y[:, 0], SIGNS, reduction=r),
    "hinge": lambda x, r: F.hinge_embedding_loss(x[:, 0], SIGNS, reduction=r),
    "triplet": lambda x, r: F.triplet_margin_loss(x, Y, x + 1, reduction=r),
    "cross_entropy of two": lambda x, r: F.binary_cross_entropy_with_logits(x, Y.sigmoid(), reduction=r),
    "cosine": lambda x, r: F.cosine_embedding_loss(x, Y, SIGNS, reduction=r),
    "multilabel": lambda x, r: F.multilabel_margin_loss(x, LABELS, reduction=r),
    "multilabel of one": lambda x, r: F.multilabel_margin_loss(x[0], LABELS[0], reduction=r),
    "multi_margin": lambda x, r: F.multi_margin_loss(x, CLASSES, reduction=r),
}


@pytest.mark.parametrize("name", LOSSES)
def test_reductions_of_losses(name):
    check(lambda x: [LOSSES[name](x, r) for r in ("none", "mean", "sum")], X)


def test_narrow_from_the_end():
    check(lambda x: torch.narrow(x, 0, -2, 2), torch.randn(5, 3))


# -- results that are seldom used, and rejected programs ----------------------------


SELDOM = {
    "native_group_norm": lambda x: torch.native_group_norm(x, None, None, 2, 6, 4, 2, 1e-5),
    "native_layer_norm": lambda x: torch.native_layer_norm(x, [4], None, None, 1e-5),
    "_batch_norm_with_update": lambda x: torch.ops.aten._batch_norm_with_update(
        x, *(torch.full((6,), v, dtype=x.dtype) for v in (1.0, 0.5, 0.0, 1.0)), 0.1, 1e-5),
    "its arguments' statistics": lambda x: torch.ops.aten._batch_norm_with_update(x, *STATISTICS[x.dtype], 0.5, 0.6),
}
STATISTICS = {t: [torch.full((6,), v, dtype=t) for v in (1.0, 0.5, 0.0, 1.0)] for t in (torch.float32, torch.bfloat16)}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", SELDOM)
def test_seldom_results_are_torchs(name, dtype):
    torch._dynamo.reset()
    x = torch.randn(2, 6, 4).to(dtype)
    for got, want in zip(torch.compile(SELDOM[name], backend=tt)(x), SELDOM[name](x)):
        # torch scales and shifts 16-bit rows by rounded factors.
        torch.testing.assert_close(got, want, **({} if dtype == torch.float32 else {"atol": 4e-3, "rtol": 0.016}))


class Refusing:
    """A compiler that rejects programs with one of these texts, and programs with all of the others."""

    def __init__(self, any_of, all_of=None):
        self.any_of, self.all_of = any_of, all_of

    def __call__(self, program, options):
        text = _engine.text_of(program)
        if any(t in text for t in self.any_of) or self.all_of and all(t in text for t in self.all_of):
            raise _engine.core().Refused("model.py:1:1: error: not today")
        return _engine.native_compile(program, options)


@pytest.fixture
def refusing(request):
    former = _engine.set_engine(Refusing(*request.param))
    torch._dynamo.reset()
    yield
    _engine.set_engine(former)


def waves(x):
    return torch.cos(torch.sin(x * 2) + 1), x.exp()


@pytest.mark.parametrize("refusing, named", [((["sine "],), "aten::sin"), (([], ["sine ", "exponential "]), "not today")], indirect=["refusing"])
def test_what_the_compiler_refuses_is_torchs(refusing, named, caplog):
    x = torch.randn(8)
    with caplog.at_level(logging.WARNING, "tilewright"):
        got = torch.compile(waves, backend=tt)(x)
    torch.testing.assert_close(got, waves(x))
    assert "run by torch instead of the device" in caplog.text and named in caplog.text
    torch._dynamo.reset()
    with pytest.raises(Exception, match="not today"):
        torch.compile(waves, backend=tt, fullgraph=True)(x)
