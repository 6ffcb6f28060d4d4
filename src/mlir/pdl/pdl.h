/* pdl.h: the pdl dialect, which describes patterns of operations and what replaces them:
 * names of its rows. */
#ifndef TILEWRIGHT_DIALECT_PDL_H
#define TILEWRIGHT_DIALECT_PDL_H

#include "ir/op.h"

enum {
#define TW_OP(id, ...) PDL_##id,
#include "mlir/pdl/pdl.def"
    PDL_OP_COUNT
};

extern const ir_dialect pdl_dialect;
extern const ir_op_def pdl_ops[];
#define PDL_OP(id) (&pdl_ops[PDL_##id])

enum {
#define TW_TYPE(id, ...) PDL_TYPE_##id,
#include "mlir/pdl/pdl.def"
    PDL_TYPE_COUNT
};
extern const ir_type_def pdl_types[];
#define PDL_TYPE(id) (&pdl_types[PDL_TYPE_##id])

/* What a range is of, the type itself if it is none. */
ir_type pdl_element_type(ir_type type);
static inline bool pdl_is_range(ir_type type)
{
    return pdl_element_type(type) != type;
}

#endif
