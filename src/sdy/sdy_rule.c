/* sdy_rule.c: sharding rules in attributes: each dimension of each operand and result as
 * factors that are shared between them. */
#include "sdy/sdy.h"
#include "sdy/sdy_verify.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIZES, OPERANDS, RESULTS, REDUCTION, NEED_REPLICATION, PERMUTATION, BLOCKED };

typedef struct factors {
    ir_attr sizes;
    bool *in_operands, *in_results, *in_value;
} factors;

static bool check_dim(const sdy_location *w, const factors *f, ir_attr mapping, bool *seen)
{
    ir_attr list = mapping->params[0];
    if (sdy_length(list) == 0)
        return sdy_fail(w, "dim mapping must have at least one factor");
    for (uint32_t i = 0; i < list->count; i++) {
        int64_t at = list->items[i]->value;
        if (at < 0 || at >= sdy_length(f->sizes))
            return sdy_fail(w,
                            "expecting factor indices to be within 0<=...<num_factors; "
                            "received: %lld, num_factors: %u",
                            (long long)at, sdy_length(f->sizes));
        if (f->in_value[at])
            return sdy_fail(w, "cannot reuse factors for the same tensor value");
        if (f->sizes->items[at]->value == 1 && list->count > 1)
            return sdy_fail(w, "dim mapping can't have a factor of size 1 if there are "
                               "multiple factors");
        f->in_value[at] = seen[at] = true;
    }
    return true;
}

static bool check_value(const sdy_location *w, const factors *f, ir_type type,
                        ir_attr mapping, bool *seen)
{
    ir_attr dims = mapping->params[0];
    type = sdy_shaped(type);
    if (!ir_type_is_ranked(type) || !ir_type_has_static_shape(type))
        return sdy_fail(w, "expected a ranked tensor with a static shape. type: '%s'",
                        ir_type_text(w->op->ctx, type));
    if (sdy_length(dims) != type->count)
        return sdy_fail(w, "mapping rank must match: %u != %u", sdy_length(dims),
                        type->count);
    if (sdy_length(f->sizes))
        memset(f->in_value, 0, sdy_length(f->sizes) * sizeof *f->in_value);
    for (uint32_t i = 0; i < type->count; i++)
        if (!check_dim(w, f, dims->items[i], seen))
            return false;
    return true;
}

static bool check_mappings(ir_op *op, const factors *f, ir_attr list, bool results,
                           bool *seen)
{
    const char *kind = results ? "result" : "operand";
    uint32_t n = results ? op->n_results : op->n_operands;
    char prefix[64];
    const sdy_location w = {op, prefix};
    if (sdy_length(list) != n)
        return ir_op_error(op, "number of %ss and mappings must match: %u != %u", kind, n,
                           sdy_length(list));
    if (n == 0)
        return ir_op_error(op,
                           "number of %ss mappings cannot be 0. Op sharding rules can only "
                           "be defined on operations with at least one operand and result.",
                           kind);
    for (uint32_t i = 0; i < n; i++) {
        ir_type type = results ? op->results[i].type : op->operands[i].value->type;
        if (n == 1)
            snprintf(prefix, sizeof prefix, "%s - ", kind);
        else
            snprintf(prefix, sizeof prefix, "%s %u - ", kind, i);
        if (!check_value(&w, f, type, list->items[i], seen))
            return false;
    }
    return true;
}

static bool check_special(ir_op *op, ir_attr list, uint32_t n)
{
    for (uint32_t i = 1; i < sdy_length(list); i++)
        if (list->items[i - 1]->value > list->items[i]->value)
            return ir_op_error(op, "indices of special factors must be sorted");
    for (uint32_t i = 1; i < sdy_length(list); i++)
        if (list->items[i - 1]->value == list->items[i]->value)
            return ir_op_error(op, "indices of special factors must be unique");
    if (sdy_length(list) && list->items[0]->value < 0)
        return ir_op_error(op, "index must be non-negative");
    if (sdy_length(list) && list->items[list->count - 1]->value >= n)
        return ir_op_error(op, "index must be less than %u, got: %lld", n,
                           (long long)list->items[list->count - 1]->value);
    return true;
}

/* "i", ..., "z", "z_1", ...: z is the 18th. */
static const char *factor_name(uint32_t i, char text[16])
{
    enum { LETTERS = 18 };
    if (i < LETTERS)
        snprintf(text, 16, "%c", 'i' + (int)i);
    else
        snprintf(text, 16, "z_%u", i - LETTERS + 1);
    return text;
}

static bool check_factors(ir_op *op, ir_attr rule, const factors *f)
{
    static const int special[] = {REDUCTION, NEED_REPLICATION, PERMUTATION};
    uint32_t n = sdy_length(f->sizes);
    char name[16];
    for (uint32_t i = 0; i < n; i++)
        if (!f->in_operands[i] && !f->in_results[i])
            return ir_op_error(op,
                               "has factor %s=%lld that isn't used in operand and result "
                               "mappings",
                               factor_name(i, name), (long long)f->sizes->items[i]->value);
    for (size_t s = 0; s < TW_COUNT(special); s++)
        if (!check_special(op, rule->params[special[s]], n))
            return false;
    if (n)
        memset(f->in_value, 0, n * sizeof *f->in_value);
    for (size_t s = 0; s < TW_COUNT(special); s++) {
        ir_attr list = rule->params[special[s]];
        for (uint32_t i = 0; i < sdy_length(list); i++) {
            if (f->in_value[list->items[i]->value])
                return ir_op_error(op, "a factor can only be in one of the reduction, need "
                                       "replication, or permutation factor sets");
            f->in_value[list->items[i]->value] = true;
        }
    }
    if (!check_special(op, rule->params[BLOCKED], n))
        return false;
    ir_attr reduction = rule->params[REDUCTION];
    for (uint32_t i = 0; i < sdy_length(reduction); i++)
        if (f->in_results[reduction->items[i]->value])
            return ir_op_error(op, "reduction factor cannot be in result mappings");
    return true;
}

bool sdy_check_rule(ir_op *op, ir_attr rule)
{
    ir_attr sizes = rule->params[SIZES];
    size_t n = (size_t)sdy_length(sizes) + 1;
    bool *flags = tw_xcalloc(3 * n, sizeof *flags);
    factors f = {sizes, flags, flags + n, flags + 2 * n};
    bool ok = check_mappings(op, &f, rule->params[OPERANDS], false, f.in_operands) &&
              check_mappings(op, &f, rule->params[RESULTS], true, f.in_results) &&
              check_factors(op, rule, &f);
    free(flags);
    return ok;
}
