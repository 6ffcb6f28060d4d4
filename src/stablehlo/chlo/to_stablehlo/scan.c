/* scan.c: lowers chlo.scan to a counted loop.
 *
 * The loop carries a counter, the scan's carries and its outputs so far.  Each iteration
 * slices the inputs at the counter's position (from the end if the scan is reversed),
 * runs the body, and inserts its results into the outputs. */
#include "stablehlo/broadcast.h"
#include "stablehlo/build.h"
#include "stablehlo/chlo/to_stablehlo/chlo_to_stablehlo.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

enum { CAPACITY = 32 };

typedef struct scan {
    ir_op *op;
    int64_t dim;
    size_t n_inputs, n_carries, n_outputs;
    ir_type i64;
} scan;

static ir_value *whole(const scan *s, ir_builder *b, int64_t value)
{
    return hlo_int(b, s->i64, value);
}

/* Start indices of the slice at `at`. */
static void starts(const scan *s, ir_builder *b, ir_value *at, size_t rank, ir_value **out)
{
    ir_value *zero = whole(s, b, 0);
    for (size_t i = 0; i < rank; i++)
        out[i] = (int64_t)i == s->dim ? at : zero;
}

static ir_value *slice_known(const scan *s, ir_builder *b, ir_value *v, ir_value *at)
{
    ir_value *operands[CAPACITY + 1] = {v};
    int64_t sizes[CAPACITY];
    size_t rank = v->type->count;
    for (size_t i = 0; i < rank; i++)
        sizes[i] = (int64_t)i == s->dim ? 1 : v->type->dims[i];
    starts(s, b, at, rank, operands + 1);
    return ir_build1(b, STABLEHLO_OP(dynamic_slice),
                     ir_tensor_type(v->type->element, sizes, rank, NULL), operands,
                     rank + 1,
                     IR_ATTRS({"slice_sizes", ir_dense_i64_array(b->ctx, sizes, rank)}));
}

static ir_value *pack(const scan *s, ir_builder *b, ir_value **scalars, size_t n)
{
    for (size_t i = 0; i < n; i++)
        scalars[i] = hlo_as_vector(b, scalars[i]);
    return hlo_concatenate(b, hlo_vector_type(s->i64, (int64_t)n), scalars, n, 0);
}

static ir_value *slice_unknown(const scan *s, ir_builder *b, ir_value *v, ir_value *at)
{
    ir_value *scalars[CAPACITY];
    int64_t sizes[CAPACITY], ones[CAPACITY];
    size_t rank = v->type->count;
    starts(s, b, at, rank, scalars);
    ir_value *start = pack(s, b, scalars, rank);
    for (size_t i = 0; i < rank; i++) {
        bool here = (int64_t)i == s->dim;
        scalars[i] = here ? ir_build1(b, STABLEHLO_OP(add), at->type,
                                      IR_VALUES(at, whole(s, b, 1)), NULL, 0)
                          : hlo_size_of(b, v, (int64_t)i);
        sizes[i] = here ? 1 : v->type->dims[i];
        ones[i] = 1;
    }
    ir_value *limit = pack(s, b, scalars, rank);
    ir_value *stride = hlo_integer_constant(b, ones, rank);
    return ir_build1(b, STABLEHLO_OP(real_dynamic_slice),
                     ir_tensor_type(v->type->element, sizes, rank, NULL),
                     IR_VALUES(v, start, limit, stride), NULL, 0);
}

/* The input at a position, without the scanned dimension. */
static ir_value *element(const scan *s, ir_builder *b, ir_value *v, ir_value *at)
{
    ir_value *slice =
        (ir_type_has_static_shape(v->type) ? slice_known : slice_unknown)(s, b, v, at);
    int64_t dims[CAPACITY];
    size_t n = 0;
    for (int64_t i = 0; i < slice->type->count; i++)
        if (i != s->dim)
            dims[n++] = slice->type->dims[i];
    return hlo_reshape(b, slice, dims, n);
}

static ir_value *put(const scan *s, ir_builder *b, ir_value *into, ir_value *v,
                     ir_value *at)
{
    ir_value *operands[CAPACITY + 2] = {into};
    int64_t dims[CAPACITY];
    size_t rank = into->type->count;
    for (size_t i = 0; i < rank; i++)
        dims[i] = (int64_t)i == s->dim ? 1 : into->type->dims[i];
    operands[1] = hlo_reshape(b, v, dims, rank);
    starts(s, b, at, rank, operands + 2);
    return ir_build1(b, STABLEHLO_OP(dynamic_update_slice), into->type, operands, rank + 2,
                     NULL, 0);
}

/* The initial output; NULL if its sizes are unknown. */
static ir_value *empty_output(const scan *s, ir_builder *b, size_t i)
{
    ir_type t = s->op->results[i].type;
    if (!ir_type_is_tensor(t) || t->count > CAPACITY)
        return NULL;
    ir_value *zero = hlo_zeros(b, hlo_scalar_type(t->element));
    if (ir_type_has_static_shape(t))
        return hlo_broadcast(b, zero, t->dims, t->count, NULL, 0);
    if (s->n_inputs == 0)
        return NULL;
    ir_value *like = s->op->operands[i < s->n_inputs ? i : 0].value;
    return hlo_broadcast_like(b, zero, like, t);
}

