"""The layer below the kernel API: operations by unit, buffers' own pointers, unpackers that tilize, printed tiles,
named zones of the timeline, assertions."""

import json
import shutil

import numpy as np
import pytest

from cpp_kernels import MOVE, compute, printed
from tilewright import sim

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
rng = np.random.default_rng(11)


def tiles(n):
    return rng.integers(-8, 8, (32, 32 * n)).astype(np.float32)


def test_each_unit_by_itself():
    x = tiles(3)
    unpack = "UNPACK((llk_unpack_AB<BroadcastType::{}>(0, 0, 0, 0)));"
    math = "MATH((llk_math_eltwise_binary<{}, {}, MATH_FIDELITY>({}0)));"
    got = compute(x, [
        "copy_dest_values_init(); UNPACK((llk_unpack_A_init<>(0, 0, 0))); MATH((llk_math_eltwise_unary_datacopy_init<>()));"
        "UNPACK((llk_unpack_A(0, 0))); MATH((llk_math_eltwise_unary_datacopy<>(1))); copy_dest_values_init(); copy_dest_values<DataFormat::Float32>(1, 0);",
        "MATH((llk_math_eltwise_binary_init<ELWADD, NONE>())); UNPACK((llk_unpack_AB_init<NONE>(0, 0)));"
        + unpack.format("NONE") + math.format("ELWADD", "NONE", "") + "copy_tile_init(0);",
        "MATH((llk_math_eltwise_binary_init<ELWMUL, NONE>())); UNPACK((llk_unpack_AB_init<NONE>(0, 0)));"
        + unpack.format("NONE") + math.format("ELWMUL", "NONE", "0, 0, ") + "copy_tile_init(0);"])
    a, b, c = (x[:, 32 * i:32 * i + 32] for i in range(3))
    for i, want in enumerate((a, b + b, c * c)):
        assert np.array_equal(got[:, 32 * i:32 * i + 32], want), i


def test_math_without_an_unpack_is_reported():
    with pytest.raises(sim.KernelError, match="takes tiles that nothing has unpacked"):
        compute(tiles(1), ["MATH((llk_math_eltwise_unary_datacopy<>(1)));"])


POOL = """
#define REDUCE_OP PoolType::{op}
#define REDUCE_DIM ReduceDim::REDUCE_COL
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tilize.h"
#include "compute_kernel_api/pack_untilize.h"
namespace NAMESPACE {{
void MAIN {{
    constexpr bool most = REDUCE_OP == PoolType::MAX;
    tilizeA_B_reduce_init<most, !most>(0, 1, 2, 16, {faces}, {rows});
    pack_untilize_dst_init_short<2>(16, 1, 2);
    cb_wait_front(1, 1);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    for (int again = 0; again < 2; again++) {{
        unpack_tilizeA_B_block<most, true, false, !most>(0, 1, 2, 0, {faces}, {rows});
        for (uint32_t i = 0; i < 2; i++) reduce_tile_math(i, {faces});
    }}
    tile_regs_wait();
    tile_regs_commit();
    pack_untilize_dst<2>(16, 1, 0, 1, 2);
    tile_regs_release();
    cb_pop_front(0, 2);
    cb_pop_front(1, 1);
    cb_push_back(16, 2);
}}
}}
"""


@pytest.mark.parametrize("op", ["MAX", "SUM"])
@pytest.mark.parametrize("faces, rows", [(2, 9), (4, 16)])
def test_pools_over_rows_of_a_matrix(op, faces, rows):
    """The unpacker reads rows of 64 elements as two tiles, of which the columns are pooled; twice: accumulating in
    DST."""
    grid = sim.Grid()
    n = rows * faces // 2
    x = -1 - rng.integers(0, 9, (32, 64)).astype(np.float32)
    scale = np.full((32, 32), 0.5 if op == "SUM" else 1, np.float32)
    b, out, flat = grid.tensor((32, 32), "f32", data=scale), grid.tensor((32, 64), "f32"), x.reshape(-1)
    a = grid.tensor((32, 64), "f32", data=np.concatenate([unfaced(flat[:1024]), unfaced(flat[1024:])], axis=1))
    one = MOVE.replace("kernel_main", "move")
    read = one + "void kernel_main() { " + "".join(
        f"""{{ InterleavedAddrGen<true> t = {{.bank_base_address = get_arg_val<uint32_t>({cb}), .page_size = 4096}};
        for (uint32_t i = 0; i < {count}; i++) {{ cb_reserve_back({cb}, 1); noc_async_read_page(i, t, get_write_ptr({cb}));
        noc_async_read_barrier(); cb_push_back({cb}, 1); }} }}""" for cb, count in ((1, 1), (0, 2))) + "}"
    grid.load().launch([sim.Run(read, compile_args=[0, 1],
                                args=[sim.address(0), sim.address(1)]),
                        sim.Run(POOL.format(op=op, faces=faces, rows=rows), wide_dst=True),
                        sim.Run(MOVE, compile_args=[16, 0], args=[sim.address(2), 2], noc=1)],
                       cbs=[sim.Buffer(0, "f32", 2), sim.Buffer(1, "f32", 1), sim.Buffer(16, "f32", 2)], tensors=[a, b, out]).run()
    got = faced(out.read(np.empty((32, 64), np.float32)))[:64]
    assert np.array_equal(got, x[:n].max(0) if op == "MAX" else x[:n].sum(0))


