/* stablehlo_calls.c: verifies custom calls, composites, communication with hosts and
 * other devices, and asynchronous operations. */
#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"
#include "stablehlo/stablehlo_hooks.h"
#include "stablehlo/stablehlo_verify.h"
#include "support/strbuf.h"

#include <ctype.h>
#include <stdlib.h>

#define FAIL(...) ir_error(op->ctx, op->loc, __VA_ARGS__)

static const char *text(ir_op *op, ir_type type)
{
    return ir_type_text(op->ctx, type);
}

static bool is_tensor(ir_type type)
{
    return type->kind == IR_TYPE_TENSOR || type->kind == IR_TYPE_UNRANKED_TENSOR;
}

/* ---- infeed, send and recv ---------------------------------------------------------- */

/* Results must be tensors, then a token. */
static bool check_received(ir_op *op, const char *all_but_last)
{
    if (op->n_results == 0)
        return FAIL("result is expected to be at least of size 1, but got 0");
    for (uint32_t i = 0; i + 1 < op->n_results; i++)
        if (!is_tensor(op->results[i].type))
            return FAIL("%s, but got '%s'", all_but_last, text(op, op->results[i].type));
    ir_type last = op->results[op->n_results - 1].type;
    return stablehlo_is_token(last) ||
           FAIL("last element of result types is expected to be of token "
                "type, but got '%s'",
                text(op, last));
}

bool stablehlo_verify_infeed(ir_op *op)
{
    ir_attr layout = ir_op_attr(op, "layout");
    if (!check_received(op, "all elements of result types, except the last element, are "
                            "expected to be of tensor type"))
        return false;
    if (!layout)
        return true;
    if (layout->count != op->n_results - 1)
        return FAIL("layout-attribute size must be %u (which is the number of op-results - "
                    "1 (for token result)), but got %u",
                    op->n_results - 1, layout->count);
    for (uint32_t i = 0; i < layout->count; i++) {
        ir_attr child = layout->items[i];
        if (!ir_attr_is(child, IR_ATTR_ARRAY))
            return FAIL("layout-attribute expected to have elements of type array, but got "
                        "%s",
                        ir_attr_text(op->ctx, child));
        for (uint32_t k = 0; k < child->count; k++)
            if (!ir_attr_is(child->items[k], IR_ATTR_INTEGER))
                return FAIL("layout-attribute's leaf elements are expected to be of type "
                            "integer, but got %s",
                            ir_attr_text(op->ctx, child->items[k]));
    }
    return true;
}

/* Channel types. */
enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

static bool check_channel_type(ir_op *op, int64_t with_host, const char *name)
{
    ir_attr channel = ir_op_attr(op, "channel_handle");
    int64_t type = channel ? ir_attr_int(ir_attr_param(channel, "type"), 0) : 0;
    bool host = ir_op_bool(op, "is_host_transfer");
    if (type == (host ? with_host : DEVICE_TO_DEVICE))
        return true;
    return FAIL("channel_type should be %s when is_host_transfer is %s",
                host ? name : "DEVICE_TO_DEVICE", host ? "true" : "false");
}

bool stablehlo_infer_send(ir_op *op, chk_types *out)
{
    return check_channel_type(op, DEVICE_TO_HOST, "DEVICE_TO_HOST") &&
           stablehlo_infer_token(op, out);
}

bool stablehlo_verify_recv(ir_op *op)
{
    return check_channel_type(op, HOST_TO_DEVICE, "HOST_TO_DEVICE") &&
           check_received(op, "everything but the last element of result types is expected "
                              "to be of tensor type");
}

/* ---- async -------------------------------------------------------------------------- */

static bool may_be_async(const ir_op *op)
{
    static const uint16_t rows[] = {
        STABLEHLO_all_gather,         STABLEHLO_all_reduce,
        STABLEHLO_all_to_all,         STABLEHLO_collective_broadcast,
        STABLEHLO_collective_permute, STABLEHLO_collective_reduce,
        STABLEHLO_dynamic_slice,      STABLEHLO_dynamic_update_slice,
        STABLEHLO_reduce_scatter,     STABLEHLO_slice};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &stablehlo_ops[rows[i]])
            return true;
    return false;
}

