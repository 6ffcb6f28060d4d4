/* reshards.c: keeps the sharding across transfers to another mesh; if it has to change,
 * an identity fragment reshards on the side with fewer elements per device. */
#include "mlir/func/func.h"
#include "mpmd/fragments.h"
#include "mpmd/passes.h"
#include "sdy/propagation/shardings.h"

/* The axes of size above 1. */
static size_t real_axes(ir_attr mesh, ir_attr *out, size_t max)
{
    size_t n = 0;
    for (uint32_t i = 0; i < sdy_length(mesh->params[0]); i++)
        if (ir_attr_int(mesh->params[0]->items[i]->params[1], 1) != 1 && n < max)
            out[n++] = mesh->params[0]->items[i];
    return n;
}

static bool is_homogeneous(const ir_op *func)
{
    enum { CAPACITY = 64 };
    ir_attr meshes = mpmd_meshes(func), first[CAPACITY], other[CAPACITY];
    size_t n =
        sdy_length(meshes) ? real_axes(meshes->items[0]->params[1], first, CAPACITY) : 0;
    for (uint32_t i = 1; i < sdy_length(meshes); i++)
        if (real_axes(meshes->items[i]->params[1], other, CAPACITY) != n ||
            memcmp(first, other, n * sizeof *first) != 0 ||
            meshes->items[i]->params[1]->params[1] !=
                meshes->items[0]->params[1]->params[1])
            return false;
    return true;
}

static int64_t local_elements(ir_type type, ir_attr sharding, ir_attr mesh)
{
    ir_type tensor = type->params[MPMD_TYPE_TENSOR]->type;
    int64_t n = 1;
    for (uint32_t i = 0; i < tensor->count; i++) {
        int64_t parts = sharding ? sdy_dim_size(sdy_dim_at(sharding, i), mesh) : 1;
        n *= (tensor->dims[i] + parts - 1) / parts;
    }
    return n;
}

static ir_type on_mesh_of(ir_type type)
{
    return mpmd_tensor_on(type->params[MPMD_TYPE_MESH],
                          type->params[MPMD_TYPE_TENSOR]->type, NULL);
}

/* Builds an identity fragment whose result has that sharding; NULL: any. */
static ir_value *reshard(ir_builder *b, ir_value *v, ir_type type, ir_attr sharding)
{
    mpmd_values operands = {.n = 0};
    mpmd_push(&operands, v);
    b->loc = ir_value_loc(v);
    ir_op *f = mpmd_build_fragment(b, type->params[MPMD_TYPE_MESH], &type, 1, &operands,
                                   "extract_reshards");
    ir_block *body = mpmd_add_body(f);
    ir_builder inner = ir_builder_at_end(b->ctx, body, b->loc);
    ir_build_op(&inner, MPMD_OP(return ), NULL, 0, body->args, 1, NULL, 0, 0);
    if (sharding)
        ir_op_set_attr(f, "out_shardings", sdy_per_value(b->ctx, &sharding, 1));
    free(operands.at);
    return &f->results[0];
}

/* True for transfers and returns, which cannot reshard their operands. */
static bool is_fixed_reader(const ir_op *op, const ir_op *but)
{
    return op != but && (mpmd_is_transfer(op) || op->def == FUNC_OP(return ));
}

static void replace_fixed_uses(ir_value *v, ir_value *by, const ir_op *but)
{
    for (ir_operand *use = v->uses, *next; use; use = next) {
        next = use->next_use;
        if (is_fixed_reader(use->owner, but))
            ir_op_set_operand(use->owner, ir_operand_number(use), by);
    }
}

static bool has_fixed_reader(const ir_value *v, const ir_op *but)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        if (is_fixed_reader(use->owner, but))
            return true;
    return false;
}

static void reshard_at_producer(ir_op *transfer, ir_attr from, ir_attr to)
{
    ir_value *v = transfer->operands[0].value;
    ir_op *producer = ir_value_def(v);
    ir_builder b = ir_builder_before(transfer);
    ir_type type = on_mesh_of(v->type);
    if (!producer || !mpmd_is_fragment(producer)) {
        ir_op_set_operand(transfer, 0, reshard(&b, v, type, to));
        return;
    }
    if (has_fixed_reader(v, transfer))
        replace_fixed_uses(v, reshard(&b, v, v->type, from), transfer);
    v->type = type;
    if (to)
        sdy_set(v, to);
}

static void reshard_at_consumer(ir_op *transfer, ir_attr from, ir_attr to)
{
    ir_value *v = &transfer->results[0];
    ir_type type = on_mesh_of(v->type);
    v->type = type;
    ir_op_set_attr(transfer, "sdy.sharding", NULL);
    if (from)
        sdy_set(v, from);
    mpmd_set_at_readers(v, from);
    if (has_fixed_reader(v, NULL)) {
        ir_builder b = ir_builder_after(transfer);
        ir_value *made = reshard(&b, v, type, to);
        replace_fixed_uses(v, made, NULL);
    }
}

static bool handle(ir_op *transfer, ir_attr mesh, bool *warned)
{
    ir_type a = transfer->operands[0].value->type, b = transfer->results[0].type;
    ir_attr from = sdy_get(transfer->operands[0].value),
            to = sdy_get(&transfer->results[0]);
    if (mpmd_on_host(a) && mpmd_on_host(b))
        return ir_error_at_op(transfer,
                              "Resharding on host not supported with an mpmd.transfer.");
    if (sdy_shardings_equal(from, to, false))
        return true;
    if (!*warned)
        ir_warning(transfer->ctx, transfer->loc,
                   "Found a resharding transfer in the module. This may cause performance "
                   "issues.");
    *warned = true;
    if (mpmd_on_host(b) ||
        (!mpmd_on_host(a) && local_elements(a, from, mesh) > local_elements(b, to, mesh)))
        reshard_at_producer(transfer, from, to);
    else
        reshard_at_consumer(transfer, from, to);
    return true;
}

bool mpmd_extract_reshards_from_inter_mesh_transfers(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func) || !is_homogeneous(func))
        return true;
    bool warned = false, ok = true;
    ir_attr meshes = mpmd_meshes(func);
    ir_op_list all = ir_ops_in(func, mpmd_is_transfer);
    for (size_t i = 0; i < all.n; i++)
        ok &= handle(all.at[i], meshes->items[0]->params[1], &warned);
    ir_op_list_free(&all);
    return ok;
}
