/* rules_parse.c: parses the expressions of rules.h.
 *
 * Grammar, by falling binding strength:
 *   primary = number | "text" | name | name(args) | (e) | |e| | {e, ...}
 *   postfix = primary ('[' e ']')*        unary = '-' unary | postfix
 *   product, sum, comparison (also `in`, `not in`), `not`, `and`, `or`, then c ? a : b
 * A name is resolved while it is parsed: to a slot of the names bound by `let`, `loop` and
 * `each`, else to a parameter, operand, result or property of the row. */
#include "ir/rules/rules_impl.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- text --------------------------------------------------------------------------- */

static void blanks(chk_parser *p)
{
    while (*p->at == ' ')
        p->at++;
}

bool chk_symbol(chk_parser *p, const char *s)
{
    blanks(p);
    size_t n = strlen(s);
    if (strncmp(p->at, s, n) != 0)
        return false;
    if (isalpha((unsigned char)s[0]) &&
        (isalnum((unsigned char)p->at[n]) || p->at[n] == '_'))
        return false;
    p->at += n;
    return true;
}

bool chk_at_end(chk_parser *p)
{
    blanks(p);
    return !*p->at;
}

tw_str chk_name_here(chk_parser *p)
{
    blanks(p);
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    return (tw_str){start, (size_t)(p->at - start)};
}

void chk_wrong(chk_parser *p)
{
    if (!p->wrong)
        p->wrong = p->at;
}

/* ---- nodes and names ----------------------------------------------------------------- */

chk_node *chk_make(chk_parser *p, chk_node_kind kind, const chk_node *a, const chk_node *b)
{
    chk_node *node = TW_ARENA_NEW(p->arena, chk_node);
    node->kind = kind;
    node->a = a;
    node->b = b;
    return node;
}

static chk_node *mistake(chk_parser *p)
{
    chk_wrong(p);
    return chk_make(p, CHK_NODE_NONE, NULL, NULL);
}

uint32_t chk_bind(chk_parser *p, tw_str name)
{
    if (p->n_slots == CHK_LETS || !name.size) {
        chk_wrong(p);
        return 0;
    }
    chk_scope *scope = TW_ARENA_NEW(p->arena, chk_scope);
    *scope = (chk_scope){name, p->n_slots++, p->scope};
    p->scope = scope;
    return scope->slot;
}

static chk_node *indexed(chk_parser *p, chk_node_kind kind, size_t index)
{
    chk_node *node = chk_make(p, kind, NULL, NULL);
    node->index = (uint32_t)index;
    return node;
}

/* The node of a name, NULL if the row has no such part. */
static chk_node *find_name(chk_parser *p, tw_str name)
{
    const ir_op_def *def = p->def;
    for (const chk_scope *s = p->scope; s; s = s->outer)
        if (tw_str_equal(s->name, name))
            return indexed(p, CHK_NODE_SLOT, s->slot);
    for (size_t i = 0; i < p->n_params; i++)
        if (tw_str_is(name, p->params[i].name))
            return indexed(p, CHK_NODE_PARAM, i);
    for (uint32_t i = 0; def && i < def->operands.count; i++)
        if (tw_str_is(name, def->operands.at[i].name))
            return indexed(p, CHK_NODE_OPERAND, i);
    for (uint32_t i = 0; def && i < def->results.count; i++) {
        const char *declared = def->results.at[i].name;
        if (tw_str_is(name, *declared ? declared : "result") ||
            (def->results.count == 1 && tw_str_is(name, "result")))
            return indexed(p, CHK_NODE_RESULT, i);
    }
    size_t slot = def ? ir_def_prop_index(def, name) : SIZE_MAX;
    return slot != SIZE_MAX ? indexed(p, CHK_NODE_PROPERTY, slot) : NULL;
}

/* ---- expressions --------------------------------------------------------------------- */

static chk_node *number(chk_parser *p)
{
    chk_node *node = chk_make(p, CHK_NODE_INT, NULL, NULL);
    char *end;
    node->integer = strtoll(p->at, &end, 10);
    if (*end == '.' || *end == 'e') {
        node->kind = CHK_NODE_REAL;
        node->real = strtod(p->at, &end);
    }
    p->at = end;
    return node;
}

