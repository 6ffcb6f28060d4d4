/* allocate.c: d2m-allocate: gives every buffer of a function its memory and address.
 *
 * Buffers inside generics live in L1 while their generic runs. Buffers of the function live
 * from their allocation to the last use of them or of a view. Where L1 is too small,
 * buffers between generics move to DRAM. A transfer between a generic's buffer and memory
 * of the same core is dropped: the buffer becomes an alias (allocate_alias.c). */
#include "d2m/passes/allocate.h"

#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "mlir/memref/memref.h"
#include "mlir/scf/scf.h"
#include "ttnn/layout.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- generics before allocation ----------------------------------------------------- */

static bool check_forms(const allocation *a)
{
    bool ok = true;
    for (size_t i = 0; i < a->generics.n; i++) {
        d2m_generic g;
        if (!d2m_generic_read(a->generics.at[i], &g))
            return false;
        if (d2m_generic_is_explicit(&g) || d2m_generic_is_external(&g) ||
            !d2m_generic_is_unified(&g) || d2m_generic_is_affine_blocked(&g))
            continue;
        ok = ir_op_error(g.op, "expected generic op to be in affine blocked form before "
                               "allocation");
    }
    return ok;
}

static ir_type in_space(ir_type memref, int64_t space)
{
    return ir_memref_type(memref->element, memref->dims, memref->count, memref->encoding,
                          ir_enum_attr(memref->ctx, TTCORE_ATTR(memory_space), space));
}

static void add_value(ir_value ***values, size_t *n, size_t *capacity, ir_value *v)
{
    if (v->type->kind == IR_TYPE_MEMREF && !v->type->space) {
        v->type = in_space(v->type, TTCORE_MemorySpace_DeviceL1);
        TW_PUSH(*values, *n, *capacity, v);
    }
}

/* Buffers inside generics that name no memory are in L1, and so are the values made of
 * them. */
static void move_to_l1(ir_op *alloc)
{
    ir_value **values = NULL;
    size_t n = 0, capacity = 0;
    add_value(&values, &n, &capacity, ir_op_result(alloc, 0));
    for (size_t i = 0; i < n; i++)
        for (const ir_operand *use = values[i]->uses; use; use = use->next_use) {
            ir_op *user = use->owner;
            for (uint32_t r = 0; r < user->n_results; r++)
                add_value(&values, &n, &capacity, ir_op_result(user, r));
            ir_block *body = user->def == SCF_OP(for) ? ir_op_body(user, 0) : NULL;
            for (uint32_t k = 0; body && k < body->n_args; k++)
                add_value(&values, &n, &capacity, body->args[k]);
        }
    free(values);
}

static void place_inner_buffers(const allocation *a)
{
    for (size_t i = 0; i < a->in_order.n; i++) {
        ir_op *op = a->in_order.at[i];
        if (op->def == MEMREF_OP(alloc) && d2m_generic_around(op)) {
            ir_value *v = ir_op_result(op, 0);
            if (!v->type->space)
                move_to_l1(op);
            else if (d2m_space_of(v->type) != TTCORE_MemorySpace_DeviceL1)
                v->type = in_space(v->type, TTCORE_MemorySpace_DeviceL1);
        }
    }
}

/* ---- planning ----------------------------------------------------------------------- */

static bool is_own_alloc(const buffer *b)
{
    return b->value && ir_op_is(ir_value_def(b->value), MEMREF_OP(alloc));
}

/* True if the buffer keeps the memory that the program names. */
static bool is_bound(const alloc_options *o, const buffer *b)
{
    bool is_intermediate = b->is_output && b->n_generics > 1;
    return b->is_bound || b->n_generics == 0 ||
           (b->is_output && (!o->spill_outputs || !is_intermediate));
}

/* The items of the buffers for which `space` was chosen, in `items`; `owners` has their
 * buffers. */
static size_t gather(allocation *a, int64_t space, d2m_plan_item *items, buffer **owners)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        buffer *b = &a->buffers[i];
        if (b->space != space || !is_own_alloc(b))
            continue;
        owners[n] = b;
        items[n++] = (d2m_plan_item){
            .first = b->first,
            .last = b->last,
            .size = space == TTCORE_MemorySpace_DeviceL1 ? b->l1_bytes : b->dram_bytes,
            .is_bound = is_bound(a->options, b),
        };
    }
    return n;
}

