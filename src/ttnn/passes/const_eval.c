/* const_eval.c: what depends on weights only is computed once: const-eval-hoist-transform
 * moves it into functions whose results ttcore.load_cached hands out;
 * ttnn-force-const-eval-to-system-memory lets such weights wait on the host.
 *
 * Operations that share values go into one function.  A pass may run again: what joins
 * results of earlier functions becomes part of the first of them. */
#include "ir/rewrite/effects.h"
#include "mlir/func/func.h"
#include "mlir/passes/passes.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

#include <stdio.h>
#include <stdlib.h>

enum { CUSHION = 1024 };

/* ---- finding ------------------------------------------------------------------------ */

typedef struct analysis {
    ir_op *func;
    ir_op **ops; /* candidates, in order */
    size_t *set; /* union-find over them */
    size_t count, capacity, set_capacity;
    ir_op **shared; /* cloned into every function: the device */
    size_t n_shared, shared_capacity;
    ir_mapping *index; /* op -> its index + 1 */
    rw_changes changes;
    bool failed;
} analysis;

static bool is_shared(const ir_op *op)
{
    return ir_def_has(op->def, "TTCore_DuplicateConstEvalTrait");
}

static size_t find_set(analysis *a, size_t i)
{
    while (a->set[i] != i)
        i = a->set[i] = a->set[a->set[i]];
    return i;
}

static size_t place_of(const analysis *a, const ir_value *v)
{
    const ir_op *def = ir_value_def(v);
    return def ? (size_t)(uintptr_t)ir_mapping_get(a->index, def) : 0;
}

static bool is_constant_arg(const ir_op *func, const ir_value *v)
{
    int64_t kind = ir_enum_value(func_arg_attr(func, v->index, "ttcore.argument_type"), -1);
    return kind == TTCORE_ArgumentType_Parameter || kind == TTCORE_ArgumentType_Constant;
}

static bool is_known(const analysis *a, const ir_value *v)
{
    if (v->is_argument)
        return is_constant_arg(a->func, v) && !(rw_changes_of(&a->changes, v) & RW_WRITE);
    return is_shared(ir_value_def(v)) || place_of(a, v) != 0;
}

static bool is_written(const analysis *a, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (rw_changes_of(&a->changes, &op->results[i]) & RW_WRITE)
            return true;
    return false;
}

static bool is_in_l1(const ir_value *v)
{
    ttnn_layout l;
    return ttnn_layout_of(v->type, &l) && l.buffer == TTNN_BufferType_L1;
}

static void consider(analysis *a, ir_op *op)
{
    if (op->def->traits & IR_TERMINATOR)
        return;
    if (is_shared(op)) {
        TW_PUSH(a->shared, a->n_shared, a->shared_capacity, op);
        return;
    }
    if (!op->n_results || ir_def_has(op->def, "TTCore_NonCacheableTrait") ||
        is_written(a, op))
        return;
    bool cached = op->def == TTCORE_OP(load_cached);
    for (uint32_t i = 0; !cached && i < op->n_operands; i++)
        if (!is_known(a, op->operands[i].value))
            return;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (is_in_l1(&op->results[i]) && !ir_op_attr(op, "ttnn.const_eval_allowed")) {
            a->failed = true;
            ir_error(op->ctx, op->loc,
                     "result of an op resides in L1, and the op is a const-eval candidate, "
                     "but it is not tagged with 'ttnn.const_eval_allowed'; tag the op or "
                     "change its memory space");
            return;
        }
    size_t at = a->count, n = a->count;
    TW_PUSH(a->ops, a->count, a->capacity, op);
    TW_PUSH(a->set, n, a->set_capacity, at);
    ir_mapping_set(a->index, op, (void *)(uintptr_t)(at + 1));
    for (uint32_t i = 0; i < op->n_operands; i++) {
        size_t from = place_of(a, op->operands[i].value);
        if (from)
            a->set[find_set(a, from - 1)] = find_set(a, at);
    }
}

