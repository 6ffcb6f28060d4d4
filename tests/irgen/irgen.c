/* irgen.c: random operations, drawn from the tables. */
#include "irgen.h"
#include "mlir/linalg/linalg.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_VALUES = 16, TRIES = 12 };

typedef irgen_maker maker;

/* True if the other users of its operands allow another user: some require to be the only
 * one. */
static bool users_agree(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        for (ir_operand *use = op->operands[i].value->uses; use; use = use->next_use)
            if (use->owner != op && !ir_verify(use->owner))
                return false;
    return true;
}

/* ---- values ------------------------------------------------------------------------- */

void irgen_see(maker *m, ir_value *value)
{
    TW_PUSH(m->values, m->n_values, m->values_capacity, value);
}

ir_value *irgen_value_of(maker *m, ir_type type)
{
    for (size_t i = m->n_values; i-- > m->first_visible;)
        if (m->values[i]->type == type && irgen_chance(&m->g, 70))
            return m->values[i];
    if (m->first_visible || !m->entry)
        return NULL;
    ir_value *arg = ir_block_add_arg(m->g.ctx, m->entry, type, irgen_loc(&m->g));
    irgen_see(m, arg);
    return arg;
}

/* ---- one operation ------------------------------------------------------------------ */

typedef struct draft {
    const ir_op_def *def;
    ir_value *operands[MAX_VALUES];
    ir_type types[MAX_VALUES], results[MAX_VALUES];
    size_t n_operands, n_results;
    int32_t operand_sizes[MAX_VALUES], result_sizes[MAX_VALUES];
    ir_named_attr attrs[MAX_VALUES];
    size_t n_attrs;
} draft;

static void add_attr(maker *m, draft *d, const char *name, ir_attr value)
{
    d->attrs[d->n_attrs++] =
        (ir_named_attr){ir_ident_get(m->g.ctx, tw_str_from(name)), value};
}

static uint32_t how_many(maker *m, ir_arity arity)
{
    return arity == IR_ONE        ? 1
           : arity == IR_OPTIONAL ? irgen_below(&m->g, 2)
                                  : irgen_below(&m->g, 4);
}

/* Often the type of an earlier operand, or that with i1 as its element. */
static ir_type type_for(maker *m, const draft *d, const ir_constraint *c)
{
    if (d->n_operands && irgen_chance(&m->g, 75)) {
        ir_type type = d->types[irgen_below(&m->g, (uint32_t)d->n_operands)];
        if (ir_type_satisfies(type, c))
            return type;
        if (ir_type_is_shaped(type) && type->kind != IR_TYPE_MEMREF) {
            ir_type other = ir_type_with_element(
                type, irgen_chance(&m->g, 50) ? ir_integer_type(m->g.ctx, 1, IR_SIGNLESS)
                                              : m->g.element);
            if (ir_type_satisfies(other, c))
                return other;
        }
    }
    return irgen_type(&m->g, c);
}

static bool draw_operands(maker *m, draft *d)
{
    for (uint32_t i = 0; i < d->def->operands.count; i++) {
        const ir_operand_def *row = &d->def->operands.at[i];
        uint32_t n = how_many(m, row->arity);
        d->operand_sizes[i] = (int32_t)n;
        for (uint32_t k = 0; k < n; k++) {
            ir_type type = type_for(m, d, row->type);
            if (!type || d->n_operands == MAX_VALUES)
                return false;
            d->types[d->n_operands] = type;
            if (!(d->operands[d->n_operands] = irgen_value_of(m, type)))
                return false;
            d->n_operands++;
        }
    }
    return true;
}

static ir_attr new_name(maker *m)
{
    char name[16];
    snprintf(name, sizeof name, "s%d", m->named++);
    return ir_string_attr(m->g.ctx, tw_str_from(name));
}

static bool draw_attrs(maker *m, draft *d)
{
    for (uint32_t i = 0; i < d->def->attrs.count; i++) {
        const ir_attr_use *use = &d->def->attrs.at[i];
        bool needed = !use->optional && !use->deflt;
        if (!needed && (irgen_chance(&m->g, 60) || irgen_left_out(m, d->def, use)))
            continue;
        ir_attr value =
            strcmp(use->name, "sym_name") == 0 ? new_name(m) : irgen_attr(&m->g, use->type);
        if (!value && needed)
            return false;
        if (value && d->n_attrs + 3 < MAX_VALUES)
            add_attr(m, d, use->name, value);
    }
    if (irgen_chance(&m->g, 5))
        add_attr(m, d, "irgen.extra", irgen_any_attr(&m->g));
    if (d->n_attrs && !d->attrs[d->n_attrs - 1].value)
        d->n_attrs--;
    return true;
}

