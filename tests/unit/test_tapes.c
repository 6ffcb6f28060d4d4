/* test_tapes.c: repeated launches through the public interface: products accumulated in L1
 * on two cores, whose later runs repeat the record of the second. */
#include "tilewright/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 32, STEPS = 4, CORES = 2, TILE = SIDE * SIDE };

/* Row of tiles x of a (STEPS wide) times the column of tiles b. */
static const char kernels_text[] =
    "!cb = !ttkernel.cb<2, !ttcore.tile<32x32, bf16>>\n"
    "!acc = !ttkernel.TensorAccessor\n"
    "!args = !ttkernel.TensorAccessorArgs\n"
    "module {\n"
    "  func.func private @read() attributes {ttkernel.thread = #ttkernel.thread<noc>} {\n"
    "    %c0 = arith.constant 0 : index\n"
    "    %c1 = arith.constant 1 : index\n"
    "    %n = arith.constant 4 : index\n"
    "    %w0 = arith.constant 0 : i32\n"
    "    %w1 = arith.constant 1 : i32\n"
    "    %w3 = arith.constant 3 : i32\n"
    "    %page = arith.constant 2048 : i32\n"
    "    %x = \"ttkernel.my_logical_x_\"() : () -> index\n"
    "    %first = arith.muli %x, %n : index\n"
    "    %a = \"ttkernel.get_compile_time_arg_val\"() <{arg_index = 0 : i32}> : () -> !cb\n"
    "    %b = \"ttkernel.get_compile_time_arg_val\"() <{arg_index = 2 : i32}> : () -> !cb\n"
    "    %base0 = \"ttkernel.get_common_arg_val\"(%c0) : (index) -> i32\n"
    "    %base1 = \"ttkernel.get_common_arg_val\"(%c1) : (index) -> i32\n"
    "    %args0 = \"ttkernel.TensorAccessorArgs\"(%w1, %w0) <{operandSegmentSizes = "
    "array<i32: 1, 1, 0>}> : (i32, i32) -> !args\n"
    "    %args1 = \"ttkernel.TensorAccessorArgs\"(%w3, %w1) <{operandSegmentSizes = "
    "array<i32: 1, 1, 0>}> : (i32, i32) -> !args\n"
    "    %acc0 = \"ttkernel.TensorAccessor\"(%args0, %base0, %page) : (!args, i32, i32) -> "
    "!acc\n"
    "    %acc1 = \"ttkernel.TensorAccessor\"(%args1, %base1, %page) : (!args, i32, i32) -> "
    "!acc\n"
    "    scf.for %k = %c0 to %n step %c1 {\n"
    "      %t = arith.addi %first, %k : index\n"
    "      %ta = arith.index_cast %t : index to i32\n"
    "      %tb = arith.index_cast %k : index to i32\n"
    "      \"ttkernel.cb_reserve_back\"(%a, %w1) : (!cb, i32) -> ()\n"
    "      \"ttkernel.cb_reserve_back\"(%b, %w1) : (!cb, i32) -> ()\n"
    "      %pa = \"ttkernel.get_write_ptr\"(%a) : (!cb) -> i32\n"
    "      %pb = \"ttkernel.get_write_ptr\"(%b) : (!cb) -> i32\n"
    "      \"ttkernel.noc_async_read_tile\"(%ta, %acc0, %pa) : (i32, !acc, i32) -> ()\n"
    "      \"ttkernel.noc_async_read_tile\"(%tb, %acc1, %pb) : (i32, !acc, i32) -> ()\n"
    "      \"ttkernel.noc_async_read_barrier\"() : () -> ()\n"
    "      \"ttkernel.cb_push_back\"(%a, %w1) : (!cb, i32) -> ()\n"
    "      \"ttkernel.cb_push_back\"(%b, %w1) : (!cb, i32) -> ()\n"
    "    }\n"
    "    return\n"
    "  }\n"
    "  func.func private @compute() attributes {ttkernel.thread = "
    "#ttkernel.thread<compute>} {\n"
    "    %c0 = arith.constant 0 : index\n"
    "    %c1 = arith.constant 1 : index\n"
    "    %n = arith.constant 4 : index\n"
    "    %w0 = arith.constant 0 : i32\n"
    "    %w1 = arith.constant 1 : i32\n"
    "    %a = \"ttkernel.get_compile_time_arg_val\"() <{arg_index = 0 : i32}> : () -> !cb\n"
    "    %b = \"ttkernel.get_compile_time_arg_val\"() <{arg_index = 1 : i32}> : () -> !cb\n"
    "    %c = \"ttkernel.get_compile_time_arg_val\"() <{arg_index = 2 : i32}> : () -> !cb\n"
    "    \"ttkernel.mm_init\"(%a, %b, %c, %w0) : (!cb, !cb, !cb, i32) -> ()\n"
    "    \"ttkernel.cb_reserve_back\"(%c, %w1) : (!cb, i32) -> ()\n"
    "    \"ttkernel.pack_reconfig_l1_acc\"(%w0) : (i32) -> ()\n"
    "    scf.for %k = %c0 to %n step %c1 {\n"
    "      \"ttkernel.cb_wait_front\"(%a, %w1) : (!cb, i32) -> ()\n"
    "      \"ttkernel.cb_wait_front\"(%b, %w1) : (!cb, i32) -> ()\n"
    "      \"ttkernel.tile_regs_acquire\"() : () -> ()\n"
    "      \"ttkernel.matmul_tiles\"(%a, %b, %c0, %c0, %c0) : (!cb, !cb, index, index, "
    "index) -> ()\n"
    "      \"ttkernel.tile_regs_commit\"() : () -> ()\n"
    "      \"ttkernel.tile_regs_wait\"() : () -> ()\n"
    "      \"ttkernel.pack_tile\"(%c0, %c, %c0) <{out_of_order = true}> : (index, !cb, "
    "index) -> ()\n"
    "      \"ttkernel.tile_regs_release\"() : () -> ()\n"
    "      \"ttkernel.cb_pop_front\"(%a, %w1) : (!cb, i32) -> ()\n"
    "      \"ttkernel.cb_pop_front\"(%b, %w1) : (!cb, i32) -> ()\n"
    "      \"ttkernel.pack_reconfig_l1_acc\"(%w1) : (i32) -> ()\n"
    "    }\n"
    "    \"ttkernel.cb_push_back\"(%c, %w1) : (!cb, i32) -> ()\n"
    "    return\n"
    "  }\n"
    "  func.func private @write() attributes {ttkernel.thread = #ttkernel.thread<noc>} {\n"
    "    %c0 = arith.constant 0 : index\n"
    "    %w0 = arith.constant 0 : i32\n"
    "    %w1 = arith.constant 1 : i32\n"
    "    %page = arith.constant 2048 : i32\n"
    "    %x = \"ttkernel.my_logical_x_\"() : () -> index\n"
    "    %t = arith.index_cast %x : index to i32\n"
    "    %c = \"ttkernel.get_compile_time_arg_val\"() <{arg_index = 0 : i32}> : () -> !cb\n"
    "    %base = \"ttkernel.get_common_arg_val\"(%c0) : (index) -> i32\n"
    "    %args = \"ttkernel.TensorAccessorArgs\"(%w1, %w0) <{operandSegmentSizes = "
    "array<i32: 1, 1, 0>}> : (i32, i32) -> !args\n"
    "    %acc = \"ttkernel.TensorAccessor\"(%args, %base, %page) : (!args, i32, i32) -> "
    "!acc\n"
    "    \"ttkernel.cb_wait_front\"(%c, %w1) : (!cb, i32) -> ()\n"
    "    %p = \"ttkernel.get_read_ptr\"(%c) : (!cb) -> i32\n"
    "    \"ttkernel.noc_async_write_tile\"(%t, %acc, %p) : (i32, !acc, i32) -> ()\n"
    "    \"ttkernel.noc_async_write_barrier\"() : () -> ()\n"
    "    \"ttkernel.cb_pop_front\"(%c, %w1) : (!cb, i32) -> ()\n"
    "    return\n"
    "  }\n"
    "}\n";

