/* rules.c: parses the rules of rules.h into programs, one for each row and context, runs
 * them and formats their messages. */
#include "ir/rules/rules_impl.h"

/* ---- programs ------------------------------------------------------------------------ */

typedef enum step_kind {
    STEP_C, /* the rule's function */
    STEP_LET,
    STEP_INFER,
    STEP_LOOP,
    STEP_END,
    STEP_ELSE,
    STEP_CHECK,
} step_kind;

typedef struct step {
    step_kind kind;
    const chk_rule *rule;
    const chk_node *node;
    uint32_t slot, after; /* STEP_LOOP: the step behind its end */
    bool counted;
    const chk_scope *scope; /* the names that the message sees */
    uint32_t n_slots;
} step;

typedef struct program program;
struct program {
    const void *row;     /* of the operation, attribute or type */
    const program *next; /* of the same rules for another row */
    const step *steps;
    uint32_t n;
};

static step parse_step(chk_parser *p, const chk_rule *rule)
{
    step s = {.rule = rule, .kind = STEP_C};
    if (rule->run || rule->infer)
        return s;
    p->at = rule->when;
    if (chk_symbol(p, "let")) {
        s.kind = STEP_LET;
        tw_str name = chk_name_here(p);
        if (!chk_symbol(p, "="))
            chk_wrong(p);
        s.node = chk_expression(p);
        s.slot = chk_bind(p, name);
    } else if (chk_symbol(p, "infer")) {
        s.kind = STEP_INFER;
        s.node = chk_expression(p);
    } else if (chk_symbol(p, "loop")) {
        s.kind = STEP_LOOP;
        s.node = chk_range(p, &s.slot, &s.counted);
    } else if (chk_symbol(p, "end")) {
        s.kind = STEP_END;
    } else if (chk_symbol(p, "else")) {
        s.kind = STEP_ELSE;
    } else {
        s.kind = STEP_CHECK;
        s.node = chk_condition(p);
    }
    if (!p->wrong && !chk_at_end(p))
        chk_wrong(p);
    s.scope = p->scope;
    s.n_slots = p->n_slots;
    return s;
}

/* Names that a check binds are its own; those of a loop's body end with the loop. */
static const step *parse_steps(chk_parser *p, chk_rules rules)
{
    step *steps = TW_ARENA_ARRAY(p->arena, step, rules.count + 1);
    for (uint32_t i = 0; i < rules.count && !p->wrong; i++) {
        const chk_scope *scope = p->scope;
        const uint32_t n_slots = p->n_slots;
        steps[i] = parse_step(p, &rules.at[i]);
        uint32_t loop = i;
        while (steps[i].kind == STEP_END && loop > 0 &&
               (steps[loop].kind != STEP_LOOP || steps[loop].after))
            loop--;
        if (steps[i].kind == STEP_END && steps[loop].kind != STEP_LOOP)
            chk_wrong(p);
        if (steps[i].kind == STEP_END) {
            steps[loop].after = i + 1;
            p->scope = steps[loop].scope ? steps[loop].scope->outer : NULL;
            p->n_slots = steps[loop].n_slots - 1;
        } else if (steps[i].kind == STEP_CHECK) {
            p->scope = scope;
            p->n_slots = n_slots;
        }
    }
    return steps;
}

static const program *program_of(chk_parser *p, ir_context *ctx, const void *row,
                                 chk_rules rules)
{
    ir_mapping *known = ir_context_slot(ctx, IR_SLOT_RULES);
    if (!known) {
        known = ir_mapping_create();
        ir_context_set_slot(ctx, IR_SLOT_RULES, known, (void (*)(void *))ir_mapping_free);
    }
    const program *first = ir_mapping_get(known, rules.at);
    for (const program *q = first; q; q = q->next)
        if (q->row == row)
            return q;
    program *made = TW_ARENA_NEW(p->arena, program);
    *made = (program){row, first, parse_steps(p, rules), rules.count};
    assert(!p->wrong && "a rule does not read well");
    ir_mapping_set(known, rules.at, made);
    return made;
}

/* ---- messages ------------------------------------------------------------------------ */

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

static void put(chk_state *r, tw_strbuf *out, chk_val v)
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

/* Fills the {holes} of the text; without `out` only the syntax is checked. */
static void fill(chk_parser *p, chk_state *r, const char *say, tw_strbuf *out)
{
    while (*say && !p->wrong) {
        if (*say != '{') {
            if (out)
                tw_strbuf_putc(out, *say);
            say++;
            continue;
        }
        p->at = say + 1;
        const chk_node *hole = chk_expression(p);
        if (!chk_symbol(p, "}"))
            chk_wrong(p);
        if (out && !p->wrong)
            put(r, out, chk_value(r, hole));
        say = p->at;
    }
}

static bool report(chk_state *r, const step *s)
{
    tw_strbuf text = {0};
    tw_arena arena = {0};
    const char *say = s->rule->say;
    bool bare = say[0] == '!';
    chk_parser p = {.arena = &arena,
                    .def = r->op ? r->op->def : NULL,
                    .params = r->params,
                    .n_params = r->n_params,
                    .scope = s->scope,
                    .n_slots = s->n_slots};
    fill(&p, r, say + bare, &text);
    assert(!p.wrong && "a rule's message does not read well");
    if (bare || !r->op)
        ir_error(r->ctx, r->loc, "%s", tw_strbuf_text(&text));
    else
        ir_op_error(r->op, "%s", tw_strbuf_text(&text));
    tw_strbuf_free(&text);
    tw_arena_free(&arena);
    return false;
}

