/* init_order.c: checks that the init that an operation of the compute unit needs precedes
 * it.
 *
 * The matrix unit (with unpacker and packer) and the vector unit keep the configuration of
 * their last init. An operation `foo_tile` needs `foo_tile_init`; the table lists
 * exceptions to that naming, and all element-wise functions. */
#include "grid/units/code.h"

#include "ttkernel/ttkernel.h"

#include <stdatomic.h>

enum { MATRIX, VECTOR, UNITS };

enum { CHOICES = 4 };

/* Inits accepted for an operation; the first is the one that reports suggest. */
static const struct need {
    int op;
    int unit;
    int inits[CHOICES]; /* + 1; 0 ends */
} needs[] = {
#define M(op, ...)                                                                         \
    {                                                                                      \
        TTKERNEL_##op, MATRIX,                                                             \
        {                                                                                  \
            __VA_ARGS__                                                                    \
        }                                                                                  \
    }
#define V(op, ...)                                                                         \
    {                                                                                      \
        TTKERNEL_##op, VECTOR,                                                             \
        {                                                                                  \
            __VA_ARGS__                                                                    \
        }                                                                                  \
    }
#define I(init) TTKERNEL_##init + 1
    M(copy_tile, I(copy_tile_init), I(init_sfpu), I(unary_op_init_common)),
    M(copy_block_matmul_partials, I(copy_tile_init), I(init_sfpu), I(unary_op_init_common)),
    M(add_tiles, I(add_tiles_init)),
    M(sub_tiles, I(sub_tiles_init)),
    M(mul_tiles, I(mul_tiles_init)),
    M(binary_dest_reuse_tiles, I(binary_dest_reuse_tiles_init)),
    M(matmul_tiles, I(mm_init), I(mm_init_short)),
    M(matmul_block, I(mm_block_init), I(mm_block_init_short)),
    M(experimental_matmul_block, I(mm_block_init), I(mm_block_init_short)),
    M(reduce_tile, I(reduce_init)),
    M(unary_bcast, I(unary_bcast_init)),
    M(transpose_wh_tile, I(transpose_wh_init)),
    M(tilize_block, I(tilize_init)),
    M(experimental_tilize_block, I(tilize_init)),
    M(untilize_block, I(untilize_init)),
    M(experimental_untilize_block, I(untilize_init)),
    M(experimental_pack_untilize_block, I(pack_untilize_init)),
#define TILE(sort, shape, op, init, ...) V(op, init),
#define TILE_BY_HAND(sort, op, init) V(op, I(init)),
#define OWN(op) I(op)
#define TYPED(op) I(op)
#define USES(op) I(op)
#include "ttkernel/elementwise.def"
    V(copy_dest_values, I(copy_dest_values_init)),
    V(topk_local_sort, I(topk_tile_init)),
    V(topk_merge, I(topk_tile_init)),
    V(topk_rebuild, I(topk_tile_init)),
};

static const struct need *need_of(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(needs); i++)
        if (def == &ttkernel_ops[needs[i].op])
            return &needs[i];
    return NULL;
}

/* The row of TTKernel with the operation's name and "_init"; -1: there is none. Each row's
 * is looked for once in the process. */
static int init_of(const ir_op_def *def)
{
    enum { NONE = 1, FIRST };
    static atomic_int known[TTKERNEL_OP_COUNT]; /* 0: not looked for yet */
    if (def < ttkernel_ops || def >= ttkernel_ops + TTKERNEL_OP_COUNT)
        return -1;
    atomic_int *cached = &known[def - ttkernel_ops];
    int found = atomic_load_explicit(cached, memory_order_relaxed);
    const size_t n = strlen(def->name);
    for (int i = 0; !found && i < TTKERNEL_OP_COUNT; i++)
        if (strncmp(ttkernel_ops[i].name, def->name, n) == 0 &&
            strcmp(ttkernel_ops[i].name + n, "_init") == 0)
            found = FIRST + i;
    found = found ? found : NONE;
    atomic_store_explicit(cached, found, memory_order_relaxed);
    return found - FIRST;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);
    return n > k && strcmp(name + n - k, end) == 0;
}

/* Encodes what an operation and its init must agree on: kind and dimension of a reduction,
 * broadcast dimension, the operand that DST replaces. 0: nothing. */
static int kind_of(const ir_op *op)
{
    static const char *const attrs[] = {"reduce_type", "reduce_dim", "bcast_type",
                                        "eltwise_binary_type", "reuse_type"};
    int kind = 0;
    for (size_t i = 0; i < TW_COUNT(attrs); i++)
        if (ir_op_attr(op, attrs[i]))
            kind = kind * 8 + 1 + (int)dev_enum(op, attrs[i]);
    return kind;
}

