#!/usr/bin/env python3
"""Differential campaigns: random programs beside an independent implementation, by kind and seed.

campaign.py KIND --seeds A:B [--record] [--show N] [--seconds S]     seeds A to B-1, in chunks, each in a process of its own
campaign.py KIND --seed N [--reduce]                   one seed: its program, its outcome; shrunk by `tilewright reduce`
campaign.py KIND --seed N --again WAS                  judges a recorded seed that was "different", "died" or "refused" once more, after its defect is fixed
campaign.py --totals                                   the sums of the ledger

Kinds: stablehlo (beside XLA), evaluator (the same beside our evaluator), ttir (before and after every pass, beside the references of `golden`), ttl (kernels beside
torch), torch (the samples of torch's operator database beside eager; a seed is an operator and a type, its samples are counted). A process that dies is a finding of the seed it was at.
Exit status 1 if a seed differs without an explanation. --record adds the range to ledger.csv, chunk by chunk; after S
seconds the seeds that are done are recorded and the rest is left. A range that overlaps a recorded one is refused."""

import argparse
import csv
import dataclasses
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LEDGER = HERE / "ledger.csv"
FIELDS = ["kind", "first", "end", "run", "equal", "explained", "refused", "no reference", "different", "died"]
KINDS = ["stablehlo", "evaluator", "ttir", "ttl", "beside", "torch"]
CHUNK = {"torch": 100}  # seeds of one process; starting it and importing torch or JAX costs as much as some hundred of them


@dataclasses.dataclass
class Outcome:
    """verdict: equal, explained (why: a class of classes.md), refused (why: our error), no reference (why: its error),
    different (why: where)."""
    verdict: str
    why: str = ""


def prepare():
    """Paths of the tests and the staged packages; one thread, the CPU as JAX's device."""
    build = Path(os.environ.get("TW_BUILD", ROOT / "build")).resolve()
    for path in (HERE, ROOT / "tests" / "python", build / "python"):
        if str(path) not in sys.path:
            sys.path.insert(0, str(path))
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("TILEWRIGHT_KERNEL_CACHE", str(build / "test-kernels"))
    sys.modules.setdefault("campaign", sys.modules[__name__])


def module(kind):
    prepare()
    return importlib.import_module({"torch": "torch_samples", "ttl": "ttl_kernels_random", "ttir": "ttir_passes", "beside": "ttl_beside"}.get(kind, kind))


def worker(kind, first, end):
    """Writes one JSON line for each seed, preceded by the seeds that are begun."""
    campaign = module(kind).Campaign()
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    at = first
    while at < end:
        seeds = list(range(at, min(end, at + campaign.together)))
        out.write(json.dumps({"begun": seeds}) + "\n")
        for seed, outcome in campaign.outcomes(seeds):
            out.write(json.dumps({"seed": seed, "verdict": outcome.verdict, "why": outcome.why}) + "\n")
        at = seeds[-1] + 1


def chunk(kind, first, end, report, deadline):
    """Calls report(seed, outcome) for a range; processes that die are started again behind what killed them. Returns the
    end of the seeds that are done."""
    outcomes, begun, alone = {}, [], set()

    def tell(seed, outcome):
        outcomes[seed] = outcome
        report(seed, outcome)

    command = [sys.executable, str(HERE / "campaign.py"), kind, "--worker"]
    at = first
    while at < end:
        stop = at + 1 if at in alone else end
        with tempfile.TemporaryFile("w+") as errors, subprocess.Popen([*command, f"{at}:{stop}"], stdout=subprocess.PIPE, stderr=errors, text=True) as child:
            for line in child.stdout:
                if time.time() > deadline:
                    child.kill()
                    child.wait()
                    return begun[0] if begun else at
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if "begun" in record:
                    begun = record["begun"]
                else:
                    tell(record["seed"], Outcome(record["verdict"], record["why"]))
            status = child.wait()
            errors.seek(0)
            said = errors.read()[-4000:]
        if status == 0:
            at = stop
            continue
        waiting = [s for s in begun if s not in outcomes] or [at]
        if not begun:
            sys.exit(f"{kind} at {at}: exit status {status} before the first seed\n{said}")
        if len(waiting) == 1 or waiting[0] in alone:
            if "xla::cpu::CpuCompiler::" in said:
                tell(waiting[0], Outcome("no reference", f"XLA's compiler died, exit status {status}"))
            else:
                tell(waiting[0], Outcome("died", f"exit status {status}: {said.strip().splitlines()[-1] if said.strip() else ''}"))
            at = waiting[0] + 1
        else:
            alone.update(waiting)
            at = waiting[0]
        begun = []
    return end


def ledger():
    if not LEDGER.exists():
        return []
    with LEDGER.open(newline="") as f:
        return [{k: (int(v) if k not in ("kind",) else v) for k, v in row.items()} for row in csv.DictReader(f)]


def check_free(kind, first, end):
    for r in ledger():
        if r["kind"] == kind and first < r["end"] and r["first"] < end:
            sys.exit(f"ledger: {kind} {r['first']}:{r['end']} overlaps {first}:{end}")


def record(kind, first, end, counts):
    """Adds a range to the ledger; ranges that touch become one."""
    check_free(kind, first, end)
    new = {"kind": kind, "first": first, "end": end, **{f: counts.get(f, 0) for f in FIELDS[3:]}}
    rows = []
    for r in ledger():
        if r["kind"] == kind and (r["end"] == new["first"] or new["end"] == r["first"]):
            new = {"kind": kind, "first": min(r["first"], new["first"]), "end": max(r["end"], new["end"]),
                   **{f: r[f] + new[f] for f in FIELDS[3:]}}
        else:
            rows.append(r)
    rows.append(new)
    write(rows)


