"""The parts of pykernel."""
