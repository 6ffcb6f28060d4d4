// A loop that never ends.
// Report:
//   error <1>: budget: the thread has run its 100000 operations: an endless loop? (kernel @endless-loop, core 0,0,
//       cycle *)
//   note <1>: raise it if the kernel is meant to run so long
#include "dataflow_api.h"

void kernel_main() {
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    while (true) {
        word[0] = word[0] + 1;  // <1>
    }
}
