"""Wrong kernels in Python: each message has the error, its location, and what to do."""

import importlib.util
import re
import textwrap

import pytest
import torch
import ttl

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

COMPUTE = [  # code instead of the block's computation; message; advice; the marked text
    ("o.store(bb)", "name 'bb' is not defined", None, "bb"),
    ("o.store(ttl.math.expp(b))", "module 'ttl.math' has no attribute 'expp'", "did you mean 'exp'?", "ttl.math"),
    ("o.store(ttl.math.exp(b, b))", "exp() takes 1 block, got 2", None, "ttl.math"),
    ("o.store(ttl.math.exp(b, fast=True))", "exp() takes no argument 'fast'", None, "ttl.math"),
    ("o.store(b + 'a')", "add needs blocks, not 'a'", None, "b + 'a'"),
    ("o.store(b + 10**400)", "an integer of 1329 bits with a block of f32", "no element type holds it", "b + 10"),
    ("o.store(b @ b, 3, 4)", "store() takes", None, "o.store"),
    ("b + 1", "the result of this expression is unused", "store it: block.store(expression)", "b + 1"),
    ("while True: pass", "a loop of more than 4096 iterations would be unrolled", "use 'for' with range()", "while"),
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
    ("o.store(b << 1)", "bitwise_left_shift works on the bits of integers, and this is a block (1, 1) f32", "multiply: block * 2**n", "b <<"),
    ("o.store(not b)", "has no boolean value", None, "not b"),
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
    ("p = None\nfor i in range(2):\n    n = 1 if p is None else 2\n    p = n", "'p' is None in the first iteration of the loop",
     "give it a value before", "p is None"),
    ("s = 1.0\nfor i in range(2):\n    s = s * 2", "'s' is 1.0 in the first iteration of the loop", None, "s * 2"),
    ("for i in range(b): pass", "range() needs integers, not a block", None, "b)"),
    ("for i in range(0, 4, 0): pass", "must not be zero", None, "range"),
    ("ttl.signpost(3)", "signpost() needs a text, not 3", None, "ttl.signpost"),
    ("return 3", "a 'with' block must run to its end", "put the condition around the 'with'", None),
    # names of torch and NumPy
    ("o.store(b.exp())", "has no attribute 'exp'", "use ttl.math.exp(block)", "b.exp"),
    ("o.store(b.sum())", "has no attribute 'sum'", "use ttl.math.reduce_sum(block, dims=[...])", "b.sum"),
    ("o.store(b.to(torch.bfloat16))", "has no attribute 'to'", "use ttl.math.typecast(block, dtype)", "b.to"),
    ("o.store(b.reshape(1, 1))", "has no attribute 'reshape'", "a block keeps its shape", "b.reshape"),
    ("o.store(b.numpy())", "has no attribute 'numpy'", "numbers are seen on the host", "b.numpy"),
    ("o.store(ttl.math.sum(b))", "has no attribute 'sum'", "use ttl.math.reduce_sum(block, dims=[...])", "ttl.math"),
    ("o.store(ttl.math.softmax(b))", "has no attribute 'softmax'", "exp, reduce_max, reduce_sum and broadcast", "ttl.math"),
    ("o.store(ttl.math.masked_fill(b, b, b))", "has no attribute 'masked_fill'", "choose: ttl.math.where", "ttl.math"),
    ("o.store(ttl.maths.exp(b))", "has no attribute 'maths'", "did you mean 'math'?", "ttl.maths"),
    ("o.store(torch.nn.functional.relu(b))", "'relu' cannot be called with what is known only when the kernel runs",
     "use ttl.math.relu()", "torch.nn"),
    ("import numpy as np\no.store(np.exp(b))", "'exp' cannot be called", "use ttl.math.exp()", "np.exp"),
    # operands that are no blocks
    ("o.store(b * torch.ones(32, 32))", "mul needs blocks, not a Tensor", "copy its tiles to a circular buffer", "b * torch"),
    ("o.store(b @ x)", "matmul needs blocks, not a Tensor", "copy its tiles to a circular buffer", "b @ x"),
    ("o.store(b + x[0, 0])", "add needs blocks, not a part of a tensor", "in a data movement thread", "b + x"),
    ("o.store(x[0, 0])", "not a part of a tensor", "copy its tiles to a circular buffer", "o.store"),
    ("o.store(b + x_cb)", "add needs blocks, not a CircularBuffer", "with x_cb.wait() as block", "b + x_cb"),
    ("o.store(o_cb)", "not a CircularBuffer", "with o_cb.wait() as block", "o.store"),
    ("o.store([b + 1])", "not a list", "take one of its items", "o.store"),
    ("o.store(b + None)", "add needs blocks, not None", None, "b + None"),
    ("o.store(b + True)", "add needs blocks, not True", "use 1 or 0", "b + True"),
    ("o.store(b + 1j)", "add needs blocks, not a complex", None, "b + 1j"),
    ("o.store(b + float('nan'))", "nan in an expression of blocks is not supported", None, "b + float"),
    ("o.store(b @ 3)", "matmul needs blocks, not 3", "'*' multiplies with a number", "b @ 3"),
    ("o.store(lambda: b)", "not a function", None, "o.store"),
    ("o.store(f'{b}')", "not a text", None, "o.store"),
    ("o.store(*b)", "a block is not iterable", None, "*b)"),
    ("for i, v in enumerate(b): o.store(v)", "a block is not iterable", None, "enumerate"),
    ("for v in b: o.store(v)", "cannot loop over a block", "loop over range(...)", "b: "),
    ("o.store(b > o)", "cannot be compared", "compute both ways and choose", "b > o"),
    ("if b: o.store(b)", "is neither true nor false", None, "b: "),
    ("len(b)", "has no length", None, "len"),
    # calls
    ("o.store(ttl.math.exp())", "exp() takes 1 block, got 0", None, "ttl.math"),
    ("o.store(ttl.math.max(b))", "max() takes 2 blocks, got 1", "ttl.math.reduce_max(block, dims=[...])", "ttl.math"),
    ("o.store(ttl.math.reduce_sum(b, dim=1))", "got an unexpected argument 'dim'", "did you mean 'dims'?", "ttl.math"),
    ("o.store(ttl.math.broadcast(b, dim=0))", "got an unexpected argument 'dim'", "did you mean 'dims'?", "ttl.math"),
    ("o.store(b, accumulate=True)", "got an unexpected argument 'accumulate'", "there are expression, acc", "o.store"),
    ("o.store(ttl.math.typecast(b))", "typecast() lacks the argument 'dtype'", None, "ttl.math"),
    ("o.store(ttl.math.typecast(b, torch.float64))", "no tile holds elements of torch.float64",
     None, "ttl.math"),
    ("o.store(ttl.math.typecast(b, torch.bfloat16))", "store() of bf16 into a block of f32",
     "ttl.math.typecast(expression, block.dtype)", "o.store"),
    ("f = lambda v: v + 1\no.store(f(b, b))", "this lambda takes 1 argument, got 2", None, "f(b"),
    ("def f(v):\n    return v\no.store(f())", "argument 'v' is missing", None, "f()"),
    ("def f(value):\n    return value\no.store(f(valu=b))", "unexpected argument 'valu'", "did you mean 'value'?", "f("),
    ("x_cb.wait(2)", "wait() takes 1 argument, got 2", None, "x_cb.wait"),
    ("o.push(1)", "push() takes 0 arguments, got 1", None, "o.push"),
    # names
    ("x_cb = 3", "'x_cb' is used before line 18 gives it a value", "makes a name the thread's own", "x_cb.wait"),
    ("o.store(b + y)\ny = b", "'y' is used before line 19 gives it a value", "makes a name the thread's own", "y)"),
    ("del b\no.store(b)", "name 'b' is not defined", None, "b)"),
    ("o = b + 1", "that holds nothing", "line 18 gives its name 'o' to something else: o.store(expression) fills it", "o_cb.reserve"),
    ("s = 0\nfor i in range(4): s += b", "add needs blocks, not an integer", "block += expression", "s += b"),
    ("s = b\nfor i in range(4): s = s + b", "'s' is a block (1, 1) f32 in the first iteration", "block += expression", "s + b"),
    ("o.store += b", "only names can be assigned to", None, "o.store"),
    ("x.shape = 3", "only names can be assigned to", None, "x.shape"),
    ("o_cb.store(b)", "'CircularBuffer' object has no attribute 'store'", "with o_cb.reserve() as block: block.store", "o_cb.store"),
    ("o.store(x_cb * 2)", "'x_cb' is a circular buffer, and blocks are computed with", "with x_cb.wait() as block", "x_cb * 2"),
    # the wrong thread
    ("ttl.copy(x[0, 0], o).wait()", "copy() moves data, and this is the compute thread", "move it to a @ttl.datamovement() thread",
     "ttl.copy"),
    ("out.fill_(3)", "'fill_' changes a Tensor of the host", "ttl.copy(block, tensor[row, column])", "out.fill_"),
    ("with o_cb as c: c.store(b)", "'with' requires a method call", "with cb.reserve() as block:", "o_cb"),
    ("o.store(b)\nb.push()", "a block that wait() gave has no push()", "use pop()", "b.push"),
    ("o.store(b)\nassert False, 'no'", "assertion failed: no", None, "assert"),
]

