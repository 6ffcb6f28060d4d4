/* code.c: compiles a kernel function to the threaded form (code_run.c runs it). */
#include "grid/units/code.h"

#include "grid/native/native.h"
#include "mlir/arith/arith.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttkernel/ttkernel.h"

#include <stdlib.h>

enum {
    MAX_CALLS = 32,
    MAX_LOCAL = 65536,
    MAX_LEVELS = 64,
    FIXED = 0, /* levels: constants and the prologue's results; the body; its loops */
    BODY = 1,
    NO_GROUPS = 8, /* empty groups, after the operands' groups */
};

/* State of a loop while its body is compiled: its operations, those hoisted before it. */
typedef struct loop {
    dev_stream body, before;
} loop;

typedef struct compiler {
    tw_arena *arena;
    dev_code *code;
    ir_mapping *registers;
    bool *unsupported;
    int depth; /* of calls */
    bool moves_code, has_jobs;
    dev_stream *out;
    loop *loops[MAX_LEVELS];
    int level;
    uint8_t *levels; /* of registers: the innermost loop in which they change */
    size_t n_levels, levels_capacity;
    double lead; /* of operations that were moved away since the last emitted one */
    uint32_t weight;
    dev_chain *chain; /* of the next instruction, or NULL */
    double tick;
} compiler;

static uint32_t new_register(compiler *c)
{
    TW_PUSH(c->code->image, c->code->n_regs, c->code->image_capacity, 0);
    TW_PUSH(c->levels, c->n_levels, c->levels_capacity,
            (uint8_t)TW_MIN(c->level, UINT8_MAX));
    return (uint32_t)c->code->n_regs - 1;
}

static uint32_t reg(compiler *c, ir_value *v)
{
    uintptr_t known = (uintptr_t)ir_mapping_get(c->registers, v);
    if (known)
        return (uint32_t)known - 1;
    uint32_t r = new_register(c);
    ir_mapping_set(c->registers, v, (void *)((uintptr_t)r + 1));
    return r;
}

static void alias(compiler *c, ir_value *v, uint32_t r)
{
    ir_mapping_set(c->registers, v, (void *)((uintptr_t)r + 1));
}

static void push(dev_stream *to, dev_insn in)
{
    TW_PUSH(to->at, to->n, to->capacity, in);
}

static uint32_t emit(compiler *c, dev_insn in)
{
    in.lead = c->lead;
    in.weight = c->weight + 1;
    in.chain = c->chain;
    c->lead = 0;
    c->weight = 0;
    c->chain = NULL;
    push(c->out, in);
    return (uint32_t)c->out->n - 1;
}

/* Emits an instruction that is not an operation of the kernel. */
static void emit_aside(compiler *c, ir_op *op, dev_run_fn *run)
{
    emit(c, (dev_insn){.run = run, .op = op});
    c->out->at[c->out->n - 1].weight--;
}

/* At a join, books the time of moved operations that belongs to one path only. */
static void flush_lead(compiler *c, ir_op *op)
{
    if (c->weight)
        emit_aside(c, op, dev_run_time);
}

static uint32_t here(const compiler *c)
{
    return (uint32_t)c->out->n;
}

static void jump_here(compiler *c, uint32_t from)
{
    c->out->at[from].target = (int32_t)(here(c) - from);
}

static void enter_loop(compiler *c, loop *l, dev_stream **outer)
{
    *outer = c->out;
    c->out = &l->body;
    c->level++;
    if (c->level < MAX_LEVELS)
        c->loops[c->level] = l;
}

static void leave_loop(compiler *c, loop *l, dev_stream *outer)
{
    c->level--;
    c->out = outer;
    for (size_t i = 0; i < l->before.n; i++)
        push(outer, l->before.at[i]);
    for (size_t i = 0; i < l->body.n; i++)
        push(outer, l->body.at[i]);
    free(l->before.at);
    free(l->body.at);
}

