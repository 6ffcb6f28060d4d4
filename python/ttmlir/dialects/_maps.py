"""Affine maps for scripts that use the d2m and ttir dialects."""

import re
from math import prod

from ttmlir import ir as _ir


def affine_map_compose(outer, inner):
    """`outer` applied to a position; or, to another map: their composition."""
    if not isinstance(inner, _ir.AffineMap):
        values = [_ir.AffineConstantExpr.get(int(i), outer.context) for i in inner]
        at = _ir.AffineMap.get(0, 0, values, outer.context)
        if len(values) != outer.n_dims:
            raise ValueError(f"a position of {len(values)} coordinates in a map of {outer.n_dims} dimensions")
        return [_ir.AffineExpr.simplify_affine_expr(e.compose(at), 0, 0).value for e in outer.results]
    return _ir.AffineMap.get(inner.n_dims, inner.n_symbols, [e.compose(inner) for e in outer.results], inner.context)


def _groups(side):
    """"b (h w) c" as [["b"], ["h", "w"], ["c"]]."""
    words = re.findall(r"\(([^()]*)\)|([^\s()]+)", side)
    return [group.split() if group else [word] for group, word in words if group.split() or word]


def rearrange_inv_pattern_map(ctx, pattern, shape):
    """The map from positions in the result of `ttir.rearrange` to those in its operand: "b h w -> (b h) w"."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError(f"expected one '->' in pattern '{pattern}'")
    before, after = map(_groups, sides)
    names = [name for group in before for name in group]
    if sorted(names) != sorted(name for group in after for name in group) or len(set(names)) != len(names):
        raise RuntimeError(f'rearrange_pattern_affine_map: failed to parse pattern "{pattern}".')
    if any(len(group) != 1 for group in before) or len(names) != len(shape):
        raise RuntimeError(f'pattern "{pattern}" does not name the {len(shape)} dimensions of the tensor')
    sizes, found = dict(zip(names, shape)), {}
    for d, group in enumerate(after):
        step = 1
        for name in reversed(group):
            at = _ir.AffineDimExpr.get(d, ctx)
            at = _ir.AffineFloorDivExpr.get(at, step) if step > 1 else at
            found[name] = at if name == group[0] else _ir.AffineModExpr.get(at, sizes[name])
            step *= sizes[name]
    return _ir.AffineMap.get(len(after), 0, [found[name] for name in names], ctx)


def _ascending(shape):
    """(dimension, size) from the fastest: the last shard dimension, its grid dimension, the one before, ..."""
    half = len(shape) // 2
    for d in range(half - 1, -1, -1):
        yield half + d, shape[half + d]
        yield d, shape[d]


def calculate_reblock_map(input_shape, output_shape, ctx):
    """The map from positions in one blocking (grid, then shard dimensions) of a tensor to those in another."""
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
