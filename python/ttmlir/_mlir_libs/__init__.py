"""The packages in which MLIR keeps its extension modules: scripts import from these, too."""
