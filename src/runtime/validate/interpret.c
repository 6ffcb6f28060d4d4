/* interpret.c: see interpret.h. */
#include "runtime/validate/interpret.h"

#include "ir/text.h"
#include "ir/watch.h"
#include "mlir/func/func.h"
#include "pipelines/dialects.h"
#include "runtime/program_impl.h"
#include "stablehlo/eval/eval.h"
#include "support/element.h"
#include "tilewright/grid.h"
#include "ttir/to_stablehlo/ttir_to_stablehlo.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Larger functions are not interpreted: what a pass does to shapes of this size, it does to
 * smaller ones. */
enum { MAX_BYTES = 1 << 26, MAX_SECONDS = 2 };

/* ---- inputs */

const char *interpret_set_name(size_t set)
{
    static const char *const names[] = {"random values", "values with NaN and infinities",
                                        "values with the limits of the type"};
    return names[set];
}

static double next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

/* The largest finite value, and the smallest normal one. */
static void float_limits(tw_dtype t, double *largest, double *smallest)
{
    *largest = t == TW_F64 ? 1.7976931348623157e308 : t == TW_F16 ? 65504 : 3.3895314e38;
    *smallest = t == TW_F64   ? 2.2250738585072014e-308
                : t == TW_F16 ? 6.103515625e-05
                              : 1.1754944e-38;
}

static double special_float(tw_dtype t, size_t set, size_t which, double x)
{
    double largest, smallest;
    float_limits(t, &largest, &smallest);
    const double ieee[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0},
                 limits[] = {largest, -largest, smallest, -smallest, 0.0, 1.0, -1.0};
    if (set == 1)
        return which < TW_COUNT(ieee) ? ieee[which] : x;
    return which < TW_COUNT(limits) ? limits[which] : x;
}

/* Of a type of `bits` bits: its limits, 0 and values next to it. */
static int64_t special_int(unsigned bits, bool is_signed, size_t which, int64_t otherwise)
{
    const int64_t high = is_signed ? (int64_t)(UINT64_MAX >> (65 - bits))
                                   : (int64_t)(UINT64_MAX >> (64 - bits));
    const int64_t low = is_signed ? -high - 1 : 0;
    const int64_t values[] = {low, high, 0, 1, is_signed ? -1 : 2};
    return which < TW_COUNT(values) ? values[which] : otherwise;
}

void interpret_fill(const tw_tensor_desc *d, size_t argument, size_t set, void *data)
{
    const size_t size = tw_dtype_size(d->dtype), n = size ? d->bytes / size : 0;
    const bool is_signed =
        d->dtype == TW_I8 || d->dtype == TW_I16 || d->dtype == TW_I32 || d->dtype == TW_I64;
    uint64_t state = argument * 7919 + set * 104729 + 1;
    for (size_t i = 0; i < n; i++) {
        const double x = next_random(&state);
        /* one in four is special, in all orders */
        const double pick = (next_random(&state) + 1) * 14;
        if (tool_is_float(d->dtype)) {
            tool_store_element(d->dtype, data, i,
                               set ? special_float(d->dtype, set, (size_t)pick, 2 * x)
                                   : 2 * x);
        } else if (d->dtype == TW_BOOL) {
            tool_store_element(d->dtype, data, i, x > 0);
        } else { /* small integers are valid as indices */
            const int64_t small = (int64_t)((x + 1) * 4);
            const int64_t v =
                set == 2 ? special_int((unsigned)size * 8, is_signed, (size_t)pick, small)
                         : small;
            memcpy((char *)data + i * size, &v, size);
        }
    }
}

static void **make_inputs(tw_arena *arena, const interpreted *f, size_t set)
{
    void **in = TW_ARENA_ARRAY(arena, void *, f->n_in + 1);
    for (size_t i = 0; i < f->n_in; i++) {
        in[i] = tw_arena_alloc(arena, f->in[i].bytes + 64);
        interpret_fill(&f->in[i], i, set, in[i]);
    }
    return in;
}

static void **make_outputs(tw_arena *arena, const interpreted *f)
{
    void **out = TW_ARENA_ARRAY(arena, void *, f->n_out + 1);
    for (size_t i = 0; i < f->n_out; i++)
        out[i] = tw_arena_alloc(arena, f->out_types[i].bytes + 64);
    return out;
}

/* ---- time */

