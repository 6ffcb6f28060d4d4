// The form for one packet is used for more bytes than a packet has.
// Report:
//   error <1>: NoC range: 16384 bytes do not fit into one packet of 8192 (kernel @noc-packet-too-long, core 0,0,
//       cycle *)
//   note <1>: use the form for any length, or several packets
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t l1 = get_common_arg_val<uint32_t>(2);
    noc_async_read_one_packet(get_noc_addr(18, 18, l1), l1 + 16384, 16384);  // <1>
    noc_async_read_barrier();
}
