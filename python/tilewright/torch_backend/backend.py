"""The torch.compile backend "tt": capture, emit, compile, and the callable that runs it."""

import collections
import contextlib
import logging
import operator
import threading
import time

import torch

from .. import _engine, env, forks
from . import aliases, capture, device, draws, gradients, graphs, guards, profile, saved, training, warm
from .programs import Emitted, Failure, report

log = logging.getLogger("tilewright")
LOOP = torch.ops.higher_order.while_loop


def tt(gm, example_inputs, *, options=None, **_):
    """Compiles a captured graph. torch calls this once per graph and set of input shapes."""
    settings = env.with_options(env.read(), options)
    graph, own = capture.with_attributes_as_inputs(gm)
    runner = compiled(graph, [*example_inputs, *own], settings)
    whole = (lambda *args: runner(*args, *own)) if own else runner
    return saved.Saved(gm, options, whole) if saved.wanted() else whole


def compiled(gm, example_inputs, settings):
    held, whole = held_inputs(gm), one_graph()
    differentiable, recorded = gradients.expected(gm), gradients.recorded(example_inputs)
    gm = graphs.with_functions(capture.numbers_as_tensors(gm))
    away = any(device.is_device(value) for value in example_inputs)
    trains = []

    def plan_of(graph, constant, fallback):
        plan = Plan(graph, [], [], constant, fallback)
        return plan, plan.build(settings, whole)

    def trainer(gm, *_):
        return training.Training(gm, held, whole, plan_of)

    def build(gm, inputs, traced):
        fallback = in_torch(gm, whole)
        try:
            graph, mutated, lifted = warm.functional_graph(gm, inputs, settings.cache_path)
            why = gradients.not_repeatable(graph, mutated)
            if why and (any(differentiable) or mutated and recorded):
                trains.append(why)
                return trainer(gm)
            constant = [flag and i not in mutated for i, flag in enumerate(held)]
            plan = Plan(graph, mutated, lifted, constant, fallback)
            runner = aliases.shared(plan.build(settings, whole), *traced)
        except _engine.refusals() as error:
            if whole:
                raise
            if any(differentiable) or recorded:
                trains.append(str(error))
                return trainer(gm)
            log.warning("run by torch instead of the device: %s", first_line(error))
            return fallback
        trained = trainer(gm)
        if any(differentiable) and not away:
            runner = gradients.attached(runner, gm, differentiable, trained)
        runner = aliases.views_of_arguments(runner, *traced, differentiable)
        runner = guards.guarded(runner, guards.bounds_of(plan.body, plan.variable()), fallback)
        return training.Switch(runner, trained) if any(differentiable) and not away else runner

    numbers = capture.literal_numbers(gm)
    each = numbers or any(capture.is_dynamic(value) for value in example_inputs)
    if each:
        runner = EachShape(gm, build, numbers)
    else:
        runner = build(gm, [device.host(value) for value in example_inputs], aliases.of_graph(gm))
    runner = capture.with_drawn_numbers(gm, runner)
    if not away:
        return runner
    trained = training.OnDevice(EachShape(gm, trainer, numbers) if each else trainer(gm))
    if trains:
        return trained
    runner = device.on_device(runner)
    if not any(differentiable):
        return runner
    return training.Switch(gradients.attached(runner, gm, differentiable, trained), trained)


