/* cpp_dylib.c: a module of kernels as a library for a host: beside the kernels' sources a
 * function over tensors for each program that ttkernel-describe-programs has found, which
 * fills a tt-metal ProgramDescriptor and runs it, and what loaders of such libraries ask
 * for: setDevice and create_inputs_for_NAME. */
#include "mlir/emitc/to_cpp/cpp.h"
#include "ttcore/ttcore.h"
#include "ttkernel/ttkernel.h"
#include "ttkernel/ttkernel_cpp.h"
#include "ttnn/layout.h"

static const struct {
    int64_t data;
    const char *name;
} types[] = {
    {TTCORE_DataType_Float32, "FLOAT32"},       {TTCORE_DataType_BFloat16, "BFLOAT16"},
    {TTCORE_DataType_BFP_BFloat8, "BFLOAT8_B"}, {TTCORE_DataType_BFP_BFloat4, "BFLOAT4_B"},
    {TTCORE_DataType_UInt32, "UINT32"},         {TTCORE_DataType_UInt16, "UINT16"},
    {TTCORE_DataType_UInt8, "UINT8"},           {TTCORE_DataType_Int32, "INT32"},
};

typedef struct library {
    ir_op *module;
    ir_attr program;
    tw_strbuf *out;
} library;

static ir_attr part(const library *l, const char *name)
{
    return ir_dict_get(l->program, tw_str_from(name));
}

static tw_str text_of(ir_attr a)
{
    return ir_attr_is(a, IR_ATTR_STRING) ? ir_attr_str(a) : TW_STR("");
}

static int64_t at(ir_attr list, uint32_t i)
{
    return i < list->count ? ir_attr_int(list->items[i], 0) : 0;
}

static bool is_output(const library *l, uint32_t tensor)
{
    ir_attr outputs = part(l, "outputs");
    for (uint32_t i = 0; i < outputs->count; i++)
        if (at(outputs, i) == tensor)
            return true;
    return false;
}

static bool is_tensor(const library *l, uint32_t argument)
{
    return part(l, "tensors")->items[argument]->type->kind == IR_TYPE_TENSOR;
}

/* Which of the tensors an argument is, which of the integers. */
static uint32_t tensor_number(const library *l, uint32_t argument)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < argument; i++)
        n += is_tensor(l, i);
    return n;
}

static uint32_t integer_number(const library *l, int64_t argument)
{
    ir_attr numbers = part(l, "numbers");
    uint32_t n = 0;
    while (n < numbers->count && at(numbers, n) != argument)
        n++;
    return n;
}

/* ---- tensors ------------------------------------------------------------------------- */

typedef struct tensor {
    ttnn_layout layout;
    int64_t dims[2], blocks[2]; /* of numbers; blocks in DRAM, 0: its layout says */
    const char *data;
} tensor;

static bool read_tensor(const library *l, uint32_t argument, tensor *t)
{
    ir_type type = part(l, "tensors")->items[argument]->type;
    ir_attr extents = part(l, "places");
    int64_t noted_dims[4] = {0};
    if (!ttnn_layout_of(type, &t->layout) || type->count != 2)
        return ir_op_error(l->module,
                           "has a kernel with a tensor that no library can make: '%s'",
                           ir_type_text(l->module->ctx, type));
    bool noted = extents && argument < extents->count &&
                 ir_attr_ints(extents->items[argument], noted_dims, TW_COUNT(noted_dims)) ==
                     (int64_t)TW_COUNT(noted_dims);
    for (int i = 0; i < 2; i++) {
        t->dims[i] = noted             ? noted_dims[i]
                     : t->layout.tiled ? type->dims[i] * TTNN_TILE
                                       : type->dims[i];
        t->blocks[i] = noted ? noted_dims[2 + i] : 0;
    }
    t->data = NULL;
    for (size_t i = 0; i < TW_COUNT(types); i++)
        if (types[i].data == t->layout.dtype)
            t->data = types[i].name;
    return t->data || ir_op_error(l->module, "has a kernel with a tensor of a type that "
                                             "ttnn has no name for");
}

