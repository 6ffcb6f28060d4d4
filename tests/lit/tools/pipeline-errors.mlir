// RUN: not ttmlir-opt %s --pass-pipeline=cse 2>&1 | FileCheck %s --check-prefix=WRAP
// RUN: not ttmlir-opt %s --pass-pipeline='func.func(cse)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not ttmlir-opt %s --pass-pipeline='builtin.module(csee)' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ttmlir-opt %s --pass-pipeline='builtin.module(cse)' --cse 2>&1 | FileCheck %s --check-prefix=MIX
// RUN: not ttmlir-opt %s --pass-pipeline='builtin.module(canonicalize{max-iteration=3})' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not ttmlir-opt %s --canonicalize=max-iterations=many 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not ttmlir-opt %s --canonicalize=top-down=maybe 2>&1 | FileCheck %s --check-prefix=BOOL
// RUN: not ttmlir-opt %s --pass-pipeline='builtin.module(func.func(cse)' 2>&1 | FileCheck %s --check-prefix=CLOSE
// RUN: ttmlir-opt %s --pass-pipeline='any(cse,func.func(canonicalize))' | FileCheck %s --check-prefix=FINE
// RUN: not ttmlir-opt %s --canonicalize='disable-patterns=[a' 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: ttmlir-opt %s --pass-pipeline='builtin.module(canonicalize{disable-patterns="a b"},cse)' --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=QUOTED
// WRAP: error: expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'
// ANCHOR: error: can't run 'func.func' pass manager on 'builtin.module' op
// NAME: error: 'csee' does not refer to a registered pass or pass pipeline; did you mean 'cse'?
// MIX: error: '-pass-pipeline' option can't be used with individual pass options
// OPTION: error: 'canonicalize' has no option 'max-iteration'; did you mean 'max-iterations'?
// NUMBER: error: option 'max-iterations' of 'canonicalize' takes a number, not 'many'
// BOOL: error: option 'top-down' of 'canonicalize' takes true or false, not 'maybe'
// CLOSE: error: missing closing ')'
// OPEN: error: option 'disable-patterns' of 'canonicalize' has a bracket or quote that does not close: [a
// QUOTED: builtin.module(canonicalize{disable-patterns="a b"},cse)
// FINE: module
module {}
