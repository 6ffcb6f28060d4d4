"""d2m_jit: every function of blocks, statement and refusal; results are compared with torch, and the simulator with the device."""

import re
import subprocess
import sys

import pytest
import torch
from ttmlir import ir
from ttmlir._native import native

import d2m_jit as d2m
from d2m_jit._src import table
from d2m_jit._src.ast import D2MCompiler
from d2m_jit._src.builder import _Builder, _emit_returns_and_finalise
from d2m_jit._src.sim.ops import reference
from d2m_jit._src.tensor_layout import DataType, MemorySpace

TILE = d2m.Layout(shape=(32, 32), dtype=d2m.float32, block_shape=[1, 1])
FOUR = d2m.Layout(shape=(64, 64), dtype=d2m.float32, block_shape=[1, 1], grid_shape=[2, 2])
LIMIT = 3


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(0)
    yield
    d2m.config.backend = "device"
    _Builder.reset()


def run(kernel, *tensors, layout=TILE, out=None, numbers=(), grid=(1, 1), **options):
    """The result of a kernel whose last tensor is its output."""
    result = d2m.empty(out or layout)
    kernel(*(d2m.to_layout(t, layout.replace(shape=t.shape)) for t in tensors), result, *numbers, grid=grid, **options)
    return result.to_host()


def close(found, wanted, tolerance=4e-3):
    """The matrix and vector units round operands to tf32."""
    wanted = wanted.to(found.dtype)
    scale = wanted.abs().max().clamp(min=1)
    assert found.shape == wanted.shape and ((found.double() - wanted.double()).abs() <= tolerance * scale).all(), (found, wanted)


# ---- functions of blocks -----------------------------------------------------------------------------------

MADE = {}


def kernel_of(name, count):
    """A kernel that calls one function; the text of each is in a file of its own."""
    if name not in MADE:
        names = ["a", "b", "c"][:count]
        loads = "".join(f"    {n} = remote_load({n}_t, [0, 0])\n" for n in names)
        text = f"def {name}_kernel({', '.join(n + '_t' for n in names)}, out):\n{loads}    remote_store(out, [0, 0], {name}({', '.join(names)}))\n"
        MADE[name] = text
    return MADE[name]


DOMAINS = {"acos": (-1, 1), "asin": (-1, 1), "log": (0.1, 4), "log1p": (-0.5, 4), "sqrt": (0, 4), "rsqrt": (0.25, 4), "recip": (0.5, 4), "pow": (0.5, 2),
           "tan": (-1, 1), "atan2": (0.5, 2), "erfc": (-2, 2), "div": (0.5, 4)}
# Integers only, or no function of the simulated units for one element type: the passes report it.
INTEGER = ("bitwise_not", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_left_shift", "logical_right_shift", "right_shift")


@pytest.mark.parametrize("name", [n for n in table.OPERANDS if n not in INTEGER])
def test_function_of_blocks(name, tmp_path):
    count = len(table.OPERANDS[name])
    path = tmp_path / f"{name}.py"
    path.write_text(kernel_of(name, count))
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)  # noqa: S102: the text above
    low, high = DOMAINS.get(name, (-2, 2))
    tensors = [torch.rand(32, 32) * (high - low) + low for _ in range(count)]
    for t in tensors[1:] if name in ("eq", "ne", "ge", "le", "gt", "lt") else ():
        t[::2] = tensors[0][::2]
    if name == "where":
        tensors[0][::3] = 0
    if name in ("eqz", "nez", "gez", "lez", "gtz", "ltz", "logical_not", "sign"):
        tensors[0][::3] = 0
    wanted = reference(name)(*tensors) if name != "tile_transpose" else tensors[0].T
    close(run(d2m.kernel(names[f"{name}_kernel"]), *tensors), wanted, 3e-2)


def test_every_operation_on_tiles_is_in_the_table():
    """A row of d2m with tiles and nothing else is a function of blocks."""
    special = {"tile_matmul", "tile_matmul_block", "tile_typecast", "tile_fill", "tile_tilize_block", "tile_untilize_block"}
    given = {table.tile_operation(n) for n in table.ATTRIBUTES}
    rows = {row[0].removeprefix("d2m.") for row in native._ops("d2m")
            if row[0].startswith("d2m.tile_") and len(row[3]) == 1 and row[1] and all(arity == 0 for _, arity in row[1])
            and (row[0].removeprefix("d2m.") in given or all(optional for _, _, optional, _ in row[2]))}
    named = {table.tile_operation(n) for n in table.OPERANDS}
    assert named <= rows
    assert {n for n in rows - named - special if not re.search("reduce|topk|rand|argmax", n)} == set()


