/* irgen.c: random modules: functions of random operations, drawn from the tables. */
#include "irgen.h"
#include "dialect/func/func.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_VALUES = 16, TRIES = 12, OPS_IN_FUNCTION = 8 };

typedef struct maker {
    irgen g;
    const ir_op_def **rows;
    size_t n_rows, rows_capacity;
    ir_value **values; /* what an operation may use, outermost first */
    size_t n_values, values_capacity, first_visible;
    ir_block *entry; /* of the function: values that are missing become its arguments */
    int nesting;
} maker;

/* Whether the other users of its operands stand it: some want to be the only one. */
static bool users_agree(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        for (ir_operand *use = op->operands[i].value->uses; use; use = use->next_use)
            if (use->owner != op && !ir_verify(use->owner))
                return false;
    return true;
}

static bool random_op(maker *m, ir_block *block);

/* ---- rows --------------------------------------------------------------------------- */

static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : "")
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == 0))
            return true;
    return !list;
}

static void collect_rows(maker *m, const char *dialects)
{
    const uint64_t unfit = IR_TERMINATOR | IR_FUNCTION_LIKE | IR_SYMBOL | IR_SYMBOL_TABLE;
    for (size_t d = 0; d < ir_context_dialect_count(m->g.ctx); d++) {
        const ir_dialect *dialect = ir_context_dialect_at(m->g.ctx, d);
        for (uint32_t i = 0; listed(dialects, dialect->name) && i < dialect->ops.count;
             i++) {
            const ir_op_def *def = &dialect->ops.at[i];
            if (!(def->traits & unfit) && !def->successors.count)
                TW_PUSH(m->rows, m->n_rows, m->rows_capacity, def);
        }
    }
}

/* ---- values ------------------------------------------------------------------------- */

static void see(maker *m, ir_value *value)
{
    TW_PUSH(m->values, m->n_values, m->values_capacity, value);
}

static ir_value *value_of(maker *m, ir_type type)
{
    for (size_t i = m->n_values; i-- > m->first_visible;)
        if (m->values[i]->type == type && irgen_chance(&m->g, 70))
            return m->values[i];
    if (m->first_visible)
        return NULL;
    ir_value *arg = ir_block_add_arg(m->g.ctx, m->entry, type, IR_LOC_UNKNOWN);
    see(m, arg);
    return arg;
}

/* ---- one operation ------------------------------------------------------------------ */

typedef struct draft {
    const ir_op_def *def;
    ir_value *operands[MOST_VALUES];
    ir_type types[MOST_VALUES], results[MOST_VALUES];
    size_t n_operands, n_results;
    int32_t operand_sizes[MOST_VALUES], result_sizes[MOST_VALUES];
    ir_named_attr attrs[MOST_VALUES];
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
            if (!type || d->n_operands == MOST_VALUES)
                return false;
            d->types[d->n_operands] = type;
            if (!(d->operands[d->n_operands] = value_of(m, type)))
                return false;
            d->n_operands++;
        }
    }
    return true;
}