class EachShape:
    """A graph whose sizes, or numbers that must be literals, are unknown when it is captured: compiles a program for
    each set of them on its first call, without another capture by torch. The programs share the packed weights; those
    used last are kept, since a text that grows word by word would fill the memory with plans."""

    MOST = 64

    def __init__(self, gm, build, numbers):
        self.gm, self.build, self.numbers = gm, build, numbers
        self.runners = collections.OrderedDict()  # the one used last at the end

    def __call__(self, *args):
        numbers = {node: args[i].item() for node, i in self.numbers.items()}
        key = tuple((a.shape, a.stride()) if isinstance(a, torch.Tensor) else a for a in args)
        key += tuple(numbers.values())
        runner = self.runners.get(key)
        if runner is None:
            with capture.capturing():
                runner = self.runners.get(key) or self.make(args, numbers)
                self.runners[key] = runner
                while len(self.runners) > self.MOST:
                    self.runners.popitem(last=False)
        else:
            with contextlib.suppress(KeyError):  # another thread may have dropped it
                self.runners.move_to_end(key)
        return runner(*args)

    def make(self, args, numbers):
        gm = capture.with_numbers(self.gm, numbers)
        return self.build(gm, args, capture.traced(gm, args))


def first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def in_torch(gm, whole):
    """The graph as torch runs it: for calls in which an argument that the model writes overlaps another one, so that
    the order of reads and writes matters, and for values that the device cannot represent. With fullgraph=True the
    latter are an error."""

    def run(*args, why=None):
        if why and whole:
            raise NotImplementedError(why)
        if why:
            log.warning("a call run by torch instead of the device: %s", why)
        with torch.no_grad():
            interpreter = torch.fx.Interpreter(gm)  # a call of gm would print errors as well
            interpreter.extra_traceback = False
            return tuple(interpreter.run(*args))

    return run


def one_graph():
    """True if the user asked for fullgraph=True."""
    try:
        from torch._dynamo.symbolic_convert import InstructionTranslator

        return bool(InstructionTranslator.current_tx().one_graph)
    except (ImportError, AttributeError, LookupError):
        return False


def held_inputs(gm):
    """For each input of the captured graph: is it a parameter or buffer?"""
    flags = []
    for node in gm.graph.nodes:
        if node.op != "placeholder":
            continue
        grapharg = node.meta.get("grapharg")
        source = getattr(grapharg, "source", None)
        name = getattr(source, "name", "")
        name = name() if callable(name) else name
        held = "_parameters[" in name or "_buffers[" in name or ".__parameters" in name
        value = node.meta.get("example_value")
        held = held or grapharg is None or isinstance(value, torch.nn.Parameter)
        # Tensors created in inference mode have no version counter to detect changes by.
        example = getattr(grapharg, "example", None)
        flags.append(held and not (isinstance(example, torch.Tensor) and example.is_inference()))
    return flags


