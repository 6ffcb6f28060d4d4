/* cpp_readable.c: C++ as a person would write it: constants and arithmetic in place, names
 * of what the user called so, the user's lines as comments. */
#include "ir/diagnostic_print.h"
#include "mlir/arith/arith.h"
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "mlir/emitc/to_cpp/cpp_emitter.h"

#include <ctype.h>
#include <stdio.h>

/* ---- names --------------------------------------------------------------------------- */

static const char *const keywords[] = {
    "and",     "auto",      "bool",     "break",    "case",     "catch",    "char",
    "class",   "const",     "continue", "default",  "delete",   "do",       "double",
    "else",    "enum",      "explicit", "export",   "extern",   "false",    "float",
    "for",     "friend",    "goto",     "if",       "inline",   "int",      "long",
    "mutable", "namespace", "new",      "not",      "nullptr",  "operator", "or",
    "private", "protected", "public",   "register", "return",   "short",    "signed",
    "sizeof",  "static",    "struct",   "switch",   "template", "this",     "throw",
    "true",    "try",       "typedef",  "typename", "union",    "unsigned", "using",
    "virtual", "void",      "volatile", "while",    "xor"};

static void reserve(emitter *e, ir_context *ctx, tw_str text)
{
    ir_ident name = ir_ident_get(ctx, text);
    ir_mapping_set(e->used, name, (void *)(uintptr_t)name);
}

/* What is called, and what literals name, is no longer free. */
static ir_walk note_names(ir_op *op, void *user)
{
    if (op->def == EMITC_OP(call_opaque))
        reserve(user, op->ctx, ir_attr_str(ir_op_attr(op, "callee")));
    else if (op->def == EMITC_OP(literal))
        reserve(user, op->ctx, ir_attr_str(ir_op_attr(op, "value")));
    return IR_WALK_ON;
}

void cpp_readable_begin(emitter *e, ir_op *func)
{
    e->used = ir_mapping_create();
    for (size_t i = 0; i < TW_COUNT(keywords); i++)
        reserve(e, func->ctx, tw_str_from(keywords[i]));
    static const char loops[] = "ijklmnopqrstu";
    for (size_t i = 0; loops[i]; i++)
        reserve(e, func->ctx, (tw_str){loops + i, 1});
    ir_walk_pre(func, note_names, e);
    e->file = e->source_file = NULL;
    e->line = 0;
}

void cpp_readable_end(emitter *e)
{
    ir_mapping_free(e->used);
    tw_strbuf_free(&e->source);
}

bool cpp_is_identifier(tw_str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] != '_' && !isalpha((unsigned char)text.data[i]) &&
            !(i && isdigit((unsigned char)text.data[i])))
            return false;
    return text.size > 0;
}

/* get_write_ptr gives write_ptr. */
static tw_str called(const ir_op *op)
{
    tw_str callee = ir_op_is(op, EMITC_OP(call_opaque))
                        ? ir_attr_str(ir_op_attr(op, "callee"))
                        : (tw_str){0};
    if (callee.size > 4 && memcmp(callee.data, "get_", 4) == 0)
        callee = (tw_str){callee.data + 4, callee.size - 4};
    return callee;
}

const char *cpp_readable_name(emitter *e, const ir_value *v, char letter)
{
    const ir_op *op = ir_value_def(v);
    ir_context *ctx = ir_value_block(v)->region->owner->ctx;
    ir_attr loc = op ? ir_loc_attr(ctx, op->loc) : NULL;
    tw_str base =
        loc && loc->kind == IR_ATTR_LOC_NAME ? ir_ident_str(loc->ident) : called(op);
    if (v->is_argument && letter != 'v') /* of a loop: its own in each */
        return ir_ident_get(ctx, (tw_str){&letter, 1})->text;
    if (!cpp_is_identifier(base))
        base = (tw_str){&letter, 1};
    tw_strbuf text = {0};
    tw_strbuf_str(&text, base);
    ir_ident name = ir_ident_get(ctx, (tw_str){text.data, text.size});
    for (unsigned i = base.size == 1 ? 1 : 2;
         base.data == &letter || ir_mapping_get(e->used, name); i++) {
        text.size = base.size;
        tw_strbuf_printf(&text, "%u", i);
        name = ir_ident_get(ctx, (tw_str){text.data, text.size});
        if (!ir_mapping_get(e->used, name))
            break;
    }
    tw_strbuf_free(&text);
    ir_mapping_set(e->used, name, (void *)(uintptr_t)name);
    return name->text;
}

