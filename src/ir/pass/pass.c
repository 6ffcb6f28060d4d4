/* pass.c: parsing pipelines and running passes. */
#include "ir/pass/pass_impl.h"

#include "ir/pass/anchored.h"
#include "ir/watch.h"

#include "support/clock.h"
#include "support/number.h"
#include "support/suggest.h"

#include <stdlib.h>

/* ---- registry ----------------------------------------------------------------------- */

const pass_def *pass_find(const pass_registry *r, tw_str name)
{
    for (const pass_def *const *p = r->passes; *p; p++)
        if (tw_str_is(name, (*p)->name))
            return *p;
    return NULL;
}

const pass_pipeline_def *pass_find_pipeline(const pass_registry *r, tw_str name)
{
    for (const pass_pipeline_def *const *p = r->pipelines; *p; p++)
        if (tw_str_is(name, (*p)->name))
            return *p;
    return NULL;
}

const char *pass_suggest(const pass_registry *r, tw_str name)
{
    tw_nearest n = tw_nearest_to(name);
    for (const pass_def *const *p = r->passes; *p; p++)
        tw_nearest_try(&n, name, (*p)->name);
    for (const pass_pipeline_def *const *p = r->pipelines; *p; p++)
        tw_nearest_try(&n, name, (*p)->name);
    return n.best;
}

/* ---- options ------------------------------------------------------------------------ */

static tw_str option_text(const pass_run *run, const char *name, pass_option_kind kind)
{
    const element *e = run->self;
    for (size_t i = 0; i < e->n_options; i++)
        if (strcmp(e->options[i].name, name) == 0)
            return e->options[i].value;
    for (uint32_t i = 0; i < e->pass->options.count; i++)
        if (strcmp(e->pass->options.at[i].name, name) == 0) {
            assert(e->pass->options.at[i].kind == kind ||
                   (kind == PASS_STRING && e->pass->options.at[i].kind == PASS_LIST));
            assert(!e->pass->options.at[i].no_effect);
            return tw_str_from(e->pass->options.at[i].deflt);
        }
    (void)kind;
    assert(!"a pass asked for an option its row does not declare");
    return (tw_str){0};
}

/* Boolean values as LLVM's options accept them. */
static bool is_true(tw_str s)
{
    return tw_str_is(s, "true") || tw_str_is(s, "True") || tw_str_is(s, "TRUE") ||
           tw_str_is(s, "1");
}

static bool parse_bool(tw_str s, bool *out)
{
    *out = is_true(s) || s.size == 0;
    return *out || tw_str_is(s, "false") || tw_str_is(s, "False") ||
           tw_str_is(s, "FALSE") || tw_str_is(s, "0");
}

bool pass_option_bool(const pass_run *run, const char *name)
{
    return is_true(option_text(run, name, PASS_BOOL));
}

int64_t pass_option_int(const pass_run *run, const char *name)
{
    tw_str s = option_text(run, name, PASS_INT);
    return s.size ? strtoll(s.data, NULL, 10) : 0;
}

tw_str pass_option_str(const pass_run *run, const char *name)
{
    return option_text(run, name, PASS_STRING);
}

int64_t pass_option_ints(const pass_run *run, const char *name, int64_t *out, size_t max)
{
    return tw_read_numbers(pass_option_str(run, name), out, max);
}

static bool fail(pass_manager *pm, const char *format, ...) TW_PRINTF(2, 3);
static bool fail(pass_manager *pm, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ir_report(pm->ctx, IR_ERROR, IR_LOC_UNKNOWN, NULL, format, args);
    va_end(args);
    return false;
}

/* Whose options are read: a pass's or a pipeline's. */
typedef struct option_owner {
    const char *kind, *name;
    const pass_option_def *at;
    uint32_t count;
} option_owner;

static bool is_default(const pass_option_def *o, tw_str value)
{
    const tw_str deflt = tw_str_from(o->deflt ? o->deflt : "");
    bool flag = false;
    if (o->kind == PASS_BOOL)
        return parse_bool(value, &flag) && flag == is_true(deflt);
    if (o->kind == PASS_INT)
        return strtoll(value.data, NULL, 10) == strtoll(deflt.data, NULL, 10);
    return tw_str_equal(value, deflt);
}

