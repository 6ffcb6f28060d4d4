"""Builder functions: linalg's named operations, bodies as Python functions, affine loops."""

import pytest
from ttmlir.dialects import affine, arith, func, linalg, memref, tensor
from ttmlir.extras import types as T
from ttmlir.ir import *


@pytest.fixture(autouse=True)
def context():
    with Context() as ctx, Location.unknown():
        yield ctx


def built(make, *types):
    """The text of a function that `make` fills; it must parse and print identically."""
    module = Module.create()
    with InsertionPoint(module.body):
        func.FuncOp.from_py_func(*types, name="f")(make)
    assert module.operation.verify()
    text = str(module)
    assert str(Module.parse(text)) == text
    return text


def f32(*shape):
    return T.tensor(*shape, T.f32())


def empty(*shape):
    return tensor.empty(list(shape), T.f32())


def test_named_operations():
    def body(a, b):
        zero = linalg.fill(arith.constant(T.f32(), 0.0), outs=[empty(4, 16)])
        product = linalg.matmul(a, b, outs=[zero])
        assert isinstance(product, OpResult) and product.type == f32(4, 16)
        assert len(product.owner.operation.regions[0].blocks[0].operations) == 3
        linalg.add(product, product.owner, outs=[zero])
        linalg.transpose(product, outs=[empty(16, 4)], permutation=[1, 0])
        linalg.broadcast(product, outs=[empty(4, 16, 2)], dimensions=[2])
        linalg.matmul(a, b, outs=[zero], cast=linalg.TypeFn.cast_unsigned)
        linalg.elementwise(product, outs=[zero], kind=linalg.ElementwiseKind.exp)
        return product

    text = built(body, f32(4, 8), f32(8, 16))
    assert "linalg.matmul ins(%arg0, %arg1 : tensor<4x8xf32>, tensor<8x16xf32>) outs(%1 : tensor<4x16xf32>)" in text
    assert "permutation = [1, 0]" in text and "#linalg.type_fn<cast_unsigned>" in text


def test_convolutions_and_pooling():
    def body(x, w, b):
        made = linalg.conv_2d_nhwc_hwcf(x, w, outs=[empty(1, 3, 3, 16)], strides=[2, 2], dilations=[1, 1])
        linalg.pooling_nhwc_max(made, empty(2, 2), outs=[empty(1, 2, 2, 16)])
        assert isinstance(made.owner.opview, linalg.Conv2DNhwcHwcfOp)
        assert linalg.isa_convolution_op(made.owner) and not linalg.isa_contraction_op(made.owner)
        op = linalg.exp(b, outs=[b])
        assert isinstance(op, Operation) and op.name == "linalg.exp"

    assert "dilations = dense<1> : tensor<2xi64>, strides = dense<2>" in built(
        body, f32(1, 8, 8, 3), f32(3, 3, 3, 16), T.memref(4, T.f32()))


def test_bodies():
    def body(a):
        identity = AffineMap.get_identity(2)

        @linalg.generic([a], [empty(4, 8)], [identity, identity], ["parallel", linalg.IteratorType.parallel])
        def doubled(x, out):
            return arith.addf(x, x)

        @linalg.reduce([f32(4)], [doubled], [empty(4)], [1])
        def summed(x, acc):
            return arith.addf(x, acc)

        @linalg.map([f32(4, 8)], [a, doubled], empty(4, 8))
        def mapped(x, y):
            return arith.mulf(x, y)

        @tensor.generate(f32(4, 8))
        def generated(i: T.index(), j: T.index()):
            return arith.constant(T.f32(), 1.0)

        return summed, mapped, generated

    text = built(body, f32(4, 8))
    assert 'iterator_types = ["parallel", "parallel"]' in text and "linalg.map { arith.mulf }" in text
    assert "tensor.generate" in text and "-> (tensor<4xf32>, tensor<4x8xf32>, tensor<4x8xf32>)" in text


def test_what_has_no_body(context):
    a = empty(4)
    with pytest.raises(ValueError, match="no region that its name implies"):
        linalg.fill_builtin_region(a.owner)
    op = linalg.ExpOp([f32(4)], [a], [a])
    linalg.fill_builtin_region(op)
    with pytest.raises(ValueError, match="is not empty"):
        linalg.fill_builtin_region(op)
    assert op.verify()
    with pytest.raises(ValueError, match="is not known for these operands"):
        linalg.fill_builtin_region(linalg.MatmulOp([], [], []))
    with pytest.raises(ValueError, match="one output"):
        linalg.transpose(a, outs=[a, a], permutation=[0])


def test_affine():
    def body(m, n):
        for i in affine.for_(0, n):
            for j, carried, _ in affine.for_(2, AffineMap.get_constant(8), 2, [arith.constant(T.f32(), 0.0)]):
                loaded = affine.AffineLoadOp(m, [i, j]).result
                affine.yield_([arith.addf(carried, loaded)])
            d0, d1 = AffineExpr.get_dim(0), AffineExpr.get_dim(1)
            test = affine.AffineIfOp(IntegerSet.get(1, 0, [d0 - 3], [False]), cond_operands=[i], has_else=True)
            with InsertionPoint(test.then_block):
                affine.AffineStoreOp(loaded_zero := arith.constant(T.f32(), 0.0), m, [i, i], AffineMap.get(2, 0, [d0 + 1, d1]))
                assert loaded_zero.type == T.f32()
                affine.yield_([])
            with InsertionPoint(test.else_block):
                affine.yield_([])
            affine.yield_([])
        affine.apply(AffineMap.get(1, 0, [AffineExpr.get_dim(0) * 2]), [n])

    text = built(body, T.memref(16, 16, T.f32()), T.index())
    assert "affine.for %arg2 = 0 to #map(%arg1) {" in text and "affine.for %arg3 = 2 to 8 step 2 iter_args(%arg4 = %cst)" in text
    assert "affine.store %cst" in text and "[%arg2 + 1, %arg2]" in text and "affine.apply #map1(%arg1)" in text
    with pytest.raises(ValueError, match="no operands"):
        affine.AffineForOp(0, 4, 1, lower_bound_operands=[arith.constant(T.index(), 1)])
