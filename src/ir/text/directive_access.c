/* directive_access.c: the operands, results and attributes that directives refer to. */
#include "ir/text/directive_impl.h"

group_state *dir_group(op_reading *r, const dir *arg)
{
    const dir *v = arg->kind == DIR_CALL ? &arg->args[0] : arg;
    return v->var_kind == VAR_OPERAND ? &r->operands[v->var] : &r->results[v->var];
}

void dir_add_type(op_reading *r, const dir *arg, ir_type type)
{
    group_state *g = dir_group(r, arg);
    g->typed = true;
    ir_type_list_add(r->p, &g->types, type);
}

static const char *attr_name(const ir_op_def *def, const dir *arg)
{
    return def->attrs.at[arg->var].name;
}

void dir_set_attr(op_reading *r, const dir *arg, ir_attr value)
{
    ir_add_attr(r->p, r->op, attr_name(r->op->def, arg), value);
}

ir_attr dir_attr_of(op_writing *w, const dir *arg)
{
    return w->op->props[arg->var];
}

ir_type dir_type_of(op_writing *w, const dir *arg, size_t i)
{
    const dir *v = arg->kind == DIR_CALL ? &arg->args[0] : arg;
    size_t start = 0, count = 0;
    if (v->var_kind == VAR_OPERAND)
        ir_op_operand_group(w->op, (size_t)v->var, &start, &count);
    else
        ir_op_result_group(w->op, (size_t)v->var, &start, &count);
    if (i >= count)
        return NULL;
    return v->var_kind == VAR_OPERAND ? w->op->operands[start + i].value->type
                                      : w->op->results[start + i].type;
}

size_t dir_count_of(op_writing *w, const dir *arg)
{
    const dir *v = arg->kind == DIR_CALL ? &arg->args[0] : arg;
    size_t start = 0, count = 0;
    if (v->var_kind == VAR_OPERAND)
        ir_op_operand_group(w->op, (size_t)v->var, &start, &count);
    else
        ir_op_result_group(w->op, (size_t)v->var, &start, &count);
    return count;
}
