/* linear.h: systems of linear integer inequalities, and their feasibility. */
#ifndef TILEWRIGHT_MLIR_LOOPS_LINEAR_H
#define TILEWRIGHT_MLIR_LOOPS_LINEAR_H

#include "support/base.h"

enum { LINEAR_VARIABLES = 24, LINEAR_ROWS = 192 };

/* Each row: the sum of coefficients times variables, and row[LINEAR_VARIABLES], is >= 0. */
typedef struct linear_set {
    size_t n_rows;
    int64_t rows[LINEAR_ROWS][LINEAR_VARIABLES + 1];
} linear_set;

/* Adds a row; one that always holds is omitted. */
void linear_add(linear_set *set, const int64_t *row);
/* True if no integers satisfy all rows.  May return false for an empty set: elimination is
 * exact for rational numbers, with the rounding that integers allow. */
bool linear_is_empty(const linear_set *set);

#endif
