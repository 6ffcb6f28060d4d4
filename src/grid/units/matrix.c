/* matrix.c: operations of the matrix unit: element-wise, matrix products, reductions,
 * broadcasts, transposes. */
#include "grid/units/compute.h"
#include "grid/units/operands.h"
#include "grid/units/product.h"

#include "host/tiles/tile.h"

#include <math.h>

/* ---- element-wise on the matrix unit ----------------------------------------------- */

static dev_eltwise kind_of(int64_t kind)
{
    return kind == TTKERNEL_EltwiseBinaryType_Add   ? DEV_ADD
           : kind == TTKERNEL_EltwiseBinaryType_Sub ? DEV_SUBTRACT
                                                    : DEV_MULTIPLY;
}

static dev_pad_kind pad_kind(int64_t kind)
{
    return kind == TTKERNEL_EltwiseBinaryType_Mul ? DEV_PAD_PRODUCT : DEV_PAD_SUM;
}

static double eltwise_cycles(const dev_thread *t, int64_t kind)
{
    return dev_eltwise_cycles(&t->machine->chip->cost,
                              kind == TTKERNEL_EltwiseBinaryType_Mul, t->compute->phases);
}

/* Replicates row 0, column 0 or element 0, 0 over all rows, columns, elements. */
static void broadcast(int64_t kind, const dev_tile *from, dev_tile *to)
{
    bool one_row = kind == TTKERNEL_BcastType_Row || kind == TTKERNEL_BcastType_Scalar;
    bool one_column = kind == TTKERNEL_BcastType_Col || kind == TTKERNEL_BcastType_Scalar;
    for (size_t r = 0; r < SIDE; r++)
        for (size_t k = 0; k < SIDE; k++)
            to->f[dev_tile_index(r, k)] =
                from->f[dev_tile_index(one_row ? 0 : r, one_column ? 0 : k)];
}

/* x, y: the formats; z: broadcast of the second operand, + 1; how: the operation. */
static void job_eltwise(const dev_job *job)
{
    dev_compute *c = job->unit;
    dev_load_source((tw_dtype)job->x, job->a, &c->a);
    dev_load_source((tw_dtype)job->y, job->b, &c->b);
    if (job->z)
        broadcast(job->z - 1, &c->b, &c->c);
    dev_matrix_eltwise(&c->unit, (dev_eltwise)job->how, &c->a, job->z ? &c->c : &c->b,
                       job->out);
}

static const dev_job_kind eltwise = {job_eltwise, DEV_REGISTER, DEV_PAGE_X, DEV_PAGE_Y};

RUN(run_eltwise)
{
    const int64_t kind = in->imm & ((1 << DEV_VARIANT) - 1), bcast = in->imm >> DEV_VARIANT;
    dev_cb *cb_a, *cb_b;
    size_t bytes = 0;
    const uint8_t *a = dev_unpack_source(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 2),
                                         DEV_SRC_A, &cb_a, &bytes);
    const uint8_t *b = a ? dev_unpack_source(t, in->op, DEV_REG(t, in, 1),
                                             DEV_REG(t, in, 3), DEV_SRC_B, &cb_b, &bytes)
                         : a;
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 4));
    if (!b || !s)
        return pc + 1;
    dev_do(t->machine, &(dev_job){&eltwise, &s->tile, a, b, .unit = t->compute,
                                  .x = (uint8_t)cb_a->format, .y = (uint8_t)cb_b->format,
                                  .z = (uint8_t)bcast, .how = (uint8_t)kind_of(kind)});
    s->integer = false;
    const dev_pad *pad = t->compute->formats.pad;
    if (TW_UNLIKELY(dev_pad_any(pad[0]) || dev_pad_any(pad[1])))
        s->pad = dev_pad_of_two(t, in->op, pad_kind(kind), pad[DEV_SRC_A], pad[DEV_SRC_B],
                                bcast - 1);
    dev_book(t, in->op, bytes, eltwise_cycles(t, kind));
    return pc + 1;
}

/* x: the page's format; b: the tile of DST; z: whether that is the first operand; how: the
 * operation. */
