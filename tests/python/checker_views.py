"""Views of DST, coordinates, freed tensors. Cases of test_sim_checker.py."""

from checker_kernels import case

# one DST, two views: integers of 32 bits, floats
INTEGERS = "cb_wait_front(6, 1); unary_op_init_common(6, 6); copy_tile_init(6); tile_regs_acquire(); copy_tile(6, 0, 0);"
END = "tile_regs_release(); cb_pop_front(6, 1);"
W = "take(6, 0, whole);"
case("view: integers in a 16-bit DST", "data format", W, INTEGERS + "PACK_DST;" + END, threads="rc")
case("view: integers in a 32-bit DST", None, W, INTEGERS + "PACK_DST;" + END, threads="rc", wide=True)
case("view: exp of integers", "data format", W, INTEGERS + "exp_tile_init(); exp_tile(0); PACK_DST;" + END, threads="rc", wide=True)
case("view: integers packed as floats", "data format", W,
     INTEGERS + "PACK_DST; cb_reserve_back(17, 1); pack_reconfig_data_format(17); pack_tile(0, 17); cb_push_back(17, 1);" + END
     + "cb_wait_front(17, 1); cb_pop_front(17, 1);", threads="rc", wide=True)
case("view: floats added to integers", "data format", W + "take(2, 0, wide);",
     INTEGERS + "cb_wait_front(2, 1); reconfig_data_format_srca(2); copy_tile_init(2); copy_tile(2, 0, 1);"
     " add_binary_tile_init(); add_binary_tile(0, 1, 0); cb_pop_front(2, 1); PACK_DST;" + END, threads="rc", wide=True)
# coordinates
INC = "noc_semaphore_inc(get_noc_addr(%s, s0), 1); noc_async_atomic_barrier();"
case("place: translated", None, INC % "18, 18", threads="r")
case("place: logical", "NoC range", INC % "0, 0", threads="r")
case("place: row and column swapped off the grid", "NoC range", INC % "18, 26", threads="r")
case("place: behind the last worker", "NoC range", INC % "26, 18", threads="r")
case("place: a DRAM bank's number as a core", "NoC range",
     "cb_reserve_back(20, 1); noc_async_read(get_noc_addr(0, 0, sizeof(uint32_t) * 256), get_write_ptr(20), 32);"
     " noc_async_read_barrier(); cb_push_back(20, 1); cb_wait_front(20, 1); cb_pop_front(20, 1);", threads="r")
# freed tensors
TAKE = "cb_reserve_back(20, 1); %s; noc_async_read_barrier(); cb_push_back(20, 1); cb_wait_front(20, 1); cb_pop_front(20, 1);"
case("gone: a page by its bank", "NoC range", TAKE % "noc_async_read(get_noc_addr_from_bank_id<true>(0, gone), get_write_ptr(20), 2048)",
     threads="r")
case("gone: through an address generator", "NoC range",
     "InterleavedAddrGenFast<true> was = {.bank_base_address = gone, .page_size = 2048, .data_format = DataFormat::Float16_b};"
     + TAKE % "noc_async_read_tile(1, was, get_write_ptr(20))", threads="r")
case("gone: stored to in L1", "L1 range", "WORD(gone_l1) = 1;", threads="r")
case("gone: written to over the NoC", "", "cb_reserve_back(20, 1); for (int i = 0; i < 16; i++) WORD(get_write_ptr(20) + 4 * i) = 1;"
     " noc_async_write(get_write_ptr(20), get_noc_addr(18, 18, gone_l1), 64); noc_async_write_barrier();"
     " cb_push_back(20, 1); cb_wait_front(20, 1); cb_pop_front(20, 1);", threads="r")
case("gone: the one beside it", None, TAKE % "noc_async_read_tile(0, a, get_write_ptr(20))", threads="r")
