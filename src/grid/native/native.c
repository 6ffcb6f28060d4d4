/* native.c: callbacks of kernels in C++: operations, looked up by their source location. */
#include "grid/native/native.h"

#include "grid/native/kernel_headers.h"
#include "grid/units/compute.h"

#include "mlir/func/func.h"
#include "ttkernel/ttkernel.h"

#include <setjmp.h>
#include <stdlib.h>

enum { FIRST_OPERAND = 1, RESULT = FIRST_OPERAND + TW_KERNEL_OPERANDS };
enum { MAX_ATTRS = 8 };

/* Cost of a basic block of a kernel's own code, in scalar operations [assumed]. */
enum { BLOCK_COST = 1 };

/* A call site in the source: one operation with its attributes. */
struct native_site {
    tw_kernel_location at;
    uint16_t op, width, variant;
    uint64_t groups;
    size_t n_attrs;
    int64_t attrs[MAX_ATTRS];
    dev_insn insns[2];
    size_t n_insns; /* 0: cannot be executed */
    bool compute_only, by_jobs;
    ir_op *operation;
};

/* ---- kernels ----------------------------------------------------------------------- */

/* Skips the comment, string or character constant at `c`; returns `c` if there is none. */
static const char *skip_quiet(const char *c, uint32_t *line)
{
    const char *start = c;
    if (c[0] == '/' && c[1] == '/')
        c += strcspn(c, "\n");
    else if (c[0] == '/' && c[1] == '*')
        c = strstr(c, "*/") ? strstr(c, "*/") + 2 : c + strlen(c);
    else if (c[0] == '"' || c[0] == '\'') {
        for (c++; *c && *c != *start && *c != '\n'; c++)
            c += *c == '\\' && c[1];
        c += *c == *start;
    }
    for (const char *s = start; s < c; s++)
        *line += *s == '\n';
    return c;
}

/* Returns the line of the brace that ends kernel_main; 1 if not found. */
static uint32_t end_line(const char *text)
{
    uint32_t line = 1;
    int depth = 0, inside = -1;
    for (const char *c = text; *c;) {
        const char *next = skip_quiet(c, &line);
        if (next != c) {
            c = next;
            continue;
        }
        size_t word = 0;
        while (dev_in_name(c[word]))
            word++;
        bool named = (word == 11 && memcmp(c, "kernel_main", 11) == 0) ||
                     (word == 4 && memcmp(c, "MAIN", 4) == 0);
        if (named && inside < 0)
            inside = depth;
        if (*c == '{')
            depth++;
        if (*c == '}' && --depth == inside)
            return line;
        line += *c == '\n';
        c += word ? word : 1;
    }
    return 1;
}

static ir_op *make_function(ir_context *ctx, ir_op *module, const dev_native_source *s)
{
    static const struct {
        ir_type_kind kind;
        uint32_t width;
    } words[] = {{IR_TYPE_INTEGER, 8},
                 {IR_TYPE_INTEGER, 16},
                 {IR_TYPE_INTEGER, 32},
                 {IR_TYPE_INTEGER, 64}};
    ir_op *old = ir_symbol_lookup(module, tw_str_from(s->name));
    /* attributes of the program, independent of the kernel's language */
    static const char *const kept[] = {"ttl.semaphore_values", "ttl.core_ranges"};
    ir_attr values[TW_COUNT(kept)];
    for (size_t i = 0; i < TW_COUNT(kept); i++)
        values[i] = old ? ir_op_attr(old, kept[i]) : NULL;
    if (old)
        ir_op_erase(old);
    ir_ident file = ir_ident_from(ctx, s->path);
    ir_loc loc = ir_loc_file(ctx, file, 1, 1);
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(module, 0), loc);
    ir_op *f = func_create(&b, ir_string_attr(ctx, tw_str_from(s->name)),
                           ir_function_type(ctx, NULL, 0, NULL, 0), false);
    ir_op_set_attr(
        f, "ttkernel.thread",
        ir_enum_attr(ctx, TTKERNEL_ATTR(thread),
                     s->compute ? TTKERNEL_ThreadType_Compute : TTKERNEL_ThreadType_Noc));
    for (size_t i = 0; i < TW_COUNT(kept); i++)
        ir_op_set_attr(f, kept[i], values[i]);
    ir_block *body = func_add_body(f);
    for (size_t i = 0; i < TW_COUNT(words); i++)
        ir_block_add_arg(ctx, body, ir_integer_type(ctx, words[i].width, IR_SIGNLESS), loc);
    ir_builder end =
        ir_builder_at_end(ctx, body, ir_loc_file(ctx, file, end_line(s->text), 1));
    ir_build_op(&end, FUNC_OP(return ), NULL, 0, NULL, 0, NULL, 0, 0);
    return f;
}

