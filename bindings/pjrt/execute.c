/* execute.c: a run of an executable. */
#include "pjrt.h"

#include "support/arena.h"

#include <stdlib.h>
#include <time.h>

typedef struct run {
    const pj_execute_args *args;
    pj_executable *executable;
    pj_bytes **held; /* of arguments */
    const void **inputs;
    void **outputs;
    pj_buffer **results;
} run;

/* JAX passes an array without elements where a program takes a token. */
static bool same_shape(const pj_buffer *b, const pj_value *v)
{
    if (v->type == PJ_TOKEN)
        return b->size == 0;
    bool same = b->type == v->type && b->rank == v->rank;
    for (size_t i = 0; same && i < v->rank; i++)
        same = b->dims[i] == v->dims[i];
    return same;
}

static pj_error *hold_argument(run *r, size_t i)
{
    pj_buffer *b = r->args->arguments[0][i];
    const pj_signature *s = &r->executable->signature;
    if (b->client != r->executable->client)
        return pj_fail(PJ_INVALID_ARGUMENT,
                       "argument %zu of '%s' belongs to another client", i, s->name);
    if (!same_shape(b, &s->arguments[i]))
        return pj_fail(PJ_INVALID_ARGUMENT,
                       "argument %zu of '%s': expected %s of %zu dimensions and %zu bytes, "
                       "found %s of %zu dimensions and %zu bytes",
                       i, s->name, pj_type_name(s->arguments[i].type), s->arguments[i].rank,
                       s->arguments[i].bytes, pj_type_name(b->type), b->rank, b->size);
    r->held[i] = pj_buffer_hold(b);
    if (!r->held[i])
        return pj_fail(PJ_INVALID_ARGUMENT,
                       "argument %zu of '%s' has been deleted or donated", i, s->name);
    r->inputs[i] = r->held[i]->data;
    return NULL;
}

static pj_error *make_result(run *r, size_t i)
{
    const pj_value *v = &r->executable->signature.results[i];
    pj_device *device = r->executable->client->device_list[0];
    r->results[i] = pj_buffer_create(device, v->type, v->dims, v->rank);
    if (!r->results[i])
        return pj_no_memory(v->bytes);
    r->outputs[i] = r->results[i]->bytes->data;
    return NULL;
}

static bool is_kept(const pj_execute_options *options, size_t i)
{
    for (size_t k = 0; options && k < options->n_kept_inputs; k++)
        if (options->kept_inputs[k] == (int64_t)i)
            return true;
    return false;
}

pj_interrupts pj_python_interrupts;

/* Watching for Ctrl-C costs a microsecond, so quick programs are not watched. The
 * interpreter's own handler has noted the signal; it raises KeyboardInterrupt once the
 * caller is back in Python. */
