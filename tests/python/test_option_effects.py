"""Each option of a pass changes what the pass does to some module, or its row says that it has no effect.

option_effects/table.txt has a line for each: `pass option=value | module | rest of the command | words of the error`. The module is a file below tests, and
`#name` its part with that function. Of the rest, `name=value` are other options of the pass, `in --pipeline` means that the module goes through the pipeline,
whose pass gets the option, and flags are passed on. Without words of an error both runs succeed; with them one does not, and says so."""

import functools
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from test_options import OPT, opt, owners

TESTS = Path(__file__).resolve().parents[1]
TABLE = Path(__file__).with_name("option_effects") / "table.txt"
# Options that change nothing that a module shows, with the reason.
UNSEEN = {
    ("ttkernel-remember-kernels", "after"): "kernels met before are taken from memory instead of being made again: the same text, sooner",
}


def rows():
    lines = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    cells = [[*(cell.strip() for cell in line.split(" | ")), "", ""][:4] for line in lines]
    return [(*first.split(" ", 1), *others) for first, *others in cells]


@functools.cache
def steps(*pipelines):
    done = opt(*pipelines, "--dump-pass-pipeline")
    return re.search(r"^builtin\.module\(.*\)$", done.stdout + done.stderr, re.M)[0]


def chosen(old, new):
    """Options of a pass: the old ones, but those that the new ones set."""
    names = {word.split("=")[0] for word in new.split()}
    return " ".join([*(word for word in old.split() if word.split("=")[0] not in names), new])


def text_of(module):
    path, _, name = module.partition("#")
    parts = (TESTS / path).read_text().split("// -----")
    return next(part for part in parts if f"@{name}(" in part) if name else "// -----".join(parts)


def commands(name, option, rest):
    """The pass without and with the option."""
    words = shlex.split(rest)
    others, flags = ([w for w in words if w.startswith("-") == is_flag and w != "in"] for is_flag in (False, True))
    both = (" ".join(others), chosen(" ".join(others), option))
    if words[:1] != ["in"]:
        return [[*flags, f"--{name}={given}" if given else f"--{name}"] for given in both]
    element = re.compile(r"(?<![\w-])" + re.escape(name) + r"(?:\{([^{}]*)\})?(?![\w-])")
    text = steps(*flags)
    assert element.search(text), f"{flags} do not run {name}"
    return [["--pass-pipeline=" + element.sub(lambda m: f"{name}{{{chosen(m[1] or '', given)}}}", text)] for given in both]


def outcome(folder, text, arguments):
    """What a run prints and writes; its status."""
    folder.mkdir()
    (folder / "in.mlir").write_text(text)
    done = subprocess.run([OPT.absolute(), "--split-input-file", *arguments, "in.mlir"], cwd=folder, capture_output=True, text=True)
    files = {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}
    return (done.stdout, done.stderr, files), done.returncode


@pytest.mark.parametrize("name, option, module, rest, error", [pytest.param(*row, id=f"{row[0]} {row[1].split('=')[0]}") for row in rows()])
def test_option_changes_what_the_pass_does(name, option, module, rest, error, tmp_path):
    text = text_of(module)
    (plain, status), (other, other_status) = (outcome(tmp_path / folder, text, a) for folder, a in zip(("plain", "other"), commands(name, option, rest)))
    assert plain != other
    assert (status == other_status == 0) == (not error), plain[1] + other[1]
    assert not error or (error in plain[1]) != (error in other[1]), plain[1] + other[1]


def test_every_option_is_shown_or_warns():
    passes, _ = owners()
    shown = [(name, option.split("=")[0]) for name, option, *_ in rows()]
    acting = {(name, option) for name, options in passes.items() for option, text in options.items() if "(no effect: " not in text}
    assert len(acting) > 200 and len(set(shown)) == len(shown) and not set(shown) & set(UNSEEN)
    assert set(shown) | set(UNSEEN) == acting, "an option needs a line in option_effects/table.txt, or no_effect in its row"


def test_pipelines_set_no_option_without_effect():
    _, pipelines = owners()
    assert len(pipelines) > 40
    assert not [name for name in pipelines if "has no effect" in opt(f"--pass-pipeline={steps('--' + name)}").stderr]
