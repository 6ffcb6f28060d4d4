/* compute_config.c: attributes that passes leave on ttl.compute for later ones: how
 * DST is set up, and which circular buffer each input lies in; how many tiles DST holds. */
#include "ir/pass/pass.h"
#include "ttcore/ttcore.h"
#include "ttl/passes/dst.h"
#include "ttl/ttl_info.h"

#include <stdio.h>

/* Hardware: 16 tiles of 16 bits in DST, half of them while the other half is packed. */
enum { DST_TILES = 16, MAX_DST = 64 };

/* ---- capacity ------------------------------------------------------------------------ */

static int64_t physical_tiles(ir_op *op)
{
    ir_op *module = ir_nearest_symbol_table(op);
    ir_attr system = module ? ir_op_attr(module, "ttcore.system_desc") : NULL;
    ir_attr chips = system ? ir_attr_param(system, "chipDescs") : NULL;
    if (!ir_attr_is(chips, IR_ATTR_ARRAY) || !chips->count)
        return 0;
    ir_attr tiles = ir_attr_param(chips->items[0], "dstPhysicalSizeTiles");
    return ir_attr_int(tiles, 0);
}

/* Tiles of DST that one acquire gives: halved while packing overlaps (unless
 * dst_full_sync_en), halved for 32-bit values.  Without a device's description f32 tiles
 * alone do not make DST 32 bits wide: the kernel's configuration does. */
uint32_t ttl_dst_capacity(ir_op *op)
{
    bool f32 = false, other = false;
    const ir_block *body = ir_op_body(op, 0);
    for (uint32_t i = 0; i < body->n_args; i++) {
        int64_t data = ttcore_tile_data_type(body->args[i]->type);
        f32 |= data == TTCORE_DataType_Float32;
        other |= data >= 0 && data != TTCORE_DataType_Float32;
    }
    if (f32 && other)
        ir_warning(op->ctx, op->loc,
                   "Mixed f32 and non-f32 tile arguments detected; dst capacity uses f32 "
                   "limits when fp32_dest_acc_en is enabled.");
    int64_t tiles = physical_tiles(op);
    bool wide = ir_attr_bool(ir_op_attr(op, "fp32_dest_acc_en")) || (f32 && tiles > 0);
    uint32_t n = tiles > 0 ? (uint32_t)TW_MIN(tiles, MAX_DST) : DST_TILES;
    if (!ir_attr_bool(ir_op_attr(op, "dst_full_sync_en")))
        n /= 2;
    return wide ? n / 2 : n;
}

/* ---- ttl-set-compute-kernel-config --------------------------------------------------- */

/* Tiles of 32 bits, floats or integers, want a DST of 32 bits. */
static bool has_wide_tile(const ir_op *compute)
{
    const ir_block *body = ir_op_body(compute, 0);
    for (uint32_t i = 0; i < body->n_args; i++) {
        int64_t data = ttcore_tile_data_type(body->args[i]->type);
        if (data == TTCORE_DataType_Float32 || data == TTCORE_DataType_Int32 ||
            data == TTCORE_DataType_UInt32)
            return true;
    }
    return false;
}

static void set_unless_set(ir_op *op, const char *name, bool on)
{
    if (on && !ir_op_attr(op, name))
        ir_op_set_attr(op, name, ir_bool_attr(op->ctx, true));
}

/* What the kernel itself says, in the compute_config that its threads' functions have. */
static bool says(ir_op *op, const char *name)
{
    const ir_op *func = ttl_function_of(op);
    ir_attr config = func ? ir_op_attr(func, "compute_config") : NULL;
    return ir_attr_is(config, IR_ATTR_DICT) &&
           ir_attr_bool(ir_dict_get(config, tw_str_from(name)));
}

static ir_walk configure(ir_op *op, void *user)
{
    pass_run *run = user;
    if (op->def == TTL_OP(compute)) {
        bool wide = pass_option_bool(run, "fp32-dest-acc-en") || has_wide_tile(op) ||
                    says(op, "fp32_dest_acc_en");
        bool full =
            pass_option_bool(run, "dst-full-sync-en") || says(op, "dst_full_sync_en");
        set_unless_set(op, "fp32_dest_acc_en", wide);
        set_unless_set(op, "dst_full_sync_en", full);
    }
    return IR_WALK_ON;
}

static bool set_config(ir_op *func, pass_run *run)
{
    ir_walk_pre(func, configure, run);
    return true;
}

const pass_def ttl_set_compute_kernel_config_pass = {
    .name = "ttl-set-compute-kernel-config",
    .title = "TTLSetComputeKernelConfig",
    .summary = "Set ttl.compute kernel configuration attributes",
    .anchor = "func.func",
    .run = set_config,
    .options = IR_LIST(pass_option_def,
                       {"fp32-dest-acc-en", PASS_BOOL, "false",
                        "Set default fp32_dest_acc_en when not already configured."},
                       {"dst-full-sync-en", PASS_BOOL, "false",
                        "Set default dst_full_sync_en when not already configured."}),
};

/* ---- ttl-annotate-cb-associations ---------------------------------------------------- */

static void annotate_input(ir_op *op, size_t i)
{
    char name[40];
    ir_value *cb = ttl_attached_cb(op->operands[i].value);
    ir_op *bind = cb ? ir_value_def(cb) : NULL;
    if (!ir_op_is(bind, TTL_OP(bind_cb))) {
        ir_warning(op->ctx, op->loc,
                   cb ? "input %zu has a circular buffer that is not from ttl.bind_cb"
                      : "input %zu does not have an attached circular buffer",
                   i);
        return;
    }
    snprintf(name, sizeof name, "ttl.cb_index.%zu", i);
    ir_op_set_attr(op, name, ir_i64_attr(op->ctx, ir_op_int(bind, "cb_index", 0)));
}

static ir_walk annotate(ir_op *op, void *user)
{
    (void)user;
    size_t start, count;
    if (op->def != TTL_OP(compute))
        return IR_WALK_ON;
    ir_op_operand_group(op, 0, &start, &count);
    for (size_t i = 0; i < count; i++)
        annotate_input(op, i);
    return IR_WALK_ON;
}

static bool annotate_all(ir_op *func, pass_run *run)
{
    (void)run;
    ir_walk_pre(func, annotate, NULL);
    return true;
}

const pass_def ttl_annotate_cb_associations_pass = {
    .name = "ttl-annotate-cb-associations",
    .title = "TTLAnnotateCBAssociations",
    .summary = "Annotate ttl.compute block args with CB index associations",
    .anchor = "func.func",
    .run = annotate_all,
};
