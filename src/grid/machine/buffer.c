/* buffer.c: tensors on the device: allocation, and copies to and from the host. */
#include "grid/machine/launch.h"

#include "support/bf16_f16.h"
#include "ttcore/ttcore.h"

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

bool dev_array_strides(ir_type t, int64_t out[DEV_MAX_SHARD_DIMS])
{
    ir_attr layout = t->encoding;
    if (t->count > DEV_MAX_SHARD_DIMS || !ir_type_has_static_shape(t))
        return false;
    int64_t stride = 1, volume, last = 0;
    for (uint32_t i = t->count; i-- > 0; stride *= t->dims[i])
        out[i] = stride;
    if (!ir_attr_is(layout, IR_ATTR_DIALECT) || layout->def != TTCORE_ATTR(host_layout))
        return true;
    volume = ir_attr_int(layout->params[2], -1);
    if (ir_attr_ints(layout->params[1], out, DEV_MAX_SHARD_DIMS) != t->count)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        if (out[i] < 0 || out[i] > volume || volume > INT64_C(1) << 34)
            return false;
        last += t->dims[i] > 0 ? (t->dims[i] - 1) * out[i] : 0;
    }
    return last < volume;
}

bool dev_array_describe(ir_type t, dev_array *out)
{
    bool tiled;
    if (t->kind != IR_TYPE_MEMREF || !ir_type_has_static_shape(t) ||
        !dev_element_type(t->element, &out->dtype, &tiled) || tiled)
        return false;
    out->columns = t->count ? t->dims[t->count - 1] : 1;
    int64_t n = ir_type_num_elements(t), strides[DEV_MAX_SHARD_DIMS];
    ir_attr layout = t->encoding;
    out->padded = NULL;
    out->as_pages = false;
    if (ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(host_layout)) {
        /* rows are padded, and as many as there is memory for */
        if (!dev_array_strides(t, strides))
            return false;
        out->padded = t;
        n = ir_attr_int(layout->params[2], -1);
        /* a vector is the first of the rows of a tile */
        out->columns = t->count > 1 ? strides[t->count - 2]
                       : n % DEV_TILE_SIDE == 0 && n / DEV_TILE_SIDE >= t->dims[0]
                           ? n / DEV_TILE_SIDE
                           : n;
        if (out->columns <= 0 || n % out->columns)
            return false;
    }
    if (n < 0 || n > INT64_C(1) << 34)
        return false;
    out->rows = out->columns ? n / out->columns : 0;
    out->bytes = (size_t)n * tw_dtype_size(out->dtype);
    return true;
}

/* True if no core uses both: programs in parts of the grid may have circular buffers at one
 * address. */
static bool are_apart(const dev_buffer *a, const dev_buffer *b)
{
    for (size_t i = 0; i < 2 && a->only.size[0] && b->only.size[0]; i++)
        if (a->only.at[i] + a->only.size[i] <= b->only.at[i] ||
            b->only.at[i] + b->only.size[i] <= a->only.at[i])
            return true;
    return false;
}

static bool overlaps(const dev_machine *m, const dev_buffer *b, size_t *with)
{
    for (size_t i = 0; i < m->tensors.n; i++) {
        const dev_buffer *o = &m->tensors.buffers[i];
        bool same_space = dev_space_is_l1(o->space) == dev_space_is_l1(b->space);
        *with = i;
        if (o->live && same_space && o->address < b->address + b->per_bank &&
            b->address < o->address + o->per_bank && !are_apart(o, b))
            return true;
    }
    return false;
}

/* ---- allocation -------------------------------------------------------------------- */

