"""Tensors that share memory: arguments, results, parameters that are written without torch's knowledge."""

import copy

import pytest
import torch
from torch import nn

from tilewright import _engine
from tilewright.torch_backend import tt


@pytest.fixture(params=["native", "steps"])
def programs(request):
    """With calls built in C, and with calls built in Python."""
    compiled = []

    def engine(text, options):
        program = _engine.native_compile(text, options)
        compiled.append(program)
        return Plain(program) if request.param == "steps" else program

    former = _engine.set_engine(engine)
    yield compiled
    _engine.set_engine(former)


class Plain:
    """A program without the callable in C."""

    def __init__(self, program):
        self.run, self.set_constant = program.run, program.set_constant


def compiled(model):
    torch._dynamo.reset()
    return torch.compile(model, backend=tt)


# -- parameters ------------------------------------------------------------------------------


def by_data(weight):
    weight.data.mul_(3)


def by_numpy(weight):
    weight.detach().numpy()[:] = 2.0


def by_one_row(weight):
    weight.data[-1] = 5.0


def by_another_tensor(weight):
    weight.data = torch.ones_like(weight)


def by_copy(weight):
    weight.copy_(torch.ones_like(weight))


CHANGES = [by_data, by_numpy, by_one_row, by_another_tensor, by_copy]


@pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)
def test_changes_of_parameters_are_seen(programs, change):
    shape = (16, 1024) if change is by_one_row else (4, 8)
    model, x = nn.Linear(shape[1], shape[0]).eval(), torch.randn(2, shape[1])
    fast = compiled(model)
    with torch.no_grad():
        before = fast(x)
        change(model.weight)
        got = fast(x)
        assert not torch.allclose(got, before)
        torch.testing.assert_close(got, model(x), atol=1e-4, rtol=1e-4)
    assert len(programs) == 1


def test_changes_are_seen_between_torch_operations(programs):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(8, 8)

        def forward(self, x):
            return self.linear(torch.special.i0e(x))

    model, x = Model().eval(), torch.randn(2, 8)
    fast = compiled(model)
    with torch.no_grad():
        fast(x)
        model.linear.weight.data.mul_(2)
        torch.testing.assert_close(fast(x), model(x), atol=1e-5, rtol=1e-5)


def test_copies_of_a_compiled_model_are_apart(programs):
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    fast = compiled(model)
    with torch.no_grad():
        before = fast(x)
        other = copy.deepcopy(fast)
        model.weight.zero_()
        torch.testing.assert_close(other(x), before)
        torch.testing.assert_close(fast(x), model(x))
        other.load_state_dict(fast.state_dict())
        torch.testing.assert_close(other(x), fast(x))


# -- arguments that overlap ---------------------------------------------------------------


def writes_first(a, b):
    a.add_(1)
    return a * b


def writes_second(a, b):
    c = a * 2
    b.copy_(c)
    return a + b


@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("function", [writes_first, writes_second], ids=lambda f: f.__name__)
def test_arguments_that_overlap(programs, function, odd):
    def model(a, b):
        return torch.special.i0e(function(a, b)) if odd else function(a, b)

    ours, plain = torch.arange(8.0), torch.arange(8.0)
    fast = compiled(model)
    disjoint = [torch.ones(6), torch.full((6,), 2.0)]
    torch.testing.assert_close(fast(*[t.clone() for t in disjoint]), model(*disjoint))
    got, want = fast(ours[:6], ours[2:]), model(plain[:6], plain[2:])
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(ours, plain)


# -- results that share memory -------------------------------------------------------------


def view_of_argument(x):
    return x.view(4, 3), x + 1


def written_argument(x):
    x.mul_(2)
    return x.t(), x[1]


def rows_of_result(x):
    y = x + 1
    return y, y[1], y.t()


def parts_of_hidden(x):
    y = x * 2
    return y[:, 1:], y[:2], y[0].expand(5, 4)


VIEWS = [view_of_argument, written_argument, rows_of_result, parts_of_hidden]


@pytest.mark.parametrize("model", VIEWS, ids=lambda f: f.__name__)
def test_results_share_memory_as_in_torch(programs, model):
    x = torch.randn(3, 4)
    y = x.clone()
    got, want = compiled(model)(x), model(y)
    for i in range(len(want)):
        for a, b in zip(got, want):
            torch.testing.assert_close(a, b)
        torch.testing.assert_close(x, y)
        if 0 not in want[i].stride():
            got[i].sub_(7), want[i].sub_(7)


def test_results_that_are_parameters(programs):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(3, 4))

        def forward(self, x):
            return self.weight.detach(), self.weight.t()[1:], x + self.weight

    model = Model()
    got = compiled(model)(torch.zeros(3, 4))
    assert got[0].data_ptr() == model.weight.data_ptr()
    with torch.no_grad():
        model.weight.add_(1)
    torch.testing.assert_close(got[1], model.weight.detach().t()[1:])
    torch.testing.assert_close(got[2], model.weight.detach() - 1)
