/* emitpy_verify.c: verifies that operations of the emitpy dialect can be written as
 * Python. */
#include "emitpy/emitpy.h"
#include "emitpy/emitpy_hooks.h"
#include "ir/rules/rules.h"
#include "mlir/func/func.h"

#include <ctype.h>

/* ---- names --------------------------------------------------------------------------- */

/* https://docs.python.org/3/reference/lexical_analysis.html#keywords */
static bool is_keyword(tw_str name)
{
    static const char *const keywords[] = {
        "False",  "None",   "True",    "and",      "as",       "assert", "async",
        "await",  "break",  "class",   "continue", "def",      "del",    "elif",
        "else",   "except", "finally", "for",      "from",     "global", "if",
        "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
        "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};
    for (size_t i = 0; i < TW_COUNT(keywords); i++)
        if (tw_str_is(name, keywords[i]))
            return true;
    return false;
}

static bool is_identifier(ir_op *op, tw_str name)
{
    CHK_ERROR_IF(!name.size, "variable name must not be empty");
    CHK_ERROR_IF(is_keyword(name), "variable name must not be a keyword");
    CHK_ERROR_IF(!isalpha((unsigned char)name.data[0]) && name.data[0] != '_',
                 "variable name must start with a letter or '_'");
    for (size_t i = 1; i < name.size; i++)
        CHK_ERROR_IF(!isalnum((unsigned char)name.data[i]) && name.data[i] != '_',
                     "variable name may only contain alphanumeric characters and '_'");
    return true;
}

static bool names(ir_op *op, const char *attr)
{
    ir_attr name = ir_op_attr(op, attr);
    return is_identifier(
        op, ir_attr_str(name && name->kind == IR_ATTR_SYMBOL_REF ? name->items[0] : name));
}

static bool has_symbol_name(ir_op *op)
{
    return names(op, "sym_name");
}
static bool has_attribute_name(ir_op *op)
{
    return names(op, "attr_name");
}
static bool has_dict_name(ir_op *op)
{
    return names(op, "dict_name");
}

/* ---- globals ------------------------------------------------------------------------- */

/* Checks that the named global has the type of the value read from or assigned to it. */
static bool fits_global(ir_op *op)
{
    ir_attr name = ir_op_attr(op, "name");
    if (!names(op, "name"))
        return false;
    ir_op *global = ir_symbol_resolve(op, name);
    CHK_ERROR_IF(!global || global->def != EMITPY_OP(global),
                 "'%.*s' does not reference a valid emitpy.global",
                 (int)ir_attr_str(name->items[0]).size, ir_attr_str(name->items[0]).data);
    ir_attr initial = ir_op_attr(global, "initial_value");
    ir_type type = op->n_operands ? ir_op_operand(op, 0)->type : op->results[0].type;
    CHK_ERROR_IF(initial && initial->type && initial->type != type,
                 "%s type ('%s') does not match global's type ('%s')",
                 op->n_operands ? "value" : "result", ir_type_text(op->ctx, type),
                 ir_type_text(op->ctx, initial->type));
    return true;
}

static bool fits_value(ir_op *op)
{
    ir_attr value = ir_op_attr(op, "value");
    bool opaque = value->kind == IR_ATTR_DIALECT;
    CHK_ERROR_IF(!opaque && value->type != op->results[0].type,
                 "requires attribute to either be an #emitpy.opaque attribute or it's type "
                 "('%s') to match the op's result type ('%s')",
                 ir_type_text(op->ctx, value->type),
                 ir_type_text(op->ctx, op->results[0].type));
    CHK_ERROR_IF(opaque && !ir_attr_str(ir_attr_param(value, "value")).size,
                 "value must not be empty");
    return true;
}

/* ---- text with placeholders */

/* Counts "{}"; "{{" is a brace. */
static bool count_placeholders(ir_op *op, tw_str text, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '{')
            continue;
        bool brace = i + 1 < text.size && text.data[i + 1] == '{';
        CHK_ERROR_IF(!brace && (i + 1 == text.size || text.data[i + 1] != '}'),
                     "expected '}' after unescaped '{'");
        *out += !brace;
        i++;
    }
    return true;
}

