/* sccp.c: sparse conditional constant propagation through branches, loops and calls
 * (Wegman, Zadeck 1991).
 *
 * A value has no fact while it is unreached, then a constant, then `anything`; blocks and
 * edges count once they are reached.  Folding an operation with its operands' constants
 * gives its results' facts.  Finally constant values are replaced, and operations left
 * without uses and effects are erased. */
#include "ir/number.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/affine/affine.h"
#include "mlir/cf/cf.h"
#include "mlir/func/func.h"
#include "mlir/passes/call_graph.h"
#include "mlir/scf/scf.h"

#include <stdlib.h>

enum { CAPACITY = 32 }; /* capacity for operands and results of folded operations */

/* The fact of a value that is not constant. */
static const struct ir_attr_data anything = {.kind = IR_ATTR_UNIT};

typedef struct known {
    ir_region *home;
    ir_attr value;
    ir_op *op;
    uint32_t next; /* index + 1 of the next one with that value */
} known;

typedef struct sccp {
    ir_mapping *facts;   /* value -> constant or `anything` */
    ir_mapping *origins; /* value with a constant -> the dialect that folded to it */
    ir_mapping *reached; /* blocks, and addresses of successors */
    ir_mapping *waiting; /* operations in the worklist */
    ir_op **todo;
    size_t n_todo, todo_capacity;
    call_graph calls;
    known *constants;
    size_t n_constants, constants_capacity;
    ir_mapping *by_value; /* -> index + 1 */
} sccp;

/* ---- lattice ------------------------------------------------------------------------ */

static void push(sccp *s, ir_op *op)
{
    if (ir_mapping_get(s->waiting, op))
        return;
    ir_mapping_set(s->waiting, op, op);
    TW_PUSH(s->todo, s->n_todo, s->todo_capacity, op);
}

static ir_attr fact_of(const sccp *s, const ir_value *v)
{
    return ir_mapping_get(s->facts, v);
}

static ir_attr constant_of(const sccp *s, const ir_value *v)
{
    ir_attr fact = fact_of(s, v);
    return fact == &anything ? NULL : fact;
}

/* Joins a fact into the value's: facts only move down the lattice. */
static void add_fact(sccp *s, ir_value *v, ir_attr fact, const ir_dialect *origin)
{
    ir_attr old = fact_of(s, v);
    if (!fact || old == &anything || old == fact)
        return;
    fact = old ? &anything : fact;
    ir_mapping_set(s->facts, v, (void *)(uintptr_t)fact);
    if (fact != &anything)
        ir_mapping_set(s->origins, v, (void *)(uintptr_t)origin);
    for (ir_operand *use = v->uses; use; use = use->next_use)
        push(s, use->owner);
}

static void flow(sccp *s, const ir_value *from, ir_value *to)
{
    add_fact(s, to, fact_of(s, from), ir_mapping_get(s->origins, from));
}

static void flow_all(sccp *s, const ir_op *op, size_t first, ir_value *to, size_t count)
{
    for (size_t i = 0; i < count && first + i < op->n_operands; i++)
        flow(s, ir_op_operand(op, first + i), &to[i]);
}

static void give_up(sccp *s, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        add_fact(s, &op->results[i], &anything, NULL);
}

/* ---- reachability ------------------------------------------------------------------- */

static bool is_reached(const sccp *s, const void *block_or_edge)
{
    return ir_mapping_get(s->reached, block_or_edge) != NULL;
}

static void reach(sccp *s, ir_block *block)
{
    if (!block || is_reached(s, block))
        return;
    ir_mapping_set(s->reached, block, block);
    for (ir_op *op = block->first; op; op = op->next)
        push(s, op);
}

/* A block that is entered with unknown values. */
static void enter(sccp *s, ir_block *block)
{
    for (uint32_t i = 0; block && i < block->n_args; i++)
        add_fact(s, block->args[i], &anything, NULL);
    reach(s, block);
}

/* Enters a block whose arguments from `skip` on are operands from `first` on. */
static void enter_with(sccp *s, ir_block *block, uint32_t skip, const ir_op *op,
                       size_t first, size_t count)
{
    for (uint32_t i = 0; block && i < block->n_args; i++)
        if (i < skip || i - skip >= count || first + i - skip >= op->n_operands)
            add_fact(s, block->args[i], &anything, NULL);
        else
            flow(s, ir_op_operand(op, first + i - skip), block->args[i]);
    reach(s, block);
}

