/* merge.c: see merge.h. */
#include "mpmd/merge.h"

#include "mpmd/fragments.h"

ir_attr mpmd_union(ir_context *ctx, ir_attr a, ir_attr b)
{
    if (!a || !b)
        return a ? a : b;
    ir_attr *items = tw_xmalloc((a->count + b->count + 1u) * sizeof *items);
    size_t n = 0;
    for (uint32_t i = 0; i < a->count + b->count; i++) {
        ir_attr item = i < a->count ? a->items[i] : b->items[i - a->count];
        bool known = false;
        for (size_t k = 0; k < n; k++)
            known |= items[k] == item;
        if (!known)
            items[n++] = item;
    }
    ir_attr all = ir_array_attr(ctx, items, n);
    free(items);
    return all;
}

bool mpmd_stages_agree(const ir_op *a, const ir_op *b)
{
    int64_t of_a = mpmd_stage(a), of_b = mpmd_stage(b);
    return of_a < 0 || of_b < 0 || of_a == of_b;
}

static ir_loc fused(const ir_op *a, const ir_op *b)
{
    return ir_loc_fused(a->ctx, (const ir_loc[]){a->loc, b->loc}, 2);
}

static ir_op *build(ir_op *producer, ir_op *consumer, const ir_type *types, size_t n,
                    const mpmd_values *operands)
{
    ir_attr stage = ir_op_attr(producer, "stage_id");
    ir_builder b = ir_builder_before(consumer);
    b.loc = fused(producer, consumer);
    return ir_build_op(
        &b, MPMD_OP(fragment), types, n, operands->at, operands->n,
        IR_ATTRS({"origin", mpmd_union(b.ctx, ir_op_attr(producer, "origin"),
                                       ir_op_attr(consumer, "origin"))},
                 {"mesh_name", ir_op_attr(producer, "mesh_name")},
                 {"stage_id", stage ? stage : ir_op_attr(consumer, "stage_id")}),
        1);
}

/* ---- a producer of one value with this consumer as its only user -------------------- */

static bool is_only_for(ir_op *producer, const ir_op *consumer)
{
    return producer->n_operands == 1 && producer->n_results == 1 &&
           ir_value_has_one_use(&producer->results[0]) &&
           producer->results[0].uses->owner == consumer &&
           ir_op_body(producer, 0)->n_args == 1 &&
           !ir_op_attr(consumer, MPMD_CONTROL_START);
}

/* Replaces the producer's result by its operand and prepends its body to the consumer's. */
static ir_op *merge_only(ir_op *producer, ir_op *consumer)
{
    ir_block *first = ir_op_body(producer, 0), *body = ir_op_body(consumer, 0);
    size_t at = ir_operand_number(producer->results[0].uses);
    ir_value *arg = body->args[at], *yielded = mpmd_end(producer)->operands[0].value;
    ir_type *types = tw_xmalloc((consumer->n_results + 1u) * sizeof *types);
    mpmd_values operands = mpmd_operands(consumer);
    for (uint32_t i = 0; i < consumer->n_results; i++)
        types[i] = consumer->results[i].type;
    operands.at[at] = producer->operands[0].value;
    ir_op *made = build(producer, consumer, types, consumer->n_results, &operands);
    ir_value_replace_uses(arg, yielded);
    arg->type = first->args[0]->type;
    ir_value_replace_uses(first->args[0], arg);
    ir_op_erase(first->last);
    if (first->first)
        ir_block_splice(body, body->first, first, first->first, NULL);
    ir_region_take(&made->regions[0], &consumer->regions[0]);
    mpmd_replace_results(consumer, made);
    ir_op_erase(consumer);
    ir_op_erase(producer);
    free(operands.at);
    free(types);
    return made;
}

/* ---- the general case --------------------------------------------------------------- */

typedef struct joint {
    ir_op *producer, *consumer;
    ir_mapping *args;     /* operand -> argument of the merged body */
    mpmd_values operands; /* of the merged fragment */
    mpmd_values returned;
    ir_type *types;
    size_t n_kept; /* remaining results of the producer */
} joint;

/* Merges arguments of one operand. */
static void add_producer_operands(joint *j)
{
    ir_block *body = ir_op_body(j->producer, 0);
    for (uint32_t i = 0, k = 0; i < j->producer->n_operands && k < body->n_args; i++) {
        ir_value *operand = j->producer->operands[i].value;
        ir_value *known = ir_mapping_get(j->args, operand);
        if (known) {
            ir_value_replace_uses(body->args[k], known);
            ir_block_erase_arg(body, k);
            continue;
        }
        mpmd_push(&j->operands, operand);
        ir_mapping_set(j->args, operand, body->args[k++]);
    }
}

static ir_value *replacement_of(joint *j, uint32_t i)
{
    ir_value *operand = j->consumer->operands[i].value;
    if (ir_value_def(operand) == j->producer)
        return mpmd_end(j->producer)->operands[operand->index].value;
    ir_value *known = ir_mapping_get(j->args, operand);
    if (known)
        return known;
    ir_block *body = ir_op_body(j->producer, 0);
    ir_type type = ir_op_body(j->consumer, 0)->args[i]->type;
    ir_value *made = ir_block_add_arg(j->producer->ctx, body, type, ir_value_loc(operand));
    mpmd_push(&j->operands, operand);
    ir_mapping_set(j->args, operand, made);
    return made;
}

