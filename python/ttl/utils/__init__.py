"""Helpers for authors of kernels: how work and blocks are shared among cores."""
