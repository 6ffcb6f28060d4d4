/* trace.c: the pass ttnn-trace-hoist-transform: a function's commands are recorded once and
 * replayed from then on.
 *
 * What computes moves into a function that reads and writes fixed slots; others allocate
 * the slots, run and record it, and replay it.  Weights and caches are their own slots,
 * what comes from the host is written into one before each run. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct values {
    ir_value **list;
    size_t count, capacity;
} values;

typedef struct trace {
    ir_op *module, *func;
    ir_context *ctx;
    size_t number;
    ir_op **ops; /* what moves */
    size_t n_ops, ops_capacity;
    values inputs; /* tensors on the device, tensors from the host, semaphores */
    values outputs;
    size_t n_tensors, n_resident;
    ir_op *main;
} trace;

/* ---- what moves --------------------------------------------------------------------- */

static bool stays(const ir_op *op)
{
    return op->def == FUNC_OP(return ) || op->def == TTCORE_OP(load_cached) ||
           op->def == TTNN_OP(capture_or_execute_trace) || op->def == TTNN_OP(get_device) ||
           tnb_is_creation(op);
}

/* From the first to the last that computes; creations between them go before. */
static bool collect(trace *t)
{
    ir_block *block = ir_op_body(t->func, 0);
    ir_op *first = NULL, *last = NULL;
    for (ir_op *op = block->first; op; op = op->next)
        if (!stays(op)) {
            first = first ? first : op;
            last = op;
        }
    for (ir_op *op = first, *next; op; op = next) {
        next = op == last ? NULL : op->next;
        if (!stays(op)) {
            TW_PUSH(t->ops, t->n_ops, t->ops_capacity, op);
        } else if (tnb_is_creation(op)) {
            ir_op_insert_before(op, first);
        } else {
            return ir_op_error(op, "Non-hoistable op found in the middle of hoistable ops");
        }
    }
    return true;
}

static bool is_semaphore(const ir_value *v)
{
    return v->type->kind == IR_TYPE_DIALECT && v->type->def == TTNN_TYPE(global_semaphore);
}

static bool is_resident(const trace *t, const ir_value *v)
{
    if (!v->is_argument) {
        const ir_op_def *def = ir_value_def(v)->def;
        return def == TTCORE_OP(load_cached) || def == TTNN_OP(empty) ||
               def == TTNN_OP(alloc);
    }
    int64_t kind =
        ir_enum_value(func_arg_attr(t->func, v->index, "ttcore.argument_type"), -1);
    return kind == TTCORE_ArgumentType_Parameter || kind == TTCORE_ArgumentType_Constant ||
           func_arg_attr(t->func, v->index, "ttcore.kv_cache") != NULL;
}

/* Arguments by number, then results where they are made. */
static int by_place(const void *a, const void *b)
{
    const ir_value *x = *(ir_value *const *)a, *y = *(ir_value *const *)b;
    if (x->is_argument != y->is_argument)
        return x->is_argument ? -1 : 1;
    if (x->is_argument || ir_value_def(x) == ir_value_def(y))
        return (x->index > y->index) - (x->index < y->index);
    return ir_op_before(ir_value_def(x), ir_value_def(y)) ? -1 : 1;
}

static void take(values *to, const values *from, const trace *t, int group)
{
    for (size_t i = 0; i < from->count; i++) {
        ir_value *v = from->list[i];
        int of = is_semaphore(v) ? 2 : is_resident(t, v) ? 0 : 1;
        if (of == group)
            TW_PUSH(to->list, to->count, to->capacity, v);
    }
}

