// RUN: ttmlir-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{requires that at most one operand is a pointer}}
func.func @a(%p: !emitc.ptr<i32>, %q: !emitc.ptr<i32>) { %0 = emitc.add %p, %q : (!emitc.ptr<i32>, !emitc.ptr<i32>) -> !emitc.ptr<i32> return }

// -----
// expected-error @+1 {{requires that one operand is an integer or of opaque type if the other is a pointer}}
func.func @a(%p: !emitc.ptr<i32>, %q: f32) { %0 = emitc.add %p, %q : (!emitc.ptr<i32>, f32) -> !emitc.ptr<i32> return }

// -----
// expected-error @+1 {{rhs can only be a pointer if lhs is a pointer}}
func.func @a(%p: f32, %q: !emitc.ptr<i32>) { %0 = emitc.sub %p, %q : (f32, !emitc.ptr<i32>) -> !emitc.ptr<i32> return }

// -----
// expected-error @+1 {{requires that rhs is an integer, pointer or of opaque type if lhs is a pointer}}
func.func @a(%p: !emitc.ptr<i32>, %q: f32) { %0 = emitc.sub %p, %q : (!emitc.ptr<i32>, f32) -> !emitc.ptr<i32> return }

// -----
// expected-error @+1 {{requires that the result is an integer, ptrdiff_t or of opaque type if lhs and rhs are pointers}}
func.func @a(%p: !emitc.ptr<i32>, %q: !emitc.ptr<i32>) { %0 = emitc.sub %p, %q : (!emitc.ptr<i32>, !emitc.ptr<i32>) -> f32 return }

// -----
// expected-error @+1 {{applicable operator must not be empty}}
func.func @a(%p: i32) { %0 = emitc.apply ""(%p) : (i32) -> f32 return }

// -----
// expected-error @+1 {{applicable operator is illegal}}
func.func @a(%p: i32) { %0 = emitc.apply "+"(%p) : (i32) -> f32 return }

// -----
// expected-error @+1 {{callee must not be empty}}
func.func @a(%p: i32) { emitc.call_opaque ""(%p) : (i32) -> () return }

// -----
// expected-error @+1 {{index argument is out of range}}
func.func @a(%p: i32) { emitc.call_opaque "f"(%p) {args = [1 : index]} : (i32) -> () return }

// -----
// expected-error @+1 {{array argument has no type}}
func.func @a(%p: i32) { emitc.call_opaque "f"(%p) {args = [[1]]} : (i32) -> () return }

// -----
// expected-error @+1 {{template argument has invalid type}}
func.func @a(%p: i32) { emitc.call_opaque "f"(%p) {template_args = ["a"]} : (i32) -> () return }

// -----
// expected-error @+1 {{requires attribute to either be an #emitc.opaque attribute or it's type ('i64') to match the op's result type ('i32')}}
func.func @a(%p: i32) { %0 = "emitc.constant"() {value = 1 : i64} : () -> i32 return }

