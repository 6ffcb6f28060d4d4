/* buffer.c: tensors on the device: where their pages lie, and the way there and back. */
#include "device/launch.h"

#include "dialect/ttcore/ttcore.h"
#include "kernel/element.h"

#include <stdlib.h>

bool dev_element_type(ir_type t, tw_dtype *out, bool *out_tiled)
{
    *out_tiled = t->kind == IR_TYPE_DIALECT && t->def == TTCORE_TYPE(tile);
    if (*out_tiled) {
        int64_t shape[2] = {0};
        *out = (tw_dtype)ir_attr_int(t->params[1], TW_DTYPE_COUNT);
        return ir_attr_ints(t->params[0], shape, 2) == 2 && shape[0] == 32 &&
               shape[1] == 32 && dev_tile_bytes(*out);
    }
    if (t->kind == IR_TYPE_FLOAT) {
        *out = t->sign == IR_F32 ? TW_F32 : t->sign == IR_BF16 ? TW_BF16 : TW_F16;
        return t->sign == IR_F32 || t->sign == IR_BF16 || t->sign == IR_F16;
    }
    if (t->kind != IR_TYPE_INTEGER)
        return false;
    *out = t->width == 32 && t->sign == IR_UNSIGNED ? TW_U32
           : t->width == 32                         ? TW_I32
           : t->width == 16                         ? TW_U16
                                                    : TW_U8;
    return t->width == 32 || t->width == 16 || t->width == 8;
}

bool dev_array_describe(ir_type t, dev_array *out)
{
    bool tiled;
    if (t->kind != IR_TYPE_MEMREF || !ir_type_has_static_shape(t) ||
        !dev_element_type(t->element, &out->dtype, &tiled) || tiled)
        return false;
    out->columns = t->count ? t->dims[t->count - 1] : 1;
    int64_t n = ir_type_num_elements(t);
    if (n < 0 || n > INT64_C(1) << 34)
        return false;
    out->rows = out->columns ? n / out->columns : 0;
    out->bytes = (size_t)n * tw_dtype_size(out->dtype);
    return true;
}

static bool overlaps(const dev_machine *m, const dev_buffer *b, size_t *with)
{
    for (size_t i = 0; i < m->n_buffers; i++) {
        const dev_buffer *o = &m->buffers[i];
        bool same_space = (o->space == DEV_L1) == (b->space == DEV_L1);
        *with = i;
        if (o->live && same_space && o->address < b->address + b->per_place &&
            b->address < o->address + o->per_place)
            return true;
    }
    return false;
}

static bool fold(ir_type type, dev_buffer *b)
{
    if (type->count != 4 || !ir_type_has_static_shape(type))
        return false;
    b->grid_y = type->dims[0];
    b->grid_x = type->dims[1];
    b->shard_y = type->dims[2];
    b->shard_x = type->dims[3];
    int64_t n = ir_type_num_elements(type);
    return n > 0 && n < INT64_C(1) << 34;
}

