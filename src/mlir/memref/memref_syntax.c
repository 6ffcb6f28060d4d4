/* memref_syntax.c: the hand-written text of memref operations, and of
 * bufferization.alloc_tensor. */
#include "mlir/memref/memref_hooks.h"

#include "mlir/memref/memref.h"

/* ---- memref[indices] ---------------------------------------------------------------- */

typedef struct access {
    ir_ssa_use memref;
    ir_ssa_list indices;
} access;

static bool parse_access(ir_parser *p, access *out)
{
    return ir_parse_ssa(p, &out->memref) && ir_expect_punct(p, '[') &&
           ir_parse_ssa_list(p, &out->indices) && ir_expect_punct(p, ']');
}

static bool add_access(ir_parser *p, ir_parsed_op *op, const access *a, ir_type type)
{
    if (!ir_add_operand(p, op, a->memref, type))
        return false;
    for (uint32_t i = 0; i < a->indices.count; i++)
        if (!ir_add_operand(p, op, a->indices.at[i], ir_index_type(p->ctx)))
            return false;
    return true;
}

static void put_access(ir_printer *p, const ir_op *op, size_t at, size_t rank)
{
    ir_put_value(p, ir_op_operand(op, at));
    ir_putc(p, '[');
    ir_put_operands(p, op, at + 1, rank);
    ir_putc(p, ']');
}

/* ---- alloca_scope: [ "->" types ] region attr-dict ---------------------------------- */

void memref_alloca_scope_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_type_list types = {0};
    if (!ir_accept_arrow_types(p, &types))
        return;
    ir_add_results(p, op, &types);
    if (ir_parse_op_body(p, op))
        ir_parse_op_attr_dict(p, op);
}

void memref_alloca_scope_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    if (op->n_results) {
        ir_put(p, " -> (");
        ir_put_result_types(p, op, 0, op->n_results);
        ir_putc(p, ')');
    }
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], true, op->n_results > 0);
    ir_put_op_attr_dict(p, op, NULL, 0);
}

/* ---- generic_atomic_rmw: access ":" type region attr-dict --------------------------- */

void memref_atomic_parse(ir_parser *p, ir_parsed_op *op)
{
    access a = {0};
    ir_type type;
    if (!parse_access(p, &a))
        return;
    const char *at = p->tok.at;
    if (!(type = ir_parse_colon_type(p)))
        return;
    if (type->kind != IR_TYPE_MEMREF) {
        ir_fail_own(p, at, "expected a memref type");
        return;
    }
    if (!add_access(p, op, &a, type))
        return;
    ir_add_result(p, op, type->element);
    if (ir_parse_op_region(p, op, NULL, 0))
        ir_parse_op_attr_dict(p, op);
}

void memref_atomic_print(ir_printer *p, ir_op *op)
{
    ir_putc(p, ' ');
    put_access(p, op, 0, op->n_operands - 1);
    ir_put(p, " : ");
    ir_put_type(p, ir_op_operand(op, 0)->type);
    ir_putc(p, ' ');
    ir_put_region(p, &op->regions[0], true, true);
    ir_put_op_attr_dict(p, op, NULL, 0);
}

/* ---- prefetch ----------------------------------------------------------------------- */

bool memref_parse_prefetch_words(ir_parser *p, ir_parsed_op *op)
{
    int64_t locality;
    bool write, data;
    if (!ir_expect_punct(p, ','))
        return false;
    write = ir_accept_keyword(p, "write");
    if (!write && !ir_accept_keyword(p, "read"))
        return ir_fail_here(p, "rw specifier has to be 'read' or 'write'");
    if (!ir_expect_punct(p, ',') || !ir_expect_keyword(p, "locality") ||
        !ir_expect_punct(p, '<') || !ir_parse_int(p, &locality) ||
        !ir_expect_punct(p, '>') || !ir_expect_punct(p, ','))
        return false;
    data = ir_accept_keyword(p, "data");
    if (!data && !ir_accept_keyword(p, "instr"))
        return ir_fail_here(p, "cache type has to be 'data' or 'instr'");
    ir_add_attr(p, op, "isWrite", ir_bool_attr(p->ctx, write));
    ir_add_attr(p, op, "localityHint", ir_i32_attr(p->ctx, locality));
    ir_add_attr(p, op, "isDataCache", ir_bool_attr(p->ctx, data));
    return true;
}

void memref_put_prefetch_words(ir_printer *p, const ir_op *op)
{
    ir_putf(p, ", %s, locality<%lld>, %s", ir_op_bool(op, "isWrite") ? "write" : "read",
            (long long)ir_op_int(op, "localityHint", 0),
            ir_op_bool(op, "isDataCache") ? "data" : "instr");
}

