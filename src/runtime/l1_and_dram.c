/* l1_and_dram.c: see l1_and_dram.h. */
#include "runtime/l1_and_dram.h"

#include "support/number.h"
#include "ttcore/system/sysdesc_attr.h"
#include "ttnn/bank_bytes.h"
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

rt_space rt_memory_need(const rt_memory *m, ir_type tensor, int64_t *out_bytes,
                        int64_t *out_banks)
{
    int64_t where = ttnn_memory_of(tensor);
    rt_space space = where == TTNN_BufferType_DRAM ? RT_DRAM
                     : where == TTNN_BufferType_L1 || where == TTNN_BufferType_L1Small
                         ? RT_L1
                         : RT_HOST;
    if (space != RT_HOST)
        *out_bytes =
            ttnn_bank_bytes(tensor, m->bank[space].count, m->bank[space].align, out_banks);
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
        int64_t total = tw_saturating_product(need.bytes, need.banks);
        allocation->space = RT_DRAM;
        allocation->fell_back = true;
        allocation->banks = dram->count;
        allocation->bytes = tw_ceil_div(total, dram->count * dram->align) * dram->align;
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