/* ---- one set ------------------------------------------------------------------------ */

typedef struct subgraph {
    const analysis *a;
    ir_op **ops, **cached;
    size_t n_ops, n_cached;
    ir_value **inputs, **outputs;
    size_t n_inputs, n_outputs, inputs_capacity, outputs_capacity;
} subgraph;

static int by_number(const void *a, const void *b)
{
    const ir_value *x = *(ir_value *const *)a, *y = *(ir_value *const *)b;
    return (x->index > y->index) - (x->index < y->index);
}

static void add_inputs(subgraph *s, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        bool known = !v->is_argument;
        for (size_t k = 0; k < s->n_inputs; k++)
            known |= s->inputs[k] == v;
        if (!known)
            TW_PUSH(s->inputs, s->n_inputs, s->inputs_capacity, v);
    }
}

static bool holds(ir_op *const *list, size_t n, const ir_op *op)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == op)
            return true;
    return false;
}

static void add_outputs(subgraph *s, ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        for (ir_operand *use = op->results[i].uses; use; use = use->next_use)
            if (!holds(s->ops, s->n_ops, use->owner)) {
                TW_PUSH(s->outputs, s->n_outputs, s->outputs_capacity, &op->results[i]);
                break;
            }
}

static void gather(subgraph *s, analysis *a, size_t root)
{
    *s = (subgraph){.a = a};
    s->ops = tw_xmalloc((a->count + 1) * sizeof(ir_op *));
    s->cached = tw_xmalloc((a->count + 1) * sizeof(ir_op *));
    for (size_t i = 0; i < a->count; i++)
        if (find_set(a, i) == root) {
            if (a->ops[i]->def == TTCORE_OP(load_cached))
                s->cached[s->n_cached++] = a->ops[i];
            else
                s->ops[s->n_ops++] = a->ops[i];
            add_inputs(s, a->ops[i]);
        }
    if (s->n_inputs)
        qsort(s->inputs, s->n_inputs, sizeof *s->inputs, by_number);
    for (size_t i = 0; i < s->n_ops; i++)
        add_outputs(s, s->ops[i]);
    for (size_t i = 0; i < s->n_cached; i++)
        add_outputs(s, s->cached[i]);
}

static void release(subgraph *s)
{
    free(s->ops);
    free(s->cached);
    free(s->inputs);
    free(s->outputs);
}

/* ---- making the function ------------------------------------------------------------ */

static void append_clone(ir_block *block, ir_op *op, ir_mapping *map)
{
    ir_block_append(block, ir_op_clone(op, map));
}

/* The body of an earlier function becomes part of the new one. */
static void append_cached(ir_block *block, ir_op *load, ir_op *callee, ir_mapping *map)
{
    ir_block *from = ir_op_body(callee, 0);
    for (uint32_t i = 0; i < from->n_args; i++)
        ir_mapping_set(map, from->args[i], ir_mapping_get(map, load->operands[i].value));
    for (ir_op *op = from->first; op && op != from->last; op = op->next) {
        ir_op *device = is_shared(op) ? block->first : NULL;
        while (device && device->def != op->def)
            device = device->next;
        if (device && device->n_results == op->n_results) {
            for (uint32_t i = 0; i < op->n_results; i++)
                ir_mapping_set(map, &op->results[i], &device->results[i]);
            continue;
        }
        append_clone(block, op, map);
    }
    for (uint32_t i = 0; i < load->n_results; i++)
        ir_mapping_set(map, &load->results[i],
                       ir_mapping_get(map, from->last->operands[i].value));
}

static ir_op *callee_of(ir_op *load)
{
    ir_op *func = ir_symbol_resolve(load, ir_op_attr(load, "callee"));
    return func && func->def == FUNC_OP(func) && ir_op_body(func, 0) ? func : NULL;
}

