// The sender waits for two answers, the receiver gives one.
// Report:
//   error <1>: deadlock: no thread can go on: @deadlock-unmatched-pipe waits for the semaphore at 0x200 to be at
//       least 2 (it is 1); @deadlock-unmatched-pipe on core 0,1 changed it last, in cycle * (kernel
//       @deadlock-unmatched-pipe, core 0,0, cycle *)
//   note <2>: that semaphore was changed last here, from 0 to 1
//   note <1>: let another core count it up as often as this kernel expects, before it waits itself
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(0);
    if (get_arg_val<uint32_t>(0) == 0) {
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 2);  // <1>
    } else {
        noc_semaphore_inc(get_noc_addr(18, 18, semaphore), 1);  // <2>
        noc_async_atomic_barrier();
    }
}
