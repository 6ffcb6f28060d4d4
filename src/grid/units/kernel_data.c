/* kernel_data.c: operations of every kernel thread: arguments, addresses, circular buffers,
 * NoC, tensor accessors, printing. */
#include "grid/machine/program.h"
#include "grid/units/code.h"

#include "ttkernel/ttkernel.h"
#include "ttl/ttl_info.h"

#include <stdlib.h>

/* ---- arguments --------------------------------------------------------------------- */

/* imm: the list; the index of a compile-time argument is an attribute. */
RUN(run_arg)
{
    int64_t index = in->imm == 2 ? ir_op_int(in->op, "arg_index", -1) : DEV_REG(t, in, 0);
    static const char *const lists[] = {"runtime", "common runtime", "compile-time"};
    dev_tick(t);
    if (index < 0 || (uint64_t)index >= t->n_args[in->imm])
        dev_report_at(t, DEV_ARGUMENT, in->op, NULL,
                      "arguments are counted from 0; give the launch more (kernel_args in "
                      "IR, Run(...) in Python), or ask for one that is there",
                      "there is no %s argument %lld: the launch gives %zu", lists[in->imm],
                      (long long)index, t->n_args[in->imm]);
    else
        t->reg[in->dst] = t->args[in->imm][index];
    return pc + 1;
}

/* ---- circular buffers -------------------------------------------------------------- */

/* Books a call of the circular buffers' API: of a compute kernel, on the processor that
 * executes it, the unpackers' (wait, pop) or the packer's (reserve, push). */
static void book_cb(dev_thread *t, bool packs, double cycles)
{
    if (packs && t->is_compute)
        t->compute->pack += cycles;
    else
        t->now += cycles;
}

RUN(run_reserve)
{
    book_cb(t, true, t->machine->chip->cost.cb_poll);
    dev_cb_reserve(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1));
    return pc + 1;
}

RUN(run_push)
{
    book_cb(t, true, t->machine->chip->cost.cb_update);
    dev_cb_push(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1));
    return pc + 1;
}

RUN(run_wait)
{
    book_cb(t, false, t->machine->chip->cost.cb_poll);
    dev_cb_wait(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1));
    return pc + 1;
}

RUN(run_pop)
{
    book_cb(t, false, t->machine->chip->cost.cb_update);
    dev_cb_pop(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1));
    return pc + 1;
}

RUN(run_read_ptr)
{
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, 0));
    dev_tick(t);
    if (cb)
        t->reg[in->dst] = cb->base + cb->read * cb->page;
    return pc + 1;
}

RUN(run_write_ptr)
{
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, 0));
    dev_tick(t);
    if (cb)
        t->reg[in->dst] = cb->base + cb->write * cb->page, cb->pointed = true;
    return pc + 1;
}

RUN(run_tile_size)
{
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, 0));
    dev_tick(t);
    if (cb)
        t->reg[in->dst] = cb->page;
    return pc + 1;
}

RUN(run_dataformat)
{
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, 0));
    if (cb)
        t->reg[in->dst] = cb->format;
    return pc + 1;
}

/* ---- NoC addresses and transfers --------------------------------------------------- */

dev_noc_address dev_noc_operand(dev_thread *t, const dev_insn *in, size_t first)
{
    int64_t address = dev_group(t, in, first + 2, 0, 0);
    if (dev_group_size(in, first) == 2)
        return (dev_noc_address){.kind = DEV_NOC_CORE,
                                 .x = (int)dev_group(t, in, first, 0, 0),
                                 .y = (int)dev_group(t, in, first, 1, 0),
                                 .address = (uint32_t)address};
    if (dev_group_size(in, first + 1) == 1)
        return (dev_noc_address){.kind = DEV_NOC_BANK,
                                 .x = (int)dev_group(t, in, first + 1, 0, 0),
                                 .address = (uint32_t)address};
    /* neither: the operand is a packed address */
    return dev_noc_unpack(address);
}

