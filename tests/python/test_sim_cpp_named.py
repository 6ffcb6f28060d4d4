"""C++ kernels that access arguments by name (args::, dfb::, tensor::, sem::), and the objects they use."""

import shutil

import numpy as np
import pytest
from cpp_kernels import printed
from tilewright.sim import L1_SHARDED, Buffer, Grid, Run

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")

READ = """
#include "api/dataflow/noc.h"
#include "api/dataflow/dataflow_buffer.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    const uint32_t first = get_arg(args::first), count = get_arg(args::count);
    DataflowBuffer in(dfb::src);
    Noc noc;
    const auto x = TensorAccessor(tensor::src);
    for (uint32_t i = first; i < first + count; i++) {
        in.reserve_back(1);
        noc.async_read(x, in, in.get_entry_size(), {.page_id = i}, {});
        noc.async_read_barrier();
        in.push_back(1);
    }
}
"""
SCALE = """
#include "api/compute/common.h"
#include "api/dataflow/dataflow_buffer.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    constexpr uint32_t scale = get_arg(args::scale);
    DataflowBuffer in(dfb::in), out(dfb::out);
    unary_op_init_common(dfb::in, dfb::out);
    copy_tile_init(dfb::in);
    for (uint32_t i = 0; i < get_arg(args::count); i++) {
        in.wait_front(1);
        out.reserve_back(1);
        tile_regs_acquire();
        copy_tile(dfb::in, 0, 0);
        binop_with_scalar_tile_init();
        mul_unary_tile(0, scale);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, dfb::out);
        tile_regs_release();
        in.pop_front(1);
        out.push_back(1);
    }
}
"""
WRITE = """
#include "api/dataflow/noc.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    DataflowBuffer out(dfb::out);
    Noc noc;
    const auto y = TensorAccessor(tensor::out);
    for (uint32_t i = 0; i < get_arg(args::count); i++) {
        out.wait_front(1);
        noc.async_write(out, y, out.get_entry_size(), {.offset_bytes = 0}, {.page_id = get_vararg(i)});
        noc.async_write_barrier();
        out.pop_front(1);
    }
}
"""


def scaled(grid, **changes):
    """3 * x on two cores, the second one's tiles after the first one's."""
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    tensors = [grid.tensor(x.shape, "f32", data=x), grid.tensor(x.shape, "f32")]
    cores = (0, 0, 1, 2)
    read = {"args": [{"first": 0, "count": 2}, {"first": 2, "count": 2}], "dfb": {"src": 0}, "tensor": {"src": 0}}
    launch = grid.load().launch(
        [Run(READ, cores, **{**read, **changes}),
         Run(SCALE, cores, common_args={"count": 2}, compile_args={"scale": 0x40400000}, dfb={"in": 0, "out": 16},
             wide_dst=True, unpack_to_dst=(0,)),
         Run(WRITE, cores, args={"count": 2}, varargs=[[0, 1], [2, 3]], dfb={"out": 16}, tensor={"out": 1}, noc=1)],
        cbs=[Buffer(0, "f32", 2), Buffer(16, "f32", 2)], tensors=tensors).run()
    return launch, x, tensors


def test_names():
    for seed in (0, 3):
        launch, x, (_, out) = scaled(Grid(seed=seed))
        assert np.array_equal(out.read(np.empty_like(x)), 3 * x)
    launch.set_arg(1, "count", 0)
    with pytest.raises(ValueError, match="run 0 has no argument 'last'; it has first, count"):
        launch.set_arg(0, "last", 1, core=0)
    with pytest.raises(ValueError, match="run 0 has no common argument 'count'; it has none with a name"):
        launch.set_arg(0, "count", 1)


@pytest.mark.parametrize("changes, kind, text", [
    ({"args": {"first": 0}}, RuntimeError, "kernel0.cpp:6:72: error: the run gives its kernel no argument named 'count': name it in "
     "args, common_args or compile_args of the run"),
    ({"dfb": {"source": 0}}, RuntimeError, "no circular buffer named 'src': name it in dfb of the run"),
    ({"tensor": {"x": 0}}, RuntimeError, "no tensor named 'src': name it in tensor of the run"),
    ({"args": {"first": 0, "count": 2, "class": 1}}, ValueError, "'class' is no valid C\\+\\+ name for args::"),
    ({"dfb": {"s-rc": 0}}, ValueError, "'s-rc' is no valid C\\+\\+ name for dfb::"),
    ({"args": [0, 2]}, TypeError, "args is a list, and other things of this run have names"),
    ({"args": [{"first": 0, "count": 2}, {"count": 2}]}, ValueError, "core 1's arguments are count, .* first, count"),
    ({"common_args": {"first": 1}}, ValueError, "the argument 'first' is given twice"),
    ({"varargs": [[1], [2], [3]]}, ValueError, "varargs of 3 cores and args of 2"),
])
def test_wrong_names(changes, kind, text):
    with pytest.raises(kind, match=text):
        scaled(Grid(), **changes)


