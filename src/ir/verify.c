/* verify.c: checks an operation and all below it against its row.
 *
 * Order as in MLIR: structure, inherent attributes, operands, results, regions, traits in
 * order, the row's own hook; then nested operations; then dominance of whole regions. The
 * first failure ends an operation; siblings are still checked. */
#include "ir/op.h"
#include "support/hash.h"

#include <stdio.h>
#include <stdlib.h>

static bool verify_op(ir_op *op);

/* ---- counts ------------------------------------------------------------------------- */

static void arity_bounds(const ir_operand_def *defs, uint32_t count, size_t *least,
                         bool *more)
{
    *least = 0;
    *more = false;
    for (uint32_t i = 0; i < count; i++) {
        *least += defs[i].arity == IR_ONE;
        *more |= defs[i].arity != IR_ONE;
    }
}

static bool check_counts(ir_op *op)
{
    const ir_op_def *def = op->def;
    size_t least;
    bool more;
    arity_bounds(def->results.at, def->results.count, &least, &more);
    if (more ? op->n_results < least : op->n_results != least) {
        if (more)
            return ir_op_error(op, "expected %zu or more results", least);
        return least == 0   ? ir_op_error(op, "requires zero results")
               : least == 1 ? ir_op_error(op, "requires one result")
                            : ir_op_error(op, "expected %zu results", least);
    }
    arity_bounds(def->operands.at, def->operands.count, &least, &more);
    if (more ? op->n_operands < least : op->n_operands != least) {
        if (more)
            return ir_op_error(op, "expected %zu or more operands, but found %u", least,
                               op->n_operands);
        return least == 0   ? ir_op_error(op, "requires zero operands")
               : least == 1 ? ir_op_error(op, "requires a single operand")
                            : ir_op_error(op, "expected %zu operands, but found %u", least,
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

/* What a row may demand of an attribute beyond its constraint, and how MLIR says it. */
static const struct {
    const char *pred, *text;
    int64_t least;
    bool power;
    int64_t most;
} confined_numbers[] = {
    {"(not int<0)", " whose value is non-negative", 0, false, INT64_MAX},
    {"int>=0", " whose value is non-negative", 0, false, INT64_MAX},
    {"int>0", " whose value is positive", 1, false, INT64_MAX},
    {"(and int>0 int-power-of-2)", " whose value is a power of two > 0", 1, true,
     INT64_MAX},
    {"(and int>=0 int<=3)", " whose minimum value is 0 whose maximum value is 3", 0, false,
     3},
};

/* The same of lists: their lengths, what the first and what each next element may be. */
static const struct {
    const char *pred, *text;
    bool rising, positive;
    int length; /* -1: any */
    bool may_be_empty;
} confined_lists[] = {
    {"(and sorted-ascending no-equal-neighbours)", " should be in increasing order", true,
     false, -1, true},
    {"all-nonnegative", " whose value is non-negative", false, true, -1, true},
    {"length==3", " with exactly 3 elements", false, false, 3, false},
    {"(or length==0 length==3)", " with 0 or 3 elements", false, false, 3, true},
};

static const char *breaks_list(const ir_attr_use *use, ir_attr list)
{
    for (size_t i = 0; i < TW_COUNT(confined_lists); i++) {
        if (strcmp(use->confined, confined_lists[i].pred) != 0)
            continue;
        int length = confined_lists[i].length;
        bool fine = length < 0 || list->count == (uint32_t)length ||
                    (list->count == 0 && confined_lists[i].may_be_empty);
        for (uint32_t k = 0; k < list->count; k++) {
            int64_t v = ir_dense_array_int(list, k);
            fine &= v >= 0 || !confined_lists[i].positive;
            fine &= !k || !confined_lists[i].rising || v > ir_dense_array_int(list, k - 1);
        }
        if (!fine)
            return confined_lists[i].text;
    }
    return NULL;
}

static const char *breaks_confined(const ir_attr_use *use, ir_attr value)
{
    if (!use->confined)
        return NULL;
    if (value->kind == IR_ATTR_DENSE_ARRAY)
        return breaks_list(use, value);
    if (value->kind != IR_ATTR_INTEGER)
        return NULL;
    for (size_t i = 0; i < TW_COUNT(confined_numbers); i++) {
        if (strcmp(use->confined, confined_numbers[i].pred) != 0)
            continue;
        int64_t v = value->value;
        if (v < confined_numbers[i].least || v > confined_numbers[i].most ||
            (confined_numbers[i].power && (v & (v - 1))))
            return confined_numbers[i].text;
    }
    return NULL;
}

const char *ir_attr_use_breaks(const ir_attr_use *use, ir_attr value)
{
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
        const char *how = ir_attr_use_breaks(use, value);
        const char *type = use->type->text ? use->type->text : use->type->name;
        if (how) /* some constraints' own words say it already */
            return ir_op_error(op, "attribute '%s' failed to satisfy constraint: %s%s",
                               use->name, type, strstr(type, how) ? "" : how);
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
        int blocks = 0;
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            blocks++;
        if (sized && blocks != atoi(sized + 1) && blocks >= 0)
            return ir_op_error(
                op, "region #%u ('%s') failed to verify constraint: region with %d blocks",
                r, rd->name, atoi(sized + 1));
        if ((def->traits & IR_SINGLE_BLOCK) && blocks > 1)
            return ir_op_error(op, "expects region #%u to have 0 or 1 blocks", r);
        if ((def->traits & IR_NO_REGION_ARGUMENTS) && op->regions[r].first &&
            op->regions[r].first->n_args)
            return ir_op_error(op, "region should have no arguments");
    }
    return true;
}

static bool check_terminators(ir_op *op)
{
    const ir_op_def *def = op->def;
    if (def->traits & IR_NO_TERMINATOR)
        return true;
    tw_str implicit;
    bool has_implicit = ir_def_rule(def, "SingleBlockImplicitTerminator", &implicit);
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next) {
            if (!b->last) {
                if (def->traits & IR_UNREGISTERED)
                    continue;
                return ir_error(op->ctx, op->loc,
                                "empty block: expect at least a terminator");
            }
            bool ends = b->last->def->traits & (IR_TERMINATOR | IR_UNREGISTERED);
            if (has_implicit && !tw_str_is(implicit, b->last->def->name) &&
                !(b->last->def->traits & IR_UNREGISTERED))
                return ir_op_error(op, "expects regions to end with '%.*s', found '%s'",
                                   (int)implicit.size, implicit.data, b->last->def->name);
            if (!ends && !(def->traits & IR_UNREGISTERED))
                return ir_op_error(b->last, "block with no terminator, has %s",
                                   b->last->def->name);
        }
    return true;
}

/* ---- traits ------------------------------------------------------------------------- */

static bool same_shape(ir_type a, ir_type b)
{
    if (!ir_type_is_ranked(a) || !ir_type_is_ranked(b))
        return ir_type_is_shaped(a) == ir_type_is_shaped(b) ||
               (ir_type_is_shaped(a) && ir_type_is_shaped(b));
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->dims[i] != b->dims[i] && a->dims[i] != IR_DYNAMIC &&
            b->dims[i] != IR_DYNAMIC)
            return false;
    return true;
}

