/* rules_eval.c: evaluates the parsed expressions of rules.h. */
#include "ir/rules/rules_impl.h"

/* ---- parts of the operation ---------------------------------------------------------- */

chk_val chk_of_attr(chk_state *r, ir_attr a)
{
    if (!a)
        return chk_none();
    switch (a->kind) {
    case IR_ATTR_INTEGER:
        return (chk_val){
            .kind = CHK_INT, .i = a->value, .is_bool = ir_attr_is_bool(a), .attr = a};
    case IR_ATTR_FLOAT:
        return (chk_val){.kind = CHK_REAL, .real = a->real, .attr = a};
    case IR_ATTR_STRING:
        return (chk_val){.kind = CHK_STR, .str = ir_attr_str(a), .attr = a};
    case IR_ATTR_UNIT:
        return chk_bool(true);
    case IR_ATTR_TYPE:
        return (chk_val){.kind = CHK_TYPE, .type = a->type};
    case IR_ATTR_ARRAY:
    case IR_ATTR_DENSE_ARRAY:
    case IR_ATTR_DENSE: {
        int64_t n = ir_attr_ints(a, NULL, 0);
        if (n < 0)
            return (chk_val){.kind = CHK_ATTR, .attr = a};
        int64_t *items = chk_alloc(r, (size_t)n);
        ir_attr_ints(a, items, (size_t)n);
        return (chk_val){.kind = CHK_LIST, .list = items, .i = n, .attr = a};
    }
    case IR_ATTR_DIALECT:
        if (a->def->enumeration) {
            const ir_enum_case *c =
                ir_enum_by_value(a->def->enumeration, ir_enum_value(a, INT64_MIN));
            return (chk_val){
                .kind = CHK_STR, .str = tw_str_from(c ? c->text : "?"), .attr = a};
        }
        if (a->def->params.count == 1 &&
            a->def->params.at[0].array) { /* #ttnn.shape<...> */
            chk_val v = chk_of_attr(r, ir_attr_param(a, a->def->params.at[0].name));
            v.attr = a;
            return v;
        }
        return (chk_val){.kind = CHK_ATTR, .attr = a};
    default:
        return (chk_val){.kind = CHK_ATTR, .attr = a};
    }
}

chk_val chk_of_param(chk_state *r, const ir_param_def *def, ir_attr a)
{
    const ir_enum_case *c = def->kind == IR_PARAM_ENUM && ir_attr_is(a, IR_ATTR_INTEGER)
                                ? ir_enum_by_value(def->enumeration, a->value)
                                : NULL;
    return c ? (chk_val){.kind = CHK_STR, .str = tw_str_from(c->text)} : chk_of_attr(r, a);
}

static chk_val param(chk_state *r, uint32_t index)
{
    const ir_param_def *def = &r->params[index];
    return chk_of_param(r, def,
                        r->attr ? ir_attr_param(r->attr, def->name)
                                : ir_type_param(r->type, def->name));
}

static chk_val operand(const chk_state *r, uint32_t index)
{
    size_t start, count;
    if (!ir_op_operand_group(r->op, index, &start, &count))
        return chk_none();
    if (r->op->def->operands.at[index].arity >= IR_VARIADIC)
        return (chk_val){
            .kind = CHK_GROUP, .i = (int64_t)count, .operands = r->op->operands + start};
    return count ? chk_of_value(r->op->operands[start].value) : chk_none();
}

static chk_val result(const chk_state *r, uint32_t index)
{
    size_t start, count;
    if (!ir_op_result_group(r->op, index, &start, &count))
        return chk_none();
    if (r->op->def->results.at[index].arity >= IR_VARIADIC)
        return (chk_val){
            .kind = CHK_GROUP, .i = (int64_t)count, .results = r->op->results + start};
    return count ? chk_of_value(&r->op->results[start]) : chk_none();
}

/* ---- operators ----------------------------------------------------------------------- */

static chk_val length(chk_val v)
{
    return chk_integer(v.kind == CHK_STR ? (int64_t)v.str.size
                       : v.kind == CHK_ATTR && v.attr->kind == IR_ATTR_ARRAY ? v.attr->count
                       : v.kind == CHK_LIST || v.kind == CHK_GROUP           ? v.i
                                                                             : 0);
}

