"""Several cores and threads: order, races, semaphores, multicasts, deadlocks, accumulation, arguments. Cases of test_sim_checker.py."""

from checker_kernels import START, case


def pair(name, expect, first, second, writer="", **config):
    case(
        name,
        expect,
        f"if (me == 0) {{ {first} }} else {{ {second} }}",
        "",
        writer,
        cores=(0, 0, 1, 2),
        threads=config.pop("threads", "r"),
        **config,
    )


FILL = "for (uint32_t i = 0; i < 512; i++) WORD(l1 + 4 * i) = i;"
FILL0 = "uint32_t mine = get_write_ptr(20); for (uint32_t i = 0; i < 512; i++) WORD(mine + 4 * i) = i;"
AT1 = "get_noc_addr(19, 18, "
WAIT = "noc_semaphore_wait(&WORD(s0), 1);"
pair(
    "data, then semaphore on the same NoC",
    None,
    FILL0
    + f"noc_async_write(mine, {AT1}l1), 2048); noc_semaphore_inc({AT1}s0), 1); noc_async_write_barrier();"
    " noc_async_atomic_barrier();",
    WAIT + "uint32_t x = WORD(l1 + 2044); (void)x;",
)
pair(
    "semaphore, then data",
    "",
    FILL0
    + f"noc_semaphore_inc({AT1}s0), 1); noc_async_write(mine, {AT1}l1), 2048); noc_async_write_barrier();"
    " noc_async_atomic_barrier();",
    WAIT + "uint32_t x = WORD(l1 + 2044); (void)x;",
)
pair(
    "data on NoC 1, semaphore on NoC 0",
    "NoC order",
    FILL0
    + f"noc_async_write(mine, {AT1}l1), 2048, 1); noc_semaphore_inc({AT1}s0), 1, 0); noc_async_write_barrier(1);"
    " noc_async_atomic_barrier();",
    WAIT + "uint32_t x = WORD(l1 + 2044); (void)x;",
)
pair(
    "data on NoC 1, barrier, semaphore on NoC 0",
    None,
    FILL0
    + f"noc_async_write(mine, {AT1}l1), 2048, 1); noc_async_write_barrier(1); noc_semaphore_inc({AT1}s0), 1, 0);"
    " noc_async_atomic_barrier();",
    WAIT + "uint32_t x = WORD(l1 + 2044); (void)x;",
)
pair(
    "flushed is not arrived: other NoC",
    "NoC order",
    FILL0
    + f"noc_async_write(mine, {AT1}l1), 2048, 1); noc_async_writes_flushed(1); noc_semaphore_inc({AT1}s0), 1, 0);"
    " noc_async_write_barrier(1); noc_async_atomic_barrier();",
    WAIT + "uint32_t x = WORD(l1 + 2044); (void)x;",
)
pair(
    "no semaphore at all",
    "",
    FILL0 + f"noc_async_write(mine, {AT1}l1), 2048); noc_async_write_barrier();",
    "uint32_t x = WORD(l1 + 2044); (void)x;",
)
pair(
    "waits for zero, which it is already",
    "",
    FILL0
    + f"noc_async_write(mine, {AT1}l1), 2048); noc_semaphore_inc({AT1}s0), 1); noc_async_write_barrier();"
    " noc_async_atomic_barrier();",
    "noc_semaphore_wait(&WORD(s0), 0); uint32_t x = WORD(l1 + 2044); (void)x;",
)
pair(
    "waits for the wrong semaphore",
    "deadlock",
    FILL0
    + f"noc_async_write(mine, {AT1}l1), 2048); noc_semaphore_inc({AT1}s1), 1); noc_async_write_barrier();"
    " noc_async_atomic_barrier();",
    WAIT,
)
pair(
    "polls the word itself",
    None,
    FILL0
    + f"noc_async_write(mine, {AT1}l1), 2048); noc_semaphore_inc({AT1}s0), 1); noc_async_write_barrier();"
    " noc_async_atomic_barrier();",
    "while (WORD(s0) != 1) {} uint32_t x = WORD(l1 + 2044); (void)x;",
)
pair(
    "second iteration written before the first was read",
    "L1 race",
    FILL0
    + f"for (int k = 0; k < 2; k++) {{ WORD(mine) = 77 + k; noc_async_write(mine, {AT1}l1), 2048);"
    f" noc_semaphore_inc({AT1}s0), 1); noc_async_write_barrier(); }} noc_async_atomic_barrier();",
    "for (uint32_t k = 1; k <= 2; k++) { noc_semaphore_wait_min(&WORD(s0), k); uint32_t x = WORD(l1 + 2044) +"
    " WORD(l1); (void)x; }",
)
pair(
    "handshake over two iterations",
    None,
    FILL0
    + f"for (uint32_t k = 1; k <= 2; k++) {{ noc_semaphore_wait_min(&WORD(s1), k); noc_async_write(mine, {AT1}l1),"
    f" 2048); noc_semaphore_inc({AT1}s0), 1); noc_async_write_barrier(); }} noc_async_atomic_barrier();",
    "for (uint32_t k = 1; k <= 2; k++) { noc_semaphore_inc(get_noc_addr(18, 18, s1), 1);"
    " noc_semaphore_wait_min(&WORD(s0), k); uint32_t x = WORD(l1 + 2044) + WORD(l1); (void)x; }"
    " noc_async_atomic_barrier();",
)
pair(
    "reset by the receiver, signalled to the sender",
    None,
    FILL0
    + "for (uint32_t k = 1; k <= 3; k++) { noc_semaphore_wait(&WORD(s1), 1); noc_semaphore_set(&WORD(s1), 0);"
    f" noc_async_write(mine, {AT1}l1), 2048); noc_semaphore_inc({AT1}s0), 1); noc_async_write_barrier(); }}"
    " noc_async_atomic_barrier();",
    "for (uint32_t k = 1; k <= 3; k++) { noc_semaphore_set(&WORD(s0), 0); noc_semaphore_inc(get_noc_addr(18, 18, s1),"
    " 1); noc_semaphore_wait(&WORD(s0), 1); uint32_t x = WORD(l1 + 2044) + WORD(l1); (void)x; }"
    " noc_async_atomic_barrier();",
)
pair(
    "reset after telling the sender",
    "semaphore",
    FILL0
    + f"for (uint32_t k = 1; k <= 3; k++) {{ noc_semaphore_wait_min(&WORD(s1), k); noc_async_write(mine, {AT1}l1),"
    f" 2048); noc_semaphore_inc({AT1}s0), 1); noc_async_write_barrier(); }} noc_async_atomic_barrier();",
    "for (uint32_t k = 1; k <= 3; k++) { noc_semaphore_inc(get_noc_addr(18, 18, s1), 1); noc_semaphore_set(&WORD(s0),"
    " 0); noc_semaphore_wait(&WORD(s0), 1); uint32_t x = WORD(l1 + 2044) + WORD(l1); (void)x; }"
    " noc_async_atomic_barrier();",
)
pair(
    "overshoot",
    "",
    f"noc_semaphore_inc({AT1}s0), 1); noc_semaphore_inc({AT1}s0), 1); noc_async_atomic_barrier();",
    "for (int i = 0; i < 300; i++) { uint32_t x = WORD(l1 + 4096 * 0); (void)x; } noc_semaphore_wait(&WORD(s0), 1);",
)
pair(
    "at least",
    None,
    f"noc_semaphore_inc({AT1}s0), 1); noc_semaphore_inc({AT1}s0), 1); noc_async_atomic_barrier();",
    "noc_semaphore_wait_min(&WORD(s0), 1);",
)
pair(
    "both write one buffer",
    "L1 race",
    "uint32_t mine = get_write_ptr(20); for (uint32_t i = 0; i < 512; i++) WORD(mine + 4 * i) = i;"
    " noc_async_write(mine, get_noc_addr(20, 18, l1), 2048); noc_async_write_barrier();",
    "uint32_t mine = get_write_ptr(20); for (uint32_t i = 0; i < 512; i++) WORD(mine + 4 * i) = 2 * i;"
    " noc_async_write(mine, get_noc_addr(20, 18, l1), 2048); noc_async_write_barrier();",
)
pair(
    "each writes its half",
    None,
    "uint32_t mine = get_write_ptr(20); for (uint32_t i = 0; i < 512; i++) WORD(mine + 4 * i) = i;"
    " noc_async_write(mine, get_noc_addr(20, 18, l1), 1008); noc_async_write_barrier();",
    "uint32_t mine = get_write_ptr(20); for (uint32_t i = 0; i < 512; i++) WORD(mine + 4 * i) = 2 * i;"
    " noc_async_write(mine, get_noc_addr(20, 18, l1 + 1008), 1040); noc_async_write_barrier();",
)
pair(
    "halves overlap by a granule",
    "L1 race",
    "uint32_t mine = get_write_ptr(20); for (uint32_t i = 0; i < 512; i++) WORD(mine + 4 * i) = i;"
    " noc_async_write(mine, get_noc_addr(20, 18, l1), 1040); noc_async_write_barrier();",
    "uint32_t mine = get_write_ptr(20); for (uint32_t i = 0; i < 512; i++) WORD(mine + 4 * i) = 2 * i;"
    " noc_async_write(mine, get_noc_addr(20, 18, l1 + 1024), 1024); noc_async_write_barrier();",
)
pair(
    "DRAM page written by one, read by the other, after a semaphore",
    None,
    "take(0, 0, a); noc_async_write_tile(0, out, get_read_ptr(0)); noc_async_write_barrier();"
    f" noc_semaphore_inc({AT1}s0), 1); noc_async_atomic_barrier(); cb_wait_front(0, 1); cb_pop_front(0, 1);",
    WAIT + "take(0, 0, out); cb_wait_front(0, 1); cb_pop_front(0, 1);",
)
pair(
    "DRAM page signalled before the barrier",
    "",
    f"take(0, 0, a); noc_async_write_tile(0, out, get_read_ptr(0)); noc_semaphore_inc({AT1}s0), 1);"
    " noc_async_write_barrier(); noc_async_atomic_barrier(); cb_wait_front(0, 1); cb_pop_front(0, 1);",
    WAIT + "take(0, 0, out); cb_wait_front(0, 1); cb_pop_front(0, 1);",
)
# multicasts
M = "uint32_t mine = get_write_ptr(20); for (uint32_t i = 0; i < 512; i++) WORD(mine + 4 * i) = i; "


