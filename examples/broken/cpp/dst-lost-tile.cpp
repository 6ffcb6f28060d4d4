// A tile of DST is overwritten before it is read: one of the two results is lost.
// Report:
//   warning <1>: lost DST tile: DST tile 0 is overwritten, and nothing has read it (kernel @dst-lost-tile, core 0,0,
//       cycle *)
//   note <2>: it was written here
//   note <1>: pack or use it before, or leave out what computed it
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    copy_tile(0, 0, 0);  // <2>
    copy_tile(0, 1, 0);  // <1>
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    pack_tile(0, 16);
    tile_regs_release();
    cb_pop_front(0, 2);
    cb_push_back(16, 2);
}
