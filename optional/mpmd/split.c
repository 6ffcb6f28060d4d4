/* split.c: splits fragments in two, so that results needed by other meshes are computed
 * first, or operands from other meshes are used last. The first part keeps everything
 * that the second does not, and passes it the residuals. */
#include "mpmd/fragments.h"
#include "mpmd/passes.h"

/* A fragment, the ops of its body that stay in the first part, and the results of the
 * second. */
typedef struct cut {
    ir_op *fragment;
    ir_mapping *stays;     /* operations */
    bool *moves;           /* results */
    mpmd_values residuals; /* values of the first part that the second uses */
} cut;

/* ---- dependencies ------------------------------------------------------------------- */

/* Operations on which one of the values depends. Empties the list. */
static ir_mapping *producers_of(mpmd_values *open)
{
    ir_mapping *found = ir_mapping_create();
    while (open->n) {
        ir_op *op = ir_value_def(open->at[--open->n]);
        if (!op || ir_mapping_get(found, op))
            continue;
        ir_mapping_set(found, op, op);
        mpmd_values read = mpmd_outer_values(op);
        for (size_t i = 0; i < read.n; i++)
            mpmd_push(open, read.at[i]);
        free(read.at);
    }
    return found;
}

/* Follows the values backward to those of operations that stay. Empties the list. */
static void find_residuals(cut *c, mpmd_values *open)
{
    ir_mapping *seen = ir_mapping_create();
    while (open->n) {
        ir_value *v = open->at[--open->n];
        ir_op *op = ir_value_def(v);
        if (ir_mapping_get(seen, v))
            continue;
        ir_mapping_set(seen, v, v);
        if (!op || ir_mapping_get(c->stays, op)) {
            mpmd_push_new(&c->residuals, v);
            continue;
        }
        mpmd_values read = mpmd_outer_values(op);
        for (size_t i = 0; i < read.n; i++)
            mpmd_push(open, read.at[i]);
        free(read.at);
    }
    ir_mapping_free(seen);
}

/* Operations that depend on one of the values. Empties the list. */
static ir_mapping *readers_of(ir_op *fragment, mpmd_values *open)
{
    ir_mapping *found = ir_mapping_create();
    while (open->n) {
        ir_value *v = open->at[--open->n];
        for (ir_operand *use = v->uses; use; use = use->next_use) {
            ir_op *op = use->owner;
            while (op && ir_op_parent(op) != fragment)
                op = ir_op_parent(op);
            if (!op || ir_mapping_get(found, op))
                continue;
            ir_mapping_set(found, op, op);
            for (uint32_t i = 0; i < op->n_results; i++)
                mpmd_push(open, &op->results[i]);
        }
    }
    return found;
}

/* ---- the two parts ------------------------------------------------------------------ */

static ir_op *copy_after(cut *c, ir_op *after, const char *mark, ir_mapping *map)
{
    ir_op *copy = ir_op_clone(c->fragment, map);
    ir_op_insert_after(copy, after);
    ir_op_set_attr(copy, mark, ir_unit_attr(copy->ctx));
    ir_op_set_attr(copy, "in_shardings", NULL);
    ir_op_set_attr(copy, "out_shardings", NULL);
    return copy;
}

/* Erases from a copy's body the operations that belong to the other part. */
static void thin_out(const cut *c, ir_op *copy, bool stays)
{
    ir_op *old = mpmd_end(c->fragment)->prev;
    for (ir_op *op = mpmd_end(copy)->prev, *prev; op; op = prev, old = old->prev) {
        prev = op->prev;
        if ((ir_mapping_get(c->stays, old) != NULL) != stays)
            ir_op_erase(op);
    }
}

static void return_of(const cut *c, ir_op *copy, bool moved, mpmd_values *returned)
{
    ir_op *end = mpmd_end(copy);
    for (uint32_t i = 0; i < end->n_operands; i++)
        if (c->moves[i] == moved)
            mpmd_push(returned, end->operands[i].value);
}

static ir_op *with_results(const cut *c, ir_op *copy, bool moved, const mpmd_values *more)
{
    ir_op *f = c->fragment;
    ir_type *types = tw_xmalloc((f->n_results + more->n + 1) * sizeof *types);
    size_t n = 0;
    for (uint32_t i = 0; i < f->n_results; i++)
        if (c->moves[i] == moved)
            types[n++] = f->results[i].type;
    for (size_t i = 0; i < more->n; i++)
        types[n++] = mpmd_tensor_on(ir_op_attr(f, "mesh_name"), more->at[i]->type, NULL);
    ir_op *made = mpmd_remake(copy, types, n);
    ir_op_erase(copy);
    free(types);
    return made;
}

static ir_op *first_part(cut *c)
{
    ir_mapping *map = ir_mapping_create();
    mpmd_values returned = {.n = 0};
    ir_op *copy = copy_after(c, c->fragment, MPMD_KEEP_TRANSFERRED, map);
    return_of(c, copy, false, &returned);
    for (size_t i = 0; i < c->residuals.n; i++)
        mpmd_push(&returned, ir_mapping_get(map, c->residuals.at[i]));
    mpmd_set_operands(mpmd_end(copy), &returned);
    thin_out(c, copy, true);
    ir_mapping_free(map);
    free(returned.at);
    return with_results(c, copy, false, &c->residuals);
}

