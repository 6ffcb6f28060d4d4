/* refine_results.c: refines result shapes from operands and constants. */
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/chlo/chlo_hooks.h"
#include "stablehlo/refine/refine.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"

enum { CAPACITY = 64 };

static bool is_of(const ir_op *op, const char *prefix)
{
    return strncmp(op->def->name, prefix, strlen(prefix)) == 0;
}

static void ignore(void *user, ir_context *ctx, const ir_diagnostic *diagnostic)
{
    (void)user;
    (void)ctx;
    (void)diagnostic;
}

/* ---- types -------------------------------------------------------------------------- */

/* The intersection of two types, NULL if they contradict each other. */
static ir_type narrow(ir_op *op, ir_type now, ir_type also)
{
    if (now == also)
        return now;
    if (now->kind == IR_TYPE_TUPLE && also->kind == IR_TYPE_TUPLE &&
        now->count == also->count && now->count <= CAPACITY) {
        ir_type members[CAPACITY];
        for (uint32_t i = 0; i < now->count; i++)
            if (!(members[i] = narrow(op, now->types[i], also->types[i])))
                return NULL;
        return ir_tuple_type(op->ctx, members, now->count);
    }
    bool is_tensor = ir_type_is_tensor(now) || now->kind == IR_TYPE_UNRANKED_TENSOR;
    if (!is_tensor || (!ir_type_is_tensor(also) && also->kind != IR_TYPE_UNRANKED_TENSOR) ||
        !stablehlo_elements_fit(now->element, also->element))
        return NULL;
    if (also->kind == IR_TYPE_UNRANKED_TENSOR)
        return now;
    also = ir_type_with_element(also, now->element);
    if (!ir_type_is_tensor(now))
        return also;
    ir_type merged, both[] = {now, also};
    return stablehlo_merge_types(op, both, 2, false, &merged) ? merged : NULL;
}

static bool allows_any(const ir_op *user)
{
    return is_of(user, "stablehlo.") || is_of(user, "chlo.") || is_of(user, "sdy.") ||
           user->def == FUNC_OP(return ) || user->def == FUNC_OP(call);
}

static bool users_allow_any(const ir_value *v)
{
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (!allows_any(use->owner))
            return false;
    return true;
}

/* A function's return keeps the old type through a cast until the function type is
 * changed. */
static void guard_returns(ir_op *op, rw_rewriter *rw, ir_value *v, ir_type was)
{
    ir_value *cast = NULL;
    for (ir_operand *use = v->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner->def != FUNC_OP(return ))
            continue;
        if (!cast) {
            ir_builder b = rw->b;
            b.before = op->next;
            cast = ir_build1(&b, BUILTIN_OP(unrealized_conversion_cast), was, IR_VALUES(v),
                             NULL, 0);
        }
        ir_op *owner = use->owner;
        ir_op_set_operand(owner, ir_operand_number(use), cast);
        rw_modified(rw, owner);
    }
}

/* Values are results of `op` or arguments of its regions. */
static bool refine_values(ir_op *op, rw_rewriter *rw, ir_value *const *values,
                          const ir_type *types, size_t n)
{
    ir_type to[CAPACITY];
    bool news = false;
    if (n > CAPACITY)
        return false;
    ir_diagnostic_sink old =
        ir_context_set_sink(op->ctx, (ir_diagnostic_sink){ignore, NULL});
    bool fits = true;
    for (size_t i = 0; i < n && fits; i++) {
        to[i] = narrow(op, values[i]->type, types[i]);
        fits = to[i] && (to[i] == values[i]->type || users_allow_any(values[i]));
        news |= fits && to[i] != values[i]->type;
    }
    ir_flush_diagnostics(op->ctx);
    ir_context_set_sink(op->ctx, old);
    if (!fits || !news)
        return false;
    for (size_t i = 0; i < n; i++) {
        ir_type was = values[i]->type;
        if (was == to[i])
            continue;
        values[i]->type = to[i];
        guard_returns(op, rw, values[i], was);
        for (ir_operand *use = values[i]->uses; use; use = use->next_use)
            rw_modified(rw, use->owner);
    }
    return true;
}

