/* print_affine.c: writing affine expressions, maps and sets. */
#include "ir/text/print_impl.h"

static void put_expr(ir_printer *p, ir_affine e, bool strong);

static void put_binary(ir_printer *p, ir_affine lhs, const char *op, ir_affine rhs)
{
    put_expr(p, lhs, true);
    ir_put(p, op);
    put_expr(p, rhs, true);
}

static void put_sum(ir_printer *p, ir_affine e)
{
    ir_affine rhs = e->rhs;
    if (rhs->kind == IR_AFFINE_MUL && rhs->rhs->kind == IR_AFFINE_CONSTANT &&
        rhs->rhs->value < 0) {
        put_expr(p, e->lhs, false);
        ir_put(p, " - ");
        if (rhs->rhs->value == -1) {
            put_expr(p, rhs->lhs, rhs->lhs->kind == IR_AFFINE_ADD);
        } else {
            put_expr(p, rhs->lhs, true);
            ir_putf(p, " * %lld", (long long)-rhs->rhs->value);
        }
        return;
    }
    put_expr(p, e->lhs, false);
    if (rhs->kind == IR_AFFINE_CONSTANT && rhs->value < 0) {
        ir_putf(p, " - %lld", (long long)-rhs->value);
        return;
    }
    ir_put(p, " + ");
    put_expr(p, rhs, false);
}

/* Prints a dimension or symbol, or the value that it is bound to. */
static void put_value_of(ir_printer *p, ir_affine e)
{
    bool symbol = e->kind == IR_AFFINE_SYMBOL;
    size_t at = (size_t)e->value + (symbol ? p->affine_dims : 0);
    if (symbol)
        ir_put(p, "symbol(");
    if (at < p->affine_count) /* else the operation is malformed */
        ir_put_value(p, p->affine_operands[at].value);
    else
        ir_put(p, "<<MISSING>>");
    if (symbol)
        ir_putc(p, ')');
}

static void put_expr(ir_printer *p, ir_affine e, bool strong)
{
    if (p->affine_operands && e->kind <= IR_AFFINE_SYMBOL) {
        put_value_of(p, e);
        return;
    }
    switch (e->kind) {
    case IR_AFFINE_DIM:
        ir_putf(p, "d%lld", (long long)e->value);
        return;
    case IR_AFFINE_SYMBOL:
        ir_putf(p, "s%lld", (long long)e->value);
        return;
    case IR_AFFINE_CONSTANT:
        ir_put_int(p, e->value);
        return;
    default:
        break;
    }
    if (strong)
        ir_putc(p, '(');
    if (e->kind == IR_AFFINE_ADD) {
        put_sum(p, e);
    } else if (e->kind == IR_AFFINE_MUL && e->rhs->kind == IR_AFFINE_CONSTANT &&
               e->rhs->value == -1) {
        ir_putc(p, '-');
        put_expr(p, e->lhs, true);
    } else {
        put_binary(p, e->lhs,
                   e->kind == IR_AFFINE_MUL        ? " * "
                   : e->kind == IR_AFFINE_FLOORDIV ? " floordiv "
                   : e->kind == IR_AFFINE_CEILDIV  ? " ceildiv "
                                                   : " mod ",
                   e->rhs);
    }
    if (strong)
        ir_putc(p, ')');
}

void ir_put_affine_of_values(ir_printer *p, ir_affine expr, const ir_operand *operands,
                             uint32_t count, uint32_t n_dims)
{
    p->affine_operands = operands;
    p->affine_count = count;
    p->affine_dims = n_dims;
    put_expr(p, expr, false);
    p->affine_operands = NULL;
}

static void put_dims_symbols(ir_printer *p, uint32_t dims, uint32_t symbols)
{
    ir_putc(p, '(');
    for (uint32_t i = 0; i < dims; i++)
        ir_putf(p, "%sd%u", i ? ", " : "", i);
    ir_putc(p, ')');
    if (!symbols)
        return;
    ir_putc(p, '[');
    for (uint32_t i = 0; i < symbols; i++)
        ir_putf(p, "%ss%u", i ? ", " : "", i);
    ir_putc(p, ']');
}

void ir_put_affine_map(ir_printer *p, ir_affine_map map)
{
    put_dims_symbols(p, map->n_dims, map->n_symbols);
    ir_put(p, " -> (");
    for (uint32_t i = 0; i < map->n_results; i++) {
        if (i)
            ir_put(p, ", ");
        put_expr(p, map->results[i], false);
    }
    ir_putc(p, ')');
}

void ir_put_integer_set(ir_printer *p, ir_integer_set set)
{
    put_dims_symbols(p, set->n_dims, set->n_symbols);
    ir_put(p, " : (");
    for (uint32_t i = 0; i < set->n_constraints; i++) {
        if (i)
            ir_put(p, ", ");
        put_expr(p, set->constraints[i], false);
        ir_put(p, set->is_equality[i] ? " == 0" : " >= 0");
    }
    ir_putc(p, ')');
}
