/* assign_dst.c: gives every tile value in a ttl.compute a register of DST.
 *
 * 1. Unary tile operations overwrite their input.  Where such an operation is one of
 *    several users of a value, all users but the last get a copy: of the buffer's tile for
 *    a block argument, of the register for a result.
 * 2. A value lives from the operation that makes it to its last use.  A unary operation's
 *    input and output share a register when the output is yielded or all its users are
 *    unary; such sets live as long as all their members together.
 * 3. Linear scan by start: what ends where another starts is free for it; the lowest free
 *    register wins.  With separate-output-region, what is yielded is placed second, above
 *    everything else.
 *
 * Where there are not enough registers, arguments are loaded again for each use (with
 * reload-arguments), then parts are computed first and kept in circular buffers (with
 * spill; the pipeline has both).
 *
 * Then each block argument gets a ttl.copy_tile before its first use, and each tile
 * operation its dst_idx.  Steps 2 and 3 are dst_registers.c. */
#include "ir/pass/pass.h"
#include "mlir/arith/arith.h"
#include "ttl/passes/compute.h"
#include "ttl/passes/dst.h"
#include "ttl/passes/dst_registers.h"
#include "ttl/ttl_info.h"

#include <stdlib.h>

/* ---- copies for values that are overwritten while needed -------------------------- */

/* Placeholder for indices that are filled in once registers are known. */
static ir_value *placeholder(ir_builder *b)
{
    return arith_index(b, INT64_MAX);
}

static bool is_placeholder(const ir_value *v)
{
    ir_op *def = ir_value_def(v);
    return ir_op_is(def, ARITH_OP(constant)) &&
           ir_attr_int(ir_op_attr(def, "value"), 0) == INT64_MAX;
}

static ir_value *copy_for(dst_state *s, ir_value *v, ir_op *user, size_t number)
{
    ir_builder b = ir_builder_before(user);
    ir_context *ctx = b.ctx;
    if (!v->is_argument) {
        dst_say(s, "Phase 1: Inserted copy_dst for consumer %zu of value ", number);
        dst_say_value(s, v);
        dst_say(s, "\n");
        return ir_build1(&b, TTL_OP(copy_dst), v->type, &v, 1, NULL, 0);
    }
    ir_value *operands[] = {v, placeholder(&b), placeholder(&b)};
    ir_type results[] = {ir_dialect_type(ctx, TTL_TYPE(dst), NULL, 0), v->type};
    ir_op *copy = ir_build_op(&b, TTL_OP(copy_tile), results, 2, operands, 3, NULL, 0, 0);
    dst_say(s, "Phase 1: Inserted placeholder copy_tile for consumer %zu of block arg ",
            number);
    dst_say_value(s, v);
    dst_say(s, "\n");
    return &copy->results[1];
}

/* Gives every user but the last its own copy; with `only_unary` not unless one of them
 * overwrites the value. */
static void copy_for_all_but_last(dst_state *s, ir_value *v, bool only_unary)
{
    if (!ttcore_is_tile(v->type))
        return;
    size_t users = 0, unary = 0;
    for (ir_op *op = s->body->first; op; op = op->next)
        if (dst_reads(s, op) && dst_uses(op, v)) {
            users++;
            unary += ttl_is_tile_unary(op);
        }
    if (users < 2 || (only_unary && !unary))
        return;
    size_t number = 0;
    for (ir_op *op = s->body->first; op && number + 1 < users; op = op->next) {
        if (!dst_reads(s, op) || !dst_uses(op, v))
            continue;
        ir_value *copy = copy_for(s, v, op, number++);
        for (uint32_t i = 0; i < op->n_operands; i++)
            if (op->operands[i].value == v)
                ir_op_set_operand(op, i, copy);
    }
}

static void insert_copies(dst_state *s)
{
    dst_say(s, "=== Phase 1: Copy Insertion ===\n");
    for (uint32_t i = 0; i < s->body->n_args; i++)
        copy_for_all_but_last(s, s->body->args[i], true);
    for (ir_op *op = s->body->first; op; op = op->next)
        if (op->def != TTL_OP(copy_dst) && op->def != TTL_OP(copy_tile))
            for (uint32_t i = 0; i < op->n_results; i++)
                copy_for_all_but_last(s, &op->results[i], true);
}

