/* region_flow.c: see region_flow.h. */
#include "dialect/region_flow.h"

static ir_type type_at(const region_end *e, uint32_t i)
{
    return e->operands ? e->operands[i].value->type
           : e->args   ? e->args[i]->type
                       : e->results[i].type;
}

bool region_flows(ir_op *op, const region_end *from, const region_end *to)
{
    if (from->count != to->count)
        return ir_op_error(op,
                           " region control flow edge from %s to %s: source has %u "
                           "operands, but target successor needs %u",
                           from->name, to->name, from->count, to->count);
    for (uint32_t i = 0; i < from->count; i++)
        if (type_at(from, i) != type_at(to, i))
            return ir_op_error(op,
                               " along control flow edge from %s to %s: source type #%u "
                               "'%s' should match input type #%u '%s'",
                               from->name, to->name, i,
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

region_end region_yields(const ir_op *end, uint32_t skip, const char *name)
{
    return (region_end){
        .name = name, .operands = end->operands + skip, .count = end->n_operands - skip};
}
