/* trace_lines.c: time spent in each line of a kernel, from the signposts around it: those
 * of TTLANG_AUTO_PROFILE, or a kernel's own that end in _before and _after. */
#include "grid/machine/program.h"
#include "grid/units/code.h"
#include "ttl/ttl.h"

#include <stdio.h>
#include <stdlib.h>

/* Time between two signposts of one name, over all threads of a kernel. */
typedef struct stretch {
    tw_str kernel, name;
    double cycles;
    size_t times;
    uint64_t cores[DEV_CORE_WORDS];
} stretch;

typedef struct begun {
    const dev_thread *thread;
    tw_str name;
    double start;
} begun;

typedef struct stretches {
    stretch *at;
    size_t n, capacity;
    begun *open;
    size_t n_open, open_capacity;
} stretches;

static bool cut(tw_str *name, const char *end)
{
    const size_t size = strlen(end);
    if (name->size < size || memcmp(name->data + name->size - size, end, size) != 0)
        return false;
    name->size -= size;
    return true;
}

static stretch *stretch_of(stretches *s, tw_str kernel, tw_str name)
{
    for (size_t i = 0; i < s->n; i++)
        if (tw_str_equal(s->at[i].kernel, kernel) && tw_str_equal(s->at[i].name, name))
            return &s->at[i];
    const stretch fresh = {.kernel = kernel, .name = name};
    TW_PUSH(s->at, s->n, s->capacity, fresh);
    return &s->at[s->n - 1];
}

static void end_stretch(stretches *s, const dev_thread *thread, tw_str name, double cycle)
{
    for (size_t i = s->n_open; i-- > 0;) {
        const begun b = s->open[i];
        if (b.thread != thread || !tw_str_equal(b.name, name))
            continue;
        stretch *to = stretch_of(s, ir_symbol_name(thread->code->function), name);
        to->cycles += cycle - b.start;
        to->times++;
        dev_cores_add(thread->machine, thread->core, to->cores);
        s->open[i] = s->open[--s->n_open];
        return;
    }
}

/* Sorts by kernel, then by the number in line_NUMBER. */
static int in_order(const void *a, const void *b)
{
    const stretch *x = a, *y = b;
    const size_t size = TW_MIN(x->kernel.size, y->kernel.size);
    const int kernels = memcmp(x->kernel.data, y->kernel.data, size);
    if (kernels || x->kernel.size != y->kernel.size)
        return kernels ? kernels : x->kernel.size < y->kernel.size ? -1 : 1;
    const bool lines = x->name.size > 5 && y->name.size > 5;
    const long i = lines ? strtol(x->name.data + 5, NULL, 10) : 0;
    const long k = lines ? strtol(y->name.data + 5, NULL, 10) : 0;
    return i != k ? (i > k) - (i < k) : (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

void dev_trace_lines(const dev_machine *m, tw_strbuf *out)
{
    stretches s = {0};
    for (size_t i = 0; i < m->profile.n_spans; i++) {
        const dev_span_record *r = &m->profile.spans[i];
        if (!r->op || !ir_op_is(r->op, TTL_OP(signpost)))
            continue;
        tw_str name = ir_attr_str(ir_op_attr(r->op, "name"));
        if (cut(&name, "_before")) {
            const begun b = {r->thread, name, r->start};
            TW_PUSH(s.open, s.n_open, s.open_capacity, b);
        } else if (cut(&name, "_after")) {
            end_stretch(&s, r->thread, name, r->start);
        }
    }
    if (s.n)
        qsort(s.at, s.n, sizeof *s.at, in_order);
    if (s.n)
        tw_strbuf_puts(out, "between signposts, mean of the cores:   cycles     times\n");
    for (size_t i = 0; i < s.n; i++) {
        char text[80];
        int cores = 0;
        for (int k = 0; k < DEV_CORE_WORDS; k++)
            cores += __builtin_popcountll(s.at[i].cores[k]);
        snprintf(text, sizeof text, "@%.*s %.*s", (int)s.at[i].kernel.size,
                 s.at[i].kernel.data, (int)s.at[i].name.size, s.at[i].name.data);
        tw_strbuf_printf(out, "  %-36s%10.0f%10.4g\n", text, s.at[i].cycles / cores,
                         (double)s.at[i].times / cores);
    }
    free(s.at);
    free(s.open);
}
