/* validate.c: see validate.h. */
#include "runtime/validate/validate.h"

#include "ir/text.h"
#include "runtime/validate/interpret.h"
#include "support/element.h"
#include "support/file.h"

#include <math.h>
#include <stdlib.h>

struct validator {
    ir_watch watch; /* the first member: the observer is the validator */
    const char *folder;
    validate_write *write; /* of inputs, or NULL */
    ir_context *ctx; /* of the module that is validated, the first one that a pass sees */
    ir_op *module;
    snapshot before;  /* the last state that runs */
    tw_strbuf passes; /* that changed the module since */
    validate_tally tally;
    size_t files; /* written so far */
};

/* ---- comparing */

static bool same_types(const tw_tensor_desc *a, const tw_tensor_desc *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].dtype != b[i].dtype || a[i].rank != b[i].rank ||
            memcmp(a[i].dims, b[i].dims, (size_t)a[i].rank * sizeof *a[i].dims) != 0)
            return false;
    return true;
}

static elements elements_of(const tw_tensor_desc *d, const void *data)
{
    size_t size = tw_dtype_size(d->dtype);
    return (elements){d->dtype, data, size ? d->bytes / size : 0};
}

/* The bound of the narrowest format that either module computes with. */
static bounds bounds_of(int bits, elements wanted)
{
    const tw_dtype formats[] = {TW_F32, TW_F16, TW_BF16, TW_BFP_BF8, TW_BFP_BF4};
    const int widths[] = {23, 10, 7, 6, 0};
    size_t i = 0;
    while (widths[i] > bits)
        i++;
    return tool_is_float(wanted.type) ? compare_default_bounds(formats[i], wanted)
                                      : (bounds){0};
}

typedef struct difference {
    const interpreted *before, *after;
    size_t set, out;
    comparison c;
} difference;

/* Sums and products of such values may overflow in one order and not in another: a pair
 * with one that is not finite says nothing, nor does what a format of fewer bits makes of
 * it. */
static bool overflows(elements got, elements want, size_t i)
{
    return !isfinite(tool_element(got.type, got.data, i)) ||
           !isfinite(tool_element(want.type, want.data, i));
}

static comparison compare_sets(elements got, elements want, size_t set, bounds b)
{
    if (set != 2 || !tool_is_float(got.type))
        return tool_compare(got, want, b);
    const size_t size = tw_dtype_size(got.type);
    char *copy = tw_xmalloc(got.n * size + 1);
    memcpy(copy, got.data, got.n * size);
    for (size_t i = 0; i < got.n; i++)
        if (overflows(got, want, i))
            memcpy(copy + i * size, (const char *)want.data + i * size, size);
    comparison c = tool_compare((elements){got.type, copy, got.n}, want, b);
    free(copy);
    return c;
}

/* Whether results for a set can be compared.  Where a pass changes the precision, only
 * random values can, and of them floats: an index that a sort or a comparison gives depends
 * on the last bit.  Sorting NaN is implementation-defined. */
static bool is_comparable(const snapshot *s, const snapshot *t, size_t set, tw_dtype type)
{
    if (s->narrow != t->narrow && (set != 0 || !tool_is_float(type)))
        return false;
    return set != 1 || !(s->orders || t->orders);
}

/* Sums of values with the limits of their type depend on the order, which is another one
 * in a program. */
static bool is_in_one_order(const interpreted *a, const interpreted *b)
{
    return (a->reference && b->reference) || !(a->rewritten || b->rewritten);
}

static bool compare_function(const snapshot *s, const snapshot *t, difference *d)
{
    const interpreted *a = d->before, *b = d->after;
    for (d->set = 0; d->set < VALIDATE_SETS; d->set++)
        for (d->out = 0; a->out[d->set] && b->out[d->set] && d->out < a->n_out; d->out++) {
            elements want = elements_of(&a->out_types[d->out], a->out[d->set][d->out]),
                     got = elements_of(&b->out_types[d->out], b->out[d->set][d->out]);
            if (!is_comparable(s, t, d->set, want.type) ||
                (d->set == 2 && tool_is_float(want.type) && !is_in_one_order(a, b)))
                continue;
            d->c = compare_sets(got, want, d->set,
                                bounds_of(TW_MIN(s->coarse, t->coarse), want));
            if (d->c.outside)
                return false;
        }
    return true;
}

static const interpreted *find(const snapshot *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->at[i].name, name) == 0)
            return &s->at[i];
    return NULL;
}

/* The first function whose results differ; *compared: the functions that were compared. */
static bool compare(const snapshot *s, const snapshot *t, size_t *compared, difference *d)
{
    *compared = 0;
    for (size_t i = 0; i < s->n; i++) {
        *d = (difference){&s->at[i], find(t, s->at[i].name)};
        if (!d->after || d->before->n_in != d->after->n_in ||
            d->before->n_out != d->after->n_out ||
            !same_types(d->before->in, d->after->in, d->before->n_in) ||
            !same_types(d->before->out_types, d->after->out_types, d->before->n_out))
            continue;
        ++*compared;
        if (!compare_function(s, t, d))
            return false;
    }
    return true;
}

