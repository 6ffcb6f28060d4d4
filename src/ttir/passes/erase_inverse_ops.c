/* erase_inverse_ops.c: ttir-erase-inverse-ops: permutes and reshapes travel through
 * the program until they meet their inverses, and both go.
 *
 * Upwards and downwards alternate until neither changes how many there are.  A mover goes
 * above an operation if all readers of the result move it equally; it goes below if the
 * other operands are moved equally, or cost nothing to move back because they are constant.
 * The meeting itself is the folders' work.  The rules per operation are in
 * ttir_commute_*.c. */
#include "ir/pass/pass.h"
#include "ir/rewrite/effects.h"
#include "mlir/func/func.h"
#include "ttir/passes/commute.h"

bool ttir_same_mover(const ir_op *a, const ir_op *b)
{
    if (!a || !b || a->def != b->def)
        return false;
    if (a->def == TTIR_OP(permute))
        return ir_op_attr(a, "permutation") == ir_op_attr(b, "permutation");
    return a->def == TTIR_OP(reshape) &&
           ttir_same_shape(a->results[0].type, b->results[0].type);
}

/* The value as the mover's input would be; it must have the shape of the mover's result. */
static ir_value *move_back(ir_builder *b, const ir_op *mover, ir_value *v)
{
    int64_t order[TTIR_MAX_DIMS], back[TTIR_MAX_DIMS];
    ir_type from = mover->operands[0].value->type;
    if (mover->def == TTIR_OP(reshape))
        return ttir_build_reshape(b, v, from->dims, from->count);
    size_t n = ttir_numbers(mover, "permutation", order);
    for (size_t i = 0; i < n; i++)
        back[order[i]] = (int64_t)i;
    return ttir_build_permute(b, v, back);
}

/* ---- element-wise operations -------------------------------------------------------- */

/* Operands that the operation itself would broadcast cannot be moved like its result. */
static bool operands_have_its_shape(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!ttir_same_shape(op->operands[i].value->type, op->results[0].type))
            return false;
    return true;
}

static ir_value *above_elementwise(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t order[TTIR_MAX_DIMS];
    ir_value *moved[2];
    ir_type to = mover->results[0].type;
    if (!operands_have_its_shape(op))
        return NULL;
    ttir_numbers(mover, "permutation", order);
    for (uint32_t i = 0; i < op->n_operands; i++)
        moved[i] = mover->def == TTIR_OP(permute)
                       ? ttir_build_permute(b, op->operands[i].value, order)
                       : ttir_build_reshape(b, op->operands[i].value, to->dims, to->count);
    ir_type type = ttir_type_in_shape(op->results[0].type, to->dims, to->count);
    return ir_op_result(ttir_build_like(b, op, moved, type), 0);
}

static ir_value *below_elementwise(ir_op *op, ir_op *mover, ir_builder *b)
{
    int64_t order[TTIR_MAX_DIMS];
    ir_value *moved[2];
    ir_type from = mover->operands[0].value->type, to = op->results[0].type;
    if (!operands_have_its_shape(op))
        return NULL;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        ir_op *def = ir_value_def(v);
        if (!ttir_same_mover(def, mover) &&
            !(def && (def->def->traits & IR_CONSTANT_LIKE)) && !ttir_traces_to_constants(v))
            return NULL;
    }
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        moved[i] =
            ir_value_def(v) == mover ? mover->operands[0].value : move_back(b, mover, v);
    }
    ir_type type = ttir_type_in_shape(to, from->dims, from->count);
    ir_value *y = ir_op_result(ttir_build_like(b, op, moved, type), 0);
    if (mover->def == TTIR_OP(reshape))
        return ttir_build_reshape(b, y, to->dims, to->count);
    ttir_numbers(mover, "permutation", order);
    return ttir_build_permute(b, y, order);
}

/* ---- who commutes with whom --------------------------------------------------------- */

#define REDUCTION(name)                                                                    \
    {                                                                                      \
        TTIR_OP(name), ttir_permute_above_reduction, ttir_permute_below_reduction,         \
            ttir_reshape_above_reduction, ttir_reshape_below_reduction                     \
    }

