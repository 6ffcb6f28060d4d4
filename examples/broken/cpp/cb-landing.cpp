// A reader reads the next tile into a pushed page, which compute may still read.
// Report:
//   error <1>: circular buffer window: brings data into page 0 of circular buffer 0 ('input'), which has not been
//       popped (kernel @cb-landing, core 0,0, cycle *)
//   note <2>: it was pushed here; reserve a page before data is brought into it
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> a = {
        .bank_base_address = get_common_arg_val<uint32_t>(0), .page_size = 2048, .data_format = DataFormat::Float16_b};
    cb_reserve_back(0, 2);
    const uint32_t first = get_write_ptr(0);
    noc_async_read_tile(0, a, first);
    noc_async_read_tile(1, a, first + 2048);
    noc_async_read_barrier();
    cb_push_back(0, 2);  // <2>
    noc_async_read_tile(1, a, first);  // <1>
    noc_async_read_barrier();
}
