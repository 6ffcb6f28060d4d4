"""Campaign: random kernels in Python (the generators of test_ttl_generated.py and test_ttl_generated_cores.py), run on the
simulated grid, beside torch (each element within a bound of its own error) and beside exact integers."""

import torch
from campaign import Outcome
from test_ttl_generated import Whole, Wide
from test_ttl_generated_cores import Meeting, Piped, Placed
from ttl_written import defined

EXACT = [Piped, Meeting, Placed]
# The error of one operation, of its result's magnitude: bf16 rounds to 2^-9 and its functions are a little worse; of f32's
# functions the worst has 2^-21.
UNIT = {torch.bfloat16: 2.0**-7, torch.float32: 2.0**-21}


class Bounded:
    """A value in 64 bits and a bound of the device's error of each element: no operation of Wide enlarges its operands' errors."""

    unit = 0.0

    def __init__(self, value, error):
        self.value, self.error = value, error

    @classmethod
    def rounded(cls, value, error):
        return cls(value, error + cls.unit * value.abs())

    def __add__(self, other):
        return self.rounded(self.value + other.value, self.error + other.error)

    def __sub__(self, other):
        if isinstance(other, float):
            return self.rounded(self.value - other, self.error)
        return self.rounded(self.value - other.value, self.error + other.error)

    def __mul__(self, factor):
        return self.rounded(self.value * factor, self.error * abs(factor))


class BoundedMath:
    """Of ttl.math, what Wide uses; the slopes of all are 1 at most."""

    @staticmethod
    def tanh(x):
        return Bounded.rounded(x.value.tanh(), x.error)

    @staticmethod
    def sigmoid(x):
        return Bounded.rounded(x.value.sigmoid(), x.error / 4)

    @staticmethod
    def abs(x):
        return Bounded(x.value.abs(), x.error)

    @staticmethod
    def max(x, y):
        return Bounded(torch.maximum(x.value, y.value), torch.maximum(x.error, y.error))

    @staticmethod
    def min(x, y):
        return Bounded(torch.minimum(x.value, y.value), torch.maximum(x.error, y.error))


def bounded(case):
    """The result of a Wide case in 64 bits, and how far each element of the device's may be off."""
    Bounded.unit = UNIT[case.dtype]
    language = type("Ttl", (), {"math": BoundedMath})
    names = {"ttl": language, **{n: Bounded(t.double(), torch.zeros(t.shape, dtype=torch.float64)) for n, t in zip(case.inputs, case.tensors)}}
    exec("\n".join(case.lines), names)  # noqa: S102
    out = eval(case.result, names)  # noqa: S307
    return out.value, out.error + Bounded.unit * out.value.abs() + 1e-7


class Campaign:
    together = 20

    def outcomes(self, seeds):
        for seed in seeds:
            yield seed, self.outcome(seed)

    def case(self, seed):
        return [Wide, Whole, *EXACT][seed % 5](seed // 5)

    def text(self, seed):
        case = self.case(seed)
        text = case.text
        return text() if callable(text) else text

    def outcome(self, seed):
        case = self.case(seed)
        try:
            if isinstance(case, Wide):
                out = torch.zeros_like(case.tensors[0])
                defined("wide", case.text())(*case.tensors, out)
                want, slack = bounded(case)
            elif isinstance(case, Whole):
                want = case.expected()
                out, slack = torch.zeros(want.shape), 0.01 * (want.abs().max() + 1)
                defined("whole", case.text())(case.x, case.y, out)
            else:
                case.check([seed])
                return Outcome("equal")
        except AssertionError as e:
            return Outcome("different", str(e).splitlines()[0][:200] if str(e) else type(case).__name__)
        except Exception as e:  # noqa: BLE001 a report of the device, a diagnostic, or an error of ours
            return Outcome("refused", f"{type(case).__name__}: {type(e).__name__}: {str(e)[:200]}")
        off = (out.double() - want.double()).abs()
        if (off > slack).any() or not torch.isfinite(out).all():
            return Outcome("different", f"{type(case).__name__}: off by {float(off.max())}, largest value {float(want.abs().max())}")
        return Outcome("equal")


__all__ = ["Campaign"]
