"""Campaign: the samples of torch's own operator database, compiled for the device, beside eager torch.

A seed is an operator and an element type; its first eight samples are run, and counted, one by one. What eager torch refuses
is no sample."""

import contextlib
import io
import warnings

import torch
import torch._dynamo
import torch._dynamo.guards
from campaign import Outcome
from torch.testing._internal.common_methods_invocations import op_db

# Dynamo times each function's guards, with a flush of the caches before: a quarter of a sample's time.
torch._dynamo.guards.profile_guard_manager = lambda *_: 0.0
DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.int64, torch.bool]
RELATIVE = {torch.float32: 1e-4, torch.bfloat16: 4e-2, torch.float16: 8e-3, torch.float64: 1e-4, torch.complex64: 1e-4}
SAMPLES = 8
# Random or uninitialized results, or results that alias memory by design: no values to compare.
RANDOM = {"bernoulli", "cauchy", "empty", "empty_like", "empty_permuted", "empty_strided", "exponential", "geometric", "log_normal", "multinomial",
          "new_empty", "new_empty_strided", "normal", "uniform", "rand_like", "randint", "randint_like", "randn", "randn_like", "nn.functional.dropout",
          "nn.functional.alpha_dropout", "nn.functional.dropout2d", "nn.functional.dropout3d", "nn.functional.feature_alpha_dropout",
          "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "nn.functional.rrelu", "svd_lowrank", "pca_lowrank"}
CASES = [(op, d) for op in sorted(op_db, key=lambda o: o.formatted_name) for d in DTYPES
         if op.name not in RANDOM and op.supports_dtype(d, "cpu")]


def leaves(x):
    if isinstance(x, torch.Tensor):
        return [x]
    if isinstance(x, (list, tuple)):
        return [t for y in x for t in leaves(y)]
    if isinstance(x, (bool, int, float)):
        return [torch.tensor(x)]
    return []


def difference(got, want):
    got, want = leaves(got), leaves(want)
    if len(got) != len(want):
        return f"{len(got)} results, not {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        if g.dtype != w.dtype or g.shape != w.shape:
            return f"result {i}: {g.dtype}{list(g.shape)}, not {w.dtype}{list(w.shape)}"
        if w.layout != torch.strided or w.is_quantized or not w.numel():
            continue
        wide = torch.complex128 if w.is_complex() else torch.float64
        a, b = g.detach().to(wide), w.detach().to(wide)
        size = b.abs()
        finite = size[torch.isfinite(size)]
        slack = RELATIVE.get(w.dtype, 0) * max(1.0, float(finite.max()) if finite.numel() else 0.0)
        bad = ~(((a - b).abs() <= slack) | (a == b) | (a.isnan() & b.isnan()))
        if bad.any():
            at = tuple(bad.nonzero()[0].tolist())
            return f"result {i} {w.dtype}{list(w.shape)}: {int(bad.sum())} of {bad.numel()} differ, first at {list(at)}: {g[at]}, not {w[at]}"
    return None


def picks_the_same(x, got, want):
    """True if indices along one dimension pick equal elements: torch leaves the order of equal ones open."""
    if not (isinstance(x, torch.Tensor) and got.dtype == want.dtype == torch.int64 and got.shape == want.shape):
        return False
    for d in range(x.dim()):
        g, w = (i if i.dim() == x.dim() else i.unsqueeze(d) if i.dim() == x.dim() - 1 else None for i in (got, want))
        try:
            if g is not None and torch.equal(x.gather(d, g).nan_to_num(), x.gather(d, w).nan_to_num()):
                return True
        except RuntimeError:
            continue
    return False


def same_but_for_ties(x, got, want):
    got, want = leaves(got), leaves(want)
    return len(got) == len(want) and all(difference(g, w) is None or picks_the_same(x, g, w) for g, w in zip(got, want))


def copied(x):
    if isinstance(x, torch.Tensor):
        return x.detach().clone()
    if isinstance(x, (list, tuple)):
        return type(x)(copied(y) for y in x) if type(x) in (list, tuple) else x
    return {k: copied(v) for k, v in x.items()} if isinstance(x, dict) else x


def widened(x):
    """The same with tensors of bf16 and f16 in f32."""
    if isinstance(x, torch.Tensor):
        return x.float() if x.dtype in (torch.bfloat16, torch.float16) else x.clone()
    if isinstance(x, (list, tuple)):
        return type(x)(widened(y) for y in x) if type(x) in (list, tuple) else x
    return {k: widened(v) for k, v in x.items()} if isinstance(x, dict) else x


def as_in_f32(op, sample, got, want):
    """True if our result is that of eager torch for the same values in f32, rounded once."""
    try:
        wide = leaves(op.op(*widened((sample.input, *sample.args)), **widened(sample.kwargs)))
    except Exception:  # noqa: BLE001 an operator may not take f32 beside what it is given
        return False
    return difference(got, [w.to(t.dtype) for w, t in zip(wide, leaves(want))]) is None


class Campaign:
    together = 1

    def text(self, seed):
        op, dtype = CASES[seed]
        return f"{op.formatted_name} {dtype}"

    def outcomes(self, seeds):
        for seed in seeds:
            op, dtype = CASES[seed % len(CASES)]
            torch.manual_seed(seed)
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                try:
                    samples = [s for s, _ in zip(op.sample_inputs("cpu", dtype, requires_grad=False), range(SAMPLES))]
                except Exception as e:  # noqa: BLE001
                    yield seed, Outcome("no reference", f"{op.formatted_name}: {str(e)[:100]}")
                    continue
                for number, sample in enumerate(samples):
                    yield seed, self.outcome(op, dtype, number, sample)

    def outcome(self, op, dtype, number, sample):
        name = f"{op.formatted_name} {str(dtype)[6:]} sample {number}"
        arguments = (sample.input, *sample.args)
        try:
            want = op.op(*copied(arguments), **copied(sample.kwargs))
        except Exception as e:  # noqa: BLE001
            return Outcome("no reference", f"{name}: {str(e)[:100]}")
        torch._dynamo.reset()
        try:
            got = torch.compile(lambda a, k: op.op(*a, **k), backend="tt")(copied(arguments), copied(sample.kwargs))
        except Exception as e:  # noqa: BLE001
            return Outcome("refused", f"{name}: {type(e).__name__}: {str(e).strip().splitlines()[0][:200]}")
        different = difference(got, want)
        if different and same_but_for_ties(sample.input, got, want):
            return Outcome("explained", "ties")
        if different and dtype in (torch.bfloat16, torch.float16) and as_in_f32(op, sample, got, want):
            return Outcome("explained", "eager torch rounds on the way")
        return Outcome("different", f"{name}: {different}") if different else Outcome("equal")


__all__ = ["Campaign"]
