/* flatbuffer/verify.h: proving that foreign bytes are a flatbuffer of a kind.
 *
 * After fb_open succeeds, every access of reader.h stays inside the bytes: all offsets,
 * vtables, strings and vectors that can be reached from the root lie inside and are
 * aligned, strings are terminated, unions have a known type and a value, enumerations have
 * a known value, and the fields that readers rely on (FB_REQUIRED) are there.  Shared
 * objects are looked at once, so the time is linear in the size.  The bytes may still say
 * nonsense; ttnn_program.h checks meaning. */
#ifndef TILEWRIGHT_FLATBUFFER_VERIFY_H
#define TILEWRIGHT_FLATBUFFER_VERIFY_H

#include "flatbuffer/reader.h"
#include "support/status.h"

/* Checks all of it.  The bytes are borrowed and must stay unchanged while views are used.
 */
tw_status fb_open(const void *data, size_t size, fb_file_id kind, fb_view *out_root);

/* Which kind of file this is, by its identifier. */
tw_status fb_detect(const void *data, size_t size, fb_file_id *out_kind);

#endif
