/* ttl_plan_sync.c: the text of pipes and semaphores, in today's form and in the plan's.
 *
 *   %p = ttl.create_pipe [0, 0] to [1, 0] through [1, 3] semaphores 0 : !ttl.pipe
 *   %p = ttl.create_pipe src_core=[0, 0] dst_core_range=[[1, 0], [1, 3]]
 *   %s = ttl.create_semaphore 8 scratch 9 : !ttl.semaphore
 *   %s = ttl.create_semaphore {initial_value = 0}
 *   %r = ttl.get_remote_semaphore %s[%x, %y] : !ttl.semaphore
 *   %r = ttl.get_remote_semaphore %s {core = [1, 0]}
 *   ttl.semaphore_wait %s, %n : !ttl.semaphore
 *   ttl.semaphore_wait %s, 5 {reset_value = 0, comparison = "equal"}
 *
 * What the plan leaves out (numbers of semaphores, types) is left out here too: passes
 * give the numbers, and there is one type of each. */
#include "ttl/ttl_hooks.h"
#include "ttl/ttl_info.h"

/* ---- cores --------------------------------------------------------------------------- */

/* [x, y], or [[x, y], [x, y]]: how many integers there are, up to 4; -1 if it is neither.
 */
static int integers_of(ir_attr list, int64_t out[4])
{
    if (ir_attr_is(list, IR_ATTR_DENSE_ARRAY) && list->count <= 4)
        return (int)ir_attr_ints(list, out, 4);
    if (!ir_attr_is(list, IR_ATTR_ARRAY) || list->count != 2)
        return -1;
    int n = 0;
    for (uint32_t i = 0; i < 2; i++) {
        ir_attr item = list->items[i];
        if (ir_attr_is(item, IR_ATTR_INTEGER)) {
            out[n++] = ir_attr_int(item, 0);
            continue;
        }
        if (!ir_attr_is(item, IR_ATTR_ARRAY) || item->count != 2)
            return -1;
        for (uint32_t k = 0; k < 2; k++)
            out[n++] = ir_attr_int(item->items[k], 0);
    }
    return n;
}

static ir_attr core_attr(ir_context *ctx, const int64_t core[2])
{
    return ir_dense_array(ir_integer_type(ctx, 64, IR_SIGNLESS), core, 2);
}

static bool parse_core(ir_parser *p, ir_parsed_op *op, const char *name)
{
    ir_dims dims = {0};
    if (!ir_parse_int_list(p, &dims))
        return false;
    ir_add_attr(
        p, op, name,
        ir_dense_array(ir_integer_type(p->ctx, 64, IR_SIGNLESS), dims.at, dims.count));
    return true;
}

/* An attribute whose value is cores becomes those that the rows have. */
static bool add_cores(ir_parser *p, ir_parsed_op *op, const char *name, const char *end,
                      ir_attr value)
{
    int64_t at[4];
    int n = integers_of(value, at);
    if (n != 2 && !(n == 4 && end))
        return ir_fail(p, p->tok.at, "expected a core's column and row, [x, y]%s",
                       end ? ", or a range [[x, y], [x, y]]" : "");
    ir_add_attr(p, op, name, core_attr(p->ctx, at));
    if (n == 4)
        ir_add_attr(p, op, end, core_attr(p->ctx, at + 2));
    return true;
}

/* ---- named values -------------------------------------------------------------------- */

