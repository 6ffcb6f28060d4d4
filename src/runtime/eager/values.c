/* values.c: arguments as attributes of a row, as parts of a key, and as text. */
#include "ir/text.h"
#include "runtime/eager/eager_impl.h"
#include "ttcore/ttcore.h"
#include "ttnn/build.h"
#include "ttnn/emit/ttnn_calls.h"
#include "ttnn/ttnn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- messages ------------------------------------------------------------------------ */

static void put_shape(tw_strbuf *out, const tw_tensor *t)
{
    tw_strbuf_putc(out, '(');
    for (int i = 0; i < t->rank; i++)
        tw_strbuf_printf(out, "%s%lld", i ? ", " : "", (long long)t->dims[i]);
    tw_strbuf_putc(out, ')');
}

void eager_describe(const tw_value *v, tw_strbuf *out)
{
    switch (v->kind) {
    case TW_VALUE_ABSENT:
        tw_strbuf_puts(out, "nothing");
        return;
    case TW_VALUE_NONE:
        tw_strbuf_puts(out, "None");
        return;
    case TW_VALUE_BOOL:
        tw_strbuf_puts(out, v->i ? "True" : "False");
        return;
    case TW_VALUE_INT:
        tw_strbuf_printf(out, "the integer %lld", (long long)v->i);
        return;
    case TW_VALUE_REAL:
        tw_strbuf_printf(out, "the number %g", v->real);
        return;
    case TW_VALUE_TEXT:
        tw_strbuf_printf(out, "'%.*s'", (int)v->n, v->text);
        return;
    case TW_VALUE_LIST:
        tw_strbuf_printf(out, "a list of %zu", v->n);
        return;
    case TW_VALUE_RECORD:
        tw_strbuf_printf(out, "a %s", v->text);
        return;
    case TW_VALUE_TENSOR:
        tw_strbuf_puts(out, "a tensor of shape ");
        put_shape(out, v->tensor);
        return;
    case TW_VALUE_DEVICE:
        tw_strbuf_puts(out, "a device");
        return;
    case TW_VALUE_DTYPE:
        tw_strbuf_printf(out, "the data type %s", tw_dtype_name((tw_dtype)v->i));
        return;
    case TW_VALUE_LAYOUT:
        tw_strbuf_puts(out, v->i ? "the layout TILE" : "the layout ROW_MAJOR");
        return;
    case TW_VALUE_PLACEMENT:
        tw_strbuf_puts(out, "a memory config");
        return;
    }
}

tw_status eager_wrong(const eager_function *f, size_t parameter, const tw_value *v,
                      const char *expected)
{
    tw_strbuf found = {0};
    const tw_parameter *p = &f->parameters[parameter];
    eager_describe(v, &found);
    tw_status status =
        *p->name ? tw_error(TW_INVALID, "%s: argument '%s': expected %s, found %s",
                            f->row.name, p->name, expected, tw_strbuf_text(&found))
                 : tw_error(TW_INVALID, "%s: argument %zu: expected %s, found %s",
                            f->row.name, parameter, expected, tw_strbuf_text(&found));
    tw_strbuf_free(&found);
    return status;
}

/* ---- literals ------------------------------------------------------------------------ */

bool eager_is_literal(const char *literal, const tw_value *v)
{
    if (eager_is_absent(v))
        return true;
    if (v->kind == TW_VALUE_BOOL)
        return strcmp(literal, v->i ? "True" : "False") == 0 ||
               strcmp(literal, v->i ? "true" : "false") == 0;
    if (v->kind == TW_VALUE_LAYOUT)
        return strstr(literal, v->i ? "TILE" : "ROW_MAJOR") != NULL;
    char *end;
    const double number = strtod(literal, &end);
    if (end != literal && (*end == '\0' || strcmp(end, "f") == 0))
        return (v->kind == TW_VALUE_INT && (double)v->i == number) ||
               (v->kind == TW_VALUE_REAL && (float)v->real == (float)number);
    if (v->kind == TW_VALUE_LIST && strpbrk(literal, "[{")) { /* [1, 1, 1], {1, 1, 1} */
        const char *at = strpbrk(literal, "[{");
        size_t n = 0;
        for (; n < v->n && at && !strchr("]}", *at); n++, at = strpbrk(at + 1, ",]}"))
            if (v->items[n].kind != TW_VALUE_INT ||
                v->items[n].i != strtoll(at + 1, NULL, 10))
                return false;
        return n == v->n && at && strchr("]}", *at);
    }
    return v->kind == TW_VALUE_LIST ? v->n == 0 : v->kind == TW_VALUE_TEXT;
}

