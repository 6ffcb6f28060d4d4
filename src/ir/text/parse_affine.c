/* parse_affine.c: affine maps and integer sets.
 *
 *   map  = dims [symbols] "->" "(" [ expr , ... ] ")"
 *   set  = dims [symbols] ":" "(" [ expr ( ">=" | "<=" | "==" ) expr , ... ] ")"
 *   expr = term { ("+" | "-") term }      term = factor { ("*" | floordiv | ceildiv | mod)
 * factor } */
#include "ir/text/text_impl.h"

enum { CAPACITY = 64 };

typedef struct names {
    tw_str dims[CAPACITY], symbols[CAPACITY];
    uint32_t n_dims, n_symbols;
    ir_affine_uses *values; /* expressions over SSA values instead of names */
} names;

static bool declared(const names *n, tw_str word)
{
    for (uint32_t i = 0; i < n->n_dims; i++)
        if (tw_str_equal(word, n->dims[i]))
            return true;
    for (uint32_t i = 0; i < n->n_symbols; i++)
        if (tw_str_equal(word, n->symbols[i]))
            return true;
    return false;
}

static bool parse_names(ir_parser *p, names *n, const char *brackets, const char *where,
                        tw_str *out, uint32_t *count)
{
    if (!ir_expect_punct_in(p, brackets[0], where))
        return false;
    if (ir_accept_punct(p, brackets[1]))
        return true;
    do {
        if (*count == CAPACITY)
            return ir_fail_here(p, "affine maps take at most %d dimensions and symbols",
                                CAPACITY);
        if (p->tok.kind != IR_TOK_BARE_ID)
            return ir_fail_here(p, "expected bare identifier");
        if (declared(n, ir_tok_str(p)))
            return ir_fail(p, p->tok.at, "redefinition of identifier '%.*s'",
                           (int)p->tok.size, p->tok.at);
        out[(*count)++] = ir_tok_str(p);
        ir_next(p);
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct_in(p, brackets[1], where);
}

static bool parse_header(ir_parser *p, names *n)
{
    return parse_names(p, n, "()", "in dimensional identifier list", n->dims, &n->n_dims) &&
           (!ir_at_punct(p, '[') ||
            parse_names(p, n, "[]", "in symbol list", n->symbols, &n->n_symbols));
}

/* The operand missing before or after an operator. */
typedef enum side { ALONE, LEFT_MISSING, RIGHT_MISSING } side;

static bool no_operand(ir_parser *p, side missing)
{
    if (ir_at_punct(p, '*') || ir_at_punct(p, '+') || ir_at_keyword(p, "mod") ||
        ir_at_keyword(p, "floordiv") || ir_at_keyword(p, "ceildiv"))
        return ir_fail(p, p->tok.at, "missing left operand of binary operator");
    return ir_fail(p, p->tok.at,
                   missing == RIGHT_MISSING ? "missing right operand of binary operator"
                                            : "expected affine expression");
}

static ir_affine parse_expr(ir_parser *p, const names *n, side missing);

/* The index of a value among those used so far; added at its first use. */
static uint32_t position_of(ir_parser *p, ir_ssa_list *list, ir_ssa_use use)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (tw_str_equal(list->at[i].name, use.name) && list->at[i].number == use.number)
            return i;
    ir_ssa_list_add(p, list, use);
    return list->count - 1;
}

/* %x, or symbol(%x) */
static ir_affine parse_value(ir_parser *p, const names *n)
{
    ir_ssa_use use;
    bool symbol = p->tok.kind == IR_TOK_BARE_ID;
    if (symbol && (!ir_expect_keyword(p, "symbol") || !ir_expect_punct(p, '(')))
        return NULL;
    if (!ir_parse_ssa(p, &use) || (symbol && !ir_expect_punct(p, ')')))
        return NULL;
    return symbol ? ir_affine_symbol(p->ctx, position_of(p, &n->values->symbols, use))
                  : ir_affine_dim(p->ctx, position_of(p, &n->values->dims, use));
}

