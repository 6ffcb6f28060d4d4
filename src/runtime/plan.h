/* plan.h: a TTNN function as a flat list of steps.
 *
 * Creating a plan walks the function once: every value gets a shape, an element type and a
 * buffer, every operation a step with all the state that it needs. A run walks the array of
 * steps. A step whose inputs are all constant runs once, when the constants are known, and
 * is skipped afterwards. */
#ifndef TILEWRIGHT_RUNTIME_PLAN_H
#define TILEWRIGHT_RUNTIME_PLAN_H

#include "ir/op.h"
#include "runtime/l1_and_dram.h"
#include "support/arena.h"
#include "support/status.h"
#include "support/threadpool.h"
#include "tilewright/tilewright.h"

enum { RT_MAX_RANK = 8, RT_MAX_OPERANDS = 64 };

/* Memory shared by one or more values (such as reshapes). */
typedef struct rt_buffer {
    void *data;
    void *own;  /* allocated for this buffer alone: constants, scratch, converted inputs */
    void *home; /* `own` or a part of the plan's arena; data may point to the caller's
                 * memory instead */
    size_t bytes;
    bool constant;      /* has the same contents in every run */
    bool external;      /* an argument's: each run sets data */
    bool scratch;       /* private to a step */
    bool written;       /* modified in place by some step */
    bool kept;          /* of constants: some step of a run reads it */
    bool apart;         /* shares its memory with no other buffer of the run */
    bool stamped;       /* a constant whose packed forms other programs may share, */
    uint64_t stamp;     /* ... while it is at `data` and has this stamp */
    size_t first, last; /* active steps that access it, while the plan is laid out */
    size_t read; /* steps up to the last one that reads it; SIZE_MAX: the caller does */
    /* While the plan is made: 1 + the step that permutes or cuts a tensor into it; 0: none.
     */
    size_t moved_by;
} rt_buffer;

typedef struct rt_value {
    tw_dtype dtype;
    tw_dtype format; /* as the type says; block floats are stored as bf16 values */
    int rank;
    int64_t dims[RT_MAX_RANK];
    int64_t count; /* elements */
    rt_buffer *buffer;
    rt_allocation *allocation; /* on the device; NULL = on the host */
    const ir_op *released;     /* the ttnn.deallocate that freed it */
    /* Channels last: the value that a permutation, put off, would bring into this one's
     * order; until then the buffer is not written (channels.h). */
    struct rt_value *waiting;
} rt_value;

typedef struct rt_step rt_step;

struct rt_step {
    const char *name; /* name of the operation's row */
    const ir_op *op;  /* the operation, NULL if it has none */
    void (*run)(const rt_step *step);
    /* Called once when the constant inputs are known, before the first run. */
    void (*finalize)(rt_step *step);
    rt_value **in; /* operands that are tensors */
    uint32_t n_in;
    rt_value **operands; /* all operands; NULL for devices and similar */
    rt_value *out; /* the first result, or the operand modified in place by a step without
                    * results */
    rt_value **outs;
    uint32_t n_outs;
    void *state;
    bool constant;
    bool channels_last;  /* tensors are [N, H, W, C], the operation's [N, C, H, W] */
    bool updates;        /* the result may be in operand 0's memory */
    bool packed;         /* operand 1 is read in packed form only */
    bool waits;          /* operand 1 is to be packed before the next run */
    bool joined;         /* does the work of several: only `out` is stored */
    bool on_grid;        /* the step itself has rounded results that are block floats */
    tw_threadpool *pool; /* the plan's */
    uint64_t nanoseconds;
};

