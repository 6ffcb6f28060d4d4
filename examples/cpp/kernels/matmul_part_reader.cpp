// Matmul with the result's tiles divided among cores: reads the operands of this core's tiles.
#include "dataflow_api.h"

void kernel_main() {
    const uint32_t a_address = get_arg_val<uint32_t>(0);
    const uint32_t b_address = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const uint32_t count = get_arg_val<uint32_t>(3);
    constexpr uint32_t kt = get_compile_time_arg_val(0), nt = get_compile_time_arg_val(1);
    constexpr uint32_t cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1;
    const InterleavedAddrGenFast<true> a = {
        .bank_base_address = a_address, .page_size = get_tile_size(cb_a), .data_format = get_dataformat(cb_a)};
    const InterleavedAddrGenFast<true> b = {
        .bank_base_address = b_address, .page_size = get_tile_size(cb_b), .data_format = get_dataformat(cb_b)};

    for (uint32_t tile = first; tile < first + count; tile++) {
        const uint32_t m = tile / nt, n = tile % nt;
        for (uint32_t k = 0; k < kt; k++) {
            cb_reserve_back(cb_a, 1);
            cb_reserve_back(cb_b, 1);
            noc_async_read_tile(m * kt + k, a, get_write_ptr(cb_a));
            noc_async_read_tile(k * nt + n, b, get_write_ptr(cb_b));
            noc_async_read_barrier();
            cb_push_back(cb_a, 1);
            cb_push_back(cb_b, 1);
        }
    }
}
