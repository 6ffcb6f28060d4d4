// A compute kernel waits for one tile and reads the second.
// Report:
//   error <1>: circular buffer window: reads tile 1 of circular buffer 0 ('input'), of which 1 was waited for
//       (tiles are counted from 0) (kernel @cb-window, core 0,0, cycle *)
//   note <2>: the last wait is here
//   note <1>: wait for, or reserve, all pages that are used
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 1);  // <2>
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    copy_tile(0, 1, 1);  // <1>
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    pack_tile(1, 16);
    tile_regs_release();
    cb_pop_front(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
    cb_push_back(16, 2);
}
