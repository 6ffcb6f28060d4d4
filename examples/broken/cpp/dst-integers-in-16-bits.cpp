// Integers of 32 bits in a DST of 16 bits: its rows are scrambled.
// Report:
//   error <1>: data format: tiles of si32 need a 32-bit DST (kernel @dst-integers-in-16-bits, core 0,0, cycle *)
//   note <1>: set fp32_dest_acc_en in the compute_config
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(2, 2);
    copy_tile_init(2);
    cb_wait_front(2, 1);
    tile_regs_acquire();
    copy_tile(2, 0, 0);  // <1>
    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();
    cb_pop_front(2, 1);
}
