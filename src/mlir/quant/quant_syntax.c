/* quant_syntax.c: the text of quantized types.
 *
 *   any        = "<" storage [ ":" float-type ] ">"
 *   calibrated = "<" float-type "<" min ":" max ">" ">"
 *   uniform    = "<" storage ":" float-type "," quant ">"
 *              | "<" storage ":" float-type ":" dim "," "{" quant { "," quant } "}" ">"
 *              | "<" storage ":" float-type ":" "{" [ dim ":" size , ... ] "}" "," nest ">"
 *   storage    = ( integer-type | "u" width ) [ "<" min ":" max ">" ]
 *   quant      = scale [ ":" zero-point ]
 *   nest       = "{" ( nest | quant ) { "," ( nest | quant ) } "}" */
#include "mlir/quant/quant.h"
#include "mlir/quant/quant_hooks.h"

#include <stdlib.h>

enum { MAX_RANK = 8 };

/* ---- reading ------------------------------------------------------------------------ */

static bool parse_storage_range(ir_parser *p, int64_t lowest, int64_t highest,
                                ir_attr *params)
{
    int64_t min, max;
    const char *at_min = p->tok.at, *at_max;
    if (!ir_parse_int(p, &min) || !ir_expect_punct(p, ':'))
        return false;
    at_max = p->tok.at;
    if (!ir_parse_int(p, &max) || !ir_expect_punct(p, '>'))
        return false;
    if (min < lowest)
        return ir_fail(p, at_min, "illegal storage type minimum: %lld", (long long)min);
    if (max > highest)
        return ir_fail(p, at_max, "illegal storage type maximum: %lld", (long long)max);
    params[QUANT_STORAGE_MIN] = ir_raw_int(p->ctx, min);
    params[QUANT_STORAGE_MAX] = ir_raw_int(p->ctx, max);
    return true;
}

/* "u8", or an integer type */
static bool parse_storage_type(ir_parser *p, ir_attr *params)
{
    const char *at = p->tok.at;
    char *end;
    bool is_signed = true;
    unsigned long width = 0;
    ir_type type = NULL;
    tw_str word = ir_tok_str(p);
    if (p->tok.kind == IR_TOK_BARE_ID && word.data[0] == 'u' &&
        (word.size == 1 || word.data[1] != 'i')) {
        width = strtoul(word.data + 1, &end, 10);
        if (end != word.data + word.size || word.size < 2 || width > 1000000)
            return ir_fail(p, at, "expected storage type width");
        is_signed = false;
        ir_next(p);
    } else {
        type = ir_accept_a_type(p);
        if (!type || type->kind != IR_TYPE_INTEGER)
            return p->failed ? false : ir_fail(p, at, "illegal storage type prefix");
        is_signed = type->sign != IR_UNSIGNED;
        width = type->width;
    }
    if (width == 0 || width > 32)
        return ir_fail(p, at, "illegal storage type size: %lu", width);
    if (!type)
        type = ir_integer_type(p->ctx, (uint32_t)width, IR_SIGNLESS);
    params[QUANT_FLAGS] = ir_raw_int(p->ctx, is_signed);
    params[QUANT_STORAGE_TYPE] = ir_type_attr(type);
    return true;
}

static bool parse_storage(ir_parser *p, ir_attr *params)
{
    int64_t lowest, highest;
    if (!parse_storage_type(p, params))
        return false;
    quant_storage_range(params[QUANT_STORAGE_TYPE]->type->width, params[QUANT_FLAGS]->value,
                        &lowest, &highest);
    if (ir_accept_punct(p, '<'))
        return parse_storage_range(p, lowest, highest, params);
    params[QUANT_STORAGE_MIN] = ir_raw_int(p->ctx, lowest);
    params[QUANT_STORAGE_MAX] = ir_raw_int(p->ctx, highest);
    return !p->failed;
}

