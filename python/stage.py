"""Lays out the Python packages under build/python, so that PYTHONPATH=build/python finds them.

stage.py SOURCE TARGET STAMP. Files are linked, so edits take effect at once; links whose source has gone are removed.
The distribution's metadata is written too: it contains the entry point by which torch finds the backend.
"""

import os
import sys
from pathlib import Path

METADATA = "Metadata-Version: 2.1\nName: tilewright\nVersion: {version}\n"
KINDS = ("py", "pyi", "hpp")  # what packages have


def link(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink() and os.readlink(target) == str(source):
        return
    target.unlink(missing_ok=True)
    target.symlink_to(source)


def main(source, target, stamp, version):
    source, target = Path(source).resolve(), Path(target).resolve()
    wanted = set()
    for path in sorted(p for kind in KINDS for p in source.glob(f"*/**/*.{kind}")):
        if "__pycache__" not in path.parts:
            destination = target / path.relative_to(source)
            link(path, destination)
            wanted.add(destination)
    for path in [p for kind in KINDS for p in target.rglob(f"*.{kind}")]:
        if path.is_symlink() and path not in wanted:
            path.unlink()
    for header in ("dtype.h", "eager.h", "status.h"):  # for emitted C++
        link(source.parent / "include" / "tilewright" / header, target / "ttrt" / "tilewright" / header)
    info = target / f"tilewright-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(METADATA.format(version=version))
    (info / "entry_points.txt").write_text((source / "entry_points.txt").read_text())
    Path(stamp).write_text("")


main(*sys.argv[1:])
