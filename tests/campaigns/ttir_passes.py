"""Campaign: random TTIR, made from random StableHLO programs, before and after every pass of the dialect and after random chains
of them. Both sides are evaluated operation by operation by the references of `golden` (torch), so that neither the lowering to
TTNN nor the runtime takes part. A text that another pass has left, or none has changed, is evaluated once."""

import random
import re

import ml_dtypes
import numpy as np
import torch
from campaign import Outcome
from golden.evaluate import Evaluator, GoldenError
from golden.shards import GoldenMapTensor
from ttmlir import ir
from ttmlir.passmanager import PassManager
from wide_stablehlo import make

REGISTER = "ttcore-register-device"
TO_TTIR = "builtin.module(stablehlo-to-ttir-pipeline)"
PASSES = [
    "canonicalize", "cse", "sccp", "ttir-decompose-complex-permute", "ttir-decompose-complex-reshape", "ttir-decompose-composites",
    "ttir-decompose-outer-reductions", "ttir-to-ttir-decomposition", "ttir-element-type-normalization", "ttir-erase-inverse-ops",
    "ttir-erase-inverse-ops{force=true}", "ttir-explicate-tms", "ttir-flatten-sliding-window", "ttir-fold-constant-reshape-broadcast",
    "ttir-fold-full-to-scalar", "ttir-fusing", "ttir-fusing{ttnn-enable-conv2d-with-multiply-pattern=true}", "ttir-implicit-broadcast-fold",
    "ttir-move-reshape-to-constant", "ttir-predicate-type-alignment", "ttir-propagate-weight-dtype", "ttir-reduction-force-keep-dim",
    "ttir-infer-kv-cache-argument-types", "ttnn-ttir-passes"]
ELEMENTS = {"f32": 8, "bf16": 3, "i32": 4, "i1": 2, "ui32": 1, "ui8": 1, "ui16": 1}
# Kinds that the device leaves to the host.
WITHOUT = ("reduce_two", "scatter", "complex_", "bitcast_convert", "bitcast_width", "reduce_precision", "triangular", "mapped", "while_",
           "select_and_scatter", "barrier")
# They replace element types that the device lacks, signed bytes and booleans among them: run where a program has none of these.
NORMALIZED = ("ttir-element-type-normalization", "ttir-predicate-type-alignment")
RELATIVE = {torch.float64: 1e-9, torch.float32: 2e-5, torch.float16: 8e-3, torch.bfloat16: 3e-2}


def tensor_of(a):
    if a.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(a.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(a.copy())


def functions(module):
    for op in module.body.operations:
        op = op.operation
        if op.name == "func.func":
            yield op
        for region in op.regions:
            for block in region.blocks:
                for inner in block.operations:
                    if inner.operation.name in ("builtin.module", "ttcore.device_module"):
                        yield from functions_in(inner.operation)


def functions_in(op):
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                inner = inner.operation
                if inner.name == "func.func":
                    yield inner
                else:
                    yield from functions_in(inner)


def results(module, arrays):
    main = next(f for f in functions_in(module.operation) if ir.StringAttr(f.attributes["sym_name"]).value == "main")
    evaluator = Evaluator()
    values = evaluator.function(main, [GoldenMapTensor({0: tensor_of(a)}, (1, 1)) for a in arrays])
    if any(v is None for v in values):
        raise GoldenError(next(iter(evaluator.notes.values()), "a result has no reference"))
    return [v.shard_at(0) for v in values]


def difference(got, want, exact):
    """Where results differ, or None; passes may change element types and the order of sums."""
    for i, (g, w, e) in enumerate(zip(got, want, exact, strict=True)):
        if tuple(g.shape) != tuple(w.shape):
            return f"result {i}: {list(g.shape)}, not {list(w.shape)}"
        a, b = g.double(), w.double()
        finite = b[torch.isfinite(b)].abs()
        scale = max(1.0, float(finite.max()) if finite.numel() else 0.0)
        slack = 0 if e or not w.dtype.is_floating_point else max(RELATIVE[w.dtype], RELATIVE.get(g.dtype, 0)) * scale
        bad = ~(((a - b).abs() <= slack) | (a == b) | (a.isnan() & b.isnan()))
        if bad.any():
            at = tuple(bad.nonzero()[0].tolist())
            return f"result {i} {w.dtype}{list(w.shape)}: {int(bad.sum())} of {bad.numel()} differ, first at {list(at)}: {g[at]}, not {w[at]}"
    return None


class Campaign:
    together = 20

    def outcomes(self, seeds):
        for seed in seeds:
            with ir.Context():
                yield seed, self.outcome(seed)

    def initial(self, seed):
        text, arrays, exact = make(seed, elements=ELEMENTS, without=WITHOUT)
        module = ir.Module.parse(text)
        PassManager.parse(TO_TTIR).run(module.operation)
        text = str(module)
        if "stablehlo." in text:
            raise ValueError("operations of StableHLO are left")
        return text, arrays, exact

    def strict(self, text, chain, arrays):
        """The results with the pipeline's option that keeps booleans 0 and 1."""
        module = ir.Module.parse(text)
        plan = ",".join([REGISTER, *chain]).replace("ttnn-ttir-passes", "ttnn-ttir-passes{enable-exact-fusing=true}")
        PassManager.parse(f"builtin.module({plan})").run(module.operation)
        return results(module, arrays)

    def text(self, seed):
        with ir.Context():
            return self.initial(seed)[0]

    def outcome(self, seed):
        try:
            text, arrays, exact = self.initial(seed)
        except Exception as e:  # noqa: BLE001
            return Outcome("no reference", f"not TTIR: {str(e).splitlines()[-1][:120]}")
        try:
            want = results(ir.Module.parse(text), arrays)
        except GoldenError as e:
            return Outcome("no reference", str(e)[:200])
        r = random.Random(seed)
        chains = [[p] for p in PASSES] + [r.sample(PASSES, r.randint(2, 4)) for _ in range(3)]
        predicates = re.search(r"->[^\n]*[x<]i1>[^\n]*\{\n", text) is not None
        signed_bytes = re.search(r"[x<]i8>", text) is not None
        module = ir.Module.parse(text)
        PassManager.parse(f"builtin.module({REGISTER})").run(module.operation)
        outcome = Outcome("equal")
        seen = {str(module)}  # texts whose results are known to be right
        for chain in chains:
            if (predicates and any(p in NORMALIZED for p in chain)) or (signed_bytes and any(p in (*NORMALIZED, "ttnn-ttir-passes") for p in chain)):
                continue
            module = ir.Module.parse(text)
            plan = f"builtin.module({REGISTER},{','.join(chain)})"
            try:
                PassManager.parse(plan).run(module.operation)
            except Exception as e:  # noqa: BLE001
                return Outcome("refused", f"{','.join(chain)}: {str(e)[:300]}")
            after = str(module)
            if after in seen:
                continue
            try:
                got = results(module, arrays)
            except GoldenError as e:
                return Outcome("no reference", f"after {','.join(chain)}: {str(e)[:200]}")
            different = difference(got, want, exact)
            if different and "ttnn-ttir-passes" in chain and not difference(self.strict(text, chain, arrays), want, exact):
                outcome = Outcome("explained", "booleans as numbers")
            elif different:
                return Outcome("different", f"{','.join(chain)}: {different}")
            seen.add(after)
        return outcome


__all__ = ["Campaign"]
