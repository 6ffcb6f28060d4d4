"""`python -m sim.ttlang_sim FILE` is ttlang-sim."""

from tilewright.ttlang_sim import main

if __name__ == "__main__":
    main()
