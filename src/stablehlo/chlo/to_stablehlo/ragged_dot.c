/* ragged_dot.c: chlo.ragged_dot as a dot product per group.
 *
 * The ragged dimension of the left side is cut into groups of the given sizes, and each
 * group has its own product.  Ragged free dimension: each group is multiplied by its
 * slice of the right side, and products are added. Contracted dimension: each group's
 * product is one slice of the result. Batch dimension: groups do not interact, so it is
 * one ordinary product.  A group is the left side with zeros outside of it, so all
 * products have one shape. */
#include "stablehlo/broadcast.h"
#include "stablehlo/build.h"
#include "stablehlo/chlo/to_stablehlo/chlo_to_stablehlo.h"
#include "stablehlo/expand/formula.h"
#include "stablehlo/stablehlo.h"

enum { CAPACITY = 32 };

typedef struct dims {
    int64_t at[CAPACITY];
    size_t n;
} dims;

typedef struct ragged {
    ir_op *op;
    ir_builder *b;
    ir_value *lhs, *rhs, *sizes;
    dims lhs_batch, rhs_batch, lhs_contract, rhs_contract, lhs_ragged, rhs_group;
    ir_type i64;
    ir_attr precision;
    ir_value *iota, *zero; /* positions along the ragged dimension; zeros like lhs */
    dims batch;            /* batch dimensions of the sizes: all but their last */
} ragged;

static dims read_dims(ir_attr attr, const char *name)
{
    dims d;
    int64_t n = ir_attr_ints(ir_attr_param(attr, name), d.at, CAPACITY);
    d.n = n < 0 || n > CAPACITY ? 0 : (size_t)n;
    return d;
}

static ir_attr convert_precision(ir_context *ctx, ir_attr config)
{
    ir_attr items[8];
    if (!ir_attr_is(config, IR_ATTR_ARRAY) || config->count > TW_COUNT(items))
        return NULL;
    for (uint32_t i = 0; i < config->count; i++) /* both dialects use the same numbers */
        items[i] = ir_enum_attr(ctx, STABLEHLO_ATTR(precision),
                                ir_enum_value(config->items[i], 0));
    return ir_array_attr(ctx, items, config->count);
}

/* ---- pieces ------------------------------------------------------------------------- */

static ir_value *one_int(ragged *r, int64_t value)
{
    return hlo_integer_constant(r->b, &value, 1);
}

static ir_value *asked_vector(ragged *r, ir_value *v, size_t dim)
{
    return hlo_as_vector(r->b, hlo_queried_size(r->b, v, (int64_t)dim));
}

static ir_value *join(ragged *r, ir_value *const *parts, size_t n)
{
    return hlo_concatenate(r->b, hlo_vector_type(r->i64, (int64_t)n), parts, n, 0);
}

/* Broadcasts v, whose dimensions are those at `at`, to the shape of the left side. */
static ir_value *broadcast_to_lhs(ragged *r, ir_value *v, const int64_t *at, size_t n)
{
    ir_type t = r->lhs->type;
    if (ir_type_has_static_shape(t))
        return hlo_broadcast(r->b, v, t->dims, t->count, at, n);
    return ir_build1(
        r->b, STABLEHLO_OP(dynamic_broadcast_in_dim),
        ir_tensor_type(r->i64, t->dims, t->count, NULL),
        IR_VALUES(v, hlo_shape_of(r->b, r->lhs)),
        IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(r->b->ctx, at, n)}));
}

