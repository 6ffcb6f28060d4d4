// Reads the tiles of a tensor.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb = tt::CBIndex::c_0;
    const InterleavedAddrGenFast<true> in = {
        .bank_base_address = address, .page_size = get_tile_size(cb), .data_format = get_dataformat(cb)};

    for (uint32_t tile = first; tile < first + count; tile++) {
        cb_reserve_back(cb, 1);
        noc_async_read_tile(tile, in, get_write_ptr(cb));
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}
