/* kernel_api.hpp: the kernel API: functions of more than one operation, by subject; the
 * others, one function per operation, are in kernel_ops.hpp. */
#pragma once

#include "kernel_base.hpp"
#include "kernel_ops.hpp"

#include "kernel_address.hpp"
#include "kernel_data.hpp"

#include "kernel_compute.hpp"
#include "kernel_print.hpp"

/* ---- names ----------------------------------------------------------------------- */

#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#define MEM_ZEROS_BASE (tw::run(tw::op_mem_zeros_base, 0, TW_HERE, 0, nullptr))
#define MEM_ZEROS_SIZE 512
namespace ckernel {
enum VectorMode { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xFF };
}
using ckernel::VectorMode;
#define INVALID 0
#define VALID 1
#ifndef NOC_MAX_BURST_SIZE /* the chip's: native_build.c */
#define NOC_MAX_BURST_SIZE 8192
#endif
#define L1_ALIGNMENT 16
#define NOC_UNICAST_WRITE_VC 1
#define NOC_MULTICAST_WRITE_VC 4
#define UNPACK(x) x
#define MATH(x) x
#define PACK(x) x
#define NAMESPACE
#define MAIN kernel_main()

namespace tt::constants {
constexpr uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32, FACE_HEIGHT = 16, FACE_WIDTH = 16;
constexpr uint32_t TILE_HW = TILE_HEIGHT * TILE_WIDTH, FACE_HW = FACE_HEIGHT * FACE_WIDTH;
} // namespace tt::constants
namespace tt {
enum CBIndex : uint8_t {
    c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
    c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29,
    c_30, c_31,
};
/* older names of inputs, intermediates and outputs */
enum CB : uint8_t {
    c_in0, c_in1, c_in2, c_in3, c_in4, c_in5, c_in6, c_in7,
    dataflow0, dataflow1, dataflow2, dataflow3, dataflow4, dataflow5, dataflow6, dataflow7,
    c_out0, c_out1, c_out2, c_out3, c_out4, c_out5, c_out6, c_out7,
    c_intermed0, c_intermed1, c_intermed2, c_intermed3, c_intermed4, c_intermed5,
    c_intermed6, c_intermed7,
};
using ::DataFormat;
} // namespace tt
namespace ckernel {
enum class DataLayout { TILE, ROW_MAJOR };
using ::acquire_dst;
using ::add_tiles_init;
using ::any_tiles_bcast;
using ::binary_tiles_init;
using ::compute_kernel_hw_startup;
using ::copy_dest_values;
using ::copy_tile_init;
using ::copy_tile_matmul_partials;
using ::copy_tile_to_dst_init_short;
using ::copy_tile_to_dst_init_short_with_dt;
using ::fill_tile_bitcast;
using ::init_bcast;
using ::llk_pack_reconfig_l1_acc;
using ::llk_pack_relu_config;
using ::matmul_tiles;
using ::mm_block_init;
using ::mm_block_init_short;
using ::mm_block_init_short_with_both_dt;
using ::mm_block_init_short_with_dt;
using ::mm_init;
using ::mm_init_short;
using ::mm_init_short_with_dt;
using ::mul_tiles_init;
using ::pack_reconfig_data_format;
using ::pack_relu_config;
using ::pack_tile;
using ::pack_untilize_block;
using ::reconfig_data_format;
using ::reconfig_data_format_srca;
using ::reconfig_data_format_srcb;
using ::reduce_init_delta;
using ::reduce_revert_delta;
using ::release_dst;
using ::sub_tiles_init;
using ::tilize_init_short;
using ::topk_local_sort;
using ::topk_merge;
using ::transpose_wh_init_short;
using ::untilize_init;
using ::untilize_init_short;
using ::where_fp32_tile;
using ::where_int32_tile;
} // namespace ckernel

#include "kernel_older.hpp"
#include "kernel_low.hpp"
#include "kernel_debug.hpp"
#include "kernel_reduce.hpp"
#include "kernel_sfpi.hpp"

/* ---- checks by the machine ----------------------------------------------------------- */

namespace tw {
/* Calls that would end the process end the kernel, with a report at the call. */
[[noreturn]] TW_QUIET inline void end_at(void *pc)
{
    run(op_unreachable, 0, {nullptr, 0, 0, (uintptr_t)pc - 1}, 0, nullptr);
    __builtin_trap();
}
} // namespace tw

