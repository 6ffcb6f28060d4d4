/* pjrt_types.h: PJRT's C interface as far as this plugin uses it: table 0.114.
 *
 * Every call takes one structure: its size, a list of extensions, what goes in, what comes
 * out. Many calls have structures of the same shape, so shapes are declared here and
 * api.def says which call has which. Names in the interface are in api.def, too. */
#ifndef TILEWRIGHT_PJRT_TYPES_H
#define TILEWRIGHT_PJRT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJ_MAJOR = 0, PJ_MINOR = 114, PJ_CALL_COUNT = 138 };

typedef enum pj_code {
    PJ_OK = 0,
    PJ_CANCELLED = 1,
    PJ_UNKNOWN = 2,
    PJ_INVALID_ARGUMENT = 3,
    PJ_NOT_FOUND = 5,
    PJ_RESOURCE_EXHAUSTED = 8,
    PJ_FAILED_PRECONDITION = 9,
    PJ_UNIMPLEMENTED = 12,
    PJ_INTERNAL = 13,
} pj_code;

/* Element types. Those of less than a byte occupy one each in host memory. */
typedef enum pj_type {
    PJ_NO_TYPE,
    PJ_PRED,
    PJ_S8,
    PJ_S16,
    PJ_S32,
    PJ_S64,
    PJ_U8,
    PJ_U16,
    PJ_U32,
    PJ_U64,
    PJ_F16,
    PJ_F32,
    PJ_F64,
    PJ_BF16,
    PJ_C64,
    PJ_C128,
    PJ_F8E5M2,
    PJ_F8E4M3FN,
    PJ_F8E4M3B11FNUZ,
    PJ_F8E5M2FNUZ,
    PJ_F8E4M3FNUZ,
    PJ_S4,
    PJ_U4,
    PJ_TOKEN,
    PJ_S2,
    PJ_U2,
    PJ_F8E4M3,
    PJ_F8E3M4,
    PJ_F8E8M0FNU,
    PJ_F4E2M1FN,
    PJ_S1,
    PJ_U1,
    PJ_F6E2M3FN,
    PJ_F6E3M2FN,
    PJ_TYPE_COUNT,
} pj_type;

typedef struct pj_error pj_error;
typedef struct pj_memory pj_memory;
typedef struct pj_event pj_event;
typedef struct pj_device pj_device;
typedef struct pj_client pj_client;
typedef struct pj_buffer pj_buffer;
typedef struct pj_executable pj_executable;
typedef struct pj_loaded pj_loaded;

typedef pj_error *(*pj_call)(void *args);

/* The table. */
typedef struct pj_api {
    size_t struct_size;
    void *extensions;
    struct {
        size_t struct_size;
        void *extensions;
        int major, minor;
    } version;
    pj_call calls[PJ_CALL_COUNT];
} pj_api;

typedef void (*pj_payload_visitor)(const char *key, size_t key_size, const char *value,
                                   size_t value_size, void *user);

/* What errors and memories begin with a pointer to. */
typedef struct pj_error_table {
    size_t struct_size, instance_size;
    void *extensions;
    void (*destroy)(pj_error *error);
    void (*message)(const pj_error *error, const char **message, size_t *size);
    pj_code (*get_code)(const pj_error *error);
    void (*for_each_payload)(const pj_error *error, pj_payload_visitor visit, void *user);
} pj_error_table;

typedef struct pj_memory_table {
    size_t struct_size;
    void *extensions;
    size_t instance_size;
    void *(*get_user_data)(pj_memory *memory, const void *key);
    void (*set_user_data)(pj_memory *memory, const void *key, void *data,
                          void (*destroy)(void *));
} pj_memory_table;

typedef enum pj_value_type {
    PJ_TEXT_VALUE,
    PJ_INT_VALUE,
    PJ_INTS_VALUE,
    PJ_FLOAT_VALUE,
    PJ_BOOL_VALUE
} pj_value_type;

typedef struct pj_named_value {
    size_t struct_size;
    void *extensions;
    const char *name;
    size_t name_size;
    pj_value_type type;
    union {
        const char *text;
        int64_t integer;
        const int64_t *integers;
        float real;
        bool flag;
    };
    size_t size; /* of a text or list; else 1 */
} pj_named_value;

typedef struct pj_program {
    size_t struct_size;
    void *extensions;
    char *code;
    size_t code_size;
    const char *format;
    size_t format_size;
} pj_program;

typedef enum pj_layout_type { PJ_TILED, PJ_STRIDES } pj_layout_type;

typedef struct pj_layout {
    size_t struct_size;
    void *extensions;
    union {
        struct {
            size_t struct_size;
            void *extensions;
            const int64_t *minor_to_major;
            size_t rank;
            const int64_t *tile_dims;
            const size_t *tile_ranks;
            size_t n_tiles;
        } tiled;
        struct {
            size_t struct_size;
            void *extensions;
            const int64_t *byte_strides;
            size_t rank;
        } strided;
    };
    pj_layout_type type;
} pj_layout;

typedef struct pj_execute_options {
    size_t struct_size;
    void *extensions;
    void *send_callbacks, *receive_callbacks;
    size_t n_sends, n_receives;
    int launch_id;
    const int64_t *kept_inputs; /* which must not be consumed */
    size_t n_kept_inputs;
} pj_execute_options;

typedef struct pj_logical_id {
    int replica, partition;
} pj_logical_id;