static void job_reuse(const dev_job *job)
{
    dev_compute *c = job->unit;
    dev_load_source((tw_dtype)job->x, job->a, &c->b);
    memcpy(&c->a, job->b, sizeof c->a);
    dev_round_to_source(&c->a);
    dev_matrix_eltwise(&c->unit, (dev_eltwise)job->how, job->z ? &c->a : &c->b,
                       job->z ? &c->b : &c->a, job->out);
}

static const dev_job_kind reuse = {job_reuse, DEV_REGISTER, DEV_PAGE_X, DEV_REGISTER};

RUN(run_dest_reuse)
{
    dev_cb *cb;
    size_t bytes = 0;
    int64_t kind = dev_enum(in->op, "eltwise_binary_type");
    bool first = dev_enum(in->op, "reuse_type") == TTKERNEL_BinaryDestReuseType_DestToSrcA;
    const uint8_t *page = dev_unpack_source(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 1),
                                            first ? DEV_SRC_B : DEV_SRC_A, &cb, &bytes);
    dev_slot *s = dev_dst_peek(t, in->op, DEV_REG(t, in, 2));
    if (!page || !s)
        return pc + 1;
    dev_dst_expect(t, in->op, s, false);
    dev_dst_widen(t, s);
    dev_do(t->machine,
           &(dev_job){&reuse, &s->tile, page, &s->tile, .unit = t->compute,
                      .x = (uint8_t)cb->format, .z = first, .how = (uint8_t)kind_of(kind)});
    s->integer = false;
    const dev_pad own = s->pad,
                  page_pad = t->compute->formats.pad[first ? DEV_SRC_B : DEV_SRC_A];
    dev_dst_update(s, in->op);
    if (TW_UNLIKELY(dev_pad_any(own) || dev_pad_any(page_pad)))
        s->pad = dev_pad_of_two(t, in->op, pad_kind(kind), first ? own : page_pad,
                                first ? page_pad : own, -1);
    dev_book_alone(t, in->op, bytes,
                   eltwise_cycles(t, kind) + t->machine->chip->cost.move_tile);
    return pc + 1;
}

/* ---- matrix products --------------------------------------------------------------- */

/* Which operands a product unpacks: a block keeps one in its source register while the
 * tiles of the other pass (_llk_unpack_AB_matmul_). */
typedef enum unpacks { UNPACKS_BOTH, UNPACKS_A, UNPACKS_B } unpacks;

static const dev_memory *lender(const dev_thread *t, const dev_cb *cb, int64_t tile)
{
    const size_t page = dev_cb_behind(cb, cb->read, (uint32_t)tile);
    return dev_lender(&t->machine->loans, &t->core->l1, cb->base + page * cb->page);
}

/* Does a product of tiles that lie in these banks; NULL: elsewhere. */
static void do_product(dev_thread *t, dev_slot *s, dev_job *job, const dev_memory *bank_a,
                       const dev_memory *bank_b)
{
    bool reuses = false;
    if (bank_a && bank_b) {
        dev_dst_fetch_all(t); /* a product that was put off reads operands replaced here */
        reuses = dev_operands_reuse(t->machine, job, bank_a, bank_b);
    }
    dev_dst_do(t, s, job, reuses && !job->adds);
}

/* DST += A B */
static bool multiply(dev_thread *t, const dev_insn *in, int64_t tile_a, int64_t tile_b,
                     int64_t dst, bool transpose, unpacks which)
{
    dev_compute *c = t->compute;
    size_t bytes = 0;
    dev_cb *cb_a, *cb_b;
    const uint8_t *a =
        dev_unpack_source(t, in->op, DEV_REG(t, in, 0), tile_a, DEV_SRC_B, &cb_a, &bytes);
    const uint8_t *b = a ? dev_unpack_source(t, in->op, DEV_REG(t, in, 1), tile_b,
                                             DEV_SRC_A, &cb_b, &bytes)
                         : a;
    dev_slot *s = b ? dev_dst_slot(t, in->op, dst) : NULL;
    if (!s)
        return false;
    bool fresh = !s->written; /* the packer left zeros */
    if (!fresh)
        dev_dst_expect(t, in->op, s, false);
    s->read = true;
    dev_dst_fill(t, s);
    dev_dst_write(t, in->op, dst);
    if (TW_UNLIKELY(dev_pad_any(c->formats.pad[0]) || dev_pad_any(c->formats.pad[1])))
        s->pad = dev_pad_multiply(t, in->op, c->formats.pad[DEV_SRC_B],
                                  transpose ? dev_pad_transposed(c->formats.pad[DEV_SRC_A])
                                            : c->formats.pad[DEV_SRC_A]);
    t->machine->profile.matrix_flops += 65536;
    dev_job job = {&dev_product_job,
                   &s->tile,
                   a,
                   b,
                   .unit = c,
                   .x = (uint8_t)cb_a->format,
                   .y = (uint8_t)cb_b->format,
                   .how = transpose,
                   .adds = !fresh};
    do_product(t, s, &job, lender(t, cb_a, tile_a), lender(t, cb_b, tile_b));
    s->integer = false;
    const double cycles = dev_matmul_cycles(&t->machine->chip->cost, c->phases);
    if (which == UNPACKS_BOTH)
        dev_book(t, in->op, bytes, cycles);
    else
        dev_book_alone(t, in->op, which == UNPACKS_A ? cb_a->page : cb_b->page, cycles);
    return true;
}

