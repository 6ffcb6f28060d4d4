"""Composites and pools whose direct lowering would lose a mask, a dimension or the value of padding."""

import math

import numpy as np
import pytest
from native import Error, Program

torch = pytest.importorskip("torch")
F = torch.nn.functional
RNG = np.random.default_rng(7)


def real(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("causal", ["", "is_causal = true", "is_causal = false"])
def test_attention_keeps_its_mask(causal):
    q, k, v, mask = real(1, 2, 4, 8), real(1, 2, 4, 8), real(1, 2, 4, 8), real(1, 1, 4, 4)
    both = "tensor<1x2x4x8xf32>"
    # The decomposition: softmax(q k^T + mask) v, without a scale.
    program = Program(f"""
func.func private @attention(%q: {both}, %k: {both}, %v: {both}, %m: tensor<1x1x4x4xf32>) -> {both} {{
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : ({both}, {both}) -> tensor<1x2x4x4xf32>
  %w = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2, 3] : (tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32>
  %t = stablehlo.add %s, %w : tensor<1x2x4x4xf32>
  %e = stablehlo.exponential %t : tensor<1x2x4x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [3] : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4xf32>
  %b = stablehlo.broadcast_in_dim %r, dims = [0, 1, 2] : (tensor<1x2x4xf32>) -> tensor<1x2x4x4xf32>
  %p = stablehlo.divide %e, %b : tensor<1x2x4x4xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<1x2x4x4xf32>, {both}) -> {both}
  return %o : {both}
}}
func.func @main(%q: {both}, %k: {both}, %v: {both}, %m: tensor<1x1x4x4xf32>) -> {both} {{
  %0 = stablehlo.composite "tenstorrent.scaled_dot_product_attention" %q, %k, %v, %m
    {{composite_attributes = {{scale = 1.0 : f32{", " if causal else ""}{causal}}}, decomposition = @attention}}
    : ({both}, {both}, {both}, tensor<1x1x4x4xf32>) -> {both}
  return %0 : {both}
}}""")
    want = F.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), attn_mask=torch.tensor(mask), scale=1.0)
    np.testing.assert_allclose(program(q, k, v, mask)[0], want.numpy(), rtol=2e-5, atol=2e-5)


def test_argmax_without_a_dimension_goes_over_all_elements():
    x = real(3, 5)
    program = Program("""
func.func private @all(%x: tensor<3x5xf32>) -> tensor<i32> {
  %f = stablehlo.reshape %x : (tensor<3x5xf32>) -> tensor<15xf32>
  %i = stablehlo.iota dim = 0 : tensor<15xi32>
  %l = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%f init: %l), (%i init: %z) across dimensions = [0] : (tensor<15xf32>, tensor<15xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %g = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.select %g, %a, %b : tensor<i1>, tensor<f32>
    %n = stablehlo.select %g, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %m, %n : tensor<f32>, tensor<i32>
  }
  return %r#1 : tensor<i32>
}
func.func @main(%x: tensor<3x5xf32>) -> tensor<i32> {
  %0 = stablehlo.composite "tenstorrent.argmax" %x {composite_attributes = {}, decomposition = @all} : (tensor<3x5xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}""")
    assert int(program(x)[0]) == int(x.argmax())


def pool(kind, padding, attributes="", results="tensor<1x9x9x2xf32>"):
    return f"""func.func @main(%x: tensor<1x4x4x2xf32>) -> {results} {{
  %0 = "ttir.{kind}"(%x) <{{kernel = array<i32: 2, 2>, stride = array<i32: 1, 1>, dilation = array<i32: 1, 1>,
    padding = array<i32: {padding}, {padding}, {padding}, {padding}>, ceil_mode = false{attributes}}}> : (tensor<1x4x4x2xf32>) -> {results}
  return %0 : {results}
}}"""


def test_a_maximum_is_not_compared_with_padding():
    x = -1 - np.abs(real(1, 4, 4, 2))
    got = Program(pool("max_pool2d", 3))(x)[0]
    padded = F.pad(torch.tensor(x).permute(0, 3, 1, 2), (3, 3, 3, 3), value=-math.inf)
    np.testing.assert_array_equal(got, F.max_pool2d(padded, 2, 1).permute(0, 2, 3, 1).numpy())


@pytest.mark.parametrize("counted", [True, False])
def test_an_average_padded_beyond_half_a_window(counted):
    x = real(1, 4, 4, 2)
    got = Program(pool("avg_pool2d", 3, f", count_include_pad = {str(counted).lower()}"))(x)[0]
    images = F.pad(torch.tensor(x).permute(0, 3, 1, 2), (3, 3, 3, 3))
    elements = F.pad(torch.ones(1, 1, 4, 4), (3, 3, 3, 3))
    want = F.avg_pool2d(images, 2, 1)
    if not counted:  # the mean of a window in padding alone, of no elements, is NaN
        want = want / F.avg_pool2d(elements, 2, 1)
    np.testing.assert_allclose(got, want.permute(0, 2, 3, 1).numpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("padding", [1, 3])
def test_indices_count_the_image_without_padding(padding):
    x = real(1, 4, 4, 2)
    size = 4 + 2 * padding - 1
    types = f"(tensor<1x{size}x{size}x2xf32>, tensor<1x{size}x{size}x2xi32>)"
    text = f"""func.func @main(%x: tensor<1x4x4x2xf32>) -> {types} {{
  %0:2 = "ttir.max_pool2d_with_indices"(%x) <{{kernel = array<i32: 2, 2>, stride = array<i32: 1, 1>, dilation = array<i32: 1, 1>,
    padding = array<i32: {padding}, {padding}, {padding}, {padding}>, ceil_mode = false}}> : (tensor<1x4x4x2xf32>) -> {types}
  return %0#0, %0#1 : {types[1:-1]}
}}"""
    if padding == 3:
        with pytest.raises(Error, match="max_pool2d_with_indices"):
            Program(text)
        return
    values, indices = Program(text)(x)
    want, where = F.max_pool2d(torch.tensor(x).permute(0, 3, 1, 2), 2, 1, 1, return_indices=True)
    np.testing.assert_array_equal(values, want.permute(0, 2, 3, 1).numpy())
    np.testing.assert_array_equal(indices, where.permute(0, 2, 3, 1).numpy())
