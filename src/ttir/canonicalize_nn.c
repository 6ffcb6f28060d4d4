/* canonicalize_nn.c: canonical forms of ttir operations that other operations say
 * better: small convolutions, reshapes around products, caches, selections of one. */
#include "mlir/passes/canonical.h"
#include "ttir/build.h"
#include "ttir/ttir_hooks.h"

/* ---- bounds ------------------------------------------------------------------------- */

static ir_value *spread(rw_rewriter *rw, ir_value *v, ir_type to)
{
    int64_t dims[TTIR_MAX_DIMS];
    uint32_t missing = to->count - v->type->count;
    for (uint32_t i = 0; i < to->count; i++)
        dims[i] = i < missing ? 1 : v->type->dims[i - missing];
    v = ttir_build_reshape(&rw->b, v, dims, to->count);
    return ttir_build_broadcast_to(&rw->b, v, to->dims);
}

/* Bounds that are not of the result's shape are repeated to it. */
static bool spread_bounds(ir_op *op, rw_rewriter *rw)
{
    ir_type type = op->results[0].type;
    ir_value *low = op->operands[1].value, *high = op->operands[2].value;
    if (type->count > TTIR_MAX_DIMS || low->type->count > type->count ||
        high->type->count > type->count ||
        (ttir_same_shape(low->type, type) && ttir_same_shape(high->type, type)))
        return false;
    low = spread(rw, low, type);
    high = spread(rw, high, type);
    rw_replace1(rw, op,
                ir_build1(&rw->b, op->def, type,
                          IR_VALUES(op->operands[0].value, low, high), NULL, 0));
    return true;
}

/* ---- convolutions ------------------------------------------------------------------- */

/* One number for all three, or three. */
static bool all_three(const ir_op *op, const char *name, int64_t value)
{
    int64_t v[3] = {0};
    ir_attr a = ir_op_attr(op, name);
    if (ir_attr_is(a, IR_ATTR_INTEGER))
        return a->value == value;
    return ir_attr_ints(a, v, 3) == 3 && v[0] == value && v[1] == value && v[2] == value;
}

static bool is_pointwise(const ir_op *op)
{
    static const struct {
        const char *name;
        int64_t at;
    } dims[] = {{"batch_dim", 0},
                {"depth_dim", 1},
                {"height_dim", 2},
                {"width_dim", 3},
                {"channel_dim", 4}};
    ir_type w = op->operands[1].value->type;
    for (size_t i = 0; i < TW_COUNT(dims); i++)
        if (ir_op_int(op, dims[i].name, dims[i].at) != dims[i].at)
            return false;
    return ir_op_int(op, "groups", 1) == 1 && w->count == 5 && w->dims[2] == 1 &&
           w->dims[3] == 1 && w->dims[4] == 1 && all_three(op, "stride", 1) &&
           all_three(op, "padding", 0);
}

/* A window of one point is a product with the weight's channels. */
static bool conv3d_to_product(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value, *w = op->operands[1].value;
    ir_type type = op->results[0].type;
    if (!is_pointwise(op) || x->type->count != 5 || type->count != 5)
        return false;
    const int64_t *dims = x->type->dims;
    int64_t rows = dims[0] * dims[1] * dims[2] * dims[3], in = dims[4],
            out = w->type->dims[0];
    x = ttir_build_reshape(&rw->b, x, (int64_t[]){rows, in}, 2);
    w = ttir_build_reshape(&rw->b, w, (int64_t[]){out, in}, 2);
    ir_type product = ir_type_with_shape(type, (int64_t[]){rows, out}, 2);
    ir_attr yes = ir_bool_attr(op->ctx, true), no = ir_bool_attr(op->ctx, false);
    ir_value *bias = ir_op_operand_named(op, "bias"), *made;
    if (bias)
        bias = ttir_build_reshape(&rw->b, bias, &out, 1);
    if (bias)
        made = ir_build1(&rw->b, TTIR_OP(linear), product, IR_VALUES(x, w, bias),
                         IR_ATTRS({"transpose_a", no}, {"transpose_b", yes}));
    else
        made = ir_build1(&rw->b, TTIR_OP(matmul), product, IR_VALUES(x, w),
                         IR_ATTRS({"transpose_a", no}, {"transpose_b", yes}));
    rw_replace1(rw, op, ttir_build_reshape(&rw->b, made, type->dims, 5));
    return true;
}

/* ---- reshapes around operations ------------------------------------------------------ */

/* The only user if it is of that row. */
static ir_op *only_user(const ir_value *v, const ir_op_def *def)
{
    return ir_value_has_one_use(v) && v->uses->owner->def == def ? v->uses->owner : NULL;
}

