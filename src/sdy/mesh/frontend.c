/* frontend.c: convert-xla-sdy-to-sdy, and calls of front ends that request shardings.
 *
 * PyTorch/XLA passes Shardy's attributes as text: meshes on the module, shardings on
 * arguments and on calls. `mesh_idx_0` in the sharding of a call denotes the name of
 * the mesh's first axis. */
#include "sdy/mesh/frontend.h"

#include "ir/pass/pass.h"
#include "ir/text.h"
#include "mlir/func/func.h"
#include "sdy/mesh/mesh.h"
#include "stablehlo/stablehlo.h"
#include "support/strbuf.h"

static ir_attr text_at(ir_attr frontend, const char *name)
{
    ir_attr text = ir_attr_is(frontend, IR_ATTR_DICT)
                       ? ir_dict_get(frontend, tw_str_from(name))
                       : NULL;
    return ir_attr_is(text, IR_ATTR_STRING) ? text : NULL;
}

/* NULL after an error. */
static ir_attr read_sharding(ir_op *op, tw_str text)
{
    ir_attr read = ir_parse_attr(op->ctx, text);
    if (ir_attr_is(read, IR_ATTR_DIALECT) && read->def == SDY_ATTR(sharding_per_value) &&
        sdy_length(read->params[0]) == 1)
        read = read->params[0]->items[0];
    if (ir_attr_is(read, IR_ATTR_DIALECT) && read->def == SDY_ATTR(sharding))
        return read;
    ir_op_error(op, "has an xla.sdy.sharding that is no sharding: %.*s", (int)text.size,
                text.data);
    return NULL;
}

/* ---- convert-xla-sdy-to-sdy --------------------------------------------------------- */

static bool read_meshes(ir_op *module)
{
    ir_attr text = text_at(ir_op_attr(module, MESH_FRONTEND), "xla.sdy.meshes");
    if (!text)
        return true;
    ir_attr meshes = ir_parse_attr(module->ctx, ir_attr_str(text));
    ir_builder b = ir_builder_at_start(module->ctx, ir_op_body(module, 0), IR_LOC_UNKNOWN);
    for (uint32_t i = 0; ir_attr_is(meshes, IR_ATTR_DICT) && i < meshes->count; i++) {
        ir_attr mesh = meshes->entries[i].value;
        if (!ir_attr_is(mesh, IR_ATTR_DIALECT) || mesh->def != SDY_ATTR(mesh))
            continue;
        uint32_t n = sdy_length(mesh->params[0]);
        if (n < 1 || n > 2)
            return ir_error(module->ctx, module->loc,
                            "Unsupported mesh configuration: only 1D and 2D meshes are "
                            "supported");
        ir_attr name = ir_string_attr_ident(module->ctx, meshes->entries[i].name);
        ir_build_op(&b, SDY_OP(mesh), NULL, 0, NULL, 0,
                    IR_ATTRS({"sym_name", name}, {"mesh", mesh}), 0);
    }
    return ir_attr_is(meshes, IR_ATTR_DICT) ||
           ir_error(module->ctx, module->loc, "xla.sdy.meshes is no dictionary of meshes");
}

static bool read_arguments(ir_op *func)
{
    uint32_t n = ir_op_attr(func, "function_type")->type->count;
    for (uint32_t i = 0; i < n; i++) {
        ir_attr text = text_at(func_arg_attr(func, i, MESH_FRONTEND), "xla.sdy.sharding");
        ir_attr sharding = text ? read_sharding(func, ir_attr_str(text)) : NULL;
        if (text && !sharding)
            return false;
        if (!text)
            continue;
        func_set_arg_attr(func, i, MESH_FRONTEND, NULL);
        func_set_arg_attr(func, i, MESH_GSPMD, NULL);
        func_set_arg_attr(func, i, MESH_SHARDING, sharding);
    }
    return true;
}

static bool has_text(const ir_op *func)
{
    for (uint32_t i = 0;
         mesh_is_function(func) && i < ir_op_attr(func, "function_type")->type->count; i++)
        if (text_at(func_arg_attr(func, i, MESH_FRONTEND), "xla.sdy.sharding"))
            return true;
    return false;
}

