/* analysis.c: decides for each operand whether its buffer can be used in place.
 *
 * Operands are decided one at a time, by default from the last operation to the first. An
 * operand is not in place if it would write memory that must not be written, or if a read
 * would then find something else than the value that it reads: a read-after-write
 * conflict. */
#include "mlir/bufferization/one_shot/state.h"
#include "mlir/scf/scf.h"
#include "mlir/tensor/tensor.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct use_list {
    ir_operand **at;
    size_t n, capacity;
} use_list;

/* ---- order and regions -------------------------------------------------------------- */

static bool has_loop(const ir_op *op)
{
    return op->def->interfaces && ir_def_has(op->def, "LoopLikeOpInterface");
}

/* The innermost region from `region` outwards that may run several times, or NULL. */
static const ir_region *repeated_around(const ir_region *region)
{
    while (region && region->owner && !has_loop(region->owner))
        region = region->owner->block ? region->owner->block->region : NULL;
    return region && region->owner ? region : NULL;
}

static const ir_region *region_of(const ir_op *op)
{
    return op->block ? op->block->region : NULL;
}

/* The operation of a's block that holds b, or NULL. */
static ir_op *holder_in(const ir_block *block, const ir_op *b)
{
    while (b && b->block != block)
        b = ir_op_parent(b);
    return (ir_op *)b;
}

/* True if `a` (or an operation around it) ends before `b` begins. Blocks of unstructured
 * control flow are in no known order. */
static bool happens_before(ir_op *a, ir_op *b)
{
    for (; a; a = ir_op_parent(a)) {
        if (a != b && ir_op_is_ancestor(a, b))
            return false;
        ir_op *holder = a->block ? holder_in(a->block, b) : NULL;
        if (holder && holder != a && ir_op_before(a, holder))
            return true;
    }
    return false;
}

/* True if one is in the first and the other in the second branch of an scf.if. */
static bool are_exclusive(const ir_op *a, const ir_op *b)
{
    for (const ir_op *x = a; x; x = ir_op_parent(x)) {
        const ir_op *branch = ir_op_parent(x);
        if (!ir_op_is(branch, SCF_OP(if)) || !ir_op_is_ancestor(branch, b))
            continue;
        const ir_op *y = b;
        while (y && ir_op_parent(y) != branch)
            y = ir_op_parent(y);
        return y && x->block->region != y->block->region;
    }
    return false;
}

static bool is_unstructured(const ir_region *region)
{
    return region && region->first && region->first->next;
}

/* True if the order of operations in the program excludes conflicts of a read with a write;
 * not so if a loop runs both again after the definition. */
static bool order_counts(const ir_operand *read, const ir_operand *write,
                         const value_list *definitions)
{
    if (is_unstructured(region_of(read->owner)) || is_unstructured(region_of(write->owner)))
        return false;
    for (size_t i = 0; i < definitions->n; i++) {
        const ir_value *d = definitions->at[i];
        const ir_region *at = ir_value_block(d)->region;
        const ir_region *of_definition = repeated_around(at);
        const ir_region *of_read = repeated_around(region_of(read->owner)), *inner = NULL;
        while (of_read && of_read != of_definition) {
            inner = of_read;
            of_read = repeated_around(region_of(of_read->owner));
        }
        if (inner && ir_op_is_ancestor(inner->owner, write->owner))
            return false;
    }
    return true;
}

/* ---- reads and writes of an alias set ----------------------------------------------- */

typedef struct collection {
    buf_state *s;
    use_list *reads, *writes;
} collection;

static bool passes_on_a_read(buf_state *s, ir_operand *use)
{
    buf_aliases list = {0};
    bool read = false;
    buf_aliasing_values(s, use, &list);
    for (size_t i = 0; !read && i < list.n; i++)
        read = buf_is_read(s, list.at[i].value);
    free(list.at);
    return read;
}

