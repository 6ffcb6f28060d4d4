/* cpu_hoist.c: moves operations of the device module into functions of a module for the
 * host and leaves calls: cpu-hoist-manually-tagged those with ttir.should_hoist,
 * cpu-hoist-non-lowerable-shlo-ops those of StableHLO that have no form in TTIR.
 *
 * The host computes in 32 bits: narrower and wider elements are converted in front of the
 * call and behind it. Equal bodies are one function, found by its hash. */
#include "ir/pass/pass.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "stablehlo/stablehlo.h"
#include "support/sha256.h"
#include "support/strbuf.h"
#include "ttcore/ttcore.h"
#include "ttir/build.h"
#include "ttir/to_ttnn/ttir_to_ttnn.h"

#include <stdlib.h>

enum { HASH_DIGITS = 8 };

static ir_op *inner_module(ir_op *root, const ir_op_def *def)
{
    ir_block *body = ir_op_body(root, 0);
    for (ir_op *op = body ? body->first : NULL; op; op = op->next)
        if (op->def == def && ir_op_body(op, 0))
            return ir_op_body(op, 0)->first;
    return NULL;
}

static ir_op *create_cpu_module(ir_op *root)
{
    ir_builder b = ir_builder_at_end(root->ctx, ir_op_body(root, 0), root->loc);
    ir_op *cpu = ir_build_op(&b, TTCORE_OP(cpu_module), NULL, 0, NULL, 0, NULL, 0, 1);
    ir_block *only = ir_block_create(root->ctx);
    ir_region_append(&cpu->regions[0], only);
    ir_op *inner = ir_module_create(root->ctx, root->loc);
    ir_block_append(only, inner);
    return inner;
}

/* Returns the tensor type with elements of 32 bits. A signed integer loses its sign inside
 * the function, where signless integers are signed; unsigned ones keep theirs, because
 * divisions, comparisons and conversions depend on it. */
static ir_type type_on_host(ir_type t, bool inside)
{
    ir_type e = ir_type_is_tensor(t) ? t->element : NULL;
    if (e && e->kind == IR_TYPE_FLOAT)
        return ir_type_with_element(t, ir_float_type(t->ctx, IR_F32));
    if (!e || e->kind != IR_TYPE_INTEGER)
        return t;
    ir_signedness sign = inside && e->sign == IR_SIGNED ? IR_SIGNLESS : e->sign;
    return ir_type_with_element(t, ir_integer_type(t->ctx, 32, sign));
}

static ir_attr ranks_of(ir_context *ctx, const ir_type *types, size_t n)
{
    int64_t *ranks = TW_ARENA_ARRAY(ir_context_arena(ctx), int64_t, n + 1);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (ir_type_is_tensor(types[i]))
            ranks[count++] = types[i]->count;
    return ir_i64_array_attr(ctx, ranks, count);
}

/* Creates the function of a copy of `op`, named "f" until its hash is known. */
static ir_op *create_body(ir_op *op, ir_op *cpu)
{
    ir_context *ctx = op->ctx;
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(cpu, 0), cpu->loc);
    ir_op *func = func_create(&b, ir_string_attr(ctx, TW_STR("f")),
                              ir_function_type(ctx, NULL, 0, NULL, 0), false);
    ir_block *block = func_add_body(func);
    ir_op *copy = ir_op_clone(op, NULL);
    ir_op_set_attr(copy, "ttir.should_hoist", NULL);
    copy->loc = IR_LOC_UNKNOWN; /* equal operations at other lines are one function */
    ir_block_append(block, copy);
    for (uint32_t i = 0; i < op->n_operands; i++)
        ir_op_set_operand(copy, i,
                          ir_block_add_arg(ctx, block,
                                           type_on_host(op->operands[i].value->type, true),
                                           IR_LOC_UNKNOWN));
    ir_value **results = tw_xmalloc((op->n_results + 1) * sizeof *results);
    for (uint32_t i = 0; i < op->n_results; i++) {
        copy->results[i].type = type_on_host(copy->results[i].type, true);
        results[i] = &copy->results[i];
    }
    if (copy->def == TTIR_OP(constant))
        ir_op_set_attr(
            copy, "value",
            ttnn_convert_elements(ir_op_attr(copy, "value"), copy->results[0].type));
    ir_builder end = ir_builder_at_end(ctx, block, IR_LOC_UNKNOWN);
    ir_build_op(&end, FUNC_OP(return ), NULL, 0, results, op->n_results, NULL, 0, 0);
    free(results);
    func_refresh_type(func);
    for (uint32_t i = 0; i < op->n_operands; i++)
        func_set_arg_attr(func, i, "bufferization.access",
                          ir_string_attr(ctx, TW_STR("read")));
    ir_type type = ir_op_attr(func, "function_type")->type;
    ir_op_set_attr(func, "arg_ranks", ranks_of(ctx, type->types, type->count));
    ir_op_set_attr(func, "result_ranks",
                   ranks_of(ctx, ir_function_results(type), type->results));
    ir_op_set_attr(func, "tt.function_type", ir_string_attr(ctx, TW_STR("forward_cpu")));
    return func;
}

static ir_attr hash_of(ir_op *func)
{
    tw_strbuf text = {0};
    char hash[65];
    ir_print_op(func, &(ir_print_options){.assume_verified = true}, &text);
    tw_sha256_hex(text.data, text.size, hash);
    tw_strbuf_free(&text);
    return ir_string_attr(func->ctx, tw_str_from(hash));
}

