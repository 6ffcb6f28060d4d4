/* parse_region.c: reads regions, blocks, arguments, and trailing locations. */
#include "ir/text/parse_impl.h"

#include <stdlib.h>

/* ---- locations ---------------------------------------------------------------------- */

/* " loc(...)" after an operation or argument; loc(#name) may precede its definition, and is
 * filled in at the end. */
bool ir_parse_trailing_loc(ir_parser *p, ir_loc *slot, bool slot_stays)
{
    if (!ir_at_keyword(p, "loc"))
        return true;
    ir_token saved = p->tok;
    const char *cursor = p->cursor;
    ir_next(p);
    if (ir_accept_punct(p, '(') && p->tok.kind == IR_TOK_HASH && slot_stays) {
        tw_str alias = {p->tok.at + 1, p->tok.size - 1};
        if (!memchr(alias.data, '.', alias.size) && !ir_alias_attr(p, alias)) {
            late_loc late = {slot, alias, p->tok.at};
            TW_PUSH(p->scopes->late, p->scopes->n_late, p->scopes->late_capacity, late);
            ir_next(p);
            return ir_expect_punct_in(p, ')', "in location");
        }
    }
    p->tok = saved;
    p->cursor = cursor;
    bool present;
    return ir_accept_loc(p, slot, &present);
}

bool ir_resolve_late_locs(ir_parser *p)
{
    for (size_t i = 0; i < p->scopes->n_late; i++) {
        late_loc *late = &p->scopes->late[i];
        ir_attr loc = ir_alias_attr(p, late->alias);
        if (!loc)
            return ir_fail(p, late->at, "operation location alias was never defined");
        if (!ir_attr_is_loc(loc))
            return ir_fail(p, late->at, "expected location, but found %s",
                           ir_attr_text(p->ctx, loc));
        *late->slot = ir_loc_from_attr(loc);
    }
    return true;
}

/* ---- blocks and regions ------------------------------------------------------------- */

static block_name *find_block(block_scope *scope, tw_str name)
{
    for (size_t i = 0; i < scope->count; i++)
        if (tw_str_equal(scope->blocks[i].name, name))
            return &scope->blocks[i];
    return NULL;
}

static block_name *get_block(ir_parser *p, tw_str name, const char *at)
{
    block_scope *scope = p->scopes->blocks;
    block_name *known = find_block(scope, name);
    if (known)
        return known;
    block_name fresh = {name, ir_block_create(p->ctx), at, false};
    TW_PUSH(scope->blocks, scope->count, scope->capacity, fresh);
    return &scope->blocks[scope->count - 1];
}

bool ir_parse_successor(ir_parser *p, ir_block **out)
{
    if (p->tok.kind != IR_TOK_CARET)
        return ir_fail_here(p, "expected block name");
    if (!p->scopes->blocks)
        return ir_fail_here(p, "block reference outside of a region");
    *out = get_block(p, (tw_str){p->tok.at + 1, p->tok.size - 1}, p->tok.at)->block;
    ir_next(p);
    return true;
}

/* %name : type {attrs} loc(...) */
static bool parse_arg(ir_parser *p, ir_parsed_arg *out)
{
    *out = (ir_parsed_arg){.loc = ir_loc_at(p, p->tok.at)};
    if (!ir_parse_ssa(p, &out->name))
        return false;
    if (out->name.number)
        return ir_fail(p, out->name.at, "result number not allowed in argument list");
    out->type = ir_parse_colon_type(p);
    return out->type != NULL;
}

/* Argument locations live in the value, which exists only later: resolve at once or
 * remember the value. */
static bool parse_arg_tail(ir_parser *p, ir_parsed_arg *arg)
{
    ir_attr_list attrs = {0};
    if (!ir_accept_attr_dict(p, &attrs) && p->failed)
        return false;
    if (attrs.count)
        arg->attrs = ir_dict_attr(p->ctx, attrs.at, attrs.count);
    return ir_parse_trailing_loc(p, &arg->loc, false);
}

void ir_arg_list_add(ir_parser *p, ir_arg_list *list, ir_parsed_arg arg)
{
    PUSH_SCRATCH(p, list->at, list->count, list->capacity, arg);
}

bool ir_parse_arg_list(ir_parser *p, ir_arg_list *out)
{
    if (!ir_expect_punct(p, '('))
        return false;
    if (ir_accept_punct(p, ')'))
        return true;
    do {
        ir_parsed_arg arg;
        if (!parse_arg(p, &arg) || !parse_arg_tail(p, &arg))
            return false;
        ir_arg_list_add(p, out, arg);
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')');
}

static bool parse_block_args(ir_parser *p, ir_block *block)
{
    if (!ir_accept_punct(p, '('))
        return true;
    if (ir_accept_punct(p, ')'))
        return true;
    do {
        ir_parsed_arg arg;
        if (!parse_arg(p, &arg))
            return false;
        ir_value *v = ir_block_add_arg(p->ctx, block, arg.type, arg.loc);
        if (!ir_define(p, arg.name.name, arg.name.at, v, 1) ||
            !ir_parse_trailing_loc(p, &v->loc, true))
            return false;
    } while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, ')');
}

static bool parse_block_body(ir_parser *p, ir_block *block)
{
    while (!ir_at_punct(p, '}') && p->tok.kind != IR_TOK_CARET) {
        if (p->tok.kind == IR_TOK_EOF)
            return ir_fail_here(p, "expected operation name in quotes");
        if (!ir_parse_operation(p, block))
            return false;
    }
    return true;
}

