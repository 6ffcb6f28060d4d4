"""Device queries used by kernels and tests."""

HAS_TT_DEVICE = True  # the embedded device
