/* kernel_headers.c: the kernel API as headers: what is written by hand lies in the library
 * as text; a function for each operation is printed from its row; and the many paths under
 * which kernels know the API (kernel_paths.c) lead to these files. */
#include "grid/native/kernel_headers.h"

#include "grid/native/sfpu_api.h"

#include "support/file.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_cpp.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* made by embed.c at build time */
extern const char dev_text_kernel_abi[], dev_text_kernel_base[], dev_text_kernel_address[],
    dev_text_kernel_data[], dev_text_kernel_compute[], dev_text_kernel_print[],
    dev_text_kernel_api[], dev_text_kernel_objects[], dev_text_kernel_older[],
    dev_text_kernel_reduce[], dev_text_kernel_dst[], dev_text_kernel_sfpi[],
    dev_text_kernel_low[], dev_text_kernel_debug[], dev_text_kernel_named[],
    dev_text_kernel_newer[], dev_text_kernel_tiles[], dev_text_kernel_scratchpad[],
    dev_text_kernel_attention[], dev_text_host_library[];

/* In the order in which they are included; kernel_ops.hpp comes behind the first two. */
static const struct {
    const char *path, *text;
} by_hand_files[] = {
    {"tilewright/kernel_abi.h", dev_text_kernel_abi},
    {"tilewright/kernel_base.hpp", dev_text_kernel_base},
    {"tilewright/kernel_address.hpp", dev_text_kernel_address},
    {"tilewright/kernel_data.hpp", dev_text_kernel_data},
    {"tilewright/kernel_compute.hpp", dev_text_kernel_compute},
    {"tilewright/kernel_dst.hpp", dev_text_kernel_dst},
    {"tilewright/kernel_print.hpp", dev_text_kernel_print},
    {"tilewright/kernel_older.hpp", dev_text_kernel_older},
    {"tilewright/kernel_reduce.hpp", dev_text_kernel_reduce},
    {"tilewright/kernel_low.hpp", dev_text_kernel_low},
    {"tilewright/kernel_debug.hpp", dev_text_kernel_debug},
    {"tilewright/kernel_sfpi.hpp", dev_text_kernel_sfpi},
    {"tilewright/kernel_api.hpp", dev_text_kernel_api},
    {"tilewright/kernel_objects.hpp", dev_text_kernel_objects},
    {"tilewright/kernel_scratchpad.hpp", dev_text_kernel_scratchpad},
    {"tilewright/kernel_tiles.hpp", dev_text_kernel_tiles},
    {"tilewright/kernel_newer.hpp", dev_text_kernel_newer},
    {"tilewright/kernel_attention.hpp", dev_text_kernel_attention},
    {"tilewright/kernel_named.hpp", dev_text_kernel_named},
    /* for hosts: libraries of kernels */
    {"ttnn-precompiled.hpp", dev_text_host_library},
};

/* ---- functions of the rows --------------------------------------------------------- */

