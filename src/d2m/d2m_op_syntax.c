/* d2m_op_syntax.c: custom syntax of generic and remote_load. */
#include "d2m/d2m.h"
#include "d2m/d2m_hooks.h"
#include "mlir/shared/group_syntax.h"

#include <stdio.h>

/* ---- generic ------------------------------------------------------------------------ */

/* attr-dict "ins" "(" list ")" "outs" "(" list ")" [ "additionalArgs" "(" list ")" ]
 * [ region { "," region } ] [ ":" types ] */
void d2m_generic_parse(ir_parser *p, ir_parsed_op *op)
{
    int32_t sizes[3] = {0};
    if (!ir_parse_op_attr_dict(p, op) || !ir_parse_operand_group(p, op, "ins", &sizes[0]) ||
        !ir_parse_operand_group(p, op, "outs", &sizes[1]))
        return;
    if (ir_at_keyword(p, "additionalArgs") &&
        !ir_parse_operand_group(p, op, "additionalArgs", &sizes[2]))
        return;
    ir_add_operand_segments(p, op, sizes, 3);
    if (ir_at_punct(p, '{'))
        do
            if (!ir_parse_op_region(p, op, NULL, 0))
                return;
        while (ir_accept_punct(p, ','));
    ir_type_list results = {0};
    if (ir_accept_punct(p, ':') && !ir_parse_type_list(p, &results))
        return;
    ir_add_results(p, op, &results);
}

/* tt-mlir's printer starts each part on its own line, indented by eight spaces regardless
 * of the operation's depth. */
static const char margin[] = "\n        ";

static void print_group(ir_printer *p, ir_op *op, const char *word, size_t group)
{
    size_t start = 0, count = 0;
    ir_op_operand_group(op, group, &start, &count);
    ir_put(p, margin);
    ir_put_operand_group(p, op, word, start, count);
}

/* Names blocks by their thread kind and a counter per kind. */
const char *d2m_generic_name_block(const ir_op *op, uint32_t region, char text[32])
{
    ir_attr threads = ir_op_attr(op, "threads");
    int64_t kind = -1;
    unsigned before = 0;
    if (ir_attr_is(threads, IR_ATTR_ARRAY) && region < threads->count)
        kind = ir_attr_int(ir_attr_param(threads->items[region], "threadType"), -1);
    for (uint32_t i = 0; kind >= 0 && i < region; i++)
        before += ir_attr_int(ir_attr_param(threads->items[i], "threadType"), -1) == kind;
    const ir_enum_case *c = ir_enum_by_value(&d2m_enum_ThreadType, kind);
    snprintf(text, 32, "%s%u", c ? c->text : "bb", c ? before : region);
    return text;
}

void d2m_generic_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"operandSegmentSizes"};
    size_t start, more = 0;
    ir_put_op_attr_dict(p, op, elided, 1);
    print_group(p, op, "ins", 0);
    print_group(p, op, "outs", 1);
    ir_op_operand_group(op, 2, &start, &more);
    if (more)
        print_group(p, op, "additionalArgs", 2);
    ir_put(p, margin);
    for (uint16_t i = 0; i < op->n_regions; i++) {
        if (i)
            ir_put(p, ", ");
        ir_put_whole_region(p, &op->regions[i]);
    }
    if (op->n_results) {
        ir_put(p, " : ");
        ir_put_result_types(p, op, 0, op->n_results);
    }
}

/* ---- remote_load -------------------------------------------------------------------- */

enum { BUFFER, SOURCE, INDICES, CB, MCAST_START, MCAST_SHAPE, MCAST_DIMS, N_GROUPS };

static bool parse_bracketed(ir_parser *p, ir_ssa_list *out)
{
    return ir_expect_punct(p, '[') && ir_parse_ssa_list(p, out) && ir_expect_punct(p, ']');
}

static bool add_indices(ir_parser *p, ir_parsed_op *op, const ir_ssa_list *uses)
{
    for (uint32_t i = 0; i < uses->count; i++)
        if (!ir_add_operand(p, op, uses->at[i], ir_index_type(p->ctx)))
            return false;
    return true;
}

/* [ ssa ] ssa "[" ssa-list "]" [ "into" ssa ] [ "mcore" "[" list "]" "mshape" "[" list "]"
 * ] [ "mcast" "[" list "]" ] attr-dict ":" [ type "," ] type [ "into" type ] [ "->" type ]
 */