/* Computes page sizes, their number, and the bytes per core or bank. */
static void measure(const dev_machine *m, dev_buffer *b)
{
    const dev_chip *chip = m->chip;
    bool l1 = dev_space_is_l1(b->space);
    int64_t holders = l1 ? chip->grid_y * chip->grid_x : chip->dram_banks;
    bool interleaved = b->space == DEV_DRAM_INTERLEAVED || b->space == DEV_L1_INTERLEAVED;
    int64_t shard_pages = b->tiled ? b->shard_y * b->shard_x : b->shard_y;
    b->page = b->tiled ? dev_tile_bytes(b->format)
                       : (size_t)b->shard_x * tw_dtype_size(b->format);
    b->stride = tw_align_up(b->page, (size_t)(l1 ? chip->l1_align : chip->dram_align));
    if (!interleaved && !b->tiled) /* rows of a shard are contiguous */
        b->stride = b->page;
    b->pages = (size_t)(b->grid_y * b->grid_x * shard_pages);
    size_t shards = (size_t)(b->grid_y * b->grid_x), banks = (size_t)chip->dram_banks;
    size_t shards_each = l1 ? 1 : (shards + banks - 1) / banks;
    b->per_bank = (interleaved ? (b->pages + (size_t)holders - 1) / (size_t)holders
                               : (size_t)shard_pages * shards_each) *
                  b->stride;
}

static bool on_grid(const dev_machine *m, const dev_buffer *b)
{
    const dev_chip *chip = m->chip;
    int64_t shards = b->grid_y * b->grid_x;
    if (b->space != DEV_L1 || (b->shards && b->shards->mapped))
        return true;
    int64_t columns = b->core_columns ? b->core_columns : b->grid_x;
    int64_t rows = (shards + columns - 1) / columns;
    return b->core_y >= 0 && b->core_x >= 0 && b->core_y + rows <= chip->grid_y &&
           b->core_x + columns <= chip->grid_x;
}

/* Chooses the lowest free address in DRAM, the highest in L1 (circular buffers grow from
 * below); false if there is no room. */
static bool allocate(const dev_machine *m, dev_buffer *b)
{
    const dev_chip *chip = m->chip;
    bool l1 = dev_space_is_l1(b->space);
    uint64_t align = TW_MAX(chip->dram_align, chip->l1_align), size = b->per_bank;
    uint64_t low = tw_align_up(l1 ? chip->l1_base : chip->dram_base, align),
             high = l1 ? chip->l1_bytes : TW_MIN(chip->dram_bytes, UINT32_MAX);
    if (size > high - low)
        return false;
    uint64_t at = l1 ? (high - size) / align * align : low;
    size_t other;
    for (b->address = at; overlaps(m, b, &other); b->address = at) {
        const dev_buffer *o = &m->tensors.buffers[other];
        if (l1 && o->address < low + size)
            return false;
        at = l1 ? (o->address - size) / align * align
                : tw_align_up(o->address + o->per_bank, align);
        if (!l1 && at + size > high)
            return false;
    }
    return true;
}

static tw_status full(const dev_machine *m, const dev_buffer *b)
{
    tw_strbuf map = {0};
    for (size_t i = 0; i < m->tensors.n; i++) {
        const dev_buffer *o = &m->tensors.buffers[i];
        if (o->live && dev_space_is_l1(o->space) == dev_space_is_l1(b->space))
            tw_strbuf_printf(&map, "\n  0x%08llx  %zu bytes of %s",
                             (unsigned long long)o->address, o->per_bank,
                             tw_dtype_name(o->format));
    }
    tw_status status = tw_error(
        TW_RESOURCE, "%zu bytes do not fit into the %s of %llu bytes of each %s%s%s",
        b->per_bank, dev_space_is_l1(b->space) ? "L1" : "DRAM",
        (unsigned long long)(dev_space_is_l1(b->space) ? m->chip->l1_bytes
                                                       : m->chip->dram_bytes),
        dev_space_is_l1(b->space) ? "core" : "bank", map.size ? "; there are" : "",
        map.size ? tw_strbuf_text(&map) : "");
    tw_strbuf_free(&map);
    return status;
}

enum { LARGE = 1024 * 1024 }; /* from this size on a tensor's bytes are mapped together */

/* Returns the shard of a bank or core; SIZE_MAX: none. */
static size_t shard_at(const dev_machine *m, const dev_buffer *b, const dev_core *core,
                       size_t bank)
{
    if (b->shards ||
        (b->space == DEV_DRAM_SHARDED && b->grid_y * b->grid_x > m->chip->dram_banks))
        return SIZE_MAX;
    if (b->space == DEV_DRAM_SHARDED)
        return bank;
    const int64_t across = b->core_columns ? b->core_columns : b->grid_x;
    const int64_t y = core->y - b->core_y, x = core->x - b->core_x;
    return y < 0 || x < 0 || x >= across ? SIZE_MAX : (size_t)(y * across + x);
}