static bool same_element(ir_type a, ir_type b)
{
    return (ir_type_is_shaped(a) ? a->element : a) ==
           (ir_type_is_shaped(b) ? b->element : b);
}

static bool same_type(ir_type a, ir_type b)
{
    return a == b || (ir_type_is_shaped(a) && ir_type_is_shaped(b) && a->kind == b->kind &&
                      same_element(a, b) && same_shape(a, b));
}

static ir_type value_type(const ir_op *op, size_t i)
{
    return i < op->n_operands ? op->operands[i].value->type
                              : op->results[i - op->n_operands].type;
}

static bool all_agree(const ir_op *op, bool with_results, bool (*agree)(ir_type, ir_type))
{
    size_t n = op->n_operands + (with_results ? op->n_results : 0);
    for (size_t i = 1; i < n; i++)
        if (!agree(value_type(op, 0), value_type(op, i)))
            return false;
    return true;
}

/* Vectors and tensors go with their like, scalars with everything. */
static bool check_elementwise(ir_op *op)
{
    uint32_t operands = 0, results = 0;
    ir_type first = NULL;
    bool alike = true;
    for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
        bool is_operand = i < op->n_operands;
        ir_type t =
            is_operand ? op->operands[i].value->type : op->results[i - op->n_operands].type;
        if (t->kind != IR_TYPE_VECTOR && t->kind != IR_TYPE_TENSOR &&
            t->kind != IR_TYPE_UNRANKED_TENSOR)
            continue;
        operands += is_operand;
        results += !is_operand;
        alike &= !first || (t->kind == first->kind && same_shape(t, first));
        first = first ? first : t;
    }
    const char *wrong =
        results && !operands
            ? "if a result is non-scalar, then at least one operand must be non-scalar"
        : operands && !results ? "if an operand is non-scalar, then there must be at least "
                                 "one non-scalar result"
        : operands && results != op->n_results
            ? "if an operand is non-scalar, then all results must be non-scalar"
        : !alike ? "all non-scalar operands/results must have the same shape and base type"
                 : NULL;
    return !wrong || ir_op_error(op, "%s", wrong);
}

