"""Integers of 8 and 16 bits in torch models: they wrap, divide and convert as torch's do."""

import pytest
import torch

from tilewright.torch_backend import tt

KINDS = [torch.int8, torch.int16, torch.uint8]


def numbers(kind, *shape):
    info = torch.iinfo(kind)
    x = torch.randint(info.min, info.max + 1, shape, generator=torch.Generator().manual_seed(0), dtype=torch.int64)
    return x.to(kind)


def arithmetic(x, y):
    return x + y, x - y, x * y, -x, x.abs(), x * 3 + 100, x**2


def division(x, y):
    y = torch.where(y == 0, 1, y)
    return x // 7, x % 7, torch.fmod(x, 7), x / y, torch.div(x, 7, rounding_mode="trunc")


def bits(x, y):
    return x & y, x | y, x ^ y, ~x, x << 1, x >> 2


def order(x, y):
    return x < y, x == y, x.clamp(3, 50), torch.maximum(x, y), x.sort(-1).values, x.argmax(-1), x.amin(0), x.sign()


def sums(x, y):
    return x.sum(1), x.cumsum(0), x[:2].prod(0), x[1:].cumprod(0), x.float().mean(), (x > 0).sum(), x.sum(dtype=torch.int32)


def movement(x, y):
    return torch.cat([x, y], 1), x.t().reshape(-1), x[:, ::2], x.flip(0), x[y[0].long() % 3], torch.where(x > y, x, y)


def conversion(x, y):
    z = x.float() * 0.37 + y.to(torch.bfloat16)
    return z, (x.float() * 0.37).to(x.dtype), x.long() * 1000, x.bool(), x + 0.5, x.to(torch.int32) - y


MODELS = [arithmetic, division, bits, order, sums, movement, conversion]


@pytest.mark.parametrize("programs", ["own"], indirect=True)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("model", MODELS, ids=lambda f: f.__name__)
def test_like_torch(programs, model, kind):
    x, y = numbers(kind, 3, 8), numbers(kind, 4, 8)[1:]
    got = torch.compile(model, backend=tt, fullgraph=True)(x, y)
    for ours, theirs in zip(got, model(x, y), strict=True):
        torch.testing.assert_close(ours, theirs, equal_nan=True)


@pytest.mark.parametrize("programs", ["own"], indirect=True)
def test_long_products_are_torchs(programs, caplog):
    x = numbers(torch.int16, 5, 4)
    got = torch.compile(lambda x: (x.prod(0), x.long().cumprod(1), x.float()), backend=tt)(x)
    torch.testing.assert_close(got, (x.prod(0), x.long().cumprod(1), x.float()))
    assert "'aten::prod' not supported" in caplog.text and "'aten::cumprod' not supported" in caplog.text


@pytest.mark.parametrize("programs", ["own"], indirect=True)
def test_quantized_weights(programs):
    """The usual hand-made form: int8 weights with a scale for each row."""

    class Linear(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", numbers(torch.int8, 6, 16))
            self.register_buffer("scale", torch.rand(6, 1) / 100)

        def forward(self, x):
            return torch.nn.functional.linear(x, self.weight.to(x.dtype) * self.scale)

    model, x = Linear(), torch.randn(2, 16)
    torch.testing.assert_close(torch.compile(model, backend=tt, fullgraph=True)(x), model(x), atol=1e-5, rtol=1e-5)
