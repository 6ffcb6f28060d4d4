/* pjrt.h: what handles of the table point to.
 *
 * Clients, executables and the bytes of buffers are counted: a client lives until its last
 * buffer and executable have gone, whatever the order in which the caller destroys them. */
#ifndef TILEWRIGHT_PJRT_H
#define TILEWRIGHT_PJRT_H

#include "pjrt_types.h"

#include "ir/type.h"
#include "support/base.h"
#include "tilewright/tilewright.h"

#include <pthread.h>
#include <stdatomic.h>

struct pj_device {
    pj_client *client;
    pj_memory *memory;
    int id;
    char text[96], short_text[32];
    int64_t coords[1];
    pj_named_value attributes[1];
};

struct pj_memory {
    const pj_memory_table *table;
    pj_device *device;
    const void *key; /* of the caller's data */
    void *data;
    void (*destroy)(void *data);
    char text[32];
};

enum { PJ_DEVICES = 1 };

struct pj_client {
    atomic_int refs;
    pthread_mutex_t lock; /* of the figures and of buffers' contents */
    int64_t in_use, peak, allocations, largest;
    const char *kind;
    pj_device devices[PJ_DEVICES];
    pj_memory memories[PJ_DEVICES];
    pj_device *device_list[PJ_DEVICES];
    pj_memory *memory_list[PJ_DEVICES];
};

/* Shared by copies of a buffer and by runs that read it. */
typedef struct pj_bytes {
    atomic_int refs;
    pj_client *client;
    size_t size;
    void *data;
} pj_bytes;

/* An array as programs declare it. */
typedef struct pj_value {
    pj_type type;
    size_t rank, bytes;
    const int64_t *dims;
    bool donated; /* argument: a run may consume it */
} pj_value;

struct pj_buffer {
    pj_client *client;
    pj_device *device;
    pj_bytes *bytes; /* NULL: deleted, or consumed by a run */
    pj_type type;
    size_t rank, size;
    int64_t *minor_to_major;
    int64_t dims[];
};

/* From environment variables and the caller's options. */
typedef struct pj_settings {
    char *dump_dir, *cache_dir, *profile_path; /* owned; NULL: none */
    int threads;                               /* 0: one for each processor */
    bool dram_fallback;
} pj_settings;

/* What a program takes and returns. */
typedef struct pj_signature {
    char *name;
    pj_value *arguments, *results;
    size_t n_arguments, n_results;
    int64_t *dims; /* of all results, one after another */
    size_t *ranks;
    pj_type *types;
} pj_signature;

struct pj_executable {
    atomic_int refs;
    pj_client *client;
    tw_program *program;
    pthread_mutex_t running; /* one run at a time */
    bool quick;              /* its runs take less than some milliseconds */
    pj_signature signature;
    char *code, *options, *hlo;
    size_t code_size, options_size, hlo_size;
    char fingerprint[65];
    pj_settings settings;
    size_t profile; /* index in the profile's file */
    const char **memory_kinds;
    size_t *memory_kind_sizes;
    pj_named_value cost[3];
};

struct pj_loaded {
    pj_executable *executable;
    bool deleted;
};

#define PJ_PLATFORM "tt"
#define PJ_MEMORY_KIND "device"

/* error.c */
pj_error *pj_fail(pj_code code, const char *format, ...) TW_PRINTF(2, 3);
pj_error *pj_no_memory(size_t bytes);
pj_error *pj_of_status(tw_status status);

/* event.c: one that has happened */
pj_event *pj_event_done(void);

/* client.c */
pj_client *pj_client_keep(pj_client *client);
void pj_client_release(pj_client *client);

/* device.c, memory.c */
void pj_device_init(pj_device *device, pj_client *client, pj_memory *memory, int id);
void pj_memory_init(pj_memory *memory, pj_device *device);
void pj_memory_clear(pj_memory *memory);

