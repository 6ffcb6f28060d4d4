/* strbuf.c: see strbuf.h. */
#include "support/strbuf.h"

#include "support/arena.h"

#include <stdio.h>
#include <stdlib.h>

void tw_strbuf_reserve(tw_strbuf *buf, size_t more)
{
    size_t need = buf->size + more + 1;
    if (need <= buf->capacity)
        return;
    size_t capacity = buf->capacity ? buf->capacity : 64;
    while (capacity < need)
        capacity *= 2;
    buf->data = tw_xrealloc(buf->data, capacity);
    buf->capacity = capacity;
}

void tw_strbuf_free(tw_strbuf *buf)
{
    free(buf->data);
    *buf = (tw_strbuf){0};
}

void tw_strbuf_vprintf(tw_strbuf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    tw_strbuf_reserve(buf, (size_t)size);
    vsnprintf(buf->data + buf->size, (size_t)size + 1, format, args);
    buf->size += (size_t)size;
}

void tw_strbuf_printf(tw_strbuf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw_strbuf_vprintf(buf, format, args);
    va_end(args);
}

void tw_strbuf_u64(tw_strbuf *buf, uint64_t value)
{
    /* Two digits per step: value numbers are most of the printed text. */
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char digits[20];
    size_t n = sizeof digits;
    for (; value >= 100; value /= 100)
        memcpy(digits + (n -= 2), pairs + value % 100 * 2, 2);
    if (value >= 10)
        memcpy(digits + (n -= 2), pairs + value * 2, 2);
    else
        digits[--n] = (char)('0' + value);
    tw_strbuf_append(buf, digits + n, sizeof digits - n);
}

void tw_strbuf_i64(tw_strbuf *buf, int64_t value)
{
    if (value < 0)
        tw_strbuf_putc(buf, '-');
    tw_strbuf_u64(buf, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

char *tw_strbuf_take(tw_strbuf *buf)
{
    tw_strbuf_reserve(buf, 0);
    char *data = buf->data;
    data[buf->size] = 0;
    *buf = (tw_strbuf){0};
    return data;
}

void tw_strbuf_markup(tw_strbuf *buf, tw_str text)
{
    for (size_t i = 0; i < text.size; i++)
        switch (text.data[i]) {
        case '<':
            tw_strbuf_puts(buf, "&lt;");
            break;
        case '>':
            tw_strbuf_puts(buf, "&gt;");
            break;
        case '&':
            tw_strbuf_puts(buf, "&amp;");
            break;
        case '"':
            tw_strbuf_puts(buf, "&quot;");
            break;
        default:
            tw_strbuf_putc(buf, text.data[i]);
        }
}
