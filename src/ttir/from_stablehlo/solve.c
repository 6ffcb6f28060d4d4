/* solve.c: triangular_solve by substitution, one step per matrix row.
 *
 * Every case becomes M y = r with M triangular: for a matrix on the right, the unknowns,
 * the right side and the matrix are transposed.  Once a row of y is known, its multiples
 * are subtracted from the rest of r. */
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

#include <stdlib.h>

enum { CAPACITY = 16, MAX_ROWS = 128 };

static ir_value *swap_last(ir_builder *b, ir_value *v)
{
    static const int64_t order[] = {0, 2, 1};
    return s2t_permute(b, v, order, 3);
}

/* v[:, rows, columns] */
static ir_value *part(ir_builder *b, ir_value *v, int64_t row, int64_t end, int64_t column,
                      int64_t column_end)
{
    int64_t begins[] = {0, row, column}, ends[] = {v->type->dims[0], end, column_end};
    return s2t_slice(b, v, begins, ends, NULL);
}

/* x op y, with y broadcast to x's shape. */
static ir_value *combine(ir_builder *b, const ir_op_def *def, ir_value *x, ir_value *y)
{
    y = s2t_broadcast(b, y, x->type->dims, x->type->count);
    return ir_build1(b, def, x->type, IR_VALUES(x, y), NULL, 0);
}

/* [batch, n, n] and [batch, n, m] to [batch, n, m]. */
static ir_value *substitute(ir_builder *b, ir_value *matrix, ir_value *right, bool lower,
                            bool unit)
{
    int64_t n = right->type->dims[1], m = right->type->dims[2];
    ir_type whole = right->type;
    ir_value **rows = tw_xmalloc((size_t)n * sizeof *rows);
    for (int64_t step = 0; step < n; step++) {
        /* `right` holds the remaining rows: first..end of the whole */
        int64_t i = lower ? step : n - 1 - step, left = n - step;
        int64_t first = lower ? i : 0, at = i - first;
        ir_value *row = part(b, right, at, at + 1, 0, m);
        if (!unit)
            row = combine(b, TTIR_OP(div), row, part(b, matrix, i, i + 1, i, i + 1));
        rows[i] = row;
        if (left == 1)
            break;
        int64_t rest = lower ? i + 1 : 0, end = lower ? n : i;
        right = part(b, right, rest - first, end - first, 0, m);
        ir_value *column = part(b, matrix, rest, end, i, i + 1);
        ir_value *wide_row = s2t_broadcast(b, column, right->type->dims, 3);
        right = combine(b, TTIR_OP(subtract), right,
                        combine(b, TTIR_OP(multiply), wide_row, row));
    }
    ir_value *y = rows[0];
    if (n > 1)
        y = ir_build1(b, TTIR_OP(concat), whole, rows, (size_t)n,
                      IR_ATTRS({"dim", ir_si32_attr(b->ctx, 1)}));
    free(rows);
    return y;
}

bool s2t_triangular_solve(ir_op *op, ir_builder *b)
{
    ir_value *matrix = op->operands[0].value, *right = op->operands[1].value;
    ir_type t = right->type;
    size_t rank = t->count;
    bool left_side = ir_op_bool(op, "left_side"), lower = ir_op_bool(op, "lower");
    bool transposed = ir_enum_value(ir_op_attr(op, "transpose_a"), -1) !=
                      STABLEHLO_Transpose_NO_TRANSPOSE;
    if (ir_type_element(t)->kind != IR_TYPE_FLOAT || rank < 2 || rank > CAPACITY ||
        !ir_type_has_static_shape(t) || ir_type_num_elements(t) == 0)
        return false;
    int64_t batch = 1, n = t->dims[left_side ? rank - 2 : rank - 1];
    for (size_t i = 0; i + 2 < rank; i++)
        batch *= t->dims[i];
    if (n > MAX_ROWS)
        return false;
    int64_t square[] = {batch, n, n},
            flat[] = {batch, t->dims[rank - 2], t->dims[rank - 1]};
    matrix = s2t_reshape(b, matrix, square, 3);
    right = s2t_reshape(b, right, flat, 3);
    if (!left_side)
        right = swap_last(b, right);
    if (transposed == left_side) { /* exactly one transposition */
        matrix = swap_last(b, matrix);
        lower = !lower;
    }
    ir_value *y = substitute(b, matrix, right, lower, ir_op_bool(op, "unit_diagonal"));
    if (!left_side)
        y = swap_last(b, y);
    return s2t_done(op, s2t_reshape(b, y, t->dims, rank));
}
