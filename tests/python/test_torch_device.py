"""The embedded device as a torch device, and torch_xla's names for it."""

import copy
import os
import subprocess
import sys

import pytest
import torch
from models import DecoderStep
from torch import nn

from tilewright.torch_backend import device, tt

xla = device.open_device()


def test_prints_as_the_document_shows():
    x = torch.tensor([1.5, -2.0], device=xla)
    assert str(xla) == "xla:0"
    assert repr(x) == "tensor([ 1.5000, -2.0000], device='xla:0')"


@pytest.mark.parametrize("where", [xla, "xla", "xla:0"])
def test_factories_and_moves(where):
    x = torch.ones(2, 3, device=where)
    assert device.is_device(x) and x.device == xla
    assert device.is_device(torch.zeros(2).to(where))
    back = x.cpu()
    assert not device.is_device(back) and back.device.type == "cpu"
    assert torch.randn(4, device=where).shape == (4,)
    assert torch.arange(3, device=where).tolist() == [0, 1, 2]


def test_eager_operations_run_on_the_host():
    x = torch.arange(6.0, device=xla).view(2, 3)
    y = x.clone()
    y[1] = 7
    y += 1
    assert y.tolist() == [[1, 2, 3], [8, 8, 8]]
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (x @ y.t()).sum().item() == pytest.approx(float((x.cpu() @ y.cpu().t()).sum()))
    view = x[0]
    view.mul_(2)
    assert x[0].tolist() == [0, 2, 4]


def test_devices_do_not_mix():
    with pytest.raises(RuntimeError, match="same device"):
        torch.ones(3, device=xla) + torch.ones(3)
    torch.ones(3, device=xla) * torch.tensor(2.0)  # a number may be on any device


def test_product_of_wrong_shapes():
    layer = nn.Linear(256, 256).to(xla)
    with pytest.raises(RuntimeError, match=r"Shape mismatch in matmul: \[32, 128\] @ \[256, 256\]"):
        layer(torch.randn(32, 128, device=xla))


def test_gradients_still_work_in_eager_mode():
    layer = nn.Linear(3, 2).to(xla)
    layer(torch.ones(4, 3, device=xla)).sum().backward()
    assert layer.weight.grad.shape == (2, 3)


def test_state_dict_crosses():
    model = nn.Linear(3, 2).to(xla)
    other = nn.Linear(3, 2)
    other.load_state_dict(model.state_dict())
    assert torch.equal(other.weight, model.weight.cpu())
    assert device.is_device(copy.deepcopy(model).weight)


def test_compiled_model(programs):
    model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4)).to(xla)
    x = torch.randn(5, 8, device=xla)
    got = torch.compile(model, backend=tt)(x)
    assert device.is_device(got)
    torch.testing.assert_close(got.cpu(), model(x).detach().cpu(), atol=1e-5, rtol=1e-5)


def test_state_is_written_on_the_device(programs):
    model, plain = DecoderStep().eval(), DecoderStep().eval()
    plain.load_state_dict(model.state_dict())
    model.to(xla)
    compiled = torch.compile(model, backend=tt, fullgraph=True)
    x, at = torch.randn(2, 1, 128), torch.tensor([3])
    with torch.no_grad():
        got, want = compiled(x.to(xla), at.to(xla)).cpu(), plain(x, at)
    torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(model.keys.cpu(), plain.keys, atol=1e-5, rtol=1e-5)


def test_torch_xla_gives_way_to_the_real_one(tmp_path):
    """The real package further along the path is used; one whose files were overwritten by ours says how to restore them."""
    real = tmp_path / "real" / "torch_xla"
    real.mkdir(parents=True)
    (real / "__init__.py").write_text("__version__ = 'real'\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(real.parent)])}
    command = [sys.executable, "-c", "import torch_xla; print(torch_xla.__version__)"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout == "real\n", done.stderr
    metadata = tmp_path / "overwritten" / "torch_xla-2.9.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_xla\nVersion: 2.9.0\n")
    environment["PYTHONPATH"] = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(metadata.parent)])
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "--force-reinstall --no-deps torch_xla" in done.stderr, done.stderr


def test_torch_xla_names():
    import importlib.util

    if "torch_xla" not in sys.modules and importlib.util.find_spec("torch_xla") is None:
        pytest.skip("needs the staged packages: run make")
    import torch_xla
    import torch_xla.core.xla_model as xm

    assert str(xm.xla_device()) == "xla:0" == str(torch_xla.device())
    xm.mark_step()
    with pytest.raises(RuntimeError, match="No TT devices found"):
        xm.xla_device(3)
