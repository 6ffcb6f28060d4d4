/* tosa_syntax.c: the hand-written text of tosa: enums without their dialect, branches and
 * variables.  Loops are written as scf's. */
#include "mlir/shared/control_syntax.h"
#include "mlir/shared/shape_checks.h"
#include "mlir/tosa/tosa.h"
#include "mlir/tosa/tosa_hooks.h"

/* ---- ssa-list [ "{" name "=" (case | attr), ... "}" ] ":" fn-type -------------------- */

/* The row of an operation's enum attribute of that name, NULL if it is not one. */
static const ir_attr_def *enum_of(const ir_op_def *def, tw_str name)
{
    for (uint32_t i = 0; i < def->attrs.count; i++) {
        const ir_constraint *c = def->attrs.at[i].type;
        for (size_t k = 0; tw_str_is(name, def->attrs.at[i].name) && k < 4; k++)
            if (c->enumeration && c->enumeration == tosa_attrs[k].enumeration)
                return &tosa_attrs[k];
    }
    return NULL;
}

static bool parse_entry(ir_parser *p, ir_parsed_op *op)
{
    tw_str name;
    int64_t value;
    if (!ir_parse_keyword_or_string(p, &name) || !ir_expect_punct(p, '='))
        return false;
    const ir_attr_def *def = enum_of(op->def, name);
    bool bare = def && p->tok.kind == IR_TOK_BARE_ID;
    if (bare && !ir_enum_by_text(def->enumeration, ir_tok_str(p)))
        return ir_fail_own(p, p->tok.at, "invalid %s value: %.*s",
                           def == TOSA_ATTR(resize_mode) ? "resize mode"
                                                         : def->mnemonic + strlen("tosa."),
                           (int)p->tok.size, p->tok.at);
    if (bare && !ir_parse_enum(p, def->enumeration, &value))
        return false;
    ir_attr attr = bare ? ir_enum_attr(p->ctx, def, value) : ir_parse_an_attr(p, NULL);
    if (attr)
        ir_attr_list_add(p, &op->attrs, ir_ident_get(p->ctx, name), attr);
    return attr != NULL;
}

void tosa_enums_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list inputs = {0}, results = {0};
    const char *at = p->tok.at;
    if (!ir_parse_ssa_list(p, &uses))
        return;
    if (ir_accept_punct(p, '{') && !ir_accept_punct(p, '}')) {
        do {
            if (!parse_entry(p, op))
                return;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, '}'))
            return;
    }
    if (!ir_expect_punct(p, ':') || !ir_parse_fn_type(p, &inputs, &results) ||
        !ir_add_operands(p, op, &uses, inputs.at, inputs.count, at))
        return;
    ir_add_results(p, op, &results);
}

/* An enum is written as its bare case only under the name that is read that way. */
static void put_entry(ir_printer *p, const ir_op_def *op, const char *name, ir_attr value,
                      bool *first)
{
    const ir_attr_def *own = enum_of(op, tw_str_from(name));
    bool is_own = own && value->kind == IR_ATTR_DIALECT && value->def == own &&
                  own->enumeration != &tosa_enum_BlockSize;
    const ir_enum_case *bare =
        is_own ? ir_enum_by_value(own->enumeration, ir_enum_value(value, 0)) : NULL;
    ir_put(p, *first ? " {" : ", ");
    *first = false;
    ir_put_keyword_or_string(p, tw_str_from(name));
    ir_put(p, " = ");
    if (bare)
        ir_put(p, bare->text);
    else
        ir_put_attr(p, value);
}

void tosa_enums_print(ir_printer *p, ir_op *op)
{
    const ir_op_def *def = op->def;
    ir_attr all = op->attrs;
    bool first = true;
    for (uint32_t i = 0; i < def->attrs.count; i++) {
        const ir_attr_use *use = &def->attrs.at[i];
        bool is_default = use->type->enumeration == &tosa_enum_NanPropagationMode &&
                          ir_enum_value(op->props[i], 0) == 1;
        if (op->props[i] && !is_default)
            all =
                ir_dict_set(op->ctx, all, ir_ident_from(op->ctx, use->name), op->props[i]);
    }
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, op->n_operands);
    for (uint32_t i = 0; all && i < all->count; i++)
        put_entry(p, def, all->entries[i].name->text, all->entries[i].value, &first);
    ir_put(p, first ? " : " : "} : ");
    ir_put_functional_type(p, op);
}

/* ---- cond_if: ssa [ carried ] ":" type (fn-type | [ "->" types ]) region "else" region */

/* The names of carried values appear only in the text: each region has arguments of its
 * own. */
