"""Users' own classes for types, attributes and values; traits and interfaces of operations."""

import pytest
import ttmlir.ir as ir
from ttmlir._casters import TYPES, VALUES
from ttmlir.dialects import arith, func, stablehlo

TEXT = """
func.func @f(%a: tensor<4xf32>, %i: i32) -> tensor<4xf32> {
  %0 = arith.addf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.fixture
def block():
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        yield module.body.operations[0].regions[0].blocks[0]
    TYPES.clear()
    VALUES.clear()


class Tensor(ir.Value):
    def __init__(self, value):
        super().__init__(value)

    def __add__(self, other):
        return arith.addf(self, other)


class Shaped(ir.RankedTensorType):
    def __init__(self, type):
        super().__init__(type)
        self.note = "mine"


class Number(ir.IntegerAttr):
    def twice(self):
        return 2 * self.value


def test_own_classes_stand_for_what_their_base_is(block):
    a = block.arguments[0]
    mine = Shaped(a.type)
    assert (mine.note, mine.shape, mine == a.type, hash(mine) == hash(a.type)) == ("mine", [4], True, True)
    assert mine.typeid == a.type.typeid == Shaped.static_typeid == ir.RankedTensorType.static_typeid
    assert Shaped.isinstance(a.type) and not Shaped.isinstance(ir.IndexType.get())
    assert ir.FunctionType.get([mine], []).inputs == [a.type]
    assert Number(ir.IntegerAttr.get(ir.IndexType.get(), 4)).twice() == 8
    with pytest.raises(ValueError, match="Cannot cast type to RankedTensorType"):
        Shaped(ir.IndexType.get())
    with pytest.raises(ValueError, match="Cannot cast attribute to IntegerAttr"):
        Number(ir.StringAttr.get("x"))
    assert Tensor(a) == a and Tensor(a).type == a.type


def test_values_go_through_casters(block):
    @ir.register_value_caster(ir.RankedTensorType.static_typeid)
    def cast(value):
        return Tensor(value)

    add = block.operations[0]
    for value in (add.result, add.results[0], add.operands[0], add.lhs, block.arguments[0],
                  ir.Value(block.arguments[0]).maybe_downcast()):
        assert type(value) is Tensor
    assert type(block.arguments[1]) is ir.BlockArgument
    with ir.InsertionPoint(block.operations[1]):
        total = add.result + block.arguments[0]
    assert type(total) is Tensor and "arith.addf %0, %arg0" in str(total.owner)
    with pytest.raises(RuntimeError, match="Value caster is already registered"):
        ir.register_value_caster(ir.RankedTensorType.static_typeid)(cast)
    ir.register_value_caster(ir.RankedTensorType.static_typeid, replace=True)(lambda value: value)
    assert type(add.result) is ir.OpResult


def test_types_go_through_casters(block):
    with pytest.raises(RuntimeError, match="Type caster is already registered"):
        ir.register_type_caster(ir.RankedTensorType.static_typeid)(Shaped)
    assert ir.register_type_caster(ir.RankedTensorType.static_typeid, replace=True)(Shaped) is Shaped
    assert type(block.arguments[0].type) is type(ir.Type.parse("tensor<2xi8>")) is Shaped
    assert type(block.arguments[1].type) is ir.IntegerType


def test_what_a_caster_raises_arrives(block):
    ir.register_value_caster(ir.RankedTensorType.static_typeid)(lambda value: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        block.arguments[0]


def test_traits(block):
    add, end = block.operations
    assert end.has_trait(ir.IsTerminatorTrait) and end.operation.has_trait(ir.IsTerminatorTrait)
    assert func.ReturnOp.has_trait(ir.IsTerminatorTrait)
    assert not add.has_trait(ir.IsTerminatorTrait) and not end.has_trait(ir.NoTerminatorTrait)
    assert block.owner.parent.has_trait(ir.NoTerminatorTrait)


def test_types_are_inferred_by_the_interface(block):
    add, end = block.operations
    tensor = add.result.type
    asked = ir.InferTypeOpInterface(add)
    assert asked.operation == add.operation and asked.opview.lhs == add.lhs
    assert ir.InferTypeOpInterface(arith.AddFOp).inferReturnTypes(operands=list(add.operands)) == [tensor]
    with pytest.raises(TypeError, match="Cannot get an operation from a static interface"):
        ir.InferTypeOpInterface(arith.AddFOp).operation
    with pytest.raises(ValueError, match="does not implement InferTypeOpInterface"):
        ir.InferTypeOpInterface(end)
    with pytest.raises(ValueError, match="does not implement InferShapedTypeOpInterface"):
        ir.InferShapedTypeOpInterface(add)
    with pytest.raises(ValueError, match="Failed to infer result types"):
        ir.InferTypeOpInterface(arith.AddFOp).inferReturnTypes(operands=[])
    (found,) = ir.InferShapedTypeOpInterface(stablehlo.AddOp).inferReturnTypeComponents(operands=list(add.operands))
    assert (found.has_rank, found.rank, found.shape, found.element_type) == (True, 1, [4], ir.F32Type.get())
    unranked = ir.ShapedTypeComponents.get(ir.F32Type.get())
    assert (unranked.has_rank, unranked.rank, unranked.shape) == (False, None, None)
