/* parse_loc.c: reading locations, loc(...). */
#include "ir/text/text_impl.h"

static bool parse_loc_instance(ir_parser *p, ir_attr *out);

static bool parse_u32(ir_parser *p, const char *what, uint32_t *out)
{
    int64_t value;
    const char *at = p->tok.at;
    if (p->tok.kind != IR_TOK_INTEGER || !ir_parse_int(p, &value) || value < 0 ||
        value > UINT32_MAX)
        return ir_fail(p, at, "expected integer %s number in FileLineColLoc", what);
    *out = (uint32_t)value;
    return true;
}

static bool parse_name_or_file(ir_parser *p, ir_attr *out)
{
    tw_str text;
    ir_parse_string(p, &text);
    ir_ident id = ir_ident_get(p->ctx, text);
    if (ir_accept_punct(p, ':')) {
        uint32_t line = 0, column = 0, end_line, end_column;
        if (!parse_u32(p, "line", &line) ||
            !ir_expect_punct_in(p, ':', "in FileLineColLoc") ||
            !parse_u32(p, "column", &column))
            return false;
        end_line = line;
        end_column = column;
        if (ir_accept_keyword(p, "to")) {
            if (!ir_at_punct(p, ':') && !parse_u32(p, "line", &end_line))
                return false;
            if (!ir_expect_punct_in(p, ':', "in FileLineColLoc") ||
                !parse_u32(p, "column", &end_column))
                return false;
        }
        *out = ir_loc_file_range_attr(p->ctx, id, line, column, end_line, end_column);
        return true;
    }
    ir_attr child = NULL;
    if (ir_accept_punct(p, '(') &&
        (!parse_loc_instance(p, &child) ||
         !ir_expect_punct_in(p, ')', "after child location of NameLoc")))
        return false;
    *out = ir_loc_attr(p->ctx, ir_loc_name(p->ctx, id, ir_loc_from_attr(child)));
    return true;
}

static bool parse_callsite(ir_parser *p, ir_attr *out)
{
    ir_attr callee, caller;
    ir_next(p);
    if (!ir_expect_punct_in(p, '(', "in callsite location") ||
        !parse_loc_instance(p, &callee))
        return false;
    if (!ir_accept_keyword(p, "at"))
        return ir_fail_here(p, "expected 'at' in callsite location");
    if (!parse_loc_instance(p, &caller) ||
        !ir_expect_punct_in(p, ')', "in callsite location"))
        return false;
    *out = ir_loc_callsite_attr(p->ctx, callee, caller);
    return true;
}

static bool parse_fused(ir_parser *p, ir_attr *out)
{
    ir_attr metadata = NULL;
    ir_items items = {0};
    ir_next(p);
    if (ir_accept_punct(p, '<') &&
        (!(metadata = ir_parse_an_attr(p, NULL)) ||
         !ir_expect_punct_in(p, '>', "after fused location metadata")))
        return false;
    if (!ir_expect_punct_in(p, '[', "in fused location"))
        return false;
    if (!ir_at_punct(p, ']'))
        do {
            ir_attr item;
            if (!parse_loc_instance(p, &item))
                return false;
            ir_items_add(p, &items, item);
        } while (ir_accept_punct(p, ','));
    if (!ir_expect_punct_in(p, ']', "in fused location"))
        return false;
    *out = ir_loc_fused_attr(p->ctx, items.at, items.count, metadata);
    return true;
}

static bool parse_loc_body(ir_parser *p, ir_attr *out)
{
    if (p->tok.kind == IR_TOK_STRING)
        return parse_name_or_file(p, out);
    if (p->tok.kind == IR_TOK_HASH) {
        const char *at = p->tok.at;
        tw_str name = {at + 1, p->tok.size - 1};
        if (!memchr(name.data, '.', name.size) && !ir_alias_attr(p, name) &&
            ir_alias_look_ahead(p, name) == NULL && p->failed)
            return false;
        *out = ir_parse_dialect_attr(p, NULL);
        if (*out && !ir_attr_is_loc(*out))
            return ir_fail(p, at, "expected location, but found %s",
                           ir_attr_text(p->ctx, *out));
        return *out != NULL;
    }
    if (ir_at_keyword(p, "callsite"))
        return parse_callsite(p, out);
    if (ir_at_keyword(p, "fused"))
        return parse_fused(p, out);
    if (ir_accept_keyword(p, "unknown")) {
        *out = ir_loc_attr(p->ctx, IR_LOC_UNKNOWN);
        return true;
    }
    return ir_fail_here(p, "expected location instance");
}

static bool parse_loc_instance(ir_parser *p, ir_attr *out)
{
    if (++p->depth > IR_MAX_NESTING)
        return ir_fail_here(p, "locations nest deeper than %d levels", IR_MAX_NESTING);
    bool ok = parse_loc_body(p, out);
    p->depth--;
    return ok;
}

static bool parse_loc_in(ir_parser *p, ir_loc *out, const char *where)
{
    ir_attr loc;
    if (!ir_expect_keyword(p, "loc") || !ir_expect_punct_in(p, '(', where) ||
        !parse_loc_instance(p, &loc) || !ir_expect_punct_in(p, ')', where))
        return false;
    *out = ir_loc_from_attr(loc);
    return true;
}

bool ir_parse_loc(ir_parser *p, ir_loc *out)
{
    return parse_loc_in(p, out, "in inline location");
}

bool ir_accept_loc(ir_parser *p, ir_loc *out, bool *present)
{
    *present = ir_at_keyword(p, "loc");
    return !*present || parse_loc_in(p, out, "in location");
}
