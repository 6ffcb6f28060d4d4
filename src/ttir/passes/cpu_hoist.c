/* cpu_hoist.c: moves operations of the device module into functions of a module for the
 * host and leaves calls (cpu_hoist_passes.c chooses them).
 *
 * The host computes in 32 bits: narrower and wider elements are converted in front of the
 * call and behind it. Equal bodies are one function, found by its hash. */
#include "ttir/passes/cpu_hoist.h"
#include "ir/text.h"
#include "mlir/func/func.h"
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

/* What a group reads and what is read of it. A value that is read twice comes twice. */
typedef struct ends {
    ir_value **operands, **results;
    size_t n_operands, n_results, operands_capacity, results_capacity;
} ends;

static bool is_inside(const hoist_group *g, const ir_value *v)
{
    const ir_op *def = ir_value_def(v);
    for (size_t i = 0; def && i < g->n; i++)
        if (g->ops[i] == def)
            return true;
    return false;
}

static ends ends_of(const hoist_group *g)
{
    ends e = {0};
    for (size_t i = 0; i < g->n; i++) {
        const ir_op *op = g->ops[i];
        for (uint32_t k = 0; k < op->n_operands; k++)
            if (!is_inside(g, op->operands[k].value))
                TW_PUSH(e.operands, e.n_operands, e.operands_capacity,
                        op->operands[k].value);
        for (uint32_t k = 0; k < op->n_results; k++) {
            bool read = g->n == 1; /* a lone operation gives all of its results */
            for (const ir_operand *u = op->results[k].uses; u && !read; u = u->next_use) {
                read = true;
                for (size_t o = 0; o < g->n; o++)
                    read &= g->ops[o] != u->owner;
            }
            if (read)
                TW_PUSH(e.results, e.n_results, e.results_capacity, &op->results[k]);
        }
    }
    return e;
}

/* Copies an operation whose operands are copies already or arguments of the function. */
static void copy_into(const hoist_group *g, ir_op *op, ir_block *block, ir_mapping *copies)
{
    ir_context *ctx = op->ctx;
    ir_op *copy = ir_op_clone(op, copies);
    ir_op_set_attr(copy, "ttir.should_hoist", NULL);
    copy->loc = IR_LOC_UNKNOWN; /* equal operations at other lines are one function */
    ir_block_append(block, copy);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        if (!is_inside(g, v))
            ir_op_set_operand(
                copy, i,
                ir_block_add_arg(ctx, block, type_on_host(v->type, true), IR_LOC_UNKNOWN));
    }
    for (uint32_t i = 0; i < op->n_results; i++)
        copy->results[i].type = type_on_host(copy->results[i].type, true);
    if (copy->def == TTIR_OP(constant))
        ir_op_set_attr(
            copy, "value",
            ttnn_convert_elements(ir_op_attr(copy, "value"), copy->results[0].type));
}

/* Creates the function of copies of the group, named "f" until its hash is known. */
static ir_op *create_body(const hoist_group *g, const ends *outside, ir_op *cpu)
{
    ir_context *ctx = cpu->ctx;
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(cpu, 0), cpu->loc);
    ir_op *func = func_create(&b, ir_string_attr(ctx, TW_STR("f")),
                              ir_function_type(ctx, NULL, 0, NULL, 0), false);
    ir_block *block = func_add_body(func);
    ir_mapping *copies = ir_mapping_create();
    for (size_t i = 0; i < g->n; i++)
        copy_into(g, g->ops[i], block, copies);
    ir_value **results = tw_xmalloc((outside->n_results + 1) * sizeof *results);
    for (size_t i = 0; i < outside->n_results; i++)
        results[i] = ir_mapping_get(copies, outside->results[i]);
    ir_mapping_free(copies);
    ir_builder end = ir_builder_at_end(ctx, block, IR_LOC_UNKNOWN);
    ir_build_op(&end, FUNC_OP(return ), NULL, 0, results, outside->n_results, NULL, 0, 0);
    free(results);
    func_refresh_type(func);
    for (uint32_t i = 0; i < block->n_args; i++)
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

/* cpu_hoisted_<name>_<hash> */
static ir_attr name_of(const hoist_group *g, ir_attr hash)
{
    tw_strbuf name = {0};
    tw_strbuf_printf(&name, "cpu_hoisted_%s_%.*s", g->name, HASH_DIGITS,
                     ir_attr_str(hash).data);
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] == '.')
            name.data[i] = '_';
    ir_attr made = ir_string_attr(g->ops[0]->ctx, (tw_str){name.data, name.size});
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

void hoist_to_host(const hoist_group *g, ir_op *root, ir_op *device)
{
    ir_op *cpu = inner_module(root, TTCORE_OP(cpu_module));
    if (!cpu)
        cpu = create_cpu_module(root);
    ir_context *ctx = root->ctx;
    ends e = ends_of(g);
    ir_op *body = create_body(g, &e, cpu);
    ir_attr hash = hash_of(body);
    ir_op_set_attr(body, "func_hash", hash);
    ir_builder b = ir_builder_after(g->ops[g->n - 1]);
    ir_type *types = tw_xmalloc((e.n_operands + e.n_results + 1) * sizeof *types);
    ir_type *results = types + e.n_operands;
    for (size_t i = 0; i < e.n_operands; i++) {
        types[i] = type_on_host(e.operands[i]->type, false);
        e.operands[i] = convert_to(&b, e.operands[i], types[i]);
    }
    for (size_t i = 0; i < e.n_results; i++)
        results[i] = type_on_host(e.results[i]->type, false);
    ir_op *declaration = declaration_of(device, hash);
    if (declaration) {
        ir_op_erase(body);
    } else {
        ir_attr name = name_of(g, hash);
        ir_op_set_attr(body, "sym_name", name);
        declaration =
            declare(device, name, hash,
                    ir_function_type(ctx, types, e.n_operands, results, e.n_results));
    }
    ir_op *call =
        ir_build_op(&b, FUNC_OP(call), results, e.n_results, e.operands, e.n_operands,
                    IR_ATTRS({"callee", ir_symbol_ref(ctx, ir_symbol_name(declaration))},
                             {"ttir.cpu_hoisted_call", ir_unit_attr(ctx)}),
                    0);
    for (size_t i = 0; i < e.n_results; i++)
        ir_value_replace_uses(e.results[i],
                              convert_to(&b, &call->results[i], e.results[i]->type));
    free(types);
    free(e.operands);
    free(e.results);
    for (size_t i = g->n; i-- > 0;)
        ir_op_erase(g->ops[i]);
}

const char *hoist_obstacle(const ir_op *op)
{
    if (op->n_regions)
        return "has a region";
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!ir_type_is_tensor(op->operands[i].value->type))
            return "has an operand that is no tensor";
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!ir_type_is_tensor(op->results[i].type))
            return "has a result that is no tensor";
    return NULL;
}

ir_op *hoist_device_module(ir_op *root)
{
    return ir_op_parent(root) ? NULL : inner_module(root, TTCORE_OP(device_module));
}
