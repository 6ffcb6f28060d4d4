/* llvm_struct.c: the llvm dialect's structs.
 *
 *   struct = "<" [ name "," ] ( "opaque" | [ "packed" ] "(" [ types ] ")" ) ">"
 *          | "<" name ">"                  inside of the struct of that name
 *
 * A named struct is interned by its name alone, so that it can contain itself; its body is
 * in a table of the context, defined once. */
#include "llvm/llvm_hooks.h"

#include <stdlib.h>

/* The structs enclosing the one being read or written, innermost first. */
typedef struct enclosing {
    const struct enclosing *outer;
    ir_attr name;
} enclosing;

typedef struct known_structs {
    ir_mapping *bodies; /* name -> llvm_struct_body */
    const enclosing *read, *written;
} known_structs;

static void free_known(void *value)
{
    known_structs *known = value;
    ir_mapping_free(known->bodies);
    free(known);
}

static known_structs *known_of(ir_context *ctx)
{
    known_structs *known = ir_context_slot(ctx, IR_SLOT_LLVM_STRUCTS);
    if (!known) {
        known = tw_xcalloc(1, sizeof *known);
        known->bodies = ir_mapping_create();
        ir_context_set_slot(ctx, IR_SLOT_LLVM_STRUCTS, known, free_known);
    }
    return known;
}

static bool is_inside(const enclosing *around, ir_attr name)
{
    for (; around; around = around->outer)
        if (around->name == name)
            return true;
    return false;
}

static ir_type make_struct(ir_context *ctx, ir_attr name, llvm_struct_body body)
{
    ir_attr params[] = {name, ir_raw_int(ctx, body.packed), ir_raw_int(ctx, body.opaque),
                        body.members};
    return ir_dialect_type(ctx, LLVM_TYPE(struct), params, TW_COUNT(params));
}

static ir_type named_struct(ir_context *ctx, ir_attr name)
{
    return make_struct(ctx, name,
                       (llvm_struct_body){.members = ir_array_attr(ctx, NULL, 0)});
}

llvm_struct_body llvm_struct_get(ir_type type)
{
    const llvm_struct_body *defined = NULL;
    if (type->params[LLVM_STRUCT_NAME])
        defined =
            ir_mapping_get(known_of(type->ctx)->bodies, type->params[LLVM_STRUCT_NAME]);
    return defined ? *defined
                   : (llvm_struct_body){type->params[LLVM_STRUCT_BODY],
                                        type->params[LLVM_STRUCT_PACKED]->value,
                                        type->params[LLVM_STRUCT_OPAQUE]->value};
}

/* ---- reading ------------------------------------------------------------------------ */

/* Defines the struct's body, read at `at`; reports a redefinition with a different body. */
static bool define_body(ir_parser *p, const char *at, ir_attr name, llvm_struct_body body)
{
    known_structs *known = known_of(p->ctx);
    llvm_struct_body *defined = ir_mapping_get(known->bodies, name);
    if (!defined) {
        defined = tw_arena_alloc(ir_context_arena(p->ctx), sizeof *defined);
        *defined = body;
        ir_mapping_set(known->bodies, name, defined);
        return true;
    }
    if (body.opaque && !defined->opaque)
        return ir_fail(p, at, "redeclaring defined struct as opaque");
    return (defined->members == body.members && defined->packed == body.packed &&
            defined->opaque == body.opaque) ||
           ir_fail(p, at, "identified type already used with a different body");
}

static bool parse_body(ir_parser *p, ir_attr name, llvm_struct_body *out)
{
    known_structs *known = known_of(p->ctx);
    enclosing here = {known->read, name};
    if (name && ir_at_keyword(p, "opaque")) {
        const char *at = p->tok.at;
        ir_next(p);
        *out =
            (llvm_struct_body){.members = ir_array_attr(p->ctx, NULL, 0), .opaque = true};
        return define_body(p, at, name, *out);
    }
    out->packed = ir_accept_keyword(p, "packed");
    out->opaque = false;
    if (name)
        known->read = &here;
    const char *at = p->cursor; /* after the bracket */
    bool done = llvm_parse_types(p, &out->members, NULL);
    known->read = here.outer;
    return done && (!name || define_body(p, at, name, *out));
}

/* ["name"]; *out_whole is set if nothing may follow */
static bool parse_name(ir_parser *p, ir_attr *out, bool *out_whole)
{
    tw_str text;
    const enclosing *around = known_of(p->ctx)->read;
    *out_whole = false;
    if (p->tok.kind != IR_TOK_STRING)
        return true;
    if (!ir_parse_string(p, &text))
        return false;
    *out = ir_string_attr(p->ctx, text);
    bool inside = is_inside(around, *out);
    if (ir_at_punct(p, '>')) {
        *out_whole = true;
        return inside ||
               ir_fail(p, p->tok.at,
                       "struct without a body only allowed in a recursive struct");
    }
    if (!ir_expect_punct(p, ','))
        return false;
    return !inside ||
           ir_fail(p, p->tok.at, "identifier already used for an enclosing struct");
}

ir_type llvm_parse_struct(ir_parser *p, const ir_type_def *def)
{
    ir_attr name = NULL;
    llvm_struct_body body = {0};
    bool whole;
    (void)def;
    if (!ir_expect_punct(p, '<') || !parse_name(p, &name, &whole) ||
        (!whole && !parse_body(p, name, &body)) || !ir_expect_punct(p, '>'))
        return NULL;
    return name ? named_struct(p->ctx, name) : make_struct(p->ctx, NULL, body);
}

/* ---- writing ------------------------------------------------------------------------ */

void llvm_print_struct(ir_printer *p, ir_type type)
{
    known_structs *known = known_of(p->ctx);
    llvm_struct_body body = llvm_struct_get(type);
    enclosing here = {known->written, type->params[LLVM_STRUCT_NAME]};
    ir_putc(p, '<');
    if (here.name) {
        ir_put_quoted(p, ir_attr_str(here.name));
        if (is_inside(here.outer, here.name)) {
            ir_putc(p, '>');
            return;
        }
        ir_put(p, ", ");
        known->written = &here;
    }
    if (body.opaque) {
        ir_put(p, "opaque>");
    } else {
        ir_put(p, body.packed ? "packed (" : "(");
        llvm_put_types(p, body.members);
        ir_put(p, ")>");
    }
    known->written = here.outer;
}
