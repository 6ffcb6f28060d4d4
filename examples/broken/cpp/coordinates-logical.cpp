// Logical coordinates instead of the NoC's translated ones, which begin at 18,18.
// Report:
//   error <1>: NoC range: no worker's L1 has 4 bytes at x 1, y 0, address 0x200 (kernel @coordinates-logical, core
//       0,0, cycle *)
//   note <1>: workers begin at translated coordinates 18,18; convert logical ones first
#include "dataflow_api.h"

void kernel_main() {
    noc_semaphore_inc(get_noc_addr(1, 0, get_semaphore(0)), 1);  // <1>
    noc_async_atomic_barrier();
}