static void put_cores(const library *l, const ttnn_layout *t)
{
    ir_attr ranges = ttnn_layout_cores(l->module->ctx, t)->params[0];
    tw_strbuf_puts(l->out,
                   "tt::tt_metal::CoreRangeSet(std::vector<tt::tt_metal::CoreRange>{");
    for (uint32_t i = 0; i < ranges->count; i++) {
        ir_attr start = ranges->items[i]->params[0], end = ranges->items[i]->params[1];
        tw_strbuf_printf(
            l->out, "%s{{%lld, %lld}, {%lld, %lld}}", i ? ", " : "",
            (long long)start->params[0]->value, (long long)start->params[1]->value,
            (long long)end->params[0]->value, (long long)end->params[1]->value);
    }
    tw_strbuf_puts(l->out, "})");
}

/* Where a tensor that is made shall lie; blocks in DRAM are dealt out to its banks. */
static void put_memory(const library *l, const tensor *t)
{
    const ttnn_layout *lies = &t->layout;
    const char *buffer = lies->buffer == TTNN_BufferType_DRAM ? "DRAM" : "L1";
    int64_t shard[2];
    if (t->blocks[0]) {
        for (int i = 0; i < 2; i++)
            shard[i] = (t->dims[i] + TTNN_TILE - 1) / TTNN_TILE / t->blocks[i] * TTNN_TILE;
        tw_strbuf_printf(l->out,
                         "ttnn::MemoryConfig(ttnn::BufferType::%s, "
                         "tt::tt_metal::NdShardSpec{ttnn::Shape({%lld, %lld}), "
                         "cores_to(%lld, 0)})",
                         buffer, (long long)shard[0], (long long)shard[1],
                         (long long)(t->blocks[0] * t->blocks[1] - 1));
        return;
    }
    if (!ttnn_memory_is_sharded(lies->memory)) {
        tw_strbuf_printf(l->out,
                         "ttnn::MemoryConfig(ttnn::TensorMemoryLayout::INTERLEAVED, "
                         "ttnn::BufferType::%s)",
                         buffer);
        return;
    }
    ttnn_layout_shard_elements(lies, t->dims, 2, shard);
    tw_strbuf_printf(l->out,
                     "ttnn::MemoryConfig(ttnn::TensorMemoryLayout::%s_SHARDED, "
                     "ttnn::BufferType::%s, tt::tt_metal::ShardSpec(",
                     lies->memory == TTNN_TensorMemoryLayout_HeightSharded  ? "HEIGHT"
                     : lies->memory == TTNN_TensorMemoryLayout_WidthSharded ? "WIDTH"
                                                                            : "BLOCK",
                     buffer);
    put_cores(l, lies);
    tw_strbuf_printf(l->out, ", {%lld, %lld}))", (long long)shard[0], (long long)shard[1]);
}

/* What a tensor is: its shape, data type and layout, as arguments of a call. */
static void put_kind(const library *l, const tensor *t)
{
    tw_strbuf_printf(l->out,
                     "ttnn::Shape({%lld, %lld}), ttnn::DataType::%s, ttnn::Layout::%s",
                     (long long)t->dims[0], (long long)t->dims[1], t->data,
                     t->layout.tiled ? "TILE" : "ROW_MAJOR");
}

/* ttnn::MAKE(shape, type, layout, device, memory) */
static bool put_tensor(const library *l, const char *make, const char *device,
                       uint32_t argument)
{
    tensor t;
    if (!read_tensor(l, argument, &t))
        return false;
    tw_strbuf_printf(l->out, "ttnn::%s(", make);
    put_kind(l, &t);
    tw_strbuf_printf(l->out, ", %s, ", device);
    put_memory(l, &t);
    tw_strbuf_puts(l->out, ")");
    return true;
}

/* ---- the program --------------------------------------------------------------------- */

