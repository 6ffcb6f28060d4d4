/* stablehlo_bytecode.c: bytecode of stablehlo's and chlo's attributes and types. */
#include "ir/bytecode/codec.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/stablehlo.h"

#define ATTR(code, fields, id)                                                             \
    {                                                                                      \
        code, fields, STABLEHLO_ATTR(id), NULL, NULL, NULL                                 \
    }

static const ir_bytecode_row rows[] = {
    ATTR(1, "i0i1", channel_handle),
    ATTR(2, "v0", comparison_direction),
    ATTR(3, "v0", comparison_type),
    ATTR(4, "i0i1I2i3i4I5i6i7I8", conv),
    ATTR(5, "I0I1I2I3", dot),
    ATTR(6, "v0", fft_type),
    ATTR(7, "I0I1I2I3I4i5", gather),
    ATTR(8, "v0", precision),
    ATTR(9, "v0", rng_algorithm),
    ATTR(10, "v0", rng_distribution),
    ATTR(11, "I0I1I2I3I4i5", scatter),
    ATTR(12, "v0", transpose),
    ATTR(13, "I0", type_extensions),
    ATTR(13, "I0", bounds),
    ATTR(14, "I0i1I2", output_operand_alias),
    ATTR(15, "t0t1t2i3i4i5b6", dot_algorithm),
    ATTR(16, "v0", result_accuracy_mode),
    ATTR(17, "f0f1i2a3", result_accuracy),
    ATTR(19, "i0i1", sub_axis_info),
    ATTR(20, "s0O1", axis_ref),
    ATTR(21, "s0i1", mesh_axis),
    {0, "", NULL, STABLEHLO_TYPE(token), NULL, NULL},
    {1, "T0", NULL, STABLEHLO_TYPE(future), NULL, NULL},
};

const ir_bytecode_codec stablehlo_bytecode = {rows, TW_COUNT(rows)};

static const ir_bytecode_row chlo_rows[] = {
    {0, "v0", CHLO_ATTR(comparison_direction), NULL, NULL, NULL},
    {1, "v0", CHLO_ATTR(comparison_type), NULL, NULL, NULL},
};

const ir_bytecode_codec chlo_bytecode = {chlo_rows, TW_COUNT(chlo_rows)};
