"""Nested graphs, transformed functions, dynamic sizes, numbers as arguments."""

import pytest
import torch
from torch import nn
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from tilewright.torch_backend import tt

pytestmark = pytest.mark.parametrize("programs", ["own"], indirect=True)


def branches(x, y):
    return torch.cond(x.sum() > 0, lambda a, b: (a * 2, b + 1), lambda a, b: (a - b, a.abs()), (x, y))


def steps(x, y):
    return scan(lambda c, r: (c * 0.5 + r, c * 2), y[0], x)


def steps_joined(x, y):
    return associative_scan(lambda a, b: a * b + 1, x, 0, combine_mode="generic") + y


def until_large(x, y):
    return while_loop(lambda i, a: (a.sum() < 100) & (i < 50), lambda i, a: (i + 1, a * 1.5 + y.abs()), (torch.tensor(0), x.abs()))


def each_row(x, y):
    return torch.vmap(lambda a, b: a @ b + a.sort().values[0])(x, y)


def gradient(x, y):
    return torch.func.grad(lambda a: (a.sin() * y).sum())(x)


def gradient_of_module(x, y):
    layer = nn.functional.linear
    return torch.func.grad_and_value(lambda w: layer(x, w).square().mean())(y)


def forward_mode(x, y):
    return torch.func.jvp(lambda a: a.tanh() * y, (x,), (torch.ones_like(x),))


def jacobian(x, y):
    return torch.func.jacrev(lambda a: a.exp().sum(0))(x)


def diagonals(x, y):
    z = x.clone()
    z.diagonal(1).copy_(y[0, :3])
    z.diagonal(-2).fill_(3)
    return z, torch.diagonal_scatter(y[None], y[None, 1:, 0], -1, 1, 2)


MODELS = [diagonals, branches, steps, steps_joined, until_large, each_row, gradient, gradient_of_module, forward_mode, jacobian]


@pytest.mark.parametrize("model", MODELS, ids=lambda f: f.__name__)
def test_like_torch(programs, model):
    fast = torch.compile(model, backend=tt, fullgraph=True)
    for sign in (1, -1):
        x, y = sign * torch.rand(5, 4), torch.randn(5, 4)
        torch.testing.assert_close(fast(x, y), model(x, y), atol=1e-5, rtol=1e-5)
    assert programs


def test_what_a_branch_lacks_is_named(programs):
    def model(x):
        return torch.cond(x.sum() > 0, torch.special.i0e, torch.sin, (x,))

    with pytest.raises(Exception, match=r"Operation 'cond' not supported[^$]*i0e"):
        torch.compile(model, backend=tt, fullgraph=True)(torch.ones(3))
    torch._dynamo.reset()
    torch.testing.assert_close(torch.compile(model, backend=tt)(torch.ones(3)), model(torch.ones(3)))


def grows(x):
    n = x.shape[0]
    return x.reshape(n * 2, -1).sum(1), torch.arange(n), x.new_ones(n + 1) * n, x[n // 2 :]


@pytest.mark.parametrize("how", ["dynamic", "marked", "found"])
def test_sizes_that_change(programs, how):
    graphs = []

    def backend(gm, inputs):
        graphs.append(gm)
        return tt(gm, inputs)

    fast = torch.compile(grows, backend=backend, dynamic=True if how == "dynamic" else None, fullgraph=True)
    for n in [*range(2, 14), 3]:
        x = torch.randn(n, 4)
        if how == "marked":
            torch._dynamo.mark_dynamic(x, 0)
        torch.testing.assert_close(fast(x), grows(x))
    assert len(programs) == 12
    assert len(graphs) <= 2


def test_views_of_arguments_whose_sizes_change(programs):
    fast = torch.compile(lambda x: (x.t(), x * 2), backend=tt, dynamic=True)
    for n in (2, 3, 4):
        x = torch.randn(n, 4)
        view, _ = fast(x)
        view.zero_()
        assert not x.any()


def test_numbers_as_arguments(programs):
    def model(x, scale, count, flag):
        return x * scale + count if flag else x / scale

    fast = torch.compile(model, backend=tt, fullgraph=True)
    for scale in (0.5, 1.25, -3.0, 1e-3):
        for x in (torch.randn(4), torch.arange(4)):
            torch.testing.assert_close(fast(x, scale, 2, True), model(x, scale, 2, True))
    torch.testing.assert_close(fast(torch.ones(2), 4.0, 1, False), torch.full((2,), 0.25))
