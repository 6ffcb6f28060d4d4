/* convert_ttnn_to_emitc.c: functions of TTNN become C++ in emitc.
 *
 * Operations are converted from the last to the first, so that types of operands still say
 * what they are. Results of functions of constants are kept in globals, as the headers of
 * ttnn's runtime expect. */
#include "mlir/arith/arith.h"
#include "mlir/builtin/builtin.h"
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_build.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/to_emitc/ttnn_to_emitc.h"
#include "ttnn/ttnn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_TYPE "::std::function<" CPP_VECTOR_TYPE "(" CPP_VECTOR_TYPE ")>"
#define FUNCTION_OF_NOTHING "::std::function<" CPP_VECTOR_TYPE "()>"

ir_type cpp_type(ir_type t)
{
    if (t->kind == IR_TYPE_TENSOR) {
        bool trace = t->encoding && ir_attr_is(t->encoding, IR_ATTR_DIALECT) &&
                     t->encoding->def == TTNN_ATTR(trace_id);
        return emitc_opaque_type(t->ctx, trace ? "ttnn::MeshTraceId" : CPP_TENSOR_TYPE);
    }
    if (t->kind == IR_TYPE_TUPLE)
        return emitc_opaque_type(t->ctx, CPP_VECTOR_TYPE);
    if (t->kind != IR_TYPE_DIALECT)
        return t;
    if (t->def == TTNN_TYPE(device))
        return emitc_ptr_type(emitc_opaque_type(t->ctx, "ttnn::distributed::MeshDevice"));
    if (t->def == TTNN_TYPE(global_semaphore))
        return emitc_opaque_type(t->ctx, "::ttnn::GlobalSemaphore");
    return t;
}

/* ---- calls --------------------------------------------------------------------------- */

ir_value *cpp_call(ir_builder *b, const char *callee, ir_type type,
                   ir_value *const *operands, size_t n, ir_attr args, ir_attr templates)
{
    ir_attr_by_name attrs[] = {
        {"callee", ir_string_attr(b->ctx, tw_str_from(callee))},
        {"args", args},
        {"template_args", templates},
    };
    ir_op *made = ir_build_op(b, EMITC_OP(call_opaque), &type, type != NULL, operands, n,
                              attrs, TW_COUNT(attrs), 0);
    return type ? &made->results[0] : NULL;
}

ir_value *cpp_list(ir_builder *b, ir_value *const *values, uint32_t count)
{
    return cpp_call(b, "util_create_vec", emitc_opaque_type(b->ctx, CPP_VECTOR_TYPE),
                    values, count, NULL, NULL);
}

ir_value *cpp_element(ir_builder *b, ir_value *list, int64_t i, const char *type)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)i);
    ir_type element = emitc_opaque_type(b->ctx, type);
    ir_value *index = emitc_literal(b, ir_index_type(b->ctx), text);
    ir_value *item = ir_build1(b, EMITC_OP(subscript), emitc_lvalue_type(element),
                               IR_VALUES(list, index), NULL, 0);
    return ir_build1(b, EMITC_OP(load), element, IR_VALUES(item), NULL, 0);
}

ir_value *cpp_part(ir_builder *b, ir_value *tuple, uint32_t i)
{
    ir_attr index = ir_integer_attr(ir_integer_type(b->ctx, 32, IR_SIGNLESS), i);
    return cpp_call(b, "::std::get", emitc_opaque_type(b->ctx, CPP_TENSOR_TYPE), &tuple, 1,
                    NULL, ir_array_attr(b->ctx, &index, 1));
}

ir_type cpp_tuple_type(ir_context *ctx, uint32_t n)
{
    tw_strbuf text = {0};
    tw_strbuf_puts(&text, "::std::tuple<");
    for (uint32_t i = 0; i < n; i++)
        tw_strbuf_puts(&text, i ? ", " CPP_TENSOR_TYPE : CPP_TENSOR_TYPE);
    tw_strbuf_putc(&text, '>');
    ir_type made = emitc_opaque_type(ctx, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return made;
}

/* What a function returns that does not return just the tensor. */
static ir_type returned_type(ir_context *ctx, int results, uint32_t n)
{
    static const char *const texts[] = {
        [CPP_FIRST] = "auto",
        [CPP_VECTOR] = CPP_VECTOR_TYPE,
        [CPP_PAIR] = "::std::array<::ttnn::Tensor, 2>",
        [CPP_TRIPLE] = "::std::array<::ttnn::Tensor, 3>",
        [CPP_OPTIONALS] = "::std::vector<::std::optional<::ttnn::Tensor>>",
    };
    return results == CPP_TUPLE ? cpp_tuple_type(ctx, n)
                                : emitc_opaque_type(ctx, texts[results]);
}

static ir_value *found_in(ir_builder *b, ir_value *all, int results, uint32_t i)
{
    if (results == CPP_TUPLE || results == CPP_FIRST)
        return cpp_part(b, all, i);
    if (results != CPP_OPTIONALS)
        return cpp_element(b, all, i, CPP_TENSOR_TYPE);
    ir_value *optional = cpp_element(b, all, i, "::std::optional<::ttnn::Tensor>");
    return cpp_call(b, "util_get_optional_value",
                    emitc_opaque_type(b->ctx, CPP_TENSOR_TYPE), &optional, 1, NULL, NULL);
}

static void finish_call(ttnn_call *c, const ttnn_call_row *row, const char *callee)
{
    ir_op *op = c->op;
    ir_attr args = ir_array_attr(op->ctx, c->args, c->n_args);
    bool plain = row->results == CPP_TENSOR;
    assert(!plain || op->n_results <= 1);
    ir_type type = !op->n_results ? NULL
                   : plain        ? cpp_type(op->results[0].type)
                                  : returned_type(op->ctx, row->results, op->n_results);
    ir_value *made = cpp_call(&c->b, callee, type, c->operands, c->n_operands, args, NULL);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i],
                              plain ? made : found_in(&c->b, made, row->results, i));
    ir_op_erase(op);
}

