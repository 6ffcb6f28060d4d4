// A compute kernel uses DST and never acquired it.
// Report:
//   error <1>: DST use: computes in DST, but DST belongs to no unit; tile_regs_acquire comes first (kernel
//       @dst-without-acquire, core 0,0, cycle *)
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    copy_tile(0, 0, 0);  // <1>
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    pack_tile(0, 16);
    tile_regs_release();
    cb_pop_front(0, 2);
    cb_push_back(16, 2);
}