static bool compile_block(compiler *c, ir_block *block);

/* Parallel moves: values that are also targets are moved through fresh registers. */
static void emit_moves(compiler *c, ir_op *op, const uint32_t *to, const uint32_t *from,
                       size_t n)
{
    if (!n)
        return;
    uint32_t *pairs = TW_ARENA_ARRAY(c->arena, uint32_t, n * 4);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) { /* through temporaries */
        uint32_t temporary = n > 1 ? new_register(c) : from[i];
        if (n > 1) {
            pairs[count++] = temporary;
            pairs[count++] = from[i];
        }
        pairs[n > 1 ? n * 2 + i * 2 : 0] = to[i];
        pairs[n > 1 ? n * 2 + i * 2 + 1 : 1] = temporary;
    }
    emit(c, (dev_insn){.run = dev_run_moves,
                       .op = op,
                       .a = pairs,
                       .n = (uint32_t)(n > 1 ? n * 4 : 2)});
}

static uint32_t *operand_registers(compiler *c, ir_op *op, size_t start, size_t n)
{
    uint32_t *r = TW_ARENA_ARRAY(c->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++)
        r[i] = reg(c, ir_op_operand(op, start + i));
    return r;
}

static uint32_t *argument_registers(compiler *c, ir_block *block, size_t start)
{
    uint32_t *r = TW_ARENA_ARRAY(c->arena, uint32_t, block->n_args + 1);
    for (size_t i = start; i < block->n_args; i++)
        r[i - start] = reg(c, block->args[i]);
    return r;
}

/* ---- control flow ------------------------------------------------------------------ */

static bool compile_for(compiler *c, ir_op *op)
{
    ir_block *body = ir_op_body(op, 0);
    size_t n = op->n_operands - 3;
    loop l = {0};
    dev_stream *outer;
    uint32_t lower = reg(c, ir_op_operand(op, 0));
    uint32_t *first = operand_registers(c, op, 3, n);
    uint32_t *test = operand_registers(c, op, 0, 3);
    c->level++;
    uint32_t *state = argument_registers(c, body, 1), iv = reg(c, body->args[0]);
    c->level--;
    test[0] = iv;
    emit_moves(c, op, &iv, &lower, 1);
    emit_moves(c, op, state, first, n);
    flush_lead(c, op);
    bool is_unsigned = ir_op_attr(op, "unsignedCmp") != NULL;
    enter_loop(c, &l, &outer);
    c->lead += c->moves_code ? c->tick : 0;
    emit(c, (dev_insn){.run = c->moves_code ? dev_run_for_test : dev_run_timed_for_test,
                       .op = op,
                       .a = test,
                       .imm = is_unsigned});
    bool ok = compile_block(c, body);
    if (ok) {
        emit_moves(c, op, state, operand_registers(c, body->last, 0, n), n);
        c->lead += c->moves_code ? c->tick : 0;
        uint32_t step = emit(
            c, (dev_insn){.run = c->moves_code ? dev_run_for_step : dev_run_timed_for_step,
                          .op = op,
                          .a = test,
                          .imm = is_unsigned});
        c->out->at[step].weight++; /* the final test */
        c->out->at[step].target = 1 - (int32_t)step;
        jump_here(c, 0);
    }
    leave_loop(c, &l, outer);
    for (size_t i = 0; i < n; i++)
        alias(c, ir_op_result(op, i), state[i]);
    return ok;
}

