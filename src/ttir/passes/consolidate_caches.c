/* consolidate_caches.c: ttir-consolidate-static-cache-updates: the lengths of a model's
 * caches, one argument for each layer, are equal; one of them replaces the others.
 *
 * An argument is such a length if it is added a constant that is returned, and leads to the
 * index at which a cache is updated. Arguments of one type and one increment are taken to
 * be equal when the function is called, as decoders keep them. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttir/build.h"

#include <stdlib.h>

/* A counter of a function: the argument, and what is added to it before it is returned. */
typedef struct counter {
    ir_value *argument;
    int64_t increment;
} counter;

/* ---- arguments that lead to the index of an update -------------------------------- */

typedef struct trace {
    ir_block *entry;
    bool *feeds;       /* for each argument of the entry block */
    ir_mapping *known; /* values that were followed, or are to be */
    ir_value **pending;
    size_t n, capacity;
} trace;

static bool passes_value(const ir_op *op)
{
    static const uint16_t rows[] = {TTIR_mesh_shard, TTIR_broadcast, TTIR_repeat,
                                    TTIR_reshape, TTIR_typecast};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &ttir_ops[rows[i]])
            return true;
    return false;
}

static void push(trace *t, ir_value *v)
{
    if (ir_mapping_get(t->known, v))
        return;
    ir_mapping_set(t->known, v, v);
    if (t->n == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 16;
        t->pending = tw_xrealloc(t->pending, t->capacity * sizeof *t->pending);
    }
    t->pending[t->n++] = v;
}

static void follow(trace *t, ir_value *index)
{
    push(t, index);
    while (t->n) {
        ir_value *v = t->pending[--t->n];
        ir_op *def = ir_value_def(v);
        if (!def) {
            if (v->owner == t->entry)
                t->feeds[v->index] = true;
        } else if (def->def == TTIR_OP(add) || passes_value(def)) {
            for (uint32_t i = 0; i < (def->def == TTIR_OP(add) ? 2 : 1); i++)
                push(t, def->operands[i].value);
        }
    }
}

static ir_walk find_updates(ir_op *op, void *user)
{
    if (op->def == TTIR_OP(update_cache) || op->def == TTIR_OP(paged_update_cache)) {
        ir_value *index = ir_op_operand_named(op, "update_index");
        if (index)
            follow(user, index);
    }
    return IR_WALK_ON;
}

/* ---- counters ----------------------------------------------------------------------- */

static ir_value *through_shard(ir_value *v)
{
    ir_op *shard = ttir_producer(v, TTIR_OP(mesh_shard));
    return shard ? shard->operands[0].value : v;
}

static bool is_increment(const ir_value *v, int64_t *out)
{
    const ir_op *full = ttir_producer(v, TTIR_OP(full));
    ir_attr fill = full ? ir_op_attr(full, "fill_value") : NULL;
    if (!fill || fill->kind != IR_ATTR_INTEGER)
        return false;
    *out = fill->value;
    return true;
}

/* Whether a returned value is one of the marked arguments plus a constant, of the
 * argument's type. */
static bool read_counter(const trace *t, ir_value *returned, counter *out)
{
    ir_value *sum = returned;
    if (ttir_producer(returned, TTIR_OP(mesh_shard))) {
        if (!ir_value_has_one_use(returned))
            return false;
        sum = through_shard(returned);
    }
    ir_op *add = ttir_only_producer(sum, TTIR_OP(add));
    for (uint32_t i = 0; add && i < 2; i++) {
        ir_value *argument = through_shard(add->operands[i].value);
        if (argument->is_argument && argument->owner == t->entry &&
            t->feeds[argument->index] && argument->type == sum->type &&
            is_increment(add->operands[1 - i].value, &out->increment)) {
            out->argument = argument;
            return true;
        }
    }
    return false;
}

/* The last counter of each increment and type replaces the others. */
static void unify(const counter *counters, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = n; j-- > i + 1;)
            if (counters[j].increment == counters[i].increment &&
                counters[j].argument->type == counters[i].argument->type) {
                if (counters[j].argument != counters[i].argument)
                    ir_value_replace_uses(counters[i].argument, counters[j].argument);
                break;
            }
}

static void consolidate(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    ir_op *end = entry ? func->regions[0].last->last : NULL;
    if (!ir_op_is(end, FUNC_OP(return )))
        return;
    trace t = {.entry = entry,
               .feeds = tw_xcalloc(entry->n_args + 1, sizeof(bool)),
               .known = ir_mapping_create()};
    counter *counters = tw_xcalloc(end->n_operands + 1, sizeof *counters);
    size_t n = 0;
    ir_walk_pre(func, find_updates, &t);
    for (uint32_t i = 0; i < end->n_operands; i++)
        n += read_counter(&t, end->operands[i].value, &counters[n]);
    unify(counters, n);
    free(counters);
    free(t.feeds);
    free(t.pending);
    ir_mapping_free(t.known);
}

static ir_walk visit(ir_op *op, void *user)
{
    (void)user;
    if (op->def != FUNC_OP(func))
        return IR_WALK_ON;
    consolidate(op);
    return IR_WALK_SKIP;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, visit, NULL);
    return true;
}

const pass_def ttir_consolidate_caches_pass = {
    .name = "ttir-consolidate-static-cache-updates",
    .summary = "Keep one argument as the length of all layers' caches",
    .anchor = "builtin.module",
    .run = run,
};
