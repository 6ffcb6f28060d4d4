"""TTLANG_COMPAT=1: rejects what tt-lang's own compiler does not support, with its messages, so that a kernel which
compiles under it compiles there; and logs compilation."""

import os


class TensorError(ValueError):
    """An error about one of the tensors that a kernel was called with."""

    def __init__(self, message, number):
        super().__init__(message)
        self.number = number


def enabled():
    return os.environ.get("TTLANG_COMPAT", "0") == "1"


def check_kernel(grid, tensors, ttnn):
    """tt-lang's limits on grids and tensors."""
    if len(grid) != 2:
        raise ValueError(f"Only 2D grids supported, got grid {tuple(grid)}")
    for i, tensor in enumerate(tensors):
        if len(tensor.shape) != 2:
            raise TensorError(f"Only 2D tensors supported, got shape {tuple(tensor.shape)}", i)
        if isinstance(tensor, ttnn.Tensor) and tensor.memory_config().memory_layout != ttnn.TensorMemoryLayout.INTERLEAVED:
            raise ValueError("TTNN interop requires interleaved tensors. Use ttnn.DRAM_MEMORY_CONFIG or "
                             "ttnn.L1_MEMORY_CONFIG for interleaved tensors.")


def assignment(frame, number):
    """(file, line) of the assignment to the variable that is argument `number` of the call in this frame."""
    import ast
    import linecache

    file = frame.f_code.co_filename
    try:
        tree = ast.parse("".join(linecache.getlines(file, frame.f_globals)), file)
    except SyntaxError:
        return file, frame.f_lineno
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.lineno <= frame.f_lineno <= n.end_lineno]
    names = [c.args[number].id for c in calls if number < len(c.args) and isinstance(c.args[number], ast.Name)]
    lines = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.Assign) and n.lineno < frame.f_lineno and
             any(isinstance(t, ast.Name) and t.id in names for t in n.targets)]
    return file, max(lines, default=frame.f_lineno)


def log_threads(threads):
    print(f"TTNN INTEROP: Compiling kernel ({len(threads)} threads)")


def log_bound(runs, buffers):
    print(f"Created ProgramDescriptor ({len(runs)} kernels, {len(buffers)} circular buffers)")
