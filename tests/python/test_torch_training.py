"""Gradients through compiled models: those of eager torch, and the weights after steps of an optimizer."""

import copy
import logging
import os
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tilewright import _engine
from tilewright.torch_backend import tt


@pytest.fixture
def programs():
    """The texts of the programs compiled."""
    texts = []

    def engine(text, options):
        texts.append(_engine.text_of(text))
        return _engine.native_compile(text, options)

    former = _engine.set_engine(engine)
    torch._dynamo.reset()
    yield texts
    _engine.set_engine(former)
    torch._dynamo.reset()


def close(got, want):
    torch.testing.assert_close(got, want, atol=2e-5, rtol=2e-4)


def trained(model, compiled, inputs, loss_of, steps=3):
    """Losses and gradients of a few steps."""
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05, momentum=0.9)
    seen = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(compiled(*inputs))
        loss.backward()
        seen += [loss.detach().clone(), *(p.grad.clone() if p.grad is not None else None for p in model.parameters())]
        optimizer.step()
    return seen


def like_eager(model, *inputs, loss_of=lambda y: y.square().mean(), **options):
    """Trains the model and a copy of it in eager torch; inputs that require gradients get them."""
    plain, before = copy.deepcopy(model), copy.deepcopy(model.state_dict())
    own = [x.detach().clone().requires_grad_(x.requires_grad) for x in inputs]
    torch.manual_seed(5)
    want = trained(plain, plain, inputs, loss_of)
    torch.manual_seed(5)
    got = trained(model, torch.compile(model, backend=tt, **options), own, loss_of)
    for g, w in zip(got, want, strict=True):
        assert (g is None) == (w is None)
        close(g, w)
    for x, y in zip(own, inputs):
        assert (x.grad is None) == (y.grad is None)
        close(x.grad, y.grad)
    for name, value in model.state_dict().items():
        close(value, plain.state_dict()[name])
    trainable = {name for name, p in model.named_parameters() if p.requires_grad}
    assert all(torch.equal(before[n], v) != (n in trainable) for n, v in model.named_parameters())


def perceptron():
    return nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 3))


def trained_on_tt(programs, caplog, *arguments, **options):
    """Like eager, with programs for the gradients and nothing left to torch."""
    with caplog.at_level(logging.WARNING, "tilewright"):
        like_eager(*arguments, **options)
    assert not caplog.records, caplog.text
    return len(programs)


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}, {"dynamic": True}], ids=str)
def test_perceptron(programs, caplog, options):
    """A program of inference first; one forward and one backward once gradients are asked for."""
    assert trained_on_tt(programs, caplog, perceptron(), torch.randn(4, 6, requires_grad=True), **options) == 3


def test_convolution_and_batch_norm(programs, caplog):
    model = nn.Sequential(nn.Conv2d(2, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2))
    x = torch.randn(3, 2, 6, 6)
    assert trained_on_tt(programs, caplog, model, x) == 2, "statistics are written: trained from the start"
    model.eval()
    assert trained_on_tt(programs, caplog, model, x) == 5


CONVOLUTIONS = {
    "strides": lambda: nn.Conv2d(4, 6, 3, stride=2, padding=1),
    "a remainder": lambda: nn.Conv2d(4, 6, (2, 3), stride=(3, 2)),
    "dilation": lambda: nn.Conv2d(4, 6, 3, dilation=2, padding=2),
    "groups": lambda: nn.Conv2d(4, 6, 3, groups=2),
    "depthwise": lambda: nn.Conv2d(4, 8, 3, groups=4, padding=1, stride=2, bias=False),
    "transposed": lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1),
    "transposed groups": lambda: nn.ConvTranspose2d(4, 6, 3, groups=2),
    "1d": lambda: nn.Sequential(nn.Flatten(2), nn.Conv1d(4, 6, 5, stride=3, padding=2)),
}


@pytest.mark.parametrize("kind", CONVOLUTIONS)
def test_gradients_of_convolutions(programs, caplog, kind):
    assert trained_on_tt(programs, caplog, CONVOLUTIONS[kind](), torch.randn(2, 4, 9, 8, requires_grad=True)) == 3


