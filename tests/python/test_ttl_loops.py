"""Loops of kernels changed by a transform sequence, as in the specification: the same results."""

import re

import pytest

torch = pytest.importorskip("torch")
import ttl  # noqa: E402
import ttl.specialization as specialization  # noqa: E402

# The specification's example: loops tiled, their transfers started early, what is left of their bounds simplified.
PLAN = """transform.sequence {
  %loops = transform.structured.match ops{["KIND.for"]}
  %tiled = transform.loop.tile %loops tile_sizes=[2, 3]
  %sched = transform.ttl.schedule_pipeline %tiled
  transform.affine.simplify_bounded_affine_ops %sched
}
}
"""

STEPS = """transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  %loops = transform.structured.match ops{["KIND.for"]} in %root : (!transform.any_op) -> !transform.any_op
BODY
}
}
"""

INNER = """  %outer, %inner = transform.split_handle %loops {overflow_result = 1} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
"""


def as_affine(text):
    """The module with its loops of constant bounds as affine.for."""
    return "func.func".join(map(as_affine_in, text.split("func.func")))


def as_affine_in(function):
    numbers = dict(re.findall(r"(%\w+) = arith.constant (-?\d+) : index", function))

    def loop(match):
        counter, *bounds = match.groups()
        if any(b not in numbers for b in bounds):
            return match.group(0)
        first, last, step = (numbers[b] for b in bounds)
        return f"affine.for {counter} = {first} to {last} step {step} {{"

    return re.sub(r"scf.for (%\w+) = (%\w+) to (%\w+) step (%\w+) \{", loop, function)


def kernel():
    @ttl.kernel(grid=(1, 1), schedule="schedule_pipeline")
    def loops(x, y, out):
        x_cb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=2)
        y_cb = ttl.make_circular_buffer_like(y, shape=(1, 1), buffer_factor=2)
        o_cb = ttl.make_circular_buffer_like(out, shape=(1, 1), buffer_factor=2)

        @ttl.compute()
        def compute():
            for _ in range(4):
                for _ in range(8):
                    with x_cb.wait() as a, y_cb.wait() as b, o_cb.reserve() as o:
                        o.store(a + b)

        @ttl.datamovement()
        def read():
            for j in range(4):
                for i in range(8):
                    with x_cb.reserve() as a:
                        ttl.copy(x[i, j], a).wait()
                    with y_cb.reserve() as b:
                        ttl.copy(y[i, j], b).wait()

        @ttl.datamovement()
        def write():
            for j in range(4):
                for i in range(8):
                    with o_cb.wait() as o:
                        ttl.copy(o, out[i, j]).wait()

    return loops


def run(monkeypatch, kind, sequence):
    """The text after the sequence, after the results were checked."""
    from tilewright import _core

    seen = []
    sequence = sequence.replace("KIND", kind)

    def schedule(self, name, dump):
        """Applies the test's sequence, with the kernel's loops in the requested kind."""
        text = self.module.text(True)
        if kind == "affine":
            text = as_affine(text)
            assert text.count("affine.for %") == 6, text
        body, _, locations = text.rpartition("} loc(#loc)\n")
        self.module = _core.Module.read(body + sequence + "\n" + locations, name)
        self.module.run(specialization.SCHEDULING, name, dump)
        seen.append(self.module.text(True))

    monkeypatch.setattr(specialization.Specialization, "schedule", schedule)
    x, y = (torch.randint(-64, 64, (256, 128)).bfloat16() for _ in "xy")  # sums are exact
    out = torch.zeros_like(x)
    kernel()(x, y, out)
    assert torch.equal(out, x + y)
    text, = seen
    assert "transform." not in text
    return text


@pytest.mark.parametrize("kind", ["affine", "scf"])
def test_the_plan_s_example(monkeypatch, kind):
    text = run(monkeypatch, kind, PLAN)
    assert text.count(f"{kind}.for") == 12, text
    # the second copy starts before the first has arrived
    assert re.search(r"ttl.copy .*\n(?:(?!ttl.wait).*\n)*.*ttl.copy ", text), text
    if kind == "affine":  # 8 is no multiple of 3
        assert "min #map" in text, text


@pytest.mark.parametrize("kind", ["affine", "scf"])
@pytest.mark.parametrize("body, loops", [
    ("transform.loop.unroll %loops {factor = 3} : !transform.any_op", None),
    ("%done = transform.loop.coalesce %loops : (!transform.any_op) -> !transform.any_op", 3),
])
def test_other_changes_of_loops(monkeypatch, kind, body, loops):
    if "coalesce" in body:  # outer loops only: inner ones no longer exist
        body = "  %tops = transform.get_parent_op %loops {op_name = \"KIND.for\", allow_empty_results, deduplicate} : " \
               "(!transform.any_op) -> !transform.any_op\n  " + body.replace("%loops", "%tops")
    text = run(monkeypatch, kind, STEPS.replace("BODY", "  " + body))
    assert loops is None or text.count(f"{kind}.for") == loops, text
