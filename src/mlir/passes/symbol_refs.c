/* symbol_refs.c: see symbol_refs.h. */
#include "mlir/passes/symbol_refs.h"

typedef struct visit {
    ir_op *op;
    symbol_ref_fn *fn;
    void *user;
} visit;

static void visit_attr(const visit *v, ir_attr a);

static void visit_all(const visit *v, const ir_attr *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        visit_attr(v, items[i]);
}

static void visit_type(const visit *v, ir_type t)
{
    if (!t)
        return;
    if (t->kind == IR_TYPE_DIALECT) {
        visit_all(v, t->params, t->count);
    } else if (t->kind == IR_TYPE_FUNCTION || t->kind == IR_TYPE_TUPLE) {
        for (uint32_t i = 0; i < t->count + t->results; i++)
            visit_type(v, t->types[i]);
    } else if (ir_type_is_shaped(t)) {
        visit_attr(v, t->encoding);
        visit_type(v, t->element);
    }
}

static void visit_attr(const visit *v, ir_attr a)
{
    if (!a)
        return;
    switch ((ir_attr_kind)a->kind) {
    case IR_ATTR_SYMBOL_REF:
        v->fn(v->op, a, v->user);
        break;
    case IR_ATTR_ARRAY:
        visit_all(v, a->items, a->count);
        break;
    case IR_ATTR_DICT:
        for (uint32_t i = 0; i < a->count; i++)
            visit_attr(v, a->entries[i].value);
        break;
    case IR_ATTR_TYPE:
        visit_type(v, a->type);
        break;
    case IR_ATTR_DIALECT:
        visit_all(v, a->params, a->count);
        break;
    default:
        break;
    }
}

void symbol_refs_of(ir_op *op, symbol_ref_fn *fn, void *user)
{
    visit v = {op, fn, user};
    size_t n_props = ir_def_n_props(op->def);
    visit_all(&v, op->props, n_props);
    visit_attr(&v, op->attrs);
}

void symbol_refs_below(ir_op *op, symbol_ref_fn *fn, void *user)
{
    symbol_refs_of(op, fn, user);
    if (op->def->traits & IR_SYMBOL_TABLE)
        return;
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].first; b; b = b->next)
            for (ir_op *o = b->first; o; o = o->next)
                symbol_refs_below(o, fn, user);
}
