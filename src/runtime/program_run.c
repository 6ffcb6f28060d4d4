/* program_run.c: the public interface: queries and runs. */
#include "runtime/program_impl.h"
#include "support/guard.h"

#include <stdlib.h>

/* ---- queries ------------------------------------------------------------------------- */

TW_EXPORT size_t tw_program_input_count(const tw_program *p)
{
    return p->n_inputs;
}

TW_EXPORT size_t tw_program_output_count(const tw_program *p)
{
    return p->n_outputs;
}

TW_EXPORT const tw_tensor_desc *tw_program_input(const tw_program *p, size_t i)
{
    return i < p->n_inputs ? &p->inputs[i] : NULL;
}

TW_EXPORT const tw_tensor_desc *tw_program_output(const tw_program *p, size_t i)
{
    return i < p->n_outputs ? &p->outputs[i] : NULL;
}

TW_EXPORT tw_cache_use tw_program_cache_use(const tw_program *p)
{
    return p->cache_use;
}

TW_EXPORT size_t tw_program_check_count(const tw_program *p)
{
    return p->n_checks;
}

TW_EXPORT const tw_check *tw_program_check(const tw_program *p, size_t i)
{
    return i < p->n_checks ? &p->checks[i] : NULL;
}

TW_EXPORT size_t tw_program_host_op_count(const tw_program *p)
{
    return p->host ? rt_host_op_count(p->host) : p->wide ? 1 : 0;
}

TW_EXPORT size_t tw_program_narrowed_count(const tw_program *p)
{
    return p->n_narrowed;
}

TW_EXPORT const tw_host_op *tw_program_host_op(const tw_program *p, size_t i)
{
    static const tw_host_op all = {
        .name = "func.func", .why = "an argument is beyond 32 bits", .count = 1};
    return p->host ? rt_host_op(p->host, i) : p->wide && i == 0 ? &all : NULL;
}

/* Returns the program that contains step *i: `p`, or one of the parts that its host calls;
 * *i becomes the index in it. */
static const tw_program *of_step(const tw_program *p, size_t *i)
{
    for (size_t k = 0; p->host && k < rt_host_segment_count(p->host); k++) {
        const tw_program *part = rt_host_segment(p->host, k);
        size_t n = part ? tw_program_step_count(part) : 0;
        if (*i < n)
            return part;
        *i -= n;
    }
    return p->host ? NULL : p;
}

TW_EXPORT size_t tw_program_step_count(const tw_program *p)
{
    size_t n = 0;
    if (p->queue)
        return 0;
    if (!p->host)
        return p->plan->finalized ? p->plan->n_active : p->plan->n_steps;
    for (size_t k = 0; k < rt_host_segment_count(p->host); k++)
        if (rt_host_segment(p->host, k))
            n += tw_program_step_count(rt_host_segment(p->host, k));
    return n;
}

TW_EXPORT const char *tw_program_step_name(const tw_program *p, size_t i)
{
    p = of_step(p, &i);
    const rt_plan *plan = p ? p->plan : NULL;
    if (plan && plan->finalized)
        return i < plan->n_active ? plan->active[i].name : NULL;
    return plan && i < plan->n_steps ? plan->steps[i].name : NULL;
}

TW_EXPORT uint64_t tw_program_step_time(const tw_program *p, size_t i)
{
    p = of_step(p, &i);
    const rt_plan *plan = p ? p->plan : NULL;
    return plan && plan->finalized && i < plan->n_active ? plan->active[i].nanoseconds : 0;
}

TW_EXPORT void tw_program_set_profiling(tw_program *p, bool on)
{
    if (p->plan)
        p->plan->profiling = on;
    for (size_t k = 0; p->host && k < rt_host_segment_count(p->host); k++)
        if (rt_host_segment(p->host, k))
            tw_program_set_profiling(rt_host_segment(p->host, k), on);
}

/* Parts of a program run one after another: of the device's memory the largest use of a
 * bank counts, while the host keeps the tensors of all. */
static tw_memory_use memory_of_parts(const tw_program *p)
{
    tw_memory_use all = {.host_bytes = rt_host_peak(p->host)};
    for (size_t k = 0; k < rt_host_segment_count(p->host); k++) {
        const tw_program *part = rt_host_segment(p->host, k);
        if (!part)
            continue;
        tw_memory_use m = tw_program_memory(part);
        m.l1_bank_peak = TW_MAX(m.l1_bank_peak, all.l1_bank_peak);
        m.dram_bank_peak = TW_MAX(m.dram_bank_peak, all.dram_bank_peak);
        m.dram_fallbacks += all.dram_fallbacks;
        m.host_bytes += all.host_bytes;
        all = m;
    }
    return all;
}