def unfaced(numbers):
    """The tile whose faces hold these elements in order."""
    return np.block([[f for f in pair] for pair in numbers.reshape(2, 2, 16, 16)])


def faced(tile):
    """A tile's elements in memory order."""
    t = tile[:, :32]
    return np.concatenate([t[r:r + 16, c:c + 16].reshape(-1) for r in (0, 16) for c in (0, 16)])


def test_sums_of_integers_and_rows_elsewhere():
    x = rng.integers(0, 9, (32, 128)).astype(np.float32)
    to, back = "typecast_tile_init<0, 8>(); typecast_tile<0, 8>(0);", "typecast_tile_init<8, 0>(); typecast_tile<8, 0>(0);"
    got = compute(x, [f"{to} sfpu_sum_int_init(); sfpu_sum_int_col(0); {back}", f"{to} sfpu_sum_int_row(0); {back}",
                      f"{to} fill_tile_init(); fill_tile_int(1, 5); sfpu_add_int(0); {back}",
                      "reshuffle_rows_tile_init(); copy_dest_values_init(); copy_dest_values<DataFormat::Float32>(0, 1);"
                      "{ auto *to = (tt_l1_ptr uint8_t *)get_write_ptr(16); for (int i = 0; i < 32; i++) to[i] = i % 2 ? 255 : i / 2; }"
                      "reshuffle_rows_tile(0, get_write_ptr(16) - 16); copy_dest_values<DataFormat::Float32>(1, 0);"])
    a, b, c, d = (x[:, 32 * i:32 * i + 32] for i in range(4))
    assert np.array_equal(got[:4, :32], a.reshape(8, 4, 32).sum(0))
    assert np.array_equal(got[:, 32:48:2], b[:, 0:16:2] + b[:, 1:16:2] + b[:, 16::2] + b[:, 17::2])
    assert np.array_equal(got[:, 64:96], c + 5) and np.array_equal(got[:, 96:], d + np.concatenate([d[::2], 0 * d[::2]]))


def test_pointers_of_a_ring():
    """Reads and writes pointers; in bytes for data movement, in units of 16 bytes in compute kernels."""
    body = """
    cb_reserve_back(0, 2);
    auto &ring = get_local_cb_interface(0);
    uint32_t start = ring.fifo_wr_ptr;
    cb_push_back(0, 2);
    cb_wait_front(0, 2);
    cb_pop_front(0, 2);
    DPRINT << (ring.fifo_wr_ptr - start) / ring.fifo_page_size << " " << (ring.fifo_limit - start) / ring.fifo_page_size << " ";
    DPRINT << ring.fifo_page_size << " " << CB_PAGE_SIZE(0) << ENDL();
    ring.fifo_wr_ptr = start;
    get_local_cb_interface(0).fifo_rd_ptr = start;
    DPRINT << get_read_ptr(0) - CB_RD_PTR(0) << " " << ring.fifo_rd_ptr - start << ENDL();"""
    assert printed(body) == ["core 0,0: 2 4 ", "core 0,0: 4096 4096", "core 0,0: 0 0"]
    with pytest.raises(sim.KernelError, match="where no page of it begins"):
        printed("get_local_cb_interface(0).fifo_rd_ptr += 8;")
    grid = sim.Grid()
    made = grid.load().launch([sim.Run('#include "compute_kernel_api/common.h"\nnamespace NAMESPACE { void MAIN {\n'
                                       "DPRINT << get_local_cb_interface(0).fifo_page_size; } }\n")], cbs=[sim.Buffer(0, "f32", 4)])
    made.run()
    assert "256" in made.log


