/* effects.c: see effects.h. */
#include "ir/rewrite/effects.h"

#include <stdlib.h>

static const struct {
    const char *word;
    unsigned bit;
} words[] = {
    {"read", RW_READ}, {"write", RW_WRITE}, {"alloc", RW_ALLOC},    {"free", RW_FREE},
    {"Read", RW_READ}, {"Write", RW_WRITE}, {"Allocate", RW_ALLOC}, {"Free", RW_FREE},
};

/* The effects named in a list such as "Read,Write@Resource" or "read write". */
static unsigned named_effects(tw_str text)
{
    unsigned effects = 0;
    const char *c = text.data, *end = c + text.size;
    while (c < end) {
        const char *start = c;
        while (c < end && *c != ',' && *c != ' ' && *c != '@')
            c++;
        for (size_t i = 0; i < TW_COUNT(words); i++)
            if (*start == *words[i].word &&
                tw_str_is((tw_str){start, (size_t)(c - start)}, words[i].word))
                effects |= words[i].bit;
        while (c < end && *c != ',' && *c != ' ')
            c++;
        c++;
    }
    return effects;
}

static bool has_memref(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++) {
        ir_type t = op->operands[i].value->type;
        if (t->kind == IR_TYPE_MEMREF || t->kind == IR_TYPE_UNRANKED_MEMREF)
            return true;
    }
    return false;
}

static bool is_linalg(const ir_op_def *def)
{
    return strncmp(def->name, "linalg.", 7) == 0;
}

/* Rows with computed effects: known operations, else unknown. */
static unsigned computed_effects(const ir_op *op)
{
    if (is_linalg(op->def))
        return has_memref(op) ? RW_READ | RW_WRITE : 0;
    /* with results it computes on tensors; without, it may write into a buffer of its
     * thread */
    if (strncmp(op->def->name, "d2m.", 4) == 0 && op->n_results > 0)
        return has_memref(op) ? RW_READ | RW_WRITE : 0;
    /* it writes to a memref operand; with tensors alone it is only a placement hint */
    if (strcmp(op->def->name, "bufferization.materialize_in_destination") == 0)
        return has_memref(op) ? RW_WRITE : 0;
    /* a call without the attribute may have any effect */
    if (strcmp(op->def->name, "stablehlo.custom_call") == 0 &&
        ir_op_attr(op, "has_side_effect") && !ir_op_bool(op, "has_side_effect"))
        return 0;
    return RW_UNKNOWN;
}

/* The result is newly allocated memory: unused allocations may be erased. */
static bool allocates_memory(const ir_op_def *def)
{
    for (uint32_t i = 0; i < def->results.count; i++)
        if (def->results.at[i].effects &&
            (named_effects(tw_str_from(def->results.at[i].effects)) & RW_ALLOC))
            return true;
    return false;
}

static unsigned read_row(const ir_op_def *def, bool *known)
{
    unsigned effects = 0;
    tw_str list;
    *known = false;
    if (def->rules && ir_def_rule(def, "MemoryEffects", &list)) {
        effects |= named_effects(list);
        *known = true;
    }
    for (uint32_t i = 0; i < def->operands.count; i++)
        if (def->operands.at[i].effects) {
            effects |= named_effects(tw_str_from(def->operands.at[i].effects));
            *known = true;
        }
    if (allocates_memory(def)) {
        effects |= RW_OWN;
        *known = true;
    }
    return effects;
}

/* What an operation's row says. */
typedef struct row_facts {
    const ir_op_def *def;
    unsigned effects;        /* that it names, */
    bool known;              /* if it names any */
    bool tensors_are_memory; /* in its dialect */
} row_facts;

/* Of a registered operation; those of the rows asked for last are kept. */
static row_facts facts_of(const ir_op *op)
{
    static _Thread_local row_facts recent[64];
    row_facts *f = &recent[(uintptr_t)op->def / sizeof *op->def % TW_COUNT(recent)];
    if (f->def != op->def) {
        const ir_dialect *d = ir_context_dialect_of(op->ctx, tw_str_from(op->def->name));
        *f = (row_facts){.def = op->def, .tensors_are_memory = d && d->tensors_are_memory};
        f->effects = read_row(op->def, &f->known);
    }
    return *f;
}