static void add_consumer_operands(joint *j)
{
    ir_block *body = ir_op_body(j->consumer, 0);
    for (uint32_t i = 0; i < body->n_args; i++)
        ir_value_replace_uses(body->args[i], replacement_of(j, i));
}

/* Drops control operands between the two fragments. */
static void add_controls(joint *j, const ir_op *of, const ir_op *other)
{
    int64_t start = ir_op_int(of, MPMD_CONTROL_START, -1);
    for (uint32_t i = start < 0 ? of->n_operands : (uint32_t)start; i < of->n_operands; i++)
        if (ir_value_def(of->operands[i].value) != other)
            mpmd_push(&j->operands, of->operands[i].value);
}

static bool has_other_users(const ir_value *v, const ir_op *user)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        if (!ir_op_is_ancestor(user, use->owner))
            return true;
    return false;
}

/* The producer's results with other users, then the consumer's. */
static void add_results(joint *j, bool *kept)
{
    ir_op *p = j->producer, *c = j->consumer;
    size_t n = 0;
    j->types = tw_xmalloc((p->n_results + c->n_results + 1u) * sizeof *j->types);
    for (uint32_t i = 0; i < p->n_results; i++) {
        kept[i] = has_other_users(&p->results[i], c);
        if (!kept[i])
            continue;
        j->types[n++] = p->results[i].type;
        mpmd_push(&j->returned, mpmd_end(p)->operands[i].value);
    }
    j->n_kept = n;
    for (uint32_t i = 0; i < c->n_results; i++) {
        j->types[n++] = c->results[i].type;
        mpmd_push(&j->returned, mpmd_end(c)->operands[i].value);
    }
}

static void replace_uses_but(ir_value *from, ir_value *to, const ir_op *but)
{
    for (ir_operand *use = from->uses, *next; use; use = next) {
        next = use->next_use;
        if (use->owner != but)
            ir_op_set_operand(use->owner, ir_operand_number(use), to);
    }
}

ir_op *mpmd_merge(ir_op *producer, ir_op *consumer)
{
    if (is_only_for(producer, consumer))
        return merge_only(producer, consumer);
    joint j = {.producer = producer, .consumer = consumer, .args = ir_mapping_create()};
    bool *kept = tw_xcalloc(producer->n_results + 1u, sizeof *kept);
    add_producer_operands(&j);
    add_consumer_operands(&j);
    size_t n_read = j.operands.n;
    add_controls(&j, producer, consumer);
    add_controls(&j, consumer, producer);
    add_results(&j, kept);
    ir_op *made =
        build(producer, consumer, j.types, j.n_kept + consumer->n_results, &j.operands);
    if (j.operands.n > n_read)
        ir_op_set_attr(made, MPMD_CONTROL_START, ir_i64_attr(made->ctx, (int64_t)n_read));
    ir_block *body = ir_op_body(producer, 0), *rest = ir_op_body(consumer, 0);
    ir_op_erase(body->last);
    ir_block_splice(body, NULL, rest, rest->first, NULL);
    mpmd_set_operands(body->last, &j.returned);
    ir_region_take(&made->regions[0], &producer->regions[0]);
    for (uint32_t i = 0, k = 0; i < producer->n_results; i++)
        if (kept[i])
            replace_uses_but(&producer->results[i], &made->results[k++], consumer);
    for (uint32_t i = 0; i < consumer->n_results; i++)
        ir_value_replace_uses(&consumer->results[i], &made->results[j.n_kept + i]);
    ir_op_erase(consumer);
    ir_op_erase(producer);
    ir_mapping_free(j.args);
    free(j.operands.at);
    free(j.returned.at);
    free(j.types);
    free(kept);
    return made;
}

/* ---- attributes --------------------------------------------------------------------- */

static int64_t joint_counter(const ir_op *a, const ir_op *b)
{
    int64_t of_a = mpmd_call_counter(a), of_b = mpmd_call_counter(b);
    if (of_a < 0 || of_b < 0 || of_a == of_b)
        return TW_MAX(of_a, of_b);
    if (mpmd_is_user_fragment(a) == mpmd_is_user_fragment(b))
        return -1;
    return mpmd_is_user_fragment(a) ? of_a : of_b;
}

ir_op *mpmd_merge_marked(ir_op *producer, ir_op *consumer)
{
    int64_t counter = joint_counter(producer, consumer);
    bool user = mpmd_is_user_fragment(producer) || mpmd_is_user_fragment(consumer);
    ir_attr by = user ? NULL
                      : mpmd_union(producer->ctx, ir_op_attr(producer, MPMD_INFERRED_BY),
                                   ir_op_attr(consumer, MPMD_INFERRED_BY));
    ir_op *made = mpmd_merge(producer, consumer);
    if (counter >= 0)
        mpmd_set_counter(made, MPMD_CALL_COUNTER, counter);
    if (by)
        ir_op_set_attr(made, MPMD_INFERRED_BY, by);
    return made;
}