static void collect(ir_value *v, void *user)
{
    collection *c = user;
    for (ir_operand *use = v->uses; use; use = use->next_use) {
        bool writes = buf_writes(c->s, use);
        if (buf_reads(c->s, use) || (!writes && passes_on_a_read(c->s, use)))
            TW_PUSH(c->reads->at, c->reads->n, c->reads->capacity, use);
        if (writes && buf_model_of(c->s, use->owner) && buf_is_in_place(c->s, use))
            TW_PUSH(c->writes->at, c->writes->n, c->writes->capacity, use);
    }
}

/* ---- subsets ------------------------------------------------------------------------ */

/* True if a slice was taken from where the insertion puts its source. */
static bool is_matching_slice(buf_state *s, ir_value *v, void *user)
{
    const ir_op *insert = user, *slice = v->is_argument ? NULL : ir_value_def(v);
    static const char *const lists[] = {"offsets", "sizes", "strides"};
    static const char *const attrs[] = {"static_offsets", "static_sizes", "static_strides"};
    if (!ir_op_is(slice, TENSOR_OP(extract_slice)) ||
        !buf_are_equivalent(s, ir_op_operand(slice, 0), ir_op_operand(insert, 1)))
        return false;
    for (size_t k = 0; k < 3; k++) {
        size_t a, b, n, m;
        if (ir_op_attr(slice, attrs[k]) != ir_op_attr(insert, attrs[k]) ||
            !ir_op_operand_group(slice, ir_op_operand_index(slice->def, lists[k]), &a,
                                 &n) ||
            !ir_op_operand_group(insert, ir_op_operand_index(insert->def, lists[k]), &b,
                                 &m) ||
            n != m)
            return false;
        for (size_t i = 0; i < n; i++)
            if (ir_op_operand(slice, a + i) != ir_op_operand(insert, b + i))
                return false;
    }
    return true;
}

/* True if the value comes, on every path, from the part that the insertion overwrites. */
static bool comes_from_the_part(buf_state *s, ir_value *v, ir_op *insert)
{
    value_list found = {0};
    buf_walk walk = {.wanted = is_matching_slice, .user = insert, .with_leaves = true};
    buf_reverse_walk(s, v, &walk, &found);
    bool all = true;
    for (size_t i = 0; all && i < found.n; i++)
        all = is_matching_slice(s, found.at[i], insert);
    free(found.at);
    return all;
}

static bool is_insertion(const ir_op *op)
{
    return op->def == TENSOR_OP(insert_slice);
}

static bool are_separate_parts(buf_state *s, const ir_operand *read,
                               const ir_operand *write)
{
    ir_op *reader = read->owner, *writer = write->owner;
    if (is_insertion(reader)) {
        /* The overwritten part of the destination is not read. */
        if (ir_operand_number(read) == 1 && comes_from_the_part(s, write->value, reader))
            return true;
        /* The source is what the destination has there. */
        if (ir_operand_number(read) == 0 && write == &reader->operands[1] &&
            comes_from_the_part(s, read->value, reader))
            return true;
    }
    /* The insertion writes the same data again. */
    return is_insertion(writer) && ir_operand_number(write) == 1 &&
           buf_are_equivalent(s, read->value, ir_op_operand(writer, 0)) &&
           comes_from_the_part(s, ir_op_operand(writer, 0), writer);
}

/* ---- conflicts ---------------------------------------------------------------------- */

static bool is_value(buf_state *s, ir_value *v, void *user)
{
    (void)s;
    return v == user;
}

static bool has_equivalent_source(buf_state *s, ir_value *from, ir_value *source)
{
    value_list found = {0};
    buf_walk walk = {.wanted = is_value,
                     .user = source,
                     .only_equivalent = true,
                     .only_same_type = true};
    buf_reverse_walk(s, from, &walk, &found);
    bool any = found.n > 0;
    free(found.at);
    return any;
}

static bool reads_element_before_write(buf_state *s, const ir_operand *read,
                                       const ir_operand *write)
{
    const buf_model *m = buf_model_of(s, read->owner);
    return read->owner == write->owner && m && m->is_elementwise &&
           m->is_elementwise(s, read->owner, read, write) &&
           (has_equivalent_source(s, read->value, write->value) ||
            has_equivalent_source(s, write->value, read->value));
}

