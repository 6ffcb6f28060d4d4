/* stablehlo_syntax.c: custom attribute syntax of stablehlo. */
#include "ir/text/directive_custom.h"
#include "ir/text/fields_syntax.h"
#include "stablehlo/stablehlo.h"

/* "<" dimensions ">", or "<raw" fields ">" for numbers that fit no shape. */
ir_attr stablehlo_parse_conv(ir_parser *p, const ir_attr_def *def)
{
    ir_attr params[9];
    if (!ir_expect_punct(p, '<'))
        return NULL;
    if (ir_accept_keyword(p, "raw"))
        return ir_parse_dimension_fields_body(p, def);
    if (!ir_parse_conv_dimensions(p, params) || !ir_expect_punct(p, '>'))
        return NULL;
    return ir_dialect_attr(p->ctx, def, params, TW_COUNT(params));
}

void stablehlo_print_conv(ir_printer *p, ir_attr attr)
{
    ir_putc(p, '<');
    ir_put_conv_dimensions(p, attr->params);
    ir_putc(p, '>');
}

/* [ name "=" float "," ] */
static bool parse_tolerance(ir_parser *p, const char *name, ir_attr *out)
{
    double value = 0;
    if (ir_accept_keyword(p, name) &&
        (!ir_expect_punct(p, '=') || !ir_parse_real(p, &value) || !ir_expect_punct(p, ',')))
        return false;
    *out = ir_float_attr(ir_float_type(p->ctx, IR_F64), value);
    return true;
}

ir_attr stablehlo_parse_result_accuracy(ir_parser *p, const ir_attr_def *def)
{
    ir_attr atol, rtol;
    int64_t ulps = 0;
    if (!ir_expect_punct(p, '<') || !parse_tolerance(p, "atol", &atol) ||
        !parse_tolerance(p, "rtol", &rtol))
        return NULL;
    if (ir_accept_keyword(p, "ulps") &&
        (!ir_expect_punct(p, '=') || !ir_parse_int(p, &ulps) || !ir_expect_punct(p, ',')))
        return NULL;
    if (!ir_expect_keyword(p, "mode") || !ir_expect_punct(p, '='))
        return NULL;
    const char *at = p->tok.at;
    ir_attr mode = ir_parse_an_attr(p, NULL);
    if (mode && (mode->kind != IR_ATTR_DIALECT ||
                 mode->def != STABLEHLO_ATTR(result_accuracy_mode))) {
        ir_fail(p, at, "invalid kind of attribute specified");
        return NULL;
    }
    if (!mode || !ir_expect_punct(p, '>'))
        return NULL;
    ir_attr params[] = {atol, rtol, ir_raw_int(p->ctx, ulps), mode};
    return ir_dialect_attr(p->ctx, def, params, TW_COUNT(params));
}

static void print_tolerance(ir_printer *p, const char *name, ir_attr value)
{
    if (value && value->real != 0) {
        ir_put(p, name);
        ir_put_float(p, value);
        ir_put(p, ", ");
    }
}

void stablehlo_print_result_accuracy(ir_printer *p, ir_attr attr)
{
    ir_putc(p, '<');
    print_tolerance(p, "atol = ", attr->params[0]);
    print_tolerance(p, "rtol = ", attr->params[1]);
    if (ir_attr_int(attr->params[2], 0))
        ir_putf(p, "ulps = %lld, ", (long long)attr->params[2]->value);
    ir_put(p, "mode = ");
    ir_put_attr(p, attr->params[3]);
    ir_putc(p, '>');
}

/* #stablehlo.bounds<8, ?> is another spelling of #stablehlo.type_extensions. */
ir_attr stablehlo_parse_bounds(ir_parser *p, const ir_attr_def *def)
{
    ir_attr bounds = ir_parse_attr_format(p, def);
    return bounds ? ir_dialect_attr(p->ctx, STABLEHLO_ATTR(type_extensions), bounds->params,
                                    bounds->count)
                  : NULL;
}