/* Creates the positions along the ragged dimension and the start of the first group. */
static ir_value *prepare(ragged *r)
{
    ir_type t = r->lhs->type;
    int64_t shape[CAPACITY];
    size_t dim = (size_t)r->lhs_ragged.at[0];
    ir_type starts = ir_tensor_type(r->i64, r->batch.at, r->batch.n, NULL);
    ir_value *start;
    if (ir_type_has_static_shape(starts)) {
        start = hlo_zeros(r->b, starts);
    } else {
        ir_value *whole = hlo_shape_of(r->b, r->sizes);
        int64_t from = 0, to = (int64_t)r->batch.n, by = 1;
        ir_value *batch = hlo_slice(r->b, whole, &from, &to, &by);
        start = ir_build1(
            r->b, STABLEHLO_OP(dynamic_broadcast_in_dim), starts,
            IR_VALUES(hlo_int(r->b, r->i64, 0), batch),
            IR_ATTRS({"broadcast_dimensions", ir_dense_i64_array(r->b->ctx, NULL, 0)}));
    }
    for (size_t i = 0; i < t->count; i++)
        shape[i] = i == dim ? t->dims[i] : 1;
    ir_type index_type = ir_tensor_type(r->i64, shape, t->count, NULL);
    if (t->dims[dim] != IR_DYNAMIC) {
        r->iota = hlo_iota(r->b, index_type, (int64_t)dim);
    } else {
        ir_value *parts[CAPACITY];
        for (size_t i = 0; i < t->count; i++)
            parts[i] = i == dim ? asked_vector(r, r->lhs, i) : one_int(r, 1);
        r->iota =
            ir_build1(r->b, STABLEHLO_OP(dynamic_iota), index_type,
                      IR_VALUES(join(r, parts, t->count)),
                      IR_ATTRS({"iota_dimension", ir_i64_attr(r->b->ctx, (int64_t)dim)}));
    }
    if (ir_type_has_static_shape(t)) {
        r->zero = hlo_zeros(r->b, t);
    } else {
        ir_value *none = hlo_zeros(r->b, hlo_scalar_type(t->element));
        r->zero = hlo_broadcast_like(r->b, none, r->lhs, t);
    }
    return start;
}

/* The size of a group, for each batch element. */
static ir_value *group_size(ragged *r, int64_t group)
{
    ir_type t = r->sizes->type;
    int64_t from[CAPACITY] = {0}, to[CAPACITY], by[CAPACITY], shape[CAPACITY];
    size_t last = t->count - 1;
    for (size_t i = 0; i <= last; i++) {
        by[i] = 1;
        to[i] = shape[i] = t->dims[i];
    }
    from[last] = group;
    to[last] = group + 1;
    shape[last] = 1;
    ir_value *piece;
    if (ir_type_has_static_shape(t)) {
        piece = hlo_slice(r->b, r->sizes, from, to, by);
    } else {
        ir_value *start = hlo_integer_constant(r->b, from, t->count);
        ir_value *stride = hlo_integer_constant(r->b, by, t->count), *parts[CAPACITY];
        for (size_t i = 0; i <= last; i++)
            parts[i] = i == last ? hlo_int(r->b, r->i64, group + 1)
                                 : hlo_queried_size(r->b, r->sizes, (int64_t)i);
        for (size_t i = 0; i <= last; i++)
            parts[i] = hlo_as_vector(r->b, parts[i]);
        piece = ir_build1(r->b, STABLEHLO_OP(real_dynamic_slice),
                          ir_tensor_type(t->element, shape, t->count, NULL),
                          IR_VALUES(r->sizes, start, join(r, parts, t->count), stride),
                          NULL, 0);
    }
    ir_value *size = hlo_reshape(r->b, piece, r->batch.at, r->batch.n);
    return t->element == r->i64 ? size : hlo_convert_to(r->b, size, r->i64);
}

/* The left side with zeros outside [start, limit). */
static ir_value *mask(ragged *r, ir_value *start, ir_value *limit)
{
    int64_t at[CAPACITY];
    hlo_math m = {r->b, r->lhs};
    for (int64_t i = 0; i < CAPACITY; i++)
        at[i] = i;
    ir_value *low = broadcast_to_lhs(r, start, at, r->batch.n);
    ir_value *high = broadcast_to_lhs(r, limit, at, r->batch.n);
    ir_value *position = broadcast_to_lhs(r, r->iota, at, r->lhs->type->count);
    ir_value *after = hlo_compare(r->b, STABLEHLO_ComparisonDirection_GE, position, low);
    ir_value *before = hlo_compare(r->b, STABLEHLO_ComparisonDirection_LT, position, high);
    ir_value *inside = hlo_binary(&m, STABLEHLO_and, after, before);
    return hlo_select(r->b, inside, r->lhs, r->zero);
}

