"""Training steps as users write them: optimizers and whole steps that are compiled, gradients asked for in other ways, and errors."""

import copy
import logging

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from tilewright.torch_backend import tt


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


def close(got, want):
    torch.testing.assert_close(got, want, atol=2e-5, rtol=2e-4)


def weights_after(model, optimizer, step, x):
    for _ in range(4):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        step()
    return [p.detach() for p in model.parameters()]


OPTIMIZERS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.1),
    "AdamW on lists": lambda p: torch.optim.AdamW(p, lr=0.1, foreach=True),
    "SGD on lists": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1, foreach=True),
    "RMSprop": lambda p: torch.optim.RMSprop(p, lr=0.1),
    "Adagrad on lists": lambda p: torch.optim.Adagrad(p, lr=0.1, foreach=True),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_compiled_step_of_an_optimizer(name, caplog):
    model, x = nn.Linear(4, 3), torch.randn(5, 4)
    plain = copy.deepcopy(model)
    own, other = OPTIMIZERS[name](model.parameters()), OPTIMIZERS[name](plain.parameters())
    with caplog.at_level(logging.WARNING, "tilewright"):
        got = weights_after(model, own, torch.compile(own.step, backend=tt), x)
    close(got, weights_after(plain, other, other.step, x))
    assert not [r for r in caplog.records if r.name == "tilewright"], caplog.text


def test_whole_step():
    def stepping(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(x):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        return step

    model, x = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)), torch.randn(5, 4)
    plain = stepping(copy.deepcopy(model))
    step = torch.compile(stepping(model), backend=tt)
    for _ in range(4):
        close(step(x).detach(), plain(x).detach())


def gradients(model, *inputs):
    torch.manual_seed(2)
    model.zero_grad()
    y = model(*inputs)
    (y[0] if isinstance(y, tuple) else y).square().sum().backward()
    return [p.grad.clone() for p in model.parameters()]


class Checkpointed(nn.Sequential):
    def forward(self, x):
        return checkpoint(super().forward, x, use_reentrant=False)


OTHER_MODELS = {
    "checkpoint": lambda: Checkpointed(nn.Linear(4, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 3)),
    "LSTM": lambda: nn.LSTM(4, 5, batch_first=True),
    "GRU": lambda: nn.GRU(4, 5),
    "exported": lambda: torch.export.export(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)), (torch.randn(2, 5, 4),)).module(),
    "i0e in torch": lambda: nn.Sequential(nn.Linear(4, 4), Function(torch.special.i0e), nn.Linear(4, 2)),
}


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


@pytest.mark.parametrize("name", OTHER_MODELS)
def test_gradients_of_other_models(name):
    model, x = OTHER_MODELS[name](), torch.randn(2, 5, 4)
    compiled, want = torch.compile(model, backend=tt), gradients(model, x)
    for _ in range(2):
        close(gradients(compiled, x), want)


def ready(function, *inputs):
    """Compiled, and called with gradients once, so that further calls run the programs of training."""
    compiled = torch.compile(function, backend=tt)
    compiled(*inputs).sum().backward()
    return compiled


def test_gradients_of_gradients_of_a_trained_model():
    weight = torch.randn(3, 3, requires_grad=True)
    x = torch.randn(2, 3, requires_grad=True)

    def model(x):
        return torch.tanh(x @ weight)

    def penalty(function):
        (slope,) = torch.autograd.grad(function(x).square().sum(), x, create_graph=True)
        return torch.autograd.grad(slope.square().sum(), [x, weight])

    for g, w in zip(penalty(ready(model, x)), penalty(model)):
        close(g, w)


def test_a_result_is_differentiated_twice():
    weight, x = torch.randn(3, requires_grad=True), torch.randn(3)
    function = ready(lambda x: (x * weight).exp(), x)
    weight.grad = None
    y = function(x).sum()
    y.backward(retain_graph=True)
    first = weight.grad.clone()
    y.backward()
    close(weight.grad, 2 * first)
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_changes_of_saved_tensors():
    weight, x = torch.randn(3, requires_grad=True), torch.randn(3)
    function = ready(lambda x: x * weight * weight, x)
    y = function(x)
    with torch.no_grad():
        weight.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    y = function(x)
    y.mul_(2)  # of a result that is not saved
    weight.grad = None
    y.sum().backward()
    close(weight.grad, 4 * x * weight.detach())


def test_operators_without_gradients_are_named():
    weight, x = torch.randn(3, requires_grad=True), torch.rand(3)
    y = torch.compile(lambda x: torch.floor_divide(x * weight, 0.3), backend=tt)(x)
    with pytest.raises(RuntimeError, match=r"derivative for aten::floor_divide is not implemented\n    at .*test_torch_optimizers.py:\d+"):
        y.sum().backward()


def test_autocast():
    model, x, y = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 3)), torch.randn(16, 8), torch.randint(0, 3, (16,))
    plain = copy.deepcopy(model)
    losses = []
    for own, call in ((model, torch.compile(model, backend=tt)), (plain, plain)):
        optimizer = torch.optim.SGD(own.parameters(), lr=0.1)
        losses.append([])
        for _ in range(20):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = F.cross_entropy(call(x), y)
            loss.backward()
            optimizer.step()
            losses[-1].append(loss.item())
    torch.testing.assert_close(*map(torch.tensor, losses), atol=5e-3, rtol=0)
    assert losses[0][-1] < losses[0][0]


def test_parameters_without_a_graph_of_inputs():
    """A graph with parameters of its own, as torch captures those that an optimizer writes."""
    weight = nn.Parameter(torch.zeros(3))

    @torch.compile(backend=tt)
    @torch.no_grad()
    def add(x):
        weight.add_(x)
        return weight * 2

    for i in range(1, 3):
        close(add(torch.ones(3)), torch.full((3,), 2.0 * i))
