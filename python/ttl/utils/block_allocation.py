"""Distributes work among the cores of a grid, and sizes the blocks of large matrix products.

Grids are tuples whose last two sizes are rows and columns; those before them are 1.
"""

import collections
import math

TILES_IN_L1 = 400  # tiles of a core's memory available to the blocks of a matrix product

# Parts of a block that fit DST (8 tiles), best first: the more tiles, the squarer, the better.
SUBBLOCK_HW_CHOICES = [
    (4, 2), (2, 4), (8, 1), (1, 8), (7, 1), (1, 7), (3, 2), (2, 3), (6, 1), (1, 6), (5, 1), (1, 5), (2, 2), (4, 1),
    (1, 4), (3, 1), (1, 3), (2, 1), (1, 2), (1, 1),
]

MatmulParams = collections.namedtuple("MatmulParams", "block_h block_w subblock_h subblock_w")
NOTHING_FITS = MatmulParams(0, 0, 0, 0)


# ---- grids ---------------------------------------------------------------------------------------


def remove_leading_ones(grid):
    first = next((i for i, size in enumerate(grid) if size != 1), len(grid))
    return tuple(grid[first:])


def get_number_of_cores(grid):
    assert all(size > 0 for size in grid), "grid dimensions must be positive"
    return math.prod(grid)


def filter_factor_pairs_by_2d_grid(factor_pairs, grid):
    """Pairs that fit a grid of (rows, columns), swapped where that makes them fit."""
    def fits(a, b):
        return a <= grid[0] and b <= grid[1]

    return [(a, b) if fits(a, b) else (b, a) for a, b in factor_pairs if fits(a, b) or fits(b, a)]


def num_cores_to_grid_ranges(start_coord, target_num_cores, grid_size, row_wise=True):
    """Rectangles [(first core, last core), ...] of `target_num_cores` cores from a start on, counted along rows or
    columns."""
    assert len(start_coord) == len(grid_size), "start_coord and grid_size must have same dimensions"
    assert len(remove_leading_ones(grid_size)) <= 2, "Only supports 2D grids"
    rows, columns = ((1, 1) + tuple(grid_size))[-2:]
    at_row, at_column = ((0, 0) + tuple(start_coord))[-2:]
    assert at_row < rows and at_column < columns, "Start coord must be within grid"
    lead = (0,) * (len(grid_size) - 2)
    length, count = (columns, rows) if row_wise else (rows, columns)  # length and number of lines
    line, at = (at_row, at_column) if row_wise else (at_column, at_row)
    available = count * length - (line * length + at)
    assert target_num_cores <= available, f"Target {target_num_cores} exceeds available {available}"

    def core(line, at):
        return (lead + ((line, at) if row_wise else (at, line)))[-len(grid_size):]

    ranges, left = [], target_num_cores
    while left:
        if at == 0 and left >= length:
            lines = left // length
            ranges.append((core(line, 0), core(line + lines - 1, length - 1)))
            taken = lines * length
        else:
            lines, taken = 1, min(left, length - at)
            ranges.append((core(line, at), core(line, at + taken - 1)))
        line, at, left = line + lines, 0, left - taken
    return ranges


def split_work_to_cores(grid_size, units_to_divide, row_wise=True):
    """Distributes units of work as evenly as possible.

    Gives (cores used, group 1, group 2, units of each core of group 1, of group 2). A group is (first core,
    last core) in counting order, or () if it is empty; cores of group 1 have one unit more."""
    if units_to_divide == 0:
        return 0, (), (), 0, 0
    assert len(remove_leading_ones(grid_size)) <= 2, "only supports grids with a single device"
    cores = min(get_number_of_cores(grid_size), units_to_divide)
    assert cores > 0, "grid must have at least one core"
    each, more = divmod(units_to_divide, cores)

    def group(first, count):
        if not count:
            return ()
        columns = grid_size[-1]
        rows = grid_size[-2] if len(grid_size) > 1 else 1

        def core(number):
            at = divmod(number, columns) if row_wise else divmod(number, rows)[::-1]
            return ((0,) * (len(grid_size) - 2) + at)[-len(grid_size):]

        return core(first), core(first + count - 1)

    if not more:
        return cores, group(0, cores), (), each, 0
    return cores, group(0, more), group(more, cores - more), each + 1, each


# ---- blocks of matrix products ------------------------------------------------------------------------


def get_prime_factors_with_multiplicity(n):
    factors, divisor = [], 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            factors.append(divisor)
            n //= divisor
        divisor += 1
    return factors + [n] * (n > 1)


def get_possible_products(factors):
    """Every product of a subset of the factors, 1 included, in order."""
    products = {1}
    for factor in factors:
        products |= {factor * p for p in products}
    return sorted(products)


def get_maximum_block_dim(block_dim, in0_block_w):
    """The maximum of the other dimension, in tiles, for which the blocks fit: A and B twice, for double buffering,
    and C: 2 * k * m + 2 * k * n + m * n <= TILES_IN_L1. 0 if none does."""
    return max(0, (TILES_IN_L1 - 2 * in0_block_w * block_dim) // (2 * in0_block_w + block_dim))


def get_large_matmul_params(Mt, Nt, num_cores_y, num_cores_x, in0_block_w):
    """The block of a matrix product of (Mt, k) and (k, Nt) tiles that each core computes, and its part in DST.

    Prime factors of Mt and Nt that exceed the grid's size must stay on one core; of the others the block takes what
    fits. All zeros where nothing does.
    """
    m_small, m_least = _split_factors(Mt, num_cores_y)
    n_small, n_least = _split_factors(Nt, num_cores_x)
    if n_least > get_maximum_block_dim(m_least, in0_block_w):
        return NOTHING_FITS
    if m_least > 1:
        candidates = [(m_least, _largest(n_small, n_least, get_maximum_block_dim(m_least, in0_block_w)))]
    elif n_least > 1:
        candidates = [(_largest(m_small, m_least, get_maximum_block_dim(n_least, in0_block_w)), n_least)]
    else:
        candidates, m = [], 1
        for n in get_possible_products(n_small):  # narrow blocks first; where none fits, the former height is kept
            m = _largest(m_small, 1, get_maximum_block_dim(n, in0_block_w), m)
            candidates.append((m, n))
    for m, n in candidates:
        if Mt // m <= num_cores_y and Nt // n <= num_cores_x:
            sub = next(((h, w) for h, w in SUBBLOCK_HW_CHOICES if m % h == 0 and n % w == 0), None)
            if sub:
                return MatmulParams(m, n, *sub)
    return NOTHING_FITS


def _split_factors(size, cores):
    """(prime factors that can be distributed over the cores, the product of those that cannot)"""
    factors = get_prime_factors_with_multiplicity(size)
    return [f for f in factors if f <= cores], math.prod(f for f in factors if f > cores)


def _largest(factors, start, limit, otherwise=None):
    """The largest product of `start` and a subset of the factors within a limit."""
    fitting = [start * p for p in get_possible_products(factors) if start * p <= limit]
    return fitting[-1] if fitting else start if otherwise is None else otherwise