/* The group's slice of the right side, without the group dimension. */
static ir_value *rhs_of(ragged *r, int64_t group)
{
    ir_type t = r->rhs->type;
    size_t dim = (size_t)r->rhs_group.at[0], n = 0;
    int64_t from[CAPACITY] = {0}, to[CAPACITY], by[CAPACITY], shape[CAPACITY],
            cut[CAPACITY];
    for (size_t i = 0; i < t->count; i++) {
        by[i] = 1;
        cut[i] = to[i] = t->dims[i];
        if (i != dim)
            shape[n++] = t->dims[i];
    }
    from[dim] = group;
    to[dim] = group + 1;
    cut[dim] = 1;
    if (ir_type_has_static_shape(t))
        return hlo_reshape(r->b, hlo_slice(r->b, r->rhs, from, to, by), shape, n);
    ir_value *starts[CAPACITY], *limits[CAPACITY], *left[CAPACITY];
    for (size_t i = 0, k = 0; i < t->count; i++) {
        starts[i] = one_int(r, from[i]);
        limits[i] = i == dim ? one_int(r, group + 1) : asked_vector(r, r->rhs, i);
        if (i != dim)
            left[k++] = limits[i];
    }
    ir_value *start = join(r, starts, t->count), *limit = join(r, limits, t->count);
    ir_value *stride = hlo_integer_constant(r->b, by, t->count);
    ir_value *piece = ir_build1(r->b, STABLEHLO_OP(real_dynamic_slice),
                                ir_tensor_type(t->element, cut, t->count, NULL),
                                IR_VALUES(r->rhs, start, limit, stride), NULL, 0);
    return ir_build1(r->b, STABLEHLO_OP(dynamic_reshape),
                     ir_tensor_type(t->element, shape, n, NULL),
                     IR_VALUES(piece, join(r, left, n)), NULL, 0);
}

static ir_value *product(ragged *r, ir_type type, ir_value *lhs, ir_value *rhs,
                         const dims *rhs_batch, const dims *rhs_contract)
{
    ir_context *ctx = r->b->ctx;
    const dims *lists[] = {&r->lhs_batch, rhs_batch, &r->lhs_contract, rhs_contract};
    ir_attr params[4];
    for (size_t i = 0; i < 4; i++) {
        ir_attr items[CAPACITY];
        for (size_t k = 0; k < lists[i]->n; k++)
            items[k] = ir_raw_int(ctx, lists[i]->at[k]);
        params[i] = ir_array_attr(ctx, items, lists[i]->n);
    }
    ir_attr numbers = ir_dialect_attr(ctx, STABLEHLO_ATTR(dot), params, 4);
    return ir_build1(
        r->b, STABLEHLO_OP(dot_general), type, IR_VALUES(lhs, rhs),
        IR_ATTRS({"dot_dimension_numbers", numbers}, {"precision_config", r->precision}));
}

/* ---- the three kinds ---------------------------------------------------------------- */

static ir_value *add(ragged *r, ir_value *x, ir_value *y)
{
    return ir_build1(r->b, STABLEHLO_OP(add), x->type, IR_VALUES(x, y), NULL, 0);
}

static bool free_dimension(ragged *r)
{
    if (r->rhs_group.n != 1 || r->lhs_ragged.n != 1)
        return false;
    int64_t group = r->rhs_group.at[0], groups = r->rhs->type->dims[group];
    if (groups == IR_DYNAMIC || groups < 1)
        return false;
    dims batch = r->rhs_batch, contract = r->rhs_contract;
    for (size_t i = 0; i < batch.n; i++)
        batch.at[i] -= batch.at[i] > group;
    for (size_t i = 0; i < contract.n; i++)
        contract.at[i] -= contract.at[i] > group;
    ir_value *start = prepare(r), *sum = NULL;
    for (int64_t i = 0; i < groups; i++) {
        ir_value *limit = add(r, start, group_size(r, i));
        ir_value *lhs = mask(r, start, limit);
        ir_value *part =
            product(r, r->op->results[0].type, lhs, rhs_of(r, i), &batch, &contract);
        sum = sum ? add(r, sum, part) : part;
        start = limit;
    }
    return c2s_done(r->op, sum);
}

