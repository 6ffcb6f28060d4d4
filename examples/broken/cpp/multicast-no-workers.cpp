// A rectangle that reaches beyond the workers' last column.
// Report:
//   error <1>: NoC range: no worker's L1 has 64 bytes at x 26, y 18, address 0x16b000 (kernel
//       @multicast-no-workers, core 0,0, cycle *)
//   note <1>: workers begin at translated coordinates 18,18; convert logical ones first
//   error <1>: multicast: the rectangle (19,18)-(26,18) has 8 receivers, the call says 7 (kernel
//       @multicast-no-workers, core 0,0, cycle *)
//   note <1>: hardware's barrier would wait for ever; count the workers in the rectangle
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t l1 = get_common_arg_val<uint32_t>(2);
    auto* data = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
    if (get_arg_val<uint32_t>(0) == 0) {
        for (uint32_t i = 0; i < 16; i++) {
            data[i] = i;
        }
        noc_async_write_multicast(l1, get_noc_multicast_addr(19, 18, 26, 18, l1 + 4096), 64, 7);  // <1>
        noc_async_write_barrier();
    }
}
