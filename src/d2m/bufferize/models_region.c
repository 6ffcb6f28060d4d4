/* models_region.c: buffers of operations inside generics: loads, stores and block
 * operations write the buffer that their result is. */
#include "d2m/bufferize/models.h"

#include "d2m/generic.h"
#include "d2m/metal_layout.h"
#include "ir/like.h"
#include "mlir/memref/memref.h"

#include <stdlib.h>

/* Which operand groups of an operation are read, written, and tied to the results. */
typedef struct region_row {
    const ir_op_def *def;
    const char *reads[2], *writes[3], *results[2];
} region_row;

static const region_row rows[] = {
    {D2M_OP(arange_block),
     {"index_tile_tensor"},
     {"output", "index_tile_tensor"},
     {"output"}},
    {D2M_OP(embedding), {"indices", "weight"}, {"output"}, {"output"}},
    {D2M_OP(local_copy), {"src"}, {"dst"}, {"dst"}},
    {D2M_OP(remote_load), {"memref"}, {"localBuffer"}, {"localBuffer"}},
    {D2M_OP(remote_store), {"localBuffer"}, {"memref"}, {"memref"}},
    {D2M_OP(tile_tilize_block), {"input"}, {"output"}, {"output"}},
    {D2M_OP(tile_untilize_block), {"input"}, {"output"}, {"output"}},
    {D2M_OP(topk_block),
     {"input_values", "scratch_idx_tile"},
     {"out_values", "out_indices", "scratch_idx_tile"},
     {"out_values", "out_indices"}},
};

static const region_row *row_of(const ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(rows); i++)
        if (rows[i].def == op->def)
            return &rows[i];
    return NULL;
}

/* True if the operand's value is that of one of the named operands. */
static bool is_named(const ir_operand *use, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n && names[i]; i++)
        if (ir_op_operand_named(use->owner, names[i]) == use->value)
            return true;
    return false;
}

static bool row_reads(buf_state *s, const ir_operand *use)
{
    (void)s;
    return is_named(use, row_of(use->owner)->reads, 2);
}

static bool row_writes(buf_state *s, const ir_operand *use)
{
    (void)s;
    return is_named(use, row_of(use->owner)->writes, 3);
}

static void row_aliases(buf_state *s, ir_operand *use, buf_aliases *out)
{
    const region_row *row = row_of(use->owner);
    (void)s;
    for (size_t i = 0; i < 2 && row->results[i] && i < use->owner->n_results; i++)
        if (is_named(use, &row->results[i], 1))
            buf_add_alias(out, ir_op_result(use->owner, i), use, true, true);
}

/* The same operation on buffers, without results. */
static bool row_bufferize(buf_rewrite *r, ir_op *op)
{
    const region_row *row = row_of(op);
    ir_value *results[2] = {NULL, NULL};
    if (op->n_results == 0)
        return ir_op_error(op, "Expected result when CB is not present");
    ir_value **operands = tw_xmalloc((op->n_operands + 1) * sizeof *operands);
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = buf_buffer(r, ir_op_operand(op, i));
    /* The results of arange_block and topk_block are not optional. */
    bool keeps = op->def == D2M_OP(arange_block) || op->def == D2M_OP(topk_block);
    ir_type types[2];
    for (uint32_t i = 0; i < op->n_results && i < 2; i++) {
        ir_value *tied = row->results[i] ? ir_op_operand_named(op, row->results[i]) : NULL;
        results[i] = tied ? buf_buffer(r, tied) : NULL;
        types[i] = results[i] ? results[i]->type : op->results[i].type;
    }
    ir_op *made = ir_build_like(&r->b, op,
                                (ir_op_state){.loc = op->loc,
                                              .operands = operands,
                                              .n_operands = op->n_operands,
                                              .results = types,
                                              .n_results = keeps ? op->n_results : 0});
    made->attrs = op->attrs;
    buf_replace(r, op, results);
    free(operands);
    return true;
}

/* A load of an output inside its generic reads what the generic does not write before. */
static bool load_never_conflicts(buf_state *s, ir_op *op, const ir_operand *read,
                                 const ir_operand *write)
{
    d2m_generic g;
    const ir_op *parent = ir_op_parent(op);
    (void)s;
    if (!ir_op_is(op, D2M_OP(remote_load)) || write->owner != parent ||
        read->value != ir_op_operand_named(op, "memref") || !d2m_generic_of(parent, &g))
        return false;
    int64_t i = d2m_generic_index_of(&g, read->value);
    for (uint32_t k = 0; k < g.n_outputs; k++)
        if (d2m_generic_output(&g, k) == read->value)
            return true;
    return i >= g.n_inputs && i < g.n_io;
}

