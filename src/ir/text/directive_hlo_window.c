/* directive_hlo_window.c: dimension numbers and windows of convolutions. */
#include "ir/text/directive_impl.h"

/* `first` and `second`: the letters that are still allowed, 0 for one already used. */
static bool unexpected_dimension(ir_parser *p, const char *at, tw_str word, char first,
                                 char second)
{
    if (first && second)
        return ir_fail_own(p, at, "Unexpected dimension %.*s, expecting %c, %c",
                           (int)word.size, word.data, first, second);
    if (first || second)
        return ir_fail_own(p, at, "Unexpected dimension %.*s, expecting %c", (int)word.size,
                           word.data, first ? first : second);
    return ir_fail_own(p, at, "Unexpected keyword %.*s", (int)word.size, word.data);
}

/* [b, 0, 1, f]: each of the two letters and each spatial index once. */
static bool parse_conv_side(ir_parser *p, char first, char second, int64_t *out_first,
                            int64_t *out_second, ir_dims *spatial)
{
    int64_t at[64], n = 0, position = 0;
    memset(at, -1, sizeof at);
    *out_first = *out_second = -1;
    if (!ir_expect_punct(p, '['))
        return false;
    if (!ir_accept_punct(p, ']')) {
        do {
            int64_t value;
            tw_str word;
            if (ir_at_punct(p, '?')) {
                ir_next(p);
            } else if (p->tok.kind == IR_TOK_INTEGER || ir_at_punct(p, '-')) {
                const char *where = p->tok.at;
                if (!ir_parse_int(p, &value))
                    return false;
                if (value < 0)
                    return ir_fail_own(p, where, "Unexpected dimension %lld",
                                       (long long)value);
                if (value >= 64 || at[value] >= 0)
                    return ir_fail_own(p, where,
                                       value >= 64
                                           ? "expected spatial dimensions < 64"
                                           : "Duplicate entries for spatial dimension "
                                             "%lld",
                                       (long long)value);
                at[value] = position;
                n = TW_MAX(n, value + 1);
            } else {
                const char *where = p->tok.at;
                if (!ir_parse_keyword(p, &word))
                    return false;
                int64_t *slot = word.size == 1 && word.data[0] == first    ? out_first
                                : word.size == 1 && word.data[0] == second ? out_second
                                                                           : NULL;
                if (!slot || *slot >= 0)
                    return unexpected_dimension(p, where, word, *out_first < 0 ? first : 0,
                                                *out_second < 0 ? second : 0);
                *slot = position;
            }
            position++;
        } while (ir_accept_punct(p, ','));
        if (!ir_expect_punct(p, ']'))
            return false;
    }
    if (*out_first < 0 && *out_second < 0)
        return ir_fail_here(p, "Expected dimensions %c, %c not specified", first, second);
    if (*out_first < 0 || *out_second < 0)
        return ir_fail_here(p, "Expected dimensions %c not specified",
                            *out_first < 0 ? first : second);
    spatial->at = ir_scratch(p, sizeof at);
    spatial->count = (uint32_t)n;
    for (int64_t i = 0; i < n; i++) {
        if (at[i] < 0)
            return ir_fail_here(p, "Expected spatial dimensions %lld not specified",
                                (long long)i);
        spatial->at[i] = at[i];
    }
    return true;
}

/* Parameters of #stablehlo.conv in the table's order: input b f spatial, kernel i o
 * spatial, output b f spatial. */
bool ir_parse_conv_dimensions(ir_parser *p, ir_attr *params)
{
    int64_t b, f, i, o, ob, of;
    ir_dims in = {0}, kernel = {0}, out = {0};
    if (!parse_conv_side(p, 'b', 'f', &b, &f, &in) || !ir_expect_keyword(p, "x") ||
        !parse_conv_side(p, 'i', 'o', &i, &o, &kernel) || !ir_expect_arrow(p) ||
        !parse_conv_side(p, 'b', 'f', &ob, &of, &out))
        return false;
    ir_context *ctx = p->ctx;
    params[0] = ir_raw_int(ctx, b);
    params[1] = ir_raw_int(ctx, f);
    params[2] = dir_raw_list(ctx, &in);
    params[3] = ir_raw_int(ctx, i);
    params[4] = ir_raw_int(ctx, o);
    params[5] = dir_raw_list(ctx, &kernel);
    params[6] = ir_raw_int(ctx, ob);
    params[7] = ir_raw_int(ctx, of);
    params[8] = dir_raw_list(ctx, &out);
    return true;
}

static void put_conv_side(ir_printer *p, const ir_attr *params, char first, char second)
{
    int64_t a = ir_attr_int(params[0], 0), b = ir_attr_int(params[1], 0);
    int64_t rank = 2 + (params[2] ? params[2]->count : 0);
    ir_putc(p, '[');
    for (int64_t k = 0; k < rank; k++) {
        if (k)
            ir_put(p, ", ");
        if (k == a)
            ir_putc(p, first);
        else if (k == b)
            ir_putc(p, second);
        else
            for (uint32_t s = 0; s < params[2]->count; s++)
                if (ir_attr_int(params[2]->items[s], -1) == k)
                    ir_put_int(p, s);
    }
    ir_putc(p, ']');
}