class Plan:
    """The division of a graph into one program, or several with torch's own operations between."""

    def __init__(self, graph, mutated, lifted, constant, fallback):
        self.graph, self.fallback = graph, fallback
        nodes = list(graph.graph.nodes)
        # Random numbers that depend on no value are drawn by torch before the program, which takes them as arguments.
        self.draws, self.before = draws.ahead(nodes), None
        self.placeholders = [n for n in nodes if n.op == "placeholder"] + self.draws
        self.body = [n for n in nodes if n.op in ("call_function", "get_attr") and n not in self.draws]
        self.results = list(next(n for n in nodes if n.op == "output").args[0])
        self.mutated = mutated
        self.lifted = lifted
        self.constant = [True] * len(lifted) + constant + [False] * len(self.draws)
        if self.draws:
            self.before = threading.local()  # the generator's state before this thread's last draws
            self.fallback = draws.undone(fallback, len(constant), self.before)
        self.tensors = {
            n: capture.attribute_of(graph, n.target) for n in self.body if n.op == "get_attr"
        }

    def variable(self):
        """The arguments that are neither parameters nor buffers, with their indices in the call."""
        order = {n: i for i, n in enumerate(self.placeholders)}
        return {
            n: i - len(self.lifted)
            for n, i in order.items()
            if not self.constant[i] and isinstance(n.meta.get("val"), torch.Tensor)
        }

    def build(self, settings, whole):
        return draws.given(self.build_program(settings, whole), self.draws, self.before)

    def build_program(self, settings, whole):
        used = live(self.body, self.results)
        body = [n for n in self.body if n in used]
        program, failures = self.emit(body, self.results)
        steps = []
        if program and not failures:
            try:
                steps = [self.step(program, settings)]
            except _engine.refusals() as error:
                failures = [] if whole else self.refused(body)
                if not failures:
                    raise
                log.debug("%s", error)
        missing = [f for f in failures if f.node.target is not LOOP and not gradients.draws(f.node)]
        if missing and whole:
            raise NotImplementedError(report(missing))
        if missing:
            log.warning("run by torch instead of the device:\n%s", report(missing))
        if failures:
            # A part that is computed outside the program is computed together with the node of the whole.
            failed = {f.node.args[0] if is_part(f.node) else f.node for f in failures}
            steps = self.split(body, failed, settings)
        if len(steps) == 1 and isinstance(steps[0], ProgramStep):
            native = self.native(steps[0], settings)
            if native is not None:
                return native
        return Runner(self, steps)

    def refused(self, body):
        """The nodes that the compiler rejects in programs of their own."""
        failures = []
        for node in body:
            if node.op == "get_attr" or is_part(node):
                continue
            parts = [n for n in body if is_part(n) and n.args[0] is node]
            program, failed = self.emit([n for n in body if n.op == "get_attr"] + [node, *parts], parts or [node])
            failures += failed
            if program:
                try:
                    _engine.compile(program.module, {"threads": 1})
                except _engine.refusals() as error:
                    failures.append(Failure(node, first_line(error)))
        return failures

    def native(self, step, settings):
        """The whole graph as one program, called without Python in between; None where the engine has no such
        callable or outputs besides the results are wanted."""
        if settings.profile or not hasattr(step.program, "runner"):
            return None
        if any(n.meta["val"].is_complex() for n in (*step.inputs, *step.outputs)):
            return None
        order = {n: i - len(self.lifted) for i, n in enumerate(self.placeholders)}
        outputs = {n: i for i, n in enumerate(step.outputs)}
        results = [self.slot(n, order, outputs) for n in self.results]
        count = len(self.mutated)
        written = results[:count]
        if None in results or any(w < 0 for w in written):
            return None
        arguments = []
        for i, node in enumerate(step.inputs):
            at = order[node]
            if at < 0:
                step.program.set_constant(i, self.lifted[at].detach().contiguous())
            arguments.append(max(at, -1))
        pairs = [k for pair in zip(self.mutated, written) for k in pair]
        runner = step.program.runner(
            tuple(arguments), tuple(step.constant), tuple(results[count:]), tuple(pairs), self.fallback
        )
        return runner.call

    @staticmethod
    def slot(node, order, outputs):
        """The source of a result: a program output, or the caller's argument -1 - slot."""
        if node in outputs:
            return outputs[node]
        at = order.get(node, -1)
        return -1 - at if at >= 0 else None

    def emit(self, nodes, outputs):
        """Emits a sequence of nodes; the inputs are the values that it reads and does not compute."""
        made = set(nodes)
        inputs = [n for n in self.graph.graph.nodes if n not in made and n.users.keys() & made]
        outputs = [n for n in dict.fromkeys(outputs) if n in made and not self.is_graph(n)]
        if not outputs:
            return None, []
        inputs = [n for n in inputs if isinstance(n.meta.get("val"), torch.Tensor)]
        order = {n: i for i, n in enumerate(self.placeholders)}
        flags = [n in order and self.constant[order[n]] for n in inputs]

        def make():
            from .emit import emit  # which imports all rows; seldom wanted where modules are kept

            return emit(nodes, inputs, outputs, flags, constants=self.tensors)

        module, failures = warm.module(self.graph, (nodes, inputs, outputs, flags), make)
        return module and Emitted(module, inputs, outputs, lambda: make()[0]), failures

    def is_graph(self, node):
        return isinstance(self.tensors.get(node), torch.nn.Module)

    def step(self, program, settings):
        order = {n: i for i, n in enumerate(self.placeholders)}
        choice = env.engine_options(settings)
        if choice["threads"] is None:
            choice["threads"] = torch.get_num_threads()
        start = time.perf_counter()
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s", program.module.text(True))
        compiled = compile_program(program, choice, settings)
        milliseconds = 1e3 * (time.perf_counter() - start)
        log.info("compiled a program of %d arguments and %d results in %.2f ms; dumps: %s; cache: %s",
                 len(program.inputs), len(program.outputs), milliseconds, choice["dump_dir"],
                 getattr(compiled, "cache_use", lambda: None)())
        if hasattr(compiled, "steps"):
            env.loaded(len(compiled.steps()))
        if settings.profile:
            compiled = profile.Profiled(compiled, settings.profile_path)
        flags = [n in order and self.constant[order[n]] for n in program.inputs]
        return ProgramStep(compiled, program.inputs, flags, program.outputs)

    def split(self, body, failed, settings):
        """Cuts the graph at the failed nodes: programs before, between and after them."""
        runs = []
        for node in parts_behind_wholes(body):
            bad = node in failed or is_part(node) and node.args[0] in failed
            if not runs or runs[-1][0] != bad:
                runs.append((bad, []))
            runs[-1][1].append(node)
        steps = []
        for i, (bad, nodes) in enumerate(runs):
            if bad:
                steps += [LoopStep.of(n, self.tensors, settings) or TorchStep(n) for n in nodes if n.op != "get_attr"]
                continue
            later = {n for _, rest in runs[i + 1 :] for n in rest}
            needed = [n for n in nodes if n.users.keys() & later or n in self.results]
            program, failures = self.emit(nodes, needed)
            if failures:
                raise NotImplementedError(report(failures))
            if program:
                steps.append(self.step(program, settings))
        return steps


