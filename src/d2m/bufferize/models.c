/* models.c: buffers of d2m's operations on the host's side: allocations, views, transfers,
 * generics.  A generic's results are new values for the analysis, although they are the
 * buffers of its outputs. */
#include "d2m/bufferize/models.h"

#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "ir/like.h"
#include "mlir/memref/memref.h"
#include "ttir/ttir.h"

#include <stdlib.h>

static void result_is_output(buf_state *s, ir_operand *use, buf_aliases *out)
{
    (void)s;
    if (ir_operand_number(use) == 1 && use->owner->n_results)
        buf_add_alias(out, ir_op_result(use->owner, 0), use, true, true);
}

static void result_is_input(buf_state *s, ir_operand *use, buf_aliases *out)
{
    (void)s;
    buf_add_alias(out, ir_op_result(use->owner, 0), use, true, true);
}

static bool is_device(ir_type type)
{
    return d2m_is_metal_layout(type->kind == IR_TYPE_TENSOR ? type->encoding : NULL);
}

/* memref.alloc without the alignment of host buffers. */
static ir_op *alloc(ir_builder *b, ir_type memref)
{
    return ir_build_op(
        b, MEMREF_OP(alloc), &memref, 1, NULL, 0,
        IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(b->ctx, (int64_t[]){0, 0}, 2)}),
        0);
}

/* ---- d2m.empty ---------------------------------------------------------------------- */

static bool empty_bufferize(buf_rewrite *r, ir_op *op)
{
    static const char *const maps[][2] = {
        {"virtualGridInverseMapping", "d2m.virtualGridInverseMapping"},
        {"virtualGridForwardMapping", "d2m.virtualGridForwardMapping"},
        {"d2m.reduction_scaler", "d2m.reduction_scaler"}};
    ir_type type = op->results[0].type;
    ir_value *none[] = {NULL};
    if (ir_op_is_unused(op)) {
        buf_replace(r, op, none);
        return true;
    }
    bool ttnn = type->encoding && !is_device(type) &&
                ir_attr_is(type->encoding, IR_ATTR_DIALECT) &&
                strncmp(type->encoding->def->mnemonic, "ttnn.", 5) == 0;
    if (ttnn && r->options->allow_unknown)
        return true; /* stays a tensor of TTNN */
    ir_op *made = alloc(&r->b, d2m_buffer_type(type, false, NULL));
    for (size_t i = 0; i < TW_COUNT(maps); i++)
        if (ir_op_attr(op, maps[i][0]))
            ir_op_set_attr(made, maps[i][1], ir_op_attr(op, maps[i][0]));
    buf_replace1(r, op, ir_op_result(made, 0));
    return true;
}

static bool defines_always(buf_state *s, ir_value *result)
{
    (void)s, (void)result;
    return true;
}

/* ---- transfers and views ------------------------------------------------------------ */

static bool to_layout_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *in = buf_buffer(r, ir_op_operand(op, 0));
    ir_value *out = buf_buffer(r, ir_op_operand(op, 1));
    ir_op *made =
        ir_build_op(&r->b, D2M_OP(to_layout), NULL, 0, IR_VALUES(in, out), NULL, 0, 0);
    made->attrs = op->attrs;
    buf_replace1(r, op, out);
    return true;
}

/* The padded buffer that the host's side needs, or NULL. */
static ir_op *padded_host(buf_rewrite *r, ir_op *op, ir_type tensor)
{
    ir_type type = d2m_buffer_type(tensor, false, ir_op_attr(op, "layout"));
    ir_attr layout = type->encoding;
    int64_t shape[D2M_MAX_RANK], volume = 1;
    if (!ir_attr_is(layout, IR_ATTR_DIALECT) || layout->def != TTCORE_ATTR(host_layout))
        return NULL;
    int64_t n = ir_attr_ints(ir_attr_param(layout, "logical_shape"), shape, D2M_MAX_RANK);
    for (int64_t i = 0; i < TW_MIN(n, (int64_t)D2M_MAX_RANK); i++)
        if (__builtin_mul_overflow(volume, shape[i], &volume))
            return NULL;
    return ir_attr_int(ir_attr_param(layout, "host_volume"), 0) > volume
               ? alloc(&r->b, type)
               : NULL;
}

static void build_copy(buf_rewrite *r, ir_value *from, ir_value *to)
{
    ir_build_op(&r->b, MEMREF_OP(copy), NULL, 0, IR_VALUES(from, to), NULL, 0, 0);
}

