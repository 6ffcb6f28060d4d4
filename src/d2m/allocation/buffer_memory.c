/* buffer_memory.c: see buffer_memory.h. */
#include "d2m/allocation/buffer_memory.h"

#include "d2m/metal_layout.h"
#include "ttcore/ttcore_tile.h"
#include "ttir/ttir.h"
#include "ttnn/layout.h"

static int64_t align_up(int64_t n, int64_t to)
{
    int64_t out;
    if (to <= 1 || __builtin_add_overflow(n, to - 1, &out))
        return n;
    return out / to * to;
}

bool d2m_memory_of_chip(ir_op *op, int64_t space, d2m_memory *out)
{
    bool l1 = space == TTCORE_MemorySpace_DeviceL1;
    out->base = ttnn_chip_int(op, l1 ? "l1UnreservedBase" : "dramUnreservedBase", -1);
    out->end = ttnn_chip_int(op, l1 ? "l1Size" : "dramChannelSize", -1);
    out->align =
        ttnn_chip_int(op, l1 ? "nocL1AddressAlignBytes" : "nocDRAMAddressAlignBytes", -1);
    return out->base >= 0 && out->end > out->base && out->align > 0;
}

int64_t d2m_space_of(ir_type memref)
{
    return ir_enum_value(memref->space, TTCORE_MemorySpace_System);
}

int64_t d2m_buffer_bytes(ir_type memref, int64_t space)
{
    uint32_t first = d2m_is_device_layout(memref->encoding) ? memref->count / 2 : 0;
    int64_t bytes = d2m_element_bytes(memref->element), page = bytes;
    for (uint32_t i = first; i < memref->count; i++)
        bytes = tw_saturating_product(bytes, memref->dims[i]);
    if (space != TTCORE_MemorySpace_DeviceL1)
        return bytes;
    if (!ttcore_is_tile(memref->element)) {
        ir_type tile = ttcore_tile_of(memref->element);
        page = tile ? ttcore_tile_bytes(tile) : page * D2M_TILE * D2M_TILE;
    }
    return align_up(bytes, page);
}

static bool is_sharded(ir_type memref)
{
    return ir_attr_is(memref->encoding, IR_ATTR_DIALECT) &&
           memref->encoding->def == TTCORE_ATTR(shard);
}

int64_t d2m_allocation_bytes(ir_type memref, int64_t space, const d2m_memory *memory,
                             int64_t banks, int64_t buffers)
{
    int64_t bytes = tw_saturating_product(d2m_buffer_bytes(memref, space), buffers);
    if (space == TTCORE_MemorySpace_DeviceDRAM && is_sharded(memref) && banks > 0) {
        d2m_shape grid;
        d2m_half_of(memref, false, &grid);
        int64_t shards = d2m_volume(&grid);
        bytes = tw_saturating_product(bytes, align_up(shards, banks) / banks);
    }
    return align_up(bytes, memory->align);
}

bool d2m_has_reordering_view(const ir_value *v)
{
    for (const ir_op *op; (op = ir_value_def(v)) != NULL; v = ir_op_operand(op, 0)) {
        if (op->def == D2M_OP(composite_view))
            return true;
        if (op->def == D2M_OP(view_layout)) {
            ir_attr map = ir_op_attr(op, "remapping");
            if (!ir_attr_is(map, IR_ATTR_AFFINE_MAP) ||
                !ir_affine_map_is_identity(map->map))
                return true;
        } else if (op->def != TTIR_OP(ttnn_metal_layout_cast)) {
            return false;
        }
    }
    return false;
}
