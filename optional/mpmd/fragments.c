/* fragments.c: see fragments.h. */
#include "mpmd/fragments.h"

#include "ir/rewrite/rewrite.h"
#include "mlir/func/func.h"
#include "sdy/propagation/shardings.h"

/* ---- lists -------------------------------------------------------------------------- */

void mpmd_push(mpmd_values *list, ir_value *v)
{
    TW_PUSH(list->at, list->n, list->capacity, v);
}

bool mpmd_push_new(mpmd_values *list, ir_value *v)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == v)
            return false;
    mpmd_push(list, v);
    return true;
}

mpmd_values mpmd_operands(const ir_op *op)
{
    mpmd_values list = {.n = 0};
    for (uint32_t i = 0; i < op->n_operands; i++)
        mpmd_push(&list, op->operands[i].value);
    return list;
}

void mpmd_set_operands(ir_op *op, const mpmd_values *list)
{
    ir_op_splice_operands(op, 0, op->n_operands, list->at, list->n);
}

typedef struct outer_walk {
    const ir_op *root;
    mpmd_values found;
} outer_walk;

static ir_walk find_outer(ir_op *op, void *user)
{
    outer_walk *w = user;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_block *home = ir_value_block(op->operands[i].value);
        if (!home->region || !ir_op_is_ancestor(w->root, home->region->owner))
            mpmd_push_new(&w->found, op->operands[i].value);
    }
    return IR_WALK_ON;
}

mpmd_values mpmd_outer_values(ir_op *op)
{
    outer_walk w = {.root = op};
    ir_walk_pre(op, find_outer, &w);
    return w.found;
}

bool mpmd_lists(const ir_op_list *list, const ir_op *op)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == op)
            return true;
    return false;
}

void mpmd_list_add(ir_op_list *list, ir_op *op)
{
    if (!mpmd_lists(list, op))
        TW_PUSH(list->at, list->n, list->capacity, op);
}

ir_op_list mpmd_users_of(const ir_value *v)
{
    ir_op_list list = {.n = 0};
    for (ir_operand *use = v->uses; use; use = use->next_use)
        mpmd_list_add(&list, use->owner);
    return list;
}

ir_op_list mpmd_users(const ir_op *op)
{
    ir_op_list list = {.n = 0};
    for (uint32_t i = 0; i < op->n_results; i++)
        for (ir_operand *use = op->results[i].uses; use; use = use->next_use)
            mpmd_list_add(&list, use->owner);
    return list;
}

ir_op *mpmd_first(const ir_op_list *list)
{
    ir_op *first = list->n ? list->at[0] : NULL;
    for (size_t i = 1; i < list->n; i++)
        if (list->at[i]->block == first->block && ir_op_before(list->at[i], first))
            first = list->at[i];
    return first;
}

/* ---- functions and meshes ----------------------------------------------------------- */

bool mpmd_is_function(const ir_op *op)
{
    ir_attr topology = op->def == FUNC_OP(func) ? ir_op_attr(op, MPMD_TOPOLOGY) : NULL;
    return ir_attr_is(topology, IR_ATTR_DIALECT) && topology->def == MPMD_ATTR(topology) &&
           ir_op_body(op, 0) && mpmd_end(op);
}

bool mpmd_is_distributed(const ir_op *op)
{
    return mpmd_is_function(op) || (op->def == FUNC_OP(func) && ir_op_body(op, 0) &&
                                    mpmd_end(op) && ir_op_attr(op, MPMD_MESH_SHAPE));
}

bool mpmd_is_entry(const ir_op *op)
{
    return mpmd_is_function(op) && ir_symbol_is_public(op);
}

ir_op *mpmd_enclosing_function(ir_op *op)
{
    while (op && op->def != FUNC_OP(func))
        op = ir_op_parent(op);
    return op;
}

ir_attr mpmd_meshes(const ir_op *func)
{
    return ir_op_attr(func, MPMD_TOPOLOGY)->params[0];
}

