/* canonicalize_reshard.c: canonicalizes sdy.reshard: chains, and reshards of the same
 * data, also through reshapes and transposes. */
#include "mlir/passes/canonical.h"
#include "sdy/sdy.h"
#include "sdy/sdy_verify.h"
#include "stablehlo/stablehlo.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_STRIDES = 128, MAX_RANK = 64, MAX_VALUES = 256 };

static bool reshard_of_reshard(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = ir_value_def(op->operands[0].value);
    if (!ir_op_is(inner, op->def) || !ir_value_has_one_use(&inner->results[0]))
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, op->def, op->results[0].type,
                          IR_VALUES(inner->operands[0].value),
                          IR_ATTRS({"sharding", ir_op_attr(op, "sharding")})));
    return true;
}

/* ---- elements held by a device ------------------------------------------------------ */

/* Distance in the data between neighbouring devices along an axis. */
typedef struct stride {
    ir_attr axis;
    double distance;
} stride;

typedef struct strides {
    stride at[MAX_STRIDES];
    size_t n;
} strides;

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * TW_MAX(fabs(a), fabs(b));
}

/* Inserts sorted by distance; equal ones keep their order. */
static bool add_stride(strides *s, stride x)
{
    size_t k = s->n;
    if (s->n == MAX_STRIDES)
        return false;
    for (; k > 0 && s->at[k - 1].distance > x.distance; k--)
        s->at[k] = s->at[k - 1];
    s->at[k] = x;
    s->n++;
    return true;
}

static bool find_strides(ir_attr sharding, ir_type type, ir_attr mesh, strides *out)
{
    strides all = {.n = 0};
    double stride_after = 1;
    if (sdy_sharding_rank(sharding) != type->count)
        return false;
    for (uint32_t d = type->count; d-- > 0;) {
        ir_attr axes = sharding->params[1]->items[d]->params[0];
        int64_t shards = 1;
        for (uint32_t i = 0; i < sdy_length(axes); i++)
            shards *= sdy_axis_size(mesh, axes->items[i]);
        int64_t rows = (type->dims[d] + shards - 1) / shards;
        double distance = stride_after * (double)rows;
        for (uint32_t i = sdy_length(axes); i-- > 0;) {
            if (!add_stride(&all, (stride){axes->items[i], distance}))
                return false;
            distance *= (double)sdy_axis_size(mesh, axes->items[i]);
        }
        stride_after *= (double)type->dims[d];
    }
    out->n = 0;
    for (size_t i = 0; i < all.n; i++) { /* adjacent entries that form one axis */
        stride *last = out->n ? &out->at[out->n - 1] : NULL;
        stride x = all.at[i];
        if (last && sdy_axes_join(x.axis, last->axis) &&
            near(x.distance, last->distance * (double)sdy_axis_size(mesh, last->axis)))
            last->axis = sdy_axis_joined(x.axis, last->axis, mesh);
        else
            out->at[out->n++] = x;
    }
    return true;
}

/* True if both shardings place the same elements, in linear order, on each device. */
static bool same_placement(ir_op *op, ir_attr a, ir_type type_a, ir_attr b, ir_type type_b)
{
    strides x, y;
    ir_attr mesh = sdy_mesh_of(op, a);
    if (a == b && type_a == type_b)
        return true;
    if (!mesh || a->params[0] != b->params[0] || a->params[2] != b->params[2] ||
        type_a->kind != IR_TYPE_TENSOR || type_b->kind != IR_TYPE_TENSOR ||
        type_a->encoding || type_b->encoding || !ir_type_has_static_shape(type_a) ||
        !ir_type_has_static_shape(type_b) || !find_strides(a, type_a, mesh, &x) ||
        !find_strides(b, type_b, mesh, &y) || x.n != y.n)
        return false;
    for (size_t i = 0; i < x.n; i++)
        if (x.at[i].axis != y.at[i].axis || !near(x.at[i].distance, y.at[i].distance))
            return false;
    return true;
}

/* ---- one reshard for all ------------------------------------------------------------ */

