/* status.h: error reporting of functions that use files, devices or foreign bytes.
 *
 * A tw_status is one pointer: NULL is success, anything else is an owned error with a code
 * and a message that names the location, what was expected and what was found. A returned
 * status must be used: the caller forwards it or frees it with tw_status_free. Errors in a
 * user's program are diagnostics instead; internal errors are assertions. */
#ifndef TILEWRIGHT_STATUS_H
#define TILEWRIGHT_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_error *tw_status;

typedef enum tw_code {
    TW_OK = 0,
    TW_INVALID,     /* the caller's argument or the input file is wrong */
    TW_NOT_FOUND,   /* a file, device, program or name does not exist */
    TW_UNSUPPORTED, /* valid, but not implemented; tools exit with 77 */
    TW_RESOURCE,    /* memory, L1, disk or another limit is exhausted */
    TW_IO,          /* the operating system reported an error */
    TW_CANCELLED,   /* cancelled by the caller */
    TW_INTERNAL,    /* an internal check failed */
} tw_code;

#define TW_SUCCESS ((tw_status)0)

/* Returns TW_OK for success. */
tw_code tw_status_code(tw_status status);
/* Returns "" for success; valid until the status is freed. */
const char *tw_status_message(tw_status status);
/* Returns the class of the error that a program was rejected for, such as "dst capacity";
 * "" if it has none. Callers that try something else decide by it, not by the message. */
const char *tw_status_rule(tw_status status);
void tw_status_free(tw_status status);
/* Returns "invalid", "not found", ... */
const char *tw_code_name(tw_code code);

#ifdef __cplusplus
}
#endif
#endif
