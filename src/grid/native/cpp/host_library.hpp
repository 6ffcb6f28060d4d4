/* ttnn-precompiled.hpp: the subset of tt-metal's and ttnn's host interface that libraries
 * of kernels use (ttkernel-to-emitc-pipeline=target-dylib=true), so that they can be built
 * without hardware: tensors are ids of the loading process, a program is serialized as JSON
 * which that process runs on the simulated device. */
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

/* Callbacks of the loading process; both get JSON, and a buffer for an error message. */
struct tw_library_host {
    int64_t (*make)(const char *tensor, char *error, int64_t size); /* id, or -1 */
    int64_t (*run)(const char *program, char *error, int64_t size); /* returns 0, or -1 */
    int64_t (*address)(int64_t tensor);
    /* Returns the rank; `out`: data type, layout, eight dimensions, and these padded. */
    int64_t (*describe)(int64_t tensor, int64_t *out);
};

namespace tw_library {
inline const tw_library_host *host;
constexpr int64_t text_size = 1 << 16;

inline std::string quoted(const std::string &text)
{
    static const char digits[] = "0123456789abcdef";
    std::string out = "\"";
    for (unsigned char c : text)
        if (c < 0x20)
            out += std::string("\\u00") + digits[c >> 4] + digits[c & 15];
        else
            out += (c == '"' || c == '\\') ? std::string("\\") + (char)c : std::string(1, (char)c);
    return out + "\"";
}
template <class List> std::string listed(const List &list)
{
    std::string out = "[";
    for (const auto &item : list)
        out += (out.size() > 1 ? ", " : "") + std::to_string(item);
    return out + "]";
}
inline void check(int64_t result, const char *error)
{
    if (result < 0)
        throw std::runtime_error(error);
}
} // namespace tw_library

namespace tt {
enum class DataFormat : uint8_t {
    Float32 = 0, Float16 = 1, Bfp8 = 2, Bfp4 = 3, Float16_b = 5, Bfp8_b = 6, Bfp4_b = 7,
    Int32 = 8, UInt16 = 9, Bfp2 = 11, Bfp2_b = 15, UInt32 = 24, UInt8 = 30, Invalid = 255
};
} // namespace tt

enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum class UnpackToDestMode : uint8_t { UnpackToDestFp32, Default };

namespace tt::tt_metal {
struct CoreCoord {
    uint32_t x, y;
    CoreCoord(uint32_t x, uint32_t y) : x(x), y(y) {}
};
struct CoreRange {
    CoreCoord start_coord, end_coord;
    CoreRange(CoreCoord start, CoreCoord end) : start_coord(start), end_coord(end) {}
};
struct CoreRangeSet {
    std::vector<CoreRange> all;
    CoreRangeSet() {}
    CoreRangeSet(CoreRange range) : all{range} {}
    CoreRangeSet(std::vector<CoreRange> ranges) : all(ranges) {}
    const std::vector<CoreRange> &ranges() const { return all; }
};
class Shape {
    std::vector<uint32_t> dims;

