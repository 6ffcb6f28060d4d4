"""Profiles of runs: `with trace(folder, port):` writes what programs do inside the block."""

from profiler.recorder import ProfilerError, trace

__all__ = ["trace", "ProfilerError"]
