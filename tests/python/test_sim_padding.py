"""Lanes of tiles beyond their tensor: reported where they affect its elements, and only there."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from grid_kernels import Built, cb_type, op
from test_sim_broken import TILEWRIGHT
from tilewright import sim


def regs(*steps):
    return "".join(f"    {s}\n" for s in [op("tile_regs_acquire"), *steps, op("tile_regs_commit"), op("tile_regs_wait"),
                                          op("pack_tile", ["c0", "out", "c0"], ["index", cb_type(1, "f32"), "index"],
                                             "<{out_of_order = true}>"), op("tile_regs_release")])


C = cb_type(1, "f32")
COPY = [op("copy_tile_init", ["in0"], [C]), op("copy_tile", ["in0", "c0", "c0"], [C, "index", "index"])]
MASK = [op("copy_tile_init", ["in1"], [C]), op("copy_tile", ["in1", "c0", "c1"], [C, "index", "index"]),
        op("mul_binary_tile_init"), op("mul_binary_tile", ["c0", "c1", "c0"], ["index"] * 3)]


def unary(*names):
    return [s for name in names for s in (op(f"{name}_tile_init"), op(f"{name}_tile", ["c0"], ["index"]))]


def reduces(dim, kind="sum"):
    attrs = f"<{{reduce_dim = #ttkernel.reduce_dim<reduce_dim_{dim}>, reduce_type = #ttkernel.reduce_type<reduce_{kind}>}}>"
    return [op("reduce_init", ["out", "in1", "out"], [C] * 3, attrs),
            op("tile_regs_acquire"),
            op("reduce_tile", ["out", "in1", "c0", "c0", "c0"], [C, C, "index", "index", "index"], attrs),
            op("tile_regs_commit"), op("tile_regs_wait"), op("tile_regs_release"), op("reduce_uninit")]


def reported(shape, steps, dim, kind="sum", **layout):
    """The reports when a tile computed by these steps is reduced. `layout`: of the tensor."""
    grid = sim.Grid()
    tensor = grid.tensor
    grid.tensor = lambda dims, dtype, data=None: tensor(dims, dtype, data, **(layout if dims == shape else {}))
    ones = np.ones((32, 32), np.float32)
    push = [op("cb_push_back", ["out", "w1"], [C, "i32"]), op("cb_wait_front", ["out", "w1"], [C, "i32"])]
    again = [op("cb_pop_front", ["out", "w1"], [C, "i32"]), op("cb_reserve_back", ["out", "w1"], [C, "i32"])]
    last = [*COPY]
    start = f"    {op('compute_kernel_hw_startup', ['in0', 'in1', 'out'], [C] * 3)}\n"
    body = start + regs(*steps) + "".join(f"    {s}\n" for s in [*push, *reduces(dim, kind), *again]) + regs(*last)
    built = Built(grid, [np.ones(shape, np.float32), ones], ["f32", "f32"], (32, 32), "f32", body, wide_dst=True)
    built.run()
    return [r["kind"] for r in built.launch.reports]


@pytest.mark.parametrize("shape, steps, dim, wrong", [
    ((32, 20), COPY, "row", False),  # zeros add nothing
    ((32, 20), COPY + unary("exp"), "row", True),
    ((32, 20), COPY + unary("exp"), "col", False),  # whole columns are in the padding, none is added
    ((20, 32), COPY + unary("exp"), "col", True),
    ((20, 32), COPY + unary("exp"), "row", False),
    ((20, 20), COPY + unary("exp"), "scalar", True),
    ((32, 32), COPY + unary("exp"), "row", False),
    ((32, 20), COPY + unary("exp") + MASK, "row", False),  # the other factor may be a mask
    ((32, 20), COPY + unary("abs", "square", "sqrt", "relu"), "row", False),
    ((32, 20), COPY + unary("cos", "abs"), "row", True),
    ((32, 20), COPY + unary("square", "exp", "negative"), "row", True),
])
def test_padding_that_goes_into_numbers(shape, steps, dim, wrong):
    assert reported(shape, steps, dim) == (["padding"] if wrong else [])


@pytest.mark.parametrize("shape, steps, dim, wrong", [
    ((32, 20), COPY, "row", True),  # zeros may be the maximum
    ((32, 20), COPY, "col", False),
    ((20, 32), COPY, "col", True),
    ((20, 20), COPY + unary("exp"), "scalar", True),
    ((32, 32), COPY, "row", False),
    ((32, 20), COPY + MASK, "row", True),  # zero times a mask is zero
])
def test_maxima_see_zeros(shape, steps, dim, wrong):
    assert reported(shape, steps, dim, "max") == (["padding"] if wrong else [])


@pytest.mark.parametrize("layout", [dict(memory=sim.L1), dict(memory=sim.DRAM_SHARDED, shards=(1, 1)),
                                   dict(memory=sim.L1_SHARDED, shards=(1, 1)), dict(memory=sim.L1_SHARDED, shards=(1, 1), cores=(1, 2, 1))],
                         ids=["L1", "DRAM sharded", "L1 sharded", "on another core"])
def test_wherever_the_tensor_lies(layout):
    assert reported((32, 20), COPY + unary("exp"), "row", **layout) == ["padding"]
    assert reported((20, 32), COPY + unary("exp"), "row", **layout) == []


MOVES = """
#include "dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_common_arg_val<uint32_t>(0), 2048);
    const uint32_t from[2] = {PAGE, 0};
    for (uint32_t i = 0; i < 2; i++) {
        cb_reserve_back(i, 1);
        if (i == 0) { noc_async_read_tile(from[0], x, get_write_ptr(0)); }
        else { for (uint32_t k = 0; k < 512; k++) reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(1))[k] = 0x3f803f80; }
        noc_async_read_barrier();
        cb_push_back(i, 1);
    }
}
"""
MAXIMUM = """
#include "compute_kernel_api/reduce.h"
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 16);
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    tile_regs_acquire();
    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();
    reduce_uninit();
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
}
"""


@pytest.mark.skipif(not shutil.which("c++"), reason="no C++ compiler")
@pytest.mark.parametrize("layout", [dict(memory=sim.DRAM_SHARDED, shards=(2, 2)), dict(memory=sim.L1_SHARDED, shards=(2, 2)),
                                   dict(memory=sim.L1_SHARDED, shards=(2, 2), cores=(1, 1, 4)), {}], ids=str)
def test_of_a_tensors_tiles_those_at_the_edge(layout):
    x = np.ones((2, 90, 120), np.float32)  # 6 tiles vertically, 4 horizontally
    for page in range(24):
        grid = sim.Grid()
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)
        tensor = grid.tensor(x.shape, "bf16", data=bits, **layout)
        launch = grid.load().launch(
            [sim.Run(MOVES, common_args=[sim.address(0)], compile_args=[sim.accessor(0)], defines={"PAGE": page}), sim.Run(MAXIMUM)],
            [sim.Buffer(i, "bf16", 1) for i in (0, 1, 16)], [tensor])
        launch.run()
        assert [r["kind"] for r in launch.reports] == (["padding"] if page % 4 == 3 else []), (page, launch.log)


def test_a_tensor_of_a_program_has_its_arrays_edges(tmp_path):
    text = (Path(__file__).parents[2] / "examples/broken/padding.mlir").read_text()
    for shape, wrong in (("32x20", True), ("32x32", False)):
        file = tmp_path / "program.mlir"
        file.write_text(text.replace("memref<32x20xbf16>", f"memref<{shape}xbf16>"))
        out = subprocess.run([TILEWRIGHT, "sim", str(file)], capture_output=True, text=True)
        assert ("padding" in out.stderr.replace("padding.mlir", "")) == wrong, out.stderr


I = "index"
REUSE = "<{eltwise_binary_type = #ttkernel.eltwise_binary_type<add>, reuse_type = #ttkernel.reuse_type<dest_to_srca>}>"


def fpu(name):
    return [op(f"{name}_tiles_init", ["in0", "in1"], [C, C]), op("tile_regs_acquire"),
            op(f"{name}_tiles", ["in0", "in1", "c0", "c0", "c0"], [C, C, I, I, I])]


def loaded(*steps):
    load = [s for i in (0, 1) for s in (op("copy_tile_init", [f"in{i}"], [C]),
                                        op("copy_tile", [f"in{i}", "c0", f"c{i}"], [C, I, I]))]
    return [op("tile_regs_acquire"), *load, *steps]


def sfpu(name, suffix="_binary_tile"):
    return loaded(op(f"{name}{suffix}_init"), op(f"{name}{suffix}", ["c0", "c1", "c0"], [I] * 3))


def kept(steps, shapes, out_shape):
    """The reports when two tiles go through these steps and the result to a tensor, in three runs."""
    grid = sim.Grid()
    end = [op("tile_regs_commit"), op("tile_regs_wait"), op("pack_tile", ["c0", "out", "c0"], [I, C, I],
                                                            "<{out_of_order = true}>"), op("tile_regs_release")]
    body = "".join(f"    {s}\n" for s in [op("compute_kernel_hw_startup", ["in0", "in1", "out"], [C] * 3), *steps, *end])
    built = Built(grid, [np.ones(s, np.float32) for s in shapes], ["f32", "f32"], out_shape, "f32", body, wide_dst=True)
    built.run()
    return [r["kind"] for r in built.launch.reports]


OPERATIONS = {**{f"{n}_tiles": fpu(n) for n in ("add", "sub", "mul")},
              **{f"{n}_binary_tile": sfpu(n) for n in ("add", "sub", "mul", "div", "eq", "power")},
              **{f"binary_{n}_tile": sfpu(f"binary_{n}", "_tile") for n in ("max", "min")},
              "where_tile": loaded(op("where_tile_init"), op("where_tile", ["c1", "c0", "c1", "c0"], [I] * 4, "<{dtype = #ttcore.supportedDataTypes<f32>}>")),
              "dest_reuse": [op("tile_regs_acquire"), op("copy_tile_init", ["in0"], [C]), op("copy_tile", ["in0", "c0", "c0"], [C, I, I]),
                             op("binary_dest_reuse_tiles_init", ["in1"], [C], REUSE),
                             op("binary_dest_reuse_tiles", ["in1", "c0", "c0"], [C, I, I], REUSE)]}


@pytest.mark.parametrize("name", OPERATIONS)
def test_padding_that_meets_values_where_it_is_stored(name):
    steps, whole = OPERATIONS[name], (32, 32)
    for shape in ((1, 32), (32, 1)):
        assert kept(steps, [shape, whole], whole) == kept(steps, [whole, shape], whole) == ["padded operand"]
        assert kept(steps, [shape, whole], shape) == kept(steps, [shape, shape], whole) == kept(steps, [whole, whole], whole) == []


BROADCASTS = """
#include "compute_kernel_api/bcast.h"
void kernel_main() {
    FORM_init;
    cb_wait_front(0, 1);
    cb_wait_front(1, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    FORM_tiles(0, 1, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
    cb_pop_front(1, 1);
}
"""
READS = """
#include "dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_common_arg_val<uint32_t>(0), 2048);
    constexpr auto args2 = TensorAccessorArgs<args.next_compile_time_args_offset()>();
    const auto y = TensorAccessor(args2, get_common_arg_val<uint32_t>(1), 2048);
    cb_reserve_back(0, 1);
    noc_async_read_tile(0, x, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
    cb_reserve_back(1, 1);
    noc_async_read_tile(0, y, get_write_ptr(1));
    noc_async_read_barrier();
    cb_push_back(1, 1);
}
"""
WRITES = """
#include "dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_common_arg_val<uint32_t>(0), 2048);
    cb_wait_front(16, 1);
    noc_async_write_tile(0, x, get_read_ptr(16));
    noc_async_write_barrier();
    cb_pop_front(16, 1);
}
"""


@pytest.mark.skipif(not shutil.which("c++"), reason="no C++ compiler")
@pytest.mark.parametrize("form, init, shape, wrong", [
    ("add", "binary_op_init_common(0, 1, 16); add_tiles_init(0, 1)", (1, 32), True),
    ("mul", "binary_op_init_common(0, 1, 16); mul_tiles_init(0, 1)", (32, 1), True),
    ("add_tiles_bcast<BroadcastType::ROW>", "init_bcast<EltwiseBinaryType::ELWADD, BroadcastType::ROW>(0, 1, 16)", (1, 32), False),
    ("add_tiles_bcast<BroadcastType::COL>", "init_bcast<EltwiseBinaryType::ELWADD, BroadcastType::COL>(0, 1, 16)", (32, 1), False),
    ("add_tiles_bcast<BroadcastType::COL>", "init_bcast<EltwiseBinaryType::ELWADD, BroadcastType::COL>(0, 1, 16)", (1, 32), True),
])
@pytest.mark.parametrize("layout", [{}, dict(memory=sim.L1), dict(memory=sim.L1_SHARDED, shards=(1, 1))], ids=["DRAM", "L1", "L1 sharded"])
def test_broadcasts_in_cpp(form, init, shape, wrong, layout):
    grid = sim.Grid()
    bits = lambda *s: (np.ones(s, np.float32).view(np.uint32) >> 16).astype(np.uint16)  # noqa: E731
    x, y = grid.tensor((32, 32), "bf16", data=bits(32, 32), **layout), grid.tensor(shape, "bf16", data=bits(*shape), **layout)
    out = grid.tensor((32, 32), "bf16", **layout)
    compute = BROADCASTS.replace("FORM_init", init).replace("FORM_tiles", form if "<" in form else f"{form}_tiles")
    launch = grid.load().launch(
        [sim.Run(READS, common_args=[sim.address(0), sim.address(1)], compile_args=[sim.accessor(0), sim.accessor(1)]),
         sim.Run(compute), sim.Run(WRITES, common_args=[sim.address(2)], compile_args=[sim.accessor(2)], noc=1)],
        [sim.Buffer(i, "bf16", 1) for i in (0, 1, 16)], [x, y, out])
    launch.run()
    assert [r["kind"] for r in launch.reports] == (["padded operand"] if wrong else []), launch.log