bool dev_buffer_edges(const dev_machine *m, const dev_buffer *b, const dev_core *core,
                      size_t bank, dev_edges *out)
{
    const bool rows = b->edge_rows % DEV_TILE_SIDE,
               columns = b->edge_columns % DEV_TILE_SIDE;
    if (!b->tiled || !b->edge_columns || !(rows || columns))
        return false;
    *out = (dev_edges){
        .stride = b->stride,
        .bank = core ? (size_t)(core->y * m->chip->grid_x + core->x) : bank,
        .banks = (size_t)(core ? m->chip->grid_y * m->chip->grid_x : m->chip->dram_banks),
        .down = (size_t)((b->edge_rows + DEV_TILE_SIDE - 1) / DEV_TILE_SIDE),
        .across = (size_t)((b->edge_columns + DEV_TILE_SIDE - 1) / DEV_TILE_SIDE),
        .last = {(uint8_t)((b->edge_rows - 1) % DEV_TILE_SIDE + 1),
                 (uint8_t)((b->edge_columns - 1) % DEV_TILE_SIDE + 1)}};
    if (b->space == DEV_DRAM_INTERLEAVED || b->space == DEV_L1_INTERLEAVED)
        return true;
    const size_t shard = shard_at(m, b, core, bank);
    if (shard >= (size_t)(b->grid_y * b->grid_x))
        return false;
    out->width = (size_t)b->shard_x;
    out->row = shard / (size_t)b->grid_x * (size_t)b->shard_y;
    out->column = shard % (size_t)b->grid_x * (size_t)b->shard_x;
    return true;
}

static void keep_edges(dev_machine *m, const dev_buffer *b)
{
    const bool padded = b->edge_rows % DEV_TILE_SIDE || b->edge_columns % DEV_TILE_SIDE;
    m->tensors.padded |= b->tiled && b->edge_columns && padded;
    for (int i = 0; b->banks && i < m->chip->dram_banks; i++) {
        dev_edges e;
        free(b->banks[i].edges);
        b->banks[i].edges = NULL;
        b->banks[i].whole = b->tiled && b->edge_columns && !padded;
        if (dev_buffer_edges(m, b, NULL, (size_t)i, &e)) {
            b->banks[i].edges = tw_xmalloc(sizeof e);
            *b->banks[i].edges = e;
        }
    }
}

static tw_status make_banks(dev_machine *m, dev_buffer *b)
{
    const size_t all = (size_t)m->chip->dram_banks * b->per_bank;
    b->bytes = all >= LARGE ? dev_bytes_create(all) : NULL;
    if (all >= LARGE && !b->bytes)
        return tw_error(
            TW_RESOURCE,
            "the host has no memory for the %zu bytes of a tensor in DRAM; free "
            "memory or raise its limit (ulimit -v)",
            all);
    b->banks = tw_xcalloc((size_t)m->chip->dram_banks, sizeof *b->banks);
    const size_t banks = (size_t)m->chip->dram_banks;
    for (size_t i = 0; i < banks; i++) {
        b->banks[i] = dev_memory_create(b->address, b->per_bank,
                                        b->bytes ? b->bytes + i * b->per_bank : NULL);
        b->banks[i].version = ++m->tensors.n_banks << 32;
        b->banks[i].holds = dev_buffer_holds(b);
        /* the last row of pages may not reach all banks: those have nothing */
        if (b->space == DEV_DRAM_INTERLEAVED &&
            (b->pages + banks - 1 - i) / banks * b->stride < b->per_bank)
            b->banks[i].size -= b->stride;
    }
    return TW_SUCCESS;
}

