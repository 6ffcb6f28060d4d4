// Writes rows as they come.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr uint32_t bytes = get_compile_time_arg_val(0);
    constexpr uint32_t cb = tt::CBIndex::c_16;
    const InterleavedAddrGen<true> out = {.bank_base_address = address, .page_size = bytes};

    for (uint32_t row = first; row < first + count; row++) {
        cb_wait_front(cb, 1);
        noc_async_write(get_read_ptr(cb), get_noc_addr(row, out), bytes);
        noc_async_writes_flushed();
        cb_pop_front(cb, 1);
    }
    noc_async_write_barrier();
}
