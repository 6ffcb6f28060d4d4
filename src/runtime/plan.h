/* plan.h: a TTNN function as a flat list of steps.
 *
 * Making a plan walks the function once: every value gets a shape, an element type and a
 * buffer, every operation a step whose state holds all that it needs.  Running walks the
 * array of steps.  A step whose inputs are all constant runs once, when the constants are
 * known, and is skipped afterwards. */
#ifndef TILEWRIGHT_RUNTIME_PLAN_H
#define TILEWRIGHT_RUNTIME_PLAN_H

#include "ir/op.h"
#include "runtime/l1_and_dram.h"
#include "support/arena.h"
#include "support/status.h"
#include "support/threadpool.h"
#include "tilewright/tilewright.h"

enum { RT_MAX_RANK = 8, RT_MAX_OPERANDS = 64 };

/* Memory that one or more values (a reshape's) look at. */
typedef struct rt_buffer {
    void *data;
    void *own;  /* allocated for this buffer alone: constants, scratch, converted inputs */
    void *home; /* `own` or a part of the plan's arena; data may point at the caller's
                   memory instead */
    size_t bytes;
    bool constant;      /* holds the same numbers in every run */
    bool external;      /* an argument's: data is set by each run */
    bool scratch;       /* private to a step */
    bool written;       /* some step changes it in place */
    bool apart;         /* shares its memory with no other buffer of the run */
    size_t first, last; /* active steps that touch it, while the plan is laid out */
    size_t read; /* steps up to the last one that reads it; SIZE_MAX: the caller does */
} rt_buffer;

typedef struct rt_value {
    tw_dtype dtype;
    tw_dtype format; /* as the type says: block floats are held as bf16 numbers */
    int rank;
    int64_t dims[RT_MAX_RANK];
    int64_t count; /* elements */
    rt_buffer *buffer;
    rt_place *place;       /* on the device; NULL = on the host */
    const ir_op *released; /* the ttnn.deallocate that ended it */
} rt_value;

typedef struct rt_step rt_step;

struct rt_step {
    const char *name; /* the operation's row name */
    void (*run)(const rt_step *step);
    /* Called once when it is known which inputs are constant, before the first run. */
    void (*settle)(rt_step *step);
    rt_value **in; /* operands that are tensors */
    uint32_t n_in;
    rt_value **operands; /* all of them; NULL for devices and the like */
    rt_value *out; /* the first result, or what a step without results writes in place */
    rt_value **outs;
    uint32_t n_outs;
    void *state;
    bool constant;
    bool on_grid; /* results that are block floats have been rounded by the step itself */
    tw_threadpool *pool; /* the plan's */
    uint64_t nanoseconds;
};

typedef struct rt_plan {
    tw_arena arena;
    rt_step *steps;
    size_t n_steps, capacity;
    rt_value **inputs, **outputs;
    size_t n_inputs, n_outputs;
    rt_buffer **buffers;
    size_t n_buffers, buffers_capacity;
    bool settled, profiling;
    /* What a run executes: the steps that are not constant, element-wise ones joined.  Made
     * when the plan is settled. */
    rt_step *active;
    size_t n_active, active_capacity;
    size_t *active_of; /* step -> active step that does its work, SIZE_MAX: done once */
    void *memory;      /* every buffer that lives within a run */
    size_t memory_bytes;
    size_t lacking; /* bytes of an allocation that failed, 0 if none did */
    rt_memory device;
    tw_observer observer; /* told of every operation, if there is one */
    tw_threadpool *pool;  /* of one thread or more; knows whether the run is called off */
} rt_plan;

/* Whether operations of the row have a kernel. */
bool rt_executes(const ir_op_def *def);
/* TW_UNSUPPORTED names the operation that has no kernel and its location.  Of the options
 * the memory's fallback, the threads and the observer count. */
tw_status rt_plan_create(ir_op *func, const tw_compile_options *options,
                         rt_plan **out_plan) TW_NODISCARD;
void rt_plan_destroy(rt_plan *plan);
/* Constant inputs have been set in their buffers; runs the constant steps.  What the pool's
 * cancellation ends early is not settled, or has not run. */
tw_status rt_plan_settle(rt_plan *plan) TW_NODISCARD;
/* A plan that is settled. */
void rt_plan_run(rt_plan *plan);

