/* flatten_control_flow.c: removes the regions of if, case and counted while.
 *
 * Device programs are straight-line code.  The branches of `if` and `case` are pure, so
 * all of them are executed and `select` picks the results.  A `while` whose trip count
 * follows from constants is unrolled; any other stays, with the branches around it, and
 * its conversion fails with the operation's name. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

/* Limits of unrolling: iterations of a loop, and the operations it expands to. */
enum { MAX_TRIPS = 65536, MAX_OPERATIONS = 262144 };

/* ---- branches ----------------------------------------------------------------------- */

/* True if a region only computes its results. */
static bool computes_only(const ir_region *region)
{
    for (const ir_block *b = region->first; b; b = b->next)
        for (const ir_op *op = b->first; op; op = op->next) {
            static const uint16_t acts[] = {STABLEHLO_custom_call, STABLEHLO_infeed,
                                            STABLEHLO_outfeed,     STABLEHLO_send,
                                            STABLEHLO_recv,        STABLEHLO_after_all};
            for (size_t i = 0; i < TW_COUNT(acts); i++)
                if (op->def == &stablehlo_ops[acts[i]])
                    return false;
            if (op->def == FUNC_OP(call)) /* a call that was not inlined is recursive */
                return false;
            for (uint16_t r = 0; r < op->n_regions; r++)
                if (!computes_only(&op->regions[r]))
                    return false;
        }
    return region->first && !region->first->next;
}

static ir_value *select_value(ir_builder *b, ir_value *pick, ir_value *yes, ir_value *no)
{
    return ir_build1(b, STABLEHLO_OP(select), yes->type, IR_VALUES(pick, yes, no), NULL, 0);
}

/* index == number, as a scalar i1. */
static ir_value *is_branch(ir_builder *b, ir_value *index, int64_t branch)
{
    ir_type i1 = ir_tensor_type(ir_integer_type(b->ctx, 1, IR_SIGNLESS), NULL, 0, NULL);
    ir_value *n = ir_build1(b, STABLEHLO_OP(constant), index->type, NULL, 0,
                            IR_ATTRS({"value", ir_dense_splat_int(index->type, branch)}));
    ir_attr equal = ir_enum_attr(b->ctx, STABLEHLO_ATTR(comparison_direction),
                                 STABLEHLO_ComparisonDirection_EQ);
    return ir_build1(b, STABLEHLO_OP(compare), i1, IR_VALUES(index, n),
                     IR_ATTRS({"comparison_direction", equal}));
}

/* Returns the first operation that replaced `op`, or its successor. */
static ir_op *flatten_branches(ir_op *op)
{
    bool is_if = op->def == STABLEHLO_OP(if);
    for (uint16_t r = 0; r < op->n_regions; r++)
        if (!computes_only(&op->regions[r]))
            return NULL;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!ir_type_is_tensor(op->results[i].type))
            return NULL;
    ir_op *before = op->prev;
    ir_block *block = op->block;
    uint16_t last = (uint16_t)(op->n_regions - 1);
    ir_value **results = tw_xmalloc((op->n_results + 1) * sizeof *results);
    ir_builder b = ir_builder_before(op);
    for (int r = last; r >= 0; r--) { /* an out-of-range index selects the last branch */
        ir_block *body = op->regions[r].first;
        ir_op *end = body->last;
        if (end != body->first)
            ir_block_splice(block, op, body, body->first, end->prev);
        ir_value *pick = r == last ? NULL
                         : is_if   ? op->operands[0].value
                                   : is_branch(&b, op->operands[0].value, r);
        for (uint32_t i = 0; i < op->n_results; i++) {
            ir_value *v = end->operands[i].value;
            results[i] = pick ? select_value(&b, pick, v, results[i]) : v;
        }
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], results[i]);
    free(results);
    ir_op *next = op->next;
    ir_op_erase(op);
    ir_op *first = before ? before->next : block->first;
    return first ? first : next;
}

/* ---- counted loops ------------------------------------------------------------------ */