/* What is written by hand, or what is no function. */
static const int by_hand[] = {
    TTKERNEL_TensorAccessor,
    TTKERNEL_TensorAccessorArgs,
    TTKERNEL_tensor_accessor,
    TTKERNEL_tensor_accessor_get_bank_and_offset,
    TTKERNEL_tensor_accessor_get_noc_addr,
    TTKERNEL_tensor_accessor_get_shard_noc_addr,
    TTKERNEL_tensor_accessor_is_local_addr,
    TTKERNEL_tensor_accessor_is_local_bank,
    TTKERNEL_tensor_accessor_is_local_page,
    TTKERNEL_tensor_accessor_is_local_shard,
    TTKERNEL_get_arg_val,
    TTKERNEL_get_common_arg_val,
    TTKERNEL_get_compile_time_arg_val,
    TTKERNEL_my_x,
    TTKERNEL_my_y,
    TTKERNEL_get_noc_addr,
    TTKERNEL_get_noc_addr_from_bank_id,
    TTKERNEL_get_noc_multicast_addr,
    TTKERNEL_noc_async_read,
    TTKERNEL_noc_async_read_one_packet_set_state,
    TTKERNEL_noc_async_read_one_packet_with_state,
    TTKERNEL_noc_async_read_page,
    TTKERNEL_noc_async_read_shard,
    TTKERNEL_noc_async_read_tile,
    TTKERNEL_noc_async_write,
    TTKERNEL_noc_async_write_multicast,
    TTKERNEL_noc_async_write_multicast_loopback_src,
    TTKERNEL_noc_async_write_multicast_one_packet,
    TTKERNEL_noc_async_write_one_packet_with_trid,
    TTKERNEL_noc_async_write_page,
    TTKERNEL_noc_async_write_shard,
    TTKERNEL_noc_async_write_tile,
    TTKERNEL_noc_inline_dw_write,
    TTKERNEL_noc_semaphore_inc,
    TTKERNEL_noc_semaphore_inc_multicast,
    TTKERNEL_noc_semaphore_set,
    TTKERNEL_noc_semaphore_set_multicast,
    TTKERNEL_noc_semaphore_set_multicast_loopback_src,
    TTKERNEL_noc_semaphore_wait,
    TTKERNEL_noc_semaphore_wait_min,
    TTKERNEL_experimental_semaphore_wait,
    TTKERNEL_experimental_semaphore_wait_min,
    TTKERNEL_remote_sram_write_u32,
    TTKERNEL_load_from_l1,
    TTKERNEL_store_to_l1,
    TTKERNEL_reinterpret_cast,
    TTKERNEL_bitcast,
    TTKERNEL_dprint,
    TTKERNEL_invoke_sfpi,
    TTKERNEL_mem_zeros_base,
    TTKERNEL_mem_zeros_size,
    TTKERNEL_compute_kernel_hw_startup,
    TTKERNEL_mm_init,
    TTKERNEL_mm_init_short,
    TTKERNEL_mm_block_init,
    TTKERNEL_mm_block_init_short,
    TTKERNEL_matmul_tiles,
    TTKERNEL_add_tiles_init,
    TTKERNEL_sub_tiles_init,
    TTKERNEL_mul_tiles_init,
    TTKERNEL_copy_tile_init,
    TTKERNEL_reconfig_data_format_srca,
    TTKERNEL_pack_reconfig_data_format,
    TTKERNEL_pack_tile,
    TTKERNEL_topk_merge,
    TTKERNEL_sfpu_reduce,
    TTKERNEL_sfpu_reduce_init,
    TTKERNEL_exp_tile,
    TTKERNEL_exp_tile_init,
    TTKERNEL_untilize_init,
    TTKERNEL_get_tile_size,
    TTKERNEL_get_dataformat,
    TTKERNEL_copy_dest_values,
    TTKERNEL_cb_push_back,
    TTKERNEL_pack_reconfig_l1_acc,
    TTKERNEL_tilize_init,
    TTKERNEL_pack_untilize_init,
    TTKERNEL_tile_regs_acquire,
    TTKERNEL_tile_regs_commit,
    TTKERNEL_tile_regs_wait,
    TTKERNEL_tile_regs_release,
};

static bool is_by_hand(const ir_op_def *def)
{
    for (size_t i = 0; i < TW_COUNT(by_hand); i++)
        if (def == &ttkernel_ops[by_hand[i]])
            return true;
    return strstr(def->name, "fabric") || strstr(def->name, "mesh_position");
}

/* The row's own identifier: "experimental.matmul_block" is experimental_matmul_block. */
static void put_id(const ir_op_def *def, tw_strbuf *out)
{
    for (const char *c = def->name + strlen("ttkernel."); *c; c++)
        tw_strbuf_putc(out, *c == '.' ? '_' : *c);
}

static const char *parameter_type(const ir_constraint *type)
{
    static const struct {
        const char *constraint, *type;
    } types[] = {
        {"TTKernel_CB", "uint32_t"},
        {"F32", "float"},
        {"I32", "int32_t"},
        {"TTKernel_NocAddr", "uint64_t"},
        {"TTKernel_L1AddrPtr", "tw::l1_address"},
        {"I8", "int8_t"},
        {"I16", "int16_t"},
        {"TTKernel_LocalSemaphore", "uint32_t"},
    };
    for (size_t i = 0; i < TW_COUNT(types); i++)
        if (strcmp(type->name, types[i].constraint) == 0)
            return types[i].type;
    return "int64_t";
}

static const char *result_type(const ir_op_def *def)
{
    if (!def->results.count)
        return "void";
    const char *name = def->results.at[0].type->name;
    return strcmp(name, "TTKernel_NocAddr") == 0      ? "uint64_t"
           : strcmp(name, "TTKernel_DataFormat") == 0 ? "DataFormat"
           : strcmp(name, "I1") == 0                  ? "bool"
                                                      : "uint32_t";
}

