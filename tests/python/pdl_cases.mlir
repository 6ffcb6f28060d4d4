// Patterns and programs that tests/python/test_pdl.py gives to this library and to mlir-opt.
// An operand's type, and what is made instead.
module @patterns {
  pdl.pattern : benefit(1) {
    %t = pdl.type : i32
    %a = pdl.operand : %t
    %op = pdl.operation "foo.op"(%a : !pdl.value) -> (%t : !pdl.type)
    pdl.rewrite %op {
      %new = pdl.operation "bar.op"(%a : !pdl.value) -> (%t : !pdl.type)
      pdl.replace %op with %new
    }
  }
}
module @ir {
  func.func @f(%x: i32, %y: i64) -> (i32, i64, i32) {
    %0 = "foo.op"(%x) : (i32) -> i32
    %1 = "foo.op"(%y) : (i64) -> i64
    %2 = "foo.op"(%0, %0) : (i32, i32) -> i32
    return %0, %1, %2 : i32, i64, i32
  }
}

// -----
// One value twice.
module @patterns {
  pdl.pattern : benefit(1) {
    %t = pdl.type
    %a = pdl.operand : %t
    %op = pdl.operation "foo.sub"(%a, %a : !pdl.value, !pdl.value) -> (%t : !pdl.type)
    pdl.rewrite %op {
      %zero = pdl.operation "foo.zero" -> (%t : !pdl.type)
      pdl.replace %op with %zero
    }
  }
}
module @ir {
  func.func @f(%x: i32, %y: i32) -> (i32, i32, i64) {
    %0 = "foo.sub"(%x, %y) : (i32, i32) -> i32
    %1 = "foo.sub"(%x, %x) : (i32, i32) -> i32
    %2 = "foo.sub"(%x, %x) : (i32, i32) -> i64
    return %0, %1, %2 : i32, i32, i64
  }
}