def test_semaphores_by_name():
    """Core 0 sends its page and increments core 1's semaphore, which waits and writes it out."""
    kernel = """
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    DataflowBuffer page(dfb::page);
    Semaphore ready(sem::ready);
    Noc noc;
    const auto x = TensorAccessor(tensor::x), y = TensorAccessor(tensor::y);
    const uint32_t there = get_arg(args::there), row = get_arg(args::row);
    page.reserve_back(1);
    if (get_arg(args::sends)) {
        noc.async_read(x, page, page.get_entry_size(), {.page_id = 0}, {});
        noc.async_read_barrier();
        noc.async_write(use<CircularBuffer::AddrSelector::WRITE_PTR>(page), UnicastEndpoint{}, page.get_entry_size(), {},
                        {.noc_x = there, .noc_y = row, .addr = page.get_write_ptr()});
        noc.async_write_barrier();
        ready.up(noc, there, row, 2);
        noc.async_atomic_barrier();
        page.push_back(1);
        page.wait_front(1);
        page.pop_front(1);
    } else {
        ready.down(1);
        ready.up(4);
        DPRINT << "value " << ready.value() << ENDL();
        page.push_back(1);
        page.wait_front(1);
        noc.async_write(page, y, page.get_entry_size(), {}, {.page_id = 0});
        noc.async_write_barrier();
        page.pop_front(1);
    }
}
"""
    grid = Grid()
    x = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)
    tensors = [grid.tensor(x.shape, "f32", data=x), grid.tensor(x.shape, "f32")]
    launch = grid.load().launch(
        [Run(kernel, (0, 0, 1, 2), args=[{"sends": 1}, {"sends": 0}], common_args={"there": 19, "row": 18},
             dfb={"page": 3}, sem={"ready": 0}, tensor={"x": 0, "y": 1})],
        cbs=[Buffer(3, "f32", 1)], tensors=tensors, semaphores=[0]).run()
    assert np.array_equal(tensors[1].read(np.empty_like(x)), x)
    assert "value 5" in launch.log


def test_objects():
    """Sizes of buffers; memory in elements; zeros and writes with a state arrive."""
    kernel = """
#include "api/dataflow/noc.h"
#include "api/core_local_mem.h"
#include "ckernel.h"
#include "api/tensor/local_tensor_accessor.h"
#include "experimental/kernel_args.h"
void kernel_main() {
    DataflowBuffer buffer(dfb::b);
    Noc noc;
    DPRINT << buffer.get_id() << ' ' << buffer.get_entry_size() << ' ' << buffer.get_total_num_entries() << ' '
           << buffer.get_total_size_bytes() << ' ' << (uint32_t)buffer.pages_reservable_at_back(2) << ENDL();
    LocalTensorAccessor<uint32_t> mine(tensor::mine);
    auto lock = mine.scoped_lock(0, 4);
    CoreLocalMem<uint32_t> p(mine.get_bank_base_address());
    for (uint32_t i = 0; i < 1024; i++)
        p[i] = i;
    auto q = p + 5;
    ++q;
    DPRINT << *q << ' ' << q - p << ' ' << (uint32_t)(q > p) << ' ' << ckernel::load_blocking(&mine[7]) << ENDL();
    noc.async_write_zeros(p, 1024, {.offset_bytes = 1024});
    noc.write_zeros_l1_barrier();
    DPRINT << mine[255] << ' ' << mine[256] << ' ' << mine[511] << ' ' << mine[512] << ENDL();
    const uint32_t x = my_x[0], y = my_y[0], to = mine.get_bank_base_address() + 3072;
    noc.set_async_write_state<NocOptions::DEFAULT, 64>(UnicastEndpoint{}, 64, {.noc_x = x, .noc_y = y, .addr = to});
    noc.async_write_with_state<NocOptions::DEFAULT, 64>(p, UnicastEndpoint{}, 64, {.offset_bytes = 64},
                                                        {.noc_x = x, .noc_y = y, .addr = to + 64});
    noc.async_write_barrier();
    DPRINT << mine[783] << ' ' << mine[784] << ' ' << mine[799] << ' ' << mine[800] << ENDL();
    static_assert(has_flag(NocOptions::TXN_ID | NocOptions::POSTED, NocOptions::POSTED));
}
"""
    grid = Grid()
    tensor = grid.tensor((32, 32), "u32", memory=L1_SHARDED, shards=(1, 1))
    launch = grid.load().launch([Run(kernel, dfb={"b": 4}, tensor={"mine": 0})], cbs=[Buffer(4, "f32", 3)],
                                tensors=[tensor]).run()
    reports = [line.rpartition(": ")[2] for line in launch.log.splitlines() if "remark" in line]
    assert reports == ["4 4096 3 12288 1", "6 6 1 7", "255 0 0 512", "783 16 31 800"], launch.log


