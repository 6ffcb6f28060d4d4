#!/usr/bin/env python3
"""Builds the playground, one HTML file with the library in WebAssembly: scripts/playground.py BUILD writes BUILD/playground/tilewright.html.

Needs Debian's clang, lld, wasi-libc, libclang-rt-dev-wasm32 and binaryen (for Asyncify: kernels are fibers); a missing one is named."""

import base64
import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
PACKAGES = {"clang": "clang", "wasm-ld": "lld", "wasm-opt": "binaryen", "ninja": "ninja-build"}
# Files that a page replaces (playground/*.c), and those of other processors.
LEFT_OUT = ("support/fiber.c", "support/spawn.c", "d2m/passes/python_rewrites.c", "grid/native/native", "grid/native/embed/", "host/gemm/gemm_avx", "host/move/move_square_avx", "host/strips/strip_functions.c", "host/tiles/tile_functions.c")
KEPT = ("grid/native/native_signature.c",)
ISA = {"host/strips/strip_functions.c": "-DKRN_STRIP_SET=krn_strips_plain '-DKRN_STRIP_ISA=\"plain\"'",
       "host/tiles/tile_functions.c": "-DKRN_TILE_SET=krn_tiles_plain '-DKRN_TILE_ISA=\"plain\"'"}
FLAGS = ("--target=wasm32-wasi -D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_PROCESS_CLOCKS '-DTW_VERSION=\"0.1.0\"' "
         "-std=gnu17 -Oz -DNDEBUG -fno-strict-aliasing -w")
TTNN = "stablehlo-to-ttir-pipeline,ttir-to-ttnn-backend-pipeline"
KERNELS = "stablehlo-to-ttir-pipeline,d2m-fe-pipeline,d2m-be-pipeline,d2m-to-ttkernel-pre-emitc-pipeline,d2m-to-ttmetal-pipeline"
EXAMPLES = [("A small network", "examples/mlp.mlir", TTNN), ("One addition, to kernels", "examples/one-add.mlir", KERNELS),
            ("Digits that bf16 loses", "examples/validate/lost-digits.mlir", TTNN), ("Kernels that race", "examples/broken/dram-race.mlir", ""),
            ("Kernels that wait for each other", "examples/broken/deadlock-mutual.mlir", "")]


def check_tools():
    missing = [package for tool, package in PACKAGES.items() if not shutil.which(tool)]
    missing += [] if Path("/usr/include/wasm32-wasi/stdio.h").exists() else ["wasi-libc"]
    if "clang" not in missing:
        folder = Path(subprocess.run(["clang", "-print-resource-dir"], stdout=subprocess.PIPE, text=True).stdout.strip())
        if not list(folder.glob("lib/wasi/libclang_rt.builtins-wasm32.a")):
            missing.append(f"libclang-rt-{folder.name.split('.')[0]}-dev-wasm32")
    if missing:
        sys.exit(f"playground.py: missing packages: {' '.join(missing)}; apt-get install {' '.join(missing)}")


def sources(build):
    """Pairs of a C file and its own flags."""
    for file in sorted((root / "src").rglob("*.c")):
        name = str(file.relative_to(root / "src"))
        if name in KEPT or not name.startswith(LEFT_OUT):
            yield file, ""
    for name, flags in ISA.items():
        yield root / "src" / name, flags
    for file in [*(root / "playground").glob("*.c"), root / "tools/line_diff.c", build / "src/grid/kernel_text.c"]:
        yield file, ""


def write_ninja(build, folder):
    includes = " ".join(f"-I{root / p}" for p in ("playground/shim", "include", "src", "optional", "tools"))
    lines = ["ninja_required_version = 1.5", f"flags = {FLAGS} {includes}",
             "rule cc\n  command = clang $flags $own -MD -MF $out.d -c $in -o $out\n  depfile = $out.d\n  deps = gcc\n  description = $in",
             "rule link\n  command = clang --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections -Wl,-z,stack-size=1048576 @$out.list "
             "-lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-process-clocks -lm -o $out\n  rspfile = $out.list\n  rspfile_content = $in",
             "rule asyncify\n  command = wasm-opt $in --asyncify -O1 --strip-debug --strip-producers -o $out"]
    objects = []
    for file, own in sources(build):
        name = str(file.relative_to(root) if file.is_relative_to(root) and not file.is_relative_to(build) else file.name).replace("/", "_")
        objects.append(f"o/{name}.o")
        lines.append(f"build o/{name}.o: cc {file}" + (f"\n  own = {own}" if own else ""))
    lines += [f"build linked.wasm: link {' '.join(objects)}", "build tilewright.wasm: asyncify linked.wasm", "default tilewright.wasm"]
    text = "\n".join(lines) + "\n"
    if not (folder / "build.ninja").exists() or (folder / "build.ninja").read_text() != text:
        (folder / "build.ninja").write_text(text)


def page(wasm):
    examples = [{"name": name, "text": (root / file).read_text(), "pipeline": pipeline} for name, file, pipeline in EXAMPLES]
    given = json.dumps({"examples": examples}).replace("<", "\\u003c")
    packed = base64.b64encode(gzip.compress(wasm, 9, mtime=0)).decode()
    return (root / "playground/page.html").read_text().replace("@GIVEN@", given).replace("@WASM@", packed)


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else root / "build").resolve()
    check_tools()
    folder = build / "playground"
    folder.mkdir(parents=True, exist_ok=True)
    write_ninja(build, folder)
    subprocess.run(["ninja", "-C", folder, "--quiet", *sys.argv[2:]], check=True)
    html = page((folder / "tilewright.wasm").read_bytes()).encode()
    (folder / "tilewright.html").write_bytes(html)
    print(f"{folder / 'tilewright.html'}: {len(html):,} bytes, {len(gzip.compress(html, 9)):,} gzipped")


if __name__ == "__main__":
    main()
