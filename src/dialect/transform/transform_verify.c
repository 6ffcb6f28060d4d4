/* transform_verify.c: what operations of the transform dialect demand of their attributes
 * and of the types of their results, in MLIR's words. */
#include "dialect/transform/transform.h"
#include "dialect/transform/transform_hooks.h"

/* Whether a list holds 0 to its length, each once. */
static bool is_permutation(ir_attr list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < list->count; k++)
            found |= ir_dense_array_int(list, k) == i;
        if (!found)
            return false;
    }
    return true;
}

static bool has_items(ir_attr list)
{
    return list && list->count;
}

/* "0, 2": as messages show lists. */
static const char *numbers_text(const ir_op *op, ir_attr list)
{
    tw_strbuf text = {0};
    for (uint32_t i = 0; i < list->count; i++)
        tw_strbuf_printf(&text, "%s%lld", i ? ", " : "",
                         (long long)ir_dense_array_int(list, i));
    const char *kept =
        tw_arena_printf(ir_context_arena(op->ctx), "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return kept;
}

bool transform_verify_same_results(ir_op *op)
{
    for (uint32_t i = 1; i < op->n_results; i++)
        if (op->results[i].type != op->results[0].type)
            return ir_op_error(op, "expects all results type to be the same");
    return true;
}

bool transform_verify_split_handle(ir_op *op)
{
    ir_attr overflow = ir_op_attr(op, "overflow_result");
    return !overflow || (uint64_t)overflow->value < op->n_results ||
           ir_op_error(op, "overflow_result is not a valid result index");
}

bool transform_verify_interchange(ir_op *op)
{
    ir_attr list = ir_op_attr(op, "iterator_interchange");
    return !has_items(list) || is_permutation(list) ||
           ir_op_error(op, "expects iterator_interchange to be a permutation, found %s",
                       numbers_text(op, list));
}

bool transform_verify_hoist_pad(ir_op *op)
{
    ir_attr list = ir_op_attr(op, "transpose");
    return !has_items(list) || is_permutation(list) ||
           ir_op_error(op, "expects transpose to be a permutation, found %s",
                       numbers_text(op, list));
}

bool transform_verify_pack_transpose(ir_op *op)
{
    static const char *const names[] = {"inner_perm", "outer_perm"};
    bool any = false;
    for (size_t i = 0; i < TW_COUNT(names); i++) {
        ir_attr list = ir_op_attr(op, names[i]);
        any |= has_items(list);
        if (has_items(list) && !is_permutation(list))
            return ir_op_error(op, "\"%s\" is not a valid permutation", names[i]);
    }
    return any || ir_op_error(op, " at least one of \"%s\" or \"%s\" must be specified",
                              names[0], names[1]);
}