enum { EACH = -1, UNKNOWN = -2 };

/* The successor or region chosen by the operand: the index of the case + 1, 0 for the
 * default; EACH if any may be, or UNKNOWN yet. */
static int64_t chosen_case(const sccp *s, const ir_op *op, ir_attr cases, int64_t n)
{
    ir_attr flag = fact_of(s, ir_op_operand(op, 0));
    if (!flag || !ir_attr_is(flag, IR_ATTR_INTEGER))
        return flag ? EACH : UNKNOWN;
    for (int64_t i = 0; i < n; i++) {
        int64_t value = cases->kind == IR_ATTR_DENSE_ARRAY
                            ? ir_dense_array_int(cases, (uint32_t)i)
                            : ir_dense_int(cases, (size_t)i);
        if (ir_int_wrap(flag->type, value) == ir_int_wrap(flag->type, flag->value))
            return i + 1;
    }
    return 0;
}

/* The first of two if the operand is true. */
static int64_t chosen_branch(const sccp *s, const ir_op *op)
{
    ir_attr flag = fact_of(s, ir_op_operand(op, 0));
    if (!flag || !ir_attr_is(flag, IR_ATTR_INTEGER))
        return flag ? EACH : UNKNOWN;
    return flag->value == 0;
}

static int64_t chosen_successor(const sccp *s, const ir_op *op)
{
    if (op->def == CF_OP(cond_br))
        return chosen_branch(s, op);
    if (op->def == CF_OP(switch))
        return chosen_case(s, op, ir_op_attr(op, "case_values"), op->n_successors - 1);
    return EACH;
}

static bool operands_for(const ir_op *op, uint16_t successor, size_t *first, size_t *count)
{
    if (op->def != CF_OP(switch))
        return rw_successor_operands(op, successor, first, count);
    ir_attr segments = ir_op_attr(op, "case_operand_segments");
    bool found = ir_op_operand_group(op, successor ? 2 : 1, first, count);
    for (uint32_t i = 0; i + 1u < successor; i++)
        *first += (size_t)ir_dense_array_int(segments, i);
    if (successor)
        *count = (size_t)ir_dense_array_int(segments, successor - 1u);
    return found;
}

static void visit_branch(sccp *s, ir_op *op)
{
    int64_t only = chosen_successor(s, op);
    for (uint16_t i = 0; i < op->n_successors; i++) {
        size_t first, count;
        if (only != EACH && only != i)
            continue;
        if (operands_for(op, i, &first, &count))
            enter_with(s, op->successors[i], 0, op, first, count);
        else
            enter(s, op->successors[i]);
    }
}

/* ---- regions ------------------------------------------------------------------------ */

/* The results are the operands of the region's terminators. */
static void yield_to(sccp *s, ir_region *region, size_t skip, ir_value *to, size_t count)
{
    for (ir_block *b = region->first; b; b = b->next)
        if (is_reached(s, b) && b->last && !b->last->n_successors)
            flow_all(s, b->last, skip, to, count);
}

static void visit_loop(sccp *s, ir_op *op, size_t first)
{
    ir_block *body = ir_op_body(op, 0);
    enter_with(s, body, 1, op, first, op->n_results);
    flow_all(s, op, first, op->results, op->n_results);
    if (!body || !body->last)
        return;
    for (uint32_t i = 0; i < op->n_results && i < body->last->n_operands; i++)
        flow(s, ir_op_operand(body->last, i), body->args[i + 1]);
    flow_all(s, body->last, 0, op->results, op->n_results);
}

static void visit_while(sccp *s, ir_op *op)
{
    ir_block *before = ir_op_body(op, 0), *after = ir_op_body(op, 1);
    enter_with(s, before, 0, op, 0, op->n_operands);
    ir_op *condition = before->last;
    ir_attr holds = fact_of(s, ir_op_operand(condition, 0));
    bool open = holds == &anything;
    if (holds && (open || holds->value))
        enter_with(s, after, 0, condition, 1, condition->n_operands - 1);
    if (holds && (open || !holds->value))
        flow_all(s, condition, 1, op->results, op->n_results);
    if (is_reached(s, after))
        enter_with(s, before, 0, after->last, 0, after->last->n_operands);
}

