/* llvm_types.c: the text of the llvm dialect's types, and their nested types.
 *
 *   ptr    = [ "<" address-space ">" ]
 *   array  = "<" size "x" type ">"
 *   func   = "<" result "(" [ types [ "," "..." ] | "..." ] ")" ">"
 *
 * Nested types are written without "!llvm.".  Structs are in llvm_struct.c. */
#include "llvm/llvm_hooks.h"

#include <stdlib.h>

static ir_type parse_inner(ir_parser *p)
{
    char name[32];
    tw_str word = ir_tok_str(p);
    if (p->tok.kind != IR_TOK_BARE_ID || word.size > sizeof name - 5)
        return ir_parse_a_type(p);
    memcpy(name, "llvm.", 5);
    memcpy(name + 5, word.data, word.size);
    const ir_type_def *def = ir_type_def_find(p->ctx, (tw_str){name, 5 + word.size});
    if (!def)
        return ir_parse_a_type(p);
    if (++p->depth > IR_MAX_NESTING) {
        ir_fail_here(p, "types nest deeper than %d levels", IR_MAX_NESTING);
        return NULL;
    }
    ir_next(p);
    ir_type type = def->parse ? def->parse(p, def) : ir_dialect_type(p->ctx, def, NULL, 0);
    p->depth--;
    return type;
}

static void put_inner(ir_printer *p, ir_type type)
{
    if (type->kind != IR_TYPE_DIALECT || strncmp(type->def->mnemonic, "llvm.", 5) != 0) {
        ir_put_type(p, type);
        return;
    }
    ir_put(p, type->def->mnemonic + 5);
    if (type->def->print)
        type->def->print(p, type);
}

void llvm_put_types(ir_printer *p, ir_attr types)
{
    for (uint32_t i = 0; i < types->count; i++) {
        ir_put(p, i ? ", " : "");
        put_inner(p, types->items[i]->type);
    }
}

bool llvm_parse_types(ir_parser *p, ir_attr *out, bool *out_varies)
{
    ir_type_list types = {0};
    if (!ir_expect_punct(p, '('))
        return false;
    while (!ir_at_punct(p, ')')) {
        if (types.count && !ir_expect_punct(p, ','))
            return false;
        if (out_varies && p->tok.kind == IR_TOK_ELLIPSIS) {
            ir_next(p);
            *out_varies = true;
            break;
        }
        ir_type type = parse_inner(p);
        if (!type)
            return false;
        ir_type_list_add(p, &types, type);
    }
    if (!ir_expect_punct(p, ')'))
        return false;
    ir_attr *items = ir_scratch(p, (types.count + 1) * sizeof *items);
    for (uint32_t i = 0; i < types.count; i++)
        items[i] = ir_type_attr(types.at[i]);
    *out = ir_array_attr(p->ctx, items, types.count);
    return true;
}

/* ---- pointers and arrays ------------------------------------------------------------ */

ir_type llvm_parse_pointer(ir_parser *p, const ir_type_def *def)
{
    int64_t space = 0;
    if (ir_accept_punct(p, '<') && (!ir_parse_int(p, &space) || !ir_expect_punct(p, '>')))
        return NULL;
    ir_attr param = ir_raw_int(p->ctx, space);
    return ir_dialect_type(p->ctx, def, &param, 1);
}

void llvm_print_pointer(ir_printer *p, ir_type type)
{
    if (type->params[0]->value)
        ir_putf(p, "<%lld>", (long long)type->params[0]->value);
}

ir_type llvm_parse_array(ir_parser *p, const ir_type_def *def)
{
    int64_t size;
    if (!ir_expect_punct(p, '<') || !ir_parse_int(p, &size))
        return NULL;
    if (!ir_accept_keyword(p, "x")) {
        ir_fail_here(p, "expected 'x'");
        return NULL;
    }
    const char *at = p->tok.at;
    if (size < 0) {
        ir_fail(p, at, "arrays have no negative size");
        return NULL;
    }
    ir_type element = parse_inner(p);
    if (!element || !ir_expect_punct(p, '>'))
        return NULL;
    ir_attr params[] = {ir_raw_int(p->ctx, size), ir_type_attr(element)};
    return ir_dialect_type(p->ctx, def, params, TW_COUNT(params));
}

void llvm_print_array(ir_printer *p, ir_type type)
{
    ir_putf(p, "<%lld x ", (long long)type->params[LLVM_ARRAY_SIZE]->value);
    put_inner(p, type->params[LLVM_ARRAY_ELEMENT]->type);
    ir_putc(p, '>');
}

/* ---- functions ---------------------------------------------------------------------- */

static ir_type make_function(ir_context *ctx, ir_type result, ir_attr inputs, bool varies)
{
    ir_attr params[] = {ir_type_attr(result), inputs, ir_raw_int(ctx, varies)};
    return ir_dialect_type(ctx, LLVM_TYPE(func), params, TW_COUNT(params));
}

ir_type llvm_function_type(ir_context *ctx, ir_type result, const ir_type *inputs, size_t n,
                           bool varies)
{
    ir_attr few[16], *items = n > TW_COUNT(few) ? tw_xmalloc(n * sizeof *items) : few;
    for (size_t i = 0; i < n; i++)
        items[i] = ir_type_attr(inputs[i]);
    ir_attr list = ir_array_attr(ctx, items, n);
    if (items != few)
        free(items);
    result = result ? result : ir_dialect_type(ctx, LLVM_TYPE(void), NULL, 0);
    return make_function(ctx, result, list, varies);
}

ir_type llvm_parse_function(ir_parser *p, const ir_type_def *def)
{
    ir_attr inputs;
    bool varies = false;
    (void)def;
    if (!ir_expect_punct(p, '<'))
        return NULL;
    ir_type result = parse_inner(p);
    if (!result || !llvm_parse_types(p, &inputs, &varies) || !ir_expect_punct(p, '>'))
        return NULL;
    return make_function(p->ctx, result, inputs, varies);
}

void llvm_print_function(ir_printer *p, ir_type type)
{
    ir_attr inputs = type->params[LLVM_FUNC_INPUTS];
    ir_putc(p, '<');
    put_inner(p, type->params[LLVM_FUNC_RESULT]->type);
    ir_put(p, " (");
    llvm_put_types(p, inputs);
    if (type->params[LLVM_FUNC_VARIES]->value)
        ir_put(p, inputs->count ? ", ..." : "...");
    ir_put(p, ")>");
}

/* ---- inside aggregates -------------------------------------------------------------- */

ir_type llvm_type_at(ir_type aggregate, ir_attr position, int64_t *out_beyond)
{
    ir_type type = aggregate;
    for (uint32_t i = 0; i < position->count; i++) {
        int64_t k = ir_dense_array_int(position, i), size = 0;
        ir_attr body = NULL;
        if (type->kind == IR_TYPE_DIALECT && type->def == LLVM_TYPE(array)) {
            size = type->params[LLVM_ARRAY_SIZE]->value;
        } else if (type->kind == IR_TYPE_DIALECT && type->def == LLVM_TYPE(struct)) {
            body = llvm_struct_get(type).members;
            size = body->count;
        }
        if (k < 0 || k >= size) {
            *out_beyond = k;
            return NULL;
        }
        type = body ? body->items[k]->type : type->params[LLVM_ARRAY_ELEMENT]->type;
    }
    return type;
}