/* ---- keys ---------------------------------------------------------------------------- */

static void put(tw_strbuf *key, const void *data, size_t size)
{
    tw_strbuf_str(key, (tw_str){data, size});
}

static void put_placement(tw_strbuf *key, const tw_placement *p)
{
    const uint8_t head[] = {(uint8_t)p->space, (uint8_t)p->sharding,
                            p->sharding != TW_INTERLEAVED && p->by_columns};
    put(key, head, sizeof head);
    if (p->sharding == TW_INTERLEAVED)
        return;
    put(key, p->shard, sizeof p->shard);
    put(key, &p->n_cores, sizeof p->n_cores);
    put(key, p->cores, p->n_cores * sizeof *p->cores);
}

static void put_tensor(tw_strbuf *key, const tw_tensor *t)
{
    const uint8_t head[] = {(uint8_t)t->dtype, t->tiled, (uint8_t)t->rank};
    put(key, head, sizeof head);
    put(key, t->dims, (size_t)t->rank * sizeof *t->dims);
    put_placement(key, &t->placement);
}

void eager_key(tw_strbuf *key, const tw_value *v, bool scalar)
{
    const bool number = scalar && eager_is_number(v);
    tw_strbuf_putc(key, (char)(number ? TW_VALUE_REAL : v->kind));
    if (number)
        return;
    switch (v->kind) {
    case TW_VALUE_ABSENT:
    case TW_VALUE_NONE:
    case TW_VALUE_DEVICE:
        return;
    case TW_VALUE_BOOL:
    case TW_VALUE_INT:
    case TW_VALUE_DTYPE:
    case TW_VALUE_LAYOUT:
        put(key, &v->i, sizeof v->i);
        return;
    case TW_VALUE_REAL:
        put(key, &v->real, sizeof v->real);
        return;
    case TW_VALUE_TEXT:
        put(key, &v->n, sizeof v->n);
        put(key, v->text, v->n);
        return;
    case TW_VALUE_RECORD:
        put(key, v->text, strlen(v->text) + 1);
        for (size_t i = 0; i < v->n; i++)
            put(key, v->names[i], strlen(v->names[i]) + 1);
        /* fallthrough */
    case TW_VALUE_LIST:
        put(key, &v->n, sizeof v->n);
        for (size_t i = 0; i < v->n; i++)
            eager_key(key, &v->items[i], false);
        return;
    case TW_VALUE_TENSOR:
        put_tensor(key, v->tensor);
        return;
    case TW_VALUE_PLACEMENT:
        put_placement(key, v->placement);
        return;
    }
}

/* ---- attributes ---------------------------------------------------------------------- */

enum { MAX_ITEMS = 128 };

static bool as_int(const tw_value *v, int64_t *out)
{
    if (v->kind == TW_VALUE_REAL && v->real == floor(v->real) && fabs(v->real) < 0x1p53)
        *out = (int64_t)v->real;
    else if (v->kind == TW_VALUE_INT || v->kind == TW_VALUE_BOOL)
        *out = v->i;
    else
        return false;
    return true;
}

static bool as_real(const tw_value *v, double *out)
{
    *out = v->kind == TW_VALUE_REAL ? v->real : (double)v->i;
    return eager_is_number(v);
}

/* The integers of a list, of lists in it, of one integer, or of a tensor of integers; -1 if
 * the value is none of these or has more than MAX_ITEMS. */
static int64_t as_ints(const tw_value *v, int64_t *out, int64_t n)
{
    if (v->kind == TW_VALUE_LIST) {
        for (size_t i = 0; i < v->n && n >= 0; i++)
            n = as_ints(&v->items[i], out, n);
        return n;
    }
    if (v->kind == TW_VALUE_TENSOR) {
        const tw_tensor *t = v->tensor;
        int64_t count = 1;
        for (int i = 0; i < t->rank; i++)
            count *= t->dims[i];
        if (rt_is_float(t->dtype) || t->rank != 1 || count > MAX_ITEMS - n)
            return -1;
        rt_load_i64(t->dtype, t->data, 0, (size_t)count, out + n);
        return n + count;
    }
    if (n >= MAX_ITEMS || !as_int(v, &out[n]))
        return -1;
    return n + 1;
}

