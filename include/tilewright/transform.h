/* transform.h: run passes over a module given as text.
 *
 * What ttmlir-opt does, as a call: for front ends that make IR and want it lowered. */
#ifndef TILEWRIGHT_TRANSFORM_H
#define TILEWRIGHT_TRANSFORM_H

#include "tilewright/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_transform_options {
    const char *name;     /* what diagnostics call the text; NULL = "<program>" */
    const char *pipeline; /* "builtin.module(func.func(cse),canonicalize)"; NULL = none */
    bool locations;       /* print loc(...) after operations */
    bool generic;         /* print the generic form */
    bool kernels_cpp; /* print kernels that convert-ttkernel-to-emitc has been through as
                       * C++ for the hardware, each behind a line "// NAME" */
    /* Is given the module's text after each pass; NULL = nobody is. */
    void (*dump)(void *user, const char *text, size_t size);
    void *user;
    const volatile int *cancel; /* becomes non-zero: stop soon, TW_CANCELLED; NULL: never */
} tw_transform_options;

/* Reads, verifies, transforms and prints a module (text or bytecode).  The text is the
 * caller's, to be ended with free().  A failure's message holds every diagnostic. */
tw_status tw_transform(const char *text, size_t size, const tw_transform_options *options,
                       char **out_text, size_t *out_size);

#ifdef __cplusplus
}
#endif
#endif
