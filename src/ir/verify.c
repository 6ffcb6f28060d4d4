/* verify.c: verifies an operation and everything in it against its row.
 *
 * Order as in MLIR: structure, blocks, inherent attributes, operands, results, regions,
 * traits in order, the row's own hook; then nested operations, isolated ones last; then the
 * region checks of traits and row; then dominance. The first failure ends an operation;
 * unlike in MLIR, siblings are still checked. */
#include "ir/op.h"
#include "ir/text.h"
#include "ir/verify_impl.h"
#include "support/hash.h"

#include <stdio.h>
#include <stdlib.h>

static bool verify_op(ir_op *op);

/* ---- counts ------------------------------------------------------------------------- */

static void arity_bounds(const ir_operand_def *defs, uint32_t count, size_t *min,
                         bool *more)
{
    *min = 0;
    *more = false;
    for (uint32_t i = 0; i < count; i++) {
        *min += defs[i].arity == IR_ONE;
        *more |= defs[i].arity != IR_ONE;
    }
}

static bool check_counts(ir_op *op)
{
    const ir_op_def *def = op->def;
    size_t min;
    bool more;
    arity_bounds(def->results.at, def->results.count, &min, &more);
    if (more ? op->n_results < min : op->n_results != min) {
        if (more)
            return ir_op_error(op, "expected %zu or more results", min);
        return min == 0   ? ir_op_error(op, "requires zero results")
               : min == 1 ? ir_op_error(op, "requires one result")
                          : ir_op_error(op, "expected %zu results", min);
    }
    arity_bounds(def->operands.at, def->operands.count, &min, &more);
    if (more ? op->n_operands < min : op->n_operands != min) {
        if (more)
            return ir_op_error(op, "expected %zu or more operands, but found %u", min,
                               op->n_operands);
        return min == 0   ? ir_op_error(op, "requires zero operands")
               : min == 1 ? ir_op_error(op, "requires a single operand")
                          : ir_op_error(op, "expected %zu operands, but found %u", min,
                                        op->n_operands);
    }
    size_t regions = def->regions.count;
    bool variadic = regions && def->regions.at[regions - 1].variadic;
    if (variadic ? op->n_regions < regions - 1 : op->n_regions != regions) {
        if (variadic)
            return ir_op_error(op, "expected %zu or more regions", regions - 1);
        return regions == 0   ? ir_op_error(op, "requires zero regions")
               : regions == 1 ? ir_op_error(op, "requires one region")
                              : ir_op_error(op, "expected %zu regions", regions);
    }
    size_t successors = def->successors.count;
    variadic = successors && def->successors.at[successors - 1].variadic;
    if (variadic ? op->n_successors < successors - 1 : op->n_successors != successors)
        return successors == 1
                   ? ir_op_error(op, "requires 1 successor but found %u", op->n_successors)
                   : ir_op_error(op, "requires %zu successors but found %u", successors,
                                 op->n_successors);
    return true;
}

/* ---- attributes --------------------------------------------------------------------- */

/* Conditions of a row on an attribute beyond its constraint, in MLIR's words. */
static const struct {
    const char *predicate, *text;
} confined[] = {
    {"int >= 0", " whose value is non-negative"},
    {"int > 0", " whose value is positive"},
    {"power_of_2", " whose value is a power of two > 0"},
    {"int >= 0 and int <= 3", " whose minimum value is 0 whose maximum value is 3"},
    {"rising", " should be in increasing order"},
    {"items_not_negative", " whose value is non-negative"},
    {"length == 2", " with exactly 2 elements"},
    {"length == 3", " with exactly 3 elements"},
    {"length == 4", " with exactly 4 elements"},
    {"length == 6", " with exactly 6 elements"},
    {"length == 0 or length == 3", " with 0 or 3 elements"},
};

const char *ir_confined_text(const ir_attr_use *use)
{
    for (size_t i = 0; use->confined && i < TW_COUNT(confined); i++)
        if (strcmp(use->confined, confined[i].predicate) == 0)
            return confined[i].text;
    return NULL;
}

static const char *breaks_confined(const ir_attr_use *use, ir_attr value)
{
    const bool judged = use->confined && (value->kind == IR_ATTR_INTEGER ||
                                          value->kind == IR_ATTR_DENSE_ARRAY);
    return judged && !ir_attr_is_confined(value, use) ? ir_confined_text(use) : NULL;
}

