/* rewrite.c: replaces operations on tensors by operations on buffers, and buf_run. */
#include "mlir/arith/arith.h"
#include "mlir/bufferization/bufferization.h"
#include "mlir/bufferization/one_shot/state.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "mlir/memref/memref_layout.h"
#include "mlir/shared/shape_checks.h"

#include <stdlib.h>

/* ---- types -------------------------------------------------------------------------- */

ir_type buf_identity_type(ir_type tensor, ir_attr space)
{
    return tensor->kind == IR_TYPE_TENSOR
               ? ir_memref_type(tensor->element, tensor->dims, tensor->count, NULL, space)
               : ir_unranked_memref_type(tensor->element, space);
}

ir_type buf_dynamic_type(ir_type tensor, ir_attr space)
{
    int64_t strides[SHAPE_MAX_RANK];
    if (tensor->kind != IR_TYPE_TENSOR && tensor->kind != IR_TYPE_MEMREF)
        return ir_unranked_memref_type(tensor->element, space);
    if (tensor->count > SHAPE_MAX_RANK)
        return buf_identity_type(tensor, space);
    for (uint32_t i = 0; i < tensor->count; i++)
        strides[i] = IR_DYNAMIC;
    return ir_memref_type(tensor->element, tensor->dims, tensor->count,
                          ir_strided_attr(tensor->ctx, strides, tensor->count, IR_DYNAMIC),
                          space);
}

ir_type buf_common_type(ir_type a, ir_type b)
{
    return a == b || a->kind != IR_TYPE_MEMREF || b->kind != IR_TYPE_MEMREF
               ? a
               : buf_dynamic_type(a, a->space);
}

/* ---- buffers ------------------------------------------------------------------------ */

static ir_type unknown_buffer_type(buf_rewrite *r, ir_type tensor)
{
    return r->options->identity_unknown ? buf_identity_type(tensor, NULL)
                                        : buf_dynamic_type(tensor, NULL);
}

static ir_builder after_value(ir_value *v)
{
    ir_op *op = v->is_argument ? NULL : ir_value_def(v);
    if (op)
        return ir_builder_after(op);
    ir_block *block = ir_value_block(v);
    return ir_builder_at_start(v->type->ctx, block, ir_value_loc(v));
}

ir_value *buf_buffer(buf_rewrite *r, ir_value *v)
{
    if (!buf_is_tensor(v->type))
        return v;
    ir_value *known = ir_mapping_get(r->buffers, v);
    if (known)
        return known;
    ir_builder b = after_value(v);
    ir_value *made = ir_build1(&b, BUFFERIZATION_OP(to_buffer),
                               unknown_buffer_type(r, v->type), &v, 1, NULL, 0);
    ir_mapping_set(r->buffers, v, made);
    return made;
}

ir_type buf_tensor_type(const buf_rewrite *r, const ir_value *v)
{
    ir_type before = (ir_type)ir_mapping_get(r->changed, v);
    return before ? before : v->type;
}

static void mark_dead(buf_rewrite *r, ir_op *op)
{
    TW_PUSH(r->dead.at, r->dead.n, r->dead.capacity, op);
}

void buf_replace(buf_rewrite *r, ir_op *op, ir_value *const *buffers)
{
    for (uint32_t i = 0; i < op->n_results; i++) {
        ir_value *result = ir_op_result(op, i);
        if (!buffers[i])
            continue;
        if (buf_is_tensor(result->type))
            ir_mapping_set(r->buffers, result, buffers[i]);
        else
            ir_value_replace_uses(result, buffers[i]);
    }
    mark_dead(r, op);
}

void buf_replace1(buf_rewrite *r, ir_op *op, ir_value *buffer)
{
    buf_replace(r, op, &buffer);
}

void buf_merge(buf_rewrite *r, ir_value *buffer, ir_value *by)
{
    TW_PUSH(r->merged, r->n_merged, r->merged_capacity, buffer);
    TW_PUSH(r->merged, r->n_merged, r->merged_capacity, by);
}

void buf_set_argument(buf_rewrite *r, ir_value *arg, ir_type type)
{
    ir_mapping_set(r->changed, arg, (void *)arg->type);
    arg->type = type;
}

