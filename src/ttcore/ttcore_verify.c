/* ttcore_verify.c: verifies the operations and attributes of the ttcore dialect. */
#include "ir/rules/rules.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_hooks.h"

/* The result must be the tuple of the operand types. */
static bool is_tuple(ir_op *op)
{
    ir_type result = op->results[0].type;
    bool same = result->count == op->n_operands;
    for (uint32_t i = 0; same && i < op->n_operands; i++)
        same = result->types[i] == ir_op_operand(op, i)->type;
    CHK_ERROR_IF(!same, "expects a tuple of the operands' types, not '%s'",
                 ir_type_text(op->ctx, result));
    return true;
}

static bool is_element(ir_op *op)
{
    ir_type tuple = ir_op_operand(op, 0)->type;
    int64_t index = ir_op_int(op, "index", 0);
    return (index >= 0 && index < (int64_t)tuple->count) ||
           ir_error_at_op(op, "index %lld is out of bounds of operand with size %u",
                          (long long)index, (unsigned)tuple->count);
}

static bool wraps_module(ir_op *op)
{
    const ir_region *body = &op->regions[0];
    unsigned modules = 0;
    CHK_ERROR_IF(!body->first || body->first->next, "Expected exactly one block");
    for (const ir_op *in = body->first->first; in; in = in->next)
        modules += in->def == BUILTIN_OP(module);
    CHK_ERROR_IF(modules != 1, "Expected exactly one ModuleOp but found %u", modules);
    return true;
}

/* ---- operations that reference a function */

static tw_str symbol_of(const ir_op *op, const char *name)
{
    return ir_attr_str(ir_op_attr(op, name)->items[0]);
}

static bool fits_decomposition(ir_op *op)
{
    ir_op *module = ir_op_parent(op);
    tw_str name = symbol_of(op, "decomposition");
    while (module && module->def != BUILTIN_OP(module))
        module = ir_op_parent(module);
    CHK_ERROR_IF(!module, "could not find parent module");
    ir_op *func = ir_symbol_lookup(module, name);
    CHK_ERROR_IF(!func, "decomposition function '%.*s' not found in parent module",
                 (int)name.size, name.data);
    CHK_ERROR_IF(func->def != FUNC_OP(func),
                 "decomposition symbol '%.*s' is not a func.func", (int)name.size,
                 name.data);
    ir_attr declared = ir_op_attr(func, "function_type");
    if (!ir_attr_is(declared, IR_ATTR_TYPE) || declared->type->kind != IR_TYPE_FUNCTION)
        return true; /* its own verifier says so */
    ir_type type = declared->type;
    CHK_ERROR_IF(type->count != op->n_operands,
                 "decomposition function expects %u arguments, but composite has %u inputs",
                 (unsigned)type->count, op->n_operands);
    for (uint32_t i = 0; i < op->n_operands; i++)
        CHK_ERROR_IF(ir_op_operand(op, i)->type != type->types[i],
                     "input type mismatch at index %u: composite has '%s', decomposition "
                     "expects '%s'",
                     i, ir_type_text(op->ctx, ir_op_operand(op, i)->type),
                     ir_type_text(op->ctx, type->types[i]));
    CHK_ERROR_IF(
        type->results != op->n_results,
        "decomposition function returns %u results, but composite produces %u results",
        (unsigned)type->results, op->n_results);
    for (uint32_t i = 0; i < op->n_results; i++)
        CHK_ERROR_IF(
            op->results[i].type != ir_function_results(type)[i],
            "result type mismatch at index %u: composite produces '%s', decomposition "
            "returns '%s'",
            i, ir_type_text(op->ctx, op->results[i].type),
            ir_type_text(op->ctx, ir_function_results(type)[i]));
    return true;
}

