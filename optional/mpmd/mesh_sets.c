/* mesh_sets.c: see mesh_sets.h. */
#include "mpmd/mesh_sets.h"

#include "mlir/func/func.h"
#include "mpmd/merge.h"
#include "stablehlo/stablehlo.h"

enum { MAX_HOPS = 10000 /* through calls and loops */ };

/* ---- sets --------------------------------------------------------------------------- */

ir_attr mpmd_no_meshes(ir_context *ctx)
{
    return ir_array_attr(ctx, NULL, 0);
}

ir_attr mpmd_set_of(ir_attr attr)
{
    if (!ir_attr_is(attr, IR_ATTR_DIALECT) || attr->def != MPMD_ATTR(meshes_with_origins))
        return NULL;
    return attr->params[0] ? attr->params[0] : mpmd_no_meshes(attr->ctx);
}

ir_attr mpmd_set_attr(ir_context *ctx, ir_attr set)
{
    return set ? ir_dialect_attr(ctx, MPMD_ATTR(meshes_with_origins), &set, 1) : NULL;
}

static bool is_wildcard(ir_attr item)
{
    return tw_str_is(ir_attr_str(item->params[0]), "*");
}

static ir_attr wildcard_of(ir_attr set)
{
    return set && set->count && is_wildcard(set->items[set->count - 1])
               ? set->items[set->count - 1]
               : NULL;
}

uint32_t mpmd_set_size(ir_attr set)
{
    return set ? set->count - (wildcard_of(set) != NULL) : 0;
}

static ir_attr find(ir_attr set, ir_attr mesh)
{
    for (uint32_t i = 0; set && i < set->count; i++)
        if (set->items[i]->params[0] == mesh)
            return set->items[i];
    return NULL;
}

bool mpmd_set_has(ir_attr set, ir_attr mesh)
{
    return find(set, mesh) != NULL;
}

static ir_attr make_item(ir_attr mesh, ir_attr origins)
{
    ir_attr params[] = {mesh, origins ? origins : ir_array_attr(mesh->ctx, NULL, 0)};
    return ir_dialect_attr(mesh->ctx, MPMD_ATTR(mesh_with_origins), params, 2);
}

/* Inserts in order, or at the end but before the wildcard. */
static ir_attr put(ir_context *ctx, ir_attr set, ir_attr item)
{
    uint32_t n = set ? set->count : 0, k = 0;
    ir_attr *items = tw_xmalloc((n + 1u) * sizeof *items);
    bool placed = false;
    for (uint32_t i = 0; i < n; i++) {
        bool same = set->items[i]->params[0] == item->params[0];
        if (same ||
            (!placed && is_wildcard(set->items[i]) && !find(set, item->params[0]))) {
            items[k++] = item;
            placed = true;
        }
        if (!same)
            items[k++] = set->items[i];
    }
    if (!placed)
        items[k++] = item;
    ir_attr made = ir_array_attr(ctx, items, k);
    free(items);
    return made;
}

static ir_attr add_item(ir_context *ctx, ir_attr set, ir_attr mesh, ir_attr origins)
{
    ir_attr old = find(set, mesh);
    return put(ctx, set,
               make_item(mesh, old ? mpmd_union(ctx, old->params[1], origins) : origins));
}

static ir_attr origin_list(ir_context *ctx, ir_attr label)
{
    ir_attr origin = label ? ir_dialect_attr(ctx, MPMD_ATTR(origin), &label, 1) : NULL;
    return ir_array_attr(ctx, &origin, origin ? 1 : 0);
}

ir_attr mpmd_set_add(ir_context *ctx, ir_attr set, ir_attr mesh, const char *origin)
{
    ir_attr label = origin ? ir_string_attr(ctx, tw_str_from(origin)) : NULL;
    return add_item(ctx, set ? set : mpmd_no_meshes(ctx), mesh, origin_list(ctx, label));
}

ir_attr mpmd_set_of_assign(const ir_op *op)
{
    ir_value *v = op->def == MPMD_OP(assign) ? &op->results[0] : op->operands[0].value;
    return add_item(op->ctx, mpmd_no_meshes(op->ctx), v->type->params[MPMD_TYPE_MESH],
                    origin_list(op->ctx, ir_op_attr(op, "origin")));
}

