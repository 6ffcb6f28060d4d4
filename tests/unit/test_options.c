/* test_options.c: options of passes and pipelines act, or a warning says that they do not.
 */
#include "pipelines/dialects.h"
#include "pipelines/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* ---- what the tables say */

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* True if `text` has the whole name behind the mark (0: none). */
static bool mentions(const char *text, char mark, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; at && (at = strstr(at, name)); at++)
        if (!is_of_name(at[n]) && (at == text ? !mark
                                   : mark     ? at[-1] == mark
                                              : !is_of_name(at[-1])))
            return true;
    return false;
}

static bool steps_read(const pass_pipeline_def *p, const char *option)
{
    for (uint32_t i = 0; i < p->steps.count; i++)
        if (mentions(p->steps.at[i].text, '$', option) ||
            mentions(p->steps.at[i].when, 0, option))
            return true;
    return false;
}

static void test_options_without_effect_are_those_that_no_step_reads(void **state)
{
    (void)state;
    for (const pass_pipeline_def *const *p = tw_passes.pipelines; *p; p++) {
        for (uint32_t i = 0; i < (*p)->options.count; i++) {
            const pass_option_def *o = &(*p)->options.at[i];
            if (steps_read(*p, o->name) == (o->no_effect != NULL))
                fail_msg("%s: option '%s' is %s", (*p)->name, o->name,
                         o->no_effect ? "read, but marked as without effect"
                                      : "read by no step, and not marked so");
            assert_true(!o->no_effect || !o->partial);
        }
        if (!(*p)->steps.count)
            fail_msg("%s: a pipeline without steps", (*p)->name);
    }
}

/* ---- what users are told */

typedef struct warnings {
    const char *owner, *option;
    size_t count; /* that name both */
} warnings;

static void count_warning(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    warnings *w = user;
    char text[256];
    (void)ctx;
    snprintf(text, sizeof text, "option '%s' of ", w->option);
    w->count += d->severity == IR_WARNING && strncmp(d->text, text, strlen(text)) == 0 &&
                strstr(d->text, w->owner);
}

static size_t warnings_for(const char *owner, const char *option, const char *value)
{
    warnings w = {owner, option, 0};
    ir_context *ctx = ir_context_create();
    ir_context_set_sink(ctx, (ir_diagnostic_sink){count_warning, &w});
    pass_manager *pm = pass_manager_create(ctx, &tw_passes, NULL);
    char text[256];
    snprintf(text, sizeof text, "%s=%s", option, value);
    pass_manager_add_named(pm, owner, tw_str_from(text));
    pass_manager_destroy(pm);
    ir_flush_diagnostics(ctx);
    ir_context_destroy(ctx);
    return w.count;
}

/* Another value than the default; the pass need not take it. */
static const char *other_value(const pass_option_def *o)
{
    return o->kind == PASS_BOOL  ? strcmp(o->deflt, "true") == 0 ? "false" : "true"
           : o->kind == PASS_INT ? strcmp(o->deflt, "7") == 0 ? "8" : "7"
                                 : "other";
}

static size_t check_warnings(const char *owner, const pass_option_def *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool warns = at[i].no_effect || at[i].partial;
        if (warnings_for(owner, at[i].name, other_value(&at[i])) != warns)
            fail_msg("%s: option '%s' should%s give a warning", owner, at[i].name,
                     warns ? "" : " not");
        if (warnings_for(owner, at[i].name, at[i].deflt ? at[i].deflt : ""))
            fail_msg("%s: the default of option '%s' gives a warning", owner, at[i].name);
    }
    return count;
}

static void test_every_option_acts_or_warns(void **state)
{
    (void)state;
    size_t n = 0;
    for (const pass_def *const *p = tw_passes.passes; *p; p++)
        n += check_warnings((*p)->name, (*p)->options.at, (*p)->options.count);
    for (const pass_pipeline_def *const *p = tw_passes.pipelines; *p; p++)
        n += check_warnings((*p)->name, (*p)->options.at, (*p)->options.count);
    assert_true(n > 300);
}

/* The pipeline as text, with all its steps; "" if it does not take the options. */
static void expand(const char *pipeline, const char *options, tw_strbuf *out)
{
    ir_context *ctx = ir_context_create();
    ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    pass_manager *pm = pass_manager_create(ctx, &tw_passes, NULL);
    if (pass_manager_add_named(pm, pipeline, tw_str_from(options)))
        pass_manager_print(pm, out);
    pass_manager_destroy(pm);
    ir_context_destroy(ctx);
}

/* Options under which the step runs: "a,!b" as "a=true b=false". */
static void satisfy(const char *when, tw_strbuf *out)
{
    while (when && *when) {
        const size_t n = strcspn(when, ",");
        const bool is_not = *when == '!';
        tw_strbuf_printf(out, " %.*s=%s", (int)(n - is_not), when + is_not,
                         is_not ? "false" : "true");
        when += n + (when[n] == ',');
    }
}

static bool differ(const char *pipeline, const char *base, const char *option,
                   const char *value)
{
    tw_strbuf plain = {0}, other = {0}, text = {0};
    tw_strbuf_printf(&text, "%s %s=%s", base, option, value);
    expand(pipeline, base, &plain);
    expand(pipeline, tw_strbuf_text(&text), &other);
    const bool changes = strcmp(tw_strbuf_text(&plain), tw_strbuf_text(&other)) != 0;
    tw_strbuf_free(&plain);
    tw_strbuf_free(&other);
    tw_strbuf_free(&text);
    return changes;
}

/* Alone, or where a step that has the option as its own runs. */
static bool changes_steps(const pass_pipeline_def *p, const char *option, const char *value)
{
    bool changes = differ(p->name, "", option, value);
    for (uint32_t i = 0; !changes && i < p->steps.count; i++) {
        tw_strbuf base = {0};
        satisfy(p->steps.at[i].when, &base);
        if (base.size && mentions(p->steps.at[i].text, '$', option))
            changes = differ(p->name, tw_strbuf_text(&base), option, value);
        tw_strbuf_free(&base);
    }
    return changes;
}

static void test_every_option_of_a_pipeline_reaches_its_passes(void **state)
{
    (void)state;
    size_t n = 0;
    for (const pass_pipeline_def *const *p = tw_passes.pipelines; *p; p++)
        for (uint32_t i = 0; i < (*p)->options.count; i++) {
            const pass_option_def *o = &(*p)->options.at[i];
            if (changes_steps(*p, o->name, other_value(o)) == (o->no_effect != NULL))
                fail_msg("%s: option '%s' should%s change the passes or their options",
                         (*p)->name, o->name, o->no_effect ? " not" : "");
            n++;
        }
    assert_true(n > 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_without_effect_are_those_that_no_step_reads),
        cmocka_unit_test(test_every_option_acts_or_warns),
        cmocka_unit_test(test_every_option_of_a_pipeline_reaches_its_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