/* "PoolType" of "PoolType::SUM" */
static tw_str enum_of(const ttkernel_cpp_case *c)
{
    return (tw_str){c->text, strcspn(c->text, ":")};
}

/* A number that the row gives as default; else 1. */
static long default_number(const ir_op_def *def, const char *attr)
{
    for (size_t i = 0; i < def->attrs.count; i++)
        if (def->attrs.at[i].deflt && strcmp(def->attrs.at[i].name, attr) == 0)
            return strtol(def->attrs.at[i].deflt, NULL, 10);
    return 1;
}

static void put_template(const ir_op_def *def, const ttkernel_cpp_arg *args, tw_strbuf *out)
{
    tw_strbuf_puts(out, "template <");
    for (size_t i = 0; args && i < TTKERNEL_CPP_ARGS; i++) {
        tw_str type = args[i].cases ? enum_of(args[i].cases) : (tw_str){0};
        switch (args[i].kind) {
        case TTKERNEL_CPP_CASE:
            tw_strbuf_printf(out, "%.*s %s", (int)type.size, type.data, args[i].attr);
            if (strcmp(args[i].attr, "reduce_type") == 0)
                tw_strbuf_puts(out, " TW_REDUCE_OP");
            else if (strcmp(args[i].attr, "reduce_dim") == 0)
                tw_strbuf_puts(out, " TW_REDUCE_DIM");
            else if (strcmp(args[i].attr, "dtype") == 0)
                tw_strbuf_puts(out, " = DataFormat::Int32");
            else if (strcmp(args[i].attr, "data_format") == 0)
                tw_strbuf_puts(out, " = DataFormat::Float32");
            tw_strbuf_puts(out, ", ");
            break;
        case TTKERNEL_CPP_CASE_VALUE:
            tw_strbuf_printf(out, "uint32_t %s, ", args[i].attr);
            break;
        case TTKERNEL_CPP_BOOL:
        case TTKERNEL_CPP_IF_TRUE:
            tw_strbuf_printf(out, "bool %s = false, ", args[i].attr);
            break;
        case TTKERNEL_CPP_NUMBER:
            tw_strbuf_printf(out, "int32_t %s = %ld, ", args[i].attr,
                             default_number(def, args[i].attr));
            break;
        case TTKERNEL_CPP_TEXT:
            tw_strbuf_printf(out, "auto unused%zu = 0, ", i);
            break;
        default:
            break;
        }
    }
    tw_strbuf_puts(out, "auto...>\n");
}

/* The template's parameter that gives an attribute its value; NULL if none does. */
static const ttkernel_cpp_arg *template_of(const ttkernel_cpp_arg *args, const char *attr)
{
    for (size_t i = 0; args && i < TTKERNEL_CPP_ARGS; i++)
        if (args[i].kind && args[i].kind != TTKERNEL_CPP_TEXT &&
            strcmp(args[i].attr, attr) == 0)
            return &args[i];
    return NULL;
}

static void put_attribute(const ttkernel_cpp_arg *given, tw_strbuf *out)
{
    bool format =
        given && given->cases && strncmp(given->cases->text, "DataFormat", 10) == 0;
    tw_strbuf_printf(out,
                     !given   ? "tw::absent, "
                     : format ? "tw::dtype_of((DataFormat)%s), "
                              : "(int64_t)%s, ",
                     given ? given->attr : "");
}

