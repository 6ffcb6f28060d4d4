"""Random functions of ttnn, compiled: the host and the grid beside torch (random_ttnn.py). TILEWRIGHT_LONG: two thousand of them."""

import os

import pytest

pytest.importorskip("torch")

import random_ttnn
import ttnn


@pytest.fixture(scope="module")
def device():
    made = ttnn.open_device(device_id=0)
    yield made
    ttnn.close_device(made)


@pytest.mark.parametrize("first", range(0, 2000 if os.environ.get("TILEWRIGHT_LONG") else 60, 10))
def test_random_functions(device, first):
    for seed in range(first, first + 10):
        random_ttnn.check(seed, device)


def test_wrong_values_are_found(device, monkeypatch):
    """An operation that computes something else, by as little as its type can show, does not go unnoticed."""
    found = 0
    for seed in range(20):
        maker, _, _ = random_ttnn.make(seed, device)
        swapped = next((i for i, (name, _, _) in enumerate(maker.steps) if name in ("add", "maximum")), None)
        if swapped is None:
            continue
        real = random_ttnn.make

        def other(seed, device):
            made = real(seed, device)
            name, operands, options = made[0].steps[swapped]
            made[0].steps[swapped] = ({"add": "subtract", "maximum": "minimum"}[name], operands, options)
            made[2][:] = [len(made[1]) + swapped]
            return made

        monkeypatch.setattr(random_ttnn, "make", other)
        try:
            random_ttnn.check(seed, device, engines=("host",))
        except AssertionError as error:
            assert f"seed {seed}: host:" in str(error)
            found += 1
        monkeypatch.setattr(random_ttnn, "make", real)
    assert found >= 8
