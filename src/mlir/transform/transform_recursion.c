/* transform_recursion.c: named sequences must not include themselves, directly or through
 * others: they could not be executed. */
#include "mlir/transform/transform.h"
#include "mlir/transform/transform_hooks.h"
#include "support/hash.h"

#include <stdlib.h>

/* The include graph: the includes of sequence i are at includes[first[i]..first[i + 1]). */
typedef struct graph {
    ir_mapping *index; /* sequence -> its index + 1 */
    ir_op **sequences;
    size_t n, capacity;
    size_t *first, n_first, first_capacity;
    uint32_t *includes;
    size_t n_includes, includes_capacity;
} graph;

static ir_walk add_sequence(ir_op *op, void *user)
{
    graph *g = user;
    if (!ir_op_is(op, TRANSFORM_OP(named_sequence)))
        return IR_WALK_ON;
    TW_PUSH(g->sequences, g->n, g->capacity, op);
    ir_mapping_set(g->index, op, (void *)(uintptr_t)g->n);
    return IR_WALK_SKIP; /* they do not nest */
}

static ir_walk add_include(ir_op *op, void *user)
{
    graph *g = user;
    ir_attr name = ir_op_is(op, TRANSFORM_OP(include)) ? ir_op_attr(op, "target") : NULL;
    ir_op *target =
        ir_attr_is(name, IR_ATTR_SYMBOL_REF) ? ir_symbol_resolve(op, name) : NULL;
    uintptr_t known = target ? (uintptr_t)ir_mapping_get(g->index, target) : 0;
    if (known)
        TW_PUSH(g->includes, g->n_includes, g->includes_capacity, (uint32_t)(known - 1));
    return IR_WALK_ON;
}

/* `path` lists sequences of which each includes the next, the last one that of `from`. */
static bool report(const graph *g, const uint32_t *path, size_t from, size_t depth)
{
    const ir_op *last = g->sequences[path[depth - 1]];
    ir_error(last->ctx, last->loc, "recursion not allowed in named sequences");
    for (size_t i = depth - 1; i-- > from;)
        ir_note(last->ctx, g->sequences[path[i]]->loc, "operation on recursion stack");
    return false;
}

/* Depth first, with an explicit stack: chains may be long. */
static bool check_from(const graph *g, uint32_t root, uint8_t *state, uint32_t *path,
                       size_t *next)
{
    enum { NEW, OPEN, DONE };
    size_t depth = 0;
    path[depth++] = root;
    state[root] = OPEN;
    next[root] = g->first[root];
    while (depth) {
        uint32_t at = path[depth - 1];
        if (next[at] == g->first[at + 1]) {
            state[at] = DONE;
            depth--;
            continue;
        }
        uint32_t to = g->includes[next[at]++];
        if (state[to] == OPEN) {
            size_t from = 0;
            while (path[from] != to)
                from++;
            return report(g, path, from, depth);
        }
        if (state[to] == DONE)
            continue;
        state[to] = OPEN;
        next[to] = g->first[to];
        path[depth++] = to;
    }
    return true;
}

bool transform_check_recursion(ir_op *table)
{
    graph g = {.index = ir_mapping_create()};
    ir_walk_pre(table, add_sequence, &g);
    for (size_t i = 0; i < g.n; i++) {
        TW_PUSH(g.first, g.n_first, g.first_capacity, g.n_includes);
        ir_walk_pre(g.sequences[i], add_include, &g);
    }
    TW_PUSH(g.first, g.n_first, g.first_capacity, g.n_includes);
    uint8_t *state = tw_xcalloc(g.n + 1, sizeof *state);
    uint32_t *path = tw_xcalloc(g.n + 1, sizeof *path);
    size_t *next = tw_xcalloc(g.n + 1, sizeof *next);
    bool ok = true;
    for (size_t i = 0; ok && i < g.n; i++)
        ok = state[i] || check_from(&g, (uint32_t)i, state, path, next);
    free(state);
    free(path);
    free(next);
    free(g.sequences);
    free(g.first);
    free(g.includes);
    ir_mapping_free(g.index);
    return ok;
}
