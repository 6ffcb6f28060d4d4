/* static_forms.c: operations that are expressed by other StableHLO operations once
 * constants are known. Dynamic ones take as operands what their static forms take as
 * attributes; map applies its body's operations to whole tensors.  Bits are counted by
 * sums of ever wider fields. */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

enum { CAPACITY = 16, MAX_ATTRS = 8 };

/* Replaces the operation by `made`, of one result, and converts that; if that fails, the
 * operation stays, for the caller to report. */
static bool become(ir_op *op, ir_op *made)
{
    ir_value_replace_uses(&op->results[0], ir_op_result(made, 0));
    if (s2t_convert(made)) {
        ir_op_erase(op);
        return true;
    }
    ir_value_replace_uses(ir_op_result(made, 0), &op->results[0]);
    ir_op_erase(made);
    return false;
}

static ir_attr constant_of(const ir_op *op, uint32_t operand)
{
    ir_op *def = ir_value_def(op->operands[operand].value);
    ir_attr value = def && def->def == TTIR_OP(constant) ? ir_op_attr(def, "value") : NULL;
    bool whole = ir_attr_is(value, IR_ATTR_DENSE) &&
                 ir_type_element(value->type)->kind == IR_TYPE_INTEGER;
    return whole ? value : NULL;
}

/* An operand's constant vector as the static form's attribute; NULL if not constant. */
static ir_attr vector_of(ir_builder *b, const ir_op *op, uint32_t operand)
{
    ir_attr value = constant_of(op, operand);
    int64_t values[CAPACITY], n = value ? ir_type_num_elements(value->type) : CAPACITY + 1;
    if (n > CAPACITY)
        return NULL;
    for (int64_t i = 0; i < n; i++)
        values[i] = ir_dense_int(value, value->splat & 1 ? 0 : (size_t)i);
    return ir_dense_i64_array(b->ctx, values, (size_t)n);
}

bool s2t_dynamic(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[0].type;
    ir_value *x = op->operands[0].value, *y = op->operands[1].value;
    if (!ir_type_has_static_shape(t) || !ir_type_has_static_shape(x->type))
        return false;
    if (op->def == STABLEHLO_OP(dynamic_reshape))
        return become(op, ir_build_op(b, STABLEHLO_OP(reshape), &t, 1, &x, 1, NULL, 0, 0));
    if (op->def == STABLEHLO_OP(dynamic_broadcast_in_dim)) {
        ir_attr at = ir_op_attr(op, "broadcast_dimensions");
        return become(op, ir_build_op(b, STABLEHLO_OP(broadcast_in_dim), &t, 1, &x, 1,
                                      IR_ATTRS({"broadcast_dimensions", at}), 0));
    }
    ir_value *both[] = {x, y};
    if (op->def == STABLEHLO_OP(dynamic_pad)) {
        ir_attr low = vector_of(b, op, 2), high = vector_of(b, op, 3);
        ir_attr interior = vector_of(b, op, 4);
        return low && high && interior &&
               become(op, ir_build_op(b, STABLEHLO_OP(pad), &t, 1, both, 2,
                                      IR_ATTRS({"edge_padding_low", low},
                                               {"edge_padding_high", high},
                                               {"interior_padding", interior}),
                                      0));
    }
    if (op->def == STABLEHLO_OP(dynamic_gather)) {
        ir_attr sizes = vector_of(b, op, 2);
        return sizes &&
               become(op, ir_build_op(b, STABLEHLO_OP(gather), &t, 1, both, 2,
                                      IR_ATTRS({"dimension_numbers",
                                                ir_op_attr(op, "dimension_numbers")},
                                               {"slice_sizes", sizes}),
                                      0));
    }
    return false;
}

/* ---- map ---------------------------------------------------------------------------- */

/* A value of the body, or one from outside, broadcast to the full shape. */
static ir_value *whole_value(ir_builder *b, ir_mapping *map, ir_value *v, ir_type shape)
{
    ir_value *mapped = ir_mapping_get(map, v);
    if (mapped)
        return mapped;
    int64_t ones[CAPACITY];
    for (uint32_t d = 0; d < shape->count; d++)
        ones[d] = 1;
    return s2t_broadcast(b, s2t_reshape(b, v, ones, shape->count), shape->dims,
                         shape->count);
}

static bool maps_elements(const ir_block *body)
{
    for (const ir_op *o = body->first; o != body->last; o = o->next) {
        bool scalar = o->def == STABLEHLO_OP(constant) || o->def == STABLEHLO_OP(select);
        if (o->n_results != 1 || o->n_regions || o->n_operands > 3 ||
            o->def->attrs.count > MAX_ATTRS ||
            (!scalar && !(o->def->traits & IR_ELEMENTWISE)) ||
            o->results[0].type->count != 0)
            return false;
    }
    return true;
}

