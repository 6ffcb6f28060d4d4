/* grid/units/code.h: kernels compiled to a threaded form.
 *
 * A function becomes an array of instructions, each a C function and the numbers of the
 * registers that it reads and writes.  Every SSA value has a register of 64 bits: integers
 * sign-extended, f32 as bits, circular buffers as ports, addresses as integers, NoC places
 * packed (address.c).  Constants cost nothing: they are in the registers' first image. */
#ifndef TILEWRIGHT_GRID_UNITS_CODE_H
#define TILEWRIGHT_GRID_UNITS_CODE_H

#include "grid/machine/machine.h"
#include "ttkernel/ttkernel.h"

typedef struct dev_insn dev_insn;
/* Returns the number of the next instruction. */
typedef uint32_t dev_run_fn(dev_thread *t, const dev_insn *in, uint32_t pc);

struct dev_insn {
    dev_run_fn *run;
    ir_op *op;
    const uint32_t *a; /* registers of the operands, or of moves: to, from, to, from, ... */
    uint32_t n;
    uint32_t dst; /* register of the first result; others follow */
    union {
        uint32_t noc;   /* register of the operand that names a NoC; 0: the thread's own */
        int32_t target; /* of branches: how far */
    };
    uint32_t weight; /* operations that it stands for: itself, and those moved away */
    int64_t imm;
    const void *data; /* the row's table entry, or the operands' groups (dev_span16) */
    double lead;      /* cycles of operations before it that were moved away */
};

typedef struct dev_stream {
    dev_insn *at;
    size_t n, capacity;
} dev_stream;

/* What depends on nothing but arguments and the core is computed once, by `prologue`, and
 * other arithmetic in front of the loop in which it does not change; its time and its
 * number of operations stay where it stood.  Where the prologue comes upon a mistake the
 * thread runs `plain`, in which nothing was moved, and reports it where it belongs. */
struct dev_code {
    ir_op *function;
    dev_stream prologue, body, plain;
    int64_t *image;
    size_t n_regs, image_capacity;
    bool compute;
    bool sees_bytes; /* not all of its operations leave bytes to jobs */
    /* Of a kernel in C++ (native.h), in the place of instructions: */
    void (*entry)(void);
    struct dev_native *native;
    const struct tw_kernel_module_info *module;
    struct native_module *loaded;
    uintptr_t native_begin, native_end; /* where its object lies in memory */
    const char *object;                 /* and in what file */
};

typedef struct dev_span16 {
    uint16_t start, count;
} dev_span16;

/* Whether an operation may be moved from its place: */
typedef enum dev_moves {
    DEV_STAYS,
    DEV_TO_PROLOGUE, /* depends on operands, arguments and the core only */
    DEV_ANYWHERE,    /* depends on its operands only, and is never a mistake */
} dev_moves;

/* A row of a table of operations: what runs it, and what it hands to that. */
typedef struct dev_op_row {
    dev_run_fn *run;
    const void *data;
    int64_t imm;
    const char *flag; /* the attribute that is imm: a truth or a number */
    dev_moves moves;
    bool untimed;
    bool by_jobs; /* touches no bytes but through jobs */
} dev_op_row;

/* Whether a function is a kernel and of which kind; false after a diagnostic. */
bool dev_code_kind(ir_op *function, bool *out_compute);
void dev_code_free(dev_code *code);
/* Compiles; operands come from the arena, the rest is the heap's.  What cannot be executed
 * is a diagnostic that names the operation, and false with *out_unsupported. */
bool dev_code_compile(tw_arena *arena, const dev_machine *m, ir_op *function, dev_code *out,
                      bool *out_unsupported);
/* Whether kernels may hold this operation of TTKernel. */
bool dev_code_executes(const ir_op_def *def);
/* The instructions of an operation, without their registers: what checks the state of its
 * unit, then itself; how many, 0 where it is not executed. */
size_t dev_code_insns(tw_arena *arena, ir_op *op, dev_insn out[2],
                      const dev_op_row **out_row, bool *out_compute_only);
/* A thread's fiber: runs its code to the end. */
void dev_code_run(void *thread);

/* The row of an operation, or NULL: one table a file. */
const dev_op_row *dev_scalar_row(const ir_op *op, int64_t *out_imm);
const dev_op_row *dev_data_row(const ir_op_def *def);
const dev_op_row *dev_word_row(const ir_op_def *def);
const dev_op_row *dev_dst_row(const ir_op_def *def);
const dev_op_row *dev_unpack_row(const ir_op_def *def);
const dev_op_row *dev_matrix_row(const ir_op_def *def);
const dev_op_row *dev_pack_row(const ir_op_def *def);
const dev_op_row *dev_layout_row(const ir_op_def *def);
const dev_op_row *dev_sfpu_row(const ir_op_def *def);
const dev_op_row *dev_topk_row(const ir_op_def *def);
const dev_op_row *dev_special_row(const ir_op_def *def);

/* Operands core[x, y] or bank[id], then the address: three groups from `first`. */
/* Whether a packet holds so much; reports that it does not. */
bool dev_fits_packet(dev_thread *t, ir_op *op, int64_t size);
dev_noc_address dev_noc_operand(dev_thread *t, const dev_insn *in, size_t first);
/* Where a page of an accessor's tensor lies; false after a report. */
bool dev_accessor_page(dev_thread *t, ir_op *op, int64_t accessor, int64_t page,
                       dev_noc_address *out);

