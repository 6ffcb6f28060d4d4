/* context.c: interning, registration, memory of operations, packed locations. */
#include "ir/context_impl.h"
#include "ir/dialect.h"
#include "support/poison.h"

#include <stdlib.h>

/* ---- intern sets ------------------------------------------------------------------- */

const void *ir_intern_next(const ir_intern_set *set, uint32_t hash, uint32_t *cursor)
{
    if (!set->slots)
        return NULL;
    for (uint32_t i = *cursor & set->mask;; i = (i + 1) & set->mask) {
        const ir_intern_entry *e = &set->slots[i];
        if (!e->item)
            return NULL;
        if (e->hash == hash) {
            *cursor = i + 1;
            return e->item;
        }
    }
}

static void fill_slot(ir_intern_set *set, uint32_t hash, const void *item)
{
    uint32_t i = hash & set->mask;
    while (set->slots[i].item)
        i = (i + 1) & set->mask;
    set->slots[i] = (ir_intern_entry){hash, item};
}

void ir_intern_add(ir_intern_set *set, uint32_t hash, const void *item)
{
    if (!set->slots || set->count * 2 > set->mask) {
        ir_intern_set grown = {.mask = set->slots ? set->mask * 2 + 1 : 127,
                               .count = set->count};
        grown.slots = tw_xcalloc((size_t)grown.mask + 1, sizeof *grown.slots);
        for (uint32_t i = 0; set->slots && i <= set->mask; i++)
            if (set->slots[i].item)
                fill_slot(&grown, set->slots[i].hash, set->slots[i].item);
        free(set->slots);
        *set = grown;
    }
    fill_slot(set, hash, item);
    set->count++;
}

/* ---- lifetime ----------------------------------------------------------------------- */

ir_context *ir_context_create(void)
{
    ir_context *ctx = tw_xcalloc(1, sizeof *ctx);
    ctx->index = ir_index_type(ctx);
    ctx->i1 = ir_integer_type(ctx, 1, IR_SIGNLESS);
    ctx->i32 = ir_integer_type(ctx, 32, IR_SIGNLESS);
    ctx->i64 = ir_integer_type(ctx, 64, IR_SIGNLESS);
    ctx->si32 = ir_integer_type(ctx, 32, IR_SIGNED);
    ctx->f32 = ir_float_type(ctx, IR_F32);
    return ctx;
}

void ir_context_destroy(ir_context *ctx)
{
    if (!ctx)
        return;
    ir_flush_diagnostics(ctx);
    for (size_t i = 0; i < IR_SLOT_COUNT; i++)
        if (ctx->slots[i].destroy && ctx->slots[i].value)
            ctx->slots[i].destroy(ctx->slots[i].value);
    for (size_t i = 0; i < ctx->n_blobs; i++)
        ctx->blobs[i]->release(ctx->blobs[i]->owner, ctx->blobs[i]->data,
                               ctx->blobs[i]->size);
    free(ctx->blobs);
    free(ctx->idents.slots);
    free(ctx->types.slots);
    free(ctx->attrs.slots);
    free(ctx->affine.slots);
    free(ctx->op_names.slots);
    free(ctx->dialects);
    free(ctx->files);
    free(ctx->notes);
    tw_arena_free(&ctx->messages);
    tw_arena_free(&ctx->arena);
    free(ctx);
}

tw_arena *ir_context_arena(ir_context *ctx)
{
    return &ctx->arena;
}

void *ir_context_slot(const ir_context *ctx, ir_slot slot)
{
    return ctx->slots[slot].value;
}

void ir_context_set_slot(ir_context *ctx, ir_slot slot, void *value,
                         void (*destroy)(void *))
{
    ctx->slots[slot].value = value;
    ctx->slots[slot].destroy = destroy;
}

void *ir_pool_alloc(ir_context *ctx, size_t size)
{
    size_t class = (size + 15) / 16;
    if (class < IR_POOL_CLASSES && ctx->pool[class]) {
        void **p = ctx->pool[class];
        TW_UNPOISON(p, size);
        ctx->pool[class] = *p;
        memset(p, 0, size);
        return p;
    }
    return tw_arena_alloc(&ctx->arena, size);
}

void ir_pool_free(ir_context *ctx, void *p, size_t size)
{
    size_t class = (size + 15) / 16;
    if (!p || class == 0 || class >= IR_POOL_CLASSES)
        return; /* large arrays stay in the arena */
    *(void **)p = ctx->pool[class];
    ctx->pool[class] = p;
    TW_POISON(p, size);
}