/* How many leading dimensions of `wide` are the first one of `narrow`; 0: it is another
 * kind of reshape. */
static uint32_t merged(ir_type wide, ir_type narrow)
{
    if (narrow->count >= wide->count || narrow->count == 0)
        return 0;
    uint32_t n = wide->count - narrow->count + 1;
    int64_t product = 1;
    for (uint32_t i = 0; i < n; i++)
        product *= wide->dims[i];
    for (uint32_t i = n; i < wide->count; i++)
        if (wide->dims[i] != narrow->dims[i - n + 1])
            return 0;
    return product == narrow->dims[0] ? n : 0;
}

/* Leading dimensions made one for both sides and split again after the matmul. */
static bool product_of_merged(ir_op *op, rw_rewriter *rw)
{
    ir_op *split = only_user(&op->results[0], TTIR_OP(reshape));
    ir_op *a = ttir_producer(op->operands[0].value, TTIR_OP(reshape));
    ir_op *b = ttir_producer(op->operands[1].value, TTIR_OP(reshape));
    if (!split || !a || !b || op->results[0].type->count < 3)
        return false;
    ir_value *x = a->operands[0].value, *y = b->operands[0].value;
    ir_type out = split->results[0].type;
    uint32_t n = merged(x->type, a->results[0].type);
    if (n == 0 || merged(y->type, b->results[0].type) != n ||
        merged(out, op->results[0].type) != n ||
        memcmp(x->type->dims, y->type->dims, n * sizeof *x->type->dims) != 0 ||
        memcmp(x->type->dims, out->dims, n * sizeof *out->dims) != 0)
        return false;
    ir_op *made = ttir_build_like(&rw->b, op, (ir_value *[]){x, y}, out);
    rw_replace1(rw, split, &made->results[0]);
    return true;
}

/* reshape(permute(reshape(x))) that only takes ones off the front can do without them. */
static bool permute_without_ones(ir_op *op, rw_rewriter *rw)
{
    ir_op *permute = ttir_only_producer(op->operands[0].value, TTIR_OP(permute));
    ir_op *before =
        permute ? ttir_producer(permute->operands[0].value, TTIR_OP(reshape)) : NULL;
    int64_t order[TTIR_MAX_DIMS], kept[TTIR_MAX_DIMS];
    if (!before)
        return false;
    ir_type wide = permute->results[0].type, narrow = op->results[0].type;
    if (narrow->count >= wide->count ||
        ttir_numbers(permute, "permutation", order) != wide->count)
        return false;
    uint32_t n = wide->count - narrow->count;
    for (uint32_t i = 0; i < wide->count; i++)
        if (i < n ? wide->dims[i] != 1 || order[i] >= n
                  : wide->dims[i] != narrow->dims[i - n])
            return false;
    for (uint32_t i = n; i < wide->count; i++)
        kept[i - n] = order[i] - n;
    ir_value *v = ttir_build_reshape(&rw->b, before->operands[0].value,
                                     before->results[0].type->dims + n, narrow->count);
    rw_replace1(rw, op, ttir_build_permute(&rw->b, v, kept));
    return true;
}

/* Indices between reshapes are looked up without dimensions of one. */
static bool embedding_without_ones(ir_op *op, rw_rewriter *rw)
{
    ir_value *index = op->operands[0].value;
    ir_type from = index->type, type = op->results[0].type;
    int64_t dims[TTIR_MAX_DIMS];
    uint32_t n = 0;
    if (!ttir_producer(index, TTIR_OP(reshape)) || !op->results[0].uses || type->encoding ||
        type->count > TTIR_MAX_DIMS)
        return false;
    for (const ir_operand *u = op->results[0].uses; u; u = u->next_use)
        if (u->owner->def != TTIR_OP(reshape))
            return false;
    for (uint32_t i = 0; i < from->count; i++)
        if (from->dims[i] != 1)
            dims[n++] = from->dims[i];
    if (n == 0)
        dims[n++] = 1;
    if (n == from->count)
        return false;
    index = ttir_build_reshape(&rw->b, index, dims, n);
    dims[n] = type->dims[type->count - 1];
    ir_value *made = ir_build1(&rw->b, op->def, ir_type_with_shape(type, dims, n + 1),
                               IR_VALUES(index, op->operands[1].value), NULL, 0);
    rw_replace1(rw, op, ttir_build_reshape(&rw->b, made, type->dims, type->count));
    return true;
}

/* ---- others ------------------------------------------------------------------------- */