bool s2t_map(ir_op *op, ir_builder *b)
{
    ir_type t = op->results[0].type;
    const ir_block *body = ir_op_body(op, 0);
    if (!ir_type_has_static_shape(t) || t->count > CAPACITY || !maps_elements(body))
        return false;
    ir_mapping *map = ir_mapping_create();
    for (uint32_t i = 0; i < op->n_operands; i++)
        ir_mapping_set(map, body->args[i], op->operands[i].value);
    ir_block *block = op->block;
    ir_op *before = op->prev, *after = op->next;
    for (ir_op *o = body->first; o != body->last; o = o->next) {
        ir_value *operands[3];
        ir_type type = o->results[0].type;
        for (uint32_t i = 0; i < o->n_operands; i++)
            operands[i] = whole_value(b, map, o->operands[i].value, t);
        ir_attr_by_name attrs[MAX_ATTRS];
        size_t n_attrs = 0;
        for (uint32_t k = 0; k < o->def->attrs.count; k++) {
            const char *name = o->def->attrs.at[k].name;
            if (ir_op_attr(o, name))
                attrs[n_attrs++] = (ir_attr_by_name){name, ir_op_attr(o, name)};
        }
        bool constant = o->def == STABLEHLO_OP(constant);
        ir_op *made = ir_build_op(
            b, o->def,
            constant ? &type : &(ir_type){ir_type_with_element(t, type->element)}, 1,
            operands, o->n_operands, attrs, n_attrs, 0);
        ir_value *v = ir_op_result(made, 0);
        ir_mapping_set(map, &o->results[0], constant ? whole_value(b, map, v, t) : v);
    }
    s2t_done(op, whole_value(b, map, body->last->operands[0].value, t));
    ir_mapping_free(map);
    bool ok = true;
    for (ir_op *o = before ? before->next : block->first, *next; o != after; o = next) {
        next = o->next;
        ok &= s2t_convert(o);
    }
    return ok;
}

/* ---- counting bits ------------------------------------------------------------------ */

static ir_value *binary(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

static ir_value *shifted(ir_builder *b, ir_value *x, int64_t by)
{
    return binary(b, TTIR_OP(logical_right_shift), x, s2t_splat(b, x->type, (double)by));
}

static ir_value *masked(ir_builder *b, ir_value *x, double mask)
{
    return binary(b, TTIR_OP(bitwise_and), x, s2t_splat(b, x->type, mask));
}

/* Counts ones among the lower 31 bits; no sum reaches the sign bit. */
static ir_value *count_ones(ir_builder *b, ir_value *x)
{
    static const struct {
        int64_t by;
        double mask;
    } steps[] = {
        {1, 0x55555555}, {2, 0x33333333}, {4, 0x0f0f0f0f}, {8, 0x00ff00ff}, {16, 0xffff}};
    x = masked(b, x, 0x7fffffff);
    for (size_t i = 0; i < TW_COUNT(steps); i++) {
        ir_value *upper = masked(b, shifted(b, x, steps[i].by), steps[i].mask);
        x = binary(b, TTIR_OP(add), masked(b, x, steps[i].mask), upper);
    }
    return x;
}

/* Counts bits in the `width` lowest of the elements' 32. */
static ir_value *count_bits(ir_builder *b, ir_value *x, bool leading, int64_t width)
{
    ir_type t = x->type,
            i1 = ir_type_with_element(t, ir_integer_type(b->ctx, 1, IR_SIGNLESS));
    ir_value *zero = s2t_splat(b, t, 0);
    ir_value *negative = ir_build1(b, TTIR_OP(lt), i1, IR_VALUES(x, zero), NULL, 0);
    ir_value *count, *with_sign = zero;
    if (leading) { /* sets all bits below the first one */
        ir_value *all = x;
        for (int64_t by = 1; by <= 16; by *= 2)
            all = binary(b, TTIR_OP(bitwise_or), all, shifted(b, all, by));
        count = count_ones(b, all);
        count = binary(b, TTIR_OP(subtract), s2t_splat(b, t, (double)width), count);
    } else {
        count = count_ones(b, x);
        with_sign = binary(b, TTIR_OP(add), count, s2t_splat(b, t, (double)width - 31));
    }
    return ir_build1(b, TTIR_OP(where), t, IR_VALUES(negative, with_sign, count), NULL, 0);
}

/* The device stores 64-bit values as their lower 32 bits, sign-extended. */
bool s2t_count_bits(ir_op *op, ir_builder *b)
{
    ir_value *x = op->operands[0].value;
    ir_type t = x->type, e = ir_type_element(t);
    bool leading = op->def == STABLEHLO_OP(count_leading_zeros);
    if (e->kind != IR_TYPE_INTEGER)
        return false;
    if (e->width == 8 || e->width == 16) {
        ir_type wide = ir_type_with_element(t, ir_integer_type(b->ctx, 32, IR_SIGNLESS));
        ir_value *v = ir_build1(b, TTIR_OP(typecast), wide, IR_VALUES(x), NULL, 0);
        v = count_bits(b, masked(b, v, e->width == 8 ? 0xff : 0xffff), leading, e->width);
        return s2t_done(op, ir_build1(b, TTIR_OP(typecast), t, IR_VALUES(v), NULL, 0));
    }
    if (e->sign == IR_UNSIGNED || (e->width != 32 && e->width != 64))
        return false;
    return s2t_done(op, count_bits(b, x, leading, e->width));
}
