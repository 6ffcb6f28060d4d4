/* read_ir.c: reads operations, blocks and regions from bytecode.
 *
 * Values are numbered per scope: an isolated operation's regions begin a new scope, any
 * other region's values follow all values of the enclosing region, also those defined
 * later.  A value that is used before its definition gets a placeholder. */
#include "ir/bytecode/reader.h"
#include "ir/text/parser.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = 512 };

/* Flags of an operation's mask. */
enum {
    HAS_ATTRS = 0x01,
    HAS_RESULTS = 0x02,
    HAS_OPERANDS = 0x04,
    HAS_SUCCESSORS = 0x08,
    HAS_REGIONS = 0x10,
    HAS_USE_ORDER = 0x20,
    HAS_PROPERTIES = 0x40,
};

/* Format versions that added features. */
enum { LAZY_REGIONS = 2, USE_ORDER = 3, ELIDED_LOCATIONS = 4, NATIVE_SEGMENTS = 6 };

/* The region being filled. */
typedef struct frame {
    ir_block **blocks;
    size_t n_blocks;
    size_t scope;      /* where the scope's values begin */
    size_t next, last; /* indices of its own values, from the start of `values` */
} frame;

static bool read_regions(ir_bytecode_in *in, ir_op *op, size_t scope);

/* ---- values ------------------------------------------------------------------------- */

static bool is_placeholder(const ir_value *v)
{
    return v->is_argument && !v->owner;
}

static bool define(ir_bytecode_in *in, frame *f, ir_value *value)
{
    ir_bytecode_reader *r = in->reader;
    if (f->next == f->last)
        return ir_in_fail(in, "the region defines more values than the %zu it declares",
                          f->last - f->scope);
    ir_value *old = r->values[f->next];
    if (old)
        ir_value_replace_uses(old, value);
    r->values[f->next++] = value;
    return true;
}

static ir_value *use(ir_bytecode_in *in, const frame *f)
{
    ir_bytecode_reader *r = in->reader;
    uint64_t number = ir_in_varint(in);
    if (in->failed || !bc_index(in, number, r->n_values - f->scope, "value"))
        return NULL;
    ir_value **slot = &r->values[f->scope + number];
    if (!*slot) {
        *slot = tw_arena_alloc(ir_context_arena(r->ctx), sizeof **slot);
        **slot = (ir_value){.is_argument = true};
    }
    return *slot;
}

static size_t push_values(ir_bytecode_reader *r, size_t count)
{
    size_t start = r->n_values;
    if (count > r->values_capacity - start)
        r->values =
            tw_grow(r->values, &r->values_capacity, start + count, sizeof *r->values);
    if (count) /* there may be no array yet */
        memset(r->values + start, 0, count * sizeof *r->values);
    r->n_values = start + count;
    return start;
}

static bool pop_values(ir_bytecode_in *in, size_t start)
{
    ir_bytecode_reader *r = in->reader;
    for (size_t i = start; i < r->n_values; i++)
        if (r->values[i] && is_placeholder(r->values[i]))
            return ir_in_fail(in, "value %zu of the region is used but never defined",
                              i - start);
    r->n_values = start;
    return true;
}

/* Use-list orders are ignored: they are skipped. */
static bool skip_use_orders(ir_bytecode_in *in, size_t n_values)
{
    size_t count = n_values > 1 ? ir_in_count(in) : 1;
    for (size_t i = 0; i < count && !in->failed; i++) {
        if (n_values > 1)
            ir_in_varint(in);
        uint64_t n_entries = ir_in_varint(in) >> 1;
        if (n_entries > ir_in_left(in))
            return ir_in_fail(in, "an order of %llu uses", (unsigned long long)n_entries);
        for (uint64_t k = 0; k < n_entries; k++)
            ir_in_varint(in);
    }
    return !in->failed;
}

/* ---- rows and their attributes ------------------------------------------------------ */