bool hlo_refine_results(ir_op *op, rw_rewriter *rw, const ir_type *types, size_t n)
{
    ir_value *results[CAPACITY];
    if (n != op->n_results || n > CAPACITY)
        return false;
    for (size_t i = 0; i < n; i++)
        results[i] = &op->results[i];
    return refine_values(op, rw, results, types, n);
}

/* ---- refinement beyond inference ---------------------------------------------------- */

static bool set_shape(ir_op *op, const int64_t *dims, size_t rank, chk_types *out)
{
    ir_type element = ir_type_element(op->results[0].type);
    for (size_t i = 0; i < rank; i++)
        if (dims[i] < 0 && dims[i] != IR_DYNAMIC)
            return true;
    ir_type type = ir_tensor_type(element, dims, rank, NULL);
    return stablehlo_set_types(out, &type, 1);
}

/* The result shape is an operand's value. */
static bool shape_from(ir_op *op, size_t operand, chk_types *out)
{
    int64_t dims[CAPACITY];
    int64_t n = stablehlo_ints(op->operands[operand].value, dims, CAPACITY);
    return n < 0 || n > CAPACITY || set_shape(op, dims, (size_t)n, out);
}

static bool shape_from_first(ir_op *op, chk_types *out)
{
    return shape_from(op, 0, out);
}

static bool shape_from_second(ir_op *op, chk_types *out)
{
    return shape_from(op, 1, out);
}

static bool shape_from_third(ir_op *op, chk_types *out)
{
    return shape_from(op, 2, out);
}

static bool like_operand(ir_op *op, chk_types *out)
{
    ir_type t = op->operands[0].value->type;
    return !ir_type_is_tensor(t) || set_shape(op, t->dims, t->count, out);
}

static uint32_t width_of(ir_type t)
{
    ir_type element = ir_type_element(t);
    if (element->kind == IR_TYPE_COMPLEX)
        element = element->element;
    return element->kind <= IR_TYPE_FLOAT ? element->width : 0;
}

static bool bitcast(ir_op *op, chk_types *out)
{
    uint32_t width = width_of(op->operands[0].value->type);
    return !width || width != width_of(op->results[0].type) || like_operand(op, out);
}

/* Devices per group if that is independent of the number of devices; else 0. */
static int64_t group_size(const ir_op *op)
{
    ir_attr groups = ir_op_attr(op, "replica_groups");
    if (ir_op_attr(op, "channel_handle") && !ir_op_attr(op, "use_global_device_ids"))
        return 0;
    return ir_attr_is(groups, IR_ATTR_DENSE) && groups->type->count == 2
               ? groups->type->dims[1]
               : 0;
}

static bool scaled(ir_op *op, const char *dim_name, bool grows, chk_types *out)
{
    int64_t size = group_size(op), dim = ir_op_int(op, dim_name, -1), dims[CAPACITY];
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        if (size <= 0 || !ir_type_is_tensor(t) || dim < 0 || dim >= t->count ||
            t->count > CAPACITY || out->n >= CHK_MAX_TYPES)
            return true;
        memcpy(dims, t->dims, t->count * sizeof *dims);
        if (dims[dim] != IR_DYNAMIC)
            dims[dim] = grows ? dims[dim] * size : dims[dim] / size;
        out->at[out->n++] =
            ir_tensor_type(ir_type_element(op->results[i].type), dims, t->count, NULL);
    }
    out->known = out->n == op->n_operands;
    return true;
}

static bool all_gather(ir_op *op, chk_types *out)
{
    return scaled(op, "all_gather_dim", true, out);
}

static bool reduce_scatter(ir_op *op, chk_types *out)
{
    return scaled(op, "scatter_dimension", false, out);
}

static bool pad(ir_op *op, chk_types *out)
{
    ir_type t = op->operands[0].value->type;
    int64_t by[3][CAPACITY], dims[CAPACITY];
    for (size_t k = 0; k < 3; k++)
        if (!ir_type_is_tensor(t) || t->count > CAPACITY ||
            stablehlo_ints(op->operands[2 + k].value, by[k], CAPACITY) != t->count)
            return true;
    for (uint32_t i = 0; i < t->count; i++) {
        int64_t inner = t->dims[i] > 0 ? (t->dims[i] - 1) * by[2][i] : 0;
        dims[i] = t->dims[i] == IR_DYNAMIC ? IR_DYNAMIC
                                           : t->dims[i] + by[0][i] + by[1][i] + inner;
    }
    return set_shape(op, dims, t->count, out);
}