static bool parse_pair(ir_parser *p, ir_parsed_op *op)
{
    static const struct {
        const char *word, *name, *end;
    } cores[] = {{"src_core", "src_core", NULL},
                 {"dst_core", "dst_core", NULL},
                 {"dst_core_end", "dst_core_end", NULL},
                 {"dst_core_range", "dst_core", "dst_core_end"},
                 {"core", "core", NULL},
                 {"core_range", "core", "core_end"},
                 {"mcast_range", "core", "core_end"}};
    static const char *const integers[] = {"initial_value", "reset_value", "value",
                                           "semaphore_index", "scratch_index"};
    tw_str word;
    if (!ir_parse_keyword(p, &word))
        return false;
    ir_attr value =
        ir_accept_punct(p, '=') ? ir_parse_an_attr(p, NULL) : ir_unit_attr(p->ctx);
    if (!value)
        return false;
    for (size_t i = 0; i < TW_COUNT(cores); i++)
        if (tw_str_is(word, cores[i].word))
            return add_cores(p, op, cores[i].name, cores[i].end, value);
    for (size_t i = 0; i < TW_COUNT(integers); i++)
        if (tw_str_is(word, integers[i]) && ir_attr_is(value, IR_ATTR_INTEGER) &&
            ir_def_prop_index(op->def, word) < ir_def_n_props(op->def))
            value = ir_i64_attr(p->ctx, ir_attr_int(value, 0)); /* of any width */
    ir_add_attr(
        p, op, tw_arena_printf(ir_context_arena(p->ctx), "%.*s", (int)word.size, word.data),
        value);
    return true;
}

static bool at_pair(ir_parser *p)
{
    const char *at = p->tok.at;
    if (p->tok.kind != IR_TOK_BARE_ID)
        return false;
    ir_next(p);
    bool is = ir_at_punct(p, '=');
    ir_lex_at(p, at);
    return is;
}

/* Named values, bare or in braces, with commas or without, and the type if it is there. */
static bool parse_rest(ir_parser *p, ir_parsed_op *op, const ir_type_def *type,
                       ir_type *out)
{
    *out = ir_dialect_type(p->ctx, type, NULL, 0);
    while (at_pair(p)) {
        if (!parse_pair(p, op))
            return false;
        ir_accept_punct(p, ',');
    }
    if (ir_accept_punct(p, '{')) {
        while (!ir_at_punct(p, '}')) {
            if (!parse_pair(p, op))
                return false;
            if (!ir_accept_punct(p, ','))
                break;
        }
        if (!ir_expect_punct(p, '}'))
            return false;
    }
    return !ir_accept_punct(p, ':') || (*out = ir_parse_a_type(p)) != NULL;
}

/* ---- pipes --------------------------------------------------------------------------- */

void ttl_create_pipe_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_type type;
    int64_t number;
    if (ir_at_punct(p, '[')) {
        if (!parse_core(p, op, "src_core") || !ir_expect_keyword(p, "to") ||
            !parse_core(p, op, "dst_core"))
            return;
        if (ir_accept_keyword(p, "through") && !parse_core(p, op, "dst_core_end"))
            return;
        if (ir_accept_keyword(p, "semaphores")) {
            if (!ir_parse_int(p, &number))
                return;
            ir_add_attr(p, op, "semaphore_index", ir_i64_attr(p->ctx, number));
        }
    }
    if (parse_rest(p, op, TTL_TYPE(pipe), &type))
        ir_add_result(p, op, type);
}

static void put_core(ir_printer *p, const ir_op *op, const char *word, const char *name)
{
    ir_put(p, word);
    ir_put_dense_array_bare(p, ir_op_attr(op, name));
}

void ttl_create_pipe_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"src_core", "dst_core", "dst_core_end",
                                         "semaphore_index"};
    ir_attr number = ir_op_attr(op, "semaphore_index");
    put_core(p, op, " ", "src_core");
    put_core(p, op, " to ", "dst_core");
    if (ir_op_attr(op, "dst_core_end"))
        put_core(p, op, " through ", "dst_core_end");
    if (number)
        ir_putf(p, " semaphores %lld", (long long)ir_attr_int(number, 0));
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
    ir_put(p, " : ");
    ir_put_result_types(p, op, 0, 1);
}

/* ---- semaphores ---------------------------------------------------------------------- */

