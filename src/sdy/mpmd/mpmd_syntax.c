/* mpmd_syntax.c: custom type syntax of mpmd. */
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "sdy/mpmd/mpmd.h"

enum { MESH_NAME, TENSOR, SHARDING, MEMORY_KIND, N_PARTS };

/* "memory_kind" "=" str */
static bool parse_memory_kind(ir_parser *p, ir_attr *params)
{
    tw_str text;
    if (!ir_expect_keyword(p, "memory_kind") || !ir_expect_punct(p, '=') ||
        !ir_parse_string(p, &text))
        return false;
    params[MEMORY_KIND] = ir_string_attr(p->ctx, text);
    return true;
}

/* [ "sharding" "=" body ] and [ memory-kind ], at least one of them. */
static bool parse_parts(ir_parser *p, const ir_attr_def *sharding, ir_attr *params)
{
    if (!ir_accept_keyword(p, "sharding"))
        return parse_memory_kind(p, params);
    if (!ir_expect_punct(p, '=') ||
        !(params[SHARDING] = ir_parse_stripped_attr(p, sharding)))
        return false;
    return !ir_accept_punct(p, ',') || parse_memory_kind(p, params);
}

/* "<" str "," tensor [ "," "sharding" "=" body ] [ "," "memory_kind" "=" str ] ">" */
ir_type mpmd_parse_mesh_tensor(ir_parser *p, const ir_type_def *def)
{
    ir_attr params[N_PARTS] = {0};
    const ir_attr_def *sharding =
        ir_attr_def_find(p->ctx, tw_str_from(def->params.at[SHARDING].of));
    tw_str name;
    if (!ir_expect_punct(p, '<') || !ir_parse_string(p, &name) || !ir_expect_punct(p, ','))
        return NULL;
    const char *at = p->tok.at;
    ir_type tensor = ir_parse_a_type(p);
    if (!tensor)
        return NULL;
    if (tensor->kind != IR_TYPE_TENSOR) {
        ir_fail(p, at, "invalid kind of type specified");
        return NULL;
    }
    if (!ir_accept_punct(p, '>') &&
        (!ir_expect_punct(p, ',') || !parse_parts(p, sharding, params) ||
         !ir_expect_punct(p, '>')))
        return NULL;
    params[MESH_NAME] = ir_string_attr(p->ctx, name);
    params[TENSOR] = ir_type_attr(tensor);
    return ir_dialect_type(p->ctx, def, params, N_PARTS);
}

void mpmd_print_mesh_tensor(ir_printer *p, ir_type type)
{
    ir_putc(p, '<');
    ir_put_quoted(p, ir_attr_str(type->params[MESH_NAME]));
    ir_put(p, ", ");
    ir_put_type(p, type->params[TENSOR]->type);
    if (type->params[SHARDING]) {
        ir_put(p, ", sharding=");
        ir_put_stripped_attr(p, type->params[SHARDING]);
    }
    if (type->params[MEMORY_KIND]) {
        ir_put(p, ", memory_kind=");
        ir_put_attr(p, type->params[MEMORY_KIND]);
    }
    ir_putc(p, '>');
}