  public:
    Shape(std::initializer_list<uint32_t> dims) : dims(dims) {}
    template <class It> Shape(It from, It to) : dims(from, to) {}
    size_t rank() const { return dims.size(); }
    uint32_t operator[](size_t i) const { return dims[i]; }
    const std::vector<uint32_t> &view() const { return dims; }
};
struct ShardSpec {
    CoreRangeSet grid;
    std::array<uint32_t, 2> shape;
    ShardSpec(CoreRangeSet grid, std::array<uint32_t, 2> shape) : grid(grid), shape(shape) {}
};
enum class TensorMemoryLayout { INTERLEAVED, SINGLE_BANK, HEIGHT_SHARDED, WIDTH_SHARDED, BLOCK_SHARDED };
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
enum class DataType { BFLOAT16, FLOAT32, UINT32, BFLOAT8_B, BFLOAT4_B, UINT8, UINT16, INT32 };
enum class Layout { ROW_MAJOR, TILE };
struct NdShardSpec {
    Shape shard_shape;
    CoreRangeSet grid;
};
struct MemoryConfig {
    TensorMemoryLayout memory_layout;
    BufferType buffer_type;
    std::optional<ShardSpec> shard_spec;
    /* Two-dimensional shards are blocks, assigned to cores or banks in order. */
    MemoryConfig(BufferType buffer, NdShardSpec spec)
        : memory_layout(TensorMemoryLayout::BLOCK_SHARDED), buffer_type(buffer),
          shard_spec(ShardSpec(spec.grid, {spec.shard_shape[0], spec.shard_shape[1]}))
    {
    }
    MemoryConfig(TensorMemoryLayout layout, BufferType buffer, std::optional<ShardSpec> spec = {})
        : memory_layout(layout), buffer_type(buffer), shard_spec(spec)
    {
    }
};
struct Buffer {
    int64_t tensor;
    uint32_t address() const { return (uint32_t)tw_library::host->address(tensor); }
};

/* Compile-time arguments: integers, with tensors' accessors among them. */
struct CompileTimeArgs {
    std::string text;
    void push_back(uint32_t value) { put(std::to_string(value)); }
    void put(const std::string &item) { text += (text.empty() ? "" : ", ") + item; }
};
struct TensorAccessorArgs {
    Buffer buffer;
    explicit TensorAccessorArgs(const Buffer &buffer) : buffer(buffer) {}
    void append_to(CompileTimeArgs &args) const
    {
        args.put("{\"accessor\": " + std::to_string(buffer.tensor) + "}");
    }
};

struct ReaderConfigDescriptor {};
struct WriterConfigDescriptor {};
struct ComputeConfigDescriptor {
    MathFidelity math_fidelity = MathFidelity::HiFi4;
    bool fp32_dest_acc_en = false, dst_full_sync_en = false, bfp8_pack_precise = false,
         math_approx_mode = false;
    std::vector<UnpackToDestMode> unpack_to_dest_mode;
};
struct KernelDescriptor {
    enum class SourceType { FILE_PATH, SOURCE_CODE };
    std::string kernel_source;
    SourceType source_type = SourceType::FILE_PATH;
    CoreRangeSet core_ranges;
    CompileTimeArgs compile_time_args;
    std::vector<uint32_t> common_runtime_args;
    std::variant<ReaderConfigDescriptor, WriterConfigDescriptor, ComputeConfigDescriptor> config;
};
struct CBFormatDescriptor {
    uint8_t buffer_index;
    tt::DataFormat data_format;
    uint32_t page_size;
};
struct CBDescriptor {
    uint32_t total_size;
    CoreRangeSet core_ranges;
    std::vector<CBFormatDescriptor> format_descriptors;
};
struct SemaphoreDescriptor {
    CoreRangeSet core_ranges;
    uint32_t initial_value;
};
struct ProgramDescriptor {
    std::vector<KernelDescriptor> kernels;
    std::vector<SemaphoreDescriptor> semaphores;
    std::vector<CBDescriptor> cbs;
};
} // namespace tt::tt_metal

namespace ttnn {
using tt::tt_metal::BufferType;
using tt::tt_metal::DataType;
using tt::tt_metal::Layout;
using tt::tt_metal::MemoryConfig;
using tt::tt_metal::Shape;
using tt::tt_metal::TensorMemoryLayout;

struct MeshDevice {};
class Tensor {
    tt::tt_metal::Buffer of;
    struct description {
        int64_t rank, at[18];
    };
    description describe() const
    {
        description d = {};
        d.rank = tw_library::host->describe(of.tensor, d.at);
        return d;
    }

  public:
    DataType dtype() const { return (DataType)describe().at[0]; }
    Layout layout() const { return (Layout)describe().at[1]; }
    Shape logical_shape() const
    {
        description d = describe();
        return Shape(d.at + 2, d.at + 2 + d.rank);
    }
    Shape padded_shape() const
    {
        description d = describe();
        return Shape(d.at + 10, d.at + 10 + d.rank);
    }
    explicit Tensor(int64_t number) : of{number} {}
    const tt::tt_metal::Buffer *buffer() const { return &of; }
};
} // namespace ttnn

