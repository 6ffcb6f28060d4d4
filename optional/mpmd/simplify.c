/* simplify.c: removes duplicate, passed-through and unused operands and results of
 * fragments and named computations, and values passed through barriers in the latter. */
#include "ir/rewrite/effects.h"
#include "ir/rewrite/rewrite.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"
#include "stablehlo/stablehlo.h"

/* Marks values that repeat an earlier one whose counterpart has the same type;
 * counterparts are then merged. */
static bool dedup(ir_value **sources, ir_value **targets, uint32_t n, bool *erased)
{
    bool any = false;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (sources[i] == sources[k] && targets[i]->type == targets[k]->type &&
                !erased[k]) {
                ir_value_replace_uses(targets[i], targets[k]);
                any |= !erased[i];
                erased[i] = true;
                break;
            }
    return any;
}

/* Marks results that are unchanged operands, and operands without other uses. */
static void mark_forwarded(ir_op *op, bool *operands, bool *results)
{
    ir_block *body = ir_op_body(op, 0);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *outer = op->operands[i].value;
        bool needed = false;
        for (ir_operand *use = body->args[i]->uses; use; use = use->next_use) {
            size_t k = ir_operand_number(use);
            if (use->owner != body->last || op->results[k].type != outer->type) {
                needed = true;
                continue;
            }
            ir_value_replace_uses(&op->results[k], outer);
            results[k] = true;
        }
        operands[i] |= !needed;
    }
}

static bool is_needed(const ir_op *op, uint32_t result)
{
    ir_op *producer = ir_value_def(mpmd_end(op)->operands[result].value);
    if (op->results[result].uses)
        return true;
    return op->n_results == 1 ? !rw_is_trivially_dead(op)
                              : producer && !rw_is_pure(producer);
}

static bool simplify(ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    uint32_t n = op->n_operands, m = op->n_results;
    if (body->n_args != n || body->last->n_operands != m)
        return false;
    bool *operands = tw_xcalloc(n + 1u, sizeof *operands), any = false, all = m > 0;
    bool *results = tw_xcalloc(m + 1u, sizeof *results);
    ir_value **outer = tw_xmalloc((TW_MAX(n, m) + 1u) * sizeof *outer);
    ir_value **inner = tw_xmalloc((TW_MAX(n, m) + 1u) * sizeof *inner);
    for (uint32_t i = 0; i < m; i++) {
        inner[i] = body->last->operands[i].value;
        outer[i] = &op->results[i];
    }
    dedup(inner, outer, m, results);
    for (uint32_t i = 0; i < n; i++) {
        outer[i] = op->operands[i].value;
        inner[i] = body->args[i];
    }
    dedup(outer, inner, n, operands);
    mark_forwarded(op, operands, results);
    for (uint32_t i = 0; i < m; i++) {
        results[i] |= !is_needed(op, i);
        any |= results[i];
        all &= results[i];
    }
    for (uint32_t i = 0; i < n; i++)
        any |= operands[i];
    any &= !all || rw_is_trivially_dead(op);
    if (any && all) {
        ir_op_erase(op);
    } else if (any) {
        op = mpmd_erase_results(op, results);
        mpmd_erase_operands(op, operands);
        mpmd_drop_dead(op);
    }
    free(operands);
    free(results);
    free(outer);
    free(inner);
    return any;
}

/* Repeats until nothing changes; each step removes an operand or a result. */
static void simplify_all(ir_op *root, ir_op_test *which)
{
    for (bool changed = true; changed;) {
        ir_op_list all = ir_ops_in_post(root, which);
        changed = false;
        for (size_t i = all.n; i-- > 0;)
            changed |= simplify(all.at[i]);
        ir_op_list_free(&all);
    }
}

bool mpmd_simplify_program(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_distributed(func))
        return true;
    simplify_all(func, mpmd_is_fragment);
    rw_greedy(func, NULL, 0, &(rw_options){.bottom_up = true});
    simplify_all(func, mpmd_is_fragment);
    return true;
}

/* ---- named computations ------------------------------------------------------------- */

static bool is_named_computation(const ir_op *op)
{
    return op->def == MPMD_OP(named_computation);
}

static bool is_barrier(const ir_op *op)
{
    return op->def == STABLEHLO_OP(optimization_barrier) &&
           is_named_computation(ir_op_parent(op));
}

/* An argument that is only returned needs no barrier. */
static void thin_out(ir_op *barrier)
{
    bool *erased = tw_xcalloc(barrier->n_operands + 1u, sizeof *erased), any = false;
    for (uint32_t i = 0; i < barrier->n_operands; i++) {
        ir_value *v = &barrier->results[i], *from = barrier->operands[i].value;
        erased[i] = from->is_argument && ir_value_has_one_use(v) &&
                    v->uses->owner->def == MPMD_OP(return );
        any |= erased[i];
        if (erased[i])
            ir_value_replace_uses(v, from);
    }
    if (any) {
        ir_op *made = mpmd_erase_results(barrier, erased);
        mpmd_erase_operands(made, erased);
        if (!made->n_operands)
            ir_op_erase(made);
    }
    free(erased);
}

bool mpmd_simplify_named_computations(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_distributed(func))
        return true;
    ir_visit_ops(func, is_barrier, thin_out);
    simplify_all(func, is_named_computation);
    return true;
}
