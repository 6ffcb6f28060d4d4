/* complex_data_type.c: stablehlo-complex-data-type-conversion: converts a tensor of
 * complex numbers to one of real numbers with an extra trailing dimension of two.
 *
 * A value exists packed in this way, as its two parts, or both, as its users require:
 * data movement uses it packed, arithmetic uses the parts.  The missing form is created
 * once, after the value's definition.  Sums, dot products and Fourier transforms are
 * expressed on the parts; other functions must be expanded by
 * stablehlo-complex-math-expander before. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "stablehlo/build.h"
#include "stablehlo/expand/complex_parts.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

/* ---- types and values --------------------------------------------------------------- */

static bool is_complex(ir_type t)
{
    return ir_type_is_tensor(t) && t->element->kind == IR_TYPE_COMPLEX;
}

/* Arguments have their new type before their users are visited. */
static bool is_known(const hlo_complex_rewrite *c, const ir_value *v)
{
    return is_complex(v->type) || ir_mapping_get(c->parts, v);
}

static ir_type part_type(ir_type t)
{
    return is_complex(t) ? ir_type_with_element(t, t->element->element) : t;
}

static ir_type packed_type(ir_type t)
{
    int64_t dims[HLO_PARTS_RANK + 1];
    if (!is_complex(t) || t->count > HLO_PARTS_RANK)
        return t;
    memcpy(dims, t->dims, t->count * sizeof *dims);
    dims[t->count] = 2;
    return ir_tensor_type(t->element->element, dims, t->count + 1, t->encoding);
}

static hlo_parts *parts_of(hlo_complex_rewrite *c, const ir_value *v)
{
    hlo_parts *p = ir_mapping_get(c->parts, v);
    if (!p) {
        p = TW_ARENA_NEW(&c->arena, hlo_parts);
        ir_mapping_set(c->parts, v, p);
    }
    return p;
}

void hlo_set_parts(hlo_complex_rewrite *c, const ir_value *v, ir_value *re, ir_value *im)
{
    *parts_of(c, v) = (hlo_parts){.re = re, .im = im};
}

static void set_packed(hlo_complex_rewrite *c, const ir_value *v, ir_value *packed)
{
    *parts_of(c, v) = (hlo_parts){.packed = packed};
}

static ir_builder after_value(const ir_value *v)
{
    ir_op *def = ir_value_def(v);
    if (def)
        return ir_builder_after(def);
    ir_block *block = ir_value_block(v);
    return ir_builder_before(block->first); /* every block has a terminator */
}

static ir_value *transpose(ir_builder *b, ir_value *v, const int64_t *order)
{
    int64_t dims[HLO_PARTS_RANK + 1];
    for (uint32_t i = 0; i < v->type->count; i++)
        dims[i] = v->type->dims[order[i]];
    ir_type t = ir_tensor_type(v->type->element, dims, v->type->count, NULL);
    return ir_build1(
        b, STABLEHLO_OP(transpose), t, IR_VALUES(v),
        IR_ATTRS({"permutation", ir_dense_i64_array(b->ctx, order, v->type->count)}));
}

/* Concatenates both parts along a new leading dimension and moves it to the end. */
static ir_value *pack(ir_builder *b, ir_value *re, ir_value *im)
{
    const size_t rank = re->type->count;
    int64_t dims[HLO_PARTS_RANK + 1] = {1}, order[HLO_PARTS_RANK + 1];
    memcpy(dims + 1, re->type->dims, rank * sizeof *dims);
    ir_value *both[] = {hlo_reshape(b, re, dims, rank + 1),
                        hlo_reshape(b, im, dims, rank + 1)};
    dims[0] = 2;
    ir_type t = ir_tensor_type(re->type->element, dims, rank + 1, NULL);
    for (size_t i = 0; i <= rank; i++)
        order[i] = i < rank ? (int64_t)i + 1 : 0;
    return transpose(b, hlo_concatenate(b, t, both, 2, 0), order);
}

static ir_value *packed_of(hlo_complex_rewrite *c, ir_value *v)
{
    hlo_parts *p = parts_of(c, v);
    if (!p->packed) {
        ir_builder b = after_value(v); /* the replaced operation is still in place */
        p->packed = pack(&b, p->re, p->im);
    }
    return p->packed;
}

