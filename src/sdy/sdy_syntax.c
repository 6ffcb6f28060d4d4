/* sdy_syntax.c: custom attribute syntax of sdy. */
#include "ir/text/attr_format.h"
#include "sdy/sdy.h"

/* ---- dimension_sharding: "{" [ axis , ... ] [ [ "," ] "?" ] "}" [ "p" digits ] ------ */

static bool parse_priority(ir_parser *p, ir_attr *out)
{
    const char *at = p->tok.at;
    tw_str word;
    int64_t value = 0;
    if (!ir_accept_any_keyword(p, &word))
        return true;
    bool digits = word.size >= 2 && word.data[0] == 'p';
    for (size_t i = 1; i < word.size; i++)
        digits &= word.data[i] >= '0' && word.data[i] <= '9';
    if (!digits)
        return ir_fail(p, at, "expecting priority in format 'p<number>', got: %.*s",
                       (int)word.size, word.data);
    if (word.data[1] == '0' && word.size > 2)
        return ir_fail(p, at, "priorities with leading zeros are not allowed, got: %.*s",
                       (int)word.size, word.data);
    for (size_t i = 1; i < word.size; i++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, word.data[i] - '0', &value))
            return ir_fail(p, at, "expecting integer priority, got: %.*s", (int)word.size,
                           word.data);
    *out = ir_raw_int(p->ctx, value);
    return true;
}

ir_attr sdy_parse_dimension_sharding(ir_parser *p, const ir_attr_def *def)
{
    enum { MAX_AXES = 256 };
    ir_attr axes[MAX_AXES], priority = NULL;
    uint32_t count = 0;
    bool open = false;
    if (!ir_expect_punct(p, '{'))
        return NULL;
    if (!ir_at_punct(p, '}'))
        do {
            if ((open = ir_accept_punct(p, '?')))
                break; /* always last */
            if (count == MAX_AXES) {
                ir_fail_here(p, "a dimension takes at most %d axes", MAX_AXES);
                return NULL;
            }
            if (!(axes[count++] = ir_parse_stripped_attr(p, SDY_ATTR(axis_ref))))
                return NULL;
        } while (ir_accept_punct(p, ','));
    if (!ir_expect_punct(p, '}') || !parse_priority(p, &priority))
        return NULL;
    ir_attr params[] = {ir_array_attr(p->ctx, axes, count), ir_raw_int(p->ctx, !open),
                        priority};
    return ir_dialect_attr(p->ctx, def, params, TW_COUNT(params));
}

void sdy_print_dimension_sharding(ir_printer *p, ir_attr attr)
{
    ir_attr axes = attr->params[0];
    ir_putc(p, '{');
    ir_put_param(p, &attr->def->params.at[0], false, axes);
    if (!ir_attr_int(attr->params[1], 0))
        ir_put(p, axes && axes->count ? ", ?" : "?");
    ir_putc(p, '}');
    if (attr->params[2])
        ir_putf(p, "p%lld", (long long)attr->params[2]->value);
}

/* ---- dim_mapping: factors as one word, `ij`, `kz_1` --------------------------------- */

ir_attr sdy_parse_dim_mapping(ir_parser *p, const ir_attr_def *def)
{
    enum { MAX_FACTORS = 256 };
    ir_attr factors[MAX_FACTORS];
    uint32_t count = 0;
    const char *at = p->tok.at;
    tw_str word = {0};
    ir_accept_any_keyword(p, &word);
    while (word.size) {
        int64_t factor;
        if (count == MAX_FACTORS) {
            ir_fail(p, at, "a dimension takes at most %d factors", MAX_FACTORS);
            return NULL;
        }
        if (!ir_parse_factor(p, at, &word, &factor))
            return NULL;
        factors[count++] = ir_raw_int(p->ctx, factor);
    }
    ir_attr list = ir_array_attr(p->ctx, factors, count);
    return ir_dialect_attr(p->ctx, def, &list, 1);
}

void sdy_print_dim_mapping(ir_printer *p, ir_attr attr)
{
    ir_attr factors = attr->params[0];
    for (uint32_t i = 0; factors && i < factors->count; i++)
        ir_put_factor(p, factors->items[i]->value);
}

/* ---- mesh: device ids 0, 1, 2, ... are omitted -------------------------------------- */

static bool counts_up(ir_attr axes, ir_attr ids)
{
    int64_t total = 1;
    for (uint32_t i = 0; i < axes->count; i++)
        if (__builtin_mul_overflow(total, axes->items[i]->params[1]->value, &total))
            return false;
    for (uint32_t i = 0; i < ids->count; i++)
        if (ids->items[i]->value != i)
            return false;
    return total == ids->count;
}

ir_attr sdy_parse_mesh(ir_parser *p, const ir_attr_def *def)
{
    ir_attr mesh = ir_parse_attr_format(p, def);
    ir_attr axes = mesh ? mesh->params[0] : NULL, ids = mesh ? mesh->params[1] : NULL;
    if (!axes || axes->count == 0 || !ids || ids->count == 0 || !counts_up(axes, ids))
        return mesh;
    ir_attr params[] = {axes, ir_array_attr(p->ctx, NULL, 0)};
    return ir_dialect_attr(p->ctx, def, params, TW_COUNT(params));
}
