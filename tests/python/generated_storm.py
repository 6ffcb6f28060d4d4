"""Generated kernels and mutants of them, for builds with sanitizers: python3 generated_storm.py FIRST COUNT SEEDS.
Correct ones give the same bits under each order of threads without reports; mutants must terminate. Every other run
has two threads of the host."""

import random
import sys

import test_sim_mutants
from test_sim_generated_reruns import Reruns


def main():
    first, count, seeds = map(int, sys.argv[1:])
    for number in range(first, first + count):
        Reruns(number, range(seeds)).check()
        right = test_sim_mutants.program(number)
        reported, wanted = right.run(0)
        assert wanted is not None, (number, reported)
        for seed in range(number * seeds + 1, number * seeds + seeds):
            assert right.run(seed) == (None, wanted), (number, seed)
        mutants = list(test_sim_mutants.mutants(right))
        for _, mutant in random.Random(number).sample(mutants, min(3, len(mutants))):
            mutant.run(number)
    print(f"{count} kernels under {seeds} orders, and mutants of them")


if __name__ == "__main__":
    main()
