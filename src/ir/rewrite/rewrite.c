/* rewrite.c: the greedy driver.
 *
 * Each iteration collects all operations in order and processes them one by one: dead ones
 * are erased, others are folded, then offered to the patterns; operations affected by a
 * change are revisited.  Constants are uniqued per isolated region, at its start. */
#include "ir/rewrite/rewrite.h"

#include "ir/rewrite/effects.h"
#include "ir/watch.h"

#include <stdlib.h>

/* A constant that the driver keeps at the start of `region`. */
typedef struct known_constant {
    ir_region *region;
    tw_str dialect;
    ir_attr attr;
    ir_type type;
    ir_op *op;     /* NULL: erased meanwhile */
    uint32_t next; /* index + 1 of the next one of that region and attribute */
} known_constant;

/* The patterns for operations of one row, in the order of all. */
typedef struct row_patterns {
    const rw_pattern **at;
    size_t n;
} row_patterns;

/* The worklist holds each operation at most once; erased ones become NULL. */
struct rw_driver {
    ir_op **list;
    size_t count, capacity;
    ir_mapping *position; /* op -> where it is in the list (position_of) */
    size_t reversed; /* how many operations the list had when it was reversed; 0: before */
    const rw_pattern *patterns;
    size_t n_patterns;
    ir_mapping *by_row; /* row -> its row_patterns */
    struct {
        const ir_op_def *row;
        const row_patterns *patterns;
    } recent[16]; /* of by_row, by the row's address */
    row_patterns **rows;
    size_t n_rows, rows_capacity;
    known_constant *constants;
    size_t n_constants, constants_capacity;
    ir_mapping *by_value, *by_op; /* an attribute in a region, an operation -> index + 1 */
    ir_op *root, *current;        /* NULL: freed meanwhile */
    bool changed;
    bool has_branches; /* a region with several blocks was among what was collected */
};

typedef struct rw_driver driver;

/* Where the operation is in the list, + 1, by what the mapping has of it; 0: it is not
 * there. The mapping has positions times 2, + 1 for those before the list was reversed;
 * what is taken from the list stays in the mapping. */
static size_t position_at(const driver *d, const void *op, size_t known)
{
    const bool turned = (known & 1) && d->reversed;
    const size_t at = turned ? d->reversed + 1 - known / 2 : known / 2;
    return at && at <= d->count && d->list[at - 1] == op ? at : 0;
}

static void push(driver *d, ir_op *op)
{
    void **known = ir_mapping_at(d->position, op);
    if (position_at(d, op, (size_t)(uintptr_t)*known))
        return;
    TW_PUSH(d->list, d->count, d->capacity, op);
    *known = (void *)(uintptr_t)(2 * d->count + !d->reversed);
}

static void forget_position(driver *d, const void *op)
{
    const size_t at =
        position_at(d, op, (size_t)(uintptr_t)ir_mapping_get(d->position, op));
    if (at)
        d->list[at - 1] = NULL;
}

static void forget_constant(driver *d, const void *op)
{
    uintptr_t at = d->by_op ? (uintptr_t)ir_mapping_get(d->by_op, op) : 0;
    if (at) {
        d->constants[at - 1].op = NULL;
        ir_mapping_set(d->by_op, op, NULL);
    }
}

static void forget(driver *d, const ir_op *op)
{
    forget_position(d, op);
    if (op->def->traits & IR_CONSTANT_LIKE)
        forget_constant(d, op);
}

void rw_forget(driver *d, const void *thing)
{
    forget_position(d, thing);
    forget_constant(d, thing);
    if (d->current == thing)
        d->current = NULL;
    if (d->root == thing)
        d->root = NULL;
}

static ir_op *pop(driver *d)
{
    while (d->count) {
        ir_op *op = d->list[--d->count];
        if (op)
            return op;
    }
    return NULL;
}

static void push_users(driver *d, const ir_value *v)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        push(d, use->owner);
}

static void push_producers(driver *d, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *def = ir_value_def(op->operands[i].value);
        if (def)
            push(d, def);
    }
}

/* An operation in the erased one's regions: the definitions of its operands may be dead
 * now. */
static ir_walk forget_nested(ir_op *op, void *user)
{
    push_producers(user, op);
    return IR_WALK_ON;
}

static ir_walk forget_one(ir_op *op, void *user)
{
    forget(user, op);
    return IR_WALK_ON;
}

