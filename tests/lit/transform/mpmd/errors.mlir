// RUN: not mpmd_opt %s -mpmd-rule-based-merge='rules=FragmentMergeRule(sources=[FragmentInfo(origins=["f"]' 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not mpmd_opt %s -mpmd-rule-based-schedule='rules=FragmentScheduleRule(ordered_fragments=[FragmentInfo(origins=["f"],stage=x)])' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not mpmd_opt %s -mpmd-pipeline-scheduler='must-happen-before=1F2B' 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not mpmd_opt %s -mpmd-unroll-for-loops 2>&1 | FileCheck %s --check-prefix=ROUNDS
// RUN: not mpmd_opt %s -mpmd-uniquify-function-inputs-outputs 2>&1 | FileCheck %s --check-prefix=MESHLESS
// RUN: not mpmd_opt %s -mpmd-merge-inferred-fragments='merge-sideways=true merge-any-consumer=true' 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mpmd_opt %s -mpmd-rule-based-schedule='rules=FragmentScheduleRule(ordered_fragments=[])' 2>&1 | FileCheck %s --check-prefix=TWICE

// OPEN: error: option 'rules' of 'mpmd-rule-based-merge' has a bracket or quote that does not close: FragmentMergeRule(sources=[FragmentInfo(origins=["f"]
// NUMBER: error: rules: expected a number at 'x)])'
// SCHEDULE: error: unknown PropagationSchedule: 1F2B
// ROUNDS: error: The unroll factor is required to be the same as the number of iterations.
// MESHLESS: error: result 0 is on no mesh; assign it to one before results get values of their own
// BOTH: error: merge-sideways cannot be used with merge-any-consumer; leave one out
// TWICE: error: Fragment info FragmentInfo(origins=["f"(1)],mesh_name="m") already exists for another fragment.
!t = !mpmd.mesh_tensor<"m", tensor<4xf32>>
func.func @f(%a: !t, %b: tensor<4xf32>) -> (tensor<4xf32>, !t) attributes {topology = #mpmd.topology<<"m" : <["x"=2]>>>} {
  %0 = mpmd.for (%b) {iterations = 3 : ui32} (%x: tensor<4xf32>, %i: tensor<ui32>) {
    mpmd.return %x : tensor<4xf32>
  } : tensor<4xf32>
  %1 = mpmd.fragment<mesh="m", origin=["f"(1)]> (%a) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  %2 = mpmd.fragment<mesh="m", origin=["f"(1)]> (%1) (%x: tensor<4xf32>) {
    mpmd.return %x : tensor<4xf32>
  } : (!t) -> !t
  return %0, %2 : tensor<4xf32>, !t
}
