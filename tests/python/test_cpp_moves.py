"""Every function that moves data or queries positions: reads and writes of all forms, sizes and addresses, semaphores
and multicasts, the API's queries of buffers and cores, against the bytes and values that NumPy expects."""

import shutil

import numpy as np
import pytest
from cpp_kernels import printed
from tilewright import sim

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
PAGE, BANKS = 2048, 12
GENERATORS = """
    const uint32_t base{0} = get_arg_val<uint32_t>({0});
    const InterleavedAddrGen<true> plain{0} = {{.bank_base_address = base{0}, .page_size = 2048}};
    const InterleavedPow2AddrGen<true> power{0} = {{.bank_base_address = base{0}, .log_base_2_of_page_size = 11}};
    const InterleavedAddrGenFast<true> fast{0} = {{.bank_base_address = base{0}, .page_size = 2048, .data_format = DataFormat::UInt16}};
    const auto made{0} = get_interleaved_addr_gen<true, 2048>(base{0});
    const auto power_made{0} = get_interleaved_addr_gen<true, true>(base{0}, 11);
    const auto size_made{0} = get_interleaved_addr_gen<true, false>(base{0}, 2048, 0);
    const auto args{0} = TensorAccessorArgs<{0}>();
    const auto tensor{0} = TensorAccessor(args{0}, base{0}, 2048);
"""
"""Page {i} to the address {to}; `at` is its place, {bank} and {offset} say where it lies in its bank."""
READS = [
    "noc_async_read(at, {to}, 2048);", "noc_async_read<2048>(at, {to}, 2048);", "noc_async_read(at, {to}, 2048, noc_index, 1);",
    "noc_async_read_one_packet(at, {to}, 2048);",
    "noc_async_read_one_packet_set_state(at, 2048); noc_async_read_one_packet_with_state(at, {to});",
    "noc_async_read_one_packet_set_state(at, 2048); noc_async_read_one_packet_with_state(at, {to}, 2048);",
    "noc_async_read_set_state(at); noc_async_read_with_state(at, {to}, 512); noc_async_read_with_state(at + 512, {to} + 512, 1536);"
    " noc_async_read_inc_num_issued(2);",
    "noc_async_read_tile({i}, plain0, {to});", "noc_async_read_tile({i}, power_made0, {to});", "noc_async_read_tile({i}, fast0, {to});",
    "noc_async_read_tile({i}, tensor0, {to});", "noc_async_read_page({i}, made0, {to});", "noc_async_read_page({i}, tensor0, {to});",
    "noc_async_read(get_noc_addr({i}, size_made0, 96), {to} + 96, 1952); noc_async_read(get_noc_addr({i}, plain0), {to}, 96);",
    "noc_async_read(tensor0.get_noc_addr({i}, 1024), {to} + 1024, 1024); noc_async_read(tensor0.get_noc_addr({i}), {to}, 1024);",
    "noc_async_read(get_noc_addr({i}, tensor0, 32), {to} + 32, 2016); noc_async_read(get_noc_addr<true>({i}, fast0), {to}, 32);",
    "noc_async_read(get_noc_addr_from_bank_id<true>({bank}, base0 + {offset}), {to}, 2048);",
    "{{ uint32_t b = noc_async_read_tile_dram_sharded_set_state(base0, 2048, {bank});"
    " noc_async_read_tile_dram_sharded_with_state(b, {offset}, {to}); }}",
    "{{ uint32_t b = noc_async_read_tile_dram_sharded_set_state(base0, 2048, {bank}); noc_async_read_tile_dram_sharded_set_trid(1);"
    " noc_async_read_tile_dram_sharded_with_state_with_trid(b, {offset}, {to}, 1); noc_async_read_barrier_with_trid(1); }}",
    *(f"for (uint32_t o = 0; o < 2048; o += {step}) noc_async_read(at + o, {{to}} + o, 2048 - o < {step} ? 2048 - o : {step});"
      for step in (32, 64, 96, 480, 1024)),
]
WRITES = [
    "noc_async_write({to}, at, 2048);", "noc_async_write<2048>({to}, at, 2048);", "noc_async_write({to}, at, 2048, noc_index, 1);",
    "noc_async_write_one_packet({to}, at, 2048); noc_async_posted_writes_flushed();",
    "noc_async_write_one_packet_set_state(at, 2048); noc_async_write_one_packet_with_state({to}, (uint32_t)at);",
    "noc_async_write_one_packet_with_trid({to}, at, 2048, 3); noc_async_write_barrier_with_trid(3);",
    "noc_async_write_tile({i}, plain1, {to});", "noc_async_write_tile({i}, tensor1, {to}); noc_async_writes_flushed();",
    "noc_async_write_page({i}, power1, {to});", "noc_async_write_page({i}, tensor1, {to}, 64); noc_async_write_page({i}, made1, {to} + 64, 1984, 64);",
    "noc_async_write(get_noc_addr({i}, fast1) ? {to} : 0, get_noc_addr({i}, fast1), 2048);",
    *(f"for (uint32_t o = 0; o < 2048; o += {step}) noc_async_write({{to}} + o, at + o, 2048 - o < {step} ? 2048 - o : {step});"
      for step in (16, 80, 512)),
]