void ttl_create_semaphore_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_type type;
    int64_t number;
    bool present;
    if (!ir_accept_int(p, &number, &present))
        return;
    if (present)
        ir_add_attr(p, op, "semaphore_index", ir_i64_attr(p->ctx, number));
    if (present && ir_accept_keyword(p, "scratch")) {
        if (!ir_parse_int(p, &number))
            return;
        ir_add_attr(p, op, "scratch_index", ir_i64_attr(p->ctx, number));
    }
    if (parse_rest(p, op, TTL_TYPE(semaphore), &type))
        ir_add_result(p, op, type);
}

void ttl_create_semaphore_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"semaphore_index", "scratch_index"};
    ir_attr number = ir_op_attr(op, "semaphore_index");
    ir_attr scratch = ir_op_attr(op, "scratch_index");
    if (number)
        ir_putf(p, " %lld", (long long)ir_attr_int(number, 0));
    if (number && scratch)
        ir_putf(p, " scratch %lld", (long long)ir_attr_int(scratch, 0));
    ir_put_op_attr_dict(p, op, elided, number ? 2 : 0);
    ir_put(p, " : ");
    ir_put_result_types(p, op, 0, 1);
}

/* "[" %x "," %y "]" */
static bool parse_place(ir_parser *p, ir_ssa_list *uses)
{
    uint32_t before = uses->count;
    const char *at = p->tok.at;
    if (!ir_expect_punct(p, '[') || !ir_parse_ssa_list(p, uses) || !ir_expect_punct(p, ']'))
        return false;
    return uses->count == before + 2 || ir_fail(p, at, "expected a column and a row");
}

void ttl_remote_semaphore_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list uses = {0};
    ir_ssa_use semaphore;
    ir_type type;
    const char *at = p->tok.at;
    if (!ir_parse_ssa(p, &semaphore))
        return;
    if (ir_at_punct(p, '[')) {
        if (!parse_place(p, &uses))
            return;
        if (op->def == TTL_OP(get_remote_multicast_semaphore) &&
            (!ir_expect_keyword(p, "through") || !parse_place(p, &uses)))
            return;
    }
    if (!parse_rest(p, op, TTL_TYPE(semaphore), &type))
        return;
    ir_type index[4];
    for (size_t i = 0; i < TW_COUNT(index); i++)
        index[i] = ir_index_type(p->ctx);
    if (ir_add_operand(p, op, semaphore, type) &&
        ir_add_operands(p, op, &uses, index, uses.count, at))
        ir_add_result(p, op, type);
}

void ttl_remote_semaphore_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, 1);
    for (uint32_t i = 1; i + 1 < op->n_operands; i += 2) {
        ir_put(p, i == 1 ? "[" : " through [");
        ir_put_operands(p, op, i, 2);
        ir_putc(p, ']');
    }
    ir_put_op_attr_dict(p, op, NULL, 0);
    ir_put(p, " : ");
    ir_put_result_types(p, op, 0, 1);
}

/* wait, set, inc: a value that the thread computes, or a number. */
void ttl_semaphore_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use semaphore, value;
    ir_type type;
    int64_t number;
    bool computed = false;
    if (!ir_parse_ssa(p, &semaphore))
        return;
    if (ir_accept_punct(p, ',')) {
        computed = p->tok.kind == IR_TOK_VALUE;
        if (!(computed ? ir_parse_ssa(p, &value) : ir_parse_int(p, &number)))
            return;
        if (!computed)
            ir_add_attr(p, op, "value", ir_i64_attr(p->ctx, number));
    }
    if (!parse_rest(p, op, TTL_TYPE(semaphore), &type) ||
        !ir_add_operand(p, op, semaphore, type))
        return;
    if (computed)
        ir_add_operand(p, op, value, ir_index_type(p->ctx));
}

void ttl_semaphore_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"value"};
    ir_attr number = ir_op_attr(op, "value");
    ir_putc(p, ' ');
    ir_put_operands(p, op, 0, 1);
    if (op->n_operands > 1) {
        ir_put(p, ", ");
        ir_put_operands(p, op, 1, 1);
    } else if (number) {
        ir_putf(p, ", %lld", (long long)ir_attr_int(number, 0));
    }
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, " : ");
    ir_put_operand_types(p, op, 0, 1);
}