static bool fits_placeholders(ir_op *op)
{
    bool is_if = op->def == EMITPY_OP(if);
    uint32_t count;
    if (!count_placeholders(op, ir_attr_str(ir_op_attr(op, is_if ? "condition" : "value")),
                            &count))
        return false;
    CHK_ERROR_IF(count != op->n_operands,
                 "requires operands for each placeholder in the %s string",
                 is_if ? "condition" : "format");
    return true;
}

static bool has_filled_branches(ir_op *op)
{
    const ir_block *then = op->regions[0].first, *otherwise = op->regions[1].first;
    CHK_ERROR_IF(!ir_attr_str(ir_op_attr(op, "condition")).size,
                 "condition string must not be empty");
    CHK_ERROR_IF(!then || !then->first, "then block must contain at least one operation");
    CHK_ERROR_IF(otherwise && otherwise->next, "else region must have exactly one block");
    CHK_ERROR_IF(otherwise && !otherwise->first,
                 "else block must contain at least one operation if present");
    return true;
}

/* ---- dictionaries and imports */

static bool is_string(ir_type t)
{
    return t->kind == IR_TYPE_DIALECT && strcmp(t->def->mnemonic, "emitpy.str") == 0;
}

static bool has_keys(ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i += 2) {
        ir_type key = ir_op_operand(op, i)->type;
        CHK_ERROR_IF(
            key->kind != IR_TYPE_INDEX && !is_string(key),
            "dictionary keys must be index or string type, but got '%s' at position "
            "%u",
            ir_type_text(op->ctx, key), i);
    }
    return true;
}

static bool subscripts(ir_op *op)
{
    ir_type container = ir_op_operand(op, 0)->type;
    bool dict = container->kind == IR_TYPE_DIALECT &&
                strcmp(container->def->mnemonic, "emitpy.dict") == 0;
    CHK_ERROR_IF(is_string(ir_op_operand(op, 1)->type) && !dict,
                 "cannot use string index on non-dict type '%s'",
                 ir_type_text(op->ctx, container));
    return true;
}

static bool has_members(ir_op *op)
{
    ir_attr members = ir_op_attr(op, "members_to_import"),
            aliases = ir_op_attr(op, "member_aliases");
    if (!members)
        return true;
    CHK_ERROR_IF(!members->count, "members to import must not be empty array");
    for (uint32_t i = 0; i < members->count; i++)
        CHK_ERROR_IF(!ir_attr_str(members->items[i]).size,
                     "imported member name must be a non-empty string");
    CHK_ERROR_IF(aliases && !aliases->count, "member aliases must not be empty array");
    CHK_ERROR_IF(aliases && aliases->count != members->count,
                 "the number of members' aliases must be equal to the number of members to "
                 "import; empty string is considered valid member alias");
    return true;
}

/* ---- classes */

/* Checks the first argument of a method: `self` of the class's type, or `cls`. */
static bool has_receiver(ir_op *op, tw_str class_name, bool of_class)
{
    ir_type type = ir_op_attr(op, "function_type")->type;
    CHK_ERROR_IF(!type->count, "instance and class methods must take a receiver argument");
    ir_attr attrs = ir_op_attr(op, "arg_attrs");
    ir_attr name = ir_attr_is(attrs, IR_ATTR_ARRAY) && attrs->count
                       ? ir_dict_get(attrs->items[0], TW_STR("emitpy.name"))
                       : NULL;
    const char *expected = of_class ? "cls" : "self";
    CHK_ERROR_IF(name && !tw_str_is(ir_attr_str(name), expected),
                 "first argument must be named '%s' via emitpy.name", expected);
    if (of_class)
        return true;
    ir_type self = type->types[0];
    CHK_ERROR_IF(self->kind != IR_TYPE_DIALECT ||
                     strcmp(self->def->mnemonic, "emitpy.class") != 0,
                 "self argument must have !emitpy.class type");
    CHK_ERROR_IF(!tw_str_equal(ir_attr_str(ir_type_param(self, "name")), class_name),
                 "self type must match class name '%.*s'", (int)class_name.size,
                 class_name.data);
    return true;
}