/* The row's condition on the attribute beyond its type, unless the type's text includes
 * it. */
static const char *confined_text(const ir_attr_use *use, const char *type)
{
    static const char whose[] = " whose ";
    const char *text = ir_confined_text(use);
    const bool is_whose = text && strncmp(text, whose, strlen(whose)) == 0;
    return !text || strstr(type, is_whose ? whose : text) ? "" : text;
}

/* True for bits that belong to no case. */
static bool beyond_cases(const ir_enum_def *def, int64_t value)
{
    int64_t all = 0;
    for (uint32_t i = 0; def->bits && i < def->cases.count; i++)
        all |= def->cases.at[i].value;
    return def->bits ? (value & ~all) != 0 : !ir_enum_by_value(def, value);
}

const char *ir_attr_use_breaks(const ir_attr_use *use, ir_attr value)
{
    if (use->type->is_number && value->kind == IR_ATTR_INTEGER &&
        beyond_cases(use->type->enumeration, value->value))
        return "";
    return ir_attr_satisfies(value, use->type) ? breaks_confined(use, value) : "";
}

static bool check_attrs(ir_op *op)
{
    const ir_op_def *def = op->def;
    for (uint32_t i = 0; i < def->attrs.count; i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        ir_attr value = op->props[i];
        if (!value) {
            if (!use->optional)
                return ir_op_error(op, "requires attribute '%s'", use->name);
            continue;
        }
        const char *type = use->type->text ? use->type->text : use->type->name;
        if (ir_attr_use_breaks(use, value))
            return ir_op_error(op, "%s '%s' failed to satisfy constraint: %s%s",
                               use->type->is_number ? "property" : "attribute", use->name,
                               type, confined_text(use, type));
    }
    return true;
}

static bool check_segments(ir_op *op, bool operands)
{
    const ir_op_def *def = op->def;
    bool sized = def->traits & (operands ? IR_OPERAND_SEGMENTS : IR_RESULT_SEGMENTS);
    if (!sized)
        return true;
    const char *name = operands ? "operandSegmentSizes" : "resultSegmentSizes";
    size_t groups = operands ? def->operands.count : def->results.count;
    ir_attr sizes = op->props[operands ? def->attrs.count : ir_def_n_props(def) - 1];
    if (!ir_attr_is(sizes, IR_ATTR_DENSE_ARRAY) || !ir_type_is_signless(sizes->type, 32))
        return ir_op_error(op, "requires dense i32 array attribute '%s'", name);
    int64_t total = 0;
    for (uint32_t i = 0; i < sizes->count; i++) {
        if (ir_dense_array_int(sizes, i) < 0)
            return ir_op_error(op, "'%s' attribute cannot have negative elements", name);
        total += ir_dense_array_int(sizes, i);
    }
    if (sizes->count != groups)
        return ir_op_error(
            op,
            "'%s' attribute for specifying %s segments must have %zu elements, but "
            "got %u",
            name, operands ? "operand" : "result", groups, sizes->count);
    size_t have = operands ? op->n_operands : op->n_results;
    if ((size_t)total != have)
        return ir_op_error(
            op,
            "%s count (%zu) does not match with the total size (%lld) specified in "
            "attribute '%s'",
            operands ? "operand" : "result", have, (long long)total, name);
    return true;
}

/* ---- operand and result types ------------------------------------------------------- */

static bool check_types(ir_op *op, bool operands)
{
    const ir_op_def *def = op->def;
    uint32_t groups = operands ? def->operands.count : def->results.count;
    bool sized = def->traits & (operands ? IR_OPERAND_SEGMENTS : IR_RESULT_SEGMENTS);
    for (uint32_t g = 0; g < groups; g++) {
        const ir_operand_def *d = operands ? &def->operands.at[g] : &def->results.at[g];
        size_t start, count;
        bool ok = operands ? ir_op_operand_group(op, g, &start, &count)
                           : ir_op_result_group(op, g, &start, &count);
        if (!ok && operands && def->verify && !def->verify(op))
            return false;
        if (!ok)
            return ir_op_error(op, "has %s that do not match its declared groups",
                               operands ? "operands" : "results");
        if (d->arity == IR_OPTIONAL && count > 1)
            return ir_op_error(
                op, "%s group starting at #%zu requires 0 or 1 element, but found %zu",
                operands ? "operand" : "result", start, count);
        if (sized && d->arity == IR_ONE && count != 1)
            return ir_op_error(
                op, "%s group starting at #%zu requires 1 element, but found %zu",
                operands ? "operand" : "result", start, count);
        for (size_t i = start; i < start + count; i++) {
            ir_type type = operands ? op->operands[i].value->type : op->results[i].type;
            if (TW_LIKELY(ir_type_satisfies(type, d->type)))
                continue;
            bool variadic = d->arity >= IR_VARIADIC;
            return ir_op_error(
                op, "%s #%zu must be %s%s, but got '%s'", operands ? "operand" : "result",
                i, variadic ? "variadic of " : "",
                d->type->text ? d->type->text : d->type->name, ir_type_text(op->ctx, type));
        }
    }
    return true;
}

