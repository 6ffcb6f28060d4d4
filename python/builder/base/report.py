"""What a run was compared with: results of programs and of their operations."""

import json
import math
from typing import NamedTuple

import torch
from golden.metrics import get_atol_rtol, ruled_pcc, worst


def compare(golden, calculated, pcc, atol, rtol, check_pcc=True, check_atol=False, check_rtol=False):
    """The figures of one comparison; "result" is pass or fail by those that are checked."""
    found_atol, found_rtol = get_atol_rtol(golden, calculated)
    found_pcc, rule = ruled_pcc(golden, calculated, atol, rtol)
    failed = (check_pcc and found_pcc < pcc) or (check_atol and found_atol > atol) or (check_rtol and found_rtol > rtol)
    out = {"result": "fail" if failed else "pass", "expected_pcc": pcc, "actual_pcc": found_pcc, "expected_atol": atol,
           "actual_atol": found_atol, "expected_rtol": rtol, "actual_rtol": found_rtol}
    out |= {"shape": list(golden.shape), "golden_dtype": str(golden.dtype), "device_dtype": str(calculated.dtype)}
    if rule:
        out["pcc_rule"] = rule
    found = worst(golden, calculated)
    if found:
        out["worst"] = {"index": list(found[0]), "expected": found[1], "found": found[2]}
    return out


def more_figures(golden, calculated, atol, rtol):
    """Figures that other tools read: allclose, largest and mean errors, cosine."""
    a, b = golden.to(torch.float64).flatten(), calculated.to(torch.float64).flatten()
    out = {"allclose": bool(torch.allclose(a, b, atol=atol, rtol=rtol))}
    if a.numel():
        out |= {"max": (a - b).abs().max().item(), "mean_absolute_error": (a - b).abs().mean().item(),
                "root_mean_square_error": (a - b).pow(2).mean().sqrt().item(),
                "cosine_similarity": torch.nn.functional.cosine_similarity(a[None], b[None]).item()}
    return out


def _shown(x):
    return f"{x:.6g}" if isinstance(x, float) else str(x)


def plain(x):
    """The value as JSON has it: names for infinities and NaN."""
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    if isinstance(x, dict):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    return x


class GoldenReport(dict):
    """{"program_0": {"output_0" or location: {device: figures}}}; str() is a table, save() writes JSON."""

    mlir_path = None  # the lowered program's file, if one was written

    def __fspath__(self):
        if self.mlir_path is None:
            raise TypeError("the lowered program was not written to a file: run with save_artifacts=True")
        return self.mlir_path

    def rows(self):
        """(program, name, location, device, figures) of each comparison, in the order of the run."""
        for program, entries in self.items():
            for location, devices in entries.items():
                for device, figures in devices.items():
                    name = figures.get("op") or ("result" if location.startswith("output_") else "?")
                    yield program, name, location, device, figures

    @property
    def failures(self):
        """The rows that are off."""
        return [row for row in self.rows() if row[4]["result"] == "fail"]

    def first_failure(self):
        """The first operation that is off, or None."""
        off = [row for row in self.failures if not row[2].startswith("output_")]
        return off[0] if off else (self.failures or [None])[0]

    def __str__(self):
        lines = [f"{'':4} {'operation':28} {'shape':>16} {'dtype':>9} {'correlation':>11} {'abs. error':>11}  worst element, location"]
        for program, name, location, device, f in self.rows():
            off = f.get("worst")
            at = f"{tuple(off['index'])}: {_shown(off['expected'])} expected, {_shown(off['found'])} found" if off else "-"
            shape = "x".join(map(str, f.get("shape", []))) or "scalar"
            at += f"; {f['pcc_rule']}" if "pcc_rule" in f else ""
            mark = "FAIL" if f["result"] == "fail" else "ok"
            lines.append(f"{mark:4} {name:28} {shape:>16} {f.get('golden_dtype', '').replace('torch.', ''):>9} {f['actual_pcc']:>11.6f} "
                         f"{_shown(f['actual_atol']):>11}  {at}  {program} {location}" + (f" device {device}" if device else ""))
        return "\n".join(lines)

    def to_json(self):
        """The report as JSON's text."""
        return json.dumps(plain(dict(self)), indent=2)

    def save(self, path):
        """Writes the report as JSON."""
        with open(path, "w") as file:
            file.write(self.to_json() + "\n")


class Execution(NamedTuple):
    """What execute_* returns; unpacks as (report, tensors), prints as the report."""

    report: GoldenReport
    tensors: dict

    def __str__(self):
        return str(self.report)
