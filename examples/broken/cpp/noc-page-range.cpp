// Page 2 of a tensor of two.
// Report:
//   error <1>: NoC range: no tensor has 2048 bytes in DRAM bank 2 at address 0xc00 (kernel @noc-page-range, core
//       0,0, cycle *)
//   note <1>: nothing lies there: a tensor that was given back, another's address, or a bank that the tensor has no
//       page in
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGenFast<true> a = {
        .bank_base_address = get_common_arg_val<uint32_t>(0), .page_size = 2048, .data_format = DataFormat::Float16_b};
    cb_reserve_back(0, 1);
    noc_async_read_tile(2, a, get_write_ptr(0));  // <1>
    noc_async_read_barrier();
}
