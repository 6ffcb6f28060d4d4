/* analyze.c: analyze-mesh: establishes one mesh of two axes and converts user annotations
 * to sdy.sharding_constraint.
 *
 * An existing mesh with only one axis gets a second; GSPMD annotations imply one;
 * otherwise it is the requested one, or one device.  With `automatic-arg-analysis` the
 * arguments of a program without annotations are split along their batch. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "sdy/mesh/frontend.h"
#include "sdy/mesh/gspmd.h"
#include "sdy/mesh/mesh.h"
#include "stablehlo/stablehlo.h"
#include "support/strbuf.h"
#include "ttcore/ttcore.h"

enum { MAX_SHAPE = 8 };

static const tw_str names[2] = {{"x", 1}, {"y", 1}};

/* ---- the mesh ----------------------------------------------------------------------- */

static size_t count_meshes(ir_op *module)
{
    size_t n = 0;
    for (ir_op *op = ir_op_body(module, 0)->first; op; op = op->next)
        n += op->def == SDY_OP(mesh);
    return n;
}

/* Prepends axes of size 1 to a mesh of fewer than two axes. */
static bool extend_to_two_axes(ir_op *module)
{
    ir_op *mesh = mesh_first(module);
    if (!mesh)
        return true;
    if (count_meshes(module) > 1)
        return ir_error(module->ctx, module->loc, "Pass expects a single mesh op, got %zu",
                        count_meshes(module));
    ir_attr axes = ir_op_attr(mesh, "mesh")->params[0];
    uint32_t n = sdy_length(axes);
    if (n > 2)
        return ir_error(module->ctx, module->loc,
                        "Pass expects a 0D, 1D, or 2D mesh, got %uD", n);
    if (n == 2)
        return true;
    tw_str own = n ? ir_attr_str(axes->items[0]->params[0]) : TW_STR("default");
    tw_strbuf other = {0};
    tw_strbuf_str(&other, own);
    tw_strbuf_puts(&other, "_aux");
    mesh_add(module, ir_symbol_name(mesh), (tw_str[]){{other.data, other.size}, own},
             (int64_t[]){1, n ? ir_attr_int(axes->items[0]->params[1], 1) : 1});
    tw_strbuf_free(&other);
    ir_op_erase(mesh);
    return true;
}

static bool read_gspmd(ir_op *op, ir_attr call, ir_attr operand, gspmd_sharding *out)
{
    const char *wrong =
        ir_attr_is(call, IR_ATTR_STRING) && ir_attr_is(operand, IR_ATTR_STRING)
            ? gspmd_read(ir_attr_str(call), ir_attr_str(operand), out)
            : "Annotation is no text.";
    return !wrong || ir_op_error(op, "%s", wrong);
}

/* The first mesh implied by an annotation; {0, 0} if there is none. */
static bool mesh_of_annotations(ir_op *module, int64_t out[2])
{
    ir_op_list all = ir_ops_in(module, NULL);
    gspmd_sharding s;
    bool ok = true;
    out[0] = out[1] = 0;
    for (size_t i = 0; i < all.n && ok && !out[0]; i++) {
        ir_op *op = all.at[i];
        uint32_t n =
            mesh_is_function(op) ? ir_op_attr(op, "function_type")->type->count : 0;
        for (uint32_t a = 0; a < n && ok && !out[0]; a++) {
            ir_attr text = func_arg_attr(op, a, MESH_GSPMD);
            if (text && (ok = read_gspmd(op, text, text, &s)) && s.devices)
                memcpy(out, s.mesh, sizeof s.mesh);
        }
        ir_op *from = mesh_is_shape_call(op) && op->n_operands
                          ? ir_value_def(op->operands[0].value)
                          : NULL;
        if (from && mesh_is_call(from, "Sharding") &&
            (ok = read_gspmd(op, ir_op_attr(op, MESH_GSPMD), ir_op_attr(from, MESH_GSPMD),
                             &s)) &&
            s.devices)
            memcpy(out, s.mesh, sizeof s.mesh);
    }
    ir_op_list_free(&all);
    return ok ||
           ir_error(module->ctx, module->loc, "Could not query meshes from gspmd module");
}

static bool add_gspmd_mesh(ir_op *module)
{
    int64_t sizes[2];
    if (!mesh_of_annotations(module, sizes))
        return false;
    if (!sizes[0])
        sizes[0] = sizes[1] = 1;
    mesh_add(module, TW_STR("mesh"), names, sizes);
    return true;
}

/* ---- arguments ---------------------------------------------------------------------- */

static const char type_name[] = "ttcore.argument_type";

static bool is_input(const ir_op *func, uint32_t i)
{
    ir_attr kind = func_arg_attr(func, i, type_name);
    const ir_attr_def *def = TTCORE_ATTR(argument_type);
    return kind == ir_enum_attr(func->ctx, def,
                                ir_enum_by_text(def->enumeration, TW_STR("input"))->value);
}

static bool any_typed(ir_op *module)
{
    for (ir_op *f = ir_op_body(module, 0)->first; f; f = f->next)
        for (uint32_t i = 0;
             mesh_is_function(f) && i < ir_op_attr(f, "function_type")->type->count; i++)
            if (func_arg_attr(f, i, type_name))
                return true;
    return false;
}