/* ---- writing it down ----------------------------------------------------------------- */

/* The row-major position in its block of the tile that argument `index` denotes, as a
 * map of the loops. */
static ir_attr index_map(const dst_state *s, uint32_t index)
{
    ir_context *ctx = s->op->ctx;
    ir_type t = s->op->operands[index].value->type;
    ir_affine_map map = ir_op_attr(s->op, "indexing_maps")->items[index]->map;
    ir_affine sum = ir_affine_constant(ctx, 0);
    for (uint32_t i = 0; i < t->count; i++) {
        int64_t stride = 1;
        for (uint32_t k = i + 1; k < t->count; k++)
            stride *= t->dims[k];
        ir_affine term = ir_affine_binary(ctx, IR_AFFINE_MUL, map->results[i],
                                          ir_affine_constant(ctx, stride));
        sum = ir_affine_binary(ctx, IR_AFFINE_ADD, sum, term);
    }
    return ir_affine_map_attr(ctx, ir_affine_map_get(ctx, map->n_dims, 0, &sum, 1));
}

static bool is_input(const dst_state *s, const ir_value *v)
{
    size_t start, count;
    ir_op_operand_group(s->op, 0, &start, &count);
    return v->is_argument && v->owner == s->body && v->index < count;
}

static void indices(const dst_state *s, ir_builder *b, const ir_value *arg, int64_t reg,
                    ir_value *out[2])
{
    ir_type index = ir_index_type(b->ctx);
    out[0] = ir_build1(b, TTL_OP(linearized_index), index, NULL, 0,
                       IR_ATTRS({"index_map", index_map(s, arg->index)}));
    out[1] = arith_index(b, reg);
}

/* The copies of step 1, now that registers are known. */
static bool fill_placeholders(dst_state *s)
{
    for (ir_op *op = s->body->first; op; op = op->next) {
        if (op->def != TTL_OP(copy_tile) || !is_placeholder(op->operands[1].value))
            continue;
        ir_value *arg = op->operands[0].value, *at[2];
        const dst_interval *v = dst_find(s, &op->results[1]);
        if (!is_input(s, arg) || !v)
            return ir_op_error(op,
                               "placeholder copy_tile not replaced with proper copy "
                               "(src_index has sentinel value %lld)",
                               (long long)INT64_MAX);
        ir_builder b = ir_builder_before(op);
        indices(s, &b, arg, v->reg, at);
        for (uint32_t i = 0; i < 2; i++) {
            ir_op *old = ir_value_def(op->operands[1 + i].value);
            ir_op_set_operand(op, 1 + i, at[i]);
            if (ir_op_is_unused(old))
                ir_op_erase(old);
        }
    }
    return true;
}

/* Brings a block argument into DST before `user` and has all uses read it there. */
static bool load_argument(dst_state *s, ir_op *user, ir_value *arg)
{
    ir_builder b = ir_builder_before(user);
    const dst_interval *v = dst_find(s, arg);
    if (!is_input(s, arg) || !v)
        return ir_op_error(user, "block argument not found in compute inputs");
    ir_value *operands[3] = {arg};
    indices(s, &b, arg, v->reg, operands + 1);
    ir_type results[] = {ir_dialect_type(b.ctx, TTL_TYPE(dst), NULL, 0), arg->type};
    ir_op *copy = ir_build_op(&b, TTL_OP(copy_tile), results, 2, operands, 3, NULL, 0, 0);
    for (ir_op *op = user; op; op = op->next)
        for (uint32_t i = 0; i < op->n_operands; i++)
            if (op->operands[i].value == arg && op->def != TTL_OP(copy_tile) &&
                !ttl_reads_cb(op))
                ir_op_set_operand(op, i, &copy->results[1]);
    return true;
}

