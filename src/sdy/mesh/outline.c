/* outline.c: outlines adjacent operations into a function. */
#include "mlir/func/func.h"
#include "sdy/mesh/mesh.h"

#include <stdlib.h>

static void drop_marks(ir_op *op)
{
    static const char *const marks[] = {
        "reoutline.group",      "reoutline.seed",       "reoutline.orig_name",
        "reoutline.comp_attrs", "reoutline.result_pos", "reoutline.arg_operand_indices",
    };
    for (size_t i = 0; i < TW_COUNT(marks); i++)
        if (ir_op_attr(op, marks[i]))
            ir_op_set_attr(op, marks[i], NULL);
}

ir_op *mesh_outline(ir_op *module, tw_str name, ir_value *const *captures,
                    size_t n_captures, ir_value *const *escapes, size_t n_escapes,
                    ir_op *const *ops, size_t n_ops)
{
    ir_context *ctx = module->ctx;
    ir_type *types = tw_xmalloc((n_captures + n_escapes + 1) * sizeof *types);
    for (size_t i = 0; i < n_captures; i++)
        types[i] = captures[i]->type;
    for (size_t i = 0; i < n_escapes; i++)
        types[n_captures + i] = escapes[i]->type;
    ir_type type = ir_function_type(ctx, types, n_captures, types + n_captures, n_escapes);
    ir_builder b = ir_builder_at_end(ctx, ir_op_body(module, 0), module->loc);
    ir_op *func = func_create(&b, ir_string_attr(ctx, name), type, true);
    ir_block *body = func_add_body(func);
    ir_mapping *map = ir_mapping_create();
    for (size_t i = 0; i < n_captures; i++)
        ir_mapping_set(map, captures[i], body->args[i]);
    for (size_t i = 0; i < n_ops; i++) {
        ir_op *copy = ir_op_clone(ops[i], map);
        drop_marks(copy);
        ir_block_append(body, copy);
    }
    ir_value **given = tw_xmalloc((n_escapes + 1) * sizeof *given);
    for (size_t i = 0; i < n_escapes; i++)
        given[i] = ir_mapping_get(map, escapes[i]);
    ir_builder end = ir_builder_at_end(ctx, body, module->loc);
    ir_build_op(&end, FUNC_OP(return ), NULL, 0, given, n_escapes, NULL, 0, 0);
    ir_mapping_free(map);
    free(given);
    free(types);
    return func;
}