def test_printed_tiles():
    x = (np.arange(1024).reshape(32, 32) / 4).astype(np.float32)
    for dtype, data in (("f32", x), ("bf16", (x.view(np.uint32) >> 16).astype(np.uint16)), ("bfp_bf8", x)):
        grid = sim.Grid()
        a = grid.tensor((32, 32), dtype, data=data)
        text = """#include "dataflow_api.h"
void kernel_main() {
    const InterleavedAddrGenFast<true> t = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = get_tile_size(0),
                                            .data_format = get_dataformat(0)};
    cb_reserve_back(0, 1);
    noc_async_read_tile(0, t, get_write_ptr(0));
    noc_async_read_barrier();
    DPRINT << TSLICE(0, 0, SliceRange::hw0_32_16(), TSLICE_OUTPUT_CB, TSLICE_WR_PTR, true, true) << ENDL();
    cb_push_back(0, 1);
    DPRINT << TileSlice(0, 0, SliceRange{.h0 = 0, .h1 = 1, .hs = 1, .w0 = 0, .w1 = 4, .ws = 1}, true, true) << "end";
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"""
        made = grid.load().launch([sim.Run(text, args=[sim.address(0)])], cbs=[sim.Buffer(0, dtype, 1)], tensors=[a])
        made.run()
        lines = [line.split(": ", 2)[-1] for line in made.log.splitlines() if "remark" in line]
        near = 1 if dtype == "f32" else 2
        got = np.array([[float(v) for v in line.split(": ")[1].split()] for line in lines[:2]])
        assert np.allclose(got, x[::16, ::16], atol=near), dtype
        assert lines[-1].endswith("end") and len(lines) == 4


def test_numbers_by_their_bits():
    assert printed('DPRINT << BF16(0x3FC0) << " " << F32(2.5f) << " " << U32(7) << "\\n" << WAIT{1} << RAISE{2} << sizeof(BF16);') == [
        "core 0,0: 1.5 2.5 7", "core 0,0: 2"]


def test_parts_of_the_timeline_and_the_clock():
    grid = sim.Grid(profile=True)
    text = """#include "dataflow_api.h"
void kernel_main() {
    uint64_t before = c_tensix_core::read_wall_clock();
    {
        DeviceZoneScopedN("wait a little");
        riscv_wait(500);
    }
    ASSERT(c_tensix_core::read_wall_clock() - before >= 500, 1);
}
"""
    made = grid.load().launch([sim.Run(text)])
    made.run()
    spans = [e for e in json.loads(made.trace_json)["traceEvents"] if e["name"] == "wait a little"]
    assert len(spans) == 1 and spans[0]["args"]["line"] == 5 and spans[0]["dur"] * 1000 >= 499
    with pytest.raises(sim.KernelError, match="the assertion 'get_write_ptr[(]0[)] == 1' does not hold") as error:
        printed("\n    ASSERT(get_write_ptr(0) == 1);")
    assert error.value.reports[0]["line"] == 4 if "line" in error.value.reports[0] else ":4:" in str(error.value)


@pytest.mark.parametrize("cpp", [False, True])
def test_points_that_kernels_mark(cpp):
    """ttl.signpost is a point of the timeline, in C++ a zone that ends at once."""
    made = sim.Grid(profile=True, cpp=cpp).load(r"""
func.func @k() attributes {ttkernel.thread = #ttkernel.thread<noc>} {
  ttl.signpost "say \"so\", 9\\2"
  return
}""").launch([sim.Run("k")])
    made.run()
    assert [e["name"] for e in json.loads(made.trace_json)["traceEvents"] if "say" in e["name"]] == ['say "so", 9\\2']


def test_casts_and_auto_in_declarations():
    body = """
    uint32_t at = get_semaphore(0);
    volatile tt_l1_ptr uint16_t *p = (volatile uint16_t *)(at);
    volatile tt_l1_ptr auto q = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(at);
    p[0] = 513;
    uint16_t other = 4;
    bool yes = q[0] == 513;
    uint16_t chosen = yes ? other : p[0];
    DPRINT << *q << " " << chosen << " " << kernel_compile_time_args.size() << ENDL();"""
    assert printed(body, compile_args=[1, 2, 3]) == ["core 0,0: 513 4 3"]