/* One of the regions, which yields the results, or any of them. */
static void visit_choice(sccp *s, ir_op *op)
{
    ir_attr cases = op->def == SCF_OP(index_switch) ? ir_op_attr(op, "cases") : NULL;
    int64_t only = op->def == SCF_OP(if) ? chosen_branch(s, op)
                   : cases               ? chosen_case(s, op, cases, cases->count)
                                         : EACH;
    for (uint16_t r = 0; r < op->n_regions; r++) {
        if (only != EACH && only != r)
            continue;
        enter(s, op->regions[r].first);
        yield_to(s, &op->regions[r], 0, op->results, op->n_results);
    }
}

static void visit_regions(sccp *s, ir_op *op)
{
    size_t first = 0, count;
    const called_function *function = call_graph_find(&s->calls, op);
    if (op->def == SCF_OP(while)) {
        visit_while(s, op);
    } else if (op->def == SCF_OP(for) ||
               (op->def == AFFINE_OP(for) && ir_op_operand_group(op, 2, &first, &count))) {
        visit_loop(s, op, op->def == SCF_OP(for) ? 3 : first);
    } else if (op->def == SCF_OP(if) || op->def == SCF_OP(index_switch) ||
               op->def == SCF_OP(execute_region) || op->def == AFFINE_OP(if)) {
        visit_choice(s, op);
    } else if (!function || function->escapes) {
        for (uint16_t r = 0; r < op->n_regions; r++)
            enter(s, op->regions[r].first);
        give_up(s, op);
    }
}

/* ---- operations --------------------------------------------------------------------- */

static void visit_call(sccp *s, ir_op *op)
{
    called_function *f = call_graph_callee(&s->calls, op);
    if (!f) {
        give_up(s, op);
        return;
    }
    enter_with(s, ir_op_body(f->op, 0), 0, op, 0, op->n_operands);
    yield_to(s, &f->op->regions[0], 0, op->results, op->n_results);
}

/* Propagates a terminator's operands to the enclosing operation or the callers. */
static void visit_end(sccp *s, ir_op *op)
{
    ir_op *around = ir_op_parent(op);
    const called_function *f = call_graph_find(&s->calls, around);
    for (size_t i = 0; f && i < f->count; i++)
        push(s, f->calls[i]);
    if (around && around->block)
        push(s, around);
}

/* Folds the operation as if the operands were these; leaves it unchanged. */
static bool fold(ir_op *op, const ir_attr *constants, ir_fold_result *results)
{
    ir_value *operands[CAPACITY];
    uint32_t n = op->n_operands;
    size_t n_props = ir_def_n_props(op->def);
    ir_attr *props = tw_xmalloc((n_props + 1) * sizeof *props), attrs = op->attrs;
    for (uint32_t i = 0; i < n; i++)
        operands[i] = ir_op_operand(op, i);
    memcpy(props, op->props, n_props * sizeof *props);
    bool folded = op->def->fold(op, constants, results), found = op->n_results > 0;
    for (uint32_t i = 0; i < op->n_results; i++)
        found &= results[i].attr || results[i].value;
    if (folded && !found) {
        ir_op_splice_operands(op, 0, op->n_operands, operands, n);
        memcpy(op->props, props, n_props * sizeof *props);
        op->attrs = attrs;
    }
    free(props);
    return folded && found;
}

static void compute(sccp *s, ir_op *op)
{
    ir_attr constants[CAPACITY];
    ir_fold_result results[CAPACITY] = {0};
    bool constant = (op->def->traits & IR_CONSTANT_LIKE) && op->n_results == 1;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!fact_of(s, ir_op_operand(op, i)))
            return;
    if (constant)
        results[0].attr = rw_constant(&op->results[0]);
    else if (op->def->fold && op->n_operands <= CAPACITY && op->n_results <= CAPACITY) {
        for (uint32_t i = 0; i < op->n_operands; i++)
            constants[i] = constant_of(s, ir_op_operand(op, i));
        constant = fold(op, constants, results);
    }
    for (uint32_t i = 0; constant && i < op->n_results; i++)
        if (results[i].value)
            flow(s, results[i].value, &op->results[i]);
        else
            add_fact(s, &op->results[i], results[i].attr ? results[i].attr : &anything,
                     ir_context_dialect_of(op->ctx, tw_str_from(op->def->name)));
    if (!constant)
        give_up(s, op);
}

