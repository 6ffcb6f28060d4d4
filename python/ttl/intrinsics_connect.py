"""Pipes and semaphores inside threads (see intrinsics.py)."""

import ast

from . import connect
from .emit import string
from .errors import at_line
from .intrinsics import handler, still_open, take
from .intrinsics_move import register_copy
from .values import Block, Handle, Local, Value, describe

# ---- pipes ------------------------------------------------------------------------------------


def _rectangle(c, node, cores):
    """First and last physical core, (column, row), of cores of the kernel's grid."""
    positions = [c.kernel.physical(core) for core in cores]
    (x0, y0), (x1, y1) = (tuple(f(p[i] for p in positions) for i in (0, 1)) for f in (min, max))
    if len(positions) != (x1 - x0 + 1) * (y1 - y0 + 1):
        c.fail(node, f"the {len(positions)} receivers of a pipe are not a rectangle of the device's cores",
               "use several pipes, or a grid of two dimensions")
    return (x0, y0), (x1, y1)


def _pipe(c, node, pipe):
    if pipe not in c.pipes:
        first, last = _rectangle(c, node, pipe.receivers)
        src = c.kernel.physical(pipe.src)
        attributes = {"src_core": list(src), "dst_core": list(first), "semaphore_index": pipe.semaphores}
        if first != last:
            attributes["dst_core_end"] = list(last)
        if pipe.name:
            attributes["ttl.name"] = string(pipe.name)
        c.pipes[pipe] = c.writer.at_head("ttl.create_pipe", (), "!ttl.pipe", at_line(*pipe.made_at), attributes)
    return c.pipes[pipe]


def _is_at(c, node, cores):
    """True if this core is in a rectangle of cores."""
    tests = []
    for at, span in zip(c.coordinates(node), zip(*cores)):
        low, high = min(span), max(span)
        if low == high:
            tests.append(c.arithmetic.compare(node, ast.Eq(), at, low))
        else:
            if low > 0:
                tests.append(c.arithmetic.compare(node, ast.GtE(), at, low))
            tests.append(c.arithmetic.compare(node, ast.LtE(), at, high))
    result = tests[0]
    for test in tests[1:]:
        result = c.arithmetic.logical(node, True, result, test)
    return result


def _for_each(sends):
    def handle(c, node, args, kwargs):
        pipes, function = take(c, node, "if_src" if sends else "if_dst", args, kwargs, {"pipes": ..., "function": ...})
        pipes = pipes.pipes if isinstance(pipes, connect.PipeNet) else pipes
        pipes = [pipes] if isinstance(pipes, connect.Pipe) else pipes
        if not isinstance(pipes, (list, tuple)) or not all(isinstance(p, connect.Pipe) for p in pipes):
            c.fail(node, f"pipes are needed, not {describe(pipes)}")
        if isinstance(function, Value) and not isinstance(function, Local):
            c.fail(node, f"a function of the pipe is needed, not {describe(function)}")
        for pipe in pipes:
            cores = [pipe.src] if sends else pipe.receivers
            identity = connect.Identity(pipe, sends)
            c.conditional(node, _is_at(c, node, cores), lambda i=identity: c.call(node, function, [i], {}))

    return handle


handler(connect.PipeNet.if_src, connect.if_pipe_src)(_for_each(True))
handler(connect.PipeNet.if_dst, connect.if_pipe_dst)(_for_each(False))


@handler(connect.Pipe.has_current_core)
def has_current_core(c, node, args, kwargs):
    pipe, = take(c, node, "has_current_core", args, kwargs, {"self": ...})
    first = _is_at(c, node, [pipe.src])
    second = _is_at(c, node, pipe.receivers)
    return c.arithmetic.logical(node, False, first, second)


def _agree(c, node, pipe, buffer):
    """Checks that both ends of a pipe have blocks of one size and element type."""
    first, location = c.kernel.carried.setdefault(pipe, (buffer, c.source.location(node)))
    a, b = ((*f.pages, f.element, f.rows) for f in (first, buffer))
    if a != b:
        shapes = [f"{f.shape} {f.element}{' in rows' if f.rows else ''}" for f in (buffer, first)]
        c.fail(node, f"a block {shapes[0]} at one end of a pipe, and a block {shapes[1]} at the other, on line {location[1]}",
               "make both buffers with one shape, like tensors of one type")


def _landing(c, node, pipe, buffer, sending):
    """The attributes of a copy whose block has a landing buffer; records which pipes are written before they are read."""
    user = c.kernel.pipe_users.setdefault(pipe, c.function)
    if pipe in c.kernel.landings:
        if user is not c.function:
            c.fail(node, f"{pipe} is used by two threads, one of which sends in a circle before it receives",
                   "receive in a thread of its own")
        return {"ttl.landing": f"{c.kernel.landings[pipe]._cb_index} : i32"}
    if sending:
        c.sent.add(pipe)
    elif pipe in c.sent and user is c.function:
        c.crossed[pipe] = buffer
    return {}


