// The call gives another receiver count than the rectangle has: the barrier waits for ever.
// Report:
//   error <1>: multicast: the rectangle (19,18)-(21,18) has 3 receivers, the call says 1 (kernel @multicast-count,
//       core 0,0, cycle *)
//   note <1>: hardware's barrier would wait for ever; count the workers in the rectangle
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t l1 = get_common_arg_val<uint32_t>(2);
    auto* data = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
    if (get_arg_val<uint32_t>(0) == 0) {
        for (uint32_t i = 0; i < 16; i++) {
            data[i] = i;
        }
        noc_async_write_multicast(l1, get_noc_multicast_addr(19, 18, 21, 18, l1 + 4096), 64, 1);  // <1>
        noc_async_write_barrier();
    }
}
