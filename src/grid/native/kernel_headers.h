/* grid/native/kernel_headers.h: the headers that kernels in C++ are compiled against. */
#ifndef TILEWRIGHT_GRID_NATIVE_KERNEL_HEADERS_H
#define TILEWRIGHT_GRID_NATIVE_KERNEL_HEADERS_H

#include "support/status.h"
#include "support/strbuf.h"

#include <stdbool.h>

/* Whether a name in C++ may have the character. */
static inline bool dev_in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

/* Everything, as one text: what compiled kernels depend on. */
void dev_headers_text(tw_strbuf *out);
/* The functions of the rows, kernel_ops.hpp. */
void dev_headers_ops(tw_strbuf *out);
/* Names of the functions that kernels may call, sorted, a line each. */
void dev_headers_names(tw_strbuf *out);
/* The i-th path, from 0 on, under which kernels include them; false: there are no more. */
bool dev_headers_path(size_t i, tw_strbuf *out);
/* Writes them into a folder, which must exist, under the paths that kernels include. */
tw_status dev_headers_write(const char *folder);

#endif