static bool check_traits(ir_op *op)
{
    static const struct {
        int bit;
        bool results;
        bool (*agree)(ir_type, ir_type);
        const char *message;
    } rules[] = {
        {IR_TRAIT_BIT_SAME_TYPE_OPERANDS, false, same_type,
         "requires all operands to have the same type"},
        {IR_TRAIT_BIT_SAME_OPERANDS_SHAPE, false, same_shape,
         "requires the same shape for all operands"},
        {IR_TRAIT_BIT_SAME_SHAPE, true, same_shape,
         "requires the same shape for all operands and results"},
        {IR_TRAIT_BIT_SAME_OPERANDS_ELEMENT_TYPE, false, same_element,
         "requires the same element type for all operands"},
        {IR_TRAIT_BIT_SAME_ELEMENT_TYPE, true, same_element,
         "requires the same element type for all operands and results"},
        {IR_TRAIT_BIT_SAME_TYPE, true, same_type,
         "requires the same type for all operands and results"},
    };
    /* operations of one operand name this trait before the shape's */
    const uint64_t both = IR_ELEMENTWISE | IR_SAME_SHAPE;
    if ((op->def->traits & both) == both && op->n_operands == 1 && !check_elementwise(op))
        return false;
    for (size_t i = 0; i < TW_COUNT(rules); i++) {
        if (!(op->def->traits >> rules[i].bit & 1))
            continue;
        if (!op->n_operands)
            return ir_op_error(op, "expected 1 or more operands, but found 0");
        if (!all_agree(op, rules[i].results, rules[i].agree))
            return ir_op_error(op, "%s", rules[i].message);
    }
    return true;
}

/* numpy broadcasting of the operands' shapes must give the result's. */
static void put_shape(tw_strbuf *out, const int64_t *dims, size_t rank)
{
    for (size_t i = 0; i < rank; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)dims[i]);
}

static bool check_broadcastable(ir_op *op)
{
    enum { MOST = 32 };
    int64_t shape[MOST];
    size_t rank = 0;
    if (!(op->def->traits & IR_BROADCASTABLE))
        return true;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        if (!ir_type_is_ranked(t) || t->count > MOST)
            return true;
        size_t wide = TW_MAX(rank, t->count);
        int64_t merged[MOST];
        for (size_t d = 0; d < wide; d++) {
            int64_t a = d + rank >= wide ? shape[d + rank - wide] : 1;
            int64_t b = d + t->count >= wide ? t->dims[d + t->count - wide] : 1;
            if (a != b && a != 1 && b != 1 && i > 0) {
                tw_strbuf have = {0}, want = {0};
                put_shape(&have, t->dims, t->count);
                put_shape(&want, shape, rank);
                ir_op_error(
                    op,
                    "operand shape (%s) is not broadcast compatible with inferred operand "
                    "shapes (%s)",
                    tw_strbuf_text(&have), tw_strbuf_text(&want));
                tw_strbuf_free(&have);
                tw_strbuf_free(&want);
                return false;
            }
            merged[d] = a == 1 ? b : a;
        }
        memcpy(shape, merged, wide * sizeof *shape);
        rank = wide;
    }
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type t = op->results[i].type;
        if (ir_type_is_ranked(t) &&
            (t->count != rank ||
             (rank && memcmp(t->dims, shape, rank * sizeof *shape) != 0))) {
            tw_strbuf have = {0}, want = {0};
            put_shape(&have, t->dims, t->count);
            put_shape(&want, shape, rank);
            ir_op_error(
                op,
                "result shape (%s) doesn't match expected shape after broadcasting (%s)",
                tw_strbuf_text(&have), tw_strbuf_text(&want));
            tw_strbuf_free(&have);
            tw_strbuf_free(&want);
            return false;
        }
    }
    return true;
}