static void unpack(hlo_parts *p)
{
    ir_builder b = after_value(p->packed);
    const size_t rank = p->packed->type->count;
    int64_t order[HLO_PARTS_RANK + 1], dims[HLO_PARTS_RANK + 1], start[HLO_PARTS_RANK + 1],
        stride[HLO_PARTS_RANK + 1];
    ir_value *out[2];
    for (size_t i = 0; i < rank; i++) {
        order[i] = i ? (int64_t)i - 1 : (int64_t)rank - 1;
        stride[i] = 1;
    }
    ir_value *leading = transpose(&b, p->packed, order);
    for (int64_t k = 0; k < 2; k++) {
        memcpy(dims, leading->type->dims, rank * sizeof *dims);
        memset(start, 0, sizeof start);
        start[0] = k;
        dims[0] = k + 1;
        ir_value *one = hlo_slice(&b, leading, start, dims, stride);
        out[k] = hlo_reshape(&b, one, leading->type->dims + 1, rank - 1);
    }
    p->re = out[0];
    p->im = out[1];
}

hlo_parts *hlo_parts_of(hlo_complex_rewrite *c, ir_value *v)
{
    hlo_parts *p = parts_of(c, v);
    if (!p->re)
        unpack(p);
    return p;
}

/* ---- operations --------------------------------------------------------------------- */

static ir_walk to_parts(ir_op *op, void *user)
{
    (void)user;
    for (uint32_t i = 0; i < op->n_results; i++)
        op->results[i].type = part_type(op->results[i].type);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                b->args[i]->type = part_type(b->args[i]->type);
    return IR_WALK_ON;
}

/* The operation on one part of each operand: bit i of `imaginary` for operand i. */
static ir_op *on_parts(hlo_complex_rewrite *c, ir_op *op, uint32_t imaginary)
{
    ir_mapping *map = ir_mapping_create();
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        if (is_known(c, v))
            ir_mapping_set(map, v, hlo_parts_of(c, v)->re);
    }
    ir_op *made = ir_op_clone(op, map);
    ir_op_insert_before(made, op);
    for (uint32_t i = 0; i < op->n_operands; i++) { /* a value may be used in both forms */
        ir_value *v = op->operands[i].value;
        if (is_known(c, v))
            ir_op_set_operand(made, i,
                              imaginary >> i & 1 ? hlo_parts_of(c, v)->im
                                                 : hlo_parts_of(c, v)->re);
    }
    ir_mapping_free(map);
    ir_walk_pre(made, to_parts, NULL);
    return made;
}

static bool make_complex(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    (void)b;
    hlo_set_parts(c, &op->results[0], op->operands[0].value, op->operands[1].value);
    return true;
}

static bool take_part(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    (void)b;
    ir_value *x = op->operands[0].value, *zero;
    if (!is_known(c, x)) { /* a real number */
        zero = op->def == STABLEHLO_OP(imag) ? hlo_zeros(b, x->type) : x;
        ir_value_replace_uses(&op->results[0], zero);
        return true;
    }
    const hlo_parts *p = hlo_parts_of(c, x);
    ir_value_replace_uses(&op->results[0], op->def == STABLEHLO_OP(real) ? p->re : p->im);
    return true;
}

static bool convert_constant(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    ir_attr old = ir_op_attr(op, "value");
    ir_type t = packed_type(op->results[0].type);
    if (!ir_attr_is(old, IR_ATTR_DENSE))
        return false;
    const size_t size = ir_dense_element_size(old->type->element);
    const size_t n = (size_t)ir_type_num_elements(old->type);
    char *data = tw_xmalloc(n * size + 1);
    for (size_t i = 0; i < n; i++)
        memcpy(data + i * size,
               (const char *)old->blob->data + (old->splat & 1 ? 0 : i * size), size);
    if (old->type->count == 0) { /* the padding value must itself be constant */
        ir_type part = part_type(op->results[0].type);
        ir_value *re = hlo_constant(b, ir_dense_attr(part, data, size / 2));
        ir_value *im = hlo_constant(b, ir_dense_attr(part, data + size / 2, size / 2));
        hlo_set_parts(c, &op->results[0], re, im);
    } else {
        set_packed(c, &op->results[0], hlo_constant(b, ir_dense_attr(t, data, n * size)));
    }
    free(data);
    return true;
}

