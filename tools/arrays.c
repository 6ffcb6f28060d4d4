/* arrays.c: see arrays.h. */
#include "arrays.h"

#include "support/arena.h"
#include "support/bf16_f16.h"
#include "support/element.h"
#include "support/suggest.h"
#include "tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_shape(const npz_array *a, const tw_tensor_desc *d)
{
    return a->rank == d->rank &&
           (!a->rank || memcmp(a->dims, d->dims, (size_t)a->rank * sizeof *a->dims) == 0);
}

/* ---- names ---- */

/* Writes the name of an argument or result to `out` and returns it. */
static const char *name_of(char out[static 32], const char *prefix, size_t i)
{
    snprintf(out, 32, "%s%zu", prefix, i);
    return out;
}

static bool is_one_of(const char *name, const char *prefix, size_t n)
{
    char known[32];
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return false;
    size_t i = strtoull(name + length, NULL, 10);
    return i < n && strcmp(name, name_of(known, prefix, i)) == 0;
}

/* "in0, in1, in2"; truncated if there are many. */
static void put_names(tw_strbuf *out, const char *prefix, size_t n)
{
    enum { SHOWN = 16 };
    if (!n)
        tw_strbuf_puts(out, "none");
    for (size_t i = 0; i < TW_MIN(n, (size_t)SHOWN); i++)
        tw_strbuf_printf(out, "%s%s%zu", i ? ", " : "", prefix, i);
    if (n > SHOWN)
        tw_strbuf_printf(out, ", ..., %s%zu", prefix, n - 1);
}

/* Suggests a name that is missing in the file. */
static tw_status unknown_name(const npz *arrays, const char *file, const char *name,
                              const char *prefix, size_t n)
{
    char candidate[32];
    size_t best = n;
    bool missing = false;
    tw_nearest nearest = tw_nearest_to(tw_str_from(name));
    for (size_t i = 0; i < n; i++) {
        size_t before = nearest.distance;
        if (npz_find(arrays, name_of(candidate, prefix, i)))
            continue;
        missing = true;
        tw_nearest_try(&nearest, tw_str_from(name), candidate);
        if (nearest.distance < before)
            best = i;
    }
    tw_strbuf text = {0};
    tw_strbuf_printf(&text, "%s: no %s of the program is called '%s'; it has ", file,
                     prefix[0] == 'i' ? "argument" : "result", name);
    put_names(&text, prefix, n);
    if (best < n)
        tw_strbuf_printf(&text, "; did you mean '%s%zu'?", prefix, best);
    else if (!missing)
        tw_strbuf_puts(&text, ", which the file has: leave the array out");
    else
        tw_strbuf_printf(&text, "; numpy.savez(FILE, %s0=...) gives such names", prefix);
    tw_status status = tw_error(TW_INVALID, "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return status;
}

tw_status array_check_names(const npz *arrays, const char *file, const char *prefix,
                            size_t n_inputs, size_t n_outputs)
{
    for (size_t i = 0; i < arrays->count; i++) {
        const char *name = arrays->at[i].name;
        if (!is_one_of(name, "in", n_inputs) && !is_one_of(name, "out", n_outputs))
            return unknown_name(arrays, file, name, prefix,
                                prefix[0] == 'i' ? n_inputs : n_outputs);
    }
    return TW_SUCCESS;
}

/* ---- arrays ---- */

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

tw_status array_write_inputs(const char *path, const tw_tensor_desc *types,
                             const void *const *data, size_t n)
{
    npz inputs = {0};
    tw_strbuf file = {0};
    for (size_t i = 0; i < n; i++)
        array_add(&inputs, "in", i, &types[i], data[i]);
    tw_strbuf_printf(&file, "%s.npz", path);
    tw_status status = npz_write(tw_strbuf_text(&file), &inputs);
    tw_strbuf_free(&file);
    npz_free(&inputs);
    return status;
}

/* Floats, integers or booleans, which NumPy also keeps as u8. */
static bool same_kind(tw_dtype found, tw_dtype wanted)
{
    if (wanted == TW_BOOL || found == TW_BOOL)
        return wanted == found || (wanted == TW_BOOL && found == TW_U8);
    return tool_is_float(found) == tool_is_float(wanted);
}

tw_status array_wanted(const npz *arrays, const char *file, const char *name,
                       const tw_tensor_desc *d, const void **out, tw_dtype *out_type)
{
    const npz_array *a;
    TW_TRY(npz_get(arrays, file, name, &a));
    *out_type = a->dtype == TW_U16 && d->dtype == TW_BF16 ? TW_BF16 : a->dtype;
    if (!same_shape(a, d) || !same_kind(*out_type, d->dtype))
        return wrong_array(a, "gives", d);
    *out = a->data;
    return TW_SUCCESS;
}
