/* info.c: see info.h. */
#include "mpmd/info.h"

#include "mpmd/fragments.h"

/* ---- from fragments ----------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    ir_attr x = *(const ir_attr *)a, y = *(const ir_attr *)b;
    int order = strcmp(x->params[0]->ident->text, y->params[0]->ident->text);
    int64_t m = ir_attr_int(x->params[1], 0), n = ir_attr_int(y->params[1], 0);
    return order ? order : (m > n) - (m < n);
}

static ir_attr sorted(ir_context *ctx, const ir_attr *items, size_t n)
{
    ir_attr *copy = tw_xmalloc((n + 1) * sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = items[i];
    qsort(copy, n, sizeof *copy, compare);
    ir_attr all = ir_array_attr(ctx, copy, n);
    free(copy);
    return all;
}

bool mpmd_info_equal(const mpmd_info *a, const mpmd_info *b)
{
    return a->origins == b->origins && a->mesh_name == b->mesh_name &&
           a->stage == b->stage && a->call_counter == b->call_counter &&
           a->split == b->split;
}

static const char keep[] = "kKeepTransferred", drop[] = "kDropTransferred";

mpmd_info mpmd_info_of(const ir_op *f)
{
    ir_attr origins = ir_op_attr(f, "origin");
    return (mpmd_info){.origins = sorted(f->ctx, origins->items, origins->count),
                       .mesh_name = ir_op_attr(f, "mesh_name"),
                       .stage = mpmd_stage(f),
                       .call_counter = mpmd_call_counter(f),
                       .split = ir_op_attr(f, MPMD_KEEP_TRANSFERRED)   ? keep
                                : ir_op_attr(f, MPMD_DROP_TRANSFERRED) ? drop
                                                                       : NULL};
}

void mpmd_set_info(ir_op *f, const mpmd_info *info)
{
    ir_attr unit = ir_unit_attr(f->ctx);
    ir_op_set_attr(f, "origin", info->origins);
    ir_op_set_attr(f, "mesh_name", info->mesh_name);
    ir_op_set_attr(f, "stage_id",
                   info->stage < 0 ? NULL : ir_i64_attr(f->ctx, info->stage));
    ir_op_set_attr(f, MPMD_CALL_COUNTER, NULL);
    if (info->call_counter >= 0)
        mpmd_set_counter(f, MPMD_CALL_COUNTER, info->call_counter);
    ir_op_set_attr(f, MPMD_KEEP_TRANSFERRED, info->split == keep ? unit : NULL);
    ir_op_set_attr(f, MPMD_DROP_TRANSFERRED, info->split == drop ? unit : NULL);
}

void mpmd_print_info(const mpmd_info *info, tw_strbuf *out)
{
    tw_strbuf_puts(out, "FragmentInfo(origins=[");
    for (uint32_t i = 0; i < info->origins->count; i++) {
        ir_attr origin = info->origins->items[i];
        int64_t transposes = ir_attr_int(origin->params[1], 0);
        tw_strbuf_printf(out, "%s\"%s\"", i ? "," : "", origin->params[0]->ident->text);
        if (transposes > 0)
            tw_strbuf_printf(out, "(%lld)", (long long)transposes);
    }
    tw_strbuf_puts(out, "]");
    if (info->stage >= 0)
        tw_strbuf_printf(out, ",stage=%lld", (long long)info->stage);
    if (info->call_counter >= 0)
        tw_strbuf_printf(out, ",call_counter=%lld", (long long)info->call_counter);
    if (info->split)
        tw_strbuf_printf(out, ",split_type=%s", info->split);
    tw_strbuf_printf(out, ",mesh_name=\"%s\")", info->mesh_name->ident->text);
}

/* ---- from text ---------------------------------------------------------------------- */

typedef struct reader {
    ir_context *ctx;
    const char *at, *end;
} reader;

static bool expect(reader *r, const char *what)
{
    size_t left = (size_t)(r->end - r->at);
    return ir_error(r->ctx, IR_LOC_UNKNOWN, "rules: expected %s at '%.*s'", what,
                    (int)TW_MIN(left, (size_t)40), r->at);
}