/* Loops on arbitrary inputs may not end: a thread cancels what runs too long. */
typedef struct deadline {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done, started;
    int seconds;
    volatile int cancel;
} deadline;

static void *watch_time(void *user)
{
    deadline *d = user;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += d->seconds;
    pthread_mutex_lock(&d->mutex);
    while (!d->done && pthread_cond_timedwait(&d->changed, &d->mutex, &end) == 0)
        continue;
    d->cancel = !d->done;
    pthread_mutex_unlock(&d->mutex);
    return NULL;
}

static void deadline_begin(deadline *d, int seconds)
{
    *d = (deadline){.seconds = seconds};
    pthread_mutex_init(&d->mutex, NULL);
    pthread_cond_init(&d->changed, NULL);
    d->started = pthread_create(&d->thread, NULL, watch_time, d) == 0;
}

static void deadline_end(deadline *d)
{
    pthread_mutex_lock(&d->mutex);
    d->done = true;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->mutex);
    if (d->started)
        pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->mutex);
}

/* ---- the reference evaluator */

static ir_walk find_other(ir_op *op, void *user)
{
    static const char *const dialects[] = {"stablehlo.", "chlo.", "func."};
    (void)user;
    for (size_t i = 0; i < TW_COUNT(dialects); i++)
        if (strncmp(op->def->name, dialects[i], strlen(dialects[i])) == 0)
            return IR_WALK_ON;
    return IR_WALK_STOP;
}

static bool has_byte_form(ir_type type, const tw_tensor_desc *d)
{
    return ir_type_is_tensor(type) && hlo_byte_size(type->element) &&
           hlo_byte_size(type->element) == tw_dtype_size(d->dtype);
}

/* Runs the function by the evaluator; false where it does not support an operation. */
static bool evaluate(tw_arena *arena, ir_op *function, interpreted *f,
                     const volatile int *cancel)
{
    ir_op *stuck;
    const char *why;
    ir_type type = ir_op_attr(function, "function_type")->type;
    if (ir_walk_pre(function, find_other, NULL) == IR_WALK_STOP)
        return false;
    for (size_t i = 0; i < f->n_in + f->n_out; i++)
        if (!has_byte_form(type->types[i],
                           i < f->n_in ? &f->in[i] : &f->out_types[i - f->n_in]))
            return false;
    for (size_t set = 0; set < VALIDATE_SETS; set++) {
        f->out[set] = make_outputs(arena, f);
        const hlo_call call = {.function = function,
                               .inputs = (const void *const *)make_inputs(arena, f, set),
                               .outputs = f->out[set],
                               .cancel = cancel};
        if (hlo_eval_call(&call, &stuck, &why) != HLO_PASSED) {
            f->out[set] = NULL;
            if (set == 0)
                return false;
        }
    }
    return f->reference = true;
}

typedef struct wanted {
    const char *name;
    ir_op *found;
} wanted;

static ir_walk find_function(ir_op *op, void *user)
{
    wanted *w = user;
    if (op->def != FUNC_OP(func))
        return IR_WALK_ON;
    if (!w->found && tw_str_is(ir_symbol_name(op), w->name))
        w->found = op;
    return IR_WALK_SKIP;
}

/* The function of this name, also in a module for the device, in operations that the
 * evaluator knows: NULL if there is none, or where *out_stuck has no reference. */
static ir_op *as_stablehlo(ir_op *module, const char *name, ir_op **out_stuck)
{
    wanted w = {.name = name};
    *out_stuck = NULL;
    ir_walk_pre(module, find_function, &w);
    if (!w.found || !ir_op_body(w.found, 0) ||
        (ir_walk_pre(w.found, find_other, NULL) == IR_WALK_STOP &&
         !ttir_to_stablehlo(w.found, out_stuck)))
        return NULL;
    return w.found;
}

/* The same for TTIR and TTNN. */
static bool evaluate_meaning(tw_arena *arena, tw_str text, interpreted *f,
                             const volatile int *cancel)
{
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_op *module = ir_parse(ctx, text, "<module>", NULL);
    ir_op *stuck, *function = module ? as_stablehlo(module, f->name, &stuck) : NULL;
    f->rewritten = function && evaluate(arena, function, f, cancel);
    ir_context_destroy(ctx);
    return f->rewritten;
}

/* ---- programs */

static tw_tensor_desc copy_desc(tw_arena *arena, const tw_tensor_desc *d)
{
    tw_tensor_desc copy = *d;
    copy.dims =
        (const int64_t *)tw_arena_copy(arena, d->dims, (size_t)d->rank * sizeof *d->dims);
    return copy;
}

