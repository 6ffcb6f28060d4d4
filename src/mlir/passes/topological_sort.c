/* topological_sort.c: topological-sort: in graph regions, moves each operation after the
 * definitions of its operands. */
#include "mlir/passes/passes.h"

#include <stdlib.h>

typedef struct sorter {
    ir_mapping *waiting; /* operations of the block that are not scheduled yet */
    const ir_op *looked_at;
    bool ready;
} sorter;

/* True if it uses a result of an unscheduled operation, or of one nested in it. */
static ir_walk look(ir_op *op, void *user)
{
    sorter *s = user;
    for (uint32_t i = 0; i < op->n_operands && s->ready; i++)
        for (const ir_op *producer = ir_value_def(ir_op_operand(op, i)); producer;
             producer = ir_op_parent(producer)) {
            if (producer == s->looked_at)
                break;
            if (ir_mapping_get(s->waiting, producer)) {
                s->ready = false;
                break;
            }
        }
    return s->ready ? IR_WALK_ON : IR_WALK_STOP;
}

static bool is_ready(sorter *s, ir_op *op)
{
    s->looked_at = op;
    s->ready = true;
    ir_walk_pre(op, look, s);
    return s->ready;
}

bool transform_sort_block(ir_block *block)
{
    ir_op *last = block->last, *next = block->first, *end = NULL;
    size_t left = 0;
    bool sorted = true;
    if (last && (last->def->traits & IR_TERMINATOR))
        end = last;
    sorter s = {.waiting = ir_mapping_create()};
    for (ir_op *op = next; op != end; op = op->next, left++)
        ir_mapping_set(s.waiting, op, op);
    while (left) {
        bool any = false;
        for (ir_op *op = next, *following; op != end; op = following) {
            following = op->next;
            if (!is_ready(&s, op))
                continue;
            ir_mapping_set(s.waiting, op, NULL);
            left--;
            any = true;
            if (op == next)
                next = next->next;
            else
                ir_op_insert_before(op, next);
        }
        if (!any) { /* a cycle: the first keeps its position */
            ir_mapping_set(s.waiting, next, NULL);
            next = next->next;
            left--;
            sorted = false;
        }
    }
    ir_mapping_free(s.waiting);
    return sorted;
}

static ir_walk sort(ir_op *op, void *user)
{
    (void)user;
    for (uint16_t r = 0; (op->def->traits & IR_GRAPH_REGION) && r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            transform_sort_block(b);
    return IR_WALK_ON;
}

static bool run(ir_op *op, pass_run *run)
{
    (void)run;
    ir_walk_post(op, sort, NULL);
    return true;
}

const pass_def topological_sort_pass = {
    .name = "topological-sort",
    .title = "TopologicalSort",
    .summary = "Sort regions without SSA dominance in topological order",
    .run = run,
};
