/* kernel_named.hpp: the host's resources by name, as in Metal 2.0's kernels: arguments
 * (args::), circular buffers (dfb::), tensors (tensor::), semaphores (sem::) and memory of
 * the kernel's own (scratch::). The launch defines which exist:
 *
 *   TW_NAMED_ARGS(RTA, CRTA, CTA)  KIND(name, index of the argument of that kind) ...
 *   TW_NAMED_DFB(X), TW_NAMED_SEM(X)  X(name, index of the compile-time argument) ...
 *   TW_NAMED_TENSOR(X)  X(name, compile-time argument: accessor, common one: address) ...
 *   TW_NAMED_SCRATCH(X)  X(name, compile-time argument: circular buffer, bytes) ...
 *   TW_NAMED_COUNTS     number of named arguments: a core's own, common ones */
#pragma once

#include "kernel_newer.hpp"

#define TT_KERNEL static inline

namespace experimental {
template <class T> struct RtaArg {
    uint32_t byte_offset;
};
template <class T> struct CrtaArg {
    uint32_t byte_offset;
};
template <class T> struct CtaVal {
    T value;
};
template <class T> TW_QUIET inline T get_arg(RtaArg<T> arg, TW_AT)
{
    return get_arg_val<T>(arg.byte_offset / 4, at);
}
template <class T> TW_QUIET inline T get_arg(CrtaArg<T> arg, TW_AT)
{
    return get_common_arg_val<T>(arg.byte_offset / 4, at);
}
template <class T> constexpr T get_arg(CtaVal<T> arg) { return arg.value; }
} // namespace experimental
using experimental::get_arg; /* for an unknown name the compiler reports only that */

namespace args {
#define TW_NAMED_RTA(name, i) constexpr experimental::RtaArg<uint32_t> name{4 * i};
#define TW_NAMED_CRTA(name, i) constexpr experimental::CrtaArg<uint32_t> name{4 * i};
#define TW_NAMED_CTA(name, i)                                                              \
    constexpr experimental::CtaVal<uint32_t> name{tw_compile_time_args[i]};
#ifdef TW_NAMED_ARGS
TW_NAMED_ARGS(TW_NAMED_RTA, TW_NAMED_CRTA, TW_NAMED_CTA)
#endif
} // namespace args

/* Arguments after the named ones. */
#ifdef TW_NAMED_COUNTS
namespace tw {
constexpr uint32_t named_counts[] = {TW_NAMED_COUNTS};
}
TW_QUIET inline uint32_t get_vararg(uint32_t i, TW_AT)
{
    return get_arg_val<uint32_t>(tw::named_counts[0] + i, at);
}
TW_QUIET inline uint32_t get_common_vararg(uint32_t i, TW_AT)
{
    return get_common_arg_val<uint32_t>(tw::named_counts[1] + i, at);
}
#endif

struct DFBBindingToken {
    uint16_t id;
    constexpr operator uint32_t() const { return id; }
};
namespace dfb {
#define TW_NAME(name, i) constexpr DFBBindingToken name{(uint16_t)tw_compile_time_args[i]};
#ifdef TW_NAMED_DFB
TW_NAMED_DFB(TW_NAME)
#endif
#undef TW_NAME
} // namespace dfb

namespace scratch {
#define TW_NAME(name, i, bytes)                                                            \
    constexpr ScratchpadBindingToken name{(uint16_t)tw_compile_time_args[i], bytes};
#ifdef TW_NAMED_SCRATCH
TW_NAMED_SCRATCH(TW_NAME)
#endif
#undef TW_NAME
} // namespace scratch

namespace sem {
#define TW_NAME(name, i)                                                                   \
    constexpr SemaphoreBindingToken name{tw_compile_time_args[i], SemScope::LOCAL_NONATOMIC};
#ifdef TW_NAMED_SEM
TW_NAMED_SEM(TW_NAME)
#endif
#undef TW_NAME
} // namespace sem

namespace tensor {
#define TW_NAME(name, accessor, address)                                                   \
    constexpr tensor_accessor::TensorBindingToken<accessor, 4 * address> name{};
#ifdef TW_NAMED_TENSOR
TW_NAMED_TENSOR(TW_NAME)
#endif
#undef TW_NAME
} // namespace tensor
