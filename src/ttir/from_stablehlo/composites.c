/* composites.c: converts composites that TTIR has as one operation; the others stay, to
 * be replaced by their decomposition. */
#include "ttcore/ttcore.h"
#include "ttir/from_stablehlo/mesh.h"
#include "ttir/from_stablehlo/stablehlo_to_ttir.h"

enum { CAPACITY = 32 };

/* The composite's attribute dictionary, also of calls that represent composites. */
static ir_attr dictionary(const ir_op *op)
{
    return ir_op_attr(op, op->def == STABLEHLO_OP(composite) ? "composite_attributes"
                                                             : "tt.composite_attributes");
}

static tw_str name_of(const ir_op *op)
{
    ir_attr name =
        ir_op_attr(op, op->def == STABLEHLO_OP(composite) ? "name" : "call_target_name");
    return ir_attr_is(name, IR_ATTR_STRING) ? ir_attr_str(name) : (tw_str){0};
}

static ir_attr own(const ir_op *op, const char *name)
{
    ir_attr dict = dictionary(op);
    return dict ? ir_dict_get(dict, tw_str_from(name)) : NULL;
}

static bool to_gelu(ir_op *op, ir_builder *b)
{
    if (op->n_operands != 1)
        return false;
    ir_attr approximate = own(op, "approximate");
    tw_str form =
        tw_str_is(name_of(op), "tenstorrent.gelu") ? TW_STR("none") : TW_STR("tanh");
    if (ir_attr_is(approximate, IR_ATTR_STRING))
        form = ir_attr_str(approximate);
    if (!tw_str_is(form, "none") && !tw_str_is(form, "tanh"))
        return false;
    ir_value *y = ir_build1(b, TTIR_OP(gelu), op->results[0].type,
                            IR_VALUES(op->operands[0].value), NULL, 0);
    /* The approximation by tanh is marked; ttir-to-ttir-decomposition writes it out. */
    if (tw_str_is(form, "tanh"))
        ir_op_set_attr(ir_value_def(y), "approximate", ir_string_attr(b->ctx, form));
    return s2t_done(op, y);
}

static bool to_norm(ir_op *op, ir_builder *b, const ir_op_def *def)
{
    int64_t shape[CAPACITY];
    ir_attr sizes = own(op, "normalized_shape"), epsilon = own(op, "epsilon");
    int64_t n = sizes ? ir_attr_ints(sizes, shape, CAPACITY) : -1;
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
    ir_type element = ir_type_element(index->type);
    if (element->kind != IR_TYPE_INTEGER)
        return false;
    if (element->sign != IR_UNSIGNED || (element->width != 32 && element->width != 16))
        index = ir_build1(b, TTIR_OP(typecast),
                          ir_tensor_type(ui32, index->type->dims, index->type->count, NULL),
                          IR_VALUES(index),
                          IR_ATTRS({"conservative_folding", ir_bool_attr(b->ctx, false)}));
    return s2t_done(op,
                    ir_build1(b, TTIR_OP(gather), op->results[0].type, IR_VALUES(x, index),
                              IR_ATTRS({"dim", ir_i32_attr(b->ctx, ir_attr_int(dim, 0))})));
}

/* Whether `result` has the shape of `x` reduced along its last dimension. */
static bool reduced_last(ir_type x, ir_type result, bool keep)
{
    if (x->count == 0 || result->count + !keep != x->count)
        return false;
    for (uint32_t i = 0; i + 1 < x->count; i++)
        if (result->dims[i] != x->dims[i])
            return false;
    return !keep || result->dims[x->count - 1] == 1;
}

static bool to_argmax(ir_op *op, ir_builder *b)
{
    ir_attr at = own(op, "dim"), keep = own(op, "keepdim");
    int64_t dim = ir_attr_int(at, -1);
    if (op->n_operands != 1)
        return false;
    if (!at && !reduced_last(op->operands[0].value->type, op->results[0].type,
                             keep && ir_attr_bool(keep)))
        return false; /* over all elements: left to the decomposition */
    return s2t_done(
        op,
        ir_build1(b, TTIR_OP(argmax), op->results[0].type, IR_VALUES(op->operands[0].value),
                  IR_ATTRS({"dim_arg", ir_i32_array_attr(b->ctx, &dim, 1)},
                           {"keep_dim", keep ? keep : ir_bool_attr(b->ctx, false)})));
}

/* Reads the floats that the row of `def` declares, by name; false if one is missing. */
static bool own_floats(const ir_op *op, const char *const *names, size_t n,
                       ir_attr_by_name *out)
{
    for (size_t i = 0; i < n; i++) {
        ir_attr a = own(op, names[i]);
        if (!ir_attr_is(a, IR_ATTR_FLOAT))
            return false;
        out[i] = (ir_attr_by_name){names[i], ir_f32_attr(op->ctx, ir_attr_real(a, 0))};
    }
    return true;
}

