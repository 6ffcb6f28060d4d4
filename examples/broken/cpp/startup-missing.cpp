// No init has configured the unpackers and the packer for the buffers' formats.
// Report:
//   error <1>: init: unpacks circular buffer 0 ('input') of bf16, but no init has set up the unpackers (kernel
//       @startup-missing, core 0,0, cycle *)
//   note <1>: compute_kernel_hw_startup, or an init that sets up unpackers and packer (init_sfpu,
//       binary_op_init_common, mm_init, ...), comes first
//   error <2>: init: packs to circular buffer 16 ('output') of bf16, but no init has set up the packer (kernel
//       @startup-missing, core 0,0, cycle *)
//   note <2>: compute_kernel_hw_startup, or an init that sets up unpackers and packer (init_sfpu,
//       binary_op_init_common, mm_init, ...), comes first
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    copy_tile_init(0);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);  // <1>
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);  // <2>
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_push_back(16, 1);
    }
}
