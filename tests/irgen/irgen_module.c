/* irgen_module.c: modules of random functions: blocks, symbols, removal of invalid
 * operations, breaking. */
#include "ir/text.h"
#include "irgen.h"
#include "mlir/cf/cf.h"
#include "mlir/func/func.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPS_IN_FUNCTION = 8, MAX_RESULTS = 3 };
typedef irgen_maker maker;

/* ---- rows --------------------------------------------------------------------------- */

bool irgen_listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : "")
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == 0))
            return true;
    return !list;
}

bool irgen_left_out(const maker *m, const ir_op_def *def, const ir_attr_use *use)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", def->name, use->name);
    return m->without && irgen_listed(m->without, name);
}

static void collect_rows(maker *m, const char *dialects, const char *without)
{
    const uint64_t unfit = IR_TERMINATOR | IR_FUNCTION_LIKE | IR_SYMBOL_TABLE;
    for (size_t d = 0; d < ir_context_dialect_count(m->g.ctx); d++) {
        const ir_dialect *dialect = ir_context_dialect_at(m->g.ctx, d);
        bool wanted = irgen_listed(dialects, dialect->name);
        for (uint32_t i = 0; wanted && i < dialect->ops.count; i++) {
            const ir_op_def *def = &dialect->ops.at[i];
            if ((def->traits & unfit) || def->successors.count ||
                (without && irgen_listed(without, def->name)))
                continue;
            if (!(def->traits & IR_SYMBOL))
                TW_PUSH(m->rows, m->n_rows, m->rows_capacity, def);
            else if (!def->operands.count)
                TW_PUSH(m->symbols, m->n_symbols, m->symbols_capacity, def);
        }
    }
}

/* ---- blocks ------------------------------------------------------------------------- */

static void append(maker *m, ir_block *block, const ir_op_state *state)
{
    ir_op_state with_loc = *state;
    with_loc.loc = irgen_loc(&m->g);
    ir_block_append(block, ir_op_create(m->g.ctx, &with_loc));
}

/* Draws values for the function's return, with their types. */
static size_t draw_results(maker *m, ir_value **out)
{
    size_t n = m->g.odd ? irgen_below(&m->g, MAX_RESULTS + 1) : 0;
    n = m->n_values ? n : 0;
    for (size_t i = 0; i < n; i++)
        out[i] = m->values[irgen_below(&m->g, (uint32_t)m->n_values)];
    return n;
}

/* The values passed to a block of these argument types. */
static void pass(maker *m, const ir_block *to, ir_value **out)
{
    for (uint32_t i = 0; i < to->n_args; i++)
        out[i] = irgen_value_of(m, to->args[i]->type);
}

static ir_block *new_block(maker *m, ir_region *body)
{
    ir_block *block = ir_block_create(m->g.ctx);
    ir_region_append(body, block);
    for (uint32_t n = irgen_below(&m->g, 3); n > 0 && m->n_values; n--) {
        ir_type type = m->values[irgen_below(&m->g, (uint32_t)m->n_values)]->type;
        ir_block_add_arg(m->g.ctx, block, type, irgen_loc(&m->g));
    }
    return block;
}

/* The entry branches to others, which return: one (cf.br), two (cf.cond_br). */
static void branch(maker *m, ir_region *body, ir_value **results, size_t n_results)
{
    ir_context *ctx = m->g.ctx;
    bool both = irgen_chance(&m->g, 50);
    ir_block *to[2] = {new_block(m, body), both ? new_block(m, body) : NULL};
    ir_value *operands[8];
    int32_t sizes[3] = {1, (int32_t)to[0]->n_args, both ? (int32_t)to[1]->n_args : 0};
    size_t at = 0;
    if (both)
        operands[at++] = irgen_value_of(m, ir_integer_type(ctx, 1, IR_SIGNLESS));
    pass(m, to[0], operands + at);
    if (both)
        pass(m, to[1], operands + at + to[0]->n_args);
    ir_named_attr segments = {
        ir_ident_get(ctx, TW_STR("operandSegmentSizes")),
        ir_dense_array(ir_integer_type(ctx, 32, IR_SIGNLESS), sizes, 3)};
    append(m, m->entry,
           &(ir_op_state){.def = both ? CF_OP(cond_br) : CF_OP(br),
                          .operands = operands,
                          .n_operands = at + to[0]->n_args + (both ? to[1]->n_args : 0),
                          .attrs = &segments,
                          .n_attrs = both,
                          .successors = to,
                          .n_successors = both ? 2 : 1});
    for (int i = 0; i <= both; i++) {
        size_t values = m->n_values;
        for (uint32_t k = 0; k < to[i]->n_args; k++)
            irgen_see(m, to[i]->args[k]);
        irgen_random_op(m, to[i]);
        append(m, to[i],
               &(ir_op_state){
                   .def = FUNC_OP(return ), .operands = results, .n_operands = n_results});
        m->n_values = values;
    }
}