NEWER = """
#include "api/compute/transpose.h"
void kernel_main() {
    binary_op_init_common(0, 1, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_wait_front(2, 1);
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(0); i++) {
        cb_reserve_back(16, 2);
        tile_regs_acquire();
        switch (i) {
        CASES
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_init(16);
        pack_block(0, 16, 2);
        tile_regs_release();
        cb_push_back(16, 2);
    }
    cb_pop_front(0, 2);
    cb_pop_front(1, 2);
    cb_pop_front(2, 1);
}
"""
REUSE = "EltwiseBinaryReuseDestType::DEST_TO_SRCA"
BINARY = (("add", np.add), ("sub", np.subtract), ("mul", np.multiply))
NEWER_STEPS = [
    ("copy_init(0); copy_block(0, 0, 0, 2);", lambda a, b: a),
    ("transpose_init(0); transpose_tile(0, 0, 0); transpose_block(0, 1, 1, 1);", lambda a, b: a.swapaxes(1, 2)),
    ("copy_init(0); copy_block(0, 0, 0, 2); transpose_dest_init(); transpose_dest(0); transpose_dest(1);",
     lambda a, b: a.swapaxes(1, 2)),
    *((f"{name}_init(0, 1); {name}_block(0, 1, 0, 0, 0, 2);", f) for name, f in BINARY),
    *((f"{name}_bcast_{kind}_init(0, 1); {name}_tiles_bcast_{kind}(0, 1, 0, 0, 0); "
       f"bcast_init<EltwiseBinaryType::ELW{name.upper()}, BroadcastType::{kind.upper().removesuffix('S')}>(0, 1); "
       f"{name}_tiles_bcast_{kind}(0, 1, 1, 1, 1);", lambda a, b, f=f, part=part: f(a, part(b)))
      for name, f in BINARY
      for kind, part in (("rows", lambda b: b[:, :1]), ("cols", lambda b: b[:, :, :1]), ("scalar", lambda b: b[:, :1, :1]))),
    *((f"copy_init(0); copy_block(0, 0, 0, 2); {name}_reuse_dest_init<{REUSE}>(1); "
       f"{name}_reuse_dest_tiles<{REUSE}>(1, 0, 0); {name}_reuse_dest_tiles<{REUSE}>(1, 1, 1);", f) for name, f in BINARY),
    ("unary_bcast_init<BroadcastType::ROW>(0, 16); unary_bcast<BroadcastType::ROW>(0, 0, 0); "
     "unary_bcast<BroadcastType::ROW>(0, 1, 1); unary_bcast_uninit<BroadcastType::ROW>(0);",
     lambda a, b: np.broadcast_to(a[:, :1], a.shape)),
    ("reduce_init<PoolType::MAX, ReduceDim::REDUCE_COL>(0, 2, 16); "
     "reduce_block<PoolType::MAX, ReduceDim::REDUCE_COL>(0, 2, 0, 0, 0, 2); reduce_uninit();",
     lambda a, b: a.max(axis=1, keepdims=True)),
]


