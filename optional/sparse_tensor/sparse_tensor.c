/* sparse_tensor.c: the sparse_tensor dialect: its encoding of tensor types.
 *
 *   "<{" "map" "=" "(" dim , ... ")" "->" "(" level , ... ")"
 *        { "," ( "posWidth" | "crdWidth" ) "=" integer } "}>"
 *   level  = affine-expression ":" kind [ "(" property , ... ")" ]
 *
 * The expressions of the levels form one affine map; each level also has a text. */
#include "sparse_tensor/sparse_tensor.h"

#include "ir/constraints.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "support/strbuf.h"

enum { MAP, LEVELS, POS_WIDTH, CRD_WIDTH, PARAMS, MAX_LEVELS = 32 };

static const char *const kinds[] = {"dense", "batch", "compressed", "loose_compressed",
                                    "singleton"};
static const char *const properties[] = {"nonunique", "nonordered", "soa"};

static bool is_one_of(tw_str word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tw_str_is(word, list[i]))
            return true;
    return false;
}

/* kind [ "(" property , ... ")" ] as text */
static ir_attr parse_kind(ir_parser *p)
{
    tw_str word;
    const char *at = p->tok.at;
    if (!ir_parse_keyword(p, &word))
        return NULL;
    if (!is_one_of(word, kinds, TW_COUNT(kinds))) {
        ir_fail(p, at, "unknown level type '%.*s'", (int)word.size, word.data);
        return NULL;
    }
    tw_strbuf text = {0};
    tw_strbuf_str(&text, word);
    const char *separator = "(";
    if (ir_accept_punct(p, '(')) {
        do {
            at = p->tok.at;
            if (!ir_parse_keyword(p, &word))
                break;
            if (!is_one_of(word, properties, TW_COUNT(properties)))
                ir_fail(p, at, "unknown level property '%.*s'", (int)word.size, word.data);
            tw_strbuf_puts(&text, separator);
            tw_strbuf_str(&text, word);
            separator = ", ";
        } while (ir_accept_punct(p, ','));
        if (!p->failed && ir_expect_punct(p, ')'))
            tw_strbuf_putc(&text, ')');
    }
    ir_attr made =
        p->failed ? NULL : ir_string_attr(p->ctx, tw_str_from(tw_strbuf_text(&text)));
    tw_strbuf_free(&text);
    return made;
}

/* Skips an expression up to the ':' after it and appends its text. */
static bool copy_expression(ir_parser *p, tw_strbuf *map)
{
    const char *start = p->tok.at;
    int depth = 0;
    while (p->tok.kind != IR_TOK_EOF && (depth || !ir_at_punct(p, ':'))) {
        depth += ir_at_punct(p, '(') - ir_at_punct(p, ')');
        if (depth < 0)
            break;
        ir_next(p);
    }
    if (!ir_at_punct(p, ':'))
        return ir_fail_here(p, "expected ':'");
    tw_strbuf_str(map, (tw_str){start, (size_t)(p->tok.at - start)});
    return ir_expect_punct(p, ':');
}

static bool parse_map(ir_parser *p, ir_attr *params)
{
    ir_attr levels[MAX_LEVELS];
    uint32_t n = 0;
    tw_strbuf map = {0};
    const char *start = p->tok.at;
    while (p->tok.kind != IR_TOK_EOF && !ir_at_punct(p, ')'))
        ir_next(p);
    if (!ir_expect_punct(p, ')'))
        return false;
    tw_strbuf_puts(&map, "affine_map<");
    tw_strbuf_str(&map, (tw_str){start, (size_t)(p->tok.at - start)});
    tw_strbuf_puts(&map, "-> (");
    bool ok = ir_expect_arrow(p) && ir_expect_punct(p, '(');
    while (ok && !ir_accept_punct(p, ')')) {
        tw_strbuf_puts(&map, n ? ", " : "");
        ok =
            n < MAX_LEVELS || ir_fail_here(p, "a tensor has at most %d levels", MAX_LEVELS);
        ok = ok && copy_expression(p, &map) && (levels[n] = parse_kind(p));
        n++;
        if (ok && !ir_accept_punct(p, ',') && !ir_at_punct(p, ')'))
            ok = ir_fail_here(p, "expected ',' or ')'");
    }
    tw_strbuf_puts(&map, ")>");
    if (ok) {
        params[MAP] = ir_parse_attr(p->ctx, tw_str_from(tw_strbuf_text(&map)));
        params[LEVELS] = ir_array_attr(p->ctx, levels, n);
        ok = params[MAP] || ir_fail(p, start, "expected a map of dimensions to levels");
    }
    tw_strbuf_free(&map);
    return ok && !p->failed;
}

