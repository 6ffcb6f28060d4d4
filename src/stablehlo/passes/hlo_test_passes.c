/* hlo_test_passes.c: test passes that show properties of operations: inferred result
 * types, and speculatability. */
#include "ir/pass/pass.h"
#include "stablehlo/chlo/chlo.h"
#include "stablehlo/chlo/chlo_hooks.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_verify.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_test(const ir_op *op)
{
    return strncmp(op->def->name, "hlo_test_", 9) == 0 && op->n_operands == 1;
}

static bool for_all(ir_op *root, void (*fn)(ir_op *op, ir_op *producer))
{
    ir_op_list list = ir_ops_in(root, is_test);
    for (size_t i = 0; i < list.n; i++) {
        ir_op *producer = ir_value_def(list.at[i]->operands[0].value);
        if (producer)
            fn(list.at[i], producer);
    }
    ir_op_list_free(&list);
    return true;
}

/* ---- types -------------------------------------------------------------------------- */

static bool infer(ir_op *op, chk_types *out)
{
    if (strncmp(op->def->name, "stablehlo.", 10) == 0)
        return stablehlo_infer(op, out);
    return strncmp(op->def->name, "chlo.", 5) == 0 && chlo_infer(op, out);
}

/* "hlo_test_infer.get_return_types" becomes "hlo_test_infer.return_types" with the types as
 * attributes. */
static void show_types(ir_op *op, ir_op *producer)
{
    chk_types types;
    if (!ir_op_named(op, "hlo_test_infer.get_return_types") || !infer(producer, &types) ||
        !types.known)
        return;
    const ir_op_def *def =
        ir_context_op_def_or_unregistered(op->ctx, TW_STR("hlo_test_infer.return_types"));
    ir_builder b = ir_builder_before(op);
    ir_value *operand = op->operands[0].value;
    ir_type result = op->n_results ? op->results[0].type : NULL;
    ir_op *made = ir_build(&b, &(ir_op_state){.def = def,
                                              .loc = op->loc,
                                              .operands = &operand,
                                              .n_operands = 1,
                                              .results = &result,
                                              .n_results = op->n_results ? 1 : 0});
    for (size_t i = 0; i < types.n; i++) {
        char name[32];
        snprintf(name, sizeof name, "types%zu", i);
        ir_op_set_attr(made, name, ir_type_attr(types.at[i]));
    }
    if (op->n_results)
        ir_value_replace_uses(&op->results[0], &made->results[0]);
    ir_op_erase(op);
}

/* True if the smaller operand's dimensions map to the trailing ones of the larger. */
static bool is_trailing(const ir_op *op, ir_attr along)
{
    ir_type x = op->operands[0].value->type, y = op->operands[1].value->type;
    int64_t to[64], n = ir_attr_ints(along, to, TW_COUNT(to));
    if (!ir_type_is_ranked(x) || !ir_type_is_ranked(y) || n > (int64_t)TW_COUNT(to))
        return false;
    int64_t large = TW_MAX(x->count, y->count), small = TW_MIN(x->count, y->count);
    bool fits = n == small;
    for (int64_t i = 0; fits && i < n; i++)
        fits = to[i] == large - small + i;
    return fits;
}

/* "hlo_test_infer.reify_return_type_shapes" requests sizes as values, which are known for
 * broadcasts only if dimensions are prepended. */
static void check_reify(ir_op *op, ir_op *producer)
{
    ir_attr along = strncmp(producer->def->name, "chlo.broadcast_", 15) == 0
                        ? ir_op_attr(producer, "broadcast_dimensions")
                        : NULL;
    if (!ir_op_named(op, "hlo_test_infer.reify_return_type_shapes") || !along ||
        producer->n_operands != 2 || is_trailing(producer, along))
        return;
    ir_warning(producer->ctx, producer->loc,
               "unsupported non prefix-padded dynamic rank broadcast_dimensions = %s",
               ir_attr_text(producer->ctx, along));
}

static bool run_infer(ir_op *func, pass_run *run)
{
    (void)run;
    return for_all(func, check_reify) && for_all(func, show_types);
}

const pass_def hlo_test_infer_pass = {
    .name = "hlo-test-infer",
    .summary = "Show the inferred types of the operands of hlo_test_infer operations",
    .anchor = "func.func",
    .run = run_infer,
};

/* ---- speculation -------------------------------------------------------------------- */

/* Also erases operands without other users. */
static void erase_with_operands(ir_op *op)
{
    ir_value *operands[64];
    uint32_t n = TW_MIN(op->n_operands, (uint32_t)TW_COUNT(operands));
    for (uint32_t i = 0; i < n; i++)
        operands[i] = op->operands[i].value;
    ir_op_erase(op);
    for (uint32_t i = 0; i < n; i++) {
        ir_op *producer = ir_value_def(operands[i]);
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again |= operands[k] == operands[i];
        if (producer && !again && ir_op_is_unused(producer) &&
            (producer->def->traits & (IR_PURE | IR_CONSTANT_LIKE)))
            ir_op_erase(producer);
    }
}

/* Erases an operation that has the asserted property, with the asserting one. */
static void check_speculation(ir_op *op, ir_op *producer)
{
    static const struct {
        const char *name;
        stablehlo_speculation is;
    } rows[] = {
        {"hlo_test_speculatability.is_not_speculatable", STABLEHLO_MUST_STAY},
        {"hlo_test_speculatability.is_recursively_speculatable", STABLEHLO_AS_REGIONS},
        {"hlo_test_speculatability.is_speculatable", STABLEHLO_MAY_MOVE},
    };
    uint32_t uses = 0;
    for (uint32_t i = 0; i < producer->n_results; i++)
        for (const ir_operand *u = producer->results[i].uses; u; u = u->next_use)
            uses++;
    for (size_t i = 0; uses == 1 && i < TW_COUNT(rows); i++)
        if (ir_op_named(op, rows[i].name) &&
            stablehlo_speculation_of(producer) == rows[i].is) {
            ir_op_erase(op);
            erase_with_operands(producer);
            return;
        }
}

static bool run_speculation(ir_op *func, pass_run *run)
{
    (void)run;
    return for_all(func, check_speculation);
}

const pass_def hlo_test_speculatability_pass = {
    .name = "hlo-test-speculatability",
    .summary = "Erase operations whose speculatability is as marked",
    .anchor = "func.func",
    .run = run_speculation,
};
