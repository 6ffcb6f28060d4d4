"""pykernel: every statement, expression and refusal of its kernels, their C++ on the grid, and programs of ttnn's tensors beside torch."""

import re

import pytest
import torch
import ttnn
from ttmlir import ir
from ttmlir._native import native

from pykernel import (CircularBuffer, CompileTimeValue, Kernel, PyKernelOp, compute_thread, reader_thread, ttkernel_compile, ttkernel_noc_compile,
                      ttkernel_tensix_compile, writer_thread)
from pykernel._src.arguments import Arguments, TensorAccessorConfig
from pykernel._src.compiler import PyKernelError, TTKernelCompiler, compiled

ROWS = 3


def module_of(function, *args, **values):
    """The text of a kernel's module."""
    return str(compiled(function, args, values))


# ---- what kernels compute ---------------------------------------------------------------------------------------


def values_of(function, count, **values):
    """The integers that a kernel writes: its C++ runs on the grid and stores them to a tensor of 32-bit integers."""
    class Op(PyKernelOp):
        def invoke(self, out):
            cb = self.create_cb(out, 0)
            return self.create_program([self.create_kernel(function, cb, out.buffer_address(), tensor_accessor_configs=[out], **values)], [cb])

    device = ttnn.open_device(device_id=0)
    out = ttnn.empty([32, 32], ttnn.int32, ttnn.TILE_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG)
    try:
        found = ttnn.to_torch(Op()(out))
    finally:
        ttnn.close_device(device)
    return found[0, :count].tolist()


@writer_thread()
def arithmetic(cb: CircularBuffer, address, N: CompileTimeValue, FLAG: CompileTimeValue):
    args = TensorAccessorArgs(cta_base=1, crta_base=0)
    tensor = TensorAccessor(args, address, get_tile_size(cb))
    cb_reserve_back(cb, 1)
    pointer = get_write_ptr(cb)
    words: [int, 12] = 7
    a, b = 17, 5
    words[0] = a + b * 2 - 1
    words[1] = a // b + a % b
    words[2] = (a << 2 | 1) ^ (b & 4) >> 1
    words[3] = -a + +b
    x: int = 1
    for i in range(N):
        x += i
        x = x * 2
    words[4] = x
    total = 0
    for i in range(2, 10, 3):
        total = total + i
        if total > 6 and not i == 8 or False:
            total += 100
        elif 1 <= i < 3:
            total -= 1
        else:
            total = total + 0
    words[5] = total
    matrix = [[1, 2], [a, ~b]]
    matrix[1, 0] += 1
    words[6] = matrix[1][0] + matrix[1, 1] + ROWS
    if FLAG:
        words[7] = ct_args["N"] + 40
    else:
        words[7] = 0
    words[8] = a != b
    words[9] = a >= b and b <= 4
    for j in range(12):
        store_to_l1(words[j], reinterpret_cast("!ttkernel.l1_addr_ptr<32>", pointer), j)
    noc_async_write_tile(0, tensor, pointer)
    noc_async_write_barrier()
    return


