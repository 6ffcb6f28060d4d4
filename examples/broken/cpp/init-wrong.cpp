// Tiles are added while the matrix unit is set up to multiply.
// Report:
//   error <1>: init: needs ttkernel.add_tiles_init; the unit is set up by ttkernel.mul_tiles_init (kernel
//       @init-wrong, core 0,0, cycle *)
//   note <2>: the last init is here
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary.h"

void kernel_main() {
    binary_op_init_common(0, 0, 16);
    mul_tiles_init(0, 0);  // <2>
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        add_tiles(0, 0, 0, 0, 0);  // <1>
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_pop_front(0, 1);
        cb_push_back(16, 1);
    }
}