/* buffer.c: the bytes of a new buffer are undefined; NULL if there is no memory. */
pj_buffer *pj_buffer_create(pj_device *device, pj_type type, const int64_t *dims,
                            size_t rank);
pj_bytes *pj_buffer_hold(pj_buffer *buffer); /* NULL if deleted */
void pj_bytes_release(pj_bytes *bytes);
void pj_buffer_drop(pj_buffer *buffer); /* deletes */
void pj_buffer_free(pj_buffer *buffer);

/* element.c */
size_t pj_type_size(pj_type type); /* bytes of an element; 0: no array has this type */
const char *pj_type_name(pj_type type);
int pj_type_xla(pj_type type);    /* XLA's number of it */
pj_type pj_type_of(ir_type type); /* PJ_NO_TYPE if there is none */

/* strides.c: copies an array between memories of any byte strides. */
void pj_copy_strided(char *to, const int64_t *to_strides, const char *from,
                     const int64_t *from_strides, const int64_t *dims, size_t rank,
                     size_t size);
void pj_dense_strides(const int64_t *dims, size_t rank, size_t size, int64_t *strides);
enum { PJ_MAX_RANK = 64 };

/* signature.c */
tw_status pj_signature_read(const char *code, size_t size, pj_signature *out) TW_NODISCARD;
void pj_signature_free(pj_signature *signature);

/* hlo.c: the program's shapes as the serialised message that XLA's client reads; the caller
 * frees it. */
char *pj_hlo_write(const pj_signature *signature, size_t *out_size);

/* options.c: what a serialised CompileOptionsProto says; false if it is malformed. */
typedef enum pj_override_kind {
    PJ_TEXT_OPTION = 1,
    PJ_BOOL_OPTION,
    PJ_INT_OPTION,
    PJ_REAL_OPTION, /* read, but no option takes one */
} pj_override_kind;
typedef struct pj_override {
    tw_str name, text;
    pj_override_kind kind;
    int64_t number;
} pj_override;
enum { PJ_MAX_OVERRIDES = 64 };
typedef struct pj_compile_options {
    int64_t replicas, partitions;
    pj_override overrides[PJ_MAX_OVERRIDES]; /* texts are the proto's */
    size_t n_overrides;
} pj_compile_options;
bool pj_options_read(const char *data, size_t size, pj_compile_options *out);

/* settings.c. Log lines go to stderr if the level of the variable allows it. */
typedef enum pj_level { PJ_DEBUG, PJ_INFO, PJ_WARNING, PJ_SILENT } pj_level;
#define PJ_RUNTIME_LOG "TT_METAL_LOGGER_LEVEL"
void pj_log(const char *variable, pj_level level, const char *format, ...) TW_PRINTF(3, 4);
pj_error *pj_settings_read(const pj_compile_options *options, pj_settings *out);
void pj_settings_clear(pj_settings *settings);
void pj_settings_number_dump(pj_settings *settings);

/* profile.c: the first returns the program's index in the file. */
size_t pj_profile_begin(const char *path);
void pj_profile_add(const char *path, size_t index, const tw_program *program);

/* execute.c: a flag that Ctrl-C raises while a call is under way; set by the extension
 * module, which knows Python's handlers. */
typedef struct pj_interrupts {
    const volatile int *(*begin)(void);
    void (*end)(const volatile int *flag);
} pj_interrupts;
extern pj_interrupts pj_python_interrupts;

/* compile.c */
pj_error *pj_compile(pj_client *client, const char *code, size_t code_size,
                     const char *options, size_t options_size, pj_loaded **out);
void pj_executable_release(pj_executable *executable);

/* The table's functions. */
#define PJ_CALL(name, function, shape, last) pj_error *pj_##function(shape *args);
#define PJ_PLAIN(name, function, shape) void pj_##function(shape *args);
#define PJ_NONE(name)
#include "api.def"
#undef PJ_CALL
#undef PJ_PLAIN
#undef PJ_NONE

TW_EXPORT const pj_api *GetPjrtApi(void);

#endif
