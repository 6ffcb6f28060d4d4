"""Lays out the Python packages under build/python, so that PYTHONPATH=build/python finds them.

stage.py SOURCE TARGET STAMP. Files are linked, so edits take effect at once; links whose source has gone are removed.
The distribution's metadata is written too: it contains the entry point by which torch finds the backend.
"""

import os
import sys
from pathlib import Path

# Package in the source tree -> its path in the staged tree, if different.
MOVED = {"tilewright/_torch_xla": "torch_xla"}
# Libraries that are built elsewhere, seen from the staged tree.
LIBRARIES = {"tilewright/_pjrt.so": "../bindings/pjrt/_pjrt.so"}
METADATA = "Metadata-Version: 2.1\nName: tilewright\nVersion: {version}\n"


def staged_path(path):
    for source, target in MOVED.items():
        if path.is_relative_to(source):
            return Path(target) / path.relative_to(source)
    return path


def link(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() and os.readlink(target) == str(source):
        return
    target.unlink(missing_ok=True)
    target.symlink_to(source)


def main(source, target, stamp, version):
    source, target = Path(source).resolve(), Path(target).resolve()
    wanted = set()
    for path in sorted(source.glob("*/**/*.py")):
        if "__pycache__" not in path.parts:
            destination = target / staged_path(path.relative_to(source))
            link(path, destination)
            wanted.add(destination)
    for name, built in LIBRARIES.items():
        link(target / built, target / name)
    for path in target.rglob("*.py"):
        if path.is_symlink() and path not in wanted:
            path.unlink()
    info = target / f"tilewright-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(METADATA.format(version=version))
    (info / "entry_points.txt").write_text((source / "entry_points.txt").read_text())
    Path(stamp).write_text("")


main(*sys.argv[1:])