static bool check_value(pass_manager *pm, const option_owner *owner,
                        const pass_option_def *o, tw_str value)
{
    bool flag;
    char *end;
    if (o->kind == PASS_BOOL && !parse_bool(value, &flag))
        return fail(pm, "option '%s' of '%s' takes true or false, not '%s'", o->name,
                    owner->name, value.data);
    if (o->kind == PASS_INT && (strtoll(value.data, &end, 10), *end || end == value.data))
        return fail(pm, "option '%s' of '%s' takes a number, not '%s'", o->name,
                    owner->name, value.data);
    if ((o->no_effect || o->partial) && !is_default(o, value))
        ir_warning(pm->ctx, IR_LOC_UNKNOWN, "option '%s' of %s '%s' has %s: %s", o->name,
                   owner->kind, owner->name,
                   o->no_effect ? "no effect" : "only part of its effect",
                   o->no_effect ? o->no_effect : o->partial);
    return true;
}

/* `value` ends with a zero byte. */
static bool check_option(pass_manager *pm, const option_owner *owner, tw_str name,
                         tw_str value)
{
    for (uint32_t i = 0; i < owner->count; i++)
        if (tw_str_is(name, owner->at[i].name))
            return check_value(pm, owner, &owner->at[i], value);
    tw_nearest n = tw_nearest_to(name);
    for (uint32_t i = 0; i < owner->count; i++)
        tw_nearest_try(&n, name, owner->at[i].name);
    return fail(pm, "'%s' has no option '%.*s'%s%s%s", owner->name, (int)name.size,
                name.data, n.best ? "; did you mean '" : "", n.best ? n.best : "",
                n.best ? "'?" : "");
}

/* "a=1 b={x y} c": separated by blanks, values may be in braces, brackets or quotes. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* How far brackets and quotes are open. The > of an arrow is no bracket. */
typedef struct nesting {
    int depth;
    char quote;
    bool after_dash;
} nesting;

static bool is_open(const nesting *n)
{
    return n->depth || n->quote;
}

static void pass_over(nesting *n, char c)
{
    if (n->quote)
        n->quote = c == n->quote ? 0 : n->quote;
    else if (c == '"' || c == '\'')
        n->quote = c;
    else if (c != '>' || !n->after_dash)
        n->depth += (strchr("{[(<", c) != NULL) - (strchr("}])>", c) != NULL);
    n->after_dash = c == '-';
}

/* Scans an option's value to the blank behind it or the end; NULL if a bracket or a quote
 * does not close. */
static const char *skip_value(const char *c, const char *end)
{
    nesting n = {0};
    for (; c < end && (is_open(&n) || !is_blank(*c)); c++)
        pass_over(&n, *c);
    return is_open(&n) ? NULL : c;
}

/* Returns the bracket that closes the one at `c`; NULL if there is none. */
static const char *match_bracket(const char *c, const char *end)
{
    nesting n = {0};
    for (; c < end; c++) {
        pass_over(&n, *c);
        if (!is_open(&n))
            return c;
    }
    return NULL;
}

/* True if a value is all in quotes or braces, which are no part of it. */
static bool is_wrapped(tw_str value)
{
    const char first = value.size >= 2 ? value.data[0] : 0;
    return (first == '{' || first == '"' || first == '\'') &&
           value.data[value.size - 1] == (first == '{' ? '}' : first);
}

/* Prints a value so that it is read again: those with blanks or brackets that do not close
 * were in quotes or braces. */
static void put_value(tw_strbuf *out, tw_str value)
{
    const char *end = value.data + value.size;
    if (skip_value(value.data, end) == end &&
        !(value.size && strchr("{\"'", value.data[0])))
        tw_strbuf_append(out, value.data, value.size);
    else if (memchr(value.data, '"', value.size))
        tw_strbuf_printf(out, "{%s}", value.data);
    else
        tw_strbuf_printf(out, "\"%s\"", value.data);
}