bool stablehlo_infer_async_start(ir_op *op, chk_types *out)
{
    ir_block *body = ir_op_body(op, 0);
    ir_op *end = stablehlo_end_of(op, 0);
    if (!body)
        return ir_op_error(op, "region must not be empty");
    if (!body->first || body->first->next != body->last || body->first == body->last)
        return ir_op_error(op, "region must contain exactly one operation and a return");
    if (!may_be_async(body->first))
        return ir_op_error(op, "region must contain a collective or slice operation");
    if (op->n_operands != body->n_args)
        return ir_op_error(op,
                           "number of operands (%u) must match number of region arguments "
                           "(%u)",
                           op->n_operands, body->n_args);
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (op->operands[i].value->type != body->args[i]->type)
            return ir_op_error(
                op, "operand type '%s' at index %u must match region argument type '%s'",
                text(op, op->operands[i].value->type), i, text(op, body->args[i]->type));
    if (!end)
        return ir_op_error(op, "region must have a terminator");
    if (end->n_operands != 1)
        return ir_op_error(op, "region must return exactly one value, but got %u",
                           end->n_operands);
    ir_attr type = ir_type_attr(end->operands[0].value->type);
    ir_attr list = ir_array_attr(op->ctx, &type, 1);
    ir_type future = ir_dialect_type(op->ctx, STABLEHLO_TYPE(future), &list, 1);
    return stablehlo_set_types(out, &future, 1);
}

bool stablehlo_infer_async_done(ir_op *op, chk_types *out)
{
    ir_type future = op->operands[0].value->type;
    if (future->kind != IR_TYPE_DIALECT || future->def != STABLEHLO_TYPE(future))
        return ir_op_error(op, "operand must be a future type");
    ir_attr list = future->params[0];
    if (!list || list->count != 1)
        return ir_op_error(op, "future must have exactly one type parameter, but got %u",
                           list ? list->count : 0);
    return stablehlo_set_types(out, &list->items[0]->type, 1);
}

/* ---- composites --------------------------------------------------------------------- */

/* letter { letter | digit | "_" } { "." { letter | digit | "_" | "$" }+ }+ */
static bool is_namespaced(tw_str name)
{
    size_t dots = 0, length = 0;
    if (!name.size || !isalpha((unsigned char)name.data[0]))
        return false;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool word = isalnum((unsigned char)c) || c == '_' || (dots && c == '$');
        if (c == '.' && length == 0)
            return false;
        if (c != '.' && !word)
            return false;
        dots += c == '.';
        length = c == '.' ? 0 : length + 1;
    }
    return dots && length;
}

static bool check_decomposed(ir_op *op, const char *what, size_t i, ir_type own,
                             ir_type wanted)
{
    return own == wanted ||
           FAIL("%s at index %zu has type '%s', but decomposition has type '%s'", what, i,
                text(op, own), text(op, wanted));
}

bool stablehlo_verify_composite(ir_op *op)
{
    ir_attr callee = ir_op_attr(op, "decomposition");
    ir_op *function = ir_symbol_resolve(op, callee);
    tw_str leaf = ir_symbol_leaf(callee);
    if (!is_namespaced(ir_attr_str(ir_op_attr(op, "name"))))
        return FAIL("name must be a valid namespaced op name, i.e. it must match the "
                    "following regular expression: "
                    "^[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+$ e.g. "
                    "\"my_namespace.my_op\"");
    ir_attr attr = function ? ir_op_attr(function, "function_type") : NULL;
    if (!ir_op_is(function, FUNC_OP(func)) || !ir_attr_is(attr, IR_ATTR_TYPE))
        return FAIL("'%.*s' does not reference a valid function", (int)leaf.size,
                    leaf.data);
    ir_type type = attr->type;
    if (op->n_operands != type->count)
        return FAIL("has %u operand(s), but decomposition has %u", op->n_operands,
                    type->count);
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!check_decomposed(op, "operand", i, op->operands[i].value->type,
                              type->types[i]))
            return false;
    if (op->n_results != type->results)
        return FAIL("has %u result(s), but decomposition has %u", op->n_results,
                    type->results);
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!check_decomposed(op, "result", i, op->results[i].type,
                              type->types[type->count + i]))
            return false;
    return true;
}

