/* infer_reduce.c: converts reductions over values on several meshes, and those that the
 * user annotated, to mpmd.reduce. */
#include "mlir/func/func.h"
#include "mpmd/mesh_sets.h"
#include "mpmd/passes.h"
#include "stablehlo/build.h"
#include "stablehlo/stablehlo.h"

static bool is_of_kind(const ir_op *op, const char *kind)
{
    const char *own = mpmd_reduction_of(op);
    return own && !strcmp(own, kind);
}

static void mark_tree(ir_op *root, const char *kind)
{
    ir_op_list open = {.n = 0};
    TW_PUSH(open.at, open.n, open.capacity, root);
    while (open.n) {
        ir_op *op = open.at[--open.n];
        if (!op || !is_of_kind(op, kind) || ir_op_attr(op, MPMD_CAN_CONVERT))
            continue;
        ir_op_set_attr(op, MPMD_CAN_CONVERT, ir_unit_attr(op->ctx));
        for (uint32_t i = 0; i < op->n_operands; i++)
            TW_PUSH(open.at, open.n, open.capacity, ir_value_def(op->operands[i].value));
    }
    ir_op_list_free(&open);
}

/* An mpmd.reduce<none> marks the producer of its operand as a candidate for a reduction. */
static void mark_producer(ir_op *none)
{
    ir_attr nothing = mpmd_reduction(none->ctx, "none"),
            own = ir_op_attr(none, "reduction");
    ir_op *op = ir_value_def(none->operands[0].value);
    if (own && own != nothing)
        return;
    while (op && op->n_operands == 1 && op->n_results == 1)
        op = ir_value_def(op->operands[0].value);
    if (!op)
        return;
    if (mpmd_reduction_of(op)) {
        mark_tree(op, mpmd_reduction_of(op));
    } else if (op->def == STABLEHLO_OP(reduce)) {
        ir_op *concat = ir_value_def(op->operands[0].value);
        if (mpmd_reduce_of_concat(concat) && mpmd_reduction_of_body(op))
            ir_op_set_attr(op, MPMD_CAN_CONVERT, ir_unit_attr(op->ctx));
    }
}

static void replace(ir_op *op, const mpmd_values *operands)
{
    ir_builder b = ir_builder_before(op);
    ir_attr set = mpmd_src_set(op);
    ir_value *made =
        ir_build1(&b, MPMD_OP(reduce), op->results[0].type, operands->at, operands->n,
                  IR_ATTRS({"reduction", ir_op_attr(op, MPMD_REDUCE)}));
    if (set)
        mpmd_put_src_set(ir_value_def(made), set);
    ir_value_replace_uses(&op->results[0], made);
    ir_op_erase(op);
}

static void convert_concat(ir_op *reduce)
{
    ir_op *concat = ir_value_def(reduce->operands[0].value);
    ir_type type = reduce->results[0].type;
    ir_builder b = ir_builder_before(reduce);
    mpmd_values operands = {.n = 0};
    if (!ir_op_is(concat, STABLEHLO_OP(concatenate)))
        return;
    for (uint32_t i = 0; i < concat->n_operands; i++) {
        ir_value *v = concat->operands[i].value;
        ir_op *producer = ir_value_def(v);
        b.loc = ir_value_loc(v);
        ir_value *flat = ir_build1(&b, STABLEHLO_OP(reshape), type, IR_VALUES(v), NULL, 0);
        if (producer)
            ir_value_def(flat)->attrs = producer->attrs;
        mpmd_push(&operands, flat);
    }
    replace(reduce, &operands);
    ir_op_erase(concat);
    free(operands.at);
}

/* Merges operands that are reductions of the same kind. */
static void convert(ir_op *op)
{
    ir_attr kind = ir_op_attr(op, MPMD_REDUCE);
    mpmd_values operands = {.n = 0};
    ir_op_list inner = {.n = 0};
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *producer = ir_value_def(op->operands[i].value);
        if (!ir_op_is(producer, MPMD_OP(reduce)) ||
            ir_op_attr(producer, "reduction") != kind) {
            mpmd_push(&operands, op->operands[i].value);
            continue;
        }
        for (uint32_t k = 0; k < producer->n_operands; k++)
            mpmd_push(&operands, producer->operands[k].value);
        mpmd_list_add(&inner, producer);
    }
    replace(op, &operands);
    for (size_t i = 0; i < inner.n; i++)
        if (ir_op_is_unused(inner.at[i]))
            ir_op_erase(inner.at[i]);
    ir_op_list_free(&inner);
    free(operands.at);
}

static bool is_reduce(const ir_op *op)
{
    return op->def == MPMD_OP(reduce);
}

bool mpmd_infer_mesh_convert_reduce_ops(ir_op *func, pass_run *run)
{
    bool infer = pass_option_bool(run, "infer-cross-mesh-reductions");
    if (!ir_op_body(func, 0))
        return true;
    ir_op_list asked = ir_ops_in(func, is_reduce), all = mpmd_flat_ops(func);
    for (size_t i = 0; i < asked.n; i++)
        mark_producer(asked.at[i]);
    for (size_t i = 0; i < all.n; i++) {
        ir_op *op = all.at[i];
        bool wanted = ir_op_attr(op, MPMD_REDUCE) &&
                      (infer || ir_op_attr(op, MPMD_CAN_CONVERT)) && mpmd_is_meshless(op);
        if (op->def == STABLEHLO_OP(concatenate))
            continue; /* converted with its reduction */
        if (!wanted)
            ir_op_set_attr(op, MPMD_CAN_CONVERT, NULL);
        else if (op->def == STABLEHLO_OP(reduce))
            convert_concat(op);
        else
            convert(op);
    }
    ir_op_list_free(&asked);
    ir_op_list_free(&all);
    return true;
}
