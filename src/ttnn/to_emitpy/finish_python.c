/* finish_python.c: passes that make Python in emitpy read well: constants that are computed
 * once, expressions in one line, names for values, functions of the host beside their
 * callers, imports. */
#include "emitpy/emitpy.h"
#include "ir/pass/pass.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "support/strbuf.h"
#include "ttcore/ttcore.h"
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_kind(const ir_op *func, const char *kind)
{
    ir_attr type = func->def == FUNC_OP(func) ? ir_op_attr(func, "tt.function_type") : NULL;
    return ir_attr_is(type, IR_ATTR_STRING) && tw_str_is(ir_attr_str(type), kind);
}

/* ---- emitpy-const-eval-caching */

/* Adds what follows from the marked operations, then what only marked ones read. */
static void mark_chain(ir_block *block, ir_mapping *chain)
{
    for (ir_op *op = block->first; op; op = op->next) {
        if (op->def == FUNC_OP(return ))
            continue;
        for (uint32_t i = 0; i < op->n_operands; i++) {
            ir_op *def = ir_value_def(op->operands[i].value);
            if (def && ir_mapping_get(chain, def))
                ir_mapping_set(chain, op, op);
        }
    }
    /* The left sides of assignments are written where the assignment is. */
    for (ir_op *op = block->last; op; op = op->prev) {
        bool inside = op->n_results > 0;
        for (uint32_t i = 0; i < op->n_results && inside; i++)
            for (const ir_operand *u = op->results[i].uses; u && inside; u = u->next_use)
                inside = ir_mapping_get(chain, u->owner) != NULL;
        if (inside && !ir_op_is_unused(op))
            ir_mapping_set(chain, op, op);
    }
}

/* if not ce_cache: computes the constants */
static void guard(ir_op *func)
{
    ir_block *body = ir_op_body(func, 0);
    ir_mapping *chain = ir_mapping_create();
    ir_op *first = NULL;
    for (ir_op *op = body->first; op; op = op->next)
        if (ir_op_attr(op, PY_CONST_EVALED)) {
            ir_op_set_attr(op, PY_CONST_EVALED, NULL);
            ir_mapping_set(chain, op, op);
        }
    mark_chain(body, chain);
    for (ir_op *op = body->last; op; op = op->prev)
        first = ir_mapping_get(chain, op) ? op : first;
    if (first) {
        ir_builder b = ir_builder_before(first);
        ir_value *dict = body->args[0];
        ir_op *made = ir_build_op(
            &b, EMITPY_OP(if), NULL, 0, &dict, 1,
            IR_ATTRS({"condition", ir_string_attr(func->ctx, TW_STR("not {}"))}), 2);
        ir_block *then = ir_block_create(func->ctx);
        ir_region_append(&made->regions[0], then);
        for (ir_op *op = first, *next; op; op = next) {
            next = op->next;
            if (!ir_mapping_get(chain, op))
                continue;
            ir_op_remove(op);
            ir_block_append(then, op);
        }
    }
    ir_mapping_free(chain);
}

static bool is_filler(const ir_op *op)
{
    return is_kind(op, "const_eval_wrapper") && ir_op_body(op, 0);
}

static bool run_caching(ir_op *module, pass_run *run)
{
    (void)run;
    ir_visit_ops(module, is_filler, guard);
    return true;
}

const pass_def emitpy_const_eval_caching_pass = {
    .name = "emitpy-const-eval-caching",
    .title = "EmitPyConstEvalCaching",
    .summary = "Compute constants only while their dictionary is empty",
    .anchor = "builtin.module",
    .run = run_caching,
};

/* ---- emitpy-form-expressions */

/* Calls but lists keep a line of their own. */
static bool joins_its_user(const ir_op *op)
{
    if (op->n_results != 1 || !ir_value_has_one_use(&op->results[0]) ||
        !ir_def_has(op->def, "PyExpressionInterface") ||
        ir_op_is(ir_op_parent(op), EMITPY_OP(expression)))
        return false;
    return op->def != EMITPY_OP(call_opaque) ||
           tw_str_is(ir_attr_str(ir_op_attr(op, "callee")), "util_create_list");
}

