"""Runs tt-xla's tests of single operations and graphs, of JAX and of PyTorch: a plugin of pytest that provides the names
that the tests import (`infra`, `utils`, `tt_torch`, ...), so that its own need not be installed.

A test's function runs on the device and on the CPU; results are compared within the bounds that the test sets. A name that
only tt-xla can have (its passes, its sharding) makes the test that uses it a skipped one, with the name as the reason.

    cd CHECKOUT/tests
    PYTHONPATH=BUILD/python:TREE/tests/python python3 -m pytest -p tt_xla --noconftest -c /dev/null --rootdir . torch/ops
"""

import contextlib
import dataclasses
import enum
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types

os.environ.setdefault("JAX_PLATFORMS", "tt,cpu")

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.utils import _pytree as torch_tree

# -- comparison ---------------------------------------------------------------------------------


@dataclasses.dataclass
class Bound:
    """One kind of comparison."""

    enabled: bool = True

    def enable(self):
        self.enabled = True

    def disable(self):
        self.enabled = False


@dataclasses.dataclass
class EqualConfig(Bound):
    pass


@dataclasses.dataclass
class AtolConfig(Bound):
    required_atol: float = 0.16


@dataclasses.dataclass
class AllcloseConfig(Bound):
    rtol: float = 0.01
    atol: float = 0.01


@dataclasses.dataclass
class PccConfig(Bound):
    required_pcc: float = 0.99
    allclose: AllcloseConfig = dataclasses.field(default_factory=AllcloseConfig)


def off(kind):
    return dataclasses.field(default_factory=lambda: kind(False))


@dataclasses.dataclass
class ComparisonConfig:
    """The bounds of a test; without others: a correlation of 0.99."""

    equal: EqualConfig = off(EqualConfig)
    atol: AtolConfig = off(AtolConfig)
    pcc: PccConfig = dataclasses.field(default_factory=PccConfig)
    allclose: AllcloseConfig = off(AllcloseConfig)
    assert_on_failure: bool = True

    def bounds(self):
        return self.equal, self.atol, self.pcc, self.allclose

    def enable_all(self):
        for bound in self.bounds():
            bound.enable()

    def disable_all(self):
        for bound in self.bounds():
            bound.disable()


def as_numbers(leaf):
    """An array of doubles or complex doubles; None for what is no array."""
    if isinstance(leaf, torch.Tensor):
        leaf = leaf.detach().cpu().resolve_conj()
        leaf = leaf.to(torch.complex128 if leaf.is_complex() else torch.float64).numpy()
    if isinstance(leaf, (bool, int, float, complex, np.generic, np.ndarray, jax.Array)):
        leaf = np.asarray(leaf)
        return leaf.astype(np.complex128 if leaf.dtype.kind == "c" else np.float64)
    return None


def correlation(got, want):
    a, b = (np.ravel(x).view(np.float64) for x in (np.ascontiguousarray(got), np.ascontiguousarray(want)))
    a, b = a - a.mean(), b - b.mean()
    size = np.linalg.norm(a) * np.linalg.norm(b)
    return a @ b / size if size else float("nan")


def compare(got, want, config):
    """Fails unless every array of `got` is within the config's bounds of `want`'s."""
    leaves = [torch_tree.tree_leaves(jax.tree.map(lambda x: x, tree)) for tree in (got, want)]
    assert len(leaves[0]) == len(leaves[1]), f"expected {len(leaves[1])} results, found {len(leaves[0])}"
    for x, y in zip(*leaves):
        a, b = as_numbers(x), as_numbers(y)
        if b is None:
            assert x == y
            continue
        assert a.shape == b.shape, f"expected shape {b.shape}, found {a.shape}"
        assert str(x.dtype) == str(y.dtype), f"expected elements of type {y.dtype}, found {x.dtype}"
        if config.equal.enabled:
            assert np.array_equal(a, b, equal_nan=True), "not equal"
        if config.atol.enabled:
            assert np.abs(a - b).max(initial=0) <= config.atol.required_atol, f"off by {np.abs(a - b).max()}"
        if config.allclose.enabled:
            assert np.allclose(a, b, config.allclose.rtol, config.allclose.atol, equal_nan=True), f"off by {np.abs(a - b).max()}"
        close = config.pcc.allclose
        if config.pcc.enabled and not np.allclose(a, b, close.rtol, close.atol, equal_nan=True):
            found = correlation(a, b)
            assert found >= config.pcc.required_pcc, f"correlation {found}, expected {config.pcc.required_pcc}"


