// The packer packs an unwritten tile of DST.
// Report:
//   error <1>: DST use: DST tile 1 is read, and nothing has been written to it (kernel @dst-never-written, core 0,0,
//       cycle *)
//   note <2>: DST last changed its owner here
//   note <1>: tile_regs_acquire, computing, tile_regs_commit, tile_regs_wait, packing, tile_regs_release: each once,
//       in this order
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();  // <2>
    pack_tile(0, 16);
    pack_tile(1, 16);  // <1>
    tile_regs_release();
    cb_pop_front(0, 2);
    cb_push_back(16, 2);
}
