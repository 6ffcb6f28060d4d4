"""What kernels and their tests ask about the machine."""

HAS_TT_DEVICE = True  # the embedded one
