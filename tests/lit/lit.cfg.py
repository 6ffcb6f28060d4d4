# Configuration for running the text tests with LLVM's lit: `lit tests/lit` after `make`.
import os
import shutil

import lit.formats

config.name = "tilewright"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

build = os.environ.get("TILEWRIGHT_BUILD", os.path.join(config.test_source_root, "..", "..", "build"))
config.test_exec_root = os.path.join(build, "lit")
llvm = ["/usr/lib/llvm-%d/bin" % n for n in range(25, 13, -1)]
config.environment["PATH"] = os.pathsep.join(
    [os.path.abspath(os.path.join(build, d)) for d in ("bin", "tools")]
    + [os.environ["PATH"]]
    + [d for d in llvm if shutil.which("FileCheck", path=d)]
)
