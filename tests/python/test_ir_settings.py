"""ttmlir.optimizer_overrides, loggers of passes, systems and devices: settings beside the IR in Python."""

import pytest
from ttmlir import optimizer_overrides as oo
from ttmlir import passes
from ttmlir.dialects import d2m, ttcore, ttir, ttkernel
from ttmlir.ir import (AffineConstantExpr, AffineDimExpr, AffineMap, Attribute, BF16Type, Context, F32Type, Location, MLIRError, Module,
                       RankedTensorType)
from ttmlir.passmanager import PassManager

TEXT = """func.func @main(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.abs"(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}"""


@pytest.fixture
def context():
    with Context() as c, Location.unknown():
        yield c


def test_overrides_are_options():
    handler = oo.OptimizerOverridesHandler()
    assert handler.to_string() == "" and handler.get_mesh_shape() == [] and not handler.get_enable_optimizer()
    handler.set_enable_optimizer(True)
    handler.set_max_legal_layouts(8)
    handler.set_mesh_shape([1, 2])
    handler.set_tensor_l1_usage_cap(0.5)
    handler.add_insert_memreconfig("add_1", [0, 1])
    handler.add_output_layout_override("add_1", [2, 2], oo.BufferType.L1, oo.TensorMemoryLayout.BlockSharded,
                                       oo.Layout.Tile, oo.DataType.BFloat16)
    assert handler.to_string() == (
        "enable-optimizer=true insert-memreconfig=add_1=0:1 override-output-layout=add_1=2x2:l1:block_sharded:tile:bf16 "
        "max-legal-layouts=8 mesh-shape=1,2 tensor-l1-usage-cap=0.500000")


def test_overrides_from_text():
    layout, conv = oo.OutputLayoutOverrideParams(), oo.Conv2dConfigOverrideParams()
    assert layout.empty() and conv.empty()
    layout.set_buffer_type_from_str("dram")
    layout.set_data_type_from_str("bfp_bf8")
    conv.set_activation_from_str("relu")
    conv.set_act_block_h_override_from_str("32")
    conv.set_transpose_shards_from_str("True")
    handler = oo.OptimizerOverridesHandler()
    handler.add_output_layout_override("x", layout)
    handler.add_conv2d_config_override("y", conv)
    assert handler.to_string() == ("override-output-layout=x=dram:bfp_bf8 "
                                   "override-conv2d-config=y=activation#relu:act_block_h_override#32:transpose_shards#true")
    assert handler.get_output_layout_overrides()["x"].buffer_type == oo.BufferType.DRAM


@pytest.mark.parametrize("misuse", [
    lambda h: h.set_mesh_shape(3), lambda h: h.set_enable_optimizer("yes"), lambda h: h.add_insert_memreconfig("x", ["a"]),
    lambda h: h.add_conv2d_config_override("x", None), lambda h: oo.OutputLayoutOverrideParams().set_buffer_type_from_str("tape"),
    lambda h: oo.Conv2dConfigOverrideParams().set_activation_from_str("gelu"),
    lambda h: oo.Conv2dConfigOverrideParams().set_act_block_w_div_from_str("-1")])
def test_overrides_misused(misuse):
    with pytest.raises((TypeError, ValueError)):
        misuse(oo.OptimizerOverridesHandler())


def test_loggers_hear_of_steps(context):
    every, one = passes.MLIRModuleLogger(), passes.MLIRModuleLogger()
    every.attach_context(context)
    one.attach_context(context, ["canonicalize"])
    module = Module.parse(TEXT)
    PassManager.parse("builtin.module(cse,canonicalize)").run(module.operation)
    assert [name for name, _ in every.module_log] == ["PRE-PIPELINE", "cse", "canonicalize"]
    assert [name for name, _ in one.module_log] == ["PRE-PIPELINE", "canonicalize"]
    assert Module.parse(one.module_log[1][1]).operation.verify() and "loc(" in one.module_log[1][1]
    context._log_steps(lambda steps: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        PassManager.parse("builtin.module(cse)").run(module.operation)
    with pytest.raises(TypeError):
        context._log_steps("no callable")


def test_systems_and_devices(context):
    system = ttcore.ir.SystemDescAttr.get_default(context)
    assert isinstance(system, ttcore.ir.SystemDescAttr) and Attribute.parse(str(system)) == system
    device = ttcore.ir.DeviceAttr.from_system_desc(context, system, [1])
    assert device.grid_attr.shape == [8, 8] and device.mesh_shape == [1] and device.chip_ids == [0]
    d0, d1, d2 = map(AffineDimExpr.get, range(3))
    there, back = AffineMap.get(2, 0, [AffineConstantExpr.get(0), d0, d1]), AffineMap.get(3, 0, [d1, d2])
    small = ttcore.ir.DeviceAttr.get(context, [2, 3], there, back, device.l1_map, device.dram_map, [1], [0])
    assert small.grid_attr.shape == [2, 3] and Attribute.parse(str(small)) == small
    chip = system.chip_descs[0]
    assert 0 < chip.usable_l1_size < chip.l1_size and chip.num_cbs == 32
    assert chip.get_dst_logical_size_tiles(BF16Type.get()) == 2 * chip.get_dst_logical_size_tiles(F32Type.get())
    with pytest.raises((MLIRError, ValueError)):
        ttcore.ir.DeviceAttr.from_system_desc(context, system, [64, 64])


def test_names_and_casts(context):
    assert (d2m.ir.ThreadAttr.name, ttkernel.ir.ArgSpecAttr.name) == ("d2m.thread", "ttkernel.arg_spec")
    tensor = RankedTensorType.get([32, 64], F32Type.get())
    buffer = d2m.ir.CBType.get(context, tensor)
    assert d2m.ir.CBType.cast(buffer).get_underlying() == tensor
    with pytest.raises(ValueError):
        d2m.ir.CBType.cast(tensor)
    assert ttkernel.ir.ArgAttr.get(context, 1, 2, True).arg_type_as_value == 1


def test_rearrangements(context):
    inverse = ttir.ir.rearrange_inv_pattern_map(context, "b h w c -> h (b w) c", [2, 3, 4, 5])
    assert str(inverse) == "(d0, d1, d2) -> (d1 floordiv 4, d0, d1 mod 4, d2)"
    assert ttir.ir.affine_map_compose(inverse, [1, 6, 3]) == [1, 1, 2, 3]
    for wrong in ("b h", "b h w c -> b h w", "(b h) w c d -> b h w c d"):
        with pytest.raises((RuntimeError, ValueError)):
            ttir.ir.rearrange_inv_pattern_map(context, wrong, [2, 3, 4, 5])
