/* d2m_rules.c: verifier rules of the d2m operations, one list per operation (see
 * ir/rules/rules.h for the language): allowed parents and operands.  Messages are word
 * for word tt-mlir's. */
#include "d2m/d2m_verify.h"
#include "ir/rules/rules.h"
#include "mlir/func/func.h"

/* ---- shared by the checks ----------------------------------------------------------- */

bool d2m_is_device_layout(ir_attr layout)
{
    return ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def->traits &&
           strstr(layout->def->traits, "DeviceLayoutInterface");
}

bool d2m_is_remote(ir_type type)
{
    return (type->kind == IR_TYPE_TENSOR || type->kind == IR_TYPE_MEMREF) &&
           d2m_is_device_layout(type->encoding);
}

bool d2m_is_tiled(ir_type type)
{
    ir_type e = ir_type_is_shaped(type) ? type->element : type;
    return e->kind == IR_TYPE_DIALECT && e->def == TTCORE_TYPE(tile);
}

void d2m_half_of(ir_type type, bool shard, d2m_shape *out)
{
    uint32_t half = type->count / 2;
    out->n = TW_MIN(half, (uint32_t)D2M_MAX_RANK);
    for (uint32_t i = 0; i < out->n; i++)
        out->at[i] = type->dims[i + (shard ? half : 0)];
}

const char *d2m_shape_text(ir_context *ctx, const d2m_shape *s)
{
    tw_strbuf text = {0};
    for (uint32_t i = 0; i < s->n; i++)
        tw_strbuf_printf(&text, "%s%lld", i ? ", " : "", (long long)s->at[i]);
    const char *copy = tw_arena_printf(ir_context_arena(ctx), "%s",
                                       text.size ? tw_strbuf_text(&text) : "");
    tw_strbuf_free(&text);
    return copy;
}

size_t d2m_group_size(const ir_op *op, const char *group)
{
    size_t first, n;
    return ir_op_operand_group(op, ir_op_operand_index(op->def, group), &first, &n) ? n : 0;
}

ir_op *d2m_enclosing(const ir_op *op, const ir_op_def *def)
{
    ir_op *parent = ir_op_parent(op);
    while (parent && parent->def != def)
        parent = ir_op_parent(parent);
    return parent;
}

bool d2m_is_of_tensors(const ir_op *op)
{
    for (size_t group = 0; group < 2; group++) {
        size_t first, n;
        if (!ir_op_operand_group(op, group, &first, &n))
            return false;
        for (size_t i = first; i < first + n; i++)
            if (ir_op_operand(op, i)->type->kind != IR_TYPE_TENSOR)
                return false;
    }
    return true;
}

/* ---- allowed parents ---------------------------------------------------------------- */

/* True if the enclosing thread is unified or of that kind; also true without a thread. */
static bool is_in_thread(ir_op *op, int64_t kind)
{
    ir_op *at = op, *parent = ir_op_parent(op);
    while (parent && parent->def != D2M_OP(generic)) {
        at = parent;
        parent = ir_op_parent(at);
    }
    if (!parent)
        return true;
    size_t region = (size_t)(at->block->region - parent->regions);
    ir_attr threads = ir_op_attr(parent, "threads");
    if (!ir_attr_is(threads, IR_ATTR_ARRAY) || region >= threads->count)
        return true;
    int64_t found = ir_attr_int(ir_attr_param(threads->items[region], "threadType"), -1);
    return found == kind || found == D2M_ThreadType_Unified;
}

static bool check_place(ir_op *op)
{
    static const struct {
        const char *trait, *text;
        int64_t kind;
    } threads[] = {
        {"D2M_GenericRegionComputeOpTrait", "compute", D2M_ThreadType_Compute},
        {"D2M_GenericRegionDatamovementOpTrait", "datamovement",
         D2M_ThreadType_Datamovement},
    };
    CHK_ERROR_IF(ir_def_has(op->def, "GenericParent") &&
                     !d2m_enclosing(op, D2M_OP(generic)) &&
                     !d2m_enclosing(op, FUNC_OP(func)),
                 "D2M Generic Ops must be inside a generic region");
    for (size_t i = 0; i < TW_COUNT(threads); i++)
        CHK_ERROR_IF(ir_def_has(op->def, threads[i].trait) &&
                         !is_in_thread(op, threads[i].kind),
                     "expected to be in a %s or unified region", threads[i].text);
    return true;
}

