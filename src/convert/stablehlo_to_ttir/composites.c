/* composites.c: composites whose meaning TTIR has whole become that operation; the others
 * stay, to be replaced by their decomposition. */
#include "convert/stablehlo_to_ttir/stablehlo_to_ttir.h"

enum { MOST = 32 };

/* An attribute of the composite's own dictionary. */
static ir_attr own(const ir_op *op, const char *name)
{
    ir_attr dict = ir_op_attr(op, "composite_attributes");
    return dict ? ir_dict_get(dict, tw_str_from(name)) : NULL;
}

static bool to_gelu(ir_op *op, ir_builder *b)
{
    if (op->n_operands != 1)
        return false;
    ir_attr approximate = own(op, "approximate");
    if (approximate && !tw_str_is(ir_attr_str(approximate), "none"))
        return false; /* ttir.gelu has no form of it; its decomposition is exact */
    return s2t_done(op, ir_build1(b, TTIR_OP(gelu), op->results[0].type,
                                  IR_VALUES(op->operands[0].value), NULL, 0));
}

static bool to_norm(ir_op *op, ir_builder *b, const ir_op_def *def)
{
    int64_t shape[MOST];
    ir_attr sizes = own(op, "normalized_shape"), epsilon = own(op, "epsilon");
    int64_t n = sizes ? ir_attr_ints(sizes, shape, MOST) : -1;
    if (n != 1 || op->n_operands < 1 || op->n_operands > 3)
        return false;
    ir_value *operands[3] = {0};
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    ir_op *norm = ir_build_op(
        b, def, &op->results[0].type, 1, operands, 3,
        IR_ATTRS({"normalized_shape", ir_dense_i64_array(b->ctx, shape, (size_t)n)},
                 {"epsilon", epsilon}),
        0);
    return s2t_done(op, ir_op_result(norm, 0));
}

static bool to_layer_norm(ir_op *op, ir_builder *b)
{
    return to_norm(op, b, TTIR_OP(layer_norm));
}

static bool to_rms_norm(ir_op *op, ir_builder *b)
{
    return to_norm(op, b, TTIR_OP(rms_norm));
}

static bool to_gather(ir_op *op, ir_builder *b)
{
    ir_attr dim = own(op, "dim");
    if (op->n_operands != 2 || !dim)
        return false;
    ir_value *x = op->operands[0].value, *index = op->operands[1].value;
    if (x->type->count != index->type->count || x->type->count == 0)
        return false;
    ir_type ui32 = ir_integer_type(b->ctx, 32, IR_UNSIGNED);
    if (ir_type_element(index->type) != ui32)
        index = ir_build1(b, TTIR_OP(typecast),
                          ir_tensor_type(ui32, index->type->dims, index->type->count, NULL),
                          IR_VALUES(index),
                          IR_ATTRS({"conservative_folding", ir_bool_attr(b->ctx, false)}));
    return s2t_done(op,
                    ir_build1(b, TTIR_OP(gather), op->results[0].type, IR_VALUES(x, index),
                              IR_ATTRS({"dim", ir_i32_attr(b->ctx, ir_attr_int(dim, 0))})));
}

static bool to_argmax(ir_op *op, ir_builder *b)
{
    int64_t dim = ir_attr_int(own(op, "dim"), -1);
    ir_attr keep = own(op, "keepdim");
    if (op->n_operands != 1)
        return false;
    return s2t_done(
        op,
        ir_build1(b, TTIR_OP(argmax), op->results[0].type, IR_VALUES(op->operands[0].value),
                  IR_ATTRS({"dim_arg", ir_i32_array_attr(b->ctx, &dim, 1)},
                           {"keep_dim", keep ? keep : ir_bool_attr(b->ctx, false)})));
}

static const struct {
    const char *name;
    s2t_fn *convert;
} table[] = {
    {"tenstorrent.argmax", to_argmax},     {"tenstorrent.gather", to_gather},
    {"tenstorrent.gather_dim", to_gather}, {"tenstorrent.gelu", to_gelu},
    {"tenstorrent.gelu_tanh", to_gelu},    {"tenstorrent.layer_norm", to_layer_norm},
    {"tenstorrent.rms_norm", to_rms_norm},
};

static ir_walk visit(ir_op *op, void *user)
{
    (void)user;
    if (op->def != STABLEHLO_OP(composite))
        return IR_WALK_ON;
    ir_attr name = ir_op_attr(op, "name");
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (tw_str_is(ir_attr_str(name), table[i].name)) {
            ir_builder b = ir_builder_before(op);
            table[i].convert(op, &b);
            break;
        }
    return IR_WALK_ON;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_walk_post(module, visit, NULL);
    return true;
}

const pass_def legalize_stablehlo_composite_to_ttir_pass = {
    .name = "legalize-stablehlo-composite-to-ttir",
    .summary = "Convert StableHLO composites to TTIR operations of the same meaning",
    .anchor = "builtin.module",
    .run = run,
};
