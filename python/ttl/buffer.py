"""Objects that the body of a kernel function makes on the host: circular buffers, pipes, semaphores."""

import ast
import itertools
import math
import sys

from . import compat, types
from .errors import OnlyInThreads
from .values import a_kind

MAX_BUFFERS = 32
MAX_SEMAPHORES = 32


class Making:
    """The kernel whose body is running: the objects that it has made so far."""

    current = None
    last_grid = None  # of the kernel that was called last

    def __init__(self, grid, block_shape=lambda tensor: None, first_tensor=None):
        self.block_shape = block_shape  # the default of buffers like a tensor
        self.first_tensor = first_tensor
        self.grid, self.buffers, self.threads = grid, [], []
        self.done = False  # true once the body has run, so that threads are compiled
        self.semaphores = []  # initial value of each
        self.pipe_semaphores = []  # (first index, the cores that use it)

    def allocate_semaphores(self, count, value=0):
        """Allocates `count` semaphore indices; returns the first. A core has 32."""
        first = len(self.semaphores)
        if first + count > MAX_SEMAPHORES:
            raise ValueError(f"a core has {MAX_SEMAPHORES} semaphores; a pipe takes 3, a Semaphore 2")
        self.semaphores += [value] * count
        return first

    def allocate_semaphores_of(self, cores, count):
        """The same for a group of cores: groups without a common core share indices."""
        for first, users in self.pipe_semaphores:
            if users.isdisjoint(cores):
                users |= cores
                return first
        first = self.allocate_semaphores(count)
        self.pipe_semaphores.append((first, set(cores)))
        return first


def variable_name(depth):
    """The variable that the caller's statement assigns to, for reports (`a_cb = make_...` gives "a_cb"), and the
    statement's location."""
    import linecache

    frame = sys._getframe(depth)
    while frame.f_globals.get("__name__") in (__name__, "ttl.connect"):
        frame = frame.f_back
    location = frame.f_code.co_filename, frame.f_lineno
    line = linecache.getline(*location)
    if ";" not in line:
        name, equals, value = line.partition("=")
        of_several = value.lstrip()[:1] in ("[", "(", "{")  # name_buffers() names these by their positions
        return name.strip() if equals and name.strip().isidentifier() and not of_several else None, location
    return _assigned_at(line, frame), location


def _assigned_at(line, frame):
    """The target assigned by the statement that a frame is executing, where a line has several statements."""
    indent = len(line) - len(line.lstrip())
    try:
        statements = ast.parse(line.strip()).body
        column = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))[2] - indent
    except (SyntaxError, AttributeError, TypeError):  # half a statement; or no columns, before 3.11
        return None
    for s in statements:
        if s.col_offset <= column < s.end_col_offset and isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name):
            return s.targets[0].id
    return None


def name_buffers(variable, value):
    """Names buffers whose creating statement gave no name after the variable that a thread uses."""
    for at, buffer in enumerate(value) if isinstance(value, (list, tuple)) else [(None, value)]:
        if isinstance(buffer, CircularBuffer) and not buffer.name:
            buffer.name = variable if at is None else f"{variable}[{at}]"


