/* canonicalize_fill.c: canonical forms around linalg.fill: moving equal elements is a fill
 * of another shape. */
#include "mlir/affine/affine.h"
#include "mlir/linalg/linalg.h"
#include "mlir/passes/canonical.h"
#include "mlir/shared/mixed_list.h"
#include "mlir/tensor/casts.h"
#include "mlir/tensor/tensor.h"

static ir_op *fill_of(const ir_value *v)
{
    ir_op *producer = ir_value_def(v);
    return ir_op_is(producer, LINALG_OP(fill)) && producer->n_operands == 2 ? producer
                                                                            : NULL;
}

/* Clones the fill with another output before `op`. */
static ir_op *fill_into(rw_rewriter *rw, ir_op *fill, ir_value *into, ir_op *op)
{
    ir_op *made = rw_copy(rw, fill);
    ir_op_remove(made);
    ir_op_insert_before(made, op);
    ir_op_set_operand(made, 1, into);
    if (made->n_results)
        made->results[0].type = into->type;
    return made;
}

static bool extract_of_fill(ir_op *op, rw_rewriter *rw)
{
    ir_op *fill = fill_of(ir_op_operand(op, 0));
    if (!fill || ir_op_operand(fill, 0)->type != op->results[0].type)
        return false;
    rw_replace1(rw, op, ir_op_operand(fill, 0));
    return true;
}