def write(rows):
    rows.sort(key=lambda r: (KINDS.index(r["kind"]), r["first"]))
    with LEDGER.open("w", newline="") as f:
        out = csv.DictWriter(f, FIELDS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def again(kind, seed, was):
    """Moves a fixed seed in the ledger from what it was to what it is now."""
    verdicts = []
    chunk(kind, seed, seed + 1, lambda _, outcome: verdicts.append(outcome.verdict), float("inf"))
    rows = ledger()
    row = next((r for r in rows if r["kind"] == kind and r["first"] <= seed < r["end"]), None)
    if len(verdicts) != 1 or verdicts[0] in ("different", "died", was) or not row or not row[was]:
        sys.exit(f"{kind} {seed}: {', '.join(verdicts)}; the ledger is left as it is")
    row[was] -= 1
    row[verdicts[0]] += 1
    write(rows)
    print(f"{kind} {seed}: {verdicts[0]}")


def totals():
    rows = ledger()
    for r in rows:
        if r["run"] != sum(r[f] for f in FIELDS[4:]):
            sys.exit(f"ledger: {r['kind']} {r['first']}:{r['end']}: counts do not add up")
    print(f"{'kind':10} " + " ".join(f"{f:>13}" for f in FIELDS[3:]))
    for kind in KINDS:
        print(f"{kind:10} " + " ".join(f"{sum(r[f] for r in rows if r['kind'] == kind):13}" for f in FIELDS[3:]))
    print(f"{'all':10} " + " ".join(f"{sum(r[f] for r in rows):13}" for f in FIELDS[3:]))


def run(kind, first, end, keep, show, seconds):
    """Runs a range; True if nothing differs without an explanation."""
    begin, counts, seen, done = time.time(), Counter(), Counter(), []
    if keep:
        check_free(kind, first, end)

    def report(seed, outcome):
        done.append((seed, outcome.verdict))
        bad = outcome.verdict in ("different", "died")
        if bad or (outcome.verdict != "equal" and seen[outcome.verdict] < show and not (outcome.verdict == "explained" and seen[outcome.why])):
            print(f"{kind} {seed}: {outcome.verdict}: {outcome.why}", flush=True)
        seen[outcome.verdict] += 1
        seen[outcome.why] += 1

    at = first
    while at < end and time.time() < begin + seconds:
        stop = chunk(kind, at, min(end, at + CHUNK.get(kind, 1500)), report, begin + seconds)
        part = Counter(verdict for seed, verdict in done if seed < stop)
        part["run"] = part.total()
        if keep and stop > at:
            record(kind, at, stop, part)
        counts.update(part)
        done.clear()
        at = stop
    print(f"{kind} {first}:{at}: " + ", ".join(f"{counts[f]} {f}" for f in FIELDS[3:] if counts[f]) + f" in {time.time() - begin:.0f} s")
    return not counts["different"] and not counts["died"]


def one(kind, seed, reduce):
    """Shows one seed; with reduce writes a smaller program that has the same verdict."""
    m = module(kind)
    campaign = m.Campaign()
    text = campaign.text(seed)
    print(text)
    for _, outcome in campaign.outcomes([seed]):
        print(f"{kind} {seed}: {outcome.verdict}: {outcome.why}")
    if reduce and hasattr(m, "judge_text"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "case.mlir"
            path.write_text(text)
            test = f"{sys.executable} {HERE / 'campaign.py'} {kind} --is {outcome.verdict.replace(' ', '-')} --file"
            subprocess.run([ROOT / "build/bin/tilewright", "reduce", f"--test={test}", "--tries=150", path], check=False)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("kind", nargs="?", choices=KINDS)
    options.add_argument("--seeds", default="0:300", help="A:B: seeds A to B-1")
    options.add_argument("--seed", type=int, help="one seed, shown")
    options.add_argument("--reduce", action="store_true", help="shrink the seed's program")
    options.add_argument("--again", metavar="WAS", choices=["different", "died", "refused"], help="judge a recorded seed once more")
    options.add_argument("--record", action="store_true", help="add the range to the ledger")
    options.add_argument("--seconds", type=float, default=1e9, help="stop after this time")
    options.add_argument("--show", type=int, default=10, help="refused and unjudged seeds to name (10)")
    options.add_argument("--totals", action="store_true", help="the sums of the ledger")
    options.add_argument("--worker", metavar="A:B", help=argparse.SUPPRESS)
    options.add_argument("--is", dest="verdict", help=argparse.SUPPRESS)
    options.add_argument("--file", help=argparse.SUPPRESS)
    o = options.parse_args()
    if o.totals:
        return totals()
    if not o.kind:
        options.error("a kind, or --totals")
    if o.file:
        sys.exit(module(o.kind).judge_text(Path(o.file).read_text()).verdict != o.verdict.replace("-", " "))
    if o.worker:
        return worker(o.kind, *map(int, o.worker.split(":")))
    if o.again and o.seed is not None:
        return again(o.kind, o.seed, o.again)
    if o.seed is not None:
        return one(o.kind, o.seed, o.reduce)
    sys.exit(not run(o.kind, *map(int, o.seeds.split(":")), o.record, o.show, o.seconds))


if __name__ == "__main__":
    main()
