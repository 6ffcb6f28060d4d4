/* insert_compute_cb.c: d2m-insert-compute-cb: the compute thread waits for blocks of its
 * circular buffers, reserves blocks to write, and gives both back, at the pace of the
 * transfers of the data movement thread. */
#include "d2m/generic.h"
#include "d2m/passes/cbs.h"
#include "d2m/passes/nests.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "support/arena.h"

#include <stdlib.h>

/* ---- uses of buffers */

/* An operation that uses a buffer, and the operand (its own or a view's) that is it. */
typedef struct access {
    ir_value *cb;
    ir_op *op, *owner;
    uint32_t operand;
    bool produces;
} access;

typedef struct accesses {
    access *at;
    size_t n;
} accesses;

typedef struct compute {
    ir_op *generic;
    ir_block *block;
    ir_op_list ops;           /* in post-order */
    ir_mapping *synchronized; /* operations that directly hold a synchronizable one */
    ir_mapping *spans;        /* the spans, a set */
    ir_value **handles;       /* the d2m.get_cb of each operand, where it is known */
    accesses all;
} compute;

static bool is_view(const ir_op *op)
{
    return op->def == MEMREF_OP(collapse_shape) || op->def == MEMREF_OP(subview) ||
           op->def == MEMREF_OP(cast);
}

static bool is_additional(const ir_op *generic, const ir_value *v)
{
    size_t first, n;
    int64_t at = d2m_operand_index(generic, v);
    return at >= 0 && ir_op_operand_group(generic, 2, &first, &n) && at >= (int64_t)first;
}

/* Finds the buffer behind an operand; false if it is none that threads share. */
static bool trace(const compute *c, ir_op *op, uint32_t operand, bool produces, access *out)
{
    *out = (access){NULL, op, op, operand, produces};
    for (ir_value *v = ir_op_operand(op, operand);;) {
        if (v->type->kind == IR_TYPE_MEMREF && is_additional(c->generic, v)) {
            out->cb = v;
            return !d2m_is_local_buffer(v);
        }
        ir_op *def = ir_value_def(v);
        if (!def || !is_view(def) || !ir_op_is_ancestor(c->generic, def))
            return false;
        out->owner = def;
        out->operand = 0;
        v = ir_op_operand(def, 0);
    }
}

static void add(accesses *list, const access *a)
{
    if ((list->n & (list->n - 1)) == 0)
        list->at = tw_xrealloc(list->at, (list->n ? 2 * list->n : 1) * sizeof *list->at);
    list->at[list->n++] = *a;
}

static bool has(const accesses *list, const ir_value *cb, bool produces)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].cb == cb && list->at[i].produces == produces)
            return true;
    return false;
}

/* Adds accesses of one scope: a buffer that the scope writes is not consumed by it. */
static void add_scope(compute *c, const accesses *scope)
{
    for (int produces = 0; produces < 2; produces++)
        for (size_t i = 0; i < scope->n; i++)
            if (scope->at[i].produces == produces &&
                (produces || !has(scope, scope->at[i].cb, true)))
                add(&c->all, &scope->at[i]);
}

static void add_if_cb(const compute *c, accesses *scope, ir_op *op, uint32_t operand,
                      bool produces)
{
    access a;
    if (trace(c, op, operand, produces, &a))
        add(scope, &a);
}

static void collect_access(const compute *c, accesses *scope, ir_op *op)
{
    if (op->def == MEMREF_OP(load))
        add_if_cb(c, scope, op, 0, false);
    else if (op->def == MEMREF_OP(store))
        add_if_cb(c, scope, op, 1, true);
}

/* The outermost operation around a compute operation below its synchronization scope; NULL
 * if that is synchronized as a whole. */
static ir_op *span_of(const compute *c, ir_op *op)
{
    while (ir_op_parent(op) != c->generic &&
           !ir_mapping_get(c->synchronized, ir_op_parent(op)))
        op = ir_op_parent(op);
    return d2m_is_synchronizable(op) ? NULL : op;
}

