// The reader of most of these programs: two tiles of tensor 0 into circular buffer 0.
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> a = {
        .bank_base_address = get_common_arg_val<uint32_t>(0), .page_size = 2048, .data_format = DataFormat::Float16_b};
    for (uint32_t i = 0; i < 2; i++) {
        cb_reserve_back(0, 1);
        noc_async_read_tile(i, a, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
