/* llvm_functions.c: the text of llvm's functions, globals and calls.
 *
 *   func   = [linkage] [visibility] [unnamed_addr] [convention] @name signature
 *            ["vscale_range" "(" int "," int ")"] [comdat] ["attributes" dict] [region]
 *   global = [linkage] [visibility] ["thread_local"] [unnamed_addr] ["constant"] @name
 *            "(" [value] ")" [comdat] [dict] [":" type] [region]
 *   comdat = "comdat" "(" symbol ")"
 *   call   = [convention] ["tail" | ...] ( @name | ssa ) "(" args ")" ["vararg(" type ")"]
 *            [ "[" bundle, ... "]" ] [dict] ":" [ type "," ] fn-type
 *   bundle = "\"tag\"" "(" [ args ":" types ] ")" */
#include "mlir/func/func_hooks.h"
#include "llvm/llvm_hooks.h"

#include <stdlib.h>

/* A word that is one of an enum's cases; `otherwise` if there is none. */
static int64_t accept_case(ir_parser *p, const ir_enum_def *cases, int64_t otherwise)
{
    const ir_enum_case *known =
        p->tok.kind == IR_TOK_BARE_ID ? ir_enum_by_text(cases, ir_tok_str(p)) : NULL;
    if (known)
        ir_next(p);
    return known ? known->value : otherwise;
}

static void set_int(ir_parser *p, ir_parsed_op *op, const char *name, int64_t value)
{
    ir_add_attr(p, op, name,
                ir_integer_attr(ir_integer_type(p->ctx, 64, IR_SIGNLESS), value));
}

/* [linkage] [visibility] ["thread_local"] [unnamed_addr] */
static void parse_head(ir_parser *p, ir_parsed_op *op, bool global)
{
    int64_t linkage = accept_case(p, &llvm_enum_Linkage, LLVM_LINKAGE_EXTERNAL);
    ir_add_attr(p, op, "linkage", ir_enum_attr(p->ctx, LLVM_ATTR(linkage), linkage));
    set_int(p, op, "visibility_", accept_case(p, &llvm_enum_Visibility, 0));
    if (global && ir_accept_keyword(p, "thread_local"))
        ir_add_attr(p, op, "thread_local_", ir_unit_attr(p->ctx));
    set_int(p, op, "unnamed_addr", accept_case(p, &llvm_enum_UnnamedAddr, 0));
}

static void put_case(ir_printer *p, const ir_enum_def *cases, int64_t value)
{
    const ir_enum_case *known = ir_enum_by_value(cases, value);
    if (known && known->text[0])
        ir_putf(p, " %s", known->text);
}

static void put_head(ir_printer *p, ir_op *op, bool global)
{
    int64_t linkage = ir_enum_value(ir_op_attr(op, "linkage"), LLVM_LINKAGE_EXTERNAL);
    if (global || linkage != LLVM_LINKAGE_EXTERNAL)
        put_case(p, &llvm_enum_Linkage, linkage);
    if (ir_op_int(op, "visibility_", 0))
        put_case(p, &llvm_enum_Visibility, ir_op_int(op, "visibility_", 0));
    if (global && ir_op_attr(op, "thread_local_"))
        ir_put(p, " thread_local");
    if (ir_op_int(op, "unnamed_addr", 0))
        put_case(p, &llvm_enum_UnnamedAddr, ir_op_int(op, "unnamed_addr", 0));
}

static bool parse_comdat(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_accept_keyword(p, "comdat"))
        return true;
    if (!ir_expect_punct(p, '('))
        return false;
    const char *at = p->tok.at;
    ir_attr group = ir_parse_an_attr(p, NULL);
    if (!group)
        return false;
    if (group->kind != IR_ATTR_SYMBOL_REF)
        return ir_fail_own(p, at, "invalid kind of attribute specified");
    ir_add_attr(p, op, "comdat", group);
    return ir_expect_punct(p, ')');
}

static void put_comdat(ir_printer *p, const ir_op *op)
{
    ir_attr group = ir_op_attr(op, "comdat");
    if (!group)
        return;
    ir_put(p, " comdat(");
    ir_put_attr(p, group);
    ir_putc(p, ')');
}

/* ---- functions ---------------------------------------------------------------------- */

