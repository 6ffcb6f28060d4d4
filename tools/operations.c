/* operations.c: see operations.h. */
#include "operations.h"

#include "describe.h"
#include "ir/context.h"
#include "pipelines/dialects.h"
#include "pipelines/translations.h"
#include "support/arena.h"
#include "tilewright/grid.h"
#include "tilewright/tilewright.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what is done with an operation -------------------------------------------------- */

static bool is_checked(const ir_op_def *def)
{
    return def->verify || def->verify_regions;
}

static bool is_folded(const ir_op_def *def)
{
    return def->fold || def->canonicalize;
}

static bool is_python(const ir_op_def *def)
{
    return tw_forms_of_row(def).python;
}

static bool is_cpp(const ir_op_def *def)
{
    return tw_forms_of_row(def).cpp;
}

static bool is_binary(const ir_op_def *def)
{
    return tw_forms_of_row(def).binary;
}

static bool runs(const ir_op_def *def)
{
    return tw_operation_runs(def->name);
}

static bool runs_on_grid(const ir_op_def *def)
{
    return tw_grid_operation_runs(def->name);
}

/* The columns of a dialect's table; a column with a dialect is only in that one's. */
static const struct {
    const char *title, *dialect;
    bool (*holds)(const ir_op_def *def);
} columns[] = {
    {"checks of its own", NULL, is_checked},
    {"folds", NULL, is_folded},
    {"in .ttnn files", "ttnn", is_binary},
    {"runs", "ttnn", runs},
    {"as Python", "ttnn", is_python},
    {"as C++", "ttnn", is_cpp},
    {"runs on the grid", "ttkernel", runs_on_grid},
};

static bool applies(size_t column, const ir_dialect *dialect)
{
    return !columns[column].dialect || strcmp(columns[column].dialect, dialect->name) == 0;
}

/* ---- enums --------------------------------------------------------------------------- */

typedef struct enum_list {
    const ir_enum_def **at;
    size_t n, capacity;
} enum_list;

static void add_enum(enum_list *list, const ir_enum_def *e)
{
    size_t i = 0;
    while (i < list->n && list->at[i] != e)
        i++;
    if (e && i == list->n)
        TW_PUSH(list->at, list->n, list->capacity, e);
}

static void add_params(enum_list *list, const ir_param_def *params, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_enum(list, params[i].enumeration);
}

/* The enums of a dialect, and others that its rows use. */
static enum_list enums_of(const ir_dialect *d)
{
    enum_list list = {.n = 0};
    for (uint32_t i = 0; i < d->enums.count; i++)
        add_enum(&list, d->enums.at[i]);
    for (uint32_t i = 0; i < d->attrs.count; i++) {
        add_enum(&list, d->attrs.at[i].enumeration);
        add_params(&list, d->attrs.at[i].params.at, d->attrs.at[i].params.count);
    }
    for (uint32_t i = 0; i < d->types.count; i++)
        add_params(&list, d->types.at[i].params.at, d->types.at[i].params.count);
    for (uint32_t i = 0; i < d->ops.count; i++)
        for (uint32_t k = 0; k < d->ops.at[i].attrs.count; k++)
            add_enum(&list, d->ops.at[i].attrs.at[k].type->enumeration);
    return list;
}

static void show_enums(const enum_list *list)
{
    printf("%s", list->n ? "\n| enum | cases |\n|---|---|\n" : "");
    for (size_t i = 0; i < list->n; i++) {
        const ir_enum_def *e = list->at[i];
        printf("| %s |", e->name);
        for (uint32_t k = 0; k < e->cases.count; k++)
            printf("%s `%s` (%lld)", k ? "," : "", e->cases.at[k].text,
                   (long long)e->cases.at[k].value);
        printf(" |\n");
    }
}

/* ---- pages --------------------------------------------------------------------------- */

static void show_dialects(const ir_context *ctx)
{
    printf(
        "| dialect | operations | attributes | types | enums |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < ir_context_dialect_count(ctx); i++) {
        const ir_dialect *d = ir_context_dialect_at(ctx, i);
        printf("| %s | %u | %u | %u | %u |\n", d->name, (unsigned)d->ops.count,
               (unsigned)d->attrs.count, (unsigned)d->types.count, (unsigned)enums_of(d).n);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const ir_op_def *const *)a)->name,
                  (*(const ir_op_def *const *)b)->name);
}