typedef struct program {
    tw_grid *grid;
    tw_kernels *kernels;
    tw_launch *launch;
    tw_grid_tensor *tensor[3];
} program;

static void ok(tw_status status)
{
    if (status)
        fail_msg("%s", tw_status_message(status));
}

static tw_grid_tensor *tensor(tw_grid *grid, int64_t rows, int64_t columns)
{
    const tw_grid_layout layout = {
        .dtype = TW_BF16, .rank = 2, .dims = {rows, columns}, .tiled = true};
    tw_grid_tensor *t;
    ok(tw_grid_tensor_create(grid, &layout, &t));
    return t;
}

static program make(int threads, tw_numerics numerics)
{
    program p;
    ok(tw_grid_open(&(tw_grid_options){.threads = threads, .numerics = numerics}, &p.grid));
    ok(tw_kernels_load(p.grid, kernels_text, sizeof kernels_text - 1, "kernels",
                       &p.kernels));
    p.tensor[0] = tensor(p.grid, CORES * SIDE, STEPS * SIDE);
    p.tensor[1] = tensor(p.grid, STEPS * SIDE, SIDE);
    p.tensor[2] = tensor(p.grid, CORES * SIDE, SIDE);
    const tw_kernel_arg read[] = {
        {TW_ARG_CB, 0}, {TW_ARG_ACCESSOR, 0}, {TW_ARG_CB, 1}, {TW_ARG_ACCESSOR, 1}};
    const tw_kernel_arg ports[] = {{TW_ARG_CB, 0}, {TW_ARG_CB, 1}, {TW_ARG_CB, 16}};
    const tw_kernel_arg write[] = {{TW_ARG_CB, 16}, {TW_ARG_ACCESSOR, 2}};
    const tw_kernel_arg addresses[] = {
        {TW_ARG_ADDRESS, 0}, {TW_ARG_ADDRESS, 1}, {TW_ARG_ADDRESS, 2}};
    const tw_kernel_run runs[] = {
        {.function = "read",
         .rows = 1,
         .columns = CORES,
         .compile_args = read,
         .n_compile_args = 4,
         .common_args = addresses,
         .n_common_args = 2},
        {.function = "compute",
         .rows = 1,
         .columns = CORES,
         .compile_args = ports,
         .n_compile_args = 3},
        {.function = "write",
         .rows = 1,
         .columns = CORES,
         .compile_args = write,
         .n_compile_args = 2,
         .common_args = addresses + 2,
         .n_common_args = 1,
         .noc = 1},
    };
    const tw_cb_config cbs[] = {
        {.port = 0, .dtype = TW_BF16, .pages = 2},
        {.port = 1, .dtype = TW_BF16, .pages = 2},
        {.port = 16, .dtype = TW_BF16, .pages = 2},
    };
    const tw_launch_spec spec = {.kernels = runs,
                                 .n_kernels = 3,
                                 .cbs = cbs,
                                 .n_cbs = 3,
                                 .tensors = p.tensor,
                                 .n_tensors = 3};
    ok(tw_launch_create(p.kernels, &spec, &p.launch));
    return p;
}

