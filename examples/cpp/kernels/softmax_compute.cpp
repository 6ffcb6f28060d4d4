// Softmax of each row of one tile: exp(x - max), divided by its sum.
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/recip.h"
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tile_move_copy.h"

constexpr auto cb_x = tt::CBIndex::c_0;
constexpr auto cb_ones = tt::CBIndex::c_1;
constexpr auto cb_exp = tt::CBIndex::c_24;
constexpr auto cb_row = tt::CBIndex::c_25;  // the maximum, then one over the sum
constexpr auto cb_out = tt::CBIndex::c_16;

ALWI void give(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    pack_reconfig_data_format(cb);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

template <PoolType type>
ALWI void reduce_rows(uint32_t cb) {
    reduce_init<type, ReduceDim::REDUCE_ROW>(cb, cb_ones, cb_row);
    tile_regs_acquire();
    reduce_tile<type, ReduceDim::REDUCE_ROW>(cb, cb_ones, 0, 0, 0);
    reduce_uninit();
}

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);

    binary_op_init_common(cb_x, cb_ones, cb_out);
    cb_wait_front(cb_ones, 1);
    for (uint32_t i = 0; i < tiles; i++) {
        cb_wait_front(cb_x, 1);
        reduce_rows<PoolType::MAX>(cb_x);
        give(cb_row);

        cb_wait_front(cb_row, 1);
        sub_bcast_cols_init_short(cb_x, cb_row);
        tile_regs_acquire();
        sub_tiles_bcast<BroadcastType::COL>(cb_x, cb_row, 0, 0, 0);
        exp_tile_init();
        exp_tile(0);
        give(cb_exp);
        cb_pop_front(cb_row, 1);
        cb_pop_front(cb_x, 1);

        cb_wait_front(cb_exp, 1);
        reduce_rows<PoolType::SUM>(cb_exp);
        recip_tile_init();
        recip_tile(0, (int)VectorMode::C);
        give(cb_row);

        cb_wait_front(cb_row, 1);
        mul_bcast_cols_init_short(cb_exp, cb_row);
        tile_regs_acquire();
        mul_tiles_bcast_cols(cb_exp, cb_row, 0, 0, 0);
        give(cb_out);
        cb_pop_front(cb_exp, 1);
        cb_pop_front(cb_row, 1);
    }
    cb_pop_front(cb_ones, 1);
}
}  // namespace NAMESPACE
