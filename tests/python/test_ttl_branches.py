"""Blocks that the branches of an `if` begin and end: each branch sees its own, and blocks that all of them leave open
are one block."""

import importlib.util
import textwrap
import warnings

import pytest

torch = pytest.importorskip("torch")

KERNEL = """import ttl

@ttl.kernel(grid=(2, 1))
def kernel(x, out):
    cb = ttl.make_circular_buffer_like(x, shape=(1, 1))
    ob = ttl.make_circular_buffer_like(out, shape=(1, 1))

    @ttl.compute()
    def compute():
        col, _ = ttl.core(dims=2)
        for i in range(2):
BODY

    @ttl.datamovement()
    def read():
        col, _ = ttl.core(dims=2)
        for i in range(2):
READ

    @ttl.datamovement()
    def write():
        col, _ = ttl.core(dims=2)
        for i in range(2):
            with ob.wait() as b:
                ttl.copy(b, out[i, col]).wait()
"""
READ = """
with cb.reserve() as b:
    ttl.copy(x[i, col], b).wait()
"""


def load(path, body, read=READ):
    text = KERNEL.replace("BODY", textwrap.indent(body.strip(), " " * 12)).replace("READ", textwrap.indent(read.strip(), " " * 12))
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


# Each doubles the first column of tiles and multiplies the second one by 3.
BODIES = {
    "wait in both ways": """
if col == 0:
    b = cb.wait()
    o = ob.reserve()
    o.store(b * 2)
    ob.push()
else:
    d = cb.wait()
    o = ob.reserve()
    o.store(d * 3)
    ob.push()
cb.pop()
""",
    "reserve in both ways": """
b = cb.wait()
if col == 0:
    o = ob.reserve()
    o.store(b * 2)
else:
    q = ob.reserve()
    q.store(b * 3)
ob.push()
cb.pop()
""",
    "one name in both ways": """
if col == 0:
    b = cb.wait()
    c = 2
else:
    b = cb.wait()
    c = 3
with ob.reserve() as o:
    if col == 0:
        o.store(b + b)
    else:
        o.store(b + b + b)
cb.pop()
""",
    "one name in three ways": """
if col == 0:
    b = cb.wait()
elif i == 0:
    b = cb.wait()
else:
    b = cb.wait()
with ob.reserve() as o:
    if col == 0:
        o.store(b * 2)
    else:
        o.store(b * 3)
cb.pop()
""",
    "nested": """
if col == 0:
    if i == 0:
        b = cb.wait()
        o = ob.reserve()
        o.store(b * 2)
    else:
        e = cb.wait()
        o = ob.reserve()
        o.store(e * 2)
    ob.push()
else:
    d = cb.wait()
    o = ob.reserve()
    o.store(d * 3)
    ob.push()
cb.pop()
""",
    "match": """
match col:
    case 0:
        b = cb.wait()
        o = ob.reserve()
        o.store(b * 2)
    case 1:
        b = cb.wait()
        o = ob.reserve()
        o.store(b * 3)
    case _:
        b = cb.wait()
        o = ob.reserve()
        o.store(b * 4)
ob.push()
cb.pop()
""",
    "given back in different order": """
b = cb.wait()
if col == 0:
    o = ob.reserve()
    o.store(b * 2)
    cb.pop()
    ob.push()
else:
    o = ob.reserve()
    o.store(b * 3)
    ob.push()
    cb.pop()
""",
    "given back in another branch": """
if col == 0:
    b = cb.wait()
    o = ob.reserve()
    o.store(b * 2)
elif col == 1:
    b = cb.wait()
    o = ob.reserve()
    o.store(b * 3)
    cb.pop()
    ob.push()
if col == 0:
    cb.pop()
    ob.push()
""",
    "conditions that exclude each other": """
if col == 0:
    b = cb.wait()
    with ob.reserve() as o:
        o.store(b * 2)
if col == 1:
    d = cb.wait()
    with ob.reserve() as o:
        o.store(d * 3)
cb.pop()
""",
    "an unrolled loop of branches": """
for k in [0, 1]:
    if col == k:
        b = cb.wait()
        with ob.reserve() as o:
            o.store(b * (k + 2))
cb.pop()
""",
    "with in one way": """
if col == 0:
    b = cb.wait()
    o = ob.reserve()
    o.store(b * 2)
    ob.push()
    cb.pop()
else:
    with cb.wait() as d, ob.reserve() as o:
        o.store(d * 3)
""",
    "continue": """
if col == 0:
    b = cb.wait()
    o = ob.reserve()
    o.store(b * 2)
    ob.push()
    cb.pop()
    continue
d = cb.wait()
o = ob.reserve()
o.store(d * 3)
ob.push()
cb.pop()
""",
    "open around": """
b = cb.wait()
if col == 0:
    with ob.reserve() as o:
        o.store(b * 2)
else:
    with ob.reserve() as o:
        o.store(b * 3)
cb.pop()
""",
    "three ways": """
if col == 0:
    b = cb.wait()
    with ob.reserve() as o:
        o.store(b * 2)
else:
    if i == 0:
        d = cb.wait()
        with ob.reserve() as o:
            o.store(d * 3)
    elif i == 1:
        d = cb.wait()
        with ob.reserve() as o:
            o.store(d * 3)
    else:
        d = cb.wait()
        with ob.reserve() as o:
            o.store(d * 3)
cb.pop()
""",
}
READS = {
    "copied in both ways, pushed after": """
if col == 0:
    b = cb.reserve()
    ttl.copy(x[i, col], b).wait()
else:
    d = cb.reserve()
    ttl.copy(x[i, 1], d).wait()
cb.push()
""",
    "a copy that ends in each way": """
b = cb.reserve()
if col == 0:
    handle = ttl.copy(x[i, 0], b)
    handle.wait()
else:
    handle = ttl.copy(x[i, 1], b)
    handle.wait()
cb.push()
""",
}


