"""Functions callable in threads: names and docstrings; the compiler implements them (intrinsics_*.py), and on the
host they raise."""

from .buffer import Making
from .errors import OnlyInThreads
from .operations import OPERATIONS
from .runtime import Coordinate


def _host(name):
    raise OnlyInThreads(f"ttl.{name}() works inside @ttl.compute() and @ttl.datamovement() threads only")


def copy(src, dst):
    """Starts a copy of tiles between a part of a tensor and a block, in either direction; returns a handle whose
    wait() completes it."""
    _host("copy")


def wait(handle):
    """The same as handle.wait()."""
    _host("wait")


def core(*, dims=None):
    """The coordinates of this core in the grid: `dims` of them, in the order of the kernel's grid (default: all).
    With fewer, the last one flattens the remaining dimensions, as in grid_size(); with more, zeros follow. With one,
    an integer. In the kernel's body the result is symbolic: compute with it, and use that in threads."""
    if Making.current is None or Making.current.done:
        _host("core")
    grid = tuple(Making.current.grid)
    dims = len(grid) if dims is None else dims
    fold(grid, dims, False, 1)  # checks dims
    return Coordinate(1, 0) if dims == 1 else tuple(Coordinate(dims, i) for i in range(dims))


def core_linear():
    """The index of this core in the grid, counted row by row."""
    _host("core_linear")


def grid_slice(tensor, block_factors):
    """This core's part of a tensor, (rows, columns) tiles: the grid covers the tensor block by block."""
    _host("grid_slice")


def TensorAccessor(tensor, index_type=None):  # noqa: N802
    """A tensor, to be indexed in tiles: itself."""
    return tensor


def signpost(name):
    """Marks this point of the thread in the profile."""
    _host("signpost")


def grid_size(*, dims=None):
    """The number of cores of the grid in each of `dims` dimensions (default: all). With fewer, trailing ones are
    flattened; with more, ones follow. With one, an integer."""
    grid = Making.current.grid if Making.current else Making.last_grid
    if grid is None:
        raise RuntimeError("ttl.grid_size() works inside a kernel, or after one has run")
    return fold(tuple(grid), dims, trailing=True, filler=1)


def fold(sizes, dims, trailing, filler):
    """A grid's sizes in another number of dimensions."""
    dims = len(sizes) if dims is None else dims
    if not isinstance(dims, int) or dims < 1:
        raise ValueError(f"dims must be a positive integer, got {dims}")
    if dims >= len(sizes):
        out = sizes + (filler,) * (dims - len(sizes))
    else:
        count = len(sizes) - dims + 1
        part = sizes[-count:] if trailing else sizes[:count]
        product = 1
        for size in part:
            product *= size
        out = (*sizes[:-count], product) if trailing else (product, *sizes[count:])
    return out[0] if dims == 1 else out


def _elementwise(row):
    def function(*blocks):
        _host(f"math.{row.name}")

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = f"{row.summary}, of each element of {('a block', 'two blocks', 'three blocks')[row.operands - 1]}."
    return function


ELEMENTWISE = {name: _elementwise(row) for name, row in OPERATIONS.items()}


def clamp(block, min, max):  # noqa: A002
    """Each element clamped to [min, max], two numbers."""
    _host("math.clamp")


def typecast(block, dtype):
    """Each element converted to another type, one of torch's, NumPy's or ttnn's, or a block's dtype. To integers:
    fractions are truncated, values outside the type saturate, and NaN becomes 0; between integers the low bits are
    kept; to floats: rounded to nearest."""
    _host("math.typecast")


def broadcast(block, output=None, *, dims=None, axis=None):
    """Broadcasts a block along `dims` (0: rows, 1: columns; `axis` is the same): row 0, column 0 or the first element
    of each tile, and tiles where the block has one. The shape is that of the other operand or of the destination."""
    _host("math.broadcast")


def matmul(a, b, output=None):
    """The matrix product of two blocks, (m, k) and (k, n) tiles: the same as a @ b. `output`, as in transpose and
    reductions, may name the block that it is stored in."""
    _host("math.matmul")


def reduce_sum(block, scaler=None, output=None, *, dims=None, axis=None):
    """The sum along `dims` (0: over rows, 1: over columns; none: over all; `axis` is the same), times the scaler's
    values: a block of one tile (none: ones)."""
    _host("math.reduce_sum")


def reduce_max(block, scaler=None, output=None, *, dims=None, axis=None):
    """The maximum along `dims` (0: over rows, 1: over columns; none: over all; `axis` is the same), times the
    scaler's values: a block of one tile (none: ones)."""
    _host("math.reduce_max")


def transpose(block, output=None):
    """Rows and columns exchanged, of the block's tiles and inside each tile."""
    _host("math.transpose")
