// exp and a row sum of a tensor of 20 columns: twelve columns of exp(0) enter the sums.
// Report:
//   warning <1>: padding: adds columns behind the tensor's edge, which hold what an operation has made of zeros
//       (kernel @padding, core 0,0, cycle *)
//   note <1>: give the kernel tensors of whole tiles (multiples of 32), filled with what the operation does not see,
//       or mask them before (where_tile, a product with a mask)
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(4, 5);
    copy_tile_init(4);
    exp_tile_init();
    cb_wait_front(4, 1);
    cb_reserve_back(5, 1);
    tile_regs_acquire();
    copy_tile(4, 0, 0);
    exp_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 5);
    tile_regs_release();
    cb_pop_front(4, 1);
    cb_push_back(5, 1);

    cb_wait_front(5, 1);
    cb_wait_front(6, 1);
    tile_regs_acquire();
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(5, 6, 16);
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(5, 6, 0, 0, 0);  // <1>
    reduce_uninit();
    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();
    cb_pop_front(5, 1);
    cb_pop_front(6, 1);
}
