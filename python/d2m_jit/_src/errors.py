"""The error of kernels."""

from tilewright.kernel_errors import SourceError


class D2mJitError(SourceError):
    """A kernel that cannot be compiled, or a call that does not fit it."""

    product = "d2m_jit"