static const ir_op_def *resolve_name(ir_bytecode_in *in, bc_op_name *name)
{
    ir_bytecode_reader *r = in->reader;
    if (name->def)
        return name->def;
    const bc_dialect *dialect = &r->dialects[name->dialect];
    char *full = ir_in_scratch(in, dialect->name.size + name->own.size + 2);
    int size = dialect->name.size
                   ? sprintf(full, "%.*s.%.*s", (int)dialect->name.size, dialect->name.data,
                             (int)name->own.size, name->own.data)
                   : sprintf(full, "%.*s", (int)name->own.size, name->own.data);
    const ir_op_def *def = ir_context_op_def(r->ctx, (tw_str){full, (size_t)size});
    if (!def && dialect->def) {
        ir_error(r->ctx, r->loc,
                 "unregistered operation '%s' found in dialect ('%s') that does not allow "
                 "unknown operations",
                 full, dialect->def->name);
        r->reported = in->failed = true;
        ir_note(r->ctx, r->loc, "in bytecode version %llu produced by: %.64s",
                (unsigned long long)r->version, r->producer);
        return NULL;
    }
    for (const char *c = full; *c; c++)
        if ((uint8_t)*c <= ' ' || *c == '"' || *c == '\\')
            return ir_in_fail(in, "expected an operation's name") ? def : NULL;
    if (!def && (!ir_context_allows_unregistered(r->ctx) || size == 0)) {
        ir_in_fail(in,
                   "operation '%s' is of an unregistered dialect; allow those with "
                   "--allow-unregistered-dialect",
                   full);
        return NULL;
    }
    if (!def)
        def = ir_context_op_def_or_unregistered(r->ctx, (tw_str){full, (size_t)size});
    name->name = full;
    return name->def = def;
}

static const uint16_t *sorted_props(ir_bytecode_in *in, bc_op_name *name)
{
    const ir_op_def *def = name->def;
    if (name->order)
        return name->order;
    uint16_t *order = ir_in_scratch(in, def->attrs.count * sizeof *order);
    ir_order_props(def, order);
    return name->order = order;
}

/* Segment sizes: plain integers, or pairs of index and value if most are zero. */
static ir_attr read_segments(ir_bytecode_in *in, size_t count)
{
    enum { MAX_INDEX_BITS = 8 };
    int64_t *sizes = ir_in_scratch(in, count * sizeof *sizes);
    memset(sizes, 0, count * sizeof *sizes);
    uint64_t head = ir_in_varint(in), n = head >> 1;
    if (n > count) {
        ir_in_fail(in, "%llu segment sizes for %zu groups", (unsigned long long)n, count);
        return NULL;
    }
    uint64_t bits = n && (head & 1) ? ir_in_varint(in) : 0;
    if (bits > MAX_INDEX_BITS)
        ir_in_fail(in, "an index of %llu bits", (unsigned long long)bits);
    for (uint64_t i = 0; i < n && !in->failed; i++) {
        uint64_t value = ir_in_varint(in);
        uint64_t at = head & 1 ? value & (((uint64_t)1 << bits) - 1) : i;
        value = head & 1 ? value >> bits : value;
        if (!bc_index(in, at, count, "segment") || value > INT32_MAX) {
            ir_in_fail(in, "a segment size of %llu", (unsigned long long)value);
            return NULL;
        }
        sizes[at] = (int64_t)value;
    }
    return in->failed ? NULL : ir_dense_i32_array(in->reader->ctx, sizes, count);
}

/* Before version 6 segment sizes are among the attributes, by name. */
static void read_old_segments(ir_bytecode_in *in, const ir_op_def *def, const char *before,
                              uint64_t trait, const char *name, bool *done, ir_attr *slot)
{
    if (!(def->traits & trait) || *done || (before && strcmp(name, before) > 0))
        return;
    *done = true;
    *slot = ir_in_attr(in);
}

/* Attributes added to operations after version 6 of the format: each is one index in the
 * properties, so older writers wrote fewer of them. */
static const struct {
    const char *op, *attr;
} later_attrs[] = {
    {"cf.cond_br", "branch_weights"},    {"func.call", "arg_attrs"},
    {"func.call", "no_inline"},          {"func.call", "res_attrs"},
    {"func.call_indirect", "arg_attrs"}, {"func.call_indirect", "res_attrs"},
    {"func.func", "no_inline"},          {"stablehlo.custom_call", "result_tilings"},
};

