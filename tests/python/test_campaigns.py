"""A sample of each campaign (tests/campaigns), its ledger, and what the campaigns found."""

import subprocess
import sys

import numpy as np
import pytest
import xla
from conftest import ROOT
from native import Program

CAMPAIGN = ROOT / "tests" / "campaigns" / "campaign.py"


@pytest.mark.parametrize("kind, seeds", [("stablehlo", "900000:900060"), ("evaluator", "900000:900200")])
def test_sample(kind, seeds):
    done = subprocess.run([sys.executable, CAMPAIGN, kind, "--seeds", seeds], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and f"{kind} {seeds}: {int(seeds[7:]) - int(seeds[:6])} run" in done.stdout, done.stdout + done.stderr


def test_ledger_adds_up():
    done = subprocess.run([sys.executable, CAMPAIGN, "--totals"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "stablehlo" in done.stdout, done.stdout + done.stderr


def check(text, *arrays, host=True, exact=False):
    want = xla.run(text, *arrays)
    for g, w in zip(Program(text, host=host)(*arrays), want, strict=True):
        if exact:
            np.testing.assert_array_equal(g, w)
        else:
            np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-5)


# ---- statistics of a batch norm ---------------------------------------------------------------------------------------------------

NORM = """"stablehlo.batch_norm_training"(%x, %s, %o) <{{epsilon = 0.5 : f32, feature_index = {dim} : i64}}>
    : (tensor<3x3x{e}>, tensor<3x{e}>, tensor<3x{e}>) -> (tensor<3x3x{e}>, tensor<3x{e}>, tensor<3x{e}>)"""


def statistics(element, results, *norms):
    lines = "\n  ".join(f"%n{i}:3 = {NORM.format(dim=d, e=element)}" for i, d in enumerate(norms))
    types = ", ".join(f"tensor<3x3x{element}>" if r.endswith("#0") else f"tensor<3x{element}>" for r in results)
    return (f"func.func @main(%x: tensor<3x3x{element}>, %s: tensor<3x{element}>, %o: tensor<3x{element}>) -> ({types}) {{\n  {lines}\n"
            f"  return {', '.join(results)} : {types}\n}}")


@pytest.mark.parametrize("element, dtype", [("f32", np.float32), ("f64", np.float64)])
@pytest.mark.parametrize("results, norms", [
    (["%n0#1", "%n0#2"], [0]), (["%n0#0", "%n0#1", "%n0#2"], [1]), (["%n0#1", "%n0#2", "%n1#1", "%n1#2"], [0, 1])],
    ids=["statistics only", "all", "of two norms"])
def test_batch_norm_statistics(element, dtype, results, norms):
    """Were 0 and 1 if the normalized tensor was unused, and the first norm's if a second one started from equal values."""
    x = np.random.default_rng(5).normal(size=(3, 3)).astype(dtype)
    check(statistics(element, results, *norms), x, np.array([1, 2, 3], dtype), np.array([0.5, 0, -1], dtype))


def test_batch_norm_statistics_after_nan():
    """A run with a NaN does not change the next run."""
    program = Program(statistics("f32", ["%n0#1", "%n0#2"], 0))
    x, one = np.arange(9, dtype=np.float32).reshape(3, 3), np.ones(3, np.float32)
    assert np.isnan(program(x * np.float32(np.nan), one, one)[0]).all()
    np.testing.assert_allclose(program(x, one, one)[0], x.mean(1))


@pytest.mark.parametrize("inputs, results", [(5, 1), (5, 3)], ids=["inference", "gradient"])
def test_batch_norms_on_the_host(inputs, results):
    """In 64 bits, which the device does not have."""
    x, v = "tensor<2x3x5xf64>", "tensor<3xf64>"
    name, types = ("batch_norm_inference", [x, v, v, v, v]) if results == 1 else ("batch_norm_grad", [x, v, v, v, x])
    outputs = [x] if results == 1 else [x, v, v]
    out = outputs[0] if results == 1 else f"({', '.join(outputs)})"
    text = (f"func.func @main({', '.join(f'%a{i}: {t}' for i, t in enumerate(types))}) -> ({', '.join(outputs)}) {{\n"
            f'  %r:{results} = "stablehlo.{name}"({", ".join(f"%a{i}" for i in range(inputs))}) <{{epsilon = 0.25 : f32, feature_index = 1 : i64}}>'
            f" : ({', '.join(types)}) -> {out}\n  return {', '.join(f'%r#{i}' for i in range(results))} : {', '.join(outputs)}\n}}")
    rng = np.random.default_rng(7)
    check(text, *(rng.random((2, 3, 5) if t == x else 3) + 0.5 for t in types))


# ---- single operations ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("host", [True, False])
@pytest.mark.parametrize("element", ["ui8", "ui16", "ui32", "i8", "i32"])
def test_arithmetic_shift(element, host):
    """The highest bit is shifted in, of unsigned integers too."""
    dtype = np.dtype(element.replace("ui", "uint") if element[0] == "u" else element.replace("i", "int"))
    i = np.iinfo(dtype)
    check(f"""func.func @main(%a: tensor<4x{element}>, %b: tensor<4x{element}>) -> tensor<4x{element}> {{
  %0 = stablehlo.shift_right_arithmetic %a, %b : tensor<4x{element}>
  return %0 : tensor<4x{element}>
}}""", np.array([i.max, i.min, i.max // 2, 5], dtype), np.array([1, 3, 2, 1], dtype), host=host, exact=True)


# ---- passes of TTIR ---------------------------------------------------------------------------------------------------------------

def evaluated(text, passes, *arrays):
    """The references' results of a TTIR function after those passes."""
    import torch
    from golden.evaluate import Evaluator
    from golden.shards import GoldenMapTensor
    from ttmlir import ir
    from ttmlir.passmanager import PassManager

    with ir.Context():
        module = ir.Module.parse(text)
        PassManager.parse(f"builtin.module({passes})").run(module.operation)
        function = next(op for op in module.body.operations if op.operation.name == "func.func")
        out = Evaluator().function(function.operation, [GoldenMapTensor({0: torch.from_numpy(a)}, (1, 1)) for a in arrays])
        return [x.shard_at(0).numpy() for x in out]


@pytest.mark.parametrize("before, after", [("2x33", "2x33x1x1"), ("2x33x1x1", "2x33"), ("4x2x1", "4x2"), ("3x4", "3x4x1"), ("1x33", "33x1"),
                                           ("5x1x3", "5x3x1"), ("2x1", "2x1x1x1")])
def test_reshapes_that_transpose_one_row(before, after):
    """ttir-decompose-complex-reshape exchanged the last two dimensions although neither was 1."""
    x = np.arange(np.prod([int(d) for d in before.split("x")]), dtype=np.float32).reshape([int(d) for d in before.split("x")])
    shape = ", ".join(f"{d} : i32" for d in after.split("x"))
    text = f"""func.func @main(%a: tensor<{before}xf32>) -> tensor<{after}xf32> {{
  %0 = "ttir.reshape"(%a) <{{shape = [{shape}]}}> : (tensor<{before}xf32>) -> tensor<{after}xf32>
  return %0 : tensor<{after}xf32>
}}"""
    got, = evaluated(text, "ttir-decompose-complex-reshape", x)
    np.testing.assert_array_equal(got.ravel(), x.ravel())


def test_reduced_dimensions_of_size_one_stay_different():
    """ttir-erase-inverse-ops exchanged a reshape with a reduction of two dimensions of size 1 and reduced one of them twice."""
    text = """func.func @main(%x: tensor<1x2x1xf32>) -> tensor<1xf32> {
  %0 = "ttir.reshape"(%x) <{shape = [2 : i32, 1 : i32, 1 : i32]}> : (tensor<1x2x1xf32>) -> tensor<2x1x1xf32>
  %1 = "ttir.permute"(%0) <{permutation = array<i64: 2, 0, 1>}> : (tensor<2x1x1xf32>) -> tensor<1x2x1xf32>
  %2 = "ttir.max"(%1) <{dim_arg = [0 : i32, 1 : i32, 2 : i32], keep_dim = false}> : (tensor<1x2x1xf32>) -> tensor<f32>
  %3 = "ttir.reshape"(%2) <{shape = [1 : i32]}> : (tensor<f32>) -> tensor<1xf32>
  return %3 : tensor<1xf32>
}"""
    got, = evaluated(text, "ttir-erase-inverse-ops", np.array([[[2], [5]]], np.float32))
    np.testing.assert_array_equal(got, [5])


def test_sorted_booleans_take_the_type_of_what_is_sorted():
    """ttir-predicate-type-alignment left the sorted values' type as it was, which is no sort."""
    text = """func.func @main(%x: tensor<1x4xf32>, %z: tensor<1x4xf32>) -> tensor<1x4xi32> {
  %0 = "ttir.ne"(%x, %z) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi1>
  %1:2 = "ttir.sort"(%0) <{descending = true, dim = 1 : si32, stable = true}> : (tensor<1x4xi1>) -> (tensor<1x4xi1>, tensor<1x4xi32>)
  return %1#1 : tensor<1x4xi32>
}"""
    got, = evaluated(text, "ttir-predicate-type-alignment", np.array([[0, 3, 0, 5]], np.float32), np.zeros((1, 4), np.float32))
    np.testing.assert_array_equal(got, [[1, 3, 0, 2]])


@pytest.mark.parametrize("dtype, element, to, want", [("bfloat16", "bf16", "f32", 1 + 2**-6 + 2**-14), ("uint8", "ui8", "ui32", 1600)])
def test_results_of_more_bits_are_not_rounded_on_the_way(dtype, element, to, want):
    """The reference of a product that has more bits than its operands."""
    import torch
    from golden.evaluate import Evaluator
    from golden.shards import GoldenMapTensor
    from ttmlir import ir

    text = f"""func.func @main(%x: tensor<1x{element}>) -> tensor<1x{to}> {{
  %0 = "ttir.multiply"(%x, %x) : (tensor<1x{element}>, tensor<1x{element}>) -> tensor<1x{to}>
  return %0 : tensor<1x{to}>
}}"""
    with ir.Context():
        function = ir.Module.parse(text).body.operations[0].operation
        out, = Evaluator().function(function, [GoldenMapTensor({0: torch.tensor([want**0.5]).to(getattr(torch, dtype))}, (1, 1))])
    assert out.shard_at(0).item() == want


def test_images_of_other_orders_are_not_flattened():
    """ttir-flatten-sliding-window took the third dimension for the channels."""
    text = """func.func @main(%x: tensor<4x7x1x10xf32>, %w: tensor<1x1x3x1xf32>) -> tensor<4x5x1x4xf32> {
  %0 = "ttir.conv2d"(%x, %w) <{batch_dim = 0 : i64, channel_dim = 2 : i64, dilation = array<i32: 1, 1>, groups = 1 : i32, height_dim = 1 : i64,
    padding = array<i32: 0, 0, 0, 0>, stride = array<i32: 1, 3>, width_dim = 3 : i64}> : (tensor<4x7x1x10xf32>, tensor<1x1x3x1xf32>) -> tensor<4x5x1x4xf32>
  return %0 : tensor<4x5x1x4xf32>
}"""
    rng = np.random.default_rng(1)
    x, w = (rng.normal(size=s).astype(np.float32) for s in ((4, 7, 1, 10), (1, 1, 3, 1)))
    np.testing.assert_array_equal(evaluated(text, "ttir-flatten-sliding-window", x, w)[0], evaluated(text, "canonicalize", x, w)[0])


@pytest.mark.parametrize("name", ["reduce_or", "reduce_and"])
@pytest.mark.parametrize("element, dtype", [("f32", np.float32), ("i32", np.int32), ("i1", np.bool_)])
def test_reductions_of_what_is_not_zero(name, element, dtype):
    """Any value but 0 is true: a sum or product of the values is neither 0 nor 1, or cancels."""
    x = np.array([[2, -2, 0], [0, 3, 0], [0, 0, 0], [2, 3, -4]]).astype(dtype)
    text = f"""func.func @main(%a: tensor<4x3x{element}>) -> tensor<4x{element}> {{
  %0 = "ttir.{name}"(%a) <{{dim_arg = [1 : i32], keep_dim = false}}> : (tensor<4x3x{element}>) -> tensor<4x{element}>
  return %0 : tensor<4x{element}>
}}"""
    want = (x != 0).any(1) if name == "reduce_or" else (x != 0).all(1)
    np.testing.assert_array_equal(Program(text)(x)[0], want.astype(dtype))


def test_scatter_of_parts_of_rows():
    """Windows that are narrower than the operand, along several indexed dimensions: "changes the number of elements"."""
    text = """func.func @main(%x: tensor<2x3x8xf32>, %i: tensor<2x2xi32>, %u: tensor<2x5xf32>) -> tensor<2x3x8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1],
    scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x3x8xf32>, tensor<2x2xi32>, tensor<2x5xf32>) -> tensor<2x3x8xf32>
  return %0 : tensor<2x3x8xf32>
}"""
    rng = np.random.default_rng(2)
    arrays = rng.random((2, 3, 8)).astype(np.float32), np.array([[2, 1], [0, 0]], np.int32), rng.random((2, 5)).astype(np.float32) - 0.5
    for host in (True, False):
        check(text, *arrays, host=host, exact=True)


def test_unused_operation_of_the_host():
    """The operations that the host computes are listed; one that nothing uses was read after it had been freed."""
    text = """func.func @main(%x: tensor<8x8xf64>, %y: tensor<4x4xf32>) -> (tensor<8x8xf64>, tensor<4x4xf32>) {
  %0 = stablehlo.minimum %x, %x : tensor<8x8xf64>
  %1 = stablehlo.add %x, %x : tensor<8x8xf64>
  %2 = stablehlo.multiply %1, %0 : tensor<8x8xf64>
  %3 = stablehlo.tanh %y : tensor<4x4xf32>
  %4 = "stablehlo.batch_norm_inference"(%x, %5, %5, %5, %5) <{epsilon = 0.5 : f32, feature_index = 0 : i64}>
    : (tensor<8x8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>, tensor<8xf64>) -> tensor<8x8xf64>
  return %1, %3 : tensor<8x8xf64>, tensor<4x4xf32>
}""".replace("  %0 =", "  %5 = stablehlo.constant dense<2.0> : tensor<8xf64>\n  %0 =")
    rng = np.random.default_rng(2)
    check(text, rng.random((8, 8)), rng.random((4, 4)).astype(np.float32))
