"""--explain: the page's differences lead from the input to the output, its rules are at the lines that it names; docs/one-add.md is
what scripts/one_add.py writes."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from native import BUILD

ROOT = Path(__file__).resolve().parents[2]
PIPELINE = ["--stablehlo-to-ttir-pipeline", "--ttir-to-ttnn-backend-pipeline"]


def tool(name, *arguments):
    return subprocess.run([BUILD.resolve() / "bin" / name, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def sections(html):
    """(pass, its source, rules as (times, name, source, operation, places), lines as (kind, text))"""
    for part in html.split("<h2 ")[1:]:
        name = re.search(r">\d+\. (\S+)</h2>", part)[1]
        source = re.search(r"<p><code>\S+</code> <small>(\S+)</small>", part)[1]
        rules = re.findall(r'<tr><td>(\d+) x</td><td>(?:<code>(\w+)</code> <small>(\S+)</small>|folding|a rule)</td><td class="c">(\S+)</td><td><small>(.*?)</small>', part)
        lines = re.findall(r'<span(?: class="(\w)")?(?: data-at="[^"]*")?>(.*?)</span>', part.split("<pre>")[1].split("</pre>")[0])
        yield name, source, rules, [(kind, unescape(text)) for kind, text in lines]


def without_numbers(line):
    return re.sub(r"([%#])\d+", r"\1", line)


def apply(text, lines):
    """The text after the page's difference, up to the numbers of values; fails if it does not fit."""
    before, after, at = text.rstrip("\n").split("\n"), [], 0
    for kind, line in lines:
        if kind == "k":
            count = int(line.split()[0])
            after += before[at:at + count]
            at += count
        elif kind == "a":
            after.append(line[2:])
        else:
            assert without_numbers(before[at]) == without_numbers(line[2:])
            at += 1
            if kind != "r":
                after.append(line[2:])
    assert at == len(before)
    return "\n".join(after)


def test_differences_lead_from_input_to_output(tmp_path):
    page = tmp_path / "page.html"
    done = tool("ttmlir-opt", "examples/mlp.mlir", *PIPELINE, f"--explain={page}")
    assert done.returncode == 0 and done.stdout == tool("ttmlir-opt", "examples/mlp.mlir", *PIPELINE).stdout
    html = page.read_text()
    text = tool("ttmlir-opt", "examples/mlp.mlir").stdout
    names = []
    for name, source, _, lines in sections(html):
        text = apply(text, lines)
        names.append(name)
        file, line = source.split(":")
        assert f'.name = "{name}"' in (ROOT / file).read_text().splitlines()[int(line) - 1]
    assert without_numbers(text) == without_numbers(done.stdout).rstrip("\n")
    assert len(names) >= 14 and {"convert-stablehlo-to-ttir", "ttir-fusing", "convert-ttir-to-ttnn"} <= set(names)
    assert re.search(rf"<p>\d+ passes, {len(names)} of them changed the program", html) and html.endswith("</html>\n")


def test_rules_are_where_the_page_says(tmp_path):
    page = tmp_path / "page.html"
    tool("ttmlir-opt", "examples/mlp.mlir", *PIPELINE, f"--explain={page}", "-o", "/dev/null")
    rules = {(name, rule[1]): rule for name, _, found, _ in sections(page.read_text()) for rule in found}
    if not any(name for _, name in rules):
        pytest.skip("the program has no symbols")
    for (_, name), (_, _, source, _, _) in rules.items():
        if name:
            file, line = source.split(":")
            assert re.search(rf"\b{name}\(", (ROOT / file).read_text().splitlines()[int(line) - 1]), source
    times, _, source, operation, places = rules["ttir-fusing", "ttir_fuse_relu"]
    assert (times, operation) == ("1", "ttir.maximum") and source.startswith("src/ttir/passes/")
    file, line = places.split(":")
    assert file == "mlp.mlir" and "stablehlo.maximum" in (ROOT / "examples/mlp.mlir").read_text().splitlines()[int(line) - 1]
    assert rules["convert-stablehlo-to-ttir", "convert_simple"]


def test_large_differences(tmp_path):
    """Many changed lines among equal ones, and a text that is replaced as a whole."""
    for n in (40, 900):
        file, page = tmp_path / "chain.mlir", tmp_path / "page.html"
        lines = [f'  %{i} = stablehlo.{"add" if i % 3 else "exponential"} %{i - 1}{f", %{i - 1}" if i % 3 else ""} : tensor<4xf32>' for i in range(1, n)]
        file.write_text("\n".join(["func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {", *lines, f"  return %{n - 1} : tensor<4xf32>", "}"]) + "\n")
        done = tool("ttmlir-opt", file, PIPELINE[0], f"--explain={page}")
        text = tool("ttmlir-opt", file).stdout
        for _, _, _, lines in sections(page.read_text()):
            text = apply(text, lines)
        assert without_numbers(text) == without_numbers(done.stdout).rstrip("\n")


