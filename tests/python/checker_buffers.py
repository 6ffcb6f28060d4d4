"""Circular buffers and DST. Cases of test_sim_checker.py."""

from checker_kernels import START, case

G2 = "give(16, 0, out); give(16, 1, out);"
R2 = "take(0, 0, a); take(0, 1, a);"
C2 = START + "one(); one();"
# ---- buffers
case("plain", None, R2, C2, G2)
case(
    "look-ahead reserves",
    None,
    "for (int i = 0; i < 2; i++) { cb_reserve_back(0, i ? 1 : 2); noc_async_read_tile(i, a, get_write_ptr(0));"
    " noc_async_read_barrier(); cb_push_back(0, 1); }",
    C2,
    G2,
)
case(
    "sliding window of waits",
    None,
    "for (int i = 0; i < 3; i++) take(4, i, a);",
    "unary_op_init_common(4, 16); for (int i = 0; i < 2; i++) { cb_wait_front(4, 2); cb_reserve_back(16, 1); pass(1,"
    " 4); cb_push_back(16, 1); cb_pop_front(4, 1); } cb_wait_front(4, 1); cb_pop_front(4, 1);",
    G2,
)
case(
    "reserve twice push once both",
    None,
    "cb_reserve_back(0, 1); cb_reserve_back(0, 2); for (int i = 0; i < 2; i++) noc_async_read_tile(i, a,"
    " get_write_ptr(0) + i * 2048); noc_async_read_barrier(); cb_push_back(0, 2);",
    C2,
    G2,
)
case(
    "wait twice pop both",
    None,
    R2,
    START
    + "cb_wait_front(0, 1); cb_wait_front(0, 2); cb_reserve_back(16, 2); pass(0); pass(1); cb_pop_front(0, 2);"
    " cb_push_back(16, 2);",
    G2,
)
case(
    "pop one by one",
    None,
    R2,
    START
    + "cb_wait_front(0, 2); cb_reserve_back(16, 2); pass(0); cb_pop_front(0, 1); pass(0); cb_pop_front(0, 1);"
    " cb_push_back(16, 1); cb_push_back(16, 1);",
    G2,
)
case(
    "push one more than reserved",
    "circular buffer overflow",
    "cb_reserve_back(0, 1); for (int i = 0; i < 2; i++) noc_async_read_tile(i, a, get_write_ptr(0));"
    " noc_async_read_barrier(); cb_push_back(0, 2);",
    C2,
    G2,
)
case(
    "pushes add up to more than reserved",
    "circular buffer overflow",
    "cb_reserve_back(4, 2); for (int i = 0; i < 2; i++) noc_async_read_tile(i, a, get_write_ptr(4) + i * 2048);"
    " noc_async_read_barrier(); cb_push_back(4, 1); cb_push_back(4, 1); cb_push_back(4, 1);",
    "unary_op_init_common(4, 16); one(4); one(4); one(4);",
    G2 + "give(16,2,out);",
)
case(
    "pop twice",
    "circular buffer underflow",
    R2,
    START
    + "cb_wait_front(0, 1); cb_reserve_back(16, 1); pass(); cb_push_back(16, 1); cb_pop_front(0, 1);"
    " cb_pop_front(0, 1);",
    "give(16, 0, out);",
)
case("wait grows beyond ring", "circular buffer", R2, START + "cb_wait_front(0, 1); cb_wait_front(0, 3);", "")
case(
    "zero pages",
    None,
    "cb_reserve_back(0, 0); cb_push_back(0, 0);" + R2,
    C2,
    "cb_wait_front(16, 0); cb_pop_front(16, 0);" + G2,
)
case(
    "reserve in one thread, push in another",
    "circular buffer",
    "cb_reserve_back(0, 1); noc_async_read_tile(0, a, get_write_ptr(0)); noc_async_read_barrier();",
    "",
    "cb_push_back(0, 1);",
)
case(
    "reserve of two, push of one at the end",
    "circular buffer protocol",
    "cb_reserve_back(0, 2); noc_async_read_tile(0, a, get_write_ptr(0)); noc_async_read_barrier(); cb_push_back(0,"
    " 1); cb_reserve_back(0, 1); ",
    START + "one();",
    "give(16, 0, out);",
)
case(
    "tile behind the front after a pop",
    "circular buffer window",
    R2,
    START
    + "cb_wait_front(0, 2); cb_reserve_back(16, 2); pass(0); cb_pop_front(0, 1); pass(1); cb_pop_front(0, 1);"
    " cb_push_back(16, 2);",
    G2,
)
case(
    "second page there, first waited for",
    "circular buffer window",
    R2,
    START
    + "cb_wait_front(0, 1); cb_reserve_back(16, 1); pass(1); cb_pop_front(0, 1); cb_push_back(16, 1);"
    " cb_wait_front(0,1); cb_pop_front(0, 1);",
    "give(16, 0, out);",
)
case(
    "pack out of order beyond reserve",
    "circular buffer window",
    R2,
    START
    + "cb_wait_front(0, 2); cb_reserve_back(16, 1); tile_regs_acquire(); copy_tile(0, 0, 0); PACK_DST;"
    " pack_tile<true>(0, 16, 1); tile_regs_release(); cb_push_back(16, 1); cb_pop_front(0, 2);",
    "give(16, 0, out);",
)
case(
    "pack twice in one reserve",
    "circular buffer window",
    R2,
    START + "cb_wait_front(0, 2); cb_reserve_back(16, 1); pass(0); pass(1); cb_push_back(16, 1); cb_pop_front(0, 2);",
    "give(16, 0, out);",
)
case(
    "a buffer as scratch",
    None,
    "uint32_t p = get_write_ptr(24); noc_async_read_tile(0, a, p); noc_async_read_barrier(); noc_async_write_tile(0,"
    " out, p); noc_async_write_barrier();",
    "",
    "",
)
case(
    "reserved page sent on before the push",
    None,
    "cb_reserve_back(0, 1); noc_async_read_tile(0, a, get_write_ptr(0)); noc_async_read_barrier();"
    " noc_async_write_tile(1, out, get_write_ptr(0)); noc_async_write_barrier(); cb_push_back(0, 1);",
    START + "one();",
    "give(16, 0, out);",
)
case(
    "reserved page filled by stores",
    None,
    "cb_reserve_back(0, 1); for (uint32_t i = 0; i < 512; i++) WORD(get_write_ptr(0) + 4 * i) = 0x3f803f80;"
    " cb_push_back(0, 1);",
    START + "one();",
    "give(16, 0, out);",
)
case(
    "ring of four, three and two",
    "circular buffer window",
    "cb_reserve_back(4, 3); for (int i = 0; i < 3; i++) noc_async_read_tile(i, a, get_write_ptr(4) + i * 2048);"
    " noc_async_read_barrier(); cb_push_back(4, 3); cb_reserve_back(4, 2); for (int i = 0; i < 2; i++)"
    " noc_async_read_tile(i, a, get_write_ptr(4) + i * 2048); noc_async_read_barrier(); cb_push_back(4, 2);",
    "unary_op_init_common(4, 20); for (int i = 0; i < 5; i++) one(4, 20);",
    "for (int i = 0; i < 4; i++) give(20, i, out); cb_wait_front(20, 1); cb_pop_front(20, 1);",
)
case(
    "ring of four, one then three",
    None,
    "take(4, 0, a); cb_reserve_back(4, 3); for (int i = 0; i < 3; i++) noc_async_read_tile(i, a, get_write_ptr(4) + i"
    " * 2048); noc_async_read_barrier(); cb_push_back(4, 3);",
    "unary_op_init_common(4, 20); for (int i = 0; i < 4; i++) one(4, 20);",
    "for (int i = 0; i < 4; i++) give(20, i, out);",
)
# ---- DST
W = "cb_wait_front(0, 1); cb_reserve_back(16, 1);"
E = "cb_pop_front(0, 1); cb_push_back(16, 1);"


