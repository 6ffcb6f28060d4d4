/* ttl_kernel.c: kernels: their text, and what they and their threads demand.
 *
 *   ttl.kernel(%a, %b : T, T) attributes {grid = #ttl.grid<[2, 2]>} { ^bb0(...): ... }
 *   %c = ttl.kernel(%a, %b : T, T) -> T attributes {...} { ... }
 *   ttl.kernel @name(%a: T, %b: T) attributes {grid = #ttl.grid<[2, 2]>} { ... }
 *   ttl.kernel grid=[8, 8] { ... }
 *   ttl.compute_thread { ... }
 *   ttl.compute_thread(%cb : U) { ^bb0(%own: U): ... }
 *
 * The first stands in a function, whose values are its inputs: those that it names, or
 * those that its text uses; one with a name is complete, with the tensors that a
 * launch gives it.  Results are the tensors that threads write.  A thread reads what is
 * around it, or what it is given. */
#include "mlir/func/func_hooks.h"
#include "ttl/ttl_hooks.h"
#include "ttl/ttl_info.h"

/* ---- text ---------------------------------------------------------------------------- */

/* "(" ssa-list [ ":" types ] ")", if it is there; types may be left out of what is known */
static bool parse_inputs(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_type_list types = {0};
    const char *at = p->tok.at;
    if (!ir_accept_punct(p, '('))
        return true;
    if (!ir_parse_ssa_list(p, &uses))
        return false;
    if (ir_accept_punct(p, ':'))
        return ir_parse_type_list(p, &types) && ir_expect_punct(p, ')') &&
               ir_add_operands(p, op, &uses, types.at, types.count, at);
    return ttl_add_known(p, op, &uses) && ir_expect_punct(p, ')');
}

/* name=value, in front of the dictionary */
static bool parse_values(ir_parser *p, ir_parsed_op *op)
{
    tw_str name;
    while (p->tok.kind == IR_TOK_BARE_ID && !ir_at_keyword(p, "attributes")) {
        if (!ir_parse_keyword(p, &name) || !ir_expect_punct(p, '='))
            return false;
        ir_attr value = ir_parse_an_attr(p, NULL);
        if (!value)
            return false;
        ir_add_attr(
            p, op,
            tw_arena_printf(ir_context_arena(p->ctx), "%.*s", (int)name.size, name.data),
            value);
        if (!ir_accept_punct(p, ','))
            break;
    }
    return !p->failed;
}

/* What the text of a kernel without inputs uses of the function around it. */
typedef struct captures {
    ir_parser *p;
    ir_parsed_op *op;
    ir_region *body;
} captures;

static bool is_inside(const ir_value *v, const ir_region *body)
{
    const ir_block *b = ir_value_block(v);
    while (b && b->region != body)
        b = b->region && b->region->owner ? b->region->owner->block : NULL;
    return b != NULL;
}

static ir_walk capture_operands(ir_op *op, void *user)
{
    captures *c = user;
    ir_block *entry = c->body->first;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_value *v = op->operands[i].value;
        if (!v->owner || is_inside(v, c->body)) /* one without an owner comes later */
            continue;
        uint32_t k = 0;
        while (k < c->op->n_operands && c->op->operands[k] != v)
            k++;
        if (k == c->op->n_operands) {
            ir_add_operand_value(c->p, c->op, v);
            ir_block_add_arg(c->p->ctx, entry, v->type, ir_value_loc(v));
        }
        ir_op_set_operand(op, i, entry->args[k]);
    }
    return IR_WALK_ON;
}

static void capture(ir_parser *p, ir_parsed_op *op)
{
    captures c = {p, op, op->regions[op->n_regions - 1]};
    if (op->n_operands || c.body->first->n_args)
        return;
    for (ir_op *o = c.body->first->first; o; o = o->next)
        ir_walk_pre(o, capture_operands, &c);
}