void ir_put_conv_dimensions(ir_printer *p, const ir_attr *params)
{
    put_conv_side(p, params, 'b', 'f');
    ir_putc(p, 'x');
    put_conv_side(p, params + 3, 'i', 'o');
    ir_put(p, "->");
    put_conv_side(p, params + 6, 'b', 'f');
}

static bool parse_convolution(op_reading *r, const dir *d)
{
    ir_attr params[9];
    if (!ir_parse_conv_dimensions(r->p, params))
        return false;
    const ir_attr_def *def = ir_attr_def_find(r->p->ctx, TW_STR("stablehlo.conv"));
    dir_set_attr(r, &d->args[0], ir_dialect_attr(r->p->ctx, def, params, 9));
    return true;
}

static void print_convolution(op_writing *w, const dir *d)
{
    ir_put_conv_dimensions(w->p, dir_attr_of(w, &d->args[0])->params);
}

static bool pad_item(ir_parser *p, void *user)
{
    ir_dims *all = user, two = {0};
    const char *at = p->tok.at;
    if (!ir_parse_int_list(p, &two))
        return false;
    if (two.count != 2)
        return ir_fail_own(p, at, "Expected array with 2 elements, got %u elements instead",
                           two.count);
    if (all->count + 2 > 128)
        return ir_fail_own(p, at, "too many padding pairs");
    all->at[all->count++] = two.at[0];
    all->at[all->count++] = two.at[1];
    return true;
}

static bool bool_item(ir_parser *p, void *user)
{
    ir_dims *all = user;
    int64_t value = ir_at_keyword(p, "true");
    if (all->count == 128)
        return ir_fail_here(p, "too many entries");
    if (!ir_accept_keyword(p, "true") && !ir_accept_keyword(p, "false") &&
        !ir_parse_int(p, &value))
        return false;
    all->at[all->count++] = value != 0;
    return true;
}

/* Arguments: stride, pad, lhs_dilate, rhs_dilate, reverse. */
static bool parse_window(op_reading *r, const dir *d)
{
    static const char *const words[] = {"stride", "pad", "lhs_dilate", "rhs_dilate",
                                        "reverse"};
    ir_parser *p = r->p;
    bool seen[5] = {0};
    while (p->tok.kind == IR_TOK_BARE_ID) {
        const char *at = p->tok.at;
        tw_str word;
        int64_t storage[128];
        ir_dims values = {storage, 0, 128};
        size_t k = 0;
        ir_parse_keyword(p, &word);
        while (k < 5 && !tw_str_is(word, words[k]))
            k++;
        if (k == 5)
            return ir_fail_own(p, at, "Unexpected keyword %.*s", (int)word.size, word.data);
        if (seen[k])
            return ir_fail_own(p, at, "Unexpected keyword %.*s", (int)word.size, word.data);
        seen[k] = true;
        if (!ir_expect_punct(p, '='))
            return false;
        ir_attr attr;
        if (k == 1) {
            if (!ir_parse_list(p, "[]", pad_item, &values))
                return false;
            int64_t shape[2] = {values.count / 2, 2};
            ir_type type =
                ir_tensor_type(ir_integer_type(p->ctx, 64, IR_SIGNLESS), shape, 2, NULL);
            attr = ir_dense_i64(type, values.at, values.count);
        } else if (k == 4) {
            bool flags[128];
            if (!ir_parse_list(p, "[]", bool_item, &values))
                return false;
            for (uint32_t i = 0; i < values.count; i++)
                flags[i] = values.at[i] != 0;
            attr = ir_dense_bool_array(p->ctx, flags, values.count);
        } else {
            ir_dims ints = {0};
            if (!ir_parse_int_list(p, &ints))
                return false;
            attr = ir_dense_i64_array(p->ctx, ints.at, ints.count);
        }
        dir_set_attr(r, &d->args[k], attr);
        if (!ir_accept_punct(p, ','))
            break;
    }
    return !p->failed;
}

static void print_window(op_writing *w, const dir *d)
{
    static const char *const words[] = {"stride", "pad", "lhs_dilate", "rhs_dilate",
                                        "reverse"};
    bool any = false;
    for (uint32_t k = 0; k < 5; k++) {
        ir_attr a = dir_attr_of(w, &d->args[k]);
        if (!a)
            continue;
        ir_putf(w->p, "%s%s = ", any ? ", " : "", words[k]);
        any = true;
        if (k != 1) {
            ir_put_dense_array_bare(w->p, a);
            continue;
        }
        ir_putc(w->p, '[');
        for (int64_t i = 0; i < a->type->dims[0]; i++)
            ir_putf(w->p, "%s[%lld, %lld]", i ? ", " : "",
                    (long long)ir_dense_int(a, (size_t)(2 * i)),
                    (long long)ir_dense_int(a, (size_t)(2 * i + 1)));
        ir_putc(w->p, ']');
    }
}

const custom_directive ir_hlo_window_directives[] = {
    {"ConvolutionDimensions", parse_convolution, print_convolution},
    {"WindowAttributes", parse_window, print_window},
    {0},
};
