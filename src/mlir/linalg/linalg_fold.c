/* linalg_fold.c: folds of structured operations that move nothing. */
#include "mlir/linalg/linalg_hooks.h"
#include "mlir/shared/shape_checks.h"

/* An identity permutation.  (In memory it is still a copy.) */
bool linalg_fold_transpose(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    int64_t perm[SHAPE_MAX_RANK], n = shape_ints(op, "permutation", perm);
    (void)constants;
    for (int64_t i = 0; i < n; i++)
        if (perm[i] != i)
            return false;
    if (op->n_results != 1 || n < 0)
        return false;
    results[0].value = ir_op_operand(op, 0);
    return true;
}
