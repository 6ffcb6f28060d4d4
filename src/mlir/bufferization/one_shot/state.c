/* state.c: alias sets, and questions about operands and values that models answer. */
#include "mlir/bufferization/one_shot/state.h"

#include "mlir/func/func.h"

#include <stdlib.h>

/* ---- beginning and end -------------------------------------------------------------- */

void buf_state_begin(buf_state *s, ir_op *module, const buf_options *options)
{
    *s = (buf_state){.options = options,
                     .module = module,
                     .models = ir_mapping_create(),
                     .numbers = ir_mapping_create(),
                     .in_place = ir_mapping_create(),
                     .function_index = ir_mapping_create()};
    for (size_t t = 0; options->tables[t]; t++)
        for (size_t i = 0; i < options->tables[t]->count; i++) {
            const buf_model *m = &options->tables[t]->at[i];
            ir_mapping_set(s->models, m->def, (void *)m);
        }
}

void buf_state_end(buf_state *s)
{
    for (size_t i = 0; i < s->n_functions; i++) {
        free(s->functions[i].reads);
        free(s->functions[i].writes);
        free(s->functions[i].equivalent);
        free(s->functions[i].aliases);
    }
    free(s->functions);
    free(s->order);
    free(s->values);
    free(s->aliases.parent);
    free(s->aliases.next);
    free(s->equivalents.parent);
    free(s->equivalents.next);
    ir_mapping_free(s->models);
    ir_mapping_free(s->numbers);
    ir_mapping_free(s->in_place);
    ir_mapping_free(s->function_index);
}

const buf_options *buf_options_of(const buf_state *s)
{
    return s->options;
}

/* ---- sets --------------------------------------------------------------------------- */

static void ensure(value_sets *sets, size_t n)
{
    size_t old = sets->capacity;
    if (n <= old)
        return;
    size_t capacity = TW_MAX(n, 2 * old + 64);
    sets->parent = tw_xrealloc(sets->parent, capacity * sizeof *sets->parent);
    sets->next = tw_xrealloc(sets->next, capacity * sizeof *sets->next);
    for (size_t i = old; i < capacity; i++)
        sets->parent[i] = sets->next[i] = (uint32_t)i;
    sets->capacity = capacity;
}

static uint32_t number_of(buf_state *s, const ir_value *v)
{
    uintptr_t known = (uintptr_t)ir_mapping_get(s->numbers, v);
    if (known)
        return (uint32_t)(known - 1);
    TW_PUSH(s->values, s->n_values, s->values_capacity, (ir_value *)v);
    ir_mapping_set(s->numbers, v, (void *)(uintptr_t)s->n_values);
    ensure(&s->aliases, s->n_values);
    ensure(&s->equivalents, s->n_values);
    return (uint32_t)(s->n_values - 1);
}

static uint32_t root_of(value_sets *sets, uint32_t i)
{
    while (sets->parent[i] != i) {
        sets->parent[i] = sets->parent[sets->parent[i]];
        i = sets->parent[i];
    }
    return i;
}

static void unite(value_sets *sets, uint32_t a, uint32_t b)
{
    uint32_t x = root_of(sets, a), y = root_of(sets, b);
    if (x == y)
        return;
    sets->parent[y] = x;
    uint32_t next = sets->next[x]; /* joins the two rings */
    sets->next[x] = sets->next[y];
    sets->next[y] = next;
}

void buf_union_aliases(buf_state *s, const ir_value *a, const ir_value *b)
{
    uint32_t x = number_of(s, a), y = number_of(s, b);
    unite(&s->aliases, x, y);
}

void buf_union_equivalents(buf_state *s, const ir_value *a, const ir_value *b)
{
    uint32_t x = number_of(s, a), y = number_of(s, b);
    unite(&s->equivalents, x, y);
}

void buf_each_alias(buf_state *s, const ir_value *v, buf_visit_value *visit, void *user)
{
    uint32_t start = number_of(s, v), i = start;
    do {
        visit(s->values[i], user);
        i = s->aliases.next[i];
    } while (i != start);
}

static bool are_united(const buf_state *s, const value_sets *sets, const ir_value *a,
                       const ir_value *b)
{
    uintptr_t x = (uintptr_t)ir_mapping_get(s->numbers, a);
    uintptr_t y = (uintptr_t)ir_mapping_get(s->numbers, b);
    return a == b || (x && y &&
                      root_of((value_sets *)sets, (uint32_t)(x - 1)) ==
                          root_of((value_sets *)sets, (uint32_t)(y - 1)));
}

bool buf_are_equivalent(const buf_state *s, const ir_value *a, const ir_value *b)
{
    return are_united(s, &s->equivalents, a, b);
}