ir_type mpmd_tensor_on(ir_attr mesh_name, ir_type tensor, ir_attr memory_kind)
{
    ir_attr params[MPMD_TYPE_N_PARAMS] = {[MPMD_TYPE_MESH] = mesh_name,
                                          [MPMD_TYPE_TENSOR] = ir_type_attr(tensor),
                                          [MPMD_TYPE_MEMORY_KIND] = memory_kind};
    return ir_dialect_type(tensor->ctx, MPMD_TYPE(mesh_tensor), params, MPMD_TYPE_N_PARAMS);
}

ir_type mpmd_with_sharding(ir_type type, ir_attr sharding)
{
    ir_attr params[MPMD_TYPE_N_PARAMS];
    memcpy(params, type->params, sizeof params);
    params[MPMD_TYPE_SHARDING] = sharding;
    return ir_dialect_type(type->ctx, type->def, params, MPMD_TYPE_N_PARAMS);
}

bool mpmd_on_host(ir_type type)
{
    return mpmd_is_host(type->params[MPMD_TYPE_MEMORY_KIND]);
}

bool mpmd_is_host(ir_attr memory_kind)
{
    return ir_attr_is(memory_kind, IR_ATTR_STRING) &&
           tw_str_is(ir_attr_str(memory_kind), MPMD_PINNED_HOST);
}

bool mpmd_is_cpu(tw_str mesh)
{
    size_t n = strlen(MPMD_CPU_SUFFIX);
    return mesh.size >= n && !memcmp(mesh.data + mesh.size - n, MPMD_CPU_SUFFIX, n);
}

bool mpmd_between_meshes(const ir_op *transfer)
{
    return transfer->operands[0].value->type->params[MPMD_TYPE_MESH] !=
           transfer->results[0].type->params[MPMD_TYPE_MESH];
}

/* The integer at the end of a name; -1 if there is none, or it overflows. */
static int64_t number_at_end(tw_str name)
{
    size_t start = name.size;
    int64_t integer = 0;
    while (start > 0 && name.data[start - 1] >= '0' && name.data[start - 1] <= '9')
        start--;
    if (start == name.size || name.size - start > 9)
        return -1;
    for (size_t i = start; i < name.size; i++)
        integer = integer * 10 + (name.data[i] - '0');
    return integer;
}

bool mpmd_mesh_before(tw_str mesh, tw_str other)
{
    int64_t a = number_at_end(mesh), b = number_at_end(other);
    if (a >= 0 && b >= 0)
        return a < b;
    int order = memcmp(mesh.data, other.data, TW_MIN(mesh.size, other.size));
    return order ? order < 0 : mesh.size < other.size;
}

ir_op *mpmd_callee(ir_op *call)
{
    ir_op *func = ir_symbol_resolve(call, ir_op_attr(call, "callee"));
    return ir_op_is(func, FUNC_OP(func)) && ir_op_body(func, 0) && mpmd_end(func) &&
                   ir_op_body(func, 0)->n_args >= call->n_operands
               ? func
               : NULL;
}

ir_value *mpmd_returned(const ir_op *op, uint32_t i)
{
    ir_op *end = mpmd_end(op);
    return i < end->n_operands ? end->operands[i].value : NULL;
}

static bool is_call(const ir_op *op)
{
    return op->def == MPMD_OP(call);
}

ir_op_list mpmd_calls_of(ir_op *func)
{
    ir_op_list all = ir_ops_in(ir_op_parent(func), is_call);
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++)
        if (!ir_op_is_unused(all.at[i]) && mpmd_callee(all.at[i]) == func &&
            all.at[i]->n_operands == ir_op_body(func, 0)->n_args &&
            all.at[i]->n_results >= mpmd_end(func)->n_operands)
            all.at[n++] = all.at[i];
    all.n = n;
    return all;
}

/* ---- fragments ---------------------------------------------------------------------- */

bool mpmd_is_fragment(const ir_op *op)
{
    return op->def == MPMD_OP(fragment);
}

bool mpmd_is_transfer(const ir_op *op)
{
    return op->def == MPMD_OP(transfer);
}

bool mpmd_is_user_fragment(const ir_op *op)
{
    return ir_op_attr(op, "origin")->count > 0;
}

tw_str mpmd_fragment_mesh(const ir_op *fragment)
{
    return ir_attr_str(ir_op_attr(fragment, "mesh_name"));
}

