/* write.c: writes the bytecode file: numbering, tables and sections. */
#include "ir/bytecode.h"
#include "ir/bytecode/reader.h"
#include "ir/bytecode/writer.h"
#include "ir/text.h"

#include <stdlib.h>

/* ---- primitives; without `bytes` nothing is written --------------------------------- */

ir_context *ir_out_context(ir_bytecode_out *out)
{
    return out->writer->ctx;
}

void ir_out_byte(ir_bytecode_out *out, uint8_t value)
{
    if (out->bytes)
        tw_strbuf_putc(out->bytes, (char)value);
}

void ir_out_bytes(ir_bytecode_out *out, const void *data, size_t size)
{
    if (out->bytes)
        tw_strbuf_append(out->bytes, data, size);
}

static void put_varint(tw_strbuf *bytes, uint64_t value)
{
    uint8_t text[9] = {0};
    unsigned more = 0;
    while (more < 8 && value >> (7 * (more + 1)))
        more++;
    uint64_t word = more == 8 ? value : (value << 1 | 1) << more;
    for (unsigned i = 0; i < 8; i++)
        text[i + (more == 8)] = (uint8_t)(word >> 8 * i);
    tw_strbuf_append(bytes, text, more + 1);
}

void ir_out_varint(ir_bytecode_out *out, uint64_t value)
{
    if (out->bytes)
        put_varint(out->bytes, value);
}