static bool is_method(ir_op *op, tw_str class_name, bool init)
{
    ir_attr kind = ir_op_attr(op, "emitpy.method_kind");
    tw_str text = kind ? ir_attr_str(kind) : TW_STR("instance");
    bool of_class = tw_str_is(text, "classmethod"), instance = tw_str_is(text, "instance");
    CHK_ERROR_IF(!instance && !of_class && !tw_str_is(text, "staticmethod"),
                 "emitpy.method_kind must be one of 'instance', 'staticmethod', or "
                 "'classmethod'");
    CHK_ERROR_IF(init && ir_op_attr(op, "function_type")->type->results,
                 "__init__ must not return a value");
    CHK_ERROR_IF(init && !instance, "__init__ must be an instance method");
    return (!instance && !of_class) || has_receiver(op, class_name, of_class);
}

static bool is_class(ir_op *op)
{
    ir_attr bases = ir_op_attr(op, "base_classes");
    unsigned inits = 0;
    if (!has_symbol_name(op))
        return false;
    for (uint32_t i = 0; bases && i < bases->count; i++)
        CHK_ERROR_IF(bases->items[i]->kind != IR_ATTR_SYMBOL_REF &&
                         bases->items[i]->kind != IR_ATTR_DIALECT,
                     "base_classes must be symbol refs or #emitpy.opaque");
    const ir_block *body = op->regions[0].first;
    for (ir_op *in = body ? body->first : NULL; in; in = in->next) {
        bool init = in->def == FUNC_OP(func) && tw_str_is(ir_symbol_name(in), "__init__");
        inits += init;
        if (in->def == FUNC_OP(func) && !is_method(in, ir_symbol_name(op), init))
            return false;
        if (in->def != FUNC_OP(func) && strncmp(in->def->name, "emitpy.", 7) != 0)
            return ir_op_error(
                in, "only emitpy or func operations are allowed in a class body");
    }
    CHK_ERROR_IF(inits > 1, "class body must have at most one __init__");
    return true;
}

/* ---- expressions */

/* Calls may have side effects; other expressions are pure. */
static bool has_one_use_where_needed(ir_op *op, const ir_op *in)
{
    const ir_operand *use = in->results[0].uses;
    CHK_ERROR_IF(in->def == EMITPY_OP(call_opaque) && use && use->next_use,
                 "requires exactly one use for operations with side effects");
    return true;
}

static bool is_expression(ir_op *op)
{
    const ir_block *body = op->regions[0].first;
    const ir_op *yield = body ? body->last : NULL;
    CHK_ERROR_IF(!yield || yield->def != EMITPY_OP(yield) || yield->n_operands != 1,
                 "must yield a value at termination");
    ir_value *result = ir_op_operand(yield, 0);
    const ir_op *producer = ir_value_def(result);
    CHK_ERROR_IF(!producer, "yielded value has no defining op");
    CHK_ERROR_IF(producer->block != body, "yielded value not defined within expression");
    CHK_ERROR_IF(result->type != op->results[0].type,
                 "requires yielded type to match return type");
    for (const ir_op *in = body->first; in != yield; in = in->next) {
        CHK_ERROR_IF(!ir_def_has(in->def, "PyExpressionInterface"),
                     "contains an unsupported operation");
        CHK_ERROR_IF(in->n_results != 1, "requires exactly one result for each operation");
        CHK_ERROR_IF(!in->results[0].uses, "contains an unused operation");
    }
    for (const ir_op *in = body->first; in != yield; in = in->next)
        if (!has_one_use_where_needed(op, in))
            return false;
    return true;
}

/* ---- rules */

