// Source and destination of a read differ modulo 32: hardware would shift the data.
// Report:
//   error <1>: NoC alignment: local address 0x16a010 and far address 0xc00 differ modulo 32 (kernel @noc-alignment,
//       core 0,0, cycle *)
//   note <1>: hardware would move the wrong bytes; let both addresses have the same remainder
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t l1 = get_common_arg_val<uint32_t>(2);
    const InterleavedAddrGenFast<true> a = {
        .bank_base_address = get_common_arg_val<uint32_t>(0), .page_size = 2048, .data_format = DataFormat::Float16_b};
    noc_async_read(get_noc_addr(0, a), l1 + 16, 32);  // <1>
    noc_async_read_barrier();
}
