// A kernel waits for a semaphore to be exactly 1, which it has passed.
// Report:
//   error <1>: deadlock: no thread can go on: @semaphore-overshoot waits for the semaphore at 0x200 to be 1 (it is
//       2: it has gone past); @semaphore-overshoot on core 0,0 changed it last, in cycle * (kernel @semaphore-overshoot,
//       core 0,1, cycle *)
//   note <2>: that semaphore was changed last here, from 1 to 2
//   note <1>: stop counting at that number, or wait with noc_semaphore_wait_min
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(0), ready = get_semaphore(1);
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    auto* start = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready);
    if (get_arg_val<uint32_t>(0) == 0) {
        noc_semaphore_inc(get_noc_addr(19, 18, semaphore), 1);
        noc_semaphore_inc(get_noc_addr(19, 18, semaphore), 1);  // <2>
        noc_async_atomic_barrier();
        noc_semaphore_inc(get_noc_addr(19, 18, ready), 1);
        noc_async_atomic_barrier();
    } else {
        noc_semaphore_wait(start, 1);
        noc_semaphore_wait(word, 1);  // <1>
    }
}
