/* plan.c: creates and runs plans. */
#include "runtime/plan.h"

#include "host/isa.h"
#include "ir/rewrite/effects.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "mlir/quant/quant.h"
#include "runtime/channels.h"
#include "runtime/group.h"
#include "runtime/joins.h"
#include "runtime/program_impl.h"
#include "runtime/views.h"
#include "support/blockfloat.h"
#include "support/clock.h"
#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

static tw_status unsupported_type(ir_op *op, ir_type type)
{
    tw_strbuf text = {0};
    ir_print_type(type, &text);
    tw_status status = tw_error(TW_UNSUPPORTED, "'%s': tensors of type '%s' cannot be held",
                                op->def->name, tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return status;
}

static tw_status make_value(rt_plan *plan, ir_op *op, ir_type type, rt_value **out)
{
    rt_value *v = TW_ARENA_NEW(&plan->arena, rt_value);
    if (!ir_type_is_tensor(type) || !ir_type_has_static_shape(type) ||
        type->count > RT_MAX_RANK || !rt_dtype_of(type->element, true, &v->format) ||
        ir_type_num_elements(type) < 0 || ir_type_num_elements(type) > INT64_MAX / 16)
        return unsupported_type(op, type);
    v->dtype = tw_dtype_is_block(v->format) ? TW_BF16 : v->format;
    v->rank = (int)type->count;
    for (int i = 0; i < v->rank; i++)
        v->dims[i] = type->dims[i];
    v->count = ir_type_num_elements(type);
    *out = v;
    return TW_SUCCESS;
}

rt_buffer *rt_add_buffer(rt_plan *plan, size_t bytes)
{
    rt_buffer *b = TW_ARENA_NEW(&plan->arena, rt_buffer);
    b->bytes = bytes;
    TW_PUSH(plan->buffers, plan->n_buffers, plan->buffers_capacity, b);
    return b;
}

void rt_add_step(rt_plan *plan, const rt_step *step)
{
    TW_PUSH(plan->steps, plan->n_steps, plan->capacity, *step);
    if (rt_moved_by(step))
        step->out->buffer->moved_by = plan->n_steps;
}

bool rt_own_memory(rt_plan *plan, rt_buffer *b)
{
    if (!b->own)
        b->own = tw_malloc_lines(b->bytes);
    if (!b->own)
        plan->lacking = TW_MAX(b->bytes, 1);
    b->data = b->home = b->own;
    return b->own != NULL;
}

tw_status rt_plan_lacks(rt_plan *plan)
{
    size_t bytes = plan->lacking;
    plan->lacking = 0;
    return bytes ? tw_error(TW_RESOURCE,
                            "the host has no memory for %zu bytes of tensors; free memory, "
                            "raise its limit (ulimit -v) or reduce the batch size",
                            bytes)
                 : TW_SUCCESS;
}

void *rt_scratch_alloc(rt_plan *plan, size_t bytes)
{
    rt_buffer *b = rt_add_buffer(plan, bytes);
    b->scratch = true;
    rt_own_memory(plan, b);
    return b->own;
}

struct rt_owned {
    struct rt_owned *next;
    void *state;
    void (*release)(void *state);
};

void rt_plan_owns(rt_plan *plan, void *state, void (*release)(void *state))
{
    struct rt_owned *owned = TW_ARENA_NEW(&plan->arena, struct rt_owned);
    *owned = (struct rt_owned){plan->owned, state, release};
    plan->owned = owned;
}

void rt_write_in_place(rt_step *step, rt_value *target)
{
    step->out = target;
    target->buffer->written = true;
}

bool rt_is_view(const ir_op *op)
{
    static const uint16_t rows[] = {
        TTNN_assign,          TTNN_reshape,   TTNN_to_device,
        TTNN_from_device,     TTNN_to_layout, TTNN_to_memory_config,
        TTNN_to_tensor_spec,  TTNN_typecast,  TTNN_distribute_tensor,
        TTNN_aggregate_tensor};
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &ttnn_ops[rows[i]])
            return true;
    return false;
}

static bool writes(const ir_op *op)
{
    return (op->n_results == 0 && op->def != TTNN_OP(deallocate) &&
            op->def != TTNN_OP(dump_tensor) && op->def != FUNC_OP(return )) ||
           op->def == TTNN_OP(batch_norm_training) || op->def == TTNN_OP(point_to_point);
}

