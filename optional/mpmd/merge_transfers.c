/* merge_transfers.c: merges transfers of scalars between two fragments: concatenates them
 * in the producer and slices them in the consumer. */
#include "mpmd/fragments.h"
#include "mpmd/passes.h"
#include "stablehlo/build.h"

#define CONCAT_TRANSFER "concat_transfer"

enum { MAX_ELEMENTS = 1 /* size limit of a merged value */ };

/* Results of one type that one consumer uses through transfers. */
typedef struct bundle {
    ir_type type;
    ir_op *consumer;
    uint32_t *results;
    size_t n, capacity;
} bundle;

typedef struct bundles {
    bundle *at;
    size_t n, capacity;
} bundles;

static bool is_eligible(const ir_value *v)
{
    ir_type type = v->type;
    ir_attr sharding = mpmd_is_mesh_tensor(type) ? type->params[MPMD_TYPE_SHARDING] : NULL;
    if (!mpmd_is_mesh_tensor(type) || mpmd_on_host(type))
        return false;
    for (uint32_t i = 0; sharding && i < sharding->params[1]->count; i++) {
        ir_attr axes = sharding->params[1]->items[i]->params[0];
        if (axes && axes->count)
            return false;
    }
    int64_t n = ir_type_num_elements(type->params[MPMD_TYPE_TENSOR]->type);
    return n >= 0 && n <= MAX_ELEMENTS;
}

static void note(bundles *all, ir_type type, ir_op *consumer, uint32_t result)
{
    bundle *p = NULL;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].type == type && all->at[i].consumer == consumer)
            p = &all->at[i];
    if (!p) {
        bundle made = {.type = type, .consumer = consumer};
        TW_PUSH(all->at, all->n, all->capacity, made);
        p = &all->at[all->n - 1];
    }
    TW_PUSH(p->results, p->n, p->capacity, result);
}

static bool is_plain_transfer(const ir_op *op)
{
    return mpmd_is_transfer(op) && !ir_op_attr(op, CONCAT_TRANSFER);
}

static bundles find_bundles(ir_op *producer)
{
    bundles all = {.n = 0};
    for (uint32_t i = 0; i < producer->n_results; i++) {
        ir_value *v = &producer->results[i];
        ir_op_list users = mpmd_users_of(v);
        for (size_t k = 0; is_eligible(v) && k < users.n; k++) {
            if (!is_plain_transfer(users.at[k]))
                continue;
            ir_op_list readers = mpmd_users(users.at[k]);
            for (size_t m = 0; m < readers.n; m++)
                if (mpmd_is_fragment(readers.at[m]))
                    note(&all, v->type->params[MPMD_TYPE_TENSOR]->type, readers.at[m], i);
            ir_op_list_free(&readers);
        }
        ir_op_list_free(&users);
    }
    return all;
}

/* Recreates the producer with the concatenation of the bundle's values as last result. */
static ir_op *concatenate(ir_op *producer, const bundle *p)
{
    ir_op *end = mpmd_end(producer);
    ir_builder b = ir_builder_before(end);
    size_t rank = p->type->count + 1u;
    int64_t *dims = tw_xmalloc(rank * sizeof *dims);
    mpmd_values parts = {.n = 0};
    dims[0] = 1;
    memcpy(dims + 1, p->type->dims, (rank - 1) * sizeof *dims);
    b.loc = producer->loc;
    for (size_t i = 0; i < p->n; i++)
        mpmd_push(&parts, hlo_reshape(&b, end->operands[p->results[i]].value, dims, rank));
    dims[0] = (int64_t)p->n;
    ir_type type = ir_tensor_type(p->type->element, dims, rank, NULL);
    ir_value *all = hlo_concatenate(&b, type, parts.at, parts.n, 0);
    ir_type outer = mpmd_tensor_on(ir_op_attr(producer, "mesh_name"), type, NULL);
    free(parts.at);
    free(dims);
    return mpmd_add_result(producer, all, outer);
}

static void slice(ir_builder *b, ir_value *all, int64_t index, ir_value *instead_of)
{
    ir_type type = instead_of->type;
    size_t rank = all->type->count;
    int64_t *start = tw_xcalloc(3 * rank, sizeof *start);
    int64_t *limit = start + rank, *stride = limit + rank;
    start[0] = index;
    limit[0] = index + 1;
    stride[0] = 1;
    for (size_t i = 1; i < rank; i++) {
        limit[i] = type->dims[i - 1];
        stride[i] = 1;
    }
    ir_value *part = hlo_slice(b, all, start, limit, stride);
    part = hlo_reshape(b, part, type->dims, type->count);
    ir_value_replace_uses(instead_of, part);
    free(start);
}

/* Replaces the consumer's arguments for the bundle's values by slices of the last one. */
static void unpack(ir_op *producer, const bundle *p, ir_value *sent)
{
    ir_block *body = ir_op_body(p->consumer, 0);
    ir_builder b = ir_builder_at_start(producer->ctx, body, p->consumer->loc);
    ir_value *all =
        mpmd_add_operand(p->consumer, sent, sent->type->params[MPMD_TYPE_TENSOR]->type);
    for (size_t i = 0; i < p->n; i++) {
        ir_op_list users = mpmd_users_of(&producer->results[p->results[i]]);
        for (size_t k = 0; k < users.n; k++) {
            if (!is_plain_transfer(users.at[k]))
                continue;
            for (uint32_t a = 0; a + 1 < body->n_args; a++)
                if (p->consumer->operands[a].value == &users.at[k]->results[0])
                    slice(&b, all, (int64_t)i, body->args[a]);
        }
        ir_op_list_free(&users);
    }
}

static void merge(ir_op *producer)
{
    bundles all = find_bundles(producer);
    for (size_t i = 0; i < all.n; i++) {
        bundle *p = &all.at[i];
        if (p->n > 1) {
            producer = concatenate(producer, p);
            ir_value *made = &producer->results[producer->n_results - 1];
            ir_builder b = ir_builder_after(producer);
            ir_value *sent =
                ir_build1(&b, MPMD_OP(transfer),
                          mpmd_tensor_on(ir_op_attr(p->consumer, "mesh_name"),
                                         made->type->params[MPMD_TYPE_TENSOR]->type, NULL),
                          IR_VALUES(made), NULL, 0);
            ir_op_set_attr(ir_value_def(sent), CONCAT_TRANSFER, ir_unit_attr(b.ctx));
            unpack(producer, p, sent);
        }
        free(p->results);
    }
    free(all.at);
}

bool mpmd_merge_transfers(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_op_list all = {.n = 0};
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next)
        if (mpmd_is_fragment(op))
            TW_PUSH(all.at, all.n, all.capacity, op);
    for (size_t i = 0; i < all.n; i++)
        merge(all.at[i]);
    ir_op_list_free(&all);
    return true;
}
