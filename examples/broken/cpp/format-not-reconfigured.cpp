// The packer was set up for bf16 and packs to a buffer of f32.
// Report:
//   error <1>: data format: circular buffer 3 holds f32, but the packer is set up for bf16;
//       pack_reconfig_data_format changes that (kernel @format-not-reconfigured, core 0,0, cycle *)
//   note <2>: the format was set up here
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(0, 16);  // <2>
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 2);
    cb_reserve_back(3, 1);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    copy_tile(0, 1, 1);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    pack_tile(1, 16);
    pack_tile(0, 3);  // <1>
    tile_regs_release();
    cb_pop_front(0, 2);
    cb_push_back(16, 2);
    cb_push_back(3, 1);
    cb_wait_front(3, 1);
    cb_pop_front(3, 1);
}
