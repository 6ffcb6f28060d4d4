/* ttkernel_verify.c: what the operations of the ttkernel dialect demand.  Messages name
 * operations by tt-metal's C++ classes, as users know them. */
#include "ir/rules/rules.h"
#include "mlir/arith/arith.h"
#include "mlir/builtin/builtin.h"
#include "mlir/func/func.h"
#include "ttcore/ttcore.h"
#include "ttcore/ttcore_tile.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_hooks.h"
#include "ttkernel/ttkernel_layout.h"

/* ---- transfers */

/* Transfers use one of two networks. */
static bool has_noc(ir_op *op)
{
    enum { NOCS = 2 };
    int64_t n;
    CHK_ERROR_IF(arith_constant_int(ir_op_operand_named(op, "noc"), &n) &&
                     (n < 0 || n >= NOCS),
                 "noc must be in [0, %d].", NOCS - 1);
    return true;
}

/* What the plan of TTL says of a tensor's layout where it is moved; NULL: nothing. */
static ir_attr layout_of(const ir_value *accessor)
{
    const ir_op *maker = ir_value_def(accessor);
    ir_attr layout =
        ir_op_is(maker, TTKERNEL_OP(tensor_accessor)) ? ir_op_attr(maker, "layout") : NULL;
    layout = layout ? layout : ir_type_param(accessor->type, "layout");
    return ir_attr_is(layout, IR_ATTR_DIALECT) && layout->def == TTKERNEL_ATTR(layout)
               ? layout
               : NULL; /* another attribute is the accessor's error */
}

static bool has_shards(ir_op *op)
{
    ir_attr layout = layout_of(ir_op_operand(op, 1));
    CHK_ERROR_IF(layout && layout->params[0]->value != TTKERNEL_TensorLayout_Sharded,
                 "moves shards, and the tensor's layout is %s: move its pages or tiles",
                 ir_attr_text(op->ctx, layout));
    return has_noc(op);
}

/* And some carry one of 16 numbers. */
static bool has_transaction(ir_op *op)
{
    enum { MAX_TRANSACTION = 15 };
    int64_t n;
    CHK_ERROR_IF(arith_constant_int(ir_op_operand_named(op, "trid"), &n) &&
                     (n < 0 || n > MAX_TRANSACTION),
                 "trid must be in [0, %d].", MAX_TRANSACTION);
    return has_noc(op);
}

/* The far end is a core's {x, y} or one bank, or an address that says so by itself. */
static bool has_address(ir_op *op)
{
    size_t begin, cores, banks, addresses,
        first = op->def->operands.at[0].arity != IR_VARIADIC;
    if (!ir_op_operand_group(op, first, &begin, &cores) ||
        !ir_op_operand_group(op, first + 1, &begin, &banks))
        return true;
    if (!ir_op_operand_group(op, first + 2, &begin, &addresses))
        return true;
    ir_type address = op->operands[begin].value->type;
    bool whole =
        address->kind == IR_TYPE_DIALECT && address->def == TTKERNEL_TYPE(noc_addr);
    if (whole && !cores && !banks)
        return true;
    CHK_ERROR_IF(whole || !cores == !banks, "must specify exactly one NoC address mode");
    CHK_ERROR_IF(cores && cores != 2, "core address mode requires x and y coordinates");
    CHK_ERROR_IF(banks > 1, "bank address mode requires one bank id");
    return true;
}

static bool has_bases(ir_op *op)
{
    static const char *const bases[][2] = {{"cta_base", "cta_expr"},
                                           {"crta_base", "crta_expr"}};
    bool chained = ir_op_operand_named(op, "prev_args");
    for (size_t i = 0; i < TW_COUNT(bases); i++)
        CHK_ERROR_IF(chained && ir_op_operand_named(op, bases[i][0]),
                     "cta_base and crta_base should not be provided when using prev_args");
    for (size_t i = 0; i < TW_COUNT(bases) && !chained; i++)
        CHK_ERROR_IF(
            !ir_op_operand_named(op, bases[i][0]),
            "both cta_base and crta_base are required when prev_args is not provided");
    for (size_t i = 0; i < TW_COUNT(bases) && !chained; i++) {
        const ir_op *maker = ir_value_def(ir_op_operand_named(op, bases[i][0]));
        CHK_ERROR_IF(
            !ir_op_attr(op, bases[i][1]) && (!maker || maker->def != ARITH_OP(constant)),
            "%s must be a constant when %s is not provided", bases[i][0], bases[i][1]);
    }
    return true;
}

static bool fits_format(ir_op *op)
{
    tw_str text = ir_attr_str(ir_op_attr(op, "fmt"));
    uint32_t holes = 0;
    for (size_t i = 0; i + 1 < text.size; i++)
        if (text.data[i] == '{' && text.data[i + 1] == '}')
            holes++, i++;
    CHK_ERROR_IF(holes != op->n_operands,
                 "number of format specifiers must match number of operands");
    return true;
}

/* ---- accessors that say how their tensors lie ---------------------------------------- */