static bool fits(int64_t n, ir_type type)
{
    if (type->width >= 64 || type->kind != IR_TYPE_INTEGER)
        return type->sign != IR_UNSIGNED || n >= 0;
    const int64_t half = INT64_C(1) << (type->width - 1);
    return type->sign == IR_UNSIGNED ? n >= 0 && n < 2 * half : n >= -half && n < half;
}

static ir_attr integer_attr(ir_type type, const tw_value *v)
{
    int64_t n;
    return as_int(v, &n) && fits(n, type) ? ir_integer_attr(type, n) : NULL;
}

static ir_attr text_attr(ir_context *ctx, const tw_value *v)
{
    return v->kind == TW_VALUE_TEXT ? ir_string_attr(ctx, (tw_str){v->text, v->n}) : NULL;
}

static ir_attr list_attr(ir_context *ctx, const char *storage, const tw_value *v)
{
    int64_t items[MAX_ITEMS];
    const int64_t n = as_ints(v, items, 0);
    if (n < 0)
        return NULL;
    if (strcmp(storage, "DenseI64ArrayAttr") == 0)
        return ir_dense_i64_array(ctx, items, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        if (items[i] != (int32_t)items[i])
            return NULL;
    return strcmp(storage, "DenseI32ArrayAttr") == 0
               ? ir_dense_i32_array(ctx, items, (size_t)n)
               : ir_i32_array_attr(ctx, items, (size_t)n);
}

/* A case by its text or symbol in the row, or its name in ttnn, without regard to case. */
static bool case_value(const ir_enum_def *e, const tw_value *v, int64_t *out)
{
    if (v->kind == TW_VALUE_DTYPE || v->kind == TW_VALUE_LAYOUT) {
        const bool tiled = v->kind == TW_VALUE_LAYOUT && v->i;
        *out = v->kind == TW_VALUE_DTYPE ? v->i
               : tiled                   ? TTNN_Layout_Tile
                                         : TTNN_Layout_RowMajor;
        return ir_enum_by_value(e, *out) != NULL;
    }
    for (uint32_t i = 0; v->kind == TW_VALUE_TEXT && i < e->cases.count; i++) {
        const ir_enum_case *c = &e->cases.at[i];
        bool found =
            (strlen(c->text) == v->n && strncasecmp(c->text, v->text, v->n) == 0) ||
            (strlen(c->symbol) == v->n && strncasecmp(c->symbol, v->text, v->n) == 0);
        for (int kind = 0; kind < TTNN_NAME_KINDS && !found; kind++) {
            const char *name = kind == TTNN_NAME_DTYPE
                                   ? NULL
                                   : ttnn_case_name((ttnn_name_kind)kind, c->value);
            found = name && strlen(name) == v->n && memcmp(name, v->text, v->n) == 0 &&
                    (kind != TTNN_NAME_SCATTER || strcmp(e->name, "ReduceType") == 0);
        }
        *out = c->value;
        if (found)
            return true;
    }
    return false;
}

static ir_attr dialect_attr(ir_context *ctx, const ir_attr_def *def, const tw_value *v);

static const tw_value *field(const tw_value *v, const char *name)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcasecmp(v->names[i], name) == 0)
            return &v->items[i];
    return NULL;
}

static const ir_attr_def *attr_def(ir_context *ctx, const char *mnemonic)
{
    const ir_dialect *d = ir_context_dialect_of(ctx, tw_str_from(mnemonic));
    for (uint32_t i = 0; d && i < d->attrs.count; i++)
        if (strcmp(d->attrs.at[i].mnemonic, mnemonic) == 0)
            return &d->attrs.at[i];
    return NULL;
}

