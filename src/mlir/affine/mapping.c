/* mapping.c: see mapping.h. */
#include "mlir/affine/mapping.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/affine/ranges.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "mlir/tensor/tensor.h"

/* ---- symbols ------------------------------------------------------------------------ */

static bool is_scope(const ir_op *op)
{
    return op && (op->def == FUNC_OP(func) || op->def == BUILTIN_OP(module));
}

/* Values that are valid symbols: defined at the top of the function, constants, sizes of
 * such memory, and values computed from them. */
static bool is_symbol(const ir_value *v, unsigned depth)
{
    const ir_op *producer = ir_value_def(v);
    if (v->type->kind != IR_TYPE_INDEX || depth == 0)
        return false;
    if (is_scope(ir_value_block(v)->region->owner))
        return true;
    if (!producer)
        return false;
    if (producer->def->traits & IR_CONSTANT_LIKE)
        return true;
    if (producer->def == AFFINE_OP(apply)) {
        for (uint32_t i = 0; i < producer->n_operands; i++)
            if (!is_symbol(ir_op_operand(producer, i), depth - 1))
                return false;
        return true;
    }
    if (producer->def == MEMREF_OP(dim) || producer->def == TENSOR_OP(dim))
        return is_scope(ir_value_block(ir_op_operand(producer, 0))->region->owner);
    return false;
}

/* ---- mappings ----------------------------------------------------------------------- */

bool affine_mapping_begin(const ir_op *op, ir_affine_map map, size_t first,
                          affine_mapping *m)
{
    *m = (affine_mapping){.ctx = op->ctx,
                          .n_dims = map->n_dims,
                          .n_symbols = map->n_symbols,
                          .n_results = map->n_results};
    if (map->n_dims > AFFINE_MAPPING_CAPACITY || map->n_symbols > AFFINE_MAPPING_CAPACITY ||
        map->n_results > AFFINE_MAPPING_CAPACITY)
        return false;
    for (uint32_t i = 0; i < map->n_results; i++)
        m->results[i] = map->results[i];
    for (uint32_t i = 0; i < map->n_dims; i++)
        m->dims[i] = ir_op_operand(op, first + i);
    for (uint32_t i = 0; i < map->n_symbols; i++)
        m->symbols[i] = ir_op_operand(op, first + map->n_dims + i);
    return true;
}

static void replace_all(affine_mapping *m, const ir_affine *dims, const ir_affine *symbols)
{
    for (uint32_t i = 0; i < m->n_results; i++)
        m->results[i] = ir_affine_replace(m->ctx, m->results[i], dims, symbols);
}

/* Dimensions whose values are valid symbols become symbols, after the others. */
static void promote(affine_mapping *m)
{
    ir_affine dims[AFFINE_MAPPING_CAPACITY];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->n_dims; i++) {
        if (is_symbol(m->dims[i], AFFINE_MAPPING_CAPACITY) &&
            m->n_symbols < AFFINE_MAPPING_CAPACITY) {
            dims[i] = ir_affine_symbol(m->ctx, m->n_symbols);
            m->symbols[m->n_symbols++] = m->dims[i];
        } else {
            dims[i] = ir_affine_dim(m->ctx, kept);
            m->dims[kept++] = m->dims[i];
        }
    }
    replace_all(m, dims, NULL);
    m->n_dims = kept;
}

static bool is_used(const affine_mapping *m, ir_affine_kind kind, uint32_t i)
{
    for (uint32_t k = 0; k < m->n_results; k++)
        if (ir_affine_mentions(m->results[k], kind, i))
            return true;
    return false;
}

/* Drops unused values, merges duplicates, and folds constant symbols. */
static void compact(affine_mapping *m)
{
    ir_affine dims[AFFINE_MAPPING_CAPACITY], symbols[AFFINE_MAPPING_CAPACITY];
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_dims; i++) {
        uint32_t same = 0;
        dims[i] = NULL;
        if (!is_used(m, IR_AFFINE_DIM, i))
            continue;
        while (same < n && m->dims[same] != m->dims[i])
            same++;
        dims[i] = ir_affine_dim(m->ctx, same);
        if (same == n)
            m->dims[n++] = m->dims[i];
    }
    uint32_t n_dims = n;
    n = 0;
    for (uint32_t i = 0; i < m->n_symbols; i++) {
        uint32_t same = 0;
        symbols[i] = NULL;
        if (!is_used(m, IR_AFFINE_SYMBOL, i))
            continue;
        ir_attr value = rw_constant(m->symbols[i]);
        if (ir_attr_is(value, IR_ATTR_INTEGER)) {
            symbols[i] = ir_affine_constant(m->ctx, value->value);
            continue;
        }
        while (same < n && m->symbols[same] != m->symbols[i])
            same++;
        symbols[i] = ir_affine_symbol(m->ctx, same);
        if (same == n)
            m->symbols[n++] = m->symbols[i];
    }
    replace_all(m, dims, symbols);
    m->n_dims = n_dims;
    m->n_symbols = n;
}