static bool host_transfer_bufferize(buf_rewrite *r, ir_op *op)
{
    bool to_device = op->def == D2M_OP(to_device);
    ir_type host = buf_tensor_type(r, ir_op_operand(op, to_device ? 0 : 1));
    ir_value *in = buf_buffer(r, ir_op_operand(op, 0));
    ir_value *out = buf_buffer(r, ir_op_operand(op, 1));
    ir_op *padded = buf_is_tensor(host) ? padded_host(r, op, host) : NULL;
    ir_value *from = in, *to = out;
    if (padded && to_device) {
        from = ir_op_result(padded, 0);
        build_copy(r, in, from);
    } else if (padded) {
        to = ir_op_result(padded, 0);
    }
    ir_build_op(&r->b, op->def, NULL, 0, IR_VALUES(from, to),
                IR_ATTRS({"layout", ir_op_attr(op, "layout")}), 0);
    if (padded && !to_device)
        build_copy(r, to, out);
    buf_replace1(r, op, out);
    return true;
}

static bool view_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *in = buf_buffer(r, ir_op_operand(op, 0));
    ir_type type = d2m_buffer_type(op->results[0].type, true, NULL);
    buf_replace1(
        r, op,
        ir_build1(&r->b, D2M_OP(view_layout), type, &in, 1,
                  IR_ATTRS({"remapping", ir_op_attr(op, "remapping")},
                           {"reinterpretLayout", ir_op_attr(op, "reinterpretLayout")})));
    return true;
}

static bool composite_bufferize(buf_rewrite *r, ir_op *op)
{
    int64_t *sizes = tw_xmalloc((op->n_operands + 1) * sizeof *sizes);
    ir_value **inputs = tw_xmalloc((op->n_operands + 1) * sizeof *inputs);
    ir_type out = op->results[0].type;
    int64_t dim = ir_op_int(op, "dim", 0);
    bool ok = true;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        d2m_layout layout;
        ir_value *v = ir_op_operand(op, i);
        ok = ok && d2m_layout_of(buf_tensor_type(r, v), &layout) && dim >= 0 &&
             dim < layout.logical.n;
        sizes[i] = ok ? layout.logical.at[dim] : 0;
        inputs[i] = buf_buffer(r, v);
    }
    ir_attr given = ir_op_attr(op, "logicalSizes");
    ir_attr logical = d2m_is_tiled(out) ? NULL
                      : ok              ? ir_dense_i64_array(op->ctx, sizes, op->n_operands)
                                        : given;
    buf_replace1(
        r, op,
        ir_build1(&r->b, D2M_OP(composite_view), d2m_buffer_type(out, true, NULL), inputs,
                  op->n_operands,
                  IR_ATTRS({"dim", ir_op_attr(op, "dim")}, {"logicalSizes", logical})));
    free(sizes);
    free(inputs);
    return true;
}

/* A view makes the input's type that of the output, which d2m.mask requires. */
static bool mask_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *in = buf_buffer(r, ir_op_operand(op, 0));
    ir_value *out = buf_buffer(r, ir_op_operand(op, 1));
    if (in->type != out->type) {
        in = in->type->element == out->type->element && in->type->space == out->type->space
                 ? d2m_build_view(&r->b, in, out->type)
                 : NULL;
        if (!in)
            return ir_op_error(op, "bufferized input and output types are incompatible");
    }
    ir_build1(&r->b, D2M_OP(mask), out->type, IR_VALUES(in, out),
              IR_ATTRS({"logicalShape", ir_op_attr(op, "logicalShape")},
                       {"fill_value", ir_op_attr(op, "fill_value")}));
    buf_replace1(r, op, out);
    return true;
}

/* ---- one buffer to another ---------------------------------------------------------- */

static bool mesh_shard_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *in = buf_buffer(r, ir_op_operand(op, 0));
    buf_replace1(r, op,
                 ir_build1(&r->b, D2M_OP(mesh_shard),
                           d2m_buffer_type(op->results[0].type, false, NULL), &in, 1,
                           IR_ATTRS({"shard_type", ir_op_attr(op, "shard_type")},
                                    {"shard_direction", ir_op_attr(op, "shard_direction")},
                                    {"shard_shape", ir_op_attr(op, "shard_shape")},
                                    {"shard_dims", ir_op_attr(op, "shard_dims")})));
    return true;
}

static bool semaphore_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_op_set_operand(op, 0, buf_buffer(r, ir_op_operand(op, 0)));
    return true;
}

/* Between TTNN's tensors, which stay, and buffers. */
static bool cast_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0);
    ir_type out = op->results[0].type, from = buf_tensor_type(r, in);
    if (is_device(from)) {
        ir_op_set_operand(op, 0, buf_buffer(r, in));
        return true;
    }
    if (!is_device(out))
        return !buf_is_tensor(from) || !buf_is_tensor(out) ||
               ir_op_error(op, "Neither input or output uses metal_layout");
    ir_type type = d2m_buffer_type(out, false, NULL);
    buf_replace1(r, op,
                 ir_build1(&r->b, op->def, type, &in, 1,
                           IR_ATTRS({"virtual_grid_inverse_mapping",
                                     ir_op_attr(op, "virtual_grid_inverse_mapping")},
                                    {"virtual_grid_forward_mapping",
                                     ir_op_attr(op, "virtual_grid_forward_mapping")})));
    return true;
}

