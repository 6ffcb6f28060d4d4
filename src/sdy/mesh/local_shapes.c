/* local_shapes.c: update-global-to-local-shapes: converts manual computations to local
 * shapes and to StableHLO collectives.
 *
 * Values without a sharding are replicated.  Sizes in attributes (slices, constants,
 * groups of a convolution) are divided as the dimensions are. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "sdy/mesh/mesh.h"
#include "stablehlo/stablehlo.h"

#include <stdlib.h>

/* Sizes of the dimensions selected by `wanted`, divided as the operand's; false after an
 * error. */
typedef struct sizes {
    int64_t at[SDY_MAX_DIMS];
    int64_t n;
} sizes;

static bool read_sizes(ir_op *op, const char *name, sizes *s)
{
    s->n = ir_attr_ints(ir_op_attr(op, name), s->at, SDY_MAX_DIMS);
    return (s->n >= 0 && s->n <= SDY_MAX_DIMS) || ir_op_error(op, "has no list %s", name);
}

static void write_sizes(ir_op *op, const char *name, const sizes *s)
{
    ir_op_set_attr(op, name, ir_dense_i64_array(op->ctx, s->at, (size_t)s->n));
}

static bool divide(ir_op *op, ir_attr sharding, ir_attr mesh, int64_t dim, int64_t *size,
                   const char *what)
{
    if (!sharding || dim >= sdy_sharding_rank(sharding))
        return true;
    ir_attr d = sdy_dim_at(sharding, (size_t)dim);
    return !sdy_length(d->params[SDY_DIM_AXES]) || mesh_local_size(d, mesh, *size, size) ||
           ir_op_error(op, "Could not apply propagated tensor shardings to %s", what);
}

static bool update_constant(ir_op *op, ir_attr mesh)
{
    (void)mesh;
    ir_attr value = ir_op_attr(op, "value");
    ir_attr part = ir_attr_is(value, IR_ATTR_DENSE)
                       ? mesh_local_constant(value, op->results[0].type)
                       : NULL;
    if (!part)
        return ir_op_error(op,
                           "is sharded, but its parts differ; "
                           "replicate-non-splittable-values keeps such constants whole");
    ir_op_set_attr(op, "value", part);
    return true;
}

/* A strided slice must start at the same offset in each shard. */
static bool update_slice(ir_op *op, ir_attr mesh)
{
    ir_attr sharding = mesh_sharding_of(op->operands[0].value);
    sizes start, limit, stride;
    if (!read_sizes(op, "start_indices", &start) ||
        !read_sizes(op, "limit_indices", &limit) || !read_sizes(op, "strides", &stride))
        return false;
    for (int64_t d = 0; d < limit.n; d++) {
        bool strided = stride.at[d] > 1 && start.at[d] < stride.at[d];
        if (!divide(op, sharding, mesh, d, &limit.at[d], "limit indices") ||
            (!strided && !divide(op, sharding, mesh, d, &start.at[d], "start indices")))
            return false;
    }
    write_sizes(op, "start_indices", &start);
    write_sizes(op, "limit_indices", &limit);
    return true;
}

/* Slice sizes of dimensions that are not indexed must cover the dimension. */
static bool update_gather(ir_op *op, ir_attr mesh)
{
    enum { COLLAPSED = 1, BATCHING = 2, INDEX_MAP = 4 };
    ir_attr numbers = ir_op_attr(op, "dimension_numbers");
    ir_attr sharding = mesh_sharding_of(op->operands[0].value);
    sizes s;
    if (!read_sizes(op, "slice_sizes", &s))
        return false;
    for (int64_t d = 0; d < s.n; d++)
        if (!sdy_lists(numbers->params[COLLAPSED], d) &&
            !sdy_lists(numbers->params[BATCHING], d) &&
            !sdy_lists(numbers->params[INDEX_MAP], d) &&
            !divide(op, sharding, mesh, d, &s.at[d], "slice sizes"))
            return false;
    write_sizes(op, "slice_sizes", &s);
    return true;
}

/* The slice sizes of a dynamic slice follow from its result's shape. */
static bool update_dynamic_slice(ir_op *op, ir_attr mesh)
{
    (void)mesh;
    ir_type t = op->results[0].type;
    ir_op_set_attr(op, "slice_sizes", ir_dense_i64_array(op->ctx, t->dims, t->count));
    return true;
}

/* Feature groups are divided with the channels. */
static bool update_convolution(ir_op *op, ir_attr mesh)
{
    enum { INPUT_FEATURE = 1, KERNEL_INPUT_FEATURE = 4 };
    (void)mesh;
    int64_t groups = ir_op_int(op, "feature_group_count", 1);
    ir_attr numbers = ir_op_attr(op, "dimension_numbers");
    if (groups <= 1 || !ir_attr_is(numbers, IR_ATTR_DIALECT))
        return true;
    int64_t in = ir_attr_int(ir_attr_param(numbers, "inputFeatureDimension"), 0);
    int64_t kernel = ir_attr_int(ir_attr_param(numbers, "kernelInputFeatureDimension"), 0);
    int64_t channels = op->operands[0].value->type->dims[in];
    int64_t each = op->operands[1].value->type->dims[kernel];
    if (each <= 0 || channels % each)
        return ir_op_error(op,
                           "cannot rescale feature_group_count: local input feature dim "
                           "(%lld) not divisible by kernel input feature dim (%lld)",
                           (long long)channels, (long long)each);
    if (groups != channels / each)
        ir_op_set_attr(op, "feature_group_count", ir_i64_attr(op->ctx, channels / each));
    return true;
}

