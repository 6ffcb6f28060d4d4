/* d2m_subgraphs.c: ttnn-create-d2m-subgraphs: chains of element-wise operations become
 * functions that D2M compiles, each called by a ttnn.d2m_subgraph; ttnn-collaspe-d2m puts
 * the bodies of these functions where they are called. */
#include "ir/pass/pass.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "ttnn/build.h"

#include <stdio.h>
#include <stdlib.h>

/* Operations that may be in a chain. */
static bool is_elementwise(const ir_op *op)
{
    static const bool chained[TTNN_OP_COUNT] = {
#define ALONE false
#define CHAINED true
#define TTNN_ELEMENTWISE(ttnn, form, call, strip, whole, activation, chain, ...)           \
    [TTNN_##ttnn] = chain,
#include "ttnn/elementwise.def"
    };
    return op && op->def >= ttnn_ops && op->def < ttnn_ops + TTNN_OP_COUNT &&
           chained[op->def - ttnn_ops] && op->n_results == 1 &&
           ir_type_is_tensor(op->results[0].type) &&
           op->results[0].type->count <= TTNN_MAX_RANK;
}

/* ---- groups ------------------------------------------------------------------------- */

typedef struct op_list {
    ir_op **at;
    size_t n, capacity;
} op_list;

static bool has(const op_list *l, const ir_op *op)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i] == op)
            return true;
    return false;
}

