// ttnn-precompiled.hpp: ttnn's names for emitted C++ (ttmlir-translate --mlir-to-cpp), as calls of the library.
//
// Types are plain data; a function boxes its arguments and lets tw_eager_call do the rest. Functions and configurations
// are generated from the library's rows (ttnn-rows.hpp; ttrt/emitted.py writes it). The library is reached through a table
// that the loader passes, so that a compiled program needs nothing to link.
#ifndef TTRT_TTNN_PRECOMPILED_HPP
#define TTRT_TTNN_PRECOMPILED_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tilewright/eager.h"

namespace ttnn {
enum class DataType : int;
enum class Layout : int;
enum class TensorMemoryLayout : int;
namespace distributed {
class MeshDevice;
}
} // namespace ttnn

namespace tw {

// The library; set when a program is called.
inline const tw_eager_api *api = nullptr;

// What boxed arguments point to while a call is under way.
struct arena {
    std::deque<std::vector<tw_value>> lists;
    std::deque<std::vector<const char *>> names;
    std::deque<std::string> texts;
    std::deque<tw_placement> placements;
    std::deque<std::vector<tw_cores>> cores;
};

inline tw_value plain(tw_value_kind kind, int64_t i = 0) {
    tw_value v{};
    v.kind = kind;
    v.i = i;
    return v;
}

inline tw_value text(arena &a, std::string s) {
    a.texts.push_back(std::move(s));
    tw_value v = plain(TW_VALUE_TEXT);
    v.text = a.texts.back().c_str();
    v.n = a.texts.back().size();
    return v;
}

inline tw_value list(arena &a, std::vector<tw_value> items) {
    a.lists.push_back(std::move(items));
    tw_value v = plain(TW_VALUE_LIST);
    v.items = a.lists.back().data();
    v.n = a.lists.back().size();
    return v;
}

template <class T>
concept boxes_itself = requires(const T &t, arena &a) { { t.box(a) } -> std::same_as<tw_value>; };
template <class T>
concept is_list = requires(const T &t) { t.begin(); t.end(); t.size(); } && !boxes_itself<T> && !std::is_convertible_v<T, std::string>;

inline tw_value box(arena &, std::nullopt_t) { return plain(TW_VALUE_NONE); }
inline tw_value box(arena &a, const char *s) { return text(a, s); }
inline tw_value box(arena &a, const std::string &s) { return text(a, s); }
template <boxes_itself T>
tw_value box(arena &a, const T &t) { return t.box(a); }
template <class T>
    requires std::is_arithmetic_v<T>
tw_value box(arena &, T t) {
    if constexpr (std::is_floating_point_v<T>) {
        tw_value v = plain(TW_VALUE_REAL);
        v.real = t;
        return v;
    } else {
        return plain(std::is_same_v<T, bool> ? TW_VALUE_BOOL : TW_VALUE_INT, static_cast<int64_t>(t));
    }
}
// Cases of enumerations other than these choose how a chip computes.
template <class T>
    requires std::is_enum_v<T>
tw_value box(arena &a, T t) {
    static const char *const memories[] = {"interleaved", "", "height_sharded", "width_sharded", "block_sharded"};
    if constexpr (std::is_same_v<T, ttnn::DataType>)
        return plain(TW_VALUE_DTYPE, static_cast<int64_t>(t));
    else if constexpr (std::is_same_v<T, ttnn::Layout>)
        return plain(TW_VALUE_LAYOUT, static_cast<int64_t>(t));
    else
        return text(a, std::is_same_v<T, ttnn::TensorMemoryLayout> ? memories[static_cast<int>(t) ? static_cast<int>(t) + 1 : 0] : "");
}
inline tw_value box(arena &, ttnn::distributed::MeshDevice *d) { return plain(d ? TW_VALUE_DEVICE : TW_VALUE_NONE); }
template <class T>
tw_value box(arena &a, std::reference_wrapper<T> t) { return box(a, t.get()); }
template <class T>
tw_value box(arena &a, const std::optional<T> &t) { return t ? box(a, *t) : plain(TW_VALUE_NONE); }
template <is_list T>
tw_value box(arena &a, const T &t) {
    std::vector<tw_value> items;
    for (const auto &item : t)
        items.push_back(box(a, item));
    return list(a, std::move(items));
}

// An argument, or a field of a configuration: its value, and the memory that it points to.
class any {
  public:
    any() = default;
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, any>)
    any(const T &t) {
        if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::nullopt_t>) {
            arena none;
            value = tw::box(none, t);
        } else {
            held = std::make_shared<arena>();
            value = tw::box(*held, t);
        }
    }
    explicit operator bool() const { return value.kind != TW_VALUE_ABSENT; }
    tw_value value = plain(TW_VALUE_ABSENT);

  private:
    std::shared_ptr<arena> held;
};