/* Names with a blank behind each comma. */
static void put_names(tw_strbuf *out, tw_str names)
{
    for (size_t i = 0; i < names.size; i++) {
        tw_strbuf_putc(out, names.data[i]);
        if (names.data[i] == ',' && i + 1 < names.size && names.data[i + 1] != ' ')
            tw_strbuf_putc(out, ' ');
    }
}

/* AllTypesMatch(a,b), AllShapesMatch, AllElementTypesMatch, AllRanksMatch, HasParent. */
static ir_type named_type(ir_op *op, tw_str name)
{
    size_t start, count;
    for (uint32_t i = 0; i < op->def->operands.count; i++)
        if (tw_str_is(name, op->def->operands.at[i].name))
            return ir_op_operand_group(op, i, &start, &count) && count
                       ? op->operands[start].value->type
                       : NULL;
    for (uint32_t i = 0; i < op->def->results.count; i++)
        if (tw_str_is(name, op->def->results.at[i].name))
            return ir_op_result_group(op, i, &start, &count) && count
                       ? op->results[start].type
                       : NULL;
    ir_attr a = ir_op_attr_str(op, name);
    return a && a->kind != IR_ATTR_DENSE_ARRAY ? a->type : NULL;
}

static bool equal_type(ir_type a, ir_type b)
{
    return a == b;
}

static bool equal_rank(ir_type a, ir_type b)
{
    return !ir_type_is_ranked(a) || !ir_type_is_ranked(b) || a->count == b->count;
}

/* What the k-th rule that equates types says of itself: the k-th Says(...). */
static tw_str says(const ir_op_def *def, tw_str rule)
{
    int k = 0;
    for (const char *c = def->rules; c < rule.data;) {
        k +=
            strncmp(c, "AllTypesMatch(", 14) == 0 || strncmp(c, "TypesMatchWith(", 15) == 0;
        c = strchr(c, ';') + 1;
    }
    for (const char *c = def->rules; c;) {
        const char *end = strchr(c, ';');
        if (strncmp(c, "Says(", 5) == 0 && k-- == 0)
            return (tw_str){c + 5, (end ? (size_t)(end - c) : strlen(c)) - 6};
        c = end ? end + 1 : NULL;
    }
    return TW_STR("types match");
}

/* TypesMatchWith(from->to:how): a type that another gives. */
static bool types_match_with(ir_op *op, tw_str rule)
{
    tw_str args = {rule.data + 15, rule.size - 16};
    const char *arrow = memmem(args.data, args.size, "->", 2);
    const char *colon = memchr(args.data, ':', args.size);
    tw_str how = {colon + 1, (size_t)(args.data + args.size - colon - 1)};
    ir_type from = named_type(op, (tw_str){args.data, (size_t)(arrow - args.data)});
    ir_type to = named_type(op, (tw_str){arrow + 2, (size_t)(colon - arrow - 2)});
    ir_type want = !from                             ? NULL
                   : tw_str_is(how, "same")          ? from
                   : tw_str_is(how, "element-type")  ? ir_type_element(from)
                   : tw_str_is(how, "i1-same-shape") ? ir_type_i1_like(from)
                                                     : NULL;
    if (!want || !to || want == to)
        return true;
    tw_str text = says(op->def, rule);
    return ir_op_error(op, "failed to verify that %.*s", (int)text.size, text.data);
}