tw_status dev_native_source_of(tw_arena *arena, const tw_cpp_kernel *kernel,
                               dev_native_source *out)
{
    if (!kernel->name || !*kernel->name || !kernel->text)
        return tw_error(TW_INVALID, "a kernel in C++ needs a name and a text");
    if ((unsigned)kernel->kind > TW_KERNEL_DATA)
        return tw_error(TW_INVALID, "@%s: there is no kind of kernel %d", kernel->name,
                        (int)kernel->kind);
    *out = (dev_native_source){
        .name = tw_arena_printf(arena, "%s", kernel->name),
        .compute = kernel->kind == TW_KERNEL_COMPUTE,
        .text = kernel->text,
        .size = kernel->size,
        .path = tw_arena_printf(arena, kernel->path ? "%s" : "%s.cpp",
                                kernel->path ? kernel->path : kernel->name),
        .of_file = kernel->path != NULL,
        .defines = kernel->defines};
    return TW_SUCCESS;
}

dev_native *dev_native_add(dev_natives *natives, ir_context *ctx, ir_op *module,
                           const dev_native_source *source)
{
    dev_native *n = tw_xcalloc(1, sizeof *n);
    n->text = tw_xmalloc(source->size + 1);
    memcpy(n->text, source->text, source->size);
    n->text[source->size] = 0;
    n->path = tw_xstrdup(source->path);
    n->name = tw_xstrdup(source->name);
    n->defines = tw_xstrdup(source->defines ? source->defines : "");
    dev_native_source copy = *source;
    copy.text = n->text;
    n->file = dev_native_file_of(&copy, n->path);
    n->function = make_function(ctx, module, &copy);
    TW_PUSH(natives->at, natives->count, natives->capacity, n);
    return n;
}

static void free_native(dev_native *n)
{
    for (size_t i = 0; i < n->sites_capacity; i++)
        free(n->sites[i]);
    free(n->sites);
    free(n->name);
    free(n->path);
    free(n->text);
    free(n->defines);
    free(n->zones);
    tw_arena_free(&n->arena);
    free(n);
}

void dev_native_remove(dev_natives *natives, const ir_op *function)
{
    for (size_t i = 0; i < natives->count; i++)
        if (natives->at[i]->function == function) {
            free_native(natives->at[i]);
            natives->at[i] = natives->at[--natives->count];
            return;
        }
}

void dev_natives_free(dev_natives *natives)
{
    while (natives->count)
        dev_native_remove(natives, natives->at[0]->function);
    dev_native_unload(natives);
    free(natives->at);
    *natives = (dev_natives){0};
}

dev_native *dev_native_of(const dev_natives *natives, const ir_op *function)
{
    for (size_t i = 0; natives && i < natives->count; i++)
        if (natives->at[i]->function == function)
            return natives->at[i];
    return NULL;
}

static tw_str find_text(const void *user, const char *file)
{
    const dev_natives *natives = user;
    for (size_t i = natives->count; i-- > 0;) /* the last one with the name */
        if (strcmp(natives->at[i]->path, file) == 0)
            return tw_str_from(natives->at[i]->text);
    return (tw_str){0};
}

ir_diagnostic_sink dev_natives_sink(dev_natives *natives, ir_diagnostic_log *log)
{
    log->quotes.find = find_text;
    log->quotes.user = natives;
    return ir_diagnostic_log_sink(log);
}

/* ---- sites ------------------------------------------------------------------------- */

static size_t hash_call(const tw_kernel_call *c)
{
    uint64_t h = ((uintptr_t)c->at.file + c->at.pc) ^ (uint64_t)c->at.line << 20 ^
                 (uint64_t)c->at.column << 40 ^ (uint64_t)c->op << 52 ^ c->groups;
    for (size_t i = 0; i < c->n_attrs; i++)
        h = (h ^ (uint64_t)c->attrs[i]) * UINT64_C(0x9E3779B97F4A7C15);
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(h ^ h >> 32);
}

