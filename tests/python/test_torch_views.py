"""Slices and permutations that element-wise operations read in place: the same bytes as with copies."""

import pytest
import torch

import tilewright  # noqa: F401

WIDTH = 256  # rows of fewer than 128 elements are copied


def check(function, *shapes, dtype=torch.float32, threads=1, exact=True):
    generator = torch.Generator().manual_seed(7)
    inputs = [torch.randn(s, generator=generator).to(dtype) for s in shapes]
    torch._dynamo.reset()
    want = function(*(x.clone() for x in inputs))
    compiled = torch.compile(function, backend="tt", options={"threads": threads})
    for _ in range(2):
        got = compiled(*(x.clone() for x in inputs))
        if exact:
            torch.testing.assert_close(got, want, rtol=0, atol=0)
        else:  # an exponential in f32, and its rounding in bf16
            torch.testing.assert_close(got, want, rtol=2e-6 if dtype == torch.float32 else 8e-3, atol=1e-6)


CASES = {
    "columns": (lambda x: x[:, WIDTH:2 * WIDTH] + x[:, :WIDTH], (5, 3 * WIDTH)),
    "rows": (lambda x: x[1:4] * x[2:5], (6, WIDTH)),
    "every second row": (lambda x: x[1::2] - x[::2], (6, WIDTH)),
    "every second column": (lambda x: x[:, ::2] - x[:, 1::2], (6, WIDTH)),
    "short rows": (lambda x: x[:, :5] + x[:, 5:10], (3, 10)),
    "a slice of a slice": (lambda x: (x[:, 1:, :WIDTH] + 1) * x[:, 1:][:, :, WIDTH:], (3, 4, 2 * WIDTH)),
    "a reshaped slice": (lambda x: x[1:3].reshape(2 * 4, WIDTH) - x[0:2].reshape(8, WIDTH), (3, 4, WIDTH)),
    "swapped axes": (lambda x: x.transpose(1, 2) + 1, (2, 3, 5, WIDTH)),
    "swapped axes of a slice": (lambda x: x[:, 1:3].transpose(1, 2) * 2, (2, 4, 5, WIDTH)),
    "a transposed square": (lambda x: (x + 1) + (x + 1).t(), (WIDTH, WIDTH)),
    "a turned cube": (lambda x: (x * 2) - (x * 2).permute(1, 0, 2), (3, 3, WIDTH)),
    "broadcast row": (lambda x, y: x + y[:, WIDTH:], (4, WIDTH), (1, 2 * WIDTH)),
    "broadcast part": (lambda x, y: x[:, :, WIDTH:] * y[:, 1:2], (2, 4, 2 * WIDTH), (2, 3, WIDTH)),
    "ones between": (lambda x, y: (x[:, None] + y.reshape(3, 1, WIDTH)).reshape(3, WIDTH) * y, (3, WIDTH), (3, WIDTH)),
    "a read result": (lambda x: (x + 1)[:, :WIDTH] + (x + 1)[:, WIDTH:], (3, 2 * WIDTH)),
    "a reduced part": (lambda x: (x[:, WIDTH:] + x[:, :WIDTH]).amax(1), (3, 2 * WIDTH)),
    "a reduced reshape": (lambda x: (x[:, WIDTH:].reshape(3, 1, WIDTH) * 2).amax(2), (3, 2 * WIDTH)),
    "returned, too": (lambda x: (x[:, :WIDTH], x[:, :WIDTH] + 1), (3, 2 * WIDTH)),
    "empty": (lambda x: x[:, :0] + 1, (3, WIDTH)),
    "one element": (lambda x: x[1:2, 3:4] + x, (3, WIDTH)),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.int32], ids=str)
@pytest.mark.parametrize("name", list(CASES))
def test_equals_eager(name, dtype, threads):
    function, *shapes = CASES[name]
    check(function, *shapes, dtype=dtype, threads=threads)


def test_written_in_between():
    def function(x):
        part = x[:, :WIDTH].clone()
        x[:, :WIDTH] = 3
        return part + 1, x + 0

    check(function, (3, 2 * WIDTH))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("rows", [1, 8])
def test_gates(rows, dtype):
    """Four parts of two tensors, as in an LSTM's cell."""
    def function(x, h, c):
        i, f, g, o = (a.float() + b.float() for a, b in zip(x.chunk(4, 1), h.chunk(4, 1)))
        c = f.sigmoid() * c.float() + i.sigmoid() * g.tanh()
        return (o.sigmoid() * c.tanh()).to(x.dtype), c

    check(function, (rows, 4 * WIDTH), (rows, 4 * WIDTH), (rows, WIDTH), dtype=dtype, exact=False)


def test_a_constant_part():
    table = torch.nn.Parameter(torch.randn(4, 2 * WIDTH), requires_grad=False)
    equal = torch.full((4, 2 * WIDTH), 0.5)
    check(lambda x: x + table[:, WIDTH:] + equal[:, WIDTH:], (4, WIDTH))