static ir_attr parse_float_type(ir_parser *p)
{
    const char *at = p->tok.at;
    ir_type type = ir_parse_a_type(p);
    if (type && type->kind != IR_TYPE_FLOAT)
        ir_fail(p, at, "invalid kind of type specified");
    return type && !p->failed ? ir_type_attr(type) : NULL;
}

static ir_attr parse_real(ir_parser *p)
{
    double value;
    bool negative = ir_accept_punct(p, '-');
    if (p->tok.kind == IR_TOK_INTEGER) {
        ir_fail_here(p, "unexpected decimal integer literal for a floating point value");
        return NULL;
    }
    return ir_parse_real(p, &value)
               ? ir_float_attr(ir_float_type(p->ctx, IR_F64), negative ? -value : value)
               : NULL;
}

/* scale [ ":" zero-point ] */
static bool parse_quant(ir_parser *p, ir_attr *scale, ir_attr *zero)
{
    int64_t value = 0;
    if (!(*scale = parse_real(p)))
        return false;
    if (ir_accept_punct(p, ':') && !ir_parse_int(p, &value))
        return false;
    *zero = ir_raw_int(p->ctx, value);
    return !p->failed;
}

typedef struct quants {
    ir_attr *scales, *zeros;
    uint32_t count, capacity;
    int64_t shape[MAX_RANK];
    uint32_t rank;
} quants;

static bool add_quant(ir_parser *p, quants *q)
{
    if (q->count == q->capacity) {
        uint32_t capacity = q->capacity ? 2 * q->capacity : 8;
        ir_attr *scales = ir_scratch(p, capacity * sizeof *scales);
        ir_attr *zeros = ir_scratch(p, capacity * sizeof *zeros);
        if (q->count) {
            memcpy(scales, q->scales, q->count * sizeof *scales);
            memcpy(zeros, q->zeros, q->count * sizeof *zeros);
        }
        *q = (quants){scales, zeros, q->count, capacity, {0}, 0};
    }
    if (!parse_quant(p, &q->scales[q->count], &q->zeros[q->count]))
        return false;
    q->count++;
    return true;
}

/* "{" quant { "," quant } "}" */
static bool parse_quants(ir_parser *p, quants *q)
{
    if (!ir_expect_punct(p, '{'))
        return false;
    do
        if (!add_quant(p, q))
            return false;
    while (ir_accept_punct(p, ','));
    return ir_expect_punct(p, '}');
}

/* Nested lists; all lists at one depth have the same length. */
static bool parse_nest(ir_parser *p, quants *q, int64_t *shape, uint32_t *rank,
                       uint32_t depth)
{
    int64_t length = 0;
    const char *at = p->tok.at;
    if (depth == MAX_RANK)
        return ir_fail_here(p, "quantization parameters nest deeper than %d levels",
                            MAX_RANK);
    if (!ir_expect_punct(p, '{'))
        return false;
    do {
        bool leaf = !ir_at_punct(p, '{');
        if (*rank && leaf != (depth + 1 == *rank))
            return ir_fail_here(p, "ranks are not consistent between elements");
        if (leaf)
            *rank = depth + 1;
        if (!(leaf ? add_quant(p, q) : parse_nest(p, q, shape, rank, depth + 1)))
            return false;
        length++;
    } while (ir_accept_punct(p, ','));
    if (shape[depth] && shape[depth] != length)
        return ir_fail(p, at, "expected %lld elements, got %lld", (long long)shape[depth],
                       (long long)length);
    shape[depth] = length;
    return ir_expect_punct(p, '}');
}

static bool block_item(ir_parser *p, void *user)
{
    ir_dims *both = user;
    int64_t dim, size;
    if (!ir_parse_int(p, &dim) || !ir_expect_punct(p, ':') || !ir_parse_int(p, &size))
        return false;
    ir_dims_add(p, &both[0], dim);
    ir_dims_add(p, &both[1], size);
    return true;
}

