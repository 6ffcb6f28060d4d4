"""The code in the documents runs."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_first_kernel_of_the_ttl_page(tmp_path):
    torch = pytest.importorskip("torch")
    code = re.search(r"```python\n(.*?)```", (DOCS / "ttl.md").read_text(), re.S)[1]
    path = tmp_path / "first.py"
    path.write_text(code)
    names = {}
    exec(compile(code, str(path), "exec"), names)
    torch.testing.assert_close(names["out"], names["x"] * 2 + 1, rtol=1e-2, atol=1e-2)
