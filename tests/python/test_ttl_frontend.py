"""The TTL front end: Python to the TTL dialect, and its errors."""

import re

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttnn  # noqa: E402

TILES = 2


def tensor(rows=64, columns=64, dtype=torch.bfloat16):
    return torch.zeros(rows, columns, dtype=dtype)


def move(body, grid=(2, 2), shape=(1, 1), **tensors):
    """A kernel with one data movement thread, whose body is `body(buffer, tensor)`."""

    @ttl.kernel(grid=grid)
    def kernel(a, out):
        cb = ttl.make_circular_buffer_like(a, shape=shape, buffer_factor=2)
        body(cb, a)

    return kernel.ir(tensors.get("a", tensor()), tensors.get("out", tensor()))


def compute(body, shape=(1, 1)):
    """A kernel with one compute thread, of two inputs and an output."""

    @ttl.kernel(grid=(1, 1))
    def kernel(a, b, out):
        a_cb = ttl.make_circular_buffer_like(a, shape=shape, buffer_factor=2)
        b_cb = ttl.make_circular_buffer_like(b, shape=shape, buffer_factor=2)
        out_cb = ttl.make_circular_buffer_like(out, shape=shape, buffer_factor=2)
        body(a_cb, b_cb, out_cb)

    return kernel.ir(tensor(), tensor(), tensor())


def line_of(text):
    """The number of the line of this file that ends with a comment."""
    with open(__file__) as file:
        found = [i for i, line in enumerate(file, 1) if line.rstrip().endswith(f"# {text}")]
    assert len(found) == 1, text
    return found[0]


# ---- output -----------------------------------------------------------------------------------


def test_operations_in_order_with_locations():
    def body(a_cb, b_cb, out_cb):
        @ttl.compute()
        def work():
            with a_cb.wait() as x, b_cb.wait() as y, out_cb.reserve() as o:
                o.store(ttl.math.exp(x) * y - x)

    text = compute(body)
    ops = re.findall(r"ttl\.(\w+)", text[text.index("func.func"):])
    assert [o for o in ops if o not in ("cb", "kernel_thread", "base_cta_index", "crta_indices")] == [
        "bind_cb", "bind_cb", "bind_cb", "cb_wait", "attach_cb", "cb_wait", "attach_cb", "cb_reserve", "attach_cb", "exp",
        "mul", "sub", "attach_cb", "cb_push", "cb_pop", "cb_pop"]


def test_common_parts_of_an_expression_are_computed_once():
    def body(a_cb, b_cb, out_cb):
        @ttl.compute()
        def work():
            with a_cb.wait() as x, out_cb.reserve() as o:
                e = ttl.exp(x)
                o.store(e * e)

    assert compute(body).count("ttl.exp") == 1


def test_helpers_are_inlined_and_known_things_computed():
    def half(n):
        if n > 1:
            return n // 2
        return n

    def body(cb, a):
        @ttl.datamovement()
        def work():
            x, y = ttl.core(dims=2)
            row = half(x) + half(8)
            with cb.reserve() as block:
                ttl.copy(a[row, min(y, 1)], block).wait()

    text = move(body)
    assert "scf.if" in text and "arith.minsi" in text and "arith.constant 4" in text


def test_loops_carry_numbers_and_branches_join_them():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            x = ttl.core(dims=1)
            total = 0
            for i in range(4):
                if i > x:
                    total += i
            with cb.reserve() as block:
                ttl.copy(a[total % 2, 0], block).wait()

    text = move(body)
    assert re.search(r"scf\.for .* iter_args\(.*\) -> \(index\)", text) and re.search(r"= scf\.if .* -> \(index\)", text)


def test_early_return_and_continue_put_the_rest_into_the_other_way():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            if ttl.core(dims=1) == 3:
                return
            for i in range(4):
                if i == 2:
                    continue
                with cb.reserve() as block:
                    ttl.copy(a[0, 0], block).wait()

    text = move(body)
    assert text.count("scf.if") == 2 and text.index("scf.if") < text.index("scf.for")


def test_known_conditions_and_lists_leave_no_control_flow():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            for row, column in [(0, 1), (1, 0)]:
                if row < column or a.shape[0] == 1:
                    with cb.reserve() as block:
                        ttl.copy(a[row, column], block).wait()

    text = move(body)
    assert "scf" not in text and text.count("ttl.copy") == 1


@pytest.mark.parametrize("grid, dims, expected", [((2, 3), 1, 1), ((4,), 1, 0), ((2, 2, 2), 3, 2), ((2, 3), 3, 0)])
def test_cores_of_any_rank(grid, dims, expected):
    def body(cb, a):
        @ttl.datamovement()
        def work():
            at = ttl.core(dims=dims)
            at = at if dims > 1 else (at, 0)
            with cb.reserve() as block:
                ttl.copy(a[at[0], at[-1]], block).wait()

    text = move(body, grid=grid)
    assert text.count("arith.remsi") == expected if len(grid) != 2 else text.count("arith.muli") == expected