/* A yield's operands are the tensors of the operation it terminates. */
static bool check_yield(ir_op *op)
{
    bool spatial = op->def == D2M_OP(spatial_yield);
    const ir_op *parent = d2m_enclosing(op, spatial ? D2M_OP(spatial) : D2M_OP(generic));
    CHK_ERROR_IF(!parent || !d2m_is_of_tensors(parent),
                 "used outside of %s op with pure tensor semantics",
                 spatial ? "spatial" : "generic");
    return true;
}

static bool check_core_index(ir_op *op)
{
    const ir_op *parent = d2m_enclosing(op, D2M_OP(generic));
    int64_t grid[D2M_MAX_RANK], dim = ir_op_int(op, "dim", 0);
    int64_t rank = parent ? ir_attr_ints(ir_attr_param(ir_op_attr(parent, "grid"), "shape"),
                                         grid, D2M_MAX_RANK)
                          : -1;
    CHK_ERROR_IF(rank >= 0 && dim >= rank, "dim %lld exceeds grid rank %lld",
                 (long long)dim, (long long)rank);
    return true;
}

/* ---- tiles -------------------------------------------------------------------------- */

/* True if operand `name` is a tile with elements of that kind. */
static bool is_tile_of(const ir_op *op, const char *name, bool floats)
{
    const ir_value *v = ir_op_operand_named(op, name);
    ir_type element = v && v->type->kind == IR_TYPE_DIALECT && v->type->def->element
                          ? v->type->def->element(v->type)
                          : NULL;
    if (!element)
        return true; /* block floats, and types that are no tile: covered by constraints */
    return floats ? element->kind == IR_TYPE_FLOAT
                  : element->kind == IR_TYPE_INTEGER && element->width == 32 &&
                        element->sign == IR_SIGNED;
}

static bool check_reduce(ir_op *op)
{
    CHK_ERROR_IF(!is_tile_of(op, "a", true) || !is_tile_of(op, "b", true) ||
                     !is_tile_of(op, "c", true),
                 "requires float tile element types; use the matching tile_sfpu_reduce_* "
                 "op for integer reductions");
    return true;
}

static bool check_sfpu_reduce(ir_op *op)
{
    CHK_ERROR_IF(!is_tile_of(op, "a", false) || !is_tile_of(op, "c", false),
                 "requires signed 32-bit integer tile element types; use the matching "
                 "tile_reduce_* op for float reductions");
    return true;
}

static bool check_clamp(ir_op *op)
{
    CHK_ERROR_IF(ir_attr_is(ir_op_attr(op, "min"), IR_ATTR_INTEGER) !=
                     ir_attr_is(ir_op_attr(op, "max"), IR_ATTR_INTEGER),
                 "min and max attributes must be the same type (both F32Attr or both "
                 "I32Attr)");
    return true;
}

/* clang-format off */
#define TILED(x) "kind(elt(" #x ")) == 'ttcore.tile'"

#define TOPK_TILES(cls)                                                                         \
    {"not (" TILED(values) " and " TILED(indices) " and " TILED(out_values) " and "            \
     TILED(out_indices) ")",                                                                    \
     "operands to " cls " must have ttcore.tile element type"}

#define RESULT_IS_OUTPUT                                                                        \
    {"result and type(result) != type(output)", "result type must match output parameter type"}

