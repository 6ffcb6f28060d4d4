/* insert_dst_access.c: d2m-insert-dst-register-access-unscheduled and -scheduled: tile
 * operations read and write slots of DST instead of buffers. */
#include "d2m/generic.h"
#include "d2m/passes/dst_access.h"
#include "d2m/passes/nests.h"
#include "d2m/tile_ops.h"
#include "ir/pass/pass.h"
#include "ir/rewrite/rewrite.h"
#include "mlir/linalg/linalg.h"
#include "mlir/loops/loops.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"

static bool is_linalg(const ir_op *op)
{
    return op->def == LINALG_OP(generic);
}

static bool has_constant_nest(ir_op *op)
{
    ir_op *loops[LOOP_CAPACITY];
    size_t n = d2m_nest_loops(op, d2m_linalg_root_of(op), loops, LOOP_CAPACITY);
    int64_t from, step, trips;
    for (size_t i = 0; i < n; i++)
        if (!d2m_constant_bounds(loops[i], &from, &step, &trips))
            return ir_op_error(op, "requires constant-bounded affine.for loops for DST "
                                   "register access linearization");
    return true;
}

static bool check(ir_op *module)
{
    ir_op_list ops = ir_ops_in(module, is_linalg);
    bool ok = ops.n == 0;
    ir_op_list_free(&ops);
    if (!ok)
        return ir_op_error(
            module, "found linalg.generic operations that were not converted to affine "
                    "loops. Please run --d2m-linalg-to-affine before the "
                    "d2m-insert-dst-register-access-unscheduled / "
                    "d2m-insert-dst-register-access-scheduled passes.");
    ops = ir_ops_in(module, d2m_is_compute);
    for (size_t i = 0; i < ops.n && ok; i++)
        ok = has_constant_nest(ops.at[i]);
    ir_op_list_free(&ops);
    return ok;
}

/* ---- one region */

typedef struct settings {
    bool scheduled, accumulate;
    int64_t physical;
} settings;

static bool is_matmul(const ir_op *op)
{
    return op->def == D2M_OP(tile_matmul);
}

/* The packer adds in L1 where all sums are of matmuls and have a type that it adds. */
static bool may_accumulate(ir_op *root)
{
    ir_op_list ops = ir_ops_in(root, is_matmul);
    bool ok = ops.n > 0;
    for (size_t i = 0; i < ops.n; i++)
        switch (ttcore_tile_data_type(ops.at[i]->results[0].type)) {
        case TTCORE_DataType_Float32:
        case TTCORE_DataType_Float16:
        case TTCORE_DataType_BFloat16:
        case TTCORE_DataType_Int32:
        case TTCORE_DataType_UInt8:
            break;
        default:
            ok = false;
        }
    ir_op_list_free(&ops);
    return ok;
}

static bool insert(ir_op *generic, ir_op *root, ir_region *region, int64_t capacity,
                   const settings *s)
{
    const dst_plan empty = {
        .generic = generic, .root = root, .region = region, .capacity = capacity};
    dst_plan plan = empty;
    bool scheduled = s->scheduled, fits = d2m_plan_dst(&plan, scheduled);
    if (!fits && scheduled && root) {
        /* the stack of a schedule may need more slots than the other plan */
        d2m_free_plan(&plan);
        plan = empty;
        scheduled = false;
        fits = d2m_plan_dst(&plan, scheduled);
    }
    if (fits)
        d2m_apply_dst(&plan, scheduled, root && s->accumulate && may_accumulate(root));
    d2m_free_plan(&plan);
    return fits || ir_op_error(generic, "Insufficient DST capacity for all operands.") ||
           ir_rule(generic->ctx, "dst capacity");
}

/* The widest tile that an operation of the region takes or makes; NULL without one. */
static ir_type widest_tile(const ir_op_list *ops)
{
    ir_type widest = NULL;
    for (size_t i = 0; i < ops->n; i++)
        for (uint32_t v = 0; v < ops->at[i]->n_operands + ops->at[i]->n_results; v++) {
            const ir_op *op = ops->at[i];
            ir_type type = v < op->n_operands ? ir_op_operand(op, v)->type
                                              : op->results[v - op->n_operands].type;
            if (ir_type_is_ranked(type))
                type = type->element;
            if (!ttcore_is_tile(type))
                continue;
            bool wide = d2m_dst_capacity(ops->at[i], type, 16) <
                        (widest ? d2m_dst_capacity(ops->at[i], widest, 16) : INT64_MAX);
            widest = wide ? type : widest;
        }
    return widest;
}