/* ---- generics ----------------------------------------------------------------------- */

static bool generic_reads(buf_state *s, const ir_operand *use)
{
    (void)s;
    return ir_operand_number(use) < d2m_group_size(use->owner, "inputs");
}

static bool generic_writes(buf_state *s, const ir_operand *use)
{
    size_t first = d2m_group_size(use->owner, "inputs"), i = ir_operand_number(use);
    (void)s;
    return i >= first && i < first + d2m_group_size(use->owner, "outputs");
}

static bool generic_is_writable(buf_state *s, const ir_value *v)
{
    (void)s, (void)v;
    return true;
}

/* d2m.get_cb of tensors becomes one of buffers. */
static ir_walk retype_cb(ir_op *op, void *user)
{
    ir_type type = op->def == D2M_OP(get_cb) ? op->results[0].type : NULL;
    ir_attr inner = type ? ir_type_param(type, "underlying") : NULL;
    (void)user;
    if (!ir_attr_is(inner, IR_ATTR_TYPE) || inner->type->kind != IR_TYPE_TENSOR)
        return IR_WALK_ON;
    ir_type tensor = inner->type;
    ir_attr param = ir_type_attr(
        ir_memref_type(tensor->element, tensor->dims, tensor->count, NULL,
                       d2m_memory_space(op->ctx, TTCORE_MemorySpace_DeviceL1)));
    op->results[0].type = ir_dialect_type(op->ctx, D2M_TYPE(cb), &param, 1);
    return IR_WALK_ON;
}

/* Rebuilds a generic or spatial on buffers, with the regions of the old one. */
static bool regions_bufferize(buf_rewrite *r, ir_op *op)
{
    size_t inputs = d2m_group_size(op, "inputs"), outputs = d2m_group_size(op, "outputs");
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = buf_buffer(r, ir_op_operand(op, i));
    bool ok = true;
    ir_builder at = r->b;
    for (uint16_t k = 0; ok && k < op->n_regions; k++)
        ok = buf_rewrite_region(r, &op->regions[k]);
    r->b = at;
    if (ok) {
        ir_op *made = ir_build_like(&r->b, op,
                                    (ir_op_state){.loc = op->loc,
                                                  .operands = operands,
                                                  .n_operands = op->n_operands,
                                                  .n_regions = op->n_regions});
        made->attrs = op->attrs;
        for (uint16_t k = 0; k < op->n_regions; k++)
            ir_region_take(&made->regions[k], &op->regions[k]);
        if (op->def == D2M_OP(generic))
            ir_walk_pre(made, retype_cb, NULL);
        if (op->n_results == outputs || op->n_results == 0)
            buf_replace(r, op, operands + inputs);
        else
            ok = ir_op_error(op, "expected one result for each output");
    }
    free(operands);
    return ok;
}

static const buf_model models[] = {
    {.def = D2M_OP(composite_view), .bufferize = composite_bufferize},
    {.def = D2M_OP(create_global_semaphore),
     .writes = buf_always,
     .bufferize = semaphore_bufferize},
    {.def = D2M_OP(empty), .defines = defines_always, .bufferize = empty_bufferize},
    {.def = D2M_OP(generic),
     .reads = generic_reads,
     .writes = generic_writes,
     .is_writable = generic_is_writable,
     .bufferize = regions_bufferize},
    {.def = D2M_OP(mask),
     .reads = buf_is_first,
     .writes = buf_is_second,
     .aliases = result_is_output,
     .bufferize = mask_bufferize},
    {.def = D2M_OP(mesh_shard), .reads = buf_always, .bufferize = mesh_shard_bufferize},
    {.def = D2M_OP(spatial),
     .reads = generic_reads,
     .writes = generic_writes,
     .bufferize = regions_bufferize},
    {.def = D2M_OP(to_device),
     .reads = buf_is_first,
     .writes = buf_is_second,
     .aliases = result_is_output,
     .bufferize = host_transfer_bufferize},
    {.def = D2M_OP(to_host),
     .reads = buf_is_first,
     .writes = buf_is_second,
     .aliases = result_is_output,
     .bufferize = host_transfer_bufferize},
    {.def = D2M_OP(to_layout),
     .reads = buf_is_first,
     .writes = buf_is_second,
     .aliases = result_is_output,
     .bufferize = to_layout_bufferize},
    {.def = D2M_OP(view_layout), .aliases = result_is_input, .bufferize = view_bufferize},
    {.def = TTIR_OP(ttnn_metal_layout_cast), .bufferize = cast_bufferize},
};
const buf_model_table d2m_buffer_models = {models, TW_COUNT(models), NULL};
