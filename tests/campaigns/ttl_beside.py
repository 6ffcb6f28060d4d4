"""Campaign: random kernels in Python that tt-lang's own simulator takes too: the same text, the same tensors, both results.

The simulator is the package tt-lang-sim, in a folder of its own, since its modules are named as ours:
`pip install --target DIR tt-lang-sim greenlet`, then TTLANG_SIM=DIR. It runs in a process of its own (ttl_beside_peer.py).
Kernels of whole numbers are equal to the last bit; where functions round, each side is within its format of the other."""

import os
import pickle
import random
import re
import subprocess
import sys
from pathlib import Path

import torch
from campaign import Outcome
from ttl_written import defined

# Of the largest value: up to four operations in the format, each of which may double the error (squares); the simulator computes
# in f32.
RELATIVE = {torch.float32: 1e-4, torch.bfloat16: 2.0**-4}
EXACT = ["{a} + {b}", "{a} - {b}", "ttl.math.max({a}, {b})", "ttl.math.min({a}, {b})", "ttl.math.abs({a})", "ttl.math.neg({a})", "ttl.math.relu({a})",
         "ttl.math.sign({a})"]
SMOOTH = [*EXACT, "ttl.math.tanh({a})", "ttl.math.sigmoid({a})", "ttl.math.exp(ttl.math.min({a}, {b}))", "ttl.math.gelu({a})", "ttl.math.silu({a})",
          "{a} * {b}", "ttl.math.square({a})"]


class Case:
    """A kernel of one of these kinds on a grid of cores; each core has blocks of its own rows."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.columns, self.rows = r.choice([(1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (3, 2)])
        self.block, self.times, self.count = (r.randint(1, 3), r.randint(1, 3)), r.randint(1, 4), r.randint(2, 3)
        self.dtype, self.factor = r.choice([torch.float32, torch.bfloat16]), r.randint(1, 3)
        self.kind = r.choice(["elements", "elements", "smooth", "product", "rows", "columns", "transposed", "shared"])
        if self.kind == "transposed":
            self.block = (self.block[0],) * 2
        if self.kind == "shared" and self.columns == 1:
            self.columns = 2
        self.exact = self.kind != "smooth"
        cores, (high, wide) = self.columns * self.rows, self.block
        generator = torch.Generator().manual_seed(seed)
        shapes = [(32 * high * self.times * cores, 32 * wide)] * self.count
        if self.kind == "product":  # of each block and one of wide x wide tiles
            shapes = [shapes[0], (32 * wide * self.times * cores, 32 * wide)]
            self.count = 2
        self.tensors = [torch.randint(-2, 3, s, generator=generator).to(self.dtype) if self.exact
                        else torch.randn(s, generator=generator).to(self.dtype) for s in shapes]
        self.result, self.r = shapes[0], r
        self.lines = self.body()

    def body(self):
        names = [f"x{i}" for i in range(self.count)]
        if self.kind == "product":
            return ["o.store(x0 @ x1)"]
        lines, values = [], list(names)
        if self.kind in ("rows", "columns"):
            dim = int(self.kind == "rows")
            lines.append(f"s = ttl.math.broadcast(ttl.math.reduce_{self.r.choice(['sum', 'max'])}(x0, dims=[{dim}]), dims=[{dim}])")
            values += ["s"]
        elif self.kind == "transposed":
            lines.append("s = ttl.transpose(x0)")
            values += ["s"]
        for i in range(self.r.randint(1, 4)):
            lines.append(f"v{i} = {self.r.choice(EXACT if self.exact else SMOOTH).format(a=values[-1], b=self.r.choice(values))}")
            values.append(f"v{i}")
        unused = [v for v in names if not any(v in line.split(" = ")[1] for line in lines)]
        return [*lines, f"o.store({' + '.join([values[-1], *unused])})"]

    def text(self):
        high, wide = self.block
        names = [f"x{i}" for i in range(self.count)]
        shapes = [(high, wide)] * self.count if self.kind != "product" else [(high, wide), (wide, wide)]
        heights = [s[0] for s in shapes]
        buffers = "\n    ".join(f"{n}_b = ttl.make_dataflow_buffer_like({n}, shape={s}, block_count={self.factor + 1})" for n, s in zip(names, shapes))
        waits = ", ".join(f"{n}_b.wait() as {n}" for n in names)
        reads = "\n".join(f"            with {n}_b.reserve() as block:\n"
                          f"                ttl.copy({n}[(core * {self.times} + i) * {h}:(core * {self.times} + i + 1) * {h}, 0:{wide}], block).wait()"
                          for n, h in zip(names, heights))
        if self.kind == "shared":
            reads = self.shared(reads, high, wide)
        net = ""
        if self.kind == "shared":
            pipes = ", ".join(f"ttl.Pipe((0, {y}), (slice(0, {self.columns}), {y}))" for y in range(self.rows))
            net = f"\n    net = ttl.PipeNet([{pipes}])"
        body = "\n".join("                " + line for line in self.lines)
        return f"""@ttl.operation(grid=({self.columns}, {self.rows}))