/* ---- expressions --------------------------------------------------------------------- */

/* How strongly operators bind, as in the C++ standard's grammar; more is stronger. */
static const struct {
    const ir_op_def *def;
    int binds;
    bool modular;
} operators[] = {
    {EMITC_OP(mul), 13, true},
    {EMITC_OP(div), 13, false},
    {EMITC_OP(rem), 13, false},
    {EMITC_OP(add), 12, true},
    {EMITC_OP(sub), 12, true},
    {EMITC_OP(bitwise_left_shift), 11, false},
    {EMITC_OP(bitwise_right_shift), 11, false},
    {EMITC_OP(cmp), 9, false},
    {EMITC_OP(bitwise_and), 8, true},
    {EMITC_OP(bitwise_xor), 7, true},
    {EMITC_OP(bitwise_or), 6, true},
    {EMITC_OP(logical_and), 5, false},
    {EMITC_OP(logical_or), 4, false},
    {EMITC_OP(conditional), 3, false},
    {EMITC_OP(cast), 14, false},
    {EMITC_OP(bitwise_not), 14, true},
    {EMITC_OP(logical_not), 14, false},
    {EMITC_OP(unary_minus), 14, true},
    {EMITC_OP(unary_plus), 14, true},
};

static int row_of(const ir_op *op)
{
    for (int i = 0; i < (int)TW_COUNT(operators); i++)
        if (operators[i].def == op->def)
            return i;
    return -1;
}

bool cpp_is_modular(const ir_op *op)
{
    int row = row_of(op);
    return row >= 0 && operators[row].modular;
}

static bool is_integer_of_32_bits(ir_type t)
{
    return (t->kind == IR_TYPE_INTEGER && t->width == 32) ||
           (t->kind == IR_TYPE_DIALECT &&
            (t->def == EMITC_TYPE(size_t) || t->def == EMITC_TYPE(ssize_t) ||
             t->def == EMITC_TYPE(ptrdiff_t)));
}

bool cpp_drops_cast(const emitter *e, const ir_op *op)
{
    if (op->def != EMITC_OP(cast) || !is_integer_of_32_bits(op->results[0].type))
        return false;
    ir_type from = ir_op_operand(op, 0)->type;
    const ir_op *inner = ir_value_def(ir_op_operand(op, 0));
    ir_attr value = ir_op_is(inner, EMITC_OP(constant)) ? ir_op_attr(inner, "value") : NULL;
    if (ir_attr_is(value, IR_ATTR_INTEGER) && value->value >= 0 &&
        value->value <= INT32_MAX)
        return !e->typed; /* an int, which takes the type of the other operand */
    if (!e->modular)
        return false;
    return is_integer_of_32_bits(from) ||
           (from->kind == IR_TYPE_INTEGER && from->width == 1);
}

/* A binary operator keeps operands of its own strength on the left; next to bits and
 * comparisons everything else stands in parentheses, as compilers advise. */