// -----
// expected-error @+1 {{value must not be empty}}
func.func @a(%p: i32) { %0 = "emitc.constant"() {value = #emitc.opaque<"">} : () -> i32 return }

// -----
// expected-error @+1 {{string attributes are not supported, use #emitc.opaque instead}}
func.func @a(%p: i32) { %0 = "emitc.constant"() {value = "a"} : () -> i32 return }

// -----
// expected-error @+1 {{value must not be empty}}
func.func @a(%p: i32) { %0 = emitc.literal "" : i32 return }

// -----
// expected-error @+1 {{on array operand requires number of indices (1) to match the rank of the array type (2)}}
func.func @a(%p: !emitc.array<4x4xi32>, %i: index) { %0 = emitc.subscript %p[%i] : (!emitc.array<4x4xi32>, index) -> !emitc.lvalue<i32> return }

// -----
// expected-error @+1 {{on array operand requires index operand 0 to be integer-like, but got 'f32'}}
func.func @a(%p: !emitc.array<4xi32>, %i: f32) { %0 = emitc.subscript %p[%i] : (!emitc.array<4xi32>, f32) -> !emitc.lvalue<i32> return }

// -----
// expected-error @+1 {{on array operand requires element type ('i32') and result type ('f32') to match}}
func.func @a(%p: !emitc.array<4xi32>, %i: index) { %0 = emitc.subscript %p[%i] : (!emitc.array<4xi32>, index) -> !emitc.lvalue<f32> return }

// -----
// expected-error @+1 {{on pointer operand requires one index operand, but got 2}}
func.func @a(%p: !emitc.ptr<i32>, %i: index) { %0 = emitc.subscript %p[%i, %i] : (!emitc.ptr<i32>, index, index) -> !emitc.lvalue<f32> return }

// -----
// expected-error @+1 {{on pointer operand requires index operand to be integer-like, but got 'f32'}}
func.func @a(%p: !emitc.ptr<i32>, %i: f32) { %0 = emitc.subscript %p[%i] : (!emitc.ptr<i32>, f32) -> !emitc.lvalue<f32> return }

// -----
// expected-error @+1 {{on pointer operand requires pointee type ('i32') and result type ('f32') to match}}
func.func @a(%p: !emitc.ptr<i32>, %i: index) { %0 = emitc.subscript %p[%i] : (!emitc.ptr<i32>, index) -> !emitc.lvalue<f32> return }

// -----
// expected-error @+1 {{cannot assign to block argument}}
func.func @a(%p: !emitc.lvalue<i32>, %i: index) { emitc.assign %i : index to %p : <i32> return }

// -----
// expected-error @+1 {{requires value's type ('index') to match variable's type ('i32')}}
func.func @a() { %p = "emitc.variable"() {value = 1 : i32} : () -> !emitc.lvalue<i32> %i = "emitc.constant"() {value = 1 : index} : () -> index  emitc.assign %i : index to %p : <i32> return }

// -----
// expected-error @+1 {{requires attribute to either be an #emitc.opaque attribute or it's type ('i32') to match the op's result type ('i64')}}
func.func @a() { %p = "emitc.variable"() {value = 1 : i32} : () -> !emitc.lvalue<i64>  return }

// -----
// expected-error @+1 {{has 0 operands, but enclosing function (@a) returns 1}}
emitc.func @a() -> i32 { emitc.return }

// -----
// expected-error @+1 {{requires zero or exactly one result, but has 2}}
emitc.func @a() -> (i32, i32) { emitc.return }

// -----
// expected-error @+1 {{cannot have lvalue type as argument}}
emitc.func @a(%a : !emitc.lvalue<i32>) { emitc.return }

// -----
// expected-error @+1 {{cannot return array type}}
emitc.func @a() -> !emitc.array<2xi32>  { emitc.return }

// -----
// expected-error @+1 {{has 1 operands, but enclosing function (@a) returns 0}}
emitc.func @a() { %a = "emitc.constant"() {value = 1 : i32} : () -> i32 emitc.return %a : i32 }

// -----
// expected-error @+1 {{expected valid '@'-identifier for symbol name}}
emitc.global static extern @x : i32

// -----
// expected-error @+1 {{floating point value not valid for specified type}}
emitc.global @x : i32 = 5.0 : f32

// -----
// expected-error @+1 {{expected valid emitc type}}
emitc.global @x : tensor<?xi32>

// -----
// expected-error @+1 {{has duplicate case value: 1}}
func.func @s(%a: i32) { emitc.switch %a : i32
 case 1 { emitc.yield }
 case 1 { emitc.yield }
 default { emitc.yield }
 return }

// -----
// expected-error @+1 {{has 1 case regions but 0 case values}}
func.func @s(%a: i32) { "emitc.switch"(%a) ({ emitc.yield }, { emitc.yield }) {cases = array<i64>} : (i32) -> () return }

// -----
func.func @s(%a: i1) { emitc.if %a { %0 = emitc.literal "a" : i32
  // expected-error @+1 {{yields a value not returned by parent}}
  emitc.yield %0 : i32 } return }
