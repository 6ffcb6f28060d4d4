/* cursor.c: reads integers and strings from bytecode, bounds-checked. */
#include "ir/bytecode/reader.h"

#include <stdarg.h>
#include <stdio.h>

ir_context *ir_in_context(ir_bytecode_in *in)
{
    return in->reader->ctx;
}

bool ir_in_failed(const ir_bytecode_in *in)
{
    return in->failed;
}

size_t ir_in_left(const ir_bytecode_in *in)
{
    return (size_t)(in->end - in->at);
}

bool ir_in_fail(ir_bytecode_in *in, const char *format, ...)
{
    ir_bytecode_reader *r = in->reader;
    if (!in->failed && !r->reported) {
        char text[256];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        ir_error(r->ctx, r->loc, "bytecode offset %zu (%s): %s", (size_t)(in->at - r->base),
                 in->section, text);
    }
    r->reported = true;
    in->failed = true;
    in->end = in->at;
    return false;
}

void *ir_in_scratch(ir_bytecode_in *in, size_t size)
{
    return tw_arena_alloc(&in->reader->scratch, size ? size : 1);
}

const void *ir_in_bytes(ir_bytecode_in *in, size_t size)
{
    if (size > ir_in_left(in)) {
        ir_in_fail(in, "expected %zu bytes, found %zu", size, ir_in_left(in));
        return NULL;
    }
    const void *data = in->failed ? NULL : in->at;
    in->at += size;
    return data;
}

uint8_t ir_in_byte(ir_bytecode_in *in)
{
    if (TW_UNLIKELY(in->at == in->end)) {
        ir_in_fail(in, "expected a byte, found the end");
        return 0;
    }
    return *in->at++;
}

/* The number of trailing zero bits of the first byte is the number of bytes that follow. */
uint64_t ir_in_varint(ir_bytecode_in *in)
{
    if (TW_LIKELY(in->at != in->end && (*in->at & 1)))
        return *in->at++ >> 1;
    if (in->at == in->end) {
        ir_in_fail(in, "expected a number, found the end");
        return 0;
    }
    uint8_t first = *in->at;
    unsigned more = first ? (unsigned)__builtin_ctz(first) : 8;
    if (more + 1 > ir_in_left(in)) {
        ir_in_fail(in, "expected an integer of %u bytes, found %zu", more + 1,
                   ir_in_left(in));
        return 0;
    }
    uint64_t value = 0;
    if (more == 8) {
        for (unsigned i = 0; i < 8; i++)
            value |= (uint64_t)in->at[1 + i] << 8 * i;
    } else {
        for (unsigned i = 0; i <= more; i++)
            value |= (uint64_t)in->at[i] << 8 * i;
        value >>= more + 1;
    }
    in->at += more + 1;
    return value;
}

int64_t ir_in_svarint(ir_bytecode_in *in)
{
    uint64_t value = ir_in_varint(in);
    return (int64_t)(value >> 1 ^ (~(value & 1) + 1));
}

size_t ir_in_count(ir_bytecode_in *in)
{
    uint64_t count = ir_in_varint(in);
    if (count > ir_in_left(in)) {
        ir_in_fail(in, "a count of %llu, but only %zu bytes are left",
                   (unsigned long long)count, ir_in_left(in));
        return 0;
    }
    return (size_t)count;
}

bool bc_index(ir_bytecode_in *in, uint64_t index, size_t count, const char *what)
{
    return index < count || ir_in_fail(in, "%s %llu, but there are %zu", what,
                                       (unsigned long long)index, count);
}

tw_str ir_in_string(ir_bytecode_in *in)
{
    uint64_t index = ir_in_varint(in);
    if (in->failed || !bc_index(in, index, in->reader->n_strings, "string"))
        return (tw_str){"", 0};
    return in->reader->strings[index];
}

/* Up to 8 bits raw, up to 64 as a signed varint, above as words (the lowest is kept). */
uint64_t ir_in_bits(ir_bytecode_in *in, uint32_t width)
{
    uint64_t value = 0;
    if (width == 0)
        return 0;
    if (width <= 8)
        value = ir_in_byte(in);
    else if (width <= 64)
        value = (uint64_t)ir_in_svarint(in);
    else {
        size_t words = ir_in_count(in);
        for (size_t i = 0; i < words; i++) {
            int64_t word = ir_in_svarint(in);
            if (i == 0)
                value = (uint64_t)word;
            else if (word != ((int64_t)value < 0 ? -1 : 0) && word != 0)
                ir_in_fail(in, "integers beyond 64 bits are not supported");
        }
        return value;
    }
    return width == 64 ? value : value & (((uint64_t)1 << width) - 1);
}

const int64_t *ir_in_ints(ir_bytecode_in *in, size_t *out_count)
{
    size_t count = ir_in_count(in);
    int64_t *values = ir_in_scratch(in, count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = ir_in_svarint(in);
    *out_count = in->failed ? 0 : count;
    return values;
}

const ir_type *ir_in_types(ir_bytecode_in *in, size_t *out_count)
{
    size_t count = ir_in_count(in);
    ir_type *types = ir_in_scratch(in, count * sizeof *types);
    for (size_t i = 0; i < count && !in->failed; i++)
        types[i] = ir_in_type(in);
    *out_count = in->failed ? 0 : count;
    return types;
}

ir_attr ir_in_attrs(ir_bytecode_in *in)
{
    size_t count = ir_in_count(in);
    ir_attr *items = ir_in_scratch(in, count * sizeof *items);
    for (size_t i = 0; i < count && !in->failed; i++)
        items[i] = ir_in_attr(in);
    return in->failed ? NULL : ir_array_attr(in->reader->ctx, items, count);
}

bool ir_in_resource(ir_bytecode_in *in, ir_ident *dialect, ir_ident *key)
{
    ir_bytecode_reader *r = in->reader;
    uint64_t index = ir_in_varint(in);
    if (in->failed || !bc_index(in, index, r->n_resources, "resource"))
        return false;
    *dialect = r->resources[index].dialect;
    *key = r->resources[index].key;
    return true;
}