bool dev_fits_packet(dev_thread *t, ir_op *op, int64_t size)
{
    const bool fits = size <= t->machine->chip->noc_packet;
    if (!fits)
        dev_report_at(t, DEV_NOC_RANGE, op, NULL,
                      "use the form for any length, or several packets",
                      "%lld bytes do not fit into one packet of %u", (long long)size,
                      t->machine->chip->noc_packet);
    return fits;
}

/* Variant 1 of kernels in C++ is one packet, here and in writes. */
RUN(run_noc_read)
{
    if (in->imm >> DEV_VARIANT && !dev_fits_packet(t, in->op, dev_group(t, in, 4, 0, 0)))
        return pc + 1;
    const dev_noc_address from = dev_noc_operand(t, in, 0);
    dev_noc_read(t, in->op, &from, dev_group(t, in, 3, 0, 0), dev_group(t, in, 4, 0, 0),
                 dev_noc_of(t, in));
    return pc + 1;
}

RUN(run_read_set_state)
{
    t->traffic.state_address = dev_noc_pack(dev_noc_operand(t, in, 0));
    t->traffic.state_size = dev_group(t, in, 3, 0, 0);
    dev_tick(t);
    return pc + 1;
}

/* The state holds the core or bank; the call gives the address in it. */
RUN(run_read_with_state)
{
    dev_noc_address p = dev_noc_unpack(t->traffic.state_address);
    p.address = (uint32_t)dev_group(t, in, 2, 0, 0);
    int64_t size = dev_group(t, in, 4, 0, 0);
    if (dev_fits_packet(t, in->op, size))
        dev_noc_read(t, in->op, &p, dev_group(t, in, 3, 0, 0), size, dev_noc_of(t, in));
    return pc + 1;
}

RUN(run_noc_write)
{
    if (in->imm >> DEV_VARIANT && !dev_fits_packet(t, in->op, dev_group(t, in, 4, 0, 0)))
        return pc + 1;
    const dev_noc_address to = dev_noc_operand(t, in, 1);
    dev_noc_write(t, in->op, dev_group(t, in, 0, 0, 0), &to, dev_group(t, in, 4, 0, 0),
                  dev_noc_of(t, in), false, -1);
    return pc + 1;
}

/* imm: 1 = the sender receives too; 2: one packet. */
RUN(run_noc_multicast)
{
    if (in->imm == 2 && !dev_fits_packet(t, in->op, DEV_REG(t, in, 1)))
        return pc + 1;
    dev_noc_address p = {.kind = DEV_NOC_MULTICAST,
                         .x = (int)DEV_REG(t, in, 3),
                         .y = (int)DEV_REG(t, in, 4),
                         .x_end = (int)DEV_REG(t, in, 5),
                         .y_end = (int)DEV_REG(t, in, 6),
                         .address = (uint32_t)DEV_REG(t, in, 7)};
    dev_noc_write(t, in->op, DEV_REG(t, in, 0), &p, DEV_REG(t, in, 1), dev_noc_of(t, in),
                  in->imm == 1, DEV_REG(t, in, 2));
    return pc + 1;
}

/* imm: the kinds waited for. Variant 1 of kernels in C++ waits until writes have left. */
RUN(run_barrier)
{
    dev_tick(t);
    if (in->imm >> DEV_VARIANT)
        dev_noc_flush(t, in->op, dev_noc_of(t, in));
    else
        dev_noc_barrier(t, in->op, (unsigned)in->imm, dev_noc_of(t, in), -1);
    return pc + 1;
}

RUN(run_inline_write)
{
    dev_noc_address p = {.kind = DEV_NOC_CORE,
                         .x = (int)DEV_REG(t, in, 0),
                         .y = (int)DEV_REG(t, in, 1),
                         .address = (uint32_t)DEV_REG(t, in, 2)};
    dev_noc_word(t, in->op, p, (uint32_t)DEV_REG(t, in, 3), false, dev_noc_of(t, in), false,
                 -1);
    return pc + 1;
}

