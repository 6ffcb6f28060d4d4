"""The fuzz targets begin with modules for every pass of D2M, alone and in its pipelines, and with files of TTMetal."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def made_seeds(target, folder):
    spec = importlib.util.spec_from_file_location("fuzz_run", ROOT / "tests/fuzz/run.py")
    run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(run)
    run.make_seeds(target, folder)
    return [path.read_text(errors="replace") for path in sorted(folder.iterdir())]


def test_passes_of_d2m(tmp_path):
    sources = [p.read_text() for folder in ("d2m", "ttkernel/from_d2m", "ttmetal/from_d2m", "ttnn/passes", "ttir/passes") for p in (ROOT / "src" / folder).rglob("*.c")]
    names = {name for text in sources for name in re.findall(r'pass_def \w+ = \{\s*\.name = "([-\w]+)"', text) if "d2m" in name}
    assert len(names) > 50
    seeds = made_seeds("passes", tmp_path / "passes")
    alone = {name for seed in seeds for name in re.findall(r"[a-z][-a-z0-9]+", re.sub(r"\{[^}]*\}", "", seed.partition("\n")[0]))}
    in_a_row = set(re.findall(r"[a-z][-a-z0-9]+", (ROOT / "src/pipelines/d2m_pipelines.c").read_text()))
    missing = names - alone - in_a_row - {"d2m-python-rewrites"}  # starts Python on files that a seed cannot hold
    assert not missing, " ".join(sorted(missing))
    assert len(names - alone) < 12
    assert sum(seed.startswith("ttir-to-ttmetal-pipeline\n") for seed in seeds) > 100


def test_programs_of_the_grid(tmp_path):
    """TTMetal's programs run on the grid in the target kernel; files of .ttm, in the target flatbuffer, are written into its corpus."""
    seeds = made_seeds("kernel", tmp_path / "kernel")
    assert sum("ttmetal." in seed for seed in seeds) > 3
    assert list((ROOT / "tests/fuzz/corpus/flatbuffer").glob("*.ttm"))
