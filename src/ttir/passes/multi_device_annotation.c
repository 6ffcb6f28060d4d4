/* multi_device_annotation.c: ttir-multi-device-tensor-annotation: tensors of which every
 * device of the mesh has a part get the mesh's name as encoding. */
#include "ir/pass/pass.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttir/build.h"

#include <stdlib.h>

/* #ttcore.tensor_mesh of the module's mesh; NULL if it has none or one device. */
static ir_attr mesh_of(ir_op *module)
{
    ir_attr meshes = ir_op_attr(module, "ttcore.meshes");
    ir_attr list = meshes ? ir_attr_param(meshes, "meshes") : NULL;
    int64_t dims[8], n, volume = 1;
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || list->count == 0)
        return NULL;
    ir_attr shape = ir_attr_param(list->items[0], "shape");
    ir_attr name = ir_attr_param(list->items[0], "name");
    n = shape ? ir_attr_ints(shape, dims, TW_COUNT(dims)) : -1;
    for (int64_t i = 0; i < n && i < (int64_t)TW_COUNT(dims); i++)
        volume = dims[i] == 1 ? volume : 2;
    return name && n > 0 && volume > 1
               ? ir_dialect_attr(module->ctx, TTCORE_ATTR(tensor_mesh), &name, 1)
               : NULL;
}

static bool is_annotated(const ir_value *v)
{
    return v->type->kind == IR_TYPE_TENSOR && v->type->encoding &&
           ir_attr_is(v->type->encoding, IR_ATTR_DIALECT) &&
           v->type->encoding->def == TTCORE_ATTR(tensor_mesh);
}

static void annotate(ir_value *v, ir_attr mesh)
{
    ir_type t = v->type;
    if (t->kind == IR_TYPE_TENSOR && !t->encoding)
        v->type = ir_tensor_type(t->element, t->dims, t->count, mesh);
}

static void annotate_op(ir_op *op, ir_attr mesh)
{
    if (op->n_results == 0 || op->n_operands == 0)
        return;
    if (op->def == TTIR_OP(mesh_shard)) {
        bool divides = ir_enum_value(ir_op_attr(op, "shard_direction"), -1) ==
                       TTCORE_MeshShardDirection_FullToShard;
        annotate(divides ? ir_op_result(op, 0) : ir_op_operand(op, 0), mesh);
    } else if (is_annotated(ir_op_result(op, 0))) {
        for (uint32_t i = 0; i < op->n_operands; i++)
            annotate(ir_op_operand(op, i), mesh);
    }
}

/* The function's type as its arguments and what it returns are now. */
static void retype(ir_op *func)
{
    ir_block *entry = ir_op_body(func, 0);
    ir_op *back = entry ? entry->last : NULL;
    if (!back || back->def != FUNC_OP(return ))
        return;
    ir_type *types = tw_xcalloc(entry->n_args + back->n_operands + 1, sizeof *types);
    for (uint32_t i = 0; i < entry->n_args; i++)
        types[i] = entry->args[i]->type;
    for (uint32_t i = 0; i < back->n_operands; i++)
        types[entry->n_args + i] = ir_op_operand(back, i)->type;
    ir_op_set_attr(func, "function_type",
                   ir_type_attr(ir_function_type(func->ctx, types, entry->n_args,
                                                 types + entry->n_args, back->n_operands)));
    free(types);
}

static void annotate_func(ir_op *func, ir_attr mesh)
{
    ir_block *entry = ir_op_body(func, 0);
    for (uint32_t i = 0; entry && i < entry->n_args; i++) {
        ir_attr status = ttir_argument_attr(entry->args[i], "ttcore.shard_status");
        if (ir_attr_is(status, IR_ATTR_DIALECT) &&
            status->def == TTCORE_ATTR(shard_status) &&
            ir_enum_value(status, -1) == TTCORE_ShardStatus_Presharded)
            annotate(entry->args[i], mesh);
    }
    ir_op_list ops = ir_ops_in(func, ttir_is_op);
    for (size_t i = ops.n; i-- > 0;)
        annotate_op(ops.at[i], mesh);
    ir_op_list_free(&ops);
    retype(func);
}

static bool is_func(const ir_op *op)
{
    return op->def == FUNC_OP(func);
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_attr mesh = mesh_of(module);
    if (!mesh)
        return true;
    ir_op_list funcs = ir_ops_in(module, is_func);
    for (size_t i = 0; i < funcs.n; i++)
        annotate_func(funcs.at[i], mesh);
    ir_op_list_free(&funcs);
    return true;
}

const pass_def ttir_multi_device_annotation_pass = {
    .name = "ttir-multi-device-tensor-annotation",
    .title = "TTIRMultiDeviceTensorAnnotation",
    .summary = "Name the mesh in types of tensors that its devices have parts of",
    .anchor = "builtin.module",
    .run = run,
};