void d2m_remote_load_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use buffer = {0}, source, cb = {0};
    ir_ssa_list indices = {0}, start = {0}, shape = {0}, dims = {0};
    ir_type buffer_type = NULL, source_type, cb_type = NULL, result;
    if (!ir_parse_ssa(p, &source))
        return;
    bool has_buffer = p->tok.kind == IR_TOK_VALUE;
    if (has_buffer) {
        buffer = source;
        if (!ir_parse_ssa(p, &source))
            return;
    }
    if (!parse_bracketed(p, &indices))
        return;
    bool has_cb = ir_accept_keyword(p, "into");
    if (has_cb && !ir_parse_ssa(p, &cb))
        return;
    if (ir_accept_keyword(p, "mcore") &&
        (!parse_bracketed(p, &start) || !ir_expect_keyword(p, "mshape") ||
         !parse_bracketed(p, &shape)))
        return;
    if (ir_accept_keyword(p, "mcast") && !parse_bracketed(p, &dims))
        return;
    if (!ir_parse_op_attr_dict(p, op) || !ir_expect_punct(p, ':'))
        return;
    if (has_buffer && (!(buffer_type = ir_parse_a_type(p)) || !ir_expect_punct(p, ',')))
        return;
    if (!(source_type = ir_parse_a_type(p)))
        return;
    if (ir_accept_keyword(p, "into") && !(cb_type = ir_parse_a_type(p)))
        return;
    if (has_cb != (cb_type != NULL)) {
        ir_fail_here(p, "expected the type of the circular buffer exactly if there is one");
        return;
    }
    if ((has_buffer && !ir_add_operand(p, op, buffer, buffer_type)) ||
        !ir_add_operand(p, op, source, source_type) || !add_indices(p, op, &indices) ||
        (has_cb && !ir_add_operand(p, op, cb, cb_type)) || !add_indices(p, op, &start) ||
        !add_indices(p, op, &shape) || !add_indices(p, op, &dims))
        return;
    int32_t sizes[N_GROUPS] = {[BUFFER] = has_buffer,
                               [SOURCE] = 1,
                               [INDICES] = (int32_t)indices.count,
                               [CB] = has_cb,
                               [MCAST_START] = (int32_t)start.count,
                               [MCAST_SHAPE] = (int32_t)shape.count,
                               [MCAST_DIMS] = (int32_t)dims.count};
    ir_add_operand_segments(p, op, sizes, N_GROUPS);
    if (ir_accept_arrow(p) && (result = ir_parse_a_type(p)))
        ir_add_result(p, op, result);
}

static const ir_value *single(ir_op *op, size_t group)
{
    size_t start = 0, count = 0;
    ir_op_operand_group(op, group, &start, &count);
    return count ? ir_op_operand(op, start) : NULL;
}

static bool print_bracketed(ir_printer *p, ir_op *op, const char *word, size_t group)
{
    size_t start = 0, count = 0;
    ir_op_operand_group(op, group, &start, &count);
    if (!count && word[0] == ' ')
        return false;
    ir_put(p, word);
    ir_putc(p, '[');
    ir_put_operands(p, op, start, count);
    ir_putc(p, ']');
    return true;
}

void d2m_remote_load_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"operandSegmentSizes"};
    const ir_value *buffer = single(op, BUFFER), *source = single(op, SOURCE),
                   *cb = single(op, CB);
    if (buffer) {
        ir_putc(p, ' ');
        ir_put_value(p, buffer);
    }
    ir_putc(p, ' ');
    ir_put_value(p, source);
    print_bracketed(p, op, "", INDICES);
    if (cb) {
        ir_put(p, " into ");
        ir_put_value(p, cb);
    }
    if (print_bracketed(p, op, " mcore", MCAST_START))
        print_bracketed(p, op, " mshape", MCAST_SHAPE);
    print_bracketed(p, op, " mcast", MCAST_DIMS);
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, " : ");
    if (buffer) {
        ir_put_type(p, buffer->type);
        ir_put(p, ", ");
    }
    ir_put_type(p, source->type);
    if (cb) {
        ir_put(p, " into ");
        ir_put_type(p, cb->type);
    }
    if (op->n_results) {
        ir_put(p, " -> ");
        ir_put_type(p, op->results[0].type);
    }
}

/* ---- names of results */

/* A number behind the name is that of the dimension. */
static const struct {
    const ir_op_def *def;
    const char *name;
    bool numbered;
} result_names[] = {
    {D2M_OP(acquire_dst), "dst", false},
    {D2M_OP(block_index), "block", true},
    {D2M_OP(block_offset), "block_offset", true},
    {D2M_OP(core_index), "core", true},
    {D2M_OP(dma_read), "tx", false},
    {D2M_OP(dma_write), "tx", false},
    {D2M_OP(get_block_factor), "block_factor", true},
    {D2M_OP(iter_index), "iter", true},
    {D2M_OP(view_layout), "view", false},
};

void d2m_name_result(ir_printer *p, ir_op *op)
{
    for (size_t i = 0; i < TW_COUNT(result_names); i++)
        if (result_names[i].def == op->def) {
            char text[48];
            snprintf(text, sizeof text, result_names[i].numbered ? "%s%lld" : "%s",
                     result_names[i].name, (long long)ir_op_int(op, "dim", 0));
            /* Names are kept as pointers until they are used. */
            ir_name_value(p, &op->results[0],
                          ir_ident_get(op->ctx, tw_str_from(text))->text);
        }
}