static chk_val arithmetic(chk_val a, chk_sign op, chk_val b)
{
    int64_t n = 0;
    if (a.kind == CHK_REAL || b.kind == CHK_REAL) {
        double x = a.kind == CHK_REAL ? a.real : (double)a.i,
               y = b.kind == CHK_REAL ? b.real : (double)b.i;
        double z = op == CHK_SIGN_PLUS    ? x + y
                   : op == CHK_SIGN_MINUS ? x - y
                   : op == CHK_SIGN_TIMES ? x * y
                   : y                    ? x / y
                                          : 0;
        return (chk_val){.kind = CHK_REAL, .real = z};
    }
    if (a.kind != CHK_INT || b.kind != CHK_INT)
        return chk_none();
    bool bad = op == CHK_SIGN_PLUS    ? __builtin_add_overflow(a.i, b.i, &n)
               : op == CHK_SIGN_MINUS ? __builtin_sub_overflow(a.i, b.i, &n)
               : op == CHK_SIGN_TIMES ? __builtin_mul_overflow(a.i, b.i, &n)
                                      : b.i == 0 || (a.i == INT64_MIN && b.i == -1);
    if (bad)
        return chk_none();
    return chk_integer(op == CHK_SIGN_OVER   ? a.i / b.i
                       : op == CHK_SIGN_REST ? a.i % b.i
                                             : n);
}

static bool equal(chk_val a, chk_val b)
{
    if ((a.kind == CHK_INT || a.kind == CHK_REAL) &&
        (b.kind == CHK_INT || b.kind == CHK_REAL))
        return (a.kind == CHK_REAL ? a.real : (double)a.i) ==
               (b.kind == CHK_REAL ? b.real : (double)b.i);
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case CHK_STR:
        return tw_str_equal(a.str, b.str);
    case CHK_LIST:
        return a.i == b.i &&
               (a.i == 0 || memcmp(a.list, b.list, (size_t)a.i * sizeof *a.list) == 0);
    case CHK_TYPE:
        return a.type == b.type;
    case CHK_VALUE:
        return a.value == b.value;
    case CHK_ATTR:
        return a.attr == b.attr;
    default:
        return true;
    }
}

static chk_val compared(chk_val a, chk_sign sign, chk_val b)
{
    if (sign == CHK_SIGN_EQ || sign == CHK_SIGN_NE)
        return chk_bool(equal(a, b) == (sign == CHK_SIGN_EQ));
    if ((a.kind != CHK_INT && a.kind != CHK_REAL) ||
        (b.kind != CHK_INT && b.kind != CHK_REAL))
        return chk_bool(false);
    double x = a.kind == CHK_REAL ? a.real : (double)a.i,
           y = b.kind == CHK_REAL ? b.real : (double)b.i;
    bool both = a.kind == CHK_INT && b.kind == CHK_INT;
    int order = both ? (a.i > b.i) - (a.i < b.i) : (x > y) - (x < y);
    return chk_bool(sign == CHK_SIGN_LE   ? order <= 0
                    : sign == CHK_SIGN_GE ? order >= 0
                    : sign == CHK_SIGN_LT ? order < 0
                                          : order > 0);
}

/* x in {a, b} or in a list. */
static bool among(chk_state *r, chk_val x, const chk_node *of)
{
    bool found = false;
    if (of->kind == CHK_NODE_LIST) {
        for (uint32_t i = 0; i < of->n && !found; i++)
            found = equal(x, chk_value(r, of->items[i]));
        return found;
    }
    chk_val all = chk_value(r, of);
    for (int64_t i = 0; all.kind == CHK_LIST && i < all.i; i++)
        found |= x.kind == CHK_INT && x.i == all.list[i];
    return found;
}

static chk_val negative(chk_val v)
{
    if (v.kind == CHK_REAL)
        v.real = -v.real;
    if (v.kind == CHK_INT && v.i != INT64_MIN)
        v.i = -v.i;
    return v;
}

static chk_val call(chk_state *r, const chk_node *node)
{
    chk_val args[CHK_ARGUMENTS];
    for (uint32_t i = 0; i < node->n; i++)
        args[i] = chk_value(r, node->items[i]);
    return node->function->fn(r, args);
}

static chk_val list(chk_state *r, const chk_node *node)
{
    int64_t values[CHK_CAPACITY];
    for (uint32_t i = 0; i < node->n; i++)
        values[i] = chk_value(r, node->items[i]).i;
    return chk_list_of(r, values, node->n);
}

