/* json.h: a JSON writer that indents by 2. */
#ifndef TILEWRIGHT_SUPPORT_JSON_H
#define TILEWRIGHT_SUPPORT_JSON_H

#include "support/strbuf.h"

/* Appends a quoted string; non-ASCII characters are escaped, invalid UTF-8 becomes
 * U+FFFD. */
void tw_json_string(tw_strbuf *out, tw_str text);

typedef struct tw_json {
    tw_strbuf *out;
    int depth;
    bool more; /* this object or array already has a member */
} tw_json;

/* `name` is NULL at the top and in arrays; `bracket` is '{' or '[', '}' or ']'. */
void tw_json_open(tw_json *j, const char *name, char bracket);
void tw_json_close(tw_json *j, char bracket);
void tw_json_u64(tw_json *j, const char *name, uint64_t value);
void tw_json_real(tw_json *j, const char *name,
                  double value); /* with enough digits to round-trip */
void tw_json_bool(tw_json *j, const char *name, bool value);
void tw_json_text(tw_json *j, const char *name, tw_str value);

#endif
