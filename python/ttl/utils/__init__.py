"""Helpers for authors of kernels: distribution of work and blocks to cores."""
