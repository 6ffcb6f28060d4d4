/* zip_library.h: libzip, loaded when an archive is first read or written: other runs start
 * without it, and an installation works without it but for archives. */
#pragma once

#include "tilewright/status.h"

#include <zip.h>

#define ZIP_FUNCTIONS(F)                                                                   \
    F(zip_close)                                                                           \
    F(zip_discard)                                                                         \
    F(zip_error_fini)                                                                      \
    F(zip_error_init_with_code)                                                            \
    F(zip_error_strerror)                                                                  \
    F(zip_fclose)                                                                          \
    F(zip_file_add)                                                                        \
    F(zip_file_strerror)                                                                   \
    F(zip_fopen_index)                                                                     \
    F(zip_fread)                                                                           \
    F(zip_get_num_entries)                                                                 \
    F(zip_open)                                                                            \
    F(zip_open_from_source)                                                                \
    F(zip_set_file_compression)                                                            \
    F(zip_source_buffer)                                                                   \
    F(zip_source_buffer_create)                                                            \
    F(zip_source_close)                                                                    \
    F(zip_source_free)                                                                     \
    F(zip_source_keep)                                                                     \
    F(zip_source_open)                                                                     \
    F(zip_source_read)                                                                     \
    F(zip_source_stat)                                                                     \
    F(zip_stat_index)                                                                      \
    F(zip_strerror)

/* Members have the names and types of libzip's functions. */
typedef struct zip_library {
#define F(name) __typeof__(name) *name;
    ZIP_FUNCTIONS(F)
#undef F
} zip_library;

/* Loads libzip into `out`.  TW_UNSUPPORTED, naming the package to install, if it is
 * missing; `path` is the archive that needs it.  Loading it again is cheap. */
tw_status zip_library_load(const char *path, zip_library *out);
