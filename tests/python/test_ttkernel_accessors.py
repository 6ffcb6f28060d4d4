"""The specification's sharded example in TTKernel: accessors that describe their tensors' layout, on the grid and as
C++."""

import re
from pathlib import Path

import numpy as np
import pytest
from cpp_kernels import CPP
from tilewright import sim
from tilewright.sim import _core

TEXT = (Path(__file__).parents[1] / "lit/dialect/ttkernel/laid-accessors.mlir").read_text()
READER = TEXT[TEXT.index("\nfunc.func @dm_reader_0"):TEXT.index("// Without a list")]
SHARDED = "#ttkernel.layout<sharded, grid=[2,2], tiles_per_shard=[1,1]>"
CB = "!ttkernel.cb<2, !ttcore.tile<32x32, f32>>"
# "compute_0 and dm_writer_1 similar structure"
OTHERS = f"""
func.func @compute_0() attributes {{ttkernel.thread = #ttkernel.thread<compute>}} {{
  %a = ttkernel.get_compile_time_arg_val(0) : () -> {CB}
  %b = ttkernel.get_compile_time_arg_val(1) : () -> {CB}
  %o = ttkernel.get_compile_time_arg_val(2) : () -> {CB}
  ttkernel.binary_op_init_common %a, %b, %o
  ttkernel.add_tiles_init %a, %b
  ttkernel.cb_wait_front %a, 1
  ttkernel.cb_wait_front %b, 1
  ttkernel.cb_reserve_back %o, 1
  ttkernel.tile_regs_acquire
  ttkernel.add_tiles %a, %b, 0, 0, 0
  ttkernel.tile_regs_commit
  ttkernel.tile_regs_wait
  ttkernel.pack_tile 0, %o, 0
  ttkernel.tile_regs_release
  ttkernel.cb_pop_front %a, 1
  ttkernel.cb_pop_front %b, 1
  ttkernel.cb_push_back %o, 1
  return
}}
func.func @dm_writer_1(%out_addr: i64) {{
  %y = ttkernel.my_logical_y_ : () -> index
  %x = ttkernel.my_logical_x_ : () -> index
  %c2 = arith.constant 2 : index
  %shard_id = affine.apply affine_map<(y, x)[gx] -> (y * gx + x)>(%y, %x)[%c2]
  %shard_id_i32 = arith.index_cast %shard_id : index to i32
  %out = ttkernel.tensor_accessor %out_addr {{layout = {SHARDED}}} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  %cb = ttkernel.get_compile_time_arg_val(0) : () -> {CB}
  ttkernel.cb_wait_front %cb, 1
  %l1 = ttkernel.get_read_ptr %cb
  ttkernel.noc_async_write_shard %shard_id_i32, %out, %l1, 1
  ttkernel.noc_async_write_barrier
  ttkernel.cb_pop_front %cb, 1
  return
}}
"""


def launch(grid, text, tensors):
    cores, ports = (0, 0, 2, 2), [sim.cb(i) for i in range(3)]
    made = grid.load(_core().transform(text, "plan.mlir", "lower-affine"), "plan.mlir").launch(
        [sim.Run("dm_reader_0", cores, [*ports[:2], sim.accessor(0), sim.accessor(1)], args=[sim.address(0), sim.address(1)]),
         sim.Run("compute_0", cores, ports, wide_dst=True),
         sim.Run("dm_writer_1", cores, [ports[2], sim.accessor(2)], args=[sim.address(2)], noc=1)],
        [sim.Buffer(i, "f32", 2) for i in range(3)], tensors)
    made.run()


