#!/usr/bin/env python3
"""Gathers the pages of the documentation's site: scripts/site_pages.py [BUILD] fills BUILD/site; `make docs` then runs MkDocs.

Pages are README.md, CHANGELOG.md and docs/, a page for each example, and the reference, which the tools print."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
# Pages of the configuration that are not in docs/, and the functions that write them.
GENERATED = ("index.md", "changelog.md", "examples.md", "reference/dialects.md", "reference/passes.md", "reference/commands.md")
COMMANDS = ("tilewright", "ttmlir-opt", "ttmlir-translate", "ttrt", "stablehlo-translate")
LANGUAGES = {".py": "python", ".cpp": "cpp", ".mlir": "mlir"}
GALLERY = (("Models", "examples/*.mlir", "`build/bin/tilewright run FILE`"),
           ("Validated passes", "examples/validate/*.mlir", "`build/bin/tilewright check-pass FILE` or `blame FILE`"),
           ("Kernels in Python", "examples/ttl/*.py", "`build/bin/ttlang-sim FILE`"),
           ("Kernels in C++", "examples/cpp/kernels/*.cpp", "`python3 examples/cpp/run.py` runs all, `python3 examples/cpp/run.py NAME` one of them"),
           ("Kernel errors in IR", "examples/broken/*.mlir", "`build/bin/tilewright sim FILE`"),
           ("Kernel errors in C++", "examples/broken/cpp/*.cpp", "`python3 examples/broken/cpp/run.py NAME`"),
           ("Kernel errors in Python", "examples/broken/ttl/*.py", "`build/bin/ttlang-sim FILE`"))


def printed(build, command, *arguments):
    return subprocess.run([build / "bin" / command, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def linked(text, prefix=""):
    """The page with links to files of the repository changed to pages of the site."""
    text = text.replace("](../examples/ttl)", "](examples.md#kernels-in-python)").replace("](../examples/cpp)", "](examples.md#kernels-in-c)")
    text = re.sub(r"\]\(\.\./(examples/[^)]+)\)", r"](\1.md)", text)
    return text.replace("](docs/", "](" + prefix)


def escaped(text):
    """Angle brackets outside of code are text, not HTML."""
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in re.split(r"(`[^`]*`)", text))


def opening(path):
    """The first sentence of a file's opening comment."""
    lines = []
    for line in path.read_text().splitlines():
        text = re.sub(r'^(//|""")\s*', "", line)
        if not text or (lines and path.suffix != ".py" and not line.startswith("//")):
            break
        lines.append(text.removesuffix('"""'))
        if line.endswith('"""'):
            break
    return escaped(" ".join(lines).strip()).replace("|", "\\|")


def example_pages(pages):
    text = "# Examples\n"
    for title, pattern, how in GALLERY:
        text += f"\n## {title}\n\nRun with {how}.\n\n| file | |\n|---|---|\n"
        for path in sorted(root.glob(pattern)):
            name = path.relative_to(root)
            text += f"| [{path.name}]({name}.md) | {opening(path)} |\n"
            page = pages / f"{name}.md"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(f"# {path.name}\n\n`{name}`: {opening(path)}\n\n```{LANGUAGES[path.suffix]}\n{path.read_text()}```\n")
    (pages / "examples.md").write_text(text)


def dialect_page(text):
    """The page of a dialect with a heading for each operation, which the table links to, and lists set apart."""
    text = re.sub(r"^\*\*(\S+)\*\*$", r"## \1", text, flags=re.M)
    text = re.sub(r"^(?!- )(.+)\n- ", r"\1\n\n- ", text, flags=re.M)
    anchor = lambda m: f"| [{m[1]}](#{re.sub('[^a-z0-9_-]', '', m[1].lower())}) |"  # noqa: E731
    return escaped(re.sub(r"^\| (\w+\.\S+) \|", anchor, text, flags=re.M))


def reference_pages(build, pages):
    folder = pages / "reference"
    folder.mkdir(parents=True)
    dialects = printed(build, "tilewright", "operations")
    for name in re.findall(r"^\| (\w+) \| \d", dialects, re.M):
        (folder / f"{name}.md").write_text(dialect_page(printed(build, "tilewright", "operations", name)))
    linked_names = re.sub(r"^\| (\w+) \| (\d)", r"| [\1](\1.md) | \2", dialects, flags=re.M)
    (folder / "dialects.md").write_text("# Operations by dialect\n\n" + linked_names)
    help_text = printed(build, "ttmlir-opt", "--help")
    text = "# Passes and pipelines\n\nFrom `ttmlir-opt --help`; the options of a pass are written `--pass=\"option=value\"`.\n"
    for title in ("Passes", "Pass Pipelines"):
        text += f"\n## {title}\n"
        section = re.split(r"\n\n", help_text.partition(f"\n{title}:\n")[2].strip("\n"))[0]
        for indent, name, meaning in re.findall(r"^( +)--(\S+) +- +(.*)$", section, re.M):
            text += f"\n\n### {name}\n{escaped(meaning)}\n" if len(indent) == 2 else f"\n- `{name}`: {escaped(meaning)}"
    (folder / "passes.md").write_text(text + "\n")
    text = "# Commands\n"
    for command in COMMANDS:
        options = printed(build, command, "--help").partition("\nPasses:")[0]
        text += f"\n## {command}\n\n```text\n{options.strip()}\n```\n"
    (folder / "commands.md").write_text(text)


def main():
    build = Path(sys.argv[1] if len(sys.argv) > 1 else root / "build").resolve()
    site = build / "site"
    pages = site / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(root / "docs", pages)
    for page in pages.glob("*.md"):
        page.write_text(linked(page.read_text()))
    (pages / "index.md").write_text(linked((root / "README.md").read_text()))
    (pages / "changelog.md").write_text(linked((root / "CHANGELOG.md").read_text()))
    example_pages(pages)
    reference_pages(build, pages)
    (site / "mkdocs.yml").write_text(f"INHERIT: {root / 'mkdocs.yml'}\ndocs_dir: {pages}\nsite_dir: {site / 'html'}\n")


if __name__ == "__main__":
    main()
