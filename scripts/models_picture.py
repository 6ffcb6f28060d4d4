#!/usr/bin/env python3
"""Draws the rows of bench/bench_models.py as an SVG picture: models_picture.py ROWS.json PICTURE.svg

One panel for each type, batch and number of threads; in it a group of bars for each model, the time of a step of each contestant divided by
that of the fastest: the longer, the slower. Bars end at five times."""

import json
import sys
from html import escape
from pathlib import Path

NAMES = {"tilewright": ("Tilewright", "#0969da"), "eager": ("torch", "#8b949e"), "compile": ("torch.compile", "#f0883e"),
         "autotune": ("max-autotune", "#bc4c00"), "freezing": ("freezing", "#d4a72c"), "xla": ("XLA", "#3fb950"), "onnx": ("onnxruntime", "#a371f7")}
BAR, GAP, LABEL, WIDTH, LONGEST = 9, 10, 120, 300, 5.0


def milliseconds(t):
    return f"{t:,.0f}" if t >= 100 else f"{t:.3g}"


def panel(rows, contestants, out, x, y):
    """Returns the height."""
    first = rows[0]
    title = f"{first['type']}, batch {first['batch']}, {first['threads']} thread{'s' * (first['threads'] > 1)}"
    out.append(f'<text x="{x}" y="{y + 12}" font-weight="bold">{escape(title)}</text>')
    at = y + 24
    for row in rows:
        best = min(row["min"].values())
        shown = [name for name in contestants if name in row["min"]]
        out.append(f'<text x="{x + LABEL - 8}" y="{at + len(shown) * BAR / 2 + 4:.0f}" text-anchor="end">{escape(row["model"])}</text>')
        for name in shown:
            times = row["min"][name] / best
            width = WIDTH * min(times, LONGEST) / LONGEST
            out.append(f'<rect x="{x + LABEL}" y="{at}" width="{width:.1f}" height="{BAR - 1}" fill="{NAMES[name][1]}"/>'
                       f'<text x="{x + LABEL + width + 4:.1f}" y="{at + BAR - 2}" class="n">{milliseconds(row["min"][name])} ms{"" if times <= LONGEST else f" ({times:.1f} x)"}</text>')
            at += BAR
        at += GAP
    return at - y + 10


def picture(rows):
    """The text of the picture."""
    contestants = [name for name in NAMES if any(name in row["min"] for row in rows)]
    groups = {}
    for row in rows:
        groups.setdefault((row["threads"], row["batch"], row["type"]), []).append(row)
    out, y, column = [], 40, LABEL + WIDTH + 110
    for i, name in enumerate(contestants):
        out.append(f'<rect x="{10 + i * 120}" y="12" width="10" height="10" fill="{NAMES[name][1]}"/><text x="{24 + i * 120}" y="21">{NAMES[name][0]}</text>')
    keys, tall = list(groups), 0
    for i, key in enumerate(keys):
        tall = max(tall, panel(groups[key], contestants, out, 10 + i % 2 * column, y))
        if i % 2 or key == keys[-1]:
            y, tall = y + tall + 10, 0
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * column + 20}" height="{y}" viewBox="0 0 {2 * column + 20} {y}">\n'
            "<style>text{font:12px system-ui,sans-serif;fill:#1f2328}.n{font-size:8px;fill:#59636e}</style>\n"
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(out) + "\n</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(picture(json.loads(Path(sys.argv[1]).read_text())))