bool rt_is_written(const ir_value *v)
{
    for (const ir_operand *use = v->uses; use; use = use->next_use)
        if (writes(use->owner) ||
            (rt_is_view(use->owner) && rt_is_written(&use->owner->results[0])))
            return true;
    return false;
}

bool rt_must_copy(const rt_plan *plan, const ir_op *op)
{
    return rt_observed(plan) ||
           (rw_is_read_after_write(op) && !rt_is_written(&op->results[0]));
}

bool rt_must_leave(const rt_value *in, const ir_op *op)
{
    return in->buffer->external &&
           (rt_is_written(op->operands[0].value) || rt_is_written(&op->results[0]));
}

rt_value *rt_operand(const ir_op *op, const rt_step *step, const char *name)
{
    /* Kernels of several operations ask for operands that some of their rows lack. */
    const ir_value *v = ir_op_operand_if_named(op, name);
    for (uint32_t i = 0; v && i < op->n_operands; i++)
        if (op->operands[i].value == v)
            return step->operands[i];
    return NULL;
}

static rt_prepare_fn *find_kernel(const ir_op_def *def)
{
    static rt_prepare_fn *const kernels[TTNN_OP_COUNT] = {
#define TTNN_ELEMENTWISE(ttnn, ...) [TTNN_##ttnn] = rt_prepare_elementwise,
#include "ttnn/elementwise.def"
#define STEP(function) function
#define NO_STEP NULL
#define TTNN_USES(id, binary, cpp, python, step) [TTNN_##id] = step,
#include "ttnn/ttnn.def"
    };
    return def >= ttnn_ops && def < ttnn_ops + TTNN_OP_COUNT ? kernels[def - ttnn_ops]
                                                             : NULL;
}

bool rt_executes(const ir_op_def *def)
{
    return find_kernel(def) != NULL;
}

/* Operations that compute nothing: steps find the device and the end of values by
 * themselves, and the host waits at no semaphore. */
static bool is_silent(const ir_op_def *def)
{
    return def == TTNN_OP(get_device) || def == TTNN_OP(deallocate) ||
           def == TTNN_OP(create_global_semaphore) ||
           def == TTNN_OP(reset_global_semaphore) ||
           def == TTNN_OP(allocate_moe_compute_semaphore);
}

bool rt_takes(const ir_op_def *def)
{
    return rt_executes(def) || is_silent(def);
}

/* Operations that other ones replace before a plan is made (replay_traces.c). */
static bool is_of_trace(const ir_op_def *def)
{
    return def == TTNN_OP(begin_trace_capture) || def == TTNN_OP(end_trace_capture) ||
           def == TTNN_OP(execute_trace) || def == TTNN_OP(capture_or_execute_trace);
}

TW_EXPORT bool tw_operation_runs(const char *name)
{
    const ir_op_def *def = ir_dialect_find_op(&ttnn_dialect, tw_str_from(name));
    return def && (rt_takes(def) || is_of_trace(def));
}

TW_EXPORT tw_status tw_kernels_isa(const char **out_used, const char **out_best)
{
    TW_TRY(krn_isa_check());
    *out_used = krn_isa_name(krn_isa_chosen());
    *out_best = krn_isa_name(krn_isa_of_machine());
    return TW_SUCCESS;
}

static tw_status with_location(ir_op *op, tw_status status)
{
    ir_ident file;
    uint32_t line, column;
    if (status != TW_SUCCESS && ir_loc_position(op->ctx, op->loc, &file, &line, &column))
        return tw_annotate(status, "%s:%u:%u", file->text, line, column);
    return status;
}

static tw_status read_operands(rt_plan *plan, ir_op *op, ir_mapping *values, rt_step *step)
{
    step->in = TW_ARENA_ARRAY(&plan->arena, rt_value *, op->n_operands + 1);
    step->operands = TW_ARENA_ARRAY(&plan->arena, rt_value *, op->n_operands + 1);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        rt_value *v = ir_mapping_get(values, op->operands[i].value);
        step->operands[i] = v;
        if (!v) /* devices have no value */
            continue;
        if (v->released)
            return with_location((ir_op *)(uintptr_t)v->released,
                                 tw_error(TW_INVALID,
                                          "'%s' uses a tensor (operand %u) after it was "
                                          "deallocated here",
                                          op->def->name, i));
        step->in[step->n_in++] = v;
    }
    return TW_SUCCESS;
}