TW_EXPORT tw_memory_use tw_program_memory(const tw_program *p)
{
    if (p->queue)
        return (tw_memory_use){0};
    if (p->host)
        return memory_of_parts(p);
    const rt_bank *l1 = &p->plan->device.bank[RT_L1],
                  *dram = &p->plan->device.bank[RT_DRAM];
    const size_t wide = p->wide ? rt_host_peak(p->wide->host) : 0;
    return (tw_memory_use){.l1_banks = (size_t)l1->count,
                           .l1_bank_bytes = (size_t)l1->bytes,
                           .l1_bank_peak = (size_t)l1->peak,
                           .dram_banks = (size_t)dram->count,
                           .dram_bank_bytes = (size_t)dram->bytes,
                           .dram_bank_peak = (size_t)dram->peak,
                           .dram_fallbacks = p->plan->device.fallbacks,
                           .host_bytes = p->plan->memory_bytes + wide};
}

/* ---- running ------------------------------------------------------------------------ */

/* The device's integers have 32 bits: a value that does not fit is an error. */
static tw_status check_range(const tw_program *p, size_t i, const void *data)
{
    const int64_t *x = data;
    bool is_signed = p->inputs[i].dtype == TW_I64;
    if ((!is_signed && p->inputs[i].dtype != TW_U64) ||
        tw_dtype_size(p->plan->inputs[i]->dtype) == sizeof(*x))
        return TW_SUCCESS;
    for (size_t k = 0; k < p->inputs[i].bytes / sizeof(*x); k++)
        if (is_signed ? x[k] != (int32_t)x[k] : (uint64_t)x[k] > UINT32_MAX)
            return tw_error(TW_UNSUPPORTED,
                            "input %zu: element %zu is %lld, which does not fit the "
                            "device's integers of 32 bits",
                            i, k, (long long)x[k]);
    return TW_SUCCESS;
}

