// Two cores each wait for the other's signal before they send their own.
// Report:
//   error <1>: deadlock: no thread can go on: @deadlock-mutual waits for the semaphore at 0x200 to be 1 (it is 0);
//       no thread ever changed it (kernel @deadlock-mutual, cores 0,0-0,1, cycle *)
//   note <1>: let another core count it up as often as this kernel expects, before it waits itself
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t me = get_arg_val<uint32_t>(0), semaphore = get_semaphore(0);
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 1);  // <1>
    noc_semaphore_inc(get_noc_addr(19 - me, 18, semaphore), 1);
    noc_async_atomic_barrier();
}
