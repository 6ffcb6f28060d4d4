// RUN: ttmlir-opt %s --ttnn-recover-structure | FileCheck %s --check-prefixes=CHECK,BEHIND
// RUN: ttmlir-opt %s --ttnn-recover-structure=in-front=true | FileCheck %s --check-prefixes=CHECK,FRONT
// RUN: ttmlir-opt %s --ttnn-simplify-locs-for-codegen --mlir-print-debuginfo | FileCheck %s --check-prefix=LOCS
!t = tensor<32x32xf32>
#enc = loc("0|Model[m]|Encoder[m.e]|/m.py:3|forward|4|aten__exp")
#act = loc("1|Model[m]|Encoder[m.e]|/m.py:3|forward|5|aten__relu")
#dec = loc("2|Model[m]|Decoder[m.d]|/m.py:9|forward|10|aten__add"(#enc))
#view = loc("-1|unknown|unknown|-1|aten__view")
// LOCS-NOT: aten__add"(

// FRONT: func.func private @Encoder_0
// FRONT: func.func private @Decoder_1
// The two exponentials are of one function: nothing has to run between them. What names none stays.
// CHECK-LABEL: func.func @program(%arg0
// CHECK-NEXT: %[[E:.*]]:2 = call @Encoder_0(%arg0)
// CHECK-NEXT: %[[D:.*]] = call @Decoder_1(%[[E]]#0, %[[E]]#1)
// CHECK-NEXT: "ttnn.neg"(%[[D]])
// BEHIND: func.func private @Encoder_0(%arg0: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>)
// BEHIND: "ttnn.exp"
// BEHIND: "ttnn.relu"
// BEHIND: func.func private @Decoder_1
// BEHIND: "ttnn.add"(%arg0, %arg0)
// BEHIND: "ttnn.multiply"(%{{.*}}, %arg1)
func.func @program(%x: !t) -> !t attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.exp"(%x) : (!t) -> !t loc(#enc)
  %1 = "ttnn.add"(%0, %0) : (!t, !t) -> !t loc(#dec)
  %2 = "ttnn.relu"(%0) : (!t) -> !t loc(#act)
  %3 = "ttnn.multiply"(%1, %2) : (!t, !t) -> !t loc(#dec)
  %4 = "ttnn.neg"(%3) : (!t) -> !t loc(#view)
  return %4 : !t
}

// A tensor is freed behind all that reads it, in the function that frees it.
// CHECK-LABEL: func.func @freed
// CHECK: %[[A:.*]] = call @{{.*}}(%arg0)
// CHECK: "ttnn.exp"(%[[A]])
// CHECK-NEXT: "ttnn.deallocate"(%[[A]])
func.func @freed(%x: !t) -> !t attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.exp"(%x) : (!t) -> !t loc(#enc)
  %1 = "ttnn.exp"(%0) : (!t) -> !t
  "ttnn.deallocate"(%0) <{force = false}> : (!t) -> ()
  return %1 : !t
}

// CHECK-LABEL: func.func @without_locations
// CHECK-NEXT: "ttnn.exp"
func.func @without_locations(%x: !t) -> !t attributes {tt.function_type = "forward_device"} {
  %0 = "ttnn.exp"(%x) : (!t) -> !t
  return %0 : !t
}