LAYERS = {
    "max pool": nn.MaxPool2d(2),
    "overlapping max pool": nn.MaxPool2d(3, stride=2, padding=1),
    "average pool": nn.AvgPool2d(2, ceil_mode=True),
    "padded average pool": nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False),
    "divided average pool": nn.AvgPool2d(2, divisor_override=3),
    "adaptive average pool": nn.AdaptiveAvgPool2d((3, 2)),
    "adaptive max pool": nn.AdaptiveMaxPool2d((3, 2)),
    "nearest": nn.Upsample(scale_factor=2),
    "bilinear": nn.Upsample(size=(11, 13), mode="bilinear"),
    "reflection": nn.ReflectionPad2d(2),
    "group norm": nn.GroupNorm(2, 4),
    "instance norm": nn.InstanceNorm2d(4),
    "channel dropout": nn.Dropout2d(0.5),
    "alpha dropout": nn.AlphaDropout(0.3),
    "softmax": nn.Softmax(1),
    "silu": nn.SiLU(),
    "softplus": nn.Softplus(),
}


@pytest.mark.parametrize("kind", LAYERS)
def test_gradients_of_layers(programs, caplog, kind):
    class Between(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.layer = nn.Parameter(torch.randn(4, 1, 1)), LAYERS[kind]

        def forward(self, x):
            return self.layer(x * self.scale)

    trained_on_tt(programs, caplog, Between(), torch.randn(2, 4, 7, 6, requires_grad=True))


@pytest.mark.parametrize("masked", ["no", "causal", "floats", "booleans"])
def test_gradients_of_attention(programs, caplog, masked):
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(8, 24)

        def forward(self, x, mask):
            q, k, v = self.linear(x).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)
            mask = {"floats": mask, "booleans": mask > 0}.get(masked)
            return F.scaled_dot_product_attention(q, k, v, mask, is_causal=masked == "causal")

    trained_on_tt(programs, caplog, Attention(), torch.randn(2, 5, 8, requires_grad=True), torch.randn(5, 5).fill_diagonal_(1))


def test_saved_tensors_are_reported(programs, caplog):
    """Of exp(x @ w): x, and the result, which is its own slope."""
    weight, x = torch.randn(4, 8, requires_grad=True), torch.randn(3, 4)
    with caplog.at_level(logging.INFO, "tilewright"):
        torch.compile(lambda x: torch.exp(x @ weight), backend=tt)(x).sum().backward()
    (line,) = [r.getMessage() for r in caplog.records if "saved tensors" in r.getMessage()]
    assert line == f"the gradients need 2 saved tensors of {4 * (3 * 4 + 3 * 8)} bytes, parameters and inputs included"


def test_dropout(programs, caplog):
    """A seed gives the masks of eager torch; the draws are arguments of one program."""
    model = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.5), nn.Linear(16, 3))
    assert trained_on_tt(programs, caplog, model, torch.randn(4, 6)) == 2


def test_random_numbers_are_those_of_eager(programs, caplog):
    class Noisy(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(4, 3))

        def forward(self, x):
            y = x.t() * self.weight + torch.rand(4, 3)
            y = F.dropout(y.t(), 0.3) * torch.randn_like(x).t().t()
            return y + torch.randint(0, 9, (3, 1)) + F.gumbel_softmax(y) * torch.empty(3, 4).uniform_(1, 2)

    trained_on_tt(programs, caplog, Noisy(), torch.randn(3, 4))


def test_operators_that_could_draw_random_numbers(programs):
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.dropout = nn.Linear(4, 4), nn.Dropout(0.5).eval()

        def forward(self, x):
            q = self.linear(x)
            return self.dropout(F.rrelu(F.scaled_dot_product_attention(q, q, x, dropout_p=0.0)))

    like_eager(Attention(), torch.randn(2, 3, 5, 4))
    assert programs


def test_embedding(programs):
    like_eager(nn.Sequential(nn.Embedding(10, 4), nn.Flatten(), nn.Linear(12, 2)), torch.tensor([[1, 2, 1], [9, 0, 3]]))
    assert programs