/* ---- functions ---------------------------------------------------------------------- */

static void set_type(ir_op *func)
{
    ir_context *ctx = func->ctx;
    ir_block *entry = func->regions[0].first, *end = entry;
    while (end->next)
        end = end->next;
    ir_type *types = tw_xmalloc((entry->n_args + MAX_RESULTS + 1) * sizeof *types);
    uint32_t n = 0;
    for (uint32_t i = 0; i < entry->n_args; i++)
        types[i] = entry->args[i]->type;
    for (; n < end->last->n_operands; n++)
        types[entry->n_args + n] = ir_op_operand(end->last, n)->type;
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(ctx, types, entry->n_args,
                                                 types + entry->n_args, n)));
    free(types);
}

/* Dictionaries for some arguments. */
static void describe_arguments(maker *m, ir_op *func)
{
    ir_block *entry = func->regions[0].first;
    ir_attr *dicts = tw_xmalloc((entry->n_args + 1) * sizeof *dicts);
    for (uint32_t i = 0; i < entry->n_args; i++) {
        ir_named_attr one = {ir_ident_get(m->g.ctx, TW_STR("irgen.about")),
                             irgen_any_attr(&m->g)};
        dicts[i] =
            ir_dict_attr(m->g.ctx, &one, one.value && irgen_chance(&m->g, 30) ? 1 : 0);
    }
    ir_op_set_attr(func, "arg_attrs", ir_array_attr(m->g.ctx, dicts, entry->n_args));
    free(dicts);
}

static void random_function(maker *m, ir_block *body, int number, int ops, bool branches)
{
    ir_context *ctx = m->g.ctx;
    char name[16];
    ir_value *results[MAX_RESULTS];
    snprintf(name, sizeof name, "f%d", number);
    ir_builder b = ir_builder_at_end(ctx, body, irgen_loc(&m->g));
    ir_type empty = ir_function_type(ctx, NULL, 0, NULL, 0);
    ir_op *func = ir_build_op(&b, FUNC_OP(func), NULL, 0, NULL, 0,
                              IR_ATTRS({"sym_name", ir_string_attr(ctx, tw_str_from(name))},
                                       {"function_type", ir_type_attr(empty)}),
                              1);
    m->entry = ir_block_create(ctx);
    m->n_values = 0;
    ir_region_append(&func->regions[0], m->entry);
    for (int i = 0; i < ops; i++)
        irgen_random_op(m, m->entry);
    size_t n = draw_results(m, results);
    if (branches && irgen_chance(&m->g, 30))
        branch(m, &func->regions[0], results, n);
    else
        append(
            m, m->entry,
            &(ir_op_state){.def = FUNC_OP(return ), .operands = results, .n_operands = n});
    set_type(func);
    if (m->g.odd && m->entry->n_args && irgen_chance(&m->g, 30))
        describe_arguments(m, func);
    if (m->g.odd && number && irgen_chance(&m->g, 30))
        ir_op_set_attr(func, "sym_visibility", ir_string_attr(ctx, TW_STR("private")));
}

static void declare(maker *m, ir_block *body)
{
    ir_context *ctx = m->g.ctx;
    ir_type types[] = {m->g.element, irgen_any_type(&m->g), irgen_any_type(&m->g)};
    ir_builder b = ir_builder_at_end(ctx, body, irgen_loc(&m->g));
    if (!types[0] || !types[1] || !types[2])
        return;
    ir_attr type = ir_type_attr(ir_function_type(ctx, types, irgen_below(&m->g, 3),
                                                 types + 2, irgen_below(&m->g, 2)));
    ir_build_op(&b, FUNC_OP(func), NULL, 0, NULL, 0,
                IR_ATTRS({"sym_name", ir_string_attr(ctx, TW_STR("a declared one"))},
                         {"sym_visibility", ir_string_attr(ctx, TW_STR("private"))},
                         {"function_type", type}),
                1);
}

