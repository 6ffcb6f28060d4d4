/* grid/native/kernel_headers.h: the headers that kernels in C++ are compiled against. */
#ifndef TILEWRIGHT_GRID_NATIVE_KERNEL_HEADERS_H
#define TILEWRIGHT_GRID_NATIVE_KERNEL_HEADERS_H

#include "support/status.h"
#include "support/strbuf.h"

#include <stdbool.h>

/* True if a name in C++ may contain the character. */
static inline bool dev_in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* All headers as one text: compiled kernels depend on it. */
void dev_headers_text(tw_strbuf *out);
/* The functions generated from the operations' rows, kernel_ops.hpp. */
void dev_headers_ops(tw_strbuf *out);
/* Names of the functions that kernels may call, sorted, one per line. */
void dev_headers_names(tw_strbuf *out);
/* Returns the i-th path under which kernels include the headers; false past the end. */
bool dev_headers_path(size_t i, tw_strbuf *out);
/* Writes the headers into an existing folder, under the paths that kernels include. */
tw_status dev_headers_write(const char *folder);

#endif
