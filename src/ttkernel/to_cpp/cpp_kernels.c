/* cpp_kernels.c: thread functions as sources for the hardware's compiler: the headers of
 * the functions they call, helpers, and the body as kernel_main. */
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "mlir/func/func.h"
#include "ttkernel/ttkernel.h"

#include <stdlib.h>

/* Which header declares what: beginnings of names, ended by '_', a template or the name's
 * end.  Sorted by header, which is the order they are included in. */
static const struct {
    const char *header, *callees;
    enum { COMPUTE = 1, DATA, BOTH } threads; /* whose */
} headers[] = {
    {"<algorithm>", "std::max std::min", BOTH},
    {"<array>", "std::array", BOTH},
    {"api/compile_time_args.h", "get_compile_time_arg_val", BOTH},
    {"api/compute/add_int_sfpu.h", "add_int_tile", COMPUTE},
    {"api/compute/atan2.h", "atan2_binary_tile", COMPUTE},
    {"api/compute/bcast.h", "unary_bcast", COMPUTE},
    {"api/compute/binary_bitwise_sfpu.h",
     "binary_bitwise_tile bitwise_and_binary_tile "
     "bitwise_or_binary_tile bitwise_xor_binary_tile",
     COMPUTE},
    {"api/compute/binary_max_min.h", "binary_max binary_min", COMPUTE},
    {"api/compute/binary_shift.h",
     "binary_left_shift_tile binary_right_shift_tile "
     "binary_logical_right_shift_tile binary_shift_tile",
     COMPUTE},
    {"api/compute/compute_kernel_api.h",
     "abs_tile exp2_tile expm1_tile log_tile topk power_tile sfpu_reduce sigmoid_tile "
     "sign_tile signbit_tile silu_tile square_tile tanh_tile max_reduce_with_indices",
     COMPUTE},
    {"api/compute/compute_kernel_hw_startup.h", "compute_kernel_hw_startup", COMPUTE},
    {"api/compute/copy_dest_values.h", "copy_dest_values", COMPUTE},
    {"api/compute/eltwise_binary.h",
     "binary_op_init_common add_tiles sub_tiles mul_tiles "
     "binary_dest_reuse_tiles",
     COMPUTE},
    {"api/compute/eltwise_binary_sfpu.h",
     "add_binary_tile sub_binary_tile mul_binary_tile div_binary_tile power_binary_tile "
     "eq_binary_tile ne_binary_tile lt_binary_tile le_binary_tile gt_binary_tile "
     "ge_binary_tile",
     COMPUTE},
    {"api/compute/eltwise_unary/activations.h", "hardsigmoid_tile softsign_tile", COMPUTE},
    {"api/compute/eltwise_unary/binop_with_scalar.h",
     "add_unary_tile sub_unary_tile mul_unary_tile div_unary_tile binop_with_scalar_tile",
     COMPUTE},
    {"api/compute/eltwise_unary/bitwise_not.h", "bitwise_not_tile", COMPUTE},
    {"api/compute/eltwise_unary/clamp.h", "clamp_tile", COMPUTE},
    {"api/compute/eltwise_unary/comp.h",
     "eqz_tile nez_tile ltz_tile lez_tile gtz_tile gez_tile", COMPUTE},
    {"api/compute/eltwise_unary/eltwise_unary.h", "init_sfpu unary_op_init_common",
     COMPUTE},
    {"api/compute/eltwise_unary/erf_erfc.h", "erf_tile erfc_tile", COMPUTE},
    {"api/compute/eltwise_unary/exp.h", "exp_tile", COMPUTE},
    {"api/compute/eltwise_unary/fill.h", "fill_tile", COMPUTE},
    {"api/compute/eltwise_unary/gelu.h", "gelu_tile", COMPUTE},
    {"api/compute/eltwise_unary/log1p.h", "log1p_tile", COMPUTE},
    {"api/compute/eltwise_unary/logical_not.h", "logical_not_tile", COMPUTE},
    {"api/compute/eltwise_unary/negative.h", "negative_tile", COMPUTE},
    {"api/compute/eltwise_unary/rand.h", "rand_tile", COMPUTE},
    {"api/compute/eltwise_unary/recip.h", "recip_tile", COMPUTE},
    {"api/compute/eltwise_unary/relu.h", "relu_tile", COMPUTE},
    {"api/compute/eltwise_unary/rounding.h",
     "ceil_tile floor_tile frac_tile trunc_tile rounding_op_tile", COMPUTE},
    {"api/compute/eltwise_unary/rsqrt.h", "rsqrt_tile", COMPUTE},
    {"api/compute/eltwise_unary/selu.h", "selu_tile", COMPUTE},
    {"api/compute/eltwise_unary/sqrt.h", "sqrt_tile", COMPUTE},
    {"api/compute/eltwise_unary/trigonometry.h",
     "acos_tile asin_tile atan_tile cos_tile sin_tile tan_tile", COMPUTE},
    {"api/compute/eltwise_unary/typecast.h", "typecast_tile", COMPUTE},
    {"api/compute/eltwise_unary/where.h", "where_tile", COMPUTE},
    {"api/compute/matmul.h", "matmul mm_init mm_block_init", COMPUTE},
    {"api/compute/mul_int_sfpu.h", "mul_int_tile", COMPUTE},
    {"api/compute/pack.h", "pack_tile pack_reconfig", COMPUTE},
    {"api/compute/pack_untilize.h", "pack_untilize", COMPUTE},
    {"api/compute/reconfig_data_format.h", "reconfig_data_format", COMPUTE},
    {"api/compute/reduce.h", "reduce_init reduce_tile reduce_uninit", COMPUTE},
    {"api/compute/reg_api.h",
     "tile_regs_acquire tile_regs_commit tile_regs_wait tile_regs_release", COMPUTE},
    {"api/compute/sub_int_sfpu.h", "sub_int_tile", COMPUTE},
    {"api/compute/tile_move_copy.h", "copy_tile copy_block_matmul_partials", COMPUTE},
    {"api/compute/tilize.h", "tilize", COMPUTE},
    {"api/compute/transpose_wh.h", "transpose_wh", COMPUTE},
    {"api/compute/untilize.h", "untilize", COMPUTE},
    {"api/core_local_mem.h", "Noc", BOTH},
    {"api/dataflow/circular_buffer.h", "CircularBuffer", BOTH},
    {"api/dataflow/endpoints.h", "Noc", BOTH},
    {"api/dataflow/noc.h", "Noc", BOTH},
    {"api/numeric/bfloat16.h", "bfloat16_greater", BOTH},
    {"api/numeric/float32.h", "float32_greater", BOTH},
    {"api/tensor/noc_traits.h", "TensorAccessor", DATA},
    {"api/tensor/tensor_accessor_args.h", "TensorAccessorArgs", DATA},
};

