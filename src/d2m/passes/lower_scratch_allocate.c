/* lower_scratch_allocate.c: d2m-lower-scratch-allocate: parts of a generic's scratch buffer
 * for the values that need one; values that do not live at once share memory. */
#include "d2m/generic.h"
#include "d2m/passes/nests.h"
#include "ir/pass/pass.h"
#include "mlir/memref/memref.h"
#include "mlir/memref/memref_layout.h"
#include "support/arena.h"

#include <stdlib.h>

typedef struct scratch {
    ir_op *op;
    int64_t slot, elements, offset;
    size_t from, to; /* first and last use, in the order of operations */
    bool packed, used;
} scratch;

static bool is_init(const ir_op *op)
{
    return op->def == D2M_OP(scratch_init);
}

static bool is_allocate(const ir_op *op)
{
    return op->def == D2M_OP(scratch_allocate);
}

static int compare(const void *x, const void *y)
{
    const scratch *a = x, *b = y;
    if (a->elements != b->elements)
        return a->elements > b->elements ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* Positions count all operations of the generic; an unused value lives where it is made. */
static void find_lifetimes(ir_op *generic, scratch *at, size_t n)
{
    ir_op_list ops = ir_ops_in(generic, NULL);
    ir_mapping *by_value = ir_mapping_create();
    for (size_t i = 0; i < n; i++) {
        ir_mapping_set(by_value, &at[i].op->results[0], &at[i]);
        at[i].used = false;
    }
    for (size_t o = 0; o < ops.n; o++) {
        scratch *made =
            ops.at[o]->n_results ? ir_mapping_get(by_value, &ops.at[o]->results[0]) : NULL;
        if (made && !made->used)
            made->from = made->to = o;
        for (uint32_t k = 0; k < ops.at[o]->n_operands; k++) {
            scratch *s = ir_mapping_get(by_value, ir_op_operand(ops.at[o], k));
            if (!s)
                continue;
            s->from = s->used ? s->from : o;
            s->to = o;
            s->used = true;
        }
    }
    ir_mapping_free(by_value);
    ir_op_list_free(&ops);
}

/* Each value that is not inside another's memory opens a part of its own; smaller ones that
 * live at other times are put into it one behind the other. */
static int64_t assign_offsets(scratch *at, size_t n)
{
    int64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        if (at[i].packed)
            continue;
        int64_t inner = at[i].offset = end;
        end += at[i].elements;
        for (size_t j = i + 1; j < n; j++) {
            bool overlap = at[j].from <= at[i].to && at[i].from <= at[j].to;
            if (at[j].packed || overlap || inner + at[j].elements > end)
                continue;
            at[j].packed = true;
            at[j].offset = inner;
            inner += at[j].elements;
        }
    }
    return end;
}