def test_run_and_wrong_files(tmp_path):
    page = tmp_path / "page.html"
    done = tool("tilewright", "run", "examples/mlp.mlir", f"--explain={page}")
    assert done.returncode == 0 and done.stdout == tool("tilewright", "run", "examples/mlp.mlir").stdout
    assert {"convert-stablehlo-to-ttir", "convert-ttir-to-ttnn"} <= {name for name, *_ in sections(page.read_text())}
    for command in (["ttmlir-opt", "examples/mlp.mlir", "--canonicalize"], ["tilewright", "run", "examples/mlp.mlir"]):
        done = tool(*command, "--explain=/no/such/folder/page.html")
        assert done.returncode == 1 and "cannot write '/no/such/folder/page.html'" in done.stderr and not done.stdout


def test_failing_pipeline_leaves_the_page(tmp_path):
    page = tmp_path / "page.html"
    done = tool("ttmlir-opt", "examples/mlp.mlir", PIPELINE[0], "--convert-ttkernel-to-emitc", "--convert-stablehlo-to-ttir=x=1", f"--explain={page}")
    assert done.returncode == 1
    source = tmp_path / "loop.mlir"
    source.write_text("func.func @main(%x: tensor<i32>) -> tensor<i32> {\n  %0 = stablehlo.add %x, %x : tensor<i32>\n  %1 = stablehlo.while(%i = %0) : tensor<i32>\n"
                      "    cond {\n    %c = stablehlo.compare LT, %i, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  } do {\n"
                      "    stablehlo.return %i : tensor<i32>\n  }\n  return %1 : tensor<i32>\n}\n")
    done = tool("ttmlir-opt", source, "--canonicalize", "--convert-stablehlo-to-ttir", f"--explain={page}")
    assert done.returncode == 1 and page.read_text().endswith("</html>\n")


def test_page_of_one_addition():
    strip = lambda text: re.sub(r"\| [\d.]+ ms \|", "|", text)  # noqa: E731
    written = subprocess.run([sys.executable, ROOT / "scripts/one_add.py", BUILD], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert strip(written) == strip((ROOT / "docs/one-add.md").read_text()), "run scripts/one_add.py > docs/one-add.md"




# ---- lines of the user's program --------------------------------------------------------------------------------------------

def placed(page):
    """(kind, text, file:line) of the lines that name one."""
    return [(kind, unescape(text), at) for kind, at, text in re.findall(r'<span(?: class="(\w)")? data-at="([^"]*)">(.*?)</span>', page.read_text())]


def test_lines_of_the_program(tmp_path):
    page, file = tmp_path / "page.html", tmp_path / "sum.mlir"
    file.write_text("""func.func @main(%x: tensor<4xf32>,
                %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>

  %1 = stablehlo.exponential %0 : tensor<4xf32> loc("model.py":77:3)
  return %1 : tensor<4xf32>
}
""")
    assert tool("ttmlir-opt", file, "--stablehlo-to-ttir-pipeline", f"--explain={page}").returncode == 0
    found = placed(page)
    for text, at in (("stablehlo.add", "sum.mlir:3"), ('"ttir.add"', "sum.mlir:3"), ('"ttir.exp"', "model.py:77"), ("stablehlo.exponential", "model.py:77")):
        assert [a for kind, line, a in found if kind in ("a", "r") and text in line] and all(a == at for _, line, a in found if text in line), text


def test_kernels_in_python(tmp_path):
    pytest.importorskip("torch")
    page, kernel = tmp_path / "page.html", "examples/ttl/elementwise.py"
    done = tool("ttlang-sim", "--explain", page, kernel)
    assert done.returncode == 0 and done.stderr == ""
    source, found = (ROOT / kernel).read_text().splitlines(), placed(page)
    names = [name for name, *_ in sections(page.read_text())]
    assert {"ttl-insert-synchronization", "convert-ttl-to-ttkernel"} & set(names), names
    waits = {at for kind, line, at in found if "cb_wait" in line}
    assert waits and all(at.startswith("elementwise.py:") and "wait" in source[int(at.split(":")[1]) - 1] for at in waits)
    assert page.read_text().endswith("</html>\n")
    done = tool("ttlang-sim", "--explain", "/nowhere/page.html", kernel)
    assert done.returncode == 1 and "--explain /nowhere/page.html: No such file or directory" in done.stderr


def test_kernels_on_the_grid(tmp_path):
    page, kernels = tmp_path / "page.html", "tests/lit/device/matmul.mlir"
    done = tool("tilewright", "sim", kernels, f"--explain={page}")
    assert done.returncode == 0 and "passes, 0 of them changed the program" in page.read_text()
    assert tool("tilewright", "sim", kernels, "--cpp", f"--explain={page}").returncode == 0
    (name, source, _, lines), = sections(page.read_text())
    assert name == "convert-ttkernel-to-emitc" and source.startswith("src/ttkernel/to_emitc/")
    number = next(i for i, line in enumerate((ROOT / kernels).read_text().splitlines(), 1) if '"ttkernel.matmul_tiles"' in line)
    assert {at for _, line, at in placed(page) if "matmul_tiles" in line} == {f"matmul.mlir:{number}"}
    apply(tool("ttmlir-opt", kernels).stdout, lines)
    done = tool("tilewright", "sim", kernels, "--explain=/nowhere/page.html")
    assert done.returncode == 1 and done.stdout == "" and "cannot write '/nowhere/page.html'" in done.stderr
