/* call.c: sessions, the cache of plans, and calls. */
#include "ir/diagnostic_print.h"
#include "pipelines/dialects.h"
#include "runtime/eager/eager_impl.h"
#include "support/blockfloat.h"
#include "support/fork.h"
#include "support/guard.h"
#include "support/hash.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Beyond that many plans the cache starts again, and with it the context, whose types and
 * attributes would otherwise accumulate. */
enum { MAX_PLANS = 4096, SLOTS = 2 * MAX_PLANS };

struct tw_eager {
    pthread_mutex_t lock;
    tw_fork_watch watch;
    ir_context *ctx;
    tw_strbuf say, key;
    tw_threadpool *pool;
    eager_plan **slots; /* open addressing */
    eager_host host;
    bool lost; /* memory ran out inside a call: context and plans are given up */
    tw_eager_counts counts;
};

/* ---- sessions ------------------------------------------------------------------------ */

static void collect(void *user, ir_context *ctx, const ir_diagnostic *diagnostic)
{
    tw_strbuf *say = user;
    (void)ctx;
    if (diagnostic->severity != IR_ERROR)
        return;
    tw_strbuf_printf(say, "%s%s", say->size ? "; " : "", diagnostic->text);
}

static void open_context(tw_eager *s)
{
    s->ctx = ir_context_create();
    ir_register_all(s->ctx);
    ir_context_set_sink(s->ctx, (ir_diagnostic_sink){collect, &s->say});
}

static void drop_plans(tw_eager *s)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (!s->slots[i])
            continue;
        eager_plan_destroy(s->slots[i]);
        free(s->slots[i]);
        s->slots[i] = NULL;
    }
    s->counts.cached = 0;
}

static void in_child(tw_fork_watch *watch)
{
    tw_eager *s = TW_FORK_OWNER(watch, tw_eager, watch);
    pthread_mutex_init(&s->lock, NULL);
}

TW_UNDER_GUARD guarded_eager_create(int threads, tw_eager **out_session)
{
    *out_session = NULL;
    tw_eager *s = tw_xcalloc(1, sizeof *s);
    tw_status status = tw_threadpool_create(threads, &s->pool);
    if (status) {
        free(s);
        return status;
    }
    s->slots = tw_xcalloc(SLOTS, sizeof(*s->slots));
    pthread_mutex_init(&s->lock, NULL);
    open_context(s);
    tw_fork_watch_begin(&s->watch, in_child);
    *out_session = s;
    return TW_SUCCESS;
}

TW_EXPORT tw_status tw_eager_create(int threads, tw_eager **out_session)
{
    TW_RETURN_GUARDED(guarded_eager_create(threads, out_session));
}