def dst(name, expect, steps, init="", n=1, wide=False, **config):
    case(
        "DST: " + name,
        expect,
        "take(0, 0, a);",
        START + init + W + steps + E,
        "give(16, 0, out);",
        wide=wide,
        **config,
    )


dst("older names", None, "acquire_dst(); copy_tile(0, 0, 0); pack_tile(0, 16); release_dst();")
dst(
    "acquire twice",
    "DST use",
    "tile_regs_acquire(); tile_regs_acquire(); copy_tile(0, 0, 0); PACK_DST; pack_tile(0, 16); tile_regs_release();",
)
dst("commit without acquire", "DST use", "PACK_DST; tile_regs_release();")
dst(
    "pack after release",
    "DST use",
    "tile_regs_acquire(); copy_tile(0, 0, 0); PACK_DST; tile_regs_release(); pack_tile(0, 16);",
)
dst(
    "math after commit",
    "DST use",
    "tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit(); copy_tile(0, 0, 0); tile_regs_wait(); pack_tile(0,"
    " 16); tile_regs_release();",
)
dst(
    "sfpu after commit",
    "DST use",
    "exp_tile_init(); tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_commit(); exp_tile(0); tile_regs_wait();"
    " pack_tile(0, 16); tile_regs_release();",
)
dst(
    "wait, and no commit",
    "DST use",
    "tile_regs_acquire(); copy_tile(0, 0, 0); tile_regs_wait(); pack_tile(0, 16); tile_regs_release();",
)
dst(
    "release twice",
    "DST use",
    "tile_regs_acquire(); copy_tile(0, 0, 0); PACK_DST; pack_tile(0, 16); tile_regs_release(); tile_regs_release();",
)
dst(
    "next acquired before the packer is done",
    None,
    "tile_regs_acquire(); copy_tile(0, 0, 0); PACK_DST; pack_tile(0, 16); tile_regs_release(); tile_regs_acquire();"
    " PACK_DST; tile_regs_release();",
)
dst(
    "nothing packed",
    None,
    "tile_regs_acquire(); PACK_DST; tile_regs_release(); tile_regs_acquire(); copy_tile(0, 0, 0); PACK_DST;"
    " pack_tile(0, 16); tile_regs_release();",
)
dst(
    "last slot of 8",
    None,
    "tile_regs_acquire(); copy_tile(0, 0, 7); PACK_DST; pack_tile(7, 16); tile_regs_release();",
)
dst(
    "slot 8", "DST range", "tile_regs_acquire(); copy_tile(0, 0, 8); PACK_DST; pack_tile(8, 16); tile_regs_release();"
)
dst(
    "slot 4 of f32",
    "DST range",
    "tile_regs_acquire(); copy_tile(0, 0, 4); PACK_DST; pack_tile(4, 16); tile_regs_release();",
    wide=True,
)
dst(
    "slot 15 full sync",
    None,
    "tile_regs_acquire(); copy_tile(0, 0, 15); PACK_DST; pack_tile(15, 16); tile_regs_release();",
    full_sync=True,
)
dst(
    "slot 8 f32 full sync",
    "DST range",
    "tile_regs_acquire(); copy_tile(0, 0, 8); PACK_DST; pack_tile(8, 16); tile_regs_release();",
    full_sync=True,
    wide=True,
)
dst(
    "binary into slot 8",
    "DST range",
    "add_binary_tile_init(); tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 0, 1); add_binary_tile(0, 1, 8);"
    " PACK_DST; pack_tile(0, 16); tile_regs_release();",
)
dst(
    "packs slot 8 only",
    "DST range",
    "tile_regs_acquire(); copy_tile(0, 0, 0); PACK_DST; pack_tile(8, 16); tile_regs_release();",
)
dst(
    "negative slot",
    "DST range",
    "tile_regs_acquire(); copy_tile(0, 0, (uint32_t)-1); PACK_DST; pack_tile(0, 16); tile_regs_release();",
)
dst(
    "second operand never written",
    "DST use",
    "add_binary_tile_init(); tile_regs_acquire(); copy_tile(0, 0, 0); add_binary_tile(0, 1, 0); PACK_DST;"
    " pack_tile(0, 16); tile_regs_release();",
)
dst(
    "slot of the former iteration",
    "DST use",
    "tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 0, 1); PACK_DST; tile_regs_release(); tile_regs_acquire();"
    " copy_tile(0, 0, 0); PACK_DST; pack_tile(1, 16); tile_regs_release();",
)
dst(
    "sfpu on an empty slot",
    "DST use",
    "exp_tile_init(); tile_regs_acquire(); copy_tile(0, 0, 0); exp_tile(1); PACK_DST; pack_tile(0, 16);"
    " tile_regs_release();",
)
dst(
    "fill needs no tile",
    None,
    "fill_tile_init(); tile_regs_acquire(); fill_tile(0, 2.0f); PACK_DST; pack_tile(0, 16); tile_regs_release();",
)
dst(
    "twice over itself",
    None,
    "exp_tile_init(); tile_regs_acquire(); copy_tile(0, 0, 0); exp_tile(0); exp_tile(0); PACK_DST; pack_tile(0, 16);"
    " tile_regs_release();",
)
dst(
    "copied tile over a read one",
    None,
    "add_binary_tile_init(); tile_regs_acquire(); copy_tile(0, 0, 0); copy_tile(0, 0, 1); add_binary_tile(0, 1, 2);"
    " copy_tile_init(0); copy_tile(0, 0, 1); PACK_DST; pack_tile(2, 16); tile_regs_release();",
)
case(
    "DST: matmul from cleared",
    None,
    "take(0, 0, a); take(1, 0, b);",
    "mm_init(0, 1, 16); cb_wait_front(0, 1); cb_wait_front(1, 1); cb_reserve_back(16, 1); tile_regs_acquire();"
    " matmul_tiles(0, 1, 0, 0, 0); matmul_tiles(0, 1, 0, 0, 0); PACK_DST; pack_tile(0, 16); tile_regs_release();"
    " cb_pop_front(0, 1); cb_pop_front(1, 1); cb_push_back(16, 1);",
    "give(16, 0, out);",
)
case(
    "DST: block of 3x3",
    "DST range",
    "for (int i = 0; i < 3; i++) take(3, i, a); for (int i = 0; i < 3; i++) take(4, i, b);",
    "mm_block_init(3, 4, 20, 0, 3, 3, 1); cb_wait_front(3, 3); cb_wait_front(4, 3); cb_reserve_back(20, 9);"
    " tile_regs_acquire(); matmul_block(3, 4, 0, 0, 0, 0, 3, 3, 1); PACK_DST; for (int i = 0; i < 8; i++)"
    " pack_tile(i, 20); tile_regs_release(); cb_push_back(20, 8); cb_pop_front(3, 3); cb_pop_front(4, 3);",
    "for (int i = 0; i < 8; i++) give(20, 0, out);",
)