// A configuration: the fields that are set.
inline tw_value record(arena &a, const char *type, std::initializer_list<std::pair<const char *, const any *>> fields) {
    std::vector<tw_value> items;
    std::vector<const char *> names;
    for (const auto &[name, value] : fields)
        if (*value) {
            names.push_back(name);
            items.push_back(value->value);
        }
    tw_value v = list(a, std::move(items)); // the fields keep what they point to
    a.names.push_back(std::move(names));
    v.kind = TW_VALUE_RECORD;
    v.text = type;
    v.names = a.names.back().data();
    return v;
}

// A case of an enumeration, by the name that the library knows.
template <class Of>
struct named {
    const char *name;
    tw_value box(arena &a) const { return text(a, name); }
    friend bool operator==(const named &x, const named &y) { return std::strcmp(x.name, y.name) == 0; }
};

// How a convolution's input is divided.
struct slice;
struct SliceType : named<slice> {
    static const SliceType DRAM_HEIGHT, DRAM_WIDTH, L1_FULL;
};
inline const SliceType SliceType::DRAM_HEIGHT{"dram_height"}, SliceType::DRAM_WIDTH{"dram_width"}, SliceType::L1_FULL{"l1_full"};

[[noreturn]] inline void fail(tw_status status) {
    std::string message = api->message(status);
    api->free_status(status);
    throw std::runtime_error(message);
}

} // namespace tw

namespace tt::tt_metal {
struct fidelity;
struct MathFidelity : tw::named<fidelity> {
    static const MathFidelity LoFi, HiFi2, HiFi3, HiFi4;
};
inline const MathFidelity MathFidelity::LoFi{"LoFi"}, MathFidelity::HiFi2{"HiFi2"}, MathFidelity::HiFi3{"HiFi3"}, MathFidelity::HiFi4{"HiFi4"};
struct CoreCoord {
    std::size_t x, y;
    tw_value box(tw::arena &a) const { return tw::box(a, std::array<std::size_t, 2>{x, y}); }
};
} // namespace tt::tt_metal

namespace tt::tt_fabric {
struct topology;
struct Topology : tw::named<topology> {
    static const Topology Ring, Linear;
};
inline const Topology Topology::Ring{"ring"}, Topology::Linear{"linear"};
} // namespace tt::tt_fabric

namespace ttml::metal {
struct StochasticRounding {
    bool on;
    tw_value box(tw::arena &) const { return tw::plain(TW_VALUE_BOOL, on); }
    static const StochasticRounding Enabled, Disabled;
};
inline const StochasticRounding StochasticRounding::Enabled{true}, StochasticRounding::Disabled{false};
struct mask;
struct AttentionMaskType : tw::named<mask> {
    static const AttentionMaskType None, Causal, Arbitrary;
};
inline const AttentionMaskType AttentionMaskType::None{"none"}, AttentionMaskType::Causal{"causal"}, AttentionMaskType::Arbitrary{"arbitrary"};
} // namespace ttml::metal

namespace ttsl {
template <class T>
using SmallVector = std::vector<T>;
template <class T>
class Span {
  public:
    template <class C>
    Span(const C &c) : first(c.data()), count(c.size()) {}
    Span(std::initializer_list<std::remove_const_t<T>> c) : first(c.begin()), count(c.size()) {}
    const T *begin() const { return first; }
    const T *end() const { return first + count; }
    std::size_t size() const { return count; }

  private:
    const T *first;
    std::size_t count;
};
template <class T>
Span<const T> make_const_span(const std::vector<T> &c) { return c; }
} // namespace ttsl

#include "ttnn-cases.hpp"