/* Whether anything but an explicit copy reads the argument in DST. */
static bool needs_load(const dst_state *s, const ir_value *arg)
{
    if (!arg->is_argument || arg->owner != s->body || !ttcore_is_tile(arg->type))
        return false;
    for (const ir_operand *use = arg->uses; use; use = use->next_use)
        if (use->owner->def != TTL_OP(copy_tile) && !ttl_reads_cb(use->owner))
            return true;
    return false;
}

static bool load_arguments(dst_state *s)
{
    for (ir_op *op = s->body->first; op; op = op->next)
        for (uint32_t i = 0; i < op->n_operands && dst_reads(s, op); i++)
            if (needs_load(s, op->operands[i].value) &&
                !load_argument(s, op, op->operands[i].value))
                return false;
    return true;
}

/* A unary operation whose output has another register than its input works on a copy. */
static void copy_overwritten(ir_op *op, const dst_interval *out, const dst_interval *in)
{
    if (!ttl_is_tile_unary(op) || ttl_reads_cb(op) || !in || in->reg == out->reg)
        return;
    ir_builder b = ir_builder_before(op);
    ir_value *copy =
        ir_build1(&b, TTL_OP(copy_dst), op->operands[0].value->type, &op->operands[0].value,
                  1, IR_ATTRS({"dst_idx", ir_i32_attr(op->ctx, out->reg)}));
    ir_op_set_operand(op, 0, copy);
}

/* The value that an operation read before load_arguments gave it a copy. */
static const dst_interval *input_of(const dst_state *s, const ir_op *op)
{
    ir_value *v = op->n_operands ? op->operands[0].value : NULL;
    ir_op *def = v ? ir_value_def(v) : NULL;
    const dst_interval *known = v ? dst_find(s, v) : NULL;
    return known || !ir_op_is(def, TTL_OP(copy_tile)) ? known
                                                      : dst_find(s, def->operands[0].value);
}

static void set_registers(dst_state *s)
{
    for (size_t i = 0; i < s->count; i++) {
        ir_op *op = ir_value_def(s->at[i].value);
        if (!op || !(ttl_is_tile_compute(op) || op->def == TTL_OP(copy_dst)))
            continue;
        copy_overwritten(op, &s->at[i], input_of(s, op));
        ir_op_set_attr(op, "dst_idx", ir_i32_attr(op->ctx, s->at[i].reg));
    }
}

/* A tile that is filled with a number needs no copy of what it is filled in place of. */
static void drop_copies_to_fill(dst_state *s)
{
    for (ir_op *op = s->body->first; op; op = op->next) {
        ir_op *copy =
            op->def == TTL_OP(tile_fill_int) ? ir_value_def(op->operands[0].value) : NULL;
        if (!(ir_op_is(copy, TTL_OP(copy_tile)) || ir_op_is(copy, TTL_OP(copy_dst))) ||
            op->operands[0].value->uses->next_use)
            continue;
        ir_op_set_operand(op, 0, copy->operands[0].value);
        ir_op_erase(copy);
    }
}

/* ---- the pass ------------------------------------------------------------------------ */

/* Arguments that stay in DST from their first use to their last may take the room that
 * results need: each user gets its own copy of the buffer's tile instead. */
static void reload_arguments(dst_state *s)
{
    s->reloading = true;
    dst_say(s, "=== Reloading arguments at each use ===\n");
    for (uint32_t i = 0; i < s->body->n_args; i++)
        if (is_input(s, s->body->args[i]))
            copy_for_all_but_last(s, s->body->args[i], false);
    free(s->at);
    s->at = NULL;
    s->count = s->capacity = 0;
    dst_find_intervals(s);
}

static bool assign(dst_state *s, bool report)
{
    insert_copies(s);
    if (pass_debugs(s->run))
        s->names = ir_op_printer_create(ttl_function_of(s->op), NULL);
    dst_find_intervals(s);
    bool again = pass_option_bool(s->run, "reload-arguments");
    bool ok = dst_allocate(s, report && !again);
    if (!ok && again) {
        reload_arguments(s);
        ok = dst_allocate(s, report);
    }
    ok = ok && fill_placeholders(s) && load_arguments(s);
    if (ok) {
        set_registers(s);
        drop_copies_to_fill(s);
    }
    if (s->names)
        ir_op_printer_free(s->names);
    free(s->at);
    return ok;
}

