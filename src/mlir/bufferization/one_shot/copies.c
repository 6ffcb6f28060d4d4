/* copies.c: makes the decisions visible: operands that are not in place become
 * bufferization.alloc_tensor, with the operand's contents where they are read. */
#include "mlir/arith/arith.h"
#include "mlir/bufferization/bufferization.h"
#include "mlir/bufferization/one_shot/state.h"
#include "mlir/scf/scf.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

/* ---- allocations -------------------------------------------------------------------- */

/* bufferization.alloc_tensor of a value's shape, with its contents if `copies`; *dims, if
 * not NULL, receives the tensor.dim operations that give the sizes. */
static ir_value *alloc_tensor(ir_builder *b, ir_value *v, bool copies)
{
    ir_value *operands[64];
    ir_type type = v->type;
    int64_t sizes = 0;
    if (type->kind != IR_TYPE_TENSOR)
        return NULL;
    for (uint32_t i = 0; !copies && i < type->count && sizes < 63; i++)
        if (type->dims[i] == IR_DYNAMIC)
            operands[sizes++] = ir_build1(b, TENSOR_OP(dim), ir_index_type(b->ctx),
                                          IR_VALUES(v, arith_index(b, i)), NULL, 0);
    if (copies)
        operands[sizes] = v;
    int64_t segments[] = {sizes, copies, 0};
    return ir_build1(
        b, BUFFERIZATION_OP(alloc_tensor), type, operands, (size_t)sizes + copies,
        IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(b->ctx, segments, 3)}));
}

static bool has_undefined_contents(buf_state *s, ir_value *v)
{
    const ir_op *op = v->is_argument ? NULL : ir_value_def(v);
    (void)s;
    if (!op)
        return false;
    if (op->def == TENSOR_OP(empty) || ir_op_named(op, "d2m.empty"))
        return true;
    return op->def == BUFFERIZATION_OP(alloc_tensor) && !ir_op_operand_named(op, "copy");
}

static bool can_omit_copy(buf_state *s, ir_operand *use)
{
    if (has_undefined_contents(s, use->value) || (buf_writes(s, use) && !buf_reads(s, use)))
        return true;
    if (buf_reads(s, use))
        return false;
    buf_aliases list = {0};
    buf_aliasing_values(s, use, &list);
    bool read = false;
    for (size_t i = 0; !read && i < list.n; i++)
        read = buf_is_read(s, list.at[i].value);
    free(list.at);
    return !read;
}

/* ---- operands ----------------------------------------------------------------------- */

/* The result that can be copied instead of the operand, which may be smaller; or NULL. */
static ir_value *result_instead(buf_state *s, ir_operand *use)
{
    buf_aliases values = {0}, sources = {0};
    ir_value *result = NULL;
    buf_aliasing_values(s, use, &values);
    if (values.n == 1 && !values.at[0].value->is_argument && !buf_writes(s, use) &&
        values.at[0].value->type->kind == IR_TYPE_TENSOR) {
        buf_aliasing_operands(s, values.at[0].value, &sources);
        if (sources.n == 1)
            result = values.at[0].value;
    }
    free(values.at);
    free(sources.at);
    return result;
}

static void replace_uses_except(ir_value *from, ir_value *to)
{
    const ir_op *made = ir_value_def(to);
    for (ir_operand *use = from->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner != made && use->owner->def != TENSOR_OP(dim))
            ir_op_set_operand(use->owner, ir_operand_number(use), to);
    }
}

static bool copy_operand(buf_state *s, ir_operand *use)
{
    bool copies = !can_omit_copy(s, use);
    ir_op *op = use->owner;
    if (use->value->type->kind == IR_TYPE_UNRANKED_TENSOR)
        return ir_error_at_op(op, "copying of unranked tensors is not implemented");
    ir_value *result = result_instead(s, use);
    ir_builder b = result ? ir_builder_after(op) : ir_builder_before(op);
    b.loc = op->loc;
    ir_value *copy = alloc_tensor(&b, result ? result : use->value, copies);
    if (result)
        replace_uses_except(result, copy);
    else
        ir_op_set_operand(op, ir_operand_number(use), copy);
    return true;
}

typedef struct yield_query {
    const ir_op *loop;
    const ir_value *arg; /* that the yielded value is for */
    bool found;
} yield_query;

/* True if the value is not of this iteration alone: from outside the loop, or the argument
 * of another yielded value. */
static void find_other(ir_value *v, void *user)
{
    yield_query *q = user;
    const ir_op *owner = buf_owner(v);
    bool is_argument = v->is_argument && owner == q->loop;
    q->found |= is_argument
                    ? v != q->arg
                    : !owner || owner == q->loop || !ir_op_is_ancestor(q->loop, owner);
}

static bool shares_with_others(buf_state *s, const ir_op *loop, const ir_value *arg,
                               const ir_value *yielded)
{
    yield_query q = {loop, arg, false};
    buf_each_alias(s, yielded, find_other, &q);
    return q.found;
}

/* A loop's result may share its buffer with the initial value or with a buffer of the last
 * iteration, but with nothing else: other values are copied before they are yielded. */
static void copy_yields(buf_state *s, ir_op *loop)
{
    ir_block *body = ir_op_body(loop, 0);
    ir_op *yield = body ? body->last : NULL;
    if (s->options->copy_before_write || !ir_op_is(yield, SCF_OP(yield)))
        return;
    ir_builder b = ir_builder_before(yield);
    for (uint32_t i = 0; i < yield->n_operands && i + 1 < body->n_args; i++) {
        ir_value *v = ir_op_operand(yield, i);
        const ir_value *arg = body->args[i + 1];
        if (v->type->kind == IR_TYPE_TENSOR && !buf_are_equivalent(s, arg, v) &&
            shares_with_others(s, loop, arg, v))
            ir_op_set_operand(yield, i, alloc_tensor(&b, v, true));
    }
}

bool buf_insert_copies(buf_state *s, ir_op *root)
{
    ir_op_list ops = ir_ops_in(root, NULL);
    bool ok = true;
    for (size_t i = 0; ok && i < ops.n; i++) {
        ir_op *op = ops.at[i];
        if (!buf_has_tensors(op) || !buf_model_of(s, op))
            continue;
        for (uint32_t k = 0; ok && k < op->n_operands; k++)
            if (buf_is_tensor(ir_op_operand(op, k)->type) &&
                !buf_is_in_place(s, &op->operands[k]))
                ok = copy_operand(s, &op->operands[k]);
        if (op->def == SCF_OP(for))
            copy_yields(s, op);
    }
    ir_op_list_free(&ops);
    return ok;
}
