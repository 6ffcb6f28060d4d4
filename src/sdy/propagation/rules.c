/* rules.c: selects an operation's rule, and builds those that follow from shapes alone. */
#include "sdy/propagation/rules.h"

#include "mlir/func/func.h"
#include "sdy/mpmd/mpmd.h"
#include "sdy/sdy.h"
#include "sdy/sdy_axes.h"
#include "sdy/sdy_verify.h"
#include "stablehlo/stablehlo.h"
#include "support/number.h"

enum { CAPACITY = 64 };

size_t sdy_integers(ir_attr list, int64_t *out, size_t max)
{
    int64_t n = ir_attr_ints(list, out, max);
    return n < 0 || n > (int64_t)max ? 0 : (size_t)n;
}

static ir_type operand(const ir_op *op, size_t i)
{
    return sdy_shaped(op->operands[i].value->type);
}

static ir_type result(const ir_op *op, size_t i)
{
    return sdy_shaped(op->results[i].type);
}

/* ---- from shapes -------------------------------------------------------------------- */

bool sdy_rule_pointwise(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type shape = op->n_results ? result(op, 0) : NULL;
    if (!ir_type_is_ranked(shape))
        return false;
    for (uint32_t d = 0; d < shape->count; d++)
        sdy_rule_all(b, d, shape->dims[d], SDY_PASS, false);
    return true;
}

void sdy_rule_pointwise_but(sdy_rule_builder *b, ir_type in, ir_type out,
                            sdy_factor_kind mismatch, bool blocked)
{
    for (uint32_t d = 0; d < in->count; d++) {
        bool same = in->dims[d] == out->dims[d];
        sdy_rule_all(b, d, in->dims[d], same ? SDY_PASS : mismatch, !same && blocked);
    }
}

static bool all_gather(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    bool gathers = op->def == STABLEHLO_OP(all_gather);
    int64_t at = ir_op_int(op, gathers ? "all_gather_dim" : "scatter_dimension", 0);
    ir_type in = operand(op, 0), out = result(op, 0);
    for (uint32_t d = 0; d < in->count; d++)
        if (d != at)
            sdy_rule_all(b, d, in->dims[d], SDY_PASS, false);
    sdy_rule_operands(b, at, in->dims[at], SDY_REPLICATE);
    sdy_rule_results(b, at, out->dims[at], SDY_REPLICATE);
    return true;
}

static bool all_to_all(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    int64_t split = ir_op_int(op, "split_dimension", 0);
    int64_t concat = ir_op_int(op, "concat_dimension", 0);
    ir_type in = operand(op, 0), out = result(op, 0);
    for (uint32_t d = 0; d < in->count; d++)
        if (d != split && d != concat)
            sdy_rule_all(b, d, in->dims[d], SDY_PASS, false);
    sdy_rule_operands(b, split, in->dims[split], SDY_REPLICATE);
    sdy_rule_results(b, split, out->dims[split], SDY_REPLICATE);
    if (split != concat) {
        sdy_rule_operands(b, concat, in->dims[concat], SDY_REPLICATE);
        sdy_rule_results(b, concat, out->dims[concat], SDY_REPLICATE);
    }
    return true;
}

/* The innermost dimension that only one side has is part of one element of the other. */
static bool bitcast(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type in = operand(op, 0), out = result(op, 0);
    ir_type shape = in->count < out->count ? in : out;
    for (uint32_t d = 0; d < shape->count; d++)
        sdy_rule_all(b, d, shape->dims[d], SDY_PASS, false);
    if (in->count < out->count)
        sdy_rule_results(b, out->count - 1, out->dims[out->count - 1], SDY_REPLICATE);
    else if (in->count > out->count)
        sdy_rule_operands(b, in->count - 1, in->dims[in->count - 1], SDY_REPLICATE);
    return true;
}

/* Features are independent.  Statistics that are computed need the full other dimensions,
 * as do results and gradients of the operand's shape. */
