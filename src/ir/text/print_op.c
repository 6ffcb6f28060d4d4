/* print_op.c: prints operations, regions and blocks. */
#include "ir/text/format.h"
#include "ir/text/print_impl.h"
#include "ir/verify_impl.h"

#include <stdlib.h>

/* ---- pieces for hand-written syntax ------------------------------------------------- */

void ir_put_values(ir_printer *p, const ir_operand *operands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_value(p, operands[i].value);
    }
}

void ir_put_operands(ir_printer *p, const ir_op *op, size_t start, size_t count)
{
    ir_put_values(p, op->operands + start, count);
}

void ir_put_operand_types(ir_printer *p, const ir_op *op, size_t start, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_type(p, op->operands[start + i].value->type);
    }
}

void ir_put_result_types(ir_printer *p, const ir_op *op, size_t start, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_type(p, op->results[start + i].type);
    }
}

static void put_results_maybe_bare(ir_printer *p, const ir_op *op)
{
    bool bare = op->n_results == 1 && op->results[0].type->kind != IR_TYPE_FUNCTION;
    if (!bare)
        ir_putc(p, '(');
    ir_put_result_types(p, op, 0, op->n_results);
    if (!bare)
        ir_putc(p, ')');
}

void ir_put_functional_type(ir_printer *p, const ir_op *op)
{
    ir_putc(p, '(');
    ir_put_operand_types(p, op, 0, op->n_operands);
    ir_put(p, ") -> ");
    put_results_maybe_bare(p, op);
}

void ir_put_arrow_results(ir_printer *p, const ir_op *op)
{
    if (op->n_results == 0)
        return;
    ir_put(p, " -> ");
    put_results_maybe_bare(p, op);
}

void ir_put_block_name(ir_printer *p, const ir_block *block)
{
    const ir_op *owner = block->region ? block->region->owner : NULL;
    if (owner && owner->def->name_block && block == block->region->first) {
        char name[32];
        ir_putc(p, '^');
        ir_put(p, owner->def->name_block(owner, (uint32_t)(block->region - owner->regions),
                                         name));
        return;
    }
    ir_put(p, "^bb");
    tw_strbuf_u64(p->out, block->order);
}

void ir_put_loc(ir_printer *p, ir_loc loc)
{
    if (p->options.pretty_debug_info && !p->collecting) {
        ir_put_loc_pretty(p, ir_loc_attr(p->ctx, loc));
        return;
    }
    ir_put(p, "loc(");
    ir_put_location_body(p, ir_loc_attr(p->ctx, loc));
    ir_putc(p, ')');
}

/* After an operation; its alias may be defined after the module. */
static void put_trailing_loc(ir_printer *p, ir_loc loc)
{
    if (!p->options.debug_info || p->collecting)
        return;
    ir_putc(p, ' ');
    ir_put_loc(p, loc);
}

/* Arguments print their location inline; only nested locations may be aliases. */
static void put_arg_loc(ir_printer *p, ir_loc loc)
{
    if (!p->options.debug_info)
        return;
    if (p->collecting) {
        ir_put_loc(p, loc);
        return;
    }
    if (p->options.pretty_debug_info) {
        ir_putc(p, ' ');
        ir_put_loc_pretty(p, ir_loc_attr(p->ctx, loc));
        return;
    }
    ir_put(p, " loc(");
    ir_put_location_spelled(p, ir_loc_attr(p->ctx, loc));
    ir_putc(p, ')');
}

void ir_put_arg(ir_printer *p, const ir_value *arg, ir_attr attrs, bool with_type)
{
    ir_put_value(p, arg);
    if (!with_type)
        return;
    ir_put(p, ": ");
    ir_put_type(p, arg->type);
    if (attrs)
        ir_put_attr_dict(p, attrs->entries, attrs->count, NULL, 0, false);
    put_arg_loc(p, arg->loc);
}

/* ---- dictionaries of an operation --------------------------------------------------- */

static bool is_elided(const char *name, const char *const *elided, size_t n_elided)
{
    for (size_t i = 0; i < n_elided; i++)
        if (strcmp(name, elided[i]) == 0)
            return true;
    return false;
}

