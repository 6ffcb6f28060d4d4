/* special.c: rarer operations that every kernel may use: transaction ids, queries of
 * accessors, tiles written by the core itself, the system's zeros, comparisons of floats by
 * their bits, and a mesh of one chip. */
#include "grid/units/code.h"

#include "support/bf16_f16.h"
#include "ttkernel/ttkernel.h"

enum {
    SIDE = DEV_TILE_SIDE,
    ZEROS = 512 /* MEM_ZEROS_SIZE of the firmware's memory map */
};

static void tick(dev_thread *t)
{
    t->now += t->machine->chip->cost.issue_scalar;
}

/* ---- transaction ids --------------------------------------------------------------- */

static bool good_id(dev_thread *t, const dev_insn *in, int64_t id)
{
    if (id >= 0 && id < 16)
        return true;
    dev_report_at(t, DEV_ARGUMENT, in->op, NULL, "use 0 to 15",
                  "there is no transaction id %lld", (long long)id);
    return false;
}

RUN(run_write_with_id)
{
    int64_t id = dev_group(t, in, 5, 0, 0), size = dev_group(t, in, 4, 0, 0);
    if (!good_id(t, in, id))
        return pc + 1;
    if (!dev_fits_packet(t, in->op, size))
        return pc + 1;
    t->traffic.transaction = (int)id;
    const dev_noc_address to = dev_noc_operand(t, in, 1);
    dev_noc_write(t, in->op, dev_group(t, in, 0, 0, 0), &to, size, dev_noc_of(t, in), false,
                  -1);
    t->traffic.transaction = 0;
    return pc + 1;
}

/* imm: the kinds waited for. */
RUN(run_barrier_with_id)
{
    int64_t id = DEV_REG(t, in, 0);
    tick(t);
    if (good_id(t, in, id))
        dev_noc_barrier(t, in->op, (unsigned)in->imm, dev_noc_of(t, in), (int)id);
    return pc + 1;
}

/* ---- queries of accessors ------------------------------------------------------------ */

static bool is_here(const dev_thread *t, dev_noc_address p)
{
    return p.kind == DEV_NOC_CORE && p.x - t->machine->chip->translated_x == t->core->x &&
           p.y - t->machine->chip->translated_y == t->core->y;
}

/* First page of a shard; in an interleaved tensor every page is a shard. */
static bool shard_place(dev_thread *t, ir_op *op, int64_t accessor, int64_t shard,
                        dev_noc_address *out)
{
    const dev_buffer *b = &t->machine->tensors.buffers[accessor >> 52];
    int64_t page = shard, shards = b->grid_y * b->grid_x;
    if (dev_space_is_sharded(b->space)) {
        int64_t columns = b->tiled ? b->grid_x * b->shard_x : b->grid_x;
        if (shard < 0 || shard >= shards) {
            dev_report_at(
                t, DEV_NOC_RANGE, op, NULL,
                "shards are counted from 0, row by row; look at the loop's bounds "
                "and the core's share",
                "shard %lld of a tensor of %lld shard%s", (long long)shard,
                (long long)shards, dev_s(shards));
            return false;
        }
        page = shard / b->grid_x * b->shard_y * columns +
               shard % b->grid_x * (b->tiled ? b->shard_x : 1);
    }
    return dev_accessor_page(t, op, accessor, page, out);
}

/* All pages of a shard, which are contiguous in memory. */
RUN(run_shard)
{
    int64_t accessor = DEV_REG(t, in, 1), near = DEV_REG(t, in, 2);
    const dev_buffer *b = &t->machine->tensors.buffers[accessor >> 52];
    dev_noc_address p;
    if (!dev_space_is_sharded(b->space)) {
        dev_report_at(t, DEV_ARGUMENT, in->op, NULL,
                      "move its pages, or give the launch a sharded tensor",
                      "the tensor is interleaved: it has pages, and no shards");
        return pc + 1;
    }
    if (!shard_place(t, in->op, accessor, DEV_REG(t, in, 0), &p))
        return pc + 1;
    if (in->op->def == TTKERNEL_OP(noc_async_read_shard))
        dev_noc_read(t, in->op, &p, near, (int64_t)b->per_bank, dev_noc_of(t, in));
    else
        dev_noc_write(t, in->op, near, &p, (int64_t)b->per_bank, dev_noc_of(t, in), false,
                      -1);
    return pc + 1;
}