static ir_op *declaration_of(ir_op *device, ir_attr hash)
{
    for (ir_op *op = ir_op_body(device, 0)->first; op; op = op->next)
        if (op->def == FUNC_OP(func) && ir_op_attr(op, "func_hash") == hash)
            return op;
    return NULL;
}

/* cpu_hoisted_<operation>_<hash> */
static ir_attr name_of(const ir_op *op, ir_attr hash)
{
    tw_strbuf name = {0};
    tw_strbuf_printf(&name, "cpu_hoisted_%s_%.*s", op->def->name, HASH_DIGITS,
                     ir_attr_str(hash).data);
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] == '.')
            name.data[i] = '_';
    ir_attr made = ir_string_attr(op->ctx, (tw_str){name.data, name.size});
    tw_strbuf_free(&name);
    return made;
}

static ir_op *declare(ir_op *device, ir_attr name, ir_attr hash, ir_type type)
{
    ir_context *ctx = device->ctx;
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(device, 0), device->loc);
    ir_op *func = func_create(&b, name, type, true);
    ir_op_set_attr(func, "tt.function_type",
                   ir_string_attr(ctx, TW_STR("forward_cpu_declaration")));
    ir_op_set_attr(func, "func_hash", hash);
    return func;
}

static ir_value *convert_to(ir_builder *b, ir_value *v, ir_type type)
{
    if (v->type == type)
        return v;
    ir_value *empty = ir_build1(b, TTIR_OP(empty), type, NULL, 0, NULL, 0);
    return ir_build1(b, TTIR_OP(to_layout), type, IR_VALUES(v, empty), NULL, 0);
}

/* Replaces the operation by a call of its function. */
static void hoist(ir_op *op, ir_op *device, ir_op *cpu)
{
    ir_context *ctx = op->ctx;
    ir_op *body = create_body(op, cpu);
    ir_attr hash = hash_of(body);
    ir_op_set_attr(body, "func_hash", hash);
    ir_builder b = ir_builder_before(op);
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    ir_type *types = tw_xmalloc((op->n_operands + op->n_results + 1) * sizeof *types);
    ir_type *results = types + op->n_operands;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        types[i] = type_on_host(v->type, false);
        operands[i] = convert_to(&b, v, types[i]);
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        results[i] = type_on_host(op->results[i].type, false);
    ir_op *declaration = declaration_of(device, hash);
    if (declaration) {
        ir_op_erase(body);
    } else {
        ir_attr name = name_of(op, hash);
        ir_op_set_attr(body, "sym_name", name);
        declaration =
            declare(device, name, hash,
                    ir_function_type(ctx, types, op->n_operands, results, op->n_results));
    }
    ir_op *call =
        ir_build_op(&b, FUNC_OP(call), results, op->n_results, operands, op->n_operands,
                    IR_ATTRS({"callee", ir_symbol_ref(ctx, ir_symbol_name(declaration))},
                             {"ttir.cpu_hoisted_call", ir_unit_attr(ctx)}),
                    0);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i],
                              convert_to(&b, &call->results[i], op->results[i].type));
    free(operands);
    free(types);
    ir_op_erase(op);
}

/* Returns false after a diagnostic for an operation that a call cannot replace. */
static bool can_hoist(ir_op *op)
{
    const char *why = op->n_regions ? "has a region" : NULL;
    for (uint32_t i = 0; i < op->n_operands && !why; i++)
        if (!ir_type_is_tensor(op->operands[i].value->type))
            why = "has an operand that is no tensor";
    for (uint32_t i = 0; i < op->n_results && !why; i++)
        if (!ir_type_is_tensor(op->results[i].type))
            why = "has a result that is no tensor";
    return !why ||
           ir_op_error(
               op, "cannot be computed on the host: it %s; remove ttir.should_hoist", why);
}

static bool hoist_all(ir_op *root, ir_op_test *wanted)
{
    ir_op *device =
        ir_op_parent(root) ? NULL : inner_module(root, TTCORE_OP(device_module));
    if (!device)
        return true;
    ir_op_list all = ir_ops_in(device, wanted);
    ir_op *cpu = inner_module(root, TTCORE_OP(cpu_module));
    bool ok = true;
    for (size_t i = 0; i < all.n && ok; i++) {
        ok = can_hoist(all.at[i]);
        if (ok && !cpu)
            cpu = create_cpu_module(root);
        if (ok)
            hoist(all.at[i], device, cpu);
    }
    ir_op_list_free(&all);
    return ok;
}

static bool is_tagged(const ir_op *op)
{
    return ir_op_attr(op, "ttir.should_hoist") != NULL;
}

static bool run_tagged(ir_op *module, pass_run *run)
{
    (void)run;
    return hoist_all(module, is_tagged);
}

const pass_def cpu_hoist_manually_tagged_pass = {
    .name = "cpu-hoist-manually-tagged",
    .title = "CPUHoistManuallyTaggedOpsTransform",
    .summary = "Move operations that are marked ttir.should_hoist to the host",
    .anchor = "builtin.module",
    .run = run_tagged,
};

static bool has_no_ttir(const ir_op *op)
{
    return op->def == STABLEHLO_OP(dynamic_update_slice) || op->def == STABLEHLO_OP(einsum);
}

static bool run_stablehlo(ir_op *module, pass_run *run)
{
    (void)run;
    return hoist_all(module, has_no_ttir);
}

const pass_def cpu_hoist_non_lowerable_shlo_ops_pass = {
    .name = "cpu-hoist-non-lowerable-shlo-ops",
    .title = "CPUHoistNonLowerableSHLOOpsTransform",
    .summary = "Move operations of StableHLO that TTIR does not have to the host",
    .anchor = "builtin.module",
    .run = run_stablehlo,
};