ir_value *buf_alloc(buf_rewrite *r, ir_type memref, ir_value *const *sizes, size_t n)
{
    ir_context *ctx = r->b.ctx;
    int64_t align = r->options->alignment;
    return ir_build1(&r->b, MEMREF_OP(alloc), memref, sizes, n,
                     IR_ATTRS({"alignment", align ? ir_i64_attr(ctx, align) : NULL},
                              {"operandSegmentSizes",
                               ir_dense_i32_array(ctx, (int64_t[]){(int64_t)n, 0}, 2)}));
}

ir_value *buf_alloc_like(buf_rewrite *r, ir_value *buffer, ir_type memref)
{
    ir_value *sizes[SHAPE_MAX_RANK];
    size_t n = 0;
    for (uint32_t i = 0; i < memref->count && n < SHAPE_MAX_RANK; i++)
        if (memref->dims[i] == IR_DYNAMIC)
            sizes[n++] = ir_build1(&r->b, MEMREF_OP(dim), ir_index_type(r->b.ctx),
                                   IR_VALUES(buffer, arith_index(&r->b, i)), NULL, 0);
    return buf_alloc(r, memref, sizes, n);
}

static bool are_compatible_steps(int64_t a, int64_t b)
{
    return a == b || a == IR_DYNAMIC || b == IR_DYNAMIC;
}

static bool can_cast(ir_type from, ir_type to)
{
    memref_steps a, b;
    if (from->kind != IR_TYPE_MEMREF || to->kind != IR_TYPE_MEMREF)
        return from->kind == IR_TYPE_UNRANKED_MEMREF || to->kind == IR_TYPE_UNRANKED_MEMREF;
    if (from->count != to->count || from->space != to->space ||
        from->element != to->element || !memref_steps_of(from, &a) ||
        !memref_steps_of(to, &b) || !are_compatible_steps(a.offset, b.offset))
        return false;
    for (uint32_t i = 0; i < from->count; i++)
        if (!are_compatible_steps(a.stride[i], b.stride[i]) ||
            !are_compatible_steps(from->dims[i], to->dims[i]))
            return false;
    return true;
}

ir_value *buf_cast(buf_rewrite *r, ir_value *buffer, ir_type type)
{
    if (buffer->type == type)
        return buffer;
    if (can_cast(buffer->type, type))
        return ir_build1(&r->b, MEMREF_OP(cast), type, &buffer, 1, NULL, 0);
    ir_value *copy = buf_alloc_like(r, buffer, type);
    ir_build_op(&r->b, MEMREF_OP(copy), NULL, 0, IR_VALUES(buffer, copy), NULL, 0, 0);
    return copy;
}

/* ---- operations --------------------------------------------------------------------- */

/* True if an operand is a tensor, or was one and is an argument that became a buffer, or a
 * result is one. */
static bool has_tensors(const buf_rewrite *r, const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (ir_mapping_get(r->changed, ir_op_operand(op, i)))
            return true;
    return buf_has_tensors(op);
}

static bool rewrite_op(buf_rewrite *r, ir_op *op)
{
    const buf_model *m = buf_model_of(r->state, op);
    ir_builder outer = r->b;
    bool ok = true;
    bool tensors = has_tensors(r, op);
    if (m && m->bufferize && (tensors || op->def == FUNC_OP(func))) {
        r->b = ir_builder_before(op);
        ok = m->bufferize(r, op);
        r->b = outer;
        return ok;
    }
    if (tensors) {
        bool is_left_out = op->def == FUNC_OP(return ) || op->def == FUNC_OP(call);
        if (!r->options->allow_unknown &&
            !(is_left_out && !r->options->function_boundaries))
            return ir_error_at_op(op, "op was not bufferized");
        TW_PUSH(r->unknown.at, r->unknown.n, r->unknown.capacity, op);
    }
    for (uint16_t i = 0; ok && i < op->n_regions; i++)
        ok = buf_rewrite_region(r, &op->regions[i]);
    return ok;
}