static int64_t transposes_of(ir_attr origin)
{
    return origin->def == MPMD_ATTR(user_origin) ? ir_attr_int(origin->params[1], 0) : 0;
}

int64_t mpmd_transposes(const ir_op *fragment)
{
    ir_attr origins = ir_op_attr(fragment, "origin");
    for (uint32_t i = 1; i < origins->count; i++)
        if (transposes_of(origins->items[i]) != transposes_of(origins->items[0]))
            return -1;
    return origins->count ? transposes_of(origins->items[0]) : -1;
}

int64_t mpmd_max_transposes(const ir_op *fragment)
{
    ir_attr origins = ir_op_attr(fragment, "origin");
    int64_t max = -1;
    for (uint32_t i = 0; i < origins->count; i++)
        max = TW_MAX(max, transposes_of(origins->items[i]));
    return max;
}

int64_t mpmd_call_counter(const ir_op *op)
{
    return ir_attr_int(ir_op_attr(op, MPMD_CALL_COUNTER), -1);
}

int64_t mpmd_stage(const ir_op *fragment)
{
    return ir_attr_int(ir_op_attr(fragment, "stage_id"), -1);
}

bool mpmd_was_split(const ir_op *fragment)
{
    return ir_op_attr(fragment, MPMD_KEEP_TRANSFERRED) ||
           ir_op_attr(fragment, MPMD_DROP_TRANSFERRED);
}

bool mpmd_runs_next(const ir_op *first, const ir_op *second)
{
    ir_attr mesh = ir_op_attr(first, "mesh_name");
    for (ir_op *op = first->next; op; op = op->next)
        if (mpmd_is_fragment(op) && ir_op_attr(op, "mesh_name") == mesh)
            return op == second;
    return false;
}

void mpmd_set_counter(ir_op *op, const char *name, int64_t value)
{
    ir_op_set_attr(op, name,
                   ir_integer_attr(ir_integer_type(op->ctx, 32, IR_UNSIGNED), value));
}

void mpmd_set_inferred_by(ir_op *fragment, const char *who)
{
    ir_attr name = ir_string_attr(fragment->ctx, tw_str_from(who));
    ir_op_set_attr(fragment, MPMD_INFERRED_BY, ir_array_attr(fragment->ctx, &name, 1));
}

/* ---- changing fragments ------------------------------------------------------------- */

ir_op *mpmd_build_fragment(ir_builder *b, ir_attr mesh_name, const ir_type *results,
                           size_t n_results, const mpmd_values *operands, const char *who)
{
    ir_op *made = ir_build_op(
        b, MPMD_OP(fragment), results, n_results, operands->at, operands->n,
        IR_ATTRS({"origin", ir_array_attr(b->ctx, NULL, 0)}, {"mesh_name", mesh_name}), 1);
    mpmd_set_inferred_by(made, who);
    return made;
}

ir_block *mpmd_add_body(ir_op *fragment)
{
    ir_block *body = ir_block_create(fragment->ctx);
    ir_region_append(&fragment->regions[0], body);
    for (uint32_t i = 0; i < fragment->n_operands; i++) {
        ir_value *v = fragment->operands[i].value;
        ir_type t = v->type;
        ir_block_add_arg(fragment->ctx, body,
                         mpmd_is_mesh_tensor(t) ? t->params[MPMD_TYPE_TENSOR]->type : t,
                         ir_value_loc(v));
    }
    return body;
}

ir_op *mpmd_remake(ir_op *op, const ir_type *results, size_t n_results)
{
    mpmd_values operands = mpmd_operands(op);
    ir_op *made = ir_op_create(op->ctx, &(ir_op_state){.def = op->def,
                                                       .loc = op->loc,
                                                       .operands = operands.at,
                                                       .n_operands = operands.n,
                                                       .results = results,
                                                       .n_results = n_results,
                                                       .n_regions = op->n_regions,
                                                       .no_defaults = true});
    size_t n_props = ir_def_n_props(op->def);
    if (n_props)
        memcpy(made->props, op->props, n_props * sizeof *op->props);
    made->attrs = op->attrs;
    for (uint16_t r = 0; r < op->n_regions; r++)
        ir_region_take(&made->regions[r], &op->regions[r]);
    ir_op_insert_before(made, op);
    free(operands.at);
    return made;
}