def test_torch_between_programs(programs):
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 2)

        def forward(self, x):
            return self.last(torch.special.i0e(self.first(x)))

    like_eager(Odd(), torch.randn(3, 4))
    assert len(programs) >= 2


def test_frozen_parameters(programs):
    model = perceptron()
    model[0].requires_grad_(False)
    like_eager(model, torch.randn(4, 6))
    model[0].requires_grad_(True)
    like_eager(model, torch.randn(4, 6))


class Several(nn.Module):
    """Results with and without gradients, views and views of arguments among them."""

    def __init__(self):
        super().__init__()
        self.weight, self.frozen = nn.Parameter(torch.randn(4, 4)), nn.Parameter(torch.randn(4, 4), requires_grad=False)

    def forward(self, x):
        y = x @ self.weight
        return y, y.argmax(1), y.detach() * 2, x @ self.frozen, y[1:], self.weight.t(), self.weight.detach(), y > 0


def test_several_results(programs):
    model, plain, x = Several(), Several(), torch.randn(3, 4)
    plain.load_state_dict(model.state_dict())
    got, want = torch.compile(model, backend=tt)(x), plain(x)
    for g, w in zip(got, want):
        close(g.detach(), w.detach())
        assert g.requires_grad == w.requires_grad
    for results in (got, want):
        (results[0].sum() + 3 * results[4].square().sum() + results[5].exp().sum()).backward()
    close(model.weight.grad, plain.weight.grad)
    assert got[6].data_ptr() == model.weight.data_ptr() and programs


def test_inference_is_as_before(programs, caplog):
    model, x = perceptron(), torch.randn(4, 6)
    compiled = torch.compile(model, backend=tt)
    with caplog.at_level(logging.WARNING, "tilewright"):
        for context in (torch.no_grad, torch.inference_mode):
            with context():
                got = compiled(x)
            assert not got.requires_grad
            close(got, model(x).detach())
        recorded = compiled(x)
    close(recorded, model(x))
    assert recorded.requires_grad and not caplog.records


def test_gradients_of_gradients(programs):
    def penalty(function, x):
        y = function(x)
        (slope,) = torch.autograd.grad(y.square().sum(), x, create_graph=True)
        return torch.autograd.grad(slope.square().sum(), [x, weight])

    weight = torch.randn(3, 3, requires_grad=True)

    def model(x):
        return torch.tanh(x @ weight)

    x = torch.randn(2, 3, requires_grad=True)
    for g, w in zip(penalty(torch.compile(model, backend=tt), x), penalty(model, x)):
        close(g, w)
    assert programs


def test_a_result_is_differentiated_twice(programs):
    model, x = nn.Linear(3, 3), torch.randn(2, 3, requires_grad=True)
    y = torch.compile(model, backend=tt)(x)
    y[0].sum().backward(retain_graph=True)
    first = x.grad.clone()
    y[0].sum().backward()
    close(x.grad, 2 * first)
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def test_operators_without_gradients(programs):
    """Their results carry none, as in eager torch; parts of a model around them do."""
    weight, x = torch.randn(4, requires_grad=True), torch.randn(3, 4)
    for model in (lambda x: (x * weight).argmax(-1), lambda x: (x * weight) > 0, lambda x: (x * weight).round().int()):
        y = torch.compile(model, backend=tt)(x)
        assert not y.requires_grad and torch.equal(y, model(x))
        with pytest.raises(RuntimeError, match="does not require grad"):
            y.sum().backward()

    def around(x):
        y = x * weight
        return y * (y > 0).float() + y.detach()

    torch.compile(around, backend=tt)(x).sum().backward()
    got, weight.grad = weight.grad, None
    around(x).sum().backward()
    close(got, weight.grad)
    assert programs


def test_gradients_do_not_read_results_that_were_changed(programs):
    """Eager torch raises here; the program of the gradients has a copy of its own."""
    x = torch.randn(3, requires_grad=True)
    y = torch.compile(lambda x: x.exp(), backend=tt)(x)
    with torch.no_grad():
        y.mul_(2)
    y.sum().backward()
    close(x.grad, x.detach().exp())