static bool is_later(const ir_op_def *def, const char *attr)
{
    for (size_t i = 0; i < TW_COUNT(later_attrs); i++)
        if (strcmp(def->name, later_attrs[i].op) == 0 &&
            strcmp(attr, later_attrs[i].attr) == 0)
            return true;
    return false;
}

static ir_attr read_property(ir_bytecode_in *in, const ir_attr_use *use)
{
    if (use->type->is_flag)
        return ir_in_flag(in);
    if (use->type->is_number)
        return ir_integer_attr(
            ir_integer_type(ir_in_context(in), use->type->enumeration->width, IR_SIGNLESS),
            (int64_t)ir_in_varint(in));
    return use->optional || use->deflt ? ir_in_optional_attr(in) : ir_in_attr(in);
}

static bool decode_properties(ir_bytecode_in *in, bc_op_name *name, bool old,
                              ir_attr *values)
{
    const ir_op_def *def = name->def;
    const uint16_t *order = sorted_props(in, name);
    bool native = in->reader->version >= NATIVE_SEGMENTS;
    bool operands_done = native, results_done = native;
    size_t at_operands = def->attrs.count;
    size_t at_results = at_operands + !!(def->traits & IR_OPERAND_SEGMENTS);
    for (size_t i = 0; i <= def->attrs.count && !in->failed; i++) {
        const ir_attr_use *use_of = i < def->attrs.count ? &def->attrs.at[order[i]] : NULL;
        const char *before = use_of && !ir_is_bare_prop(use_of) ? use_of->name : NULL;
        read_old_segments(in, def, before, IR_OPERAND_SEGMENTS, "operandSegmentSizes",
                          &operands_done, &values[at_operands]);
        read_old_segments(in, def, before, IR_RESULT_SEGMENTS, "resultSegmentSizes",
                          &results_done, &values[at_results]);
        if (use_of && !(old && is_later(def, use_of->name))) {
            ir_attr value = read_property(in, use_of);
            if (value)
                values[order[i]] = value;
        }
    }
    if (native && (def->traits & IR_OPERAND_SEGMENTS))
        values[at_operands] = read_segments(in, def->operands.count);
    if (native && (def->traits & IR_RESULT_SEGMENTS))
        values[at_results] = read_segments(in, def->results.count);
    if (!in->failed && ir_in_left(in))
        ir_in_fail(in, "expected the end of the properties of '%s', found %zu more bytes",
                   def->name, ir_in_left(in));
    return !in->failed;
}

/* Tries the row's layout first; if that fails and the operation got attributes later, the
 * layout before that.  (Each attribute is one index and all bytes must be consumed, so at
 * most one succeeds.) */
static bool decode_either(ir_bytecode_in *blob, bc_op_name *name, const ir_attr *defaults,
                          ir_attr *values)
{
    ir_bytecode_reader *r = blob->reader;
    const ir_op_def *def = name->def;
    size_t size = ir_def_n_props(def) * sizeof *values;
    bool old = false;
    for (uint32_t i = 0; i < def->attrs.count; i++)
        old |= is_later(def, def->attrs.at[i].name);
    if (old) {
        ir_bytecode_in attempt = *blob;
        r->reported = true; /* suppresses the report */
        old = !decode_properties(&attempt, name, false, values);
        r->reported = false;
        memcpy(values, defaults, size);
    }
    return decode_properties(blob, name, old, values);
}

/* The inherent attributes of an operation, defaults included; equal ones are shared. */
static const ir_attr *read_properties(ir_bytecode_in *in, bc_op_name *name)
{
    ir_bytecode_reader *r = in->reader;
    uint64_t index = ir_in_varint(in);
    if (in->failed || !bc_index(in, index, r->n_properties, "properties"))
        return NULL;
    bc_property *p = &r->properties[index];
    if (p->def == name->def)
        return p->values;
    ir_bytecode_in blob = {r, p->data, p->data + p->size, "properties section", false};
    const ir_op_def *def = name->def;
    if (def->traits & IR_UNREGISTERED) {
        ir_attr *dict = ir_in_scratch(in, sizeof *dict);
        *dict = ir_in_attr(&blob);
        if (!*dict || (*dict)->kind != IR_ATTR_DICT) {
            ir_in_fail(&blob, "expected a dictionary");
            return NULL;
        }
        p->values = dict;
    } else {
        size_t n = ir_def_n_props(def);
        ir_attr *values = ir_in_scratch(in, n * sizeof *values);
        ir_attr *defaults = ir_in_scratch(in, n * sizeof *defaults);
        for (size_t i = 0; i < def->attrs.count; i++) {
            const ir_attr_use *row = &def->attrs.at[i];
            if (row->deflt && !row->optional)
                values[i] = defaults[i] = ir_default_attr(r->ctx, row);
        }
        if (!decode_either(&blob, name, defaults, values)) {
            in->failed = true;
            return NULL;
        }
        p->values = values;
    }
    p->def = def;
    return p->values;
}

