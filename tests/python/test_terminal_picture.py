"""The pictures of terminals are the output of the commands that they show."""

import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

import pytest
from native import BUILD

ROOT = Path(__file__).resolve().parents[2]


sys.path.insert(0, str(ROOT / "scripts"))
from terminal_picture import PICTURES  # noqa: E402


@pytest.mark.parametrize("name", PICTURES)
def test_picture_is_what_the_commands_print(name):
    kept = (ROOT / f"docs/images/{name}.svg").read_text()
    drawn = subprocess.run([sys.executable, ROOT / "scripts/terminal_picture.py", "--of", name, BUILD], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    assert drawn == kept, f"run scripts/terminal_picture.py --of {name} > docs/images/{name}.svg"
    xml.dom.minidom.parseString(kept)
