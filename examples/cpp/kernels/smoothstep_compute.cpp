// A custom function of the vector unit: 3 t^2 - 2 t^3, t being x clamped to [0, 1].
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/tile_move_copy.h"

#ifdef TRISC_MATH
#include "sfpi.h"

namespace {
void smoothstep_face() {
    using namespace sfpi;
    for (int i = 0; i < 8; i++) {
        vFloat x = dst_reg[0];
        v_if (x < 0.0f) { x = 0.0f; }
        v_elseif (x > 1.0f) { x = 1.0f; }
        v_endif;
        dst_reg[0] = x * x * (3.0f - 2.0f * x);
        dst_reg++;
    }
}
}  // namespace
#endif

namespace NAMESPACE {
void MAIN {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;

    init_sfpu(cb_in, cb_out);
    for (uint32_t i = 0; i < tiles; i++) {
        cb_wait_front(cb_in, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_acquire();
        copy_tile(cb_in, 0, 0);
        MATH((_llk_math_eltwise_unary_sfpu_params_<false>(smoothstep_face, 0)));
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_in, 1);
    }
}
}  // namespace NAMESPACE