static bool parse_vscale_range(ir_parser *p, ir_parsed_op *op)
{
    if (!ir_accept_keyword(p, "vscale_range"))
        return true;
    int64_t min, max;
    if (!ir_expect_punct(p, '(') || !ir_parse_int(p, &min) || !ir_expect_punct(p, ',') ||
        !ir_parse_int(p, &max) || !ir_expect_punct(p, ')'))
        return false;
    ir_attr params[] = {ir_i32_attr(p->ctx, min), ir_i32_attr(p->ctx, max)};
    ir_add_attr(p, op, "vscale_range",
                ir_dialect_attr(p->ctx, LLVM_ATTR(vscale_range), params, TW_COUNT(params)));
    return true;
}

static void put_vscale_range(ir_printer *p, const ir_op *op)
{
    ir_attr range = ir_op_attr(op, "vscale_range");
    if (range)
        ir_putf(p, " vscale_range(%lld, %lld)", (long long)ir_attr_int(range->params[0], 0),
                (long long)ir_attr_int(range->params[1], 0));
}

void llvm_func_parse(ir_parser *p, ir_parsed_op *op)
{
    func_signature s = {.may_vary = true};
    ir_attr name;
    parse_head(p, op, false);
    ir_add_attr(
        p, op, "CConv",
        ir_enum_attr(p->ctx, LLVM_ATTR(cconv), accept_case(p, &llvm_enum_CConv, 0)));
    if (!ir_parse_symbol_name(p, &name))
        return;
    const char *at = p->tok.at;
    if (!func_signature_parse(p, &s))
        return;
    if (s.out.types.count > 1) {
        ir_fail_own(p, at,
                    "failed to construct function type: expected zero or one function "
                    "result");
        return;
    }
    ir_type type = llvm_function_type(p->ctx, s.out.types.count ? s.out.types.at[0] : NULL,
                                      s.in.types.at, s.in.types.count, s.varies);
    if (!parse_vscale_range(p, op) || !parse_comdat(p, op))
        return;
    func_rest_parse(p, op, name, type, &s);
}

static bool is_void(ir_type type)
{
    return type->kind == IR_TYPE_DIALECT && type->def == LLVM_TYPE(void);
}

void llvm_func_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {
        "sym_name", "function_type", "linkage",   "visibility_", "unnamed_addr",
        "CConv",    "arg_attrs",     "res_attrs", "comdat",      "vscale_range"};
    ir_type type = ir_op_attr(op, "function_type")->type;
    ir_attr inputs = type->params[LLVM_FUNC_INPUTS];
    ir_type result = type->params[LLVM_FUNC_RESULT]->type;
    int64_t convention = ir_enum_value(ir_op_attr(op, "CConv"), 0);
    put_head(p, op, false);
    if (convention)
        put_case(p, &llvm_enum_CConv, convention);
    ir_putc(p, ' ');
    ir_put_symbol(p, ir_symbol_name(op));
    ir_type *in = tw_xmalloc((inputs->count + 1) * sizeof *in);
    for (uint32_t i = 0; i < inputs->count; i++)
        in[i] = inputs->items[i]->type;
    func_signature_print(p, op, in, inputs->count, type->params[LLVM_FUNC_VARIES]->value,
                         &result, !is_void(result));
    free(in);
    put_vscale_range(p, op);
    put_comdat(p, op);
    ir_put_op_attr_dict_keyword(p, op, elided, TW_COUNT(elided));
    func_body_print(p, op);
}

bool llvm_func_verify(ir_op *op)
{
    ir_type type = ir_op_attr(op, "function_type")->type;
    const ir_block *entry = ir_op_body(op, 0);
    if (type->kind != IR_TYPE_DIALECT || type->def != LLVM_TYPE(func))
        return ir_op_error(op, "requires '%s' attribute of wrapped LLVM function type",
                           "function_type");
    if (!entry)
        return true;
    ir_attr inputs = type->params[LLVM_FUNC_INPUTS];
    if (entry->n_args != inputs->count)
        return ir_op_error(op,
                           "entry block must have %u arguments to match function "
                           "signature",
                           inputs->count);
    for (uint32_t i = 0; i < inputs->count; i++)
        if (entry->args[i]->type != inputs->items[i]->type)
            return ir_op_error(op,
                               "type of entry block argument #%u('%s') must match the type "
                               "of the corresponding argument in function signature('%s')",
                               i, ir_type_text(op->ctx, entry->args[i]->type),
                               ir_type_text(op->ctx, inputs->items[i]->type));
    return true;
}

