/* eval_parallel.c: programs that run side by side (interpreter.run_parallel), and their
 * collectives.
 *
 * Each process is a fiber that runs its function.  At a collective it publishes copies of
 * its operands at a meeting and waits until its whole group has; then each process
 * computes its own result from all operands.  If no process can continue, all are
 * cancelled. */
#include "mlir/func/func.h"
#include "stablehlo/eval/eval.h"
#include "stablehlo/interpreter/interpreter.h"
#include "stablehlo/stablehlo.h"
#include "support/fiber.h"

#include <stdlib.h>

enum { MAX_PROCESSES = 1024, STACK = 1 << 20 };

typedef struct meeting {
    ir_op *op;
    int64_t *group; /* process ids, in the order of the group */
    size_t n, arrived;
    const hlo_value *const **given; /* the operands of each group member */
    struct meeting *next;
} meeting;

typedef struct grid {
    struct process *at;
    int64_t replicas, partitions;
    meeting *meetings;
    tw_arena arena; /* memory of the meetings */
    bool moved, off;
} grid;

typedef struct process {
    grid *grid;
    int64_t id; /* replica * partitions + partition */
    tw_fiber *fiber;
    tw_arena arena;
    hlo_eval e;
    ir_op *function, *waits_at;
    const hlo_value **args, **out;
    size_t n_args, n_out;
    bool ended;
} process;

static process *process_of(const hlo_eval *e)
{
    return e->process;
}

/* the reason if some process of the group never reaches the collective */
static const char incomplete[] = "a collective that not all processes reach";

/* ---- groups ------------------------------------------------------------------------- */

static int64_t channel_of(const ir_op *op)
{
    ir_attr handle = ir_op_attr(op, "channel_handle");
    return ir_attr_is(handle, IR_ATTR_DIALECT) ? ir_attr_int(handle->params[0], 0) : 0;
}

typedef enum mode { CROSS_REPLICA, CROSS_PARTITION, CROSS_BOTH, FLAT } mode;

static mode mode_of(const ir_op *op)
{
    bool reduces = op->def == STABLEHLO_OP(all_gather) ||
                   op->def == STABLEHLO_OP(all_reduce) ||
                   op->def == STABLEHLO_OP(reduce_scatter);
    if (channel_of(op) <= 0)
        return CROSS_REPLICA;
    if (!reduces)
        return CROSS_PARTITION;
    return ir_op_attr(op, "use_global_device_ids") ? FLAT : CROSS_BOTH;
}

/* The processes denoted by id `n` of a group; a group of replicas with partitions has one
 * for each partition. */
static int64_t named(const process *p, mode m, int64_t n, int64_t partition)
{
    int64_t partitions = p->grid->partitions;
    switch (m) {
    case CROSS_REPLICA:
        return n * partitions + p->id % partitions;
    case CROSS_PARTITION:
        return p->id / partitions * partitions + n;
    case CROSS_BOTH:
        return n * partitions + partition;
    case FLAT:
        break;
    }
    return n;
}

static int64_t limit_of(const process *p, mode m)
{
    const grid *g = p->grid;
    return m == FLAT              ? g->replicas * g->partitions
           : m == CROSS_PARTITION ? g->partitions
                                  : g->replicas;
}

/* Converts a row of ids (negative ones are no members) to a group; returns its size, 0 if
 * p is not in it. */
static size_t fill_group(const process *p, mode m, ir_attr groups, size_t row, size_t n,
                         int64_t *out)
{
    size_t count = 0;
    bool own = false;
    for (int64_t part = 0; part < (m == CROSS_BOTH ? p->grid->partitions : 1); part++)
        for (size_t i = 0; i < n; i++) {
            const int64_t id = groups ? ir_dense_int(groups, row * n + i) : (int64_t)i;
            if (id < 0 || id >= limit_of(p, m) || count == MAX_PROCESSES)
                continue;
            out[count] = named(p, m, id, part);
            own |= out[count++] == p->id;
        }
    return own ? count : 0;
}

/* The group of replica_groups that p belongs to; all processes if there are none. */
static size_t group_of(const process *p, ir_op *op, int64_t out[MAX_PROCESSES])
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    mode m = mode_of(op);
    if (!ir_attr_is(groups, IR_ATTR_DENSE) || groups->type->count != 2)
        return 0;
    int64_t rows = groups->type->dims[0], columns = groups->type->dims[1];
    if (rows * columns == 0)
        return fill_group(p, m, NULL, 0, (size_t)limit_of(p, m), out);
    size_t n = 0;
    for (int64_t r = 0; !n && r < rows; r++)
        n = fill_group(p, m, groups, (size_t)r, (size_t)columns, out);
    return n;
}

