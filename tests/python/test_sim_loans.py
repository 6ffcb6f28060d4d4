"""Pages of L1 that a read from DRAM fills are not copied until either side changes or another than the unpackers looks,
and operands of products are kept prepared while DRAM keeps them: random transfers, whole and in part, between DRAM and a
buffer's pages, and what becomes of the pages, against a model in numpy. With two threads, and while a run is recorded,
bytes are copied at once: the same bytes, reports and cycles."""

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from grid_kernels import cb_type, constants, op  # noqa: E402
from tilewright import sim  # noqa: E402

TILES, PAGES, PAGE = 6, 4, 2048
ROUNDS = 5  # of products
CB, L1 = cb_type(PAGES, "bf16"), "!ttkernel.l1_addr_ptr"
ACC, ADDRESS = "!ttkernel.TensorAccessor", "!ttkernel.noc_addr"
BARRIERS = f'    {op("noc_async_read_barrier")}\n    {op("noc_async_write_barrier")}\n'


def number(name, value):
    return f"    %{name} = arith.constant {value} : i32\n"


class Transfers:
    """Fragments of a data kernel, and what they do to the bytes of the tensor's tiles and of the buffer's pages."""

    def __init__(self, tiles):
        self.tiles, self.pages, self.text, self.n = tiles.copy(), np.zeros((PAGES, PAGE), np.uint8), "", 0

    def add(self, line, **numbers):
        self.n += 1
        for name, value in numbers.items():
            self.text += number(f"{name}{self.n}", value)
        self.text += "    " + line.replace("#", str(self.n)) + "\n" + BARRIERS

    def at(self, page, offset=0):
        self.n += 1
        self.text += number(f"o{self.n}", page * PAGE + offset)
        self.text += f"    %p{self.n} = arith.addi %ptr, %o{self.n} : i32\n"
        return f"%p{self.n}"

    def far(self, tile, offset):
        self.n += 1
        self.text += number(f"i{self.n}", tile) + number(f"o{self.n}", offset)
        self.text += (f'    %f{self.n} = "ttkernel.tensor_accessor.get_noc_addr"(%acc, %i{self.n}, %o{self.n}) : '
                      f"({ACC}, i32, i32) -> {ADDRESS}\n")
        return f"%f{self.n}"

    def read(self, tile, page):
        to = self.at(page)
        self.add(f'"ttkernel.noc_async_read_tile"(%i#, %acc, {to}) : (i32, {ACC}, i32) -> ()', i=tile)
        self.pages[page] = self.tiles[tile]

    def write(self, page, tile):
        source = self.at(page)
        self.add(f'"ttkernel.noc_async_write_tile"(%i#, %acc, {source}) : (i32, {ACC}, i32) -> ()', i=tile)
        self.tiles[tile] = self.pages[page]

    def read_part(self, tile, page, begin, size):
        source, to = self.far(tile, begin), self.at(page, begin)
        self.add(f'"ttkernel.noc_async_read"({source}, {to}, %s#) <{{operandSegmentSizes = array<i32: 0, 0, 1, 1, 1, 0>}}> : '
                 f"({ADDRESS}, i32, i32) -> ()", s=size)
        self.pages[page, begin:begin + size] = self.tiles[tile, begin:begin + size]

    def write_part(self, page, tile, begin, size):
        to, source = self.far(tile, begin), self.at(page, begin)
        self.add(f'"ttkernel.noc_async_write"({source}, {to}, %s#) <{{operandSegmentSizes = array<i32: 1, 0, 0, 1, 1, 0>}}> : '
                 f"(i32, {ADDRESS}, i32) -> ()", s=size)
        self.tiles[tile, begin:begin + size] = self.pages[page, begin:begin + size]

    def move(self, page, to, begin, size):
        """From one page to another, over the NoC."""
        source, target = self.at(page, begin), self.at(to, begin)
        self.add(f'"ttkernel.noc_async_read"(%x, %y, {source}, {target}, %s#) <{{operandSegmentSizes = '
                 f"array<i32: 2, 0, 1, 1, 1, 0>}}> : (index, index, i32, i32, i32) -> ()", s=size)
        self.pages[to, begin:begin + size] = self.pages[page, begin:begin + size].copy()


def accessor_of(name, n):
    """The accessor of the tensor whose arguments are compile-time argument n + 1 and common argument n."""
    return f"""
    %base{name} = "ttkernel.get_common_arg_val"(%c{n}) : (index) -> i32
    %args{name} = "ttkernel.TensorAccessorArgs"(%w{n + 1}, %w{n}) <{{operandSegmentSizes = array<i32: 1, 1, 0>}}> : (i32, i32) -> !ttkernel.TensorAccessorArgs
    %page{name} = arith.constant {PAGE} : i32
    %acc{name} = "ttkernel.TensorAccessor"(%args{name}, %base{name}, %page{name}) : (!ttkernel.TensorAccessorArgs, i32, i32) -> {ACC}
"""


