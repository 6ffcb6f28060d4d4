/* reader.c: access to verified flatbuffers by schema row.
 *
 * A table starts with the (signed) distance to its vtable: u16 vtable size, u16 table size,
 * then one u16 per slot, the field's offset in the table or 0.  Strings, vectors and tables
 * are reached by a u32 forward distance from where it is stored. */
#include "flatbuffer/reader.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "flatbuffers are little-endian; this reader loads them as they are"
#endif

int64_t fb_load_int(const uint8_t *at, fb_scalar scalar)
{
    int64_t wide = 0;
    switch (scalar) {
    case FB_BOOL:
        return *at != 0;
    case FB_I8:
        return (int8_t)*at;
    case FB_I16:
        return (int16_t)fb_load_u16(at);
    case FB_I32:
        return (int32_t)fb_load_u32(at);
    case FB_U8:
        return *at;
    case FB_U16:
        return fb_load_u16(at);
    case FB_U32:
        return fb_load_u32(at);
    case FB_U64:
    case FB_I64:
        memcpy(&wide, at, 8);
        return wide;
    default:
        assert(!"an integer");
        return 0;
    }
}

double fb_load_real(const uint8_t *at, fb_scalar scalar)
{
    if (scalar == FB_F32) {
        float v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    if (scalar == FB_F64) {
        double v;
        memcpy(&v, at, sizeof v);
        return v;
    }
    return (double)fb_load_int(at, scalar);
}

/* Address of the stored field, NULL if absent. */
static const uint8_t *field_at(fb_view table, int slot)
{
    if (!table.at || slot < 0)
        return NULL;
    const uint8_t *vtable = table.at - (int32_t)fb_load_u32(table.at);
    size_t entry = 4 + 2 * (size_t)slot;
    if (entry + 2 > fb_load_u16(vtable))
        return NULL;
    uint16_t at = fb_load_u16(vtable + entry);
    return at ? table.at + at : NULL;
}

static const uint8_t *follow(const uint8_t *at)
{
    return at ? at + fb_load_u32(at) : NULL;
}

static const fb_field *row(fb_view table, int slot)
{
    assert(table.def && slot >= 0 && slot < table.def->n_fields);
    return &table.def->fields[slot];
}

bool fb_has(fb_view table, int slot)
{
    return field_at(table, slot) != NULL;
}

/* Used only by assertions. */
__attribute__((unused)) static bool is_scalar(const fb_field *field)
{
    return field->kind == FB_KIND_SCALAR || field->kind == FB_KIND_ENUM ||
           field->kind == FB_KIND_UTYPE;
}

int64_t fb_get_int(fb_view table, int slot)
{
    const fb_field *field = row(table, slot);
    assert(is_scalar(field) && !field->vector);
    const uint8_t *at = field_at(table, slot);
    return at ? fb_load_int(at, field->scalar) : (int64_t)field->deflt;
}

double fb_get_real(fb_view table, int slot)
{
    const fb_field *field = row(table, slot);
    assert(is_scalar(field) && !field->vector);
    const uint8_t *at = field_at(table, slot);
    return at ? fb_load_real(at, field->scalar) : field->deflt;
}

static tw_str string_at(const uint8_t *at)
{
    return at ? (tw_str){(const char *)at + 4, fb_load_u32(at)} : (tw_str){0};
}

tw_str fb_get_str(fb_view table, int slot)
{
    assert(row(table, slot)->kind == FB_KIND_STRING && !row(table, slot)->vector);
    return string_at(follow(field_at(table, slot)));
}

static fb_view alternative(const uint8_t *at, unsigned union_id, unsigned type)
{
    if (!at || type == 0 || type >= fb_unions[union_id].n_alternatives)
        return (fb_view){0};
    return (fb_view){at, &fb_tables[fb_unions[union_id].alternatives[type].table]};
}

unsigned fb_get_utype(fb_view table, int slot)
{
    assert(row(table, slot)->kind == FB_KIND_UNION);
    return (unsigned)fb_get_int(table, slot - 1);
}

fb_view fb_get_table(fb_view table, int slot)
{
    const fb_field *field = row(table, slot);
    assert(!field->vector);
    const uint8_t *at = follow(field_at(table, slot));
    if (field->kind == FB_KIND_UNION)
        return alternative(at, field->of, fb_get_utype(table, slot));
    assert(field->kind == FB_KIND_TABLE);
    return at ? (fb_view){at, &fb_tables[field->of]} : (fb_view){0};
}

const uint8_t *fb_get_struct(fb_view table, int slot)
{
    assert(row(table, slot)->kind == FB_KIND_STRUCT && !row(table, slot)->vector);
    return field_at(table, slot);
}

fb_dim2d fb_get_dim2d(fb_view table, int slot)
{
    const uint8_t *at = fb_get_struct(table, slot);
    assert(row(table, slot)->of == FB_STRUCT_Dim2d);
    return at ? (fb_dim2d){(int32_t)fb_load_u32(at), (int32_t)fb_load_u32(at + 4)}
              : (fb_dim2d){0};
}

fb_vec fb_get_vec(fb_view table, int slot)
{
    const fb_field *field = row(table, slot);
    assert(field->vector);
    const uint8_t *at = follow(field_at(table, slot));
    if (!at)
        return (fb_vec){.field = field};
    fb_vec vec = {.at = at + 4, .field = field, .count = fb_load_u32(at)};
    if (field->kind == FB_KIND_UNION) {
        const uint8_t *types = follow(field_at(table, slot - 1));
        vec.types = types ? types + 4 : NULL;
    }
    return vec;
}

static const uint8_t *element(fb_vec vec, size_t i)
{
    assert(i < vec.count);
    return vec.at + i * fb_stored_size(vec.field);
}

int64_t fb_vec_int(fb_vec vec, size_t i)
{
    return fb_load_int(element(vec, i), vec.field->scalar);
}

double fb_vec_real(fb_vec vec, size_t i)
{
    return fb_load_real(element(vec, i), vec.field->scalar);
}

tw_str fb_vec_str(fb_vec vec, size_t i)
{
    assert(vec.field->kind == FB_KIND_STRING);
    return string_at(follow(element(vec, i)));
}

fb_view fb_vec_table(fb_vec vec, size_t i)
{
    const uint8_t *at = follow(element(vec, i));
    if (vec.field->kind == FB_KIND_UNION)
        return alternative(at, vec.field->of, vec.types ? vec.types[i] : 0);
    assert(vec.field->kind == FB_KIND_TABLE);
    return (fb_view){at, &fb_tables[vec.field->of]};
}

const uint8_t *fb_vec_struct(fb_vec vec, size_t i)
{
    assert(vec.field->kind == FB_KIND_STRUCT);
    return element(vec, i);
}

fb_core_range fb_vec_core_range(fb_vec vec, size_t i)
{
    assert(vec.field->of == FB_STRUCT_ttnn_CoreRange);
    fb_core_range range;
    memcpy(&range, fb_vec_struct(vec, i), sizeof range);
    return range;
}

size_t fb_vec_ints(fb_vec vec, int64_t *out, size_t max)
{
    for (size_t i = 0; i < vec.count && i < max; i++)
        out[i] = fb_vec_int(vec, i);
    return vec.count;
}

int64_t fb_member_int(const uint8_t *at, fb_struct_id id, size_t member)
{
    assert(member < fb_structs[id].n_members);
    const fb_member *m = &fb_structs[id].members[member];
    assert(m->kind == FB_KIND_SCALAR || m->kind == FB_KIND_ENUM);
    return fb_load_int(at + m->offset, m->scalar);
}

/* ---- equality ----------------------------------------------------------------------- */

static bool equal_vectors(fb_vec a, fb_vec b)
{
    if (a.count != b.count || !a.at != !b.at)
        return false;
    if (a.at == b.at && a.types == b.types)
        return true;
    switch ((fb_kind)a.field->kind) {
    case FB_KIND_STRING:
        for (size_t i = 0; i < a.count; i++)
            if (!tw_str_equal(fb_vec_str(a, i), fb_vec_str(b, i)))
                return false;
        return true;
    case FB_KIND_TABLE:
    case FB_KIND_UNION:
        for (size_t i = 0; i < a.count; i++)
            if (!fb_equal(fb_vec_table(a, i), fb_vec_table(b, i)))
                return false;
        return true;
    default:
        return a.count == 0 || memcmp(a.at, b.at, a.count * fb_stored_size(a.field)) == 0;
    }
}

static bool equal_field(fb_view a, fb_view b, int slot)
{
    const fb_field *field = row(a, slot);
    if (field->vector)
        return equal_vectors(fb_get_vec(a, slot), fb_get_vec(b, slot));
    if (field->kind == FB_KIND_STRING)
        return tw_str_equal(fb_get_str(a, slot), fb_get_str(b, slot));
    if (field->kind == FB_KIND_TABLE || field->kind == FB_KIND_UNION)
        return fb_equal(fb_get_table(a, slot), fb_get_table(b, slot));
    if (field->optional && fb_has(a, slot) != fb_has(b, slot))
        return false;
    if (field->kind == FB_KIND_STRUCT) {
        const uint8_t *x = fb_get_struct(a, slot), *y = fb_get_struct(b, slot);
        return x && y ? memcmp(x, y, fb_structs[field->of].size) == 0 : x == y;
    }
    double x = fb_get_real(a, slot), y = fb_get_real(b, slot);
    return memcmp(&x, &y, sizeof x) == 0;
}

bool fb_equal(fb_view a, fb_view b)
{
    if (a.at == b.at && a.def == b.def)
        return true;
    if (!a.at || !b.at || a.def != b.def)
        return false;
    for (int slot = 0; slot < a.def->n_fields; slot++)
        if (!equal_field(a, b, slot))
            return false;
    return true;
}
