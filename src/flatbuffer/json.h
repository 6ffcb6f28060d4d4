/* flatbuffer/json.h: a flatbuffer as JSON, as `ttrt read` and `flatc --json` show
 * it. */
#ifndef TILEWRIGHT_FLATBUFFER_JSON_H
#define TILEWRIGHT_FLATBUFFER_JSON_H

#include "flatbuffer/reader.h"
#include "support/json.h"
#include "support/status.h"
#include "support/strbuf.h"

/* Appends the table: default scalars included, enums by name, optional scalars that are
 * absent as null, unions as NAME_type and NAME; indented by 2 from `indent` spaces.  Floats
 * have the digits that give them back; nan and inf stand bare, as in the peers' output.
 *
 * A shared object is printed wherever it is referred to, so a hostile file of a few bytes
 * could print for ever: past `limit` bytes of text (0 = FB_JSON_LIMIT) it is an error. */
tw_status fb_to_json(fb_view table, int indent, size_t limit, tw_strbuf *out);
/* The same of a field that is there. */
tw_status fb_field_to_json(fb_view table, int slot, int indent, size_t limit,
                           tw_strbuf *out);

#define FB_JSON_LIMIT ((size_t)4 << 30)

#endif
