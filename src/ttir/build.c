/* build.c: see ttir/build.h. */
#include "ttir/build.h"

#include "ir/like.h"
#include "ir/rewrite/effects.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

ir_type ttir_type_in_shape(ir_type t, const int64_t *dims, size_t rank)
{
    ir_attr e = t->encoding;
    const bool laid_out =
        ir_attr_is(e, IR_ATTR_DIALECT) &&
        (e->def == TTNN_ATTR(ttnn_layout) || e->def == TTNN_ATTR(ttnn_nd_layout));
    ir_type plain = laid_out ? ir_tensor_type(t->element, t->dims, t->count, NULL) : t;
    const bool same = rank == t->count && memcmp(dims, t->dims, rank * sizeof *dims) == 0;
    return same ? t : ir_type_with_shape(plain, dims, rank);
}

ir_value *ttir_build_reshape(ir_builder *b, ir_value *v, const int64_t *dims, size_t rank)
{
    ir_type type = ttir_type_in_shape(v->type, dims, rank);
    if (type == v->type)
        return v;
    return ir_build1(b, TTIR_OP(reshape), type, IR_VALUES(v),
                     IR_ATTRS({"shape", ir_i32_array_attr(b->ctx, dims, rank)}));
}

ir_type ttir_implied_type(const ir_op *op)
{
    ir_type type = op->results[0].type;
    int64_t dims[TTIR_MAX_DIMS];
    for (uint32_t d = 0; d < type->count; d++)
        dims[d] = 1;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        for (uint32_t d = 0; d < t->count; d++)
            if (t->dims[d] != 1)
                dims[type->count - t->count + d] = t->dims[d];
    }
    return ttir_type_in_shape(type, dims, type->count);
}

ir_value *ttir_build_permute(ir_builder *b, ir_value *v, const int64_t *order)
{
    int64_t dims[TTIR_MAX_DIMS];
    uint32_t rank = v->type->count;
    bool identity = true;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = v->type->dims[order[i]];
        identity &= order[i] == i;
    }
    if (identity)
        return v;
    return ir_build1(b, TTIR_OP(permute), ttir_type_in_shape(v->type, dims, rank),
                     IR_VALUES(v),
                     IR_ATTRS({"permutation", ir_dense_i64_array(b->ctx, order, rank)}));
}

ir_value *ttir_build_broadcast(ir_builder *b, ir_value *v, const int64_t *factors)
{
    int64_t dims[TTIR_MAX_DIMS];
    uint32_t rank = v->type->count;
    bool nothing = true;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = v->type->dims[i] * factors[i];
        nothing &= factors[i] == 1;
    }
    if (nothing)
        return v;
    ir_attr list = ir_dense_i64_array(b->ctx, factors, rank);
    return ir_build1(b, TTIR_OP(broadcast), ttir_type_in_shape(v->type, dims, rank),
                     IR_VALUES(v), IR_ATTRS({"broadcast_dimensions", list}));
}

ir_value *ttir_build_broadcast_to(ir_builder *b, ir_value *v, const int64_t *dims)
{
    int64_t factors[TTIR_MAX_DIMS];
    for (uint32_t i = 0; i < v->type->count; i++)
        factors[i] = v->type->dims[i] == dims[i] ? 1 : dims[i];
    return ttir_build_broadcast(b, v, factors);
}

ir_value *ttir_build_slice(ir_builder *b, ir_value *v, const int64_t *begins,
                           const int64_t *ends, const int64_t *steps)
{
    int64_t dims[TTIR_MAX_DIMS];
    uint32_t rank = v->type->count;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = (ends[i] - begins[i] + steps[i] - 1) / steps[i];
    return ir_build1(b, TTIR_OP(slice_static), ttir_type_in_shape(v->type, dims, rank),
                     IR_VALUES(v),
                     IR_ATTRS({"begins", ir_i32_array_attr(b->ctx, begins, rank)},
                              {"ends", ir_i32_array_attr(b->ctx, ends, rank)},
                              {"step", ir_i32_array_attr(b->ctx, steps, rank)}));
}

