/* code_motion.c: loop-invariant-code-motion and control-flow-sink: moves operations to
 * where they run least often. */
#include "ir/rewrite/effects.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/arith/arith.h"
#include "mlir/loops/loops.h"
#include "mlir/memref/memref.h"
#include "mlir/passes/passes.h"
#include "mlir/scf/scf.h"
#include "mlir/tensor/tensor.h"

#include <stdlib.h>

/* ---- loop-invariant-code-motion ----------------------------------------------------- */

static bool is_loop(const ir_op *op)
{
    return op->n_regions && ir_def_has(op->def, "LoopLikeOpInterface");
}

static bool has_dynamic_dims(ir_type t)
{
    for (uint32_t i = 0; ir_type_is_ranked(t) && i < t->count; i++)
        if (t->dims[i] == IR_DYNAMIC)
            return true;
    return false;
}

static bool is_speculatable(const ir_op *op);

static bool regions_are_speculatable(const ir_op *op)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next)
                if (!is_speculatable(o))
                    return false;
    return true;
}

/* Divisions by constants other than 0 (and -1 where that overflows) are safe. */
static bool divides_safely(const ir_op *op)
{
    ir_attr by = op->n_operands == 2 ? rw_constant(ir_op_operand(op, 1)) : NULL;
    bool with_sign = ir_op_is(op, ARITH_OP(divsi)) || ir_op_is(op, ARITH_OP(ceildivsi)) ||
                     ir_op_is(op, ARITH_OP(floordivsi));
    return ir_attr_is(by, IR_ATTR_INTEGER) && by->value != 0 &&
           !(with_sign && by->value == -1);
}

/* True if the operation may run where it would not have run before. */
static bool is_speculatable(const ir_op *op)
{
    const ir_op_def *def = op->def;
    if (def->traits & IR_PURE)
        return true;
    if (!def->interfaces)
        return false;
    if (ir_def_has(def, "RecursivelySpeculatable"))
        return regions_are_speculatable(op);
    if (ir_def_has(def, "RecursivelySpeculatableIfAllInputsStatic")) {
        for (uint32_t i = 0; i < op->n_operands; i++)
            if (has_dynamic_dims(ir_op_operand(op, i)->type))
                return false;
        return regions_are_speculatable(op);
    }
    if (!ir_def_has(def, "ConditionallySpeculatable"))
        return false;
    if (def == SCF_OP(for)) { /* must terminate */
        ir_attr step = rw_constant(ir_op_operand(op, 2));
        return ir_attr_is(step, IR_ATTR_INTEGER) && regions_are_speculatable(op);
    }
    if (def == TENSOR_OP(dim) || def == MEMREF_OP(dim)) { /* of a dimension that exists */
        ir_attr at = rw_constant(ir_op_operand(op, 1));
        ir_type of = ir_op_operand(op, 0)->type;
        return ir_attr_is(at, IR_ATTR_INTEGER) && ir_type_is_ranked(of) && at->value >= 0 &&
               at->value < of->count;
    }
    if (strncmp(def->name, "linalg.", 7) == 0)
        return op->n_results && regions_are_speculatable(op);
    return strncmp(def->name, "arith.", 6) == 0 && divides_safely(op);
}

typedef struct outside {
    const ir_region *region; /* of the loop */
    const ir_op *moved;
    bool holds;
} outside;

static bool is_within(const ir_region *region, const ir_region *outer)
{
    while (region && region != outer)
        region =
            region->owner && region->owner->block ? region->owner->block->region : NULL;
    return region == outer;
}

/* Checks that nested operands come from outside of the loop, or from the moved
 * operation. */
static ir_walk reads_from_outside(ir_op *op, void *user)
{
    outside *o = user;
    for (uint32_t i = 0; i < op->n_operands && o->holds; i++) {
        const ir_region *from = ir_value_block(ir_op_operand(op, i))->region;
        bool inside_moved = false;
        for (uint16_t r = 0; r < o->moved->n_regions; r++)
            inside_moved |= is_within(from, &o->moved->regions[r]);
        o->holds = inside_moved || !is_within(from, o->region);
    }
    return o->holds ? IR_WALK_ON : IR_WALK_STOP;
}

static bool may_leave(ir_op *op, const ir_region *region)
{
    if ((op->def->traits & IR_TERMINATOR) || rw_effects(op) != 0 || !is_speculatable(op))
        return false;
    outside o = {region, op, true};
    ir_walk_pre(op, reads_from_outside, &o);
    return o.holds;
}

static size_t hoist(ir_op *loop, ir_region *region)
{
    ir_op **queue = NULL;
    size_t n = 0, capacity = 0, moved = 0;
    for (ir_block *b = region->first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next)
            TW_PUSH(queue, n, capacity, op);
    for (size_t i = 0; i < n; i++) {
        ir_op *op = queue[i];
        if (op->block->region != region || !may_leave(op, region))
            continue;
        ir_op_insert_before(op, loop);
        moved++;
        for (uint32_t r = 0; r < op->n_results; r++)
            for (ir_operand *use = op->results[r].uses; use; use = use->next_use)
                if (use->owner->block->region == region)
                    TW_PUSH(queue, n, capacity, use->owner);
    }
    free(queue);
    return moved;
}