namespace ttnn {
using tt::tt_metal::CoreCoord;

enum class DataType : int { FLOAT32 = TW_F32, BFLOAT16 = TW_BF16, BFLOAT8_B = TW_BFP_BF8, BFLOAT4_B = TW_BFP_BF4,
                      UINT32 = TW_U32, UINT16 = TW_U16, UINT8 = TW_U8, INT32 = TW_I32 };
enum class Layout : int { ROW_MAJOR = 0, TILE = 1 };
enum class BufferType { DRAM, L1, L1_SMALL, TRACE };
enum class TensorMemoryLayout : int { INTERLEAVED = TW_INTERLEAVED, HEIGHT_SHARDED = TW_HEIGHT_SHARDED, WIDTH_SHARDED = TW_WIDTH_SHARDED,
                                BLOCK_SHARDED = TW_BLOCK_SHARDED };
namespace types {
enum class ShardOrientation { ROW_MAJOR, COL_MAJOR };
}
using types::ShardOrientation;
namespace prim {
enum class EmbeddingsType { GENERIC };
}
namespace operations::unary {
enum class SigmoidMode { FAST_APPROXIMATE, ACCURATE };
struct UnaryWithParam {
    UnaryOpType op_type;
    std::vector<float> params;
    UnaryWithParam(UnaryOpType op_type, std::vector<float> params = {}) : op_type(op_type), params(std::move(params)) {}
    tw_value box(tw::arena &a) const { return op_type.box(a); }
};
namespace utils {
inline std::string string_to_unary_with_param(const std::string &name) { return name; }
}
} // namespace operations::unary
namespace experimental::prim {
struct Conv3dConfig {
    tw::any weights_dtype, T_out_block, W_out_block, H_out_block, C_out_block, C_in_block, compute_with_storage_grid_size;
    tw_value box(tw::arena &a) const {
        return tw::record(a, "ttnn.conv3d_config", {{"weights_dtype", &weights_dtype}, {"t_out_block", &T_out_block},
                                                    {"w_out_block", &W_out_block}, {"h_out_block", &H_out_block},
                                                    {"c_out_block", &C_out_block}, {"c_in_block", &C_in_block},
                                                    {"compute_with_storage_grid_size", &compute_with_storage_grid_size}});
    }
};
} // namespace experimental::prim
class QueueId {
  public:
    explicit QueueId(int n) : n(n) {}
    tw_value box(tw::arena &) const { return tw::plain(TW_VALUE_INT, n); }

  private:
    int n;
};

struct CoreRange {
    CoreCoord start, end;
    tw_value box(tw::arena &a) const { return tw::box(a, std::array<CoreCoord, 2>{start, end}); }
};
struct CoreRangeSet {
    std::vector<CoreRange> ranges;
    tw_value box(tw::arena &a) const { return tw::box(a, ranges); }
};
struct ShardSpec {
    CoreRangeSet grid;
    std::array<uint32_t, 2> shape;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;
};

struct MemoryConfig {
    TensorMemoryLayout memory_layout = TensorMemoryLayout::INTERLEAVED;
    BufferType buffer_type = BufferType::DRAM;
    std::optional<ShardSpec> shard_spec;

    tw_value box(tw::arena &a) const {
        a.cores.emplace_back();
        a.placements.push_back(placement(a.cores.back()));
        tw_value v = tw::plain(TW_VALUE_PLACEMENT);
        v.placement = &a.placements.back();
        return v;
    }

    // The cores are appended to `cores`, which must outlive the placement.
    tw_placement placement(std::vector<tw_cores> &cores) const {
        tw_placement p{};
        p.space = buffer_type == BufferType::DRAM ? TW_IN_DRAM : TW_IN_L1;
        p.sharding = static_cast<tw_sharding>(memory_layout);
        if (!shard_spec)
            return p;
        for (const CoreRange &r : shard_spec->grid.ranges)
            cores.push_back({static_cast<int32_t>(r.start.x), static_cast<int32_t>(r.start.y), static_cast<int32_t>(r.end.x),
                             static_cast<int32_t>(r.end.y)});
        p.shard[0] = shard_spec->shape[0];
        p.shard[1] = shard_spec->shape[1];
        p.by_columns = shard_spec->orientation == ShardOrientation::COL_MAJOR;
        p.cores = cores.data();
        p.n_cores = cores.size();
        return p;
    }
};

class Shape {
  public:
    Shape(std::initializer_list<int64_t> sizes) : sizes(sizes) {}
    auto begin() const { return sizes.begin(); }
    auto end() const { return sizes.end(); }
    std::size_t size() const { return sizes.size(); }

