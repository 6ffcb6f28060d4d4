/* refine_arguments.c: refines the argument types of main to those it will be called with.
 *
 * Users still see the original types: each refined argument goes through a custom call
 * that stablehlo-refine-shapes removes. */
#include "ir/pass/pass.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "stablehlo/build.h"
#include "stablehlo/refine/refine.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

static ir_walk count_functions(ir_op *op, void *user)
{
    ir_op **last = user;
    if (op->def == FUNC_OP(func)) {
        last[1] = last[0];
        last[0] = op;
    }
    return ir_op_parent(op) ? IR_WALK_SKIP : IR_WALK_ON;
}

ir_op *hlo_refinement_target(ir_op *module)
{
    ir_op *last[2] = {NULL};
    ir_walk_pre(module, count_functions, last);
    if (!last[1])
        return last[0];
    ir_op *target = ir_symbol_lookup(module, TW_STR("main"));
    if (!target || target->def != FUNC_OP(func)) {
        ir_op_error(module, "must have no more than one function or a `main` function to "
                            "clearly identify which function will be refined");
        return NULL;
    }
    return target;
}

static const char *reason(ir_type from, ir_type to)
{
    bool ranked = ir_type_is_tensor(from);
    if ((!ranked && from->kind != IR_TYPE_UNRANKED_TENSOR) ||
        (!ir_type_is_tensor(to) && to->kind != IR_TYPE_UNRANKED_TENSOR))
        return "must be a tensor";
    if (from->element != to->element)
        return "element types must match";
    if (to->kind == IR_TYPE_UNRANKED_TENSOR)
        return "must be ranked";
    if (!ranked)
        return NULL;
    if (from->count != to->count)
        return "rank must match operand rank";
    for (uint32_t i = 0; i < from->count; i++)
        if (from->dims[i] != IR_DYNAMIC && from->dims[i] != to->dims[i])
            return "dimension sizes must match for static dimensions";
    return NULL;
}

/* Checks that types refine those of a function's arguments; reports the reason if not. */
static bool check_refinement(ir_op *op, const ir_type *from, size_t n_from,
                             const ir_type *to, size_t n_to)
{
    if (n_from != n_to)
        return ir_op_error(
            op, "number of refinements must match number of op operands %zu vs %zu", n_to,
            n_from);
    for (size_t i = 0; i < n_from; i++) {
        const char *why = from[i] == to[i] ? NULL : reason(from[i], to[i]);
        if (why) {
            tw_strbuf a = {0}, b = {0};
            ir_print_type(from[i], &a);
            ir_print_type(to[i], &b);
            ir_op_error(op,
                        "invalid refinement for argument %zu, refinement %s in %s -> %s", i,
                        why, tw_strbuf_text(&a), tw_strbuf_text(&b));
            tw_strbuf_free(&a);
            tw_strbuf_free(&b);
            return false;
        }
    }
    return true;
}

/* The next type of a list; commas inside brackets do not separate. */
static tw_str next_item(tw_str *rest)
{
    size_t depth = 0, i = 0;
    for (; i < rest->size; i++) {
        char c = rest->data[i];
        depth += c == '<' || c == '(' || c == '{' || c == '[';
        if ((c == '>' && (i == 0 || rest->data[i - 1] != '-')) || c == ')' || c == '}' ||
            c == ']')
            depth -= depth > 0;
        if (c == ',' && depth == 0)
            break;
    }
    tw_str item = {rest->data, i};
    size_t skip = TW_MIN(i + 1, rest->size);
    *rest = (tw_str){rest->data + skip, rest->size - skip};
    return item;
}

static void ignore(void *user, ir_context *ctx, const ir_diagnostic *diagnostic)
{
    (void)user;
    (void)ctx;
    (void)diagnostic;
}

/* Parses the types; returns the count, or SIZE_MAX after an error. */
static size_t read_types(ir_op *module, tw_str text, ir_type **out)
{
    size_t n = 0, capacity = 0;
    while (text.size) {
        tw_str item = next_item(&text);
        ir_diagnostic_sink old =
            ir_context_set_sink(module->ctx, (ir_diagnostic_sink){ignore, NULL});
        ir_type type = ir_parse_type(module->ctx, item);
        ir_context_set_sink(module->ctx, old);
        if (!type) {
            ir_op_error(module, "Invalid type string: %.*s", (int)item.size, item.data);
            return SIZE_MAX;
        }
        TW_PUSH(*out, n, capacity, type);
    }
    return n;
}

/* Replaces all uses of an argument except the wrapper's own. */
static void wrap(ir_builder *b, ir_value *arg, ir_type was, ir_type now)
{
    ir_value *shape = hlo_integer_constant(b, now->dims, now->count);
    int64_t one = 1;
    ir_type i64 = ir_integer_type(b->ctx, 64, IR_SIGNLESS);
    ir_value *wrapped = ir_build1(
        b, STABLEHLO_OP(custom_call), was, IR_VALUES(shape, shape),
        IR_ATTRS(
            {"call_target_name", ir_string_attr(b->ctx, TW_STR(HLO_OPERAND_WRAPPER))},
            {"indices_of_shape_operands", ir_dense_i64(hlo_vector_type(i64, 1), &one, 1)}));
    ir_value_replace_uses(arg, wrapped);
    ir_op_set_operand(ir_value_def(wrapped), 0, arg);
    arg->type = now;
}

bool hlo_refine_arguments(ir_op *func, const ir_type *to, size_t n)
{
    ir_type signature = ir_op_attr(func, "function_type")->type;
    if (!check_refinement(func, signature->types, signature->count, to, n))
        return false;
    ir_block *body = ir_op_body(func, 0);
    if (!body)
        return true;
    ir_op *first = body->first;
    ir_builder b =
        first ? ir_builder_before(first) : ir_builder_at_end(func->ctx, body, func->loc);
    b.loc = func->loc;
    for (size_t i = 0; i < n; i++)
        if (to[i] != signature->types[i])
            wrap(&b, body->args[i], signature->types[i], to[i]);
    ir_op_set_attr(
        func, "function_type",
        ir_type_attr(ir_function_type(func->ctx, to, n, ir_function_results(signature),
                                      signature->results)));
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    ir_type *types = NULL;
    ir_op *func = hlo_refinement_target(module);
    size_t n = func ? read_types(module, pass_option_str(run, "types"), &types) : SIZE_MAX;
    bool ok = n != SIZE_MAX && hlo_refine_arguments(func, types, n);
    free(types);
    return ok;
}

const pass_def stablehlo_refine_arguments_pass = {
    .name = "stablehlo-refine-arguments",
    .title = "StablehloRefineArgumentsPass",
    .summary = "Refines the argument shapes of the main function.",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(pass_option_def, {"types", PASS_LIST, "",
                                         "The new types to be used for the main function's "
                                         "arguments, separated by commas"}),
};
