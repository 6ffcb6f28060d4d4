/* ttkernel_cpp.c: see ttkernel_cpp.h. */
#include "ttkernel/ttkernel_cpp.h"

#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"

/* ---- names of enum cases ------------------------------------------------------------- */

static const ttkernel_cpp_case formats[] = {
    {TTCORE_DataType_Float32, "DataFormat::Float32"},
    {TTCORE_DataType_Float16, "DataFormat::Float16"},
    {TTCORE_DataType_BFloat16, "DataFormat::Float16_b"},
    {TTCORE_DataType_BFP_Float8, "DataFormat::Bfp8"},
    {TTCORE_DataType_BFP_BFloat8, "DataFormat::Bfp8_b"},
    {TTCORE_DataType_BFP_Float4, "DataFormat::Bfp4"},
    {TTCORE_DataType_BFP_BFloat4, "DataFormat::Bfp4_b"},
    {TTCORE_DataType_BFP_Float2, "DataFormat::Bfp2"},
    {TTCORE_DataType_BFP_BFloat2, "DataFormat::Bfp2_b"},
    {TTCORE_DataType_UInt32, "DataFormat::UInt32"},
    {TTCORE_DataType_UInt16, "DataFormat::UInt16"},
    {TTCORE_DataType_UInt8, "DataFormat::UInt8"},
    {TTCORE_DataType_Int32, "DataFormat::Int32"},
    {0, NULL},
};
static const ttkernel_cpp_case pools[] = {
    {TTKERNEL_ReduceType_Sum, "PoolType::SUM"},
    {TTKERNEL_ReduceType_Max, "PoolType::MAX"},
    {TTKERNEL_ReduceType_Avg, "PoolType::AVG"},
    {0, NULL},
};
static const ttkernel_cpp_case dims[] = {
    {TTKERNEL_ReduceDim_Row, "ReduceDim::REDUCE_ROW"},
    {TTKERNEL_ReduceDim_Col, "ReduceDim::REDUCE_COL"},
    {TTKERNEL_ReduceDim_Scalar, "ReduceDim::REDUCE_SCALAR"},
    {0, NULL},
};
static const ttkernel_cpp_case broadcasts[] = {
    {TTKERNEL_BcastType_None, "BroadcastType::NONE"},
    {TTKERNEL_BcastType_Row, "BroadcastType::ROW"},
    {TTKERNEL_BcastType_Col, "BroadcastType::COL"},
    {TTKERNEL_BcastType_Scalar, "BroadcastType::SCALAR"},
    {0, NULL},
};
static const ttkernel_cpp_case binaries[] = {
    {TTKERNEL_EltwiseBinaryType_Add, "EltwiseBinaryType::ELWADD"},
    {TTKERNEL_EltwiseBinaryType_Sub, "EltwiseBinaryType::ELWSUB"},
    {TTKERNEL_EltwiseBinaryType_Mul, "EltwiseBinaryType::ELWMUL"},
    {0, NULL},
};
static const ttkernel_cpp_case reuses[] = {
    {TTKERNEL_BinaryDestReuseType_DestToSrcA, "EltwiseBinaryReuseDestType::DEST_TO_SRCA"},
    {TTKERNEL_BinaryDestReuseType_DestToSrcB, "EltwiseBinaryReuseDestType::DEST_TO_SRCB"},
    {0, NULL},
};

/* ---- template arguments -------------------------------------------------------------- */

#define CASE(attr, names)                                                                  \
    {                                                                                      \
        TTKERNEL_CPP_CASE, attr, names                                                     \
    }
#define VALUE(attr)                                                                        \
    {                                                                                      \
        TTKERNEL_CPP_CASE_VALUE, attr, formats                                             \
    }
#define ROW(id, ...)                                                                       \
    {                                                                                      \
        TTKERNEL_OP(id),                                                                   \
        {                                                                                  \
            __VA_ARGS__                                                                    \
        }                                                                                  \
    }