static bool batch_norm(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    int64_t feature = ir_op_int(op, "feature_index", 0);
    bool given = op->def == STABLEHLO_OP(batch_norm_inference);
    ir_type shape = operand(op, 0);
    for (uint32_t d = 0; d < shape->count; d++) {
        bool own = d == feature;
        uint32_t factor = sdy_rule_factor(b, shape->dims[d],
                                          own || given ? SDY_PASS : SDY_REPLICATE, false);
        for (uint32_t i = 0; i < op->n_operands; i++)
            if (own || operand(op, i) == shape)
                sdy_rule_use(b, i, operand(op, i)->count == 1 ? 0 : d, factor);
        for (uint32_t i = 0; i < op->n_results; i++)
            if (own || result(op, i) == shape)
                sdy_rule_use(b, sdy_rule_result(b, i), result(op, i)->count == 1 ? 0 : d,
                             factor);
    }
    return true;
}

static bool broadcast(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type in = operand(op, 0), out = result(op, 0);
    int64_t at[CAPACITY];
    size_t n = sdy_integers(ir_op_attr(op, "broadcast_dimensions"), at, CAPACITY);
    for (uint32_t d = 0; d < out->count; d++) {
        int64_t from = SDY_NO_DIM;
        for (size_t i = 0; i < n; i++)
            if (at[i] == d)
                from = (int64_t)i;
        if (from != SDY_NO_DIM && in->dims[from] == 1 && out->dims[d] != 1) {
            sdy_rule_pair(b, from, SDY_NO_DIM, 1, SDY_PASS, false);
            from = SDY_NO_DIM;
        }
        sdy_rule_pair(b, from, d, out->dims[d], SDY_PASS, false);
    }
    return true;
}

static bool cholesky(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type shape = operand(op, 0);
    for (uint32_t d = 0; d < shape->count; d++)
        sdy_rule_all(b, d, shape->dims[d], d + 2 < shape->count ? SDY_PASS : SDY_REPLICATE,
                     false);
    return true;
}

static ir_op *slice_before(const ir_value *v)
{
    ir_op *op = ir_value_def(v);
    return ir_op_is(op, STABLEHLO_OP(slice)) ? op : NULL;
}

/* Concatenating slices, or a tensor with slices of itself, only permutes data. */
static sdy_factor_kind concatenated(const ir_op *op)
{
    bool all = true, any = false, same = true;
    const ir_value *first = NULL;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const ir_value *v = op->operands[i].value;
        ir_op *slice = slice_before(v);
        all &= slice != NULL;
        any |= slice != NULL;
        if (slice)
            v = slice->operands[0].value;
        same &= !first || first == v;
        first = v;
    }
    return all || (same && any) ? SDY_PERMUTE : SDY_REPLICATE;
}

static bool concatenate(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    ir_type shape = result(op, 0);
    int64_t at = ir_op_int(op, "dimension", 0);
    for (uint32_t d = 0; d < shape->count; d++)
        if (d != at || !conservative)
            sdy_rule_all(b, d, shape->dims[d], d == at ? concatenated(op) : SDY_PASS,
                         false);
    return true;
}

static bool fft(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type in = operand(op, 0), out = result(op, 0);
    int64_t lengths[CAPACITY];
    size_t n = sdy_integers(ir_op_attr(op, "fft_length"), lengths, CAPACITY);
    for (uint32_t d = 0; d < in->count; d++) {
        bool last = d + 1 == in->count;
        sdy_rule_all(b, d, in->dims[d], d + n < in->count ? SDY_PASS : SDY_REPLICATE,
                     last && in->dims[d] != out->dims[d]);
    }
    return true;
}

static bool pad_or_slice(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    sdy_rule_pointwise_but(b, operand(op, 0), result(op, 0), SDY_PERMUTE, conservative);
    return true;
}

static bool reduce(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type in = operand(op, 0);
    int64_t dims[CAPACITY], out = 0;
    size_t n = sdy_integers(ir_op_attr(op, "dimensions"), dims, CAPACITY);
    for (uint32_t d = 0; d < in->count; d++) {
        bool reduced = sdy_contains(dims, n, d);
        uint32_t factor =
            sdy_rule_factor(b, in->dims[d], reduced ? SDY_REDUCE : SDY_PASS, false);
        for (uint32_t i = 0; i < op->n_results; i++)
            sdy_rule_use(b, i, d, factor);
        for (uint32_t i = 0; i < op->n_results && !reduced; i++)
            sdy_rule_use(b, sdy_rule_result(b, i), out, factor);
        out += !reduced;
    }
    return true;
}

