// Circular buffers that fit into L1, but overlap a tensor: run.py requests 725 pages of port 20.
// Report:
//   error: L1 is over-subscribed: circular buffers end at 0x182000, tensors begin at 0x16a000:
#include "dataflow_api.h"

void kernel_main() {}