static void erase(driver *d, ir_op *op)
{
    d->changed = true;
    if (op->n_regions) {
        ir_walk_pre(op, forget_nested, d);
        ir_walk_pre(op, forget_one, d);
    } else {
        push_producers(d, op);
        forget(d, op);
    }
    ir_op_erase(op);
}

void rw_erase(rw_rewriter *rw, ir_op *op)
{
    erase(rw->driver, op);
}

void rw_modified(rw_rewriter *rw, ir_op *op)
{
    rw->driver->changed = true;
    push(rw->driver, op);
    for (uint32_t i = 0; i < op->n_results; i++)
        push_users(rw->driver, &op->results[i]);
}

void rw_replace_uses(rw_rewriter *rw, ir_value *from, ir_value *to)
{
    if (from == to)
        return;
    rw->driver->changed = true;
    push_users(rw->driver, from);
    ir_value_replace_uses(from, to);
}

void rw_replace(rw_rewriter *rw, ir_op *op, ir_value *const *values, size_t count)
{
    assert(count == op->n_results);
    for (size_t i = 0; i < count; i++)
        rw_replace_uses(rw, &op->results[i], values[i]);
    erase(rw->driver, op);
}

void rw_replace1(rw_rewriter *rw, ir_op *op, ir_value *value)
{
    rw_replace(rw, op, &value, 1);
}

bool rw_replace_if_kept(rw_rewriter *rw, ir_op *op, ir_value *value)
{
    if (!rw_is_kept(value, op))
        return false;
    rw_replace1(rw, op, value);
    return true;
}

void rw_replace_by_block(rw_rewriter *rw, ir_op *op, ir_block *block)
{
    ir_op *end = block->last;
    ir_value **values = tw_xmalloc((op->n_results + 1u) * sizeof *values);
    for (uint32_t i = 0; i < op->n_results; i++)
        values[i] = ir_op_operand(end, i);
    if (end->prev)
        ir_block_splice(op->block, op, block, block->first, end->prev);
    rw_replace(rw, op, values, op->n_results);
    free(values);
}

ir_op *rw_copy(rw_rewriter *rw, ir_op *op)
{
    ir_mapping *none = ir_mapping_create();
    ir_op *made = ir_op_clone(op, none);
    ir_mapping_free(none);
    ir_op_insert_before(made, op);
    rw_modified(rw, made);
    return made;
}

bool rw_is_trivially_dead(const ir_op *op)
{
    return ir_op_is_unused(op) && rw_would_be_dead(op);
}

/* ---- constants ---------------------------------------------------------------------- */

/* The value of a constant-like operation: by its folder, else its `value`. */
static ir_attr constant_of(ir_op *op)
{
    if (!(op->def->traits & IR_CONSTANT_LIKE) || op->n_results != 1)
        return NULL;
    ir_fold_result result = {0};
    if (op->def->fold)
        return op->def->fold(op, NULL, &result) ? result.attr : NULL;
    return ir_op_attr(op, "value");
}

ir_attr rw_constant(const ir_value *v)
{
    ir_op *def = ir_value_def(v);
    return def ? constant_of(def) : NULL;
}

static tw_str dialect_name(const ir_op *op)
{
    const char *dot = strchr(op->def->name, '.');
    return (tw_str){op->def->name,
                    dot ? (size_t)(dot - op->def->name) : strlen(op->def->name)};
}

ir_region *rw_constants_home(ir_block *block)
{
    ir_region *region = block->region;
    for (;;) {
        ir_op *owner = region->owner;
        if ((owner->def->traits & (IR_ISOLATED | IR_UNREGISTERED)) ||
            owner->def->keeps_constants || !owner->block || !owner->block->region)
            return region;
        region = owner->block->region;
    }
}

/* Many regions may have a constant of their own of one attribute. */
static const void *value_key(const ir_region *region, ir_attr attr)
{
    return (const void *)((uintptr_t)attr * 3 + (uintptr_t)region);
}

static known_constant *find_constant(driver *d, ir_region *region, tw_str dialect,
                                     ir_attr attr, ir_type type)
{
    uint32_t i = (uint32_t)(uintptr_t)ir_mapping_get(d->by_value, value_key(region, attr));
    for (; i; i = d->constants[i - 1].next) {
        known_constant *k = &d->constants[i - 1];
        if (k->op && k->region == region && k->attr == attr && k->type == type &&
            tw_str_equal(k->dialect, dialect))
            return k;
    }
    return NULL;
}

