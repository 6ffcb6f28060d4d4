"""Every row of the emitter against eager torch: types, shapes, broadcasts and edge values.

Each case is one small function. It is captured once; the program runs on the independent executor, then on the project's own
library."""

import math

import pytest
import torch
import torch.nn.functional as F
from conftest import own_engine
from oracle import OracleProgram

from tilewright import _engine
from tilewright.torch_backend import tt

torch.manual_seed(7)
INF, NAN = math.inf, math.nan
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 1e-6, 30.0, -30.0, 88.0, 1e4, -1e4, INF, -INF, NAN]


def f32(*shape):
    return torch.randn(*shape)


def edge(dtype=torch.float32):
    return torch.tensor(EDGES, dtype=dtype)


def i32(*shape):
    return torch.randint(-20, 20, shape, dtype=torch.int32)


def i64(*shape):
    return torch.randint(-20, 20, shape)


def flags(*shape):
    return torch.rand(*shape) > 0.5


class OnEach:
    """A program for both executors; `turn` selects which one runs."""

    turn = None

    def __init__(self, text, options):
        self.on = {OracleProgram: OracleProgram(text, options), own_engine: own_engine(text, options)}

    def set_constant(self, index, tensor):
        for program in self.on.values():
            program.set_constant(index, tensor)

    def run(self, inputs, outputs):
        self.on[OnEach.turn].run(inputs, outputs)


def check(function, *inputs, tolerance=None):
    former = _engine.set_engine(OnEach)
    torch._dynamo.reset()
    try:
        with torch.no_grad():
            want = function(*[x.clone() if isinstance(x, torch.Tensor) else x for x in inputs])
            compiled = torch.compile(function, backend=tt, fullgraph=True)
            for OnEach.turn in (OracleProgram, own_engine):
                before = counts()
                agree(compiled(*inputs), want, tolerance)
            assert counts() == before, "captured again"
    finally:
        _engine.set_engine(former)
        torch._dynamo.reset()


def counts():
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def agree(got, want, tolerance):
    wants = want if isinstance(want, (tuple, list)) else [want]
    gots = got if isinstance(got, (tuple, list)) else [got]
    assert len(wants) == len(gots)
    for w, g in zip(wants, gots):
        assert g.dtype == w.dtype and g.shape == w.shape, (g.dtype, w.dtype, g.shape, w.shape)
        if not w.dtype.is_floating_point:
            assert torch.equal(g, w), (g, w)
            continue
        limit = tolerance or {torch.bfloat16: 4e-2, torch.float16: 4e-3}.get(w.dtype, 2e-5)
        torch.testing.assert_close(g, w, rtol=limit, atol=limit, equal_nan=True)


UNARY = """abs neg exp expm1 log log1p sqrt rsqrt sin cos tan tanh sigmoid ceil floor round sign trunc
frac reciprocal square log2 log10 exp2 erf erfc atan sinh cosh asinh relu isnan isinf isfinite
logical_not sgn""".split()
NARROW = {"tan": 3.0, "sin": 30.0, "cos": 30.0}  # beyond, the executor's own reduction is inaccurate


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    function = getattr(torch, name)
    x = torch.cat([edge(), f32(40) * 3])
    if name in NARROW:
        x = x.clamp(-NARROW[name], NARROW[name])
    check(function, x)
    check(function, f32(2, 1, 5).bfloat16())


@pytest.mark.parametrize("name", ["asin", "acos", "atanh", "acosh"])
def test_unary_on_their_domain(name):
    x = torch.linspace(-1, 1, 41)
    check(getattr(torch, name), x + 2.5 if name == "acosh" else x)


@pytest.mark.parametrize("name", "abs neg sign exp sqrt sigmoid ceil logical_not bitwise_not".split())
def test_unary_integers(name):
    check(getattr(torch, name), i32(3, 4).abs() + (name != "abs"))
    check(getattr(torch, name), i64(7).abs() + 1)