def test_integers_on_the_grid(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = 1
    for i in range(4):
        x = (x + i) * 2
    total = 0
    for i in range(2, 10, 3):
        total += i
        total += 100 if total > 6 and i != 8 else -1 if i < 3 and not total > 6 else 0
    wanted = [26, 5, 68 | 1 ^ 2, -12, x, total, 18 + ~5 + ROWS, 44, 1, 0, 7, 7]
    assert values_of(arithmetic, 12, N=4, FLAG=True) == wanted
    assert values_of(arithmetic, 8, N=0, FLAG=False)[4:8] == [1, *wanted[5:7], 0]


# ---- programs ---------------------------------------------------------------------------------------------------


class Added(PyKernelOp):
    """Sums of tensors on the cores of a rectangle, whose tiles begin at a number of their own."""

    made = 0

    @compute_thread(optimize=True)
    def add(cb_a: CircularBuffer, cb_b: CircularBuffer, cb_out: CircularBuffer, tiles):
        binary_op_init_common(cb_a, cb_b, cb_out)
        add_tiles_init(cb_a, cb_b)
        for i in range(tiles):
            cb_wait_front(cb_a, 1)
            cb_wait_front(cb_b, 1)
            cb_reserve_back(cb_out, 1)
            tile_regs_acquire()
            add_tiles(cb_a, cb_b, 0, 0, 0)
            tile_regs_commit()
            tile_regs_wait()
            pack_tile(0, cb_out, 0)
            tile_regs_release()
            cb_pop_front(cb_a, 1)
            cb_pop_front(cb_b, 1)
            cb_push_back(cb_out, 1)

    @reader_thread()
    def read(cb_a: CircularBuffer, cb_b: CircularBuffer, a, b, tiles, first):
        page = get_tile_size(cb_a)
        left = TensorAccessor(TensorAccessorArgs(cta_base=2, crta_base=0), a, page)
        right = TensorAccessor(TensorAccessorArgs(cta_base=3, crta_base=0), b, page)
        for i in range(first, first + tiles):
            cb_reserve_back(cb_a, 1)
            cb_reserve_back(cb_b, 1)
            noc_async_read_tile(i, left, get_write_ptr(cb_a))
            noc_async_read_tile(i, right, get_write_ptr(cb_b))
            noc_async_read_barrier()
            cb_push_back(cb_a, 1)
            cb_push_back(cb_b, 1)

    @writer_thread()
    def write(cb_out: CircularBuffer, out, tiles, first):
        page = get_tile_size(cb_out)
        accessor = TensorAccessor(TensorAccessorArgs(cta_base=1, crta_base=0), out, page)
        for i in range(first, first + tiles):
            cb_wait_front(cb_out, 1)
            noc_async_write_tile(i, accessor, get_read_ptr(cb_out))
            noc_async_write_barrier()
            cb_pop_front(cb_out, 1)

    def define_core_ranges(self, tensors, options):
        return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))])

    def invoke(self, a, b, out):
        self.made += 1
        buffers = [self.create_cb(t, i) for i, t in enumerate((a, b, out))]
        tiles = a.volume() // 1024 // 2
        first = [[[0]], [[tiles]]]
        return self.create_program([
            self.create_kernel(Added.add, *buffers, tiles),
            self.create_kernel(Added.read, *buffers[:2], a.buffer_address(), b.buffer_address(), tiles, first, tensor_accessor_configs=[a, b]),
            self.create_kernel(Added.write, buffers[2], out.buffer_address(), tiles, first, tensor_accessor_configs=out)], buffers)


def test_programs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    device = ttnn.open_device(device_id=0)
    op = Added()
    x, y = torch.randn(1, 4, 32, 32).bfloat16(), torch.randn(1, 4, 32, 32).bfloat16()
    a, b = (ttnn.from_torch(t, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=ttnn.DRAM_MEMORY_CONFIG) for t in (x, y))
    out = ttnn.allocate_tensor_on_device(ttnn.Shape([1, 4, 32, 32]), ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG)
    for _ in range(2):
        torch.testing.assert_close(ttnn.to_torch(op(a, b, out)), x + y, rtol=1e-2, atol=1e-2)
    assert op.made == 1 and (tmp_path / "generated" / "pykernels" / "add.cpp").exists()
    torch.testing.assert_close(ttnn.to_torch(op(b, b, out)), y + y, rtol=1e-2, atol=1e-2)
    assert op.made == 2
    ttnn.close_device(device)


