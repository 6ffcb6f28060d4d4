/* ttnn_calls.c: the arguments of a call from its row; see ttnn_calls.h. */
#include "ttnn/emit/ttnn_calls.h"

#include "ttcore/ttcore.h"
#include "ttnn/ttnn.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ----------------------------------------------------------------------- */

ir_attr ttnn_text_arg(const ttnn_language *language, ir_op *op, const char *name,
                      tw_strbuf *text, bool ok)
{
    ir_attr made = ok ? language->opaque(op->ctx, tw_strbuf_text(text)) : NULL;
    tw_strbuf_free(text);
    if (!made)
        ir_op_error(op, "is unsupported in %s: its %s", language->name, name);
    return made;
}

ir_attr ttnn_value_arg(ttnn_call *c, ir_value *v)
{
    assert(c->n_operands < TTNN_CALL_ARGS);
    c->operands[c->n_operands] = v;
    return ir_index_attr(c->op->ctx, c->n_operands++);
}

/* The operands of a group: one, nothing or a list. */
ir_attr ttnn_group_arg(ttnn_call *c, size_t group)
{
    size_t start, count;
    if (!ir_op_operand_group(c->op, group, &start, &count))
        return NULL;
    if (c->op->def->operands.at[group].arity != IR_VARIADIC)
        return count ? ttnn_value_arg(c, c->op->operands[start].value)
                     : c->language->opaque(c->op->ctx, c->language->none);
    ir_value **values = tw_xmalloc((count + 1) * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = c->op->operands[start + i].value;
    ir_attr made =
        ttnn_value_arg(c, c->language->make_list(&c->b, values, (uint32_t)count));
    free(values);
    return made;
}

static const ir_attr_use *find_attr(const ir_op_def *def, const char *name)
{
    for (uint32_t i = 0; i < def->attrs.count; i++)
        if (strcmp(def->attrs.at[i].name, name) == 0)
            return &def->attrs.at[i];
    return NULL;
}

/* An attribute; where it is left out, its default: a number, a boolean or a string. */
static ir_attr attr_arg(ttnn_call *c, const char *name)
{
    const ttnn_language *language = c->language;
    const ir_attr_use *use = find_attr(c->op->def, name);
    ir_attr a = ir_op_attr(c->op, name);
    tw_strbuf text = {0};
    if (!use && !a) {
        ir_op_error(c->op, "has neither operand nor attribute '%s'", name);
        return NULL;
    }
    if (a)
        return ttnn_text_arg(language, c->op, name, &text,
                             ttnn_put_attr(language, &text, a));
    if (!use->deflt || !strchr("-0123456789tf\"", *use->deflt))
        return language->opaque(c->op->ctx, language->none);
    return language->opaque(c->op->ctx, *use->deflt == 't'   ? language->yes
                                        : *use->deflt == 'f' ? language->no
                                                             : use->deflt);
}

static ir_attr source_arg(ttnn_call *c, const char *source)
{
    if (*source == '\'')
        return c->language->opaque(c->op->ctx, source + 1);
    if (!isalpha((unsigned char)*source) || strchr(source, ':'))
        return c->language->own(c, source);
    size_t group = ir_op_operand_index(c->op->def, source);
    if (group != SIZE_MAX)
        return ttnn_group_arg(c, group);
    return attr_arg(c, source);
}

/* Whether an attribute says what the function does without it. */
static bool check_unsaid(ttnn_call *c, const char *name)
{
    ir_attr a = ir_op_attr(c->op, name);
    bool unsaid = !a;
    if (ir_attr_is(a, IR_ATTR_DENSE_ARRAY)) {
        unsaid = true;
        for (uint32_t i = 0; i < a->count; i++)
            unsaid &= ir_dense_array_int(a, i) == 1;
    } else if (ir_attr_is(a, IR_ATTR_DIALECT) && a->def == TTCORE_ATTR(reduce_type)) {
        unsaid = a->params[0]->value == TTCORE_ReduceType_Sum;
    }
    return unsaid ||
           ir_op_error(c->op, "is unsupported in %s: its %s", c->language->name, name);
}

/* One argument of a row: [keyword]=source, or source. */
static bool add_argument(ttnn_call *c, tw_str text)
{
    char buffer[TTNN_CALL_TEXT];
    snprintf(buffer, sizeof buffer, "%.*s", (int)text.size, text.data);
    if (*buffer == '!')
        return check_unsaid(c, buffer + 1);
    char *equals = *buffer == '\'' ? NULL : strchr(buffer, '=');
    char *source = equals ? equals + 1 : buffer;
    if (equals)
        *equals = '\0';
    ir_attr arg = source_arg(c, source);
    if (!arg)
        return false;
    const char *keyword = !equals ? "" : *buffer ? buffer : source;
    assert(c->n_args < TTNN_CALL_ARGS);
    c->args[c->n_args] = arg;
    c->keywords[c->n_args++] = ir_string_attr(c->op->ctx, tw_str_from(keyword));
    return true;
}

/* Up to the next comma outside of brackets. */
static size_t argument_size(const char *at)
{
    size_t i = 0;
    for (int depth = 0; at[i] && (at[i] != ',' || depth); i++)
        depth += (strchr("<({[", at[i]) != NULL) - (strchr(">)}]", at[i]) != NULL);
    return i;
}

bool ttnn_call_arguments(ttnn_call *c, const char *args)
{
    for (const char *at = args; *at;) {
        size_t size = argument_size(at);
        if (!add_argument(c, (tw_str){at, size}))
            return false;
        at += size;
        at += strspn(at, ", ");
    }
    return true;
}

/* ---- checks of the rows */

static bool is_part(const ir_op_def *def, tw_str name)
{
    for (uint32_t i = 0; i < def->operands.count; i++)
        if (tw_str_is(name, def->operands.at[i].name))
            return true;
    for (uint32_t i = 0; i < def->attrs.count; i++)
        if (tw_str_is(name, def->attrs.at[i].name))
            return true;
    return false;
}

static bool is_word(const char *words, tw_str word)
{
    for (const char *c = words; *c; c += strspn(c, " ")) {
        const size_t size = strcspn(c, " ");
        if (size == word.size && memcmp(c, word.data, size) == 0)
            return true;
        c += size;
    }
    return false;
}

/* A text as it is, a property, or the names behind a form. */
static bool is_source(const ttnn_language *l, const ir_op_def *def, tw_str s)
{
    if (!s.size)
        return false;
    if (*s.data == '\'')
        return s.size > 1;
    if (*s.data == '@')
        return is_word("@dtype @layout @memory", s) || is_word(l->words, s);
    const char *colon = memchr(s.data, ':', s.size);
    size_t form = *s.data == '#' ? 1 : colon ? (size_t)(colon - s.data) + 1 : 0;
    if (form && !is_word(l->words, (tw_str){s.data, form}))
        return false;
    for (size_t at = form, size; at < s.size; at += size + 1) {
        const char *end = memchr(s.data + at, ':', s.size - at);
        size = end ? (size_t)(end - s.data) - at : s.size - at;
        if (!is_part(def, (tw_str){s.data + at, size}))
            return false;
    }
    return form < s.size;
}

bool ttnn_call_is_sound(const ttnn_language *l, const ir_op_def *def, const char *args,
                        const char **out_wrong)
{
    size_t n = 0;
    for (const char *at = args; *at; n++) {
        const size_t size = argument_size(at);
        *out_wrong = at;
        if (size >= TTNN_CALL_TEXT || n == TTNN_CALL_ARGS)
            return false;
        const char *equals = *at == '\'' ? NULL : memchr(at, '=', size);
        const char *source = *at == '!' ? at + 1 : equals ? equals + 1 : at;
        if (!is_source(l, def, (tw_str){source, size - (size_t)(source - at)}))
            return false;
        at += size;
        at += strspn(at, ", ");
    }
    return true;
}

/* ---- look-up */

const ttnn_call_row *ttnn_find_call(const ttnn_call_row *rows, const ir_op_def *def)
{
    if (def < ttnn_ops || def >= ttnn_ops + TTNN_OP_COUNT || !rows[def - ttnn_ops].args)
        return NULL;
    return &rows[def - ttnn_ops];
}

bool ttnn_no_form(const ttnn_language *language, ir_op *op)
{
    return ir_error(op->ctx, op->loc,
                    "failed to legalize operation '%s': it is unsupported in %s",
                    op->def->name, language->name);
}