static bool draw_attrs(maker *m, draft *d)
{
    for (uint32_t i = 0; i < d->def->attrs.count; i++) {
        const ir_attr_use *use = &d->def->attrs.at[i];
        if ((use->optional || use->deflt) && irgen_chance(&m->g, 60))
            continue;
        ir_attr value = irgen_attr(&m->g, use->type);
        if (!value && !use->optional && !use->deflt)
            return false;
        if (value && d->n_attrs + 3 < MOST_VALUES)
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
    ir_attr props[MOST_VALUES * 2] = {0};
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
                   .n_results = MOST_VALUES};
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
            if (!type || d->n_results == MOST_VALUES)
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
    ir_value *operands[MOST_VALUES];
    size_t n = 0;
    if (!def)
        return;
    for (uint32_t i = 0; i < op->n_results && def->operands.count; i++) {
        ir_type type = op->results[i].type;
        if (irgen_chance(&m->g, 30))
            type = ir_type_element(type);
        if (!(operands[n] = value_of(m, type)))
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
        see(m, ir_block_add_arg(m->g.ctx, block, ir_index_type(m->g.ctx), op->loc));
    if (kind == 3)
        for (uint32_t i = 0; i < op->n_results; i++)
            see(m, ir_block_add_arg(m->g.ctx, block, op->results[i].type, op->loc));
    for (uint32_t i = 0; (kind == 1 || kind == 2) && i < op->n_operands; i++) {
        ir_type type = ir_op_operand(op, i)->type;
        see(m, ir_block_add_arg(m->g.ctx, block, kind == 1 ? type : ir_type_element(type),
                                op->loc));
    }
}

static void fill_regions(maker *m, ir_op *op)
{
    size_t values = m->n_values, visible = m->first_visible;
    m->nesting++;
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
            random_op(m, block);
        if (!(op->def->traits & IR_NO_TERMINATOR))
            add_terminator(m, op, block);
        m->n_values = values;
        m->first_visible = visible;
    }
    m->nesting--;
}

/* ---- trying ------------------------------------------------------------------------- */

static ir_op *draw_op(maker *m, const ir_op_def *def)
{
    draft d = {.def = def};
    ir_type i32 = ir_integer_type(m->g.ctx, 32, IR_SIGNLESS);
    if (def->operands.count > MOST_VALUES || def->results.count > MOST_VALUES)
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
                         .operands = d.operands,
                         .n_operands = d.n_operands,
                         .results = d.results,
                         .n_results = d.n_results,
                         .attrs = d.attrs,
                         .n_attrs = d.n_attrs,
                         .n_regions = def->regions.count};
    return ir_op_create(m->g.ctx, &state);
}

static bool random_op(maker *m, ir_block *block)
{
    const ir_op_def *def = m->rows[irgen_below(&m->g, (uint32_t)m->n_rows)];
    if (def->regions.count && m->nesting >= 2)
        return false;
    for (int tries = 0; tries < TRIES; tries++) {
        ir_op *op = draw_op(m, def);
        if (!op)
            continue;
        ir_block_append(block, op);
        fill_regions(m, op);
        if (ir_verify(op) && users_agree(op)) {
            for (uint32_t i = 0; i < op->n_results; i++)
                see(m, &op->results[i]);
            return true;
        }
        ir_op_erase(op);
    }
    return false;
}

static void random_function(maker *m, ir_block *body, int number, int ops)
{
    ir_context *ctx = m->g.ctx;
    char name[16];
    snprintf(name, sizeof name, "f%d", number);
    ir_builder b = ir_builder_at_end(ctx, body, IR_LOC_UNKNOWN);
    ir_type empty = ir_function_type(ctx, NULL, 0, NULL, 0);
    ir_op *func = ir_build_op(&b, FUNC_OP(func), NULL, 0, NULL, 0,
                              IR_ATTRS({"sym_name", ir_string_attr(ctx, tw_str_from(name))},
                                       {"function_type", ir_type_attr(empty)}),
                              1);
    m->entry = ir_block_create(ctx);
    m->n_values = 0;
    ir_region_append(&func->regions[0], m->entry);
    for (int i = 0; i < ops; i++)
        random_op(m, m->entry);
    ir_op_state end = {.def = FUNC_OP(return )};
    ir_block_append(m->entry, ir_op_create(ctx, &end));
    ir_type *types = tw_xmalloc((m->entry->n_args + 1) * sizeof *types);
    for (uint32_t i = 0; i < m->entry->n_args; i++)
        types[i] = m->entry->args[i]->type;
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(ctx, types, m->entry->n_args, NULL, 0)));
    free(types);
}

/* ---- what others made invalid ------------------------------------------------------- */

/* An operation may be valid where it stands alone and not among those that come later: a
 * second user, a function that gets arguments.  Takes such out, and what uses them. */