/* Allocates device memory for a result; a view of an operand shares its allocation if the
 * device's layouts have the same size. */
static tw_status allocate_result(rt_plan *plan, const rt_step *step, ir_op *op,
                                 uint32_t result)
{
    rt_value *out = step->outs[result];
    int64_t bytes = 0, banks = 0;
    rt_space space =
        rt_memory_need(&plan->device, op->results[result].type, &bytes, &banks);
    for (uint32_t i = 0; i < step->n_in; i++) {
        rt_allocation *allocation = step->in[i]->allocation;
        if (step->in[i]->buffer == out->buffer && allocation &&
            allocation->space == space && allocation->bytes == bytes &&
            allocation->banks == banks) {
            allocation->owners++;
            out->allocation = allocation;
            return TW_SUCCESS;
        }
    }
    tw_status status =
        rt_memory_allocate(&plan->device, op->results[result].type, &out->allocation);
    return status ? tw_annotate(status, "'%s'", op->def->name) : TW_SUCCESS;
}

static void run_round_block(const rt_step *step)
{
    const rt_value *v = step->out;
    size_t row = v->rank ? (size_t)v->dims[v->rank - 1] : 1;
    size_t rows = row ? (size_t)v->count / row : 0;
    uint16_t *data = rt_data(v);
    float strip[TW_BLOCK];
    for (size_t r = 0; r < rows; r++)
        for (size_t at = 0; at < row; at += TW_BLOCK) {
            size_t n = TW_MIN((size_t)TW_BLOCK, row - at);
            rt_load_f32(TW_BF16, data, r * row + at, n, strip);
            tw_block_round(v->format, TW_BLOCK_PACKER, strip, 1, n, data + r * row + at);
        }
}

/* Rounds to block floats, as the packer does, after a step that computed in bf16. */
static void round_block(rt_plan *plan, rt_value *v)
{
    rt_step step = {.name = "pack",
                    .run = run_round_block,
                    .n_in = 1,
                    .n_outs = 1,
                    .out = v,
                    .pool = plan->pool};
    step.in = step.outs = TW_ARENA_ARRAY(&plan->arena, rt_value *, 1);
    step.in[0] = v;
    rt_add_step(plan, &step);
}

/* Quantized integers may be moved; arithmetic on them needs scale and zero point. */
static tw_status check_quantized(const ir_op *op)
{
    static const uint16_t rows[] = {TTNN_quantize,
                                    TTNN_dequantize,
                                    TTNN_requantize,
                                    TTNN_reshape,
                                    TTNN_permute,
                                    TTNN_repeat,
                                    TTNN_slice_static,
                                    TTNN_slice_dynamic,
                                    TTNN_concat,
                                    TTNN_to_layout,
                                    TTNN_to_tensor_spec,
                                    TTNN_to_memory_config,
                                    TTNN_to_device,
                                    TTNN_assign,
                                    TTNN_from_device,
                                    TTNN_transpose,
                                    TTNN_repeat_interleave,
                                    TTNN_bitcast_convert};
    ir_type quantized = NULL;
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (op->def == &ttnn_ops[rows[i]])
            return TW_SUCCESS;
    for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
        ir_type t = i < op->n_operands ? op->operands[i].value->type
                                       : op->results[i - op->n_operands].type;
        if (ir_type_is_tensor(t) && quant_is_uniform(t->element))
            quantized = t->element;
    }
    return quantized
               ? tw_error(TW_UNSUPPORTED,
                          "'%s' does not compute on codes of type %s; dequantize them "
                          "first",
                          op->def->name, ir_type_text(op->ctx, quantized))
               : TW_SUCCESS;
}