def cast(name, expect, first, rest="", cores=(0, 0, 1, 3)):
    case(
        "multicast: " + name,
        expect,
        f"if (me == 0) {{ {M}{first} }} else {{ {rest} }}",
        "",
        "",
        cores=cores,
        threads="r",
    )


cast(
    "to the others",
    None,
    "noc_async_write_multicast(mine, get_noc_multicast_addr(19, 18, 20, 18, l1), 2048, 2);"
    " noc_semaphore_set(&WORD(s0), 1); noc_semaphore_set_multicast(s0, get_noc_multicast_addr(19, 18, 20, 18, s0),"
    " 2); noc_async_write_barrier();",
    WAIT + "uint32_t x = WORD(l1); (void)x;",
)
cast(
    "with itself, loopback",
    None,
    "noc_async_write_multicast_loopback_src(mine, get_noc_multicast_addr(18, 18, 20, 18, l1), 2048, 3);"
    " noc_semaphore_set(&WORD(s0), 1); noc_semaphore_set_multicast_loopback_src(s0, get_noc_multicast_addr(18, 18,"
    " 20, 18, s0), 3); noc_async_write_barrier(); uint32_t x = WORD(l1); (void)x;",
    WAIT + "uint32_t x = WORD(l1); (void)x;",
)
cast(
    "sender within, not counted",
    None,
    "noc_async_write_multicast(mine, get_noc_multicast_addr(18, 18, 20, 18, l1), 2048, 2);"
    " noc_async_write_barrier();",
)
cast(
    "loopback, one too few",
    "multicast",
    "noc_async_write_multicast_loopback_src(mine, get_noc_multicast_addr(18, 18, 20, 18, l1), 2048, 2);"
    " noc_async_write_barrier();",
)
cast(
    "no receivers",
    "multicast",
    "noc_async_write_multicast(mine, get_noc_multicast_addr(18, 18, 18, 18, l1), 2048, 1);"
    " noc_async_write_barrier();",
)
cast(
    "corners swapped on NoC 0",
    "multicast",
    "noc_async_write_multicast(mine, get_noc_multicast_addr(20, 18, 19, 18, l1), 2048, 2);"
    " noc_async_write_barrier();",
)
cast(
    "corners as NoC 1 wants them",
    None,
    "noc_async_write_multicast(mine, get_noc_multicast_addr(20, 18, 19, 18, l1), 2048, 2, false, 1);"
    " noc_async_write_barrier(1);",
)
cast(
    "semaphore's source changed before it left",
    "",
    "noc_semaphore_set(&WORD(s0), 1); noc_semaphore_set_multicast(s0, get_noc_multicast_addr(19, 18, 20, 18, s0), 2);"
    " noc_semaphore_set(&WORD(s0), 0); noc_async_write_barrier();",
    WAIT,
)
cast(
    "semaphore's source changed after the flush",
    None,
    "noc_semaphore_set(&WORD(s0), 1); noc_semaphore_set_multicast(s0, get_noc_multicast_addr(19, 18, 20, 18, s0), 2);"
    " noc_async_writes_flushed(); noc_semaphore_set(&WORD(s0), 0); noc_async_write_barrier();",
    WAIT,
)
cast(
    "source overwritten before the flush",
    "",
    "noc_async_write_multicast(mine, get_noc_multicast_addr(19, 18, 20, 18, l1), 2048, 2); WORD(mine) = 9;"
    " noc_async_write_barrier();",
)
cast(
    "receivers read without waiting",
    "",
    "noc_async_write_multicast(mine, get_noc_multicast_addr(19, 18, 20, 18, l1), 2048, 2);"
    " noc_async_write_barrier();",
    "uint32_t x = WORD(l1); (void)x;",
)
cast(
    "receivers signal they are ready too late",
    "L1 race",
    "for (int k = 0; k < 2; k++) { WORD(mine) = 77 + k; noc_async_write_multicast(mine, get_noc_multicast_addr(19,"
    " 18, 20, 18, l1), 2048, 2); noc_semaphore_inc(get_noc_addr(19, 18, s0), 1); noc_semaphore_inc(get_noc_addr(20,"
    " 18, s0), 1); noc_async_write_barrier(); } noc_async_atomic_barrier();",
    "noc_semaphore_wait_min(&WORD(s0), 1); uint32_t x = WORD(l1 + 64); noc_semaphore_wait_min(&WORD(s0), 2); x +="
    " WORD(l1 + 64); (void)x;",
)
cast(
    "beyond the grid",
    "NoC range",
    "noc_async_write_multicast(mine, get_noc_multicast_addr(19, 18, 26, 18, l1), 2048, 7);"
    " noc_async_write_barrier();",
)
# deadlocks
case(
    "three threads in a ring",
    "deadlock",
    "cb_wait_front(24, 1);",
    "unary_op_init_common(0, 16); cb_wait_front(0, 1);",
    "cb_wait_front(16, 1);",
)
case(
    "one page too few for the block",
    "deadlock",
    "take(4, 0, a); take(4, 1, a); take(4, 2, a);",
    "unary_op_init_common(4, 16); cb_wait_front(4, 4);",
    "",
)
case(
    "results that are never popped",
    "deadlock",
    "for (int i = 0; i < 4; i++) take(0, i, a);",
    START + "for (int i = 0; i < 4; i++) one();",
    "give(16, 0, out);",
)
case(
    "waits for itself",
    "deadlock",
    "cb_reserve_back(24, 1); cb_reserve_back(24, 1); cb_push_back(24, 1); cb_reserve_back(24, 1);",
    "",
    "",
    threads="r",
)
pair(
    "each waits for the other's semaphore",
    "deadlock",
    "noc_semaphore_wait(&WORD(s0), 1); noc_semaphore_inc(get_noc_addr(19, 18, s0), 1);",
    "noc_semaphore_wait(&WORD(s0), 1); noc_semaphore_inc(get_noc_addr(18, 18, s0), 1);",
)
pair(
    "semaphore signalled to the wrong core",
    "deadlock",
    "noc_semaphore_inc(get_noc_addr(20, 18, s0), 1); noc_async_atomic_barrier();",
    "noc_semaphore_wait(&WORD(s0), 1);",
)
# threads of one core
case(
    "two threads, one scratch word",
    "L1 race",
    "WORD(get_write_ptr(20)) = 1;",
    "",
    "uint32_t x = WORD(get_write_ptr(20)); (void)x;",
    threads="rw",
)
case(
    "ordered by a buffer's page",
    None,
    "cb_reserve_back(24, 1); WORD(get_write_ptr(24)) = 5; WORD(get_write_ptr(20)) = 1; cb_push_back(24, 1);",
    "",
    "cb_wait_front(24, 1); uint32_t x = WORD(get_write_ptr(20)) + WORD(get_read_ptr(24)); (void)x;"
    " cb_pop_front(24, 1);",
    threads="rw",
)
case(
    "written again after it was pushed",
    "L1 race",
    "cb_reserve_back(24, 1); WORD(get_write_ptr(24)) = 5; WORD(get_write_ptr(20)) = 1; cb_push_back(24, 1);"
    " WORD(get_write_ptr(20)) = 2;",
    "",
    "cb_wait_front(24, 1); uint32_t x = WORD(get_write_ptr(20)) + WORD(get_read_ptr(24)); (void)x;"
    " cb_pop_front(24, 1);",
    threads="rw",
)
case(
    "page written after its push",
    "",
    "cb_reserve_back(0, 1); for (uint32_t i = 0; i < 512; i++) WORD(get_write_ptr(0) + 4 * i) = 0; uint32_t p ="
    " get_write_ptr(0); cb_push_back(0, 1); WORD(p) = 5;",
    START + "one();",
    "give(16, 0, out);",
)
case(
    "L1 signal between threads through a semaphore",
    None,
    "WORD(get_write_ptr(20)) = 1; noc_semaphore_set(&WORD(s0), 1);",
    "",
    "noc_semaphore_wait(&WORD(s0), 1); uint32_t x = WORD(get_write_ptr(20)); (void)x;",
    threads="rw",
)
# accumulation in L1
ACC = (
    "cb_wait_front(0, 2); cb_reserve_back(24, 1); for (int i = 0; i < 2; i++) { %s tile_regs_acquire(); copy_tile(0,"
    " i, 0); PACK_DST; pack_tile<true>(0, 24, 0); tile_regs_release(); } %s cb_push_back(24, 1); cb_pop_front(0, 2);"
)
case(
    "accumulates from the second on",
    None,
    "take(0, 0, a); take(0, 1, a);",
    "unary_op_init_common(0, 24);" + ACC % ("pack_reconfig_l1_acc(i > 0);", "pack_reconfig_l1_acc(0);"),
    "give(24, 0, out);",
)
case(
    "accumulates from the first on",
    "uninitialised read",
    "take(0, 0, a); take(0, 1, a);",
    "unary_op_init_common(0, 24);" + ACC % ("pack_reconfig_l1_acc(1);", "pack_reconfig_l1_acc(0);"),
    "give(24, 0, out);",
)
case(
    "second block accumulates on the first",
    None,
    "for (int k = 0; k < 2; k++) { take(0, 0, a); take(0, 1, a); }",
    "unary_op_init_common(0, 24);"
    + (ACC % ("pack_reconfig_l1_acc(i > 0);", ""))
    + (ACC % ("", "pack_reconfig_l1_acc(0);")),
    "give(24, 0, out); give(24, 1, out);",
)
case(
    "accumulates in bfp8",
    "data format",
    "take(0, 0, a); take(0, 1, a);",
    "unary_op_init_common(0, 5); cb_wait_front(0, 2); cb_reserve_back(5, 1); for (int i = 0; i < 2; i++) {"
    " pack_reconfig_l1_acc(i > 0); tile_regs_acquire(); copy_tile(0, i, 0); PACK_DST; pack_tile<true>(0, 5, 0);"
    " tile_regs_release(); } pack_reconfig_l1_acc(0); cb_push_back(5, 1); cb_pop_front(0, 2);",
    "cb_wait_front(5, 1); cb_pop_front(5, 1);",
)
# arguments
case("a runtime argument too many", "kernel argument", "get_arg_val<uint32_t>(1);", threads="r")
case("a common argument too many", "kernel argument", "get_common_arg_val<uint32_t>(9);", threads="r")
case("a semaphore too many", "", "uint32_t s = get_semaphore(4); noc_semaphore_wait(&WORD(s), 0);", threads="r")
case("a buffer that is not there", "kernel argument", "cb_reserve_back(9, 1);", threads="r")
case("port 32", "kernel argument", "cb_reserve_back(32, 1);", threads="r")
case("loop without end in a wait", "", "while (WORD(s0) == 0) {}", threads="r")