static void add_constant(driver *d, known_constant k)
{
    void **first = ir_mapping_at(d->by_value, value_key(k.region, k.attr));
    k.next = (uint32_t)(uintptr_t)*first;
    TW_PUSH(d->constants, d->n_constants, d->constants_capacity, k);
    *first = (void *)(uintptr_t)d->n_constants;
    ir_mapping_set(d->by_op, k.op, (void *)(uintptr_t)d->n_constants);
}

static bool is_kept(driver *d, ir_op *op)
{
    return op && (op->def->traits & IR_CONSTANT_LIKE) && ir_mapping_get(d->by_op, op);
}

/* Returns false if the constant was a duplicate and has been erased. */
static bool keep_constant(driver *d, ir_op *op)
{
    ir_block *block = op->block;
    if (is_kept(d, op)) {
        if (block->first != op && !is_kept(d, op->prev))
            ir_op_insert_before(op, block->first);
        return true;
    }
    ir_attr attr = constant_of(op);
    if (!attr)
        return true;
    ir_region *region = rw_constants_home(block);
    ir_type type = op->results[0].type;
    known_constant *old = find_constant(d, region, dialect_name(op), attr, type);
    if (old) {
        push_users(d, &op->results[0]);
        ir_value_replace_uses(&op->results[0], &old->op->results[0]);
        erase(d, op);
        return false;
    }
    if (block != region->first || (block->first != op && !is_kept(d, op->prev))) {
        if (region->first->first != op)
            ir_op_insert_before(op, region->first->first);
    }
    add_constant(d, (known_constant){region, dialect_name(op), attr, type, op, 0});
    return true;
}

static void created(void *user, ir_op *op)
{
    driver *d = user;
    d->changed = true;
    if (ir_context_tensors_fixed(op->ctx) && rw_writes_tensors(op))
        ir_context_set_tensors_fixed(op->ctx, false);
    push(d, op);
}

/* Builds a constant operation for a folded value, by the operation's own dialect, next to
 * the operation; the next iteration hoists it. */
static ir_value *materialize(rw_rewriter *rw, ir_op *op, ir_attr value, ir_type type)
{
    const ir_dialect *dialect = ir_context_dialect(op->ctx, dialect_name(op));
    ir_op *constant = dialect && dialect->materialize
                          ? dialect->materialize(&rw->b, value, type, op->loc)
                          : NULL;
    return constant ? ir_op_result(constant, 0) : NULL;
}

/* ---- folding ------------------------------------------------------------------------ */

enum { MAX_OPERANDS = 32 }; /* of folded operations */

static bool is_trait(const ir_op_def *def, uint64_t bit, const char *name)
{
    return (def->traits & bit) || (name && def->interfaces && ir_def_has(def, name));
}

/* Moves constant operands last; returns whether that changes the order. */
static bool constants_last(ir_op *op, const ir_attr *constants)
{
    ir_value *ordered[MAX_OPERANDS];
    uint32_t first = 0, n = 0, last = op->n_operands;
    while (first < last && !constants[first])
        first++;
    while (last > first && constants[last - 1])
        last--;
    if (first == last)
        return false;
    for (int known = 0; known < 2; known++)
        for (uint32_t i = first; i < last; i++)
            if ((constants[i] != NULL) == known)
                ordered[n++] = ir_op_operand(op, i);
    for (uint32_t i = 0; i < n; i++)
        ir_op_set_operand(op, first + i, ordered[i]);
    return true;
}

/* op(op(x)) is x for involutions and op(x) for idempotent rows; op(x, x) is x where the row
 * declares it; constants of commutative rows move to the right. */
static bool fold_traits(ir_op *op, const ir_attr *constants, ir_fold_result *result)
{
    const ir_op_def *def = op->def;
    if (op->n_results != 1 || op->n_operands == 0)
        return false;
    ir_value *x = op->operands[0].value;
    ir_type type = op->results[0].type;
    if (op->n_operands == 1) {
        ir_op *inner = ir_value_def(x);
        /* unregistered operations have any number of operands */
        if (!inner || inner->def != def || inner->n_operands != 1 || x->type != type ||
            inner->operands[0].value->type != type || rw_changed_between(inner, op))
            return false;
        if (is_trait(def, IR_INVOLUTION, "TTIR_Involution"))
            result->value = inner->operands[0].value;
        else if (is_trait(def, IR_IDEMPOTENT, "TTIR_Idempotence"))
            result->value = x;
        return result->value != NULL;
    }
    if (op->n_operands == 2 && x == op->operands[1].value && x->type == type &&
        is_trait(def, 0, "TTIR_BinaryIdempotence")) {
        result->value = x;
        return true;
    }
    return (def->traits & IR_COMMUTATIVE) && constants_last(op, constants);
}

