/* type.c: creates and queries types. */
#include "ir/type.h"

#include "ir/context_impl.h"
#include "ir/dialect.h"

#include <stdlib.h>

/* "ORDER FLOAT": rows follow ir_float_kind. */
static const struct {
    const char *name;
    uint8_t bits;
} float_table[IR_FLOAT_COUNT] = {
    {"f4E2M1FN", 4},      {"f6E2M3FN", 6}, {"f6E3M2FN", 6},   {"f8E5M2", 8},
    {"f8E4M3", 8},        {"f8E4M3FN", 8}, {"f8E5M2FNUZ", 8}, {"f8E4M3FNUZ", 8},
    {"f8E4M3B11FNUZ", 8}, {"f8E3M4", 8},   {"f8E8M0FNU", 8},  {"bf16", 16},
    {"f16", 16},          {"tf32", 19},    {"f32", 32},       {"f64", 64},
    {"f80", 80},          {"f128", 128},
};

const char *ir_float_name(ir_float_kind kind)
{
    return float_table[kind].name;
}

bool ir_float_from_name(tw_str name, ir_float_kind *out_kind)
{
    for (size_t i = 0; i < IR_FLOAT_COUNT; i++)
        if (tw_str_is(name, float_table[i].name)) {
            *out_kind = (ir_float_kind)i;
            return true;
        }
    return false;
}

/* ---- interning ---------------------------------------------------------------------- */

static bool attr_alias(ir_attr a)
{
    return a && a->has_alias;
}

static uint32_t hash_type(const struct ir_type_data *t)
{
    uint64_t h = tw_hash_mix(t->kind, (uint64_t)t->width << 8 | t->sign);
    h = tw_hash_mix(h, (uint64_t)t->count << 32 | t->results);
    switch (t->kind) {
    case IR_TYPE_INTEGER:
    case IR_TYPE_FLOAT:
    case IR_TYPE_INDEX:
    case IR_TYPE_NONE:
        break;
    case IR_TYPE_FUNCTION:
    case IR_TYPE_TUPLE:
        for (uint32_t i = 0; i < t->count + t->results; i++)
            h = tw_hash_ptr(h, t->types[i]);
        break;
    case IR_TYPE_DIALECT:
        h = tw_hash_ptr(h, t->def);
        for (uint32_t i = 0; i < t->count; i++)
            h = tw_hash_ptr(h, t->params[i]);
        break;
    case IR_TYPE_OPAQUE:
        h = tw_hash_ptr(tw_hash_ptr(h, t->dialect), t->body);
        break;
    default:
        h = tw_hash_ptr(tw_hash_ptr(tw_hash_ptr(h, t->element), t->encoding), t->space);
        for (uint32_t i = 0; i < t->count; i++)
            h = tw_hash_mix(h, (uint64_t)t->dims[i]);
        if (t->scalable)
            h = tw_hash_bytes(h, t->scalable, t->count);
        break;
    }
    return tw_hash_end(h);
}

static bool same_type(ir_type a, ir_type b)
{
    if (a->kind != b->kind || a->sign != b->sign || a->width != b->width ||
        a->count != b->count || a->results != b->results)
        return false;
    switch (a->kind) {
    case IR_TYPE_INTEGER:
    case IR_TYPE_FLOAT:
    case IR_TYPE_INDEX:
    case IR_TYPE_NONE:
        return true;
    case IR_TYPE_FUNCTION:
    case IR_TYPE_TUPLE:
        return a->count + a->results == 0 ||
               memcmp(a->types, b->types, (a->count + a->results) * sizeof *a->types) == 0;
    case IR_TYPE_DIALECT:
        return a->def == b->def &&
               (a->count == 0 ||
                memcmp(a->params, b->params, a->count * sizeof *a->params) == 0);
    case IR_TYPE_OPAQUE:
        return a->dialect == b->dialect && a->body == b->body;
    default:
        if (a->element != b->element || a->encoding != b->encoding ||
            a->space != b->space || !a->scalable != !b->scalable)
            return false;
        if (a->scalable && memcmp(a->scalable, b->scalable, a->count) != 0)
            return false;
        return a->count == 0 || memcmp(a->dims, b->dims, a->count * sizeof *a->dims) == 0;
    }
}

