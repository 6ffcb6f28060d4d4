// The packer accumulates onto a tile of block floats in L1, which it does not support.
// Report:
//   error <1>: data format: the packer cannot accumulate in L1 with bfp_bf8 (kernel @l1-accumulate-block-float, core
//       0,0, cycle *)
//   note <1>: hardware's sums would be silently wrong; use f32 or bf16
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 7);
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(7, 1);
    for (uint32_t i = 0; i < 2; i++) {
        pack_reconfig_l1_acc(i);
        tile_regs_acquire();
        copy_tile(0, i, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, 7, 0);  // <1>
        tile_regs_release();
    }
    cb_push_back(7, 1);
    cb_pop_front(0, 2);
    cb_wait_front(7, 1);
    cb_pop_front(7, 1);
}