/* Removes the marked items from a list of `n` entries, or from a list of shardings. */
static void filter_attr(ir_op *op, const char *name, const bool *erased, uint32_t n)
{
    ir_attr old = ir_op_attr(op, name);
    bool wrapped = ir_attr_is(old, IR_ATTR_DIALECT);
    ir_attr list = wrapped ? old->params[0] : old;
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || list->count != n)
        return;
    ir_attr *items = tw_xmalloc((n + 1u) * sizeof *items);
    size_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!erased[i])
            items[kept++] = list->items[i];
    ir_attr made = ir_array_attr(op->ctx, items, kept);
    ir_op_set_attr(op, name, wrapped ? ir_dialect_attr(op->ctx, old->def, &made, 1) : made);
    free(items);
}

ir_op *mpmd_erase_results(ir_op *op, const bool *erased)
{
    ir_op *end = op->n_regions ? mpmd_end(op) : NULL;
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    size_t n = 0;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!erased[i])
            types[n++] = op->results[i].type;
    for (uint32_t i = end ? op->n_results : 0; i-- > 0;)
        if (erased[i])
            ir_op_splice_operands(end, i, 1, NULL, 0);
    ir_op *made = mpmd_remake(op, types, n);
    filter_attr(made, "res_attrs", erased, op->n_results);
    filter_attr(made, "out_shardings", erased, op->n_results);
    for (uint32_t i = 0, k = 0; i < op->n_results; i++)
        if (!erased[i])
            ir_value_replace_uses(&op->results[i], &made->results[k++]);
    free(types);
    ir_op_erase(op);
    return made;
}

void mpmd_erase_operands(ir_op *op, const bool *erased)
{
    ir_block *body = ir_op_body(op, 0);
    uint32_t n = body ? TW_MIN(body->n_args, op->n_operands) : op->n_operands;
    ir_attr control = ir_op_attr(op, MPMD_CONTROL_START);
    filter_attr(op, "arg_attrs", erased, op->n_operands);
    filter_attr(op, "in_shardings", erased, op->n_operands);
    for (uint32_t i = n; i-- > 0;) {
        if (!erased[i])
            continue;
        ir_op_splice_operands(op, i, 1, NULL, 0);
        if (body)
            ir_block_erase_arg(body, i);
    }
    if (control)
        ir_op_set_attr(op, MPMD_CONTROL_START, ir_i64_attr(op->ctx, body->n_args));
}

/* The list of shardings has no entry for the new operand or result, so it is removed. */
ir_op *mpmd_add_result(ir_op *op, ir_value *inner, ir_type type)
{
    ir_op *end = mpmd_end(op);
    ir_type *types = tw_xmalloc((op->n_results + 1u) * sizeof *types);
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    types[op->n_results] = type;
    ir_op_splice_operands(end, end->n_operands, 0, &inner, 1);
    ir_op *made = mpmd_remake(op, types, op->n_results + 1u);
    ir_op_set_attr(made, "out_shardings", NULL);
    mpmd_replace_results(op, made);
    free(types);
    ir_op_erase(op);
    return made;
}

ir_value *mpmd_add_operand(ir_op *op, ir_value *v, ir_type inner)
{
    ir_op_set_attr(op, "in_shardings", NULL);
    ir_op_splice_operands(op, op->n_operands, 0, &v, 1);
    return ir_block_add_arg(op->ctx, ir_op_body(op, 0), inner, ir_value_loc(v));
}

void mpmd_drop_dead(ir_op *op)
{
    for (uint16_t r = 0; r < op->n_regions; r++)
        for (ir_block *b = op->regions[r].last; b; b = b->prev)
            for (ir_op *inner = b->last, *prev; inner; inner = prev) {
                prev = inner->prev;
                if (rw_is_trivially_dead(inner))
                    ir_op_erase(inner);
                else
                    mpmd_drop_dead(inner);
            }
}

