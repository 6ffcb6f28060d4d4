/* canonicalize.c: canonical forms of maps with their values: affine.apply is composed into
 * the maps that use it, dimensions that are valid symbols become symbols, duplicates are
 * merged, constants are folded; expressions are simplified. */
#include "mlir/affine/affine.h"
#include "mlir/affine/mapping.h"
#include "mlir/passes/canonical.h"

/* Canonicalizes the map in attribute `name`, whose values are the operand group `group`
 * from index `skip` on; returns whether that changes it. */
static bool simplify_map(ir_op *op, rw_rewriter *rw, const char *name, size_t group)
{
    affine_mapping m;
    ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
    size_t first, count;
    ir_affine_map old = ir_op_attr(op, name)->map;
    if (!ir_op_operand_group(op, group, &first, &count) ||
        !affine_mapping_begin(op, old, first, &m))
        return false;
    m.in_loops =
        strcmp(name, "map") == 0; /* loop bounds are not narrowed by surrounding loops */
    affine_mapping_compose(&m);
    ir_affine_map map = affine_mapping_map(&m);
    if (map == old && affine_mapping_same_values(op, first, count, &m))
        return false;
    size_t n = affine_mapping_values(&m, values);
    ir_op_set_attr(op, name, ir_affine_map_attr(op->ctx, map));
    ir_op_set_operand_group(op, group, values, n);
    rw_modified(rw, op);
    return true;
}

/* Operations whose canonical form is a new operation: discardable attributes are
 * dropped. */
static bool recreate(ir_op *op, rw_rewriter *rw, size_t group)
{
    if (!simplify_map(op, rw, "map", group))
        return false;
    op->attrs = NULL;
    return true;
}

static bool simplify_access(ir_op *op, rw_rewriter *rw)
{
    return recreate(op, rw, op->def->operands.count - 1);
}

static bool simplify_apply(ir_op *op, rw_rewriter *rw)
{
    return recreate(op, rw, 0);
}

/* ---- affine.min, affine.max --------------------------------------------------------- */

/* Merges an affine.min operand into this one, replacing it by its results. */
static bool merge_inner(ir_op *op, rw_rewriter *rw)
{
    affine_mapping m, inner;
    ir_affine_map map = ir_op_attr(op, "map")->map;
    if (!affine_mapping_begin(op, map, 0, &m))
        return false;
    for (uint32_t k = 0; k < m.n_results; k++) {
        ir_affine e = m.results[k];
        bool is_dim = e->kind == IR_AFFINE_DIM;
        if (!is_dim && e->kind != IR_AFFINE_SYMBOL)
            continue;
        const ir_op *producer = ir_value_def((is_dim ? m.dims : m.symbols)[e->value]);
        if (!ir_op_is(producer, op->def) ||
            !affine_mapping_begin(producer, ir_op_attr(producer, "map")->map, 0, &inner) ||
            m.n_dims + inner.n_dims > AFFINE_MAPPING_CAPACITY ||
            m.n_symbols + inner.n_symbols > AFFINE_MAPPING_CAPACITY ||
            m.n_results + inner.n_results > AFFINE_MAPPING_CAPACITY)
            continue;
        ir_affine dims[AFFINE_MAPPING_CAPACITY], symbols[AFFINE_MAPPING_CAPACITY];
        for (uint32_t i = 0; i < inner.n_dims; i++) {
            dims[i] = ir_affine_dim(m.ctx, m.n_dims + i);
            m.dims[m.n_dims + i] = inner.dims[i];
        }
        for (uint32_t i = 0; i < inner.n_symbols; i++) {
            symbols[i] = ir_affine_symbol(m.ctx, m.n_symbols + i);
            m.symbols[m.n_symbols + i] = inner.symbols[i];
        }
        memmove(m.results + k, m.results + k + 1,
                (m.n_results - k - 1) * sizeof *m.results);
        m.n_results--;
        for (uint32_t i = 0; i < inner.n_results; i++)
            m.results[m.n_results++] =
                ir_affine_replace(m.ctx, inner.results[i], dims, symbols);
        m.n_dims += inner.n_dims;
        m.n_symbols += inner.n_symbols;
        ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
        size_t n = affine_mapping_values(&m, values);
        ir_op_set_attr(op, "map", ir_affine_map_attr(op->ctx, affine_mapping_map(&m)));
        ir_op_set_operand_group(op, 0, values, n);
        rw_modified(rw, op);
        return true;
    }
    return false;
}

/* Sums are ordered by the coefficients of their terms; other expressions have no order. */
typedef struct ranked {
    ir_affine e;
    int64_t factors[AFFINE_MAPPING_CAPACITY + 1];
} ranked;

static int compare(const ranked *a, const ranked *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a->factors[i] != b->factors[i])
            return a->factors[i] < b->factors[i] ? -1 : 1;
    return 0;
}