/* ---- custom calls: layouts ---------------------------------------------------------- */

static bool is_order(ir_attr layout, uint32_t rank)
{
    int64_t dims[64];
    uint64_t seen = 0;
    int64_t n = ir_attr_ints(layout, dims, 64);
    for (int64_t i = 0; n == rank && i < n && i < 64; i++) {
        if (dims[i] < 0 || dims[i] >= n)
            return false;
        seen |= UINT64_C(1) << dims[i];
    }
    return n == rank && (n >= 64 || seen == (UINT64_C(1) << n) - 1);
}

static bool check_layout(ir_op *op, const char *what, uint32_t i, ir_type type,
                         ir_attr layout)
{
    if (type->kind == IR_TYPE_TUPLE)
        return ir_op_error(
            op, "Tuple types are not fully supported with layout constraints yet");
    if (!ir_type_is_shaped(type))
        return ir_attr_ints(layout, NULL, 0) == 0 ||
               ir_op_error(op,
                           "Only tensor types can have non-empty layout: %s #%u of type "
                           "'%s' has layout %s",
                           what, i, text(op, type), ir_attr_text(op->ctx, layout));
    return !ir_type_is_ranked(type) || is_order(layout, type->count) ||
           ir_op_error(op,
                       "incorrect layout %s for type '%s', layout must be a permutation of "
                       "[0, %u)",
                       ir_attr_text(op->ctx, layout), text(op, type), type->count);
}

static bool check_layouts(ir_op *op, const char *what, const ir_type *types, uint32_t n,
                          ir_attr layouts)
{
    if (n != layouts->count)
        return ir_op_error(op,
                           "Number of %ss must match the number of %s layouts, %u != %u",
                           what, what, n, layouts->count);
    for (uint32_t i = 0; i < n; i++)
        if (!check_layout(op, what, i, types[i], layouts->items[i]))
            return false;
    return true;
}

/* The result types as a list: the members, if the only result is a tuple. */
static ir_type result_tuple(ir_op *op)
{
    if (op->n_results == 1 && op->results[0].type->kind == IR_TYPE_TUPLE)
        return op->results[0].type;
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    ir_type all = ir_tuple_type(op->ctx, types, op->n_results);
    free(types);
    return all;
}

