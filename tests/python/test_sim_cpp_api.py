"""The kernel API beyond TTKernel's operations: functions of tiles, arguments by address and by name, queries of
circular buffers, writes with state, the packer's relu."""

import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from cpp_kernels import bits, compute, printed  # noqa: E402
from tilewright import sim  # noqa: E402

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
F = torch.nn.functional


# name: (operands, torch's reference); inputs are -3 to 3 unless they are the third
FUNCTIONS = {
    "leaky_relu": ([0.25], lambda x: F.leaky_relu(x, 0.25)), "prelu": ([0.5], lambda x: torch.where(x < 0, x * 0.5, x)),
    "relu_max": ([1.5], lambda x: x.clamp(0, 1.5)), "relu_min": ([0.5], lambda x: x.clamp(min=0.5)),
    "elu": ([0.7], lambda x: F.elu(x, 0.7)), "celu": ([2.0, 0.5], lambda x: F.celu(x, 2.0)),
    "hardtanh": ([-1.0, 2.0], lambda x: F.hardtanh(x, -1, 2)), "hardswish": ([], F.hardswish),
    "hardshrink": ([0.5], lambda x: F.hardshrink(x, 0.5)), "softshrink": ([0.5], lambda x: F.softshrink(x, 0.5)),
    "threshold": ([1.0, 7.0], lambda x: F.threshold(x, 1.0, 7.0)), "mish": ([], F.mish), "logsigmoid": ([], F.logsigmoid),
    "tanhshrink": ([], F.tanhshrink), "rsub_unary": ([3.0], lambda x: 3 - x), "rsub": ([3.0], lambda x: 3 - x),
    "rdiv": ([3.0], lambda x: 3 / x), "unary_max": ([0.5], lambda x: x.clamp(min=0.5)),
    "unary_min": ([0.5], lambda x: x.clamp(max=0.5)), "unary_eq": ([0.5], lambda x: x == 0.5),
    "unary_ne": ([0.5], lambda x: x != 0.5), "unary_gt": ([0.5], lambda x: x > 0.5), "unary_ge": ([0.5], lambda x: x >= 0.5),
    "unary_lt": ([0.5], lambda x: x < 0.5), "unary_le": ([0.5], lambda x: x <= 0.5),
    "heaviside": ([0.25], lambda x: torch.heaviside(x, torch.tensor(0.25))),
    "isinf": ([], torch.isinf), "isposinf": ([], torch.isposinf), "isneginf": ([], torch.isneginf), "isnan": ([], torch.isnan),
    "isfinite": ([], torch.isfinite), "sinh": ([], torch.sinh), "cosh": ([], torch.cosh), "asinh": ([], torch.asinh),
    "acosh": ([], torch.acosh, (1, 9)), "atanh": ([], torch.atanh, (-0.9, 0.9)),
    "cbrt": ([], lambda x: x.sign() * x.abs().pow(1 / 3)), "log2": ([], torch.log2, (0.1, 9)),
    "log10": ([], torch.log10, (0.1, 9)), "lgamma": ([], torch.lgamma, (0.5, 9)),
    "fmod": ([0.75, 4 / 3], lambda x: torch.fmod(x, 0.75)), "remainder": ([0.75, 4 / 3], lambda x: torch.remainder(x, 0.75)),
    "rpow": ([2.0], lambda x: 2.0 ** x), "identity": ([], lambda x: x),
}


def test_functions_of_tiles():
    """Every function that `sim --list-functions` lists as one of a tile and numbers."""
    tiles, steps = [], []
    for i, (name, (numbers, _, *limits)) in enumerate(FUNCTIONS.items()):
        low, high = limits[0] if limits else (-3, 3)
        tile = np.random.default_rng(i).uniform(low, high, (32, 32)).astype(np.float32)
        tile[0, :4] = [0.5, 1.5, np.inf, -np.inf] if name.startswith("is") else [low, high, 0.5, 0.75]
        tile[1, 0] = np.nan if name.startswith("is") else tile[1, 0]
        tiles.append(tile)
        given = "".join(f", {bits(v)}u" for v in numbers)
        steps.append(f"{name}_tile_init(); {name}_tile(0{given});")
    x = np.concatenate(tiles, axis=1)
    got = compute(x, steps)
    for i, (name, (_, want, *_)) in enumerate(FUNCTIONS.items()):
        right = want(torch.from_numpy(tiles[i])).float().numpy()
        assert np.allclose(got[:, 32 * i:32 * i + 32], right, rtol=2e-5, atol=2e-6, equal_nan=True), name