def test_enums_have_the_values_of_the_dialect():
    from ttmlir.dialects import ttcore

    assert all(getattr(ttcore.DataType, m.name) == m for m in DataType)
    assert all(getattr(ttcore.MemorySpace, m.name) == m for m in MemorySpace)
    assert [m.name.rstrip("_").lower() for m in sorted(d2m.TileBcastType)] == ["none", "col", "row", "scalar"]


@d2m.kernel
def unsigned(a, out):
    x = remote_load(a, [0, 0])
    remote_store(out, [0, 0], bitwise_xor(bitwise_and(x, ~x), bitwise_or(x, x)))


def test_operators_and_functions_of_integers():
    layout = TILE.replace(dtype=d2m.uint32)
    x = torch.arange(1024, dtype=torch.int32).reshape(32, 32).to(torch.uint32)
    out = d2m.empty(layout)
    unsigned(d2m.to_layout(x, layout), out, grid=(1, 1))
    assert torch.equal(out.to_host().int(), x.int())


# ---- functions with arguments that are known ------------------------------------------------------------------


@d2m.kernel
def known(a, out):
    x = clamp_scalar(remote_load(a, [0, 0]), -LIMIT / 6, +0.25)
    remote_store(out, [0, 0], typecast(typecast(x, d2m.float32), d2m.bfloat16))


def test_known_arguments():
    x = torch.randn(32, 32)
    found = run(known, x, out=TILE.replace(dtype="bf16"))
    assert found.dtype == torch.bfloat16
    close(found, x.clamp(-0.5, 0.25).bfloat16())


@d2m.kernel
def there_and_back(a, out):
    x = remote_load(a, [0, 0])
    remote_store(out, [0, 0], typecast(typecast(x, "bf16"), "fp32"))


def test_intermediate_types_are_refused_at_the_line():
    with pytest.raises(ir.MLIRError, match=f"test_d2m_jit.py.:{there_and_back.fn.__code__.co_firstlineno + 3}:.*expected a result of the scratch"):
        run(there_and_back, torch.randn(32, 32))


@d2m.kernel
def broadcasts(a, out):
    x = remote_load(a, [0, 0])
    remote_store(out, [0, 0], tile_bcast(x, "row") + x.tile_bcast_col() * tile_bcast_2d(x))


def test_broadcasts():
    x = torch.randn(32, 32)
    close(run(broadcasts, x), x[:1] + x[:, :1] * x[0, 0])


@d2m.kernel
def normalized(a, out):
    x = remote_load(a, [0, 0])
    e = exp(x - reduce_max(x, 1))
    remote_store(out, [0, 0], e / e.reduce_sum(-1))


def test_reductions_are_broadcast_beside_other_blocks():
    x = torch.randn(32, 32)
    close(run(normalized, x), x.softmax(1))


@d2m.kernel
def mean_of_rows(a, out):
    remote_store(out, [0, 0], reduce_mean(remote_load(a, [0, 0]), 0))


def test_reduction_layout():
    layout = TILE.replace(shape=(64, 32), block_shape=[2, 1], grid_shape=[1, 1])
    x = torch.randn(64, 32)
    close(run(mean_of_rows, x, layout=layout, out=d2m.reduction_layout(layout, 0)), x.mean(0, keepdim=True))
    with pytest.raises(ValueError, match="fits on one core, and dimension 0 is on 2 cores: use another grid_shape"):
        d2m.reduction_layout(FOUR, 0)
    with pytest.raises(ValueError, match=r"in range \[-2, 1\], got 2"):
        d2m.reduction_layout(FOUR, 2)


@d2m.kernel
def products(a, b, out):
    x = remote_load(a, [0, 0])
    remote_store(out, [0, 0], x.matmul(remote_load(b, [0, 0]), transpose_b=True) + x @ x)


def test_matmul():
    x, y = torch.randn(32, 32), torch.randn(32, 32)
    close(run(products, x, y), x @ y.T + x @ x, 1e-2)


# ---- statements -------------------------------------------------------------------------------------------------


@d2m.kernel
def accumulated(a, b, out, k_blocks):
    """A text for readers."""
    row = core_index(0)
    column = core_index(1)
    acc = zeros([1, 1])
    for k in range(k_blocks):
        acc += remote_load(a, [row, k]) @ remote_load(b, [k, column])
    remote_store(out, [row, column], acc)
    return


def test_matmul_in_a_loop():
    x, y = torch.randn(64, 64), torch.randn(64, 64)
    close(run(accumulated, x, y, layout=FOUR, numbers=(2,), grid=(2, 2)), x @ y, 1e-2)


@d2m.kernel
def summed(a, out, n):
    at = [core_index(0), core_index(1)]
    s = zeros([1, 1]) + remote_load(a, at)
    for i in range(n):
        for j in range(0, n, 2):
            s = s + remote_load(a, at)
    remote_store(out, at, s)


def test_blocks_that_loops_change():
    x = torch.rand(64, 64)
    close(run(summed, x, layout=FOUR, numbers=(3,), grid=(2, 2)), 7 * x, 1e-2)


