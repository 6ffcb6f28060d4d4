"""Campaign: random kernels in Python (the generators of test_ttl_generated.py and test_ttl_generated_cores.py), run on the
simulated grid, beside torch and beside exact integers."""

import torch
from campaign import Outcome
from test_ttl_generated import Whole, Wide
from test_ttl_generated_cores import Meeting, Piped, Placed
from ttl_written import defined

EXACT = [Piped, Meeting, Placed]


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
                want, slack = case.expected(), 1e-5 if case.dtype == torch.float32 else 0.08
            elif isinstance(case, Whole):
                want = case.expected()
                out, slack = torch.zeros(want.shape), 0.01
                defined("whole", case.text())(case.x, case.y, out)
            else:
                case.check([seed])
                return Outcome("equal")
        except AssertionError as e:
            return Outcome("different", str(e).splitlines()[0][:200] if str(e) else type(case).__name__)
        except Exception as e:  # noqa: BLE001 a report of the device, a diagnostic, or an error of ours
            return Outcome("refused", f"{type(case).__name__}: {type(e).__name__}: {str(e)[:200]}")
        off = (out.double() - want.double()).abs()
        if off.max() > slack * (want.abs().max() + 1) or not torch.isfinite(out).all():
            return Outcome("different", f"{type(case).__name__}: off by {float(off.max())}, largest value {float(want.abs().max())}")
        return Outcome("equal")


__all__ = ["Campaign"]
