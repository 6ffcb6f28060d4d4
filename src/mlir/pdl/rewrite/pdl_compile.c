/* pdl_compile.c: the order in which a pattern's operations are matched.
 *
 * From the root, every operation is matched that defines an operand of a matched one.  The
 * rest is searched for among the users of a value that is bound by then. */
#include "mlir/pdl/rewrite/pdl_impl.h"

#include <stdlib.h>

enum { MAX_UPWARD = 32 }; /* each is a nested search */

static bool is_result(const ir_op *op)
{
    return op && (op->def == PDL_OP(result) || op->def == PDL_OP(results));
}

/* ---- slots -------------------------------------------------------------------------- */

static pdl_kind kind_of(ir_type type)
{
    static const pdl_kind kinds[] = {[PDL_TYPE_attribute] = PDL_KIND_ATTRIBUTE,
                                     [PDL_TYPE_operation] = PDL_KIND_OPERATION,
                                     [PDL_TYPE_type] = PDL_KIND_TYPE,
                                     [PDL_TYPE_value] = PDL_KIND_VALUE};
    return kinds[pdl_element_type(type)->def - pdl_types];
}

static ir_walk add_slots(ir_op *op, void *user)
{
    pdl_pattern *p = user;
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_type type = op->results[i].type;
        pdl_bound blank = {.kind = kind_of(type), .range = pdl_is_range(type)};
        TW_PUSH(p->blank, p->n_slots, p->slots_capacity, blank);
        ir_mapping_set(p->slots, &op->results[i], (void *)(uintptr_t)p->n_slots);
    }
    return IR_WALK_ON;
}

/* ---- search order ------------------------------------------------------------------- */

typedef struct finding {
    ir_mapping *found;  /* matched operations of the pattern */
    ir_mapping *values; /* bound operands */
    ir_op **left;
    size_t n_left, capacity;
} finding;

static void find_one(finding *f, ir_op *op)
{
    if (!op || op->def != PDL_OP(operation) || ir_mapping_get(f->found, op))
        return;
    ir_mapping_set(f->found, op, op);
    TW_PUSH(f->left, f->n_left, f->capacity, op);
}

static void find_below(finding *f, ir_op *op)
{
    find_one(f, op);
    while (f->n_left) {
        op = f->left[--f->n_left];
        size_t start, count;
        ir_op_operand_group(op, 0, &start, &count);
        for (size_t i = 0; i < count; i++) {
            ir_value *operand = ir_op_operand(op, start + i);
            const ir_op *def = ir_value_def(operand);
            ir_mapping_set(f->values, operand, operand);
            if (is_result(def))
                find_one(f, ir_value_def(ir_op_operand(def, 0)));
        }
    }
}

/* An operand of `op` that is bound, or is a result of a matched operation. */
static ir_value *upward_operand(const finding *f, const ir_op *op)
{
    size_t start, count;
    ir_op_operand_group(op, 0, &start, &count);
    for (size_t i = 0; i < count; i++) {
        ir_value *operand = ir_op_operand(op, start + i);
        const ir_op *def = ir_value_def(operand);
        if (ir_mapping_get(f->values, operand) ||
            (is_result(def) &&
             ir_mapping_get(f->found, ir_value_def(ir_op_operand(def, 0)))))
            return operand;
    }
    return NULL;
}

/* Adds one more operation; false if none can be reached. */
static bool add_upward(pdl_pattern *p, finding *f, const ir_block *body)
{
    for (ir_op *op = body->first; op; op = op->next) {
        if (op->def != PDL_OP(operation) || ir_mapping_get(f->found, op))
            continue;
        ir_value *through = upward_operand(f, op);
        if (!through)
            continue;
        pdl_upward step = {op, through};
        TW_PUSH(p->upward, p->n_upward, p->upward_capacity, step);
        find_below(f, op);
        return true;
    }
    return false;
}

