"""Reports of bytes whose format differs from their destination's, or that are not a buffer's."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import Built, cb_type, module, op, to_host  # noqa: E402
from test_sim_ops import IDX, copy, regs  # noqa: E402
from tilewright import sim  # noqa: E402

SHARDED = (sim.DRAM_SHARDED, sim.L1_SHARDED)
MEMORIES = [sim.DRAM, sim.L1, *SHARDED]


def ones(grid, dtype, memory=sim.DRAM, tiled=True, shape=(32, 32)):
    return grid.tensor(shape, dtype, data=to_host(np.ones(shape), dtype), memory=memory, tiled=tiled, **({"shards": (1, 1)} if memory in SHARDED else {}))


def launched(grid, first, last, tensors, pages, inside=regs(*copy(0, 0, 0, "bf16"))):
    """A tile of bf16 from the first buffer to the last, which movers copy from and to tensors in pages of these
    sizes."""
    text = module([(1, first.dtype, pages[0])], (1, last.dtype, pages[1]), inside)
    runs = [sim.Run("read0", compile_args=[sim.cb(0), sim.accessor(0)], common_args=[sim.address(0)]),
            sim.Run("compute", compile_args=[sim.cb(0), sim.cb(16)]),
            sim.Run("write", compile_args=[sim.cb(16), sim.accessor(1)], common_args=[sim.address(1)], noc=1)]
    grid.load(text).launch(runs, [first, last], tensors).run()


BUFFER, LAST = sim.Buffer(0, "bf16", 1), sim.Buffer(16, "bf16", 1)


@pytest.mark.parametrize("memory", MEMORIES)
def test_a_tensor_of_another_format(memory):
    grid = sim.Grid()
    with pytest.raises(sim.KernelError, match="sends a tile of bf16 from circular buffer 16 to a tensor of bfp_bf8"):
        launched(grid, BUFFER, LAST, [ones(grid, "bf16"), ones(grid, "bfp_bf8", memory)], (2048, 1088))


def test_packs_to_pages_that_are_no_tiles():
    grid = sim.Grid()
    with pytest.raises(sim.KernelError, match="circular buffer 16 has pages of 64 bytes, a tile of bf16 has 2048"):
        launched(grid, BUFFER, sim.Buffer(16, "bf16", 1, page_bytes=64), [ones(grid, "bf16")] * 2, (2048, 2048))


def test_pages_of_another_format_over_several():
    """A tile of f32 covers two pages of bf16: neither is a tile of bf16."""
    grid = sim.Grid()
    text = module([(2, "bf16", 4096)], (1, "bf16", 2048), regs(*copy(0, 1, 0, "bf16", tiles=2)))
    runs = [sim.Run("read0", compile_args=[sim.cb(0), sim.accessor(0)], common_args=[sim.address(0)]),
            sim.Run("compute", compile_args=[sim.cb(0), sim.cb(16)]),
            sim.Run("write", compile_args=[sim.cb(16), sim.accessor(1)], common_args=[sim.address(1)], noc=1)]
    tensors = [ones(grid, "f32", shape=(32, 64)), ones(grid, "bf16")]
    with pytest.raises(sim.KernelError, match="circular buffer 0 is of bf16, and the page holds what a tensor of f32 has"):
        grid.load(text).launch(runs, [sim.Buffer(0, "bf16", 4), LAST], tensors).run()


@pytest.mark.parametrize("memory", [sim.DRAM, sim.L1])
def test_rows_of_another_format(memory):
    """Rows of a tensor are read as a tile of something else; a packed tile is written to a tensor as its row."""
    grid = sim.Grid()
    with pytest.raises(sim.KernelError, match="circular buffer 0 is of bf16, and the page holds what a tensor of f32 has"):
        launched(grid, BUFFER, LAST, [ones(grid, "f32", memory, False, (1, 512)), ones(grid, "bf16")], (2048, 2048))
    with pytest.raises(sim.KernelError, match="sends a row of bf16 from circular buffer 16 to a tensor of f32"):
        launched(grid, BUFFER, LAST, [ones(grid, "bf16"), ones(grid, "f32", memory, False, (1, 512))], (2048, 2048))
    out = ones(grid, "bf16", memory, False, (1, 1024))
    launched(grid, BUFFER, LAST, [ones(grid, "bf16"), out], (2048, 2048))


def test_more_is_sent_than_the_buffer_has():
    """The bytes after it are another buffer's, and defined."""
    grid = sim.Grid()
    with pytest.raises(sim.KernelError, match="L1 range: source 0x[0-9a-f]+ with 4096 bytes on core 0,0 lies in no circular buffer and no tensor"):
        launched(grid, LAST, BUFFER, [ones(grid, "bf16"), ones(grid, "f32")], (2048, 4096))


def test_products_and_sums_onto_integers():
    grid, c, w = sim.Grid(), cb_type(1, "f32"), cb_type(1, "si32")
    attrs = "<{reduce_type = #ttkernel.reduce_type<reduce_sum>, reduce_dim = #ttkernel.reduce_dim<reduce_dim_row>}>"
    for init, step in ((op("mm_init", ["in0", "in0", "out", "w0"], [c, c, c, "i32"]), op("matmul_tiles", ["in0", "in0", "c0", "c0", "c0"], [c, c, IDX, IDX, IDX])),
                       (op("reduce_init", ["in0", "in0", "out"], [c] * 3, attrs),
                        op("reduce_tile", ["in0", "in0", "c0", "c0", "c0"], [c, c, IDX, IDX, IDX], attrs))):
        startup = op("compute_kernel_hw_startup", ["in1", "in1", "out"], [w, w, c])
        built = Built(grid, [np.ones((32, 32), np.float32), np.ones((32, 32), np.int32)], ["f32", "si32"], (32, 32), "f32",
                      f"    {startup}\n" + regs(*copy(1, 0, 0, "si32"), init, step, out=("f32", 1)), wide_dst=True)
        with pytest.raises(sim.KernelError, match="computes with floats, but the DST tile holds integers"):
            built.run()
