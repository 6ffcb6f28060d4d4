/* cpp_kernels.c: thread functions as sources for the hardware's compiler: the headers of
 * the functions they call, helpers, and the body as kernel_main. */
#include "mlir/emitc/emitc.h"
#include "mlir/emitc/to_cpp/cpp.h"
#include "mlir/func/func.h"
#include "ttkernel/ttkernel.h"

#include <stdlib.h>

/* Which header declares what: beginnings of names, ended by '_', a template or the name's
 * end. */
static const struct {
    const char *header, *callees;
    enum { COMPUTE = 1, DATA, BOTH } threads; /* whose */
} headers[] = {
    {"<algorithm>", "std::max std::min", BOTH},
    {"<array>", "std::array", BOTH},
    {"api/compile_time_args.h", "get_compile_time_arg_val", BOTH},
    {"api/compute/bcast.h", "unary_bcast", COMPUTE},
    {"api/compute/compute_kernel_api.h", "topk sfpu_reduce max_reduce_with_indices",
     COMPUTE},
    {"api/compute/compute_kernel_hw_startup.h", "compute_kernel_hw_startup", COMPUTE},
    {"api/compute/copy_dest_values.h", "copy_dest_values", COMPUTE},
    {"api/compute/eltwise_binary.h",
     "binary_op_init_common add_tiles sub_tiles mul_tiles binary_dest_reuse_tiles",
     COMPUTE},
    {"api/compute/eltwise_unary/clamp.h", "clamp_tile", COMPUTE},
    {"api/compute/eltwise_unary/eltwise_unary.h", "init_sfpu unary_op_init_common",
     COMPUTE},
    {"api/compute/eltwise_unary/exp.h", "exp_tile", COMPUTE},
    {"api/compute/eltwise_unary/fill.h", "fill_tile", COMPUTE},
    {"api/compute/eltwise_unary/logical_not.h", "logical_not_tile", COMPUTE},
    {"api/compute/eltwise_unary/rand.h", "rand_tile", COMPUTE},
    {"api/compute/eltwise_unary/selu.h", "selu_tile", COMPUTE},
    {"api/compute/eltwise_unary/typecast.h", "typecast_tile", COMPUTE},
    {"api/compute/eltwise_unary/where.h", "where_tile", COMPUTE},
    {"api/compute/matmul.h", "matmul mm_init mm_block_init", COMPUTE},
    {"api/compute/pack.h", "pack_tile pack_reconfig", COMPUTE},
    {"api/compute/pack_untilize.h", "pack_untilize", COMPUTE},
    {"api/compute/reconfig_data_format.h", "reconfig_data_format", COMPUTE},
    {"api/compute/reduce.h", "reduce_init reduce_tile reduce_uninit", COMPUTE},
    {"api/compute/reg_api.h",
     "tile_regs_acquire tile_regs_commit tile_regs_wait tile_regs_release", COMPUTE},
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
#define TILE(sort, shape, op, init, header, ...) {"api/compute/" header, #op, COMPUTE},
#define INIT(op, header) {"api/compute/" header, #op, COMPUTE},
#include "ttkernel/elementwise.def"
};

typedef struct used {
    bool header[TW_COUNT(headers)];
    bool float_to_bits;
    int thread;
    const char *body; /* of what a person reads, else NULL: only what it uses is declared */
} used;

static bool mentions(const used *u, const char *name)
{
    return !u->body || strstr(u->body, name);
}

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

static const char float_to_bits[] =
    "inline uint32_t float_to_bits(const float f) { uint32_t r; "
    "__builtin_memcpy(&r, &f, sizeof(r)); return r; }\n";
static const char infinity[] =
    "#ifndef INFINITY\n#define INFINITY __builtin_inff()\n#endif\n";

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In the order of their names, those of the standard library first. */
static void put_headers(const used *u, int64_t kind, tw_strbuf *out)
{
    bool compute = kind == TTKERNEL_ThreadType_Compute;
    for (size_t i = 0; i < TW_COUNT(headers); i++)
        if (u->header[i] && strcmp(headers[i].header, "api/compute/reduce.h") == 0)
            tw_strbuf_puts(out, "#define REDUCE_OP PoolType::SUM\n"
                                "#define REDUCE_DIM ReduceDim::REDUCE_COL\n");
    const char *included[TW_COUNT(headers) + 2] = {"<cstdint>"};
    size_t n = 1;
    if (compute || kind == TTKERNEL_ThreadType_Noc)
        included[n++] = compute ? "api/compute/common.h" : "api/dataflow/dataflow_api.h";
    for (size_t i = 0; i < TW_COUNT(headers); i++)
        if (u->header[i])
            included[n++] = headers[i].header;
    qsort(included, n, sizeof *included, compare_text);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(included[i], included[i - 1]) != 0)
            tw_strbuf_printf(out,
                             *included[i] == '<' ? "#include %s\n" : "#include \"%s\"\n",
                             included[i]);
    if (mentions(u, "DeviceZoneScopedN"))
        tw_strbuf_puts(out, "#include \"tools/profiler/kernel_profiler.hpp\"\n");
    if (mentions(u, "float_to_bits") && (compute || u->float_to_bits))
        tw_strbuf_puts(out, float_to_bits);
    if (mentions(u, "INFINITY") && (compute || u->float_to_bits))
        tw_strbuf_puts(out, infinity);
}

/* The host initializes semaphores: their initial values go into its text. */
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
    tw_strbuf body = {0};
    bool ok = cpp_emit_function(func, "kernel_main", &body);
    u.body = ir_op_attr(func, "emitc.readable") ? tw_strbuf_text(&body) : NULL;
    put_headers(&u, kind, out); /* right behind the name: so a kernel's start is known */
    put_semaphores(func, out);
    tw_strbuf_str(out, (tw_str){body.data, body.size});
    tw_strbuf_free(&body);
    return ok;
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
