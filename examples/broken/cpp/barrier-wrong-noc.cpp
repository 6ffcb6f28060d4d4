// Reads go over NoC 1, the barrier waits on NoC 0.
// Report:
//   error <1>: wrong barrier: waits on NoC 0, on which nothing is under way; NoC 1 has work (kernel
//       @barrier-wrong-noc, core 0,0, cycle *)
//   note <2>: this transfer is not waited for
//   error compute.cpp:14: missing barrier: uses bytes that a NoC read is still bringing (address 0x10000, page 0 of
//       circular buffer 0 ('input')) (kernel @compute, core 0,0, cycle *)
//   note <2>: the read was started here; wait for it with noc_async_read_barrier
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> a = {
        .bank_base_address = get_common_arg_val<uint32_t>(0), .page_size = 2048, .data_format = DataFormat::Float16_b};
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(0, a), get_write_ptr(0), 2048, 1);  // <2>
    noc_async_read_barrier(0);  // <1>
    cb_push_back(0, 1);
    cb_reserve_back(0, 1);
    noc_async_read_tile(1, a, get_write_ptr(0));
    noc_async_read_barrier();
    noc_async_read_barrier(1);
    cb_push_back(0, 1);
}
