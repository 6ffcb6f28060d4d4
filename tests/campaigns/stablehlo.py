"""Campaign: random StableHLO programs (wide_stablehlo.py), run with the host's help, beside XLA in the same process.

Several programs share one module for XLA, whose compilation takes most of the time. A program that differs is run once more
alone, with XLA's usual options, and that decides."""

import re

import jax
import ml_dtypes
import numpy as np
from campaign import Outcome
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jax._src.lib.mlir import ir
from native import DTYPE_NAMES, Error, Program, lib
from wide_stablehlo import FLOATS, NUMPY, make

TOGETHER = 24
# Of the largest value of a result: what rounding in another order may cost, before the wider program is asked.
RELATIVE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 2e-5, np.dtype(np.float16): 8e-3, np.dtype(ml_dtypes.bfloat16): 3e-2}
# A value in bf16 or f16 has that type's bits, also where it is converted to f32 at once.
STRICT = (("xla_allow_excess_precision", False),)
# XLA's compilation is nine tenths of a seed. Its emitters that write LLVM's IR themselves cost a fifth of those that go through MLIR.
QUICK = (*STRICT, ("xla_cpu_use_fusion_emitters", False), ("xla_cpu_parallel_codegen_split_count", 1))
PLAIN = (*STRICT, ("xla_disable_hlo_passes", "algsimp,constant_folding"))


def options(overrides=STRICT):
    out = xla_client.CompileOptions()
    debug = out.executable_build_options.debug_options
    debug.xla_backend_optimization_level, debug.xla_llvm_disable_expensive_passes = 0, True
    out.env_option_overrides = list(overrides)
    return out


class Xla:
    def __init__(self):
        self.device, self.context = jax.devices("cpu")[0], jax_mlir.make_ir_context()

    def run(self, text, arrays, overrides=STRICT):
        with self.context, ir.Location.unknown(self.context):
            executable = self.device.client.compile_and_load(ir.Module.parse(text), xla_client.DeviceList((self.device,)), options(overrides))
        with jax.enable_x64(True):
            results = executable.execute_sharded([jax.device_put(a, self.device) for a in arrays]).disassemble_into_single_device_arrays()
        return [np.array(array) for array, in results]


def joined(programs):
    """One program with the arguments and results of all."""
    arguments, types, lines, results = [], [], [], []
    for i, text in enumerate(programs):
        head, body = re.sub(r"([%^])(\w+)", rf"\1p{i}_\2", text).split("{\n", 1)
        a, r = re.search(r"@main\((.*?)\) -> \((.*)\) $", head, re.S).groups()
        body, names = body.rstrip()[:-1].rstrip().rsplit("\n  return ", 1)
        lines.append(body)
        arguments += [a] if a else []
        types.append(r)
        results.append(names.rsplit(" : ", 1)[0] if names.count(" : ") == 1 else names.split(" : ")[0])
    return (f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n" + "\n".join(lines)
            + f"\n  return {', '.join(results)} : {', '.join(types)}\n}}")


def ours(text, arrays):
    program = Program(text, host=True)
    got = program(*[a.view(np.uint16) if a.dtype == ml_dtypes.bfloat16 else a for a in arrays])
    for i in range(program.n_out):
        if DTYPE_NAMES[lib.tw_program_output(program.handle, i).contents.dtype] == "BF16":
            got[i] = got[i].view(ml_dtypes.bfloat16)
    return got


def widened(text, arrays):
    """The program with every float in 64 bits, and its inputs."""
    def infinity(match):
        return "0xFFF0000000000000" if match[0][2] == "F" else "0x7FF0000000000000"
    text = re.sub(r"(?<=dense<)0x[7F][0-9A-F]+(?=>)", infinity, text)
    text = re.sub(r"([<x])(?:bf16|f16|f32)>", r"\1f64>", text)
    return text, [a.astype(np.float64) if a.dtype.kind == "f" or a.dtype == ml_dtypes.bfloat16 else a for a in arrays]


