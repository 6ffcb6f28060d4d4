"""Parameters as constants of programs: their memory is read where it is, their packed form is one for all products, and every way of
changing them is noticed at the next call."""

import gc
import re
from pathlib import Path

import pytest
import torch
from torch import nn

from tilewright.torch_backend import tt


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(5)
    torch._dynamo.reset()


class Model(nn.Module):
    """A weight that many products share, one of which transposes it, a bias, and a weight that a constant step changes first."""

    def __init__(self, n=96):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(n, n) / n), nn.Parameter(torch.randn(n))
        self.scaled, self.conv = nn.Parameter(torch.randn(n, n) / n), nn.Conv2d(3, 4, 3)

    def forward(self, x, image):
        for _ in range(4):
            x = torch.tanh(x @ self.weight + self.bias)
        return (x @ self.weight.t()) @ (self.scaled * 2), self.conv(image)


def resident():
    return int(re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024


def check(model, compiled, *args):
    with torch.no_grad():
        for got, want in zip(compiled(*args), model(*args)):
            torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)


def in_place(p):
    p.mul_(0.5)


def through_data(p):
    p.data.add_(0.25)


def new_data(p):
    p.data = torch.randn_like(p) / 10


def through_numpy(p):
    p.detach().numpy()[...] *= -1


def through_a_view(p):
    p.view(-1)[::2].fill_(0.125)


def with_other_strides(p):
    p.data = (torch.randn(p.shape[::-1]) / 10).permute(*reversed(range(p.dim())))


@pytest.mark.parametrize("change", [in_place, through_data, new_data, through_numpy, through_a_view, with_other_strides])
def test_changed(change):
    model = Model()
    compiled = torch.compile(model, backend=tt)
    args = torch.randn(3, 96), torch.randn(1, 3, 6, 6)
    check(model, compiled, *args)
    for name, p in model.named_parameters():
        with torch.no_grad():
            change(p)
        gc.collect()
        check(model, compiled, *args)


def test_loaded():
    model = Model()
    compiled = torch.compile(model, backend=tt)
    args = torch.randn(3, 96), torch.randn(1, 3, 6, 6)
    for assign in (False, True):
        check(model, compiled, *args)
        model.load_state_dict(Model().state_dict(), assign=assign)
    check(model, compiled, *args)


def test_replaced_memory_stays():
    """The memory of a parameter that got another one is read by no later run, and is not freed before."""
    model = nn.Linear(64, 64)
    compiled, x = torch.compile(model, backend=tt), torch.randn(2, 64)
    with torch.no_grad():
        for _ in range(20):
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-5, atol=1e-5)
            model.bias.data = torch.randn(64)
            model.weight.data = torch.randn(64, 64) / 8
            trash = [torch.full((64, 64), float("nan")) for _ in range(20)]
            del trash


def test_one_copy():
    """A recurrence of 64 products with one matrix of 16 MB keeps it once, packed."""
    n = 2048
    weight = nn.Parameter(torch.randn(n, n) / n)

    def model(x):
        for _ in range(64):
            x = torch.tanh(x @ weight)
        return x

    x = torch.randn(1, n)
    small = nn.Parameter(torch.randn(8, 8))
    with torch.no_grad():
        torch.compile(lambda x: torch.tanh(x @ small), backend=tt)(torch.randn(1, 8))
        want, before = model(x), resident()
        got = torch.compile(model, backend=tt)(x)
        torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)
        gc.collect()
        assert resident() - before < 4 * n * n * 4
