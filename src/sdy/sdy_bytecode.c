/* sdy_bytecode.c: bytecode of sdy's attributes; an older form is written if it loses
 * nothing. */
#include "ir/bytecode/codec.h"
#include "sdy/sdy.h"

#define ATTR(code, fields, id)                                                             \
    {                                                                                      \
        code, fields, SDY_ATTR(id), NULL, NULL, NULL                                       \
    }

static const ir_bytecode_row rows[] = {
    ATTR(0, "A0", manual_axes),
    ATTR(1, "s0i1", mesh_axis),
    ATTR(2, "A0I1", mesh),
    ATTR(3, "i0i1", sub_axis_info),
    ATTR(4, "s0o1", axis_ref),
    ATTR(5, "A0b1P2", dimension_sharding),
    ATTR(6, "a0A1A2", sharding),
    ATTR(7, "A0", sharding_per_value),
    ATTR(8, "I0", dim_mapping),
    ATTR(9, "A0", tensor_mapping),
    ATTR(10, "I0A1A2I3I4I5I6b7", op_sharding_rule),
    ATTR(11, "A0", axis_ref_list),
    ATTR(12, "A0", list_of_axis_ref_lists),
    ATTR(13, "A0i1i2", all_to_all_param),
    ATTR(14, "A0", all_to_all_param_list),
    ATTR(15, "a0A1A2A3", sharding),
    ATTR(16, "A0", sharding_per_value),
    ATTR(17, "a0A1A2A3i4", sharding),
};

const ir_bytecode_codec sdy_bytecode = {rows, TW_COUNT(rows)};
