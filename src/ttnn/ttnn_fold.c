/* ttnn_fold.c: folds of ttnn operations: what changes nothing goes, two steps of one kind
 * become one. */
#include "ir/rewrite/effects.h"
#include "ttcore/ttcore.h"
#include "ttnn/layout.h"
#include "ttnn/ttnn_hooks.h"

static ir_value *input_of(const ir_op *op)
{
    return op->operands[0].value;
}

static bool to_value(const ir_op *op, ir_value *v, ir_fold_result *results)
{
    if (v->type != op->results[0].type)
        return false;
    results[0].value = v;
    return true;
}

/* The operation that makes the input, if it is of the same row and what it reads is still
 * there for this one to read. */
static ir_op *same_before(const ir_op *op)
{
    ir_op *from = ir_value_def(input_of(op));
    return from && from->def == op->def && !rw_changed_between(from, op) ? from : NULL;
}

bool ttnn_fold_identity(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    return to_value(op, input_of(op), results);
}

/* The first of two reshapes is a view: it stays where a write goes through it. */
bool ttnn_fold_reshape(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    if (ttnn_fold_identity(op, operands, results))
        return true;
    ir_op *before = same_before(op);
    if (!before)
        return false;
    for (ir_operand *use = before->results[0].uses; use; use = use->next_use)
        if (use->owner != op && (rw_use_effects(use) & RW_WRITE))
            return false;
    ir_op_set_operand(op, 0, input_of(before));
    return true;
}

bool ttnn_fold_permute(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    int64_t order[TTNN_MAX_RANK], first[TTNN_MAX_RANK], both[TTNN_MAX_RANK];
    int64_t n = ir_attr_ints(ir_op_attr(op, "permutation"), order, TTNN_MAX_RANK);
    bool identity = n >= 0 && n <= TTNN_MAX_RANK;
    for (int64_t i = 0; identity && i < n; i++)
        identity = order[i] == i;
    if (identity)
        return to_value(op, input_of(op), results);
    ir_op *before = same_before(op);
    if (!before || !ir_value_has_one_use(&before->results[0]) || n < 0 ||
        ir_attr_ints(ir_op_attr(before, "permutation"), first, TTNN_MAX_RANK) != n)
        return false;
    for (int64_t i = 0; i < n; i++)
        both[i] = first[order[i]];
    ir_op_set_operand(op, 0, input_of(before));
    ir_op_set_attr(op, "permutation", ir_dense_i64_array(op->ctx, both, (size_t)n));
    return true;
}

/* A cut that takes back one whole part of what was joined. */
bool ttnn_fold_slice(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    ir_op *concat = ir_value_def(input_of(op));
    int64_t begins[TTNN_MAX_RANK], ends[TTNN_MAX_RANK], steps[TTNN_MAX_RANK], offset = 0;
    if (!concat || concat->def != TTNN_OP(concat) || rw_changed_between(concat, op))
        return false;
    int64_t rank = input_of(op)->type->count;
    if (rank > TTNN_MAX_RANK ||
        ir_attr_ints(ir_op_attr(op, "begins"), begins, TTNN_MAX_RANK) != rank ||
        ir_attr_ints(ir_op_attr(op, "ends"), ends, TTNN_MAX_RANK) != rank ||
        ir_attr_ints(ir_op_attr(op, "step"), steps, TTNN_MAX_RANK) != rank)
        return false;
    int64_t dim = ir_op_int(concat, "dim", 0);
    dim += dim < 0 ? rank : 0;
    for (uint32_t k = 0; k < concat->n_operands; k++) {
        ir_value *part = concat->operands[k].value;
        bool whole = part->type->count == rank && dim < rank;
        for (int64_t i = 0; whole && i < rank; i++) {
            int64_t from = i == dim ? offset : 0;
            whole =
                steps[i] == 1 && begins[i] == from && ends[i] == from + part->type->dims[i];
        }
        if (whole)
            return to_value(op, part, results);
        if (dim < part->type->count)
            offset += part->type->dims[dim];
    }
    return false;
}

/* ---- conversions -------------------------------------------------------------------- */

static bool same_place(const ttnn_layout *a, const ttnn_layout *b)
{
    return a->buffer == b->buffer && a->memory == b->memory && a->tiled == b->tiled;
}

/* A tensor that waits in DRAM while other operations use L1 is left there. */
static bool waits_in_dram(const ir_op *op, const ir_op *before)
{
    ttnn_layout from, middle, to;
    if (before->next == op || !ttnn_layout_of(before->results[0].type, &middle) ||
        !ttnn_layout_of(op->results[0].type, &to) ||
        middle.buffer != TTNN_BufferType_DRAM || to.buffer != TTNN_BufferType_L1)
        return false;
    return !ttnn_layout_of(input_of(before)->type, &from) || !same_place(&from, &to);
}

static bool merge_conversions(ir_op *op)
{
    ir_op *before = same_before(op);
    if (!before || waits_in_dram(op, before))
        return false;
    ir_op_set_operand(op, 0, input_of(before));
    return true;
}

/* The user wrote these: what the first one rounds away stays away. */
bool ttnn_fold_to_layout(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    ttnn_layout from, middle;
    ir_op *before = same_before(op);
    if (ttnn_fold_identity(op, operands, results))
        return true;
    return before && ttnn_layout_of(input_of(before)->type, &from) &&
           ttnn_layout_of(before->results[0].type, &middle) &&
           ttnn_dtype_is_lossless(from.dtype, middle.dtype) && merge_conversions(op);
}

bool ttnn_fold_to_tensor_spec(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    if (ttnn_fold_identity(op, operands, results) || merge_conversions(op))
        return true;
    ir_op *cast = ir_value_def(input_of(op));
    ttnn_layout from, middle, to;
    if (!cast || cast->def != TTNN_OP(typecast) ||
        !ttnn_layout_of(input_of(cast)->type, &from) ||
        !ttnn_layout_of(cast->results[0].type, &middle) ||
        !ttnn_layout_of(op->results[0].type, &to) || from.dtype != to.dtype ||
        !ttnn_dtype_is_lossless(from.dtype, middle.dtype))
        return false;
    ir_op_set_operand(op, 0, input_of(cast));
    return true;
}

/* ---- collectives -------------------------------------------------------------------- */

/* Along an axis of one device there is no other device. */
static bool is_alone(ir_op *op)
{
    ir_attr device = ttnn_device_of(op);
    int64_t mesh[8], axis = ir_op_int(op, "cluster_axis", 0);
    int64_t rank = device ? ir_attr_ints(ir_attr_param(device, "meshShape"), mesh, 8) : 0;
    return axis >= 0 && axis < rank && axis < 8 && mesh[axis] == 1;
}

bool ttnn_fold_all_reduce(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    (void)operands;
    return is_alone(op) && to_value(op, input_of(op), results);
}

bool ttnn_fold_collective(ir_op *op, const ir_attr *operands, ir_fold_result *results)
{
    if (!ttnn_fold_all_reduce(op, operands, results))
        return false;
    ir_warning(op->ctx, op->loc,
               "Removing this CCL op because performing a CCL operation on a single mesh "
               "device is semantically meaningless.");
    return true;
}