static bool parse_types(ir_parser *p, ir_parsed_op *op, const ir_carried *carried)
{
    ir_type_list inputs = {0}, results = {0};
    if (!carried) {
        if (p->tok.kind == IR_TOK_ARROW && !ir_parse_arrow_types(p, &results))
            return false;
        ir_add_results(p, op, &results);
        return true;
    }
    if (!ir_parse_fn_type(p, &inputs, &results))
        return false;
    if (inputs.count != carried->count)
        return ir_fail_own(p, p->tok.at,
                           "expected as many input types as operands (expected %u got %u)",
                           carried->count, inputs.count);
    for (uint32_t i = 0; i < carried->count; i++)
        if (!ir_add_operand(p, op, carried->starts[i], inputs.at[i]))
            return false;
    ir_add_results(p, op, &results);
    return true;
}

void tosa_cond_if_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use condition;
    ir_carried carried = {0};
    if (!ir_parse_ssa(p, &condition))
        return;
    bool has_inputs = ir_at_punct(p, '(');
    if (has_inputs && !ir_parse_carried(p, &carried))
        return;
    ir_type type = ir_parse_colon_type(p);
    if (!type || !ir_add_operand(p, op, condition, type) ||
        !parse_types(p, op, has_inputs ? &carried : NULL) ||
        !ir_parse_op_region(p, op, NULL, 0))
        return;
    if (!ir_accept_keyword(p, "else"))
        ir_add_empty_region(p, op);
    else if (!ir_parse_op_region(p, op, NULL, 0))
        return;
    ir_parse_op_attr_dict(p, op);
}

void tosa_cond_if_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_value(p, ir_op_operand(op, 0));
    if (op->n_operands > 1) {
        ir_putc(p, ' ');
        ir_put_carried(p, ir_op_body(op, 0), 0, op, 1, op->n_operands - 1);
    }
    ir_put(p, " : ");
    ir_put_type(p, ir_op_operand(op, 0)->type);
    if (op->n_operands > 1) {
        ir_put(p, " (");
        ir_put_operand_types(p, op, 1, op->n_operands - 1);
        ir_putc(p, ')');
    }
    ir_put_arrow_results(p, op);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], true, true);
    if (op->regions[1].first) {
        ir_put(p, " else ");
        ir_put_region(p, &op->regions[1], true, true);
    }
    ir_put_op_attr_dict(p, op, NULL, 0);
}

/* ---- variable: @name attr-dict ( "=" attr | ":" type [ "=" attr ] ) ------------------ */

/* Both are written if the value does not determine the type. */
static bool parse_value_and_type(ir_parser *p, ir_attr *value, ir_type *type)
{
    if (ir_accept_punct(p, '=')) {
        *value = ir_parse_an_attr(p, NULL);
        *type = *value ? ir_attr_value_type(*value) : NULL;
        return *type || (*value && ir_fail_own(p, p->tok.at, "expected Typed attr"));
    }
    *type = ir_parse_colon_type(p);
    if (*type && ir_accept_punct(p, '='))
        return (*value = ir_parse_an_attr(p, NULL)) != NULL;
    return *type != NULL;
}

void tosa_variable_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_attr name, value = NULL;
    ir_type type;
    if (!ir_parse_symbol_name(p, &name) || !ir_parse_op_attr_dict(p, op))
        return;
    ir_add_attr(p, op, "sym_name", name);
    const char *at = p->tok.at;
    if (!parse_value_and_type(p, &value, &type))
        return;
    if (!ir_type_is_ranked(type) || type->count > SHAPE_MAX_RANK) {
        ir_fail_own(p, at,
                    ir_type_is_shaped(type) ? "expected ranked type"
                                            : "expected shaped type");
        return;
    }
    int64_t sizes[SHAPE_MAX_RANK], rank = type->count;
    for (int64_t i = 0; i < rank; i++)
        sizes[i] = type->dims[i] == IR_DYNAMIC ? -1 : type->dims[i];
    ir_type index = ir_tensor_type(ir_index_type(p->ctx), &rank, 1, NULL);
    ir_add_attr(p, op, "var_shape", ir_dense_i64(index, sizes, (size_t)rank));
    ir_add_attr(p, op, "type", ir_type_attr(type->element));
    if (value)
        ir_add_attr(p, op, "initial_value", value);
}

void tosa_variable_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"sym_name", "var_shape", "type", "initial_value"};
    int64_t sizes[SHAPE_MAX_RANK], rank = shape_ints(op, "var_shape", sizes);
    ir_attr value = ir_op_attr(op, "initial_value");
    for (int64_t i = 0; i < rank; i++)
        sizes[i] = sizes[i] < 0 ? IR_DYNAMIC : sizes[i];
    ir_type type = ir_tensor_type(ir_op_attr(op, "type")->type, sizes,
                                  rank > 0 ? (size_t)rank : 0, NULL);
    ir_putc(p, ' ');
    ir_put_symbol(p, ir_attr_str(ir_op_attr(op, "sym_name")));
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
    if (!value || ir_attr_value_type(value) != type) {
        ir_put(p, " : ");
        ir_put_type(p, type);
    }
    if (value) {
        ir_put(p, " = ");
        ir_put_attr(p, value);
    }
}