  private:
    std::vector<int64_t> sizes;
};

namespace distributed {
class MeshDevice {
  public:
    tw_value box(tw::arena &) const { return tw::plain(TW_VALUE_DEVICE); }
};
} // namespace distributed
using distributed::MeshDevice;

class DeviceGetter {
  public:
    static MeshDevice *getInstance() {
        static MeshDevice device;
        return &device;
    }
    static void setInstance(MeshDevice *) {}
};

struct PageConfig {
    Layout layout;
    explicit PageConfig(Layout layout) : layout(layout) {}
};
struct TensorLayout {
    DataType dtype;
    PageConfig page;
    std::optional<MemoryConfig> memory;
    TensorLayout(DataType dtype, PageConfig page, std::optional<MemoryConfig> memory = {}) : dtype(dtype), page(page), memory(memory) {}
};
struct TensorSpec {
    Shape shape;
    TensorLayout layout;
    TensorSpec(Shape shape, TensorLayout layout) : shape(std::move(shape)), layout(std::move(layout)) {}
};

class Tensor {
  public:
    struct Held {
        tw_tensor t{};
        std::vector<tw_cores> cores;
        bool owned = false;
        void release() {
            if (owned)
                tw::api->free_data(t.data);
            owned = false;
        }
        ~Held() { release(); }
    };

    Tensor() = default;
    // The data stays the caller's unless `owned`.
    Tensor(const tw_tensor &t, bool owned) : held(std::make_shared<Held>()) {
        held->t = t;
        held->owned = owned;
        set_placement(t.placement);
    }
    void set_placement(const tw_placement &p) {
        held->cores.assign(p.cores, p.cores + (p.sharding == TW_INTERLEAVED ? 0 : p.n_cores));
        held->t.placement = p;
        held->t.placement.cores = held->cores.data();
    }
    const tw_tensor *get() const { return held.get() ? &held->t : nullptr; }
    const std::shared_ptr<Held> &share() const { return held; }
    tw_value box(tw::arena &) const {
        if (!held || !held->t.data)
            throw std::runtime_error("a tensor that ttnn::deallocate gave back is used");
        tw_value v = tw::plain(TW_VALUE_TENSOR);
        v.tensor = &held->t;
        return v;
    }

    template <class T>
    static Tensor from_vector(const std::vector<T> &values, const TensorSpec &spec, MeshDevice *device = nullptr);

  private:
    std::shared_ptr<Held> held;
};

} // namespace ttnn

namespace tw {

// What a function of ttnn returns.
enum class gives { nothing, tensor, first, vector, tuple2, tuple3, array2, array3, optionals };

template <gives G>
auto returned(std::vector<ttnn::Tensor> r) {
    if constexpr (G == gives::nothing)
        return;
    else if constexpr (G == gives::tensor)
        return r.empty() ? ttnn::Tensor() : r[0];
    else if constexpr (G == gives::first)
        return std::tuple<ttnn::Tensor>(r[0]);
    else if constexpr (G == gives::tuple2)
        return std::tuple<ttnn::Tensor, ttnn::Tensor>(r[0], r[1]);
    else if constexpr (G == gives::tuple3)
        return std::tuple<ttnn::Tensor, ttnn::Tensor, ttnn::Tensor>(r[0], r[1], r[2]);
    else if constexpr (G == gives::array2)
        return std::array<ttnn::Tensor, 2>{r[0], r[1]};
    else if constexpr (G == gives::array3)
        return std::array<ttnn::Tensor, 3>{r[0], r[1], r[2]};
    else if constexpr (G == gives::optionals)
        return std::vector<std::optional<ttnn::Tensor>>(r.begin(), r.end());
    else
        return r;
}

// Calls a function with its arguments by position.
inline std::vector<ttnn::Tensor> call(const char *name, std::initializer_list<const any *> given) {
    const tw_function *f = api->function_named(TW_CPP, name);
    if (!f || given.size() > f->n_parameters)
        throw std::runtime_error(std::string(name) + ": expected " + (f ? "fewer arguments" : "a function of this device"));
    tw_value arguments[TW_EAGER_MAX_PARAMETERS]{};
    std::size_t n = 0;
    for (const any *a : given)
        arguments[n++] = a->value;
    tw_tensor results[TW_EAGER_MAX_RESULTS];
    if (tw_status status = api->call(api->session, f, arguments, results, &n))
        fail(status);
    std::vector<ttnn::Tensor> made;
    for (std::size_t i = 0; i < n; i++)
        made.emplace_back(results[i], true);
    return made;
}

} // namespace tw

#include "ttnn-rows.hpp"

