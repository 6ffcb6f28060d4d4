/* dialect.c: look-up in rows. */
#include "ir/dialect.h"

#include "ir/op.h"

static const char *const trait_names[IR_TRAIT_COUNT] = {
#define X(id, name) name,
    IR_TRAITS(X)
#undef X
};

int ir_trait_bit(tw_str name)
{
    for (int i = 0; i < IR_TRAIT_COUNT; i++)
        if (trait_names[i][0] && tw_str_is(name, trait_names[i]))
            return i;
    return -1;
}

const char *ir_trait_name(int bit)
{
    return bit >= 0 && bit < IR_TRAIT_COUNT ? trait_names[bit] : "";
}

/* ---- rules and interfaces ----------------------------------------------------------- */

bool ir_def_rule(const ir_op_def *def, const char *name, tw_str *out_args)
{
    size_t n = strlen(name);
    for (const char *c = def->rules; c && *c;) {
        const char *end = strchr(c, ';');
        size_t size = end ? (size_t)(end - c) : strlen(c);
        if (size > n + 1 && strncmp(c, name, n) == 0 && c[n] == '(' && c[size - 1] == ')') {
            *out_args = (tw_str){c + n + 1, size - n - 2};
            return true;
        }
        c = end ? end + 1 : NULL;
    }
    return false;
}

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *c = words; c && (c = strstr(c, word)); c += n)
        if ((c == words || c[-1] == ' ') && (c[n] == 0 || c[n] == ' '))
            return true;
    return false;
}

/* Passes ask each operation for the same few names, which are literals. */
bool ir_def_has_interface(const ir_op_def *def, const char *name)
{
    static _Thread_local struct {
        const ir_op_def *def;
        const char *name;
        bool has;
    } recent[64];
    const size_t at = ((uintptr_t)def / sizeof *def + (uintptr_t)name) % TW_COUNT(recent);
    if (recent[at].def != def || recent[at].name != name) {
        recent[at].def = def;
        recent[at].name = name;
        recent[at].has = has_word(def->interfaces, name);
    }
    return recent[at].has;
}

bool ir_def_has(const ir_op_def *def, const char *name)
{
    if (has_word(def->interfaces, name))
        return true;
    const int bit = ir_trait_bit(tw_str_from(name));
    return bit >= 0 && (def->traits >> bit & 1);
}

/* ---- enums -------------------------------------------------------------------------- */

const ir_enum_case *ir_enum_by_value(const ir_enum_def *def, int64_t value)
{
    for (uint32_t i = 0; def && i < def->cases.count; i++)
        if (def->cases.at[i].value == value)
            return &def->cases.at[i];
    return NULL;
}

const ir_enum_case *ir_enum_by_text(const ir_enum_def *def, tw_str text)
{
    for (uint32_t i = 0; def && i < def->cases.count; i++)
        if (tw_str_is(text, def->cases.at[i].text))
            return &def->cases.at[i];
    return NULL;
}

int64_t ir_enum_value(ir_attr attr, int64_t otherwise)
{
    if (ir_attr_is(attr, IR_ATTR_DIALECT))
        return attr->count ? ir_attr_int(attr->params[0], otherwise) : otherwise;
    return ir_attr_int(attr, otherwise);
}

ir_attr ir_enum_attr(ir_context *ctx, const ir_attr_def *def, int64_t value)
{
    ir_attr param = ir_raw_int(ctx, value);
    return ir_dialect_attr(ctx, def, &param, 1);
}

/* ---- attributes and types ----------------------------------------------------------- */

static int compare(tw_str name, const char *row)
{
    size_t n = strlen(row);
    int order = memcmp(name.data, row, TW_MIN(name.size, n));
    return order ? order : (name.size > n) - (name.size < n);
}

/* A linear search: the context remembers each name that it found (ir_context_op_def), so a
 * table is searched once for each name, and rows may stand in any order. */
const ir_op_def *ir_dialect_find_op(const ir_dialect *dialect, tw_str name)
{
    const size_t prefix = strlen(dialect->name);
    if (name.size <= prefix || memcmp(name.data, dialect->name, prefix) != 0)
        return NULL;
    for (uint32_t i = 0; i < dialect->ops.count; i++) {
        const ir_op_def *def = &dialect->ops.at[i];
        if (strncmp(def->name + prefix, name.data + prefix, name.size - prefix) == 0 &&
            !def->name[name.size])
            return def;
    }
    return NULL;
}

#define SEARCH(list)                                                                       \
    const ir_dialect *d = ir_context_dialect_of(ctx, mnemonic);                            \
    size_t low = 0, high = d ? d->list.count : 0;                                          \
    while (low < high) {                                                                   \
        size_t mid = (low + high) / 2;                                                     \
        int order = compare(mnemonic, d->list.at[mid].mnemonic);                           \
        if (order == 0)                                                                    \
            return &d->list.at[mid];                                                       \
        if (order < 0)                                                                     \
            high = mid;                                                                    \
        else                                                                               \
            low = mid + 1;                                                                 \
    }                                                                                      \
    return NULL

const ir_attr_def *ir_attr_def_find(ir_context *ctx, tw_str mnemonic)
{
    SEARCH(attrs);
}

const ir_type_def *ir_type_def_find(ir_context *ctx, tw_str mnemonic)
{
    SEARCH(types);
}

static ir_attr param_named(const ir_param_def *defs, uint32_t n_defs, const ir_attr *params,
                           uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < n_defs && i < count; i++)
        if (strcmp(defs[i].name, name) == 0)
            return params[i];
    return NULL;
}

ir_attr ir_attr_param(ir_attr attr, const char *name)
{
    if (!ir_attr_is(attr, IR_ATTR_DIALECT))
        return NULL;
    return param_named(attr->def->params.at, attr->def->params.count, attr->params,
                       attr->count, name);
}

ir_attr ir_type_param(ir_type type, const char *name)
{
    if (!type || type->kind != IR_TYPE_DIALECT)
        return NULL;
    return param_named(type->def->params.at, type->def->params.count, type->params,
                       type->count, name);
}
