// The rectangle contains the sender, which this form of multicast excludes.
// Report:
//   error <1>: multicast: the rectangle holds the sender, which this form leaves out, and 2 receivers are expected
//       (kernel @multicast-sender, core 0,0, cycle *)
//   note <1>: use the loopback form, or leave the sender out of the count
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t l1 = get_common_arg_val<uint32_t>(2);
    auto* data = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
    if (get_arg_val<uint32_t>(0) == 0) {
        for (uint32_t i = 0; i < 16; i++) {
            data[i] = i;
        }
        noc_async_write_multicast(l1, get_noc_multicast_addr(18, 18, 19, 18, l1 + 4096), 64, 2);  // <1>
        noc_async_write_barrier();
    }
}