static tw_status run_locked(pj_executable *e, run *r)
{
    enum { QUICK_NS = 20000000 };
    if (e->quick || !pj_python_interrupts.begin)
        return tw_program_run(e->program, r->inputs, r->outputs);
    struct timespec start, end;
    const volatile int *flag = pj_python_interrupts.begin();
    tw_program_set_cancel(e->program, flag);
    clock_gettime(CLOCK_MONOTONIC, &start);
    tw_status status = tw_program_run(e->program, r->inputs, r->outputs);
    clock_gettime(CLOCK_MONOTONIC, &end);
    tw_program_set_cancel(e->program, NULL);
    pj_python_interrupts.end(flag);
    e->quick =
        !status &&
        (end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec < QUICK_NS;
    return status;
}

static pj_error *donated_twice(const run *r, size_t i, size_t k)
{
    return pj_fail(PJ_INVALID_ARGUMENT,
                   "argument %zu of '%s' is donated, and the same array is argument %zu; "
                   "donate a copy",
                   i, r->executable->signature.name, k);
}

/* Consuming a buffer that the run also reads as another argument would leave the caller
 * with a value that it may still use. The table holds indices of arguments plus 1, hashed
 * by buffer. */
static pj_error *check_donated_twice(const run *r)
{
    const pj_value *values = r->executable->signature.arguments;
    size_t n = r->executable->signature.n_arguments, size = 8;
    pj_buffer *const *buffers = r->args->arguments[0];
    pj_error *error = NULL;
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= values[i].donated;
    if (!any || n < 2)
        return NULL;
    while (size < 2 * n)
        size *= 2;
    uint32_t *table = tw_xcalloc(size, sizeof *table);
    for (size_t i = 0; i < n && !error; i++) {
        size_t at = ((uintptr_t)buffers[i] >> 4) * 0x9E3779B97F4A7C15u >> 20 & (size - 1);
        for (; table[at] && !error; at = (at + 1) & (size - 1)) {
            size_t k = table[at] - 1;
            if (buffers[k] != buffers[i])
                continue;
            if (values[k].donated && !is_kept(r->args->options, k))
                error = donated_twice(r, k, i);
            else if (values[i].donated && !is_kept(r->args->options, i))
                error = donated_twice(r, i, k);
        }
        table[at] = (uint32_t)i + 1;
    }
    free(table);
    return error;
}

static pj_error *run_program(run *r)
{
    const pj_signature *s = &r->executable->signature;
    pj_error *error = check_donated_twice(r);
    for (size_t i = 0; !error && i < s->n_arguments; i++)
        error = hold_argument(r, i);
    for (size_t i = 0; !error && i < s->n_results; i++)
        error = make_result(r, i);
    if (error)
        return error;
    pthread_mutex_lock(&r->executable->running);
    tw_status status = run_locked(r->executable, r);
    if (!status && r->executable->settings.profile_path)
        pj_profile_add(r->executable->settings.profile_path, r->executable->profile,
                       r->executable->program);
    pthread_mutex_unlock(&r->executable->running);
    return pj_of_status(status);
}

static void consume_donated(run *r)
{
    const pj_signature *s = &r->executable->signature;
    for (size_t i = 0; i < s->n_arguments; i++)
        if (s->arguments[i].donated && !is_kept(r->args->options, i))
            pj_buffer_drop(r->args->arguments[0][i]);
}

static pj_error *check(const pj_execute_args *args)
{
    const pj_signature *s = &args->loaded->executable->signature;
    if (args->loaded->deleted)
        return pj_fail(PJ_INVALID_ARGUMENT, "the executable '%s' has been deleted",
                       s->name);
    if (args->n_devices != 1)
        return pj_fail(PJ_INVALID_ARGUMENT, "'%s' runs on 1 device, not %zu", s->name,
                       args->n_devices);
    if (args->n_arguments != s->n_arguments)
        return pj_fail(PJ_INVALID_ARGUMENT, "'%s': expected %zu arguments, found %zu",
                       s->name, s->n_arguments, args->n_arguments);
    if (args->options && (args->options->n_sends || args->options->n_receives))
        return pj_fail(PJ_UNIMPLEMENTED,
                       "'%s': callbacks while a program runs are not supported; compute "
                       "outside of the program, and pass the results as arguments",
                       s->name);
    return NULL;
}

pj_error *pj_loaded_executable_execute(pj_execute_args *args)
{
    pj_error *error = check(args);
    if (error)
        return error;
    pj_executable *e = args->loaded->executable;
    size_t ins = e->signature.n_arguments, outs = e->signature.n_results;
    void **memory = tw_xcalloc(2 * (ins + outs) + 1, sizeof *memory);
    run r = {.args = args,
             .executable = e,
             .held = (void *)memory,
             .inputs = (void *)(memory + ins),
             .outputs = memory + 2 * ins,
             .results = (void *)(memory + 2 * ins + outs)};
    error = run_program(&r);
    for (size_t i = 0; i < ins; i++)
        pj_bytes_release(r.held[i]);
    for (size_t i = 0; i < outs; i++)
        if (!error)
            args->results[0][i] = r.results[i];
        else if (r.results[i])
            pj_buffer_free(r.results[i]);
    if (!error)
        consume_donated(&r);
    if (!error && args->complete)
        args->complete[0] = pj_event_done();
    free(memory);
    return error;
}