static void put_merged(ir_printer *p, const ir_op *op, const char *const *elided,
                       size_t n_elided, bool keyword)
{
    enum { FEW = 64 };
    ir_named_attr few[FEW];
    size_t n_props = ir_def_n_props(op->def), n_attrs = op->attrs ? op->attrs->count : 0,
           n = 0;
    ir_named_attr *all =
        n_props + n_attrs <= FEW ? few : tw_xmalloc((n_props + n_attrs) * sizeof *all);
    for (size_t i = 0; i < n_props; i++) {
        const char *name = ir_def_prop_name(op->def, i);
        if (!op->props[i] || i >= op->def->attrs.count || is_elided(name, elided, n_elided))
            continue;
        all[n++] = (ir_named_attr){ir_ident_from(p->ctx, name), op->props[i]};
    }
    for (size_t i = 0; i < n_attrs; i++)
        if (!is_elided(op->attrs->entries[i].name->text, elided, n_elided))
            all[n++] = op->attrs->entries[i];
    if (n) {
        /* the dictionary's constructor sorts by name */
        ir_attr dict =
            op->attrs && n == n_attrs && all[0].name == op->attrs->entries[0].name
                ? op->attrs
                : ir_dict_attr(p->ctx, all, n);
        ir_put_attr_dict(p, dict->entries, dict->count, NULL, 0, keyword);
    }
    if (all != few)
        free(all);
}

void ir_put_op_attr_dict(ir_printer *p, const ir_op *op, const char *const *elided,
                         size_t n_elided)
{
    put_merged(p, op, elided, n_elided, false);
}

void ir_put_op_attr_dict_keyword(ir_printer *p, const ir_op *op, const char *const *elided,
                                 size_t n_elided)
{
    put_merged(p, op, elided, n_elided, true);
}

/* ---- regions ------------------------------------------------------------------------ */

/* Predecessors, once for every edge. */
static void put_predecessors(ir_printer *p, const ir_block *block)
{
    size_t n = 0, at = 0;
    for (ir_block *b = block->region->first; b; b = b->next)
        for (uint16_t i = 0; b->last && i < b->last->n_successors; i++)
            n += b->last->successors[i] == block;
    if (n == 0) {
        ir_put(p, "  // no predecessors");
        return;
    }
    if (n == 1)
        ir_put(p, "  // pred: ");
    else
        ir_putf(p, "  // %zu preds: ", n);
    for (ir_block *b = block->region->first; b; b = b->next)
        for (uint16_t i = 0; b->last && i < b->last->n_successors; i++)
            if (b->last->successors[i] == block) {
                if (at++)
                    ir_put(p, ", ");
                ir_put_block_name(p, b);
            }
}

static void put_label_in_line(ir_printer *p, const ir_block *block)
{
    ir_put_block_name(p, block);
    if (block->n_args) {
        ir_putc(p, '(');
        for (uint32_t i = 0; i < block->n_args; i++) {
            if (i)
                ir_put(p, ", ");
            ir_put_arg(p, block->args[i], NULL, true);
        }
        ir_putc(p, ')');
    }
    ir_putc(p, ':');
    if (block != block->region->first)
        put_predecessors(p, block);
}

static void put_label(ir_printer *p, const ir_block *block)
{
    p->indent -= 2;
    ir_put_newline(p);
    p->indent += 2;
    put_label_in_line(p, block);
}

static bool entry_label_needed(const ir_region *region)
{
    for (ir_block *b = region->first; b; b = b->next)
        for (uint16_t i = 0; b->last && i < b->last->n_successors; i++)
            if (b->last->successors[i] == region->first)
                return true;
    return false;
}

static bool is_implicit_terminator(const ir_op *op, bool keep)
{
    if (keep || !(op->def->traits & IR_TERMINATOR) || op->n_operands || op->attrs ||
        op->n_successors)
        return false;
    for (uint16_t i = 0; i < op->n_regions; i++)
        if (!op->regions[i].first || op->regions[i].first->first)
            return false;
    return true;
}

/* Much smaller than a cache, much larger than the cost of a write. */
enum { DRAIN_AT = 1 << 17 };

