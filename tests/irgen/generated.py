"""Random modules for the programs that compare our reader with others."""

import re
import subprocess


def add_options(parser, dialects, ops):
    parser.add_argument("--seeds", default="1:200", help="first:count")
    parser.add_argument("--ops", default=ops)
    parser.add_argument("--dialects", default=dialects)
    parser.add_argument("--broken", action="store_true")


def seeds(args):
    first, count = map(int, args.seeds.split(":"))
    return range(first, first + count)


def operations(build, dialects):
    """The names of all operations of the dialects."""
    names = []
    for dialect in dialects.split(","):
        said = subprocess.run([build / "bin/tilewright", "operations", dialect], capture_output=True, text=True)
        names += re.findall(rf"^\| ({dialect}\.\S+) \|", said.stdout, re.M)
    return names


def module(args, seed, without):
    """A module without operations of these names, and whether our verifier accepts it."""
    command = [args.build / "tests/irgen/irgen", f"--seed={seed}", f"--ops={args.ops}", "--core",
               f"--dialects={args.dialects}", "--without=" + ",".join(without)]
    done = subprocess.run(command + ["--broken"] * args.broken, capture_output=True, text=True, check=False)
    return done.stdout, done.returncode == 0