static void find_boundary(trace *t)
{
    ir_mapping *moved = ir_mapping_create(), *seen = ir_mapping_create();
    values all = {0};
    for (size_t i = 0; i < t->n_ops; i++)
        ir_mapping_set(moved, t->ops[i], t);
    for (size_t i = 0; i < t->n_ops; i++)
        for (uint32_t k = 0; k < t->ops[i]->n_operands; k++) {
            ir_value *v = t->ops[i]->operands[k].value;
            bool own = !v->is_argument && ir_mapping_get(moved, ir_value_def(v));
            if ((!ir_type_is_tensor(v->type) && !is_semaphore(v)) || own ||
                ir_mapping_get(seen, v))
                continue;
            ir_mapping_set(seen, v, t);
            TW_PUSH(all.list, all.count, all.capacity, v);
        }
    if (all.count)
        qsort(all.list, all.count, sizeof *all.list, by_place);
    take(&t->inputs, &all, t, 0);
    t->n_resident = t->inputs.count;
    take(&t->inputs, &all, t, 1);
    t->n_tensors = t->inputs.count;
    take(&t->inputs, &all, t, 2);
    for (size_t i = 0; i < t->n_ops; i++)
        for (uint32_t k = 0; k < t->ops[i]->n_results; k++)
            for (ir_operand *use = t->ops[i]->results[k].uses; use; use = use->next_use)
                if (!ir_mapping_get(moved, use->owner)) {
                    TW_PUSH(t->outputs.list, t->outputs.count, t->outputs.capacity,
                            &t->ops[i]->results[k]);
                    break;
                }
    free(all.list);
    ir_mapping_free(moved);
    ir_mapping_free(seen);
}

/* ---- functions ---------------------------------------------------------------------- */

static ir_type placed(ir_type t, bool host)
{
    ttnn_layout l;
    if (!ttnn_layout_of(t, &l) || ttnn_layout_on_host(&l) == host)
        return t;
    ttnn_layout_place(&l, host ? TTNN_BufferType_SystemMemory : TTNN_BufferType_DRAM,
                      TTNN_TensorMemoryLayout_Interleaved);
    return ttnn_tensor_with(t, &l);
}

static void put_name(const trace *t, const char *prefix, tw_strbuf *out)
{
    tw_str name = ir_symbol_name(t->func);
    tw_strbuf_printf(out, "%strace_%zu_%.*s", prefix, t->number, (int)name.size, name.data);
}

/* What is known of an input's argument goes on with it. */
static ir_attr attrs_of(const trace *t, const ir_value *v)
{
    ir_attr list = ir_op_attr(t->func, "arg_attrs");
    if (v->is_argument)
        return ir_attr_is(list, IR_ATTR_ARRAY) && v->index < list->count
                   ? list->items[v->index]
                   : NULL;
    if (!is_resident(t, v))
        return NULL;
    return ir_dict_set(
        t->ctx, NULL, ir_ident_from(t->ctx, "ttcore.argument_type"),
        ir_enum_attr(t->ctx, TTCORE_ATTR(argument_type), TTCORE_ArgumentType_Constant));
}

typedef struct signature {
    ir_type *types;
    ir_attr *attrs;
    size_t count, capacity, attrs_capacity;
} signature;

static void add(signature *s, ir_type type, ir_attr attrs, ir_context *ctx)
{
    size_t n = s->count;
    TW_PUSH(s->types, s->count, s->capacity, type);
    ir_attr kept = attrs ? attrs : ir_dict_attr(ctx, NULL, 0);
    TW_PUSH(s->attrs, n, s->attrs_capacity, kept);
}

static ir_op *new_function(const trace *t, const char *prefix, const char *kind,
                           signature *s)
{
    ir_context *ctx = t->ctx;
    tw_strbuf name = {0};
    put_name(t, prefix, &name);
    ir_builder b = ir_builder_before(t->func);
    ir_op *made = func_create(&b, ir_string_attr(ctx, (tw_str){name.data, name.size}),
                              ir_function_type(ctx, s->types, s->count, NULL, 0), true);
    tw_strbuf_free(&name);
    ir_op_set_attr(made, "tt.function_type", ir_string_attr(ctx, tw_str_from(kind)));
    func_add_body(made);
    bool any = false;
    for (size_t i = 0; i < s->count; i++)
        any |= s->attrs[i]->count != 0;
    if (any)
        ir_op_set_attr(made, "arg_attrs", ir_array_attr(ctx, s->attrs, s->count));
    free(s->types);
    free(s->attrs);
    *s = (signature){0};
    return made;
}

static void finish(const trace *t, ir_op *made, ir_value *const *results, size_t n)
{
    ir_builder b = ir_builder_at_end(t->ctx, ir_op_body(made, 0), t->func->loc);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, results, n, NULL, 0, 0);
    func_refresh_type(made);
}