static bool put_buffers(const library *l)
{
    ir_attr buffers = part(l, "buffers"), semaphores = part(l, "semaphores");
    const ttkernel_cpp_case *formats = ttkernel_cpp_enum(0);
    for (uint32_t i = 0; i < buffers->count; i++) {
        ir_attr b = buffers->items[i];
        const ttkernel_cpp_case *c = formats;
        while (c->text && c->value != at(b, 3))
            c++;
        tw_strbuf_printf(l->out,
                         "    program.cbs.push_back(CBDescriptor{.total_size = %lld, "
                         ".core_ranges = cores, .format_descriptors = "
                         "{CBFormatDescriptor{.buffer_index = %lld, .data_format = tt::%s, "
                         ".page_size = %lld}}});\n",
                         (long long)(at(b, 1) * at(b, 2)), (long long)at(b, 0),
                         c->text ? c->text : "DataFormat::Invalid", (long long)at(b, 2));
    }
    for (uint32_t i = 0; i < semaphores->count; i++)
        tw_strbuf_printf(
            l->out,
            "    program.semaphores.push_back(SemaphoreDescriptor{.core_ranges "
            "= cores, .initial_value = %lld});\n",
            (long long)at(semaphores, i));
    return true;
}

/* Numbers of 32 bits in a buffer want a DST of 32 bits, to which f32 goes whole. */
static void put_compute_config(const library *l, const ir_op *func)
{
    static const char *const flags[] = {"fp32_dest_acc_en", "dst_full_sync_en",
                                        "math_approx_mode"};
    ir_attr config = ir_op_attr(func, "compute_config"), buffers = part(l, "buffers");
    tw_str fidelity = text_of(config ? ir_dict_get(config, TW_STR("math_fidelity")) : NULL);
    bool wide = false;
    for (uint32_t i = 0; i < buffers->count; i++) {
        int64_t data = at(buffers->items[i], 3);
        wide |= data == TTCORE_DataType_Float32 || data == TTCORE_DataType_Int32 ||
                data == TTCORE_DataType_UInt32;
    }
    tw_strbuf_printf(l->out,
                     "        ComputeConfigDescriptor config;\n"
                     "        config.math_fidelity = MathFidelity::%.*s;\n"
                     "        config.unpack_to_dest_mode.assign(32, "
                     "UnpackToDestMode::Default);\n",
                     fidelity.size ? (int)fidelity.size : 5,
                     fidelity.size ? fidelity.data : "HiFi4");
    for (size_t i = 0; i < TW_COUNT(flags); i++)
        if ((i == 0 && wide) ||
            (config && ir_attr_bool(ir_dict_get(config, tw_str_from(flags[i])))))
            tw_strbuf_printf(l->out, "        config.%s = true;\n", flags[i]);
    for (uint32_t i = 0; i < buffers->count; i++)
        if (at(buffers->items[i], 3) == TTCORE_DataType_Float32)
            tw_strbuf_printf(l->out,
                             "        config.unpack_to_dest_mode[%lld] = "
                             "UnpackToDestMode::UnpackToDestFp32;\n",
                             (long long)at(buffers->items[i], 0));
    tw_strbuf_puts(l->out, "        kernel.config = config;\n");
}