/* The effects, or some of them with one of `enough` among them. */
static unsigned effects_until(const ir_op *op, unsigned enough)
{
    uint64_t traits = op->def->traits;
    if (traits & (IR_PURE | IR_NO_MEMORY_EFFECT))
        return 0;
    if (traits & IR_UNREGISTERED)
        return RW_UNKNOWN;
    const row_facts facts = facts_of(op);
    unsigned effects = facts.effects;
    if (!facts.known && !(traits & IR_RECURSIVE_EFFECTS))
        return (traits & IR_DECLARED_EFFECTS) ? computed_effects(op) : RW_UNKNOWN;
    if (!facts.known && (traits & IR_DECLARED_EFFECTS) && is_linalg(op->def))
        effects |= computed_effects(op);
    if (traits & IR_RECURSIVE_EFFECTS)
        for (uint16_t r = 0; r < op->n_regions; r++)
            for (ir_block *b = op->regions[r].first; b; b = b->next)
                for (ir_op *o = b->first; o && !(effects & enough); o = o->next)
                    effects |= effects_until(o, enough);
    return effects;
}

unsigned rw_effects(const ir_op *op)
{
    return effects_until(op, 0);
}

bool rw_is_symbol(const ir_op *op)
{
    return (op->def->traits & (IR_SYMBOL | IR_FUNCTION_LIKE)) && ir_symbol_name(op).size;
}

/* ---- tensors that change ------------------------------------------------------------ */

/* Calls within calls that are followed; beyond it an argument counts as written. */
enum { CALL_DEPTH = 16 };

static bool has_tensors_of_memory(const ir_op *op)
{
    return !(op->def->traits & IR_UNREGISTERED) && facts_of(op).tensors_are_memory;
}

static bool is_tensor(const ir_value *v)
{
    return v->type->kind == IR_TYPE_TENSOR;
}

/* True if the operation has a destination, newly allocated memory that nothing else names,
 * as that of ttir.to_layout is ttir.empty: it changes no tensor that another one reads. */
static bool fills_new_memory(const ir_op *op)
{
    if (!op->n_operands || !ir_def_has_interface(op->def, "DestinationStyleOpInterface"))
        return false;
    const ir_value *to = op->operands[op->n_operands - 1].value;
    const ir_op *by = ir_value_def(to);
    return by && !by->n_operands && to->uses && !to->uses->next_use &&
           (rw_effects(by) & RW_OWN);
}

/* True if the operation may do anything to tensors. */
static bool may_change_any(const ir_op *op, unsigned effects)
{
    return (effects & RW_UNKNOWN) && has_tensors_of_memory(op) && !fills_new_memory(op);
}

/* True if the result may be the memory of the only tensor that the operation reads, as that
 * of a reshape is. No row says which are: it depends on layouts. */
static bool may_be_view(const ir_op *op)
{
    size_t n = 0;
    for (uint32_t i = 0; i < op->n_operands; i++)
        n += is_tensor(op->operands[i].value);
    return n == 1 && op->n_results == 1 && is_tensor(&op->results[0]) &&
           has_tensors_of_memory(op) && rw_effects(op) == 0;
}

/* The tensor that the value may be a view of; NULL if it is a tensor of its own. */
static const ir_value *viewed_by(const ir_value *v)
{
    const ir_op *by = ir_value_def(v);
    if (!by || !may_be_view(by))
        return NULL;
    uint32_t i = 0;
    while (!is_tensor(by->operands[i].value))
        i++;
    return by->operands[i].value;
}

static const ir_value *root_of(const ir_value *v)
{
    for (const ir_value *of; (of = viewed_by(v));)
        v = of;
    return v;
}

static bool declares_operand_effects(const ir_op_def *def)
{
    for (uint32_t i = 0; i < def->operands.count; i++)
        if (def->operands.at[i].effects)
            return true;
    return false;
}

static unsigned changes_of(const ir_value *v, unsigned wanted, int depth);

static unsigned callee_effects(const ir_operand *use, int depth)
{
    ir_attr name = ir_op_attr(use->owner, "callee");
    ir_op *callee = name ? ir_symbol_resolve((ir_op *)use->owner, name) : NULL;
    if (!callee || !(callee->def->traits & IR_FUNCTION_LIKE) || !callee->n_regions ||
        !callee->regions[0].first)
        return 0; /* the host's: it returns tensors of its own */
    const ir_block *body = callee->regions[0].first;
    const size_t at = ir_operand_number(use);
    return at < body->n_args ? changes_of(body->args[at], RW_WRITE | RW_FREE, depth) : 0;
}

