/* core_tensor.c: tensor views by DLPack's C exchange table. */
#define PY_SSIZE_T_CLEAN
#include "core_tensor.h"

#include <string.h>

enum { DL_CPU = 1 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };

static const dl_type dl_types[TW_DTYPE_COUNT] = {
    [TW_F32] = {DL_FLOAT, 32, 1},   [TW_F16] = {DL_FLOAT, 16, 1},
    [TW_BF16] = {DL_BFLOAT, 16, 1}, [TW_U32] = {DL_UINT, 32, 1},
    [TW_U16] = {DL_UINT, 16, 1},    [TW_U8] = {DL_UINT, 8, 1},
    [TW_I32] = {DL_INT, 32, 1},     [TW_BOOL] = {DL_BOOL, 8, 1},
    [TW_F64] = {DL_FLOAT, 64, 1},   [TW_I8] = {DL_INT, 8, 1},
    [TW_I16] = {DL_INT, 16, 1},     [TW_I64] = {DL_INT, 64, 1},
    [TW_U64] = {DL_UINT, 64, 1},
};

static void raise_exchange(void *context, const char *kind, const char *message)
{
    (void)context;
    PyErr_Format(PyExc_RuntimeError, "%s: %s", kind, message);
}

size_t core_extent(const dl_tensor *t)
{
    int64_t last = 0;

    for (int d = 0; d < t->ndim; d++) {
        if (t->shape[d] == 0) {
            return 0;
        }
        last += (t->shape[d] - 1) * t->strides[d];
    }
    return (size_t)(last + 1) * t->dtype.bits / 8;
}

enum { LINE = 64, LANES = LINE / 8, WHOLE = 8192, STEP = 2048, AHEAD = 16 * STEP };

/* Multiplying by an odd constant loses no bit of the state but moves bits upwards only; the
 * rotation moves the sign bits, which are highest, down again. */
static void mix(uint64_t h[LANES], const char *line)
{
    for (int k = 0; k < LANES; k++) {
        uint64_t word;
        memcpy(&word, line + 8 * k, sizeof word);
        h[k] = (h[k] ^ word) * 0x9e3779b97f4a7c15;
        h[k] = h[k] << 31 | h[k] >> 33;
    }
}

uint64_t core_fingerprint(const dl_tensor *t)
{
    size_t size = core_extent(t), step = size <= WHOLE ? LINE : STEP, i = 0;
    const char *data = core_data_of(t);
    uint64_t h[LANES] = {size}, sum = 0;
    char rest[LINE] = {0};

    for (; i + LINE <= size; i += step) {
        if (size - i > AHEAD) {
            __builtin_prefetch(data + i + AHEAD);
        }
        mix(h, data + i);
    }
    size_t left = size < LINE ? size : LINE;
    if (left) {
        memcpy(rest, data + size - left, left);
    }
    mix(h, rest);
    /* combines the lanes, each with its high bits rotated down so that a multiplication
     * mixes them */
    for (int k = 0; k < LANES; k++) {
        sum = (sum ^ (h[k] ^ h[k] >> 29)) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 32;
    }
    return sum;
}

bool core_is_dense(const dl_tensor *t)
{
    int64_t step = 1;

    for (int d = t->ndim - 1; d >= 0; d--) {
        if (t->shape[d] == 0) {
            return true;
        }
        if (t->shape[d] != 1 && t->strides[d] != step) {
            return false;
        }
        step *= t->shape[d];
    }
    return true;
}

int core_check_tensor(const dl_tensor *t, const tw_tensor_desc *desc, const char *what,
                      Py_ssize_t i)
{
    const dl_type want = dl_types[desc->dtype];
    bool same =
        t->ndim == desc->rank && t->dtype.code == want.code && t->dtype.bits == want.bits;

    for (int d = 0; same && d < desc->rank; d++) {
        same = t->shape[d] == desc->dims[d];
    }
    if (!same || t->device_type != DL_CPU) {
        PyErr_Format(PyExc_ValueError, "%s %zd: expected a host tensor of %s and rank %d%s",
                     what, i, tw_dtype_name(desc->dtype), desc->rank,
                     same ? "" : "; type or shape differ");
        return -1;
    }
    return 0;
}

void *core_data_of(const dl_tensor *t)
{
    return (char *)t->data + t->byte_offset;
}

/* One loop for each width, which compilers vectorise. */
#define EXTREMES(type)                                                                     \
    do {                                                                                   \
        const type *x = core_data_of(t);                                                   \
        type low = x[0], high = x[0];                                                      \
        for (int64_t i = 1; i < count; i++) {                                              \
            low = x[i] < low ? x[i] : low;                                                 \
            high = x[i] > high ? x[i] : high;                                              \
        }                                                                                  \
        *out_low = low;                                                                    \
        *out_high = high;                                                                  \
        return true;                                                                       \
    } while (0)

bool core_extremes(const dl_tensor *t, int64_t *out_low, int64_t *out_high)
{
    int64_t count = 1;
    for (int32_t d = 0; d < t->ndim; d++) {
        count *= t->shape[d];
    }
    if (count < 1 || t->dtype.code > 1) {
        return false;
    }
    switch ((int)t->dtype.bits + (int)t->dtype.code) {
    case 64:
        EXTREMES(int64_t);
    case 32:
        EXTREMES(int32_t);
    case 16:
        EXTREMES(int16_t);
    case 8:
        EXTREMES(int8_t);
    case 9:
        EXTREMES(uint8_t);
    default:
        return false;
    }
}

PyObject *core_make_tensor(const dl_exchange *exchange, const tw_tensor_desc *desc,
                           void **out_data)
{
    dl_tensor like = {.device_type = DL_CPU,
                      .ndim = desc->rank,
                      .dtype = dl_types[desc->dtype],
                      .shape = (int64_t *)desc->dims};
    dl_managed *managed = NULL;
    void *object = NULL;

    if (exchange->allocate(&like, &managed, NULL, raise_exchange) != 0) {
        return NULL;
    }
    *out_data = core_data_of(&managed->tensor);
    if (exchange->managed_to_object(managed, &object) != 0) {
        return NULL;
    }
    return object;
}
