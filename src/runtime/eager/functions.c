/* functions.c: the rows of functions that can be called, made once from the calls that
 * operations are emitted as (ttnn/to_emitpy/calls.c, ttnn/to_emitc/calls.c). */
#include "runtime/eager/eager_impl.h"
#include "support/guard.h"
#include "ttnn/to_emitc/ttnn_to_emitc.h"
#include "ttnn/to_emitpy/ttnn_to_emitpy.h"
#include "ttnn/ttnn.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct table {
    tw_arena arena;
    eager_function **at;
    size_t n, capacity;
} table;

static table tables[2];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool made;

static const char *keep(table *t, const char *text, size_t size)
{
    char *copy = tw_arena_alloc(&t->arena, size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

/* "ttnn.add" as C++ has it: "ttnn::add"; names of C++ lose the outermost "::". */
static const char *function_name(table *t, tw_language language, const ttnn_call_row *row,
                                 const ir_op_def *def)
{
    tw_strbuf text = {0};
    const char *name = row->callee ? row->callee : def->name;
    if (language == TW_CPP && strncmp(name, "::", 2) == 0)
        name += 2;
    for (; *name; name++) {
        if (language == TW_CPP && *name == '.')
            tw_strbuf_puts(&text, "::");
        else
            tw_strbuf_putc(&text, *name);
    }
    name = keep(t, text.data, text.size);
    tw_strbuf_free(&text);
    return name;
}

static eager_function *function_named(table *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->at[i]->row.name, name) == 0)
            return t->at[i];
    return NULL;
}

/* ---- parameters ---------------------------------------------------------------------- */

typedef struct argument {
    const char *name; /* the keyword, "" if it has none */
    const char *of;   /* the row's name of what it is, or "" */
    bool by_position;
    eager_source source;
    const ir_attr_use *attr;
} argument;

static const ir_attr_use *attr_use(const ir_op_def *def, const char *name, uint16_t *index)
{
    for (uint32_t i = 0; i < def->attrs.count; i++)
        if (strcmp(def->attrs.at[i].name, name) == 0) {
            *index = (uint16_t)i;
            return &def->attrs.at[i];
        }
    return NULL;
}

static bool is_device(const ir_operand_def *o)
{
    return o->type->def && strcmp(o->type->def, "ttnn.device") == 0;
}

static bool read_named(const ir_op_def *def, const char *name, argument *out)
{
    size_t group = ir_op_operand_index(def, name);
    if (group != SIZE_MAX) {
        out->source.use =
            is_device(&def->operands.at[group]) ? EAGER_DEVICE : EAGER_OPERAND;
        out->source.index = (uint16_t)group;
        return true;
    }
    out->source.use = EAGER_ATTR;
    out->attr = attr_use(def, name, &out->source.index);
    return out->attr != NULL;
}

/* The forms of sources in both languages; see ttnn_to_emitpy.h and ttnn_to_emitc.h. */
static bool read_source(table *t, const ir_op_def *def, const char *text, argument *out)
{
    if (*text == '\'') {
        out->source.use = EAGER_LITERAL;
        out->source.literal = text + 1;
        return true;
    }
    if (*text == '@') {
        out->source.use = strcmp(text, "@layout") == 0   ? EAGER_LAYOUT
                          : strcmp(text, "@memory") == 0 ? EAGER_PLACEMENT
                                                         : EAGER_DTYPE;
        return strcmp(text, "@shape") != 0 && strcmp(text, "@spec") != 0;
    }
    if (strncmp(text, "or:", 3) == 0) {
        const size_t size = strcspn(text + 3, ":");
        const char *operand = keep(t, text + 3, size);
        argument other = {0};
        if (!read_named(def, operand, out) || !read_named(def, text + 4 + size, &other))
            return false;
        out->of = operand;
        out->attr = other.attr;
        out->source.use = EAGER_EITHER;
        out->source.other = other.source.index;
        return true;
    }
    const char *colon = strchr(text, ':');
    const char *name = *text == '#' ? text + 1 : colon ? colon + 1 : text;
    out->of = name;
    out->source.is_index = strncmp(text, "scalar:", 7) == 0;
    out->source.edges = strncmp(text, "pool:", 5) == 0;
    return read_named(def, name, out);
}

/* [keyword]=source or source; false for what is no argument. */
static bool read_argument(table *t, const ir_op_def *def, const char *text, size_t size,
                          argument *out)
{
    const char *whole = keep(t, text, size);
    const char *equals = *whole == '\'' ? NULL : strchr(whole, '=');
    const char *source = equals ? equals + 1 : whole;
    *out = (argument){.name = "", .of = ""};
    if (*whole == '!' || !read_source(t, def, source, out))
        return false;
    out->by_position = !equals;
    out->name = !equals || equals == whole ? *out->of ? out->of : ""
                                           : keep(t, whole, (size_t)(equals - whole));
    if (!equals && *out->of && eager_other_name(def, out->of))
        out->name = eager_other_name(def, out->of);
    if (!equals && !*out->of)
        out->name = out->source.use == EAGER_DTYPE       ? "dtype"
                    : out->source.use == EAGER_LAYOUT    ? "layout"
                    : out->source.use == EAGER_PLACEMENT ? "memory_config"
                                                         : "";
    return true;
}