static bool check_parent(ir_op *op, tw_str names)
{
    const ir_op *parent = ir_op_parent(op);
    if (!parent || (parent->def->traits & IR_UNREGISTERED))
        return true;
    for (const char *c = names.data, *end = c + names.size; c < end;) {
        const char *comma = memchr(c, ',', (size_t)(end - c)), *stop = comma ? comma : end;
        if (!memchr(c, '.', (size_t)(stop - c)) ||
            tw_str_is((tw_str){c, (size_t)(stop - c)}, parent->def->name))
            return true;
        for (c = stop; c < end && (*c == ',' || *c == ' ');)
            c++;
    }
    bool several = memchr(names.data, ',', names.size);
    return ir_op_error(op, "expects parent op %s'%.*s'", several ? "to be one of " : "",
                       (int)names.size, names.data);
}

/* Of casts: not even a dynamic size may become a static one. */
static bool check_tensor_dims(ir_op *op)
{
    ir_type in = op->n_operands ? op->operands[0].value->type : NULL;
    ir_type out = op->n_results ? op->results[0].type : NULL;
    if (!in || !out || in->kind != IR_TYPE_TENSOR || out->kind != IR_TYPE_TENSOR)
        return true;
    bool same =
        in->count == out->count &&
        (!in->count || memcmp(in->dims, out->dims, in->count * sizeof *in->dims) == 0);
    return same || ir_op_error(op, "failed to verify that input and output have the same "
                                   "tensor dimensions");
}

static bool equal_shape(ir_type a, ir_type b)
{
    return !ir_type_is_ranked(a) || !ir_type_is_ranked(b) ||
           (a->count == b->count &&
            (!a->count || memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0));
}

/* AllMatch(a,b,c): lists of numbers of the same length. */
static bool check_lengths(ir_op *op, tw_str names)
{
    uint32_t first = 0, n = 0;
    for (const char *c = names.data, *end = c + names.size; c < end; n++) {
        const char *comma = memchr(c, ',', (size_t)(end - c)), *stop = comma ? comma : end;
        ir_attr list = ir_op_attr_str(op, (tw_str){c, (size_t)(stop - c)});
        uint32_t length = list ? list->count : 0;
        if (n && length != first) {
            tw_strbuf text = {0};
            put_names(&text, names);
            ir_op_error(op, "failed to verify that all of {%s} have same size",
                        tw_strbuf_text(&text));
            tw_strbuf_free(&text);
            return false;
        }
        first = length;
        c = stop + 1;
    }
    return true;
}

/* Of a selection: one bit decides, or one for each element. */
static bool check_condition(ir_op *op)
{
    ir_type by = named_type(op, TW_STR("condition"));
    ir_type of = named_type(op, TW_STR("result"));
    return !by || !of || ir_type_is_signless(by, 1) ||
           (ir_type_is_shaped(by) && ir_type_is_shaped(of) &&
            ir_type_is_ranked(by) == ir_type_is_ranked(of) && equal_shape(by, of)) ||
           ir_op_error(op, "failed to verify that condition is signless i1 or has matching "
                           "shape");
}