static bool parse_label(ir_parser *p, ir_region *region, ir_block **out)
{
    tw_str name = {p->tok.at + 1, p->tok.size - 1};
    const char *at = p->tok.at;
    ir_next(p);
    block_name *named = get_block(p, name, at);
    if (named->defined)
        return ir_fail(p, at, "redefinition of block '^%.*s'", (int)name.size, name.data);
    named->defined = true;
    *out = named->block;
    ir_region_append(region, *out);
    return parse_block_args(p, *out) && ir_expect_punct(p, ':');
}

static bool parse_region_blocks(ir_parser *p, ir_region *region, const ir_parsed_arg *args,
                                size_t n_args)
{
    ir_block *block = NULL;
    if (n_args || (!ir_at_punct(p, '}') && p->tok.kind != IR_TOK_CARET)) {
        if (n_args && p->tok.kind == IR_TOK_CARET)
            return ir_fail_here(p, "invalid block name in region with named arguments");
        block = ir_block_create(p->ctx);
        ir_region_append(region, block);
        for (size_t i = 0; i < n_args; i++) {
            ir_value *v = ir_block_add_arg(p->ctx, block, args[i].type, args[i].loc);
            tw_str arg = args[i].name.name;
            const char *seen = arg.size ? ir_name_seen_at(p, arg) : NULL;
            if (seen) {
                ir_fail(p, args[i].name.at,
                        "region entry argument '%%%.*s' is already in use", (int)arg.size,
                        arg.data);
                if (!p->quiet)
                    ir_note(p->ctx, ir_loc_at(p, seen), "previously referenced here");
                return false;
            }
            if (arg.size && !ir_define(p, arg, args[i].name.at, v, 1))
                return false;
        }
        if (!parse_block_body(p, block))
            return false;
    }
    while (p->tok.kind == IR_TOK_CARET)
        if (!parse_label(p, region, &block) || !parse_block_body(p, block))
            return false;
    return true;
}

static bool check_blocks_defined(ir_parser *p, block_scope *scope)
{
    for (size_t i = 0; i < scope->count; i++)
        if (!scope->blocks[i].defined)
            return ir_fail(p, scope->blocks[i].used_at, "reference to an undefined block");
    return true;
}

bool ir_parse_region_of(ir_parser *p, ir_region *region, const ir_op_def *def,
                        const ir_parsed_arg *args, size_t n_args, bool new_scope)
{
    scopes *s = p->scopes;
    if (!ir_at_punct(p, '{'))
        return ir_fail_here(p, "expected '{' to begin a region");
    if (++p->depth > IR_MAX_NESTING)
        return ir_fail_here(p, "regions nest deeper than %d levels", IR_MAX_NESTING);
    ir_next(p);

    uint32_t outer_isolation = s->isolation;
    const char *outer_dialect = s->default_dialect;
    block_scope scope = {0}, *outer_blocks = s->blocks;
    size_t outer_names = s->log_count;
    forward_ref *outer_forward = s->forward;
    if (new_scope)
        s->isolation = ++s->isolations;
    s->default_dialect = def->region_dialect;
    s->blocks = &scope;

    bool ok = parse_region_blocks(p, region, args, n_args) &&
              check_blocks_defined(p, &scope) && ir_expect_punct(p, '}');
    if (!ok)
        p->failed = true;
    ir_leave_names(p, outer_names, ok && s->forward != outer_forward);
    free(scope.blocks);
    s->blocks = outer_blocks;
    s->isolation = outer_isolation;
    s->default_dialect = outer_dialect;
    p->depth--;
    return ok;
}

static ir_region *add_region(ir_parser *p, ir_parsed_op *op)
{
    ir_region *region = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *region);
    PUSH_SCRATCH(p, op->regions, op->n_regions, op->regions_capacity, region);
    return region;
}

bool ir_parse_op_region(ir_parser *p, ir_parsed_op *op, const ir_parsed_arg *args,
                        size_t n_args)
{
    return ir_parse_region_of(p, add_region(p, op), op->def, args, n_args, false);
}

bool ir_parse_op_region_shadowing(ir_parser *p, ir_parsed_op *op, const ir_parsed_arg *args,
                                  size_t n_args)
{
    return ir_parse_region_of(p, add_region(p, op), op->def, args, n_args, true);
}

bool ir_parse_op_body(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_parse_op_region(p, op, NULL, 0))
        return false;
    ir_region *region = op->regions[op->n_regions - 1];
    if (!region->first)
        ir_region_append(region, ir_block_create(p->ctx));
    return true;
}

void ir_add_operand_segments(ir_parser *p, ir_parsed_op *op, const int32_t *sizes,
                             size_t count)
{
    ir_add_attr(p, op, "operandSegmentSizes",
                ir_dense_array(ir_integer_type(p->ctx, 32, IR_SIGNLESS), sizes, count));
}

void ir_add_empty_region(ir_parser *p, ir_parsed_op *op)
{
    ir_region *region = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *region);
    PUSH_SCRATCH(p, op->regions, op->n_regions, op->regions_capacity, region);
}

void ir_ensure_terminator(ir_parser *p, ir_region *region, const ir_op_def *terminator,
                          ir_loc loc)
{
    if (!region->first)
        ir_region_append(region, ir_block_create(p->ctx));
    ir_op *last = region->last->last;
    if (last && (last->def->traits & IR_TERMINATOR))
        return;
    size_t regions = 0;
    while (regions < terminator->regions.count && !terminator->regions.at[regions].variadic)
        regions++;
    ir_op *op = ir_op_create(
        p->ctx, &(ir_op_state){.def = terminator, .loc = loc, .n_regions = regions});
    for (uint16_t i = 0; i < op->n_regions; i++) /* scf.forall.in_parallel has one */
        ir_region_append(&op->regions[i], ir_block_create(p->ctx));
    ir_block_append(region->last, op);
}