/* ---- embedding ---------------------------------------------------------------------- */

enum { SCRATCH_PAGE = 1024 }; /* elements */

static ir_value *scratch(buf_rewrite *r, ir_type element)
{
    ir_context *ctx = r->b.ctx;
    int64_t dims[] = {1, SCRATCH_PAGE};
    ir_type type = ir_memref_type(element, dims, 2, NULL,
                                  d2m_memory_space(ctx, TTCORE_MemorySpace_DeviceL1));
    ir_op *made = ir_build_op(
        &r->b, MEMREF_OP(alloc), &type, 1, NULL, 0,
        IR_ATTRS({"operandSegmentSizes", ir_dense_i32_array(ctx, (int64_t[]){0, 0}, 2)}),
        0);
    ir_op_set_attr(made, "d2m.synchronized_buffer", ir_i32_attr(ctx, 1));
    return ir_op_result(made, 0);
}

static bool embedding_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *indices = buf_buffer(r, ir_op_operand(op, 0));
    ir_value *weight = buf_buffer(r, ir_op_operand(op, 1));
    ir_value *output = buf_buffer(r, ir_op_operand(op, 2));
    ir_value *index_scratch = scratch(r, indices->type->element);
    ir_value *row_scratch = scratch(r, output->type->element);
    ir_build_op(&r->b, D2M_OP(indexed_row_copy), NULL, 0,
                IR_VALUES(indices, weight, output, index_scratch, row_scratch),
                IR_ATTRS({"numRows", ir_op_attr(op, "numIndices")},
                         {"rowWidth", ir_op_attr(op, "embeddingDim")},
                         {"indicesShape", ir_op_attr(op, "indicesShape")}),
                0);
    buf_replace1(r, op, output);
    return true;
}

/* ---- terminators and stores --------------------------------------------------------- */

static bool yield_bufferize(buf_rewrite *r, ir_op *op)
{
    buf_replace(r, op, NULL);
    return true;
}

/* d2m.store names the buffer that a value is to be computed in. */
static bool store_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_value *to = buf_buffer(r, ir_op_operand(op, 0));
    buf_merge(r, buf_buffer(r, ir_op_operand(op, 1)), to);
    buf_replace(r, op, NULL);
    return true;
}

static bool never_conflicts(buf_state *s, ir_op *op, const ir_operand *read,
                            const ir_operand *write)
{
    (void)s, (void)op, (void)read, (void)write;
    return true;
}

/* d2m.wait and d2m.reserve of a circular buffer of tensors. */
static bool cb_access_bufferize(buf_rewrite *r, ir_op *op)
{
    ir_type tensor = op->results[0].type;
    ir_value *cb = ir_op_operand(op, 0);
    ir_type memref = ir_memref_type(tensor->element, tensor->dims, tensor->count, NULL,
                                    d2m_memory_space(op->ctx, TTCORE_MemorySpace_DeviceL1));
    buf_replace1(r, op, ir_build1(&r->b, op->def, memref, &cb, 1, NULL, 0));
    return true;
}

#define ROW(id)                                                                            \
    {                                                                                      \
        .def = D2M_OP(id), .reads = row_reads, .writes = row_writes,                       \
        .aliases = row_aliases, .bufferize = row_bufferize                                 \
    }

static const buf_model models[] = {
    ROW(arange_block),
    {.def = D2M_OP(embedding),
     .reads = row_reads,
     .writes = row_writes,
     .aliases = row_aliases,
     .bufferize = embedding_bufferize},
    ROW(local_copy),
    {.def = D2M_OP(remote_load),
     .reads = row_reads,
     .writes = row_writes,
     .aliases = row_aliases,
     .never_conflicts = load_never_conflicts,
     .bufferize = row_bufferize},
    ROW(remote_store),
    {.def = D2M_OP(reserve), .bufferize = cb_access_bufferize},
    {.def = D2M_OP(spatial_yield), .bufferize = yield_bufferize},
    {.def = D2M_OP(store),
     .never_conflicts = never_conflicts,
     .bufferize = store_bufferize},
    ROW(tile_tilize_block),
    ROW(tile_untilize_block),
    ROW(topk_block),
    {.def = D2M_OP(wait), .bufferize = cb_access_bufferize},
    {.def = D2M_OP(yield), .bufferize = yield_bufferize},
};
const buf_model_table d2m_region_buffer_models = {models, TW_COUNT(models), NULL};
