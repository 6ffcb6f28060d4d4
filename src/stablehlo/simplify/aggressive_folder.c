/* aggressive_folder.c: folds operations on constants with the evaluator of eval.h, and
 * control flow with known conditions. */
#include "stablehlo/simplify/optimize.h"

#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "stablehlo/build.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/eval/eval.h"
#include "stablehlo/stablehlo.h"

#include <math.h>

enum { MAX_OPERANDS = 64, MAX_READ = 1 << 22 };

static const hlo_optimize *options_of(const rw_rewriter *rw)
{
    return rw->user;
}

ir_attr hlo_dense_of(const ir_value *v)
{
    ir_attr attr = rw_constant(v);
    return ir_attr_is(attr, IR_ATTR_DENSE) && !(attr->splat & 2) &&
                   hlo_class_of(attr->type->element) != HLO_OTHER &&
                   !hlo_is_quantized(attr->type->element)
               ? attr
               : NULL;
}

/* Tensors of one element count as splats. */
static bool is_splat(ir_attr dense)
{
    return dense->splat || ir_type_num_elements(dense->type) == 1;
}

static bool replace(ir_op *op, rw_rewriter *rw, ir_attr value)
{
    if (!value)
        return false;
    rw_replace1(rw, op, hlo_constant(&rw->b, value));
    return true;
}

/* Broadcasts the first element of a constant to a type. */
static ir_attr broadcast(ir_attr dense, ir_type type)
{
    return ir_dense_attr(type, dense->blob->data, ir_dense_element_size(type->element));
}

/* ---- what is not folded ------------------------------------------------------------- */

/* Integer division by zero is undefined; it is left to the device. */
static bool divides_by_zero(const ir_op *op, const ir_attr *operands)
{
    if (op->def != STABLEHLO_OP(divide) && op->def != STABLEHLO_OP(remainder))
        return false;
    if (hlo_class_of(operands[1]->type->element) != HLO_INT)
        return false;
    int64_t n = is_splat(operands[1]) ? 1 : ir_type_num_elements(operands[1]->type);
    for (int64_t i = 0; i < n; i++)
        if (ir_dense_int(operands[1], (size_t)i) == 0)
            return true;
    return false;
}

/* Conversions out of the integer range and of NaN are left to the device, too. */
static bool is_outside(const ir_op *op, double x, ir_type to)
{
    if (op->def == STABLEHLO_OP(log) || op->def == STABLEHLO_OP(rsqrt))
        return !(x > 0);
    if (op->def == STABLEHLO_OP(sqrt))
        return !(x >= 0);
    if (op->def == STABLEHLO_OP(sign))
        return isnan(x);
    if (op->def != STABLEHLO_OP(convert) || to->kind != IR_TYPE_INTEGER || to->width == 1)
        return false;
    double limit = ldexp(1, (int)to->width - !hlo_is_unsigned(to));
    return !isfinite(x) || (x == 0 && signbit(x)) || trunc(x) >= limit ||
           trunc(x) < (hlo_is_unsigned(to) ? 0 : -limit);
}

static bool leaves_domain(const ir_op *op, ir_attr operand)
{
    ir_type to = op->results[0].type->element;
    if (hlo_class_of(operand->type->element) != HLO_FLOAT)
        return false;
    int64_t n = is_splat(operand) ? 1 : ir_type_num_elements(operand->type);
    for (int64_t i = 0; i < n; i++)
        if (is_outside(op, ir_dense_real(operand, (size_t)i), to))
            return true;
    return false;
}

/* ---- element by element ------------------------------------------------------------- */

/* The same bits as unsigned integers. */
static ir_attr as_unsigned(ir_attr dense)
{
    ir_type t = dense->type, element = t->element;
    if (element->kind != IR_TYPE_INTEGER || element->width == 1)
        return dense;
    ir_type to = ir_integer_type(element->ctx, element->width, IR_UNSIGNED);
    return ir_dense_reshape(dense, ir_tensor_type(to, t->dims, t->count, NULL));
}

static bool compares_unsigned(const ir_op *op)
{
    return op->def == STABLEHLO_OP(compare) &&
           ir_enum_value(ir_op_attr(op, "compare_type"), -1) ==
               STABLEHLO_ComparisonType_UNSIGNED;
}

