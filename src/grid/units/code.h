/* grid/units/code.h: kernels compiled to a threaded form.
 *
 * A function becomes an array of instructions, each a C function with the indices of the
 * registers that it reads and writes. Every SSA value has a 64-bit register: integers
 * sign-extended, f32 as bits, circular buffers as ports, addresses as integers, NoC
 * addresses packed (address.c). Constants are free: they are in the registers' initial
 * image. */
#ifndef TILEWRIGHT_GRID_UNITS_CODE_H
#define TILEWRIGHT_GRID_UNITS_CODE_H

#include "grid/machine/machine.h"
#include "ttkernel/ttkernel.h"

typedef struct dev_insn dev_insn;
/* Returns the index of the next instruction. */
typedef uint32_t dev_run_fn(dev_thread *t, const dev_insn *in, uint32_t pc);

/* Simple arithmetic between two other operations: executed with the second of these,
 * without a dispatch and an update of the clock for each. */
typedef enum dev_link_kind { DEV_LINK_ADD, DEV_LINK_MULTIPLY, DEV_LINK_CAST } dev_link_kind;

typedef struct dev_link {
    uint32_t dst, a, b;
    uint16_t kind, shift; /* shift: 64 less the width of the result */
} dev_link;

enum { DEV_CHAIN_LINKS = 8 };

typedef struct dev_chain {
    uint32_t n;
    dev_link at[DEV_CHAIN_LINKS];
} dev_chain;

struct dev_insn {
    dev_run_fn *run;
    ir_op *op;
    const uint32_t *a; /* registers of the operands, or of moves: to, from, to, from, ... */
    uint32_t n;
    uint32_t dst; /* register of the first result; the others follow */
    union {
        uint32_t noc;   /* register of the NoC operand; 0: the thread's own */
        int32_t target; /* of branches: relative target */
    };
    uint32_t weight; /* operations counted: itself, and those moved away */
    int64_t imm;
    const void *data; /* the row's table entry, or the operands' groups (dev_span16) */
    const dev_chain *chain; /* arithmetic before it, or NULL */
    double lead;            /* cycles of preceding operations that were moved away */
};

typedef struct dev_stream {
    dev_insn *at;
    size_t n, capacity;
} dev_stream;

/* Operations that depend only on arguments and the core are executed once, by `prologue`,
 * and other loop-invariant arithmetic before its loop; their time and count are booked at
 * the original position. If the prologue finds an error the thread runs `plain`, in which
 * nothing was moved, and reports it at that position. */
struct dev_code {
    ir_op *function;
    dev_stream prologue, body, plain;
    int64_t *image;
    size_t n_regs, image_capacity;
    bool compute;
    bool sees_bytes;    /* some operation accesses bytes outside of jobs */
    bool unpack_stalls; /* the unpacker waits for the packer, without a circular buffer */
    /* Of a kernel in C++ (native.h), instead of instructions: */
    void (*entry)(void);
    struct dev_native *native;
    const struct tw_kernel_module_info *module;
    struct native_module *loaded;
    uintptr_t native_begin, native_end; /* address range of its object */
    const char *object;                 /* and its file */
};

typedef struct dev_span16 {
    uint16_t start, count;
} dev_span16;

/* Whether, and how far, an operation may be moved: */
typedef enum dev_moves {
    DEV_STAYS,
    DEV_TO_PROLOGUE, /* depends only on operands, arguments and the core */
    DEV_ANYWHERE,    /* depends only on its operands, and never fails */
} dev_moves;

/* A row of a table of operations: the function that runs it, and its payload. */
typedef struct dev_op_row {
    dev_run_fn *run;
    const void *data;
    int64_t imm;
    const char *flag; /* the attribute stored in imm: a boolean or an integer */
    int64_t (*immediate)(const ir_op *op); /* or what computes imm */
    dev_moves moves;
    bool untimed;
    bool by_jobs; /* accesses bytes only through jobs */
} dev_op_row;

/* True if a function is a kernel, and its kind; false after a diagnostic. */
bool dev_code_kind(ir_op *function, bool *out_compute);
void dev_code_free(dev_code *code);
/* Compiles a kernel; operands are allocated in the arena, the rest on the heap. An
 * operation that cannot be executed is a diagnostic that names it, and false with
 * *out_unsupported. */