READS = [
    ("ttl.copy(b, x[0, 0]).wait()", "copy() from a block of 'x_cb' that reserve() gave and nothing has filled",
     "copy(source, destination): ttl.copy(tensor[...], block) reads the tensor", "ttl.copy"),
    ("ttl.copy(x[0, 0], b)\nb.wait()", "Expected CircularBufferType, got a block", "a copy is waited for by its handle: ttl.copy(...).wait()",
     "b.wait"),
    ("ttl.copy(x[-1, 0], b).wait()", "rows -1 to -1 of tiles are not all in the tensor", "counted from 0: the last row is 1", "ttl.copy"),
    ("o_bc.pop()", "name 'o_bc' is not defined", "did you mean 'o_cb'?", "o_bc"),
    ("ttl.copy(x[0, 0], b)", "expects transfer handle to be synchronized", "end the copy: ttl.copy(...).wait()", "ttl.copy"),
    ("h = ttl.copy(x[0, 0], b)\nx_cb.push()\nh.wait()", "to be synchronized with ttl.wait before its block is pushed, on line",
     "end the copy", "ttl.copy"),
    ("pass", "nothing was copied into what line", "ttl.copy(tensor[...], block).wait() before", "x_cb.reserve"),
    ("ttl.copy(x[2, 0], b).wait()", "are not all in the tensor", "indices count tiles of 32", "ttl.copy"),
    ("ttl.copy(x[0:2, 0:1], b).wait()", "copy() of 2 rows of tiles and a block of 1", "use 0:1", "ttl.copy"),
    ("ttl.copy(x[0, 0, 0], b).wait()", "Expected 2 tile indices (row, col), got 3", "one for each dimension", "ttl.copy"),
    ("ttl.copy(x[0.5, 0], b).wait()", "tile indices are integers or ranges, not 0.5", None, "x[0.5"),
    ("ttl.copy(b, b).wait()", "copy() requires at least one tensor subscript", "got a block", "ttl.copy"),
    ("b.store(b + 1)", "add computes, and this is a data movement thread", "@ttl.compute() thread", "b + 1"),
    ("ttl.copy(x[0:2:2, 0:1], b).wait()", "Slice step is not supported", None, "x[0:2:2"),
    ("ttl.copy(x['a', 0], b).wait()", "tile indices are integers or ranges, not 'a'", None, "x['a'"),
    ("ttl.copy(x[0, 0], out[0, 0]).wait()", "requires block src", None, "ttl.copy"),
    ("ttl.copy(x[0, 0], x_cb).wait()", "requires block dst", None, "ttl.copy"),
    ("ttl.copy(x[0, 0], b).wait(1)", "wait() takes 0 arguments, got 1", None, "ttl.copy"),
    ("b.wait()", "Expected CircularBufferType", "wait() is for circular buffers", "b.wait"),
    ("x[0, 0] = b", "cannot be assigned to by parts", "ttl.copy(block, tensor[...])", "x[0"),
    ("s = ttl.Semaphore()\ns.wait(1)", "'Semaphore' object has no attribute 'wait'", "did you mean 'wait_ge'?", "s.wait"),
    ("x_cb.wiat()", "'CircularBuffer' object has no attribute 'wiat'", "did you mean 'wait'?", "x_cb.wiat"),
    ("ttl.copy(x[0, 0]).wait()", "copy() lacks the argument 'dst'", None, "ttl.copy"),
    ("ttl.copy(x[0, 0], b, b).wait()", "copy() takes 2 arguments, got 3", None, "ttl.copy"),
    ("ttl.copy(x[0], b).wait()", "Expected 2 tile indices (row, col), got 1", "a shard, and this tensor is interleaved", "ttl.copy"),
    ("ttl.copy(x, b).wait()", "copy() of 2 rows of tiles and a block of 1", "use 0:1", "ttl.copy"),
    ("ttl.copy(x[1 / 2, 0], b).wait()", "not 0.5", "'//' divides integers", "x[1"),
    ("ttl.copy(x[0, ttl.core(dims=2)], b).wait()", "not a tuple", "row, column = ttl.core(dims=2)", "x[0"),
    ("ttl.copy(x(0, 0), b).wait()", "a Tensor cannot be called", None, "x(0"),
    ("ttl.copy(x[0, 0].float(), b).wait()", "a part of a tensor has no attribute 'float'", "do not see their numbers", "x[0"),
    ("n = int(x[0, 0])", "int() needs integers, not a part of a tensor", "do not see their numbers", "int"),
    ("if x[0, 0] > 0: pass", "a comparison needs integers, not a part of a tensor", "do not see their numbers", "x[0"),
    ("for i in range(x.shape): pass", "range() needs integers, not a Size", None, "x.shape"),
    ("for i in range(2**70): pass", "needs integers of 32 bits, got one of 71", "take years", "2**70"),
    ("ttl.copy(x[ttl.core(dims=1) * 2**65, 0], b).wait()", "an integer of 66 bits in a kernel", "indices with 32 bits", "ttl.core"),
    ("s = ttl.Semaphore()\ns.set(2**40)", "semaphores hold integers from 0 to 4294967295, got 1099511627776", None, "s.set"),
    ("s = ttl.Semaphore()\ns.wait_ge(-1)", "semaphores hold integers from 0 to 4294967295, got -1", None, "s.wait"),
    ("x.zero_()", "'zero_' changes a Tensor of the host", "ttl.copy(block, tensor[row, column])", "x.zero_"),
    ("print(x[0, 0])", "print() of a part of a tensor", "seen after the run", "print"),
    ("ttl.copy(x[0, 0], b).wiat()", "a transfer handle has no attribute 'wiat'", "did you mean 'wait'?", "ttl.copy"),
    ("t = ttl.copy(x[0, 0], b)\nt.wait", "to be synchronized with ttl.wait", "end the copy", "ttl.copy"),
    ("ttl.wait()", "wait() lacks the argument 'handle'", None, "ttl.wait"),
    ("with x_cb.reserve() as c: ttl.copy(x[0, 0], c).wait()", "whose block is still open", "comes first: push() it", "x_cb.reserve"),
    ("ttl.copy(x[0, 0], b).wait()\nb.pop()", "a block that reserve() gave has no pop()", "use push()", "b.pop"),
    ("ttl.copy(x[0, 0], b).wait()\nreturn b", "a 'with' block must run to its end", "put the condition around the 'with'", None),
    ("while True: ttl.copy(x[0, 0], b).wait()", "a loop of more than 4096 iterations would be unrolled", "use 'for' with range()", "while"),
]

