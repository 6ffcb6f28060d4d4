/* device_time.c: what the chip would take for a program, by the model of cost/. */
#include "cost/cost.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "runtime/program_impl.h"
#include "support/guard.h"
#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

typedef struct prediction {
    tw_program *whole; /* owns what the result points to */
    cost_model model;
    tw_device_time time;
    tw_device_op *ops;
    size_t n, capacity;
    size_t steps; /* of parts before this one */
} prediction;

/* Of one function: values that are the same in all runs, and who made them. */
typedef struct walk {
    ir_mapping *constant; /* value -> itself */
    ir_mapping *made_by;  /* value -> 1 + index of its operation */
    ir_mapping *step_of;  /* operation -> 1 + index of the active step */
} walk;

static void note_steps(const rt_plan *plan, walk *w)
{
    if (!plan->finalized)
        return;
    for (size_t i = 0; i < plan->n_steps; i++)
        if (plan->steps[i].op && plan->active_of[i] != SIZE_MAX)
            ir_mapping_set(w->step_of, plan->steps[i].op,
                           (void *)(uintptr_t)(1 + plan->active_of[i]));
}

/* True if no operand depends on what a run is given. */
static bool is_once(const ir_op *op, const walk *w)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_type_is_tensor(op->operands[i].value->type) &&
            !ir_mapping_get(w->constant, op->operands[i].value))
            return false;
    return op->n_results > 0;
}

static const char *text_of(prediction *p, ir_type type)
{
    tw_strbuf text = {0};
    if (ir_type_is_tensor(type)) {
        ir_print_type(type->element, &text);
        tw_strbuf_putc(&text, '[');
        for (size_t i = 0; i < type->count; i++)
            tw_strbuf_printf(&text, i ? ", %lld" : "%lld", (long long)type->dims[i]);
        tw_strbuf_putc(&text, ']');
    }
    const char *kept = tw_arena_copy(&p->whole->arena, tw_strbuf_text(&text), text.size);
    tw_strbuf_free(&text);
    return kept;
}

static void find_operands(prediction *p, const ir_op *op, const walk *w, tw_device_op *out)
{
    size_t *from = TW_ARENA_ARRAY(&p->whole->arena, size_t, op->n_operands + 1);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const size_t maker = (uintptr_t)ir_mapping_get(w->made_by, op->operands[i].value);
        if (maker)
            from[out->n_from++] = maker - 1;
    }
    out->from = from;
}

static void add_op(prediction *p, ir_op *op, walk *w)
{
    const op_cost c = cost_of_op(&p->model, op);
    const size_t step = (uintptr_t)ir_mapping_get(w->step_of, op);
    tw_device_op d = {.name = op->def->name,
                      .result = text_of(p, op->n_results ? op->results[0].type
                                                         : op->operands[0].value->type),
                      .step = step ? p->steps + step - 1 : SIZE_MAX,
                      .once = is_once(op, w),
                      .bytes_only = c.bytes_only,
                      .cores = c.cores,
                      .cycles = c.cycles,
                      .compute = c.compute,
                      .noc = c.noc,
                      .dram = c.dram,
                      .read_bytes = c.read_bytes,
                      .write_bytes = c.write_bytes,
                      .noc_bytes = c.noc_bytes,
                      .bound = c.bound};
    ir_ident file;
    uint32_t line, column;
    if (ir_loc_position(op->ctx, op->loc, &file, &line, &column)) {
        d.file = tw_arena_copy(&p->whole->arena, file->text, file->size);
        d.line = line;
        d.column = column;
    }
    find_operands(p, op, w, &d);
    TW_PUSH(p->ops, p->n, p->capacity, d);
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_mapping_set(w->made_by, &op->results[i], (void *)(uintptr_t)p->n);
        if (d.once)
            ir_mapping_set(w->constant, &op->results[i], &op->results[i]);
    }
    if (d.once || d.cycles <= 0)
        return;
    p->time.cycles += d.cycles;
    p->time.launches++;
}

static void add_function(prediction *p, const tw_program *part)
{
    const rt_plan *plan = part->plan;
    ir_block *body = ir_op_body(plan->function, 0);
    walk w = {ir_mapping_create(), ir_mapping_create(), ir_mapping_create()};
    note_steps(plan, &w);
    for (uint32_t i = 0; i < body->n_args && i < part->n_inputs; i++)
        if (part->constant[i])
            ir_mapping_set(w.constant, body->args[i], body->args[i]);
    for (ir_op *op = body->first; op; op = op->next)
        if (op->n_operands + op->n_results && op->def != TTNN_OP(deallocate) &&
            op->def != TTNN_OP(get_device) && op->def != FUNC_OP(return ))
            add_op(p, op, &w);
    ir_mapping_free(w.constant);
    ir_mapping_free(w.made_by);
    ir_mapping_free(w.step_of);
    p->steps += tw_program_step_count(part);
}

/* The chip of the first part that runs on one. */
static const dev_chip *chip_of(const tw_program *p)
{
    const dev_chip *chip = NULL;
    if (p->plan)
        chip = cost_chip_of(ir_op_parent(p->plan->function));
    for (size_t i = 0; p->host && !chip && i < rt_host_segment_count(p->host); i++)
        if (rt_host_segment(p->host, i))
            chip = chip_of(rt_host_segment(p->host, i));
    return chip;
}

static tw_status predict(tw_program *p)
{
    const dev_chip *chip = chip_of(p);
    prediction r = {.whole = p};
    p->device_time = NULL;
    if (!chip)
        return TW_SUCCESS;
    cost_open(&r.model, chip);
    if (p->plan)
        add_function(&r, p);
    for (size_t i = 0; p->host && i < rt_host_segment_count(p->host); i++) {
        const tw_program *part = rt_host_segment(p->host, i);
        if (part && part->plan)
            add_function(&r, part);
    }
    tw_device_op *ops = TW_ARENA_ARRAY(&p->arena, tw_device_op, r.n + 1);
    if (r.n)
        memcpy(ops, r.ops, r.n * sizeof *ops);
    free(r.ops);
    tw_device_time *time = TW_ARENA_NEW(&p->arena, tw_device_time);
    *time = r.time;
    time->chip = chip->name;
    time->cores = chip->grid_y * chip->grid_x;
    time->clock_ghz = chip->clock_ghz;
    time->launch_us = chip->cost.launch_us;
    time->us =
        time->cycles / (1000 * time->clock_ghz) + (double)time->launches * time->launch_us;
    time->ops = ops;
    time->n_ops = r.n;
    p->device_time = time;
    return TW_SUCCESS;
}

TW_UNDER_GUARD guarded_predict(tw_program *p)
{
    return predict(p);
}

static tw_status predict_guarded(tw_program *p)
{
    TW_RETURN_GUARDED(guarded_predict(p));
}

TW_EXPORT const tw_device_time *tw_program_device_time(tw_program *p)
{
    const bool finalized = !p->plan || p->plan->finalized;
    if (p->device_time && p->predicted_whole == finalized)
        return p->device_time;
    tw_status failed = predict_guarded(p);
    p->predicted_whole = finalized;
    if (failed)
        p->device_time = NULL;
    tw_status_free(failed);
    return p->device_time;
}