RUN(run_shard_addr)
{
    dev_noc_address p;
    tick(t);
    if (shard_place(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &p)) {
        p.address += (uint32_t)DEV_REG(t, in, 2);
        t->reg[in->dst] = dev_noc_pack(p);
    }
    return pc + 1;
}

RUN(run_is_local_shard)
{
    dev_noc_address p;
    tick(t);
    if (shard_place(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &p))
        t->reg[in->dst] = is_here(t, p);
    return pc + 1;
}

/* A bank of a tensor in L1 is a core. */
RUN(run_is_local_bank)
{
    const dev_buffer *b = &t->machine->tensors.buffers[DEV_REG(t, in, 0) >> 52];
    dev_noc_address p;
    tick(t);
    t->reg[in->dst] = dev_space_is_l1(b->space) &&
                      shard_place(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &p) &&
                      is_here(t, p);
    return pc + 1;
}

RUN(run_is_local_addr)
{
    const dev_buffer *b = &t->machine->tensors.buffers[DEV_REG(t, in, 0) >> 52];
    dev_noc_address p = {
        .kind = DEV_NOC_CORE, .x = (int)DEV_REG(t, in, 1), .y = (int)DEV_REG(t, in, 2)};
    tick(t);
    t->reg[in->dst] = dev_space_is_l1(b->space) && is_here(t, p);
    return pc + 1;
}

/* Bank in the upper half (cores are counted row-major), address in the lower. */
RUN(run_bank_and_offset)
{
    dev_noc_address p;
    tick(t);
    if (dev_accessor_page(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1), &p)) {
        const dev_chip *chip = t->machine->chip;
        int64_t bank = p.kind == DEV_NOC_BANK ? p.x
                                              : (p.y - chip->translated_y) * chip->grid_x +
                                                    p.x - chip->translated_x;
        t->reg[in->dst] = bank << 32 | p.address;
    }
    return pc + 1;
}

/* ---- tiles written by the core ------------------------------------------------------- */

enum { ROW_MASK, COLUMN_MASK, NUMBERS };

/* Writes the page at the buffer's read pointer, as the published functions do. */
RUN(run_write_pattern)
{
    bool mask = in->imm != NUMBERS;
    int64_t valid = mask ? DEV_REG(t, in, 0) : 0;
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, mask));
    if (!cb)
        return pc + 1;
    if (cb->format != TW_F32 && cb->format != TW_BF16 && cb->format != TW_I32) {
        dev_report_at(t, DEV_FORMAT, in->op, NULL, NULL,
                      "writes f32, bf16 or si32; circular buffer %d holds %s",
                      dev_cb_port(t, cb), tw_dtype_name(cb->format));
        return pc + 1;
    }
    size_t at = cb->base + (size_t)cb->read * cb->page;
    dev_check_write(t, in->op, &t->core->l1, at, cb->page, NULL, false);
    for (size_t r = 0; r < SIDE; r++)
        for (size_t c = 0; c < SIDE; c++) {
            int32_t value = !mask                 ? (int32_t)(r * SIDE + c)
                            : in->imm == ROW_MASK ? (int64_t)r < valid
                                                  : (int64_t)c < valid;
            uint32_t bits =
                cb->format == TW_I32 ? (uint32_t)value : tw_f32_bits((float)value);
            size_t i = dev_tile_index(r, c);
            uint16_t half = (uint16_t)(bits >> 16);
            if (cb->format == TW_BF16)
                memcpy(t->core->l1.bytes + at + 2 * i, &half, 2);
            else
                memcpy(t->core->l1.bytes + at + 4 * i, &bits, 4);
        }
    dev_mark(&t->core->l1, at, cb->page, DEV_DEFINED);
    t->now += SIDE * SIDE * t->machine->chip->cost.issue_scalar;
    return pc + 1;
}

/* ---- the rest ---------------------------------------------------------------------- */

