"""Operations that ttnn-decomposition takes apart, compiled from TTIR, against torch."""

import numpy as np
import pytest

import native
from one_op import element_of, real, segments, type_of

torch = pytest.importorskip("torch")
F = torch.nn.functional


def t(x):
    return torch.from_numpy(np.ascontiguousarray(x))


def run(op, inputs, shape, attrs):
    types = [type_of(a.shape, element_of(a)) for a in inputs]
    result = type_of(shape, "f32")
    names = [f"%a{i}" for i in range(len(inputs))]
    program = native.Program(f"""func.func @main({', '.join(f'{n}: {t}' for n, t in zip(names, types))}) -> {result} {{
  %r = "ttir.{op}"({', '.join(names)}) <{{{attrs}}}> : ({', '.join(types)}) -> {result}
  return %r : {result}
}}""")
    return program(*inputs)[0]


@pytest.mark.parametrize("shape", [(1, 1, 32, 64), (1, 32, 64), (32, 64), (1, 1, 5, 48), (2, 3, 4, 40), (7, 32), (3, 5, 64)])
@pytest.mark.parametrize("given", [(1, 1), (1, 0), (0, 1), (0, 0)])
def test_distributed_rms_norm_on_one_chip(shape, given):
    x, w, r = real(*shape), real(shape[-1]), real(*shape)
    kept = [a for a, g in zip((w, r), given) if g]
    out = run("distributed_rms_norm", [x, *kept], shape, "cluster_axis = 1 : ui32, epsilon = 1.0e-5 : f32, " + segments(1, *given))
    want = F.rms_norm(t(x + r if given[1] else x), shape[-1:], t(w) if given[0] else None, 1e-5)
    np.testing.assert_allclose(out, want.numpy(), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("channels,groups,bias", [((4160, 4160), 4160, 0), ((8192, 8192), 64, 1), ((4100, 8200), 4100, 1)])
def test_grouped_convolution_over_many_channels(channels, groups, bias):
    c, o = channels
    x, w, b = real(1, 3, 4, c), real(o, c // groups, 2, 2), real(1, 1, 1, o)
    out = run("conv2d", [x, w, b][:2 + bias], (1, 4, 5, o), f"dilation = array<i32: 1, 1>, groups = {groups} : i32, padding = array<i32: 1, 1, 1, 1>, "
              "stride = array<i32: 1, 1>")
    want = F.conv2d(t(x).permute(0, 3, 1, 2), t(w), t(b).flatten() if bias else None, padding=1, groups=groups).permute(0, 2, 3, 1)
    np.testing.assert_allclose(out, want.numpy(), rtol=2e-4, atol=2e-4)


def test_gelu_by_tanh():
    """The marked operation on the device, and the reference that checks it."""
    from golden.evaluate import Evaluator
    from golden.mapping import GoldenMapTensor
    from ttmlir.ir import Context, Module

    x = np.linspace(-6, 6, 4001, dtype=np.float32)
    text = """func.func @main(%x: tensor<4001xf32>) -> tensor<4001xf32> {
  %0 = "ttir.gelu"(%x) {approximate = "tanh"} : (tensor<4001xf32>) -> tensor<4001xf32>
  return %0 : tensor<4001xf32>
}"""
    want = F.gelu(t(x), approximate="tanh").numpy()
    assert abs(F.gelu(t(x)).numpy() - want).max() > 1e-4  # the two forms can be told apart
    np.testing.assert_allclose(native.Program(text)(x)[0], want, rtol=1e-5, atol=1e-6)
    with Context():
        main, = Module.parse(text).body.operations
        out, = Evaluator().function(main.operation, [GoldenMapTensor({0: t(x)}, (1, 1))])
    np.testing.assert_array_equal(out.shard_at(0).numpy(), want)
