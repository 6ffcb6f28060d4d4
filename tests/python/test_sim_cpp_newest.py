"""Features of C++ kernels of 2026 besides names: private memory, entries with a signature, accessors as templates,
fast untilizing, minima of a tile."""

import shutil

import numpy as np
import pytest
from cpp_kernels import compute, printed
from tilewright import sim
from tilewright.sim import DRAM_SHARDED, L1, L1_SHARDED, Buffer, Grid, Run

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")

REVERSE = """
#include "api/dataflow/noc.h"
#include "api/scratchpad.h"
#include "experimental/kernel_args.h"
/* TT_KERNEL void nothing(uint32_t here) {} */
template <uint32_t words,
          uint32_t factor = 1>
TT_KERNEL void reverse(uint32_t first, uint32_t count) {
    Scratchpad<uint32_t> page(scratch::page);
    Scratchpad<volatile int32_t> turned(scratch::turned);
    const auto x = TensorAccessor(tensor::x), y = TensorAccessor(tensor::y);
    Noc noc;
    ASSERT(page.size() == words && page.size_in_bytes() == 4 * words);
    for (uint32_t i = first; i < first + count; i++) {
        noc.async_read(x, page, 4 * words, {.page_id = i}, {});
        noc.async_read_barrier();
        for (uint32_t k = 0; k < words; k++)
            turned[k] = factor * page[words - 1 - k];
        auto lock = turned.scoped_lock(0, words);
        noc.async_write(turned, y, 4 * words, {.offset_bytes = 0}, {.page_id = i});
        noc.async_write_barrier();
    }
}
"""


def reversed_rows(kernel=REVERSE, **changes):
    grid = Grid()
    x = np.arange(4 * 48, dtype=np.int32).reshape(4, 48)
    tensors = [grid.tensor(x.shape, "si32", data=x, tiled=False), grid.tensor(x.shape, "si32", tiled=False)]
    run = {"compile_args": {"words": 48, "factor": 3}, "args": [{"first": 0, "count": 2}, {"first": 2, "count": 2}],
           "scratch": {"page": 192, "turned": 192}, "tensor": {"x": 0, "y": 1}}
    launch = grid.load().launch([Run(kernel, (0, 0, 1, 2), **{**run, **changes})], tensors=tensors)
    launch.run()
    return launch, tensors[1].read(np.empty_like(x)), x


def test_signatures_and_memory_of_their_own():
    _, got, x = reversed_rows()
    assert np.array_equal(got, 3 * x[:, ::-1])


@pytest.mark.parametrize("change, kind, text", [
    ({"compile_args": {"words": 48}}, RuntimeError, "kernel0.cpp:8:.* the run gives its kernel no argument named 'factor'"),
    ({"scratch": {"page": 192}}, RuntimeError, "the run gives its kernel no scratchpad named 'turned': name it in scratch of the run"),
    ({"scratch": {"page": 192, "turned": 188}}, sim.KernelError, "an access lies within its scratchpad"),
    ({"scratch": {"page": 190, "turned": 192}}, sim.KernelError, "a scratchpad's size is a multiple of its elements'"),
    ({"scratch": {"page": 0, "turned": 192}}, ValueError, "the scratchpad 'page' has 0 bytes"),
    ({"scratch": {f"p{i}": 32 for i in range(33)}}, ValueError, "no room for the scratchpad 'p32': a core has 32 circular buffers"),
])
def test_what_is_wrong_with_them(change, kind, text):
    with pytest.raises(kind, match=text):
        reversed_rows(**change)


ACCESSORS = """
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
template <class Kind>
uint32_t rows_of(const TensorAccessor<Kind> &t) {
    static_assert(has_get_aligned_page_size_v<TensorAccessor<Kind>> && !has_get_aligned_page_size_v<uint32_t>);
    return 1000 * TensorAccessor<Kind>::DSpec::is_interleaved + 100 * TensorAccessor<Kind>::is_dram + t.get_aligned_page_size();
}
template <class T> uint32_t kind_of(const T &t) {
    if constexpr (T::DSpec::is_interleaved)
        return T::is_dram ? 11 : 10;
    else
        return T::is_dram ? 1 : 0;
}
void kernel_main() {
    constexpr auto args = make_tensor_accessor_args_tuple<4, 1>();
    constexpr uint32_t bytes = TensorAccessorArgs<1>().get_aligned_page_size();
    static_assert(bytes == 96);
    const auto all = make_tensor_accessor_tuple(args, 0);
    auto any = make_abstract_tensor_accessor_wrappers(all);
    DPRINT << rows_of(std::get<0>(all)) << " " << rows_of(std::get<3>(all)) << ENDL();
    DPRINT << kind_of(std::get<0>(all)) << " " << kind_of(std::get<1>(all)) << " " << kind_of(std::get<2>(all)) << " "
           << kind_of(std::get<3>(all)) << " " << any[2].get_aligned_page_size() << ENDL();
    volatile tt_l1_ptr uint32_t *words = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(get_write_ptr(0));
    for (uint32_t i = 0; i < 4; i++) {
        cb_reserve_back(0, 1);
        noc_async_read(any[i].get_noc_addr(1), get_write_ptr(0), 32);
        noc_async_read_barrier();
        DPRINT << words[2] << ENDL();
    }
}
"""


