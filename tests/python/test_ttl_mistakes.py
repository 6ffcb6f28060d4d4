"""Kernels that are wrong in Python: each message says what, where, and what to do."""

import importlib.util
import textwrap

import pytest
import torch

FRAME = '''import torch
import ttl

def again(b):
    return again(b) + 1

SEEN, NAMED = [], {{}}

@ttl.kernel(grid=(1, 1))
def k(x, out):
    x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    o_cb = ttl.make_circular_buffer_like(out, shape=(1, 1))
{body}

    @ttl.compute()
    def compute():
        with x_cb.wait() as b, o_cb.reserve() as o:
{compute}

    @ttl.datamovement()
    def read():
        with x_cb.reserve() as b:
{read}

    @ttl.datamovement()
    def write():
        with o_cb.wait() as b:
            ttl.copy(b, out[0, 0]).wait()
'''
READ = "ttl.copy(x[0, 0], b).wait()"

COMPUTE = [  # what stands where the block is computed; what is said; what to do; the marked text
    ("o.store(bb)", "name 'bb' is not defined", None, "bb"),
    ("o.store(ttl.math.expp(b))", "module 'ttl.math' has no attribute 'expp'", "did you mean 'exp'?", "ttl.math"),
    ("o.store(ttl.math.exp(b, b))", "exp() takes 1 block, got 2", None, "ttl.math"),
    ("o.store(ttl.math.exp(b, fast=True))", "exp() takes no argument 'fast'", None, "ttl.math"),
    ("o.store(b + 'a')", "add needs blocks, not 'a'", None, "b + 'a'"),
    ("o.store(b @ b, 3, 4)", "store() takes", None, "o.store"),
    ("b + 1", "the result of this expression goes nowhere", "store it: block.store(expression)", "b + 1"),
    ("while True: pass", "a loop of more than 4096 rounds would be unrolled", "use 'for' with range()", "while"),
    ("n = ttl.core(dims=2)[0]\nwhile n > 0: n -= 1", "'while' on what is known only when the kernel runs",
     "use 'for' with range()", "while"),
    ("for i in [1, 2]:\n    if ttl.core(dims=2)[0] == i: break", "'break' that depends on what the kernel finds out",
     "put an 'if' around the rest", "break"),
    ("raise ValueError('x')", "ValueError: x", "raised when the kernel is compiled", "raise"),
    ("if ttl.core(dims=2)[0] > 1: raise ValueError('x')", "'raise' statements are not supported", "assert in the kernel's body", "raise"),
    ("o.store(b if ttl.core(dims=2)[0] > 1 else b + 1)", "is known only when the kernel runs", "an 'if' with a store() on each way", "b if"),
    ("o.store(b + ttl.core(dims=2)[0])", "add needs blocks, not an integer", "loop over list(range(...))", "b + "),
    ("assert b", "a block (1, 1) f32 is neither true nor false", None, "b"),
    ("from . import math", "this form of 'import' is not supported", "import at the top of the file", "from"),
    ("class A: pass", "'class' statements are not supported", "define classes outside the kernel", "class"),
    ("global N; N = 4", "'N' is the host's, which threads only read", "threads share nothing", "N = 4"),
    ("del ttl", "only the thread's own names can be deleted", "what the host holds stays", "ttl"),
    ("n = 3; del n; n + 1", "name 'n' is not defined", None, "n + 1"),
    ("import no_such_module", "No module named 'no_such_module'", None, "import"),
    ("o.store(ttl.math.typecast(b, 'f64'))", "no tile holds elements of f64", None, "ttl.math"),
    ("o.store({b for i in range(1)})", "sets hold what is known when the kernel is compiled", "use a tuple or a list", "{b"),
    ("if b > 0: o.store(b)", "cannot be compared: a kernel does not branch on what tiles hold", "compute both ways", "b > 0"),
    ("for i in range(2.5): pass", "range() needs integers, not 2.5", None, "2.5"),
    ("for i in list(range(10**6)): pass", "a loop over 1000000 items would be unrolled", "loop over range(...)", "list"),
    ("n = 3 // 0", "ZeroDivisionError", None, "3 // 0"),
    ("o.store(again(b))", "calls are nested too deeply; recursion is not supported", None, None),
    ("o.store(torch.exp(b))", "'exp' cannot be called with what is known only when the kernel runs", "use ttl.math.exp()",
     "torch.exp"),
    ("k(x, out)", "a kernel is called on the host, not in a thread", "call it after this one", "k(x"),
    ("write()", "a thread is not called", "make it a plain function", "write()"),
    ("o.store(ttl.math.broadcast(b, dims=[2]))", "Invalid dims: [2]. Must be [0], [1], or [0, 1]", None, "ttl.math"),
    ("o.store(ttl.math.broadcast(b, dims=[ttl.core(dims=2)[0]]))", "dims must be known when the kernel is compiled", None,
     "ttl.math"),
    ("o.store(ttl.reduce_sum(b, dims=[ttl.core(dims=2)[0]]))", "dims must be known when the kernel is compiled", None, "ttl."),
    ("c, r, z = ttl.core(dims=2)", "Cannot unpack 2 values into 3 variables", None, "c, r"),
    ("o[0] = b", "blocks and tensors cannot be assigned to by parts", "use block.store(expression)", "o[0]"),
    ("ttl.copy(b, out[0, 0]).wait()", "copy() moves data, and this is the compute thread", "@ttl.datamovement()", "ttl.copy"),
    ("async def f(): pass", "'async def' statements are not supported", "leave out 'async'", "async"),
    ("yield b", "'yield' is not supported", "they yield at wait() and reserve()", "yield"),
    ("try:\n    o.store(b)\nexcept OSError:\n    pass", "'try' statements are not supported", "reports come from the device", "try"),
    ("match [1]:\n    case [1]: o.store(b)", "patterns in threads are values", "take tuples apart before", "[1]: o"),
    ("print(f'{b}')", "print() of a block", "print integers and text", "print"),
    ("for i in range(3): break", "'break' inside a loop is not supported", "give range() the right end", "break"),
    ("o.store(b // 2)", "'//' of blocks is not supported", "ttl.math.floor(a / b)", "b //"),
    ("o.store(b % 2)", "'%' of blocks is not supported", "ttl.math.floor(a / b)", "b %"),
    ("o.store(b << 1)", "'<<' of blocks is not supported", "there are + - * / ** @", "b <<"),
    ("o.store(not b)", "has no truth value", None, "not b"),
    ("o.store(b and b)", "is neither true nor false", None, "b and"),
    ("o.store(b[0])", "blocks cannot be indexed", "ttl.copy()", "b[0]"),
    ("o.store(b.T)", "has no attribute 'T'", "use ttl.transpose(block)", "b.T"),
    ("o.stroe(b)", "has no attribute 'stroe'", "did you mean 'store'?", "o.stroe"),
    ("o.store(sum([b, 'a']))", "add needs blocks, not 'a'", None, "sum"),
    ("o.store(sum([]))", "not 0", "block * 0 + number", "o.store"),
    ("o.store(x)", "not a Tensor", "ttl.copy(tensor[row, column], block)", "o.store"),
    ("o.store(3)", "not 3", "block * 0 + number", "o.store"),
    ("o.store()", "store() lacks the argument 'expression'", None, "o.store"),
    ("o.store(b ** 0.3)", "to the power of 0.3 is not supported", "powers are positive integers", "b **"),
    ("b.store(o)", "that wait() gave: it is there to be read", "reserve() a block", "b.store"),
    ("y = x_cb.wait()", "whose block is still open", "comes first: pop() it", "x_cb.wait"),
    ("items = []\nitems.append(b)", "'append' cannot be called", "[a, b]", "items.append"),
    ("SEEN.append(2)", "'append' changes a list of the host", "change it in the kernel's body", "SEEN"),
    ("NAMED['a'] = 2", "a dict cannot be changed in a thread", "fill it in the kernel's body", "NAMED"),
    ("a, c, *d, e = [b, b]", "Cannot unpack 2 values into 4 variables", None, "a, c"),
    ("o.store(ttl.transpose(ttl.math.broadcast(b, dims=[0])))", "transpose input must come directly from a circular buffer",
     "store the result in a circular buffer", "ttl.transpose"),
    ("o.store(ttl.math.broadcast(b))", "broadcast() lacks the argument 'dims'", None, "ttl.math"),
    ("o.store(b + 1)\no.store(b + 2)", "got what it holds on line", "acc=True) adds to it", "o.store(b + 2"),
    ("o.store(o * 2)", "that reserve() gave is read", "give the expression a name", "o.store"),
    ("pass", "that holds nothing: nothing was stored in what line", "block.store(expression) before", "o_cb.reserve"),
    ("p = None\nfor i in range(2):\n    n = 1 if p is None else 2\n    p = n", "'p' is None in the first round of the loop",
     "give it a value before", "p is None"),
    ("s = 1.0\nfor i in range(2):\n    s = s * 2", "'s' is 1.0 in the first round of the loop", None, "s * 2"),
    ("for i in range(b): pass", "range() needs integers, not a block", None, "b)"),
    ("for i in range(0, 4, 0): pass", "must not be zero", None, "range"),
    ("ttl.signpost(3)", "signpost() needs a text, not 3", None, "ttl.signpost"),
    ("return 3", "a 'with' block must run to its end", "put the condition around the 'with'", None),
]