def test_inputs_changed_before_the_gradients_are_an_error(programs):
    weight, x = torch.randn(3, requires_grad=True), torch.randn(3)
    y = torch.compile(lambda x: x * weight, backend=tt)(x)
    x.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_autocast_is_that_of_the_call(programs):
    layer, x = nn.Linear(8, 8), torch.randn(4, 8)
    plain = copy.deepcopy(layer)
    for model, call in ((layer, torch.compile(layer, backend=tt)), (plain, plain)):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = call(x)
        assert y.dtype == torch.bfloat16
        y.float().square().sum().backward()
    torch.testing.assert_close(layer.weight.grad, plain.weight.grad, atol=5e-2, rtol=2e-2)


def test_training_under_autocast(programs):
    """The losses of eager torch under autocast, with the weights in f32."""
    model, x = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), torch.randn(5, 8)
    curves = []
    for call in (model, copy.deepcopy(model)):
        optimizer = torch.optim.SGD(call.parameters(), lr=0.05)
        compiled, losses = call if curves else torch.compile(call, backend=tt), []
        for _ in range(8):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                loss = compiled(x).float().square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        curves.append(losses)
    assert all(p.dtype == p.grad.dtype == torch.float32 for p in model.parameters())
    torch.testing.assert_close(*curves, atol=1e-3, rtol=1e-2)


def test_exported_programs_train(programs):
    model, x = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)), torch.randn(5, 8)
    program = torch.export.export(copy.deepcopy(model), (x,)).module()
    want = trained(model, model, (x,), lambda y: y.square().mean())
    got = trained(program, torch.compile(program, backend=tt), (x,), lambda y: y.square().mean())
    for g, w in zip(got, want, strict=True):
        close(g, w)
    assert programs


def test_gradients_recorded_inside_the_model_only(programs):
    """no_grad in one half of the model."""
    first, last = nn.Linear(3, 3), nn.Linear(3, 2)

    def model(x):
        with torch.no_grad():
            y = first(x)
        return last(y)

    x = torch.randn(4, 3)
    F.mse_loss(torch.compile(model, backend=tt)(x), torch.ones(4, 2)).backward()
    got = last.weight.grad.clone()
    last.weight.grad = None
    F.mse_loss(model(x), torch.ones(4, 2)).backward()
    close(got, last.weight.grad)
    assert first.weight.grad is None and programs


def test_caches_written_without_gradients_stay_on_the_device(programs):
    class Cache(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 4)
            self.register_buffer("kept", torch.zeros(3, 4))

        def forward(self, x, at):
            self.kept[at] = self.linear(x)
            return self.kept.sum(0)

    model, x, at = Cache(), torch.randn(1, 4), torch.tensor([1])
    with torch.no_grad():
        got = torch.compile(model, backend=tt)(x, at)
        close(got, model.linear(x)[0])
    assert programs


DEVICE = """
import conftest, copy, torch
from tilewright.torch_backend import device
where = device.open_device()
model, x = torch.nn.Linear(3, 2), torch.randn(4, 3)
plain = copy.deepcopy(model)
plain.to(where)(x.to(where)).square().sum().backward()
model.to(where)
torch.compile(model, backend="tt")(x.to(where)).square().sum().backward()
torch.testing.assert_close(model.weight.grad.cpu(), plain.weight.grad.cpu(), atol=1e-5, rtol=1e-5)
layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2))
copies = copy.deepcopy(layers).to(where)
layers.to(where)
compiled = torch.compile(layers, backend="tt")
for model, call in ((copies, copies), (layers, compiled)):
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        call(x.to(where)).square().sum().backward()
        optimizer.step()
for (name, value), plain in zip(layers.state_dict().items(), copies.state_dict().values()):
    torch.testing.assert_close(value.cpu(), plain.cpu(), atol=1e-5, rtol=1e-5)
"""


def test_training_on_the_device():
    """In a process of its own: torch's autograd counts devices when it is first used."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run([sys.executable, "-c", DEVICE], env=env, timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "PyTorch" not in done.stderr