/* ---- meetings ----------------------------------------------------------------------- */

static bool is_same(const meeting *m, const ir_op *op, const int64_t *group, size_t n)
{
    bool exchange = m->op == op || (m->op->def == op->def && channel_of(op) > 0 &&
                                    channel_of(m->op) == channel_of(op));
    return exchange && m->n == n && memcmp(m->group, group, n * sizeof *group) == 0;
}

static size_t index_in(const int64_t *group, size_t n, int64_t id)
{
    size_t i = 0;
    while (i < n && group[i] != id)
        i++;
    return i;
}

static const hlo_value **copies(hlo_eval *e, grid *g, ir_op *op)
{
    const hlo_value **made =
        TW_ARENA_ARRAY(&g->arena, const hlo_value *, op->n_operands + 1);
    tw_arena *own = e->arena;
    e->arena = &g->arena;
    for (uint32_t i = 0; i < op->n_operands; i++)
        made[i] = hlo_with_elements(hlo_copy(e, hlo_peek(e, op, i)));
    e->arena = own;
    return made;
}

/* True if the operands have the types published by the others: a channel may connect
 * operations of different programs, which no verifier compares. */
static bool has_same_types(const meeting *m, const ir_op *op, const hlo_value *const *own)
{
    bool ok = m->op->n_operands == op->n_operands && m->op->n_results == op->n_results;
    for (size_t i = 0; i < m->n && ok; i++)
        for (uint32_t k = 0; m->given[i] && k < op->n_operands && ok; k++) {
            const hlo_value *a = m->given[i][k], *b = own[k];
            ok = a && b && a->element == b->element && a->rank == b->rank &&
                 memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
        }
    return ok;
}

/* Waits for the group; NULL if it cannot complete. */
static const meeting *meet(hlo_eval *e, ir_op *op, const int64_t *group, size_t n)
{
    process *p = process_of(e);
    grid *g = p->grid;
    size_t member = index_in(group, n, p->id);
    meeting *m = g->meetings;
    while (m && !(is_same(m, op, group, n) && !m->given[member]))
        m = m->next;
    if (!m) {
        m = TW_ARENA_NEW(&g->arena, meeting);
        m->op = op;
        m->n = n;
        m->group = TW_ARENA_ARRAY(&g->arena, int64_t, n);
        m->given = TW_ARENA_ARRAY(&g->arena, const hlo_value *const *, n);
        memcpy(m->group, group, n * sizeof *group);
        memset(m->given, 0, n * sizeof *m->given);
        m->next = g->meetings;
        g->meetings = m;
    }
    const hlo_value *const *own = copies(e, g, op);
    if (!has_same_types(m, op, own)) {
        hlo_stuck(e, op, "a collective with operands of different shapes or types");
        return NULL;
    }
    m->given[member] = own;
    m->arrived++;
    g->moved = true;
    p->waits_at = op;
    while (m->arrived < m->n && !g->off)
        tw_fiber_yield(p->fiber);
    p->waits_at = NULL;
    return m->arrived == m->n ? m : NULL;
}

static const meeting *meet_group(hlo_eval *e, ir_op *op, size_t *member)
{
    int64_t group[MAX_PROCESSES];
    process *p = process_of(e);
    if (!p) {
        hlo_stuck(e, op, "a collective outside of programs that run in parallel");
        return NULL;
    }
    size_t n = group_of(p, op, group);
    const meeting *m = n ? meet(e, op, group, n) : NULL;
    if (!m)
        hlo_stuck(e, op, n ? incomplete : "a process that is in no group");
    *member = n ? index_in(group, n, p->id) : 0;
    return m;
}

/* ---- collectives -------------------------------------------------------------------- */

/* Copies a block of `from`, from `start` along a dimension, to index `at` of `to`. */
static void put(hlo_value *to, int64_t at, const hlo_value *from, int64_t start,
                int64_t size, int64_t to_dim, int64_t from_dim)
{
    int64_t dims[HLO_MAX_RANK], index[HLO_MAX_RANK] = {0};
    memcpy(dims, from->dims, from->rank * sizeof *dims);
    dims[from_dim] = size;
    do {
        int64_t source[HLO_MAX_RANK], target[HLO_MAX_RANK];
        memcpy(source, index, sizeof source);
        memcpy(target, index, sizeof target);
        source[from_dim] += start;
        target[to_dim] += at;
        to->at[hlo_offset(to, target)] = from->at[hlo_offset(from, source)];
    } while (hlo_next(dims, from->rank, index));
}