TW_UNDER_GUARD guarded_program_set_constant(tw_program *p, size_t i, const void *data)
{
    if (i >= p->n_inputs)
        return tw_error(TW_INVALID, "the program has %zu inputs; there is no number %zu",
                        p->n_inputs, i);
    if (!p->plan) {
        size_t bytes = p->inputs[i].bytes;
        void *copy = tw_arena_try_alloc(&p->arena, bytes + 1);
        if (!copy)
            return tw_error(TW_RESOURCE, "no memory for the %zu bytes of input %zu", bytes,
                            i);
        p->given[i] = memcpy(copy, data, bytes);
        p->constant[i] = true;
        return TW_SUCCESS;
    }
    TW_TRY(check_range(p, i, data));
    rt_value *v = p->plan->inputs[i];
    rt_packed_release(p->plan, v->buffer);
    v->buffer->stamped = false;
    if (!rt_own_memory(p->plan, v->buffer))
        return rt_plan_lacks(p->plan);
    rt_convert_into(p->inputs[i].dtype, data, v);
    v->buffer->constant = true;
    p->constant[i] = true;
    p->plan->finalized = false;
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_program_set_constant(tw_program *p, size_t i, const void *data)
{
    TW_RETURN_GUARDED(guarded_program_set_constant(p, i, data));
}

TW_UNDER_GUARD guarded_borrow(tw_program *p, size_t i, const void *data,
                              const uint64_t *stamp)
{
    rt_value *v = !p->plan || i >= p->n_inputs ? NULL : p->plan->inputs[i];
    if (!v || v->format != p->inputs[i].dtype || v->buffer->written)
        return tw_program_set_constant(p, i, data);
    rt_packed_release(p->plan, v->buffer);
    free(v->buffer->own);
    v->buffer->own = NULL;
    v->buffer->data = v->buffer->home = (void *)(uintptr_t)data;
    v->buffer->constant = true;
    v->buffer->stamped = stamp != NULL;
    v->buffer->stamp = stamp ? *stamp : 0;
    p->constant[i] = true;
    p->plan->finalized = false;
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_program_borrow_constant(tw_program *p, size_t i, const void *data)
{
    TW_RETURN_GUARDED(guarded_borrow(p, i, data, NULL));
}

TW_EXPORT tw_status tw_program_share_constant(tw_program *p, size_t i, const void *data,
                                              uint64_t stamp)
{
    TW_RETURN_GUARDED(guarded_borrow(p, i, data, &stamp));
}

static tw_status bind_input(tw_program *p, size_t i, const void *data)
{
    rt_value *v = p->plan->inputs[i];
    if (v->format == p->inputs[i].dtype && !v->buffer->written) {
        v->buffer->data = (void *)(uintptr_t)data;
        return TW_SUCCESS;
    }
    if (!rt_own_memory(p->plan, v->buffer)) /* also where steps write to an argument */
        return rt_plan_lacks(p->plan);
    rt_convert_into(p->inputs[i].dtype, data, v);
    return TW_SUCCESS;
}

/* A result may be written directly to the caller's memory if its buffer is the plan's own,
 * changes in every run and belongs to only one output. */
static bool writes_through(const tw_program *p, size_t i)
{
    const rt_value *v = p->plan->outputs[i];
    if (v->buffer->external || v->buffer->constant || v->dtype != p->outputs[i].dtype)
        return false;
    for (size_t k = 0; k < p->n_outputs; k++)
        if (k != i && p->plan->outputs[k]->buffer == v->buffer)
            return false;
    return true;
}

/* The last reader of the input makes the output from it, and no other step writes there. */
TW_EXPORT bool tw_program_updates(const tw_program *p, size_t input, size_t output)
{
    const rt_plan *plan = p->plan;
    if (!plan || p->host || p->wide || !plan->finalized || input >= p->n_inputs ||
        output >= p->n_outputs || p->constant[input] || !writes_through(p, output))
        return false;
    const rt_value *in = plan->inputs[input], *out = plan->outputs[output];
    const rt_step *maker = NULL;
    if (in->format != p->inputs[input].dtype || in->buffer->written ||
        out->buffer->written || in->count != out->count || in->dtype != out->dtype)
        return false;
    for (size_t i = 0; i < plan->n_steps; i++)
        for (uint32_t k = 0; k < plan->steps[i].n_outs; k++)
            if (plan->steps[i].outs[k]->buffer == out->buffer) {
                if (maker || in->buffer->read != i + 1)
                    return false;
                maker = &plan->steps[i];
            }
    if (!maker || !maker->updates || maker->in[0]->buffer != in->buffer)
        return false;
    for (uint32_t k = 1; k < maker->n_in; k++)
        if (maker->in[k]->buffer == in->buffer)
            return false;
    return true;
}

TW_EXPORT size_t tw_program_parse_count(const tw_program *p)
{
    return ir_context_parse_count(p->ctx);
}

TW_EXPORT void tw_program_set_cancel(tw_program *p, const volatile int *cancel)
{
    p->cancel = cancel;
    if (p->plan)
        tw_threadpool_set_cancel(p->plan->pool, cancel);
}

/* A host's program or a queue, which take bytes unconverted. */
static tw_status run_unplanned(tw_program *p, const void *const *inputs,
                               void *const *outputs)
{
    const void **in = tw_xmalloc((p->n_inputs + 1) * sizeof *in);
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < p->n_inputs; i++) {
        in[i] = p->constant[i] ? p->given[i] : inputs[i];
        if (!in[i] && p->inputs[i].bytes && !status)
            status = tw_error(TW_INVALID,
                              "input %zu is NULL and has not been set as a constant", i);
    }
    if (!status)
        status = p->queue ? p->engine->run_queue(p->queue, in, outputs, p->cancel)
                          : rt_host_run(p->host, in, outputs, p->cancel);
    free(in);
    return status;
}

static tw_status run_plan(tw_program *p, const void *const *inputs, void *const *outputs)
{
    for (size_t i = 0; i < p->n_inputs; i++) {
        if (p->constant[i])
            continue;
        if (!inputs[i] && p->inputs[i].bytes)
            return tw_error(TW_INVALID,
                            "input %zu is NULL and has not been set as a constant", i);
        TW_TRY(check_range(p, i, inputs[i]));
        TW_TRY(bind_input(p, i, inputs[i]));
    }
    if (!p->plan->finalized)
        TW_TRY(rt_plan_finalize(p->plan));
    else if (p->plan->waiting)
        TW_TRY(rt_plan_pack(p->plan));
    if (!p->plan->finalized)
        return rt_interrupted();
    for (size_t i = 0; i < p->n_outputs; i++)
        if (writes_through(p, i))
            p->plan->outputs[i]->buffer->data = outputs[i];
    rt_plan_run(p->plan);
    tw_status failed = p->plan->failed;
    p->plan->failed = TW_SUCCESS;
    const bool whole = !failed && !tw_threadpool_cancelled(p->plan->pool);
    for (size_t i = 0; i < p->n_outputs; i++) {
        const rt_value *v = p->plan->outputs[i];
        if (rt_data(v) != outputs[i] && whole)
            rt_convert(v->dtype, rt_data(v), p->outputs[i].dtype, outputs[i],
                       (size_t)v->count);
        else if (rt_data(v) == outputs[i])
            v->buffer->data = v->buffer->home;
    }
    return failed ? failed : whole ? TW_SUCCESS : rt_interrupted();
}

/* Runs on the host, if the caller allows it, with an argument that does not fit in 32
 * bits. */
static tw_status run_wide(tw_program *p, const void *const *inputs, void *const *outputs,
                          tw_status refused)
{
    for (size_t i = 0; i < p->n_inputs; i++)
        if (p->constant[i] || (!p->wide && !p->source))
            return refused;
    tw_status status = p->wide ? TW_SUCCESS : rt_compile_wide(p);
    if (status == TW_SUCCESS) {
        tw_program_set_cancel(p->wide, p->cancel);
        status = tw_program_run(p->wide, inputs, outputs);
    }
    tw_status_free(refused);
    return status;
}

TW_UNDER_GUARD guarded_program_run(tw_program *p, const void *const *inputs,
                                   void *const *outputs)
{
    if (!p->plan)
        return run_unplanned(p, inputs, outputs);
    tw_status status = run_plan(p, inputs, outputs);
    return tw_status_code(status) == TW_UNSUPPORTED ? run_wide(p, inputs, outputs, status)
                                                    : status;
}

TW_EXPORT tw_status tw_program_run(tw_program *p, const void *const *inputs,
                                   void *const *outputs)
{
    TW_RETURN_GUARDED(guarded_program_run(p, inputs, outputs));
}
