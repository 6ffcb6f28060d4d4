"""Speculatability of operations: getSpeculatability of ConditionallySpeculatable."""

import enum

from ttmlir._native import native as _native


class Speculatability(enum.Enum):
    NotSpeculatable = 0
    Speculatable = 1
    RecursivelySpeculatable = 2


NO, YES, INSIDE = Speculatability


def _constant(ir, value):
    """The value of an integer constant (of every element), or None."""
    op = value.owner if isinstance(value, ir.OpResult) else None
    attribute = op.attributes.get("value") if op is not None and op.operation.name == "arith.constant" else None
    if isinstance(attribute, ir.DenseElementsAttr) and attribute.is_splat:
        attribute = attribute.get_splat_value()
    return attribute.value if isinstance(attribute, (ir.IntegerAttr, ir.BoolAttr)) else None


def _divisor(*never):
    """Division by a constant other than these."""

    def rule(ir, op):
        number = _constant(ir, op.operands[1])
        return YES if number is not None and int(number) not in never else NO

    return rule


def _steps_by_one(ir, op):
    """Other steps might overflow, and the loop might not end."""
    return INSIDE if _constant(ir, op.operands[2]) == 1 else NO


def _affine_for(ir, op):
    return INSIDE if op.attributes["step"].value == 1 else NO


def _only_tensors(ir, op):
    return INSIDE if not any(isinstance(v.type, (ir.MemRefType, ir.UnrankedMemRefType)) for v in op.operands) else NO


RULES = {"arith.ceildivui": _divisor(0), "arith.divui": _divisor(0), "arith.remui": _divisor(0),
         "arith.remsi": _divisor(0), "arith.divsi": _divisor(0, -1), "arith.ceildivsi": _divisor(0, -1),
         "arith.floordivsi": _divisor(0, -1), "scf.for": _steps_by_one, "affine.for": _affine_for}


def _is_static(ir, type):
    return not isinstance(type, ir.ShapedType) or type.has_static_shape


def _are_static(ir, op):
    return all(_is_static(ir, operand.type) for operand in op.operands)


def _output_no_wider(ir, op):
    """Dimensions that are static in the result are static in the first operand."""
    given, made = op.operands[0].type, op.results[0].type
    if not given.has_rank or not made.has_rank:
        return False
    return all(made.is_dynamic_dim(i) or not given.is_dynamic_dim(i) for i in range(made.rank))


def _static_and_constant_shape(ir, op):
    last = op.operands[len(op.operands) - 1]
    return _are_static(ir, op) and isinstance(last, ir.OpResult) and \
        last.owner.operation.name in ("stablehlo.constant", "arith.constant")


_TRAITS = (("SpeculatableIfAllInputsStatic", _are_static, YES), ("RecursivelySpeculatableIfAllInputsStatic", _are_static, INSIDE),
           ("SpeculatableIfStaticDimInOutputIsStaticInInput", _output_no_wider, YES),
           ("RecursivelySpeculatableIfStaticDimInOutputIsStaticInInput", _output_no_wider, INSIDE),
           ("SpeculatableIfAllInputsStaticAndShapeConstant", _static_and_constant_shape, YES))


def of(ir, op):
    """The known result; unknown operations are not speculatable."""
    name = op.operation.name
    if name in RULES:
        return RULES[name](ir, op)
    if _native._has_interface(name, "Pure"):
        return YES
    if _native._has_interface(name, "RecursivelySpeculatable"):
        return INSIDE
    if _native._has_interface(name, "LinalgOp"):
        return _only_tensors(ir, op)
    for trait, holds, then in _TRAITS:
        if _native._has_interface(name, trait):
            return then if holds(ir, op) else NO
    return NO