READS = [
    ("ttl.copy(x[0, 0], b)", "expects transfer handle to be synchronized", "end the copy: ttl.copy(...).wait()", "ttl.copy"),
    ("h = ttl.copy(x[0, 0], b)\nx_cb.push()\nh.wait()", "to be synchronized with ttl.wait before its block is pushed, on line",
     "end the copy", "ttl.copy"),
    ("pass", "nothing was copied into what line", "ttl.copy(tensor[...], block).wait() before", "x_cb.reserve"),
    ("ttl.copy(x[2, 0], b).wait()", "are not all in the tensor", "indices count tiles of 32", "ttl.copy"),
    ("ttl.copy(x[0:2, 0:1], b).wait()", "copy() of 2 rows of tiles and a block of 1", "use 0:1", "ttl.copy"),
    ("ttl.copy(x[0, 0, 0], b).wait()", "Expected 2 tile indices (row, col), got 3", None, "ttl.copy"),
    ("ttl.copy(x[0.5, 0], b).wait()", "tile indices are integers or ranges, not 0.5", None, "x[0.5"),
    ("ttl.copy(b, b).wait()", "copy() requires at least one tensor subscript", "got a block", "ttl.copy"),
    ("b.store(b + 1)", "add computes, and this is a data movement thread", "@ttl.compute() thread", "b + 1"),
    ("ttl.copy(x[-1, 0], b).wait()", "are not all in the tensor", "count tiles of 32", "ttl.copy"),
    ("ttl.copy(x[0:2:2, 0:1], b).wait()", "Slice step is not supported", None, "x[0:2:2"),
    ("ttl.copy(x['a', 0], b).wait()", "tile indices are integers or ranges, not 'a'", None, "x['a'"),
    ("ttl.copy(x[0, 0], out[0, 0]).wait()", "requires block src", None, "ttl.copy"),
    ("ttl.copy(x[0, 0], x_cb).wait()", "requires block dst", None, "ttl.copy"),
    ("ttl.copy(x[0, 0], b).wait(1)", "wait() takes 0 arguments, got 1", None, "ttl.copy"),
    ("b.wait()", "Expected CircularBufferType", "wait() is for circular buffers", "b.wait"),
    ("x[0, 0] = b", "cannot be assigned to by parts", "ttl.copy(block, tensor[...])", "x[0"),
    ("s = ttl.Semaphore()\ns.wait(1)", "'Semaphore' object has no attribute 'wait'", "did you mean 'wait_ge'?", "s.wait"),
    ("x_cb.wiat()", "'CircularBuffer' object has no attribute 'wiat'", "did you mean 'wait'?", "x_cb.wiat"),
]

