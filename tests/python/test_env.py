"""The environment variables and their effects."""

import json
import logging
import os
import re

import pytest
import torch
from conftest import ROOT

from tilewright import _engine, env
from tilewright.torch_backend import tt


def test_defaults():
    settings = env.read({})
    assert not settings.dump and not settings.profile and settings.cache_path is None


@pytest.mark.parametrize(
    "variables, message",
    [
        ({"TTXLA_LOGGER_LEVEL": "DEBIG"}, "did you mean DEBUG"),
        ({"TT_METAL_LOGGER_LEVEL": "loud"}, "TT_METAL_LOGGER_LEVEL='loud' is not one of"),
        ({"TT_MLIR_DUMP_IR": "2"}, "TT_MLIR_DUMP_IR"),
        ({"TT_METAL_DRAM_FALLBACK": "perhaps"}, "TT_METAL_DRAM_FALLBACK"),
    ],
)
def test_values_that_mean_nothing(variables, message):
    with pytest.raises(ValueError, match=message):
        env.read(variables)


def test_missing_toolchain(tmp_path):
    with pytest.raises(ImportError, match="Cannot find TT-MLIR toolchain"):
        env.read({"TTMLIR_TOOLCHAIN_DIR": str(tmp_path / "nowhere")})
    assert env.read({"TTMLIR_TOOLCHAIN_DIR": str(tmp_path)}).toolchain == str(tmp_path)


def test_misspelt_names_are_reported(caplog):
    with caplog.at_level(logging.WARNING, "tilewright"):
        env.read({"TTXLA_LOGER_LEVEL": "INFO", "TT_METAL_HOME": "/x", "TILEWRIGHT_ISAS": "avx2"})
    assert "did you mean TILEWRIGHT_ISA?" in caplog.text
    assert "did you mean TTXLA_LOGGER_LEVEL" in caplog.text
    assert "TT_METAL_HOME" not in caplog.text


def test_variables_of_the_library_are_known(caplog):
    """Every variable that C or Python reads."""
    sources = [p for folder, end in (("src", "*.c"), ("python", "*.py")) for p in (ROOT / folder).rglob(end)]
    names = {n for p in sources for n in re.findall(r"""(?:getenv\(|environ\.get\()"(TILEWRIGHT_\w+)""", p.read_text())}
    assert "TILEWRIGHT_KERNEL_CACHE" in names
    with caplog.at_level(logging.WARNING, "tilewright"):
        env.read(dict.fromkeys(names, "1"))
    assert not caplog.text


@pytest.mark.parametrize("programs", ["own"], indirect=True)
def test_dumps(programs, tmp_path, monkeypatch):
    monkeypatch.setenv("TT_MLIR_DUMP_IR", "1")
    monkeypatch.setenv("TT_MLIR_DUMP_IR_PATH", str(tmp_path))
    monkeypatch.setattr(env, "_programs", {})
    torch.compile(torch.nn.Linear(4, 3), backend=tt)(torch.ones(2, 4))
    for name in ("stablehlo", "ttir_initial", "ttir_optimized", "ttnn"):
        assert "module" in (tmp_path / f"{name}.mlir").read_text()
    assert (tmp_path / "program.ttnn.fb").read_bytes()[8:12] == b"TTNN"
    torch.compile(lambda x: x + 1, backend=tt)(torch.ones(2))
    assert (tmp_path / "program_2" / "ttnn.mlir").is_file()


@pytest.mark.parametrize("programs", ["own"], indirect=True)
def test_profile(programs, tmp_path, monkeypatch):
    path = tmp_path / "out" / "profile.json"
    monkeypatch.setenv("TT_METAL_PROFILER", "1")
    monkeypatch.setenv("TT_METAL_PROFILER_OUTPUT", str(path))
    torch.compile(torch.nn.Linear(64, 64), backend=tt)(torch.ones(32, 64))
    profile = json.loads(path.read_text())
    assert profile["operations"] and profile["runs"] == 1
    assert any(o["name"] in ("linear", "matmul") for o in profile["operations"])
    assert profile["total_us"] > 0
    torch.compile(torch.neg, backend=tt)(torch.ones(2))
    profile = json.loads(path.read_text())
    assert profile["operations"][-1]["name"] == "neg" and [p["runs"] for p in profile["programs"]] == [1, 1]
    assert any(o["name"] in ("linear", "matmul") for o in profile["operations"])