static bool fold_elements(ir_op *op, rw_rewriter *rw)
{
    const hlo_optimize *options = options_of(rw);
    ir_attr operands[MAX_OPERANDS];
    ir_type type = op->results[0].type;
    bool splat = true;
    if (op->n_operands > MAX_OPERANDS || !ir_type_has_static_shape(type))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        operands[i] = hlo_dense_of(op->operands[i].value);
        if (!operands[i])
            return false;
        splat = splat && is_splat(operands[i]);
        if (!options->folds_floats && hlo_class_of(operands[i]->type->element) != HLO_INT)
            return false;
        if (compares_unsigned(op))
            operands[i] = as_unsigned(operands[i]);
    }
    if (!options->folds_floats && hlo_class_of(type->element) != HLO_INT)
        return false;
    if (!splat && ir_type_num_elements(type) > options->most_elements)
        return false;
    if (divides_by_zero(op, operands) || leaves_domain(op, operands[0]))
        return false;
    return replace(op, rw, hlo_eval_constant(op, operands, splat));
}

static bool fold_erf(ir_op *op, rw_rewriter *rw)
{
    ir_attr x = hlo_dense_of(op->operands[0].value);
    ir_type type = op->results[0].type;
    if (!x || !is_splat(x) || !ir_type_has_static_shape(type) ||
        !options_of(rw)->folds_floats || hlo_class_of(x->type->element) != HLO_FLOAT)
        return false;
    return replace(op, rw, ir_dense_splat(type, erf(ir_dense_real(x, 0))));
}

/* Folds a select with a constant predicate between non-constants. */
static bool fold_select(ir_op *op, rw_rewriter *rw)
{
    ir_attr which = hlo_dense_of(op->operands[0].value);
    if (!which || !is_splat(which))
        return fold_elements(op, rw);
    ir_value *v = op->operands[ir_dense_int(which, 0) ? 1 : 2].value;
    if (v->type != op->results[0].type)
        return false;
    rw_replace1(rw, op, v);
    return true;
}

/* ---- moves -------------------------------------------------------------------------- */

/* Moves of splats give splats, whatever the indices are. */
static bool move_splat(ir_op *op, rw_rewriter *rw)
{
    ir_attr x = hlo_dense_of(op->operands[0].value);
    ir_type type = op->results[0].type;
    return x && is_splat(x) && ir_type_has_static_shape(type) &&
           replace(op, rw, broadcast(x, type));
}

static bool fold_move(ir_op *op, rw_rewriter *rw)
{
    ir_attr operands[MAX_OPERANDS];
    ir_type type = op->results[0].type;
    if (move_splat(op, rw))
        return true;
    if (op->n_operands > MAX_OPERANDS || !ir_type_has_static_shape(type) ||
        ir_type_num_elements(type) > options_of(rw)->most_elements)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        operands[i] = hlo_dense_of(op->operands[i].value);
        if (!operands[i] || ir_type_num_elements(operands[i]->type) > MAX_READ)
            return false;
    }
    return replace(op, rw, hlo_eval_constant(op, operands, false));
}

/* Ops invariant under reversal are left to other passes. */
static bool fold_reverse(ir_op *op, rw_rewriter *rw)
{
    ir_attr x = hlo_dense_of(op->operands[0].value);
    if (!x || x->splat || ir_type_num_elements(x->type) > options_of(rw)->most_elements)
        return false;
    ir_attr y = hlo_eval_constant(op, &x, false);
    return y != x && replace(op, rw, y);
}

/* Merges adjacent operands that are equal splats. */
static bool join_splats(ir_op *op, rw_rewriter *rw)
{
    ir_value *kept[MAX_OPERANDS];
    size_t n = 0;
    int64_t dim = ir_op_int(op, "dimension", 0);
    if (op->n_operands > MAX_OPERANDS)
        return false;
    for (uint32_t i = 0, end; i < op->n_operands; i = end) {
        ir_attr x = hlo_dense_of(op->operands[i].value);
        for (end = i + 1; x && is_splat(x) && end < op->n_operands; end++)
            if (hlo_dense_of(op->operands[end].value) != x)
                break;
        kept[n] = op->operands[i].value;
        if (end > i + 1) {
            int64_t dims[HLO_MAX_RANK];
            ir_type t = x->type;
            if (t->count > HLO_MAX_RANK)
                return false;
            memcpy(dims, t->dims, t->count * sizeof *dims);
            dims[dim] *= end - i;
            ir_type wide = ir_tensor_type(t->element, dims, t->count, NULL);
            kept[n] = hlo_constant(&rw->b, broadcast(x, wide));
        }
        n++;
    }
    if (n == op->n_operands)
        return false;
    ir_op_splice_operands(op, 0, op->n_operands, kept, n);
    rw_modified(rw, op);
    return true;
}

