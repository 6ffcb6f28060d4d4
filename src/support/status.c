/* status.c: see support/status.h and tilewright/status.h. */
#include "support/status.h"

#include "support/arena.h"
#include "support/guard.h"
#include "support/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

struct tw_error {
    tw_code code;
    char *message;
    const char *rule; /* a constant, or NULL */
    bool abrupt;      /* from tw_no_memory: a function was left in the middle */
};

/* What is returned when there is no memory for a message either. */
static char no_message[] = "out of memory";
static struct tw_error no_memory_left = {TW_RESOURCE, no_message, NULL, true};

tw_status tw_no_memory(size_t size)
{
    struct tw_error *error = malloc(sizeof *error);
    char *message = malloc(64);
    if (!error || !message) {
        free(error);
        free(message);
        return &no_memory_left;
    }
    snprintf(message, 64, "out of memory (%zu bytes)", size);
    *error = (struct tw_error){TW_RESOURCE, message, NULL, true};
    return error;
}

bool tw_is_out_of_memory(tw_status status)
{
    return status && status->abrupt;
}

static tw_status make(tw_code code, char *message)
{
    struct tw_error *error = tw_xmalloc(sizeof *error);
    *error = (struct tw_error){code, message, NULL, false};
    return error;
}

tw_status tw_error(tw_code code, const char *format, ...)
{
    tw_strbuf text = {0};
    va_list args;
    va_start(args, format);
    tw_strbuf_vprintf(&text, format, args);
    va_end(args);
    return make(code, tw_strbuf_take(&text));
}

tw_status tw_annotate(tw_status status, const char *format, ...)
{
    if (status == TW_SUCCESS || status == &no_memory_left)
        return status;
    tw_strbuf text = {0};
    va_list args;
    va_start(args, format);
    tw_strbuf_vprintf(&text, format, args);
    va_end(args);
    tw_strbuf_puts(&text, ": ");
    tw_strbuf_puts(&text, status->message);
    free(status->message);
    status->message = tw_strbuf_take(&text);
    return status;
}

tw_status tw_classify(tw_status status, const char *rule)
{
    if (status != TW_SUCCESS && status != &no_memory_left)
        status->rule = rule;
    return status;
}

TW_EXPORT tw_code tw_status_code(tw_status status)
{
    return status ? status->code : TW_OK;
}

TW_EXPORT const char *tw_status_rule(tw_status status)
{
    return status && status->rule ? status->rule : "";
}

TW_EXPORT const char *tw_status_message(tw_status status)
{
    return status ? status->message : "";
}

TW_EXPORT void tw_status_free(tw_status status)
{
    if (!status || status == &no_memory_left)
        return;
    free(status->message);
    free(status);
}

TW_EXPORT const char *tw_code_name(tw_code code)
{
    static const char *const names[] = {"ok",       "invalid", "not found", "unsupported",
                                        "resource", "io",      "cancelled", "internal"};
    return (size_t)code < TW_COUNT(names) ? names[code] : "unknown";
}