static void wrap(ir_op *op)
{
    ir_context *ctx = op->ctx;
    ir_value **values = tw_xmalloc((op->n_operands + 1u) * sizeof *values);
    for (uint32_t i = 0; i < op->n_operands; i++)
        values[i] = op->operands[i].value;
    ir_builder b = ir_builder_before(op);
    ir_op *made = ir_build_op(&b, EMITPY_OP(expression), &op->results[0].type, 1, values,
                              op->n_operands, NULL, 0, 1);
    ir_block *block = ir_block_create(ctx);
    ir_region_append(&made->regions[0], block);
    ir_value_replace_uses(&op->results[0], &made->results[0]);
    for (uint32_t i = 0; i < op->n_operands; i++)
        ir_op_set_operand(op, i, ir_block_add_arg(ctx, block, values[i]->type, op->loc));
    free(values);
    ir_op_remove(op);
    ir_block_append(block, op);
    ir_builder end = ir_builder_at_end(ctx, block, op->loc);
    ir_value *result = &op->results[0];
    ir_build_op(&end, EMITPY_OP(yield), NULL, 0, &result, 1, NULL, 0, 0);
}

static bool run_expressions(ir_op *module, pass_run *run)
{
    (void)run;
    ir_visit_ops(module, joins_its_user, wrap);
    return true;
}

const pass_def emitpy_form_expressions_pass = {
    .name = "emitpy-form-expressions",
    .title = "EmitPyFormExpressions",
    .summary = "Write values that are read once where they are read",
    .anchor = "builtin.module",
    .run = run_expressions,
};

/* ---- emitpy-link-modules */

static bool is_declaration(const ir_op *op)
{
    return is_kind(op, "forward_cpu_declaration") && !ir_op_body(op, 0);
}

static ir_walk find_call(ir_op *op, void *user)
{
    const tw_str *callee = user;
    return op->def == FUNC_OP(call) &&
                   tw_str_equal(ir_symbol_leaf(ir_op_attr(op, "callee")), *callee)
               ? IR_WALK_STOP
               : IR_WALK_ON;
}

/* The definition stands in front of the first function that calls it. */
static bool link_definition(ir_op *declaration, ir_op *cpu)
{
    tw_str name = ir_symbol_name(declaration);
    ir_op *definition = cpu ? ir_symbol_lookup(cpu, name) : NULL;
    if (!definition)
        return ir_op_error(declaration,
                           "has no body in a ttcore.cpu_module of the program");
    ir_op *at = declaration->block->first;
    while (at && ir_walk_pre(at, find_call, &name) != IR_WALK_STOP)
        at = at->next;
    ir_op_insert_before(ir_op_clone(definition, NULL), at ? at : declaration);
    ir_op_erase(declaration);
    return true;
}

static bool run_link(ir_op *root, pass_run *run)
{
    (void)run;
    ir_op *holder = NULL;
    for (ir_op *op = ir_op_body(root, 0)->first; op; op = op->next)
        holder = op->def == TTCORE_OP(cpu_module) ? op : holder;
    ir_op *cpu = holder ? ir_op_body(holder, 0)->first : NULL;
    ir_op_list all = ir_ops_in(root, is_declaration);
    bool ok = true;
    for (size_t i = 0; i < all.n && ok; i++)
        ok = link_definition(all.at[i], cpu);
    ir_op_list_free(&all);
    if (holder)
        ir_op_erase(holder);
    return ok;
}

const pass_def emitpy_link_modules_pass = {
    .name = "emitpy-link-modules",
    .title = "EmitPyLinkModules",
    .summary = "Put functions of the host beside their callers",
    .anchor = "builtin.module",
    .run = run_link,
};

/* ---- names --------------------------------------------------------------------------- */

