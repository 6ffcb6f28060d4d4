/* l1_and_dram.c: see l1_and_dram.h. */
#include "runtime/l1_and_dram.h"

#include "ttcore/system/sysdesc_attr.h"
#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

#include <stdlib.h>

tw_status rt_memory_open(ir_op *module, bool dram_fallback, rt_memory *out)
{
    ir_attr desc = module ? ir_op_attr(module, "ttcore.system_desc") : NULL;
    fb_system *system;
    TW_TRY(desc ? fb_system_from_attr(desc, &system)
                : fb_system_preset("wormhole_b0", 1, &system));
    const fb_chip *chip = &system->kinds[0];
    *out = (rt_memory){.dram_fallback = dram_fallback};
    out->bank[RT_L1] = (rt_bank){.count = TW_MAX(chip->grid[0] * chip->grid[1], 1),
                                 .bytes = chip->l1_size - chip->l1_unreserved_base,
                                 .align = TW_MAX(chip->noc_l1_address_align_bytes, 1)};
    out->bank[RT_DRAM] =
        (rt_bank){.count = TW_MAX(chip->num_dram_channels, 1),
                  .bytes = chip->dram_unreserved_end - chip->dram_unreserved_base,
                  .align = TW_MAX(chip->noc_dram_address_align_bytes, 1)};
    free(system);
    return TW_SUCCESS;
}

void rt_memory_close(rt_memory *m)
{
    for (int s = 0; s < RT_SPACE_COUNT; s++)
        free(m->bank[s].held);
    tw_arena_free(&m->arena);
}

/* ---- sizes */

static int64_t align_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* Bytes of a tile with `n` elements; block floats add an exponent per 16. */
static int64_t tile_bytes(ir_type tile)
{
    int64_t shape[2] = {32, 32};
    ir_attr_ints(ir_type_param(tile, "shape"), shape, 2);
    int64_t n = shape[0] * shape[1];
    int64_t type = ir_attr_int(ir_type_param(tile, "dataType"), 0);
    switch (type) {
    case TTCORE_DataType_BFP_Float8:
    case TTCORE_DataType_BFP_BFloat8:
        return n + n / 16;
    case TTCORE_DataType_BFP_Float4:
    case TTCORE_DataType_BFP_BFloat4:
        return n / 2 + n / 16;
    case TTCORE_DataType_BFP_Float2:
    case TTCORE_DataType_BFP_BFloat2:
        return n / 4 + n / 16;
    default:
        return n * (int64_t)tw_dtype_size((tw_dtype)type);
    }
}

/* Bytes of a row-major element. */
static int64_t element_bytes(ir_type element)
{
    if (element->kind == IR_TYPE_INTEGER || element->kind == IR_TYPE_FLOAT)
        return TW_MAX(element->width / 8, 1u);
    return 4;
}

static bool is_sharded(ir_attr layout)
{
    int64_t kind = ir_enum_value(ir_attr_param(layout, "mem_layout"),
                                 TTNN_TensorMemoryLayout_Interleaved);
    return kind == TTNN_TensorMemoryLayout_HeightSharded ||
           kind == TTNN_TensorMemoryLayout_WidthSharded ||
           kind == TTNN_TensorMemoryLayout_BlockSharded;
}

/* Saturates at more than any device's memory, so that sums do not wrap. */
static int64_t times(int64_t a, int64_t b)
{
    const int64_t most = INT64_MAX / 4;
    int64_t out;
    return __builtin_mul_overflow(a, b, &out) || out > most ? most : out;
}

static int64_t product(ir_attr ints)
{
    int64_t dims[8], n = ints ? ir_attr_ints(ints, dims, 8) : 0, all = 1;
    for (int64_t i = 0; i < n; i++)
        all = times(all, dims[i]);
    return all;
}

