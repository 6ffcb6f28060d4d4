// Reads this core's rows of an interleaved matrix into its shard: the buffer aliases the shard, so no writer is needed.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    constexpr uint32_t rows = get_compile_time_arg_val(0), bytes = get_compile_time_arg_val(1);
    constexpr uint32_t cb = tt::CBIndex::c_0;
    const InterleavedAddrGen<true> in = {.bank_base_address = address, .page_size = bytes};

    cb_reserve_back(cb, rows);
    uint32_t at = get_write_ptr(cb);
    for (uint32_t row = first; row < first + rows; row++) {
        noc_async_read(get_noc_addr(row, in), at, bytes);
        at += bytes;
    }
    noc_async_read_barrier();
    cb_push_back(cb, rows);
}