/* layout.c: which parts of the arena the buffers of a run share. */
tw_status rt_plan_lay_out(rt_plan *plan) TW_NODISCARD;

/* ---- for the files that prepare steps ----------------------------------------------- */

typedef tw_status rt_prepare_fn(rt_plan *plan, ir_op *op, rt_step *step);

typedef struct rt_kernel {
    uint16_t row; /* TTNN_... */
    rt_prepare_fn *prepare;
} rt_kernel;

/* Each family's table, ended by a NULL prepare. */
extern const rt_kernel rt_eltwise_kernels[];
extern const rt_kernel rt_shape_kernels[];
extern const rt_kernel rt_reduce_kernels[];
extern const rt_kernel rt_row_kernels[];
extern const rt_kernel rt_matmul_kernels[];
extern const rt_kernel rt_conv_kernels[];
extern const rt_kernel rt_index_kernels[];
extern const rt_kernel rt_sort_kernels[];
extern const rt_kernel rt_attention_kernels[];
extern const rt_kernel rt_cache_kernels[];
extern const rt_kernel rt_heads_kernels[];
extern const rt_kernel rt_place_kernels[];
extern const rt_kernel rt_norm_kernels[];
extern const rt_kernel rt_pool_kernels[];
extern const rt_kernel rt_quant_kernels[];
extern const rt_kernel rt_random_kernels[];
extern const rt_kernel rt_train_kernels[];
extern const rt_kernel rt_spatial_kernels[];

/* Tasks of a step over the plan's threads; few are not worth waking them.  Results must be
 * the same bytes however work is cut into tasks. */
enum { RT_FEW_TASKS = 4 };
static inline void rt_parallel(const rt_step *step, int64_t tasks, tw_task_fn run,
                               void *context)
{
    tw_threadpool_run(step->pool, tasks < RT_FEW_TASKS ? 1 : 0, tasks, run, context);
}
/* Whether the run is called off: long loops end. */
static inline bool rt_stopped(const rt_step *step)
{
    return tw_threadpool_cancelled(step->pool);
}
/* 64-byte aligned, the plan's.  NULL where there is none: see rt_plan_lacks. */
void *rt_scratch_alloc(rt_plan *plan, size_t bytes);
/* Memory of its own for a buffer; false where there is none: see rt_plan_lacks. */
bool rt_own_memory(rt_plan *plan, rt_buffer *b);
/* TW_RESOURCE after an allocation that failed, once. */
tw_status rt_plan_lacks(rt_plan *plan) TW_NODISCARD;
/* observe.c: a step that tells the plan's observer of the operation: of `ins`, and behind
 * it of `outs`. */
void rt_observe(rt_plan *plan, const ir_op *op, rt_value **ins, size_t n_ins,
                rt_value **outs, size_t n_outs, bool before);
/* Whether every value needs memory of its own, since observers may write to it. */
static inline bool rt_observed(const rt_plan *plan)
{
    return plan->observer.notify != NULL;
}
/* A step without results changes an operand: step->out becomes that operand's value. */
void rt_write_in_place(rt_step *step, rt_value *target);
static inline void *rt_data(const rt_value *v)
{
    return v->buffer->data;
}
bool rt_is_float(tw_dtype t);
/* Elements as numbers and back; floats round to nearest even, integers wrap. */
void rt_load_f32(tw_dtype t, const void *from, size_t at, size_t n, float *to);
void rt_store_f32(tw_dtype t, const float *from, size_t n, void *to, size_t at);
void rt_load_i64(tw_dtype t, const void *from, size_t at, size_t n, int64_t *to);
void rt_store_i64(tw_dtype t, const int64_t *from, size_t n, void *to, size_t at);
/* Converts n elements between any two types: floats to integers by truncation, those that
 * do not fit to the lowest number (of 64 bits for narrower types than 32, which keep the
 * low bits); anything to a boolean by != 0. */
void rt_convert(tw_dtype from_type, const void *from, tw_dtype to_type, void *to, size_t n);
/* The same into a tensor, onto its grid if it holds block floats. */
void rt_convert_into(tw_dtype from_type, const void *from, const rt_value *to);
/* Whether an operation changes this tensor, or a view of it, in place. */
bool rt_is_written(const ir_value *v);
/* The operand of that name, NULL if it is absent. */
rt_value *rt_operand(const ir_op *op, const rt_step *step, const char *name);

#endif