def test_refused_programs():
    op = Added()
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))])
    buffer = op.create_cb(ttnn.from_torch(torch.zeros(32, 32), dtype=ttnn.bfloat16), 0, cores)
    for kernel, args, error, message in [
        (compiled, (), ValueError, "is not the kernel of a thread: decorate it with @reader_thread()"),
        (Added.write, (buffer, 1.5), TypeError, "argument 1 of kernel 'write' is a float"),
        (Added.write, (buffer, []), IndexError, "Empty list provided"),
        (Added.write, (buffer, [[[0]]]), ValueError, "has values for other cores than the kernel's: [x][y] of 2 x 1"),
        (Added.write, (buffer, [[["x"]], [[1]]]), TypeError, "must all be lists of integers"),
        (Added.write, (buffer, 1, 2), PyKernelError, "kernel 'write' takes 4 arguments, got 3"),
    ]:
        with pytest.raises(error, match=re.escape(message)):
            op.create_kernel(kernel, *args, core_ranges=cores)
    assert op._accessors(TensorAccessorConfig.IsDram | TensorAccessorConfig.Sharded) == [3] and op._accessors(None) == []
    with pytest.raises(ValueError, match="an operation's cores are known when it is called"):
        PyKernelOp().get_core_ranges()
    with pytest.raises(ValueError, match="argument 0 is a tensor of the host: move it to the device with ttnn.to_device"):
        op(ttnn.from_torch(torch.zeros(32, 32)))
    with pytest.raises(NotImplementedError, match="PyKernelOp has no invoke"):
        PyKernelOp()()


# ---- modules and sources -----------------------------------------------------------------------------------------


def arguments_of(cb_a: CircularBuffer, first, cb_b: "CircularBuffer", second, third, K: CompileTimeValue):
    cb_push_back(cb_b, first + second + third + K)


def test_arguments():
    text = module_of(arguments_of, CircularBuffer(0, (64, 33), "BFloat16"), 5, CircularBuffer(16), Arguments.make_common(1, 0), 7, K=9)
    assert re.search(r"ct_args = \[<arg_type = cb_port, operand_index = 0>, <arg_type = cb_port, operand_index = 1>\]", text)
    assert "!ttkernel.cb<4, !ttcore.tile<32x32, bf16>>" in text and "!ttkernel.cb<128, !ttcore.tile<32x32, f32>>" in text
    assert re.findall(r"ttkernel.get_(\w+)\(", text) == ["compile_time_arg_val", "compile_time_arg_val", "arg_val", "common_arg_val", "arg_val"]
    assert "arith.constant 9 : i32" in text


@ttkernel_noc_compile(verbose=True)
def commented(cb: CircularBuffer):
    x: int = get_arg_val(int, 0)  # it ends \
    for i in range(0, x,
                   2):
        x += 1


def test_comments(capsys):
    source = commented(CircularBuffer(0))
    assert "// for i in range(0, x, 2):" in source and "// x += 1" in source and "// x: int = get_arg_val(int, 0)\n" in source
    assert "// def commented(cb: CircularBuffer):" in source and "emitc.verbatim" in capsys.readouterr().out
    assert "//" in compiled(commented.__wrapped__, [CircularBuffer(0)], kernel_type="noc", verbose=False).splitlines()[0]


@ttkernel_noc_compile()
def prints(cb: CircularBuffer):
    x, y = 1, 2
    print(x)
    print("of", x, "{} and".format(y), f"{x}+{y}", 3)
    print(cb)


def test_prints():
    text = module_of(prints.__wrapped__, CircularBuffer(0))
    assert re.findall(r'dprint\("([^"]*)"', text) == [r"{}\\n", r"of {} {} and {}+{} 3\\n", r"{}\\n"]


@ttkernel_noc_compile(optimize=True)
def unused(cb: CircularBuffer):
    x = 1 + 2
    cb_push_back(cb, 3)


def test_optimize(capsys):
    source = unused(CircularBuffer(0))
    first, last = capsys.readouterr().out.split("module {")[1:]
    assert "arith.addi" in first and "arith.addi" not in last and "push_back" in source


def moves(cb: CircularBuffer, address):
    noc_async_read(address, get_write_ptr(cb), 2048, src_core=[1, 2])
    noc_async_write(get_read_ptr(cb), address, size=2048, dst_bank_id=3)
    accessor = TensorAccessor(TensorAccessorArgs(cta_base=1, crta_base=0), address)
    accessor.get_noc_addr(0, 0)
    for i in range(2):
        noc_async_read_tile(i, accessor, get_write_ptr(cb))