static hlo_value *sized(hlo_eval *e, ir_op *op, const hlo_value *like, int64_t dim,
                        int64_t size)
{
    int64_t dims[HLO_MAX_RANK];
    memcpy(dims, like->dims, like->rank * sizeof *dims);
    if (dim >= 0)
        dims[dim] = size;
    return hlo_new(e, op, like->element, dims, like->rank);
}

static bool has_dim(const hlo_value *v, int64_t dim)
{
    return dim >= 0 && (size_t)dim < v->rank;
}

static bool eval_all_gather(hlo_eval *e, ir_op *op)
{
    size_t member;
    int64_t dim = ir_op_int(op, "all_gather_dim", 0);
    const meeting *m = meet_group(e, op, &member);
    for (uint32_t k = 0; m && k < op->n_results; k++) {
        int64_t part = has_dim(m->given[0][k], dim) ? m->given[0][k]->dims[dim] : 0;
        hlo_value *to = sized(e, op, m->given[0][k], dim, part * (int64_t)m->n);
        for (size_t i = 0; to && i < m->n && to->n; i++)
            put(to, (int64_t)i * part, m->given[i][k], 0, part, dim, dim);
        if (!hlo_set(e, op, k, to))
            return false;
    }
    return m != NULL;
}

/* Reduces each element with the body, in the order of the group. */
static hlo_value *reduce(hlo_eval *e, ir_op *op, const meeting *m, uint32_t k)
{
    const hlo_value *first = m->given[0][k];
    hlo_value *to = sized(e, op, first, -1, 0);
    tw_arena *own = e->arena, work = {.gauge = own->gauge};
    bool ok = to != NULL;
    e->arena = &work;
    for (size_t i = 0; ok && i < first->n; i++) {
        hlo_num sum = first->at[i];
        for (size_t j = 1; ok && j < m->n; j++) {
            hlo_value *two[2];
            const hlo_value *out;
            for (int s = 0; s < 2 && ok; s++)
                ok = (two[s] = hlo_new(e, op, first->element, NULL, 0)) != NULL;
            if (!ok)
                break;
            two[0]->at[0] = sum;
            two[1]->at[0] = m->given[j][k]->at[i];
            ok = hlo_run_region(e, op, 0, (const hlo_value *const *)two, 2, &out, 1);
            if (ok)
                sum = out->at[0];
        }
        to->at[i] = sum;
        tw_arena_reset(&work);
    }
    e->arena = own;
    tw_arena_free(&work);
    return ok ? to : NULL;
}

static bool eval_all_reduce(hlo_eval *e, ir_op *op)
{
    size_t member;
    const meeting *m = meet_group(e, op, &member);
    for (uint32_t k = 0; m && k < op->n_results; k++)
        if (!hlo_set(e, op, k, reduce(e, op, m, k)))
            return false;
    return m != NULL;
}

static bool eval_reduce_scatter(hlo_eval *e, ir_op *op)
{
    size_t member;
    int64_t dim = ir_op_int(op, "scatter_dimension", 0);
    const meeting *m = meet_group(e, op, &member);
    hlo_value *all = m ? reduce(e, op, m, 0) : NULL;
    if (!all || !has_dim(all, dim) || all->dims[dim] % (int64_t)m->n)
        return m && all ? hlo_stuck(e, op, "a tensor that cannot be divided") : false;
    int64_t part = all->dims[dim] / (int64_t)m->n;
    hlo_value *to = sized(e, op, all, dim, part);
    if (to && to->n)
        put(to, 0, all, (int64_t)member * part, part, dim, dim);
    return hlo_set(e, op, 0, to);
}

static bool eval_all_to_all(hlo_eval *e, ir_op *op)
{
    size_t member;
    int64_t split = ir_op_int(op, "split_dimension", 0);
    int64_t concat = ir_op_int(op, "concat_dimension", 0);
    const meeting *m = meet_group(e, op, &member);
    for (uint32_t k = 0; m && k < op->n_results; k++) {
        const hlo_value *first = m->given[0][k];
        int64_t n = (int64_t)m->n;
        if (!has_dim(first, split) || !has_dim(first, concat) || first->dims[split] % n)
            return hlo_stuck(e, op, "a tensor that cannot be divided");
        int64_t part = first->dims[split] / n, dims[HLO_MAX_RANK];
        memcpy(dims, first->dims, first->rank * sizeof *dims);
        dims[split] = part;
        int64_t piece = dims[concat];
        dims[concat] *= n;
        hlo_value *to = hlo_new(e, op, first->element, dims, first->rank);
        for (size_t i = 0; to && i < m->n && to->n; i++) {
            hlo_value *cut = sized(e, op, first, split, part);
            if (!cut)
                return false;
            put(cut, 0, m->given[i][k], (int64_t)member * part, part, split, split);
            put(to, (int64_t)i * piece, cut, 0, piece, concat, concat);
        }
        if (!hlo_set(e, op, k, to))
            return false;
    }
    return m != NULL;
}

