/* schedule.c: orders fragments by a pipeline schedule, checks that each microbatch has
 * the expected units, and rematerializes forward fragments for backward ones. */
#include "mlir/passes/passes.h"
#include "mpmd/fragments.h"
#include "mpmd/merge.h"
#include "mpmd/passes.h"

#include <strings.h>

/* ---- units -------------------------------------------------------------------------- */

/* A fragment known to schedules: of one microbatch, forward or backward. */
typedef struct unit {
    ir_op *fragment;
    int64_t call, transposes, stage;
    int64_t mesh, meshes; /* index and count among the meshes that are not CPUs */
    bool late;            /* the half of a split without consumers on other meshes */
} unit;

static int64_t index_of_mesh(ir_attr meshes, ir_attr name, int64_t *count)
{
    int64_t mesh_index = -1;
    *count = 0;
    for (uint32_t i = 0; i < meshes->count; i++) {
        ir_attr mesh = meshes->items[i]->params[0];
        if (mpmd_is_cpu(ir_attr_str(mesh)))
            continue;
        if (mesh == name)
            mesh_index = *count;
        ++*count;
    }
    return mesh_index;
}

static bool is_unit(const ir_op *func, ir_op *op, unit *out)
{
    if (!mpmd_is_fragment(op) || !mpmd_is_user_fragment(op))
        return false;
    *out = (unit){.fragment = op,
                  .call = mpmd_call_counter(op),
                  .transposes = mpmd_transposes(op),
                  .stage = mpmd_stage(op),
                  .late = ir_op_attr(op, MPMD_DROP_TRANSFERRED) != NULL};
    out->mesh = index_of_mesh(mpmd_meshes(func), ir_op_attr(op, "mesh_name"), &out->meshes);
    return out->call >= 0 && out->mesh >= 0 &&
           (out->transposes == 0 || out->transposes == 1);
}

/* ---- schedules: true if a must precede b, on the same mesh --------------------------- */

typedef bool schedule_fn(const unit *a, const unit *b);

static bool free_order(const unit *a, const unit *b)
{
    (void)a;
    (void)b;
    return false;
}

static bool is_1f1b(const unit *a, const unit *b)
{
    if (a->transposes == b->transposes)
        return a->call < b->call;
    return a->transposes ? a->call == b->call - a->meshes + a->mesh
                         : a->call == b->call + a->meshes - (a->mesh + 1);
}

static bool is_gpipe(const unit *a, const unit *b)
{
    return a->transposes == b->transposes ? a->call < b->call
                                          : a->transposes < b->transposes;
}

static bool is_gpipe_but_last(const unit *a, const unit *b)
{
    return a->mesh == a->meshes - 1 ? is_1f1b(a, b) : is_gpipe(a, b);
}

static bool is_zero_bubble_h1(const unit *a, const unit *b)
{
    if (a->transposes && !b->transposes)
        return a->call == b->call - a->meshes + (a->late ? 0 : a->mesh);
    if (!a->transposes && b->transposes && !b->late)
        return a->call == b->call + a->meshes - (a->mesh + 1);
    if (a->transposes && b->transposes && a->late != b->late)
        return a->late ? b->call - a->call == a->mesh + 1 : a->call - b->call == a->mesh;
    return false;
}

/* Forward fragments that a mesh runs before its first backward one, if a transfer takes
 * `half_stages` half stages: they cover the round trip of transfers. */
static int64_t first_forwards(int64_t meshes, int64_t mesh, int64_t half_stages)
{
    return 2 * (meshes - mesh) - 1 + half_stages * (meshes - mesh - 1);
}

static bool is_zero_bubble_h2(const unit *a, const unit *b, int64_t half_stages)
{
    int64_t n = first_forwards(a->meshes, a->mesh, half_stages);
    int64_t rest = first_forwards(a->meshes, a->meshes - a->mesh - 1, half_stages);
    if (!a->transposes && b->transposes && a->call < n)
        return true;
    if (a->transposes && !a->late && !b->transposes && b->call >= n)
        return b->call - a->call == n;
    if (!a->transposes && a->call >= n && b->transposes && !b->late)
        return a->call - b->call == n - 1;
    if (a->transposes && b->transposes && a->late != b->late)
        return a->late ? b->call - a->call == rest : a->call - b->call == rest - 1;
    return false;
}

