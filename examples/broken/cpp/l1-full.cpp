// Circular buffers of more bytes than L1 has: run.py requests 2000 pages of port 20.
// Report:
//   error: circular buffer 20: 2000 pages of 2048 bytes of bf16; a core's L1 has 1499136 bytes, room for 732
#include "dataflow_api.h"

void kernel_main() {}
