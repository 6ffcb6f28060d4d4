// A reader reserves more pages than the circular buffer has: hardware waits for ever.
// Report:
//   error <1>: circular buffer overflow: reserves 3 pages of circular buffer 0 ('input'), which has 2 (kernel
//       @cb-overflow, core 0,0, cycle *)
//   note <1>: hardware would wait for ever; reserve fewer, or give the buffer more pages
#include "dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 3);  // <1>
}