@d2m.kernel
def swapped(a, out, n, unused):
    row = core_index(0)
    column = core_index(1)
    for i in range(0, n, 2):
        column = (column + 1) % 2
    if row == column and not row > 5 or False:
        row = -row + 1
    elif 0 <= row < 5:
        row += 0
    else:
        row = 7 // 2 << 1
    remote_store(out, [core_index(0), core_index(1)], remote_load(a, [row, column]))


def test_numbers_that_loops_and_branches_change():
    x = torch.randn(64, 64)
    found = run(swapped, x, layout=FOUR, numbers=(2, 5), grid=(2, 2))
    parts = {(i, j): x[32 * i:32 * i + 32, 32 * j:32 * j + 32] for i in (0, 1) for j in (0, 1)}

    def part(i, j):
        column = (j + 1) % 2
        return parts[1 - i if i == column else i, column]

    close(found, torch.cat([torch.cat([part(i, 0), part(i, 1)], 1) for i in (0, 1)]))


@d2m.kernel
def renamed(a, out, n):
    x = remote_load(a, [0, 0])
    for i in range(n):
        x = remote_load(a, [0, 0])
        remote_store(out, [0, 0], x.exp())


def test_names_that_iterations_use_alone():
    x = torch.randn(32, 32)
    close(run(renamed, x, numbers=(2,)), x.exp(), 1e-2)


def test_closures_and_globals():
    SHIFT = 1
    TEXT = "row"

    @d2m.kernel
    def shifted(a, out):
        x = remote_load(a, [0, SHIFT - 1])
        remote_store(out, [0, LIMIT - 3], tile_bcast(x, TEXT))

    assert shifted._captures == {"SHIFT": 1}
    x = torch.randn(32, 32)
    close(run(shifted, x), x[:1].expand(32, 32))
    SHIFT = 2  # the next call is compiled with it
    with pytest.raises(Exception, match="uninitialised read: source of a NoC read"):
        run(shifted, x)


# ---- refusals -----------------------------------------------------------------------------------------------------


@d2m.kernel
def bad_function(a, out):
    remote_loud(a, [0, 0])


@d2m.kernel
def bad_method(a, out):
    remote_load(a, [0, 0]).sigmoidd()


@d2m.kernel
def bad_name(a, out):
    good_name = remote_load(a, [0, 0])
    remote_store(out, [0, 0], good_nam)


@d2m.kernel
def bad_prefix(a, out):
    d2m.exp(a)


@d2m.kernel
def bad_loop(a, out):
    while 1:
        pass


@d2m.kernel
def bad_range(a, out):
    for i in [1, 2]:
        pass


@d2m.kernel
def bad_text(a, out):
    x = "not allowed"


@d2m.kernel
def bad_float(a, out):
    x = remote_load(a, [0, 0]) * 2.5


@d2m.kernel
def bad_number(a, out):
    x = remote_load(a, [0, 0]) * 2


@d2m.kernel
def bad_sign(a, out):
    x = remote_load(a, [0, 0]) % remote_load(a, [0, 0])


@d2m.kernel
def bad_division(a, out):
    x = core_index(0) / 2


@d2m.kernel
def bad_condition(a, out):
    if remote_load(a, [0, 0]):
        pass


@d2m.kernel
def bad_comparison(a, out):
    x = remote_load(a, [0, 0]) < remote_load(a, [0, 0])


@d2m.kernel
def bad_count(a, out):
    exp(remote_load(a, [0, 0]), 1)


@d2m.kernel
def bad_keyword(a, out):
    x = remote_load(a, [0, 0])
    matmul(x, x, transposed=True)


@d2m.kernel
def bad_missing(a, out):
    add(remote_load(a, [0, 0]))


@d2m.kernel
def bad_dim(a, out):
    reduce_sum(remote_load(a, [0, 0]), 2)


@d2m.kernel
def bad_bool(a, out):
    reduce_sum(remote_load(a, [0, 0]), True)


@d2m.kernel
def bad_known(a, out):
    reduce_sum(remote_load(a, [0, 0]), core_index(0))


@d2m.kernel
def bad_broadcast(a, out):
    tile_bcast(remote_load(a, [0, 0]), "diagonal")


@d2m.kernel
def bad_indices(a, out):
    remote_load(a, [0])


@d2m.kernel
def bad_tensor(a, out):
    remote_load(remote_load(a, [0, 0]), [0, 0])


@d2m.kernel
def bad_block(a, out):
    exp(a)


@d2m.kernel
def bad_store(a, out):
    remote_store(out, [0, 0], typecast(remote_load(a, [0, 0]), "bf16"))


@d2m.kernel
def bad_types(a, out):
    x = remote_load(a, [0, 0])
    add(x, typecast(x, "bf16"))