/* Where a group may end: no other operation that could be in it reads the result. */
static bool is_exit(const ir_op *op)
{
    if (!is_elementwise(op))
        return false;
    for (const ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (is_elementwise(use->owner))
            return false;
    return true;
}

static bool all_users_in(const ir_op *op, const op_list *group)
{
    for (const ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (!has(group, use->owner))
            return false;
    return true;
}

/* Producers whose users are all in the group, from the exit backwards; in the order of the
 * block in the end. */
static void find_group(ir_op *exit, const op_list *taken, op_list *group)
{
    op_list stack = {0};
    TW_PUSH(group->at, group->n, group->capacity, exit);
    TW_PUSH(stack.at, stack.n, stack.capacity, exit);
    while (stack.n) {
        const ir_op *op = stack.at[--stack.n];
        for (uint32_t i = 0; i < op->n_operands; i++) {
            ir_op *producer = ir_value_def(ir_op_operand(op, i));
            if (!is_elementwise(producer) || producer->block != exit->block ||
                !ir_op_before(producer, exit) || has(taken, producer) ||
                has(group, producer) || !all_users_in(producer, group))
                continue;
            TW_PUSH(group->at, group->n, group->capacity, producer);
            TW_PUSH(stack.at, stack.n, stack.capacity, producer);
        }
    }
    free(stack.at);
    for (size_t i = 1; i < group->n; i++)
        for (size_t k = i; k > 0 && ir_op_before(group->at[k], group->at[k - 1]); k--) {
            ir_op *swap = group->at[k];
            group->at[k] = group->at[k - 1];
            group->at[k - 1] = swap;
        }
}

/* ---- a function for each ------------------------------------------------------------ */

typedef struct value_list {
    ir_value **at;
    size_t n, capacity;
} value_list;

static void find_inputs(const op_list *group, value_list *inputs)
{
    for (size_t i = 0; i < group->n; i++)
        for (uint32_t k = 0; k < group->at[i]->n_operands; k++) {
            ir_value *v = ir_op_operand(group->at[i], k);
            bool known = has(group, ir_value_def(v));
            for (size_t j = 0; !known && j < inputs->n; j++)
                known = inputs->at[j] == v;
            if (!known)
                TW_PUSH(inputs->at, inputs->n, inputs->capacity, v);
        }
}

static ir_op *build_func(ir_op *module, const op_list *group, const value_list *inputs,
                         ir_attr name)
{
    ir_context *ctx = module->ctx;
    ir_op *exit = group->at[group->n - 1];
    ir_loc loc = group->at[0]->loc;
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(module, 0), loc);
    ir_type *types = tw_xcalloc(inputs->n + 1, sizeof *types);
    ir_mapping *map = ir_mapping_create();
    for (size_t i = 0; i < inputs->n; i++)
        types[i] = inputs->at[i]->type;
    ir_type type = ir_function_type(ctx, types, inputs->n, &exit->results[0].type, 1);
    ir_op *func =
        ir_build_op(&b, FUNC_OP(func), NULL, 0, NULL, 0,
                    IR_ATTRS({"sym_name", name}, {"function_type", ir_type_attr(type)},
                             {"sym_visibility", ir_string_attr(ctx, TW_STR("private"))}),
                    1);
    ir_block *body = ir_block_create(ctx);
    ir_region_append(&func->regions[0], body);
    for (size_t i = 0; i < inputs->n; i++)
        ir_mapping_set(map, inputs->at[i], ir_block_add_arg(ctx, body, types[i], loc));
    b = ir_builder_at_end(ctx, body, loc);
    for (size_t i = 0; i < group->n; i++)
        ir_block_append(body, ir_op_clone(group->at[i], map));
    ir_value *result = ir_mapping_get(map, &exit->results[0]);
    ir_build_op(&b, FUNC_OP(return ), NULL, 0, &result, 1, NULL, 0, 0);
    ir_mapping_free(map);
    free(types);
    return func;
}

static void outline(ir_op *module, const op_list *group, size_t number)
{
    ir_context *ctx = module->ctx;
    ir_op *first = group->at[0], *exit = group->at[group->n - 1], *last = NULL;
    ir_type type = exit->results[0].type;
    value_list inputs = {0};
    char base[40];
    snprintf(base, sizeof base, "d2m_subgraph_%zu", number);
    ir_attr name = ir_symbol_free_name(module, base);
    find_inputs(group, &inputs);
    /* After all inputs, which may be later than the first operation. */
    for (size_t i = 0; i < inputs.n; i++) {
        ir_op *def = ir_value_def(inputs.at[i]);
        if (def && def->block == first->block && (!last || ir_op_before(last, def)))
            last = def;
    }
    build_func(module, group, &inputs, name);
    ir_builder b = last ? ir_builder_after(last) : ir_builder_before(first);
    b.loc = first->loc;
    ir_value *device = tnb_device(&b, b.before ? b.before : first);
    ir_value *empty =
        ir_build1(&b, TTNN_OP(empty), type, IR_VALUES(device),
                  IR_ATTRS({"shape", tnb_shape(ctx, type->dims, type->count)}));
    int64_t segments[] = {(int64_t)inputs.n, 1};
    TW_PUSH(inputs.at, inputs.n, inputs.capacity, empty);
    ir_op *call =
        ir_build_op(&b, TTNN_OP(d2m_subgraph), &type, 1, inputs.at, inputs.n,
                    IR_ATTRS({"d2m_func", ir_symbol_ref(ctx, ir_attr_str(name))},
                             {"operandSegmentSizes", ir_dense_i32_array(ctx, segments, 2)}),
                    0);
    ir_value_replace_uses(&exit->results[0], ir_op_result(call, 0));
    for (size_t i = group->n; i-- > 0;)
        ir_op_erase(group->at[i]);
    free(inputs.at);
}

static bool create(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list all = ir_ops_in(module, is_exit);
    op_list taken = {0}, *groups = tw_xcalloc(all.n + 1, sizeof *groups);
    size_t n = 0;
    /* In each block the last one first, as tt-mlir numbers them. */
    for (size_t i = 0; i < all.n;) {
        size_t end = i + 1;
        while (end < all.n && all.at[end]->block == all.at[i]->block)
            end++;
        for (size_t k = end; k-- > i;) {
            op_list group = {0};
            find_group(all.at[k], &taken, &group);
            if (group.n < 2) {
                free(group.at);
                continue;
            }
            for (size_t j = 0; j < group.n; j++)
                TW_PUSH(taken.at, taken.n, taken.capacity, group.at[j]);
            groups[n++] = group;
        }
        i = end;
    }
    for (size_t i = 0; i < n; i++) {
        ir_op *parent = ir_op_parent(groups[i].at[0]);
        while (parent && parent->def != BUILTIN_OP(module))
            parent = ir_op_parent(parent);
        outline(parent ? parent : module, &groups[i], i);
        free(groups[i].at);
    }
    free(groups);
    free(taken.at);
    ir_op_list_free(&all);
    return true;
}

const pass_def ttnn_create_d2m_subgraphs_pass = {
    .name = "ttnn-create-d2m-subgraphs",
    .title = "TTNNCreateD2MSubgraphs",
    .summary = "Outline chains of element-wise operations for D2M",
    .anchor = "builtin.module",
    .run = create,
};

/* ---- back --------------------------------------------------------------------------- */

static bool is_call(const ir_op *op)
{
    return op->def == TTNN_OP(d2m_subgraph);
}

static ir_op *callee_of(ir_op *call)
{
    ir_op *module = ir_op_parent(call);
    while (module && module->def != BUILTIN_OP(module))
        module = ir_op_parent(module);
    ir_attr ref = ir_op_attr(call, "d2m_func");
    ir_op *func = module ? ir_symbol_lookup(module, ir_symbol_leaf(ref)) : NULL;
    return ir_op_is(func, FUNC_OP(func)) ? func : NULL;
}

static bool inline_call(ir_op *call, ir_op *func)
{
    ir_block *body = func ? ir_op_body(func, 0) : NULL;
    ir_op *end = body ? body->last : NULL;
    if (!func)
        return ir_op_error(call, "could not find D2M function '%s' in parent module",
                           ir_attr_text(call->ctx, ir_op_attr(call, "d2m_func")));
    if (!ir_op_is(end, FUNC_OP(return )))
        return ir_op_error(call, "Function must have func.return terminator");
    if (end->n_operands != call->n_results)
        return ir_op_error(call, "Return value count mismatch: expected %u but got %u",
                           call->n_results, end->n_operands);
    ir_op_list inner = ir_ops_in(func, is_call);
    bool nested = inner.n != 0;
    ir_op_list_free(&inner);
    if (nested)
        return ir_op_error(call, "D2M function calls another one");
    ir_mapping *map = ir_mapping_create();
    for (uint32_t i = 0; i < body->n_args && i < call->n_operands; i++)
        ir_mapping_set(map, body->args[i], ir_op_operand(call, i));
    for (ir_op *op = body->first; op != end; op = op->next)
        ir_op_insert_before(ir_op_clone(op, map), call);
    for (uint32_t i = 0; i < call->n_results; i++) {
        ir_value *v = ir_mapping_get(map, ir_op_operand(end, i));
        ir_value_replace_uses(&call->results[i], v ? v : ir_op_operand(end, i));
    }
    ir_mapping_free(map);
    ir_op_erase(call);
    return true;
}

static bool collapse(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list calls = ir_ops_in(module, is_call);
    op_list funcs = {0};
    bool fine = true;
    for (size_t i = 0; fine && i < calls.n; i++) {
        ir_op *func = callee_of(calls.at[i]);
        fine = inline_call(calls.at[i], func);
        if (fine && !has(&funcs, func))
            TW_PUSH(funcs.at, funcs.n, funcs.capacity, func);
    }
    for (size_t i = 0; fine && i < funcs.n; i++)
        ir_op_erase(funcs.at[i]);
    free(funcs.at);
    ir_op_list_free(&calls);
    return fine;
}

const pass_def ttnn_collaspe_d2m_pass = {
    .name = "ttnn-collaspe-d2m",
    .title = "TTNNCollaspeD2M",
    .summary = "Put functions that D2M compiled where they are called",
    .anchor = "builtin.module",
    .run = collapse,
};
