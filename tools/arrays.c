/* arrays.c: see arrays.h. */
#include "arrays.h"

#include "support/arena.h"
#include "support/bf16_f16.h"

#include <stdio.h>
#include <string.h>

void array_put_shape(tw_strbuf *out, tw_dtype dtype, const int64_t *dims, int rank)
{
    tw_strbuf_printf(out, "%s[", tw_dtype_name(dtype));
    for (int i = 0; i < rank; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)dims[i]);
    tw_strbuf_putc(out, ']');
}

static bool same_shape(const npz_array *a, const tw_tensor_desc *d)
{
    return a->rank == d->rank &&
           (!a->rank || memcmp(a->dims, d->dims, (size_t)a->rank * sizeof *a->dims) == 0);
}

static tw_status wrong_array(const npz_array *a, const char *takes, const tw_tensor_desc *d)
{
    tw_strbuf found = {0}, wanted = {0};
    array_put_shape(&found, a->dtype, a->dims, a->rank);
    array_put_shape(&wanted, d->dtype, d->dims, d->rank);
    tw_status status = tw_error(TW_INVALID, "array '%s' is %s, the program %s %s", a->name,
                                tw_strbuf_text(&found), takes, tw_strbuf_text(&wanted));
    tw_strbuf_free(&found);
    tw_strbuf_free(&wanted);
    return status;
}

tw_status array_take(const npz *arrays, const char *file, const char *name,
                     const tw_tensor_desc *d, void *out)
{
    const npz_array *a;
    TW_TRY(npz_get(arrays, file, name, &a));
    bool same = a->dtype == d->dtype || (a->dtype == TW_U16 && d->dtype == TW_BF16) ||
                (a->dtype == TW_U8 && d->dtype == TW_BOOL);
    bool rounded = a->dtype == TW_F32 && (d->dtype == TW_BF16 || d->dtype == TW_F16);
    if (!same_shape(a, d) || (!same && !rounded))
        return wrong_array(a, "takes", d);
    if (same)
        memcpy(out, a->data, a->bytes);
    for (size_t i = 0; rounded && i < d->bytes / 2; i++) {
        float x = ((const float *)a->data)[i];
        ((uint16_t *)out)[i] =
            d->dtype == TW_BF16 ? tw_bf16_of_f64((double)x) : tw_f16_of_f64((double)x);
    }
    return TW_SUCCESS;
}

void array_add(npz *arrays, const char *prefix, size_t index, const tw_tensor_desc *d,
               const void *data)
{
    char name[32];
    snprintf(name, sizeof name, "%s%zu", prefix, index);
    npz_array a = {.name = tw_xstrdup(name),
                   .dtype = d->dtype,
                   .rank = TW_MIN(d->rank, NPZ_MAX_RANK),
                   .bytes = d->bytes,
                   .data = tw_xmalloc(d->bytes + 1)};
    for (int k = 0; k < a.rank; k++)
        a.dims[k] = d->dims[k];
    for (int k = a.rank; k < d->rank; k++) /* NumPy has no more dimensions */
        a.dims[a.rank - 1] *= d->dims[k];
    memcpy(a.data, data, d->bytes);
    TW_PUSH(arrays->at, arrays->count, arrays->capacity, a);
}

tw_status array_wanted(const npz *arrays, const char *file, const char *name,
                       const tw_tensor_desc *d, const void **out, tw_dtype *out_type)
{
    const npz_array *a;
    TW_TRY(npz_get(arrays, file, name, &a));
    if (!same_shape(a, d))
        return wrong_array(a, "gives", d);
    *out = a->data;
    *out_type = a->dtype == TW_U16 && d->dtype == TW_BF16 ? TW_BF16 : a->dtype;
    return TW_SUCCESS;
}