/* Calls were inlined before: the remaining ones are recursive or have no body. */
static tw_status refuse_call(ir_op *op)
{
    ir_attr callee = ir_op_attr(op, "callee");
    tw_str name = callee && callee->count ? ir_attr_str(callee->items[0]) : TW_STR("?");
    ir_op *module = op, *function;
    while (ir_op_parent(module))
        module = ir_op_parent(module);
    function = ir_symbol_lookup(module, name);
    if (function && !ir_op_body(function, 0))
        return tw_error(
            TW_UNSUPPORTED,
            "'func.call' of function '%.*s', which has no body: there is nothing "
            "to run",
            (int)name.size, name.data);
    if (function && ir_op_body(function, 0)->next)
        return tw_error(TW_UNSUPPORTED,
                        "'func.call' of function '%.*s', which has control flow between "
                        "blocks: it cannot run",
                        (int)name.size, name.data);
    return tw_error(TW_UNSUPPORTED,
                    "'func.call' of function '%.*s', which calls itself: recursion is not "
                    "implemented by the runtime",
                    (int)name.size, name.data);
}

static tw_status add_step(rt_plan *plan, ir_op *op, ir_mapping *values)
{
    rt_prepare_fn *kernel = find_kernel(op->def);
    if (!kernel && op->def == FUNC_OP(call))
        return refuse_call(op);
    if (!kernel)
        return tw_error(TW_UNSUPPORTED, "operation '%s' is not implemented by the runtime",
                        op->def->name);
    TW_TRY(check_quantized(op));
    rt_step step = {
        .name = op->def->name, .op = op, .n_outs = op->n_results, .pool = plan->pool};
    TW_TRY(read_operands(plan, op, values, &step));
    step.outs = TW_ARENA_ARRAY(&plan->arena, rt_value *, op->n_results + 1);
    for (uint32_t i = 0; i < op->n_results; i++)
        TW_TRY(make_value(plan, op, op->results[i].type, &step.outs[i]));
    step.out = step.outs[0];
    rt_value **given = step.in; /* a step may read other values in place of its operands */
    const uint32_t n_given = step.n_in;
    if (rt_observed(plan))
        rt_observe(plan, op, given, n_given, NULL, 0, true);
    bool done = false;
    TW_TRY(rt_channels_plan(plan, op, &step, &done));
    for (uint32_t i = 0; i < step.n_in && !done; i++)
        TW_TRY(rt_channels_settle(plan, step.in[i]));
    if (!done)
        TW_TRY(kernel(plan, op, &step));
    for (uint32_t i = 0; i < op->n_results; i++) {
        rt_value *v = step.outs[i];
        if (!v->buffer)
            v->buffer = rt_add_buffer(plan, (size_t)v->count * tw_dtype_size(v->dtype));
        TW_TRY(allocate_result(plan, &step, op, i));
        ir_mapping_set(values, &op->results[i], v);
    }
    if (step.run)
        rt_add_step(plan, &step);
    for (uint32_t i = 0; i < TW_MAX(op->n_results, 1u) && step.run && !step.on_grid; i++) {
        rt_value *v = i < op->n_results ? step.outs[i] : step.out;
        if (v && tw_dtype_is_block(v->format))
            round_block(plan, v);
    }
    if (rt_observed(plan))
        rt_observe(plan, op, given, n_given, step.outs, step.n_outs, false);
    return rt_plan_lacks(plan);
}

static void release(rt_plan *plan, ir_op *op, ir_mapping *values)
{
    rt_value *v = ir_mapping_get(values, op->operands[0].value);
    if (v && !v->released) {
        v->released = op;
        rt_memory_release(&plan->device, v->allocation);
    }
}

static tw_status add_return(rt_plan *plan, ir_op *op, ir_mapping *values)
{
    plan->n_outputs = op->n_operands;
    plan->outputs = TW_ARENA_ARRAY(&plan->arena, rt_value *, op->n_operands + 1);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        plan->outputs[i] = ir_mapping_get(values, op->operands[i].value);
        if (!plan->outputs[i])
            return tw_error(TW_UNSUPPORTED, "'%s' returns something that is no tensor",
                            op->def->name);
        if (plan->outputs[i]->released)
            return tw_error(TW_INVALID, "result %u is returned after it was deallocated",
                            i);
        TW_TRY(rt_channels_settle(plan, plan->outputs[i]));
    }
    if (!rt_observed(plan))
        rt_views_drop_unread(plan);
    return TW_SUCCESS;
}

