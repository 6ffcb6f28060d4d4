"""Records the operations of runs with their times and the memory in use, and shows them."""

import contextlib
import html
import http.server
import json
import os
import re
import threading
import time

from _ttmlir_runtime import _hooks, runtime


class ProfilerError(OSError):
    """A profile that cannot be shown or written: the message names the port or the folder."""


class _Recorder:
    """Events of runs, in the order in which they end."""

    def __init__(self):
        self.start, self.operations, self.programs, self.memory = time.perf_counter_ns(), [], [], []
        self._open = {}

    def __call__(self, event, binary, program, op):
        now, kind = time.perf_counter_ns() - self.start, event.split("_")[1]
        key = (threading.get_ident(), kind)
        if event.startswith("pre_"):
            self._open[key] = now
            return
        begin = self._open.pop(key, now)
        if kind == "program":
            name = binary.get_program_name(program._index)
            self.programs.append({"name": name, "start_us": begin / 1e3, "duration_us": (now - begin) / 1e3})
            return
        text = runtime.get_op_debug_str(op)
        found = re.search(r'"?([a-z]+\.[\w.]+)"?\(', text)
        self.operations.append({"name": found[1] if found else text.split("(")[0].strip(), "start_us": begin / 1e3,
                                "duration_us": (now - begin) / 1e3, "location": runtime.get_op_loc_info(op), "text": text})
        l1, dram = getattr(program._device, "_used", (0, 0))
        self.memory.append({"time_us": now / 1e3, "l1_bytes": l1, "dram_bytes": dram})

    def timeline(self):
        """The events as chrome://tracing and Perfetto read them."""
        events = []
        for thread, rows in ((0, self.programs), (1, self.operations)):
            events += [{"name": r["name"], "ph": "X", "ts": r["start_us"], "dur": r["duration_us"], "pid": 0, "tid": thread,
                        "args": {"location": r.get("location", "")}} for r in rows]
        events += [{"name": "memory", "ph": "C", "ts": m["time_us"], "pid": 0, "args": {"l1": m["l1_bytes"], "dram": m["dram_bytes"]}}
                   for m in self.memory]
        return {"traceEvents": events, "displayTimeUnit": "ns"}

    def totals(self):
        """{name, count, total and longest time} of each kind of operation, the longest total first."""
        by_name = {}
        for op in self.operations:
            row = by_name.setdefault(op["name"], {"name": op["name"], "count": 0, "total_us": 0.0, "longest_us": 0.0})
            row["count"] += 1
            row["total_us"] += op["duration_us"]
            row["longest_us"] = max(row["longest_us"], op["duration_us"])
        return sorted(by_name.values(), key=lambda row: -row["total_us"])

    def write(self, folder):
        """Writes the files into the folder."""
        for name, contents in (("timeline.json", self.timeline()), ("operations.json", self.operations), ("totals.json", self.totals()),
                               ("memory.json", self.memory), ("programs.json", self.programs)):
            with open(os.path.join(folder, name), "w") as file:
                json.dump(contents, file, indent=1)

    def page(self):
        """The same as a page."""
        last = max((op["start_us"] + op["duration_us"] for op in self.operations), default=1) or 1

        def table(head, rows):
            cells = "".join("<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
            return "<table><tr>" + "".join(f"<th>{h}</th>" for h in head) + f"</tr>{cells}</table>"

        bars = "".join(f'<rect x="{op["start_us"] / last * 100:.4f}%" width="{max(op["duration_us"] / last * 100, 0.02):.4f}%" y="0" height="20">'
                       f'<title>{html.escape(op["name"])} {op["duration_us"]:.1f} us</title></rect>' for op in list(self.operations))
        totals = table(("operation", "count", "total us", "longest us"),
                       [(r["name"], r["count"], f"{r['total_us']:.1f}", f"{r['longest_us']:.1f}") for r in self.totals()])
        each = table(("start us", "us", "operation", "location"), [(f"{op['start_us']:.1f}", f"{op['duration_us']:.1f}", op["name"], op["location"])
                                                                   for op in list(self.operations)])
        peak = max((m["l1_bytes"] for m in self.memory), default=0), max((m["dram_bytes"] for m in self.memory), default=0)
        return ("<!doctype html><meta charset=utf-8><title>profile</title><style>body{font:14px sans-serif}td,th{padding:2px 8px;text-align:left}"
                f"rect{{fill:#47a}}</style><h1>Profile</h1><svg width='100%' height=20>{bars}</svg><p>{len(self.operations)} operations, at most "
                f"{peak[0]} bytes of L1 and {peak[1]} of DRAM in use</p>{totals}<h2>Operations</h2>{each}")


def _serve(recorder, port):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body, kind = (json.dumps(recorder.timeline()), "application/json") if self.path == "/timeline.json" else (recorder.page(), "text/html")
            data = body.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except (OSError, OverflowError) as error:
        raise ProfilerError(f"cannot serve the profile on port {port} of this machine: {getattr(error, 'strerror', None) or error}; "
                            f"give another port, or None for files only") from error
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@contextlib.contextmanager
def trace(log_dir, port=None):
    """Records the runs inside the block and writes timeline.json (for chrome://tracing), operations.json, totals.json,
    memory.json and programs.json into the folder, also when the block raises. With a port, http://127.0.0.1:PORT shows them
    until the block ends."""
    try:
        os.makedirs(log_dir, exist_ok=True)
    except OSError as error:
        raise ProfilerError(f"cannot write a profile to {log_dir}: {error.strerror}; give another folder") from error
    recorder = _Recorder()
    server = _serve(recorder, port) if port is not None else None
    try:
        with _hooks.observed(recorder):
            yield recorder
    finally:
        if server is not None:
            server.shutdown()
            server.server_close()
        recorder.write(log_dir)
