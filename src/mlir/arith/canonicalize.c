/* canonicalize.c: canonical forms of arithmetic: merges constants of nested operations,
 * moves extensions after bitwise operations, and simplifies negations and selects. */
#include "ir/number.h"
#include "mlir/arith/arith.h"
#include "mlir/passes/canonical.h"
#include "mlir/shared/fold_elements.h"

#include <math.h>

static ir_op *defined_by(const ir_value *v, const ir_op_def *def)
{
    ir_op *producer = ir_value_def(v);
    return ir_op_is(producer, def) ? producer : NULL;
}

static bool is_splat(const ir_value *v, int64_t wanted)
{
    fold_cell c;
    ir_type e = ir_type_element(v->type);
    return e->kind != IR_TYPE_FLOAT && fold_is_numeric(e) &&
           fold_splat(rw_constant(v), &c) && fold_low(c.integer, e) == fold_low(wanted, e);
}

static ir_value *constant(rw_rewriter *rw, ir_attr value)
{
    return value ? ir_build1(&rw->b, ARITH_OP(constant), value->type, NULL, 0,
                             IR_ATTRS({"value", value}))
                 : NULL;
}

static ir_value *splat(rw_rewriter *rw, ir_type type, int64_t value)
{
    return constant(rw, fold_constant(type, (fold_cell){.integer = value}));
}

/* Replaces the operation by one on two values (or one: y NULL) of the result's type. */
static bool become(rw_rewriter *rw, ir_op *op, const ir_op_def *def, ir_value *x,
                   ir_value *y)
{
    ir_value *operands[] = {x, y};
    rw_replace1(rw, op,
                ir_build1(&rw->b, def, op->results[0].type, operands, y ? 2 : 1, NULL, 0));
    return true;
}

/* ---- constants ---------------------------------------------------------------------- */

/* outer(inner(x, c0), c1) with constants on these sides is made(x, c0 op c1). */
enum { LEFT, RIGHT };

static const struct {
    const ir_op_def *outer, *inner, *made;
    uint8_t outer_side, inner_side, made_side;
    char combine; /* combines c0 and c1: '+', '*', '-', or 'r' for reversed subtraction */
} nested[] = {
    {ARITH_OP(addi), ARITH_OP(addi), ARITH_OP(addi), RIGHT, RIGHT, RIGHT, '+'},
    {ARITH_OP(addi), ARITH_OP(subi), ARITH_OP(addi), RIGHT, RIGHT, RIGHT, 'r'},
    {ARITH_OP(addi), ARITH_OP(subi), ARITH_OP(subi), RIGHT, LEFT, LEFT, '+'},
    {ARITH_OP(subi), ARITH_OP(addi), ARITH_OP(addi), RIGHT, RIGHT, RIGHT, '-'},
    {ARITH_OP(subi), ARITH_OP(addi), ARITH_OP(subi), LEFT, RIGHT, LEFT, 'r'},
    {ARITH_OP(subi), ARITH_OP(subi), ARITH_OP(subi), RIGHT, RIGHT, RIGHT, '+'},
    {ARITH_OP(subi), ARITH_OP(subi), ARITH_OP(subi), RIGHT, LEFT, LEFT, '-'},
    {ARITH_OP(subi), ARITH_OP(subi), ARITH_OP(subi), LEFT, RIGHT, LEFT, '+'},
    {ARITH_OP(subi), ARITH_OP(subi), ARITH_OP(addi), LEFT, LEFT, RIGHT, 'r'},
    {ARITH_OP(muli), ARITH_OP(muli), ARITH_OP(muli), RIGHT, RIGHT, RIGHT, '*'},
};

static uint64_t combined(char how, uint64_t a, uint64_t b)
{
    return how == '+' ? a + b : how == '*' ? a * b : how == '-' ? a - b : b - a;
}

static bool join_constants(ir_op *op, rw_rewriter *rw)
{
    for (size_t i = 0; i < TW_COUNT(nested); i++) {
        if (nested[i].outer != op->def)
            continue;
        ir_attr c1 = rw_constant(ir_op_operand(op, nested[i].outer_side));
        ir_op *inner =
            defined_by(ir_op_operand(op, !nested[i].outer_side), nested[i].inner);
        ir_attr c0 = inner ? rw_constant(ir_op_operand(inner, nested[i].inner_side)) : NULL;
        if (!ir_attr_is(c0, IR_ATTR_INTEGER) || !ir_attr_is(c1, IR_ATTR_INTEGER))
            continue;
        ir_value *x = ir_op_operand(inner, !nested[i].inner_side);
        ir_value *c =
            constant(rw, ir_integer_attr(c0->type, (int64_t)combined(nested[i].combine,
                                                                     (uint64_t)c0->value,
                                                                     (uint64_t)c1->value)));
        return nested[i].made_side == LEFT ? become(rw, op, nested[i].made, c, x)
                                           : become(rw, op, nested[i].made, x, c);
    }
    return false;
}

