/* composite_to_call.c: replaces stablehlo.composite by a call of its decomposition,
 * unless the composite's name is in `except`. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

static bool is_excepted(const pass_run *run, ir_attr name)
{
    tw_str list = pass_option_str(run, "except");
    const char *c = list.data, *end = c + list.size;
    while (c < end) {
        const char *stop = memchr(c, ',', (size_t)(end - c));
        stop = stop ? stop : end;
        if (ir_attr_is(name, IR_ATTR_STRING) &&
            tw_str_equal((tw_str){c, (size_t)(stop - c)}, ir_attr_str(name)))
            return true;
        c = stop + 1;
    }
    return false;
}

static void to_call(ir_op *op)
{
    ir_type *types = tw_xmalloc(op->n_results * sizeof *types);
    ir_value **operands = tw_xmalloc(op->n_operands * sizeof *operands);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_builder b = ir_builder_before(op);
    ir_op *call = ir_build(
        &b, &(ir_op_state){.def = FUNC_OP(call),
                           .loc = op->loc,
                           .operands = operands,
                           .n_operands = op->n_operands,
                           .results = types,
                           .n_results = op->n_results,
                           .attrs = &(ir_named_attr){ir_ident_from(op->ctx, "callee"),
                                                     ir_op_attr(op, "decomposition")},
                           .n_attrs = 1});
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &call->results[i]);
    ir_op_erase(op);
    free(types);
    free(operands);
}

static ir_walk visit(ir_op *op, void *user)
{
    if (op->def == STABLEHLO_OP(composite) && !is_excepted(user, ir_op_attr(op, "name")))
        to_call(op);
    return IR_WALK_ON;
}

static bool run(ir_op *func, pass_run *run)
{
    ir_walk_post(func, visit, run);
    return true;
}

const pass_def stablehlo_legalize_composite_to_call_pass = {
    .name = "stablehlo-legalize-composite-to-call",
    .summary = "Replaces composite ops with a call to their decomposition",
    .anchor = "func.func",
    .run = run,
    .options = IR_LIST(pass_option_def,
                       {"except", PASS_LIST, "",
                        "Names of composites that should not be replaced with calls"}),
};
