// Rows of a matrix, padded with a value on the right and below.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);  // row of the result
    const uint32_t count = get_arg_val<uint32_t>(2);
    constexpr uint32_t rows = get_compile_time_arg_val(0), row_bytes = get_compile_time_arg_val(1);
    constexpr uint32_t padded_bytes = get_compile_time_arg_val(2), value = get_compile_time_arg_val(3);
    constexpr uint32_t cb = tt::CBIndex::c_16;
    const InterleavedAddrGen<true> in = {.bank_base_address = address, .page_size = row_bytes};

    for (uint32_t row = first; row < first + count; row++) {
        cb_reserve_back(cb, 1);
        const uint32_t at = get_write_ptr(cb), there = row < rows ? row_bytes : 0;
        if (there) {
            noc_async_read(get_noc_addr(row, in), at, row_bytes);
        }
        for (uint32_t i = there; i < padded_bytes; i += 4) {
            *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(at + i) = value;
        }
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}
