"""Members of StableHLO's and Shardy's own bindings besides operations."""

import numpy as np
import pytest
from ttmlir.dialects import check, chlo, mpmd, sdy, stablehlo, vhlo
from ttmlir.ir import *

DOUBLE = "func.func @test(%a: tensor<{0}>) -> tensor<{0}> {{ %0 = stablehlo.add %a, %a : tensor<{0}> return %0 : tensor<{0}> }}"


@pytest.fixture(autouse=True)
def context():
    with Context() as ctx, Location.unknown():
        for dialect in (check, chlo, mpmd, sdy, stablehlo, vhlo):
            dialect.register_dialect(ctx)
        yield ctx


def arrays(text, *inputs):
    given = [DenseElementsAttr.get(one) for one in inputs]
    return [np.array(one) for one in stablehlo.eval_module(Module.parse(text), given)]


@pytest.mark.parametrize("of, value", [("f32", np.float32(2)), ("f64", np.float64(3)), ("1xi8", np.int8([4])),
                                       ("2x2xf16", np.float16([[1, 2], [3, 4]])), ("?x2xf16", np.float16([[1, 2], [3, 4]]))])
def test_evaluates(of, value):
    result, = arrays(DOUBLE.format(of), np.asarray(value))
    assert (result == value + value).all() and result.shape == np.shape(value)


def test_evaluates_loops_and_calls():
    result, count = arrays("""
      func.func private @next(%n: tensor<i64>) -> tensor<i64> {
        %one = stablehlo.constant dense<1> : tensor<i64>
        %0 = stablehlo.add %n, %one : tensor<i64>
        return %0 : tensor<i64>
      }
      func.func @main(%x: tensor<3xf32>, %end: tensor<i64>) -> (tensor<3xf32>, tensor<i64>) {
        %zero = stablehlo.constant dense<0> : tensor<i64>
        %r:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<3xf32>, tensor<i64>
         cond { %c = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
                stablehlo.return %c : tensor<i1> }
         do { %s = stablehlo.multiply %a, %a : tensor<3xf32>
              %n = func.call @next(%i) : (tensor<i64>) -> tensor<i64>
              stablehlo.return %s, %n : tensor<3xf32>, tensor<i64> }
        return %r#0, %r#1 : tensor<3xf32>, tensor<i64>
      }""", np.float32([1, 2, 3]), np.asarray(2))
    assert result.tolist() == [1, 16, 81] and count == 2


def test_what_cannot_be_evaluated():
    module = Module.parse(DOUBLE.format("2xf32"))
    two = DenseElementsAttr.get(np.float32([1, 2]))
    for wrong, message in (([], "takes 1 arguments, 0 were given"), ([DenseElementsAttr.get(np.float32([1]))], "another type"),
                           ([DenseElementsAttr.get(np.int32([1, 2]))], "another type"), ([UnitAttr.get()], "another type")):
        with pytest.raises(ValueError, match=message):
            stablehlo.eval_module(module, wrong)
    with pytest.raises(NotImplementedError, match="probe"):
        stablehlo.eval_module(module, [two], "somewhere")
    with pytest.raises(ValueError, match="one public function"):
        stablehlo.eval_module(Module.parse(""), [])
    with pytest.raises(ValueError, match="stablehlo.custom_call"):
        arrays("func.func @main() -> tensor<f32> { %0 = stablehlo.custom_call @nobody() : () -> tensor<f32> return %0 : tensor<f32> }")
    module.body.operations[0].attributes["function_type"] = UnitAttr.get()
    with pytest.raises(MLIRError, match="not valid"):
        stablehlo.eval_module(module, [two])


def test_artifacts_of_text():
    text = str(Module.parse(DOUBLE.format("2xf32")))
    artifact = stablehlo.serialize_portable_artifact_str(text, stablehlo.get_current_version())
    assert artifact == stablehlo.serialize_portable_artifact_str(text.encode(), stablehlo.get_current_version())
    assert str(Module.parse(stablehlo.deserialize_portable_artifact_str(artifact))) == text
    with pytest.raises(ValueError):
        stablehlo.serialize_portable_artifact_str("nonsense", "1.0.0")
    with pytest.raises(ValueError):
        stablehlo.deserialize_portable_artifact_str(b"nonsense")


def test_versions():
    kinds = stablehlo.StablehloCompatibilityRequirement
    found = [stablehlo.get_version_from_compatibility_requirement(kind) for kind in kinds]
    numbers = [tuple(map(int, version.split("."))) for version in found]
    assert found[0] == stablehlo.get_current_version() and found[-1] == stablehlo.get_minimum_version()
    assert numbers == sorted(numbers, reverse=True) and stablehlo.get_api_version() == 9
    assert sdy.get_version_from_compatibility_requirement(sdy.CompatibilityRequirement.WEEK_12) == "0.0.1"


def test_attributes():
    assert chlo.ComparisonDirectionAttr.get("EQ").value == "EQ"
    ragged = chlo.RaggedDotDimensionNumbers.get([0], [1], [2], [2], [1], rhs_group_dimensions=[0])
    assert ragged.lhs_ragged_dimensions == [1] and str(ragged).startswith("#chlo.ragged_dot<lhs_batching_dimensions = [0]")
    dim = sdy.DimMappingAttr.get([0])
    mapping = sdy.TensorMappingAttr.get([dim, dim])
    rule = sdy.OpShardingRuleAttr.get([4], [mapping], [mapping], is_custom=True)
    assert mapping.rank == 2 and rule.is_custom and rule.factor_sizes == [4]
    assert not sdy.OpShardingRuleAttr.get([4], [mapping], [mapping]).is_custom

    accuracy = stablehlo.ResultAccuracyAttr.get(atol=1e-5, rtol=1.0, ulps=2, mode="TOLERANCE")
    assert (accuracy.atol, accuracy.rtol, accuracy.ulps, accuracy.mode) == (1e-5, 1.0, 2, "TOLERANCE")
    with pytest.raises((ValueError, KeyError, MLIRError)):
        stablehlo.ResultAccuracyAttr.get(0, 0, 0, "NONE_SUCH")


def test_operations():
    block = Module.parse("func.func @f(%a: tensor<2xf32>) { return }").body.operations[0].entry_block
    with InsertionPoint.at_block_begin(block):
        groups = DenseElementsAttr.get(np.int64([[0, 1]]))
        made = stablehlo.cross_replica_sum(block.arguments[0], groups)
        assert made.owner.name == "stablehlo.cross-replica-sum"
        op = stablehlo.CompositeOp([made.type], [made], "my.op", "f")
        assert len(op.regions) == 0