/* Arguments or results of a function may have been packed into one tuple. */
static void unpack(const ir_type **types, uint32_t *count)
{
    ir_type packed = *count == 1 ? (*types)[0] : NULL;
    if (!packed || packed->kind != IR_TYPE_TUPLE)
        return;
    *types = packed->types;
    *count = packed->count;
}

static bool fits_callee(ir_op *op)
{
    tw_str name = symbol_of(op, "callee");
    ir_op *func = ir_symbol_resolve(op, ir_op_attr(op, "callee"));
    CHK_ERROR_IF(!func || func->def != FUNC_OP(func),
                 "'%.*s' does not reference a function", (int)name.size, name.data);
    ir_attr declared = ir_op_attr(func, "function_type");
    if (!ir_attr_is(declared, IR_ATTR_TYPE) || declared->type->kind != IR_TYPE_FUNCTION)
        return true; /* its own verifier says so */
    ir_type type = declared->type;
    const ir_type *inputs = type->types, *results = ir_function_results(type);
    uint32_t n_inputs = type->count, n_results = type->results;
    unpack(&inputs, &n_inputs);
    unpack(&results, &n_results);
    CHK_ERROR_IF(n_inputs != op->n_operands,
                 "Incorrect number of operands for callee -- expected %u but got: %u",
                 n_inputs, op->n_operands);
    for (uint32_t i = 0; i < op->n_operands; i++)
        CHK_ERROR_IF(ir_op_operand(op, i)->type != inputs[i],
                     "Operand type mismatch at index %u", i);
    CHK_ERROR_IF(n_results != op->n_results,
                 "Incorrect number of results for callee -- expected %u but got: %u",
                 n_results, op->n_results);
    for (uint32_t i = 0; i < op->n_results; i++)
        CHK_ERROR_IF(op->results[i].type != results[i], "Result type mismatch at index %u",
                     i);
    return true;
}

/* ---- rules */

/* clang-format off */
static const chk_rules rules[TTCORE_OP_COUNT] = {
    [TTCORE_composite] = CHK_RULES({.run = fits_decomposition}),
    [TTCORE_cpu_module] = CHK_RULES({.run = wraps_module}),
    [TTCORE_device_module] = CHK_RULES({.run = wraps_module}),
    [TTCORE_get_key_value] = CHK_RULES({"not results", "requires at least one result"}),
    [TTCORE_get_tuple_element] = CHK_RULES({.run = is_element}),
    [TTCORE_load_cached] = CHK_RULES({.run = fits_callee}),
    [TTCORE_set_key_value] = CHK_RULES({"not values", "requires at least one value"}),
    [TTCORE_tuple] = CHK_RULES({.run = is_tuple}),
};

static const chk_rule core_range_rules[] = {
    {"param(start_coord, 'x') < 0 or param(start_coord, 'y') < 0",
     "start coordinates {text(start_coord)} must be non-negative"},
    {"param(end_coord, 'x') < 0 or param(end_coord, 'y') < 0",
     "end coordinates {text(end_coord)} must be non-negative"},
    {"param(start_coord, 'x') > param(end_coord, 'x') or "
     "param(start_coord, 'y') > param(end_coord, 'y')",
     "Start coordinates {text(start_coord)} must be less than or equal to end coordinates "
     "{text(end_coord)}"},
};