static ir_affine parse_factor(ir_parser *p, const names *n, side missing)
{
    uint64_t value;
    if (++p->depth > IR_MAX_NESTING) {
        ir_fail_here(p, "expressions nest deeper than %d levels", IR_MAX_NESTING);
        return NULL;
    }
    ir_affine result = NULL;
    if (n->values && (p->tok.kind == IR_TOK_VALUE || ir_at_keyword(p, "symbol"))) {
        result = parse_value(p, n);
    } else if (p->tok.kind == IR_TOK_BARE_ID) {
        tw_str word = ir_tok_str(p);
        for (uint32_t i = 0; i < n->n_dims && !result; i++)
            if (tw_str_equal(word, n->dims[i]))
                result = ir_affine_dim(p->ctx, i);
        for (uint32_t i = 0; i < n->n_symbols && !result; i++)
            if (tw_str_equal(word, n->symbols[i]))
                result = ir_affine_symbol(p->ctx, i);
        if (result)
            ir_next(p);
        else
            ir_fail_here(p, "use of undeclared identifier");
    } else if (p->tok.kind == IR_TOK_INTEGER) {
        if (ir_token_u64(p, &value) && value <= INT64_MAX)
            result = ir_affine_constant(p->ctx, (int64_t)value);
        else
            ir_fail(p, p->tok.at, "constant too large for index");
        ir_next(p);
    } else if (ir_accept_punct(p, '(')) {
        if (ir_at_punct(p, ')'))
            ir_fail(p, p->tok.at, "no expression inside parentheses");
        else
            result = parse_expr(p, n, ALONE);
        if (result && !ir_expect_punct(p, ')'))
            result = NULL;
    } else if (ir_accept_punct(p, '-')) {
        ir_affine operand = parse_factor(p, n, ALONE);
        if (operand)
            result = ir_affine_binary(p->ctx, IR_AFFINE_MUL, operand,
                                      ir_affine_constant(p->ctx, -1));
    } else {
        no_operand(p, missing);
    }
    p->depth--;
    return result;
}

static bool has_dim(ir_affine e)
{
    return e->kind == IR_AFFINE_DIM || (e->lhs && (has_dim(e->lhs) || has_dim(e->rhs)));
}

static ir_affine parse_term(ir_parser *p, const names *n, side missing)
{
    ir_affine lhs = parse_factor(p, n, missing);
    while (lhs) {
        const char *at = p->tok.at;
        ir_affine_kind kind;
        if (ir_accept_punct(p, '*'))
            kind = IR_AFFINE_MUL;
        else if (ir_accept_keyword(p, "floordiv"))
            kind = IR_AFFINE_FLOORDIV;
        else if (ir_accept_keyword(p, "ceildiv"))
            kind = IR_AFFINE_CEILDIV;
        else if (ir_accept_keyword(p, "mod"))
            kind = IR_AFFINE_MOD;
        else
            return lhs;
        ir_affine rhs = parse_factor(p, n, RIGHT_MISSING);
        if (!rhs)
            return NULL;
        if (kind == IR_AFFINE_MUL ? has_dim(lhs) && has_dim(rhs) : has_dim(rhs)) {
            if (kind == IR_AFFINE_MUL)
                ir_fail(
                    p, at,
                    "non-affine expression: at least one of the multiply operands has to "
                    "be either a constant or symbolic");
            else
                ir_fail(p, at,
                        "non-affine expression: right operand of %s has to be either a "
                        "constant or symbolic",
                        kind == IR_AFFINE_MOD        ? "mod"
                        : kind == IR_AFFINE_FLOORDIV ? "floordiv"
                                                     : "ceildiv");
            return NULL;
        }
        lhs = ir_affine_binary(p->ctx, kind, lhs, rhs);
    }
    return lhs;
}

static ir_affine parse_expr(ir_parser *p, const names *n, side missing)
{
    ir_affine lhs = parse_term(p, n, missing);
    while (lhs) {
        bool minus = ir_at_punct(p, '-');
        if (!minus && !ir_at_punct(p, '+'))
            return lhs;
        ir_next(p);
        ir_affine rhs = parse_term(p, n, RIGHT_MISSING);
        if (!rhs)
            return NULL;
        if (minus)
            rhs = ir_affine_binary(p->ctx, IR_AFFINE_MUL, rhs,
                                   ir_affine_constant(p->ctx, -1));
        lhs = ir_affine_binary(p->ctx, IR_AFFINE_ADD, lhs, rhs);
    }
    return lhs;
}

