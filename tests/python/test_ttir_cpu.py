"""Operations of TTIR on tensors of torch (ttir_cpu), as emitted Python calls them, beside torch in wider types."""

import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
import ttir_cpu  # noqa: E402

X = torch.linspace(-3, 3, 4 * 32).reshape(4, 32)
Y = torch.linspace(2, 5, 4 * 32).reshape(4, 32)
I = torch.arange(-64, 64, dtype=torch.int32).reshape(4, 32)  # noqa: E741
IMAGE, KERNEL = X.reshape(1, 4, 8, 4), torch.sin(torch.arange(6.0 * 4 * 3 * 3)).reshape(6, 4, 3, 3)
CASES = {
    "add": (lambda: ttir_cpu.add(X, Y), lambda: X.double() + Y),
    "multiply of integers wraps": (lambda: ttir_cpu.multiply(I * 1000003, I), lambda: (I.long() * 1000003 * I).to(torch.int32)),
    "eq gives another type": (lambda: ttir_cpu.eq(I, I.flip(1), dtype=torch.float32), lambda: (I == I.flip(1)).float()),
    "where": (lambda: ttir_cpu.where(X, X, Y), lambda: torch.where(X.bool(), X, Y)),
    "sum": (lambda: ttir_cpu.sum(X, dim=[0], keepdim=True), lambda: X.double().sum(0, keepdim=True)),
    "max without dimensions": (lambda: ttir_cpu.max(X, dim=None, keepdim=False), lambda: X.max()),
    "argmax": (lambda: ttir_cpu.argmax(X, keepdim=False, dim=[1], dtype=torch.int32), lambda: X.argmax(1).int()),
    "softmax": (lambda: ttir_cpu.softmax(X, dim=1), lambda: X.double().softmax(1)),
    "softmax with an attribute in TTIR's spelling": (lambda: ttir_cpu.softmax(X, dim=1, numericStable=True), lambda: X.double().softmax(1)),
    "leaky_relu": (lambda: ttir_cpu.leaky_relu(X, negative_slope=0.25), lambda: torch.nn.functional.leaky_relu(X, 0.25)),
    "reshape": (lambda: ttir_cpu.reshape(X, [2, 64]), lambda: X.reshape(2, 64)),
    "permute": (lambda: ttir_cpu.permute(X, [1, 0]), lambda: X.T),
    "transpose": (lambda: ttir_cpu.transpose(X, 0, 1), lambda: X.T),
    "concat": (lambda: ttir_cpu.concat([X, Y], dim=0), lambda: torch.cat([X, Y])),
    "slice_static": (lambda: ttir_cpu.slice_static(X, [1, 2], [3, 30], [1, 2]), lambda: X[1:3, 2:30:2]),
    "pad": (lambda: ttir_cpu.pad(X, [0, 1, 2, 0], 7.0), lambda: torch.nn.functional.pad(X, (2, 0, 0, 1), value=7.0)),
    "broadcast": (lambda: ttir_cpu.broadcast(X[:1], [4, 32]), lambda: X[:1].expand(4, 32)),
    "matmul": (lambda: ttir_cpu.matmul(X, Y.T.contiguous()), lambda: X.double() @ Y.T.double()),
    "linear without a bias": (lambda: ttir_cpu.linear(X, Y, bias=None, transpose_a=False, transpose_b=True), lambda: X.double() @ Y.T.double()),
    "typecast": (lambda: ttir_cpu.typecast(X, dtype=torch.int32), lambda: X.int()),
    "constant": (lambda: ttir_cpu.constant(shape=[2, 2], data=[1, -2, 3, 4], dtype=torch.int32), lambda: torch.tensor([[1, -2], [3, 4]], dtype=torch.int32)),
    "full": (lambda: ttir_cpu.full(shape=[2, 3], fill_value=float("-inf"), dtype=torch.float32), lambda: torch.full((2, 3), float("-inf"))),
    "arange": (lambda: ttir_cpu.arange(0, 8, 2, arange_dimension=1, shape=[2, 4], dtype=torch.int32),
               lambda: torch.arange(0, 8, 2, dtype=torch.int32).expand(2, 4)),
    "layer_norm": (lambda: ttir_cpu.layer_norm(X, Y[0], Y[1], normalized_shape=[32], epsilon=1e-5),
                   lambda: torch.nn.functional.layer_norm(X.double(), [32], Y[0].double(), Y[1].double(), 1e-5)),
    "conv2d": (lambda: ttir_cpu.conv2d(IMAGE, KERNEL, Y[0, :6].reshape(1, 1, 1, 6), stride=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1,
                                       batch_dim=0, height_dim=1, width_dim=2, channel_dim=3),
               lambda: torch.nn.functional.conv2d(IMAGE.double().permute(0, 3, 1, 2), KERNEL.double(), Y[0, :6].double(), padding=1).permute(0, 2, 3, 1)),
    "conv2d without a bias": (lambda: ttir_cpu.conv2d(IMAGE, KERNEL, stride=[2, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1),
                              lambda: torch.nn.functional.conv2d(IMAGE.double().permute(0, 3, 1, 2), KERNEL.double(), stride=(2, 1)).permute(0, 2, 3, 1)),
    "upsample2d": (lambda: ttir_cpu.upsample2d(IMAGE, scale_factor=2, mode="nearest"),
                   lambda: IMAGE.repeat_interleave(2, 1).repeat_interleave(2, 2)),
    "max_pool2d": (lambda: ttir_cpu.max_pool2d(X.reshape(1, 4, 8, 4), kernel=[2, 2], stride=[2, 2], dilation=[1, 1], padding=[0, 0, 0, 0], ceil_mode=False),
                   lambda: torch.nn.functional.max_pool2d(X.reshape(1, 4, 8, 4).permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)),
}


@pytest.mark.parametrize("name", CASES)
def test_function(name):
    call, want = CASES[name]
    found, want = call(), want()
    assert tuple(found.shape) == tuple(want.shape)
    if found.is_floating_point():
        torch.testing.assert_close(found.double(), want.double(), rtol=2e-5, atol=2e-5)
    else:
        assert found.dtype == want.dtype and torch.equal(found, want)


def test_no_such_operation():
    with pytest.raises(AttributeError, match="no operation ttir.subtrakt"):
        ttir_cpu.subtrakt
    with pytest.raises(Exception, match="sideways"):
        ttir_cpu.add(X, Y, sideways=True)


def test_largest_elements_and_where_they_are():
    """Several results, one of 64-bit integers."""
    x = torch.rand(1, 8, 8, 4, generator=torch.Generator().manual_seed(3))
    found, places = ttir_cpu.max_pool2d_with_indices(x, kernel=[2, 2], stride=[2, 2], dilation=[1, 1], padding=[0, 0, 0, 0], ceil_mode=False)
    want, at = torch.nn.functional.max_pool2d(x.permute(0, 3, 1, 2), 2, return_indices=True)
    assert torch.equal(found, want.permute(0, 2, 3, 1)) and places.dtype == torch.int64 and torch.equal(places, at.permute(0, 2, 3, 1))


def test_beside_other_builders(tmp_path):
    """Emitted Python runs in a process whose `builder` and `golden` are other packages (tt-mlir's), and leaves them there."""
    for name in ("builder", "golden"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"NAME = 'the other {name}'")
    code = """
import builder, golden, torch, ttir_cpu
x = torch.rand(4, 4)
assert torch.equal(ttir_cpu.add(x, x), x + x) and torch.equal(ttir_cpu.max_pool2d(x.reshape(1, 2, 2, 4), [2, 2], [2, 2], [1, 1], [0, 0, 0, 0], False).flatten(), x.amax(0))
import builder as b, golden as g
assert (b, g) == (builder, golden) and b.NAME == "the other builder" and g.NAME == "the other golden"
"""
    path = os.pathsep.join([str(tmp_path), os.path.dirname(os.path.dirname(ttir_cpu.__file__)), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