bool buf_may_alias(const buf_state *s, const ir_value *a, const ir_value *b)
{
    return are_united(s, &s->aliases, a, b);
}

bool buf_is_in_place(const buf_state *s, const ir_operand *use)
{
    return ir_mapping_get(s->in_place, use) != NULL;
}

void buf_set_in_place(buf_state *s, ir_operand *use)
{
    if (buf_is_in_place(s, use))
        return;
    ir_mapping_set(s->in_place, use, use);
    buf_aliases list = {0};
    buf_aliasing_values(s, use, &list);
    for (size_t i = 0; i < list.n; i++)
        buf_union_aliases(s, list.at[i].value, use->value);
    free(list.at);
}

/* ---- models ------------------------------------------------------------------------- */

static bool is_in_list(const char *list, const char *name, size_t n)
{
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ",");
        if (length == n && memcmp(at, name, n) == 0)
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

const buf_model *buf_model_of(buf_state *s, const ir_op *op)
{
    const buf_options *o = s->options;
    const char *name = op->def->name;
    const char *dot = strchr(name, '.');
    if (o->dialects && *o->dialects && dot &&
        !is_in_list(o->dialects, name, (size_t)(dot - name)))
        return NULL;
    if (!o->function_boundaries && (op->def == FUNC_OP(func) || op->def == FUNC_OP(call) ||
                                    op->def == FUNC_OP(return )))
        return NULL;
    const buf_model *m = ir_mapping_get(s->models, op->def);
    for (size_t t = 0; !m && o->tables[t]; t++)
        m = o->tables[t]->find ? o->tables[t]->find(op->def) : NULL;
    return m;
}

bool buf_is_tensor(ir_type type)
{
    return type->kind == IR_TYPE_TENSOR || type->kind == IR_TYPE_UNRANKED_TENSOR;
}

bool buf_has_tensors(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (buf_is_tensor(ir_op_operand(op, i)->type))
            return true;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (buf_is_tensor(op->results[i].type))
            return true;
    return false;
}

ir_op *buf_owner(const ir_value *v)
{
    if (!v->is_argument)
        return ir_value_def(v);
    const ir_block *block = ir_value_block(v);
    return block->region ? block->region->owner : NULL;
}

bool buf_is_first(buf_state *s, const ir_operand *use)
{
    (void)s;
    return ir_operand_number(use) == 0;
}

bool buf_is_second(buf_state *s, const ir_operand *use)
{
    (void)s;
    return ir_operand_number(use) == 1;
}

bool buf_always(buf_state *s, const ir_operand *use)
{
    (void)s, (void)use;
    return true;
}

void buf_add_alias(buf_aliases *list, ir_value *value, ir_operand *operand,
                   bool is_equivalent, bool is_definite)
{
    buf_alias alias = {value, operand, is_equivalent, is_definite};
    TW_PUSH(list->at, list->n, list->capacity, alias);
}

bool buf_reads(buf_state *s, const ir_operand *use)
{
    const buf_model *m = buf_model_of(s, use->owner);
    return m ? m->reads && m->reads(s, use) : true;
}

bool buf_writes(buf_state *s, const ir_operand *use)
{
    const buf_model *m = buf_model_of(s, use->owner);
    return m ? m->writes && m->writes(s, use) : true;
}

/* An unknown operation may pass any tensor on to any result and block argument. */
static void unknown_values(ir_operand *use, buf_aliases *out)
{
    ir_op *op = use->owner;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (buf_is_tensor(op->results[i].type))
            buf_add_alias(out, ir_op_result(op, i), use, false, false);
    for (uint16_t r = 0; r < op->n_regions; r++) {
        ir_block *entry = op->regions[r].first;
        for (uint32_t i = 0; entry && i < entry->n_args; i++)
            if (buf_is_tensor(entry->args[i]->type))
                buf_add_alias(out, entry->args[i], use, false, false);
    }
}

void buf_aliasing_values(buf_state *s, ir_operand *use, buf_aliases *out)
{
    const buf_model *m = buf_model_of(s, use->owner);
    if (!m)
        unknown_values(use, out);
    else if (m->aliases)
        m->aliases(s, use, out);
}

void buf_aliasing_operands(buf_state *s, ir_value *v, buf_aliases *out)
{
    ir_op *op = buf_owner(v);
    const buf_model *m = op ? buf_model_of(s, op) : NULL;
    if (!op)
        return;
    if (m && m->sources) {
        m->sources(s, v, out);
        return;
    }
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_operand *use = &op->operands[i];
        buf_aliases list = {0};
        if (!buf_is_tensor(use->value->type))
            continue;
        buf_aliasing_values(s, use, &list);
        for (size_t k = 0; k < list.n; k++)
            if (list.at[k].value == v)
                buf_add_alias(out, v, use, list.at[k].is_equivalent,
                              list.at[k].is_definite);
        free(list.at);
    }
}

