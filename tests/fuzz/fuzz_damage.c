/* fuzz_damage.c: a module's text, of which each operation is then damaged in every way:
 * operands, results, regions and arguments too many or too few, types and attributes of
 * another kind.
 *
 * What the verifier still accepts must print and read back, in both forms; what it does not
 * accept must print all the same, also as if it had been verified. */
#include "ir/affine.h"
#include "ir/op.h"
#include "ir/text.h"
#include "pipelines/dialects.h"

#include <stdio.h>
#include <stdlib.h>

enum { OFTEN = 2, TABLE = 1 << 20, MOST_OPERATIONS = 400 };

/* How often each kind of damage was done to operations of a name: text tests repeat the
 * same operations, and a damage that was printed twice is not tried again. */
static unsigned char done[TABLE];

static unsigned char *times_done(const ir_op_def *def, size_t damage)
{
    uint32_t hash = 2166136261u ^ (uint32_t)damage;
    for (const char *c = def->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    hash = (hash ^ (uint32_t)(damage >> 3)) * 16777619u;
    return &done[(hash ^ hash >> 15) % TABLE];
}

/* ---- values for types and attributes ------------------------------------------------ */

enum { N_TYPES = 7, N_ATTRS = 16 };

static ir_type type_of_kind(ir_context *ctx, size_t i)
{
    ir_type f32 = ir_float_type(ctx, IR_F32);
    const int64_t dims[] = {2, 3};
    switch (i) {
    case 0:
        return f32;
    case 1:
        return ir_index_type(ctx);
    case 2:
        return ir_tensor_type(f32, dims, 2, NULL);
    case 3:
        return ir_memref_type(f32, dims, 0, NULL, NULL);
    case 4:
        return ir_none_type(ctx);
    case 5:
        return ir_function_type(ctx, &f32, 1, NULL, 0);
    default:
        return ir_unranked_tensor_type(f32);
    }
}

static ir_attr attr_of_kind(ir_context *ctx, size_t i)
{
    const int64_t numbers[] = {7, -1, 0, 1};
    switch (i) {
    case 0:
        return NULL;
    case 1:
        return ir_unit_attr(ctx);
    case 2:
        return ir_i64_attr(ctx, -1);
    case 3:
        return ir_i64_attr(ctx, (int64_t)1 << 40);
    case 4:
        return ir_i64_attr(ctx, 2);
    case 5:
        return ir_i32_attr(ctx, 1000);
    case 6:
        return ir_string_attr(ctx, TW_STR("a\"b"));
    case 7:
        return ir_array_attr(ctx, NULL, 0);
    case 8:
        return ir_array_attr(ctx, &(ir_attr){ir_unit_attr(ctx)}, 1);
    case 9:
        return ir_dense_i64_array(ctx, numbers, 0);
    case 10:
        return ir_dense_i64_array(ctx, numbers, 4);
    case 11:
        return ir_dense_i32_array(ctx, numbers, 4);
    case 12:
        return ir_i64_array_attr(ctx, numbers, 4);
    case 13:
        return ir_type_attr(ir_index_type(ctx));
    case 14:
        return ir_affine_map_attr(ctx, ir_affine_identity(ctx, 3));
    default:
        return ir_dense_i64(
            ir_tensor_type(ir_integer_type(ctx, 64, IR_SIGNLESS), &(int64_t){4}, 1, NULL),
            numbers, 4);
    }
}

/* Names that printers leave out of dictionaries, for operations that do not have them. */
static const char *const names[] = {"operandSegmentSizes",
                                    "resultSegmentSizes",
                                    "sym_name",
                                    "sym_visibility",
                                    "arg_attrs",
                                    "value",
                                    "dimensions",
                                    "kind",
                                    "indexing_maps",
                                    "src_indices",
                                    "fastmath",
                                    "map"};

/* ---- damages ------------------------------------------------------------------------ */

/* One operand less in the last group that has one. */
static void shrink_segments(ir_op *op)
{
    ir_attr sizes = ir_op_attr(op, "operandSegmentSizes");
    int64_t at[16];
    if (!sizes || sizes->kind != IR_ATTR_DENSE_ARRAY || sizes->count > TW_COUNT(at))
        return;
    for (uint32_t i = 0; i < sizes->count; i++)
        at[i] = ir_dense_array_int(sizes, i);
    for (uint32_t i = sizes->count; i-- > 0;)
        if (at[i] > 0) {
            at[i]--;
            break;
        }
    ir_op_set_attr(op, "operandSegmentSizes",
                   ir_dense_i32_array(op->ctx, at, sizes->count));
}

/* In its place, an operation with other numbers of results and regions. */
static bool rebuild(ir_op *op, size_t n_results, size_t n_regions)
{
    ir_value *operands[64];
    ir_type results[64];
    ir_builder b = ir_builder_before(op);
    if (!op->block || op->n_operands > TW_COUNT(operands) ||
        n_results > TW_COUNT(results) || n_results > op->n_results)
        return false;
    for (size_t i = n_results; i < op->n_results; i++)
        if (!ir_value_unused(ir_op_result(op, i)))
            return false;
    for (size_t i = 0; i < op->n_operands; i++)
        operands[i] = ir_op_operand(op, i);
    for (size_t i = 0; i < n_results; i++)
        results[i] = op->results[i].type;
    ir_op *other = ir_build(&b, &(ir_op_state){.def = op->def,
                                               .operands = operands,
                                               .n_operands = op->n_operands,
                                               .results = results,
                                               .n_results = n_results,
                                               .successors = op->successors,
                                               .n_successors = op->n_successors,
                                               .n_regions = n_regions,
                                               .no_defaults = true});
    for (size_t i = 0; i < ir_def_n_props(op->def); i++)
        other->props[i] = op->props[i];
    other->attrs = op->attrs;
    for (size_t i = 0; i < n_results; i++)
        ir_value_replace_uses(&op->results[i], &other->results[i]);
    for (size_t i = 0; i < n_regions && i < op->n_regions; i++)
        ir_region_take(&other->regions[i], &op->regions[i]);
    ir_op_erase(op);
    return true;
}

static bool damage_operands(ir_op *op, size_t how)
{
    size_t n = op->n_operands;
    if (n == 0)
        return false;
    switch (how) {
    case 0:
        ir_op_splice_operands(op, n - 1, 1, NULL, 0);
        return true;
    case 1:
        ir_op_splice_operands(op, 0, 1, NULL, 0);
        return true;
    case 2:
        ir_op_splice_operands(op, 0, n, NULL, 0);
        return true;
    case 3:
        ir_op_splice_operands(op, n, 0, &(ir_value *){ir_op_operand(op, n - 1)}, 1);
        return true;
    case 4:
        ir_op_splice_operands(op, n - 1, 1, NULL, 0);
        shrink_segments(op);
        return true;
    case 5:
        ir_op_set_operand(op, 0, ir_op_operand(op, n - 1));
        return n > 1;
    default:
        ir_op_set_operand(op, n - 1, ir_op_operand(op, 0));
        return n > 1;
    }
}

/* Nothing is read any more: operations in graphs may read what comes behind them. */
static void empty_block(ir_block *block)
{
    ir_op_list all = ir_ops_in_block(block, NULL);
    for (size_t i = 0; i < all.n; i++)
        ir_op_splice_operands(all.at[i], 0, all.at[i]->n_operands, NULL, 0);
    ir_op_list_free(&all);
    while (block->last)
        ir_op_erase(block->last);
}

static bool is_unused(const ir_op *op)
{
    for (size_t i = 0; i < op->n_results; i++)
        if (!ir_value_unused(ir_op_result(op, i)))
            return false;
    return true;
}

static bool damage_regions(ir_op *op, size_t how)
{
    ir_block *entry = ir_op_body(op, 0), *other = ir_op_body(op, 1);
    if (how == 0)
        return op->n_regions && rebuild(op, op->n_results, op->n_regions - 1u);
    if (how == 1)
        return rebuild(op, op->n_results, op->n_regions + 1u);
    if (!entry)
        return false;
    switch (how) {
    case 2:
        if (!entry->n_args || !ir_value_unused(entry->args[entry->n_args - 1]))
            return false;
        ir_block_erase_arg(entry, entry->n_args - 1);
        return true;
    case 3:
        ir_block_add_arg(op->ctx, entry, ir_index_type(op->ctx), op->loc);
        return true;
    case 4:
        ir_region_append(&op->regions[0], ir_block_create(op->ctx));
        return true;
    case 5:
        if (entry->last && !is_unused(entry->last))
            return false;
        if (entry->last)
            ir_op_erase(entry->last);
        return true;
    case 6:
        if (entry->next)
            return false;
        empty_block(entry);
        return true;
    case 7:
        if (entry->next)
            return false;
        empty_block(entry);
        ir_block_erase(op->ctx, entry);
        return true;
    default:
        if (!other)
            return false;
        ir_block_add_arg(op->ctx, other, ir_index_type(op->ctx), op->loc);
        return true;
    }
}

enum { N_OPERAND_DAMAGES = 7, N_REGION_DAMAGES = 9, N_SLOTS = 24 };

/* The `how`-th damage; false if the operation has nothing of the kind. */
static bool damage(ir_op *op, size_t how)
{
    if (how < N_OPERAND_DAMAGES)
        return damage_operands(op, how);
    how -= N_OPERAND_DAMAGES;
    if (how < N_REGION_DAMAGES)
        return damage_regions(op, how);
    how -= N_REGION_DAMAGES;
    if (how == 0)
        return op->n_results && rebuild(op, op->n_results - 1u, op->n_regions);
    how--;
    if (how < N_TYPES) {
        if (op->n_results)
            op->results[0].type = type_of_kind(op->ctx, how);
        return op->n_results;
    }
    how -= N_TYPES;
    size_t slot = how / N_ATTRS, n_props = ir_def_n_props(op->def);
    ir_attr value = attr_of_kind(op->ctx, how % N_ATTRS);
    if (slot < N_SLOTS) {
        size_t n_attrs = op->attrs ? op->attrs->count : 0;
        if (slot >= n_props + n_attrs)
            return false;
        if (slot < n_props)
            op->props[slot] = value; /* also of kinds that its setter would convert */
        else
            ir_op_set_attr(op, op->attrs->entries[slot - n_props].name->text, value);
        return true;
    }
    ir_op_set_attr(op, names[slot - N_SLOTS], value);
    return value;
}

/* False, without a look at the rest, for slots of attributes that the operation lacks. */
static bool applies(const ir_op *op, size_t how)
{
    size_t first = N_OPERAND_DAMAGES + N_REGION_DAMAGES + 1 + N_TYPES;
    size_t slot = how < first ? 0 : (how - first) / N_ATTRS;
    return slot >= N_SLOTS ||
           slot < ir_def_n_props(op->def) + (op->attrs ? op->attrs->count : 0) ||
           how < first;
}

enum {
    N_DAMAGES = N_OPERAND_DAMAGES + N_REGION_DAMAGES + 1 + N_TYPES +
                (N_SLOTS + (int)TW_COUNT(names)) * N_ATTRS
};

/* ---- printing ----------------------------------------------------------------------- */

static void keep(void *user, ir_context *ctx, const ir_diagnostic *diagnostic)
{
    (void)ctx;
    tw_strbuf *last = user;
    if (diagnostic->severity != IR_ERROR)
        return;
    last->size = 0;
    tw_strbuf_append(last, diagnostic->text, strlen(diagnostic->text));
}

static tw_strbuf printed(ir_op *op, bool generic, bool assume)
{
    tw_strbuf text = {0};
    ir_print_op(op, &(ir_print_options){.generic = generic, .assume_verified = assume},
                &text);
    return text;
}

static void check_reads_back(ir_context *ctx, const tw_strbuf *text,
                             const tw_strbuf *expected, const tw_strbuf *last)
{
    ir_op *op = ir_parse(ctx, (tw_str){text->data, text->size}, "printed", NULL);
    if (!op) {
        ir_flush_diagnostics(ctx);
        fprintf(stderr, "does not read back: %.*s\n%.*s\n", (int)last->size, last->data,
                (int)text->size, text->data);
        abort();
    }
    tw_strbuf again = printed(op, false, false);
    if (again.size != expected->size ||
        memcmp(again.data, expected->data, again.size) != 0) {
        fprintf(stderr, "prints as\n%.*s\nthen as\n%.*s\n", (int)expected->size,
                expected->data, (int)again.size, again.data);
        abort();
    }
    tw_strbuf_free(&again);
    ir_op_erase(op);
}

static void print_and_read(ir_context *ctx, ir_op *module, const tw_strbuf *last)
{
    tw_strbuf custom = printed(module, false, true), generic = printed(module, true, true);
    if (ir_verify(module)) {
        check_reads_back(ctx, &custom, &custom, last);
        check_reads_back(ctx, &generic, &custom, last);
    }
    tw_strbuf_free(&custom);
    tw_strbuf_free(&generic);
}

/* The operation that is the `wanted`-th in pre-order. */
static ir_op *operation(ir_op *module, size_t wanted)
{
    ir_op_list all = ir_ops_in(module, NULL);
    ir_op *op = wanted < all.n ? all.at[wanted] : NULL;
    ir_op_list_free(&all);
    return op;
}

static void damage_one(ir_context *ctx, ir_op *module, size_t at, const tw_strbuf *last)
{
    const ir_op_def *def = operation(module, at)->def;
    for (size_t how = 0; how < N_DAMAGES; how++) {
        unsigned char *times = times_done(def, how);
        if (*times >= OFTEN || !applies(operation(module, at), how))
            continue;
        ir_op *copy = ir_op_clone(module, NULL);
        if (damage(operation(copy, at), how)) {
            ++*times;
            ir_op *exact = ir_op_clone(copy, NULL); /* without spare room for operands */
            print_and_read(ctx, exact, last);
            ir_op_erase(exact);
        }
        ir_op_erase(copy);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_strbuf last = {0};
    ir_context *ctx = ir_context_create();
    ir_register_all(ctx);
    ir_context_allow_unregistered(ctx, true);
    ir_context_set_sink(ctx, (ir_diagnostic_sink){keep, &last});
    ir_op *module = ir_parse(ctx, (tw_str){(const char *)data, size}, "input", NULL);
    if (module) {
        ir_op_list all = ir_ops_in(module, NULL);
        size_t n = all.n;
        ir_op_list_free(&all);
        for (size_t at = 1; at < n && n <= MOST_OPERATIONS; at++)
            damage_one(ctx, module, at, &last);
        ir_op_erase(module);
    }
    ir_context_destroy(ctx);
    tw_strbuf_free(&last);
    return 0;
}