static bool report_usage(const allocation *a, const char *what, int64_t used,
                         const d2m_memory *memory)
{
    return ir_op_error(a->func,
                       "required %s memory usage %" PRId64
                       " exceeds memory capacity %" PRId64 " (usable space is [%" PRId64
                       ", %" PRId64 ")): give it more cores (override-device-shape), one "
                       "buffer for each stream (num-stream-buffers=1), or inputs and "
                       "outputs in DRAM (default-input-memspace=dram)",
                       what, used, memory->end - memory->base, memory->base, memory->end);
}

static bool plan_space(allocation *a, int64_t space, d2m_plan_item *items, buffer **owners)
{
    bool l1 = space == TTCORE_MemorySpace_DeviceL1;
    const d2m_memory *memory = l1 ? &a->options->l1 : &a->options->dram;
    size_t n = gather(a, space, items, owners);
    int64_t limit = memory->end - memory->base;
    int64_t used = l1 ? d2m_plan_place_within(items, n, limit) : d2m_plan_place(items, n);
    if (used > limit)
        return report_usage(a, l1 ? "L1" : "DRAM", used, memory) ||
               (l1 && ir_rule(a->func->ctx, "l1 capacity"));
    for (size_t i = 0; i < n; i++) {
        owners[i]->item = items[i];
        if (items[i].is_spilled)
            owners[i]->space = TTCORE_MemorySpace_DeviceDRAM;
    }
    return true;
}

static bool plan(allocation *a)
{
    d2m_plan_item *items = tw_xmalloc((a->n + 1) * sizeof *items);
    buffer **owners = tw_xmalloc((a->n + 1) * sizeof *owners);
    for (size_t i = 0; i < a->n; i++) {
        buffer *b = &a->buffers[i];
        int64_t space = d2m_space_of(b->type);
        bool spills = space == TTCORE_MemorySpace_DeviceL1 && a->options->force_spill &&
                      is_own_alloc(b) && !is_bound(a->options, b);
        b->space = spills ? TTCORE_MemorySpace_DeviceDRAM : space;
    }
    bool ok = plan_space(a, TTCORE_MemorySpace_DeviceL1, items, owners) &&
              plan_space(a, TTCORE_MemorySpace_DeviceDRAM, items, owners);
    free(items);
    free(owners);
    return ok;
}

/* ---- results ------------------------------------------------------------------------ */

static bool is_placed(const buffer *b)
{
    return is_own_alloc(b) && (b->space == TTCORE_MemorySpace_DeviceL1 ||
                               b->space == TTCORE_MemorySpace_DeviceDRAM);
}

static void set_addresses(allocation *a)
{
    for (size_t i = 0; i < a->n; i++) {
        const buffer *b = &a->buffers[i];
        if (!is_placed(b))
            continue;
        const d2m_memory *memory =
            b->space == TTCORE_MemorySpace_DeviceL1 ? &a->options->l1 : &a->options->dram;
        ir_op *alloc = ir_value_def(b->value);
        ir_op_set_attr(alloc, "alignment", ir_i64_attr(alloc->ctx, memory->align));
        ir_op_set_attr(alloc, "address",
                       ir_i64_attr(alloc->ctx, memory->base + b->item.offset));
    }
}

/* Gives the views between a root and a generic the root's memory. */
static bool set_space(allocation *a, ir_op *generic, ir_value *root, ir_type type,
                      ir_op *const *chain, size_t n, void *user)
{
    const buffer *b = alloc_find(a, root);
    (void)generic, (void)type, (void)user;
    for (size_t i = 0; b && is_placed(b) && i < n; i++)
        if (chain[i]->def == MEMREF_OP(alloc) || chain[i]->def == D2M_OP(view_layout) ||
            chain[i]->def == D2M_OP(composite_view)) {
            ir_value *v = ir_op_result(chain[i], 0);
            v->type = in_space(v->type, b->space);
        }
    return true;
}

static void set_spaces(allocation *a)
{
    for (size_t i = 0; i < a->generics.n; i++) {
        d2m_generic g;
        if (!d2m_generic_of(a->generics.at[i], &g))
            continue;
        for (uint32_t k = 0; k < g.n_io; k++)
            alloc_roots(a, g.op, d2m_generic_operand(&g, k), set_space, NULL);
    }
}

static void free_after_last_use(const allocation *a)
{
    for (size_t i = 0; i < a->n; i++) {
        const buffer *b = &a->buffers[i];
        if (b->in_generic || !is_placed(b) || b->last < 0)
            continue;
        ir_op *last = a->in_order.at[b->last];
        if (ir_def_has(last->def, "IsTerminator"))
            continue;
        ir_builder at = ir_builder_after(last);
        at.loc = last->loc;
        ir_build_op(&at, MEMREF_OP(dealloc), NULL, 0, &b->value, 1, NULL, 0, 0);
    }
}

