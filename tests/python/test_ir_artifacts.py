"""Portable artifacts of StableHLO from Python, to jaxlib's bindings and back."""

import pytest
import ttmlir.ir as ir
from ttmlir.dialects import stablehlo

TEXT = """module {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.tanh %0 : tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
}
"""
VERSIONS = ("0.9.0", "1.0.0", "1.8.0", "1.13.0")


@pytest.mark.parametrize("version", VERSIONS)
def test_round_trip(version):
    with ir.Context() as context:
        module = ir.Module.parse(TEXT)
        data = stablehlo.serialize_portable_artifact(module, version)
        assert f"StableHLO_v{version}".encode() in data
        assert str(module) == TEXT  # unchanged
        assert str(stablehlo.deserialize_portable_artifact(context, data)) == TEXT


def test_errors():
    with ir.Context() as context:
        module = ir.Module.parse(TEXT)
        for version in ("x", "1.0", "97.0.0"):
            with pytest.raises(ValueError, match="failed to serialize module"):
                stablehlo.serialize_portable_artifact(module, version)
        with pytest.raises(ValueError, match="failed to deserialize module"):
            stablehlo.deserialize_portable_artifact(context, b"abc")
        with pytest.raises(ValueError, match="failed to convert version"):
            stablehlo.get_smaller_version("x", "1.0.0")
    assert stablehlo.get_smaller_version("1.10.0", "1.9.0") == "1.9.0"
    stablehlo.get_smaller_version(stablehlo.get_current_version(), stablehlo.get_minimum_version())


def test_to_jaxlib_and_back():
    mlir = pytest.importorskip("jax._src.interpreters.mlir")
    from jaxlib.mlir import ir as jax_ir
    from jaxlib.mlir.dialects import stablehlo as jax_hlo

    with ir.Context() as context, mlir.make_ir_context() as jax_context:
        for version in VERSIONS:
            theirs = jax_hlo.serialize_portable_artifact(jax_ir.Module.parse(TEXT), version)
            ours = stablehlo.serialize_portable_artifact(ir.Module.parse(TEXT), version)
            assert str(stablehlo.deserialize_portable_artifact(context, theirs)) == TEXT
            read = jax_hlo.deserialize_portable_artifact(jax_context, ours)
            assert str(read) == TEXT
