// A writer pops a page that it never waited for.
// Report:
//   error <1>: circular buffer underflow: pops 1 page of circular buffer 16 ('output'), of which 0 were waited for
//       (kernel @cb-pop-without-wait, core 0,0, cycle *)
//   note <1>: wait, in this thread, for as many pages as are popped
#include "dataflow_api.h"

void kernel_main() {
    cb_pop_front(16, 1);  // <1>
}