/* limit = start + sizes, with strides of 1 */
static bool moving_slice(ir_op *op, const int64_t *strides, size_t n, chk_types *out)
{
    ir_op *sum = ir_value_def(op->operands[2].value);
    int64_t sizes[CAPACITY];
    if (!sum || sum->def != STABLEHLO_OP(add))
        return true;
    for (size_t i = 0; i < n; i++)
        if (strides[i] != 1)
            return true;
    for (int i = 0; i < 2; i++)
        if (sum->operands[i].value == op->operands[1].value &&
            stablehlo_ints(sum->operands[1 - i].value, sizes, CAPACITY) == (int64_t)n)
            return set_shape(op, sizes, n, out);
    return true;
}

static bool real_slice(ir_op *op, chk_types *out)
{
    ir_type t = op->operands[0].value->type;
    int64_t start[CAPACITY], limit[CAPACITY], stride[CAPACITY], dims[CAPACITY];
    if (!ir_type_is_tensor(t) || t->count > CAPACITY ||
        stablehlo_ints(op->operands[3].value, stride, CAPACITY) != t->count)
        return true;
    if (stablehlo_ints(op->operands[1].value, start, CAPACITY) != t->count ||
        stablehlo_ints(op->operands[2].value, limit, CAPACITY) != t->count)
        return moving_slice(op, stride, t->count, out);
    for (uint32_t i = 0; i < t->count; i++) {
        if (start[i] < 0 || limit[i] < start[i] || stride[i] < 1)
            return true;
        dims[i] = (limit[i] - start[i] + stride[i] - 1) / stride[i];
    }
    return set_shape(op, dims, t->count, out);
}

/* ---- custom calls: shape operands for results, members of tuples counted ------------- */

typedef struct shape_operands {
    int64_t at[CAPACITY];
    int64_t n, next;
} shape_operands;

/* The type with shapes from operands; NULL if there are none. */
static ir_type with_shapes(ir_op *op, ir_type t, shape_operands *shapes)
{
    if (t->kind == IR_TYPE_TUPLE) {
        ir_type members[CAPACITY];
        for (uint32_t i = 0; i < t->count; i++)
            if (t->count > CAPACITY || !(members[i] = with_shapes(op, t->types[i], shapes)))
                return NULL;
        return ir_tuple_type(op->ctx, members, t->count);
    }
    int64_t dims[CAPACITY], k = shapes->next < shapes->n ? shapes->at[shapes->next++] : -1;
    if (k < 0 || k >= op->n_operands || !ir_type_is_shaped(t))
        return NULL;
    int64_t rank = stablehlo_ints(op->operands[k].value, dims, CAPACITY);
    return rank < 0 || rank > CAPACITY
               ? NULL
               : ir_tensor_type(t->element, dims, (size_t)rank, NULL);
}

static bool custom_call(ir_op *op, chk_types *out)
{
    shape_operands shapes = {.n = 0};
    ir_attr list = ir_op_attr(op, "indices_of_shape_operands");
    shapes.n = list ? ir_attr_ints(list, shapes.at, CAPACITY) : -1;
    if (shapes.n < 0 || shapes.n > CAPACITY || op->n_results > CHK_MAX_TYPES)
        return true;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!(out->at[i] = with_shapes(op, op->results[i].type, &shapes)))
            return true;
    out->n = op->n_results;
    out->known = shapes.next == shapes.n;
    return true;
}

/* ---- the table ---------------------------------------------------------------------- */