typedef struct rt_plan {
    tw_arena arena;
    ir_op *function; /* what it was made of */
    rt_step *steps;
    size_t n_steps, capacity;
    rt_value **inputs, **outputs;
    size_t n_inputs, n_outputs;
    rt_buffer **buffers;
    size_t n_buffers, buffers_capacity;
    bool finalized, profiling;
    /* The steps of a run: those not constant, element-wise ones fused. Built when the
     * constants are set. */
    rt_step *active;
    size_t n_active, active_capacity;
    size_t *active_of; /* step -> active step that does its work, SIZE_MAX: done once */
    void *memory;      /* every buffer that lives only within a run */
    size_t memory_bytes;
    struct rt_packed *packed; /* constants in packed form (packed.c) */
    rt_buffer *shared;        /* scratch of all steps that keep nothing there */
    uint64_t finalizations;
    bool packs;     /* constants are packed now: a run has used them */
    bool waiting;   /* a step waits for that */
    size_t lacking; /* bytes of a failed allocation, 0 if none failed */
    rt_memory device;
    tw_progress *progress;                  /* of runs, or NULL */
    tw_observer observer;                   /* notified of every operation, if set */
    const struct tw_kernel_engine *kernels; /* runs ttnn.generic; or NULL */
    tw_status failed;                       /* of a step in this run; the caller takes it */
    struct rt_owned *owned;                 /* states of steps to release with the plan */
    tw_threadpool *pool; /* one or more threads; carries the run's cancellation */
    bool shares_pool;    /* the pool is not the plan's own */
} rt_plan;

/* True if operations of the row have a kernel. */
bool rt_executes(const ir_op_def *def);
/* True if a plan takes such operations: those with a kernel, and those that compute
 * nothing. */
bool rt_takes(const ir_op_def *def);
/* TW_UNSUPPORTED names the operation without a kernel and its location. Uses the options
 * for DRAM fallback, threads and observer. */
tw_status rt_plan_create(ir_op *func, const tw_compile_options *options,
                         rt_plan **out_plan) TW_NODISCARD;
/* The same, with the threads of a pool that outlives the plan. */
tw_status rt_plan_create_on(ir_op *func, const tw_compile_options *options,
                            tw_threadpool *pool, rt_plan **out_plan) TW_NODISCARD;
void rt_plan_destroy(rt_plan *plan);
/* Call after constant inputs are set in their buffers: runs the constant steps. If
 * cancelled, the plan is incomplete and must not run. */
tw_status rt_plan_finalize(rt_plan *plan) TW_NODISCARD;
/* Call before a run that has the constants of the run before: packs what is multiplied by.
 * Programs that run once, and those whose weights change in every run, gain nothing from
 * packing. If cancelled, the plan is to be finalized again. */
tw_status rt_plan_pack(rt_plan *plan) TW_NODISCARD;
/* Releases the shared packed forms of a constant that changes; with NULL those of all. */
void rt_packed_release(rt_plan *plan, const rt_buffer *buffer);
/* Runs a plan whose constants are set. */
void rt_plan_run(rt_plan *plan);

/* layout.c: assigns parts of the arena to the buffers of a run. */
tw_status rt_plan_lay_out(rt_plan *plan) TW_NODISCARD;

/* ---- for the files that prepare steps ------------------------------------------------ */

typedef tw_status rt_prepare_fn(rt_plan *plan, ir_op *op, rt_step *step);

/* What rows of ttnn/ttnn.def name (runtime/ops). */
#define STEP(function) rt_prepare_fn function;
#define NO_STEP
#define TTNN_USES(id, binary, cpp, python, step) step
#include "ttnn/ttnn.def"
#undef STEP
#undef NO_STEP
rt_prepare_fn rt_prepare_elementwise; /* of all of ttnn/elementwise.def */

/* Distributes tasks of a step over the plan's threads; for a few tasks no thread is woken.
 * Results must be bit-identical however work is split into tasks. */
enum { RT_FEW_TASKS = 4 };
static inline void rt_parallel(const rt_step *step, int64_t tasks, tw_task_fn run,
                               void *context)
{
    tw_threadpool_run(step->pool, tasks < RT_FEW_TASKS ? 1 : 0, tasks, run, context);
}
/* True if the run was cancelled: long loops then return. */
static inline bool rt_stopped(const rt_step *step)
{
    return tw_threadpool_cancelled(step->pool);
}
/* Returns 64-byte aligned memory owned by the plan. NULL if allocation fails: see
 * rt_plan_lacks. */