static ir_value *device_of(const trace *t, ir_op *made)
{
    ir_block *block = ir_op_body(made, 0);
    int64_t mesh[2];
    ttnn_device_mesh(t->func, mesh);
    ir_attr shape[] = {ir_raw_int(t->ctx, mesh[0]), ir_raw_int(t->ctx, mesh[1])};
    ir_attr zero[] = {ir_raw_int(t->ctx, 0), ir_raw_int(t->ctx, 0)};
    ir_builder b = ir_builder_at_start(t->ctx, block, t->func->loc);
    return ir_build1(
        &b, TTNN_OP(get_device), ir_dialect_type(t->ctx, TTNN_TYPE(device), NULL, 0), NULL,
        0,
        IR_ATTRS(
            {"mesh_shape", ir_dialect_attr(t->ctx, TTNN_ATTR(mesh_shape), shape, 2)},
            {"mesh_offset", ir_dialect_attr(t->ctx, TTNN_ATTR(mesh_offset), zero, 2)}));
}

/* (inputs, output slots, semaphores): computes, and copies results into the slots. */
static void make_main(trace *t)
{
    signature s = {0};
    for (size_t i = 0; i < t->n_tensors; i++)
        add(&s, t->inputs.list[i]->type, attrs_of(t, t->inputs.list[i]), t->ctx);
    for (size_t i = 0; i < t->outputs.count; i++)
        add(&s, t->outputs.list[i]->type, NULL, t->ctx);
    for (size_t i = t->n_tensors; i < t->inputs.count; i++)
        add(&s, t->inputs.list[i]->type, NULL, t->ctx);
    t->main = new_function(t, "", "trace_main", &s);
    ir_block *block = ir_op_body(t->main, 0);
    ir_mapping *map = ir_mapping_create();
    for (size_t i = 0; i < t->inputs.count; i++)
        ir_mapping_set(map, t->inputs.list[i],
                       block->args[i < t->n_tensors ? i : i + t->outputs.count]);
    ir_value *device = NULL;
    for (size_t i = 0; i < t->n_ops; i++) {
        for (uint32_t k = 0; k < t->ops[i]->n_operands; k++) {
            ir_value *v = t->ops[i]->operands[k].value;
            if (v->type->kind != IR_TYPE_DIALECT || v->type->def != TTNN_TYPE(device))
                continue;
            device = device ? device : device_of(t, t->main);
            ir_mapping_set(map, v, device);
        }
        ir_block_append(block, ir_op_clone(t->ops[i], map));
    }
    ir_builder b = ir_builder_at_end(t->ctx, block, t->func->loc);
    for (size_t i = 0; i < t->outputs.count; i++) {
        ir_value *pair[] = {ir_mapping_get(map, t->outputs.list[i]),
                            block->args[t->n_tensors + i]};
        ir_build_op(&b, TTNN_OP(copy), NULL, 0, pair, 2, NULL, 0, 0);
    }
    ir_mapping_free(map);
    finish(t, t->main, NULL, 0);
}

/* Passes through what is on the device, allocates the rest. */
static void make_allocate(trace *t)
{
    signature s = {0};
    for (size_t i = 0; i < t->n_resident; i++)
        add(&s, t->inputs.list[i]->type, attrs_of(t, t->inputs.list[i]), t->ctx);
    ir_op *made = new_function(t, "allocate_slots_", "trace_allocate_slots", &s);
    ir_block *block = ir_op_body(made, 0);
    ir_value *device = device_of(t, made);
    values slots = {0};
    for (size_t i = 0; i < t->n_tensors + t->outputs.count; i++) {
        if (i < t->n_resident) {
            TW_PUSH(slots.list, slots.count, slots.capacity, block->args[i]);
            continue;
        }
        bool input = i < t->n_tensors;
        ir_type type = input ? placed(t->inputs.list[i]->type, false)
                             : t->outputs.list[i - t->n_tensors]->type;
        ir_builder b = ir_builder_at_end(t->ctx, block, t->func->loc);
        ir_value *slot =
            ir_build1(&b, TTNN_OP(empty), type, IR_VALUES(device),
                      IR_ATTRS({"shape", tnb_shape(t->ctx, type->dims, type->count)}));
        TW_PUSH(slots.list, slots.count, slots.capacity, slot);
    }
    finish(t, made, slots.list, slots.count);
    free(slots.list);
}

