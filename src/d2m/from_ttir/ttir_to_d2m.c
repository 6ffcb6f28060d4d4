/* ttir_to_d2m.c: ttir-to-d2m: converts every operation of ttir but casts between layouts of
 * ttnn and of the device. */
#include "d2m/from_ttir/from_ttir.h"
#include "d2m/generic.h"
#include "ir/pass/pass.h"

#include <stdlib.h>

/* ---- operations that are one of d2m ------------------------------------------------- */

bool d2m_convert_empty(d2m_conv *c, ir_op *op)
{
    ir_type type = op->results[0].type;
    for (ir_operand *use = op->results[0].uses; use; use = use->next_use)
        if (d2m_is_ttnn_tensor(type) && use->owner->def == TTIR_OP(to_layout) &&
            ir_operand_number(use) == 1 && c->ttnn)
            return true; /* the conversion of its user makes another */
    ir_value_replace_uses(&op->results[0],
                          d2m_build_empty(&c->b, type, (d2m_virtual_grid){0}));
    return true;
}

bool d2m_convert_to_layout(d2m_conv *c, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0);
    ir_type type = ir_op_operand(op, 1)->type;
    if (op->n_results != 1 || !ir_type_is_tensor(type))
        return d2m_refuse(c, "only tensors are laid out");
    if (!c->ttnn) {
        ir_value_replace_uses(&op->results[0],
                              d2m_to_new(c, in, type, (d2m_virtual_grid){0}));
        return true;
    }
    if (!d2m_is_ttnn_tensor(type))
        return d2m_refuse(
            c, "expected output type to have TTNN layout when ttnnMode is enabled");
    if (d2m_is_ttnn_tensor(in->type)) {
        ir_type metal = d2m_metal_of_ttnn(c, in->type);
        if (!metal)
            return false;
        in = d2m_cast_from_ttnn(c, in, metal);
    }
    ir_value *moved = d2m_into_ttnn(c, in, type);
    if (moved)
        ir_value_replace_uses(&op->results[0], moved);
    return moved != NULL;
}

bool d2m_convert_mesh_shard(d2m_conv *c, ir_op *op)
{
    ir_value *in = ir_op_operand(op, 0);
    ir_value *out =
        ir_build1(&c->b, D2M_OP(mesh_shard), op->results[0].type, &in, 1,
                  IR_ATTRS({"shard_type", ir_op_attr(op, "shard_type")},
                           {"shard_direction", ir_op_attr(op, "shard_direction")},
                           {"shard_shape", ir_op_attr(op, "shard_shape")},
                           {"shard_dims", ir_op_attr(op, "shard_dims")}));
    ir_value_replace_uses(&op->results[0], out);
    return true;
}

/* ---- what converts what ------------------------------------------------------------- */

/* The second is tried where the first does not apply. */
typedef struct converters {
    d2m_convert_fn *first, *second;
} converters;

#define E(ttir, tile, how) [TTIR_##ttir] = {d2m_convert_elementwise, NULL},

static const converters table[TTIR_OP_COUNT] = {
#include "d2m/from_ttir/elementwise.def"
    [TTIR_all_gather] = {d2m_convert_all_gather, NULL},
    [TTIR_arange] = {d2m_convert_arange, NULL},
    [TTIR_argmax] = {d2m_convert_argmax, NULL},
    [TTIR_broadcast] = {d2m_convert_broadcast, NULL},
    [TTIR_concat] = {d2m_convert_concat, NULL},
    [TTIR_concatenate_heads] = {d2m_convert_view, NULL},
    [TTIR_embedding] = {d2m_convert_embedding, NULL},
    [TTIR_empty] = {d2m_convert_empty, NULL},
    [TTIR_full] = {d2m_convert_fill, NULL},
    [TTIR_matmul] = {d2m_convert_matmul, NULL},
    [TTIR_max] = {d2m_convert_outer_reduction, d2m_convert_reduction},
    [TTIR_mean] = {d2m_convert_outer_reduction, d2m_convert_reduction},
    [TTIR_mesh_shard] = {d2m_convert_mesh_shard, NULL},
    [TTIR_min] = {d2m_convert_outer_reduction, d2m_convert_min},
    [TTIR_ones] = {d2m_convert_fill, NULL},
    [TTIR_permute] = {d2m_convert_permute, NULL},
    [TTIR_rand] = {d2m_convert_rand, NULL},
    [TTIR_rearrange] = {d2m_convert_view, NULL},
    [TTIR_reshape] = {d2m_convert_view, NULL},
    [TTIR_slice_static] = {d2m_convert_slice, NULL},
    [TTIR_sum] = {d2m_convert_outer_reduction, d2m_convert_reduction},
    [TTIR_to_layout] = {d2m_convert_to_layout, NULL},
    [TTIR_topk] = {d2m_convert_topk, NULL},
    [TTIR_zeros] = {d2m_convert_fill, NULL},
};

static const converters *row_of(const ir_op *op)
{
    static const converters block = {d2m_convert_matmul_block, NULL};
    return ttir_is_op(op) ? &table[op->def - ttir_ops] : &block;
}