static bool is_reshape(const ir_op *op)
{
    return ir_op_is(op, STABLEHLO_OP(reshape));
}

static bool is_transpose(const ir_op *op)
{
    return ir_op_is(op, STABLEHLO_OP(transpose));
}

static ir_value *root_of(ir_value *v)
{
    for (ir_op *op; (op = ir_value_def(v)) && (is_reshape(op) || is_transpose(op));)
        v = op->operands[0].value;
    return v;
}

static ir_attr before_transpose(ir_attr sharding, const ir_op *transpose)
{
    int64_t order[MAX_RANK];
    ir_attr dims[MAX_RANK], params[5];
    uint32_t rank = sdy_sharding_rank(sharding);
    int64_t n = ir_attr_ints(ir_op_attr(transpose, "permutation"), order, MAX_RANK);
    if (n != rank || rank > MAX_RANK)
        return NULL;
    for (uint32_t i = 0; i < rank; i++) {
        if (order[i] < 0 || order[i] >= rank)
            return NULL;
        dims[order[i]] = sharding->params[1]->items[i];
    }
    memcpy(params, sharding->params, sizeof params);
    params[1] = ir_array_attr(sharding->ctx, dims, rank);
    return ir_dialect_attr(sharding->ctx, SDY_ATTR(sharding), params, TW_COUNT(params));
}

/* The sharding of the data before its transposition; NULL if none is equivalent. */
static ir_attr sharding_at_root(ir_attr sharding, ir_value *v)
{
    for (ir_op *op; sharding && (op = ir_value_def(v));) {
        if (is_transpose(op))
            sharding = before_transpose(sharding, op);
        else if (!is_reshape(op) || op->operands[0].value->type->count != v->type->count)
            break;
        v = op->operands[0].value;
    }
    return sharding;
}

/* An earlier reshard of the root, or of a reshape of it, with the same placement. */
static ir_value *find_reshard(ir_value *root, ir_attr sharding, ir_op *op)
{
    ir_value *work[MAX_VALUES];
    size_t n = 0;
    work[n++] = root;
    while (n) {
        ir_value *v = work[--n];
        for (ir_operand *use = v->uses; use; use = use->next_use) {
            ir_op *user = use->owner;
            if (user == op)
                continue;
            if (is_reshape(user) && n < MAX_VALUES)
                work[n++] = &user->results[0];
            if (user->def == op->def && user->block == op->block &&
                ir_op_before(user, op) &&
                same_placement(op, ir_op_attr(user, "sharding"), user->results[0].type,
                               sharding, op->results[0].type))
                return &user->results[0];
        }
    }
    return NULL;
}

/* Rebuilds on `value` the ops that produced `target` from `root`. */
static ir_value *again(rw_rewriter *rw, ir_value *root, ir_value *target, ir_value *value)
{
    if (target == root)
        return value;
    ir_op *op = ir_value_def(target);
    ir_value *input = again(rw, root, op->operands[0].value, value);
    ir_op *copy = ir_op_clone(op, NULL);
    ir_op_set_operand(copy, 0, input);
    ir_op_insert_before(copy, rw->b.before);
    rw_modified(rw, copy);
    return &copy->results[0];
}

static bool reuse_reshard(ir_op *op, rw_rewriter *rw)
{
    ir_value *input = op->operands[0].value, *root = root_of(input);
    ir_attr sharding = sharding_at_root(ir_op_attr(op, "sharding"), input);
    ir_value *found = sharding ? find_reshard(root, sharding, op) : NULL;
    if (!found)
        return false;
    rw->b.before = ir_value_def(found)->next;
    if (found->type != root->type)
        found =
            ir_build1(&rw->b, STABLEHLO_OP(reshape), root->type, IR_VALUES(found), NULL, 0);
    rw_replace1(rw, op, again(rw, root, input, found));
    return true;
}

static const rw_pattern patterns[] = {
    {SDY_OP(reshard), reuse_reshard, NULL},
    {SDY_OP(reshard), reshard_of_reshard, "sdy-reshard"},
};

const rw_pattern_table canonicalize_sdy_reshard = {patterns, TW_COUNT(patterns)};
