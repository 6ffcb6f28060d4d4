// RUN: ttmlir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @f(%a: i32) {
  // expected-error @+1 {{callee must not be empty}}
  %0 = emitc.call_opaque "" (%a) : (i32) -> i32
  return
}

// -----

// expected-error @+1 {{index argument is out of range}}
func.func @f(%a: i32) { %0 = emitc.call_opaque "f" (%a) {args = [1 : index]} : (i32) -> i32 return }

// -----

// expected-error @+1 {{array argument has no type}}
func.func @f(%a: i32) { emitc.call_opaque "f" (%a) {args = [0 : index, []]} : (i32) -> () return }

// -----

func.func @f(%a: i32) {
  // expected-error @+1 {{applicable operator is illegal}}
  %0 = emitc.apply "+"(%a) : (i32) -> i32
  return
}

// -----

// expected-error @+1 {{string attributes are not supported, use #emitc.opaque instead}}
func.func @f(%a: i32) { %0 = "emitc.constant"() <{value = ""}> : () -> i32 return }

// -----

// expected-error @+1 {{requires attribute to either be an #emitc.opaque attribute or it's type ('f32') to match the op's result type ('i32')}}
func.func @f(%a: i32) { %0 = "emitc.constant"() <{value = 1.0 : f32}> : () -> i32 return }

// -----

func.func @f(%a: i32) {
  // expected-error @+1 {{operand type 'i32' and result type 'tensor<4xf32>' are cast incompatible}}
  %0 = emitc.cast %a : i32 to tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{expected non empty string in !emitc.opaque type}}
func.func @f(%a: !emitc.opaque<"">) { return }

// -----

// expected-error @+1 {{pointer not allowed as outer type with !emitc.opaque, use !emitc.ptr instead}}
func.func @f(%a: !emitc.opaque<"int*">) { return }

// -----

func.func @f(%a: !emitc.ptr<i32>) {
  // expected-error @+1 {{requires that at most one operand is a pointer}}
  %0 = emitc.add %a, %a : (!emitc.ptr<i32>, !emitc.ptr<i32>) -> !emitc.ptr<i32>
  return
}

// -----

func.func @f(%a: !emitc.ptr<i32>, %b: f32) {
  // expected-error @+1 {{requires that one operand is an integer or of opaque type if the other is a pointer}}
  %0 = emitc.add %a, %b : (!emitc.ptr<i32>, f32) -> !emitc.ptr<i32>
  return
}

// -----

// expected-error @+1 {{yields a value not returned by parent}}
func.func @f(%c: i1) { emitc.if %c { %x = "emitc.constant"() <{value = 1 : i32}> : () -> i32 emitc.yield %x : i32 } return }

// -----

// expected-error @+1 {{has 0 operands, but enclosing function (@f) returns 1}}
emitc.func @f(%a: i32) -> i32 { emitc.return }