/* Zeros if no process sends to this one. */
static bool set_received(hlo_eval *e, ir_op *op, uint32_t k, const hlo_value *from,
                         const hlo_value *like)
{
    if (from)
        return hlo_set(e, op, k, hlo_copy(e, from));
    hlo_value *zeros = sized(e, op, like, -1, 0);
    if (zeros)
        memset(zeros->at, 0, zeros->n * sizeof *zeros->at);
    return hlo_set(e, op, k, zeros);
}

static bool eval_permute(hlo_eval *e, ir_op *op)
{
    process *p = process_of(e);
    int64_t group[MAX_PROCESSES];
    ir_attr pairs = ir_op_attr(op, "source_target_pairs");
    if (!p)
        return hlo_stuck(e, op, "a collective outside of programs that run in parallel");
    mode m = mode_of(op);
    int64_t n = limit_of(p, m), from = -1;
    size_t count = fill_group(p, m, NULL, 0, (size_t)n, group);
    const meeting *met = meet(e, op, group, count);
    if (!met)
        return hlo_stuck(e, op, incomplete);
    for (int64_t i = 0; i < (ir_attr_is(pairs, IR_ATTR_DENSE) ? pairs->type->dims[0] : 0);
         i++)
        if (named(p, m, ir_dense_int(pairs, (size_t)(2 * i + 1)), 0) == p->id)
            from = named(p, m, ir_dense_int(pairs, (size_t)(2 * i)), 0);
    size_t member = index_in(group, count, from);
    return set_received(e, op, 0, member < count ? met->given[member][0] : NULL,
                        hlo_operand(e, op, 0));
}

static bool eval_broadcast(hlo_eval *e, ir_op *op)
{
    process *p = process_of(e);
    int64_t group[MAX_PROCESSES];
    if (!p)
        return hlo_stuck(e, op, "a collective outside of programs that run in parallel");
    size_t n = group_of(p, op, group);
    const meeting *m = n ? meet(e, op, group, n) : NULL;
    if (n && !m)
        return hlo_stuck(e, op, incomplete);
    bool dynamic = ir_op_attr(op, "has_dynamic_root") && op->n_operands > op->n_results;
    const hlo_value *roots = dynamic ? hlo_operand(e, op, op->n_operands - 1) : NULL;
    for (uint32_t k = 0; k < op->n_results; k++) {
        int64_t root = roots && k < roots->n ? roots->at[k].i : 0;
        if (m && (root < 0 || (size_t)root >= m->n))
            return hlo_stuck(e, op, "a root that is not in the group");
        if (!set_received(e, op, k, m ? m->given[root][k] : NULL, hlo_operand(e, op, k)))
            return false;
    }
    return true;
}

static bool eval_id(hlo_eval *e, ir_op *op)
{
    const process *p = process_of(e);
    ir_type type = op->results[0].type;
    hlo_value *v = p ? hlo_new(e, op, type->element, NULL, 0) : NULL;
    if (!p)
        return hlo_stuck(e, op, "a process id outside of programs that run in parallel");
    if (v)
        v->at[0].i = op->def == STABLEHLO_OP(replica_id) ? p->id / p->grid->partitions
                                                         : p->id % p->grid->partitions;
    return hlo_set(e, op, 0, v);
}

/* ---- processes ---------------------------------------------------------------------- */

static void run_process(void *user)
{
    process *p = user;
    if (!hlo_run_function(&p->e, p->function, p->args, p->n_args, p->out, p->n_out) &&
        !p->e.stuck)
        hlo_stuck(&p->e, p->function, "a function that cannot be run");
    p->ended = true;
    p->grid->moved = true;
}

/* Runs all processes in turn until none can continue. */
static void run_grid(grid *g, int64_t n)
{
    bool all = false;
    while (!all) {
        g->moved = false;
        all = true;
        for (int64_t i = 0; i < n; i++) {
            process *p = &g->at[i];
            if (!p->ended)
                tw_fiber_resume(p->fiber);
            all &= p->ended;
            g->off |= p->e.stuck != NULL;
        }
        g->off |= !g->moved;
    }
}

