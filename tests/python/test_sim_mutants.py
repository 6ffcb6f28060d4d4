"""Random correct kernels, each with one line of its protocol dropped, duplicated, exchanged with the next or with
another count, or with a wrong format: every such mutant is reported, or does no harm, which means that it gives the
right bits under every order of threads that is tried.

TILEWRIGHT_MUTANTS sets the count (default 40), TILEWRIGHT_MUTANTS_SEEDS the orders (default 3). Run as a program it
counts the outcomes: python3 test_sim_mutants.py MUTANTS SEEDS.
"""

import collections
import dataclasses
import os
import random
import re
import sys

import pytest

torch = pytest.importorskip("torch")
import test_sim_generated  # noqa: E402
import test_sim_generated_formats  # noqa: E402
import test_sim_generated_kernels  # noqa: E402
import test_sim_generated_units  # noqa: E402
from grid_kernels import new_host, to_numpy  # noqa: E402
from tilewright import sim  # noqa: E402

LINE = re.compile(r' *(?:%\w+ = )?"ttkernel\.([\w.]+)"\((.*?)\).*\n')
DROPPED = re.compile(r"(pack_)?reconfig_data_format\w*|cb_\w+|noc_async_\w*barrier|noc_semaphore_\w+|semaphore_\w+|tile_regs_\w+|init_sfpu|\w+_init|\w+_uninit")
TWICE = re.compile(r"cb_\w+|tile_regs_\w+|noc_semaphore_inc\w*")
COUNTED = {"cb_reserve_back": 1, "cb_push_back": 1, "cb_wait_front": 1, "cb_pop_front": 1, "noc_semaphore_wait": 1,
           "noc_semaphore_wait_min": 1, "noc_semaphore_inc": 1, "noc_semaphore_set": 1}


@dataclasses.dataclass
class Program:
    """The parts of a launch, and their mutations."""

    made: object  # Made
    text: str
    buffers: list
    semaphores: list

    def run(self, seed):
        """The bits of the results, or the reports."""
        grid = sim.Grid("n150", seed=seed, budget=200_000, threads=1 + seed % 2, numerics=self.made.numerics)
        try:
            launch, outs = self.made.launched(grid, self.text, self.buffers, self.semaphores)
            launch.run()
            if launch.reports:
                return launch.reports[0]["kind"], None
            # zeros without their signs, which a buffer of another format may keep
            return None, b"".join((to_numpy(t.read(new_host(t.shape, t.dtype))) + 0).tobytes() for t in outs)
        except sim.KernelError as error:
            return error.reports[0]["kind"], None
        except RuntimeError as error:  # the program is rejected
            return "refused: " + str(error).splitlines()[0].split("error: ")[-1][:60], None


class Pipeline(test_sim_generated_kernels.Made):
    def __init__(self, seed):
        case = test_sim_generated.Case(seed)
        inputs, cores = case.inputs(), (0, 0, case.rows, case.columns)
        last, self.dtype, self.text = len(inputs), case.dtype, case.module()
        self.runs = [sim.Run("reader", cores, [a for i in range(last) for a in (sim.cb(i), sim.accessor(i))],
                             [sim.address(i) for i in range(last)], noc=case.noc),
                     sim.Run("compute", cores, [*(sim.cb(i) for i in range(last)), sim.cb(16)],
                             wide_dst=case.dtype == "f32", unpack_to_dst=(0, 1)),
                     sim.Run("writer", cores, [sim.cb(16), sim.accessor(last)], [sim.address(last)], noc=1 - case.noc)]
        self.buffers = [sim.Buffer(i, case.dtype, case.block * case.depth) for i in (*range(last), 16)]
        self.arrays = [t.float().numpy() for t in inputs]
        self.want = self.arrays[0]  # its shape


KINDS = [*test_sim_generated_kernels.KINDS, *test_sim_generated_units.KINDS, *test_sim_generated_formats.KINDS]


