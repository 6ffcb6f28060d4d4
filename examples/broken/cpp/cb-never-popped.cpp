// A writer waits for all tiles and never pops them.
// Report:
//   warning <1>: circular buffer kept: circular buffer 16 ('output') has 2 pages that the kernel waited for and
//       never pops (kernel @cb-never-popped, core 0,0, cycle *)
//   note <1>: pop what was waited for
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> out = {
        .bank_base_address = get_common_arg_val<uint32_t>(1), .page_size = 2048, .data_format = DataFormat::Float16_b};
    cb_wait_front(16, 2);  // <1>
    for (uint32_t i = 0; i < 2; i++) {
        noc_async_write_tile(i, out, get_read_ptr(16) + i * 2048);
    }
    noc_async_write_barrier();
}