ir_attr mpmd_set_union(ir_context *ctx, ir_attr a, ir_attr b)
{
    if (!a || !b)
        return a ? a : b;
    for (uint32_t i = 0; i < b->count; i++)
        a = add_item(ctx, a, b->items[i]->params[0], b->items[i]->params[1]);
    return a;
}

ir_attr mpmd_set_intersect(ir_context *ctx, ir_attr a, ir_attr b)
{
    if (!a || !b)
        return a ? a : b;
    ir_attr any_a = wildcard_of(a), any_b = wildcard_of(b), made = mpmd_no_meshes(ctx);
    for (uint32_t i = 0; i < mpmd_set_size(a); i++) {
        ir_attr own = a->items[i], other = find(b, own->params[0]);
        other = other ? other : any_b;
        if (other)
            made = add_item(ctx, made, own->params[0],
                            mpmd_union(ctx, own->params[1], other->params[1]));
    }
    for (uint32_t i = 0; any_a && i < mpmd_set_size(b); i++) {
        ir_attr other = b->items[i];
        if (!find(a, other->params[0]))
            made = add_item(ctx, made, other->params[0],
                            mpmd_union(ctx, other->params[1], any_a->params[1]));
    }
    return any_a && any_b ? add_item(ctx, made, any_a->params[0],
                                     mpmd_union(ctx, any_a->params[1], any_b->params[1]))
                          : made;
}

static bool from_broadcast(ir_attr item)
{
    ir_attr origins = item->params[1];
    for (uint32_t i = 0; origins && i < origins->count; i++)
        if (tw_str_is(ir_attr_str(origins->items[i]->params[0]), "broadcast_in"))
            return true;
    return false;
}

static bool is_better(ir_attr item, ir_attr than)
{
    if (!than || from_broadcast(item) != from_broadcast(than))
        return !than || !from_broadcast(item);
    return strcmp(item->params[0]->ident->text, than->params[0]->ident->text) < 0;
}

ir_attr mpmd_set_choose(ir_attr set, ir_attr preferred)
{
    ir_attr best = NULL, any = wildcard_of(set);
    for (uint32_t i = 0; i < mpmd_set_size(preferred) && mpmd_set_size(set); i++) {
        ir_attr item = find(set, mpmd_set_mesh(preferred, i));
        if (!item && any)
            item = make_item(mpmd_set_mesh(preferred, i), any->params[1]);
        if (item && is_better(item, best))
            best = item;
    }
    for (uint32_t i = 0; !best && i < mpmd_set_size(set); i++) {
        best = set->items[i];
        for (uint32_t k = i + 1; k < mpmd_set_size(set); k++)
            best = is_better(set->items[k], best) ? set->items[k] : best;
    }
    return best ? best->params[0] : NULL;
}

/* ---- of values ---------------------------------------------------------------------- */

static ir_attr or_none(const ir_op *op, ir_attr set)
{
    return set ? set : mpmd_no_meshes(op->ctx);
}

ir_attr mpmd_use_set(const ir_op *op)
{
    return or_none(op, mpmd_set_of(ir_op_attr(op, MPMD_USE_SET)));
}

ir_attr mpmd_io_use_set(const ir_op *op, const char *list, size_t i)
{
    return or_none(op, mpmd_set_of(mpmd_io_attr(op, list, i, MPMD_USE_SET)));
}

ir_attr mpmd_src_set(const ir_op *op)
{
    return mpmd_set_of(ir_op_attr(op, MPMD_SRC_SET));
}

ir_attr mpmd_io_src_set(const ir_op *op, size_t arg)
{
    return mpmd_set_of(mpmd_io_attr(op, "arg_attrs", arg, MPMD_SRC_SET));
}

/* The value that a call's callee or a loop returns for this result. */
static ir_value *returned_as(const ir_value *result)
{
    ir_op *op = ir_value_def(result);
    ir_op *body = !op                              ? NULL
                  : op->def == MPMD_OP(call) ? mpmd_callee(op)
                  : op->def == MPMD_OP(for)  ? op
                                                   : NULL;
                               return body ? mpmd_returned(body, result->index) : NULL;
}

