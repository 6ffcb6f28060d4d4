// A tile of ones that the core fills itself, then the tiles of the tensor.
#include "dataflow_api.h"
#include "debug/dprint.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t count = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb_x = tt::CBIndex::c_0, cb_ones = tt::CBIndex::c_1;

    cb_reserve_back(cb_ones, 1);
    volatile tt_l1_ptr uint32_t* ones = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_ones));
    for (uint32_t i = 0; i < get_tile_size(cb_ones) / 4; i++) {
        ones[i] = 0x3F803F80;  // two ones in bf16
    }
    cb_push_back(cb_ones, 1);

    const InterleavedAddrGen<true> x = {.bank_base_address = address, .page_size = get_tile_size(cb_x)};
    for (uint32_t i = 0; i < count; i++) {
        cb_reserve_back(cb_x, 1);
        noc_async_read(get_noc_addr(i, x), get_write_ptr(cb_x), x.page_size);
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
    }
    DPRINT << "read " << count << " tiles" << ENDL();
}
