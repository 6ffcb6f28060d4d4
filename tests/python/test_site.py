"""The documentation's site: mkdocs.yml names pages that exist, and links of the pages lead to files."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
specification = importlib.util.spec_from_file_location("site_pages", ROOT / "scripts/site_pages.py")
site_pages = importlib.util.module_from_spec(specification)
specification.loader.exec_module(site_pages)


def test_configuration_names_every_page():
    named = re.findall(r"^ +- .*: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    pages = [p.name for p in (ROOT / "docs").glob("*.md")] + list(site_pages.GENERATED)
    assert sorted(named) == sorted(pages)


def test_links_lead_to_files():
    missing = []
    for page in [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)):
            if not (page.parent / link).exists():
                missing.append(f"{page.name}: {link}")
    assert not missing


def test_examples_have_an_opening_comment():
    for _, pattern, _ in site_pages.GALLERY:
        for path in ROOT.glob(pattern):
            assert site_pages.opening(path), path