void affine_mapping_canonicalize(affine_mapping *m)
{
    promote(m);
    compact(m);
}

/* Composes the affine.apply that defines one of the values into the expression. */
static bool replace_value(affine_mapping *m, bool is_dim, uint32_t i)
{
    ir_affine dims[AFFINE_MAPPING_CAPACITY] = {NULL},
              symbols[AFFINE_MAPPING_CAPACITY] = {NULL};
    ir_value *v = is_dim ? m->dims[i] : m->symbols[i];
    const ir_op *apply = v ? ir_value_def(v) : NULL;
    affine_mapping inner;
    if (!ir_op_is(apply, AFFINE_OP(apply)) ||
        !affine_mapping_begin(apply, ir_op_attr(apply, "map")->map, 0, &inner))
        return false;
    affine_mapping_canonicalize(&inner);
    if (m->n_dims + inner.n_dims > AFFINE_MAPPING_CAPACITY ||
        m->n_symbols + inner.n_symbols > AFFINE_MAPPING_CAPACITY)
        return false;
    for (uint32_t k = 0; k < inner.n_dims; k++)
        dims[k] = ir_affine_dim(m->ctx, m->n_dims + k);
    for (uint32_t k = 0; k < inner.n_symbols; k++)
        symbols[k] = ir_affine_symbol(m->ctx, m->n_symbols + k);
    ir_affine e = ir_affine_replace(m->ctx, inner.results[0], dims, symbols);
    memcpy(m->dims + m->n_dims, inner.dims, inner.n_dims * sizeof *inner.dims);
    memcpy(m->symbols + m->n_symbols, inner.symbols,
           inner.n_symbols * sizeof *inner.symbols);
    memset(dims, 0, sizeof dims);
    memset(symbols, 0, sizeof symbols);
    *(is_dim ? &dims[i] : &symbols[i]) = e;
    *(is_dim ? &m->dims[i] : &m->symbols[i]) = NULL;
    replace_all(m, dims, symbols);
    m->n_dims += inner.n_dims;
    m->n_symbols += inner.n_symbols;
    return true;
}

void affine_mapping_compose(affine_mapping *m)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < m->n_dims && !changed; i++)
            changed = replace_value(m, true, i);
        for (uint32_t i = 0; i < m->n_symbols && !changed; i++)
            changed = replace_value(m, false, i);
    }
    /* the replaced ones are now unused */
    ir_affine dims[AFFINE_MAPPING_CAPACITY], symbols[AFFINE_MAPPING_CAPACITY];
    uint32_t n_dims = 0, n_symbols = 0;
    for (uint32_t i = 0; i < m->n_dims; i++) {
        dims[i] = ir_affine_dim(m->ctx, n_dims);
        if (m->dims[i])
            m->dims[n_dims++] = m->dims[i];
    }
    for (uint32_t i = 0; i < m->n_symbols; i++) {
        symbols[i] = ir_affine_symbol(m->ctx, n_symbols);
        if (m->symbols[i])
            m->symbols[n_symbols++] = m->symbols[i];
    }
    replace_all(m, dims, symbols);
    m->n_dims = n_dims;
    m->n_symbols = n_symbols;
    affine_mapping_canonicalize(m);
    for (uint32_t i = 0; i < m->n_results; i++)
        m->results[i] = ir_affine_simplify(
            m->ctx,
            m->in_loops ? affine_narrow(m->ctx, m->results[i], m->dims, m->n_dims)
                        : m->results[i],
            m->n_dims, m->n_symbols);
    compact(m);
}

ir_affine_map affine_mapping_map(const affine_mapping *m)
{
    return ir_affine_map_get(m->ctx, m->n_dims, m->n_symbols, m->results, m->n_results);
}

size_t affine_mapping_values(const affine_mapping *m,
                             ir_value *out[2 * AFFINE_MAPPING_CAPACITY])
{
    memcpy(out, m->dims, m->n_dims * sizeof *out);
    memcpy(out + m->n_dims, m->symbols, m->n_symbols * sizeof *out);
    return m->n_dims + m->n_symbols;
}

bool affine_mapping_same_values(const ir_op *op, size_t first, size_t count,
                                const affine_mapping *m)
{
    ir_value *values[2 * AFFINE_MAPPING_CAPACITY];
    if (affine_mapping_values(m, values) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (ir_op_operand(op, first + i) != values[i])
            return false;
    return true;
}