bool dev_buffer_create(dev_machine *m, ir_op *op, ir_type type, uint64_t address,
                       size_t *out_index)
{
    const dev_chip *chip = m->chip;
    dev_buffer b = {.live = true, .address = address};
    if (type->kind != IR_TYPE_MEMREF ||
        !dev_element_type(type->element, &b.format, &b.tiled) || !fold(type, &b))
        return ir_op_error(
            op, "needs a memref of 2 grid and 2 shard dimensions, of 32x32 tiles or "
                "numbers of at most 32 bits");
    int64_t space = ir_attr_is(type->space, IR_ATTR_DIALECT)
                        ? ir_attr_int(type->space->params[0], -1)
                        : -1;
    ir_attr layout = type->encoding;
    bool interleaved =
        ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(interleaved);
    if (space != TTCORE_MemorySpace_DeviceL1 && space != TTCORE_MemorySpace_DeviceDRAM)
        return ir_op_error(op, "needs the memory space l1 or dram");
    b.space = space == TTCORE_MemorySpace_DeviceL1 ? DEV_L1
              : interleaved                        ? DEV_DRAM_INTERLEAVED
                                                   : DEV_DRAM_SHARDED;
    if (b.space == DEV_L1 && interleaved)
        return ir_op_error(op, "interleaved layouts are executed in dram only");
    b.page =
        b.tiled ? dev_tile_bytes(b.format) : (size_t)b.shard_x * tw_dtype_size(b.format);
    int64_t shard_pages = b.tiled ? b.shard_y * b.shard_x : b.shard_y;
    int64_t shards = b.grid_y * b.grid_x;
    b.pages = (size_t)(shards * shard_pages);
    int64_t places = b.space == DEV_L1 ? chip->grid_y * chip->grid_x : chip->dram_banks;
    if (b.space == DEV_L1 ? b.grid_y > chip->grid_y || b.grid_x > chip->grid_x
                          : b.space == DEV_DRAM_SHARDED && shards > places)
        return ir_op_error(
            op, "a grid of %lldx%lld shards, but the %s has %dx%d workers and %d banks",
            (long long)b.grid_y, (long long)b.grid_x, chip->name, chip->grid_y,
            chip->grid_x, chip->dram_banks);
    b.per_place = b.space == DEV_DRAM_INTERLEAVED
                      ? (b.pages + (size_t)places - 1) / (size_t)places * b.page
                      : (size_t)shard_pages * b.page;
    /* a circular buffer's layout says how many shards it holds */
    if (ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(cb_layout))
        b.per_place *= (size_t)TW_MAX(ir_attr_int(layout->params[1], 1), 1);
    uint64_t end = b.space == DEV_L1 ? chip->l1_bytes : chip->dram_bytes;
    uint64_t base = b.space == DEV_L1 ? chip->l1_base : 0;
    int align = b.space == DEV_L1 ? chip->l1_align : chip->dram_align;
    if (address < base || address > end || b.per_place > end - address ||
        address > UINT32_MAX)
        return ir_op_error(
            op, "%zu bytes at address %llu are not within [%llu, %llu), the usable %s",
            b.per_place, (unsigned long long)address, (unsigned long long)base,
            (unsigned long long)end, b.space == DEV_L1 ? "L1" : "DRAM");
    if (address % (uint64_t)align)
        return ir_op_error(op, "address %llu is no multiple of %d",
                           (unsigned long long)address, align);
    size_t other;
    if (overlaps(m, &b, &other))
        return ir_op_error(
            op, "%zu bytes at address %llu overlap a live buffer of %zu bytes at %llu",
            b.per_place, (unsigned long long)address, m->buffers[other].per_place,
            (unsigned long long)m->buffers[other].address);
    if (b.space != DEV_L1) {
        b.banks = tw_xcalloc((size_t)chip->dram_banks, sizeof *b.banks);
        for (int i = 0; i < chip->dram_banks; i++)
            b.banks[i] =
                (dev_memory){tw_xcalloc(1, b.per_place),
                             tw_xcalloc(b.per_place / DEV_GRANULE + 1, sizeof(uint32_t)),
                             address, b.per_place};
    }
    *out_index = m->n_buffers;
    TW_PUSH(m->buffers, m->n_buffers, m->buffers_capacity, b);
    return true;
}

/* ---- there and back ---------------------------------------------------------------- */

/* The shape of the tensor in elements; a shorter array is padded with zeros. */
static bool fits(ir_op *op, const dev_buffer *b, const dev_array *a)
{
    int64_t side = b->tiled ? DEV_TILE_SIDE : 1;
    int64_t rows = b->grid_y * b->shard_y * side, columns = b->grid_x * b->shard_x * side;
    bool block = tw_dtype_size(b->format) == 0;
    if (a->rows > rows || a->columns > columns)
        return ir_op_error(op, "an array of %lldx%lld does not fit a tensor of %lldx%lld",
                           (long long)a->rows, (long long)a->columns, (long long)rows,
                           (long long)columns);
    if (block ? a->dtype != TW_F32 && a->dtype != TW_BF16 : a->dtype != b->format)
        return ir_op_error(op, "an array of %s and a tensor of %s", tw_dtype_name(a->dtype),
                           tw_dtype_name(b->format));
    return true;
}