static bool compile_if(compiler *c, ir_op *op)
{
    uint32_t *condition = operand_registers(c, op, 0, 1);
    uint32_t *results = TW_ARENA_ARRAY(c->arena, uint32_t, op->n_results + 1);
    for (size_t i = 0; i < op->n_results; i++)
        results[i] = reg(c, ir_op_result(op, i));
    uint32_t branch = emit(c, (dev_insn){.run = dev_run_unless, .op = op, .a = condition});
    ir_block *yes = ir_op_body(op, 0), *no = ir_op_body(op, 1);
    if (!compile_block(c, yes))
        return false;
    emit_moves(c, op, results, operand_registers(c, yes->last, 0, op->n_results),
               op->n_results);
    if (!no) {
        flush_lead(c, op);
        jump_here(c, branch);
        return true;
    }
    uint32_t skip = emit(c, (dev_insn){.run = dev_run_jump, .op = op});
    jump_here(c, branch);
    if (!compile_block(c, no))
        return false;
    emit_moves(c, op, results, operand_registers(c, no->last, 0, op->n_results),
               op->n_results);
    flush_lead(c, op);
    jump_here(c, skip);
    return true;
}

static bool compile_while(compiler *c, ir_op *op)
{
    ir_block *check = ir_op_body(op, 0), *body = ir_op_body(op, 1);
    loop l = {0};
    dev_stream *outer;
    uint32_t *first = operand_registers(c, op, 0, op->n_operands);
    c->level++;
    uint32_t *state = argument_registers(c, check, 0),
             *carried = argument_registers(c, body, 0);
    c->level--;
    emit_moves(c, op, state, first, op->n_operands);
    flush_lead(c, op);
    enter_loop(c, &l, &outer);
    bool ok = compile_block(c, check);
    if (ok) {
        ir_op *condition = check->last;
        size_t n = condition->n_operands - 1;
        emit_moves(c, condition, carried, operand_registers(c, condition, 1, n), n);
        uint32_t leave = emit(c, (dev_insn){.run = dev_run_unless,
                                            .op = condition,
                                            .a = operand_registers(c, condition, 0, 1)});
        ok = compile_block(c, body);
        if (ok) {
            emit_moves(c, op, state, operand_registers(c, body->last, 0, op->n_operands),
                       op->n_operands);
            uint32_t back = emit(c, (dev_insn){.run = dev_run_jump, .op = op});
            c->out->at[back].target = -(int32_t)back;
            jump_here(c, leave);
        }
    }
    leave_loop(c, &l, outer);
    for (size_t i = 0; ok && i < op->n_results; i++)
        alias(c, ir_op_result(op, i), carried[i]);
    return ok;
}

/* ---- everything else --------------------------------------------------------------- */

static const dev_op_row *kernel_row(const ir_op_def *def, bool *out_compute_only)
{
    static const dev_op_row *(*const compute[])(const ir_op_def *) = {
        dev_dst_row,    dev_unpack_row, dev_matrix_row, dev_pack_row,
        dev_layout_row, dev_sfpu_row,   dev_topk_row};
    static const dev_op_row *(*const any[])(const ir_op_def *) = {
        dev_data_row, dev_word_row, dev_special_row};
    const dev_op_row *row = NULL;
    for (size_t i = 0; i < TW_COUNT(any) && !row; i++)
        row = any[i](def);
    *out_compute_only = !row;
    for (size_t i = 0; i < TW_COUNT(compute) && !row; i++)
        row = compute[i](def);
    return row;
}

bool dev_code_executes(const ir_op_def *def)
{
    bool compute_only;
    return def == TTKERNEL_OP(tensor_accessor) || /* depends on the loaded kernels */
           kernel_row(def, &compute_only) != NULL;
}

TW_EXPORT bool tw_grid_operation_runs(const char *name)
{
    const ir_op_def *def = ir_dialect_find_op(&ttkernel_dialect, tw_str_from(name));
    return def && dev_code_executes(def);
}

/* Explains why a single simulated chip cannot execute an operation. */
static const char *why_not(const ir_op *op)
{
    const char *name = op->def->name;
    if (strstr(name, "fabric") &&
        op->def != TTKERNEL_OP(experimental_create_fabric_connection_manager))
        return "it has one chip; links to others come with the mesh";
    if (op->def == TTKERNEL_OP(invoke_sfpi))
        return "write the operation with the tile functions";
    if (op->def == TTKERNEL_OP(exp_tile) && ir_op_int(op, "iterations", 8) != 8)
        return "tiles are computed as a whole, in 8 iterations";
    return NULL;
}

