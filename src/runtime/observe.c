/* observe.c: steps that notify an observer of the operations between them. */
#include "runtime/hoisted.h"
#include "runtime/plan.h"

#include "ttnn/to_flatbuffer/import.h"

typedef struct telling {
    const rt_plan *plan;
    tw_op_event event;
    rt_value **values;
    void **data;
} telling;

static void run_tell(const rt_step *step)
{
    telling *t = step->state;
    for (size_t i = 0; i < t->event.n_inputs + t->event.n_outputs; i++)
        t->data[i] = rt_data(t->values[i]);
    t->plan->observer.notify(t->plan->observer.user, &t->event);
}

/* The observer may write to the data, and request it later in the run: its buffers must not
 * be treated as constant, shared, or reused for another tensor. */
static void add_values(rt_plan *plan, telling *t, tw_tensor_desc *tensors, size_t at,
                       rt_value **values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rt_value *v = t->values[at + i] = values[i];
        v->buffer->written = true;
        if (!v->buffer->external && !v->buffer->apart) {
            v->buffer->apart = true;
            rt_own_memory(plan, v->buffer);
        }
        tensors[at + i] =
            (tw_tensor_desc){.dtype = v->dtype,
                             .rank = v->rank,
                             .dims = v->dims,
                             .bytes = (size_t)v->count * tw_dtype_size(v->dtype)};
    }
}

void rt_observe(rt_plan *plan, const ir_op *op, rt_value **ins, size_t n_ins,
                rt_value **outs, size_t n_outs, bool before)
{
    if (ir_op_attr(op, RT_UNOBSERVED))
        return;
    telling *t = TW_ARENA_NEW(&plan->arena, telling);
    size_t n = n_ins + n_outs;
    tw_tensor_desc *tensors = TW_ARENA_ARRAY(&plan->arena, tw_tensor_desc, n + 1);
    t->plan = plan;
    t->values = TW_ARENA_ARRAY(&plan->arena, rt_value *, n + 1);
    t->data = TW_ARENA_ARRAY(&plan->arena, void *, n + 1);
    add_values(plan, t, tensors, 0, ins, n_ins);
    add_values(plan, t, tensors, n_ins, outs, n_outs);
    t->event = (tw_op_event){.name = op->def->name,
                             .before = before,
                             .n_inputs = n_ins,
                             .n_outputs = n_outs,
                             .tensors = tensors,
                             .data = t->data,
                             .l1_bank_used = (size_t)plan->device.bank[RT_L1].used,
                             .dram_bank_used = (size_t)plan->device.bank[RT_DRAM].used};
    ir_ident file;
    if (ir_loc_position(op->ctx, op->loc, &file, &t->event.line, &t->event.column))
        t->event.file = tw_arena_copy(&plan->arena, file->text, strlen(file->text));
    fb_imported_place(op, &t->event.program, &t->event.operation);
    rt_step step = {.name = "observe",
                    .run = run_tell,
                    .in = t->values,
                    .n_in = (uint32_t)n,
                    .state = t,
                    .pool = plan->pool};
    TW_PUSH(plan->steps, plan->n_steps, plan->capacity, step);
}
