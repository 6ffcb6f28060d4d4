/* file.h: whole files in and out. */
#ifndef TILEWRIGHT_SUPPORT_FILE_H
#define TILEWRIGHT_SUPPORT_FILE_H

#include "support/status.h"
#include "support/strbuf.h"

/* Reads a file, or standard input for "-".  The caller frees out->data. */
tw_status tw_file_read(const char *path, tw_strbuf *out) TW_NODISCARD;
/* Writes through a temporary file beside the target and renames it, so that a reader
 * never sees half a file; "-" is standard output. */
tw_status tw_file_write(const char *path, const void *data, size_t size) TW_NODISCARD;

#endif