static bool model_excludes(buf_state *s, ir_op *op, const ir_operand *read,
                           const ir_operand *write)
{
    const buf_model *m = buf_model_of(s, op);
    return m && m->never_conflicts && m->never_conflicts(s, op, read, write);
}

/* True if the write may come between this definition and its read. */
static bool hides_definition(buf_state *s, ir_value *definition, ir_operand *write)
{
    ir_op *writer = write->owner, *definer = ir_value_def(definition);
    if (definer) {
        if (happens_before(writer, definer) ||
            (definer != writer && ir_op_is_ancestor(definer, writer)))
            return false;
    } else if (!holder_in(ir_value_block(definition), writer)) {
        return false;
    }
    buf_aliases list = {0};
    buf_aliasing_values(s, write, &list);
    bool is_definition = list.n == 1 && list.at[0].value == definition;
    free(list.at);
    return !is_definition;
}

/* The definition whose value the read would not find, or NULL. */
static const ir_value *conflicts(buf_state *s, ir_operand *read, ir_operand *write,
                                 const value_list *definitions)
{
    if (order_counts(read, write, definitions) &&
        (happens_before(read->owner, write->owner) || read == write ||
         are_exclusive(read->owner, write->owner) ||
         reads_element_before_write(s, read, write)))
        return NULL;
    if (are_separate_parts(s, read, write) || model_excludes(s, read->owner, read, write) ||
        (read->owner != write->owner && model_excludes(s, write->owner, read, write)))
        return NULL;
    for (size_t i = 0; i < definitions->n; i++)
        if (hides_definition(s, definitions->at[i], write))
            return definitions->at[i];
    return NULL;
}

static bool is_definition(buf_state *s, ir_value *v, void *user)
{
    (void)user;
    return buf_defines(s, v);
}

static void mark(ir_op *op, size_t conflict, const char *what, size_t number)
{
    char name[64];
    snprintf(name, sizeof name, "C_%zu[%s%zu]", conflict, what, number);
    ir_op_set_attr(op, name, ir_unit_attr(op->ctx));
}

/* Names the three parts of a conflict with attributes. */
static void mark_conflict(buf_state *s, const ir_operand *read, const ir_operand *write,
                          const ir_value *definition)
{
    size_t n = s->n_conflicts++;
    ir_op *owner = buf_owner(definition);
    mark(read->owner, n, "READ: ", ir_operand_number(read));
    mark(write->owner, n, "CONFL-WRITE: ", ir_operand_number(write));
    if (owner)
        mark(owner, n, definition->is_argument ? "DEF: bbArg " : "DEF: result ",
             definition->index);
}

static bool has_conflict(buf_state *s, const use_list *reads, const use_list *writes)
{
    buf_walk walk = {.wanted = is_definition};
    bool found = false;
    for (size_t i = 0; !found && writes->n && i < reads->n; i++) {
        value_list definitions = {0};
        buf_reverse_walk(s, reads->at[i]->value, &walk, &definitions);
        for (size_t k = 0; !found && definitions.n && k < writes->n; k++) {
            const ir_value *definition =
                conflicts(s, reads->at[i], writes->at[k], &definitions);
            found = definition != NULL;
            if (found && s->options->print_conflicts)
                mark_conflict(s, reads->at[i], writes->at[k], definition);
        }
        free(definitions.at);
    }
    return found;
}

/* ---- decisions ---------------------------------------------------------------------- */

typedef struct writability {
    buf_state *s;
    bool read_only;
} writability;

static void check_writable(ir_value *v, void *user)
{
    writability *w = user;
    w->read_only |= !buf_is_writable(w->s, v);
}

static void each_alias_of_use(buf_state *s, ir_operand *use, buf_visit_value *visit,
                              void *user)
{
    buf_aliases list = {0};
    buf_each_alias(s, use->value, visit, user);
    buf_aliasing_values(s, use, &list);
    for (size_t i = 0; i < list.n; i++)
        buf_each_alias(s, list.at[i].value, visit, user);
    free(list.at);
}