static tw_status compile(tw_str text, const char *name, const volatile int *cancel,
                         const tw_observer *observer, tw_program **out)
{
    /* What is compiled to validate passes is not validated: it has an observer that does
     * nothing. */
    static ir_watch none;
    return tw_program_compile(text.data, text.size,
                              &(tw_compile_options){.name = "<module>",
                                                    .entry = name,
                                                    .cancel = cancel,
                                                    .host = !observer,
                                                    .observer = observer,
                                                    .kernels = tw_grid_engine(),
                                                    .watch = &none},
                              out);
}

static bool fits(const tw_tensor_desc *d, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n && bytes <= MAX_BYTES; i++)
        bytes += d[i].bytes;
    return bytes <= MAX_BYTES;
}

static bool run_as_program(tw_arena *arena, tw_str text, interpreted *f,
                           const volatile int *cancel)
{
    tw_program *p;
    tw_status status = compile(text, f->name, cancel, NULL, &p);
    bool any = false;
    if (status != TW_SUCCESS) {
        tw_status_free(status);
        return false;
    }
    tw_program_set_cancel(p, cancel);
    const bool same =
        tw_program_input_count(p) == f->n_in && tw_program_output_count(p) == f->n_out;
    for (size_t set = 0; same && set < VALIDATE_SETS; set++) {
        f->out[set] = make_outputs(arena, f);
        status =
            tw_program_run(p, (const void *const *)make_inputs(arena, f, set), f->out[set]);
        if (status != TW_SUCCESS)
            f->out[set] = NULL;
        any |= f->out[set] != NULL;
        tw_status_free(status);
    }
    tw_program_destroy(p);
    return any;
}

/* ---- snapshots */

static bool is_public_function(const ir_op *op)
{
    return op->def == FUNC_OP(func) && ir_op_body(op, 0) && !ir_symbol_is_private(op);
}

static void take(snapshot *s, ir_op *function)
{
    ir_type type = ir_op_attr(function, "function_type")->type;
    tw_str name = ir_symbol_name(function);
    tw_tensor_desc *in, *out;
    interpreted *f = &s->at[s->n];
    *f = (interpreted){.name = tw_arena_copy(&s->arena, name.data, name.size),
                       .n_in = type->count,
                       .n_out = type->results};
    tw_status status =
        rt_describe(function, "argument", type->types, f->n_in, &s->arena, &in);
    if (status == TW_SUCCESS)
        status = rt_describe(function, "result", ir_function_results(type), f->n_out,
                             &s->arena, &out);
    if (status != TW_SUCCESS) {
        tw_status_free(status);
        return;
    }
    f->in = in;
    f->out_types = out;
    if (!fits(in, f->n_in) || !fits(out, f->n_out))
        return;
    deadline d;
    deadline_begin(&d, MAX_SECONDS);
    bool ran = evaluate(&s->arena, function, f, &d.cancel) ||
               evaluate_meaning(&s->arena, s->text, f, &d.cancel);
    deadline_end(&d);
    if (!ran) { /* in time of its own */
        deadline_begin(&d, MAX_SECONDS);
        ran = run_as_program(&s->arena, s->text, f, &d.cancel);
        deadline_end(&d);
    }
    s->n += ran;
}

static ir_walk count_function(ir_op *op, void *user)
{
    *(size_t *)user += is_public_function(op);
    return op->def == FUNC_OP(func) ? IR_WALK_SKIP : IR_WALK_ON;
}

static ir_walk take_function(ir_op *op, void *user)
{
    if (is_public_function(op))
        take(user, op);
    return op->def == FUNC_OP(func) ? IR_WALK_SKIP : IR_WALK_ON;
}

/* Fraction bits of the narrowest float named in the text, 23 at most; *times: how often
 * such floats are named. */
static int narrowest(tw_str text, size_t *times)
{
    static const struct {
        const char *name;
        int bits;
    } floats[] = {{"bfp_bf4", 2}, {"bfp_f4", 2}, {"bfp_bf2", 0}, {"f8E", 2},
                  {"bfp_bf8", 6}, {"bfp_f8", 6}, {"bf16", 7},    {"f16", 10}};
    int bits = 23;
    for (size_t i = 0; i < TW_COUNT(floats); i++) {
        const size_t size = strlen(floats[i].name);
        const char *at = text.data, *end = at + text.size;
        while ((at = memmem(at, (size_t)(end - at), floats[i].name, size))) {
            bits = TW_MIN(bits, floats[i].bits);
            at += size;
            ++*times;
        }
    }
    return bits;
}

