"""Affine maps that scripts over the d2m and ttir dialects ask for."""

from math import prod

from ttmlir import ir as _ir


def affine_map_compose(outer, inner):
    """The map that applies `inner`, then `outer`."""
    return _ir.AffineMap.get(inner.n_dims, inner.n_symbols, [e.compose(inner) for e in outer.results], inner.context)


def _ascending(shape):
    """(dimension, size) from the fastest: the last shard dimension, its grid dimension, the one before, ..."""
    half = len(shape) // 2
    for d in range(half - 1, -1, -1):
        yield half + d, shape[half + d]
        yield d, shape[d]


def calculate_reblock_map(input_shape, output_shape, ctx):
    """From positions in one blocking (grid, then shard dimensions) of a tensor to those in another."""
    if len(input_shape) % 2 or len(output_shape) % 2 or prod(input_shape) != prod(output_shape):
        raise ValueError(f"{list(input_shape)} and {list(output_shape)} are no blockings of one tensor")
    if list(input_shape) == list(output_shape):
        return _ir.AffineMap.get_identity(len(input_shape), ctx)
    flat, step = _ir.AffineConstantExpr.get(0, ctx), 1
    for d, size in _ascending(output_shape):
        if size > 1:
            flat = _ir.AffineDimExpr.get(d, ctx) * step + flat
            step *= size
    results, step = [None] * len(input_shape), 1
    for d, size in _ascending(input_shape):
        results[d] = _ir.AffineFloorDivExpr.get(flat, step)
        if d != 0 or size == 1:
            results[d] = _ir.AffineModExpr.get(results[d], size)
        step *= size
    return _ir.AffineMap.get(len(output_shape), 0, results, ctx)