static tw_status fill(rt_plan *plan, ir_op *func, ir_mapping *values)
{
    ir_block *body = ir_op_body(func, 0);
    if (!body || body->next)
        return tw_error(TW_UNSUPPORTED,
                        "functions with control flow between blocks cannot run");
    plan->n_inputs = body->n_args;
    plan->inputs = TW_ARENA_ARRAY(&plan->arena, rt_value *, body->n_args + 1);
    for (uint32_t i = 0; i < body->n_args; i++) {
        rt_value *v;
        TW_TRY(make_value(plan, func, body->args[i]->type, &v));
        v->buffer = rt_add_buffer(plan, (size_t)v->count * tw_dtype_size(v->dtype));
        v->buffer->external = true;
        plan->inputs[i] = v;
        TW_TRY(rt_memory_allocate(&plan->device, body->args[i]->type, &v->allocation));
        ir_mapping_set(values, body->args[i], v);
    }
    for (ir_op *op = body->first; op; op = op->next) {
        const bool silent = is_silent(op->def);
        if (silent && rt_observed(plan))
            rt_observe(plan, op, NULL, 0, NULL, 0, true);
        if (op->def == TTNN_OP(deallocate))
            release(plan, op, values);
        if (silent && rt_observed(plan))
            rt_observe(plan, op, NULL, 0, NULL, 0, false);
        if (silent)
            continue;
        if (op->def == FUNC_OP(return ))
            return add_return(plan, op, values);
        TW_TRY(with_location(op, add_step(plan, op, values)));
    }
    return tw_error(TW_INVALID, "the function does not return");
}

tw_status rt_plan_create(ir_op *func, const tw_compile_options *o, rt_plan **out_plan)
{
    return rt_plan_create_on(func, o, NULL, out_plan);
}

tw_status rt_plan_create_on(ir_op *func, const tw_compile_options *o, tw_threadpool *pool,
                            rt_plan **out_plan)
{
    *out_plan = NULL;
    TW_TRY(krn_isa_check());
    rt_plan *plan = tw_xcalloc(1, sizeof *plan);
    ir_mapping *values = ir_mapping_create();
    tw_status status = rt_memory_open(ir_op_parent(func), o->dram_fallback, &plan->device);
    plan->progress = o->progress;
    if (o->observer)
        plan->observer = *o->observer;
    plan->kernels = o->kernels;
    plan->pool = pool;
    plan->shares_pool = pool != NULL;
    plan->function = func;
    if (!status && !pool)
        status = tw_threadpool_create(TW_MAX(o->threads, 1), &plan->pool);
    if (!status)
        status = fill(plan, func, values);
    ir_mapping_free(values);
    if (status != TW_SUCCESS) {
        rt_plan_destroy(plan);
        return status;
    }
    *out_plan = plan;
    return TW_SUCCESS;
}

void rt_plan_destroy(rt_plan *plan)
{
    if (!plan)
        return;
    for (struct rt_owned *o = plan->owned; o; o = o->next)
        o->release(o->state);
    rt_packed_release(plan, NULL);
    tw_status_free(plan->failed);
    for (size_t i = 0; i < plan->n_buffers; i++)
        free(plan->buffers[i]->own);
    free(plan->buffers);
    free(plan->steps);
    free(plan->active);
    free(plan->active_of);
    free(plan->memory);
    rt_memory_close(&plan->device);
    if (!plan->shares_pool)
        tw_threadpool_release(plan->pool);
    tw_arena_free(&plan->arena);
    free(plan);
}

/* True if the buffer is read after the current step of the plan. */
static bool read_later(const void *context, const rt_buffer *b)
{
    return b->written || b->read > *(const size_t *)context + 1;
}

static void find_readers(rt_plan *plan)
{
    for (size_t i = 0; i < plan->n_buffers; i++)
        plan->buffers[i]->read = 0;
    for (size_t i = 0; i < plan->n_steps; i++)
        for (uint32_t k = 0; k < plan->steps[i].n_in; k++)
            plan->steps[i].in[k]->buffer->read = i + 1;
    for (size_t k = 0; k < plan->n_outputs; k++)
        plan->outputs[k]->buffer->read = SIZE_MAX;
}

/* The newest active step, which ends with step `last`, is complete. */
static void close_step(rt_plan *plan, size_t last)
{
    if (plan->n_active && rt_is_group(&plan->active[plan->n_active - 1]))
        rt_group_trim(&plan->active[plan->n_active - 1], read_later, &last);
}

