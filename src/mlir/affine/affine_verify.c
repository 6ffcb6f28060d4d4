/* affine_verify.c: verifies operands of maps, block arguments of loops, and results.
 *
 * The printers and readers rely on these rules.  Messages are mlir-opt's. */
#include "mlir/affine/affine.h"
#include "mlir/affine/affine_hooks.h"
#include "mlir/arith/arith.h"
#include "mlir/shared/region_flow.h"
#include "mlir/shared/shape_checks.h"

#include <stdlib.h>

/* Checks that a map has as many operands as dimensions and symbols. */
static bool map_fits(ir_op *op, ir_affine_map map, size_t count)
{
    return map->n_dims + map->n_symbols == count ||
           ir_op_error(
               op, "operand count and affine map dimension and symbol count must match");
}

/* ---- dimensions and symbols -------------------------------------------------------------
 *
 * A scope's own values are both; loops' variables are dimensions; constants and sizes are
 * symbols; of affine.apply, what its operands are; of other operations without effects, a
 * symbol where their operands are. */

static bool is_scope(const ir_op *op)
{
    return !op || (op->def->traits & (IR_FUNCTION_LIKE | IR_UNREGISTERED)) != 0;
}

static bool has_scope_size(const ir_op *op)
{
    return strcmp(op->def->name, "memref.dim") == 0 ||
           strcmp(op->def->name, "tensor.dim") == 0;
}

static bool is_of_scope(const ir_value *value)
{
    const ir_block *block = ir_value_block(value);
    return !block || !block->region || is_scope(block->region->owner);
}

/* A worklist of the operations that a value is computed from, each once: operands may be
 * shared many times, and before the dominance check an operation may use itself. */
typedef struct sources {
    const ir_value **at;
    size_t count, capacity;
    ir_mapping *seen; /* operations */
} sources;

static void add_operands(sources *s, const ir_op *op)
{
    if (!s->seen)
        s->seen = ir_mapping_create();
    if (ir_mapping_get(s->seen, op))
        return;
    ir_mapping_set(s->seen, op, (void *)op);
    for (uint32_t i = 0; i < op->n_operands; i++)
        TW_PUSH(s->at, s->count, s->capacity, ir_op_operand(op, i));
}

/* True if all leaves that a value is computed from by some operations satisfy the
 * predicate. */
static bool consists_of(const ir_value *value, bool (*is_leaf)(const ir_value *),
                        bool (*passes)(const ir_op *))
{
    sources s = {0};
    bool ok = true;
    TW_PUSH(s.at, s.count, s.capacity, value);
    while (ok && s.count) {
        const ir_value *v = s.at[--s.count];
        const ir_op *op = ir_value_def(v);
        if (v->type->kind != IR_TYPE_INDEX)
            ok = false;
        else if (!is_leaf(v) && (ok = op && passes(op)))
            add_operands(&s, op);
    }
    if (s.seen)
        ir_mapping_free(s.seen);
    free(s.at);
    return ok;
}

static bool is_symbol_itself(const ir_value *value)
{
    const ir_op *op = ir_value_def(value);
    return is_of_scope(value) ||
           (op && ((op->def->traits & IR_CONSTANT_LIKE) || has_scope_size(op)));
}

static bool is_pure(const ir_op *op)
{
    return op->def->traits & IR_PURE;
}

static bool is_symbol(const ir_value *value)
{
    return consists_of(value, is_symbol_itself, is_pure);
}

static bool is_dim_itself(const ir_value *value)
{
    if (is_symbol(value))
        return true;
    if (ir_value_def(value))
        return false;
    const ir_block *block = ir_value_block(value);
    const ir_op *loop = block->region->owner;
    return loop->def == AFFINE_OP(parallel) ||
           (loop->def == AFFINE_OP(for) && value == block->args[0]);
}

static bool is_apply(const ir_op *op)
{
    return op->def == AFFINE_OP(apply);
}

static bool is_dim(const ir_value *value)
{
    return consists_of(value, is_dim_itself, is_apply);
}

/* Checks the operands of a map or set, from the operand `start` on. */
static bool identifiers_fit(ir_op *op, size_t start, size_t n_dims, size_t n_symbols)
{
    for (size_t i = 0; i < n_dims + n_symbols; i++) {
        const ir_value *value = ir_op_operand(op, start + i);
        if (i < n_dims && !is_dim(value))
            return ir_op_error(op, "operand cannot be used as a dimension id");
        if (i >= n_dims && !is_symbol(value))
            return ir_op_error(op, "operand cannot be used as a symbol");
    }
    return true;
}

static bool bound_fits(ir_op *op, bool lower)
{
    ir_affine_map map = ir_op_attr(op, lower ? "lowerBoundMap" : "upperBoundMap")->map;
    size_t start = 0, count = 0;
    ir_op_operand_group(op, lower ? 0 : 1, &start, &count);
    if (map->n_results == 0)
        return ir_op_error(op, "expected %s bound map to have at least one result",
                           lower ? "lower" : "upper");
    return map_fits(op, map, count) &&
           identifiers_fit(op, start, map->n_dims, map->n_symbols);
}