static ir_op *second_part(cut *c, ir_op *first)
{
    static const mpmd_values none = {.n = 0};
    ir_mapping *map = ir_mapping_create();
    mpmd_values returned = {.n = 0};
    ir_op *copy = copy_after(c, first, MPMD_DROP_TRANSFERRED, map);
    uint32_t at = first->n_results - (uint32_t)c->residuals.n;
    for (size_t i = 0; i < c->residuals.n; i++) {
        ir_value *v = c->residuals.at[i];
        ir_value *arg = mpmd_add_operand(copy, &first->results[at + i], v->type);
        ir_value_replace_uses(ir_mapping_get(map, v), arg);
    }
    return_of(c, copy, true, &returned);
    mpmd_set_operands(mpmd_end(copy), &returned);
    thin_out(c, copy, false);
    ir_mapping_free(map);
    free(returned.at);
    return with_results(c, copy, true, &none);
}

/* `moved` are the inner values that the second part returns. */
static void split(cut *c, mpmd_values *moved)
{
    size_t staying = 0, all = 0;
    for (ir_op *op = ir_op_body(c->fragment, 0)->first; op->next; op = op->next, all++)
        staying += ir_mapping_get(c->stays, op) != NULL;
    if (staying == all)
        return;
    find_residuals(c, moved);
    ir_op *first = first_part(c), *second = second_part(c, first);
    for (uint32_t i = 0, of_first = 0, of_second = 0; i < c->fragment->n_results; i++)
        ir_value_replace_uses(&c->fragment->results[i], c->moves[i]
                                                            ? &second->results[of_second++]
                                                            : &first->results[of_first++]);
    free(c->residuals.at);
    ir_op_erase(c->fragment);
}

static void parts_by_result(const cut *c, mpmd_values *moved, mpmd_values *others)
{
    ir_op *end = mpmd_end(c->fragment);
    for (uint32_t i = 0; i < end->n_operands; i++)
        mpmd_push(c->moves[i] ? moved : others, end->operands[i].value);
}

/* ---- transferred results first ------------------------------------------------------ */

static bool is_transferred(const ir_value *v)
{
    for (ir_operand *use = v->uses; use; use = use->next_use)
        if (mpmd_is_transfer(use->owner))
            return true;
    return false;
}

static void split_backward(ir_op *fragment)
{
    cut c = {.fragment = fragment};
    mpmd_values moved = {.n = 0}, others = {.n = 0};
    uint32_t n = 0;
    c.moves = tw_xcalloc(fragment->n_results + 1u, sizeof *c.moves);
    for (uint32_t i = 0; i < fragment->n_results; i++)
        n += c.moves[i] = !is_transferred(&fragment->results[i]);
    if (n && n < fragment->n_results) {
        parts_by_result(&c, &moved, &others);
        c.stays = producers_of(&others);
        split(&c, &moved);
        ir_mapping_free(c.stays);
    }
    free(c.moves);
    free(moved.at);
    free(others.at);
}

bool mpmd_split_bwd_fragments(ir_op *func, pass_run *run)
{
    (void)run;
    ir_op_list all = ir_ops_in(func, mpmd_is_fragment);
    for (size_t i = 0; i < all.n; i++)
        if (mpmd_is_backward(all.at[i]) && !mpmd_was_split(all.at[i]))
            split_backward(all.at[i]);
    ir_op_list_free(&all);
    return true;
}

/* ---- transferred operands last ------------------------------------------------------ */

static void split_waiting(ir_op *fragment)
{
    ir_block *body = ir_op_body(fragment, 0);
    cut c = {.fragment = fragment, .stays = ir_mapping_create()};
    mpmd_values waiting = {.n = 0}, moved = {.n = 0}, others = {.n = 0};
    size_t staying = 0, n_moved = 0;
    for (uint32_t i = 0; i < body->n_args; i++) {
        ir_op *producer = ir_value_def(fragment->operands[i].value);
        if (producer && mpmd_is_transfer(producer))
            mpmd_push(&waiting, body->args[i]);
    }
    if (waiting.n && waiting.n < body->n_args) {
        c.moves = tw_xcalloc(fragment->n_results + 1u, sizeof *c.moves);
        mpmd_values args = {.n = 0};
        for (size_t i = 0; i < waiting.n; i++)
            mpmd_push(&args, waiting.at[i]);
        ir_mapping *depend = readers_of(fragment, &args);
        for (ir_op *op = body->first; op != body->last; op = op->next)
            if (!ir_mapping_get(depend, op)) {
                ir_mapping_set(c.stays, op, op);
                staying++;
            }
        for (uint32_t i = 0; i < fragment->n_results; i++) {
            ir_value *v = body->last->operands[i].value;
            ir_op *producer = ir_value_def(v);
            for (size_t k = 0; !producer && k < waiting.n; k++)
                c.moves[i] |= waiting.at[k] == v;
            c.moves[i] |= producer && ir_mapping_get(depend, producer);
            n_moved += c.moves[i];
        }
        parts_by_result(&c, &moved, &others);
        if (staying || n_moved < fragment->n_results)
            split(&c, &moved);
        ir_mapping_free(depend);
        free(args.at);
        free(c.moves);
    }
    ir_mapping_free(c.stays);
    free(waiting.at);
    free(moved.at);
    free(others.at);
}

bool mpmd_split_and_prioritize_transfer_independent_computations(ir_op *func, pass_run *run)
{
    (void)run;
    ir_op_list all = ir_ops_in(func, mpmd_is_fragment);
    for (size_t i = 0; i < all.n; i++)
        if (!mpmd_was_split(all.at[i]))
            split_waiting(all.at[i]);
    ir_op_list_free(&all);
    return true;
}
