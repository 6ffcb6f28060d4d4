"""D2M's passes on tensors: moved, broadcast, reduced and joined ones run on the simulated grid, beside NumPy's."""

import numpy as np
import pytest

from test_d2m_run import Op, check, numbers, reduction


def integers(values):
    return "[" + ", ".join(f"{v} : i32" for v in values) + "]"


def cut(x, begins, ends, steps):
    return Op("slice_static", [x], lambda v: v[tuple(map(slice, begins, ends, steps))].copy(),
              f"{{begins = {integers(begins)}, ends = {integers(ends)}, step = {integers(steps)}}}")


def permute(x, *order):
    return Op("permute", [x], lambda v: v.transpose(order).copy(), f"{{permutation = array<i64: {', '.join(map(str, order))}>}}")


def reshape(x, *shape):
    return Op("reshape", [x], lambda v: v.reshape(shape).copy(), f"{{shape = {integers(shape)}}}")


def concat(dim, *shapes):
    return Op("concat", [numbers(*s) for s in shapes], lambda *v: np.concatenate(v, axis=dim), f"{{dim = {dim} : si32}}")


def broadcast(x, *shape):
    factors = ", ".join(str(o // i) for o, i in zip(shape, x.shape))
    return Op("broadcast", [x], lambda v: np.broadcast_to(v, shape).copy(), f"{{broadcast_dimensions = array<i64: {factors}>}}")


MEMORIES = ["", "default-input-memspace=dram default-output-memspace=dram"]
MOVED = {
    "permute-inner": permute(numbers(3, 40, 50), 0, 2, 1), "permute-outer": permute(numbers(3, 40, 50), 1, 0, 2),
    "permute-both": permute(numbers(3, 40, 50), 2, 1, 0), "permute-cycle": permute(numbers(3, 40, 50), 1, 2, 0),
    "permute-four": permute(numbers(2, 3, 40, 50), 3, 1, 0, 2), "permute-odd": permute(numbers(50, 70), 1, 0),
    "reshape-merge": reshape(numbers(3, 40, 50), 120, 50), "reshape-split": reshape(numbers(60, 96), 3, 20, 96),
    "reshape-ones": reshape(numbers(50, 70), 1, 50, 1, 70), "reshape-width": reshape(numbers(64, 64), 128, 32),
    "reshape-batches": reshape(numbers(2, 3, 40, 50), 6, 40, 50),
    "slice-odd": cut(numbers(96, 160), [5, 7], [60, 100], [1, 1]), "slice-rows": cut(numbers(96, 160), [0, 0], [96, 160], [2, 1]),
    "slice-steps": cut(numbers(96, 160), [1, 2], [90, 150], [1, 3]), "slice-few": cut(numbers(96, 160), [0, 4], [96, 8], [1, 1]),
    "slice-outer": cut(numbers(4, 64, 96), [1, 0, 0], [3, 64, 96], [1, 1, 1]),
    "concat-columns": concat(1, (50, 70), (50, 30)), "concat-tiles": concat(1, (64, 64), (64, 96), (64, 32)),
    "concat-few": concat(1, (40, 4), (40, 5), (40, 3)), "concat-outer": concat(0, (2, 40, 50), (1, 40, 50)),
}


@pytest.mark.parametrize("memory", MEMORIES, ids=["l1", "dram"])
@pytest.mark.parametrize("name", MOVED)
def test_moved(name, memory, tmp_path):
    check(tmp_path, MOVED[name], memory)


@pytest.mark.parametrize("shape", [(3, 40, 50), (1, 40, 50), (3, 1, 50), (3, 40, 1), (1, 1, 50), (1, 1, 1)])
def test_implicit_broadcasts(shape, tmp_path):
    check(tmp_path, Op("add", [numbers(3, 40, 50), numbers(*shape)], np.add))


@pytest.mark.parametrize("op", [broadcast(numbers(96, 1), 96, 160), broadcast(numbers(1, 1), 40, 50), broadcast(numbers(1, 40, 50), 3, 40, 50)],
                         ids=["columns", "all", "outer"])
def test_broadcasts(op, tmp_path):
    check(tmp_path, op)


NEGATIVE = -np.abs(numbers(5, 40, 50)) - 1


@pytest.mark.parametrize("op", [
    reduction("sum", np.sum, numbers(7, 40, 50), 0), reduction("mean", np.mean, numbers(7, 40, 50), 0), reduction("max", np.max, NEGATIVE, 0, 1),
    reduction("min", np.min, -NEGATIVE, 0), reduction("sum", np.sum, numbers(3, 4, 40, 50), 0, 1), reduction("sum", np.sum, numbers(3, 40, 50), 0, 1, 2),
    reduction("max", np.max, NEGATIVE[0].copy(), 0),
], ids=["sum", "mean", "max", "min", "two", "all", "padding"])
def test_reductions_of_padded_tensors(op, tmp_path):
    check(tmp_path, op, rtol=0.02, atol=0.1)


@pytest.mark.parametrize("a, b", [((50, 70), (70, 30)), ((3, 50, 70), (3, 70, 30)), ((32, 2048), (2048, 32))], ids=["odd", "batches", "long"])
def test_products(a, b, tmp_path):
    check(tmp_path, Op("matmul", [numbers(*a) / 4, numbers(*b) / 4], np.matmul), rtol=0.02, atol=0.1)


def test_padding_behind_the_last_row(tmp_path):
    """A product's blocks of 384 rows are padded to 512, those of the chain behind it are not: the view read a row of cores that the chip lacks."""
    product = Op("matmul", [numbers(4, 384, 32) / 4, numbers(4, 32, 128) / 4], np.matmul)
    check(tmp_path, Op("exp", [reshape(product, 12, 128, 128)], np.exp), rtol=0.02, atol=0.1)


def test_fills(tmp_path):
    full = Op("full", [], lambda: np.full((40, 50), 2.5, np.float32), "{shape = array<i32: 40, 50>, fill_value = 2.5 : f32}")
    check(tmp_path, Op("subtract", [full, Op("add", [numbers(40, 50), full], np.add)], np.subtract))