static bool fold_concatenate(ir_op *op, rw_rewriter *rw)
{
    ir_attr operands[MAX_OPERANDS];
    ir_type type = op->results[0].type;
    bool known = op->n_operands <= MAX_OPERANDS && ir_type_has_static_shape(type) &&
                 ir_type_num_elements(type) <= options_of(rw)->most_elements;
    for (uint32_t i = 0; known && i < op->n_operands; i++)
        known = (operands[i] = hlo_dense_of(op->operands[i].value)) != NULL;
    return known ? replace(op, rw, hlo_eval_constant(op, operands, false))
                 : join_splats(op, rw);
}

/* ---- sizes -------------------------------------------------------------------------- */

static bool fold_iota(ir_op *op, rw_rewriter *rw)
{
    ir_type type = op->results[0].type;
    int64_t dim = ir_op_int(op, "iota_dimension", 0);
    if (!ir_type_has_static_shape(type) || dim < 0 || dim >= type->count ||
        hlo_class_of(type->element) == HLO_OTHER || hlo_is_quantized(type->element) ||
        (type->dims[dim] != 1 && ir_type_num_elements(type) != 0))
        return false;
    return replace(op, rw, ir_dense_splat(type, 0));
}

static bool fold_size(ir_op *op, rw_rewriter *rw)
{
    ir_type t = op->operands[0].value->type;
    int64_t dim = ir_op_int(op, "dimension", 0);
    if (!ir_type_is_tensor(t) || dim < 0 || dim >= t->count || t->dims[dim] == IR_DYNAMIC)
        return false;
    return replace(op, rw, ir_dense_splat_int(op->results[0].type, t->dims[dim]));
}

static bool fold_set_size(ir_op *op, rw_rewriter *rw)
{
    ir_value *x = op->operands[0].value;
    ir_attr size = hlo_dense_of(op->operands[1].value);
    int64_t dim = ir_op_int(op, "dimension", 0);
    if (!size || x->type != op->results[0].type || !ir_type_has_static_shape(x->type) ||
        dim < 0 || dim >= x->type->count || ir_dense_int(size, 0) != x->type->dims[dim])
        return false;
    rw_replace1(rw, op, x);
    return true;
}

/* ---- reductions --------------------------------------------------------------------- */

static bool reduces_nothing(const ir_op *op)
{
    size_t n = op->n_results;
    if (ir_attr_ints(ir_op_attr(op, "dimensions"), NULL, 0) != 0 || op->n_operands != 2 * n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (op->operands[i].value->type != op->results[i].type)
            return false;
    return true;
}

/* True if a body returns constants for any input. */
static bool returns_constants(ir_op *op, ir_attr *out)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = body ? body->last : NULL;
    if (!end || body->first != end || end->n_operands != op->n_results)
        return false;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        ir_attr x = hlo_dense_of(end->operands[i].value);
        if (!x || !ir_type_has_static_shape(t))
            return false;
        out[i] = broadcast(x, t);
    }
    return true;
}

/* The constant c if the body is one op that maps c and c to c and all inputs are c. */
static ir_attr stays(ir_op *op)
{
    ir_attr x = hlo_dense_of(op->operands[0].value),
            init = hlo_dense_of(op->operands[1].value);
    ir_block *body = ir_op_body(op, 0);
    ir_op *step = body ? body->first : NULL;
    if (!x || !init || !is_splat(x) || broadcast(x, init->type) != init || !step ||
        step->next != body->last || step->n_operands != 2 || step->n_results != 1 ||
        body->n_args != 2 || body->last->n_operands != 1 ||
        body->last->operands[0].value != &step->results[0])
        return NULL;
    for (int i = 0; i < 2; i++)
        if (step->operands[i].value != body->args[0] &&
            step->operands[i].value != body->args[1])
            return NULL;
    ir_attr both[] = {init, init};
    if (hlo_eval_constant(step, both, false) != init)
        return NULL;
    return broadcast(init, op->results[0].type);
}