def runs_with_a_warning(caplog, expected, options=None):
    """Two models run; one line warns."""
    logger = logging.getLogger("tilewright")
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(logger, "propagate", True)
    with caplog.at_level("WARNING", "tilewright"):
        for function in (torch.neg, torch.abs):
            torch._dynamo.reset()
            x = torch.tensor([1.0, -2.0])
            assert torch.equal(torch.compile(function, backend=tt, options=options)(x), function(x))
    monkeypatch.undo()
    assert len(caplog.messages) == 1 and re.search(expected, caplog.messages[0]), caplog.messages


def test_dump_folder_that_cannot_be(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TT_MLIR_DUMP_IR", "1")
    monkeypatch.setenv("TT_MLIR_DUMP_IR_PATH", str(tmp_path / "file" / "dumps"))
    runs_with_a_warning(caplog, "cannot create the folder .*dumps for dumps: Not a directory; the model runs without dumps")


@pytest.mark.parametrize(("option", "expected"), [
    ("dump_dir", "cannot create the folder .*file/x for dumps: Not a directory; the model runs without dumps"),
    ("profile_path", "cannot write the profile .*file/x: .*; the model runs without profiles"),
])
def test_option_whose_path_cannot_be_written(tmp_path, caplog, option, expected):
    (tmp_path / "file").write_text("in the way")
    runs_with_a_warning(caplog, expected, {option: str(tmp_path / "file" / "x")})


def test_cache_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert cache_use(tmp_path / "file" / "cache") == ["not_kept"]


def cache_use(folder, function=torch.neg):
    """Compiles and runs with a cache folder; returns the folder's hit or miss."""
    before = _engine.cache_info()
    torch._dynamo.reset()
    x = torch.tensor([1.0, -2.0])
    assert torch.equal(torch.compile(function, backend=tt, options={"cache_dir": str(folder)})(x), function(x))
    return [use for use, n in _engine.cache_info().items() if n != before[use]]


def test_cache(tmp_path):
    folder = tmp_path / "cache"
    assert cache_use(folder) == ["miss"]
    assert cache_use(folder) == ["hit"]
    assert cache_use(folder, torch.abs) == ["miss"]
    assert len(programs_in(folder)) == 2 and len(list(folder.iterdir())) == 6  # graphs and their StableHLO, and no temporary file


def programs_in(folder):
    return list(folder.glob("*.ttnn.mlir"))


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:70] + b"?" + b[71:]])
def test_damaged_cache_files_are_replaced(tmp_path, damage):
    cache_use(tmp_path)
    (file,) = programs_in(tmp_path)
    good = file.read_bytes()
    file.write_bytes(damage(good))
    assert cache_use(tmp_path) == ["discarded"]
    assert file.read_bytes() == good
    assert cache_use(tmp_path) == ["hit"]


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_entries_of_the_cache_that_are_no_files_are_replaced(tmp_path, make):
    cache_use(tmp_path)
    (file,) = programs_in(tmp_path)
    file.unlink()
    make(file)
    assert cache_use(tmp_path) == ["discarded"]
    assert file.is_file() and cache_use(tmp_path) == ["hit"]


def test_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert cache_use(tmp_path / "file") == ["not_kept"]


def test_dumps_up_to_the_stage_that_fails(tmp_path):
    """A library call is valid StableHLO, and unsupported on the device."""
    text = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @lapack(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    with pytest.raises(NotImplementedError, match="stablehlo.custom_call"):
        _engine.native_compile(text, {"dump_dir": str(tmp_path)})
    assert "stablehlo.custom_call" in (tmp_path / "stablehlo.mlir").read_text()
    assert not (tmp_path / "program.ttnn.fb").exists()


def test_unknown_option(programs):
    with pytest.raises(Exception, match="unknown option 'dumpdir'.*did you mean 'dump_dir'"):
        torch.compile(torch.relu, backend=tt, options={"dumpdir": 1})(torch.ones(2))