static bool begin(hlo_eval *e, ir_op *op, process *p, ir_attr name, uint32_t *input)
{
    ir_op *function = ir_symbol_resolve(op, name);
    ir_block *body =
        function && function->def == FUNC_OP(func) ? ir_op_body(function, 0) : NULL;
    if (!body || *input + body->n_args > op->n_operands)
        return hlo_stuck(e, op, "a program that does not match the operands");
    p->function = function;
    p->n_args = body->n_args;
    p->n_out = body->last->n_operands;
    p->args = TW_ARENA_ARRAY(e->arena, const hlo_value *, p->n_args + 1);
    p->out = TW_ARENA_ARRAY(e->arena, const hlo_value *, p->n_out + 1);
    for (size_t i = 0; i < p->n_args; i++)
        p->args[i] = hlo_operand(e, op, (*input)++);
    p->e = *e;
    p->e.arena = &p->arena;
    p->arena.gauge = e->arena->gauge;
    p->e.values = ir_mapping_create();
    p->e.process = p;
    p->e.frame = NULL;
    p->e.failed = 0;
    tw_status status = tw_fiber_create(run_process, p, STACK, &p->fiber);
    if (!status)
        return true;
    tw_status_free(status);
    return hlo_stuck(e, op, "this many processes");
}

/* Copies the results to the caller's memory. */
static bool finish(hlo_eval *e, ir_op *op, grid *g, int64_t n)
{
    uint32_t result = 0;
    for (int64_t i = 0; i < n; i++) {
        e->failed += g->at[i].e.failed;
        bool waited = g->at[i].e.stuck && g->at[i].e.why == incomplete;
        if (g->at[i].e.stuck && (!e->stuck || !waited)) {
            e->stuck = g->at[i].e.stuck;
            e->why = g->at[i].e.why;
        }
    }
    for (int64_t i = 0; i < n && !e->stuck; i++)
        for (size_t k = 0; k < g->at[i].n_out && result < op->n_results; k++)
            if (!g->at[i].out[k] || !hlo_set(e, op, result++, hlo_copy(e, g->at[i].out[k])))
                return hlo_stuck(e, op, "a program without this result");
    return !e->stuck;
}

static bool eval_run_parallel(hlo_eval *e, ir_op *op)
{
    ir_attr programs = ir_op_attr(op, "programs");
    grid g = {.replicas = programs->count, .partitions = programs->items[0]->count};
    int64_t n = g.replicas * g.partitions, begun = 0;
    uint32_t input = 0;
    bool ok = true;
    if (e->process || ir_op_attr(op, "infeed") || n > MAX_PROCESSES)
        return hlo_stuck(e, op, "nested processes, infeed, or this many processes");
    g.at = tw_xmalloc((size_t)n * sizeof *g.at);
    g.arena.gauge = e->arena->gauge;
    for (; begun < n && ok; begun++) {
        process *p = &g.at[begun];
        *p = (process){.grid = &g, .id = begun};
        ok = begin(e, op, p,
                   programs->items[begun / g.partitions]->items[begun % g.partitions],
                   &input);
    }
    if (ok)
        run_grid(&g, n);
    ok = ok && finish(e, op, &g, n);
    for (int64_t i = 0; i < begun; i++) {
        if (g.at[i].fiber)
            tw_fiber_destroy(g.at[i].fiber);
        if (g.at[i].e.values)
            ir_mapping_free(g.at[i].e.values);
        tw_arena_free(&g.at[i].arena);
    }
    tw_arena_free(&g.arena);
    free(g.at);
    return ok;
}

hlo_fn *hlo_find_parallel(const ir_op_def *def)
{
    static const struct {
        uint16_t row;
        hlo_fn *fn;
    } rows[] = {
        {STABLEHLO_all_gather, eval_all_gather},
        {STABLEHLO_all_reduce, eval_all_reduce},
        {STABLEHLO_all_to_all, eval_all_to_all},
        {STABLEHLO_collective_broadcast, eval_broadcast},
        {STABLEHLO_collective_permute, eval_permute},
        {STABLEHLO_partition_id, eval_id},
        {STABLEHLO_reduce_scatter, eval_reduce_scatter},
        {STABLEHLO_replica_id, eval_id},
    };
    if (def == INTERPRETER_OP(run_parallel))
        return eval_run_parallel;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (def == &stablehlo_ops[rows[i].row])
            return rows[i].fn;
    return NULL;
}
