/* arith.c: arithmetic becomes C's.  Signless integers are signed in C; what must wrap, or
 * must see a value as unsigned, is done on the unsigned type of its width.  An index is a
 * size_t; it is cast to other integers through ptrdiff_t, so that signs survive. */
#include "mlir/arith/arith.h"
#include "mlir/emitc/emitc.h"
#include "ttkernel/to_emitc/ttkernel_to_emitc.h"

ir_value *e_build(ir_builder *b, const ir_op_def *def, ir_type result,
                  ir_value *const *operands, size_t n)
{
    return ir_build1(b, def, result, operands, n, NULL, 0);
}

ir_value *e_cast(ir_builder *b, ir_value *v, ir_type to)
{
    return v->type == to ? v : e_build(b, EMITC_OP(cast), to, &v, 1);
}

static bool is_size(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && t->def == EMITC_TYPE(size_t);
}

static ir_type ptrdiff_type(ir_context *ctx)
{
    return ir_dialect_type(ctx, EMITC_TYPE(ptrdiff_t), NULL, 0);
}

static ir_type size_type(ir_context *ctx)
{
    return ir_dialect_type(ctx, EMITC_TYPE(size_t), NULL, 0);
}

/* The type of the same width with or without a sign. */
static ir_type with_sign(ir_type t, bool is_signed)
{
    if (t->kind == IR_TYPE_DIALECT)
        return is_signed ? ptrdiff_type(t->ctx) : size_type(t->ctx);
    if (t->kind != IR_TYPE_INTEGER || t->width == 1)
        return t;
    return ir_integer_type(t->ctx, t->width, is_signed ? IR_SIGNLESS : IR_UNSIGNED);
}

typedef enum sign { AS_IS, SIGNED, UNSIGNED, WRAPS } sign;

static const struct {
    const ir_op_def *from, *to;
    sign sign; /* what the operands must be; WRAPS: unsigned unless it is a size */
} binaries[] = {
    {ARITH_OP(addi), EMITC_OP(add), WRAPS},
    {ARITH_OP(subi), EMITC_OP(sub), WRAPS},
    {ARITH_OP(muli), EMITC_OP(mul), WRAPS},
    {ARITH_OP(divsi), EMITC_OP(div), SIGNED},
    {ARITH_OP(divui), EMITC_OP(div), UNSIGNED},
    {ARITH_OP(remsi), EMITC_OP(rem), SIGNED},
    {ARITH_OP(remui), EMITC_OP(rem), UNSIGNED},
    {ARITH_OP(andi), EMITC_OP(bitwise_and), UNSIGNED},
    {ARITH_OP(ori), EMITC_OP(bitwise_or), UNSIGNED},
    {ARITH_OP(xori), EMITC_OP(bitwise_xor), UNSIGNED},
    {ARITH_OP(shli), EMITC_OP(bitwise_left_shift), UNSIGNED},
    {ARITH_OP(shrsi), EMITC_OP(bitwise_right_shift), SIGNED},
    {ARITH_OP(shrui), EMITC_OP(bitwise_right_shift), UNSIGNED},
    {ARITH_OP(addf), EMITC_OP(add), AS_IS},
    {ARITH_OP(subf), EMITC_OP(sub), AS_IS},
    {ARITH_OP(mulf), EMITC_OP(mul), AS_IS},
    {ARITH_OP(divf), EMITC_OP(div), AS_IS},
};

static ir_value *convert_binary(ir_builder *b, ir_op *op, size_t row)
{
    ir_type type = op->operands[0].value->type;
    sign s = binaries[row].sign;
    ir_type work =
        s == AS_IS || (s == WRAPS && is_size(type)) ? type : with_sign(type, s == SIGNED);
    ir_value *operands[] = {e_cast(b, op->operands[0].value, work),
                            e_cast(b, op->operands[1].value, work)};
    return e_cast(b, e_build(b, binaries[row].to, work, operands, 2), type);
}

static ir_value *compare(ir_builder *b, int64_t predicate, ir_value *x, ir_value *y)
{
    return ir_build1(b, EMITC_OP(cmp), ir_integer_type(b->ctx, 1, IR_SIGNLESS),
                     IR_VALUES(x, y),
                     IR_ATTRS({"predicate", ir_i64_attr(b->ctx, predicate)}));
}

/* By functions of C++; what is unsigned is compared as a size, which keeps the order of
 * numbers that have been widened with their signs. */