/* Copies the arrays that `probe` borrows. */
static ir_type intern(ir_context *ctx, struct ir_type_data *probe)
{
    probe->ctx = ctx;
    probe->hash = hash_type(probe);
    uint32_t cursor = probe->hash;
    ir_type known;
    while ((known = ir_intern_next(&ctx->types, probe->hash, &cursor)))
        if (same_type(known, probe))
            return known;

    struct ir_type_data *t = TW_ARENA_NEW(&ctx->arena, struct ir_type_data);
    *t = *probe;
    tw_arena *arena = &ctx->arena;
    switch (t->kind) {
    case IR_TYPE_FUNCTION:
    case IR_TYPE_TUPLE:
        t->types = (const ir_type *)(void *)tw_arena_copy(
            arena, t->types, (t->count + t->results) * sizeof *t->types);
        for (uint32_t i = 0; i < t->count + t->results; i++)
            t->has_alias |= t->types[i]->has_alias;
        break;
    case IR_TYPE_DIALECT:
        t->params = (const ir_attr *)(void *)tw_arena_copy(arena, t->params,
                                                           t->count * sizeof *t->params);
        t->has_alias = 1; /* its row may propose one; the printer decides */
        break;
    case IR_TYPE_VECTOR:
    case IR_TYPE_TENSOR:
    case IR_TYPE_MEMREF:
        ctx->max_rank = TW_MAX(ctx->max_rank, t->count);
        t->dims = (const int64_t *)(void *)tw_arena_copy(arena, t->dims,
                                                         t->count * sizeof *t->dims);
        if (t->scalable)
            t->scalable = (const bool *)(void *)tw_arena_copy(arena, t->scalable,
                                                              t->count * sizeof(bool));
        t->has_alias =
            t->element->has_alias || attr_alias(t->encoding) || attr_alias(t->space);
        break;
    case IR_TYPE_COMPLEX:
    case IR_TYPE_UNRANKED_TENSOR:
    case IR_TYPE_UNRANKED_MEMREF:
        t->has_alias = t->element->has_alias || attr_alias(t->space);
        break;
    default:
        break;
    }
    ir_intern_add(&ctx->types, t->hash, t);
    return t;
}

uint32_t ir_context_max_rank(const ir_context *ctx)
{
    return ctx->max_rank;
}

/* ---- creation ----------------------------------------------------------------------- */

ir_type ir_integer_type(ir_context *ctx, uint32_t width, ir_signedness sign)
{
    struct ir_type_data probe = {
        .kind = IR_TYPE_INTEGER, .width = width, .sign = (uint8_t)sign};
    return intern(ctx, &probe);
}

ir_type ir_float_type(ir_context *ctx, ir_float_kind kind)
{
    if (ctx->floats[kind])
        return ctx->floats[kind];
    struct ir_type_data probe = {
        .kind = IR_TYPE_FLOAT, .sign = (uint8_t)kind, .width = float_table[kind].bits};
    return ctx->floats[kind] = intern(ctx, &probe);
}

ir_type ir_index_type(ir_context *ctx)
{
    if (ctx->index)
        return ctx->index;
    return ctx->index = intern(ctx, &(struct ir_type_data){.kind = IR_TYPE_INDEX});
}

ir_type ir_none_type(ir_context *ctx)
{
    if (ctx->none)
        return ctx->none;
    return ctx->none = intern(ctx, &(struct ir_type_data){.kind = IR_TYPE_NONE});
}

ir_type ir_complex_type(ir_type element)
{
    return intern(element->ctx,
                  &(struct ir_type_data){.kind = IR_TYPE_COMPLEX, .element = element});
}

ir_type ir_vector_type(ir_type element, const int64_t *dims, size_t rank,
                       const bool *scalable)
{
    bool any = false;
    for (size_t i = 0; scalable && i < rank; i++)
        any |= scalable[i];
    return intern(element->ctx, &(struct ir_type_data){.kind = IR_TYPE_VECTOR,
                                                       .element = element,
                                                       .dims = dims,
                                                       .count = (uint32_t)rank,
                                                       .scalable = any ? scalable : NULL});
}

ir_type ir_tensor_type(ir_type element, const int64_t *dims, size_t rank, ir_attr encoding)
{
    return intern(element->ctx, &(struct ir_type_data){.kind = IR_TYPE_TENSOR,
                                                       .element = element,
                                                       .dims = dims,
                                                       .count = (uint32_t)rank,
                                                       .encoding = encoding});
}

ir_type ir_unranked_tensor_type(ir_type element)
{
    return intern(element->ctx, &(struct ir_type_data){.kind = IR_TYPE_UNRANKED_TENSOR,
                                                       .element = element});
}

static ir_attr drop_default_space(ir_attr space)
{
    bool is_default = ir_attr_is(space, IR_ATTR_INTEGER) && space->value == 0 &&
                      space->type && ir_type_is_signless(space->type, 64);
    return is_default ? NULL : space;
}

