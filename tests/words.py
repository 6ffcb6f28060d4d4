#!/usr/bin/env python3
"""Finds words that docs/words.md bans in the tracked files of FOLDERS.

words.py [FOLDER...]        checks these folders or files instead; the exit status is 1 if a line is found
words.py --counts [FOLDER...]     prints the number of lines for each word
words.py --subjects BASE    checks the subjects of the commits BASE..HEAD

The table under "## Words" of the page is the list: words in `code` of its right column, as whole words in any case."""

import collections
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
PAGE = "docs/words.md"
FOLDERS = ("README.md", "CHANGELOG.md", "Makefile", "mkdocs.yml", ".ci", "bench", "bindings", "docs", "examples", "include", "optional", "python",
           "scripts", "src", "tools")
# Pages whose text comes from other files, and the list itself.
SKIPPED = (PAGE, "docs/cpp-functions.md", "docs/sim-operations.md", "docs/ttl-reference.md")
# Valid uses, and reports of the device that examples quote.
ALLOWED = {
    "place": (r"\b[Ii]n[- ]place", r"last place", r"\[ place \]", r"^[\s*/]*place\.", r'"place[":.]', r"[Pp]laces? the same"),
    "places": (r"decimal places", r"[\"`]places[\"`]"),
    "told": (r"\(\*told\)",),
    "rounds": (r"\brounds (to|up|down|as|ties|half|it|them|values|floats|f32|already|otherwise|away|the magnitude)\b", r"(packer|packing) rounds", r"20 rounds", r"\bRounds\b", r"4096 rounds"),
    "nobody": (r"nobody ever (pushed|popped|changed)", r"nobody( ever)?$", r"belongs to nobody", r"since nobody"),
    "handed": (r"DST was last handed",),
    "spread": (r"spread\(",),
    "anew": (r"^\s*anew$",),
}
SUBJECT = re.compile(r"(Merge |Revert |[a-z0-9_.,/ -]+: \S)")


def banned():
    """word -> the pattern that finds it and what to write instead."""
    table = (root / PAGE).read_text().partition("## Words")[2].partition("\n## ")[0]
    words = {}
    for instead, column in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", table, re.M):
        for word in re.findall(r"`([^`]+)`", column):
            words[word] = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.I), instead.strip()
    return words or sys.exit(f"{PAGE}: expected a table of words under '## Words', found none")


def tracked(folders):
    listed = subprocess.run(["git", "ls-files", "-z", "--", *folders], cwd=root, stdout=subprocess.PIPE, text=True)
    names = listed.stdout.split("\0") if listed.returncode == 0 else [
        str(p.relative_to(root)) for f in folders for p in ((root / f).rglob("*") if (root / f).is_dir() else [root / f])]
    return [n for n in sorted(names) if n and n not in SKIPPED and (root / n).is_file()]


def lines(name):
    try:
        return (root / name).read_text().splitlines()
    except UnicodeDecodeError:
        return []  # an image or another binary


def findings(folders):
    """file, line number, word and what to write."""
    words = banned()
    for name in tracked(folders):
        text = lines(name)
        whole = "\n".join(text).lower()
        for word, (pattern, instead) in words.items():
            if word not in whole:
                continue
            allowed = re.compile("|".join(ALLOWED.get(word, ("(?!)",))))
            for number, line in enumerate(text, 1):
                if word in line.lower() and pattern.search(allowed.sub("", line)):
                    yield name, number, word, instead


def subjects(base):
    log = subprocess.run(["git", "log", "--format=%h %s", f"{base}..HEAD"], cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    wrong = []
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > 72:
            wrong.append(f"{commit}: {len(subject)} characters, 72 at most: {subject}")
        elif not SUBJECT.match(subject):
            wrong.append(f"{commit}: expected `component: imperative`, found: {subject}")
    return wrong


def main(arguments):
    if arguments[:1] == ["--subjects"] and len(arguments) == 2:
        wrong = subjects(arguments[1])
    elif arguments[:1] == ["--counts"]:
        counts = collections.Counter(word for _, _, word, _ in findings(arguments[1:] or FOLDERS))
        wrong = [f"{count:6} {word}" for word, count in counts.most_common()]
    else:
        wrong = [f"{name}:{number}: {word}: write {instead} ({PAGE})" for name, number, word, instead in findings(arguments or FOLDERS)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