static void call_main(const trace *t, ir_builder *b, ir_value *const *args)
{
    size_t n = t->inputs.count + t->outputs.count;
    ir_build_op(b, FUNC_OP(call), NULL, 0, args, n,
                IR_ATTRS({"callee", ir_symbol_ref(t->ctx, ir_symbol_name(t->main))}), 0);
}

/* (tensors from the host, slots, semaphores) -> trace: runs once, then once recorded. */
static void make_capture(trace *t)
{
    size_t staged = t->n_tensors - t->n_resident;
    signature s = {0};
    for (size_t i = t->n_resident; i < t->n_tensors; i++)
        add(&s, placed(t->inputs.list[i]->type, true), attrs_of(t, t->inputs.list[i]),
            t->ctx);
    for (size_t i = 0; i < t->n_tensors; i++) {
        bool resident = i < t->n_resident;
        ir_value *v = t->inputs.list[i];
        add(&s, resident ? v->type : placed(v->type, false),
            resident ? attrs_of(t, v) : NULL, t->ctx);
    }
    for (size_t i = 0; i < t->outputs.count; i++)
        add(&s, t->outputs.list[i]->type, NULL, t->ctx);
    for (size_t i = t->n_tensors; i < t->inputs.count; i++)
        add(&s, t->inputs.list[i]->type, NULL, t->ctx);
    ir_op *made = new_function(t, "run_and_capture_", "trace_run_and_capture", &s);
    ir_block *block = ir_op_body(made, 0);
    ir_value *device = device_of(t, made);
    ir_value *const *slots = block->args + staged;
    ir_builder b = ir_builder_at_end(t->ctx, block, t->func->loc);
    for (size_t i = 0; i < staged; i++) {
        ir_value *pair[] = {block->args[i], slots[t->n_resident + i]};
        ir_build_op(&b, TTNN_OP(write_tensor), NULL, 0, pair, 2, NULL, 0, 0);
    }
    call_main(t, &b, slots);
    ir_value *id = ir_build1(&b, TTNN_OP(begin_trace_capture), tnb_trace_id_type(t->ctx),
                             IR_VALUES(device), NULL, 0);
    call_main(t, &b, slots);
    ir_value *both[] = {device, id};
    ir_build_op(&b, TTNN_OP(end_trace_capture), NULL, 0, both, 2, NULL, 0, 0);
    ir_build_op(&b, TTNN_OP(execute_trace), NULL, 0, both, 2, NULL, 0, 0);
    finish(t, made, &id, 1);
}

static void make_execute(trace *t)
{
    signature s = {0};
    add(&s, tnb_trace_id_type(t->ctx), NULL, t->ctx);
    ir_op *made = new_function(t, "execute_", "trace_execute", &s);
    ir_value *both[] = {device_of(t, made), ir_op_body(made, 0)->args[0]};
    ir_builder b = ir_builder_at_end(t->ctx, ir_op_body(made, 0), t->func->loc);
    ir_build_op(&b, TTNN_OP(execute_trace), NULL, 0, both, 2, NULL, 0, 0);
    finish(t, made, NULL, 0);
}

/* ---- the function itself ------------------------------------------------------------ */

static ir_attr callee(const trace *t, const char *prefix)
{
    tw_strbuf name = {0};
    put_name(t, prefix, &name);
    ir_attr ref = ir_symbol_ref(t->ctx, (tw_str){name.data, name.size});
    tw_strbuf_free(&name);
    return ref;
}

