// A store to a word of L1 that belongs to no buffer of the program.
// Report:
//   error <1>: L1 range: address 0x100000 with 4 bytes on core 0,0 lies in no circular buffer and no tensor (kernel
//       @l1-stray-store, core 0,0, cycle *)
//   note <1>: on hardware these bytes may be another program's, or the firmware's; use addresses that circular
//       buffers, tensors and semaphores have
#include "dataflow_api.h"

void kernel_main() {
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(0x100000);
    word[0] = 1;  // <1>
}
