"""The cache of compiled kernels: its bound, leftovers of killed compilations, damaged objects, several processes at
once."""

import os
import shutil
import subprocess
import sys
import time

import pytest
from tilewright import sim

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="no C++ compiler")
CAPACITY, LEFT = 2000, 1500  # native_cache.c
PRELUDES, PRECOMPILED, USES = 500, 6, 3  # native_cache.c, native_build.c
HOUR = 3600


def run(number, grid=None):
    """A kernel that prints a number, so each number is another text."""
    text = f'#include "dataflow_api.h"\nvoid kernel_main() {{ DPRINT << {number} << ENDL(); }}\n'
    made = (grid or sim.Grid()).load().launch([sim.Run(text)])
    made.run()
    assert f": {number}" in made.log


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The folder, and the one of this version's headers."""
    monkeypatch.setenv("TILEWRIGHT_KERNEL_CACHE", str(tmp_path))
    run(1)
    version, = tmp_path.iterdir()
    return tmp_path, version


def file(folder, name, age):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("")
    os.utime(path, (time.time() - age,) * 2)
    return path


def objects(folder):
    return sorted(folder.glob("*/*.so"))


def test_the_bound(cache):
    """Objects of other versions count, too, and files that belong to an object are removed with it."""
    folder, version = cache
    other = folder / "0123456789abcdef"
    old = [file(other, f"{i:064x}.so", 9 * HOUR - i) for i in range(100)]
    mine = [file(version, f"{i + 5000:064x}.so", 8 * HOUR - i) for i in range(CAPACITY - 101)]
    for path in (old[0], mine[0], mine[-1]):
        file(path.parent, f"{path.stem}.cpp", 1)
        file(path.parent, f"{path.name}.lines", 1)
    run(2)  # the maximum is not exceeded: they stay
    assert len(objects(folder)) == CAPACITY + 1
    run(1)  # its use counts
    run(3)
    left = objects(folder)
    assert len(left) == LEFT + 1 and not any(p.exists() for p in old)
    assert mine[-1] in left and mine[0] not in left
    assert not list(version.glob(f"{mine[0].stem}*")) and not list(other.glob(f"{old[0].stem}*"))
    assert len(list(version.glob(f"{mine[-1].stem}*"))) == 3
    before = set(objects(folder))
    run(1)
    run(2)
    assert set(objects(folder)) == before  # the newest were kept


def test_preludes(cache):
    """What kernels include first is precompiled from its fourth compilation on; the most recently used stay."""
    compiler = os.environ.get("TILEWRIGHT_CXX") or next(filter(shutil.which, ("c++", "g++", "clang++")))
    if "clang" in compiler:
        pytest.skip("clang takes precompiled headers by an option only")
    folder, version = cache
    prelude, = version.glob("prelude-*.hpp")
    made = version / f"{prelude.name}.gch"
    for number in range(2, USES + 1):
        run(number)
        assert not made.exists()
    run(4)
    assert made.stat().st_size > 1 << 20
    run(5)
    others = []
    for number in range(PRELUDES):
        others.append(file(version, f"prelude-{number:016x}.hpp", HOUR * (number + 2)))
        file(version, f"{others[-1].name}.gch", 1)
        file(version, f"{others[-1].name}.uses", 1)
    left = file(version, "prelude-0.hpp.gch.123", 2 * HOUR)
    fresh = file(version, "prelude-1.hpp.gch.123", 60)
    run(6)
    assert made.exists() and fresh.exists() and not left.exists()
    assert [p.exists() for p in others] == [True] * (PRELUDES - 1) + [False]
    assert sum((version / f"{p.name}.gch").exists() for p in others) == PRECOMPILED - 1
    assert not (version / f"{others[-1].name}.uses").exists()


def test_a_prelude_that_is_no_use(cache):
    """A precompiled header that is damaged is left alone, and so is one whose text has errors, which its kernel reports."""
    folder, version = cache
    prelude, = version.glob("prelude-*.hpp")
    for text in ("", "no header", "gpch.014"):
        (version / f"{prelude.name}.gch").write_text(text)
        run(len(text) + 10)
    for _ in range(USES + 1):
        with pytest.raises(RuntimeError, match="expected"):
            sim.Grid().load().launch([sim.Run('#include "dataflow_api.h"\nvoid kernel_main() {}\n', defines={"Lock": "4"})])