/* x + y * -1 is x - y. */
static bool add_of_negative(ir_op *op, rw_rewriter *rw)
{
    for (uint32_t side = 0; side < 2; side++) {
        ir_op *product = defined_by(ir_op_operand(op, !side), ARITH_OP(muli));
        if (product && is_splat(ir_op_operand(product, 1), -1))
            return become(rw, op, ARITH_OP(subi), ir_op_operand(op, side),
                          ir_op_operand(product, 0));
    }
    return false;
}

/* (a - b) - a is 0 - b. */
static bool sub_of_sub(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = defined_by(ir_op_operand(op, 0), ARITH_OP(subi));
    if (!inner || ir_op_operand(inner, 0) != ir_op_operand(op, 1))
        return false;
    ir_value *zero = splat(rw, op->results[0].type, 0);
    return zero && become(rw, op, op->def, zero, ir_op_operand(inner, 1));
}

/* ---- extensions --------------------------------------------------------------------- */

static ir_op *extension(const ir_value *v)
{
    ir_op *producer = defined_by(v, ARITH_OP(extsi));
    return producer ? producer : defined_by(v, ARITH_OP(extui));
}

/* True if both operands are extended the same way from one type. */
static bool are_extended(const ir_op *op, ir_op **out_x, ir_op **out_y)
{
    ir_op *x = extension(ir_op_operand(op, 0)), *y = extension(ir_op_operand(op, 1));
    *out_x = x;
    *out_y = y;
    return x && y && x->def == y->def &&
           ir_op_operand(x, 0)->type == ir_op_operand(y, 0)->type;
}

/* and, or, xor of extended values. */
static bool bits_before_extension(ir_op *op, rw_rewriter *rw)
{
    ir_op *x, *y;
    if (!are_extended(op, &x, &y))
        return false;
    ir_value *in[] = {ir_op_operand(x, 0), ir_op_operand(y, 0)};
    return become(rw, op, x->def, ir_build1(&rw->b, op->def, in[0]->type, in, 2, NULL, 0),
                  NULL);
}

static bool trunc_of_extension(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = extension(ir_op_operand(op, 0));
    if (!inner)
        return false;
    ir_value *in = ir_op_operand(inner, 0);
    unsigned from = ir_type_element(in->type)->width;
    unsigned to = ir_type_element(op->results[0].type)->width;
    return from != to && become(rw, op, from < to ? inner->def : op->def, in, NULL);
}

/* An arithmetic shift whose sign bits are all truncated is a logical one. */
static bool trunc_of_shift(ir_op *op, rw_rewriter *rw)
{
    ir_op *shift = defined_by(ir_op_operand(op, 0), ARITH_OP(shrsi));
    fold_cell by;
    if (!shift || !fold_splat(rw_constant(ir_op_operand(shift, 1)), &by))
        return false;
    ir_type from = shift->results[0].type, to = op->results[0].type;
    int64_t spare = (int64_t)ir_type_element(from)->width - ir_type_element(to)->width;
    if (by.integer < 0 || by.integer > spare)
        return false;
    ir_value *in[] = {ir_op_operand(shift, 0), ir_op_operand(shift, 1)};
    return become(rw, op, op->def, ir_build1(&rw->b, ARITH_OP(shrui), from, in, 2, NULL, 0),
                  NULL);
}

/* A non-negative value may be zero- or sign-extended. */
static bool signed_of_unsigned(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = defined_by(ir_op_operand(op, 0), ARITH_OP(extui));
    return inner && become(rw, op, inner->def, ir_op_operand(inner, 0), NULL);
}

/* index_cast of index_cast (through a type that loses no bits), or of an extension of the
 * same kind. */