ACTIVATIONS = {
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "relu6": F.relu6,
    "hardtanh": lambda x: F.hardtanh(x, -2, 0.5),
    "leaky": lambda x: F.leaky_relu(x, 0.2),
    "elu": lambda x: F.elu(x, 1.5),
    "selu": F.selu,
    "celu": lambda x: F.celu(x, 0.7),
    "softplus": lambda x: F.softplus(x, 2.0, 10.0),
    "logsigmoid": F.logsigmoid,
    "mish": F.mish,
    "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish,
    "threshold": lambda x: F.threshold(x, 0.3, -7.0),
    "softsign": F.softsign,
    "tanhshrink": F.tanhshrink,
    "softshrink": F.softshrink,
    "hardshrink": F.hardshrink,
    "glu": lambda x: F.glu(x, -1),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name):
    x = torch.cat([f32(4, 20) * 4, torch.zeros(4, 2), torch.full((4, 2), 50.0), torch.full((4, 2), -50.0)], 1)
    check(ACTIVATIONS[name], x)
    check(ACTIVATIONS[name], f32(3, 8).bfloat16())


BINARY = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "atan2": torch.atan2,
    "fmod": torch.fmod,
    "remainder": torch.remainder,
    "floor_divide": torch.floor_divide,
    "div_floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "div_trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "pow": lambda x, y: torch.pow(x.abs(), y),
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "le": torch.le,
    "gt": torch.gt,
    "ge": torch.ge,
    "and": torch.logical_and,
    "or": torch.logical_or,
    "xor": torch.logical_xor,
    "alpha": lambda x, y: torch.add(x, y, alpha=3),
    "rsub": lambda x, y: torch.rsub(x, y, alpha=2),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    function = BINARY[name]
    check(function, f32(3, 4), f32(3, 4))
    check(function, f32(3, 1, 4), f32(5, 1))
    check(function, f32(4).bfloat16(), f32(2, 4).bfloat16())


@pytest.mark.parametrize("name", sorted(set(BINARY) - {"atan2", "pow", "div"}))
def test_binary_integers(name):
    y = i32(6, 5)
    check(BINARY[name], i32(6, 5), torch.where(y == 0, 3, y).int())
    check(BINARY[name], i64(5), torch.tensor([3, -3, 7, -7, 1]))


PROMOTION = [
    (f32(3), i64(3)),
    (i32(3), i64(3)),
    (f32(3).bfloat16(), f32(3)),
    (f32(3).bfloat16(), torch.tensor(2.0)),
    (flags(3), i32(3)),
    (flags(3), flags(3)),
    (torch.tensor([1, 200, 7], dtype=torch.uint8), i32(3)),
]


@pytest.mark.parametrize("case", range(len(PROMOTION)))
def test_promotion(case):
    x, y = PROMOTION[case]
    check(lambda x, y: (x + y, x * y, x < y, x == y, torch.where(x > 0, x, y)), x, y)
    check(lambda x, y: (x + 2, x * 2, y > 1, x / (y + 100)), x, y)


