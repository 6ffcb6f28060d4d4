"""Formats, inits, L1, the NoC and its barriers, uninitialised reads. Cases of test_sim_checker.py."""

from checker_kernels import START, case

# loops in which the mistakes have an effect
C4 = START + "for (int i = 0; i < 4; i++) one();"
R4 = "for (int i = 0; i < 4; i++) take(0, i, a);"
G4 = "for (int i = 0; i < 4; i++) give(16, i, out);"
case(
    "front pointer past the pop, again and again",
    "L1 race",
    R4,
    C4,
    "for (int i = 0; i < 4; i++) { cb_wait_front(16, 1); uint32_t p = get_read_ptr(16); cb_pop_front(16, 1);"
    " noc_async_write_tile(i, out, p); noc_async_write_barrier(); }",
)
case(
    "writes before the reserve, again and again",
    "L1 race",
    "for (int i = 0; i < 4; i++) { noc_async_read_tile(i, a, get_write_ptr(0)); noc_async_read_barrier();"
    " cb_reserve_back(0, 1); cb_push_back(0, 1); }",
    C4,
    G4,
)
case(
    "word beyond the page, again and again",
    "L1 race",
    "for (int i = 0; i < 4; i++) { cb_reserve_back(0, 1); for (uint32_t i = 0; i <= 512; i++) WORD(get_write_ptr(0) +"
    " 4 * i) = 0x3f803f80; cb_push_back(0, 1); }",
    C4,
    G4,
)
case(
    "two tiles into one page, neighbour in use",
    "",
    "for (int k = 0; k < 4; k++) { cb_reserve_back(0, 1); for (int i = 0; i < 2; i++) noc_async_read_tile(i, a,"
    " get_write_ptr(0) + i * 2048); noc_async_read_barrier(); cb_push_back(0, 1); take(1, k, b); }",
    "binary_op_init_common(0, 1, 16); for (int i = 0; i < 4; i++) { cb_wait_front(0, 1); cb_wait_front(1, 1);"
    " cb_reserve_back(16, 1); add_tiles_init(0, 1); tile_regs_acquire(); add_tiles(0, 1, 0, 0, 0); PACK_DST;"
    " pack_tile(0, 16); tile_regs_release(); cb_pop_front(0, 1); cb_pop_front(1, 1); cb_push_back(16, 1); }",
    G4,
)
# formats
case(
    "second operand of another format",
    "data format",
    "take(0, 0, a); take(2, 0, wide);",
    "binary_op_init_common(0, 1, 16); cb_wait_front(0, 1); cb_wait_front(2, 1); cb_reserve_back(16, 1);"
    " add_tiles_init(0, 2); tile_regs_acquire(); add_tiles(0, 2, 0, 0, 0); PACK_DST; pack_tile(0, 16);"
    " tile_regs_release(); cb_pop_front(0, 1); cb_pop_front(2, 1); cb_push_back(16, 1);",
    "give(16, 0, out);",
)
case(
    "reconfigured one of two operands",
    "data format",
    "take(2, 0, wide); cb_reserve_back(2, 1); noc_async_read_tile(1, wide, get_write_ptr(2));"
    " noc_async_read_barrier(); cb_push_back(2, 1);",
    "binary_op_init_common(0, 1, 16); cb_wait_front(2, 2); cb_reserve_back(16, 1); reconfig_data_format_srca(2);"
    " add_tiles_init(2, 2); tile_regs_acquire(); add_tiles(2, 2, 0, 1, 0); PACK_DST; pack_tile(0, 16);"
    " tile_regs_release(); cb_pop_front(2, 2); cb_push_back(16, 1);",
    "give(16, 0, out);",
)
case(
    "reconfigured both operands",
    None,
    "take(2, 0, wide); take(2, 1, wide);",
    "binary_op_init_common(0, 1, 16); cb_wait_front(2, 2); cb_reserve_back(16, 1); reconfig_data_format(2, 2);"
    " add_tiles_init(2, 2); tile_regs_acquire(); add_tiles(2, 2, 0, 1, 0); PACK_DST; pack_tile(0, 16);"
    " tile_regs_release(); cb_pop_front(2, 2); cb_push_back(16, 1);",
    "give(16, 0, out);",
)
case(
    "reconfigured, then another init of the old buffers",
    None,
    "take(0, 0, a); take(2, 0, wide);",
    START
    + "one(); cb_wait_front(2, 1); cb_reserve_back(16, 1); reconfig_data_format_srca(2); copy_tile_init(2); pass(0,"
    " 2); reconfig_data_format_srca(0); cb_push_back(16, 1); cb_pop_front(2, 1);",
    "give(16, 0, out); give(16, 1, out);",
)
case(
    "not set back after the other format",
    "data format",
    "take(0, 0, a); take(2, 0, wide); take(0, 1, a);",
    START
    + "one(); cb_wait_front(2, 1); cb_reserve_back(16, 1); reconfig_data_format_srca(2); copy_tile_init(2); pass(0,"
    " 2); cb_push_back(16, 1); cb_pop_front(2, 1); one();",
    "give(16, 0, out); give(16, 1, out); give(16, 2, out);",
)
case(
    "packer reconfigured for the wrong buffer",
    "data format",
    "take(0, 0, a);",
    START + "pack_reconfig_data_format(17); one();",
    "give(16, 0, out);",
)
case(
    "packer in f32 and back",
    None,
    "take(0, 0, a); take(0, 1, a);",
    START + "pack_reconfig_data_format(17); one(0, 17); pack_reconfig_data_format(16); one();",
    "give(16, 0, out); cb_wait_front(17, 1); cb_pop_front(17, 1);",
)
case(
    "pages of another format than the buffer's",
    "data format",
    "cb_reserve_back(5, 1); noc_async_read(get_noc_addr(0, a), get_write_ptr(5), 1088); noc_async_read_barrier();"
    " cb_push_back(5, 1);",
    "unary_op_init_common(5, 16); one(5);",
    "give(16, 0, out);",
)
# inits
A2 = "take(0, 0, a); take(1, 0, b);"


