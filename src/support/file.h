/* file.h: reading and writing whole files. */
#ifndef TILEWRIGHT_SUPPORT_FILE_H
#define TILEWRIGHT_SUPPORT_FILE_H

#include "support/status.h"
#include "support/strbuf.h"

/* Reads a file, or standard input for "-".  The caller frees out->data. */
tw_status tw_file_read(const char *path, tw_strbuf *out) TW_NODISCARD;
/* Writes a temporary or unnamed file and renames it when it is complete: a reader never
 * sees a partial file, and an interrupted or failed write leaves none.  "-" is standard
 * output. */
tw_status tw_file_write(const char *path, const void *data, size_t size) TW_NODISCARD;

/* Creates a folder and its missing parents. */
tw_status tw_folder_make(const char *path) TW_NODISCARD;

#endif