static bool infer_results(maker *m, draft *d)
{
    ir_attr props[MAX_VALUES * 2] = {0};
    if (ir_def_n_props(d->def) > TW_COUNT(props))
        return false;
    for (size_t i = 0; i < d->n_attrs; i++) {
        size_t slot = ir_def_prop_index(d->def, ir_ident_str(d->attrs[i].name));
        if (slot != SIZE_MAX)
            props[slot] = d->attrs[i].value;
    }
    ir_infer in = {.ctx = m->g.ctx,
                   .def = d->def,
                   .operands = d->operands,
                   .n_operands = d->n_operands,
                   .props = props,
                   .results = d->results,
                   .n_results = MAX_VALUES};
    if (!d->def->infer(&in))
        return false;
    d->n_results = in.n_results;
    return true;
}

static bool draw_results(maker *m, draft *d)
{
    if (d->def->infer && !d->def->regions.count)
        return infer_results(m, d);
    for (uint32_t i = 0; i < d->def->results.count; i++) {
        const ir_operand_def *row = &d->def->results.at[i];
        uint32_t n = how_many(m, row->arity);
        d->result_sizes[i] = (int32_t)n;
        for (uint32_t k = 0; k < n; k++) {
            ir_type type = type_for(m, d, row->type);
            if (!type || d->n_results == MAX_VALUES)
                return false;
            d->results[d->n_results++] = type;
        }
    }
    return true;
}

/* ---- regions ------------------------------------------------------------------------ */

static const ir_op_def *terminator_of(maker *m, const ir_op *op)
{
    char name[128];
    tw_str implicit;
    if (ir_def_rule(op->def, "SingleBlockImplicitTerminator", &implicit))
        return ir_context_op_def(m->g.ctx, implicit);
    snprintf(name, sizeof name, "%.*s.yield", (int)strcspn(op->def->name, "."),
             op->def->name);
    return ir_context_op_def(m->g.ctx, tw_str_from(name));
}

static void add_terminator(maker *m, ir_op *op, ir_block *block)
{
    const ir_op_def *def = terminator_of(m, op);
    ir_value *operands[MAX_VALUES];
    size_t n = 0;
    if (!def)
        return;
    for (uint32_t i = 0; i < op->n_results && def->operands.count; i++) {
        ir_type type = op->results[i].type;
        if (irgen_chance(&m->g, 30))
            type = ir_type_element(type);
        if (!(operands[n] = irgen_value_of(m, type)))
            return;
        n++;
    }
    ir_op_state state = {.def = def, .operands = operands, .n_operands = n};
    ir_block_append(block, ir_op_create(m->g.ctx, &state));
}

/* No arguments, those of the operands' types or elements, or a loop's. */
static void add_arguments(maker *m, ir_op *op, ir_block *block)
{
    uint32_t kind = irgen_below(&m->g, 4);
    if (kind == 3)
        irgen_see(m, ir_block_add_arg(m->g.ctx, block, ir_index_type(m->g.ctx), op->loc));
    if (kind == 3)
        for (uint32_t i = 0; i < op->n_results; i++)
            irgen_see(m, ir_block_add_arg(m->g.ctx, block, op->results[i].type, op->loc));
    for (uint32_t i = 0; (kind == 1 || kind == 2) && i < op->n_operands; i++) {
        ir_type type = ir_op_operand(op, i)->type;
        irgen_see(m, ir_block_add_arg(m->g.ctx, block,
                                      kind == 1 ? type : ir_type_element(type), op->loc));
    }
}

static bool fill_regions(maker *m, ir_op *op)
{
    if (linalg_is_named(op->def))
        return linalg_make_body(op);
    size_t values = m->n_values, visible = m->first_visible;
    ir_block *entry = m->entry;
    m->nesting++;
    if (op->def->traits & IR_ISOLATED)
        m->entry = NULL;
    for (uint16_t r = 0; r < op->n_regions; r++) {
        const char *sized = op->def->regions.at[r].constraint;
        if (!(sized && strncmp(sized, "SizedRegion", 11) == 0) && irgen_chance(&m->g, 25))
            continue;
        if (op->def->traits & IR_ISOLATED)
            m->first_visible = m->n_values;
        ir_block *block = ir_block_create(m->g.ctx);
        ir_region_append(&op->regions[r], block);
        add_arguments(m, op, block);
        for (uint32_t n = irgen_below(&m->g, 3); n > 0 && m->nesting < 3; n--)
            irgen_random_op(m, block);
        if (!(op->def->traits & IR_NO_TERMINATOR))
            add_terminator(m, op, block);
        m->n_values = values;
        m->first_visible = visible;
    }
    m->nesting--;
    m->entry = entry;
    return true;
}

/* ---- trying ------------------------------------------------------------------------- */

