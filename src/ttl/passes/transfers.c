/* transfers.c: see transfers.h. */
#include "ttl/passes/transfers.h"

#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "mlir/scf/scf.h"
#include "ttl/passes/schedule.h"
#include "ttl/ttl_info.h"

enum { MAX_TRANSFERS = 16, DEEPEST = 32 };

/* ---- loops */

typedef struct loop {
    ir_op *op;
    ir_block *body;
    ir_value *iv;
    int64_t low, high, step, trips;
} loop;

static bool is_counted(ir_op *op, loop *out)
{
    if (!ir_op_is(op, SCF_OP(for)) || op->n_results ||
        op->operands[0].value->type->kind != IR_TYPE_INDEX)
        return false;
    *out = (loop){.op = op, .body = ir_op_body(op, 0)};
    out->iv = out->body->args[0];
    if (!arith_constant_int(op->operands[0].value, &out->low) ||
        !arith_constant_int(op->operands[1].value, &out->high) ||
        !arith_constant_int(op->operands[2].value, &out->step) || out->step <= 0)
        return false;
    out->trips = out->high > out->low ? (out->high - out->low - 1) / out->step + 1 : 0;
    return true;
}

static ir_value *index_before(ir_op *op, int64_t value)
{
    ir_builder b = ir_builder_before(op);
    return arith_index(&b, value);
}

/* What a value grows by when `iv` grows by one; false where that is not constant. */
static bool stride_of(ir_value *v, const loop *l, int depth, int64_t *out)
{
    ir_op *def = ir_value_def(v);
    int64_t x = 0, y = 0, factor;
    *out = v == l->iv;
    if (v == l->iv || (def && ir_op_parent(def) != l->op))
        return true;
    if (!def)
        return ir_value_block(v) != l->body;
    if (depth == DEEPEST || def->n_operands > 2)
        return false;
    for (uint32_t i = 0; i < def->n_operands; i++)
        if (!stride_of(def->operands[i].value, l, depth + 1, i ? &y : &x))
            return false;
    if (def->def == ARITH_OP(addi) || def->def == ARITH_OP(subi))
        *out = def->def == ARITH_OP(addi) ? x + y : x - y;
    else if (def->def == ARITH_OP(muli) &&
             arith_constant_int(def->operands[1].value, &factor))
        *out = x * factor;
    else if (def->def == ARITH_OP(muli) &&
             arith_constant_int(def->operands[0].value, &factor))
        *out = y * factor;
    else if (x || y)
        return false;
    return true;
}

/* ---- transfers */

typedef struct transfer {
    ir_op *take, *attach, *copy, *wait, *give;
    ir_value *cb, *corner[2]; /* row and column of the first tile */
    ir_value *tensor;
    bool read; /* from the tensor */
} transfer;

/* The tensor and the corner in it that one side of a copy names. */
static bool find_place(transfer *t)
{
    ir_op *copy = t->copy;
    uint32_t side = t->read ? 0 : 1, first = 1;
    ir_op *from = ir_value_def(copy->operands[side].value), *holder = from;
    if (ir_op_is(from, TTL_OP(index_accessor))) {
        from = ir_value_def(from->operands[0].value);
    } else if (ir_op_is(from, TTL_OP(tensor_accessor))) {
        holder = copy;
        first = 2 + (t->read ? 0 : (uint32_t)ir_op_int(copy, "src_indices", 0));
    }
    if (!from || holder->n_operands < first + 2 ||
        (from->def != TTL_OP(tensor_slice) && from->def != TTL_OP(tensor_accessor)))
        return false;
    t->tensor = from->operands[0].value;
    for (uint32_t i = 0; i < 2; i++)
        t->corner[i] = holder->operands[first + i].value;
    return true;
}

static bool is_cb(const ir_value *v)
{
    return v->type->kind == IR_TYPE_DIALECT && v->type->def == TTL_TYPE(cb);
}