/* The types of results and arguments, as text. The module's attributes are not looked at:
 * the description of the device there names every format that it has. */
static ir_walk note_types(ir_op *op, void *user)
{
    for (size_t i = 0; i < op->n_results; i++)
        ir_print_type(op->results[i].type, user);
    if (op->def == FUNC_OP(func))
        ir_print_type(ir_op_attr(op, "function_type")->type, user);
    return IR_WALK_ON;
}

void snapshot_print(snapshot *s, ir_op *module)
{
    tw_strbuf text = {0}, types = {0};
    ir_print_op(
        module,
        &(ir_print_options){.debug_info = true, .generic = true, .assume_verified = true},
        &text);
    s->text =
        (tw_str){tw_arena_copy(&s->arena, tw_strbuf_text(&text), text.size), text.size};
    ir_walk_pre(module, note_types, &types);
    s->coarse = narrowest((tw_str){tw_strbuf_text(&types), types.size}, &s->narrow);
    tw_strbuf_free(&types);
    tw_strbuf_free(&text);
}

static bool names_one_of(tw_str text, const char *const *names)
{
    for (; *names; names++)
        if (memmem(text.data, text.size, *names, strlen(*names)))
            return true;
    return false;
}

/* Results of such operations are arbitrary. */
static bool is_random(tw_str text)
{
    static const char *const names[] = {"\"stablehlo.rng\"", ".rand\"", "dropout", NULL};
    return names_one_of(text, names);
}

static bool orders(tw_str text)
{
    static const char *const names[] = {".sort\"", "top_k\"", "topk",
                                        "arg_max", "argmax",  NULL};
    return names_one_of(text, names);
}

void snapshot_take(snapshot *s, ir_op *module)
{
    size_t n = 0;
    if (!s->text.data)
        snapshot_print(s, module);
    s->orders = orders(s->text);
    if (is_random(s->text))
        return;
    ir_walk_pre(module, count_function, &n);
    s->at = TW_ARENA_ARRAY(&s->arena, interpreted, n + 1);
    ir_walk_pre(module, take_function, s);
}

void snapshot_free(snapshot *s)
{
    tw_arena_free(&s->arena);
    *s = (snapshot){0};
}

/* ---- traces */

void interpret_record(void *user, const tw_op_event *e)
{
    trace *t = user;
    if (e->before || !e->n_outputs || t->bytes > MAX_BYTES)
        return;
    const tw_tensor_desc *d = &e->tensors[e->n_inputs];
    traced row = {.name = tw_arena_copy(&t->arena, e->name, strlen(e->name)),
                  .file =
                      e->file ? tw_arena_copy(&t->arena, e->file, strlen(e->file)) : NULL,
                  .line = e->line,
                  .column = e->column,
                  .type = copy_desc(&t->arena, d),
                  .data = tw_arena_copy(&t->arena, e->data[e->n_inputs], d->bytes),
                  .n_operands = TW_MIN(e->n_inputs, TW_COUNT(row.operands))};
    for (size_t i = 0; i < row.n_operands; i++)
        row.operands[i] =
            e->tensors[i].bytes ? tool_element(e->tensors[i].dtype, e->data[i], 0) : 0;
    t->bytes += d->bytes;
    TW_PUSH(t->at, t->n, t->capacity, row);
}

static void record_value(void *user, const ir_op *op, const hlo_value *v)
{
    trace *t = user;
    ir_ident file;
    ir_attr means = ir_op_attr(op, TTIR_MEANS);
    traced row = {.name = op->def->name};
    if (means) {
        const tw_str name = ir_attr_str(means);
        row.name = tw_arena_copy(&t->arena, name.data, name.size);
    } else if (t->meanings) { /* a step of an operation */
        return;
    }
    const void *bytes = v && v->element && !v->members ? hlo_bytes(v) : NULL;
    if (!bytes || t->bytes > MAX_BYTES ||
        !rt_dtype_of(v->element, false, &row.type.dtype) ||
        tw_dtype_size(row.type.dtype) != hlo_byte_size(v->element))
        return;
    if (ir_loc_position(op->ctx, op->loc, &file, &row.line, &row.column))
        row.file = tw_arena_copy(&t->arena, file->text, strlen(file->text));
    row.type.rank = (int)v->rank;
    row.type.bytes = v->n * hlo_byte_size(v->element);
    row.type.dims =
        (const int64_t *)tw_arena_copy(&t->arena, v->dims, v->rank * sizeof *v->dims);
    row.data = tw_arena_copy(&t->arena, bytes, row.type.bytes);
    t->bytes += row.type.bytes;
    TW_PUSH(t->at, t->n, t->capacity, row);
}