static bool set_results(ir_op *op, rw_rewriter *rw, affine_mapping *m)
{
    ir_affine_map map = affine_mapping_map(m);
    if (map == ir_op_attr(op, "map")->map)
        return false;
    ir_op_set_attr(op, "map", ir_affine_map_attr(op->ctx, map));
    rw_modified(rw, op);
    return true;
}

static bool sort_results(ir_op *op, rw_rewriter *rw)
{
    enum { MAX_RESULTS = 32 };
    affine_mapping m;
    ranked r[MAX_RESULTS];
    if (!affine_mapping_begin(op, ir_op_attr(op, "map")->map, 0, &m) ||
        m.n_results > MAX_RESULTS || m.n_dims + m.n_symbols > AFFINE_MAPPING_CAPACITY)
        return false;
    for (uint32_t i = 0; i < m.n_results; i++) {
        r[i].e = m.results[i];
        if (!ir_affine_factors(m.ctx, r[i].e, m.n_dims, m.n_symbols, r[i].factors))
            return false;
    }
    for (uint32_t i = 1; i < m.n_results; i++)
        for (uint32_t k = i;
             k > 0 && compare(&r[k], &r[k - 1], m.n_dims + m.n_symbols + 1) < 0; k--) {
            ranked swap = r[k];
            r[k] = r[k - 1];
            r[k - 1] = swap;
        }
    for (uint32_t i = 0; i < m.n_results; i++)
        m.results[i] = r[i].e;
    return set_results(op, rw, &m);
}

/* Removes duplicate results. */
static bool drop_duplicates(ir_op *op, rw_rewriter *rw)
{
    affine_mapping m;
    uint32_t n = 0;
    if (!affine_mapping_begin(op, ir_op_attr(op, "map")->map, 0, &m))
        return false;
    for (uint32_t i = 0; i < m.n_results; i++) {
        uint32_t k = 0;
        while (k < n && m.results[k] != m.results[i])
            k++;
        if (k == n)
            m.results[n++] = m.results[i];
    }
    m.n_results = n;
    return set_results(op, rw, &m);
}

/* The minimum (or maximum) of a map's results if all are constant. */
static bool extreme(ir_affine_map map, bool greatest, int64_t *out)
{
    for (uint32_t i = 0; i < map->n_results; i++) {
        if (map->results[i]->kind != IR_AFFINE_CONSTANT)
            return false;
        int64_t v = map->results[i]->value;
        *out = i == 0 ? v : greatest ? TW_MAX(*out, v) : TW_MIN(*out, v);
    }
    return map->n_results > 0;
}

static bool simplify_extreme(ir_op *op, rw_rewriter *rw)
{
    affine_mapping m;
    ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
    if (drop_duplicates(op, rw) || merge_inner(op, rw) || simplify_map(op, rw, "map", 0) ||
        sort_results(op, rw))
        return true;
    if (!affine_mapping_begin(op, ir_op_attr(op, "map")->map, 0, &m) || m.n_results != 1)
        return false;
    rw_replace1(rw, op,
                ir_build1(&rw->b, AFFINE_OP(apply), op->results[0].type, values,
                          affine_mapping_values(&m, values),
                          IR_ATTRS({"map", ir_op_attr(op, "map")})));
    return true;
}

/* ---- affine.for, affine.if ---------------------------------------------------------- */

/* Merges equal results of a bound; a bound of constants becomes one constant. */
static bool simplify_bound(ir_op *op, rw_rewriter *rw, bool lower)
{
    const char *name = lower ? "lowerBoundMap" : "upperBoundMap";
    bool changed = simplify_map(op, rw, name, lower ? 0 : 1);
    ir_affine_map map = ir_op_attr(op, name)->map;
    ir_affine results[AFFINE_MAPPING_CAPACITY];
    uint32_t n = 0;
    int64_t bound;
    if (map->n_results > AFFINE_MAPPING_CAPACITY)
        return changed;
    if (extreme(map, lower, &bound)) {
        results[n++] = ir_affine_constant(op->ctx, bound);
    } else {
        for (uint32_t i = 0; i < map->n_results; i++) {
            uint32_t k = 0;
            while (k < n && results[k] != map->results[i])
                k++;
            if (k == n)
                results[n++] = map->results[i];
        }
    }
    if (n == map->n_results)
        return changed;
    ir_op_set_attr(
        op, name,
        ir_affine_map_attr(
            op->ctx, ir_affine_map_get(op->ctx, map->n_dims, map->n_symbols, results, n)));
    rw_modified(rw, op);
    return true;
}

static bool constant_bound(const ir_op *op, const char *name, int64_t *out)
{
    ir_affine_map map = ir_op_attr(op, name)->map;
    return map->n_results == 1 && extreme(map, false, out);
}