/* The transfer that a copy is part of; all of it is in one block. */
static bool find_transfer(ir_op *copy, transfer *out)
{
    *out = (transfer){.copy = copy};
    if (copy->def != TTL_OP(copy))
        return false;
    ir_value *to = ttl_buffer_of(copy, 1), *from = ttl_buffer_of(copy, 0);
    out->read = is_cb(to);
    out->cb = out->read ? to : from;
    if (is_cb(to) == is_cb(from) || !find_place(out))
        return false;
    const ir_op_def *take = out->read ? TTL_OP(cb_reserve) : TTL_OP(cb_wait);
    const ir_op_def *give = out->read ? TTL_OP(cb_push) : TTL_OP(cb_pop);
    for (ir_op *o = copy->prev; o && !out->take; o = o->prev) {
        if (o->def == TTL_OP(attach_cb) && o->operands[1].value == out->cb)
            out->attach = o;
        if (o->def == take && ttl_buffer_of(o, 0) == out->cb)
            out->take = o;
    }
    for (ir_op *o = copy->next; o && !out->give; o = o->next) {
        if (o->def == TTL_OP(wait) && o->operands[0].value == &copy->results[0])
            out->wait = o;
        if (o->def == give && ttl_buffer_of(o, 0) == out->cb)
            out->give = o;
    }
    if (!out->take || !out->give || !out->wait || out->wait->block != copy->block)
        return false;
    ir_operand *use = copy->results[0].uses;
    return use && !use->next_use;
}

static bool is_part(const transfer *t, const ir_op *op)
{
    return op == t->take || op == t->attach || op == t->copy || op == t->wait ||
           op == t->give;
}

static bool is_plain(const ir_op *op)
{
    return !op->n_regions && op->def->traits & (IR_PURE | IR_TERMINATOR);
}

/* The transfers of a loop that holds nothing else; 0 where there is more. */
static size_t only_transfers(const loop *l, transfer *out)
{
    size_t n = 0;
    for (ir_op *o = l->body->first; o; o = o->next)
        if (o->def == TTL_OP(copy) && (n == MAX_TRANSFERS || !find_transfer(o, &out[n++])))
            return 0;
    for (ir_op *o = l->body->first; o; o = o->next) {
        bool known = is_plain(o) || o->def == TTL_OP(check_index);
        for (size_t i = 0; i < n; i++)
            known |= is_part(&out[i], o);
        if (!known)
            return 0;
    }
    return n;
}

/* ---- fewer */

/* Wormhole's packets; Blackhole's are twice as long (device.md). */
enum { PACKET_BYTES = 8192 };

/* The dimension along which an iteration's block follows the last one's; -1: none does. */
static int followed(const transfer *t, const loop *l)
{
    ir_type cb = t->cb->type;
    int64_t by[2];
    if (ttl_cb_rank(cb) != 2)
        return -1;
    for (int i = 0; i < 2; i++)
        if (!stride_of(t->corner[i], l, 0, &by[i]))
            return -1;
    int64_t rows = ttl_cb_dim(cb, 0), columns = ttl_cb_dim(cb, 1);
    if (by[0] * l->step == rows && !by[1])
        return 0;
    return by[1] * l->step == columns && !by[0] && rows == 1 ? 1 : -1;
}

/* Whether that many blocks at once are possible. */
static bool fits(const transfer *t, int64_t times)
{
    ir_type cb = t->cb->type;
    int64_t factor = cb->params[2]->value;
    int64_t bytes = ttcore_is_tile(ttl_cb_element(cb)) ? ttl_block_bytes(cb) : 0;
    return factor % times == 0 && times <= (factor >= 4 ? factor / 2 : factor) && bytes &&
           times <= PACKET_BYTES / bytes;
}

/* Others that take the same buffer's blocks would find it between two of its positions. */
static bool takes_alone(const transfer *t)
{
    for (ir_operand *use = t->cb->uses; use; use = use->next_use) {
        const ir_op *o = use->owner;
        if ((o->def == t->take->def && o != t->take) || o->def == TTL_OP(cb_fill) ||
            o->def == TTL_OP(reshape_cb))
            return false;
    }
    return !ir_op_is(ir_value_def(t->cb), TTL_OP(reshape_cb));
}

static ir_type widened(ir_type cb, int along, int64_t times)
{
    ir_attr dims[] = {ir_raw_int(cb->ctx, ttl_cb_dim(cb, 0) * (along == 0 ? times : 1)),
                      ir_raw_int(cb->ctx, ttl_cb_dim(cb, 1) * (along == 1 ? times : 1))};
    ir_attr params[] = {ir_array_attr(cb->ctx, dims, 2), cb->params[1],
                        ir_raw_int(cb->ctx, cb->params[2]->value / times), cb->params[3]};
    return ir_dialect_type(cb->ctx, TTL_TYPE(cb), params, 4);
}

/* A tensor or block of the buffer's shape. */
static ir_type shaped(ir_type old, ir_type cb)
{
    int64_t dims[] = {ttl_cb_dim(cb, 0), ttl_cb_dim(cb, 1)};
    return old->kind == IR_TYPE_DIALECT
               ? ttl_block_of_cb(cb)
               : ir_tensor_type(old->element, dims, 2, old->encoding);
}

