// The writer of most of these programs: two tiles of circular buffer 16 into tensor 1.
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> out = {
        .bank_base_address = get_common_arg_val<uint32_t>(1), .page_size = 2048, .data_format = DataFormat::Float16_b};
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(16, 1);
        noc_async_write_tile(i, out, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