/* Accessors are numbered as the kernel's arguments are; an integer takes up a number. */
static void put_accessors(const library *l)
{
    const uint32_t n = part(l, "tensors")->count;
    if (tensor_number(l, n) == n) {
        tw_strbuf_puts(l->out, "        for (const ttnn::Tensor &tensor : tensors)\n"
                               "            TensorAccessorArgs(*tensor.buffer())"
                               ".append_to(kernel.compile_time_args);\n");
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (is_tensor(l, i))
            tw_strbuf_printf(l->out,
                             "        TensorAccessorArgs(*tensors[%u].buffer())"
                             ".append_to(kernel.compile_time_args);\n",
                             tensor_number(l, i));
        else
            tw_strbuf_puts(l->out, "        kernel.compile_time_args.push_back(0);\n");
}

static void put_kernel(const library *l, const ir_op *func, unsigned *movers)
{
    ir_attr numbers = ir_op_attr(func, "ttl.crta_indices");
    int64_t base = ir_op_int(func, "ttl.base_cta_index", 0);
    tw_str name = ir_symbol_name(func);
    tw_strbuf_printf(l->out,
                     "    {\n        KernelDescriptor kernel;\n"
                     "        kernel.kernel_source = source_of_%.*s;\n"
                     "        kernel.source_type = "
                     "KernelDescriptor::SourceType::SOURCE_CODE;\n"
                     "        kernel.core_ranges = cores;\n",
                     (int)name.size, name.data);
    for (int64_t i = 0; i < base; i++)
        tw_strbuf_printf(l->out, "        kernel.compile_time_args.push_back(%lld);\n",
                         (long long)i);
    put_accessors(l);
    for (uint32_t i = 0; numbers && i < numbers->count; i++) {
        const uint32_t argument = (uint32_t)at(numbers, i);
        const bool integer = !is_tensor(l, argument);
        tw_strbuf_printf(l->out,
                         "        kernel.common_runtime_args.push_back(%s[%u]%s);\n",
                         integer ? "(uint32_t)numbers" : "tensors",
                         integer ? integer_number(l, argument) : tensor_number(l, argument),
                         integer ? "" : ".buffer()->address()");
    }
    if (ir_enum_value(ir_op_attr(func, "ttkernel.thread"), -1) ==
        TTKERNEL_ThreadType_Compute)
        put_compute_config(l, func);
    else
        tw_strbuf_printf(l->out, "        kernel.config = %sConfigDescriptor{};\n",
                         (*movers)++ % 2 ? "Writer" : "Reader");
    tw_strbuf_puts(l->out, "        program.kernels.push_back(kernel);\n    }\n");
}

/* Names are the library's functions and variables. */
static bool is_identifier(const library *l, tw_str name)
{
    return cpp_is_identifier(name) ||
           ir_op_error(l->module, "has a kernel '%.*s', which is no name in C++",
                       (int)name.size, name.data);
}

static bool put_source(const library *l, ir_op *func)
{
    tw_str name = ir_symbol_name(func);
    if (!is_identifier(l, name))
        return false;
    tw_strbuf_printf(l->out, "static const char source_of_%.*s[] = R\"kernel(",
                     (int)name.size, name.data);
    if (!cpp_emit_kernel(func, l->out))
        return false;
    tw_strbuf_puts(l->out, ")kernel\";\n\n");
    return true;
}

/* Those that are given have to be what the kernel was made for. */
static bool put_checks(const library *l, tw_str name)
{
    const uint32_t n = part(l, "tensors")->count, integers = part(l, "numbers")->count;
    if (integers)
        tw_strbuf_printf(l->out,
                         "    if (numbers.size() != %u)\n        throw std::runtime_error("
                         "\"%.*s takes %u integer%s, got \" + "
                         "std::to_string(numbers.size()));\n",
                         integers, (int)name.size, name.data, integers,
                         integers == 1 ? "" : "s");
    for (uint32_t i = 0; i < n; i++) {
        tensor t;
        if (!is_tensor(l, i))
            continue;
        if (!read_tensor(l, i, &t))
            return false;
        tw_strbuf_printf(l->out, "    check_tensor(\"%.*s\", tensors, %u, ", (int)name.size,
                         name.data, tensor_number(l, i));
        put_kind(l, &t);
        tw_strbuf_puts(l->out, ");\n");
    }
    return true;
}

/* The tensors in the kernel's order: all of them given, or outputs made. */
static bool put_arguments(const library *l, tw_str name)
{
    const uint32_t all = part(l, "tensors")->count, n = tensor_number(l, all),
                   given = n - part(l, "outputs")->count;
    tw_strbuf_printf(l->out,
                     "    std::vector<ttnn::Tensor> tensors;\n"
                     "    if (inputs.size() == %u) {\n        tensors = inputs;\n"
                     "    } else if (inputs.size() == %u) {\n",
                     n, given);
    for (uint32_t i = 0, k = 0; i < all; i++) {
        if (!is_tensor(l, i))
            continue;
        tw_strbuf_puts(l->out, "        tensors.push_back(");
        if (!is_output(l, i))
            tw_strbuf_printf(l->out, "inputs[%u]", k++);
        else if (!put_tensor(l, "empty", "device_of_library", i))
            return false;
        tw_strbuf_puts(l->out, ");\n");
    }
    tw_strbuf_printf(l->out,
                     "    } else {\n        throw std::runtime_error(\"%.*s takes %u "
                     "tensor%s, or %u with those it writes, got \" + "
                     "std::to_string(inputs.size()));\n    }\n",
                     (int)name.size, name.data, given, given == 1 ? "" : "s", n);
    return put_checks(l, name);
}

static bool put_inputs(const library *l, tw_str name)
{
    ir_attr tensors = part(l, "tensors");
    bool first = true;
    tw_strbuf_printf(l->out,
                     "std::vector<ttnn::Tensor> create_inputs_for_%.*s(ttnn::MeshDevice "
                     "&device) {\n    return {",
                     (int)name.size, name.data);
    for (uint32_t i = 0; i < tensors->count; i++) {
        if (is_output(l, i) || !is_tensor(l, i))
            continue;
        tw_strbuf_puts(l->out, first ? "" : ", ");
        first = false;
        if (!put_tensor(l, "ones", "device", i))
            return false;
    }
    tw_strbuf_puts(l->out, "};\n}\n\n");
    return true;
}

static bool put_program(const library *l)
{
    tw_str name = text_of(part(l, "name"));
    ir_attr threads = part(l, "threads"), grid = part(l, "grid"),
            outputs = part(l, "outputs");
    ir_op *funcs[32];
    uint32_t n = TW_MIN(threads->count, (uint32_t)TW_COUNT(funcs));
    unsigned movers = 0;
    if (!is_identifier(l, name))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        funcs[i] = ir_symbol_lookup(l->module, text_of(threads->items[i]));
        if (!funcs[i])
            return ir_op_error(l->module, "has no kernel '%.*s'",
                               (int)text_of(threads->items[i]).size,
                               text_of(threads->items[i]).data);
        ir_attr taken = ir_op_attr(funcs[i], "ttl.crta_indices");
        for (uint32_t k = 0; taken && k < taken->count; k++)
            if (at(taken, k) < 0 || at(taken, k) >= part(l, "tensors")->count)
                return ir_op_error(funcs[i], "takes argument %lld of a kernel of %u",
                                   (long long)at(taken, k), part(l, "tensors")->count);
        if (!put_source(l, funcs[i]))
            return false;
    }
    tw_strbuf_printf(l->out,
                     "std::vector<ttnn::Tensor> %.*s(std::vector<ttnn::Tensor> inputs%s) "
                     "{\n    using namespace tt::tt_metal;\n",
                     (int)name.size, name.data,
                     part(l, "numbers")->count ? ", std::vector<int32_t> numbers" : "");
    if (!put_arguments(l, name))
        return false;
    tw_strbuf_printf(l->out,
                     "    const CoreRangeSet cores = cores_to(%lld, %lld);\n"
                     "    ProgramDescriptor program;\n",
                     (long long)at(grid, 0) - 1, (long long)at(grid, 1) - 1);
    put_buffers(l);
    for (uint32_t i = 0; i < n; i++)
        put_kernel(l, funcs[i], &movers);
    tw_strbuf_puts(l->out, "    ttnn::generic_op(tensors, program);\n    return {");
    for (uint32_t i = 0; i < outputs->count; i++)
        tw_strbuf_printf(l->out, "%stensors[%u]", i ? ", " : "",
                         tensor_number(l, (uint32_t)at(outputs, i)));
    tw_strbuf_puts(l->out, "};\n}\n\n");
    return put_inputs(l, name);
}

