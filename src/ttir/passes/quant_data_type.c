/* quant_data_type.c: ttir-quant-data-type-conversion: quantized numbers are stored in
 * integers of one width, the widest range of it. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "mlir/quant/quant.h"

#include <stdlib.h>

typedef struct conversion {
    int64_t width;
    int64_t too_wide; /* a storage type that does not fit; 0: none was met */
} conversion;

static ir_type convert_element(ir_type t, conversion *c)
{
    enum { MAX_PARAMS = 16 };
    ir_attr params[MAX_PARAMS];
    if (!quant_is_uniform(t) || t->count > MAX_PARAMS)
        return t;
    ir_type storage = t->params[QUANT_STORAGE_TYPE]->type;
    if ((int64_t)storage->width > c->width) {
        c->too_wide = storage->width;
        return t;
    }
    if ((int64_t)storage->width == c->width)
        return t;
    int64_t highest = (int64_t)((UINT64_C(1) << (c->width - 1)) - 1);
    memcpy(params, t->params, t->count * sizeof(ir_attr));
    params[QUANT_STORAGE_TYPE] =
        ir_type_attr(ir_integer_type(t->ctx, (uint32_t)c->width, IR_SIGNLESS));
    params[QUANT_STORAGE_MIN] = ir_raw_int(t->ctx, -highest - 1);
    params[QUANT_STORAGE_MAX] = ir_raw_int(t->ctx, highest);
    return ir_dialect_type(t->ctx, t->def, params, t->count);
}

static ir_type convert(ir_type t, void *user)
{
    return ir_type_is_tensor(t) ? ir_type_with_element(t, convert_element(t->element, user))
                                : t;
}

static ir_walk visit(ir_op *op, void *user)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i].type = convert(op->results[i].type, user);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->type = convert(b->args[i]->type, user);
    if (op->def == FUNC_OP(func))
        func_convert_types(op, convert, user);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    conversion c = {pass_option_int(run, "target-bit-width"), 0};
    if (c.width != 8 && c.width != 16 && c.width != 32 && c.width != 64)
        return ir_error(module->ctx, module->loc,
                        "Invalid quantization bit width (must be 8, 16, 32, or 64). ");
    ir_walk_pre(module, visit, &c);
    if (c.too_wide)
        return ir_error(module->ctx, module->loc,
                        "Target integer type of width %lld is smaller than quantized type "
                        "of width %lld. Out of range.",
                        (long long)c.width, (long long)c.too_wide);
    return true;
}

const pass_def ttir_quant_data_type_pass = {
    .name = "ttir-quant-data-type-conversion",
    .summary = "Store quantized numbers in integers of one width",
    .anchor = "builtin.module",
    .run = run,
    .options =
        IR_LIST(pass_option_def, {"target-bit-width", PASS_INT, "32", "8, 16, 32 or 64"}),
};
