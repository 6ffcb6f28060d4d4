/* replace_globals.c: d2m-generic-replace-globals: a global that a region of d2m.generic
 * reads is the operand whose number the global has. */
#include "d2m/generic.h"
#include "ir/pass/pass.h"
#include "ttcore/ttcore.h"

static bool is_inner_global(const ir_op *op)
{
    return op->def == TTCORE_OP(get_global) && d2m_generic_around(op);
}

static bool replace(ir_op *op)
{
    ir_op *generic = d2m_generic_around(op);
    ir_attr name = ir_op_attr(op, "sym_name");
    ir_attr ref = ir_attr_is(name, IR_ATTR_STRING)
                      ? ir_symbol_ref(op->ctx, tw_str_from(name->ident->text))
                      : name;
    ir_op *global = ref ? ir_symbol_resolve(op, ref) : NULL;
    ir_attr index =
        ir_op_is(global, TTCORE_OP(global)) ? ir_op_attr(global, "index") : NULL;
    int64_t at = ir_attr_int(index, -1);
    if (!ir_op_is(global, TTCORE_OP(global)))
        ir_error(op->ctx, op->loc, "Global symbol not found: %s",
                 ir_attr_text(op->ctx, name));
    else if (at < 0 || at >= generic->n_operands)
        ir_error(op->ctx, op->loc, "Global must have a valid index attribute");
    if (at < 0 || at >= generic->n_operands)
        return ir_error(op->ctx, op->loc,
                        "failed to legalize operation 'ttcore.get_global'");
    ir_value_replace_uses(&op->results[0], ir_op_operand(generic, (size_t)at));
    ir_op_erase(op);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    return ir_each_op(module, is_inner_global, replace);
}

const pass_def d2m_generic_replace_globals_pass = {
    .name = "d2m-generic-replace-globals",
    .summary = "Replace globals in d2m.generic by its operands",
    .anchor = "builtin.module",
    .run = run,
};
