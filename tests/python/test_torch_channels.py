"""Images through convolutions, norms and activations: permutations are put off and norms become part of the convolution
(src/runtime/channels.h, joins.h); results are torch's, with the same bits for any number of threads."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tilewright.torch_backend import tt

SIZES = [(1, 3, 1, 1), (1, 4, 7, 5), (2, 16, 13, 11), (3, 17, 8, 1), (1, 64, 31, 29)]


def settled(module):
    for m in module.modules():
        if isinstance(m, nn.BatchNorm2d):
            with torch.no_grad():
                m.running_mean.normal_(0, 0.3)
                m.running_var.uniform_(0.5, 1.5)
                m.weight.uniform_(-1.5, 1.5)
                m.bias.normal_(0, 0.3)
    return module.eval()


def compare(model, x, bound=1e-5):
    with torch.no_grad():
        want = model(x)
        got = [torch.compile(model, backend=tt, options={"threads": n})(x) for n in (1, 2)]
    wants, gots, others = ([r] if torch.is_tensor(r) else list(r) for r in (want, *got))
    for w, g, other in zip(wants, gots, others):
        assert torch.equal(g, other)
        assert g.shape == w.shape and g.stride() == torch.empty(w.shape).stride()
        torch.testing.assert_close(g.float(), w.float(), rtol=0, atol=bound * max(1, w.float().abs().max().item()))


def types(model, x, bound=1e-5):
    compare(model, x, bound)
    compare(model.bfloat16(), x.bfloat16(), 0.03)


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(3)
    torch._dynamo.reset()


class Chain(nn.Module):
    """Convolution, norm and activation twice, the second one depthwise, with a residual."""

    def __init__(self, c, act, bias):
        super().__init__()
        self.one = nn.Conv2d(c, c, 3, padding=1, bias=bias)
        self.two = nn.Conv2d(c, c, 3, padding=1, groups=c, bias=bias)
        self.norm1, self.norm2, self.act = nn.BatchNorm2d(c), nn.BatchNorm2d(c), act

    def forward(self, x):
        y = self.act(self.norm1(self.one(x)))
        return F.relu(self.norm2(self.two(y)) + x)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("act", [nn.ReLU(), nn.ReLU6(), nn.SiLU()], ids=["relu", "relu6", "silu"])
def test_chain(size, act):
    types(settled(Chain(size[1], act, size[0] == 1)), torch.randn(size))


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("kernel", [1, 2, 5])
def test_depthwise_windows(kernel, stride):
    model = nn.Sequential(nn.Conv2d(19, 19, kernel, stride, kernel // 2, groups=19), nn.BatchNorm2d(19), nn.ReLU6())
    types(settled(model), torch.randn(2, 19, 23, 17))


@pytest.mark.parametrize("size", SIZES)
def test_join_and_pool(size):
    class Model(nn.Module):
        def __init__(self, c):
            super().__init__()
            self.a, self.b, self.norm = nn.Conv2d(c, 5, 1), nn.Conv2d(c, 7, 3, padding=1), nn.BatchNorm2d(7)

        def forward(self, x):
            y = torch.cat([self.a(x), F.relu(self.norm(self.b(x))), x], 1)
            return F.max_pool2d(y, 3, 2, 1), F.avg_pool2d(y, 3, 1, 1), y.mean((2, 3))

    types(settled(Model(size[1])), torch.randn(size))


def test_values_that_are_needed_in_order():
    """Results, reshapes, broadcasts over rows and over channels, and a value that two operations read."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm, self.gate = nn.Conv2d(6, 6, 3, padding=1), nn.BatchNorm2d(6), nn.Linear(6, 6)
            self.row = nn.Parameter(torch.randn(9))
            self.image = nn.Parameter(torch.randn(1, 1, 8, 9))

        def forward(self, x):
            y = self.conv(x)
            z = self.norm(y)
            gate = torch.sigmoid(self.gate(z.mean((2, 3))))[:, :, None, None]
            return y, F.relu(z), z * gate, (z + self.row).flatten(1), z * self.image, torch.where(z > 0, z, y)

    types(settled(Model()), torch.randn(2, 6, 8, 9))


def test_norms_without_convolution():
    model = settled(nn.Sequential(nn.BatchNorm2d(11), nn.ReLU()))
    types(model, torch.randn(3, 11, 7, 300))
    types(settled(nn.BatchNorm1d(13).float()), torch.randn(5, 13))


def test_changed_norm():
    """A norm that a convolution includes is included again when its numbers change."""
    model = settled(nn.Sequential(nn.Conv2d(5, 8, 3), nn.BatchNorm2d(8), nn.Conv2d(8, 8, 3, groups=8), nn.BatchNorm2d(8), nn.ReLU6()))
    compiled, x = torch.compile(model, backend=tt), torch.randn(1, 5, 9, 9)
    with torch.no_grad():
        for change in (lambda: None, lambda: model[1].weight.mul_(2), lambda: model[3].running_mean.add_(1), lambda: model[0].weight.mul_(0.5)):
            change()
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kernel,stride,padding,more", [(2, 2, 0, 0), (3, 2, 1, 1), (4, 2, 1, 0), (3, 1, 1, 0), (2, 3, 0, 1), (5, 3, 2, 2)])
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed(kernel, stride, padding, more, groups):
    model = nn.Sequential(nn.ConvTranspose2d(6, 10, kernel, stride, padding, more, groups), nn.BatchNorm2d(10), nn.ReLU())
    types(settled(model), torch.randn(2, 6, 7, 5))
