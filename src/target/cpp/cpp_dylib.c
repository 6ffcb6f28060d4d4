/* cpp_dylib.c: a module of kernels as a library for a host: beside the kernels' sources a
 * function over tensors for each program that ttkernel-describe-programs has found, which
 * fills a tt-metal ProgramDescriptor and runs it, and what loaders of such libraries ask
 * for: setDevice and create_inputs_for_NAME. */
#include "dialect/ttcore/ttcore.h"
#include "dialect/ttkernel/ttkernel.h"
#include "dialect/ttkernel/ttkernel_cpp.h"
#include "dialect/ttnn/layout.h"
#include "target/cpp/cpp.h"

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

/* ---- tensors ------------------------------------------------------------------------- */

static bool put_memory(const library *l, const ttnn_layout *t, const int64_t *dims)
{
    const char *buffer = t->buffer == TTNN_BufferType_DRAM ? "DRAM" : "L1";
    if (!ttnn_memory_is_sharded(t->memory)) {
        tw_strbuf_printf(l->out,
                         "ttnn::MemoryConfig(ttnn::TensorMemoryLayout::INTERLEAVED, "
                         "ttnn::BufferType::%s)",
                         buffer);
        return true;
    }
    int64_t shard[2];
    ttnn_layout_shard_elements(t, dims, 2, shard);
    tw_strbuf_printf(l->out,
                     "ttnn::MemoryConfig(ttnn::TensorMemoryLayout::%s_SHARDED, "
                     "ttnn::BufferType::%s, tt::tt_metal::ShardSpec(cores_to(%lld, %lld), "
                     "{%lld, %lld}))",
                     t->memory == TTNN_TensorMemoryLayout_HeightSharded  ? "HEIGHT"
                     : t->memory == TTNN_TensorMemoryLayout_WidthSharded ? "WIDTH"
                                                                         : "BLOCK",
                     buffer, (long long)t->grid[1] - 1, (long long)t->grid[0] - 1,
                     (long long)shard[0], (long long)shard[1]);
    return true;
}

/* ttnn::MAKE(shape, type, layout, device, memory) */
static bool put_tensor(const library *l, const char *make, const char *device, ir_type type)
{
    ttnn_layout t;
    const char *data = NULL;
    if (!ttnn_layout_of(type, &t) || type->count != 2 || !t.tiled)
        return ir_op_error(l->module,
                           "has a kernel with a tensor that no library can make: '%s'",
                           ir_type_text(l->module->ctx, type));
    for (size_t i = 0; i < TW_COUNT(types); i++)
        if (types[i].data == t.dtype)
            data = types[i].name;
    if (!data)
        return ir_op_error(l->module, "has a kernel with a tensor of a type that ttnn has "
                                      "no name for");
    int64_t dims[] = {type->dims[0] * TTNN_TILE, type->dims[1] * TTNN_TILE};
    tw_strbuf_printf(l->out,
                     "ttnn::%s(ttnn::Shape({%lld, %lld}), ttnn::DataType::%s, "
                     "ttnn::Layout::TILE, %s, ",
                     make, (long long)dims[0], (long long)dims[1], data, device);
    bool ok = put_memory(l, &t, dims);
    tw_strbuf_puts(l->out, ")");
    return ok;
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
    static const char *const truths[] = {"fp32_dest_acc_en", "dst_full_sync_en",
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
    for (size_t i = 0; i < TW_COUNT(truths); i++)
        if ((i == 0 && wide) ||
            (config && ir_attr_bool(ir_dict_get(config, tw_str_from(truths[i])))))
            tw_strbuf_printf(l->out, "        config.%s = true;\n", truths[i]);
    for (uint32_t i = 0; i < buffers->count; i++)
        if (at(buffers->items[i], 3) == TTCORE_DataType_Float32)
            tw_strbuf_printf(l->out,
                             "        config.unpack_to_dest_mode[%lld] = "
                             "UnpackToDestMode::UnpackToDestFp32;\n",
                             (long long)at(buffers->items[i], 0));
    tw_strbuf_puts(l->out, "        kernel.config = config;\n");
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
    tw_strbuf_puts(l->out, "        for (const ttnn::Tensor &tensor : tensors)\n"
                           "            TensorAccessorArgs(*tensor.buffer())"
                           ".append_to(kernel.compile_time_args);\n");
    for (uint32_t i = 0; numbers && i < numbers->count; i++)
        tw_strbuf_printf(l->out,
                         "        kernel.common_runtime_args.push_back(tensors[%lld]"
                         ".buffer()->address());\n",
                         (long long)at(numbers, i));
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
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (!i || c < '0' || c > '9'))
            return ir_op_error(l->module, "has a kernel '%.*s', which is no name in C++",
                               (int)name.size, name.data);
    }
    return true;
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