/* ttnn.add is called ttnn::add unless the row says otherwise. */
static bool convert_call(ir_op *op)
{
    const ttnn_call_row *row = ttnn_find_call(cpp_calls, op->def);
    ttnn_call c = {.language = &cpp_language, .b = ir_builder_before(op), .op = op};
    char own[96];
    if (!row)
        return ttnn_no_form(&cpp_language, op);
    if (!ttnn_call_arguments(&c, row->args))
        return false;
    snprintf(own, sizeof own, "ttnn::%s", op->def->name + strlen("ttnn."));
    finish_call(&c, row, row->callee ? row->callee : own);
    return true;
}

/* What returns several tensors returns a tuple of them. */
static void convert_func_call(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    tw_strbuf callee = {0};
    tw_str name = ir_symbol_leaf(ir_op_attr(op, "callee"));
    ir_value **values = tw_xmalloc((op->n_operands + 1u) * sizeof *values);
    for (uint32_t i = 0; i < op->n_operands; i++)
        values[i] = op->operands[i].value;
    const uint32_t n = op->n_results;
    ir_type type = n == 0   ? NULL
                   : n == 1 ? cpp_type(op->results[0].type)
                            : cpp_tuple_type(op->ctx, n);
    tw_strbuf_printf(&callee, "::%.*s", (int)name.size, name.data);
    ir_value *made =
        cpp_call(&b, tw_strbuf_text(&callee), type, values, op->n_operands, NULL, NULL);
    for (uint32_t i = 0; i < n; i++)
        ir_value_replace_uses(&op->results[i], n == 1 ? made : cpp_part(&b, made, i));
    tw_strbuf_free(&callee);
    free(values);
    ir_op_erase(op);
}

/* ---- tuples and cached functions ----------------------------------------------------- */

/* static std::vector<Tensor> g_cached_result_NAME before the function and what it has
 * already; its name. */
static ir_attr make_cache(ir_op *op, tw_str callee)
{
    ir_op *first = ir_op_parent(op);
    while (first->prev && ir_op_is(first->prev, EMITC_OP(global)))
        first = first->prev;
    ir_builder b = ir_builder_before(first);
    tw_strbuf name = {0};
    tw_strbuf_printf(&name, "g_cached_result_%.*s", (int)callee.size, callee.data);
    ir_attr symbol = ir_symbol_ref(op->ctx, tw_str_from(tw_strbuf_text(&name)));
    ir_attr text = ir_string_attr(op->ctx, tw_str_from(tw_strbuf_text(&name)));
    tw_strbuf_free(&name);
    ir_build_op(
        &b, EMITC_OP(global), NULL, 0, NULL, 0,
        IR_ATTRS({"sym_name", text},
                 {"type", ir_type_attr(emitc_opaque_type(op->ctx, CPP_VECTOR_TYPE))},
                 {"static_specifier", ir_unit_attr(op->ctx)}),
        0);
    return symbol;
}

