"""ir_storm.py SEED STEPS: random use and misuse of operations, blocks and values.

Whatever is done, in whatever order, the process must live: misuse raises.  test_ir_storm.py runs it."""

import gc
import random
import sys
import threading

from ttmlir.dialects import ttir
from ttmlir.ir import *
from ttmlir.passmanager import PassManager

TEXT = """
func.func @main(%arg0: tensor<2xf32>, %c: i1) -> tensor<2xf32> {
  %0 = "ttir.abs"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "ttir.neg"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = scf.if %c -> (tensor<2xf32>) {
    scf.yield %0 : tensor<2xf32>
  } else {
    %3 = "ttir.exp"(%1) : (tensor<2xf32>) -> tensor<2xf32>
    scf.yield %3 : tensor<2xf32>
  }
  %4:2 = call @two(%2) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %true = arith.constant true
  cf.cond_br %true, ^bb1(%4#1 : tensor<2xf32>), ^bb1(%4#0 : tensor<2xf32>)
^bb1(%x: tensor<2xf32>):
  return %x : tensor<2xf32>
}
func.func private @two(tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
"""
OPERATIONS = (Operation, OpView)


class Storm:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.contexts, self.things = [], []

    def context(self):
        if not self.contexts or self.random.random() < 0.02:
            self.contexts.append(Context())
            del self.contexts[:-3]  # what still hangs on one keeps it
        return self.random.choice(self.contexts)

    def pick(self, kinds):
        found = [thing for thing in self.things if isinstance(thing, kinds)]
        if not found:
            raise LookupError("none yet")
        return self.random.choice(found)

    def some_region(self):
        return self.random.choice(list(self.pick(OPERATIONS).regions))

    def parse(self):
        return [Module.parse(TEXT)]

    def walk(self):
        found = []
        self.pick(Module).operation.walk(
            lambda op: (found.append(op) if self.random.random() < 0.3 else None) or WalkResult.ADVANCE)
        return found

    def values(self):
        op = self.pick(OPERATIONS)
        return [*op.results, *op.operands]

    def inside(self):
        blocks = list(self.some_region())
        return [*blocks, *(thing for block in blocks for thing in (*block.arguments, *block.operations))]

    def erase(self):
        self.pick(OPERATIONS).erase()

    def detach(self):
        return [self.pick(OPERATIONS).detach_from_parent()]

    def append(self):
        self.pick(Block).append(self.pick(OPERATIONS))

    def replace(self):
        self.pick(Value).replace_all_uses_with(self.pick(Value))

    def clone(self):
        return [self.pick(OPERATIONS).clone(ip=False)]

    def passes(self):
        module = self.pick(Module)
        PassManager.parse("builtin.module(canonicalize,cse)", module.context).run(module.operation)

    def show(self):
        str(self.pick((*OPERATIONS, Module, Block, Value)))
        self.pick(OPERATIONS).get_asm(enable_debug_info=True, print_generic_op_form=self.random.random() < 0.5)

    def look(self):
        """At what the classes tell of types, attributes and locations."""
        op = self.pick(OPERATIONS)
        for attribute in op.attributes.values():
            hash(attribute), str(attribute), attribute.typeid, attribute.type
        for value in (*op.results, *op.operands):
            str(value), str(value.type), value.owner, value.location
        str(op.location), [str(region) for region in op.regions], op.successors

    def collect(self):
        gc.collect()

    def threads(self):
        """Others look at what this one changes."""
        things = [self.pick((*OPERATIONS, Module, Block, Value)) for _ in range(4)]

        def look():
            for thing in things:
                try:
                    str(thing), hash(thing), thing == things[0]
                except (RuntimeError, ValueError, MLIRError):
                    pass

        others = [threading.Thread(target=look) for _ in range(2)]
        for other in others:
            other.start()
        try:
            self.erase()
        finally:
            for other in others:
                other.join()

    def verify(self):
        self.pick(OPERATIONS).verify()

    def add_argument(self):
        return [self.pick(Block).add_argument(Type.parse("tensor<2xf32>"), Location.unknown())]

    def erase_argument(self):
        block = self.pick(Block)
        block.erase_argument(self.random.randrange(len(block.arguments)))

    def new_block(self):
        return [Block.create_at_start(self.some_region(), [Type.parse("f32")])]

    def move_block(self):
        self.pick(Block).append_to(self.some_region())

    def set_operand(self):
        op = self.pick(OPERATIONS)
        op.operands[self.random.randrange(len(op.operands))] = self.pick(Value)

    def drop_attributes(self):
        attributes = self.pick(OPERATIONS).attributes
        for name in list(attributes.keys()):
            if self.random.random() < 0.5:
                del attributes[name]

    def make(self):
        value = self.pick(Value)
        return [ttir.AbsOp(value.type, value, ip=self.pick(InsertionPoint))]

    def move(self):
        op = self.pick(OPERATIONS)
        self.random.choice([op.move_after, op.move_before])(self.pick(OPERATIONS))

    def point(self):
        return [InsertionPoint(self.pick((*OPERATIONS, Block)))]

    def ask(self):
        value = self.pick(Value)
        value.get_name()
        list(value.uses)
        value.set_type(self.random.choice([Type.parse("f32"), value.type]))

    ACTIONS = (parse, walk, values, inside, erase, detach, append, replace, clone, passes, show, verify, add_argument,
               erase_argument, new_block, move_block, set_operand, drop_attributes, make, move, point, ask, look, collect, threads)

    def step(self):
        with self.context(), Location.unknown():
            try:
                self.things += self.random.choice(self.ACTIONS)(self) or []
            except (RuntimeError, ValueError, LookupError, TypeError, MLIRError):
                pass
        while len(self.things) > 120:
            self.things.pop(self.random.randrange(len(self.things)))


storm = Storm(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    storm.step()
print("alive")