def test_numbers():
    check(lambda x: (x + 1.5, 2 - x, x / 3, x**2, x**0.5, 2**x, x > 0.5, 1 / x, x % 3), f32(7).abs() + 1)
    check(lambda x: (x + 1, 2 - x, x // 3, x**2, x % 3, x & 6, x | 1, x ^ 5, x << 2, x >> 1), i32(7))
    check(lambda x: (x + 1.5, x / 2), i64(7))


OPS = {
    # shape
    "view": (lambda x: x.view(2, 6), f32(3, 4)),
    "flatten": (lambda x: (x.flatten(1), x.unflatten(1, (2, 2))), f32(3, 4, 5)),
    "squeeze": (lambda x: (x.squeeze(), x.squeeze(1), x.unsqueeze(-1)), f32(3, 1, 4)),
    "permute": (lambda x: (x.permute(2, 0, 1), x.transpose(0, -1), x.mT, x.movedim(0, 2)), f32(2, 3, 4)),
    "expand": (lambda x: (x.expand(4, 3, -1), x.broadcast_to(2, 3, 5)), f32(3, 5)),
    "slice": (lambda x: (x[1:3], x[:, ::2], x[..., -2:], x[0], x[:, -1], x[5:], x[None, 1]), f32(4, 6)),
    "cat": (lambda x, y: (torch.cat([x, y], 1), torch.stack([x, x], 1), torch.cat([x, x.int()])), f32(2, 3), f32(2, 5)),
    "split": (lambda x: (*x.split(2), *x.chunk(3, 1), *x.unbind(1), *x.split([1, 4])), f32(5, 6)),
    "flip": (lambda x: (x.flip(0), x.flip(0, 1), x.roll(1), x.roll((1, -2), (0, 1))), f32(3, 5)),
    "repeat": (lambda x: (x.repeat(2, 3), x.repeat(2, 1, 2), x.repeat_interleave(3, 1), x.tile(2)), f32(2, 3)),
    "pad": (lambda x: (F.pad(x, (1, 2)), F.pad(x, (1, -1, 0, 3), value=5.0)), f32(2, 3, 4)),
    "pad_edges": (lambda x: tuple(F.pad(x, (1, 2, 2, 0), mode=m) for m in ("reflect", "replicate", "circular")), f32(1, 2, 4, 5)),
    "tril": (lambda x: (x.tril(), x.triu(1), x.tril(-1), torch.diagonal(x), torch.diagonal(x, 1)), f32(4, 5)),
    "make": (lambda x: (torch.zeros(2), torch.ones_like(x), torch.full((2, 2), 3), torch.arange(5), torch.arange(1, 9, 2), torch.eye(3), torch.linspace(0, 1, 5), x.new_full((2,), 4)), f32(3)),
    "arange_float": (lambda x: (torch.arange(0, 2, 0.25), x + torch.arange(4, dtype=x.dtype)), f32(4)),
    "constant": (lambda x: x * torch.tensor([1.0, 2.0, 3.0]) + torch.tensor(2), f32(2, 3)),
    "empty": (lambda x: (x[2:], torch.cat([x[:0], x])), f32(2, 3)),
    "rank0": (lambda x: (x + 1, x.sum(), x.exp(), x.reshape(1), x.expand(3)), torch.tensor(2.0)),
    "casts": (lambda x: (x.int(), x.long(), x.bool(), x.bfloat16(), x.half(), x.double()), torch.tensor([-2.7, -0.5, 0.0, 0.5, 3.9])),
    "bool_casts": (lambda x: (x.float(), x.int(), ~x, x.sum()), flags(5)),
    "assign": (lambda x: _assign(x), f32(4, 5)),
    # reductions
    "sum": (lambda x: (x.sum(), x.sum(1), x.sum((0, 2), keepdim=True), x.mean(-1), x.mean()), f32(3, 4, 5)),
    "sum_int": (lambda x: (x.sum(), x.sum(0), (x != 0).prod(), x.float().mean(1)), i32(3, 4) // 8),
    "extremes": (lambda x: (x.amax(1), x.amin((0, 1)), x.max(), x.min(), *x.max(1), *x.min(0)), f32(4, 6)),
    "extremes_int": (lambda x: (x.amax(1), x.amin(0), x.max(), x.argmax(1)), torch.randperm(24).view(4, 6).int()),
    "argmax": (lambda x: (x.argmax(), x.argmax(1), x.argmin(0), x.argmax(-1, keepdim=True)), f32(4, 6)),
    "argmax_ties": (lambda x: (x.argmax(1), x.argmin(1)), torch.tensor([[1.0, 3, 3, 1], [0, 0, 0, 0]])),
    "prod": (lambda x: (x.prod(), x.prod(1, keepdim=True)), f32(3, 4)),
    "any": (lambda x: (x.any(), x.all(1), (x & True).any(0, keepdim=True)), flags(3, 4)),
    "var": (lambda x: (x.var(), x.var(1), x.std(0, unbiased=False), *torch.var_mean(x, 1)), f32(4, 7)),
    "norm": (lambda x: (x.norm(), x.norm(dim=1), torch.linalg.vector_norm(x, 1, 0), torch.linalg.vector_norm(x, INF), torch.linalg.vector_norm(x, 3.0, 1), F.normalize(x)), f32(4, 7)),
    "softmax": (lambda x: (x.softmax(-1), x.softmax(0), x.log_softmax(1), x.logsumexp(1), F.softmin(x, 1)), f32(4, 9) * 20),
    "cumsum": (lambda x: (x.cumsum(1), x.cumsum(0), x.cumprod(1)), f32(3, 6)),
    "cumsum_int": (lambda x: (x.cumsum(1), x.cumsum(0)), i64(3, 6)),
    "sort": (lambda x: (*x.sort(1), *x.sort(0, descending=True), x.argsort(1)), torch.randperm(30).view(5, 6).float()),
    "topk": (lambda x: (*x.topk(3), *x.topk(2, 0, largest=False)), torch.randperm(30).view(5, 6).float()),
    # indices
    "embedding": (lambda w, i: F.embedding(i, w), f32(10, 4), torch.tensor([[1, 9], [0, 3]])),
    "index_select": (lambda x, i: (x.index_select(0, i), x.index_select(1, i)), f32(5, 4), torch.tensor([3, 0, 3])),
    "gather": (lambda x, i: x.gather(1, i), f32(3, 5), torch.tensor([[0, 4], [2, 2]])),
    "take_along": (lambda x, i: torch.take_along_dim(x, i, 1), f32(3, 5), torch.tensor([[0, 4], [2, 2], [1, 0]])),
    "index": (lambda x, i, j: (x[i], x[:, i], x[i, j], x[i, :, j], x[:, i, j], x[[0, -1]]), f32(4, 5, 6), torch.tensor([0, 3, -1]), torch.tensor([1, -2, 4])),
    "index_wide": (lambda x, i: (x[i], x[i, i[0]]), f32(4, 5), torch.tensor([[0, 3], [2, -1]])),
    "index_put": (lambda x, i, v: (x.index_put((i,), v), x.index_put((i, i), v[0, :3], accumulate=True)), f32(4, 5), torch.tensor([0, 3, 1]), f32(3, 5)),
    "index_copy": (lambda x, i, v: x.index_copy(1, i, v), f32(2, 6, 3), torch.tensor([4, 0]), f32(2, 2, 3)),
    "index_add": (lambda x, i, v: (x.index_add(0, i, v, alpha=2), x.index_fill(0, i, 7.0)), f32(4, 3), torch.tensor([0, 0, 2]), f32(3, 3)),
    "scatter": (lambda x, i, v: (x.scatter(1, i, v), x.scatter(1, i, 3.0), x.scatter_add(1, i, v), x.scatter_reduce(1, i, v, "amax")), f32(3, 5), torch.tensor([[0, 4], [2, 1], [1, 0]]), f32(3, 2)),
    "one_hot": (lambda i: F.one_hot(i, 5), torch.tensor([[0, 4], [2, 1]])),
    "masked_fill": (lambda x, m: (x.masked_fill(m, -INF), torch.where(m, x, 0.0), torch.where(m, 1, 2)), f32(3, 4), flags(3, 4)),
    "cache": (lambda c, i, v: _cache(c, i, v), torch.zeros(1, 2, 6, 3), torch.tensor([4]), f32(1, 2, 1, 3)),
    # products
    "mm": (lambda x, y: (x @ y, torch.mm(x, y), torch.addmm(y[0], x, y), torch.addmm(y[:1], x, y, beta=0.5, alpha=2)), f32(3, 4), f32(4, 5)),
    "bmm": (lambda x, y: (torch.bmm(x, y), torch.baddbmm(x[:, :, :1], x, y), x @ y[0]), f32(2, 3, 4), f32(2, 4, 5)),
    "matmul": (lambda x, y: (x @ y, x[0, 0, 0] @ y, x @ y[:, 0], x[0, 0, 0] @ y[:, 0], x @ x.mT, x[:, :1] @ x.mT), f32(2, 3, 4, 5), f32(5, 6)),
    "einsum": (lambda x, y: (torch.einsum("bij,bjk->bik", x, y), torch.einsum("bij,bjk->ik", x, y)), f32(2, 3, 4), f32(2, 4, 5)),
    "linear": (lambda x, w, v: (F.linear(x, w, v), F.linear(x, w), F.linear(x[0, 0], w, v)), f32(2, 3, 4), f32(5, 4), f32(5)),
    "outer": (lambda x, y: (torch.outer(x, y), torch.dot(x, x)), f32(3), f32(4)),
    "cdist": (lambda x, y: F.cosine_similarity(x, y), f32(3, 8), f32(3, 8)),
    # convolution and pooling
    "conv1d": (lambda x, w, v: (F.conv1d(x, w, v), F.conv1d(x, w, v, 2, 1, 2)), f32(2, 4, 12), f32(6, 4, 3), f32(6)),
    "conv2d": (lambda x, w, v: (F.conv2d(x, w, v), F.conv2d(x, w, v, 2, (1, 0), (1, 2)), F.conv2d(x, w, padding="same")), f32(2, 4, 9, 10), f32(6, 4, 3, 3), f32(6)),
    "conv2d_groups": (lambda x, w: (F.conv2d(x, w, groups=4), F.conv2d(x[0], w, groups=4)), f32(2, 4, 9, 9), f32(8, 1, 3, 3)),
    "conv3d": (lambda x, w: F.conv3d(x, w, stride=(1, 2, 1), padding=1), f32(1, 2, 5, 6, 7), f32(3, 2, 3, 3, 3)),
    "conv_transpose": (lambda x, w, v: (F.conv_transpose2d(x, w, v), F.conv_transpose2d(x, w, v, 2, 1, 1), F.conv_transpose2d(x, w, stride=3, dilation=2)), f32(2, 4, 5, 6), f32(4, 3, 3, 3), f32(3)),
    "conv_transpose_groups": (lambda x, w: F.conv_transpose2d(x, w, stride=2, groups=2), f32(1, 4, 5, 5), f32(4, 3, 3, 3)),
    "conv_transpose1d": (lambda x, w: F.conv_transpose1d(x, w, stride=2, padding=1), f32(1, 4, 5), f32(4, 3, 3)),
    "max_pool": (lambda x: (F.max_pool2d(x, 2), F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 3, 2, 1, ceil_mode=True), F.max_pool2d(x, 2, 1, 0, 2)), f32(2, 3, 8, 9)),
    "max_pool_others": (lambda x: (F.max_pool1d(x[0, 0], 2), F.max_pool3d(x, 2)), f32(1, 2, 6, 6, 6)),
    "avg_pool": (lambda x: (F.avg_pool2d(x, 2), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 2, divisor_override=3)), f32(2, 3, 8, 9)),
    "avg_pool_others": (lambda x: (F.avg_pool1d(x[0, 0], 2), F.avg_pool3d(x, 2)), f32(1, 2, 6, 6, 6)),
    "adaptive": (lambda x: (F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (4, 3)), F.adaptive_avg_pool2d(x, (5, 7))), f32(2, 3, 8, 9)),
    "interpolate": (lambda x: (F.interpolate(x, scale_factor=2), F.interpolate(x, (5, 11), mode="bilinear"), F.interpolate(x, (5, 11), mode="bilinear", align_corners=True), F.interpolate(x, (4, 4), mode="bilinear", antialias=True), F.interpolate(x, (9, 9), mode="bicubic"), F.interpolate(x, scale_factor=1.7, mode="bilinear")), f32(2, 3, 7, 8)),
    "pixel_shuffle": (lambda x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2)), f32(1, 8, 4, 4)),
    # norms and attention
    "layer_norm": (lambda x, w, v: (F.layer_norm(x, (6,), w, v), F.layer_norm(x, (5, 6)), F.layer_norm(x, (6,), w), F.layer_norm(x, (6,), None, v)), f32(3, 5, 6), f32(6), f32(6)),
    "rms_norm": (lambda x, w: (F.rms_norm(x, (6,), w, 1e-6), F.rms_norm(x, (6,))), f32(3, 6), f32(6)),
    "group_norm": (lambda x, w, v: (F.group_norm(x, 2, w, v), F.group_norm(x, 4), F.instance_norm(x)), f32(2, 4, 5, 5), f32(4), f32(4)),
    "batch_norm": (lambda x, m, s, w: (F.batch_norm(x, m, s.abs() + 0.5, w, m), F.batch_norm(x, m, s.abs() + 0.5), F.batch_norm(x[:, :, 0, 0], m, s.abs() + 0.5)), f32(2, 4, 3, 3), f32(4), f32(4), f32(4)),
    "attention": (lambda q, k, v, m: (F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, m), F.scaled_dot_product_attention(q, k, v, scale=0.3), F.scaled_dot_product_attention(q, k, v, m * 2.0)), f32(2, 3, 5, 4), f32(2, 3, 7, 4), f32(2, 3, 7, 4), torch.ones(5, 7).tril(2).bool()),
    "attention_causal": (lambda q: (F.scaled_dot_product_attention(q, q, q, is_causal=True), F.scaled_dot_product_attention(q[0], q[0], q[0])), f32(2, 3, 5, 4)),
    "dropout_off": (lambda x: F.dropout(x, 0.5, False) + F.feature_alpha_dropout(x, 0.5, False), f32(4)),
    "clamp": (lambda x: (x.clamp(-1, 1), x.clamp(min=0), x.clamp(max=0.5), x.clamp(x * 0 - 0.5, x * 0 + 0.5), x.nan_to_num()), edge()),
    "lerp": (lambda x, y: (torch.lerp(x, y, 0.3), torch.addcmul(x, x, y, value=2), torch.addcdiv(x, x, y, value=0.5)), f32(4), f32(4).abs() + 1),
    "losses": (lambda x, y: (F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y), F.huber_loss(x, y)), f32(4, 3), f32(4, 3)),
    "cross_entropy": (lambda x, t: F.cross_entropy(x, t), f32(4, 6), torch.tensor([0, 5, 2, 3])),
    "meshgrid": (lambda x, y: torch.meshgrid(x, y, indexing="ij"), f32(3), f32(4)),
    "as_complex_free": (lambda x: torch.linalg.norm(x) + torch.trace(x) + x.diag().sum(), f32(4, 4)),
    "copysign": (lambda x, y: (torch.copysign(x, y), torch.hypot(x, y), torch.logaddexp(x, y), torch.xlogy(x.abs(), y.abs())), f32(5), f32(5)),
    "unfold": (lambda x: (F.unfold(x, 2), x.unfold(2, 3, 1)), f32(1, 2, 5, 5)),
    "searches": (lambda x: (torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])), torch.isin(x.int(), torch.tensor([0, 1]))), f32(6)),
}