static uint8_t *page_bytes(dev_machine *m, const dev_buffer *b, size_t page,
                           dev_memory **memory, size_t *at)
{
    dev_place p;
    bool ok = dev_page_place(m, b, b->address, (int64_t)page, &p);
    assert(ok);
    (void)ok;
    if (p.kind == DEV_PLACE_BANK) {
        *memory = &b->banks[p.x];
        *at = p.address - (*memory)->base;
    } else {
        *memory =
            &dev_core_at(m, p.y - m->chip->translated_y, p.x - m->chip->translated_x)->l1;
        *at = p.address;
    }
    return (*memory)->bytes + *at;
}

static float as_float(const dev_array *a, size_t i)
{
    return a->dtype == TW_F32 ? ((const float *)(void *)a->data)[i]
                              : krn_bf16_value(((const uint16_t *)(void *)a->data)[i]);
}

/* Calls for each element of page `page` inside the array: its place there, and its number
 * in the page (memory order). */
#define FOR_ELEMENTS(b, a, page, array_index, page_index)                                  \
    for (size_t columns_ = (size_t)((b)->grid_x * ((b)->tiled ? (b)->shard_x : 1)),        \
                top_ = (page) / columns_ * ((b)->tiled ? DEV_TILE_SIDE : 1),               \
                left_ = (page) % columns_ *                                                \
                        ((b)->tiled ? DEV_TILE_SIDE : (size_t)(b)->shard_x),               \
                height_ = (b)->tiled ? DEV_TILE_SIDE : 1,                                  \
                width_ = (b)->tiled ? DEV_TILE_SIDE : (size_t)(b)->shard_x, r_ = 0;        \
         r_ < height_; r_++)                                                               \
        for (size_t c_ = 0, array_index, page_index;                                       \
             c_ < width_ &&                                                                \
             (array_index = (top_ + r_) * (size_t)(a)->columns + left_ + c_,               \
             page_index = (b)->tiled ? dev_tile_index(r_, c_) : c_, true);                 \
             c_++)                                                                         \
            if (top_ + r_ < (size_t)(a)->rows && left_ + c_ < (size_t)(a)->columns)

bool dev_buffer_write(dev_machine *m, ir_op *op, size_t buffer, const dev_array *from)
{
    dev_buffer *b = &m->buffers[buffer];
    size_t size = tw_dtype_size(b->format), at;
    dev_memory *memory;
    if (!fits(op, b, from))
        return false;
    float values[DEV_TILE_ELEMENTS];
    for (size_t page = 0; page < b->pages; page++) {
        uint8_t *to = page_bytes(m, b, page, &memory, &at);
        memset(to, 0, b->page);
        memset(values, 0, sizeof values);
        FOR_ELEMENTS(b, from, page, i, k)
        {
            if (size)
                memcpy(to + k * size, from->data + i * size, size);
            else
                values[k] = as_float(from, i);
        }
        if (!size)
            dev_tile_encode_host(b->format, values, to);
        dev_mark(memory, at, b->page, DEV_DEFINED);
    }
    return true;
}

bool dev_buffer_read(dev_machine *m, ir_op *op, size_t buffer, const dev_array *to)
{
    dev_buffer *b = &m->buffers[buffer];
    size_t size = tw_dtype_size(b->format), at;
    dev_memory *memory;
    bool defined = true;
    if (!fits(op, b, to))
        return false;
    dev_tile tile;
    for (size_t page = 0; page < b->pages; page++) {
        const uint8_t *from = page_bytes(m, b, page, &memory, &at);
        for (size_t g = at / DEV_GRANULE; g < (at + b->page) / DEV_GRANULE && defined; g++)
            if (memory->marks[g] != DEV_DEFINED) {
                defined = false;
                ir_op_error(
                    op, "uninitialised read: no kernel has written page %zu of the tensor",
                    page);
            }
        if (!size)
            dev_tile_load(b->format, from, &tile);
        FOR_ELEMENTS(b, to, page, i, k)
        {
            if (size)
                memcpy(to->data + i * size, from + k * size, size);
            else if (to->dtype == TW_F32)
                memcpy(to->data + i * 4, &tile.f[k], 4);
            else
                ((uint16_t *)(void *)to->data)[i] = krn_bf16_bits(tile.f[k]);
        }
    }
    return defined;
}