def program(seed):
    made = (Pipeline if seed % 3 == 0 else KINDS[seed // 3 % len(KINDS)])(seed)
    return Program(made, made.text, made.buffers, list(made.semaphores))


def mutants(right):
    """(change, program) of all mutations."""
    found = list(LINE.finditer(right.text))
    for m, after in zip(found, [*found[1:], None]):
        name, line, operands = m[1], m[0], m[2].split(", ")

        def changed(what, new, m=m, end=None):
            number = right.text.count("\n", 0, m.start()) + 1
            text = right.text[:m.start()] + new + right.text[end or m.end():]
            return f"{what} {m[1]} in line {number}", dataclasses.replace(right, text=text)

        if DROPPED.fullmatch(name) and "=" not in line.split('"')[0]:
            yield changed("drop", "")
        if TWICE.fullmatch(name) and "=" not in line.split('"')[0]:
            yield changed("twice", line * 2)
        if after and DROPPED.fullmatch(name) and after.start() == m.end() and DROPPED.fullmatch(after[1]):
            yield changed("swap", after[0] + line, end=after.end())
        if name in COUNTED and len(operands) > COUNTED[name]:
            old = operands[COUNTED[name]]
            for by in (1, -1):
                new = ", ".join([*operands[:COUNTED[name]], "%mutant", *operands[COUNTED[name] + 1:]])
                made = f"    %by = arith.constant {by} : i32\n    %mutant = arith.addi {old}, %by : i32\n"
                yield changed(f"count {by:+}", made + line.replace(m[2], new, 1))
    for i, buffer in enumerate(right.buffers):
        for dtype in sorted({"f32", "bf16", "bfp_bf8", "si32"} - {buffer.dtype}):
            other = dataclasses.replace(buffer, dtype=dtype)
            yield f"{dtype} for buffer {buffer.port}", dataclasses.replace(right, buffers=[*right.buffers[:i], other, *right.buffers[i + 1:]])
    for i, value in enumerate(right.semaphores):
        yield f"semaphore {i} begins with {value + 1}", dataclasses.replace(
            right, semaphores=[*right.semaphores[:i], value + 1, *right.semaphores[i + 1:]])


def outcome(number, seeds):
    """The outcome of mutant `number`: (reported, harmless, missed or late), the change, the reports."""
    right = program(number)
    wanted = right.run(0)[1]
    assert wanted is not None
    what, mutant = random.Random(number).choice(list(mutants(right)))
    harm, message, late = False, None, False
    for seed in range(seeds):
        kind, bits = mutant.run(seed if seed == 0 else number * seeds + seed)
        if kind:
            message, late = kind, seed > 0
            break
        harm |= bits != wanted
    return ("late" if late else "reported") if message else "missed" if harm else "harmless", what, message, mutant


@pytest.mark.parametrize("block", range(int(os.environ.get("TILEWRIGHT_MUTANTS", 40)) // 10))
def test_no_harm_is_missed(block):
    seeds = int(os.environ.get("TILEWRIGHT_MUTANTS_SEEDS", 3))
    for number in range(10 * block, 10 * block + 10):
        became, what, *_ = outcome(number, seeds)
        assert became != "missed", (number, what)


def main():
    counts, kinds, reported = collections.Counter(), collections.Counter(), collections.Counter()
    n, seeds = int(sys.argv[1]), int(sys.argv[2])
    for number in range(n):
        became, what, message, mutant = outcome(number, seeds)
        counts[became] += 1
        kinds[(what.split(" in line")[0], became)] += 1
        reported[message] += 1
        if became == "missed":
            print("missed:", number, what)
    print({k: f"{v} ({100 * v / n:.1f} %)" for k, v in counts.items()})
    for (what, became), k in sorted(kinds.items()):
        if became != "reported":
            print(f"  {became}: {what}: {k} of {sum(v for (w, _), v in kinds.items() if w == what)}")
    print(reported.most_common())
    sys.exit(counts["missed"] > 0)


if __name__ == "__main__":
    main()