RUN(run_noc_addr)
{
    dev_noc_address p = {.kind = DEV_NOC_CORE,
                         .x = (int)DEV_REG(t, in, 0),
                         .y = (int)DEV_REG(t, in, 1),
                         .address = (uint32_t)DEV_REG(t, in, 2)};
    dev_tick(t);
    t->reg[in->dst] = dev_noc_pack(p);
    return pc + 1;
}

RUN(run_bank_addr)
{
    dev_noc_address p = {.kind = DEV_NOC_BANK,
                         .x = (int)DEV_REG(t, in, 0),
                         .address = (uint32_t)DEV_REG(t, in, 1)};
    dev_tick(t);
    t->reg[in->dst] = dev_noc_pack(p);
    return pc + 1;
}

RUN(run_multicast_addr)
{
    dev_noc_address p = {.kind = DEV_NOC_MULTICAST,
                         .x = (int)DEV_REG(t, in, 0),
                         .y = (int)DEV_REG(t, in, 1),
                         .x_end = (int)DEV_REG(t, in, 2),
                         .y_end = (int)DEV_REG(t, in, 3),
                         .address = (uint32_t)DEV_REG(t, in, 4)};
    dev_tick(t);
    t->reg[in->dst] = dev_noc_pack(p);
    return pc + 1;
}

/* imm: 0 own y, 1 own x (logical), 2 and 3 translated, 4 and 5 translate the operand. */
RUN(run_coordinate)
{
    const dev_chip *chip = t->machine->chip;
    const int64_t values[] = {t->core->y,
                              t->core->x,
                              t->core->y + chip->translated_y,
                              t->core->x + chip->translated_x,
                              chip->translated_y + (in->n ? DEV_REG(t, in, 0) : 0),
                              chip->translated_x + (in->n ? DEV_REG(t, in, 0) : 0)};
    dev_tick(t);
    t->reg[in->dst] = values[in->imm];
    return pc + 1;
}

RUN(run_same)
{
    t->reg[in->dst] = DEV_REG(t, in, 0);
    return pc + 1;
}

/* ---- tensor accessors ----------------------------------------------------------------
 * Arguments: buffer + 1, and above it the index of the next compile-time argument.
 * Accessor: buffer in bits 52.., page size in bits 32.., base address below. */

RUN(run_accessor_args)
{
    int64_t index = dev_group(t, in, 0, 0, -1);
    if (dev_group_size(in, 2))
        index = dev_group(t, in, 2, 0, 0) >> 32;
    dev_tick(t);
    if (index < 0 || (uint64_t)index >= t->n_args[2] ||
        t->arg_specs[2][index].kind != DEV_ARG_ACCESSOR)
        dev_report_at(t, DEV_ARGUMENT, in->op, NULL,
                      "give the launch a tensor's accessor there (tensor_accessor_args in "
                      "IR, accessor() in Python)",
                      "compile-time argument %lld describes no tensor", (long long)index);
    else
        t->reg[in->dst] = t->args[2][index] | (index + 1) << 32;
    return pc + 1;
}

static bool lies_as(const dev_buffer *b, ir_type accessor)
{
    ir_attr layout = ir_type_param(accessor, "layout");
    ir_type tensor = ir_type_param(accessor, "tensorType")->type;
    const bool sharded = dev_space_is_sharded(b->space);
    const int64_t kind = layout->params[0]->value;
    const int64_t grid[] = {b->grid_y, b->grid_x}, shard[] = {b->shard_y, b->shard_x};
    const bool tiles = ttcore_is_tile(tensor->element);
    int64_t pages = 1;
    for (uint32_t i = 0; i < tensor->count; i++)
        pages *=
            tiles || i + 2 < tensor->count ? tensor->dims[i] : (tensor->dims[i] + 31) / 32;
    bool same = pages == (int64_t)b->pages && b->tiled &&
                (kind == TTKERNEL_TensorLayout_Tiled ||
                 (kind == TTKERNEL_TensorLayout_Sharded) == sharded);
    for (uint32_t i = 0; kind == TTKERNEL_TensorLayout_Sharded && i < 2; i++) {
        ir_attr across = layout->params[1], each = layout->params[2];
        same &= across->count == 2 && across->items[i]->value == grid[i] &&
                (!each || each->items[i]->value == shard[i]);
    }
    return same;
}

