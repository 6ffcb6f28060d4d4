/* validate.c: what can be seen of a kernel's protocol before anything is lowered, and
 * the synchronisation that it leaves out.
 *
 * ttl-validate, which settles what kernels and threads take and give: in each thread every
 * wait has its pop and every reserve its push; what is pushed holds something; a thread
 * pushes what another waits for; compute threads move no data, the others compute nothing.
 *
 * ttl-insert-synchronization: a copy without a wait gets its wait, in front of what
 * hands its block on.
 *
 * ttl-infer-dst-requirements: values that one computation hands to the next are marked as
 * living in DST. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttkernel/ttkernel.h"
#include "ttl/passes/kernels.h"
#include "ttl/ttl_info.h"

#include <stdlib.h>

enum { WAIT, POP, RESERVE, PUSH, KINDS };

static const struct {
    const ir_op_def *def;
    const char *call; /* as authors of kernels know it */
    int partner;
} protocol[KINDS] = {
    [WAIT] = {TTL_OP(cb_wait), "wait", POP},
    [POP] = {TTL_OP(cb_pop), "pop", WAIT},
    [RESERVE] = {TTL_OP(cb_reserve), "reserve", PUSH},
    [PUSH] = {TTL_OP(cb_push), "push", RESERVE},
};

/* A buffer: its number if it has one, else what made it. */
typedef struct usage {
    const void *made;
    int64_t number;
    ir_op *first[KINDS];
} usage;

typedef struct usages {
    usage *at;
    size_t count, capacity;
} usages;

static ir_value *buffer_of(const ir_op *op)
{
    ir_value *v = op->operands[0].value;
    ir_op *def = ir_value_def(v);
    bool block = v->type->kind == IR_TYPE_DIALECT && v->type->def == TTL_TYPE(block);
    return block && def && def->n_operands ? def->operands[0].value : v;
}

static usage *find(usages *all, ir_value *cb)
{
    ir_op *def = ir_value_def(cb);
    while (ir_op_is(def, TTL_OP(reshape_cb))) {
        cb = def->operands[0].value;
        def = ir_value_def(cb);
    }
    int64_t number = ir_op_is(def, TTL_OP(bind_cb)) ? ir_op_int(def, "cb_index", -1) : -1;
    for (size_t i = 0; i < all->count; i++)
        if (number >= 0 ? all->at[i].number == number : all->at[i].made == cb)
            return &all->at[i];
    const usage fresh = {.made = cb, .number = number};
    TW_PUSH(all->at, all->count, all->capacity, fresh);
    return &all->at[all->count - 1];
}

static int kind_of(const ir_op *op)
{
    for (int k = 0; k < KINDS; k++)
        if (protocol[k].def == op->def)
            return k;
    return -1;
}

static ir_walk note_use(ir_op *op, void *user)
{
    int kind = kind_of(op);
    usage *u = kind >= 0 ? find(user, buffer_of(op)) : NULL;
    if (u && !u->first[kind])
        u->first[kind] = op;
    return IR_WALK_ON;
}

static bool violation(ir_op *op, const char *call, const char *missing)
{
    return ir_op_error(op,
                       "circular buffer protocol violation: %s() called without matching "
                       "%s()",
                       call, missing);
}

/* Each thread ends what it begins. */
static bool check_pairs(ir_op *thread)
{
    usages all = {.count = 0};
    bool ok = true;
    ir_walk_pre(thread, note_use, &all);
    for (size_t i = 0; ok && i < all.count; i++)
        for (int k = 0; ok && k < KINDS; k++)
            ok = !all.at[i].first[k] || all.at[i].first[protocol[k].partner] ||
                 violation(all.at[i].first[k], protocol[k].call,
                           protocol[protocol[k].partner].call);
    free(all.at);
    return ok;
}

/* Whether an operation, or one in it, has anything to do with a buffer or a block of it. */
typedef struct touch {
    const ir_value *cb, *view;
    bool found;
} touch;