static size_t find_spans(const compute *c, ir_op **out)
{
    size_t n = 0;
    for (size_t i = 0; i < c->ops.n; i++) {
        ir_op *span = d2m_is_compute(c->ops.at[i]) ? span_of(c, c->ops.at[i]) : NULL;
        if (!span || ir_mapping_get(c->spans, span))
            continue;
        ir_mapping_set(c->spans, span, span);
        out[n++] = span;
    }
    return n;
}

static bool is_in_span(const compute *c, const ir_op *op)
{
    while (op && op != c->generic && !ir_mapping_get(c->spans, op))
        op = ir_op_parent(op);
    return op && op != c->generic;
}

static void collect_span(compute *c, ir_op *span)
{
    accesses scope = {NULL, 0};
    ir_op_list ops = ir_ops_in_post(span, NULL);
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < ops.n; i++) {
            ir_op *op = ops.at[i];
            static const ir_op_def *const order[] = {MEMREF_OP(load), MEMREF_OP(store),
                                                     D2M_OP(tile_matmul_block)};
            if (op->def != order[kind])
                continue;
            if (kind < 2)
                collect_access(c, &scope, op);
            for (uint32_t v = 0; kind == 2 && v < op->n_operands; v++)
                add_if_cb(c, &scope, op, v, ir_op_operand(op, v) == ir_op_operand(op, 2));
        }
    add_scope(c, &scope);
    ir_op_list_free(&ops);
    free(scope.at);
}

/* Operations that are synchronized as a whole. */
static void collect_synchronizable(compute *c, ir_op *op)
{
    for (uint32_t v = 0; v < op->n_operands; v++) {
        d2m_sync role = d2m_sync_role(op, v);
        access a = {ir_op_operand(op, v), op, op, v, role == D2M_SYNC_PRODUCES};
        if (role != D2M_SYNC_NONE && !d2m_is_local_buffer(a.cb) &&
            a.cb->type->kind == IR_TYPE_MEMREF)
            add(&c->all, &a);
    }
}

/* Other uses count as those that the buffer has already; as writes without any. */
static void collect_other(compute *c, ir_op *op)
{
    if (op->def == MEMREF_OP(load) || op->def == MEMREF_OP(store) || is_view(op) ||
        op->def == D2M_OP(tile_matmul_block) || d2m_is_synchronizable(op) ||
        d2m_is_shard_transfer(op))
        return;
    for (uint32_t v = 0; v < op->n_operands; v++) {
        access a;
        if (ir_op_operand(op, v)->type->kind != IR_TYPE_MEMREF ||
            !trace(c, op, v, false, &a))
            continue;
        a.produces = !has(&c->all, a.cb, false);
        add(&c->all, &a);
    }
}

static void collect(compute *c)
{
    ir_op **spans = tw_xmalloc((c->ops.n + 1) * sizeof *spans);
    size_t n = find_spans(c, spans);
    accesses scope = {NULL, 0};
    for (size_t s = 0; s < n; s++)
        collect_span(c, spans[s]);
    for (size_t i = 0; i < c->ops.n; i++)
        if (!is_in_span(c, c->ops.at[i]))
            collect_access(c, &scope, c->ops.at[i]);
    add_scope(c, &scope);
    for (size_t i = 0; i < c->ops.n; i++)
        if (d2m_is_synchronizable(c->ops.at[i]) && !d2m_is_transfer(c->ops.at[i]) &&
            !is_in_span(c, c->ops.at[i]))
            collect_synchronizable(c, c->ops.at[i]);
    for (size_t i = 0; i < c->ops.n; i++)
        collect_other(c, c->ops.at[i]);
    free(scope.at);
    free(spans);
}

/* ---- where to synchronize */

static unsigned depth_of(const ir_op *op)
{
    unsigned n = 0;
    for (const ir_op *at = ir_op_parent(op); at && at->def != D2M_OP(generic);
         at = ir_op_parent(at))
        n += at->def == SCF_OP(for);
    return n;
}