static bool can_be_in_place(buf_state *s, ir_operand *use)
{
    use_list reads = {0}, writes = {0};
    collection c = {s, &reads, &writes};
    bool itself = buf_writes(s, use), possible = true;
    if (itself)
        TW_PUSH(writes.at, writes.n, writes.capacity, use);
    each_alias_of_use(s, use, collect, &c);
    if (writes.n) {
        writability w = {s, false};
        each_alias_of_use(s, use, check_writable, &w);
        possible = !w.read_only;
    }
    possible = possible && !has_conflict(s, &reads, &writes);
    free(reads.at);
    free(writes.at);
    return possible;
}

static void decide(buf_state *s, ir_op *op)
{
    if (!buf_model_of(s, op))
        return;
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_operand *use = &op->operands[i];
        if (buf_is_tensor(use->value->type) && !buf_is_in_place(s, use) &&
            can_be_in_place(s, use))
            buf_set_in_place(s, use);
    }
}

static void force(buf_state *s, ir_op *op)
{
    const buf_model *m = buf_model_of(s, op);
    for (uint32_t i = 0; m && m->is_forced && i < op->n_operands; i++)
        if (buf_is_tensor(ir_op_operand(op, i)->type) && m->is_forced(s, &op->operands[i]))
            buf_set_in_place(s, &op->operands[i]);
}

/* ---- equivalence -------------------------------------------------------------------- */

/* A result is equivalent to operands that are surely its buffer, or to all the possible
 * ones if they are one buffer. */
static void unite_result(buf_state *s, ir_value *result)
{
    buf_aliases list = {0};
    buf_aliasing_operands(s, result, &list);
    bool all = list.n > 0;
    for (size_t i = 0; i < list.n; i++) {
        const buf_alias *a = &list.at[i];
        bool in_place = buf_is_in_place(s, a->operand);
        if (a->is_equivalent && a->is_definite && in_place)
            buf_union_equivalents(s, result, a->operand->value);
        all = all && a->is_equivalent && in_place &&
              buf_are_equivalent(s, a->operand->value, list.at[0].operand->value);
    }
    const buf_model *m = buf_model_of(s, ir_value_def(result));
    if (all && m && !m->is_allocation)
        buf_union_equivalents(s, result, list.at[0].operand->value);
    free(list.at);
}

void buf_copy_before_writes(buf_state *s, ir_op *root)
{
    ir_op_list ops = ir_ops_in_post(root, NULL);
    for (size_t i = 0; i < ops.n; i++) {
        ir_op *op = ops.at[i];
        force(s, op);
        for (uint32_t k = 0; buf_model_of(s, op) && k < op->n_operands; k++)
            if (buf_is_tensor(ir_op_operand(op, k)->type) &&
                !buf_writes(s, &op->operands[k]))
                buf_set_in_place(s, &op->operands[k]);
    }
    ir_op_list_free(&ops);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

bool buf_analyze(buf_state *s, ir_op *root)
{
    ir_op_list ops = ir_ops_in_post(root, NULL);
    size_t n = 0;
    for (size_t i = 0; i < ops.n; i++)
        if (ops.at[i] != root && buf_has_tensors(ops.at[i]))
            ops.at[n++] = ops.at[i];
    if (s->options->seed)
        for (size_t i = n; i > 1; i--) {
            uint32_t seed = s->options->seed + (uint32_t)i;
            size_t k = next_random(&seed) % i;
            ir_op *swap = ops.at[i - 1];
            ops.at[i - 1] = ops.at[k];
            ops.at[k] = swap;
        }
    for (size_t i = 0; i < n; i++)
        force(s, ops.at[i]);
    for (size_t i = 0; i < n; i++)
        decide(s, ops.at[s->options->top_down || s->options->seed ? i : n - 1 - i]);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < ops.at[i]->n_results; k++)
            if (buf_is_tensor(ops.at[i]->results[k].type))
                unite_result(s, ir_op_result(ops.at[i], k));
    ir_op_list_free(&ops);
    return true;
}