#define INTERVALS "attr_type(collapsed_intervals)"
static const chk_rule metal_layout_rules[] = {
    {"let n = |logical_shape|"},
    {"|dim_alignments| != n",
     "dim_alignments size ({|dim_alignments|}) must match logical_shape rank ({n})"},
    {"each i < |dim_alignments| : dim_alignments[i] <= 0",
     "dim_alignments[{i}] must be positive, got {dim_alignments[i]}"},
    {"rank(" INTERVALS ") != 2", "collapsed_intervals must be a 2D array, got rank {rank(" INTERVALS ")}"},
    {"dim(" INTERVALS ", 1) != 2",
     "collapsed_intervals must have pairs (second dim size 2), got {dim(" INTERVALS ", 1)}"},
    {"loop i < dim(" INTERVALS ", 0)"},
    {"let s = collapsed_intervals[2 * i]"},
    {"let e = collapsed_intervals[2 * i + 1]"},
    {"let from = s < 0 ? s + n : s"},
    {"let to = e < 0 ? e + n : e"},
    {"from < 0 or from >= n",
     "collapsed_intervals start index {s} (normalized: {from}) is out of bounds for logical_shape rank {n}"},
    {"to < 0 or to > n",
     "collapsed_intervals end index {e} (normalized: {to}) is out of bounds for logical_shape rank {n}"},
    {"from > to", "collapsed_intervals start ({s}) must not exceed end ({e})"},
    {"end"},
};

static const chk_rule device_rules[] = {
    {"not chipIds or |chipIds| == 0", "expected at least one chip"},
    {"|chipIds| != product(meshShape)", "expected chipIds size to match the volume of meshShape"},
    {"each d in param(workerGrid, 'shape') : d <= 0", "expected positive worker grid dimensions"},
    {"|param(dramGrid, 'shape')| != 2", "expected 2D dram grid, got {|param(dramGrid, 'shape')|}D"},
    {"each d in param(dramGrid, 'shape') : d <= 0", "expected positive dram grid dimensions"},
    {"|meshTopology| > 0 and |meshTopology| != |meshShape|",
     "expected meshTopology size to match meshShape rank"},
};
/* clang-format on */

const chk_param_rules ttcore_param_rules[] = {
    CHK_PARAM_RULES("ttcore.core_range", core_range_rules),
    CHK_PARAM_RULES("ttcore.metal_layout", metal_layout_rules),
    CHK_PARAM_RULES("ttcore.device", device_rules),
    {0},
};

chk_rules ttcore_rules(const ir_op_def *def)
{
    return rules[def - ttcore_ops];
}

bool ttcore_verify(ir_op *op)
{
    return chk_verify(op, ttcore_rules(op->def));
}

CHK_VERIFY_ATTR(ttcore_verify_core_range, core_range_rules)
CHK_VERIFY_ATTR(ttcore_verify_metal_layout, metal_layout_rules)

/* Locations in the physical grid are {device, y, x}; in memory {device, y, x, offset}. */
static bool maps_to(ir_context *ctx, ir_loc loc, ir_attr map, uint32_t n,
                    const char *message)
{
    return !ir_attr_is(map, IR_ATTR_AFFINE_MAP) || map->map->n_results == n ||
           ir_error(ctx, loc, "%s", message);
}

bool ttcore_verify_device(ir_context *ctx, ir_loc loc, ir_attr device)
{
    enum { GRID_PLACE = 3, MEMORY_PLACE = 4 };
    ir_attr grid = ir_attr_param(device, "workerGrid");
    return chk_verify_attr(ctx, loc, device,
                           (chk_rules){device_rules, TW_COUNT(device_rules)}) &&
           maps_to(ctx, loc, ir_attr_param(grid, "virtToPhysicalMap"), GRID_PLACE,
                   "expected physical grid mapping to have PhysGridResultIdx::NumIndices "
                   "results") &&
           maps_to(ctx, loc, ir_attr_param(device, "l1Map"), MEMORY_PLACE,
                   "expected l1Map to have MemoryMapResultIdx::NumIndices results") &&
           maps_to(ctx, loc, ir_attr_param(device, "dramMap"), MEMORY_PLACE,
                   "expected dramMap to have MemoryMapResultIdx::NumIndices results");
}

bool ttcore_verify_tile(ir_context *ctx, ir_loc loc, ir_type tile)
{
    ir_attr shape = ir_type_param(tile, "shape");
    return !ir_attr_is(shape, IR_ATTR_ARRAY) || shape->count == 2 ||
           ir_error(ctx, loc, "expected 2D shape");
}
