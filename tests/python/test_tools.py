"""The commands as users meet them: help, suggestions, completion, manual pages, colours, progress."""

import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import pytest

BIN = Path(os.environ.get("TW_BUILD", "build")).resolve() / "bin"
ROOT = Path(__file__).resolve().parent.parent.parent
COMMANDS = ["run", "sim", "reduce", "blame", "check-pass", "operations", "doctor", "completion"]


def tool(*arguments, **more):
    return subprocess.run([BIN / arguments[0], *arguments[1:]], capture_output=True, text=True, **more)


def on_terminal(*arguments, text=None, **environment):
    """What a command writes to a terminal, as stdout or stderr, and its status."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", **environment}
    child = subprocess.Popen([BIN / arguments[0], *arguments[1:]], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    out = b""
    while True:
        try:
            if not (part := os.read(ours, 4096)):
                break
        except OSError:
            break
        out += part
    os.close(ours)
    return out.decode(), child.wait()


# ---- help and suggestions ----------------------------------------------------------------

@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_shows_its_own_options(command):
    done = tool("tilewright", command, "--help")
    assert done.returncode == 0 and f"USAGE: tilewright {command}" in done.stdout and "EXAMPLES:\n  " in done.stdout
    others = {"run": "--chip", "sim": "--pcc", "reduce": "--dump", "check-pass": "--dump", "blame": "--dump", "operations": "--dump", "doctor": "--dump", "completion": "--dump"}
    assert others[command] not in done.stdout
    assert tool("tilewright", "help", command).stdout == done.stdout
    assert command in tool("tilewright", "--help").stdout


def test_examples_of_the_help_name_options_that_are_there():
    for command in COMMANDS:
        text = tool("tilewright", command, "--help").stdout
        options, examples = text.split("EXAMPLES:")
        for option in re.findall(r" (--?[a-z-]+)", re.sub("'[^']*'", "", examples)):
            assert f"  -{option.lstrip('-').join(['-', ''])}" in options, (command, option)


@pytest.mark.parametrize("arguments, status, words", [
    (["rum", "x"], 2, ["Unknown command 'rum'", "Did you mean 'run'?"]),
    (["run", "--profil", "x"], 1, ["tilewright run: Unknown command line argument '--profil'", "Did you mean '--profile'?"]),
    (["run", "--chip=n150", "x"], 1, ["'--chip' is an option of 'tilewright sim'"]),
    (["sim", "--chip=n151", "x"], 1, ["'n150', 'n300' or 'p150'"]),
    (["run"], 2, ["takes FILE; see 'tilewright run --help'"]),
    (["run", "a", "b"], 2, ["takes FILE; see 'tilewright run --help'"]),
    (["reduce", "x"], 2, ["no --test=COMMAND is given"]),
    (["completion", "fish"], 2, ["SHELL is bash or zsh"]),
    ([], 2, ["no command is given; see 'tilewright --help'"]),
])
def test_wrong_lines_say_what_to_do(arguments, status, words):
    done = tool("tilewright", *arguments)
    assert done.returncode == status and all(word in done.stderr for word in words), done.stderr


def test_an_option_before_the_command_is_the_commands(tmp_path):
    program = tmp_path / "p.mlir"
    program.write_text("func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}")
    assert tool("tilewright", "--seed", "3", "run", program).stdout == tool("tilewright", "run", program, "--seed=3").stdout != ""


def test_help_of_the_optimizer_lists_pipelines_with_their_options():
    text = tool("ttmlir-opt", "--help").stdout
    assert re.search(r"--ttir-to-emitpy-pipeline\[=<options>\].*\n(      --.*\n)*      --optimization-level  .*\(default: 0\)", text)
    assert re.search(r"--canonicalize\[=<options>\].*\n      --top-down  .*\(default: true\)", text)


def test_options_of_binaries_without_effect_warn(tmp_path):
    done = tool("ttrt", "query", "--enable-perf-trace", cwd=tmp_path)
    assert done.returncode == 0 and "WARNING - option --enable-perf-trace has no effect: the embedded device has no such thing" in done.stderr
    assert "no effect" not in tool("ttrt", "query", "--enable-perf-trace", "--quiet", cwd=tmp_path).stderr


# ---- completion and pages -----------------------------------------------------------------

def complete(*words):
    """What bash offers for the last word; '=' is a word of its own, as bash splits lines."""
    script = """source <("$1" completion bash); shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        _tilewright; printf '%s\\n' "${COMPREPLY[@]}\""""
    done = subprocess.run(["bash", "-c", script, "bash", BIN / "tilewright", BIN / words[0], *words[1:]], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("words, expected", [
    (["tilewright", ""], ["--help", "--version", *COMMANDS]),
    (["tilewright", "re"], ["reduce"]),
    (["tilewright", "run", "--p"], ["--pcc=", "--pipeline-options=", "--profile", "--profile-page="]),
    (["tilewright", "run", "x.mlir", "--rt"], ["--rtol="]),
    (["tilewright", "sim", "--numerics", "=", ""], ["value", "fidelity", "bit"]),
    (["tilewright", "sim", "--numerics", "=", "f"], ["fidelity"]),
    (["tilewright", "run", ""], []),
    (["ttmlir-opt", "--ttir-to-emit"], ["--ttir-to-emitc-pipeline", "--ttir-to-emitpy-pipeline"]),
    (["ttmlir-opt", "--canonicalize", "=", "top"], ["top-down="]),
    (["ttmlir-opt", "--mlir-timing-display", "=", ""], ["list", "tree"]),
    (["ttrt", "run", "--loo"], ["--loops="]),
])
def test_bash_completes(words, expected):
    assert sorted(complete(*words)) == sorted(expected)


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_reads_the_script():
    assert subprocess.run(["zsh", "-n"], input=tool("tilewright", "completion", "zsh").stdout, text=True).returncode == 0


@pytest.mark.parametrize("name", ["tilewright", "ttmlir-opt", "ttmlir-translate", "stablehlo-translate", "ttrt"])
def test_manual_pages_have_every_option(name):
    page = tool(name, "--man").stdout
    assert page.startswith(f".TH {name.upper()} 1")
    commands = [line.split("\t")[0] for line in tool(name, "--list-options").stdout.splitlines() if line[0] != "-"]
    for command in commands or [None]:
        for line in tool(name, *filter(None, [command]), "--list-options").stdout.splitlines():
            assert line.split("\t")[0].rstrip("=").replace("-", "\\-") in page
    if shutil.which("groff"):
        shown = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True)
        assert shown.returncode == 0 and not shown.stderr


