"""Complex tensors through torch.compile: arithmetic, parts, rotary embedding, Fourier transforms."""

import pytest
import torch
from torch import nn

torch.manual_seed(13)


def pairs(*shape):
    return torch.randn(*shape, dtype=torch.complex64)


def rotary(x, turns):
    z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(z * turns).flatten(3).type_as(x)


WINDOW = torch.hann_window(16)
CASES = {
    "arithmetic": (lambda a, b: (a * b, a / b, a + b, a - 2 * b, 1j * a, -a, a @ b.mT, 2 + a), pairs(3, 4), pairs(3, 4)),
    "parts": (lambda a: (a.conj(), a.abs(), a.angle(), a.real, a.imag, torch.view_as_real(a)), pairs(3, 4)),
    "functions": (lambda a: (torch.exp(a), torch.log(a), torch.sqrt(a), a.reciprocal()), pairs(7)),
    "sums": (lambda a: (a.sum(), a.sum(0), a.mean(1, keepdim=True)), pairs(3, 4)),
    "shapes": (lambda a: (a.T, a.reshape(2, 6)[:, 1:4], torch.cat([a, a]), a.flip(0), a[1]), pairs(3, 4)),
    "conjugated argument": (lambda a: a * 1j, pairs(3, 4).conj()),
    "with reals": (lambda a, x: (a * x, x + a, torch.complex(x, x), torch.polar(x.abs(), x)), pairs(4), torch.randn(4)),
    "rotary": (rotary, torch.randn(2, 5, 3, 8), torch.polar(torch.ones(5, 1, 4), torch.randn(5, 1, 4))),
    "fft": (
        lambda a: (torch.fft.fft(a), torch.fft.ifft(a, norm="ortho"), torch.fft.fft2(a), torch.fft.fft(a, n=8, dim=0)),
        pairs(4, 6),
    ),
    "real fft": (
        lambda a: (torch.fft.rfft(a.real), torch.fft.irfft(a, n=9), torch.fft.rfft2(a.imag), torch.fft.irfft2(a)), pairs(4, 6)
    ),
    "stft": (lambda x: torch.stft(x, 16, 4, window=WINDOW, return_complex=True), torch.randn(2, 64)),
}


@pytest.mark.parametrize("name", CASES)
def test_complex(name):
    function, *inputs = CASES[name]
    torch._dynamo.reset()
    want = function(*inputs)
    got = torch.compile(function, backend="tt", fullgraph=True)(*inputs)
    torch.testing.assert_close(got, want, rtol=2e-5, atol=2e-5)


class Mixer(nn.Module):
    """A complex parameter, and a Fourier transform between layers of reals."""

    def __init__(self):
        super().__init__()
        self.filter = nn.Parameter(pairs(5))
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        return self.out(torch.fft.irfft(torch.fft.rfft(x) * self.filter, n=8))


def test_a_complex_parameter():
    model, x = Mixer().eval(), torch.randn(2, 8)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="tt", fullgraph=True)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), model(x), rtol=2e-5, atol=2e-5)
        model.filter.mul_(2)
        torch.testing.assert_close(compiled(x), model(x), rtol=2e-5, atol=2e-5)


def test_what_takes_no_complex_numbers_is_named():
    torch._dynamo.reset()
    with pytest.raises(Exception, match="'aten::cumsum' not supported\n.*\n.*complex tensors are not supported here"):
        torch.compile(lambda a: torch.cumsum(a, 0), backend="tt", fullgraph=True)(pairs(3))
