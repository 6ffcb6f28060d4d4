/* merge_fragments.c: passes that merge a producer and a consumer on the same mesh, and
 * the check that each stage ended up as one fragment. */
#include "ir/rewrite/rewrite.h"
#include "mpmd/fragments.h"
#include "mpmd/merge.h"
#include "mpmd/passes.h"

/* The pairs a pass merges. */
typedef struct merge_rule {
    bool (*allows)(const ir_op *producer, const ir_op *consumer);
    bool any_consumer; /* any consumer, not only the first one */
    bool sideways;     /* the next on the mesh, even if it uses nothing of it */
} merge_rule;

static ir_op *next_on_mesh(const ir_op *fragment)
{
    for (ir_op *op = fragment->next; op; op = op->next)
        if (mpmd_is_fragment(op) && mpmd_runs_next(fragment, op))
            return op;
    return NULL;
}

static ir_op *candidate(const merge_rule *rule, ir_op *producer)
{
    if (rule->sideways) {
        ir_op *next = next_on_mesh(producer);
        return next && rule->allows(producer, next) ? next : NULL;
    }
    ir_op_list users = mpmd_users(producer);
    ir_op *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < users.n; i++)
        if (mpmd_is_fragment(users.at[i]) && users.at[i]->block == producer->block &&
            (!rule->any_consumer || rule->allows(producer, users.at[i])))
            users.at[n++] = users.at[i];
    users.n = n;
    found = mpmd_first(&users);
    ir_op_list_free(&users);
    return found && rule->allows(producer, found) ? found : NULL;
}

static bool read_before(const ir_op *producer, ir_op *consumer)
{
    ir_op_list users = mpmd_users(producer);
    bool read = false;
    for (size_t i = 0; i < users.n; i++)
        read |= users.at[i]->block == consumer->block && users.at[i] != consumer &&
                ir_op_before(users.at[i], consumer);
    ir_op_list_free(&users);
    return read;
}

/* True if all operands of the consumer are defined before the producer. */
static bool may_move_to(ir_op *producer, const ir_op *consumer)
{
    for (uint32_t i = 0; i < consumer->n_operands; i++) {
        ir_op *def = ir_value_def(consumer->operands[i].value);
        if (def && def != producer && def->block == producer->block &&
            !ir_op_before(def, producer))
            return false;
    }
    return true;
}

static ir_op *merge_one(const merge_rule *rule, ir_op *producer)
{
    ir_op *consumer = candidate(rule, producer);
    if (!consumer)
        return NULL;
    if (read_before(producer, consumer)) {
        if (!may_move_to(producer, consumer))
            return NULL;
        ir_op_insert_after(consumer, producer);
    }
    return mpmd_merge_marked(producer, consumer);
}

static bool merge_all(ir_op *func, const merge_rule *rule)
{
    if (!mpmd_is_function(func))
        return true;
    ir_op_list all = ir_ops_in(func, mpmd_is_fragment);
    for (size_t i = all.n; i-- > 0;) {
        if (rw_is_trivially_dead(all.at[i])) {
            ir_op_erase(all.at[i]);
            continue;
        }
        for (ir_op *last = all.at[i]; last;)
            last = merge_one(rule, last);
    }
    ir_op_list_free(&all);
    return true;
}

/* ---- candidates --------------------------------------------------------------------- */

static bool one_is_inferred(const ir_op *producer, const ir_op *consumer)
{
    bool parted = ir_op_attr(producer, MPMD_KEEP_TRANSFERRED) &&
                  ir_op_attr(consumer, MPMD_DROP_TRANSFERRED);
    return !parted &&
           (!mpmd_is_user_fragment(producer) || !mpmd_is_user_fragment(consumer));
}

bool mpmd_merge_inferred_fragments(ir_op *func, pass_run *run)
{
    merge_rule rule = {one_is_inferred, pass_option_bool(run, "merge-any-consumer"),
                       pass_option_bool(run, "merge-sideways")};
    if (rule.any_consumer && rule.sideways)
        return ir_error_at_op(
            func, "merge-sideways cannot be used with merge-any-consumer; leave one out");
    return merge_all(func, &rule);
}

