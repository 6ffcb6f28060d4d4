/* flatbuffer/json.h: a flatbuffer as JSON, as `ttrt read` and `flatc --json` show
 * it. */
#ifndef TILEWRIGHT_FLATBUFFER_JSON_H
#define TILEWRIGHT_FLATBUFFER_JSON_H

#include "flatbuffer/reader.h"
#include "support/json.h"
#include "support/status.h"
#include "support/strbuf.h"

/* Appends the table: default scalars included, enums by name, absent optional scalars as
 * null, unions as NAME_type and NAME; indented by 2 from `indent` spaces.  Floats have
 * enough digits to round-trip; nan and inf are unquoted, as in tt-mlir's output.
 *
 * A shared object is printed at every reference, so a hostile file of a few bytes could
 * print forever: more than `limit` bytes of text (0 = FB_JSON_LIMIT) is an error. */
tw_status fb_to_json(fb_view table, int indent, size_t limit, tw_strbuf *out);
/* The same for a field that is present. */
tw_status fb_field_to_json(fb_view table, int slot, int indent, size_t limit,
                           tw_strbuf *out);

#define FB_JSON_LIMIT ((size_t)4 << 30)

#endif
