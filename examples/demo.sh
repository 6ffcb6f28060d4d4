#!/bin/sh
# demo.sh BUILD: a model at every level; a kernel with a mistake and its report.
set -eu
bin=$1/bin
here=$(dirname "$0")
dump=$1/demo
echo "== the model, as StableHLO ($here/mlp.mlir), is converted to TTIR and fused:"
"$bin/ttmlir-opt" "$here/mlp.mlir" --stablehlo-to-ttir-pipeline --ttir-to-ttir-decomposition \
    --ttir-implicit-broadcast-fold --ttir-fusing
echo "== and lowered to TTNN, with layouts:"
"$bin/ttmlir-opt" "$here/mlp.mlir" --stablehlo-to-ttir-pipeline --ttir-to-ttnn-backend-pipeline
echo "== which runs on the embedded device (random inputs; every stage is written to $dump):"
"$bin/tilewright" run "$here/mlp.mlir" --profile --dump "$dump"
echo "== a kernel for the grid that hangs ($here/broken/deadlock-mutual.mlir), and its report:"
if "$bin/tilewright" sim "$here/broken/deadlock-mutual.mlir"; then
    echo "demo.sh: expected a report of the deadlock" >&2
    exit 1
fi