bool cpp_needs_parentheses(const ir_op *inner, const ir_op *outer, uint32_t i)
{
    while (inner && inner->def == EMITC_OP(cast) &&
           is_integer_of_32_bits(inner->results[0].type) &&
           is_integer_of_32_bits(ir_op_operand(inner, 0)->type) &&
           ir_value_def(ir_op_operand(inner, 0)))
        inner = ir_value_def(ir_op_operand(inner, 0));
    int in = row_of(inner), out = row_of(outer);
    if (inner->def == EMITC_OP(constant)) {
        ir_attr value = ir_op_attr(inner, "value");
        return ir_attr_is(value, IR_ATTR_INTEGER)
                   ? value->value < 0
                   : ir_attr_is(value, IR_ATTR_FLOAT) && value->real < 0;
    }
    if (in < 0 || out < 0)
        return false;
    int binds = operators[out].binds;
    bool arithmetic = binds >= 12;
    return operators[in].binds < binds + (i > 0 && binds < 14) ||
           (!arithmetic && binds != 9 && operators[in].binds != 14);
}

static bool is_pure(const ir_op *op)
{
    return row_of(op) >= 0;
}

/* A call that is used once, by what is written next, stands there. */
static bool is_used_next(const emitter *e, const ir_op *op)
{
    if (op->n_results != 1 || !ir_value_has_one_use(&op->results[0]))
        return false;
    const ir_op *user = op->results[0].uses->owner;
    if (user->def != EMITC_OP(call_opaque) || user->n_results != 1)
        return false;
    const ir_op *at = op->next;
    while (at && at != user && (at->def == EMITC_OP(literal) || cpp_readable_inline(e, at)))
        at = at->next;
    return at == user;
}

bool cpp_readable_inline(const emitter *e, const ir_op *op)
{
    if (op->def == EMITC_OP(constant))
        return true;
    if (op->def == EMITC_OP(call_opaque))
        return is_used_next(e, op);
    return is_pure(op) && ir_value_has_one_use(&op->results[0]) &&
           op->results[0].uses->owner->def != EMITC_OP(verbatim);
}

bool cpp_is_one(const ir_value *v)
{
    const ir_op *op = ir_value_def(v);
    return ir_op_is(op, EMITC_OP(constant)) && ir_attr_int(ir_op_attr(op, "value"), 0) == 1;
}

bool cpp_is_pattern(ir_attr value)
{
    return value->type && value->type->kind == IR_TYPE_INTEGER &&
           value->type->width == 32 &&
           (value->value >= 1 << 24 || value->value <= -(1 << 24));
}

bool cpp_makes_object(const ir_op *op)
{
    ir_type type = op->results[0].type;
    return op->def == EMITC_OP(call_opaque) && type->kind == IR_TYPE_DIALECT &&
           type->def == EMITC_TYPE(opaque) &&
           tw_str_equal(ir_attr_str(type->params[0]),
                        ir_attr_str(ir_op_attr(op, "callee")));
}

/* ---- the user's lines ---------------------------------------------------------------- */

static tw_str trimmed(tw_str line)
{
    while (line.size && isspace((unsigned char)line.data[0]))
        line = (tw_str){line.data + 1, line.size - 1};
    while (line.size && (isspace((unsigned char)line.data[line.size - 1]) ||
                         line.data[line.size - 1] == '\\')) /* would go on in the next */
        line.size--;
    return line;
}

void cpp_put_source(emitter *e, const ir_op *op)
{
    ir_ident file;
    uint32_t line, column;
    if (!ir_loc_position(op->ctx, op->loc, &file, &line, &column) ||
        (file == e->file && line == e->line))
        return;
    if (file != e->source_file) {
        e->source.size = 0;
        ir_source_read(file->text, &e->source);
        e->source_file = file;
    }
    const char *slash = strrchr(file->text, '/');
    tw_str text = trimmed(ir_source_line((tw_str){e->source.data, e->source.size}, line));
    for (int i = 0; i < e->indent; i++)
        tw_strbuf_puts(e->out, "  ");
    tw_strbuf_printf(e->out, "// %s:%u%s%.*s\n", slash ? slash + 1 : file->text, line,
                     text.size ? ": " : "", (int)text.size, text.data);
    e->file = file;
    e->line = line;
}