BODY = [
    ("x_cb = ttl.make_circular_buffer_like(x, shape=(0, 1))", "shape must hold positive integers"),
    ("x_cb = ttl.make_circular_buffer_like([1], shape=(1, 1))", "like a tensor (torch's, NumPy's or ttnn's), not like a list"),
    ("for _ in range(40): ttl.make_circular_buffer_like(x, shape=(1, 1))", "a core has 32 circular buffers"),
    ("ttl.CircularBuffer(shape=(1, 1)).pop()", "pop() works inside @ttl.compute() and @ttl.datamovement() threads only"),
    ("p = ttl.Pipe((0, 0), (5, 5)); ttl.PipeNet([p])", "(5, 5) lies outside the grid (1, 1)"),
    ("ttl.PipeNet(3)", "a PipeNet is made of a list of pipes, got 3"),
    ("ttl.Pipe(src=(0, 0), dst=(1, 2, 3))", "has 3 coordinates, the grid (1, 1) has 2"),
    ("x_cb = ttl.make_circular_buffer_like(x)", "give the block's rows and columns of tiles: shape=(1, 1)"),
    ("ttl.make_circular_buffer_like(x, shape=(1.5, 1))", "shape must hold positive integers (tiles), got (1.5, 1)"),
    ("ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor='2')", "buffer_factor must be in range [1, 32], got '2'"),
    ("ttl.make_circular_buffer_like(3, shape=(1, 1))", "not like an int"),
    ("ttl.math.exp(x)", "ttl.math.exp() works inside @ttl.compute() and @ttl.datamovement() threads only"),
    ("ttl.copy(x[0, 0], out[0, 0])", "ttl.copy() works inside @ttl.compute() and @ttl.datamovement() threads only"),
    ("ttl.Semaphore('a')", "a semaphore begins with a number of 32 bits, got a"),
]