ir_free_listener ir_context_set_free_listener(ir_context *ctx, ir_free_listener listener)
{
    ir_free_listener before = ctx->free_listener;
    ctx->free_listener = listener;
    return before;
}

/* ---- registration -------------------------------------------------------------------- */

void ir_context_register(ir_context *ctx, const ir_dialect *dialect)
{
    for (size_t i = 0; i < ctx->n_dialects; i++)
        if (ctx->dialects[i] == dialect)
            return;
    TW_PUSH(ctx->dialects, ctx->n_dialects, ctx->dialects_capacity, dialect);
}

const ir_dialect *ir_context_dialect(ir_context *ctx, tw_str name_space)
{
    for (size_t i = 0; i < ctx->n_dialects; i++)
        if (tw_str_is(name_space, ctx->dialects[i]->name))
            return ctx->dialects[i];
    return NULL;
}

const ir_dialect *ir_context_dialect_of(ir_context *ctx, tw_str name)
{
    const char *dot = memchr(name.data, '.', name.size);
    return dot ? ir_context_dialect(ctx, (tw_str){name.data, (size_t)(dot - name.data)})
               : NULL;
}

bool ir_def_uses_properties(ir_context *ctx, const ir_op_def *def)
{
    const ir_dialect *d = def->traits & IR_UNREGISTERED
                              ? NULL
                              : ir_context_dialect_of(ctx, tw_str_from(def->name));
    return d && d->uses_properties;
}

size_t ir_context_dialect_count(const ir_context *ctx)
{
    return ctx->n_dialects;
}

const ir_dialect *ir_context_dialect_at(const ir_context *ctx, size_t i)
{
    return ctx->dialects[i];
}

void ir_context_allow_unregistered(ir_context *ctx, bool allow)
{
    ctx->allow_unregistered = allow;
}

bool ir_context_allows_unregistered(const ir_context *ctx)
{
    return ctx->allow_unregistered;
}

bool ir_context_set_tensors_fixed(ir_context *ctx, bool fixed)
{
    const bool before = ctx->tensors_fixed;
    ctx->tensors_fixed = fixed;
    return before;
}

bool ir_context_tensors_fixed(const ir_context *ctx)
{
    return ctx->tensors_fixed;
}

/* Maps operation names to their rows, so that a dialect's table is searched once for each
 * name. */
typedef struct op_name {
    const ir_op_def *def;
    uint32_t size;
    const char *text;
} op_name;

static const ir_op_def *find_op(ir_context *ctx, tw_str name, bool make_up)
{
    uint32_t hash = tw_hash_end(tw_hash_bytes(1, name.data, name.size)), cursor = hash;
    const op_name *known;
    while ((known = ir_intern_next(&ctx->op_names, hash, &cursor)))
        if (known->size == name.size && memcmp(known->text, name.data, name.size) == 0)
            return make_up || !(known->def->traits & IR_UNREGISTERED) ? known->def : NULL;

    const ir_dialect *dialect = ir_context_dialect_of(ctx, name);
    const ir_op_def *def = dialect ? ir_dialect_find_op(dialect, name) : NULL;
    if (!def && !make_up)
        return NULL;
    if (!def) {
        ir_op_def *row = TW_ARENA_NEW(&ctx->arena, ir_op_def);
        row->name = tw_arena_copy(&ctx->arena, name.data, name.size);
        row->traits = IR_UNREGISTERED;
        def = row;
    }
    op_name *entry = TW_ARENA_NEW(&ctx->arena, op_name);
    *entry = (op_name){def, (uint32_t)name.size, def->name};
    ir_intern_add(&ctx->op_names, hash, entry);
    return def;
}

const ir_op_def *ir_context_op_def(ir_context *ctx, tw_str name)
{
    return find_op(ctx, name, false);
}

const ir_op_def *ir_context_op_def_or_unregistered(ir_context *ctx, tw_str name)
{
    return find_op(ctx, name, true);
}

/* ---- identifiers -------------------------------------------------------------------- */

ir_ident ir_ident_get(ir_context *ctx, tw_str text)
{
    uint32_t hash = tw_hash_end(tw_hash_bytes(0, text.data, text.size)), cursor = hash;
    ir_ident known;
    while ((known = ir_intern_next(&ctx->idents, hash, &cursor)))
        if (known->size == text.size &&
            (text.size == 0 || memcmp(known->text, text.data, text.size) == 0))
            return known;
    struct ir_ident_data *id = tw_arena_alloc(&ctx->arena, sizeof *id + text.size + 1);
    id->size = (uint32_t)text.size;
    id->hash = hash;
    if (text.size)
        memcpy(id->text, text.data, text.size);
    ir_intern_add(&ctx->idents, hash, id);
    return id;
}