void memref_prefetch_parse(ir_parser *p, ir_parsed_op *op)
{
    access a = {0};
    ir_type type;
    if (parse_access(p, &a) && memref_parse_prefetch_words(p, op) &&
        ir_parse_op_attr_dict(p, op) && (type = ir_parse_colon_type(p)))
        add_access(p, op, &a, type);
}

void memref_prefetch_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"isWrite", "localityHint", "isDataCache"};
    ir_putc(p, ' ');
    put_access(p, op, 0, op->n_operands - 1);
    memref_put_prefetch_words(p, op);
    ir_put_op_attr_dict(p, op, elided, TW_COUNT(elided));
    ir_put(p, " : ");
    ir_put_type(p, ir_op_operand(op, 0)->type);
}

/* ---- dma_start
 * -------------------------------------------------------------------------------
 *
 * access "," access "," size "," access [ "," stride "," elements ] attr-dict
 *     ":" type "," type "," type */

void memref_dma_start_parse(ir_parser *p, ir_parsed_op *op)
{
    access source = {0}, target = {0}, tag = {0};
    ir_ssa_use size, extra[2];
    ir_type_list types = {0};
    ir_type index = ir_index_type(p->ctx);
    bool strided;
    if (!parse_access(p, &source) || !ir_expect_punct(p, ',') ||
        !parse_access(p, &target) || !ir_expect_punct(p, ',') || !ir_parse_ssa(p, &size) ||
        !ir_expect_punct(p, ',') || !parse_access(p, &tag))
        return;
    strided = ir_accept_punct(p, ',');
    if (strided && (!ir_parse_ssa(p, &extra[0]) || !ir_expect_punct(p, ',') ||
                    !ir_parse_ssa(p, &extra[1])))
        return;
    if (!ir_parse_op_attr_dict(p, op) || !ir_expect_punct(p, ':'))
        return;
    const char *at = p->tok.at;
    if (!ir_parse_type_list(p, &types))
        return;
    if (types.count != 3) {
        ir_fail_own(p, at, "fewer/more types expected");
        return;
    }
    if (!add_access(p, op, &source, types.at[0]) ||
        !add_access(p, op, &target, types.at[1]) || !ir_add_operand(p, op, size, index) ||
        !add_access(p, op, &tag, types.at[2]))
        return;
    for (size_t i = 0; strided && i < 2; i++)
        if (!ir_add_operand(p, op, extra[i], index))
            return;
}

/* The rank of the memref at an operand index; the text has as many indices. */
static size_t rank_at(const ir_op *op, size_t at)
{
    if (at >= op->n_operands || ir_op_operand(op, at)->type->kind != IR_TYPE_MEMREF)
        return 0;
    return ir_op_operand(op, at)->type->count;
}

/* Three accesses (a memref and its indices) and the size, then an optional stride. */
bool memref_dma_start_verify(ir_op *op)
{
    static const char *const names[] = {"source", "destination", "tag"};
    size_t at = 0, want = 4;
    if (op->n_operands < want)
        return ir_op_error(op, "expected at least 4 operands");
    for (int i = 0; i < 3; i++) {
        if (ir_op_operand(op, at)->type->kind != IR_TYPE_MEMREF)
            return ir_op_error(op, "expected %s to be of memref type", names[i]);
        size_t rank = rank_at(op, at++);
        want += rank;
        if (op->n_operands < want)
            return ir_op_error(op, "expected at least %zu operands", want);
        for (size_t end = at + rank; at < end; at++)
            if (ir_op_operand(op, at)->type->kind != IR_TYPE_INDEX)
                return ir_op_error(op, "expected %s indices to be of index type", names[i]);
        /* the size precedes the tag */
        if (i == 1 && ir_op_operand(op, at++)->type->kind != IR_TYPE_INDEX)
            return ir_op_error(op, "expected num elements to be of index type");
    }
    if (op->n_operands != want && op->n_operands != want + 2)
        return ir_op_error(op, "incorrect number of operands");
    for (; at < op->n_operands; at++)
        if (ir_op_operand(op, at)->type->kind != IR_TYPE_INDEX)
            return ir_op_error(
                op, "expected stride and num elements per stride to be of type index");
    return true;
}

void memref_dma_start_print(ir_printer *p, ir_op *op)
{
    size_t target = 1 + rank_at(op, 0), size = target + 1 + rank_at(op, target);
    size_t tag = size + 1, end = tag + 1 + rank_at(op, tag);
    ir_putc(p, ' ');
    put_access(p, op, 0, target - 1);
    ir_put(p, ", ");
    put_access(p, op, target, size - target - 1);
    ir_put(p, ", ");
    ir_put_value(p, ir_op_operand(op, size));
    ir_put(p, ", ");
    put_access(p, op, tag, end - tag - 1);
    for (size_t i = end; i < op->n_operands; i++) {
        ir_put(p, ", ");
        ir_put_value(p, ir_op_operand(op, i));
    }
    ir_put_op_attr_dict(p, op, NULL, 0);
    ir_put(p, " : ");
    ir_put_type(p, ir_op_operand(op, 0)->type);
    ir_put(p, ", ");
    ir_put_type(p, ir_op_operand(op, target)->type);
    ir_put(p, ", ");
    ir_put_type(p, ir_op_operand(op, tag)->type);
}