def off(got, want, tolerance):
    """Where two arrays differ: more than the tolerance of the largest finite value; NaN equals NaN."""
    g, w = got.astype(np.float64), want.astype(np.float64)
    scale = max(1.0, np.max(np.abs(w[np.isfinite(w)]), initial=0))
    with np.errstate(invalid="ignore"):
        near = np.abs(g - w) <= tolerance * scale
    return ~(near | (g == w) | (np.isnan(g) & np.isnan(w)))


def shown(i, got, want, bad):
    at = tuple(int(k[0]) for k in np.nonzero(bad)) if bad.ndim else ()
    return f"result {i} {want.dtype}{list(want.shape)}: {int(bad.sum())} of {bad.size} differ, first at {list(at)}: {got[at]}, not {want[at]}"


def carried_error(text, exact, got, want):
    """True if the results are within the tolerance of a narrower type from which values were converted."""
    from_types = {m[1] for m in re.finditer(r"convert %\S+ : \(tensor<[\dx]*(bf16|f16|f32)>\) -> tensor<[\dx]*f\d\d>", text)}
    tolerance = max((RELATIVE[np.dtype(NUMPY[t])] for t in from_types), default=0)
    return tolerance > 0 and not any(off(g, w, 0 if e else max(tolerance, RELATIVE[w.dtype])).any()
                                     for g, w, e in zip(got, want, exact) if w.dtype.kind not in "iub")


def compared(xla, text, arrays, exact, got, want):
    """An outcome for one program's results."""
    worst = None
    for i, (g, w, e) in enumerate(zip(got, want, exact, strict=True)):
        if g.shape != w.shape or (g.dtype != w.dtype):
            return Outcome("different", f"result {i}: {g.dtype}{list(g.shape)}, not {w.dtype}{list(w.shape)}")
        if w.dtype.kind in "iub":
            bad = g != w
        else:
            bad = off(g, w, 0 if e else RELATIVE[w.dtype])
        if bad.any() and (w.dtype.kind in "iub" or e):
            return Outcome("different", shown(i, g, w, bad))
        if bad.any():
            worst = worst or (i, bad)
    if not worst:
        return Outcome("equal")
    if carried_error(text, exact, got, want):
        return Outcome("explained", "rounding")
    try:
        true = xla.run(*widened(text, arrays))
    except Exception as e:  # noqa: BLE001 the reference's own errors have no common type
        return Outcome("different", f"{shown(worst[0], got[worst[0]], want[worst[0]], worst[1])} (wider program: {str(e)[:80]})")
    for i, (g, w, t, e) in enumerate(zip(got, want, true, exact)):
        if e or w.dtype.kind in "iub":
            continue
        g64, w64, tol = g.astype(np.float64), w.astype(np.float64), RELATIVE[w.dtype]
        with np.errstate(invalid="ignore", over="ignore"):
            least = np.abs(w64 - t)
            scale = max(1.0, np.max(np.abs(t[np.isfinite(t)]), initial=0))
            fine = (np.abs(g64 - t) <= 8 * least + tol * scale) | (g64 == w64) | (np.isnan(g64) & np.isnan(w64))
            # Overflow of the narrow format in one of two orders.
            fine |= ~np.isfinite(w64) & np.isfinite(t) & (np.abs(g64 - t) <= tol * scale)
            fine |= ~np.isfinite(g64) & (np.abs(t) > 0.9 * float(ml_dtypes.finfo(g.dtype).max))
            # The largest error of a result's elements stands for each: sums of the same terms cancel to different degrees.
            if least[np.isfinite(least)].size:
                fine |= np.abs(g64 - t) <= 8 * np.max(least[np.isfinite(least)])
        if not fine.all():
            return Outcome("different", shown(i, g, w, ~fine))
    return Outcome("explained", "rounding")


