/* pdl.h: row indices of the pdl dialect, which describes patterns of operations and their
 * replacements. */
#ifndef TILEWRIGHT_MLIR_PDL_PDL_H
#define TILEWRIGHT_MLIR_PDL_PDL_H

#define IR_DIALECT pdl
#define IR_PREFIX PDL
#define IR_ROWS "mlir/pdl/pdl.def"
#include "ir/dialect_names.h"

#define PDL_OP(id) (&pdl_ops[PDL_##id])

#define PDL_TYPE(id) (&pdl_types[PDL_TYPE_##id])

/* The element type of a range, any other type itself. */
ir_type pdl_element_type(ir_type type);
static inline bool pdl_is_range(ir_type type)
{
    return pdl_element_type(type) != type;
}

#endif
