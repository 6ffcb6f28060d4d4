/* print_type.c: writing types. */
#include "ir/text/print_impl.h"

void ir_put_dims(ir_printer *p, const int64_t *dims, size_t count, bool trailing_x)
{
    for (size_t i = 0; i < count; i++) {
        if (dims[i] == IR_DYNAMIC)
            ir_putc(p, '?');
        else
            ir_put_int(p, dims[i]);
        if (trailing_x || i + 1 < count)
            ir_putc(p, 'x');
    }
}

static void put_type_list(ir_printer *p, const ir_type *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_type(p, types[i]);
    }
}

static void put_function_type(ir_printer *p, ir_type t)
{
    const ir_type *results = ir_function_results(t);
    ir_putc(p, '(');
    put_type_list(p, t->types, t->count);
    ir_put(p, ") -> ");
    bool bare = t->results == 1 && results[0]->kind != IR_TYPE_FUNCTION;
    if (!bare)
        ir_putc(p, '(');
    put_type_list(p, results, t->results);
    if (!bare)
        ir_putc(p, ')');
}

static void put_vector(ir_printer *p, ir_type t)
{
    ir_put(p, "vector<");
    for (uint32_t i = 0; i < t->count; i++)
        ir_putf(p, t->scalable && t->scalable[i] ? "[%lld]x" : "%lldx",
                (long long)t->dims[i]);
    ir_put_type(p, t->element);
    ir_putc(p, '>');
}

static void put_memref_tail(ir_printer *p, ir_type t)
{
    ir_put_type(p, t->element);
    if (t->encoding) {
        ir_put(p, ", ");
        ir_put_attr(p, t->encoding);
    }
    if (t->space) {
        ir_put(p, ", ");
        ir_put_attr_in_list(p, t->space);
    }
    ir_putc(p, '>');
}

static void spell_known_type(ir_printer *p, ir_type t)
{
    switch (t->kind) {
    case IR_TYPE_INTEGER:
        ir_put(p, t->sign == IR_SIGNED ? "si" : t->sign == IR_UNSIGNED ? "ui" : "i");
        ir_put_int(p, t->width);
        return;
    case IR_TYPE_FLOAT:
        ir_put(p, ir_float_name((ir_float_kind)t->sign));
        return;
    case IR_TYPE_INDEX:
        ir_put(p, "index");
        return;
    case IR_TYPE_NONE:
        ir_put(p, "none");
        return;
    case IR_TYPE_COMPLEX:
        ir_put(p, "complex<");
        ir_put_type(p, t->element);
        ir_putc(p, '>');
        return;
    case IR_TYPE_VECTOR:
        put_vector(p, t);
        return;
    case IR_TYPE_TENSOR:
        ir_put(p, "tensor<");
        ir_put_dims(p, t->dims, t->count, true);
        ir_put_type(p, t->element);
        if (t->encoding) {
            ir_put(p, ", ");
            ir_put_attr(p, t->encoding);
        }
        ir_putc(p, '>');
        return;
    case IR_TYPE_UNRANKED_TENSOR:
        ir_put(p, "tensor<*x");
        ir_put_type(p, t->element);
        ir_putc(p, '>');
        return;
    case IR_TYPE_MEMREF:
        ir_put(p, "memref<");
        ir_put_dims(p, t->dims, t->count, true);
        put_memref_tail(p, t);
        return;
    case IR_TYPE_UNRANKED_MEMREF:
        ir_put(p, "memref<*x");
        put_memref_tail(p, t);
        return;
    case IR_TYPE_FUNCTION:
        put_function_type(p, t);
        return;
    case IR_TYPE_TUPLE:
        ir_put(p, "tuple<");
        put_type_list(p, t->types, t->count);
        ir_putc(p, '>');
        return;
    case IR_TYPE_DIALECT:
        ir_put_dialect_type(p, t);
        return;
    default:
        ir_putf(p, "!%s", t->dialect->text);
        ir_put_str(p, ir_ident_str(t->body));
        return;
    }
}

static void spell_type(ir_printer *p, ir_type t)
{
    if (++p->depth > IR_MAX_PRINTED_NESTING)
        ir_putf(p, "<<TYPE NESTED DEEPER THAN %d>>", IR_MAX_PRINTED_NESTING);
    else
        spell_known_type(p, t);
    p->depth--;
}

void ir_put_type(ir_printer *p, ir_type t)
{
    if (!t) {
        ir_put(p, "<<NULL TYPE>>");
        return;
    }
    if (t->has_alias && p->aliases) {
        if (!ir_put_alias_type(p, t))
            spell_type(p, t);
        return;
    }
    if (!p->type_texts) {
        spell_type(p, t);
        return;
    }
    if (p->collecting || ir_put_cached_type(p, t))
        return; /* it cannot contain an alias; or printed */
    size_t start = p->out->size;
    spell_type(p, t);
    ir_cache_type_text(p, t, start);
}