/* Windows of one element, adjacent. */
static bool window_is_one(const ir_op *op, uint32_t d)
{
    int64_t at[2 * CAPACITY];
    if (sdy_integers(ir_op_attr(op, "padding"), at, 2 * CAPACITY) > 2 * d + 1 &&
        (at[2 * d] || at[2 * d + 1]))
        return false;
    return (sdy_integers(ir_op_attr(op, "window_strides"), at, CAPACITY) <= d ||
            at[d] == 1) &&
           (sdy_integers(ir_op_attr(op, "window_dimensions"), at, CAPACITY) <= d ||
            at[d] == 1);
}

static bool reduce_window(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    ir_type out = result(op, 0);
    for (uint32_t d = 0; d < out->count; d++) {
        bool one = window_is_one(op, d);
        sdy_rule_all(b, d, out->dims[d], one ? SDY_PASS : SDY_PERMUTE,
                     !one && conservative);
    }
    return true;
}

static bool select_and_scatter(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    ir_type out = result(op, 0), source = operand(op, 1);
    for (uint32_t d = 0; d < out->count; d++) {
        if (window_is_one(op, d)) {
            sdy_rule_all(b, d, out->dims[d], SDY_PASS, false);
            continue;
        }
        sdy_rule_use(b, 1, d,
                     sdy_rule_factor(b, source->dims[d], SDY_REPLICATE, conservative));
        sdy_rule_pair(b, d, d, out->dims[d], SDY_PERMUTE, conservative);
    }
    return true;
}

static bool reverse(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type shape = result(op, 0);
    int64_t dims[CAPACITY];
    size_t n = sdy_integers(ir_op_attr(op, "dimensions"), dims, CAPACITY);
    for (uint32_t d = 0; d < shape->count; d++)
        sdy_rule_all(b, d, shape->dims[d],
                     sdy_contains(dims, n, d) ? SDY_PERMUTE : SDY_PASS, false);
    return true;
}

static bool rng_bit_generator(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type state = operand(op, 0), out = result(op, 1);
    for (uint32_t d = 0; d < state->count; d++)
        sdy_rule_pair(b, d, d, state->dims[d], SDY_REPLICATE, true);
    for (uint32_t d = 0; d < out->count; d++)
        sdy_rule_use(b, sdy_rule_result(b, 1), d,
                     sdy_rule_factor(b, out->dims[d], SDY_PASS, false));
    return true;
}

static bool sort(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    ir_type shape = operand(op, 0);
    int64_t at = ir_op_int(op, "dimension", -1);
    bool alone = true;
    at = at < 0 ? at + shape->count : at;
    for (uint32_t d = 0; d < shape->count; d++)
        alone &= d == at || shape->dims[d] == 1;
    for (uint32_t d = 0; d < shape->count; d++)
        sdy_rule_all(b, d, shape->dims[d], d == at ? SDY_REPLICATE : SDY_PASS,
                     d == at && alone);
    return true;
}

static bool transpose(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    int64_t order[CAPACITY];
    size_t n = sdy_integers(ir_op_attr(op, "permutation"), order, CAPACITY);
    for (size_t d = 0; d < n; d++)
        sdy_rule_pair(b, order[d], (int64_t)d, operand(op, 0)->dims[order[d]], SDY_PASS,
                      false);
    return true;
}

/* ---- reshape ------------------------------------------------------------------------ */

/* Progress over one shape's dimensions: `dims` is the product of the visited ones,
 * `factors` that of the factors assigned to them. */
typedef struct walk {
    ir_type type;
    uint32_t at;
    int64_t dims, factors;
} walk;

static bool is_one(const walk *w)
{
    return w->at < w->type->count && w->type->dims[w->at] == 1;
}

static void enter(walk *w)
{
    if (w->at < w->type->count && w->dims == w->factors)
        w->dims *= w->type->dims[w->at];
}

static void leave(walk *w)
{
    if (w->at < w->type->count && w->dims == w->factors)
        w->at++;
}

/* The factor for the side that is behind, chosen so that both sides meet soon. */
static int64_t catch_up(const walk *behind, const walk *ahead)
{
    int64_t next = behind->dims / behind->factors;
    int64_t common = tw_gcd(next, ahead->dims / ahead->factors);
    int64_t gap = ahead->factors / behind->factors;
    if (ahead->factors % behind->factors == 0 && next % gap == 0)
        return gap;
    return next > common ? next / common : next;
}