/* `empty_label`: an entry block without operations prints its label. */
static void put_region(ir_printer *p, ir_region *region, bool entry_args, bool terminators,
                       bool empty_label)
{
    const char *outer = p->default_dialect;
    ir_op *owner = region->owner;
    if (p->options.skip_regions) {
        ir_put(p, "{...}");
        return;
    }
    p->default_dialect = p->options.generic ? NULL : owner->def->region_dialect;
    ir_putc(p, '{');
    p->indent += 2;
    for (ir_block *b = region->first; b; b = b->next) {
        bool entry = b == region->first;
        if (!entry || (b->n_args && entry_args) || (empty_label && !b->first) ||
            entry_label_needed(region))
            put_label(p, b);
        for (uint32_t i = 0; p->options.value_users && i < b->n_args; i++) {
            ir_put_newline(p);
            ir_put_argument_users(p, b->args[i]);
        }
        for (ir_op *op = b->first; op; op = op->next) {
            if (op == b->last && is_implicit_terminator(op, terminators))
                continue;
            ir_put_newline(p);
            ir_put_op(p, op);
            if (p->options.value_users)
                ir_put_result_users(p, op);
            if (p->collecting)
                p->out->size = 0;
            else if (p->options.drain && p->out->size > DRAIN_AT)
                p->options.drain(p->options.drain_user, p->out);
        }
    }
    p->indent -= 2;
    ir_put_newline(p);
    ir_putc(p, '}');
    p->default_dialect = outer;
}

void ir_put_region(ir_printer *p, ir_region *region, bool entry_args, bool terminators)
{
    put_region(p, region, entry_args, terminators, false);
}

void ir_put_whole_region(ir_printer *p, ir_region *region)
{
    put_region(p, region, true, true, true);
}

/* ---- one operation ------------------------------------------------------------------ */

static void put_properties(ir_printer *p, const ir_op *op)
{
    enum { FEW = 64 };
    ir_named_attr all[FEW];
    size_t n = 0;
    for (size_t i = 0; i < ir_def_n_props(op->def) && n < FEW; i++)
        if (op->props[i])
            all[n++] = (ir_named_attr){ir_ident_from(p->ctx, ir_def_prop_name(op->def, i)),
                                       op->props[i]};
    if (n == 0)
        return;
    ir_put(p, " <");
    ir_attr dict = ir_dict_attr(p->ctx, all, n);
    ir_put_attr_in_list(p, dict);
    ir_putc(p, '>');
}

static void put_generic_regions(ir_printer *p, ir_op *op)
{
    for (uint16_t i = 0; i < op->n_regions; i++) {
        if (i)
            ir_put(p, ", ");
        const char *outer = p->default_dialect;
        put_region(p, &op->regions[i], true, true, true);
        p->default_dialect = outer;
    }
}

/* The order in which MLIR numbers aliases: regions, types, then attributes. */
static void visit_generic(ir_printer *p, ir_op *op)
{
    put_generic_regions(p, op);
    ir_put_functional_type(p, op);
    put_merged(p, op, NULL, 0, false);
}

static void put_generic(ir_printer *p, ir_op *op)
{
    if (p->collecting) {
        visit_generic(p, op);
        return;
    }
    ir_put_quoted(p, tw_str_from(op->def->name));
    ir_putc(p, '(');
    ir_put_operands(p, op, 0, op->n_operands);
    ir_putc(p, ')');
    if (op->n_successors) {
        ir_putc(p, '[');
        for (uint16_t i = 0; i < op->n_successors; i++) {
            if (i)
                ir_put(p, ", ");
            ir_put_block_name(p, op->successors[i]);
        }
        ir_putc(p, ']');
    }
    bool properties = ir_def_uses_properties(op->ctx, op->def);
    if (properties)
        put_properties(p, op);
    if (op->n_regions) {
        ir_put(p, " (");
        put_generic_regions(p, op);
        ir_putc(p, ')');
    }
    if (properties) {
        if (op->attrs)
            ir_put_attr_dict(p, op->attrs->entries, op->attrs->count, NULL, 0, false);
    } else {
        put_merged(p, op, NULL, 0, false);
    }
    ir_put(p, " : ");
    ir_put_functional_type(p, op);
}