def call(tmp_path, compute="o.store(b)", read=READ, body="pass", after=""):
    """The error of a call of the kernel, and its file's lines."""
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


def check(message, lines, messages, hint, marked):
    assert messages in message
    assert hint is None or f"= note: {hint}" in message or hint in message.partition("= note: ")[2]
    location = next(line for line in message.splitlines() if line.startswith("  --> "))
    line, column = map(int, location.split(":")[-2:])
    shown = message.splitlines()
    caret = next(i for i, s in enumerate(shown) if s.endswith("^"))
    assert shown[caret - 1] == f"{line} | {lines[line - 1]}"
    assert shown[caret].index("^") - shown[caret].index("|") - 2 == column - 1  # the column is the file's
    assert marked is None or lines[line - 1][column - 1:].startswith(marked)


@pytest.mark.parametrize("code, messages, hint, marked", COMPUTE, ids=[c[0] for c in COMPUTE])
def test_in_the_compute_thread(tmp_path, code, messages, hint, marked):
    message, lines = call(tmp_path, compute=code)
    check(message, lines, messages, hint, marked)


@pytest.mark.parametrize("code, messages, hint, marked", READS, ids=[c[0] for c in READS])
def test_in_a_data_movement_thread(tmp_path, code, messages, hint, marked):
    message, lines = call(tmp_path, read=code)
    check(message, lines, messages, hint, marked)


