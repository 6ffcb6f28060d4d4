"""Connections between cores: pipes and semaphores, made in the body of a kernel."""

import types

from .buffer import CircularBuffer, Making, variable_name
from .errors import OnlyInThreads

SEMAPHORES_A_PIPE = 3  # receivers ready, address of their block, block arrived


def _making(what):
    if Making.current is None:
        raise RuntimeError(f"{what} is made in the body of a kernel")
    return Making.current


def _only_in_threads(name):
    raise OnlyInThreads(f"{name}() works inside @ttl.datamovement() threads only")


def _core(core):
    core = (core,) if isinstance(core, int) else tuple(core)
    if not all(isinstance(c, int) and c >= 0 for c in core):
        raise ValueError(f"a core is one coordinate for each dimension of the grid, got {core}")
    return core


def cores_of(range_, grid):
    """All cores of a grid selected by a core or a range of them (half-open slices)."""
    parts = (range_,) if isinstance(range_, (int, slice)) else tuple(range_)
    if len(parts) != len(grid):
        raise ValueError(f"{range_} has {len(parts)} coordinates, the grid {tuple(grid)} has {len(grid)}")
    spans = []
    for part, size in zip(parts, grid):
        start, stop, step = part.indices(size) if isinstance(part, slice) else (part, part + 1, 1)
        if isinstance(part, slice) and part.stop is not None and part.stop > size:
            stop = part.stop
        if step != 1 or start >= stop:
            raise ValueError(f"{part} names no cores")
        if stop > size or start < 0:
            raise ValueError(f"{range_} lies outside the grid {tuple(grid)}")
        spans.append(range(start, stop))
    out = [()]
    for span in spans:
        out = [(*c, i) for c in out for i in span]
    return out


class Pipe:
    """Connects one core to another, or to a range of them: Pipe((0, 0), (0, slice(1, 4)))."""

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, src, dst):
        making = _making("a pipe")
        self.src, self.dst = _core(src), dst if isinstance(dst, (int, slice)) else tuple(dst)
        cores_of(self.src, making.grid)
        self.receivers = cores_of(self.dst, making.grid)
        self.semaphores = making.allocate_semaphores_of({self.src, *self.receivers}, SEMAPHORES_A_PIPE)
        self.name, self.made_at = variable_name(2)

    def has_current_core(self):
        """True if this core sends or receives through the pipe."""
        _only_in_threads("has_current_core")

    def __repr__(self):
        return f"Pipe({self.src}, {self.dst})"


class PipeNet:
    """Pipes that are used together."""

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, pipes):
        if not isinstance(pipes, (list, tuple, set, frozenset)) and not hasattr(pipes, "__iter__"):
            raise TypeError(f"a PipeNet is made of a list of pipes, got {pipes}")
        self.pipes = list(pipes)
        if not self.pipes or not all(isinstance(p, Pipe) for p in self.pipes):
            raise ValueError(f"a PipeNet is made of one or more pipes, got {pipes}")
        name, _ = variable_name(2)
        for pipe in self.pipes:
            pipe.name = pipe.name or name

    def if_src(self, function):
        """Calls function(pipe) for each pipe whose source is this core."""
        _only_in_threads("if_src")

    def if_dst(self, function):
        """Calls function(pipe) for each pipe that has this core as a destination."""
        _only_in_threads("if_dst")


class Identity:
    """A pipe as seen from one end; it has the other end: `dst` at the source, `src` at a destination."""

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, pipe, sends):
        self.pipe, self.sends = pipe, sends
        if sends:
            self.dst = pipe.dst
        else:
            self.src = pipe.src


def create_pipe(src_core, dst_core, dst_core_end=None):
    """A pipe to one core, or to all from dst_core to dst_core_end, both included."""
    if dst_core_end is None:
        return Pipe(src_core, dst_core)
    return Pipe(src_core, tuple(slice(a, b + 1) for a, b in zip(_core(dst_core), _core(dst_core_end))))


def if_pipe_src(pipes, function):
    """Calls function(pipe) for each of the pipes whose source is this core."""
    _only_in_threads("if_pipe_src")


def if_pipe_dst(pipes, function):
    """Calls function(pipe) for each of the pipes that has this core as a destination."""
    _only_in_threads("if_pipe_dst")


class Semaphore:
    """A counter on every core, used by data movement threads: they wait for their own core's, and set or
    increment other cores'."""

    def __init__(self, initial_value=0):
        if not isinstance(initial_value, int) or not 0 <= initial_value < 2**32:
            raise ValueError(f"a semaphore begins with a number of 32 bits, got {initial_value}")
        self.initial_value = initial_value
        self.number = _making("a semaphore").allocate_semaphores(2, initial_value)
        self.scratch = self.number + 1  # source address of multicasts
        self.name, self.made_at = variable_name(2)

    def wait_eq(self, value):
        """Waits until this core's semaphore equals value."""
        _only_in_threads("wait_eq")

    def wait_ge(self, value):
        """Waits until this core's semaphore is value or more."""
        _only_in_threads("wait_ge")

    def set(self, value):
        """Sets this core's semaphore."""
        _only_in_threads("set")

    def get_remote(self, core):
        """The same semaphore of another core."""
        return UnicastRemoteSemaphore(self, core)

    def get_remote_multicast(self, core_range=None):
        """The same semaphore of a range of cores, or of the whole grid."""
        return MulticastRemoteSemaphore(self, core_range)


class UnicastRemoteSemaphore:
    def __init__(self, semaphore, core):
        self.semaphore, self.core = semaphore, core

    def set(self, value):
        """Sets the other core's semaphore."""
        _only_in_threads("set")

    def inc(self, value=1):
        """Adds to the other core's semaphore."""
        _only_in_threads("inc")


class MulticastRemoteSemaphore:
    def __init__(self, semaphore, cores):
        self.semaphore, self.cores = semaphore, cores

    def set(self, value):
        """Sets the semaphores of all cores of the range."""
        _only_in_threads("set")


# ---- circles ----------------------------------------------------------------------------------------


class Circle(Exception):
    """Cores of a thread send to each other in a circle before they receive: the blocks need landing buffers."""

    def __init__(self, buffers):
        super().__init__(buffers)
        self.buffers = buffers  # pipe: a buffer whose blocks go through it


def in_circle(pipes):
    """The pipes that are part of a circle of cores."""
    to = {}
    for pipe in pipes:
        to.setdefault(pipe.src, set()).update(pipe.receivers)

    def reaches(pipe):
        seen, rest = set(), list(pipe.receivers)
        while rest:
            core = rest.pop()
            if core == pipe.src:
                return True
            if core not in seen:
                seen.add(core)
                rest += to.get(core, ())
        return False

    return [p for p in pipes if reaches(p)]


def landings(buffers):
    """For each pipe the buffer that receives its blocks; pipes without a common receiver share one."""
    out, taken = {}, []
    for pipe, like in buffers.items():
        kind, cores = (like.tiles, like.element, like.rows), set(pipe.receivers)
        for other, users, landing in taken:
            if other == kind and users.isdisjoint(cores):
                break
        else:
            users, landing = set(), CircularBuffer(like.tensor, like.shape, 1, dtype=like._dtype, element=like._element, name="landing")
            taken.append((kind, users, landing))
        users |= cores
        out[pipe] = landing
    return out
