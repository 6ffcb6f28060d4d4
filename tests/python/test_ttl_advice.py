"""Advice fits the mistake: products in the wrong order, unaligned rows, blocks without values yet, rows beyond a
tensor's last one, addresses of no core."""

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttnn  # noqa: E402
from tilewright import sim  # noqa: E402


def error_of(function, a_shape, b_shape, out_shape):
    """The error when two blocks, all of their tensors, are combined in an expression."""
    tiles = [tuple(d // 32 for d in shape) for shape in (a_shape, b_shape, out_shape)]

    @ttl.kernel(grid=(1, 1))
    def kernel(a, b, out):
        a_cb = ttl.make_circular_buffer_like(a, shape=tiles[0])
        b_cb = ttl.make_circular_buffer_like(b, shape=tiles[1])
        o_cb = ttl.make_circular_buffer_like(out, shape=tiles[2])

        @ttl.compute()
        def compute():
            with a_cb.wait() as x, b_cb.wait() as y, o_cb.reserve() as o:
                o.store(function(x, y, o))

        @ttl.datamovement()
        def read():
            with a_cb.reserve() as x, b_cb.reserve() as y:
                ttl.copy(a[0:tiles[0][0], 0:tiles[0][1]], x).wait()
                ttl.copy(b[0:tiles[1][0], 0:tiles[1][1]], y).wait()

        @ttl.datamovement()
        def write():
            with o_cb.wait() as o:
                ttl.copy(o, out[0:tiles[2][0], 0:tiles[2][1]]).wait()

    with pytest.raises(Exception) as caught:
        kernel(torch.rand(a_shape), torch.rand(b_shape), torch.zeros(out_shape))
    return str(caught.value)


LONG, TALL, TILE, WIDE = (32, 64), (64, 32), (32, 32), (64, 64)


@pytest.mark.parametrize("function, shapes, parts", [
    (lambda x, y, o: y @ x, (LONG, TALL, TILE), ["the product of (2, 1) and (1, 2) tiles has (2, 2)", "exchanged give (1, 1)"]),
    (lambda x, y, o: (y @ x) * 2 + 1, (LONG, TALL, TILE), ["the product of (2, 1) and (1, 2) tiles has (2, 2)", "exchanged give (1, 1)"]),
    (lambda x, y, o: x @ y, (TALL, (32, 96), LONG), ["the product of (2, 1) and (1, 3) tiles has (2, 3)", "rows of the first, columns of the second"]),
    (lambda x, y, o: y @ x, (LONG, (64, 96), (32, 96)), ["the first has 3 columns, the second 1 rows", "inner dimensions must be equal",
                                                         "exchanged, the operands give (1, 3)"]),
    (lambda x, y, o: x @ y, (LONG, LONG, TILE), ["the first has 2 columns, the second 1 rows", "ttl.transpose"]),
])
def test_products_in_the_wrong_order(function, shapes, parts):
    message = error_of(function, *shapes)
    assert all(part in message for part in parts) and "broadcast" not in message, message


def test_other_shapes_may_be_broadcast():
    assert "you can use ttl.math.broadcast()" in error_of(lambda x, y, o: x + y, LONG, TILE, LONG)


@pytest.mark.parametrize("function", [
    lambda x, y, o: ttl.math.fill(o, 1.0),
    lambda x, y, o: x + ttl.math.fill(o, 1.0) * 2,
    lambda x, y, o: o.fill(1.0),
    lambda x, y, o: o.zero_(),
])
def test_a_block_that_is_filled_before_it_has_values(function):
    message = error_of(function, TILE, TILE, TILE)
    assert "block.store(ttl.math.fill(other, number)) fills it, `other` being a block of its shape that wait() gave" in message, message


@pytest.mark.parametrize("shape, block", [((4, 20), (1, 20)), ((4, 7), (1, 7)), ((4, 20), (1, 3))])
def test_rows_that_are_not_aligned(shape, block):
    device = ttnn.open_device(device_id=0)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, out):
        cb = ttl.make_circular_buffer_like(x, shape=block)

        @ttl.datamovement()
        def read():
            with cb.reserve() as b:
                ttl.copy(x[0:1, 0:block[1]], b).wait()

        @ttl.datamovement()
        def write():
            with cb.wait() as b:
                ttl.copy(b, out[0:1, 0:block[1]]).wait()

    tensors = [ttnn.from_torch(torch.ones(shape), dtype=ttnn.bfloat16, layout=ttnn.ROW_MAJOR_LAYOUT, device=device) for _ in range(2)]
    with pytest.raises(Exception, match="a page is a multiple of 16 bytes") as caught:
        kernel(*tensors)
    assert "rows hold a multiple of 8 elements" in str(caught.value) and "keep fewer" not in str(caught.value)


@pytest.mark.parametrize("layout, index, message", [
    (ttnn.TILE_LAYOUT, (3, 0), "row 3 is not in the tensor, which has 3 rows of tiles"),
    (ttnn.TILE_LAYOUT, (-1, 0), "row -1 is not in the tensor, which has 3 rows of tiles"),
    (ttnn.TILE_LAYOUT, (0, 2), "column 2 is not in the tensor, which has 2 columns of tiles"),
    (ttnn.ROW_MAJOR_LAYOUT, (96, 0), "row 96 is not in the tensor, which has 96 rows"),
])
def test_rows_behind_the_last_one(layout, index, message):
    device = ttnn.open_device(device_id=0)
    shape = (1, 1) if layout == ttnn.TILE_LAYOUT else (1, 64)

    @ttl.kernel(grid=(1, 1))
    def kernel(x, out, row: ttl.RuntimeInt, column: ttl.RuntimeInt):
        cb = ttl.make_circular_buffer_like(x, shape=shape)

        @ttl.datamovement()
        def read():
            with cb.reserve() as b:
                ttl.copy(x[row:row + 1, column:column + shape[1]], b).wait()

        @ttl.datamovement()
        def write():
            with cb.wait() as b:
                ttl.copy(b, out[0:1, 0:shape[1]]).wait()

    x, out = (ttnn.from_torch(torch.ones(96, 64), dtype=ttnn.float32, layout=layout, device=device) for _ in range(2))
    kernel(x, out, 0, 0)
    with pytest.raises(Exception) as caught:
        kernel(x, out, *index)
    assert message in str(caught.value) and "page" not in str(caught.value).splitlines()[0], caught.value


SENDS = """
#include "dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(COLUMN, ROW, ADDRESS), get_write_ptr(0), 32);
    noc_async_read_barrier();
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"""


@pytest.mark.parametrize("column, row, address, parts", [
    (18, 18, 1 << 21, ["32 bytes at address 0x200000 are not within the L1 of core 0,0", "offsets into its L1"]),
    (19, 20, (1 << 30) - 64, ["at address 0x3fffffc0 are not within the L1 of core 2,1", "offsets into its L1"]),
    (1, 0, 0x400, ["no worker's L1 has 32 bytes at x 1, y 0", "convert logical ones first"]),
])
def test_an_address_or_coordinates_at_fault(column, row, address, parts):
    grid = sim.Grid()
    source = SENDS.replace("COLUMN", str(column)).replace("ROW", str(row)).replace("ADDRESS", str(address))
    launch = grid.load().launch([sim.Run(source)], [sim.Buffer(0, "bf16", 1)], [])
    with pytest.raises(RuntimeError) as caught:
        launch.run()
    assert all(part in str(caught.value) for part in parts), caught.value
    assert ("logical" in str(caught.value)) == ("logical" in parts[1])
