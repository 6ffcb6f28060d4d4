// DST is never committed; the packer waits for that.
// Report:
//   error <1>: DST use: tile_regs_wait waits for ever: no tile_regs_commit hands DST over (kernel @dst-not-committed,
//       core 0,0, cycle *)
//   note <1>: tile_regs_acquire, computing, tile_regs_commit, tile_regs_wait, packing, tile_regs_release: each once,
//       in this order
//   note <1>: the same once more
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_wait();
        pack_tile(0, 16);  // <1>
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_push_back(16, 1);
    }
}
