"""Programs of D2MBuilder: generics, spatial regions and views, run on the simulated grid beside NumPy, and their mistakes."""

import numpy as np
import pytest
from test_d2m_run import run

torch = pytest.importorskip("torch")
from builder.base.builder_apis import build_module, compile_d2m_to_flatbuffer  # noqa: E402
from builder.base.methods import BuilderError  # noqa: E402
from ttmlir import ir  # noqa: E402
from ttmlir.dialects import arith, d2m, tensor  # noqa: E402

N = 128
MAPS = [lambda m, n, k: (m, k), lambda m, n, k: (k, n), lambda m, n, k: (m, n)]
KINDS = ["parallel", "parallel", "reduction"]


def on_grid(builder, x, grid=(2, 2)):
    return builder.to_layout(x, output_type=builder.get_metal_tensor_layout([N, N], grid=list(grid), tiled=True))


def result(builder, x):
    return builder.to_layout(x, output_type=ir.RankedTensorType.get([N, N], ir.F32Type.get()))


def product(builder):
    """A matmul by blocks: rows of the left side and columns of the right one are sent to all cores that need them."""
    @builder.func([(N, N), (N, N)], [torch.float32] * 2)
    def f(lhs, rhs, builder):
        @builder.generic(grid=(2, 2), block_factors=(1, 1, 2), indexing_maps=MAPS, iterator_types=KINDS)
        def mm(lhs, rhs, out):
            m, n, k = (d2m.block_index(i) for i in range(3))
            row, column = (arith.constant(ir.IndexType.get(), i) for i in range(2))
            left = builder.remote_load(lhs, [m, k], mcast_dims=[row])
            right = builder.remote_load(rhs, [k, n], mcast_dims=[column])
            block = tensor.empty([2, 2], out.type.element_type)
            d2m.tile_matmul_block(left, right, block)
            d2m.yield_([d2m.remote_store(out.type, out, [m, n], start_device=[], device_mcast_shape=[], semaphore_indices=[], local_buffer=block)])

        out = d2m.empty(builder.get_metal_tensor_layout([N, N], grid=[2, 2], tiled=True))
        return result(builder, mm(on_grid(builder, lhs), on_grid(builder, rhs), out))


def test_generic_runs(tmp_path):
    module, _ = build_module(product, "d2m")
    assert "d2m.generic {block_factors = [1, 1, 2], grid = #ttcore.grid<2x2>" in str(module) and "mcast[" in str(module)
    g = np.random.default_rng(4)
    x, y = (g.integers(-4, 5, (N, N)).astype(np.float32) for _ in range(2))
    np.testing.assert_array_equal(run(tmp_path, str(module), [x, y]), x @ y)


def test_generic_is_compiled():
    binary = compile_d2m_to_flatbuffer(product, target="ttmetal", custom_pipeline="ttir-to-ttmetal-pipeline", write=False)[1]
    assert binary.file_identifier == "TTM0"


def test_reblock():
    def root(builder):
        @builder.func([(N, N)], [torch.float32])
        def f(x, builder):
            return result(builder, builder.reblock(builder.reblock(on_grid(builder, x), [4, 1]), [2, 2]))

    text = str(build_module(root, "d2m")[0])
    assert "tensor<2x2x2x2x!ttcore.tile<32x32, f32>, #layout> -> tensor<4x1x1x4x!ttcore.tile<32x32, f32>, #layout>" in text


def test_spatial():
    def root(builder):
        @builder.func([(N, N)], [torch.float32])
        def f(x, builder):
            held, out = on_grid(builder, x), d2m.empty(builder.get_metal_tensor_layout([N, N], grid=[2, 2], tiled=True))

            @builder.generic(grid=(2, 2), block_factors=(1, 1), indexing_maps=[lambda i, j: (i, j)] * 2, iterator_types=["parallel"] * 2)
            def copy(x, out):
                i, j = d2m.block_index(0), d2m.block_index(1)
                d2m.yield_([d2m.remote_store(out.type, out, [i, j], start_device=[], device_mcast_shape=[], semaphore_indices=[],
                                             local_buffer=builder.remote_load(x, [i, j]))])

            made = builder.spatial([held], [out], [((0, 0), (1, 1))], [lambda: d2m.spatial_yield([copy(held, out)])])
            return result(builder, made[0])

    text = str(build_module(root, "d2m")[0])
    assert "d2m.spatial" in text and "core_range<(0,0), (1,1)>" in text and "d2m.spatial_yield" in text


