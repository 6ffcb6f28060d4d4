// The compute kernel of most of these programs: exp of two tiles of circular buffer 0, into circular buffer 16.
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    exp_tile_init();
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        exp_tile(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_push_back(16, 1);
    }
}