ir_affine_map ir_parse_affine_map(ir_parser *p)
{
    names n = {0};
    ir_affine results[CAPACITY];
    uint32_t count = 0;
    const char *at = p->tok.at;
    if (!parse_header(p, &n))
        return NULL;
    if (ir_at_punct(p, ':')) {
        ir_fail(p, at, "expected AffineMap, but got IntegerSet");
        return NULL;
    }
    if (!ir_accept_arrow(p)) {
        ir_fail_here(p, "expected '->' or ':'");
        return NULL;
    }
    if (!ir_expect_punct_in(p, '(', "in affine map range"))
        return NULL;
    if (!ir_accept_punct(p, ')')) {
        do {
            if (count == CAPACITY) {
                ir_fail_here(p, "affine maps take at most %d results", CAPACITY);
                return NULL;
            }
            if (!(results[count++] = parse_expr(p, &n, ALONE)))
                return NULL;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct_in(p, ')', "in affine map range"))
            return NULL;
    }
    return ir_affine_map_get(p->ctx, n.n_dims, n.n_symbols, results, count);
}

static bool parse_constraint(ir_parser *p, const names *n, ir_affine *out, bool *equality)
{
    ir_affine lhs = parse_expr(p, n, ALONE);
    if (!lhs)
        return false;
    bool greater = ir_accept_punct(p, '>'), less = !greater && ir_accept_punct(p, '<');
    *equality = !greater && !less;
    if ((*equality && !ir_accept_punct(p, '=')) || !ir_accept_punct(p, '='))
        return ir_fail(p, p->tok.at,
                       "expected '== affine-expr' or '>= affine-expr' at end of affine "
                       "constraint");
    ir_affine rhs = parse_expr(p, n, ALONE);
    if (!rhs)
        return false;
    ir_affine minus = ir_affine_constant(p->ctx, -1);
    ir_affine a = less ? rhs : lhs, b = less ? lhs : rhs;
    *out = ir_affine_binary(p->ctx, IR_AFFINE_ADD, a,
                            ir_affine_binary(p->ctx, IR_AFFINE_MUL, b, minus));
    return true;
}

ir_integer_set ir_parse_integer_set(ir_parser *p)
{
    names n = {0};
    ir_affine constraints[CAPACITY];
    bool equality[CAPACITY];
    uint32_t count = 0;
    if (!parse_header(p, &n))
        return NULL;
    if (!ir_accept_punct(p, ':')) {
        ir_fail_here(p, "expected '->' or ':'");
        return NULL;
    }
    if (!ir_expect_punct_in(p, '(', "in integer set constraint list"))
        return NULL;
    if (!ir_accept_punct(p, ')')) {
        do {
            if (count == CAPACITY) {
                ir_fail_here(p, "integer sets take at most %d constraints", CAPACITY);
                return NULL;
            }
            if (!parse_constraint(p, &n, &constraints[count], &equality[count]))
                return NULL;
            count++;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct_in(p, ')', "in integer set constraint list"))
            return NULL;
    }
    if (count == 0) { /* the empty list is the constraint 0 == 0 */
        constraints[count] = ir_affine_constant(p->ctx, 0);
        equality[count++] = true;
    }
    return ir_integer_set_get(p->ctx, n.n_dims, n.n_symbols, constraints, equality, count);
}

ir_affine ir_parse_affine_of_values(ir_parser *p, ir_affine_uses *uses)
{
    names n = {.values = uses};
    return parse_expr(p, &n, ALONE);
}

ir_affine_map ir_parse_affine_access(ir_parser *p, ir_affine_uses *uses)
{
    ir_affine results[CAPACITY];
    uint32_t count = 0;
    if (!ir_expect_punct(p, '['))
        return NULL;
    if (!ir_accept_punct(p, ']')) {
        do {
            if (count == CAPACITY) {
                ir_fail_here(p, "affine maps take at most %d results", CAPACITY);
                return NULL;
            }
            if (!(results[count++] = ir_parse_affine_of_values(p, uses)))
                return NULL;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ']'))
            return NULL;
    }
    return ir_affine_map_get(p->ctx, uses->dims.count, uses->symbols.count, results, count);
}