@register_copy
def copy(c, node, src, dst):
    """copy() from or to a pipe; None for others."""
    sending, receiving = isinstance(dst, (connect.Identity, connect.Pipe)), isinstance(src, (connect.Identity, connect.Pipe))
    if not sending and not receiving:
        return None
    identity, block = (dst, src) if sending else (src, dst)
    if not isinstance(block, Block):
        c.fail(node, f"copy() {'to' if sending else 'from'} a pipe needs a block, not {describe(block)}")
    still_open(c, node, block)
    if isinstance(identity, connect.Identity) and identity.sends != sending:
        c.fail(node, f"copy() {'to' if sending else 'from'} a pipe at its {'end' if sending else 'begin'}",
               "if_src() is for those who send, if_dst() for those who receive")
    if receiving and block.taken != "reserve":
        c.fail(node, "copy() from a pipe needs a block to be written", "reserve() one")
    pipe = identity.pipe if isinstance(identity, connect.Identity) else identity
    name, buffer = _pipe(c, node, pipe), c.buffer(block.buffer, node)
    location, kind = c.source.location(node), "write" if sending else "read"
    marks = {"reserved": None} if sending and block.taken == "reserve" else {}
    marks |= _landing(c, node, pipe, block.buffer, sending)
    _agree(c, node, pipe, block.buffer)
    c.kernel.flows.piped(pipe, block.buffer, sending)
    operands = (buffer, name) if sending else (name, buffer)
    return Handle(c.writer.op("ttl.copy", operands, f"!ttl.transfer_handle<{kind}>", location, marks), kind, location,
                  block if receiving else None)


# ---- semaphores ---------------------------------------------------------------------------------


def _semaphore(c, node, semaphore):
    if c.kind == "compute":
        c.fail(node, "semaphores belong to data movement threads", "let a data movement thread wait, and push a block")
    if semaphore not in c.semaphores:
        attributes = {"semaphore_index": semaphore.number, "scratch_index": semaphore.scratch, "ttl.name": string(semaphore.name or "")}
        if semaphore.initial_value:
            attributes["initial_value"] = semaphore.initial_value
        c.semaphores[semaphore] = c.writer.at_head("ttl.create_semaphore", (), "!ttl.semaphore", at_line(*semaphore.made_at), attributes)
    return c.semaphores[semaphore]


def _word(c, node, value, low=0):
    """The value of a semaphore, or the amount to change it by."""
    if isinstance(value, int) and not low <= value < 2**32:
        c.fail(node, f"semaphores hold integers from 0 to {2**32 - 1}, got {value}")
    return c.arithmetic.integer(value, node, "a semaphore")


def _wait(name, comparison):
    def handle(c, node, args, kwargs):
        semaphore, value = take(c, node, name, args, kwargs, {"self": ..., "value": ...})
        number = _word(c, node, value)
        c.writer.op("ttl.semaphore_wait", (_semaphore(c, node, semaphore), number.name), (), c.source.location(node),
                    {"comparison": string(comparison)})

    return handle


handler(connect.Semaphore.wait_eq)(_wait("wait_eq", "equal"))
handler(connect.Semaphore.wait_ge)(_wait("wait_ge", "min"))


def _change(op, find):
    def handle(c, node, args, kwargs):
        semaphore, value = take(c, node, op, args, kwargs, {"self": ..., "value": 1 if op == "inc" else ...})
        number = _word(c, node, value, -2**31 if op == "inc" else 0)
        c.writer.op(f"ttl.semaphore_{op}", (find(c, node, semaphore), number.name), (), c.source.location(node))

    return handle


def _remote(c, node, remote):
    core = remote.core if isinstance(remote.core, (tuple, list)) else (remote.core,)
    core = c.now(node, tuple(core))
    if len(core) != len(c.kernel.making.grid):
        c.fail(node, f"the core {describe(core)} has {len(core)} coordinates, the grid {c.kernel.making.grid}")
    x, y = (c.arithmetic.integer(v, node, "a core").name for v in c.physical_of(node, core))
    return c.writer.op("ttl.get_remote_semaphore", (_semaphore(c, node, remote.semaphore), x, y), "!ttl.semaphore",
                       c.source.location(node))


def _remote_multicast(c, node, remote):
    grid = c.kernel.making.grid
    cores = c.static(node, connect.cores_of, tuple(slice(0, g) for g in grid) if remote.cores is None else remote.cores, grid)
    first, last = _rectangle(c, node, cores)
    names = [c.arithmetic.value(v, node).name for v in (*first, *last)]
    return c.writer.op("ttl.get_remote_multicast_semaphore", (_semaphore(c, node, remote.semaphore), *names), "!ttl.semaphore",
                       c.source.location(node))


handler(connect.Semaphore.set)(_change("set", _semaphore))
handler(connect.UnicastRemoteSemaphore.set)(_change("set", _remote))
handler(connect.UnicastRemoteSemaphore.inc)(_change("inc", _remote))
handler(connect.MulticastRemoteSemaphore.set)(_change("set", _remote_multicast))


@handler(connect.Semaphore.get_remote)
def get_remote(c, node, args, kwargs):
    return connect.UnicastRemoteSemaphore(*take(c, node, "get_remote", args, kwargs, {"self": ..., "core": ...}))


@handler(connect.Semaphore.get_remote_multicast)
def get_remote_multicast(c, node, args, kwargs):
    return connect.MulticastRemoteSemaphore(
        *take(c, node, "get_remote_multicast", args, kwargs, {"self": ..., "core_range": None}))