/* Checks that the unpacker transposes as the last init configured. */
static void check_transpose(dev_thread *t, const dev_insn *in, bool wanted)
{
    if (wanted != t->compute->inits.transpose)
        dev_report_at(
            t, DEV_INIT, in->op, t->compute->inits.init_op[0], "the last init is here",
            "multiplies by the second matrix %s, and the init says %s",
            wanted ? "transposed" : "as it is", wanted ? "as it is" : "transposed");
}

/* Variants of kernels in C++; the older form also gives whether to transpose: 2, 3. */
RUN(run_matmul_tiles)
{
    if (in->imm >> DEV_VARIANT)
        check_transpose(t, in, in->imm >> DEV_VARIANT & 1);
    multiply(t, in, DEV_REG(t, in, 2), DEV_REG(t, in, 3), DEV_REG(t, in, 4),
             t->compute->inits.transpose, UNPACKS_BOTH);
    return pc + 1;
}

/* rt x ct result tiles. The plain form does one step of k per call: A's tiles are kt apart,
 * B's are contiguous. imm 1: all of kt, with the given stride of B; a transposed B has kt
 * tiles for each column, which are multiplied one by one. */
RUN(run_matmul_block)
{
    int64_t ct = DEV_REG(t, in, 6), rt = DEV_REG(t, in, 7), kt = DEV_REG(t, in, 8);
    int64_t steps = in->imm ? kt : 1, stride = in->imm ? DEV_REG(t, in, 9) : ct;
    bool transpose = DEV_REG(t, in, 5) != 0, columns = in->imm && transpose;
    check_transpose(t, in, transpose);
    for (int64_t k = 0; k < steps; k++)
        for (int64_t r = 0; r < rt; r++)
            for (int64_t c = 0; c < ct; c++)
                if (!multiply(t, in, DEV_REG(t, in, 2) + r * kt + k,
                              DEV_REG(t, in, 3) + k * stride + (columns ? c * kt : c),
                              DEV_REG(t, in, 4) + r * ct + c, transpose,
                              columns    ? UNPACKS_BOTH
                              : ct >= rt ? c ? UNPACKS_B : UNPACKS_BOTH
                              : r        ? UNPACKS_A
                                         : UNPACKS_BOTH) ||
                    t->machine->stop)
                    return pc + 1;
    return pc + 1;
}

/* ---- reduce, broadcast, transpose -------------------------------------------------- */

enum { FACE = SIDE / 2 };

/* Sums are products with the first row of the scaler's first face, once for each
 * direction, so the scaler is applied twice if both are reduced. Row: every row to its
 * first column. */
static void reduce(const dev_tile *in, const dev_tile *scaler, bool maximum, int64_t dim,
                   bool fresh, dev_tile *out)
{
    const float *scale = scaler->f;
    float side[SIDE];
    bool rows = dim == TTKERNEL_ReduceDim_Row;
    for (size_t i = 0; i < SIDE; i++) {
        side[i] = maximum ? -INFINITY : 0;
        for (size_t k = 0; k < SIDE; k++) {
            float x = in->f[rows ? dev_tile_index(i, k) : dev_tile_index(k, i)];
            side[i] = maximum ? fmaxf(side[i], x) : side[i] + x * scale[k % FACE];
        }
    }
    if (fresh)
        for (int i = 0; i < N; i++)
            out->f[i] = 0;
    size_t n = SIDE;
    if (dim == TTKERNEL_ReduceDim_Scalar) {
        float all = maximum ? -INFINITY : 0;
        for (size_t i = 0; i < SIDE; i++)
            all = maximum ? fmaxf(all, side[i]) : all + side[i] * scale[i % FACE];
        side[0] = all;
        n = 1;
    }
    for (size_t i = 0; i < n; i++) {
        float *to = &out->f[rows ? dev_tile_index(i, 0) : dev_tile_index(0, i)];
        *to = fresh ? side[i] : maximum ? fmaxf(*to, side[i]) : *to + side[i];
    }
}