def reader(transfers):
    return f"""
  func.func private @read() attributes {{ttkernel.thread = #ttkernel.thread<noc>}} {{
{constants()}
    %x = arith.constant 18 : index
    %y = arith.constant 18 : index
    %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> {CB}
{accessor_of("", 0)}
    {op("cb_reserve_back", ["cb", f"w{PAGES}"], [CB, "i32"])}
    %ptr = "ttkernel.get_write_ptr"(%cb) : ({CB}) -> i32
{transfers}
    {op("cb_push_back", ["cb", f"w{PAGES}"], [CB, "i32"])}
    return
  }}
"""


def compute(binary, twice=False):
    """Copies each page to the result, or the sum of each and the next; `twice`: and adds it there again."""
    text = f"""
  func.func private @compute() attributes {{ttkernel.thread = #ttkernel.thread<compute>}} {{
{constants()}
    %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> {CB}
    %out = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 1 : i32}}> : () -> {CB}
    {op("cb_wait_front", ["cb", f"w{PAGES}"], [CB, "i32"])}
    {op("cb_reserve_back", ["out", f"w{PAGES}"], [CB, "i32"])}
    {op("init_sfpu", ["cb", "out"], [CB, CB])}
"""
    for i in range(PAGES):
        text += f"""
    {op("tile_regs_acquire")}
    {op("copy_tile_init", ["cb"], [CB])}
    {op("copy_tile", ["cb", f"c{i}", "c0"], [CB, "index", "index"])}
"""
        if binary:
            text += f"""
    {op("copy_tile", ["cb", f"c{(i + 1) % PAGES}", "c1"], [CB, "index", "index"])}
    {op("add_binary_tile_init")}
    {op("add_binary_tile", ["c0", "c1", "c0"], ["index", "index", "index"])}
"""
        text += f"""
    {op("tile_regs_commit")}
    {op("tile_regs_wait")}
    {op("pack_tile", ["c0", "out", f"c{i}"], ["index", CB, "index"], "<{out_of_order = true}>")}
"""
        if twice:
            text += f"""
    {op("pack_reconfig_l1_acc", ["w1"], ["i32"])}
    {op("pack_tile", ["c0", "out", f"c{i}"], ["index", CB, "index"], "<{out_of_order = true}>")}
    {op("pack_reconfig_l1_acc", ["w0"], ["i32"])}
"""
        text += f"""
    {op("tile_regs_release")}
"""
    return text + f"""
    {op("cb_pop_front", ["cb", f"w{PAGES}"], [CB, "i32"])}
    {op("cb_push_back", ["out", f"w{PAGES}"], [CB, "i32"])}
    return
  }}
"""


def products():
    """Adds the product of each page and the next to the result, for each of the rounds."""
    text = f"""
  func.func private @compute() attributes {{ttkernel.thread = #ttkernel.thread<compute>}} {{
{constants()}
    %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> {CB}
    %out = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 1 : i32}}> : () -> {CB}
    {op("cb_reserve_back", ["out", f"w{PAGES}"], [CB, "i32"])}
    {op("mm_init", ["cb", "cb", "out", "w0"], [CB, CB, CB, "i32"])}
"""
    for r in range(ROUNDS):
        text += f"""
    {op("pack_reconfig_l1_acc", [f"w{min(r, 1)}"], ["i32"])}
    {op("cb_wait_front", ["cb", f"w{PAGES}"], [CB, "i32"])}
"""
        for i in range(PAGES):
            text += f"""
    {op("tile_regs_acquire")}
    {op("matmul_tiles", ["cb", "cb", f"c{i}", f"c{(i + 1) % PAGES}", "c0"], [CB, CB, "index", "index", "index"])}
    {op("tile_regs_commit")}
    {op("tile_regs_wait")}
    {op("pack_tile", ["c0", "out", f"c{i}"], ["index", CB, "index"], "<{out_of_order = true}>")}
    {op("tile_regs_release")}
"""
        text += f"    {op('cb_pop_front', ['cb', f'w{PAGES}'], [CB, 'i32'])}\n"
    return text + f"""
    {op("cb_push_back", ["out", f"w{PAGES}"], [CB, "i32"])}
    return
  }}
"""


