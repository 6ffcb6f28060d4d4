/* api.c: the table. No entry is empty: callers abort where one is. */
#include "pjrt.h"

/* Callers hand buffers and executables from thread to thread under locks that thread
 * sanitizer does not see in their code: for it a call comes after those that had ended
 * when it began. Calls that overlap are not ordered. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
static char handed_over;
#define CALL_BEGINS() __tsan_acquire(&handed_over)
#define CALL_ENDS() __tsan_release(&handed_over)
#else
#define CALL_BEGINS() (void)0
#define CALL_ENDS() (void)0
#endif

#define PJ_PLAIN(name, function, shape)
#define PJ_NONE(name)                                                                      \
    static pj_error *absent_##name(void *args)                                             \
    {                                                                                      \
        (void)args;                                                                        \
        return pj_fail(PJ_UNIMPLEMENTED, "PJRT_%s: the platform 'tt' does not have it",    \
                       #name);                                                             \
    }
/* A caller that was built against an older table passes shorter structures. */
#define PJ_CALL(name, function, shape, last)                                               \
    static pj_error *enter_##function(void *args)                                          \
    {                                                                                      \
        size_t needed = offsetof(shape, last) + sizeof(((shape *)0)->last);                \
        size_t given = ((const pj_none_args *)args)->struct_size;                          \
        if (given < needed)                                                                \
            return pj_fail(PJ_INVALID_ARGUMENT,                                            \
                           "PJRT_%s: expected arguments of %zu bytes, found %zu: the "     \
                           "caller is older than interface %d.%d",                         \
                           #name, needed, given, PJ_MAJOR, PJ_MINOR);                      \
        CALL_BEGINS();                                                                     \
        pj_error *error = pj_##function(args);                                             \
        CALL_ENDS();                                                                       \
        return error;                                                                      \
    }
#include "api.def"
#undef PJ_PLAIN
#undef PJ_NONE
#undef PJ_CALL

static const pj_api table = {
    .struct_size = sizeof(pj_api),
    .version = {.struct_size = sizeof table.version, .major = PJ_MAJOR, .minor = PJ_MINOR},
    .calls = {
#define PJ_PLAIN(name, function, shape) (pj_call)(void (*)(void)) pj_##function,
#define PJ_NONE(name) absent_##name,
#define PJ_CALL(name, function, shape, last) enter_##function,
#include "api.def"
#undef PJ_PLAIN
#undef PJ_NONE
#undef PJ_CALL
    }};

TW_EXPORT const pj_api *GetPjrtApi(void)
{
    return &table;
}

/* Versions of portable artifacts that the reader knows. */
pj_error *pj_plugin_attributes(pj_attributes_args *args)
{
    static const int64_t newest[] = {1, 20, 0}, oldest[] = {0, 9, 0};
    static const pj_named_value values[] = {
        {.struct_size = sizeof *values,
         .name = "xla_version",
         .name_size = 11,
         .type = PJ_INT_VALUE,
         .integer = 2,
         .size = 1},
        {.struct_size = sizeof *values,
         .name = "stablehlo_current_version",
         .name_size = 25,
         .type = PJ_INTS_VALUE,
         .integers = newest,
         .size = 3},
        {.struct_size = sizeof *values,
         .name = "stablehlo_minimum_version",
         .name_size = 25,
         .type = PJ_INTS_VALUE,
         .integers = oldest,
         .size = 3},
    };
    args->items = values;
    args->count = TW_COUNT(values);
    return NULL;
}

pj_error *pj_plugin_initialize(pj_none_args *args)
{
    (void)args;
    return NULL;
}
