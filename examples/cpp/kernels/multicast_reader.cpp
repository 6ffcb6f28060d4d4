// A block of A for each row of cores, read by the row's first core and sent to the others; a block
// of B for each column of cores, read by the column's first core. Both directions in one kernel:
// a core's role depends on its position.
#include "dataflow_api.h"
#include "hostdevcommon/common_values.hpp"

namespace {

struct Side {
    uint32_t cb, tiles;
    bool sends;
    uint32_t x0, y0, x1, y1, receivers;  // the rectangle of the receivers
    uint32_t sender_x, sender_y;
    uint32_t ready, sent;  // semaphores: receivers with room, arrival of the block
};

void send(const Side& side, uint32_t start, uint32_t bytes) {
    volatile tt_l1_ptr uint32_t* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(side.ready);
    noc_semaphore_wait(ready, side.receivers);
    noc_semaphore_set(ready, 0);
    const uint64_t data = get_noc_multicast_addr(side.x0, side.y0, side.x1, side.y1, start);
    noc_async_write_multicast(start, data, bytes, side.receivers);
    // the same NoC keeps the order: the block, then the word
    const uint64_t word = get_noc_multicast_addr(side.x0, side.y0, side.x1, side.y1, side.sent);
    noc_semaphore_set_multicast(side.sent, word, side.receivers);
    noc_async_write_barrier();
}

void receive(const Side& side) {
    volatile tt_l1_ptr uint32_t* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(side.sent);
    noc_semaphore_set(sent, INVALID);
    noc_semaphore_inc(get_noc_addr(side.sender_x, side.sender_y, side.ready), 1);
    noc_semaphore_wait(sent, VALID);
}

template <class Tensor>
void block(const Side& side, const Tensor& tensor, uint32_t first, uint32_t stride) {
    const uint32_t page = get_tile_size(side.cb);
    cb_reserve_back(side.cb, side.tiles);
    const uint32_t start = get_write_ptr(side.cb);
    if (side.sends) {
        for (uint32_t i = 0; i < side.tiles; i++) {
            noc_async_read_tile(first + i * stride, tensor, start + i * page);
        }
        noc_async_read_barrier();
        if (side.receivers) {
            send(side, start, side.tiles * page);
        }
    } else {
        receive(side);
    }
    cb_push_back(side.cb, side.tiles);
}

Side side_from(uint32_t cb, uint32_t arg, uint32_t tiles) {
    Side side = {cb, tiles, get_arg_val<uint32_t>(arg) == 1};
    side.x0 = get_arg_val<uint32_t>(arg + 1);
    side.y0 = get_arg_val<uint32_t>(arg + 2);
    side.x1 = get_arg_val<uint32_t>(arg + 3);
    side.y1 = get_arg_val<uint32_t>(arg + 4);
    side.receivers = get_arg_val<uint32_t>(arg + 5);
    side.sender_x = get_arg_val<uint32_t>(arg + 6);
    side.sender_y = get_arg_val<uint32_t>(arg + 7);
    side.ready = get_semaphore(get_arg_val<uint32_t>(arg + 8));
    side.sent = get_semaphore(get_arg_val<uint32_t>(arg + 9));
    if (side.sends) {
        *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(side.sent) = VALID;
    }
    return side;
}

}  // namespace

void kernel_main() {
    constexpr uint32_t kt = get_compile_time_arg_val(0);
    constexpr uint32_t nt = get_compile_time_arg_val(1);
    constexpr auto a_args = TensorAccessorArgs<2>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    constexpr uint32_t per_row = 1, per_column = 1;  // tiles of the result for each core

    const auto a = TensorAccessor(a_args, get_arg_val<uint32_t>(0), get_tile_size(tt::CBIndex::c_0));
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(tt::CBIndex::c_1));
    const uint32_t m = get_arg_val<uint32_t>(2), n = get_arg_val<uint32_t>(3);
    const Side rows = side_from(tt::CBIndex::c_0, 4, per_row);
    const Side columns = side_from(tt::CBIndex::c_1, 14, per_column);

    for (uint32_t k = 0; k < kt; k++) {
        block(rows, a, m * kt + k, kt);
        block(columns, b, k * nt + n, 1);
    }
    noc_async_atomic_barrier();
}