/* The block of the loop at that depth around an operation; NULL if it is not as deep. */
static ir_block *block_at_depth(const compute *c, ir_op *op, unsigned depth)
{
    unsigned own = depth_of(op);
    if (depth == 0)
        return c->block;
    for (ir_op *at = op; own >= depth && at->block != c->block; at = ir_op_parent(at))
        if (ir_op_parent(at)->def == SCF_OP(for) && own-- == depth)
            return at->block;
    return NULL;
}

static ir_block *scope_of(const compute *c, const ir_value *cb, bool produces,
                          unsigned depth)
{
    ir_block *found = depth == 0 ? c->block : NULL;
    for (int owners = 0; owners < 2; owners++)
        for (size_t i = 0; i < c->all.n && !found; i++) {
            const access *a = &c->all.at[i];
            if (a->cb == cb && a->produces == produces)
                found = block_at_depth(c, owners ? a->owner : a->op, depth);
        }
    return found;
}

static void extend(ir_op *op, const ir_block *block, ir_op **first, ir_op **last)
{
    ir_op *at = d2m_ancestor_in(block, op);
    if (!at)
        return;
    if (!*first || ir_op_before(at, *first))
        *first = at;
    if (!*last || ir_op_before(*last, at))
        *last = at;
}

/* From the first to the last operation of the block that uses the buffer, or a tile loaded
 * from it.  Views of a buffer that is written as well count only if nothing else does. */
static bool bracket(const compute *c, const ir_value *cb, bool produces,
                    const ir_block *block, bool skip_views, ir_op **first, ir_op **last)
{
    ir_op *view_first = NULL, *view_last = NULL;
    *first = *last = NULL;
    for (size_t i = 0; i < c->all.n; i++) {
        const access *a = &c->all.at[i];
        if (a->cb != cb || a->produces != produces)
            continue;
        extend(a->op, block, first, last);
        for (ir_operand *use = a->op->def == MEMREF_OP(load) ? a->op->results[0].uses
                                                             : NULL;
             use; use = use->next_use)
            extend(use->owner, block, first, last);
        if (skip_views && is_view(a->owner))
            extend(a->owner, block, &view_first, &view_last);
        else
            extend(a->owner, block, first, last);
    }
    if (!*first) {
        *first = view_first;
        *last = view_last;
    }
    return *first != NULL;
}

/* ---- building */

/* The handle of an operand's circular buffer in this thread. */
static ir_value *handle_of(compute *c, int64_t operand)
{
    ir_value **handle = &c->handles[operand];
    if (!*handle)
        *handle = d2m_build_cb(c->generic, c->block, operand);
    return *handle;
}

/* The first of each operand's handles that are there. */
static void find_handles(compute *c)
{
    ir_op_list ops = ir_ops_in_block(c->block, NULL);
    for (size_t i = 0; i < ops.n; i++) {
        int64_t at = ops.at[i]->def == D2M_OP(get_cb)
                         ? ir_op_int(ops.at[i], "cb_operand_idx", -1)
                         : -1;
        if (at >= 0 && at < c->generic->n_operands && !c->handles[at])
            c->handles[at] = &ops.at[i]->results[0];
    }
    ir_op_list_free(&ops);
}

static ir_op *build(ir_builder *b, const ir_op_def *def, ir_value *cb, bool result)
{
    ir_attr held = ir_type_param(cb->type, "underlying");
    return ir_build_op(b, def, result ? &held->type : NULL, result, &cb, 1, NULL, 0, 0);
}

static bool is_after(ir_op *wait, ir_op *op)
{
    ir_op *at = d2m_ancestor_in(wait->block, op);
    return at && at != wait && ir_op_before(wait, at);
}