void transform_hoist_invariants(ir_op *loop)
{
    for (uint16_t r = 0; r < loop->n_regions; r++)
        hoist(loop, &loop->regions[r]);
}

static bool run_hoist(ir_op *op, pass_run *run)
{
    ir_op_list loops = ir_ops_in_post(op, is_loop);
    (void)run;
    for (size_t i = 0; i < loops.n; i++)
        transform_hoist_invariants(loops.at[i]);
    ir_op_list_free(&loops);
    return true;
}

const pass_def loop_invariant_code_motion_pass = {
    .name = "loop-invariant-code-motion",
    .title = "LoopInvariantCodeMotion",
    .summary = "Hoist loop invariant instructions outside of the loop",
    .run = run_hoist,
};

/* ---- affine-loop-invariant-code-motion ----------------------------------------------- */

static bool is_affine_loop(const ir_op *op)
{
    return op->def == AFFINE_OP(for);
}

static ir_value *accessed(const ir_op *op)
{
    if (op->def == AFFINE_OP(load))
        return ir_op_operand(op, 0);
    return op->def == AFFINE_OP(store) ? ir_op_operand(op, 1) : NULL;
}

/* An access may leave if nothing else in the loop uses its memref, or nothing writes it. */
static bool access_may_leave(const ir_op *op, const ir_op *loop)
{
    ir_value *memref = accessed(op);
    for (const ir_operand *use = memref->uses; use; use = use->next_use)
        if (use->owner != op && ir_op_is_ancestor(loop, use->owner) &&
            (op->def == AFFINE_OP(store) || use->owner->def != AFFINE_OP(load)))
            return false;
    return true;
}

static void hoist_affine(ir_op *loop)
{
    ir_block *body = ir_op_body(loop, 0);
    bool runs = affine_for_trips(loop) > 0;
    for (ir_op *op = body ? body->first : NULL, *next; op; op = next) {
        next = op->next;
        if (op->def->traits & IR_TERMINATOR || op->n_regions)
            continue;
        bool may = accessed(op) ? runs && access_may_leave(op, loop)
                                : rw_effects(op) == 0 && is_speculatable(op);
        for (uint32_t i = 0; may && i < op->n_operands; i++)
            may = !is_within(ir_value_block(ir_op_operand(op, i))->region, body->region);
        if (may)
            ir_op_insert_before(op, loop);
    }
}

static bool run_hoist_affine(ir_op *op, pass_run *run)
{
    ir_op_list loops = ir_ops_in_post(op, is_affine_loop);
    (void)run;
    for (size_t i = 0; i < loops.n; i++)
        hoist_affine(loops.at[i]);
    ir_op_list_free(&loops);
    return true;
}

const pass_def affine_loop_invariant_code_motion_pass = {
    .name = "affine-loop-invariant-code-motion",
    .title = "AffineLoopInvariantCodeMotion",
    .summary = "Hoist loop invariant instructions outside of affine loops",
    .anchor = "func.func",
    .run = run_hoist_affine,
};

/* ---- control-flow-sink -------------------------------------------------------------- */

/* Operations that run each of their regions at most once. */
static bool branches(const ir_op *op)
{
    return op->def == SCF_OP(if) || op->def == SCF_OP(index_switch);
}

static bool is_used_only_in(const ir_op *op, const ir_region *region)
{
    for (uint32_t r = 0; r < op->n_results; r++)
        for (const ir_operand *use = op->results[r].uses; use; use = use->next_use)
            if (!is_within(use->owner->block->region, region))
                return false;
    return true;
}

/* Sinks operations used only in the region to its start, and transitively their
 * operands. */
static size_t sink(ir_region *region)
{
    ir_op **stack = NULL;
    size_t n = 0, capacity = 0, moved = 0;
    for (ir_block *b = region->first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next)
            TW_PUSH(stack, n, capacity, op);
    while (n) {
        ir_op *reader = stack[--n];
        for (uint32_t i = 0; i < reader->n_operands; i++) {
            ir_op *op = ir_value_def(ir_op_operand(reader, i));
            if (!op || op->block->region == region || !is_used_only_in(op, region) ||
                rw_effects(op) != 0)
                continue;
            ir_op_insert_before(op, region->first->first);
            moved++;
            TW_PUSH(stack, n, capacity, op);
        }
    }
    free(stack);
    return moved;
}

static bool run_sink(ir_op *op, pass_run *run)
{
    ir_op_list all = ir_ops_in_post(op, branches);
    size_t moved = 0;
    for (size_t i = 0; i < all.n; i++)
        for (uint16_t r = 0; r < all.at[i]->n_regions; r++)
            if (all.at[i]->regions[r].first && all.at[i]->regions[r].first->first)
                moved += sink(&all.at[i]->regions[r]);
    pass_count(run, "num-sunk", "Number of operations sunk", moved);
    ir_op_list_free(&all);
    return true;
}

const pass_def control_flow_sink_pass = {
    .name = "control-flow-sink",
    .title = "ControlFlowSink",
    .summary = "Sink operations into conditional blocks",
    .run = run_sink,
};