/* name_N, N counted by name */
static void set_numbered_name(ir_op *op, ir_mapping *counts, tw_str name)
{
    ir_attr key = ir_string_attr(op->ctx, name);
    uintptr_t n = (uintptr_t)ir_mapping_get(counts, key);
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "%.*s_%u", (int)name.size, name.data, (unsigned)n);
    ir_mapping_set(counts, key, (void *)(n + 1));
    ir_op_set_attr(op, "emitpy.name",
                   ir_string_attr(op->ctx, (tw_str){text.data, text.size}));
    tw_strbuf_free(&text);
}

static ir_walk name_op(ir_op *op, void *user)
{
    char text[32];
    if (op->def == FUNC_OP(func) && ir_op_body(op, 0)) {
        uint32_t n = ir_op_body(op, 0)->n_args;
        for (uint32_t i = 0; i < n; i++) {
            snprintf(text, sizeof text, n == 1 ? "arg" : "arg_%u", i);
            if (!func_arg_attr(op, i, "emitpy.name"))
                func_set_arg_attr(op, i, "emitpy.name",
                                  ir_string_attr(op->ctx, tw_str_from(text)));
        }
    }
    if (ir_op_attr(op, "emitpy.name"))
        return IR_WALK_ON;
    if (op->def == EMITPY_OP(call_opaque))
        set_numbered_name(op, user, ir_attr_str(ir_op_attr(op, "callee")));
    else if (op->def == FUNC_OP(call))
        set_numbered_name(op, user, ir_symbol_leaf(ir_op_attr(op, "callee")));
    else if (op->def == EMITPY_OP(constant))
        set_numbered_name(op, user, TW_STR("const"));
    else if (op->def == EMITPY_OP(subscript))
        set_numbered_name(op, user, TW_STR("item"));
    return IR_WALK_ON;
}

static bool run_names(ir_op *op, pass_run *run)
{
    (void)run;
    ir_mapping *counts = ir_mapping_create();
    ir_walk_pre(op, name_op, counts);
    ir_mapping_free(counts);
    return true;
}

const pass_def emitpy_name_vars_pass = {
    .name = "emitpy-name-vars",
    .title = "EmitPyNameVars",
    .summary = "Name variables after what is called and where it goes",
    .run = run_names,
};

/* ---- imports ------------------------------------------------------------------------- */

static void import(ir_builder *b, const char *module, ir_attr member)
{
    ir_context *ctx = b->ctx;
    ir_attr none = ir_string_attr(ctx, TW_STR(""));
    ir_build_op(
        b, EMITPY_OP(import), NULL, 0, NULL, 0,
        IR_ATTRS({"module_name", ir_string_attr(ctx, tw_str_from(module))},
                 {"members_to_import", member ? ir_array_attr(ctx, &member, 1) : NULL},
                 {"member_aliases", member ? ir_array_attr(ctx, &none, 1) : NULL}),
        0);
}

static void add_imports(ir_op *file)
{
    ir_block *block = ir_op_body(file, 0);
    ir_builder b = ir_builder_at_start(file->ctx, block, file->loc);
    ir_op *first = b.before;
    bool host = false;
    for (ir_op *op = first; op; op = op->next)
        host |= is_kind(op, "forward_cpu");
    import(&b, "ttnn", NULL);
    import(&b, "utils", NULL);
    if (host)
        import(&b, "ttir_cpu", NULL);
    if (host)
        import(&b, "torch", NULL);
    for (ir_op *op = first; op; op = op->next) {
        ir_attr from = ir_op_attr(op, "tt.imported_from");
        if (is_kind(op, "imported_declaration") && ir_attr_is(from, IR_ATTR_STRING))
            import(&b, from->ident->text, ir_op_attr(op, "sym_name"));
    }
}

static bool run_imports(ir_op *module, pass_run *run)
{
    (void)run;
    bool files = false;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == EMITPY_OP(file)) {
            add_imports(op);
            files = true;
        }
    if (!files)
        add_imports(module);
    return true;
}

const pass_def emitpy_add_imports_pass = {
    .name = "emitpy-add-imports",
    .title = "EmitPyAddImports",
    .summary = "Import the modules that generated Python uses",
    .run = run_imports,
};
