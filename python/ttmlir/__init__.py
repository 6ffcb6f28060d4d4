"""The compiler's IR in Python, under the names of MLIR's bindings."""