ir_value *ttir_build_slice_dim(ir_builder *b, ir_value *v, int64_t dim, int64_t begin,
                               int64_t end)
{
    int64_t begins[TTIR_MAX_DIMS], ends[TTIR_MAX_DIMS], steps[TTIR_MAX_DIMS];
    for (uint32_t i = 0; i < v->type->count; i++) {
        begins[i] = i == dim ? begin : 0;
        ends[i] = i == dim ? end : v->type->dims[i];
        steps[i] = 1;
    }
    return ttir_build_slice(b, v, begins, ends, steps);
}

ir_value *ttir_build_typecast(ir_builder *b, ir_value *v, ir_type element)
{
    if (ir_type_element(v->type) == element)
        return v;
    return ir_build1(b, TTIR_OP(typecast), ir_type_with_element(v->type, element),
                     IR_VALUES(v),
                     IR_ATTRS({"conservative_folding", ir_bool_attr(b->ctx, false)}));
}

ir_value *ttir_build_concat(ir_builder *b, ir_value *const *values, size_t count,
                            int64_t dim)
{
    int64_t dims[TTIR_MAX_DIMS];
    ir_type first = values[0]->type;
    memcpy(dims, first->dims, first->count * sizeof *dims);
    for (size_t i = 1; i < count; i++)
        dims[dim] += values[i]->type->dims[dim];
    return ir_build1(b, TTIR_OP(concat), ttir_type_in_shape(first, dims, first->count),
                     values, count, IR_ATTRS({"dim", ir_si32_attr(b->ctx, dim)}));
}

ir_value *ttir_build_full(ir_builder *b, ir_type type, double fill)
{
    bool whole = ir_type_element(type)->kind == IR_TYPE_INTEGER;
    ir_attr value = whole ? ir_i32_attr(b->ctx, (int64_t)fill) : ir_f32_attr(b->ctx, fill);
    ir_attr shape = ir_dense_i32_array(b->ctx, type->dims, type->count);
    return ir_build1(b, TTIR_OP(full), type, NULL, 0,
                     IR_ATTRS({"shape", shape}, {"fill_value", value}));
}

ir_value *ttir_build_reduce(ir_builder *b, const ir_op_def *def, ir_value *v,
                            const int64_t *dims, size_t count)
{
    int64_t shape[TTIR_MAX_DIMS];
    memcpy(shape, v->type->dims, v->type->count * sizeof *shape);
    for (size_t i = 0; i < count; i++)
        shape[dims[i]] = 1;
    return ir_build1(b, def, ttir_type_in_shape(v->type, shape, v->type->count),
                     IR_VALUES(v),
                     IR_ATTRS({"dim_arg", ir_i32_array_attr(b->ctx, dims, count)},
                              {"keep_dim", ir_bool_attr(b->ctx, true)}));
}

ir_value *ttir_build_unary(ir_builder *b, const ir_op_def *def, ir_value *v)
{
    return ir_build1(b, def, v->type, IR_VALUES(v), NULL, 0);
}

ir_value *ttir_build_binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

ir_op *ttir_build_like(ir_builder *b, const ir_op *op, ir_value *const *operands,
                       ir_type result)
{
    ir_op *made = ir_build_like(b, op,
                                (ir_op_state){.loc = b->loc,
                                              .operands = operands,
                                              .n_operands = op->n_operands,
                                              .results = &result,
                                              .n_results = 1});
    made->attrs = op->attrs;
    return made;
}

/* ---- questions --------------------------------------------------------------------- */

bool ttir_is_op(const ir_op *op)
{
    return strncmp(op->def->name, "ttir.", 5) == 0;
}

ir_op *ttir_source(const ir_value *v)
{
    ir_op *op = ir_value_def(v);
    return op && !rw_changed_later(op) ? op : NULL;
}

ir_op *ttir_producer(const ir_value *v, const ir_op_def *def)
{
    return v && ir_op_is(ir_value_def(v), def) ? ttir_source(v) : NULL;
}

