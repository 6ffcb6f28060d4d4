/* effects.c: see effects.h. */
#include "ir/rewrite/effects.h"

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

static unsigned row_effects(const ir_op *op, bool *known)
{
    const ir_op_def *def = op->def;
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

/* The effects, or some of them with one of `enough` among them. */
static unsigned effects_until(const ir_op *op, unsigned enough)
{
    uint64_t traits = op->def->traits;
    if (traits & (IR_PURE | IR_NO_MEMORY_EFFECT))
        return 0;
    if (traits & IR_UNREGISTERED)
        return RW_UNKNOWN;
    bool known;
    unsigned effects = row_effects(op, &known);
    if (!known && !(traits & IR_RECURSIVE_EFFECTS))
        return (traits & IR_DECLARED_EFFECTS) ? computed_effects(op) : RW_UNKNOWN;
    if (!known && (traits & IR_DECLARED_EFFECTS) && is_linalg(op->def))
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

/* True if the row of the use's owner says that it writes or frees this operand. */
static bool changes_operand(const ir_operand *use)
{
    const ir_op_def *def = use->owner->def;
    const size_t at = ir_operand_number(use);
    for (size_t group = 0; group < def->operands.count; group++) {
        size_t start, count;
        const char *effects = def->operands.at[group].effects;
        if (effects && (named_effects(tw_str_from(effects)) & (RW_WRITE | RW_FREE)) &&
            ir_op_operand_group(use->owner, group, &start, &count) && at >= start &&
            at < start + count)
            return true;
    }
    return false;
}

bool rw_has_changed_result(const ir_op *op)
{
    for (uint32_t i = 0; i < op->n_results; i++)
        for (const ir_operand *use = op->results[i].uses; use; use = use->next_use)
            if (changes_operand(use))
                return true;
    return false;
}

bool rw_would_be_dead(const ir_op *op)
{
    if ((op->def->traits & IR_TERMINATOR) || rw_is_symbol(op))
        return false;
    const unsigned kept = ~(unsigned)(RW_READ | RW_OWN);
    return (effects_until(op, kept) & kept) == 0;
}