static bool infer(ir_op *op, chk_types *out)
{
    static const struct {
        uint16_t row;
        bool (*fn)(ir_op *op, chk_types *out);
    } rows[] = {
        {STABLEHLO_all_gather, all_gather},
        {STABLEHLO_bitcast_convert, bitcast},
        {STABLEHLO_convert, like_operand},
        {STABLEHLO_convolution, stablehlo_infer_convolution},
        {STABLEHLO_custom_call, custom_call},
        {STABLEHLO_dynamic_broadcast_in_dim, shape_from_second},
        {STABLEHLO_dynamic_iota, shape_from_first},
        {STABLEHLO_dynamic_pad, pad},
        {STABLEHLO_dynamic_reshape, shape_from_second},
        {STABLEHLO_real_dynamic_slice, real_slice},
        {STABLEHLO_reduce_scatter, reduce_scatter},
        {STABLEHLO_rng, shape_from_third},
        {STABLEHLO_uniform_quantize, like_operand},
    };
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i].row])
            return rows[i].fn(op, out);
    if (op->def == STABLEHLO_OP(dynamic_conv)) {
        int64_t padding[2 * CAPACITY];
        return stablehlo_ints(op->operands[2].value, padding, TW_COUNT(padding)) < 0 ||
               stablehlo_infer_convolution(op, out);
    }
    if (is_of(op, "chlo."))
        return chlo_infer(op, out);
    return !is_of(op, "stablehlo.") || stablehlo_infer(op, out);
}

/* Loop-carried values have the same type inside. */
static bool refine_loop(ir_op *op, rw_rewriter *rw)
{
    ir_type types[CAPACITY];
    bool any = false;
    if (op->n_operands > CAPACITY)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        types[i] = op->operands[i].value->type;
    for (size_t r = 0; r < 2; r++) {
        ir_block *body = ir_op_body(op, r);
        if (body && body->n_args == op->n_operands)
            any |= refine_values(op, rw, body->args, types, op->n_operands);
    }
    return any;
}

/* Erases casts that only hide the refined type of a function's results. */
static bool unguard(ir_op *op, rw_rewriter *rw)
{
    ir_op *func = ir_op_parent(op);
    bool any = false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_op *cast = ir_value_def(op->operands[i].value);
        if (!cast || cast->def != BUILTIN_OP(unrealized_conversion_cast) ||
            cast->n_operands != 1 || cast->n_results != 1)
            continue;
        ir_value *v = cast->operands[0].value;
        ir_type was = cast->results[0].type;
        if (narrow(op, was, v->type) != v->type || was == v->type)
            continue;
        rw_replace1(rw, cast, v);
        any = true;
    }
    if (any && func && func->def == FUNC_OP(func))
        func_refresh_type(func);
    return any;
}

/* A branch returns a more precise type than its operation: refine that as well. */
static void refine_parent(ir_op *op, rw_rewriter *rw)
{
    ir_op *parent = ir_op_parent(op);
    if (!parent || (parent->def != STABLEHLO_OP(case) && parent->def != STABLEHLO_OP(if)))
        return;
    for (uint32_t i = 0; i < op->n_operands && i < parent->n_results; i++) {
        ir_type now = parent->results[i].type, also = op->operands[i].value->type;
        if (now != also && narrow(op, now, also) != now) {
            rw_modified(rw, parent);
            return;
        }
    }
}

static bool unwrap(ir_op *op, rw_rewriter *rw)
{
    ir_attr target = ir_op_attr(op, "call_target_name");
    if (op->def != STABLEHLO_OP(custom_call) || op->n_results != 1 || !op->n_operands ||
        !tw_str_is(ir_attr_str(target), HLO_OPERAND_WRAPPER) ||
        op->operands[0].value->type != op->results[0].type)
        return false;
    rw_replace1(rw, op, op->operands[0].value);
    return true;
}

bool hlo_refine_op(ir_op *op, rw_rewriter *rw)
{
    chk_types types;
    types.n = 0;
    types.known = false;
    if (op->def == FUNC_OP(return ))
        return unguard(op, rw);
    if (op->def == STABLEHLO_OP(return ))
        refine_parent(op, rw);
    bool inside = op->def == STABLEHLO_OP(while) && refine_loop(op, rw);
    ir_diagnostic_sink old =
        ir_context_set_sink(op->ctx, (ir_diagnostic_sink){ignore, NULL});
    bool known = infer(op, &types) && types.known;
    ir_flush_diagnostics(op->ctx);
    ir_context_set_sink(op->ctx, old);
    bool refined = known && hlo_refine_results(op, rw, types.at, types.n);
    return unwrap(op, rw) || refined || inside;
}