bool dev_code_compile(tw_arena *arena, const dev_machine *m, ir_op *function, dev_code *out,
                      bool *out_unsupported);
/* True if kernels may contain this operation of TTKernel. */
bool dev_code_executes(const ir_op_def *def);
/* Returns the instructions of an operation, without their registers: the check of its
 * unit's state, then the operation; returns their number, 0 if it cannot be executed. */
size_t dev_code_insns(tw_arena *arena, ir_op *op, dev_insn out[2],
                      const dev_op_row **out_row, bool *out_compute_only);
/* Entry of a thread's fiber: runs its code to the end. */
void dev_code_run(void *thread);

/* Returns the row of an operation, or NULL: one table per file. */
const dev_op_row *dev_scalar_row(const ir_op *op, int64_t *out_imm);
/* Describes an instruction of arithmetic as a link of a chain; false if it cannot be one.
 */
bool dev_scalar_link(const dev_insn *in, dev_link *out);
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

/* Reports a size that exceeds a packet; false then. */
bool dev_fits_packet(dev_thread *t, ir_op *op, int64_t size);
/* Operands core[x, y] or bank[id], then the address: three groups from `first`. */
dev_noc_address dev_noc_operand(dev_thread *t, const dev_insn *in, size_t first);
/* Address of a page of an accessor's tensor; false after a report. */
bool dev_accessor_page(dev_thread *t, ir_op *op, int64_t accessor, int64_t page,
                       dev_noc_address *out);

/* Cycles that an init takes the processors of unpackers, math units and packer. */
typedef struct dev_init_cost {
    double unpack, math, pack;
} dev_init_cost;
dev_init_cost dev_init_cost_of(const ir_op_def *def);

/* The instruction of dev_init_check. */
uint32_t dev_run_check(dev_thread *t, const dev_insn *in, uint32_t pc);
/* init_order.c: the instruction that checks that an operation's unit is initialised; false
 * if it needs no init. Inits run dev_run_init with dev_init_data's result. */
bool dev_init_check(tw_arena *arena, ir_op *op, dev_insn *out);
const void *dev_init_data(tw_arena *arena, const ir_op *op);
uint32_t dev_run_init(dev_thread *t, const dev_insn *in, uint32_t pc);
/* Reports that no init has set the formats of the unpackers, or of the packer. */
void dev_formats_missing(dev_thread *t, ir_op *op, const dev_cb *cb, bool unpacks);