static tw_status check_address(const dev_machine *m, const dev_buffer *b)
{
    const dev_chip *chip = m->chip;
    bool l1 = dev_space_is_l1(b->space);
    uint64_t end = l1 ? chip->l1_bytes : chip->dram_bytes;
    uint64_t base = l1 ? chip->l1_base : 0;
    int align = l1 ? chip->l1_align : chip->dram_align;
    unsigned long long address = b->address;
    if (b->address < base || b->address > end || b->per_bank > end - b->address ||
        b->address > UINT32_MAX)
        return tw_error(TW_RESOURCE,
                        "%zu bytes at address %llu are not within [%llu, %llu), the "
                        "usable %s",
                        b->per_bank, address, (unsigned long long)base,
                        (unsigned long long)end, l1 ? "L1" : "DRAM");
    if (b->address % (uint64_t)align)
        return tw_error(TW_INVALID, "address %llu is no multiple of %d", address, align);
    size_t other;
    if (overlaps(m, b, &other))
        return tw_error(
            TW_RESOURCE,
            "%zu bytes at address %llu overlap a live buffer of %zu bytes at %llu",
            b->per_bank, address, m->tensors.buffers[other].per_bank,
            (unsigned long long)m->tensors.buffers[other].address);
    return TW_SUCCESS;
}

tw_status dev_buffer_add(dev_machine *m, dev_buffer b, bool choose_address, int64_t copies,
                         size_t *out_index)
{
    const dev_chip *chip = m->chip;
    measure(m, &b);
    b.edge_rows = b.matrix_rows;
    b.edge_columns = b.columns;
    b.per_bank *= (size_t)TW_MAX(copies, 1);
    if (!on_grid(m, &b))
        return tw_error(TW_INVALID,
                        "a grid of %lldx%lld shards, but the %s has %dx%d workers and %d "
                        "banks",
                        (long long)b.grid_y, (long long)b.grid_x, chip->name, chip->grid_y,
                        chip->grid_x, chip->dram_banks);
    if (choose_address && !allocate(m, &b))
        return full(m, &b);
    TW_TRY(check_address(m, &b));
    if (!dev_space_is_l1(b.space))
        TW_TRY(make_banks(m, &b));
    keep_edges(m, &b);
    b.live = true;
    for (int i = 0;
         choose_address && dev_space_is_l1(b.space) && i < chip->grid_y * chip->grid_x;
         i++) /* contents of an earlier tensor */
        if (m->cores[i])
            dev_mark(&m->cores[i]->l1, b.address, b.per_bank, DEV_UNDEFINED);
    for (size_t i = 0; choose_address && i < m->tensors.n; i++)
        if (!m->tensors.buffers[i]
                 .live) { /* indices are scarce: accessors have 12 bits for them */
            *out_index = i;
            m->tensors.buffers[i] = b;
            return TW_SUCCESS;
        }
    if (m->tensors.n == DEV_MAX_BUFFERS)
        return tw_error(TW_RESOURCE, "there are %d tensors on the device", DEV_MAX_BUFFERS);
    *out_index = m->tensors.n;
    TW_PUSH(m->tensors.buffers, m->tensors.n, m->tensors.capacity, b);
    return TW_SUCCESS;
}

void dev_buffer_remove(dev_machine *m, size_t index)
{
    dev_buffer *b = &m->tensors.buffers[index];
    dev_banks_free(m, b);
    *b = (dev_buffer){0};
}

/* Grid and shard as two dimensions each; `s` gets them as they are. */
static bool fold(ir_type type, bool is_cb, dev_buffer *b, dev_shards *s)
{
    uint32_t n = is_cb ? 0 : type->count / 2;
    if (!ir_type_has_static_shape(type) || n > DEV_MAX_SHARD_DIMS ||
        (is_cb ? type->count < 1 : type->count < 4 || type->count % 2))
        return false;
    int64_t volume = ir_type_num_elements(type);
    if (volume <= 0 || volume >= INT64_C(1) << 34)
        return false;
    b->grid_y = b->grid_x = b->shard_y = 1;
    b->shard_x = type->dims[type->count - 1];
    for (uint32_t i = n; i + 1 < type->count; i++)
        b->shard_y *= type->dims[i];
    for (uint32_t i = 0; i + 1 < n; i++)
        b->grid_y *= type->dims[i];
    if (n)
        b->grid_x = type->dims[n - 1];
    s->rank = n;
    for (uint32_t i = 0; i < n; i++) {
        s->grid[i] = type->dims[i];
        s->shard[i] = type->dims[n + i];
    }
    return true;
}