static bool take_out_invalid(ir_block *block)
{
    bool any = false;
    ir_mapping *doomed = ir_mapping_create();
    for (ir_op *op = block->first; op; op = op->next) {
        bool bad = !ir_verify(op);
        for (uint32_t i = 0; i < op->n_operands; i++) {
            ir_op *def = ir_value_def(ir_op_operand(op, i));
            bad |= def && ir_mapping_get(doomed, def);
        }
        if (bad && op != block->last)
            ir_mapping_set(doomed, op, op);
    }
    for (ir_op *op = block->last, *before; op; op = before) {
        before = op->prev;
        bool used = false;
        for (uint32_t i = 0; i < op->n_results; i++)
            used |= !ir_value_unused(&op->results[i]);
        if (ir_mapping_get(doomed, op) && !used) {
            ir_op_erase(op);
            any = true;
        }
    }
    ir_mapping_free(doomed);
    return any;
}

static void settle(ir_op *module)
{
    for (bool again = true; again && !ir_verify(module);) {
        again = false;
        for (ir_op *f = ir_op_body(module, 0)->first; f; f = f->next)
            again |= take_out_invalid(f->regions[0].first);
    }
}

/* ---- breaking ----------------------------------------------------------------------- */

typedef struct victim {
    int64_t left;
    ir_op *op;
} victim;

static ir_walk find_victim(ir_op *op, void *user)
{
    victim *v = user;
    if (strncmp(op->def->name, "func.", 5) == 0 ||
        strncmp(op->def->name, "builtin.", 8) == 0)
        return IR_WALK_ON;
    v->op = op;
    return v->left-- > 0 ? IR_WALK_ON : IR_WALK_STOP;
}

/* A value of another type, an attribute that is missing or another, a type changed. */
static void break_one(maker *m, ir_op *module)
{
    victim v = {irgen_below(&m->g, 40), NULL};
    ir_walk_pre(module, find_victim, &v);
    if (!v.op)
        return;
    uint32_t kind = irgen_below(&m->g, 3);
    if (kind == 0 && v.op->n_operands) {
        ir_block *block = v.op->block;
        ir_op *parent = ir_op_parent(v.op);
        if (ir_op_is(parent, FUNC_OP(func)) && block->n_args)
            ir_op_set_operand(v.op, irgen_below(&m->g, v.op->n_operands),
                              block->args[irgen_below(&m->g, block->n_args)]);
    } else if (kind == 1 && v.op->def->attrs.count) {
        const ir_attr_use *use =
            &v.op->def->attrs.at[irgen_below(&m->g, v.op->def->attrs.count)];
        ir_attr value =
            irgen_chance(&m->g, 50) ? irgen_attr(&m->g, use->type) : irgen_any_attr(&m->g);
        ir_op_set_attr(v.op, use->name, irgen_chance(&m->g, 20) ? NULL : value);
    } else if (v.op->n_results) {
        ir_value *result = &v.op->results[irgen_below(&m->g, v.op->n_results)];
        ir_type type = irgen_any_type(&m->g);
        if (type && ir_value_unused(result))
            result->type = type;
    }
}

ir_op *irgen_module(ir_context *ctx, const irgen_options *options)
{
    maker m = {.g = {.ctx = ctx, .state = options->seed, .plain = options->plain}};
    ir_diagnostic_sink sink = ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    ir_op *module = ir_module_create(ctx, IR_LOC_UNKNOWN);
    collect_rows(&m, options->dialects);
    for (int i = 0, left = options->ops; left > 0 && m.n_rows; i++) {
        random_function(&m, ir_op_body(module, 0), i, TW_MIN(left, OPS_IN_FUNCTION));
        left -= OPS_IN_FUNCTION;
    }
    settle(module);
    if (options->broken)
        break_one(&m, module);
    ir_context_set_sink(ctx, sink);
    free(m.rows);
    free(m.values);
    return module;
}