static bool try_fold(rw_rewriter *rw, ir_op *op)
{
    ir_attr constants[MAX_OPERANDS];
    ir_fold_result results[MAX_OPERANDS];
    if (op->n_operands > MAX_OPERANDS || op->n_results > MAX_OPERANDS)
        return false;
    if (op->def->fold || (op->def->traits & IR_COMMUTATIVE))
        for (uint32_t i = 0; i < op->n_operands; i++)
            constants[i] = rw_constant(op->operands[i].value);
    memset(results, 0, TW_MAX(op->n_results, 1u) * sizeof *results);
    bool folded = (op->def->fold && op->def->fold(op, constants, results)) ||
                  fold_traits(op, constants, results);
    if (!folded)
        return false;
    ir_value *values[MAX_OPERANDS];
    bool in_place = true;
    for (uint32_t i = 0; i < op->n_results; i++)
        in_place &= !results[i].attr && !results[i].value;
    if (in_place) {
        rw_modified(rw, op);
        return true;
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        values[i] = results[i].value
                        ? results[i].value
                        : materialize(rw, op, results[i].attr, op->results[i].type);
        if (!values[i] || values[i]->type != op->results[i].type ||
            ir_value_def(values[i]) == op ||
            (results[i].value && !rw_is_kept(values[i], op)))
            return false;
    }
    rw_replace(rw, op, values, op->n_results);
    return true;
}

/* ---- driving ------------------------------------------------------------------------ */

static bool stops(const driver *d, const rw_options *options)
{
    return !d->root || (options->stop && *options->stop);
}

static const row_patterns *find_patterns(driver *d, const ir_op_def *row)
{
    row_patterns *found = ir_mapping_get(d->by_row, row);
    if (found)
        return found;
    found = tw_xcalloc(1, sizeof *found);
    size_t capacity = 0;
    for (size_t i = 0; i < d->n_patterns; i++)
        if (!d->patterns[i].root || d->patterns[i].root == row)
            TW_PUSH(found->at, found->n, capacity, &d->patterns[i]);
    TW_PUSH(d->rows, d->n_rows, d->rows_capacity, found);
    ir_mapping_set(d->by_row, row, found);
    return found;
}

static const row_patterns *patterns_of(driver *d, const ir_op_def *row)
{
    const size_t at = (uintptr_t)row / sizeof *row % TW_COUNT(d->recent);
    if (d->recent[at].row != row) {
        d->recent[at].patterns = find_patterns(d, row);
        d->recent[at].row = row;
    }
    return d->recent[at].patterns;
}

static void free_patterns(driver *d)
{
    for (size_t i = 0; i < d->n_rows; i++) {
        free(d->rows[i]->at);
        free(d->rows[i]);
    }
    free(d->rows);
    ir_mapping_free(d->by_row);
}

/* Returns whether a pattern or folder rewrote the operation. */
static bool visit(driver *d, ir_op *op, const rw_options *options)
{
    rw_rewriter rw = {.b = ir_builder_before(op), .driver = d, .user = options->user};
    rw.b.created = created;
    rw.b.user = d;
    if (!op->block) /* unlinked, not freed */
        return false;
    if (!options->no_dce && rw_is_trivially_dead(op)) {
        erase(d, op);
        return false;
    }
    /* constants made by patterns move to the front in the next iteration, in their order */
    if (!(op->def->traits & IR_CONSTANT_LIKE) && !options->no_fold) {
        const char *name = op->def->name;
        const ir_loc loc = op->loc;
        ir_context *ctx = op->ctx;
        if (try_fold(&rw, op)) {
            ir_watch_rewrote(ctx, NULL, name, loc);
            return true;
        }
    }
    d->current = op;
    const row_patterns *patterns = patterns_of(d, op->def);
    for (size_t i = 0; i < patterns->n; i++) {
        const rw_pattern *pattern = patterns->at[i];
        bool before = d->changed;
        const char *name = op->def->name;
        const ir_loc loc = op->loc;
        ir_context *ctx = op->ctx;
        if (pattern->apply(op, &rw)) {
            d->changed = true;
            ir_watch_rewrote(ctx, (void (*)(void))pattern->apply, name, loc);
            return true;
        }
        d->changed = before; /* the change was undone */
        if (!d->current || stops(d, options))
            break;
    }
    return false;
}