/* The core of each shard: the first two of the map's results for its first element. */
static bool map_cores(const dev_machine *m, ir_affine_map map, const dev_buffer *b,
                      dev_shards *s)
{
    int64_t count = b->grid_y * b->grid_x, at[2 * DEV_MAX_SHARD_DIMS] = {0}, core[2];
    if (map->n_symbols || map->n_results < 2 || map->n_dims > TW_COUNT(at) ||
        map->n_dims < s->rank || count > DEV_MAX_MAPPED)
        return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i;
        for (uint32_t d = s->rank; d-- > 0; rest /= s->grid[d])
            at[d] = rest % s->grid[d];
        for (size_t r = 0; r < 2; r++)
            if (!ir_affine_eval(map->results[r], at, NULL, &core[r]))
                return false;
        if (!dev_cores_exist(m->chip, core[0], core[1], 1, 1))
            return false;
        s->core[i] = (uint16_t)(core[0] * m->chip->grid_x + core[1]);
    }
    s->mapped = true;
    return true;
}

bool dev_buffer_create(dev_machine *m, ir_op *op, ir_type type, uint64_t address,
                       size_t *out_index)
{
    dev_buffer b = {.address = address};
    dev_shards shards = {0};
    bool is_cb = ir_attr_is(type->encoding, IR_ATTR_DIALECT) &&
                 type->encoding->def == TTCORE_ATTR(cb_layout);
    if (type->kind != IR_TYPE_MEMREF ||
        !dev_element_type(type->element, &b.format, &b.tiled) ||
        !fold(type, is_cb, &b, &shards))
        return ir_op_error(
            op, "needs a memref of as many grid as shard dimensions (2 or more), of 32x32 "
                "tiles or numbers of at most 32 bits");
    int64_t space = ir_attr_is(type->space, IR_ATTR_DIALECT)
                        ? ir_attr_int(type->space->params[0], -1)
                        : -1;
    ir_attr layout = type->encoding;
    bool interleaved =
        ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTCORE_ATTR(interleaved);
    if (space != TTCORE_MemorySpace_DeviceL1 && space != TTCORE_MemorySpace_DeviceDRAM)
        return ir_op_error(op, "needs the memory space l1 or dram");
    bool l1 = space == TTCORE_MemorySpace_DeviceL1;
    b.space = l1            ? interleaved ? DEV_L1_INTERLEAVED : DEV_L1
              : interleaved ? DEV_DRAM_INTERLEAVED
                            : DEV_DRAM_SHARDED;
    /* the layout of a circular buffer gives the number of shards it holds */
    int64_t copies = is_cb ? ir_attr_int(layout->params[1], 1) : 1;
    if (is_cb && op->n_results)
        dev_cb_only(ir_op_result(op, 0), b.only.at, b.only.size);
    ir_attr map = ir_op_attr(op, "virtualGridForwardMapping");
    if (map && b.space == DEV_L1 && !map_cores(m, map->map, &b, &shards))
        return ir_op_error(op, "its virtual grid does not lie on the %dx%d workers",
                           m->chip->grid_y, m->chip->grid_x);
    if (shards.mapped || shards.rank > 2) {
        b.shards = tw_xmalloc(sizeof shards);
        *b.shards = shards;
    }
    tw_status status = dev_buffer_add(m, b, false, copies, out_index);
    if (status == TW_SUCCESS)
        return true;
    free(b.shards);
    ir_op_error(op, "%s", tw_status_message(status));
    tw_status_free(status);
    return false;
}

/* ---- copies to and from the host ---------------------------------------------------- */

