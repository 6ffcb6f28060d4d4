// Copies pages from DRAM to a buffer in L1 and from there to another address in DRAM.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t buffer = get_arg_val<uint32_t>(0);
    const uint32_t from = get_arg_val<uint32_t>(1);
    const uint32_t to = get_arg_val<uint32_t>(2);
    const uint32_t pages = get_arg_val<uint32_t>(3);
    constexpr uint32_t page = 2048;
    const InterleavedAddrGen<true> source = {.bank_base_address = from, .page_size = page};
    const InterleavedAddrGen<true> target = {.bank_base_address = to, .page_size = page};

    for (uint32_t i = 0; i < pages; i++) {
        noc_async_read(get_noc_addr(i, source), buffer, page);
        noc_async_read_barrier();
        noc_async_write(buffer, get_noc_addr(i, target), page);
        noc_async_write_barrier();
    }
}