@d2m.kernel
def bad_zeros(a, out):
    zeros(1)


@d2m.kernel
def bad_shapes(a, out):
    zeros([1, 2]) + zeros([1, 3])


@d2m.kernel
def bad_inner(a, out):
    zeros([1, 2]) @ zeros([1, 3])


@d2m.kernel
def bad_return(a, out):
    return a


@d2m.kernel
def bad_early(a, out):
    if 1:
        return


@d2m.kernel
def bad_target(a, out):
    a[0] = 1


@d2m.kernel
def bad_part(a, out):
    x = a[0, 0]


@d2m.kernel
def bad_await(a, out):
    x = [remote_load(a, [0, i]) for i in range(1)]


@d2m.kernel
def bad_lost(a, out):
    for i in range(2):
        x = i
    x + 1


@d2m.kernel
def bad_branch(a, out):
    x = remote_load(a, [0, 0])
    if core_index(0):
        x = exp(x)
    remote_store(out, [0, 0], x)


@d2m.kernel
def bad_type(a, out):
    x = core_index(0)
    for i in range(2):
        x = remote_load(a, [0, 0])


@d2m.kernel
def bad_carried(a, out):
    s = remote_load(a, [0, 0])
    for i in range(2):
        s += remote_load(a, [0, 0])


@d2m.kernel
def bad_swap(a, out):
    s = zeros([1, 1])
    t = zeros([1, 1])
    for i in range(2):
        u = s
        s = t
        t = u + u


@d2m.kernel
def bad_core(a, out):
    core_index(-1)


TABLE = {"known": 1}


@d2m.kernel
def bad_object(a, out):
    x = TABLE


REFUSED = [
    (bad_function, "NameError: unknown function 'remote_loud' in kernel scope\nhint: did you mean `remote_load`?"),
    (bad_method, "AttributeError: `remote_load(a, [0, 0])` of type !tensor has no method 'sigmoidd'\nhint: did you mean `sigmoid`?"),
    (bad_name, "NameError: unknown variable 'good_nam'\nhint: did you mean `good_name`?"),
    (bad_prefix, "NameError: unknown variable 'd2m'\nhint: functions of the language have no prefix: exp(...)"),
    (bad_loop, "unsupported Python syntax inside @kernel: While\nhint: loop over range(), whose bounds may be computed"),
    (bad_range, "Only range() supported in for loops\nhint: use range(end), range(begin, end) or range(begin, end, step)"),
    (bad_text, "NotImplementedError: constant type str not implemented"),
    (bad_float, "NotImplementedError: constant type float not implemented"),
    (bad_number, "TypeError: mul() takes blocks, which remote_load() returns, got index"),
    (bad_sign, "TypeError: '%' of tensor<1x1x!ttcore.tile<32x32, f32>> and tensor<1x1x!ttcore.tile<32x32, f32>>\nhint: operators of !tensor are + - * / @ **"),
    (bad_division, "NotImplementedError: '/' of integers\nhint: use '//', which truncates"),
    (bad_condition, "TypeError: a condition of tensor<1x1x!ttcore.tile<32x32, f32>>\nhint: conditions are integers; blocks are chosen by where()"),
    (bad_comparison, "hint: blocks are compared by functions: eq, ne, lt, le, gt, ge"),
    (bad_count, "TypeError: function 'exp' takes 1 arguments, got 2\nhint: it is called as exp(input)"),
    (bad_keyword, "TypeError: function 'matmul' has no argument 'transposed'\nhint: it is called as matmul(lhs, rhs, transpose_b=False)"),
    (bad_missing, "TypeError: function 'add' takes 2 arguments, and 'rhs' is missing\nhint: it is called as add(lhs, rhs)"),
    (bad_dim, "ValueError: reduce dim must be 0/1 or -2/-1, got 2"),
    (bad_bool, "TypeError: expected integer literal for the reduced dim, got True"),
    (bad_known, "TypeError: 'dim' must be known when the kernel is compiled, and 'core_index(0)' is not\nhint: write a literal, or a name"),
    (bad_broadcast, "ValueError: tile broadcast type must be one of 'row', 'col', '2d', 'none', or a d2m.TileBcastType, got 'diagonal'"),
    (bad_indices, "ValueError: remote_load() takes 2 indices for this tensor, got 1"),
    (bad_tensor, "TypeError: remote_load() takes a tensor of the kernel's arguments, got tensor<1x1x!ttcore.tile<32x32, f32>>"),
    (bad_block, "TypeError: exp() takes blocks, which remote_load() returns, got tensor<1x1x1x1x"),
    (bad_store, "ValueError: remote_store(): blocks of this tensor are 1x1 of !ttcore.tile<32x32, f32>, got 1x1 of !ttcore.tile<32x32, bf16>"),
    (bad_types, "ValueError: add() takes blocks of one element type, got !ttcore.tile<32x32, f32> and !ttcore.tile<32x32, bf16>: convert with"),
    (bad_zeros, "TypeError: zeros() takes a block's shape in tiles, as in zeros([1, 2]), got 1"),
    (bad_shapes, "ValueError: add() takes blocks of one shape, or with 1 where they are broadcast, got 1x2 and 1x3 tiles"),
    (bad_inner, "ValueError: matmul(): lhs has 2 columns of tiles and rhs 1 rows"),
    (bad_return, "NotImplementedError: a kernel that returns something\nhint: results are what is stored"),
    (bad_early, "NotImplementedError: a kernel that returns early"),
    (bad_target, "NotImplementedError: assignment to a[0]\nhint: only names can be assigned to"),
    (bad_part, "NotImplementedError: a part of a tensor or block\nhint: load the block: remote_load(tensor, [row, column])"),
    (bad_await, "unsupported Python syntax inside @kernel: ListComp\nhint: write a loop over range()"),
    (bad_lost, "NameError: 'x' has no value behind the loop of line"),
    (bad_branch, "hint: give it a value before; blocks do not leave a branch: store them inside, or choose elements by where()"),
    (bad_type, "TypeError: 'x' is index before line"),
    (bad_carried, "TypeError: the loop changes 's', which is a loaded block: begin with a computed one, as in zeros([1, 1]) + block"),
    (bad_swap, "TypeError: the loop gives another block to 's', which its next iteration reads"),
    (bad_core, "TypeError: core_index() takes a dimension of the grid: 0 or 1, got -1"),
    (bad_object, "TypeError: 'TABLE' is a dict outside of the kernel\nhint: kernels capture integers; pass what else they need as arguments"),
]