WRITER = f"""
  func.func private @write() attributes {{ttkernel.thread = #ttkernel.thread<noc>}} {{
{constants()}
    %cb = "ttkernel.get_compile_time_arg_val"() <{{arg_index = 0 : i32}}> : () -> {CB}
{accessor_of("", 0)}
    {op("cb_wait_front", ["cb", f"w{PAGES}"], [CB, "i32"])}
    %ptr = "ttkernel.get_read_ptr"(%cb) : ({CB}) -> i32
""" + "".join(f"""
    %p{i} = arith.constant {i * PAGE} : i32
    %at{i} = arith.addi %ptr, %p{i} : i32
    "ttkernel.noc_async_write_tile"(%w{i}, %acc, %at{i}) : (i32, {ACC}, i32) -> ()
""" for i in range(PAGES)) + f"""
    {op("noc_async_write_barrier")}
    {op("cb_pop_front", ["cb", f"w{PAGES}"], [CB, "i32"])}
    return
  }}
"""


def rows_of(tiles):
    """Tiles below each other, of the bytes of tiles as they lie in memory: four faces of 16x16."""
    faces = tiles.view(np.uint16).reshape(-1, 2, 2, 16, 16)
    return faces.transpose(0, 1, 3, 2, 4).reshape(-1, 32)


def values(tiles):
    return torch.from_numpy(rows_of(tiles).astype(np.int32) << 16).view(torch.float32)