def test_kernels_that_differ_in_their_names(tmp_path, monkeypatch):
    """Emitted kernels with one text are compiled once; each has its own variables, and its own name in reports."""
    monkeypatch.setenv("TILEWRIGHT_KERNEL_CACHE", str(tmp_path))
    kernels = sim.Grid().load()
    text = '// NAME\n#include "dataflow_api.h"\nint n = 1;\nvoid kernel_main() {\n  DPRINT << n++ << ENDL();\n  if (get_arg_val<int>(0))\n    cb_wait_front(n, 1);\n}\n'
    for name in ("one", "two"):
        kernels.add_cpp(text.replace("NAME", name), name=name)
    launch = kernels.launch([sim.Run("one", args=[0]), sim.Run("two", cores=(0, 1, 1, 1), args=[0])])
    launch.run()
    assert "one.cpp:5:3: remark: core 0,0: 1" in launch.log and "two.cpp:5:3: remark: core 0,1: 1" in launch.log
    assert "<kernel>" not in launch.log and len(objects(tmp_path)) == 1
    with pytest.raises(RuntimeError, match="two.cpp:7"):
        kernels.launch([sim.Run("two", args=[1])]).run()
    with pytest.raises(RuntimeError, match="three.cpp:7:.*did you mean 'cb_push_back'") as error:
        kernels.add_cpp(text.replace("NAME", "three").replace("cb_wait_front(n", "cb_push_bak(n"), name="three").launch([sim.Run("three")])
    assert "<kernel>" not in str(error.value)


def test_what_killed_compilations_leave(cache):
    folder, version = cache
    gone = [file(version, f"{1:064x}.cpp", 2 * HOUR), file(version, f"{2:064x}.so.123", 2 * HOUR),
            file(version, f"{3:064x}.so.123.txt", 2 * HOUR), file(folder / f"{version.name}.99", "half.hpp", 2 * HOUR)]
    os.utime(gone[3].parent, (time.time() - 2 * HOUR,) * 2)
    stay = [file(version, f"{1:063x}f.cpp", 60), file(version, f"{2:063x}f.so.123", 60), file(folder, "of-somebody-else", 2 * HOUR),
            file(version, "notes.txt", 2 * HOUR)]
    run(4)
    assert not any(p.exists() for p in gone) and all(p.exists() for p in stay)


def test_damaged_objects_are_made_again(cache):
    folder, version = cache
    object, = objects(folder)
    for text in (b"", b"not an object", object.read_bytes()[:4096]):
        object.unlink()
        object.write_bytes(text)
        run(1)
        assert object.stat().st_size > 10000


def test_an_object_that_is_thrown_away(cache):
    folder, version = cache
    grid = sim.Grid()
    run(1, grid)
    for path in objects(folder):
        path.unlink()
    run(1, grid)  # it is still loaded, or compiled again
    run(1)
    shutil.rmtree(version)
    run(1)


def test_processes_at_once(tmp_path, monkeypatch):
    """All start without a folder, and compile the same kernels."""
    monkeypatch.setenv("TILEWRIGHT_KERNEL_CACHE", str(tmp_path / "new"))
    script = "import sys; sys.path.insert(0, sys.argv[1]); import test_cpp_cache as t\nfor i in (1, 2): t.run(i)\n"
    all = [subprocess.Popen([sys.executable, "-c", script, os.path.dirname(__file__)], stderr=subprocess.PIPE) for _ in range(4)]
    message = [p.communicate()[1].decode() for p in all]
    assert [p.returncode for p in all] == [0] * 4, message
    version, = (tmp_path / "new").iterdir()
    assert len(list(version.glob("*.so"))) == 2
    assert sorted({p.name.partition(".")[2] for p in version.iterdir() if p.name[:64].isalnum() and len(p.name) > 64}) == ["cpp", "so"]


def test_a_folder_that_cannot_be(tmp_path, monkeypatch):
    file(tmp_path, "taken", 0)
    monkeypatch.setenv("TILEWRIGHT_KERNEL_CACHE", str(tmp_path / "taken" / "below"))
    with pytest.raises((RuntimeError, OSError), match="taken"):
        run(1)
