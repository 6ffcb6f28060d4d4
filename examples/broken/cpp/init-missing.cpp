// exp runs while the vector unit is set up for the reciprocal.
// Report:
//   error <1>: init: needs ttkernel.exp_tile_init; the unit is set up by ttkernel.recip_tile_init (kernel
//       @init-missing, core 0,0, cycle *)
//   note <2>: the last init is here
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/recip.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    recip_tile_init();  // <2>
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        exp_tile(0);  // <1>
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_push_back(16, 1);
    }
}
