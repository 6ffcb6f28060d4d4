/* convert_to_signless.c: makes integers signless: types, constants and signatures. */
#include "ir/pass/pass.h"

#include <stdlib.h>

static ir_type convert(ir_type t);

static ir_type convert_function(ir_type t)
{
    size_t n = t->count + t->results;
    ir_type *types = tw_xmalloc((n + 1) * sizeof *types);
    for (size_t i = 0; i < n; i++)
        types[i] = convert(t->types[i]);
    const ir_type made =
        ir_function_type(t->ctx, types, t->count, types + t->count, t->results);
    free(types);
    return made;
}

static ir_type convert(ir_type t)
{
    if (t->kind == IR_TYPE_INTEGER && t->sign != IR_SIGNLESS)
        return ir_integer_type(t->ctx, t->width, IR_SIGNLESS);
    if (t->kind == IR_TYPE_FUNCTION)
        return convert_function(t);
    if (!ir_type_is_shaped(t))
        return t;
    ir_type element = convert(t->element);
    return element == t->element ? t : ir_type_with_element(t, element);
}

static ir_attr convert_attr(ir_attr a)
{
    if (ir_attr_is(a, IR_ATTR_DENSE) && convert(a->type) != a->type)
        return ir_dense_reshape(a, convert(a->type));
    if (ir_attr_is(a, IR_ATTR_TYPE))
        return ir_type_attr(convert(a->type));
    return a;
}

static ir_walk visit(ir_op *op, void *user)
{
    (void)user;
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i].type = convert(op->results[i].type);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->type = convert(b->args[i]->type);
    for (size_t i = 0; i < ir_def_n_props(op->def); i++)
        if (op->props[i])
            op->props[i] = convert_attr(op->props[i]);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, visit, NULL);
    return true;
}

const pass_def stablehlo_convert_to_signless_pass = {
    .name = "stablehlo-convert-to-signless",
    .title = "StablehloConvertToSignlessPass",
    .summary = "Pass to transform the IR to be on signless integers",
    .anchor = "builtin.module",
    .run = run,
};
