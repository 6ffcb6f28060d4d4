/* convert_arith_to_stablehlo.c: convert-arith-to-stablehlo: converts arith constants to
 * stablehlo constants. */
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "stablehlo/stablehlo.h"

static ir_walk convert(ir_op *op, void *user)
{
    bool *ok = user;
    if (strncmp(op->def->name, "arith.", 6) != 0)
        return IR_WALK_ON;
    ir_attr value = op->def == ARITH_OP(constant) ? ir_op_attr(op, "value") : NULL;
    if (!value || !ir_type_is_tensor(op->results[0].type)) {
        *ok = ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
        return IR_WALK_ON;
    }
    ir_builder b = ir_builder_before(op);
    ir_value_replace_uses(&op->results[0],
                          ir_build1(&b, STABLEHLO_OP(constant), op->results[0].type, NULL,
                                    0, IR_ATTRS({"value", value})));
    ir_op_erase(op);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    bool ok = true;
    ir_walk_post(module, convert, &ok);
    return ok;
}

const pass_def convert_arith_to_stablehlo_pass = {
    .name = "convert-arith-to-stablehlo",
    .summary = "Convert arith constants to StableHLO constants",
    .anchor = "builtin.module",
    .run = run,
};