static const ttir_commute *commute_of(const ir_op *op)
{
    static const ttir_commute elementwise = {NULL, above_elementwise, below_elementwise,
                                             above_elementwise, below_elementwise};
    static const ttir_commute rows[] = {
        {TTIR_OP(clamp_scalar), above_elementwise, below_elementwise, above_elementwise,
         below_elementwise},
        {TTIR_OP(broadcast), ttir_permute_above_broadcast, NULL,
         ttir_reshape_above_broadcast, NULL},
        {TTIR_OP(concat), ttir_permute_above_concat, ttir_permute_below_concat,
         ttir_reshape_above_concat, NULL},
        {TTIR_OP(slice_static), ttir_permute_above_slice, ttir_permute_below_slice,
         ttir_reshape_above_slice, ttir_reshape_below_slice},
        REDUCTION(sum),
        REDUCTION(mean),
        REDUCTION(max),
        REDUCTION(min),
        REDUCTION(prod),
        REDUCTION(reduce_and),
        REDUCTION(reduce_or),
        REDUCTION(argmax),
        {TTIR_OP(softmax), NULL, NULL, ttir_reshape_above_softmax,
         ttir_reshape_below_softmax},
        {TTIR_OP(rms_norm), NULL, NULL, ttir_reshape_above_rms_norm, NULL},
        {TTIR_OP(distributed_rms_norm), NULL, NULL, ttir_reshape_above_rms_norm, NULL},
    };
    if ((op->def->traits & IR_BROADCASTABLE) && op->n_results == 1 &&
        (op->n_operands == 1 || op->n_operands == 2))
        return &elementwise;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].def == op->def)
            return &rows[i];
    return NULL;
}

static bool is_mover(const ir_op *op)
{
    ir_type from, to;
    if (!op || (op->def != TTIR_OP(permute) && op->def != TTIR_OP(reshape)))
        return false;
    from = op->operands[0].value->type;
    to = op->results[0].type;
    if (from->count > TTIR_MAX_DIMS || to->count > TTIR_MAX_DIMS)
        return false;
    /* Without elements a reshape says nothing of which dimension became which. */
    if (op->def == TTIR_OP(reshape) && ir_type_num_elements(to) == 0)
        return false;
    /* A reshape that takes dimensions away from six or more is dear wherever it is. */
    return op->def == TTIR_OP(permute) || from->count < 6 || to->count >= from->count;
}

static bool commute_up(ir_op *op, rw_rewriter *rw)
{
    const ttir_commute *c = commute_of(op);
    const ir_operand *use = c ? op->results[0].uses : NULL;
    if (!use || !is_mover(use->owner))
        return false;
    ir_op *mover = use->owner;
    for (; use; use = use->next_use)
        if (!ttir_same_mover(use->owner, mover))
            return false;
    ttir_commute_fn *fn = mover->def == TTIR_OP(permute) ? c->permute_up : c->reshape_up;
    ir_value *moved = fn ? fn(op, mover, &rw->b) : NULL;
    if (!moved || !rw_is_kept(moved, op))
        return false;
    while (op->results[0].uses)
        rw_replace1(rw, op->results[0].uses->owner, moved);
    rw_modified(rw, op); /* nothing reads it any more */
    return true;
}

static bool commute_down(ir_op *op, rw_rewriter *rw)
{
    const ttir_commute *c = commute_of(op);
    if (!c || !op->results[0].uses)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *mover = ttir_source(op->operands[i].value);
        if (!is_mover(mover) || !ir_value_has_one_use(&mover->results[0]))
            continue;
        ttir_commute_fn *fn =
            mover->def == TTIR_OP(permute) ? c->permute_down : c->reshape_down;
        if (!fn || ttir_traces_to_constants(&mover->results[0]))
            continue;
        ir_value *moved = fn(op, mover, &rw->b);
        if (moved && rw_replace_if_kept(rw, op, moved))
            return true;
    }
    return false;
}

/* ---- permute, reshape, permute ------------------------------------------------------ */

/* Dimensions of the permuted tensor that reshaping joins into each dimension: `owner[i]`
 * is the dimension of the reshape's result that holds dimension i of its operand; false if
 * some dimension is split. */
static bool joined(ir_type from, ir_type to, int64_t *owner)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < to->count; i++) {
        int64_t have = 1;
        if (at < from->count && from->dims[at] == to->dims[i]) {
            owner[at++] = i;
            continue;
        }
        if (to->dims[i] == 1)
            continue;
        while (at < from->count && from->dims[at] != 0 &&
               to->dims[i] % (have * from->dims[at]) == 0) {
            have *= from->dims[at];
            owner[at++] = i;
        }
        if (have != to->dims[i])
            return false;
    }
    return at == from->count;
}

/* A reshape between permutes that only joins dimensions, whose elements end up in the
 * order they began with, is one reshape. */
