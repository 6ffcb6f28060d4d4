// The packer accumulates onto a page from the first tile on, and the page is uninitialised.
// Report:
//   error <1>: uninitialised read: tile that the packer adds to: nothing has written address 0x16000, page 0 of
//       circular buffer 5 (kernel @l1-accumulate-not-reset, core 0,0, cycle *)
//   note <1>: hardware would read what the last program left there; write all of it first, or wait for who does
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 5);
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(5, 1);
    for (uint32_t i = 0; i < 2; i++) {
        pack_reconfig_l1_acc(1);
        tile_regs_acquire();
        copy_tile(0, i, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, 5, 0);  // <1>
        tile_regs_release();
    }
    cb_push_back(5, 1);
    cb_pop_front(0, 2);
    cb_wait_front(5, 1);
    cb_pop_front(5, 1);
}