static void build_condition(const scan *s, ir_op *loop, const ir_type *types, size_t n,
                            ir_value *size)
{
    ir_block *block = hlo_add_block(loop, 0, types, n);
    ir_builder b = ir_builder_at_end(s->op->ctx, block, s->op->loc);
    ir_attr less = ir_enum_attr(b.ctx, STABLEHLO_ATTR(comparison_direction),
                                STABLEHLO_ComparisonDirection_LT);
    ir_value *more = ir_build1(&b, STABLEHLO_OP(compare), ir_type_i1_like(size->type),
                               IR_VALUES(block->args[0], size),
                               IR_ATTRS({"comparison_direction", less}));
    hlo_return(&b, &more, 1);
}

static void build_body(const scan *s, ir_op *loop, const ir_type *types, size_t n,
                       ir_value *size)
{
    ir_block *block = hlo_add_block(loop, 1, types, n), *body = ir_op_body(s->op, 0);
    ir_builder b = ir_builder_at_end(s->op->ctx, block, s->op->loc);
    ir_value *counter = block->args[0], *at = counter;
    if (ir_op_bool(s->op, "is_reverse")) {
        ir_value *last = ir_build1(&b, STABLEHLO_OP(subtract), at->type,
                                   IR_VALUES(size, whole(s, &b, 1)), NULL, 0);
        at = ir_build1(&b, STABLEHLO_OP(subtract), at->type, IR_VALUES(last, counter), NULL,
                       0);
    }
    ir_mapping *map = ir_mapping_create();
    for (size_t i = 0; i < s->n_inputs; i++)
        ir_mapping_set(map, body->args[i], element(s, &b, s->op->operands[i].value, at));
    for (size_t i = 0; i < s->n_carries; i++)
        ir_mapping_set(map, body->args[s->n_inputs + i], block->args[1 + i]);
    for (ir_op *op = body->first; op != body->last; op = op->next)
        ir_block_append(block, ir_op_clone(op, map));
    ir_value **next = tw_xmalloc(n * sizeof *next);
    for (size_t i = 0; i < s->n_outputs + s->n_carries; i++) {
        ir_value *v = body->last->operands[i].value;
        void *mapped = ir_mapping_get(map, v);
        v = mapped ? mapped : v;
        bool is_output = i < s->n_outputs;
        size_t slot = is_output ? 1 + s->n_carries + i : 1 + i - s->n_outputs;
        next[slot] = is_output ? put(s, &b, block->args[slot], v, at) : v;
    }
    ir_mapping_free(map);
    next[0] = ir_build1(&b, STABLEHLO_OP(add), counter->type,
                        IR_VALUES(counter, whole(s, &b, 1)), NULL, 0);
    hlo_return(&b, next, n);
    free(next);
}

static ir_value *scanned_size(const scan *s, ir_builder *b)
{
    ir_type t = s->op->n_results ? s->op->results[0].type : NULL;
    if (s->n_inputs)
        return hlo_queried_size(b, s->op->operands[0].value, s->dim);
    if (!ir_type_is_tensor(t) || s->dim >= t->count || t->dims[s->dim] == IR_DYNAMIC)
        return NULL;
    return whole(s, b, t->dims[s->dim]);
}

bool c2s_scan(ir_op *op, ir_builder *b)
{
    size_t start;
    scan s = {.op = op, .dim = ir_op_int(op, "dimension", 0)};
    s.i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    if (!ir_op_operand_group(op, 0, &start, &s.n_inputs) ||
        !ir_op_operand_group(op, 1, &start, &s.n_carries) || op->n_results < s.n_carries)
        return false;
    s.n_outputs = op->n_results - s.n_carries;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!ir_type_is_tensor(op->operands[i].value->type) ||
            op->operands[i].value->type->count > CAPACITY)
            return false;
    size_t n = 1 + s.n_carries + s.n_outputs;
    ir_value *size = scanned_size(&s, b);
    if (!size)
        return false;
    ir_value **values = tw_xmalloc(n * sizeof *values);
    ir_type *types = tw_xmalloc(n * sizeof *types);
    bool ok = true;
    values[0] = whole(&s, b, 0);
    for (size_t i = 0; i < s.n_carries; i++)
        values[1 + i] = op->operands[s.n_inputs + i].value;
    for (size_t i = 0; ok && i < s.n_outputs; i++)
        ok = (values[1 + s.n_carries + i] = empty_output(&s, b, i)) != NULL;
    if (ok) {
        for (size_t i = 0; i < n; i++)
            types[i] = values[i]->type;
        ir_op *loop = ir_build_op(b, STABLEHLO_OP(while), types, n, values, n, NULL, 0, 2);
        build_condition(&s, loop, types, n, size);
        build_body(&s, loop, types, n, size);
        for (size_t i = 0; i < op->n_results; i++)
            ir_value_replace_uses(&op->results[i],
                                  &loop->results[i < s.n_outputs ? 1 + s.n_carries + i
                                                                 : 1 + i - s.n_outputs]);
        ir_op_erase(op);
    }
    free(values);
    free(types);
    return ok;
}