class CircularBuffer:
    """A circular buffer of `buffer_factor` (1 to 32) blocks of `shape` tiles, or elements where the tensor is stored
    in rows. `shape` has as many dimensions as the tensors that it is for; a number is one dimension.

    Threads capture it: `wait()` and `reserve()` give a block, `pop()` and `push()` end it; both may
    stand in a `with` statement, which ends them."""

    def __init__(self, tensor=None, shape=None, buffer_factor=2, *, dtype=None, element=None, block_count=None,
                 name=None):
        factor = buffer_factor if block_count is None else block_count
        if shape is None and Making.current:
            shape = Making.current.block_shape(tensor)
        shape = (shape,) if isinstance(shape, int) else shape
        if compat.enabled() and (not isinstance(shape, (tuple, list)) or len(shape) != 2):
            raise ValueError(f"shape must be a 2-tuple, got {shape}")
        if not isinstance(shape, (tuple, list)) or not shape or not all(
                isinstance(d, int) and not isinstance(d, bool) and d > 0 for d in shape):
            raise ValueError(f"shape must hold positive integers (tiles), got {shape}" +
                             ("; give the block's rows and columns of tiles: shape=(1, 1)" if shape is None else ""))
        if not isinstance(factor, int) or not 1 <= factor <= 32:
            raise ValueError(f"buffer_factor must be in range [1, 32], got {factor!r}")
        if tensor is None and dtype is None and element is None and Making.current:
            tensor = Making.current.first_tensor  # buffers without one are like the kernel's first
        if dtype is None and element is None and not hasattr(tensor, "dtype"):
            raise TypeError(f"a circular buffer is like a tensor (torch's, NumPy's or ttnn's), not like {a_kind(tensor)}")
        self.tensor, self.shape, self.buffer_factor = tensor, tuple(shape), factor
        self.padded = False  # true if a compute thread reads blocks of elements that fill no tiles
        self.tiles = math.prod(shape[:-1]), shape[-1]  # rows and columns: matrices are stacked vertically
        self._dtype, self._element = dtype, element
        self.rows = tensor is not None and dtype is None and element is None and not compat.enabled() and types.is_rows(tensor)
        if self.rows and self.element not in types.NUMBER_BYTES:
            raise TypeError(f"no buffer holds rows of {self.element}: its numbers share exponents; keep the tensor in tiles")
        variable, self.made_at = variable_name(2)
        self.name = name or variable
        making = Making.current
        self._cb_index = len(making.buffers) if making else 0
        if making:
            if self._cb_index == MAX_BUFFERS:
                raise ValueError(f"a core has {MAX_BUFFERS} circular buffers; this kernel makes more")
            making.buffers.append(self)

    @property
    def called(self):
        """The buffer's name in messages."""
        return repr(self.name) if self.name else "a circular buffer"

    @property
    def dtype(self):
        return self.tensor.dtype if self._dtype is None else self._dtype

    @property
    def element(self):
        return self._element or types.element(self.dtype)

    @property
    def type(self):
        return types.buffer(self.tiles, self.element, self.buffer_factor, self.rows)

    @property
    def pages(self):
        """The number of pages of a block, and the bytes of one; 0 bytes for pages of a tile. Without tiles, a page
        has as many elements as a tile, or all of them where that does not divide evenly."""
        count = self.tiles[0] * self.tiles[1]
        if not self.rows:
            return count, 0
        if count % types.TILE_NUMBERS and not self.padded:
            return 1, count * types.NUMBER_BYTES[self.element]
        return -(-count // types.TILE_NUMBERS), types.TILE_NUMBERS * types.NUMBER_BYTES[self.element]

    def seen_by(self, kind):
        """Rows and columns of a block, and whether these are elements: compute threads treat rows as tiles, which is
        equivalent for element-wise operations."""
        if not self.rows or kind != "compute":
            return self.tiles, self.rows
        return (1, self.pages[0]), False

    def wait(self):
        """The oldest block that was pushed; the thread blocks until there is one."""
        _only_in_threads("wait")

    def pop(self):
        """Returns the block to the producer."""
        _only_in_threads("pop")

    def reserve(self):
        """A free block; the thread blocks until there is one."""
        _only_in_threads("reserve")

    def push(self):
        """Passes the block to the consumer."""
        _only_in_threads("push")


def _only_in_threads(name):
    raise OnlyInThreads(f"{name}() works inside @ttl.compute() and @ttl.datamovement() threads only")


def make_circular_buffer_like(tensor, shape=None, buffer_factor=2, *, block_count=None):
    """A circular buffer whose tiles are like the tensor's; `shape` is in tiles."""
    return CircularBuffer(tensor, shape, buffer_factor, block_count=block_count)