bool buf_rewrite_region(buf_rewrite *r, ir_region *region)
{
    for (ir_block *block = region->first; block; block = block->next) {
        size_t n = 0;
        ir_op **ops = NULL;
        size_t capacity = 0;
        for (ir_op *op = block->first; op; op = op->next)
            TW_PUSH(ops, n, capacity, op);
        bool ok = true;
        for (size_t i = 0; ok && i < n; i++)
            ok = rewrite_op(r, ops[i]);
        free(ops);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- tensors that stay -------------------------------------------------------------- */

/* A tensor with the buffer's contents for an operation that was not bufferized. */
static ir_value *as_tensor(ir_op *user, ir_value *buffer, ir_type tensor)
{
    ir_builder b = ir_builder_before(user);
    return ir_build1(&b, BUFFERIZATION_OP(to_tensor), tensor, &buffer, 1, NULL, 0);
}

static void give_tensors(buf_rewrite *r)
{
    ir_mapping *dead = ir_mapping_create();
    for (size_t i = 0; i < r->dead.n; i++)
        ir_mapping_set(dead, r->dead.at[i], r->dead.at[i]);
    for (size_t i = 0; i < r->unknown.n; i++) {
        ir_op *op = r->unknown.at[i];
        for (uint32_t k = 0; k < op->n_operands; k++) {
            ir_value *v = ir_op_operand(op, k);
            ir_type tensor = (ir_type)ir_mapping_get(r->changed, v);
            ir_op *definer = v->is_argument ? NULL : ir_value_def(v);
            ir_value *buffer = tensor ? v
                               : definer && ir_mapping_get(dead, definer)
                                   ? ir_mapping_get(r->buffers, v)
                                   : NULL;
            if (buffer)
                ir_op_set_operand(op, k, as_tensor(op, buffer, tensor ? tensor : v->type));
        }
    }
    ir_mapping_free(dead);
}

/* Erases the replaced operations, users first. */
static void erase_dead(buf_rewrite *r)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = r->dead.n; i-- > 0;) {
            ir_op *op = r->dead.at[i];
            if (!op || !ir_op_is_unused(op))
                continue;
            ir_op_erase(op);
            r->dead.at[i] = NULL;
            changed = true;
        }
    }
}

static bool rewrite(buf_state *s, ir_op *module)
{
    buf_rewrite r = {
        .b = ir_builder_at_start(module->ctx, ir_op_body(module, 0), module->loc),
        .state = s,
        .options = s->options,
        .buffers = ir_mapping_create(),
        .changed = ir_mapping_create()};
    bool ok = true;
    for (size_t i = 0; ok && i < s->n_order; i++) /* callees first */
        ok = rewrite_op(&r, s->order[i]);
    for (ir_op *op = ir_op_body(module, 0)->first, *next; ok && op; op = next) {
        next = op->next;
        if (!buf_function_of(s, op))
            ok = rewrite_op(&r, op);
    }
    if (ok) {
        give_tensors(&r);
        erase_dead(&r);
        for (size_t i = 0; i + 1 < r.n_merged; i += 2)
            if (r.merged[i] != r.merged[i + 1])
                ir_value_replace_uses(r.merged[i], r.merged[i + 1]);
    }
    free(r.merged);
    ir_mapping_free(r.buffers);
    ir_mapping_free(r.changed);
    ir_op_list_free(&r.dead);
    ir_op_list_free(&r.unknown);
    return ok;
}

/* ---- running ------------------------------------------------------------------------ */

static ir_walk annotate(ir_op *op, void *user)
{
    buf_state *s = user;
    ir_context *ctx = op->ctx;
    bool any = false;
    if (!buf_model_of(s, op) || !op->n_operands)
        return IR_WALK_ON;
    ir_attr *texts = tw_xmalloc(op->n_operands * sizeof *texts);
    for (uint32_t i = 0; i < op->n_operands; i++) {
        bool tensor = buf_is_tensor(ir_op_operand(op, i)->type);
        any |= tensor;
        texts[i] =
            ir_string_attr(ctx, !tensor                                ? TW_STR("none")
                                : buf_is_in_place(s, &op->operands[i]) ? TW_STR("true")
                                                                       : TW_STR("false"));
    }
    if (any)
        ir_op_set_attr(op, "__inplace_operands_attr__",
                       ir_array_attr(ctx, texts, op->n_operands));
    free(texts);
    return IR_WALK_ON;
}

bool buf_run(ir_op *module, const buf_options *options)
{
    buf_state s;
    buf_state_begin(&s, module, options);
    bool ok = true;
    if (options->function_boundaries)
        ok = buf_analyze_functions(&s);
    else if (!options->copy_before_write)
        ok = buf_analyze(&s, module);
    else
        buf_copy_before_writes(&s, module);
    if (ok && options->analysis_only) {
        ir_walk_pre(module, annotate, &s);
    } else if (ok) {
        ok = buf_insert_copies(&s, module) && rewrite(&s, module);
    }
    buf_state_end(&s);
    return ok;
}
