"""ir_storm.py SEED STEPS: random use and misuse of operations, blocks and values.

Whatever is done, in whatever order, the process must survive: misuse raises. test_ir_storm.py runs it.
"""

import gc
import random
import sys
import threading

import numpy as np
from ttmlir import rewrite
from ttmlir._native import native
from ttmlir.dialects import arith, func, linalg, scf, stablehlo, ttir
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
# Functions of any kind of operation, in a pattern that is also searched upwards.
PATTERNS = """
pdl.pattern : benefit(2) {
  %x = operand
  %t = type
  %abs = operation "ttir.abs"(%x : !pdl.value) -> (%t : !pdl.type)
  %a = result 0 of %abs
  %any = operation "ttir.neg"(%a : !pdl.value) -> (%t : !pdl.type)
  apply_native_constraint "ask"(%any, %x : !pdl.operation, !pdl.value)
  rewrite %abs {
    %0:3 = apply_native_rewrite "make"(%abs, %any, %x, %t : !pdl.operation, !pdl.operation, !pdl.value, !pdl.type) : !pdl.value, !pdl.range<value>, !pdl.operation
    %new = operation "ttir.exp"(%0#0 : !pdl.value) -> (%t : !pdl.type)
    apply_native_rewrite "ask"(%new, %0#1 : !pdl.operation, !pdl.range<value>)
    replace %any with %new
    erase %0#2
  }
}
pdl.pattern : benefit(1) {
  %xs = operands
  %ts = types
  %op = operation(%xs : !pdl.range<value>) -> (%ts : !pdl.range<type>)
  apply_native_constraint "ask"(%op, %xs : !pdl.operation, !pdl.range<value>)
  rewrite %op with "ask"(%xs, %ts : !pdl.range<value>, !pdl.range<type>)
}
"""
OPERATIONS = (Operation, OpView)
# Exceptions that misuse may raise; any other is a defect of the bindings.
RAISED = (RuntimeError, ValueError, LookupError, TypeError, AttributeError, StopIteration, NotImplementedError, MLIRError)


class Own(OpView):
    OPERATION_NAME = "storm.own"
    _ODS_REGIONS = (2, True)


native._register("op", Own.OPERATION_NAME, Own)