/* The rank of tensors whose first dimension is treated as the batch: that of the largest
 * input; if inputs and parameters are not distinguished, at least that of images. */
static bool batch_rank(ir_op *func, bool typed, uint32_t *out)
{
    enum { RANK_OF_IMAGES = 4 };
    ir_type type = ir_op_attr(func, "function_type")->type;
    *out = typed ? 0 : RANK_OF_IMAGES;
    for (uint32_t i = 0; i < type->count; i++) {
        if (typed && !func_arg_attr(func, i, type_name))
            return ir_op_error(func, "argument #%u has no %s, but others have", i,
                               type_name) &&
                   false;
        if ((!typed || is_input(func, i)) && sdy_rank(type->types[i]) > *out)
            *out = sdy_rank(type->types[i]);
    }
    return true;
}

static void shard_argument(ir_op *func, uint32_t i, bool split)
{
    ir_context *ctx = func->ctx;
    ir_attr axis[] = {ir_string_attr(ctx, TW_STR("batch")), NULL}, dims[SDY_MAX_DIMS];
    uint32_t rank = sdy_rank(ir_op_attr(func, "function_type")->type->types[i]);
    ir_attr ref = ir_dialect_attr(ctx, SDY_ATTR(axis_ref), axis, TW_COUNT(axis));
    ir_attr all = sdy_replicated(ctx, ir_symbol_ref(ctx, TW_STR("mesh")), rank, false);
    if (split && rank && rank <= SDY_MAX_DIMS) {
        memcpy(dims, all->params[SDY_DIMS]->items, rank * sizeof dims[0]);
        dims[0] = sdy_dim(ctx, ir_array_attr(ctx, &ref, 1), false, NULL);
        all = sdy_with(all, SDY_DIMS, ir_array_attr(ctx, dims, rank));
    }
    func_set_arg_attr(func, i, MESH_SHARDING, all);
}

static bool shard_arguments(ir_op *module, const int64_t *shape, int64_t n)
{
    bool typed = any_typed(module);
    if (n == 0)
        return ir_error(module->ctx, module->loc, "User did not provide a mesh");
    if (n != 2 || shape[0] != 1)
        return ir_error(module->ctx, module->loc,
                        "Currently, automatic arg analysis only supports 2d mesh shape and "
                        "mesh shape dim0 must be 1");
    mesh_add(module, TW_STR("mesh"), (tw_str[]){TW_STR("default"), TW_STR("batch")}, shape);
    for (ir_op *f = ir_op_body(module, 0)->first; f; f = f->next) {
        uint32_t rank;
        if (!mesh_is_function(f))
            continue;
        if (!batch_rank(f, typed, &rank))
            return false;
        ir_type type = ir_op_attr(f, "function_type")->type;
        for (uint32_t i = 0; i < type->count; i++) {
            ir_type t = type->types[i];
            bool largest = rank && sdy_rank(t) == rank;
            shard_argument(f, i, largest && (typed ? is_input(f, i) : t->dims[0] != 1));
        }
    }
    return true;
}

/* ---- the pass ----------------------------------------------------------------------- */

static bool run_analyze(ir_op *module, pass_run *run)
{
    int64_t shape[MAX_SHAPE], sizes[2] = {1, 1};
    int64_t n = pass_option_ints(run, "mesh-shape", shape, MAX_SHAPE);
    bool automatic = pass_option_bool(run, "automatic-arg-analysis");
    if (n < 0)
        return ir_error(module->ctx, module->loc,
                        "mesh-shape is a list of extents such as 2,4");
    for (int64_t i = 0; i < n; i++)
        if (shape[i] < 1)
            return ir_error(module->ctx, module->loc, "Mesh is not valid");
    if (n == 2)
        memcpy(sizes, shape, sizeof sizes);
    if (!extend_to_two_axes(module))
        return false;
    bool gspmd = mesh_has_gspmd(module);
    if (!mesh_first(module)) {
        if (gspmd && !add_gspmd_mesh(module))
            return false;
        if (!gspmd && !automatic && n == 2)
            mesh_add(module, TW_STR("mesh"), names, sizes);
    }
    if (!mesh_read_constraints(module))
        return false;
    if (mesh_has_shardy(module)) {
        if (!mesh_first(module))
            return ir_error(module->ctx, module->loc, "has shardings, but no sdy.mesh");
        if (mesh_is_solved(module))
            mesh_drop_shardings(module);
        return true;
    }
    if (automatic)
        return shard_arguments(module, shape, n);
    mesh_add(module, TW_STR("mesh"), names, sizes);
    return true;
}

const pass_def analyze_mesh_pass = {
    .name = "analyze-mesh",
    .title = "AnalyzeMeshPass",
    .summary = "Determines the mesh of a program, or adds one.",
    .anchor = "builtin.module",
    .run = run_analyze,
    .options = IR_LIST(pass_option_def, {"mesh-shape", PASS_LIST, "", "The mesh, as 2,4"},
                       {"automatic-arg-analysis", PASS_BOOL, "false",
                        "Split arguments along their batch"}),
};
