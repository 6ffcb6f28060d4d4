/* json.h: JSON, written from top to bottom, indented by 2. */
#ifndef TILEWRIGHT_SUPPORT_JSON_H
#define TILEWRIGHT_SUPPORT_JSON_H

#include "support/strbuf.h"

/* Appends a string with its quotation marks; what is not ASCII is escaped, bytes that are
 * no UTF-8 become U+FFFD. */
void tw_json_string(tw_strbuf *out, tw_str text);

typedef struct tw_json {
    tw_strbuf *out;
    int depth;
    bool more; /* something stands before in this object or array */
} tw_json;

/* `name` is NULL at the top and in arrays; `bracket` is '{' or '[', '}' or ']'. */
void tw_json_open(tw_json *j, const char *name, char bracket);
void tw_json_close(tw_json *j, char bracket);
void tw_json_u64(tw_json *j, const char *name, uint64_t value);
void tw_json_real(tw_json *j, const char *name,
                  double value); /* digits that give it back */
void tw_json_bool(tw_json *j, const char *name, bool value);
void tw_json_text(tw_json *j, const char *name, tw_str value);

#endif