def test_accessors_have_constants_of_their_tensors():
    """Constants of the launch's tensors, whatever element type they are read with."""
    grid = Grid()
    x = np.arange(4 * 24, dtype=np.int32).reshape(4, 24)
    memories = [{}, {"memory": L1}, {"memory": DRAM_SHARDED, "shards": (2, 1)}, {"memory": L1_SHARDED, "shards": (4, 1)}]
    tensors = [grid.tensor(x.shape, "si32", data=100 * i + x, tiled=False, **memory) for i, memory in enumerate(memories)]
    launch = grid.load().launch([Run(ACCESSORS, compile_args=[0, *map(sim.accessor, range(4))], args=list(map(sim.address, range(4))))],
                                cbs=[Buffer(0, "u32", 1, 96)], tensors=tensors).run()
    lines = [line.rpartition(": ")[-1] for line in launch.log.splitlines() if "remark" in line]
    assert lines == ["1196 96", "11 10 1 0 96", "26", "126", "226", "326"]
    launch.set_tensor(0, grid.tensor(x.shape, "si32", data=x, tiled=False))
    for other in (grid.tensor((4, 32), "si32", tiled=False), grid.tensor(x.shape, "si32", tiled=False, memory=L1)):
        with pytest.raises(RuntimeError, match="kernels in C.. are compiled for them: make another launch"):
            launch.set_tensor(0, other)


ROWS = """
#include "api/compute/experimental/fast_untilize.h"
void kernel_main() {
    static_assert(unpack_src_format[0] == (uint32_t)DataFormat::Float16_b && pack_dst_format[16] == unpack_src_format[0]);
    static_assert(unpack_dst_format[7] == 255 && unpack_tile_r_dim[0] == 32);
    compute_kernel_hw_startup(0, 16);
    FIRST
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 2);
        cb_reserve_back(16, 2);
        fast_untilize_block<2>(0, 16, PLACE);
        cb_push_back(16, 2);
        cb_pop_front(0, 2);
    }
    fast_untilize_uninit<2>(16);
}
"""
READ = """
#include "dataflow_api.h"
void kernel_main() {
    InterleavedAddrGen<true> tensor = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048};
    for (uint32_t i = 0; i < 4; i++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(i, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
WRITE = """
#include "dataflow_api.h"
void kernel_main() {
    InterleavedAddrGen<true> tensor = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 128};
    for (uint32_t i = 0; i < 64; i += 32) {
        cb_wait_front(16, 2);
        for (uint32_t k = 0; k < 32; k++)
            noc_async_write_page(i + k, tensor, get_read_ptr(16) + 128 * k);
        noc_async_write_barrier();
        cb_pop_front(16, 2);
    }
}
"""


@pytest.mark.parametrize("first", ["fast_untilize_init<2>(0, 16);", "fast_untilize_init_skip_remap<2>(0, 16);"])
def test_rows_the_fast_way(first):
    grid = Grid()
    x = np.random.default_rng(3).integers(-99, 99, (64, 64)).astype(np.float32)
    bits = (x.view(np.uint32) >> 16).astype(np.uint16)
    tensors = [grid.tensor(x.shape, "bf16", data=bits), grid.tensor(x.shape, "bf16", tiled=False)]

    def run(position):
        text = ROWS.replace("FIRST", first).replace("PLACE", position)
        grid.load().launch([Run(READ, args=[sim.address(0)]), Run(text), Run(WRITE, args=[sim.address(1)], noc=1)],
                           cbs=[Buffer(0, "bf16", 4), Buffer(16, "bf16", 4)], tensors=tensors).run()
        return tensors[1].read(np.empty_like(bits))

    assert np.array_equal(run("0"), bits)
    if "skip" in first:
        with pytest.raises(sim.KernelError, match="fast_untilize_block of tiles that are not the first is not there"):
            run("1")


def test_least_numbers_are_the_vector_units():
    """The matrix unit has no minimum; divisions of integers give floats."""
    with pytest.raises(RuntimeError, match="the matrix unit has no minimum: sfpu_reduce has"):
        compute(np.zeros((32, 32), np.float32), ["reduce_tile<PoolType::MIN, ReduceDim::REDUCE_ROW>(0, 0, 0, 0, 0);"])
    x = np.random.default_rng(5).integers(-9, 9, (32, 64)).astype(np.float32)
    to_integers = "typecast_tile_init<0, 8>(); typecast_tile<0, 8>(0);"
    got = compute(x, [f"{to_integers} fill_tile_init(); fill_tile_int(1, 4); div_int32_tile_init(); div_int32_tile(0, 1, 2); "
                      "copy_dest_values_init(); copy_dest_values(0, 2);",
                      "pack_relu_config(ReluConfig::zero()); rand_tile_init(7, 0); sfpu_bcast_col_init(); sfpu_bcast_row_init(); "
                      "llk_pack_reduce_mask_config<ReduceDim::REDUCE_ROW, PackMode::Default>(16); llk_pack_reduce_mask_clear();"], above="using ckernel::ReluConfig;")
    assert np.array_equal(got[:, :32], x[:, :32] / 4)
    assert np.array_equal(got[:, 32:], np.maximum(x[:, 32:], 0))


def test_integers_in_order():
    body = 'DPRINT << int32_greater(3, -4) << int32_greater(-4, 3) << int32_greater(2, 2) << (POS_INF_INT32 - 2147483647) << ENDL();'
    assert printed(body, '#include "api/numeric/int32.h"\n#include "dataflow_api.h"') == ["core 0,0: 1000"]