/* Returns the dialect's operations in the order of their names; the caller frees it. */
static const ir_op_def **sorted_rows(const ir_dialect *dialect)
{
    const size_t n = dialect->ops.count;
    const ir_op_def **rows = tw_xmalloc((n + 1) * sizeof(*rows));
    for (size_t i = 0; i < n; i++)
        rows[i] = &dialect->ops.at[i];
    qsort(rows, n, sizeof(*rows), by_name);
    return rows;
}

static void show_dialect(const ir_dialect *dialect)
{
    tw_strbuf text = {0};
    printf("# %s\n\n| operation |", dialect->name);
    for (size_t c = 0; c < TW_COUNT(columns); c++)
        if (applies(c, dialect))
            printf(" %s |", columns[c].title);
    printf("\n|---|");
    for (size_t c = 0; c < TW_COUNT(columns); c++)
        printf("%s", applies(c, dialect) ? "---|" : "");
    const ir_op_def **rows = sorted_rows(dialect);
    for (uint32_t i = 0; i < dialect->ops.count; i++) {
        const ir_op_def *def = rows[i];
        printf("\n| %s |", def->name);
        for (size_t c = 0; c < TW_COUNT(columns); c++)
            if (applies(c, dialect))
                printf(" %s |", columns[c].holds(def) ? "yes" : "");
        tw_strbuf_puts(&text, "\n\n");
        describe_op(def, &text);
    }
    free(rows);
    printf("%s\n", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    const enum_list enums = enums_of(dialect);
    show_enums(&enums);
}

static void show_operation(const ir_dialect *dialect, const ir_op_def *def)
{
    tw_strbuf text = {0};
    describe_op(def, &text);
    if (def->meaning)
        tw_strbuf_printf(&text, "\n\nComputes %s.", def->meaning);
    tw_strbuf_putc(&text, '\n');
    if (def->format && strcmp(def->format, "custom") != 0)
        tw_strbuf_printf(&text, "\nWritten `%s %s`\n", def->name, def->format);
    for (size_t c = 0; c < TW_COUNT(columns); c++)
        if (applies(c, dialect))
            tw_strbuf_printf(&text, "\n%s: %s", columns[c].title,
                             columns[c].holds(def) ? "yes" : "no");
    printf("%s\n", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    enum_list enums = {.n = 0};
    for (uint32_t i = 0; i < def->attrs.count; i++)
        add_enum(&enums, def->attrs.at[i].type->enumeration);
    show_enums(&enums);
}

/* ---- the command --------------------------------------------------------------------- */

static int not_found(ir_context *ctx, tw_str name)
{
    tw_nearest n = tw_nearest_to(name);
    for (size_t i = 0; i < ir_context_dialect_count(ctx); i++) {
        const ir_dialect *d = ir_context_dialect_at(ctx, i);
        tw_nearest_try(&n, name, d->name);
        for (uint32_t k = 0; k < d->ops.count; k++)
            tw_nearest_try(&n, name, d->ops.at[k].name);
    }
    fprintf(stderr, "tilewright: no dialect or operation is called '%.*s'", (int)name.size,
            name.data);
    if (n.best)
        fprintf(stderr, "; did you mean '%s'?", n.best);
    fputc('\n', stderr);
    return 1;
}

int operations_show(const char *name)
{
    ir_context *ctx = ir_context_create();
    tw_str wanted = tw_str_from(name ? name : "");
    const char *dot = memchr(wanted.data, '.', wanted.size);
    tw_str prefix = {wanted.data, dot ? (size_t)(dot - wanted.data) : wanted.size};
    int status = 0;
    ir_register_all(ctx);
    const ir_dialect *dialect = ir_context_dialect(ctx, prefix);
    const ir_op_def *def = dot ? ir_context_op_def(ctx, wanted) : NULL;
    if (!name)
        show_dialects(ctx);
    else if (dialect && !dot)
        show_dialect(dialect);
    else if (dialect && def)
        show_operation(dialect, def);
    else
        status = not_found(ctx, wanted);
    ir_context_destroy(ctx);
    return status;
}