static bool is_zero_latency_h2(const unit *a, const unit *b)
{
    return is_zero_bubble_h2(a, b, 0);
}

static bool is_half_latency_h2(const unit *a, const unit *b)
{
    return is_zero_bubble_h2(a, b, 1);
}

static bool is_full_latency_h2(const unit *a, const unit *b)
{
    return is_zero_bubble_h2(a, b, 2);
}

/* Each mesh starts with the microbatch of its own index and wraps around. */
static bool is_wrap_around(const unit *a, const unit *b)
{
    tw_str name = mpmd_fragment_mesh(a->fragment);
    int64_t own = 0;
    size_t i = 0;
    while (i < name.size && (name.data[i] < '0' || name.data[i] > '9'))
        i++;
    if (i == name.size || name.size - i > 9 || a->transposes || b->transposes)
        return false;
    for (; i < name.size && name.data[i] >= '0' && name.data[i] <= '9'; i++)
        own = own * 10 + (name.data[i] - '0');
    if (a->call == own || b->call == own)
        return a->call == own && b->call != own;
    return (a->call > own) == (b->call > own) ? a->call > b->call : a->call < b->call;
}

static bool is_before_in_rounds(const unit *a, const unit *b, bool reversed)
{
    if (a->stage < 0 || b->stage < 0)
        return false;
    if (a->transposes != b->transposes)
        return a->transposes < b->transposes;
    int64_t round_a = a->call / a->meshes, round_b = b->call / b->meshes;
    bool backward = a->transposes > 0, falling = backward && reversed;
    if (round_a != round_b)
        return falling ? round_a > round_b : round_a < round_b;
    if (a->stage != b->stage)
        return backward ? a->stage > b->stage : a->stage < b->stage;
    return falling ? a->call > b->call : a->call < b->call;
}

static bool is_circular(const unit *a, const unit *b)
{
    return is_before_in_rounds(a, b, false);
}

static bool is_circular_reversed(const unit *a, const unit *b)
{
    return is_before_in_rounds(a, b, true);
}

static const struct {
    const char *name;
    schedule_fn *before;
} schedules[] = {
    {"none", free_order},
    {"1F1B", is_1f1b},
    {"GPipe", is_gpipe},
    {"Circular", is_circular},
    {"CircularWithReversedBackward", is_circular_reversed},
    {"GPipeBut1F1BForLastMesh", is_gpipe_but_last},
    {"ZeroBubbleH1", is_zero_bubble_h1},
    {"ZeroBubbleH2ZeroTxLatency", is_zero_latency_h2},
    {"ZeroBubbleH2HalfTxLatency", is_half_latency_h2},
    {"ZeroBubbleH2FullTxLatency", is_full_latency_h2},
    {"ParallelPipelinesWithWrapAround", is_wrap_around},
};

static schedule_fn *schedule_named(ir_op *func, tw_str name)
{
    for (size_t i = 0; i < TW_COUNT(schedules); i++)
        if (strlen(schedules[i].name) == name.size &&
            !strncasecmp(schedules[i].name, name.data, name.size))
            return schedules[i].before;
    ir_error_at_op(func, "unknown PropagationSchedule: %.*s", (int)name.size, name.data);
    return NULL;
}

bool mpmd_pipeline_scheduler(ir_op *func, pass_run *run)
{
    unit *units = NULL, u;
    size_t n = 0, capacity = 0;
    if (!mpmd_is_function(func))
        return true;
    schedule_fn *before = schedule_named(func, pass_option_str(run, "must-happen-before"));
    ir_block *body = ir_op_body(func, 0);
    if (!before)
        return false;
    for (ir_op *op = body->first; op; op = op->next)
        if (is_unit(func, op, &u) && op->n_results)
            TW_PUSH(units, n, capacity, u);
    mpmd_number_ops(body);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (i != k && units[i].mesh == units[k].mesh && before(&units[i], &units[k]) &&
                !mpmd_depends(units[i].fragment, units[k].fragment) &&
                !mpmd_depends(units[k].fragment, units[i].fragment))
                mpmd_add_control(units[i].fragment, units[k].fragment);
    transform_sort_block(body);
    if (pass_option_bool(run, "remove-control-dependencies"))
        mpmd_remove_controls(func);
    free(units);
    return true;
}