@pytest.mark.parametrize("arguments, words", [
    (dict(grid=None), "without block_factors.*give grid="),
    (dict(block_factors=[1, 1]), "needs indexing_maps and iterator_types"),
    (dict(block_factors=[1, 1], indexing_maps=MAPS, iterator_types=KINDS), "an indexing map of 3 indices beside 3 iterator_types and 2 block_factors"),
    (dict(block_factors=[1, 1, 1], indexing_maps=MAPS, iterator_types=KINDS, grid=[2]), "gives 2 positions on a grid of 1 dimensions"),
    (dict(block_factors=[1, 1, 1], indexing_maps=MAPS, iterator_types=KINDS, skip_grid_selection=True), "skip_grid_selection needs grid="),
])
def test_mistakes_of_generics(arguments, words):
    def root(builder):
        @builder.func([(N, N)], [torch.float32])
        def f(x, builder):
            builder.generic(**arguments)
            return x

    with pytest.raises(BuilderError, match=words):
        build_module(root, "d2m")


@pytest.mark.parametrize("grid, words", [([3, 1], "dimension 0 has 4 elements, which 3 does not divide"), ([4], "a grid of 1 dimensions does not fit")])
def test_mistakes_of_views(grid, words):
    def root(builder):
        @builder.func([(N, N)], [torch.float32])
        def f(x, builder):
            return builder.reblock(on_grid(builder, x), grid)

    with pytest.raises(BuilderError, match=words):
        build_module(root, "d2m")


def test_masks_and_views(tmp_path):
    """The padding of a tensor in tiles becomes a number; a view without a remapping shows it."""
    from ttmlir.dialects import ttcore

    def root(builder):
        @builder.func([(50, 40)], [torch.float32])
        def f(x, builder):
            tiled = builder.tilize(x, output_type=builder.get_metal_tensor_layout([50, 40], tiled=True))
            filled = builder.mask(tiled, [50, 40], ttcore.OOBVal.One)
            seen = builder.view_layout(filled, builder.get_metal_tensor_layout([64, 64], tiled=True), reinterpret_layout=True)
            return builder.to_layout(seen, output_type=ir.RankedTensorType.get([64, 64], ir.F32Type.get()))

    module = build_module(root, "d2m")[0]
    assert "logical_shape = [50, 40]" in str(module) or "logicalShape" in str(module)
    x = np.random.default_rng(5).integers(2, 9, (50, 40)).astype(np.float32)
    wanted = np.ones((64, 64), np.float32)
    wanted[:50, :40] = x
    np.testing.assert_array_equal(run(tmp_path, str(module), [x]), wanted)


def test_ttir_layouts_make_their_destination():
    """tt-mlir's builder of TTIR takes the type of a layout's result, not the tensor that it is written to."""
    def root(builder):
        @builder.func([(N, N)], [torch.float32])
        def f(x, builder):
            tiled = builder.tilize(x, output_type=builder.get_metal_tensor_layout([N, N], tiled=True))
            moved = builder.to_layout(tiled, output_type=builder.get_metal_tensor_layout([N, N], grid=[1, 1], tiled=True))
            return builder.untilize(moved, output_type=x.type)

    text = str(build_module(root, "ttir")[0])
    assert text.count("ttir.to_layout") == 3 and text.count("ttir.empty") == 3


def test_mappings_as_attributes():
    """d2m.empty takes the maps of a virtual grid as maps and as attributes."""
    def root(as_attribute):
        def build(builder):
            @builder.func([(N, N)], [torch.float32])
            def f(x, builder):
                d = [ir.AffineDimExpr.get(i) for i in range(4)]
                one = ir.AffineConstantExpr.get(1)
                maps = [ir.AffineMap.get(2, 0, [ir.AffineConstantExpr.get(0), d[0] - one, d[1] - one]), ir.AffineMap.get(4, 0, [d[0] + one, d[1] + one, d[2], d[3]])]
                out = builder.empty(builder.get_metal_tensor_layout([N, N], tiled=True), *(ir.AffineMapAttr.get(m) if as_attribute else m for m in maps))
                return result(builder, builder.to_layout(x, output=out))

        return str(build_module(build, "d2m")[0])

    assert root(True) == root(False) and "virtualGridForwardMapping" in root(True)