@pytest.mark.parametrize("kernel,message", REFUSED, ids=[k.__name__ for k, _ in REFUSED])
def test_refused(kernel, message):
    """With the line, the text and the cause; the graph is as before."""
    before = str(_Builder.get().module)
    a, out = d2m.empty(TILE), d2m.empty(TILE)
    graph = str(_Builder.get().module)
    with pytest.raises(d2m.D2mJitError) as caught:
        kernel(a, out, grid=(1, 1))
    error = caught.value
    assert message in str(error)
    first = kernel.fn.__code__.co_firstlineno
    assert first < error.line <= max(line for *_, line in kernel.fn.__code__.co_lines() if line) and error.file == __file__
    assert str(error).startswith(f"d2m_jit error at {__file__}:{error.line}:{error.col}\n") and "-->" in str(error)
    assert error.cause is error.__cause__
    assert str(_Builder.get().module) == graph != before


@d2m.kernel
def plain(a, out, n):
    remote_store(out, [0, 0], remote_load(a, [0, 0]))


def test_refused_calls():
    a, out, sem = d2m.empty(TILE), d2m.empty(TILE), d2m.global_semaphore(grid_shape=(2, 2))
    for arguments, options, message in [
        ((torch.zeros(32, 32), out, 1), {}, "argument 0 to kernel 'plain' has unsupported type Tensor"),
        ((a, 1, out), {}, "tensor arguments must precede scalars"),
        ((a, out), {}, "kernel 'plain' takes 3 arguments (a, out, n), got 2"),
        ((a, out, True), {}, "unsupported type bool"),
        ((a, out, 1), {"num_outs": 0}, "num_outs must be >= 1 (got 0)"),
        ((a, out, 1), {"num_outs": 3}, "kernel call has 2 tensor args; need at least 3 for outputs"),
        ((a, out, 1), {"kernel_io_in_dram": 1}, "kernel_io_in_dram must be a bool, got int"),
        ((a, out, 1), {"iterator_types": ["upwards"]}, "Upwards"),
        ((sem, sem, 1), {}, "the same GlobalSemaphore cannot be passed more than once"),
    ]:
        with pytest.raises((d2m.D2mJitError, KeyError)) as caught:
            plain(*arguments, grid=(1, 1), **options)
        assert message in str(caught.value)
    with pytest.raises(TypeError, match="grid"):
        plain(a, out, 1)


def test_kernels_without_text():
    names = {}
    exec("def unseen(a, out):\n    pass\n", names)  # noqa: S102: a function whose text is nowhere
    with pytest.raises(d2m.D2mJitError, match="the source of 'unseen' cannot be found"):
        d2m.kernel(names["unseen"])(d2m.empty(TILE), d2m.empty(TILE), grid=(1, 1))


# ---- the host ---------------------------------------------------------------------------------------------------