def made({', '.join(names)}, out):
    {buffers}
    o_b = ttl.make_dataflow_buffer_like(out, shape=({high}, {wide}), block_count=2){net}

    @ttl.compute()
    def compute():
        for i in range({self.times}):
            with {waits}, o_b.reserve() as o:
{body}

    @ttl.datamovement()
    def read():
        column, row = ttl.node(dims=2)
        core = row * {self.columns} + column
        for i in range({self.times}):
{reads}

    @ttl.datamovement()
    def write():
        column, row = ttl.node(dims=2)
        core = row * {self.columns} + column
        for i in range({self.times}):
            with o_b.wait() as block:
                ttl.copy(block, out[(core * {self.times} + i) * {high}:(core * {self.times} + i + 1) * {high}, 0:{wide}]).wait()
"""

    def shared(self, reads, high, wide):
        """The first core of a row reads x0 and sends it to all of the row, itself too."""
        first, rest = reads.split("            with x1_b", 1)
        return f"""            with x0_b.reserve() as block:
                def send(pipe):
                    ttl.copy(x0[(row * {self.times} + i) * {high}:(row * {self.times} + i + 1) * {high}, 0:{wide}], block).wait()
                    ttl.copy(block, pipe).wait()

                def receive(pipe):
                    ttl.copy(pipe, block).wait()

                net.if_src(send)
                net.if_dst(receive)
            with x1_b{rest}"""


def theirs(case, text):
    """The text in the spelling of tt-lang's simulator, which asks for the shapes of reductions and broadcasts."""
    (high, wide), dim = case.block, int(case.kind == "rows")
    text = re.sub(r"(ttl.math.reduce_\w+\(x0, dims=\[\d\])", rf"\1, shape={(high, 1) if dim else (1, wide)}", text)
    text = re.sub(r"ttl.math.broadcast(.*\), dims=\[\d\])", rf"ttl.block.broadcast\1, shape={case.block}", text)
    return text.replace("ttl.transpose", "ttl.block.transpose")


class Peer:
    """tt-lang's simulator in a process of its own."""

    def __init__(self):
        folder = os.environ.get("TTLANG_SIM")
        if not folder:
            sys.exit("set TTLANG_SIM=DIR after: pip install --target DIR tt-lang-sim greenlet")
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        self.child = subprocess.Popen([sys.executable, str(Path(__file__).with_name("ttl_beside_peer.py")), folder], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, env=environment)

    def run(self, case, text):
        pickle.dump((theirs(case, text), [t.float().numpy() for t in case.tensors], str(case.dtype)[6:], case.result), self.child.stdin)
        self.child.stdin.flush()
        answer = pickle.load(self.child.stdout)  # noqa: S301 our own child's
        return answer if isinstance(answer, str) else torch.from_numpy(answer)


class Campaign:
    together = 10

    def __init__(self):
        self.peer = Peer()

    def text(self, seed):
        return Case(seed).text()

    def outcomes(self, seeds):
        for seed in seeds:
            yield seed, self.outcome(Case(seed))

    def outcome(self, case):
        text = case.text()
        want = self.peer.run(case, text)
        if isinstance(want, str):
            return Outcome("no reference", f"{case.kind}: {want}")
        got = torch.zeros(case.result, dtype=case.dtype)
        try:
            defined("made", text)(*case.tensors, got)
        except Exception as e:  # noqa: BLE001 a report of the device, a diagnostic, or an error of ours
            return Outcome("refused", f"{case.kind}: {type(e).__name__}: {str(e)[:300]}")
        slack = 0 if case.exact else RELATIVE[case.dtype] * (1 + float(want.double().abs().max()))
        off = (got.double() - want.double()).abs()
        if not (off <= slack).all():
            at = tuple(int(k) for k in torch.nonzero(~(off <= slack))[0])
            return Outcome("different", f"{case.kind} {case.dtype}: {int((off > slack).sum())} of {off.numel()} differ, first at {at}: {got[at]}, not {want[at]}")
        return Outcome("equal")


__all__ = ["Campaign"]
