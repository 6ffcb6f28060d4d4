// One tile of the result at a time, accumulated in DST.
#include "compute_kernel_api/matmul.h"

using std::uint32_t;

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t mt = get_compile_time_arg_val(0);
    constexpr uint32_t kt = get_compile_time_arg_val(1);
    constexpr uint32_t nt = get_compile_time_arg_val(2);
    constexpr tt::CBIndex cb_a = tt::CBIndex::c_0;
    constexpr tt::CBIndex cb_b = tt::CBIndex::c_1;
    constexpr tt::CBIndex cb_c = tt::CBIndex::c_16;

    mm_init(cb_a, cb_b, cb_c);
    for (uint32_t tile = 0; tile < mt * nt; ++tile) {
        acquire_dst();
        for (uint32_t k = 0; k < kt; k++) {
            cb_wait_front(cb_a, 1);
            cb_wait_front(cb_b, 1);
            matmul_tiles(cb_a, cb_b, 0, 0, 0, false);
            cb_pop_front(cb_a, 1);
            cb_pop_front(cb_b, 1);
        }
        cb_reserve_back(cb_c, 1);
        pack_tile(0, cb_c);
        cb_push_back(cb_c, 1);
        release_dst();
    }
}
}  // namespace NAMESPACE