static bool replace_all(ir_op *op, ir_op *by)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_value_replace_uses(&op->results[i], ir_op_result(by, i));
    ir_op_erase(op);
    return true;
}

/* Converts to an operation with the same operands and results. */
static bool to_same(ir_op *op, ir_builder *b, const ir_op_def *def,
                    const ir_attr_by_name *attrs, size_t n_attrs)
{
    ir_value *operands[CAPACITY];
    ir_type types[CAPACITY];
    if (op->n_operands > CAPACITY || op->n_results > CAPACITY)
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        operands[i] = op->operands[i].value;
    for (uint32_t i = 0; i < op->n_results; i++)
        types[i] = op->results[i].type;
    return replace_all(op, ir_build_op(b, def, types, op->n_results, operands,
                                       op->n_operands, attrs, n_attrs, 0));
}

static bool to_adamw(ir_op *op, ir_builder *b)
{
    static const char *const names[] = {"lr",        "beta1",   "beta2",       "beta1_pow",
                                        "beta2_pow", "epsilon", "weight_decay"};
    ir_attr_by_name attrs[TW_COUNT(names) + 1];
    ir_attr rounding = own(op, "stochastic_rounding");
    if (op->n_operands < 4 || op->n_operands > 5 || op->n_results + 1 != op->n_operands ||
        !own_floats(op, names, TW_COUNT(names), attrs))
        return false;
    attrs[TW_COUNT(names)] = (ir_attr_by_name){
        "stochastic_rounding", rounding ? rounding : ir_bool_attr(b->ctx, false)};
    return to_same(op, b, TTIR_OP(adamw), attrs, TW_COUNT(attrs));
}

/* mask_type: 0 none, 1 causal, 2 arbitrary; only the last has a mask operand. */
static bool to_training_attention(ir_op *op, ir_builder *b)
{
    bool forward = op->n_operands <= 4;
    int64_t mask =
        ir_attr_int(own(op, "mask_type"), forward ? TTCORE_AttentionMaskType_Causal
                                                  : TTCORE_AttentionMaskType_Arbitrary);
    uint32_t required = forward ? 3 : 6;
    bool arbitrary = mask == TTCORE_AttentionMaskType_Arbitrary;
    if (mask < 0 || mask > 2 || op->n_operands != required + arbitrary ||
        (forward ? op->n_results > 2 : op->n_results != 3))
        return false;
    ir_attr kind = ir_enum_attr(b->ctx, TTCORE_ATTR(attention_mask_type), mask);
    ir_attr dropout = ir_f32_attr(b->ctx, ir_attr_real(own(op, "dropout_probability"), 0));
    ir_attr both = forward ? ir_bool_attr(b->ctx, op->n_results == 2) : NULL;
    return to_same(op, b, forward ? TTIR_OP(sdpa_fw) : TTIR_OP(sdpa_bw),
                   IR_ATTRS({"mask_type", kind}, {"dropout_probability", dropout},
                            {"return_intermediates", both}));
}

/* Both results are created; the one that the composite lacks is unused. */
static bool to_topk(ir_op *op, ir_builder *b)
{
    tw_str name = name_of(op);
    bool indices_only = tw_str_is(name, "tenstorrent.topk_indices");
    uint32_t n = tw_str_is(name, "tenstorrent.topk") ? 2 : 1;
    ir_attr sorted = own(op, "sorted"), largest = own(op, "largest");
    if (op->n_operands != 1 || op->n_results != n || !dictionary(op))
        return false;
    const bool sorts = op->def == STABLEHLO_OP(custom_call); /* custom calls' default */
    ir_value *x = op->operands[0].value;
    ir_type t = op->results[0].type;
    ir_type types[] = {
        indices_only ? ir_type_with_element(t, ir_type_element(x->type)) : t,
        n == 2         ? op->results[1].type
        : indices_only ? t
                       : ir_type_with_element(t, ir_integer_type(b->ctx, 32, IR_SIGNLESS))};
    ir_op *topk =
        ir_build_op(b, TTIR_OP(topk), types, 2, &x, 1,
                    IR_ATTRS({"k", ir_i32_attr(b->ctx, ir_attr_int(own(op, "k"), 1))},
                             {"dim", ir_i32_attr(b->ctx, ir_attr_int(own(op, "dim"), -1))},
                             {"largest", largest ? largest : ir_bool_attr(b->ctx, true)},
                             {"sorted", sorted ? sorted : ir_bool_attr(b->ctx, sorts)}),
                    0);
    if (n == 2)
        return replace_all(op, topk);
    return s2t_done(op, ir_op_result(topk, indices_only));
}

/* v with unit dimensions prepended or appended, up to rank four. */
static ir_value *to_rank_four(ir_builder *b, ir_value *v, bool append)
{
    int64_t dims[4];
    uint32_t rank = v->type->count, extra = 4 - rank;
    if (rank == 4)
        return v;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t from = append ? i : i - extra;
        dims[i] = from < rank ? v->type->dims[from] : 1;
    }
    return s2t_reshape(b, v, dims, 4);
}