/* ---- runs */

typedef enum outcome { BROKEN, KEPT, DONE } outcome;

static bool run_c(chk_state *r, const chk_rule *rule)
{
    chk_types ignored;
    if (rule->run)
        return rule->run(r->op);
    ignored.n = 0;
    return rule->infer(r->op, r->types ? r->types : &ignored);
}

static void infer(chk_state *r, const chk_node *node)
{
    ir_type t = chk_type_of(chk_value(r, node));
    if (r->types && t && r->types->n < CHK_MAX_TYPES) {
        r->types->at[r->types->n++] = t;
        r->types->known = true;
    }
}

static outcome run_steps(chk_state *r, const program *p, uint32_t at, uint32_t end);

static outcome run_loop(chk_state *r, const program *p, uint32_t at)
{
    const step *s = &p->steps[at];
    const chk_val over = chk_value(r, s->node);
    for (int64_t i = 0; i < chk_count(over); i++) {
        r->slots[s->slot] = s->counted ? chk_integer(i) : chk_item(over, i);
        outcome o = run_steps(r, p, at + 1, s->after - 1);
        if (o != KEPT)
            return o;
    }
    return KEPT;
}

static outcome run_steps(chk_state *r, const program *p, uint32_t at, uint32_t end)
{
    while (at < end) {
        const step *s = &p->steps[at];
        outcome o = KEPT;
        switch (s->kind) {
        case STEP_C:
            o = run_c(r, s->rule) ? KEPT : BROKEN;
            break;
        case STEP_LET:
            r->slots[s->slot] = chk_value(r, s->node);
            break;
        case STEP_INFER:
            infer(r, s->node);
            break;
        case STEP_LOOP:
            o = run_loop(r, p, at);
            break;
        case STEP_END:
            break;
        case STEP_ELSE:
        case STEP_CHECK:
            if (s->kind == STEP_ELSE || chk_condition_holds(r, s->node))
                o = !s->rule->say ? DONE : report(r, s) ? KEPT : BROKEN;
            break;
        }
        if (o != KEPT)
            return o;
        at = s->kind == STEP_LOOP ? s->after : at + 1;
    }
    return KEPT;
}

/* Runs the rules on what `r` describes; names are those of `row`. */
static bool run_rules(chk_state *r, const void *row, chk_rules rules)
{
    chk_parser p = {.arena = ir_context_arena(r->ctx),
                    .def = r->op ? r->op->def : NULL,
                    .params = r->params,
                    .n_params = r->n_params};
    const program *made = program_of(&p, r->ctx, row, rules);
    return run_steps(r, made, 0, made->n) != BROKEN;
}

void chk_begin(chk_state *r, ir_context *ctx, ir_loc loc)
{
    memset(r, 0, offsetof(chk_state, slots));
    r->ctx = ctx;
    r->loc = loc;
}

bool chk_end(chk_state *r, bool holds)
{
    tw_arena_free(&r->longer);
    return holds;
}

bool chk_verify(ir_op *op, chk_rules rules)
{
    if (!rules.count)
        return true;
    chk_state r;
    chk_begin(&r, op->ctx, op->loc);
    r.op = op;
    return chk_end(&r, run_rules(&r, op->def, rules));
}

bool chk_infer(ir_op *op, chk_rules rules, chk_types *out)
{
    chk_state r;
    chk_begin(&r, op->ctx, op->loc);
    r.op = op;
    r.types = out;
    out->n = 0;
    out->known = false;
    return !rules.count || chk_end(&r, run_rules(&r, op->def, rules));
}

bool chk_verify_attr(ir_context *ctx, ir_loc loc, ir_attr attr, chk_rules rules)
{
    chk_state r;
    chk_begin(&r, ctx, loc);
    r.attr = attr;
    r.params = attr->def->params.at;
    r.n_params = attr->def->params.count;
    return !rules.count || chk_end(&r, run_rules(&r, attr->def, rules));
}

bool chk_verify_type(ir_context *ctx, ir_loc loc, ir_type type, chk_rules rules)
{
    chk_state r;
    chk_begin(&r, ctx, loc);
    r.type = type;
    r.params = type->def->params.at;
    r.n_params = type->def->params.count;
    return !rules.count || chk_end(&r, run_rules(&r, type->def, rules));
}

static bool is_sound(chk_parser p, chk_rules rules, const char **out_what)
{
    tw_arena arena = {0};
    p.arena = &arena;
    const step *steps = parse_steps(&p, rules);
    for (uint32_t i = 0; i < rules.count && !p.wrong; i++) {
        const char *say = rules.at[i].say;
        p.scope = steps[i].scope;
        p.n_slots = steps[i].n_slots;
        if (say)
            fill(&p, NULL, say + (say[0] == '!'), NULL);
    }
    *out_what = p.wrong;
    tw_arena_free(&arena);
    return !p.wrong;
}

bool chk_rule_is_sound(const ir_op_def *def, chk_rules rules, const char **out_what)
{
    return is_sound((chk_parser){.def = def}, rules, out_what);
}

bool chk_param_rule_is_sound(const ir_param_def *params, size_t n_params, chk_rules rules,
                             const char **out_what)
{
    return is_sound((chk_parser){.params = params, .n_params = n_params}, rules, out_what);
}