/* ---- locations ---------------------------------------------------------------------- */

/* Packed: bit 0 set, then 15 bits of file index, 28 of line, 20 of column. */
enum { FILE_BITS = 15, LINE_BITS = 28, COLUMN_BITS = 20 };

ir_loc ir_loc_file(ir_context *ctx, ir_ident file, uint32_t line, uint32_t column)
{
    size_t number = ctx->n_files;
    while (number > 0 && ctx->files[number - 1] != file)
        number--;
    if (number == 0) {
        if (ctx->n_files < (size_t)1 << FILE_BITS) {
            TW_PUSH(ctx->files, ctx->n_files, ctx->files_capacity, file);
            number = ctx->n_files;
        } else {
            return ir_loc_from_attr(
                ir_loc_file_range_attr(ctx, file, line, column, line, column));
        }
    }
    if (line >> LINE_BITS || column >> COLUMN_BITS)
        return ir_loc_from_attr(
            ir_loc_file_range_attr(ctx, file, line, column, line, column));
    uint64_t bits = number - 1;
    bits = bits << LINE_BITS | line;
    bits = bits << COLUMN_BITS | column;
    return (ir_loc){bits << 1 | 1};
}

ir_loc ir_loc_from_attr(ir_attr location)
{
    if (!location || location->kind == IR_ATTR_LOC_UNKNOWN)
        return IR_LOC_UNKNOWN;
    if (location->kind == IR_ATTR_LOC_FILE && location->line == location->end_line &&
        location->column == location->end_column && !(location->line >> LINE_BITS) &&
        !(location->column >> COLUMN_BITS) &&
        location->ctx->n_files < (size_t)1 << FILE_BITS)
        return ir_loc_file(location->ctx, location->ident, location->line,
                           location->column);
    return (ir_loc){(uint64_t)(uintptr_t)location};
}

static bool unpack(ir_context *ctx, ir_loc loc, ir_ident *file, uint32_t *line,
                   uint32_t *column)
{
    if (!(loc.bits & 1))
        return false;
    uint64_t bits = loc.bits >> 1;
    *column = (uint32_t)(bits & ((1u << COLUMN_BITS) - 1));
    *line = (uint32_t)(bits >> COLUMN_BITS & ((1u << LINE_BITS) - 1));
    *file = ctx->files[bits >> (COLUMN_BITS + LINE_BITS)];
    return true;
}

ir_attr ir_loc_attr(ir_context *ctx, ir_loc loc)
{
    ir_ident file;
    uint32_t line, column;
    if (unpack(ctx, loc, &file, &line, &column))
        return ir_loc_file_range_attr(ctx, file, line, column, line, column);
    if (loc.bits)
        return (ir_attr)(uintptr_t)loc.bits;
    if (!ctx->loc_unknown) {
        struct ir_attr_data *a = TW_ARENA_NEW(&ctx->arena, struct ir_attr_data);
        a->kind = IR_ATTR_LOC_UNKNOWN;
        a->ctx = ctx;
        ctx->loc_unknown = a;
    }
    return ctx->loc_unknown;
}

static bool attr_position(ir_attr a, ir_ident *file, uint32_t *line, uint32_t *column)
{
    switch (a ? a->kind : IR_ATTR_LOC_UNKNOWN) {
    case IR_ATTR_LOC_FILE:
        *file = a->ident;
        *line = a->line;
        *column = a->column;
        return true;
    case IR_ATTR_LOC_NAME:
        return attr_position(a->child, file, line, column);
    case IR_ATTR_LOC_CALLSITE:
    case IR_ATTR_LOC_FUSED:
        for (uint32_t i = 0; i < a->count; i++)
            if (attr_position(a->items[i], file, line, column))
                return true;
        return false;
    default:
        return false;
    }
}

bool ir_loc_position(ir_context *ctx, ir_loc loc, ir_ident *file, uint32_t *line,
                     uint32_t *column)
{
    if (unpack(ctx, loc, file, line, column))
        return true;
    return loc.bits && attr_position((ir_attr)(uintptr_t)loc.bits, file, line, column);
}

ir_loc ir_loc_fused(ir_context *ctx, const ir_loc *locs, size_t count)
{
    ir_attr *items = tw_xmalloc((count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = ir_loc_attr(ctx, locs[i]);
    ir_loc fused = ir_loc_from_attr(ir_loc_fused_attr(ctx, items, count, NULL));
    free(items);
    return fused;
}