BODY = [
    ("x_cb = ttl.make_circular_buffer_like(x, shape=(0, 1))", "shape must hold positive integers"),
    ("x_cb = ttl.make_circular_buffer_like([1], shape=(1, 1))", "like a tensor (torch's, NumPy's or ttnn's), not like a list"),
    ("for _ in range(40): ttl.make_circular_buffer_like(x, shape=(1, 1))", "a core has 32 circular buffers"),
    ("ttl.CircularBuffer(shape=(1, 1)).pop()", "pop() works inside @ttl.compute() and @ttl.datamovement() threads only"),
    ("p = ttl.Pipe((0, 0), (5, 5)); ttl.PipeNet([p])", "(5, 5) lies outside the grid (1, 1)"),
]


def call(tmp_path, compute="o.store(b)", read=READ, body="pass", after=""):
    """What a call of the kernel raises, and its file's lines."""
    text = FRAME.format(compute=textwrap.indent(compute, " " * 12), read=textwrap.indent(read, " " * 12),
                        body=textwrap.indent(body, " " * 4)) + after
    file = tmp_path / "mistake.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("mistake", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(Exception) as caught:
        module.k(torch.ones(64, 64), torch.zeros(64, 64))
    return str(caught.value), text.splitlines()


def check(message, lines, said, hint, marked):
    assert said in message
    assert hint is None or f"= note: {hint}" in message or hint in message.partition("= note: ")[2]
    place = next(line for line in message.splitlines() if line.startswith("  --> "))
    line, column = map(int, place.split(":")[-2:])
    shown = message.splitlines()
    caret = next(i for i, s in enumerate(shown) if s.endswith("^"))
    assert shown[caret - 1] == f"{line} | {lines[line - 1]}"
    assert shown[caret].index("^") - shown[caret].index("|") - 2 == column - 1  # the column is the file's
    assert marked is None or lines[line - 1][column - 1:].startswith(marked)