static void put_body(const ir_op_def *def, const ttkernel_cpp_arg *args, tw_strbuf *out)
{
    for (size_t i = 0; args && i < TTKERNEL_CPP_ARGS; i++)
        if (def == TTKERNEL_OP(max_reduce_with_indices) &&
            args[i].kind == TTKERNEL_CPP_TEXT)
            tw_strbuf_printf(out,
                             "    static_assert(int(unused%zu) == 1, \"tiles must be in "
                             "rows: DataLayout::ROW_MAJOR\");\n",
                             i);
    bool optional = false, attrs = false;
    for (size_t i = 0; i < def->operands.count; i++)
        optional |= def->operands.at[i].arity == IR_OPTIONAL;
    if (template_of(args, "reduce_type"))
        tw_strbuf_puts(out,
                       "    static_assert(reduce_type != PoolType::MIN, \"the matrix unit "
                       "has no minimum: sfpu_reduce has\");\n");
    tw_strbuf_puts(out, "    const int64_t v[] = {");
    for (size_t i = 0; i < def->operands.count; i++)
        tw_strbuf_printf(out, "tw::bits_of(%s), ", def->operands.at[i].name);
    tw_strbuf_puts(out, "0};\n");
    for (size_t i = 0; i < def->attrs.count; i++)
        attrs |= template_of(args, def->attrs.at[i].name) != NULL;
    if (attrs) {
        tw_strbuf_puts(out, "    const int64_t a[] = {");
        for (size_t i = 0; i < def->attrs.count; i++)
            put_attribute(template_of(args, def->attrs.at[i].name), out);
        tw_strbuf_puts(out, "};\n");
    }
    tw_strbuf_puts(out, "    ");
    if (def->results.count)
        tw_strbuf_printf(out, "return (%s)", result_type(def));
    tw_strbuf_puts(out, "tw::run(tw::op_");
    put_id(def, out);
    /* the optional operand is the last one: a NoC */
    size_t n = def->operands.count;
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= UINT64_C(1) << 4 * i;
    if (optional) {
        const char *last = def->operands.at[n - 1].name;
        uint64_t most = all & ~(UINT64_C(1) << 4 * (n - 1));
        tw_strbuf_printf(out,
                         ", %s != tw::absent ? 0x%llx : 0x%llx, at, %s != tw::absent ? "
                         "%zu : %zu, v",
                         last, (unsigned long long)all, (unsigned long long)most, last, n,
                         n - 1);
    } else {
        tw_strbuf_printf(out, ", 0x%llx, at, %zu, v", (unsigned long long)all, n);
    }
    if (attrs)
        tw_strbuf_printf(out, ", %zu, a", (size_t)def->attrs.count);
    tw_strbuf_puts(out, ");\n");
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);
    return n > k && strcmp(name + n - k, end) == 0;
}

static void put_function(const ir_op_def *def, tw_strbuf *out)
{
    const ttkernel_cpp_arg *args = ttkernel_cpp_args(def);
    tw_strbuf name = {0};
    ttkernel_cpp_name(def, &name);
    const char *colons = strstr(tw_strbuf_text(&name), "::");
    if (colons)
        tw_strbuf_printf(out, "namespace %.*s {\n", (int)(colons - name.data), name.data);
    put_template(def, args, out);
    tw_strbuf_printf(out, "TW_QUIET inline %s %s(", result_type(def),
                     colons ? colons + 2 : tw_strbuf_text(&name));
    for (size_t i = 0; i < def->operands.count; i++) {
        const ir_operand_def *o = &def->operands.at[i];
        if (o->arity == IR_OPTIONAL)
            tw_strbuf_printf(out, "int64_t %s = tw::absent, ", o->name);
        else
            tw_strbuf_printf(out, "%s %s, ", parameter_type(o->type), o->name);
    }
    tw_strbuf_puts(out, "TW_AT)\n{\n");
    put_body(def, args, out);
    tw_strbuf_puts(out, "}\n");
    if (!colons && def->operands.count == 1 && ends_with(def->name, "_tile")) {
        /* which faces: all are computed */
        put_template(def, args, out);
        tw_strbuf_printf(out, "TW_QUIET inline void %s(int64_t %s, int, TW_AT)\n{\n",
                         tw_strbuf_text(&name), def->operands.at[0].name);
        put_body(def, args, out);
        tw_strbuf_puts(out, "}\n");
    }
    if (!colons && !def->operands.count && !def->attrs.count &&
        ends_with(def->name, "_tile_init"))
        /* whether to approximate, in releases without templates */
        tw_strbuf_printf(out,
                         "template <auto...>\nTW_QUIET inline void %s(bool, TW_AT)\n{\n"
                         "    %s(at);\n}\n",
                         tw_strbuf_text(&name), tw_strbuf_text(&name));
    if (colons)
        tw_strbuf_puts(out, "}\n");
    else
        tw_strbuf_printf(out, "namespace ckernel { using ::%s; }\n", tw_strbuf_text(&name));
    tw_strbuf_free(&name);
}