static void end(program *p)
{
    tw_launch_destroy(p->launch);
    for (int i = 0; i < 3; i++)
        tw_grid_tensor_destroy(p->tensor[i]);
    tw_kernels_destroy(p->kernels);
    tw_grid_close(p->grid);
}

/* A bf16 value; sometimes so small that products are subnormal, or one with many
 * significant bits. */
static uint16_t value(unsigned i, unsigned turn)
{
    static const uint16_t small[] = {0x0000, 0x3F80, 0xBF80, 0x4000}; /* 0 1 -1 2 */
    const uint16_t x = small[i & 3];
    return turn == 4 && x ? x - (64u << 7) : turn == 5 ? x | (i >> 3 & 0x7F) : x;
}

/* Small integers, other ones each time; products and sums are usually exact in bf16. */
static void give(program *p, unsigned turn)
{
    static uint16_t a[CORES * STEPS * TILE], b[STEPS * TILE];
    for (unsigned i = 0; i < CORES * STEPS * TILE; i++)
        a[i] = value((i * 2654435761u >> 13) + turn, turn);
    for (unsigned i = 0; i < STEPS * TILE; i++)
        b[i] =
            i / SIDE % SIDE == i % SIDE ? value(turn + i / TILE, turn) : 0; /* diagonal */
    ok(tw_grid_tensor_write(p->tensor[0], TW_BF16, a));
    ok(tw_grid_tensor_write(p->tensor[1], TW_BF16, b));
}

