"""What becomes of a graph or a part of it: a StableHLO program, or failures and their report."""

import torch

from .build import Unsupported
from .capture import SourceLine


class Failure:
    """A node that has no row, or whose row cannot express it."""

    def __init__(self, node, reason):
        # Where torch decomposed an operator, the message names the operator that the user called.
        target = node.meta.get("original_aten") or node.target
        self.node, self.reason, self.source = node, str(reason), SourceLine(node)
        self.follows = isinstance(reason, Follows)
        self.name = target._schema.name if hasattr(target, "_schema") else str(target)
        if isinstance(target, torch._ops.HigherOrderOperator):
            self.name = target.name()


class Follows(Unsupported):
    """A failure caused by another failed node: not reported again."""


class Emitted:
    """A StableHLO program with the graph nodes of its arguments and results. Compiling takes the module over; `again()`
    makes another one."""

    def __init__(self, module, inputs, outputs, again):
        self.module, self.inputs, self.outputs, self.again = module, inputs, outputs, again


def report(failures):
    """One line per operation, each with the user's line; the first in the documented wording."""
    lines, seen = [], set()
    for failure in failures:
        key = failure.name, str(failure.source)
        if key in seen or failure.follows:
            continue
        seen.add(key)
        lines.append(f"Operation '{failure.name}' not supported")
        lines.append(f"    at {failure.source}: {failure.source.code}")
        if failure.reason != "it has no row":
            lines.append(f"    {failure.reason}")
    return "\n".join(lines)
