"""The meaning of TTIR's and TTNN's operations as it is written for the validator (src/ttir/to_stablehlo): beside the device, which
computes them from other tables, and each row of it in some program here."""

import re
import subprocess
from pathlib import Path

import pytest
from native import BUILD

ROOT = Path(__file__).resolve().parents[2]
UNARY = """abs asinh atan cbrt ceil cos erf erfc exp expm1 floor gelu hardsigmoid isfinite log log1p logical_not neg reciprocal relu relu6 rsqrt
sigmoid sign silu sin sqrt tan tanh acos asin""".split()
POSITIVE = {"log", "log1p", "sqrt", "rsqrt", "reciprocal"}
INSIDE = {"acos", "asin"}
BINARY = "add atan2 div eq ge gt le logical_and logical_or logical_xor lt maximum minimum multiply ne pow subtract".split()
BITS = "bitwise_and bitwise_or bitwise_xor".split()
OTHERS = {
    "arange": '"ttir.arange"() <{start = 3 : si64, end = 11 : si64, step = 2 : si64, arange_dimension = 0 : i64}> : () -> tensor<4xf32>',
    "bitwise_not": '"ttir.bitwise_not"(%i) : (tensor<4x8xi32>) -> tensor<4x8xi32>',
    "broadcast": '"ttir.broadcast"(%row) <{broadcast_dimensions = array<i64: 4, 1>}> : (tensor<1x8xf32>) -> tensor<4x8xf32>',
    "clamp_scalar": '"ttir.clamp_scalar"(%x) <{min = -0.5 : f32, max = 0.75 : f32}> : (tensor<4x8xf32>) -> tensor<4x8xf32>',
    "clamp_tensor": '"ttir.clamp_tensor"(%x, %neg, %pos) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>',
    "concat": '"ttir.concat"(%x, %y, %x) <{dim = -1 : si32}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>',
    "constant": '"ttir.constant"() <{value = dense<[1.5, -2.0]> : tensor<2xf32>}> : () -> tensor<2xf32>',
    "dot_general": '"ttir.dot_general"(%b, %b) <{batch_dims_lhs = array<i64: 0>, contract_dims_lhs = array<i64: 2>, batch_dims_rhs = array<i64: 0>, '
                   'contract_dims_rhs = array<i64: 2>}> : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x4xf32>',
    "full": '"ttir.full"() <{shape = array<i32: 2, 3>, fill_value = 2.5 : f32}> : () -> tensor<2x3xf32>',
    "layer_norm": '"ttir.layer_norm"(%x, %v) <{epsilon = 1.0e-5 : f32, normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 1, 0>}> : '
                  '(tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>',
    "leaky_relu": '"ttir.leaky_relu"(%x) <{parameter = 0.125 : f32}> : (tensor<4x8xf32>) -> tensor<4x8xf32>',
    "linear": '"ttir.linear"(%x, %y, %bias) <{transpose_b = true}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x4xf32>',
    "matmul": '"ttir.matmul"(%b, %y) <{transpose_b = true}> : (tensor<2x4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x4xf32>',
    "matmul of a transposed left": '"ttir.matmul"(%x, %y) <{transpose_a = true}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>',
    "max": '"ttir.max"(%x) <{dim_arg = [-1 : i32], keep_dim = true}> : (tensor<4x8xf32>) -> tensor<4x1xf32>',
    "mean": '"ttir.mean"(%b) <{dim_arg = [0 : i32, 2 : i32], keep_dim = false}> : (tensor<2x4x8xf32>) -> tensor<4xf32>',
    "min": '"ttir.min"(%x) <{dim_arg = [0 : i32], keep_dim = false}> : (tensor<4x8xf32>) -> tensor<8xf32>',
    "ones": '"ttir.ones"() <{shape = array<i32: 2, 3>}> : () -> tensor<2x3xf32>',
    "pad": '"ttir.pad"(%x) <{padding = array<i32: 1, 0, 2, 3>, value = -4.0 : f32}> : (tensor<4x8xf32>) -> tensor<5x13xf32>',
    "permute": '"ttir.permute"(%b) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>',
    "prod": '"ttir.prod"(%x) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<4x8xf32>) -> tensor<4xf32>',
    "reduce_and": '"ttir.reduce_and"(%cond) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<4x8xf32>) -> tensor<4xf32>',
    "reduce_or": '"ttir.reduce_or"(%none) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<4x8xf32>) -> tensor<4xf32>',
    "repeat": '"ttir.repeat"(%x) <{repeat_dimensions = array<i64: 2, 3>}> : (tensor<4x8xf32>) -> tensor<8x24xf32>',
    "reshape": '"ttir.reshape"(%x) <{shape = [2 : i32, 16 : i32]}> : (tensor<4x8xf32>) -> tensor<2x16xf32>',
    "rms_norm": '"ttir.rms_norm"(%x, %v) <{epsilon = 1.0e-5 : f32, normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 1, 0>}> : '
                '(tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>',
    "slice_static": '"ttir.slice_static"(%x) <{begins = [1 : i32, 2 : i32], ends = [4 : i32, 8 : i32], step = [2 : i32, 3 : i32]}> : '
                    '(tensor<4x8xf32>) -> tensor<2x2xf32>',
    "softmax": '"ttir.softmax"(%x) <{dimension = 0 : si32}> : (tensor<4x8xf32>) -> tensor<4x8xf32>',
    "softmax that is stable": '"ttir.softmax"(%b) <{dimension = -1 : si32, numericStable = true}> : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>',
    "squeeze": '"ttir.squeeze"(%row) <{dim = 0 : si32}> : (tensor<1x8xf32>) -> tensor<8xf32>',
    "sum": '"ttir.sum"(%b) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<2x4x8xf32>) -> tensor<2x1x8xf32>',
    "sum of all": '"ttir.sum"(%b) <{keep_dim = false}> : (tensor<2x4x8xf32>) -> tensor<f32>',
    "transpose": '"ttir.transpose"(%b) <{dim0 = -1 : si32, dim1 = 0 : si32}> : (tensor<2x4x8xf32>) -> tensor<8x4x2xf32>',
    "typecast": '"ttir.typecast"(%row) : (tensor<1x8xf32>) -> tensor<1x8xbf16>',
    "unsqueeze": '"ttir.unsqueeze"(%x) <{dim = 1 : si32}> : (tensor<4x8xf32>) -> tensor<4x1x8xf32>',
    "where": '"ttir.where"(%cond, %x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>',
    "zeros": '"ttir.zeros"() <{shape = array<i32: 2>}> : () -> tensor<2xf32>',
}
# Rows that only TTNN's names reach, or that change nothing but where a tensor lies.
IN_TTNN = {"divide", "pow_tensor", "empty", "from_device", "to_device", "to_layout", "to_memory_config", "to_tensor_spec"}
HEAD = """func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %b: tensor<2x4x8xf32>, %row: tensor<1x8xf32>, %v: tensor<8xf32>, %bias: tensor<4xf32>,
                %i: tensor<4x8xi32>, %j: tensor<4x8xi32>) -> RESULTS {
  %pos = "ttir.abs"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %neg = "ttir.neg"(%pos) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %in = "ttir.tanh"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %cond = "ttir.gt"(%x, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %none = "ttir.lt"(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
"""


