/* rules.c: evaluates the rules of rules.h and formats their messages. */
#include "ir/rules/rules_impl.h"

static void bind(chk_reading *r, tw_str name, chk_val value)
{
    if (r->n_lets == CHK_LETS) {
        chk_wrong(r);
        return;
    }
    r->lets[r->n_lets].name = name;
    r->lets[r->n_lets++].value = value;
}

/* each v in x : c    each i < n : c    given g : c    c */
static bool condition(chk_reading *r)
{
    if (chk_symbol(r, "given")) {
        bool given = chk_holds(chk_expression(r));
        if (!chk_symbol(r, ":")) {
            chk_wrong(r);
            return false;
        }
        if (given || !r->ctx)
            return condition(r);
        r->at += strlen(r->at);
        return false;
    }
    if (!chk_symbol(r, "each"))
        return chk_holds(chk_expression(r));
    tw_str name = chk_name_here(r);
    bool counted = chk_symbol(r, "<");
    if (!counted && !chk_symbol(r, "in")) {
        chk_wrong(r);
        return false;
    }
    chk_val over = chk_sum(r);
    if (!chk_symbol(r, ":")) {
        chk_wrong(r);
        return false;
    }
    const char *body = r->at;
    int64_t n = over.kind == CHK_INT || over.kind == CHK_LIST || over.kind == CHK_GROUP
                    ? over.i
                    : 0;
    if (!r->ctx)
        n = 1;
    size_t used = r->used;
    for (int64_t i = 0; i < n; i++) {
        int lets = r->n_lets;
        r->at = body;
        bind(r, name, counted ? chk_integer(i) : chk_item(over, i));
        if (condition(r) && r->ctx)
            return true; /* the binding is kept for the message */
        r->n_lets = lets;
        r->used = used; /* frees the body's lists */
        if (r->wrong)
            return false;
    }
    r->at += strlen(r->at);
    return false;
}

static void put_list(tw_strbuf *out, chk_val v)
{
    for (int64_t i = 0; i < v.i; i++) {
        if (i && v.str.data)
            tw_strbuf_str(out, v.str);
        else if (i)
            tw_strbuf_puts(out, ", ");
        if (v.list[i] == IR_DYNAMIC)
            tw_strbuf_putc(out, '?');
        else
            tw_strbuf_i64(out, v.list[i]);
    }
}

static void put(chk_reading *r, tw_strbuf *out, chk_val v)
{
    switch (v.kind) {
    case CHK_INT:
        tw_strbuf_i64(out, v.i);
        if (v.str.data)
            tw_strbuf_printf(out, " (%.0f)", v.real);
        break;
    case CHK_REAL:
        tw_strbuf_printf(out, "%.6e", v.real);
        break;
    case CHK_STR:
        tw_strbuf_str(out, v.str);
        if (v.is_bool)
            tw_strbuf_i64(out, v.i);
        if (v.type)
            tw_strbuf_printf(out, "], got %.0f", v.real);
        break;
    case CHK_LIST:
        put_list(out, v);
        break;
    case CHK_TYPE:
        tw_strbuf_printf(out, "'%s'", ir_type_text(r->ctx, v.type));
        break;
    case CHK_ATTR:
        tw_strbuf_puts(out, ir_attr_text(r->ctx, v.attr));
        break;
    default:
        break;
    }
}

/* Fills the {holes} of the text; out is NULL if only the syntax is checked. */
static void fill(chk_reading *r, const char *say, tw_strbuf *out)
{
    while (*say && !r->wrong) {
        if (*say != '{') {
            if (out)
                tw_strbuf_putc(out, *say);
            say++;
            continue;
        }
        r->at = say + 1;
        chk_val v = chk_expression(r);
        if (out)
            put(r, out, v);
        if (!chk_symbol(r, "}"))
            chk_wrong(r);
        say = r->at;
    }
}

static bool is_let(chk_reading *r, const char *when)
{
    r->at = when;
    if (!chk_symbol(r, "let"))
        return false;
    tw_str name = chk_name_here(r);
    if (chk_symbol(r, "="))
        bind(r, name, chk_expression(r));
    else
        chk_wrong(r);
    return true;
}

/* "infer e": the type of the next result. */
static bool is_infer(chk_reading *r, const char *when)
{
    r->at = when;
    if (!chk_symbol(r, "infer"))
        return false;
    ir_type t = chk_type_of(chk_expression(r));
    if (r->types && t && r->types->n < CHK_MAX_TYPES) {
        r->types->at[r->types->n++] = t;
        r->types->known = true;
    }
    return true;
}

