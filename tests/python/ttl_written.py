"""Kernels whose compute thread is text written by a test."""

import linecache
import textwrap

import torch
import ttl

KERNEL = """{helper}
@ttl.kernel(grid=(1, 1))
def kernel({parameters}):
    {buffers} = (ttl.make_circular_buffer_like(t, shape=(1, 1)) for t in ({tensors}))

    @ttl.compute()
    def compute():
{compute}

    @ttl.datamovement()
    def read():
        with a_cb.reserve() as block:
            ttl.copy(a[0, 0], block).wait()
{second}
    @ttl.datamovement()
    def write():
        for i in range({iterations}):
            with out_cb.wait() as block:
                ttl.copy(block, out[i, 0]).wait()
"""


SECOND = """        with b_cb.reserve() as block:
            ttl.copy(b[0, 0], block).wait()
"""


def defined(name, text, folder=""):
    """The object that a text defines under a name: the text is in no file."""
    file = f"{folder}<generated {name} {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"ttl": ttl, "torch": torch}
    exec(compile(text, file, "exec"), names)  # noqa: S102
    return names[name]


def kernel_of(compute, iterations=1, helper="", parameters="a, out", folder=""):
    """A kernel whose compute thread gets the first tile of `a` from `a_cb`, and of `b`, if that is a parameter, from
    `b_cb`, and stores `iterations` blocks of `out` to `out_cb`; `helper` is text before it."""
    tensors = [t for t in ("a", "b", "out") if t in parameters.split(", ")]
    text = KERNEL.format(buffers=", ".join(f"{t}_cb" for t in tensors), tensors=", ".join(tensors), second=SECOND * ("b" in tensors),
                         compute=textwrap.indent(compute, " " * 8), iterations=iterations, helper=helper, parameters=parameters)
    return defined("kernel", text, folder)