/* Checks that the array has the tensor's shape; a shorter one is padded with zeros. */
static tw_status fits(const dev_buffer *b, const dev_array *a)
{
    int64_t side = b->tiled ? DEV_TILE_SIDE : 1;
    int64_t rows = b->grid_y * b->shard_y * side, columns = b->grid_x * b->shard_x * side;
    bool block = tw_dtype_size(b->format) == 0;
    if (!b->tiled)
        columns = b->grid_x * b->shard_x;
    if (a->rows > rows || a->columns > columns)
        return tw_error(
            TW_INVALID, "an array of %lldx%lld does not fit a tensor of %lldx%lld",
            (long long)a->rows, (long long)a->columns, (long long)rows, (long long)columns);
    if (block ? a->dtype != TW_F32 && a->dtype != TW_BF16 : a->dtype != b->format)
        return tw_error(TW_INVALID, "an array of %s and a tensor of %s",
                        tw_dtype_name(a->dtype), tw_dtype_name(b->format));
    return TW_SUCCESS;
}

bool dev_has_pages_of(const dev_machine *m, size_t buffer, const dev_array *a)
{
    const dev_buffer *b = &m->tensors.buffers[buffer];
    return a->dtype == b->format && a->bytes == b->pages * b->page;
}

static uint8_t *page_bytes(dev_machine *m, const dev_buffer *b, size_t page,
                           dev_memory **memory, size_t *at)
{
    dev_noc_address p;
    bool ok = dev_page_address(m, b, b->address, (int64_t)page, &p);
    assert(ok);
    (void)ok;
    if (p.kind == DEV_NOC_BANK) {
        *memory = &b->banks[p.x];
        *at = p.address - (*memory)->base;
    } else {
        *memory =
            &dev_core_at(m, p.y - m->chip->translated_y, p.x - m->chip->translated_x)->l1;
        *at = p.address;
    }
    return (*memory)->bytes + *at;
}

/* A run of elements that is contiguous both in the array and in the page. */
typedef struct run {
    size_t in_array, in_page, n; /* in elements */
} run;

enum { FACE = 16, MAX_RUNS = 64 };

/* Computes the runs of a page; the rest of it is padding. */
static size_t runs_of(const dev_buffer *b, const dev_array *a, size_t page, run *out)
{
    size_t across = (size_t)(b->grid_x * (b->tiled ? b->shard_x : 1)), count = 0;
    size_t row = page / across, column = page % across, columns = (size_t)a->columns;
    if (a->as_pages) {
        size_t n = b->page / tw_dtype_size(b->format);
        out[count++] = (run){page * n, 0, n};
        return count;
    }
    if (!b->tiled) {
        size_t left = column * (size_t)b->shard_x;
        if (row < (size_t)a->rows && left < columns)
            out[count++] =
                (run){row * columns + left, 0, TW_MIN((size_t)b->shard_x, columns - left)};
        return count;
    }
    size_t height = (size_t)(b->matrix_rows ? b->matrix_rows : a->rows);
    size_t padded = tw_align_up(height, DEV_TILE_SIDE);
    size_t matrix = row * DEV_TILE_SIDE / TW_MAX(padded, 1u),
           top = row * DEV_TILE_SIDE % TW_MAX(padded, 1u);
    for (size_t r = 0; r < DEV_TILE_SIDE && top + r < height; r++)
        for (size_t c = 0; c < DEV_TILE_SIDE; c += FACE) {
            size_t left = column * DEV_TILE_SIDE + c, line = matrix * height + top + r;
            if (left < columns && line < (size_t)a->rows)
                out[count++] = (run){line * columns + left, dev_tile_index(r, c),
                                     TW_MIN((size_t)FACE, columns - left)};
        }
    return count;
}

static void floats_from(const dev_array *a, const run *r, float *to)
{
    for (size_t i = 0; i < r->n; i++)
        to[i] = a->dtype == TW_F32
                    ? ((const float *)(void *)a->data)[r->in_array + i]
                    : tw_bf16_value(((const uint16_t *)(void *)a->data)[r->in_array + i]);
}

static void floats_to(const float *from, const run *r, const dev_array *a)
{
    for (size_t i = 0; i < r->n; i++)
        if (a->dtype == TW_F32)
            ((float *)(void *)a->data)[r->in_array + i] = from[i];
        else
            ((uint16_t *)(void *)a->data)[r->in_array + i] = tw_bf16_nearest_even(from[i]);
}

