// The launch passes the address of a freed tensor.
// Report:
//   error <1>: NoC range: no tensor has 2048 bytes in DRAM bank 0 at address 0x400 (kernel @tensor-freed, core 0,0,
//       cycle *)
//   note <1>: nothing lies there: a tensor that was given back, another's address, or a bank that the tensor has no
//       page in
#include "dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr_from_bank_id<true>(0, get_common_arg_val<uint32_t>(3)), get_write_ptr(0), 2048);  // <1>
    noc_async_read_barrier();
    cb_push_back(0, 1);
}