static ir_attr param_attr(ir_context *ctx, const ir_param_def *p, const tw_value *v)
{
    int64_t n, items[MAX_ITEMS];
    ir_attr list[MAX_ITEMS];
    if (p->array) {
        const int64_t count = p->kind == IR_PARAM_INT ? as_ints(v, items, 0) : -1;
        for (int64_t i = 0; i < count; i++)
            list[i] = ir_raw_int(ctx, items[i]);
        if (p->kind == IR_PARAM_ATTR && p->of && v->kind == TW_VALUE_LIST &&
            v->n <= MAX_ITEMS) {
            const ir_attr_def *def = attr_def(ctx, p->of);
            for (size_t i = 0; i < v->n; i++)
                if (!def || !(list[i] = dialect_attr(ctx, def, &v->items[i])))
                    return NULL;
            return ir_array_attr(ctx, list, v->n);
        }
        return count < 0 ? NULL : ir_array_attr(ctx, list, (size_t)count);
    }
    switch (p->kind) {
    case IR_PARAM_BOOL:
    case IR_PARAM_INT:
        return as_int(v, &n) ? ir_raw_int(ctx, n) : NULL;
    case IR_PARAM_ENUM:
        return case_value(p->enumeration, v, &n) ? ir_raw_int(ctx, n) : NULL;
    case IR_PARAM_STRING:
        return text_attr(ctx, v);
    case IR_PARAM_ATTR:
        if (p->of && attr_def(ctx, p->of))
            return dialect_attr(ctx, attr_def(ctx, p->of), v);
        return v->kind == TW_VALUE_BOOL  ? ir_bool_attr(ctx, v->i)
               : v->kind == TW_VALUE_INT ? ir_i64_attr(ctx, v->i)
                                         : text_attr(ctx, v);
    default:
        return NULL;
    }
}

static bool holds_list(const ir_attr_def *def)
{
    return def && def->params.count == 1 && def->params.at[0].array;
}

/* Fields by the names of the row's parameters; absent ones are left out, and lists empty.
 */
static ir_attr record_attr(ir_context *ctx, const ir_attr_def *def, const tw_value *v)
{
    ir_attr params[32] = {NULL};
    assert(def->params.count <= TW_COUNT(params));
    for (uint32_t i = 0; i < def->params.count; i++) {
        const ir_param_def *p = &def->params.at[i];
        const tw_value *given = field(v, p->name);
        if (given && !eager_is_absent(given))
            params[i] = param_attr(ctx, p, given);
        else if (!p->optional && p->kind == IR_PARAM_BOOL)
            params[i] = ir_raw_int(ctx, 0);
        else if (!p->optional && p->of && holds_list(attr_def(ctx, p->of)))
            params[i] =
                dialect_attr(ctx, attr_def(ctx, p->of), &(tw_value){.kind = TW_VALUE_LIST});
        if (!params[i] && (!p->optional || (given && !eager_is_absent(given))))
            return NULL;
    }
    return ir_dialect_attr(ctx, def, params, def->params.count);
}

/* An activation: its name, or (name, parameters). */
static ir_attr unary_attr(ir_context *ctx, const tw_value *v)
{
    int64_t n;
    const ir_attr_def *def = TTNN_ATTR(unary_with_param);
    const tw_value *op = v->kind == TW_VALUE_RECORD ? field(v, "op_type") : v;
    if (!op || !case_value(def->params.at[0].enumeration, op, &n))
        return NULL;
    const ir_attr params[] = {ir_raw_int(ctx, n), NULL};
    return ir_dialect_attr(ctx, def, params, 2);
}

static ir_attr memory_attr(ir_context *ctx, const tw_value *v)
{
    if (v->kind != TW_VALUE_PLACEMENT || v->placement->sharding != TW_INTERLEAVED)
        return NULL;
    return ir_parse_attr(
        ctx,
        tw_str_from(v->placement->space == TW_IN_L1
                        ? "#ttnn.memory_config<#ttnn.buffer_type<l1>, <interleaved>>"
                        : "#ttnn.memory_config<#ttnn.buffer_type<dram>, <interleaved>>"));
}

/* A grid from the core behind its last one. */
static ir_attr grid_attr(ir_context *ctx, const tw_value *v)
{
    int64_t core[MAX_ITEMS];
    char text[64];
    if (as_ints(v, core, 0) != 2)
        return NULL;
    snprintf(text, sizeof text, "#ttcore.grid<%lldx%lld>", (long long)core[1],
             (long long)core[0]);
    return ir_parse_attr(ctx, tw_str_from(text));
}