bool buf_is_writable(buf_state *s, const ir_value *v)
{
    const ir_op *op = buf_owner(v);
    const buf_model *m = op ? buf_model_of(s, op) : NULL;
    if (!m)
        return false;
    return m->is_writable ? m->is_writable(s, v) : !v->is_argument;
}

/* ---- walks -------------------------------------------------------------------------- */

static void push_once(value_list *list, ir_mapping *seen, ir_value *v)
{
    if (ir_mapping_get(seen, v))
        return;
    ir_mapping_set(seen, v, v);
    TW_PUSH(list->at, list->n, list->capacity, v);
}

void buf_reverse_walk(buf_state *s, ir_value *from, const buf_walk *walk, value_list *out)
{
    value_list open = {0};
    ir_mapping *seen = ir_mapping_create();
    push_once(&open, seen, from);
    for (size_t i = 0; i < open.n; i++) {
        ir_value *v = open.at[i];
        if (walk->wanted(s, v, walk->user)) {
            TW_PUSH(out->at, out->n, out->capacity, v);
            continue;
        }
        buf_aliases list = {0};
        const ir_op *owner = v->is_argument ? NULL : ir_value_def(v);
        if (owner && buf_model_of(s, owner))
            buf_aliasing_operands(s, v, &list);
        bool is_leaf = list.n == 0;
        for (size_t k = 0; k < list.n; k++) {
            ir_value *next = list.at[k].operand->value;
            bool stops = (walk->only_equivalent && !list.at[k].is_equivalent) ||
                         (walk->only_same_type && next->type != v->type);
            if (stops)
                is_leaf = true;
            else
                push_once(&open, seen, next);
        }
        if (is_leaf && walk->with_leaves)
            TW_PUSH(out->at, out->n, out->capacity, v);
        free(list.at);
    }
    ir_mapping_free(seen);
    free(open.at);
}

static bool is_definition_inside(buf_state *s, ir_value *v, void *user)
{
    const ir_op *op = user, *owner = buf_owner(v);
    return owner && ir_op_is_ancestor(op, owner) && buf_defines(s, v);
}

/* A result is a new value if nothing can share its buffer, if the operation writes a buffer
 * that it shares, or if something inside the operation does. */
static bool defines_by_rule(buf_state *s, ir_value *v)
{
    buf_aliases list = {0};
    buf_aliasing_operands(s, v, &list);
    bool defines = list.n == 0;
    for (size_t i = 0; !defines && i < list.n; i++)
        defines = buf_writes(s, list.at[i].operand);
    buf_walk walk = {.wanted = is_definition_inside, .user = ir_value_def(v)};
    for (size_t i = 0; !defines && i < list.n; i++) {
        value_list found = {0};
        buf_reverse_walk(s, list.at[i].operand->value, &walk, &found);
        defines = found.n > 0;
        free(found.at);
    }
    free(list.at);
    return defines;
}

bool buf_defines(buf_state *s, ir_value *v)
{
    const buf_model *m = v->is_argument ? NULL : buf_model_of(s, ir_value_def(v));
    if (!m)
        return true;
    return m->defines ? m->defines(s, v) : defines_by_rule(s, v);
}

bool buf_is_read(buf_state *s, ir_value *v)
{
    value_list open = {0};
    ir_mapping *seen = ir_mapping_create();
    bool read = false;
    push_once(&open, seen, v);
    for (size_t i = 0; !read && i < open.n; i++)
        for (ir_operand *use = open.at[i]->uses; !read && use; use = use->next_use) {
            buf_aliases list = {0};
            if (buf_reads(s, use)) {
                read = true;
                break;
            }
            if (!buf_writes(s, use))
                buf_aliasing_values(s, use, &list);
            for (size_t k = 0; k < list.n; k++)
                push_once(&open, seen, list.at[k].value);
            free(list.at);
        }
    ir_mapping_free(seen);
    free(open.at);
    return read;
}

/* ---- functions ---------------------------------------------------------------------- */

buf_function *buf_function_of(buf_state *s, const ir_op *func)
{
    uintptr_t at = func ? (uintptr_t)ir_mapping_get(s->function_index, func) : 0;
    return at ? &s->functions[at - 1] : NULL;
}

ir_op *buf_callee(const ir_op *call)
{
    ir_attr callee = ir_op_attr(call, "callee");
    ir_op *func = callee ? ir_symbol_resolve((ir_op *)call, callee) : NULL;
    return ir_op_is(func, FUNC_OP(func)) ? func : NULL;
}
