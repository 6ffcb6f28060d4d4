/* file.h: whole files in and out. */
#ifndef TILEWRIGHT_SUPPORT_FILE_H
#define TILEWRIGHT_SUPPORT_FILE_H

#include "support/status.h"
#include "support/strbuf.h"

/* Reads a file, or standard input for "-".  The caller frees out->data. */
tw_status tw_file_read(const char *path, tw_strbuf *out) TW_NODISCARD;
/* Writes a file of another name, or of none, and gives it its name when it is complete: a
 * reader never sees half a file, and whoever is stopped or has no space leaves none.  "-"
 * is standard output. */
tw_status tw_file_write(const char *path, const void *data, size_t size) TW_NODISCARD;

/* Makes a folder, and those around it, where they are missing. */
tw_status tw_folder_make(const char *path) TW_NODISCARD;

#endif