/* Reshapes before the fill. */
static bool reshape_of_fill(ir_op *op, rw_rewriter *rw)
{
    ir_op *fill = fill_of(ir_op_operand(op, 0));
    if (!fill)
        return false;
    ir_op *reshape = rw_copy(rw, op);
    ir_op_set_operand(reshape, 0, ir_op_operand(fill, 1));
    reshape->loc = fill->loc;
    ir_op *made = fill_into(rw, fill, &reshape->results[0], op);
    made->loc = op->loc;
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

/* A transposed or copied fill becomes a fill of the destination. */
static bool moved_fill(ir_op *op, rw_rewriter *rw)
{
    ir_op *fill = fill_of(ir_op_operand(op, 0));
    ir_value *into = ir_op_operand(op, 1);
    if (!fill || op->n_results != 1 ||
        into->type->element != ir_op_operand(fill, 1)->type->element)
        return false;
    ir_op *made = fill_into(rw, fill, into, op);
    made->loc = op->loc;
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

/* A fill that is overwritten by a copy is redundant. */
static bool copy_into_fill(ir_op *op, rw_rewriter *rw)
{
    ir_op *fill = fill_of(ir_op_operand(op, 1));
    if (!fill || op->n_results != 1)
        return false;
    ir_op_set_operand(op, 1, ir_op_operand(fill, 1));
    rw_modified(rw, op);
    return true;
}

/* ---- padding ------------------------------------------------------------------------ */

/* The constant padding value of tensor.pad, NULL if its body computes it. */
static ir_value *padding_of(ir_op *pad)
{
    ir_block *body = ir_op_body(pad, 0);
    ir_value *v = body && body->last && body->last->n_operands == 1
                      ? ir_op_operand(body->last, 0)
                      : NULL;
    if (!v || (v->is_argument && v->owner == body))
        return NULL;
    const ir_op *producer = ir_value_def(v);
    return producer && producer->block == body && !rw_constant(v) ? NULL : v;
}

/* A sum of constants and values. */
typedef struct sum {
    ir_value *values[4];
    uint32_t n;
    int64_t number;
} sum;

static void add(sum *s, int64_t number, ir_value *value)
{
    if (value)
        s->values[s->n++] = value;
    else
        s->number += number;
}

/* Writes the sum as an entry of a list. */
static void put_sum(rw_rewriter *rw, const sum *s, mixed_list *out, int64_t i)
{
    ir_context *ctx = rw->b.ctx;
    out->value[i] = NULL;
    out->number[i] = s->number;
    if (!s->n)
        return;
    ir_affine e = ir_affine_constant(ctx, s->number);
    for (uint32_t k = s->n; k-- > 0;)
        e = ir_affine_binary(ctx, IR_AFFINE_ADD, ir_affine_symbol(ctx, k), e);
    ir_attr map = ir_affine_map_attr(ctx, ir_affine_map_get(ctx, 0, s->n, &e, 1));
    out->number[i] = IR_DYNAMIC;
    out->value[i] = ir_build1(&rw->b, AFFINE_OP(apply), ir_index_type(ctx), s->values, s->n,
                              IR_ATTRS({"map", map}));
}

static ir_value *size_of(rw_rewriter *rw, ir_value *tensor, int64_t dim)
{
    ir_value *at = mixed_index(rw, dim);
    return ir_build1(&rw->b, TENSOR_OP(dim), at->type, IR_VALUES(tensor, at), NULL, 0);
}

/* Padding a fill with its own value is a larger fill. */
static bool pad_of_fill(ir_op *op, rw_rewriter *rw)
{
    ir_value *source = ir_op_operand(op, 0);
    ir_op *fill = fill_of(source);
    ir_type old = op->results[0].type, from = source->type;
    mixed_list low, high, sizes = {.n = old->count};
    ir_value *values[SHAPE_MAX_RANK];
    size_t n = 0;
    if (!fill || padding_of(op) != ir_op_operand(fill, 0) || old->count > SHAPE_MAX_RANK ||
        !mixed_read(op, "low", "static_low", &low) ||
        !mixed_read(op, "high", "static_high", &high))
        return false;
    for (uint32_t i = 0; i < old->count; i++) {
        sum s = {.n = 0};
        if (old->dims[i] != IR_DYNAMIC) {
            add(&s, old->dims[i], NULL);
        } else {
            bool dynamic = from->dims[i] == IR_DYNAMIC;
            ir_value *size = dynamic ? size_of(rw, source, i) : NULL;
            add(&s, low.number[i], low.value[i]);
            add(&s, from->dims[i], size);
            add(&s, high.number[i], high.value[i]);
        }
        put_sum(rw, &s, &sizes, i);
        if (sizes.value[i])
            values[n++] = sizes.value[i];
    }
    ir_type type = ir_type_with_shape(old, sizes.number, old->count);
    ir_value *empty = ir_build1(&rw->b, TENSOR_OP(empty), type, values, n, NULL, 0);
    ir_op *made = fill_into(rw, fill, empty, op);
    rw_replace1(rw, op, tensor_cast_to(rw, &made->results[0], old));
    return true;
}

/* True if two slices are known to be disjoint. */
static bool are_disjoint(const mixed_part *a, const mixed_part *b)
{
    for (int64_t i = 0; i < a->sizes.n && i < b->sizes.n; i++) {
        const mixed_list *lists[] = {&a->offsets, &a->sizes, &a->strides,
                                     &b->offsets, &b->sizes, &b->strides};
        bool known = true;
        for (size_t k = 0; k < TW_COUNT(lists); k++)
            known &= lists[k]->number[i] != IR_DYNAMIC;
        if (!known)
            continue;
        int64_t last_a =
                    a->offsets.number[i] + (a->sizes.number[i] - 1) * a->strides.number[i],
                last_b =
                    b->offsets.number[i] + (b->sizes.number[i] - 1) * b->strides.number[i];
        if (last_a < b->offsets.number[i] || last_b < a->offsets.number[i])
            return true;
    }
    return false;
}

static bool keeps_rank(const ir_op *insert)
{
    return ir_op_operand(insert, 0)->type->count == insert->results[0].type->count;
}

/* The destination before a chain of insertions into disjoint slices. */
static ir_value *first_dest(ir_op *op, const mixed_part *part)
{
    ir_value *dest = ir_op_operand(op, 1);
    for (;;) {
        ir_op *before = ir_value_def(dest);
        mixed_part other;
        if (!ir_op_is(before, TENSOR_OP(insert_slice)))
            return dest;
        if (!keeps_rank(before) || !mixed_part_read(before, &other))
            return NULL;
        if (!are_disjoint(&other, part))
            return dest;
        dest = ir_op_operand(before, 1);
    }
}

/* Inserting a padded tensor into a destination already filled with the padding value needs
 * no padding. */
static bool insert_of_pad(ir_op *op, rw_rewriter *rw)
{
    mixed_part part;
    mixed_list low;
    ir_op *pad = ir_value_def(ir_op_operand(op, 0));
    if (!ir_op_is(pad, TENSOR_OP(pad)) || !keeps_rank(op) || !mixed_part_read(op, &part) ||
        !mixed_read(pad, "low", "static_low", &low) || low.n != part.offsets.n)
        return false;
    ir_value *dest = first_dest(op, &part), *source = ir_op_operand(pad, 0);
    ir_op *fill = dest ? fill_of(dest) : NULL;
    if (!fill || padding_of(pad) != ir_op_operand(fill, 0))
        return false;
    for (int64_t i = 0; i < low.n; i++) {
        sum s = {.n = 0};
        add(&s, low.number[i], low.value[i]);
        add(&s, part.offsets.number[i], part.offsets.value[i]);
        put_sum(rw, &s, &part.offsets, i);
    }
    for (int64_t i = 0; i < low.n; i++) {
        part.sizes.number[i] = source->type->dims[i];
        part.sizes.value[i] =
            part.sizes.number[i] == IR_DYNAMIC ? size_of(rw, source, i) : NULL;
    }
    ir_op *made = rw_copy(rw, op);
    ir_op_set_operand(made, 0, source);
    mixed_part_write(made, &part);
    made->attrs = NULL;
    rw_replace1(rw, op, &made->results[0]);
    return true;
}

static const rw_pattern patterns[] = {
    {TENSOR_OP(extract), extract_of_fill, "linalg.FoldFillWithTensorExtract"},
    {TENSOR_OP(pad), pad_of_fill, "linalg.FoldFillWithPad"},
    {TENSOR_OP(collapse_shape), reshape_of_fill, "linalg.FoldFillWithTensorReshape"},
    {TENSOR_OP(expand_shape), reshape_of_fill, "linalg.FoldFillWithTensorReshape"},
    {TENSOR_OP(insert_slice), insert_of_pad, "linalg.FoldInsertPadIntoFill"},
    {LINALG_OP(copy), moved_fill, "linalg.FoldFillWithCopy"},
    {LINALG_OP(copy), copy_into_fill, "linalg.FoldFillWithCopy"},
    {LINALG_OP(transpose), moved_fill, "linalg.FoldFillWithTranspose"},
};

const rw_pattern_table canonicalize_linalg_fill = {patterns, TW_COUNT(patterns)};