namespace ttnn {

template <class T>
Tensor Tensor::from_vector(const std::vector<T> &values, const TensorSpec &spec, MeshDevice *device) {
    constexpr bool real = std::is_floating_point_v<T>;
    const DataType held = real ? DataType::FLOAT32 : DataType::INT32;
    std::vector<std::conditional_t<real, float, int32_t>> data(values.begin(), values.end());
    data.emplace_back(); // so that there is memory for no values, too
    tw_tensor t{};
    t.dtype = static_cast<tw_dtype>(held);
    t.tiled = spec.layout.page.layout == Layout::TILE;
    t.data = data.data();
    for (int64_t size : spec.shape)
        t.dims[t.rank++] = size;
    Tensor made = ttnn::typecast(Tensor(t, false), spec.layout.dtype, std::nullopt);
    std::vector<tw_cores> cores;
    if (device)
        made.set_placement(spec.layout.memory.value_or(MemoryConfig{}).placement(cores));
    return made;
}

// The memory of the data is freed; other owners of the tensor may not use it.
inline void deallocate(const Tensor &tensor, bool) {
    if (tensor.get() && tensor.share()->owned) {
        tensor.share()->release();
        tensor.share()->t.data = nullptr;
    }
}

inline int32_t getScalarFromTensor(const Tensor &tensor) {
    const tw_tensor *t = tensor.get();
    if (tw_tensor size = *t; size.dtype != TW_U32 && size.dtype != TW_I32)
        throw std::runtime_error("ttnn::getScalarFromTensor: expected an integer of 32 bits");
    return *static_cast<const int32_t *>(t->data);
}

// Functions of constants run once.
inline void constEvalFuncWrapperZeroArg(const std::function<std::vector<Tensor>()> &f, std::vector<Tensor> *cached) {
    if (cached->empty())
        *cached = f();
}
inline void constEvalFuncWrapper(const std::function<std::vector<Tensor>(std::vector<Tensor>)> &f, const std::vector<Tensor> &inputs,
                                 std::vector<Tensor> *cached) {
    if (cached->empty())
        *cached = f(inputs);
}

} // namespace ttnn

// The same values in memory that the caller owns.
namespace tw {
inline tw_tensor copy_of(const tw_tensor &tensor) {
    if (!tensor.data)
        throw std::runtime_error("a tensor that ttnn::deallocate gave back is used");
    tw_tensor t = tensor;
    const std::size_t bytes = api->tensor_bytes(&t);
    t.data = api->allocate(bytes);
    if (!t.data)
        throw std::bad_alloc();
    std::memcpy(t.data, tensor.data, bytes);
    return t;
}
} // namespace tw

// ---- meshes: of one chip, on which distribution moves nothing ----------------------------------

namespace ttnn::distributed {

class MeshShape {
  public:
    MeshShape(std::initializer_list<uint32_t> sizes) : sizes(sizes) {}
    std::size_t dims() const { return sizes.size(); }
    std::size_t mesh_size() const {
        std::size_t chips = 1;
        for (uint32_t size : sizes)
            chips *= size;
        return chips;
    }

  private:
    std::vector<uint32_t> sizes;
};

struct MeshMapperConfig {
    struct Replicate {};
    struct Shard {
        int dim;
    };
    using Placement = std::variant<Replicate, Shard>;
    std::vector<Placement> placements;
    std::optional<MeshShape> mesh_shape_override;
};
struct MeshComposerConfig {
    std::vector<int> dims;
    std::optional<MeshShape> mesh_shape_override;
};
struct TensorToMesh {
    MeshMapperConfig config;
};
struct MeshToTensor {
    MeshComposerConfig config;
};

inline void check_mesh(const char *function, const std::optional<MeshShape> &shape, std::size_t axes) {
    if (shape && shape->mesh_size() != 1)
        throw std::runtime_error(std::string("ttnn::distributed::") + function + ": expected a mesh of one chip, found one of " +
                                 std::to_string(shape->mesh_size()) + "; the embedded device is one chip: compile with mesh-shape=1,1");
    if (std::size_t n = shape ? shape->dims() : 2; axes != n)
        throw std::runtime_error(std::string("ttnn::distributed::") + function + ": expected a value for each of the " + std::to_string(n) +
                                 " axes of the mesh, found " + std::to_string(axes));
}
inline std::unique_ptr<TensorToMesh> create_mesh_mapper(MeshDevice &, const MeshMapperConfig &config) {
    check_mesh("create_mesh_mapper", config.mesh_shape_override, config.placements.size());
    return std::make_unique<TensorToMesh>(TensorToMesh{config});
}
inline std::unique_ptr<MeshToTensor> create_mesh_composer(MeshDevice &, const MeshComposerConfig &config) {
    check_mesh("create_mesh_composer", config.mesh_shape_override, config.dims.size());
    return std::make_unique<MeshToTensor>(MeshToTensor{config});
}
// Programs deallocate what they distributed, so that the parts have memory of their own.
inline Tensor distribute_tensor(const Tensor &tensor, const TensorToMesh &) { return Tensor(tw::copy_of(*tensor.get()), true); }
inline Tensor aggregate_tensor(const Tensor &tensor, const MeshToTensor &) { return Tensor(tw::copy_of(*tensor.get()), true); }

} // namespace ttnn::distributed

