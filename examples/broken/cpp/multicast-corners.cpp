// On NoC 1 a rectangle starts at its lower right corner.
// Report:
//   error <1>: multicast: the rectangle from x 19, y 18 to x 21, y 18 goes round the chip on NoC 1 (kernel
//       @multicast-corners, core 0,0, cycle *)
//   note <1>: on NoC 1 the start is the lower right corner
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t l1 = get_common_arg_val<uint32_t>(2);
    auto* data = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
    if (get_arg_val<uint32_t>(0) == 0) {
        for (uint32_t i = 0; i < 16; i++) {
            data[i] = i;
        }
        noc_async_write_multicast(l1, get_noc_multicast_addr(19, 18, 21, 18, l1 + 4096, 1), 64, 3, false, 1);  // <1>
        noc_async_write_barrier(1);
    }
}