static bool check_call_layouts(ir_op *op)
{
    ir_attr in = ir_op_attr(op, "operand_layouts"), out = ir_op_attr(op, "result_layouts");
    if (!in && !out)
        return true;
    if (!in || !out)
        return ir_op_error(op, "Layout attributes should be specified for either both "
                               "operands and results or none.");
    ir_type *types = tw_xmalloc((op->n_operands + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_operands; i++)
        types[i] = op->operands[i].value->type;
    bool ok = check_layouts(op, "operand", types, op->n_operands, in);
    free(types);
    ir_type results = result_tuple(op);
    return ok && check_layouts(op, "result", results->types, results->count, out);
}

/* ---- custom calls: aliases ---------------------------------------------------------- */

enum { OUTPUT, OPERAND, INSIDE }; /* parameters of #stablehlo.output_operand_alias */

/* The member of a type at a path of tuple indices; NULL if there is none. */
static ir_type part_at(ir_type type, ir_attr path)
{
    for (uint32_t i = 0; path && i < path->count; i++) {
        int64_t k = path->items[i]->value;
        if (type->kind != IR_TYPE_TUPLE || k < 0 || k >= type->count)
            return NULL;
        type = type->types[k];
    }
    return type;
}

static ir_type full_output(ir_op *op)
{
    return op->n_results == 1 ? op->results[0].type : result_tuple(op);
}

static bool check_alias(ir_op *op, ir_attr alias)
{
    int64_t i = ir_attr_int(alias->params[OPERAND], 0);
    if (i < 0 || i >= op->n_operands)
        return ir_op_error(op,
                           "expects operandIndex in the output_operand_alias attribute to "
                           "be in range [0, %u); got: %lld.",
                           op->n_operands, (long long)i);
    ir_type from = part_at(op->operands[i].value->type, alias->params[INSIDE]);
    if (!from)
        return ir_op_error(op, "operand_tuple_indices in the output_operand_alias "
                               "attribute out of bounds");
    ir_type to = part_at(full_output(op), alias->params[OUTPUT]);
    if (!to)
        return ir_op_error(op, "output_tuple_indices in the output_operand_alias attribute "
                               "out of bounds");
    return from == to ||
           ir_op_error(op,
                       "shapes mismatch in the output_operand_alias attribute: operand "
                       "part has type '%s' and output part has type '%s'",
                       text(op, from), text(op, to));
}

static void put_path(tw_strbuf *out, ir_attr path)
{
    tw_strbuf_putc(out, '[');
    for (uint32_t i = 0; path && i < path->count; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)path->items[i]->value);
    tw_strbuf_putc(out, ']');
}

static bool fail_buffer(ir_op *op, const char *what, int64_t index, ir_attr path,
                        const char *problem)
{
    tw_strbuf where = {0};
    if (index >= 0)
        tw_strbuf_printf(&where, "%lld", (long long)index);
    put_path(&where, path);
    ir_op_error(op, "buffer %s %s is %s", what, tw_strbuf_text(&where), problem);
    tw_strbuf_free(&where);
    return false;
}

static bool is_aliased(ir_attr aliases, ir_attr path)
{
    for (uint32_t i = 0; aliases && i < aliases->count; i++)
        if (aliases->items[i]->params[OUTPUT] == path)
            return true;
    return false;
}

static bool has_buffer(ir_type type)
{
    bool found = type->kind == IR_TYPE_MEMREF;
    for (uint32_t i = 0; type->kind == IR_TYPE_TUPLE && !found && i < type->count; i++)
        found = has_buffer(type->types[i]);
    return found;
}

/* Every buffer among the results must alias an operand. */
static bool check_buffer_results(ir_op *op, ir_type type, int64_t *path, size_t depth,
                                 ir_attr aliases)
{
    ir_attr items[16];
    if (type->kind == IR_TYPE_TUPLE && depth == TW_COUNT(items))
        return !has_buffer(type) ||
               ir_op_error(op, "tuples of buffers nest at most %zu levels",
                           TW_COUNT(items));
    if (type->kind == IR_TYPE_TUPLE) {
        for (uint32_t i = 0; i < type->count; i++) {
            path[depth] = i;
            if (!check_buffer_results(op, type->types[i], path, depth + 1, aliases))
                return false;
        }
        return true;
    }
    if (type->kind != IR_TYPE_MEMREF)
        return true;
    for (size_t i = 0; i < depth; i++)
        items[i] = ir_raw_int(op->ctx, path[i]);
    ir_attr list = ir_array_attr(op->ctx, items, depth);
    return is_aliased(aliases, list) ||
           fail_buffer(op, "output", -1, list, "not used in output_operand_alias");
}

