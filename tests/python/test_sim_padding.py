"""Lanes of tiles beyond their tensor: told where they go into its numbers, and only there."""

import numpy as np
import pytest
from grid_kernels import Built, cb_type, op
from tilewright import sim


def regs(*steps):
    return "".join(f"    {s}\n" for s in [op("tile_regs_acquire"), *steps, op("tile_regs_commit"), op("tile_regs_wait"),
                                          op("pack_tile", ["c0", "out", "c0"], ["index", cb_type(1, "f32"), "index"],
                                             "<{out_of_order = true}>"), op("tile_regs_release")])


C = cb_type(1, "f32")
COPY = [op("copy_tile_init", ["in0"], [C]), op("copy_tile", ["in0", "c0", "c0"], [C, "index", "index"])]
MASK = [op("copy_tile_init", ["in1"], [C]), op("copy_tile", ["in1", "c0", "c1"], [C, "index", "index"]),
        op("mul_binary_tile_init"), op("mul_binary_tile", ["c0", "c1", "c0"], ["index"] * 3)]


def unary(*names):
    return [s for name in names for s in (op(f"{name}_tile_init"), op(f"{name}_tile", ["c0"], ["index"]))]


def reduces(dim, kind="sum"):
    attrs = f"<{{reduce_dim = #ttkernel.reduce_dim<reduce_dim_{dim}>, reduce_type = #ttkernel.reduce_type<reduce_{kind}>}}>"
    return [op("reduce_init", ["out", "in1", "out"], [C] * 3, attrs),
            op("tile_regs_acquire"),
            op("reduce_tile", ["out", "in1", "c0", "c0", "c0"], [C, C, "index", "index", "index"], attrs),
            op("tile_regs_commit"), op("tile_regs_wait"), op("tile_regs_release"), op("reduce_uninit")]


def told(shape, steps, dim, kind="sum"):
    """What is told when a tile that these steps made is reduced."""
    grid = sim.Grid()
    ones = np.ones((32, 32), np.float32)
    push = [op("cb_push_back", ["out", "w1"], [C, "i32"]), op("cb_wait_front", ["out", "w1"], [C, "i32"])]
    again = [op("cb_pop_front", ["out", "w1"], [C, "i32"]), op("cb_reserve_back", ["out", "w1"], [C, "i32"])]
    last = [*COPY]
    start = f"    {op('compute_kernel_hw_startup', ['in0', 'in1', 'out'], [C] * 3)}\n"
    body = start + regs(*steps) + "".join(f"    {s}\n" for s in [*push, *reduces(dim, kind), *again]) + regs(*last)
    built = Built(grid, [np.ones(shape, np.float32), ones], ["f32", "f32"], (32, 32), "f32", body, wide_dst=True)
    built.run()
    return [r["kind"] for r in built.launch.reports]


@pytest.mark.parametrize("shape, steps, dim, wrong", [
    ((32, 20), COPY, "row", False),  # zeros add nothing
    ((32, 20), COPY + unary("exp"), "row", True),
    ((32, 20), COPY + unary("exp"), "col", False),  # whole columns are in the padding, none goes in
    ((20, 32), COPY + unary("exp"), "col", True),
    ((20, 32), COPY + unary("exp"), "row", False),
    ((20, 20), COPY + unary("exp"), "scalar", True),
    ((32, 32), COPY + unary("exp"), "row", False),
    ((32, 20), COPY + unary("exp") + MASK, "row", False),  # what multiplies may be a mask
    ((32, 20), COPY + unary("abs", "square", "sqrt", "relu"), "row", False),
    ((32, 20), COPY + unary("cos", "abs"), "row", True),
    ((32, 20), COPY + unary("square", "exp", "negative"), "row", True),
])
def test_padding_that_goes_into_numbers(shape, steps, dim, wrong):
    assert told(shape, steps, dim) == (["padding"] if wrong else [])