static bool goes_back(const ir_op *producer, const ir_op *consumer)
{
    return mpmd_runs_next(producer, consumer) && mpmd_is_forward(producer) &&
           mpmd_is_backward(consumer);
}

bool mpmd_merge_forward_with_backward(ir_op *func, pass_run *run)
{
    (void)run;
    return merge_all(func, &(merge_rule){.allows = goes_back});
}

static bool same_unit(const ir_op *producer, const ir_op *consumer)
{
    int64_t a = mpmd_call_counter(producer), b = mpmd_call_counter(consumer);
    int64_t transposes = mpmd_transposes(producer);
    return mpmd_is_user_fragment(producer) && mpmd_is_user_fragment(consumer) &&
           transposes >= 0 && transposes == mpmd_transposes(consumer) &&
           (a < 0 || b < 0 || a == b) && mpmd_stages_agree(producer, consumer);
}

bool mpmd_merge_user_fragments_into_scheduling_units(ir_op *func, pass_run *run)
{
    (void)run;
    return merge_all(func, &(merge_rule){.allows = same_unit});
}

/* ---- stages ------------------------------------------------------------------------- */

static int64_t transposes_of_unit(const ir_op *f)
{
    int64_t same = mpmd_transposes(f);
    return same < 0 && ir_op_attr(f, MPMD_REMAT) ? mpmd_max_transposes(f) : same;
}

static const char *split_of(const ir_op *f)
{
    return ir_op_attr(f, MPMD_KEEP_TRANSFERRED)   ? "kKeepTransferred"
           : ir_op_attr(f, MPMD_DROP_TRANSFERRED) ? "kDropTransferred"
                                                  : "nullopt";
}

static bool same_stage(const ir_op *a, const ir_op *b)
{
    int64_t of_a = mpmd_call_counter(a), of_b = mpmd_call_counter(b);
    return ir_op_attr(a, "mesh_name") == ir_op_attr(b, "mesh_name") &&
           mpmd_stage(a) == mpmd_stage(b) &&
           transposes_of_unit(a) == transposes_of_unit(b) &&
           (of_a < 0 || of_b < 0 || of_a == of_b) && !strcmp(split_of(a), split_of(b)) &&
           !ir_op_attr(a, MPMD_REMAT) == !ir_op_attr(b, MPMD_REMAT);
}

static bool report_stage(ir_op *f)
{
    tw_str mesh = mpmd_fragment_mesh(f);
    return ir_error_at_op(
        f,
        "A valid program cannot have more than one fragment with the same mesh, stage, "
        "transpose, call counts, split type, and remat flag but found multiple fragments "
        "with the same attributes: [mesh=%.*s, stage_id=%lld, transpose_count=%lld, "
        "call_count=%lld, split_type=%s, is_remat=%d] for current fragment with origin: "
        "%s",
        (int)mesh.size, mesh.data, (long long)mpmd_stage(f),
        (long long)transposes_of_unit(f), (long long)mpmd_call_counter(f), split_of(f),
        ir_op_attr(f, MPMD_REMAT) != NULL, ir_attr_text(f->ctx, ir_op_attr(f, "origin")));
}

bool mpmd_verify_stage_merging(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_op_list all = ir_ops_in(func, mpmd_is_fragment), seen = {.n = 0};
    bool ok = true;
    for (size_t i = 0; i < all.n; i++) {
        bool again = false;
        if (mpmd_stage(all.at[i]) < 0)
            continue;
        for (size_t k = 0; k < seen.n && !again; k++)
            again = same_stage(seen.at[k], all.at[i]);
        if (again)
            ok = report_stage(all.at[i]);
        else
            TW_PUSH(seen.at, seen.n, seen.capacity, all.at[i]);
    }
    ir_op_list_free(&all);
    ir_op_list_free(&seen);
    return ok;
}