static void widen(const transfer *t, const loop *l, int along, int64_t times)
{
    ir_builder b = ir_builder_before(l->op);
    ir_type type = widened(t->cb->type, along, times);
    ir_value *cb = ir_build1(&b, TTL_OP(reshape_cb), type, &t->cb, 1, NULL, 0);
    ir_op *slice = ir_value_def(t->copy->operands[t->read ? 0 : 1].value);
    ir_op *const parts[] = {t->take, t->attach, t->copy, t->give};
    for (size_t i = 0; i < TW_COUNT(parts); i++)
        for (uint32_t k = 0; parts[i] && k < parts[i]->n_operands; k++)
            if (parts[i]->operands[k].value == t->cb)
                ir_op_set_operand(parts[i], k, cb);
    t->take->results[0].type = shaped(t->take->results[0].type, type);
    if (t->attach)
        t->attach->results[0].type = shaped(t->attach->results[0].type, type);
    if (ir_op_is(slice, TTL_OP(tensor_slice)))
        slice->results[0].type = shaped(slice->results[0].type, type);
}

bool ttl_coalesce_dma(ir_op *at, ir_op *copy)
{
    transfer all[MAX_TRANSFERS];
    int along[MAX_TRANSFERS];
    loop l;
    if (copy->def != TTL_OP(copy))
        return ir_op_error(at, "works on ttl.copy, got %s", copy->def->name);
    if (!is_counted(ir_op_parent(copy), &l))
        return true;
    size_t n = only_transfers(&l, all);
    int64_t times = n ? l.trips : 1;
    for (size_t i = 0; i < n; i++) {
        along[i] = followed(&all[i], &l);
        if (along[i] < 0 || !takes_alone(&all[i]))
            return true;
    }
    for (; times > 1; times--) {
        bool all_fit = l.trips % times == 0;
        for (size_t i = 0; i < n && all_fit; i++)
            all_fit = fits(&all[i], times);
        if (all_fit)
            break;
    }
    if (times <= 1)
        return true;
    for (size_t i = 0; i < n; i++)
        widen(&all[i], &l, along[i], times);
    ir_op_set_operand(l.op, 2, index_before(l.op, l.step * times));
    return true;
}

/* ---- earlier */

typedef struct rotation {
    loop l;
    const transfer *early;
    size_t n;
} rotation;

static bool is_early(const rotation *r, const ir_op *op)
{
    for (size_t i = 0; i < r->n; i++)
        if (is_part(&r->early[i], op))
            return true;
    return false;
}

static bool used_by_others(const rotation *r, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        for (ir_operand *use = op->results[i].uses; use; use = use->next_use)
            if (!is_early(r, use->owner))
                return true;
    return false;
}

/* Nothing that the loop does besides may order, or change, what is read early. */
static bool may_rotate(const rotation *r)
{
    bool waits = false;
    for (ir_op *o = r->l.body->first; o; o = o->next) {
        if (is_early(r, o) && used_by_others(r, o))
            return false;
        if (is_early(r, o) || is_plain(o))
            continue;
        transfer t;
        bool known = o->def == TTL_OP(cb_wait) || o->def == TTL_OP(cb_pop) ||
                     o->def == TTL_OP(cb_reserve) || o->def == TTL_OP(cb_push) ||
                     o->def == TTL_OP(attach_cb) || o->def == TTL_OP(wait) ||
                     o->def == TTL_OP(signpost) || o->def == TTL_OP(check_index);
        if (o->def == TTL_OP(copy)) {
            known = find_transfer(o, &t);
            for (size_t i = 0; i < r->n && known; i++)
                known = t.read || t.tensor != r->early[i].tensor;
        }
        if (!known)
            return false;
        waits = true;
    }
    return waits && r->l.trips > 1;
}

/* The copy of a value for another iteration, made in front of an operation. */
static ir_value *again(const rotation *r, ir_value *v, ir_mapping *map, ir_op *before)
{
    ir_value *known = ir_mapping_get(map, v);
    ir_op *def = ir_value_def(v);
    if (known || !def || def->block != r->l.body)
        return known ? known : v;
    for (uint32_t i = 0; i < def->n_operands; i++)
        again(r, def->operands[i].value, map, before);
    ir_op *copy = ir_op_clone(def, map);
    ir_op_insert_before(copy, before);
    for (uint32_t i = 0; i < def->n_results; i++)
        ir_mapping_set(map, &def->results[i], &copy->results[i]);
    return ir_mapping_get(map, v);
}