bool affine_for_verify(ir_op *op)
{
    size_t start = 0, count = 0;
    ir_op_operand_group(op, 2, &start, &count);
    return region_loop_counts_fit(op, (uint32_t)start, ir_op_body(op, 0));
}

bool affine_for_verify_regions(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    size_t start = 0, count = 0;
    ir_op_operand_group(op, 2, &start, &count);
    if (!region_loop_fits(op, (uint32_t)start, body))
        return false;
    if (body->args[0]->type != ir_index_type(op->ctx))
        return ir_op_error(
            op, "expected body to have a single index argument for the induction variable");
    if (ir_attr_int(ir_op_attr(op, "step"), 0) <= 0)
        return ir_op_error(op, "expected step to be a positive integer");
    return bound_fits(op, true) && bound_fits(op, false);
}

bool affine_if_verify(ir_op *op)
{
    ir_integer_set set = ir_op_attr(op, "condition")->set;
    if (set->n_dims + set->n_symbols != op->n_operands)
        return ir_op_error(op, "operand count and condition integer set dimension and "
                               "symbol count must match");
    return identifiers_fit(op, 0, set->n_dims, set->n_symbols);
}

bool affine_apply_verify(ir_op *op)
{
    ir_affine_map map = ir_op_attr(op, "map")->map;
    if (!map_fits(op, map, op->n_operands))
        return false;
    if (op->def == AFFINE_OP(apply))
        return map->n_results == 1 || ir_op_error(op, "mapping must produce one value");
    return map->n_results > 0 || ir_op_error(op, "affine map expect at least one result");
}

/* ---- access ------------------------------------------------------------------------- */

/* The type of the value stored or loaded; NULL if none is. */
static ir_type accessed_type(const ir_op *op)
{
    if (op->def == AFFINE_OP(prefetch))
        return NULL;
    return op->n_results ? op->results[0].type : ir_op_operand(op, 0)->type;
}

/* Checks that the subscripts match the map and are valid dimensions or symbols. */
static bool check_subscripts(ir_op *op, uint32_t memory)
{
    ir_affine_map map = ir_op_attr(op, "map")->map;
    bool prefetch = op->def == AFFINE_OP(prefetch);
    if (map->n_results != ir_op_operand(op, memory)->type->count)
        return ir_op_error(op, "%saffine map num results must equal memref rank",
                           prefetch ? "affine.prefetch " : "");
    if (map->n_dims + map->n_symbols != op->n_operands - memory - 1)
        return ir_op_error(op, prefetch
                                   ? "too few operands"
                                   : "expects as many subscripts as affine map inputs");
    for (uint32_t i = memory + 1; i < op->n_operands; i++)
        if (!is_dim(ir_op_operand(op, i)))
            return ir_op_error(op, "index must be a valid dimension or symbol identifier");
    return true;
}

bool affine_access_verify(ir_op *op)
{
    uint32_t first = op->def == AFFINE_OP(store) || op->def == AFFINE_OP(vector_store);
    bool vector = op->def == AFFINE_OP(vector_load) || op->def == AFFINE_OP(vector_store);
    ir_type memory = ir_op_operand(op, first)->type, moved = accessed_type(op);
    if (vector)
        return check_subscripts(op, first) &&
               (ir_type_element(moved) == memory->element ||
                ir_op_error(op,
                            "requires memref and vector types of the same elemental type"));
    if (moved && moved != memory->element)
        return ir_op_error(
            op, "%s",
            first ? "value to store must have the same type as memref element type"
                  : "result type must match element type of memref");
    return check_subscripts(op, first);
}

/* ---- parallel ----------------------------------------------------------------------- */

/* Checks that the map has as many results as all groups together. */
static bool groups_fit(ir_op *op, ir_attr groups, ir_affine_map map, const char *which)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < ir_type_num_elements(groups->type); i++) {
        uint32_t size = (uint32_t)ir_dense_int(groups, (uint64_t)i);
        if (!size)
            return ir_op_error(op, "expected %s bound map to have at least one result",
                               which);
        sum += size;
    }
    return sum == map->n_results ||
           ir_op_error(op, "expected %s bounds map to have %lld results", which,
                       (long long)sum);
}

/* Floats for float reductions, integers for the others; reductions with a signedness
 * require integers with the same one. */
