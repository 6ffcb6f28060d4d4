/* flatbuffer/verify.h: verifies that untrusted bytes are a flatbuffer of a given kind.
 *
 * After fb_open succeeds, every access of reader.h stays inside the bytes: all offsets,
 * vtables, strings and vectors reachable from the root lie inside and are aligned, strings
 * are terminated, unions have a known type and a value, enumerations have a known value,
 * and the fields that readers rely on (FB_REQUIRED) are present.  Shared objects are
 * visited once, so the time is linear in the size.  The contents may still be meaningless;
 * ttnn_program.h checks meaning. */
#ifndef TILEWRIGHT_FLATBUFFER_VERIFY_H
#define TILEWRIGHT_FLATBUFFER_VERIFY_H

#include "flatbuffer/reader.h"
#include "support/status.h"

/* Verifies the whole file.  The bytes are borrowed and must stay unchanged while views are
 * used. */
tw_status fb_open(const void *data, size_t size, fb_file_id kind, fb_view *out_root);

/* Determines the kind of file by its identifier. */
tw_status fb_detect(const void *data, size_t size, fb_file_id *out_kind);

#endif
