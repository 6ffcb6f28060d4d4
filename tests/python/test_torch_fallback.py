"""Operators that the device lacks: all reported at once, or run by torch."""

import logging

import pytest
import torch

from tilewright.torch_backend import tt


def odd(x):
    y = torch.relu(x) + 1
    z = torch.linalg.inv(y @ y.T + torch.eye(4))
    w = torch.special.i0e(z) * 2
    return w.sum() + y.mean()


def test_all_are_named_with_their_lines(programs):
    with pytest.raises(Exception) as caught:
        torch.compile(odd, backend=tt, fullgraph=True)(torch.randn(4, 4))
    text = str(caught.value)
    assert "NotImplementedError: Operation 'aten::linalg_inv' not supported" in text
    assert "Operation 'aten::special_i0e' not supported" in text
    first = odd.__code__.co_firstlineno
    assert f"{__file__}:{first + 2}:" in text and f"{__file__}:{first + 3}:" in text
    assert not programs


def test_torch_runs_them_between_programs(programs, caplog):
    x = torch.randn(4, 4)
    with caplog.at_level(logging.WARNING, "tilewright"):
        got = torch.compile(odd, backend=tt)(x)
    torch.testing.assert_close(got, odd(x), atol=1e-4, rtol=1e-4)
    assert len(programs) >= 2
    assert "aten::special_i0e" in caplog.text


def test_graph_breaks_of_python(programs):
    def model(x):
        y = x * 2
        if float(y.sum()) > 0:
            return y + 1
        return y - 1

    for x in (torch.ones(3), -torch.ones(3)):
        torch.testing.assert_close(torch.compile(model, backend=tt)(x), model(x))


def test_random_numbers_are_torchs(programs):
    def model(x):
        return torch.nn.functional.dropout(x, 0.5, True) + 1

    torch.manual_seed(3)
    got = torch.compile(model, backend=tt)(torch.ones(200))
    assert set(got.tolist()) == {1.0, 3.0}


def test_training_batch_norm_moves_its_statistics(programs):
    model, plain, x = torch.nn.BatchNorm2d(3), torch.nn.BatchNorm2d(3), torch.randn(2, 3, 4, 4)
    got = torch.compile(model, backend=tt, fullgraph=True)(x)
    torch.testing.assert_close(got, plain(x).detach(), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(model.running_var, plain.running_var)
    assert model.num_batches_tracked == 1


def test_many_shapes(programs):
    compiled = torch.compile(lambda x: x * 2 + x.shape[0], backend=tt)
    for n in range(1, 7):
        torch.testing.assert_close(compiled(torch.ones(n, 3)), torch.ones(n, 3) * 2 + n)


@pytest.mark.parametrize("dtype", [torch.complex128])
def test_elements_that_the_device_does_not_have(programs, dtype):
    """torch runs operations on them, the device the rest."""

    def model(x, y):
        return (x * 2).to(torch.float32).abs() + y.exp()

    x, y = torch.tensor([-100, 3]).to(dtype), torch.tensor([0.5, -1.0])
    torch.testing.assert_close(torch.compile(model, backend=tt)(x, y), model(x, y))
    assert len(programs) == 1 and "exponential" in programs[0].text
    with pytest.raises(Exception, match=f"element type {dtype} is not supported"):
        torch._dynamo.reset()
        torch.compile(model, backend=tt, fullgraph=True)(x, y)


@pytest.mark.parametrize("programs", ["own"], indirect=True)
def test_integers_beyond_32_bits_are_torchs(programs, caplog):
    function = torch.compile(lambda x: x + 1, backend=tt)
    assert function(torch.tensor([-(2**31), 2**31 - 2])).tolist() == [1 - 2**31, 2**31 - 1]
    assert not [r for r in caplog.records if r.name.startswith("tilewright")]
    assert function(torch.tensor([1, 2**40])).tolist() == [2, 2**40 + 1]
    assert f"element 1 is {2**40}, which does not fit" in caplog.text
    torch._dynamo.reset()
    with pytest.raises(NotImplementedError, match="which does not fit"):
        torch.compile(lambda x: x + 1, backend=tt, fullgraph=True)(torch.tensor([1, 2**40]))


def sums(x):
    return (x * 3 + 2**40).sum() % 1000 + x.abs().max()


def masked(x):
    y = torch.where(x > 2, x, torch.iinfo(torch.int64).max)
    return y.min() + 1, torch.where(x > 2, x, torch.tensor([1, 2**50, 3])) // 2


@pytest.mark.parametrize("programs", ["own"], indirect=True)
@pytest.mark.parametrize("model", [sums, masked], ids=lambda f: f.__name__)
def test_constants_beyond_32_bits_are_torchs(programs, model, caplog):
    x = torch.tensor([1, 3, 9])
    torch.testing.assert_close(torch.compile(model, backend=tt)(x), model(x))
    assert "does not fit the device's 32 bits" in caplog.text


def test_largest_integers_bound_what_is_compared(programs):
    x = torch.tensor([[4, -7, 2], [2**31 - 1, 0, -(2**31)]])
    got = torch.compile(lambda x: (x.amax(1), x.amin(1), x.cummax(1).values), backend=tt)(x)
    torch.testing.assert_close(got, (x.amax(1), x.amin(1), x.cummax(1).values))


def test_writing_the_result_of_dropout(programs):
    """The trace before dispatch rejects that, the one after it does not."""

    def model(x):
        y = torch.nn.functional.dropout(x + 1, 0.5, training=False)
        y *= x
        return y

    x = torch.randn(3, 4)
    torch.testing.assert_close(torch.compile(model, backend=tt, fullgraph=True)(x), model(x))


def test_graphs_that_cannot_be_traced_are_torchs(programs, caplog, monkeypatch):
    def trace(*_, **__):
        raise ValueError("Cannot view a tensor\nwhile executing")

    for name in ("tracing.aot_export_module", "record.recorded"):
        monkeypatch.setattr(f"tilewright.torch_backend.{name}", trace)
    with caplog.at_level(logging.WARNING, "tilewright"):
        got = torch.compile(torch.neg, backend=tt)(torch.ones(2))
    torch.testing.assert_close(got, -torch.ones(2))
    assert "a graph that torch cannot trace: Cannot view a tensor\n" in caplog.text + "\n" and not programs
    with pytest.raises(Exception, match="a graph that torch cannot trace: Cannot view a tensor"):
        torch.compile(torch.abs, backend=tt, fullgraph=True)(torch.ones(2))


@pytest.mark.parametrize("value", [torch.ones(2, 4, dtype=torch.int64), torch.ones(2, 4).bfloat16()])
def test_operands_of_different_types_are_torchs_error(programs, value):
    layer = torch.nn.Linear(4, 3)
    with pytest.raises(RuntimeError) as plain:
        layer(value)
    with pytest.raises(RuntimeError) as caught:
        torch.compile(layer, backend=tt)(value)
    assert str(caught.value).startswith(str(plain.value))
    torch._dynamo.reset()
    with pytest.raises(Exception, match="'aten::linear' not supported.*\n.*\n.*of different types: torch"):
        torch.compile(layer, backend=tt, fullgraph=True)(value)