/* A buffer may be aliased once. */
static bool check_buffers(ir_op *op, ir_attr aliases)
{
    static const char twice[] = "used in output_operand_alias more than once";
    int64_t path[17];
    for (uint32_t i = 0; aliases && i < aliases->count; i++) {
        const ir_attr *a = aliases->items[i]->params;
        ir_type part =
            part_at(op->operands[ir_attr_int(a[OPERAND], 0)].value->type, a[INSIDE]);
        for (uint32_t k = 0; part->kind == IR_TYPE_MEMREF && k < i; k++) {
            const ir_attr *b = aliases->items[k]->params;
            if (a[OUTPUT] == b[OUTPUT])
                fail_buffer(op, "output", -1, a[OUTPUT], twice);
            if (a[OPERAND] == b[OPERAND] && a[INSIDE] == b[INSIDE])
                fail_buffer(op, "operand", ir_attr_int(a[OPERAND], 0), a[INSIDE], twice);
            if (a[OUTPUT] == b[OUTPUT] ||
                (a[OPERAND] == b[OPERAND] && a[INSIDE] == b[INSIDE]))
                break;
        }
    }
    return check_buffer_results(op, full_output(op), path, 0, aliases);
}

/* ---- custom calls: known targets ---------------------------------------------------- */

typedef enum holds { NOTHING, A_TENSOR, A_BUFFER } holds;

/* Targets that create, write and read buffers, with their operands and results. */
static const struct target {
    const char *name;
    holds in, out;
    const char *result; /* "result" or "output", as their messages say */
} targets[] = {
    {"CreateBuffer", NOTHING, A_BUFFER, "result"},
    {"Pin", A_TENSOR, A_BUFFER, "output"},
    {"Unpin", A_BUFFER, A_TENSOR, "output"},
};

static bool holds_it(ir_type type, holds what)
{
    return what == A_BUFFER ? type->kind == IR_TYPE_MEMREF : is_tensor(type);
}

static const char *named(holds what)
{
    return what == A_BUFFER ? "memref" : "tensor";
}

static bool check_target(ir_op *op, const struct target *t)
{
    if (t->in == NOTHING && op->n_operands)
        return ir_op_error(op, "%s custom_call shouldn't have any inputs", t->name);
    if (t->in != NOTHING && op->n_operands != 1)
        return ir_op_error(op, "%s custom_call should have one input", t->name);
    ir_type in = op->n_operands ? op->operands[0].value->type : NULL;
    if (in && !holds_it(in, t->in))
        return ir_op_error(op, "%s custom_call should have a %s input", t->name,
                           named(t->in));
    if (op->n_results != 1)
        return ir_op_error(op, "%s custom_call should have one %s", t->name, t->result);
    ir_type out = op->results[0].type;
    if (!holds_it(out, t->out))
        return ir_op_error(op, "%s custom_call should have a %s %s", t->name, named(t->out),
                           t->result);
    return !in || (stablehlo_shapes_fit(in, out) && in->element == out->element) ||
           ir_op_error(op, "%s custom_call should have compatible input and output types",
                       t->name);
}

static bool check_backend_config(ir_op *op)
{
    ir_attr config = ir_op_attr(op, "backend_config");
    int64_t version = ir_op_int(op, "api_version", 1);
    bool typed = version == STABLEHLO_CustomCallApiVersion_API_VERSION_TYPED_FFI;
    const ir_enum_case *c = ir_enum_by_value(&stablehlo_enum_CustomCallApiVersion, version);
    return !config || ir_attr_is(config, typed ? IR_ATTR_DICT : IR_ATTR_STRING) ||
           ir_op_error(op, "backend_config for api_version %s must be a %s attribute.",
                       c ? c->text : "?", typed ? "dictionary" : "string");
}

bool stablehlo_verify_custom_call(ir_op *op)
{
    ir_attr aliases = ir_op_attr(op, "output_operand_aliases");
    tw_str name = ir_attr_str(ir_op_attr(op, "call_target_name"));
    if (!check_call_layouts(op))
        return false;
    for (uint32_t i = 0; aliases && i < aliases->count; i++)
        if (!check_alias(op, aliases->items[i]))
            return false;
    if (!check_backend_config(op))
        return false;
    for (size_t i = 0; i < TW_COUNT(targets); i++)
        if (tw_str_is(name, targets[i].name))
            return check_target(op, &targets[i]);
    return check_buffers(op, aliases);
}