/* True for operations whose variant, in C++, is the broadcast dimension; for others it does
 * not concern inits. */
static bool broadcasts(const ir_op_def *def)
{
    return def == TTKERNEL_OP(add_tiles) || def == TTKERNEL_OP(add_tiles_init) ||
           def == TTKERNEL_OP(sub_tiles) || def == TTKERNEL_OP(sub_tiles_init) ||
           def == TTKERNEL_OP(mul_tiles) || def == TTKERNEL_OP(mul_tiles_init);
}

/* Returns the kind of an operation whose kind without its variant is `kind`. */
static int kind_now(const dev_insn *in, bool is_variant, int kind)
{
    return is_variant ? (int)(in->imm >> DEV_VARIANT) : kind;
}

/* Payload of an instruction: its required init, looked up once per operation. */
typedef struct check {
    int unit, kind;
    bool is_variant; /* the kind is the instruction's variant */
    int inits[CHOICES];
} check;

uint32_t dev_run_check(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    const check *c = in->data;
    const ir_op_def *last = t->compute->inits.init[c->unit];
    const int kind = kind_now(in, c->is_variant, c->kind);
    bool other_kind = false;
    for (int i = 0; i < CHOICES && c->inits[i]; i++)
        if (last == &ttkernel_ops[c->inits[i] - 1]) {
            if (c->unit == VECTOR || kind == t->compute->inits.init_kind)
                return pc + 1;
            other_kind = true;
        }
    const char *wanted = ttkernel_ops[c->inits[0] - 1].name;
    if (other_kind)
        dev_report_at(t, DEV_INIT, in->op, t->compute->inits.init_op[c->unit],
                      "the last init is here",
                      "needs %s for the same: the last one says otherwise what is reduced, "
                      "broadcast or taken from DST",
                      last->name);
    else if (last)
        dev_report_at(t, DEV_INIT, in->op, t->compute->inits.init_op[c->unit],
                      "the last init is here", "needs %s; the unit is set up by %s", wanted,
                      last->name);
    else
        dev_report_at(t, DEV_INIT, in->op, NULL, "hardware would compute garbage or hang",
                      "needs %s; no init came before it", wanted);
    t->compute->inits.init[c->unit] =
        &ttkernel_ops[c->inits[0] - 1]; /* report each error once */
    t->compute->inits.init_op[c->unit] = in->op;
    if (c->unit == MATRIX)
        t->compute->inits.init_kind = kind;
    return pc + 1;
}

bool dev_init_check(tw_arena *arena, ir_op *op, dev_insn *out)
{
    const struct need *need = need_of(op->def);
    check *c = TW_ARENA_NEW(arena, check);
    if (need) {
        c->unit = need->unit;
        c->kind = kind_of(op);
        c->is_variant = broadcasts(op->def);
        memcpy(c->inits, need->inits, sizeof c->inits);
    } else {
        const char *name = op->def->name;
        const int i = init_of(op->def);
        if (i < 0 || (!ends_with(name, "_tile") && !ends_with(name, "sfpu_reduce") &&
                      !ends_with(name, "max_reduce_with_indices")))
            return false;
        c->unit = VECTOR;
        c->inits[0] = i + 1;
    }
    *out = (dev_insn){.run = dev_run_check, .op = op, .data = c};
    return true;
}

/* ---- effects of inits -------------------------------------------------------------- */

/* Payload of an init's instruction. */
typedef struct effect {
    int unit; /* the unit that it configures; UNITS: none */
    int kind;
    int operands;  /* number of operands whose formats it sets, beside an output; -1: only
                    * the input, -2: only the output */
    int transpose; /* operand that says whether products transpose; -1: none */
    dev_init_cost cost;
} effect;

static bool is_matrix(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(needs); i++)
        for (int k = 0; k < CHOICES && needs[i].unit == MATRIX && needs[i].inits[k]; k++)
            if (def == &ttkernel_ops[needs[i].inits[k] - 1])
                return true;
    return false;
}

const void *dev_init_data(tw_arena *arena, const ir_op *op)
{
    static const struct {
        int op, operands;
    } formats[] = {
        {TTKERNEL_unary_op_init_common, 1},
        {TTKERNEL_init_sfpu, 1},
        {TTKERNEL_unary_bcast_init, 1},
        {TTKERNEL_transpose_wh_init, 1},
        {TTKERNEL_binary_op_init_common, 2},
        {TTKERNEL_mm_init, 2},
        {TTKERNEL_mm_block_init, 2},
        {TTKERNEL_reduce_init, 2},
        {TTKERNEL_reconfig_data_format_srca, -1},
        {TTKERNEL_pack_reconfig_data_format, -2},
    };
    effect *e = TW_ARENA_NEW(arena, effect);
    e->kind = kind_of(op);
    e->cost = dev_init_cost_of(op->def);
    const size_t transpose = ir_op_operand_index(op->def, "transpose");
    e->transpose = transpose < SIZE_MAX ? (int)transpose : -1;
    e->unit = is_matrix(op->def)                  ? MATRIX
              : ends_with(op->def->name, "_init") ? VECTOR
                                                  : UNITS;
    for (size_t i = 0; i < TW_COUNT(formats); i++)
        if (op->def == &ttkernel_ops[formats[i].op])
            e->operands = formats[i].operands;
    if (op->def == TTKERNEL_OP(compute_kernel_hw_startup)) /* in1 is optional */
        e->operands = (int)op->n_operands - 1;
    return e;
}