static bool fuse_permutes(ir_op *op, rw_rewriter *rw)
{
    int64_t first[TTIR_MAX_DIMS], last[TTIR_MAX_DIMS], owner[TTIR_MAX_DIMS];
    ir_op *reshape = ttir_producer(op->operands[0].value, TTIR_OP(reshape));
    ir_op *permute =
        reshape ? ttir_producer(reshape->operands[0].value, TTIR_OP(permute)) : NULL;
    if (!permute)
        return false;
    ir_type from = permute->results[0].type, to = reshape->results[0].type;
    uint32_t rank = from->count;
    if (to->count != rank || rank > TTIR_MAX_DIMS || !joined(from, to, owner) ||
        (!ir_value_has_one_use(&permute->results[0]) &&
         !ir_value_has_one_use(&reshape->results[0]) &&
         !ir_value_has_one_use(&op->results[0])))
        return false;
    ttir_numbers(permute, "permutation", first);
    ttir_numbers(op, "permutation", last);
    int64_t next = 0;
    for (uint32_t i = 0; i < rank; i++)
        for (uint32_t k = 0; k < rank; k++)
            if (owner[k] == last[i] && first[k] != next++)
                return false;
    ir_type type = op->results[0].type;
    return rw_replace_if_kept(
        rw, op,
        ttir_build_reshape(&rw->b, permute->operands[0].value, type->dims, type->count));
}

/* ---- driving ------------------------------------------------------------------------ */

static const rw_pattern upwards[] = {
    {NULL, commute_up, "ttir.CommuteUpwards"},
    {TTIR_OP(permute), fuse_permutes, "ttir.PermuteReshapePermute"},
};

/* Broadcasts never let a mover down, so it goes up in both directions. */
static bool broadcast_up(ir_op *op, rw_rewriter *rw)
{
    return commute_up(op, rw);
}

static const rw_pattern downwards[] = {
    {NULL, commute_down, "ttir.CommuteDownwards"},
    {TTIR_OP(broadcast), broadcast_up, "ttir.CommuteAboveBroadcast"},
    {TTIR_OP(permute), fuse_permutes, "ttir.PermuteReshapePermute"},
};

static ir_walk count_mover(ir_op *op, void *user)
{
    size_t *count = user;
    bool mover = op->def == TTIR_OP(permute) || op->def == TTIR_OP(reshape) ||
                 op->def == TTIR_OP(transpose) || op->def == TTIR_OP(rearrange);
    *count += mover && !ttir_traces_to_constants(&op->results[0]);
    return IR_WALK_ON;
}

static size_t movers(ir_op *func)
{
    size_t count = 0;
    ir_walk_pre(func, count_mover, &count);
    return count;
}

static ir_walk find_flattened(ir_op *op, void *user)
{
    bool *found = user;
    *found |= ir_op_attr(op, "flattened_compat_info") != NULL;
    return *found ? IR_WALK_STOP : IR_WALK_ON;
}

static bool erase_in(ir_op *func, const pass_run *run)
{
    bool up = pass_option_bool(run, "enable-commute-upwards");
    bool down = pass_option_bool(run, "enable-commute-downwards");
    int64_t most = pass_option_int(run, "max-iterations");
    size_t above = SIZE_MAX, below = SIZE_MAX;
    for (int64_t i = 0; i < most; i++) {
        if (up)
            rw_greedy(func, upwards, TW_COUNT(upwards), NULL);
        size_t after_up = movers(func);
        if (down)
            rw_greedy(func, downwards, TW_COUNT(downwards), NULL);
        size_t after_down = movers(func);
        if (after_up == above && after_down == below) {
            if (up && after_up < after_down)
                rw_greedy(func, upwards, TW_COUNT(upwards), NULL);
            return true;
        }
        above = after_up;
        below = after_down;
    }
    return ir_error(func->ctx, func->loc,
                    "EraseInverseOps: TM count has not converged after %lld iterations.",
                    (long long)most);
}

typedef struct visitor {
    const pass_run *run;
    bool force, ok;
} visitor;

static ir_walk visit(ir_op *op, void *user)
{
    visitor *v = user;
    bool wanted = v->force;
    if (op->def != FUNC_OP(func) || !ir_op_body(op, 0))
        return IR_WALK_ON;
    if (!wanted)
        ir_walk_pre(op, find_flattened, &wanted);
    if (wanted && !erase_in(op, v->run))
        v->ok = false;
    return v->ok ? IR_WALK_ON : IR_WALK_STOP;
}

static bool run(ir_op *module, pass_run *run)
{
    visitor v = {run, pass_option_bool(run, "force"), true};
    ttir_origins *origins = ttir_origins_begin(module->ctx);
    ir_walk_post(module, visit, &v);
    ttir_origins_end(origins);
    return v.ok;
}

const pass_def ttir_erase_inverse_ops_pass = {
    .name = "ttir-erase-inverse-ops",
    .summary = "Move permutes and reshapes to where they meet their inverses",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def, {"enable-commute-upwards", PASS_BOOL, "true", "Let them go up"},
        {"enable-commute-downwards", PASS_BOOL, "true", "Let them go down"},
        {"max-iterations", PASS_INT, "100", "Turns in both directions before giving up"},
        {"force", PASS_BOOL, "true",
         "Also in functions without an operation on flattened images"}),
};