static ir_value *convert_min_max(ir_builder *b, ir_op *op, const e_state *s)
{
    static const struct {
        const ir_op_def *def;
        const char *callee;
    } rows[] = {
        {ARITH_OP(minsi), "std::min<int32_t>"},
        {ARITH_OP(maxsi), "std::max<int32_t>"},
        {ARITH_OP(minui), "std::min<size_t>"},
        {ARITH_OP(maxui), "std::max<size_t>"},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++) {
        ir_type type = op->operands[0].value->type;
        bool is_signed = i < 2;
        if (rows[i].def != op->def)
            continue;
        e_call c = {{op->operands[0].value, op->operands[1].value}, 2};
        const char *callee = rows[i].callee;
        if (is_signed && (is_size(type) || type->width > 32))
            callee = i ? "std::max<int64_t>" : "std::min<int64_t>";
        if (!is_signed && s->readable) /* where sizes are written as uint32_t */
            callee = i == 2 ? "std::min<uint32_t>" : "std::max<uint32_t>";
        return e_call_opaque(b, callee, type, &c, NULL);
    }
    return NULL;
}

/* Quotients that are rounded down or up, from the one that is cut off: it was rounded the
 * other way where something is left and the signs differ, respectively agree. */
static ir_value *convert_division(ir_builder *b, ir_op *op)
{
    bool is_signed = op->def != ARITH_OP(ceildivui), up = op->def != ARITH_OP(floordivsi);
    ir_type type = op->operands[0].value->type, work = with_sign(type, is_signed);
    ir_value *x = e_cast(b, op->operands[0].value, work),
             *y = e_cast(b, op->operands[1].value, work);
    ir_value *zero =
        e_cast(b,
               ir_build1(b, EMITC_OP(constant), type, NULL, 0,
                         IR_ATTRS({"value", ir_integer_attr(op->results[0].type, 0)})),
               work);
    ir_value *quotient = e_build(b, EMITC_OP(div), work, IR_VALUES(x, y));
    ir_value *rest = e_build(b, EMITC_OP(rem), work, IR_VALUES(x, y));
    ir_value *off = compare(b, EMITC_CmpPredicate_ne, rest, zero);
    if (is_signed) {
        ir_value *below = compare(b, EMITC_CmpPredicate_lt, rest, zero);
        ir_value *signs = compare(b, up ? EMITC_CmpPredicate_eq : EMITC_CmpPredicate_ne,
                                  below, compare(b, EMITC_CmpPredicate_lt, y, zero));
        off = e_build(b, EMITC_OP(logical_and), off->type, IR_VALUES(off, signs));
    }
    ir_value *made = e_build(b, up ? EMITC_OP(add) : EMITC_OP(sub), work,
                             IR_VALUES(quotient, e_cast(b, off, work)));
    return e_cast(b, made, type);
}

static ir_value *convert_cmpi(ir_builder *b, ir_op *op)
{
    static const struct {
        int64_t to;
        sign sign;
    } rows[] = {
        [ARITH_CmpIPredicate_eq] = {EMITC_CmpPredicate_eq, AS_IS},
        [ARITH_CmpIPredicate_ne] = {EMITC_CmpPredicate_ne, AS_IS},
        [ARITH_CmpIPredicate_slt] = {EMITC_CmpPredicate_lt, SIGNED},
        [ARITH_CmpIPredicate_sle] = {EMITC_CmpPredicate_le, SIGNED},
        [ARITH_CmpIPredicate_sgt] = {EMITC_CmpPredicate_gt, SIGNED},
        [ARITH_CmpIPredicate_sge] = {EMITC_CmpPredicate_ge, SIGNED},
        [ARITH_CmpIPredicate_ult] = {EMITC_CmpPredicate_lt, UNSIGNED},
        [ARITH_CmpIPredicate_ule] = {EMITC_CmpPredicate_le, UNSIGNED},
        [ARITH_CmpIPredicate_ugt] = {EMITC_CmpPredicate_gt, UNSIGNED},
        [ARITH_CmpIPredicate_uge] = {EMITC_CmpPredicate_ge, UNSIGNED},
    };
    int64_t p = ir_enum_value(ir_op_attr(op, "predicate"), 0);
    ir_value *x = op->operands[0].value, *y = op->operands[1].value;
    ir_type work =
        rows[p].sign == AS_IS ? x->type : with_sign(x->type, rows[p].sign == SIGNED);
    x = e_cast(b, x, work);
    return compare(b, rows[p].to, x, e_cast(b, y, work));
}

