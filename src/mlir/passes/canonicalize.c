/* canonicalize.c: applies folds and the dialects' canonicalization patterns to a fixed
 * point. */
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/passes/canonical.h"

#include <stdlib.h>

/* Whether `name` is in a list "a,b". */
static bool listed(tw_str list, const char *name)
{
    const char *c = list.data, *end = c ? c + list.size : NULL;
    while (c < end) {
        const char *stop = memchr(c, ',', (size_t)(end - c));
        stop = stop ? stop : end;
        if (tw_str_is((tw_str){c, (size_t)(stop - c)}, name))
            return true;
        c = stop + 1;
    }
    return false;
}

static bool is_wanted(const rw_pattern *p, tw_str enabled, tw_str disabled)
{
    if (enabled.size)
        return p->name && listed(enabled, p->name);
    return !p->name || !listed(disabled, p->name);
}

/* Appends the patterns of a dialect to `all` (NULL: none); returns how many it has. */
static size_t append(const ir_dialect *dialect, rw_pattern *all)
{
    size_t n = 0;
    for (uint32_t i = 0; i < dialect->canonical.count; i++) {
        const rw_pattern_table *table = dialect->canonical.at[i];
        for (size_t k = 0; all && k < table->count; k++)
            all[n + k] = table->at[k];
        n += table->count;
    }
    return n;
}

rw_pattern *transform_canonical_patterns(const ir_context *ctx, size_t extra, size_t *count)
{
    size_t total = extra, n = 0, dialects = ir_context_dialect_count(ctx);
    for (size_t i = 0; i < dialects; i++)
        total += append(ir_context_dialect_at(ctx, i), NULL);
    rw_pattern *all = tw_xmalloc((total + 1) * sizeof *all);
    for (size_t i = 0; i < dialects; i++)
        n += append(ir_context_dialect_at(ctx, i), all + n);
    *count = n;
    return all;
}

bool transform_canonicalize(ir_op *op, const rw_options *options, tw_str enabled,
                            tw_str disabled)
{
    size_t count, n = 0;
    rw_pattern *all = transform_canonical_patterns(op->ctx, 0, &count);
    for (size_t i = 0; i < count; i++)
        if (is_wanted(&all[i], enabled, disabled))
            all[n++] = all[i];
    bool changed = rw_greedy(op, all, n, options);
    free(all);
    return changed;
}

static bool run(ir_op *op, pass_run *run)
{
    bool converged = true;
    tw_str regions = pass_option_str(run, "region-simplify");
    rw_options options = {
        .max_iterations = (int)pass_option_int(run, "max-iterations"),
        .max_rewrites = pass_option_int(run, "max-num-rewrites"),
        .bottom_up = !pass_option_bool(run, "top-down"),
        .no_constant_cse = !pass_option_bool(run, "cse-constants"),
        .regions = tw_str_is(regions, "disabled") ? RW_REGIONS_DISABLED : RW_REGIONS_NORMAL,
        .converged = &converged,
    };
    transform_canonicalize(op, &options, pass_option_str(run, "enable-patterns"),
                           pass_option_str(run, "disable-patterns"));
    if (!converged && pass_option_bool(run, "test-convergence"))
        return ir_op_error(op, "canonicalization did not converge after %d iterations",
                           options.max_iterations);
    return true;
}

const pass_def canonicalize_pass = {
    .name = "canonicalize",
    .title = "Canonicalizer",
    .summary = "Canonicalize operations",
    .run = run,
    .options = IR_LIST(
        pass_option_def,
        {"top-down", PASS_BOOL, "true", "Seed the worklist in general top-down order"},
        {"region-simplify", PASS_STRING, "normal",
         "Perform control flow optimizations to the region tree "
         "(disabled, normal, aggressive)"},
        {"max-iterations", PASS_INT, "10",
         "Max. iterations between applying patterns / simplifying regions"},
        {"max-num-rewrites", PASS_INT, "-1",
         "Max. number of pattern rewrites within an iteration"},
        {"cse-constants", PASS_BOOL, "true",
         "Keep one of equal constants, at the start of the region"},
        {"test-convergence", PASS_BOOL, "false", "Fail the pass if it did not converge"},
        {"disable-patterns", PASS_STRING, "",
         "Labels of patterns that should be filtered out during application"},
        {"enable-patterns", PASS_STRING, "",
         "Labels of patterns that should be used during application, all other "
         "patterns are filtered out"}),
};