def test_cores_and_sizes_agree_in_fewer_dimensions():
    """Every core of a grid of three dimensions writes its index at (row, column) of a grid of two."""
    out = torch.zeros(32 * 2, 32 * 12, dtype=torch.float32)

    @ttl.kernel(grid=(2, 3, 4))
    def kernel(x, out):
        cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def read():
            rows, columns = ttl.grid_size(dims=2)
            assert (rows, columns) == (2, 12)
            with cb.reserve() as block:
                ttl.copy(x[0, 0], block).wait()

        @ttl.datamovement()
        def write():
            row, column = ttl.core(dims=2)
            with cb.wait() as block:
                ttl.copy(block, out[row, column]).wait()

    kernel(torch.ones(32, 32), out)
    assert (out == 1).all()


def test_attributes_of_functions():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            with cb.wait() as block:
                ttl.copy(block, a[0, 0]).wait()

    text = move(body)
    assert "ttl.base_cta_index = 1 : i32, ttl.crta_indices = [0 : i32], ttl.kernel_thread = #ttkernel.thread<noc>" in text


def test_both_ways_to_import():
    from ttlang import ttl as other

    assert other is ttl


# ---- errors -----------------------------------------------------------------------------------------


def refused_move(statement, message, marker):
    with pytest.raises(ttl.TTLangCompileError) as caught:
        move(statement)
    text = str(caught.value)
    assert re.search(message, text), text
    assert re.search(rf"--> .*test_ttl_frontend\.py:{line_of(marker)}:\d+\n", text), text
    shown, caret = [line for line in text.splitlines() if " | " in line][:2]
    assert shown.endswith(f"# {marker}") and caret.rstrip().endswith("^")
    return text


def test_unknown_name():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            tensr = 1
            ttl.copy(a[tensor_row, 0], cb)  # unknown name

        tensor_rows = 2
        assert tensor_rows

    refused_move(body, "name 'tensor_row' is not defined", "unknown name")


def test_while_and_break():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            while True:  # a while loop
                pass

    assert "use 'for' with range()" in refused_move(body, "a loop of more than 4096 iterations", "a while loop")


def test_copy_needs_a_block():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            ttl.copy(a[0, 0], a[0, 1])  # no block

    refused_move(body, r"copy\(\) with tensor subscript dst requires block src", "no block")


def test_tile_out_of_range():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            with cb.reserve() as block:
                ttl.copy(a[0, 2], block).wait()  # third column

    refused_move(body, "columns 2 to 2 of tiles are not all in the tensor, which has 2", "third column")


def test_store_while_a_copy_comes():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            with cb.reserve() as block:
                tx = ttl.copy(a[0, 0], block)
                block.store(block)  # too early
                tx.wait()

    refused_move(body, "Block is locked as copy destination until tx.wait", "too early")


def test_wrong_extent():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            with cb.reserve() as block:
                ttl.copy(a[0:2, 0:1], block).wait()  # two rows

    refused_move(body, r"copy\(\) of 2 rows of tiles and a block of 1", "two rows")


def test_value_from_one_way_only():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            if ttl.core(dims=1) > 0:
                row = 1
            ttl.copy(a[row, 0], cb.reserve()).wait()  # maybe no row

    refused_move(body, "'row' has a value on one way through the 'if'", "maybe no row")


def test_second_wait_on_an_open_block():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            cb.wait()
            cb.wait()  # again

    refused_move(body, r"wait\(\) on 'cb' whose block is still open", "again")


def test_float_as_number():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            x = ttl.core(dims=1) * 0.5  # a half
            assert x

    refused_move(body, r"'\*' needs integers, not 0.5", "a half")


def test_computing_in_a_data_movement_thread():
    def body(cb, a):
        @ttl.datamovement()
        def work():
            x = cb.wait()
            x + x  # a sum

    refused_move(body, "add computes, and this is a data movement thread", "a sum")


def test_division_and_recursion():
    def again(n):
        return again(n + 1)  # for ever

    def body(cb, a):
        @ttl.datamovement()
        def work():
            again(ttl.core(dims=1))

    refused_move(body, "recursion is not supported", "for ever")