static bool fold_reduce(ir_op *op, rw_rewriter *rw)
{
    ir_value *values[MAX_OPERANDS];
    ir_attr constants[MAX_OPERANDS];
    if (op->n_results > MAX_OPERANDS)
        return false;
    if (reduces_nothing(op)) {
        for (uint32_t i = 0; i < op->n_results; i++)
            values[i] = op->operands[i].value;
    } else if (returns_constants(op, constants)) {
        for (uint32_t i = 0; i < op->n_results; i++)
            values[i] = hlo_constant(&rw->b, constants[i]);
    } else {
        ir_type t = op->results[0].type;
        bool simple = op->n_results == 1 && ir_type_has_static_shape(t) &&
                      op->n_operands == 2 && (constants[0] = stays(op)) != NULL;
        return simple && replace(op, rw, constants[0]);
    }
    rw_replace(rw, op, values, op->n_results);
    return true;
}

/* ---- control flow ------------------------------------------------------------------- */

/* True if a nested operation declares side effects. */
static bool declares_effects(ir_op *op, int depth)
{
    if (op->def == STABLEHLO_OP(infeed) || op->def == STABLEHLO_OP(outfeed) ||
        op->def == STABLEHLO_OP(send) || op->def == STABLEHLO_OP(recv) || depth == 0)
        return true;
    if (op->def == STABLEHLO_OP(custom_call) && ir_op_bool(op, "has_side_effect"))
        return true;
    if (op->def == FUNC_OP(call)) {
        ir_op *callee = ir_symbol_resolve(op, ir_op_attr(op, "callee"));
        return !callee || declares_effects(callee, depth - 1);
    }
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next)
                if (declares_effects(o, depth))
                    return true;
    return false;
}

/* Erases a loop that is never entered, unless it may have side effects that other code
 * relies on. */
static bool fold_while(ir_op *op, rw_rewriter *rw)
{
    enum { MAX_CALLS = 16 };
    ir_block *condition = ir_op_body(op, 0);
    ir_op *end = condition ? condition->last : NULL;
    ir_attr again =
        end && end->n_operands == 1 ? hlo_dense_of(end->operands[0].value) : NULL;
    if (!again || ir_dense_int(again, 0) || op->n_operands != op->n_results)
        return false;
    if (!ir_op_is_unused(op)) {
        for (uint32_t i = 0; i < op->n_results; i++)
            rw_replace_uses(rw, &op->results[i], op->operands[i].value);
        rw_modified(rw, op);
        return true;
    }
    if (!options_of(rw)->trusts_declared_effects || declares_effects(op, MAX_CALLS))
        return false;
    rw_erase(rw, op);
    return true;
}

/* Placeholder returned by a branch whose body was moved out. */
static ir_value *placeholder(ir_builder *b, ir_type type)
{
    if (ir_type_is_tensor(type))
        return hlo_zeros(b, type);
    return ir_build1(b, STABLEHLO_OP(create_token), type, NULL, 0, NULL, 0);
}

static bool can_stand_in(ir_type t)
{
    if (!ir_type_is_tensor(t))
        return t->kind == IR_TYPE_DIALECT && t->def == STABLEHLO_TYPE(token);
    return ir_type_has_static_shape(t) && hlo_class_of(t->element) != HLO_OTHER &&
           !hlo_is_quantized(t->element);
}

static bool fold_case(ir_op *op, rw_rewriter *rw)
{
    ir_attr index = hlo_dense_of(op->operands[0].value);
    if (!index || ir_op_is_unused(op))
        return false;
    int64_t at = ir_dense_int(index, 0);
    if (at < 0 || at >= op->n_regions)
        at = op->n_regions - 1;
    ir_block *body = ir_op_body(op, (size_t)at);
    if (!body || !body->last || body->last->n_operands != op->n_results)
        return false;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!can_stand_in(op->results[i].type))
            return false;
    ir_op *end = body->last;
    for (ir_op *o = body->first, *next; o != end; o = next) {
        next = o->next;
        ir_op_remove(o);
        ir_op_insert_before(o, op);
        rw_modified(rw, o);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        rw_replace_uses(rw, &op->results[i], end->operands[i].value);
    ir_builder b = ir_builder_before(end);
    b.loc = op->loc;
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_op_set_operand(end, i, placeholder(&b, op->results[i].type));
    rw_modified(rw, op);
    return true;
}

