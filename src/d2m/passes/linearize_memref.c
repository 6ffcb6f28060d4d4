/* linearize_memref.c: d2m-generic-linearize-memref: accesses of buffers in L1 of several
 * dimensions become accesses of the same buffer with one dimension. */
#include "d2m/generic.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore.h"

static bool is_access(const ir_op *op)
{
    return op->def == MEMREF_OP(load) || op->def == MEMREF_OP(store);
}

static ir_value *accessed(const ir_op *op)
{
    return ir_op_operand(op, op->def == MEMREF_OP(store));
}

/* True for a buffer in L1 whose elements lie in row-major order; circular buffers' layouts
 * do not reorder them. */
static bool is_row_major_in_l1(ir_type type)
{
    if (type->kind != IR_TYPE_MEMREF || type->count < 2 ||
        !ir_type_has_static_shape(type) ||
        ir_enum_value(type->space, -1) != TTCORE_MemorySpace_DeviceL1)
        return false;
    ir_attr layout = type->encoding;
    return !layout ||
           (ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(cb_layout));
}

/* Where the one-dimensional buffer is made: after the load that fills it, at the start of
 * the generic that it is an operand of, or after its definition. */
static bool set_position(const ir_value *buffer, const ir_op *access, ir_builder *b)
{
    ir_op *load = NULL;
    for (ir_operand *use = buffer->uses; use; use = use->next_use) {
        ir_op *op = use->owner;
        if (op->def != D2M_OP(remote_load) ||
            ir_op_operand_named(op, "localBuffer") != buffer)
            continue;
        if (load)
            return ir_op_error(op, "fills a buffer that another d2m.remote_load fills; "
                                   "accesses to it cannot be linearized");
        load = op;
    }
    if (load) {
        *b = ir_builder_after(load);
        return true;
    }
    ir_op *generic = d2m_generic_around(access);
    for (const ir_operand *use = buffer->uses; generic && use; use = use->next_use)
        if (use->owner == generic) {
            ir_op *at = ir_op_body(generic, 0)->first;
            while (at->def == MEMREF_OP(collapse_shape) && at->next)
                at = at->next;
            *b = ir_builder_before(at);
            b->loc = access->loc;
            return true;
        }
    ir_op *made = ir_value_def(buffer);
    *b = made ? ir_builder_after(made)
              : ir_builder_at_start(access->ctx, ir_value_block(buffer), access->loc);
    return true;
}

static ir_value *collapse(ir_builder *b, ir_value *buffer)
{
    ir_context *ctx = b->ctx;
    ir_type type = buffer->type;
    int64_t dims[D2M_MAX_RANK], elements = ir_type_num_elements(type);
    for (uint32_t i = 0; i < type->count; i++)
        dims[i] = i;
    ir_attr group = ir_i64_array_attr(ctx, dims, type->count);
    return ir_build1(b, MEMREF_OP(collapse_shape),
                     ir_memref_type(type->element, &elements, 1, NULL, type->space),
                     &buffer, 1,
                     IR_ATTRS({"reassociation", ir_array_attr(ctx, &group, 1)}));
}

static ir_affine_map row_major_index(ir_type type)
{
    ir_context *ctx = type->ctx;
    ir_affine index = ir_affine_constant(ctx, 0);
    int64_t stride = 1;
    for (uint32_t i = type->count; i-- > 0;) {
        ir_affine term = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, i),
                                          ir_affine_constant(ctx, stride));
        index = ir_affine_binary(ctx, IR_AFFINE_ADD, term, index);
        stride *= type->dims[i];
    }
    return ir_affine_map_get(ctx, type->count, 0, &index, 1);
}

/* The collapsed form of every buffer that has one. */
static bool linearize(ir_op *op, ir_mapping *collapsed)
{
    ir_value *buffer = accessed(op);
    size_t first = op->def == MEMREF_OP(store) ? 2 : 1;
    ir_type type = buffer->type;
    ir_value *indices[D2M_MAX_RANK];
    if (!is_row_major_in_l1(type) || type->count > D2M_MAX_RANK ||
        op->n_operands != first + type->count || ir_type_num_elements(type) < 0)
        return true;
    ir_value *flat = ir_mapping_get(collapsed, buffer);
    if (!flat) {
        ir_builder at;
        if (!set_position(buffer, op, &at))
            return false;
        flat = collapse(&at, buffer);
        ir_mapping_set(collapsed, buffer, flat);
    }
    for (uint32_t i = 0; i < type->count; i++)
        indices[i] = ir_op_operand(op, first + i);
    ir_builder b = ir_builder_before(op);
    ir_value *index =
        ir_build1(&b, AFFINE_OP(apply), ir_index_type(op->ctx), indices, type->count,
                  IR_ATTRS({"map", ir_affine_map_attr(op->ctx, row_major_index(type))}));
    ir_op_set_operand(op, first - 1, flat);
    ir_op_splice_operands(op, first, type->count, &index, 1);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list accesses = ir_ops_in(module, is_access);
    ir_mapping *collapsed = ir_mapping_create();
    bool ok = true;
    for (size_t i = 0; ok && i < accesses.n; i++)
        ok = linearize(accesses.at[i], collapsed);
    ir_mapping_free(collapsed);
    ir_op_list_free(&accesses);
    return ok;
}

const pass_def d2m_generic_linearize_memref_pass = {
    .name = "d2m-generic-linearize-memref",
    .title = "D2MGenericLinearizeMemref",
    .summary = "Access buffers in L1 with one linear index",
    .anchor = "builtin.module",
    .run = run,
};
