// Tile 8 of DST, which holds eight of 16 bits while it is shared between math and packer.
// Report:
//   error <1>: DST range: there is no DST tile 8: DST holds 8 tiles of 16 bits with half sync (kernel @dst-range,
//       core 0,0, cycle *)
//   note <1>: compute fewer tiles at a time, or launch with full sync, or with a 16-bit DST
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    copy_tile(0, 0, 8);  // <1>
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(8, 16);
    pack_tile(8, 16);
    tile_regs_release();
    cb_pop_front(0, 2);
    cb_push_back(16, 2);
}
