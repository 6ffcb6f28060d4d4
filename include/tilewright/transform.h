/* transform.h: run passes over a module given as text.
 *
 * The function of ttmlir-opt as a call, for front ends that build IR and lower it. */
#ifndef TILEWRIGHT_TRANSFORM_H
#define TILEWRIGHT_TRANSFORM_H

#include "tilewright/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_transform_options {
    const char *name;     /* name of the text in diagnostics; NULL = "<program>" */
    const char *pipeline; /* "builtin.module(func.func(cse),canonicalize)"; NULL = none */
    bool locations;       /* print loc(...) after operations */
    bool generic;         /* print the generic form */
    bool kernels_cpp; /* print kernels that convert-ttkernel-to-emitc has converted as C++
                       * for the hardware, each after a line "// NAME" */
    /* Called with the module's text after each pass; NULL = none. */
    void (*dump)(void *user, const char *text, size_t size);
    void *user;
    const volatile int *cancel; /* non-zero: stop soon (TW_CANCELLED); NULL: never */
    struct ir_watch *watch;     /* observes the passes (src/ir/watch.h); NULL: none */
    bool unverified; /* no verification after each pass, nor before the first if passes have
                      * run before; the next call without this, and compilation, verify */
} tw_transform_options;

/* Reads, verifies, transforms and prints a module (text or bytecode). The caller frees the
 * text with free(). The message of a failure holds every diagnostic. */
tw_status tw_transform(const char *text, size_t size, const tw_transform_options *options,
                       char **out_text, size_t *out_size);

#ifdef __cplusplus
}
#endif
#endif