static dev_cb *buffer(dev_thread *t, const dev_insn *in, size_t i)
{
    int64_t port = i < in->n ? DEV_REG(t, in, i) : -1;
    bool cb = port >= 0 && port < DEV_MAX_CBS && t->core->cb[port].live;
    return cb ? &t->core->cb[port] : NULL;
}

static void set_formats(dev_thread *t, const dev_insn *in, const dev_cb *a, const dev_cb *b,
                        const dev_cb *out)
{
    dev_compute *c = t->compute;
    if (a) {
        c->formats.unpack_format[0] = a->format;
        c->formats.unpack_format[1] = b ? b->format : a->format;
        c->formats.formats_known = true;
        c->formats.format_op = in->op;
    }
    if (out) {
        c->formats.pack_format = out->format;
        c->formats.pack_known = true;
        c->formats.pack_op = in->op;
    }
}

/* Marks the formats as configured so that one error is reported once. */
void dev_formats_missing(dev_thread *t, ir_op *op, const dev_cb *cb, bool unpacks)
{
    dev_compute *c = t->compute;
    dev_report_at(t, DEV_INIT, op, NULL,
                  "compute_kernel_hw_startup, or an init that sets up unpackers and packer "
                  "(init_sfpu, binary_op_init_common, mm_init, ...), comes first",
                  "%s circular buffer %d of %s, but no init has set up the %s",
                  unpacks ? "unpacks" : "packs to", dev_cb_port(t, cb),
                  tw_dtype_name(cb->format), unpacks ? "unpackers" : "packer");
    if (unpacks) {
        c->formats.formats_known = true;
        c->formats.unpack_format[0] = c->formats.unpack_format[1] = cb->format;
        c->formats.format_op = op;
    } else {
        c->formats.pack_known = true;
        c->formats.pack_format = cb->format;
        c->formats.pack_op = op;
    }
}

uint32_t dev_run_init(dev_thread *t, const dev_insn *in, uint32_t pc)
{
    const effect *e = in->data;
    dev_compute *c = t->compute;
    /* each processor executes its part when it comes to it */
    const dev_cost *cost = &t->machine->chip->cost;
    t->now += e->cost.unpack * cost->init_unpack;
    c->math += e->cost.math * cost->init_math;
    c->pack += e->cost.pack * cost->init_pack;
    if (e->unit < UNITS) {
        c->inits.init[e->unit] = in->op->def;
        c->inits.init_op[e->unit] = in->op;
    }
    if (e->unit == MATRIX) {
        c->inits.init_kind = kind_now(in, broadcasts(in->op->def), e->kind);
        c->inits.transpose = e->transpose >= 0 && (uint32_t)e->transpose < in->n &&
                             DEV_REG(t, in, e->transpose) != 0;
    }
    if (in->op->def == TTKERNEL_OP(pack_untilize_init))
        c->inits.pack_untilize = in->op;
    else if (e->operands > 0 || in->op->def == TTKERNEL_OP(pack_untilize_uninit))
        c->inits.pack_untilize = NULL;
    if (e->operands > 0) {
        const bool short_form = in->imm >> DEV_VARIANT & 1; /* packer unchanged */
        const bool product = in->op->def == TTKERNEL_OP(mm_init) ||
                             in->op->def == TTKERNEL_OP(mm_block_init);
        set_formats(t, in, buffer(t, in, product ? 1 : 0),
                    product           ? buffer(t, in, 0)
                    : e->operands > 1 ? buffer(t, in, 1)
                                      : NULL,
                    short_form ? NULL : buffer(t, in, (size_t)e->operands));
    } else if (e->operands == -1 && c->formats.formats_known && buffer(t, in, 0)) {
        c->formats.unpack_format[in->imm >> DEV_VARIANT & 1] = buffer(t, in, 0)->format;
        c->formats.format_op = in->op;
    } else if (e->operands == -2) {
        set_formats(t, in, NULL, NULL, buffer(t, in, 0));
    }
    return pc + 1;
}
