/* init_costs.c: what inits and reconfigurations cost each of a compute kernel's three
 * processors: the instructions and register writes that tt-llk's functions of the same name
 * issue, one a cycle.  A template for the MOP expander is 9 writes, an address modifier 3,
 * formats and strides of the unpackers about 60, those of the packer about 50. */
#include "grid/units/code.h"

enum {
    UNPACKERS = 60, /* _llk_unpack_AB_hw_configure_ */
    MATH = 14,      /* _llk_math_hw_configure_, _llk_math_pack_sync_init_ */
    PACKER = 80,    /* configure_pack, _llk_pack_init_, _llk_init_packer_dest_offset_ */
    FUNCTION = 12,  /* lane configuration, address modifier, three constants */
};

#define ROW(op, unpack, math, pack)                                                        \
    {                                                                                      \
        TTKERNEL_##op,                                                                     \
        {                                                                                  \
            unpack, math, pack                                                             \
        }                                                                                  \
    }

static const struct {
    int op;
    dev_init_cost cost;
} rows[] = {
    ROW(compute_kernel_hw_startup, UNPACKERS, MATH, PACKER),
    ROW(binary_op_init_common, UNPACKERS + 14, MATH, PACKER),
    ROW(unary_op_init_common, UNPACKERS + 14, MATH + 20, PACKER),
    ROW(init_sfpu, UNPACKERS + 14, MATH + 20, PACKER),
    ROW(unary_bcast_init, UNPACKERS + 14, MATH + 24, PACKER),
    ROW(transpose_wh_init, UNPACKERS + 14, MATH + 20, PACKER),
    ROW(mm_init, UNPACKERS + 28, MATH + 45, PACKER),
    ROW(mm_block_init, UNPACKERS + 28, MATH + 45, PACKER),
    ROW(mm_init_short, 28, 45, 0),
    ROW(mm_block_init_short, 28, 45, 0),
    ROW(reduce_init, UNPACKERS + 20, MATH + 24, PACKER + 14),
    ROW(reduce_uninit, 0, 0, 8),
    ROW(add_tiles_init, 14, 24, 0),
    ROW(sub_tiles_init, 14, 24, 0),
    ROW(mul_tiles_init, 14, 24, 0),
    ROW(binary_dest_reuse_tiles_init, 14, 26, 0),
    ROW(copy_tile_init, 14, 20, 0),
    ROW(tilize_init, 20, 20, 0),
    ROW(tilize_uninit, 8, 0, 0),
    ROW(untilize_init, 16, 20, 0),
    ROW(untilize_uninit, 4, 0, 0),
    ROW(pack_untilize_init, 14, 20, 24),
    ROW(pack_untilize_uninit, 0, 0, 20),
    ROW(pack_reconfig_data_format, 0, 0, 34),
    ROW(reconfig_data_format_srca, 14, 5, 0),
    /* sequences of SFPLOADMACRO are configured, too */
    ROW(exp_tile_init, 0, 30, 0),
    ROW(typecast_tile_init, 0, 26, 0),
    ROW(mul_int_tile_init, 0, 28, 0),
    ROW(where_tile_init, 0, 22, 0),
};

dev_init_cost dev_init_cost_of(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (def == &ttkernel_ops[rows[i].op])
            return rows[i].cost;
    return (dev_init_cost){0, FUNCTION, 0};
}