typedef struct used {
    bool header[TW_COUNT(headers)];
    bool float_to_bits;
    int thread;
} used;

/* Whether a name is one of those in the list. */
static bool names(const char *list, tw_str name)
{
    for (const char *at = list; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
        size_t size = strcspn(at, " ");
        if (name.size >= size && memcmp(name.data, at, size) == 0 &&
            (name.size == size || name.data[size] == '_' || name.data[size] == '<'))
            return true;
    }
    return false;
}

static void use(used *u, tw_str name)
{
    for (size_t i = 0; i < TW_COUNT(headers); i++)
        u->header[i] |= (headers[i].threads & u->thread) && names(headers[i].callees, name);
    u->float_to_bits |= tw_str_is(name, "float_to_bits");
}

/* The name in front of a call, behind any "auto x = ". */
static tw_str called(tw_str text)
{
    const char *end = text.data + text.size, *open = memchr(text.data, '(', text.size);
    size_t before = open ? (size_t)(open - text.data) : text.size;
    const char *equals = memchr(text.data, '=', before);
    const char *start = equals ? equals + 1 : text.data;
    while (start < end && *start == ' ')
        start++;
    const char *stop = start;
    while (stop < end && *stop != '(' && *stop != '<' && *stop != ' ' && *stop != '{')
        stop++;
    return (tw_str){start, (size_t)(stop - start)};
}

