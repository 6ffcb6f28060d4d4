"""TTNN's convolutions and their prepared weights, against torch."""

import numpy as np
import pytest

import native
from one_op import brain, element_of, real, type_of, unbrain

torch = pytest.importorskip("torch")
F = torch.nn.functional
DEVICE = '%d = "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}> : () -> !ttnn.device'


def run(op, inputs, shape, element, attrs, constant=()):
    types = [type_of(a.shape, element_of(a)) for a in inputs]
    names = [f"%a{i}" for i in range(len(inputs))]
    out = type_of(shape, element)
    text = f"""func.func @main({', '.join(f'{n}: {t}' for n, t in zip(names, types))}) -> {out} {{
  {DEVICE}
  %r = "ttnn.{op}"({', '.join(names)}, %d) <{{{attrs}}}> : ({', '.join(types)}, !ttnn.device) -> {out}
  return %r : {out}
}}"""
    p = native.Program(text)
    for i in constant:
        p.set_constant(i, inputs[i])
    result, = p(*[None if i in constant else a for i, a in enumerate(inputs)])
    return unbrain(result) if element == "bf16" else result


def ints(name, *values):
    return f"{name} = array<i32: {', '.join(map(str, values))}>"


def numbers(**values):
    return ", ".join(f"{k} = {v} : i32" for k, v in values.items())


def t(x):
    return torch.from_numpy(np.ascontiguousarray(x))


ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "sigmoid": torch.sigmoid, "soft_plus": F.softplus,
               "leaky_relu, params = [2.500000e-01 : f32]": lambda x: F.leaky_relu(x, 0.25)}
CONV2D = [  # groups, stride, padding as top, bottom, left, right, dilation, bias, constant weights
    (1, (1, 1), (0, 0, 0, 0), (1, 1), True, True), (1, (2, 1), (1, 2, 0, 3), (1, 2), False, False),
    (2, (1, 1), (1, 1), (1, 1), True, False), (4, (2, 2), (2, 0, 1, 1), (2, 1), True, True), (2, (1, 2), (0, 1), (1, 1), False, True)]


def padded(x, padding):
    top, bottom, left, right = padding if len(padding) == 4 else (padding[0], padding[0], padding[1], padding[1])
    return F.pad(x, (left, right, top, bottom))


