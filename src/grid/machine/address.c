/* address.c: addresses on the chip: packed in a word, in memory, of tensors' pages. */
#include "grid/machine/machine.h"

int64_t dev_noc_pack(dev_noc_address p)
{
    return (int64_t)((uint64_t)p.address | (uint64_t)(p.x & 63) << 32 |
                     (uint64_t)(p.y & 63) << 38 | (uint64_t)(p.x_end & 63) << 44 |
                     (uint64_t)(p.y_end & 63) << 50 | (uint64_t)p.kind << 56);
}

dev_noc_address dev_noc_unpack(int64_t bits)
{
    uint64_t b = (uint64_t)bits;
    return (dev_noc_address){.kind = b >> 56 & 3,
                             .x = (int)(b >> 32 & 63),
                             .y = (int)(b >> 38 & 63),
                             .x_end = (int)(b >> 44 & 63),
                             .y_end = (int)(b >> 50 & 63),
                             .address = (uint32_t)b};
}

dev_memory *dev_resolve(dev_machine *m, const dev_noc_address *p, size_t size,
                        size_t *out_at)
{
    if (p->kind == DEV_NOC_CORE) {
        int y = p->y - m->chip->translated_y, x = p->x - m->chip->translated_x;
        if (y < 0 || y >= m->chip->grid_y || x < 0 || x >= m->chip->grid_x ||
            p->address + size > m->chip->l1_bytes)
            return NULL;
        *out_at = p->address;
        return &dev_core_at(m, y, x)->l1;
    }
    if (p->x >= m->chip->dram_banks)
        return NULL;
    for (size_t i = 0, k = m->tensors.last; i < m->tensors.n; i++, k++) {
        k = k < m->tensors.n ? k : 0;
        dev_buffer *b = &m->tensors.buffers[k];
        if (!b->live || !b->banks)
            continue;
        dev_memory *bank = &b->banks[p->x];
        if (p->address >= bank->base && p->address + size <= bank->base + bank->size) {
            *out_at = p->address - bank->base;
            m->tensors.last = k;
            return bank;
        }
    }
    return NULL;
}

/* The shard of a page, counted row by row over the tensor, and its page in the shard. */
static int64_t shard_of(const dev_buffer *b, int64_t page, uint64_t *inside)
{
    const dev_shards *s = b->shards;
    int64_t shard = 0, stride = 1, within = 0, pages = 1;
    for (uint32_t i = s->rank; i-- > 0;) {
        int64_t size = i + 1 == s->rank && !b->tiled ? 1 : s->shard[i];
        int64_t at = page % (s->grid[i] * size);
        page /= s->grid[i] * size;
        shard += at / size * stride;
        within += at % size * pages;
        stride *= s->grid[i];
        pages *= size;
    }
    *inside = (uint64_t)within;
    return shard;
}

bool dev_page_address(const dev_machine *m, const dev_buffer *b, uint64_t base,
                      int64_t page, dev_noc_address *out)
{
    const dev_chip *chip = m->chip;
    if (page < 0 || (uint64_t)page >= b->pages)
        return false;
    if (b->space == DEV_DRAM_INTERLEAVED) {
        const uint32_t banks = (uint32_t)chip->dram_banks, in_all = (uint32_t)page;
        *out = (dev_noc_address){
            .kind = DEV_NOC_BANK,
            .x = (int)(in_all % banks),
            .address = (uint32_t)(base + (uint64_t)(in_all / banks) * b->stride)};
        return true;
    }
    int64_t core = page % (chip->grid_y * chip->grid_x), columns = chip->grid_x;
    uint64_t inside = (uint64_t)(page / (chip->grid_y * chip->grid_x));
    bool sharded = b->space != DEV_L1_INTERLEAVED;
    if (sharded) {
        /* row-major over the tensor: the shard, and the position in it */
        int64_t shard_x = b->tiled ? b->shard_x : 1, across = b->grid_x * shard_x;
        int64_t row = page / across, column = page % across;
        core = row / b->shard_y * b->grid_x + column / shard_x;
        inside = (uint64_t)(row % b->shard_y * shard_x + column % shard_x);
        columns = b->core_columns ? b->core_columns : b->grid_x;
    }
    if (sharded && b->shards) {
        core = shard_of(b, page, &inside);
        if (b->shards->mapped) {
            core = b->shards->core[core];
            columns = chip->grid_x;
        }
    }
    if (b->space == DEV_DRAM_SHARDED) { /* shards go around the banks */
        inside += (uint64_t)(core / chip->dram_banks) *
                  (b->pages / (uint64_t)(b->grid_y * b->grid_x));
        core %= chip->dram_banks;
    }
    uint32_t address = (uint32_t)(base + inside * b->stride);
    if (b->space == DEV_DRAM_SHARDED)
        *out = (dev_noc_address){.kind = DEV_NOC_BANK, .x = (int)core, .address = address};
    else
        *out = (dev_noc_address){
            .kind = DEV_NOC_CORE,
            .x = (int)(core % columns) + (sharded ? b->core_x : 0) + chip->translated_x,
            .y = (int)(core / columns) + (sharded ? b->core_y : 0) + chip->translated_y,
            .address = address};
    return true;
}

const dev_buffer *dev_l1_tensor(const dev_machine *m, size_t at, size_t size)
{
    for (size_t i = 0; i < m->tensors.n; i++) {
        const dev_buffer *b = &m->tensors.buffers[i];
        if (b->live && dev_space_is_l1(b->space) && at >= b->address &&
            at + size <= b->address + b->per_bank)
            return b;
    }
    return NULL;
}

uint8_t dev_buffer_holds(const dev_buffer *b)
{
    return (uint8_t)(1 + (uint8_t)b->format) | (b->tiled ? 0 : DEV_IN_ROWS);
}

uint8_t dev_holds(const dev_machine *m, const dev_memory *memory, size_t at, size_t size)
{
    if (memory->base) /* a bank of DRAM belongs to one tensor */
        return memory->holds;
    const dev_buffer *b = dev_l1_tensor(m, at, size);
    return b ? dev_buffer_holds(b) : 0;
}
