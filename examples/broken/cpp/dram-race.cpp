// Two cores write the same page of a tensor: the result depends on timing.
// Report:
//   error <1>: DRAM race: overwrites bytes that a NoC write is still bringing (address 0x1400 of DRAM) (kernel
//       @dram-race, core 0,1, cycle *)
//   note <1>: the write was started here; let a semaphore say that it has arrived
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> out = {
        .bank_base_address = get_common_arg_val<uint32_t>(1), .page_size = 2048, .data_format = DataFormat::Float16_b};
    auto* data = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    cb_reserve_back(0, 1);
    for (uint32_t i = 0; i < 512; i++) {
        data[i] = get_arg_val<uint32_t>(0);
    }
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    noc_async_write_tile(0, out, get_read_ptr(0));  // <1>
    noc_async_write_barrier();
    cb_pop_front(0, 1);
}