/* ---- operations --------------------------------------------------------------------- */

static bool read_lists(ir_bytecode_in *in, uint8_t mask, frame *f, ir_op_state *state)
{
    if (mask & HAS_RESULTS)
        state->results = ir_in_types(in, &state->n_results);
    if (mask & HAS_OPERANDS) {
        state->n_operands = ir_in_count(in);
        ir_value **operands = ir_in_scratch(in, state->n_operands * sizeof *operands);
        for (size_t i = 0; i < state->n_operands && !in->failed; i++)
            operands[i] = use(in, f);
        state->operands = operands;
    }
    if (mask & HAS_SUCCESSORS) {
        state->n_successors = ir_in_count(in);
        ir_block **successors = ir_in_scratch(in, state->n_successors * sizeof *successors);
        for (size_t i = 0; i < state->n_successors && !in->failed; i++) {
            uint64_t number = ir_in_varint(in);
            if (!in->failed && bc_index(in, number, f->n_blocks, "block"))
                successors[i] = f->blocks[number];
        }
        state->successors = successors;
    }
    if ((mask & HAS_USE_ORDER) && in->reader->version >= USE_ORDER)
        skip_use_orders(in, state->n_results);
    if (state->n_successors > UINT16_MAX)
        ir_in_fail(in, "%zu successors", state->n_successors);
    return !in->failed;
}

static bool read_attrs(ir_bytecode_in *in, ir_op_state *state)
{
    ir_attr dict = ir_in_attr(in);
    if (!dict)
        return false;
    if (dict->kind != IR_ATTR_DICT)
        return ir_in_fail(in, "expected a dictionary of attributes, found another kind");
    state->attrs = dict->entries;
    state->n_attrs = dict->count;
    return true;
}

static void set_properties(ir_op *op, const ir_attr *props)
{
    if (op->def->traits & IR_UNREGISTERED) {
        ir_attr dict = props[0];
        for (uint32_t i = 0; i < dict->count; i++)
            ir_op_set_attr(op, dict->entries[i].name->text, dict->entries[i].value);
        return;
    }
    memcpy(op->props, props, ir_def_n_props(op->def) * sizeof *props);
}

static ir_op *read_op(ir_bytecode_in *in, frame *f, ir_block *block)
{
    ir_bytecode_reader *r = in->reader;
    uint64_t number = ir_in_varint(in);
    if (in->failed || !bc_index(in, number, r->n_names, "operation name"))
        return NULL;
    bc_op_name *name = &r->names[number];
    if (!resolve_name(in, name))
        return NULL;
    uint8_t mask = ir_in_byte(in);
    ir_op_state state = {.def = name->def, .loc = bc_in_loc(in)};
    const ir_attr *props = NULL;
    if (in->failed || ((mask & HAS_ATTRS) && !read_attrs(in, &state)) ||
        ((mask & HAS_PROPERTIES) && !(props = read_properties(in, name))) ||
        !read_lists(in, mask, f, &state))
        return NULL;
    uint64_t regions = mask & HAS_REGIONS ? ir_in_varint(in) : 0;
    state.n_regions = (size_t)(regions >> 1);
    if (in->failed || state.n_regions > ir_in_left(in) || state.n_regions > UINT16_MAX) {
        ir_in_fail(in, "%zu regions, but %zu bytes are left", state.n_regions,
                   ir_in_left(in));
        return NULL;
    }
    ir_op *op = ir_op_create(r->ctx, &state);
    if (props)
        set_properties(op, props);
    ir_block_append(block, op);
    for (uint32_t i = 0; i < op->n_results; i++)
        if (!define(in, f, &op->results[i]))
            return NULL;
    if (!state.n_regions)
        return op;
    if (!(regions & 1) || r->version < LAZY_REGIONS)
        return read_regions(in, op, regions & 1 ? r->n_values : f->scope) ? op : NULL;
    ir_section id;
    ir_bytecode_in inner;
    if (!bc_section(in, &id, &inner) || id != IR_SECTION_IR) {
        ir_in_fail(in, "expected a nested IR section");
        return NULL;
    }
    if (!read_regions(&inner, op, r->n_values) || ir_in_left(&inner)) {
        ir_in_fail(&inner, "expected the end of the regions of '%s'", name->def->name);
        in->failed = true;
        return NULL;
    }
    return op;
}