/* The generic form of an operation and of all that is in it. */
static void put_all_generic(ir_printer *p, ir_op *op)
{
    const bool outer = p->options.generic;
    p->options.generic = true;
    put_generic(p, op);
    p->options.generic = outer;
}

/* Behind regions that are not there, a dictionary would be read as one. */
static bool reads_as_region(const ir_op *op)
{
    const ir_op_def *def = op->def;
    return def->regions.count && !op->n_regions && def->regions.at[0].variadic &&
           !def->print && op->attrs && op->attrs->count;
}

/* Custom forms rely on what verifiers check, and verifiers on what holds the operation. */
static bool is_printable(const ir_printer *p, ir_op *op)
{
    return (!p->options.assume_verified || ir_fits_row(op)) && !reads_as_region(op);
}

void ir_put_op(ir_printer *p, ir_op *op)
{
    if (p->collecting && p->options.debug_info)
        ir_alias_visit_loc(p, op->loc);
    if (p->options.at_op && !p->collecting)
        p->options.at_op(p->options.at_op_user, op, p->out->size);
    if (op->n_results)
        ir_put_result_names(p, op);
    const ir_op_def *def = op->def;
    if (p->options.generic || (!def->format && !def->print)) {
        put_generic(p, op);
    } else if (!is_printable(p, op)) {
        put_all_generic(p, op);
    } else {
        const char *name = def->name;
        size_t n = p->default_dialect ? strlen(p->default_dialect) : 0;
        if (n && strncmp(name, p->default_dialect, n) == 0 && name[n] == '.' &&
            !strchr(name + n + 1, '.'))
            name += n + 1;
        ir_put(p, name);
        if (def->print)
            def->print(p, op);
        else
            ir_print_op_format(p, op);
    }
    put_trailing_loc(p, op->loc);
}

/* ---- entry point -------------------------------------------------------------------- */

static bool type_may_alias(ir_type t)
{
    return t->has_alias;
}

static ir_walk look_for_alias(ir_op *op, void *user)
{
    bool *found = user;
    for (uint32_t i = 0; i < op->n_results; i++)
        *found |= type_may_alias(op->results[i].type);
    for (size_t i = 0, n = ir_def_n_props(op->def); i < n; i++)
        *found |= op->props[i] && op->props[i]->has_alias;
    *found |= op->attrs && op->attrs->has_alias;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (uint32_t i = 0; i < b->n_args; i++)
                *found |= type_may_alias(b->args[i]->type);
    return *found ? IR_WALK_STOP : IR_WALK_ON;
}

static bool needs_aliases(ir_op *op, const ir_print_options *options)
{
    bool found = options->debug_info;
    if (options->local_scope)
        return false;
    if (!found)
        ir_walk_pre(op, look_for_alias, &found);
    return found;
}

/* The operation that defines the names inside `op`: the outermost one, or with a local
 * scope the isolated operation. */
static ir_op *scope_of_names(ir_op *op, bool local)
{
    while (ir_op_parent(op) && !(local && (op->def->traits & IR_ISOLATED)))
        op = ir_op_parent(op);
    return op;
}

/* Values outside the scope have no name in it. */
static ir_walk forget_foreign(ir_op *op, void *user)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = ir_op_operand(op, i);
        ir_op *def = v ? ir_value_def(v) : NULL;
        const ir_block *block = def || !v ? NULL : ir_value_block(v);
        if (!def)
            def = block && block->region ? block->region->owner : NULL;
        if (v && (!def || !ir_op_is_ancestor(user, def)))
            v->print_id = UINT32_MAX;
    }
    return IR_WALK_ON;
}

static struct ir_print_names *name_all(ir_printer *p, ir_op *scope)
{
    struct ir_print_names *names = ir_names_create(p, scope);
    if (!(scope->def->traits & IR_ISOLATED))
        ir_walk_pre(scope, forget_foreign, scope);
    return names;
}

