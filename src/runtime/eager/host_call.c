/* host_call.c: functions of TTIR that a program computes on the host, as emitted C++ calls
 * them: by their text, which is compiled once. */
#include "runtime/eager/eager_impl.h"
#include "support/hash.h"
#include "tilewright/tilewright.h"

#include <stdlib.h>

enum { MAX_PROGRAMS = 256 }; /* beyond it all are compiled again when they are called */

struct eager_program {
    eager_program *next;
    uint64_t hash;
    char *text;
    size_t size;
    tw_program *program;
};

void eager_host_drop(eager_host *h)
{
    for (eager_program *p = h->programs, *next; p; p = next) {
        next = p->next;
        tw_program_destroy(p->program);
        free(p->text);
        free(p);
    }
    *h = (eager_host){0};
}

static tw_status program_for(eager_host *h, const char *text, size_t size, tw_program **out)
{
    const uint64_t hash = tw_hash_bytes(0, text, size);
    for (eager_program *p = h->programs; p; p = p->next)
        if (p->hash == hash && p->size == size && memcmp(p->text, text, size) == 0) {
            *out = p->program;
            return TW_SUCCESS;
        }
    const tw_compile_options options = {.name = "<function of the host>"};
    TW_TRY(tw_program_compile(text, size, &options, out));
    if (h->n == MAX_PROGRAMS)
        eager_host_drop(h);
    eager_program *made = tw_xcalloc(1, sizeof *made);
    *made = (eager_program){.next = h->programs,
                            .hash = hash,
                            .text = tw_xmalloc(size + 1),
                            .size = size,
                            .program = *out};
    memcpy(made->text, text, size);
    h->programs = made;
    h->n++;
    return TW_SUCCESS;
}

static bool fits(const tw_tensor *t, const tw_tensor_desc *d)
{
    return t->dtype == d->dtype && t->rank == d->rank &&
           (t->rank == 0 ||
            memcmp(t->dims, d->dims, (size_t)t->rank * sizeof *t->dims) == 0);
}

/* "f32 [4, 32]" */
static void put_type(tw_strbuf *out, tw_dtype dtype, const int64_t *dims, int rank)
{
    tw_strbuf_printf(out, "%s [", tw_dtype_name(dtype));
    for (int i = 0; i < rank; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)dims[i]);
    tw_strbuf_putc(out, ']');
}

static tw_status check_inputs(const tw_program *p, const tw_tensor *inputs, size_t n)
{
    if (n != tw_program_input_count(p))
        return tw_error(TW_INVALID, "a function of the host takes %zu tensors, found %zu",
                        tw_program_input_count(p), n);
    for (size_t i = 0; i < n; i++) {
        const tw_tensor_desc *d = tw_program_input(p, i);
        if (fits(&inputs[i], d))
            continue;
        tw_strbuf found = {0}, wanted = {0};
        put_type(&found, inputs[i].dtype, inputs[i].dims, inputs[i].rank);
        put_type(&wanted, d->dtype, d->dims, d->rank);
        tw_status status = tw_error(
            TW_INVALID, "argument %zu of a function of the host: expected %s, found %s", i,
            tw_strbuf_text(&wanted), tw_strbuf_text(&found));
        tw_strbuf_free(&found);
        tw_strbuf_free(&wanted);
        return status;
    }
    return TW_SUCCESS;
}

static tw_status make_result(const tw_tensor_desc *d, tw_tensor *out)
{
    *out = (tw_tensor){.dtype = d->dtype, .rank = d->rank, .placement.space = TW_ON_HOST};
    if (d->rank > TW_TENSOR_MAX_RANK)
        return tw_error(TW_UNSUPPORTED,
                        "a result of a function of the host has %d "
                        "dimensions; tensors have at most %d",
                        d->rank, TW_TENSOR_MAX_RANK);
    for (int i = 0; i < d->rank; i++)
        out->dims[i] = d->dims[i];
    out->data = tw_eager_allocate(tw_tensor_bytes(out) + 1);
    return out->data
               ? TW_SUCCESS
               : tw_error(TW_RESOURCE, "no memory for %zu bytes of a result", d->bytes);
}

tw_status eager_host_call(eager_host *h, const char *text, size_t size,
                          const tw_tensor *inputs, size_t n, tw_tensor *results,
                          size_t capacity, size_t *out_results)
{
    tw_program *p;
    const void *in[TW_EAGER_MAX_PARAMETERS];
    void *out[TW_EAGER_MAX_PARAMETERS];
    TW_TRY(program_for(h, text, size, &p));
    TW_TRY(check_inputs(p, inputs, n));
    const size_t n_results = tw_program_output_count(p);
    if (n > TW_COUNT(in) || n_results > TW_COUNT(out) || n_results > capacity)
        return tw_error(TW_UNSUPPORTED,
                        "a function of the host has %zu arguments and %zu results; at most "
                        "%zu are supported",
                        n, n_results, TW_MIN(TW_COUNT(in), capacity));
    tw_status status = TW_SUCCESS;
    size_t made = 0;
    for (; made < n_results && !status; made++) {
        status = make_result(tw_program_output(p, made), &results[made]);
        out[made] = results[made].data;
    }
    for (size_t i = 0; i < n; i++)
        in[i] = inputs[i].data;
    if (!status)
        status = tw_program_run(p, in, out);
    for (size_t i = 0; i < made && status; i++)
        tw_eager_free(results[i].data);
    if (!status)
        *out_results = n_results;
    return status;
}