/* ---- the first operation */

static bool is_last_of_its_location(const trace *t, size_t i)
{
    return trace_counterpart(t, &t->at[i]) == &t->at[i];
}

/* Adds notes that name the first operation whose result differs from that of the operation
 * at the same source location before the pass. */
static void note_first(validator *v, const snapshot *after, const difference *d)
{
    trace a = {0}, b = {0};
    const int bits = TW_MIN(v->before.coarse, after->coarse);
    const bool both = interpret_trace(v->before.text, d->before, d->set, &a) &&
                      interpret_trace(after->text, d->after, d->set, &b);
    for (size_t i = 0; both && i < b.n; i++) {
        if (!is_last_of_its_location(&b, i))
            continue;
        const traced *r = &b.at[i], *was = trace_counterpart(&a, r);
        if (!was)
            continue;
        elements got = elements_of(&r->type, r->data),
                 want = elements_of(&was->type, was->data);
        comparison c = compare_sets(got, want, d->set, bounds_of(bits, want));
        if (!c.outside)
            continue;
        tw_strbuf text = {0};
        compare_put_worst(&text, &c, &r->type, got, want);
        ir_note(v->ctx,
                ir_loc_file(v->ctx, ir_ident_get(v->ctx, tw_str_from(r->file)), r->line,
                            r->column),
                "first operation that differs: '%s' (before: '%s'): %s", r->name, was->name,
                tw_strbuf_text(&text));
        tw_strbuf_free(&text);
        break;
    }
    trace_free(&a);
    trace_free(&b);
}

/* ---- reports */

/* "in0: f32[2, 3] = 1 2 3 ..." */
static void put_inputs(tw_strbuf *out, const difference *d)
{
    tw_arena arena = {0};
    for (size_t i = 0; i < d->before->n_in; i++) {
        const tw_tensor_desc *t = &d->before->in[i];
        void *data = tw_arena_alloc(&arena, t->bytes + 64);
        interpret_fill(t, i, d->set, data);
        tw_strbuf_printf(out, "%sin%zu: ", i ? "; " : "", i);
        tw_strbuf_printf(out, "%s[", tw_dtype_name(t->dtype));
        for (int k = 0; k < t->rank; k++)
            tw_strbuf_printf(out, "%s%lld", k ? ", " : "", (long long)t->dims[k]);
        tw_strbuf_puts(out, "] =");
        const size_t n = elements_of(t, data).n;
        for (size_t k = 0; k < n && k < 6; k++)
            tw_strbuf_printf(out, " %.6g", tool_element(t->dtype, data, k));
        tw_strbuf_puts(out, n > 6 ? " ..." : "");
    }
    tw_arena_free(&arena);
}

static tw_status write_module(validator *v, const char *what, tw_str text)
{
    tw_strbuf path = {0};
    tw_strbuf_printf(&path, "%s/%zu-%s.mlir", v->folder, v->files, what);
    tw_status status = tw_file_write(path.data, text.data, text.size);
    tw_strbuf_free(&path);
    return status;
}

static tw_status write_inputs(validator *v, const difference *d)
{
    tw_strbuf path = {0};
    tw_arena arena = {0};
    const interpreted *f = d->before;
    const void **data = TW_ARENA_ARRAY(&arena, const void *, f->n_in + 1);
    for (size_t i = 0; i < f->n_in; i++) {
        void *bytes = tw_arena_alloc(&arena, f->in[i].bytes + 64);
        interpret_fill(&f->in[i], i, d->set, bytes);
        data[i] = bytes;
    }
    tw_strbuf_printf(&path, "%s/%zu-inputs", v->folder, v->files);
    tw_status status = v->write(path.data, f->in, data, f->n_in);
    tw_strbuf_free(&path);
    tw_arena_free(&arena);
    return status;
}

/* N-before.mlir, N-after.mlir and the inputs: `tilewright run` takes them. */
static void keep_files(validator *v, const snapshot *after, const difference *d)
{
    v->files++;
    tw_status status = tw_folder_make(v->folder);
    if (status == TW_SUCCESS)
        status = write_module(v, "before", v->before.text);
    if (status == TW_SUCCESS)
        status = write_module(v, "after", after->text);
    if (status == TW_SUCCESS && v->write)
        status = write_inputs(v, d);
    if (status != TW_SUCCESS)
        ir_note(v->ctx, IR_LOC_UNKNOWN, "%s", tw_status_message(status));
    else if (v->write)
        ir_note(v->ctx, IR_LOC_UNKNOWN,
                "%s/%zu-before.mlir, -after.mlir and -inputs.npz show it: tilewright run "
                "FILE --entry=%s --inputs=%s/%zu-inputs.npz",
                v->folder, v->files, d->before->name, v->folder, v->files);
    else
        ir_note(v->ctx, IR_LOC_UNKNOWN,
                "%s/%zu-before.mlir and -after.mlir are the program on both sides: "
                "TILEWRIGHT_VALIDATE=FOLDER tilewright run keeps the inputs, too",
                v->folder, v->files);
    tw_status_free(status);
}

