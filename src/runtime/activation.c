/* activation.c: see activation.h. */
#include "runtime/activation.h"

#include "ttnn/ttnn.h"

/* What the table says instead of a case of UnaryOpType. */
enum { TTNN_UnaryOpType_named = -1, TTNN_UnaryOpType_none = -2 };

/* clang-format off */
static const struct {
    const char *name; /* of ttnn.linear and its like; the suffix "_approx" is dropped */
    int op_type;
    krn_strip_id fn;
} functions[] = {
#define TTNN_ELEMENTWISE(ttnn, form, call, strip, whole, activation, ...)                  \
    {#ttnn, TTNN_UnaryOpType_##activation, KRN_STRIP_##strip},
#include "ttnn/elementwise.def"
    {"softplus", TTNN_UnaryOpType_SoftPlus, KRN_STRIP_softplus},
};
/* clang-format on */

/* The slope of leaky_relu where the attribute brings none. */
static const float default_slope = 0.01f;

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
        if (functions[i].op_type != TTNN_UnaryOpType_none &&
            tw_str_is(plain, functions[i].name)) {
            out->act = KRN_GEMM_CALL;
            out->fn = krn_strips()->fn[functions[i].fn];
            out->args[0] = functions[i].fn == KRN_STRIP_leaky_relu ? default_slope : 0;
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
        if (type >= 0 && type == functions[i].op_type) {
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
