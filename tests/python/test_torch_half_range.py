"""f16 holds 65504 at most: sums, squares and powers on the way to a result that it holds are computed in f32, as torch does."""

import pytest

torch = pytest.importorskip("torch")

import tilewright  # noqa: E402, F401
import torch.nn.functional as F  # noqa: E402

CASES = {
    "norm": lambda x: torch.norm(x), "norm of a row": lambda x: torch.norm(x / 50, 3, dim=1), "dist": lambda x: torch.dist(x, -x, 4),
    "var": lambda x: torch.var(x / 20, 1), "std": lambda x: torch.std(x, 1), "std of all": lambda x: x.std(), "std_mean": lambda x: torch.std_mean(x, 1)[0],
    "normalize": F.normalize, "cosine_similarity": lambda x: F.cosine_similarity(x, x + 300),
    "pairwise_distance": lambda x: F.pairwise_distance(x, -x, 3), "matrix_norm": torch.linalg.matrix_norm,
    "avg_pool1d": lambda x: F.avg_pool1d(x[None] * 12, 4), "avg_pool2d, padded": lambda x: F.avg_pool2d(x[None] * 12, 3, 2, 1, True, False),
}


@pytest.mark.parametrize("name", CASES)
def test_f16(name):
    x = (torch.randn(4, 64, generator=torch.Generator().manual_seed(3)) * 900).half()
    want = CASES[name](x)
    got = torch.compile(CASES[name], backend="tt")(x)
    assert want.isfinite().all() and got.dtype == torch.float16
    torch.testing.assert_close(got, want, rtol=2e-3, atol=1e-3)