/* ---- transpose: ssa map attr-dict ":" type "to" type -------------------------------- */

void memref_transpose_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_use in;
    ir_affine_map map;
    ir_type from, to;
    if (!ir_parse_ssa(p, &in) || !(map = ir_parse_affine_map(p)) ||
        !ir_parse_op_attr_dict(p, op) || !(from = ir_parse_colon_type(p)) ||
        !ir_expect_keyword(p, "to") || !(to = ir_parse_a_type(p)))
        return;
    ir_add_attr(p, op, "permutation", ir_affine_map_attr(p->ctx, map));
    ir_add_operand(p, op, in, from);
    ir_add_result(p, op, to);
}

void memref_transpose_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"permutation"};
    ir_putc(p, ' ');
    ir_put_value(p, ir_op_operand(op, 0));
    ir_putc(p, ' ');
    ir_put_affine_map(p, ir_op_attr(op, "permutation")->map);
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, " : ");
    ir_put_type(p, ir_op_operand(op, 0)->type);
    ir_put(p, " to ");
    ir_put_type(p, op->results[0].type);
}

/* ---- bufferization.alloc_tensor
 * ------------------------------------------------------------------
 *
 * "(" sizes ")" [ "copy" "(" ssa ")" ] [ "size_hint" "=" ssa ] attr-dict ":" type */

void bufferization_alloc_tensor_parse(ir_parser *p, ir_parsed_op *op)
{
    ir_ssa_list sizes = {0};
    ir_ssa_use copy, hint;
    ir_type type, index = ir_index_type(p->ctx);
    bool copies, hints;
    if (!ir_expect_punct(p, '(') || !ir_parse_ssa_list(p, &sizes) ||
        !ir_expect_punct(p, ')'))
        return;
    copies = ir_accept_keyword(p, "copy");
    if (copies &&
        (!ir_expect_punct(p, '(') || !ir_parse_ssa(p, &copy) || !ir_expect_punct(p, ')')))
        return;
    hints = ir_accept_keyword(p, "size_hint");
    if (hints && (!ir_expect_punct(p, '=') || !ir_parse_ssa(p, &hint)))
        return;
    if (!ir_parse_op_attr_dict(p, op) || !(type = ir_parse_colon_type(p)))
        return;
    for (uint32_t i = 0; i < sizes.count; i++)
        if (!ir_add_operand(p, op, sizes.at[i], index))
            return;
    if ((copies && !ir_add_operand(p, op, copy, type)) ||
        (hints && !ir_add_operand(p, op, hint, index)))
        return;
    int32_t segments[] = {(int32_t)sizes.count, copies, hints};
    ir_add_operand_segments(p, op, segments, 3);
    ir_add_result(p, op, type);
}

void bufferization_alloc_tensor_print(ir_printer *p, ir_op *op)
{
    static const char *const elided[] = {"operandSegmentSizes"};
    size_t start = 0, count = 0;
    ir_op_operand_group(op, 0, &start, &count);
    ir_putc(p, '(');
    ir_put_operands(p, op, start, count);
    ir_putc(p, ')');
    ir_op_operand_group(op, 1, &start, &count);
    if (count) {
        ir_put(p, " copy(");
        ir_put_operands(p, op, start, count);
        ir_putc(p, ')');
    }
    ir_op_operand_group(op, 2, &start, &count);
    if (count) {
        ir_put(p, " size_hint=");
        ir_put_operands(p, op, start, count);
    }
    ir_put_op_attr_dict(p, op, elided, 1);
    ir_put(p, " : ");
    ir_put_type(p, op->results[0].type);
}

/* ---- distinct objects --------------------------------------------------------------- */

bool memref_distinct_objects_infer(ir_infer *in)
{
    if (in->n_operands > in->n_results)
        return false;
    for (size_t i = 0; i < in->n_operands; i++)
        in->results[i] = in->operands[i]->type;
    in->n_results = in->n_operands;
    return true;
}

bool memref_distinct_objects_verify(ir_op *op)
{
    bool same = op->n_operands == op->n_results;
    for (uint32_t i = 0; same && i < op->n_results; i++)
        same = ir_op_operand(op, i)->type == op->results[i].type;
    if (!same)
        return ir_op_error(op, "operand types and result types must match");
    return op->n_operands || ir_op_error(op, "expected at least one operand");
}