static bool parse_options(pass_manager *pm, const option_owner *owner, tw_str text,
                          option_value **out, size_t *out_count)
{
    option_value list[64];
    size_t n = 0;
    const char *c = text.data, *end = c + text.size;
    while (c < end) {
        while (c < end && is_blank(*c))
            c++;
        if (c == end)
            break;
        const char *name = c;
        while (c < end && *c != '=' && *c != ' ')
            c++;
        tw_str key = {name, (size_t)(c - name)}, value = {c, 0};
        if (c < end && *c == '=') {
            const char *start = ++c;
            c = skip_value(start, end);
            if (!c)
                return fail(pm,
                            "option '%.*s' of '%s' has a bracket or quote that does not "
                            "close: %.*s",
                            (int)key.size, key.data, owner->name, (int)(end - start),
                            start);
            value = (tw_str){start, (size_t)(c - start)};
            if (is_wrapped(value))
                value = (tw_str){value.data + 1, value.size - 2};
        } else {
            value = TW_STR("true");
        }
        value.data = tw_arena_copy(&pm->arena, value.data, value.size);
        if (!check_option(pm, owner, key, value))
            return false;
        if (n == TW_COUNT(list))
            return fail(pm, "too many options for '%s'", owner->name);
        list[n++] = (option_value){tw_arena_copy(&pm->arena, key.data, key.size), value};
    }
    *out = (option_value *)(void *)tw_arena_copy(&pm->arena, list, n * sizeof *list);
    *out_count = n;
    return true;
}

/* ---- building ----------------------------------------------------------------------- */

static element *add_child(pass_manager *pm, element *parent)
{
    if (parent->n_children == parent->capacity) {
        size_t capacity = parent->capacity ? parent->capacity * 2 : 8;
        element *children = TW_ARENA_ARRAY(&pm->arena, element, capacity);
        if (parent->n_children)
            memcpy(children, parent->children, parent->n_children * sizeof *children);
        parent->children = children;
        parent->capacity = capacity;
    }
    element *e = &parent->children[parent->n_children++];
    *e = (element){0};
    return e;
}

/* Finds or creates the trailing nest on `anchor`. */
static element *nest(pass_manager *pm, element *parent, const char *anchor, bool deep)
{
    if (parent->n_children) {
        element *last = &parent->children[parent->n_children - 1];
        if (!last->pass && last->deep == deep && strcmp(last->anchor, anchor) == 0)
            return last;
    }
    element *e = add_child(pm, parent);
    e->anchor = anchor;
    e->deep = deep;
    return e;
}

static bool parse_elements(pass_manager *pm, element *parent, tw_str text, int depth);

static const char *pipeline_value(const pass_pipeline_def *def, const option_value *values,
                                  size_t n, tw_str name, size_t *size)
{
    for (size_t i = 0; i < n; i++)
        if (tw_str_is(name, values[i].name)) {
            *size = values[i].value.size;
            return values[i].value.data;
        }
    for (uint32_t i = 0; i < def->options.count; i++)
        if (tw_str_is(name, def->options.at[i].name)) {
            const char *d = def->options.at[i].deflt;
            *size = d ? strlen(d) : 0;
            return d ? d : "";
        }
    return NULL;
}

/* True if all conditions of a step hold for the pipeline's options. */
static bool is_wanted(const pass_pipeline_def *def, const option_value *values, size_t n,
                      const char *when)
{
    for (const char *at = when; at && *at;) {
        bool negated = *at == '!', flag = false;
        at += negated;
        tw_str name = {at, strcspn(at, ",")};
        size_t size;
        const char *value = pipeline_value(def, values, n, name, &size);
        assert(value && "a step's condition names no option");
        if (size && !parse_bool((tw_str){value, size}, &flag))
            flag = true;
        if (flag == negated)
            return false;
        at += name.size + (at[name.size] == ',');
    }
    return true;
}