static bool whole_constant(ir_value *v, int64_t *out)
{
    ir_op *def = ir_value_def(v);
    if (def && def->def == STABLEHLO_OP(convert) &&
        ir_type_element(v->type)->kind == IR_TYPE_INTEGER &&
        ir_type_element(v->type)->width == 64)
        return whole_constant(def->operands[0].value, out);
    if (def && def->def == STABLEHLO_OP(get_dimension_size)) {
        ir_type of = def->operands[0].value->type;
        int64_t dim = ir_op_int(def, "dimension", 0);
        if (!ir_type_is_tensor(of) || dim < 0 || dim >= of->count ||
            of->dims[dim] == IR_DYNAMIC)
            return false;
        *out = of->dims[dim];
        return true;
    }
    ir_attr value =
        def && def->def == STABLEHLO_OP(constant) ? ir_op_attr(def, "value") : NULL;
    if (!ir_attr_is(value, IR_ATTR_DENSE) || ir_type_num_elements(v->type) != 1 ||
        ir_type_element(v->type)->kind != IR_TYPE_INTEGER)
        return false;
    *out = ir_dense_int(value, 0);
    return true;
}

/* A constant as seen by the loop: outside of it, inside, or a loop-carried argument
 * passed through unchanged. */
static bool loop_constant(const ir_op *loop, ir_value *v, int64_t *out)
{
    if (whole_constant(v, out))
        return true;
    if (!v->is_argument || ir_value_block(v)->region->owner != loop)
        return false;
    ir_block *body = loop->regions[1].first;
    return body->last->operands[v->index].value == body->args[v->index] &&
           whole_constant(loop->operands[v->index].value, out);
}

static bool holds(int64_t direction, bool is_unsigned, int64_t a, int64_t b)
{
    int order = is_unsigned ? ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b)
                            : (a > b) - (a < b);
    switch (direction) {
    case STABLEHLO_ComparisonDirection_EQ:
        return order == 0;
    case STABLEHLO_ComparisonDirection_NE:
        return order != 0;
    case STABLEHLO_ComparisonDirection_GE:
        return order >= 0;
    case STABLEHLO_ComparisonDirection_GT:
        return order > 0;
    case STABLEHLO_ComparisonDirection_LE:
        return order <= 0;
    default:
        return order < 0;
    }
}

/* The constant that the body adds to its k-th argument; false if it does more. */
static bool step_of(const ir_op *loop, uint32_t k, int64_t *out)
{
    ir_block *body = loop->regions[1].first;
    ir_op *next = ir_value_def(body->last->operands[k].value);
    if (!next || (next->def != STABLEHLO_OP(add) && next->def != STABLEHLO_OP(subtract)))
        return false;
    ir_value *a = next->operands[0].value, *b = next->operands[1].value;
    bool add = next->def == STABLEHLO_OP(add);
    if (a == body->args[k] && loop_constant(loop, b, out)) {
        *out = add ? *out : -*out;
        return true;
    }
    return add && b == body->args[k] && loop_constant(loop, a, out);
}

/* The counter of `while (i < n) { ...; i += step }`. */
typedef struct counting {
    uint32_t counter; /* index of the argument */
    int64_t start, step, trips;
} counting;

static bool count_trips(const ir_op *loop, counting *out)
{
    ir_block *cond = loop->regions[0].first;
    ir_op *test = ir_value_def(cond->last->operands[0].value);
    int64_t i, limit, step;
    if (!test || test->block != cond || test->def != STABLEHLO_OP(compare))
        return false;
    ir_value *a = test->operands[0].value, *b = test->operands[1].value;
    int64_t direction = ir_enum_value(ir_op_attr(test, "comparison_direction"), -1);
    bool swapped = loop_constant(loop, a, &limit);
    if (!swapped && !loop_constant(loop, b, &limit))
        return false;
    ir_value *counter = swapped ? b : a;
    if (!counter->is_argument || ir_value_block(counter) != cond ||
        !step_of(loop, counter->index, &step) ||
        !whole_constant(loop->operands[counter->index].value, &i))
        return false;
    ir_type element = ir_type_element(counter->type);
    int64_t start = i;
    for (int64_t trips = 0; trips <= MAX_TRIPS; trips++) {
        if (!(swapped ? holds(direction, element->sign == IR_UNSIGNED, limit, i)
                      : holds(direction, element->sign == IR_UNSIGNED, i, limit)))
            return *out = (counting){counter->index, start, step, trips}, true;
        /* counts in the loop's own type, which wraps */
        i = ir_integer_attr(element, (int64_t)((uint64_t)i + (uint64_t)step))->value;
    }
    return false;
}