/* Reports attributes of the kernel's tensor that contradict the launch's. */
static void check_layout(dev_thread *t, ir_op *op, const dev_buffer *b)
{
    ir_attr layout = ir_op_attr(op, "ttkernel.accessor");
    if (!layout || lies_as(b, layout->type))
        return;
    dev_report_at(
        t, DEV_FORMAT, op, NULL, "give the launch a tensor that lies as its accessor says",
        "the accessor is '%s'; the tensor has %zu %s in %lldx%lld %s of %lldx%lld",
        ir_type_text(op->ctx, layout->type), b->pages,
        b->tiled ? "tiles" : "pages of numbers", (long long)b->grid_y, (long long)b->grid_x,
        dev_space_is_sharded(b->space) ? "shards" : "parts", (long long)b->shard_y,
        (long long)b->shard_x);
}

RUN(run_accessor)
{
    int64_t buffer = (DEV_REG(t, in, 0) & 0xFFFF) - 1;
    int64_t base = DEV_REG(t, in, 1) & 0xFFFFFFFF;
    size_t page = t->machine->tensors.buffers[buffer].page;
    int64_t given = in->n > 2 ? DEV_REG(t, in, 2) : (int64_t)page;
    dev_tick(t);
    if ((size_t)given != page)
        dev_report_at(t, t->tensor_pages ? DEV_PAGE_SIZE : DEV_FORMAT, in->op, NULL,
                      "give the accessor the size of a page as the tensor is laid out",
                      "the accessor's page size is %lld bytes, the tensor's pages have %zu",
                      (long long)given, page);
    check_layout(t, in->op, &t->machine->tensors.buffers[buffer]);
    t->reg[in->dst] = buffer << 52 | base;
    return pc + 1;
}

bool dev_accessor_page(dev_thread *t, ir_op *op, int64_t accessor, int64_t page,
                       dev_noc_address *out)
{
    const dev_buffer *b = &t->machine->tensors.buffers[accessor >> 52];
    if (dev_page_address(t->machine, b, (uint64_t)(accessor & 0xFFFFFFFF), page, out))
        return true;
    if (page == (uint32_t)page)
        page = (int32_t)page;        /* kernels count in 32 bits: negative */
    if (!b->tiled && b->grid_x == 1) /* a page is a row */
        dev_report_at(
            t, DEV_NOC_RANGE, op, NULL,
            "rows are counted from 0; look at the loop's bounds and the core's share",
            "row %lld of a tensor of %zu row%s", (long long)page, b->pages,
            dev_s((long long)b->pages));
    else
        dev_report_at(
            t, DEV_NOC_RANGE, op, NULL,
            "pages are counted from 0; look at the loop's bounds and the core's share",
            "page %lld of a tensor of %zu page%s", (long long)page, b->pages,
            dev_s((long long)b->pages));
    return false;
}

/* Pages are mostly accessed in order, from banks far apart: prefetches the next one. */
static inline void prefetch_next(const dev_thread *t, const dev_buffer *b,
                                 const dev_noc_address *p, bool write)
{
    if (b->space != DEV_DRAM_INTERLEAVED || !b->banks)
        return;
    bool wraps = p->x + 1 == t->machine->chip->dram_banks;
    const dev_memory *bank = &b->banks[wraps ? 0 : p->x + 1];
    uint64_t at = p->address + (wraps ? b->stride : 0) - bank->base;
    if (at > bank->size || b->page > bank->size - at)
        return;
    __builtin_prefetch(&bank->chunks[at / DEV_CHUNK]);
    dev_race_prefetch(bank, at);
    if (bank->loans)
        __builtin_prefetch(&bank->loans[at / DEV_CHUNK]);
    if (write && dev_is_large(bank))
        return;
    dev_do(t->machine, &(dev_job){&dev_job_prefetch, .a = bank->bytes + at,
                                  .size = (uint32_t)b->page, .how = write});
}