/* The early part of an iteration, or the rest of it, once more in front of an operation. */
static void repeat(const rotation *r, bool early, ir_value *iv, ir_op *before)
{
    ir_mapping *map = ir_mapping_create();
    ir_mapping_set(map, r->l.iv, iv);
    for (ir_op *o = r->l.body->first; o; o = o->next) {
        if (is_plain(o) || is_early(r, o) != early)
            continue;
        for (uint32_t i = 0; i < o->n_operands; i++)
            again(r, o->operands[i].value, map, before);
        ir_op *copy = ir_op_clone(o, map);
        ir_op_insert_before(copy, before);
        for (uint32_t i = 0; i < o->n_results; i++)
            ir_mapping_set(map, &o->results[i], &copy->results[i]);
    }
    ir_mapping_free(map);
}

/* for i: early(i), rest(i)  =>  early(first); for i < last: early(i + 1), rest(i);
 * rest(last) */
static void rotate(const rotation *r)
{
    const loop *l = &r->l;
    int64_t last = l->low + (l->trips - 1) * l->step;
    repeat(r, true, l->op->operands[0].value, l->op);
    ir_op *behind = l->op->next;
    repeat(r, false, index_before(behind, last), behind);
    ir_op_set_operand(l->op, 1, index_before(l->op, last));
    ir_op *first = l->body->first;
    ir_builder b = ir_builder_before(first);
    b.loc = l->op->loc;
    ir_value *next = ir_build1(&b, ARITH_OP(addi), l->iv->type,
                               IR_VALUES(l->iv, l->op->operands[2].value), NULL, 0);
    ir_mapping *map = ir_mapping_create();
    ir_mapping_set(map, l->iv, next);
    for (ir_op *o = first, *following; o; o = following) {
        following = o->next;
        if (!is_early(r, o))
            continue;
        for (uint32_t i = 0; i < o->n_operands; i++) {
            ir_op *def = ir_value_def(o->operands[i].value);
            if (!def || !is_early(r, def))
                ir_op_set_operand(o, i, again(r, o->operands[i].value, map, first));
        }
        if (o == first) {
            first = following;
            continue;
        }
        ir_op_remove(o);
        ir_op_insert_before(o, first);
    }
    ir_mapping_free(map);
}

static bool hold_two(ir_op *at, const transfer *t)
{
    if (t->cb->type->params[2]->value >= 2)
        return true;
    ir_op *def = ir_value_def(t->cb);
    if (ir_op_is(def, TTL_OP(create_cb))) {
        ttl_set_buffer_factor(def, 2);
        return true;
    }
    ir_op_error(at, "reads a block ahead: the buffer must hold two, set its buffer_factor");
    return ir_note(at->ctx, t->copy->loc, "of this copy");
}

bool ttl_insert_prefetch(ir_op *at, ir_op *const *copies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (copies[i]->def != TTL_OP(copy))
            return ir_op_error(at, "works on ttl.copy, got %s", copies[i]->def->name);
    for (size_t i = 0; i < n; i++) {
        transfer early[MAX_TRANSFERS];
        rotation r = {.early = early};
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= copies[k]->block != copies[i]->block;
        if (!first || !is_counted(ir_op_parent(copies[i]), &r.l))
            continue;
        for (size_t k = i; k < n; k++) {
            transfer found;
            if (copies[k]->block != copies[i]->block || !find_transfer(copies[k], &found) ||
                !found.read)
                continue;
            if (r.n == MAX_TRANSFERS)
                return ir_op_error(at, "moves at most %d copies of one loop",
                                   MAX_TRANSFERS);
            early[r.n++] = found;
        }
        if (!r.n || !may_rotate(&r))
            continue;
        for (size_t k = 0; k < r.n; k++)
            if (!hold_two(at, &early[k]))
                return false;
        rotate(&r);
    }
    return true;
}

/* ---- in another order */

typedef struct nest {
    loop outer, inner;
} nest;

typedef struct nests {
    nest at[8];
    size_t count;
    bool ok;
    int64_t
        down; /* slices that the inner loop moves along rows, less those along columns */
} nests;