/* Returns the start of each group of an operation's operands, for operations without a
 * table entry. */
static const dev_span16 *operand_groups(tw_arena *arena, const ir_op *op)
{
    size_t start, count, n = op->def->operands.count;
    dev_span16 *groups = TW_ARENA_ARRAY(arena, dev_span16, n + NO_GROUPS);
    for (size_t i = 0; i < n; i++)
        if (ir_op_operand_group(op, i, &start, &count))
            groups[i] = (dev_span16){(uint16_t)start, (uint16_t)count};
    return groups;
}

static int64_t flag_of(const ir_op *op, const char *name)
{
    ir_attr a = ir_op_attr(op, name);
    bool number = ir_attr_is(a, IR_ATTR_INTEGER) && a->type->width > 1;
    return number ? a->value : ir_attr_bool(a);
}

size_t dev_code_insns(tw_arena *arena, ir_op *op, dev_insn out[2],
                      const dev_op_row **out_row, bool *out_compute_only)
{
    int64_t imm = 0;
    size_t n = 0;
    const dev_op_row *row = dev_scalar_row(op, &imm);
    *out_compute_only = false;
    if (!row)
        row = kernel_row(op->def, out_compute_only);
    if (!row || why_not(op))
        return 0;
    if (*out_compute_only && dev_init_check(arena, op, &out[0]))
        n++;
    bool init =
        *out_compute_only && (row->run == dev_run_init || strstr(op->def->name, "init"));
    out[n++] = (dev_insn){.run = row->run,
                          .op = op,
                          .n = op->n_operands,
                          .imm = row->immediate ? row->immediate(op)
                                 : row->flag    ? flag_of(op, row->flag)
                                 : imm          ? imm
                                                : row->imm,
                          .data = init        ? dev_init_data(arena, op)
                                  : row->data ? row->data
                                              : operand_groups(arena, op)};
    *out_row = row;
    return n;
}

/* Returns the register of the operand called noc; 0 if there is none. */
static uint32_t noc_register(compiler *c, ir_op *op)
{
    size_t start, count, index = ir_op_operand_index(op->def, "noc");
    if (index == SIZE_MAX || !ir_op_operand_group(op, index, &start, &count) || !count)
        return 0;
    return reg(c, ir_op_operand(op, start));
}

static bool compile_constant(compiler *c, ir_op *op)
{
    ir_attr value = ir_op_attr(op, "value");
    uint32_t r = reg(c, ir_op_result(op, 0));
    c->levels[r] = FIXED;
    if (ir_attr_is(value, IR_ATTR_INTEGER))
        c->code->image[r] = value->value;
    else if (ir_attr_is(value, IR_ATTR_FLOAT) && ir_type_is_float(value->type, IR_F32))
        c->code->image[r] = (int64_t)(value->bits & 0xFFFFFFFF);
    else {
        *c->unsupported = true;
        return ir_op_error(
            op, "is not executed in kernels: only integers, indices and f32 are");
    }
    return true;
}

/* Calls are inlined: every call site has its own registers. */
static bool compile_call(compiler *c, ir_op *op)
{
    ir_op *callee = ir_symbol_resolve(op, ir_op_attr(op, "callee"));
    ir_block *body = callee ? ir_op_body(callee, 0) : NULL;
    if (!body || body->next || body->n_args != op->n_operands) {
        *c->unsupported = true;
        return ir_op_error(op, "calls a function that is not there, or has several blocks");
    }
    if (c->depth == MAX_CALLS)
        return ir_op_error(op, "calls are nested deeper than %d: kernels cannot recurse",
                           MAX_CALLS);
    ir_mapping *outer = c->registers;
    uint32_t *args = operand_registers(c, op, 0, op->n_operands);
    c->registers = ir_mapping_create();
    for (size_t i = 0; i < body->n_args; i++)
        alias(c, body->args[i], args[i]);
    c->depth++;
    bool ok = compile_block(c, body);
    c->depth--;
    uint32_t *results = ok ? operand_registers(c, body->last, 0, op->n_results) : NULL;
    ir_mapping_free(c->registers);
    c->registers = outer;
    for (size_t i = 0; ok && i < op->n_results; i++)
        alias(c, ir_op_result(op, i), results[i]);
    return ok;
}

