// The sum of each row over all its tiles, accumulated in DST.
#define REDUCE_OP PoolType::SUM
#define REDUCE_DIM ReduceDim::REDUCE_ROW
#include "compute_kernel_api/reduce.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t rows = get_compile_time_arg_val(0), columns = get_compile_time_arg_val(1);
    constexpr auto cb_x = tt::CBIndex::c_0, cb_ones = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;

    binary_op_init_common(cb_x, cb_ones, cb_out);
    reduce_init<REDUCE_OP, REDUCE_DIM>(cb_x, cb_ones, cb_out);
    cb_wait_front(cb_ones, 1);
    for (uint32_t row = 0; row < rows; row++) {
        tile_regs_acquire();
        for (uint32_t column = 0; column < columns; column++) {
            cb_wait_front(cb_x, 1);
            reduce_tile<REDUCE_OP, REDUCE_DIM>(cb_x, cb_ones, 0, 0, 0);
            cb_pop_front(cb_x, 1);
        }
        tile_regs_commit();
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
    reduce_uninit();
    cb_pop_front(cb_ones, 1);
}
}  // namespace NAMESPACE