static ir_op *new_function(const subgraph *s, tw_str name)
{
    ir_op *func = s->a->func;
    ir_context *ctx = func->ctx;
    ir_builder b = ir_builder_before(func);
    ir_op *made = func_create(&b, ir_string_attr(ctx, name),
                              ir_function_type(ctx, NULL, 0, NULL, 0), true);
    ir_op_set_attr(made, "tt.function_type", ir_string_attr(ctx, TW_STR("const_eval")));
    ir_block *block = func_add_body(made);
    ir_mapping *map = ir_mapping_create();
    for (size_t i = 0; i < s->n_inputs; i++)
        ir_mapping_set(map, s->inputs[i],
                       ir_block_add_arg(ctx, block, s->inputs[i]->type, func->loc));
    for (size_t i = 0; i < s->a->n_shared; i++)
        append_clone(block, s->a->shared[i], map);
    for (size_t i = 0; i < s->n_cached; i++)
        append_cached(block, s->cached[i], callee_of(s->cached[i]), map);
    for (size_t i = 0; i < s->n_ops; i++)
        append_clone(block, s->ops[i], map);
    ir_value **results = tw_xmalloc((s->n_outputs + 1) * sizeof *results);
    for (size_t i = 0; i < s->n_outputs; i++)
        results[i] = ir_mapping_get(map, s->outputs[i]);
    ir_builder end = ir_builder_at_end(ctx, block, func->loc);
    ir_build_op(&end, FUNC_OP(return ), NULL, 0, results, s->n_outputs, NULL, 0, 0);
    free(results);
    ir_mapping_free(map);
    func_refresh_type(made);
    for (size_t i = 0; i < s->n_inputs; i++) {
        ir_attr weight = func_arg_attr(func, s->inputs[i]->index, "ttir.conv2d_weight");
        if (weight)
            func_set_arg_attr(made, i, "ttir.conv2d_weight", weight);
    }
    return made;
}

static void replace_by_load(const subgraph *s, ir_op *made)
{
    ir_op *func = s->a->func, *at = ir_op_body(func, 0)->first;
    ir_context *ctx = func->ctx;
    while (at->def == TTCORE_OP(load_cached))
        at = at->next;
    ir_builder b = ir_builder_before(at);
    b.loc = func->loc;
    ir_type *types = tw_xmalloc((s->n_outputs + 1) * sizeof *types);
    for (size_t i = 0; i < s->n_outputs; i++)
        types[i] = s->outputs[i]->type;
    ir_op *load =
        ir_build_op(&b, TTCORE_OP(load_cached), types, s->n_outputs, s->inputs, s->n_inputs,
                    IR_ATTRS({"callee", ir_symbol_ref(ctx, ir_symbol_name(made))}), 0);
    free(types);
    for (size_t i = 0; i < s->n_outputs; i++)
        ir_value_replace_uses(s->outputs[i], &load->results[i]);
    for (size_t i = s->n_ops; i-- > 0;)
        ir_op_erase(s->ops[i]);
    for (size_t i = s->n_cached; i-- > 0;)
        ir_op_erase(s->cached[i]);
}

/* The first function keeps its name, the others go. */
static bool merge(const subgraph *s)
{
    tw_strbuf name = {0};
    for (size_t i = 0; i < s->n_cached; i++)
        if (!callee_of(s->cached[i]))
            return ir_op_error(s->cached[i], "has no callee with a body");
    ir_op *first = callee_of(s->cached[0]);
    tw_strbuf_append(&name, ir_symbol_name(first).data, ir_symbol_name(first).size);
    ir_op *made = new_function(s, (tw_str){name.data, name.size});
    for (size_t i = 0; i < s->n_cached; i++) {
        ir_op *callee = callee_of(s->cached[i]);
        if (callee && callee != made)
            ir_op_erase(callee);
    }
    tw_strbuf_free(&name);
    replace_by_load(s, made);
    return true;
}

/* ---- the pass ----------------------------------------------------------------------- */