/* Large modules do not fit in the caches: an operation is read some visits ahead. */
static void ask_ahead(const driver *d)
{
    const char *op = d->count >= 6 ? (const char *)d->list[d->count - 6] : NULL;
    for (size_t at = 0; op && at < sizeof(ir_op) + sizeof(ir_value); at += 64)
        __builtin_prefetch(op + at);
}

/* How many there are, and whether some write tensors. */
static size_t count_ops(const ir_op *root, bool *writes)
{
    size_t n = 0;
    for (uint16_t r = 0; r < root->n_regions; r++)
        for (const ir_block *b = root->regions[r].first; b; b = b->next)
            for (const ir_op *op = b->first; op; op = op->next) {
                n += 1 + (op->n_regions ? count_ops(op, writes) : 0);
                *writes = *writes || rw_writes_tensors(op);
            }
    return n;
}

static void collect(driver *d, ir_op *op, const rw_options *options)
{
    for (uint16_t r = 0; r < op->n_regions; r++) {
        d->has_branches |= op->regions[r].first != op->regions[r].last;
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first, *next; o; o = next) {
                next = o->next;
                __builtin_prefetch(next);
                if ((o->def->traits & IR_CONSTANT_LIKE) && !options->no_constant_cse &&
                    !keep_constant(d, o))
                    continue;
                if (options->bottom_up && o->n_regions)
                    collect(d, o, options);
                push(d, o);
                if (!options->bottom_up && o->n_regions)
                    collect(d, o, options);
            }
    }
}

/* The list is popped from its end: reversed, operations are visited in order. */
static void reverse(driver *d)
{
    for (size_t i = 0; i < d->count / 2; i++) {
        ir_op *swap = d->list[i];
        d->list[i] = d->list[d->count - 1 - i];
        d->list[d->count - 1 - i] = swap;
    }
    d->reversed = d->count;
}

/* Rewrites of values that depend on themselves may go on forever: no sensible set of
 * patterns visits operations this often in one iteration. */
enum { MAX_VISITS_PER_OP = 1000, MAX_VISITS_MORE = 100000 };

bool rw_greedy(ir_op *root, const rw_pattern *patterns, size_t count,
               const rw_options *options)
{
    static const rw_options defaults;
    options = options ? options : &defaults;
    driver d = {.position = ir_mapping_create(),
                .root = root,
                .patterns = patterns,
                .n_patterns = count,
                .by_row = ir_mapping_create()};
    bool any = false;
    bool writes = false;
    ir_mapping_reserve(d.position,
                       count_ops(root, &writes)); /* what is made later is little */
    const bool fixed = ir_context_set_tensors_fixed(root->ctx, !writes);
    if (options->driver)
        *options->driver = &d;
    int iterations = options->max_iterations ? options->max_iterations : 10;
    do {
        int64_t rewrites = 0;
        d.changed = d.has_branches = false;
        d.reversed = 0;
        d.n_constants = 0;
        d.by_value = ir_mapping_create();
        d.by_op = ir_mapping_create();
        collect(&d, root, options);
        ir_mapping_free(d.by_value);
        ir_mapping_free(d.by_op);
        d.by_value = d.by_op = NULL;
        if (!options->bottom_up)
            reverse(&d);
        int64_t visits = MAX_VISITS_PER_OP * (int64_t)d.count + MAX_VISITS_MORE;
        for (ir_op *op; visits-- > 0 && (op = pop(&d));) {
            ask_ahead(&d);
            rewrites += visit(&d, op, options);
            if (stops(&d, options) ||
                (options->max_rewrites > 0 && rewrites >= options->max_rewrites))
                break;
        }
        bool endless = d.count > 0 && visits < 0;
        while (pop(&d))
            ;
        any |= endless;
        if (endless || stops(&d, options))
            break;
        /* of regions that got several blocks now the next iteration knows */
        if (options->regions != RW_REGIONS_DISABLED && d.has_branches &&
            rw_simplify_regions(root))
            d.changed = true;
        any |= d.changed;
    } while (d.changed && (iterations < 0 || --iterations > 0));
    if (options->converged)
        *options->converged = !d.changed;
    ir_context_set_tensors_fixed(root->ctx, fixed);
    if (options->driver)
        *options->driver = NULL;
    free(d.list);
    free(d.constants);
    free_patterns(&d);
    ir_mapping_free(d.position);
    return any;
}