def random_tiles(rng, most=60):
    """Small whole numbers, whose sums in bf16 are exact."""
    numbers = torch.from_numpy(rng.integers(-most, most + 1, (TILES, PAGE // 2)).astype(np.float32)).bfloat16()
    return numbers.view(torch.int16).numpy().view(np.uint8).reshape(TILES, PAGE)


class Program:
    def __init__(self, tiles, transfers, body, threads=1, **options):
        grid = self.grid = sim.Grid("n150", threads=threads, **options)
        self.x = grid.tensor((32 * TILES, 32), "bf16", data=np.ascontiguousarray(rows_of(tiles)))
        self.out = grid.tensor((32 * PAGES, 32), "bf16")
        text = "module {\n" + reader(transfers) + body + WRITER + "}\n"
        runs = [sim.Run("read", compile_args=[sim.cb(0), sim.accessor(0)], common_args=[sim.address(0)]),
                sim.Run("compute", compile_args=[sim.cb(0), sim.cb(1)]),
                sim.Run("write", compile_args=[sim.cb(1), sim.accessor(1)], common_args=[sim.address(1)], noc=1)]
        self.launch = grid.load(text, "k.mlir").launch(
            runs, [sim.Buffer(0, "bf16", PAGES), sim.Buffer(1, "bf16", PAGES)], [self.x, self.out])

    def run(self):
        self.launch.run()
        return [t.read(torch.zeros(t.shape, dtype=torch.bfloat16)).float() for t in (self.x, self.out)]


def transfer(t, choose, n):
    """n random transfers."""
    for _ in range(n):
        tile, page, other = choose.randrange(TILES), choose.randrange(PAGES), choose.randrange(PAGES)
        # whole chunks of 1024 bytes can be lent; others cannot
        begin, size = choose.choice([(0, 1024), (1024, 1024), (0, 2048), (32, 64), (960, 128), (512, 1024), (992, 32)])
        match choose.randrange(6):
            case 0 | 1:
                t.read(tile, page)
            case 2:
                t.write(page, tile)
            case 3:
                t.read_part(tile, page, begin, size)
            case 4:
                t.write_part(page, tile, begin, size)
            case 5:
                t.move(page, other, begin, size)


def random_transfers(seed, n=12):
    choose = random.Random(seed)
    tiles = random_tiles(np.random.default_rng(seed))
    t = Transfers(tiles)
    for page in range(PAGES):
        t.read(choose.randrange(TILES), page)
    transfer(t, choose, n)
    return tiles, t


def check(tiles, t, body, want):
    """The results of first calls, recorded ones and replays, and of two threads."""
    profiles = set()
    for threads in (1, 2):
        p = Program(tiles, t.text, body, threads)
        for _ in range(3):
            x, got = p.run()
            assert torch.equal(x, values(t.tiles)) and torch.equal(got, want)
            profiles.add(p.launch.profile)
            p.x.write(np.ascontiguousarray(rows_of(tiles)))
    assert len(profiles) == 1 and not p.launch.reports


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("seed", range(24))
def test_random_transfers(seed, binary):
    tiles, t = random_transfers(seed)
    out = values(t.pages)
    check(tiles, t, compute(binary), out + torch.roll(out, -32, 0) if binary else out)


@pytest.mark.parametrize("binary", [False, True])
def test_results_are_added_to_a_page(binary):
    tiles, t = random_transfers(7)
    out = values(t.pages)
    check(tiles, t, compute(binary, twice=True), 2 * (out + torch.roll(out, -32, 0) if binary else out))


@pytest.mark.parametrize("seed", range(24))
def test_products(seed):
    """Tiles that are read in several rounds, and mostly change between them."""
    choose = random.Random(seed)
    tiles = random_tiles(np.random.default_rng(seed), 1)
    t = Transfers(tiles)
    want = torch.zeros(PAGES, 32, 32)
    for r in range(ROUNDS):
        if r:
            t.text += f"    {op('cb_push_back', ['cb', f'w{PAGES}'], [CB, 'i32'])}\n"
            t.text += f"    {op('cb_reserve_back', ['cb', f'w{PAGES}'], [CB, 'i32'])}\n"
        for page in range(PAGES):
            t.read(page if r % 2 else choose.randrange(TILES), page)
        transfer(t, choose, 0 if r % 2 else 3)
        pages = values(t.pages).view(PAGES, 32, 32)
        want += pages @ torch.roll(pages, -1, 0)
    check(tiles, t, products(), want.view(-1, 32))


def test_dram_changes_after_the_read():
    """The page keeps what was read."""
    tiles, t = random_transfers(1, 0)
    t.read(0, 0)
    t.read(1, 1)
    t.write(1, 0)
    t.read(0, 2)  # the new bytes
    x, out = Program(tiles, t.text, compute(False)).run()
    assert torch.equal(out[:32], values(tiles[:1])) and torch.equal(out[64:96], values(tiles[1:2]))
    assert torch.equal(x[:32], values(tiles[1:2]))


def test_a_kernel_that_fails_leaves_the_bytes():
    """A report in the midst of the program: what was read lies in L1 for the next one, and DRAM may change meanwhile."""
    tiles, t = random_transfers(2, 0)
    bad = op("cb_push_back", ["cb", "w32"], [CB, "i32"])  # more than the buffer has
    for _ in range(2):
        p = Program(tiles, t.text + f"    {bad}\n", compute(False))
        with pytest.raises(sim.KernelError, match="overflow"):
            p.run()
        changed = random_tiles(np.random.default_rng(3))
        p.x.write(np.ascontiguousarray(rows_of(changed)))
        assert torch.equal(p.x.read(torch.zeros(p.x.shape, dtype=torch.bfloat16)).float(), values(changed))


def test_unwritten_bytes_and_races_are_found_as_before():
    """A page of which only half was read; a page that is used before the barrier."""
    tiles = random_tiles(np.random.default_rng(4))
    t = Transfers(tiles)
    for page in range(PAGES):
        t.read_part(0, page, 0, 1024)
    for threads in (1, 2):
        p = Program(tiles, t.text, compute(False), threads)
        p.run()
        assert [r["kind"] for r in p.launch.reports] == PAGES * ["uninitialised read"]
    t = Transfers(tiles)
    for page in range(PAGES):
        t.read(page, page)
    early = t.text.replace(op("noc_async_read_barrier"), "")
    for threads in (1, 2):
        with pytest.raises(sim.KernelError, match="still bringing"):
            Program(tiles, early, compute(False), threads).run()


def test_results_stay_in_l1():
    """A read from DRAM into a tensor in L1 is there for the host, whatever becomes of the source."""
    grid = sim.Grid("n150")
    tiles = random_tiles(np.random.default_rng(5))
    x = grid.tensor((32 * TILES, 32), "bf16", data=np.ascontiguousarray(rows_of(tiles)))
    y = grid.tensor((32 * TILES, 32), "bf16", memory=sim.L1_SHARDED, shards=(1, 1))
    text = f"""module {{
  func.func private @read() attributes {{ttkernel.thread = #ttkernel.thread<noc>}} {{
{constants()}
{accessor_of("", 0)}
    %to = "ttkernel.get_common_arg_val"(%c1) : (index) -> i32
""" + "".join(f"""
    %p{i} = arith.constant {i * PAGE} : i32
    %at{i} = arith.addi %to, %p{i} : i32
    "ttkernel.noc_async_read_tile"(%w{i}, %acc, %at{i}) : (i32, {ACC}, i32) -> ()
""" for i in range(TILES)) + f"""
    {op("noc_async_read_barrier")}
    return
  }}
}}
"""
    launch = grid.load(text, "k.mlir").launch(
        [sim.Run("read", compile_args=[0, sim.accessor(0)], common_args=[sim.address(0), sim.address(1)])], [], [x, y])
    launch.run()
    x.write(np.zeros((32 * TILES, 32), np.uint16))
    assert torch.equal(y.read(torch.zeros(y.shape, dtype=torch.bfloat16)).float(), values(tiles))
