/* ttnn_verify.c: what the attributes of the ttnn dialect demand, and the checks of its
 * operations that their traits ask for. */
#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"
#include "ttnn/ttnn_hooks.h"

/* clang-format off */
/* Which memories take which memory layouts. */
#define BUFFER_AND_LAYOUT(buffer, layout)                                                       \
    {layout " and " buffer " == 'system_memory'",                                               \
     "Memory layout is not allowed for SystemMemory buffer type."},                             \
    {buffer " == 'dram' and " layout " == 'block_sharded'",                                     \
     "BlockSharded layout is not supported for DRAM buffer type; use WidthSharded, "            \
     "HeightSharded or Interleaved"},                                                           \
    {"not " layout " and " buffer " != 'system_memory'",                                        \
     "Memory layout is required for non-SystemMemory buffer type."}

#define SHARDED "{'block_sharded', 'height_sharded', 'width_sharded'}"

static const chk_rule layout_rules[] = {
    {"let where = space(memref)"},
    {"let l1 = where == 'l1' or where == 'l1_small'"},
    {"let sharded = mem_layout in " SHARDED},
    {"not l1 and not (where == 'dram' and sharded) and grid_shape != {1, 1}",
     "expected (1, 1) grid shape for {where} buffer type"
     "{where == 'dram' ? ' with interleaved memory layout' : ''}, got ({grid_shape})"},
    BUFFER_AND_LAYOUT("where", "mem_layout"),
    {"sharded and not core_range_set and ignorePhysicalLayout != 1",
     "sharded TTNN layout ({mem_layout}) must carry a core_range_set"},
    {"not sharded and core_range_set",
     "non-sharded TTNN layout must not carry a core_range_set (got {mem_layout ? mem_layout : "
     "'no memory layout'})"},
};

static const chk_rule memory_config_rules[] = {
    {"ndShardSpec and shardSpec",
     "Setting both NDShardSpecAttr and ShardSpecAttr is not supported."},
    BUFFER_AND_LAYOUT("bufferType", "tensorMemoryLayout"),
    {"not shardSpec"},
    {"bufferType not in {'l1', 'dram'}", "Sharding is only valid for L1 or DRAM buffer type"},
    {"not tensorMemoryLayout", "Tensor memory layout is required for sharding"},
    {"tensorMemoryLayout not in " SHARDED,
     "Sharding is only valid for block sharded, height sharded, or width sharded tensor memory "
     "layout"},
};

static const chk_rule core_range_rules[] = {
    {"param(start_coord, 'x') > param(end_coord, 'x') or "
     "param(start_coord, 'y') > param(end_coord, 'y')",
     "Start coordinates {text(start_coord)} must be less than or equal to end coordinates "
     "{text(end_coord)}"},
};

/* Tensors of tiles keep the element type that their layout names. */
static const chk_rule tile_rules[] = {
    {"loop r in results()"},
    {"let scalar = scalar(param(enc(r), 'memref'))"},
    {"kind(elt(r)) == 'ttcore.tile' and scalar and elt(r) != scalar",
     "Output element type must match the scalar element type from encoding. Element type: "
     "{elt(r)}, Scalar element type: {scalar}."},
    {"end"},
};
/* clang-format on */

const chk_param_rules ttnn_param_rules[] = {
    CHK_PARAM_RULES("ttnn.ttnn_layout", layout_rules),
    CHK_PARAM_RULES("ttnn.memory_config", memory_config_rules),
    CHK_PARAM_RULES("ttnn.core_range", core_range_rules),
    {0},
};

CHK_VERIFY_ATTR(ttnn_verify_layout, layout_rules)
CHK_VERIFY_ATTR(ttnn_verify_memory_config, memory_config_rules)
CHK_VERIFY_ATTR(ttnn_verify_core_range, core_range_rules)

bool ttnn_verify(ir_op *op)
{
    bool tiled = false;
    for (uint32_t i = 0; i < op->n_results; i++)
        tiled |= ir_type_element(op->results[i].type)->def == TTCORE_TYPE(tile);
    if (tiled && ir_def_has(op->def, "CheckTileTypeTrait") &&
        !chk_verify(op, (chk_rules){tile_rules, TW_COUNT(tile_rules)}))
        return false;
    return chk_verify(op, ttnn_rules(op->def));
}