def two(name, expect, steps, init="binary_op_init_common(0, 1, 16);", **config):
    case(
        "init: " + name,
        expect,
        A2,
        init
        + "cb_wait_front(0, 1); cb_wait_front(1, 1); cb_reserve_back(16, 1); tile_regs_acquire();"
        + steps
        + "PACK_DST; pack_tile(0, 16); tile_regs_release(); cb_pop_front(0, 1); cb_pop_front(1, 1);"
        " cb_push_back(16, 1);",
        "give(16, 0, out);",
        **config,
    )


two("matmul after add's init", "init", "add_tiles_init(0, 1); matmul_tiles(0, 1, 0, 0, 0);")
two(
    "copy after matmul's init",
    "init",
    "matmul_tiles(0, 1, 0, 0, 0); copy_tile(0, 0, 1); add_binary_tile_init(); add_binary_tile(0, 1, 0);",
    "mm_init(0, 1, 16);",
)
two(
    "copy after matmul with its init",
    None,
    "matmul_tiles(0, 1, 0, 0, 0); copy_tile_init(0); copy_tile(0, 0, 1); add_binary_tile_init(); add_binary_tile(0,"
    " 1, 0);",
    "mm_init(0, 1, 16);",
)
two(
    "sfpu init survives matmul's",
    None,
    "exp_tile_init(); mm_init_short(0, 1); matmul_tiles(0, 1, 0, 0, 0); exp_tile(0);",
)
two("add where sub is set up", "init", "sub_tiles_init(0, 1); add_tiles(0, 1, 0, 0, 0);")
two("rows where columns are set up", "init", "add_bcast_rows_init_short(0, 1); add_tiles_bcast_cols(0, 1, 0, 0, 0);")
two(
    "mul bcast where add bcast is set up",
    "init",
    "add_bcast_rows_init_short(0, 1); mul_tiles_bcast_rows(0, 1, 0, 0, 0);",
)
two(
    "reduce of rows where columns are set up",
    "init",
    "reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(0, 1, 16); reduce_tile<PoolType::SUM,"
    " ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0); reduce_uninit();",
)
two(
    "max where sum is set up",
    "init",
    "reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16); reduce_tile<PoolType::MAX,"
    " ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0); reduce_uninit();",
)
two(
    "reduce without uninit, then copy",
    "init",
    "reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16); reduce_tile<PoolType::SUM,"
    " ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0); copy_tile(0, 0, 1); add_binary_tile_init(); add_binary_tile(0, 1, 0);",
)
two("transpose without its init", "init", "transpose_wh_tile(0, 0, 0);")
two(
    "second sfpu function without init",
    "init",
    "copy_tile_init(0); copy_tile(0, 0, 0); exp_tile_init(); exp_tile(0); sqrt_tile(0);",
)
two(
    "back to the first sfpu function",
    "init",
    "copy_tile_init(0); copy_tile(0, 0, 0); exp_tile_init(); exp_tile(0); sqrt_tile_init(); sqrt_tile(0);"
    " exp_tile(0);",
)
two("transposed by the call, not by the init", "init", "mm_init_short(0, 1, 0); matmul_tiles(0, 1, 0, 0, 0, 1);")
two(
    "transposed by the init, not by the block",
    "init",
    "mm_block_init_short(0, 1, 1, 1, 1, 1); matmul_block(0, 1, 0, 0, 0, 0, 1, 1, 1);",
)
two("no startup at all", "init", "add_tiles(0, 1, 0, 0, 0);", "")
two("short init only", "init", "add_tiles_init(0, 1); add_tiles(0, 1, 0, 0, 0);", "")
case(
    "init: tilize not undone",
    "",
    "take(0, 0, a); take(0, 1, a);",
    START
    + "tilize_init(0, 1, 16); cb_wait_front(0, 1); cb_reserve_back(16, 1); tilize_block(0, 1, 16); cb_push_back(16,"
    " 1); cb_pop_front(0, 1); one();",
    "give(16, 0, out); give(16, 1, out);",
)
case(
    "init: tilize undone",
    None,
    "take(0, 0, a); take(0, 1, a);",
    START
    + "tilize_init(0, 1, 16); cb_wait_front(0, 1); cb_reserve_back(16, 1); tilize_block(0, 1, 16); cb_push_back(16,"
    " 1); cb_pop_front(0, 1); tilize_uninit(0, 16); copy_tile_init(0); one();",
    "give(16, 0, out); give(16, 1, out);",
)
case(
    "init: pack_untilize not undone",
    "",
    "take(0, 0, a); take(0, 1, a);",
    START
    + "pack_untilize_init<1>(0, 16); cb_wait_front(0, 1); cb_reserve_back(16, 1); pack_untilize_block<1>(0, 1, 16);"
    " cb_push_back(16, 1); cb_pop_front(0, 1); copy_tile_init(0); one();",
    "give(16, 0, out); give(16, 1, out);",
)
# L1 and NoC
case(
    "reads past the end of the last buffer",
    "",
    "cb_reserve_back(20, 1); noc_async_read(get_noc_addr(0, a), get_write_ptr(20) + 16 * 2048 - 1024, 2048);"
    " noc_async_read_barrier(); cb_push_back(20, 1);",
    "",
    "cb_wait_front(20, 1); cb_pop_front(20, 1);",
    threads="rw",
)
case("plain store to a semaphore of its own", None, "WORD(s0) = 1; noc_semaphore_wait(&WORD(s0), 1);", threads="r")
case(
    "semaphore set by its own function",
    None,
    "noc_semaphore_set(&WORD(s0), 1); noc_semaphore_wait(&WORD(s0), 1);",
    threads="r",
)
case(
    "both misaligned equally",
    None,
    "cb_reserve_back(0, 1); noc_async_read(get_noc_addr(0, a) + 32, get_write_ptr(0) + 32, 64);"
    " noc_async_read_barrier(); cb_push_back(0, 1);",
    "",
    "cb_wait_front(0, 1); cb_pop_front(0, 1);",
    threads="rw",
)
case(
    "16 modulo 32 from DRAM",
    "NoC alignment",
    "cb_reserve_back(0, 1); noc_async_read(get_noc_addr(0, a) + 32, get_write_ptr(0) + 16, 64);"
    " noc_async_read_barrier(); cb_push_back(0, 1);",
    "",
    "cb_wait_front(0, 1); cb_pop_front(0, 1);",
    threads="rw",
)
case(
    "DRAM address not aligned, both equal modulo 32",
    None,
    "cb_reserve_back(0, 1); noc_async_read(get_noc_addr(0, a) + 8, get_write_ptr(0) + 8, 64);"
    " noc_async_read_barrier(); cb_push_back(0, 1);",
    "",
    "cb_wait_front(0, 1); cb_pop_front(0, 1);",
    threads="rw",
)
case(
    "write of 8 modulo 16 in L1",
    "NoC alignment",
    "cb_reserve_back(0, 1); for (uint32_t i = 0; i < 512; i++) WORD(get_write_ptr(0) + 4 * i) = 1;"
    " noc_async_write(get_write_ptr(0), get_noc_addr(18, 18, l1 + 8), 64); noc_async_write_barrier();"
    " cb_push_back(0, 1);",
    "",
    "cb_wait_front(0, 1); cb_pop_front(0, 1);",
    threads="rw",
)
case(
    "write of 16 modulo 32 in L1",
    None,
    "cb_reserve_back(0, 1); for (uint32_t i = 0; i < 512; i++) WORD(get_write_ptr(0) + 4 * i) = 1;"
    " noc_async_write(get_write_ptr(0), get_noc_addr(18, 18, l1 + 16), 64); noc_async_write_barrier();"
    " cb_push_back(0, 1);",
    "",
    "cb_wait_front(0, 1); cb_pop_front(0, 1);",
    threads="rw",
)
case(
    "one packet of 8192",
    None,
    "cb_reserve_back(4, 4); for (int i = 0; i < 4; i++) noc_async_read_tile(i, a, get_write_ptr(4) + 2048 * i);"
    " noc_async_read_barrier(); noc_async_write_one_packet(get_write_ptr(4), get_noc_addr(18, 18, l1), 2048);"
    " noc_async_write_barrier(); cb_push_back(4, 4);",
    "",
    "cb_wait_front(4, 4); cb_pop_front(4, 4);",
    threads="rw",
)
case(
    "one packet of 8224",
    "NoC",
    "cb_reserve_back(20, 8); for (int i = 0; i < 8; i++) noc_async_read_tile(i % 4, a, get_write_ptr(20) + 2048 * i);"
    " noc_async_read_barrier(); noc_async_read_one_packet(get_noc_addr(18, 18, get_write_ptr(20)), get_write_ptr(20)"
    " + 8224, 8224); noc_async_read_barrier(); cb_push_back(20, 8);",
    "",
    "cb_wait_front(20, 8); cb_pop_front(20, 8);",
    threads="rw",
)
case("page beyond the tensor", "NoC", "take(0, 4, a);", "", "cb_wait_front(0, 1); cb_pop_front(0, 1);", threads="rw")
case(
    "offset beyond the page",
    "",
    "cb_reserve_back(0, 1); noc_async_read(get_noc_addr(3, a, 1024), get_write_ptr(0), 2048);"
    " noc_async_read_barrier(); cb_push_back(0, 1);",
    "",
    "cb_wait_front(0, 1); cb_pop_front(0, 1);",
    threads="rw",
)
# barriers
case(
    "barrier before the second read",
    "missing barrier",
    "cb_reserve_back(0, 2); noc_async_read_tile(0, a, get_write_ptr(0)); noc_async_read_barrier();"
    " noc_async_read_tile(1, a, get_write_ptr(0) + 2048); cb_push_back(0, 2);",
    START + "one(); one();",
    "give(16, 0, out); give(16, 1, out);",
)
case(
    "write barrier for a read",
    "",
    "cb_reserve_back(0, 1); noc_async_read_tile(0, a, get_write_ptr(0)); noc_async_write_barrier();"
    " cb_push_back(0, 1);",
    START + "one();",
    "give(16, 0, out);",
)
case(
    "barrier in the other thread",
    "",
    "cb_reserve_back(0, 1); noc_async_read_tile(0, a, get_write_ptr(0)); cb_push_back(0, 1);",
    START + "one();",
    "noc_async_read_barrier(); give(16, 0, out);",
)
case(
    "flushed is enough for the pop",
    None,
    R4,
    C4,
    "for (int i = 0; i < 4; i++) { cb_wait_front(16, 1); noc_async_write_tile(i, out, get_read_ptr(16));"
    " noc_async_writes_flushed(); cb_pop_front(16, 1); } noc_async_write_barrier();",
)
case(
    "flushed at the end only",
    None,
    R4,
    C4,
    "for (int i = 0; i < 4; i++) { cb_wait_front(16, 1); noc_async_write_tile(i, out, get_read_ptr(16));"
    " noc_async_writes_flushed(); cb_pop_front(16, 1); }",
)
case(
    "one barrier for a batch",
    None,
    "cb_reserve_back(0, 2); noc_async_read_tile(0, a, get_write_ptr(0)); noc_async_read_tile(1, a, get_write_ptr(0) +"
    " 2048); noc_async_read_barrier(); cb_push_back(0, 1); cb_push_back(0, 1);",
    START + "one(); one();",
    "give(16, 0, out); give(16, 1, out);",
)
case(
    "source overwritten before the flush",
    "missing barrier",
    "cb_reserve_back(0, 1); noc_async_read_tile(0, a, get_write_ptr(0)); noc_async_read_barrier();"
    " noc_async_write_tile(0, out, get_write_ptr(0)); WORD(get_write_ptr(0)) = 7; noc_async_write_barrier();"
    " cb_push_back(0, 1);",
    "",
    "cb_wait_front(0, 1); cb_pop_front(0, 1);",
    threads="rw",
)
case(
    "written and read back without barrier",
    "",
    "take(0, 0, a); noc_async_write_tile(0, out, get_read_ptr(0)); cb_reserve_back(0, 1); noc_async_read_tile(0, out,"
    " get_write_ptr(0)); noc_async_read_barrier(); cb_push_back(0, 1); noc_async_write_barrier();",
    "",
    "cb_wait_front(0, 2); cb_pop_front(0, 2);",
    threads="rw",
)
case(
    "part of a page never filled",
    "uninitialised read",
    "cb_reserve_back(0, 1); noc_async_read(get_noc_addr(0, a), get_write_ptr(0), 1024); noc_async_read_barrier();"
    " cb_push_back(0, 1);",
    START + "one();",
    "give(16, 0, out);",
)
case("uninitialised tensor", "uninitialised read", "take(0, 0, out);", START + "one();", "give(16, 1, out);")
case(
    "page that half was written",
    "uninitialised read",
    "take(0, 0, a); ",
    "",
    "cb_wait_front(0, 1); noc_async_write(get_read_ptr(0), get_noc_addr(0, out), 1024); noc_async_write_barrier();"
    " cb_pop_front(0, 1); cb_reserve_back(24, 1); noc_async_read_tile(0, out, get_write_ptr(24));"
    " noc_async_read_barrier(); noc_async_write_tile(1, out, get_write_ptr(24)); noc_async_write_barrier();"
    " cb_push_back(24, 1);",
    threads="rw",
)
