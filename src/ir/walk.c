/* walk.c: traversal of operations and everything nested in them. */
#include "ir/op.h"

#include <stdlib.h>

static ir_walk walk(ir_op *op, ir_walk_fn *fn, void *user, bool pre)
{
    if (!op->n_regions)
        return fn(op, user);
    ir_walk now = pre ? fn(op, user) : IR_WALK_ON;
    if (now != IR_WALK_ON)
        return now;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first, *next_block; b; b = next_block) {
            next_block = b->next;
            for (ir_op *o = b->first, *next; o; o = next) {
                next = o->next;
                if (walk(o, fn, user, pre) == IR_WALK_STOP)
                    return IR_WALK_STOP;
            }
        }
    return pre ? IR_WALK_ON : fn(op, user);
}

ir_walk ir_walk_pre(ir_op *op, ir_walk_fn *fn, void *user)
{
    return walk(op, fn, user, true);
}

ir_walk ir_walk_post(ir_op *op, ir_walk_fn *fn, void *user)
{
    return walk(op, fn, user, false);
}

/* ---- lists --------------------------------------------------------------------------- */

typedef struct search {
    ir_op_list found;
    ir_op_test *wanted, *closed;
} search;

static ir_walk take(ir_op *op, void *user)
{
    search *s = user;
    if (!s->wanted || s->wanted(op))
        TW_PUSH(s->found.at, s->found.n, s->found.capacity, op);
    return IR_WALK_ON;
}

ir_op_list ir_ops_in(ir_op *root, ir_op_test *wanted)
{
    search s = {.wanted = wanted};
    ir_walk_pre(root, take, &s);
    return s.found;
}

static ir_walk take_outside(ir_op *op, void *user)
{
    const search *s = user;
    take(op, user);
    return s->closed(op) ? IR_WALK_SKIP : IR_WALK_ON;
}

ir_op_list ir_ops_outside(ir_op *root, ir_op_test *wanted, ir_op_test *closed)
{
    search s = {.wanted = wanted, .closed = closed};
    ir_walk_pre(root, take_outside, &s);
    return s.found;
}

ir_op_list ir_ops_in_post(ir_op *root, ir_op_test *wanted)
{
    search s = {.wanted = wanted};
    ir_walk_post(root, take, &s);
    return s.found;
}

static ir_op_list ops_in_block(ir_block *block, ir_op_test *wanted, bool pre)
{
    search s = {.wanted = wanted};
    for (ir_op *op = block->first; op; op = op->next)
        walk(op, take, &s, pre);
    return s.found;
}

ir_op_list ir_ops_in_block(ir_block *block, ir_op_test *wanted)
{
    return ops_in_block(block, wanted, true);
}

ir_op_list ir_ops_in_block_post(ir_block *block, ir_op_test *wanted)
{
    return ops_in_block(block, wanted, false);
}

void ir_op_list_free(ir_op_list *list)
{
    free(list->at);
    *list = (ir_op_list){0};
}

bool ir_each_op(ir_op *root, ir_op_test *wanted, bool (*visit)(ir_op *op))
{
    ir_op_list ops = ir_ops_in(root, wanted);
    bool ok = true;
    for (size_t i = 0; ok && i < ops.n; i++)
        ok = visit(ops.at[i]);
    ir_op_list_free(&ops);
    return ok;
}

void ir_visit_ops(ir_op *root, ir_op_test *wanted, void (*visit)(ir_op *op))
{
    ir_op_list ops = ir_ops_in(root, wanted);
    for (size_t i = 0; i < ops.n; i++)
        visit(ops.at[i]);
    ir_op_list_free(&ops);
}