static void parse_body(ir_parser *p, ir_parsed_op *op, const ir_parsed_arg *args, size_t n)
{
    if (!ir_parse_op_attr_dict_keyword(p, op) || !ir_parse_op_region(p, op, args, n))
        return;
    ir_region *body = op->regions[op->n_regions - 1];
    if (!body->first)
        ir_region_append(body, ir_block_create(p->ctx));
}

/* [ @name "(" args ")" | "(" ssa-list ":" types ")" [ "->" types ] ] { name "=" attr }
 * attr-dict region */
void ttl_kernel_parse(ir_parser *p, ir_parsed_op *op)
{
    func_signature s = {0};
    ir_type_list results = {0};
    ir_attr name;
    const bool named = p->tok.kind == IR_TOK_AT;
    if (named) {
        if (!ir_parse_symbol_name(p, &name) || !func_signature_parse(p, &s))
            return;
        if (s.out.types.count || s.in.any || s.named.count != s.in.types.count) {
            ir_fail(p, op->at,
                    "a kernel has named arguments without attributes, and no "
                    "results: what it makes it writes to tensors");
            return;
        }
        ir_add_attr(p, op, "sym_name", name);
    } else if (!parse_inputs(p, op) || (ir_accept_arrow_types(p, &results), p->failed)) {
        return;
    }
    ir_add_results(p, op, &results);
    if (!parse_values(p, op))
        return;
    parse_body(p, op, s.named.at, s.named.count);
    if (!p->failed && !named)
        capture(p, op);
}

void ttl_thread_parse(ir_parser *p, ir_parsed_op *op)
{
    if (parse_inputs(p, op))
        parse_body(p, op, NULL, 0);
}

static void put_inputs(ir_printer *p, ir_op *op)
{
    if (!op->n_operands)
        return;
    ir_putc(p, '(');
    ir_put_operands(p, op, 0, op->n_operands);
    ir_put(p, " : ");
    ir_put_operand_types(p, op, 0, op->n_operands);
    ir_putc(p, ')');
}

void ttl_thread_print(ir_printer *p, ir_op *op)
{
    put_inputs(p, op);
    ir_put_op_attr_dict_keyword(p, op, NULL, 0);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], true, true);
}

void ttl_kernel_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"sym_name"};
    const ir_block *body = ir_op_body(op, 0);
    const bool named = ir_op_attr(op, "sym_name") && body;
    if (named) {
        ir_putc(p, ' ');
        ir_put_symbol(p, ir_symbol_name(op));
        ir_putc(p, '(');
        for (uint32_t i = 0; i < body->n_args; i++) {
            ir_put(p, i ? ", " : "");
            ir_put_arg(p, body->args[i], NULL, true);
        }
        ir_putc(p, ')');
    } else {
        put_inputs(p, op);
    }
    if (op->n_results)
        ir_put_arrow_results(p, op);
    ir_put_op_attr_dict_keyword(p, op, elided, named);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], !named, true);
}

/* ---- checks -------------------------------------------------------------------------- */

static const char *text_of(const ir_op *op, ir_type t)
{
    return ir_type_text(op->ctx, t);
}

static bool is_word_of(ir_attr word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ir_attr_is(word, IR_ATTR_STRING) && tw_str_is(ir_attr_str(word), words[i]))
            return true;
    return false;
}