static bool add_pipeline(pass_manager *pm, element *parent, const pass_pipeline_def *def,
                         tw_str options, int depth)
{
    option_value *values;
    size_t n;
    const option_owner owner = {"pipeline", def->name, def->options.at, def->options.count};
    if (!parse_options(pm, &owner, options, &values, &n))
        return false;
    for (uint32_t i = 0; i < def->steps.count; i++) {
        const pass_step *step = &def->steps.at[i];
        if (!is_wanted(def, values, n, step->when))
            continue;
        tw_strbuf text = {0};
        for (const char *c = step->text; *c; c++) {
            if (*c != '$') {
                tw_strbuf_putc(&text, *c);
                continue;
            }
            const char *start = ++c;
            while ((*c >= 'a' && *c <= 'z') || *c == '-' || (*c >= '0' && *c <= '9'))
                c++;
            size_t size;
            const char *value =
                pipeline_value(def, values, n, (tw_str){start, (size_t)(c - start)}, &size);
            assert(value && "a step names no option");
            put_value(&text, (tw_str){value, size});
            c--;
        }
        tw_str expanded = {tw_arena_copy(&pm->arena, text.data, text.size), text.size};
        tw_strbuf_free(&text);
        if (!parse_elements(pm, parent, expanded, depth + 1))
            return false;
    }
    return true;
}