/* ---- shapes of arguments ------------------------------------------------------------- */

#define PJ_SHAPE(name, ...)                                                                \
    typedef struct name {                                                                  \
        size_t struct_size;                                                                \
        void *extensions;                                                                  \
        __VA_ARGS__                                                                        \
    } name

PJ_SHAPE(pj_none_args, );
PJ_SHAPE(pj_of_args, void *object;);
PJ_SHAPE(pj_text_args, void *object; const char *text; size_t size;);
PJ_SHAPE(pj_int_args, void *object; int value;);
PJ_SHAPE(pj_bool_args, void *object; bool value;);
PJ_SHAPE(pj_size_args, void *object; size_t value;);
PJ_SHAPE(pj_list_args, void *object; const void *items; size_t count;);
PJ_SHAPE(pj_counted_args, void *object; size_t count; const void *items;);
PJ_SHAPE(pj_rows_args, void *object; size_t count; const void *items; const size_t *sizes;);
PJ_SHAPE(pj_to_args, void *object; void *other;);
PJ_SHAPE(pj_copy_args, pj_buffer *buffer; void *target; pj_buffer * copy;);
PJ_SHAPE(pj_lookup_args, pj_client *client; int id; pj_device * device;);
PJ_SHAPE(pj_attributes_args, const pj_named_value *items; size_t count;);
PJ_SHAPE(pj_bytes_args, void *object; const void *bytes; size_t size; void *owner;
         void (*destroy)(void *owner););
PJ_SHAPE(pj_payload_args, pj_error *error; pj_payload_visitor visit; void *user;);
PJ_SHAPE(pj_on_ready_args, pj_event *event; void (*callback)(pj_error *error, void *user);
         void *user;);
PJ_SHAPE(pj_create_args, const pj_named_value *options; size_t n_options; void *get;
         void *get_user; void *put; void *put_user; pj_client * client; void *try_get;
         void *try_get_user;);
PJ_SHAPE(pj_compile_args, pj_client *client; const pj_program *program; const char *options;
         size_t options_size; pj_loaded * loaded;);
PJ_SHAPE(pj_assignment_args, pj_client *client; int replicas; int partitions; size_t size;
         int *assignment;);
PJ_SHAPE(pj_from_host_args, pj_client *client; const void *data; pj_type type;
         const int64_t *dims; size_t rank; const int64_t *byte_strides; size_t n_strides;
         int semantics; pj_device * device; pj_memory * memory; pj_layout * layout;
         pj_event * done; pj_buffer * buffer;);
PJ_SHAPE(pj_to_host_args, pj_buffer *buffer; pj_layout * layout; void *data; size_t size;
         pj_event * event;);
PJ_SHAPE(pj_raw_to_host_args, pj_buffer *buffer; void *data; int64_t offset; int64_t size;
         pj_event * event;);
PJ_SHAPE(pj_layout_args, pj_buffer *buffer; pj_layout layout;);
PJ_SHAPE(
    pj_memory_stats_args, pj_device *device; int64_t in_use; struct {
        int64_t value;
        bool is_set;
    } peak,
                                                             allocations, largest,
                                                             rest[8];);
PJ_SHAPE(pj_program_args, pj_executable *executable; pj_program * program;);
PJ_SHAPE(pj_execute_args, pj_loaded *loaded; pj_execute_options * options;
         pj_buffer *const *const *arguments; size_t n_devices; size_t n_arguments;
         pj_buffer * *const *results; pj_event * *complete; pj_device * device;);
PJ_SHAPE(pj_deserialize_args, pj_client *client; const char *bytes; size_t size;
         pj_loaded * loaded; const char *options; size_t options_size; void *load_options;);
/* Code, arguments, results, aliases and temporaries of the device, the same five of the
 * host, then a peak and four totals. */
enum { PJ_ON_DEVICE, PJ_ON_HOST, PJ_PLACES };
PJ_SHAPE(
    pj_compiled_memory_args, pj_executable *executable;
    struct { int64_t code, arguments, results, aliases, temporaries; } use[PJ_PLACES];
    int64_t peak; int64_t total; int64_t allocated; int64_t indefinite;
    int64_t unpadded_peak;);

_Static_assert(sizeof(void *) == 8, "layouts below are those of 64-bit processors");
_Static_assert(sizeof(pj_api) == 1144, "the table of version 0.114");
_Static_assert(sizeof(pj_error_table) == 56, "layout");
_Static_assert(sizeof(pj_memory_table) == 40, "layout");
_Static_assert(sizeof(pj_named_value) == 56, "layout");
_Static_assert(sizeof(pj_program) == 48, "layout");
_Static_assert(sizeof(pj_layout) == 80, "layout");
_Static_assert(offsetof(pj_layout, type) == 72, "layout");
_Static_assert(offsetof(pj_execute_options, n_kept_inputs) == 64, "layout");
_Static_assert(sizeof(pj_create_args) == 88, "layout");
_Static_assert(sizeof(pj_from_host_args) == 120, "layout");
_Static_assert(sizeof(pj_execute_args) == 80, "layout");
_Static_assert(sizeof(pj_memory_stats_args) == 208, "layout");
_Static_assert(sizeof(pj_compiled_memory_args) == 144, "layout");
_Static_assert(sizeof(pj_deserialize_args) == 72, "layout");
#endif