class Evaluator:
    """Compares results that a test computed itself."""

    def __init__(self, config):
        self.config = config

    def evaluate(self, got, want, *others, **options):
        compare(got, want, self.config)


# -- running ------------------------------------------------------------------------------------


class Framework(enum.Enum):
    JAX = "jax"
    TORCH = "torch"


@dataclasses.dataclass
class CompilerConfig:
    """Options of tt-mlir's pipelines: they change how a program runs, not what it computes."""

    options: dict = dataclasses.field(default_factory=dict)

    def __init__(self, **options):
        self.options = options


class Workload:
    """A function, and what it is called with."""

    def __init__(self, framework=Framework.TORCH, executable=None, model=None, args=(), kwargs=None, static_argnames=None, **others):
        self.framework, self.function = framework, executable if executable is not None else model
        self.args, self.kwargs, self.static = list(args), kwargs or {}, static_argnames


def refuse(name):
    pytest.skip(f"{name} is a part of tt-xla")


def run_torch(work, config, custom):
    model = work.function
    if isinstance(model, torch.nn.Module):
        model = model.eval()
    with torch.no_grad():
        want = model(*work.args, **work.kwargs)
        torch._dynamo.reset()
        got = torch.compile(model, backend="tt")(*work.args, **work.kwargs)
    custom(got, want, work.args, work.kwargs) if custom else compare(got, want, config)


def run_jax(work, config, custom):
    results = []
    for device in (jax.devices("tt")[0], jax.devices("cpu")[0]):
        with jax.default_device(device):
            placed = [jax.device_put(x, device) if isinstance(x, (jax.Array, np.ndarray)) else x for x in work.args]
            function = work.function if hasattr(work.function, "lower") else jax.jit(work.function, static_argnames=work.static)
            results.append(jax.device_get(function(*placed, **work.kwargs)))
    custom(*results, work.args, work.kwargs) if custom else compare(*results, config)


class OpTester:
    """Runs a function on the device and on the CPU, and compares."""

    def __init__(self, comparison_config=None, framework=Framework.JAX, custom_comparator=None, **others):
        self.config, self.framework, self.custom = comparison_config or ComparisonConfig(), framework, custom_comparator

    def test(self, workload, request=None):
        (run_torch if self.framework == Framework.TORCH else run_jax)(workload, self.config, self.custom)

    def test_with_random_inputs(self, function, shapes, minval=0.0, maxval=1.0, dtype="float32", request=None):
        inputs = [random_tensor(shape, dtype, 0, minval, maxval, self.framework) for shape in shapes]
        self.test(Workload(self.framework, function, args=inputs))


def run(function, inputs, comparison_config=None, framework=Framework.JAX, mesh=None, custom_comparator=None, **others):
    if mesh is not None:
        refuse("a mesh of several devices")
    OpTester(comparison_config, framework, custom_comparator).test(Workload(framework, function, args=inputs))


def run_with_random_inputs(function, input_shapes, minval=0.0, maxval=1.0, dtype="float32", comparison_config=None, framework=Framework.JAX,
                           custom_comparator=None, **others):
    OpTester(comparison_config, framework, custom_comparator).test_with_random_inputs(function, input_shapes, minval, maxval, dtype)


def random_tensor(shape, dtype="float32", random_seed=0, minval=0.0, maxval=1.0, framework=Framework.JAX):
    draw = np.random.default_rng(random_seed)
    if framework == Framework.TORCH:
        dtype = getattr(torch, dtype) if isinstance(dtype, str) else dtype
        if dtype == torch.bool:
            return torch.from_numpy(draw.integers(0, 2, shape)).bool()
        if not dtype.is_floating_point:
            return torch.from_numpy(draw.integers(int(minval), int(maxval), shape)).to(dtype)
        return torch.from_numpy(draw.uniform(minval, maxval, shape)).to(dtype)
    with jax.default_device(jax.devices("cpu")[0]):
        if jnp.issubdtype(dtype, jnp.bool_):
            return jnp.asarray(draw.integers(0, 2, shape), dtype)
        if jnp.issubdtype(dtype, jnp.integer):
            return jnp.asarray(draw.integers(int(minval), int(maxval), shape), dtype)
        return jnp.asarray(draw.uniform(minval, maxval, shape), dtype)


# -- the names ----------------------------------------------------------------------------------


class Category(enum.Enum):
    OP_TEST = "op_test"
    GRAPH_TEST = "graph_test"
    MODEL_TEST = "model_test"
    QUALITY_TEST = "quality_test"
    OTHER = "other"


def reason(text):
    return str(text)


@contextlib.contextmanager
def enable_x64():
    with jax.enable_x64(True):
        yield