static void take(program *p, uint16_t *out)
{
    ok(tw_launch_run(p->launch));
    ok(tw_grid_tensor_read(p->tensor[2], TW_BF16, out));
}

static void test_again_and_again(void **state)
{
    (void)state;
    static uint16_t wanted[CORES * TILE], got[CORES * TILE];
    for (int how = 0; how < 4; how++) {
        program p = make(1 + how % 2, how / 2 ? TW_NUMERICS_BIT : TW_NUMERICS_VALUE);
        for (unsigned turn = 0; turn < 6; turn++) {
            program once = make(1, how / 2 ? TW_NUMERICS_BIT : TW_NUMERICS_VALUE);
            give(&p, turn);
            give(&once, turn);
            take(&p, got);
            take(&once, wanted);
            assert_memory_equal(got, wanted, sizeof got);
            const double cycles = tw_launch_cycles(once.launch),
                         other = tw_launch_cycles(p.launch);
            assert_true(other > cycles - 1e-3 && other < cycles + 1e-3);
            assert_string_equal(tw_launch_profile(p.launch),
                                tw_launch_profile(once.launch));
            end(&once);
        }
        end(&p);
    }
}

static void test_a_tensor_made_anew(void **state)
{
    (void)state;
    static uint16_t wanted[CORES * TILE], got[CORES * TILE];
    program p = make(2, TW_NUMERICS_VALUE);
    for (unsigned turn = 0; turn < 4; turn++) {
        give(&p, 3);
        take(&p, wanted);
    }
    for (int turn = 0; turn < 3; turn++) {
        void *between = malloc((size_t)4096 << turn);
        ok(tw_launch_set_tensor(p.launch, 1, p.tensor[0]));
        const uint64_t address = tw_grid_tensor_address(p.tensor[1]);
        tw_grid_tensor_destroy(p.tensor[1]);
        p.tensor[1] = tensor(p.grid, STEPS * SIDE, SIDE);
        assert_true(tw_grid_tensor_address(p.tensor[1]) == address);
        ok(tw_launch_set_tensor(p.launch, 1, p.tensor[1]));
        tw_status status = tw_launch_run(p.launch);
        assert_non_null(status);
        assert_non_null(strstr(tw_status_message(status), "nothing has written"));
        tw_status_free(status);
        give(&p, 3);
        take(&p, got);
        assert_memory_equal(got, wanted, sizeof got);
        free(between);
    }
    end(&p);
}

static void test_interrupted(void **state)
{
    (void)state;
    static uint16_t wanted[CORES * TILE], got[CORES * TILE];
    volatile int flag = 0;
    program p = make(1, TW_NUMERICS_VALUE);
    give(&p, 1);
    for (int turn = 0; turn < 4; turn++)
        take(&p, wanted);
    tw_launch_set_cancel(p.launch, &flag);
    flag = 1;
    tw_status status = tw_launch_run(p.launch);
    assert_int_equal(tw_status_code(status), TW_CANCELLED);
    tw_status_free(status);
    flag = 0;
    take(&p, got);
    assert_memory_equal(got, wanted, sizeof got);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_again_and_again),
        cmocka_unit_test(test_a_tensor_made_anew),
        cmocka_unit_test(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
