/* write_ir.c: writes operations; see read_ir.c for the numbering of values. */
#include "ir/bytecode/reader.h"
#include "ir/bytecode/writer.h"

#include <stdlib.h>

enum {
    LAZY_REGIONS = 2,
    USE_ORDER = 3,
    ELIDED_LOCATIONS = 4,
    PROPERTIES = 5,
    NATIVE_SEGMENTS = 6
};
enum { ORDERS_OF_ARGUMENTS = 0x20 }; /* in a block's mask */

/* ---- inherent attributes ------------------------------------------------------------ */

static bool has_properties(const bc_writer *w, const ir_op *op)
{
    return w->version >= PROPERTIES && !(op->def->traits & IR_UNREGISTERED) &&
           ir_def_n_props(op->def) > 0;
}

/* All attributes in one dictionary, where the format has no properties. */
static ir_attr all_attrs(bc_writer *w, ir_op *op)
{
    if (has_properties(w, op))
        return op->attrs;
    ir_attr dict = op->attrs;
    for (size_t i = 0, n = ir_def_n_props(op->def); i < n; i++)
        if (op->props[i])
            dict = ir_dict_set(w->ctx, dict,
                               ir_ident_from(w->ctx, ir_def_prop_name(op->def, i)),
                               op->props[i]);
    return dict;
}

/* Pairs of index and value if at most half of the sizes are not zero. */
static void write_segments(ir_bytecode_out *out, ir_attr sizes, size_t count)
{
    size_t non_zero = 0, last = 0;
    for (size_t i = 0; i < count; i++)
        if (ir_dense_array_int(sizes, i)) {
            non_zero++;
            last = i;
        }
    if (last > 256 || non_zero > count / 2) {
        ir_out_varint(out, count << 1);
        for (size_t i = 0; i < count; i++)
            ir_out_varint(out, (uint64_t)ir_dense_array_int(sizes, i));
        return;
    }
    ir_out_varint(out, non_zero << 1 | 1);
    if (!non_zero)
        return;
    unsigned bits = 0;
    while ((size_t)1 << bits < last + 1)
        bits++;
    ir_out_varint(out, bits);
    for (size_t i = 0; i <= last; i++) {
        uint64_t value = (uint64_t)ir_dense_array_int(sizes, i);
        if (value)
            ir_out_varint(out, value << bits | i);
    }
}

/* The values of inherent attributes: alphabetical, segment sizes last or in order. */
static void write_segment_attr(ir_bytecode_out *out, ir_op *op, const char *name,
                               bool native)
{
    size_t slot = ir_def_prop_index(op->def, tw_str_from(name));
    if (slot == SIZE_MAX)
        return;
    ir_attr sizes = op->props[slot];
    if (!ir_attr_is(sizes, IR_ATTR_DENSE_ARRAY)) {
        out->writer->failed = true;
        ir_op_error(op, "has no '%s' to write", name);
    } else if (native) {
        write_segments(out, sizes, sizes->count);
    } else {
        ir_out_attr(out, sizes);
    }
}

static bool prop_before(const ir_attr_use *a, const ir_attr_use *b)
{
    bool bare = ir_is_bare_prop(a);
    return bare != ir_is_bare_prop(b) ? !bare : strcmp(a->name, b->name) < 0;
}

void ir_order_props(const ir_op_def *def, uint16_t *out)
{
    for (uint16_t i = 0; i < def->attrs.count; i++) {
        size_t k = i;
        for (; k > 0 && prop_before(&def->attrs.at[i], &def->attrs.at[out[k - 1]]); k--)
            out[k] = out[k - 1];
        out[k] = i;
    }
}

static void write_properties(ir_bytecode_out *out, ir_op *op)
{
    static const char *const segments[] = {"operandSegmentSizes", "resultSegmentSizes"};
    enum { CAPACITY = 256 };
    const ir_op_def *def = op->def;
    uint16_t order[CAPACITY];
    assert(def->attrs.count <= CAPACITY);
    ir_order_props(def, order);
    bool native = out->writer->version >= NATIVE_SEGMENTS;
    size_t next = native ? 2 : 0;
    for (size_t i = 0; i < def->attrs.count; i++) {
        const ir_attr_use *use = &def->attrs.at[order[i]];
        for (; next < 2 && (ir_is_bare_prop(use) || strcmp(segments[next], use->name) < 0);
             next++)
            write_segment_attr(out, op, segments[next], false);
        ir_attr value = op->props[order[i]];
        if (use->type->is_flag)
            ir_out_byte(out, ir_attr_bool(value));
        else if (use->type->is_number)
            ir_out_varint(out, (uint64_t)ir_attr_int(value, 0));
        else if (use->optional || use->deflt)
            ir_out_optional_attr(out, value);
        else if (value)
            ir_out_attr(out, value);
        else {
            out->writer->failed = true;
            ir_op_error(op, "requires attribute '%s'", use->name);
        }
    }
    for (; next < 2; next++)
        write_segment_attr(out, op, segments[next], false);
    for (size_t i = 0; native && i < 2; i++)
        write_segment_attr(out, op, segments[i], true);
}

