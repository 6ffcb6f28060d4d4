/* affine_fold.c: folds maps of constants, and linearize_index and delinearize_index of
 * constants with constant bases. */
#include "mlir/affine/affine.h"
#include "mlir/affine/affine_hooks.h"

enum { CAPACITY = 64 }; /* values of a map that is evaluated */

/* ---- maps --------------------------------------------------------------------------- */

/* The operands' constant values, as far as they are known. */
static void values_of(const ir_op *op, const ir_attr *constants, int64_t *out, bool *known)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        known[i] = ir_attr_is(constants[i], IR_ATTR_INTEGER);
        out[i] = known[i] ? constants[i]->value : 0;
    }
}

static bool is_known(ir_affine e, ir_affine_map map, const bool *known)
{
    if (e->kind == IR_AFFINE_CONSTANT)
        return true;
    if (e->kind <= IR_AFFINE_SYMBOL)
        return known[e->value + (e->kind == IR_AFFINE_SYMBOL ? map->n_dims : 0)];
    return is_known(e->lhs, map, known) && is_known(e->rhs, map, known);
}

/* The minimum or maximum result (affine.apply has one) if all are constant. */
static bool fold_map(ir_op *op, const ir_attr *constants, bool greatest,
                     ir_fold_result *results)
{
    ir_affine_map map = ir_op_attr(op, "map")->map;
    int64_t values[CAPACITY], best = 0, n;
    bool known[CAPACITY];
    if (op->n_operands > CAPACITY || map->n_results == 0)
        return false;
    values_of(op, constants, values, known);
    for (uint32_t i = 0; i < map->n_results; i++) {
        ir_affine e = map->results[i];
        if (!is_known(e, map, known) ||
            !ir_affine_eval(e, values, values + map->n_dims, &n))
            return false;
        best = i == 0 ? n : greatest ? TW_MAX(best, n) : TW_MIN(best, n);
    }
    results[0].attr = ir_index_attr(op->ctx, best);
    return true;
}

bool affine_apply_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_affine_map map = ir_op_attr(op, "map")->map;
    ir_affine e = map->results[0];
    if (e->kind > IR_AFFINE_SYMBOL)
        return fold_map(op, constants, false, results);
    size_t first = e->kind == IR_AFFINE_SYMBOL ? map->n_dims : 0;
    results[0].value = ir_op_operand(op, first + (size_t)e->value);
    return true;
}

bool affine_min_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    return fold_map(op, constants, false, results);
}

bool affine_max_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    return fold_map(op, constants, true, results);
}

/* ---- linear indices ----------------------------------------------------------------- */

/* Moves known sizes into the static list; returns whether there were any.  Sizes below
 * `min` stay values: they are not allowed in the list. */
static bool fold_known_sizes(ir_op *op, const ir_attr *constants, int64_t min)
{
    ir_attr sizes = ir_op_attr(op, "static_basis");
    size_t first, count, kept = 0, next = 0;
    int64_t statics[CAPACITY];
    ir_value *values[CAPACITY];
    if (!ir_op_operand_group(op, 1, &first, &count) || sizes->count > CAPACITY)
        return false;
    for (uint32_t i = 0; i < sizes->count; i++) {
        statics[i] = ir_dense_array_int(sizes, i);
        if (statics[i] != IR_DYNAMIC)
            continue;
        size_t at = first + next++;
        ir_attr known = constants[at];
        if (ir_attr_is(known, IR_ATTR_INTEGER) && known->value >= min)
            statics[i] = known->value;
        else
            values[kept++] = ir_op_operand(op, at);
    }
    if (kept == count)
        return false;
    ir_op_set_attr(op, "static_basis", ir_dense_i64_array(op->ctx, statics, sizes->count));
    ir_op_set_operand_group(op, 1, values, kept);
    return true;
}

bool affine_delinearize_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_attr sizes = ir_op_attr(op, "static_basis");
    if (fold_known_sizes(op, constants, 1))
        return true;
    if (op->n_results == 1) { /* no division */
        results[0].value = ir_op_operand(op, 0);
        return true;
    }
    if (!ir_attr_is(constants[0], IR_ATTR_INTEGER) || op->n_operands > 1)
        return false;
    int64_t rest = constants[0]->value;
    for (uint32_t i = op->n_results, k = sizes->count; i-- > 1;) {
        int64_t size = ir_dense_array_int(sizes, --k), part = rest % size;
        part += part < 0 ? size : 0;
        results[i].attr = ir_index_attr(op->ctx, part);
        rest = rest / size - (rest % size < 0);
    }
    if (op->n_results)
        results[0].attr = ir_index_attr(op->ctx, rest);
    return op->n_results > 0;
}

bool affine_linearize_fold(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_attr sizes = ir_op_attr(op, "static_basis");
    size_t first, n;
    uint64_t sum = 0, stride = 1;
    if (fold_known_sizes(op, constants, IR_DYNAMIC + 1))
        return true;
    if (!ir_op_operand_group(op, 0, &first, &n))
        return false;
    if (n == 1) {
        results[0].value = ir_op_operand(op, first);
        return true;
    }
    if (op->n_operands > n)
        return false;
    for (size_t i = n, k = sizes->count; i-- > 0;) {
        ir_attr index = constants[first + i];
        if (!ir_attr_is(index, IR_ATTR_INTEGER))
            return false;
        sum += (uint64_t)index->value * stride;
        if (k > 0)
            stride *= (uint64_t)ir_dense_array_int(sizes, (uint32_t)--k);
    }
    results[0].attr = ir_index_attr(op->ctx, (int64_t)sum);
    return true;
}
