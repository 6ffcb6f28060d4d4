"""C++ kernels on the simulated grid: emitted ones give TTKernel's results, bit for bit; files and texts can be mixed
with IR; mistakes are reported at their lines."""

import shutil

import numpy as np
import pytest
from grid_kernels import Built
from test_sim_grid import copy_body
from tilewright import sim

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")

READER = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto in = TensorAccessor(args, get_common_arg_val<uint32_t>(0), get_tile_size(cb));
    for (uint32_t i = 0; i < TILES; i++) {
        cb_reserve_back(cb, 1);
        noc_async_read_tile(i, in, get_write_ptr(cb));
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}
"""
WRITER = """
#include "dataflow_api.h"

void kernel_main() {
    uint32_t to = get_common_arg_val<uint32_t>(0);
    constexpr uint32_t cb = tt::CBIndex::c_16;
    const InterleavedAddrGenFast<true> out = {
        .bank_base_address = to, .page_size = get_tile_size(cb), .data_format = get_dataformat(cb)};
    for (uint32_t i = 0; i < TILES; i++) {
        cb_wait_front(cb, 1);
        noc_async_write_tile(i, out, get_read_ptr(cb));
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
}
"""
COMPUTE = """
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"

namespace NAMESPACE {
void MAIN {
    unary_op_init_common(tt::CBIndex::c_0, tt::CBIndex::c_16);
    for (uint32_t i = 0; i < TILES; i++) {
        cb_wait_front(tt::CBIndex::c_0, 1);
        cb_reserve_back(tt::CBIndex::c_16, 1);
        tile_regs_acquire();
        copy_tile_init(tt::CBIndex::c_0);
        copy_tile(tt::CBIndex::c_0, 0, 0);
        square_tile_init();
        square_tile(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, tt::CBIndex::c_16);
        tile_regs_release();
        cb_pop_front(tt::CBIndex::c_0, 1);
        cb_push_back(tt::CBIndex::c_16, 1);
    }
}
}
"""


def launch(grid, reader=READER, compute=COMPUTE, writer=WRITER, tiles=4, semaphores=()):
    x = (np.arange(1024 * tiles) % 50).astype(np.float32).reshape(32, 32 * tiles)
    a, out = grid.tensor(x.shape, "f32", data=x), grid.tensor(x.shape, "f32")
    defines = {"TILES": tiles}
    made = grid.load().launch(
        [sim.Run(reader, compile_args=[sim.cb(0), sim.accessor(0)], common_args=[sim.address(0)], defines=defines),
         sim.Run(compute, wide_dst=True, defines=defines),
         sim.Run(writer, common_args=[sim.address(1)], noc=1, defines=defines)],
        cbs=[sim.Buffer(0, "f32", 2), sim.Buffer(16, "f32", 2)], tensors=[a, out], semaphores=semaphores)
    return made, x, out


def test_texts_run():
    made, x, out = launch(sim.Grid())
    made.run()
    assert np.array_equal(out.read(np.empty_like(x)), x * x)


def test_paths_run_and_find_their_own_headers(tmp_path):
    (tmp_path / "square.h").write_text("inline void square(uint32_t i) { square_tile_init(); square_tile(i); }\n")
    path = tmp_path / "compute.cpp"
    path.write_text(COMPUTE.replace("namespace NAMESPACE", '#include "square.h"\nnamespace NAMESPACE')
                    .replace("square_tile_init();", "").replace("square_tile(0)", "square(0)"))
    made, x, out = launch(sim.Grid(), compute=path)
    made.run()
    assert np.array_equal(out.read(np.empty_like(x)), x * x)


@pytest.mark.parametrize("cut, kernel, line, kind", [
    ("noc_async_read_barrier();", "kernel0", 0, "missing barrier"),
    ("tile_regs_wait();", "kernel1", "pack_tile(0", "DST use"),
    ("copy_tile_init(tt::CBIndex::c_0);", "kernel1", None, None),  # the common init serves, too
    ("square_tile_init();", "kernel1", "square_tile(0)", "init"),
    ("cb_push_back(tt::CBIndex::c_16, 1);", "kernel2", "cb_wait_front", "deadlock"),
])
def test_mistakes_are_reported_with_their_lines(cut, kernel, line, kind):
    texts = [t.replace(cut, "") for t in (READER, COMPUTE, WRITER)]
    made, x, out = launch(sim.Grid(), *texts)
    if not kind:
        made.run()
        return
    with pytest.raises(sim.KernelError) as error:
        made.run()
    report = next(r for r in error.value.reports if r["kind"] == kind)
    if line:
        text = texts[int(kernel[-1])].splitlines()
        locations = [(r["file"], text[r["line"] - 1]) for r in error.value.reports
                  if r["kind"] == kind and r["file"] == f"{kernel}.cpp"]
        assert any(line in location for _, location in locations) or kind == "deadlock"
    assert report["file"].endswith(".cpp")


@pytest.mark.parametrize("body, says", [
    ("*(volatile int *)nullptr = 1;", "address 0x0 of L1 is used through a plain pointer"),
    ("*(volatile int *)0x100000 = 1; get_tile_size(0);", "lies in no circular buffer"),
    ("volatile int zero = 0; volatile int x = 7 / zero;", "division of 7 by 0"),
    ("volatile int least = -2147483647 - 1, one = -1; volatile int x = least / one;", "has no result"),
    ("volatile int far = 40; volatile int x = 7 << far;", "a number of 32 bits is shifted by 40"),
    ("volatile int far = -1; volatile uint64_t x = uint64_t(7) >> far;", "a number of 64 bits is shifted by -1"),
    ("volatile char *p = (volatile char *)0x123456789000; *p = 1;", "is no memory of the kernel's"),
    ("for (;;) get_tile_size(0);", "an endless loop"),
    ("volatile int x = 0; while (true) x++;", "an endless loop"),
    ("get_arg_val<uint32_t>(99);", "there is no runtime argument 99"),
    ("add_tiles(0, 1, 0, 0, 0);", "belongs in a compute kernel"),
    ("abort();", "the kernel ends itself"),
    ("std::exit(3);", "the kernel ends itself"),
    ("volatile char big[4 << 20]; big[0] = 1;", "the stack of 256 KiB is used up"),
    ("volatile int a[4]; volatile int i = 5; a[i] = 1;", r"index 5 lies outside of an array of type 'int \[4\]'"),
    ("volatile int a[4] = {1, 2}; volatile int i = -1, x = a[i];", r"index -1 lies outside of an array of type 'int \[4\]'"),
    ("int a[4]; volatile int *p = a; for (volatile int i = 0; i < 12; i++) p[i] = 1;", "what lies behind an array on the stack was written"),
    ("int a[4]; volatile int *p = a; for (volatile int i = 0; i < 99999; i++) p[i] = 1;", "is no memory of the kernel's"),
    ("volatile unsigned n = 1000000; int a[4]; std::memset(a, 1, n); volatile int x = a[0];", "is no memory of the kernel's"),
    ("volatile unsigned n = 64; std::memset((void *)8, 1, n);", "address 0x8 of L1 is used through a plain pointer"),
    ("volatile uintptr_t p = 8; volatile size_t n = std::strlen((const char *)p);", "address 0x8 of L1 is used through a plain pointer"),
    ("volatile unsigned n = 60000; std::memset((void *)(uintptr_t)get_write_ptr(0), 1, n);", "lies in no circular buffer"),
    ("void (*volatile f)() = nullptr; f();", "address 0x0 of L1 is used"),
    ("while (true) {}", "an endless loop"),
    ("static int a[4]; volatile int *p = a; for (volatile int i = 0; i < 4096; i++) p[i] = 1;", "lies behind the kernel's variables"),
    ("static int a[4]; volatile int *p = a; for (volatile int i = 0; i < 4096; i++) p[-i] = 1;", "is no memory of the kernel's"),
    ("static int a[4]; std::memset(a, 1, 2000); volatile unsigned n = 900000; std::memset(a, 1, n);", "lies behind the kernel's variables"),
    ("void (*volatile f)() = (void (*)())0x123456789000; f();", "is no memory of the kernel's"),
    ("struct F { static __attribute__((noinline)) int f(volatile int n) { return f(n + 1) + n; } }; volatile int r = F::f(0);",
     "the stack of 256 KiB is used up"),
])
def test_what_goes_wrong_stays_in_the_kernel(body, says):
    grid = sim.Grid(budget=100000)
    text = f'#include "dataflow_api.h"\n#include <cstdlib>\n#include <cstring>\nvoid kernel_main() {{ {body} }}\n'
    made = grid.load().add_cpp(text, "k", "noc").launch([sim.Run("k")], cbs=[sim.Buffer(0, "bf16", 2)])
    with pytest.raises(sim.KernelError, match=says) as error:
        made.run()
    assert error.value.reports[0]["line"] == 4 or "n + 1" in body  # which ends when the stack is exhausted
    made, x, out = launch(grid)  # the grid still works
    made.run()


OBJECT_READER = """
#include "api/dataflow/noc.h"

void kernel_main() {
    CircularBuffer cb(get_compile_time_arg_val(0));
    Noc noc0(0);
    constexpr auto args = TensorAccessorArgs<1, 0>();
    TensorAccessor in = TensorAccessor(args, get_common_arg_val<uint32_t>(0), cb.get_tile_size());
    for (uint32_t i = 0; i < TILES; i++) {
        cb.reserve_back(1);
        noc0.async_read(in, CoreLocalMem<uint32_t>(cb.get_write_ptr()), in.get_aligned_page_size(), {.page_id = i}, {});
        noc0.async_read_barrier();
        cb.push_back(1);
    }
}
"""
OBJECT_WRITER = """
#include "api/dataflow/noc.h"

void kernel_main() {
    CircularBuffer cb(tt::CBIndex::c_16);
    Noc noc1(1);
    UnicastEndpoint core;
    AllocatorBank<AllocatorBankType::DRAM> dram;
    const uint32_t to = get_common_arg_val<uint32_t>(0);
    for (uint32_t i = 0; i < TILES; i++) {
        cb.wait_front(1);
        noc1.async_write<NocOptions::TXN_ID, NOC_MAX_BURST_SIZE>(
            cb, dram, cb.get_tile_size(), {}, {.bank_id = i % 12, .addr = to + i / 12 * cb.get_tile_size()},
            NocOptVals{.trid = 3});
        noc1.async_write_barrier<NocOptions::TXN_ID>(NocOptVals{.trid = 3});
        cb.pop_front(1);
    }
    Semaphore<> self(0);
    self.up(noc1, my_x[1], my_y[1], 2);
    self.wait_min(2);
    noc1.async_atomic_barrier();
    CoreLocalMem<uint32_t> word(self.get_address());
    DPRINT << "semaphore " << word[0] << " at " << (core.get_noc_unicast_addr(18, 18, 64, 1) & 0xFF) << ENDL();
}
"""


def test_objects_run():
    made, x, out = launch(sim.Grid(), OBJECT_READER, COMPUTE, OBJECT_WRITER, tiles=14, semaphores=[0])
    made.run()
    assert np.array_equal(out.read(np.empty_like(x)), x * x)
    assert "semaphore 2 at 64" in made.log


PLAIN = """
#include "dataflow_api.h"

void kernel_main() {
    const InterleavedAddrGen<true> in = {.bank_base_address = get_common_arg_val<uint32_t>(0), .page_size = 4096};
    const InterleavedAddrGen<true> out = {.bank_base_address = get_common_arg_val<uint32_t>(1), .page_size = 4096};
    cb_reserve_back(0, 2);
    uint32_t from = get_write_ptr(0), to = from + 4096;
    noc_async_read_page(0, in, from);
    noc_async_read_barrier();
    int32_t *a = (int32_t *)from;
    int32_t *b = reinterpret_cast<int32_t *>(to);
    for (int i = 0; i < 1024; i++) {
        b[i] = a[i] * a[i] - a[0];
    }
    noc_async_write_page(0, out, to);
    noc_async_write_barrier();
    cb_push_back(0, 2);
    cb_wait_front(0, 2);
    cb_pop_front(0, 2);
}
"""


def test_plain_pointers_into_l1():
    """As in kernels that compute on the data movement cores."""
    x = np.arange(1024, dtype=np.int32).reshape(32, 32)
    grid = sim.Grid()
    a, out = grid.tensor(x.shape, "si32", data=x), grid.tensor(x.shape, "si32")
    kernels = grid.load().add_cpp(PLAIN, "k")
    for _ in range(2):
        kernels.launch([sim.Run("k", common_args=[sim.address(0), sim.address(1)])],
                       cbs=[sim.Buffer(0, "si32", 2)], tensors=[a, out]).run()
        got = out.read(np.empty_like(x))
        assert np.array_equal(got, x * x)
    assert grid  # and nothing stays mapped: the second launch equals the first


def test_variables_are_each_cores_own():
    text = """
#include "dataflow_api.h"
#include "debug/dprint.h"
static uint32_t counter;
uint32_t start = 5;
uint32_t calls() { static uint32_t n = 100; return n++; }
void kernel_main() {
    uint32_t core = get_arg_val<uint32_t>(0);
    for (uint32_t i = 0; i < 3; i++) {
        counter += core;
        noc_semaphore_inc(get_noc_addr(18, 18, get_semaphore(0)), 1);
        noc_async_atomic_barrier();
        start++;
        calls();
    }
    DPRINT << counter << " " << start << " " << calls() << ENDL();
}
"""
    made = sim.Grid().load().add_cpp(text, "k").launch(
        [sim.Run("k", cores=(0, 0, 1, 3), args=[[1], [2], [3]])], semaphores=[0])
    for _ in range(2):
        made.run()
        for core in range(3):
            assert f"core 0,{core}: {3 * (core + 1)} 8 103" in made.log


def test_variables_that_are_written_over_are_their_own_again():
    """Even those of the headers, including "place"; variables that calls go through are not."""
    text = """
#include "dataflow_api.h"
#include <cstring>
static uint32_t first[2] = {1, 2};
static uint32_t other = 3;
void kernel_main() {
    DPRINT << other << ENDL();
    std::memset(first, 9, get_arg_val<uint32_t>(0));
    DPRINT << (other == 3 && first[1] == 2) << ENDL();
}
"""
    grid = sim.Grid()
    for wiped, wants in (3000, "0"), (0, "1"):
        made = grid.load().add_cpp(text, "k").launch([sim.Run("k", args=[wiped])])
        try:
            made.run()
        except sim.KernelError:
            assert wiped
        assert [line.rpartition(": ")[2] for line in made.log.splitlines() if "remark" in line] == ["3", wants]


def test_compile_errors_name_the_line():
    text = '#include "dataflow_api.h"\nvoid kernel_main() {\n    cb_push_bak(0, 1);\n}\n'
    kernels = sim.Grid().load().add_cpp(text, "k")
    with pytest.raises(RuntimeError, match=r"k.cpp:3:.*the kernel API has no 'cb_push_bak' here; did you mean 'cb_push_back'"):
        kernels.launch([sim.Run("k")])
    with pytest.raises(RuntimeError, match="no such compile-time argument"):
        kernels.add_cpp("#include \"dataflow_api.h\"\nvoid kernel_main() { constexpr int a = get_compile_time_arg_val(2); }",
                        "k").launch([sim.Run("k", compile_args=[1])])


def test_prints():
    text = """
#include "dataflow_api.h"
#include "debug/dprint.h"
void kernel_main() {
    uint32_t n = 7;
    DPRINT << "n is " << n << ", " << 2.5f << " " << HEX() << 255 << ENDL();
    DPRINT("{} and {}\\n", n, -3);
}
"""
    made = sim.Grid().load().add_cpp(text, "k").launch([sim.Run("k", cores=(0, 0, 1, 2))])
    made.run()
    for core in ("0,0", "0,1"):
        assert f"k.cpp:6:5: remark: core {core}: n is 7, 2.5 ff" in made.log
        assert f"core {core}: 7 and -3" in made.log


def test_words_of_l1():
    text = """
#include "dataflow_api.h"
void kernel_main() {
    volatile tt_l1_ptr uint32_t *p = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(get_semaphore(0));
    uint32_t before = *p;
    *p += 5;
    p[0]++;
    auto copy = *p;
    DPRINT << before << " " << *p << " " << copy + 1 << ENDL();
    noc_semaphore_wait(p, 9);
}
"""
    made = sim.Grid().load().add_cpp(text, "k").launch([sim.Run("k")], semaphores=[3])
    made.run()
    assert "3 9 10" in made.log


@pytest.mark.parametrize("seed", [0, 3])
def test_emitted_kernels_give_the_same(seed):
    x = (np.arange(2048) % 17).astype(np.float32).reshape(32, 64)
    results = []
    for cpp in (False, True):
        grid = sim.Grid(seed=seed, cpp=cpp)
        built = Built(grid, [x], ["f32"], (32, 64), "f32", copy_body(2, "f32"))
        results.append(built.run())
    assert np.array_equal(results[0].view(np.uint32), results[1].view(np.uint32))


@pytest.mark.parametrize("cpp", [False, True])
def test_initial_values_of_semaphores(cpp):
    text = """module { func.func private @k() attributes {ttkernel.thread = #ttkernel.thread<noc>, ttl.semaphore_values = array<i64: 0, 3, 1, 2>} {
      %id = arith.constant 1 : i32
      %n = arith.constant 2 : i32
      %s = "ttkernel.get_semaphore"(%id) : (i32) -> !ttkernel.local_semaphore
      %p = "ttkernel.reinterpret_cast"(%s) : (!ttkernel.local_semaphore) -> !ttkernel.l1_addr_ptr
      "ttkernel.experimental.semaphore_wait"(%p, %n) : (!ttkernel.l1_addr_ptr, i32) -> ()
      return } }"""
    sim.Grid(cpp=cpp).load(text).launch([sim.Run("k")], semaphores=[0, 0]).run()
