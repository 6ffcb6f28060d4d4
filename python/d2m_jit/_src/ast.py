"""Kernels from Python's syntax tree to the region of a d2m.generic."""

import ast

from tilewright.kernel_walker import Walker
from ttmlir import ir

from . import blocks
from .errors import D2mJitError


class D2MCompiler(Walker):
    """Compiles a kernel's body where the current insertion point is."""

    Error = D2mJitError
    functions = _syntax = blocks.functions()
    advice_of_lost = "give it a value before; blocks do not leave a branch: store them inside, or choose elements by where()"

    def compile(self, names):
        """`names`: what the kernel's parameters are: values, or integers that are built into the kernel."""
        self.names = dict(names)
        self.body(self.tree.body)

    def integer_type(self, number):
        return ir.IntegerType.get_signless(1, self.context) if isinstance(number, bool) else ir.IndexType.get(self.context)

    def of_Name(self, node):
        if isinstance(self.names.get(node.id), int):
            return self.constant(self.names[node.id])
        return super().of_Name(node)

    def of_Subscript(self, node):
        raise self.failure(node, NotImplementedError("a part of a tensor or block"), "load the block: remote_load(tensor, [row, column])")

    def do_AugAssign(self, node):
        """`block += a @ b` is one matmul, whose accumulator is the block."""
        if not (isinstance(node.target, ast.Name) and isinstance(node.op, ast.Add) and isinstance(node.value, ast.BinOp)
                and isinstance(node.value.op, ast.MatMult)):
            return super().do_AugAssign(node)
        operands = self.of_Name(node.target), self.value(node.value.left), self.value(node.value.right)
        self.names[node.target.id] = self.functions["__matmul_acc__"].build(*operands)
        return None

    # ---- blocks are memory: what a loop changes stays where it is ------------------------------

    def leaves_branch(self, value):
        return not isinstance(value.type, ir.RankedTensorType)

    def carried(self, name, begin, end):
        """The last function of a block writes to the memory that the iteration began with. What is loaded, or is not read by the next
        iteration, is of one iteration only."""
        owner = end.owner
        if not isinstance(begin.type, ir.RankedTensorType) or end == begin:
            return end
        if isinstance(owner, ir.Block) or owner.name not in ("linalg.generic", "scf.for"):
            if list(begin.uses):
                raise TypeError(f"the loop gives another block to '{name}', which its next iteration reads: blocks are copied by functions, "
                                "and a loop changes one as in block = f(block, ...)")
            return None
        if owner.name == "linalg.generic":
            self.written(name, begin, owner)
        return end

    def written(self, name, begin, owner):
        """Makes `begin` the memory of a function's result."""
        outer = begin.owner.owner.operands[begin.arg_number + 2]  # behind the bounds and the step of the loop
        loaded = outer.owner
        if not isinstance(loaded, ir.Block) and loaded.name == "d2m.remote_load":
            raise TypeError(f"the loop changes '{name}', which is a loaded block: begin with a computed one, as in zeros([1, 1]) + block")
        memory = owner.operands[len(owner.operands) - 1].owner
        if not isinstance(memory, ir.Block) and memory.name == "d2m.empty":
            owner.operands[len(owner.operands) - 1] = begin