static const struct {
    const ir_op_def *def;
    ttkernel_cpp_arg args[TTKERNEL_CPP_ARGS];
} templates[] = {
    ROW(copy_dest_values, CASE("data_format", formats)),
    ROW(binary_dest_reuse_tiles, CASE("eltwise_binary_type", binaries),
        CASE("reuse_type", reuses)),
    ROW(binary_dest_reuse_tiles_init, CASE("eltwise_binary_type", binaries),
        CASE("reuse_type", reuses)),
    ROW(reduce_init, CASE("reduce_type", pools), CASE("reduce_dim", dims)),
    ROW(reduce_tile, CASE("reduce_type", pools), CASE("reduce_dim", dims)),
    ROW(sfpu_reduce_init, CASE("reduce_type", pools), CASE("data_format", formats)),
    ROW(sfpu_reduce, CASE("reduce_type", pools), CASE("data_format", formats),
        CASE("reduce_dim", dims)),
    ROW(typecast_tile, VALUE("in_dtype"), VALUE("out_dtype")),
    ROW(typecast_tile_init, VALUE("in_dtype"), VALUE("out_dtype")),
    ROW(unary_bcast, CASE("bcast_type", broadcasts)),
    ROW(unary_bcast_init, CASE("bcast_type", broadcasts)),
    ROW(pack_tile, {TTKERNEL_CPP_BOOL, "out_of_order"}),
    ROW(pack_untilize_init, {TTKERNEL_CPP_NUMBER, "colsPerDstPass"},
        {TTKERNEL_CPP_NUMBER, "totalColTiles"}),
    ROW(experimental_pack_untilize_block, {TTKERNEL_CPP_NUMBER, "colsPerDstPass"},
        {TTKERNEL_CPP_NUMBER, "totalColTiles"}),
    ROW(noc_semaphore_inc, {TTKERNEL_CPP_IF_TRUE, "posted"}),
    ROW(noc_semaphore_inc_multicast, {TTKERNEL_CPP_IF_TRUE, "posted"}),
    ROW(max_reduce_with_indices, {TTKERNEL_CPP_NUMBER, "num_rows"},
        {TTKERNEL_CPP_TEXT, "ckernel::DataLayout::ROW_MAJOR"},
        {TTKERNEL_CPP_IF_TRUE, "accumulate"}),
    ROW(max_reduce_with_indices_init,
        {TTKERNEL_CPP_TEXT, "ckernel::DataLayout::ROW_MAJOR"}),
    ROW(fill_tile_int, {TTKERNEL_CPP_TEXT, "DataFormat::Int32"}),
    ROW(get_arg_val, {TTKERNEL_CPP_TEXT, "uint32_t"}),
    ROW(get_common_arg_val, {TTKERNEL_CPP_TEXT, "uint32_t"}),
    ROW(get_noc_addr_from_bank_id, {TTKERNEL_CPP_TEXT, "true"}),
    ROW(experimental_write_row_mask_tile, CASE("data_format", formats)),
    ROW(experimental_write_col_mask_tile, CASE("data_format", formats)),
    ROW(experimental_fill_arange_tile, CASE("data_format", formats)),
};

/* The template argument of every operation with the attribute `dtype`. */
static const ttkernel_cpp_arg dtype[TTKERNEL_CPP_ARGS] = {CASE("dtype", formats)};

/* Names that differ from the operation's. */
static const struct {
    const ir_op_def *def;
    const char *callee;
} callees[] = {
    {TTKERNEL_OP(my_logical_x_), "get_absolute_logical_x"},
    {TTKERNEL_OP(my_logical_y_), "get_absolute_logical_y"},
    {TTKERNEL_OP(remote_sram_write_u32), "noc_semaphore_set_remote"},
};

const ttkernel_cpp_arg *ttkernel_cpp_args(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(templates); i++)
        if (templates[i].def == def)
            return templates[i].args;
    for (size_t i = 0; i < def->attrs.count; i++)
        if (strcmp(def->attrs.at[i].name, "dtype") == 0)
            return dtype;
    return NULL;
}

void ttkernel_cpp_name(const ir_op_def *def, tw_strbuf *out)
{
    static const char experimental[] = "experimental.";
    const char *name = def->name + strlen("ttkernel.");
    for (size_t i = 0; i < TW_COUNT(callees); i++)
        if (callees[i].def == def)
            name = callees[i].callee;
    if (strncmp(name, experimental, sizeof experimental - 1) == 0) {
        tw_strbuf_puts(out, "experimental::");
        name += sizeof experimental - 1;
    }
    tw_strbuf_puts(out, name);
}

const ttkernel_cpp_case *ttkernel_cpp_enum(size_t i)
{
    static const ttkernel_cpp_case *const all[] = {formats,  pools,  dims, broadcasts,
                                                   binaries, reuses, NULL};
    return i < TW_COUNT(all) ? all[i] : NULL;
}
