// Reads tiles and sends each to another core when that core signals room.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    const uint32_t x = get_arg_val<uint32_t>(2), y = get_arg_val<uint32_t>(3);
    const uint32_t room = get_semaphore(get_arg_val<uint32_t>(4));
    const uint32_t come = get_semaphore(get_arg_val<uint32_t>(5));
    constexpr uint32_t cb = tt::CBIndex::c_0, cb_far = tt::CBIndex::c_16;
    const uint32_t bytes = get_tile_size(cb), far = get_write_ptr(cb_far);  // buffers have the same address on both cores
    const InterleavedAddrGenFast<true> in = {
        .bank_base_address = address, .page_size = bytes, .data_format = get_dataformat(cb)};
    volatile tt_l1_ptr uint32_t* rooms = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(room);

    for (uint32_t i = 0; i < tiles; i++) {
        cb_reserve_back(cb, 1);
        const uint32_t at = get_write_ptr(cb);
        noc_async_read_tile(i, in, at);
        noc_async_read_barrier();
        cb_push_back(cb, 1);

        cb_wait_front(cb, 1);
        noc_semaphore_wait_min(rooms, i + 1);
        noc_async_write(get_read_ptr(cb), get_noc_addr(x, y, far + i % 2 * bytes), bytes);
        noc_semaphore_inc(get_noc_addr(x, y, come), 1);  // after the tile, on the same NoC
        noc_async_writes_flushed();
        cb_pop_front(cb, 1);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
