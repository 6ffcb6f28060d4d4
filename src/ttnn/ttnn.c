/* ttnn.c: the tables of the ttnn dialect. */
#include "ttnn/ttnn.h"

#include "ir/rewrite/rewrite.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_constraints.h"
#include "ttnn/ttnn_hooks.h"

#define IR_DIALECT ttnn
#define IR_ROWS "ttnn/ttnn.def"
#define IR_CONSTRAINTS "ttnn/ttnn_constraints.def"
#include "ir/dialect_tables.h"

extern const rw_pattern_table canonicalize_ttnn;

const ir_dialect ttnn_dialect = {
    .name = "ttnn",
    IR_DIALECT_TABLES,
    .canonical = IR_LIST(ir_pattern_table_ref, &canonicalize_ttnn),
    .checks_are_local = true,
    .tensors_are_memory = true,
    .uses_properties = true,
    .record_prefix = "TTNN_",
    .name_space = "tt::ttnn",
};

bool ttnn_is_elementwise(const ir_op_def *def)
{
    static const uint16_t rows[] = {
#define TTNN_ELEMENTWISE(ttnn, ...) TTNN_##ttnn,
#include "ttnn/elementwise.def"
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (def == &ttnn_ops[rows[i]])
            return true;
    return false;
}