/* ---- regions ------------------------------------------------------------------------ */

static bool check_regions(ir_op *op)
{
    const ir_op_def *def = op->def;
    for (uint16_t r = 0; r < op->n_regions; r++) {
        uint32_t row = TW_MIN((uint32_t)r, def->regions.count - 1);
        const ir_region_def *rd = &def->regions.at[row];
        const char *sized = rd->constraint ? strstr(rd->constraint, "(") : NULL;
        bool at_most = rd->constraint && strcmp(rd->constraint, "MaxSizedRegion") == 0;
        int blocks = 0;
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            blocks++;
        if (sized && blocks != atoi(sized + 1) && blocks >= 0)
            return ir_op_error(
                op, "region #%u ('%s') failed to verify constraint: region with %d blocks",
                r, rd->name, atoi(sized + 1));
        if (at_most && blocks > 1)
            return ir_op_error(op,
                               "region #%u ('%s') failed to verify constraint: region with "
                               "at most 1 blocks",
                               r, rd->name);
    }
    return true;
}

/* Checks blocks and their arguments, independent of the row's regions. */
static bool check_blocks(ir_op *op)
{
    const uint64_t traits = op->def->traits;
    for (uint16_t r = 0; r < op->n_regions; r++) {
        const ir_block *first = op->regions[r].first;
        if (!first)
            continue;
        if ((traits & IR_SINGLE_BLOCK) && first->next)
            return ir_op_error(op, "expects region #%u to have 0 or 1 blocks", r);
        if ((traits & IR_SINGLE_BLOCK) && !(traits & IR_NO_TERMINATOR) && !first->first)
            return ir_op_error(op, "expects a non-empty block");
        if ((traits & IR_NO_REGION_ARGUMENTS) && first->n_args)
            return op->n_regions > 1
                       ? ir_op_error(op, "region #%u should have no arguments", r)
                       : ir_op_error(op, "region should have no arguments");
    }
    return true;
}

/* Checks a block's terminator, once its operations are verified. */
static bool check_end(const ir_block *b)
{
    if (b->last->def->traits & (IR_TERMINATOR | IR_UNREGISTERED))
        return true;
    tw_strbuf text = {0};
    ir_print_op_in_message(b->last, &text);
    ir_error_at_op(b->last, "block with no terminator, has %s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return false;
}

static bool check_entry(ir_op *op, ir_region *region)
{
    for (ir_block *b = region->first; b && b->next; b = b->next)
        for (uint16_t i = 0; b->last && i < b->last->n_successors; i++)
            if (b->last->successors[i] == region->first)
                return ir_error_at_op(op,
                                      "entry block of region may not have predecessors");
    return true;
}

/* Checked once the nested operations are verified. */
static bool check_implicit_terminator(ir_op *op)
{
    tw_str implicit;
    if (!ir_def_rule(op->def, "SingleBlockImplicitTerminator", &implicit))
        return true;
    for (uint16_t r = 0; r < op->n_regions; r++) {
        const ir_block *b = op->regions[r].first;
        if (!b || !b->last || tw_str_is(implicit, b->last->def->name))
            continue;
        ir_op_error(op, "expects regions to end with '%.*s', found '%s'",
                    (int)implicit.size, implicit.data, b->last->def->name);
        ir_note(op->ctx, op->loc,
                "in custom textual format, the absence of terminator implies '%.*s'",
                (int)implicit.size, implicit.data);
        return false;
    }
    return true;
}

/* ---- symbols ------------------------------------------------------------------------ */

static bool check_symbol_table(ir_op *op)
{
    if (op->n_regions != 1)
        return true;
    ir_mapping *seen = ir_mapping_create();
    bool ok = true;
    for (ir_block *b = op->regions[0].first; b && ok; b = b->next)
        for (ir_op *o = b->first; o && ok; o = o->next) {
            ir_attr name = ir_op_attr_str(o, TW_STR("sym_name"));
            if (!ir_attr_is(name, IR_ATTR_STRING))
                continue;
            ir_op *before = ir_mapping_get(seen, name->ident);
            if (before) {
                ok = ir_error_at_op(o, "redefinition of symbol named '%s'",
                                    name->ident->text);
                ir_note(op->ctx, before->loc, "see existing symbol definition here");
            }
            ir_mapping_set(seen, name->ident, o);
        }
    ir_mapping_free(seen);
    return ok;
}

static bool check_symbol_users(ir_op *op)
{
    bool ok = true;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next) {
                if (o->def->verify_symbols)
                    ok &= o->def->verify_symbols(o);
                if (o->n_regions && !(o->def->traits & IR_SYMBOL_TABLE))
                    ok &= check_symbol_users(o);
            }
    return ok;
}