static ir_walk find_touch(ir_op *op, void *user)
{
    touch *t = user;
    for (uint32_t i = 0; i < op->n_operands; i++)
        t->found |= op->operands[i].value == t->cb || op->operands[i].value == t->view;
    return t->found ? IR_WALK_STOP : IR_WALK_ON;
}

/* A block that is pushed in the block of operations that reserved it holds something. */
static ir_walk check_filled(ir_op *op, void *user)
{
    bool *ok = user;
    if (op->def != TTL_OP(cb_reserve))
        return IR_WALK_ON;
    touch t = {.cb = buffer_of(op), .view = &op->results[0]};
    for (ir_op *next = op->next; next && !t.found; next = next->next) {
        bool push = next->def == TTL_OP(cb_push) && buffer_of(next) == t.cb;
        if (push || (next->def == TTL_OP(cb_reserve) && buffer_of(next) == t.cb)) {
            ir_op_error(op, "%s",
                        push ? "is pushed without anything stored or copied into its block"
                             : "is followed by another cb_reserve before its block is "
                               "pushed");
            *ok = false;
            return IR_WALK_STOP;
        }
        ir_walk_pre(next, find_touch, &t);
    }
    return IR_WALK_ON;
}

/* ---- what threads may do */

static bool computes(const ir_op *op)
{
    return ttl_elementwise_of(op->def) || ttl_buffer_op_of(op->def) ||
           strncmp(op->def->name, "ttl.block_", 10) == 0 ||
           op->def == TTL_OP(compute_region) || op->def == TTL_OP(compute);
}

static bool moves(const ir_op *op)
{
    static const ir_op_def *const defs[] = {
        TTL_OP(copy),          TTL_OP(wait),           TTL_OP(dma_barrier),
        TTL_OP(if_pipe_src),   TTL_OP(if_pipe_dst),    TTL_OP(semaphore_inc),
        TTL_OP(semaphore_set), TTL_OP(semaphore_wait),
    };
    for (size_t i = 0; i < TW_COUNT(defs); i++)
        if (defs[i] == op->def)
            return true;
    return false;
}

typedef struct restriction {
    bool compute, ok;
} restriction;