static bool is_root(const ir_op *op)
{
    return d2m_is_loop(op) && ir_op_attr(op, "d2m.linalg_root");
}

static ir_op_list in_region(ir_region *region, ir_op_test *wanted)
{
    ir_op_list all = ir_ops_in(region->owner, wanted);
    size_t n = 0;
    for (size_t i = 0; i < all.n; i++) {
        const ir_op *at = all.at[i];
        while (at != region->owner && at->block->region != region)
            at = ir_op_parent(at);
        if (at != region->owner)
            all.at[n++] = all.at[i];
    }
    all.n = n;
    return all;
}

static bool insert_roots(ir_op *generic, const ir_op_list *roots, int64_t capacity,
                         const settings *s)
{
    bool ok = true;
    for (size_t i = 0; i < roots->n && ok; i++) {
        ir_op *root = roots->at[i];
        if (!ir_op_attr(root, "d2m.scheduled") == s->scheduled ||
            ir_op_attr(root, "d2m.dst_access_inserted"))
            continue;
        ir_op_set_attr(root, "d2m.dst_access_inserted", ir_unit_attr(root->ctx));
        ir_op_set_attr(root, "d2m.scheduled", NULL);
        ok = insert(generic, root, &root->regions[0], capacity, s);
    }
    return ok;
}

static bool run_region(ir_op *generic, ir_region *region, const settings *s, bool *found)
{
    ir_op_list ops = in_region(region, d2m_is_compute), roots = in_region(region, is_root);
    ir_type widest = widest_tile(&ops);
    bool ok = true;
    *found = ops.n > 0 || roots.n > 0;
    if (widest) {
        int64_t capacity = d2m_dst_capacity(generic, widest, s->physical);
        if (capacity < 1 || capacity > DST_MAX_SLOTS)
            ok = ir_op_error(generic, "DST of %lld tiles is not supported: 1 to %d are",
                             (long long)capacity, DST_MAX_SLOTS);
        else if (roots.n || !s->scheduled)
            ok = insert_roots(generic, &roots, capacity, s);
        else
            ok = insert(generic, NULL, region, capacity, s);
    }
    ir_op_list_free(&ops);
    ir_op_list_free(&roots);
    return ok;
}

static bool run_passes(ir_op *module, pass_run *run, bool scheduled)
{
    settings s = {scheduled, !pass_option_bool(run, "disable-l1-acc"),
                  pass_option_int(run, "max-dst-physical-size-tiles")};
    if (!check(module))
        return false;
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < generics.n && ok; i++) {
        d2m_generic g;
        bool found = true;
        ir_op *op = generics.at[i];
        if (!d2m_generic_of(op, &g))
            continue;
        for (uint16_t r = 0; r < op->n_regions && ok && found; r++) {
            int64_t thread = d2m_generic_thread(&g, r);
            if (op->regions[r].first &&
                (thread == D2M_ThreadType_Compute || thread == D2M_ThreadType_Unified))
                ok = run_region(op, &op->regions[r], &s, &found);
        }
    }
    ir_op_list_free(&generics);
    if (ok)
        rw_greedy(module, NULL, 0, &(rw_options){0});
    return ok;
}

static bool run_unscheduled(ir_op *module, pass_run *run)
{
    return run_passes(module, run, false);
}

static bool run_scheduled(ir_op *module, pass_run *run)
{
    return run_passes(module, run, true);
}

#define OPTIONS                                                                            \
    IR_LIST(pass_option_def,                                                               \
            {"max-dst-physical-size-tiles", PASS_INT, "0",                                 \
             "Tiles of 16 bits that DST has (0: the chip's)", NULL, NULL},                 \
            {"disable-l1-acc", PASS_BOOL, "false",                                         \
             "Reload sums to DST instead of adding in the packer", NULL, NULL})

const pass_def d2m_insert_dst_register_access_unscheduled_pass = {
    .name = "d2m-insert-dst-register-access-unscheduled",
    .summary = "Insert accesses to DST in loops without a schedule",
    .anchor = "builtin.module",
    .run = run_unscheduled,
    .options = OPTIONS,
};

const pass_def d2m_insert_dst_register_access_scheduled_pass = {
    .name = "d2m-insert-dst-register-access-scheduled",
    .summary = "Insert accesses to DST in loops with a schedule",
    .anchor = "builtin.module",
    .run = run_scheduled,
    .options = OPTIONS,
};