static bool report(chk_reading *r, const char *say)
{
    tw_strbuf text = {0};
    bool bare = say[0] == '!';
    fill(r, say + bare, &text);
    assert(!r->wrong && "a rule's message does not read well");
    if (bare || !r->op)
        ir_error(r->ctx, r->loc, "%s", tw_strbuf_text(&text));
    else
        ir_op_error(r->op, "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    return false;
}

/* The rule after the "end" that closes the loop at `at`. */
static uint32_t after_loop(chk_rules rules, uint32_t at)
{
    while (at < rules.count &&
           (!rules.at[at].when || strcmp(rules.at[at].when, "end") != 0))
        at++;
    return at + 1;
}

/* "loop v in x" or "loop i < n": the name and its range. */
static bool loop_head(chk_reading *r, const char *when, tw_str *out_name, chk_val *out_over,
                      bool *out_counted)
{
    r->at = when;
    if (!chk_symbol(r, "loop"))
        return false;
    *out_name = chk_name_here(r);
    *out_counted = chk_symbol(r, "<");
    if (!*out_counted && !chk_symbol(r, "in"))
        chk_wrong(r);
    *out_over = chk_sum(r);
    return true;
}

typedef enum outcome { BROKEN, KEPT, DONE } outcome;

static outcome rules_from(chk_reading *r, chk_rules rules, uint32_t at, uint32_t end)
{
    while (at < end) {
        const chk_rule *rule = &rules.at[at++];
        tw_str name;
        chk_val over;
        bool counted;
        if (rule->run) {
            if (!rule->run(r->op))
                return BROKEN;
            continue;
        }
        if (rule->infer) {
            chk_types ignored = {.n = 0};
            if (!rule->infer(r->op, r->types ? r->types : &ignored))
                return BROKEN;
            continue;
        }
        if (is_let(r, rule->when) || is_infer(r, rule->when))
            continue;
        int lets = r->n_lets;
        if (loop_head(r, rule->when, &name, &over, &counted)) {
            uint32_t after = after_loop(rules, at);
            int64_t n =
                over.kind == CHK_INT || over.kind == CHK_LIST || over.kind == CHK_GROUP
                    ? over.i
                    : 0;
            for (int64_t i = 0; i < n; i++) {
                bind(r, name, counted ? chk_integer(i) : chk_item(over, i));
                outcome o = rules_from(r, rules, at, after - 1);
                if (o != KEPT)
                    return o;
                r->n_lets = lets;
            }
            at = after;
            continue;
        }
        r->at = rule->when;
        bool broken = strcmp(rule->when, "else") == 0 || condition(r);
        assert(!r->wrong && "a rule's condition does not read well");
        if (broken && rule->say) {
            report(r, rule->say);
            return BROKEN;
        }
        if (broken)
            return DONE;
        r->n_lets = lets;
    }
    return KEPT;
}

/* Initialises everything but the pool, which is written before it is read. */
static void begin(chk_reading *r, ir_context *ctx, ir_loc loc)
{
    memset(r, 0, offsetof(chk_reading, lets));
    r->n_lets = 0;
    r->types = NULL;
    r->used = 0;
    r->ctx = ctx;
    r->loc = loc;
}

bool chk_verify(ir_op *op, chk_rules rules)
{
    chk_reading r;
    begin(&r, op->ctx, op->loc);
    r.op = op;
    r.def = op->def;
    return rules_from(&r, rules, 0, rules.count) != BROKEN;
}

bool chk_infer(ir_op *op, chk_rules rules, chk_types *out)
{
    chk_reading r;
    begin(&r, op->ctx, op->loc);
    r.op = op;
    r.def = op->def;
    r.types = out;
    out->n = 0;
    out->known = false;
    return rules_from(&r, rules, 0, rules.count) != BROKEN;
}

bool chk_verify_attr(ir_context *ctx, ir_loc loc, ir_attr attr, chk_rules rules)
{
    chk_reading r;
    begin(&r, ctx, loc);
    r.attr = attr;
    r.params = attr->def->params.at;
    r.n_params = attr->def->params.count;
    return rules_from(&r, rules, 0, rules.count) != BROKEN;
}

bool chk_verify_type(ir_context *ctx, ir_loc loc, ir_type type, chk_rules rules)
{
    chk_reading r;
    begin(&r, ctx, loc);
    r.type = type;
    r.params = type->def->params.at;
    r.n_params = type->def->params.count;
    return rules_from(&r, rules, 0, rules.count) != BROKEN;
}

/* The name bound by a rule's own "each", for its message. */
static tw_str each_name(chk_reading *r, const char *when)
{
    r->at = when;
    if (chk_symbol(r, "given")) {
        chk_expression(r);
        chk_symbol(r, ":");
    }
    return chk_symbol(r, "each") ? chk_name_here(r) : (tw_str){0};
}

bool chk_rule_is_sound(const ir_op_def *def, chk_rules rules, const char **out_what)
{
    chk_reading r = {.def = def};
    for (uint32_t i = 0; i < rules.count && !r.wrong; i++) {
        const chk_rule *rule = &rules.at[i];
        tw_str name;
        chk_val over;
        bool counted;
        if (rule->run || rule->infer || strcmp(rule->when, "end") == 0 ||
            is_let(&r, rule->when) || is_infer(&r, rule->when))
            continue;
        if (loop_head(&r, rule->when, &name, &over, &counted)) {
            bind(&r, name, chk_none());
            continue;
        }
        int lets = r.n_lets;
        name = each_name(&r, rule->when);
        r.at = rule->when;
        if (strcmp(rule->when, "else") != 0) {
            condition(&r);
            chk_blanks(&r);
            if (!r.wrong && *r.at)
                r.wrong = r.at;
        }
        if (name.data)
            bind(&r, name, chk_none());
        if (!r.wrong && rule->say)
            fill(&r, rule->say + (rule->say[0] == '!'), NULL);
        r.n_lets = lets;
    }
    *out_what = r.wrong;
    return !r.wrong;
}
