"""Front ends build modules in memory: no text is read on the way from torch or a kernel in Python to what runs, what is printed
reads back as the same module, and a wrong use is an error that says so."""

import pytest
from tilewright import _core, _engine, sim

F32, INDEX = "tensor<4xf32>", "index"
HERE = ("model.py", 7, 3)


def doubled():
    """A module of one function, x + x."""
    module = _core.Module()
    block = module.block()
    x = module.argument(block, F32, None)
    y = module.op(block, "stablehlo.add", (x, x), F32, None, HERE)
    module.op(block, "func.return", (y,), (), None, None)
    module.function("main", block, None, {}, [{"ttir.name": b"x"}])
    return module


def test_what_is_built_prints_and_runs():
    np = pytest.importorskip("numpy")
    module = doubled()
    text = module.text()
    assert text == _core.Module.read(text).text() and "%0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>" in text
    assert 'loc("model.py":7:3)' in module.text(True)
    x, out = np.arange(4, dtype=np.float32), np.empty(4, np.float32)
    program = _core.compile(module, {}, None)
    program.run_memory((x,), (out,))
    assert out.tolist() == [0, 2, 4, 6] and program.parse_count() == 0
    assert _core.compile(text, {}, None).parse_count() == 1


def test_regions_and_reserved_results():
    """An scf.if whose results are used under numbers that were given out before; a loop with a carried value."""
    module = _core.Module()
    block, body, yes, no = (module.block() for _ in range(4))
    stop = module.argument(block, INDEX, None)
    test = module.argument(block, "i1", None, 0)  # in front
    result = module.reserve()
    for branch, number in ((yes, 1), (no, 2)):
        value = module.op(branch, "arith.constant", (), INDEX, {"value": f"{number} : index"}, None)
        module.op(branch, "scf.yield", (value,), (), None, None)
    module.op(block, "scf.if", (test,), (INDEX,), None, HERE, (yes, no), (result,))
    counter, carried = module.argument(body, INDEX, None), module.argument(body, INDEX, None)
    more = module.op(body, "arith.addi", (carried, counter), None, None, None)  # its type follows from the operands
    module.op(body, "scf.yield", (more,), (), None, None)
    total = module.op(block, "scf.for", (result, stop, result, result), (INDEX,), None, None, (body,))
    module.op(block, "func.return", (total,), (), None, None)
    module.function("f", block, None, {}, [])
    module.run(None, "kernel")
    text = module.text()
    assert "func.func @f(%arg0: i1, %arg1: index) -> index" in text and "scf.for %arg2 = %0 to %arg1 step %0 iter_args(%arg3 = %0)" in text
    assert _core.Module.read(text).text() == text


@pytest.mark.parametrize("act, error, message", [
    (lambda m, b: m.op(b, "stablehlo.no", (), (), None, None), ValueError, "'stablehlo.no' is no operation"),
    (lambda m, b: m.op(b, "stablehlo.abs", (99,), F32, None, None), IndexError, "the module has no value 99"),
    (lambda m, b: m.op(b, "stablehlo.abs", (m.reserve(),), F32, None, None), IndexError, "the module has no value"),
    (lambda m, b: m.op(7, "stablehlo.abs", (), F32, None, None), IndexError, "the module has no block 7"),
    (lambda m, b: m.argument(b, "tensor<4xf33>", None), ValueError, "tensor<4xf33>: "),
    (lambda m, b: m.op(b, "stablehlo.constant", (), F32, {"value": "dense<"}, None), ValueError, "dense<: "),
    (lambda m, b: m.op(b, "stablehlo.constant", (), F32, {"value": (F32, b"1234")}, None), ValueError, "4 bytes are not the elements"),
    (lambda m, b: m.op(b, "stablehlo.reshape", (m.argument(b, F32, None),), None, None, None), ValueError, "cannot be inferred"),
    (lambda m, b: m.op(b, "func.return", (), (), None, "here"), TypeError, "expected (file, line, column)"),
    (lambda m, b: m.op(b, "func.return"), TypeError, "op() takes 6 to 9 arguments, got 2"),
    (lambda m, b: m.function("f", m.top(), None, {}, []), ValueError, "is in a region already"),
])
def test_wrong_uses(act, error, message):
    module = _core.Module()
    with pytest.raises(error) as raised:
        act(module, module.block())
    assert message in str(raised.value)


def test_what_is_invalid_is_reported_at_its_line():
    module = _core.Module()
    block = module.block()
    x = module.argument(block, F32, None)
    y = module.op(block, "stablehlo.add", (x, x), "tensor<5xf32>", None, HERE)
    module.op(block, "func.return", (y,), (), None, None)
    module.function("main", block, None, {}, [])
    with pytest.raises(RuntimeError) as raised:
        _core.compile(module, {}, None)
    assert str(raised.value).startswith("model.py:7:3: error: 'stablehlo.add' op")


def test_a_module_is_taken_over_and_sealed():
    module = doubled()
    module.run("builtin.module(canonicalize)", "m")
    with pytest.raises(ValueError, match="passes have run"):
        module.block()
    _core.compile(module, {}, None)
    for use in (module.text, module.block, lambda: _core.compile(module, {}, None)):
        with pytest.raises(ValueError, match="has been compiled or loaded"):
            use()
    kernels = _core.Module()
    with pytest.raises(RuntimeError, match="has no function with ttkernel.thread"):
        sim.Grid().load(kernels, "empty.py")
    with pytest.raises(ValueError, match="has been compiled or loaded"):
        kernels.text()


def test_torch_is_compiled_without_text(monkeypatch):
    torch = pytest.importorskip("torch")
    import tilewright  # noqa: F401  (registers the backend)

    made = []

    def engine(program, options):
        assert isinstance(program, _core.Module)
        made.append(_engine.native_compile(program, options))
        return made[-1]

    former = _engine.set_engine(engine)
    try:
        torch._dynamo.reset()
        model, x = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.GELU()).eval(), torch.randn(4, 8)
        with torch.no_grad():
            assert torch.allclose(torch.compile(model, backend="tt")(x), model(x), atol=1e-5)
    finally:
        _engine.set_engine(former)
        torch._dynamo.reset()
    assert [program.parse_count() for program in made] == [0]


def test_kernels_are_launched_without_text(monkeypatch):
    """Neither the front end's module nor the lowered one is printed or read; both are one module."""
    torch = pytest.importorskip("torch")
    import ttl
    from ttl.specialization import Specialization

    @ttl.kernel(grid=(1, 1))
    def double(x, out):
        x_cb, out_cb = (ttl.make_circular_buffer_like(t, shape=(1, 1), buffer_factor=2) for t in (x, out))

        @ttl.compute()
        def compute():
            with x_cb.wait() as block, out_cb.reserve() as result:
                result.store(block + block)

        @ttl.datamovement()
        def read():
            with x_cb.reserve() as block:
                ttl.copy(x[0, 0], block).wait()

        @ttl.datamovement()
        def write():
            with out_cb.wait() as block:
                ttl.copy(block, out[0, 0]).wait()

    launched, launch = [], Specialization.launch

    def watched(self, *args):
        launched.append((self.module is self.lowered, self.module.parse_count))
        return launch(self, *args)

    def no_text(*_):
        raise AssertionError("a text is read")

    monkeypatch.setattr(Specialization, "launch", watched)
    monkeypatch.setattr(_core, "transform", no_text)
    x, out = torch.randn(32, 32), torch.zeros(32, 32)
    assert "void kernel_main" in double.ir(x, out, level="cpp")
    double(x, out)
    assert torch.equal(out, x + x) and launched == [(True, 0)]
