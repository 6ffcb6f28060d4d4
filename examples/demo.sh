#!/bin/sh
# demo.sh BUILD: a model through every level, with what each level looks like; a kernel with a mistake.
set -eu
bin=$1/bin
here=$(dirname "$0")
dump=$1/demo
echo "== the model, as StableHLO ($here/mlp.mlir), becomes TTIR and is fused:"
"$bin/ttmlir-opt" "$here/mlp.mlir" --stablehlo-to-ttir-pipeline --ttir-to-ttir-decomposition \
    --ttir-implicit-broadcast-fold --ttir-fusing
echo "== and TTNN, with layouts:"
"$bin/ttmlir-opt" "$here/mlp.mlir" --stablehlo-to-ttir-pipeline --ttir-to-ttnn-backend-pipeline
echo "== which runs on the embedded device (random inputs; every stage is kept in $dump):"
"$bin/tilewright" run "$here/mlp.mlir" --profile --dump "$dump"
echo "== a kernel for the grid that hangs ($here/broken/deadlock-mutual.mlir), and what is said of it:"
if "$bin/tilewright" sim "$here/broken/deadlock-mutual.mlir"; then
    echo "demo.sh: the kernel was to be reported" >&2
    exit 1
fi