/* The same operation on packed tensors; lists of indices get one for the last dimension. */
static bool move_packed(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    ir_mapping *map = ir_mapping_create();
    (void)b; /* the copy is inserted at the operation */
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (is_known(c, op->operands[i].value))
            ir_mapping_set(map, op->operands[i].value, packed_of(c, op->operands[i].value));
    ir_op *made = ir_op_clone(op, map);
    ir_mapping_free(map);
    ir_op_insert_before(made, op);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        made->results[i].type = packed_type(t);
        if (is_complex(t))
            set_packed(c, &op->results[i], &made->results[i]);
        else
            ir_value_replace_uses(&op->results[i], &made->results[i]);
    }
    c->made = made;
    return true;
}

static void extend(ir_op *op, const char *name, int64_t more)
{
    int64_t list[HLO_PARTS_RANK + 1];
    int64_t n = ir_attr_ints(ir_op_attr(op, name), list, HLO_PARTS_RANK);
    list[TW_MAX(n, 0)] = more;
    ir_op_set_attr(op, name, ir_dense_i64_array(op->ctx, list, (size_t)TW_MAX(n, 0) + 1));
}

static bool move_slice(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    move_packed(c, op, b);
    extend(c->made, "start_indices", 0);
    extend(c->made, "limit_indices", 2);
    extend(c->made, "strides", 1);
    return true;
}

static bool move_broadcast(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    move_packed(c, op, b);
    extend(c->made, "broadcast_dimensions", (int64_t)op->results[0].type->count);
    return true;
}

static bool move_gather(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    enum { MAX_PARAMS = 8 };
    int64_t offsets[HLO_PARTS_RANK + 1];
    move_packed(c, op, b);
    ir_attr numbers = ir_op_attr(op, "dimension_numbers");
    int64_t n = ir_attr_ints(ir_attr_param(numbers, "offsetDims"), offsets, HLO_PARTS_RANK);
    if (n < 0)
        return false;
    offsets[n] = (int64_t)op->results[0].type->count;
    ir_attr params[MAX_PARAMS], list[HLO_PARTS_RANK + 1];
    for (int64_t i = 0; i <= n; i++)
        list[i] = ir_raw_int(op->ctx, offsets[i]);
    assert(numbers->count <= MAX_PARAMS);
    memcpy(params, numbers->params, numbers->count * sizeof *params);
    params[0] = ir_array_attr(op->ctx, list, (size_t)n + 1); /* offsetDims */
    extend(c->made, "slice_sizes", 2);
    ir_op_set_attr(c->made, "dimension_numbers",
                   ir_dialect_attr(op->ctx, numbers->def, params, numbers->count));
    return true;
}

/* Applies an operation to both parts separately: moves, additions. */
static bool each_part(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    (void)b;
    ir_op *re = on_parts(c, op, 0), *im = on_parts(c, op, ~0u);
    for (uint32_t i = 0; i < op->n_results; i++)
        hlo_set_parts(c, &op->results[i], &re->results[i], &im->results[i]);
    return true;
}

ir_value *hlo_real_op(ir_builder *b, uint16_t row, ir_value *x, ir_value *y)
{
    ir_value *operands[] = {x, y};
    return ir_build1(b, &stablehlo_ops[row], x->type, operands, y ? 2 : 1, NULL, 0);
}

/* Dot products of all kinds: (a + bi)(c + di) = ac - bd + (ad + bc)i. */
static bool multiply(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    ir_value *of[4];
    if (!is_known(c, op->operands[0].value) || !is_known(c, op->operands[1].value))
        return false;
    for (uint32_t i = 0; i < 4; i++)
        of[i] = &on_parts(c, op, i)->results[0];
    ir_value *re = hlo_real_op(b, STABLEHLO_subtract, of[0], of[3]);
    hlo_set_parts(c, &op->results[0], re, hlo_real_op(b, STABLEHLO_add, of[1], of[2]));
    return true;
}

/* Scales divisor and dividend by the larger part of the divisor, so that no square
 * overflows. */