/* v with a leading unit dimension. */
static ir_value *in_front(ragged *r, ir_value *v)
{
    ir_type t = v->type;
    int64_t shape[CAPACITY] = {1};
    for (uint32_t i = 0; i < t->count; i++)
        shape[1 + i] = t->dims[i];
    if (ir_type_has_static_shape(t))
        return hlo_reshape(r->b, v, shape, t->count + 1);
    ir_value *parts[CAPACITY] = {one_int(r, 1)};
    for (uint32_t i = 0; i < t->count; i++)
        parts[1 + i] = asked_vector(r, v, i);
    return ir_build1(r->b, STABLEHLO_OP(dynamic_reshape),
                     ir_tensor_type(t->element, shape, t->count + 1, NULL),
                     IR_VALUES(v, join(r, parts, t->count + 1)), NULL, 0);
}

static bool contracted_dimension(ragged *r)
{
    enum { MAX_GROUPS = 4096 };
    ir_type t = r->op->results[0].type;
    int64_t groups = r->sizes->type->dims[r->sizes->type->count - 1];
    if (groups == IR_DYNAMIC || groups < 1 || groups > MAX_GROUPS || r->lhs_ragged.n != 1 ||
        t->count >= CAPACITY)
        return false;
    ir_type part = ir_tensor_type(t->element, t->dims + 1, t->count - 1, NULL);
    ir_value *start = prepare(r);
    ir_value *parts[MAX_GROUPS];
    for (int64_t i = 0; i < groups; i++) {
        ir_value *limit = add(r, start, group_size(r, i));
        parts[i] = product(r, part, mask(r, start, limit), r->rhs, &r->rhs_batch,
                           &r->rhs_contract);
        start = limit;
    }
    for (int64_t i = 0; i < groups; i++)
        parts[i] = in_front(r, parts[i]);
    return c2s_done(r->op, hlo_concatenate(r->b, t, parts, (size_t)groups, 0));
}

bool c2s_ragged_dot(ir_op *op, ir_builder *b)
{
    ir_attr numbers = ir_op_attr(op, "ragged_dot_dimension_numbers");
    ragged r = {.op = op, .b = b};
    r.lhs = op->operands[0].value;
    r.rhs = op->operands[1].value;
    r.sizes = op->operands[2].value;
    ir_value *all[] = {r.lhs, r.rhs, r.sizes, &op->results[0]};
    for (size_t i = 0; i < TW_COUNT(all); i++)
        if (!ir_type_is_tensor(all[i]->type) || all[i]->type->count >= CAPACITY)
            return false;
    r.i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    r.precision = convert_precision(b->ctx, ir_op_attr(op, "precision_config"));
    r.lhs_batch = read_dims(numbers, "lhsBatchingDimensions");
    r.rhs_batch = read_dims(numbers, "rhsBatchingDimensions");
    r.lhs_contract = read_dims(numbers, "lhsContractingDimensions");
    r.rhs_contract = read_dims(numbers, "rhsContractingDimensions");
    r.lhs_ragged = read_dims(numbers, "lhsRaggedDimensions");
    r.rhs_group = read_dims(numbers, "rhsGroupDimensions");
    if (r.sizes->type->count == 0)
        return false;
    r.batch.n = r.sizes->type->count - 1;
    for (size_t i = 0; i < r.batch.n; i++)
        r.batch.at[i] = r.sizes->type->dims[i];
    if (r.lhs->type->count < r.rhs->type->count)
        return free_dimension(&r);
    if (r.lhs->type->count < op->results[0].type->count)
        return contracted_dimension(&r);
    return c2s_done(
        op, product(&r, op->results[0].type, r.lhs, r.rhs, &r.rhs_batch, &r.rhs_contract));
}