def test_shapes_that_differ():
    @ttl.kernel(grid=(1, 1))
    def kernel(a, out):
        narrow = ttl.make_circular_buffer_like(a, shape=(2, 1))
        wide = ttl.make_circular_buffer_like(a, shape=(2, 2))
        out_cb = ttl.make_circular_buffer_like(out, shape=(2, 2))

        @ttl.compute()
        def work():
            with narrow.wait() as n, wide.wait() as w, out_cb.reserve() as o:
                o.store(w + n)

    with pytest.raises(ttl.TTLangCompileError, match=r"shape mismatch between \(2, 2\) bf16 tensor and \(2, 1\) bf16 tensor; "
                                                    r"note: you can use ttl.math.broadcast\(\)"):
        kernel.ir(tensor(), tensor())


def test_kernels_without_threads_and_with_too_many():
    @ttl.kernel(grid=(1, 1))
    def empty(a):
        pass

    with pytest.raises(ValueError, match="No threads found"):
        empty.ir(tensor())

    @ttl.kernel(grid=(1, 1))
    def crowd(a):
        for _ in range(3):
            @ttl.datamovement()
            def work():
                pass

    with pytest.raises(ValueError, match="one compute thread and two data movement threads"):
        crowd.ir(tensor())


@pytest.mark.parametrize("arguments, message", [
    (dict(shape=()), "shape must hold positive integers"),
    (dict(shape="1"), "shape must hold positive integers"),
    (dict(shape=(1, 0)), "positive integers"),
    (dict(shape=(1, 1), buffer_factor=33), r"buffer_factor must be in range \[1, 32\]"),
    (dict(shape=(1, 1), buffer_factor=0), r"buffer_factor must be in range \[1, 32\]"),
])
def test_buffers_that_cannot_be(arguments, message):
    with pytest.raises(ValueError, match=message):
        ttl.make_circular_buffer_like(tensor(), **arguments)


def test_decorator_arguments():
    with pytest.raises(ValueError, match="Invalid memory_space: 'INVALID'. Must be one of:"):
        ttl.kernel(grid=(1, 1), memory_space="INVALID")
    with pytest.raises(ValueError, match="num_outs must be 1"):
        ttl.kernel(grid=(1, 1), num_outs=2)


def test_grid_larger_than_any_device():
    @ttl.kernel(grid=(40, 40))
    def kernel(a):
        @ttl.datamovement()
        def work():
            pass

    with pytest.raises(ValueError, match=r"Kernel grid \(40, 40\) exceeds device compute grid"):
        kernel.ir(tensor())


def test_tensors_that_kernels_do_not_take(monkeypatch):
    def body(cb, a):
        @ttl.datamovement()
        def work():
            pass

    with pytest.raises(ValueError, match="a tensor without dimensions has no tiles"):
        move(body, a=torch.zeros(()))
    with pytest.raises(TypeError, match="no tile holds elements of torch.complex64"):
        move(body, a=torch.zeros(32, 32, dtype=torch.complex64))
    monkeypatch.setenv("TTLANG_COMPAT", "1")  # otherwise they are lent as tiles
    with pytest.raises(ValueError, match="Only tiled tensors supported"):
        device = ttnn.open_device(device_id=0)
        move(body, a=ttnn.from_torch(torch.zeros(32, 32), layout=ttnn.ROW_MAJOR_LAYOUT, device=device))


# ---- C++ for the hardware ------------------------------------------------------------------------


@pytest.fixture()
def negate():
    @ttl.kernel(grid=(1, 1))
    def kernel(a, out):
        a_cb = ttl.make_circular_buffer_like(a, shape=(1, 1))
        out_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))

        @ttl.compute()
        def work():
            with a_cb.wait() as x, out_cb.reserve() as o:
                o.store(-x)

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as b:
                ttl.copy(a[0, 0], b).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as b:
                ttl.copy(b, out[0, 0]).wait()

    return kernel


def test_kernels_as_cpp(negate):
    text = negate.ir(tensor(), tensor(), level="cpp")
    assert [text.index(f"// {name}\n") for name in ("work", "read", "write")] == sorted(
        text.index(f"// {name}\n") for name in ("work", "read", "write"))
    assert text.count("void kernel_main()") == 3 and "negative_tile(" in text and "noc_async_read_tile(" in text
    with pytest.raises(ValueError, match="no level 'c'"):
        negate.ir(tensor(), tensor(), level="c")


def test_compiling_only_writes_the_kernels(negate, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("TTLANG_COMPILE_ONLY", "1")
    monkeypatch.setenv("TTLANG_FINAL_MLIR", str(tmp_path / "final.mlir"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    out = tensor()
    negate(tensor() + 1, out)
    shown = capsys.readouterr().out
    path = re.search(r"=== work kernel written to (\S+) ===\n// work\n", shown)[1]
    with open(path) as file:
        assert file.read() in shown
    assert (out == 0).all() and "ttkernel.negative_tile" in (tmp_path / "final.mlir").read_text()
