"""ttrt, the Python tool of tt-mlir's runtime: `ttrt.runtime`."""