/* ---- operations invalidated by later ones ------------------------------------------- */

/* An operation may be valid alone and not among later ones: a second user, a function that
 * gets arguments, a symbol. */
typedef struct complaint {
    ir_op *module;
    ir_mapping *doomed;
} complaint;

static void doom(void *user, ir_context *ctx, const ir_diagnostic *d)
{
    complaint *c = user;
    ir_op *op = d->op;
    (void)ctx;
    if (!op || op->ctx != c->module->ctx)
        return;
    while (op != c->module && ir_op_parent(op) && ir_op_parent(op) != c->module &&
           ir_op_parent(ir_op_parent(op)) != c->module)
        op = ir_op_parent(op);
    ir_mapping_set(c->doomed, op, op);
}

/* Dooms users of doomed operations. */
static void doom_users(ir_op *func, ir_mapping *doomed)
{
    for (ir_block *b = func->regions[0].first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next)
            for (uint32_t i = 0; i < op->n_operands; i++) {
                ir_op *def = ir_value_def(ir_op_operand(op, i));
                if (def && ir_mapping_get(doomed, def))
                    ir_mapping_set(doomed, op, op);
            }
}

/* Including nested operations: a use inside of a region dooms the whole operation. */
static bool is_used(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!ir_value_unused(&op->results[i]))
            return true;
    return false;
}

static void drop_operands(ir_op *op)
{
    if (ir_op_is(op, FUNC_OP(return )))
        ir_op_splice_operands(op, 0, op->n_operands, NULL, 0);
}

static bool take_out(ir_op *func, ir_mapping *doomed)
{
    bool any = false;
    for (ir_block *b = func->regions[0].first; b; b = b->next)
        if (b->last)
            drop_operands(b->last);
    for (ir_block *b = func->regions[0].first; b; b = b->next)
        for (ir_op *op = b->last, *before; op; op = before) {
            before = op->prev;
            if (ir_mapping_get(doomed, op) && op != b->last && !is_used(op)) {
                ir_op_erase(op);
                any = true;
            }
        }
    if (func->regions[0].first && ir_op_is(func, FUNC_OP(func)))
        set_type(func);
    return any;
}

/* Where no operation is named: erases the last unused one. */
static bool take_last(ir_op *func)
{
    for (ir_block *b = func->n_regions ? func->regions[0].last : NULL; b; b = b->prev)
        for (ir_op *op = b->last ? b->last->prev : NULL; op; op = op->prev)
            if (!is_used(op)) {
                ir_op_erase(op);
                return true;
            }
    return false;
}

