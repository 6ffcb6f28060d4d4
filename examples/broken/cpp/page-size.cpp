// The accessor is made for pages of another size than the tensor has.
// Report:
//   error <1>: data format: the accessor's page size is 1024 bytes, the tensor's pages have 2048 (kernel @page-size,
//       core 0,0, cycle *)
//   note <1>: give the accessor the size of a page as the tensor is laid out
#include "dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(args, get_common_arg_val<uint32_t>(0), 1024);  // <1>
    for (uint32_t i = 0; i < 2; i++) {
        cb_reserve_back(0, 1);
        noc_async_read_tile(i, a, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