static void visit(sccp *s, ir_op *op)
{
    if (!is_reached(s, op->block))
        return;
    if (op->n_successors)
        visit_branch(s, op);
    else if (op->def->traits & IR_TERMINATOR)
        visit_end(s, op);
    else if (op->n_regions)
        visit_regions(s, op);
    else if (op->def == FUNC_OP(call))
        visit_call(s, op);
    else
        compute(s, op);
}

/* ---- replacing values by constants -------------------------------------------------- */

/* A constant operation of the dialect whose fold produced it, at the start of the region
 * that holds constants. */
static ir_value *constant_in(sccp *s, ir_block *block, ir_attr value, ir_type type,
                             const ir_dialect *dialect)
{
    ir_region *home = rw_constants_home(block);
    uint32_t first = (uint32_t)(uintptr_t)ir_mapping_get(s->by_value, value), i;
    for (i = first; i; i = s->constants[i - 1].next)
        if (s->constants[i - 1].home == home &&
            s->constants[i - 1].op->results[0].type == type)
            return &s->constants[i - 1].op->results[0];
    ir_builder b = ir_builder_at_start(home->owner->ctx, home->first, IR_LOC_UNKNOWN);
    ir_op *made = dialect && dialect->materialize
                      ? dialect->materialize(&b, value, type, IR_LOC_UNKNOWN)
                      : NULL;
    if (!made)
        return NULL;
    TW_PUSH(s->constants, s->n_constants, s->constants_capacity,
            ((known){home, value, made, first}));
    ir_mapping_set(s->by_value, value, (void *)(uintptr_t)s->n_constants);
    return &made->results[0];
}

static bool replace(sccp *s, ir_block *block, ir_value *v)
{
    ir_attr value = constant_of(s, v);
    ir_value *by =
        value ? constant_in(s, block, value, v->type, ir_mapping_get(s->origins, v)) : NULL;
    if (by)
        ir_value_replace_uses(v, by);
    return by != NULL;
}

static void rewrite_block(sccp *s, ir_block *block)
{
    for (ir_op *op = block->first, *next; op; op = next) {
        bool all = op->n_results > 0;
        next = op->next;
        for (uint32_t i = 0; i < op->n_results; i++)
            all &= replace(s, block, &op->results[i]);
        if (all && rw_would_be_dead(op))
            ir_op_erase(op);
    }
    for (uint32_t i = 0; i < block->n_args; i++)
        replace(s, block, block->args[i]);
}

/* Nested regions are processed after their block, the last first: so constants are placed
 * as by mlir-opt. */
static void rewrite(sccp *s, ir_region *region)
{
    for (ir_block *b = region->first; b; b = b->next) {
        rewrite_block(s, b);
        for (ir_op *op = b->last; op; op = op->prev)
            for (uint16_t r = op->n_regions; r-- > 0;)
                rewrite(s, &op->regions[r]);
    }
}

static bool run(ir_op *op, pass_run *run)
{
    sccp s = {.facts = ir_mapping_create(),
              .origins = ir_mapping_create(),
              .reached = ir_mapping_create(),
              .waiting = ir_mapping_create(),
              .by_value = ir_mapping_create(),
              .calls = call_graph_of(op)};
    (void)run;
    for (uint16_t r = 0; r < op->n_regions; r++)
        enter(&s, op->regions[r].first);
    while (s.n_todo) {
        ir_op *next = s.todo[--s.n_todo];
        ir_mapping_set(s.waiting, next, NULL);
        visit(&s, next);
    }
    for (uint16_t r = 0; r < op->n_regions; r++)
        rewrite(&s, &op->regions[r]);
    call_graph_free(&s.calls);
    free(s.todo);
    free(s.constants);
    ir_mapping *const all[] = {s.facts, s.origins, s.reached, s.waiting, s.by_value};
    for (size_t i = 0; i < TW_COUNT(all); i++)
        ir_mapping_free(all[i]);
    return true;
}

const pass_def sccp_pass = {
    .name = "sccp",
    .title = "SCCP",
    .summary = "Sparse Conditional Constant Propagation",
    .run = run,
};
