"""Typed attributes and types of the dialects, passes and utilities in Python."""

import itertools

import pytest
from ttmlir import passes, util
from ttmlir.dialects import d2m, quant, sdy, stablehlo, ttcore, ttir, ttnn
from ttmlir.ir import *

TEXT = """
func.func @main(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.add"(%a, %b) : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
"""


@pytest.fixture
def context():
    with Context() as context, Location.unknown():
        yield context


def test_meshes_grids_tiles(context):
    mesh = ttcore.ir.MeshAttr.get(context, "x", [1, 2])
    meshes = ttcore.ir.MeshesAttr.get(context, [mesh])
    assert str(meshes) == '#ttcore.meshes<[<"x" = 1x2>]>' and meshes.meshes == [mesh]
    assert (mesh.name, mesh.shape) == ("x", [1, 2])
    assert str(ttcore.ir.GridAttr.get(context, [2, 4])) == "#ttcore.grid<2x4>"
    tile = ttcore.ir.TileType.get(context, 32, 32, ttcore.DataType.BFloat16)
    assert str(tile) == "!ttcore.tile<32x32, bf16>" and tile == Type.parse(str(tile)) and type(tile) is ttcore.ir.TileType
    assert tile.data_type == ttcore.DataType.BFloat16 and str(tile.data_type) == "DataType.BFloat16" and tile.data_type_as_int == 2 and tile.shape == [32, 32]
    assert ttcore.ir.MeshAttr.maybe_downcast(meshes) is None and ttcore.ir.MeshAttr.maybe_downcast(mesh) == mesh


def test_enums(context):
    kind = ttcore.ir.ReduceTypeAttr.get(context, ttcore.ReduceType.Max)
    assert str(kind) == "#ttcore.reduce_type<max>" and kind.value is ttcore.ir.ReduceType.Max
    assert kind == ttcore.ir.ReduceTypeAttr.get(context, int(ttcore.ReduceType.Max))
    assert ttcore.MeshShardType.Devices and ttcore.AttentionMaskType.NoMask is ttcore.AttentionMaskType["None_"]
    with pytest.raises(ValueError, match="no case"):
        ttcore.ir.ReduceTypeAttr.get(context, 99)


@pytest.mark.parametrize("shape, grid, alignments, device", [
    ([64, 128], [1, 1], [32, 32], [1, 1, 2, 4]),
    ([64, 128], [2, 2], [32, 32], [2, 2, 1, 2]),
    ([3, 40, 7], [1, 1], [1, 32, 32], [1, 1, 6, 1]),
    ([40], [1, 1], [32], [1, 1, 1, 2]),
])
def test_metal_layouts(context, shape, grid, alignments, device):
    layout = ttcore.ir.MetalLayoutAttr.get(context, shape, ttcore.MemorySpace.DeviceL1)
    assert layout.logical_shape == shape and layout.dim_alignments == alignments
    assert layout.memory_space == ttcore.MemorySpace.DeviceL1 and layout.memory_layout == ttcore.TensorMemoryLayout.Sharded
    assert layout.getDeviceShape(grid, [32, 32]) == device
    tensor = RankedTensorType.get(device, F32Type.get(), layout)
    assert ttcore.ir.MetalLayoutAttr.getLayout(tensor) == layout


def test_quantized_types(context):
    i8 = IntegerType.get_signless(8)
    made = quant.UniformQuantizedType.get(quant.UniformQuantizedType.FLAG_SIGNED, i8, F32Type.get(), 0.1, 3, -128, 127)
    assert str(made) == "!quant.uniform<i8:f32, 1.000000e-01:3>"


def test_pipelines(context, tmp_path):
    module = Module.parse(TEXT)
    passes.tt_populate_argument_types(module, "main=input,parameter")
    assert "argument_type<parameter>" in str(module)
    passes.ttir_to_ttnn_backend_pipeline(module)
    assert '"ttnn.add"' in str(module)
    capsule = passes.ttnn_to_flatbuffer_bin(module)
    assert type(capsule).__name__ == "PyCapsule"
    passes.ttnn_to_flatbuffer_file(module, str(tmp_path / "a.ttnn"))
    assert (tmp_path / "a.ttnn").read_bytes()[8:12] == b"TTNN"
    with pytest.raises(RuntimeError, match="Failed to open file"):
        passes.ttnn_to_flatbuffer_file(module, str(tmp_path / "no" / "a.ttnn"))
    with pytest.raises(RuntimeError, match="Failed to add pipeline to pass manager"):
        passes.ttir_to_ttnn_backend_pipeline(module, "no-such-option=1")