def test_layouts():
    layout = d2m.Layout(shape=[40, 70], dtype=torch.bfloat16, block_shape=(1, 3), mem_space="dram")
    assert layout.blocked_grid_shape == layout.grid_shape == [2, 1] and layout.dtype is d2m.bfloat16
    assert "block_shape=[1, 3]" in repr(layout) and layout.replace(tiled=False, block_shape=[40, 70]).grid_shape == [2, 1]
    for change, message in [
        ({"block_shape": [1, 2]}, "dimension 1 has 3 tiles, which blocks of 2 do not divide"),
        ({"block_shape": [1]}, "block_shape must have 2 numbers, one for each dimension of the shape"),
        ({"shape": [0, 3]}, "shape must have positive integers"), ({"dtype": "fp64"}, "unsupported data type 'fp64'"),
        ({"mem_space": "l2"}, "unsupported memory space 'l2': it is 'l1' or 'dram'"),
        ({"shape": [32], "block_shape": [1], "grid_shape": [1]}, "a tiled layout needs two dimensions"),
    ]:
        with pytest.raises((ValueError, TypeError), match=re.escape(message)):
            layout.replace(**change)


@pytest.mark.parametrize("backend", ["device", "sim"])
def test_tensors_of_the_host(backend):
    d2m.config.backend = backend
    x = torch.randn(64, 64)
    t = d2m.to_layout(x, FOUR)
    close(d2m.untilize(d2m.tilize(t, "bf16"), d2m.float32).to_host(), x, 1e-2)
    assert torch.equal(d2m.full(FOUR, 2.5).to_host(), torch.full((64, 64), 2.5))
    assert torch.equal(d2m.zeros(FOUR.replace(tiled=False, block_shape=[32, 32])).to_host(), torch.zeros(64, 64))
    close(d2m.arange(FOUR, 3, 2).to_host(), torch.arange(3, 3 + 2 * 4096, 2).reshape(64, 64))
    close(d2m.reshape(d2m.to_layout(x, FOUR), 128, -1).to_host(), x.reshape(128, 32))
    p = d2m.permute(d2m.to_layout(x, FOUR), 1, 0)
    for changed in (lambda: d2m.view(t, lambda i, j: (i, 0)), lambda: d2m.permute(t, 0), lambda: d2m.permute(t, 0, 0), lambda: p.to_host(),
                    lambda: d2m.view_layout(t, lambda i, j: (i, j)), lambda: d2m.reshape(t, 3, -1), lambda: d2m.reshape(t, -1, -1),
                    lambda: d2m.to_layout(x, TILE), lambda: d2m.to_host()):
        t = d2m.to_layout(x, FOUR)
        p = d2m.permute(t, 1, 0)
        with pytest.raises(ValueError):
            changed()
    for function in (d2m.tilize, d2m.untilize, d2m.reshape, d2m.to_host):
        with pytest.raises(TypeError, match="expected a (Lazy|Sim)Tensor, got Tensor"):
            function(x)
    d2m.config.backend = "neither"
    with pytest.raises(ValueError, match="config.backend must be 'device' or 'sim', got 'neither'"):
        d2m.empty(FOUR)


def test_views_with_arithmetic():
    x = torch.randn(64, 64)
    v = d2m.view_layout(d2m.to_layout(x, FOUR), lambda a, b, i, j: ((a + 1) % 2, b, i, j))
    close(d2m.to_layout(v, FOUR).to_host(), torch.cat([x[32:], x[:32]]))
    t = d2m.to_layout(x, FOUR)
    for function, message in [(lambda a, b, i, j: (a, b, i, 1), "an expression of its arguments or 0, got 1"),
                              (lambda a, b, i, j: (a * b, b, i, j), "'*' in a view's function needs an integer on its right"),
                              (lambda a, b, i, j: (a + 1.5, b, i, j), "computes with its arguments and integers, got 1.5"),
                              (lambda a, b, i, j: (a + 1, b, i), "affine-arithmetic remappings currently preserve source rank")]:
        with pytest.raises((ValueError, TypeError), match=re.escape(message)):
            d2m.view_layout(t, function)


def test_element_types_must_agree():
    with pytest.raises(TypeError, match=r"the tensor has torch.float64 and the layout Float32: convert with tensor.to\(torch.float32\)"):
        d2m.to_layout(torch.zeros(32, 32, dtype=torch.float64), TILE)


def test_spent_tensors():
    x = torch.randn(32, 32)
    t, left = d2m.to_layout(x, TILE), d2m.empty(TILE)
    close(t.to_host(), x)
    close(d2m.to_layout(t, TILE.replace(mem_space="dram")).to_host(), x)  # what to_host returned is used again
    with pytest.raises(RuntimeError, match="Stale LazyTensor"):
        left.to_host()


