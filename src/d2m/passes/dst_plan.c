/* dst_plan.c: gives slots of DST to loads, results and stores of tile operations. */
#include "d2m/generic.h"
#include "d2m/passes/dst_access.h"
#include "d2m/passes/nests.h"
#include "d2m/tile_ops.h"
#include "mlir/affine/affine.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttcore/ttcore.h"

#include <stdlib.h>

/* ---- slots */

/* Slots are taken from a stack, lowest first; inputs remember theirs. */
typedef struct slots {
    int64_t free[DST_MAX_SLOTS], inputs[DST_MAX_SLOTS], current;
    int64_t used; /* the slots from here on were never taken */
    size_t n_free, n_inputs;
    bool overflow;
} slots;

static void begin(slots *s, int64_t capacity)
{
    *s = (slots){.current = -1};
    for (int64_t i = TW_MIN(capacity, (int64_t)DST_MAX_SLOTS); i-- > 0;)
        s->free[s->n_free++] = i;
}

static int64_t take(slots *s)
{
    s->overflow |= s->n_free == 0;
    const int64_t slot = s->n_free ? s->free[--s->n_free] : 0;
    s->used = TW_MAX(s->used, slot + 1);
    return slot;
}

static int64_t take_output(slots *s)
{
    return s->current = take(s);
}

/* Copies to DST that have a nest of their own are done before anything is computed: their
 * slots hold no result before. */
static void put_unused_first(slots *s)
{
    for (size_t i = 0; i < s->n_free; i++)
        if (s->free[i] == s->used) {
            memmove(s->free + i, s->free + i + 1, (s->n_free - i - 1) * sizeof *s->free);
            s->free[s->n_free - 1] = s->used;
            return;
        }
    s->overflow = true;
}

/* An input with `stride` slots: the operation uses those that follow its own. */
static int64_t take_input(slots *s, int64_t stride)
{
    int64_t first = take(s);
    for (int64_t i = 1; i < stride; i++)
        s->overflow |= take(s) != first + i;
    if (s->n_inputs < DST_MAX_SLOTS)
        s->inputs[s->n_inputs++] = first;
    return s->current = first;
}

static bool contains(const int64_t *at, size_t n, int64_t slot)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] == slot)
            return true;
    return false;
}

static void give_back(slots *s, int64_t slot)
{
    if (contains(s->inputs, s->n_inputs, slot) || contains(s->free, s->n_free, slot) ||
        s->n_free >= DST_MAX_SLOTS)
        return;
    s->free[s->n_free++] = slot;
    if (s->current == slot)
        s->current = -1;
}

/* The result of several inputs is in the slot of the first; the others are free again. */
static int64_t keep_first_input(slots *s)
{
    int64_t first = s->inputs[0];
    s->overflow |= s->n_inputs == 0;
    while (s->n_inputs > 1 && s->n_free < DST_MAX_SLOTS)
        s->free[s->n_free++] = s->inputs[--s->n_inputs];
    s->n_inputs = 0;
    return s->current = first;
}

/* ---- the plan */

static void *grow(void *at, size_t n, size_t size)
{
    return n & (n - 1) ? at : tw_xrealloc(at, (n ? 2 * n : 1) * size);
}

static dst_access *add_access(dst_plan *p, ir_op *op, int64_t slot)
{
    bool load = d2m_is_load(op);
    dst_access **list = load ? &p->loads : &p->stores;
    size_t *n = load ? &p->n_loads : &p->n_stores;
    *list = grow(*list, *n, sizeof **list);
    (*list)[*n] = (dst_access){.op = op, .slot = slot};
    return &(*list)[(*n)++];
}

static void add_result(dst_plan *p, ir_op *op, int64_t slot)
{
    p->results = grow(p->results, p->n_results, sizeof *p->results);
    p->results[p->n_results++] = (dst_result){op, slot};
}

static dst_result *result_of(const dst_plan *p, const ir_op *op)
{
    for (size_t i = 0; op && i < p->n_results; i++)
        if (p->results[i].op == op)
            return &p->results[i];
    return NULL;
}

void d2m_free_plan(dst_plan *p)
{
    free(p->loads);
    free(p->stores);
    free(p->results);
}

/* ---- sums that loops carry */

static ir_value *without_waits(ir_value *v)
{
    for (ir_op *def; (def = ir_value_def(v)) != NULL &&
                     (def->def == D2M_OP(wait) || def->def == D2M_OP(reserve));)
        v = ir_op_operand(def, 0);
    return v;
}

