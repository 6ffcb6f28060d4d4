/* mpmd.h: the mpmd dialect: symbols of its rows. */
#ifndef TILEWRIGHT_SDY_MPMD_MPMD_H
#define TILEWRIGHT_SDY_MPMD_MPMD_H

#include "sdy/mpmd/mpmd_enums.h"

#define IR_DIALECT mpmd
#define IR_PREFIX MPMD
#define IR_ROWS "sdy/mpmd/mpmd.def"
#include "ir/dialect_names.h"

#define MPMD_OP(id) (&mpmd_ops[MPMD_##id])

#define MPMD_ATTR(id) (&mpmd_attrs[MPMD_ATTR_##id])

#define MPMD_TYPE(id) (&mpmd_types[MPMD_TYPE_##id])

/* Parameters of !mpmd.mesh_tensor. */
enum {
    MPMD_TYPE_MESH,
    MPMD_TYPE_TENSOR,
    MPMD_TYPE_SHARDING,
    MPMD_TYPE_MEMORY_KIND,
    MPMD_TYPE_N_PARAMS
};
static inline bool mpmd_is_mesh_tensor(ir_type type)
{
    return type->kind == IR_TYPE_DIALECT && type->def == MPMD_TYPE(mesh_tensor);
}

/* Syntax of rows (mpmd_syntax.c). */
ir_type mpmd_parse_mesh_tensor(ir_parser *p, const ir_type_def *def);
void mpmd_print_mesh_tensor(ir_printer *p, ir_type type);

/* Syntax of operations (mpmd_op_syntax.c). */
void mpmd_for_parse(ir_parser *p, ir_parsed_op *op);
void mpmd_for_print(ir_printer *p, ir_op *op);
void mpmd_for_names(ir_printer *p, ir_op *op);
void mpmd_fragment_parse(ir_parser *p, ir_parsed_op *op);
void mpmd_fragment_print(ir_printer *p, ir_op *op);
void mpmd_fragment_call_parse(ir_parser *p, ir_parsed_op *op);
void mpmd_fragment_call_print(ir_printer *p, ir_op *op);
void mpmd_named_computation_parse(ir_parser *p, ir_parsed_op *op);
void mpmd_named_computation_print(ir_printer *p, ir_op *op);

/* Checks of operations (mpmd_verify.c). */
/* The mesh of that name in the enclosing function's topology; NULL after an error. */
ir_attr mpmd_mesh_named(ir_op *op, tw_str name);
bool mpmd_verify_assign(ir_op *op); /* also for unassign */
bool mpmd_verify_call(ir_op *op);
bool mpmd_verify_for(ir_op *op);
bool mpmd_verify_fragment(ir_op *op);
bool mpmd_verify_fragment_call(ir_op *op);
bool mpmd_verify_named_computation(ir_op *op);
bool mpmd_verify_reduce(ir_op *op);
bool mpmd_verify_transfer(ir_op *op);

#endif
