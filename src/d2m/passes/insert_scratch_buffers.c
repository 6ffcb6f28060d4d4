/* insert_scratch_buffers.c: d2m-insert-scratch-buffers: a generic with several
 * linalg.generic operations gets a buffer in L1 for what it cannot keep in DST, and a
 * d2m.topk_block that makes its indices gets buffers for them. */
#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "ir/pass/pass.h"
#include "mlir/linalg/linalg.h"
#include "mlir/memref/memref.h"
#include "ttcore/ttcore_tile.h"

enum { SCRATCH_BYTES = 128 * 1024, LANE_TILE_ROWS = 2 };

static bool is_linalg_generic(const ir_op *op)
{
    return op->def == LINALG_OP(generic);
}

static size_t count_inside(ir_op *op, ir_op_test *test)
{
    ir_op_list found = ir_ops_in(op, test);
    size_t n = found.n;
    ir_op_list_free(&found);
    return n;
}

/* The element of the first tiled input, else of the first tiled output, or NULL. */
static ir_type reference_tile(const d2m_generic *g)
{
    for (uint32_t i = 0; i < g->n_io; i++) {
        ir_type type = d2m_generic_operand(g, i)->type;
        if (type->kind == IR_TYPE_MEMREF && ttcore_is_tile(type->element))
            return type->element;
    }
    return NULL;
}

/* Allocates scratch at the start of the body. */
static ir_op *add_scratch(ir_block *body, ir_op *after, ir_loc loc, ir_type type,
                          const char *role)
{
    ir_context *ctx = type->ctx;
    ir_builder b = after ? ir_builder_after(after) : ir_builder_at_start(ctx, body, loc);
    b.loc = loc;
    ir_op *alloc = ir_build_op(
        &b, MEMREF_OP(alloc), &type, 1, NULL, 0,
        IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(ctx, (int64_t[]){0, 0}, 2)}),
        0);
    ir_op_set_attr(alloc, "d2m.scratch_buffer", ir_unit_attr(ctx));
    if (role)
        ir_op_set_attr(alloc, role, ir_unit_attr(ctx));
    ir_value *buffer = ir_op_result(alloc, 0);
    return ir_build_op(&b, D2M_OP(scratch_init), NULL, 0, &buffer, 1, NULL, 0, 0);
}

/* Fusion marks linalg operations with the map of their results' blocks; the passes after
 * this one read it on the buffers. */
static void move_blocking_maps(ir_block *body)
{
    for (ir_op *op = body->first; op; op = op->next) {
        size_t first, n;
        ir_attr map =
            op->def == LINALG_OP(generic) ? ir_op_attr(op, "d2m.blocking_map") : NULL;
        if (!map || !ir_op_operand_group(op, 1, &first, &n))
            continue;
        for (size_t i = first; i < first + n; i++) {
            ir_op *alloc = ir_value_def(ir_op_operand(op, i));
            if (ir_op_is(alloc, MEMREF_OP(alloc)))
                ir_op_set_attr(alloc, "d2m.blocking_map", map);
        }
        ir_op_set_attr(op, "d2m.blocking_map", NULL);
    }
}

static void add_spill_buffer(const d2m_generic *g, ir_block *body)
{
    bool computes = false;
    for (uint16_t r = 0; r < g->op->n_regions; r++)
        computes |= d2m_generic_has_compute(g, r);
    ir_type tile = reference_tile(g);
    size_t linalgs = 0;
    for (ir_op *op = body->first; op; op = op->next)
        linalgs += count_inside(op, is_linalg_generic);
    if (!computes || !tile || linalgs < 2)
        return;
    int64_t tiles = TW_MAX(SCRATCH_BYTES / d2m_element_bytes(tile), 1);
    add_scratch(body, NULL, g->op->loc,
                ir_memref_type(tile, (int64_t[]){1, tiles}, 2, NULL,
                               d2m_memory_space(g->op->ctx, TTCORE_MemorySpace_DeviceL1)),
                NULL);
}

static bool makes_indices(const ir_op *op)
{
    return op->def == D2M_OP(topk_block) && ir_op_bool(op, "generate_indices");
}

/* A tile of indices for each tile of values, and the lane tile that they derive from. */
static void add_index_buffers(const d2m_generic *g, ir_block *body)
{
    ir_op_list found = ir_ops_in(g->op, makes_indices);
    ir_op *topk = found.n ? found.at[found.n - 1] : NULL;
    ir_op_list_free(&found);
    if (!topk)
        return;
    ir_type values = ir_op_operand_named(topk, "input_values")->type;
    ir_type indices = ir_op_operand_named(topk, "out_indices")->type;
    ir_attr l1 = d2m_memory_space(topk->ctx, TTCORE_MemorySpace_DeviceL1);
    if (values->kind != IR_TYPE_MEMREF || indices->kind != IR_TYPE_MEMREF)
        return;
    ir_op *last =
        add_scratch(body, NULL, topk->loc,
                    ir_memref_type(indices->element, values->dims, values->count, NULL, l1),
                    "d2m.topk_index_buffer");
    add_scratch(
        body, last, topk->loc,
        ir_memref_type(indices->element, (int64_t[]){LANE_TILE_ROWS, 1}, 2, NULL, l1),
        "d2m.topk_lane_buffer");
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; ok && i < generics.n; i++) {
        d2m_generic g;
        ok = d2m_generic_read(generics.at[i], &g);
        ir_block *body = ok ? d2m_generic_body(&g, 0) : NULL;
        if (!body)
            continue;
        move_blocking_maps(body);
        add_spill_buffer(&g, body);
        add_index_buffers(&g, body);
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_insert_scratch_buffers_pass = {
    .name = "d2m-insert-scratch-buffers",
    .title = "D2MInsertScratchBuffers",
    .summary = "Give fused d2m.generic operations a scratch buffer in L1",
    .anchor = "builtin.module",
    .run = run,
};
