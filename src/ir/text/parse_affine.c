/* parse_affine.c: affine maps and integer sets.
 *
 *   map  = dims [symbols] "->" "(" [ expr , ... ] ")"
 *   set  = dims [symbols] ":" "(" [ expr ( ">=" | "<=" | "==" ) expr , ... ] ")"
 *   expr = term { ("+" | "-") term }      term = factor { ("*" | floordiv | ceildiv | mod)
 * factor } */
#include "ir/text/parser.h"

enum { MOST = 64 };

typedef struct names {
    tw_str dims[MOST], symbols[MOST];
    uint32_t n_dims, n_symbols;
} names;

static bool parse_names(ir_parser *p, char open, char close, tw_str *out, uint32_t *count)
{
    if (!ir_expect_punct(p, open))
        return false;
    if (ir_accept_punct(p, close))
        return true;
    do {
        if (*count == MOST)
            return ir_fail_here(p, "affine maps take at most %d dimensions and symbols",
                                MOST);
        if (p->tok.kind != IR_TOK_BARE_ID)
            return ir_fail_here(p, "expected bare identifier");
        out[(*count)++] = ir_tok_str(p);
        ir_next(p);
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, close);
}

static bool parse_header(ir_parser *p, names *n)
{
    return parse_names(p, '(', ')', n->dims, &n->n_dims) &&
           (!ir_at_punct(p, '[') || parse_names(p, '[', ']', n->symbols, &n->n_symbols));
}

static ir_affine parse_expr(ir_parser *p, const names *n);

static ir_affine parse_factor(ir_parser *p, const names *n)
{
    int64_t value;
    if (++p->depth > IR_MAX_NESTING) {
        ir_fail_here(p, "expressions nest deeper than %d levels", IR_MAX_NESTING);
        return NULL;
    }
    ir_affine result = NULL;
    if (p->tok.kind == IR_TOK_BARE_ID) {
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
        if (ir_parse_int(p, &value))
            result = ir_affine_constant(p->ctx, value);
    } else if (ir_accept_punct(p, '(')) {
        if (ir_at_punct(p, ')'))
            ir_fail_here(p, "no expression inside parentheses");
        else
            result = parse_expr(p, n);
        if (result && !ir_expect_punct(p, ')'))
            result = NULL;
    } else if (ir_accept_punct(p, '-')) {
        ir_affine operand = parse_factor(p, n);
        if (operand)
            result = ir_affine_binary(p->ctx, IR_AFFINE_MUL, operand,
                                      ir_affine_constant(p->ctx, -1));
    } else {
        ir_fail_here(p, "expected affine expression");
    }
    p->depth--;
    return result;
}

static bool has_dim(ir_affine e)
{
    return e->kind == IR_AFFINE_DIM || (e->lhs && (has_dim(e->lhs) || has_dim(e->rhs)));
}

static ir_affine parse_term(ir_parser *p, const names *n)
{
    ir_affine lhs = parse_factor(p, n);
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
        ir_affine rhs = parse_factor(p, n);
        if (!rhs)
            return NULL;
        if (kind == IR_AFFINE_MUL ? has_dim(lhs) && has_dim(rhs) : has_dim(rhs)) {
            ir_fail(p, at, "non-affine expression: %s",
                    kind == IR_AFFINE_MUL ? "at least one of the multiply operands has to "
                                            "be either a constant or "
                                            "symbolic"
                                          : "right operand of floordiv, ceildiv and mod "
                                            "has to be either a constant "
                                            "or symbolic");
            return NULL;
        }
        lhs = ir_affine_binary(p->ctx, kind, lhs, rhs);
    }
    return lhs;
}

static ir_affine parse_expr(ir_parser *p, const names *n)
{
    ir_affine lhs = parse_term(p, n);
    while (lhs) {
        bool minus = ir_at_punct(p, '-');
        if (!minus && !ir_at_punct(p, '+'))
            return lhs;
        ir_next(p);
        ir_affine rhs = parse_term(p, n);
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
    ir_affine results[MOST];
    uint32_t count = 0;
    if (!parse_header(p, &n) || !ir_expect_arrow(p) || !ir_expect_punct(p, '('))
        return NULL;
    if (!ir_accept_punct(p, ')')) {
        do {
            if (count == MOST) {
                ir_fail_here(p, "affine maps take at most %d results", MOST);
                return NULL;
            }
            if (!(results[count++] = parse_expr(p, &n)))
                return NULL;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ')'))
            return NULL;
    }
    return ir_affine_map_get(p->ctx, n.n_dims, n.n_symbols, results, count);
}

static bool parse_constraint(ir_parser *p, const names *n, ir_affine *out, bool *equality)
{
    ir_affine lhs = parse_expr(p, n);
    if (!lhs)
        return false;
    bool greater = ir_accept_punct(p, '>'), less = !greater && ir_accept_punct(p, '<');
    *equality = !greater && !less;
    if ((*equality && !ir_expect_punct(p, '=')) || !ir_expect_punct(p, '='))
        return false;
    ir_affine rhs = parse_expr(p, n);
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
    ir_affine constraints[MOST];
    bool equality[MOST];
    uint32_t count = 0;
    if (!parse_header(p, &n) || !ir_expect_punct(p, ':') || !ir_expect_punct(p, '('))
        return NULL;
    if (!ir_accept_punct(p, ')')) {
        do {
            if (count == MOST) {
                ir_fail_here(p, "integer sets take at most %d constraints", MOST);
                return NULL;
            }
            if (!parse_constraint(p, &n, &constraints[count], &equality[count]))
                return NULL;
            count++;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ')'))
            return NULL;
    }
    if (count == 0) { /* the empty list is the constraint 0 == 0 */
        constraints[count] = ir_affine_constant(p->ctx, 0);
        equality[count++] = true;
    }
    return ir_integer_set_get(p->ctx, n.n_dims, n.n_symbols, constraints, equality, count);
}