template <class... T>
std::vector<ttnn::Tensor> util_create_vec(T &&...t) { return {std::forward<T>(t)...}; }
template <class T>
T util_get_optional_value(const std::optional<T> &t) { return t.value(); }

// ---- functions of the host ---------------------------------------------------------------------

namespace ttir_cpu {

// Calls a function of TTIR, given as text, on tensors of the host.
inline std::vector<ttnn::Tensor> call(const char *function, const std::vector<ttnn::Tensor> &inputs) {
    std::vector<tw_tensor> given;
    for (const ttnn::Tensor &t : inputs) {
        if (!t.get() || !t.get()->data)
            throw std::runtime_error("a tensor that ttnn::deallocate gave back is used");
        given.push_back(*t.get());
    }
    tw_tensor results[TW_EAGER_MAX_PARAMETERS];
    std::size_t n = 0;
    if (tw_status status = tw::api->host(tw::api->session, function, given.data(), given.size(), results, TW_EAGER_MAX_PARAMETERS, &n))
        tw::fail(status);
    std::vector<ttnn::Tensor> made;
    for (std::size_t i = 0; i < n; i++)
        made.emplace_back(results[i], true);
    return made;
}

} // namespace ttir_cpu

// ---- programs: what the loader calls -----------------------------------------------------------

namespace tw {

using tensors = std::vector<ttnn::Tensor>;
struct program {
    const char *name;
    tensors (*run)(const tensors &);
    tensors (*inputs)();
};
inline std::vector<program> programs;
struct registered {
    explicit registered(program p) { programs.push_back(p); }
};

// A result as the caller's: its own memory, also where it is an argument or is returned twice.
inline tw_tensor give(const ttnn::Tensor &tensor) {
    const std::shared_ptr<ttnn::Tensor::Held> &held = tensor.share();
    if (!held->owned)
        return copy_of(held->t);
    held->owned = false;
    return held->t;
}

inline tensors run(const program &p, const tw_tensor *inputs, std::size_t n) {
    tensors given;
    for (std::size_t i = 0; i < n; i++)
        given.emplace_back(inputs[i], false);
    return inputs ? p.run(given) : p.inputs();
}

} // namespace tw

#define TTNN_PROGRAM(name)                                                                                                        \
    static const ::tw::registered tw_program_##name{                                                                              \
        {#name, [](const ::tw::tensors &t) { return ::tw::tensors(::name(t)); }, []() { return ::create_inputs_for_##name(); }}};

// The name of the i-th program; NULL past the last.
extern "C" __attribute__((visibility("default"), used)) const char *tw_emitted_program(size_t i) {
    return i < tw::programs.size() ? tw::programs[i].name : nullptr;
}

// Runs a program; inputs NULL: makes its inputs. Returns the number of results, which the caller owns, or -1 with a message.
extern "C" __attribute__((visibility("default"), used)) int64_t tw_emitted_call(const tw_eager_api *api, const char *name,
                                                                                const tw_tensor *inputs, size_t n, tw_tensor *results,
                                                                                size_t capacity, char *error, size_t size) {
    tw::api = api;
    try {
        for (const tw::program &p : tw::programs) {
            if (std::strcmp(p.name, name) != 0)
                continue;
            static tw::tensors kept; // whose cores the results' placements name
            kept = tw::run(p, inputs, n);
            if (kept.size() > capacity)
                throw std::runtime_error("more results than the caller has room for");
            for (size_t i = 0; i < kept.size(); i++)
                results[i] = tw::give(kept[i]);
            return static_cast<int64_t>(kept.size());
        }
        throw std::runtime_error(std::string("there is no program '") + name + "'");
    } catch (const std::exception &e) {
        std::strncpy(error, e.what(), size - 1);
        error[size - 1] = '\0';
        return -1;
    }
}

#endif
