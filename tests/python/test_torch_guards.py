"""Indices outside a tensor and integers divided by zero are torch's errors, with the model's line."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tilewright.torch_backend import tt

pytestmark = pytest.mark.parametrize("programs", ["own"], indirect=True)
TABLE = nn.Embedding(5, 3)
ONES = torch.ones(2)

# The function of x (floats 0 to 5) and i (two indices), valid indices, invalid ones.
CASES = {
    "embedding": (lambda x, i: TABLE(i.view(1, 2)), [4, 0], [0, 5]),
    "embedding, negative": (lambda x, i: TABLE(i), [4, 0], [0, -1]),
    "index": (lambda x, i: x[i], [-6, 5], [6, 0]),
    "two": (lambda x, i: x.view(2, 3)[i.long(), 1], [-2, 1], [2, 0]),
    "index_select": (lambda x, i: x.index_select(0, i), [0, 5], [0, -1]),
    "gather": (lambda x, i: x.view(2, 3).gather(1, i[:, None]), [2, 0], [3, 0]),
    "scatter": (lambda x, i: x.scatter(0, i, ONES), [5, 0], [6, 0]),
    "index_copy": (lambda x, i: x.index_copy(0, i, ONES), [5, 0], [6, 0]),
    "one_hot": (lambda x, i: F.one_hot(i, 4), [3, 0], [4, 0]),
    "quotient": (lambda x, i: 7 // i, [3, -2], [3, 0]),
    "remainder": (lambda x, i: torch.arange(2) % i, [3, -2], [3, 0]),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_integers(programs, name):
    function, good, bad = CASES[name]
    compiled = torch.compile(function, backend=tt, fullgraph=True)
    x, good, bad = torch.arange(6.0), torch.tensor(good), torch.tensor(bad)
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(compiled(x, good), function(x, good))
            with pytest.raises((IndexError, RuntimeError)) as caught:
                compiled(x, bad)
        with pytest.raises(type(caught.value)) as plain:
            function(x, bad)
    first, _, location = str(caught.value).partition("\n")
    assert first == str(plain.value).splitlines()[0]
    assert f"{__file__}:{function.__code__.co_firstlineno}:" in location
    assert len(programs) == 1


def test_a_literal_zero(programs):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        torch.compile(lambda x: x.long() // 0, backend=tt)(torch.ones(2))
    torch.testing.assert_close(torch.compile(lambda x: x // 0, backend=tt)(torch.ones(2)), torch.full((2,), torch.inf))


def test_indices_in_parameters_are_not_checked_again(programs):
    """A module's tensors are constant; only arguments differ from call to call."""
    layer = nn.Module()
    layer.register_buffer("indices", torch.tensor([2, 0]))
    layer.forward = lambda x: x[layer.indices]
    torch.testing.assert_close(torch.compile(layer, backend=tt)(torch.arange(3.0)), torch.tensor([2.0, 0.0]))