namespace tw {
/* Arguments of -fsanitize=shift-exponent,integer-divide-by-zero,bounds: the location and
 * the operands' types. */
struct checked_type {
    uint16_t kind, info; /* info: 2 * log2 of the bits, + 1 if signed */
};
struct checked_location {
    const char *file;
    uint32_t line, column;
    const checked_type *type, *other;
};
/* An operand: up to 64 bits are passed by value. */
TW_QUIET inline int64_t operand_of(const checked_type *type, void *value)
{
    unsigned bits = 1u << (type->info >> 1);
    int64_t v = (int64_t)((uint64_t)(uintptr_t)value << (64 - bits));
    return type->info & 1 ? v >> (64 - bits) : (int64_t)((uint64_t)v >> (64 - bits));
}
} // namespace tw

/* They bind within the kernel's object (-Bsymbolic). */
#define TW_KERNEL_ENDS(name, ...)                                                          \
    extern "C" __attribute__((noreturn, noinline)) TW_QUIET void name(__VA_ARGS__) noexcept \
    {                                                                                      \
        tw::end_at(__builtin_return_address(0));                                           \
    }
#define TW_KERNEL_MODULE(...)                                                              \
    extern "C" __attribute__((visibility("hidden"))) TW_QUIET void                         \
    __sanitizer_cov_trace_pc()                                    \
    {                                                                                      \
        if (++tw::mine.blocks >= 4096) {                                                   \
            uint32_t blocks = tw::mine.blocks;                                             \
            tw::mine.blocks = 0;                                                           \
            TW_MACHINE->step(tw::mine.thread, blocks,                                      \
                             (uintptr_t)__builtin_return_address(0) - 1);                  \
        }                                                                                  \
    }                                                                                      \
    static void (*const tw_entries[])(void) = {__VA_ARGS__};                               \
    TW_QUIET static void tw_enter(void *t)                                                 \
    {                                                                                      \
        tw::mine.thread = t;                                                               \
        tw::mine.blocks = 0;                                                               \
    }                                                                                      \
    extern "C" __attribute__((visibility("default"))) const tw_kernel_module_info          \
        tw_kernel_module = {TW_KERNEL_ABI, sizeof tw_entries / sizeof *tw_entries,         \
                            tw_enter, tw_entries, tw_guard};                               \
    extern "C" __attribute__((visibility("hidden"), noinline)) TW_QUIET void               \
    __ubsan_handle_divrem_overflow(void *where, void *a, void *b)                          \
    {                                                                                      \
        const tw::checked_location *p = (const tw::checked_location *)where;               \
        tw::ask({p->file, p->line, p->column, 0}, TW_SAY_DIVISION,                         \
                tw::operand_of(p->type, a), tw::operand_of(p->type, b));                   \
    }                                                                                      \
    extern "C" __attribute__((visibility("hidden"), noinline)) TW_QUIET void               \
    __ubsan_handle_shift_out_of_bounds(void *where, void *, void *by)                      \
    {                                                                                      \
        const tw::checked_location *p = (const tw::checked_location *)where;               \
        tw::ask({p->file, p->line, p->column, 0}, TW_SAY_SHIFT, 1 << (p->type->info >> 1), \
                tw::operand_of(p->other, by));                                             \
    }                                                                                      \
    extern "C" __attribute__((visibility("hidden"), noinline)) TW_QUIET void               \
    __ubsan_handle_out_of_bounds(void *where, void *index)                                 \
    {                                                                                      \
        const tw::checked_location *p = (const tw::checked_location *)where;               \
        tw::ask({p->file, p->line, p->column, 0}, TW_SAY_BOUNDS,                           \
                tw::operand_of(p->other, index), (int64_t)(uintptr_t)(p->type + 1));       \
    }                                                                                      \
    extern "C" __attribute__((noreturn, noinline)) TW_QUIET void __stack_chk_fail()        \
    {                                                                                      \
        tw::ask({nullptr, 0, 0, (uintptr_t)__builtin_return_address(0)}, TW_SAY_MISTAKE,   \
                (int64_t)(uintptr_t)"what lies behind an array on the stack was written"); \
        __builtin_trap();                                                                  \
    }                                                                                      \
    TW_KERNEL_ENDS(abort)                                                                  \
    TW_KERNEL_ENDS(exit, int)                                                              \
    TW_KERNEL_ENDS(_exit, int)                                                             \
    TW_KERNEL_ENDS(_Exit, int)                                                             \
    TW_KERNEL_ENDS(quick_exit, int)                                                        \
    TW_KERNEL_ENDS(__assert_fail, const char *, const char *, unsigned, const char *)