static bool replace_by_trace(trace *t)
{
    ir_builder b = ir_builder_before(t->ops[0]);
    ir_value *device = tnb_device(&b, t->ops[0]);
    values operands = {0};
    b.loc = t->func->loc;
    TW_PUSH(operands.list, operands.count, operands.capacity, device);
    for (size_t i = 0; i < t->inputs.count; i++) {
        ir_value *v = t->inputs.list[i];
        ttnn_layout l;
        bool host = ttnn_layout_of(v->type, &l) && ttnn_layout_on_host(&l);
        if (i < t->n_resident && host) {
            free(operands.list);
            return ir_error(t->ctx, t->func->loc,
                            "Device-resident input must be on device, but found on system "
                            "memory");
        }
        if (i >= t->n_resident && i < t->n_tensors && !host)
            v = ir_build1(&b, TTNN_OP(to_tensor_spec), placed(v->type, true), IR_VALUES(v),
                          NULL, 0);
        TW_PUSH(operands.list, operands.count, operands.capacity, v);
    }
    ir_type *types = tw_xmalloc((t->outputs.count + 1) * sizeof *types);
    for (size_t i = 0; i < t->outputs.count; i++)
        types[i] = t->outputs.list[i]->type;
    int64_t segments[] = {1, (int64_t)t->n_tensors,
                          (int64_t)(t->inputs.count - t->n_tensors)};
    ir_op *run =
        ir_build_op(&b, TTNN_OP(capture_or_execute_trace), types, t->outputs.count,
                    operands.list, operands.count,
                    IR_ATTRS({"allocate_slots_callee", callee(t, "allocate_slots_")},
                             {"capture_callee", callee(t, "run_and_capture_")},
                             {"execute_callee", callee(t, "execute_")}),
                    0);
    ir_op_set_attr(run, "operandSegmentSizes", ir_dense_i32_array(t->ctx, segments, 3));
    for (size_t i = 0; i < t->outputs.count; i++)
        ir_value_replace_uses(t->outputs.list[i], &run->results[i]);
    for (size_t i = t->n_ops; i-- > 0;)
        ir_op_erase(t->ops[i]);
    free(types);
    free(operands.list);
    return true;
}

/* An argument that is only moved comes where it is wanted. */
static bool merge_arguments(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    for (uint32_t i = 0; i < entry->n_args; i++) {
        ir_value *arg = entry->args[i];
        ir_op *user = ir_value_has_one_use(arg) ? arg->uses->owner : NULL;
        ttnn_layout from, to;
        if (!user || user->def != TTNN_OP(to_tensor_spec) ||
            !ttnn_layout_of(arg->type, &from) ||
            !ttnn_layout_of(user->results[0].type, &to))
            continue;
        if (from.dtype != to.dtype)
            return ir_error(func->ctx, func->loc,
                            "ToTensorSpecOp changed data type for argument %u, expected "
                            "only buffer type change",
                            i);
        arg->type = user->results[0].type;
        ir_value_replace_uses(&user->results[0], arg);
        ir_op_erase(user);
    }
    func_refresh_type(func);
    return true;
}

static bool is_forward(const ir_op *op)
{
    ir_attr type = op->def == FUNC_OP(func) ? ir_op_attr(op, "tt.function_type") : NULL;
    return ir_attr_is(type, IR_ATTR_STRING) &&
           tw_str_is(ir_attr_str(type), "forward_device") && ir_op_body(op, 0);
}

static size_t traces_in(ir_op *module)
{
    size_t n = 0;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next) {
        ir_attr type = op->def == FUNC_OP(func) ? ir_op_attr(op, "tt.function_type") : NULL;
        n += ir_attr_is(type, IR_ATTR_STRING) && tw_str_is(ir_attr_str(type), "trace_main");
    }
    return n;
}

static bool hoist(ir_op *module, ir_op *func)
{
    trace t = {.module = module, .func = func, .ctx = func->ctx};
    t.number = traces_in(module);
    if (func->regions[0].first->next)
        return ir_error(func->ctx, func->loc, "FuncOp should have exactly one block");
    bool ok = collect(&t);
    if (ok && t.n_ops) {
        find_boundary(&t);
        make_main(&t);
        make_allocate(&t);
        make_capture(&t);
        make_execute(&t);
        ok = replace_by_trace(&t);
    }
    free(t.ops);
    free(t.inputs.list);
    free(t.outputs.list);
    return ok && merge_arguments(func);
}

typedef struct functions {
    ir_op **list;
    size_t count, capacity;
} functions;

static ir_walk find_forward(ir_op *op, void *user)
{
    functions *f = user;
    if (is_forward(op))
        TW_PUSH(f->list, f->count, f->capacity, op);
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    functions f = {0};
    bool ok = true;
    (void)run;
    ir_walk_pre(module, find_forward, &f);
    for (size_t i = 0; i < f.count; i++)
        ok &= hoist(ir_op_parent(f.list[i]), f.list[i]);
    free(f.list);
    return ok;
}

const pass_def ttnn_trace_hoist_transform_pass = {
    .name = "ttnn-trace-hoist-transform",
    .title = "TTNNTraceHoistTransform",
    .summary = "Record a function's commands once and replay them",
    .anchor = "builtin.module",
    .run = run,
};