@pytest.mark.parametrize("element", ["f32", "bf16"])
@pytest.mark.parametrize("groups,stride,padding,dilation,bias,constant", CONV2D)
def test_conv2d(groups, stride, padding, dilation, bias, constant, element):
    x, w, b = real(2, 9, 8, 4), real(8, 4 // groups, 3, 2), real(1, 1, 1, 8)
    if element == "bf16":
        x, w, b = (unbrain(brain(a)) for a in (x, w, b))
    want = F.conv2d(padded(t(x).permute(0, 3, 1, 2), padding), t(w), t(b).flatten() if bias else None, stride, 0, dilation,
                    groups).permute(0, 2, 3, 1).reshape(1, 1, -1, 8).numpy()
    inputs = [x.reshape(1, 1, -1, 4), w] + [b] * bias
    attrs = numbers(in_channels=4, out_channels=8, batch_size=2, input_height=9, input_width=8, groups=groups) + ", " + ", ".join(
        [ints("kernel_size", 3, 2), ints("stride", *stride), ints("padding", *padding), ints("dilation", *dilation)])
    out = run("conv2d", [brain(a) for a in inputs] if element == "bf16" else inputs, want.shape, element, attrs, [1] if constant else [])
    np.testing.assert_allclose(out, want, **(dict(rtol=2**-7, atol=2e-2) if element == "bf16" else dict(rtol=1e-5, atol=1e-5)))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_conv2d_activation(activation):
    x, w = real(1, 6, 5, 3), real(4, 3, 3, 3)
    want = ACTIVATIONS[activation](F.conv2d(t(x).permute(0, 3, 1, 2), t(w))).permute(0, 2, 3, 1).reshape(1, 1, -1, 4).numpy()
    name, _, params = activation.partition(",")
    attrs = numbers(in_channels=3, out_channels=4, batch_size=1, input_height=6, input_width=5, groups=1) + ", " + ", ".join(
        [ints("kernel_size", 3, 3), ints("stride", 1, 1), ints("padding", 0, 0), ints("dilation", 1, 1),
         f"conv2d_config = #ttnn.conv2d_config<activation = <op_type = {name}{',' + params if params else ''}>>"])
    out = run("conv2d", [x.reshape(1, 1, -1, 3), w], want.shape, "f32", attrs)
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("groups,stride,padding,dilation", [(1, 1, (0, 0), 1), (2, 2, (1, 3), 2), (4, 3, (2, 0), 1)])
def test_conv1d(groups, stride, padding, dilation):
    x, w, b = real(2, 11, 4), real(8, 4 // groups, 3), real(1, 1, 1, 8)
    want = F.conv1d(F.pad(t(x).permute(0, 2, 1), padding), t(w), t(b).flatten(), stride, 0, dilation, groups)
    want = want.permute(0, 2, 1).reshape(1, 1, -1, 8).numpy()
    attrs = numbers(in_channels=4, out_channels=8, batch_size=2, input_length=11, kernel_size=3, stride=stride, dilation=dilation,
                    groups=groups) + ", " + ints("padding", *padding)
    out = run("conv1d", [x, w, b], want.shape, "f32", attrs)
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("groups,stride,padding,output_padding,dilation", [
    (1, (1, 1), (0, 0), (0, 0), (1, 1)), (1, (2, 3), (1, 1), (1, 2), (1, 1)), (2, (2, 2), (0, 1), (0, 1), (2, 1))])
def test_conv_transpose2d(groups, stride, padding, output_padding, dilation):
    x, w, b = real(2, 5, 4, 4), real(4, 6 // groups, 3, 2), real(1, 1, 1, 6)
    want = F.conv_transpose2d(t(x).permute(0, 3, 1, 2), t(w), t(b).flatten(), stride, padding, output_padding, groups, dilation)
    want = want.permute(0, 2, 3, 1).reshape(1, 1, -1, 6).numpy()
    attrs = numbers(in_channels=4, out_channels=6, batch_size=2, input_height=5, input_width=4, groups=groups) + ", " + ", ".join(
        [ints("kernel_size", 3, 2), ints("stride", *stride), ints("padding", *padding), ints("output_padding", *output_padding),
         ints("dilation", *dilation)])
    out = run("conv_transpose2d", [x.reshape(1, 1, -1, 4), w, b], want.shape, "f32", attrs)
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", ["zeros", "replicate"])
@pytest.mark.parametrize("stride,padding", [((1, 1, 1), (0, 0, 0)), ((1, 2, 1), (1, 0, 2))])
def test_conv3d(mode, stride, padding):
    x, w, b = real(2, 5, 6, 7, 3), real(4, 3, 2, 3, 2), real(4)
    pads = (padding[2],) * 2 + (padding[1],) * 2 + (padding[0],) * 2
    big = F.pad(t(x).permute(0, 4, 1, 2, 3), pads, mode="constant" if mode == "zeros" else mode)
    want = F.conv3d(big, t(w), t(b), stride).permute(0, 2, 3, 4, 1).numpy()
    attrs = numbers(in_channels=3, out_channels=4, batch_size=2, input_depth=5, input_height=6, input_width=7, groups=1) + ", " + ", ".join(
        [ints("kernel_size", 2, 3, 2), ints("stride", *stride), ints("padding", *padding), f'padding_mode = "{mode}"'])
    out = run("conv3d", [x, w, b.reshape(1, 4)], want.shape, "f32", attrs)
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)
    rows = w.transpose(2, 3, 4, 1, 0).reshape(-1, 4)  # as prepared in one block
    np.testing.assert_array_equal(run("conv3d", [x, rows, b.reshape(1, 4)], want.shape, "f32", attrs), out)


MEMORY = "#ttnn.memory_config<#ttnn.buffer_type<dram>, <interleaved>>"


def test_weights_made_ready():
    w = real(8, 2, 3, 2)
    shared = ", ".join([
        f"input_memory_config = {MEMORY}, input_tensor_layout = #ttnn.layout<tile>, has_bias = false, "
        "input_dtype = #ttcore.supportedDataTypes<f32>", ints("kernel_size", 3, 2), ints("stride", 1, 1), ints("padding", 0, 0), ints("dilation", 1, 1),
        numbers(in_channels=4, out_channels=8, batch_size=2, input_height=9, input_width=8, groups=2)])
    ready = run("prepare_conv2d_weights", [w], (1, 1, 12, 8), "f32", shared + ', weights_format = "OIHW"')
    np.testing.assert_array_equal(ready[0, 0], w.transpose(1, 2, 3, 0).reshape(12, 8))
    x = real(1, 1, 2 * 9 * 8, 4)
    attrs = numbers(in_channels=4, out_channels=8, batch_size=2, input_height=9, input_width=8, groups=2) + ", " + ", ".join(
        [ints("kernel_size", 3, 2), ints("stride", 1, 1), ints("padding", 0, 0), ints("dilation", 1, 1)])
    shape = (1, 1, 2 * 7 * 7, 8)
    np.testing.assert_array_equal(run("conv2d", [x, ready], shape, "f32", attrs), run("conv2d", [x, w], shape, "f32", attrs))


def test_blocks_of_3d_weights():
    w = real(4, 8, 2, 1, 2)
    w[:, 6:] = 0  # added by aligning six channels to eight
    shape = (2 * 4 * 4, 4)
    ready = run("prepare_conv3d_weights", [w], shape, "f32", numbers(groups=1, c_in_block=4, alignment=8))
    want = w.transpose(1, 2, 3, 4, 0).reshape(2, 4, 4, 4).transpose(0, 2, 1, 3).reshape(shape)
    np.testing.assert_array_equal(ready, want)
    six = np.ascontiguousarray(w[:, :6])
    np.testing.assert_array_equal(run("prepare_conv3d_weights", [six], shape, "f32", numbers(groups=1, c_in_block=4, alignment=8)), want)
    x = real(1, 3, 3, 3, 8)
    attrs = numbers(in_channels=8, out_channels=4, batch_size=1, input_depth=3, input_height=3, input_width=3, groups=1) + ", " + ", ".join(
        [ints("kernel_size", 2, 1, 2), ints("stride", 1, 1, 1), ints("padding", 0, 0, 0)])
    blocks = attrs + ", conv3d_config = #ttnn.conv3d_config<c_in_block = 4>"
    np.testing.assert_array_equal(run("conv3d", [x, ready], (1, 2, 3, 2, 4), "f32", blocks),
                                  run("conv3d", [x, w], (1, 2, 3, 2, 4), "f32", attrs))
