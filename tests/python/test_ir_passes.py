"""Passes written in Python, between the library's own."""

import pytest
from ttmlir.ir import *
from ttmlir.passmanager import ExternalPass, PassDisplayMode, PassManager

SOURCE = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  return %1 : i32
}
func.func private @g()
"""


@pytest.fixture
def module():
    with Context(), Location.unknown():
        yield Module.parse(SOURCE)


def test_runs_in_its_turn(module):
    seen = []

    def count(op, pass_):
        assert isinstance(op, Operation) and isinstance(pass_, ExternalPass)
        seen.append((op.name, str(op).count("addi")))

    manager = PassManager("builtin.module")
    manager.add(count)
    manager.add("cse")
    manager.add(count, name="Count", argument="count-adds", description="counts")
    manager.add("func.func(canonicalize)")
    manager.add(lambda op, pass_: None, name="last")
    manager.run(module.operation)
    assert seen == [("builtin.module", 2), ("builtin.module", 1)]
    text = str(manager)
    assert text.startswith("builtin.module(unknown<count>,cse,count-adds,func.func(canonicalize")
    assert text.endswith("unknown<last>)")


def test_on_operations_inside(module):
    seen = []
    manager = PassManager("any")
    manager.add(lambda op, pass_: seen.append(op.attributes["sym_name"].value), op_name="func.func")
    manager.run(module.operation)
    assert seen == ["f", "g"] and str(manager) == "any(unknown<<lambda>>)"


def test_object_that_is_called(module):
    class Rename:
        def __call__(self, op, pass_):
            op.regions[0].blocks[0].operations[0].attributes["sym_name"] = StringAttr.get("h")

    manager = PassManager("any")
    manager.add(Rename())
    manager.run(module.operation)
    assert "@h(" in str(module) and str(manager) == "any(unknown<Rename>)"


def test_failure_stops(module):
    seen = []
    manager = PassManager("any")
    manager.add(lambda op, pass_: pass_.signal_pass_failure())
    manager.add(lambda op, pass_: seen.append(op))
    with pytest.raises(MLIRError, match="^Failure while executing pass pipeline$"):
        manager.run(module.operation)
    assert seen == []


def test_exception_goes_through(module):
    manager = PassManager("any")

    def stumble(op, pass_):
        raise KeyError("mine")

    manager.add(stumble)
    with pytest.raises(KeyError, match="mine"):
        manager.run(module.operation)


def test_what_it_leaves_is_verified(module):
    def spoil(op, pass_):
        op.regions[0].blocks[0].operations[0].attributes["function_type"] = UnitAttr.get()

    manager = PassManager("any")
    manager.add(spoil)
    with pytest.raises(MLIRError, match="function_type"):
        manager.run(module.operation)


def test_operation_that_goes(module):
    manager = PassManager("any")
    manager.add(lambda op, pass_: op.erase())
    manager.add("cse")
    with pytest.raises(RuntimeError):
        manager.run(module.operation)


def test_wrong_arguments(module):
    manager = PassManager("any")
    for wrong in (3, None):
        with pytest.raises(TypeError):
            manager.add(wrong)
    with pytest.raises(ValueError):
        manager.add("no-such-pass")
    assert str(manager) == "any()"
    manager.enable_statistics(PassDisplayMode.LIST)


def test_runs_only_on_its_anchor(module):
    function = module.body.operations[0].operation
    for manager in (PassManager("func.func"), PassManager.parse("func.func()")):
        manager.add("cse")
        assert str(manager) == "func.func(cse)"
        with pytest.raises(MLIRError, match="can't run 'func.func' pass manager on 'builtin.module' op"):
            manager.run(module.operation)
        manager.run(function)
    assert str(module).count("addi") == 1
    for text in ("any(cse)", "builtin.module(func.func(cse))", "builtin.module(cse,func.func(cse,canonicalize))"):
        manager = PassManager.parse(text)
        manager.run(module.operation)
        assert str(manager).startswith(text.split(",canonicalize")[0].rstrip(")"))
    with pytest.raises(MLIRError, match="can't run 'builtin.module' pass manager on 'func.func' op"):
        manager.run(function)
    assert str(PassManager("")) == "any()"
    for text in ("cse", "", "func.func(cse),func.func(cse)", "(cse)"):
        with pytest.raises(ValueError, match="expected pass pipeline to be wrapped with the anchor operation type"):
            PassManager.parse(text)
