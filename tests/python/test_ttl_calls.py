"""Calls of kernels: keywords, lists of tensors, captured tensors, objects that change, threads, and tensors that
cannot be written."""

import importlib
import sys
import threading
import warnings

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
from ttl_written import kernel_of  # noqa: E402


def copier(x_cb, x, outs):
    """The data movement threads that copy the first tile of x to each of some tensors."""

    @ttl.datamovement()
    def read():
        for o in outs:
            with x_cb.reserve() as b:
                ttl.copy(x[0, 0], b).wait()

    @ttl.datamovement()
    def write():
        for o in outs:
            with x_cb.wait() as b:
                ttl.copy(b, o[0, 0]).wait()


@ttl.kernel(grid=(1, 1))
def scaled(x, out, *, by=2, config=None, extra=()):
    x_cb, o_cb = ttl.make_circular_buffer_like(x, shape=(1, 1)), ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        with x_cb.wait() as b, o_cb.reserve() as o:
            o.store(b * by + sum(extra) + (0 if config is None else config.offset))

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as b:
            ttl.copy(x[0, 0], b).wait()

    @ttl.datamovement()
    def write():
        with o_cb.wait() as b:
            ttl.copy(b, out[0, 0]).wait()


def ones(value=1.0):
    return torch.full((32, 32), value)


def test_tensors_by_keyword():
    for value in (1.0, 5.0):
        for call in (lambda x, o: scaled(x, out=o), lambda x, o: scaled(out=o, x=x), lambda x, o: scaled(out=o, by=2, x=x)):
            out = torch.zeros(32, 32)
            call(ones(value), out)
            assert (out == 2 * value).all()


def test_tensors_by_keyword_only():
    @ttl.kernel(grid=(1, 1))
    def kernel(*, source, a, b):
        copier(ttl.make_circular_buffer_like(source, shape=(1, 1)), source, [a, b])

    for value in (1.0, 2.0):
        a, b = torch.zeros(32, 32), torch.zeros(32, 32)
        kernel(b=b, source=ones(value), a=a)
        kernel(a=a, b=b, source=ones(value))
        assert (a == value).all() and (b == value).all()


def test_wrong_keywords_are_reported_at_the_kernel():
    for arguments, message in (({"x": ones(), "y": 1}, "unexpected keyword argument 'y'"), ({"x": ones()}, "argument: 'out'")):
        with pytest.raises(TypeError) as caught:
            scaled(**arguments)
        assert message in str(caught.value) and "@ttl.kernel(grid=(1, 1))" in str(caught.value)


def test_lists_of_tensors_are_written():
    @ttl.kernel(grid=(1, 1))
    def kernel(x, outs):
        copier(ttl.make_circular_buffer_like(x, shape=(1, 1)), x, outs)

    outs = [torch.zeros(32, 32) for _ in range(3)]
    for value in (1.0, 2.0):
        kernel(ones(value), outs)
        assert all((o == value).all() for o in outs)


def test_a_tensor_of_the_closure_is_written():
    out = torch.zeros(32, 32)

    @ttl.kernel(grid=(1, 1))
    def kernel(x):
        copier(ttl.make_circular_buffer_like(x, shape=(1, 1)), x, [out])

    for value in (1.0, 2.0):
        kernel(ones(value))
        assert (out == value).all()


class Config:
    def __init__(self, offset):
        self.offset = offset


def test_objects_and_lists_that_change_compile_again():
    out, config, extra = torch.zeros(32, 32), Config(1), [1, 2]

    def call():
        scaled(ones(), out, config=config, extra=extra)
        return out[0, 0].item()

    assert call() == 6
    config.offset = 2
    assert call() == 7
    extra.append(3)
    assert call() == 10
    assert [scaled(ones(), out, extra=[i]) or out[0, 0].item() for i in range(4)] == [2, 3, 4, 5]


EDITED = """{above}import ttl
from edited_helper import helper
@ttl.kernel(grid=(1, 1))
def kernel(x, out):
    x_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, out))
    @ttl.datamovement()
    def read():
        with x_cb.reserve() as block:
            ttl.copy(x[0, 0], block).wait()
    @ttl.compute()
    def compute():
        with x_cb.wait() as block, out_cb.reserve() as result:
            result.store(helper(block) * {factor})
    @ttl.datamovement()
    def write():
        with out_cb.wait() as block:
            ttl.copy(block, out[0, 0]).wait()
"""


