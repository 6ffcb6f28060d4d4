"""Programs are read once: what the device refuses goes to the host as the module that was read, with the messages of
both; nothing is compiled from a text a second time."""

import ctypes

import numpy as np
import pytest
from native import Error, Program, lib

lib.tw_program_parse_count.restype, lib.tw_program_parse_count.argtypes = ctypes.c_size_t, [ctypes.c_void_p]

# One program for each way to the host, with an argument and its result.
ON_DEVICE = ("func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {\n  %0 = stablehlo.add %a, %a : tensor<3xi32>\n"
             "  return %0 : tensor<3xi32>\n}", [1, -2, 3], np.int32, [2, -4, 6])
BY_ROW = ("func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
          "  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>\n  return %0 : tensor<2x2xf32>\n}",
          [[4, 2], [2, 5]], np.float32, [[2, 0], [1, 2]])
BY_TYPE = ("func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {\n"
           "  %0 = stablehlo.convert %a : (tensor<2xi32>) -> tensor<2xi4>\n"
           "  %1 = stablehlo.convert %0 : (tensor<2xi4>) -> tensor<2xi32>\n  return %1 : tensor<2xi32>\n}", [9, 7], np.int32, [-7, 7])
# How often the loop runs is found by the conversion only; a product of 64 x 64 in it is the device's.
BY_FORM = ("func.func @main(%n: tensor<i32>) -> tensor<64x64xf32> {\n"
           "  %a = stablehlo.iota dim = 0 : tensor<64x64xf32>\n  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
           "  %one = stablehlo.constant dense<1> : tensor<i32>\n  %scale = stablehlo.constant dense<0.015625> : tensor<64x64xf32>\n"
           "  %r:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<64x64xf32>\n"
           "  cond {\n    %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
           "    stablehlo.return %c : tensor<i1>\n  } do {\n"
           "    %p = stablehlo.dot_general %x, %scale, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
           "    %j = stablehlo.subtract %i, %one : tensor<i32>\n    stablehlo.return %j, %p : tensor<i32>, tensor<64x64xf32>\n  }\n"
           "  return %r#1 : tensor<64x64xf32>\n}", 3, np.int32, np.repeat(np.arange(64.0), 64).reshape(64, 64))


@pytest.mark.parametrize("text, given, dtype, expected", [ON_DEVICE, BY_ROW, BY_TYPE, BY_FORM], ids=["device", "row", "type", "form"])
def test_read_once(text, given, dtype, expected):
    program = Program(text, host=True)
    assert lib.tw_program_parse_count(program.handle) == 1
    result, = program(np.array(given, dtype))
    assert np.array_equal(result, np.array(expected, result.dtype))
    assert lib.tw_program_parse_count(program.handle) == 1


def test_wide_argument():
    """An argument beyond 32 bits, found when the program runs: the host computes what was kept of the module."""
    program = Program("func.func @main(%a: tensor<2xi64>) -> tensor<2xi64> {\n  %0 = stablehlo.add %a, %a : tensor<2xi64>\n"
                      "  return %0 : tensor<2xi64>\n}", host=True)
    for value in (5, 2**40, -(2**50), 7):
        result, = program(np.array([value, 1]))
        assert result.tolist() == [2 * value, 2]
    assert lib.tw_program_parse_count(program.handle) == 1


def test_refused_by_both():
    """The device refuses by a row, the host for want of one; without the host the message is the conversion's."""
    text = ("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %0 = \"stablehlo.cross-replica-sum\"(%a) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>\n"
            "  return %0 : tensor<2xf32>\n}")
    device = "m.mlir:2:8: error: failed to legalize operation 'stablehlo.cross-replica-sum' that was explicitly marked illegal"
    with pytest.raises(Error) as alone:
        Program(text, name="m.mlir")
    assert str(alone.value).startswith(device)
    with pytest.raises(Error) as both:
        Program(text, name="m.mlir", host=True)
    first, _, second = str(both.value).partition("\n")
    assert first.startswith("m.mlir:2:8: 'stablehlo.cross-replica-sum': neither the device nor the host has a rule for it")
    assert second.startswith(f"m.mlir: on the device: {device}")
