// Signals room to the sender and pushes the received tiles.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    const uint32_t room = get_semaphore(get_arg_val<uint32_t>(3));
    const uint32_t come = get_semaphore(get_arg_val<uint32_t>(4));
    constexpr uint32_t cb = tt::CBIndex::c_16;
    volatile tt_l1_ptr uint32_t* comes = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(come);

    for (uint32_t i = 0; i < tiles; i++) {
        cb_reserve_back(cb, 1);
        noc_semaphore_inc(get_noc_addr(x, y, room), 1);
        noc_semaphore_wait_min(comes, i + 1);
        cb_push_back(cb, 1);
    }
    noc_async_atomic_barrier();
}