static ir_walk restrict_op(ir_op *op, void *user)
{
    restriction *r = user;
    if (r->compute && moves(op))
        r->ok = ir_op_error(op, "cannot be used in a compute thread; move it to a data "
                                "movement thread");
    else if (!r->compute && computes(op))
        r->ok = ir_op_error(op, "cannot be used in a data movement thread; move it to the "
                                "compute thread");
    return r->ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool check_thread(ir_op *thread, bool compute)
{
    restriction r = {compute, true};
    ir_walk_pre(thread, restrict_op, &r);
    if (r.ok)
        ir_walk_pre(thread, check_filled, &r.ok);
    return r.ok && check_pairs(thread);
}

/* ---- ttl-validate */

typedef struct validation {
    usages *kernel;   /* of all functions that are threads */
    unsigned threads; /* which kinds there are */
    bool ok;
} validation;

/* Another thread must push what a thread waits for, and wait for what one pushes. */
static bool check_partners(const usages *all, bool only_numbered)
{
    for (size_t i = 0; i < all->count; i++) {
        const usage *u = &all->at[i];
        if (only_numbered && u->number < 0)
            continue;
        if (u->first[WAIT] && !u->first[PUSH])
            return violation(u->first[WAIT], "wait", "push");
        if (u->first[PUSH] && !u->first[WAIT]) {
            violation(u->first[PUSH], "push", "wait");
            return ir_note(u->first[PUSH]->ctx, u->first[PUSH]->loc,
                           "no thread takes this block: the buffer fills up");
        }
    }
    return true;
}

static ir_walk visit(ir_op *op, void *user)
{
    validation *v = user;
    bool compute = op->def == TTL_OP(compute_thread);
    if (compute || op->def == TTL_OP(datamovement_thread)) {
        v->ok = check_thread(op, compute);
    } else if (op->def == TTL_OP(kernel) || op->def == TTL_OP(program)) {
        usages all = {.count = 0};
        ir_walk_pre(op, note_use, &all);
        v->ok = check_partners(&all, false);
        free(all.at);
    } else if (op->def == FUNC_OP(func) && ttkernel_thread_kind(op) >= 0) {
        v->threads |= 1u << (ttkernel_thread_kind(op) & 7);
        v->ok = check_thread(op, ttkernel_thread_kind(op) == TTKERNEL_ThreadType_Compute);
        ir_walk_pre(op, note_use, v->kernel);
    }
    return v->ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool validate(ir_op *module, pass_run *run)
{
    (void)run;
    usages functions = {.count = 0};
    validation v = {&functions, 0, ttl_settle_kernels(module)};
    if (!v.ok)
        return false;
    ir_walk_pre(module, visit, &v);
    /* threads that are functions know each other's buffers by number; one kind alone is no
     * whole kernel */
    unsigned both = 1u << TTKERNEL_ThreadType_Compute | 1u << TTKERNEL_ThreadType_Noc;
    v.ok = v.ok && ((v.threads & both) != both || check_partners(&functions, true));
    free(functions.at);
    return v.ok;
}

const pass_def ttl_validate_pass = {
    .name = "ttl-validate",
    .summary = "Check the protocol of circular buffers and what threads may do",
    .anchor = "builtin.module",
    .run = validate,
};

/* ---- ttl-insert-synchronization */

/* What hands the block of a copy on: the next pop or push of its buffer, else the end. */
static ir_op *handed_on(ir_op *copy)
{
    ir_op *last = copy;
    for (ir_op *op = copy->next; op; op = op->next) {
        if ((op->def == TTL_OP(cb_push) || op->def == TTL_OP(cb_pop)) &&
            (buffer_of(op) == copy->operands[0].value ||
             buffer_of(op) == copy->operands[1].value ||
             op->operands[0].value == copy->operands[0].value ||
             op->operands[0].value == copy->operands[1].value))
            return op;
        if (op->def->traits & IR_TERMINATOR)
            return op;
        last = op;
    }
    return last->next;
}

static ir_walk synchronize(ir_op *op, void *user)
{
    (void)user;
    if (op->def != TTL_OP(copy) || op->results[0].uses)
        return IR_WALK_ON;
    ir_op *before = handed_on(op);
    ir_builder b =
        before ? ir_builder_before(before) : ir_builder_at_end(op->ctx, op->block, op->loc);
    b.loc = op->loc;
    ir_value *tx = &op->results[0];
    ir_build_op(&b, TTL_OP(wait), NULL, 0, &tx, 1, NULL, 0, 0);
    return IR_WALK_ON;
}

static bool insert_synchronization(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, synchronize, NULL);
    return true;
}

const pass_def ttl_insert_synchronization_pass = {
    .name = "ttl-insert-synchronization",
    .summary = "Wait for copies without a wait, before their blocks are forwarded",
    .anchor = "builtin.module",
    .run = insert_synchronization,
};

/* ---- ttl-infer-dst-requirements */

static ir_walk require(ir_op *op, void *user)
{
    (void)user;
    if (!computes(op) || op->n_results != 1)
        return IR_WALK_ON;
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (computes(use->owner) && use->owner->def != TTL_OP(block_store)) {
            ir_builder b = ir_builder_after(op);
            ir_value *v = &op->results[0];
            ir_build_op(&b, TTL_OP(require_dst), NULL, 0, &v, 1, NULL, 0, 0);
            break;
        }
    return IR_WALK_ON;
}

static bool infer_dst(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, require, NULL);
    return true;
}

const pass_def ttl_infer_dst_requirements_pass = {
    .name = "ttl-infer-dst-requirements",
    .summary = "Mark values that one computation hands to the next as living in DST",
    .anchor = "builtin.module",
    .run = infer_dst,
};