ir_attr mpmd_src_set_of(const ir_value *v)
{
    const ir_value *next = v;
    for (int hops = 0; next && hops < MAX_HOPS; hops++) {
        v = next;
        next = returned_as(v);
    }
    ir_op *producer = ir_value_def(v);
    if (producer)
        return producer->def == MPMD_OP(assign) ? NULL : mpmd_src_set(producer);
    ir_op *owner = ir_value_block(v)->region->owner;
    return owner->def == FUNC_OP(func) || owner->def == MPMD_OP(for)
               ? mpmd_io_src_set(owner, v->index)
               : NULL;
}

void mpmd_put_use_set(ir_op *op, ir_attr set)
{
    if (mpmd_set_size(set))
        ir_op_set_attr(op, MPMD_USE_SET, mpmd_set_attr(op->ctx, set));
}

void mpmd_put_src_set(ir_op *op, ir_attr set)
{
    ir_op_set_attr(op, MPMD_SRC_SET, mpmd_set_attr(op->ctx, set));
}

static size_t length_of(const ir_op *op, const char *list)
{
    if (op->def != FUNC_OP(func))
        return ir_op_body(op, 0)->n_args;
    ir_type type = ir_op_attr(op, "function_type")->type;
    return list[0] == 'a' ? type->count : type->results;
}

void mpmd_put_io_set(ir_op *op, const char *list, size_t i, const char *name, ir_attr set)
{
    if (mpmd_set_size(set) || !strcmp(name, MPMD_SRC_SET))
        mpmd_set_io_attr(op, list, length_of(op, list), i, name,
                         mpmd_set_attr(op->ctx, set));
}

/* The meshes on which a use consumes the value; `block` is the block of the value. */
static ir_attr meshes_of_use(const ir_operand *use, const ir_block *block)
{
    ir_op *user = use->owner, *producer = ir_value_def(use->value), *outer = user;
    size_t i = ir_operand_number(use);
    if ((mpmd_is_terminal(user) && !ir_op_is(producer, MPMD_OP(broadcast))) ||
        user->def == MPMD_OP(unassign))
        return NULL;
    while (outer && outer->block != block)
        outer = ir_op_parent(outer);
    if (outer && outer != user)
        return mpmd_use_set(outer);
    ir_op *callee = user->def == MPMD_OP(call) ? mpmd_callee(user) : NULL;
    if (callee || user->def == MPMD_OP(for))
        return mpmd_io_use_set(callee ? callee : user, "arg_attrs", i);
    ir_op *func = user->def == FUNC_OP(return ) ? ir_op_parent(user) : NULL;
    return func && !mpmd_is_entry(func) ? mpmd_io_use_set(func, "res_attrs", i)
                                        : mpmd_use_set(user);
}

ir_attr mpmd_add_users(ir_value *v, ir_attr set)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        set = mpmd_set_union(v->type->ctx, set, meshes_of_use(use, ir_value_block(v)));
    return set;
}

void mpmd_clear_sets(ir_op *op)
{
    ir_op_set_attr(op, MPMD_USE_SET, NULL);
    ir_op_set_attr(op, MPMD_SRC_SET, NULL);
}

static void clear_io(ir_op *op, const char *list, const char *name)
{
    ir_attr all = ir_op_attr(op, list);
    bool any = false;
    for (uint32_t i = 0; ir_attr_is(all, IR_ATTR_ARRAY) && i < all->count; i++)
        if (mpmd_io_attr(op, list, i, name))
            mpmd_set_io_attr(op, list, all->count, i, name, NULL);
    all = ir_op_attr(op, list);
    for (uint32_t i = 0; ir_attr_is(all, IR_ATTR_ARRAY) && i < all->count; i++)
        any |= all->items[i]->count > 0;
    if (all && !any)
        ir_op_set_attr(op, list, NULL);
}

void mpmd_clear_io_use_sets(ir_op *func)
{
    clear_io(func, "arg_attrs", MPMD_USE_SET);
}

void mpmd_clear_io_sets(ir_op *op)
{
    clear_io(op, "arg_attrs", MPMD_USE_SET);
    clear_io(op, "arg_attrs", MPMD_SRC_SET);
    if (op->def != FUNC_OP(func))
        return;
    clear_io(op, "res_attrs", MPMD_USE_SET);
    clear_io(op, "res_attrs", MPMD_SRC_SET);
}

/* ---- operations --------------------------------------------------------------------- */

