/* npz.h: NumPy's .npz files: named arrays in a zip archive. */
#ifndef TILEWRIGHT_TOOLS_NPZ_H
#define TILEWRIGHT_TOOLS_NPZ_H

#include "support/status.h"
#include "tilewright/dtype.h"

enum { NPZ_MAX_RANK = 32 };

typedef struct npz_array {
    char *name; /* without .npy */
    tw_dtype dtype;
    int rank;
    int64_t dims[NPZ_MAX_RANK];
    size_t bytes;
    void *data; /* row-major, in this machine's byte order */
    char *why;  /* unsupported elements (strings, objects, ...): the reason, and no data */
} npz_array;

typedef struct npz {
    npz_array *at;
    size_t count, capacity;
} npz;

/* An .npz file, or .npy files separated by commas, named PREFIX0, PREFIX1, ... */
tw_status npz_read_list(const char *list, const char *prefix, npz *out);
tw_status npz_read(const char *path, npz *out) TW_NODISCARD;
/* Adds the array of an .npy file under the caller's name. */
tw_status npz_read_npy(const char *path, const char *name, npz *out) TW_NODISCARD;
tw_status npz_write(const char *path, const npz *arrays) TW_NODISCARD;
const npz_array *npz_find(const npz *arrays, const char *name);
/* The array of that name; an error if there is none, or if its type is unsupported. `file`
 * is for the message. */
tw_status npz_get(const npz *arrays, const char *file, const char *name,
                  const npz_array **out) TW_NODISCARD;
void npz_free(npz *arrays);

#endif