static bool to_group_norm(ir_op *op, ir_builder *b)
{
    int64_t groups;
    ir_attr n = own(op, "num_groups"), channel = own(op, "channel_dim");
    ir_type t = op->results[0].type;
    if (op->n_operands < 1 || op->n_operands > 3 || op->n_results != 1 || !n || !channel ||
        t->count > 4)
        return false;
    if (ir_attr_is(n, IR_ATTR_INTEGER))
        groups = n->value;
    else if (ir_attr_ints(n, &groups, 1) != 1)
        return false;
    ir_value *x = to_rank_four(b, op->operands[0].value, true);
    ir_value *operands[] = {x, NULL, op->n_operands > 1 ? op->operands[1].value : NULL,
                            op->n_operands > 2 ? op->operands[2].value : NULL};
    ir_type type = ir_type_with_shape(t, x->type->dims, x->type->count);
    ir_op *norm =
        ir_build_op(b, TTIR_OP(group_norm), &type, 1, operands, 4,
                    IR_ATTRS({"num_groups", ir_i64_attr(b->ctx, groups)},
                             {"epsilon", own(op, "epsilon")}, {"channel_dim", channel}),
                    0);
    return s2t_done(op, s2t_reshape(b, ir_op_result(norm, 0), t->dims, t->count));
}

/* Inserts a unit head dimension if there is no batch or head dimension. */
static ir_value *with_heads(ir_builder *b, ir_value *v)
{
    const int64_t *d = v->type->dims;
    const int64_t dims[] = {d[0], 1, d[1], d[2]};
    return s2t_reshape(b, v, dims, 4);
}

static bool to_attention(ir_op *op, ir_builder *b)
{
    ir_value *operands[5] = {0};
    ir_type t = op->results[0].type, type = t;
    ir_attr causal = own(op, "is_causal"), scale = own(op, "scale");
    if (op->n_operands < 3 || op->n_operands > 4 || op->n_results != 1)
        return false;
    uint32_t rank = op->operands[0].value->type->count;
    bool masked = op->n_operands == 4;
    if (masked && (!causal || ir_attr_bool(causal)))
        return false; /* ttir's causal attention takes no mask: the decomposition has both
                       */
    if ((rank != 3 && rank != 4) || (masked && op->operands[3].value->type->count > 4))
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        if (op->operands[i].value->type->count != rank)
            return false;
        operands[i] = op->operands[i].value;
        if (rank == 3)
            operands[i] = with_heads(b, operands[i]);
    }
    if (masked) {
        ir_value *mask = op->operands[3].value;
        operands[3] = rank == 3 && mask->type->count == 3 ? with_heads(b, mask)
                                                          : to_rank_four(b, mask, false);
    }
    if (rank == 3) {
        const int64_t dims[] = {t->dims[0], 1, t->dims[1], t->dims[2]};
        type = ir_type_with_shape(t, dims, 4);
    }
    ir_op *made = ir_build_op(
        b, TTIR_OP(scaled_dot_product_attention), &type, 1, operands, 5,
        IR_ATTRS({"is_causal", causal},
                 {"scale", scale ? ir_f32_attr(b->ctx, ir_attr_real(scale, 1)) : NULL}),
        0);
    return s2t_done(op, s2t_reshape(b, ir_op_result(made, 0), t->dims, t->count));
}

static const struct {
    const char *name;
    s2t_fn *convert;
    bool called; /* a custom call of that name exists, too: the form in sharded programs */
} table[] = {
    {"sdy.all_slice", s2t_slice_composite, false},
    {"tenstorrent.adamw", to_adamw, false},
    {"tenstorrent.argmax", to_argmax, true},
    {"tenstorrent.gather", to_gather, true},
    {"tenstorrent.gather_dim", to_gather, true},
    {"tenstorrent.gelu", to_gelu, false},
    {"tenstorrent.gelu_tanh", to_gelu, false},
    {"tenstorrent.group_norm", to_group_norm, false},
    {"tenstorrent.layer_norm", to_layer_norm, false},
    {"tenstorrent.rms_norm", to_rms_norm, true},
    {"tenstorrent.scaled_dot_product_attention", to_attention, true},
    {"tenstorrent.sdpa_bw", to_training_attention, false},
    {"tenstorrent.sdpa_fw", to_training_attention, false},
    {"tenstorrent.topk", to_topk, true},
    {"tenstorrent.topk_indices", to_topk, true},
    {"tenstorrent.topk_values", to_topk, true},
};

static ir_walk visit(ir_op *op, void *user)
{
    const bool call =
        op->def == STABLEHLO_OP(custom_call) && ir_op_attr(op, "tt.has_custom_sharding");
    (void)user;
    if (op->def != STABLEHLO_OP(composite) && !call)
        return IR_WALK_ON;
    tw_str name = name_of(op);
    for (size_t i = 0; i < TW_COUNT(table); i++)
        if (tw_str_is(name, table[i].name) && (table[i].called || !call)) {
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