/* ---- the table ---------------------------------------------------------------------- */

bool hlo_apply(rw_pattern_fn *const *rows, ir_op *op, rw_rewriter *rw)
{
    if (op->def < stablehlo_ops || op->def >= stablehlo_ops + STABLEHLO_OP_COUNT)
        return false;
    rw_pattern_fn *pattern = rows[op->def - stablehlo_ops];
    return pattern && pattern(op, rw);
}

static bool fold_any(ir_op *op, rw_rewriter *rw)
{
    static rw_pattern_fn *const rows[STABLEHLO_OP_COUNT] = {
        [STABLEHLO_abs] = fold_elements,
        [STABLEHLO_add] = fold_elements,
        [STABLEHLO_and] = fold_elements,
        [STABLEHLO_broadcast_in_dim] = move_splat,
        [STABLEHLO_case] = fold_case,
        [STABLEHLO_clamp] = fold_elements,
        [STABLEHLO_compare] = fold_elements,
        [STABLEHLO_concatenate] = fold_concatenate,
        [STABLEHLO_convert] = fold_elements,
        [STABLEHLO_cosine] = fold_elements,
        [STABLEHLO_divide] = fold_elements,
        [STABLEHLO_dynamic_slice] = move_splat,
        [STABLEHLO_exponential] = fold_elements,
        [STABLEHLO_get_dimension_size] = fold_size,
        [STABLEHLO_iota] = fold_iota,
        [STABLEHLO_log] = fold_elements,
        [STABLEHLO_logistic] = fold_elements,
        [STABLEHLO_maximum] = fold_elements,
        [STABLEHLO_minimum] = fold_elements,
        [STABLEHLO_multiply] = fold_elements,
        [STABLEHLO_negate] = fold_elements,
        [STABLEHLO_not] = fold_elements,
        [STABLEHLO_or] = fold_elements,
        [STABLEHLO_reduce] = fold_reduce,
        [STABLEHLO_remainder] = fold_elements,
        [STABLEHLO_reshape] = fold_move,
        [STABLEHLO_reverse] = fold_reverse,
        [STABLEHLO_round_nearest_afz] = fold_elements,
        [STABLEHLO_round_nearest_even] = fold_elements,
        [STABLEHLO_rsqrt] = fold_elements,
        [STABLEHLO_select] = fold_select,
        [STABLEHLO_set_dimension_size] = fold_set_size,
        [STABLEHLO_sign] = fold_elements,
        [STABLEHLO_sine] = fold_elements,
        [STABLEHLO_slice] = fold_move,
        [STABLEHLO_sqrt] = fold_elements,
        [STABLEHLO_subtract] = fold_elements,
        [STABLEHLO_tan] = fold_elements,
        [STABLEHLO_tanh] = fold_elements,
        [STABLEHLO_transpose] = fold_move,
        [STABLEHLO_while] = fold_while,
        [STABLEHLO_xor] = fold_elements,
    };
    if (op->def == CHLO_OP(erf))
        return fold_erf(op, rw);
    return hlo_apply(rows, op, rw);
}

const rw_pattern hlo_fold_any = {NULL, fold_any, "fold"};

hlo_optimize hlo_fold_options(pass_run *run)
{
    return (hlo_optimize){
        .most_elements = pass_option_int(run, "fold-op-element-limit"),
        .folds_floats = pass_option_bool(run, "optimize-float"),
        .trusts_declared_effects =
            pass_option_bool(run, "assume-no-undeclared-side-effects"),
    };
}

static bool run(ir_op *func, pass_run *run)
{
    hlo_optimize options = hlo_fold_options(run);
    rw_greedy(func, &hlo_fold_any, 1, &(rw_options){.bottom_up = true, .user = &options});
    return true;
}

const pass_def stablehlo_aggressive_folder_pass = {
    .name = "stablehlo-aggressive-folder",
    .title = "StablehloAggressiveFolderPass",
    .summary = "Folds StableHLO operations",
    .anchor = "func.func",
    .run = run,
    .options = HLO_FOLD_OPTIONS,
};