/* One more than the greatest number of @<f>_const_eval_<n>. */
static size_t first_free(ir_op *module, ir_op *func)
{
    tw_strbuf start = {0};
    tw_str name = ir_symbol_name(func);
    size_t next = 0;
    tw_strbuf_printf(&start, "%.*s_const_eval_", (int)name.size, name.data);
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        tw_str other = op->def == FUNC_OP(func) ? ir_symbol_name(op) : (tw_str){0};
        if (other.size <= start.size || memcmp(other.data, start.data, start.size) != 0)
            continue;
        size_t n = strtoul(other.data + start.size, NULL, 10);
        next = TW_MAX(next, n + 1);
    }
    tw_strbuf_free(&start);
    return next;
}

static bool is_kind(const ir_op *func, const char *kind)
{
    ir_attr type = ir_op_attr(func, "tt.function_type");
    return ir_attr_is(type, IR_ATTR_STRING) && tw_str_is(ir_attr_str(type), kind);
}

static bool hoist(ir_op *module, ir_op *func)
{
    analysis a = {
        .func = func, .index = ir_mapping_create(), .changes = rw_changes_in(func)};
    size_t next = first_free(module, func);
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next)
        consider(&a, op);
    bool ok = !a.failed;
    for (size_t i = 0; ok && i < a.count; i++) {
        subgraph s;
        size_t root = find_set(&a, i);
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= find_set(&a, k) == root;
        if (seen)
            continue;
        gather(&s, &a, root);
        if (s.n_ops && s.n_cached) {
            ok = merge(&s);
        } else if (s.n_ops) {
            tw_strbuf name = {0};
            tw_str base = ir_symbol_name(func);
            tw_strbuf_printf(&name, "%.*s_const_eval_%zu", (int)base.size, base.data,
                             next++);
            replace_by_load(&s, new_function(&s, (tw_str){name.data, name.size}));
            tw_strbuf_free(&name);
        }
        release(&s);
    }
    free(a.ops);
    free(a.set);
    free(a.shared);
    ir_mapping_free(a.index);
    rw_changes_free(&a.changes);
    return ok;
}

/* What const-eval results take of each core's L1. */
static uint64_t l1_bytes(ir_op *func)
{
    uint64_t total = 0;
    ir_op *ret = ir_op_body(func, 0)->last;
    for (uint32_t i = 0; i < ret->n_operands; i++) {
        ir_value *v = ret->operands[i].value;
        if (!is_in_l1(v))
            continue;
        ir_type shard = ir_attr_param(v->type->encoding, "memref")->type;
        ir_type element = shard->element;
        uint64_t bytes = ir_dense_element_size(element);
        if (!bytes)
            bytes = TTNN_TILE * TTNN_TILE * ir_dense_element_size(v->type->element);
        total += bytes * (uint64_t)ir_type_num_elements(shard);
    }
    return total;
}

static ir_walk note_decomposition(ir_op *op, void *user)
{
    ir_mapping *out = user;
    if (op->def == TTCORE_OP(composite)) {
        ir_op *func = ir_symbol_resolve(op, ir_op_attr(op, "decomposition"));
        if (func)
            ir_mapping_set(out, func, func);
    }
    return IR_WALK_ON;
}

/* Whether constants of the function are computed ahead. A composite's decomposition may
 * never run; where it replaces the composite, the pass finds its operations later. */
static bool has_constants(const ir_op *func, const ir_mapping *decompositions)
{
    return func->def == FUNC_OP(func) && ir_op_body(func, 0) &&
           !is_kind(func, "const_eval") && !is_kind(func, "kernel") &&
           !ir_mapping_get(decompositions, func);
}

static bool run_hoist(ir_op *module, pass_run *run)
{
    (void)run;
    bool ok = true;
    uint64_t used = 0;
    ir_mapping *decompositions = ir_mapping_create();
    ir_walk_pre(module, note_decomposition, decompositions);
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (has_constants(op, decompositions))
            ok &= hoist(module, op);
    ir_mapping_free(decompositions);
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        if (op->def == FUNC_OP(func) && ir_op_body(op, 0) && is_kind(op, "const_eval"))
            used += l1_bytes(op);
    if (ok && ttnn_device_of(module))
        ir_op_set_attr(module, "ttnn.l1_const_eval_usage",
                       ir_integer_attr(ir_integer_type(module->ctx, 64, IR_UNSIGNED),
                                       tnb_round_up((int64_t)used + CUSHION, CUSHION)));
    return ok;
}