static void reshape_step(sdy_rule_builder *b, walk *in, walk *out)
{
    int64_t next_in = in->dims / in->factors, next_out = out->dims / out->factors;
    int64_t common = tw_gcd(next_in, next_out);
    if (in->factors == out->factors && common > 1) {
        sdy_rule_pair(b, in->at, out->at, common, SDY_PASS, false);
        in->factors *= common;
        out->factors *= common;
    } else if (in->factors == out->factors) {
        sdy_rule_pair(b, in->at, SDY_NO_DIM, next_in, SDY_PASS, false);
        sdy_rule_pair(b, SDY_NO_DIM, out->at, next_out, SDY_PASS, false);
        in->factors *= next_in;
        out->factors *= next_out;
    } else if (in->factors < out->factors) {
        int64_t size = catch_up(in, out);
        sdy_rule_pair(b, in->at, SDY_NO_DIM, size, SDY_PASS, false);
        in->factors *= size;
    } else {
        int64_t size = catch_up(out, in);
        sdy_rule_pair(b, SDY_NO_DIM, out->at, size, SDY_PASS, false);
        out->factors *= size;
    }
}

static bool reshape(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    (void)conservative;
    walk in = {operand(op, 0), 0, 1, 1}, out = {result(op, 0), 0, 1, 1};
    if (ir_type_num_elements(in.type) <= 0)
        return false;
    while (in.at < in.type->count || out.at < out.type->count) {
        if (is_one(&in)) {
            sdy_rule_pair(b, in.at++, SDY_NO_DIM, 1, SDY_PASS, false);
            continue;
        }
        if (is_one(&out)) {
            sdy_rule_pair(b, SDY_NO_DIM, out.at++, 1, SDY_PASS, false);
            continue;
        }
        enter(&in);
        enter(&out);
        reshape_step(b, &in, &out);
        leave(&in);
        leave(&out);
    }
    return true;
}

/* ---- the table ---------------------------------------------------------------------- */