/* Functions without an operation of their own: variants of selu_tile. */
static void put_api_functions(tw_strbuf *out)
{
    const sfpu_api_function *f;
    for (size_t i = 0; (f = sfpu_api_function_at(i)); i++) {
        static const char *const parameters[] = {"", "uint32_t p, ",
                                                 "uint32_t p, uint32_t q, "};
        static const char *const numbers[] = {"0, 0", "p, 0", "p, q"};
        tw_strbuf_printf(
            out,
            "template <auto...>\n"
            "TW_QUIET inline void %s_tile_init(TW_AT)\n{\n"
            "    tw::run(tw::op_selu_tile_init, 0, at, 0, nullptr);\n}\n"
            "template <auto...>\n"
            "TW_QUIET inline void %s_tile(int64_t dst, %sTW_AT)\n{\n"
            "    const int64_t v[] = {dst, %s};\n"
            "    tw::run(tw::op_selu_tile, 0x111, at, 3, v, 0, nullptr, 32, %zu);\n}\n"
            "namespace ckernel {\nusing ::%s_tile;\nusing ::%s_tile_init;\n}\n",
            f->name, f->name, parameters[f->numbers], numbers[f->numbers], i + 1, f->name,
            f->name);
    }
}

/* The vendor's numbers of data formats, which kernels get as arguments and from macros
 * (tt_backend_api_types.hpp); `dtype` is the machine's, -1 where it has none. */
static const struct {
    const char *name;
    int number, dtype;
} formats[] = {
    {"Float32", 0, TW_F32},    {"Float16", 1, TW_F16},    {"Float16_b", 5, TW_BF16},
    {"Bfp8", 2, TW_BFP_F8},    {"Bfp8_b", 6, TW_BFP_BF8}, {"Bfp4", 3, TW_BFP_F4},
    {"Bfp4_b", 7, TW_BFP_BF4}, {"Bfp2", 11, TW_BFP_F2},   {"Bfp2_b", 15, TW_BFP_BF2},
    {"UInt32", 24, TW_U32},    {"UInt16", 9, TW_U16},     {"UInt8", 30, TW_U8},
    {"Int32", 8, TW_I32},      {"Int8", 14, -1},          {"Tf32", 4, -1},
    {"Lf8", 10, -1},           {"Fp8_e4m3", 26, -1},      {"RawUInt8", 240, -1},
    {"RawUInt16", 241, -1},    {"RawUInt32", 242, -1},    {"Invalid", 255, -1},
};

static void put_formats(tw_strbuf *out)
{
    tw_strbuf_puts(out, "enum class DataFormat : uint8_t {");
    for (size_t i = 0; i < TW_COUNT(formats); i++)
        tw_strbuf_printf(out, " %s = %d,", formats[i].name, formats[i].number);
    tw_strbuf_puts(out, " };\nnamespace ckernel { using ::DataFormat; }\n"
                        "namespace tw {\n"
                        "constexpr int64_t dtype_of(DataFormat format)\n{\n"
                        "    switch (format) {\n");
    for (size_t i = 0; i < TW_COUNT(formats); i++)
        if (formats[i].dtype >= 0)
            tw_strbuf_printf(out, "    case DataFormat::%s: return %d;\n", formats[i].name,
                             formats[i].dtype);
    tw_strbuf_puts(out, "    default: return absent;\n    }\n}\n"
                        "constexpr DataFormat format_of(int64_t dtype)\n{\n"
                        "    switch (dtype) {\n");
    for (size_t i = 0; i < TW_COUNT(formats); i++)
        if (formats[i].dtype >= 0)
            tw_strbuf_printf(out, "    case %d: return DataFormat::%s;\n", formats[i].dtype,
                             formats[i].name);
    tw_strbuf_puts(out, "    default: return DataFormat::Invalid;\n    }\n}\n"
                        "} // namespace tw\n");
}

