"""The environment variables and what they switch on."""

import json
import logging

import pytest
import torch

from tilewright import env
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


def test_slips_in_names_are_pointed_out(caplog):
    with caplog.at_level(logging.WARNING, "tilewright"):
        env.read({"TTXLA_LOGER_LEVEL": "INFO", "TT_METAL_HOME": "/x"})
    assert "did you mean TTXLA_LOGGER_LEVEL" in caplog.text
    assert "TT_METAL_HOME" not in caplog.text


@pytest.mark.parametrize("programs", ["own"], indirect=True)
def test_dumps(programs, tmp_path, monkeypatch):
    monkeypatch.setenv("TT_MLIR_DUMP_IR", "1")
    monkeypatch.setenv("TT_MLIR_DUMP_IR_PATH", str(tmp_path))
    monkeypatch.setattr(env, "_programs", 0)
    torch.compile(torch.nn.Linear(4, 3), backend=tt)(torch.ones(2, 4))
    for name in ("stablehlo", "ttir_initial", "ttir_optimized", "ttnn"):
        assert "module" in (tmp_path / f"{name}.mlir").read_text()
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


def test_unknown_option(programs):
    with pytest.raises(Exception, match="unknown option 'opt'"):
        torch.compile(torch.relu, backend=tt, options={"opt": 1})(torch.ones(2))
