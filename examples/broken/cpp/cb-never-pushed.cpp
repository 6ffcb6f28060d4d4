// A reader reserves a page and does not push it: its consumers wait for ever.
// Report:
//   error <1>: circular buffer protocol: circular buffer 0 ('input') has 1 reserved page that the kernel never
//       pushes (kernel @cb-never-pushed, core 0,0, cycle *)
//   note <1>: push what was reserved
//   error compute.cpp:11: deadlock: no thread can go on: @compute waits for 1 filled page of circular buffer 0
//       ('input') (none is there); no thread ever pushed to it (kernel @compute, core 0,0, cycle *)
//   note compute.cpp:11: fill and push these pages in another thread of the same core, before it waits itself, or
//       wait for fewer
//   note writer.cpp:8: @writer on core 0,0 waits for 1 filled page of circular buffer 16 ('output') (none is
//       there); no thread ever pushed to it
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> a = {
        .bank_base_address = get_common_arg_val<uint32_t>(0), .page_size = 2048, .data_format = DataFormat::Float16_b};
    cb_reserve_back(0, 1);  // <1>
    noc_async_read_tile(0, a, get_write_ptr(0));
    noc_async_read_barrier();
}