def test_the_packers_relu():
    x = np.linspace(-4, 4, 4 * 1024, dtype=np.float32).reshape(32, 128)
    half = bits(0.5)
    got = compute(x, ["PACK((llk_pack_relu_config(ReluType::NO_RELU)));", "PACK((llk_pack_relu_config(ReluType::ZERO_RELU)));",
                      f"PACK((llk_pack_relu_config(2u | {half}u)));", f"PACK((llk_pack_relu_config(3u | {half}u)));"])
    want = np.concatenate([x[:, :32], np.maximum(x[:, 32:64], 0), np.where(x[:, 64:96] > 0.5, x[:, 64:96], 0),
                           np.clip(x[:, 96:], 0, 0.5)], axis=1)
    assert np.array_equal(got, want)


def test_arguments_by_address_and_by_name():
    body = """
    volatile tt_l1_ptr uint32_t *xs = (volatile tt_l1_ptr uint32_t *)(get_arg_addr(1));
    uint32_t sum = 0;
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(0); i++)
        sum += xs[i];
    const uint32_t common = *(tt_l1_ptr uint32_t *)get_common_arg_addr(1);
    constexpr uint32_t pages = get_named_compile_time_arg_val("pages");
    DPRINT << sum << " " << common << " " << pages << ENDL();"""
    reports = printed(body, args=[3, 10, 20, 30], common_args=[7, 8], named_args={"pages": 5, "other": 6})
    assert reports == ["core 0,0: 60 8 5"]
    with pytest.raises((sim.KernelError, RuntimeError), match="argument"):
        printed("DPRINT << *(tt_l1_ptr uint32_t *)get_arg_addr(9) << ENDL();", args=[3])
    with pytest.raises(RuntimeError, match="get_named_compile_time_arg_val"):
        printed('constexpr uint32_t n = get_named_compile_time_arg_val("none"); DPRINT << n << ENDL();', named_args={"pages": 5})


def test_questions_about_buffers():
    body = """
    cb_reserve_back(0, 3);
    cb_push_back(0, 3);
    cb_wait_front(0, 2);
    auto ring = get_local_cb_interface(0);
    DPRINT << (uint32_t)cb_pages_available_at_front(0, 3) << (uint32_t)cb_pages_available_at_front(0, 4)
           << (uint32_t)cb_pages_reservable_at_back(0, 1) << (uint32_t)cb_pages_reservable_at_back(0, 2) << " "
           << ring.fifo_num_pages << " " << ring.fifo_page_size << " " << ring.fifo_size << " "
           << ring.fifo_wr_ptr - ring.fifo_rd_ptr << " " << get_tile_address(0, 1) - get_read_ptr(0) << ENDL();
    cb_pop_front(0, 2);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);"""
    assert printed(body) == ["core 0,0: 1010 4 4096 16384 12288 4096"]


def test_writes_with_state_and_virtual_channels():
    body = """
    uint32_t from = get_semaphore(0), to = get_semaphore(1);
    noc_semaphore_set((volatile tt_l1_ptr uint32_t *)from, 41);
    noc_async_write_one_packet_set_state(get_noc_addr(to), 16);
    noc_async_write_one_packet_with_state(from, to);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(to), 1, noc_index, 0);
    noc_async_atomic_barrier();
    DPRINT << *(volatile tt_l1_ptr uint32_t *)to << ENDL();"""
    assert printed(body) == ["core 0,0: 42"]