/* Builds the steps of a run; adjacent element-wise steps of one shape are fused. */
static void make_active(rt_plan *plan)
{
    size_t last = 0; /* the last step that the newest active one includes */
    plan->n_active = 0;
    find_readers(plan);
    plan->active_of = tw_xrealloc(plan->active_of, (plan->n_steps + 1) * sizeof(size_t));
    for (size_t i = 0; i < plan->n_steps; i++) {
        rt_step *s = &plan->steps[i], joined;
        plan->active_of[i] = SIZE_MAX;
        if (s->constant)
            continue;
        rt_step *before = plan->n_active ? &plan->active[plan->n_active - 1] : NULL;
        if (before && rt_is_group(s) && rt_is_group(before) &&
            rt_group_join(plan, before, s, &joined)) {
            *before = joined;
        } else if (before && rt_is_group(before) &&
                   rt_group_end(plan, before, s, &joined)) {
            *before = joined;
        } else if (before && before->out && before->out->buffer->read == i + 1 &&
                   rt_conv_join(before, s, &joined)) {
            *before = joined;
        } else {
            close_step(plan, last);
            TW_PUSH(plan->active, plan->n_active, plan->active_capacity, *s);
        }
        plan->active_of[i] = plan->n_active - 1;
        last = i;
    }
    close_step(plan, last);
}

/* A step is constant if all its operands are, and its results are not overwritten. */
static bool is_constant(const rt_step *s)
{
    for (uint32_t k = 0; k < s->n_in; k++)
        if (!s->in[k]->buffer->constant || s->in[k]->buffer->written)
            return false;
    for (uint32_t k = 0; k < s->n_outs; k++)
        if (s->outs[k]->buffer->written)
            return false;
    return s->n_outs > 0;
}

tw_status rt_plan_finalize(rt_plan *plan)
{
    plan->finalizations++;
    plan->packs = plan->waiting = false;
    for (size_t i = 0; i < plan->n_buffers; i++)
        if (!plan->buffers[i]->external)
            plan->buffers[i]->constant = false;
    for (size_t i = 0; i < plan->n_steps; i++) {
        rt_step *s = &plan->steps[i];
        s->constant = is_constant(s);
        for (uint32_t k = 0; k < s->n_outs; k++) {
            rt_buffer *b = s->outs[k]->buffer;
            b->constant = s->constant;
            if (s->constant && !rt_own_memory(plan, b))
                return rt_plan_lacks(plan);
        }
        if (s->finalize)
            s->finalize(s);
        TW_TRY(rt_plan_lacks(plan));
        plan->waiting |= s->waits;
        if (s->constant)
            s->run(s);
        if (tw_threadpool_cancelled(plan->pool))
            return TW_SUCCESS;
    }
    make_active(plan);
    TW_TRY(rt_plan_lay_out(plan));
    if (!rt_observed(plan))
        rt_plan_drop_constants(plan);
    plan->finalized = true;
    return TW_SUCCESS;
}

tw_status rt_plan_pack(rt_plan *plan)
{
    plan->finalized = false;
    plan->packs = true;
    for (size_t i = 0; i < plan->n_steps; i++) {
        rt_step *s = &plan->steps[i];
        if (s->waits)
            s->finalize(s);
        TW_TRY(rt_plan_lacks(plan));
        if (tw_threadpool_cancelled(plan->pool))
            return TW_SUCCESS;
    }
    if (!rt_observed(plan))
        rt_plan_drop_constants(plan);
    plan->waiting = false;
    plan->finalized = true;
    return TW_SUCCESS;
}

void rt_plan_run(rt_plan *plan)
{
    if (plan->progress)
        plan->progress->done = 0, plan->progress->total = plan->n_active;
    for (size_t i = 0; i < plan->n_active && !tw_threadpool_cancelled(plan->pool); i++) {
        rt_step *s = &plan->active[i];
        if (plan->progress)
            plan->progress->what = s->name, plan->progress->done = i;
        uint64_t start = plan->profiling ? tw_clock_ns() : 0;
        s->run(s);
        if (plan->profiling)
            s->nanoseconds = tw_clock_ns() - start;
    }
}