def against_itself(xla, text, arrays, exact, got):
    """True if XLA has our result too: without the passes that fold and simplify, or in 64 bits where all is exact."""
    try:
        plain = xla.run(text, arrays, PLAIN)
        if compared(xla, text, arrays, exact, got, plain).verdict != "different":
            return True
        wide = xla.run(*widened(text, arrays)) if all(exact) else []
        return bool(wide) and all(np.array_equal(g.astype(w.dtype), w, equal_nan=w.dtype.kind == "f") for g, w in zip(got, wide, strict=True))
    except Exception:  # noqa: BLE001 the reference's own errors have no common type
        return False


def overflown_product(text, arrays, exact, got, want):
    """True if XLA's NaN come from a reduction by products, which may multiply infinity and 0 in one order and not in another, and the
    evaluator of the specification has our results."""
    from evaluator import evaluated

    if "stablehlo.multiply %x, %y" not in text or any(w.dtype.kind in "iub" for w in want):
        return False
    nan = [np.where(np.isnan(w), g, w) for g, w in zip(got, want)]
    return not any(off(g, x, 0 if e else RELATIVE[g.dtype]).any() for given in (nan, evaluated(text, arrays)) for g, x, e in zip(got, given, exact))


class Campaign:
    """Outcomes of seeds, several at once."""
    together = TOGETHER

    def __init__(self):
        self.xla = Xla()

    def outcomes(self, seeds):
        cases = [make(s) for s in seeds]
        if len(cases) > 1:
            try:
                wants = self.xla.run(joined([c[0] for c in cases]), sum((c[1] for c in cases), []), QUICK)
            except Exception:  # noqa: BLE001 one of them; each alone says which
                for s in seeds:
                    yield from self.outcomes([s])
                return
        else:
            try:
                wants = self.xla.run(*cases[0][:2])
            except Exception as e:  # noqa: BLE001
                yield seeds[0], Outcome("no reference", str(e).splitlines()[0][:160])
                return
        for seed, (text, arrays, exact) in zip(seeds, cases):
            want, wants = wants[:len(exact)], wants[len(exact):]
            outcome = self.judged(text, arrays, exact, want)
            if outcome.verdict == "different" and len(cases) > 1:
                (_, outcome), = self.outcomes([seed])
            yield seed, outcome

    def judged(self, text, arrays, exact, want):
        try:
            got = ours(text, arrays)
        except Error as e:
            return Outcome("refused", str(e))
        outcome = compared(self.xla, text, arrays, exact, got, want)
        if outcome.verdict == "different" and against_itself(self.xla, text, arrays, exact, got):
            return Outcome("explained", "XLA contradicts itself")
        if outcome.verdict == "different" and overflown_product(text, arrays, exact, got, want):
            return Outcome("explained", "products that overflow")
        return outcome

    # ---- for one case's report and reduction

    def text(self, seed):
        return make(seed)[0]

    def arrays(self, seed):
        return make(seed)[1]


def judge_text(text, seed_arrays=None):
    """The outcome of any such program: of a reduced one, whose arguments are filled anew from their types."""
    xla, arrays = Xla(), []
    head = re.search(r"func\.func (?:public |private )?@\w+\((.*?)\) -> ", text, re.S)
    for i, (shape, element) in enumerate(re.findall(r"%\w+: tensor<((?:\d+x)*)(\w+)>", head[1] if head else "")):
        dims = [int(d) for d in shape.split("x") if d]
        rng = np.random.default_rng(i)
        arrays.append((rng.integers(0, 2, dims) if element == "i1" else rng.integers(0, 5, dims)).astype(NUMPY[element]))
    try:
        want = xla.run(text, arrays)
    except Exception as e:  # noqa: BLE001
        return Outcome("no reference", str(e)[:100])
    try:
        got = ours(text, arrays)
    except Error as e:
        return Outcome("refused", str(e))
    return compared(xla, text, arrays, [w.dtype.kind in "iub" for w in want], got, want)


__all__ = ["Campaign", "FLOATS", "judge_text"]