static bool cast_of_cast(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = defined_by(ir_op_operand(op, 0), op->def);
    bool is_unsigned = op->def == ARITH_OP(index_castui);
    ir_type type = op->results[0].type, through = ir_op_operand(op, 0)->type;
    if (inner && ir_op_operand(inner, 0)->type == type &&
        fold_width(ir_type_element(through)) >= fold_width(ir_type_element(type))) {
        rw_replace1(rw, op, ir_op_operand(inner, 0));
        return true;
    }
    inner =
        defined_by(ir_op_operand(op, 0), is_unsigned ? ARITH_OP(extui) : ARITH_OP(extsi));
    return inner && become(rw, op, op->def, ir_op_operand(inner, 0), NULL);
}

static bool bitcast_of_bitcast(ir_op *op, rw_rewriter *rw)
{
    ir_op *inner = defined_by(ir_op_operand(op, 0), op->def);
    if (!inner)
        return false;
    ir_value *in = ir_op_operand(inner, 0);
    if (in->type != op->results[0].type)
        return become(rw, op, op->def, in, NULL);
    rw_replace1(rw, op, in);
    return true;
}

/* ---- comparisons -------------------------------------------------------------------- */

static ir_value *compare(rw_rewriter *rw, int64_t predicate, ir_value *x, ir_value *y,
                         ir_type type)
{
    return ir_build1(&rw->b, ARITH_OP(cmpi), type, IR_VALUES(x, y),
                     IR_ATTRS({"predicate", ir_i64_attr(rw->b.ctx, predicate)}));
}

/* Equality is preserved when both sides are extended the same way. */
static bool compare_before_extension(ir_op *op, rw_rewriter *rw)
{
    int64_t predicate = ir_enum_value(ir_op_attr(op, "predicate"), -1);
    ir_op *x, *y;
    if ((predicate != ARITH_CmpIPredicate_eq && predicate != ARITH_CmpIPredicate_ne) ||
        !are_extended(op, &x, &y))
        return false;
    rw_replace1(rw, op,
                compare(rw, predicate, ir_op_operand(x, 0), ir_op_operand(y, 0),
                        op->results[0].type));
    return true;
}

/* A negated comparison has the inverse predicate. */
static bool not_of_compare(ir_op *op, rw_rewriter *rw)
{
    static const uint8_t opposite[] = {
        [ARITH_CmpIPredicate_eq] = ARITH_CmpIPredicate_ne,
        [ARITH_CmpIPredicate_ne] = ARITH_CmpIPredicate_eq,
        [ARITH_CmpIPredicate_slt] = ARITH_CmpIPredicate_sge,
        [ARITH_CmpIPredicate_sle] = ARITH_CmpIPredicate_sgt,
        [ARITH_CmpIPredicate_sgt] = ARITH_CmpIPredicate_sle,
        [ARITH_CmpIPredicate_sge] = ARITH_CmpIPredicate_slt,
        [ARITH_CmpIPredicate_ult] = ARITH_CmpIPredicate_uge,
        [ARITH_CmpIPredicate_ule] = ARITH_CmpIPredicate_ugt,
        [ARITH_CmpIPredicate_ugt] = ARITH_CmpIPredicate_ule,
        [ARITH_CmpIPredicate_uge] = ARITH_CmpIPredicate_ult,
    };
    ir_op *inner = defined_by(ir_op_operand(op, 0), ARITH_OP(cmpi));
    int64_t predicate = inner ? ir_enum_value(ir_op_attr(inner, "predicate"), -1) : -1;
    if (predicate < 0 || (size_t)predicate >= TW_COUNT(opposite) ||
        !is_splat(ir_op_operand(op, 1), -1))
        return false;
    rw_replace1(rw, op,
                compare(rw, opposite[predicate], ir_op_operand(inner, 0),
                        ir_op_operand(inner, 1), op->results[0].type));
    return true;
}

/* The integer condition equivalent to comparing an integer, cast to float, with a
 * constant. */
typedef enum question { EQ, NE, LT, LE, GT, GE, ALWAYS, NEVER } question;

static question question_of(int64_t cmpf)
{
    static const uint8_t of[] = {
        [ARITH_CmpFPredicate_AlwaysFalse] = NEVER,
        [ARITH_CmpFPredicate_OEQ] = EQ,
        [ARITH_CmpFPredicate_OGT] = GT,
        [ARITH_CmpFPredicate_OGE] = GE,
        [ARITH_CmpFPredicate_OLT] = LT,
        [ARITH_CmpFPredicate_OLE] = LE,
        [ARITH_CmpFPredicate_ONE] = NE,
        [ARITH_CmpFPredicate_ORD] = ALWAYS,
        [ARITH_CmpFPredicate_UEQ] = EQ,
        [ARITH_CmpFPredicate_UGT] = GT,
        [ARITH_CmpFPredicate_UGE] = GE,
        [ARITH_CmpFPredicate_ULT] = LT,
        [ARITH_CmpFPredicate_ULE] = LE,
        [ARITH_CmpFPredicate_UNE] = NE,
        [ARITH_CmpFPredicate_UNO] = NEVER,
        [ARITH_CmpFPredicate_AlwaysTrue] = ALWAYS,
    };
    return cmpf >= 0 && (size_t)cmpf < TW_COUNT(of) ? (question)of[cmpf] : NEVER;
}