def test_newer_names():
    """Each of the steps on two tiles of two buffers."""
    random = np.random.default_rng(0)
    a, b = (random.integers(-8, 8, (2, 32, 32)).astype(np.float32) for _ in range(2))
    n, grid = len(NEWER_STEPS), Grid()
    tensors = [grid.tensor((64, 32), "f32", data=t.reshape(64, 32)) for t in (a, b)] + [
        grid.tensor((32, 32), "f32", data=np.ones((32, 32), np.float32)), grid.tensor((64 * n, 32), "f32")]
    read = READ.replace("DataflowBuffer in(dfb::src)", "for (uint32_t k = 0; k < 3; k++) { DataflowBuffer in(k)").replace(
        "const auto x = TensorAccessor(tensor::src);",
        "const AbstractTensorAccessorWrapper all[] = {TensorAccessor(tensor::a), TensorAccessor(tensor::b), TensorAccessor(tensor::ones)};\n"
        "const auto &x = all[k];").replace("first + count;", "first + (k < 2 ? count : 1);") + "}"
    cases = "".join(f"        case {i}: {steps} break;\n" for i, (steps, _) in enumerate(NEWER_STEPS))
    grid.load().launch(
        [Run(read, args={"first": 0, "count": 2}, tensor={"a": 0, "b": 1, "ones": 2}),
         Run(NEWER.replace("CASES", cases), args=[n], wide_dst=True),
         Run(WRITE, args={"count": 2 * n}, varargs=[*range(2 * n)], dfb={"out": 16}, tensor={"out": 3}, noc=1)],
        cbs=[*(Buffer(i, "f32", 2) for i in range(3)), Buffer(16, "f32", 2)], tensors=tensors).run()
    got = tensors[3].read(np.empty((64 * n, 32), np.float32)).reshape(n, 2, 32, 32)
    for tiles, (steps, f) in zip(got, NEWER_STEPS, strict=True):
        rows = slice(1) if "reduce" in steps else slice(None)  # the other rows are unspecified
        assert np.array_equal(tiles[:, rows], f(a, b)), steps


def test_pack_untilize_dest():
    x = np.arange(1024, dtype=np.float32).reshape(32, 32)
    grid = Grid()
    tensors = [grid.tensor(x.shape, "f32", data=x), grid.tensor((1, 1024), "f32", tiled=False)]
    compute = SCALE.replace("tile_regs_wait();", "tile_regs_wait(); pack_untilize_dest_init<1>(dfb::out);").replace(
        "pack_tile(0, dfb::out)", "pack_untilize_dest<1>(dfb::out)")
    grid.load().launch(
        [Run(READ, args={"first": 0, "count": 1}, dfb={"src": 0}, tensor={"src": 0}),
         Run(compute, common_args={"count": 1}, compile_args={"scale": 0x40400000}, dfb={"in": 0, "out": 16},
             wide_dst=True, unpack_to_dst=(0,)),
         Run(WRITE, args={"count": 1}, varargs=[0], dfb={"out": 16}, tensor={"out": 1}, noc=1)],
        cbs=[Buffer(0, "f32", 1), Buffer(16, "f32", 1)], tensors=tensors).run()
    assert np.array_equal(tensors[1].read(np.empty((1, 1024), np.float32)).reshape(32, 32), 3 * x)


def test_newer_helpers():
    header = '#include "api/numeric/bfloat16.h"\n#include "api/alignment.h"\n#include "dataflow_api.h"'
    body = """
    DPRINT << align(33, 32) << ' ' << align_power_of_2(64, 32) << ' ' << fp32_to_bf16(1.00390625f) << ' '
           << fp32_to_bf16(1.01171875f) << ' ' << fp32_to_bf16_truncate(1.01171875f) << ' ' << bf16_to_fp32(0x4049) << ENDL();
    noc_async_read_set_trid(0);"""
    assert printed(body, header) == ["core 0,0: 64 64 16256 16258 16257 3.14062"]


@pytest.mark.parametrize("chip, wide, full, reports", [
    ("n150", False, False, "0 0 8192 16 32 1"), ("n150", True, True, "1 1 8192 16 32 1"), ("p150", True, False, "1 0 16384 16 64 0")])
def test_queries_of_the_launch_and_the_chip(chip, wide, full, reports):
    kernel = """
#include "api/compute/common.h"
#ifdef ARCH_WORMHOLE
constexpr uint32_t wormhole = 1;
#else
constexpr uint32_t wormhole = 0;
#endif
static_assert(ENABLE_FP32_DEST_ACC == DST_ACCUM_MODE && unpack_tile_r_dim[0] * unpack_tile_c_dim[1] == 1024);
void kernel_main() {
    DPRINT << (uint32_t)DST_ACCUM_MODE << ' ' << (uint32_t)(DST_SYNC_MODE == DstSync::SyncFull) << ' ' << NOC_MAX_BURST_SIZE << ' '
           << NOC_L1_READ_ALIGNMENT_BYTES << ' ' << NOC_DRAM_READ_ALIGNMENT_BYTES << ' ' << wormhole << ENDL();
}
"""
    launch = Grid(chip).load().launch([Run(kernel, wide_dst=wide, full_sync=full)]).run()
    assert f"core 0,0: {reports}" in launch.log
