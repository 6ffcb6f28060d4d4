"""README's picture of a terminal is the output of the commands that it shows."""

import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

from native import BUILD

ROOT = Path(__file__).resolve().parents[2]


def test_picture_is_what_the_commands_print():
    kept = (ROOT / "docs/images/terminal.svg").read_text()
    drawn = subprocess.run([sys.executable, ROOT / "scripts/terminal_picture.py", BUILD], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert drawn == kept, "run scripts/terminal_picture.py > docs/images/terminal.svg"
    xml.dom.minidom.parseString(kept)