// -----
// Operations behind operands; the second result.
module @patterns {
  pdl.pattern : benefit(1) {
    %t = pdl.type
    %a = pdl.operand
    %inner = pdl.operation "foo.two"(%a : !pdl.value) -> (%t, %t : !pdl.type, !pdl.type)
    %second = pdl.result 1 of %inner
    %op = pdl.operation "foo.use"(%second, %a : !pdl.value, !pdl.value) -> (%t : !pdl.type)
    pdl.rewrite %op {
      %first = pdl.result 0 of %inner
      pdl.replace %op with (%first : !pdl.value)
    }
  }
}
module @ir {
  func.func @f(%x: i32, %y: i32) -> (i32, i32, i32, i32) {
    %0:2 = "foo.two"(%x) : (i32) -> (i32, i32)
    %1 = "foo.use"(%0#1, %x) : (i32, i32) -> i32
    %2 = "foo.use"(%0#0, %x) : (i32, i32) -> i32
    %3 = "foo.use"(%0#1, %y) : (i32, i32) -> i32
    %4 = "foo.use"(%y, %y) : (i32, i32) -> i32
    return %1, %2, %3, %4 : i32, i32, i32, i32
  }
}

// -----
// Attributes: a value, a type, any; handed on.
module @patterns {
  pdl.pattern : benefit(1) {
    %one = pdl.attribute = 1 : i32
    %t = pdl.type : i64
    %typed = pdl.attribute : %t
    %any = pdl.attribute
    %op = pdl.operation "foo.op" {"one" = %one, "typed" = %typed, "any" = %any}
    pdl.rewrite %op {
      %mark = pdl.attribute = "made"
      %new = pdl.operation "bar.op" {"kept" = %any, "mark" = %mark, "typed" = %typed}
      pdl.erase %op
    }
  }
}
module @ir {
  "foo.op"() {one = 1 : i32, typed = 7 : i64, any = [1, "a"]} : () -> ()
  "foo.op"() {one = 2 : i32, typed = 7 : i64, any = unit} : () -> ()
  "foo.op"() {one = 1 : i32, typed = 7 : i32, any = unit} : () -> ()
  "foo.op"() {one = 1 : i32, typed = 7 : i64} : () -> ()
  "foo.op"() {one = 1 : i32, typed = dense<3> : tensor<i64>, any} : () -> ()
}

// -----
// Of two patterns that of the higher benefit.
module @patterns {
  pdl.pattern @low : benefit(1) {
    %op = pdl.operation "foo.op"
    pdl.rewrite %op {
      %new = pdl.operation "low.op"
      pdl.erase %op
    }
  }
  pdl.pattern @high : benefit(3) {
    %a = pdl.attribute
    %op = pdl.operation "foo.op" {"a" = %a}
    pdl.rewrite %op {
      %new = pdl.operation "high.op"
      pdl.erase %op
    }
  }
}
module @ir {
  "foo.op"() : () -> ()
  "foo.op"() {a} : () -> ()
}

// -----
// All operands, all results, and a name for any operation in between.
module @patterns {
  pdl.pattern : benefit(1) {
    %types = pdl.types
    %operands = pdl.operands : %types
    %results = pdl.types
    %op = pdl.operation "foo.op"(%operands : !pdl.range<value>) -> (%results : !pdl.range<type>)
    pdl.rewrite %op {
      %new = pdl.operation "bar.op"(%operands, %operands : !pdl.range<value>, !pdl.range<value>) -> (%types, %results : !pdl.range<type>, !pdl.range<type>)
      %all = pdl.results of %new
      %use = pdl.operation "bar.use"(%all : !pdl.range<value>) -> (%results : !pdl.range<type>)
      pdl.replace %op with %use
    }
  }
}
module @ir {
  func.func @f(%x: i32, %y: i64) -> (f32, f32) {
    "foo.op"() : () -> ()
    %0 = "foo.op"(%x, %y) : (i32, i64) -> f32
    %1:2 = "foo.op"(%y) : (i64) -> (i8, f32)
    "x.y"(%1#0) : (i8) -> ()
    return %0, %1#1 : f32, f32
  }
}

// -----
// The first operand, then the rest; the first result, then the rest.
module @patterns {
  pdl.pattern : benefit(1) {
    %first = pdl.operand
    %rest = pdl.operands
    %t = pdl.type : i32
    %ts = pdl.types
    %op = pdl.operation "foo.op"(%first, %rest : !pdl.value, !pdl.range<value>) -> (%t, %ts : !pdl.type, !pdl.range<type>)
    pdl.rewrite %op {
      %r = pdl.range %rest, %first : !pdl.range<value>, !pdl.value
      %new = pdl.operation "bar.op"(%r : !pdl.range<value>) -> (%t, %ts : !pdl.type, !pdl.range<type>)
      pdl.replace %op with %new
    }
  }
}
module @ir {
  func.func @f(%x: i32, %y: i64, %z: f32) -> (i32, i32, i32) {
    %0 = "foo.op"(%x, %y, %z) : (i32, i64, f32) -> i32
    %1:2 = "foo.op"(%z) : (f32) -> (i32, i32)
    %2:2 = "foo.op"(%x) : (i32) -> (i64, i32)
    %3 = "foo.op"() : () -> i32
    return %0, %1#1, %3 : i32, i32, i32
  }
}

// -----
// Groups that the operation declares.
module @patterns {
  pdl.pattern : benefit(1) {
    %sizes = pdl.operands
    %symbols = pdl.operands
    %t = pdl.type
    %op = pdl.operation "memref.alloc"(%sizes, %symbols : !pdl.range<value>, !pdl.range<value>) -> (%t : !pdl.type)
    pdl.rewrite %op {
      %new = pdl.operation "bar.alloc"(%symbols, %sizes : !pdl.range<value>, !pdl.range<value>) -> (%t : !pdl.type)
      pdl.replace %op with %new
    }
  }
}
module @ir {
  func.func @f(%n: index, %m: index, %s: index) -> (memref<?x?xf32>, memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>) {
    %0 = memref.alloc(%n, %m) : memref<?x?xf32>
    %1 = memref.alloc(%n)[%s] : memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
    return %0, %1 : memref<?x?xf32>, memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  }
}

// -----
// Results of one group.
module @patterns {
  pdl.pattern : benefit(1) {
    %ts = pdl.types : [i32, i64]
    %inner = pdl.operation "foo.many" -> (%ts : !pdl.range<type>)
    %values = pdl.results of %inner
    %op = pdl.operation "foo.use"(%values : !pdl.range<value>)
    pdl.rewrite %op {
      %new = pdl.operation "bar.use"(%values : !pdl.range<value>)
      pdl.erase %op
    }
  }
}
module @ir {
  %0:2 = "foo.many"() : () -> (i32, i64)
  "foo.use"(%0#0, %0#1) : (i32, i64) -> ()
  "foo.use"(%0#1, %0#0) : (i64, i32) -> ()
  "foo.use"(%0#0) : (i32) -> ()
  %1:2 = "foo.many"() : () -> (i64, i32)
  "foo.use"(%1#0, %1#1) : (i64, i32) -> ()
}

// -----
// Result types that follow: from the operation, from what is replaced.
module @patterns {
  pdl.pattern : benefit(1) {
    %t = pdl.type : i32
    %a = pdl.operand : %t
    %op = pdl.operation "foo.double"(%a : !pdl.value) -> (%t : !pdl.type)
    pdl.rewrite %op {
      %new = pdl.operation "arith.addi"(%a, %a : !pdl.value, !pdl.value)
      pdl.replace %op with %new
    }
  }
  pdl.pattern : benefit(1) {
    %ts = pdl.types
    %op = pdl.operation "foo.other" -> (%ts : !pdl.range<type>)
    pdl.rewrite %op {
      %new = pdl.operation "bar.other"
      pdl.replace %op with %new
    }
  }
}
module @ir {
  func.func @f(%x: i32) -> (i32, i8) {
    %0 = "foo.double"(%x) : (i32) -> i32
    %1:2 = "foo.other"() : () -> (i8, f32)
    return %0, %1#0 : i32, i8
  }
}

// -----
// From the root upwards, to another user of the same value.
module @patterns {
  pdl.pattern : benefit(1) {
    %t = pdl.type
    %a = pdl.operand
    %shared = pdl.operation "foo.shared"(%a : !pdl.value) -> (%t : !pdl.type)
    %v = pdl.result 0 of %shared
    %left = pdl.operation "foo.left"(%v : !pdl.value) -> (%t : !pdl.type)
    %right = pdl.operation "foo.right"(%v : !pdl.value) -> (%t : !pdl.type)
    pdl.rewrite %left {
      %new = pdl.operation "bar.both"(%v : !pdl.value) -> (%t, %t : !pdl.type, !pdl.type)
      %0 = pdl.result 0 of %new
      %1 = pdl.result 1 of %new
      pdl.replace %left with (%0 : !pdl.value)
      pdl.replace %right with (%1 : !pdl.value)
    }
  }
}
module @ir {
  func.func @f(%x: i32) -> (i32, i32, i32) {
    %0 = "foo.shared"(%x) : (i32) -> i32
    %1 = "foo.left"(%0) : (i32) -> i32
    %2 = "foo.right"(%0) : (i32) -> i32
    %3 = "foo.shared"(%x) : (i32) -> i32
    %4 = "foo.left"(%3) : (i32) -> i32
    return %1, %2, %4 : i32, i32, i32
  }
}

// -----
// Round after round, until nothing matches; inside regions too.
module @patterns {
  pdl.pattern : benefit(1) {
    %t = pdl.type
    %a = pdl.operand
    %inner = pdl.operation "foo.not"(%a : !pdl.value) -> (%t : !pdl.type)
    %v = pdl.result 0 of %inner
    %op = pdl.operation "foo.not"(%v : !pdl.value) -> (%t : !pdl.type)
    pdl.rewrite %op {
      pdl.replace %op with (%a : !pdl.value)
    }
  }
}
module @ir {
  func.func @f(%x: i1, %c: i1) -> (i1, i1) {
    %0 = "foo.not"(%x) : (i1) -> i1
    %1 = "foo.not"(%0) : (i1) -> i1
    %2 = "foo.not"(%1) : (i1) -> i1
    %3 = scf.if %c -> i1 {
      %4 = "foo.not"(%2) : (i1) -> i1
      scf.yield %4 : i1
    } else {
      scf.yield %x : i1
    }
    return %2, %3 : i1, i1
  }
}

// -----
// Operations without a name in the pattern; a root that is not said.
module @patterns {
  pdl.pattern : benefit(1) {
    %t = pdl.type : i8
    %attr = pdl.attribute = "yes"
    %op = pdl.operation {"mark" = %attr} -> (%t : !pdl.type)
    pdl.rewrite {
      %new = pdl.operation "bar.op" -> (%t : !pdl.type)
      pdl.replace %op with %new
    }
  }
}
module @ir {
  %0 = "foo.op"() {mark = "yes"} : () -> i8
  %1 = "foo.other"() {mark = "yes"} : () -> i8
  %2 = "foo.other"() {mark = "no"} : () -> i8
  "x.y"(%0, %1, %2) : (i8, i8, i8) -> ()
}