ir_op *ttir_input_op(const ir_op *op, const ir_op_def *def)
{
    ir_op *from = ir_value_def(op->operands[0].value);
    return ir_op_is(from, def) && !rw_changed_between(from, op) ? from : NULL;
}

ir_op *ttir_only_producer(const ir_value *v, const ir_op_def *def)
{
    return v && ir_value_has_one_use(v) ? ttir_producer(v, def) : NULL;
}

size_t ttir_numbers(const ir_op *op, const char *name, int64_t *out)
{
    int64_t n = ir_attr_ints(ir_op_attr(op, name), out, TTIR_MAX_DIMS);
    return n < 0 || n > TTIR_MAX_DIMS ? 0 : (size_t)n;
}

bool ttir_are_dims(const int64_t *dims, size_t count, int64_t rank)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        if (dims[i] < 0 || dims[i] >= TW_MIN(rank, INT64_C(64)) || (seen >> dims[i] & 1))
            return false;
        seen |= UINT64_C(1) << dims[i];
    }
    return true;
}

int64_t ttir_dim(int64_t dim, int64_t rank)
{
    return dim < 0 ? dim + rank : dim;
}

size_t ttir_reduced_dims(const ir_op *op, int64_t *out)
{
    int64_t rank = op->operands[0].value->type->count;
    size_t n = ttir_numbers(op, "dim_arg", out);
    for (size_t i = 0; i < n; i++)
        out[i] = ttir_dim(out[i], rank);
    if (n == 0)
        for (; n < (size_t)rank && n < TTIR_MAX_DIMS; n++)
            out[n] = (int64_t)n;
    return n;
}

bool ttir_same_shape(ir_type a, ir_type b)
{
    return a->count == b->count &&
           (a->count == 0 || !memcmp(a->dims, b->dims, a->count * sizeof *a->dims));
}

bool ttir_is_filled(const ir_value *v, double *out_fill)
{
    ir_op *op = ir_value_def(v);
    ir_attr a;
    if (ir_op_is(op, TTIR_OP(full)))
        *out_fill = ir_op_real(op, "fill_value", 0);
    else if (ir_op_is(op, TTIR_OP(zeros)) || ir_op_is(op, TTIR_OP(ones)))
        *out_fill = op->def == TTIR_OP(ones);
    else if (ir_op_is(op, TTIR_OP(constant)) &&
             ir_attr_is(a = ir_op_attr(op, "value"), IR_ATTR_DENSE) && (a->splat & 1))
        *out_fill = ir_dense_real(a, 0);
    else
        return false;
    return true;
}

static ir_op *function_of(const ir_value *argument)
{
    ir_block *block = argument->is_argument ? argument->owner : NULL;
    ir_op *func = block && block->region ? block->region->owner : NULL;
    return ir_op_is(func, FUNC_OP(func)) && ir_op_body(func, 0) == block ? func : NULL;
}

ir_attr ttir_argument_attr(const ir_value *argument, const char *name)
{
    ir_op *func = function_of(argument);
    ir_attr all = func ? ir_op_attr(func, "arg_attrs") : NULL;
    ir_attr own = all && argument->index < all->count ? all->items[argument->index] : NULL;
    return own ? ir_dict_get(own, tw_str_from(name)) : NULL;
}

void ttir_set_argument_attr(ir_value *argument, const char *name, ir_attr value)
{
    ir_op *func = function_of(argument);
    if (!func)
        return;
    ir_context *ctx = func->ctx;
    ir_attr old = ir_op_attr(func, "arg_attrs");
    uint32_t n = ir_op_body(func, 0)->n_args;
    ir_attr *items = tw_xmalloc((n + 1) * sizeof *items);
    for (uint32_t i = 0; i < n; i++) {
        items[i] = old && i < old->count ? old->items[i] : ir_dict_attr(ctx, NULL, 0);
        if (i == argument->index)
            items[i] = ir_dict_set(ctx, items[i], ir_ident_from(ctx, name), value);
    }
    ir_op_set_attr(func, "arg_attrs", ir_array_attr(ctx, items, n));
    free(items);
}