static bool same_call(const native_site *s, const tw_kernel_call *c)
{
    return s->at.line == c->at.line && s->at.column == c->at.column && s->op == c->op &&
           s->groups == c->groups && s->width == c->width && s->variant == c->variant &&
           s->n_attrs == c->n_attrs && s->at.file == c->at.file && s->at.pc == c->at.pc &&
           (!c->n_attrs || !memcmp(s->attrs, c->attrs, c->n_attrs * sizeof *c->attrs));
}

/* The debug information's file names begin with the compiler's working directory. */
static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static ir_ident file_of(const dev_native *n, const char *file)
{
    tw_strbuf path = {0};
    dev_native_put_path(n, file, &path);
    ir_ident out = ir_ident_from(n->function->ctx, tw_strbuf_text(&path));
    tw_strbuf_free(&path);
    return out;
}

static ir_loc location(const dev_thread *t, tw_kernel_location at)
{
    dev_native *n = t->code->native;
    ir_context *ctx = n->function->ctx;
    const native_module *m = t->code->loaded;
    if (at.file && ((uintptr_t)at.file < m->begin || at.file >= (char *)m->globals))
        at.file = NULL; /* the kernel has overwritten its variable with the location */
    if (!at.file) {
        if (!dev_native_line(t->code, at.pc, &n->arena, &at))
            return t->at->loc;
        if (ends_with(at.file, n->file))
            at.file = n->file;
    }
    return ir_loc_file(ctx, file_of(n, at.file), TW_MAX(at.line, 1), TW_MAX(at.column, 1));
}

static void make_operation(const dev_thread *t, const tw_kernel_call *c, native_site *s)
{
    const dev_native *n = t->code->native;
    const ir_op_def *def = &ttkernel_ops[c->op];
    ir_context *ctx = n->function->ctx;
    ir_block *body = ir_op_body(n->function, 0);
    ir_value *word = body->args[c->width == 8    ? 0
                                : c->width == 16 ? 1
                                : c->width == 64 ? 3
                                                 : 2];
    ir_value *operands[TW_KERNEL_OPERANDS];
    ir_type result = word->type;
    ir_named_attr attrs[MAX_ATTRS + 1];
    int64_t sizes[TW_KERNEL_OPERANDS + 2];
    size_t n_attrs = 0;
    for (size_t i = 0; i < c->n_operands; i++)
        operands[i] = i ? body->args[2] : word;
    for (size_t i = 0; i < c->n_attrs; i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        if (c->attrs[i] == TW_KERNEL_ABSENT)
            continue;
        bool boolean = strcmp(use->type->name, "BoolAttr") == 0;
        attrs[n_attrs++] = (ir_named_attr){ir_ident_from(ctx, use->name),
                                           boolean ? ir_bool_attr(ctx, c->attrs[i] != 0)
                                                   : ir_i32_attr(ctx, c->attrs[i])};
    }
    if (def->traits & IR_OPERAND_SEGMENTS) {
        for (size_t i = 0; i < def->operands.count; i++)
            sizes[i] = (int64_t)(c->groups >> TW_KERNEL_GROUP_BITS * i &
                                 ((1 << TW_KERNEL_GROUP_BITS) - 1));
        attrs[n_attrs++] =
            (ir_named_attr){ir_ident_from(ctx, "operandSegmentSizes"),
                            ir_dense_i32_array(ctx, sizes, def->operands.count)};
    }
    ir_builder b = ir_builder_before(body->last);
    b.loc = location(t, c->at);
    s->operation = ir_build(&b, &(ir_op_state){.def = def,
                                               .loc = b.loc,
                                               .operands = operands,
                                               .n_operands = c->n_operands,
                                               .results = &result,
                                               .n_results = def->results.count,
                                               .attrs = attrs,
                                               .n_attrs = n_attrs});
}

static uint32_t noc_register(ir_op *op)
{
    size_t start, count, index = ir_op_operand_index(op->def, "noc");
    if (index == SIZE_MAX || !ir_op_operand_group(op, index, &start, &count) || !count)
        return 0;
    return FIRST_OPERAND + (uint32_t)start;
}

