"""What a stop shows to a client of the Debug Adapter Protocol: nested variables, in pieces of bounded size."""

import re

LIMIT = 256  # variables of an answer to a request that names no count
SIDE = 32


class Values:
    """Handles of one stop. A handle is a thread's index and a function that gives its (number of children, child i)."""

    def __init__(self, stop):
        self.stop, self.handles = stop, []

    def handle(self, thread, count, child):
        self.handles.append((thread, count, child))
        return len(self.handles)

    def thread_of(self, reference):
        return self.handles[reference - 1][0] if 0 < reference <= len(self.handles) else None

    def variables(self, reference, start, count, filter):
        _, total, child = self.handles[reference - 1]
        if filter == "named":
            return []
        start = max(start, 0)
        end = min(total, start + (count if count > 0 else LIMIT))
        found = [child(i) for i in range(start, end)]
        if end < total and count <= 0:
            found.append(leaf("...", f"{total - end} more, from {end}: ask with start and count"))
        return found

    def nested(self, thread, name, value, count, child):
        if not count:
            return leaf(name, value)
        return {"name": name, "value": value, "variablesReference": self.handle(thread, count, child), "indexedVariables": count}

    def listed(self, thread, name, value, items):
        """Of children that are made already: few and named ones."""
        return self.nested(thread, name, value, len(items), items.__getitem__)

    # ---- scopes ----

    def scopes(self, thread):
        self.stop.describe()  # of the thread that it looks at
        state = self.stop.state
        found = {"Blocks": self.blocks(thread, state), "Circular buffers": [self.buffer(thread, b) for b in state["buffers"]],
                 "Semaphores": [self.semaphore(thread, i, s) for i, s in enumerate(state["semaphores"])],
                 "DST": [self.dst(thread, d) for d in state["dst"]]}
        return [{"name": name, "variablesReference": self.handle(thread, len(items), items.__getitem__), "indexedVariables": len(items),
                 "expensive": False} for name, items in found.items()]

    def blocks(self, thread, state):
        """Pages that a thread of the core has waited for or reserved."""
        found = []
        for b in state["buffers"]:
            if b["waited"]:
                found.append(self.pages(thread, b, f"{title(b)} (waited for)", 0, b["waited"]))
            if b["reserved"]:
                found.append(self.pages(thread, b, f"{title(b)} (reserved)", b["filled"], b["reserved"]))
        return found

    def pages(self, thread, b, name, first, count):
        text = f"{count} page{'s' if count != 1 else ''} of {b['format']}"
        if not b["tiles"]:
            return leaf(name, text + ", which are no tiles")
        return self.nested(thread, name, text, count, lambda i: self.tile(thread, f"[{i}]", self.stop.tile(str(b["port"]), first + i)))

    def buffer(self, thread, b):
        items = [leaf(key, str(value)) for key, value in (("port", b["port"]), ("format", b["format"]), ("pages", b["pages"]), ("bytes of a page", b["bytes"]),
                                                          ("filled", b["filled"]), ("waited for", b["waited"]), ("reserved", b["reserved"]))]
        items.append(self.pages(thread, b, "tiles", 0, b["filled"] + b["reserved"]))
        return self.listed(thread, title(b), f"{b['filled']} of {b['pages']} pages filled, {b['reserved']} reserved", items)

    def semaphore(self, thread, i, s):
        name = f"semaphore {i}"
        if "from" not in s:
            return leaf(name, str(s["value"]))
        position = f", at {s['file']}:{s['line']}" if "file" in s else ""
        return leaf(name, f"{s['value']}", f"{s['value']}; it was {s['from']} until core {s['y']},{s['x']} changed it in cycle {s['cycle']:.0f}{position}", self, thread)

    def dst(self, thread, d):
        position = f", written at line {d['line']}" if "line" in d else ""
        return self.tile(thread, f"tile {d['tile']}", self.stop.dst(d["tile"]), position)

    def tile(self, thread, name, values, more=""):
        if values is None:  # a page that has gone
            return leaf(name, "none")
        text = f"32x32, {values.min():g} to {values.max():g}{more}"

        def row(i):
            shown = ", ".join(f"{value:g}" for value in values[i, :4])
            return self.nested(thread, f"[{i}]", f"[{shown}, ...]", SIDE, lambda j: leaf(f"[{j}]", repr(float(values[i, j]))))
        return self.nested(thread, name, text, SIDE, row)

    # ---- names ----

    def names(self, thread):
        self.stop.describe()
        state = self.stop.state
        return [*(title(b) for b in state["buffers"]), *(f"semaphore {i}" for i in range(len(state["semaphores"]))), "dst"]

    def named(self, thread, text):
        """The variable of a circular buffer, "semaphore 0", "sem 0", "dst" or "dst 0"; None for another text."""
        self.stop.describe()
        state = self.stop.state
        for b in state["buffers"]:
            if text in (title(b), f"cb {title(b)}", f"cb {b['port']}"):
                return self.buffer(thread, b)
        if text == "dst":
            return self.listed(thread, text, f"{len(state['dst'])} tiles are written", [self.dst(thread, d) for d in state["dst"]])
        match = re.fullmatch(r"(sem|semaphore|dst) ?\(?(\d{1,3})\)?", text)
        if match and match[1] == "dst":
            return next((self.dst(thread, d) for d in state["dst"] if d["tile"] == int(match[2])), None)
        if match and int(match[2]) < len(state["semaphores"]):
            return self.semaphore(thread, int(match[2]), state["semaphores"][int(match[2])])
        return None


def title(b):
    return b.get("name") or f"circular buffer {b['port']}"


def leaf(name, value, detail=None, values=None, thread=0):
    """A variable without children, or with one that has the detail."""
    if detail:
        return values.listed(thread, name, value, [leaf("last change", detail)])
    return {"name": name, "value": value, "variablesReference": 0}