bool llvm_return_verify(ir_op *op)
{
    const ir_op *around = ir_op_parent(op);
    if (!around || around->def != LLVM_OP(func))
        return true;
    ir_type type = ir_op_attr(around, "function_type")->type;
    if (type->kind != IR_TYPE_DIALECT || type->def != LLVM_TYPE(func))
        return true;
    ir_type result = type->params[LLVM_FUNC_RESULT]->type;
    if (is_void(result))
        return op->n_operands == 0 || ir_op_error(op, "expected no operands");
    if (op->n_operands == 0)
        return ir_op_error(op, "expected 1 operand");
    if (op->operands[0].value->type == result)
        return true;
    ir_op_error(op, "mismatching result types");
    return ir_note(op->ctx, around->loc, "when returning from function");
}

/* ---- globals ------------------------------------------------------------------------ */

/* A string without a type is an array of its bytes. */
static ir_type type_of_string(ir_parser *p, ir_attr value)
{
    ir_attr params[] = {ir_raw_int(p->ctx, (int64_t)ir_attr_str(value).size),
                        ir_type_attr(ir_integer_type(p->ctx, 8, IR_SIGNLESS))};
    return ir_dialect_type(p->ctx, LLVM_TYPE(array), params, TW_COUNT(params));
}

void llvm_global_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_attr name, value = NULL;
    parse_head(p, op, true);
    if (ir_accept_keyword(p, "constant"))
        ir_add_attr(p, op, "constant", ir_unit_attr(p->ctx));
    if (!ir_parse_symbol_name(p, &name) || !ir_expect_punct(p, '('))
        return;
    ir_add_attr(p, op, "sym_name", name);
    if (!ir_at_punct(p, ')') && !(value = ir_parse_an_attr(p, NULL)))
        return;
    if (value)
        ir_add_attr(p, op, "value", value);
    if (!ir_expect_punct(p, ')') || !parse_comdat(p, op) || !ir_parse_op_attr_dict(p, op))
        return;
    ir_type type = NULL;
    if (ir_at_punct(p, ':')) {
        if (!(type = ir_parse_colon_type(p)))
            return;
    } else if (!ir_attr_is(value, IR_ATTR_STRING)) {
        ir_fail_own(p, op->at, "type can only be omitted for string globals");
        return;
    }
    type = type ? type : type_of_string(p, value);
    ir_add_attr(p, op, "global_type", ir_type_attr(type));
    if (ir_at_punct(p, '{'))
        ir_parse_op_region(p, op, NULL, 0);
    else
        ir_add_empty_region(p, op);
}

void llvm_global_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"sym_name",     "global_type",   "constant",
                                         "value",        "linkage",       "visibility_",
                                         "unnamed_addr", "thread_local_", "comdat"};
    ir_attr value = ir_op_attr(op, "value");
    put_head(p, op, true);
    ir_put(p, ir_op_attr(op, "constant") ? " constant " : " ");
    ir_put_symbol(p, ir_symbol_name(op));
    ir_putc(p, '(');
    if (value)
        ir_put_attr(p, value);
    ir_putc(p, ')');
    put_comdat(p, op);
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
    if (ir_attr_is(value, IR_ATTR_STRING))
        return;
    ir_put(p, " : ");
    ir_put_type(p, ir_op_attr(op, "global_type")->type);
    func_body_print(p, op);
}

bool llvm_comdat_verify(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    for (ir_op *inner = body ? body->first : NULL; inner; inner = inner->next)
        if (inner->def != LLVM_OP(comdat_selector))
            return ir_op_error(inner, "only comdat selector symbols can appear in a comdat "
                                      "region");
    return true;
}

bool llvm_target_features_verify(ir_context *ctx, ir_loc loc, ir_attr attr)
{
    ir_attr list = attr->params[0];
    for (uint32_t i = 0; list && i < list->count; i++) {
        ir_attr one = list->items[i];
        if (!ir_attr_is(one, IR_ATTR_STRING))
            return ir_error(ctx, loc, "target features are strings");
        tw_str text = ir_attr_str(one);
        if (!text.size || (text.data[0] != '+' && text.data[0] != '-'))
            return ir_error(ctx, loc, "target features must start with '+' or '-'");
        if (memchr(text.data, ',', text.size))
            return ir_error(ctx, loc, "target features can not contain ','");
    }
    return true;
}

/* ---- calls -------------------------------------------------------------------------- */

/* Operand bundles: operands under names that the backend knows. */
typedef struct bundles {
    ir_attr *tags;
    int32_t *sizes;
    uint32_t count, capacity;
    ir_ssa_list uses;
    ir_type_list types;
} bundles;