/* A product of booleans is their minimum. */
static bool prod_to_min(ir_op *op, rw_rewriter *rw)
{
    if (!ttir_is_boolean(op->operands[0].value))
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(min), op->results[0].type,
                          IR_VALUES(op->operands[0].value),
                          IR_ATTRS({"keep_dim", ir_op_attr(op, "keep_dim")},
                                   {"dim_arg", ir_op_attr(op, "dim_arg")})));
    return true;
}

/* Of one element that one is chosen, at index 0. */
static bool topk_of_one(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value;
    ir_type indices = op->results[1].type;
    int64_t dim = ttir_dim(ir_op_int(op, "dim", -1), x->type->count);
    if (dim < 0 || dim >= x->type->count || x->type->dims[dim] != 1 ||
        x->type != op->results[0].type)
        return false;
    ir_value *zeros = ir_build1(
        &rw->b, TTIR_OP(zeros), indices, NULL, 0,
        IR_ATTRS({"shape", ir_dense_i32_array(op->ctx, indices->dims, indices->count)}));
    rw_replace(rw, op, (ir_value *[]){x, zeros}, 2);
    return true;
}

/* The form that writes a row of each user's cache, which hardware has.  The input's users
 * come first there; one index for all is repeated. */
static bool update_to_paged(ir_op *op, rw_rewriter *rw)
{
    ir_value *cache = op->operands[0].value, *in = op->operands[1].value,
             *at = op->operands[2].value;
    if (cache->type->count != 4 || in->type->count != 4 || at->type->count != 1 ||
        ir_op_int(op, "batch_offset", 0) != 0)
        return false;
    int64_t users = cache->type->dims[0];
    if (in->type->dims[0] != 1 || in->type->dims[2] != users ||
        (at->type->dims[0] != 1 && at->type->dims[0] != users))
        return false;
    static const int64_t users_first[] = {0, 2, 1, 3};
    int64_t dims[4];
    for (int i = 0; i < 4; i++)
        dims[i] = in->type->dims[users_first[i]];
    in = ir_build1(&rw->b, TTIR_OP(permute), ir_type_with_shape(in->type, dims, 4),
                   IR_VALUES(in),
                   IR_ATTRS({"permutation", ir_dense_i64_array(op->ctx, users_first, 4)}));
    if (at->type->dims[0] != users)
        at = ir_build1(
            &rw->b, TTIR_OP(repeat), ir_type_with_shape(at->type, &users, 1), IR_VALUES(at),
            IR_ATTRS({"repeat_dimensions", ir_dense_i64_array(op->ctx, &users, 1)}));
    ir_build_op(&rw->b, TTIR_OP(paged_update_cache), NULL, 0,
                (ir_value *[]){cache, in, at, NULL}, 4,
                IR_ATTRS({"share_cache", ir_bool_attr(op->ctx, false)}), 0);
    rw_erase(rw, op);
    return true;
}

/* There and back again. */
static bool undo_cast(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = ttir_producer(op->operands[0].value, op->def);
    if (!inner || inner->operands[0].value->type != op->results[0].type)
        return false;
    return rw_replace_if_kept(rw, op, inner->operands[0].value);
}

/* Uninitialized contents have any layout. */
static bool layout_of_empty(ir_op *op, rw_rewriter *rw)
{
    if (!ttir_producer(op->operands[0].value, TTIR_OP(empty)) || op->n_results != 1)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, TTIR_OP(empty), op->results[0].type, NULL, 0, NULL, 0));
    return true;
}

static const rw_pattern patterns[] = {
    {TTIR_OP(clamp_tensor), spread_bounds, "ttir.SpreadBounds"},
    {TTIR_OP(conv3d), conv3d_to_product, "ttir.Conv3dToProduct"},
    {TTIR_OP(embedding), embedding_without_ones, "ttir.EmbeddingWithoutOnes"},
    {TTIR_OP(matmul), product_of_merged, "ttir.ProductOfMerged"},
    {TTIR_OP(prod), prod_to_min, "ttir.ProdToMin"},
    {TTIR_OP(reshape), permute_without_ones, "ttir.PermuteWithoutOnes"},
    {TTIR_OP(to_layout), layout_of_empty, "ttir.LayoutOfEmpty"},
    {TTIR_OP(topk), topk_of_one, "ttir.TopKOfOne"},
    {TTIR_OP(ttnn_metal_layout_cast), undo_cast, "ttir.UndoCast"},
    {TTIR_OP(update_cache), update_to_paged, "ttir.UpdateToPaged"},
};

const rw_pattern_table canonicalize_ttir_nn = {patterns, TW_COUNT(patterns)};