/* ---- isolation ---------------------------------------------------------------------- */

/* Checks that an isolated operation's regions use no outer values. */
static bool check_isolated(ir_op *op, ir_op *root)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next) {
                for (uint32_t i = 0; i < o->n_operands; i++) {
                    ir_block *home = ir_value_block(o->operands[i].value);
                    if (TW_LIKELY(home == b))
                        continue;
                    ir_op *at = home && home->region ? home->region->owner : NULL;
                    while (at && at != root)
                        at = ir_op_parent(at);
                    if (!at) {
                        ir_op_error(o, "using value defined outside the region");
                        ir_note(op->ctx, root->loc,
                                "required by region isolation constraints");
                        return false;
                    }
                }
                if (o->n_regions && !(o->def->traits & IR_ISOLATED) &&
                    !check_isolated(o, root))
                    return false;
            }
    return true;
}

/* ---- entry point -------------------------------------------------------------------- */

/* Calls the dialect whose prefix an attribute's name has, if it is registered. */
static bool check_discardable(ir_op *op)
{
    for (uint32_t i = 0; op->attrs && i < op->attrs->count; i++) {
        const ir_dialect *d =
            ir_context_dialect_of(op->ctx, ir_ident_str(op->attrs->entries[i].name));
        if (d && d->verify_discardable && !d->verify_discardable(op, op->attrs->entries[i]))
            return false;
    }
    return true;
}

/* Symbol visibility is public, private, or nested. */
static bool check_visibility(ir_op *op)
{
    ir_attr visibility = ir_op_attr(op, "sym_visibility");
    if (!visibility)
        return true;
    if (visibility->kind != IR_ATTR_STRING)
        return ir_op_error(op,
                           "requires visibility attribute 'sym_visibility' to be a string "
                           "attribute, but got %s",
                           ir_attr_text(op->ctx, visibility));
    tw_str text = ir_attr_str(visibility);
    return tw_str_is(text, "public") || tw_str_is(text, "private") ||
           tw_str_is(text, "nested") ||
           ir_op_error(op,
                       "visibility expected to be one of [\"public\", \"private\", "
                       "\"nested\"], but got %s",
                       ir_attr_text(op->ctx, visibility));
}

static bool check_function_attrs(ir_op *op, bool results)
{
    ir_attr list = ir_op_attr(op, results ? "res_attrs" : "arg_attrs");
    for (uint32_t i = 0; ir_attr_is(list, IR_ATTR_ARRAY) && i < list->count; i++) {
        ir_attr dict = list->items[i];
        for (uint32_t k = 0; ir_attr_is(dict, IR_ATTR_DICT) && k < dict->count; k++) {
            const ir_dialect *d =
                ir_context_dialect_of(op->ctx, ir_ident_str(dict->entries[k].name));
            if (d && d->verify_function_attr &&
                !d->verify_function_attr(op, results, i, dict->entries[k]))
                return false;
        }
    }
    return true;
}

/* True if the row's hook can rely on the terminators: otherwise the check of terminators
 * reports them. */