def test_a_tile_as_the_compute_unit_sees_it():
    """cb_get_tile: the pointer is 16 bytes before the tile."""
    x = tiles(1)
    text = 'volatile uint32_t *words; cb_get_tile(0, 0, &words); DPRINT << words[4] << ENDL(); cb_release_tile(0);'
    grid = sim.Grid()
    a = grid.tensor(x.shape, "f32", data=x)
    made = grid.load().launch([sim.Run(MOVE, compile_args=[0, 1], args=[sim.address(0), 1]),
                               sim.Run(f'#include "compute_kernel_api/common.h"\nvoid kernel_main() {{ cb_wait_front(0, 1); {text}\n'
                                       "cb_pop_front(0, 1); }")], cbs=[sim.Buffer(0, "f32", 1)], tensors=[a])
    made.run()
    assert str(x.view(np.uint32)[0, 0]) in made.log


def test_a_kernels_own_pool_type():
    body = "constexpr auto kind = PoolType::AVG; if constexpr (get_compile_time_arg_val(0) == PoolType::AVG) DPRINT << 1;"
    assert printed(body, header='#include "dataflow_api.h"\nenum PoolType { MAX, AVG = 1 };', compile_args=[1]) == ["core 0,0: 1"]


ROUND = """#include "compute_kernel_api/common.h"
void kernel_main() {{
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    for (int i = 0; i < 2; i++) {{
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        {steps}
        cb_pop_front(0, 1);
        cb_push_back(16, 1);
    }}
}}
"""


def in_a_loop(steps):
    x = tiles(2)
    grid = sim.Grid()
    a, out = grid.tensor(x.shape, "f32", data=x), grid.tensor(x.shape, "f32")
    grid.load().launch([sim.Run(MOVE, compile_args=[0, 1], args=[sim.address(0), 2]),
                        sim.Run(ROUND.format(steps=steps), wide_dst=True, unpack_to_dst=(0,)),
                        sim.Run(MOVE, compile_args=[16, 0], args=[sim.address(1), 2], noc=1)],
                       cbs=[sim.Buffer(0, "f32", 2), sim.Buffer(16, "f32", 2)], tensors=[a, out]).run()
    return x, out.read(np.empty_like(x))


@pytest.mark.parametrize("steps", [
    "tile_regs_acquire(); tile_regs_wait(); copy_tile(0, 0, 0); tile_regs_commit(); pack_tile(0, 16); tile_regs_release();",
    "tile_regs_acquire(); tile_regs_wait(); copy_tile(0, 0, 0); pack_tile(0, 16); tile_regs_commit(); tile_regs_release();",
    "acquire_dst(); copy_tile(0, 0, 0); pack_tile(0, 16); copy_tile(0, 0, 1); release_dst();",
    "tile_regs_acquire(); tile_regs_wait(); copy_tile(0, 0, 0); pack_tile(0, 16); copy_tile(0, 0, 1); tile_regs_commit(); tile_regs_release();",
])
def test_the_packers_wait_may_stand_before_the_commit(steps):
    x, got = in_a_loop(steps)
    assert np.array_equal(x, got)


def test_arguments_are_words():
    """They are read and written in place, and restored for the next run."""
    body = """tt_l1_ptr uint32_t *at = (tt_l1_ptr uint32_t *)get_arg_addr(1);
    for (int i = 0; i < 3; i++) at[1]++;
    at[0] = at[1] + 1;
    DPRINT << at[0] << " " << *(tt_l1_ptr uint32_t *)get_arg_addr(2) << ENDL();"""
    grid = sim.Grid()
    made = grid.load().launch([sim.Run(f'#include "dataflow_api.h"\nvoid kernel_main() {{ {body} }}\n', args=[1, 2, 30])])
    for _ in range(2):
        made.run()
        assert "core 0,0: 34 33" in made.log


def test_a_wait_needs_a_commit():
    with pytest.raises(sim.KernelError, match="DST use: tile_regs_wait waits for ever: no tile_regs_commit hands DST over"):
        in_a_loop("tile_regs_acquire(); tile_regs_wait(); copy_tile(0, 0, 0); pack_tile(0, 16); tile_regs_release();")