/* "'ttir.sort' in line 7: has no reference" */
static const char *why_stuck(tw_arena *arena, const ir_op *stuck, const char *why)
{
    tw_strbuf text = {0};
    ir_ident file;
    uint32_t line, column;
    tw_strbuf_printf(&text, "'%s'", stuck->def->name);
    if (ir_loc_position(stuck->ctx, stuck->loc, &file, &line, &column))
        tw_strbuf_printf(&text, " in line %u", line);
    tw_strbuf_printf(&text, ": %s", why);
    const char *copy = tw_arena_copy(arena, text.data, text.size);
    tw_strbuf_free(&text);
    return copy;
}

bool interpret_trace_reference(ir_op *module, const char *name, const void *const *inputs,
                               void *const *outputs, int seconds, trace *out,
                               const char **out_why)
{
    wanted w = {.name = name};
    ir_op *stuck;
    deadline d;
    ir_walk_pre(module, find_function, &w);
    *out_why = "there is no such function";
    if (!w.found)
        return false;
    out->meanings = ir_walk_pre(w.found, find_other, NULL) == IR_WALK_STOP;
    ir_op *function = as_stablehlo(module, name, &stuck);
    if (!function) {
        *out_why =
            why_stuck(&out->arena, stuck, "it has no reference, or its types have none");
        return false;
    }
    deadline_begin(&d, seconds);
    const hlo_call call = {.function = function,
                           .inputs = inputs,
                           .outputs = outputs,
                           .observe = record_value,
                           .observer = out,
                           .cancel = &d.cancel};
    const bool ok = hlo_eval_call(&call, &stuck, out_why) == HLO_PASSED;
    deadline_end(&d);
    if (!ok && stuck && !d.cancel)
        *out_why = why_stuck(&out->arena, stuck, *out_why);
    return ok;
}

/* The evaluator's trace of a function in text, for a set of inputs. */
static bool trace_by_reference(tw_str text, const interpreted *f, size_t set, trace *out)
{
    const char *why;
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_op *module = ir_parse(ctx, text, "<module>", NULL);
    const bool ok = module && interpret_trace_reference(
                                  module, f->name,
                                  (const void *const *)make_inputs(&out->arena, f, set),
                                  make_outputs(&out->arena, f), MAX_SECONDS, out, &why);
    ir_context_destroy(ctx);
    return ok;
}

static bool trace_program(tw_str text, const interpreted *f, size_t set, trace *out)
{
    deadline d;
    tw_program *p;
    deadline_begin(&d, MAX_SECONDS);
    tw_status status =
        compile(text, f->name, &d.cancel, &(tw_observer){interpret_record, out}, &p);
    if (status == TW_SUCCESS) {
        tw_program_set_cancel(p, &d.cancel);
        status = tw_program_run(p, (const void *const *)make_inputs(&out->arena, f, set),
                                make_outputs(&out->arena, f));
        tw_program_destroy(p);
    }
    deadline_end(&d);
    const bool ok = status == TW_SUCCESS;
    tw_status_free(status);
    return ok;
}

bool interpret_trace(tw_str text, const interpreted *f, size_t set, trace *out)
{
    return f->reference ? trace_by_reference(text, f, set, out)
                        : trace_program(text, f, set, out);
}

static bool same_type(const tw_tensor_desc *a, const tw_tensor_desc *b)
{
    return a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

const traced *trace_counterpart(const trace *t, const traced *of)
{
    const traced *found = NULL;
    for (size_t i = 0; of->file && i < t->n; i++) {
        const traced *r = &t->at[i];
        if (r->file && r->line == of->line && r->column == of->column &&
            strcmp(r->file, of->file) == 0 && same_type(&r->type, &of->type))
            found = r;
    }
    return found;
}

void trace_free(trace *t)
{
    free(t->at);
    tw_arena_free(&t->arena);
    *t = (trace){0};
}