def test_operands_have_the_types_of_rows():
    text = module_of(moves, CircularBuffer(0), 1)
    assert "noc_async_read core[" in text and "bank[" in text and "tensor_accessor.get_noc_addr" in text
    assert re.search(r"%(\w+) = arith.index_cast %\w+ : index to i32\n\s+ttkernel.noc_async_read_tile\(%\1,", text)
    assert native._operand_types("ttkernel.noc_async_read_tile") == ["i32", "!ttkernel.TensorAccessor", "i32", "i8"]
    with pytest.raises(LookupError, match="no operation 'ttkernel.nothing'"):
        native._operand_types("ttkernel.nothing")


def test_every_operation_is_a_function():
    rows = {row[0] for row in native._ops("ttkernel")}
    functions = {n for n in TTKernelCompiler.functions if not n.startswith("!")}
    assert len(rows) == len(functions) and {"TensorAccessor", "tensor_accessor_get_noc_addr", "exp_tile"} <= functions


def test_kernels(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    kernel = Kernel("k", "void kernel_main() {}")
    kernel.dump()
    assert "kernel_main" in capsys.readouterr().out
    for path in (kernel.dump_to_file(), kernel.dump_to_file(str(tmp_path / "other" / "k.cpp"))):
        with open(path) as file:
            assert file.read() == kernel.kernel_string
    with pytest.raises(ValueError, match="kernel_type is 'noc', 'compute' or None, got 'reader'"):
        ttkernel_compile("reader")(moves)()
    with pytest.raises(ValueError, match="a common argument has a common_idx"):
        Arguments(is_common=True)
    with pytest.warns(UserWarning, match="takes 1 arguments, got 2: the last are not used"):
        unused(CircularBuffer(0), CircularBuffer(1))
    assert ttkernel_compile()(unused.__wrapped__)(CircularBuffer(0)).operation.verify()


def test_sources_of_modules_with_arithmetic():
    """ttkernel_to_cpp lowers what is not emitc yet, and changes nothing."""
    from ttmlir.passes import ttkernel_to_cpp, ttkernel_to_cpp_by_name

    arguments = [CircularBuffer(0), 1, CompileTimeValue("N", 1), CompileTimeValue("FLAG", True)]
    module = TTKernelCompiler(arithmetic.__wrapped__, ir.Context()).compile(arguments, "noc")
    text = str(module)
    assert "scf.for" in text and "memref.load" in text
    assert "for (size_t" in ttkernel_to_cpp_by_name(module, "arithmetic") and "kernel_main" in ttkernel_to_cpp(module)
    assert str(module) == text
    with pytest.raises(ValueError, match="no kernel 'other'"):
        ttkernel_to_cpp_by_name(module, "other")


# ---- refusals ----------------------------------------------------------------------------------------------------


def bad_function(cb: CircularBuffer):
    cb_push_bak(cb, 1)


def bad_count(cb: CircularBuffer):
    cb_push_back(cb)


def bad_method(cb: CircularBuffer):
    cb.push(1)


def bad_modes(cb: CircularBuffer):
    noc_async_read(0, 0, 32)


def bad_both(cb: CircularBuffer):
    noc_async_write(0, 0, 32, dst_bank_id=1, dst_core=(1, 1))


def bad_type(cb: CircularBuffer):
    x = get_arg_val(float, 0)


def bad_operand(cb: CircularBuffer):
    cb_push_back(1, 1)


def bad_annotation(cb: int):
    pass


def bad_array(cb: CircularBuffer):
    a: [int] = 0


def bad_declaration(cb: CircularBuffer):
    a: int


def bad_index(cb: CircularBuffer):
    a = [1, 2]
    a[2] = 1


def bad_rank(cb: CircularBuffer):
    a = [1, 2]
    x = a[0, 0]


def bad_rows(cb: CircularBuffer):
    a = [[1, 2], [3]]


def bad_empty(cb: CircularBuffer):
    a = []


def bad_element(cb: CircularBuffer):
    a = [cb]


def bad_subscript(cb: CircularBuffer):
    x = cb[0]


def bad_cell(cb: CircularBuffer):
    x: int = 1
    x = cb


def bad_variable(cb: CircularBuffer):
    x: int = [1, 2]


def bad_compile_time(cb: CircularBuffer):
    x = ct_args["other"]


def bad_unpacking(cb: CircularBuffer):
    a, b = cb


def bad_while(cb: CircularBuffer):
    while True:
        pass


def bad_number(cb: CircularBuffer):
    x = 1.5


def bad_return(cb: CircularBuffer):
    if get_arg_val(int, 0):
        return


REFUSED = [
    (bad_function, "NameError: unknown function 'cb_push_bak' in kernel scope\nhint: did you mean `cb_push_back`?"),
    (bad_count, "is missing\nhint: it is called as cb_push_back(cb, num_pages)"),
    (bad_method, "AttributeError: `cb` of type !ttkernel.cb has no method 'push'"),
    (bad_modes, "TypeError: noc_async_read() takes one of src_bank_id and src_core: a bank of DRAM, or a core"),
    (bad_both, "TypeError: noc_async_write() takes one of dst_bank_id and dst_core"),
    (bad_type, "TypeError: expected a type (int, bool, or a text"),
    (bad_operand, "'ttkernel.cb_push_back' op operand #0 must be"),
    (bad_annotation, "TypeError: cannot pass int to a pykernel"),
    (bad_array, "ValueError: Array Initialization must follow [dtype, *shape] syntax."),
    (bad_declaration, "NotImplementedError: the declaration 'a: int'\nhint: declare a name with a value: x: int = 0"),
    (bad_index, "IndexError: Index out of bounds: 2 of 2"),
    (bad_rank, "IndexError: 'a' has 1 dimensions, got 2 indices"),
    (bad_rows, "NotImplementedError: All nested arrays must be of same size."),
    (bad_empty, "NotImplementedError: Array object must be filled, otherwise use AnnAssign."),
    (bad_element, "TypeError: Array element must be an integer, got !ttkernel.cb"),
    (bad_subscript, "TypeError: 'cb' is no array\nhint: arrays are made as in a = [1, 2] or a: [int, 2] = 0"),
    (bad_cell, "TypeError: 'x' holds i32, got !ttkernel.cb"),
    (bad_variable, "TypeError: an array as a variable"),
    (bad_compile_time, "KeyError: 'other'\nhint: the kernel has none"),
    (bad_unpacking, "NotImplementedError: assignment to 2 names\nhint: write as many expressions: a, b = 1, 2"),
    (bad_while, "unsupported Python syntax inside @kernel: While"),
    (bad_number, "NotImplementedError: constant type float not implemented"),
    (bad_return, "NotImplementedError: a kernel that returns early"),
]


@pytest.mark.parametrize("kernel,message", REFUSED, ids=[k.__name__ for k, _ in REFUSED])
def test_refused(kernel, message):
    with pytest.raises(PyKernelError) as caught:
        compiled(kernel, [CircularBuffer(0)], kernel_type="noc")
    error, first = caught.value, kernel.__code__.co_firstlineno
    assert message in str(error), str(error)
    assert first <= error.line <= first + 3 and error.file == __file__ and "-->" in str(error)


def test_refused_arguments():
    for args, values, message in [
        ((CircularBuffer(0), 1, 2, 3, 4), {"K": 1}, "'cb_b' is a CircularBuffer, got int"),
        ((CircularBuffer(0), "x"), {"K": 1}, "'first' is an integer of the run, got str"),
        ((CircularBuffer(0), 1, CircularBuffer(1), 1, 1), {}, "Argument K not provided into kernel call."),
        ((CircularBuffer(0), 1, CircularBuffer(1), 1, 1), {"K": 1.5}, "ct_args must be int or bool, got float"),
        ((CircularBuffer(0),), {"K": 1}, "kernel 'arguments_of' takes 6 arguments, got 2"),
    ]:
        with pytest.raises(PyKernelError, match=re.escape(message)):
            compiled(arguments_of, args, values)
