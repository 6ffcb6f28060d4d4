"""scripts/units: C files that are compiled at once."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = {"room/a.c": "#define WIDE 3\nstatic int run(void)\n{\n    return WIDE;\n}\nint a(void)\n{\n    return run();\n}\n",
         "room/b.c": "enum { ROWS = 2, /* run( */ COLUMNS };\nint b(void)\n{\n    int run = ROWS;\n    return run + COLUMNS;\n}\n",
         "room/c.c": "#ifdef WIDE\n#error a macro of another file\n#endif\nstatic const int run[] = {1};\nint c(void)\n{\n    return run[0];\n}\n",
         "other/d.c": "int d(void)\n{\n    return 0;\n}\n"}


def units(*arguments):
    return subprocess.run([ROOT / "scripts/units", *map(str, arguments)], capture_output=True, text=True)


def written(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    done = units(tmp_path / "out", 8, tmp_path, "\n".join(FILES))
    assert done.returncode == 0, done.stderr
    return [Path(line) for line in done.stdout.split()]


def included(path):
    return re.findall(r'#include "(.*)"', path.read_text())


def test_equal_names_are_apart(tmp_path):
    """a.c and c.c have a name in common, b.c has it in a function only; all compile."""
    made = written(tmp_path)
    assert [included(path) for path in made] == [["room/a.c", "room/b.c"], ["room/c.c"], ["other/d.c"]]
    for path in made:
        subprocess.run(["cc", "-Wall", "-Werror", "-I", tmp_path, "-c", path, "-o", tmp_path / "x.o"], check=True)


def test_macros_end_with_their_file(tmp_path):
    first = written(tmp_path)[0].read_text().splitlines()
    assert first == ['#include "room/a.c"', "#undef WIDE", '#include "room/b.c"']


def test_an_edit_that_does_not_fit_is_noticed(tmp_path):
    written(tmp_path)
    assert units("--same", tmp_path / "out").returncode == 0
    (tmp_path / "room/b.c").write_text("static void run(void)\n{\n}\nvoid b(void)\n{\n    run();\n}\n")
    assert units("--same", tmp_path / "out").returncode == 1
    assert units("--same", tmp_path / "nothing").returncode == 0


def test_each_file_of_the_library_once(tmp_path):
    src = ROOT / "src"
    files = sorted(str(path.relative_to(src)) for room in ("ttir", "ttnn", "sdy") for path in (src / room).rglob("*.c"))
    made = units(tmp_path / "out", 8, src, "\n".join(files)).stdout.split()
    assert sorted(file for path in made for file in included(Path(path))) == files
    assert len(made) < len(files) / 2