def test_pages_are_installed(tmp_path):
    script = ROOT / "tools/install_pages.sh"
    env = {**os.environ, "MESON_BUILD_ROOT": str(BIN.parent), "MESON_INSTALL_DESTDIR_PREFIX": str(tmp_path)}
    assert subprocess.run([script, "share/man", "share"], env=env).returncode == 0
    assert (tmp_path / "share/man/man1/ttlang-opt.1").read_text().startswith(".TH TTLANG")
    assert (tmp_path / "share/bash-completion/completions/ttrt").read_text() == tool("tilewright", "completion", "bash").stdout


# ---- terminals ------------------------------------------------------------------------------

def test_colours_are_for_terminals(tmp_path):
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text("func.func @f() { nonsense }")
    for arguments in (["ttmlir-opt", wrong], ["tilewright", "run", "--help"], ["ttmlir-opt", tmp_path / "none.mlir"]):
        assert "\033[1" in on_terminal(*arguments)[0]
        assert "\033[" not in on_terminal(*arguments, NO_COLOR="1")[0]
        assert "\033[" not in on_terminal(*arguments, TERM="dumb")[0]
        done = tool(*arguments)
        assert "\033[" not in done.stdout + done.stderr


ENDLESS = ROOT / "examples/broken/endless-loop.mlir"


def test_long_work_shows_how_far_it_is():
    text, status = on_terminal("tilewright", "sim", ENDLESS, "--budget=10000000", TILEWRIGHT_PROGRESS="20")
    assert status == 1 and re.search(r"\r\033\[Ktilewright sim: simulating, \d+ s", text)
    assert text.rindex("simulating") < text.index("error:"), "the line is gone before reports come"


def test_short_work_shows_nothing():
    text, status = on_terminal("tilewright", "sim", ENDLESS, "--budget=1000")
    assert status == 1 and "simulating" not in text and "\r\033[K" not in text
    assert "\r" not in tool("tilewright", "sim", ENDLESS, "--budget=10000000", env={**os.environ, "TILEWRIGHT_PROGRESS": "20"}).stderr


def test_the_optimizer_shows_its_pass_and_the_time_left(tmp_path):
    """A pipeline of many passes over a large module."""
    program = tmp_path / "large.mlir"
    body = "".join(f"  %{i + 1} = arith.addi %{i}, %0 : i32\n" for i in range(20000))
    program.write_text(f"func.func @f(%0: i32) -> i32 {{\n{body}  return %20000 : i32\n}}\n")
    text, status = on_terminal("ttmlir-opt", program, "-o", "/dev/null", *["--sccp", "--strip-debuginfo"] * 20, TILEWRIGHT_PROGRESS="20")
    assert status == 0, text[-500:]
    assert re.search(r"ttmlir-opt: (sccp|strip-debuginfo), \d+ %, \d+ s left", text) and text.endswith("\r\033[K")


def test_run_shows_the_operation_and_the_time_left(tmp_path):
    program = tmp_path / "p.mlir"
    body = "".join(f"  %{i + 1} = stablehlo.dot_general %{i}, %0, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>\n"
                   for i in range(60))
    program.write_text(f"func.func @main(%0: tensor<256x256xf32>) -> tensor<256x256xf32> {{\n{body}  return %60 : tensor<256x256xf32>\n}}\n")
    text, status = on_terminal("tilewright", "run", program, TILEWRIGHT_PROGRESS="3")
    assert status == 0 and re.search(r"tilewright run: ttnn.matmul, \d+ %, \d+ s left", text), text[-500:]