static bool assign_in(pass_run *run, ir_op *op, uint32_t registers, bool report)
{
    dst_state s = {.run = run,
                   .op = op,
                   .body = ir_op_body(op, 0),
                   .yield = ir_op_body(op, 0)->last,
                   .registers = registers,
                   .separate = pass_option_bool(run, "separate-output-region")};
    return assign(&s, report);
}

/* Tries it on a copy, which replaces the compute if it succeeds. */
static bool try_assign(pass_run *run, ir_op *op, uint32_t registers)
{
    ir_mapping *map = ir_mapping_create();
    ir_op *copy = ir_op_clone(op, map);
    ir_mapping_free(map);
    ir_op_insert_before(copy, op);
    const bool ok = assign_in(run, copy, registers, false);
    for (uint32_t i = 0; i < op->n_results && ok; i++)
        ir_value_replace_uses(&op->results[i], &copy->results[i]);
    ir_op_erase(ok ? op : copy);
    return ok;
}

/* Cuts until each part has enough registers: every part has fewer operations than what it
 * was cut from. */
static bool assign_or_cut(pass_run *run, ir_op *op, uint32_t registers)
{
    ir_op *first, *second;
    if (try_assign(run, op, registers))
        return true;
    if (!ttl_cut_in_two(op, &first, &second))
        return false;
    return first ? assign_or_cut(run, first, registers) &&
                       assign_or_cut(run, second, registers)
                 : assign_in(run, op, registers, true);
}

static bool is_complete(const ir_op *op)
{
    const ir_block *body = op->def == TTL_OP(compute) ? ir_op_body((ir_op *)op, 0) : NULL;
    return body && body->last && body->last->def == TTL_OP(yield);
}

static bool run_pass(ir_op *func, pass_run *run)
{
    const int64_t capacity = pass_option_int(run, "dst-capacity");
    const bool spill = pass_option_bool(run, "spill");
    if (capacity > DST_MAX_REGISTERS)
        return ir_op_error(func, "dst-capacity is at most %d, found %lld",
                           DST_MAX_REGISTERS, (long long)capacity);
    ir_op_list all = ir_ops_in(func, is_complete);
    bool ok = true;
    for (size_t i = 0; i < all.n && ok && spill; i++)
        ok = ttl_cut_tile_operands(all.at[i]);
    ir_op_list_free(&all);
    all = ir_ops_in(func, is_complete);
    for (size_t i = 0; i < all.n && ok; i++) {
        ir_op *op = all.at[i];
        uint32_t registers = capacity > 0 ? (uint32_t)capacity : ttl_dst_capacity(op);
        ok =
            spill ? assign_or_cut(run, op, registers) : assign_in(run, op, registers, true);
    }
    ir_op_list_free(&all);
    return ok;
}

const pass_def ttl_assign_dst_pass = {
    .name = "ttl-assign-dst",
    .title = "TTLAssignDST",
    .summary = "DST allocation with copy insertion, interval analysis, and linear scan",
    .anchor = "func.func",
    .run = run_pass,
    .options = IR_LIST(
        pass_option_def,
        {"dst-capacity", PASS_INT, "0",
         "Override DST register capacity (auto-computed by default). For single-buffering "
         "mode (dst_full_sync_en=true), use: f32=8, f16/bf16=16. For double-buffering "
         "(default): f32=4, f16/bf16=8."},
        {"separate-output-region", PASS_BOOL, "false",
         "Allocate outputs in separate DST region (needed for reductions and some loop "
         "optimizations)."},
        {"reload-arguments", PASS_BOOL, "false",
         "Load arguments again for each use where there are not enough registers."},
        {"spill", PASS_BOOL, "false",
         "Keep parts of what needs more registers than there are, and operands of "
         "operations "
         "that read circular buffers, in buffers of the thread's own."}),
};