namespace tw_library {
inline std::string cores(const tt::tt_metal::CoreRangeSet &set)
{
    std::string out = "[";
    for (const auto &r : set.ranges())
        out += (out.size() > 1 ? ", " : "") +
               listed(std::array<uint32_t, 4>{r.start_coord.x, r.start_coord.y, r.end_coord.x,
                                              r.end_coord.y});
    return out + "]";
}
inline ttnn::Tensor make(const char *fill, const ttnn::Shape &shape, ttnn::DataType type,
                         ttnn::Layout layout, const ttnn::MemoryConfig &memory)
{
    char error[text_size] = "";
    std::string text = std::string("{\"fill\": \"") + fill + "\", \"shape\": " + listed(shape.view()) +
                       ", \"type\": " + std::to_string((int)type) + ", \"tiles\": " +
                       (layout == ttnn::Layout::TILE ? "true" : "false") + ", \"memory\": " +
                       std::to_string((int)memory.memory_layout) + ", \"l1\": " +
                       (memory.buffer_type == ttnn::BufferType::L1 ? "true" : "false");
    if (memory.shard_spec)
        text += ", \"cores\": " + cores(memory.shard_spec->grid) + ", \"shard\": " +
                listed(memory.shard_spec->shape);
    int64_t number = host->make((text + "}").c_str(), error, text_size);
    check(number, error);
    return ttnn::Tensor(number);
}
inline std::string described(const tt::tt_metal::KernelDescriptor &k)
{
    using namespace tt::tt_metal;
    std::string out = "{\"source\": " + quoted(k.kernel_source) + ", \"file\": " +
                      (k.source_type == KernelDescriptor::SourceType::FILE_PATH ? "true" : "false") +
                      ", \"cores\": " + cores(k.core_ranges) + ", \"compile_args\": [" +
                      k.compile_time_args.text + "], \"common_args\": " + listed(k.common_runtime_args);
    if (const auto *c = std::get_if<ComputeConfigDescriptor>(&k.config)) {
        uint64_t whole = 0;
        for (size_t i = 0; i < c->unpack_to_dest_mode.size() && i < 32; i++)
            whole |= (uint64_t)(c->unpack_to_dest_mode[i] == UnpackToDestMode::UnpackToDestFp32) << i;
        out += ", \"compute\": " + listed(std::array<uint64_t, 5>{
                                       c->math_fidelity == MathFidelity::LoFi ? 1u : (uint64_t)c->math_fidelity,
                                       c->fp32_dest_acc_en, c->dst_full_sync_en, c->math_approx_mode, whole});
    } else {
        out += std::string(", \"noc\": ") + (std::holds_alternative<WriterConfigDescriptor>(k.config) ? "1" : "0");
    }
    return out + "}";
}
} // namespace tw_library

namespace ttnn {
inline Tensor empty(const Shape &shape, DataType type, Layout layout, MeshDevice *, const MemoryConfig &memory)
{
    return tw_library::make("empty", shape, type, layout, memory);
}
inline Tensor ones(const Shape &shape, DataType type, Layout layout, MeshDevice &, const MemoryConfig &memory)
{
    return tw_library::make("ones", shape, type, layout, memory);
}
inline Tensor generic_op(const std::vector<Tensor> &tensors, const tt::tt_metal::ProgramDescriptor &program)
{
    char error[tw_library::text_size] = "";
    std::string text = "{\"tensors\": [", between;
    for (const Tensor &t : tensors)
        text += between + std::to_string(t.buffer()->tensor), between = ", ";
    text += "], \"buffers\": [", between = "";
    for (const auto &cb : program.cbs)
        for (const auto &f : cb.format_descriptors)
            text += between + tw_library::listed(std::array<uint32_t, 4>{f.buffer_index, (uint32_t)f.data_format,
                                                                         f.page_size, cb.total_size}),
                between = ", ";
    text += "], \"semaphores\": [", between = "";
    for (const auto &s : program.semaphores)
        text += between + std::to_string(s.initial_value), between = ", ";
    text += "], \"kernels\": [", between = "";
    for (const auto &k : program.kernels)
        text += between + tw_library::described(k), between = ", ";
    tw_library::check(tw_library::host->run((text + "]}").c_str(), error, tw_library::text_size), error);
    return tensors.back();
}
} // namespace ttnn

/* Calls a function of the library on tensors (and integers); a function without tensor
 * operands creates them. Returns the number of results, or -1. */
extern "C" __attribute__((visibility("default"), used, weak)) int64_t
tw_library_call(const tw_library_host *host, void *function, const int64_t *tensors, int64_t count,
                const int32_t *numbers, int64_t n_numbers, int64_t *out, int64_t most, char *error,
                int64_t size)
{
    using tensors_t = std::vector<ttnn::Tensor>;
    using numbers_t = std::vector<int32_t>;
    tw_library::host = host;
    try {
        ttnn::MeshDevice device;
        tensors_t inputs, results;
        for (int64_t i = 0; i < count; i++)
            inputs.emplace_back(tensors[i]);
        if (!tensors)
            results = ((tensors_t(*)(ttnn::MeshDevice &))function)(device);
        else if (numbers)
            results = ((tensors_t(*)(tensors_t, numbers_t))function)(inputs, numbers_t(numbers, numbers + n_numbers));
        else
            results = ((tensors_t(*)(tensors_t))function)(inputs);
        for (size_t i = 0; i < results.size() && (int64_t)i < most; i++)
            out[i] = results[i].buffer()->tensor;
        return (int64_t)results.size();
    } catch (const std::exception &e) {
        strncpy(error, e.what(), (size_t)size - 1);
        return -1;
    }
}
