"""Compiled functions saved to a file and loaded by another process, which computes the same values and gradients."""

import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("torch._dynamo.aot_compile_types", reason="this torch saves no compiled functions")

PARTS = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.norm = torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8)

    def forward(self, x):
        return self.norm(torch.relu(self.linear(x)))

def distance(x, y):
    return torch.sqrt(((x - y) ** 2).sum())

def compiled(function, *arguments):
    return torch.compile(function, backend="tt", fullgraph=True, options={"threads": 1}).aot_compile((arguments, {}))
"""
SAVE = """
from parts import *
torch.manual_seed(0)
net, x = Net().eval(), torch.randn(3, 4)
whole, plain = compiled(net.forward, x), compiled(distance, x, x + 1)
whole.save_compiled_function("net"), plain.save_compiled_function("distance")
want = whole(net, x)
torch.testing.assert_close(want, net(x))
want.sum().backward()
torch.save((net.state_dict(), x, want.detach(), net.linear.weight.grad), "values")
"""
LOAD = """
from parts import *
net = Net().eval()
state, x, want, slope = torch.load("values")
net.load_state_dict(state)
with open("net", "rb") as file:
    whole = torch.compiler.load_compiled_function(file)
with open("distance", "rb") as file:
    plain = torch.compiler.load_compiled_function(file)
got = whole(net, x)
torch.testing.assert_close(got, want)
got.sum().backward()
torch.testing.assert_close(net.linear.weight.grad, slope)
torch.testing.assert_close(plain(x, x + 2), torch.tensor(48.0).sqrt())
try:
    whole(net, torch.ones(5, 4))
except RuntimeError as error:
    assert "GuardManager check failed" in str(error), error
else:
    raise AssertionError("another shape")
print(type(whole._artifacts.compiled_fn).__module__)
"""


def test_saved_and_loaded(tmp_path):
    (tmp_path / "parts.py").write_text(PARTS)
    for text in (SAVE, LOAD):
        done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])})
        assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "tilewright.torch_backend.saved\n"
