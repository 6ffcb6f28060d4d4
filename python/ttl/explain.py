"""ttlang-sim --explain: the page of what passes change in the kernels of a run, which ttlang-opt writes."""

import os
import subprocess
import tempfile

HEAD, TAIL = "<body>\n", "</body></html>\n"
_bodies = []  # of the kernels before, and the page's head


def add(text, name, pipeline):
    """Writes the page that TTLANG_SIM_EXPLAIN names once more, with the passes over this kernel's module."""
    path, tool = os.environ["TTLANG_SIM_EXPLAIN"], os.environ["TTLANG_SIM_EXPLAIN_WITH"]
    with tempfile.TemporaryDirectory() as folder:
        module, page = os.path.join(folder, name), os.path.join(folder, "page.html")
        with open(module, "w", encoding="utf-8") as file:
            file.write(text)
        # what fails there fails here, too, with its report
        subprocess.run([tool, name, f"--pass-pipeline={pipeline}", f"--explain={page}", "-o", os.devnull], cwd=folder, capture_output=True)
        with open(page, encoding="utf-8") as file:
            head, _, body = file.read().partition(HEAD)
    _bodies.append(body.removesuffix(TAIL))
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + HEAD + "".join(_bodies) + TAIL)
