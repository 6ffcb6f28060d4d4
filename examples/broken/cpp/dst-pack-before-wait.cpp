// The packer packs a tile of DST without waiting for it.
// Report:
//   error <1>: DST use: packs from DST, but DST belongs to the packer, which has not waited for it; tile_regs_commit
//       and tile_regs_wait come first (kernel @dst-pack-before-wait, core 0,0, cycle *)
//   note <2>: the last step was here
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    tile_regs_commit();  // <2>
    pack_tile(0, 16);  // <1>
    pack_tile(0, 16);
    tile_regs_release();
    cb_pop_front(0, 2);
    cb_push_back(16, 2);
}