/* True if both are the same part of the same buffer. */
static bool is_same_memory(ir_value *a, ir_value *b)
{
    a = without_waits(a);
    b = without_waits(b);
    ir_op *x = ir_value_def(a), *y = ir_value_def(b);
    if (a == b)
        return true;
    if (!ir_op_is(x, MEMREF_OP(subview)) || !ir_op_is(y, MEMREF_OP(subview)) ||
        x->n_operands != y->n_operands ||
        ir_op_attr(x, "static_offsets") != ir_op_attr(y, "static_offsets") ||
        ir_op_attr(x, "static_sizes") != ir_op_attr(y, "static_sizes") ||
        ir_op_attr(x, "static_strides") != ir_op_attr(y, "static_strides"))
        return false;
    for (uint32_t i = 1; i < x->n_operands; i++)
        if (ir_op_operand(x, i) != ir_op_operand(y, i))
            return false;
    return is_same_memory(ir_op_operand(x, 0), ir_op_operand(y, 0));
}

/* True for memory that a circular buffer or an allocation is behind. */
static bool has_known_buffer(ir_value *memref)
{
    ir_op *def = ir_value_def(memref);
    while (ir_op_is(def, MEMREF_OP(subview))) {
        memref = ir_op_operand(def, 0);
        def = ir_value_def(memref);
    }
    return !def || def->def == D2M_OP(wait) || def->def == D2M_OP(reserve) ||
           def->def == MEMREF_OP(alloc) || def->def == D2M_OP(operand_alias);
}

/* True if the load reads what an earlier iteration of the operation stored. */
static bool is_carried_sum(ir_op *op, ir_op *load)
{
    uint32_t tiles = 0;
    for (uint32_t i = 0; i < op->n_operands; i++)
        tiles += !d2m_is_scalar_operand(op, i);
    if (tiles <= 1 || !has_known_buffer(d2m_access_memref(load)))
        return false;
    for (uint32_t r = 0; r < op->n_results; r++)
        for (ir_operand *use = op->results[r].uses; use; use = use->next_use)
            if (d2m_is_store(use->owner) && ir_operand_number(use) == 0 &&
                is_same_memory(d2m_access_memref(load), d2m_access_memref(use->owner)))
                return true;
    return false;
}

/* The copy of a carried sum is left out in the first iteration of the loops that carry it:
 * all outer ones that the access does not depend on, but for parallel blocking loops. */
static void add_guards(dst_plan *p, dst_access *access)
{
    ir_value *variables[LOOP_CAPACITY];
    size_t n =
        d2m_outer_variables(p->root ? p->root : access->op, variables, LOOP_CAPACITY);
    for (size_t i = 0; i < n; i++) {
        const ir_op *loop = ((ir_block *)variables[i]->owner)->region->owner;
        if (d2m_blocking_kind(loop) != 0 &&
            !d2m_access_depends_on(access->op, variables[i]))
            access->guards[access->n_guards++] = variables[i];
    }
}

/* ---- loads */

static bool is_outside_dst(ir_op *access)
{
    return d2m_space_of(d2m_access_memref(access)->type) != TTCORE_MemorySpace_RegisterDst;
}

/* The load from a buffer that defines an operand to be copied to DST; NULL: none. */
static ir_op *buffer_load(const ir_op *op, uint32_t operand, bool scheduled)
{
    ir_op *load = ir_value_def(ir_op_operand(op, operand));
    bool wanted =
        ir_op_is(load, AFFINE_OP(load)) || (scheduled && ir_op_is(load, MEMREF_OP(load)));
    return wanted && is_outside_dst(load) ? load : NULL;
}

/* Gives slots to an operation's inputs; returns the count of those that count as loaded,
 * the first one's slot in *first. */
static int plan_loads(dst_plan *p, slots *s, ir_op *op, bool scheduled, int64_t *first)
{
    unsigned loads = d2m_dst_loads(op);
    int from_buffers = 0, loaded = 0;
    *first = -1;
    for (uint32_t i = 0; i < op->n_operands && i < 32; i++)
        if (loads >> i & 1)
            from_buffers += buffer_load(op, i, scheduled) != NULL;
    for (uint32_t i = 0; i < op->n_operands && i < 32; i++) {
        ir_op *load = loads >> i & 1 ? buffer_load(op, i, scheduled) : NULL;
        loaded += scheduled ? loads >> i & 1 : load != NULL;
        if (!load)
            continue;
        if (!scheduled && d2m_has_copy_nest(p))
            put_unused_first(s);
        int64_t slot = take_input(s, d2m_dst_stride(op));
        *first = *first < 0 ? slot : *first;
        dst_access *access = add_access(p, load, slot);
        if (from_buffers < 2 && is_carried_sum(op, load))
            add_guards(p, access);
    }
    return loaded;
}

