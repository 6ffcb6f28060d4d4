/* strbuf.h: append-only text buffers. */
#ifndef TILEWRIGHT_SUPPORT_STRBUF_H
#define TILEWRIGHT_SUPPORT_STRBUF_H

#include "support/base.h"

#include <stdarg.h>

/* A zeroed struct is a valid empty buffer.  `data` is always terminated once anything
 * has been written, and may hold zero bytes of its own. */
typedef struct tw_strbuf {
    char *data;
    size_t size, capacity;
} tw_strbuf;

void tw_strbuf_reserve(tw_strbuf *buf, size_t more);
void tw_strbuf_free(tw_strbuf *buf);
void tw_strbuf_printf(tw_strbuf *buf, const char *format, ...) TW_PRINTF(2, 3);
void tw_strbuf_vprintf(tw_strbuf *buf, const char *format, va_list args);
void tw_strbuf_i64(tw_strbuf *buf, int64_t value);
void tw_strbuf_u64(tw_strbuf *buf, uint64_t value);
/* The text for XML and HTML: <, >, & and " as entities. */
void tw_strbuf_markup(tw_strbuf *buf, tw_str text);

static inline void tw_strbuf_append(tw_strbuf *buf, const void *data, size_t size)
{
    if (TW_UNLIKELY(buf->capacity - buf->size <= size))
        tw_strbuf_reserve(buf, size);
    if (size)
        memcpy(buf->data + buf->size, data, size);
    buf->size += size;
    buf->data[buf->size] = 0;
}

static inline void tw_strbuf_puts(tw_strbuf *buf, const char *s)
{
    tw_strbuf_append(buf, s, strlen(s));
}

static inline void tw_strbuf_str(tw_strbuf *buf, tw_str s)
{
    tw_strbuf_append(buf, s.data, s.size);
}

static inline void tw_strbuf_putc(tw_strbuf *buf, char c)
{
    tw_strbuf_append(buf, &c, 1);
}

/* The text so far, never NULL; valid until the next write. */
static inline const char *tw_strbuf_text(const tw_strbuf *buf)
{
    return buf->data ? buf->data : "";
}

/* Returns the heap string (the caller frees it) and empties the buffer. */
char *tw_strbuf_take(tw_strbuf *buf);

#endif
