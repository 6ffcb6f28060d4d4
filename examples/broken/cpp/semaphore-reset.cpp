// A kernel resets a semaphore while another may increment it.
// Report:
//   error <1>: semaphore: counts up a semaphore that is set in no order with it: what was added may be lost (kernel
//       @semaphore-reset, core 0,0, cycle *)
//   note <2>: it is set here; let the core that sets it signal that it has
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t semaphore = get_semaphore(0);
    if (get_arg_val<uint32_t>(0) == 0) {
        noc_semaphore_inc(get_noc_addr(19, 18, semaphore), 1);  // <1>
        noc_async_atomic_barrier();
    } else {
        noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 0);  // <2>
    }
}