static bool reduces(int64_t kind, ir_type type)
{
    bool is_integer = type->kind == IR_TYPE_INTEGER;
    switch (kind) {
    case ARITH_AtomicRMWKind_assign:
        return true;
    case ARITH_AtomicRMWKind_addf:
    case ARITH_AtomicRMWKind_mulf:
    case ARITH_AtomicRMWKind_maximumf:
    case ARITH_AtomicRMWKind_minimumf:
        return type->kind == IR_TYPE_FLOAT;
    case ARITH_AtomicRMWKind_addi:
    case ARITH_AtomicRMWKind_muli:
    case ARITH_AtomicRMWKind_ori:
    case ARITH_AtomicRMWKind_andi:
        return is_integer;
    case ARITH_AtomicRMWKind_maxs:
    case ARITH_AtomicRMWKind_mins:
        return is_integer && type->sign == IR_SIGNED;
    case ARITH_AtomicRMWKind_maxu:
    case ARITH_AtomicRMWKind_minu:
        return is_integer && type->sign == IR_UNSIGNED;
    default:
        return false;
    }
}

static bool reductions_fit(ir_op *op)
{
    ir_attr reductions = ir_op_attr(op, "reductions");
    if (reductions->count != op->n_results)
        return ir_op_error(op, "a reduction must be specified for each output");
    for (uint32_t i = 0; i < reductions->count; i++) {
        int64_t kind = reductions->items[i]->value;
        if (!ir_enum_by_value(&arith_enum_AtomicRMWKind, kind))
            return ir_op_error(op, "invalid reduction attribute");
        if (!reduces(kind, op->results[i].type))
            return ir_op_error(op, "result type cannot match reduction attribute");
    }
    return true;
}

bool affine_parallel_verify(ir_op *op)
{
    ir_affine_map lower = ir_op_attr(op, "lowerBoundsMap")->map;
    ir_affine_map upper = ir_op_attr(op, "upperBoundsMap")->map;
    ir_attr lowers = ir_op_attr(op, "lowerBoundsGroups");
    ir_attr uppers = ir_op_attr(op, "upperBoundsGroups");
    ir_attr steps = ir_op_attr(op, "steps");
    const ir_block *body = ir_op_body(op, 0);
    uint32_t n = body ? body->n_args : 0;
    int64_t n_lower = ir_type_num_elements(lowers->type);
    int64_t n_upper = ir_type_num_elements(uppers->type);
    if (steps->count != n || n_lower != n || n_upper != n)
        return ir_op_error(
            op,
            "the number of region arguments (%u) and the number of map groups for lower "
            "(%lld) and upper bound (%lld), and the number of steps (%u) must all match",
            n, (long long)n_lower, (long long)n_upper, steps->count);
    if (!groups_fit(op, lowers, lower, "lower") ||
        !groups_fit(op, uppers, upper, "upper") || !reductions_fit(op))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (body->args[i]->type != ir_index_type(op->ctx))
            return ir_op_error(op, "expected region arguments of index type");
    return lower->n_dims + lower->n_symbols + upper->n_dims + upper->n_symbols ==
               op->n_operands ||
           ir_op_error(
               op, "operand count and affine map dimension and symbol count must match");
}

/* ---- linear indices ----------------------------------------------------------------- */

/* Checks that each dynamic entry of the basis has a value. */
static bool basis_fits(ir_op *op, ir_attr basis, size_t group)
{
    size_t first, count;
    return (ir_op_operand_group(op, group, &first, &count) &&
            shape_marks(basis) == count) ||
           ir_op_error(op, "mismatch between dynamic and static basis (kDynamic marker but "
                           "no corresponding dynamic basis entry) -- this can only happen "
                           "due to an incorrect fold/rewrite");
}

bool affine_delinearize_verify(ir_op *op)
{
    ir_attr basis = ir_op_attr(op, "static_basis");
    if (op->n_results != basis->count && op->n_results != basis->count + 1)
        return ir_op_error(op,
                           "should return an index for each basis element and up to one "
                           "extra index");
    if (!basis_fits(op, basis, 1))
        return false;
    for (uint32_t i = 0; i < basis->count; i++) {
        int64_t size = ir_dense_array_int(basis, i);
        if (size <= 0 && size != IR_DYNAMIC)
            return ir_op_error(op, "no basis element may be statically non-positive");
    }
    return true;
}

bool affine_linearize_verify(ir_op *op)
{
    ir_attr basis = ir_op_attr(op, "static_basis");
    size_t first, count = 0;
    ir_op_operand_group(op, 0, &first, &count);
    if (count != basis->count && count != basis->count + 1)
        return ir_op_error(op, "should be passed a basis element for each index except "
                               "possibly the first");
    return basis_fits(op, basis, 1);
}

/* ---- yield -------------------------------------------------------------------------- */

bool affine_yield_verify(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    if (!ir_op_is(around, AFFINE_OP(for)) && !ir_op_is(around, AFFINE_OP(if)) &&
        !ir_op_is(around, AFFINE_OP(parallel)))
        return ir_op_error(op, "only terminates affine.if/for/parallel regions");
    if (op->n_operands != around->n_results)
        return ir_op_error(
            op, "parent of yield must have same number of results as the yield operands");
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_op_operand(op, i)->type != around->results[i].type)
            return ir_op_error(op, "types mismatch between yield op and its parent");
    return true;
}
