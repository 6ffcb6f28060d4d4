// Two pages at a time in a buffer of three: the second block runs past its end.
// Report:
//   error <1>: circular buffer window: 2 pages from page 2 run past the end of circular buffer 1 (3 pages) (kernel
//       @cb-wrap, core 0,0, cycle *)
//   note <1>: let the number of pages divide the buffer's size
#include "dataflow_api.h"

void kernel_main() {
    for (uint32_t i = 0; i < 2; i++) {
        cb_reserve_back(1, 2);  // <1>
        cb_push_back(1, 2);
        cb_wait_front(1, 2);
        cb_pop_front(1, 2);
    }
}