/* ---- in any order */

/* Uses of results that are not planned yet, for each tile operation. */
typedef struct use_counts {
    ir_op **ops;
    int64_t *left;
    size_t n;
} use_counts;

static int64_t *uses_left(const use_counts *u, const ir_op *op)
{
    for (size_t i = 0; op && i < u->n; i++)
        if (u->ops[i] == op)
            return &u->left[i];
    return NULL;
}

static void count_uses(use_counts *u, const ir_op_list *ops)
{
    u->ops = ops->at;
    u->n = ops->n;
    u->left = tw_xcalloc(ops->n + 1, sizeof *u->left);
    for (size_t i = 0; i < ops->n; i++)
        for (ir_operand *use = ops->at[i]->n_results == 1 ? ops->at[i]->results[0].uses
                                                          : NULL;
             use; use = use->next_use)
            u->left[i] += d2m_is_compute(use->owner) || d2m_is_store(use->owner);
}

/* The slot of a result, or of a broadcast that is part of a copy; -1: none. */
static int64_t slot_of(const dst_plan *p, const ir_op *op)
{
    const dst_result *result = result_of(p, op);
    for (size_t i = 0; op && !result && i < p->n_loads; i++)
        if (p->loads[i].bcast == op)
            return p->loads[i].slot;
    return result ? result->slot : -1;
}

/* The slot of an operand that no other operation needs afterwards; -1: none. */
static int64_t reusable_slot(const dst_plan *p, const use_counts *u, const ir_op *op)
{
    unsigned loads = d2m_dst_loads(op);
    for (uint32_t i = 0; i < op->n_operands && i < 32; i++) {
        const ir_op *def = loads >> i & 1 ? ir_value_def(ir_op_operand(op, i)) : NULL;
        const int64_t from = slot_of(p, def), *left = uses_left(u, def);
        if (from >= 0 && left && *left <= 1)
            return from;
    }
    return -1;
}

/* Operands that are broadcasts of a buffer's tile, which the copy to DST does. */
static int merged_operands(const ir_op *op)
{
    int n = 0;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_op *def = ir_value_def(ir_op_operand(op, i));
        n += ir_op_is(def, D2M_OP(tile_bcast)) &&
             ir_op_is(ir_value_def(ir_op_operand(def, 0)), AFFINE_OP(load));
    }
    return n;
}

/* The slot of any operand in DST that no other operation needs afterwards; -1: none. */
static int64_t last_use_of(const dst_plan *p, const use_counts *u, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_op *def = ir_value_def(ir_op_operand(op, i));
        const int64_t from = slot_of(p, def), *left = uses_left(u, def);
        if (from >= 0 && left && *left <= 1)
            return from;
    }
    return -1;
}

static int64_t result_slot(dst_plan *p, slots *s, const use_counts *u, ir_op *op,
                           int loaded, int64_t first)
{
    if (p->iterations) {
        const int64_t slot = last_use_of(p, u, op);
        return slot >= 0 ? slot : first >= 0 ? first : take_output(s);
    }
    if (d2m_dst_in_place(op)) {
        int64_t slot = reusable_slot(p, u, op);
        return slot >= 0 ? slot : first >= 0 ? first : take_output(s);
    }
    if (loaded >= 2)
        return first;
    /* a slot of its own is for results only where every iteration can have a tile in it */
    bool from_zero;
    const int64_t next = s->n_free ? s->free[s->n_free - 1] : DST_MAX_SLOTS;
    const bool fits = (next + 1) * d2m_iterations(op, p->root, &from_zero) <= p->capacity;
    return loaded && merged_operands(op) && !fits ? first : take_output(s);
}

static void release_operands(dst_plan *p, slots *s, use_counts *u, const ir_op *op,
                             int64_t produced)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_op *def = ir_value_def(ir_op_operand(op, i));
        const int64_t from = slot_of(p, def);
        int64_t *left = uses_left(u, def);
        if (from >= 0 && left && --*left == 0 && from != produced)
            give_back(s, from);
    }
}

/* A broadcast of a buffer's tile is part of the copy. */
static ir_op *merged_load(const ir_op *op)
{
    ir_op *load = op->def == D2M_OP(tile_bcast) ? ir_value_def(ir_op_operand(op, 0)) : NULL;
    return ir_op_is(load, AFFINE_OP(load)) ? load : NULL;
}