/* clang-format off */
static const chk_rules rules[EMITPY_OP_COUNT] = {
    [EMITPY_assign] = CHK_RULES(
        {"type(target) != type(value)",
         "target type ({type(target)}) does not match value type ({type(value)})"}),
    [EMITPY_assign_global] = CHK_RULES({.run = fits_global}),
    [EMITPY_call_opaque] = CHK_RULES(
        {"|callee| == 0", "callee must not be empty"},
        {"(args and not keyword_args) or (not args and keyword_args)",
         "args and keyword_args must be specified together"},
        {"args and |args| != |keyword_args|",
         "args and keyword_args must have the same size (empty strings are allowed), but got "
         "args size = {|args|} and keyword_args size = {|keyword_args|}"}),
    [EMITPY_class] = CHK_RULES({.run = is_class}),
    [EMITPY_constant] = CHK_RULES({.run = fits_value}),
    [EMITPY_create_dict] = CHK_RULES(
        {.run = has_dict_name},
        {"given literal_expr : |literal_expr| == 0", "literal_expr must not be empty"},
        {"literal_expr and items",
         "cannot have both literal_expr and items operands; use either literal_expr for Python "
         "dict literals or items for key-value pairs"},
        {"not literal_expr and not items",
         "cannot have both literal_expr and items empty; for an empty dict, use literal_expr = "
         "\"{'{'}{'}'}\" instead"},
        {"|items| % 2 != 0", "items must be alternating key-value pairs (even count required)"},
        {.run = has_keys}),
    [EMITPY_expression] = CHK_RULES({.run = is_expression}),
    [EMITPY_get_attr] = CHK_RULES({.run = has_attribute_name}),
    [EMITPY_global] = CHK_RULES({.run = has_symbol_name}),
    [EMITPY_global_statement] = CHK_RULES({.run = fits_global}),
    [EMITPY_if] = CHK_RULES({.run = has_filled_branches}, {.run = fits_placeholders}),
    [EMITPY_import] = CHK_RULES(
        {"|module_name| == 0", "module name attribute must be non-empty"},
        {"import_all and module_alias", "cannot specify module alias with *"},
        {"import_all and members_to_import", "cannot specify members to import with *"},
        {"import_all and member_aliases", "cannot specify members' aliases with *"},
        {"import_all"},
        {"module_alias and members_to_import",
         "cannot specify members to import with module alias"},
        {"module_alias and member_aliases", "cannot specify members' aliases with module alias"},
        {"module_alias"},
        {.run = has_members},
        {"member_aliases and not members_to_import",
         "cannot specify member aliases without specifying members to import"}),
    [EMITPY_literal] = CHK_RULES({"|value| == 0", "value must not be empty"}),
    [EMITPY_set_attr] = CHK_RULES({.run = has_attribute_name}),
    [EMITPY_subscript] = CHK_RULES({.run = subscripts}),
    [EMITPY_verbatim] = CHK_RULES({.run = fits_placeholders}),
};

static const chk_rule opaque_rules[] = {
    {"|value| == 0", "expected non-empty string in !emitpy.opaque type"}};
static const chk_rule class_rules[] = {
    {"|name| == 0", "expected non-empty string in !emitpy.class type"}};
/* clang-format on */

const chk_param_rules emitpy_param_rules[] = {
    {"emitpy.opaque", {opaque_rules, 1}},
    {"emitpy.class", {class_rules, 1}},
    {0},
};

chk_rules emitpy_rules(const ir_op_def *def)
{
    return rules[def - emitpy_ops];
}

bool emitpy_verify(ir_op *op)
{
    return chk_verify(op, emitpy_rules(op->def));
}

bool emitpy_verify_opaque(ir_context *ctx, ir_loc loc, ir_type type)
{
    return chk_verify_type(ctx, loc, type, (chk_rules){opaque_rules, 1});
}

bool emitpy_verify_class(ir_context *ctx, ir_loc loc, ir_type type)
{
    return chk_verify_type(ctx, loc, type, (chk_rules){class_rules, 1});
}