/* Invalid operations print in generic form, which shows everything. */
static void prefer_generic(ir_printer *p, ir_op *scope)
{
    if (p->options.assume_verified || p->options.generic)
        return;
    ir_diagnostic_sink quiet = ir_context_set_sink(scope->ctx, (ir_diagnostic_sink){0});
    p->options.generic = !ir_verify(scope);
    ir_context_set_sink(scope->ctx, quiet);
}

void ir_print_op(ir_op *op, const ir_print_options *options, tw_strbuf *out)
{
    ir_printer p = {.ctx = op->ctx, .out = out, .default_dialect = "builtin"};
    if (options)
        p.options = *options;
    ir_op *scope = scope_of_names(op, p.options.local_scope);
    prefer_generic(&p, scope);
    ir_print_resources resources = {0};
    p.resources = &resources;
    p.type_texts = ir_type_texts_create();
    struct ir_print_names *names = name_all(&p, scope);
    struct ir_print_aliases *aliases = NULL;
    if (!ir_op_parent(op) && needs_aliases(op, &p.options)) {
        aliases = ir_aliases_collect(&p, op);
        ir_put_alias_definitions(&p, false);
    }
    ir_put_op(&p, op);
    ir_putc(&p, '\n');
    if (aliases && p.options.debug_info)
        ir_put_alias_definitions(&p, true);
    ir_put_resources(&p);
    free(resources.at);
    ir_print_aliases_free(aliases);
    ir_names_free(names);
    ir_type_texts_free(p.type_texts);
}

/* Like a region of its own, except that the first block also has its label. */
void ir_print_block(ir_block *block, tw_strbuf *out)
{
    ir_op *owner = block->region ? block->region->owner : NULL;
    if (!owner) {
        tw_strbuf_puts(out, "<<UNLINKED BLOCK>>\n");
        return;
    }
    ir_printer p = {.ctx = owner->ctx, .out = out, .default_dialect = "builtin"};
    ir_print_resources resources = {0};
    p.resources = &resources;
    p.type_texts = ir_type_texts_create();
    ir_op *scope = scope_of_names(owner, false);
    prefer_generic(&p, scope);
    p.names = name_all(&p, scope);
    put_label_in_line(&p, block);
    p.indent = 2;
    for (ir_op *op = block->first; op; op = op->next) {
        ir_put_newline(&p);
        ir_put_op(&p, op);
    }
    ir_putc(&p, '\n');
    free(resources.at);
    ir_names_free(p.names);
    ir_type_texts_free(p.type_texts);
}

struct ir_op_printer {
    ir_printer printer;
};

ir_op_printer *ir_op_printer_create(ir_op *scope, const ir_print_options *options)
{
    ir_op_printer *one = tw_xcalloc(1, sizeof *one);
    one->printer = (ir_printer){.ctx = scope->ctx, .default_dialect = "builtin"};
    if (options)
        one->printer.options = *options;
    one->printer.names = ir_names_create(&one->printer, scope);
    return one;
}

void ir_op_printer_print(ir_op_printer *one, ir_op *op, tw_strbuf *out)
{
    one->printer.out = out;
    ir_put_op(&one->printer, op);
}

void ir_op_printer_value(ir_op_printer *one, const ir_value *value, tw_strbuf *out)
{
    one->printer.out = out;
    ir_put_value(&one->printer, value);
}

void ir_op_printer_free(ir_op_printer *one)
{
    ir_names_free(one->printer.names);
    free(one);
}

void ir_print_op_in_message(ir_op *op, tw_strbuf *out)
{
    const ir_print_options options = {.generic = true,
                                      .local_scope = true,
                                      .assume_verified = true,
                                      .elide_elements = 16};
    ir_op *scope = op;
    while (!(scope->def->traits & IR_ISOLATED) && ir_op_parent(scope))
        scope = ir_op_parent(scope);
    ir_op_printer *printer = ir_op_printer_create(scope, &options);
    ir_op_printer_print(printer, op, out);
    ir_op_printer_free(printer);
}

/* Distinct attributes are numbered by address order of appearance within one printing. */
uint32_t ir_distinct_number(ir_printer *p, ir_attr attr)
{
    (void)p;
    /* Stable within a context: the number of distinct attributes created before this
     * one. */
    return attr->hash;
}