bool ttkernel_accessor_type_verify(ir_context *ctx, ir_loc loc, ir_type type)
{
    ir_type tensor = type->params[0]->type;
    if (tensor->kind != IR_TYPE_TENSOR || tensor->count < 1 ||
        !ir_type_has_static_shape(tensor) || !ttcore_tile_of(tensor->element))
        return ir_error(ctx, loc,
                        "an accessor is of a static tensor of tiles, or of numbers that "
                        "tiles hold, not of '%s'",
                        ir_type_text(ctx, tensor));
    return true;
}

bool ttkernel_laid_accessor_verify(ir_op *op)
{
    ir_type type = op->results[0].type;
    ir_attr given = ir_op_attr(op, "layout"), named;
    if (type->def != TTKERNEL_TYPE(tensor_accessor))
        return ir_op_error(op, "gives a !ttkernel.tensor_accessor, not '%s'",
                           ir_type_text(op->ctx, type));
    named = ir_type_param(type, "layout");
    if (given &&
        (!ir_attr_is(given, IR_ATTR_DIALECT) || given->def != TTKERNEL_ATTR(layout)))
        return ir_op_error(op, "layout must be a #ttkernel.layout, not %s",
                           ir_attr_text(op->ctx, given));
    if (!given && !named)
        return ir_op_error(op, "needs a layout: {layout = #ttkernel.layout<...>}, or as "
                               "the second parameter of its type");
    if (given && named && given != named)
        return ir_op_error(op, "has layout %s, its type %s", ir_attr_text(op->ctx, given),
                           ir_attr_text(op->ctx, named));
    given = given ? given : named;
    return given->params[0]->value != TTKERNEL_TensorLayout_Sharded ||
           ttkernel_check_shards(op, given, type->params[0]->type);
}

/* ---- circular buffers */

/* Kernels are functions of a module, or regions of ttmetal.enqueue_program. */
static bool is_in_program(const ir_op *op)
{
    for (const ir_op *in = ir_op_parent(op); in; in = ir_op_parent(in)) {
        const ir_op *around = ir_op_parent(in);
        if (strcmp(in->def->name, "ttmetal.enqueue_program") == 0 ||
            (in->def == FUNC_OP(func) && around && around->def == BUILTIN_OP(module)))
            return true;
    }
    return false;
}

static bool in_program(ir_op *op)
{
    static const struct {
        uint16_t row;
        const char *cls;
    } classes[] = {
        {TTKERNEL_cb_pop_front, "CBPopFrontOp"},
        {TTKERNEL_cb_push_back, "CBPushBackOp"},
        {TTKERNEL_cb_reserve_back, "CBReserveBackOp"},
        {TTKERNEL_cb_wait_front, "CBWaitFrontOp"},
        {TTKERNEL_experimental_pack_untilize_block, "ExperimentalPackUntilizeBlockOp"},
        {TTKERNEL_experimental_tilize_block, "ExperimentalTilizeBlockOp"},
        {TTKERNEL_experimental_untilize_block, "ExperimentalUntilizeBlockOp"},
        {TTKERNEL_pack_untilize_init, "PackUntilizeInitOp"},
        {TTKERNEL_tilize_block, "TilizeBlockOp"},
        {TTKERNEL_tilize_init, "TilizeInitOp"},
        {TTKERNEL_transpose_wh_init, "TransposeInitOp"},
        {TTKERNEL_transpose_wh_tile, "TransposeWHTileOp"},
        {TTKERNEL_untilize_block, "UntilizeBlockOp"},
        {TTKERNEL_untilize_init, "UntilizeInitOp"},
    };
    for (size_t i = 0; i < TW_COUNT(classes); i++)
        CHK_ERROR_IF(op->def == &ttkernel_ops[classes[i].row] && !is_in_program(op),
                     "%s must be inside of a EnqueueProgramOp region", classes[i].cls);
    return true;
}

static bool holds_tiles(const ir_op *op, const char *buffer)
{
    ir_attr element = ir_type_param(ir_op_operand_named(op, buffer)->type, "element_type");
    return ir_attr_is(element, IR_ATTR_TYPE) && element->type->kind == IR_TYPE_DIALECT &&
           element->type->def == TTCORE_TYPE(tile);
}

static bool converts(ir_op *op, const char *tiles, const char *numbers)
{
    CHK_ERROR_IF(holds_tiles(op, numbers),
                 "Input to TilizeOp or Output to UntilizeOp must have scalar element type");
    CHK_ERROR_IF(!holds_tiles(op, tiles),
                 "Input to UntilizeOp or Output to TilizeOp must have tile element type");
    return true;
}
static bool tilizes(ir_op *op)
{
    return converts(op, "cbOut", "cbIn");
}
static bool untilizes(ir_op *op)
{
    return converts(op, "cbIn", "cbOut");
}

static bool reads_tiles(ir_op *op)
{
    bool init = op->def == TTKERNEL_OP(transpose_wh_init);
    CHK_ERROR_IF(op->def == TTKERNEL_OP(untilize_init) && !holds_tiles(op, "cbIn"),
                 "Input to UntilizeInitOp must have tile element type");
    CHK_ERROR_IF(init && !holds_tiles(op, "cbIn"),
                 "Input to TransposeInitOp must have tile element type");
    CHK_ERROR_IF(init && !holds_tiles(op, "cbOut"),
                 "Output to TransposeInitOp must have tile element type");
    CHK_ERROR_IF(op->def == TTKERNEL_OP(transpose_wh_tile) && !holds_tiles(op, "icb"),
                 "Input to TransposeWHTileOp must have tile element type");
    return true;
}

