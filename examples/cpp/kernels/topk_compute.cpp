// The 32 largest of each row's 64 values, in order, and their indices: rows become columns of two tiles, which the
// vector unit sorts; the tiles of the largest ones are transposed back.
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/compute_kernel_hw_startup.h"
#include "compute_kernel_api/transpose_wh.h"
#include "compute_kernel_api.h"

namespace {

constexpr uint32_t values = tt::CBIndex::c_0, indices = tt::CBIndex::c_1;
constexpr uint32_t largest = tt::CBIndex::c_24, where = tt::CBIndex::c_25, out = tt::CBIndex::c_16;
constexpr int K = 32, LOG_K = 5;

void turn(uint32_t from) {
    transpose_wh_init_short(from);
    cb_wait_front(from, 1);
    cb_reserve_back(out, 1);
    tile_regs_acquire();
    transpose_wh_tile(from, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, out);
    tile_regs_release();
    cb_push_back(out, 1);
    cb_pop_front(from, 1);
}

}  // namespace

void kernel_main() {
    compute_kernel_hw_startup(values, largest);
    cb_wait_front(values, 2);
    cb_wait_front(indices, 2);
    cb_reserve_back(largest, 1);
    cb_reserve_back(where, 1);

    tile_regs_acquire();
    transpose_wh_init_short(values);
    transpose_wh_tile(values, 0, 0);
    transpose_wh_tile(values, 1, 1);
    transpose_wh_init_short(indices);
    transpose_wh_tile(indices, 0, 2);
    transpose_wh_tile(indices, 1, 3);
    ckernel::topk_tile_init();
    ckernel::topk_local_sort(0, /*rising*/ 0, LOG_K - 1);
    ckernel::topk_merge(0, 0, K);
    ckernel::topk_rebuild(0, /*rising*/ 0, 0, K, LOG_K, /*only the first*/ 1);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, largest);
    pack_tile(2, where);
    tile_regs_release();

    cb_push_back(largest, 1);
    cb_push_back(where, 1);
    cb_pop_front(values, 2);
    cb_pop_front(indices, 2);
    pack_reconfig_data_format(out);
    turn(largest);
    turn(where);
}