const pass_def const_eval_hoist_transform_pass = {
    .name = "const-eval-hoist-transform",
    .title = "ConstEvalHoistTransform",
    .summary = "Move what depends on weights only into functions that run once",
    .anchor = "builtin.module",
    .run = run_hoist,
};

/* ---- ttnn-force-const-eval-to-system-memory ----------------------------------------- */

/* Weights that only const-eval functions read. */
static bool feeds_only_loads(const ir_value *v)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        if (use->owner->def != TTCORE_OP(load_cached))
            return false;
    return v->uses != NULL;
}

/* The callee's argument comes from the host; the first thing done is what was there. */
static void receive_on_host(ir_op *callee, size_t i, ir_type host)
{
    ir_block *block = ir_op_body(callee, 0);
    ir_value *arg = block->args[i];
    ir_type was = arg->type;
    ttnn_layout l;
    if (was == host)
        return;
    arg->type = host;
    ir_operand *use = arg->uses;
    bool goes_to_host =
        use && !use->next_use && use->owner->def == TTNN_OP(to_tensor_spec) &&
        ttnn_layout_of(use->owner->results[0].type, &l) && ttnn_layout_on_host(&l);
    if (goes_to_host)
        return;
    ir_op *at = block->first;
    while (is_shared(at))
        at = at->next;
    ir_builder b = ir_builder_before(at);
    b.loc = arg->loc;
    ir_op *back = ir_build_op(&b, TTNN_OP(to_tensor_spec), &was, 1, NULL, 0, NULL, 0, 0);
    ir_value_replace_uses(arg, &back->results[0]);
    ir_op_splice_operands(back, 0, 0, &arg, 1);
}

static ir_walk send_to_host(ir_op *func, void *user)
{
    (void)user;
    if (func->def != FUNC_OP(func) || !is_kind(func, "forward_device") ||
        !ir_op_body(func, 0))
        return IR_WALK_ON;
    ir_block *entry = ir_op_body(func, 0);
    for (uint32_t i = 0; i < entry->n_args; i++) {
        ir_value *arg = entry->args[i];
        ttnn_layout l;
        if (!ttnn_layout_of(arg->type, &l) || ttnn_layout_on_host(&l) ||
            !feeds_only_loads(arg))
            continue;
        ttnn_layout_place(&l, TTNN_BufferType_SystemMemory, TTNN_ON_HOST);
        l.tiled = false;
        arg->type = ttnn_tensor_with(arg->type, &l);
        for (ir_operand *use = arg->uses; use; use = use->next_use) {
            ir_op *callee = callee_of(use->owner);
            if (callee)
                receive_on_host(callee, ir_operand_number(use), arg->type);
        }
    }
    func_refresh_type(func);
    return IR_WALK_SKIP;
}

static ir_walk refresh(ir_op *func, void *user)
{
    (void)user;
    if (func->def == FUNC_OP(func) && is_kind(func, "const_eval"))
        func_refresh_type(func);
    return func->def == FUNC_OP(func) ? IR_WALK_SKIP : IR_WALK_ON;
}

static bool run_to_host(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_pre(module, send_to_host, NULL);
    ir_walk_pre(module, refresh, NULL);
    return true;
}

const pass_def ttnn_force_const_eval_to_system_memory_pass = {
    .name = "ttnn-force-const-eval-to-system-memory",
    .title = "TTNNConstEvalInputsToSystemMemory",
    .summary = "Let weights of const-eval functions wait on the host",
    .anchor = "builtin.module",
    .run = run_to_host,
};