/* A loop that never runs, or yields its own arguments, is replaced by its initial values;
 * one that yields only values from outside is replaced by these, if it runs. */
static bool simplify_for(ir_op *op, rw_rewriter *rw)
{
    bool changed = simplify_bound(op, rw, true);
    changed |= simplify_bound(op, rw, false);
    int64_t from, to;
    ir_block *body = ir_op_body(op, 0);
    size_t first, n;
    if (changed || !body || !ir_op_operand_group(op, 2, &first, &n) || n != op->n_results)
        return changed;
    bool known = constant_bound(op, "lowerBoundMap", &from) &&
                 constant_bound(op, "upperBoundMap", &to);
    bool never = known && from >= to, runs = known && from < to;
    ir_op *yield = body->last;
    if (never ? n == 0 : body->first != yield)
        return false;
    ir_value *values[AFFINE_MAPPING_CAPACITY];
    if (n > AFFINE_MAPPING_CAPACITY)
        return false;
    for (size_t i = 0; i < n; i++) {
        ir_value *next = ir_op_operand(yield, i), *init = ir_op_operand(op, first + i);
        values[i] = never || next == body->args[i + 1] ? init : next;
        if (!never && next != body->args[i + 1] && (!runs || ir_value_block(next) == body))
            return false;
    }
    rw_replace(rw, op, values, n);
    return true;
}

/* Simplifies the conditions and their values, and folds those known to be true or false. */
static bool simplify_if(ir_op *op, rw_rewriter *rw)
{
    ir_integer_set old = ir_op_attr(op, "condition")->set;
    ir_block *then = ir_op_body(op, 0), *other = ir_op_body(op, 1);
    affine_mapping m;
    ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
    if (!then || old->n_constraints > AFFINE_MAPPING_CAPACITY)
        return false;
    if (other && op->n_results == 0 && other->first == other->last) {
        rw_erase(rw, other->last);
        ir_block_erase(op->ctx, other);
        rw_modified(rw, op);
        return true;
    }
    ir_affine_map conditions = ir_affine_map_get(op->ctx, old->n_dims, old->n_symbols,
                                                 old->constraints, old->n_constraints);
    if (!affine_mapping_begin(op, conditions, 0, &m))
        return false;
    affine_mapping_compose(&m);
    ir_integer_set set = ir_integer_set_get(op->ctx, m.n_dims, m.n_symbols, m.results,
                                            old->is_equality, m.n_results);
    if (set != old || !affine_mapping_same_values(op, 0, op->n_operands, &m)) {
        size_t n = affine_mapping_values(&m, values);
        ir_op_set_attr(op, "condition", ir_integer_set_attr(op->ctx, set));
        ir_op_splice_operands(op, 0, op->n_operands, values, n);
        rw_modified(rw, op);
        return true;
    }
    bool holds = true, fails = false;
    for (uint32_t i = 0; i < set->n_constraints; i++) {
        ir_affine e = set->constraints[i];
        bool number = e->kind == IR_AFFINE_CONSTANT;
        bool fine = number && (set->is_equality[i] ? e->value == 0 : e->value >= 0);
        holds &= fine;
        fails |= number && !fine;
    }
    if (!holds && !fails)
        return false;
    ir_block *side = holds ? then : other;
    if (!side) {
        if (op->n_results)
            return false;
        rw_erase(rw, op);
        return true;
    }
    ir_op *yield = side->last;
    if (yield->n_operands > 2 * AFFINE_MAPPING_CAPACITY)
        return false;
    for (uint32_t i = 0; i < yield->n_operands; i++)
        values[i] = ir_op_operand(yield, i);
    if (yield->prev)
        ir_block_splice(op->block, op, side, side->first, yield->prev);
    rw_replace(rw, op, values, op->n_results);
    return true;
}

static const rw_pattern patterns[] = {
    {AFFINE_OP(apply), simplify_apply, "affine.SimplifyAffineApply"},
    {AFFINE_OP(min), simplify_extreme, "affine.SimplifyAffineMin"},
    {AFFINE_OP(max), simplify_extreme, "affine.SimplifyAffineMax"},
    {AFFINE_OP(load), simplify_access, "affine.SimplifyAffineLoad"},
    {AFFINE_OP(store), simplify_access, "affine.SimplifyAffineStore"},
    {AFFINE_OP(prefetch), simplify_access, "affine.SimplifyAffinePrefetch"},
    {AFFINE_OP(vector_load), simplify_access, "affine.SimplifyAffineVectorLoad"},
    {AFFINE_OP(vector_store), simplify_access, "affine.SimplifyAffineVectorStore"},
    {AFFINE_OP(for), simplify_for, "affine.SimplifyAffineFor"},
    {AFFINE_OP(if), simplify_if, "affine.SimplifyAffineIf"},
};

const rw_pattern_table canonicalize_affine = {patterns, TW_COUNT(patterns)};