def tensors_of(grid, memory, shards):
    random = np.random.default_rng(7)
    a, b = (random.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
    made = [grid.tensor((64, 64), "f32", data=x, memory=memory, shards=shards) for x in (a, b)]
    return a, b, [*made, grid.tensor((64, 64), "f32", memory=memory, shards=shards)]


@pytest.mark.parametrize("memory", [sim.L1_SHARDED, sim.DRAM_SHARDED])
@pytest.mark.parametrize("cpp", [False, CPP])
def test_the_plans_sharded_example(memory, cpp):
    grid = sim.Grid(cpp=cpp)
    a, b, tensors = tensors_of(grid, memory, (2, 2))
    launch(grid, READER + OTHERS, tensors)
    got = tensors[2].read(np.empty((64, 64), np.float32))
    # operands are truncated to the matrix unit's 19 bits (10 of the fraction), sums are f32
    assert np.all(np.abs(got - (a + b)) <= 2.0**-10 * (np.abs(a) + np.abs(b)))
    if cpp:
        other = sim.Grid(cpp=False)
        _, _, again = tensors_of(other, memory, (2, 2))
        launch(other, READER + OTHERS, again)
        assert np.array_equal(again[2].read(np.empty((64, 64), np.float32)).view(np.uint32), got.view(np.uint32))


@pytest.mark.parametrize("memory, shards", [(sim.DRAM, ()), (sim.L1_SHARDED, (1, 2))])
def test_a_tensor_of_another_layout_is_reported(memory, shards):
    grid = sim.Grid(cpp=False)
    _, _, tensors = tensors_of(grid, memory, shards)
    with pytest.raises(sim.KernelError, match="the accessor is '!ttkernel.tensor_accessor<tensor<64x64xf32>, #ttkernel.layout<sharded"):
        launch(grid, READER + OTHERS, tensors)


MOVER = """
func.func @copy(%from: i32, %to: index) attributes {ttkernel.compile_time_args = [#ttkernel.arg<arg_type = cb_port, operand_index = 0>, ARGS, ARGS]} {
  %cb = ttkernel.get_compile_time_arg_val(0) : () -> !ttkernel.cb<2, !ttcore.tile<32x32, f32>>
  %a = ttkernel.tensor_accessor %from {layout = #ttkernel.layout<KIND>} : !ttkernel.tensor_accessor<tensor<64x64xf32>>
  %o = ttkernel.tensor_accessor %to {layout = #ttkernel.layout<KIND>} : !ttkernel.tensor_accessor<tensor<2x2x!ttcore.tile<32x32, f32>>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  ttkernel.cb_reserve_back %cb, 1
  %l1 = ttkernel.get_write_ptr %cb
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    ttkernel.noc_async_read_UNIT %i, %a, %l1, ZEROS
    ttkernel.noc_async_read_barrier
    ttkernel.noc_async_write_UNIT %i, %o, %l1
    ttkernel.noc_async_write_barrier
  }
  ttkernel.cb_push_back %cb, 1
  return
}
"""


@pytest.mark.parametrize("kind, unit, memory", [("interleaved", "page", sim.DRAM), ("interleaved", "tile", sim.L1),
                                                ("tiled", "tile", sim.DRAM), ("tiled", "page", sim.L1_SHARDED)])
def test_pages_and_tiles(kind, unit, memory):
    """In a thread that copies a tensor, whose arguments are a word and an index."""
    grid = sim.Grid(cpp=False)
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    shards = (2, 2) if memory == sim.L1_SHARDED else ()
    a, out = (grid.tensor((64, 64), "f32", data=d, memory=memory, shards=shards) for d in (x, np.zeros_like(x)))
    text = (MOVER.replace("KIND", kind).replace("UNIT", unit).replace("ZEROS", "0, 0" if unit == "page" else "0")
            .replace("ARGS", f"#ttkernel.tensor_accessor_args<layout={kind}>"))
    grid.load(text, "move.mlir").launch(
        [sim.Run("copy", compile_args=[sim.cb(0), sim.accessor(0), sim.accessor(1)], args=[sim.address(0), sim.address(1)])],
        [sim.Buffer(0, "f32", 1)], [a, out]).run()
    assert np.array_equal(out.read(np.empty_like(x)), x)


def test_errors_come_with_the_kernels():
    grid = sim.Grid(cpp=False)
    with pytest.raises(RuntimeError, match=re.escape("has layout #ttkernel.layout<interleaved>, entry 1")):
        grid.load(MOVER.replace("KIND", "interleaved").replace("ARGS", "#ttkernel.tensor_accessor_args<layout=tiled>")
                  .replace("UNIT", "page").replace("ZEROS", "0, 0"))
