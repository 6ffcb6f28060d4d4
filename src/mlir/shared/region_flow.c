/* region_flow.c: see region_flow.h. */
#include "mlir/shared/region_flow.h"

#include <stdio.h>

static ir_type type_at(const region_end *e, uint32_t i)
{
    return e->operands ? e->operands[i].value->type
           : e->args   ? e->args[i]->type
                       : e->results[i].type;
}

/* A terminator is described by its name, other sources by their region. */
static const char *source_text(const region_end *e, char text[96])
{
    if (!e->terminator)
        return e->name;
    snprintf(text, 96, "Operation %s", e->terminator->def->name);
    return text;
}

/* "<to region #0 with 2 inputs>", "<to parent>" */
static const char *target_text(const region_end *e, char text[96])
{
    if (strncmp(e->name, "Region #", 8) != 0)
        return "<to parent>";
    snprintf(text, 96, "<to region %s with %u inputs>", e->name + 7, e->count);
    return text;
}

bool region_flows(ir_op *op, const region_end *from, const region_end *to)
{
    char source[96], target[96];
    if (from->count != to->count)
        return ir_op_error(op,
                           "region control flow edge from %s to %s: source has %u "
                           "operands, but target successor %s needs %u",
                           source_text(from, source), to->name, from->count,
                           target_text(to, target), to->count);
    for (uint32_t i = 0; i < from->count; i++)
        if (type_at(from, i) != type_at(to, i))
            return ir_op_error(op,
                               "along control flow edge from %s to %s: source type #%u "
                               "'%s' should match input type #%u '%s'",
                               source_text(from, source), to->name, i,
                               ir_type_text(op->ctx, type_at(from, i)), i,
                               ir_type_text(op->ctx, type_at(to, i)));
    return true;
}

region_end region_results(ir_op *op)
{
    return (region_end){
        .name = "parent results", .results = op->results, .count = op->n_results};
}

region_end region_arguments(const ir_block *block, const char *name)
{
    return (region_end){.name = name, .args = block->args, .count = block->n_args};
}

region_end region_yields(const ir_op *end, uint32_t skip)
{
    return (region_end){.terminator = end,
                        .operands = end->operands + skip,
                        .count = end->n_operands - skip};
}

static bool same_types(ir_op *op, const char *first, const region_end *a,
                       const char *second, const region_end *b)
{
    for (uint32_t i = 0; i < TW_MIN(a->count, b->count); i++)
        if (type_at(a, i) != type_at(b, i))
            return ir_op_error(op,
                               "%u-th %s and %u-th %s have different type: '%s' != '%s'", i,
                               first, i, second, ir_type_text(op->ctx, type_at(a, i)),
                               ir_type_text(op->ctx, type_at(b, i)));
    return true;
}

bool region_loop_counts_fit(ir_op *op, uint32_t first_init, const ir_block *body)
{
    /* if the induction variable is missing: huge, so never equal */
    const size_t have = (size_t)body->n_args - 1, inits = op->n_operands - first_init;
    return inits == have ||
           ir_op_error(op, "different number of inits and region iter_args: %zu != %zu",
                       inits, have);
}

bool region_loop_fits(ir_op *op, uint32_t first_init, const ir_block *body)
{
    if (!region_loop_counts_fit(op, first_init, body))
        return false;
    region_end inits = {.name = "parent operands",
                        .operands = op->operands + first_init,
                        .count = op->n_operands - first_init};
    region_end args = region_arguments(body, "Region #0"), results = region_results(op);
    region_end yields = region_yields(body->last, 0);
    args.args++;
    args.count--;
    if (yields.count && args.count != yields.count)
        return ir_op_error(op,
                           "different number of region iter_args and yielded values: %u != "
                           "%u",
                           args.count, yields.count);
    return same_types(op, "init", &inits, "region iter_arg", &args) &&
           same_types(op, "region iter_arg", &args, "yielded value", &yields) &&
           same_types(op, "region iter_arg", &args, "loop result", &results) &&
           region_flows(op, &yields, &args) && region_flows(op, &yields, &results);
}

bool region_outputs_fit(ir_op *op, size_t first, size_t n)
{
    size_t tensors = 0;
    for (size_t i = first; i < first + n; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        if (t->kind != IR_TYPE_TENSOR && t->kind != IR_TYPE_MEMREF)
            return ir_op_error(
                op, "expected that operand #%zu is a ranked tensor or memref", i);
        tensors += ir_type_is_tensor(t);
    }
    if (tensors != op->n_results)
        return ir_op_error(op,
                           "expected the number of tensor results (%u) to be equal to the "
                           "number of output tensors (%zu)",
                           op->n_results, tensors);
    for (size_t i = first, k = 0; i < first + n; i++) {
        ir_type t = ir_op_operand(op, i)->type;
        if (!ir_type_is_tensor(t))
            continue;
        ir_type result = op->results[k++].type;
        if (result != t)
            return ir_op_error(op,
                               "expected type of operand #%zu ('%s') to match type of "
                               "corresponding result ('%s')",
                               i, ir_type_text(op->ctx, t), ir_type_text(op->ctx, result));
    }
    return true;
}
