/* several_results.c: splits reduce and reduce_window of several tensors, if the body
 * computes each result from its own two arguments, into operations of one tensor. */
#include "stablehlo/build.h"
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

enum { CAPACITY = 16 };

/* The body's operation for result i, if it uses only the arguments of that tensor. */
static ir_op *own_operation(const ir_op *op, uint32_t i)
{
    const ir_block *body = ir_op_body(op, 0);
    ir_op *def = ir_value_def(body->last->operands[i].value);
    if (!def || def->block != body || def->n_operands != 2 || def->n_results != 1)
        return NULL;
    const ir_value *x = body->args[i], *y = body->args[op->n_results + i];
    const bool straight = def->operands[0].value == x && def->operands[1].value == y;
    const bool swapped = def->operands[0].value == y && def->operands[1].value == x;
    return straight || swapped ? def : NULL;
}

static ir_op *alone(ir_op *op, ir_builder *b, uint32_t i, ir_op *combine)
{
    const ir_block *body = ir_op_body(op, 0);
    ir_value *operands[] = {op->operands[i].value, op->operands[op->n_results + i].value};
    ir_attr_by_name attrs[CAPACITY];
    size_t n = 0;
    for (uint32_t k = 0; k < op->def->attrs.count && n < CAPACITY; k++) {
        ir_attr value = ir_op_attr(op, op->def->attrs.at[k].name);
        if (value)
            attrs[n++] = (ir_attr_by_name){op->def->attrs.at[k].name, value};
    }
    ir_op *made =
        ir_build_op(b, op->def, &op->results[i].type, 1, operands, 2, attrs, n, 1);
    const ir_type types[] = {body->args[i]->type, body->args[op->n_results + i]->type};
    ir_block *block = hlo_add_block(made, 0, types, 2);
    ir_mapping *map = ir_mapping_create();
    ir_mapping_set(map, body->args[i], block->args[0]);
    ir_mapping_set(map, body->args[op->n_results + i], block->args[1]);
    ir_op *copy = ir_op_clone(combine, map);
    ir_mapping_free(map);
    ir_block_append(block, copy);
    ir_builder inner = ir_builder_at_end(b->ctx, block, op->loc);
    hlo_return(&inner, IR_VALUES(&copy->results[0]));
    return made;
}

bool s2t_several_results(ir_op *op, ir_builder *b)
{
    ir_op *combine[CAPACITY], *made[CAPACITY];
    const uint32_t n = op->n_results;
    if (n < 2 || n > CAPACITY || op->n_operands != 2 * n || !ir_op_body(op, 0) ||
        ir_op_body(op, 0)->next)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!(combine[i] = own_operation(op, i)))
            return false;
    for (uint32_t i = 0; i < n; i++) {
        made[i] = alone(op, b, i, combine[i]);
        ir_value_replace_uses(&op->results[i], &made[i]->results[0]);
    }
    ir_op_erase(op);
    for (uint32_t i = 0; i < n; i++)
        s2t_convert(made[i]); /* an unconverted op is reported by the final check */
    return true;
}
