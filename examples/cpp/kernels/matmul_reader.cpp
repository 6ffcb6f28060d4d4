// For each tile of the result: a row of tiles of A, a column of tiles of B.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t a_address = get_arg_val<uint32_t>(0);
    const uint32_t b_address = get_arg_val<uint32_t>(1);
    const uint32_t mt = get_arg_val<uint32_t>(2);
    const uint32_t kt = get_arg_val<uint32_t>(3);
    const uint32_t nt = get_arg_val<uint32_t>(4);

    constexpr uint32_t cb_a = get_compile_time_arg_val(0);
    constexpr uint32_t cb_b = get_compile_time_arg_val(1);
    constexpr auto a_args = TensorAccessorArgs<2>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, a_address, get_tile_size(cb_a));
    const auto b = TensorAccessor(b_args, b_address, get_tile_size(cb_b));

    for (uint32_t m = 0; m < mt; m++) {
        for (uint32_t n = 0; n < nt; n++) {
            for (uint32_t k = 0; k < kt; k++) {
                cb_reserve_back(cb_a, 1);
                noc_async_read_tile(m * kt + k, a, get_write_ptr(cb_a));
                cb_reserve_back(cb_b, 1);
                noc_async_read_tile(k * nt + n, b, get_write_ptr(cb_b));
                noc_async_read_barrier();
                cb_push_back(cb_a, 1);
                cb_push_back(cb_b, 1);
            }
        }
    }
}