static unsigned use_effects(const ir_operand *use, int depth)
{
    const ir_op *op = use->owner;
    const ir_op_def *def = op->def;
    if (def->traits & IR_CALL_LIKE)
        return depth < CALL_DEPTH ? callee_effects(use, depth + 1) : RW_WRITE;
    if (!declares_operand_effects(def))
        return has_tensors_of_memory(op) && is_tensor(use->value)
                   ? rw_effects(op) & RW_WRITE
                   : 0;
    const size_t at = ir_operand_number(use);
    for (size_t group = 0; group < def->operands.count; group++) {
        size_t start, count;
        const char *effects = def->operands.at[group].effects;
        if (effects && ir_op_operand_group(op, group, &start, &count) && at >= start &&
            at < start + count)
            return named_effects(tw_str_from(effects)) & (RW_WRITE | RW_FREE);
    }
    return 0;
}

static unsigned changes_of(const ir_value *v, unsigned wanted, int depth)
{
    const ir_value **views = NULL; /* and the value itself */
    size_t n = 0, capacity = 0;
    unsigned effects = 0;
    TW_PUSH(views, n, capacity, v);
    for (size_t i = 0; i < n && !(effects & wanted); i++)
        for (const ir_operand *use = views[i]->uses; use; use = use->next_use) {
            const unsigned of_use = use_effects(use, depth);
            effects |= i ? of_use & RW_WRITE : of_use;
            if (may_be_view(use->owner))
                TW_PUSH(views, n, capacity, &use->owner->results[0]);
        }
    free(views);
    return effects;
}

unsigned rw_use_effects(const ir_operand *use)
{
    return use_effects(use, 0);
}

/* False if the row says that the operation changes nothing. */
static bool may_change(const ir_op *op)
{
    return !(op->def->traits & (IR_PURE | IR_NO_MEMORY_EFFECT)) ||
           declares_operand_effects(op->def);
}

static void add_effects(rw_changes *c, const ir_value *v, unsigned effects)
{
    c->any = true;
    ir_mapping_set(c->effects, v, (void *)(uintptr_t)(rw_changes_of(c, v) | effects));
}

static ir_walk note_changes(ir_op *op, void *user)
{
    rw_changes *c = user;
    if (!may_change(op))
        return IR_WALK_ON;
    c->all |= may_change_any(op, rw_effects(op));
    for (uint32_t i = 0; i < op->n_operands; i++) {
        const unsigned effects = use_effects(&op->operands[i], 0);
        const ir_value *v = op->operands[i].value;
        if (effects)
            add_effects(c, v, effects);
        while ((effects & RW_WRITE) && (v = viewed_by(v)) &&
               !(rw_changes_of(c, v) & RW_WRITE))
            add_effects(c, v, RW_WRITE);
    }
    return IR_WALK_ON;
}

rw_changes rw_changes_in(ir_op *root)
{
    rw_changes c = {.effects = ir_mapping_create()};
    ir_walk_pre(root, note_changes, &c);
    return c;
}

void rw_changes_free(rw_changes *c)
{
    ir_mapping_free(c->effects);
}

unsigned rw_changes_of(const rw_changes *c, const ir_value *v)
{
    return (unsigned)(uintptr_t)ir_mapping_get(c->effects, v);
}

bool rw_reads_changing(const rw_changes *c, const ir_op *op)
{
    if (c->all || !c->any)
        return c->all;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (rw_changes_of(c, root_of(op->operands[i].value)) & RW_WRITE)
            return true;
    return false;
}

/* True if the operation may write the tensor or a view of it. */
static bool may_write(const ir_op *op, const ir_value *root)
{
    if (!may_change(op))
        return false;
    const unsigned effects = rw_effects(op);
    /* the start, end or run of a trace: it computes all that was captured once more */
    if (may_change_any(op, effects))
        return true;
    if (op->n_regions && (effects & (RW_WRITE | RW_UNKNOWN)))
        return true;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (is_tensor(op->operands[i].value) &&
            (use_effects(&op->operands[i], 0) & RW_WRITE) &&
            root_of(op->operands[i].value) == root)
            return true;
    return false;
}

