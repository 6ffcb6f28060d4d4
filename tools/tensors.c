/* tensors.c: see tensors.h. */
#include "tensors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void array_put_shape(tw_strbuf *out, tw_dtype dtype, const int64_t *dims, int rank)
{
    tw_strbuf_printf(out, "%s[", tw_dtype_name(dtype));
    for (int i = 0; i < rank; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)dims[i]);
    tw_strbuf_putc(out, ']');
}

tw_status tensor_allocate(size_t bytes, void **out, const char *format, ...)
{
    enum { LINE = 64 };
    *out =
        bytes < SIZE_MAX - LINE ? aligned_alloc(LINE, tw_align_up(bytes + 1, LINE)) : NULL;
    if (*out)
        return TW_SUCCESS;
    va_list args;
    char what[256];
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return tw_error(TW_RESOURCE,
                    "no memory for the %zu bytes of %s; free memory or raise its limit "
                    "(ulimit -v)",
                    bytes, what);
}

tw_status tensor_create(const tw_tensor_desc *d, const char *what, size_t index, void **out)
{
    tw_strbuf type = {0};
    array_put_shape(&type, d->dtype, d->dims, d->rank);
    tw_status status =
        tensor_allocate(d->bytes, out, "%s %zu, %s", what, index, tw_strbuf_text(&type));
    tw_strbuf_free(&type);
    return status;
}

tw_status tensor_create_outputs(const tw_program *p, void **out)
{
    for (size_t i = 0; i < tw_program_output_count(p); i++)
        TW_TRY(tensor_create(tw_program_output(p, i), "output", i, &out[i]));
    return TW_SUCCESS;
}
