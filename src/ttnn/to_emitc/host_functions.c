/* host_functions.c: functions that a program computes on the host (ttcore.cpu_module), in
 * C++: the source holds their text in TTIR, which a call of the library compiles once.
 *
 *   emitc-embed-host-functions   writes each function's text into its declaration, before
 *                                the module for the host is erased
 *   convert-ttnn-to-emitc        makes the declaration a function:
 *                                  return ttir_cpu::call(R"ttir(...)ttir", {v1, v2})[0]; */
#include "ir/text.h"
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/emitc_build.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/to_emitc/ttnn_to_emitc.h"

#include <stdlib.h>
#include <string.h>

static const char text_attr[] = "tt.host_function";

bool cpp_is_of_host(const ir_op *func)
{
    ir_attr type = ir_op_attr(func, "tt.function_type");
    return func->def == FUNC_OP(func) && !ir_op_body(func, 0) &&
           ir_attr_is(type, IR_ATTR_STRING) &&
           tw_str_is(ir_attr_str(type), "forward_cpu_declaration");
}

/* ---- emitc-embed-host-functions ------------------------------------------------------ */

static bool is_cpu_module(const ir_op *op)
{
    return op->def == TTCORE_OP(cpu_module);
}

/* What the library compiles: the function alone, without the marks of its module. */
static ir_attr text_of(ir_op *func)
{
    ir_mapping *map = ir_mapping_create();
    ir_op *alone = ir_op_clone(func, map);
    ir_mapping_free(map);
    static const char *const marks[] = {"tt.function_type", "func_hash", "sym_visibility",
                                        "arg_attrs",        "arg_ranks", "result_ranks"};
    for (size_t i = 0; i < TW_COUNT(marks); i++)
        ir_op_set_attr(alone, marks[i], NULL);
    tw_strbuf text = {0};
    ir_print_op(alone, &(ir_print_options){.assume_verified = true}, &text);
    ir_attr made = ir_string_attr(func->ctx, (tw_str){text.data, text.size});
    tw_strbuf_free(&text);
    ir_op_erase(alone);
    return made;
}

static bool embed(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list holders = ir_ops_in(module, is_cpu_module);
    ir_op *holder = holders.n ? holders.at[0] : NULL;
    ir_op_list_free(&holders);
    ir_op *cpu = holder && ir_op_body(holder, 0) ? ir_op_body(holder, 0)->first : NULL;
    if (!cpu)
        return true;
    ir_op_list declared = ir_ops_in(module, cpp_is_of_host);
    for (size_t i = 0; i < declared.n; i++) {
        ir_op *func = ir_symbol_lookup(cpu, ir_symbol_name(declared.at[i]));
        if (func && func->def == FUNC_OP(func) && ir_op_body(func, 0))
            ir_op_set_attr(declared.at[i], text_attr, text_of(func));
    }
    ir_op_list_free(&declared);
    return true;
}

const pass_def emitc_embed_host_functions_pass = {
    .name = "emitc-embed-host-functions",
    .title = "EmitCEmbedHostFunctions",
    .summary = "Keep the text of functions of the host for C++",
    .anchor = "builtin.module",
    .run = embed,
};

/* ---- convert-ttnn-to-emitc ----------------------------------------------------------- */

static bool contains(tw_str text, const char *part)
{
    const size_t n = strlen(part);
    for (size_t i = 0; i + n <= text.size; i++)
        if (memcmp(text.data + i, part, n) == 0)
            return true;
    return false;
}

/* R"ttir(text)ttir", with a delimiter that the text does not have. */
static ir_attr raw_string(ir_context *ctx, tw_str text)
{
    static const char *const delimiters[] = {"ttir", "ttir_", "ttir__", "ttir___"};
    for (size_t i = 0; i < TW_COUNT(delimiters); i++) {
        tw_strbuf end = {0}, all = {0};
        tw_strbuf_printf(&end, ")%s\"", delimiters[i]);
        const bool taken = contains(text, tw_strbuf_text(&end));
        tw_strbuf_printf(&all, "R\"%s(", delimiters[i]);
        tw_strbuf_str(&all, text);
        tw_strbuf_puts(&all, tw_strbuf_text(&end));
        ir_attr made = taken ? NULL : emitc_opaque_attr(ctx, tw_strbuf_text(&all));
        tw_strbuf_free(&end);
        tw_strbuf_free(&all);
        if (made)
            return made;
    }
    return NULL;
}

bool cpp_convert_host_function(ir_op *func)
{
    ir_context *ctx = func->ctx;
    ir_attr text = ir_op_attr(func, text_attr);
    ir_attr raw =
        ir_attr_is(text, IR_ATTR_STRING) ? raw_string(ctx, ir_attr_str(text)) : NULL;
    if (!raw)
        return ir_op_error(func, "runs on the host, and its text is not known; run "
                                 "emitc-embed-host-functions before its module is erased");
    ir_op_set_attr(func, text_attr, NULL);
    ir_op_set_attr(func, "sym_visibility", NULL);
    ir_op_set_attr(func, "tt.function_type", NULL);
    ir_op *first = ir_op_body(ir_op_parent(func), 0)->first;
    if (first != func) { /* C++ has it before what calls it */
        ir_op_remove(func);
        ir_op_insert_before(func, first);
    }
    ir_block *entry = func_add_body(func);
    ir_builder b = ir_builder_at_end(ctx, entry, func->loc);
    ir_value *inputs = cpp_list(&b, entry->args, entry->n_args);
    ir_attr args[] = {raw, ir_index_attr(ctx, 0)};
    ir_value *all =
        cpp_call(&b, "::ttir_cpu::call", emitc_opaque_type(ctx, CPP_VECTOR_TYPE), &inputs,
                 1, ir_array_attr(ctx, args, TW_COUNT(args)), NULL);
    const ir_type type = ir_op_attr(func, "function_type")->type;
    ir_value **results = tw_xmalloc((type->results + 1u) * sizeof *results);
    for (uint32_t i = 0; i < type->results; i++)
        results[i] = cpp_element(&b, all, i, CPP_TENSOR_TYPE);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, results, type->results, NULL, 0, 0);
    free(results);
    return true;
}