static const char *meaning_of(const argument *a, const ir_op_def *def)
{
    switch (a->source.use) {
    case EAGER_OPERAND:
        return def->operands.at[a->source.index].arity == IR_VARIADIC ? "tensors"
                                                                      : "a tensor";
    case EAGER_EITHER:
        return "a tensor or an integer";
    case EAGER_DEVICE:
        return "a device";
    case EAGER_DTYPE:
        return "a data type";
    case EAGER_LAYOUT:
        return "a layout";
    case EAGER_PLACEMENT:
        return "a memory config";
    case EAGER_LITERAL:
        return "an option";
    default:
        return a->attr->type->text;
    }
}

static const char *default_of(const argument *a, const ir_op_def *def)
{
    switch (a->source.use) {
    case EAGER_OPERAND:
        return def->operands.at[a->source.index].arity == IR_OPTIONAL ? "None" : NULL;
    case EAGER_LITERAL:
        return a->source.literal;
    case EAGER_EITHER:
        return NULL;
    case EAGER_ATTR:
        return a->attr->optional || a->attr->deflt || eager_default(def, a->attr->name) ||
                       strcmp(a->attr->type->name, "BoolAttr") == 0
                   ? "None"
                   : NULL;
    default:
        return "None";
    }
}

/* Operands and what follows them may be given by position, up to the first argument that
 * says how or where to compute. */
static bool is_leading(const argument *a)
{
    return a->source.use == EAGER_OPERAND || a->source.use == EAGER_ATTR ||
           a->source.use == EAGER_EITHER;
}

static bool is_written(const ir_operand_def *o)
{
    return o->effects && strstr(o->effects, "write");
}

static size_t parameter_for(eager_function *f, const argument *a, const ir_op_def *def,
                            size_t position, bool leading)
{
    for (size_t i = 0; i < f->row.n_parameters; i++) {
        const char *name = f->parameters[i].name;
        if (*a->name ? strcmp(name, a->name) == 0 : i == position && !*name)
            return i;
    }
    if (f->n_candidates && a->by_position && position < f->row.n_parameters)
        return position;
    assert(f->row.n_parameters < TW_EAGER_MAX_PARAMETERS);
    tw_parameter *p = &f->parameters[f->row.n_parameters];
    *p = (tw_parameter){.name = a->name,
                        .meaning = meaning_of(a, def),
                        .deflt = default_of(a, def),
                        .by_position = a->by_position || leading,
                        .is_tensor = a->source.use == EAGER_OPERAND,
                        .is_written = a->source.use == EAGER_OPERAND &&
                                      is_written(&def->operands.at[a->source.index])};
    if (*a->of && strcmp(a->of, a->name) != 0)
        p->other[0] = a->of;
    if (*a->of && eager_other_name(def, a->of) &&
        strcmp(eager_other_name(def, a->of), a->name) != 0)
        p->other[1] = eager_other_name(def, a->of);
    return f->row.n_parameters++;
}

static void add_candidate(table *t, eager_function *f, const ir_op_def *def,
                          const char *args)
{
    assert(f->n_candidates < EAGER_MAX_CANDIDATES);
    eager_candidate *c = &f->candidates[f->n_candidates];
    const bool first = f->n_candidates == 0;
    bool leading = true;
    c->def = def;
    size_t position = 0;
    for (const char *at = args; *at;) {
        size_t size = 0;
        for (int depth = 0; at[size] && (at[size] != ',' || depth); size++)
            depth +=
                (strchr("<({[", at[size]) != NULL) - (strchr(">)}]", at[size]) != NULL);
        argument a;
        if (read_argument(t, def, at, size, &a)) {
            leading = leading && is_leading(&a);
            eager_source *s = &c->sources[c->n_sources++];
            *s = a.source;
            s->parameter = (uint8_t)parameter_for(f, &a, def, position, leading);
            const bool scalar = a.source.use == EAGER_OPERAND &&
                                (ttnn_is_elementwise(def) || a.source.is_index);
            f->scalars[s->parameter] = first ? scalar : f->scalars[s->parameter] && scalar;
        }
        position += *at != '!';
        at += size;
        at += strspn(at, ", ");
    }
    f->n_candidates++;
    f->row.n_results = TW_MAX(f->row.n_results, (size_t)def->results.count);
}

/* How C++ returns the results of a row. */
static const char *returned(const ttnn_call_row *row, const ir_op_def *def)
{
    static const char *const names[] = {
        [CPP_TENSOR] = "tensor",       [CPP_FIRST] = "first", [CPP_VECTOR] = "vector",
        [CPP_TUPLE] = "tuple2",        [CPP_PAIR] = "array2", [CPP_TRIPLE] = "array3",
        [CPP_OPTIONALS] = "optionals",
    };
    return row->results == CPP_TUPLE && def->results.count == 3 ? "tuple3"
                                                                : names[row->results];
}