/* True if another operation of the pattern uses a result of this one. */
static bool feeds_another(const ir_op *op)
{
    for (const ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (is_result(use->owner))
            for (const ir_operand *u = use->owner->results[0].uses; u; u = u->next_use)
                if (u->owner->def == PDL_OP(operation) && u->owner->block == op->block)
                    return true;
    return false;
}

static ir_op *choose_root(const pdl_pattern *p, const ir_block *body)
{
    size_t start, count;
    ir_op_operand_group(p->rewrite, 0, &start, &count);
    if (count)
        return ir_value_def(ir_op_operand(p->rewrite, start));
    for (ir_op *op = body->first; op; op = op->next)
        if (op->def == PDL_OP(operation) && !feeds_another(op))
            return op;
    return NULL;
}

static bool order(pdl_pattern *p, const ir_block *body)
{
    finding f = {.found = ir_mapping_create(), .values = ir_mapping_create()};
    find_below(&f, p->root);
    while (p->n_upward <= MAX_UPWARD && add_upward(p, &f, body))
        ;
    const ir_op *lost = NULL;
    for (const ir_op *op = body->first; op && !lost; op = op->next)
        if (op->def == PDL_OP(operation) && !ir_mapping_get(f.found, op))
            lost = op;
    ir_mapping_free(f.found);
    ir_mapping_free(f.values);
    free(f.left);
    if (p->n_upward > MAX_UPWARD)
        return ir_op_error(p->pattern,
                           "more than %d of its operations can only be found "
                           "among the users of others",
                           MAX_UPWARD);
    if (!lost)
        return true;
    ir_op_error(p->pattern, "the operations must form a connected component");
    return ir_note(lost->ctx, lost->loc, "this operation cannot be found from the root");
}

static bool compile(pdl_pattern *p, ir_op *pattern)
{
    const ir_block *body = pattern->regions[0].first;
    p->pattern = pattern;
    p->rewrite = body->last;
    p->benefit = ir_op_int(pattern, "benefit", 0);
    p->slots = ir_mapping_create();
    ir_walk_pre(pattern, add_slots, p);
    p->root = choose_root(p, body);
    if (!p->root || p->root->def != PDL_OP(operation) || p->root->block != body)
        return ir_op_error(pattern, "has no operation that matching could start from");
    ir_attr name = ir_op_attr(p->root, "opName");
    if (name)
        p->root_def = ir_context_op_def_or_unregistered(pattern->ctx, ir_attr_str(name));
    return order(p, body);
}

pdl_patterns *pdl_patterns_create(ir_op *module)
{
    pdl_patterns *set = tw_xcalloc(1, sizeof *set);
    const ir_block *body = ir_op_body(module, 0);
    set->module = module;
    bool ok = ir_verify(module);
    for (ir_op *op = body ? body->first : NULL; ok && op; op = op->next) {
        if (op->def != PDL_OP(pattern))
            continue;
        pdl_pattern blank = {0};
        TW_PUSH(set->at, set->count, set->capacity, blank);
        ok = compile(&set->at[set->count - 1], op);
    }
    if (ok)
        return set;
    pdl_patterns_free(set);
    return NULL;
}

void pdl_patterns_free(pdl_patterns *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++) {
        ir_mapping_free(set->at[i].slots);
        free(set->at[i].blank);
        free(set->at[i].upward);
    }
    ir_op_erase(set->module);
    free(set->at);
    free(set);
}

/* ---- native functions --------------------------------------------------------------- */

typedef struct name_search {
    pdl_name_fn *visit;
    void *user;
} name_search;

static ir_walk visit_name(ir_op *op, void *user)
{
    const name_search *s = user;
    ir_attr name = op->def == PDL_OP(apply_native_constraint) ||
                           op->def == PDL_OP(apply_native_rewrite) ||
                           op->def == PDL_OP(rewrite)
                       ? ir_op_attr(op, "name")
                       : NULL;
    bool constraint = op->def == PDL_OP(apply_native_constraint);
    return !name || s->visit(s->user, op, name->ident, constraint) ? IR_WALK_ON
                                                                   : IR_WALK_STOP;
}

bool pdl_patterns_each_name(const pdl_patterns *set, pdl_name_fn *visit, void *user)
{
    name_search s = {visit, user};
    for (size_t i = 0; i < set->count; i++)
        if (ir_walk_pre(set->at[i].pattern, visit_name, &s) == IR_WALK_STOP)
            return false;
    return true;
}
