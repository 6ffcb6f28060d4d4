/* equivalence.c: see equivalence.h. */
#include "mlir/passes/equivalence.h"

#include "support/hash.h"

static bool is_commutative(const ir_op *op)
{
    return (op->def->traits & IR_COMMUTATIVE) && op->n_operands == 2;
}

static ir_value *mapped(const ir_mapping *map, ir_value *v)
{
    ir_value *other = map ? ir_mapping_get(map, v) : NULL;
    return other ? other : v;
}

static bool equal_operands(const ir_op *a, const ir_op *b, const ir_mapping *map)
{
    bool straight = true;
    for (uint32_t i = 0; i < a->n_operands && straight; i++)
        straight = a->operands[i].value == mapped(map, b->operands[i].value);
    if (straight || !is_commutative(a))
        return straight;
    return a->operands[0].value == mapped(map, b->operands[1].value) &&
           a->operands[1].value == mapped(map, b->operands[0].value);
}

static bool equal_op(const ir_op *a, const ir_op *b, ir_mapping *map);

/* Compares regions block by block; `map` maps b's values to a's. */
static bool equal_region(const ir_region *a, const ir_region *b, ir_mapping *map)
{
    ir_block *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) {
        if (x->n_args != y->n_args)
            return false;
        for (uint32_t i = 0; i < x->n_args; i++) {
            if (x->args[i]->type != y->args[i]->type)
                return false;
            ir_mapping_set(map, y->args[i], x->args[i]);
        }
        ir_mapping_set(map, y, x);
    }
    if (x || y)
        return false;
    for (x = a->first, y = b->first; x; x = x->next, y = y->next) {
        ir_op *o = x->first, *p = y->first;
        for (; o && p; o = o->next, p = p->next) {
            if (!equal_op(o, p, map))
                return false;
            for (uint32_t i = 0; i < o->n_results; i++)
                ir_mapping_set(map, &p->results[i], &o->results[i]);
        }
        if (o || p)
            return false;
    }
    return true;
}

static bool equal_op(const ir_op *a, const ir_op *b, ir_mapping *map)
{
    if (a->def != b->def || a->attrs != b->attrs || a->n_operands != b->n_operands ||
        a->n_results != b->n_results || a->n_regions != b->n_regions ||
        a->n_successors != b->n_successors)
        return false;
    size_t n_props = ir_def_n_props(a->def);
    for (size_t i = 0; i < n_props; i++)
        if (a->props[i] != b->props[i])
            return false;
    for (uint32_t i = 0; i < a->n_results; i++)
        if (a->results[i].type != b->results[i].type)
            return false;
    if (!equal_operands(a, b, map))
        return false;
    for (uint16_t i = 0; i < a->n_successors; i++) {
        const ir_block *to = map ? ir_mapping_get(map, b->successors[i]) : NULL;
        if (a->successors[i] != (to ? to : b->successors[i]))
            return false;
    }
    if (!a->n_regions)
        return true;
    ir_mapping *own = map ? NULL : ir_mapping_create();
    bool equal = true;
    for (uint16_t i = 0; i < a->n_regions && equal; i++)
        equal = equal_region(&a->regions[i], &b->regions[i], map ? map : own);
    ir_mapping_free(own);
    return equal;
}

bool transform_equivalent(const ir_op *a, const ir_op *b)
{
    return a == b || equal_op(a, b, NULL);
}

bool transform_equivalent_regions(const ir_region *a, const ir_region *b)
{
    ir_mapping *map = ir_mapping_create();
    bool equal = equal_region(a, b, map);
    ir_mapping_free(map);
    return equal;
}

uint32_t transform_hash(const ir_op *op)
{
    uint64_t h = tw_hash_ptr(op->n_operands, op->def);
    h = tw_hash_ptr(h, op->attrs);
    size_t n_props = ir_def_n_props(op->def);
    for (size_t i = 0; i < n_props; i++)
        h = tw_hash_ptr(h, op->props[i]);
    for (uint32_t i = 0; i < op->n_results; i++)
        h = tw_hash_ptr(h, op->results[i].type);
    if (is_commutative(op)) {
        uintptr_t x = (uintptr_t)op->operands[0].value,
                  y = (uintptr_t)op->operands[1].value;
        h = tw_hash_mix(tw_hash_mix(h, TW_MIN(x, y)), TW_MAX(x, y));
    } else {
        for (uint32_t i = 0; i < op->n_operands; i++)
            h = tw_hash_ptr(h, op->operands[i].value);
    }
    return tw_hash_end(h);
}