ir_type ir_memref_type(ir_type element, const int64_t *dims, size_t rank, ir_attr layout,
                       ir_attr space)
{
    if (ir_attr_is(layout, IR_ATTR_AFFINE_MAP) && ir_affine_map_is_identity(layout->map))
        layout = NULL;
    return intern(element->ctx, &(struct ir_type_data){.kind = IR_TYPE_MEMREF,
                                                       .element = element,
                                                       .dims = dims,
                                                       .count = (uint32_t)rank,
                                                       .encoding = layout,
                                                       .space = drop_default_space(space)});
}

ir_type ir_unranked_memref_type(ir_type element, ir_attr space)
{
    return intern(element->ctx, &(struct ir_type_data){.kind = IR_TYPE_UNRANKED_MEMREF,
                                                       .element = element,
                                                       .space = drop_default_space(space)});
}

ir_type ir_function_type(ir_context *ctx, const ir_type *inputs, size_t n_inputs,
                         const ir_type *results, size_t n_results)
{
    enum { FEW = 32 };
    ir_type few[FEW];
    size_t n = n_inputs + n_results;
    ir_type *all = n <= FEW ? few : tw_xmalloc(n * sizeof *all);
    if (n_inputs)
        memcpy(all, inputs, n_inputs * sizeof *all);
    if (n_results)
        memcpy(all + n_inputs, results, n_results * sizeof *all);
    ir_type type = intern(ctx, &(struct ir_type_data){.kind = IR_TYPE_FUNCTION,
                                                      .types = all,
                                                      .count = (uint32_t)n_inputs,
                                                      .results = (uint32_t)n_results});
    if (all != few)
        free(all);
    return type;
}

ir_type ir_tuple_type(ir_context *ctx, const ir_type *members, size_t count)
{
    return intern(ctx, &(struct ir_type_data){.kind = IR_TYPE_TUPLE,
                                              .types = members,
                                              .count = (uint32_t)count});
}

ir_type ir_dialect_type(ir_context *ctx, const ir_type_def *def, const ir_attr *params,
                        size_t count)
{
    return intern(ctx, &(struct ir_type_data){.kind = IR_TYPE_DIALECT,
                                              .def = def,
                                              .params = params,
                                              .count = (uint32_t)count});
}

ir_type ir_opaque_type(ir_context *ctx, ir_ident dialect, ir_ident body)
{
    return intern(ctx, &(struct ir_type_data){
                           .kind = IR_TYPE_OPAQUE, .dialect = dialect, .body = body});
}

/* ---- queries ------------------------------------------------------------------------ */

bool ir_type_is_tensor_element(ir_type t)
{
    switch (t->kind) {
    case IR_TYPE_FUNCTION:
    case IR_TYPE_TUPLE:
    case IR_TYPE_TENSOR:
    case IR_TYPE_UNRANKED_TENSOR:
    case IR_TYPE_MEMREF:
    case IR_TYPE_UNRANKED_MEMREF:
    case IR_TYPE_NONE:
        return false;
    default:
        return true;
    }
}

bool ir_type_has_static_shape(ir_type t)
{
    if (!ir_type_is_ranked(t))
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->dims[i] == IR_DYNAMIC)
            return false;
    return true;
}

int64_t ir_type_num_elements(ir_type t)
{
    int64_t n = 1;
    if (!ir_type_has_static_shape(t))
        return -1;
    for (uint32_t i = 0; i < t->count; i++)
        if (__builtin_mul_overflow(n, t->dims[i], &n))
            return -1;
    return n;
}

ir_type ir_type_element(ir_type t)
{
    return t->kind == IR_TYPE_COMPLEX || ir_type_is_shaped(t) ? t->element : t;
}

ir_type ir_type_i1_like(ir_type t)
{
    ir_type i1 = ir_integer_type(t->ctx, 1, IR_SIGNLESS);
    if (t->kind == IR_TYPE_DIALECT && t->def->with_element)
        return t->def->with_element(t, i1);
    return ir_type_is_shaped(t) ? ir_type_with_element(t, i1) : i1;
}

static ir_type rebuild(ir_type t, ir_type element, const int64_t *dims, size_t rank,
                       ir_attr encoding)
{
    struct ir_type_data probe = *t;
    probe.element = element;
    probe.dims = dims;
    probe.count = (uint32_t)rank;
    probe.encoding = encoding;
    probe.has_alias = 0;
    return intern(t->ctx, &probe);
}

ir_type ir_type_with_element(ir_type t, ir_type element)
{
    return rebuild(t, element, t->dims, t->count, t->encoding);
}

ir_type ir_type_with_shape(ir_type t, const int64_t *dims, size_t rank)
{
    return rebuild(t, t->element, dims, rank, t->encoding);
}