static void put_enums(tw_strbuf *out)
{
    put_formats(out);
    for (size_t i = 0; ttkernel_cpp_enum(i); i++) {
        const ttkernel_cpp_case *c = ttkernel_cpp_enum(i);
        tw_str name = enum_of(c);
        if (tw_str_equal(name, tw_str_from("DataFormat")))
            continue;
        tw_strbuf_printf(out, "enum class %.*s : uint8_t {", (int)name.size, name.data);
        int64_t most = 0;
        for (; c->text; c++) {
            tw_strbuf_printf(out, " %s = %lld,", c->text + name.size + 2,
                             (long long)c->value);
            most = TW_MAX(most, c->value);
        }
        if (tw_str_is(name, "PoolType")) /* the vector unit's only: sfpu_reduce */
            tw_strbuf_printf(out, " MIN = %lld,", (long long)most + 1);
        if (tw_str_is(name, "EltwiseBinaryReuseDestType")) /* of inits of the unpacker */
            tw_strbuf_printf(out, " NONE = %lld,", (long long)most + 1);
        tw_strbuf_printf(out, " };\nnamespace ckernel { using ::%.*s; }\n", (int)name.size,
                         name.data);
    }
}

void dev_headers_ops(tw_strbuf *out)
{
    tw_strbuf_puts(out, "/* kernel_ops.hpp: made from the rows of TTKernel: the function "
                        "of each operation. */\n#pragma once\n\n"
                        "#include \"kernel_base.hpp\"\n\nnamespace tw {\nenum {\n");
    for (int i = 0; i < TTKERNEL_OP_COUNT; i++) {
        tw_strbuf_puts(out, "    op_");
        put_id(&ttkernel_ops[i], out);
        tw_strbuf_printf(out, " = %d,\n", i);
    }
    tw_strbuf_puts(out, "};\n} // namespace tw\n\n");
    put_enums(out);
    tw_strbuf_puts(out, "#ifdef REDUCE_OP\n#define TW_REDUCE_OP = REDUCE_OP\n"
                        "#define TW_REDUCE_DIM = REDUCE_DIM\n#else\n"
                        "#define TW_REDUCE_UNSAID\n"
                        "#define TW_REDUCE_OP\n#define TW_REDUCE_DIM\n#endif\n\n");
    for (int i = 0; i < TTKERNEL_OP_COUNT; i++)
        if (!is_by_hand(&ttkernel_ops[i]))
            put_function(&ttkernel_ops[i], out);
    put_api_functions(out);
}

/* ---- what there is ------------------------------------------------------------------ */

typedef struct names {
    tw_arena arena;
    const char **at;
    size_t count, capacity;
} names;

/* Macros of the headers that make functions, and how these end: they begin with the
 * macro's first operand. */
enum { MAX_ENDINGS = 8 };
static const struct {
    const char *macro, *endings[MAX_ENDINGS];
} made_by_macros[] = {
    {"TW_TILE_INIT(", {"_init"}},
    {"TW_QUANT_INIT(", {"_init"}},
    {"TW_WITH_NUMBER(", {"", "_init"}},
    {"TW_OF_INTEGERS(", {""}},
    {"TW_OF_FLOATS(", {"", "_init"}},
    {"TW_OF_ONE(", {"", "_init"}},
    {"TW_OF_TWO(", {"", "_init"}},
    {"TW_OF_INTEGER_TILES(", {"", "_init"}},
    {"TW_OF_THREE(", {"", "_init"}},
    {"TW_OF_THREE_AND_NUMBER(", {"", "_init"}},
    {"TW_WITH_SPREAD(", {"", "_init"}},
    {"TW_OLD_INTEGERS(", {""}},
    {"TW_INTEGERS(", {"_tile", "_tile_init"}},
    {"TW_BROADCASTS(",
     {"_tiles_bcast", "_tiles_bcast_rows", "_tiles_bcast_cols", "_tiles_bcast_scalar",
      "_bcast_rows_init_short", "_bcast_cols_init_short",
      "_tiles_bcast_scalar_init_short"}},
};

static void add_name(names *out, const char *text, size_t size, const char *ending)
{
    const char *name = tw_arena_printf(&out->arena, "%.*s%s", (int)size, text, ending);
    TW_PUSH(out->at, out->count, out->capacity, name);
}

static void add_made(const char *line, names *out)
{
    for (size_t i = 0; i < TW_COUNT(made_by_macros); i++) {
        size_t n = strlen(made_by_macros[i].macro);
        if (strncmp(line, made_by_macros[i].macro, n) == 0)
            for (const char *const *end = made_by_macros[i].endings; *end; end++)
                add_name(out, line + n, strcspn(line + n, ",)"), *end);
    }
}

