"""The places where MLIR's packages keep their extension modules: scripts import from these, too."""
