/* support/status.h: creating and forwarding tw_status values (tilewright/status.h). */
#ifndef TILEWRIGHT_SUPPORT_STATUS_H
#define TILEWRIGHT_SUPPORT_STATUS_H

#include "support/base.h"
#include "tilewright/status.h"

tw_status tw_error(tw_code code, const char *format, ...) TW_PRINTF(2, 3) TW_NODISCARD;

/* Prefixes the message of a failure with "text: "; success stays success. */
tw_status tw_annotate(tw_status status, const char *format, ...)
    TW_PRINTF(2, 3) TW_NODISCARD;

/* Sets the class of a failure, a constant or NULL; success stays success. */
tw_status tw_classify(tw_status status, const char *rule) TW_NODISCARD;

#define TW_TRY(expr)                                                                       \
    do {                                                                                   \
        tw_status tw_try_status = (expr);                                                  \
        if (TW_UNLIKELY(tw_try_status != TW_SUCCESS))                                      \
            return tw_try_status;                                                          \
    } while (0)

#endif
