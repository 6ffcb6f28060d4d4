/* formula.h: builds StableHLO from mathematics written as text.
 *
 * A formula is a list of statements separated by `;`.  `name = expression` binds a value;
 * the last statement is the result.  Expressions are those of ir/rules/rules.h.  Calls are
 * StableHLO operations (formula.c has their names), other formulas, C functions, or sums
 * over tables of coefficients.
 *
 * Literals become constants of the shape and element type of the first input, or of the
 * value named `x` once there is one.  A name bound to a bare literal is one constant,
 * built at its first use.  Named literals: inf, nan, pi, largest, least, least_normal. */
#ifndef TILEWRIGHT_STABLEHLO_EXPAND_FORMULA_H
#define TILEWRIGHT_STABLEHLO_EXPAND_FORMULA_H

#include "ir/op.h"

typedef struct hlo_math {
    ir_builder *b;
    ir_value *like; /* constants get its shape */
} hlo_math;

enum { HLO_FORMULA_INPUTS = 6 };

typedef struct hlo_formula {
    const char *name;
    const char *inputs; /* names separated by spaces */
    const char *text;
    ir_value *(*build)(const hlo_math *m, ir_value *const *inputs); /* instead of text */
} hlo_formula;

/* Coefficients for poly(x, name) and chebyshev(x, name). */
typedef struct hlo_table {
    const char *name;
    const double *at;
    size_t n;
} hlo_table;

const hlo_table *hlo_find_table(tw_str name);
/* A row of formulas.c; NULL if there is none of that name. */
const hlo_formula *hlo_find_formula(tw_str name);
ir_value *hlo_build_formula(ir_builder *b, const char *name, ir_value *const *inputs);
/* The formulas one by one; NULL behind the last. */
const hlo_formula *hlo_formula_at(size_t index);
/* Builds the formula with `x` as each input; false if its text does not read well. */
bool hlo_formula_is_sound(ir_builder *b, const hlo_formula *f, ir_value *x,
                          const char **out_wrong);

/* ---- for C functions ---------------------------------------------------------------- */

/* A constant shaped like m->like, whose sizes may be known only at run time. */
ir_value *hlo_literal(const hlo_math *m, double value);
/* `value` (an attribute of an element, or of an array of two for complex numbers)
 * broadcast to `type`, which has the sizes of `like`. */
ir_value *hlo_constant_like(ir_builder *b, ir_value *like, ir_type type, ir_attr scalar);
ir_value *hlo_unary(const hlo_math *m, uint16_t row, ir_value *x);
ir_value *hlo_binary(const hlo_math *m, uint16_t row, ir_value *x, ir_value *y);
/* `direction` is a STABLEHLO_ComparisonDirection. */
ir_value *hlo_compare(ir_builder *b, int64_t direction, ir_value *x, ir_value *y);
ir_value *hlo_select(ir_builder *b, ir_value *pick, ir_value *yes, ir_value *no);
ir_value *hlo_convert_to(ir_builder *b, ir_value *x, ir_type element);

#endif