def compile_program(program, choice, settings):
    """The compiled program; without dumps if writing them fails."""
    try:
        return _engine.compile(program.module, choice)
    except (OSError, RuntimeError) as error:
        if choice["dump_dir"] is None:
            raise
        choice["dump_dir"] = None
        compiled = _engine.compile(program.again(), choice)
        env.not_written(settings.dump_path, error, "dumps")
        return compiled


def is_part(node):
    return node.target is operator.getitem


def parts_behind_wholes(body):
    """The nodes with the parts of a tuple directly after the node of the tuple, so that no cut separates them."""
    order = []
    for node in body:
        if not is_part(node):
            order.append(node)
            order += [n for n in body if is_part(n) and n.args[0] is node]
    return order


def live(body, results):
    """The nodes that the results depend on."""
    needed = {n for n in results if isinstance(n, torch.fx.Node)}
    for node in reversed(body):
        if node in needed:
            needed.update(node.all_input_nodes)
    return needed


class TorchStep:
    """An operation executed by torch."""

    def __init__(self, node):
        self.node = node

    def run(self, values):
        args, kwargs = torch.fx.node.map_arg((self.node.args, self.node.kwargs), values.__getitem__)
        values[self.node] = self.node.target(*args, **kwargs)


class LoopStep:
    """A data-dependent while loop: programs for its condition and its body, called from Python."""

    @classmethod
    def of(cls, node, attributes, settings):
        if node.target is not LOOP:
            return None
        condition, body, carried, more = node.args
        values = [n.meta["val"] if isinstance(n, torch.fx.Node) else n for n in (*carried, *more)]
        return cls(node, [part_of(attributes[g], values, settings) for g in (condition, body)])

    def __init__(self, node, parts):
        self.node, (self.condition, self.body) = node, parts

    def run(self, values):
        state, more = torch.fx.node.map_arg(self.node.args[2:], values.__getitem__)
        while bool(self.condition(*state, *more)[0]):
            state = self.body(*state, *more)
        # Operands passed through by the body, and equal results, are cloned: the loop's results are tensors of their
        # own.
        values[self.node] = tuple(t.clone() if isinstance(t, torch.Tensor) else t for t in state)


