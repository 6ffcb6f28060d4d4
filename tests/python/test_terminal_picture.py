"""The pictures of terminals are the output of the commands that they show."""

import importlib.util
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

import pytest
from native import BUILD

ROOT = Path(__file__).resolve().parents[2]
specification = importlib.util.spec_from_file_location("terminal_picture", ROOT / "scripts/terminal_picture.py")
terminal_picture = importlib.util.module_from_spec(specification)
specification.loader.exec_module(terminal_picture)


@pytest.mark.parametrize("name", terminal_picture.PICTURES)
def test_picture_is_what_the_commands_print(name):
    kept = (ROOT / f"docs/images/{name}.svg").read_text()
    drawn = subprocess.run([sys.executable, ROOT / "scripts/terminal_picture.py", BUILD, name], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert drawn == kept, f"run scripts/terminal_picture.py build {name} > docs/images/{name}.svg"
    xml.dom.minidom.parseString(kept)