/* Instructions of control flow (scalar.c). */
uint32_t dev_run_moves(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_jump(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_unless(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_time(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_await_bytes(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_end(dev_thread *t, const dev_insn *in, uint32_t pc);
/* The time of a loop's tests is in `lead`, or, in the timed forms, the chip's at present.
 */
uint32_t dev_run_for_test(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_for_step(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_timed_for_test(dev_thread *t, const dev_insn *in, uint32_t pc);
uint32_t dev_run_timed_for_step(dev_thread *t, const dev_insn *in, uint32_t pc);

/* ---- the compute unit, shared with sfpu.c and special.c ---------------------- */

/* Returns a slot to read (it must have been written) or to write; NULL after a report. */
dev_slot *dev_dst_read(dev_thread *t, ir_op *op, int64_t index);
dev_slot *dev_dst_write(dev_thread *t, ir_op *op, int64_t index);
/* A slot to read whose values may still be bf16. */
dev_slot *dev_dst_peek(dev_thread *t, ir_op *op, int64_t index);
void dev_dst_widen(dev_thread *t, dev_slot *s);
/* Does a job for a slot, or puts it off if it reads no bytes of DST (`late`): a packer that
 * comes next stores the result where it goes. True if it is put off. */
bool dev_dst_do(dev_thread *t, dev_slot *s, const dev_job *job, bool late);
/* Lets a slot that refers to pages refer to them no more. */
void dev_dst_settle(dev_thread *t, dev_slot *s);
/* Forgets where a slot's values are. */
static inline void dev_slot_forget(dev_slot *s)
{
    s->half = NULL;
    s->page = NULL;
    s->late.kind = NULL;
}
/* Returns the bytes of a tile that the kernel has waited for, or has reserved; NULL after a
 * report. */
const uint8_t *dev_cb_waited_tile(dev_thread *t, ir_op *op, int64_t port, int64_t index,
                                  dev_source source, dev_cb **out);
/* True for memory that a compute kernel packs to and unpacks from by itself: no thread has
 * waited for pages of the buffer or reserved any. */
static inline bool dev_cb_is_scratch(const dev_thread *t, const dev_cb *cb, int64_t index)
{
    return t->code->unpack_stalls && !cb->reserve_op && !cb->wait_op && index >= 0 &&
           index < cb->pages;
}
uint8_t *dev_cb_reserved_tile(dev_thread *t, ir_op *op, dev_cb *cb, int64_t index);
/* Reports 32-bit integers that are written to a 16-bit DST. */
void dev_need_wide_dst(dev_thread *t, ir_op *op, tw_dtype format);
/* Reports a tile of DST that holds integers where floats are expected, or the reverse. */
void dev_dst_expect(dev_thread *t, ir_op *op, const dev_slot *s, bool integer);
/* True if a buffer's tiles enter DST through a source register, which truncates f32. */
bool dev_by_source(const dev_thread *t, const dev_cb *cb);
/* Converts a page to a tile of DST. */
void dev_load_to_dst(tw_dtype format, const void *page, bool by_source, dev_dst_format dst,
                     dev_tile *out);
/* Reports a buffer whose pages are not tiles of its format. */
void dev_check_page(dev_thread *t, ir_op *op, const dev_cb *cb);
/* Reports a packer that is not configured for the buffer's format. */
void dev_check_packer(dev_thread *t, ir_op *op, const dev_cb *cb);
/* Reports integers packed as floats, or the reverse; `written`: their producer. */
void dev_check_packed(dev_thread *t, ir_op *op, const dev_cb *cb, bool integer,
                      ir_op *written);
/* Marks a slot that was read as holding a new tile. */
static inline void dev_dst_update(dev_slot *s, ir_op *op)
{
    s->written = op;
    s->read = false;
    if (TW_UNLIKELY(dev_pad_any(s->pad)))
        s->pad = dev_pad_after(op->def, s->pad);
}
/* Books time: unpacking `bytes` (0: none), then `cycles` of the math units. */
void dev_book(dev_thread *t, const ir_op *op, size_t bytes, double cycles);
/* The same where only one of the two unpackers runs. */
void dev_book_alone(dev_thread *t, const ir_op *op, size_t bytes, double cycles);

/* Returns the case of an enum attribute, of a dialect or an integer. */
static inline int64_t dev_enum(const ir_op *op, const char *name)
{
    ir_attr a = ir_op_attr(op, name);
    return ir_attr_is(a, IR_ATTR_DIALECT) ? ir_attr_int(a->params[0], 0)
                                          : ir_attr_int(a, 0);
}

#define RUN(name) static uint32_t name(dev_thread *t, const dev_insn *in, uint32_t pc)

#define DEV_REG(t, in, i) ((t)->reg[(in)->a[i]])

/* Bit offset in imm of the variant that kernels in C++ add to a row's value. */
enum { DEV_VARIANT = 8 };

/* Number of operands in a group of an operation without a table entry. */
static inline size_t dev_group_size(const dev_insn *in, size_t index)
{
    return ((const dev_span16 *)in->data)[index].count;
}

/* The value of an operand of a group, or `otherwise` if it is absent. */
static inline int64_t dev_group(const dev_thread *t, const dev_insn *in, size_t index,
                                size_t member, int64_t otherwise)
{
    const dev_span16 g = ((const dev_span16 *)in->data)[index];
    return member < g.count ? DEV_REG(t, in, g.start + member) : otherwise;
}

/* Books the cost of an operation of the core's scalar unit. */
static inline void dev_tick(dev_thread *t)
{
    t->now += t->machine->chip->cost.issue_scalar;
}

/* The NoC that the operation selects, or the thread's own. */
static inline int dev_noc_of(const dev_thread *t, const dev_insn *in)
{
    return in->noc ? (int)t->reg[in->noc] : t->noc;
}

/* Returns the row of a ttkernel operation in a file's table. */
static inline const dev_op_row *dev_row_of(const dev_op_row *rows, const ir_op_def *def)
{
    if (def < ttkernel_ops || def >= ttkernel_ops + TTKERNEL_OP_COUNT)
        return NULL;
    const dev_op_row *row = &rows[def - ttkernel_ops];
    return row->run ? row : NULL;
}

#endif