/* Whether it has all parts, of the kinds that the rest relies on. */
static bool is_whole(const library *l)
{
    static const char *const parts[] = {"threads", "grid",    "buffers",   "tensors",
                                        "numbers", "outputs", "semaphores"};
    bool whole = ir_attr_is(l->program, IR_ATTR_DICT) && text_of(part(l, "name")).size;
    for (size_t k = 0; whole && k < TW_COUNT(parts); k++)
        whole = ir_attr_is(part(l, parts[k]), IR_ATTR_ARRAY);
    ir_attr tensors = whole ? part(l, "tensors") : NULL, extents = part(l, "places");
    for (uint32_t i = 0; whole && i < tensors->count; i++)
        whole = ir_attr_is(tensors->items[i], IR_ATTR_TYPE);
    for (int k = 0; whole && k < 2; k++) {
        ir_attr arguments = part(l, k ? "outputs" : "numbers");
        for (uint32_t i = 0; whole && i < arguments->count; i++)
            whole = at(arguments, i) >= 0 && at(arguments, i) < tensors->count;
    }
    return whole && (!extents || ir_attr_is(extents, IR_ATTR_ARRAY));
}

/* Tensors in tiles are compared with their padding; leading dimensions of 1 fold away. */
static const char checker[] =
    "static std::string text_of(const ttnn::Shape &shape, ttnn::DataType type, "
    "ttnn::Layout layout) {\n"
    "    static const char *const types[] = {\"BFLOAT16\", \"FLOAT32\", \"UINT32\", "
    "\"BFLOAT8_B\", \"BFLOAT4_B\", \"UINT8\", \"UINT16\", \"INT32\"};\n"
    "    std::string text;\n"
    "    for (size_t i = 0; i < shape.rank(); i++)\n"
    "        text += (i ? \"x\" : \"\") + std::to_string(shape[i]);\n"
    "    return text + \" \" + ((size_t)type < 8 ? types[(size_t)type] : \"INVALID\") + "
    "(layout == ttnn::Layout::TILE ? \" TILE\" : \" ROW_MAJOR\");\n}\n\n"
    "static void check_tensor(const std::string &kernel, const std::vector<ttnn::Tensor> "
    "&tensors, size_t number, const ttnn::Shape &shape, ttnn::DataType type, "
    "ttnn::Layout layout) {\n"
    "    const ttnn::Tensor &tensor = tensors[number];\n"
    "    const ttnn::Shape found = tensor.padded_shape();\n"
    "    const uint32_t unit = layout == ttnn::Layout::TILE ? 32 : 1;\n"
    "    bool same = found.rank() >= 2 && tensor.dtype() == type && tensor.layout() == "
    "layout;\n"
    "    for (size_t i = 0; same && i < found.rank(); i++)\n"
    "        same = found[i] == (i + 2 < found.rank() ? 1 : (shape[i + 2 - found.rank()] + "
    "unit - 1) / unit * unit);\n"
    "    if (!same)\n"
    "        throw std::runtime_error(kernel + \": tensor \" + std::to_string(number) + "
    "\" is \" + text_of(tensor.logical_shape(), tensor.dtype(), tensor.layout()) + \", the "
    "kernel takes \" + text_of(shape, type, layout));\n}\n\n";

bool cpp_emit_dylib(ir_op *module, tw_strbuf *out)
{
    ir_attr programs = ir_op_attr(module, "ttkernel.programs");
    tw_strbuf_puts(
        out,
        "#include \"ttnn-precompiled.hpp\"\n\n#include <cstdint>\n#include <stdexcept>\n"
        "#include <string>\n"
        "#include <vector>\n\nstatic ttnn::MeshDevice *device_of_library = nullptr;\n"
        "extern \"C\" void setDevice(ttnn::MeshDevice *device) { device_of_library = "
        "device; }\n\n"
        "static tt::tt_metal::CoreRangeSet cores_to(uint32_t x, uint32_t y) {\n"
        "    return tt::tt_metal::CoreRangeSet(tt::tt_metal::CoreRange("
        "tt::tt_metal::CoreCoord(0, 0), tt::tt_metal::CoreCoord(x, y)));\n}\n\n");
    tw_strbuf_puts(out, checker);
    for (uint32_t i = 0; i < programs->count; i++) {
        library l = {module, programs->items[i], out};
        if (!is_whole(&l))
            return ir_op_error(module, "has a program that ttkernel-describe-programs did "
                                       "not make");
        if (!put_program(&l))
            return false;
    }
    return true;
}
