// A page is popped while the write that sends it is in flight.
// Report:
//   error <1>: missing barrier: gives back page 0 of circular buffer 16 ('output'), which a NoC write may still be
//       sending (kernel @barrier-missing-write, core 0,0, cycle *)
//   note <2>: the write was started here; wait with noc_async_write_barrier before the pop
//   note <1>: the same once more
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> out = {
        .bank_base_address = get_common_arg_val<uint32_t>(1), .page_size = 2048, .data_format = DataFormat::Float16_b};
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(16, 1);
        noc_async_write_tile(i, out, get_read_ptr(16));  // <2>
        cb_pop_front(16, 1);  // <1>
    }
    noc_async_write_barrier();
}