def program():
    t, i = "tensor<4x8xf32>", "tensor<4x8xi32>"
    lines = [f'"ttir.{op}"(%{"pos" if op in POSITIVE else "in" if op in INSIDE else "x"}) : ({t}) -> {t}' for op in UNARY]
    lines += [f'"ttir.{op}"(%{"pos" if op == "pow" else "x"}, %y) : ({t}, {t}) -> {t}' for op in BINARY]
    lines += ['"ttir.add"(%x, %row) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>']  # spread
    lines += [f'"ttir.{op}"(%i, %j) : ({i}, {i}) -> {i}' for op in BITS] + list(OTHERS.values())
    types = [line.rpartition("-> ")[2] for line in lines]
    text = HEAD.replace("RESULTS", f"({', '.join(types)})") + "".join(f"  %r{n} = {line}\n" for n, line in enumerate(lines))
    return text + f"  return {', '.join(f'%r{n}' for n in range(len(lines)))} : {', '.join(types)}\n}}\n", len(lines)


def rows():
    """The names in the tables of src/ttir/to_stablehlo."""
    folder = ROOT / "src/ttir/to_stablehlo"
    return {name for file in ("elements.c", "tensors.c") for name in re.findall(r'\{"(\w+)",(?!\s*ir_)', (folder / file).read_text())}


def test_each_row_is_in_the_program():
    text, _ = program()
    used = set(re.findall(r'"ttir\.(\w+)"', text))
    assert rows() == used | IN_TTNN


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    made = tmp_path_factory.mktemp("reference") / "all.mlir"
    made.write_text(program()[0])
    return made


def blame(file, *options):
    return subprocess.run([BUILD / "bin/tilewright", "blame", file, "--no-reduce", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ttir_beside_the_device(file):
    done = blame(file)
    agreeing = re.match(r"nothing is off: (\d+) operations of the device", done.stdout)
    assert agreeing and int(agreeing[1]) > 70, done.stdout + done.stderr


def test_ttnn_beside_the_device(file, tmp_path):
    out = tmp_path / "ttnn.mlir"
    subprocess.run([BUILD / "bin/ttmlir-opt", file, "--ttir-to-ttnn-backend-pipeline", "-o", out], check=True)
    done = blame(out)
    agreeing = re.match(r"nothing is off: (\d+) operations of the device", done.stdout)
    assert agreeing and int(agreeing[1]) > 70, done.stdout + done.stderr


def test_every_pass_to_ttnn_keeps_the_meaning(file):
    """All states are interpreted by what is written here: the last column counts changes whose results were compared."""
    done = subprocess.run([BUILD / "bin/tilewright", "check-pass", file], stdout=subprocess.PIPE, text=True)
    counts = re.search(r"(\d+) changes by passes, (\d+) compared, 0 differ", done.stdout)
    assert counts and counts[1] == counts[2] and int(counts[1]) >= 8, done.stdout
