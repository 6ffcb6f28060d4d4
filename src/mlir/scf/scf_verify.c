/* scf_verify.c: verifies loops and branches: block arguments, yielded values, results.
 *
 * The printers rely on these rules.  Messages are mlir-opt's. */
#include "mlir/arith/arith.h"
#include "mlir/scf/scf.h"
#include "mlir/scf/scf_hooks.h"
#include "mlir/shared/region_flow.h"
#include "mlir/shared/shape_checks.h"
#include "mlir/tensor/tensor.h"

#include <stdio.h>

/* ---- for ---------------------------------------------------------------------------- */

enum { BOUNDS = 3 };

bool scf_for_verify(ir_op *op)
{
    if (op->n_operands - BOUNDS != op->n_results)
        return ir_op_error(op,
                           "mismatch in number of loop-carried values and defined values");
    return region_loop_counts_fit(op, BOUNDS, ir_op_body(op, 0));
}

bool scf_for_verify_regions(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    if (!region_loop_fits(op, BOUNDS, body))
        return false;
    return body->args[0]->type == ir_op_operand(op, 0)->type ||
           ir_op_error(op,
                       "expected induction variable to be same type as bounds and step");
}

/* ---- if, execute_region, index_switch ----------------------------------------------- */

bool scf_branch_verify_regions(ir_op *op)
{
    if (op->def == SCF_OP(if) && op->n_results && !ir_op_body(op, 1))
        return ir_op_error(op, "must have an else block if defining values");
    if (op->def == SCF_OP(execute_region) && !op->regions[0].first)
        return ir_op_error(op, "region needs to have at least one block");
    if (op->def == SCF_OP(execute_region) && op->regions[0].first->n_args)
        return ir_op_error(op, "region cannot have any arguments");
    for (uint16_t r = 0; r < op->n_regions; r++) {
        char name[32];
        snprintf(name, sizeof name, "Region #%u", r);
        if (op->regions[r].first) {
            region_end none = {.name = "parent operands", .operands = op->operands};
            region_end args = region_arguments(op->regions[r].first, name);
            if (!region_flows(op, &none, &args))
                return false;
        }
        for (const ir_block *b = op->regions[r].first; b; b = b->next) {
            if (!ir_op_is(b->last, SCF_OP(yield)))
                continue;
            region_end from = region_yields(b->last, 0), to = region_results(op);
            if (!region_flows(op, &from, &to))
                return false;
        }
    }
    return true;
}

/* Checks the values yielded by one region. */
static bool check_switch_region(ir_op *op, uint16_t region)
{
    char name[32] = "default region";
    ir_op *end = op->regions[region].first->last;
    if (region)
        snprintf(name, sizeof name, "case region #%u", region - 1u);
    if (!ir_op_is(end, SCF_OP(yield)))
        return ir_op_error(op, "expected region to end with scf.yield, but got %s",
                           end ? end->def->name : "nothing");
    if (end->n_operands != op->n_results) {
        ir_op_error(op, "expected each region to return %u values, but %s returns %u",
                    op->n_results, name, end->n_operands);
        return ir_note(op->ctx, end->loc, "see yield operation here");
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type given = ir_op_operand(end, i)->type;
        if (op->results[i].type == given)
            continue;
        ir_op_error(op, "expected result #%u of each region to be '%s'", i,
                    ir_type_text(op->ctx, op->results[i].type));
        return ir_note(op->ctx, end->loc, "%s returns '%s' here", name,
                       ir_type_text(op->ctx, given));
    }
    return true;
}