static ir_walk forbid(ir_op *op, void *user)
{
    nests *all = user;
    ir_attr sums = ir_op_attr(op, "acc");
    all->ok &= !sums && op->def != TTL_OP(semaphore_wait) &&
               op->def != TTL_OP(semaphore_set) && op->def != TTL_OP(semaphore_inc) &&
               op->def != TTL_OP(if_pipe_src) && op->def != TTL_OP(if_pipe_dst) &&
               op->def != TTL_OP(create_pipe);
    return all->ok ? IR_WALK_ON : IR_WALK_STOP;
}

/* Blocks that an iteration takes, less those that it gives back. */
static ir_walk balance(ir_op *op, void *user)
{
    int64_t *open = user;
    *open += op->def == TTL_OP(cb_wait) || op->def == TTL_OP(cb_reserve);
    *open -= op->def == TTL_OP(cb_pop) || op->def == TTL_OP(cb_push);
    return IR_WALK_ON;
}

static void judge(nests *all, const nest *n)
{
    for (ir_op *o = n->inner.body->first; o; o = o->next) {
        transfer t;
        int64_t by[2];
        if (o->def == TTL_OP(copy) && find_transfer(o, &t) &&
            stride_of(t.corner[0], &n->inner, 0, &by[0]) &&
            stride_of(t.corner[1], &n->inner, 0, &by[1]))
            all->down += (by[0] && !by[1]) - (by[1] && !by[0]);
    }
}

/* A thread is its two loops, one in the other, and what needs no order. */
static void add_thread(nests *all, ir_block *body)
{
    nest n = {.outer = {0}};
    size_t loops = 0;
    int64_t open = 0;
    for (ir_op *o = body->first; o; o = o->next) {
        bool is_loop = o->n_regions && !loops++ && is_counted(o, &n.outer);
        all->ok &= is_loop || is_plain(o) || o->def == TTL_OP(create_cb) ||
                   o->def == TTL_OP(tensor_accessor);
    }
    if (!loops)
        return; /* an empty thread conflicts with none */
    loops = 0;
    for (ir_op *o = n.outer.body ? n.outer.body->first : NULL; o; o = o->next)
        all->ok &= (o->n_regions && !loops++ && is_counted(o, &n.inner)) || is_plain(o);
    if (!all->ok || loops != 1 || all->count == TW_COUNT(all->at)) {
        all->ok = false;
        return;
    }
    ir_walk_pre(n.inner.op, balance, &open);
    all->ok &= !open && (!all->count || (all->at[0].outer.trips == n.outer.trips &&
                                         all->at[0].inner.trips == n.inner.trips));
    judge(all, &n);
    all->at[all->count++] = n;
}

static ir_walk find_threads(ir_op *op, void *user)
{
    bool thread = op->def == TTL_OP(compute_thread) ||
                  op->def == TTL_OP(datamovement_thread) ||
                  (op->def == FUNC_OP(func) && ttkernel_thread_kind(op) >= 0);
    if (thread)
        add_thread(user, ir_op_body(op, 0));
    return thread ? IR_WALK_SKIP : IR_WALK_ON;
}

static void exchange(const nest *n)
{
    ir_op *outer = n->outer.op, *inner = n->inner.op, *start = n->inner.body->first;
    for (ir_op *o = n->outer.body->first, *next; o; o = next) {
        next = o->next;
        if (o == inner || o->def->traits & IR_TERMINATOR)
            continue;
        ir_op_remove(o); /* what the outer count gives is computed inside */
        ir_op_insert_before(o, start);
    }
    const int64_t bounds[2][3] = {{n->outer.low, n->outer.high, n->outer.step},
                                  {n->inner.low, n->inner.high, n->inner.step}};
    for (uint32_t i = 0; i < 3; i++) {
        ir_op_set_operand(outer, i, index_before(outer, bounds[1][i]));
        ir_op_set_operand(inner, i, index_before(outer, bounds[0][i]));
    }
    ir_value *spare = index_before(outer, 0);
    ir_value_replace_uses(n->outer.iv, spare);
    ir_value_replace_uses(n->inner.iv, n->outer.iv);
    ir_value_replace_uses(spare, n->inner.iv);
    ir_op_erase(ir_value_def(spare));
}

bool ttl_reorder_for_locality(ir_op *at, ir_op *kernel)
{
    nests all = {.ok = true};
    (void)at;
    ir_walk_pre(kernel, forbid, &all);
    if (all.ok)
        ir_walk_pre(kernel, find_threads, &all);
    if (!all.ok || all.down <= 0)
        return true;
    for (size_t i = 0; i < all.count; i++)
        exchange(&all.at[i]);
    return true;
}