/* {math_fidelity = "HiFi4", fp32_dest_acc_en = true, ...} */
static bool has_config(ir_op *op)
{
    static const char *const fidelities[] = {"LoFi", "HiFi2", "HiFi3", "HiFi4"};
    static const char *const booleans[] = {"fp32_dest_acc_en", "dst_full_sync_en",
                                           "math_approx_mode"};
    ir_attr config = ir_op_attr(op, "compute_config");
    for (uint32_t i = 0; config && i < config->count; i++) {
        tw_str name = ir_ident_str(config->entries[i].name);
        ir_attr value = config->entries[i].value;
        bool boolean = false;
        for (size_t k = 0; k < TW_COUNT(booleans); k++)
            boolean |= tw_str_is(name, booleans[k]);
        if (boolean && !ir_attr_is_bool(value))
            return ir_op_error(op, "compute_config: %.*s is true or false", (int)name.size,
                               name.data);
        if (tw_str_is(name, "math_fidelity") &&
            !is_word_of(value, fidelities, TW_COUNT(fidelities)))
            return ir_op_error(op, "compute_config: math_fidelity is \"LoFi\", \"HiFi2\", "
                                   "\"HiFi3\" or \"HiFi4\"");
        if (!boolean && !tw_str_is(name, "math_fidelity"))
            return ir_op_error(op,
                               "compute_config has no '%.*s': it has math_fidelity, "
                               "fp32_dest_acc_en, dst_full_sync_en and math_approx_mode",
                               (int)name.size, name.data);
    }
    return true;
}

/* Tiles of each input on a core; inputs that are known when the kernel is compiled. */
static bool has_inputs_said(ir_op *op, uint32_t inputs)
{
    ir_attr factors = ir_op_attr(op, "block_factors");
    ir_attr known = ir_op_attr(op, "compile_time_args");
    if (factors && factors->count != inputs)
        return ir_op_error(op, "block_factors has %u entries for %u inputs", factors->count,
                           inputs);
    for (uint32_t i = 0; factors && i < factors->count; i++) {
        ir_attr tiles = factors->items[i];
        bool good = ir_attr_is(tiles, IR_ATTR_ARRAY) && tiles->count;
        for (uint32_t k = 0; good && k < tiles->count; k++)
            good = ir_attr_int(tiles->items[k], 0) > 0;
        if (!good)
            return ir_op_error(op, "block_factors: entry %u is no list of positive numbers",
                               i);
    }
    for (uint32_t i = 0; known && i < known->count; i++) {
        int64_t input = ir_attr_int(known->items[i], -1);
        if (input < 0 || input >= inputs)
            return ir_op_error(op,
                               "compile_time_args: entry %u is no number of an input; "
                               "there are %u",
                               i, inputs);
    }
    return true;
}

bool ttl_kernel_verify(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    if (ir_op_attr(op, "sym_name")) {
        if (op->n_operands)
            return ir_op_error(op, "with a name has no inputs: its arguments come from a "
                                   "launch");
        if (!body)
            return ir_op_error(op, "with a name needs a body");
    } else if (!body || body->n_args != op->n_operands) {
        return ir_op_error(op, "body must have one argument for each of %u inputs",
                           op->n_operands);
    }
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (body->args[i]->type != op->operands[i].value->type)
            return ir_op_error(op, "argument %u has type '%s', its input '%s'", i,
                               text_of(op, body->args[i]->type),
                               text_of(op, op->operands[i].value->type));
    if (op->n_results && ir_op_attr(op, "sym_name"))
        return ir_op_error(op, "with a name has no results: what it makes it writes to "
                               "tensors of a launch");
    return has_config(op) && has_inputs_said(op, body->n_args);
}

bool ttl_thread_verify(ir_op *op)
{
    const ir_block *body = ir_op_body(op, 0);
    const ir_op *parent = ir_op_parent(op);
    if (!ir_op_is(parent, TTL_OP(kernel)) && !ir_op_is(parent, TTL_OP(program)))
        return ir_op_error(op, "must lie in a ttl.kernel");
    if (!body || (body->n_args && body->n_args != op->n_operands))
        return ir_op_error(op, "body has %u arguments for %u operands",
                           body ? body->n_args : 0, op->n_operands);
    for (uint32_t i = 0; i < body->n_args; i++)
        if (body->args[i]->type != op->operands[i].value->type)
            return ir_op_error(op, "argument %u has type '%s', its operand '%s'", i,
                               text_of(op, body->args[i]->type),
                               text_of(op, op->operands[i].value->type));
    return true;
}