/* A row without effects may still write an operand: one that is optional. */
static bool writes_tensor(const ir_op *op)
{
    if (!declares_operand_effects(op->def) || !has_tensors_of_memory(op))
        return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (use_effects(&op->operands[i], 0) & RW_WRITE)
            return true;
    return false;
}

static bool reads_tensors_of_memory(const ir_op *op)
{
    bool reads = false;
    for (uint32_t i = 0; i < op->n_operands; i++)
        reads |= is_tensor(op->operands[i].value);
    return reads && has_tensors_of_memory(op);
}

static bool reads_written(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_operands; i++)
        if (changes_of(root_of(op->operands[i].value), RW_WRITE, 0) & RW_WRITE)
            return true;
    return false;
}

/* True if the tensor may be written behind `from` and before `to`, or, if that is NULL,
 * before the block's end. */
static bool written_in_block(const ir_value *v, const ir_op *from, const ir_op *to)
{
    const ir_value *root = root_of(v);
    for (const ir_op *op = from->next; op && op != to; op = op->next)
        if (may_write(op, root))
            return true;
    return false;
}

/* The same for what `from` reads. */
static bool reads_written_in_block(const ir_op *from, const ir_op *to)
{
    for (uint32_t i = 0; i < from->n_operands; i++)
        if (is_tensor(from->operands[i].value) &&
            written_in_block(from->operands[i].value, from, to))
            return true;
    return false;
}

/* Whether the operation runs once in a run of its function. */
static bool runs_once(const ir_op *op)
{
    const ir_op *parent = ir_op_parent((ir_op *)op);
    return parent && (parent->def->traits & IR_FUNCTION_LIKE);
}

bool rw_changed_between(const ir_op *from, const ir_op *to)
{
    if (ir_context_tensors_fixed(from->ctx) || !reads_tensors_of_memory(from))
        return false;
    return from->block == to->block ? reads_written_in_block(from, to)
                                    : reads_written(from);
}

bool rw_changed_later(const ir_op *op)
{
    if (ir_context_tensors_fixed(op->ctx) || !reads_tensors_of_memory(op) ||
        !reads_written(op))
        return false;
    return !runs_once(op) || reads_written_in_block(op, NULL);
}

bool rw_is_kept(const ir_value *v, const ir_op *op)
{
    if (ir_context_tensors_fixed(op->ctx) || !is_tensor(v) || !has_tensors_of_memory(op) ||
        !(changes_of(v, RW_WRITE, 0) & RW_WRITE))
        return true;
    for (uint32_t i = 0; i < op->n_results; i++)
        if (changes_of(&op->results[i], RW_WRITE, 0) & RW_WRITE)
            return true; /* a view, through which it is written */
    return runs_once(op) && !written_in_block(v, op, NULL);
}

bool rw_is_read_after_write(const ir_op *view)
{
    const ir_op **views = NULL; /* and views of them */
    size_t n = 0, capacity = 0;
    bool found = false;
    if (!rw_changed_later(view))
        return false;
    TW_PUSH(views, n, capacity, view);
    for (size_t i = 0; i < n && !found; i++)
        for (const ir_operand *use = views[i]->results[0].uses; use && !found;
             use = use->next_use) {
            found = rw_changed_between(views[i], use->owner);
            if (may_be_view(use->owner))
                TW_PUSH(views, n, capacity, use->owner);
        }
    free(views);
    return found;
}

bool rw_writes_tensors(const ir_op *op)
{
    if (!may_change(op))
        return false;
    const unsigned effects = rw_effects(op);
    return (op->def->traits & IR_CALL_LIKE) || may_change_any(op, effects) ||
           (has_tensors_of_memory(op) && ((effects & RW_WRITE) || writes_tensor(op)));
}

bool rw_would_be_dead(const ir_op *op)
{
    if ((op->def->traits & IR_TERMINATOR) || rw_is_symbol(op))
        return false;
    const unsigned kept = ~(unsigned)(RW_READ | RW_OWN);
    return (effects_until(op, kept) & kept) == 0 && !writes_tensor(op);
}
