/* error.c: failures as callers of the table see them. */
#include "pjrt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pj_error {
    const pj_error_table *table;
    pj_code code;
    size_t size;
    char text[];
};

static void destroy(pj_error *error)
{
    free(error);
}

static void message(const pj_error *error, const char **text, size_t *size)
{
    *text = error->text;
    *size = error->size;
}

static pj_code get_code(const pj_error *error)
{
    return error->code;
}

static void for_each_payload(const pj_error *error, pj_payload_visitor visit, void *user)
{
    (void)error, (void)visit, (void)user; /* none of ours has any */
}

static const pj_error_table functions = {
    .struct_size = sizeof functions,
    .instance_size = sizeof(pj_error),
    .destroy = destroy,
    .message = message,
    .get_code = get_code,
    .for_each_payload = for_each_payload,
};

static pj_error *make(pj_code code, const char *text, size_t size)
{
    pj_error *error = malloc(sizeof *error + size + 1);
    if (!error)
        abort(); /* no memory for a line of text, and no way to say so */
    *error = (pj_error){.table = &functions, .code = code, .size = size};
    if (text)
        memcpy(error->text, text, size);
    error->text[size] = 0;
    return error;
}

pj_error *pj_fail(pj_code code, const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    const int size = vsnprintf(NULL, 0, format, values);
    pj_error *error = make(code, NULL, (size_t)size);
    vsnprintf(error->text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(values);
    return error;
}

pj_error *pj_no_memory(size_t bytes)
{
    return pj_fail(PJ_RESOURCE_EXHAUSTED, "no memory for %zu bytes", bytes);
}

pj_error *pj_of_status(tw_status status)
{
    static const pj_code codes[] = {
        [TW_INVALID] = PJ_INVALID_ARGUMENT,    [TW_NOT_FOUND] = PJ_NOT_FOUND,
        [TW_UNSUPPORTED] = PJ_UNIMPLEMENTED,   [TW_IO] = PJ_UNKNOWN,
        [TW_RESOURCE] = PJ_RESOURCE_EXHAUSTED, [TW_CANCELLED] = PJ_CANCELLED,
        [TW_INTERNAL] = PJ_INTERNAL,
    };
    if (!status)
        return NULL;
    const char *text = tw_status_message(status);
    pj_error *error = make(codes[tw_status_code(status)], text, strlen(text));
    tw_status_free(status);
    return error;
}

void pj_error_destroy(pj_of_args *args)
{
    destroy(args->object);
}

void pj_error_message(pj_text_args *args)
{
    message(args->object, &args->text, &args->size);
}

pj_error *pj_error_get_code(pj_int_args *args)
{
    args->value = (int)get_code(args->object);
    return NULL;
}

pj_error *pj_error_for_each_payload(pj_payload_args *args)
{
    for_each_payload(args->error, args->visit, args->user);
    return NULL;
}