bool mpmd_is_meshless(ir_op *op)
{
    if ((op->def->traits & IR_TERMINATOR) || !strncmp(op->def->name, "mpmd.", 5) ||
        op->def == FUNC_OP(func) || !ir_op_parent(op))
        return false;
    for (ir_op *p = ir_op_parent(op); p; p = ir_op_parent(p))
        if (mpmd_is_fragment(p))
            return false;
    return true;
}

bool mpmd_is_terminal(const ir_op *op)
{
    return op->def == MPMD_OP(broadcast) || op->def == MPMD_OP(reduce);
}

bool mpmd_is_chained(const ir_op *call)
{
    ir_op_list users = mpmd_users(call);
    bool found = false;
    for (size_t i = 0; i < users.n; i++)
        found |= users.at[i]->def == call->def &&
                 ir_op_attr(users.at[i], "callee") == ir_op_attr(call, "callee");
    ir_op_list_free(&users);
    return found;
}

static void add_flat(ir_block *block, ir_op_list *list)
{
    for (ir_op *op = block->first; op; op = op->next) {
        TW_PUSH(list->at, list->n, list->capacity, op);
        if (op->def == MPMD_OP(for))
            add_flat(ir_op_body(op, 0), list);
    }
}

ir_op_list mpmd_flat_ops(ir_op *func)
{
    ir_op_list list = {.n = 0};
    add_flat(ir_op_body(func, 0), &list);
    return list;
}

/* ---- reductions --------------------------------------------------------------------- */

static const struct {
    uint16_t row;
    const char *text;
} reductions[] = {
    {STABLEHLO_add, "add"},      {STABLEHLO_maximum, "max"}, {STABLEHLO_minimum, "min"},
    {STABLEHLO_multiply, "mul"}, {STABLEHLO_or, "or"},       {STABLEHLO_and, "and"},
};

const char *mpmd_reduction_of(const ir_op *op)
{
    for (size_t i = 0; op && i < TW_COUNT(reductions); i++)
        if (op->def == &stablehlo_ops[reductions[i].row])
            return reductions[i].text;
    return NULL;
}

ir_attr mpmd_reduction(ir_context *ctx, const char *text)
{
    const ir_enum_case *kind = ir_enum_by_text(&mpmd_enum_ReductionType, tw_str_from(text));
    ir_attr value = ir_raw_int(ctx, kind->value);
    return ir_dialect_attr(ctx, MPMD_ATTR(reduction), &value, 1);
}

const ir_op_def *mpmd_reduction_step(ir_attr reduction)
{
    for (size_t i = 0; reduction && i < TW_COUNT(reductions); i++)
        if (mpmd_reduction(reduction->ctx, reductions[i].text) == reduction)
            return &stablehlo_ops[reductions[i].row];
    return NULL;
}

const char *mpmd_reduction_of_body(const ir_op *reduce)
{
    ir_block *body = ir_op_body(reduce, 0);
    ir_op *end = body ? body->last : NULL;
    const char *all = NULL;
    if (!end || body->n_args != 2 * end->n_operands)
        return NULL;
    for (uint32_t i = 0; i < end->n_operands; i++) {
        ir_op *op = ir_value_def(end->operands[i].value);
        const char *own = mpmd_reduction_of(op);
        ir_value *a = body->args[i], *b = body->args[i + end->n_operands];
        if (!own || (all && strcmp(all, own) != 0) ||
            !((op->operands[0].value == a && op->operands[1].value == b) ||
              (op->operands[0].value == b && op->operands[1].value == a)))
            return NULL;
        all = own;
    }
    return all;
}

ir_op *mpmd_reduce_of_concat(const ir_op *op)
{
    int64_t dims[2];
    if (!op || op->def != STABLEHLO_OP(concatenate) ||
        !ir_value_has_one_use(&op->results[0]))
        return NULL;
    ir_op *reduce = op->results[0].uses->owner;
    if (reduce->def != STABLEHLO_OP(reduce) || reduce->n_operands != 2 ||
        ir_attr_ints(ir_op_attr(reduce, "dimensions"), dims, 2) != 1)
        return NULL;
    ir_type type = op->operands[0].value->type;
    for (uint32_t i = 1; i < op->n_operands; i++)
        if (op->operands[i].value->type != type)
            return NULL;
    return dims[0] == ir_op_int(op, "dimension", -1) && ir_type_is_tensor(type) &&
                   dims[0] >= 0 && dims[0] < type->count && type->dims[dims[0]] == 1
               ? reduce
               : NULL;
}
