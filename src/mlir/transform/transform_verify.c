/* transform_verify.c: verifies attributes and result types of operations of the transform
 * dialect, in MLIR's words. */
#include "mlir/shared/shape_checks.h"
#include "mlir/transform/transform.h"
#include "mlir/transform/transform_hooks.h"

/* True if a list holds 0 to its length - 1, each once. */
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
static const char *ints_text(const ir_op *op, ir_attr list)
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
                       ints_text(op, list));
}

bool transform_verify_hoist_pad(ir_op *op)
{
    ir_attr list = ir_op_attr(op, "transpose");
    return !has_items(list) || is_permutation(list) ||
           ir_op_error(op, "expects transpose to be a permutation, found %s",
                       ints_text(op, list));
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

/* ---- tiling ------------------------------------------------------------------------- */

static uint32_t length(const ir_op *op, const char *name)
{
    ir_attr list = ir_op_attr(op, name);
    return list ? list->count : 0;
}

static uint32_t count_zeros(ir_attr list)
{
    uint32_t zeros = 0;
    for (uint32_t i = 0; list && i < list->count; i++)
        zeros += ir_dense_array_int(list, i) == 0;
    return zeros;
}

/* The number of loops: of the sizes that are not 0. */
static uint32_t count_loops(const ir_op *op, const char *sizes)
{
    return length(op, sizes) - count_zeros(ir_op_attr(op, sizes));
}

bool transform_verify_tile_using_for(ir_op *op)
{
    uint32_t sizes = length(op, "static_sizes"), scalable = length(op, "scalable_sizes");
    if (!shape_check_marks(op, ir_op_attr(op, "static_sizes"), 1, "size"))
        return false;
    uint32_t loops = count_loops(op, "static_sizes");
    if (sizes != scalable)
        return ir_op_error(op, "expected same number of sizes (%u) and scalable sizes (%u)",
                           sizes, scalable);
    return loops == op->n_results - 1 ||
           ir_op_error(op,
                       "expected number of loops to tile (%u) to match number of `loops` "
                       "results (%u)",
                       loops, op->n_results - 1);
}

bool transform_verify_tile_using_forall(ir_op *op)
{
    static const char *const names[] = {"num_threads", "tile_sizes"};
    static const char *const lists[] = {"static_num_threads", "static_tile_sizes"};
    bool any = false;
    for (uint32_t i = 0; i < TW_COUNT(names); i++) {
        size_t start, packed = 0;
        bool listed = length(op, lists[i]) > 0;
        if (!shape_check_marks(op, ir_op_attr(op, lists[i]), 1 + i, names[i]))
            return false;
        ir_op_operand_group(op, 3 + i, &start, &packed);
        if (listed && packed)
            return ir_op_error(op, "%s and packed_%s are mutually exclusive", names[i],
                               names[i]);
        any |= listed || packed;
    }
    return any || ir_op_error(op, "either (packed_)num_threads or (packed_)tile_sizes must "
                                  "be specified");
}

bool transform_verify_fuse(ir_op *op)
{
    ir_attr order = ir_op_attr(op, "static_tile_interchange");
    uint32_t rank = length(op, "static_tile_sizes");
    uint32_t loops =
        ir_op_attr(op, "use_forall") ? 1 : count_loops(op, "static_tile_sizes");
    if (order && order->count > rank)
        return ir_op_error(op,
                           "interchange length exceeds iteration space dimensions (%u), "
                           "found %s",
                           rank, ints_text(op, order));
    for (uint32_t i = 0; order && i < order->count; i++) {
        int64_t v = ir_dense_array_int(order, i);
        if (v == IR_DYNAMIC)
            continue;
        if (v < 0 || v >= rank)
            return ir_op_error(op,
                               "expects interchange values to be in range [0, %u), found: "
                               "%lld",
                               rank, (long long)v);
        for (uint32_t k = 0; k < i; k++)
            if (ir_dense_array_int(order, k) == v)
                return ir_op_error(op, "found duplicate interchange value: %lld",
                                   (long long)v);
    }
    return loops == op->n_results - 1 || ir_op_error(op, "expects %u loop results", loops);
}

bool transform_verify_pack_greedily(ir_op *op)
{
    ir_attr order = ir_op_attr(op, "matmul_inner_dims_order");
    ir_attr multiples = ir_op_attr(op, "matmul_padded_sizes_next_multiple_of");
    ir_attr sizes = ir_op_attr(op, "static_matmul_packed_sizes");
    if (!is_permutation(order))
        return ir_op_error(op, "\"matmul_inner_dims_order\" is not a valid permutation");
    for (uint32_t i = 0; multiples && i < multiples->count && i < sizes->count; i++)
        if (ir_dense_array_int(multiples, i) != 0 && ir_dense_array_int(sizes, i) != 0)
            return ir_op_error(
                op, "at most one of the packed_size and the "
                    "padded_sizes_next_multiple_of can be nonzero for the matmul "
                    "strategy");
    return true;
}

bool transform_verify_vectorize(ir_op *op)
{
    uint32_t sizes = length(op, "static_vector_sizes");
    uint32_t scalable = length(op, "scalable_sizes");
    return sizes == scalable ||
           ir_op_error(op,
                       "expected same number of vector sizes (%u) and scalable sizes (%u)",
                       sizes, scalable);
}

/* ---- padding, buffers --------------------------------------------------------------- */

static bool all_ints_within(ir_attr list, int64_t min, int64_t max)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        int64_t v = ir_attr_int(list->items[i], -1);
        if (v < min || v > max)
            return false;
    }
    return true;
}

static bool orders_all(ir_attr list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < list->count; k++)
            found |= ir_attr_int(list->items[k], -1) == i;
        if (!found)
            return false;
    }
    return true;
}

