/* print_dense.c: prints numeric values, and elements of tensors and arrays. */
#include "ir/number.h"
#include "ir/text/print_impl.h"

void ir_put_number(ir_printer *p, ir_type type, uint64_t bits)
{
    if (type->kind == IR_TYPE_FLOAT)
        ir_print_float(ir_float_decode((ir_float_kind)type->sign, bits), bits, type,
                       p->out);
    else if (ir_type_is_integer(type, 1))
        ir_put(p, bits & 1 ? "true" : "false");
    else if (type->kind == IR_TYPE_INTEGER && type->sign == IR_UNSIGNED)
        tw_strbuf_u64(p->out, (uint64_t)ir_int_wrap(type, (int64_t)bits));
    else
        ir_put_int(p, ir_int_wrap(type, (int64_t)bits));
}

static void put_element(ir_printer *p, ir_attr dense, ir_type element, size_t i)
{
    if (dense->splat & 2) {
        ir_put_quoted(p, ir_attr_str(dense->items[dense->splat & 1 ? 0 : i]));
        return;
    }
    size_t size = ir_dense_element_size(element);
    const char *at = (const char *)dense->blob->data + (dense->splat & 1 ? 0 : i * size);
    uint64_t bits = 0;
    if (element->kind == IR_TYPE_COMPLEX) {
        size_t half = size / 2;
        ir_putc(p, '(');
        memcpy(&bits, at, half);
        ir_put_number(p, element->element, bits);
        ir_putc(p, ',');
        bits = 0;
        memcpy(&bits, at + half, half);
        ir_put_number(p, element->element, bits);
        ir_putc(p, ')');
        return;
    }
    memcpy(&bits, at, size);
    ir_put_number(p, element, bits);
}

static void put_nested(ir_printer *p, ir_attr dense, ir_type element, uint32_t dim,
                       size_t *next)
{
    if (dim == dense->type->count) {
        put_element(p, dense, element, (*next)++);
        return;
    }
    ir_putc(p, '[');
    for (int64_t i = 0; i < dense->type->dims[dim]; i++) {
        if (i)
            ir_put(p, ", ");
        put_nested(p, dense, element, dim + 1, next);
    }
    ir_putc(p, ']');
}

void ir_put_hex_bytes(ir_printer *p, const void *bytes, size_t size)
{
    static const char hex[] = "0123456789ABCDEF";
    const unsigned char *data = bytes;
    tw_strbuf_reserve(p->out, size * 2 + 8);
    char *to = p->out->data + p->out->size;
    for (size_t i = 0; i < size; i++) {
        *to++ = hex[data[i] >> 4];
        *to++ = hex[data[i] & 15];
    }
    p->out->size += size * 2;
    p->out->data[p->out->size] = 0;
}

static void put_hex(ir_printer *p, const ir_blob *blob)
{
    ir_put(p, "\"0x");
    ir_put_hex_bytes(p, blob->data, blob->size);
    ir_putc(p, '"');
}

void ir_put_dense_body(ir_printer *p, ir_attr a, bool allow_hex)
{
    ir_type element = ir_type_element(a->type);
    int64_t count = ir_type_num_elements(a->type);
    if (a->splat & 1) {
        put_element(p, a, element, 0);
    } else if (count == 0) {
        return;
    } else if (allow_hex && !(a->splat & 2) &&
               count > (p->options.elide_hex ? p->options.elide_hex : 100)) {
        put_hex(p, a->blob);
    } else {
        size_t next = 0;
        put_nested(p, a, element, 0, &next);
    }
}

void ir_put_dense(ir_printer *p, ir_attr a)
{
    if (p->options.elide_elements > 0 && !(a->splat & 1) &&
        ir_type_num_elements(a->type) > p->options.elide_elements) {
        ir_put(p, "dense_resource<__elided__>");
        return;
    }
    ir_put(p, "dense<");
    ir_put_dense_body(p, a, true);
    ir_putc(p, '>');
}

void ir_put_dense_array_items(ir_printer *p, ir_attr a)
{
    size_t size = ir_dense_element_size(a->type);
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)a->blob->data + i * size, size);
        if (i)
            ir_put(p, ", ");
        ir_put_number(p, a->type, bits);
    }
}

void ir_put_dense_array_bare(ir_printer *p, ir_attr a)
{
    ir_putc(p, '[');
    ir_put_dense_array_items(p, a);
    ir_putc(p, ']');
}
