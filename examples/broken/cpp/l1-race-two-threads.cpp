// Two threads of a core share a word of L1 without synchronization: the loaded value depends on the schedule.
// Report:
//   error <1>: L1 race: reads 4 bytes of core 0,0's L1 at 0x16a000, which @l1-race-two-threads on core 0,0 writes
//       in no order with it (kernel @l1-race-two-threads, core 0,0, cycle *)
//   note <2>: the other access is here; a semaphore, or pages of a circular buffer that are pushed or popped
//       between them, would order them (NoC writes count once a barrier has waited for them)
#include "dataflow_api.h"

void kernel_main() {
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_common_arg_val<uint32_t>(2));
    if (noc_index == 0) {
        word[0] = 1;  // <2>
    } else {
        word[1] = word[0];  // <1>
    }
}