static const chk_rules rules[D2M_OP_COUNT] = {
    [D2M_arange_block] = CHK_RULES(
        {"is_tensor(output) != is_tensor(index_tile_tensor)",
         "output and index_tile_tensor must both be tensors or both be memrefs"}),

    [D2M_composite_view] = CHK_RULES({.run = d2m_check_composite}),
    [D2M_core_index] = CHK_RULES({.run = check_core_index}),
    [D2M_create_global_semaphore] = CHK_RULES({.run = d2m_check_global_semaphore}),
    [D2M_dma_read] = CHK_RULES({.run = d2m_check_read}),
    [D2M_dma_write] = CHK_RULES({.run = d2m_check_write}),
    [D2M_embedding] = CHK_RULES({.run = d2m_check_embedding}),
    [D2M_generic] = CHK_RULES({.run = d2m_check_generic}),
    [D2M_indexed_row_copy] = CHK_RULES({.run = d2m_check_rows}),
    [D2M_local_copy] = CHK_RULES({.run = d2m_check_local_copy}),

    [D2M_mask] = CHK_RULES(
        {"type(input) != type(output) or type(output) != type(result)",
         "input, output, and result must have identical types"},
        {"|logicalShape| < 2", "logical_shape must have rank at least 2"}),

    [D2M_mesh_shard] = CHK_RULES(
        {"param(shard_type, 'value') == 'maximal'",
         "Invalid shard_type (maximal) for mesh_shard op."}),

    [D2M_remote_load] = CHK_RULES({.run = d2m_check_remote_load}),
    [D2M_remote_store] = CHK_RULES({.run = d2m_check_remote_store}),
    [D2M_spatial] = CHK_RULES({.run = d2m_check_spatial}),
    [D2M_spatial_yield] = CHK_RULES({.run = check_yield}),
    [D2M_tile_clamp_scalar] = CHK_RULES({.run = check_clamp}),

    [D2M_tile_matmul_block] = CHK_RULES(
        {"not (" TILED(a) " and " TILED(b) ")",
         "operands to TileMatmulBlock must have ttcore.tile element type"}),

    [D2M_tile_reduce_max] = CHK_RULES({.run = check_reduce}),
    [D2M_tile_reduce_mean] = CHK_RULES({.run = check_reduce}),
    [D2M_tile_reduce_sum] = CHK_RULES({.run = check_reduce}),
    [D2M_tile_sfpu_reduce_max] = CHK_RULES({.run = check_sfpu_reduce}),
    [D2M_tile_sfpu_reduce_sum] = CHK_RULES({.run = check_sfpu_reduce}),

    [D2M_tile_tilize_block] = CHK_RULES(
        {TILED(input), "operand to TileTilizeBlock must not have ttcore.tile element type"},
        {"not (" TILED(output) ")",
         "output of TileTilizeBlock must have ttcore.tile element type"},
        RESULT_IS_OUTPUT),

    [D2M_tile_topk_local_sort] = CHK_RULES(TOPK_TILES("TileTopkLocalSort")),
    [D2M_tile_topk_merge] = CHK_RULES(TOPK_TILES("TileTopkMerge")),
    [D2M_tile_topk_rebuild] = CHK_RULES(TOPK_TILES("TileTopkRebuild")),

    [D2M_tile_untilize_block] = CHK_RULES(
        {"not (" TILED(input) ")",
         "operand to TileUntilizeBlock must have ttcore.tile element type"},
        {TILED(output), "output of TileUntilizeBlock must not have ttcore.tile element type"},
        RESULT_IS_OUTPUT),

    [D2M_to_device] = CHK_RULES({.run = d2m_check_to_device}),
    [D2M_to_host] = CHK_RULES({.run = d2m_check_to_host}),

    [D2M_topk_block] = CHK_RULES(
        {"is_tensor(input_values) != is_tensor(out_values) or "
         "is_tensor(input_values) != is_tensor(out_indices)",
         "all operands must be tensors or all must be memrefs"}),

    [D2M_view_layout] = CHK_RULES({.run = d2m_check_view}),
    [D2M_yield] = CHK_RULES({.run = check_yield}),
};
/* clang-format on */

chk_rules d2m_rules(const ir_op_def *def)
{
    return rules[def - d2m_ops];
}

bool d2m_verify(ir_op *op)
{
    return check_place(op) && chk_verify(op, d2m_rules(op->def));
}
