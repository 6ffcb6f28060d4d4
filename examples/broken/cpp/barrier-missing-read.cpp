// A page is pushed while the read that fills it is in flight.
// Report:
//   error compute.cpp:14: missing barrier: uses bytes that a NoC read is still bringing (address 0x10000, page 0 of
//       circular buffer 0 ('input')) (kernel @compute, core 0,0, cycle *)
//   note <1>: the read was started here; wait for it with noc_async_read_barrier
//   note compute.cpp:14: the same once more
//   error <2>: missing barrier: the kernel ends with NoC transfers under way (kernel @barrier-missing-read, core
//       0,0, cycle *)
//   note <1>: this transfer was never waited for
//   note <2>: noc_async_read_barrier waits for reads, noc_async_write_barrier for writes
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> a = {
        .bank_base_address = get_common_arg_val<uint32_t>(0), .page_size = 2048, .data_format = DataFormat::Float16_b};
    for (uint32_t i = 0; i < 2; i++) {
        cb_reserve_back(0, 1);
        noc_async_read_tile(i, a, get_write_ptr(0));  // <1>
        cb_push_back(0, 1);
    }
}  // <2>