/* A small static memref lives in registers; its own holds the index of the first. */
static bool compile_local(compiler *c, ir_op *op)
{
    ir_type type = ir_op_result(op, 0)->type;
    int64_t n = ir_type_has_static_shape(type) ? ir_type_num_elements(type) : -1;
    ir_type element = type->element;
    bool number = element->kind == IR_TYPE_INDEX || element->kind == IR_TYPE_INTEGER ||
                  ir_type_is_float(element, IR_F32);
    if (n < 0 || n > MAX_LOCAL || !number) {
        *c->unsupported = true;
        return ir_op_error(op,
                           "a kernel's local memory has a static shape, at most %d "
                           "elements, and holds integers, indices or f32",
                           MAX_LOCAL);
    }
    uint32_t own = reg(c, ir_op_result(op, 0)), first = new_register(c);
    c->levels[own] = FIXED;
    for (int64_t i = 1; i < n; i++)
        new_register(c);
    c->code->image[own] = first;
    return true;
}

/* Moves an operation to where its operands are known; its time is booked here. False if it
 * cannot be moved. */
static bool move_away(compiler *c, const dev_op_row *row, dev_insn in)
{
    int level = FIXED;
    if (!c->moves_code || row->moves == DEV_STAYS)
        return false;
    for (uint32_t i = 0; i < in.n; i++)
        level = TW_MAX(level, c->levels[in.a[i]]);
    if (level >= c->level || level + 1 >= MAX_LEVELS ||
        (level > FIXED && row->moves != DEV_ANYWHERE))
        return false;
    const double time = row->untimed ? 0 : c->tick;
    in.lead = -time; /* the time that it will book at its new position */
    push(level == FIXED ? &c->code->prologue : &c->loops[level + 1]->before, in);
    c->levels[in.dst] = (uint8_t)level;
    c->lead += time;
    c->weight++;
    return true;
}

/* Lets the next instruction execute simple arithmetic and book its time; false if it is no
 * such arithmetic. */
static bool chain_up(compiler *c, ir_op *op, const dev_insn *in)
{
    dev_link link;
    if (!c->moves_code || !dev_scalar_link(in, &link))
        return false;
    if (c->chain && c->chain->n == DEV_CHAIN_LINKS)
        emit_aside(c, op, dev_run_time);
    if (!c->chain)
        c->chain = TW_ARENA_ARRAY(c->arena, dev_chain, 1);
    c->chain->at[c->chain->n++] = link;
    c->lead += link.kind == DEV_LINK_CAST ? 0 : c->tick;
    c->weight++;
    return true;
}