def convert_output_to_bfloat16(function):
    def wrapped(*arguments, **options):
        return jax.tree.map(lambda x: x.astype(jnp.bfloat16), function(*arguments, **options))

    return wrapped


def parametrize_arch(archs=("single_device",)):
    return pytest.mark.parametrize("arch", [a for a in archs if a == "single_device"] or [pytest.param(a, marks=pytest.mark.skip(
        reason="several devices")) for a in archs])


def largest(x, k, dim=-1, largest=True, sorted=True):
    return torch.topk(x, k, dim, largest, sorted)


def of_shape(norm):
    """The norm with a size in place of a shape allowed."""
    return lambda x, shape, *others, **options: norm(x, (shape,) if isinstance(shape, int) else shape, *others, **options)


class Stand(types.ModuleType):
    """A module whose other names skip the test that uses them."""

    def __getattr__(self, name):
        if name.startswith(("__", "pytest", "setup", "setUp", "teardown", "tearDown")):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")


class Absent(type):
    """A class that skips the test that makes one of it, or asks for one of its names."""

    def __new__(cls, name, bases=(), space=None):
        return super().__new__(cls, name, (), dict(space or {}))

    def __init__(cls, *others):
        super().__init__(cls.__name__)

    def __call__(cls, *arguments, **options):
        refuse(cls.__name__)

    def __enter__(cls):
        refuse(cls.__name__)

    def __exit__(cls, *error):
        return False

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{cls.__name__}.{name}")


INFRA = {"ComparisonConfig": ComparisonConfig, "EqualConfig": EqualConfig, "AtolConfig": AtolConfig, "AllcloseConfig": AllcloseConfig,
         "PccConfig": PccConfig, "CompilerConfig": CompilerConfig, "Framework": Framework, "Workload": Workload, "OpTester": OpTester,
         "TorchComparisonEvaluator": Evaluator, "JaxComparisonEvaluator": Evaluator, "random_tensor": random_tensor,
         "run_op_test": run, "run_graph_test": run, "run_op_test_with_random_inputs": run_with_random_inputs,
         "run_graph_test_with_random_inputs": run_with_random_inputs}
UTILS = {"Category": Category, "enable_x64": enable_x64, "convert_output_to_bfloat16": convert_output_to_bfloat16,
         "parametrize_arch": parametrize_arch, "failed_fe_compilation": reason, "failed_ttmlir_compilation": reason,
         "failed_runtime": reason, "incorrect_result": reason}
# tt_torch's composites are torch's functions, as tt-xla's fall back to them.
COMPOSITES = {
    "composite_gelu": lambda x, approximate="none": F.gelu(x, approximate=approximate),
    "composite_rms_norm": of_shape(F.rms_norm), "composite_layer_norm": of_shape(F.layer_norm), "composite_group_norm": F.group_norm,
    "composite_scaled_dot_product_attention": F.scaled_dot_product_attention, "composite_gather": torch.gather, "composite_argmax": torch.argmax,
    "composite_topk": largest, "composite_topk_values": lambda *a, **k: largest(*a, **k)[0],
    "composite_topk_indices": lambda *a, **k: largest(*a, **k)[1]}
class Operators(metaclass=Absent):
    """torch.ops.tt: of tt-xla's operators one is a note to its compiler, which changes no value."""

    @staticmethod
    def weight_dtype_override(weight, *others):
        return weight


torch.ops.tt = Operators
CONTENTS = {"infra": INFRA, "utils": UTILS, "tests.infra": INFRA, "tests.utils": UTILS, "tt_torch.composite_ops": COMPOSITES,
            "benchmark.utils": {"compute_pcc": lambda got, want, *others: correlation(as_numbers(got), as_numbers(want))}}
ROOTS = ("infra", "utils", "tests", "tt_torch", "third_party", "benchmark", "torch_xla.distributed", "torch_xla.core.dynamo_bridge")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module below the roots; those below `infra` all have its names."""

    def __init__(self):
        self.roots = ROOTS if importlib.util.find_spec("transformers") else (*ROOTS, "transformers")

    def find_spec(self, name, path=None, target=None):
        inside = any(name == root or name.startswith(root + ".") for root in self.roots)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if inside else None

    def create_module(self, spec):
        module = Stand(spec.name)
        for name, content in CONTENTS.items():
            if spec.name == name or spec.name.startswith(name + "."):
                vars(module).update(content)
        return module

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Finder())
for loaded in ("utils", "tests"):  # of a plugin that pytest loaded before
    sys.modules.pop(loaded, None)


def pytest_configure(config):
    config.addinivalue_line("markers", "record_test_properties: tt-xla's")
