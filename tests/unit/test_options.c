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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_without_effect_are_those_that_no_step_reads),
        cmocka_unit_test(test_every_option_acts_or_warns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
