"""100 steps of training on the device: losses within 1e-4 of eager torch's, gradients that correlate with its."""

import copy
import logging
import re
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tilewright.torch_backend import tt

STEPS = 100


class Block(nn.Module):
    """A residual block."""

    def __init__(self, channels):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return F.relu(self.layers(x) + x)


class GPT(nn.Module):
    """A layer of GPT-2 between its embeddings and its head, whose weights are shared."""

    def __init__(self, words=17, length=8, width=16, heads=2, dropout=0.1):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.words, self.positions = nn.Embedding(words, width), nn.Embedding(length, width)
        self.before, self.middle, self.last = (nn.LayerNorm(width) for _ in range(3))
        self.attention, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width), nn.Dropout(dropout))

    def forward(self, tokens):
        x = F.dropout(self.words(tokens) + self.positions(torch.arange(tokens.shape[1])), self.dropout)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.attention(self.before(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(-2)
        x = x + F.dropout(self.project(y), self.dropout)
        x = x + self.feed(self.middle(x))
        return self.last(x) @ self.words.weight.t()


def of_class(y, target):
    return F.cross_entropy(y.flatten(0, -2), target.flatten())


MODELS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 4)), torch.optim.SGD,
            lambda: (torch.randn(16, 8), torch.randint(0, 4, (16,)))),
    "resnet": (lambda: nn.Sequential(nn.Conv2d(3, 4, 3, stride=2, padding=1), Block(4), nn.MaxPool2d(3, 2, 1), nn.AdaptiveAvgPool2d(1),
                                     nn.Flatten(), nn.Linear(4, 3)), torch.optim.SGD,
               lambda: (torch.randn(6, 3, 16, 16), torch.randint(0, 3, (6,)))),
    "bert": (lambda: nn.Sequential(nn.TransformerEncoderLayer(16, 2, 32, 0.1, "gelu", batch_first=True), nn.Linear(16, 5)), torch.optim.AdamW,
             lambda: (torch.randn(3, 6, 16), torch.randint(0, 5, (3, 6)))),
    "gpt2": (GPT, torch.optim.AdamW, lambda: (torch.randint(0, 17, (4, 8)), torch.randint(0, 17, (4, 8)))),
}


def curve(model, call, optimizer, x, y):
    """The losses of all steps, and the gradients of the last."""
    torch.manual_seed(3)
    optimizer, losses = optimizer(model.parameters(), lr=1e-2), []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = of_class(call(x), y)
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
    return torch.tensor(losses), torch.cat([p.grad.flatten() for p in model.parameters()])


@pytest.mark.parametrize("name", MODELS)
def test_curve(name, caplog):
    torch._dynamo.reset()
    make, optimizer, data = MODELS[name]
    model, (x, y) = make(), data()
    plain = copy.deepcopy(model)
    with caplog.at_level(logging.WARNING, "tilewright"):
        losses, gradients = curve(model, torch.compile(model, backend=tt, fullgraph=True), optimizer, x, y)
    wanted, slopes = curve(plain, plain, optimizer, x, y)
    assert not caplog.records, caplog.text
    assert (losses - wanted).abs().max() < 1e-4
    assert wanted[-1] < 0.9 * wanted[0]
    assert torch.corrcoef(torch.stack([gradients, slopes]))[0, 1] > 0.9999


def test_page():
    """The code of docs/pytorch.md, one block after the other."""
    torch._dynamo.reset()
    page = (Path(__file__).parents[2] / "docs" / "pytorch.md").read_text()
    space = {}
    exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.S)), space)
    assert space["y"].shape == (32, 10)