/* x, y: the formats; z: the dimension; how: whether it is a maximum. */
static void job_reduce(const dev_job *job)
{
    dev_compute *c = job->unit;
    dev_load_source((tw_dtype)job->x, job->a, &c->a);
    dev_load_source((tw_dtype)job->y, job->b, &c->b);
    if (!job->how) {
        dev_matrix_cut(&c->unit, true, &c->a);
        dev_matrix_cut(&c->unit, false, &c->b);
    }
    reduce(&c->a, &c->b, job->how, job->z, !job->adds, job->out);
    dev_round_to_dst(job->out, c->dst.format);
}

static const dev_job_kind reduction = {job_reduce, DEV_REGISTER, DEV_PAGE_X, DEV_PAGE_Y};

static double reduce_cycles(const dev_thread *t, int64_t dim, bool maximum)
{
    const dev_reduced how = dim == TTKERNEL_ReduceDim_Row      ? DEV_REDUCED_ROWS
                            : dim == TTKERNEL_ReduceDim_Scalar ? DEV_REDUCED_TILE
                                                               : DEV_REDUCED_COLUMNS;
    return dev_reduce_cycles(&t->machine->chip->cost, how,
                             maximum ? 1 : t->compute->phases);
}

RUN(run_reduce)
{
    dev_compute *c = t->compute;
    size_t bytes = 0;
    dev_cb *cb_a, *cb_b;
    bool maximum = dev_enum(in->op, "reduce_type") == TTKERNEL_ReduceType_Max;
    const uint8_t *a = dev_unpack_source(t, in->op, DEV_REG(t, in, 0), DEV_REG(t, in, 2),
                                         DEV_SRC_A, &cb_a, &bytes);
    const uint8_t *b = a ? dev_unpack_source(t, in->op, DEV_REG(t, in, 1),
                                             DEV_REG(t, in, 3), DEV_SRC_B, &cb_b, &bytes)
                         : a;
    dev_slot *s = b ? dev_dst_slot(t, in->op, DEV_REG(t, in, 4)) : NULL;
    if (!s)
        return pc + 1;
    bool fresh = !s->written;
    const int64_t dim = dev_enum(in->op, "reduce_dim");
    if (!fresh)
        dev_dst_expect(t, in->op, s, false);
    s->read = true;
    dev_dst_fill(t, s);
    dev_dst_write(t, in->op, DEV_REG(t, in, 4));
    if (TW_UNLIKELY(dev_pad_any(c->formats.pad[DEV_SRC_A]))) {
        s->pad =
            dev_pad_reduce(t, in->op, c->formats.pad[DEV_SRC_A],
                           dim == TTKERNEL_ReduceDim_Row   ? DEV_PAD_COLUMNS
                           : dim == TTKERNEL_ReduceDim_Col ? DEV_PAD_ROWS
                                                           : DEV_PAD_ROWS | DEV_PAD_COLUMNS,
                           maximum);
    }
    dev_do(t->machine, &(dev_job){&reduction, &s->tile, a, b, .unit = c,
                                  .x = (uint8_t)cb_a->format, .y = (uint8_t)cb_b->format,
                                  .z = (uint8_t)dim, .how = maximum, .adds = !fresh});
    s->integer = false;
    dev_book(t, in->op, bytes, reduce_cycles(t, dim, maximum));
    return pc + 1;
}

/* x: the format; z: the kind of broadcast. */
static void job_bcast(const dev_job *job)
{
    dev_compute *c = job->unit;
    if (dev_format_is_integer((tw_dtype)job->x)) { /* 32-bit words are unchanged */
        dev_tile_load((tw_dtype)job->x, job->a, &c->a);
        broadcast(job->z, &c->a, job->out);
        return;
    }
    dev_load_source((tw_dtype)job->x, job->a, &c->a);
    broadcast(job->z, &c->a, job->out);
    dev_round_to_dst(job->out, c->dst.format);
}