/* The same condition on integers, which never equal a fraction. */
static question of_integers(question q, double c)
{
    if (c == trunc(c))
        return q;
    switch (q) {
    case EQ:
        return NEVER;
    case NE:
        return ALWAYS;
    case LT:
    case LE:
        return c < 0 ? LT : LE;
    case GT:
    case GE:
        return c < 0 ? GE : GT;
    default:
        return q;
    }
}

/* True if floats of the format represent every integer near c exactly. */
static bool is_exact_near(double c, ir_type real, unsigned bits)
{
    int mantissa = ir_float_precision((ir_float_kind)real->sign);
    int exponent = c == 0 ? -1 : ilogb(c);
    if (isinf(c))
        return (unsigned)ir_float_precision((ir_float_kind)real->sign) >= bits;
    return exponent < mantissa || exponent > (int)bits;
}

/* cmpf of sitofp or uitofp with a constant is a cmpi. */
static bool compare_integer(ir_op *op, rw_rewriter *rw)
{
    static const uint8_t signed_of[] = {
        [EQ] = ARITH_CmpIPredicate_eq,  [NE] = ARITH_CmpIPredicate_ne,
        [LT] = ARITH_CmpIPredicate_slt, [LE] = ARITH_CmpIPredicate_sle,
        [GT] = ARITH_CmpIPredicate_sgt, [GE] = ARITH_CmpIPredicate_sge};
    static const uint8_t unsigned_of[] = {
        [EQ] = ARITH_CmpIPredicate_eq,  [NE] = ARITH_CmpIPredicate_ne,
        [LT] = ARITH_CmpIPredicate_ult, [LE] = ARITH_CmpIPredicate_ule,
        [GT] = ARITH_CmpIPredicate_ugt, [GE] = ARITH_CmpIPredicate_uge};
    ir_attr constant_attr = rw_constant(ir_op_operand(op, 1));
    ir_op *cast = defined_by(ir_op_operand(op, 0), ARITH_OP(sitofp));
    bool is_unsigned = !cast;
    cast = cast ? cast : defined_by(ir_op_operand(op, 0), ARITH_OP(uitofp));
    if (!cast || !ir_attr_is(constant_attr, IR_ATTR_FLOAT))
        return false;
    ir_value *x = ir_op_operand(cast, 0);
    double c = constant_attr->real;
    if (x->type->kind != IR_TYPE_INTEGER || x->type->width > 64)
        return false;
    unsigned bits = x->type->width - !is_unsigned;
    if (isnan(c) || !is_exact_near(c, ir_op_operand(op, 0)->type, bits))
        return false;
    double high = ldexp(1, (int)bits), low = is_unsigned ? 0 : -high;
    question q = question_of(ir_enum_value(ir_op_attr(op, "predicate"), -1));
    if (c >= high && q < ALWAYS)
        q = q == NE || q == LT || q == LE ? ALWAYS : NEVER;
    else if (c < low && q < ALWAYS)
        q = q == NE || q == GT || q == GE ? ALWAYS : NEVER;
    else
        q = of_integers(q, c);
    ir_type type = op->results[0].type;
    if (q >= ALWAYS) {
        rw_replace1(rw, op, splat(rw, type, q == ALWAYS));
        return true;
    }
    int64_t integer = is_unsigned ? (int64_t)(uint64_t)c : (int64_t)c;
    ir_value *bound = constant(rw, ir_integer_attr(x->type, integer));
    rw_replace1(rw, op,
                compare(rw, (is_unsigned ? unsigned_of : signed_of)[q], x, bound, type));
    return true;
}

/* ---- floats ------------------------------------------------------------------------- */