/* ---- the pass ----------------------------------------------------------------------- */

static bool is_illegal(const ir_op *op)
{
    return op->def == D2M_OP(tile_matmul_block) ||
           (ttir_is_op(op) && op->def != TTIR_OP(ttnn_metal_layout_cast));
}

static void note_made(void *user, ir_op *op)
{
    d2m_conv *c = user;
    if (!is_illegal(op))
        return;
    if (c->n_made == c->made_capacity) {
        c->made_capacity = c->made_capacity ? 2 * c->made_capacity : 16;
        c->made = tw_xrealloc(c->made, c->made_capacity * sizeof(*c->made));
    }
    c->made[c->n_made++] = op;
}

static bool fail(const d2m_conv *c, ir_op *op)
{
    ir_error_unlowered(op->ctx, op->loc, op->def->name, NULL);
    if (c->why)
        ir_note(op->ctx, op->loc, "%s", c->why);
    return false;
}

static bool has_ranked_tensors(const ir_op *op)
{
    bool fine = op->n_results > 0 || !ttir_is_op(op);
    for (uint32_t i = 0; i < op->n_operands; i++)
        fine &= ir_type_is_ranked(ir_op_operand(op, i)->type);
    for (uint32_t i = 0; i < op->n_results; i++)
        fine &= ir_type_is_ranked(op->results[i].type);
    return fine;
}

static bool convert(d2m_conv *c, ir_op *op)
{
    const converters *row = row_of(op);
    size_t made = c->n_made;
    c->b = ir_builder_before(op);
    c->b.created = note_made;
    c->b.user = c;
    c->op = op;
    c->why = NULL;
    bool fine = row->first && has_ranked_tensors(op) && row->first(c, op);
    /* A converter that does not apply has built nothing and says nothing. */
    if (!fine && row->second && !c->why && has_ranked_tensors(op))
        fine = row->second(c, op);
    if (!fine)
        return fail(c, op);
    if (!ir_op_is_unused(op))
        return true; /* its user is converted with it */
    ir_op_erase(op);
    for (size_t i = made; i < c->n_made; i++) {
        ir_op *next = c->made[i];
        if (next && !convert(c, next))
            return false;
    }
    c->n_made = made;
    return true;
}

static bool convert_all(d2m_conv *c, ir_op *module)
{
    ir_op_list all = ir_ops_in(module, is_illegal);
    bool fine = true;
    for (size_t i = 0; fine && i < all.n; i++)
        fine = convert(c, all.at[i]);
    ir_op_list_free(&all);
    all = ir_ops_outside(module, is_illegal,
                         d2m_is_generic); /* empties that their users replaced */
    for (size_t i = all.n; fine && i-- > 0;)
        if (ir_op_is_unused(all.at[i]))
            ir_op_erase(all.at[i]);
        else
            fine = fail(c, all.at[i]);
    ir_op_list_free(&all);
    return fine;
}

static bool read_space(ir_op *module, pass_run *run, const char *name, int64_t *out)
{
    tw_str text = pass_option_str(run, name);
    if (tw_str_is(text, "l1"))
        *out = TTCORE_MemorySpace_DeviceL1;
    else if (tw_str_is(text, "dram"))
        *out = TTCORE_MemorySpace_DeviceDRAM;
    else
        return ir_error(module->ctx, module->loc,
                        "option '%s' is '%.*s': expected l1 or dram", name, (int)text.size,
                        text.data);
    return true;
}

static bool run(ir_op *module, pass_run *run)
{
    d2m_conv c = {.ttnn = pass_option_bool(run, "ttnn-mode"),
                  .collapse = pass_option_bool(run, "collapse-tensors-2d"),
                  .multicast = pass_option_bool(run, "enable-multicast-inference")};
    if (!read_space(module, run, "default-input-memspace", &c.in_space) ||
        !read_space(module, run, "default-output-memspace", &c.out_space))
        return false;
    d2m_expand_embeddings(module);
    bool fine = convert_all(&c, module);
    free(c.made);
    return fine;
}

const pass_def ttir_to_d2m_pass = {
    .name = "ttir-to-d2m",
    .title = "TTIRToD2M",
    .summary = "Convert TTIR to D2M: generics on tiles of device tensors over one core",
    .anchor = "builtin.module",
    .run = run,
    .options = IR_LIST(
        pass_option_def,
        {"default-input-memspace", PASS_STRING, "l1", "Memory of inputs: l1 or dram"},
        {"default-output-memspace", PASS_STRING, "l1", "Memory of results: l1 or dram"},
        {"ttnn-mode", PASS_BOOL, "false",
         "Tensors with layouts of ttnn are cast, not laid "
         "out"},
        {"collapse-tensors-2d", PASS_BOOL, "true",
         "Collapse all dimensions but the last into one"},
        {"enable-multicast-inference", PASS_BOOL, "true",
         "Send what several cores reduce from one of them to the others"}),
};