/* Names in front of the '(' of functions, outside of classes and of inner namespaces. */
static void add_names(const char *text, names *out)
{
    static const char mark[] = "TW_QUIET inline ";
    bool inside = false;
    for (const char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : NULL;
        if (strncmp(line, "namespace tw {", 14) == 0 ||
            strncmp(line, "namespace tw::", 14) == 0 ||
            strncmp(line, "namespace sfpi {", 16) == 0)
            inside = true;
        else if (strncmp(line, "} // namespace tw", 17) == 0 ||
                 strncmp(line, "} // namespace sfpi", 19) == 0)
            inside = false;
        if (inside)
            continue;
        add_made(line, out);
        const char *at = strncmp(line, mark, sizeof mark - 1) == 0 ? line : NULL;
        if (strncmp(line, "template <", 10) == 0)
            at = memmem(line, strcspn(line, "\n"), mark, sizeof mark - 1);
        if (!at)
            continue;
        const char *end = strchr(at, '('), *start = end;
        while (start && dev_in_name(start[-1]))
            start--;
        if (start < end)
            add_name(out, start, (size_t)(end - start), "");
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void dev_headers_names(tw_strbuf *out)
{
    tw_strbuf ops = {0};
    names n = {0};
    dev_headers_ops(&ops);
    add_names(ops.data, &n);
    for (size_t i = 0; i < TW_COUNT(by_hand_files); i++)
        add_names(by_hand_files[i].text, &n);
    qsort(n.at, n.count, sizeof *n.at, compare_names);
    for (size_t i = 0; i < n.count; i++)
        if (!i || strcmp(n.at[i - 1], n.at[i]) != 0)
            tw_strbuf_printf(out, "%s\n", n.at[i]);
    free(n.at);
    tw_arena_free(&n.arena);
    tw_strbuf_free(&ops);
}

/* ---- files ------------------------------------------------------------------------- */

static tw_status write_at(const char *folder, const char *path, const char *text,
                          size_t size)
{
    tw_strbuf full = {0};
    tw_strbuf_printf(&full, "%s/%s", folder, path);
    for (char *c = full.data + 1; *c; c++)
        if (*c == '/') { /* the folders on the way */
            *c = 0;
            if (mkdir(full.data, 0777) != 0 && errno != EEXIST) {
                tw_status status = tw_error(TW_IO, "cannot make the folder %s: %s",
                                            full.data, strerror(errno));
                tw_strbuf_free(&full);
                return status;
            }
            *c = '/';
        }
    tw_status status = tw_file_write(full.data, text, size);
    tw_strbuf_free(&full);
    return status;
}

static void include(const char *from, const char *file, tw_strbuf *out)
{
    tw_strbuf_puts(out, "#include \"");
    for (const char *c = from; *c; c++)
        if (*c == '/')
            tw_strbuf_puts(out, "../");
    tw_strbuf_printf(out, "tilewright/%s\"\n", file);
}

static tw_status write_forward(const char *folder, const char *path)
{
    tw_strbuf text = {0};
    include(path, "kernel_attention.hpp", &text);
    include(path, "kernel_reduce.hpp", &text);
    tw_status status = write_at(folder, path, text.data, text.size);
    tw_strbuf_free(&text);
    return status;
}

void dev_headers_text(tw_strbuf *out)
{
    for (size_t i = 0; i < TW_COUNT(by_hand_files); i++)
        tw_strbuf_puts(out, by_hand_files[i].text);
    dev_headers_ops(out);
    tw_strbuf path = {0};
    for (size_t i = 0; dev_headers_path(i, &path); i++)
        tw_strbuf_puts(out, tw_strbuf_text(&path));
    tw_strbuf_free(&path);
}

tw_status dev_headers_write(const char *folder)
{
    tw_strbuf ops = {0}, path = {0};
    dev_headers_ops(&ops);
    tw_status status = write_at(folder, "tilewright/kernel_ops.hpp", ops.data, ops.size);
    for (size_t i = 0; status == TW_SUCCESS && i < TW_COUNT(by_hand_files); i++)
        status = write_at(folder, by_hand_files[i].path, by_hand_files[i].text,
                          strlen(by_hand_files[i].text));
    for (size_t i = 0; status == TW_SUCCESS && dev_headers_path(i, &path); i++)
        status = write_forward(folder, tw_strbuf_text(&path));
    tw_strbuf_free(&ops);
    tw_strbuf_free(&path);
    return status;
}
