// A tile of 20 columns is added to one of 32 in DST: twelve columns of the result are the second operand's, and are stored.
// Report:
//   warning <1>: padded operand: one operand has values in 20 columns of its tile, another one in 32, so padding is
//       computed with values, and stored as values (kernel @padded-operand, core 0,0, cycle *)
//   note writer.cpp:9: stored here, where the tensor has 32 columns; broadcast the smaller operand first: use
//       ttl.math.broadcast with dims=[1] (in kernels of tiles unary_bcast), or give both operands tensors of as many
//       columns
//   note <1>: the same once more
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
    unary_op_init_common(4, 16);
    cb_wait_front(4, 1);
    cb_wait_front(6, 1);
    for (uint32_t i = 0; i < 2; i++) {
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile_init(4);
        copy_tile(4, 0, 0);
        copy_tile_init(6);
        copy_tile(6, 0, 1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);  // <1>
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
    cb_pop_front(4, 1);
    cb_pop_front(6, 1);
}
