// The write has transaction id 1, the barrier waits for id 2.
// Report:
//   error <1>: missing barrier: gives back page 0 of circular buffer 16 ('output'), which a NoC write may still be
//       sending (kernel @barrier-wrong-id, core 0,0, cycle *)
//   note <2>: the write was started here; wait with noc_async_write_barrier before the pop
//   error <3>: missing barrier: the kernel ends with NoC transfers under way (kernel @barrier-wrong-id, core 0,0,
//       cycle *)
//   note <2>: this transfer was never waited for
//   note <3>: noc_async_read_barrier waits for reads, noc_async_write_barrier for writes
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> out = {
        .bank_base_address = get_common_arg_val<uint32_t>(1), .page_size = 2048, .data_format = DataFormat::Float16_b};
    cb_wait_front(16, 2);
    noc_async_write_one_packet_with_trid(get_read_ptr(16), get_noc_addr(0, out), 2048, 1);  // <2>
    noc_async_write_barrier_with_trid(2);
    cb_pop_front(16, 2);  // <1>
}  // <3>