static bool skip(reader *r, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool read_text(reader *r, ir_attr *out)
{
    if (!skip(r, "\""))
        return expect(r, "a '\"'");
    const char *close = memchr(r->at, '"', (size_t)(r->end - r->at));
    if (!close)
        return expect(r, "a closing '\"'");
    *out = ir_string_attr(r->ctx, (tw_str){r->at, (size_t)(close - r->at)});
    r->at = close + 1;
    return true;
}

static bool read_number(reader *r, int64_t *out)
{
    const char *start = r->at;
    if (*out >= 0)
        return expect(r, "each part at most once");
    for (*out = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        *out = *out * 10 + (*r->at - '0');
    return (r->at > start && r->at - start < 10) || expect(r, "a number");
}

/* origins := '"' NAME '"' [ '(' NUMBER ')' ] ',' ... ']' */
static bool read_origins(reader *r, mpmd_info *info)
{
    ir_attr *items = NULL;
    size_t n = 0, capacity = 0;
    bool ok = true;
    while (ok && !skip(r, "]")) {
        ir_attr name = NULL;
        int64_t transposes = -1;
        ok = (!n || skip(r, ",") || expect(r, "',' or ']'")) && read_text(r, &name);
        if (ok && skip(r, "("))
            ok = read_number(r, &transposes) && (skip(r, ")") || expect(r, "')'"));
        if (!ok)
            break;
        ir_attr params[] = {name, ir_raw_int(r->ctx, TW_MAX(transposes, 0))};
        ir_attr made = ir_dialect_attr(r->ctx, MPMD_ATTR(user_origin), params, 2);
        TW_PUSH(items, n, capacity, made);
    }
    if (ok)
        info->origins = sorted(r->ctx, items, n);
    free(items);
    return ok;
}

static bool read_part(reader *r, mpmd_info *info)
{
    if (skip(r, "stage="))
        return read_number(r, &info->stage);
    if (skip(r, "call_counter="))
        return read_number(r, &info->call_counter);
    if (skip(r, "mesh_name="))
        return read_text(r, &info->mesh_name);
    if (!skip(r, "split_type="))
        return expect(r, "'stage=', 'call_counter=', 'split_type=', or 'mesh_name='");
    info->split = skip(r, keep) ? keep : skip(r, drop) ? drop : NULL;
    return info->split || expect(r, "'kKeepTransferred' or 'kDropTransferred'");
}

static bool read_info(reader *r, mpmd_info *out)
{
    *out = (mpmd_info){.stage = -1, .call_counter = -1};
    out->mesh_name = ir_string_attr(r->ctx, TW_STR(""));
    if (!skip(r, "FragmentInfo(origins=["))
        return expect(r, "'FragmentInfo(origins=['");
    bool ok = read_origins(r, out);
    while (ok && skip(r, ","))
        ok = read_part(r, out);
    return ok && (skip(r, ")") || expect(r, "')'"));
}

static bool read_infos(reader *r, const char *between, mpmd_infos *out)
{
    while (!skip(r, "]")) {
        mpmd_info info;
        if (out->n && !skip(r, between))
            return expect(r, between);
        if (!read_info(r, &info))
            return false;
        TW_PUSH(out->at, out->n, out->capacity, info);
    }
    return true;
}

static bool read_rule(reader *r, bool merge, mpmd_rule *out)
{
    const char *start =
        merge ? "FragmentMergeRule(sources=[" : "FragmentScheduleRule(ordered_fragments=[";
    if (!skip(r, start))
        return expect(r, start);
    if (!read_infos(r, merge ? "," : "->", &out->fragments))
        return false;
    if (merge && !skip(r, ",target="))
        return expect(r, "',target='");
    return (!merge || read_info(r, &out->target)) && (skip(r, ")") || expect(r, "')'"));
}

bool mpmd_parse_rules(ir_context *ctx, tw_str text, bool merge, mpmd_rules *out)
{
    reader r = {ctx, text.data, text.data + text.size};
    while (r.at < r.end) {
        mpmd_rule rule = {.target = {.stage = -1}};
        bool ok =
            (!out->n || skip(&r, ",") || expect(&r, "','")) && read_rule(&r, merge, &rule);
        TW_PUSH(out->at, out->n, out->capacity, rule);
        if (!ok)
            return false;
    }
    return true;
}

void mpmd_free_rules(mpmd_rules *rules)
{
    for (size_t i = 0; i < rules->n; i++)
        free(rules->at[i].fragments.at);
    free(rules->at);
}