/* A view that is computed before the wait is computed again behind it, for users there. */
static void view_again(ir_op *view, uint32_t operand, ir_op *wait)
{
    ir_op *copy = ir_op_clone(view, NULL);
    ir_operand *next;
    ir_op_insert_after(copy, wait);
    ir_op_set_operand(copy, operand, &wait->results[0]);
    for (ir_operand *use = view->results[0].uses; use; use = next) {
        next = use->next_use;
        if (use->owner != copy && is_after(wait, use->owner))
            ir_op_set_operand(use->owner, ir_operand_number(use), &copy->results[0]);
    }
}

static bool consume(compute *c, ir_value *cb, bool aliased, unsigned depth)
{
    ir_op *first, *last;
    int64_t operand = d2m_operand_index(c->generic, cb);
    ir_block *block = scope_of(c, cb, false, depth);
    if (!block)
        return ir_op_error(
            c->generic, "CB has consumers across distinct loop nests; cross-nest fan-out "
                        "is not yet supported (would deadlock on a wait/pop cadence "
                        "mismatch)");
    if (operand < 0 || !bracket(c, cb, false, block, has(&c->all, cb, true), &first, &last))
        return true;
    ir_value *handle = handle_of(c, operand);
    ir_builder b = ir_builder_before(first);
    if (aliased) {
        build(&b, D2M_OP(reserve), handle, true);
        build(&b, D2M_OP(push), handle, false);
    }
    ir_op *wait = build(&b, D2M_OP(wait), handle, true);
    b = ir_builder_after(last);
    build(&b, D2M_OP(pop), handle, false);
    for (size_t i = 0; i < c->all.n; i++) {
        const access *a = &c->all.at[i];
        if (a->cb != cb || a->produces || ir_op_operand(a->owner, a->operand) != cb)
            continue;
        if (is_view(a->owner) && !is_after(wait, a->owner))
            view_again(a->owner, a->operand, wait);
        else
            ir_op_set_operand(a->owner, a->operand, &wait->results[0]);
    }
    return true;
}

static bool produce(compute *c, ir_value *cb, bool aliased, unsigned depth)
{
    ir_op *first, *last;
    int64_t operand = d2m_operand_index(c->generic, cb);
    ir_block *block = scope_of(c, cb, true, depth);
    if (!block)
        return ir_op_error(
            c->generic, "CB has producers across distinct loop nests; cross-nest fan-out "
                        "is not yet supported (would deadlock on a reserve/push cadence "
                        "mismatch)");
    if (operand < 0 || !bracket(c, cb, true, block, false, &first, &last))
        return true;
    ir_value *handle = handle_of(c, operand);
    ir_builder b = ir_builder_before(first);
    ir_op *reserve = build(&b, D2M_OP(reserve), handle, true);
    b = ir_builder_after(last);
    build(&b, D2M_OP(push), handle, false);
    if (aliased) {
        build(&b, D2M_OP(wait), handle, true);
        build(&b, D2M_OP(pop), handle, false);
    }
    for (size_t i = 0; i < c->all.n; i++) {
        const access *a = &c->all.at[i];
        if (a->cb != cb || !a->produces || ir_op_operand(a->owner, a->operand) != cb)
            continue;
        if (!d2m_ancestor_in(block, a->owner)) { /* a view of outer blocks */
            ir_op_remove(a->owner);
            ir_op_insert_after(a->owner, reserve);
        }
        ir_op_set_operand(a->owner, a->operand, &reserve->results[0]);
    }
    return true;
}

/* ---- the threads */

/* What the data movement thread does with a buffer. */
typedef struct transfer {
    unsigned depth;
    bool load_alias, store_alias;
} transfer;

static void find_transfers(ir_op *generic, transfer *out)
{
    ir_op_list ops = ir_ops_in_block(ir_op_body(generic, 0), d2m_is_shard_transfer);
    for (size_t i = 0; i < ops.n; i++) {
        int64_t at = d2m_transfer_port(generic, ops.at[i]);
        if (at < 0 || at >= generic->n_operands)
            continue;
        out[at].depth = depth_of(ops.at[i]);
        out[at].load_alias |= d2m_is_aliased_load(ops.at[i]);
        out[at].store_alias |= d2m_is_aliased_store(ops.at[i]);
    }
    ir_op_list_free(&ops);
}