/* C's comparisons of floats are ordered but for !=. */
static ir_value *convert_cmpf(ir_builder *b, ir_op *op)
{
    static const struct {
        int64_t to;
        bool negated; /* the unordered form is the ordered opposite's contrary */
    } rows[] = {
        [ARITH_CmpFPredicate_OEQ] = {EMITC_CmpPredicate_eq, false},
        [ARITH_CmpFPredicate_OGT] = {EMITC_CmpPredicate_gt, false},
        [ARITH_CmpFPredicate_OGE] = {EMITC_CmpPredicate_ge, false},
        [ARITH_CmpFPredicate_OLT] = {EMITC_CmpPredicate_lt, false},
        [ARITH_CmpFPredicate_OLE] = {EMITC_CmpPredicate_le, false},
        [ARITH_CmpFPredicate_UGT] = {EMITC_CmpPredicate_le, true},
        [ARITH_CmpFPredicate_UGE] = {EMITC_CmpPredicate_lt, true},
        [ARITH_CmpFPredicate_ULT] = {EMITC_CmpPredicate_ge, true},
        [ARITH_CmpFPredicate_ULE] = {EMITC_CmpPredicate_gt, true},
        [ARITH_CmpFPredicate_UNE] = {EMITC_CmpPredicate_ne, false},
    };
    ir_type i1 = ir_integer_type(b->ctx, 1, IR_SIGNLESS);
    ir_value *x = op->operands[0].value, *y = op->operands[1].value;
    int64_t p = ir_enum_value(ir_op_attr(op, "predicate"), 0);
    ir_value *made;
    switch (p) {
    case ARITH_CmpFPredicate_AlwaysFalse:
    case ARITH_CmpFPredicate_AlwaysTrue:
        return ir_build1(
            b, EMITC_OP(constant), i1, NULL, 0,
            IR_ATTRS({"value", ir_bool_attr(b->ctx, p == ARITH_CmpFPredicate_AlwaysTrue)}));
    case ARITH_CmpFPredicate_ORD:
        return e_build(b, EMITC_OP(logical_and), i1,
                       IR_VALUES(compare(b, EMITC_CmpPredicate_eq, x, x),
                                 compare(b, EMITC_CmpPredicate_eq, y, y)));
    case ARITH_CmpFPredicate_UNO:
        return e_build(b, EMITC_OP(logical_or), i1,
                       IR_VALUES(compare(b, EMITC_CmpPredicate_ne, x, x),
                                 compare(b, EMITC_CmpPredicate_ne, y, y)));
    case ARITH_CmpFPredicate_ONE:
    case ARITH_CmpFPredicate_UEQ:
        made = e_build(b, EMITC_OP(logical_or), i1,
                       IR_VALUES(compare(b, EMITC_CmpPredicate_lt, x, y),
                                 compare(b, EMITC_CmpPredicate_gt, x, y)));
        return p == ARITH_CmpFPredicate_ONE
                   ? made
                   : e_build(b, EMITC_OP(logical_not), i1, &made, 1);
    default:
        made = compare(b, rows[p].to, x, y);
        return rows[p].negated ? e_build(b, EMITC_OP(logical_not), i1, &made, 1) : made;
    }
}

/* The larger (or smaller) one; a sum that is no number where one is none. */
static ir_value *convert_extreme(ir_builder *b, ir_op *op)
{
    ir_value *x = op->operands[0].value, *y = op->operands[1].value;
    ir_type i1 = ir_integer_type(b->ctx, 1, IR_SIGNLESS);
    bool maximum = op->def == ARITH_OP(maximumf);
    ir_value *none = e_build(b, EMITC_OP(logical_or), i1,
                             IR_VALUES(compare(b, EMITC_CmpPredicate_ne, x, x),
                                       compare(b, EMITC_CmpPredicate_ne, y, y)));
    ir_value *when =
        compare(b, maximum ? EMITC_CmpPredicate_gt : EMITC_CmpPredicate_lt, x, y);
    ir_value *sum = e_build(b, EMITC_OP(add), x->type, IR_VALUES(x, y));
    ir_value *one = e_build(b, EMITC_OP(conditional), x->type, IR_VALUES(when, x, y));
    return e_build(b, EMITC_OP(conditional), x->type, IR_VALUES(none, sum, one));
}