void ir_out_svarint(ir_bytecode_out *out, int64_t value)
{
    ir_out_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* Zero-extended, as APInt's words are; 64 bits are signed. */
void ir_out_bits(ir_bytecode_out *out, uint64_t bits, uint32_t width)
{
    if (width == 0)
        return;
    if (width <= 8)
        ir_out_byte(out, (uint8_t)(bits & ((1u << width) - 1)));
    else
        ir_out_svarint(out, (int64_t)(width < 64 ? bits & ((1ull << width) - 1) : bits));
}

uint32_t bc_string(bc_writer *w, tw_str text)
{
    ir_ident id = ir_ident_get(w->ctx, text);
    uintptr_t known = (uintptr_t)ir_mapping_get(w->strings, id);
    if (known)
        return (uint32_t)known - 1;
    TW_PUSH(w->string_at, w->n_strings, w->strings_capacity, id);
    ir_mapping_set(w->strings, id, (void *)(uintptr_t)w->n_strings);
    return (uint32_t)w->n_strings - 1;
}

void ir_out_string(ir_bytecode_out *out, tw_str text)
{
    if (out->bytes) /* strings are numbered as they are written */
        put_varint(out->bytes, bc_string(out->writer, text));
}

uint32_t bc_dialect_number(bc_writer *w, tw_str name)
{
    ir_ident id = ir_ident_get(w->ctx, name);
    for (size_t i = 0; i < w->n_dialects; i++)
        if (w->dialect_at[i] == id)
            return (uint32_t)i;
    TW_PUSH(w->dialect_at, w->n_dialects, w->dialects_capacity, id);
    return (uint32_t)w->n_dialects - 1;
}

void bc_put_section(tw_strbuf *out, int id, const tw_strbuf *data)
{
    tw_strbuf_putc(out, (char)id);
    put_varint(out, data->size);
    tw_strbuf_append(out, data->data, data->size);
}

/* ---- attributes and types ----------------------------------------------------------- */

static tw_str dialect_of(const char *mnemonic)
{
    return (tw_str){mnemonic, (size_t)(strchr(mnemonic, '.') - mnemonic)};
}

static tw_str attr_dialect(ir_attr attr)
{
    if (attr->kind == IR_ATTR_DIALECT)
        return dialect_of(attr->def->mnemonic);
    return attr->kind == IR_ATTR_OPAQUE ? ir_ident_str(attr->dialect) : TW_STR("builtin");
}

static tw_str type_dialect(ir_type type)
{
    if (type->kind == IR_TYPE_DIALECT)
        return dialect_of(type->def->mnemonic);
    return type->kind == IR_TYPE_OPAQUE ? ir_ident_str(type->dialect) : TW_STR("builtin");
}

/* Returns false if it has no binary form; then nothing has been written. */
static bool encode(ir_bytecode_out *out, const void *value, bool type)
{
    ir_context *ctx = out->writer->ctx;
    if (type) {
        ir_type t = value;
        if (t->kind != IR_TYPE_DIALECT)
            return ir_builtin_write_type(out, t);
        const ir_dialect *d = ir_context_dialect(ctx, type_dialect(t));
        return d && d->bytecode && ir_rows_write_type(out, d->bytecode, t);
    }
    ir_attr a = value;
    if (a->kind != IR_ATTR_DIALECT)
        return ir_builtin_write_attr(out, a);
    const ir_dialect *d = ir_context_dialect(ctx, attr_dialect(a));
    return d && d->bytecode && ir_rows_write_attr(out, d->bytecode, a);
}

/* Counts a use; adds the item to the list at its first use. */
bc_item *bc_item_of(bc_writer *w, const void *value, bc_list *list, tw_str dialect)
{
    bc_item *item = ir_mapping_get(w->items, value);
    if (!item) {
        item = TW_ARENA_NEW(&w->arena, bc_item);
        *item = (bc_item){.value = value, .order = (uint32_t)list->count};
        item->dialect = bc_dialect_number(w, dialect);
        TW_PUSH(list->at, list->count, list->capacity, item);
        ir_mapping_set(w->items, value, item);
    }
    item->uses++;
    return item;
}

static void number_resource(void *out, ir_attr resource)
{
    ir_out_resource(out, resource->dialect, resource->body);
}

/* Numbers its operands after it; for items written as text, only resources. */
static void number(bc_writer *w, const void *value, bool type)
{
    bc_list *list = type ? &w->types : &w->attrs;
    tw_str dialect = type ? type_dialect(value) : attr_dialect(value);
    ir_bytecode_out out = {w, NULL};
    if (bc_item_of(w, value, list, dialect)->uses == 1 && !encode(&out, value, type))
        ir_text_resources(type ? NULL : value, type ? value : NULL, number_resource, &out);
}

static uint64_t reference(ir_bytecode_out *out, const void *value, bool type)
{
    if (out->bytes)
        return ((bc_item *)ir_mapping_get(out->writer->items, value))->index;
    number(out->writer, value, type);
    return 0;
}

void ir_out_attr(ir_bytecode_out *out, ir_attr attr)
{
    ir_out_varint(out, reference(out, attr, false));
}

void ir_out_optional_attr(ir_bytecode_out *out, ir_attr attr)
{
    ir_out_varint(out, attr ? reference(out, attr, false) << 1 | 1 : 0);
}

void ir_out_type(ir_bytecode_out *out, ir_type type)
{
    ir_out_varint(out, reference(out, type, true));
}

void ir_out_resource(ir_bytecode_out *out, ir_ident dialect, ir_ident key)
{
    bc_writer *w = out->writer;
    for (size_t i = 0; i < w->n_resources; i++)
        if (w->resources[i]->dialect == dialect && w->resources[i]->body == key) {
            ir_out_varint(out, i);
            return;
        }
    struct ir_attr_data *copy = TW_ARENA_NEW(&w->arena, struct ir_attr_data);
    copy->dialect = dialect;
    copy->body = key;
    bc_dialect_number(w, ir_ident_str(dialect));
    const struct ir_attr_data *kept = copy;
    TW_PUSH(w->resources, w->n_resources, w->resources_capacity, kept);
    ir_out_varint(out, w->n_resources - 1);
}

/* Most used items come first, as small indices are short. */
static int compare_uses(const void *a, const void *b)
{
    const bc_item *x = *(bc_item *const *)a, *y = *(bc_item *const *)b;
    if (x->uses != y->uses)
        return x->uses > y->uses ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* By the key that group_by_dialect stored in `index`. */
static int compare_keys(const void *a, const void *b)
{
    const bc_item *x = *(bc_item *const *)a, *y = *(bc_item *const *)b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Groups by dialect items whose indices have the same encoded size; the dialect that ended
 * the previous group begins the next one.  Group sizes are MLIR's, so that its files and
 * ours are identical. */
static void group_by_dialect(bc_list *list)
{
    uint32_t first = 0;
    uint64_t size = 0;
    bc_item **at = list->at, **end = at + list->count;
    for (unsigned bytes = 1; at < end; bytes++) {
        size = (UINT64_C(1) << 7 * bytes) - size;
        size_t n = TW_MIN((size_t)(end - at), (size_t)size);
        for (size_t i = 0; i < n; i++) {
            at[i]->index = at[i]->dialect == first ? 0 : at[i]->dialect + 1;
            at[i]->order = (uint32_t)i;
        }
        qsort(at, n, sizeof *at, compare_keys);
        at += n;
        first = at[-1]->dialect;
    }
}

/* Resources are numbered group by group: those of one dialect together. */
static void sort_resources(bc_writer *w)
{
    for (size_t i = 1; i < w->n_resources; i++)
        for (size_t k = i;
             k > 0 && bc_dialect_number(w, ir_ident_str(w->resources[k]->dialect)) <
                          bc_dialect_number(w, ir_ident_str(w->resources[k - 1]->dialect));
             k--) {
            const struct ir_attr_data *t = w->resources[k];
            w->resources[k] = w->resources[k - 1];
            w->resources[k - 1] = t;
        }
}

static void assign_numbers(bc_writer *w)
{
    bc_list *lists[] = {&w->attrs, &w->types, &w->names};
    for (size_t l = 0; l < TW_COUNT(lists); l++) {
        if (lists[l]->count)
            qsort(lists[l]->at, lists[l]->count, sizeof *lists[l]->at, compare_uses);
        group_by_dialect(lists[l]);
        for (size_t i = 0; i < lists[l]->count; i++)
            lists[l]->at[i]->index = (uint32_t)i;
    }
    sort_resources(w);
}

/* ---- sections ----------------------------------------------------------------------- */

static void write_entry(bc_writer *w, const bc_item *item, bool type, tw_strbuf *data,
                        tw_strbuf *offsets)
{
    size_t start = data->size;
    bool custom = encode(&(ir_bytecode_out){w, data}, item->value, type);
    if (!custom) {
        data->size = start;
        if (type)
            ir_print_type(item->value, data);
        else
            ir_print_attr(item->value, data);
        tw_strbuf_putc(data, 0);
    }
    put_varint(offsets, (uint64_t)(data->size - start) << 1 | custom);
}

static void write_entries(bc_writer *w, const bc_list *list, bool type, tw_strbuf *data,
                          tw_strbuf *offsets)
{
    for (size_t i = 0; i < list->count;) {
        size_t end = i;
        while (end < list->count && list->at[end]->dialect == list->at[i]->dialect)
            end++;
        put_varint(offsets, list->at[i]->dialect);
        put_varint(offsets, end - i);
        for (; i < end; i++)
            write_entry(w, list->at[i], type, data, offsets);
    }
}

static void write_dialects(bc_writer *w, tw_strbuf *out)
{
    enum { VERSIONED = 1, WITH_NAME_COUNT = 4, WITH_REGISTERED = 5 };
    put_varint(out, w->n_dialects);
    for (size_t i = 0; i < w->n_dialects; i++) {
        uint64_t name = bc_string(w, ir_ident_str(w->dialect_at[i]));
        put_varint(out, w->version >= VERSIONED ? name << 1 : name);
    }
    if (w->version >= WITH_NAME_COUNT)
        put_varint(out, w->names.count);
    for (size_t i = 0; i < w->names.count;) {
        bc_item **at = w->names.at;
        size_t end = i;
        while (end < w->names.count && at[end]->dialect == at[i]->dialect)
            end++;
        put_varint(out, at[i]->dialect);
        put_varint(out, end - i);
        for (; i < end; i++) {
            const ir_op_def *def = at[i]->value;
            const char *dot = strchr(def->name, '.');
            uint64_t name = bc_string(w, tw_str_from(dot ? dot + 1 : def->name));
            bool registered = !(def->traits & IR_UNREGISTERED);
            put_varint(out, w->version >= WITH_REGISTERED ? name << 1 | registered : name);
        }
    }
}

enum { DEFAULT_ALIGN = 16, PADDING = 0xCB };

/* Blobs are aligned in the section, and the section in the file.  Returns the largest
 * alignment: readers require that alignment of the whole file, and a file read into memory
 * is aligned as by malloc, so the alignment is not larger than the blob's own. */
static uint64_t write_resources(bc_writer *w, tw_strbuf *data, tw_strbuf *offsets)
{
    uint64_t largest = 1;
    put_varint(offsets, 0);
    for (size_t i = 0; i < w->n_resources;) {
        ir_ident dialect = w->resources[i]->dialect;
        size_t end = i;
        while (end < w->n_resources && w->resources[end]->dialect == dialect)
            end++;
        put_varint(offsets, bc_dialect_number(w, ir_ident_str(dialect)));
        put_varint(offsets, end - i);
        for (; i < end; i++) {
            size_t start = data->size;
            const ir_blob *blob = ir_resource_find(w->ctx, dialect, w->resources[i]->body);
            if (blob) {
                uint64_t align = blob->align ? blob->align : DEFAULT_ALIGN;
                largest = TW_MAX(largest, align);
                put_varint(data, align);
                put_varint(data, blob->size);
                while (data->size % align)
                    tw_strbuf_putc(data, (char)PADDING);
                tw_strbuf_append(data, blob->data, blob->size);
            }
            put_varint(offsets, bc_string(w, ir_ident_str(w->resources[i]->body)));
            put_varint(offsets, data->size - start);
            tw_strbuf_putc(offsets, 0);
        }
    }
    return largest;
}

static void put_aligned_section(tw_strbuf *out, bc_writer *w, tw_strbuf *offsets)
{
    enum { ALIGNED = 0x80 };
    tw_strbuf data = {0};
    /* the payload starts at a multiple of the alignment, so its size must be known first */
    uint64_t align = write_resources(w, &data, offsets);
    tw_strbuf_putc(out, (char)(IR_SECTION_RESOURCE | ALIGNED));
    put_varint(out, data.size);
    put_varint(out, align);
    while (out->size % align)
        tw_strbuf_putc(out, (char)PADDING);
    tw_strbuf_append(out, data.data, data.size);
    tw_strbuf_free(&data);
}

static void write_strings(bc_writer *w, tw_strbuf *out)
{
    put_varint(out, w->n_strings);
    for (size_t i = w->n_strings; i-- > 0;)
        put_varint(out, w->string_at[i]->size + 1);
    for (size_t i = 0; i < w->n_strings; i++)
        tw_strbuf_append(out, w->string_at[i]->text, w->string_at[i]->size + 1);
}

static void write_blobs(bc_writer *w, tw_strbuf *out)
{
    put_varint(out, w->n_blobs);
    for (size_t i = 0; i < w->n_blobs; i++) {
        put_varint(out, w->blob_at[i]->size);
        tw_strbuf_append(out, w->blob_at[i]->text, w->blob_at[i]->size);
    }
}

/* Sections refer to strings that earlier ones add, so the bodies are built first. */
static void write_file(bc_writer *w, ir_op *op, const char *producer, tw_strbuf *out)
{
    enum { BODIES = IR_SECTION_COUNT, WITH_PROPERTIES = 5 };
    static const int order[] = {IR_SECTION_DIALECT, IR_SECTION_OFFSET, IR_SECTION_ATTR_TYPE,
                                IR_SECTION_IR};
    tw_strbuf s[BODIES] = {0};
    put_varint(&s[IR_SECTION_OFFSET], w->attrs.count);
    put_varint(&s[IR_SECTION_OFFSET], w->types.count);
    write_dialects(w, &s[IR_SECTION_DIALECT]);
    write_entries(w, &w->attrs, false, &s[IR_SECTION_ATTR_TYPE], &s[IR_SECTION_OFFSET]);
    write_entries(w, &w->types, true, &s[IR_SECTION_ATTR_TYPE], &s[IR_SECTION_OFFSET]);
    bc_write_ir(w, op, &s[IR_SECTION_IR]);
    tw_strbuf_append(out, "ML\xEFR", 4);
    put_varint(out, (uint64_t)w->version);
    tw_strbuf_append(out, producer, strlen(producer) + 1);
    for (size_t i = 0; i < TW_COUNT(order); i++)
        bc_put_section(out, order[i], &s[order[i]]);
    if (w->n_resources)
        put_aligned_section(out, w, &s[IR_SECTION_RESOURCE_OFFSET]);
    else
        put_varint(&s[IR_SECTION_RESOURCE_OFFSET], 0);
    bc_put_section(out, IR_SECTION_RESOURCE_OFFSET, &s[IR_SECTION_RESOURCE_OFFSET]);
    if (!w->n_resources)
        bc_put_section(out, IR_SECTION_RESOURCE, &s[IR_SECTION_RESOURCE]);
    write_strings(w, &s[IR_SECTION_STRING]);
    bc_put_section(out, IR_SECTION_STRING, &s[IR_SECTION_STRING]);
    if (w->version >= WITH_PROPERTIES) {
        write_blobs(w, &s[IR_SECTION_PROPERTIES]);
        bc_put_section(out, IR_SECTION_PROPERTIES, &s[IR_SECTION_PROPERTIES]);
    }
    for (size_t i = 0; i < BODIES; i++)
        tw_strbuf_free(&s[i]);
}

static void free_writer(bc_writer *w)
{
    tw_arena_free(&w->arena);
    ir_mapping_free(w->items);
    ir_mapping_free(w->strings);
    ir_mapping_free(w->blobs);
    free(w->attrs.at);
    free(w->types.at);
    free(w->names.at);
    free(w->string_at);
    free(w->blob_at);
    free(w->dialect_at);
    free(w->resources);
}

bool ir_bytecode_write(ir_op *op, const ir_bytecode_options *options, tw_strbuf *out)
{
    int version = options ? options->version : IR_BYTECODE_VERSION;
    if (version < 0 || version > IR_BYTECODE_VERSION)
        return ir_error(op->ctx, op->loc, "unsupported version %d: expected 0 to %d",
                        version, IR_BYTECODE_VERSION);
    bc_writer w = {.ctx = op->ctx,
                   .version = version,
                   .use_orders = options && options->use_orders && version >= 3,
                   .items = ir_mapping_create(),
                   .strings = ir_mapping_create(),
                   .blobs = ir_mapping_create()};
    bc_number_op(&w, op);
    if (!w.failed) {
        assign_numbers(&w);
        write_file(&w, op,
                   options && options->producer ? options->producer
                                                : "Tilewright " TW_VERSION,
                   out);
    }
    free_writer(&w);
    return !w.failed;
}