static native_site *make_site(const dev_thread *t, const tw_kernel_call *c)
{
    dev_native *n = t->code->native;
    static const uint32_t registers[TW_KERNEL_OPERANDS] = {1, 2, 3,  4,  5,  6,  7,
                                                           8, 9, 10, 11, 12, 13, 14};
    native_site *s = tw_xcalloc(1, sizeof *s);
    s->at = c->at; /* copies the text: modules are unloaded after their kernels */
    s->op = c->op, s->width = c->width, s->groups = c->groups;
    s->variant = c->variant;
    s->n_attrs = c->n_attrs;
    if (c->n_attrs)
        memcpy(s->attrs, c->attrs, c->n_attrs * sizeof *c->attrs);
    make_operation(t, c, s);
    const dev_op_row *row;
    s->n_insns = dev_code_insns(&n->arena, s->operation, s->insns, &row, &s->compute_only);
    if (c->op == TTKERNEL_selu_tile && c->variant && s->n_insns == 2) /* uses another
                                                                       * operation's init */
        s->insns[0] = s->insns[--s->n_insns];
    if (s->n_insns) {
        dev_insn *in = &s->insns[s->n_insns - 1];
        in->imm |= (int64_t)c->variant << DEV_VARIANT;
        in->a = registers;
        in->dst = RESULT;
        in->noc = noc_register(s->operation);
        s->by_jobs = row->by_jobs;
        if (s->n_insns == 2) /* the check of its init */
            s->insns[0].imm |= (int64_t)c->variant << DEV_VARIANT;
    }
    return s;
}

/* Keeps the table at most half full. */
static void grow_sites(dev_native *n)
{
    size_t capacity = n->sites_capacity ? n->sites_capacity * 2 : 64;
    native_site **grown = tw_xcalloc(capacity, sizeof *grown);
    for (size_t k = 0; k < n->sites_capacity; k++) {
        native_site *s = n->sites[k];
        if (!s)
            continue;
        tw_kernel_call again = {.at = s->at,
                                .op = s->op,
                                .groups = s->groups,
                                .n_attrs = (uint8_t)s->n_attrs,
                                .attrs = s->attrs};
        size_t i = hash_call(&again);
        while (grown[i % capacity])
            i++;
        grown[i % capacity] = s;
    }
    free(n->sites);
    n->sites = grown;
    n->sites_capacity = capacity;
}

static native_site *find_site(const dev_thread *t, const tw_kernel_call *c)
{
    dev_native *n = t->code->native;
    if (2 * n->n_sites >= n->sites_capacity)
        grow_sites(n);
    for (size_t i = hash_call(c);; i++) {
        native_site **s = &n->sites[i % n->sites_capacity];
        if (!*s) {
            *s = make_site(t, c);
            n->n_sites++;
            return *s;
        }
        if (same_call(*s, c))
            return *s;
    }
}

/* ---- calls from kernels ------------------------------------------------------------ */