static bool is_one_of(ir_attr name, const char *const *names, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        if (tw_str_is(ir_attr_str(name), names[i]))
            return true;
    return false;
}

bool transform_verify_pad(ir_op *op)
{
    static const char *const copies[] = {"bufferization.materialize_in_destination",
                                         "linalg.copy", "none"};
    ir_attr flags = ir_op_attr(op, "nofold_flags");
    ir_attr dims = ir_op_attr(op, "padding_dimensions");
    ir_attr orders = ir_op_attr(op, "transpose_paddings");
    ir_attr copy = ir_op_attr(op, "copy_back_op");
    uint32_t multiples = length(op, "static_pad_to_multiple_of");
    if (!all_ints_within(flags, 0, 1))
        return ir_op_error(op, "expects nofold_flags to contain booleans (0/1), found %s",
                           ir_attr_text(op->ctx, flags));
    if (!all_ints_within(dims, 0, INT64_MAX))
        return ir_op_error(
            op, "expects padding_dimensions to contain positive integers, found %s",
            ir_attr_text(op->ctx, dims));
    if (multiples && multiples != (dims ? dims->count : 0))
        return ir_op_error(op, "expects as many multiples as padding_dimensions");
    for (uint32_t i = 0; orders && i < orders->count; i++)
        if (!orders_all(orders->items[i]))
            return ir_op_error(op,
                               "expects transpose_paddings to be a permutation, found %s",
                               ir_attr_text(op->ctx, orders->items[i]));
    return !copy || is_one_of(copy, copies, TW_COUNT(copies)) ||
           ir_op_error(op, "invalid copy_back_op");
}

bool transform_verify_bufferize(ir_op *op)
{
    static const char *const copies[] = {"bufferization.materialize_in_destination",
                                         "memref.copy", "linalg.copy"};
    static const char *const allocs[] = {"memref.alloc", "memref.alloca"};
    if (!is_one_of(ir_op_attr(op, "memcpy_op"), copies, TW_COUNT(copies)))
        return ir_op_error(op, "unsupported memcpy op");
    return is_one_of(ir_op_attr(op, "alloc_op"), allocs, TW_COUNT(allocs)) ||
           ir_op_error(op, "unsupported alloc op");
}

/* ---- parameters, conversions -------------------------------------------------------- */

/* A count is a 64-bit integer. */
bool transform_verify_num_associations(ir_op *op)
{
    ir_type type = op->results[0].type;
    const char *zero = ir_attr_text(op->ctx, ir_i64_attr(op->ctx, 0));
    if (type->def == TRANSFORM_TYPE(param) &&
        !ir_type_is_signless(type->params[0]->type, 64))
        return ir_error_at_op(op,
                              "expected the type of the parameter attribute (%s) to match "
                              "the parameter type ('%s')",
                              zero, ir_type_text(op->ctx, type->params[0]->type));
    if (type->def == TRANSFORM_TYPE(type))
        return ir_error_at_op(op, "expected the attribute to be a type attribute");
    return true;
}

bool transform_verify_dialect_to_llvm(ir_op *op)
{
    ir_attr name = ir_op_attr(op, "dialect_name");
    return ir_context_dialect(op->ctx, ir_attr_str(name)) ||
           ir_op_error(op, "unknown dialect or dialect not loaded: %.*s",
                       (int)ir_attr_str(name).size, ir_attr_str(name).data);
}

/* ---- attributes on operations ------------------------------------------------------- */

bool transform_verify_discardable(ir_op *op, ir_named_attr attr)
{
    static const char *const marks[] = {"transform.consumed", "transform.readonly",
                                        "transform.silence_tracking_failures"};
    const char *name = attr.name->text;
    if (strcmp(name, "transform.with_named_sequence") == 0)
        return op->def->traits & IR_SYMBOL_TABLE
                   ? transform_check_recursion(op)
                   : ir_error_at_op(op,
                                    "\"%s\" attribute can only be attached to operations "
                                    "with symbol tables",
                                    name);
    if (strcmp(name, "transform.target_tag") == 0)
        return ir_attr_is(attr.value, IR_ATTR_STRING) ||
               ir_error_at_op(op, "\"%s\" attribute must be a string", name);
    for (size_t i = 0; i < TW_COUNT(marks); i++)
        if (strcmp(name, marks[i]) == 0)
            return ir_attr_is(attr.value, IR_ATTR_UNIT) ||
                   ir_error_at_op(op, "\"%s\" must be a unit attribute", name);
    return ir_error_at_op(op, "unknown attribute: \"%s\"", name);
}

/* ---- loops and affine operations ---------------------------------------------------- */

bool transform_verify_bounded(ir_op *op)
{
    static const struct {
        const char *name, *text;
    } lists[] = {{"lower_bounds", "lower"}, {"upper_bounds", "upper"}};
    for (size_t i = 0; i < TW_COUNT(lists); i++) {
        uint32_t count = ir_op_attr(op, lists[i].name)->count;
        if (count != op->n_operands - 1)
            return ir_op_error(op,
                               "incorrect number of %s bounds, expected %u but found %u",
                               lists[i].text, op->n_operands - 1, count);
    }
    return true;
}

bool transform_verify_tile_sizes(ir_op *op)
{
    ir_attr sizes = ir_op_attr(op, "tile_sizes");
    if (!sizes->count)
        return ir_op_error(op, "expects the size of one loop's tiles at least");
    for (uint32_t i = 0; i < sizes->count; i++)
        if (ir_dense_array_int(sizes, i) <= 0)
            return ir_op_error(op, "expects tile sizes above 0, got %lld",
                               (long long)ir_dense_array_int(sizes, i));
    return true;
}