/* imm 0: address of the zeros; 1: their size. */
RUN(run_zeros)
{
    dev_memory *l1 = &t->core->l1;
    tick(t);
    if (in->imm == 0) {
        memset(l1->bytes, 0, ZEROS);
        dev_mark(l1, 0, ZEROS, DEV_DEFINED);
    }
    t->reg[in->dst] = in->imm ? ZEROS : 0;
    return pc + 1;
}

/* imm: bit width of the operands. */
RUN(run_greater)
{
    uint32_t a = (uint32_t)DEV_REG(t, in, 0), b = (uint32_t)DEV_REG(t, in, 1);
    tick(t);
    t->reg[in->dst] = in->imm == 16
                          ? tw_bf16_value((uint16_t)a) > tw_bf16_value((uint16_t)b)
                          : tw_f32_of_bits(a) > tw_f32_of_bits(b);
    return pc + 1;
}

RUN(run_zero) /* of a mesh of one chip: its index, its coordinates */
{
    tick(t);
    t->reg[in->dst] = 0;
    return pc + 1;
}

/* Index of the chip at given coordinates: there is one, at zeros. */
RUN(run_device_at)
{
    tick(t);
    t->reg[in->dst] = 0;
    for (size_t i = 0; i < dev_group_size(in, 1); i++)
        if (dev_group(t, in, 1, i, 0) != 0)
            dev_report_at(t, DEV_ARGUMENT, in->op, NULL, "a mesh here is one chip",
                          "there is no chip at position %lld of dimension %zu",
                          (long long)dev_group(t, in, 1, i, 0), i);
    return pc + 1;
}

RUN(run_unreachable)
{
    dev_report_at(t, DEV_ARGUMENT, in->op, NULL,
                  "hardware would stand still or go on with what lies behind",
                  "the kernel ends itself, or has reached what it calls unreachable");
    return pc + 1;
}

enum { READS = 1 << DEV_READ, WRITES = 1 << DEV_WRITE };

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_noc_async_write_one_packet_with_trid] = {run_write_with_id},
    [TTKERNEL_noc_async_read_barrier_with_trid] = {run_barrier_with_id, .imm = READS},
    [TTKERNEL_noc_async_write_barrier_with_trid] = {run_barrier_with_id, .imm = WRITES},
    [TTKERNEL_noc_async_read_shard] = {run_shard, .by_jobs = true},
    [TTKERNEL_noc_async_write_shard] = {run_shard, .by_jobs = true},
    [TTKERNEL_tensor_accessor_get_shard_noc_addr] = {run_shard_addr},
    [TTKERNEL_tensor_accessor_is_local_shard] = {run_is_local_shard},
    [TTKERNEL_tensor_accessor_is_local_bank] = {run_is_local_bank},
    [TTKERNEL_tensor_accessor_is_local_addr] = {run_is_local_addr},
    [TTKERNEL_tensor_accessor_get_bank_and_offset] = {run_bank_and_offset},
    [TTKERNEL_experimental_write_row_mask_tile] = {run_write_pattern, .imm = ROW_MASK},
    [TTKERNEL_experimental_write_col_mask_tile] = {run_write_pattern, .imm = COLUMN_MASK},
    [TTKERNEL_experimental_fill_arange_tile] = {run_write_pattern, .imm = NUMBERS},
    [TTKERNEL_mem_zeros_base] = {run_zeros},
    [TTKERNEL_mem_zeros_size] = {run_zeros, .imm = 1},
    [TTKERNEL_bfloat16_greater] = {run_greater, .imm = 16},
    [TTKERNEL_float32_greater] = {run_greater, .imm = 32},
    [TTKERNEL_experimental_get_my_device_id] = {run_zero},
    [TTKERNEL_experimental_create_fabric_connection_manager] = {run_zero},
    [TTKERNEL_experimental_get_my_logical_mesh_position] = {run_zero},
    [TTKERNEL_experimental_get_device_id_from_logical_mesh_position] = {run_device_at},
    [TTKERNEL_unreachable] = {run_unreachable},
};

const dev_op_row *dev_special_row(const ir_op_def *def)
{
    return dev_row_of(rows, def);
}