static void report(validator *v, const snapshot *after, const difference *d, ir_op *op)
{
    tw_strbuf worst = {0}, inputs = {0};
    const interpreted *a = d->before, *b = d->after;
    elements want = elements_of(&a->out_types[d->out], a->out[d->set][d->out]),
             got = elements_of(&b->out_types[d->out], b->out[d->set][d->out]);
    compare_put_worst(&worst, &d->c, &a->out_types[d->out], got, want);
    put_inputs(&inputs, d);
    ir_error(v->ctx, op->loc,
             "%s the results of @%s for %s: out%zu %s, bound %g; %zu of %zu elements are "
             "outside it",
             tw_strbuf_text(&v->passes), a->name, interpret_set_name(d->set), d->out,
             tw_strbuf_text(&worst), d->c.worst_bound, d->c.outside, got.n);
    ir_rule(v->ctx, "changed results");
    if (inputs.size)
        ir_note(v->ctx, op->loc, "inputs: %s", tw_strbuf_text(&inputs));
    if (*v->folder)
        keep_files(v, after, d);
    note_first(v, after, d);
    ir_flush_diagnostics(v->ctx);
    tw_strbuf_free(&worst);
    tw_strbuf_free(&inputs);
}

/* ---- the observer */

static ir_op *root_of(ir_op *op)
{
    for (ir_op *parent; (parent = ir_op_parent(op));)
        op = parent;
    return op;
}

static void before_pass(ir_watch *watch, const char *pass, ir_op *op)
{
    validator *v = (validator *)watch;
    (void)pass;
    if (v->module) /* modules that passes make for themselves are not followed */
        return;
    v->module = root_of(op);
    v->ctx = op->ctx;
    snapshot_take(&v->before, v->module);
}

/* "pass 'a' changes", "one of the passes 'a', 'b' changes" */
static void name_passes(validator *v, const char *pass)
{
    tw_strbuf text = {0};
    if (!v->passes.size) {
        tw_strbuf_printf(&v->passes, "pass '%s' changes", pass);
        return;
    }
    const char *names = strchr(v->passes.data, '\''), *end = strstr(names, " changes");
    tw_strbuf_printf(&text, "one of the passes %.*s, '%s' changes", (int)(end - names),
                     names, pass);
    tw_strbuf_free(&v->passes);
    v->passes = text;
}

static bool after_pass(ir_watch *watch, const char *pass, ir_op *op)
{
    validator *v = (validator *)watch;
    snapshot after = {0};
    difference d;
    size_t compared;
    if (root_of(op) != v->module)
        return true;
    snapshot_print(&after, v->module);
    if (after.text.size == v->before.text.size &&
        memcmp(after.text.data, v->before.text.data, after.text.size) == 0) {
        snapshot_free(&after);
        return true;
    }
    v->tally.passes++;
    name_passes(v, pass);
    snapshot_take(&after, v->module);
    const bool same = compare(&v->before, &after, &compared, &d);
    v->tally.compared += compared > 0;
    v->tally.differing += !same;
    if (!same)
        report(v, &after, &d, op);
    if (after.n || !v->before.n) { /* the next comparison begins here */
        snapshot_free(&v->before);
        v->before = after;
        v->passes.size = 0;
    } else {
        snapshot_free(&after);
    }
    return same;
}

validator *validator_create(const char *folder, validate_write *write)
{
    validator *v = tw_xcalloc(1, sizeof *v);
    v->watch.before_pass = before_pass;
    v->watch.after_pass = after_pass;
    v->folder = folder ? folder : "";
    v->write = write;
    return v;
}

void validator_destroy(validator *v)
{
    if (!v)
        return;
    snapshot_free(&v->before);
    tw_strbuf_free(&v->passes);
    free(v);
}

ir_watch *validator_watch(validator *v)
{
    return &v->watch;
}

validate_tally validator_tally(const validator *v)
{
    return v->tally;
}

const char *validate_wanted(void)
{
    const char *value = getenv("TILEWRIGHT_VALIDATE");
    if (!value || !*value || strcmp(value, "0") == 0)
        return NULL;
    return strcmp(value, "1") == 0 ? "" : value;
}

validator *validator_from_environment(validate_write *write)
{
    const char *folder = validate_wanted();
    return folder ? validator_create(folder, write) : NULL;
}
