/* module.h: a module in memory: read once, changed by passes in place, then compiled to a
 * program (tilewright.h) or loaded as kernels (grid.h) without being printed.
 *
 * A module has a context of its own and is used by one thread at a time. */
#ifndef TILEWRIGHT_MODULE_H
#define TILEWRIGHT_MODULE_H

#include "tilewright/status.h"
#include "tilewright/transform.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_module tw_module;

/* Reads and verifies a module (text or bytecode); `name` is the text's name in diagnostics,
 * NULL = "<program>". */
tw_status tw_module_read(const char *text, size_t size, const char *name,
                         tw_module **out_module);
/* Runs passes over the module in place; it is verified before the first. After a failure it
 * can only be destroyed. Of the options, `locations` and `generic` are those of dumps. */
tw_status tw_module_transform(tw_module *module, const tw_transform_options *options);
/* Prints the module, or its kernels' C++; the caller frees the text with free(). */
tw_status tw_module_print(tw_module *module, const tw_transform_options *options,
                          char **out_text, size_t *out_size);
/* Runs passes over a copy and prints the copy, or its kernels' C++; the module stays as it
 * is, also after a failure. The caller frees the text with free(). */
tw_status tw_module_emit(tw_module *module, const tw_transform_options *options,
                         char **out_text, size_t *out_size);
void tw_module_destroy(tw_module *module);

/* How many texts have been read into the module's context: 0 for one that was built. */
size_t tw_module_parse_count(const tw_module *module);

#ifdef __cplusplus
}
#endif
#endif
