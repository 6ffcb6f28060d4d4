"""Campaign: the programs of the campaign stablehlo, on the device with the host's help, beside our evaluator of StableHLO's
specification, which shares no kernels, passes or plans with the device; some hundred a second. Where both differ XLA decides.
Its seeds are the other campaign's, so those that it finds can be run beside XLA."""

import ml_dtypes
import numpy as np
from campaign import Outcome
from native import Error
from stablehlo import RELATIVE, Campaign as BesideXla
from stablehlo import off, ours, shown
from ttmlir import ir
from ttmlir.dialects import stablehlo
from wide_stablehlo import NUMPY, make


def elements_of(attribute):
    """The elements of a result, in NumPy's type of its element type."""
    t = ir.ShapedType(attribute.type)
    element = NUMPY[str(t.element_type)]
    array = np.array(attribute)
    if element is ml_dtypes.bfloat16 and array.dtype != element:
        array = array.view(np.uint16).view(element) if array.dtype.itemsize == 2 else array.astype(element)
    return array.reshape(list(t.shape)).astype(element, copy=False)


def evaluated(text, arrays):
    with ir.Context():
        module = ir.Module.parse(text)
        types = [v.type for v in module.body.operations[0].regions[0].blocks[0].arguments]
        constants = [ir.DenseElementsAttr.get(np.ascontiguousarray(a.view(np.uint16) if a.dtype == ml_dtypes.bfloat16 else a), type=t)
                     for a, t in zip(arrays, types)]
        return [elements_of(r) for r in stablehlo.eval_module(module, constants)]


class Campaign:
    together = 50

    def __init__(self):
        self.judge = None

    def text(self, seed):
        return make(seed)[0]

    def outcomes(self, seeds):
        for seed in seeds:
            yield seed, self.outcome(seed)

    def outcome(self, seed):
        text, arrays, exact = make(seed)
        try:
            got = ours(text, arrays)
        except Error as e:
            return Outcome("refused", str(e))
        try:
            want = evaluated(text, arrays)
        except Exception as e:  # noqa: BLE001
            return Outcome("no reference", str(e)[:200])
        difference = None
        for i, (g, w, e) in enumerate(zip(got, want, exact, strict=True)):
            bad = (g != w) if w.dtype.kind in "iub" else off(g, w, 0 if e else RELATIVE[w.dtype])
            if bad.any() and not difference:
                difference = shown(i, g, w, bad)
        if not difference:
            return Outcome("equal")
        self.judge = self.judge or BesideXla()
        (_, verdict), = self.judge.outcomes([seed])
        if verdict.verdict != "equal":
            return verdict
        if "stablehlo.scatter" in text:
            return Outcome("explained", "windows of a scatter that are partly outside")
        inexact = not all(exact)
        return Outcome("explained", "rounding") if inexact else Outcome("different", f"the evaluator: {difference}")


__all__ = ["Campaign"]