typedef bool update_fn(ir_op *op, ir_attr mesh);

static const struct {
    uint16_t row;
    bool always; /* also for operations without a sharding */
    update_fn *update;
} updates[] = {
    {STABLEHLO_constant, false, update_constant},
    {STABLEHLO_slice, false, update_slice},
    {STABLEHLO_gather, false, update_gather},
    {STABLEHLO_dynamic_slice, false, update_dynamic_slice},
    {STABLEHLO_convolution, true, update_convolution},
};

static bool update_sizes(ir_op *op, ir_attr mesh, bool sharded)
{
    for (size_t i = 0; i < TW_COUNT(updates); i++)
        if (op->def == &stablehlo_ops[updates[i].row] && (sharded || updates[i].always))
            return updates[i].update(op, mesh);
    return true;
}

static bool is_collective(const ir_op *op)
{
    return ir_def_has(op->def, "CollectiveOpInterface");
}

/* Sets the local result types first, which the update functions use. */
static bool update_op(ir_op *op, ir_attr mesh)
{
    if (is_collective(op))
        return mesh_lower_collective(op);
    ir_attr list = sdy_shardings_of(op);
    ir_attr all = list ? list->params[0] : NULL;
    for (uint32_t i = 0; i < sdy_length(all) && i < op->n_results; i++) {
        ir_type local = mesh_local_type(op->results[i].type, all->items[i], mesh);
        if (!local)
            return ir_op_error(op, "Could not apply propagated tensor shardings to tensor "
                                   "dimensions");
        op->results[i].type = local;
    }
    return update_sizes(op, mesh, sdy_length(all) > 0);
}

/* Checks everything before the first change. */
static bool check_op(ir_op *op, ir_attr mesh)
{
    ir_attr list = sdy_shardings_of(op);
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (mesh_needs_replicated(op, i, mesh))
            return ir_op_error(
                op,
                "cannot be computed part by part: operand %u is sharded, but the devices' "
                "partial results do not add up to the result",
                i);
    return !list || sdy_length(list->params[0]) != 1 ||
           mesh_can_split(op, list->params[0]->items[0], mesh) ||
           ir_op_error(op, "cannot be computed part by part: its result is sharded along a "
                           "dimension whose parts depend on each other");
}

static bool update_computation(ir_op *op, ir_attr mesh)
{
    ir_context *ctx = op->ctx;
    ir_block *body = ir_op_body(op, 0);
    ir_attr in = ir_op_attr(op, "in_shardings")->params[0], axes = mesh->params[0];
    ir_op_list all = ir_ops_in(op, NULL);
    bool ok = body && sdy_length(in) == body->n_args;
    for (size_t i = 1; i < all.n && ok; i++)
        ok = check_op(all.at[i], mesh);
    ir_attr *names = tw_xmalloc((sdy_length(axes) + 1u) * sizeof *names);
    for (uint32_t i = 0; i < sdy_length(axes); i++)
        names[i] = axes->items[i]->params[0];
    ir_attr manual = ir_array_attr(ctx, names, sdy_length(axes));
    free(names);
    ir_op_set_attr(op, "manual_axes",
                   ir_dialect_attr(ctx, SDY_ATTR(manual_axes), &manual, 1));
    for (uint32_t i = 0; ok && i < body->n_args; i++) {
        ir_type local = mesh_local_type(body->args[i]->type, in->items[i], mesh);
        ok = local ||
             ir_op_error(op, "Could not apply propagated tensor shardings to tensor "
                             "dimensions");
        if (ok)
            body->args[i]->type = local;
    }
    for (size_t i = 1; i < all.n && ok; i++) /* the first is the computation itself */
        ok = update_op(all.at[i], mesh);
    ir_op_list_free(&all);
    return ok;
}

static bool is_computation(const ir_op *op)
{
    return op->def == SDY_OP(manual_computation);
}

static bool lower_all(ir_op *module)
{
    ir_op_list all = ir_ops_in(module, is_collective);
    bool ok = true;
    for (size_t i = 0; i < all.n && ok; i++)
        ok = mesh_lower_collective(all.at[i]);
    ir_op_list_free(&all);
    return ok || ir_error(module->ctx, module->loc,
                          "Could not convert shardy ccl ops into stablehlo ccl ops");
}

static bool run_local(ir_op *module, pass_run *run)
{
    (void)run;
    if (mesh_is_solved(module)) {
        bool lowered = lower_all(module);
        mesh_drop_shardings(module);
        return lowered;
    }
    if (mesh_has_gspmd(module)) {
        ir_warning(module->ctx, module->loc,
                   "GSPMD style graphs are already in local device shapes so we don't need "
                   "to update them");
        return true;
    }
    ir_op *mesh = mesh_only(module);
    if (!mesh)
        return false;
    ir_op_list all = ir_ops_in(module, is_computation);
    bool ok = true;
    for (size_t i = 0; i < all.n && ok; i++)
        ok = update_computation(all.at[i], ir_op_attr(mesh, "mesh"));
    ir_op_list_free(&all);
    if (!ok)
        return ir_error(
            module->ctx, module->loc,
            "Could not update shapes based on their tensor sharding attributes");
    mesh_drop_shardings(module);
    return true;
}

const pass_def update_global_to_local_shapes_pass = {
    .name = "update-global-to-local-shapes",
    .title = "UpdateGlobalToLocalShapesPass",
    .summary = "Converts manual computations to local shapes.",
    .anchor = "builtin.module",
    .run = run_local,
};