static bool check_rule(ir_op *op, tw_str rule)
{
    static const struct {
        const char *name, *what;
        bool (*agree)(ir_type, ir_type);
    } table[] = {{"AllTypesMatch(", "type", equal_type},
                 {"AllShapesMatch(", "shape", equal_shape},
                 {"AllElementTypesMatch(", "element type", same_element},
                 {"AllRanksMatch(", "rank", equal_rank}};
    for (size_t k = 0; k < TW_COUNT(table); k++) {
        size_t n = strlen(table[k].name);
        if (rule.size <= n || strncmp(rule.data, table[k].name, n) != 0)
            continue;
        tw_str args = {rule.data + n, rule.size - n - 1};
        ir_type first = NULL;
        const char *c = args.data, *end = c + args.size;
        while (c < end) {
            const char *comma = memchr(c, ',', (size_t)(end - c));
            const char *stop = comma ? comma : end;
            while (c < stop && *c == ' ')
                c++;
            ir_type t = named_type(op, (tw_str){c, (size_t)(stop - c)});
            if (t && first && !table[k].agree(first, t)) {
                tw_strbuf names = {0};
                put_names(&names, args);
                ir_op_error(op, "failed to verify that all of {%s} have same %s",
                            tw_strbuf_text(&names), table[k].what);
                tw_strbuf_free(&names);
                return false;
            }
            first = first ? first : t;
            c = stop + 1;
        }
    }
    if (tw_str_is(rule, "pred:SameInputOutputTensorDims"))
        return check_tensor_dims(op);
    if (tw_str_is(rule, "pred:BooleanConditionOrMatchingShape"))
        return check_condition(op);
    if (rule.size > 16 && strncmp(rule.data, "TypesMatchWith(", 15) == 0)
        return types_match_with(op, rule);
    if (rule.size > 9 && strncmp(rule.data, "AllMatch(", 9) == 0)
        return check_lengths(op, (tw_str){rule.data + 9, rule.size - 10});
    if (rule.size > 10 && strncmp(rule.data, "HasParent(", 10) == 0)
        return check_parent(op, (tw_str){rule.data + 10, rule.size - 11});
    return true;
}