/* Two negations in a product or quotient cancel out. */
static bool drop_negations(ir_op *op, rw_rewriter *rw)
{
    ir_op *x = defined_by(ir_op_operand(op, 0), ARITH_OP(negf));
    ir_op *y = defined_by(ir_op_operand(op, 1), ARITH_OP(negf));
    if (!x || !y)
        return false;
    ir_value *in[] = {ir_op_operand(x, 0), ir_op_operand(y, 0)};
    rw_replace1(rw, op,
                ir_build1(&rw->b, op->def, op->results[0].type, in, 2,
                          IR_ATTRS({"fastmath", ir_op_attr(op, "fastmath")})));
    return true;
}

/* ---- select ------------------------------------------------------------------------- */

static bool is_bool_type(ir_type t)
{
    return t->kind == IR_TYPE_INTEGER && t->width == 1;
}

static bool become_select(rw_rewriter *rw, ir_op *op, ir_value *c, ir_value *t, ir_value *f)
{
    rw_replace1(
        rw, op,
        ir_build1(&rw->b, op->def, op->results[0].type, IR_VALUES(c, t, f), NULL, 0));
    return true;
}

/* A select within a branch of one on the same condition is already decided. */
static bool redundant_select(ir_op *op, rw_rewriter *rw)
{
    ir_value *c = ir_op_operand(op, 0), *t = ir_op_operand(op, 1);
    ir_value *f = ir_op_operand(op, 2);
    ir_op *inner = defined_by(t, op->def);
    if (inner && ir_op_operand(inner, 0) == c)
        return become_select(rw, op, c, ir_op_operand(inner, 1), f);
    inner = defined_by(f, op->def);
    if (inner && ir_op_operand(inner, 0) == c)
        return become_select(rw, op, c, t, ir_op_operand(inner, 2));
    return false;
}

/* Constants 1 and 0, or false and true, are the condition itself. */
static bool select_of_constants(ir_op *op, rw_rewriter *rw)
{
    ir_value *c = ir_op_operand(op, 0), *t = ir_op_operand(op, 1);
    ir_value *f = ir_op_operand(op, 2);
    ir_type type = op->results[0].type, e = ir_type_element(type);
    if (e->kind != IR_TYPE_INTEGER || !is_bool_type(c->type) || ir_type_is_shaped(type))
        return false;
    if (e->width == 1 && is_splat(t, 0) && is_splat(f, 1))
        return become(rw, op, ARITH_OP(xori), c, splat(rw, type, -1));
    if (e->width == 1)
        return false;
    if (is_splat(t, 1) && is_splat(f, 0))
        return become(rw, op, ARITH_OP(extui), c, NULL);
    if (is_splat(t, 0) && is_splat(f, 1)) {
        ir_value *on = splat(rw, c->type, -1);
        return become(rw, op, ARITH_OP(extui),
                      ir_build1(&rw->b, ARITH_OP(xori), c->type, IR_VALUES(c, on), NULL, 0),
                      NULL);
    }
    return false;
}

/* Swaps the sides of a negated condition. */
static bool select_of_not(ir_op *op, rw_rewriter *rw)
{
    ir_op *not = defined_by(ir_op_operand(op, 0), ARITH_OP(xori));
    return not &&is_splat(ir_op_operand(not, 1), -1) &&
           become_select(rw, op, ir_op_operand(not, 0), ir_op_operand(op, 2),
                         ir_op_operand(op, 1));
}

/* Nested selects that share a side become one, with both conditions combined. */
static bool select_in_select(ir_op *op, rw_rewriter *rw)
{
    ir_value *c = ir_op_operand(op, 0), *t = ir_op_operand(op, 1);
    ir_value *f = ir_op_operand(op, 2);
    for (uint32_t side = 1; side <= 2; side++) {
        ir_op *inner = defined_by(ir_op_operand(op, side), op->def);
        if (!inner || ir_op_operand(inner, 0)->type != c->type)
            continue;
        ir_value *d = ir_op_operand(inner, 0), *other = side == 1 ? f : t;
        ir_value *a = ir_op_operand(inner, 1), *b = ir_op_operand(inner, 2);
        bool on_true = a == other; /* the shared side is the inner's first */
        if (!on_true && b != other)
            continue;
        /* c && d picks a; c && !d picks b; c || d, c || !d keep the outer's first side */
        bool negate = side == 1 ? on_true : !on_true;
        const ir_op_def *join = side == 1 ? ARITH_OP(andi) : ARITH_OP(ori);
        if (negate) {
            ir_value *on = splat(rw, d->type, -1);
            if (!on)
                return false;
            d = ir_build1(&rw->b, ARITH_OP(xori), d->type, IR_VALUES(d, on), NULL, 0);
        }
        ir_value *both = ir_build1(&rw->b, join, c->type, IR_VALUES(c, d), NULL, 0);
        ir_value *mine = on_true ? b : a;
        return side == 1 ? become_select(rw, op, both, mine, f)
                         : become_select(rw, op, both, t, mine);
    }
    return false;
}