static void convert_load_cached(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    ir_context *ctx = op->ctx;
    ir_type vector = emitc_opaque_type(ctx, CPP_VECTOR_TYPE);
    tw_str callee = ir_symbol_leaf(ir_op_attr(op, "callee"));
    ir_attr cache = make_cache(op, callee);
    tw_strbuf address = {0};
    tw_strbuf_printf(&address, "&%.*s", (int)callee.size, callee.data);
    ir_value *args[3], **values = tw_xmalloc((op->n_operands + 1u) * sizeof *values);
    size_t n = 0;
    args[n++] = ir_build1(
        &b, EMITC_OP(constant),
        emitc_opaque_type(ctx, op->n_operands ? FUNCTION_TYPE : FUNCTION_OF_NOTHING), NULL,
        0, IR_ATTRS({"value", emitc_opaque_attr(ctx, tw_strbuf_text(&address))}));
    tw_strbuf_free(&address);
    for (uint32_t i = 0; i < op->n_operands; i++)
        values[i] = op->operands[i].value;
    if (op->n_operands)
        args[n++] = cpp_list(&b, values, op->n_operands);
    free(values);
    ir_value *global = ir_build1(&b, EMITC_OP(get_global), emitc_lvalue_type(vector), NULL,
                                 0, IR_ATTRS({"name", cache}));
    args[n++] =
        ir_build1(&b, EMITC_OP(apply), emitc_ptr_type(vector), IR_VALUES(global),
                  IR_ATTRS({"applicableOperator", ir_string_attr(ctx, TW_STR("&"))}));
    cpp_call(&b,
             op->n_operands ? "ttnn::constEvalFuncWrapper"
                            : "ttnn::constEvalFuncWrapperZeroArg",
             NULL, args, n, NULL, NULL);
    ir_value *all = ir_build1(&b, EMITC_OP(load), vector, IR_VALUES(global), NULL, 0);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], cpp_element(&b, all, i, CPP_TENSOR_TYPE));
    ir_op_erase(op);
}

static bool replace(ir_op *op, ir_value *by)
{
    ir_value_replace_uses(&op->results[0], by);
    ir_op_erase(op);
    return true;
}

static bool convert_op(ir_op *op)
{
    ir_builder b = ir_builder_before(op);
    if (strncmp(op->def->name, "ttnn.", 5) == 0)
        return convert_call(op);
    if (op->def == TTCORE_OP(load_cached)) {
        convert_load_cached(op);
        return true;
    }
    if (op->def == TTCORE_OP(get_tuple_element))
        return replace(op, cpp_element(&b, op->operands[0].value,
                                       ir_op_attr(op, "index")->value, CPP_TENSOR_TYPE));
    if (op->def == TTCORE_OP(tuple)) {
        ir_value **values = tw_xmalloc((op->n_operands + 1u) * sizeof *values);
        for (uint32_t i = 0; i < op->n_operands; i++)
            values[i] = op->operands[i].value;
        ir_value *made = cpp_list(&b, values, op->n_operands);
        free(values);
        return replace(op, made);
    }
    if (op->def == ARITH_OP(constant))
        return replace(op, ir_build1(&b, EMITC_OP(constant), op->results[0].type, NULL, 0,
                                     IR_ATTRS({"value", ir_op_attr(op, "value")})));
    if (op->def == FUNC_OP(call)) {
        convert_func_call(op);
        return true;
    }
    return op->def == FUNC_OP(return ) || strncmp(op->def->name, "emitc.", 6) == 0 ||
           ttnn_no_form(&cpp_language, op);
}

/* ---- the pass ------------------------------------------------------------------------ */

static ir_type convert_type(ir_type t, void *user)
{
    (void)user;
    return cpp_type(t);
}

static bool convert_function(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    func_convert_types(func, convert_type, NULL);
    if (cpp_is_of_host(func))
        return cpp_convert_host_function(func);
    ir_op_set_attr(func, "arg_attrs", NULL);
    if (!entry)
        return true;
    if (entry->next)
        return ir_op_error(func, "has branches; there is no form of them in C++ yet");
    for (ir_op *op = entry->last, *prev; op; op = prev) {
        prev = op->prev;
        if (!convert_op(op))
            return false;
    }
    for (uint32_t i = 0; i < entry->n_args; i++)
        entry->args[i]->type = cpp_type(entry->args[i]->type);
    return true;
}

static bool is_function(const ir_op *op)
{
    return op->def == FUNC_OP(func);
}

static bool is_device(const ir_op *op)
{
    return op->def == TTCORE_OP(device);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    if (!ir_op_body(module, 0) || !ir_op_body(module, 0)->first)
        return ir_op_error(module, "is empty: there is nothing to convert to C++");
    bool ok = cpp_convert_traces(module);
    ir_op_list functions = ir_ops_in(module, is_function);
    for (size_t i = 0; ok && i < functions.n; i++)
        ok = convert_function(functions.at[i]);
    ir_op_list_free(&functions);
    if (!ok)
        return false;
    ir_visit_ops(module, is_device, ir_op_erase);
    module->attrs = NULL;
    ir_builder b = ir_builder_at_start(module->ctx, ir_op_body(module, 0), module->loc);
    ir_build_op(
        &b, EMITC_OP(include), NULL, 0, NULL, 0,
        IR_ATTRS({"include", ir_string_attr(b.ctx, TW_STR("ttnn-precompiled.hpp"))}), 0);
    return true;
}

const pass_def convert_ttnn_to_emitc_pass = {
    .name = "convert-ttnn-to-emitc",
    .title = "ConvertTTNNToEmitC",
    .summary = "Convert TTNN dialect to EmitC dialect",
    .run = run,
};
