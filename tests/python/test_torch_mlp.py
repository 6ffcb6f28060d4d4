"""torch.compile(backend="tt") on the two-layer perceptron of the end-to-end document."""

import numpy as np
import pytest
import torch
from torch import nn

from tilewright.torch_backend import tt


class SimpleMLP(nn.Module):
    def __init__(self, ins=128, hidden=256, outs=10):
        super().__init__()
        self.fc1 = nn.Linear(ins, hidden)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(hidden, outs)

    def forward(self, x):
        x = self.fc1(x)
        x = self.relu(x)
        return self.fc2(x)


def test_result_and_text(programs):
    model, x = SimpleMLP(), torch.randn(32, 128)
    compiled = torch.compile(model, backend=tt)
    np.testing.assert_allclose(compiled(x).detach().numpy(), model(x).detach().numpy(), atol=1e-5)
    text = programs[0].text
    for operation in ("transpose", "dot_general", "broadcast_in_dim", "add", "maximum"):
        assert f"stablehlo.{operation}" in text
    assert text.count("argument_type<parameter>") == 4
    assert text.count("argument_type<input>") == 1
    assert 'loc("' in text and "test_torch_mlp.py" in text


def test_calls_reuse_the_program_and_shapes_make_new_ones(programs):
    model = SimpleMLP()
    compiled = torch.compile(model, backend=tt)
    for _ in range(3):
        compiled(torch.randn(32, 128))
    assert len(programs) == 1 and programs[0].runs == 3
    for n in (5, 7):
        x = torch.randn(n, 128)
        assert torch.allclose(compiled(x), model(x), atol=1e-5)
    assert len(programs) == 3


def test_parameters_go_over_once_and_again_when_they_change(programs):
    model, x = SimpleMLP(), torch.randn(32, 128)
    compiled = torch.compile(model, backend=tt)
    compiled(x)
    handed_over = dict(programs[0].constants)
    compiled(x)
    assert all(programs[0].constants[i] is handed_over[i] for i in handed_over)
    with torch.no_grad():
        model.fc1.weight.mul_(2)
    assert torch.allclose(compiled(x), model(x), atol=1e-5)
    assert len(programs) == 1
    model.fc2.bias.data = torch.ones(10)
    assert torch.allclose(compiled(x), model(x), atol=1e-5)


def test_views_as_inputs(programs):
    model = SimpleMLP()
    compiled = torch.compile(model, backend=tt)
    x = torch.randn(128, 32).t()
    assert torch.allclose(compiled(x), model(x), atol=1e-5)


def test_backend_is_listed():
    import subprocess
    import sys
    from pathlib import Path

    staged = Path(__file__).resolve().parents[2] / "build" / "python"
    if not staged.is_dir():
        pytest.skip("needs the staged packages: run make")
    code = "import torch; assert 'tt' in torch._dynamo.list_backends()"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(staged)})
