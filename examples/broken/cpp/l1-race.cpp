// A core writes to another's L1, which the other reads without waiting for it.
// Report:
//   error <1>: L1 race: writes 64 bytes of core 0,1's L1 at 0x16a000, which @l1-race on core 0,1 writes in no order
//       with it (kernel @l1-race, core 0,0, cycle *)
//   note <2>: the other access is here; a semaphore, or pages of a circular buffer that are pushed or popped between
//       them, would order them (NoC writes count once a barrier has waited for them)
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t l1 = get_common_arg_val<uint32_t>(2);
    auto* data = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
    for (uint32_t i = 0; i < 16; i++) {
        data[i] = get_arg_val<uint32_t>(0);  // <2>
    }
    if (get_arg_val<uint32_t>(0) == 0) {
        noc_async_write(l1, get_noc_addr(19, 18, l1), 64);  // <1>
        noc_async_write_barrier();
    }
}