TW_EXPORT void tw_eager_destroy(tw_eager *s)
{
    if (!s)
        return;
    tw_fork_watch_end(&s->watch);
    drop_plans(s);
    eager_host_drop(&s->host);
    free(s->slots);
    ir_context_destroy(s->ctx);
    tw_threadpool_release(s->pool);
    tw_strbuf_free(&s->say);
    tw_strbuf_free(&s->key);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

TW_EXPORT tw_eager_counts tw_eager_count(tw_eager *s)
{
    pthread_mutex_lock(&s->lock);
    const tw_eager_counts counts = s->counts;
    pthread_mutex_unlock(&s->lock);
    return counts;
}

/* ---- the cache ----------------------------------------------------------------------- */

static void start_again(tw_eager *s)
{
    drop_plans(s);
    ir_context_destroy(s->ctx);
    open_context(s);
}

TW_EXPORT void tw_eager_forget(tw_eager *s)
{
    pthread_mutex_lock(&s->lock);
    start_again(s);
    eager_host_drop(&s->host);
    pthread_mutex_unlock(&s->lock);
}

static tw_status plan_for(tw_eager *s, const eager_function *f, const tw_value *arguments,
                          eager_plan **out)
{
    tw_strbuf *key = &s->key; /* keeps its memory from call to call */
    key->size = 0;
    tw_strbuf_str(key, (tw_str){(const char *)&f, sizeof f});
    for (size_t i = 0; i < f->row.n_parameters; i++)
        eager_key(key, &arguments[i], f->scalars[i]);
    const uint64_t hash = tw_hash_bytes(0, key->data, key->size);
    size_t at = hash % SLOTS;
    for (; s->slots[at]; at = (at + 1) % SLOTS) {
        eager_plan *p = s->slots[at];
        if (p->hash == hash && p->key_size == key->size &&
            memcmp(p->key, key->data, key->size) == 0) {
            *out = p;
            return TW_SUCCESS;
        }
    }
    if (s->counts.cached == MAX_PLANS) {
        start_again(s);
        at = hash % SLOTS;
    }
    eager_plan made;
    TW_TRY(eager_plan_create(s->ctx, &s->say, s->pool, f, arguments, &made));
    made.hash = hash;
    made.key_size = key->size;
    made.key = tw_xmalloc(key->size);
    memcpy(made.key, key->data, key->size);
    *out = s->slots[at] = tw_xmalloc(sizeof made);
    **out = made;
    s->counts.cached++;
    s->counts.plans++;
    return TW_SUCCESS;
}

/* ---- tensors ------------------------------------------------------------------------- */

/* The type of a tensor's data: block floats are f32 there. */
static tw_dtype data_type(tw_dtype dtype)
{
    return tw_dtype_is_block(dtype) ? TW_F32 : dtype;
}

TW_EXPORT size_t tw_tensor_bytes(const tw_tensor *t)
{
    size_t bytes = tw_dtype_size(data_type(t->dtype));
    for (int i = 0; i < t->rank; i++)
        if (t->dims[i] < 0 || __builtin_mul_overflow(bytes, (size_t)t->dims[i], &bytes))
            return SIZE_MAX;
    return bytes;
}

/* ---- calls --------------------------------------------------------------------------- */

static tw_status bind_scalar(const eager_function *f, const eager_input *in,
                             const tw_value *v, rt_value *to)
{
    const tw_dtype t = in->dtype;
    if (!rt_is_float(t) && !tw_dtype_is_block(t)) {
        const bool whole = v->kind != TW_VALUE_REAL || v->real == floor(v->real);
        const int64_t n = v->kind == TW_VALUE_REAL && whole && fabs(v->real) < 0x1p62
                              ? (int64_t)v->real
                              : v->i;
        int64_t back;
        rt_store_i64(t, &n, 1, rt_data(to), 0);
        rt_load_i64(t, rt_data(to), 0, 1, &back);
        char expected[96];
        snprintf(expected, sizeof expected,
                 "an integer that a tensor of %s holds, or typecast the tensor",
                 tw_dtype_name(t));
        return whole && back == n ? TW_SUCCESS : eager_wrong(f, in->parameter, v, expected);
    }
    const double real = v->kind == TW_VALUE_REAL ? v->real : (double)v->i;
    rt_convert_into(TW_F64, &real, to);
    return TW_SUCCESS;
}

/* True if the plan reads the tensor's memory as it is. */
static bool is_direct(const rt_value *v, const tw_tensor *t)
{
    return v->format == t->dtype && !tw_dtype_is_block(t->dtype);
}

static tw_status bind(const eager_function *f, eager_plan *p, const tw_value *arguments)
{
    for (size_t i = 0; i < p->n_inputs; i++) {
        const eager_input *in = &p->inputs[i];
        const tw_value *v = eager_value_of(in, arguments);
        rt_value *to = p->plan->inputs[i];
        if (in->scalar) {
            TW_TRY(bind_scalar(f, in, v, to));
        } else if (is_direct(to, v->tensor)) {
            to->buffer->data = v->tensor->data;
        } else {
            if (!rt_own_memory(p->plan, to->buffer))
                return rt_plan_lacks(p->plan);
            rt_convert_into(data_type(v->tensor->dtype), v->tensor->data, to);
        }
    }
    return TW_SUCCESS;
}

/* A result may be written to its own memory if its buffer is the plan's alone. */
static bool writes_through(const eager_plan *p, size_t i)
{
    const rt_value *v = p->plan->outputs[i];
    if (v->buffer->external || v->buffer->constant ||
        v->dtype != data_type(p->results[i].dtype))
        return false;
    for (size_t k = 0; k < p->n_results; k++)
        if (k != i && p->plan->outputs[k]->buffer == v->buffer)
            return false;
    return true;
}

static tw_status make_results(const eager_function *f, const eager_plan *p,
                              const tw_value *arguments, tw_tensor *results)
{
    for (size_t i = 0; i < p->n_results; i++) {
        tw_tensor *r = &results[i];
        *r = p->results[i];
        const int as = p->placed_as[i];
        if (as >= 0) {
            const tw_value *v = &arguments[as];
            v = v->kind == TW_VALUE_LIST ? v->items : v;
            r->placement =
                v->kind == TW_VALUE_TENSOR ? v->tensor->placement : *v->placement;
        }
        r->data = tw_eager_allocate(tw_tensor_bytes(r));
        if (r->data)
            continue;
        while (i-- > 0)
            tw_eager_free(results[i].data);
        return tw_error(TW_RESOURCE, "%s: the host has no memory for a result of %zu bytes",
                        f->row.name, tw_tensor_bytes(r));
    }
    return TW_SUCCESS;
}

static void run(eager_plan *p, const tw_value *arguments, tw_tensor *results)
{
    for (size_t i = 0; i < p->n_results; i++)
        if (writes_through(p, i))
            p->plan->outputs[i]->buffer->data = results[i].data;
    rt_plan_run(p->plan);
    for (size_t i = 0; i < p->n_results; i++) {
        const rt_value *v = p->plan->outputs[i];
        if (rt_data(v) == results[i].data)
            v->buffer->data = v->buffer->home;
        else
            rt_convert(v->dtype, rt_data(v), data_type(results[i].dtype), results[i].data,
                       (size_t)v->count);
    }
    for (size_t i = 0; i < p->n_inputs; i++) { /* tensors modified in place */
        const rt_value *v = p->plan->inputs[i];
        const tw_tensor *t = eager_value_of(&p->inputs[i], arguments)->tensor;
        if (!p->inputs[i].scalar && v->buffer->written && rt_data(v) != t->data)
            rt_convert(v->dtype, rt_data(v), data_type(t->dtype), t->data,
                       (size_t)v->count);
    }
}

static tw_status call(tw_eager *s, const eager_function *f, const tw_value *arguments,
                      tw_tensor *results, size_t *out_results)
{
    eager_plan *p;
    s->counts.calls++;
    s->say.size = 0;
    TW_TRY(plan_for(s, f, arguments, &p));
    TW_TRY(bind(f, p, arguments));
    TW_TRY(make_results(f, p, arguments, results));
    run(p, arguments, results);
    *out_results = p->n_results;
    return TW_SUCCESS;
}

/* After a call that was left in the middle nothing that it may have touched is used again.
 */
static void recover(tw_eager *s)
{
    if (!s->lost)
        return;
    memset(s->slots, 0, SLOTS * sizeof(*s->slots));
    s->counts.cached = 0;
    s->say = s->key = (tw_strbuf){0};
    open_context(s);
    s->lost = false;
}

TW_UNDER_GUARD recover_and_call(tw_eager *s, const eager_function *f,
                                const tw_value *arguments, tw_tensor *results,
                                size_t *out_results)
{
    recover(s);
    return call(s, f, arguments, results, out_results);
}

static tw_status guarded_call(tw_eager *s, const eager_function *f,
                              const tw_value *arguments, tw_tensor *results,
                              size_t *out_results)
{
    TW_RETURN_GUARDED(recover_and_call(s, f, arguments, results, out_results));
}

TW_EXPORT tw_status tw_eager_call(tw_eager *s, const tw_function *function,
                                  const tw_value *arguments, tw_tensor *results,
                                  size_t *out_results)
{
    const eager_function *f = (const eager_function *)(const void *)function;
    *out_results = 0;
    pthread_mutex_lock(&s->lock);
    tw_status status = guarded_call(s, f, arguments, results, out_results);
    s->lost |= tw_is_out_of_memory(status);
    pthread_mutex_unlock(&s->lock);
    return status;
}

TW_UNDER_GUARD guarded_host_call(tw_eager *s, const char *text, const tw_tensor *inputs,
                                 size_t n, tw_tensor *results, size_t capacity,
                                 size_t *out_results)
{
    return eager_host_call(&s->host, text, strlen(text), inputs, n, results, capacity,
                           out_results);
}

static tw_status host_call(tw_eager *s, const char *text, const tw_tensor *inputs, size_t n,
                           tw_tensor *results, size_t capacity, size_t *out_results)
{
    TW_RETURN_GUARDED(
        guarded_host_call(s, text, inputs, n, results, capacity, out_results));
}

TW_EXPORT tw_status tw_eager_host(tw_eager *s, const char *text, const tw_tensor *inputs,
                                  size_t n, tw_tensor *results, size_t capacity,
                                  size_t *out_results)
{
    *out_results = 0;
    pthread_mutex_lock(&s->lock);
    tw_status status = host_call(s, text, inputs, n, results, capacity, out_results);
    pthread_mutex_unlock(&s->lock);
    return status;
}

TW_EXPORT tw_eager_api tw_eager_table(tw_eager *session)
{
    return (tw_eager_api){.session = session,
                          .function_named = tw_function_named,
                          .call = tw_eager_call,
                          .host = tw_eager_host,
                          .tensor_bytes = tw_tensor_bytes,
                          .allocate = tw_eager_allocate,
                          .free_data = tw_eager_free,
                          .message = tw_status_message,
                          .free_status = tw_status_free};
}
