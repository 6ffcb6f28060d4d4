// A reader pushes two pages where one was reserved: the pointers of the two sides drift apart.
// Report:
//   error <1>: circular buffer overflow: pushes 2 pages to circular buffer 0 ('input'), of which 1 is reserved
//       (kernel @cb-push-without-reserve, core 0,0, cycle *)
//   note <2>: the last reserve is here
//   note <1>: reserve, in this thread, as many pages as are pushed
//   error compute.cpp:14: uninitialised read: tile of a circular buffer: nothing has written address 0x10800, page
//       1 of circular buffer 0 ('input') (kernel @compute, core 0,0, cycle *)
//   note <1>: the buffer's last push is here; write all of a page first
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> a = {
        .bank_base_address = get_common_arg_val<uint32_t>(0), .page_size = 2048, .data_format = DataFormat::Float16_b};
    cb_reserve_back(0, 1);  // <2>
    noc_async_read_tile(0, a, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 2);  // <1>
}