/* ---- operations with two results ---------------------------------------------------- */

/* Narrows an extended operation whose carry or high half is unused. */
static bool drop_high(ir_op *op, rw_rewriter *rw)
{
    const ir_op_def *def =
        op->def == ARITH_OP(addui_extended) ? ARITH_OP(addi) : ARITH_OP(muli);
    if (op->results[1].uses)
        return false;
    ir_value *in[] = {ir_op_operand(op, 0), ir_op_operand(op, 1)};
    ir_value *low = ir_build1(&rw->b, def, op->results[0].type, in, 2, NULL, 0);
    rw_replace(rw, op, (ir_value *[]){low, low}, 2);
    return true;
}

/* x * 1: its sign fills the high half. */
static bool product_with_one(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = ir_op_operand(op, 0);
    ir_type type = x->type, i1 = ir_integer_type(op->ctx, 1, IR_SIGNLESS);
    if (!is_splat(ir_op_operand(op, 1), 1))
        return false;
    if (ir_type_is_shaped(type))
        i1 = ir_type_with_element(type, i1);
    ir_value *zero = splat(rw, type, 0);
    if (!zero)
        return false;
    ir_value *less = compare(rw, ARITH_CmpIPredicate_slt, x, zero, i1);
    ir_value *high = ir_build1(&rw->b, ARITH_OP(extsi), type, IR_VALUES(less), NULL, 0);
    rw_replace(rw, op, (ir_value *[]){x, high}, 2);
    return true;
}

static const rw_pattern patterns[] = {
    {ARITH_OP(addi), join_constants, "arith.AddIConstants"},
    {ARITH_OP(addi), add_of_negative, "arith.AddIMulNegativeOne"},
    {ARITH_OP(subi), join_constants, "arith.SubIConstants"},
    {ARITH_OP(subi), sub_of_sub, "arith.SubISubILHSRHSLHS"},
    {ARITH_OP(muli), join_constants, "arith.MulIMulIConstant"},
    {ARITH_OP(addui_extended), drop_high, "arith.AddUIExtendedToAddI"},
    {ARITH_OP(mulsi_extended), drop_high, "arith.MulSIExtendedToMulI"},
    {ARITH_OP(mulsi_extended), product_with_one, "arith.MulSIExtendedRHSOne"},
    {ARITH_OP(mului_extended), drop_high, "arith.MulUIExtendedToMulI"},
    {ARITH_OP(andi), bits_before_extension, "arith.AndOfExt"},
    {ARITH_OP(ori), bits_before_extension, "arith.OrOfExt"},
    {ARITH_OP(xori), not_of_compare, "arith.XOrINotCmpI"},
    {ARITH_OP(xori), bits_before_extension, "arith.XOrIOfExt"},
    {ARITH_OP(cmpi), compare_before_extension, "arith.CmpIExt"},
    {ARITH_OP(cmpf), compare_integer, "arith.CmpFIntToFPConst"},
    {ARITH_OP(trunci), trunc_of_extension, "arith.TruncIExt"},
    {ARITH_OP(trunci), trunc_of_shift, "arith.TruncIShrSIToTrunciShrUI"},
    {ARITH_OP(extsi), signed_of_unsigned, "arith.ExtSIOfExtUI"},
    {ARITH_OP(index_cast), cast_of_cast, "arith.IndexCast"},
    {ARITH_OP(index_castui), cast_of_cast, "arith.IndexCastUI"},
    {ARITH_OP(bitcast), bitcast_of_bitcast, "arith.BitcastOfBitcast"},
    {ARITH_OP(mulf), drop_negations, "arith.MulFOfNegF"},
    {ARITH_OP(divf), drop_negations, "arith.DivFOfNegF"},
    {ARITH_OP(select), select_of_constants, "arith.SelectConstants"},
    {ARITH_OP(select), redundant_select, "arith.RedundantSelect"},
    {ARITH_OP(select), select_of_not, "arith.SelectNotCond"},
    {ARITH_OP(select), select_in_select, "arith.SelectInSelect"},
};

const rw_pattern_table canonicalize_arith = {patterns, TW_COUNT(patterns)};