/* Byte by byte and without sanitizers: these are other functions' frames. */
__attribute__((no_sanitize("address"), noinline)) static void
copy_frames(volatile uint8_t *to, const volatile uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

void dev_native_leave(dev_thread *t)
{
    t->native.own_code = false;
    if (t->native.n_frames) /* a kernel may have overwritten it */
        copy_frames((uint8_t *)t->native.frames_at, t->native.frames, t->native.n_frames);
    longjmp(*(jmp_buf *)t->native.leave, 1);
}

/* Books basic blocks that the kernel executed without a call. */
static void count_blocks(dev_thread *t, uint32_t blocks, uintptr_t pc)
{
    t->steps += blocks;
    t->now += blocks * (BLOCK_COST * t->machine->chip->cost.issue_scalar);
    if (TW_UNLIKELY(t->steps > t->machine->options.budget)) {
        dev_report_at(t, DEV_BUDGET, pc ? dev_native_op_at(t, pc) : t->at, NULL,
                      "raise it if the kernel is meant to run so long",
                      "the thread has run its %llu operations: an endless loop?",
                      (unsigned long long)t->machine->options.budget);
        dev_native_leave(t);
    }
}

static int64_t native_call(void *thread, const tw_kernel_call *c)
{
    dev_thread *t = thread;
    t->native.own_code = false;
    native_site *s = find_site(t, c);
    if (TW_UNLIKELY(t->native.lent))
        dev_native_store_lent(t, s->operation);
    t->at = s->operation;
    t->steps++;
    count_blocks(t, c->blocks, 0);
    if (TW_UNLIKELY(!s->n_insns || (s->compute_only && !t->code->compute)))
        dev_report_at(t, DEV_ARGUMENT, s->operation, NULL, NULL,
                      s->n_insns
                          ? "'%s' belongs in a compute kernel, but this kernel moves data"
                          : "'%s' is not executed by the simulated device",
                      s->operation->def->name);
    for (size_t i = 0; i < c->n_operands; i++)
        t->reg[FIRST_OPERAND + i] = c->operands[i];
    t->reg[RESULT] = 0;
    if (!s->by_jobs)
        dev_await_bytes(t->machine);
    if (TW_UNLIKELY(dev_is_watched(t->machine)) && s->n_insns)
        dev_before_call(t, s->operation, true);
    for (size_t i = 0; i < s->n_insns && !t->machine->stop; i++)
        s->insns[i].run(t, &s->insns[i], 0);
    if (TW_UNLIKELY(t->machine->stop))
        dev_native_leave(t);
    t->native.own_code = true;
    return t->reg[RESULT];
}

static int64_t native_ask(void *thread, const tw_kernel_location *at,
                          tw_kernel_question what, const int64_t *values)
{
    dev_thread *t = thread;
    t->native.own_code = false;
    int64_t answer = dev_native_ask(t, at, what, values);
    t->native.own_code = true;
    return answer;
}

ir_op *dev_native_op_for(dev_thread *t, const tw_kernel_location *at)
{
    const tw_kernel_call call = {.at = *at, .op = TTKERNEL_invoke_sfpi, .width = 32};
    return find_site(t, &call)->operation;
}

static void native_print(void *thread, const tw_kernel_location *at, const char *text)
{
    dev_thread *t = thread;
    t->native.own_code = false;
    ir_remark(t->machine->ctx, location(t, *at), "core %d,%d: %s", t->core->y, t->core->x,
              text);
    t->native.own_code = true;
}

static void native_step(void *thread, uint32_t blocks, uintptr_t pc)
{
    dev_thread *t = thread;
    t->native.own_code = false;
    count_blocks(t, blocks, pc);
    if (t->native.lent)
        dev_native_store_lent(t, t->at);
    dev_sync(t);
    if (dev_cancelled(t->machine) || t->machine->stop)
        dev_native_leave(t);
    t->native.own_code = true;
}

const tw_kernel_machine *dev_native_machine(void)
{
    static const tw_kernel_machine machine = {native_call, native_ask, native_print,
                                              native_step};
    return &machine;
}

ir_op *dev_native_op_at(dev_thread *t, uintptr_t pc)
{
    const tw_kernel_call call = {.at = {.pc = pc}, .op = TTKERNEL_unreachable, .width = 32};
    return find_site(t, &call)->operation;
}

/* ---- running ----------------------------------------------------------------------- */

/* Saves the stack above this function's frame: a kernel that writes beyond its arrays may
 * overwrite it and then return through it. */
__attribute__((noinline)) static void run_kernel(dev_thread *t)
{
    t->native.frames_at = (uintptr_t)__builtin_frame_address(0);
    t->native.n_frames = tw_fiber_above(t->fiber, t->native.frames_at);
    t->native.frames = tw_xmalloc(t->native.n_frames + 1);
    copy_frames(t->native.frames, (const uint8_t *)t->native.frames_at, t->native.n_frames);
    t->native.own_code = true;
    t->code->entry();
    t->native.own_code = false;
}

static void forget_frames(dev_thread *t)
{
    free(t->native.frames);
    t->native.frames = NULL;
    t->native.n_frames = 0;
}

void dev_native_run(dev_thread *t)
{
    jmp_buf back;
    t->native.leave = &back;
    t->native.fault = 0;
    t->steps = 0;
    if (!setjmp(back))
        run_kernel(t);
    t->native.leave = NULL;
    forget_frames(t);
    if (t->native.lent)
        dev_native_store_lent(t, t->at);
    if (t->native.fault)
        dev_native_report_fault(t);
}