static bool ends_as_implied(const ir_op *op)
{
    tw_str implicit;
    if (!op->n_regions || op->def->verifies_ends || (op->def->traits & IR_NO_TERMINATOR))
        return true;
    bool implied = ir_def_rule(op->def, "SingleBlockImplicitTerminator", &implicit);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (const ir_block *b = op->regions[r].first; b; b = b->next)
            if (!b->last ||
                (implied ? !tw_str_is(implicit, b->last->def->name)
                         : !(b->last->def->traits & (IR_TERMINATOR | IR_UNREGISTERED))))
                return false;
    return true;
}

static bool check_row(ir_op *op)
{
    const ir_op_def *def = op->def;
    if (op->attrs && !check_discardable(op))
        return false;
    if (def->traits & IR_UNREGISTERED) {
        if (ir_context_allows_unregistered(op->ctx))
            return true;
        const char *dot = strchr(def->name, '.');
        ir_error_at_op(
            op,
            "unregistered operation '%s' found in dialect ('%.*s') that does not "
            "allow unknown operations",
            def->name, dot ? (int)(dot - def->name) : 0, def->name);
        ir_help_op_name(op->ctx, tw_str_from(def->name));
        return false;
    }
    const uint64_t hash = ir_valid_hash(op);
    if (ir_is_known_valid(op, hash))
        return true;
    if (!check_counts(op) || !check_segments(op, true) || !check_segments(op, false) ||
        !check_blocks(op) || !check_attrs(op) || !check_types(op, true) ||
        !check_types(op, false) || !check_regions(op) || !ir_check_traits(op))
        return false;
    if ((def->traits & (IR_SYMBOL | IR_FUNCTION_LIKE)) && !check_visibility(op))
        return false;
    if ((def->traits & IR_FUNCTION_LIKE) &&
        (!check_function_attrs(op, false) || !check_function_attrs(op, true)))
        return false;
    if (def->verify && ends_as_implied(op) && !def->verify(op))
        return false;
    ir_remember_valid(op, hash);
    return true;
}

bool ir_fits_row(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!op->operands[i].value)
            return false;
    ir_diagnostic_sink quiet = ir_context_set_sink(op->ctx, (ir_diagnostic_sink){0});
    bool fits = check_row(op);
    ir_context_set_sink(op->ctx, quiet);
    return fits;
}

static bool is_isolated(const ir_op *op)
{
    return op->n_regions && (op->def->traits & IR_ISOLATED);
}

/* Isolated operations are left to the end. */
static bool verify_block(ir_op *op, ir_region *region, ir_block *b)
{
    uint32_t order = 0;
    bool ok = true;
    bool lenient = (op->def->traits & (IR_NO_TERMINATOR | IR_UNREGISTERED)) &&
                   region->first == region->last;
    if (!b->last)
        return lenient || ir_error_at_op(op, "empty block: expect at least a terminator");
    for (ir_op *o = b->first; o; o = o->next) {
        o->order = order++;
        if (o->n_successors && o->next)
            return ir_op_error(o, "must be the last operation in its block");
        for (uint16_t i = 0; i < o->n_successors; i++)
            if (o->successors[i]->region != region)
                return ir_error_at_op(o, "reference to block defined in another region");
        if ((o->def->traits & IR_TERMINATOR) && o->next)
            return ir_op_error(o, "must be the last operation in the parent block");
        ok &= is_isolated(o) || verify_op(o);
    }
    return ok && (lenient || check_end(b));
}

/* Each failure is reported, regardless of the others. */
static bool verify_isolated_in(ir_op *op)
{
    bool ok = true;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next)
                if (is_isolated(o))
                    ok &= ir_verify(o);
    return ok;
}

static bool verify_op(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!op->operands[i].value)
            return ir_op_error(op, "null operand found");
    if (!check_row(op))
        return false;
    if (!op->n_regions)
        return !op->def->verify_regions || op->def->verify_regions(op);
    for (uint16_t r = 0; r < op->n_regions; r++)
        if (!check_entry(op, &op->regions[r]))
            return false;
    bool ok = true;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            ok &= verify_block(op, &op->regions[r], b);
    ok &= verify_isolated_in(op);
    if (!ok || !check_implicit_terminator(op))
        return false;
    if ((op->def->traits & IR_SYMBOL_TABLE) &&
        (!check_symbol_table(op) || !check_symbol_users(op)))
        return false;
    if (is_isolated(op) && !check_isolated(op, op))
        return false;
    return !op->def->verify_regions || op->def->verify_regions(op);
}

bool ir_verify(ir_op *op)
{
    return verify_op(op) && ir_check_dominance(op);
}