/* The tensors in the kernel's order: all of them given, or outputs made. */
static bool put_arguments(const library *l, tw_str name)
{
    ir_attr tensors = part(l, "tensors");
    uint32_t n = tensors->count, given = n - part(l, "outputs")->count;
    tw_strbuf_printf(l->out,
                     "    std::vector<ttnn::Tensor> tensors;\n"
                     "    if (inputs.size() == %u) {\n        tensors = inputs;\n"
                     "    } else if (inputs.size() == %u) {\n",
                     n, given);
    for (uint32_t i = 0, k = 0; i < n; i++) {
        tw_strbuf_puts(l->out, "        tensors.push_back(");
        if (!is_output(l, i))
            tw_strbuf_printf(l->out, "inputs[%u]", k++);
        else if (!put_tensor(l, "empty", "device_of_library", tensors->items[i]->type))
            return false;
        tw_strbuf_puts(l->out, ");\n");
    }
    tw_strbuf_printf(l->out,
                     "    } else {\n        throw std::runtime_error(\"%.*s takes %u "
                     "tensors, or %u with those it writes, got \" + "
                     "std::to_string(inputs.size()));\n    }\n",
                     (int)name.size, name.data, given, n);
    return true;
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
        if (is_output(l, i))
            continue;
        tw_strbuf_puts(l->out, first ? "" : ", ");
        first = false;
        if (!put_tensor(l, "ones", "device", tensors->items[i]->type))
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
        if (!put_source(l, funcs[i]))
            return false;
    }
    tw_strbuf_printf(l->out,
                     "std::vector<ttnn::Tensor> %.*s(std::vector<ttnn::Tensor> inputs) {\n"
                     "    using namespace tt::tt_metal;\n",
                     (int)name.size, name.data);
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
        tw_strbuf_printf(l->out, "%stensors[%lld]", i ? ", " : "",
                         (long long)at(outputs, i));
    tw_strbuf_puts(l->out, "};\n}\n\n");
    return put_inputs(l, name);
}

bool cpp_emit_dylib(ir_op *module, tw_strbuf *out)
{
    static const char *const parts[] = {"threads", "grid",    "buffers",
                                        "tensors", "outputs", "semaphores"};
    ir_attr programs = ir_op_attr(module, "ttkernel.programs");
    tw_strbuf_puts(
        out,
        "#include \"ttnn-precompiled.hpp\"\n\n#include <stdexcept>\n#include <string>\n"
        "#include <vector>\n\nstatic ttnn::MeshDevice *device_of_library = nullptr;\n"
        "extern \"C\" void setDevice(ttnn::MeshDevice *device) { device_of_library = "
        "device; }\n\n"
        "static tt::tt_metal::CoreRangeSet cores_to(uint32_t x, uint32_t y) {\n"
        "    return tt::tt_metal::CoreRangeSet(tt::tt_metal::CoreRange("
        "tt::tt_metal::CoreCoord(0, 0), tt::tt_metal::CoreCoord(x, y)));\n}\n\n");
    for (uint32_t i = 0; i < programs->count; i++) {
        library l = {module, programs->items[i], out};
        bool whole = ir_attr_is(l.program, IR_ATTR_DICT) && text_of(part(&l, "name")).size;
        for (size_t k = 0; whole && k < TW_COUNT(parts); k++)
            whole = ir_attr_is(part(&l, parts[k]), IR_ATTR_ARRAY);
        if (!whole)
            return ir_op_error(module, "has a program that ttkernel-describe-programs did "
                                       "not make");
        if (!put_program(&l))
            return false;
    }
    return true;
}