/* ---- blocks and regions ------------------------------------------------------------- */

static bool read_arguments(ir_bytecode_in *in, frame *f, ir_block *block)
{
    ir_bytecode_reader *r = in->reader;
    size_t count = ir_in_count(in);
    for (size_t i = 0; i < count; i++) {
        bool has_loc = true;
        ir_type type;
        if (r->version >= ELIDED_LOCATIONS) {
            /* the flag is the type reference's lowest bit */
            uint64_t number = ir_in_varint(in);
            has_loc = number & 1;
            type = bc_type_at(in, number >> 1);
        } else {
            type = ir_in_type(in);
        }
        ir_loc loc = has_loc ? bc_in_loc(in) : IR_LOC_UNKNOWN;
        if (in->failed || !define(in, f, ir_block_add_arg(r->ctx, block, type, loc)))
            return false;
    }
    return !(r->version >= USE_ORDER && ir_in_byte(in)) || skip_use_orders(in, count);
}

static bool read_block(ir_bytecode_in *in, frame *f, ir_block *block)
{
    uint64_t head = ir_in_varint(in);
    if (in->failed || ((head & 1) && !read_arguments(in, f, block)))
        return false;
    if (head >> 1 > ir_in_left(in))
        return ir_in_fail(in, "a block of %llu operations, but %zu bytes are left",
                          (unsigned long long)(head >> 1), ir_in_left(in));
    for (uint64_t i = 0; i < head >> 1; i++)
        if (!read_op(in, f, block))
            return ir_in_fail(in, "in an operation");
    return !in->failed;
}

static bool read_region(ir_bytecode_in *in, ir_op *op, ir_region *region, size_t scope)
{
    ir_bytecode_reader *r = in->reader;
    frame f = {.scope = scope};
    f.n_blocks = ir_in_count(in);
    if (in->failed || f.n_blocks == 0)
        return !in->failed;
    size_t n_values = ir_in_count(in);
    if (in->failed)
        return false;
    f.blocks = ir_in_scratch(in, f.n_blocks * sizeof *f.blocks);
    for (size_t i = 0; i < f.n_blocks; i++) {
        f.blocks[i] = ir_block_create(op->ctx);
        ir_region_append(region, f.blocks[i]);
    }
    f.next = push_values(r, n_values);
    f.last = f.next + n_values;
    size_t start = f.next;
    for (size_t i = 0; i < f.n_blocks; i++)
        if (!read_block(in, &f, f.blocks[i]))
            return false;
    return pop_values(in, start);
}

static bool read_regions(ir_bytecode_in *in, ir_op *op, size_t scope)
{
    ir_bytecode_reader *r = in->reader;
    if (++r->depth > DEEPEST)
        return ir_in_fail(in, "regions nest deeper than %d levels", DEEPEST);
    for (uint16_t i = 0; i < op->n_regions; i++)
        if (!read_region(in, op, &op->regions[i], scope))
            return false;
    r->depth--;
    return true;
}

/* The section is one block around the top-level operation, without arguments. */
ir_op *bc_read_ir(ir_bytecode_reader *r, ir_bytecode_in *in)
{
    ir_block *block = ir_block_create(r->ctx);
    frame f = {0};
    if (!read_block(in, &f, block))
        return NULL; /* half-built operations may hold placeholders: freed with the context
                      */
    if (ir_in_left(in) || !block->first || block->first->next) {
        ir_in_fail(in, "expected one operation at the top");
        return NULL;
    }
    ir_op *op = block->first;
    ir_op_remove(op);
    return op;
}