void *rt_scratch_alloc(rt_plan *plan, size_t bytes);
/* Returns scratch memory of at least that size, 64-byte aligned, which other steps use,
 * too: contents last for one step. The address may change until the plan is complete. */
rt_buffer *rt_shared_scratch(rt_plan *plan, size_t bytes);
/* Frees constants that only constant steps and packing have read. */
void rt_plan_drop_constants(rt_plan *plan);
/* Allocates memory for a buffer; false if that fails: see rt_plan_lacks. */
bool rt_own_memory(rt_plan *plan, rt_buffer *b);
/* Returns TW_RESOURCE after a failed allocation, once. */
tw_status rt_plan_lacks(rt_plan *plan) TW_NODISCARD;
/* Has `release` called with the state when the plan is destroyed. */
void rt_plan_owns(rt_plan *plan, void *state, void (*release)(void *state));
/* observe.c: adds a step that notifies the plan's observer of the operation: before it with
 * `ins`, after it with `outs`. */
void rt_observe(rt_plan *plan, const ir_op *op, rt_value **ins, size_t n_ins,
                rt_value **outs, size_t n_outs, bool before);
/* True if every value needs its own memory, since observers may write to it. */
static inline bool rt_observed(const rt_plan *plan)
{
    return plan->observer.notify != NULL;
}
/* Adds a complete step. */
void rt_add_step(rt_plan *plan, const rt_step *step);
rt_buffer *rt_add_buffer(rt_plan *plan, size_t bytes);
/* Makes a step with one operand and one result permute it: out axis i = in axis order[i].
 */
void rt_permute_step(rt_plan *plan, const int64_t *order, rt_step *step);
/* Elements that a copy takes: axis i of the result is axis order[i] of the operand, from
 * begins[i] in steps of steps[i]. */
typedef struct rt_moved {
    int64_t order[RT_MAX_RANK], begins[RT_MAX_RANK], steps[RT_MAX_RANK];
} rt_moved;
/* What a step copies that is an operation's permutation or slice; NULL for any other. */
const rt_moved *rt_moved_by(const rt_step *step);
/* The axis of a channels-last tensor that is axis `d` of [N, C, H, W]. */
static inline int rt_channels_last_dim(int d)
{
    return d == 0 ? 0 : d == 1 ? 3 : d - 1;
}
/* For a step without results that modifies an operand: step->out becomes that operand's
 * value. */
void rt_write_in_place(rt_step *step, rt_value *target);
static inline void *rt_data(const rt_value *v)
{
    return v->buffer->data;
}
bool rt_is_float(tw_dtype t);
/* Elements as f32 and back; floats round to nearest even, integers wrap. */
void rt_load_f32(tw_dtype t, const void *from, size_t at, size_t n, float *to);
void rt_store_f32(tw_dtype t, const float *from, size_t n, void *to, size_t at);
void rt_load_i64(tw_dtype t, const void *from, size_t at, size_t n, int64_t *to);
void rt_store_i64(tw_dtype t, const int64_t *from, size_t n, void *to, size_t at);
/* Converts n elements between any two types: floats to integers by truncation, values out
 * of range to the lowest integer (of 64 bits for types narrower than 32, which keep the low
 * bits); anything to a boolean by != 0. */
void rt_convert(tw_dtype from_type, const void *from, tw_dtype to_type, void *to, size_t n);
/* The same to a tensor, rounded if it holds block floats. */
void rt_convert_into(tw_dtype from_type, const void *from, const rt_value *to);
/* True if an operation modifies this tensor, or a view of it, in place. */
bool rt_is_written(const ir_value *v);
/* True if the result of an operation that could be a view of its operand needs memory of
 * its own: it is read after something else wrote the operand, or observed. */
bool rt_must_copy(const rt_plan *plan, const ir_op *op);
/* True if it needs that because the operand is the caller's memory, and one of both is
 * written. */
bool rt_must_leave(const rt_value *in, const ir_op *op);
/* True for operations whose result may be a view of the first operand. */
bool rt_is_view(const ir_op *op);
/* Returns the operand with the name, NULL if it is absent. */
rt_value *rt_operand(const ir_op *op, const rt_step *step, const char *name);

#endif
