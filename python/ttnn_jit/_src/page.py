"""One self-contained page of HTML about a compiled function that ran on the grid."""

import html as markup
import inspect as python
import itertools

from . import layouts

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --mark: #2a6fdb; --warm: #d9822b; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1200px; padding: 1rem 1.5rem 4rem; }
h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
code, pre, .code { font: 12.5px/1.45 ui-monospace, Menlo, Consolas, monospace; }
pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; margin: .4rem 0; border-radius: 4px; }
nav a { margin-right: 1.2rem; } a { color: var(--mark); }
table { border-collapse: collapse; } td, th { padding: .15rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; } .wide { width: 100%; } .muted { opacity: .65; }
.slot { display: inline-block; width: 1.5rem; text-align: center; border: 1px solid var(--line); margin-right: 2px; border-radius: 3px; }
.slot.read { background: color-mix(in srgb, var(--mark) 25%, transparent); }
.slot.written { background: color-mix(in srgb, var(--warm) 40%, transparent); }
.slot.live { background: var(--soft); } .slot.free { opacity: .25; }
.pair { display: grid; grid-template-columns: minmax(16rem, 2fr) 3fr; gap: 0 1rem; }
.pair > div { border-bottom: 1px solid var(--line); padding: .15rem 0; min-width: 0; overflow-x: auto; white-space: pre; }
.box { display: inline-block; border: 1px solid var(--line); border-radius: 5px; padding: .3rem .6rem; margin: .2rem .4rem .2rem 0; }
summary { cursor: pointer; } iframe { width: 100%; height: 640px; border: 1px solid var(--line); border-radius: 4px; background: #fff; }
svg text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: currentColor; } svg rect { fill: Canvas; stroke: var(--line); }
svg .given rect { stroke: var(--mark); } svg .result rect { stroke: var(--warm); stroke-width: 2; } svg path { fill: none; stroke: currentColor; opacity: .45; }
"""
WIDTH, HEIGHT, GAP_X, GAP_Y = 224, 44, 40, 38


def text(value):
    return markup.escape(str(value))


def _place(node):
    memory = node.memory
    return layouts.KINDS[memory.memory_layout].replace("_", " ") if memory.is_sharded() else "DRAM"


def graph_svg(graph):
    """The traced graph, operands above their users."""
    nodes = [*graph.arguments, *graph.nodes]
    depth, rows = {}, {}
    for node in nodes:
        depth[id(node)] = max((depth[id(o)] + 1 for o in node.operands), default=0)
        rows.setdefault(depth[id(node)], []).append(node)
    at = {}
    for level, row in sorted(rows.items()):
        def wanted(node):
            above = [at[id(o)][0] for o in node.operands if id(o) in at]
            return sum(above) / len(above) if above else 0

        for i, node in enumerate(sorted(row, key=wanted) if level else row):
            at[id(node)] = (i * (WIDTH + GAP_X) + 8, level * (HEIGHT + GAP_Y) + 8)
    width = max(x for x, _ in at.values()) + WIDTH + 8
    height = max(y for _, y in at.values()) + HEIGHT + 8
    out = [f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="traced graph">']
    for node in nodes:
        x, y = at[id(node)]
        for operand in node.operands:
            (a, b), bend = at[id(operand)], 0
            if depth[id(node)] - depth[id(operand)] > 1:  # passes beside the operations between
                bend = WIDTH * 3 // 4
            a, end = a + WIDTH // 2, x + WIDTH // 2
            reach = min(20 + bend // 2, (y - b - HEIGHT) // 2)  # further down the curve would turn back
            out.append(f'<path d="M{a} {b + HEIGHT} C {a + bend} {b + HEIGHT + reach}, {end + bend} {y - reach}, {end} {y}"/>')
    results = {id(r) for r in graph.results}
    for i, node in enumerate(nodes):
        x, y = at[id(node)]
        kind = "given" if node in graph.arguments else "result" if id(node) in results else ""
        line = f" :{node.location[1]}" if node.location else ""
        name = f"argument {i}" if node.op == "argument" else node.op
        sizes = "x".join(map(str, node.shape)) or "scalar"
        out.append(f'<g class="{kind}" transform="translate({x} {y})"><title>{text(", ".join(f"{name} = {value}" for name, value in node.attributes.items()))}</title><rect width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
                   f'<text x="8" y="18">{text(name)}<tspan opacity=".6">{line}</tspan></text>'
                   f'<text x="8" y="35" opacity=".75">{sizes} {text(layouts.FORMATS[node.dtype])} {text(_place(node))}</text></g>')
    return "".join([*out, "</svg>"])


def generics(title, made):
    boxes = []
    for i, generic in enumerate(made):
        names = " → ".join(text(f"{name}:{line}") if line else text(name) for name, _, line in generic.tiles)
        boxes.append(f'<details class="box"><summary><b>{i}</b> <code>{names}</code></summary><pre>{text(generic.text)}</pre></details>')
    return f"<h3>{title}: {len(made)}</h3>{''.join(boxes)}"


def schedule(kernel):
    """A row for each operation: what it reads, writes and leaves alive in DST."""
    slots = sorted({s for step in kernel.steps for s in (*step.reads, *step.writes)})
    rows = []
    for step in kernel.steps:
        cells = []
        for slot in slots:
            kind = "written" if slot in step.writes else "read" if slot in step.reads else "live" if slot in step.live else "free"
            cells.append(f'<span class="slot {kind}" title="{kind}">{slot}</span>')
        line = step.line[1] if step.line else ""
        rows.append(f"<tr><td><code>{text(step.name)}</code></td><td class=n>{line}</td><td>{''.join(cells)}</td><td class=n>{len(step.live)}</td></tr>")
    return (f"<h3><code>{text(kernel.name)}</code>: at most {kernel.tiles} tile{'s' if kernel.tiles != 1 else ''} live</h3>"
            f'<div class="scroll"><table><tr><th>operation</th><th>line</th><th>tiles of DST</th><th>live</th></tr>{"".join(rows)}</table></div>')


def beside(function, kernels):
    """Lines of Python and what each became in kernels."""
    try:
        source, first = python.getsourcelines(function.func)
        file = function.func.__code__.co_filename
    except OSError:
        return "<p>The source of the function is not available.</p>"
    found = {}
    for kernel in kernels:
        for line, cpp in zip(kernel.lines, kernel.cpp.splitlines()):
            if line and line[0] == file:
                found.setdefault(line[1], []).append((kernel.name, cpp.strip()))
    rows = []
    for number, line in enumerate(source, first):
        calls = []
        for name, group in itertools.groupby(found.get(number, ()), lambda pair: pair[0]):
            lines = [cpp for _, cpp in group]
            inner = text("\n".join(lines))
            calls.append(f'<details{"" if len(lines) > 40 else " open"}><summary class="muted">{text(name)}, {len(lines)} lines</summary><code>{inner}</code></details>')
        rows.append(f'<div class="code"><span class="muted">{number:4} </span>{text(line.rstrip())}</div><div class="code">{"".join(calls)}</div>')
    return f'<div class="pair">{"".join(rows)}</div>'


def sources(kernels):
    out = []
    for kernel in kernels:
        lines = "".join(f"{line[1] if line else '':>5}  {text(cpp)}\n" for line, cpp in zip(kernel.lines, kernel.cpp.splitlines()))
        out.append(f"<details><summary><code>{text(kernel.name)}</code></summary><pre>{lines}</pre></details>")
    return "".join(out)


# A timeline is shown whole, also when more of it is opened.
FIT = "const root = this.contentDocument.documentElement; new ResizeObserver(() => this.style.height = root.offsetHeight + 24 + 'px').observe(root)"


def timelines(launches):
    out = []
    for i, (_, profile, cycles, _, page, _) in enumerate(launches):
        out.append(f"<h3>Launch {i}: {cycles:.0f} cycles</h3><iframe onload=\"{FIT}\" title='timeline of launch {i}' srcdoc=\"{markup.escape(page)}\"></iframe>"
                   f"<details><summary>figures</summary><pre>{text(profile)}</pre></details>")
    return "".join(out)


def html(function, seen):
    """The page of a function's run (inspect.Seen)."""
    name = text(function.func.__name__)
    most = max((k.tiles for k in seen.kernels), default=0)
    figures = (("operations", len(seen.graph.nodes)), ("generics before fusion", len(seen.apart)), ("after fusion", len(seen.fused)),
               ("launches", len(seen.launches)), ("tiles live in DST", most), ("bytes that generics read and write", seen.bytes_moved), ("cycles", f"{seen.cycles:.0f}"))
    sections = (("graph", "Traced graph", f'<p class="muted">Numbers after a colon are lines of Python; blue: arguments, orange: results.</p><div class="scroll">{graph_svg(seen.graph)}</div>'),
                ("generics", "Generics", generics("Before fusion", seen.apart) + generics("After fusion", seen.fused)),
                ("dst", "Schedule of DST", '<p class="muted">Orange: written, blue: read, grey: kept for later. The body of a loop is shown once.</p>'
                 + "".join(schedule(k) for k in seen.kernels if k.steps)),
                ("time", "Timelines", timelines(seen.launches)),
                ("kernels", "C++ beside Python", beside(function, seen.kernels) + "<h3>Whole kernels, with the lines of Python</h3>" + sources(seen.kernels)))
    links = "".join(f'<a href="#{key}">{title}</a>' for key, title, _ in sections)
    body = "".join(f'<section id="{key}"><h2>{title}</h2>{inner}</section>' for key, title, inner in sections)
    table = "".join(f"<tr><th>{what}</th><td class=n>{value}</td></tr>" for what, value in figures)
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{name} on the grid</title><style>{STYLE}</style></head><body><h1><code>{name}</code> on the grid</h1><table>{table}</table>"
            f"<nav>{links}</nav>{body}</body></html>\n")
