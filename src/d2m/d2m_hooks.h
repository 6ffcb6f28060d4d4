/* d2m_hooks.h: hooks referenced by the operation rows of d2m.def. */
#ifndef TILEWRIGHT_D2M_D2M_HOOKS_H
#define TILEWRIGHT_D2M_D2M_HOOKS_H

#include "ir/rules/rules.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

void d2m_generic_parse(ir_parser *p, ir_parsed_op *op);
void d2m_generic_print(ir_printer *p, ir_op *op);
void d2m_name_result(ir_printer *p, ir_op *op);
const char *d2m_generic_name_block(const ir_op *op, uint32_t region, char text[32]);
void d2m_remote_load_parse(ir_parser *p, ir_parsed_op *op);
void d2m_remote_load_print(ir_printer *p, ir_op *op);

/* canonicalize.c */
bool d2m_fold_to_layout(ir_op *op, const ir_attr *operands, ir_fold_result *results);
bool d2m_fold_view(ir_op *op, const ir_attr *operands, ir_fold_result *results);
bool d2m_fold_mask(ir_op *op, const ir_attr *operands, ir_fold_result *results);
bool d2m_fold_plus_zero(ir_op *op, const ir_attr *operands, ir_fold_result *results);
bool d2m_fold_times_one(ir_op *op, const ir_attr *operands, ir_fold_result *results);
bool d2m_fold_mesh_shard(ir_op *op, const ir_attr *operands, ir_fold_result *results);

/* d2m_rules.c */
bool d2m_verify(ir_op *op);
chk_rules d2m_rules(const ir_op_def *def);

#endif