bool scf_index_switch_verify(ir_op *op)
{
    ir_attr cases = ir_op_attr(op, "cases");
    uint32_t regions = op->n_regions ? op->n_regions - 1u : 0;
    if (cases->count != regions)
        return ir_op_error(op, "has %u case regions but %u case values", regions,
                           cases->count);
    for (uint32_t i = 0; i < cases->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (ir_dense_array_int(cases, i) == ir_dense_array_int(cases, k))
                return ir_op_error(op, "has duplicate case value: %lld",
                                   (long long)ir_dense_array_int(cases, i));
    for (uint16_t r = 0; r < op->n_regions; r++)
        if (!check_switch_region(op, r))
            return false;
    return true;
}

/* ---- while -------------------------------------------------------------------------- */

static bool ends_with(ir_op *op, ir_block *block, const char *which, const ir_op_def *def)
{
    if (ir_op_is(block->last, def))
        return true;
    ir_op_error(op, "expects the '%s' region to terminate with '%s'", which, def->name);
    if (block->last)
        ir_note(op->ctx, block->last->loc, "terminator here");
    return false;
}

bool scf_while_verify_regions(ir_op *op)
{
    ir_block *before = ir_op_body(op, 0), *after = ir_op_body(op, 1);
    region_end inits = {
        .name = "parent operands", .operands = op->operands, .count = op->n_operands};
    region_end before_args = region_arguments(before, "Region #0");
    region_end after_args = region_arguments(after, "Region #1"),
               results = region_results(op);
    if (!region_flows(op, &inits, &before_args) ||
        !ends_with(op, before, "before", SCF_OP(condition)) ||
        !ends_with(op, after, "after", SCF_OP(yield)))
        return false;
    region_end passed = region_yields(before->last, 1);
    region_end again = region_yields(after->last, 0);
    return region_flows(op, &passed, &results) && region_flows(op, &passed, &after_args) &&
           region_flows(op, &again, &before_args);
}

/* ---- parallel, forall --------------------------------------------------------------- */

static bool check_steps(ir_op *op, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++) {
        int64_t step;
        if (arith_constant_int(ir_op_operand(op, i), &step) && step <= 0)
            return ir_op_error(op, "constant step operand must be positive");
    }
    return true;
}

/* Checks that there is one reduction for each result, of its type. */
static bool check_reductions(ir_op *op, const ir_block *body, size_t inits)
{
    ir_op *reduce = body->last;
    if (!ir_op_is(reduce, SCF_OP(reduce))) {
        ir_op_error(op, "expects body to terminate with 'scf.reduce'");
        return reduce && ir_note(op->ctx, reduce->loc, "terminator here");
    }
    if (op->n_results != reduce->n_regions)
        return ir_op_error(op,
                           "expects number of results: %u to be the same as number of "
                           "reductions: %u",
                           op->n_results, reduce->n_regions);
    if (op->n_results != inits)
        return ir_op_error(op,
                           "expects number of results: %u to be the same as number of "
                           "initial values: %zu",
                           op->n_results, inits);
    for (uint32_t i = 0; i < TW_MIN(op->n_results, reduce->n_operands); i++) {
        ir_type type = op->results[i].type, given = ir_op_operand(reduce, i)->type;
        if (given != type)
            return ir_op_error(
                reduce,
                "expects type of %u-th reduction operand: '%s' to be the same "
                "as the %u-th result type: '%s'",
                i, ir_type_text(op->ctx, given), i, ir_type_text(op->ctx, type));
    }
    return true;
}

/* Checks that each operand has a body that combines two values. */
bool scf_reduce_verify_regions(ir_op *op)
{
    for (uint16_t i = 0; i < op->n_regions; i++) {
        const ir_block *step = op->regions[i].first;
        if (i >= op->n_operands)
            return ir_op_error(op, "has more reduction regions than operands");
        ir_type type = ir_op_operand(op, i)->type;
        if (step->n_args != 2 || step->args[0]->type != type || step->args[1]->type != type)
            return ir_op_error(op,
                               "expected two block arguments with type '%s' in the %u-th "
                               "reduction region",
                               ir_type_text(op->ctx, type), i);
        if (!ir_op_is(step->last, SCF_OP(reduce_return)))
            return ir_op_error(
                op, "reduction bodies must be terminated with an 'scf.reduce.return' op");
    }
    return true;
}

/* The text gives initial values the types of the results. */
static bool check_inits(ir_op *op, size_t start, size_t count)
{
    for (size_t i = 0; i < TW_MIN(count, (size_t)op->n_results); i++) {
        ir_type type = op->results[i].type, given = ir_op_operand(op, start + i)->type;
        if (given != type)
            return ir_op_error(op,
                               "expects type of %zu-th initial value: '%s' to be the same "
                               "as the %zu-th result type: '%s'",
                               i, ir_type_text(op->ctx, given), i,
                               ir_type_text(op->ctx, type));
    }
    return true;
}