static bool divide(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    const hlo_parts x = *hlo_parts_of(c, op->operands[0].value);
    const hlo_parts y = *hlo_parts_of(c, op->operands[1].value);
#define OP(row, p, q) hlo_real_op(b, STABLEHLO_##row, p, q)
    ir_value *larger = OP(maximum, OP(abs, y.re, NULL), OP(abs, y.im, NULL));
    ir_value *re = OP(divide, y.re, larger), *im = OP(divide, y.im, larger);
    ir_value *all = OP(add, OP(multiply, y.re, re), OP(multiply, y.im, im));
    ir_value *real = OP(add, OP(multiply, x.re, re), OP(multiply, x.im, im));
    ir_value *imaginary = OP(subtract, OP(multiply, x.im, re), OP(multiply, x.re, im));
    hlo_set_parts(c, &op->results[0], OP(divide, real, all), OP(divide, imaginary, all));
    return true;
}

static ir_value *compare(ir_builder *b, int64_t direction, ir_value *x, ir_value *y)
{
    ir_type t = ir_type_with_element(x->type, ir_integer_type(b->ctx, 1, IR_SIGNLESS));
    return ir_build1(
        b, STABLEHLO_OP(compare), t, IR_VALUES(x, y),
        IR_ATTRS({"comparison_direction",
                  ir_enum_attr(b->ctx, STABLEHLO_ATTR(comparison_direction), direction)}));
}

/* most * sqrt(1 + (least / most)^2); 0 if both parts are. */
static bool absolute(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    const hlo_parts x = *hlo_parts_of(c, op->operands[0].value);
    ir_value *p = OP(abs, x.re, NULL), *q = OP(abs, x.im, NULL);
    ir_value *larger = OP(maximum, p, q), *smaller = OP(minimum, p, q);
    ir_value *ratio = OP(divide, smaller, larger), *zero = hlo_zeros(b, larger->type);
    /* 0 / 0 and inf / inf give NaN: the larger part is the result */
    ir_value *plain = compare(b, STABLEHLO_ComparisonDirection_EQ, ratio, ratio);
    ratio = ir_build1(b, STABLEHLO_OP(select), zero->type, IR_VALUES(plain, ratio, zero),
                      NULL, 0);
    ir_value *square = OP(multiply, ratio, ratio);
    ir_value *root =
        OP(sqrt, OP(add, square, hlo_constant(b, ir_dense_splat(zero->type, 1))), NULL);
    ir_value_replace_uses(&op->results[0], OP(multiply, larger, root));
    return true;
}
#undef OP

static bool equal(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    const int64_t comparison = ir_enum_value(ir_op_attr(op, "comparison_direction"), -1);
    const hlo_parts x = *hlo_parts_of(c, op->operands[0].value);
    const hlo_parts y = *hlo_parts_of(c, op->operands[1].value);
    if (comparison != STABLEHLO_ComparisonDirection_EQ &&
        comparison != STABLEHLO_ComparisonDirection_NE)
        return false;
    ir_value *re = compare(b, comparison, x.re, y.re),
             *im = compare(b, comparison, x.im, y.im);
    ir_value_replace_uses(&op->results[0],
                          hlo_real_op(b,
                                      comparison == STABLEHLO_ComparisonDirection_EQ
                                          ? STABLEHLO_and
                                          : STABLEHLO_or,
                                      re, im));
    return true;
}

/* For bodies that add: each part is reduced separately. */
static bool reduce(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    const ir_block *body = ir_op_body(op, 0);
    bool adds = body && body->first && body->first->def == STABLEHLO_OP(add) &&
                body->first->next == body->last && op->n_results == 1;
    return adds && each_part(c, op, b);
}

/* Between two widths, from a real number, or to one: the real part. */
static bool convert_complex(hlo_complex_rewrite *c, ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_type to = part_type(op->results[0].type);
    const bool from = is_known(c, x);
    ir_value *re = from ? hlo_parts_of(c, x)->re : x, *im = NULL;
    re = ir_build1(b, STABLEHLO_OP(convert), to, IR_VALUES(re), NULL, 0);
    if (!is_complex(op->results[0].type)) {
        ir_value_replace_uses(&op->results[0], re);
        return true;
    }
    im = from ? ir_build1(b, STABLEHLO_OP(convert), to, IR_VALUES(hlo_parts_of(c, x)->im),
                          NULL, 0)
              : hlo_zeros(b, to);
    hlo_set_parts(c, &op->results[0], re, im);
    return true;
}