def test_semaphores_are_used_once():
    @d2m.kernel
    def waits(a, out, sem):
        remote_store(out, [0, 0], remote_load(a, [0, 0]))
        sem.wait(0)

    sem = d2m.global_semaphore(grid_shape=(2, 2))
    waits(d2m.empty(TILE), d2m.empty(TILE), sem, grid=(1, 1))
    with pytest.raises(RuntimeError, match="already been consumed"):
        waits(d2m.empty(TILE), d2m.empty(TILE), sem, grid=(1, 1))
    for options, message in [({"grid_shape": (0, 1)}, "must contain two positive integers"), ({"init": -1}, "must be a ui32 value")]:
        with pytest.raises(ValueError, match=message):
            d2m.global_semaphore(**options)


@d2m.kernel
def one(a, out):
    remote_store(out, [0, 0], exp(remote_load(a, [0, 0])))


def test_regions():
    x, y = torch.randn(32, 32), torch.randn(32, 32)
    a, b, c, d = d2m.to_layout(x, TILE), d2m.to_layout(y, TILE), d2m.empty(TILE), d2m.empty(TILE)
    d2m.spatial([a, b], [c, d], [((0, 0), (0, 0)), ((1, 1), (1, 1))], [lambda: one(a, c, grid=(1, 1)), lambda: one(b, d, grid=(1, 1))])
    found = d2m.to_host(c, d)
    close(found[0], x.exp(), 1e-2)
    close(found[1], y.exp(), 1e-2)


@pytest.mark.parametrize("ranges,build,message", [
    ([((0, 0), (0, 0))], lambda a, c: None, "must emit exactly one @d2m.kernel call"),
    ([((0, 0), (0, 0))], lambda a, c: one(a, c, grid=(2, 1)), "exceeds spatial region shape [1, 1]"),
    ([((0, 0), (0, 0))], lambda a, c: one(a, c, grid=(1, 1), kernel_io_in_dram=True), "kernel_io_in_dram is not currently supported"),
    ([((0, 0), (0, 0))], lambda a, c: one(a, d2m.empty(TILE), grid=(1, 1)), "outputs= must list the same tensors"),
    ([((1, 0), (1, 0))], lambda a, c: one(a, d2m.empty(TILE), grid=(1, 1)), "not listed in d2m.spatial(outputs=...)"),
    ([((0, 0), (0, 0))], lambda a, c: d2m.to_layout(torch.zeros(32, 32), TILE), "Cannot lift a host tensor"),
    ([((0, 0), (0, 0))], lambda a, c: d2m.spatial([a], [c], [], []), "nested d2m.spatial is not supported"),
    ([((0, 0), (0, 0))], lambda a, c: d2m.to_host(a), "to_host() requires the graph"),
    ([((1, 0), (0, 0))], lambda a, c: None, "must be greater than or equal to start"),
    ([(1, 2)], lambda a, c: None, "must be ((start_y, start_x), (end_y, end_x)) pairs, got (1, 2) at index 0"),
    ([], lambda a, c: None, "grid_ranges has 0 entries but region_builders has 1"),
])
def test_refused_regions(ranges, build, message):
    a, c = d2m.empty(TILE), d2m.empty(TILE)
    with pytest.raises((ValueError, RuntimeError), match=re.escape(message)):
        d2m.spatial([a], [c], ranges, [lambda: build(a, c)])
    one(a, c, grid=(1, 1))  # the graph can go on
    _emit_returns_and_finalise(_Builder.get(), [c])
    assert _Builder.get().module.operation.verify() and "d2m.spatial" not in str(_Builder.get().module)


def test_meshes():
    d2m.mesh((1, 2), topology=("linear", "ring"))
    d2m.mesh((1, 2), topology=("linear", "ring"))
    x, layout = torch.randn(32, 64), TILE
    t = d2m.mesh_shard(x, layout, [0, 1], [1, 2])
    gathered = d2m.mesh_gather(d2m.empty(layout), [0, 1], [1, 2])
    assert t.mesh.full_shape == gathered.mesh.full_shape == [32, 64]
    for refused in (lambda: d2m.mesh((2, 2)), lambda: d2m.mesh((1, 2), ("linear",)), lambda: d2m.mesh((0, 2)), lambda: d2m.mesh((2,)),
                    lambda: d2m.mesh_shard(x, layout, [0], [1, 2]), lambda: d2m.mesh_shard(x, layout, [0, 1], [2, 1]),
                    lambda: d2m.mesh_shard(x, layout, [0, 2], [1, 2]), lambda: d2m.mesh_shard(x[:, :33], layout, [0, 1], [1, 2]),
                    lambda: d2m.mesh_gather(d2m.empty(layout)), lambda: d2m.mesh_gather(t, [1, 0]), lambda: d2m.permute(t, 1, 0)):
        with pytest.raises((ValueError, RuntimeError)):
            refused()
    _emit_returns_and_finalise(_Builder.get(), [t, gathered])
    module = _Builder.get().module
    module.operation.verify()
    assert str(module).count("shard_to_full") == 2


# ---- rewrites ------------------------------------------------------------------------------------------------------


