"""TTIR programs that canonicalization and folds rewrite, against NumPy."""

import numpy as np
import pytest
from native import Program

R = np.random.default_rng(11)


def f32(*shape):
    return R.standard_normal(shape).astype(np.float32)


def i32(high, *shape):
    return R.integers(0, high, shape).astype(np.int32)


def conv3d(x, w, b):
    return np.einsum("ndhwc,oc->ndhwo", x, w[:, :, 0, 0, 0]) + b


def updated(cache, x, at):
    out = cache.copy()
    for user in range(cache.shape[0]):
        out[user, :, at[user if len(at) > 1 else 0]] = x[0, :, user]
    return out


CASES = {
    "conv3d of points": ("""
func.func @f(%x: tensor<2x3x2x2x4xf32>, %w: tensor<5x4x1x1x1xf32>, %b: tensor<1x1x1x1x5xf32>) -> tensor<2x3x2x2x5xf32> {
  %0 = "ttir.conv3d"(%x, %w, %b) <{stride = 1 : i32, padding = array<i32: 0, 0, 0>, groups = 1 : i32}>
      : (tensor<2x3x2x2x4xf32>, tensor<5x4x1x1x1xf32>, tensor<1x1x1x1x5xf32>) -> tensor<2x3x2x2x5xf32>
  return %0 : tensor<2x3x2x2x5xf32>
}""", [f32(2, 3, 2, 2, 4), f32(5, 4, 1, 1, 1), f32(1, 1, 1, 1, 5)], conv3d),
    "product of merged dimensions": ("""
func.func @f(%a: tensor<2x3x4x5xf32>, %b: tensor<2x3x6x5xf32>) -> tensor<2x3x4x6xf32> {
  %0 = "ttir.reshape"(%a) <{shape = [6 : i32, 4 : i32, 5 : i32]}> : (tensor<2x3x4x5xf32>) -> tensor<6x4x5xf32>
  %1 = "ttir.reshape"(%b) <{shape = [6 : i32, 6 : i32, 5 : i32]}> : (tensor<2x3x6x5xf32>) -> tensor<6x6x5xf32>
  %2 = "ttir.matmul"(%0, %1) <{transpose_b = true}> : (tensor<6x4x5xf32>, tensor<6x6x5xf32>) -> tensor<6x4x6xf32>
  %3 = "ttir.reshape"(%2) <{shape = [2 : i32, 3 : i32, 4 : i32, 6 : i32]}> : (tensor<6x4x6xf32>) -> tensor<2x3x4x6xf32>
  return %3 : tensor<2x3x4x6xf32>
}""", [f32(2, 3, 4, 5), f32(2, 3, 6, 5)], lambda a, b: a @ b.swapaxes(-1, -2)),
    "embedding without ones": ("""
func.func @f(%i: tensor<4xi32>, %w: tensor<10x8xf32>) -> tensor<4x8xf32> {
  %0 = "ttir.reshape"(%i) <{shape = [1 : i32, 4 : i32]}> : (tensor<4xi32>) -> tensor<1x4xi32>
  %1 = "ttir.embedding"(%0, %w) : (tensor<1x4xi32>, tensor<10x8xf32>) -> tensor<1x4x8xf32>
  %2 = "ttir.reshape"(%1) <{shape = [4 : i32, 8 : i32]}> : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}""", [i32(10, 4), f32(10, 8)], lambda i, w: w[i]),
    "product of booleans": ("""
func.func @f(%a: tensor<6x3xi32>, %b: tensor<6x3xi32>) -> tensor<6xf32> {
  %0 = "ttir.ge"(%a, %b) : (tensor<6x3xi32>, tensor<6x3xi32>) -> tensor<6x3xf32>
  %1 = "ttir.prod"(%0) <{dim_arg = [1 : i32], keep_dim = false}> : (tensor<6x3xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}""", [i32(9, 6, 3), i32(3, 6, 3)], lambda a, b: (a >= b).all(1).astype(np.float32)),
    "one of one": ("""
func.func @f(%x: tensor<5x1xf32>) -> (tensor<5x1xf32>, tensor<5x1xi32>) {
  %v, %i = "ttir.topk"(%x) <{k = 1 : i32, dim = -1 : i32}> : (tensor<5x1xf32>) -> (tensor<5x1xf32>, tensor<5x1xi32>)
  return %v, %i : tensor<5x1xf32>, tensor<5x1xi32>
}""", [f32(5, 1)], lambda x: (x, np.zeros((5, 1), np.int32))),
    "cache of several users": ("""
func.func @f(%c: tensor<3x2x8x4xf32>, %x: tensor<1x2x3x4xf32>, %i: tensor<3xi32>) -> tensor<3x2x8x4xf32> {
  "ttir.update_cache"(%c, %x, %i) <{batch_offset = 0 : i32}> : (tensor<3x2x8x4xf32>, tensor<1x2x3x4xf32>, tensor<3xi32>) -> ()
  return %c : tensor<3x2x8x4xf32>
}""", [f32(3, 2, 8, 4), f32(1, 2, 3, 4), np.array([1, 7, 0], np.int32)], updated),
    "cache, one position for all": ("""
func.func @f(%c: tensor<3x2x8x4xf32>, %x: tensor<1x2x3x4xf32>, %i: tensor<1xi32>) -> tensor<3x2x8x4xf32> {
  "ttir.update_cache"(%c, %x, %i) <{batch_offset = 0 : i32}> : (tensor<3x2x8x4xf32>, tensor<1x2x3x4xf32>, tensor<1xi32>) -> ()
  return %c : tensor<3x2x8x4xf32>
}""", [f32(3, 2, 8, 4), f32(1, 2, 3, 4), np.array([5], np.int32)], updated),
    "cache behind an offset": ("""
func.func @f(%c: tensor<3x2x8x4xf32>, %x: tensor<1x2x1x4xf32>, %i: tensor<1xi32>) -> tensor<3x2x8x4xf32> {
  "ttir.update_cache"(%c, %x, %i) <{batch_offset = 2 : i32}> : (tensor<3x2x8x4xf32>, tensor<1x2x1x4xf32>, tensor<1xi32>) -> ()
  return %c : tensor<3x2x8x4xf32>
}""", [f32(3, 2, 8, 4), f32(1, 2, 1, 4), np.array([5], np.int32)],
        lambda c, x, i: np.concatenate([c[:2], updated(c[2:], x, i)])),
    "slices from behind": ("""
func.func @f() -> tensor<2x2xf32> {
  %0 = "ttir.constant"() <{value = dense<[[1., 2., 3.], [4., 5., 6.]]> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
  %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 2 : i32], ends = [2 : i32, 0 : i32], step = [1 : i32, -1 : i32]}> : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}""", [], lambda: np.array([[3, 2], [6, 5]], np.float32)),
    "constants of other shapes": ("""
func.func @f() -> tensor<1x2x3xi32> {
  %0 = "ttir.constant"() <{value = dense<[[10], [20]]> : tensor<2x1xi32>}> : () -> tensor<2x1xi32>
  %1 = "ttir.constant"() <{value = dense<[[[1, 2, 3]]]> : tensor<1x1x3xi32>}> : () -> tensor<1x1x3xi32>
  %2 = "ttir.subtract"(%0, %1) : (tensor<2x1xi32>, tensor<1x1x3xi32>) -> tensor<1x2x3xi32>
  return %2 : tensor<1x2x3xi32>
}""", [], lambda: np.array([[[9, 8, 7], [19, 18, 17]]], np.int32)),
    "bounds of other shapes": ("""
func.func @f(%x: tensor<2x3xf32>, %h: tensor<1xf32>) -> tensor<2x3xf32> {
  %l = "ttir.constant"() <{value = dense<[-0.5, 0.0, 0.25]> : tensor<3xf32>}> : () -> tensor<3xf32>
  %0 = "ttir.clamp_tensor"(%x, %l, %h) : (tensor<2x3xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}""", [f32(2, 3), np.array([0.75], np.float32)], lambda x, h: np.clip(x, np.float32([-0.5, 0, 0.25]), h)),
    "power of a constant": ("""
func.func @f(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = "ttir.constant"() <{value = dense<3.0> : tensor<4x5xf32>}> : () -> tensor<4x5xf32>
  %1 = "ttir.pow"(%x, %0) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}""", [f32(4, 5)], lambda x: x.astype(np.float64)**3),
    "what decides": ("""
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %z = "ttir.zeros"() <{shape = array<i32: 4>}> : () -> tensor<4xf32>
  %n = "ttir.full"() <{shape = array<i32: 4>, fill_value = 2.0 : f32}> : () -> tensor<4xf32>
  %t = "ttir.gt"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = "ttir.logical_and"(%t, %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "ttir.logical_or"(%x, %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "ttir.logical_or"(%x, %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}""", [np.float32([0, 2, -1, 3]), f32(4)],
        lambda x, y: ((x > y).astype(np.float32), np.ones(4, np.float32), (x != 0).astype(np.float32))),
}


@pytest.mark.parametrize("name", CASES)
def test_numbers(name):
    text, inputs, reference = CASES[name]
    want = reference(*inputs)
    want = want if isinstance(want, tuple) else (want,)
    for got, right in zip(Program(text)(*inputs), want, strict=True):
        np.testing.assert_allclose(got, right, rtol=2e-5, atol=2e-6)
