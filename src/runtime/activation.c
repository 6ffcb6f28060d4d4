/* activation.c: see activation.h. */
#include "runtime/activation.h"

#include "ttnn/ttnn.h"

static const struct {
    const char *name; /* of ttnn.linear and its like; the suffix "_approx" is dropped */
    int op_type;
    krn_strip_id fn;
    float args[2]; /* where the attribute brings none */
} functions[] = {
    {"abs", TTNN_UnaryOpType_Abs, KRN_STRIP_abs, {0}},
    {"cos", TTNN_UnaryOpType_Cos, KRN_STRIP_cos, {0}},
    {"erf", TTNN_UnaryOpType_Erf, KRN_STRIP_erf, {0}},
    {"erfc", TTNN_UnaryOpType_Erfc, KRN_STRIP_erfc, {0}},
    {"exp", TTNN_UnaryOpType_Exp, KRN_STRIP_exp, {0}},
    {"expm1", TTNN_UnaryOpType_Expm1, KRN_STRIP_expm1, {0}},
    {"gelu", TTNN_UnaryOpType_Gelu, KRN_STRIP_gelu, {0}},
    {"hardsigmoid", TTNN_UnaryOpType_Hardsigmoid, KRN_STRIP_hardsigmoid, {0}},
    {"leaky_relu", TTNN_UnaryOpType_LeakyRelu, KRN_STRIP_leaky_relu, {0.01f}},
    {"log", TTNN_UnaryOpType_Log, KRN_STRIP_log, {0}},
    {"mish", -1, KRN_STRIP_mish, {0}},
    {"neg", TTNN_UnaryOpType_Neg, KRN_STRIP_neg, {0}},
    {"reciprocal", TTNN_UnaryOpType_Recip, KRN_STRIP_reciprocal, {0}},
    {"relu6", TTNN_UnaryOpType_Relu6, KRN_STRIP_relu6, {0}},
    {"rsqrt", TTNN_UnaryOpType_Rsqrt, KRN_STRIP_rsqrt, {0}},
    {"sigmoid", TTNN_UnaryOpType_Sigmoid, KRN_STRIP_sigmoid, {0}},
    {"sign", TTNN_UnaryOpType_Sign, KRN_STRIP_sign, {0}},
    {"silu", TTNN_UnaryOpType_Silu, KRN_STRIP_silu, {0}},
    {"sin", TTNN_UnaryOpType_Sin, KRN_STRIP_sin, {0}},
    {"softplus", TTNN_UnaryOpType_SoftPlus, KRN_STRIP_softplus, {0}},
    {"sqrt", TTNN_UnaryOpType_Sqrt, KRN_STRIP_sqrt, {0}},
    {"tan", TTNN_UnaryOpType_Tan, KRN_STRIP_tan, {0}},
    {"tanh", TTNN_UnaryOpType_Tanh, KRN_STRIP_tanh, {0}},
};

static tw_str without_suffix(tw_str name)
{
    static const char suffix[] = "_approx";
    const size_t n = sizeof suffix - 1;
    if (name.size > n && memcmp(name.data + name.size - n, suffix, n) == 0)
        name.size -= n;
    return name;
}

static tw_status unknown(const ir_op *op, tw_str name)
{
    return tw_error(TW_UNSUPPORTED, "'%s' with activation '%.*s' is not implemented",
                    op->def->name, (int)name.size, name.data);
}

static tw_status read_named(const ir_op *op, tw_str name, rt_activation *out)
{
    const tw_str plain = without_suffix(name);
    if (plain.size == 0)
        return TW_SUCCESS;
    if (tw_str_is(plain, "relu")) {
        out->act = KRN_GEMM_RELU;
        return TW_SUCCESS;
    }
    for (size_t i = 0; i < TW_COUNT(functions); i++)
        if (tw_str_is(plain, functions[i].name)) {
            out->act = KRN_GEMM_CALL;
            out->fn = krn_strips()->fn[functions[i].fn];
            memcpy(out->args, functions[i].args, sizeof out->args);
            return TW_SUCCESS;
        }
    return unknown(op, name);
}

tw_status rt_activation_read(const ir_op *op, ir_attr attr, rt_activation *out)
{
    *out = (rt_activation){.act = KRN_GEMM_NONE};
    if (!attr)
        return TW_SUCCESS;
    if (ir_attr_is(attr, IR_ATTR_STRING))
        return read_named(op, ir_attr_str(attr), out);
    const int64_t type = ir_enum_value(ir_attr_param(attr, "op_type"), -1);
    ir_attr params = ir_attr_param(attr, "params");
    if (type == TTNN_UnaryOpType_Identity)
        return TW_SUCCESS;
    if (type == TTNN_UnaryOpType_Relu)
        return read_named(op, TW_STR("relu"), out);
    for (size_t i = 0; i < TW_COUNT(functions); i++)
        if (type == functions[i].op_type) {
            TW_TRY(read_named(op, tw_str_from(functions[i].name), out));
            for (size_t k = 0;
                 k < 2 && ir_attr_is(params, IR_ATTR_ARRAY) && k < params->count; k++)
                out->args[k] = (float)ir_attr_real(params->items[k], 0);
            return TW_SUCCESS;
        }
    return unknown(op, TW_STR("of ttnn.unary_with_param"));
}

void rt_activation_apply(void *context, float *values, size_t count)
{
    const rt_activation *a = context;
    for (size_t at = 0; at < count; at += KRN_STRIP) {
        const float *in[4] = {values + at, NULL, NULL, NULL};
        a->fn(in, values + at, TW_MIN((size_t)KRN_STRIP, count - at), a->args);
    }
}