static void plan_op(dst_plan *p, slots *s, use_counts *u, ir_op *op)
{
    int64_t first, produced = -1;
    int loaded = plan_loads(p, s, op, false, &first);
    bool planned = false;
    for (uint32_t r = 0; r < op->n_results; r++)
        for (ir_operand *use = op->results[r].uses; use; use = use->next_use) {
            bool store = d2m_is_store(use->owner);
            if (store
                    ? ir_operand_number(use) != 0 || (use->owner->def == AFFINE_OP(store) &&
                                                      !is_outside_dst(use->owner))
                    : planned || !d2m_is_compute(use->owner))
                continue;
            ir_op *copied = store ? NULL : merged_load(op);
            if (copied && d2m_has_copy_nest(p))
                put_unused_first(s);
            produced = copied ? take_input(s, 1) : result_slot(p, s, u, op, loaded, first);
            planned |= !store;
            if (store)
                add_access(p, use->owner, produced);
            else if (copied)
                add_access(p, copied, produced)->bcast = op;
            else
                add_result(p, op, produced);
        }
    release_operands(p, s, u, op, produced);
}

/* ---- in the order of a schedule */

static int64_t scheduled_slot(const dst_plan *p, slots *s, const use_counts *u,
                              const ir_op *op, int loaded, uint32_t result, bool stored)
{
    bool in_place = d2m_dst_in_place(op);
    if (stored && op->n_results > 1 && in_place && s->n_inputs) {
        size_t pair = result % s->n_inputs;
        return s->inputs[pair] + (result < s->n_inputs ? 0 : result / (int64_t)s->n_inputs);
    }
    if (in_place && (stored || loaded > 0)) {
        s->overflow |= s->current < 0;
        return s->current;
    }
    if (loaded >= 2 && s->n_inputs)
        return keep_first_input(s);
    const int64_t operand = loaded >= 2 ? last_use_of(p, u, op) : -1;
    return operand >= 0 ? s->current = operand : take_output(s);
}

/* The tiles of results that no later operation reads are free again. */
static void plan_scheduled_op(dst_plan *p, slots *s, use_counts *u, ir_op *op)
{
    int64_t first, produced = -1;
    int loaded = plan_loads(p, s, op, true, &first);
    for (uint32_t r = 0; r < op->n_results; r++)
        for (ir_operand *use = op->results[r].uses; use; use = use->next_use) {
            bool store = d2m_is_store(use->owner) && ir_operand_number(use) == 0 &&
                         is_outside_dst(use->owner);
            if (store)
                add_access(p, use->owner,
                           produced = scheduled_slot(p, s, u, op, loaded, r, true));
            else if (d2m_is_compute(use->owner) && !result_of(p, op))
                add_result(p, op, produced = scheduled_slot(p, s, u, op, loaded, r, false));
        }
    if (op->n_results == 1)
        release_operands(p, s, u, op, produced);
}

/* A tile that moves from buffer to buffer passes DST, too. */
static void plan_copies(dst_plan *p, slots *s, ir_op_list *stores)
{
    for (size_t i = 0; i < stores->n; i++) {
        ir_op *store = stores->at[i], *load = ir_value_def(ir_op_operand(store, 0));
        int64_t l1 = TTCORE_MemorySpace_DeviceL1;
        if (!ir_op_is(load, MEMREF_OP(load)) ||
            d2m_space_of(d2m_access_memref(store)->type) != l1 ||
            d2m_space_of(d2m_access_memref(load)->type) != l1)
            continue;
        int64_t slot = take_input(s, 1);
        add_access(p, load, slot);
        add_access(p, store, slot);
    }
}

/* ---- all operations */

static bool is_tile_op(const ir_op *op)
{
    return d2m_tile_op_of(op) != NULL;
}

static bool is_memref_store(const ir_op *op)
{
    return op->def == MEMREF_OP(store);
}

/* The operations of one region that `wanted` accepts. */
static ir_op_list ops_in_region(ir_region *region, ir_op_test *wanted)
{
    ir_op_list all = ir_ops_in(region->owner, wanted);
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++) {
        ir_op *at = all.at[i];
        while (at && at->block && at->block->region != region)
            at = ir_op_parent(at);
        if (at && at->block && at != region->owner)
            all.at[n++] = all.at[i];
    }
    all.n = n;
    return all;
}

/* The i-th load or store. */
static dst_access *access_at(const dst_plan *p, size_t i)
{
    return i < p->n_loads ? &p->loads[i] : &p->stores[i - p->n_loads];
}

static bool overlap(const dst_plan *p, const dst_access *a, const dst_access *b)
{
    const int64_t from = d2m_slot_start(a, p->root), to = d2m_slot_start(b, p->root);
    return a->slot != b->slot && from < to + d2m_slot_tiles(b, p->root) &&
           to < from + d2m_slot_tiles(a, p->root);
}