static bool parse_bundle(ir_parser *p, void *user)
{
    bundles *b = user;
    tw_str tag;
    uint32_t before = b->uses.count;
    if (!ir_parse_string(p, &tag) || !ir_expect_punct(p, '('))
        return false;
    if (!ir_at_punct(p, ')') &&
        (!ir_parse_ssa_list(p, &b->uses) || !ir_expect_punct(p, ':') ||
         !ir_parse_type_list(p, &b->types)))
        return false;
    if (b->uses.count != b->types.count)
        return ir_fail_counts(p, p->tok.at, b->uses.count, b->types.count);
    if (b->count == b->capacity) {
        bundles old = *b;
        b->capacity = old.capacity ? old.capacity * 2 : 8;
        b->tags = ir_scratch(p, b->capacity * sizeof *b->tags);
        b->sizes = ir_scratch(p, b->capacity * sizeof *b->sizes);
        for (uint32_t i = 0; i < old.count; i++) {
            b->tags[i] = old.tags[i];
            b->sizes[i] = old.sizes[i];
        }
    }
    b->tags[b->count] = ir_string_attr(p->ctx, tag);
    b->sizes[b->count++] = (int32_t)(b->uses.count - before);
    return ir_expect_punct(p, ')');
}

static void add_bundles(ir_parser *p, ir_parsed_op *op, const bundles *b)
{
    ir_type i32 = ir_integer_type(p->ctx, 32, IR_SIGNLESS);
    int32_t groups[] = {(int32_t)op->n_operands, (int32_t)b->uses.count};
    ir_add_attr(p, op, "op_bundle_sizes", ir_dense_array(i32, b->sizes, b->count));
    if (b->count)
        ir_add_attr(p, op, "op_bundle_tags", ir_array_attr(p->ctx, b->tags, b->count));
    for (uint32_t i = 0; i < b->uses.count; i++)
        if (!ir_add_operand(p, op, b->uses.at[i], b->types.at[i]))
            return;
    ir_add_operand_segments(p, op, groups, TW_COUNT(groups));
}

static void put_bundles(ir_printer *p, const ir_op *op, size_t at)
{
    ir_attr sizes = ir_op_attr(op, "op_bundle_sizes"),
            tags = ir_op_attr(op, "op_bundle_tags");
    for (uint32_t i = 0; tags && i < sizes->count; i++) {
        size_t n = (size_t)ir_dense_array_int(sizes, i);
        ir_put(p, i ? ", " : " [");
        ir_put_attr(p, tags->items[i]);
        ir_putc(p, '(');
        ir_put_operands(p, op, at, n);
        ir_put(p, n ? " : " : "");
        ir_put_operand_types(p, op, at, n);
        ir_putc(p, ')');
        at += n;
    }
    ir_put(p, tags && sizes->count ? "]" : "");
}

static bool check_bundles(ir_op *op, size_t operands)
{
    ir_attr sizes = ir_op_attr(op, "op_bundle_sizes"),
            tags = ir_op_attr(op, "op_bundle_tags");
    int64_t total = 0;
    for (uint32_t i = 0; i < sizes->count; i++) {
        int64_t n = ir_dense_array_int(sizes, i);
        if (n < 0)
            return ir_op_error(op, "'op_bundle_sizes' attribute cannot have negative "
                                   "elements");
        total += n;
    }
    if ((int64_t)operands != total)
        return ir_op_error(op,
                           "op_bundle_operands count (%zu) does not match with the total "
                           "size (%lld) specified in attribute 'op_bundle_sizes'",
                           operands, (long long)total);
    uint32_t n_tags = tags ? tags->count : 0;
    for (uint32_t i = 0; i < n_tags; i++)
        if (tags->items[i]->kind != IR_ATTR_STRING)
            return ir_error_at_op(op, "operand bundle tag must be a StringAttr");
    return n_tags == sizes->count ||
           ir_error_at_op(op, "expected %u operand bundle tags, but actually got %u",
                          sizes->count, n_tags);
}

