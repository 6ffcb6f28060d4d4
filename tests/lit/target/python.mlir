// RUN: ttmlir-translate --mlir-to-python %s -o %t.py
// RUN: FileCheck %s --input-file=%t.py
// RUN: python3 -m py_compile %t.py

module {
  // CHECK: import utils as u
  emitpy.import import "utils" as "u"
  // CHECK-NEXT: from math import sqrt as root, pi
  emitpy.import from "math" import "sqrt" as "root", "pi"
  // CHECK: seen = {}
  emitpy.global @seen = #emitpy.opaque<"{}">

  // Keywords, in calls and among constants; every value has a name of its own.
  // CHECK-LABEL: def calls(x, inputs):
  func.func @calls(%x: !emitpy.opaque<"T"> {emitpy.name = "x"}, %y: !emitpy.opaque<"T">) -> !emitpy.opaque<"[T]"> {
    // CHECK-NEXT: t_add_0 = t.add(x, inputs, dtype=t.F32, scale=0.1, exact=True, mode="a\"b")
    %0 = emitpy.call_opaque "t.add"(%x, %y) {args = [0 : index, 1 : index, #emitpy.opaque<"t.F32">, 1.000000e-01 : f64, true, "a\22b"], keyword_args = ["", "", "dtype", "scale", "exact", "mode"], emitpy.name = "t.add_0"} : (!emitpy.opaque<"T">, !emitpy.opaque<"T">) -> !emitpy.opaque<"T">
    // CHECK-NEXT: t_add_0_0, t_add_0_1 = split(inputs, [2, -3], float('inf'))
    %1, %2 = emitpy.call_opaque "split"(%y) {args = [0 : index, [2 : i32, -3 : i32], 0x7F800000 : f32], keyword_args = ["", "", ""], emitpy.name = "t.add_0"} : (!emitpy.opaque<"T">) -> (!emitpy.opaque<"T">, !emitpy.opaque<"T">)
    // CHECK-NEXT: var_0 = [t_add_0, t_add_0_1]
    %3 = emitpy.call_opaque "util_create_list"(%0, %2) : (!emitpy.opaque<"T">, !emitpy.opaque<"T">) -> !emitpy.opaque<"[T]">
    // CHECK-NEXT: return var_0
    return %3 : !emitpy.opaque<"[T]">
  }

  // Variables never have the name of a function, nor a keyword's.
  // CHECK-LABEL: def names(calls_0, lambda_0):
  func.func @names(%x: !emitpy.opaque<"T"> {emitpy.name = "calls"}, %y: !emitpy.opaque<"T"> {emitpy.name = "lambda"}) {
    // CHECK-NEXT: _3d = f(calls_0)
    %0 = emitpy.call_opaque "f"(%x) {emitpy.name = "3d"} : (!emitpy.opaque<"T">) -> !emitpy.opaque<"T">
    return
  }

  // An expression is written where it is used, unless something happens between.
  // CHECK-LABEL: def moments(inputs):
  func.func @moments(%x: !emitpy.opaque<"T">) -> !emitpy.opaque<"T"> {
    // CHECK-NEXT: var_0 = read(inputs)
    // CHECK-NEXT: write(inputs)
    // CHECK-NEXT: return g(read(var_0))
    %0 = emitpy.expression(%x) : (!emitpy.opaque<"T">) -> !emitpy.opaque<"T"> {
    ^bb0(%a: !emitpy.opaque<"T">):
      %r = emitpy.call_opaque "read"(%a) : (!emitpy.opaque<"T">) -> !emitpy.opaque<"T">
      emitpy.yield %r : !emitpy.opaque<"T">
    }
    emitpy.call_opaque "write"(%x) : (!emitpy.opaque<"T">) -> ()
    %1 = emitpy.expression(%0) : (!emitpy.opaque<"T">) -> !emitpy.opaque<"T"> {
    ^bb0(%a: !emitpy.opaque<"T">):
      %r = emitpy.call_opaque "read"(%a) : (!emitpy.opaque<"T">) -> !emitpy.opaque<"T">
      %s = emitpy.call_opaque "g"(%r) : (!emitpy.opaque<"T">) -> !emitpy.opaque<"T">
      emitpy.yield %s : !emitpy.opaque<"T">
    }
    return %1 : !emitpy.opaque<"T">
  }

  // CHECK-LABEL: def branches(inputs):
  func.func @branches(%x: !emitpy.opaque<"T">) {
    // CHECK-NEXT: global seen
    %d = emitpy.global_statement @seen : !emitpy.dict
    // CHECK-NEXT: if not seen:
    // CHECK-NEXT:   pass
    // CHECK-NEXT: elif inputs:
    // CHECK-NEXT:   seen[7] = inputs
    // CHECK-NEXT: return
    emitpy.if "not {}" args %d : (!emitpy.dict) {
      %again = emitpy.global_statement @seen : !emitpy.dict
    } else {
      emitpy.if "{}" args %x : (!emitpy.opaque<"T">) {
        %k = emitpy.literal "7" : index
        %s = emitpy.expression(%d, %k) : (!emitpy.dict, index) -> !emitpy.opaque<"T"> {
        ^bb0(%e: !emitpy.dict, %i: index):
          %r = emitpy.subscript %e[%i] : (!emitpy.dict, index) -> !emitpy.opaque<"T">
          emitpy.yield %r : !emitpy.opaque<"T">
        }
        emitpy.assign %s = %x : (!emitpy.opaque<"T">, !emitpy.opaque<"T">)
      }
    }
    return
  }

  // CHECK-LABEL: class Net(Base):
  // CHECK-NEXT: def forward(self, inputs):
  // CHECK-NEXT:   self.weight = inputs
  emitpy.class @Net(#emitpy.opaque<"Base">) {
    func.func @forward(%self: !emitpy.class<"Net">, %x: !emitpy.opaque<"T">) {
      emitpy.set_attr %self, "weight", %x : (!emitpy.class<"Net">, !emitpy.opaque<"T">)
      return
    }
  }

  // CHECK-LABEL: def main():
  // CHECK: if __name__ == '__main__':
  // CHECK-NEXT: main()
  func.func @main() {
    return
  }
}