def test_utilities(context):
    name = Location.name("x", Location.file("a.py", 1, 2))
    assert util.is_name_loc(name) and util.get_loc_name(name) == "x" and not util.is_fused_loc(name)
    assert util.get_loc_full(name) == 'loc("x"("a.py":1:2))' and util.is_file_line_col_loc(name.child_loc)
    assert util.element_type_to_data_type(BF16Type.get()) == 2
    assert util.element_type_to_data_type(IntegerType.get_signless(32)) == 12
    assert "loc(" in util.debug_print_module(Module.parse(TEXT))


def test_ttnn_layouts(context):
    tile = ttcore.ir.TileType.get(context, 32, 32, ttcore.DataType.Float32)
    layout = ttnn.ir.TTNNLayoutAttr.get(context, [2, 40, 64], tile, ttnn.BufferType.DRAM, [1, 1], None,
                                        ttnn.TensorMemoryLayout.Interleaved)
    assert str(layout) == ("#ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 64 + d1, d2), <1x1>, "
                           "memref<4x2x!ttcore.tile<32x32, f32>, #ttnn.buffer_type<dram>>, <interleaved>>")
    assert (layout.data_type_as_int, layout.memory_layout_as_int) == (0, ttnn.Layout.Tile)
    assert Attribute.parse(str(layout)) == layout
    rows = ttnn.ir.TTNNLayoutAttr.get(context, [128, 100], BF16Type.get(), ttnn.BufferType.SystemMemory, [1, 1])
    assert rows.memref.shape == [128, 100] and rows.tensor_memory_layout_as_int is None
    cores = ttnn.ir.CoreRangeSetAttr.get(context, [ttnn.ir.CoreRangeAttr.get(
        context, ttnn.ir.CoreCoordAttr.get(context, 0, 0), ttnn.ir.CoreCoordAttr.get(context, 3, 1))])
    block = ttnn.ir.TTNNLayoutAttr.get(context, [128, 128], tile, ttnn.BufferType.L1, [2, 4], cores,
                                       ttnn.TensorMemoryLayout.BlockSharded)
    assert block.memref.shape == [2, 1] and block.core_range_set == cores and block.grid_shape == [2, 4]


def test_shardings_and_dimension_numbers(context):
    sharding = sdy.TensorShardingAttr.get("mesh", [sdy.DimensionShardingAttr.get([sdy.AxisRefAttr.get("x")], True)])
    assert str(sharding) == '#sdy.sharding<@mesh, [{"x"}]>' and sharding.dimension_shardings[0].is_closed
    numbers = stablehlo.DotDimensionNumbers.get(lhs_batching_dimensions=[0], rhs_batching_dimensions=[0],
                                                lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[1])
    assert numbers.lhs_contracting_dimensions == [2] and Attribute.parse(str(numbers)) == numbers
    assert stablehlo.ComparisonDirectionAttr.get("LT").value == "LT"
    assert list(sdy.ManualAxesAttr.get(["a", "b"]))


def test_arguments_in_snake_case_too(context):
    context.allow_unregistered_dialects = True
    with InsertionPoint(Module.create().body):
        memref = MemRefType.get([1, 1, 2, 2], F32Type.get())
        source = Operation.create("a.b", results=[memref]).result
        made = d2m.RemoteLoadOp(None, source, [], local_buffer=None, mcast_start_index=None, mcast_shape=[], mcastDims=[])
    assert made.memref == source and len(made.mcast_start_index) == 0 and made.localBuffer is None


@pytest.mark.parametrize("before, after", [([2, 2, 4, 2], [4, 1, 2, 4]), ([1, 1, 6, 4], [3, 2, 2, 2]),
                                           ([2, 2], [2, 2])])
def test_reblocking_keeps_the_order_of_elements(context, before, after):
    made = d2m.ir.calculate_reblock_map(before, after, context)
    text = str(made).split(" -> ")[1].replace("floordiv", "//").replace("mod", "%")
    half = len(after) // 2

    def coordinates(position, shape):
        """The row and column, say, of a position in a blocking."""
        return [position[d] * shape[half + d] + position[half + d] for d in range(half)]

    def flat(position, shape):
        at = 0
        for d, p in enumerate(coordinates(position, shape)):
            at = at * shape[d] * shape[half + d] + p
        return at

    for position in itertools.product(*map(range, after)):
        found = eval(text, {f"d{i}": p for i, p in enumerate(position)})
        found = found if isinstance(found, tuple) else (found,)
        assert all(0 <= p < size for p, size in zip(found, before))
        assert flat(found, before) == flat(position, after)


def test_composed_maps(context):
    d0, d1 = AffineDimExpr.get(0), AffineDimExpr.get(1)
    swap = AffineMap.get(2, 0, [d1, d0])
    assert str(ttir.ir.affine_map_compose(AffineMap.get(2, 0, [d0 + d1 * 2]), swap)) == "(d0, d1) -> (d1 + d0 * 2)"