void llvm_call_parse(ir_parser *p, ir_parsed_op *op)
{
    bundles b = {0};
    ir_ssa_list uses = {0};
    ir_ssa_use pointer;
    ir_attr callee = NULL;
    func_signature s = {0};
    int64_t convention = accept_case(p, &llvm_enum_CConv, 0);
    int64_t tail = accept_case(p, &llvm_enum_TailCallKind, 0);
    ir_add_attr(p, op, "CConv", ir_enum_attr(p->ctx, LLVM_ATTR(cconv), convention));
    ir_add_attr(p, op, "TailCallKind", ir_enum_attr(p->ctx, LLVM_ATTR(tailcallkind), tail));
    bool direct = p->tok.kind == IR_TOK_AT;
    if (direct ? !ir_parse_symbol_name(p, &callee) : !ir_parse_ssa(p, &pointer))
        return;
    if (direct)
        ir_add_attr(p, op, "callee", ir_symbol_ref(p->ctx, ir_attr_str(callee)));
    if (!ir_expect_punct(p, '(') || !ir_parse_ssa_list(p, &uses) ||
        !ir_expect_punct(p, ')'))
        return;
    if (ir_accept_keyword(p, "vararg")) {
        ir_type varies;
        if (!ir_expect_punct(p, '(') || !(varies = ir_parse_a_type(p)) ||
            !ir_expect_punct(p, ')'))
            return;
        ir_add_attr(p, op, "var_callee_type", ir_type_attr(varies));
    }
    if ((ir_at_punct(p, '[') && !ir_parse_list(p, "[]", parse_bundle, &b)) ||
        !ir_parse_op_attr_dict(p, op) || !ir_expect_punct(p, ':'))
        return;
    if (!direct) {
        ir_type type = ir_parse_a_type(p);
        if (!type || !ir_expect_punct(p, ',') || !ir_add_operand(p, op, pointer, type))
            return;
    }
    const char *at = p->tok.at;
    if (!func_signature_parse(p, &s) ||
        !ir_add_operands(p, op, &uses, s.in.types.at, s.in.types.count, at))
        return;
    if (s.named.count) {
        ir_fail_own(p, at, "expected non-function type");
        return;
    }
    func_signature_add_attrs(p, op, &s);
    add_bundles(p, op, &b);
    ir_add_results(p, op, &s.out.types);
}

/* Operands that are not in bundles. */
static size_t call_operands(const ir_op *op)
{
    size_t start, count = 0;
    return ir_op_operand_group(op, 0, &start, &count) ? count : op->n_operands;
}

bool llvm_call_verify(ir_op *op)
{
    size_t given = call_operands(op);
    if (!check_bundles(op, op->n_operands - given))
        return false;
    if (ir_op_attr(op, "callee"))
        return true;
    if (!given)
        return ir_op_error(op, "must have either a `callee` attribute or at least an "
                               "operand");
    ir_type type = op->operands[0].value->type;
    return (type->kind == IR_TYPE_DIALECT && type->def == LLVM_TYPE(ptr)) ||
           ir_op_error(op, "indirect call expects a pointer as callee: '%s'",
                       ir_type_text(op->ctx, type));
}

void llvm_call_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {
        "callee",          "CConv",          "TailCallKind",        "var_callee_type",
        "op_bundle_sizes", "op_bundle_tags", "operandSegmentSizes", "arg_attrs",
        "res_attrs",       "fastmathFlags"};
    ir_attr callee = ir_op_attr(op, "callee"), varies = ir_op_attr(op, "var_callee_type"),
            flags = ir_op_attr(op, "fastmathFlags");
    int64_t convention = ir_enum_value(ir_op_attr(op, "CConv"), 0);
    int64_t tail = ir_enum_value(ir_op_attr(op, "TailCallKind"), 0);
    size_t first = !callee, given = call_operands(op);
    if (convention)
        put_case(p, &llvm_enum_CConv, convention);
    if (tail)
        put_case(p, &llvm_enum_TailCallKind, tail);
    ir_putc(p, ' ');
    if (callee)
        ir_put_attr(p, callee);
    else
        ir_put_operands(p, op, 0, 1);
    ir_putc(p, '(');
    ir_put_operands(p, op, first, given - first);
    ir_putc(p, ')');
    if (varies) {
        ir_put(p, " vararg(");
        ir_put_type(p, varies->type);
        ir_putc(p, ')');
    }
    put_bundles(p, op, given);
    ir_put_op_attr_dict(p, op, elided,
                        TW_COUNT(elided) - (flags && ir_enum_value(flags, 0)));
    ir_put(p, " : ");
    if (!callee) {
        ir_put_operand_types(p, op, 0, 1);
        ir_put(p, ", ");
    }
    ir_type *in = tw_xmalloc((given + 1) * sizeof *in);
    for (size_t i = first; i < given; i++)
        in[i - first] = ir_op_operand(op, i)->type;
    func_signature_print(p, op, in, given - first, false,
                         op->n_results ? &op->results[0].type : NULL, op->n_results);
    ir_put(p, op->n_results ? "" : " -> ()");
    free(in);
}
