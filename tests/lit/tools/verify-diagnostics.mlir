// RUN: ttmlir-opt %s --verify-diagnostics --split-input-file

// Places: the same line, another by number, the lines above and below.
func.func @same(%a: i32) {
  "ttir.neg"(%a) : (i32) -> () // expected-error {{'ttir.neg' op requires one result}}
  return
}

// -----

func.func @before(%a: i32) {
  // expected-error@+1 {{requires one result}}
  "ttir.neg"(%a) : (i32) -> ()
  return
}

// -----

func.func @after(%a: i32) {
  "ttir.neg"(%a) : (i32) -> ()
  // expected-error@above {{requires one result}}
  return
}

// -----

func.func @below(%a: i32) {
  // expected-error@below {{requires one result}}
  "ttir.neg"(%a) : (i32) -> ()
  return
}

// -----

// Text with patterns in it, and notes of their own.
func.func @patterns(%a: f32) {
  // expected-error-re@+2 {{use of value '%a' expects different type than prior uses: '{{.*}}32' vs 'f32'}}
  // expected-note@-2 {{prior use here}}
  "ttir.neg"(%a) : (i32) -> ()
  return
}
