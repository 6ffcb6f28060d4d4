// Data is sent over NoC 1 and its arrival signal over NoC 0: the signal may come first.
// Report:
//   error <1>: NoC order: signals a core over NoC 0 while data for it is under way on NoC 1 (kernel @noc-order, core
//       0,0, cycle *)
//   note <2>: the data was sent here; wait with noc_async_write_barrier between
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t l1 = get_common_arg_val<uint32_t>(2), semaphore = get_semaphore(0);
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore);
    auto* data = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
    if (get_arg_val<uint32_t>(0) == 0) {
        for (uint32_t i = 0; i < 16; i++) {
            data[i] = i;
        }
        noc_async_write(l1, get_noc_addr(19, 18, l1 + 4096), 64, 1);  // <2>
        noc_semaphore_inc(get_noc_addr(19, 18, semaphore), 1);  // <1>
        noc_async_write_barrier(1);
        noc_async_atomic_barrier();
    } else {
        noc_semaphore_wait(word, 1);
    }
}