static int by_start(const void *x, const void *y)
{
    const scratch *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* In the order in which they begin to live, each at the lowest offset that is free then: a
 * chain of any length needs two. */
static int64_t assign_tightly(scratch *at, size_t n)
{
    scratch **live = tw_xmalloc((n + 1) * sizeof *live); /* by offset */
    size_t n_live = 0;
    int64_t end = 0;
    qsort(at, n, sizeof *at, by_start);
    for (size_t i = 0; i < n; i++) {
        size_t kept = 0, position = 0;
        int64_t free_from = 0;
        for (size_t k = 0; k < n_live; k++)
            if (live[k]->to >= at[i].from)
                live[kept++] = live[k];
        n_live = kept;
        while (position < n_live && live[position]->offset - free_from < at[i].elements) {
            free_from = live[position]->offset + live[position]->elements;
            position++;
        }
        at[i].offset = free_from;
        memmove(live + position + 1, live + position, (n_live - position) * sizeof *live);
        live[position] = &at[i];
        n_live++;
        end = TW_MAX(end, free_from + at[i].elements);
    }
    free(live);
    return end;
}

static ir_value *build_part(ir_builder *b, ir_value *buffer, const scratch *s)
{
    ir_context *ctx = b->ctx;
    ir_type i64 = ir_integer_type(ctx, 64, IR_SIGNLESS);
    int64_t offsets[] = {0, s->offset}, sizes[] = {1, s->elements}, ones[] = {1, 1};
    ir_type like =
        ir_memref_type(buffer->type->element, &s->elements, 1, NULL, buffer->type->space);
    ir_type type = memref_part_type(buffer->type, offsets, sizes, ones, like);
    if (!type)
        return NULL;
    int32_t segments[] = {1, 0, 0, 0};
    return ir_build1(
        b, MEMREF_OP(subview), type, &buffer, 1,
        IR_ATTRS({"static_offsets", ir_dense_array(i64, offsets, 2)},
                 {"static_sizes", ir_dense_array(i64, sizes, 2)},
                 {"static_strides", ir_dense_array(i64, ones, 2)},
                 {"operandSegmentSizes",
                  ir_dense_array(ir_integer_type(ctx, 32, IR_SIGNLESS), segments, 4)}));
}

/* The part in the shape that was asked for: row-major, at the part's offset. */
static ir_value *expand(ir_builder *b, ir_value *part, ir_type wanted, int64_t offset)
{
    ir_context *ctx = b->ctx;
    ir_type i64 = ir_integer_type(ctx, 64, IR_SIGNLESS);
    int64_t strides[D2M_MAX_RANK], stride = 1;
    ir_attr dims[D2M_MAX_RANK];
    for (uint32_t i = wanted->count; i-- > 0; stride *= wanted->dims[i]) {
        strides[i] = stride;
        dims[i] = ir_integer_attr(i64, i);
    }
    ir_attr layout = ir_attr_is(part->type->encoding, IR_ATTR_STRIDED)
                         ? ir_strided_attr(ctx, strides, wanted->count, offset)
                         : NULL;
    ir_type type =
        ir_memref_type(wanted->element, wanted->dims, wanted->count, layout, wanted->space);
    ir_attr group = ir_array_attr(ctx, dims, wanted->count);
    return ir_build1(b, MEMREF_OP(expand_shape), type, &part, 1,
                     IR_ATTRS({"reassociation", ir_array_attr(ctx, &group, 1)},
                              {"static_output_shape",
                               ir_dense_array(i64, wanted->dims, wanted->count)}));
}

static bool replace(const scratch *s, ir_value *buffer)
{
    ir_builder b = ir_builder_before(s->op);
    ir_type wanted = s->op->results[0].type;
    if (wanted->element != buffer->type->element)
        return ir_op_error(s->op,
                           "expected a result of the scratch buffer's element type %s: "
                           "results of another type cannot be spilled there; store them "
                           "to a tensor",
                           ir_type_text(s->op->ctx, buffer->type->element));
    ir_value *part = build_part(&b, buffer, s);
    if (!part)
        return ir_op_error(s->op, "has no part in a scratch buffer of this layout");
    if (wanted->count > 1)
        part = expand(&b, part, wanted, s->offset);
    ir_value_replace_uses(&s->op->results[0], part);
    ir_op_erase(s->op);
    return true;
}

static bool lower(ir_op *generic, ir_op *init, const ir_op_list *ops)
{
    ir_value *buffer = ir_op_operand(init, 0);
    scratch *at = tw_xcalloc(ops->n + 1, sizeof *at);
    int64_t capacity = ir_type_num_elements(buffer->type);
    bool ok = buffer->type->count == 2 && capacity > 0;
    if (!ok)
        ir_op_error(init, "expected a scratch buffer of shape 1xN");
    for (size_t i = 0; i < ops->n && ok; i++) {
        ir_type type = ops->at[i]->results[0].type;
        int64_t n = type->count <= D2M_MAX_RANK ? ir_type_num_elements(type) : -1;
        at[i] = (scratch){
            .op = ops->at[i], .slot = ir_op_int(ops->at[i], "slot", 0), .elements = n};
        ok = n > 0 || ir_op_error(ops->at[i], "expected a static, non-empty shape");
    }
    if (ok && ops->n) {
        qsort(at, ops->n, sizeof *at, compare);
        find_lifetimes(generic, at, ops->n);
        int64_t peak = assign_offsets(at, ops->n);
        if (peak > capacity)
            peak = assign_tightly(at, ops->n);
        if (peak > capacity)
            ok = ir_op_error(generic,
                             "peak scratch usage (%lld elements) exceed scratch buffer "
                             "capacity (%lld elements)",
                             (long long)peak, (long long)capacity) ||
                 ir_rule(generic->ctx, "scratch capacity");
    }
    for (size_t i = 0; i < ops->n && ok; i++)
        ok = replace(&at[i], buffer);
    if (ok)
        ir_op_erase(init);
    free(at);
    return ok;
}

static bool run(ir_op *module, pass_run *run)
{
    (void)run;
    ir_op_list generics = d2m_generics_in(module);
    bool ok = true;
    for (size_t i = 0; i < generics.n && ok; i++) {
        ir_op_list inits = ir_ops_in(generics.at[i], is_init);
        ir_op_list ops = ir_ops_in(generics.at[i], is_allocate);
        if (inits.n == 1)
            ok = lower(generics.at[i], inits.at[0], &ops);
        else if (inits.n > 1)
            ok = ir_op_error(generics.at[i], "expected at most one d2m.scratch_init");
        ir_op_list_free(&inits);
        ir_op_list_free(&ops);
    }
    ir_op_list_free(&generics);
    return ok;
}

const pass_def d2m_lower_scratch_allocate_pass = {
    .name = "d2m-lower-scratch-allocate",
    .summary = "Lower d2m.scratch_allocate to parts of the scratch buffer",
    .anchor = "builtin.module",
    .run = run,
};