static bool run_frontend(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list all = ir_ops_in(module, has_text);
    bool ok = !all.n || read_meshes(module);
    for (size_t i = 0; i < all.n && ok; i++)
        ok = read_arguments(all.at[i]);
    if (all.n && ok)
        ir_op_set_attr(module, MESH_FRONTEND, NULL);
    ir_op_list_free(&all);
    return ok;
}

const pass_def convert_xla_sdy_to_sdy_pass = {
    .name = "convert-xla-sdy-to-sdy",
    .title = "ConvertXlaSdyToSdyPass",
    .summary = "Converts Shardy attributes that front ends write as text.",
    .anchor = "builtin.module",
    .run = run_frontend,
};

/* ---- calls -------------------------------------------------------------------------- */

/* Replaces placeholders in the text by the names of the mesh's axes. */
static void put_names(tw_str text, ir_attr axes, tw_strbuf *out)
{
    static const char word[] = "mesh_idx_";
    size_t n = sizeof word - 1;
    for (size_t i = 0; i < text.size; i++) {
        bool found = i + n < text.size && memcmp(text.data + i, word, n) == 0 &&
                     text.data[i + n] >= '0' && text.data[i + n] <= '9';
        uint32_t axis = found ? (uint32_t)(text.data[i + n] - '0') : 0;
        if (found && axis < sdy_length(axes)) {
            tw_strbuf_str(out, ir_attr_str(axes->items[axis]->params[0]));
            i += n;
        } else {
            tw_strbuf_str(out, (tw_str){text.data + i, 1});
        }
    }
}

static bool read_call(ir_op *op, ir_attr axes, bool *is_result)
{
    ir_attr text = text_at(ir_op_attr(op, MESH_FRONTEND), "xla.sdy.sharding");
    if (!text || op->n_operands != 1 || op->n_results != 1)
        return true; /* GSPMD's own */
    tw_strbuf named = {0};
    put_names(ir_attr_str(text), mesh_is_call(op, "tt.sharding_constraint") ? axes : NULL,
              &named);
    ir_attr sharding = read_sharding(op, (tw_str){named.data, named.size});
    tw_strbuf_free(&named);
    if (!sharding)
        return false;
    ir_builder b = ir_builder_after(op);
    ir_value *made =
        ir_build1(&b, SDY_OP(sharding_constraint), op->results[0].type,
                  IR_VALUES(op->operands[0].value), IR_ATTRS({"sharding", sharding}));
    ir_value_replace_uses(&op->results[0], made);
    *is_result |= mesh_is_call(op, "xla.sdy.FuncResultSharding");
    ir_op_erase(op);
    return true;
}

static bool demands(const ir_op *op)
{
    return mesh_is_call(op, "Sharding") || mesh_is_call(op, "tt.sharding_constraint") ||
           mesh_is_call(op, "xla.sdy.FuncResultSharding");
}

/* Removes GSPMD's sharding of results that have a Shardy constraint. */
static void drop_result_texts(ir_op *module)
{
    for (ir_op *f = ir_op_body(module, 0)->first; f; f = f->next)
        for (uint32_t i = 0;
             mesh_is_function(f) && i < ir_op_attr(f, "function_type")->type->results; i++)
            if (func_result_attr(f, i, MESH_GSPMD))
                func_set_result_attr(f, i, MESH_GSPMD, NULL);
}

bool mesh_read_constraints(ir_op *module)
{
    ir_op *mesh = mesh_first(module);
    ir_attr axes = mesh ? ir_op_attr(mesh, "mesh")->params[0] : NULL;
    ir_op_list all = ir_ops_in(module, demands);
    bool ok = true, is_result = false;
    for (size_t i = 0; i < all.n && ok; i++)
        ok = read_call(all.at[i], axes, &is_result);
    ir_op_list_free(&all);
    if (is_result)
        drop_result_texts(module);
    return ok;
}