PATTERNS = '''
import torch
import d2m_jit as d2m

L = d2m.Layout(shape=(32, 32), dtype=d2m.float32, block_shape=[1, 1])

@d2m.kernel
def scaled(a, b, out, n):
    x = remote_load(a, [0, 0])
    for i in range(n):
        remote_store(out, [0, 0], exp(x) * remote_load(b, [0, 0]))

def small(op):
    if WHAT == "raise":
        raise ValueError("of the predicate")
    return WHAT != "none"

@d2m.pattern(root="ttir.exp", match=small)
def lower(op, rewriter):
    if WHAT == "nothing":
        return None
    ones = d2m.to_layout(torch.ones(32, 32), L)
    out = d2m.empty(L)
    scaled(d2m.to_layout(d2m.from_value(op.operands[0]), L), ones, out, 1, grid=(1, 1))
    return d2m.from_device(out)
'''
TTIR = """module { func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %r = "ttir.exp"(%x) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32> } }"""


@pytest.mark.parametrize("what", ["all", "none", "raise", "nothing"])
def test_rewrites(what, tmp_path):
    from d2m_jit._src.rewrite import _registered, apply_patterns_text

    (tmp_path / "patterns.py").write_text(f"WHAT = {what!r}\n" + PATTERNS)
    if what == "nothing":
        with pytest.raises(Exception, match="pattern 'lower' returned a NoneType"):
            apply_patterns_text(TTIR, [tmp_path / "patterns.py"])
        return
    text = apply_patterns_text(TTIR, [tmp_path / "patterns.py"])
    assert ("d2m.generic" in text) == (what == "all") == ("ttir.exp" not in text) and not _registered
    assert what != "all" or "additionalArgs" not in text and "arith.constant dense<1" in text


def test_refused_rewrites():
    with pytest.raises(TypeError, match="pattern root must be an operation's name or class, got 5"):
        d2m.pattern(root=5)
    with pytest.raises(TypeError, match="from_value expects an ir.Value, got int"):
        d2m.from_value(5)
    with ir.Context(), pytest.raises(TypeError, match="unsupported element type i8"):
        d2m.infer_layout(ir.RankedTensorType.get([2, 2], ir.IntegerType.get_signless(8)))


# ---- the simulator ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel,count,numbers", [(normalized, 1, ()), (products, 2, ()), (broadcasts, 1, ()), (renamed, 1, (2,))],
                         ids=["normalized", "products", "broadcasts", "renamed"])
def test_simulator_agrees(kernel, count, numbers):
    tensors = [torch.randn(32, 32) for _ in range(count)]
    device = run(kernel, *tensors, numbers=numbers)
    d2m.config.backend = "sim"
    close(device, run(kernel, *tensors, numbers=numbers), 1e-2)


def test_simulator_has_every_function():
    from d2m_jit._src.sim.ops import SIM_METHODS, SIM_OPS

    missing = {n for n in D2MCompiler.functions if not n.startswith(("!", "__"))} - set(SIM_OPS)
    assert not missing and set(SIM_METHODS) <= set(D2MCompiler.functions)


@pytest.mark.parametrize("dtype", [torch.int32])
def test_shifts_of_the_simulator(dtype):
    x, n = torch.tensor([-8, 7, -1], dtype=dtype), torch.tensor([1, 1, 31], dtype=dtype)
    assert reference("logical_right_shift")(x, n).tolist() == [2**31 - 4, 3, 1]
    assert reference("right_shift")(x, n).tolist() == [-4, 3, -1]


def test_simulator_needs_no_compiler():
    text = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("ttmlir", "_ttmlir_runtime"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
import d2m_jit.sim as d2m, torch
print(d2m.full(d2m.Layout((32, 32), d2m.float32, [1, 1]), 2).to_host().sum().item())
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=100)
    assert done.stdout.strip() == "2048.0", done.stderr


def test_refused_by_the_simulator():
    d2m.config.backend = "sim"
    a, out = d2m.empty(TILE), d2m.empty(TILE)
    for kernel, arguments, options, error in [
        (plain, (a, 1, out), {}, "must precede scalars"), (plain, (a, out, 1), {"num_outs": 0}, "num_outs"), (plain, (1, 2, 3), {}, "0 tensor args"),
        (plain, (a, out, 1), {"iterator_types": ["parallel"]}, "need the device"), (plain, (a, out, "x"), {}, "unsupported type str"),
        (bad_indices, (a, out), {}, "takes 2 indices"), (bad_block, (a, out), {}, "takes 1 blocks"), (bad_dim, (a, out), {}, "reduce dim must be"),
        (bad_bool, (a, out), {}, "expected integer literal"), (bad_method, (a, out), {}, "no method 'sigmoidd'"),
    ]:
        with pytest.raises((TypeError, ValueError, NotImplementedError, AttributeError), match=re.escape(error)):
            kernel(*arguments, grid=(1, 1), **options)
