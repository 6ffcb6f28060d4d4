// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s

// Tensors and buffers have the same shapes, to the last unknown size, and elements (MLIR 22's words).

// CHECK: error: shapes do not match
// CHECK: error: 'bufferization.to_buffer' op failed to verify that specified tensor and buffer types match
func.func @f(%t: tensor<2x3xf32>) {
  "bufferization.to_buffer"(%t) : (tensor<2x3xf32>) -> memref<2x4xf32>
  return
}

// -----

// CHECK: error: element types do not match
// CHECK: error: 'bufferization.to_buffer' op failed to verify that specified tensor and buffer types match
func.func @f(%t: tensor<2x3xf32>) {
  "bufferization.to_buffer"(%t) : (tensor<2x3xf32>) -> memref<2x3xi32>
  return
}

// -----

// CHECK: error: shapes do not match
// CHECK: error: 'bufferization.to_buffer' op failed to verify that specified tensor and buffer types match
func.func @f(%t: tensor<2x3xf32>) {
  "bufferization.to_buffer"(%t) : (tensor<2x3xf32>) -> memref<*xf32>
  return
}

// -----

// CHECK: error: shapes do not match
// CHECK: error: 'bufferization.to_tensor' op failed to verify that specified tensor and buffer types match
func.func @f(%t: memref<2x3xf32>) {
  "bufferization.to_tensor"(%t) : (memref<2x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

// CHECK: error: shapes do not match
// CHECK: error: 'bufferization.to_tensor' op failed to verify that specified tensor and buffer types match
func.func @f(%t: memref<2x3xf32>) {
  "bufferization.to_tensor"(%t) : (memref<2x3xf32>) -> tensor<*xf32>
  return
}