static const struct {
    const ir_op_def *op;
    bool (*convert)(hlo_complex_rewrite *c, ir_op *op, ir_builder *b);
} conversions[] = {
    {STABLEHLO_OP(complex), make_complex},
    {STABLEHLO_OP(real), take_part},
    {STABLEHLO_OP(imag), take_part},
    {STABLEHLO_OP(constant), convert_constant},
    {STABLEHLO_OP(reshape), move_packed},
    {STABLEHLO_OP(concatenate), move_packed},
    {STABLEHLO_OP(all_to_all), move_packed},
    {STABLEHLO_OP(composite), move_packed},
    {STABLEHLO_OP(optimization_barrier), move_packed},
    {FUNC_OP(call), move_packed},
    {STABLEHLO_OP(slice), move_slice},
    {STABLEHLO_OP(broadcast_in_dim), move_broadcast},
    {STABLEHLO_OP(gather), move_gather},
    {STABLEHLO_OP(add), each_part},
    {STABLEHLO_OP(subtract), each_part},
    {STABLEHLO_OP(negate), each_part},
    {STABLEHLO_OP(select), each_part},
    {STABLEHLO_OP(transpose), each_part},
    {STABLEHLO_OP(reverse), each_part},
    {STABLEHLO_OP(pad), each_part},
    {STABLEHLO_OP(dynamic_slice), each_part},
    {STABLEHLO_OP(dynamic_update_slice), each_part},
    {STABLEHLO_OP(convert), convert_complex},
    {STABLEHLO_OP(multiply), multiply},
    {STABLEHLO_OP(dot_general), multiply},
    {STABLEHLO_OP(convolution), multiply},
    {STABLEHLO_OP(divide), divide},
    {STABLEHLO_OP(abs), absolute},
    {STABLEHLO_OP(compare), equal},
    {STABLEHLO_OP(reduce), reduce},
    {STABLEHLO_OP(fft), hlo_fft_by_products},
};

static bool has_complex(const hlo_complex_rewrite *c, const ir_op *op)
{
    if (op->def == STABLEHLO_OP(real) || op->def == STABLEHLO_OP(imag))
        return true;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (is_known(c, op->operands[i].value))
            return true;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (is_complex(op->results[i].type))
            return true;
    return op->def == STABLEHLO_OP(fft);
}

/* Shardy's operations come after this dialect's, so that they are known by name. */
static bool is_manual(const ir_op *op)
{
    return strcmp(op->def->name, "sdy.manual_computation") == 0;
}

static bool is_return(const ir_op *op)
{
    return op->def == FUNC_OP(return ) || strcmp(op->def->name, "sdy.return") == 0;
}

static void take_packed(hlo_complex_rewrite *c, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_mapping_get(c->parts, op->operands[i].value))
            ir_op_set_operand(op, i, packed_of(c, op->operands[i].value));
}

/* An unconverted op keeps its complex type: a later pass reports it. */
static void convert_op(hlo_complex_rewrite *c, ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    if (is_return(op)) {
        take_packed(c, op);
        return;
    }
    bool known = true;
    for (uint32_t i = 0; i < op->n_operands; i++)
        known &= !is_complex(op->operands[i].value->type) ||
                 ir_mapping_get(c->parts, op->operands[i].value);
    for (size_t i = 0; known && i < TW_COUNT(conversions); i++)
        if (conversions[i].op == op->def && conversions[i].convert(c, op, &b)) {
            TW_PUSH(c->old, c->n_old, c->old_capacity, op);
            return;
        }
    c->stuck = c->stuck ? c->stuck : op;
}

/* The value itself becomes the packed form. */
static void pack_in_place(hlo_complex_rewrite *c, ir_value *v)
{
    if (is_complex(v->type)) {
        v->type = packed_type(v->type);
        set_packed(c, v, v);
    }
}

