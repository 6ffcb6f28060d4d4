// A semaphore's value is multicast, and changed before it was read: the next multicast overtakes this one.
// Report:
//   error <1>: semaphore: sets a semaphore from 1 to 0 while its value is being sent (kernel @semaphore-overwritten,
//       core 0,0, cycle *)
//   note <2>: the word is sent here; wait with noc_async_write_barrier first
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(0);
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    if (get_arg_val<uint32_t>(0) == 0) {
        noc_semaphore_set(word, 1);
        noc_semaphore_set_multicast(semaphore, get_noc_multicast_addr(19, 18, 19, 18, semaphore), 1);  // <2>
        noc_semaphore_set(word, 0);  // <1>
        noc_async_write_barrier();
    } else {
        noc_semaphore_wait_min(word, 1);
    }
}