@pytest.mark.parametrize("code, messages", BODY, ids=[c[0] for c in BODY])
def test_in_the_kernels_body(tmp_path, code, messages):
    message, lines = call(tmp_path, body=code)
    check(message, lines, messages, None, code[:4])


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


@pytest.mark.parametrize("text, messages", [
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
def test_the_kernel_as_a_whole(tmp_path, text, messages):
    with pytest.raises(Exception) as caught:
        imported(tmp_path, text).k(torch.ones(64, 64), torch.zeros(64, 64))
    assert messages in str(caught.value)


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
    check(message, lines, "the thread returns 3, which is discarded", "store results in a block", "def write")


def test_columns_as_tt_lang_counts_them(tmp_path, monkeypatch):
    monkeypatch.setenv("TTLANG_COMPAT", "1")
    message, lines = call(tmp_path, compute="o.store(bb)")
    number = next(i for i, line in enumerate(lines) if "bb" in line)
    column = lines[number].index("bb") + 1 - 4  # from the thread's own first column
    assert f":{number + 1}:{column}\n" in message


CALLS = [  # the kernel's arguments; the error
    ("k()", "k() missing 2 required positional arguments: 'x' and 'out'"),
    ("k(X, O, 1, 2)", "k() takes from 2 to 3 positional arguments but 4 were given"),
    ("k(X, O, m=2)", "k() got an unexpected keyword argument 'm'"),
    ("k(X, [1, 2])", "not like a list"),
    ("k(X, 3)", "not like an int"),
    ("k(X.double(), O)", "no tile holds elements of torch.float64"),
    ("k(X.double(), O)", "; convert: tensor.float()"),
    ("k(X.bool(), O)", "; convert: tensor.to(torch.uint8)"),
    ("k(X.to(torch.complex64), O)", "real and imaginary parts are two tensors"),
    ("k(X.bfloat16(), O)", "store() of bf16 into a block of f32"),
    ("k(X, O.int())", "store() of f32 into a block of si32"),
    ("k(torch.ones(32), O)", "Expected 1 tile indices of a tensor of shape (32,), got 2"),
    ("k(torch.ones(()), O)", "a tensor without dimensions has no tiles; give it one: tensor.reshape(1, 1)"),
    ("k(torch.ones(0, 32), O)", "which has 0 of them (shape (0, 32))"),
    ("k(X, O, n='a')", "mul needs blocks, not 'a'"),
    ("k(X, O, n=X)", "mul needs blocks, not a Tensor"),
    ("k(X, torch.zeros(32, 32).requires_grad_())", "give them tensor.detach()"),
    ("k(X.to_sparse(), O)", "use to_dense()"),
    ("k(X.to('meta'), O)", "a tensor on the device meta has no values"),
    ("k(X, torch.zeros(1, 32).expand(32, 32))", "give the kernel tensor.clone()"),
    ("k(ttnn.from_torch(X, layout=ttnn.ROW_MAJOR_LAYOUT, device=ttnn.open_device(device_id=0)), O)", "ttnn.to_layout(tensor, ttnn.TILE_LAYOUT)"),
    ("ttl.kernel(grid=(1, 1))(3)", "ttl.kernel is written with parentheses"),
    ("ttl.kernels", "module 'ttl' has no attribute 'kernels'"),
    ("ttl.core(dims=2)", "works inside @ttl.compute() and @ttl.datamovement() threads only"),
    ("ttl.Pipe((0, 0), (1, 1))", "a pipe is made in the body of a kernel"),
]


@pytest.fixture(scope="module")
def scale(tmp_path_factory):
    text = FRAME.replace("def k(x, out)", "def k(x, out, n=1)").format(
        body="    pass", compute=" " * 12 + "o.store(b * n)", read=" " * 12 + READ)
    return imported(tmp_path_factory.mktemp("scale"), text).k


@pytest.mark.parametrize("call, messages", CALLS, ids=[c for c, _ in CALLS])
def test_what_a_kernel_is_given(scale, call, messages):
    import ttl
    import ttnn

    names = dict(k=scale, torch=torch, ttl=ttl, ttnn=ttnn, X=torch.ones(32, 32), O=torch.zeros(32, 32))
    with pytest.raises(Exception) as caught:
        eval(call, names)
    assert messages in str(caught.value)
    names["k"](names["X"], names["O"])  # the next call works
    assert (names["O"] == 1).all()


@pytest.mark.parametrize("made, name", [
    ("x_cb, o_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, out))", "x_cb"),
    ("cbs = [ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in (x, out)]", "cbs[0]"),
    ("cbs = []\n    for t in (x, out):\n        cbs.append(ttl.make_circular_buffer_like(t, shape=(1, 1)))\n    o_cb = cbs[1]", "cbs[0]")])
def test_buffers_are_called_what_threads_call_them(tmp_path, made, name):
    text = f"""import ttl
@ttl.kernel(grid=(1, 1))
def k(x, out):
    {made}
    @ttl.compute()
    def compute():
        a = {name}.wait()
        b = {name}.wait()
    @ttl.datamovement()
    def read():
        with {name}.reserve() as b:
            ttl.copy(x[0, 0], b).wait()
"""
    with pytest.raises(Exception, match=re.escape(f"wait() on '{name}' whose block is still open")):
        imported(tmp_path, text).k(torch.zeros(32, 32), torch.zeros(32, 32))


def test_threads_are_made_by_def():
    @ttl.kernel(grid=(1, 1))
    def kernel(x):
        ttl.datamovement()(lambda: None)

    with pytest.raises(TypeError, match="a thread is a function that 'def' makes, not a lambda"):
        kernel(torch.ones(32, 32))


def fills(kinds):
    @ttl.kernel(grid=(1, 1))
    def kernel(x):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1))

        @kinds[0]
        def read():
            with x_cb.reserve() as block:
                ttl.copy(x[0, 0], block).wait()

        @kinds[1]
        def other():
            pass

        @kinds[2]
        def third():
            pass

    return kernel


def test_a_buffer_without_a_consumer():
    moves = ttl.datamovement()
    with pytest.warns(RuntimeWarning) as reported:
        fills([moves, moves, ttl.compute()])(torch.ones(32, 32))
    text = str(reported[0].message)
    assert len(reported) == 1 and "no thread waits for 'x_cb', which is filled here" in text and "with x_cb.reserve() as block:" in text
    assert "= note: in another thread: with x_cb.wait() as block: ttl.copy(block, tensor[...]).wait()" in text


def test_too_many_threads_are_named():
    moves = ttl.datamovement()
    with pytest.raises(ValueError, match="this kernel has 0 and 3 of them: none; 'read', 'other', 'third'"):
        fills([moves, moves, moves])(torch.ones(32, 32))