tw_status dev_buffer_write(dev_machine *m, size_t buffer, const dev_array *from)
{
    dev_buffer *b = &m->tensors.buffers[buffer];
    size_t size = tw_dtype_size(b->format), at;
    dev_memory *memory;
    run runs[MAX_RUNS];
    float values[DEV_TILE_ELEMENTS];
    TW_TRY(fits(b, from));
    if (!b->columns && (b->edge_rows != from->rows || b->edge_columns != from->columns)) {
        b->edge_rows = from->rows; /* created without a shape: it takes the array's */
        b->edge_columns = from->columns;
        keep_edges(m, b);
    }
    for (size_t page = 0; page < b->pages; page++) {
        uint8_t *to = page_bytes(m, b, page, &memory, &at);
        size_t n = runs_of(b, from, page, runs), covered = 0;
        for (size_t i = 0; i < n; i++)
            covered += runs[i].n;
        if (!size)
            memset(values, 0, sizeof values);
        else if (covered * size < b->page)
            memset(to, 0, b->page);
        for (size_t i = 0; i < n; i++)
            if (size)
                memcpy(to + runs[i].in_page * size, from->data + runs[i].in_array * size,
                       runs[i].n * size);
            else
                floats_from(from, &runs[i], values + runs[i].in_page);
        if (!size)
            dev_tile_encode_host(b->format, values, to);
        dev_mark(memory, at, b->page, DEV_DEFINED);
    }
    return TW_SUCCESS;
}

void dev_buffer_empty(dev_machine *m, size_t buffer)
{
    dev_buffer *b = &m->tensors.buffers[buffer];
    dev_memory *memory;
    size_t at;
    for (size_t page = 0; page < b->pages; page++) {
        memset(page_bytes(m, b, page, &memory, &at), 0, b->page);
        dev_mark(memory, at, b->page, DEV_UNDEFINED);
    }
    b->empty = true;
}

/* True if the element of an array lies outside its shape. */
static bool is_padding(const dev_array *a, const int64_t *strides, size_t element)
{
    int64_t rest = (int64_t)element;
    for (uint32_t d = 0; d < a->padded->count; d++) {
        if (strides[d] <= 0 || rest / strides[d] >= a->padded->dims[d])
            return true;
        rest %= strides[d];
    }
    return false;
}

/* True if an element of the runs that is no padding of the array was never written. */
static bool has_undefined(const dev_memory *memory, size_t at, const dev_array *a,
                          const run *runs, size_t n, size_t size)
{
    int64_t strides[DEV_MAX_SHARD_DIMS];
    if (!a->padded || !dev_array_strides(a->padded, strides))
        return true;
    for (size_t i = 0; i < n; i++)
        for (size_t e = 0; e < runs[i].n; e++) {
            const size_t byte = at + (runs[i].in_page + e) * size;
            if ((!size || dev_mark_at(memory, byte / DEV_GRANULE) != DEV_DEFINED) &&
                !is_padding(a, strides, runs[i].in_array + e))
                return true;
        }
    return false;
}

tw_status dev_buffer_read(dev_machine *m, size_t buffer, const dev_array *to)
{
    dev_buffer *b = &m->tensors.buffers[buffer];
    size_t size = tw_dtype_size(b->format), at, undefined = SIZE_MAX;
    dev_memory *memory;
    run runs[MAX_RUNS];
    dev_tile tile;
    TW_TRY(fits(b, to));
    for (size_t page = 0; page < b->pages; page++) {
        const uint8_t *from = page_bytes(m, b, page, &memory, &at);
        size_t n = runs_of(b, to, page, runs);
        if (undefined == SIZE_MAX &&
            dev_mark_differs(memory, at, b->page, DEV_DEFINED) != SIZE_MAX &&
            has_undefined(memory, at, to, runs, n, size))
            undefined = page;
        if (!size)
            dev_tile_load(b->format, from, &tile);
        for (size_t i = 0; i < n; i++)
            if (size)
                memcpy(to->data + runs[i].in_array * size, from + runs[i].in_page * size,
                       runs[i].n * size);
            else
                floats_to(tile.f + runs[i].in_page, &runs[i], to);
    }
    if (undefined != SIZE_MAX && !b->empty)
        return tw_error(TW_INVALID,
                        "uninitialised read: no kernel has written page %zu of the tensor",
                        undefined);
    return TW_SUCCESS;
}