static ir_value *convert_cast(ir_builder *b, ir_op *op)
{
    ir_value *v = op->operands[0].value;
    ir_type to = e_type(op->results[0].type);
    if (op->def == ARITH_OP(index_cast)) {
        v = e_cast(b, v, ptrdiff_type(b->ctx));
        return e_cast(b, v, to);
    }
    if (op->def == ARITH_OP(index_castui) || op->def == ARITH_OP(extui))
        return e_cast(b, e_cast(b, v, with_sign(v->type, false)), to);
    if (op->def == ARITH_OP(extsi) || op->def == ARITH_OP(sitofp) ||
        op->def == ARITH_OP(fptosi) || op->def == ARITH_OP(extf) ||
        op->def == ARITH_OP(truncf))
        return e_cast(b, v, to);
    if (op->def == ARITH_OP(uitofp))
        return e_cast(b, e_cast(b, v, with_sign(v->type, false)), to);
    if (op->def != ARITH_OP(trunci))
        return NULL;
    /* C's bool is not the lowest bit */
    if (to->kind == IR_TYPE_INTEGER && to->width == 1) {
        ir_value *one = ir_build1(b, EMITC_OP(constant), v->type, NULL, 0,
                                  IR_ATTRS({"value", ir_integer_attr(v->type, 1)}));
        v = e_build(b, EMITC_OP(bitwise_and), v->type, IR_VALUES(v, one));
    }
    return e_cast(b, v, to);
}

static ir_value *convert_constant(ir_builder *b, ir_op *op)
{
    ir_attr value = ir_op_attr(op, "value");
    ir_type type = e_type(op->results[0].type);
    if (ir_attr_is(value, IR_ATTR_FLOAT) && type != value->type)
        value = ir_float_attr(type, value->real);
    if (!ir_attr_is(value, IR_ATTR_INTEGER) && !ir_attr_is(value, IR_ATTR_FLOAT))
        return NULL;
    return ir_build1(b, EMITC_OP(constant), type, NULL, 0, IR_ATTRS({"value", value}));
}

static ir_value *convert(ir_builder *b, ir_op *op, e_state *s)
{
    ir_type type = op->n_results ? op->results[0].type : NULL;
    bool i1 = type && type->kind == IR_TYPE_INTEGER && type->width == 1;
    if (i1 && (op->def == ARITH_OP(andi) || op->def == ARITH_OP(ori)))
        return e_build(
            b, op->def == ARITH_OP(andi) ? EMITC_OP(logical_and) : EMITC_OP(logical_or),
            type, IR_VALUES(op->operands[0].value, op->operands[1].value));
    if (op->def == ARITH_OP(ceildivsi) || op->def == ARITH_OP(ceildivui) ||
        (op->def == ARITH_OP(floordivsi) && (type->kind == IR_TYPE_INDEX || !s->objects)))
        return convert_division(b, op);
    if (op->def == ARITH_OP(bitcast)) {
        e_call c = {{op->operands[0].value}, 1};
        if (ir_type_is_float(op->operands[0].value->type, IR_F32))
            return e_call_opaque(b, "float_to_bits", e_type(type), &c, NULL);
        return ir_type_is_float(type, IR_F32) ? e_float_of(b, s, "{}", c.at[0]) : NULL;
    }
    for (size_t i = 0; i < TW_COUNT(binaries); i++)
        if (binaries[i].from == op->def)
            return convert_binary(b, op, i);
    if (op->def == ARITH_OP(constant))
        return convert_constant(b, op);
    if (op->def == ARITH_OP(cmpi))
        return convert_cmpi(b, op);
    if (op->def == ARITH_OP(cmpf))
        return convert_cmpf(b, op);
    if (op->def == ARITH_OP(maximumf) || op->def == ARITH_OP(minimumf))
        return convert_extreme(b, op);
    if (op->def == ARITH_OP(select))
        return e_build(
            b, EMITC_OP(conditional), op->operands[1].value->type,
            IR_VALUES(op->operands[0].value, op->operands[1].value, op->operands[2].value));
    if (op->def == ARITH_OP(negf))
        return e_build(b, EMITC_OP(unary_minus), op->operands[0].value->type,
                       IR_VALUES(op->operands[0].value));
    ir_value *made = convert_min_max(b, op, s);
    return made ? made : convert_cast(b, op);
}

bool e_convert_arith(ir_op *op, e_state *s)
{
    if (strncmp(op->def->name, "arith.", 6) != 0)
        return false;
    ir_builder b = ir_builder_before(op);
    ir_value *by = convert(&b, op, s);
    if (!by) {
        e_refuse(op, s);
        return false;
    }
    ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
    return true;
}
