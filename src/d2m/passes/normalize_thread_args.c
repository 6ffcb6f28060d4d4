/* normalize_thread_args.c: d2m-normalize-thread-args: threads read the operands of their
 * d2m.generic as numbered arguments; buffers that are never used at once share a port where
 * there are more of them than ports. */
#include "d2m/generic.h"
#include "d2m/passes/cbs.h"
#include "d2m/passes/nests.h"
#include "d2m/threads.h"
#include "ir/pass/pass.h"
#include "support/arena.h"
#include "ttcore/ttcore.h"
#include "ttnn/layout.h"

#include <stdlib.h>

/* ---- arguments */

static ir_attr stage(ir_context *ctx, int64_t value)
{
    return ir_enum_attr(ctx, D2M_ATTR(resolution_stage), value);
}

static bool is_argument_type(ir_type t)
{
    return t->kind == IR_TYPE_MEMREF || t->kind == IR_TYPE_INDEX ||
           t->kind == IR_TYPE_INTEGER || t->kind == IR_TYPE_FLOAT ||
           (t->kind == IR_TYPE_DIALECT &&
            (t->def == D2M_TYPE(local_semaphore) || t->def == D2M_TYPE(global_semaphore)));
}

static ir_value *build_get_arg(ir_builder *b, ir_type type, int64_t operand)
{
    return ir_build1(
        b, D2M_OP(get_arg), type, NULL, 0,
        IR_ATTRS({"operand_index", ir_i64_attr(b->ctx, operand)},
                 {"resolution_stage", stage(b->ctx, D2M_ResolutionStage_Runtime)}));
}

static bool is_in_region(const ir_op *op, const ir_region *region)
{
    for (; op && op->block; op = ir_op_parent(op))
        if (op->block->region == region)
            return true;
    return false;
}

/* Rows are gathered through views: the argument is the memory behind them. */
static void resolve_rows(ir_op *generic)
{
    ir_op_list ops = ir_ops_in(generic, NULL);
    for (size_t i = 0; i < ops.n; i++) {
        ir_op *op = ops.at[i];
        for (uint32_t v = 0; op->def == D2M_OP(indexed_row_copy) && v < 3; v++) {
            int64_t operand = d2m_operand_index(generic, ir_op_operand(op, v));
            ir_value *memory = ir_op_operand(op, v);
            for (ir_op *def;
                 (def = ir_value_def(memory)) && def->def == D2M_OP(view_layout);)
                memory = ir_op_operand(def, 0);
            ir_builder b = ir_builder_before(op);
            if (operand >= 0)
                ir_op_set_operand(op, v, build_get_arg(&b, memory->type, operand));
        }
    }
    ir_op_list_free(&ops);
}

static void replace_in_region(ir_op *generic, uint32_t operand, ir_region *region)
{
    ir_value *v = ir_op_operand(generic, operand);
    ir_operand **uses = NULL;
    size_t n = 0, capacity = 0;
    for (ir_operand *use = v->uses; use && region->first; use = use->next_use)
        if (is_in_region(use->owner, region))
            TW_PUSH(uses, n, capacity, use);
    if (n == 0)
        return;
    ir_builder b = ir_builder_at_start(generic->ctx, region->first, ir_value_loc(v));
    ir_value *arg = build_get_arg(&b, v->type, operand);
    for (size_t i = 0; i < n; i++)
        ir_op_set_operand(uses[i]->owner, ir_operand_number(uses[i]), arg);
    free(uses);
}

/* ---- ports */

enum { REGIONS = 16 }; /* as many as become functions */

/* Where the buffer of an operand is used: its first and last position in each region. */
typedef struct lifetime {
    ir_type type;
    bool odd, additional;
    int64_t first[REGIONS], last[REGIONS]; /* -1: not used there */
    int64_t group;                         /* operand whose port it has */
    size_t members, found; /* `found`: the how-manieth buffer it is, from 1 */
} lifetime;