static const struct {
    uint16_t row;
    sdy_rule_fn *rule;
} rows[] = {
    {STABLEHLO_abs, sdy_rule_pointwise},
    {STABLEHLO_add, sdy_rule_pointwise},
    {STABLEHLO_all_gather, all_gather},
    {STABLEHLO_all_reduce, sdy_rule_pointwise},
    {STABLEHLO_all_to_all, all_to_all},
    {STABLEHLO_and, sdy_rule_pointwise},
    {STABLEHLO_atan2, sdy_rule_pointwise},
    {STABLEHLO_batch_norm_grad, batch_norm},
    {STABLEHLO_batch_norm_inference, batch_norm},
    {STABLEHLO_batch_norm_training, batch_norm},
    {STABLEHLO_bitcast_convert, bitcast},
    {STABLEHLO_broadcast_in_dim, broadcast},
    {STABLEHLO_cbrt, sdy_rule_pointwise},
    {STABLEHLO_ceil, sdy_rule_pointwise},
    {STABLEHLO_cholesky, cholesky},
    {STABLEHLO_clamp, sdy_rule_pointwise},
    {STABLEHLO_collective_broadcast, sdy_rule_pointwise},
    {STABLEHLO_collective_permute, sdy_rule_pointwise},
    {STABLEHLO_compare, sdy_rule_pointwise},
    {STABLEHLO_complex, sdy_rule_pointwise},
    {STABLEHLO_concatenate, concatenate},
    {STABLEHLO_convert, sdy_rule_pointwise},
    {STABLEHLO_convolution, sdy_rule_convolution},
    {STABLEHLO_cosine, sdy_rule_pointwise},
    {STABLEHLO_count_leading_zeros, sdy_rule_pointwise},
    {STABLEHLO_custom_call, sdy_rule_custom_call},
    {STABLEHLO_divide, sdy_rule_pointwise},
    {STABLEHLO_dot, sdy_rule_dot},
    {STABLEHLO_dot_general, sdy_rule_dot_general},
    {STABLEHLO_dynamic_slice, sdy_rule_dynamic_slice},
    {STABLEHLO_dynamic_update_slice, sdy_rule_dynamic_update_slice},
    {STABLEHLO_exponential, sdy_rule_pointwise},
    {STABLEHLO_exponential_minus_one, sdy_rule_pointwise},
    {STABLEHLO_fft, fft},
    {STABLEHLO_floor, sdy_rule_pointwise},
    {STABLEHLO_gather, sdy_rule_gather},
    {STABLEHLO_imag, sdy_rule_pointwise},
    {STABLEHLO_is_finite, sdy_rule_pointwise},
    {STABLEHLO_log, sdy_rule_pointwise},
    {STABLEHLO_log_plus_one, sdy_rule_pointwise},
    {STABLEHLO_logistic, sdy_rule_pointwise},
    {STABLEHLO_maximum, sdy_rule_pointwise},
    {STABLEHLO_minimum, sdy_rule_pointwise},
    {STABLEHLO_multiply, sdy_rule_pointwise},
    {STABLEHLO_negate, sdy_rule_pointwise},
    {STABLEHLO_not, sdy_rule_pointwise},
    {STABLEHLO_or, sdy_rule_pointwise},
    {STABLEHLO_pad, pad_or_slice},
    {STABLEHLO_popcnt, sdy_rule_pointwise},
    {STABLEHLO_power, sdy_rule_pointwise},
    {STABLEHLO_real, sdy_rule_pointwise},
    {STABLEHLO_reduce, reduce},
    {STABLEHLO_reduce_precision, sdy_rule_pointwise},
    {STABLEHLO_reduce_scatter, all_gather},
    {STABLEHLO_reduce_window, reduce_window},
    {STABLEHLO_remainder, sdy_rule_pointwise},
    {STABLEHLO_reshape, reshape},
    {STABLEHLO_reverse, reverse},
    {STABLEHLO_rng_bit_generator, rng_bit_generator},
    {STABLEHLO_round_nearest_afz, sdy_rule_pointwise},
    {STABLEHLO_round_nearest_even, sdy_rule_pointwise},
    {STABLEHLO_rsqrt, sdy_rule_pointwise},
    {STABLEHLO_scatter, sdy_rule_scatter},
    {STABLEHLO_select, sdy_rule_pointwise},
    {STABLEHLO_select_and_scatter, select_and_scatter},
    {STABLEHLO_shift_left, sdy_rule_pointwise},
    {STABLEHLO_shift_right_arithmetic, sdy_rule_pointwise},
    {STABLEHLO_shift_right_logical, sdy_rule_pointwise},
    {STABLEHLO_sign, sdy_rule_pointwise},
    {STABLEHLO_sine, sdy_rule_pointwise},
    {STABLEHLO_slice, pad_or_slice},
    {STABLEHLO_sort, sort},
    {STABLEHLO_sqrt, sdy_rule_pointwise},
    {STABLEHLO_subtract, sdy_rule_pointwise},
    {STABLEHLO_tan, sdy_rule_pointwise},
    {STABLEHLO_tanh, sdy_rule_pointwise},
    {STABLEHLO_transpose, transpose},
    {STABLEHLO_triangular_solve, sdy_rule_triangular_solve},
    {STABLEHLO_xor, sdy_rule_pointwise},
};

/* From one mesh to an equal one. */
static bool transfer(sdy_rule_builder *b, ir_op *op, bool conservative)
{
    ir_type from = op->operands[0].value->type, to = op->results[0].type;
    return mpmd_mesh_named(op, ir_attr_str(from->params[MPMD_TYPE_MESH])) ==
               mpmd_mesh_named(op, ir_attr_str(to->params[MPMD_TYPE_MESH])) &&
           sdy_rule_pointwise(b, op, conservative);
}

static sdy_rule_fn *find(const ir_op *op)
{
    if (op->def == MPMD_OP(transfer))
        return transfer;
    if (op->def == SDY_OP(sharding_constraint) ||
        op->def == STABLEHLO_OP(cross_replica_sum))
        return sdy_rule_pointwise;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i].row])
            return rows[i].rule;
    return NULL;
}

/* Rules depend on sizes, so all of them must be static. */
static bool is_static(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
        ir_type t = i < op->n_operands ? operand(op, i) : result(op, i - op->n_operands);
        if (ir_type_is_shaped(t) && !ir_type_has_static_shape(t))
            return false;
    }
    return true;
}

