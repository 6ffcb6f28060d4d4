// RUN: ttmlir-opt --split-input-file %s | FileCheck %s
// RUN: ttmlir-opt --split-input-file %s | ttmlir-opt --split-input-file | FileCheck %s
// RUN: ttmlir-opt --split-input-file --mlir-print-op-generic %s | ttmlir-opt --split-input-file | FileCheck %s
// RUN: ttmlir-opt --split-input-file --mlir-print-op-generic %s | FileCheck --check-prefix=GENERIC %s

// CHECK-LABEL: pdl.pattern @matched : benefit(7) {
// GENERIC: "pdl.pattern"() <{benefit = 7 : i16, sym_name = "matched"}> ({
pdl.pattern @matched : benefit(7) {
  // CHECK-NEXT: %0 = type{{$}}
  // CHECK-NEXT: %1 = type : tensor<2xf32>
  // CHECK-NEXT: %2 = types
  // CHECK-NEXT: %3 = types : [i32, i64]
  %t = pdl.type
  %f = type : tensor<2xf32>
  %ts = types
  %two = types : [i32, i64]
  // CHECK-NEXT: %4 = operand{{$}}
  // CHECK-NEXT: %5 = operand : %0
  // CHECK-NEXT: %6 = operands
  // CHECK-NEXT: %7 = operands : %3
  %a = operand
  %b = operand : %t
  %as = operands
  %bs = operands : %two
  // CHECK-NEXT: %8 = attribute{{$}}
  // CHECK-NEXT: %9 = attribute : %0
  // CHECK-NEXT: %10 = attribute = {unit} attributes {note}
  // GENERIC: "pdl.attribute"() <{value = {unit}}> {note} : () -> !pdl.attribute
  %x = attribute
  %y = attribute : %t
  %z = attribute = {unit} attributes {note}
  // CHECK-NEXT: %11 = operation "foo.all"(%6 : !pdl.range<value>) -> (%2 : !pdl.range<type>)
  // GENERIC: "pdl.operation"(%6, %2) <{attributeValueNames = [], opName = "foo.all", operandSegmentSizes = array<i32: 1, 0, 1>}> : (!pdl.range<value>, !pdl.range<type>) -> !pdl.operation
  %all = operation "foo.all"(%as : !pdl.range<value>) -> (%ts : !pdl.range<type>)
  // CHECK-NEXT: %12 = results of %11
  // CHECK-NEXT: %13 = results 0 of %11 -> !pdl.value
  // CHECK-NEXT: %14 = results 1 of %11 -> !pdl.range<value>
  // CHECK-NEXT: %15 = result 2 of %11
  %rs = results of %all
  %r0 = results 0 of %all -> !pdl.value
  %r1 = results 1 of %all -> !pdl.range<value>
  %r = result 2 of %all
  // CHECK-NEXT: %16 = operation(%4, %5, %7, %12, %13, %14, %15 : !pdl.value, !pdl.value, !pdl.range<value>, !pdl.range<value>, !pdl.value, !pdl.range<value>, !pdl.value) {"x" = %8, "a b" = %9, "z" = %10} -> (%1 : !pdl.type)
  %root = operation(%a, %b, %bs, %rs, %r0, %r1, %r : !pdl.value, !pdl.value, !pdl.range<value>, !pdl.range<value>, !pdl.value, !pdl.range<value>, !pdl.value) {"x" = %x, "a b" = %y, "z" = %z} -> (%f : !pdl.type)
  // CHECK-NEXT: apply_native_constraint "plain"(%16, %8 : !pdl.operation, !pdl.attribute)
  // CHECK-NEXT: %17 = apply_native_constraint "gives"(%16 : !pdl.operation) : !pdl.attribute
  // CHECK-NEXT: apply_native_constraint "not"(%16 : !pdl.operation) is_negated = true
  // CHECK-NEXT: apply_native_constraint "as before"(%16 : !pdl.operation) is_negated = true
  apply_native_constraint "plain"(%root, %x : !pdl.operation, !pdl.attribute)
  %given = apply_native_constraint "gives"(%root : !pdl.operation) : !pdl.attribute
  apply_native_constraint "not"(%root : !pdl.operation) is_negated = true
  apply_native_constraint "as before"(%root : !pdl.operation) {isNegated = true}
  // CHECK-NEXT: rewrite %16 with "outside"(%17, %6 : !pdl.attribute, !pdl.range<value>)
  // GENERIC: "pdl.rewrite"(%16, %17, %6) <{name = "outside", operandSegmentSizes = array<i32: 1, 2>}> ({
  rewrite %root with "outside"(%given, %as : !pdl.attribute, !pdl.range<value>)
}

// -----

// CHECK-LABEL: pdl.pattern : benefit(0) attributes {d.note} {
pdl.pattern : benefit(0) attributes {d.note} {
  %a = operand
  %t = type
  %root = operation "foo.op"(%a : !pdl.value) -> (%t : !pdl.type)
  // CHECK: rewrite %2 {
  rewrite %root {
    // CHECK-NEXT: %3 = range %0 : !pdl.value
    // CHECK-NEXT: %4 = range : !pdl.range<type>
    // CHECK-NEXT: %5 = range %0, %3 : !pdl.value, !pdl.range<value>
    %r = range %a : !pdl.value
    %none = range : !pdl.range<type>
    %more = pdl.range %a, %r : !pdl.value, !pdl.range<value>
    // CHECK-NEXT: %6:2 = apply_native_rewrite "two"(%5 : !pdl.range<value>) : !pdl.type, !pdl.range<value>
    // CHECK-NEXT: %7 = apply_native_rewrite "alone" : !pdl.operation
    // CHECK-NEXT: apply_native_rewrite "nothing"(%7 : !pdl.operation)
    %0:2 = apply_native_rewrite "two"(%more : !pdl.range<value>) : !pdl.type, !pdl.range<value>
    %s = apply_native_rewrite "alone" : !pdl.operation
    apply_native_rewrite "nothing"(%s : !pdl.operation)
    // CHECK: operation "foo.made"(%6#1 : !pdl.range<value>) -> (%6#0 : !pdl.type)
    %made = operation "foo.made"(%0#1 : !pdl.range<value>) -> (%0#0 : !pdl.type)
    // CHECK-NEXT: replace %2 with(%3 : !pdl.range<value>)
    // CHECK-NEXT: replace %2 with %8
    // CHECK-NEXT: erase %2
    replace %root with (%r : !pdl.range<value>)
    replace %root with %made
    erase %root
  }
}

// -----

// Handles may be values anywhere.
// CHECK-LABEL: func.func @handles(%arg0: !pdl.operation, %arg1: !pdl.range<attribute>, %arg2: !pdl.range<operation>)
func.func @handles(%op: !pdl.operation, %as: !pdl.range<attribute>, %ops: !pdl.range<operation>) {
  // CHECK: pdl.result 0 of %arg0
  %0 = pdl.result 0 of %op
  // CHECK: pdl.operation "foo.op"(%{{.*}} : !pdl.value)
  %1 = pdl.operation "foo.op"(%0 : !pdl.value)
  return
}