class Storm:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.contexts, self.things = [], []

    def context(self):
        if not self.contexts or self.random.random() < 0.02:
            self.contexts.append(Context())
            del self.contexts[:-3]  # objects that still refer to a context keep it alive
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
        """Reads the properties of types, attributes and locations."""
        op = self.pick(OPERATIONS)
        for attribute in op.attributes.values():
            hash(attribute), str(attribute), attribute.typeid, attribute.type
        for value in (*op.results, *op.operands):
            str(value), str(value.type), value.owner, value.location
        str(op.location), [str(region) for region in op.regions], op.successors

    def collect(self):
        gc.collect()

    def threads(self):
        """Other threads read what this one changes."""
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

    # ---- callbacks that misuse their arguments ------------------------------------------------------

    def spoil(self, *others):
        """A random action of others in the middle of something; its exception may pass through."""
        if self.random.random() < 0.6:
            self.things += self.random.choice([Storm.erase, Storm.detach, Storm.append, Storm.replace, Storm.move, Storm.collect,
                                               Storm.drop_attributes, Storm.erase_argument, *others])(self) or []

    def passes_of_python(self):
        manager = PassManager("any", self.random.choice(self.contexts))

        def one(op, pass_):
            self.things.append(op)
            self.spoil()
            if self.random.random() < 0.2:
                pass_.signal_pass_failure()

        for _ in range(3):
            manager.add(*self.random.choice([(one,), ("cse",), (one, "n", "a", "d", "func.func"), ("canonicalize",)]))
        str(manager)
        manager.run(self.pick((Module, *OPERATIONS)).operation)

    def greedy(self):
        patterns, config = rewrite.RewritePatternSet(), rewrite.GreedyRewriteConfig()
        config.max_num_rewrites = 20
        config.enable_folding = self.random.random() < 0.5

        def pattern(op, rewriter):
            self.things.append(op)
            self.spoil()
            with rewriter.ip:
                rewriter.replace_op(op, self.random.choice([list(op.operands), ttir.NegOp(op.results[0].type, op.operands[0])]))
            return self.random.random() < 0.3

        patterns.add("ttir.abs", pattern)
        patterns.add(ttir.NegOp, pattern)
        self.random.choice([rewrite.apply_patterns_and_fold_greedily, rewrite.walk_and_apply_patterns])(
            self.pick((Module, *OPERATIONS)), patterns)

    def pdl(self):
        module = rewrite.PDLModule(Module.parse(PATTERNS, self.random.choice(self.contexts)))

        def ask(rewriter, results, values):
            self.things += [thing for value in values for thing in (value if isinstance(value, list) else [value])]
            if self.random.random() < 0.3:
                self.spoil()
            return self.random.random() < 0.3

        def make(rewriter, results, values):
            ask(rewriter, results, values)
            for many in (False, True, False):
                one = self.random.choice(values if self.random.random() < 0.2 else values[:1 + 2 * (not results)])
                results.append([one, self.pick(Value)] if many else one)
            return self.random.random() < 0.1

        module.register_constraint_function("ask", ask)
        module.register_rewrite_function("ask", ask)
        module.register_rewrite_function("make", make)
        config = rewrite.GreedyRewriteConfig()
        config.max_num_rewrites = 20
        config.enable_folding = self.random.random() < 0.5
        rewrite.apply_patterns_and_fold_greedily(self.pick((Module, *OPERATIONS)), module.freeze(), config)

    def conversion(self):
        patterns, target, converter = rewrite.RewritePatternSet(), rewrite.ConversionTarget(), rewrite.TypeConverter()
        converter.add_conversion(lambda type: type)
        if self.random.random() < 0.5:
            converter.add_conversion(lambda type: Type.parse("tensor<2xbf16>", type.context)
                                     if str(type) == "tensor<2xf32>" else None)

        def pattern(op, adaptor, converter, rewriter):
            self.things += adaptor.operands
            self.spoil()
            with rewriter.ip:
                rewriter.replace_op(op, ttir.ExpOp(adaptor.operands[0].type, adaptor.operands[0]))

        patterns.add_conversion("ttir.abs", pattern, converter)
        patterns.add_conversion(func.FuncOp, lambda op, adaptor, converter, rewriter:
                                rewriter.convert_region_types(op.regions[0], converter), converter)
        target.add_illegal_op("ttir.abs")
        config = rewrite.ConversionConfig()
        config.build_materializations = self.random.random() < 0.5
        rewrite.apply_partial_conversion(self.pick((Module, *OPERATIONS)), target, patterns.freeze(), config)

    def handlers(self):
        """Diagnostics outlive their handlers; handlers are added and removed inside handlers."""
        context, kept = self.random.choice(self.contexts), []

        def handle(diagnostic):
            kept.append((diagnostic, DiagnosticInfo(diagnostic)))
            self.spoil()
            if self.random.random() < 0.3:
                inner.detach()
            return self.random.random() < 0.5

        outer, inner = context.attach_diagnostic_handler(handle), context.attach_diagnostic_handler(handle)
        self.random.choice([lambda: Location.unknown(context).emit_error("x"), self.verify, self.passes,
                            lambda: Module.parse("func.func @f() { %0 = nonsense }", context)])()
        outer.detach()
        return [*kept, inner]

    def old_diagnostics(self):
        diagnostic, info = self.random.choice([t for t in self.things if isinstance(t, tuple)])
        str(info), info.location, info.notes
        str(diagnostic), diagnostic.location, diagnostic.notes

    def iterate(self):
        """Iterates over collections that change meanwhile."""
        op = self.pick(OPERATIONS)
        iterators = [iter(x) for x in (op.attributes, op.operands, op.results, op.regions, op.successors, op.op_operands)]
        iterators += [iter(block.operations) for region in op.regions for block in region]
        iterators += [iter(region) for region in op.regions] + [iter(result.uses) for result in op.results]
        for _ in range(12):
            if self.random.random() < 0.2:
                self.spoil()
            found = next(self.random.choice(iterators), None)
            if isinstance(found, (Value, Operation, OpView, Block)):
                self.things.append(found)

    def adaptors(self):
        op = self.pick(OPERATIONS).operation.opview
        adaptor = type(op).Adaptor([self.pick(Value) for _ in range(self.random.randrange(4))], op)
        for name in dir(type(adaptor)):
            if not name.startswith("_"):
                getattr(adaptor, name)

    def ask_interfaces(self):
        op = self.pick(OPERATIONS)
        op.operation.opview.has_trait(IsTerminatorTrait)
        MemoryEffectsOpInterface(op)
        return [ConditionallySpeculatable(op).getSpeculatability()]

    def bodies(self):
        native._fill_body(self.pick(OPERATIONS))

    def linalg(self):
        return [linalg.exp(self.pick(Value), outs=[self.pick(Value)], ip=self.pick(InsertionPoint))]

    def evaluate(self):
        x = DenseElementsAttr.get(np.float32([1, 2]), context=self.random.choice(self.contexts))
        return [native._eval_function(self.pick(OPERATIONS), [x] * self.random.randrange(3))]

    def loops(self):
        with self.pick(InsertionPoint):
            for i in scf.for_(0, 4):
                self.spoil()
                self.things += [i, arith.addi(i, i)]
                scf.yield_([])

    def traced(self):
        with loc_tracebacks(max_depth=self.random.randrange(5)):
            return self.make()

    def unregistered(self):
        self.random.choice(self.contexts).allow_unregistered_dialects = self.random.random() < 0.5
        made = [Own.build_generic(results=[Type.parse("i32")], operands=[self.pick(Value)], ip=False)]
        return made + [Operation.create("storm.other", ip=False, successors=[self.pick(Block)])]

    def stablehlo(self):
        return [stablehlo.add(self.pick(Value), self.pick(Value), ip=self.pick(InsertionPoint))]

    ACTIONS = (parse, walk, values, inside, erase, detach, append, replace, clone, passes, show, verify, add_argument,
               erase_argument, new_block, move_block, set_operand, drop_attributes, make, move, point, ask, look, collect, threads, passes_of_python, greedy, pdl, conversion, handlers, old_diagnostics, iterate, adaptors,
               ask_interfaces, bodies, linalg, evaluate, loops, traced, unregistered, stablehlo)

    def step(self):
        with self.context(), Location.unknown():
            try:
                self.things += self.random.choice(self.ACTIONS)(self) or []
            except RAISED:
                pass
        while len(self.things) > 120:
            self.things.pop(self.random.randrange(len(self.things)))


storm = Storm(int(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    storm.step()
print("alive")