static ir_attr int_list(ir_parser *p, const int64_t *values, uint32_t count)
{
    ir_attr *items = ir_scratch(p, (count + 1) * sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        items[i] = ir_raw_int(p->ctx, values[i]);
    return ir_array_attr(p->ctx, items, count);
}

/* From the second ":" on. */
static ir_type parse_axes(ir_parser *p, ir_attr *params)
{
    quants q = {0};
    ir_dims blocks[2] = {{0}};
    int64_t dim, shape[MAX_RANK] = {0};
    uint32_t rank = 0;
    bool per_axis = !ir_at_punct(p, '{');
    if (per_axis) {
        const char *at = p->tok.at;
        if (!ir_parse_int(p, &dim))
            return NULL;
        if (dim != (int32_t)dim) {
            ir_fail(p, at, "integer value too large");
            return NULL;
        }
        params[QUANT_DIMENSION] = ir_raw_int(p->ctx, dim);
    } else if (!ir_parse_list(p, "{}", block_item, blocks)) {
        return NULL;
    }
    if (!ir_expect_punct(p, ',') ||
        !(per_axis ? parse_quants(p, &q) : parse_nest(p, &q, shape, &rank, 0)))
        return NULL;
    params[QUANT_SCALE] = ir_array_attr(p->ctx, q.scales, q.count);
    params[QUANT_ZERO_POINT] = ir_array_attr(p->ctx, q.zeros, q.count);
    if (per_axis)
        return ir_dialect_type(p->ctx, QUANT_TYPE(uniform_per_axis), params,
                               QUANT_DIMENSION + 1);
    params[QUANT_SHAPE] = int_list(p, shape, rank);
    params[QUANT_DIMENSIONS] = int_list(p, blocks[0].at, blocks[0].count);
    params[QUANT_BLOCK_SIZES] = int_list(p, blocks[1].at, blocks[1].count);
    return ir_dialect_type(p->ctx, QUANT_TYPE(uniform_sub_channel), params,
                           QUANT_BLOCK_SIZES + 1);
}

ir_type quant_uniform_parse(ir_parser *p, const ir_type_def *def)
{
    ir_attr params[QUANT_BLOCK_SIZES + 1] = {0};
    ir_type type;
    (void)def; /* the text determines the kind */
    if (!ir_expect_punct(p, '<') || !parse_storage(p, params) || !ir_expect_punct(p, ':') ||
        !(params[QUANT_EXPRESSED_TYPE] = parse_float_type(p)))
        return NULL;
    if (ir_accept_punct(p, ':')) {
        type = parse_axes(p, params);
    } else {
        if (!ir_expect_punct(p, ',') ||
            !parse_quant(p, &params[QUANT_SCALE], &params[QUANT_ZERO_POINT]))
            return NULL;
        type = ir_dialect_type(p->ctx, QUANT_TYPE(uniform), params, QUANT_ZERO_POINT + 1);
    }
    return type && ir_expect_punct(p, '>') ? type : NULL;
}

ir_type quant_any_parse(ir_parser *p, const ir_type_def *def)
{
    ir_attr params[QUANT_STORAGE_MAX + 1] = {0};
    if (!ir_expect_punct(p, '<') || !parse_storage(p, params))
        return NULL;
    if (ir_accept_punct(p, ':') && !(params[QUANT_EXPRESSED_TYPE] = parse_float_type(p)))
        return NULL;
    return ir_expect_punct(p, '>')
               ? ir_dialect_type(p->ctx, def, params, QUANT_STORAGE_MAX + 1)
               : NULL;
}

ir_type quant_calibrated_parse(ir_parser *p, const ir_type_def *def)
{
    ir_attr params[3];
    if (!ir_expect_punct(p, '<') || !(params[0] = parse_float_type(p)) ||
        !ir_expect_punct(p, '<') || !(params[1] = parse_real(p)) ||
        !ir_expect_punct(p, ':') || !(params[2] = parse_real(p)) ||
        !ir_expect_punct(p, '>') || !ir_expect_punct(p, '>'))
        return NULL;
    return ir_dialect_type(p->ctx, def, params, TW_COUNT(params));
}

/* ---- printing ----------------------------------------------------------------------- */

static void put_storage(ir_printer *p, ir_type type)
{
    int64_t lowest, highest, min = type->params[QUANT_STORAGE_MIN]->value,
                             max = type->params[QUANT_STORAGE_MAX]->value;
    bool is_signed = type->params[QUANT_FLAGS]->value & 1;
    ir_type storage = type->params[QUANT_STORAGE_TYPE]->type;
    quant_storage_range(storage->width, is_signed, &lowest, &highest);
    const char *letters = storage->sign == IR_SIGNED     ? "si"
                          : storage->sign == IR_UNSIGNED ? "ui"
                          : is_signed                    ? "i"
                                                         : "u";
    ir_putf(p, "<%s%u", letters, storage->width);
    if (min != lowest || max != highest)
        ir_putf(p, "<%lld:%lld>", (long long)min, (long long)max);
    if (type->params[QUANT_EXPRESSED_TYPE]) {
        ir_putc(p, ':');
        ir_put_type(p, type->params[QUANT_EXPRESSED_TYPE]->type);
    }
}

static void put_quant(ir_printer *p, ir_attr scale, ir_attr zero)
{
    ir_put_float(p, scale);
    if (zero->value)
        ir_putf(p, ":%lld", (long long)zero->value);
}

static uint32_t put_nest(ir_printer *p, ir_type type, uint32_t depth, uint32_t next)
{
    ir_attr shape = type->params[QUANT_SHAPE], scales = type->params[QUANT_SCALE];
    ir_putc(p, '{');
    for (int64_t i = 0; i < shape->items[depth]->value; i++) {
        if (i)
            ir_put(p, ", ");
        if (depth + 1 < shape->count) {
            next = put_nest(p, type, depth + 1, next);
        } else if (next < scales->count) {
            put_quant(p, scales->items[next], type->params[QUANT_ZERO_POINT]->items[next]);
            next++;
        }
    }
    ir_putc(p, '}');
    return next;
}

static void put_axis(ir_printer *p, ir_type type)
{
    ir_attr scales = type->params[QUANT_SCALE];
    ir_putf(p, ":%lld, {", (long long)type->params[QUANT_DIMENSION]->value);
    for (uint32_t i = 0; i < scales->count; i++) {
        if (i)
            ir_putc(p, ',');
        put_quant(p, scales->items[i], type->params[QUANT_ZERO_POINT]->items[i]);
    }
    ir_putc(p, '}');
}

static void put_blocks(ir_printer *p, ir_type type)
{
    ir_attr dims = type->params[QUANT_DIMENSIONS], sizes = type->params[QUANT_BLOCK_SIZES];
    ir_put(p, ":{");
    for (uint32_t i = 0; i < dims->count; i++)
        ir_putf(p, "%s%lld:%lld", i ? ", " : "", (long long)dims->items[i]->value,
                (long long)sizes->items[i]->value);
    ir_put(p, "}, ");
    put_nest(p, type, 0, 0);
}

void quant_uniform_print(ir_printer *p, ir_type type)
{
    put_storage(p, type);
    if (type->def == QUANT_TYPE(uniform_per_axis)) {
        put_axis(p, type);
    } else if (type->def == QUANT_TYPE(uniform_sub_channel)) {
        put_blocks(p, type);
    } else {
        ir_put(p, ", ");
        put_quant(p, type->params[QUANT_SCALE], type->params[QUANT_ZERO_POINT]);
    }
    ir_putc(p, '>');
}

void quant_any_print(ir_printer *p, ir_type type)
{
    put_storage(p, type);
    ir_putc(p, '>');
}

void quant_calibrated_print(ir_printer *p, ir_type type)
{
    ir_putc(p, '<');
    ir_put_type(p, type->params[0]->type);
    ir_putc(p, '<');
    ir_put_float(p, type->params[1]);
    ir_putc(p, ':');
    ir_put_float(p, type->params[2]);
    ir_put(p, ">>");
}