/* The memref of circular buffers; NULL for other arguments. */
static ir_type buffer_type(ir_type type)
{
    if (type->kind == IR_TYPE_DIALECT && type->def == D2M_TYPE(cb)) {
        ir_attr held = ir_type_param(type, "underlying");
        return ir_attr_is(held, IR_ATTR_TYPE) ? held->type : NULL;
    }
    return type->kind == IR_TYPE_MEMREF && !d2m_is_device_layout(type->encoding) &&
                   d2m_space_of(type) != TTCORE_MemorySpace_RegisterDst &&
                   !ir_attr_is(type->encoding, IR_ATTR_STRIDED)
               ? type
               : NULL;
}

static int64_t position_in(const ir_block *block, ir_op *op)
{
    int64_t n = 0;
    ir_op *at = d2m_ancestor_in(block, op);
    if (!at)
        return -1;
    while (at->prev) {
        at = at->prev;
        n++;
    }
    return n;
}

static void add_uses(lifetime *l, const ir_value *v, const ir_block *block, size_t region)
{
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        int64_t at = position_in(block, use->owner);
        if (at < 0)
            continue;
        l->first[region] = l->first[region] < 0 ? at : TW_MIN(l->first[region], at);
        l->last[region] = TW_MAX(l->last[region], at);
    }
}

/* Notes the uses of one kind of handle in one region. */
static void find_handles(ir_op *generic, uint16_t region, const ir_op_def *def,
                         const char *index, lifetime *all, size_t *found)
{
    ir_op_list ops = ir_ops_in_block(generic->regions[region].first, NULL);
    for (size_t i = 0; i < ops.n; i++) {
        int64_t at = ops.at[i]->def == def ? ir_op_int(ops.at[i], index, -1) : -1;
        ir_type type = at >= 0 ? buffer_type(ops.at[i]->results[0].type) : NULL;
        if (at < 0 || at >= generic->n_operands || !type)
            continue;
        all[at].odd |= all[at].found && all[at].type != type;
        all[at].type = all[at].found ? all[at].type : type;
        all[at].found = all[at].found ? all[at].found : ++*found;
        add_uses(&all[at], &ops.at[i]->results[0], generic->regions[region].first, region);
    }
    ir_op_list_free(&ops);
}

static size_t find_lifetimes(ir_op *generic, lifetime *all, size_t first_additional)
{
    size_t found = 0;
    for (uint32_t i = 0; i < generic->n_operands; i++) {
        all[i] = (lifetime){.group = i, .members = 1, .additional = i >= first_additional};
        memset(all[i].first, -1, sizeof all[i].first);
        memset(all[i].last, -1, sizeof all[i].last);
    }
    for (uint16_t r = 0; r < generic->n_regions; r++) {
        if (!generic->regions[r].first)
            continue;
        find_handles(generic, r, D2M_OP(get_arg), "operand_index", all, &found);
        find_handles(generic, r, D2M_OP(get_cb), "cb_operand_idx", all, &found);
    }
    return found;
}

static bool is_used(const lifetime *l)
{
    for (size_t r = 0; r < REGIONS; r++)
        if (l->found && l->first[r] >= 0)
            return true;
    return false;
}

/* True if both are used in the same regions, in each of them in the same order. */
static bool can_share(const lifetime *a, const lifetime *b)
{
    int order = 0;
    if (a->type != b->type || a->odd || b->odd)
        return false;
    for (size_t r = 0; r < REGIONS; r++) {
        if ((a->first[r] < 0) != (b->first[r] < 0))
            return false;
        if (a->first[r] < 0)
            continue;
        int now = a->last[r] < b->first[r] ? 1 : b->last[r] < a->first[r] ? -1 : 0;
        if (now == 0 || (order && order != now))
            return false;
        order = now;
    }
    return true;
}