static ir_attr dialect_attr(ir_context *ctx, const ir_attr_def *def, const tw_value *v)
{
    int64_t n, items[MAX_ITEMS];
    if (def == TTCORE_ATTR(grid))
        return grid_attr(ctx, v);
    if (def == TTNN_ATTR(unary_with_param))
        return unary_attr(ctx, v);
    if (def == TTNN_ATTR(memory_config))
        return memory_attr(ctx, v);
    if (def->enumeration)
        return case_value(def->enumeration, v, &n) ? ir_enum_attr(ctx, def, n) : NULL;
    if (v->kind == TW_VALUE_RECORD)
        return record_attr(ctx, def, v);
    if (holds_list(def)) { /* #ttnn.shape */
        ir_attr list = param_attr(ctx, &def->params.at[0], v);
        return list ? ir_dialect_attr(ctx, def, &list, 1) : NULL;
    }
    ir_attr params[8];
    if (v->kind == TW_VALUE_LIST && v->n == def->params.count && v->n <= TW_COUNT(params) &&
        def->params.at[0].kind == IR_PARAM_ATTR) { /* ranges of cores */
        for (size_t i = 0; i < v->n; i++)
            if (!(params[i] = param_attr(ctx, &def->params.at[i], &v->items[i])))
                return NULL;
        return ir_dialect_attr(ctx, def, params, v->n);
    }
    const int64_t count = as_ints(v, items, 0); /* coordinates, grids */
    if (count != def->params.count || count > (int64_t)TW_COUNT(params))
        return NULL;
    for (int64_t i = 0; i < count; i++)
        params[i] = ir_raw_int(ctx, items[i]);
    return ir_dialect_attr(ctx, def, params, (size_t)count);
}

static ir_attr convert(ir_context *ctx, const ir_constraint *c, const tw_value *v)
{
    double real;
    int64_t n;
    const char *storage = c->storage ? c->storage : "";
    if (c->def) {
        const ir_attr_def *def = attr_def(ctx, c->def);
        return def ? dialect_attr(ctx, def, v) : NULL;
    }
    if (strcmp(storage, "BoolAttr") == 0)
        return v->kind == TW_VALUE_BOOL ? ir_bool_attr(ctx, v->i) : NULL;
    if (strcmp(storage, "StringAttr") == 0)
        return text_attr(ctx, v);
    if (strcmp(storage, "FloatAttr") == 0)
        return as_real(v, &real) ? ir_f32_attr(ctx, real) : NULL;
    if (strcmp(storage, "IntegerAttr") == 0 && c->value_type)
        return integer_attr(ir_parse_type(ctx, tw_str_from(c->value_type)), v);
    if (strstr(storage, "Array"))
        return list_attr(ctx, storage, v);
    if (strstr(c->text, "32-bit float attribute or 32-bit signless")) {
        if (v->kind == TW_VALUE_INT && as_int(v, &n) && n == (int32_t)n)
            return ir_i32_attr(ctx, n);
        return as_real(v, &real) ? ir_f32_attr(ctx, real) : NULL;
    }
    if (strstr(c->text, "signed integer attribute or i32 dense array"))
        return v->kind == TW_VALUE_LIST
                   ? list_attr(ctx, "DenseI32ArrayAttr", v)
                   : integer_attr(ir_parse_type(ctx, TW_STR("si32")), v);
    if (v->kind == TW_VALUE_RECORD && strstr(v->text, ".")) { /* one of several records */
        const ir_attr_def *def = attr_def(ctx, v->text);
        return def ? record_attr(ctx, def, v) : NULL;
    }
    return NULL;
}

tw_status eager_attr(ir_context *ctx, const eager_function *f, size_t parameter,
                     const ir_attr_use *use, const tw_value *v, ir_attr *out)
{
    *out = NULL;
    if (eager_is_absent(v))
        return TW_SUCCESS;
    *out = convert(ctx, use->type, v);
    if (!*out || !ir_attr_satisfies(*out, use->type))
        return eager_wrong(f, parameter, v, use->type->text);
    return TW_SUCCESS;
}