def _assign(x):
    y = x.clone()
    y[1:3, ::2] = 1.0
    y[0] += 2
    y[:, -1].mul_(3)
    return y, y.T.contiguous()


def _cache(cache, position, value):
    cache[:, :, position] = value
    return cache * 1


@pytest.mark.parametrize("name", OPS)
def test_operation(name):
    function, *inputs = OPS[name]
    check(function, *inputs)


FLOAT_ONLY = "sum softmax var layer_norm batch_norm attention linear conv2d matmul avg_pool max_pool".split()


@pytest.mark.parametrize("name", FLOAT_ONLY)
def test_operation_bf16(name):
    function, *inputs = OPS[name]
    check(function, *[x.bfloat16() if x.is_floating_point() else x for x in inputs], tolerance=8e-2)


def test_mutated_inputs_are_written_back(programs):
    def step(x, y):
        x.add_(1)
        y[0] = 7
        return x * y

    x, y = f32(3, 4), f32(3, 4)
    a, b = x.clone(), y.clone()
    want = step(a, b)
    got = torch.compile(step, backend=tt, fullgraph=True)(x, y)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close((x, y), (a, b))


def test_inputs_that_are_outputs(programs):
    x = f32(3)
    y, z = torch.compile(lambda x: (x, x + 1), backend=tt)(x)
    assert y is x
    torch.testing.assert_close(z, x + 1)