/* A buffer that is shared memory needs both sides of its protocol in this thread. */
static void pair_at_end(compute *c, int64_t operand, bool load)
{
    ir_op *end = c->block->last;
    ir_value *handle = handle_of(c, operand);
    ir_builder b = ir_builder_at_end(c->generic->ctx, c->block, c->generic->loc);
    if (end && end->def->traits & IR_TERMINATOR)
        b.before = end;
    build(&b, load ? D2M_OP(reserve) : D2M_OP(wait), handle, true);
    build(&b, load ? D2M_OP(push) : D2M_OP(pop), handle, false);
}

static bool is_alias_marker(const ir_op *op)
{
    return d2m_is_aliased_load(op) || d2m_is_aliased_store(op);
}

static void erase_markers(ir_block *block)
{
    ir_op_list ops = ir_ops_in_block(block, is_alias_marker);
    for (size_t i = 0; i < ops.n; i++)
        ir_op_erase(ops.at[i]);
    ir_op_list_free(&ops);
    d2m_erase_dead(block);
}

static bool synchronize(compute *c, const transfer *transfers, bool produces)
{
    for (size_t i = 0; i < c->all.n; i++) {
        ir_value *cb = c->all.at[i].cb;
        bool seen = c->all.at[i].produces != produces;
        for (size_t j = 0; j < i && !seen; j++)
            seen = c->all.at[j].cb == cb && c->all.at[j].produces == produces;
        int64_t at = d2m_operand_index(c->generic, cb);
        transfer t = at >= 0 ? transfers[at] : (transfer){0, false, false};
        if (!seen && !(produces ? produce(c, cb, t.store_alias, t.depth)
                                : consume(c, cb, t.load_alias, t.depth)))
            return false;
    }
    return true;
}

static bool run_generic(ir_op *generic)
{
    compute c = {.generic = generic, .block = ir_op_body(generic, 1)};
    transfer *transfers = tw_xcalloc(generic->n_operands + 1u, sizeof *transfers);
    find_transfers(generic, transfers);
    c.ops = ir_ops_in_block_post(c.block, NULL);
    c.synchronized = d2m_synchronized_parents(&c.ops);
    c.spans = ir_mapping_create();
    c.handles = tw_xcalloc(generic->n_operands + 1u, sizeof(ir_value *));
    find_handles(&c);
    collect(&c);
    bool ok = synchronize(&c, transfers, false) && synchronize(&c, transfers, true);
    for (int load = 1; load >= 0; load--)
        for (uint32_t i = 0; i < generic->n_operands && ok; i++)
            if ((load ? transfers[i].load_alias : transfers[i].store_alias) &&
                !has(&c.all, ir_op_operand(generic, i), !load))
                pair_at_end(&c, i, load);
    if (ok)
        erase_markers(ir_op_body(generic, 0));
    free(c.all.at);
    free(c.handles);
    ir_mapping_free(c.spans);
    ir_mapping_free(c.synchronized);
    ir_op_list_free(&c.ops);
    free(transfers);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < generics.n && ok; i++) {
        d2m_generic g;
        ir_op *op = generics.at[i];
        if (d2m_generic_of(op, &g) && op->n_regions == 2 && ir_op_body(op, 0) &&
            ir_op_body(op, 1) && d2m_generic_thread(&g, 0) == D2M_ThreadType_Datamovement &&
            d2m_generic_thread(&g, 1) == D2M_ThreadType_Compute)
            ok = run_generic(op);
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_insert_compute_cb_pass = {
    .name = "d2m-insert-compute-cb",
    .summary = "Synchronize compute threads with their circular buffers",
    .anchor = "builtin.module",
    .run = run,
};