def run(kernel):
    x, out = torch.rand(64, 64), torch.zeros(64, 64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(x, out)
    torch.testing.assert_close(out, x * torch.tensor([2.0, 3.0]).repeat_interleave(32))


@pytest.mark.parametrize("name", BODIES)
def test_blocks_of_branches(name, tmp_path):
    run(load(tmp_path / "branches.py", BODIES[name]))


@pytest.mark.parametrize("name", READS)
def test_blocks_that_branches_fill(name, tmp_path):
    run(load(tmp_path / "fills.py", BODIES["with in one way"], READS[name]))


@pytest.mark.parametrize("body, message", [
    ("if col == 0:\n    b = cb.wait()\nelse:\n    d = cb.wait()\ne = cb.wait()", "wait() on 'cb' whose block is still open"),
    ("if col == 0:\n    b = cb.wait()\n    d = cb.wait()\nelse:\n    pass", "wait() on 'cb' whose block is still open"),
    ("b = cb.wait()\nif col == 0:\n    d = cb.wait()", "wait() on 'cb' whose block is still open"),
    ("b = cb.wait()\nif col == 0:\n    o = ob.reserve()\n    o.store(b)\nelse:\n    q = ob.reserve()\nob.push()", "holds nothing"),
    ("b = cb.wait()\nif col == 0:\n    o = ob.reserve()\nelse:\n    o = ob.reserve()\no.store(b)", "call wait() or reserve() before the 'if'"),
    ("if col == 0:\n    b = cb.wait()\nelse:\n    b = cb.wait()\ncb.pop()\nwith ob.reserve() as o:\n    o.store(b)", "gave it back"),
])
def test_blocks_that_are_open_all_the_same(body, message, tmp_path):
    with pytest.raises(Exception) as caught:
        load(tmp_path / "open.py", body)(torch.rand(64, 64), torch.zeros(64, 64))
    assert message in str(caught.value), caught.value