/* Names the tensor in which an address in a bank is looked for first. */
static inline void name_tensor(dev_noc_address *p, int64_t accessor)
{
    if (p->kind == DEV_NOC_BANK)
        p->y = 1 + (int)(accessor >> 52);
}

RUN(run_read_tile)
{
    dev_noc_address p;
    int64_t accessor = DEV_REG(t, in, 1);
    const dev_buffer *b = &t->machine->tensors.buffers[accessor >> 52];
    if (dev_accessor_page(t, in->op, accessor, DEV_REG(t, in, 0), &p)) {
        name_tensor(&p, accessor);
        dev_noc_read(t, in->op, &p, DEV_REG(t, in, 2), (int64_t)b->page, dev_noc_of(t, in));
        prefetch_next(t, b, &p, false);
    }
    return pc + 1;
}

RUN(run_write_tile)
{
    dev_noc_address p;
    int64_t accessor = DEV_REG(t, in, 1);
    const dev_buffer *b = &t->machine->tensors.buffers[accessor >> 52];
    if (dev_accessor_page(t, in->op, accessor, DEV_REG(t, in, 0), &p)) {
        name_tensor(&p, accessor);
        dev_noc_write(t, in->op, DEV_REG(t, in, 2), &p, (int64_t)b->page, dev_noc_of(t, in),
                      false, -1);
        prefetch_next(t, b, &p, true);
    }
    return pc + 1;
}

/* As many bytes as a page has, from an offset in the page. */
RUN(run_page)
{
    dev_noc_address p;
    int64_t accessor = DEV_REG(t, in, 1);
    const dev_buffer *b = &t->machine->tensors.buffers[accessor >> 52];
    if (!dev_accessor_page(t, in->op, accessor, DEV_REG(t, in, 0), &p))
        return pc + 1;
    p.address += (uint32_t)ir_op_int(in->op, "offset", 0);
    if (in->op->def == TTKERNEL_OP(noc_async_read_page))
        dev_noc_read(t, in->op, &p, DEV_REG(t, in, 2), (int64_t)b->page, dev_noc_of(t, in));
    else
        dev_noc_write(t, in->op, DEV_REG(t, in, 2), &p, (int64_t)b->page, dev_noc_of(t, in),
                      false, -1);
    return pc + 1;
}

RUN(run_accessor_addr)
{
    dev_noc_address p;
    dev_tick(t);
    if (dev_accessor_page(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &p)) {
        p.address += (uint32_t)DEV_REG(t, in, 2);
        t->reg[in->dst] = dev_noc_pack(p);
    }
    return pc + 1;
}

RUN(run_accessor_is_local)
{
    dev_noc_address p;
    dev_tick(t);
    if (dev_accessor_page(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &p))
        t->reg[in->dst] = p.kind == DEV_NOC_CORE &&
                          p.x - t->machine->chip->translated_x == t->core->x &&
                          p.y - t->machine->chip->translated_y == t->core->y;
    return pc + 1;
}

/* ---- printing: a remark at the operation ------------------------------------------- */