/* A sharding with one dimension more, which is not sharded. */
static ir_attr with_whole_dim(ir_context *ctx, ir_attr sharding)
{
    const ir_attr_def *dim = ir_attr_def_find(ctx, TW_STR("sdy.dimension_sharding"));
    ir_attr dims = ir_attr_param(sharding, "dim_shardings"), params[8], items[64],
            whole[3] = {ir_array_attr(ctx, NULL, 0), ir_raw_int(ctx, 1), NULL};
    const uint32_t n = ir_attr_is(dims, IR_ATTR_ARRAY) ? (uint32_t)dims->count : 0;
    if (!dim || sharding->count > TW_COUNT(params) || n >= TW_COUNT(items))
        return sharding;
    for (uint32_t i = 0; i < n; i++)
        items[i] = dims->items[i];
    items[n] = ir_dialect_attr(ctx, dim, whole, TW_COUNT(whole));
    for (uint32_t i = 0; i < sharding->count; i++)
        params[i] = strcmp(sharding->def->params.at[i].name, "dim_shardings") == 0
                        ? ir_array_attr(ctx, items, n + 1)
                        : sharding->params[i];
    return ir_dialect_attr(ctx, sharding->def, params, sharding->count);
}

/* Shardings of values, of which those of complex numbers get a dimension. */
static void extend_shardings(ir_op *op, const char *name, const ir_value *const *values,
                             size_t n)
{
    ir_attr all = ir_op_attr(op, name);
    ir_attr list =
        ir_attr_is(all, IR_ATTR_DIALECT) ? ir_attr_param(all, "shardings") : NULL;
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || (size_t)list->count != n)
        return;
    ir_attr *items = tw_xmalloc((n + 1) * sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = is_complex(values[i]->type) ? with_whole_dim(op->ctx, list->items[i])
                                               : list->items[i];
    ir_attr made = ir_array_attr(op->ctx, items, n);
    ir_op_set_attr(op, name, ir_dialect_attr(op->ctx, all->def, &made, 1));
    free(items);
}

static void convert_block(hlo_complex_rewrite *c, ir_block *block);

/* The body computes on each device's part of the packed tensors. */
static void convert_manual(hlo_complex_rewrite *c, ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    const size_t n = TW_MAX(op->n_operands, op->n_results);
    const ir_value **values = tw_xmalloc((n + 1) * sizeof *values);
    if (body) { /* operands have their new type already, arguments not yet */
        for (uint32_t i = 0; i < body->n_args; i++)
            values[i] = body->args[i];
        extend_shardings(op, "in_shardings", values, body->n_args);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        values[i] = &op->results[i];
    extend_shardings(op, "out_shardings", values, op->n_results);
    free(values);
    take_packed(c, op);
    for (uint32_t i = 0; i < op->n_results; i++)
        pack_in_place(c, &op->results[i]);
    if (body)
        convert_block(c, body);
}

static void convert_block(hlo_complex_rewrite *c, ir_block *block)
{
    for (uint32_t i = 0; i < block->n_args; i++)
        pack_in_place(c, block->args[i]);
    for (ir_op *op = block->first, *next; op; op = next) {
        next = op->next;
        if (is_manual(op))
            convert_manual(c, op);
        else if (is_return(op) || has_complex(c, op))
            convert_op(c, op);
    }
}

static void convert_function(hlo_complex_rewrite *c, ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    if (!body)
        return;
    convert_block(c, body);
    func_refresh_type(func);
}

static bool run(ir_op *module, pass_run *run)
{
    hlo_complex_rewrite c = {.parts = ir_mapping_create()};
    (void)run;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == FUNC_OP(func))
            convert_function(&c, op);
    for (size_t i = c.n_old; i-- > 0;)
        ir_op_erase(c.old[i]);
    if (c.stuck) {
        ir_error(module->ctx, c.stuck->loc,
                 "failed to legalize operation '%s': it computes on complex numbers, "
                 "which the device has as pairs of reals only",
                 c.stuck->def->name);
        ir_unlowered(module->ctx);
    }
    free(c.old);
    ir_mapping_free(c.parts);
    tw_arena_free(&c.arena);
    return !c.stuck;
}

const pass_def stablehlo_complex_data_type_pass = {
    .name = "stablehlo-complex-data-type-conversion",
    .title = "StableHLOComplexDataTypeConversionPass",
    .summary = "Convert complex tensors to real ones with a last dimension of real and "
               "imaginary parts",
    .anchor = "builtin.module",
    .run = run,
};