static bool add_element(pass_manager *pm, element *parent, tw_str name, tw_str options,
                        int depth)
{
    const pass_pipeline_def *pipeline = pass_find_pipeline(pm->registry, name);
    if (pipeline)
        return add_pipeline(pm, parent, pipeline, options, depth);
    const pass_def *def = pass_find(pm->registry, name);
    if (!def) {
        const char *near = pass_suggest(pm->registry, name);
        return fail(pm, "'%.*s' does not refer to a registered pass or pass pipeline%s%s%s",
                    (int)name.size, name.data, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
    }
    /* A function pass added to a module pipeline runs on each function, at any depth. */
    if (def->anchor && strcmp(def->anchor, parent->anchor) != 0) {
        if (strcmp(parent->anchor, "builtin.module") != 0)
            return fail(
                pm,
                "can't add pass '%s' restricted to '%s' on a PassManager intended to "
                "run on '%s', did you intend to nest?",
                def->name, def->anchor, parent->anchor);
        parent = nest(pm, parent, def->anchor, true);
    }
    element e = {.pass = def};
    const option_owner owner = {"pass", def->name, def->options.at, def->options.count};
    if (!parse_options(pm, &owner, options, &e.options, &e.n_options))
        return false;
    *add_child(pm, parent) = e;
    return true;
}

static bool parse_elements(pass_manager *pm, element *parent, tw_str text, int depth)
{
    const char *c = text.data, *end = c + text.size;
    if (depth > 32)
        return fail(pm, "pipeline nests too deeply");
    while (c < end) {
        while (c < end && (*c == ' ' || *c == ',' || *c == '\n'))
            c++;
        if (c == end)
            break;
        const char *start = c;
        while (c < end && !strchr("({[ ,\n)}]\"", *c))
            c++;
        tw_str name = {start, (size_t)(c - start)}, options = {c, 0};
        if (name.size == 0)
            return fail(pm, "expected a pass name at '%.*s' in the pipeline",
                        (int)TW_MIN(end - c, 20), c);
        if (c < end && (*c == '(' || *c == '{')) {
            const char *close = match_bracket(c, end);
            if (!close)
                return fail(pm, "missing closing '%c' while processing pass options",
                            *c == '(' ? ')' : '}');
            tw_str inner = {c + 1, (size_t)(close - c - 1)};
            bool nested = *c == '(';
            c = close + 1;
            if (nested) {
                const char *anchor = tw_arena_copy(&pm->arena, name.data, name.size);
                bool outermost = depth == 0 && (tw_str_is(name, "any") ||
                                                strcmp(anchor, parent->anchor) == 0);
                element *target = outermost ? parent : nest(pm, parent, anchor, false);
                if (!parse_elements(pm, target, inner, depth + 1))
                    return false;
                continue;
            }
            options = inner;
        }
        if (!add_element(pm, parent, name, options, depth))
            return false;
    }
    return true;
}

pass_manager *pass_manager_create(ir_context *ctx, const pass_registry *registry,
                                  const pass_config *config)
{
    pass_manager *pm = tw_xcalloc(1, sizeof *pm);
    pm->ctx = ctx;
    pm->registry = registry;
    if (config)
        pm->config = *config;
    pm->dumps = pm->config.tree_dir ? ir_mapping_create() : NULL;
    pm->root.anchor = "builtin.module";
    return pm;
}

void pass_manager_set_anchor(pass_manager *pm, const char *operation)
{
    pm->root.anchor = operation;
}

void pass_manager_destroy(pass_manager *pm)
{
    if (!pm)
        return;
    tw_arena_free(&pm->arena);
    if (pm->dumps && !pm->nested)
        ir_mapping_free(pm->dumps);
    free(pm);
}

bool pass_manager_add(pass_manager *pm, tw_str pipeline)
{
    if (memchr(pipeline.data, 0, pipeline.size))
        return fail(pm, "a pipeline is text, without bytes of value 0");
    return parse_elements(pm, &pm->root, pipeline, 0);
}

bool pass_manager_add_named(pass_manager *pm, const char *name, tw_str options)
{
    return add_element(pm, &pm->root, tw_str_from(name), options, 0);
}

static void print_element(const element *e, tw_strbuf *out)
{
    if (e->pass) {
        tw_strbuf_puts(out, e->pass->name);
        for (size_t i = 0; i < e->n_options; i++) {
            tw_strbuf_printf(out, "%s%s=", i ? " " : "{", e->options[i].name);
            put_value(out, e->options[i].value);
        }
        if (e->n_options)
            tw_strbuf_putc(out, '}');
        return;
    }
    tw_strbuf_printf(out, "%s(", e->anchor);
    for (size_t i = 0; i < e->n_children; i++) {
        if (i)
            tw_strbuf_putc(out, ',');
        print_element(&e->children[i], out);
    }
    tw_strbuf_putc(out, ')');
}

size_t pass_manager_size(const pass_manager *pm)
{
    return pm->root.n_children;
}

void pass_manager_print(const pass_manager *pm, tw_strbuf *out)
{
    print_element(&pm->root, out);
}

/* ---- running ------------------------------------------------------------------------ */

static bool listed(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static void note_failure(pass_manager *pm, const pass_def *pass, const ir_op *op)
{
    tw_strbuf text = {0};
    pass_describe(op, &text);
    pm->failed = pass;
    pm->failed_on = tw_arena_copy(&pm->arena, text.data, text.size);
    tw_strbuf_free(&text);
}

/* Passes keep shapes in arrays of fixed size and may add a few dimensions of their own, so
 * tensors of higher rank are rejected. */
enum { MAX_DIMS = 24 };

static bool has_many_dims(const ir_value *v)
{
    return v && ir_type_is_ranked(v->type) && v->type->count > MAX_DIMS;
}

static ir_walk find_many_dims(ir_op *op, void *user)
{
    bool found = false;
    for (uint32_t i = 0; i < op->n_results; i++)
        found |= has_many_dims(&op->results[i]);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                found |= has_many_dims(b->args[i]);
    if (found)
        *(ir_op **)user = op;
    return found ? IR_WALK_STOP : IR_WALK_ON;
}

static bool check_dims(pass_manager *pm, const pass_def *pass, ir_op *op)
{
    ir_op *found = NULL;
    if (ir_context_max_rank(pm->ctx) <= MAX_DIMS)
        return true;
    ir_walk_pre(op, find_many_dims, &found);
    if (found)
        ir_op_error(found,
                    "has a tensor of more than %d dimensions, which pass '%s' does "
                    "not take",
                    (int)MAX_DIMS, pass->name);
    return !found;
}

/* Numbers the passes below `e`, from `n` on; returns how many there are then. */
static size_t number_passes(element *e, size_t n)
{
    if (e->pass)
        e->number = n++;
    for (size_t i = 0; i < e->n_children; i++)
        n = number_passes(&e->children[i], n);
    return n;
}

static void begin_progress(pass_manager *pm)
{
    pass_config *c = &pm->config;
    if (!c->progress)
        return;
    const size_t n = number_passes(&pm->root, 0);
    c->progress->total = n * TW_MAX(c->stages, (size_t)1);
    c->progress->done = c->stage * n;
    pm->first = c->stage * n;
}

static void note_progress(const pass_manager *pm, const element *e)
{
    tw_progress *p = pm->config.progress;
    if (!p)
        return;
    p->done = pm->first + e->number;
    p->what = e->pass->name;
}

static bool run_pass(pass_manager *pm, element *e, ir_op *op)
{
    pass_run run = {pm, e};
    const pass_config *c = &pm->config;
    note_progress(pm, e);
    if (tw_is_cancelled(c->cancel))
        return fail(pm, "interrupted before pass '%s'", e->pass->name);
    if (!check_dims(pm, e->pass, op)) {
        note_failure(pm, e->pass, op);
        return false;
    }
    if (c->print_before_all || listed(c->print_before, e->pass->name))
        pass_dump(pm, op, "Before", e->pass, "");
    bool print_after = !c->print_after_failure &&
                       (c->print_after_all || listed(c->print_after, e->pass->name));
    uint64_t fingerprint = c->print_after_change ? pass_fingerprint(op) : 0;
    ir_watch_before_pass(pm->ctx, e->pass->name, op);
    size_t errors = ir_context_error_count(pm->ctx);
    double start = c->timing ? tw_clock_seconds() : 0;
    bool ok = e->pass->run(op, &run);
    if (c->timing) {
        e->seconds += tw_clock_seconds() - start;
        e->runs++;
    }
    if (ok && !c->no_verify)
        ok = ir_verify(op);
    ok = ok && ir_watch_after_pass(pm->ctx, e->pass->name, op);
    if (!ok) {
        note_failure(pm, e->pass, op);
        if (c->print_after_failure || print_after || c->print_after_change) {
            ir_flush_diagnostics(pm->ctx);
            pass_dump(pm, op, "After", e->pass, " Failed");
        }
        if (ir_context_error_count(pm->ctx) == errors)
            fail(pm, "pass '%s' failed without saying why", e->pass->name);
        return false;
    }
    if (print_after || (c->print_after_change && pass_fingerprint(op) != fingerprint))
        pass_dump(pm, op, "After", e->pass, "");
    return true;
}

static bool run_element(pass_manager *pm, element *e, ir_op *op);

static bool run_children(pass_manager *pm, element *e, ir_op *op)
{
    for (size_t i = 0; i < e->n_children; i++) {
        if (!run_element(pm, &e->children[i], op))
            return false;
        if (e == &pm->root && pm->config.after_step)
            pm->config.after_step(pm->config.user,
                                  e->children[i].pass ? e->children[i].pass->name
                                                      : e->children[i].anchor,
                                  op);
    }
    return true;
}

static bool run_element(pass_manager *pm, element *e, ir_op *op)
{
    if (e->pass)
        return run_pass(pm, e, op);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first, *next; o; o = next) {
                next = o->next;
                if (ir_op_named(o, e->anchor) || strcmp(e->anchor, "any") == 0) {
                    if (!run_children(pm, e, o))
                        return false;
                } else if (e->deep && o->n_regions && !run_element(pm, e, o)) {
                    return false;
                }
            }
    return true;
}

bool pass_run_nested(const pass_run *run, tw_str pipeline, ir_op *op)
{
    const pass_manager *outer = run->pm;
    pass_config config = outer->config;
    config.after_step = NULL;
    config.progress = NULL;
    config.tree_dir = NULL;
    pass_manager *pm = pass_manager_create(outer->ctx, outer->registry, &config);
    pm->config.tree_dir = outer->config.tree_dir;
    pm->dumps = outer->dumps;
    pm->nested = true;
    pm->root.anchor = op->def->name;
    bool ok = pass_manager_add(pm, pipeline) && run_children(pm, &pm->root, op);
    pass_manager_destroy(pm);
    return ok;
}

void pass_write(const pass_run *run, tw_str text)
{
    if (run->pm->config.write)
        run->pm->config.write(run->pm->config.user, text);
}

ir_print_options pass_print_options(const pass_run *run)
{
    return run->pm->config.print;
}

bool pass_debugs(const pass_run *run)
{
    const char *list = run->pm->config.debug_only, *name = run->self->pass->name;
    size_t size = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0'))
            return true;
    return false;
}

bool pass_manager_run(pass_manager *pm, ir_op *module)
{
    begin_progress(pm);
    return run_children(pm, &pm->root, module);
}