rt_space rt_memory_need(const rt_memory *m, ir_type tensor, int64_t *out_bytes,
                        int64_t *out_banks)
{
    ir_attr layout = ir_type_is_tensor(tensor) ? tensor->encoding : NULL;
    bool nd = layout && ir_attr_is(layout, IR_ATTR_DIALECT) &&
              layout->def == TTNN_ATTR(ttnn_nd_layout);
    if (!layout || !ir_attr_is(layout, IR_ATTR_DIALECT) ||
        (!nd && layout->def != TTNN_ATTR(ttnn_layout)))
        return RT_HOST;
    ir_type memref = ir_attr_param(layout, "memref")->type;
    int64_t where = ir_enum_value(memref->space, TTNN_BufferType_SystemMemory);
    rt_space space = where == TTNN_BufferType_DRAM ? RT_DRAM
                     : where == TTNN_BufferType_L1 || where == TTNN_BufferType_L1Small
                         ? RT_L1
                         : RT_HOST;
    if (space == RT_HOST)
        return RT_HOST;
    const rt_bank *bank = &m->bank[space];
    bool tiled = memref->element->kind == IR_TYPE_DIALECT &&
                 memref->element->def == TTCORE_TYPE(tile);
    int64_t unit = tiled ? tile_bytes(memref->element) : element_bytes(memref->element);
    int64_t units = 1, cores = nd ? 1 : product(ir_attr_param(layout, "grid_shape"));
    for (uint32_t d = 0; d < memref->count; d++)
        units = times(units, memref->dims[d]);
    if (nd || is_sharded(layout)) {
        *out_banks = nd ? bank->count : TW_MIN(TW_MAX(cores, 1), bank->count);
        *out_bytes = align_up(times(units, unit), bank->align);
        return space;
    }
    /* A page is a tile, or a row of elements. */
    int64_t row = tiled || !memref->count ? 1 : TW_MAX(memref->dims[memref->count - 1], 1);
    int64_t pages = times(units, TW_MAX(cores, 1)) / row;
    *out_banks = TW_MIN(TW_MAX(pages, 1), bank->count);
    *out_bytes = times((pages + bank->count - 1) / bank->count,
                       align_up(times(row, unit), bank->align));
    return space;
}

/* ---- the free list */

static const char *space_name(rt_space space)
{
    return space == RT_L1 ? "L1" : "DRAM";
}

/* First fit; false if no gap is large enough. */
static bool allocate(rt_bank *b, rt_allocation *allocation)
{
    int64_t at = 0;
    size_t i = 0;
    for (; i < b->n_held; i++) {
        if (b->held[i]->address - at >= allocation->bytes)
            break;
        at = b->held[i]->address + b->held[i]->bytes;
    }
    if (allocation->bytes > b->bytes - at)
        return false;
    allocation->address = at;
    TW_PUSH(b->held, b->n_held, b->capacity, allocation);
    memmove(b->held + i + 1, b->held + i, (b->n_held - 1 - i) * sizeof(*b->held));
    b->held[i] = allocation;
    b->used += allocation->bytes;
    b->peak = TW_MAX(b->peak, b->used);
    return true;
}

static int64_t largest_gap(const rt_bank *b)
{
    int64_t at = 0, most = 0;
    for (size_t i = 0; i < b->n_held; i++) {
        most = TW_MAX(most, b->held[i]->address - at);
        at = b->held[i]->address + b->held[i]->bytes;
    }
    return TW_MAX(most, b->bytes - at);
}

tw_status rt_memory_allocate(rt_memory *m, ir_type tensor, rt_allocation **out)
{
    rt_allocation need = {.owners = 1};
    *out = NULL;
    need.space = rt_memory_need(m, tensor, &need.bytes, &need.banks);
    if (need.space == RT_HOST)
        return TW_SUCCESS;
    rt_allocation *allocation = TW_ARENA_NEW(&m->arena, rt_allocation);
    *allocation = need;
    if (allocate(&m->bank[allocation->space], allocation)) {
        *out = allocation;
        return TW_SUCCESS;
    }
    const rt_bank *b = &m->bank[need.space];
    if (need.space == RT_L1 && m->dram_fallback) {
        rt_bank *dram = &m->bank[RT_DRAM];
        int64_t total = times(need.bytes, need.banks);
        allocation->space = RT_DRAM;
        allocation->fell_back = true;
        allocation->banks = dram->count;
        allocation->bytes = align_up((total + dram->count - 1) / dram->count, dram->align);
        if (allocate(dram, allocation)) {
            m->fallbacks++;
            *out = allocation;
            return TW_SUCCESS;
        }
    }
    return tw_error(
        TW_RESOURCE,
        "Failed to allocate %s buffer: it needs %lld bytes in each of %lld banks; of a "
        "bank's %lld bytes %lld are taken and the largest gap is %lld%s",
        space_name(need.space), (long long)need.bytes, (long long)need.banks,
        (long long)b->bytes, (long long)b->used, (long long)largest_gap(b),
        need.space == RT_L1 ? "; reduce the batch size, or set TT_METAL_DRAM_FALLBACK=1 to "
                              "let such tensors live in DRAM"
                            : "; reduce the batch size");
}

void rt_memory_release(rt_memory *m, rt_allocation *allocation)
{
    if (!allocation || --allocation->owners)
        return;
    rt_bank *b = &m->bank[allocation->space];
    for (size_t i = 0; i < b->n_held; i++)
        if (b->held[i] == allocation) {
            memmove(b->held + i, b->held + i + 1, (--b->n_held - i) * sizeof(*b->held));
            b->used -= allocation->bytes;
            return;
        }
}