static chk_val item(chk_state *r, const chk_node *node)
{
    chk_val of = chk_value(r, node->a), at = chk_value(r, node->b);
    return at.kind == CHK_INT ? chk_item(of, at.i) : chk_none();
}

static chk_val property(chk_state *r, uint32_t index)
{
    const ir_op_def *def = r->op->def;
    const ir_attr a = r->op->props[index];
    /* Constants of programs, whose elements no rule reads, may be large. */
    if (ir_attr_is(a, IR_ATTR_DENSE) && index < def->attrs.count &&
        tw_str_is(tw_str_from(def->attrs.at[index].type->storage), "ElementsAttr"))
        return (chk_val){.kind = CHK_ATTR, .attr = a};
    return chk_of_attr(r, a);
}

chk_val chk_value(chk_state *r, const chk_node *n)
{
    switch (n->kind) {
    case CHK_NODE_INT:
        return chk_integer(n->integer);
    case CHK_NODE_BOOL:
        return chk_bool(n->integer);
    case CHK_NODE_REAL:
        return (chk_val){.kind = CHK_REAL, .real = n->real};
    case CHK_NODE_TEXT:
        return (chk_val){.kind = CHK_STR, .str = n->text};
    case CHK_NODE_SLOT:
        return r->slots[n->index];
    case CHK_NODE_PARAM:
        return param(r, n->index);
    case CHK_NODE_OPERAND:
        return operand(r, n->index);
    case CHK_NODE_RESULT:
        return result(r, n->index);
    case CHK_NODE_PROPERTY:
        return property(r, n->index);
    case CHK_NODE_CALL:
        return call(r, n);
    case CHK_NODE_LIST:
        return list(r, n);
    case CHK_NODE_ITEM:
        return item(r, n);
    case CHK_NODE_LENGTH:
        return length(chk_value(r, n->a));
    case CHK_NODE_NEGATIVE:
        return negative(chk_value(r, n->a));
    case CHK_NODE_NOT:
        return chk_bool(!chk_holds(chk_value(r, n->a)));
    case CHK_NODE_AND:
        return chk_bool(chk_holds(chk_value(r, n->a)) && chk_holds(chk_value(r, n->b)));
    case CHK_NODE_OR:
        return chk_bool(chk_holds(chk_value(r, n->a)) || chk_holds(chk_value(r, n->b)));
    case CHK_NODE_AMONG:
        return chk_bool(among(r, chk_value(r, n->a), n->b) == (n->sign == CHK_SIGN_IN));
    case CHK_NODE_COMPARED: {
        chk_val left = chk_value(r, n->a);
        return compared(left, n->sign, chk_value(r, n->b));
    }
    case CHK_NODE_ARITHMETIC: {
        chk_val left = chk_value(r, n->a);
        return arithmetic(left, n->sign, chk_value(r, n->b));
    }
    case CHK_NODE_CHOICE:
        return chk_value(r, chk_holds(chk_value(r, n->a)) ? n->b : n->c);
    case CHK_NODE_GIVEN:
    case CHK_NODE_EACH:
        return chk_bool(chk_condition_holds(r, n));
    case CHK_NODE_TEST:
        return chk_bool(n->test(n, r->type, r->attr));
    case CHK_NODE_SUBJECT:
        return n->by(r, n);
    case CHK_NODE_NAME:
    case CHK_NODE_NONE:
        break;
    }
    return chk_none();
}

/* ---- conditions ---------------------------------------------------------------------- */

int64_t chk_count(chk_val over)
{
    return over.kind == CHK_INT || over.kind == CHK_LIST || over.kind == CHK_GROUP ? over.i
                                                                                   : 0;
}

static bool holds_for_one(chk_state *r, const chk_node *n)
{
    const chk_val over = chk_value(r, n->a);
    const size_t used = r->used;
    for (int64_t i = 0; i < chk_count(over); i++) {
        r->slots[n->index] = n->counted ? chk_integer(i) : chk_item(over, i);
        if (chk_condition_holds(r, n->b))
            return true; /* the binding is kept for the message */
        r->used = used;  /* frees the body's lists */
    }
    return false;
}

bool chk_condition_holds(chk_state *r, const chk_node *n)
{
    if (n->kind == CHK_NODE_GIVEN)
        return chk_holds(chk_value(r, n->a)) && chk_condition_holds(r, n->b);
    return n->kind == CHK_NODE_EACH ? holds_for_one(r, n) : chk_holds(chk_value(r, n));
}
