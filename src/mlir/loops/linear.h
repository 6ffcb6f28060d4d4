/* linear.h: sums of integers that are not negative, and whether they can all hold. */
#ifndef TILEWRIGHT_MLIR_LOOPS_LINEAR_H
#define TILEWRIGHT_MLIR_LOOPS_LINEAR_H

#include "support/base.h"

enum { LINEAR_VARIABLES = 24, LINEAR_ROWS = 192 };

/* Each row: the sum of factors times variables, and row[LINEAR_VARIABLES], is >= 0. */
typedef struct linear_set {
    size_t n_rows;
    int64_t rows[LINEAR_ROWS][LINEAR_VARIABLES + 1];
} linear_set;

/* Adds a row; one that holds anyway is left out. */
void linear_add(linear_set *set, const int64_t *row);
/* Whether no integers satisfy all rows.  False where that is not found out: rows are
 * combined without loss for rational numbers, with what integers allow to be rounded. */
bool linear_is_empty(const linear_set *set);

#endif