/* The operand that is the n-th buffer found. */
static size_t nth_found(const lifetime *all, size_t n, size_t which)
{
    size_t at = 0;
    while (at < n && all[at].found != which)
        at++;
    return at;
}

/* The first port of an earlier operand whose buffers are all used at other times; -1 if
 * there is none. */
static int64_t port_for(const lifetime *all, size_t n, size_t which, size_t found)
{
    for (size_t f = 1; f <= found; f++) {
        size_t g = nth_found(all, n, f);
        bool fits = g < which && all[g].additional && all[g].group == (int64_t)g &&
                    is_used(&all[g]);
        for (size_t m = 0; m < n && fits; m++)
            fits = all[m].group != (int64_t)g || can_share(&all[which], &all[m]);
        if (fits)
            return (int64_t)g;
    }
    return -1;
}

static void share_ports(ir_op *generic, int64_t ports)
{
    size_t first, n_extra, n = generic->n_operands;
    lifetime *all = tw_xcalloc(n + 1, sizeof *all);
    int64_t *map = tw_xcalloc(n + 1, sizeof *map), used = 0;
    bool shared = false;
    ir_op_operand_group(generic, 2, &first, &n_extra);
    size_t found = find_lifetimes(generic, all, first);
    for (size_t i = 0; i < n; i++)
        used += is_used(&all[i]);
    for (size_t f = found; f > 0 && used > ports; f--) {
        size_t i = nth_found(all, n, f);
        int64_t port = all[i].additional && is_used(&all[i]) && all[i].members == 1
                           ? port_for(all, n, i, found)
                           : -1;
        if (port < 0)
            continue;
        all[i].group = port;
        all[port].members++;
        used--;
        shared = true;
    }
    for (size_t i = 0; i < n; i++)
        map[i] = all[i].group;
    ir_op_set_attr(
        generic, D2M_PORT_MAP,
        shared ? ir_dense_array(ir_integer_type(generic->ctx, 64, IR_SIGNLESS), map, n)
               : NULL);
    free(all);
    free(map);
}

/* ---- the pass */

static void set_stages(ir_op *module)
{
    ir_op_list ops = ir_ops_in(module, NULL);
    for (size_t i = 0; i < ops.n; i++) {
        ir_op *op = ops.at[i];
        bool cb = op->def == D2M_OP(get_cb);
        if ((!cb && op->def != D2M_OP(get_arg)) || ir_op_attr(op, "resolution_stage"))
            continue;
        bool at_run_time = !cb && is_argument_type(op->results[0].type);
        ir_op_set_attr(op, "resolution_stage",
                       stage(op->ctx, at_run_time ? D2M_ResolutionStage_Runtime
                                                  : D2M_ResolutionStage_Compile));
    }
    ir_op_list_free(&ops);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    int64_t ports = ttnn_chip_int(module, "numCBs", 32);
    bool ok = true;
    set_stages(module);
    for (size_t i = 0; i < generics.n && ok; i++) {
        ir_op *generic = generics.at[i];
        ok = generic->n_regions <= REGIONS ||
             ir_op_error(generic, "has %u regions; at most %d become kernels",
                         generic->n_regions, REGIONS);
        resolve_rows(generic);
        for (uint32_t v = 0; v < generic->n_operands && ok; v++) {
            ir_type type = ir_op_operand(generic, v)->type;
            if (!is_argument_type(type))
                ok = ir_op_error(generic,
                                 "unsupported argument type in d2m.generic operands: '%s'; "
                                 "only memref, semaphore, and scalar types are supported",
                                 ir_type_text(module->ctx, type));
            for (uint16_t r = 0; r < generic->n_regions && ok; r++)
                replace_in_region(generic, v, &generic->regions[r]);
        }
        if (ok)
            share_ports(generic, ports);
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_normalize_thread_args_pass = {
    .name = "d2m-normalize-thread-args",
    .summary = "Read operands of d2m.generic as arguments of its threads",
    .anchor = "builtin.module",
    .run = run,
};