bool scf_parallel_verify(ir_op *op)
{
    size_t start, lower = 0, upper = 0, step = 0, inits = 0;
    const ir_block *body = ir_op_body(op, 0);
    ir_op_operand_group(op, 0, &start, &lower);
    ir_op_operand_group(op, 1, &start, &upper);
    ir_op_operand_group(op, 2, &start, &step);
    ir_op_operand_group(op, 3, &start, &inits);
    if (step == 0)
        return ir_op_error(
            op, "needs at least one tuple element for lowerBound, upperBound and step");
    if (lower != step || upper != step)
        return ir_op_error(op, "expects the same number of lower bounds, upper bounds and "
                               "steps");
    if (!check_steps(op, start - step, step))
        return false;
    if (!body || body->n_args != step)
        return ir_op_error(op,
                           "expects the same number of induction variables: %u as bound "
                           "and step values: %zu",
                           body ? body->n_args : 0, step);
    for (uint32_t i = 0; i < body->n_args; i++)
        if (body->args[i]->type->kind != IR_TYPE_INDEX)
            return ir_op_error(
                op, "expects arguments for the induction variable to be of index type");
    return check_reductions(op, body, inits) && check_inits(op, start, inits);
}

/* Checks the returned type against the reduction's operand. */
bool scf_reduce_return_verify(ir_op *op)
{
    const ir_block *body = op->block;
    ir_type type = body && body->n_args ? body->args[0]->type : NULL;
    return !type || ir_op_operand(op, 0)->type == type ||
           ir_op_error(op, "must have type '%s' (the type of the reduction inputs)",
                       ir_type_text(op->ctx, type));
}

/* Checks that its body holds only parallel insertions of slices into outputs. */
bool scf_in_parallel_verify(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    const ir_block *body = ir_op_body(op, 0);
    for (ir_op *o = body ? body->first : NULL; o; o = o->next) {
        if (o->def != TENSOR_OP(parallel_insert_slice))
            return ir_op_error(op, "expected only %s ops",
                               TENSOR_OP(parallel_insert_slice)->name);
        size_t start, outputs = 0;
        const ir_block *loop = around ? ir_op_body(around, 0) : NULL;
        if (!loop || o->n_operands < 2 || !ir_op_operand_group(around, 3, &start, &outputs))
            continue; /* their own checks say so */
        const ir_value *into = ir_op_operand(o, 1);
        if (!into->is_argument || into->owner != loop ||
            into->index + outputs < loop->n_args)
            return ir_op_error(o, "may only insert into an output block argument");
    }
    return true;
}

bool scf_forall_verify(ir_op *op)
{
    static const char *const bounds[] = {"staticLowerBound", "staticUpperBound",
                                         "staticStep"};
    static const char *const names[] = {"lower bound", "upper bound", "step"};
    size_t start, outputs = 0;
    const ir_block *body = ir_op_body(op, 0);
    uint32_t rank = ir_op_attr(op, "staticLowerBound")->count;
    ir_attr mapping = ir_op_attr(op, "mapping");
    ir_op_operand_group(op, 3, &start, &outputs);
    if (op->n_results != outputs)
        return ir_op_error(op, "produces %u results, but has only %zu outputs",
                           op->n_results, outputs);
    if (!body || body->n_args != rank + outputs)
        return ir_op_error(op, "region expects %u arguments", rank);
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_type type = body->args[i]->type;
        if (i < rank && type->kind != IR_TYPE_INDEX)
            return ir_op_error(op, "expects %u-th block argument to be an index", i);
        if (i >= rank && type != ir_op_operand(op, start + i - rank)->type)
            return ir_op_error(op,
                               "type mismatch between %u-th output and corresponding "
                               "block argument",
                               i - rank);
    }
    if (mapping && mapping->count && mapping->count != rank)
        return ir_op_error(op, "mapping attribute size must match op rank");
    for (size_t i = 0; i < TW_COUNT(bounds); i++) {
        ir_attr statics = ir_op_attr(op, bounds[i]);
        if (statics->count != rank)
            return ir_error_at_op(op, "expected %u %s values, got %u", rank, names[i],
                                  statics->count);
        if (!shape_check_marks(op, statics, i, names[i]))
            return false;
    }
    ir_op_operand_group(op, 3, &start, &outputs);
    return region_outputs_fit(op, start, outputs);
}