static ir_op *draw_op(maker *m, const ir_op_def *def)
{
    draft d = {.def = def};
    ir_type i32 = ir_integer_type(m->g.ctx, 32, IR_SIGNLESS);
    if (def->operands.count > MAX_VALUES || def->results.count > MAX_VALUES)
        return NULL;
    irgen_new_shape(&m->g);
    if (!draw_operands(m, &d) || !draw_attrs(m, &d) || !draw_results(m, &d))
        return NULL;
    if (def->traits & IR_OPERAND_SEGMENTS)
        add_attr(m, &d, "operandSegmentSizes",
                 ir_dense_array(i32, d.operand_sizes, def->operands.count));
    if (def->traits & IR_RESULT_SEGMENTS)
        add_attr(m, &d, "resultSegmentSizes",
                 ir_dense_array(i32, d.result_sizes, def->results.count));
    ir_op_state state = {.def = def,
                         .loc = irgen_loc(&m->g),
                         .operands = d.operands,
                         .n_operands = d.n_operands,
                         .results = d.results,
                         .n_results = d.n_results,
                         .attrs = d.attrs,
                         .n_attrs = d.n_attrs,
                         .n_regions = def->regions.count};
    return ir_op_create(m->g.ctx, &state);
}

/* The next $name of a directive's arguments; NULL after the last. */
static const char *argument(const char *at, tw_str *out)
{
    at += strcspn(at, "$)");
    if (*at != '$')
        return NULL;
    *out = (tw_str){at + 1, strcspn(at + 1, ",) ")};
    return at + 1;
}

/* True if lists of integers and values match: as many values as the integers leave
 * dynamic. */
static bool lists_agree(const ir_op *op)
{
    static const char *const words[] = {"custom<DynamicIndexList>(",
                                        "custom<PackedOrDynamicIndexList>("};
    for (size_t k = 0; k < TW_COUNT(words); k++)
        for (const char *c = op->def->format; c && (c = strstr(c, words[k]));) {
            tw_str values, statics;
            size_t group = 0, start = 0, count = 0, holes = 0;
            c += strlen(words[k]);
            if ((k && !(c = argument(c, &values))) || !(c = argument(c, &values)) ||
                !(c = argument(c, &statics)))
                break;
            while (group < op->def->operands.count &&
                   !tw_str_is(values, op->def->operands.at[group].name))
                group++;
            ir_op_operand_group(op, group, &start, &count);
            ir_attr list = ir_op_attr_str(op, statics);
            for (uint32_t i = 0; list && i < list->count; i++)
                holes += ir_dense_array_int(list, i) == IR_DYNAMIC;
            ir_attr flags = argument(c, &statics) ? ir_op_attr_str(op, statics) : NULL;
            if (count != holes || (flags && flags->count != (list ? list->count : 0)))
                return false;
        }
    return true;
}

/* True unless custom form cannot express the operation, in MLIR either: it would be parsed
 * as something else or not at all. */
static bool has_custom_form(const ir_op *op)
{
    if (op->def->format && !lists_agree(op))
        return false;
    ir_type first = op->n_operands ? ir_op_operand(op, 0)->type : NULL;
    for (uint32_t i = 0; (op->def->traits & IR_SAME_TYPE) && i < op->n_operands; i++)
        if (ir_op_operand(op, i)->type != first)
            return false; /* compatible shapes */
    static const struct {
        const char *name;
        uint32_t least; /* operands */
        bool distinct;  /* names of the operands name the region's arguments */
        bool bare;      /* the region's arguments are not written */
        bool first;     /* the first group is present if any is */
        bool
            like; /* results have the first operand's type, which is the only one written */
    } rules[] = {{"emitc.expression", .distinct = true},
                 {"shape.assuming", .bare = true},
                 {"stablehlo.dynamic_slice", .least = 2},
                 {"stablehlo.reduce", .least = 1},
                 {"transform.print", .least = 1},
                 {"transform.sequence", .first = true},
                 {"transform.structured.split", .like = true}};
    for (size_t i = 0; i < TW_COUNT(rules); i++) {
        size_t start = 0, count = 0;
        if (strcmp(op->def->name, rules[i].name) != 0)
            continue;
        ir_op_operand_group(op, 0, &start, &count);
        if (op->n_operands < rules[i].least ||
            (rules[i].bare && op->regions[0].first->n_args) ||
            (rules[i].first && op->n_operands && !count))
            return false;
        for (uint32_t k = 0; rules[i].like && k < op->n_results; k++)
            if (op->results[k].type != first)
                return false;
        for (uint32_t a = 0; rules[i].distinct && a < op->n_operands; a++)
            for (uint32_t b = 0; b < a; b++)
                if (ir_op_operand(op, a) == ir_op_operand(op, b))
                    return false;
    }
    return true;
}

bool irgen_op(maker *m, ir_block *block, const ir_op_def *def)
{
    if (def->regions.count && m->nesting >= 2)
        return false;
    for (int tries = 0; tries < TRIES; tries++) {
        ir_op *op = draw_op(m, def);
        if (!op)
            continue;
        ir_block_append(block, op);
        if (fill_regions(m, op) && ir_verify(op) && users_agree(op) &&
            has_custom_form(op)) {
            for (uint32_t i = 0; i < op->n_results; i++)
                irgen_see(m, &op->results[i]);
            return true;
        }
        ir_op_erase(op);
    }
    return false;
}

bool irgen_random_op(maker *m, ir_block *block)
{
    return irgen_op(m, block, m->rows[irgen_below(&m->g, (uint32_t)m->n_rows)]);
}