/* Equal properties are written once. */
static uint32_t property_number(bc_writer *w, ir_op *op)
{
    tw_strbuf bytes = {0};
    write_properties(&(ir_bytecode_out){w, &bytes}, op);
    ir_ident id = ir_ident_get(w->ctx, (tw_str){tw_strbuf_text(&bytes), bytes.size});
    tw_strbuf_free(&bytes);
    uintptr_t known = (uintptr_t)ir_mapping_get(w->blobs, id);
    if (known)
        return (uint32_t)known - 1;
    TW_PUSH(w->blob_at, w->n_blobs, w->blobs_capacity, id);
    ir_mapping_set(w->blobs, id, (void *)(uintptr_t)w->n_blobs);
    return (uint32_t)w->n_blobs - 1;
}

/* ---- numbering ---------------------------------------------------------------------- */

/* Records in op->order whether an operation's regions are isolated.  Returns the lowest
 * depth of a region whose values are used inside; block->order holds depths. */
static uint32_t mark_region(ir_region *region, uint32_t depth)
{
    uint32_t lowest = UINT32_MAX;
    for (ir_block *b = region->first; b; b = b->next)
        b->order = depth;
    for (ir_block *b = region->first; b; b = b->next)
        for (ir_op *op = b->first; op; op = op->next) {
            uint32_t inner = UINT32_MAX;
            for (uint32_t i = 0; i < op->n_operands; i++) {
                ir_block *block = ir_value_block(op->operands[i].value);
                lowest = TW_MIN(lowest, block ? block->order : 0);
            }
            for (uint16_t i = 0; i < op->n_regions; i++)
                inner = TW_MIN(inner, mark_region(&op->regions[i], depth + 1));
            op->order = op->n_regions && inner > depth;
            lowest = TW_MIN(lowest, inner);
        }
    return lowest;
}

/* The order of first use is MLIR's, as it breaks ties between equally used items. */
static void number_one(bc_writer *w, ir_op *op)
{
    ir_bytecode_out out = {w, NULL};
    const char *dot = strchr(op->def->name, '.');
    tw_str dialect = {op->def->name, dot ? (size_t)(dot - op->def->name) : 0};
    ir_attr dict = all_attrs(w, op);
    bc_item_of(w, op->def, &w->names, dialect);
    for (uint32_t i = 0; i < op->n_results; i++)
        ir_out_type(&out, op->results[i].type);
    if (dict && dict->count)
        ir_out_attr(&out, dict);
    if (has_properties(w, op))
        write_properties(&out, op);
    ir_out_attr(&out, ir_loc_attr(w->ctx, op->loc));
}

static void number_region(bc_writer *w, ir_region *region)
{
    ir_bytecode_out out = {w, NULL};
    for (ir_block *b = region->first; b; b = b->next) {
        for (uint32_t i = 0; i < b->n_args; i++) {
            ir_out_attr(&out, ir_loc_attr(w->ctx, b->args[i]->loc));
            ir_out_type(&out, b->args[i]->type);
        }
        for (ir_op *op = b->first; op; op = op->next)
            number_one(w, op);
    }
}

typedef struct region_stack {
    ir_region **at;
    size_t count, capacity;
} region_stack;

static void push_regions(region_stack *s, ir_op *op)
{
    for (uint16_t i = 0; i < op->n_regions; i++) {
        ir_region *region = &op->regions[i];
        TW_PUSH(s->at, s->count, s->capacity, region);
    }
}

void bc_number_op(bc_writer *w, ir_op *op)
{
    region_stack open = {0};
    for (uint16_t i = 0; i < op->n_regions; i++)
        mark_region(&op->regions[i], 1);
    op->order = op->n_regions > 0;
    number_one(w, op);
    push_regions(&open, op);
    while (open.count) {
        ir_region *region = open.at[--open.count];
        number_region(w, region);
        for (ir_block *b = region->first; b; b = b->next)
            for (ir_op *inner = b->first; inner; inner = inner->next)
                push_regions(&open, inner);
    }
    free(open.at);
}

/* Adds to op->order the position in the program, above mark_region's result. */
static ir_walk number_position(ir_op *op, void *user)
{
    uint32_t *next = user;
    op->order = (*next)++ << 1 | (op->order & 1);
    return IR_WALK_ON;
}

/* ---- writing ------------------------------------------------------------------------ */

static void write_region(bc_writer *w, ir_region *region, uint32_t base, tw_strbuf *bytes);

static uint32_t block_number(const ir_block *block)
{
    uint32_t number = 0;
    for (const ir_block *b = block->region->first; b != block; b = b->next)
        number++;
    return number;
}

static void write_lists(ir_bytecode_out *out, ir_op *op)
{
    if (op->n_results) {
        ir_out_varint(out, op->n_results);
        for (uint32_t i = 0; i < op->n_results; i++)
            ir_out_type(out, op->results[i].type);
    }
    if (op->n_operands) {
        ir_out_varint(out, op->n_operands);
        for (uint32_t i = 0; i < op->n_operands; i++)
            ir_out_varint(out, op->operands[i].value->print_id);
    }
    if (op->n_successors) {
        ir_out_varint(out, op->n_successors);
        for (uint32_t i = 0; i < op->n_successors; i++)
            ir_out_varint(out, block_number(op->successors[i]));
    }
}