def moves(reads, writes):
    n, lines = len(reads), ""
    for which, snippets in ((0, reads), (1, writes)):
        for i, text in enumerate(snippets):
            made = text.format(i=i, to=f"(to + {PAGE * i})", bank=i % BANKS, offset=i // BANKS * PAGE)
            lines += f"    {{ const uint64_t at = get_noc_addr({i}, plain{which}); (void)at; {made} }}\n"
        lines += "    noc_async_read_barrier();\n" if which == 0 else "    noc_async_full_barrier();\n"
    generators = GENERATORS.format(0) + GENERATORS.format(1)
    return (f'#include "dataflow_api.h"\nvoid kernel_main() {{\n{generators}    cb_reserve_back(0, {n});\n'
            f"    const uint32_t to = get_write_ptr(0);\n{lines}    cb_push_back(0, {n});\n    cb_wait_front(0, {n});\n    cb_pop_front(0, {n});\n}}\n")


@pytest.mark.parametrize("noc", [0, 1])
def test_reads_and_writes(noc):
    """All forms: a page each, there and back."""
    writes = (WRITES * 2)[:len(READS)]
    x = np.random.default_rng(noc).integers(0, 65536, (32, 32 * len(READS))).astype(np.uint16)
    grid = sim.Grid("n150")
    a, out = grid.tensor(x.shape, "u16", data=x), grid.tensor(x.shape, "u16")
    grid.load().launch([sim.Run(moves(READS, writes), compile_args=[sim.accessor(0), sim.accessor(1)],
                                args=[sim.address(0), sim.address(1)], noc=noc)],
                       cbs=[sim.Buffer(0, "u16", len(READS))], tensors=[a, out]).run()
    got = out.read(np.empty_like(x))
    bad = [(READS[i], writes[i]) for i in range(len(READS)) if not np.array_equal(got[:, 32 * i:32 * i + 32], x[:, 32 * i:32 * i + 32])]
    assert not bad


@pytest.mark.parametrize("line, says", [
    ("noc_async_read(at + 8, to, 32);", "align"), ("noc_async_read(at, to + 4, 32);", "align"),
    ("noc_async_write(to + 8, at, 32); noc_async_write_barrier();", "align"),
    ("noc_async_read_one_packet(at, to, 9000);", "packet"), ("noc_async_read(at, to + 1400000, 64);", "L1"),
])
def test_invalid_sizes_and_addresses(line, says):
    text = moves([line.replace("to", "{to}")], [])
    grid = sim.Grid("n150")
    a, out = grid.tensor((32, 32), "u16", data=np.zeros((32, 32), np.uint16)), grid.tensor((32, 32), "u16")
    made = grid.load().launch([sim.Run(text, compile_args=[sim.accessor(0), sim.accessor(1)], args=[sim.address(0), sim.address(1)])],
                              cbs=[sim.Buffer(0, "u16", 8)], tensors=[a, out])
    with pytest.raises(sim.KernelError, match=says):
        made.run()


def test_shards():
    """A tensor in L1, one shard on each of four cores, read and written from one of them."""
    text = """
#include "dataflow_api.h"
void kernel_main() {
    const auto args0 = TensorAccessorArgs<0>();
    const auto from = TensorAccessor(args0, get_arg_val<uint32_t>(0), 2048);
    const auto args1 = TensorAccessorArgs<1>();
    const auto to = TensorAccessor(args1, get_arg_val<uint32_t>(1), 2048);
    cb_reserve_back(0, 8);
    const uint32_t here = get_write_ptr(0);
    for (uint32_t i = 0; i < 4; i++) noc_async_read_shard(i, from, here + i * 4096);
    noc_async_read_barrier();
    for (uint32_t i = 0; i < 4; i++) noc_async_write_shard(3 - i, to, here + i * 4096, noc_index);
    noc_async_write_barrier();
    cb_push_back(0, 8);
    cb_wait_front(0, 8);
    cb_pop_front(0, 8);
}
"""
    x = np.arange(8192, dtype=np.uint16).reshape(128, 64)
    grid = sim.Grid("n150")
    a, out = (grid.tensor(x.shape, "u16", data=d, memory=sim.L1_SHARDED, shards=(4, 1), cores=(1, 0, 4)) for d in (x, 0 * x))
    grid.load().launch([sim.Run(text, compile_args=[sim.accessor(0), sim.accessor(1)], args=[sim.address(0), sim.address(1)])],
                       cbs=[sim.Buffer(0, "u16", 8)], tensors=[a, out]).run()
    assert np.array_equal(out.read(np.empty_like(x)), np.concatenate(np.split(x, 4)[::-1]))


# ---- between cores
# ----------------------------------------------------------------------------------------------------

CORES = """
#include "dataflow_api.h"
using word = volatile tt_l1_ptr uint32_t;
void kernel_main() {
    const uint32_t me = get_absolute_logical_x(), go = get_semaphore(0), value = get_semaphore(1), done = get_semaphore(2);
    const uint64_t others = get_noc_multicast_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(2),
                                                   get_arg_val<uint32_t>(0), 0);
    const uint64_t first = get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(0), 0);
    const uint64_t second = get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(0), 0);
    cb_reserve_back(0, 2);
    const uint32_t page = get_write_ptr(0);
    if (me == 0) {
STEPS
        noc_async_full_barrier();
        noc_semaphore_set((word *)go, 1);
        noc_semaphore_set_multicast(go, others | go, 2);
        noc_async_write_barrier();
    } else {
        experimental::semaphore_wait((word *)go, 1);
        experimental::semaphore_wait_min((word *)go, 1);
        DPRINT << RESULT << ENDL();
    }
    cb_push_back(0, 2);
    cb_wait_front(0, 2);
    cb_pop_front(0, 2);
}
"""
VALUE, FILL = "*(word *)value", "for (uint32_t i = 0; i < 8; i++) ((word *)page)[i] = 100 + i;"
STEPS = {  # run on the first of three cores; the values that the others read
    "noc_semaphore_inc(others | value, 0); noc_semaphore_inc_multicast(others | value, 5, 2);": (VALUE, 5, 5),
    "noc_semaphore_inc(second | value, 3); noc_semaphore_inc<true>(second | value, 4);": (VALUE, 7, 0),
    "noc_semaphore_set((word *)done, 9); noc_semaphore_set_remote(done, second | value);": (VALUE, 9, 0),
    "noc_semaphore_set((word *)value, 6); noc_semaphore_set_multicast(value, others | value, 2);": (VALUE, 6, 6),
    "noc_semaphore_set((word *)value, 6); noc_semaphore_set_multicast_loopback_src(value, others | value, 2);": None,
    "noc_inline_dw_write(second | value, 0x01020304); noc_inline_dw_write(first | value, 5, 0xF);": (VALUE, 0x01020304, 0),
    "noc_inline_dw_write_set_state(second | value); noc_async_write_one_packet_set_state(first | done, 16);"
    " noc_inline_dw_write_with_state(8);": (VALUE, 8, 0),
    "noc_inline_dw_write_set_state(second | done); noc_inline_dw_write_with_state<true>(8, value);": (VALUE, 8, 0),
    FILL + "noc_async_write_multicast(page, others | page, 32, 2);": ("((word *)page)[7]", 107, 107),
    FILL + "noc_async_write_multicast_one_packet(page, others | page, 16, 2);": ("((word *)page)[3]", 103, 103),
    FILL + "noc_async_write(page, second | page, 32);": ("((word *)(me == 1 ? page : value))[me == 1 ? 5 : 0]", 105, 0),
    FILL + "remote_sram_write_u32(page, second | value);": (VALUE, 100, 0),
}


@pytest.mark.parametrize("steps", [s for s in STEPS if STEPS[s]])
def test_cores_write_to_each_other(steps):
    result, *want = STEPS[steps]
    grid = sim.Grid("n150")
    made = grid.load().launch([sim.Run(CORES.replace("STEPS", steps).replace("RESULT", result), cores=(0, 0, 1, 3),
                                       args=[18, 19, 20, 18])], cbs=[sim.Buffer(0, "u16", 2)], semaphores=[0, 0, 0])
    made.run()
    assert [int(line.rpartition(": ")[2]) for line in sorted(made.log.splitlines()) if "remark" in line] == want


def test_loopback_reaches_the_sender():
    text = CORES.replace("STEPS", FILL + """
        const uint64_t all = get_noc_multicast_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(2),
                                                    get_arg_val<uint32_t>(0), 0);
        noc_async_write_multicast_loopback_src(page, all | (page + 2048), 32, 3);
        noc_semaphore_set((word *)value, 6);
        noc_semaphore_set_multicast_loopback_src(value, all | done, 3);
        noc_async_write_barrier();
        noc_semaphore_wait_min((word *)done, 6);
        DPRINT << ((word *)page)[512 + 7] + *(word *)done << ENDL();""").replace("RESULT", "((word *)page)[512 + 7] + *(word *)done")
    made = sim.Grid("n150").load().launch([sim.Run(text, cores=(0, 0, 1, 3), args=[18, 19, 20, 18])],
                                          cbs=[sim.Buffer(0, "u16", 2)], semaphores=[0, 0, 0])
    made.run()
    assert [line.rpartition(": ")[2] for line in made.log.splitlines() if "remark" in line] == ["113"] * 3


# ---- queries
# ----------------------------------------------------------------------------------------------------------

def test_queries_of_buffers_and_cores():
    """Pointers wrap around the ring; coordinates are those of the NoC and of the grid."""
    body = """
    const uint32_t start = get_write_ptr(0);
    DPRINT << get_tile_size(0) << " " << (uint32_t)get_dataformat(0) << " " << get_semaphore(1) - get_semaphore(0) << ENDL();
    for (uint32_t i = 0; i < 6; i++) {
        cb_reserve_back(0, 1);
        volatile tt_l1_ptr uint32_t *words = (volatile tt_l1_ptr uint32_t *)get_write_ptr(0);
        for (uint32_t k = 0; k < 1024; k++) words[k] = 10 * i + k;
        const uint32_t to = get_write_ptr(0) - start, from = get_read_ptr(0) - start;
        cb_push_back(0, 1);
        cb_wait_front(0, 1);
        DPRINT << to / 4096 << " " << from / 4096 << " " << (get_read_ptr(0) - start) / 4096 << " " << read_tile_value(0, 0, 3) << ENDL();
        cb_pop_front(0, 1);
    }
    DPRINT << (uint32_t)my_x[0] << " " << (uint32_t)my_y[0] << " " << get_absolute_logical_x() << get_absolute_logical_y()
           << get_relative_logical_x() << get_relative_logical_y() << " " << experimental::get_my_device_id() << " " << (uint32_t)noc_index << ENDL();
    const uint64_t mine = get_noc_addr(64), same = get_noc_addr((uint32_t)my_x[noc_index], (uint32_t)my_y[noc_index], 64);
    DPRINT << (mine == same) << ENDL();"""
    got = printed(body)
    assert got[0] == "core 0,0: 4096 0 16"
    assert got[1:7] == [f"core 0,0: {i % 4} {i % 4} {i % 4} {10 * i + 3}" for i in range(6)]
    assert got[7:] == ["core 0,0: 18 18 0000 0 0", "core 0,0: 1"]


def test_arithmetic_of_the_api_and_the_clock():
    body = """
    volatile uint32_t n = 123456789;
    DPRINT << fast_udiv_7(n) << " " << fast_udiv_12(n) << " " << fast_udiv_56(n) << " " << fast_udiv_94(n) << " "
           << udivsi3_const_divisor<13>(n) << " " << umodsi3_const_divisor<13>(n) << " " << mulsi3(n, 3) << ENDL();
    DPRINT << (bool)bfloat16_greater(0x3F80, 0xBF80) << (bool)bfloat16_greater(0xBF80, 0x3F80) << (bool)float32_greater(0x3F800000, 0x3F7FFFFF)
           << (bool)float32_greater(0x7FC00000, 0) << " " << experimental::convert_logical_x_to_translated(3) << " "
           << experimental::convert_logical_y_to_translated(2) << ENDL();
    const uint64_t before = get_timestamp();
    riscv_wait(100);
    tensix_sync();
    DPRINT << (get_timestamp() - before >= 100) << (get_timestamp_32b() - (uint32_t)before >= 100) << ENDL();"""
    n = 123456789
    values = " ".join(str(v % 2 ** 32) for v in (n // 7, n // 12, n // 56, n // 94, n // 13, n % 13, 3 * n))
    assert printed(body) == [f"core 0,0: {values}", "core 0,0: 1010 21 20", "core 0,0: 11"]


def test_forms_of_printing():
    body = """
    DPRINT << HEX() << 255 << DEC() << " " << 255 << " " << SETW(5, false) << 42 << "," << " " << FIXED() << SETPRECISION(2) << 3.14159f << " "
           << DEFAULTFLOAT() << 2.5f << ENDL();
    cb_reserve_back(0, 1);
    volatile tt_l1_ptr uint32_t *words = (volatile tt_l1_ptr uint32_t *)get_write_ptr(0);
    for (uint32_t i = 0; i < 8; i++) words[i] = 0x3F800000 + i * 0x10000;
    print_u32_pages(get_write_ptr(0), 2, 2);
    print_f32_pages(get_write_ptr(0), 2, 1);
    print_bf16_pages(get_write_ptr(0), 4, 1);
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);"""
    got = [line.removeprefix("core 0,0: ").split() for line in printed(body)]
    assert "255    42, 3" in printed(body)[0] and got[0] == "ff 255 42, 3.14 2.5".split()
    assert got[1:3] == [["0:", "1065353216", "1065418752"], ["1:", "1065484288", "1065549824"]]
    assert [float(v) for v in got[3][1:]] == pytest.approx([1, 1.0078125], abs=1e-4)
    assert [float(v) for v in got[4][1:]] == pytest.approx([0, 1, 0, 1.0078125], abs=1e-4)