/* Operations of the other thread kind get a specific error. */
static bool compile_op(compiler *c, ir_op *op)
{
    if (op->def == ARITH_OP(constant))
        return compile_constant(c, op);
    if (op->def == SCF_OP(for))
        return compile_for(c, op);
    if (op->def == SCF_OP(if))
        return compile_if(c, op);
    if (op->def == SCF_OP(while))
        return compile_while(c, op);
    if (op->def == FUNC_OP(call))
        return compile_call(c, op);
    if (op->def == MEMREF_OP(alloca) || op->def == MEMREF_OP(alloc))
        return compile_local(c, op);
    bool compute_only;
    dev_insn in[2];
    const dev_op_row *row;
    size_t n = dev_code_insns(c->arena, op, in, &row, &compute_only);
    if (!n || op->n_regions) {
        const char *why = why_not(op);
        *c->unsupported = true;
        return ir_op_error(op, "is not executed by the simulated device%s%s",
                           why ? ": " : "", why ? why : "");
    }
    if (compute_only && !c->code->compute)
        return ir_op_error(
            op, "belongs in a compute kernel, but this function's thread is noc");
    for (size_t i = 0; i < op->n_results; i++) {
        uint32_t r = reg(c, ir_op_result(op, i));
        in[n - 1].dst = i ? in[n - 1].dst : r;
    }
    in[n - 1].a = operand_registers(c, op, 0, op->n_operands);
    in[n - 1].noc = noc_register(c, op);
    for (size_t i = 0; i + 1 < n; i++)
        emit(c, in[i]);
    if (move_away(c, row, in[n - 1]) || chain_up(c, op, &in[n - 1]))
        return true;
    c->code->sees_bytes |= !row->by_jobs;
    c->code->unpack_stalls |= op->def == TTKERNEL_OP(experimental_unpack_stall_on_pack);
    if (c->has_jobs && !row->by_jobs)
        emit_aside(c, op, dev_run_await_bytes);
    emit(c, in[n - 1]);
    return true;
}

static bool compile_block(compiler *c, ir_block *block)
{
    for (ir_op *op = block->first; op; op = op->next) {
        if (op->def == SCF_OP(yield) || op->def == SCF_OP(condition) ||
            op->def == FUNC_OP(return ) || op->def == MEMREF_OP(dealloc))
            continue;
        if (!compile_op(c, op))
            return false;
    }
    return true;
}

bool dev_code_kind(ir_op *function, bool *out_compute)
{
    ir_attr thread = ir_op_attr(function, "ttkernel.thread");
    bool known =
        ir_attr_is(thread, IR_ATTR_DIALECT) && thread->def == TTKERNEL_ATTR(thread);
    int64_t kind = known ? ir_attr_int(thread->params[0], -1) : -1;
    if (kind != TTKERNEL_ThreadType_Compute && kind != TTKERNEL_ThreadType_Noc)
        return ir_op_error(
            function, "needs the attribute ttkernel.thread, which says compute or noc, "
                      "to run as a kernel");
    *out_compute = kind == TTKERNEL_ThreadType_Compute;
    return true;
}

void dev_code_free(dev_code *code)
{
    free(code->prologue.at);
    free(code->body.at);
    free(code->plain.at);
    free(code->image);
}

/* Compiles one form of the code: with or without moved operations. */
static bool compile_form(compiler *c, ir_block *body, bool moves_code, dev_stream *out)
{
    c->registers = ir_mapping_create();
    c->moves_code = moves_code;
    c->out = out;
    c->level = BODY;
    bool ok = compile_block(c, body);
    if (ok)
        flush_lead(c, body->last);
    emit(c, (dev_insn){.run = dev_run_end, .op = body->last});
    out->at[out->n - 1].weight = 0;
    ir_mapping_free(c->registers);
    return ok;
}

bool dev_code_compile(tw_arena *arena, const dev_machine *m, ir_op *function, dev_code *out,
                      bool *out_unsupported)
{
    ir_block *body = ir_op_body(function, 0);
    *out_unsupported = false;
    *out = (dev_code){.function = function};
    if (!dev_code_kind(function, &out->compute))
        return false;
    if (!body || body->n_args || body->next) {
        *out_unsupported = body != NULL;
        return ir_op_error(function, "a kernel has one block without arguments");
    }
    compiler c = {.arena = arena,
                  .code = out,
                  .unsupported = out_unsupported,
                  .has_jobs = m->options.two_threads,
                  .tick = m->chip->cost.issue_scalar};
    new_register(&c);
    bool ok = compile_form(&c, body, true, &out->body) &&
              compile_form(&c, body, false, &out->plain);
    free(c.levels);
    return ok;
}
