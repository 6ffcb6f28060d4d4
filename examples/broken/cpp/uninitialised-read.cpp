// An unwritten page is pushed.
// Report:
//   error compute.cpp:14: uninitialised read: tile of a circular buffer: nothing has written address 0x10000, page 0
//       of circular buffer 0 ('input') (kernel @compute, core 0,0, cycle *)
//   note <1>: the buffer's last push is here; write all of a page first
//   note compute.cpp:14: the same once more
#include "dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 2);
    cb_push_back(0, 2);  // <1>
}