static ir_attr parse_encoding(ir_parser *p, const ir_attr_def *def)
{
    ir_attr params[PARAMS] = {NULL, NULL, ir_raw_int(p->ctx, 0), ir_raw_int(p->ctx, 0)};
    if (!ir_expect_punct(p, '<') || !ir_expect_punct(p, '{'))
        return NULL;
    while (!ir_accept_punct(p, '}')) {
        int64_t width;
        const char *at = p->tok.at;
        tw_str key;
        if (!ir_parse_keyword(p, &key) || !ir_expect_punct(p, '='))
            return NULL;
        if (tw_str_is(key, "map")) {
            if (!parse_map(p, params))
                return NULL;
        } else if (tw_str_is(key, "posWidth") || tw_str_is(key, "crdWidth")) {
            if (!ir_parse_int(p, &width))
                return NULL;
            params[key.data[0] == 'p' ? POS_WIDTH : CRD_WIDTH] = ir_raw_int(p->ctx, width);
        } else {
            ir_fail(p, at, "unexpected key: %.*s", (int)key.size, key.data);
            return NULL;
        }
        if (!ir_accept_punct(p, ',') && !ir_at_punct(p, '}')) {
            ir_fail_here(p, "expected ',' or '}'");
            return NULL;
        }
    }
    if (!ir_expect_punct(p, '>'))
        return NULL;
    if (!params[MAP]) {
        ir_fail_here(p, "expected a map of dimensions to levels");
        return NULL;
    }
    return ir_dialect_attr(p->ctx, def, params, PARAMS);
}

/* The map's text, "(d0, d1) -> (d0, d1)", with a kind after each result. */
static void print_encoding(ir_printer *p, ir_attr attr)
{
    ir_attr levels = attr->params[LEVELS];
    uint32_t level = 0;
    int depth = 0;
    bool results = false;
    ir_put(p, "<{ map = ");
    const char *c = ir_attr_text(attr->ctx, attr->params[MAP]) + strlen("affine_map<");
    for (; *c && c[1]; c++) {
        results |= c[0] == '>' && c[-1] == '-';
        depth += *c == '(';
        depth -= *c == ')';
        bool ends = results && ((*c == ',' && depth == 1) || (*c == ')' && depth == 0));
        if (ends && level < levels->count) {
            ir_put(p, " : ");
            ir_putf(p, "%s", levels->items[level++]->ident->text);
        }
        ir_putc(p, *c);
    }
    if (ir_attr_int(attr->params[POS_WIDTH], 0))
        ir_putf(p, ", posWidth = %lld", (long long)attr->params[POS_WIDTH]->value);
    if (ir_attr_int(attr->params[CRD_WIDTH], 0))
        ir_putf(p, ", crdWidth = %lld", (long long)attr->params[CRD_WIDTH]->value);
    ir_put(p, " }>");
}

static bool verify_tensor(ir_context *ctx, ir_loc loc, ir_attr attr, ir_type tensor)
{
    uint32_t dims = attr->params[MAP]->map->n_dims;
    return dims == tensor->count ||
           ir_error(ctx, loc,
                    "dimension-rank mismatch between encoding and tensor shape: "
                    "%u != %u",
                    dims, tensor->count);
}

/* Checks that the shapes agree; a static size may become dynamic. */
static bool verify_convert(ir_op *op)
{
    ir_type in = op->operands[0].value->type, out = op->results[0].type;
    if (in->kind != IR_TYPE_TENSOR || out->kind != IR_TYPE_TENSOR)
        return ir_op_error(op, "unexpected type in convert");
    if (in->count != out->count)
        return ir_op_error(op, "unexpected conversion mismatch in rank");
    for (uint32_t d = 0; d < in->count; d++)
        if (in->dims[d] != out->dims[d] && out->dims[d] != IR_DYNAMIC)
            return ir_op_error(op, "unexpected conversion mismatch in dimension %u", d);
    return true;
}

static const ir_attr_def attrs[] = {
    {.mnemonic = "sparse_tensor.encoding",
     .cls = "SparseTensorEncodingAttr",
     .parse = parse_encoding,
     .print = print_encoding,
     .verify_tensor = verify_tensor,
     .alias = "sparse",
     .params =
         IR_LIST(ir_param_def, {"map", .kind = IR_PARAM_AFFINE_MAP},
                 {"levels", .kind = IR_PARAM_STRING, .array = true},
                 {"posWidth", .kind = IR_PARAM_INT}, {"crdWidth", .kind = IR_PARAM_INT}),
     .traits = "VerifiableTensorEncoding"},
};

static const ir_op_def ops[] = {
    {.name = "sparse_tensor.convert",
     .operands = IR_LIST(ir_operand_def, {"source", &C_AnyTensor}),
     .results = IR_LIST(ir_operand_def, {"dest", &C_AnyTensor}),
     .traits = IR_B(PURE) | IR_B(NO_MEMORY_EFFECT) | IR_B(SAME_ELEMENT_TYPE),
     .format = "$source attr-dict `:` type($source) `to` type($dest)",
     .verify = verify_convert},
};

const ir_dialect sparse_tensor_dialect = {
    .name = "sparse_tensor",
    .ops = {ops, TW_COUNT(ops)},
    .uses_properties = true,
    .attrs = {attrs, TW_COUNT(attrs)},
};
