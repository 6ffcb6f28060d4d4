/* options.c: the fields of a serialised CompileOptionsProto that matter here. */
#include "pjrt.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
/* CompileOptionsProto, ExecutableBuildOptionsProto */
enum { BUILD_OPTIONS = 3, REPLICAS = 4, PARTITIONS = 5, OVERRIDES = 7 };
/* A map's entry; OptionOverrideProto has a field for each kind of value. */
enum { KEY = 1, VALUE = 2 };

typedef struct field {
    uint64_t number, value; /* of a varint, or the bytes' length */
    int kind;
    const unsigned char *bytes;
} field;

static bool read_varint(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 64 && *at < end; shift += 7) {
        unsigned char byte = *(*at)++;
        *out |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            return true;
    }
    return false;
}

static bool read_field(const unsigned char **at, const unsigned char *end, field *out)
{
    uint64_t tag;
    if (!read_varint(at, end, &tag))
        return false;
    out->number = tag >> 3;
    out->kind = (int)(tag & 7);
    if (out->kind == VARINT)
        return read_varint(at, end, &out->value);
    out->value = out->kind == FIXED64 ? 8 : 4;
    if (out->kind != FIXED64 && out->kind != FIXED32 &&
        (out->kind != BYTES || !read_varint(at, end, &out->value)))
        return false;
    if (out->value > (uint64_t)(end - *at))
        return false;
    out->bytes = *at;
    *at += out->value;
    return true;
}

static bool read_build_options(const field *message, pj_compile_options *out)
{
    const unsigned char *at = message->bytes, *end = at + message->value;
    field f;
    while (at < end) {
        if (!read_field(&at, end, &f))
            return false;
        if (f.kind == VARINT && f.number == REPLICAS)
            out->replicas = (int64_t)f.value;
        if (f.kind == VARINT && f.number == PARTITIONS)
            out->partitions = (int64_t)f.value;
    }
    return true;
}

static tw_str text_of(const field *f)
{
    return (tw_str){(const char *)f->bytes, f->value};
}

static bool read_value(const field *message, pj_override *out)
{
    const unsigned char *at = message->bytes, *end = at + message->value;
    field f;
    while (at < end) {
        if (!read_field(&at, end, &f))
            return false;
        if (f.number < PJ_TEXT_OPTION || f.number > PJ_REAL_OPTION)
            continue;
        out->kind = (pj_override_kind)f.number;
        if (f.kind == BYTES)
            out->text = text_of(&f);
        else if (f.kind == VARINT)
            out->number = (int64_t)f.value;
    }
    return true;
}

static bool read_override(const field *message, pj_compile_options *out)
{
    const unsigned char *at = message->bytes, *end = at + message->value;
    pj_override o = {.kind = PJ_TEXT_OPTION};
    field f;
    while (at < end) {
        if (!read_field(&at, end, &f))
            return false;
        if (f.kind == BYTES && f.number == KEY)
            o.name = text_of(&f);
        if (f.kind == BYTES && f.number == VALUE && !read_value(&f, &o))
            return false;
    }
    if (out->n_overrides == PJ_MAX_OVERRIDES)
        return false;
    out->overrides[out->n_overrides++] = o;
    return true;
}

bool pj_options_read(const char *data, size_t size, pj_compile_options *out)
{
    const unsigned char *at = (const void *)data, *end = at + size;
    field f;
    out->replicas = out->partitions = 1;
    out->n_overrides = 0;
    while (at < end) {
        if (!read_field(&at, end, &f))
            return false;
        if (f.kind == BYTES && f.number == BUILD_OPTIONS && !read_build_options(&f, out))
            return false;
        if (f.kind == BYTES && f.number == OVERRIDES && !read_override(&f, out))
            return false;
    }
    return true;
}