@pytest.mark.parametrize("code, said, hint, marked", COMPUTE, ids=[c[0] for c in COMPUTE])
def test_in_the_compute_thread(tmp_path, code, said, hint, marked):
    message, lines = call(tmp_path, compute=code)
    check(message, lines, said, hint, marked)


@pytest.mark.parametrize("code, said, hint, marked", READS, ids=[c[0] for c in READS])
def test_in_a_data_movement_thread(tmp_path, code, said, hint, marked):
    message, lines = call(tmp_path, read=code)
    check(message, lines, said, hint, marked)


@pytest.mark.parametrize("code, said", BODY, ids=[c[0] for c in BODY])
def test_in_the_kernels_body(tmp_path, code, said):
    message, lines = call(tmp_path, body=code)
    check(message, lines, said, None, code[:4])


def test_what_the_body_raises_is_passed_on(tmp_path):
    message, _ = call(tmp_path, body="raise KeyError('no such thing')")
    assert message == "'no such thing'"


THREADS = """
    @ttl.compute()
    def compute(): pass
    @ttl.datamovement()
    def read(): pass
    @ttl.datamovement()
    def write(): pass
"""
KERNEL = "@ttl.kernel(grid=(1, 1))\ndef k(x, out):"


def imported(tmp_path, text):
    file = tmp_path / "whole.py"
    file.write_text("import torch\nimport ttl\n" + text)
    spec = importlib.util.spec_from_file_location("whole", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("text, said", [
    ("@ttl.kernel\ndef k(x, out):" + THREADS, "written with parentheses"),
    (KERNEL.replace("def", "async def") + THREADS, "leave out 'async'"),
    (KERNEL + " pass\n", "No threads found"),
    (KERNEL + THREADS.replace("compute():", "compute(a):"), "must have no parameters"),
    (KERNEL + THREADS + THREADS.replace("def ", "def other_"), "this kernel has 2 and 4"),
    (KERNEL.replace("1, 1", "0, 1") + THREADS, "a grid is a tuple of positive integers"),
    (KERNEL.replace("1, 1", "99, 99") + THREADS, "exceeds device compute grid (8, 8)"),
    (f"exec({KERNEL + THREADS!r})\n", "write the text to a file"),
    (KERNEL + "\n    big = ttl.make_circular_buffer_like(x, shape=(64, 64))" +
     THREADS.replace("compute(): pass", "compute():\n        big.wait()\n        big.pop()"), "circular buffer 'big': 8192 pages"),
])
def test_the_kernel_as_a_whole(tmp_path, text, said):
    with pytest.raises(Exception) as caught:
        imported(tmp_path, text).k(torch.ones(64, 64), torch.zeros(64, 64))
    assert said in str(caught.value)


def test_a_kernel_may_be_a_method(tmp_path):
    kernel = FRAME[FRAME.index("@ttl.kernel"):].replace("def k(x", "def k(self, x").format(
        compute=" " * 12 + "o.store(b * self.by)", read=" " * 12 + READ, body="    pass")
    module = imported(tmp_path, "class Scale:\n    def __init__(self, by):\n        self.by = by\n\n" +
                      textwrap.indent(kernel, "    "))
    for by in (2, 3):
        out = torch.zeros(32, 32)
        module.Scale(by).k(torch.ones(32, 32), out)
        assert (out == by).all()


def test_threads_return_nothing(tmp_path):
    message, lines = call(tmp_path, after="        return 3\n")
    check(message, lines, "the thread returns 3, which nobody gets", "store results in a block", "def write")


def test_columns_as_tt_lang_counts_them(tmp_path, monkeypatch):
    monkeypatch.setenv("TTLANG_COMPAT", "1")
    message, lines = call(tmp_path, compute="o.store(bb)")
    number = next(i for i, line in enumerate(lines) if "bb" in line)
    column = lines[number].index("bb") + 1 - 4  # from the thread's own first column
    assert f":{number + 1}:{column}\n" in message