static bool check_rules(ir_op *op)
{
    for (const char *c = op->def->rules; c && *c;) {
        const char *end = strchr(c, ';');
        size_t n = end ? (size_t)(end - c) : strlen(c);
        if (!check_rule(op, (tw_str){c, n}))
            return false;
        c = end ? end + 1 : NULL;
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
                ok = ir_error(op->ctx, o->loc, "redefinition of symbol named '%s'",
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

/* ---- dominance ---------------------------------------------------------------------- */

/* Dominators by the simple data-flow method: region CFGs here have few blocks. */
static bool block_dominates(ir_region *region, ir_block *a, ir_block *b)
{
    if (a == b || a == region->first)
        return true;
    /* a dominates b iff b cannot be reached from the entry without passing a */
    size_t count = 0;
    for (ir_block *x = region->first; x; x = x->next)
        x->order = (uint32_t)count++;
    bool *reached = tw_xcalloc(count, 1);
    ir_block **stack = tw_xmalloc(count * sizeof *stack);
    size_t top = 0;
    stack[top++] = region->first;
    reached[0] = true;
    while (top) {
        ir_block *x = stack[--top];
        for (uint16_t i = 0; x->last && i < x->last->n_successors; i++) {
            ir_block *next = x->last->successors[i];
            if (next != a && next->region == region && !reached[next->order]) {
                reached[next->order] = true;
                stack[top++] = next;
            }
        }
    }
    bool result = !reached[b->order];
    free(reached);
    free(stack);
    return result;
}

static bool is_graph(const ir_op *op)
{
    return op && (op->def->traits & (IR_GRAPH_REGION | IR_UNREGISTERED));
}

/* Does the value's definition come before this use? Climbs from the user to the value's
 * region. */
static bool dominates(ir_value *v, ir_op *user)
{
    ir_block *home = ir_value_block(v);
    if (!home)
        return false;
    ir_op *at = user;
    while (at && (!at->block || at->block->region != home->region)) {
        at = ir_op_parent(at);
        if (!at)
            return false;
    }
    if (!at)
        return false;
    ir_op *def = ir_value_def(v);
    if (is_graph(home->region->owner))
        return true;
    if (at->block != home)
        return block_dominates(home->region, home, at->block);
    return !def || (def != at && def->order < at->order);
}

/* Relies on the order that verify_op gave the operations. */
static bool check_dominance(ir_op *op)
{
    bool ok = true;
    for (uint16_t r = 0; r < op->n_regions; r++) {
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next) {
                for (uint32_t i = 0; i < o->n_operands; i++) {
                    ir_value *v = o->operands[i].value;
                    ir_op *def = ir_value_def(v);
                    /* the common case first: same block, earlier */
                    if (TW_LIKELY(def ? def->block == b && def->order < o->order
                                      : v->owner == b))
                        continue;
                    if (!dominates(v, o)) {
                        ok = ir_op_error(o, "operand #%u does not dominate this use", i);
                        if (def)
                            ir_note(op->ctx, def->loc, "operand defined here (op %s)",
                                    def->block == b ? "in the same block"
                                                    : "in another region");
                        break;
                    }
                }
                if (ok && o->n_regions && !check_dominance(o))
                    ok = false;
            }
    }
    return ok;
}

/* An isolated operation's regions use nothing from outside. */
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

/* ---- the whole ---------------------------------------------------------------------- */

/* The dialect whose prefix an attribute's name has; NULL without one that is known. */
static const ir_dialect *dialect_of_attr(ir_context *ctx, ir_ident name)
{
    const char *dot = memchr(name->text, '.', name->size);
    return dot ? ir_context_dialect(ctx, (tw_str){name->text, (size_t)(dot - name->text)})
               : NULL;
}

static bool check_discardable(ir_op *op)
{
    for (uint32_t i = 0; op->attrs && i < op->attrs->count; i++) {
        const ir_dialect *d = dialect_of_attr(op->ctx, op->attrs->entries[i].name);
        if (d && d->verify_discardable && !d->verify_discardable(op, op->attrs->entries[i]))
            return false;
    }
    return true;
}

static bool check_function_attrs(ir_op *op, bool results)
{
    ir_attr list = ir_op_attr(op, results ? "res_attrs" : "arg_attrs");
    for (uint32_t i = 0; ir_attr_is(list, IR_ATTR_ARRAY) && i < list->count; i++) {
        ir_attr dict = list->items[i];
        for (uint32_t k = 0; ir_attr_is(dict, IR_ATTR_DICT) && k < dict->count; k++) {
            const ir_dialect *d = dialect_of_attr(op->ctx, dict->entries[k].name);
            if (d && d->verify_function_attr &&
                !d->verify_function_attr(op, results, i, dict->entries[k]))
                return false;
        }
    }
    return true;
}

static bool check_row(ir_op *op)
{
    const ir_op_def *def = op->def;
    if (def->traits & IR_UNREGISTERED) {
        if (ir_context_allows_unregistered(op->ctx))
            return true;
        const char *dot = strchr(def->name, '.');
        ir_error(op->ctx, op->loc,
                 "unregistered operation '%s' found in dialect ('%.*s') that does not "
                 "allow unknown operations",
                 def->name, dot ? (int)(dot - def->name) : 0, def->name);
        ir_help_op_name(op->ctx, tw_str_from(def->name));
        return false;
    }
    if (op->attrs && !check_discardable(op))
        return false;
    if (!check_counts(op) || !check_attrs(op) || !check_segments(op, true) ||
        !check_segments(op, false) || !check_types(op, true) || !check_types(op, false) ||
        !check_regions(op) || !check_rules(op) || !check_traits(op) ||
        !check_broadcastable(op) ||
        ((def->traits & IR_ELEMENTWISE) && !check_elementwise(op)))
        return false;
    if (op->n_regions && !check_terminators(op))
        return false;
    if ((def->traits & IR_FUNCTION_LIKE) &&
        (!check_function_attrs(op, false) || !check_function_attrs(op, true)))
        return false;
    return !def->verify || def->verify(op);
}

static bool verify_op(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (!op->operands[i].value)
            return ir_op_error(op, "null operand found");
    if (op->block && op->n_successors && op->next)
        return ir_op_error(op, "must be the last operation in its block");
    if ((op->def->traits & IR_TERMINATOR) && op->next)
        return ir_op_error(op, "must be the last operation in the parent block");
    if (!check_row(op))
        return false;
    bool ok = true;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next) {
            uint32_t order = 0;
            for (ir_op *o = b->first; o; o = o->next) {
                o->order = order++;
                ok &= verify_op(o);
            }
        }
    if (!ok)
        return false;
    if ((op->def->traits & IR_SYMBOL_TABLE) && op->n_regions &&
        (!check_symbol_table(op) || !check_symbol_users(op)))
        return false;
    if (op->n_regions && (op->def->traits & IR_ISOLATED) && !check_isolated(op, op))
        return false;
    return !op->def->verify_regions || op->def->verify_regions(op);
}

bool ir_verify(ir_op *op)
{
    return verify_op(op) && check_dominance(op);
}