/* Slots have as many tiles as their accesses reach. Where that differs, as with an operand
 * that is broadcast along a loop, slots may overlap: then all have the most. */
static void widen_slots(dst_plan *p)
{
    const size_t n = p->n_loads + p->n_stores;
    int64_t most = 0;
    bool shared = false;
    for (size_t i = 0; i < n; i++) {
        most = TW_MAX(most, d2m_slot_tiles(access_at(p, i), p->root));
        for (size_t k = 0; k < i && !shared; k++)
            shared = overlap(p, access_at(p, i), access_at(p, k));
    }
    for (size_t i = 0; shared && i < n; i++)
        access_at(p, i)->tiles = most;
}

/* The first tile of DST behind the loads and stores so far. */
static int64_t end_of_accesses(dst_plan *p)
{
    int64_t end = 0;
    widen_slots(p);
    for (size_t i = 0; i < p->n_loads + p->n_stores; i++) {
        const dst_access *a = access_at(p, i);
        end = TW_MAX(end, d2m_slot_start(a, p->root) + d2m_slot_tiles(a, p->root));
    }
    return end;
}

/* The first tile of DST behind all slots so far. */
static int64_t end_of_slots(dst_plan *p)
{
    int64_t end = end_of_accesses(p);
    bool from_zero;
    for (size_t i = 0; i < p->n_results; i++)
        end = TW_MAX(end, (p->results[i].slot + 1) *
                              d2m_iterations(p->results[i].op, p->root, &from_zero));
    return end;
}

/* The tile of DST in which the operation computes: the slot's, where every slot has one for
 * each iteration; else the first that no slot has, which is known of loops from 0. */
static void set_scratch(dst_plan *p, slots *s, ir_op *op)
{
    bool from_zero;
    int64_t tile = take(s) * d2m_iterations(op, p->root, &from_zero);
    if (tile >= p->capacity && from_zero) {
        tile = end_of_slots(p);
        s->overflow |= tile >= p->capacity;
    }
    ir_op_set_attr(op, "dst_scratch_index", ir_i64_attr(op->ctx, tile));
}

/* The end of DST's part that the plan reaches fits in it. */
static bool is_within(dst_plan *p)
{
    const size_t n = p->n_loads + p->n_stores;
    for (size_t i = 0; p->iterations && i < n; i++) {
        access_at(p, i)->tiles = p->iterations;
        access_at(p, i)->by_iteration = true;
    }
    return p->iterations || end_of_accesses(p) <= p->capacity || !access_at(p, 0)->tiles;
}

static bool plan(dst_plan *p, bool scheduled)
{
    slots s;
    use_counts u;
    ir_op_list ops = ops_in_region(p->region, is_tile_op);
    begin(&s, p->iterations ? p->capacity / p->iterations : p->capacity);
    count_uses(&u, &ops);
    for (size_t i = 0; i < ops.n; i++) {
        if (scheduled)
            plan_scheduled_op(p, &s, &u, ops.at[i]);
        else
            plan_op(p, &s, &u, ops.at[i]);
        if (d2m_dst_scratch(ops.at[i]))
            set_scratch(p, &s, ops.at[i]);
    }
    if (scheduled) {
        ir_op_list stores = ops_in_region(p->region, is_memref_store);
        plan_copies(p, &s, &stores);
        ir_op_list_free(&stores);
    }
    free(u.left);
    ir_op_list_free(&ops);
    return !s.overflow && is_within(p);
}

/* Where a nest would copy a tile again for each iteration of a loop along which it is
 * broadcast, each iteration gets tiles of its own, if they fit: a result may then be in the
 * slot of such an operand. */
static bool plan_by_iteration(dst_plan *p)
{
    if (!p->n_stores || !d2m_copies_again(p) || !d2m_is_parallel(p))
        return false;
    bool from_zero;
    dst_plan other = {.generic = p->generic,
                      .root = p->root,
                      .region = p->region,
                      .capacity = p->capacity,
                      .iterations = d2m_iterations(p->stores[0].op, p->root, &from_zero)};
    if (other.iterations > other.capacity || !plan(&other, false)) {
        d2m_free_plan(&other);
        return false;
    }
    d2m_free_plan(p);
    *p = other;
    return true;
}

bool d2m_plan_dst(dst_plan *p, bool scheduled)
{
    const bool fits = plan(p, scheduled);
    return (!scheduled && plan_by_iteration(p)) || fits;
}