static bool has_whole_blocks(ir_op *op)
{
    int64_t block;
    if (!arith_constant_int(ir_op_operand_named(op, "blockC"), &block))
        return true;
    CHK_ERROR_IF(block <= 0, "block_c must be positive");
    CHK_ERROR_IF(block % ir_op_int(op, "colsPerDstPass", 1) != 0,
                 "block_c must be divisible by cols_per_dst_pass");
    return true;
}

/* ---- rules */

/* clang-format off */
#define COLUMNS                                                                                 \
    {"colsPerDstPass <= 0 or totalColTiles <= 0",                                               \
     "cols_per_dst_pass and total_col_tiles must both be positive"},                            \
    {"totalColTiles % colsPerDstPass != 0", "cols_per_dst_pass must divide total_col_tiles"}

#define REDUCES                                                                                 \
    {"reduce_type not in {'reduce_sum', 'reduce_max'}",                                         \
     "sfpu_reduce only supports reduce_type Sum or Max"},                                       \
    {"data_format != 'si32'", "sfpu_reduce only supports data_format Int32"}

static const chk_rules rules[TTKERNEL_OP_COUNT] = {
    [TTKERNEL_TensorAccessorArgs] = CHK_RULES({.run = has_bases}),
    [TTKERNEL_cb_pop_front] = CHK_RULES({.run = in_program}),
    [TTKERNEL_cb_push_back] = CHK_RULES({.run = in_program}),
    [TTKERNEL_cb_reserve_back] = CHK_RULES({.run = in_program}),
    [TTKERNEL_cb_wait_front] = CHK_RULES({.run = in_program}),
    [TTKERNEL_dprint] = CHK_RULES({.run = fits_format}),
    [TTKERNEL_experimental_pack_untilize_block] = CHK_RULES(
        {.run = in_program}, {.run = untilizes}, COLUMNS, {.run = has_whole_blocks}),
    [TTKERNEL_experimental_tilize_block] = CHK_RULES({.run = in_program}, {.run = tilizes}),
    [TTKERNEL_experimental_untilize_block] = CHK_RULES({.run = in_program}, {.run = untilizes}),
    [TTKERNEL_noc_async_read] = CHK_RULES({.run = has_address}),
    [TTKERNEL_noc_async_read_barrier_with_trid] = CHK_RULES({.run = has_transaction}),
    [TTKERNEL_noc_async_read_page] = CHK_RULES({.run = has_noc}),
    [TTKERNEL_noc_async_read_shard] = CHK_RULES({.run = has_shards}),
    [TTKERNEL_noc_async_write_page] = CHK_RULES({.run = has_noc}),
    [TTKERNEL_noc_async_write_shard] = CHK_RULES({.run = has_shards}),
    [TTKERNEL_noc_async_read_one_packet_set_state] = CHK_RULES({.run = has_address}),
    [TTKERNEL_noc_async_read_one_packet_with_state] = CHK_RULES({.run = has_address}),
    [TTKERNEL_noc_async_write] = CHK_RULES({.run = has_address}),
    [TTKERNEL_noc_async_write_barrier_with_trid] = CHK_RULES({.run = has_transaction}),
    [TTKERNEL_noc_async_write_one_packet_with_trid] = CHK_RULES(
        {.run = has_transaction}, {.run = has_address}),
    [TTKERNEL_pack_untilize_init] = CHK_RULES({.run = in_program}, {.run = untilizes}, COLUMNS),
    [TTKERNEL_sfpu_reduce] = CHK_RULES(REDUCES,
        {"reduce_dim == 'reduce_dim_scalar'",
         "sfpu_reduce does not support reduce_dim Scalar; decompose into Col + Row"}),
    [TTKERNEL_sfpu_reduce_init] = CHK_RULES(REDUCES),
    [TTKERNEL_tilize_block] = CHK_RULES({.run = in_program}, {.run = tilizes}),
    [TTKERNEL_tilize_init] = CHK_RULES({.run = in_program}, {.run = tilizes}),
    [TTKERNEL_transpose_wh_init] = CHK_RULES({.run = in_program}, {.run = reads_tiles}),
    [TTKERNEL_transpose_wh_tile] = CHK_RULES({.run = in_program}, {.run = reads_tiles}),
    [TTKERNEL_untilize_block] = CHK_RULES({.run = in_program}, {.run = untilizes}),
    [TTKERNEL_untilize_init] = CHK_RULES({.run = in_program}, {.run = reads_tiles}),
};
/* clang-format on */

chk_rules ttkernel_rules(const ir_op_def *def)
{
    return rules[def - ttkernel_ops];
}

bool ttkernel_verify(ir_op *op)
{
    return chk_verify(op, ttkernel_rules(op->def));
}