/* init_order.c: the instruction that checks what an operation's unit is set up for; false
 * if it needs no init.  Inits run dev_run_init with dev_init_data's. */
bool dev_init_check(tw_arena *arena, ir_op *op, dev_insn *out);
const void *dev_init_data(tw_arena *arena, const ir_op *op);
uint32_t dev_run_init(dev_thread *t, const dev_insn *in, uint32_t pc);
/* Nothing has told the unpackers, or the packer, what formats buffers have. */
void dev_formats_missing(dev_thread *t, ir_op *op, const dev_cb *cb, bool unpacks);

/* What control flow uses (scalar.c). */
uint32_t dev_run_moves(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_jump(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_unless(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_time(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_await_bytes(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_end(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_for_test(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_for_step(dev_thread *t, const dev_insn *in, uint32_t pc);

/* ---- the compute unit, shared with sfpu.c and special.c ---------------------- */

/* A slot to read (it must have been written) or to write; NULL after a report. */
dev_slot *dev_dst_read(dev_thread *t, ir_op *op, int64_t index);
dev_slot *dev_dst_write(dev_thread *t, ir_op *op, int64_t index);
/* A slot to read whose numbers may be bf16 still. */
dev_slot *dev_dst_peek(dev_thread *t, ir_op *op, int64_t index);
void dev_dst_widen(dev_thread *t, dev_slot *s);
/* The bytes of a tile that the kernel has waited for, or has reserved; NULL after a
 * report. */
uint8_t *dev_cb_waited_tile(dev_thread *t, ir_op *op, int64_t port, int64_t index,
                            dev_source source, dev_cb **out);
uint8_t *dev_cb_reserved_tile(dev_thread *t, ir_op *op, dev_cb *cb, int64_t index);
/* Reports integers of 32 bits that a narrow DST gets. */
void dev_need_wide_dst(dev_thread *t, ir_op *op, tw_dtype format);
/* Reports a tile of DST that holds integers where floats are computed with, or floats where
 * integers are. */
void dev_dst_expect(dev_thread *t, ir_op *op, const dev_slot *s, bool integer);
/* Whether a buffer's tiles come into DST by way of a source register, which cuts f32. */
bool dev_by_source(const dev_thread *t, const dev_cb *cb);
/* A page as a tile of DST. */
void dev_load_to_dst(tw_dtype format, const void *page, bool by_source, dev_dst_format dst,
                     dev_tile *out);
/* Reports a buffer whose pages are no tiles of its format. */
void dev_check_page(dev_thread *t, ir_op *op, const dev_cb *cb);
/* Reports a packer that is not set up for the buffer's format. */
void dev_check_packer(dev_thread *t, ir_op *op, const dev_cb *cb);
/* Reports integers that are packed as floats, or the other way round; `written`: where they
 * come from. */
void dev_check_packed(dev_thread *t, ir_op *op, const dev_cb *cb, bool integer,
                      ir_op *written);
/* A slot that was read has a new tile. */
static inline void dev_dst_update(dev_slot *s, ir_op *op)
{
    s->written = op;
    s->read = false;
    if (TW_UNLIKELY(dev_pad_any(s->pad)))
        s->pad = dev_pad_after(op->def, s->pad);
}
/* Books time: unpacking `bytes` (0: none), then the math units for `cycles`. */
void dev_book(dev_thread *t, const ir_op *op, size_t bytes, double cycles);

/* The case of an enum attribute, which is an attribute of a dialect or a number. */
static inline int64_t dev_enum(const ir_op *op, const char *name)
{
    ir_attr a = ir_op_attr(op, name);
    return ir_attr_is(a, IR_ATTR_DIALECT) ? ir_attr_int(a->params[0], 0)
                                          : ir_attr_int(a, 0);
}

#define RUN(name) static uint32_t name(dev_thread *t, const dev_insn *in, uint32_t pc)

#define DEV_REG(t, in, i) ((t)->reg[(in)->a[i]])

/* What kernels in C++ may say beyond a row is in imm above the row's. */
enum { DEV_VARIANT = 8 };

/* How many members a group of an operation has that carries no table entry. */
static inline size_t dev_group_size(const dev_insn *in, size_t index)
{
    return ((const dev_span16 *)in->data)[index].count;
}

/* The value of an operand group's member, or `otherwise` where it is absent. */
static inline int64_t dev_group(const dev_thread *t, const dev_insn *in, size_t index,
                                size_t member, int64_t otherwise)
{
    const dev_span16 g = ((const dev_span16 *)in->data)[index];
    return member < g.count ? DEV_REG(t, in, g.start + member) : otherwise;
}

/* What an operation costs that the core's scalar unit does. */
static inline void dev_tick(dev_thread *t)
{
    t->now += t->machine->chip->cost.issue_scalar;
}

/* The NoC that the operation names, or the thread's own. */
static inline int dev_noc_of(const dev_thread *t, const dev_insn *in)
{
    return in->noc ? (int)t->reg[in->noc] : t->noc;
}

/* The row of an operation of ttkernel in a file's table. */
static inline const dev_op_row *dev_row_of(const dev_op_row *rows, const ir_op_def *def)
{
    if (def < ttkernel_ops || def >= ttkernel_ops + TTKERNEL_OP_COUNT)
        return NULL;
    const dev_op_row *row = &rows[def - ttkernel_ops];
    return row->run ? row : NULL;
}

#endif