def test_files_that_are_edited_and_loaded_again(tmp_path, monkeypatch):
    """A kernel belongs to the text that was loaded, whatever its file contains now."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(factor, above="", plus=0):
        (tmp_path / "edited.py").write_text(EDITED.format(above=above, factor=factor))
        (tmp_path / "edited_helper.py").write_text(f"def helper(block):\n    return block + {plus}\n")
        importlib.invalidate_caches()

    def result(kernel):
        out = torch.zeros(32, 32)
        kernel(torch.ones(32, 32), out)
        return out[0, 0].item()

    write(2)
    edited, helper = importlib.import_module("edited"), importlib.import_module("edited_helper")
    try:
        first = edited.kernel
        write(33)
        assert result(first) == 2  # not compiled before the file was edited
        importlib.reload(edited)
        second = edited.kernel
        assert [result(k) for k in (second, first)] == [33, 2]
        write(444, "# a line\n", plus=1)
        importlib.reload(helper)
        importlib.reload(edited)
        assert [result(k) for k in (edited.kernel, second)] == [888, 66]  # globals are the module's own, as always in Python
        (tmp_path / "edited.py").write_text("def (")
        second.cache.clear()
        assert result(second) == 66
        (tmp_path / "edited.py").unlink()
        first.cache.clear()
        assert [result(k) for k in (first, edited.kernel)] == [4, 888]
    finally:
        del sys.modules["edited"], sys.modules["edited_helper"]


@pytest.mark.parametrize("kind", ["torch", "numpy", "bf16", "strided"])
def test_arrays_reuse_the_memory_of_one(kind):
    """Each call sees its own values, and zeros beyond their edge, which the former call has written."""
    @ttl.kernel(grid=(1, 1))
    def kernel(x, total):
        x_cb, out_cb, total_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, x, total))

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as block:
                ttl.copy(x[0, 0], block).wait()

        @ttl.compute()
        def compute():
            with x_cb.wait() as block, out_cb.reserve() as result, total_cb.reserve() as sums:
                sums.store(ttl.math.reduce_sum(block, dims=[1]))
                result.store(block + 1)

        @ttl.datamovement()
        def write():
            with out_cb.wait() as block, total_cb.wait() as sums:
                ttl.copy(block, x[0, 0]).wait()
                ttl.copy(sums, total[0, 0]).wait()

    for number in (1.0, 3.0, 2.0):
        x, total = torch.full((20, 20), number), torch.zeros(20, 1)
        if kind == "bf16":
            x, total = x.bfloat16(), total.bfloat16()
        elif kind == "numpy":
            x, total = x.numpy(), total.numpy()
        elif kind == "strided":
            x = torch.full((40, 40), number)[::2, ::2]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sums over padding
            kernel(x, total)
        assert (x == number + 1).all() and (total == 20 * number).all()


def test_many_threads_call_one_kernel_and_their_own():
    wrong = []

    def work(number):
        try:
            @ttl.kernel(grid=(1, 1))
            def own(x, out):
                copier(ttl.make_circular_buffer_like(x, shape=(1, 1)), x, [out])

            for i in range(20):
                x, out, copy = ones(float(number * i)), torch.zeros(32, 32), torch.zeros(32, 32)
                scaled(x, out)
                own(x, copy)
                if (out != 2 * x).any() or (copy != x).any():
                    wrong.append((number, i))
        except Exception as error:  # noqa: BLE001: reports below
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("out, message", [
    (lambda: torch.zeros(32, 32, requires_grad=True), "requires grad: kernels are not differentiated, give them tensor.detach()"),
    (lambda: torch.zeros(1, 32).expand(32, 32), "is expanded, several elements sharing memory"),
    (lambda: torch.zeros(0, 32), "not all in the tensor, which has 0"),
    (lambda: torch.zeros(32, 32, device="meta"), "a tensor on the device meta has no values"),
    (lambda: torch.zeros(32, 32).to_sparse(), "of layout torch.sparse_coo is not dense: use to_dense()"),
])
def test_tensors_that_cannot_be_written(out, message):
    with pytest.raises((ValueError, ttl.TTLangCompileError)) as caught:
        scaled(ones(), out())
    assert message in str(caught.value)


@pytest.mark.parametrize("folder", ["/grün, 7 \"Zoll\"/", "/back\\slash\t/", "/日本/"], ids=ascii)
def test_names_of_files_and_texts_that_are_not_ascii(folder, capfd):
    body = """
for _ in range({times}):
    with a_cb.wait() as x, out_cb.reserve() as o:
        ttl.signpost("fällig")
        print("größer: 日", 7)
        o.store(x * 2)