/* ---- completeness ------------------------------------------------------------------- */

static void check_mesh(ir_op *func, ir_attr mesh, int64_t batches)
{
    int64_t counts[2] = {0, 0};
    static const char *const names[] = {"forward", "backward"};
    unit u;
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next)
        if (is_unit(func, op, &u) && ir_op_attr(op, "mesh_name") == mesh)
            counts[u.transposes]++;
    for (int i = 0; i < 2; i++)
        if (counts[i] != batches)
            ir_warning(func->ctx, func->loc,
                       "Number of %s scheduling units in mesh %s does not match expected "
                       "number for %lld microbatches. Got %lld.",
                       names[i], mesh->ident->text, (long long)batches,
                       (long long)counts[i]);
}

bool mpmd_scheduling_units_verifier(ir_op *func, pass_run *run)
{
    (void)run;
    if (!mpmd_is_function(func))
        return true;
    ir_op_list all = ir_ops_in(func, mpmd_is_fragment);
    int64_t max = 0;
    bool from_zero = false;
    for (size_t i = 0; i < all.n; i++) {
        int64_t counter = mpmd_call_counter(all.at[i]);
        max = TW_MAX(max, counter);
        from_zero |= counter == 0;
    }
    ir_op_list_free(&all);
    int64_t batches = max + from_zero;
    ir_attr meshes = mpmd_meshes(func);
    for (uint32_t i = 0; batches && i < meshes->count; i++) {
        ir_attr name = meshes->items[i]->params[0];
        if (!mpmd_is_cpu(ir_attr_str(name)))
            check_mesh(func, name, batches);
    }
    return true;
}

/* ---- rematerialization -------------------------------------------------------------- */

static bool may_recompute(const ir_op *forward, const ir_op *backward)
{
    int64_t counter = mpmd_call_counter(forward);
    return mpmd_is_fragment(backward) && mpmd_is_backward(backward) && counter >= 0 &&
           counter == mpmd_call_counter(backward) && !mpmd_runs_next(forward, backward) &&
           mpmd_stage(forward) == mpmd_stage(backward);
}

static void recompute(ir_op *forward, ir_op *backward, bool merge)
{
    int64_t counter = mpmd_call_counter(backward);
    ir_op *made = ir_op_clone(forward, NULL);
    ir_op_insert_before(made, backward);
    for (uint32_t i = 0; i < backward->n_operands; i++) {
        ir_value *v = backward->operands[i].value;
        if (ir_value_def(v) == forward)
            ir_op_set_operand(backward, i, &made->results[v->index]);
    }
    if (merge) {
        made = mpmd_merge(made, backward);
        mpmd_set_counter(made, MPMD_CALL_COUNTER, counter);
    }
    ir_op_set_attr(made, MPMD_REMAT, ir_unit_attr(made->ctx));
}

bool mpmd_remat_fragment(ir_op *func, pass_run *run)
{
    bool merge = pass_option_bool(run, "merge-remat-fragments");
    ir_op_list all = {.n = 0};
    if (!mpmd_is_function(func))
        return true;
    for (ir_op *op = ir_op_body(func, 0)->first; op; op = op->next)
        if (mpmd_is_fragment(op) && mpmd_is_forward(op))
            TW_PUSH(all.at, all.n, all.capacity, op);
    for (size_t i = 0; i < all.n; i++) {
        ir_op_list users = mpmd_users(all.at[i]);
        for (size_t k = 0; k < users.n; k++)
            if (may_recompute(all.at[i], users.at[k]))
                recompute(all.at[i], users.at[k], merge);
        ir_op_list_free(&users);
    }
    ir_op_list_free(&all);
    return true;
}