RUN(run_dprint)
{
    tw_str format = ir_attr_str(ir_op_attr(in->op, "fmt"));
    tw_strbuf text = {0};
    uint32_t next = 0;
    for (size_t i = 0; i < format.size; i++) {
        if (format.data[i] == '{' && i + 1 < format.size && format.data[i + 1] == '}') {
            if (next < in->n)
                tw_strbuf_i64(&text, DEV_REG(t, in, next));
            next++;
            i++;
        } else if (format.data[i] != '\n' &&
                   !(format.data[i] == '\\' && i + 1 < format.size &&
                     format.data[i + 1] == 'n' && i++)) {
            tw_strbuf_putc(&text, format.data[i]);
        }
    }
    ir_remark(t->machine->ctx, in->op->loc, "core %d,%d: %s", t->core->y, t->core->x,
              tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return pc + 1;
}

/* ---- signposts: a point of the timeline, without cost -------------------------------- */

RUN(run_signpost)
{
    dev_span(t, DEV_TRACK_WAIT, in->op, t->now, t->now);
    return pc + 1;
}

/* Checks that an index of a tensor slice lies in its dimension; without cost. */
RUN(run_check_index)
{
    const int64_t at = DEV_REG(t, in, 0), size = ir_attr_int(ir_op_attr(in->op, "size"), 0),
                  extent = ir_attr_int(ir_op_attr(in->op, "extent"), 1);
    const tw_str of = ir_attr_str(ir_op_attr(in->op, "of"));
    const char *blank = memchr(of.data, ' ', of.size);
    const size_t first = blank ? (size_t)(blank - of.data) : of.size; /* "rows of tiles" */
    if (extent == 1 && (at < 0 || at >= size))
        dev_report_at(t, DEV_NOC_RANGE, in->op, NULL,
                      "indices are counted from 0; look at the loop's bounds, the grid's "
                      "size and the core's share",
                      "%.*s %lld is not in the tensor, which has %lld %.*s",
                      tw_str_is(of, "matrices") ? 6 : (int)first - 1,
                      tw_str_is(of, "matrices") ? "matrix" : of.data, (long long)at,
                      (long long)size, (int)of.size, of.data);
    else if (at < 0 || at > size - extent)
        dev_report_at(t, DEV_NOC_RANGE, in->op, NULL,
                      "indices are counted from 0; look at the loop's bounds, the grid's "
                      "size and the core's share",
                      "%.*s %lld to %lld are not all in the tensor, which has %lld %.*s",
                      (int)first, of.data, (long long)at, (long long)(at + extent - 1),
                      (long long)size, (int)of.size, of.data);
    return pc + 1;
}

/* ---- the table --------------------------------------------------------------------- */

enum { READS = 1 << DEV_READ, WRITES = 1 << DEV_WRITE, ATOMICS = 1 << DEV_ATOMIC };

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_get_arg_val] = {run_arg, .imm = 0, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [TTKERNEL_get_common_arg_val] = {run_arg, .imm = 1, .moves = DEV_TO_PROLOGUE,
                                     .by_jobs = true},
    [TTKERNEL_get_compile_time_arg_val] = {run_arg, .imm = 2, .moves = DEV_TO_PROLOGUE,
                                           .by_jobs = true},
    [TTKERNEL_cb_reserve_back] = {run_reserve, .by_jobs = true},
    [TTKERNEL_cb_push_back] = {run_push, .by_jobs = true},
    [TTKERNEL_cb_wait_front] = {run_wait, .by_jobs = true},
    [TTKERNEL_cb_pop_front] = {run_pop, .by_jobs = true},
    [TTKERNEL_get_read_ptr] = {run_read_ptr, .by_jobs = true},
    [TTKERNEL_get_write_ptr] = {run_write_ptr, .by_jobs = true},
    [TTKERNEL_get_tile_size] = {run_tile_size, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [TTKERNEL_get_dataformat] = {run_dataformat, .moves = DEV_TO_PROLOGUE, .untimed = true,
                                 .by_jobs = true},
    [TTKERNEL_noc_async_read] = {run_noc_read, .by_jobs = true},
    [TTKERNEL_noc_async_read_one_packet_set_state] = {run_read_set_state, .by_jobs = true},
    [TTKERNEL_noc_async_read_one_packet_with_state] = {run_read_with_state,
                                                       .by_jobs = true},
    [TTKERNEL_noc_async_write] = {run_noc_write, .by_jobs = true},
    [TTKERNEL_noc_async_write_multicast] = {run_noc_multicast, .by_jobs = true},
    [TTKERNEL_noc_async_write_multicast_one_packet] = {run_noc_multicast, .imm = 2,
                                                       .by_jobs = true},
    [TTKERNEL_noc_async_write_multicast_loopback_src] = {run_noc_multicast, .imm = 1,
                                                         .by_jobs = true},
    [TTKERNEL_noc_async_read_barrier] = {run_barrier, .imm = READS, .by_jobs = true},
    [TTKERNEL_noc_async_write_barrier] = {run_barrier, .imm = WRITES, .by_jobs = true},
    [TTKERNEL_noc_async_atomic_barrier] = {run_barrier, .imm = ATOMICS, .by_jobs = true},
    [TTKERNEL_noc_inline_dw_write] = {run_inline_write},
    [TTKERNEL_get_noc_addr] = {run_noc_addr, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [TTKERNEL_get_noc_addr_from_bank_id] = {run_bank_addr, .moves = DEV_TO_PROLOGUE,
                                            .by_jobs = true},
    [TTKERNEL_get_noc_multicast_addr] = {run_multicast_addr, .moves = DEV_TO_PROLOGUE,
                                         .by_jobs = true},
    [TTKERNEL_my_logical_y_] = {run_coordinate, .imm = 0, .moves = DEV_TO_PROLOGUE,
                                .by_jobs = true},
    [TTKERNEL_my_logical_x_] = {run_coordinate, .imm = 1, .moves = DEV_TO_PROLOGUE,
                                .by_jobs = true},
    [TTKERNEL_my_y] = {run_coordinate, .imm = 2, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [TTKERNEL_my_x] = {run_coordinate, .imm = 3, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [TTKERNEL_experimental_convert_logical_y_to_translated] = {run_coordinate, .imm = 4,
                                                               .moves = DEV_TO_PROLOGUE,
                                                               .by_jobs = true},
    [TTKERNEL_experimental_convert_logical_x_to_translated] = {run_coordinate, .imm = 5,
                                                               .moves = DEV_TO_PROLOGUE,
                                                               .by_jobs = true},
    [TTKERNEL_reinterpret_cast] = {run_same, .moves = DEV_TO_PROLOGUE, .untimed = true,
                                   .by_jobs = true},
    [TTKERNEL_bitcast] = {run_same, .moves = DEV_TO_PROLOGUE, .untimed = true,
                          .by_jobs = true},
    [TTKERNEL_TensorAccessorArgs] = {run_accessor_args, .moves = DEV_TO_PROLOGUE,
                                     .by_jobs = true},
    [TTKERNEL_TensorAccessor] = {run_accessor, .moves = DEV_TO_PROLOGUE, .by_jobs = true},
    [TTKERNEL_noc_async_read_tile] = {run_read_tile, .by_jobs = true},
    [TTKERNEL_noc_async_write_tile] = {run_write_tile, .by_jobs = true},
    [TTKERNEL_noc_async_read_page] = {run_page, .by_jobs = true},
    [TTKERNEL_noc_async_write_page] = {run_page, .by_jobs = true},
    [TTKERNEL_tensor_accessor_get_noc_addr] = {run_accessor_addr, .by_jobs = true},
    [TTKERNEL_tensor_accessor_is_local_page] = {run_accessor_is_local, .by_jobs = true},
    [TTKERNEL_dprint] = {run_dprint},
};

const dev_op_row *dev_data_row(const ir_op_def *def)
{
    static const dev_op_row signpost = {run_signpost, .by_jobs = true},
                            check_index = {run_check_index, .by_jobs = true};
    if (def == TTL_OP(signpost))
        return &signpost;
    if (def == TTL_OP(check_index))
        return &check_index;
    return dev_row_of(rows, def);
}