static const ir_value **result_list(ir_op *op)
{
    const ir_value **list = tw_xmalloc((op->n_results + 1u) * sizeof *list);
    for (uint32_t i = 0; i < op->n_results; i++)
        list[i] = &op->results[i];
    return list;
}

static void write_op(bc_writer *w, ir_op *op, uint32_t inner_base, tw_strbuf *bytes)
{
    enum {
        ATTRS = 1,
        RESULTS = 2,
        OPERANDS = 4,
        SUCCESSORS = 8,
        REGIONS = 16,
        ORDERS = 32,
        PROPS = 64
    };
    ir_bytecode_out out = {w, bytes};
    ir_attr dict = all_attrs(w, op);
    bool props = has_properties(w, op), attrs = dict && dict->count;
    const ir_value **results = w->use_orders ? result_list(op) : NULL;
    uint32_t orders = results ? bc_count_use_orders(w, results, op->n_results) : 0;
    ir_out_varint(&out, ((bc_item *)ir_mapping_get(w->items, op->def))->index);
    ir_out_byte(&out, (uint8_t)((attrs ? ATTRS : 0) | (op->n_results ? RESULTS : 0) |
                                (op->n_operands ? OPERANDS : 0) |
                                (op->n_successors ? SUCCESSORS : 0) |
                                (op->n_regions ? REGIONS : 0) | (orders ? ORDERS : 0) |
                                (props ? PROPS : 0)));
    ir_out_attr(&out, ir_loc_attr(w->ctx, op->loc));
    if (attrs)
        ir_out_attr(&out, dict);
    if (props)
        ir_out_varint(&out, property_number(w, op));
    write_lists(&out, op);
    if (orders)
        bc_put_use_orders(&out, results, op->n_results);
    free(results);
    if (!op->n_regions)
        return;
    bool isolated = op->order & 1;
    ir_out_varint(&out, (uint64_t)op->n_regions << 1 | isolated);
    tw_strbuf nested = {0};
    bool section = isolated && w->version >= LAZY_REGIONS;
    for (uint16_t i = 0; i < op->n_regions; i++)
        write_region(w, &op->regions[i], isolated ? 0 : inner_base,
                     section ? &nested : bytes);
    if (section)
        bc_put_section(bytes, IR_SECTION_IR, &nested);
    tw_strbuf_free(&nested);
}

static void write_block(bc_writer *w, ir_block *block, uint32_t inner_base,
                        tw_strbuf *bytes)
{
    ir_bytecode_out out = {w, bytes};
    uint64_t count = 0;
    for (ir_op *op = block->first; op; op = op->next)
        count++;
    ir_out_varint(&out, count << 1 | (block->n_args != 0));
    if (block->n_args) {
        ir_out_varint(&out, block->n_args);
        for (uint32_t i = 0; i < block->n_args; i++) {
            const ir_value *arg = block->args[i];
            bool has_loc = arg->loc.bits || w->version < ELIDED_LOCATIONS;
            uint64_t type = ((bc_item *)ir_mapping_get(w->items, arg->type))->index;
            ir_out_varint(&out,
                          w->version >= ELIDED_LOCATIONS ? type << 1 | has_loc : type);
            if (has_loc)
                ir_out_attr(&out, ir_loc_attr(w->ctx, arg->loc));
        }
        const ir_value *const *args = (const ir_value *const *)block->args;
        uint32_t orders = bc_count_use_orders(w, args, block->n_args);
        if (w->version >= USE_ORDER)
            ir_out_byte(&out, orders ? ORDERS_OF_ARGUMENTS : 0);
        if (orders)
            bc_put_use_orders(&out, args, block->n_args);
    }
    for (ir_op *op = block->first; op; op = op->next)
        write_op(w, op, inner_base, bytes);
}

static void write_region(bc_writer *w, ir_region *region, uint32_t base, tw_strbuf *bytes)
{
    ir_bytecode_out out = {w, bytes};
    uint32_t n_blocks = 0, number = base;
    for (ir_block *b = region->first; b; b = b->next, n_blocks++) {
        for (uint32_t i = 0; i < b->n_args; i++)
            b->args[i]->print_id = number++;
        for (ir_op *op = b->first; op; op = op->next)
            for (uint32_t i = 0; i < op->n_results; i++)
                op->results[i].print_id = number++;
    }
    ir_out_varint(&out, n_blocks);
    if (!n_blocks)
        return;
    ir_out_varint(&out, number - base);
    for (ir_block *b = region->first; b; b = b->next)
        write_block(w, b, number, bytes);
}

void bc_write_ir(bc_writer *w, ir_op *op, tw_strbuf *bytes)
{
    uint32_t next = 0;
    if (w->use_orders)
        ir_walk_pre(op, number_position, &next);
    ir_out_varint(&(ir_bytecode_out){w, bytes}, 1 << 1);
    write_op(w, op, 0, bytes);
}