/* ttnn.to_layout also moves tensors to another memory, which the operation of that name
 * does not. */
static const ir_op_def *operation_of(const ir_op_def *def)
{
    return def == TTNN_OP(to_layout) ? TTNN_OP(to_tensor_spec) : def;
}

static void add_row(table *t, tw_language language, const ir_op_def *def,
                    const ttnn_call_row *row)
{
    const char *name = function_name(t, language, row, def);
    eager_function *f = function_named(t, name);
    if (!f) {
        f = TW_ARENA_NEW(&t->arena, eager_function);
        f->row = (tw_function){.name = name,
                               .operation = def->name,
                               .parameters = f->parameters,
                               .returns = language == TW_CPP ? returned(row, def) : NULL};
        TW_PUSH(t->at, t->n, t->capacity, f);
    }
    add_candidate(t, f, operation_of(def), row->args);
}

static int by_name(const void *a, const void *b)
{
    const eager_function *const *x = a, *const *y = b;
    return strcmp((*x)->row.name, (*y)->row.name);
}

/* Without its tensors of bounds a slice is static: their values become attributes. What a
 * file holds is not known when the result's type is inferred. How tensors lie in a mesh is
 * an object of the language, which on one chip moves nothing. */
static bool is_callable(const ir_op_def *def)
{
    return rt_executes(def) && def != TTNN_OP(constant) && def != TTNN_OP(slice_dynamic) &&
           def != TTNN_OP(load_tensor) && def != TTNN_OP(distribute_tensor) &&
           def != TTNN_OP(aggregate_tensor);
}

/* Classes of configurations: those that are emitted as objects of ttnn. */
static tw_record records[2][16];
static size_t n_records[2];

static void make_records(table *t, tw_language language)
{
    const ttnn_structure *s =
        language == TW_PYTHON ? py_language.structures : cpp_language.structures;
    for (; s->def; s++) {
        const uint32_t n = s->def->params.count;
        const char **fields = TW_ARENA_ARRAY(&t->arena, const char *, n + 1);
        size_t *count = &n_records[language];
        assert(*count < TW_COUNT(records[language]));
        for (uint32_t i = 0; i < n; i++)
            fields[i] = ttnn_field_name(&s->def->params.at[i]);
        records[language][(*count)++] =
            (tw_record){.name = language == TW_PYTHON ? strrchr(s->type, '.') + 1 : s->type,
                        .type = s->def->mnemonic,
                        .n_fields = n,
                        .fields = fields};
    }
}

static void make_tables(void)
{
    for (int language = 0; language < 2; language++) {
        table *t = &tables[language];
        make_records(t, (tw_language)language);
        const ttnn_call_row *rows = language == TW_PYTHON ? py_calls : cpp_calls;
        for (size_t i = 0; i < TTNN_OP_COUNT; i++)
            if (rows[i].args && is_callable(&ttnn_ops[i]))
                add_row(t, (tw_language)language, &ttnn_ops[i], &rows[i]);
        for (size_t i = 0; i < t->n; i++)
            for (size_t k = 0; k < t->at[i]->row.n_parameters; k++)
                if (t->at[i]->scalars[k])
                    t->at[i]->parameters[k].meaning = "a tensor or a number";
        qsort(t->at, t->n, sizeof(*t->at), by_name);
    }
}

static void make(void *context, int64_t a, int b)
{
    (void)context, (void)a, (void)b;
    make_tables();
}

/* Makes the tables at the first call. Without memory, a later one begins again. */
static void need_tables(void)
{
    size_t size = 0;
    if (atomic_load_explicit(&made, memory_order_acquire))
        return;
    pthread_mutex_lock(&making);
    const bool done = made || tw_attempt(make, NULL, 0, 0, &size);
    if (!done) {
        memset(tables, 0, sizeof tables);
        memset(records, 0, sizeof records);
        memset(n_records, 0, sizeof n_records);
    }
    atomic_store_explicit(&made, done, memory_order_release);
    pthread_mutex_unlock(&making);
    if (!done)
        tw_out_of_memory(size);
}

static const table *table_of(tw_language language)
{
    need_tables();
    return &tables[language == TW_CPP];
}

TW_EXPORT size_t tw_function_count(tw_language language)
{
    return table_of(language)->n;
}

TW_EXPORT const tw_function *tw_function_at(tw_language language, size_t i)
{
    const table *t = table_of(language);
    return i < t->n ? &t->at[i]->row : NULL;
}

TW_EXPORT const tw_function *tw_function_named(tw_language language, const char *name)
{
    const table *t = table_of(language);
    size_t low = 0, high = t->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = strcmp(t->at[middle]->row.name, name);
        if (order == 0)
            return &t->at[middle]->row;
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return NULL;
}

TW_EXPORT const tw_record *tw_record_at(tw_language language, size_t i)
{
    need_tables();
    return i < n_records[language] ? &records[language][i] : NULL;
}