static ir_walk count_op(ir_op *op, void *user)
{
    (void)op;
    ++*(int64_t *)user;
    return IR_WALK_ON;
}

static ir_op *unroll(ir_op *loop)
{
    if (!computes_only(&loop->regions[0]) || !computes_only(&loop->regions[1]))
        return NULL;
    counting c;
    int64_t size = 0;
    ir_block *body = loop->regions[1].first, *block = loop->block;
    for (ir_op *op = body->first; op; op = op->next)
        ir_walk_pre(op, count_op, &size);
    if (!count_trips(loop, &c) || c.trips * size > MAX_OPERATIONS)
        return NULL;
    ir_op *before = loop->prev;
    uint32_t n = loop->n_operands;
    ir_value **now = tw_xmalloc((n + 1) * sizeof *now);
    ir_value **next = tw_xmalloc((n + 1) * sizeof *next);
    for (uint32_t i = 0; i < n; i++)
        now[i] = loop->operands[i].value;
    ir_builder b = ir_builder_before(loop);
    ir_type counts = loop->operands[c.counter].value->type;
    for (int64_t t = 0; t < c.trips; t++) {
        /* constant again: nested loops may depend on it */
        int64_t at = (int64_t)((uint64_t)c.start + (uint64_t)t * (uint64_t)c.step);
        now[c.counter] = ir_build1(&b, STABLEHLO_OP(constant), counts, NULL, 0,
                                   IR_ATTRS({"value", ir_dense_splat_int(counts, at)}));
        ir_mapping *map = ir_mapping_create();
        for (uint32_t i = 0; i < n; i++)
            ir_mapping_set(map, body->args[i], now[i]);
        for (ir_op *op = body->first; op != body->last; op = op->next)
            ir_op_insert_before(ir_op_clone(op, map), loop);
        for (uint32_t i = 0; i < n; i++) {
            ir_value *v = body->last->operands[i].value;
            ir_value *mapped = ir_mapping_get(map, v);
            next[i] = mapped ? mapped : v;
        }
        ir_mapping_free(map);
        memcpy(now, next, n * sizeof *now);
    }
    for (uint32_t i = 0; i < n; i++)
        ir_value_replace_uses(&loop->results[i], now[i]);
    free(now);
    free(next);
    ir_op *after = loop->next;
    ir_op_erase(loop);
    ir_op *first = before ? before->next : block->first;
    return first ? first : after;
}

/* ---- the pass ----------------------------------------------------------------------- */

static ir_walk look_for_loop(ir_op *op, void *user)
{
    *(bool *)user |= op->def == STABLEHLO_OP(while);
    return IR_WALK_ON;
}

/* An unconverted loop may not terminate if its branch was not to be taken. */
static bool has_loop(ir_op *op)
{
    bool found = false;
    ir_walk_pre(op, look_for_loop, &found);
    return found;
}

static bool flatten_block(ir_block *block);

static void flatten_inside(ir_op *op)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            flatten_block(b);
}

/* Visits the replacement of an operation again: it may contain more control flow. */
static bool flatten_block(ir_block *block)
{
    bool changed = false;
    for (ir_op *op = block->first; op;) {
        ir_op *again = NULL;
        bool branches = op->def == STABLEHLO_OP(if) || op->def == STABLEHLO_OP(case);
        if (branches)
            flatten_inside(op);
        if (branches && !has_loop(op))
            again = flatten_branches(op);
        else if (op->def == STABLEHLO_OP(while) && !(again = unroll(op)))
            flatten_inside(op);
        changed |= again != NULL;
        op = again ? again : op->next;
    }
    return changed;
}

static bool run(ir_op *func, pass_run *run)
{
    (void)run;
    for (ir_block *b = func->regions[0].first; b; b = b->next)
        flatten_block(b);
    return true;
}

const pass_def stablehlo_flatten_control_flow_pass = {
    .name = "stablehlo-flatten-control-flow",
    .summary = "Replace if, case and counted while loops by straight-line code",
    .anchor = "func.func",
    .run = run,
};