static void settle(ir_op *module)
{
    complaint c = {module, NULL};
    for (bool again = true; again;) {
        c.doomed = ir_mapping_create();
        ir_diagnostic_sink old =
            ir_context_set_sink(module->ctx, (ir_diagnostic_sink){doom, &c});
        again = !ir_verify(module);
        ir_flush_diagnostics(module->ctx);
        ir_context_set_sink(module->ctx, old);
        bool any = false;
        for (ir_op *f = ir_op_body(module, 0)->first, *next; again && f; f = next) {
            next = f->next;
            if (ir_op_is(f, FUNC_OP(func)) && f->regions[0].first) {
                doom_users(f, c.doomed);
                any |= take_out(f, c.doomed);
            } else if (ir_mapping_get(c.doomed, f)) {
                ir_op_erase(f);
                any = true;
            }
        }
        for (ir_op *f = ir_op_body(module, 0)->first; again && !any && f; f = f->next)
            any = take_last(f);
        ir_op *end = ir_op_body(module, 0)->last;
        if (again && !any && (any = end != NULL))
            ir_op_erase(end);
        again = again && any;
        ir_mapping_free(c.doomed);
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

static void break_operand(maker *m, ir_op *op)
{
    uint32_t i = irgen_below(&m->g, op->n_operands);
    ir_block *block = op->block;
    while (!ir_op_is(block->region->owner, FUNC_OP(func)))
        block = block->region->owner->block;
    if (op->n_operands > 1 && irgen_chance(&m->g, 40)) {
        uint32_t k = (i + 1) % op->n_operands;
        ir_value *other = ir_op_operand(op, k);
        ir_op_set_operand(op, k, ir_op_operand(op, i));
        ir_op_set_operand(op, i, other);
    } else if (block->n_args && !block->prev) {
        ir_op_set_operand(op, i, block->args[irgen_below(&m->g, block->n_args)]);
    }
}

/* Half of the changes are small: one more dimension, another element. */
static ir_type broken_type(maker *m, ir_type type)
{
    if (!ir_type_is_shaped(type) || irgen_chance(&m->g, 50))
        return irgen_any_type(&m->g);
    if (type->kind == IR_TYPE_MEMREF || irgen_chance(&m->g, 50)) {
        irgen_new_shape(&m->g);
        return irgen_any_type(&m->g);
    }
    return ir_type_with_element(type, m->g.element);
}

static void break_attr(maker *m, ir_op *op)
{
    const ir_attr_use *use = &op->def->attrs.at[irgen_below(&m->g, op->def->attrs.count)];
    if (irgen_left_out(m, op->def, use))
        return;
    ir_attr value =
        irgen_chance(&m->g, 50) ? irgen_attr(&m->g, use->type) : irgen_any_attr(&m->g);
    if (irgen_chance(&m->g, 20))
        value = NULL;
    if (value || !use->deflt) /* the parser adds an omitted attribute that has a default */
        ir_op_set_attr(op, use->name, value);
}

/* Replaces a value or exchanges two, drops or replaces an attribute, or changes a type. */
static void break_one(maker *m, ir_op *module)
{
    victim v = {irgen_below(&m->g, 12), NULL};
    ir_walk_pre(module, find_victim, &v);
    if (!v.op)
        return;
    uint32_t kind = irgen_below(&m->g, 3);
    if (kind == 0 && v.op->n_operands) {
        break_operand(m, v.op);
    } else if (kind == 1 && v.op->def->attrs.count) {
        break_attr(m, v.op);
    } else if (v.op->n_results) {
        ir_value *result = &v.op->results[irgen_below(&m->g, v.op->n_results)];
        ir_type type = broken_type(m, result->type);
        if (type && ir_value_unused(result))
            result->type = type;
    }
}

/* Registers the resources named by dense_resource (irgen_odd.c). */
static void add_resources(ir_context *ctx)
{
    ir_op *holder = ir_parse(ctx, tw_str_from(irgen_resources), "resources", NULL);
    if (holder)
        ir_op_erase(holder);
}

ir_op *irgen_module(ir_context *ctx, const irgen_options *options)
{
    maker m = {.g = {.ctx = ctx,
                     .state = options->seed,
                     .plain = options->plain,
                     .odd = options->odd,
                     .core = options->core,
                     .locations = options->odd}};
    m.without = options->without;
    ir_diagnostic_sink sink = ir_context_set_sink(ctx, (ir_diagnostic_sink){0});
    if (options->odd)
        add_resources(ctx);
    ir_op *module = ir_module_create(ctx, irgen_loc(&m.g));
    ir_block *body = ir_op_body(module, 0);
    bool branches = options->odd && irgen_listed(options->dialects, "cf");
    collect_rows(&m, options->dialects, options->without);
    irgen_new_shape(&m.g);
    for (int i = 0; options->odd && m.n_symbols && i < 2; i++)
        irgen_op(&m, body, m.symbols[irgen_below(&m.g, (uint32_t)m.n_symbols)]);
    for (int i = 0, left = options->ops; left > 0 && m.n_rows; i++) {
        random_function(&m, body, i, TW_MIN(left, OPS_IN_FUNCTION), branches);
        left -= OPS_IN_FUNCTION;
    }
    if (options->odd && irgen_chance(&m.g, 20))
        declare(&m, body);
    settle(module);
    if (options->broken)
        break_one(&m, module);
    ir_context_set_sink(ctx, sink);
    free(m.rows);
    free(m.symbols);
    free(m.values);
    return module;
}