def test_inits_of_older_releases_set_up():
    """tilize_init and untilize_init with an output, and nothing before them; rows of 32 elements there and back."""
    x = tiles(1)
    grid = sim.Grid()
    a, out = grid.tensor(x.shape, "f32", data=x), grid.tensor(x.shape, "f32")
    text = """#include "compute_kernel_api/tilize.h"
#include "compute_kernel_api/untilize.h"
namespace NAMESPACE { void MAIN {
    tilize_init(0, 1, 1);
    cb_wait_front(0, 1);
    cb_reserve_back(1, 1);
    tilize_block(0, 1, 1);
    cb_push_back(1, 1);
    cb_pop_front(0, 1);
    tilize_uninit(0, 1);
    untilize_init(1, 16);
    cb_wait_front(1, 1);
    cb_reserve_back(16, 1);
    untilize_block(1, 1, 16);
    cb_push_back(16, 1);
    cb_pop_front(1, 1);
} }
"""
    grid.load().launch([sim.Run(MOVE, compile_args=[0, 1], args=[sim.address(0), 1]), sim.Run(text, wide_dst=True),
                        sim.Run(MOVE, compile_args=[16, 0], args=[sim.address(1), 1], noc=1)],
                       cbs=[sim.Buffer(i, "f32", 2) for i in (0, 1, 16)], tensors=[a, out]).run()
    assert np.array_equal(out.read(np.empty_like(x)), x)


def test_integers_are_transposed():
    x = rng.integers(0, 60000, (32, 32)).astype(np.uint16)
    grid = sim.Grid()
    a, out = grid.tensor(x.shape, "u16", data=x), grid.tensor(x.shape, "u16")
    text = """#include "compute_kernel_api/transpose_wh.h"
void kernel_main() {
    transpose_wh_init(0, 16);
    cb_wait_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    transpose_wh_tile(0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(0, 1);
}
"""
    move = MOVE.replace("4096", "2048")
    grid.load().launch([sim.Run(move, compile_args=[0, 1], args=[sim.address(0), 1]), sim.Run(text),
                        sim.Run(move, compile_args=[16, 0], args=[sim.address(1), 1], noc=1)],
                       cbs=[sim.Buffer(0, "u16", 2), sim.Buffer(16, "u16", 2)], tensors=[a, out]).run()
    assert np.array_equal(out.read(np.empty_like(x)), x.T)


def test_a_buffer_of_ones_own_is_memory():
    """Reserved and never pushed, written and read by one kernel only: no report; an unused one is reported."""
    assert printed("cb_reserve_back(0, 1); auto *p = (volatile tt_l1_ptr uint32_t *)get_write_ptr(0); p[0] = 5; DPRINT << *p;") == [
        "core 0,0: 5"]
    with pytest.raises(sim.KernelError, match="has 1 reserved page that the kernel never pushes"):
        printed("cb_reserve_back(0, 1);")


@pytest.mark.parametrize("body, says", [
    ("noc_async_reed_barrier();", "k.cpp:2:23: error: the kernel API has no 'noc_async_reed_barrier' here; did you mean 'noc_async_read_barrier'"),
    ("leaky_relu_tille(0, 1);", "did you mean 'leaky_relu_tile'"),
    ("SFPU_OP_CHAIN_0;", "'SFPU_OP_CHAIN_0' is not defined; a host gives kernels such macros as defines of the run"),
    ("cb_wait_front(0);", r"k.cpp:2:\d+: error: too few arguments to function .*cb_wait_front\(uint32_t, int32_t\)|no matching function"),
    ("static thread_local int n; n++;", "k.cpp:2:.* error: hardware's kernels have no 'thread_local' variables: plain ones are each core's"),
    ("}\n#include \"compute_kernel_api/eltwise_binari.h\"\nvoid f() {",
     "there is no header 'compute_kernel_api/eltwise_binari.h'; did you mean 'compute_kernel_api/eltwise_binary.h'"),
    ("}\n#include \"remote_circular_buffer_api.h\"\nvoid f() {", "circular buffers over several cores are not simulated"),
    ("}\n#include \"something/of/mine.hpp\"\nvoid f() {", "a kernel's own are looked up beside it and in TT_METAL_HOME"),
])
def test_compilation_errors_are_reported(body, says):
    with pytest.raises(RuntimeError, match=says):
        sim.Grid().load().add_cpp(f'#include "dataflow_api.h"\nvoid kernel_main() {{\n  {body} }}\n'.replace("{\n", "{", 1), "k", "noc").launch(
            [sim.Run("k")])