def part_of(gm, values, settings):
    """A callable for a nested graph, which is functional already."""
    for node, value in zip((n for n in gm.graph.nodes if n.op == "placeholder"), values):
        node.meta.setdefault("val", value)
    output = next(n for n in gm.graph.nodes if n.op == "output")
    if isinstance(output.args[0], torch.fx.Node):
        output.args = ((output.args[0],),)
    plan = Plan(gm, [], [], [False] * len(values), in_torch(gm, False))
    return plan.build(settings, False)


class ProgramStep:
    """A compiled program between graph values."""

    def __init__(self, program, inputs, constant, outputs):
        self.program, self.inputs, self.constant = program, inputs, constant
        self.outputs = outputs
        self.shapes = [
            (tuple(int(k) for k in n.meta["val"].shape), n.meta["val"].dtype) for n in outputs
        ]
        # Each constant argument when it was last set: the tensor and its version.
        self.known = [None] * len(inputs)
        self.lock = forks.lock()

    def run(self, values):
        """Other threads may call with other parameters, so the parameters are locked until the run is over."""
        with self.lock:
            self.run_locked(values)

    def run_locked(self, values):
        # An operation run by torch may return another type than its tracer promised.
        arguments = [values[n].to(n.meta["val"].dtype) for n in self.inputs]
        for i, tensor in enumerate(arguments):
            if self.constant[i]:
                stamp = (tensor, tensor._version, tensor.data_ptr(), fingerprint(tensor))
                old = self.known[i]
                if old is None or old[0] is not tensor or old[1:] != stamp[1:]:
                    self.program.set_constant(i, as_reals(tensor.detach()))
                    self.known[i] = stamp
                arguments[i] = None
            else:
                arguments[i] = as_reals(tensor)
        results = [torch.empty(shape, dtype=dtype) for shape, dtype in self.shapes]
        self.program.run(arguments, [as_reals(r) for r in results])
        for node, result in zip(self.outputs, results):
            values[node] = result


def fingerprint(tensor):
    tensor = tensor.detach()
    return _engine.fingerprint(torch.view_as_real(tensor) if tensor.is_complex() else tensor)


def as_reals(tensor):
    """A program's argument or result: contiguous, complex values as pairs of reals."""
    if tensor.is_complex():
        return torch.view_as_real(tensor.resolve_conj().contiguous())
    return tensor.contiguous()


def span(tensor):
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))
    begin = tensor.data_ptr()
    return begin, begin + (last + 1) * tensor.element_size() if tensor.numel() else begin


def overlap(written, args):
    """True if a written tensor shares a byte with another argument."""
    spans = [(t, *span(t)) for t in args if isinstance(t, torch.Tensor)]
    return any(
        t is not w and begin < limit and start < end
        for w, start, limit in ((w, *span(w)) for w in written)
        for t, begin, end in spans
    )


class Runner:
    """The callable that torch runs: (inputs) -> the captured graph's outputs."""

    def __init__(self, plan, steps):
        self.steps = steps
        self.placeholders = plan.placeholders
        self.lifted = plan.lifted
        self.results = plan.results
        self.mutated, self.fallback = plan.mutated, plan.fallback
        self.literals = dict(plan.tensors)
        self.needs_literals = not (len(steps) == 1 and isinstance(steps[0], ProgramStep))

    def __call__(self, *args):
        if self.mutated and overlap([args[i] for i in self.mutated], args):
            return self.fallback(*args)
        with torch.no_grad():
            values = dict(zip(self.placeholders, [*self.lifted, *args]))
            if self.needs_literals:
                values.update(self.literals)
            try:
                for step in self.steps:
                    step.run(values)
            except NotImplementedError as error:
                return self.fallback(*args, why=str(error))
            results = [values[n] if isinstance(n, torch.fx.Node) else n for n in self.results]
            for index, new in zip(self.mutated, results):
                args[index].copy_(new)
        return results[len(self.mutated) :]