static chk_node *text_literal(chk_parser *p)
{
    char quote = *p->at++;
    const char *start = p->at;
    while (*p->at && *p->at != quote)
        p->at++;
    chk_node *node = chk_make(p, CHK_NODE_TEXT, NULL, NULL);
    node->text = (tw_str){start, (size_t)(p->at - start)};
    if (*p->at)
        p->at++;
    return node;
}

const chk_node *chk_argument_text(chk_parser *p)
{
    blanks(p);
    chk_node *node = chk_make(p, CHK_NODE_TEXT, NULL, NULL);
    if (*p->at == '\'')
        node = text_literal(p);
    else
        node->text = chk_name_here(p);
    return node->text.size && chk_symbol(p, ")") ? node : NULL;
}

void chk_items(chk_parser *p, const char *close, chk_node *list, size_t max)
{
    const chk_node *parsed[CHK_CAPACITY];
    size_t n = 0;
    while (!p->wrong && !chk_symbol(p, close)) {
        const chk_node *item = chk_expression(p);
        if (n == max)
            chk_wrong(p);
        else
            parsed[n++] = item;
        if (!chk_symbol(p, ",") && *p->at != *close)
            chk_wrong(p);
    }
    list->n = (uint32_t)n;
    list->items = TW_ARENA_ARRAY(p->arena, const chk_node *, n + 1);
    memcpy(list->items, parsed, n * sizeof(*parsed));
}

static const chk_function *function_named(tw_str name, uint32_t args)
{
    static const chk_function *const tables[] = {chk_type_functions, chk_shape_functions};
    for (size_t t = 0; t < TW_COUNT(tables); t++)
        for (const chk_function *f = tables[t]; f->name; f++)
            if (f->args == args && tw_str_is(name, f->name))
                return f;
    return NULL;
}

static chk_node *named(chk_parser *p)
{
    const char *start = p->at;
    tw_str name = chk_name_here(p);
    if (p->word) {
        chk_node *meant = p->word(p, name);
        return meant ? meant : mistake(p);
    }
    if (name.size && *p->at == '(') {
        p->at++;
        chk_node *call = chk_make(p, CHK_NODE_CALL, NULL, NULL);
        chk_items(p, ")", call, CHK_ARGUMENTS);
        call->function = function_named(name, call->n);
        return call->function ? call : mistake(p);
    }
    if (tw_str_is(name, "true") || tw_str_is(name, "false")) {
        chk_node *node = chk_make(p, CHK_NODE_BOOL, NULL, NULL);
        node->integer = name.data[0] == 't';
        return node;
    }
    chk_node *node = find_name(p, name);
    if (node)
        return node;
    p->at = start;
    return mistake(p);
}

static chk_node *enclosed(chk_parser *p, const char *close)
{
    chk_node *inner = chk_expression(p);
    return chk_symbol(p, close) ? inner : mistake(p);
}

static chk_node *primary(chk_parser *p)
{
    blanks(p);
    if (isalpha((unsigned char)*p->at))
        return named(p);
    if (isdigit((unsigned char)*p->at))
        return number(p);
    if (*p->at == '"' || *p->at == '\'')
        return text_literal(p);
    if (chk_symbol(p, "("))
        return enclosed(p, ")");
    if (chk_symbol(p, "|"))
        return chk_make(p, CHK_NODE_LENGTH, enclosed(p, "|"), NULL);
    if (!chk_symbol(p, "{"))
        return mistake(p);
    chk_node *list = chk_make(p, CHK_NODE_LIST, NULL, NULL);
    chk_items(p, "}", list, CHK_CAPACITY);
    return list;
}

static chk_node *postfix(chk_parser *p)
{
    chk_node *node = primary(p);
    while (!p->wrong && chk_symbol(p, "["))
        node = chk_make(p, CHK_NODE_ITEM, node, enclosed(p, "]"));
    return node;
}

static chk_node *unary(chk_parser *p)
{
    return chk_symbol(p, "-") ? chk_make(p, CHK_NODE_NEGATIVE, unary(p), NULL) : postfix(p);
}

/* Rising binding strength. */
typedef enum chk_level {
    LEVEL_ANY,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARISON,
    LEVEL_SUM,
} chk_level;