ir_attr sdy_rule_of(ir_op *op, bool conservative, bool keep)
{
    sdy_rule_builder b;
    ir_attr own = ir_op_attr(op, "sdy.sharding_rule");
    if (ir_attr_is(own, IR_ATTR_DIALECT) && own->def == SDY_ATTR(op_sharding_rule))
        return own;
    sdy_rule_fn *fill = find(op);
    if (!fill || !is_static(op))
        return NULL;
    sdy_rule_begin(&b, op);
    bool has = fill(&b, op, conservative);
    ir_attr rule = sdy_rule_end(&b, op->ctx);
    if (!has && sdy_user_rule_text(op).size) {
        rule = sdy_user_rule(op);
        has = rule != NULL;
    }
    if (has && keep)
        ir_op_set_attr(op, "sdy.sharding_rule", rule);
    return has ? rule : NULL;
}

ir_attr sdy_identity_rule(ir_type type, size_t n_operands, size_t n_results)
{
    type = sdy_shaped(type);
    sdy_rule_builder b;
    ir_type *types =
        TW_ARENA_ARRAY(ir_context_arena(type->ctx), ir_type, n_operands + n_results + 1);
    for (size_t i = 0; i < n_operands + n_results; i++)
        types[i] = type;
    sdy_rule_begin_types(&b, types, n_operands, n_results);
    for (uint32_t d = 0; d < type->count; d++)
        sdy_rule_all(&b, d, type->dims[d], SDY_PASS, false);
    return sdy_rule_end(&b, type->ctx);
}

static ir_walk drop(ir_op *op, void *user)
{
    (void)user;
    ir_attr rule = ir_op_attr(op, "sdy.sharding_rule");
    if (ir_attr_is(rule, IR_ATTR_DIALECT) && rule->def == SDY_ATTR(op_sharding_rule) &&
        !ir_attr_int(rule->params[7], 0))
        ir_op_set_attr(op, "sdy.sharding_rule", NULL);
    return IR_WALK_ON;
}

void sdy_drop_rules(ir_op *root)
{
    ir_walk_pre(root, drop, NULL);
}

/* Operations that propagate by other means, or not at all. */
static bool needs_no_rule(const ir_op *op)
{
    static const uint16_t others[] = {
        STABLEHLO_after_all,    STABLEHLO_case,    STABLEHLO_constant,
        STABLEHLO_create_token, STABLEHLO_infeed,  STABLEHLO_get_tuple_element,
        STABLEHLO_iota,         STABLEHLO_outfeed, STABLEHLO_optimization_barrier,
        STABLEHLO_partition_id, STABLEHLO_recv,    STABLEHLO_send,
        STABLEHLO_while,
    };
    if (strncmp(op->def->name, "stablehlo.", 10) != 0)
        return strncmp(op->def->name, "sdy.", 4) == 0 ||
               strncmp(op->def->name, "mpmd.", 5) == 0 ||
               strncmp(op->def->name, "func.", 5) == 0 ||
               strncmp(op->def->name, "builtin.", 8) == 0;
    for (size_t i = 0; i < TW_COUNT(others); i++)
        if (op->def == &stablehlo_ops[others[i]])
            return true;
    return (op->def->traits & IR_TERMINATOR) != 0;
}

static ir_walk warn(ir_op *op, void *user)
{
    bool *done = user; /* a call, an operation */
    bool is_call = op->def == STABLEHLO_OP(custom_call);
    if (done[is_call] || needs_no_rule(op) || ir_op_attr(op, "sdy.sharding_rule"))
        return IR_WALK_ON;
    if (is_call && !sdy_knows_call(op)) {
        tw_str target = ir_attr_str(ir_op_attr(op, "call_target_name"));
        ir_warning(op->ctx, op->loc,
                   "custom call @%.*s is unknown to SDY sharding rule registry",
                   (int)target.size, target.data);
        done[1] = true;
    } else if (!is_call && !find(op)) {
        ir_warning(op->ctx, op->loc, "op '%s' is unknown to SDY sharding rule registry",
                   op->def->name);
        done[0] = true;
    }
    return IR_WALK_ON;
}

void sdy_warn_of_unknown(ir_op *root)
{
    bool done[2] = {false};
    ir_walk_pre(root, warn, done);
}
