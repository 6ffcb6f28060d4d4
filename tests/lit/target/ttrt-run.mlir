// RUN: ttmlir-opt %s --ttir-to-ttnn-backend-pipeline | ttmlir-translate --ttnn-to-flatbuffer -o %t.ttnn
// RUN: ttrt run %t.ttnn --quiet --save-artifacts --memory --artifact-dir %t.dir --result-file %t.json
// RUN: cat %t.dir/*/run/program_0/memory_results.json | FileCheck %s --check-prefix=MEMORY
// RUN: not ttrt run %t.ttnn --inputs %t.inputs.npy --log-file %t.log --result-file %t.json > %t.missing 2>&1
// RUN: cat %t.missing | FileCheck %s --check-prefix=MISSING
// RUN: cp %t.dir/*/run/program_0/outputs.npz %t.golden.npz && cp %t.dir/*/run/program_0/inputs.npz %t.inputs.npz
// RUN: ttrt run %t.ttnn --inputs %t.inputs.npz --golden %t.golden.npz --loops 2 --log-file %t.log --result-file %t.json
// RUN: cat %t.log %t.json | FileCheck %s --check-prefix=SAME
// RUN: ttrt run %t.ttnn --quiet --init randn --seed 5 --golden %t.golden.npz --result-file %t.json; test $? = 42
// RUN: cat %t.json | FileCheck %s --check-prefix=OTHER
// RUN: ttrt run %t.ttnn --quiet --identity --result-file %t.json; test $? = 42
// RUN: ttrt perf %t.ttnn --quiet --artifact-dir %t.dir --clean-artifacts --result-file %t.json | FileCheck %s --check-prefix=PERF
// RUN: not ls %t.dir/*/run
// RUN: mkdir %t.report && not ttrt check %t.ttnn %t.none --quiet --result-file %t.report/results.json
// RUN: cat %t.report/ttrt_report.xml | FileCheck %s --check-prefix=REPORT
// RUN: env TTRT_LOGGER_LEVEL=ERROR ttrt run %t.ttnn --debugger --kernel-source-dir=/none --fabric-config fabric_1d --golden %t.none --disable-golden --result-file %t.json > %t.silent 2>&1 && test ! -s %t.silent
// RUN: not ttrt run %t.ttnn --init sideways 2>&1 | FileCheck %s --check-prefix=INIT
// RUN: not ttrt run %t.ttnn --loops 0 2>&1 | FileCheck %s --check-prefix=LOOPS
// RUN: ttrt read %t.ttnn --section mesh_shape --result-file %t.json --read-file %t.json | FileCheck %s --check-prefix=MESH

// MEMORY: "dram": {"num_banks": 12, "total_bytes_per_bank": 1073740800, "total_bytes_allocated_per_bank": {{[1-9][0-9]*}}
// MISSING: cannot open
// SAME: INFO - loop 1:
// SAME: output_0: pcc 1.00000000, largest difference 0
// SAME: "result": "pass"
// OTHER: "result": "test_error"
// OTHER-NEXT: Failed: program-level output golden comparison failed, output_0: actual_pcc={{.*}}, worst at [{{.*}}]: got {{.*}}, wanted {{.*}}, difference
// REPORT: <testsuites name="TTRT">
// REPORT-NEXT: <testsuite name="check" tests="2" failures="1">
// REPORT-NEXT: <testcase classname="check" name="{{.*}}.ttnn"/>
// REPORT-NEXT: <testcase classname="check" name="{{.*}}.none"><failure message="cannot open '{{.*}}.none': No such file or directory"/></testcase>
// INIT: for the --init option: Cannot find option named 'sideways'!
// LOOPS: for the --loops option: '0' is no positive number
// MESH: {"main": [1, 1]}
// PERF: operation
// PERF: ttnn.
// PERF: DRAM peak:
// PERF: trace.json
func.func @main(%a: tensor<32x64xf32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = "ttir.sin"(%a) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = "ttir.multiply"(%0, %b) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}