static ir_walk collect(ir_op *op, void *user)
{
    if (op->def == EMITC_OP(call_opaque))
        use(user, ir_attr_str(ir_op_attr(op, "callee")));
    else if (op->def == EMITC_OP(literal) || op->def == EMITC_OP(verbatim))
        use(user, called(ir_attr_str(ir_op_attr(op, "value"))));
    return IR_WALK_ON;
}

static const char helpers[] =
    "inline uint32_t float_to_bits(const float f) { uint32_t r; "
    "__builtin_memcpy(&r, &f, sizeof(r)); return r; }\n"
    "#ifndef INFINITY\n#define INFINITY __builtin_inff()\n#endif\n";

static void put_headers(const used *u, int64_t kind, tw_strbuf *out)
{
    bool compute = kind == TTKERNEL_ThreadType_Compute;
    for (size_t i = 0; i < TW_COUNT(headers); i++)
        if (u->header[i] && strcmp(headers[i].header, "api/compute/reduce.h") == 0)
            tw_strbuf_puts(out, "#define REDUCE_OP PoolType::SUM\n"
                                "#define REDUCE_DIM ReduceDim::REDUCE_COL\n");
    bool standard = true;
    const char *base = compute                           ? "api/compute/common.h"
                       : kind == TTKERNEL_ThreadType_Noc ? "api/dataflow/dataflow_api.h"
                                                         : NULL;
    const char *last = NULL;
    for (size_t i = 0; i <= TW_COUNT(headers); i++) {
        bool end = i == TW_COUNT(headers);
        if (standard && (end || headers[i].header[0] != '<')) {
            tw_strbuf_puts(out, "#include <cstdint>\n");
            standard = false;
        }
        if (base && (end || strcmp(headers[i].header, base) > 0)) {
            tw_strbuf_printf(out, "#include \"%s\"\n", base);
            base = NULL;
        }
        if (end || !u->header[i] || (last && strcmp(last, headers[i].header) == 0))
            continue;
        last = headers[i].header;
        tw_strbuf_printf(out, *last == '<' ? "#include %s\n" : "#include \"%s\"\n", last);
    }
    tw_strbuf_puts(out, "#include \"tools/profiler/kernel_profiler.hpp\"\n");
    if (compute || u->float_to_bits)
        tw_strbuf_puts(out, helpers);
}

/* What semaphores begin with is the host's to see to: it is told. */
static void put_semaphores(const ir_op *func, tw_strbuf *out)
{
    ir_attr pairs = ir_op_attr(func, "ttl.semaphore_values");
    for (uint32_t i = 0; pairs && i + 1 < pairs->count; i += 2)
        tw_strbuf_printf(out, "// semaphore %lld begins with %lld\n",
                         (long long)ir_dense_array_int(pairs, i),
                         (long long)ir_dense_array_int(pairs, i + 1));
}

bool cpp_emit_kernel(ir_op *func, tw_strbuf *out)
{
    int64_t kind = ir_enum_value(ir_op_attr(func, "ttkernel.thread"), -1);
    used u = {.thread = kind == TTKERNEL_ThreadType_Noc       ? DATA
                        : kind == TTKERNEL_ThreadType_Compute ? COMPUTE
                                                              : 0};
    tw_str name = ir_symbol_name(func);
    ir_walk_pre(func, collect, &u);
    tw_strbuf_printf(out, "// %.*s\n", (int)name.size, name.data);
    put_headers(&u, kind, out); /* right behind the name: so a kernel's start is known */
    put_semaphores(func, out);
    return cpp_emit_function(func, "kernel_main", out);
}

typedef struct all {
    tw_strbuf *out;
    bool ok;
} all;

static ir_walk visit(ir_op *op, void *user)
{
    all *a = user;
    if (op->def != FUNC_OP(func) || !ir_op_attr(op, "ttkernel.thread") ||
        !ir_op_body(op, 0))
        return IR_WALK_ON;
    a->ok = cpp_emit_kernel(op, a->out);
    return a->ok ? IR_WALK_SKIP : IR_WALK_STOP;
}

bool cpp_emit_kernels(ir_op *module, tw_strbuf *out)
{
    all a = {out, true};
    ir_walk_pre(module, visit, &a);
    return a.ok;
}
