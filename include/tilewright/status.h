/* status.h: failures of functions on files, devices or foreign bytes.
 *
 * A tw_status is one pointer: NULL is success, anything else is an owned error with a
 * code and a message with the location, what was expected and what was found.  Every
 * producer is must-use; the receiver passes it on or frees it with tw_status_free.
 * Errors in a user's program are diagnostics instead; our own mistakes are assertions. */
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
    TW_IO,          /* an error of the operating system */
    TW_CANCELLED,   /* the user interrupted */
    TW_INTERNAL,    /* a check of our own failed */
} tw_code;

#define TW_SUCCESS ((tw_status)0)

/* TW_OK for success. */
tw_code tw_status_code(tw_status status);
/* "" for success; valid until the status is freed. */
const char *tw_status_message(tw_status status);
void tw_status_free(tw_status status);
/* "invalid", "not found", ... */
const char *tw_code_name(tw_code code);

#ifdef __cplusplus
}
#endif
#endif
