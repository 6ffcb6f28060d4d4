"""Whole models through torch.compile(backend="tt") against eager."""

import copy

import pytest
import torch
from models import BertLayer, DecoderStep, GPT, LeNet, Recurrent, ResNet18
from torch import nn

from tilewright.torch_backend import tt


def pcc(x, y):
    x, y = x.double().flatten(), y.double().flatten()
    return float(torch.corrcoef(torch.stack([x, y]))[0, 1])


def agree(got, want, computed_in):
    """Each element within a fraction of the largest one; bf16 rounds after each operation, on both sides."""
    assert got.dtype == want.dtype and got.shape == want.shape
    share = 2e-5 if computed_in == torch.float32 else 2**-5
    assert (got - want).abs().max() <= share * want.abs().max()
    assert computed_in == torch.float32 or pcc(got, want) >= 0.99


def image(dtype):
    return torch.randn(2, 3, 64, 64, dtype=dtype)


CASES = {
    "resnet18": (lambda: ResNet18(classes=10, width=16), lambda d: (image(d),)),
    "bert": (
        BertLayer,
        lambda d: (torch.randn(2, 12, 128, dtype=d), torch.tensor([[1] * 12, [1] * 7 + [0] * 5])),
    ),
    "decoder": (DecoderStep, lambda d: (torch.randn(2, 1, 128, dtype=d), torch.tensor([5]))),
    "gpt": (GPT, lambda d: (torch.randint(0, 97, (2, 20)),)),
    "lstm": (Recurrent, lambda d: (torch.randn(3, 7, 16, dtype=d),)),
    "lstm2": (
        lambda: Recurrent(num_layers=2, bidirectional=True),
        lambda d: (torch.randn(3, 4, 16, dtype=d),),
    ),
    "gru": (lambda: Recurrent(nn.GRU), lambda d: (torch.randn(3, 5, 16, dtype=d),)),
    "rnn": (lambda: Recurrent(nn.RNN), lambda d: (torch.randn(3, 5, 16, dtype=d),)),
    "lenet": (
        LeNet,
        lambda d: (torch.randint(0, 256, (4, 1, 28, 28), dtype=torch.uint8),),
    ),
    "encoder": (
        lambda: nn.TransformerEncoderLayer(64, 4, 128, batch_first=True),
        lambda d: (torch.randn(2, 9, 64, dtype=d),),
    ),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
@pytest.mark.parametrize("name", CASES)
def test_model(programs, name, dtype):
    torch.manual_seed(0)
    make, inputs = CASES[name]
    model = make().eval().to(dtype)
    arguments = inputs(dtype)
    reference = copy.deepcopy(model)
    # Two calls: state that the first one wrote is read by the second.
    compiled = torch.compile(model, backend=tt, fullgraph=True)
    with torch.no_grad():
        for _ in range(2):
            agree(compiled(*arguments), reference(*arguments), dtype)
            if name == "decoder":
                agree(model.keys, reference.keys, dtype)
                arguments = (arguments[0] * 0.5 + 1, torch.tensor([6]))
    assert len(programs) == 1 and programs[0].runs == 2


def test_composites_stay_whole(programs):
    model = GPT().eval()
    torch.compile(model, backend=tt)(torch.randint(0, 97, (1, 8)))
    text = programs[0].text
    for name in ("layer_norm", "gelu_tanh", "scaled_dot_product_attention"):
        assert f'stablehlo.composite "tenstorrent.{name}"' in text
    # Equal composites share one decomposition.
    assert text.count("func.func private @layer_norm") == 1


@pytest.mark.parametrize("inside", [False, True], ids=["around", "inside"])
@pytest.mark.parametrize("name", ["bert", "gpt", "lenet", "lstm"])
@pytest.mark.parametrize("programs", ["own"], indirect=True)
def test_autocast(programs, name, inside):
    torch.manual_seed(0)
    make, inputs = CASES[name]
    model, arguments = make().eval(), inputs(torch.float32)

    def within(*values):
        with torch.autocast("cpu", torch.bfloat16):
            return model(*values)

    function = torch.compile(within if inside else model, backend=tt, fullgraph=True)
    # oneDNN has no LSTM in bf16 for processors without AVX-512; torch's own formula serves as well
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=not inside), torch.backends.mkldnn.flags(enabled=name != "lstm"):
        got, want = function(*arguments), within(*arguments)
    agree(got, want, torch.bfloat16)
    assert "bf16" in programs[0].text