/* x: the format. */
static void job_transpose(const dev_job *job)
{
    dev_compute *c = job->unit;
    float *out = job->out;
    if (dev_format_is_integer((tw_dtype)job->x)) { /* 32-bit words are unchanged */
        dev_tile_load((tw_dtype)job->x, job->a, &c->a);
        krn_tiles()->transpose(c->a.f, out);
        return;
    }
    dev_load_source((tw_dtype)job->x, job->a, &c->a);
    krn_tiles()->transpose(c->a.f, out);
    dev_round_to_dst(job->out, c->dst.format);
}

static const dev_job_kind spreading = {job_bcast, DEV_REGISTER, DEV_PAGE_X, DEV_NO_BYTES},
                          transposition = {job_transpose, DEV_REGISTER, DEV_PAGE_X,
                                           DEV_NO_BYTES};

/* Loads a page to a tile of DST. */
static uint32_t move(dev_thread *t, const dev_insn *in, uint32_t pc,
                     const dev_job_kind *kind, int64_t which, dev_source source)
{
    dev_cb *cb = dev_cb_get(t, in->op, DEV_REG(t, in, 0));
    if (!cb)
        return pc + 1;
    size_t bytes = cb->page;
    bool words = dev_format_is_integer(cb->format);
    const uint8_t *from = words ? dev_cb_waited_tile(t, in->op, DEV_REG(t, in, 0),
                                                     DEV_REG(t, in, 1), source, &cb)
                                : dev_unpack_source(t, in->op, DEV_REG(t, in, 0),
                                                    DEV_REG(t, in, 1), source, &cb, &bytes);
    dev_slot *s = dev_dst_write(t, in->op, DEV_REG(t, in, 2));
    if (!from || !s)
        return pc + 1;
    dev_do(t->machine, &(dev_job){kind, &s->tile, from, .unit = t->compute,
                                  .x = (uint8_t)cb->format, .z = (uint8_t)which});
    s->integer = words;
    dev_need_wide_dst(t, in->op, cb->format);
    if (TW_UNLIKELY(t->machine->tensors.padded))
        s->pad =
            kind == &transposition
                ? dev_pad_transposed(t->compute->formats.pad[source])
                : dev_pad_broadcast(t->machine, which, t->compute->formats.pad[source]);
    dev_book_alone(t, in->op, bytes, t->machine->chip->cost.move_tile);
    return pc + 1;
}

RUN(run_bcast)
{
    return move(t, in, pc, &spreading, dev_enum(in->op, "bcast_type"), DEV_SRC_B);
}

RUN(run_transpose)
{
    return move(t, in, pc, &transposition, 0, DEV_SRC_A);
}

/* ---- the table --------------------------------------------------------------------- */

static const dev_op_row rows[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_add_tiles] = {run_eltwise, .imm = TTKERNEL_EltwiseBinaryType_Add,
                            .by_jobs = true},
    [TTKERNEL_sub_tiles] = {run_eltwise, .imm = TTKERNEL_EltwiseBinaryType_Sub,
                            .by_jobs = true},
    [TTKERNEL_mul_tiles] = {run_eltwise, .imm = TTKERNEL_EltwiseBinaryType_Mul,
                            .by_jobs = true},
    [TTKERNEL_binary_dest_reuse_tiles] = {run_dest_reuse, .by_jobs = true},
    [TTKERNEL_matmul_tiles] = {run_matmul_tiles, .by_jobs = true},
    [TTKERNEL_matmul_block] = {run_matmul_block, .by_jobs = true},
    [TTKERNEL_experimental_matmul_block] = {run_matmul_block, .imm = 1, .by_jobs = true},
    [TTKERNEL_reduce_tile] = {run_reduce, .by_jobs = true},
    [TTKERNEL_unary_bcast] = {run_bcast, .by_jobs = true},
    [TTKERNEL_transpose_wh_tile] = {run_transpose, .by_jobs = true},
};

const dev_op_row *dev_matrix_row(const ir_op_def *def)
{
    return dev_row_of(rows, def);
}
