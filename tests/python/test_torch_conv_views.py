"""Convolutions that read their operands through the permutations that make them, beside eager PyTorch.

Tolerance: 1e-5 of the largest value, as for f32 convolutions elsewhere: sums of some hundred terms in another order."""

import itertools
import random

import pytest
import torch

torch.manual_seed(0)


def compare(f, *args, tolerance=1e-5):
    torch._dynamo.reset()
    want = f(*args)
    got = torch.compile(f, backend="tt")(*args)
    wants, gots = (v if isinstance(v, tuple) else (v,) for v in (want, got))
    for w, g in zip(wants, gots):
        assert w.shape == g.shape and w.dtype == g.dtype
        torch.testing.assert_close(g, w, rtol=0, atol=tolerance * max(float(w.abs().max()), 1e-30))


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_permuted_input(order):
    """An input of any order of dimensions, padded, so that it is copied in any case."""
    sizes = (3, 5, 9, 8)
    x = torch.randn(*[sizes[order.index(d)] for d in range(4)])
    w = torch.randn(6, 5, 3, 3)
    compare(lambda x, w: torch.nn.functional.conv2d(x.permute(order), w, padding=1), x, w)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_permuted_weights(order):
    sizes = (6, 5, 3, 2)
    w = torch.randn(*[sizes[order.index(d)] for d in range(4)])
    compare(lambda x, w: torch.nn.functional.conv2d(x, w.permute(order)), torch.randn(2, 5, 9, 8), w)


@pytest.mark.parametrize("seed", range(12))
def test_chains(seed):
    """Permutations and reshapes in turn, of which some leave no common stride."""
    r = random.Random(seed)

    def chain(v, steps):
        for order, shape in steps:
            v = v.permute(order).reshape(shape)
        return v

    def steps(shape, final):
        """A way from `shape` to `final`, both with the same number of elements."""
        found = []
        for _ in range(r.randint(1, 3)):
            order = r.sample(range(len(shape)), len(shape))
            moved = [shape[d] for d in order]
            if r.random() < 0.7:  # two neighbours become one
                at = r.randrange(len(moved) - 1)
                moved[at : at + 2] = [moved[at] * moved[at + 1]]
            if r.random() < 0.7:  # a size is split
                at = r.randrange(len(moved))
                by = r.choice([d for d in (1, 2, 3, 4) if moved[at] % d == 0])
                moved[at : at + 1] = [by, moved[at] // by]
            found.append((order, moved))
            shape = moved
            if len(shape) < 2:
                break
        return [*found, (list(range(len(shape))), final)]

    x_steps, w_steps = steps([2, 12, 6, 8], [4, 6, 6, 8]), steps([4, 6, 3, 3], [4, 6, 3, 3])
    x, w = torch.randn(2, 12, 6, 8), torch.randn(4, 6, 3, 3)
    compare(lambda x, w: torch.nn.functional.conv2d(chain(x, x_steps), chain(w, w_steps), padding=(1, 2)), x, w)


def test_permuted_and_used():
    """The permuted tensor is a result of its own, or has other readers."""
    x, w = torch.randn(5, 3, 9, 8), torch.randn(6, 5, 3, 3)

    def f(x, w):
        y = x.transpose(0, 1)
        return torch.nn.functional.conv2d(y, w, padding=1), y.contiguous(), y.sum(0)

    compare(f, x, w)


def test_overwritten():
    """The tensor is overwritten between its permutation and the convolution."""
    x, w = torch.randn(5, 3, 9, 8), torch.randn(6, 5, 3, 3)

    def f(x, w):
        y = x.transpose(0, 1).contiguous()
        x.mul_(2)
        return torch.nn.functional.conv2d(y, w, padding=1), x

    torch._dynamo.reset()
    mine, theirs = x.clone(), x.clone()
    got, want = torch.compile(f, backend="tt")(mine, w), f(theirs, w)
    torch.testing.assert_close(got[0], want[0], rtol=0, atol=1e-5 * float(want[0].abs().max()))
    assert torch.equal(mine, theirs)


@pytest.mark.parametrize("size,channels,batch", [(12, 16, 2), (13, 33, 1), (28, 32, 8), (7, 80, 3)])
@pytest.mark.parametrize("padding", [0, 1])
def test_weight_gradients(size, channels, batch, padding):
    """3x3 weights, whose gradient is computed by Winograd's algorithm; bias and input have gradients, too."""
    layer = torch.nn.Conv2d(channels, channels + 3, 3, padding=padding)
    x = torch.randn(batch, channels, size, size)

    def gradients(call):
        layer.zero_grad()
        inputs = x.clone().requires_grad_()
        y = call(inputs)
        (y * torch.linspace(-1, 1, y.numel()).view(y.shape)).sum().backward()
        return [inputs.grad, *[p.grad.clone() for p in layer.parameters()]]

    torch._dynamo.reset()
    for want, got in zip(gradients(layer), gradients(torch.compile(layer, backend="tt"))):
        torch.testing.assert_close(got, want, rtol=0, atol=2e-5 * float(want.abs().max()))
