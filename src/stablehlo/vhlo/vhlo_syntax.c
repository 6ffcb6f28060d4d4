/* vhlo_syntax.c: custom attribute syntax of vhlo.
 *
 * Numbers are written with builtin types, `#vhlo.integer_v1<7 : i32>`, and stored with
 * the vhlo type beside the builtin attribute that holds the value. */
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "stablehlo/vhlo/vhlo.h"
#include "stablehlo/vhlo/vhlo_types.h"

/* Keys must be string attributes of this dialect, and values attributes of it. */
bool vhlo_verify_dict(ir_context *ctx, ir_loc loc, ir_attr attr)
{
    ir_attr pairs = attr->params[0];
    for (uint32_t i = 0; pairs && i < pairs->count; i++)
        for (int k = 0; k < 2; k++) {
            ir_attr a = pairs->items[i]->items[k];
            if (!ir_attr_is(a, IR_ATTR_DIALECT) ||
                strncmp(a->def->mnemonic, "vhlo.", 5) != 0)
                return ir_error(ctx, loc, "expected VHLO %s attribute",
                                k ? "value" : "key");
        }
    return true;
}

bool vhlo_verify_result_accuracy(ir_context *ctx, ir_loc loc, ir_attr attr)
{
    ir_attr mode = ir_attr_param(attr, "mode");
    return (ir_attr_is(mode, IR_ATTR_DIALECT) &&
            mode->def == VHLO_ATTR(result_accuracy_mode_v1)) ||
           ir_error(ctx, loc, "expected VHLO result accuracy mode");
}

static bool is_vhlo_type(ir_type type)
{
    return type->kind == IR_TYPE_DIALECT && strncmp(type->def->mnemonic, "vhlo.", 5) == 0;
}

/* Types among the parameters, also in lists, must be of this dialect. */
static bool own_types(const ir_attr *params, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ir_attr_is(params[i], IR_ATTR_TYPE) && !is_vhlo_type(params[i]->type))
            return false;
        if (ir_attr_is(params[i], IR_ATTR_ARRAY) &&
            !own_types(params[i]->items, params[i]->count))
            return false;
    }
    return true;
}

bool vhlo_verify_typed(ir_context *ctx, ir_loc loc, ir_attr attr)
{
    return own_types(attr->params, 1) || ir_error(ctx, loc, "expected VHLO type");
}

bool vhlo_verify_parts(ir_context *ctx, ir_loc loc, ir_type type)
{
    return own_types(type->params, type->def->params.count) ||
           ir_error(ctx, loc, "expected VHLO type%s", type->count > 1 ? "s" : "");
}

bool vhlo_verify_tensor_type(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_attr encoding = type->params[2];
    bool own = !encoding || (ir_attr_is(encoding, IR_ATTR_DIALECT) &&
                             strncmp(encoding->def->mnemonic, "vhlo.", 5) == 0);
    return (own && own_types(type->params, 2)) ||
           ir_error(ctx, loc, "expected VHLO type or attribute");
}

/* "<" attribute ">" of one kind; the parameters are the vhlo type and the attribute. */
static ir_attr parse_valued(ir_parser *p, const ir_attr_def *def, ir_attr_kind kind)
{
    if (!ir_expect_punct(p, '<'))
        return NULL;
    const char *at = p->tok.at;
    ir_attr value = ir_parse_an_attr(p, NULL);
    if (!value)
        return NULL;
    if (value->kind != kind) {
        ir_fail(p, at, "invalid kind of attribute specified");
        return NULL;
    }
    ir_type type = vhlo_type_from(value->type);
    if (!type) {
        ir_fail(p, at, "type '%s' has no vhlo counterpart",
                ir_type_text(p->ctx, value->type));
        return NULL;
    }
    ir_attr params[] = {ir_type_attr(type), value};
    return ir_expect_punct(p, '>') ? ir_dialect_attr(p->ctx, def, params, TW_COUNT(params))
                                   : NULL;
}

ir_attr vhlo_parse_integer(ir_parser *p, const ir_attr_def *def)
{
    return parse_valued(p, def, IR_ATTR_INTEGER);
}

ir_attr vhlo_parse_tensor(ir_parser *p, const ir_attr_def *def)
{
    return parse_valued(p, def, IR_ATTR_DENSE);
}

void vhlo_print_valued(ir_printer *p, ir_attr attr)
{
    ir_putc(p, '<');
    ir_put_attr(p, attr->params[1]);
    ir_putc(p, '>');
}