/* Consumes and returns the operator here if it binds as tightly as `level`. */
static chk_sign sign_here(chk_parser *p, unsigned level, unsigned *out_level)
{
    static const struct {
        const char *text;
        unsigned level;
    } signs[] = {
        [CHK_SIGN_OR] = {"or", LEVEL_OR},
        [CHK_SIGN_AND] = {"and", LEVEL_AND},
        [CHK_SIGN_NOT_IN] = {"not in", LEVEL_COMPARISON},
        [CHK_SIGN_IN] = {"in", LEVEL_COMPARISON},
        [CHK_SIGN_EQ] = {"==", LEVEL_COMPARISON},
        [CHK_SIGN_NE] = {"!=", LEVEL_COMPARISON},
        [CHK_SIGN_LE] = {"<=", LEVEL_COMPARISON},
        [CHK_SIGN_GE] = {">=", LEVEL_COMPARISON},
        [CHK_SIGN_LT] = {"<", LEVEL_COMPARISON},
        [CHK_SIGN_GT] = {">", LEVEL_COMPARISON},
        [CHK_SIGN_PLUS] = {"+", LEVEL_SUM},
        [CHK_SIGN_MINUS] = {"-", LEVEL_SUM},
        [CHK_SIGN_TIMES] = {"*", LEVEL_SUM + 1},
        [CHK_SIGN_OVER] = {"/", LEVEL_SUM + 1},
        [CHK_SIGN_REST] = {"%", LEVEL_SUM + 1},
    };
    for (size_t i = CHK_SIGN_NONE + 1; i < TW_COUNT(signs); i++)
        if (signs[i].level >= level && chk_symbol(p, signs[i].text)) {
            *out_level = signs[i].level;
            return (chk_sign)i;
        }
    return CHK_SIGN_NONE;
}

/* Operands and the operators between them that bind at least as tightly as `level`. */
static chk_node *binary(chk_parser *p, unsigned level)
{
    unsigned at = 0;
    chk_sign sign;
    chk_node *left = level <= LEVEL_NOT && chk_symbol(p, "not")
                         ? chk_make(p, CHK_NODE_NOT, binary(p, LEVEL_NOT), NULL)
                         : unary(p);
    while (!p->wrong && (sign = sign_here(p, level, &at)) != CHK_SIGN_NONE) {
        chk_node_kind kind = sign == CHK_SIGN_OR      ? CHK_NODE_OR
                             : sign == CHK_SIGN_AND   ? CHK_NODE_AND
                             : sign <= CHK_SIGN_IN    ? CHK_NODE_AMONG
                             : at == LEVEL_COMPARISON ? CHK_NODE_COMPARED
                                                      : CHK_NODE_ARITHMETIC;
        left =
            chk_make(p, kind, left, binary(p, kind == CHK_NODE_AMONG ? LEVEL_SUM : at + 1));
        left->sign = sign;
    }
    return left;
}

chk_node *chk_sum(chk_parser *p)
{
    return binary(p, LEVEL_SUM);
}

chk_node *chk_expression(chk_parser *p)
{
    chk_node *condition = binary(p, LEVEL_ANY);
    if (p->wrong || !chk_symbol(p, "?"))
        return condition;
    chk_node *choice = chk_make(p, CHK_NODE_CHOICE, condition, chk_expression(p));
    if (!chk_symbol(p, ":"))
        return mistake(p);
    choice->c = chk_expression(p);
    return choice;
}

/* ---- conditions ---------------------------------------------------------------------- */

/* each v in x : c    each i < n : c    given g : c    c */
chk_node *chk_condition(chk_parser *p)
{
    const bool given = chk_symbol(p, "given");
    if (!given && !chk_symbol(p, "each"))
        return chk_expression(p);
    chk_node *node = chk_make(p, given ? CHK_NODE_GIVEN : CHK_NODE_EACH, NULL, NULL);
    if (given)
        node->a = chk_expression(p);
    else
        node->a = chk_range(p, &node->index, &node->counted);
    if (!chk_symbol(p, ":"))
        return mistake(p);
    node->b = chk_condition(p);
    return node;
}

chk_node *chk_range(chk_parser *p, uint32_t *out_slot, bool *out_counted)
{
    tw_str name = chk_name_here(p);
    *out_counted = chk_symbol(p, "<");
    if (!*out_counted && !chk_symbol(p, "in"))
        return mistake(p);
    chk_node *over = chk_sum(p);
    *out_slot = chk_bind(p, name);
    return over;
}
