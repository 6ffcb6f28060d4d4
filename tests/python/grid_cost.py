"""Kernels as text, and the cycles of a launch: what measures of the cost model are made of (bench/exam.py)."""

from grid_kernels import cb_type, constants


def kernel(name, kind, body):
    return (f"  func.func private @{name}() attributes {{ttkernel.thread = #ttkernel.thread<{kind}>}} {{\n{constants()}\n"
            f"{body}    return\n  }}\n")


def port(n, pages, dtype, name="cb"):
    return f'    %{name} = "ttkernel.get_compile_time_arg_val"() <{{arg_index = {n} : i32}}> : () -> {cb_type(pages, dtype)}\n'


def cycles(grid, text, runs, **launch):
    return grid.load("module {\n" + text + "}\n").launch(runs, **launch).run().cycles