/* ---- the pass ----------------------------------------------------------------------- */

static bool allocate(ir_op *func, const alloc_options *options)
{
    allocation a;
    alloc_begin(&a, func, options);
    bool ok = check_forms(&a);
    if (ok)
        place_inner_buffers(&a);
    if (ok) {
        alloc_collect_live(&a);
        ok = alloc_collect_operands(&a);
    }
    if (ok)
        alloc_alias_transfers(&a);
    ok = ok && alloc_collect_inside(&a) && plan(&a);
    if (ok) {
        alloc_alias_speculative(&a);
        set_addresses(&a);
        set_spaces(&a);
        free_after_last_use(&a);
    }
    alloc_end(&a);
    return ok;
}

static bool read_memories(ir_op *module, pass_run *run, alloc_options *o)
{
    int64_t range[2], cores[2] = {1, 1};
    tw_str text = pass_option_str(run, "available-l1-addr-range");
    int64_t capacity = pass_option_int(run, "test-assume-l1-capacity");
    if (!d2m_memory_of_chip(module, TTCORE_MemorySpace_DeviceL1, &o->l1) ||
        !d2m_memory_of_chip(module, TTCORE_MemorySpace_DeviceDRAM, &o->dram))
        return ir_op_error(module, "d2m-allocate needs ttcore.system_desc; run "
                                   "ttcore-register-device first");
    if (text.size && capacity > 0)
        return ir_op_error(module, "available-l1-addr-range and test-assume-l1-capacity "
                                   "exclude each other");
    if (text.size) {
        if (pass_option_ints(run, "available-l1-addr-range", range, 2) != 2 ||
            range[0] < o->l1.base || range[1] > o->l1.end || range[0] >= range[1])
            return ir_op_error(module,
                               "available-l1-addr-range must be two addresses between "
                               "%" PRId64 " and %" PRId64,
                               o->l1.base, o->l1.end);
        o->l1.base = range[0];
        o->l1.end = range[1];
    } else if (capacity > 0) {
        o->l1.end = capacity > INT64_MAX - o->l1.base ? INT64_MAX : o->l1.base + capacity;
    }
    o->banks = 1;
    if (ttnn_device_grid(module, true, cores) && cores[0] > 0 && cores[1] > 0)
        o->banks = cores[0] * cores[1];
    return o->l1.base % o->l1.align == 0 ||
           ir_op_error(module,
                       "the first address of L1, %" PRId64 ", is no multiple of %" PRId64,
                       o->l1.base, o->l1.align);
}

static bool is_function(const ir_op *op)
{
    return op->def == FUNC_OP(func) && ir_op_body(op, 0);
}

static bool run(ir_op *module, pass_run *run)
{
    tw_str policy = pass_option_str(run, "stream-insert-policy");
    alloc_options o = {
        .buffers = pass_option_int(run, "num-stream-buffers"),
        .spill_outputs = pass_option_bool(run, "allow-l1-output-spilling"),
        .force_spill = pass_option_bool(run, "force-spill-to-dram-if-legal"),
        .always_stream = tw_str_is(policy, "always"),
    };
    if (!o.always_stream && !tw_str_is(policy, "infer"))
        return ir_op_error(module,
                           "invalid stream-insert-policy '%.*s' (expected one of: infer, "
                           "always)",
                           (int)policy.size, policy.data);
    if (o.buffers < 1)
        return ir_op_error(module, "num-stream-buffers must be at least 1");
    ir_op_list functions = ir_ops_in(module, is_function);
    bool ok = functions.n == 0 || read_memories(functions.at[0], run, &o);
    for (size_t i = 0; ok && i < functions.n; i++)
        ok = allocate(functions.at[i], &o);
    ir_op_list_free(&functions);
    return ok;
}

const pass_def d2m_allocate_pass = {
    .name = "d2m-allocate",
    .title = "D2MAllocate",
    .summary = "Give buffers of d2m programs their memory and addresses",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def,
        {"num-stream-buffers", PASS_INT, "2", "Blocks of a circular buffer"},
        {"allow-l1-output-spilling", PASS_BOOL, "false",
         "Results of generics may move from L1 to DRAM"},
        {"stream-insert-policy", PASS_STRING, "infer",
         "When operands get a circular buffer: infer, always"},
        {"force-spill-to-dram-if-legal", PASS_BOOL, "false",
         "Move all buffers to DRAM that may be there"},
        {"available-l1-addr-range", PASS_LIST, "",
         "The addresses of L1 to use: first, end"},
        {"test-assume-l1-capacity", PASS_INT, "0", "The bytes of L1 to use; 0: all"}),
};