void mpmd_replace_results(ir_op *op, ir_op *by)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], &by->results[i]);
}

void mpmd_set_at_readers(ir_value *v, ir_attr sharding)
{
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        ir_block *body = ir_op_body(use->owner, 0);
        size_t i = ir_operand_number(use);
        if (sharding && mpmd_is_fragment(use->owner) && i < body->n_args)
            sdy_set(body->args[i], sharding);
    }
}

ir_attr mpmd_io_attr(const ir_op *op, const char *list, size_t i, const char *name)
{
    ir_attr all = ir_op_attr(op, list);
    return ir_attr_is(all, IR_ATTR_ARRAY) && i < all->count &&
                   ir_attr_is(all->items[i], IR_ATTR_DICT)
               ? ir_dict_get(all->items[i], tw_str_from(name))
               : NULL;
}

void mpmd_set_io_attr(ir_op *op, const char *list, size_t n, size_t i, const char *name,
                      ir_attr value)
{
    ir_attr old = ir_op_attr(op, list), none = ir_dict_attr(op->ctx, NULL, 0);
    ir_attr *items = tw_xmalloc((n + 1) * sizeof *items);
    for (size_t k = 0; k < n; k++)
        items[k] = ir_attr_is(old, IR_ATTR_ARRAY) && k < old->count ? old->items[k] : none;
    ir_attr made =
        i < n ? ir_dict_set(op->ctx, items[i], ir_ident_from(op->ctx, name), value) : NULL;
    if (i < n)
        items[i] = made ? made : none;
    ir_op_set_attr(op, list, ir_array_attr(op->ctx, items, n));
    free(items);
}

void mpmd_default_io_attrs(ir_op *op, const char *list, size_t n)
{
    ir_attr none = ir_dict_attr(op->ctx, NULL, 0);
    ir_attr *items = tw_xmalloc((n + 1) * sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = none;
    if (!ir_op_attr(op, list))
        ir_op_set_attr(op, list, ir_array_attr(op->ctx, items, n));
    free(items);
}

/* ---- order -------------------------------------------------------------------------- */

void mpmd_add_control(ir_op *first, ir_op *second)
{
    ir_value *v = &first->results[0];
    if (!ir_op_attr(second, MPMD_CONTROL_START))
        ir_op_set_attr(second, MPMD_CONTROL_START,
                       ir_i64_attr(second->ctx, second->n_operands));
    ir_op_splice_operands(second, second->n_operands, 0, &v, 1);
}

void mpmd_remove_controls(ir_op *func)
{
    ir_op_list all = ir_ops_in(func, mpmd_is_fragment);
    for (size_t i = 0; i < all.n; i++) {
        int64_t start = ir_op_int(all.at[i], MPMD_CONTROL_START, -1);
        if (start < 0)
            continue;
        if (start < all.at[i]->n_operands)
            ir_op_splice_operands(all.at[i], (size_t)start,
                                  all.at[i]->n_operands - (size_t)start, NULL, 0);
        ir_op_set_attr(all.at[i], MPMD_CONTROL_START, NULL);
    }
    ir_op_list_free(&all);
}

void mpmd_number_ops(ir_block *block)
{
    uint32_t n = 0;
    for (ir_op *op = block->first; op; op = op->next)
        op->order = n++;
}

bool mpmd_depends(ir_op *first, ir_op *second)
{
    ir_mapping *seen = ir_mapping_create();
    ir_op_list open = {.n = 0};
    TW_PUSH(open.at, open.n, open.capacity, first);
    bool found = false;
    while (open.n && !found) {
        ir_op *op = open.at[--open.n];
        while (op && op->block != second->block)
            op = ir_op_parent(op);
        if (!op || op->order > second->order || ir_mapping_get(seen, op))
            continue;
        found = op == second;
        ir_mapping_set(seen, op, op);
        for (uint32_t i = 0; i < op->n_results; i++)
            for (ir_operand *use = op->results[i].uses; use; use = use->next_use)
                TW_PUSH(open.at, open.n, open.capacity, use->owner);
    }
    ir_mapping_free(seen);
    ir_op_list_free(&open);
    return found;
}