"""
    a, out = torch.ones(32, 32), torch.zeros(32, 32)
    kernel_of(body.format(times=1), folder=folder)(a, out)
    assert (out == 2).all() and "größer: 日 7" in capfd.readouterr().out
    with pytest.raises(RuntimeError, match="deadlock") as caught:
        kernel_of(body.format(times=2), folder=folder)(a, out)
    assert folder in str(caught.value)


def test_a_read_only_array():
    import numpy as np

    x, out = np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32)
    x.flags.writeable = False
    scaled(x, out)
    assert (out == 2).all()
    out.flags.writeable = False
    with pytest.raises(ValueError, match="is read-only: give the kernel array.copy()"):
        scaled(x, out)


@pytest.mark.parametrize("x", [
    lambda: torch.rand(32, 64).t()[:32], lambda: torch.rand(32, 32, requires_grad=True), lambda: torch.rand(1, 32).expand(32, 32),
    lambda: torch.rand(100, 100)[5:37, 40:72], lambda: torch.full((32, 32), float("nan")),
])
def test_tensors_as_they_lie(x):
    x, out = x(), torch.zeros(40, 80).t()[8:40, 4:36]
    scaled(x, out)
    assert torch.allclose(out, (x * 2).detach(), equal_nan=True)


def test_arrays_in_the_other_byte_order():
    import numpy as np

    x, out = np.arange(1024, dtype=">f4").reshape(32, 32), np.zeros((32, 32), ">f4")
    scaled(x, out)
    assert (out == x * 2).all() and out.dtype == np.dtype(">f4")


def test_subclasses_of_arrays(tmp_path):
    import numpy as np

    x = np.memmap(tmp_path / "x", np.float32, "w+", shape=(32, 32))
    x[...] = np.arange(1024).reshape(32, 32)
    for kind in (lambda a: a, lambda a: a.view(np.recarray)):
        out = kind(np.zeros((32, 32), np.float32))
        scaled(x, out)
        assert (out == x * 2).all()
    scaled(x, x)
    assert np.fromfile(tmp_path / "x", np.float32)[5] == 10
    with pytest.raises(ValueError, match="a masked array hides some of its elements"):
        scaled(np.ma.masked_array(x), out)


def test_errors_of_the_body_keep_their_location():
    """Exceptions of the body's own code pass unchanged; errors found in a call of ours show the body's line."""
    import json
    import traceback

    def helper(text):
        return json.loads(text)

    @ttl.kernel(grid=(1, 1))
    def own(x):
        helper("{")

    with pytest.raises(json.JSONDecodeError) as caught:
        own(ones())
    assert "in helper" in "".join(traceback.format_tb(caught.value.__traceback__))

    @ttl.kernel(grid=(1, 1))
    def ours(x):
        ttl.make_circular_buffer_like(x, shape=(0, 1))

    with pytest.raises(ValueError) as caught:
        ours(ones())
    first, *rest = str(caught.value).splitlines()
    assert first == "shape must hold positive integers (tiles), got (0, 1)" and "ttl.make_circular_buffer_like" in rest[2]


def test_names_of_later_versions():
    """operation for kernel, node for core, block_count for buffer_factor, "full" for "auto"."""
    @ttl.operation(grid="full")
    def scaled(x, out):
        a, b = (ttl.make_dataflow_buffer_like(t, shape=(1, 1), block_count=2) for t in (x, out))

        @ttl.compute()
        def compute():
            with a.wait() as block, b.reserve() as result:
                result.store(block * 2)

        @ttl.datamovement()
        def read():
            column, row = ttl.node(dims=2)
            with a.reserve() as block:
                ttl.copy(x[row, column], block).wait()

        @ttl.datamovement()
        def write():
            column, row = ttl.node(dims=2)
            with b.wait() as block:
                ttl.copy(block, out[row, column]).wait()

    x, out = torch.rand(256, 256), torch.zeros(256, 256)
    scaled(x, out)
    torch.testing.assert_close(out, x * 2, rtol=1e-6, atol=0)


def test_tensors_of_two_devices():
    import ttnn

    devices = [ttnn.open_device(device_id=0) for _ in range(2)]
    x, out = (ttnn.from_torch(ones(), layout=ttnn.TILE_LAYOUT, device=device) for device in devices)
    with pytest.raises(ValueError, match=r"argument 0 lies on Device\(0: .*, argument 1 on Device\(0: .*, which is another one"):
        scaled(x, out)
    for device in devices:
        ttnn.close_device(device)


def test_buffers_of_one_line_have_their_names():
    names = []

    @ttl.kernel(grid=(1, 1))
    def kernel(x):
        a = ttl.CircularBuffer(x, shape=(1, 1)); b = ttl.make_circular_buffer_like(x, shape=(1, 1))  # noqa: E702
        c = ttl.CircularBuffer(x, shape=(1, 1), name="given"); d, e = [ttl.CircularBuffer(x, shape=(1, 1)) for _ in "de"]  # noqa: E702
        names.extend(buffer.name for buffer in (a, b, c, d, e))

        @ttl.datamovement()
        def nothing():
            pass

    kernel(torch.zeros(32, 32))
    wanted = ["a", "b", "given", None, None]
    assert names == wanted if sys.version_info >= (3, 11) else names[2:] == wanted[2:]
