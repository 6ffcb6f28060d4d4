/* linearize_memref.c: d2m-generic-linearize-memref: accesses to buffers in L1 get one
 * index, the tile's number in the buffer. */
#include "d2m/passes/nests.h"
#include "ir/pass/pass.h"
#include "mlir/affine/affine.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore.h"

static bool is_access(const ir_op *op)
{
    if (op->def != MEMREF_OP(load) && op->def != MEMREF_OP(store))
        return false;
    ir_type type = ir_op_operand(op, op->def == MEMREF_OP(store))->type;
    return type->count > 1 && type->count <= D2M_MAX_RANK &&
           d2m_space_of(type) == TTCORE_MemorySpace_DeviceL1 &&
           ir_type_has_static_shape(type) && !ir_attr_is(type->encoding, IR_ATTR_STRIDED);
}

/* At a block's start, behind what has been collapsed there. */
static ir_builder behind_collapses(ir_block *block)
{
    ir_op *at = block->first;
    while (ir_op_is(at, MEMREF_OP(collapse_shape)))
        at = at->next;
    ir_builder b =
        ir_builder_at_end(block->region->owner->ctx, block, block->region->owner->loc);
    b.before = at;
    return b;
}

/* Behind the load that fills the buffer; at the start of the generic that it is an operand
 * of; else behind its definition. */
static ir_builder collapse_position(ir_value *buffer, ir_op *access)
{
    ir_op *load = NULL, *generic = NULL;
    for (ir_operand *use = buffer->uses; use; use = use->next_use) {
        if (use->owner->def == D2M_OP(remote_load) &&
            ir_op_operand_named(use->owner, "localBuffer") == buffer)
            load = use->owner;
        if (use->owner->def == D2M_OP(generic))
            generic = use->owner;
    }
    ir_builder b;
    if (load)
        b = ir_builder_after(load);
    else if (generic)
        b = behind_collapses(ir_op_body(generic, 0));
    else if (ir_value_def(buffer))
        b = ir_builder_after(ir_value_def(buffer));
    else
        b = ir_builder_at_start(access->ctx, buffer->owner, access->loc);
    b.loc = access->loc;
    return b;
}

static ir_value *collapse(ir_value *buffer, ir_op *access)
{
    ir_builder b = collapse_position(buffer, access);
    ir_type type = buffer->type;
    ir_attr dims[D2M_MAX_RANK], group;
    ir_type i64 = ir_integer_type(b.ctx, 64, IR_SIGNLESS);
    for (uint32_t i = 0; i < type->count; i++)
        dims[i] = ir_integer_attr(i64, i);
    group = ir_array_attr(b.ctx, dims, type->count);
    int64_t n = ir_type_num_elements(type);
    /* A layout of the whole stays: it says how many buffers the memory is divided into. */
    ir_type flat = ir_memref_type(type->element, &n, 1, NULL, type->space);
    return ir_build1(&b, MEMREF_OP(collapse_shape), flat, &buffer, 1,
                     IR_ATTRS({"reassociation", ir_array_attr(b.ctx, &group, 1)}));
}

static ir_affine_map linear_map(ir_context *ctx, ir_type type)
{
    ir_affine sum = ir_affine_constant(ctx, 0);
    int64_t stride = 1;
    for (uint32_t i = type->count; i-- > 0; stride *= type->dims[i]) {
        ir_affine term = ir_affine_binary(ctx, IR_AFFINE_MUL, ir_affine_dim(ctx, i),
                                          ir_affine_constant(ctx, stride));
        sum = ir_affine_binary(ctx, IR_AFFINE_ADD, term, sum);
    }
    return ir_affine_map_get(ctx, type->count, 0, &sum, 1);
}

static void linearize(ir_op *op, ir_mapping *flat)
{
    size_t at = op->def == MEMREF_OP(store);
    ir_value *buffer = ir_op_operand(op, at), *whole = ir_mapping_get(flat, buffer);
    ir_value *indices[D2M_MAX_RANK];
    if (!whole) {
        whole = collapse(buffer, op);
        ir_mapping_set(flat, buffer, whole);
    }
    for (uint32_t i = 0; i < buffer->type->count; i++)
        indices[i] = ir_op_operand(op, at + 1 + i);
    ir_builder b = ir_builder_before(op);
    ir_affine_map map = linear_map(op->ctx, buffer->type);
    ir_value *index =
        ir_build1(&b, AFFINE_OP(apply), ir_index_type(op->ctx), indices,
                  buffer->type->count, IR_ATTRS({"map", ir_affine_map_attr(op->ctx, map)}));
    ir_op_set_operand(op, at, whole);
    ir_op_splice_operands(op, at + 1, buffer->type->count, &index, 1);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list ops = ir_ops_in(module, is_access);
    ir_mapping *flat = ir_mapping_create();
    for (size_t i = 0; i < ops.n; i++)
        linearize(ops.at[i], flat);
    ir_mapping_free(flat);
    ir_op_list_free(&ops);
    return true;
}

const pass_def d2m_generic_linearize_memref_pass = {
    .name = "d2m-generic-linearize-memref",
    .summary = "Linearize accesses to memrefs in d2m.generic",
    .anchor = "builtin.module",
    .run = run,
};
