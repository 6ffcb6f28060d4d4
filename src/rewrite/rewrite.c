/* rewrite.c: the greedy driver. */
#include "rewrite/rewrite.h"

#include <stdlib.h>

/* The worklist holds each operation at most once; erased ones become NULL. */
struct rw_driver {
    ir_op **list;
    size_t count, capacity;
    ir_mapping *position; /* op -> index + 1 */
    bool changed;
};

typedef struct rw_driver driver;

static void push(driver *d, ir_op *op)
{
    if (ir_mapping_get(d->position, op))
        return;
    TW_PUSH(d->list, d->count, d->capacity, op);
    ir_mapping_set(d->position, op, (void *)(uintptr_t)d->count);
}

static void forget(driver *d, ir_op *op)
{
    uintptr_t at = (uintptr_t)ir_mapping_get(d->position, op);
    if (at) {
        d->list[at - 1] = NULL;
        ir_mapping_set(d->position, op, NULL);
    }
}

static ir_op *pop(driver *d)
{
    while (d->count) {
        ir_op *op = d->list[--d->count];
        if (op) {
            ir_mapping_set(d->position, op, NULL);
            return op;
        }
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

static ir_walk forget_nested(ir_op *op, void *user)
{
    forget(user, op);
    return IR_WALK_ON;
}

static void erase(driver *d, ir_op *op)
{
    d->changed = true;
    push_producers(d, op);
    ir_walk_pre(op, forget_nested, d);
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

bool rw_is_trivially_dead(const ir_op *op)
{
    return (op->def->traits & (IR_PURE | IR_NO_MEMORY_EFFECT)) &&
           !(op->def->traits & (IR_TERMINATOR | IR_SYMBOL)) && op->n_results > 0 &&
           ir_op_is_unused(op);
}

ir_attr rw_constant(const ir_value *v)
{
    ir_op *def = ir_value_def(v);
    return def && (def->def->traits & IR_CONSTANT_LIKE) ? ir_op_attr(def, "value") : NULL;
}

static void created(void *user, ir_op *op)
{
    driver *d = user;
    d->changed = true;
    push(d, op);
}

/* A constant operation for a folded value, by the operation's own dialect. */
static ir_value *materialize(ir_builder *b, ir_op *op, ir_attr value, ir_type type)
{
    const char *dot = strchr(op->def->name, '.');
    const ir_dialect *dialect =
        ir_context_dialect(op->ctx, (tw_str){op->def->name, (size_t)(dot - op->def->name)});
    ir_op *constant = dialect && dialect->materialize
                          ? dialect->materialize(b, value, type, op->loc)
                          : NULL;
    return constant ? ir_op_result(constant, 0) : NULL;
}

static bool try_fold(rw_rewriter *rw, ir_op *op)
{
    enum { MOST = 32 };
    ir_attr constants[MOST] = {0};
    ir_fold_result results[MOST] = {0};
    if (!op->def->fold || op->n_operands > MOST || op->n_results > MOST)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        constants[i] = rw_constant(op->operands[i].value);
    if (!op->def->fold(op, constants, results))
        return false;
    ir_value *values[MOST];
    bool in_place = op->n_results > 0;
    for (uint32_t i = 0; i < op->n_results; i++)
        in_place &= !results[i].attr && !results[i].value;
    if (in_place) {
        rw_modified(rw, op);
        return true;
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        values[i] = results[i].value
                        ? results[i].value
                        : materialize(&rw->b, op, results[i].attr, op->results[i].type);
        if (!values[i] || values[i]->type != op->results[i].type)
            return false;
    }
    rw_replace(rw, op, values, op->n_results);
    return true;
}

static ir_walk collect(ir_op *op, void *user)
{
    push(user, op);
    return IR_WALK_ON;
}

static void visit(driver *d, ir_op *op, const rw_pattern *patterns, size_t count,
                  const rw_options *options)
{
    rw_rewriter rw = {.b = ir_builder_before(op), .driver = d, .user = options->user};
    rw.b.created = created;
    rw.b.user = d;
    if (!options->no_dce && rw_is_trivially_dead(op)) {
        erase(d, op);
        return;
    }
    if (!options->no_fold && !(op->def->traits & IR_CONSTANT_LIKE) && try_fold(&rw, op))
        return;
    for (size_t i = 0; i < count; i++)
        if ((!patterns[i].root || patterns[i].root == op->def) &&
            patterns[i].apply(op, &rw)) {
            d->changed = true;
            return;
        }
}

bool rw_greedy(ir_op *root, const rw_pattern *patterns, size_t count,
               const rw_options *options)
{
    static const rw_options defaults;
    options = options ? options : &defaults;
    driver d = {.position = ir_mapping_create()};
    bool any = false;
    int rounds = options->max_iterations ? options->max_iterations : 10;
    do {
        d.changed = false;
        for (uint16_t r = 0; r < root->n_regions; r++)
            for (ir_block *b = root->regions[r].first; b; b = b->next)
                for (ir_op *op = b->first; op; op = op->next)
                    ir_walk_post(op, collect, &d);
        /* popped from the end: reverse, so that producers come before users */
        for (size_t i = 0; i < d.count / 2; i++) {
            ir_op *swap = d.list[i];
            d.list[i] = d.list[d.count - 1 - i];
            d.list[d.count - 1 - i] = swap;
        }
        for (size_t i = 0; i < d.count; i++)
            ir_mapping_set(d.position, d.list[i], (void *)(uintptr_t)(i + 1));
        for (ir_op *op; (op = pop(&d));)
            visit(&d, op, patterns, count, options);
        any |= d.changed;
    } while (d.changed && --rounds > 0);
    free(d.list);
    ir_mapping_free(d.position);
    return any;
}
